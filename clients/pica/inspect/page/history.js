/* The history of a pixel: everything that touched it, and the steps of each fragment. */
import { data, element, emptyTable, isVc4, stepTitle } from "./data.js";
import { fieldOf, registersAt, swatch } from "./panels.js";

export function indexOf(entry) {
	return data.steps.findIndex((s) => s.frame === entry.frame && s.event === entry.event && (entry.draw === undefined || s.draw === entry.draw));
}

/* "#RRGGBBAA" as four numbers. */
function bytesOf(text) {
	return [1, 3, 5, 7].map((at) => parseInt(text.slice(at, at + 2), 16));
}

function colorItem(text) {
	return element("span", { class: "mono color" }, swatch(bytesOf(text)), text);
}

/* Leads to a register's row in the state of a draw. */
function registerLink(index, name, actions) {
	return index < 0 ? name : element("button", { type: "button", class: "link", onclick: () => actions.register(index, name) }, name);
}

/* The diagram of the combiner: of each stage its operands, their sources, and the result. Stages that only pass on are one line. */
function stageItems(fragment, index, actions) {
	const registers = index < 0 ? new Map() : registersAt(index), out = [];
	let passed = [];
	const flush = () => {
		if (passed.length) {
			out.push(element("div", { class: "dim" }, `stage ${passed.length > 1 ? `${passed[0]} to ${passed[passed.length - 1]}` : passed[0]}: passes it on`));
			passed = [];
		}
	};
	fragment.stages.forEach((stage, i) => {
		const field = (part, key) => fieldOf(registers, `TEXENV${i}_${part}`, key), rgb = field("COMBINER", "RGB"), alpha = field("COMBINER", "ALPHA");
		if (i && rgb === "replace" && alpha === "replace" && stage.result === fragment.stages[i - 1].result && field("SOURCE", "RGB0") === "previous") {
			passed.push(i);
			return;
		}
		flush();
		const both = (a, b) => a === b ? a : `${a} / ${b}`;
		const operands = [0, 1, 2].map((k) => element("div", {}, "ABC"[k], " ", colorItem(stage.operands[k]), element("small", {}, " ",
			both(`${field("SOURCE", `RGB${k}`)}`, `${field("SOURCE", `ALPHA${k}`)}`), ": ", both(field("OPERAND", `RGB${k}`), field("OPERAND", `ALPHA${k}`)))));
		const links = ["COMBINER", "SOURCE", "OPERAND"].map((part) => registerLink(index, `TEXENV${i}_${part}`, actions));
		out.push(element("div", { class: "stage" }, element("b", {}, `stage ${i}: ${both(rgb, alpha)}`), ...operands, element("div", {}, "→ ", colorItem(stage.result)),
			element("small", {}, "set by ", links[0], ", ", links[1], ", ", links[2])));
	});
	flush();
	return out;
}

function numbers(list) {
	return list.map((v) => v === null ? "not finite" : +v.toPrecision(6)).join(", ");
}

function fact(name, ...content) {
	return element("tr", {}, element("th", {}, name), element("td", {}, ...content));
}

/* The texels of a unit, and their shares. */
function texelItems(texels) {
	const faces = ["+X", "-X", "+Y", "-Y", "+Z", "-Z"], isCube = texels.some((t) => t.face);
	return texels.map((t) => element("div", { class: "dim" }, colorItem(t.color), ` ${+(100 * t.weight).toPrecision(3)} % `,
		t.border ? "border" : `${isCube ? faces[t.face] + " " : ""}${t.s}, ${t.t}`, t.level ? ` of level ${t.level}` : ""));
}

function factorItem(name, f, step) {
	return f ? [element("div", { class: "dim" }, `${name} ${numbers([f.value])}: ${f.table}[${f.entry}] of ${f.input} ${numbers([f.from])}`),
		element("div", { class: "bad" }, emptyTable(step, `light-${f.table}`))] : [];
}

const FACTORS = { spot: "spot", distance: "distance", d0: "D0", d1: "D1", reflection_r: "reflection R", reflection_g: "G", reflection_b: "B" };

/* Each light with its terms, and what it adds. */
function lightItems(lighting, step) {
	return lighting.lights.map((l) => element("div", { class: "stage" }, element("b", {}, `light ${l.number}`),
		` cosine ${numbers([l.diffuse])}`, l.geometric === 1 ? "" : `, geometric ${numbers([l.geometric])}`,
		...Object.entries(FACTORS).flatMap(([key, name]) => factorItem(name, l[key], step)),
		element("div", {}, `→ ${numbers(l.primary)} and ${numbers(l.secondary)}`)));
}

