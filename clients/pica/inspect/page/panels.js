/* Panels about the selected step and pixel. */
import { colorText, data, element, emptyTable, findingsOf, hex, isVc4, stepTitle } from "./data.js";
import { programEditor, registerEditor } from "./edit.js";
import { touchesOf, writes } from "./pixels.js";
import { memoryText, placeOf } from "./view.js";

export function swatch(color) {
	const e = element("span", { class: "swatch" });
	e.style.background = `rgb(${color[0]},${color[1]},${color[2]})`;
	return e;
}

/* ---- Pixel ---- */

function touchText(step, touch) {
	if (step.kind !== "draw" || isVc4()) {
		return step.text;
	}
	if (!touch.entered) {
		return "changed these bytes through another buffer";
	}
	const many = touch.entered > 254 ? "255 or more" : touch.entered;
	return `${touch.passed} of ${many} fragment${touch.entered === 1 ? "" : "s"} kept` + (step.writes_color ? "" : ", and no colour written");
}

export function pixelPanel(pick, select) {
	if (!pick) {
		return [element("p", { class: "dim" }, "Click a pixel: the step that wrote it last is selected, and all that touched it are listed here.")];
	}
	if (!pick.source) {
		return [element("h2", {}, `Pixel ${pick.x}, ${pick.y}`),
			element("p", {}, "No colour buffer of these frames is behind this pixel. Its history: "),
			element("code", {}, `pica pixel --screen ${pick.view} ${data.name} ${pick.x},${pick.y}`)];
	}
	const place = pick.view.startsWith("s") ? placeOf(pick.source.surface, pick.x, pick.y) : pick;
	const { surface, x, y, end } = pick.source, { color, touches, last } = touchesOf(surface, x, y, end);
	const rows = touches.map((touch, i) => {
		const step = data.steps[touch.index];
		return element("button", { class: i === last ? "entry last" : "entry", type: "button", onclick: () => select(touch.index) },
			element("b", { class: writes(touch) ? "kept" : "bad" }, `frame ${step.frame} ${stepTitle(step)}`),
			i === last ? " wrote it last" : "", element("br"),
			element("span", { class: "mono" }, swatch(touch.before), colorText(touch.before), " → ", swatch(touch.after), colorText(touch.after)),
			element("br"), element("span", { class: "dim" }, touchText(step, touch)));
	});
	if (last < 0) {
		rows.unshift(element("p", {}, "No step of this page wrote it: earlier frames did."));
	}
	return [element("h2", {}, `Pixel ${pick.x}, ${pick.y} `, swatch(color), element("span", { class: "mono" }, colorText(color))),
		element("p", { class: "dim" }, memoryText(surface, x, y)), ...rows.reverse(),
		element("p", { class: "dim" }, "Tests and values of each fragment: needs ", element("code", {}, "pica inspect"), ", or"),
		element("code", { class: "mono" }, `pica pixel --steps${place.surface && !isVc4() ? ` --surface ${place.surface}` : isVc4() ? "" : ` --screen ${pick.view}`} --frame ${pick.frame} CAPTURE ${place.x},${place.y}`)];
}


/* ---- State ---- */

/* Registers at a step, by number: the draw that has their row, and the row. No address: set before that draw, by an earlier frame or an edit. */
export function registersAt(index) {
	const now = new Map();
	for (let i = 0; i <= index; i++) {
		for (const [id, word, addr, load, event, byte] of data.steps[i].registers || []) {
			now.set(id, { index: i, word, addr, load, event, byte });
		}
	}
	return now;
}

/* The text of a register's field at a step; "" if unknown. */
export function fieldOf(registers, name, field) {
	const id = Object.keys(data.registers).find((key) => data.registers[key][0] === name), word = id && registers.get(+id);
	const found = word && (data.words[`${id}:${word.word}`] || []).find(([key]) => key === field);
	return found ? found[1] : "";
}

function vectorsAt(index, key) {
	const now = new Map();
	for (let i = 0; i <= index; i++) {
		for (const [number, ...values] of data.steps[i][key] || []) {
			now.set(number, values);
		}
	}
	return now;
}

export function drawBefore(index) {
	for (let i = index - 1; i >= 0; i--) {
		if (data.steps[i].kind === "draw") {
			return i;
		}
	}
	return -1;
}

