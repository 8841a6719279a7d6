/*
 * One fragment, as the documents say it: registers, inputs and memory of one pixel in, memory
 * out. No plan, no planes, integers and doubles only; shares nothing with libpica/frag but the
 * names of registers.
 */
#ifndef FRAG_NAIVE_H
#define FRAG_NAIVE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/base/f24.h"
#include "pica/regs/regs.h"

struct naive_inputs {
	float iw, zow;      /* 1/w and z/w */
	float color[4];     /* times 1/w, or plain when flat */
	bool flat;
	int texture[3][4];
	const uint32_t *fog; /* the table */
};

struct naive_rgba {
	int c[4];
};

static inline int naive_clamp(int x) {
	return x < 0 ? 0 : x > 255 ? 255 : x;
}

static inline int naive_round(int x) {
	return (2 * x + 255) / 510;
}

static inline int naive_dot3_product(int a, int b) {
	int xa = 2 * a - 255, xb = 2 * b - 255;
	int ma = xa >= 0 ? xa : -xa - 1, mb = xb >= 0 ? xb : -xb - 1;
	int p = naive_round(ma * mb);
	return (xa >= 0) == (xb >= 0) ? p : -p - 1;
}

/* A set of kernels with PICA_COMBINER_TRUNCATE is expected. */
static bool naive_truncates;

static inline int naive_product(int x) {
	return naive_truncates ? x / 255 : naive_round(x);
}

static inline int naive_op(unsigned op, int a, int b, int c) {
	switch (op) {
	case 0: return a;
	case 1: return naive_product(a * b);
	case 2: return naive_clamp(a + b);
	case 3: return naive_clamp(a + b - 128);
	case 4: return naive_product(a * c + b * (255 - c));
	case 5: return naive_clamp(a - b);
	case 8: return naive_clamp(naive_product(a * b + 255 * c));
	case 9: return naive_product(naive_clamp(a + b) * c);
	default: return 0;
	}
}

static inline int naive_scale(int x, unsigned scale) {
	return naive_clamp(x * (scale == 1 ? 2 : scale == 2 ? 4 : 1));
}

static inline int naive_rgb_operand(struct naive_rgba s, unsigned operand, int channel) {
	int v;
	switch (operand & ~1u) {
	case 0: v = s.c[channel]; break;
	case 2: v = s.c[3]; break;
	case 4: v = s.c[0]; break;
	case 8: v = s.c[1]; break;
	case 12: v = s.c[2]; break;
	default: return 0;
	}
	return operand & 1 ? 255 - v : v;
}

static inline int naive_alpha_operand(struct naive_rgba s, unsigned operand) {
	static const int channel[4] = { 3, 0, 1, 2 };
	int v = s.c[channel[operand >> 1 & 3]];
	return operand & 1 ? 255 - v : v;
}

static inline struct naive_rgba naive_word_color(uint32_t word) {
	return (struct naive_rgba){ { word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24 } };
}

