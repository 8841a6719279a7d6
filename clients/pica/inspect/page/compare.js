/* Two captures side by side, opened at their first difference. */
import { colorText, data, element } from "./data.js";
import { askPicture, call } from "./engine.js";

const BUFFERS = { color: "colour", alpha: "alpha", depth: "depth", stencil: "stencil" }, SIDES = ["a", "b"];
const compared = { frame: 0, draw: 0, kind: "color", pixel: null };
let firstFound = null, comparing = 0;

/* The state of a draw in one capture, and a picture of its target after it; error: there is none. */
async function askSide(side) {
	const { frame, draw, kind } = compared, isDepth = kind === "depth" || kind === "stencil";
	try {
		const answer = await call("state", { side, frame, draw }), { target } = answer.state;
		const { image } = await askPicture("surface", { side, frame, draw, address: isDepth ? target.depth_addr : target.color_addr,
			format: isDepth ? target.depth_format : target.color_format, width: target.width, height: target.height, block32: target.block32, kind });
		return { ...answer, image };
	} catch (error) {
		return { error: error.message };
	}
}

function pixelIn(image, { x, y }) {
	return [...image.data.subarray(4 * (y * image.width + x), 4 * (y * image.width + x) + 3)];
}

/* A's picture in grey, red where B's differs; the number of such pixels. */
function compareImages(a, b) {
	const out = new ImageData(a.width, a.height);
	let count = 0;
	for (let i = 0; i < out.data.length; i += 4) {
		const most = Math.max(...[0, 1, 2].map((k) => Math.abs(a.data[i + k] - b.data[i + k]))), grey = (a.data[i] + a.data[i + 1] + a.data[i + 2]) / 6;
		out.data.set(most ? [255, most / 1.5, most / 1.5, 255] : [grey, grey, grey, 255], i);
		count += most > 0;
	}
	return { image: out, count };
}

function sideItem(title, image, note) {
	const canvas = element("canvas", { width: image ? image.width : 1, height: image ? image.height : 1 });
	if (image) {
		const context = canvas.getContext("2d"), { pixel } = compared;
		context.putImageData(image, 0, 0);
		if (pixel) {
			context.strokeStyle = "#ff00ff";
			context.strokeRect(pixel.x - 3.5, pixel.y - 3.5, 8, 8);
		}
	}
	canvas.addEventListener("click", (e) => {
		const box = canvas.getBoundingClientRect();
		compareAt({ pixel: { x: Math.floor((e.clientX - box.left) * canvas.width / box.width), y: Math.floor((e.clientY - box.top) * canvas.height / box.height) } });
	});
	return element("figure", {}, element("figcaption", {}, element("b", {}, title)), image ? canvas : "", element("div", {}, ...note));
}

function pageLink(side, text) {
	const { frame, draw, pixel } = compared, at = pixel ? `&x=${pixel.x}&y=${pixel.y}&panel=pixel` : "&panel=state";
	return element("a", { href: `${side}/?frame=${frame}#draw=${draw}${at}` }, text);
}

/* ---- State ---- */

function fieldsApart(register, other) {
	return Object.entries(register ? register.fields : {}).filter(([name, value]) => !other || other.fields[name] !== value)
		.map(([name, value]) => name === "VALUE" ? String(value) : `${name} ${value}`).join(", ");
}

function stateApart(a, b) {
	const rows = [], row = (name, x, y) => rows.push(element("tr", {}, element("td", { class: "mono" }, name), element("td", { class: "fields" }, x), element("td", { class: "fields" }, y)));
	for (const name of new Set([...Object.keys(a.state.registers), ...Object.keys(b.state.registers)])) {
		const [x, y] = [a.state.registers[name], b.state.registers[name]];
		if ((x ? x.value : 0) !== (y ? y.value : 0)) {
			row(name, fieldsApart(x, y), fieldsApart(y, x));
		}
	}
	for (const unit of ["vertex", "geometry"]) {
		const [x, y] = [a, b].map((s) => (s.state[unit] || {}).uniforms || {});
		for (const name of new Set([...Object.keys(x), ...Object.keys(y)])) {
			if (String(x[name]) !== String(y[name])) {
				row(`${unit} c${name}`, String(x[name] || 0), String(y[name] || 0));
			}
		}
	}
	if (a.vsh_source !== b.vsh_source || a.gsh_source !== b.gsh_source) {
		row("programs", "differ", "");
	}
	return rows;
}

/* ---- All of it ---- */

function foundText() {
	const { draw, frame } = firstFound;
	if (!firstFound.differs) {
		return "No difference: the same screens in all frames.";
	}
	if (draw) {
		return `First difference: frame ${frame}, draw ${draw.draw}: ${draw.part}` + (draw.pixels ? `, ${draw.pixels.toLocaleString("en")} pixels` : "") +
			(draw.differs_before ? "; it differs before the draw already" : "");
	}
	return firstFound.first ? `Frame ${firstFound.first.frame} is the first that differs (${firstFound.first.screen} screen), but no draw in it: fills, transfers, loads or earlier frames do.` :
		`A has ${firstFound.frames[0]} frames, B has ${firstFound.frames[1]}.`;
}

