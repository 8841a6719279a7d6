/* Panels about the work of a frame: what each step cost, and which steps need which. The engine fills them. */
import { data, element, isVc4, stepTitle } from "./data.js";
import { call, later } from "./engine.js";
import { withoutEngine } from "./resources.js";

const frameWork = new Map();
/* The name space, which the page must not spell: it names no address. */
const SVG = new DOMParser().parseFromString("<svg></svg>", "text/html").body.firstChild.namespaceURI;

/* The answer of the call `draws`, whose rows are the frame's steps in order. */
function workOf(frame) {
	if (isVc4()) {
		return Promise.resolve({ rows: data.steps.filter((s) => s.frame === frame), frame });
	}
	if (!frameWork.has(frame)) {
		frameWork.set(frame, call("draws", { frame }).catch((error) => {
			frameWork.delete(frame);
			throw error;
		}));
	}
	return frameWork.get(frame);
}

/* The page's index of a step of a frame, or -1: loads outside all surfaces are not in the page. */
function indexOfStep(frame, step) {
	return data.steps.findIndex((s) => s.frame === frame && s.step === step);
}

/* ---- Costs ---- */

const COSTS = { fragments: "fragments", kept: "kept", vertices: "vertices", triangles: "triangles", steps: "shader steps", samples: "samples", bytes: "bytes" };

function costsOf(row) {
	if (!row.cost) {
		return { bytes: row.size_bytes };
	}
	if (isVc4()) {
		return { fragments: row.cost.fragments, vertices: row.cost.vertices, triangles: row.cost.drawn_triangles, steps: row.cost.steps };
	}
	const f = row.cost.fragments, sum = Object.values(f).reduce((a, b) => a + b, 0);
	return { fragments: sum, kept: f.kept, vertices: row.cost.vertices, triangles: row.cost.drawn_triangles, steps: row.cost.shader_steps, samples: row.cost.samples };
}

function showCosts({ rows, frame }, index, key, choose, select) {
	const selected = data.steps[index], all = rows.map((row, step) => ({ row, step, costs: costsOf(row) })).filter((r) => r.row.kind !== "load");
	const totals = Object.fromEntries(Object.keys(COSTS).map((k) => [k, all.reduce((sum, r) => sum + (r.costs[k] || 0), 0)]));
	const order = key ? [...all].sort((a, b) => (b.costs[key] || 0) - (a.costs[key] || 0)) : all;
	const cells = (costs) => Object.keys(COSTS).map((k) => element("td", { class: "count" }, costs[k] === undefined ? "" : costs[k].toLocaleString("en")));
	const head = [["", "step"], ...Object.entries(COSTS)].map(([k, label]) => element("th", { "aria-sort": k === key ? "descending" : undefined },
		element("button", { type: "button", onclick: () => choose(k) }, label)));
	return [element("div", { class: "wide" }, element("table", {}, element("tr", {}, ...head),
		element("tr", { class: "total" }, element("th", {}, "all"), ...cells(totals)),
		...order.map(({ row, step, costs }) => element("tr", { class: step === selected.step ? "changed" : undefined },
			element("td", {}, stepButton(frame, step, row, select)), ...cells(costs)))))];
}

function stepButton(frame, step, row, select) {
	const at = indexOfStep(frame, step);
	return at < 0 ? stepTitle(row) : element("button", { type: "button", onclick: () => select(at) }, stepTitle(row));
}

export function costsPanel(index, key, choose, select) {
	const { frame } = data.steps[index];
	if (!data.served && !isVc4()) {
		return withoutEngine("What each step cost", `pica draws --frames ${frame} CAPTURE`);
	}
	return [element("h2", {}, `Costs of the steps of frame ${frame}`),
		element("p", { class: "dim" }, "Counts, the same on every machine. Choose a column to sort by it."),
		later(element("div", {}, "…"), workOf(frame), (answer) => showCosts(answer, index, key, choose, select))];
}

