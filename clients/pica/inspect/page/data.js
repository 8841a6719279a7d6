/* The data of the page: zlib in base64; JSON with its length, then planes of pixels. */

export let data, planes;

export async function loadData() {
	const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (c) => c.charCodeAt(0));
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
	const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
	const length = new DataView(bytes.buffer).getUint32(0, true);
	data = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
	planes = bytes.subarray(4 + length);
}

/* Whether the capture is of a VideoCore IV: pictures are in the page, and registers are not. */
export function isVc4() {
	return data.chip === "vc4";
}

export function hex(value, digits = 8) {
	return "0x" + value.toString(16).toUpperCase().padStart(digits, "0");
}

export function colorText(c) {
	return "#" + Array.from(c, (v) => v.toString(16).toUpperCase().padStart(2, "0")).join("");
}

/* An element with its attributes and children; texts stay texts. */
export function element(name, attributes, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {})) {
		if (key.startsWith("on")) {
			e.addEventListener(key.slice(2), value);
		} else if (value !== undefined && value !== false) {
			e.setAttribute(key, value === true ? "" : value);
		}
	}
	e.append(...children);
	return e;
}

export function stepTitle(step) {
	return step.kind === "draw" ? `draw ${step.draw}` : step.kind;
}

export function frameOf(index) {
	return data.frames.findLast((f) => index >= f.first) || data.frames[0];
}

/* The text about a table of a draw that has no entries; "": it has some. */
export function emptyTable(step, name) {
	return step && step.tables && !step.tables[name] ? `${name} table: never uploaded, or all 0` : "";
}

/* Lint findings of a step. */
export function findingsOf(step) {
	return (data.findings || []).filter((f) => f.frame === step.frame &&
		(f.draw === undefined ? step.kind !== "draw" && f.offset === step.offset : f.draw === step.draw));
}