static inline struct naive_rgba naive_combine(const uint32_t *regs, const struct naive_inputs *in) {
	static const unsigned base[6] = { REG_TEXENV0_SOURCE, REG_TEXENV1_SOURCE,
		REG_TEXENV2_SOURCE, REG_TEXENV3_SOURCE, REG_TEXENV4_SOURCE, REG_TEXENV5_SOURCE };
	const uint32_t update = regs[REG_TEXENV_UPDATE_BUFFER];
	struct naive_rgba prev = { { 0 } }, buf = { { 0 } };
	struct naive_rgba next = naive_word_color(regs[REG_TEXENV_BUFFER_COLOR]);
	struct naive_rgba primary;
	const float w = 1.0f / in->iw;
	for (int k = 0; k < 4; k++) {
		float v = in->flat ? in->color[k] : in->color[k] * w;
		v = v > 0 ? v : 0;
		v = v < 1 ? v : 1;
		primary.c[k] = (int)(v * 255.0f + 0.5f);
	}
	for (unsigned s = 0; s < 6; s++) {
		const uint32_t *r = regs + base[s];
		struct naive_rgba a[3], b[3]; /* sources of RGB and of alpha */
		for (unsigned k = 0; k < 6; k++) {
			const unsigned shift = k < 3 ? 4 * k : 16 + 4 * (k - 3);
			unsigned source = r[0] >> shift & 15;
			if (s == 0 && source == 15) {
				source = r[0] >> (k < 3 ? 8 : 24) & 15;
			}
			struct naive_rgba v = { { 0 } };
			if (source == 0) {
				v = primary;
			} else if (source >= 3 && source <= 5) {
				memcpy(v.c, in->texture[source - 3], sizeof(v.c));
			} else if (source == 13) {
				v = buf;
			} else if (source == 14) {
				v = naive_word_color(r[3]);
			} else if (source == 15) {
				v = prev;
			}
			*(k < 3 ? &a[k] : &b[k - 3]) = v;
		}
		const unsigned rgb_op = r[2] & 15, alpha_op = r[2] >> 16 & 15;
		struct naive_rgba out;
		int dot = 0;
		for (int ch = 0; ch < 3; ch++) {
			int v[3];
			for (unsigned k = 0; k < 3; k++) {
				v[k] = naive_rgb_operand(a[k], r[1] >> 4 * k & 15, ch);
			}
			dot += naive_dot3_product(v[0], v[1]);
			out.c[ch] = naive_op(rgb_op, v[0], v[1], v[2]);
		}
		int v[3];
		for (unsigned k = 0; k < 3; k++) {
			v[k] = naive_alpha_operand(b[k], r[1] >> (12 + 4 * k) & 7);
		}
		out.c[3] = naive_op(alpha_op, v[0], v[1], v[2]);
		if (rgb_op == 6 || rgb_op == 7) {
			out.c[0] = out.c[1] = out.c[2] = naive_clamp(dot);
			out.c[3] = rgb_op == 7 ? naive_clamp(dot) : out.c[3];
		}
		for (int ch = 0; ch < 4; ch++) {
			out.c[ch] = naive_scale(out.c[ch], r[4] >> (ch == 3 ? 16 : 0) & 3);
		}
		prev = out;
		buf = next;
		for (int ch = 0; ch < 4 && s < 4; ch++) {
			if (update >> ((ch == 3 ? 12 : 8) + s) & 1) {
				next.c[ch] = out.c[ch];
			}
		}
	}
	return prev;
}

static inline bool naive_compare(unsigned func, uint32_t a, uint32_t b) {
	switch (func & 7) {
	case 0: return false;
	case 1: return true;
	case 2: return a == b;
	case 3: return a != b;
	case 4: return a < b;
	case 5: return a <= b;
	case 6: return a > b;
	default: return a >= b;
	}
}

/* In [0, 1]. */
static inline float naive_unit_depth(const uint32_t *regs, const struct naive_inputs *in) {
	const float offset = f24_to_f32(regs[REG_DEPTHMAP_OFFSET]);
	float d = in->zow * f24_to_f32(regs[REG_DEPTHMAP_SCALE]) + offset;
	if (!(regs[REG_DEPTHMAP_ENABLE] & 1)) {
		d = d * (1.0f / in->iw);
	}
	d = d > 0 ? d : 0;
	return d < 1 ? d : 1;
}

static inline uint32_t naive_depth(const uint32_t *regs, const struct naive_inputs *in,
		uint32_t max) {
	return (uint32_t)floor((double)naive_unit_depth(regs, in) * max); /* 24 by 24 bits: exact */
}

/*
 * Fog of mode 5 at a depth, over one channel: value and difference of its entry are 11 and 13 bits.
 */
static inline int naive_fog_factor(const uint32_t *regs, const uint32_t *table, float d) {
	const float x = (regs[REG_TEXENV_UPDATE_BUFFER] >> 16 & 1 ? 1.0f - d : d) * 128;
	const int i = x >= 127 ? 127 : (int)floorf(x);
	const int value = table[i] >> 13 & 2047, difference = (int)(table[i] & 0x1FFF);
	const float v = value +
			(float)(difference > 4095 ? difference - 8192 : difference) * (x - i);
	return (int)floorf((v < 0 ? 0 : v > 2047 ? 2047 : v) + 0.5f);
}

static inline int naive_fog(int factor, int c, int fog) {
	const double real = (factor * (double)c + (2047 - factor) * (double)fog) / 2047;
	return (int)floor(real + 0.5); /* no ties: 2047 is odd */
}

static inline int naive_stencil(unsigned op, int old, int ref) {
	switch (op & 7) {
	case 0: return old;
	case 1: return 0;
	case 2: return ref;
	case 3: return old == 255 ? 255 : old + 1;
	case 4: return old == 0 ? 0 : old - 1;
	case 5: return 255 - old;
	case 6: return (old + 1) % 256;
	default: return (old + 255) % 256;
	}
}

