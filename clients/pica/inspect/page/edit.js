/* Edits: forms beside what they change. The engine keeps the edits and draws again; the page loads its data anew. */
import { data, element, hex, isVc4 } from "./data.js";
import { call } from "./engine.js";

const canEdit = () => data.served && !isVc4();

async function send(method, params, note) {
	try {
		await call(method, params);
		location.reload();
	} catch (error) {
		note.textContent = error.message;
	}
}

/* A form that opens; content() makes its controls, and the function of the parameters that they give. */
function editor(step, content) {
	const item = element("details", { class: "edit" }, element("summary", {}, "edit"));
	item.addEventListener("toggle", () => {
		if (item.open && item.childElementCount === 1) {
			const note = element("div", { class: "bad" }), { controls, params } = content();
			item.append(element("form", { onsubmit: async (e) => {
				e.preventDefault();
				send("edit", { frame: step.frame, draw: step.draw, ...await params() }, note);
			} }, ...controls, element("button", {}, "draw again"), note));
		}
	});
	return item;
}

/* The control of a new value: for fields whose values have names, these. */
function valueControl(names, now) {
	return names ? element("select", { "aria-label": "New value" }, ...(names.includes(now) ? names : [now, ...names]).map((n) => element("option", { selected: n === now }, n))) :
		element("input", { class: "mono", size: 12, required: true, "aria-label": "New value", value: now });
}

export function registerEditor(step, id, word) {
	return !canEdit() ? "" : editor(step, () => {
		const [register, , names] = data.registers[id], fields = new Map(data.words[`${id}:${word}`] || []), place = element("span");
		const fill = () => place.replaceChildren(field.value ? valueControl(names[field.value], fields.get(field.value)) : valueControl(null, hex(word)));
		const field = element("select", { "aria-label": "Field", onchange: fill }, ...[...fields.keys()].map((f) => element("option", {}, f)), element("option", { value: "" }, "whole word"));
		fill();
		return { controls: [field, place], params: () => {
			const value = place.firstChild.value.trim();
			return field.value ? { register, fields: `${field.value}=${value}` } : { register, value };
		} };
	});
}

/* Without the table of operand descriptors, new instructions may use any. */
export function programEditor(step, program, text) {
	return !canEdit() ? "" : editor(step, () => {
		const source = element("textarea", { class: "mono", rows: 16, spellcheck: "false", "aria-label": `Source of the ${program} program` });
		source.value = text.split("\n").filter((line) => !line.startsWith(".opdesc")).join("\n");
		return { controls: [source], params: () => ({ program, text: source.value }) };
	});
}

function base64Of(file) {
	return new Promise((resolve) => {
		const reader = new FileReader();
		reader.addEventListener("load", () => resolve(reader.result.split(",")[1] || ""));
		reader.addEventListener("error", () => resolve(""));
		reader.readAsDataURL(file);
	});
}

export function textureEditor(step, level) {
	return !canEdit() || level.wrong ? "" : editor(step, () => {
		const file = element("input", { type: "file", accept: "image/png", required: true, "aria-label": `PNG of ${level.width}x${level.height}` });
		return { controls: [file], params: async () => ({ unit: level.unit, face: level.face, level: level.level, png: await base64Of(file.files[0]) }) };
	});
}

/* The edits that are in force, and what takes them back. */
export async function showEdits(place) {
	const { edits } = canEdit() ? await call("edits", {}) : { edits: [] }, note = element("span", { class: "bad" });
	const undo = (label, params) => element("button", { type: "button", onclick: () => send("undo", params, note) }, label);
	if (edits.length) {
		const { frame, draw, text } = edits[edits.length - 1];
		place.replaceChildren(element("b", {}, `${edits.length} edit${edits.length === 1 ? "" : "s"}`), ` from frame ${frame} draw ${draw}: ${text} `,
			undo("undo", {}), " ", edits.length > 1 ? undo("undo all", { all: true }) : "", note);
	}
}