/* After the combiner: fog, and what the blender reads. */
function outputItems(f, index, actions) {
	const out = [];
	if (f.fog) {
		out.push(element("div", { class: "stage" }, element("b", {}, "fog"), ` entry ${f.fog.entry}: ${+(f.fog.factor / 20.47).toPrecision(4)} % of `,
			colorItem(f.combined), " over ", colorItem(f.fog.color), " → ", colorItem(f.color),
			element("div", { class: "bad" }, emptyTable(data.steps[index], "fog")),
			element("div", {}, element("small", {}, "set by ", registerLink(index, "TEXENV_UPDATE_BUFFER", actions), ", ", registerLink(index, "FOG_COLOR", actions)))));
	}
	if (f.destination) {
		out.push(element("div", { class: "stage" }, element("b", {}, "blender"), " source ", colorItem(f.color), ", destination ", colorItem(f.destination),
			element("div", {}, element("small", {}, "set by ", registerLink(index, "COLOR_OPERATION", actions), ", ", registerLink(index, "BLEND_FUNC", actions)))));
	}
	return out;
}

/* Omits clear values that no unit gave. */
function fragmentFacts(e, index, actions) {
	const f = e.fragment, rows = [];
	if (f.primary) {
		rows.push(fact("primary colour", colorItem(f.primary)));
		f.textures.forEach((t, u) => {
			if (t !== "#00000000") {
				rows.push(fact(u < 3 ? `texture ${u}` : "procedural", colorItem(t), u < 3 ? ` at ${numbers(f.coordinates[u])}` : "",
					...texelItems(f.texels[u] || [])));
			}
		});
		if (f.light.some((c) => c !== "#00000000")) {
			rows.push(fact("light", colorItem(f.light[0]), " ", colorItem(f.light[1]),
				element("div", { class: "dim" }, `normal ${numbers(f.lighting.normal)}; ambient ${numbers(f.lighting.ambient)}`), ...lightItems(f.lighting, data.steps[index])));
		}
	}
	rows.push(fact("colour to blend", colorItem(f.color)));
	if (f.depth !== undefined) {
		rows.push(fact("depth", `${+f.depth.toPrecision(7)}: ${f.z} against ${e.z_before}`));
	}
	if (e.stencil_before !== undefined) {
		rows.push(fact("stencil", `${e.stencil_before} → ${e.stencil_after}`));
	}
	return [element("table", { class: "facts" }, ...rows), ...(f.stages ? stageItems(f, index, actions).concat(outputItems(f, index, actions)) : [])];
}

function wordText(word) {
	return word === null ? "" : word.slice(2);
}

export function qpuSteps(steps) {
	return element("table", {}, ...steps.map((s) => element("tr", {}, element("td", { class: "mono" }, s.address.slice(-4)),
		element("td", { class: "mono" }, element("b", {}, s.text), element("div", { class: "kept" },
			[["add", s.add], ["mul", s.mul], ["r4", s.r4]].filter(([, v]) => v !== null).map(([name, v]) => `${name} ${wordText(v)}`).join("  "))))));
}

/* A fragment of a VideoCore IV: inputs and steps of its program. */
function qpuFacts(e) {
	const f = e.fragment;
	return [element("table", { class: "facts" }, fact("program", f.program), fact("uniforms", f.uniforms), fact("varyings", numbers(f.varyings)), fact("w", numbers([f.w])),
		fact("depth", `${f.z} against ${e.z_before}`), fact("stencil", `${e.stencil_before} → ${e.stencil_after}`),
		fact("samples", `${f.samples.toString(2)} covered, ${f.passed.toString(2)} kept`), fact("wrote", wordText(f.written)), ...(f.error ? [fact("error", f.error)] : [])),
	element("details", {}, element("summary", {}, `${f.instructions} instructions`), qpuSteps(f.steps || []))];
}

function details(e, index, actions) {
	const set = DROPPED_BY[e.verdict] && !isVc4() && index >= 0 ? [element("div", {}, "set by ", registerLink(index, DROPPED_BY[e.verdict][0], actions))] : [];
	const out = [...set, element("div", { class: "dim mono" }, `bytes ${e.before} → ${e.after}` + (e.sources ? ` from ${e.sources.join(", ")}` : ""))];
	if (e.kind === "draw") {
		out.push(element("div", { class: "dim" }, `column ${e.x} row ${e.row} of ${e.target.addr} ${e.target.format}` +
			(e.barycentric ? `, at ${numbers(e.barycentric)} of its corners` : "")));
		const vertices = (e.vertices || []).filter((v) => v !== null);
		if (vertices.length && isVc4()) {
			out.push(element("div", {}, `vertices ${vertices.join(", ")}`));
		} else if (vertices.length) {
			out.push(element("div", {}, "vertices ", ...vertices.map((v) => element("button", { type: "button", onclick: () => actions.trace(index, v) }, String(v)))));
		} else if (!isVc4()) {
			out.push(element("div", {}, element("button", { type: "button", onclick: () => actions.tracePrimitive(index, e.primitive) }, "the geometry program that emitted it")));
		}
	}
	return e.fragment ? out.concat(isVc4() ? qpuFacts(e) : fragmentFacts(e, index, actions)) : out;
}