/* Stencil and depth on the bytes of one pixel (NULL: zeros that swallow writes). */
static inline bool naive_tests(const uint32_t *regs, const struct naive_inputs *in, uint8_t *px) {
	static const unsigned bytes[4] = { 2, 0, 3, 4 };
	const unsigned format = regs[REG_DEPTHBUFFER_FORMAT] & 3;
	const uint32_t mask = regs[REG_DEPTH_COLOR_MASK], write = regs[REG_DEPTHBUFFER_WRITE];
	uint32_t word = 0;
	if (format == 1) {
		return true;
	}
	if (px) {
		memcpy(&word, px, bytes[format]);
	}
	uint32_t stored = word & 0xFFFFFF, stencil = word >> 24;
	const uint32_t z = naive_depth(regs, in, format == 0 ? 0xFFFF : 0xFFFFFF);
	const bool z_pass = !(mask & 1) || naive_compare(mask >> 4, z, stored);
	bool alive = z_pass;
	if (format == 3 && regs[REG_STENCIL_TEST] & 1) {
		const uint32_t t = regs[REG_STENCIL_TEST], ops = regs[REG_STENCIL_OP];
		const uint32_t ref = t >> 16 & 255, cmp = t >> 24, wm = t >> 8 & 255;
		unsigned op = z_pass ? ops >> 8 : ops >> 4;
		if (!naive_compare(t >> 4, ref & cmp, stencil & cmp)) {
			op = ops;
			alive = false;
		}
		if (write & 1) {
			stencil = ((uint32_t)naive_stencil(op, (int)stencil, (int)ref) & wm) |
					(stencil & ~wm);
		}
	}
	if (alive && mask >> 12 & 1 && write & 2) {
		stored = z;
	}
	word = stored | stencil << 24;
	if (px) {
		memcpy(px, &word, bytes[format]);
	}
	return alive;
}

static inline struct naive_rgba naive_decode(unsigned format, const uint8_t *p) {
	const int w = p[0] | p[1] << 8;
	switch (format) {
	case 0: return (struct naive_rgba){ { p[3], p[2], p[1], p[0] } };
	case 1: return (struct naive_rgba){ { p[2], p[1], p[0], 255 } };
	case 2: return (struct naive_rgba){ { (w >> 11) * 33 / 4, (w >> 6 & 31) * 33 / 4,
			(w >> 1 & 31) * 33 / 4, (w & 1) * 255 } };
	case 3: return (struct naive_rgba){ { (w >> 11) * 33 / 4, (w >> 5 & 63) * 65 / 16,
			(w & 31) * 33 / 4, 255 } };
	default:
		return (struct naive_rgba){ { (w >> 12) * 17, (w >> 8 & 15) * 17,
				(w >> 4 & 15) * 17, (w & 15) * 17 } };
	}
}

static inline void naive_encode(unsigned format, uint8_t *p, struct naive_rgba v) {
	const int r = v.c[0], g = v.c[1], b = v.c[2], a = v.c[3];
	int w = 0;
	switch (format) {
	case 0: p[0] = (uint8_t)a; p[1] = (uint8_t)b; p[2] = (uint8_t)g; p[3] = (uint8_t)r; return;
	case 1: p[0] = (uint8_t)b; p[1] = (uint8_t)g; p[2] = (uint8_t)r; return;
	case 2: w = r / 8 * 2048 + g / 8 * 64 + b / 8 * 2 + a / 128; break;
	case 3: w = r / 8 * 2048 + g / 4 * 32 + b / 8; break;
	default: w = r / 16 * 4096 + g / 16 * 256 + b / 16 * 16 + a / 16; break;
	}
	p[0] = (uint8_t)w;
	p[1] = (uint8_t)(w >> 8);
}

static inline int naive_factor(unsigned f, int ch, struct naive_rgba s, struct naive_rgba d,
		struct naive_rgba k) {
	switch (f) {
	case 0: return 0;
	case 1: return 255;
	case 2: return s.c[ch];
	case 3: return 255 - s.c[ch];
	case 4: return d.c[ch];
	case 5: return 255 - d.c[ch];
	case 6: return s.c[3];
	case 7: return 255 - s.c[3];
	case 8: return d.c[3];
	case 9: return 255 - d.c[3];
	case 10: return k.c[ch];
	case 11: return 255 - k.c[ch];
	case 12: return k.c[3];
	case 13: return 255 - k.c[3];
	case 14: return ch == 3 ? 255 : s.c[3] < 255 - d.c[3] ? s.c[3] : 255 - d.c[3];
	default: return s.c[ch];
	}
}

static inline int naive_blend(unsigned eq, int s, int sf, int d, int df) {
	int x = s * sf, y = d * df, r;
	switch (eq) {
	case 1: r = x - y; break;
	case 2: r = y - x; break;
	case 3: r = x < y ? x : y; break;
	case 4: r = x > y ? x : y; break;
	default: r = x + y; break;
	}
	return naive_clamp(r / 255);
}

