/* Words of command lists: addresses, ends and uploads. */

#include "common/program.h"
#include "fields.h"
#include "lint.h"

enum {
	MAX_JUMPS = 65535,
	N_UNIFORMS = 96,
	N_DESCRIPTORS = 128,
	NO_ENTRY = 1, /* entries are aligned */
	LOGIC_COPY = 3,
	GSH_BASE = PICA_REG_GSH_BOOLUNIFORM,
	VSH_BASE = PICA_REG_VSH_BOOLUNIFORM,
};

/* Factors one and zero, added: blending without effect. */
#define BLEND_REPLACE 0x01010000u

/*
 * Values of registers without known function that programs and the system write.
 * [fidelity: register-map]
 */
static const struct {
	uint32_t id, value[2];
} known_values[] = {
	{ 0x11F, { 0x00010140, 0x00020200 } },
	{ 0x243, { 0x00000037, 0x00000037 } },
};

/* ---- Addresses and ends of lists ---- */

static void check_place(struct lint *l, uint32_t size_reg, uint32_t size, uint32_t addr_reg,
		uint32_t addr, uint32_t size_bytes, uint32_t addr_bytes) {
	const uint32_t read = size_bytes & ~15u;
	if (!read) {
		lint_report(l, LINT_LIST_MEMORY, size_reg, size, "%u bytes, of which none is read",
				size_bytes);
		return;
	}
	if (size_bytes & 8) {
		lint_report(l, LINT_LIST_SIZE, size_reg, size, "%u bytes", size_bytes);
	}
	if (addr_bytes & 15) {
		lint_report(l, LINT_LIST_ADDRESS, addr_reg, addr, "address 0x%08X", addr_bytes);
	}
	if (!lint_in_memory(l, lint_range(addr_bytes & ~15u, read))) {
		lint_report(l, LINT_LIST_MEMORY, addr_reg, addr, "%u bytes at 0x%08X", read,
				addr_bytes & ~15u);
	}
}

void lint_list_job(struct lint *l, const struct pica_job_list *job) {
	check_place(l, LINT_NO_REG, job->size_bytes, LINT_NO_REG, job->addr, job->size_bytes,
			job->addr);
}

static void jump(struct lint *l, unsigned channel, bool from_list) {
	const uint32_t size = l->size_word[channel], addr = l->addr_word[channel];
	check_place(l, PICA_REG_CMDBUF_SIZE0 + channel, size, PICA_REG_CMDBUF_ADDR0 + channel, addr,
			(size & 0x1FFFFF) << 3, (addr & 0x1FFFFFFF) << 3);
	if (from_list && ++l->jumps > MAX_JUMPS) {
		lint_report(l, LINT_JUMP_LOOP, PICA_REG_CMDBUF_JUMP0 + channel, 1, "to 0x%08X",
				(addr & 0x1FFFFFFE) << 3);
		l->jumps = 0;
		l->has_ended = true; /* one finding is enough */
	}
}

void lint_list_begin(void *user, uint32_t addr, uint32_t size_bytes, bool is_jump) {
	struct lint *l = user;
	if (is_jump && l->here.list >= 0) {
		return;
	}
	l->here.list = l->next_list++;
	l->here.addr = addr;
	l->jumps = 0;
	l->has_ended = false;
	l->is_cut = false;
	l->has_drawn = false;
	l->blend_entry = NO_ENTRY;
	l->blend_before = 0;
}

void lint_list_end(void *user) {
	struct lint *l = user;
	if (!l->has_ended && l->is_cut) {
		lint_report(l, LINT_TRUNCATED, LINT_NO_REG, 0, "it stops within its parameters");
	} else if (!l->has_ended) {
		lint_report(l, LINT_NO_FINALIZE, PICA_REG_FINALIZE, 0, "not written");
	}
	l->here.list = -1;
	l->here.addr = 0;
}

/* Returns whether the write makes a matching request; one byte is enough. [fidelity: finalize] */
static bool matches(const struct lint *l, const struct pica_list_write *w) {
	const uint32_t difference = w->value ^ l->step.walk.regs[PICA_REG_IRQ_CMP0];
	for (unsigned k = 0; k < 4; k++) {
		if ((w->mask >> k & 1) && !(difference >> 8 * k & 0xFF)) {
			return true;
		}
	}
	return false;
}

/* ---- Uploads ---- */

static bool is_nan_f24(uint32_t word) {
	return (word >> 16 & 0x7F) == 0x7F && (word & 0xFFFF);
}

static bool is_nan_f32(uint32_t word) {
	return (word >> 23 & 0xFF) == 0xFF && (word & 0x7FFFFF);
}

