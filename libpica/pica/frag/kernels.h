/*
 * The kernels of the fragment pipe, one const table for each instruction set.
 *
 * Colours are planes of BATCH unsigned 16-bit values, 0..255, 64-byte aligned; the planes of one
 * colour are consecutive (R, G, B, A). Every colour operation (combiner, blender, logic unit) has
 * one form: it computes dst planes from up to four operands. An operand is as many planes, or one
 * plane that is repeated.
 */
#ifndef FRAG_KERNELS_H
#define FRAG_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "core/vec/batch.h"
#include "core/vec/cpu.h"
#include "pica/frag/frag.h"
#include "pica/frag/light.h"
#include "pica/frag/proctex.h"

/*
 * Operations on planes: id, name, operands a, b, c, d; values 0..255 in and out.
 * mul(a,b) = (2ab+255)/510, the product rounded to nearest. [HW for dot3, REC for the rest:
 * fidelity: combiner-rounding]
 */
#define FRAG_OPS(X, set) FRAG_OPS_FIXED(X, set) FRAG_OPS_PRODUCT(X, set)

/*
 * The combiner's products have a second form, frag_op_<name>_trunc, which divides by 255 and
 * truncates, as the software renderers of the Citra family do: ab/255, (ac + b(255-c))/255,
 * min((ab + 255c)/255, 255), min(a+b, 255)c/255. [fidelity: combiner-rounding] dot3, which was
 * measured on the console, has one form only.
 */
#define FRAG_OPS_PRODUCT(X, set) \
	X(set, MODULATE, modulate, 2)          /* mul(a,b) */ \
	X(set, LERP, lerp, 3)                  /* (2(ac + b(255-c)) + 255)/510 */ \
	X(set, MUL_ADD, mul_add, 3)            /* min(mul(a,b) + c, 255) */ \
	X(set, ADD_MUL, add_mul, 3)            /* mul(min(a+b, 255), c) */

#define FRAG_OPS_FIXED(X, set) \
	X(set, COMPLEMENT, complement, 1)      /* 255 - a */ \
	X(set, SCALE2, scale2, 1)              /* min(2a, 255) */ \
	X(set, SCALE4, scale4, 1)              /* min(4a, 255) */ \
	X(set, ADD, add, 2)                    /* min(a+b, 255) */ \
	X(set, ADD_SIGNED, add_signed, 2)      /* clamp(a+b-128) */ \
	X(set, SUBTRACT, subtract, 2)          /* max(a-b, 0) */ \
	X(set, DOT3, dot3, 2)                  /* of three planes each; one plane out */ \
	X(set, BLEND_ADD, blend_add, 4)        /* min((ab + cd)/255, 255) */ \
	X(set, BLEND_SUB, blend_sub, 4)        /* max((ab - cd)/255, 0) */ \
	X(set, BLEND_RSUB, blend_rsub, 4)      /* max((cd - ab)/255, 0) */ \
	X(set, BLEND_MIN, blend_min, 4)        /* min(ab, cd)/255 */ \
	X(set, BLEND_MAX, blend_max, 4)        /* max(ab, cd)/255 */ \
	X(set, SATURATE, saturate, 2)          /* min(a, 255-b) */ \
	X(set, AND, and, 2)                    /* logic, on eight bits */ \
	X(set, AND_REVERSE, and_reverse, 2)    /* a & ~b */ \
	X(set, NAND, nand, 2) \
	X(set, OR, or, 2) \
	X(set, OR_REVERSE, or_reverse, 2)      /* a | ~b */ \
	X(set, NOR, nor, 2) \
	X(set, XOR, xor, 2) \
	X(set, EQUIV, equiv, 2)

#define FRAG_OP_ENUM(set, id, name, n) FRAG_OP_##id,
enum frag_op {
	FRAG_OPS(FRAG_OP_ENUM, _)
	FRAG_OP_COUNT
};

enum { FRAG_OP_INPUTS = 4 };

/* An operand: plane k is at p + k * stride. stride is BATCH, or 0 to repeat one plane. */
struct plane_in {
	const uint16_t *p;
	size_t stride;
};

/*
 * Writes dst[k * BATCH + i] for k < n_planes (1, 3, 4), i < n_lanes (a multiple of 16 up to BATCH).
 * dst may be one of the operands. Any operand values are safe, because dead lanes may hold them.
 * Here and in the kernels below, lanes of dst from n_lanes on are unspecified afterwards.
 */
typedef void frag_op_fn(uint16_t *dst, const struct plane_in *in, unsigned n_planes,
		unsigned n_lanes);

/*
 * Converts float colours to bytes: n_planes planes, BATCH apart in dst and q; n_lanes is a multiple
 * of 16. A = q * w of the lane, or q if w is NULL;
 * v = A > 0 ? A : 0; v = v < 1 ? v : 1; (int)(v*255 + 0.5)  [docs/fidelity.md, "Colour"]
 */
typedef void frag_color_fn(uint16_t *dst, const float *q, const float *w, unsigned n_planes,
		unsigned n_lanes);

