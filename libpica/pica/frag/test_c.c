/*
 * Alpha test, depth conversion, depth and stencil test, in plain C: the truth.
 * [fidelity: alpha-test, stencil, depth-test, depth, depth-integer]
 */
#include "pica/frag/kernels.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "pica/regs/regs.h"

static bool passes(unsigned relation, uint32_t incoming, uint32_t reference) {
	const unsigned outcome = incoming < reference ? RELATION_LESS :
			incoming == reference ? RELATION_EQUAL : RELATION_GREATER;
	return (relation & outcome) != 0;
}

uint64_t frag_alpha_c(const uint16_t *alpha, unsigned relation, unsigned ref, unsigned n_lanes) {
	uint64_t mask = 0;
	for (unsigned i = 0; i < n_lanes; i++) {
		mask |= (uint64_t)passes(relation, alpha[i], ref) << i;
	}
	return mask;
}

/*
 * The exact truncation of d * (2^n - 1), range = 2^n: with m = d * 2^n, which is exact, the
 * product is m - d; it lies one integer lower than m where the fraction of m is below d.
 */
static uint32_t quantise(float d, float range) {
	const float m = d * range;
	const float whole = floorf(m);
	return (uint32_t)whole - (m - whole < d ? 1 : 0);
}

/* The factor of a depth kernel. */
static float factor_z(float w) {
	(void)w;
	return 1.0f;
}

static float factor_w(float w) {
	return w;
}

static float factor_iw(float iw) {
	return 1.0f / iw;
}

static float clamp_depth(float d) {
	d = d > 0.0f ? d : 0.0f; /* NaN gives 0 */
	return d < 1.0f ? d : 1.0f;
}

#define DEPTH(name, factor, range, is_w) \
	void frag_depth_##name##_c(uint32_t *z, float *depth, const float *zow, const float *w, \
			float scale, float offset, unsigned n_lanes) { \
		for (unsigned i = 0; i < n_lanes; i++) { \
			float d = zow[i] * scale + offset; \
			if (is_w) { \
				d = d * factor(w[i]); \
			} \
			d = clamp_depth(d); \
			depth[i] = d; \
			z[i] = quantise(d, range); \
		} \
	}

DEPTH(z16, factor_z, 65536.0f, false)
DEPTH(z24, factor_z, 16777216.0f, false)
DEPTH(w16, factor_w, 65536.0f, true)
DEPTH(w24, factor_w, 16777216.0f, true)
DEPTH(iw16, factor_iw, 65536.0f, true)
DEPTH(iw24, factor_iw, 16777216.0f, true)

static uint32_t load_le(const uint8_t *p, unsigned n) {
	uint32_t word = 0;
	memcpy(&word, p, n);
	return word;
}

/* Depth alone; keep: bits of a pixel that are not depth. */
static uint64_t test_depth(const struct frag_test *t, uint64_t live, unsigned first, unsigned n,
		unsigned bytes, uint32_t keep) {
	for (unsigned i = 4 * first; i < 4 * (first + n); i++) {
		if (!(live >> i & 1)) {
			continue;
		}
		uint8_t *p = t->base + ((size_t)t->quad_px[i / 4] + i % 4) * bytes;
		const uint32_t word = load_le(p, bytes);
		if (!passes(t->depth_relation, t->z[i], word & ~keep)) {
			live &= ~((uint64_t)1 << i);
		} else if (t->write_depth) {
			const uint32_t out = t->z[i] | (word & keep);
			memcpy(p, &out, bytes);
		}
	}
	return live;
}

uint64_t frag_test_d16_c(const struct frag_test *t, uint64_t live, unsigned first, unsigned n) {
	return test_depth(t, live, first, n, 2, 0);
}

uint64_t frag_test_d24_c(const struct frag_test *t, uint64_t live, unsigned first, unsigned n) {
	return test_depth(t, live, first, n, 3, 0);
}

uint64_t frag_test_d24s8_c(const struct frag_test *t, uint64_t live, unsigned first, unsigned n) {
	return test_depth(t, live, first, n, 4, 0xFF000000u);
}

uint64_t frag_test_block_c(const struct frag_test *t, uint8_t *pixels, const float *steps,
		float base, uint64_t live) {
	for (unsigned i = 0; i < BATCH; i++) {
		const float zow = base + steps[i];
		const uint32_t z = quantise(clamp_depth(zow * t->scale + t->offset), 16777216.0f);
		const uint32_t word = load_le(pixels + 4 * i, 4);
		if (!passes(t->depth_relation, z, word & 0xFFFFFF)) {
			live &= ~((uint64_t)1 << i);
		} else if (t->write_depth && live >> i & 1) {
			const uint32_t out = z | (word & 0xFF000000u);
			memcpy(pixels + 4 * i, &out, sizeof(out));
		}
	}
	return live;
}

static uint32_t stencil_op(unsigned op, uint32_t old, uint32_t ref) {
	switch (op) {
	case STENCIL_OP_KEEP:
		return old;
	case STENCIL_OP_ZERO:
		return 0;
	case STENCIL_OP_REPLACE:
		return ref;
	case STENCIL_OP_INCR:
		return old < 255 ? old + 1 : 255;
	case STENCIL_OP_DECR:
		return old > 0 ? old - 1 : 0;
	case STENCIL_OP_INVERT:
		return ~old & 0xFF;
	case STENCIL_OP_INCR_WRAP:
		return (old + 1) & 0xFF;
	default: /* STENCIL_OP_DECR_WRAP */
		return (old - 1) & 0xFF;
	}
}

uint64_t frag_test_stencil_c(const struct frag_test *t, uint64_t live, unsigned first, unsigned n) {
	for (unsigned i = 4 * first; i < 4 * (first + n); i++) {
		if (!(live >> i & 1)) {
			continue;
		}
		uint8_t *p = t->base + ((size_t)t->quad_px[i / 4] + i % 4) * 4;
		const uint32_t word = load_le(p, 4);
		const uint32_t old = word >> 24, old_z = word & 0xFFFFFF;
		unsigned op = t->op_zpass;
		bool alive = true;
		if (!passes(t->stencil_relation, t->ref & t->compare_mask, old & t->compare_mask)) {
			op = t->op_fail;
			alive = false;
		} else if (!passes(t->depth_relation, t->z[i], old_z)) {
			op = t->op_zfail;
			alive = false;
		}
		const uint32_t stencil = (stencil_op(op, old, t->ref) & t->write_mask) |
				(old & ~(uint32_t)t->write_mask);
		const uint32_t out = (alive && t->write_depth ? t->z[i] : old_z) | stencil << 24;
		if (out != word) {
			memcpy(p, &out, 4);
		}
		if (!alive) {
			live &= ~((uint64_t)1 << i);
		}
	}
	return live;
}