/* Fields of a word; changed ones also show the old value. */
function fieldsText(id, word, old) {
	const fields = data.words[`${id}:${word}`] || [], before = new Map(old === undefined ? [] : data.words[`${id}:${old}`] || []);
	return fields.map(([name, text]) => name === "VALUE" ? text : `${name} ${text}`).map((text, i) => {
		const was = before.get(fields[i][0]);
		return was !== undefined && was !== fields[i][1] ? `${text} (was ${was})` : text;
	}).join(", ");
}

function vectorRows(title, prefix, now, old) {
	const rows = [...now].sort((a, b) => a[0] - b[0]).map(([i, v]) => {
		const was = old && old.get(i), changed = old && String(was) !== String(v);
		return [changed, element("tr", { class: changed ? "changed" : undefined }, element("td", { class: "mono" }, prefix + i),
			element("td", { class: "mono" }, v.map((x) => x === null ? "not finite" : +x.toPrecision(7)).join(" ")))];
	});
	return [title, rows];
}

/* A draw of a VideoCore IV: what its lists say. */
function drawFacts(step) {
	const { programs, target, cost } = step, row = (name, text) => element("tr", {}, element("th", {}, name), element("td", { class: "mono" }, text));
	return [element("h2", {}, `Frame ${step.frame}, draw ${step.draw}`), element("p", {}, `${step.mode}, ${cost.vertices} vertices, ${cost.fragments} fragments`),
		element("p", { class: "dim" }, `byte ${hex(step.offset, 1)} of the capture`),
		element("table", {}, row("record", step.record), row("shader record", step.shader), row("varyings", String(step.varyings)),
			...Object.entries(programs).map(([kind, addr]) => row(`${kind} program`, addr)),
			...(target ? [row("target", `${target.addr} ${target.format} ${target.layout} ${target.width}x${target.height}`)] : []))];
}

/* What set a register: the draw, a link to it, and the list word. */
function setterItems(index, { index: at, addr, load, event, byte }, again, select) {
	const { frame, draw } = data.steps[at], name = at === index ? "this draw" : `draw ${draw}` + (frame === data.steps[index].frame ? "" : ` of frame ${frame}`);
	const title = `${addr === null ? "before" : "for"} ${name}`;
	return [element("div", { class: "dim" }, "set ", at === index ? title : element("button", { type: "button", class: "link", onclick: () => select(at) }, title),
		again ? element("span", { class: "badge" }, "written") : ""),
		addr ? element("div", { class: "dim mono" }, `word ${hex(addr)}`) : "",
		load === undefined ? "" : element("div", { class: "dim mono" }, `byte ${hex(byte, 1)} of event ${event}, at ${hex(load, 1)} in the capture`)];
}

let wanted = "";

export function showAllRows() {
	wanted = "";
}

/* A box that hides the rows of a panel without its text; the text stays for the next step. */
function rowFilter(panel) {
	const apply = () => {
		for (const table of panel.filter((e) => e.tagName === "TABLE")) {
			const rows = [...table.rows];
			rows.forEach((row) => { row.hidden = !row.textContent.toLowerCase().includes(wanted); });
			table.hidden = table.previousSibling.hidden = rows.every((row) => row.hidden);
		}
	};
	const box = element("input", { type: "search", class: "rows", value: wanted, placeholder: "register, field or value", "aria-label": "Rows with",
		oninput: (e) => { wanted = e.target.value.toLowerCase(); apply(); } });
	queueMicrotask(apply);
	return box;
}

