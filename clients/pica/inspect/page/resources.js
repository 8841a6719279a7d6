/* Panels that the engine fills: textures, meshes, the steps of a vertex, memory. */
import { data, element, hex, isVc4 } from "./data.js";
import { askPicture, call, later } from "./engine.js";
import { textureEditor } from "./edit.js";
import { qpuSteps } from "./history.js";

/* What a written page says instead. */
export function withoutEngine(what, command) {
	return [element("p", {}, `${what}: needs `, element("code", {}, "pica inspect"), ", which answers while it runs:"),
		element("pre", {}, command)];
}

function noDraw(step, what) {
	return [element("p", { class: "dim" }, `This step is a ${step.kind}: draws have ${what}.`)];
}

/* ---- Textures ---- */

function textureItem(level, step, isAlpha) {
	const canvas = element("canvas", { class: "texture", width: level.width, height: level.height }), note = element("div", { class: "bad" });
	askPicture("surface", { frame: step.frame, draw: step.draw, address: level.addr, format: level.format, width: level.width, height: level.height,
		stored: true, kind: isAlpha ? "alpha" : "before" }).then(({ image }) => canvas.getContext("2d").putImageData(image, 0, 0),
		(error) => note.append(error.message));
	return element("figure", {}, level.wrong ? element("p", { class: "bad" }, level.wrong) : canvas, note,
		element("figcaption", {}, element("b", {}, level.name), ` ${level.format} ${level.width}x${level.height}`, element("br"),
			element("span", { class: "dim mono" }, level.addr), textureEditor(step, level)));
}

export function texturesPanel(index, isAlpha, setAlpha) {
	const step = data.steps[index];
	if (step.kind !== "draw") {
		return noDraw(step, "textures");
	}
	if (!data.served) {
		return withoutEngine("Textures of the draw, with their levels and faces", `pica inspect CAPTURE`);
	}
	const list = later(element("div", {}, "…"), call("textures", { frame: step.frame, draw: step.draw }, { slot: "textures" }), ({ textures }) => textures.length ?
		[element("label", {}, element("input", { type: "checkbox", checked: isAlpha, onchange: (e) => setAlpha(e.target.checked) }), " alpha"),
			element("div", { class: "textures" }, ...textures.map((t) => textureItem(t, step, isAlpha)))] :
		[element("p", { class: "dim" }, "No texture unit is on.")]);
	return [element("h2", {}, `Textures of draw ${step.draw}`), list];
}

/* ---- Meshes ---- */

/* Triangles of stream positions. */
export function triangles(primitive, n) {
	const out = [];
	if (primitive === "strip") {
		for (let i = 0; i + 2 < n; i++) {
			out.push([i, i + 1, i + 2]);
		}
	} else if (primitive === "fan") {
		for (let i = 0; i + 2 < n; i++) {
			out.push([0, i + 1, i + 2]);
		}
	} else {
		for (let i = 0; i + 2 < n; i += 3) {
			out.push([i, i + 1, i + 2]);
		}
	}
	return out;
}

/* Draws points [x, y] and their triangles, as large as fits; picks the nearest one. */
function wireframe(points, faces, chosen, choose) {
	const canvas = element("canvas", { class: "mesh", width: 352, height: 220 }), c = canvas.getContext("2d");
	const known = points.filter(Boolean), xs = known.map((p) => p[0]), ys = known.map((p) => p[1]);
	if (!known.length) {
		return element("p", { class: "dim" }, "No vertex has a place.");
	}
	const range = (v) => v.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
	const [left, right] = range(xs), [bottom, top] = range(ys);
	const scale = Math.min((canvas.width - 20) / (right - left || 1), (canvas.height - 20) / (top - bottom || 1));
	const at = ([x, y]) => [canvas.width / 2 + (x - (left + right) / 2) * scale, canvas.height / 2 - (y - (bottom + top) / 2) * scale];
	const style = getComputedStyle(document.documentElement);
	c.strokeStyle = style.getPropertyValue("--mark");
	c.lineWidth = 0.6;
	for (const face of faces) {
		const corners = face.map((i) => points[i]);
		if (corners.every(Boolean)) {
			c.beginPath();
			corners.map(at).forEach(([x, y], i) => i ? c.lineTo(x, y) : c.moveTo(x, y));
			c.closePath();
			c.stroke();
		}
	}
	if (points[chosen]) {
		const [x, y] = at(points[chosen]);
		c.fillStyle = style.getPropertyValue("--bad");
		c.beginPath();
		c.arc(x, y, 4, 0, 7);
		c.fill();
	}
	canvas.addEventListener("click", (e) => {
		const box = canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
		let best = -1, distance = Infinity;
		points.forEach((p, i) => {
			const [px, py] = p ? at(p) : [Infinity, 0], d = (px - x) ** 2 + (py - y) ** 2;
			[best, distance] = d < distance ? [i, d] : [best, distance];
		});
		choose(best);
	});
	return canvas;
}

