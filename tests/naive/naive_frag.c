/*
 * One pixel after the combiner (naive_tev.c): tests, blending, the store
 * (fidelity: output-fields; docs/fidelity.md 1 "Combiner and output").
 */
#include "naive_state.h"

#include <math.h>
#include <string.h>

#include "core/base/fixed.h"
#include "pica/regs/regs.h"

/* ---- The target, as the draw finds it ---- */

static const unsigned color_bytes[5] = {
	[COLOR_FORMAT_RGBA8] = 4,
	[COLOR_FORMAT_RGB8] = 3,
	[COLOR_FORMAT_RGB5A1] = 2,
	[COLOR_FORMAT_RGB565] = 2,
	[COLOR_FORMAT_RGBA4] = 2,
};

static const unsigned depth_bytes[4] = {
	[DEPTH_FORMAT_D16] = 2,
	[1] = 0, /* freezes hardware: no access */
	[DEPTH_FORMAT_D24] = 3,
	[DEPTH_FORMAT_D24S8] = 4,
};

void naive_draw_begin(struct naive *n) {
	struct naive_draw *d = &n->draw;
	const uint32_t dim = n->regs[REG_FRAMEBUFFER_DIM];
	d->is_set = true;
	d->kind = NAIVE_IMMEDIATE; /* the others say so below */
	d->written_before = n->stats.written;
	d->width = FRAMEBUFFER_DIM_WIDTH(dim);
	d->height = FRAMEBUFFER_DIM_HEIGHT_M1(dim) + 1;
	d->is_flipped = FRAMEBUFFER_DIM_NO_FLIP(dim);
	d->block32 = FRAMEBUFFER_BLOCK32_BLOCK32(n->regs[REG_FRAMEBUFFER_BLOCK32]);
	d->color_addr = (DEPTHBUFFER_LOC_ADDR8(n->regs[REG_COLORBUFFER_LOC]) & ~7u) * 8;
	d->depth_addr = (DEPTHBUFFER_LOC_ADDR8(n->regs[REG_DEPTHBUFFER_LOC]) & ~7u) * 8;
	d->color_format = COLORBUFFER_FORMAT_FORMAT(n->regs[REG_COLORBUFFER_FORMAT]);
	d->depth_format = DEPTHBUFFER_FORMAT_FORMAT(n->regs[REG_DEPTHBUFFER_FORMAT]);

	const uint32_t mode = COLOR_OPERATION_MODE(n->regs[REG_COLOR_OPERATION]);
	if (mode == FRAGMENT_MODE_SHADOW || mode == FRAGMENT_MODE_GAS) {
		d->color_format = COLOR_FORMAT_RGBA8; /* 4 bytes in any case [1] [guess for gas] */
	}
	d->is_silent = false;
	if (d->width == 0 || d->width % 8 != 0 || d->color_format > COLOR_FORMAT_RGBA4) {
		n->stats.faults[PICA_FAULT_BAD_TARGET]++;
		d->is_silent = true;
	} else if (depth_bytes[d->depth_format] == 0) {
		n->stats.faults[PICA_FAULT_BAD_TARGET]++;
	}
	d->is_silent |= mode == FRAGMENT_MODE_NOTHING;
	for (unsigned unit = 0; unit < 3; unit++) {
		naive_texture_read(n, unit, &d->tex[unit]);
	}
	naive_faces_read(n, d);
}

void naive_set_drawn(struct naive *n, naive_drawn_fn *drawn, void *user) {
	n->drawn = drawn;
	n->drawn_user = user;
}

void naive_draw_end(struct naive *n) {
	const struct naive_draw *d = &n->draw;
	if (d->is_set && n->drawn) {
		n->drawn(n->drawn_user, n->regs, d->kind, n->stats.written - d->written_before);
	}
	n->draw.is_set = false;
}

/* ---- Tests ---- */

static bool compare(uint32_t func, uint32_t a, uint32_t b) {
	switch (func) {
	case COMPARE_NEVER:
		return false;
	case COMPARE_ALWAYS:
		return true;
	case COMPARE_EQUAL:
		return a == b;
	case COMPARE_NOTEQUAL:
		return a != b;
	case COMPARE_LESS:
		return a < b;
	case COMPARE_LEQUAL:
		return a <= b;
	case COMPARE_GREATER:
		return a > b;
	default:
		return a >= b;
	}
}