/* ---- Dependencies ---- */

/* A link to whatever wrote memory: a row by its number over all frames, or DEPENDS_START, DEPENDS_NOTHING. */
function writerLink({ rows, frame, first_rows }, number, select) {
	if (number < 0) {
		return number === -1 ? "memory at the start" : "nothing";
	}
	const from = first_rows.findLastIndex((first) => first <= number), step = number - first_rows[from];
	return from === frame ? stepButton(frame, step, rows[step], select) : element("a", { href: `?frame=${from}` }, `frame ${from} step ${step}`);
}

/* The steps of the frame one below the other; an arc leads from each step to one that reads what it wrote. */
function dependencyGraph({ rows, first_rows, frame }, selected, select) {
	const svg = (name, attributes, ...children) => {
		const e = document.createElementNS(SVG, name);
		Object.entries(attributes).forEach(([k, v]) => e.setAttribute(k, v));
		e.append(...children);
		return e;
	};
	const LINE = 20, WIDTH = 340, AXIS = 190, y = (step) => LINE * step + LINE / 2, arcs = [];
	rows.forEach((row, step) => row.reads.forEach(({ from }) => from.map((n) => n - first_rows[frame]).filter((n) => n >= 0).forEach((n) => {
		const isOwn = n === selected || step === selected, bend = Math.min(170, 14 + 9 * Math.sqrt(step - n));
		arcs.push(svg("path", { class: isOwn ? "arc own" : "arc", d: `M${AXIS} ${y(n)}C${AXIS - bend} ${y(n)} ${AXIS - bend} ${y(step)} ${AXIS} ${y(step)}` }));
	})));
	arcs.sort((a, b) => a.classList.length - b.classList.length);
	const labels = rows.map((row, step) => {
		const at = indexOfStep(frame, step), text = svg("text", { x: AXIS + 8, y: y(step) + 4, class: step === selected ? "own" : "" }, stepTitle(row) + (row.is_read ? "" : ", never read"));
		if (at >= 0) {
			text.addEventListener("click", () => select(at));
		}
		return text;
	});
	return svg("svg", { class: "graph", width: WIDTH, height: LINE * rows.length, role: "img", "aria-label": "Which steps of the frame read what others wrote" }, ...arcs, ...labels);
}

function showDepends(answer, index, select) {
	const { rows, frame, first_rows } = answer, { step } = data.steps[index], row = rows[step], number = first_rows[frame] + step;
	const links = (from) => from.flatMap((n, i) => [i ? " " : "", writerLink(answer, n, select)]);
	const readers = rows.flatMap((r, i) => r.reads.filter((read) => read.from.includes(number)).map((read) => [i, read]));
	return [element("h2", {}, `What ${stepTitle(row)} reads`), row.reads.length ? element("table", {}, ...row.reads.map((r) => element("tr", {},
		element("td", {}, r.what, element("br"), element("span", { class: "dim mono" }, `${r.addr}, ${r.size_bytes.toLocaleString("en")} bytes`)),
		element("td", {}, "from ", ...links(r.from))))) : element("p", { class: "dim" }, "Nothing."),
	element("h2", {}, "Who reads what it wrote"), ...(readers.length ? [element("table", {}, ...readers.map(([i, read]) => element("tr", {},
		element("td", {}, stepButton(frame, i, rows[i], select)), element("td", {}, `as ${read.what}`))))] :
		[element("p", {}, row.is_read ? "A screen, or a later frame." : "Nobody: its output is never read.")]),
	element("h2", {}, `Frame ${frame}`), dependencyGraph(answer, step, select)];
}

export function dependsPanel(index, select) {
	const { frame } = data.steps[index];
	if (!data.served) {
		return withoutEngine("Which steps need which", `pica draws --depends --frames ${frame} CAPTURE`);
	}
	return [later(element("div", {}, "…"), workOf(frame), (answer) => showDepends(answer, index, select))];
}