static inline int naive_logic(unsigned op, int s, int d) {
	static const uint8_t truth[16] = { /* bits: S=1 D=1, S=1 D=0, S=0 D=1, S=0 D=0 */
		0x0, 0x8, 0x4, 0xC, 0xF, 0x3, 0xA, 0x5, 0x7, 0xE, 0x1, 0x6, 0x9, 0x2, 0xD, 0xB };
	int r = 0;
	for (int bit = 0; bit < 8; bit++) {
		const int sb = s >> bit & 1, db = d >> bit & 1;
		r |= (truth[op] >> (2 * sb + db) & 1) << bit;
	}
	return r;
}

static inline void naive_output(const uint32_t *regs, struct naive_rgba s, uint8_t *px) {
	static const uint8_t zero[4];
	const unsigned format = regs[REG_COLORBUFFER_FORMAT] >> 16 & 7;
	const struct naive_rgba stored = naive_decode(format, px ? px : zero);
	const struct naive_rgba k = naive_word_color(regs[REG_BLEND_COLOR]);
	struct naive_rgba d = stored, out;
	if (!(regs[REG_COLORBUFFER_READ] & 15)) {
		memset(&d, 0, sizeof(d));
	}
	const uint32_t func = regs[REG_BLEND_FUNC];
	for (int ch = 0; ch < 4; ch++) {
		const int alpha = ch == 3;
		if (regs[REG_COLOR_OPERATION] >> 8 & 1) {
			const int sf = naive_factor(func >> (alpha ? 24 : 16) & 15, ch, s, d, k);
			const int df = naive_factor(func >> (alpha ? 28 : 20) & 15, ch, s, d, k);
			out.c[ch] = naive_blend(
					func >> (alpha ? 8 : 0) & 7, s.c[ch], sf, d.c[ch], df);
		} else {
			out.c[ch] = naive_logic(regs[REG_LOGIC_OP] & 15, s.c[ch], d.c[ch]);
		}
		if (!(regs[REG_DEPTH_COLOR_MASK] >> (8 + ch) & 1)) {
			out.c[ch] = stored.c[ch];
		}
	}
	if (px && regs[REG_COLORBUFFER_WRITE] & 15) {
		naive_encode(format, px, out);
	}
}

static inline bool naive_alpha(const uint32_t *regs, int alpha) {
	const uint32_t t = regs[REG_FRAGOP_ALPHA_TEST];
	return !(t & 1) || naive_compare(t >> 4, (uint32_t)alpha, t >> 8 & 255);
}

/* Fragment mode 3 on the 4 bytes of a shadow map's pixel. */
static inline void naive_shadow(const uint32_t *regs, const struct naive_inputs *in, int green,
		uint8_t *px) {
	const uint32_t d = naive_depth(regs, in, 0xFFFFFF), word = regs[REG_FRAGOP_SHADOW];
	const uint32_t stored = (px[0] * 256u + px[1]) * 256 + px[2];
	if (d < stored && green == 0) {
		px[0] = (uint8_t)(d / 65536);
		px[1] = (uint8_t)(d / 256 % 256);
		px[2] = (uint8_t)(d % 256);
	} else if (d < stored) {
		const float x = (float)d / (float)stored;
		const float v = (float)green /
				(f16_to_f32(word & 0xFFFF) + f16_to_f32(word >> 16) * x);
		const int density = v > 255 ? 255 : v > 0 ? (int)v : 0;
		px[3] = (uint8_t)(density < px[3] ? density : px[3]);
	}
}

/* The whole way of one fragment. color, depth: bytes of its pixel, or NULL. */
static inline bool naive_fragment(const uint32_t *regs, const struct naive_inputs *in,
		uint8_t *color, uint8_t *depth) {
	const unsigned mode = regs[REG_COLOR_OPERATION] & 3;
	if (mode == 1 || mode == 2) {
		return false;
	}
	struct naive_rgba s = naive_combine(regs, in);
	if (mode == 3) {
		if (color && regs[REG_COLORBUFFER_WRITE] & 15) {
			naive_shadow(regs, in, s.c[1], color);
		}
		return true;
	}
	if (!naive_alpha(regs, s.c[3]) || !naive_tests(regs, in, depth)) {
		return false;
	}
	if ((regs[REG_TEXENV_UPDATE_BUFFER] & 7) == 5) {
		const int keep = naive_fog_factor(regs, in->fog, naive_unit_depth(regs, in));
		for (int k = 0; k < 3; k++) {
			s.c[k] = naive_fog(keep, s.c[k], regs[REG_FOG_COLOR] >> 8 * k & 255);
		}
	}
	naive_output(regs, s, color);
	return true;
}

#endif