/* [fidelity: depth-integer]: the exact truncation of d * (2^bits - 1). */
uint32_t naive_depth_to_int(float d, unsigned bits) {
	const double m = (double)d * (double)(1u << bits); /* exact */
	const double whole = floor(m);
	return (uint32_t)whole - (m - whole < (double)d ? 1 : 0);
}

static uint32_t stencil_result(uint32_t op, uint32_t old, uint32_t ref) {
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
		return ~old & 255;
	case STENCIL_OP_INCR_WRAP:
		return (old + 1) & 255;
	default:
		return (old - 1) & 255;
	}
}

static void write_stencil(struct naive *n, uint32_t addr, uint32_t op, uint32_t old) {
	const uint32_t test = n->regs[REG_STENCIL_TEST];
	const uint32_t mask = STENCIL_TEST_WRITE_MASK(test);
	if (DEPTHBUFFER_WRITE_STENCIL(n->regs[REG_DEPTHBUFFER_WRITE])) {
		const uint32_t result = stencil_result(op, old, STENCIL_TEST_REF(test));
		naive_write(n, addr + 3, (result & mask) | (old & ~mask), 1);
	}
}

/* Tests and writes stencil and depth. The fragment is lost unless it returns KEPT. */
static enum pica_verdict depth_stencil(struct naive *n, uint64_t index, float d) {
	const struct naive_draw *draw = &n->draw;
	const unsigned bytes = depth_bytes[draw->depth_format];
	const uint32_t mask = n->regs[REG_DEPTH_COLOR_MASK];
	const uint32_t test = n->regs[REG_STENCIL_TEST], ops = n->regs[REG_STENCIL_OP];
	if (bytes == 0) {
		return PICA_VERDICT_KEPT;
	}
	const uint32_t addr = draw->depth_addr + (uint32_t)(index * bytes);
	const uint32_t word = naive_read(n, addr, bytes);
	const bool has_stencil =
			draw->depth_format == DEPTH_FORMAT_D24S8 && STENCIL_TEST_ENABLE(test);
	const uint32_t old = word >> 24;
	if (has_stencil) {
		const uint32_t m = STENCIL_TEST_COMPARE_MASK(test);
		if (!compare(STENCIL_TEST_FUNC(test), STENCIL_TEST_REF(test) & m, old & m)) {
			write_stencil(n, addr, STENCIL_OP_FAIL(ops), old);
			return PICA_VERDICT_STENCIL;
		}
	}
	const uint32_t z = naive_depth_to_int(d, draw->depth_format == DEPTH_FORMAT_D16 ? 16 : 24);
	const uint32_t stored = draw->depth_format == DEPTH_FORMAT_D24S8 ? word & 0xFFFFFF : word;
	if (DEPTH_COLOR_MASK_ENABLE(mask) && !compare(DEPTH_COLOR_MASK_FUNC(mask), z, stored)) {
		if (has_stencil) {
			write_stencil(n, addr, STENCIL_OP_ZFAIL(ops), old);
		}
		return PICA_VERDICT_DEPTH;
	}
	if (DEPTH_COLOR_MASK_DEPTH_WRITE(mask) &&
			DEPTHBUFFER_WRITE_DEPTH(n->regs[REG_DEPTHBUFFER_WRITE])) {
		naive_write(n, addr, z, bytes < 3 ? bytes : 3);
	}
	if (has_stencil) {
		write_stencil(n, addr, STENCIL_OP_ZPASS(ops), old);
	}
	return PICA_VERDICT_KEPT;
}

/* ---- Blending ---- */

/* k: the channel; s, d, c: source, destination, constant. */
static int32_t factor(uint32_t f, unsigned k, const uint8_t s[4], const uint8_t d[4],
		const uint8_t c[4]) {
	switch (f) {
	case BLEND_FACTOR_ZERO:
		return 0;
	case BLEND_FACTOR_ONE:
		return 255;
	case BLEND_FACTOR_SRC_COLOR:
		return s[k];
	case BLEND_FACTOR_ONE_MINUS_SRC_COLOR:
		return 255 - s[k];
	case BLEND_FACTOR_DST_COLOR:
		return d[k];
	case BLEND_FACTOR_ONE_MINUS_DST_COLOR:
		return 255 - d[k];
	case BLEND_FACTOR_SRC_ALPHA:
		return s[3];
	case BLEND_FACTOR_ONE_MINUS_SRC_ALPHA:
		return 255 - s[3];
	case BLEND_FACTOR_DST_ALPHA:
		return d[3];
	case BLEND_FACTOR_ONE_MINUS_DST_ALPHA:
		return 255 - d[3];
	case BLEND_FACTOR_CONSTANT_COLOR:
		return c[k];
	case BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR:
		return 255 - c[k];
	case BLEND_FACTOR_CONSTANT_ALPHA:
		return c[3];
	case BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA:
		return 255 - c[3];
	case BLEND_FACTOR_SRC_ALPHA_SATURATE:
		if (k == 3) {
			return 255;
		}
		return s[3] < 255 - d[3] ? s[3] : 255 - d[3];
	default: /* 15 [1] */
		return s[k];
	}
}

