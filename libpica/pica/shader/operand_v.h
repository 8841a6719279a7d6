/*
 * Operands of the batch interpreter, for run_v.c and slice_v.c. A source becomes rows that kernels
 * can read: the register itself, or a copy that is flushed, negated, spread or gathered. This code
 * is part of the innermost loop, and is compiled with it.
 */
#ifndef SHADER_OPERAND_V_H
#define SHADER_OPERAND_V_H

#include "core/vec/extent.h"
#include "pica/shader/arith.h"
#include "pica/shader/run_v.h"

static void zero_rows(float row[4][SHADER_LANES], unsigned components) {
	if (components == 15) {
		memset(row, 0, 4 * sizeof(row[0]));
		return;
	}
	for (unsigned c = 0; c < 4; c++) {
		if (components >> c & 1) {
			memset(row[c], 0, sizeof(row[c]));
		}
	}
}

static enum class extent_class(const struct extent *e) {
	if (extent_within(e, SHADER_TAME_LEAST, SHADER_TAME_END)) {
		return CLASS_TAME;
	}
	return extent_within(e, BELOW_F24 + 1, INT32_MAX) ? CLASS_CLEAN : CLASS_ANY;
}

/* Returns the class of the components that are read of a v or r; examines each value once. */
static enum class find_class(struct machine *m, unsigned reg, const float row[4][SHADER_LANES],
		unsigned reads) {
	unsigned unknown = reads & ~(unsigned)m->known[reg];
	for (; unknown; unknown &= unknown - 1) {
		unsigned c = ctz32(unknown);
		struct extent e = extent_none();
		const float *end = row[c] + m->nv * VF_LANES;
		for (const float *p = row[c]; p < end; p += VF_LANES) {
			extent_add(&e, vf_load(p));
		}
		enum class class = extent_class(&e);
		uint8_t bit = (uint8_t)(1u << c);
		m->known[reg] |= bit;
		m->clean[reg] = (uint8_t)(class >= CLASS_CLEAN ? m->clean[reg] | bit :
				m->clean[reg] & ~bit);
		m->tame[reg] = (uint8_t)(class >= CLASS_TAME ? m->tame[reg] | bit :
							       m->tame[reg] & ~bit);
	}
	return (m->tame[reg] & reads) == reads ? CLASS_TAME :
			(m->clean[reg] & reads) == reads ? CLASS_CLEAN : CLASS_ANY;
}

/* is_patient: examining the rows pays off if it lets a tame kernel run. */
static inline enum class register_class(struct machine *m, unsigned reg,
		const float row[4][SHADER_LANES], unsigned reads, bool is_patient) {
	if ((reg < SHADER_R && m->b->tame >> reg & 1) || (m->tame[reg] & reads) == reads) {
		return CLASS_TAME;
	}
	if (!is_patient && (m->clean[reg] & reads) == reads) {
		return CLASS_CLEAN;
	}
	return find_class(m, reg, row, reads);
}

/* Returns the class of all uniforms together: any of them may be read relative to a0. */
static enum class uniforms_class(struct machine *m) {
	if (!m->uniforms_known) {
		const float *c = m->u->c[0];
		struct extent e = extent_none();
		for (unsigned i = 0; i < 4 * SHADER_UNIFORMS; i += VF_LANES) {
			extent_add(&e, vf_loadu(c + i));
		}
		m->uniforms = extent_class(&e);
		m->uniforms_known = true;
	}
	return m->uniforms;
}

/* Points source s at the rows, from the group's first vector on, in the order for kernels. */
static inline void point_at(struct args *x, const struct group *g, const struct prog_op *op,
		unsigned s, const float row[4][SHADER_LANES]) {
	const float *first = row[0] + g->first * VF_LANES;
	x->s[s][0] = first + op->from[s][0] * SHADER_LANES;
	x->s[s][1] = first + op->from[s][1] * SHADER_LANES;
	x->s[s][2] = first + op->from[s][2] * SHADER_LANES;
	x->s[s][3] = first + op->from[s][3] * SHADER_LANES;
	x->step[s] = VF_LANES;
}

