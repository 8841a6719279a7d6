/* The page: the selection, and the panels that show it. */
import { data, element, findingsOf, frameOf, isVc4, loadData, stepTitle } from "./data.js";
import { touchesOf } from "./pixels.js";
import { modesOf, needsEngine, paint, paintThumb, placeOf, rangeOf, screenOf, viewsAt } from "./view.js";
import { showEdits } from "./edit.js";
import { call, later } from "./engine.js";
import { historyPanel, writerOf } from "./history.js";
import { findingsPanel, pixelPanel, programPanel, showAllRows, statePanel } from "./panels.js";
import { memoryPanel, meshPanel, texturesPanel, tracePanel } from "./resources.js";
import { costsPanel, dependsPanel } from "./work.js";
import { showCompare } from "./compare.js";

const at = (id) => document.getElementById(id);
const PANELS = { pixel: "Pixel", state: "State", program: "Program", textures: "Textures", mesh: "Mesh", memory: "Memory", costs: "Costs", depends: "Dependencies", findings: "Findings" };
const KEYS = [["← → or k j", "step before, step after"], ["Home, End", "first step, last step"], ["v, V", "next picture, the one before"],
	["m", "next way to show it"], ["+ −, 0", "zoom; all of the picture"], ["Shift with arrows", "move the pixel"], ["Enter", "select the step that wrote the pixel last"],
	["1 to 9", "the panels on the right, from left to right"], ["a", "all state, or what was changed or written"], ["?", "these keys"]];

const selected = { step: 0, view: "top", mode: "color", zoom: 0, panel: "pixel", all: false, pick: null, vertex: 0, traced: { of: "vertex", number: 0 }, alpha: false, costs: "",
	memory: { address: undefined, before: false } };
const rows = [];
let picture, painting = 0;

function currentView() {
	const views = viewsAt(selected.step);
	return views.find((v) => v.id === selected.view) || views[0];
}

/* ---- Showing ---- */

/* The page's pixels for one pixel of the picture. selected.zoom 0: the whole picture is visible. */
function zoomNow() {
	const stage = at("stage"), fit = picture ? Math.min(stage.clientWidth / picture.width, stage.clientHeight / picture.height) : 1;
	return selected.zoom || Math.max(0.25, fit < 2 ? Math.floor(4 * fit) / 4 : Math.floor(fit));
}