static void check_uniform(struct lint *l, const struct upload *u, const struct pica_list_write *w) {
	if (u->index >= N_UNIFORMS) {
		lint_report(l, LINT_UNIFORM_INDEX, w->id, w->value, "c%u", u->index);
		return;
	}
	for (unsigned i = 0; i < 4; i++) {
		const uint32_t word = u->value[i];
		if (u->is_f32 ? is_nan_f32(word) : is_nan_f24(word)) {
			lint_report(l, LINT_UNIFORM_NAN, w->id, word, "c%u.%c, %s", u->index,
					"xyzw"[i], u -> is_f32 ? "an f32" : "an f24");
			return;
		}
	}
}

static void upload(struct lint *l, const struct pica_list_write *w) {
	const struct upload u = upload_write(&l->uploads, w);
	const uint32_t words = u.is_vs ? PROGRAM_VS_WORDS : PROGRAM_GS_WORDS;
	switch (u.kind) {
	case UPLOAD_UNIFORM:
		check_uniform(l, &u, w);
		break;
	case UPLOAD_CODE:
		if (u.index >= words) {
			lint_report(l, LINT_CODE_INDEX, w->id, w->value, "word %u of %u", u.index,
					words);
		}
		break;
	case UPLOAD_DESCRIPTOR:
		if (u.index >= N_DESCRIPTORS) {
			lint_report(l, LINT_DESCRIPTOR_INDEX, w->id, w->value, "descriptor %u",
					u.index);
		}
		break;
	case UPLOAD_NOTHING:
		break;
	}
	const uint32_t id = w->id >= VSH_BASE ? w->id - VSH_BASE + GSH_BASE : w->id;
	l->program_changed |= id < PICA_REG_GSH_FLOATUNIFORM_INDEX ||
			id > PICA_REG_GSH_FLOATUNIFORM_DATA7; /* code, entry point, outputs */
}

/* ---- Writes ---- */

static void check_register(struct lint *l, const struct pica_list_write *w, bool from_list) {
	if (!w->mask) {
		return; /* how lists are padded */
	}
	const enum pica_reg_kind kind = pica_reg_kind(w->id);
	if (w->id >= PICA_REG_COUNT || (kind == PICA_KIND_CPU && from_list)) {
		lint_report(l, LINT_NO_REGISTER, w->id, w->value, "%s",
				w->id >= PICA_REG_COUNT ? "no register" :
							  "only the processor can write it");
	}
	if (kind == PICA_KIND_PORT && w->mask != 0xF) {
		lint_report(l, LINT_PORT_MASK, w->id, w->value, "mask 0x%X", w->mask);
	}
	for (unsigned i = 0; i < ARRAY_LEN(known_values); i++) {
		if (w->id == known_values[i].id && w->value != known_values[i].value[0] &&
				w->value != known_values[i].value[1]) {
			lint_report(l, LINT_UNKNOWN_VALUE, w->id, w->value, "known: 0x%08X",
					known_values[i].value[0]);
		}
	}
}

/* [fidelity: blend-and-logic] */
static void check_blend(struct lint *l, const struct pica_list_write *w) {
	const uint32_t *regs = l->step.walk.regs;
	const bool is_one_entry = w->id == PICA_REG_LOGIC_OP && w->entry == l->blend_entry;
	if (w->id == PICA_REG_BLEND_FUNC) {
		l->blend_entry = w->entry;
	} else if (is_one_entry && regs[PICA_REG_BLEND_FUNC] != BLEND_REPLACE &&
			get_LOGIC_OP_OP(w->value) != LOGIC_COPY) {
		lint_report(l, LINT_BLEND_LOGIC, w->id, w->value, "BLEND_FUNC 0x%08X",
				regs[PICA_REG_BLEND_FUNC]);
	}
	uint32_t *word = &l->blend[w->id - PICA_REG_BLEND_FUNC];
	const bool has_changed = regs[w->id] != *word;
	*word = regs[w->id];
	if (has_changed && !is_one_entry &&
			l->blend_before == PICA_REG_BLEND_FUNC + PICA_REG_LOGIC_OP - w->id) {
		lint_report(l, LINT_BLEND_LOGIC_NEXT, w->id, w->value, "right after %s",
				pica_reg_name(l->blend_before));
	}
	l->blend_before = has_changed ? w->id : 0;
}

static void check_early_depth(struct lint *l, const struct pica_list_write *w) {
	const bool is_switch =
			w->id == PICA_REG_EARLYDEPTH_TEST1 || w->id == PICA_REG_EARLYDEPTH_TEST2;
	if (is_switch && (w->mask & 1) && (w->value & 1)) {
		lint_report(l, LINT_EARLY_DEPTH_WRITTEN, w->id, w->value, "expected 0");
	}
}

/* Entry points and boolean uniforms.  [fidelity: shader-words] */
static void check_shader_word(struct lint *l, const struct pica_list_write *w) {
	enum { UPPER_BYTES = 0xC };
	const uint32_t id = w->id;
	const bool has_half = id == PICA_REG_GSH_BOOLUNIFORM || id == PICA_REG_GSH_ENTRYPOINT ||
			id == PICA_REG_VSH_BOOLUNIFORM || id == PICA_REG_VSH_ENTRYPOINT;
	if (has_half && (w->mask & UPPER_BYTES) && w->value >> 16 != 0x7FFF) {
		lint_report(l, LINT_SHADER_WORD, w->id, w->value, "expected 0x7FFF%04X",
				w->value & 0xFFFF);
	}
}

