/*
 * The assembler: operand descriptors and how instructions share them. [fidelity: shader-isa,
 * assembler]
 */
#include "pica/toolchain/asm.h"

uint32_t asm_mask_bits(unsigned mask) {
	uint32_t bits = 0;
	for (unsigned k = 0; k < 4; k++) {
		bits |= (mask >> k & 1) << (3 - k);
	}
	return PUT(OPDESC, MASK, bits);
}

uint32_t asm_source_bits(unsigned s, const struct asm_operand *op) {
	switch (s) {
	case 0:
		return PUT(OPDESC, NEG1, op->negate) | PUT(OPDESC, SEL1, op->selector);
	case 1:
		return PUT(OPDESC, NEG2, op->negate) | PUT(OPDESC, SEL2, op->selector);
	default:
		return PUT(OPDESC, NEG3, op->negate) | PUT(OPDESC, SEL3, op->selector);
	}
}

/* Selector bits of the components in mask (bit 0 = x). */
static unsigned selector_bits(unsigned mask) {
	unsigned bits = 0;
	for (unsigned k = 0; k < 4; k++) {
		bits |= mask >> k & 1 ? 3u << (6 - 2 * k) : 0;
	}
	return bits;
}

/*
 * Components of source s whose selectors matter when descriptors are shared. Some of them could be
 * ignored (DST, LITP, the second source of CMP); this is picasso's choice, so that the same source
 * gives the same words. [fidelity: assembler]
 */
static unsigned cared_components(enum shader_uses uses, unsigned s, unsigned mask) {
	switch (uses) {
	case USES_EACH:
		return mask;
	case USES_DOT3:
		return 7;
	case USES_DPH:
		return s == 0 ? 7 : 15;
	case USES_X:
		return 1;
	case USES_ADDR:
		return mask & 3;
	case USES_XY:
		return s == 0 ? 3 : 15;
	case USES_NONE:
	case USES_DOT4:
	case USES_DST:
	case USES_LIT:
		break;
	}
	return 15;
}

uint32_t asm_care_bits(enum shader_op op, unsigned n_src, unsigned mask) {
	enum shader_uses uses = (enum shader_uses)shader_ops[op].uses;
	uint32_t care = op == OP_CMP ? 0 : PUT(OPDESC, MASK, ~0u);
	for (unsigned s = 0; s < n_src; s++) {
		const struct asm_operand all = { .negate = true,
			.selector = selector_bits(cared_components(uses, s, mask)) };
		care |= asm_source_bits(s, &all);
	}
	return care;
}

static void renumber(uint32_t *word, unsigned from, unsigned to) {
	const struct shader_place place = shader_form_of(shader_op_of(*word))->desc;
	unsigned d = shader_get(place, *word);
	if (place.bits == F1_DESC_BITS && (d == from || d == to)) { /* a MAD's stays */
		*word ^= shader_put(place, d) ^ shader_put(place, d == from ? to : from);
	}
}

/*
 * Moves descriptor d within a MAD's reach by exchanging it with one that no MAD uses. Returns
 * its new number.
 */
static unsigned move_for_mad(struct assembler *a, unsigned d) {
	unsigned to = 0;
	while (to < 32 && a->mad_desc >> to & 1) {
		to++;
	}
	if (to == 32 || a->desc_closed) {
		asm_fail(a, "expected at most 32 different operand descriptors for mad");
		return 0;
	}
	uint32_t desc = a->desc[to], care = a->care[to];
	a->desc[to] = a->desc[d];
	a->care[to] = a->care[d];
	a->desc[d] = desc;
	a->care[d] = care;
	for (unsigned i = 0; i < a->n_code; i++) {
		if (!a->is_literal[i] && shader_op_of(a->code[i]) != OP_UNKNOWN) {
			renumber(&a->code[i], d, to);
		}
	}
	return to;
}

unsigned asm_use_descriptor(struct assembler *a, enum shader_op op, uint32_t desc, uint32_t care,
		long wanted) {
	bool is_mad = op == OP_MAD || op == OP_MADI;
	unsigned d = wanted >= 0 ? (unsigned)wanted : 0;
	if (wanted >= 0 && (d >= a->n_desc || (a->desc[d] ^ desc) & care & a->care[d] ||
			(is_mad && d >= 32))) {
		asm_fail(a, "operand descriptor %ld does not fit", wanted);
		return 0;
	}
	while (wanted < 0 && d < a->n_desc && (a->desc[d] ^ desc) & care & a->care[d]) {
		d++;
	}
	if (d == a->n_desc && a->desc_closed) {
		asm_fail(a, "none of the operand descriptors fits");
		return 0;
	}
	if (d == PICA_SHADER_DESCRIPTORS) {
		asm_fail(a, "expected at most %d different operand descriptors",
				PICA_SHADER_DESCRIPTORS);
		return 0;
	}
	if (d == a->n_desc) {
		a->desc[d] = desc;
		a->care[d] = care;
		a->n_desc++;
	}
	a->desc[d] = (a->desc[d] & ~care) | (desc & care);
	a->care[d] |= care;
	d = is_mad && d >= 32 ? move_for_mad(a, d) : d;
	a->mad_desc |= is_mad ? 1u << d : 0;
	return d;
}