/* The register and the field that say what is dropped. */
const DROPPED_BY = { scissor: ["SCISSORTEST_MODE", "MODE"], alpha: ["FRAGOP_ALPHA_TEST", "FUNC"], stencil: ["STENCIL_TEST", "FUNC"], depth: ["DEPTH_COLOR_MASK", "FUNC"],
	masked: ["DEPTH_COLOR_MASK", "COLOR_WRITE"], culled: ["FACECULLING_CONFIG", "MODE"] };
const SIGNS = { eq: "=", ne: "≠", lt: "<", le: "≤", gt: ">", ge: "≥" };
const DROPPED = { scissor: "outside of the scissor rectangle", alpha: "the alpha test dropped it", stencil: "the stencil test dropped it", depth: "the depth test dropped it",
	masked: "passed, but no channel may be written", culled: "culled: it faces away", clipped: "clipped away", degenerate: "no area", lost: "a budget was used up before",
	overwritten: "kept, then overwritten", kept: "kept" };

/* The verdict, and for a draw of the page the values and the register that made it. */
function verdictText(e, registers) {
	const [name, field] = DROPPED_BY[e.verdict] || [], setting = registers && name ? fieldOf(registers, name, field) : "", sign = SIGNS[setting] || setting, f = e.fragment || {};
	if (!setting) {
		return DROPPED[e.verdict];
	}
	const values = e.verdict === "depth" && f.z !== undefined ? `: not ${f.z} ${sign} ${e.z_before}` :
		e.verdict === "alpha" && f.color ? `: not ${parseInt(f.color.slice(7), 16)} ${sign} ${fieldOf(registers, name, "REF")}` : "";
	return `${DROPPED[e.verdict]}${values} (${name} ${field} ${setting})`;
}

function entryItem(e, answer, actions, registersOf) {
	const index = indexOf(e), last = answer.last_writer, isKept = e.verdict === "kept" || e.verdict === "overwritten";
	const isLast = last && e.verdict === "kept" && last.frame === e.frame && last.event === e.event && (last.draw ?? undefined) === e.draw &&
		(last.primitive ?? undefined) === e.primitive;
	const title = element("summary", {}, element("b", { class: isKept ? "kept" : "bad" }, `frame ${e.frame} ${e.kind}${e.kind === "draw" ? ` ${e.draw}` : ""}`),
		e.kind === "draw" ? ` primitive ${e.primitive}: ${verdictText(e, DROPPED_BY[e.verdict] && registersOf(index))}` : e.verdict === "overwritten" ? ": overwritten" : "",
		isLast ? element("span", { class: "badge kept" }, "last") : "", " ", e.fragment && e.fragment.color ? colorItem(e.fragment.color) : "");
	const item = element("details", { class: isLast ? "entry last" : "entry" }, title);
	/* Filled when it is opened: a pixel may have thousands of fragments. */
	item.addEventListener("toggle", () => {
		if (item.open && item.childElementCount === 1) {
			item.append(...details(e, index, actions), index < 0 ? "" :
				element("button", { type: "button", onclick: () => actions.select(index) }, `go to ${stepTitle(data.steps[index])}`));
		}
	});
	item.open = isLast;
	return item;
}

const SHOWN = 200;

/* The entries, the last one first. */
export function historyPanel(pick, answer, actions) {
	const rows = [...answer.entries].reverse(), count = new Map();
	for (const e of rows) {
		count.set(e.verdict, (count.get(e.verdict) || 0) + 1);
	}
	const known = new Map();
	const registersOf = (index) => {
		if (index >= 0 && !isVc4() && !known.has(index)) {
			known.set(index, registersAt(index));
		}
		return known.get(index);
	};
	const list = element("div", {}, ...rows.slice(0, SHOWN).map((e) => entryItem(e, answer, actions, registersOf)));
	const more = rows.length > SHOWN ? [element("button", { type: "button", onclick: (event) => {
		list.append(...rows.slice(SHOWN).map((e) => entryItem(e, answer, actions, registersOf)));
		event.target.remove();
	} }, `${rows.length - SHOWN} more`)] : [];
	return [element("h2", {}, `Pixel ${pick.x}, ${pick.y} `, colorItem(answer.color)),
		element("p", { class: "dim" }, `${answer.surface.addr} ${answer.surface.format}, at the end of frame ${answer.frame}` +
			(answer.first_frame < answer.frame ? `; looked at from frame ${answer.first_frame} on` : "")),
		element("p", {}, rows.length ? [...count].map(([verdict, n]) => `${n} ${verdict}`).join(", ") : "Nothing touched it."), list, ...more];
}

/* The step that a click on a pixel selects: the last one up to `end` that wrote it; -1: none in this page. */
export function writerOf(answer, end) {
	const before = answer.entries.filter((e) => (e.verdict === "kept" || e.verdict === "overwritten") && e.kind !== "transfer" && e.kind !== "copy")
		.map(indexOf).filter((index) => index >= 0 && index < end);
	const last = answer.last_writer && indexOf({ ...answer.last_writer, draw: answer.last_writer.draw ?? undefined });
	return last !== null && last >= 0 && last < end ? last : before.length ? before[before.length - 1] : -1;
}