/* Copies the rows that are read to m->operand[s], flushed and negated as required. */
static void copy_rows(struct machine *m, const struct group *g, const struct prog_op *op,
		unsigned s, const float row[4][SHADER_LANES], bool flushes) {
	const vf sign = vf_set1(op->negate >> s & 1 ? -0.0f : 0.0f);
	const vi below = vi_set1(flushes ? BELOW_F24 : -1);
	for (unsigned c = 0; c < 4; c++) {
		if (!(op->reads[s] >> c & 1)) {
			continue;
		}
		for (unsigned i = g->first; i < g->first + g->nv; i++) {
			vf x = zero_below(vf_load(row[c] + i * VF_LANES), below);
			vf_store(m->operand[s][c] + i * VF_LANES, vf_xor(x, sign));
		}
	}
}

/*
 * a0: x rounded toward zero, or 0 if that is not in -128..127, that is, unless -129 < x < 128.
 */
static inline vi address_offset(vf x) {
	const vi fits = vi_and(vf_gt(x, vf_set1(-129.0f)), vf_lt(x, vf_set1(128.0f)));
	return vi_from_vf_trunc(vf_and(x, vf_as_vi_bits(fits)));
}

static inline uint32_t spread(float *row, float value, uint32_t sign) {
	uint32_t bits = f32_bits(value);
	vf_store(row, vf_set1(f32_from_bits(bits ^ sign)));
	return bits & 0x7FFFFFFF;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b) {
	return a < b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b) {
	return a > b ? a : b;
}

/* Spreads a uniform to all lanes, flushed if is_cleaned, and returns its class. */
static enum class read_uniform(struct machine *m, struct args *x, const struct prog_op *op,
		unsigned s, const float value[4], bool is_cleaned) {
	const uint32_t sign = (uint32_t)(op->negate >> s & 1) << 31;
	float (*const row)[SHADER_LANES] = m->operand[s];
	/* Magnitudes, including those of unread components. */
	uint32_t m0 = spread(row[0], value[op->from[s][0]], sign);
	uint32_t m1 = spread(row[1], value[op->from[s][1]], sign);
	uint32_t m2 = spread(row[2], value[op->from[s][2]], sign);
	uint32_t m3 = spread(row[3], value[op->from[s][3]], sign);
	x->s[s][0] = row[0];
	x->s[s][1] = row[1];
	x->s[s][2] = row[2];
	x->s[s][3] = row[3];
	x->step[s] = 0;
	/* 0 counts as the largest. */
	uint32_t smallest = min_u32(min_u32(m0 - 1, m1 - 1), min_u32(m2 - 1, m3 - 1));
	uint32_t largest = max_u32(max_u32(m0, m1), max_u32(m2, m3));
	if (PICA_UNLIKELY(smallest < BELOW_F24)) {
		if (!is_cleaned) {
			return CLASS_ANY;
		}
		for (unsigned k = 0; k < 4; k++) {
			vf_store(row[k], flush(vf_load(row[k])));
		}
		return CLASS_CLEAN;
	}
	const bool is_tame = smallest >= SHADER_TAME_LEAST - 1 && largest < SHADER_TAME_END;
	return is_tame ? CLASS_TAME : CLASS_CLEAN;
}

static const float ones[4] = { 1.0f, 1.0f, 1.0f, 1.0f };

static const float *uniform_at(const struct machine *m, unsigned base, int32_t off) {
	int k = arith_relative(base, off);
	return k < 0 ? ones : m->u->c[k];
}

/*
 * Reads the uniforms at base plus each of VF_LANES offsets, into one vector per component. The rule
 * is that of arith_relative().
 */
static inline void gather(const float *c, unsigned base, vi off, vf plane[4]) {
	vi index = vi_and(vi_add(vi_set1((int32_t)base), off), vi_set1(0x7F));
	PICA_ALIGNED(64) int32_t lane[VF_LANES];
	vi_store(lane, vi_min(index, vi_set1(SHADER_UNIFORMS - 1)));
	vf_gather4(c, lane, plane);
	vi outside = vi_gt(index, vi_set1(SHADER_UNIFORMS - 1));
	if (PICA_UNLIKELY(vi_movemask(outside))) {
		for (unsigned k = 0; k < 4; k++) {
			plane[k] = vf_select(outside, vf_set1(1.0f), plane[k]);
		}
	}
}

