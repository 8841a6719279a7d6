/* The picture in the middle: a screen of a frame, or a surface after a step. */
import { data, frameOf, isVc4 } from "./data.js";
import { askPicture, askSurface, call, decodePicture } from "./engine.js";
import { pointsOf, triangles } from "./resources.js";
import { changesOf, Cursor, planesOf, Screen } from "./pixels.js";

/* Modes of a page in a file, and those that need the engine. */
const MODES = {
	color: "colour", alpha: "alpha", step: "pixels of this step", overdraw: "overdraw of the frame", rejected: "rejected in the frame",
};
const ENGINE_MODES = { before: "before this step", difference: "what this step changed", depth: "depth", stencil: "stencil",
	wireframe: "wireframe of this draw", cost: "cost in the frame" };
/* A tile's fragments are not counted by pixel: changes are. */
const VC4_MODES = { color: "colour", alpha: "alpha", step: "changed by this step", overdraw: "number of changes in the frame" };

const cursors = new Map(), screens = new Map();

export function viewsAt(index) {
	const frame = frameOf(index);
	const of = (frame ? frame.screens : []).map((row) => ({ id: row.screen, label: isVc4() ? row.screen : `${row.screen} screen`, row }));
	return of.concat(data.surfaces.map((s, i) =>
		({ id: `s${i}`, label: `${s.addr.slice(2)} ${s.format} ${s.width}x${s.height}`, surface: i })));
}

export function screenOf(row) {
	if (!screens.has(row)) {
		screens.clear();
		screens.set(row, new Screen(row));
	}
	return screens.get(row);
}

function cursorOf(surface) {
	if (!cursors.has(surface)) {
		cursors.set(surface, new Cursor(surface));
	}
	return cursors.get(surface);
}

export function modesOf(view) {
	return view.surface === undefined ? { color: MODES.color } : isVc4() ? VC4_MODES : { ...MODES, ...ENGINE_MODES };
}

export function needsEngine(mode) {
	return !data.served && mode in ENGINE_MODES;
}

/* Dark grey, for what is painted upon it. */
function paintGrey(rgba) {
	for (let i = 0; i < rgba.length; i += 4) {
		const grey = (rgba[i] * 3 + rgba[i + 1] * 6 + rgba[i + 2]) / 30;
		rgba.set([grey, grey, grey, 255], i);
	}
}

/* Grey, with the step's fragments in colour: green kept, red dropped. forEach calls see(pixel, entered, passed). */
function paintStep(rgba, forEach) {
	paintGrey(rgba);
	forEach((i, entered, passed) => {
		if (entered) {
			rgba.set(passed ? [40, 220, 120, 255] : [240, 60, 70, 255], 4 * i);
		}
	});
}

/* Numbers of the draws of the frame up to the step: black 0, blue 1, green, yellow, red 8 and more. */
function paintNumbers(rgba, count) {
	const ramp = [[0, 0, 0], [20, 40, 140], [20, 110, 190], [20, 170, 150], [60, 190, 60], [190, 200, 40],
		[240, 170, 30], [240, 110, 30], [235, 50, 40]];
	for (let i = 0; i < rgba.length / 4; i++) {
		rgba.set([...ramp[Math.min(Math.ceil(count(i)), 8)], 255], 4 * i);
	}
}

function paintOpaque(rgba, mode) {
	for (let i = 0; i < rgba.length; i += 4) {
		if (mode === "alpha") {
			rgba[i] = rgba[i + 1] = rgba[i + 2] = rgba[i + 3];
		}
		rgba[i + 3] = 255;
	}
}

/* ---- From the planes of the page ---- */

function forEachOfStep(surface, index) {
	return (see) => changesOf(data.steps[index], surface).forEach((change) => planesOf(change, see));
}

/* Of each pixel: its fragments, or those that were rejected. */
function numbersOf(surface, index, mode) {
	const s = data.surfaces[surface], count = new Uint32Array(s.width * s.height);
	for (let i = frameOf(index).first; i <= index; i++) {
		if (data.steps[i].kind === "draw") {
			forEachOfStep(surface, i)((at, entered, passed) => {
				count[at] += mode === "rejected" ? entered - passed : entered;
			});
		}
	}
	return count;
}

function paintFromPlanes(view, index, mode) {
	if (view.surface === undefined) {
		const screen = screenOf(view.row);
		return new ImageData(screen.rgba.slice(), view.row.width, view.row.height);
	}
	const s = data.surfaces[view.surface];
	const rgba = cursorOf(view.surface).move(index + 1).slice();
	if (mode === "step") {
		paintStep(rgba, forEachOfStep(view.surface, index));
	} else if (mode === "overdraw" || mode === "rejected") {
		const count = numbersOf(view.surface, index, mode);
		paintNumbers(rgba, (i) => count[i]);
	} else {
		paintOpaque(rgba, mode);
	}
	return new ImageData(rgba, s.width, s.height);
}

/* ---- From the engine ---- */

/* The draw's triangles, before clipping and culling, over the surface. */
async function paintWireframe(surface, index) {
	const { image } = await askSurface(surface, index, "color"), step = data.steps[index], s = data.surfaces[surface];
	const canvas = new OffscreenCanvas(image.width, image.height), c = canvas.getContext("2d");
	const gray = new ImageData(image.data.slice(), image.width, image.height);
	paintGrey(gray.data);
	c.putImageData(gray, 0, 0);
	if (step.kind === "draw" && step.changes.some((change) => change.surface === surface)) {
		const { vertices, geometry, primitive } = await call("mesh", { frame: step.frame, draw: step.draw }, { slot: "wireframe" });
		const table = geometry || vertices, points = pointsOf(table, "window.x", "window.row");
		const at = ([x, row]) => s.turned ? [row, s.height - x] : [x, row];
		c.strokeStyle = "#40dcff";
		c.lineWidth = 0.7;
		for (const face of triangles(geometry ? "list" : primitive, table.rows.length)) {
			const corners = face.map((i) => points[i]);
			if (corners.every(Boolean)) {
				c.beginPath();
				corners.map(at).forEach(([x, y], i) => i ? c.lineTo(x, y) : c.moveTo(x, y));
				c.closePath();
				c.stroke();
			}
		}
	}
	return c.getImageData(0, 0, image.width, image.height);
}

