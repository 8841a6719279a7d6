/*
 * Alpha test, depth conversion, depth and stencil test, in vectors; see test_c.c.
 *
 * Depth alone is compared by a loop for each function. Other comparisons are independent of the
 * function: the three outcomes less, equal, greater are computed and those that pass are or-ed,
 * which costs less than a switch per quad.
 */
#include "pica/frag/vector.h"
#include "pica/regs/regs.h"

/* Masks of all ones for the outcomes that pass. */
struct relation {
	vqi less, equal, greater;
};

static inline struct relation relation_splat(unsigned relation) {
	return (struct relation){
		.less = vqi_set1(relation & RELATION_LESS ? -1 : 0),
		.equal = vqi_set1(relation & RELATION_EQUAL ? -1 : 0),
		.greater = vqi_set1(relation & RELATION_GREATER ? -1 : 0),
	};
}

/* Lanes are below 2^31. */
static inline vqi passes(const struct relation *r, vqi incoming, vqi reference) {
	const vqi greater = vqi_and(vqi_gt(incoming, reference), r->greater);
	const vqi equal = vqi_and(vqi_eq(incoming, reference), r->equal);
	const vqi less = vqi_and(vqi_gt(reference, incoming), r->less);
	return vqi_or(less, vqi_or(equal, greater));
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
	/* A vector may reach beyond the lanes. */
	return VH_LANES <= 16 || n_lanes == BATCH ? mask : mask & (((uint64_t)1 << n_lanes) - 1);
}

enum { FACTOR_NONE, FACTOR_W, FACTOR_IW };
#define RANGE24 16777216.0f

static inline vf clamp_depth(vf d) {
	return vf_min(vf_max(d, vf_zero()), vf_set1(1.0f));
}

/*
 * The product with 2^24 - 1 may be rounded first: 2^24 d is a multiple of its last bit, and d is
 * less than that bit, so no integer lies between the product and its rounded value. (All d in [0,
 * 1] were tried.) With 16 bits that does not hold.
 */
static inline vi quantise24(vf d) {
	return vi_from_vf_trunc(vf_mul(d, vf_set1(16777215.0f)));
}

static inline vi quantise(vf d, float range) {
	if (range == RANGE24) {
		return quantise24(d);
	}
	const vf m = vf_mul(d, vf_set1(range));
	const vi whole = vi_from_vf_trunc(m);
	return vi_add(whole, vf_lt(vf_sub(m, vf_from_vi(whole)), d));
}

static inline void depth_lanes(uint32_t *z, float *depth, const float *zow, const float *w,
		float scale, float offset, unsigned n_lanes, int factor, float range) {
	for (size_t i = 0; i < n_lanes; i += VF_LANES) {
		const size_t n = n_lanes - i;
		vf d = vf_add(vf_mul(vf_load_part(zow + i, n), vf_set1(scale)), vf_set1(offset));
		if (factor == FACTOR_W) {
			d = vf_mul(d, vf_load_part(w + i, n));
		} else if (factor == FACTOR_IW) {
			d = vf_mul(d, vf_div(vf_set1(1.0f), vf_load_part(w + i, n)));
		}
		d = clamp_depth(d);
		vf_store_part(depth + i, d, n);
		vi_store_part(z + i, quantise(d, range), n);
	}
}

#define DEPTH(name, factor, range) \
	void VFN(frag_depth_##name)(uint32_t *z, float *depth, const float *zow, const float *w, \
			float scale, float offset, unsigned n_lanes) { \
		depth_lanes(z, depth, zow, w, scale, offset, n_lanes, factor, range); \
	}

DEPTH(z16, FACTOR_NONE, 65536.0f)
DEPTH(z24, FACTOR_NONE, RANGE24)
DEPTH(w16, FACTOR_W, 65536.0f)
DEPTH(w24, FACTOR_W, RANGE24)
DEPTH(iw16, FACTOR_IW, 65536.0f)
DEPTH(iw24, FACTOR_IW, RANGE24)

static inline vqi load_quad(const uint8_t *p, int bytes) {
	return bytes == 2 ? vqi_load_u16(p) : bytes == 3 ? vqi_load_px3(p) : vqi_loadu(p);
}

