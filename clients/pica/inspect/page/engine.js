/* Questions to the engine of `pica inspect`. A page in a file has no engine. */
import { data } from "./data.js";

const queue = [];
let isBusy = false, lastId = 0;

export class NeedsEngine extends Error {}

async function askEngine(method, params) {
	const response = await fetch("rpc", { method: "POST", headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params }) });
	if (!response.ok) {
		throw new Error(`${method}: ${response.status} ${await response.text()}`);
	}
	const { result, error } = await response.json();
	if (error) {
		throw new Error(error.message);
	}
	return result;
}

async function workOff() {
	if (isBusy) {
		return;
	}
	isBusy = true;
	while (queue.length) {
		const next = queue.findIndex((job) => !job.isLater), [job] = queue.splice(Math.max(next, 0), 1);
		try {
			job.resolve(await askEngine(job.method, job.params));
		} catch (error) {
			job.reject(new Error(error instanceof TypeError ? "pica inspect does not answer: has it ended?" : error.message));
		}
	}
	isBusy = false;
}

/* One call at a time. slot: a newer call replaces a waiting one, which then never resolves. isLater: after all others. */
export function call(method, params, { slot, isLater } = {}) {
	if (!data.served) {
		return Promise.reject(new NeedsEngine("needs pica inspect"));
	}
	return new Promise((resolve, reject) => {
		const old = slot ? queue.findIndex((job) => job.slot === slot) : -1;
		if (old >= 0) {
			queue.splice(old, 1);
		}
		queue.push({ method, params, slot, isLater, resolve, reject });
		workOff();
	});
}

/* ---- Pictures ---- */

export async function decodePicture(answer) {
	const bytes = Uint8Array.from(atob(answer.png), (c) => c.charCodeAt(0));
	const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }), { colorSpaceConversion: "none", premultiplyAlpha: "none" });
	const canvas = new OffscreenCanvas(answer.width, answer.height), context = canvas.getContext("2d", { willReadFrequently: true });
	context.drawImage(bitmap, 0, 0);
	return context.getImageData(0, 0, answer.width, answer.height);
}

const kept = new Map();

/* {image, answer} of a call that answers with a picture; the last few are kept. */
export async function askPicture(method, params, options) {
	const key = JSON.stringify([method, params]);
	if (!kept.has(key)) {
		const answer = await call(method, params, options);
		kept.set(key, { image: await decodePicture(answer), answer });
		if (kept.size > 40) {
			kept.delete(kept.keys().next().value);
		}
	}
	return kept.get(key);
}

/* A surface of the page at a step, as `kind` shows it. */
export function askSurface(surface, index, kind) {
	const s = data.surfaces[surface], step = data.steps[index], isDepth = kind === "depth" || kind === "stencil";
	return askPicture("surface", { frame: step.frame, step: step.step, address: isDepth ? s.depth_addr : s.addr,
		format: isDepth ? s.depth_format : s.format, width: s.memory_width, height: s.memory_height, block32: s.block32, kind }, { slot: `picture ${kind}` });
}

/* A placeholder of a panel until its answer arrives; a newer question replaces it. */
export function later(element, promise, show) {
	promise.then((answer) => element.replaceChildren(...show(answer)), (error) => {
		const text = document.createElement("p");
		text.className = error instanceof NeedsEngine ? "dim" : "bad";
		text.textContent = error.message;
		element.replaceChildren(text);
	});
	return element;
}