const KINDS = { step: "fragments", overdraw: "overdraw", rejected: "overdraw", cost: "cost" };

/* A pixel as a number of 24 bits; the largest one of a picture. */
function numberAt(rgba, i) {
	return rgba[4 * i] | rgba[4 * i + 1] << 8 | rgba[4 * i + 2] << 16;
}

function mostOf(rgba) {
	let most = 1;
	for (let i = 0; i < rgba.length / 4; i++) {
		most = Math.max(most, numberAt(rgba, i));
	}
	return most;
}

async function paintFromEngine(view, index, mode) {
	if (view.surface === undefined) {
		return (await askPicture("screen", { frame: data.steps[index].frame, screen: view.id }, { slot: "picture" })).image;
	}
	if (mode === "wireframe") {
		return paintWireframe(view.surface, index);
	}
	if (!["step", "overdraw", "rejected", "cost"].includes(mode)) {
		return (await askSurface(view.surface, index, mode)).image;
	}
	if (mode === "step" && data.steps[index].kind !== "draw") {
		return (await askSurface(view.surface, index, "difference")).image;
	}
	const color = (await askSurface(view.surface, index, "color")).image, rgba = color.data.slice();
	const counts = (await askSurface(view.surface, index, KINDS[mode])).image.data;
	if (mode === "step") {
		paintStep(rgba, (see) => {
			for (let i = 0; i < rgba.length / 4; i++) {
				see(i, counts[4 * i], counts[4 * i + 1]);
			}
		});
	} else if (mode === "cost") {
		const most = mostOf(counts);
		paintNumbers(rgba, (i) => 8 * numberAt(counts, i) / most);
	} else {
		paintNumbers(rgba, (i) => counts[4 * i] - (mode === "rejected" ? counts[4 * i + 1] : 0));
	}
	return new ImageData(rgba, color.width, color.height);
}

/* The pixels of a view: an ImageData. */
export async function paint(view, index, mode) {
	return !data.has_planes ? paintFromEngine(view, index, mode) : paintFromPlanes(view, index, mode);
}

/* The values at the ends of the scale of a depth view or a cost view; "" for other views. */
export async function rangeOf(view, index, mode) {
	if (!data.served || view.surface === undefined || !["depth", "stencil", "cost"].includes(mode)) {
		return "";
	}
	if (mode === "cost") {
		return `black 0, red ${mostOf((await askSurface(view.surface, index, mode)).image.data)} steps`;
	}
	const { answer } = await askSurface(view.surface, index, mode);
	return `black ${answer.min}, white ${answer.max}`;
}

/* ---- Thumbnails ---- */

const thumbCursors = new Map(), scratch = document.createElement("canvas"), BLOCK = 32, blocks = new Map();

function thumbFromPlanes(index) {
	const change = data.steps[index].changes[0];
	if (!change) {
		return null;
	}
	if (!thumbCursors.has(change.surface)) {
		thumbCursors.set(change.surface, new Cursor(change.surface));
	}
	const s = data.surfaces[change.surface], rgba = thumbCursors.get(change.surface).move(index + 1).slice();
	paintOpaque(rgba, "color");
	return new ImageData(rgba, s.width, s.height);
}

async function thumbFromEngine(index) {
	const block = Math.floor(index / BLOCK), frame = frameOf(index), first = block * BLOCK;
	if (!blocks.has(block)) {
		blocks.set(block, call("thumbnails", { frame: frame.frame, first, count: BLOCK }, { isLater: true }));
	}
	const answer = (await blocks.get(block)).thumbnails[index - first];
	return answer && decodePicture(answer);
}

/* Paints the surface that a step changed, after it; nothing if it changed none. */
export async function paintThumb(canvas, index) {
	const image = !data.has_planes ? await thumbFromEngine(index) : thumbFromPlanes(index), change = data.steps[index].changes[0];
	if (!image) {
		return;
	}
	scratch.width = image.width;
	scratch.height = image.height;
	scratch.getContext("2d").putImageData(image, 0, 0);
	canvas.width = 120;
	canvas.height = Math.max(1, Math.round(120 * image.height / image.width));
	const context = canvas.getContext("2d");
	context.drawImage(scratch, 0, 0, canvas.width, canvas.height);
	if (change.rect) {
		const scale = canvas.width / image.width;
		context.strokeStyle = "#ff00ff";
		context.strokeRect(...change.rect.map((v) => v * scale));
	}
}

/* ---- Words ---- */

/* The parameters by which calls, and `pica pixel`, name a pixel of a surface: as it lies in memory. */
export function placeOf(surface, x, y) {
	const s = data.surfaces[surface];
	return { surface: `${s.addr},${s.format},${s.memory_width}x${s.memory_height}`, ...(s.turned ? { x: s.height - 1 - y, y: x } : { x, y }) };
}

/* Where a pixel of a surface lies: its row and column in memory, by which other tools name it. */
export function memoryText(surface, x, y) {
	const s = data.surfaces[surface];
	const place = placeOf(surface, x, y);
	return `${s.addr} ${s.format} ${s.memory_width}x${s.memory_height}, column ${place.x} row ${place.y} of memory`;
}