export function statePanel(index, all, setAll, select) {
	const step = data.steps[index];
	if (step.kind === "draw" && isVc4()) {
		return drawFacts(step);
	}
	if (step.kind !== "draw") {
		return [element("h2", {}, `Frame ${step.frame}, ${step.kind}`), element("p", {}, step.text),
			element("p", { class: "dim" }, `byte ${hex(step.offset, 1)} of the capture`)];
	}
	const previous = drawBefore(index), now = registersAt(index), old = previous < 0 ? null : registersAt(previous);
	const groups = new Map();
	for (const [id, row] of [...now].sort((a, b) => a[0] - b[0])) {
		const [name, group] = data.registers[id], was = old && old.get(id), { word } = row;
		const changed = old !== null && (was ? was.word : 0) !== word, again = old !== null && !changed && row.index === index;
		const item = element("tr", { class: changed ? "changed" : again ? "dim" : undefined, "data-register": name },
			element("td", {}, element("span", { class: "mono" }, name), ...setterItems(index, row, again, select),
				registerEditor(step, id, word)),
			element("td", { class: "fields" }, fieldsText(id, word, was && was.word), element("br"),
				element("span", { class: "dim mono" }, hex(word))));
		groups.set(group, (groups.get(group) || []).concat([[changed || again, item]]));
	}
	for (const [title, key, prefix] of [["vertex uniforms", "uniforms", "c"], ["geometry uniforms", "gs_uniforms", "c"], ["fixed attributes", "fixed", "v"]]) {
		groups.set(...vectorRows(title, prefix, vectorsAt(index, key), old && vectorsAt(previous, key)));
	}
	const out = [element("h2", {}, `Frame ${step.frame}, draw ${step.draw}`),
		element("p", {}, `${step.source}, ${step.primitive}` + (step.vertices === undefined ? "" : `, ${step.vertices} vertices`) +
			`; ${step.passed} of ${step.entered} fragments kept`),
		element("p", { class: "dim" }, `list word ${hex(step.addr)}, byte ${hex(step.offset, 1)} of the capture`),
		element("label", {}, element("input", { type: "checkbox", checked: all, onchange: (e) => setAll(e.target.checked) }),
			" also what was neither changed nor written since the draw before"),
		data.served ? "" : element("p", { class: "dim" }, "To change it and draw again: needs ", element("code", {}, "pica inspect"))];
	if (!old) {
		out.push(element("p", { class: "dim" }, "The first draw of this page: all that is not 0."));
	}
	let shown = 0;
	for (const [group, rows] of groups) {
		const some = rows.filter(([changed]) => all || !old || changed);
		shown += some.length;
		if (some.length) {
			out.push(element("h2", {}, group), element("table", {}, ...some.map(([, row]) => row)));
		}
	}
	const tables = Object.entries(step.tables).filter(([name, hash]) => all || !old || data.steps[previous].tables[name] !== hash);
	const isFoggy = fieldOf(now, "TEXENV_UPDATE_BUFFER", "FOG_MODE") === "fog", lack = isFoggy ? emptyTable(step, "fog") : "";
	if (lack) {
		out.push(element("p", { class: "bad" }, lack));
	}
	if (tables.length) {
		out.push(element("h2", {}, "tables (hashes)"), element("table", {}, ...tables.map(([name, hash]) =>
			element("tr", {}, element("td", {}, name), element("td", { class: "mono" }, hash)))));
	}
	if (!shown && !tables.length && !lack) {
		out.push(element("p", {}, "Nothing changed since the draw before."));
	}
	out.splice(1, 0, rowFilter(out));
	return out;
}

/* ---- Program, findings ---- */

export function programPanel(index) {
	const step = data.steps[index], out = [];
	for (const [title, key] of [["Coordinate program", "coordinate_program"], ["Vertex program", "program"], ["Geometry program", "gs_program"], ["Fragment program", "fragment_program"]]) {
		if (step[key] >= 0) {
			const text = data.programs[step[key]], program = { program: "vertex", gs_program: "geometry" }[key];
			out.push(element("h2", {}, title), program ? programEditor(step, program, text) : "", element("pre", {}, text));
		}
	}
	return out.length ? out : [element("p", { class: "dim" }, "This step runs no program.")];
}

function findingRow(f, select) {
	const index = data.steps.findIndex((s) => s.frame === f.frame && s.kind === "draw" && s.draw === f.draw);
	return element("div", { class: `finding ${f.severity}` }, element("b", {}, `${f.severity}: `), element("span", {}, `${f.title} [${f.rule}]`), element("br"),
		element("span", { class: "dim" }, (f.name ? `${f.name}: ` : "") + f.detail + (f.count > 1 ? `, ${f.count} times` : "")),
		index < 0 ? element("div", { class: "dim" }, `frame ${f.frame}`) :
			element("div", {}, element("button", { type: "button", onclick: () => select(index) }, `frame ${f.frame} draw ${f.draw}`)));
}

export function findingsPanel(index, select) {
	const here = findingsOf(data.steps[index]);
	if (!data.findings) {
		return [element("p", { class: "dim" }, "…")];
	}
	return [element("h2", {}, "Of this step"), ...(here.length ? here.map((f) => findingRow(f, select)) : [element("p", { class: "dim" }, "None begins here.")]),
		element("h2", {}, "Of the capture, where each was found first"), ...(data.findings.length ? data.findings.map((f) => findingRow(f, select)) : [element("p", {}, "Clean.")])];
}
