#include "pica/shader/prog.h"

#include <stdlib.h>

#include "pica/shader/form.h"
#include "pica/shader/shader.h"

const struct shader_op_info shader_ops[OP_COUNT] = {
#define SHADER_OP(code, count, name, mnemonic, format, operands, uses) \
	[OP_##name] = { mnemonic, code, count, FORMAT_##format, OPERANDS_##operands, USES_##uses },
#include "pica/regs/shader_isa.def"
};

#define PLACE(format, field) { format##_##field##_LOW, format##_##field##_BITS }
#define COMMON(format) .desc = PLACE(format, DESC), .idx = PLACE(format, IDX)
const struct shader_form shader_forms[] = {
	[FORMAT_F1] = { 2, 0, COMMON(F1), .dst = PLACE(F1, DST),
		.src = { PLACE(F1, SRC1), PLACE(F1, SRC2) } },
	[FORMAT_F1I] = { 2, 1, COMMON(F1I), .dst = PLACE(F1I, DST),
		.src = { PLACE(F1I, SRC1), PLACE(F1I, SRC2) } },
	[FORMAT_F1U] = { 1, 0, COMMON(F1U), .dst = PLACE(F1U, DST), .src = { PLACE(F1U, SRC1) } },
	[FORMAT_F1C] = { 2, 0, COMMON(F1C), .src = { PLACE(F1C, SRC1), PLACE(F1C, SRC2) } },
	[FORMAT_F5] = { 3, 1, COMMON(F5), .dst = PLACE(F5, DST),
		.src = { PLACE(F5, SRC1), PLACE(F5, SRC2), PLACE(F5, SRC3) } },
	[FORMAT_F5I] = { 3, 2, COMMON(F5I), .dst = PLACE(F5I, DST),
		.src = { PLACE(F5I, SRC1), PLACE(F5I, SRC2), PLACE(F5I, SRC3) } },
};
#undef COMMON
#undef PLACE

static const uint8_t op_of_code[64] = {
#define OP_CODES_1(code, name) [code] = OP_##name,
#define OP_CODES_2(code, name) OP_CODES_1(code, name) OP_CODES_1(code + 1, name)
#define OP_CODES_4(code, name) OP_CODES_2(code, name) OP_CODES_2(code + 2, name)
#define OP_CODES_8(code, name) OP_CODES_4(code, name) OP_CODES_4(code + 4, name)
#define SHADER_OP(code, count, name, mnemonic, format, operands, uses) OP_CODES_##count(code, name)
#include "pica/regs/shader_isa.def"
};

enum shader_op shader_op_of(uint32_t word) {
	return (enum shader_op)op_of_code[F0_OPCODE(word)];
}

/* ---- Decoding ---- */

/* Mask of a descriptor (bit 3 = x) with bit 0 = x. */
static uint8_t decode_mask(uint32_t desc) {
	unsigned m = OPDESC_MASK(desc);
	return (uint8_t)((m >> 3 & 1) | (m >> 1 & 2) | (m << 1 & 4) | (m << 3 & 8));
}

static void decode_swizzle(struct prog_op *op, unsigned s, unsigned selector, bool negate) {
	for (unsigned k = 0; k < 4; k++) {
		op->swizzle[s][k] = (uint8_t)shader_selector(selector, k);
	}
	op->negate |= (uint8_t)(negate << s);
}

static void decode_descriptor(struct prog_op *op, uint32_t desc) {
	op->mask = decode_mask(desc);
	decode_swizzle(op, 0, OPDESC_SEL1(desc), OPDESC_NEG1(desc));
	decode_swizzle(op, 1, OPDESC_SEL2(desc), OPDESC_NEG2(desc));
	decode_swizzle(op, 2, OPDESC_SEL3(desc), OPDESC_NEG3(desc));
}

/* Relative addressing exists for uniforms only. [fidelity: relative-addressing] */
static void decode_relative(struct prog_op *op, unsigned s, unsigned idx) {
	if (idx != 0 && op->src[s] >= SHADER_C) {
		op->rel = (uint8_t)idx;
		op->rel_src = (uint8_t)s;
	}
}

static void decode_sources(struct prog_op *op, unsigned n, unsigned s1, unsigned s2, unsigned s3) {
	op->n_src = (uint8_t)n;
	op->src[0] = (uint8_t)s1;
	op->src[1] = (uint8_t)s2;
	op->src[2] = (uint8_t)s3;
}

/* Components of source s that are read, before the swizzle. */
static unsigned used_components(const struct prog_op *op, unsigned s) {
	switch ((enum shader_uses)shader_ops[op->op].uses) {
	case USES_NONE:
		return 0;
	case USES_EACH:
		return op->mask;
	case USES_DOT3:
		return 7;
	case USES_DOT4:
		return 15;
	case USES_DPH:
		return s == 0 ? 7 : 15;
	case USES_DST:
		return s == 0 ? 6 : 10;
	case USES_X:
		return 1;
	case USES_LIT:
		return 11;
	case USES_XY:
		return 3;
	case USES_ADDR:
		return op->mask & 3u;
	}
	return 0;
}

static void decode_lists(struct prog_op *op) {
	for (unsigned k = 0; k < 4; k++) {
		if (op->mask >> k & 1) {
			op->out[op->n_out++] = (uint8_t)k;
		}
	}
	op->each = shader_ops[op->op].uses == USES_EACH;
	for (unsigned s = 0; s < op->n_src; s++) {
		for (unsigned k = 0; k < 4; k++) {
			unsigned c = !op->each ? k : k < op->n_out ? op->out[k] : op->out[0];
			op->from[s][k] = op->swizzle[s][c];
		}
	}
}

static void decode_reads(struct prog_op *op) {
	bool each = shader_ops[op->op].uses == USES_EACH && op->dst >= SHADER_R;
	for (unsigned s = 0; s < op->n_src; s++) {
		unsigned used = used_components(op, s);
		unsigned written = 0;
		for (unsigned k = 0; k < 4; k++) {
			if (used >> k & 1) {
				unsigned from = op->swizzle[s][k];
				op->reads[s] |= (uint8_t)(1u << from);
				if (written >> from & 1 && op->src[s] == op->dst) {
					op->overlaps = true;
				}
				written |= each ? 1u << k : 0;
			}
		}
	}
}

static void decode_flow(struct prog_op *op, uint32_t word, enum shader_format format) {
	if (format == FORMAT_F2) {
		op->target = (uint16_t)F2_TARGET(word);
		op->num = (uint8_t)F2_NUM(word);
		op->condition = (uint8_t)F2_CONDOP(word);
		op->ref[0] = F2_REF_X(word);
		op->ref[1] = F2_REF_Y(word);
	} else {
		op->target = (uint16_t)F3_TARGET(word);
		op->num = (uint8_t)F3_NUM(word);
		op->id = (uint8_t)(op->op == OP_LOOP ? F3_INT(word) : F3_BOOL(word));
	}
}

static void decode(struct prog_op *op, uint32_t word, const uint32_t descriptors[128]) {
	*op = (struct prog_op){ .op = (uint8_t)shader_op_of(word) };
	if (op->op == OP_UNKNOWN) {
		return;
	}
	enum shader_format format = (enum shader_format)shader_ops[op->op].format;
	const struct shader_form *form = &shader_forms[format];
	if (format == FORMAT_F2 || format == FORMAT_F3) {
		decode_flow(op, word, format);
	} else if (format == FORMAT_F4) {
		op->id = (uint8_t)F4_VERTEX(word);
		op->prim = F4_PRIM(word);
		op->winding = F4_WINDING(word);
	}
	if (form->n_src == 0) {
		return;
	}
	decode_descriptor(op, descriptors[shader_get(form->desc, word)]);
	decode_sources(op, form->n_src, shader_get(form->src[0], word),
			shader_get(form->src[1], word), shader_get(form->src[2], word));
	decode_relative(op, form->wide, shader_get(form->idx, word));
	op->dst = (uint8_t)shader_get(form->dst, word);
	if (format == FORMAT_F1C) {
		op->cmp[0] = (uint8_t)F1C_CMP_X(word);
		op->cmp[1] = (uint8_t)F1C_CMP_Y(word);
	}
	decode_reads(op);
	decode_lists(op);
}

/* ---- Face ---- */

struct prog *prog_create(const uint32_t *code, unsigned n_words, const uint32_t descriptors[128],
		struct pica_memory *memory) {
	struct prog *p = memory_alloc(memory, sizeof(*p) + n_words * sizeof(p->ops[0]));
	if (!p) {
		return NULL;
	}
	atomic_init(&p->refs, 1);
	p->n_words = n_words;
	p->memory = memory;
	for (unsigned i = 0; i < n_words; i++) {
		decode(&p->ops[i], code[i], descriptors);
	}
	if (n_words == SHADER_GS_WORDS) {
		/*
		 * Geometry programs without an END stop here. [1, Azahar: two games; fidelity:
		 * flow-control]
		 */
		p->ops[n_words - 1] = (struct prog_op){ .op = OP_END };
	}
	return p;
}

struct prog *prog_get(struct prog *p) {
	atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
	return p;
}

void prog_put(struct prog *p) {
	/* Release: our reads end before; acquire: the one that frees sees all others done. */
	if (p && atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) == 1) {
		memory_free(p->memory, p, sizeof(*p) + p->n_words * sizeof(p->ops[0]));
	}
}