/*
 * The same for the 64 lanes of a block, where q of plane k is base[k] + steps[k * BATCH + i]. w:
 * one value per lane, or NULL.
 */
typedef void frag_color_block_fn(uint16_t *dst, const float *steps, const float *base,
		const float *w, unsigned n_planes);

/*
 * Applies fog to three planes of colour. depth: of the same lanes, in [0, 1]; any value is safe,
 * because dead lanes may hold it. n_lanes: a multiple of 16. [docs/fidelity.md, "Fog"]
 */
typedef void frag_fog_fn(uint16_t *dst, const struct plane_in *rgb, const float *depth,
		const struct frag_fog_consts *fog, unsigned n_lanes);

/* The outcomes of comparing "incoming" with "reference" that pass: a bitwise OR of these. */
enum {
	RELATION_LESS = 1,
	RELATION_EQUAL = 2,
	RELATION_GREATER = 4,
	RELATION_NEVER = 0,
	RELATION_ALWAYS = 7,
};

/* Returns the lanes of 0..n_lanes-1 (a multiple of 16) whose alpha passes; bits above are 0. */
typedef uint64_t frag_alpha_fn(const uint16_t *alpha, unsigned relation, unsigned ref,
		unsigned n_lanes);

/*
 * Computes the depth d, in [0, 1], and its integer, of lanes 0..n_lanes-1 only (a multiple of 4).
 * Planes are 16-byte aligned.
 * d = zow*scale + offset, times w or 1/w (as the kernel's frag_depth_w says), then clamped.
 * [docs/fidelity.md, "Depth"; fidelity: depth-integer]
 */
typedef void frag_depth_fn(uint32_t *z, float *depth, const float *zow, const float *w,
		float scale, float offset, unsigned n_lanes);

/* How a depth kernel uses its argument w. */
enum frag_depth_w {
	FRAG_DEPTH_Z,  /* ignored: depth is linear in z/w */
	FRAG_DEPTH_W,  /* it is w: multiplies by w */
	FRAG_DEPTH_IW, /* it is the interpolated 1/w: multiplies by 1.0f/w */
	FRAG_DEPTH_W_COUNT
};

/* Depth and stencil test of quads, directly on the target's memory. */
struct frag_test {
	uint8_t *base;           /* pixel 0 of the depth buffer */
	const uint32_t *quad_px; /* of quad 0 */
	const uint32_t *z;       /* of lane 0, 64-byte aligned; below 2^24 */
	uint8_t depth_relation;  /* incoming against stored */
	uint8_t write_depth;     /* 0 or 1: written if all tests pass */
	float scale, offset;     /* the block kernel only: as frag_depth_fn */
	/* The stencil kernel only. [fidelity: stencil] */
	uint8_t stencil_relation;
	uint8_t ref, compare_mask;
	uint8_t write_mask;      /* 0: nothing is written */
	uint8_t op_fail, op_zfail, op_zpass; /* enum STENCIL_OP */
};

/*
 * Tests and writes quads first..first+n-1 in order (two of them may cover the same pixels). Returns
 * live without the lanes of these quads that fail. Touches no byte outside quads with live lanes.
 */
typedef uint64_t frag_test_fn(const struct frag_test *t, uint64_t live, unsigned first, unsigned n);

/*
 * The depth test for a block of a depth buffer with stencil. Uses relation, write_depth, scale and
 * offset of t. Computes the depth as FRAG_DEPTH_Z from z/w = base + steps[i], then tests it.
 * Returns the lanes of live that pass. May write the bytes of other lanes, with their old values.
 */
typedef uint64_t frag_test_block_fn(const struct frag_test *t, uint8_t *pixels, const float *steps,
		float base, uint64_t live);

/*
 * Loads the pixels of quads 0..n_quads-1 into four planes at dst, expanded to 8 bits; alpha is 255
 * if the format has none. Lanes after the quads, up to a multiple of 8, are unspecified.
 */
typedef void frag_load_fn(uint16_t *dst, const uint8_t *base, const uint32_t *quad_px,
		unsigned n_quads);

/*
 * Stores the live lanes of quads 0..n_quads-1 from the planes r, g, b, a, truncated to the format,
 * in quad order. Touches no byte outside quads with live lanes; dead pixels keep their bytes.
 */
typedef void frag_store_fn(uint8_t *base, const uint32_t *quad_px, const uint16_t *const src[4],
		uint64_t live, unsigned n_quads);
/* The same two for a whole block of RGBA8. Dead pixels may be rewritten with their old value. */
typedef void frag_load_block_fn(uint16_t *dst, const uint8_t *pixels);
typedef void frag_store_block_fn(
		uint8_t *pixels, const uint16_t *const src[4], uint64_t live);

/*
 * Draws the live lanes of quads 0..n_quads-1, in quad order, to a shadow map of 4 bytes per pixel.
 * z: below 2^24, 16-byte aligned; green: from the combiner, 0..255. Touches no byte outside quads
 * with live lanes. [fidelity: shadow-render; docs/fidelity.md, "Shadow maps"]
 */