function compareControls() {
	const input = (key, label) => element("label", {}, `${label} `, element("input", { type: "number", min: 0, value: compared[key], onchange: (e) => compareAt({ [key]: Math.max(0, Math.floor(+e.target.value || 0)) }) }));
	return [input("frame", "frame"), input("draw", "draw"), element("select", { "aria-label": "Show", onchange: (e) => compareAt({ kind: e.target.value }) },
		...Object.entries(BUFFERS).map(([id, label]) => element("option", { value: id, selected: id === compared.kind }, label))),
	element("button", { type: "button", onclick: openFirst }, "first difference")];
}

async function showSides() {
	const mine = ++comparing, [a, b] = await Promise.all(SIDES.map(askSide));
	if (mine !== comparing) {
		return;
	}
	const { pixel } = compared, isSame = a.image && b.image && a.image.width === b.image.width && a.image.height === b.image.height;
	history.replaceState(null, "", `#${Object.entries({ ...compared, ...pixel, pixel: undefined }).filter(([, value]) => value !== undefined).map((pair) => pair.join("=")).join("&")}`);
	const { image, count } = isSame ? compareImages(a.image, b.image) : {};
	const note = (side, s) => [s.error ? element("p", { class: "bad" }, s.error) : pageLink(side, `open ${side.toUpperCase()} here`),
		...(pixel && s.image && pixel.x < s.image.width && pixel.y < s.image.height ? [element("span", { class: "mono" }, ` ${pixel.x}, ${pixel.y}: ${colorText(pixelIn(s.image, pixel))}`)] : [])];
	const rows = a.state && b.state ? stateApart(a, b) : [];
	document.querySelector("main").replaceChildren(element("section", { id: "compare" }, element("p", { id: "first" }, foundText()), element("div", { class: "line" }, ...compareControls()),
		element("div", { class: "sides" }, sideItem(`A: ${data.names[0]}`, a.image, note("a", a)), sideItem(`B: ${data.names[1]}`, b.image, note("b", b)),
			sideItem("Difference", image, [isSame ? `${count.toLocaleString("en")} pixels differ` : "The buffers have different sizes."])),
		element("h2", {}, "State of the draw"), rows.length ? element("table", {}, element("tr", {}, element("th", {}, ""), element("th", {}, "A"), element("th", {}, "B")), ...rows) :
			element("p", { class: "dim" }, "The same registers, uniforms and programs.")));
}

function compareAt(changes) {
	Object.assign(compared, changes);
	showSides();
}

/* Buffers are shown upright; the first pixel is named as it lies in memory. */
function openFirst() {
	const { draw } = firstFound, at = draw && draw.first, [width] = draw ? [draw.width] : [0];
	const pixel = !at ? null : width === 240 || width === 480 ? { x: at.row, y: width - 1 - at.column } : { x: at.column, y: at.row };
	const isAlpha = at && at.a.rgba && String(at.a.rgba.slice(0, 3)) === String(at.b.rgba.slice(0, 3));
	compareAt({ frame: firstFound.frame ?? (firstFound.first ? firstFound.first.frame : 0), draw: draw ? draw.draw : 0, pixel,
		kind: !draw || !BUFFERS[draw.part] ? "color" : draw.part === "color" && isAlpha ? "alpha" : draw.part });
}

/* A link that names a draw: "#frame=0&draw=3&kind=color&x=10&y=20". */
function readPlace() {
	const from = new URLSearchParams(location.hash.slice(1)), value = (key) => /^\d{1,9}$/.test(from.get(key) || "") ? +from.get(key) : undefined;
	const [frame, draw, x, y] = ["frame", "draw", "x", "y"].map(value);
	return frame === undefined || draw === undefined ? null :
		{ frame, draw, kind: Object.hasOwn(BUFFERS, from.get("kind") || "") ? from.get("kind") : "color", pixel: x === undefined || y === undefined ? null : { x, y } };
}

/* Left and right: the draws; with Shift, the arrows move the pixel. */
function onCompareKey(e) {
	const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key] || [], { pixel, draw } = compared;
	if (x === undefined || e.target.matches("input, select") || e.ctrlKey || e.altKey || e.metaKey || (!e.shiftKey && !x)) {
		return;
	}
	e.preventDefault();
	compareAt(e.shiftKey ? { pixel: pixel ? { x: Math.max(0, pixel.x + x), y: Math.max(0, pixel.y + y) } : { x: 0, y: 0 } } : { draw: Math.max(0, draw + x) });
}

export async function showCompare() {
	document.querySelector("main").replaceChildren(element("p", { id: "compare" }, "Looking for the first difference…"));
	document.getElementById("help-button").remove();
	const place = readPlace();
	firstFound = await call("difference", {});
	document.addEventListener("keydown", onCompareKey);
	if (place) {
		compareAt(place);
	} else {
		openFirst();
	}
}