static inline void store_quad(uint8_t *p, vqi a, int bytes) {
	if (bytes == 2) {
		vqi_store_u16(p, a);
	} else if (bytes == 3) {
		vqi_store_px3(p, a);
	} else {
		vqi_storeu(p, a);
	}
}

/* The kind of a comparison: one that vectors have, possibly inverted in all lanes. */
enum compare { COMPARE_ALL, COMPARE_EQUAL_TO, COMPARE_ABOVE, COMPARE_BELOW };

/* V_compare(): inverted is all ones or 0. */
#define DEFINE_COMPARE(V) \
	static inline V V##_compare(enum compare how, V inverted, V incoming, V reference) { \
		switch (how) { \
		case COMPARE_EQUAL_TO: \
			return V##_xor(V##_eq(incoming, reference), inverted); \
		case COMPARE_ABOVE: \
			return V##_xor(V##_gt(incoming, reference), inverted); \
		case COMPARE_BELOW: \
			return V##_xor(V##_gt(reference, incoming), inverted); \
		case COMPARE_ALL: \
			break; \
		} \
		return inverted; \
	}
DEFINE_COMPARE(vqi)
DEFINE_COMPARE(vi)

static inline uint64_t test_depth_as(const struct frag_test *t, uint64_t live, unsigned first,
		unsigned n, int bytes, enum compare how, bool is_inverted) {
	const vqi z_bits = vqi_set1(bytes == 4 ? 0xFFFFFF : -1);
	const vqi inverted = vqi_set1(is_inverted ? -1 : 0);
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
		const vqi word = load_quad(p, bytes);
		const vqi z = vqi_load(zs + 4 * q);
		const vqi pass = vqi_and(vqi_mask_from_bits(lanes),
				vqi_compare(how, inverted, z, vqi_and(word, z_bits)));
		if (write) { /* also if none is alive, which is unpredictable */
			const vqi out = bytes == 4 ? vqi_or(z, vqi_andnot(z_bits, word)) : z;
			store_quad(p, vqi_select(pass, out, word), bytes);
		}
		dead |= (uint64_t)(lanes ^ vqi_movemask(pass)) << 4 * q;
	}
	return live & ~dead;
}

/* Returns fn of the other arguments, the kind of comparison, and whether it is inverted. */
#define BY_RELATION(relation, fn, ...) \
	switch (relation) { \
	case RELATION_LESS: \
		return fn(__VA_ARGS__, COMPARE_BELOW, false); \
	case RELATION_LESS | RELATION_EQUAL: \
		return fn(__VA_ARGS__, COMPARE_ABOVE, true); \
	case RELATION_GREATER: \
		return fn(__VA_ARGS__, COMPARE_ABOVE, false); \
	case RELATION_GREATER | RELATION_EQUAL: \
		return fn(__VA_ARGS__, COMPARE_BELOW, true); \
	case RELATION_EQUAL: \
		return fn(__VA_ARGS__, COMPARE_EQUAL_TO, false); \
	case RELATION_LESS | RELATION_GREATER: \
		return fn(__VA_ARGS__, COMPARE_EQUAL_TO, true); \
	case RELATION_ALWAYS: \
		return fn(__VA_ARGS__, COMPARE_ALL, true); \
	default: /* RELATION_NEVER */ \
		return fn(__VA_ARGS__, COMPARE_ALL, false); \
	}

