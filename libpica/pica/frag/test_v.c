/*
 * Alpha test, depth conversion, depth and stencil test, in vectors. test_c.c says what and why.
 *
 * Depth alone is compared by a loop for each function. Elsewhere a comparison is done without
 * looking at the function: the three outcomes less, equal, greater are computed and those that pass
 * are or-ed, which costs less than a switch a quad.
 */
#include "pica/frag/kernels.h"

#include <stdbool.h>

#include "core/vec/vec.h"
#include "pica/regs/regs.h"

_Static_assert(VF_LANES == 4, "a vector of 32-bit lanes is one quad");

/* Masks of all ones for the outcomes that pass. */
struct relation {
	vi less, equal, greater;
};

static inline struct relation relation_splat(unsigned relation) {
	return (struct relation){
		.less = vi_set1(relation & RELATION_LESS ? -1 : 0),
		.equal = vi_set1(relation & RELATION_EQUAL ? -1 : 0),
		.greater = vi_set1(relation & RELATION_GREATER ? -1 : 0),
	};
}

/* Lanes are below 2^31. */
static inline vi passes(const struct relation *r, vi incoming, vi reference) {
	const vi greater = vi_and(vi_gt(incoming, reference), r->greater);
	const vi equal = vi_and(vi_eq(incoming, reference), r->equal);
	const vi less = vi_and(vi_gt(reference, incoming), r->less);
	return vi_or(less, vi_or(equal, greater));
}

uint64_t VFN(frag_alpha)(const uint16_t *alpha, unsigned relation, unsigned ref,
		unsigned n_lanes) {
	const vh less = vh_set1(relation & RELATION_LESS ? -1 : 0);
	const vh equal = vh_set1(relation & RELATION_EQUAL ? -1 : 0);
	const vh greater = vh_set1(relation & RELATION_GREATER ? -1 : 0);
	const vh r = vh_set1((int)ref);
	uint64_t mask = 0;
	for (size_t i = 0; i < n_lanes; i += VH_LANES) {
		const vh a = vh_load(alpha + i);
		vh pass = vh_and(vh_gt_s(a, r), greater);
		pass = vh_or(pass, vh_and(vh_eq(a, r), equal));
		pass = vh_or(pass, vh_and(vh_gt_s(r, a), less));
		mask |= (uint64_t)vh_movemask(pass) << i;
	}
	return mask;
}

enum { FACTOR_NONE, FACTOR_W, FACTOR_IW };

static inline void depth_lanes(uint32_t *z, float *depth, const float *zow, const float *w,
		float scale, float offset, unsigned n_lanes, int factor, float range) {
	for (size_t i = 0; i < n_lanes; i += VF_LANES) {
		vf d = vf_add(vf_mul(vf_load(zow + i), vf_set1(scale)), vf_set1(offset));
		if (factor == FACTOR_W) {
			d = vf_mul(d, vf_load(w + i));
		} else if (factor == FACTOR_IW) {
			d = vf_mul(d, vf_div(vf_set1(1.0f), vf_load(w + i)));
		}
		d = vf_min(vf_max(d, vf_zero()), vf_set1(1.0f));
		vf_store(depth + i, d);
		const vf m = vf_mul(d, vf_set1(range));
		const vi whole = vi_from_vf_trunc(m);
		const vi below = vf_lt(vf_sub(m, vf_from_vi(whole)), d);
		vi_store(z + i, vi_add(whole, below));
	}
}

#define DEPTH(name, factor, range) \
	void VFN(frag_depth_##name)(uint32_t *z, float *depth, const float *zow, const float *w, \
			float scale, float offset, unsigned n_lanes) { \
		depth_lanes(z, depth, zow, w, scale, offset, n_lanes, factor, range); \
	}