/* Reads a uniform relative to a0, where a0 differs between lanes. */
static enum class gather_uniform(struct machine *m, const struct group *g, const struct prog_op *op,
		unsigned s, bool is_cleaned) {
	const vf sign = vf_set1(op->negate >> s & 1 ? -0.0f : 0.0f);
	const int32_t *a = m->a[op->rel - 1];
	float (*const row)[SHADER_LANES] = m->operand[s];
	const unsigned end = (g->first + g->nv) * VF_LANES;
	const float *c = m->u->c[0];
	const unsigned base = op->src[s] - (unsigned)SHADER_C;
	for (unsigned i = g->first * VF_LANES; i < end; i += VF_LANES) {
		vf p[4];
		gather(c, base, vi_load(a + i), p);
		vf_store(row[0] + i, vf_xor(p[0], sign));
		vf_store(row[1] + i, vf_xor(p[1], sign));
		vf_store(row[2] + i, vf_xor(p[2], sign));
		vf_store(row[3] + i, vf_xor(p[3], sign));
	}
	enum class class = is_cleaned ? uniforms_class(m) : CLASS_ANY;
	if (is_cleaned && class == CLASS_ANY) {
		for (unsigned k = 0; k < 4; k++) {
			for (unsigned i = g->first; i < g->first + g->nv; i++) {
				float *p = row[k] + i * VF_LANES;
				vf_store(p, flush(vf_load(p)));
			}
		}
		class = CLASS_CLEAN;
	}
	return class;
}

static enum class read_relative(struct machine *m, const struct group *g, const struct prog_op *op,
		unsigned s, bool is_cleaned, struct args *x) {
	unsigned base = op->src[s] - (unsigned)SHADER_C;
	if (op->rel != 3 && !m->a_is_same[op->rel - 1]) {
		point_at(x, g, op, s, (const float (*)[SHADER_LANES])m->operand[s]);
		return gather_uniform(m, g, op, s, is_cleaned);
	}
	int32_t off = op->rel == 3 ? g->flow.al : m->a[op->rel - 1][0];
	return read_uniform(m, x, op, s, uniform_at(m, base, off), is_cleaned);
}

/*
 * Reads source s of an instruction. If is_cleaned, flushes it where needed and returns its class;
 * otherwise the result may be lower than the true class.
 */
static inline enum class read_operand(struct machine *m, const struct group *g,
		const struct prog_op *op, unsigned s, bool is_cleaned, struct args *x) {
	const unsigned reg = op->src[s];
	if (reg >= SHADER_C) {
		return op->rel && op->rel_src == s ? read_relative(m, g, op, s, is_cleaned, x) :
				read_uniform(m, x, op, s, m->u->c[reg - SHADER_C], is_cleaned);
	}
	const float (*row)[SHADER_LANES];
	if (reg < SHADER_R) {
		row = (const float (*)[SHADER_LANES])m->b->v[reg];
	} else {
		row = (const float (*)[SHADER_LANES])m->r[reg - SHADER_R];
		unsigned missing = op->reads[s] & ~(unsigned)m->valid[reg];
		if (PICA_UNLIKELY(missing)) {
			zero_rows(m->r[reg - SHADER_R], missing);
			m->valid[reg] |= (uint8_t)missing;
		}
	}
	bool is_patient = !op->each || reg < SHADER_R;
	enum class class = is_cleaned ? register_class(m, reg, row, op->reads[s], is_patient) :
			CLASS_ANY;
	bool flushes = is_cleaned && class == CLASS_ANY;
	if (PICA_UNLIKELY(flushes || op->negate >> s & 1)) {
		copy_rows(m, g, op, s, row, flushes);
		row = (const float (*)[SHADER_LANES])m->operand[s];
		class = flushes ? CLASS_CLEAN : class;
	}
	point_at(x, g, op, s, row);
	return class;
}

#endif