static inline uint64_t test_depth(const struct frag_test *t, uint64_t live, unsigned first,
		unsigned n, int bytes) {
	BY_RELATION(t->depth_relation, test_depth_as, t, live, first, n, bytes)
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

static inline uint64_t test_block(const struct frag_test *t, uint8_t *p, const float *steps,
		float base, uint64_t live, enum compare how, bool is_inverted) {
	const vf at = vf_set1(base), scale = vf_set1(t->scale), offset = vf_set1(t->offset);
	const vi z_bits = vi_set1(0xFFFFFF), inverted = vi_set1(is_inverted ? -1 : 0);
	const bool write = t->write_depth, is_whole = !~live;
	uint64_t alive = 0;
	for (unsigned i = 0; i < BATCH; i += VF_LANES) {
		const vf zow = vf_add(at, vf_load(steps + i));
		const vi z = quantise24(clamp_depth(vf_add(vf_mul(zow, scale), offset)));
		const vi word = vi_loadu(p + 4 * i);
		vi pass = vi_compare(how, inverted, z, vi_and(word, z_bits));
		if (!is_whole) {
			pass = vi_and(pass, vi_mask_from_bits((unsigned)(live >> i)));
		}
		if (write) {
			const vi out = vi_or(z, vi_andnot(z_bits, word));
			vi_storeu(p + 4 * i, vi_select(pass, out, word));
		}
		alive |= (uint64_t)vi_movemask(pass) << i;
	}
	return alive;
}

uint64_t VFN(frag_test_block)(const struct frag_test *t, uint8_t *pixels, const float *steps,
		float base, uint64_t live) {
	BY_RELATION(t->depth_relation, test_block, t, pixels, steps, base, live)
}

static inline vqi stencil_op(unsigned op, vqi old, vqi ref) {
	const vqi one = vqi_set1(1), full = vqi_set1(255);
	switch (op) {
	case STENCIL_OP_KEEP:
		return old;
	case STENCIL_OP_ZERO:
		return vqi_zero();
	case STENCIL_OP_REPLACE:
		return ref;
	case STENCIL_OP_INCR:
		return vqi_min(vqi_add(old, one), full);
	case STENCIL_OP_DECR:
		return vqi_max(vqi_sub(old, one), vqi_zero());
	case STENCIL_OP_INVERT:
		return vqi_xor(old, full);
	case STENCIL_OP_INCR_WRAP:
		return vqi_and(vqi_add(old, one), full);
	default: /* STENCIL_OP_DECR_WRAP */
		return vqi_and(vqi_sub(old, one), full);
	}
}

uint64_t VFN(frag_test_stencil)(const struct frag_test *t, uint64_t live, unsigned first,
		unsigned n) {
	const struct relation depth_relation = relation_splat(t->depth_relation);
	const struct relation stencil_relation = relation_splat(t->stencil_relation);
	const vqi z_bits = vqi_set1(0xFFFFFF);
	const vqi ref = vqi_set1(t->ref);
	const vqi compare_mask = vqi_set1(t->compare_mask);
	const vqi write_mask = vqi_set1(t->write_mask);
	const vqi masked_ref = vqi_and(ref, compare_mask);
	const vqi write_depth = vqi_set1(t->write_depth ? -1 : 0);
	const struct frag_test at = *t; /* stores of bytes may alias *t: read it once */
	uint64_t dead = 0;
	for (unsigned q = first; q < first + n; q++) {
		const unsigned lanes = (unsigned)(live >> 4 * q) & 15;
		if (!lanes) {
			continue;
		}
		uint8_t *p = at.base + (size_t)at.quad_px[q] * 4;
		const vqi word = vqi_loadu(p);
		const vqi old = vqi_srl(word, 24);
		const vqi old_z = vqi_and(word, z_bits);
		const vqi z = vqi_load(at.z + 4 * q);
		const vqi stencil_pass =
				passes(&stencil_relation, masked_ref, vqi_and(old, compare_mask));
		const vqi depth_pass = passes(&depth_relation, z, old_z);
		const vqi covered = vqi_mask_from_bits(lanes);
		const vqi pass = vqi_and(vqi_and(stencil_pass, depth_pass), covered);
		vqi s = vqi_select(depth_pass, stencil_op(at.op_zpass, old, ref),
				stencil_op(at.op_zfail, old, ref));
		s = vqi_select(stencil_pass, s, stencil_op(at.op_fail, old, ref));
		s = vqi_or(vqi_and(s, write_mask), vqi_andnot(write_mask, old));
		const vqi out_z = vqi_select(vqi_and(pass, write_depth), z, old_z);
		vqi_storeu(p, vqi_select(covered, vqi_or(out_z, vqi_sll(s, 24)), word));
		dead |= (uint64_t)(lanes ^ vqi_movemask(pass)) << 4 * q;
	}
	return live & ~dead;
}