static uint8_t blend1(uint32_t eq, int32_t s, int32_t d) {
	int32_t v;
	switch (eq) {
	case BLEND_EQ_SUBTRACT:
		v = s - d;
		break;
	case BLEND_EQ_REVERSE_SUBTRACT:
		v = d - s;
		break;
	case BLEND_EQ_MIN:
		v = s < d ? s : d;
		break;
	case BLEND_EQ_MAX:
		v = s > d ? s : d;
		break;
	default:
		v = s + d;
		break;
	}
	v /= 255; /* toward zero, after the sum */
	return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void blend(const struct naive *n, const uint8_t s[4], const uint8_t d[4], uint8_t out[4]) {
	const uint32_t func = n->regs[REG_BLEND_FUNC];
	uint8_t c[4];
	naive_bytes_of(n->regs[REG_BLEND_COLOR], c);
	for (unsigned k = 0; k < 4; k++) {
		const uint32_t sf = k < 3 ? BLEND_FUNC_RGB_SRC(func) : BLEND_FUNC_ALPHA_SRC(func);
		const uint32_t df = k < 3 ? BLEND_FUNC_RGB_DST(func) : BLEND_FUNC_ALPHA_DST(func);
		const uint32_t eq = k < 3 ? BLEND_FUNC_RGB_EQ(func) : BLEND_FUNC_ALPHA_EQ(func);
		out[k] = blend1(eq, s[k] * factor(sf, k, s, d, c), d[k] * factor(df, k, s, d, c));
	}
}

static uint8_t logic1(uint32_t op, uint32_t s, uint32_t d) {
	switch (op) {
	case LOGIC_OP_CLEAR:
		return 0;
	case LOGIC_OP_AND:
		return (uint8_t)(s & d);
	case LOGIC_OP_AND_REVERSE:
		return (uint8_t)(s & ~d);
	case LOGIC_OP_COPY:
		return (uint8_t)s;
	case LOGIC_OP_SET:
		return 255;
	case LOGIC_OP_COPY_INVERTED:
		return (uint8_t)~s;
	case LOGIC_OP_NOOP:
		return (uint8_t)d;
	case LOGIC_OP_INVERT:
		return (uint8_t)~d;
	case LOGIC_OP_NAND:
		return (uint8_t)~(s & d);
	case LOGIC_OP_OR:
		return (uint8_t)(s | d);
	case LOGIC_OP_NOR:
		return (uint8_t)~(s | d);
	case LOGIC_OP_XOR:
		return (uint8_t)(s ^ d);
	case LOGIC_OP_EQUIV:
		return (uint8_t)~(s ^ d);
	case LOGIC_OP_AND_INVERTED:
		return (uint8_t)(~s & d);
	case LOGIC_OP_OR_REVERSE:
		return (uint8_t)(s | ~d);
	default:
		return (uint8_t)(~s | d);
	}
}

/* ---- The stored pixel ---- */

unsigned naive_color_bytes(unsigned format) {
	return color_bytes[format];
}

void naive_decode_pixel(unsigned format, uint32_t w, uint8_t out[4]) {
	uint32_t c[4] = {0, 0, 0, 255};
	switch (format) {
	case COLOR_FORMAT_RGBA8:
		c[0] = w >> 24;
		c[1] = w >> 16 & 255;
		c[2] = w >> 8 & 255;
		c[3] = w & 255;
		break;
	case COLOR_FORMAT_RGB8:
		c[0] = w >> 16 & 255;
		c[1] = w >> 8 & 255;
		c[2] = w & 255;
		break;
	case COLOR_FORMAT_RGB5A1:
		c[0] = expand5(w >> 11 & 31);
		c[1] = expand5(w >> 6 & 31);
		c[2] = expand5(w >> 1 & 31);
		c[3] = expand1(w & 1);
		break;
	case COLOR_FORMAT_RGB565:
		c[0] = expand5(w >> 11 & 31);
		c[1] = expand6(w >> 5 & 63);
		c[2] = expand5(w & 31);
		break;
	default:
		c[0] = expand4(w >> 12 & 15);
		c[1] = expand4(w >> 8 & 15);
		c[2] = expand4(w >> 4 & 15);
		c[3] = expand4(w & 15);
		break;
	}
	for (unsigned k = 0; k < 4; k++) {
		out[k] = (uint8_t)c[k];
	}
}

uint32_t naive_encode_pixel(unsigned format, const uint8_t c[4]) {
	const uint32_t r = c[0], g = c[1], b = c[2], a = c[3];
	switch (format) {
	case COLOR_FORMAT_RGBA8:
		return r << 24 | g << 16 | b << 8 | a;
	case COLOR_FORMAT_RGB8:
		return r << 16 | g << 8 | b;
	case COLOR_FORMAT_RGB5A1:
		return r >> 3 << 11 | g >> 3 << 6 | b >> 3 << 1 | a >> 7;
	case COLOR_FORMAT_RGB565:
		return r >> 3 << 11 | g >> 2 << 5 | b >> 3;
	default:
		return r >> 4 << 12 | g >> 4 << 8 | b >> 4 << 4 | a >> 4;
	}
}

static void write_color(struct naive *n, uint64_t index, const uint8_t color[4]) {
	const struct naive_draw *d = &n->draw;
	if (COLORBUFFER_WRITE_MASK(n->regs[REG_COLORBUFFER_WRITE]) == 0) {
		return;
	}
	const unsigned bytes = color_bytes[d->color_format];
	const uint32_t addr = d->color_addr + (uint32_t)(index * bytes);
	const bool can_read = COLORBUFFER_READ_MASK(n->regs[REG_COLORBUFFER_READ]) != 0;
	uint8_t stored[4], dst[4] = {0, 0, 0, 0}, out[4];
	naive_decode_pixel(d->color_format, naive_read(n, addr, bytes), stored);
	if (can_read) {
		memcpy(dst, stored, sizeof(dst));
	}
	if (COLOR_OPERATION_BLEND(n->regs[REG_COLOR_OPERATION])) {
		blend(n, color, dst, out);
	} else {
		for (unsigned k = 0; k < 4; k++) {
			out[k] = logic1(LOGIC_OP_OP(n->regs[REG_LOGIC_OP]), color[k], dst[k]);
		}
	}
	const uint32_t write = DEPTH_COLOR_MASK_COLOR_WRITE(n->regs[REG_DEPTH_COLOR_MASK]);
	for (unsigned k = 0; k < 4; k++) {
		if (!(write >> k & 1)) {
			/* Even if reading is off. [guess, fidelity: blending] */
			out[k] = stored[k];
		}
	}
	naive_write(n, addr, naive_encode_pixel(d->color_format, out), bytes);
}

void naive_fragment(struct naive *n, uint64_t index, float d, const uint8_t primary[4],
		uint8_t tex[4][4]) {
	uint8_t color[4];
	naive_combine(n, primary, tex, color);
	if (COLOR_OPERATION_MODE(n->regs[REG_COLOR_OPERATION]) == FRAGMENT_MODE_SHADOW) {
		naive_shadow_fragment(n, index, d, color[1]);
		naive_watch_fragment(n, index, PICA_VERDICT_KEPT, color);
		return;
	}
	if (COLOR_OPERATION_MODE(n->regs[REG_COLOR_OPERATION]) == FRAGMENT_MODE_GAS) {
		naive_gas_fragment(n, index, d, color[0]);
		naive_watch_fragment(n, index, PICA_VERDICT_KEPT, color);
		return;
	}
	const uint32_t test = n->regs[REG_FRAGOP_ALPHA_TEST];
	if (FRAGOP_ALPHA_TEST_ENABLE(test) &&
		!compare(FRAGOP_ALPHA_TEST_FUNC(test), color[3], FRAGOP_ALPHA_TEST_REF(test))) {
		naive_fog(n, d, color);
		naive_gas_color(n, tex[0], color);
		naive_watch_fragment(n, index, PICA_VERDICT_ALPHA, color);
		return;
	}
	naive_fog(n, d, color);
	naive_gas_color(n, tex[0], color);
	const enum pica_verdict verdict = depth_stencil(n, index, d);
	if (verdict == PICA_VERDICT_KEPT) {
		n->stats.written++;
		write_color(n, index, color);
	}
	naive_watch_fragment(n, index, verdict, color);
}