export function pointsOf(table, x, y) {
	const [at, other] = [table.columns.indexOf(x), table.columns.indexOf(y)];
	return table.rows.map((row) => at < 0 || other < 0 || row[at] === null || row[other] === null ? null : [row[at], row[other]]);
}

function vertexTable(table, chosen, choose) {
	const first = Math.max(0, chosen - 20), rows = table.rows.slice(first, first + 100);
	const out = element("table", {}, element("tr", {}, ...table.columns.map((c) => element("th", {}, c))), ...rows.map((row, i) =>
		element("tr", { class: first + i === chosen ? "changed" : undefined, onclick: () => choose(first + i) },
			...row.map((v) => element("td", { class: "mono" }, v === null ? "" : String(+v.toPrecision(6)))))));
	return element("div", { class: "wide" }, out);
}

function showMesh(mesh, chosen, choose, trace) {
	const { vertices, geometry } = mesh, drawn = geometry || vertices;
	const faces = triangles(mesh.primitive, vertices.rows.length), after = geometry ? triangles("list", geometry.rows.length) : faces;
	const picked = geometry ? -1 : chosen;
	/* A screen lies on its side in memory: rows go to the right, columns up. */
	const window = pointsOf(drawn, "window.row", "window.x");
	return [element("h2", {}, "Before the vertex program"), wireframe(pointsOf(vertices, `${mesh.position}.x`, `${mesh.position}.y`), faces, chosen, choose),
		element("h2", {}, geometry ? "After the geometry program, in the window" : "After the vertex program, in the window"),
		wireframe(window, after, picked, geometry ? () => {} : choose),
		element("p", {}, `vertex ${chosen} of ${vertices.rows.length} `, element("button", { type: "button", onclick: () => trace(chosen) }, "its steps")),
		vertexTable(vertices, chosen, choose)];
}

export function meshPanel(index, chosen, choose, trace) {
	const step = data.steps[index];
	if (step.kind !== "draw") {
		return noDraw(step, "vertices");
	}
	if (!data.served) {
		return withoutEngine("The mesh before and after its programs", `pica dump --draw ${step.frame}:${step.draw} --vertices CAPTURE`);
	}
	return [later(element("div", {}, "…"), call("mesh", { frame: step.frame, draw: step.draw }, { slot: "mesh" }),
		(mesh) => showMesh(mesh, Math.min(chosen, mesh.vertices.rows.length - 1), choose, trace))];
}

/* ---- Steps of a program ---- */

function vectorText(v) {
	return v.map((x) => x === null ? "not finite" : +x.toPrecision(7)).join(" ");
}

function stepRow(s) {
	return element("tr", {}, element("td", { class: "mono" }, s.address.slice(2)),
		element("td", { class: "mono" }, element("b", {}, s.instruction.trim()), ...s.sources.map((v) => element("div", { class: "dim" }, `${v.register} ${vectorText(v.value)}`)),
			s.result ? element("div", { class: "kept", title: `f24 ${s.result.f24.join(" ")}, f32 ${s.result.f32.join(" ")}` },
				`= ${s.result.register}.${s.result.components} ${vectorText(s.result.value)}`) : ""));
}

function outputTable(outputs) {
	return element("table", {}, ...Object.entries(outputs).map(([name, o]) => element("tr", {},
		element("td", { class: "mono" }, name), element("td", { class: "mono" }, vectorText(o.value)))));
}

/* A run of a geometry program: its steps, with the outputs at each EMIT. */
function showRun(trace) {
	const { run, first_primitive, primitives, instructions, steps, emits } = trace, emit = new Map(emits.map((e) => [e.step, e]));
	const made = primitives ? `primitives ${first_primitive} to ${first_primitive + primitives - 1}` : "no primitive";
	return [element("p", { class: "dim" }, `run ${run}: ${instructions} instructions; emits ${made}`), element("table", {}, ...steps.flatMap((s, i) => {
		const e = emit.get(i);
		return e ? [stepRow(s), element("tr", {}, element("td"), element("td", {}, `vertex ${e.vertex}${e.is_last ? ", of a primitive" : ""}${e.is_inverted ? ", inverted" : ""}`,
			outputTable(e.outputs)))] : [stepRow(s)];
	}))];
}