/* Vectors for fixed attributes.  [fidelity: fixed-attributes] */
static void fixed_attribute(struct lint *l, const struct pica_list_write *w) {
	enum { ATTRIBUTES = 12, IMMEDIATE = 15 };
	if (w->id == PICA_REG_FIXEDATTRIB_INDEX) {
		l->fixed.index = get_FIXEDATTRIB_INDEX_INDEX(w->value);
		l->fixed.n_words = 0;
		if (l->fixed.index >= ATTRIBUTES && l->fixed.index != IMMEDIATE) {
			lint_report(l, LINT_ATTRIBUTE_INDEX, w->id, w->value, "attribute %u",
					l->fixed.index);
		}
		return;
	}
	l->fixed.word[l->fixed.n_words++] = w->value;
	if (l->fixed.n_words < ARRAY_LEN(l->fixed.word)) {
		return;
	}
	l->fixed.n_words = 0;
	if (l->fixed.index >= ATTRIBUTES) {
		return; /* of a vertex: position.c */
	}
	uint32_t f24[4];
	list_unpack_f24(l->fixed.word, f24);
	const uint32_t bit = 1u << l->fixed.index++;
	l->fixed.bad &= ~bit;
	for (unsigned i = 0; i < 4; i++) {
		l->fixed.bad |= lint_is_finite_f24(f24[i]) ? 0 : bit;
	}
}

static void list_word(struct lint *l, const struct pica_list_write *w) {
	switch (w->id) {
	case PICA_REG_FINALIZE:
		l->has_ended = matches(l, w);
		if (!l->has_ended) {
			lint_report(l, LINT_FINALIZE_VALUE, w->id, w->value, "expected 0x%08X",
					l->step.walk.regs[PICA_REG_IRQ_CMP0]);
		}
		break;
	case PICA_REG_FRAMEBUFFER_FLUSH:
		if (!l->has_drawn) {
			lint_report(l, LINT_FLUSH_FIRST, w->id, w->value, "no draw yet");
		}
		break;
	case PICA_REG_BLEND_FUNC:
	case PICA_REG_LOGIC_OP:
		check_blend(l, w);
		break;
	default:
		break;
	}
	if (w->id != PICA_REG_BLEND_FUNC && w->id != PICA_REG_LOGIC_OP) {
		l->blend_before = 0;
	}
	/* Words after a stop or a jump are dropped; nothing else ends within an entry. */
	l->is_cut = w->index + 1 < w->count;
}

void lint_list_write(void *user, const struct pica_list_write *w, bool from_list) {
	struct lint *l = user;
	l->here.addr = from_list ? w->addr : 0;
	check_register(l, w, from_list);
	if (from_list && w->mask) {
		list_word(l, w);
	}
	if (w->id >= PICA_REG_CMDBUF_SIZE0 && w->id <= PICA_REG_CMDBUF_ADDR1) {
		uint32_t *word = w->id < PICA_REG_CMDBUF_ADDR0 ? l->size_word : l->addr_word;
		word[(w->id - PICA_REG_CMDBUF_SIZE0) & 1] = w->value;
	}
	if (!w->mask) {
		return;
	}
	lint_effects_write(l, w);
	check_early_depth(l, w);
	check_shader_word(l, w);
	if (w->id >= PICA_REG_FIXEDATTRIB_INDEX && w->id <= PICA_REG_FIXEDATTRIB_DATA2) {
		fixed_attribute(l, w);
	} else if (w->id >= PICA_REG_SH_OUTMAP_TOTAL && w->id <= PICA_REG_SH_OUTMAP_O6) {
		l->program_changed = true; /* mapped outputs must be written */
	}
	l->has_restarted |= w->id == PICA_REG_RESTART_PRIMITIVE;
	if (w->id == PICA_REG_CMDBUF_JUMP0 || w->id == PICA_REG_CMDBUF_JUMP1) {
		jump(l, w->id - PICA_REG_CMDBUF_JUMP0, from_list);
	} else if (w->id == PICA_REG_FRAMEBUFFER_FLUSH) {
		l->n_dirty = 0;
	} else if (w->id == PICA_REG_FRAMEBUFFER_INVALIDATE && (w->value & 1) && l->n_dirty) {
		lint_report(l, LINT_INVALIDATE, w->id, w->value, "pixels at 0x%08X",
				(uint32_t)l->dirty[0].begin);
		l->n_dirty = 0;
	} else if (w->id >= GSH_BASE && w->id <= PICA_REG_VSH_OPDESCS_DATA7) {
		upload(l, w);
	}
}
