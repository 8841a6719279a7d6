/* Pictures of surfaces after each step, and who wrote a pixel. */
import { data, planes } from "./data.js";

/* A surface's picture at a step that can move in both directions: a change is the exclusive or of two pictures. */
export class Cursor {
	constructor(surface) {
		this.surface = surface;
		this.at = 0; /* steps before this one are in the picture */
		const s = data.surfaces[surface], n = s.width * s.height;
		this.rgba = new Uint8ClampedArray(4 * n);
		for (let c = 0; c < 4; c++) {
			for (let i = 0; i < n; i++) {
				this.rgba[4 * i + c] = planes[s.at + c * n + i];
			}
		}
	}

	/* As it is before step `to`. */
	move(to) {
		for (; this.at < to; this.at++) {
			this.flip(data.steps[this.at]);
		}
		for (; this.at > to; this.at--) {
			this.flip(data.steps[this.at - 1]);
		}
		return this.rgba;
	}

	flip(step) {
		for (const change of changesOf(step, this.surface)) {
			const width = data.surfaces[this.surface].width, [x, y, w, h] = change.rect;
			for (let k = 0; k < w * h; k++) {
				const to = 4 * ((y + Math.floor(k / w)) * width + x + k % w);
				for (let c = 0; c < 4; c++) {
					this.rgba[to + c] ^= differenceOf(change, k, to / 4, c);
				}
			}
		}
	}
}

/* The difference of pixel k of a change, pixel i of the surface. A surface's first change may leave a single colour. */
function differenceOf(change, k, i, c) {
	const s = data.surfaces[change.surface], n = change.rect[2] * change.rect[3];
	return change.color ? change.color[c] ^ planes[s.at + c * s.width * s.height + i] : planes[change.at + (2 + c) * n + k];
}

export function changesOf(step, surface) {
	return step.changes.filter((c) => c.surface === surface);
}

/* Calls see(pixel of the surface, fragments, those kept) for each pixel of a change's rectangle. */
export function planesOf(change, see) {
	const width = data.surfaces[change.surface].width, [x, y, w, h] = change.rect, n = w * h;
	for (let k = 0; k < n; k++) {
		see((y + Math.floor(k / w)) * width + x + k % w, planes[change.at + k], planes[change.at + n + k]);
	}
}

/* The effect of a change on pixel (x, y): fragments and the exclusive or of its colours; or null. */
function touchOf(change, x, y) {
	const [left, top, w, h] = change.rect, k = (y - top) * w + x - left, n = w * h;
	if (x < left || y < top || x >= left + w || y >= top + h) {
		return null;
	}
	const entered = planes[change.at + k], passed = planes[change.at + n + k];
	const i = y * data.surfaces[change.surface].width + x, difference = [0, 1, 2, 3].map((c) => differenceOf(change, k, i, c));
	return entered || difference.some((d) => d) ? { entered, passed, difference } : null;
}

/* Whether a step that touched a pixel wrote its colour. */
export function writes(touch) {
	return touch.passed > 0 && data.steps[touch.index].writes_color !== false;
}

/* All steps before `end` that touched a pixel, in order, with its colours before and after. */
export function touchesOf(surface, x, y, end) {
	const s = data.surfaces[surface], n = s.width * s.height, out = [];
	let color = [0, 1, 2, 3].map((c) => planes[s.at + c * n + y * s.width + x]);
	for (let index = 0; index < end; index++) {
		for (const change of changesOf(data.steps[index], surface)) {
			const touch = touchOf(change, x, y);
			if (touch) {
				const after = color.map((v, c) => v ^ touch.difference[c]);
				out.push({ index, ...touch, before: color, after });
				color = after;
			}
		}
	}
	return { color, touches: out, last: out.findLastIndex((t) => writes(t)) };
}

/* The planes of a frame's screen: its picture, and for each pixel surface, place and step. */
export class Screen {
	constructor(row) {
		const n = row.width * row.height;
		this.row = row;
		this.rgba = new Uint8ClampedArray(4 * n);
		this.place = new Uint32Array(n);
		const end = data.frames.find((f) => f.screens.includes(row)).end, pictures = data.surfaces.map((s, i) => new Cursor(i).move(end));
		let last = 0;
		for (let i = 0; i < n; i++) {
			const picture = pictures[this.surfaceOf(i)];
			if (picture) {
				last = last + this.word(8, i) >>> 0;
				this.place[i] = last;
			}
			for (let c = 0; c < 3; c++) {
				this.rgba[4 * i + c] = planes[row.at + c * n + i] ^ (picture ? picture[4 * last + c] : 0);
			}
			this.rgba[4 * i + 3] = 255;
		}
	}

	word(plane, i) {
		const n = this.row.width * this.row.height;
		let v = 0;
		for (let k = 3; k >= 0; k--) {
			v = v * 256 + planes[this.row.at + (plane + k) * n + i];
		}
		return v;
	}

	surfaceOf(i) {
		return planes[this.row.at + 3 * this.row.width * this.row.height + i] - 1;
	}

	/* {surface, x, y, end}: the pixel that this one shows, as it was before step `end`; or null. */
	source(x, y) {
		const i = y * this.row.width + x, surface = this.surfaceOf(i);
		if (surface < 0) {
			return null;
		}
		const width = data.surfaces[surface].width;
		return { surface, x: this.place[i] % width, y: Math.floor(this.place[i] / width), end: this.word(4, i) };
	}
}