DEPTH(z16, FACTOR_NONE, 65536.0f)
DEPTH(z24, FACTOR_NONE, 16777216.0f)
DEPTH(w16, FACTOR_W, 65536.0f)
DEPTH(w24, FACTOR_W, 16777216.0f)
DEPTH(iw16, FACTOR_IW, 65536.0f)
DEPTH(iw24, FACTOR_IW, 16777216.0f)

static inline vi load_quad(const uint8_t *p, int bytes) {
	return bytes == 2 ? vi_load_px2(p) : bytes == 3 ? vi_load_px3(p) : vi_loadu(p);
}

static inline void store_quad(uint8_t *p, vi a, int bytes) {
	if (bytes == 2) {
		vi_store_px2(p, a);
	} else if (bytes == 3) {
		vi_store_px3(p, a);
	} else {
		vi_storeu(p, a);
	}
}

/* How a comparison is done: one that vectors have, of which all lanes may be turned round. */
enum compare { COMPARE_ALL, COMPARE_EQUAL_TO, COMPARE_ABOVE, COMPARE_BELOW };

/* inverted: all ones or 0. */
static inline vi compare_lanes(enum compare how, vi inverted, vi incoming, vi reference) {
	switch (how) {
	case COMPARE_EQUAL_TO:
		return vi_xor(vi_eq(incoming, reference), inverted);
	case COMPARE_ABOVE:
		return vi_xor(vi_gt(incoming, reference), inverted);
	case COMPARE_BELOW:
		return vi_xor(vi_gt(reference, incoming), inverted);
	case COMPARE_ALL:
		break;
	}
	return inverted;
}

static inline uint64_t test_depth_as(const struct frag_test *t, uint64_t live, unsigned first,
		unsigned n, int bytes, enum compare how, vi inverted) {
	const vi z_bits = vi_set1(bytes == 4 ? 0xFFFFFF : -1);
	uint8_t *const base = t->base; /* stores of bytes may alias *t: read it once */
	const uint32_t *const quad_px = t->quad_px, *const zs = t->z;
	const bool write = t->write_depth;
	uint64_t dead = 0; /* apart from live, so that quads do not wait for each other */
	for (unsigned q = first; q < first + n; q++) {
		const unsigned lanes = (unsigned)(live >> 4 * q) & 15;
		if (!lanes) {
			continue;
		}
		uint8_t *p = base + (size_t)quad_px[q] * (unsigned)bytes;
		const vi word = load_quad(p, bytes);
		const vi z = vi_load(zs + 4 * q);
		const vi pass = compare_lanes(how, inverted, z, vi_and(word, z_bits));
		const unsigned alive = vi_movemask(pass) & lanes;
		if (write && alive) {
			const vi out = bytes == 4 ? vi_or(z, vi_andnot(z_bits, word)) : z;
			const vi mask = vi_mask_from_bits(alive);
			store_quad(p, alive == 15 ? out : vi_select(mask, out, word), bytes);
		}
		dead |= (uint64_t)(lanes ^ alive) << 4 * q;
	}
	return live & ~dead;
}

static inline uint64_t test_depth(const struct frag_test *t, uint64_t live, unsigned first,
		unsigned n, int bytes) {
	const vi none = vi_zero(), all = vi_set1(-1);
	switch (t->depth_relation) {
	case RELATION_LESS:
		return test_depth_as(t, live, first, n, bytes, COMPARE_BELOW, none);
	case RELATION_LESS | RELATION_EQUAL:
		return test_depth_as(t, live, first, n, bytes, COMPARE_ABOVE, all);
	case RELATION_GREATER:
		return test_depth_as(t, live, first, n, bytes, COMPARE_ABOVE, none);
	case RELATION_GREATER | RELATION_EQUAL:
		return test_depth_as(t, live, first, n, bytes, COMPARE_BELOW, all);
	case RELATION_EQUAL:
		return test_depth_as(t, live, first, n, bytes, COMPARE_EQUAL_TO, none);
	case RELATION_LESS | RELATION_GREATER:
		return test_depth_as(t, live, first, n, bytes, COMPARE_EQUAL_TO, all);
	case RELATION_ALWAYS:
		return test_depth_as(t, live, first, n, bytes, COMPARE_ALL, all);
	default: /* RELATION_NEVER */
		return test_depth_as(t, live, first, n, bytes, COMPARE_ALL, none);
	}
}