typedef void frag_shadow_fn(uint8_t *base, const uint32_t *quad_px, const uint32_t *z,
		const uint16_t *green, const struct frag_shadow_consts *c, uint64_t live,
		unsigned n_quads);

/* The accumulation target of gas, 4 bytes per pixel, and its depth buffer. */
struct frag_gas_target {
	uint8_t *color;
	const uint32_t *color_px;
	const uint8_t *depth;  /* NULL: there is none */
	const uint32_t *depth_px;
	unsigned depth_bytes;  /* 2, 3, or 4 with stencil */
	/* incoming against stored depth: a density is added only if it passes */
	uint8_t relation;
	float delta;           /* factor for a depth difference */
};

/*
 * Adds the densities of live lanes of quads 0..n_quads-1, in quad order. z is as wide as the depth
 * buffer, red is 0..255. Touches no byte outside quads with live lanes. Returns the greatest plain
 * density that it stored, as f16. [docs/fidelity.md, "Gas"]
 */
typedef uint32_t frag_gas_add_fn(const struct frag_gas_target *t, const uint32_t *z,
		const uint16_t *red, uint64_t live, unsigned n_quads);

/*
 * Writes the colour of gas to four planes, n_lanes (a multiple of 16). in[0]: red of the combiner,
 * one plane; in[1]: the texel of unit 0, R, G, B, A. Reads fog->table. Any values are safe, because
 * dead lanes may hold them.
 */
typedef void frag_gas_shade_fn(uint16_t *dst, const struct plane_in in[2],
		const struct frag_gas_consts *gas, const struct frag_fog_consts *fog,
		unsigned n_lanes);

enum frag_test_kind { FRAG_TEST_D16, FRAG_TEST_D24, FRAG_TEST_D24S8, FRAG_TEST_STENCIL,
	FRAG_TEST_COUNT };

struct frag_kernels {
	frag_op_fn *op[FRAG_OP_COUNT];
	frag_color_fn *color;
	frag_color_block_fn *color_block;
	frag_fog_fn *fog;
	frag_alpha_fn *alpha;
	frag_depth_fn *depth[FRAG_DEPTH_W_COUNT][2]; /* to 16 bits, to 24 bits */
	frag_test_fn *test[FRAG_TEST_COUNT];
	frag_test_block_fn *test_block;
	frag_shadow_fn *shadow;
	frag_gas_add_fn *gas_add;
	frag_gas_shade_fn *gas_shade;
	frag_load_fn *load[COLOR_COUNT];
	frag_store_fn *store[COLOR_COUNT];
	frag_load_block_fn *load_block;
	frag_store_block_fn *store_block;
	const struct proctex_kernels *proctex;
	const struct light_kernels *light;
};

#define FRAG_DECLARE_OP(set, id, name, n) frag_op_fn frag_op_##name##_##set;
#define FRAG_DECLARE_TRUNC(set, id, name, n) frag_op_fn frag_op_##name##_trunc_##set;
#define FRAG_DECLARE(set) \
	FRAG_OPS(FRAG_DECLARE_OP, set) \
	FRAG_OPS_PRODUCT(FRAG_DECLARE_TRUNC, set) \
	frag_color_fn frag_color_##set; \
	frag_color_block_fn frag_color_block_##set; \
	frag_fog_fn frag_fog_##set; \
	frag_shadow_fn frag_shadow_##set; \
	frag_gas_add_fn frag_gas_add_##set; \
	frag_gas_shade_fn frag_gas_shade_##set; \
	frag_alpha_fn frag_alpha_##set; \
	frag_depth_fn frag_depth_z16_##set, frag_depth_z24_##set; \
	frag_depth_fn frag_depth_w16_##set, frag_depth_w24_##set; \
	frag_depth_fn frag_depth_iw16_##set, frag_depth_iw24_##set; \
	frag_test_fn frag_test_d16_##set, frag_test_d24_##set; \
	frag_test_fn frag_test_d24s8_##set, frag_test_stencil_##set; \
	frag_test_block_fn frag_test_block_##set; \
	frag_load_block_fn frag_load_block_##set; \
	frag_store_block_fn frag_store_block_##set; \
	frag_load_fn frag_load_rgba8_##set, frag_load_rgb8_##set, frag_load_rgb5a1_##set; \
	frag_load_fn frag_load_rgb565_##set, frag_load_rgba4_##set; \
	frag_store_fn frag_store_rgba8_##set, frag_store_rgb8_##set, frag_store_rgb5a1_##set; \
	frag_store_fn frag_store_rgb565_##set, frag_store_rgba4_##set;

#define FRAG_DECLARE_SET(id, set, arg) FRAG_DECLARE(set)
FRAG_DECLARE(c)
ISA_BUILT(FRAG_DECLARE_SET, )

const char *frag_op_name(enum frag_op op);
/* Returns the number of operands that op reads. */
unsigned frag_op_inputs(enum frag_op op);

#endif
