/* The picture in the middle: a screen of a frame, or a surface after a step. */
import { data, element, frameOf, hex, planes } from "./data.js";
import { changesOf, Cursor, Screen } from "./pixels.js";

const MODES = {
	color: "colour", alpha: "alpha", step: "pixels of this step", overdraw: "overdraw of the frame",
};

const cursors = new Map(), screens = new Map();

export function viewsAt(index) {
	const frame = frameOf(index);
	const of = (frame ? frame.screens : []).map((row) => ({ id: row.screen, label: `${row.screen} screen`, row }));
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
	return view.surface === undefined ? { color: MODES.color } : MODES;
}

/* Grey, with colours where the step's fragments are: green kept, red dropped. */
function paintStep(rgba, surface, index) {
	for (let i = 0; i < rgba.length; i += 4) {
		const grey = (rgba[i] * 3 + rgba[i + 1] * 6 + rgba[i + 2]) / 30;
		rgba.set([grey, grey, grey, 255], i);
	}
	for (const change of changesOf(data.steps[index], surface)) {
		const width = data.surfaces[surface].width, [x, y, w, h] = change.rect, n = w * h;
		for (let k = 0; k < n; k++) {
			if (planes[change.at + k]) {
				rgba.set(planes[change.at + n + k] ? [40, 220, 120, 255] : [240, 60, 70, 255],
					4 * ((y + Math.floor(k / w)) * width + x + k % w));
			}
		}
	}
}

/* Fragments of draws of the frame up to the step: black 0, blue 1, green, yellow, red 8 and more. */
function paintOverdraw(rgba, surface, index) {
	const count = new Uint32Array(rgba.length / 4), width = data.surfaces[surface].width;
	for (let i = frameOf(index).first; i <= index; i++) {
		for (const change of data.steps[i].kind === "draw" ? changesOf(data.steps[i], surface) : []) {
			const [x, y, w, h] = change.rect;
			for (let k = 0; k < w * h; k++) {
				count[(y + Math.floor(k / w)) * width + x + k % w] += planes[change.at + k];
			}
		}
	}
	const ramp = [[0, 0, 0], [20, 40, 140], [20, 110, 190], [20, 170, 150], [60, 190, 60], [190, 200, 40],
		[240, 170, 30], [240, 110, 30], [235, 50, 40]];
	count.forEach((n, i) => rgba.set([...ramp[Math.min(n, 8)], 255], 4 * i));
}

/* The pixels of a view; size in its row. */
export function paint(view, index, mode) {
	if (view.surface === undefined) {
		const screen = screenOf(view.row);
		return new ImageData(screen.rgba.slice(), view.row.width, view.row.height);
	}
	const s = data.surfaces[view.surface];
	const rgba = cursorOf(view.surface).move(index + 1).slice();
	if (mode === "step") {
		paintStep(rgba, view.surface, index);
	} else if (mode === "overdraw") {
		paintOverdraw(rgba, view.surface, index);
	} else {
		for (let i = 0; i < rgba.length; i += 4) {
			if (mode === "alpha") {
				rgba[i] = rgba[i + 1] = rgba[i + 2] = rgba[i + 3];
			}
			rgba[i + 3] = 255;
		}
	}
	return new ImageData(rgba, s.width, s.height);
}

/* ---- Thumbnails ---- */

const thumbCursors = new Map(), scratch = document.createElement("canvas");

/* Paints the surface that a step changed, after it; nothing if it changed none. */
export function paintThumb(canvas, index) {
	const change = data.steps[index].changes[0];
	if (!change) {
		return;
	}
	if (!thumbCursors.has(change.surface)) {
		thumbCursors.set(change.surface, new Cursor(change.surface));
	}
	const s = data.surfaces[change.surface], rgba = thumbCursors.get(change.surface).move(index + 1).slice();
	for (let i = 3; i < rgba.length; i += 4) {
		rgba[i] = 255;
	}
	scratch.width = s.width;
	scratch.height = s.height;
	scratch.getContext("2d").putImageData(new ImageData(rgba, s.width, s.height), 0, 0);
	canvas.width = 120;
	canvas.height = Math.max(1, Math.round(120 * s.height / s.width));
	const context = canvas.getContext("2d");
	context.drawImage(scratch, 0, 0, canvas.width, canvas.height);
	const scale = canvas.width / s.width;
	context.strokeStyle = "#ff00ff";
	context.strokeRect(...change.rect.map((v) => v * scale));
}

/* ---- Words ---- */

/* Where a pixel of a surface lies: its row and column in memory, by which other tools name it. */
export function memoryText(surface, x, y) {
	const s = data.surfaces[surface];
	const [column, row] = s.turned ? [s.height - 1 - y, x] : [x, y];
	return `${s.addr} ${s.format} ${s.memory_width}x${s.memory_height}, column ${column} row ${row} of memory`;
}