/* The coordinate and the vertex program of a VideoCore IV. */
function showPrograms({ programs }) {
	return programs.flatMap((p) => [element("h2", {}, `The ${p.kind} program`), element("p", { class: "dim" }, `${p.program}, ${p.steps.length} instructions`),
		qpuSteps(p.steps), p.error ? element("p", { class: "bad" }, p.error) : element("table", {}, ...Object.entries(p.outputs).map(([name, word]) =>
			element("tr", {}, element("td", {}, name), element("td", { class: "mono" }, word || "not written"))))]);
}

function showTrace(trace) {
	if (trace.programs) {
		return showPrograms(trace);
	}
	if (trace.emits) {
		return showRun(trace);
	}
	return [element("p", { class: "dim" }, `${trace.steps.length} instructions`), element("table", {}, ...trace.steps.map(stepRow)),
		element("h2", {}, "Outputs"), outputTable(trace.outputs),
		element("table", {}, ...Object.entries(trace.semantics).map(([name, v]) => element("tr", {}, element("td", {}, name),
			element("td", { class: "mono" }, v === null ? "not finite" : String(+v.toPrecision(7)))))),
		element("p", {}, trace.window ? `in the window at ${vectorText(trace.window)}` : "not drawn by itself")];
}

/* traced: { of, number }, of a vertex, or of a primitive or run of the geometry program. */
export function tracePanel(index, { of, number }, trace) {
	const step = data.steps[index];
	if (step.kind !== "draw") {
		return [];
	}
	const heading = element("h2", {}, `Steps of a ${of}`);
	if (!data.served) {
		return [heading, ...withoutEngine("Each instruction with its values", `pica shader trace CAPTURE --frame ${step.frame} --draw ${step.draw} --vertex 0`)];
	}
	const choice = element("select", { "aria-label": "What is traced", onchange: (e) => trace({ of: e.target.value, number: 0 }) },
		...(isVc4() ? ["vertex"] : ["vertex", "primitive", "run"]).map((name) => element("option", { value: name, selected: name === of }, name)));
	const input = element("input", { type: "number", min: 0, value: number, "aria-label": "Its number",
		onchange: (e) => trace({ of, number: Math.max(0, Math.floor(+e.target.value || 0)) }) });
	return [heading, element("div", { class: "line" }, choice, input), of === "vertex" ? "" : element("p", { class: "dim" }, "of the geometry program"),
		later(element("div", {}, "…"), call("shader_trace", { frame: step.frame, draw: step.draw, [of]: number }, { slot: "trace" }), showTrace)];
}

/* ---- Memory ---- */

const ROWS = 40, BYTES = 8;

function memoryRows(answer) {
	const start = parseInt(answer.address, 16), bytes = answer.bytes.match(/../g) || [];
	const rows = [];
	for (let at = 0; at < bytes.length; at += BYTES) {
		const part = bytes.slice(at, at + BYTES), text = part.map((b) => parseInt(b, 16)).map((b) => b > 31 && b < 127 ? String.fromCharCode(b) : ".").join("");
		rows.push(`${hex(start + at)}  ${part.join(" ").padEnd(3 * BYTES)} ${text}`);
	}
	return [element("pre", { class: "memory" }, rows.join("\n"))];
}

export function memoryPanel(index, place, setPlace) {
	const step = data.steps[index];
	if (!data.served) {
		return withoutEngine("Memory at each step", `pica inspect CAPTURE`);
	}
	const change = step.changes[0], address = place.address ?? (change ? data.surfaces[change.surface].addr : "0x18000000");
	const move = (by) => setPlace({ ...place, address: hex(Math.min(Math.max(0, parseInt(address, 16) + by), 0xFFFFFFFF)) });
	const input = element("input", { class: "mono", value: address, size: 10, "aria-label": "Address", onchange: (e) => setPlace({ ...place, address: e.target.value.trim() }) });
	return [element("h2", {}, `Memory ${place.before ? "before" : "after"} step ${index}`),
		element("div", { class: "line" }, input, element("button", { type: "button", onclick: () => move(-ROWS * BYTES) }, "back"),
			element("button", { type: "button", onclick: () => move(ROWS * BYTES) }, "on"),
			element("label", {}, element("input", { type: "checkbox", checked: place.before, onchange: (e) => setPlace({ ...place, before: e.target.checked }) }), " before the step")),
		later(element("div", {}, "…"), call("memory", { frame: step.frame, step: step.step, address, bytes: ROWS * BYTES, before: place.before }, { slot: "memory" }), memoryRows)];
}