function showTabs() {
	at("tabs").replaceChildren(...viewsAt(selected.step).map((v) => element("button", { role: "tab", type: "button",
		"aria-selected": String(v.id === currentView().id), onclick: () => set({ view: v.id, pick: null }) }, v.label)));
	document.querySelector("#tabs [aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
	at("panels").replaceChildren(...Object.entries(PANELS).map(([id, label]) => {
		const n = id === "findings" ? findingsOf(data.steps[selected.step] || {}).length : 0;
		return element("button", { role: "tab", type: "button", "aria-selected": String(id === selected.panel), onclick: () => set({ panel: id }) },
			label, n ? element("span", { class: "badge warn" }, String(n)) : "");
	}));
	const modes = modesOf(currentView());
	at("mode").replaceChildren(...Object.entries(modes).map(([id, label]) => element("option", { value: id, selected: id === selected.mode, disabled: needsEngine(id) },
		needsEngine(id) ? `${label}: needs pica inspect` : label)));
	at("mode").value = modes[selected.mode] && !needsEngine(selected.mode) ? selected.mode : "color";
}

function showMark(zoom) {
	at("mark")?.remove();
	if (selected.pick) {
		const mark = element("div", { id: "mark" });
		Object.assign(mark.style, { gridArea: "1/1", position: "relative", pointerEvents: "none", width: `${zoom}px`, height: `${zoom}px`,
			left: `${selected.pick.x * zoom}px`, top: `${selected.pick.y * zoom}px`, outline: "2px solid #f0f", boxShadow: "0 0 0 3px #fff" });
		at("picture").style.gridArea = "1/1";
		at("stage").append(mark);
	}
}

/* Shows the newest requested picture, even if an older one arrives later. */
async function showPicture() {
	const view = currentView(), canvas = at("picture"), number = ++painting, mode = at("mode").value;
	let image = null, range = "";
	try {
		image = view && await paint(view, selected.step, mode);
		range = view && await rangeOf(view, selected.step, mode);
	} catch (error) {
		range = error.message;
	}
	if (number !== painting) {
		return;
	}
	at("range").textContent = range || "";
	picture = image;
	canvas.hidden = !image;
	if (!image) {
		return;
	}
	const zoom = zoomNow();
	canvas.width = picture.width;
	canvas.height = picture.height;
	canvas.style.width = `${picture.width * zoom}px`;
	canvas.style.height = `${picture.height * zoom}px`;
	canvas.getContext("2d").putImageData(picture, 0, 0);
	canvas.dataset.shows = `${selected.step} ${view.id} ${mode}`;
	at("zoom").textContent = `${zoom}x`;
	showMark(zoom);
}

function traceVertex(vertex) {
	set({ vertex, traced: { of: "vertex", number: vertex }, panel: "program" });
}

/* The row of a register in the state of a draw. */
function showRegister(index, name) {
	showAllRows();
	set({ step: index, panel: "state", all: true });
	const row = document.querySelector(`#panel tr[data-register="${name}"]`);
	row?.classList.add("found");
	row?.scrollIntoView({ block: "center" });
}

/* Of a geometry program. */
function tracePrimitive(index, number) {
	set({ step: index, traced: { of: "primitive", number }, panel: "program" });
}

/* Traces a vertex by its number in the arrays, which the draw may use at any position. */
async function traceNumber(index, number) {
	const step = data.steps[index], mesh = step && await call("mesh", { frame: step.frame, draw: step.draw }, { slot: "mesh" }).catch(() => null);
	const column = mesh ? mesh.vertices.columns.indexOf("number") : -1, at = mesh ? mesh.vertices.rows.findIndex((row) => row[column] === number) : -1;
	if (at >= 0) {
		selectStep(index);
		traceVertex(at);
	}
}

function pixelContent() {
	const pick = selected.pick;
	if (!pick || !pick.answer) {
		return pixelPanel(pick, selectStep);
	}
	return [later(element("div", {}, "…"), pick.answer, (answer) => historyPanel(pick, answer, { select: selectStep, trace: traceNumber, tracePrimitive, register: showRegister }))];
}

function showPanel() {
	const all = (value) => set({ all: value }), vertex = (value) => set({ vertex: value });
	const content = { pixel: pixelContent, state: () => statePanel(selected.step, selected.all, all, selectStep),
		program: () => [...tracePanel(selected.step, selected.traced, (traced) => set({ traced })), ...programPanel(selected.step)],
		textures: () => texturesPanel(selected.step, selected.alpha, (alpha) => set({ alpha })),
		mesh: () => meshPanel(selected.step, selected.vertex, vertex, traceVertex),
		memory: () => memoryPanel(selected.step, selected.memory, (memory) => set({ memory })),
		costs: () => costsPanel(selected.step, selected.costs, (key) => set({ costs: key }), selectStep),
		depends: () => dependsPanel(selected.step, selectStep),
		findings: () => findingsPanel(selected.step, selectStep) };
	at("panel").replaceChildren(...content[selected.panel]());
}

function showRow() {
	const old = document.querySelector(".row[aria-selected=true]"), row = rows[selected.step];
	old?.setAttribute("aria-selected", "false");
	row.setAttribute("aria-selected", "true");
	row.scrollIntoView({ block: "nearest" });
	at("slider").value = selected.step;
	at("step").textContent = `step ${selected.step} of 0 to ${data.steps.length - 1}`;
}

function show() {
	showRow();
	showTabs();
	showPicture();
	showPanel();
	const parts = [`step=${selected.step}`, `view=${currentView()?.id}`, `panel=${selected.panel}`];
	if (selected.pick) {
		parts.push(`x=${selected.pick.x}`, `y=${selected.pick.y}`);
	}
	if (selected.mode !== "color") {
		parts.push(`mode=${selected.mode}`);
	}
	history.replaceState(null, "", `#${parts.join("&")}`);
}

function set(changes) {
	Object.assign(selected, changes);
	show();
}

/* ---- Selecting ---- */

/* Whether two steps show the pixel in the same place: a screen belongs to its frame. */
function keepsPick(index) {
	const view = currentView();
	return view.surface !== undefined || frameOf(index) === frameOf(selected.step);
}

function selectStep(index) {
	if (index >= 0 && index < data.steps.length) {
		set({ step: index, pick: keepsPick(index) ? selected.pick : null });
	}
}

/* Whether a view shows the picture of the frame, whose pixels have a history: of a VideoCore IV. */
function isPicture(view) {
	const row = frameOf(selected.step).screens[0];
	return view.surface === undefined || (row !== undefined && screenOf(row).surfaceOf(0) === view.surface);
}

/* pick.source names the pixel of a surface, and the step before which it counts; with an engine,
 * pick.answer becomes its history. */
function pickPixel(x, y) {
	const view = currentView(), frame = data.steps[selected.step].frame, pick = { x, y, view: view.id, frame };
	if (data.served && isVc4() && isPicture(view)) {
		pick.answer = call("pixel", { frame, x, y, steps: true }, { slot: "pixel" });
	} else if (data.served && !isVc4()) {
		const place = view.surface !== undefined ? placeOf(view.surface, x, y) : { screen: view.id, x, y };
		pick.answer = call("pixel", { frame, ...place, steps: true }, { slot: "pixel" });
	}
	if (pick.answer) {
		pick.answer.catch(() => {}); /* the panel says it */
		return pick;
	}
	pick.source = view.surface !== undefined ? { surface: view.surface, x, y, end: selected.step + 1 } : screenOf(view.row).source(x, y);
	return pick;
}

/* The step that wrote a pixel last; of a surface, up to the selected one. */
async function lastWriter(pick) {
	if (pick && pick.answer) {
		return writerOf(await pick.answer, pick.view.startsWith("s") ? selected.step + 1 : Infinity);
	}
	if (!pick || !pick.source) {
		return -1;
	}
	const { touches, last } = touchesOf(pick.source.surface, pick.source.x, pick.source.y, pick.source.end);
	return last < 0 ? -1 : touches[last].index;
}

async function choosePixel(x, y) {
	if (!picture || x < 0 || y < 0 || x >= picture.width || y >= picture.height) {
		return;
	}
	const pick = pickPixel(x, y);
	set({ pick, panel: "pixel" });
	const writer = await lastWriter(pick).catch(() => -1);
	if (selected.pick === pick && writer >= 0 && writer !== selected.step && frameOf(writer) === frameOf(selected.step)) {
		set({ step: writer });
	}
}

function eventPixel(e) {
	const box = at("picture").getBoundingClientRect(), zoom = zoomNow();
	return [Math.floor((e.clientX - box.left) / zoom), Math.floor((e.clientY - box.top) / zoom)];
}

/* ---- The tree ---- */

function markFindings(row, index) {
	const findings = findingsOf(data.steps[index]);
	if (findings.length) {
		row.querySelector("small").before(element("span", { class: `badge ${findings[0].severity}` }, "lint"));
	}
}

function makeRow(step, index, observer) {
	const canvas = element("canvas", { width: 1, height: 1 });
	canvas.dataset.step = index;
	const row = element("div", { class: "row", role: "option", "aria-selected": "false", onclick: () => selectStep(index) }, canvas,
		element("div", {}, stepTitle(step),
			element("small", {}, step.kind !== "draw" ? step.text : isVc4() ? `${step.entered} fragments` : `${step.passed} of ${step.entered} fragments`)));
	observer.observe(canvas);
	markFindings(row, index);
	rows[index] = row;
	return row;
}

function makeTree() {
	const observer = new IntersectionObserver((entries) => {
		for (const entry of entries.filter((e) => e.isIntersecting).sort((a, b) => a.target.dataset.step - b.target.dataset.step)) {
			observer.unobserve(entry.target);
			paintThumb(entry.target, +entry.target.dataset.step);
		}
	}, { root: at("tree"), rootMargin: "200px" });
	for (const frame of data.frames) {
		at("tree").append(element("div", { class: "frame" }, `frame ${frame.frame}`));
		let offset = -1;
		for (let i = frame.first; i < frame.end; i++) {
			const step = data.steps[i];
			if ((step.kind === "draw" || step.kind === "job") && step.offset !== offset) {
				offset = step.offset;
				at("tree").append(element("div", { class: "list" }, `list at byte 0x${offset.toString(16).toUpperCase()}`));
			}
			at("tree").append(makeRow(step, i, observer));
		}
	}
}

/* ---- Keys ---- */

function cycle(list, now, by) {
	return list[(list.indexOf(now) + by + list.length) % list.length];
}

function changeZoom(by) {
	const zoom = zoomNow();
	set({ zoom: by > 0 ? Math.min(16, Math.floor(zoom) + 1) : Math.max(1, Math.ceil(zoom) - 1) });
}

function showHelp() {
	at("help").replaceChildren(element("h2", {}, "Keys"), element("table", {}, ...KEYS.map(([key, text]) =>
		element("tr", {}, element("td", {}, element("kbd", {}, key)), element("td", {}, text)))),
	element("form", { method: "dialog" }, element("button", {}, "Close")));
	at("help").showModal();
}

function movePick(dx, dy) {
	const pick = selected.pick || { x: 0, y: 0 };
	choosePixel(pick.x + dx, pick.y + dy);
}

const actions = {
	ArrowLeft: () => selectStep(selected.step - 1), ArrowRight: () => selectStep(selected.step + 1),
	k: () => selectStep(selected.step - 1), j: () => selectStep(selected.step + 1),
	Home: () => selectStep(0), End: () => selectStep(data.steps.length - 1),
	v: () => set({ view: cycle(viewsAt(selected.step).map((v) => v.id), currentView().id, 1), pick: null }),
	V: () => set({ view: cycle(viewsAt(selected.step).map((v) => v.id), currentView().id, -1), pick: null }),
	m: () => set({ mode: cycle(Object.keys(modesOf(currentView())), at("mode").value, 1) }),
	"+": () => changeZoom(1), "=": () => changeZoom(1), "-": () => changeZoom(-1), 0: () => set({ zoom: 0 }),
	Enter: async () => selectStep(await lastWriter(selected.pick)),
	...Object.fromEntries(Object.keys(PANELS).map((_, i) => [i + 1, () => set({ panel: Object.keys(PANELS)[i] || selected.panel })])),
	a: () => set({ all: !selected.all }), "?": showHelp,
};
const shifted = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function onKey(e) {
	if (e.target.matches("textarea, input:not([type=range], [type=checkbox])")) {
		return;
	}
	const inControl = e.target.matches("input, select, button, summary"), control = inControl && ["Enter", "ArrowLeft", "ArrowRight", "Home", "End"].includes(e.key);
	if (at("help").open || e.ctrlKey || e.altKey || e.metaKey || (control && !e.shiftKey)) {
		return;
	}
	if (e.shiftKey && shifted[e.key]) {
		movePick(...shifted[e.key]);
	} else if (actions[e.key] && e.target.tagName !== "SELECT") {
		actions[e.key]();
	} else {
		return;
	}
	e.preventDefault();
}

/* ---- Start ---- */

/* "#step=3&view=top&x=10&y=20&panel=state", or draw=3 for its step and buffer: numbers beyond what is there are left out. */
function readFragment() {
	const from = new URLSearchParams(location.hash.slice(1)), number = (key) => /^\d{1,9}$/.test(from.get(key) || "") ? +from.get(key) : -1;
	const draw = data.steps.findIndex((s) => s.draw === number("draw")), step = draw < 0 ? number("step") : draw, x = number("x"), y = number("y");
	selected.step = step >= 0 && step < data.steps.length ? step : data.steps.length - 1;
	selected.view = from.get("view") || (draw >= 0 && data.steps[draw].changes.length ? `s${data.steps[draw].changes[0].surface}` : selected.view);
	selected.panel = Object.hasOwn(PANELS, from.get("panel") || "") ? from.get("panel") : "pixel";
	selected.mode = from.get("mode") || "color";
	const view = currentView(), size = view && (view.row || data.surfaces[view.surface]);
	selected.pick = view && x >= 0 && y >= 0 && x < size.width && y < size.height ? pickPixel(x, y) : null;
}

function listen() {
	at("slider").max = data.steps.length - 1;
	at("slider").addEventListener("input", (e) => selectStep(+e.target.value));
	at("previous").addEventListener("click", () => selectStep(selected.step - 1));
	at("next").addEventListener("click", () => selectStep(selected.step + 1));
	at("zoom-in").addEventListener("click", () => changeZoom(1));
	at("zoom-out").addEventListener("click", () => changeZoom(-1));
	at("mode").addEventListener("change", (e) => set({ mode: e.target.value }));
	at("help-button").addEventListener("click", showHelp);
	at("picture").addEventListener("click", (e) => choosePixel(...eventPixel(e)));
	at("picture").addEventListener("mousemove", (e) => {
		at("where").textContent = `${eventPixel(e).join(", ")}`;
	});
	document.addEventListener("keydown", onKey);
	addEventListener("resize", showPicture);
	addEventListener("hashchange", () => {
		readFragment();
		show();
	});
}

/* For a served page: follows the shown frame, and lint's findings, which may take long. */
function listenServed() {
	const input = element("input", { type: "number", min: 0, max: data.capture_frames - 1, value: data.frames[0].frame, "aria-label": "Frame",
		onchange: (e) => { location.href = `?frame=${Math.min(Math.max(0, Math.floor(+e.target.value || 0)), data.capture_frames - 1)}`; } });
	at("about").prepend(element("label", {}, "frame ", input), ` of ${data.capture_frames} (from 0); `);
	showEdits(at("edits")).catch(() => {});
	call("lint", {}, { isLater: true }).then(({ findings }) => {
		data.findings = findings;
		document.querySelectorAll(".row").forEach(markFindings);
		showTabs();
		if (selected.panel === "findings") {
			showPanel();
		}
	}, () => {});
}

async function start() {
	await loadData();
	if (data.names) {
		at("title").textContent = data.names.join(" and ");
		document.title = `${data.names.join(" and ")}: pica inspect`;
		await showCompare();
		return;
	}
	if (isVc4()) {
		["textures", "mesh", "depends"].forEach((panel) => delete PANELS[panel]);
	}
	document.title = `${data.name}: pica inspect`;
	at("title").textContent = data.name;
	at("about").textContent = (data.served ? "" : `frame ${data.frames.map((f) => f.frame).join(", ")}; ${data.capture_frames} frame${data.capture_frames === 1 ? "" : "s"} in the capture; `) + `libpica ${data.version}` +
		(data.left_out ? `; ${data.left_out} draws to buffers that cannot be shown` : "");
	if (!data.steps.length) {
		at("panel").replaceChildren(element("p", {}, "Nothing was drawn, filled, transferred or copied in these frames."));
		return;
	}
	makeTree();
	listen();
	if (data.served) {
		listenServed();
	}
	readFragment();
	show();
}

start().catch((error) => (at("panel") || document.querySelector("main")).replaceChildren(element("p", { class: "bad" }, `This page cannot be shown: ${error.message}`)));