uint64_t VFN(frag_test_d16)(const struct frag_test *t, uint64_t live, unsigned first, unsigned n) {
	return test_depth(t, live, first, n, 2);
}

uint64_t VFN(frag_test_d24)(const struct frag_test *t, uint64_t live, unsigned first, unsigned n) {
	return test_depth(t, live, first, n, 3);
}

uint64_t VFN(frag_test_d24s8)(const struct frag_test *t, uint64_t live, unsigned first,
		unsigned n) {
	return test_depth(t, live, first, n, 4);
}

static inline vi stencil_op(unsigned op, vi old, vi ref) {
	const vi one = vi_set1(1), full = vi_set1(255);
	switch (op) {
	case STENCIL_OP_KEEP:
		return old;
	case STENCIL_OP_ZERO:
		return vi_zero();
	case STENCIL_OP_REPLACE:
		return ref;
	case STENCIL_OP_INCR:
		return vi_min(vi_add(old, one), full);
	case STENCIL_OP_DECR:
		return vi_max(vi_sub(old, one), vi_zero());
	case STENCIL_OP_INVERT:
		return vi_xor(old, full);
	case STENCIL_OP_INCR_WRAP:
		return vi_and(vi_add(old, one), full);
	default: /* STENCIL_OP_DECR_WRAP */
		return vi_and(vi_sub(old, one), full);
	}
}

uint64_t VFN(frag_test_stencil)(const struct frag_test *t, uint64_t live, unsigned first,
		unsigned n) {
	const struct relation depth_relation = relation_splat(t->depth_relation);
	const struct relation stencil_relation = relation_splat(t->stencil_relation);
	const vi z_bits = vi_set1(0xFFFFFF);
	const vi ref = vi_set1(t->ref);
	const vi compare_mask = vi_set1(t->compare_mask);
	const vi write_mask = vi_set1(t->write_mask);
	const vi masked_ref = vi_and(ref, compare_mask);
	const vi write_depth = vi_set1(t->write_depth ? -1 : 0);
	const struct frag_test at = *t; /* stores of bytes may alias *t: read it once */
	uint64_t dead = 0;
	for (unsigned q = first; q < first + n; q++) {
		const unsigned lanes = (unsigned)(live >> 4 * q) & 15;
		if (!lanes) {
			continue;
		}
		uint8_t *p = at.base + (size_t)at.quad_px[q] * 4;
		const vi word = vi_loadu(p);
		const vi old = vi_srl(word, 24);
		const vi old_z = vi_and(word, z_bits);
		const vi z = vi_load(at.z + 4 * q);
		const vi stencil_pass =
				passes(&stencil_relation, masked_ref, vi_and(old, compare_mask));
		const vi depth_pass = passes(&depth_relation, z, old_z);
		const vi covered = vi_mask_from_bits(lanes);
		const vi pass = vi_and(vi_and(stencil_pass, depth_pass), covered);
		vi s = vi_select(depth_pass, stencil_op(at.op_zpass, old, ref),
				stencil_op(at.op_zfail, old, ref));
		s = vi_select(stencil_pass, s, stencil_op(at.op_fail, old, ref));
		s = vi_or(vi_and(s, write_mask), vi_andnot(write_mask, old));
		const vi out_z = vi_select(vi_and(pass, write_depth), z, old_z);
		vi_storeu(p, vi_select(covered, vi_or(out_z, vi_sll(s, 24)), word));
		dead |= (uint64_t)(lanes ^ vi_movemask(pass)) << 4 * q;
	}
	return live & ~dead;
}
