/*
 * Texture units 0-2: registers, texels straight from their bytes, wrapping, level of detail,
 * filters (fidelity: texel-formats, wrap, lod, filters; docs/fidelity.md 1 "Textures").
 */
#include "naive_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fixed.h"
#include "core/base/mathfn.h"
#include "pica/regs/regs.h"

/* ---- Formats ---- */

static unsigned bits_per_texel(unsigned format) {
	switch (format) {
	case TEXTURE_FORMAT_RGBA8:
		return 32;
	case TEXTURE_FORMAT_RGB8:
		return 24;
	case TEXTURE_FORMAT_RGB5A1:
	case TEXTURE_FORMAT_RGB565:
	case TEXTURE_FORMAT_RGBA4:
	case TEXTURE_FORMAT_IA8:
	case TEXTURE_FORMAT_HILO8:
		return 16;
	case TEXTURE_FORMAT_I8:
	case TEXTURE_FORMAT_A8:
	case TEXTURE_FORMAT_IA4:
	case TEXTURE_FORMAT_ETC1A4:
		return 8;
	case TEXTURE_FORMAT_I4:
	case TEXTURE_FORMAT_A4:
	case TEXTURE_FORMAT_ETC1:
		return 4;
	default:
		return 0;
	}
}

static void rgba(uint8_t out[4], uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
	out[0] = (uint8_t)r;
	out[1] = (uint8_t)g;
	out[2] = (uint8_t)b;
	out[3] = (uint8_t)a;
}

static uint64_t little_endian64(const uint8_t *p) {
	uint64_t word = 0;
	for (unsigned i = 0; i < 8; i++) {
		word |= (uint64_t)p[i] << (8 * i);
	}
	return word;
}

static uint32_t field(uint64_t word, unsigned low, unsigned count) {
	return (uint32_t)(word >> low & ((1u << count) - 1));
}

static uint8_t clamp255(int32_t v) {
	return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* One texel of a 4x4 block at column x, row y (fidelity: etc1). */
static void etc1_texel(uint64_t word, unsigned x, unsigned y, uint8_t out[4]) {
	static const int32_t table[8][2] = {
		{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183},
	};
	const unsigned k = x * 4 + y;
	const bool flip = field(word, 32, 1);
	const bool differential = field(word, 33, 1);
	const bool second = (flip ? y : x) >= 2;
	const int32_t *row = table[second ? field(word, 34, 3) : field(word, 37, 3)];
	int32_t mod = row[field(word, k, 1)];
	if (field(word, 16 + k, 1)) {
		mod = -mod;
	}
	for (unsigned c = 0; c < 3; c++) { /* red 56-63, green 48-55, blue 40-47 */
		const unsigned low = 56 - 8 * c;
		int32_t base;
		if (differential) {
			uint32_t b = field(word, low + 3, 5);
			if (second) {
				b = (b + (uint32_t)sign_extend(field(word, low, 3), 3)) & 31;
			}
			base = (int32_t)expand5(b);
		} else {
			base = (int32_t)expand4(field(word, second ? low : low + 4, 4));
		}
		out[c] = clamp255(base + mod);
	}
	out[3] = 255;
}

/* index: place of the texel in tiled order. */
static void decode(const uint8_t *level, unsigned format, uint64_t index, uint8_t out[4]) {
	if (format == TEXTURE_FORMAT_ETC1 || format == TEXTURE_FORMAT_ETC1A4) {
		/* Take the position inside the 8x8 tile back out of the Z order. */
		const unsigned m = (unsigned)(index % 64);
		const unsigned x = (m & 1) | (m >> 1 & 2) | (m >> 2 & 4);
		const unsigned y = (m >> 1 & 1) | (m >> 2 & 2) | (m >> 3 & 4);
		const unsigned block = (x >> 2) + 2 * (y >> 2);
		const bool has_alpha = format == TEXTURE_FORMAT_ETC1A4;
		const uint8_t *p = level + (index / 64 * 4 + block) * (has_alpha ? 16 : 8);
		etc1_texel(little_endian64(has_alpha ? p + 8 : p), x & 3, y & 3, out);
		if (has_alpha) {
			const unsigned k = (x & 3) * 4 + (y & 3);
			out[3] = (uint8_t)expand4(field(little_endian64(p), 4 * k, 4));
		}
		return;
	}
	const uint8_t *p = level + index * bits_per_texel(format) / 8;
	const uint32_t nibble = index & 1 ? p[0] >> 4 : p[0] & 15;
	const uint32_t w = bits_per_texel(format) == 16 ? p[0] | (uint32_t)p[1] << 8 : 0;
	switch (format) {
	case TEXTURE_FORMAT_RGBA8:
		rgba(out, p[3], p[2], p[1], p[0]);
		break;
	case TEXTURE_FORMAT_RGB8:
		rgba(out, p[2], p[1], p[0], 255);
		break;
	case TEXTURE_FORMAT_RGB5A1:
		rgba(out, expand5(w >> 11), expand5(w >> 6 & 31), expand5(w >> 1 & 31),
			expand1(w & 1));
		break;
	case TEXTURE_FORMAT_RGB565:
		rgba(out, expand5(w >> 11), expand6(w >> 5 & 63), expand5(w & 31), 255);
		break;
	case TEXTURE_FORMAT_RGBA4:
		rgba(out, expand4(w >> 12), expand4(w >> 8 & 15), expand4(w >> 4 & 15),
			expand4(w & 15));
		break;
	case TEXTURE_FORMAT_IA8:
		rgba(out, p[1], p[1], p[1], p[0]);
		break;
	case TEXTURE_FORMAT_HILO8:
		rgba(out, p[1], p[0], 0, 255);
		break;
	case TEXTURE_FORMAT_I8:
		rgba(out, p[0], p[0], p[0], 255);
		break;
	case TEXTURE_FORMAT_A8:
		rgba(out, 0, 0, 0, p[0]);
		break;
	case TEXTURE_FORMAT_IA4:
		rgba(out, expand4(p[0] >> 4), expand4(p[0] >> 4), expand4(p[0] >> 4),
			expand4(p[0] & 15));
		break;
	case TEXTURE_FORMAT_I4:
		rgba(out, expand4(nibble), expand4(nibble), expand4(nibble), 255);
		break;
	case TEXTURE_FORMAT_A4:
		rgba(out, 0, 0, 0, expand4(nibble));
		break;
	default:
		rgba(out, 0, 0, 0, 0);
		break;
	}
}

/* ---- Registers, and the copy of the bytes ---- */

/* Returns the bytes of a level's texels, even if its sides are not multiples of 8. */
static uint64_t level_bytes(const struct naive_texture *t, unsigned level) {
	const uint64_t w = t->width >> level, h = t->height >> level;
	const uint64_t last_tile = (h - 1) / 8 * (w / 8) + (w - 1) / 8;
	return (last_tile + 1) * 64 * bits_per_texel(t->format) / 8;
}

static void copy_bytes(struct naive *n, struct naive_texture *t, uint32_t addr) {
	uint64_t offset = 0, end = 0;
	for (unsigned level = 0; level <= t->max_level; level++) {
		t->level_offset[level] = (uint32_t)offset;
		end = offset + level_bytes(t, level);
		offset += (uint64_t)(t->width >> level) * (t->height >> level) *
				bits_per_texel(t->format) / 8;
	}
	if (end > t->capacity) {
		free(t->bytes);
		t->bytes = malloc(end);
		if (!t->bytes) {
			abort(); /* without memory the test proves nothing */
		}
		t->capacity = (uint32_t)end;
	}
	t->n_bytes = (uint32_t)end;
	if (naive_is_mapped(n, addr, t->n_bytes)) {
		memcpy(t->bytes, naive_host(n, addr), t->n_bytes);
		return;
	}
	for (uint32_t i = 0; i < t->n_bytes; i++) {
		t->bytes[i] = naive_read8(n, addr + i);
	}
}

struct unit_regs {
	uint32_t border, dim, param, lod, addr, type;
};

static const struct unit_regs unit_regs[3] = {
	{REG_TEXUNIT0_BORDER_COLOR, REG_TEXUNIT0_DIM, REG_TEXUNIT0_PARAM, REG_TEXUNIT0_LOD,
			REG_TEXUNIT0_ADDR1, REG_TEXUNIT0_TYPE},
	{REG_TEXUNIT1_BORDER_COLOR, REG_TEXUNIT1_DIM, REG_TEXUNIT1_PARAM, REG_TEXUNIT1_LOD,
			REG_TEXUNIT1_ADDR, REG_TEXUNIT1_TYPE},
	{REG_TEXUNIT2_BORDER_COLOR, REG_TEXUNIT2_DIM, REG_TEXUNIT2_PARAM, REG_TEXUNIT2_LOD,
			REG_TEXUNIT2_ADDR, REG_TEXUNIT2_TYPE},
};

static bool is_cube(const struct naive_texture *t) {
	return t->type == TEXTURE_TYPE_CUBE || t->type == TEXTURE_TYPE_SHADOW_CUBE;
}

/* Everything but the address. */
static void read_unit(struct naive *n, unsigned unit, uint32_t addr, struct naive_texture *t) {
	const struct unit_regs *r = &unit_regs[unit];
	const uint32_t config = n->regs[REG_TEXUNIT_CONFIG];
	const uint32_t border = n->regs[r->border], dim = n->regs[r->dim];
	const uint32_t param = n->regs[r->param], lod = n->regs[r->lod];
	t->enabled = unit == 0 ? TEXUNIT_CONFIG_ENABLE0(config) :
			unit == 1 ? TEXUNIT_CONFIG_ENABLE1(config) : TEXUNIT_CONFIG_ENABLE2(config);
	t->type = unit == 0 ? TEXUNIT_PARAM_TYPE(param) : TEXTURE_TYPE_2D;
	if (t->type == TEXTURE_TYPE_DISABLED) {
		t->enabled = false;
	}
	if (!t->enabled) {
		return;
	}
	const uint32_t shadow = n->regs[REG_TEXUNIT0_SHADOW];
	t->shadow_bias = TEXUNIT_SHADOW_BIAS(shadow) * 2;
	t->is_ortho = TEXUNIT_SHADOW_ORTHO(shadow) != 0;
	t->width = TEXUNIT_DIM_WIDTH(dim);
	t->height = TEXUNIT_DIM_HEIGHT(dim);
	t->format = TEXUNIT_TYPE_FORMAT(n->regs[r->type]);
	t->is_null = addr == 0;
	t->is_bad = t->width == 0 || t->height == 0 || t->width % 8 != 0 || t->height % 8 != 0 ||
			bits_per_texel(t->format) == 0;
	if (t->is_null) {
		return;
	}
	if (t->is_bad) {
		n->stats.faults[PICA_FAULT_BAD_TEXTURE]++;
		return;
	}
	t->wrap_s = TEXUNIT_PARAM_WRAP_S(param);
	t->wrap_t = TEXUNIT_PARAM_WRAP_T(param);
	t->mag_linear = TEXUNIT_PARAM_MAG(param) == FILTER_LINEAR;
	t->min_linear = TEXUNIT_PARAM_MIN(param) == FILTER_LINEAR;
	t->mip_linear = TEXUNIT_PARAM_MIP(param) == FILTER_LINEAR;
	t->bias = sign_extend((uint32_t)TEXUNIT_LOD_BIAS(lod), 13);
	t->min_level = TEXUNIT_LOD_MIN(lod);
	t->max_level = TEXUNIT_LOD_MAX(lod);
	const unsigned side = t->width < t->height ? t->width : t->height;
	while (side >> t->max_level < 8) { /* levels with a side below 8 do not exist */
		t->max_level--;
	}
	rgba(t->border, TEXUNIT_BORDER_COLOR_R(border), TEXUNIT_BORDER_COLOR_G(border),
			TEXUNIT_BORDER_COLOR_B(border), TEXUNIT_BORDER_COLOR_A(border));
	copy_bytes(n, t, addr);
}

void naive_texture_read(struct naive *n, unsigned unit, struct naive_texture *t) {
	read_unit(n, unit, TEXUNIT_ADDR_ADDR8(n->regs[unit_regs[unit].addr]) * 8, t);
}

void naive_faces_read(struct naive *n, struct naive_draw *d) {
	const uint32_t first = TEXUNIT_ADDR_ADDR8(n->regs[REG_TEXUNIT0_ADDR1]);
	for (unsigned i = 0; i < 5 && d->tex[0].enabled && is_cube(&d->tex[0]); i++) {
		const uint32_t low = TEXUNIT_ADDR_CUBE_ADDR8_LOW(n->regs[REG_TEXUNIT0_ADDR2 + i]);
		/* 28 bits, the upper 6 of them shared by all faces. */
		const uint32_t addr8 = (first >> 22 << 22) + low;
		read_unit(n, 0, addr8 * 8, &d->face[i]);
	}
}

/* ---- Wrapping: [fidelity: wrap] ---- */

static int64_t floored_mod(int64_t i, int64_t n) {
	const int64_t m = i % n;
	return m < 0 ? m + n : m;
}

/* -1: the border colour. */
static int64_t wrap(unsigned mode, int64_t i, int64_t n) {
	switch (mode) {
	case WRAP_CLAMP_TO_EDGE:
		return i < 0 ? 0 : i >= n ? n - 1 : i;
	case WRAP_CLAMP_TO_BORDER:
		return i < 0 || i >= n ? -1 : i;
	case WRAP_MIRRORED_REPEAT: {
		const int64_t c = floored_mod(i, 2 * n);
		return c < n ? c : 2 * n - 1 - c;
	}
	case 4: /* edge above, repeat below [HW] */
		return i >= n ? n - 1 : floored_mod(i, n);
	case 5: /* border above, repeat below [HW] */
		return i >= n ? -1 : floored_mod(i, n);
	default: /* 2, 6, 7 */
		return floored_mod(i, n);
	}
}

void naive_texel(
	const struct naive_texture *t, unsigned level, int64_t s, int64_t v, uint8_t out[4]) {
	const unsigned w = t->width >> level, h = t->height >> level;
	const int64_t col = wrap(t->wrap_s, s, w);
	const int64_t up = wrap(t->wrap_t, v, h);
	if (col < 0 || up < 0) {
		memcpy(out, t->border, 4);
		return;
	}
	const unsigned row = h - 1 - (unsigned)up; /* v = 0 is the last memory row */
	decode(t->bytes + t->level_offset[level], t->format,
			naive_tiled_index((unsigned)col, row, w, false), out);
}

/* ---- Filters: docs/fidelity.md 1 ---- */

static float clamp_coord(float x) {
	const float limit = 1073741824.0f; /* 2^30 */
	return x < -limit ? -limit : x > limit ? limit : x;
}

static void nearest(const struct naive_texture *t, unsigned level, const float uv[2],
		uint8_t out[4]) {
	float x[2] = {uv[0] * (float)(t->width >> level), uv[1] * (float)(t->height >> level)};
	int64_t i[2];
	for (unsigned k = 0; k < 2; k++) {
		x[k] = isfinite(x[k]) ? clamp_coord(x[k]) : 0.0f;
		i[k] = (int64_t)floorf(x[k]);
	}
	naive_texel(t, level, i[0], i[1], out);
}

void naive_linear_taps(float coord, unsigned size, int64_t *i, uint32_t *weight) {
	float x = coord * (float)size - 0.5f;
	x = isfinite(x) ? clamp_coord(x) : 0.0f;
	const float whole = floorf(x);
	*i = (int64_t)whole;
	*weight = (uint32_t)(int32_t)((x - whole) * 256.0f);
}

static void bilinear(const struct naive_texture *t, unsigned level, const float uv[2],
		uint8_t out[4]) {
	int64_t i[2];
	uint32_t w[2];
	naive_linear_taps(uv[0], t->width >> level, &i[0], &w[0]);
	naive_linear_taps(uv[1], t->height >> level, &i[1], &w[1]);
	uint8_t c00[4], c10[4], c01[4], c11[4];
	naive_texel(t, level, i[0], i[1], c00);
	naive_texel(t, level, i[0] + 1, i[1], c10);
	naive_texel(t, level, i[0], i[1] + 1, c01);
	naive_texel(t, level, i[0] + 1, i[1] + 1, c11);
	for (unsigned k = 0; k < 4; k++) {
		const uint32_t sum = c00[k] * (256 - w[0]) * (256 - w[1]) +
				     c10[k] * w[0] * (256 - w[1]) + c01[k] * (256 - w[0]) * w[1] +
				     c11[k] * w[0] * w[1];
		out[k] = (uint8_t)((sum + 0x8000) >> 16);
	}
}

static void filter(const struct naive_texture *t, bool linear, unsigned level, const float uv[2],
		uint8_t out[4]) {
	if (linear) {
		bilinear(t, level, uv, out);
	} else {
		nearest(t, level, uv, out);
	}
}

static float larger(float a, float b) {
	return a > b ? a : b;
}

/* at[1..3]: coordinates at lanes 0, 1, 2 of the quad. */
static float level_of_detail(const struct naive_texture *t, const float at[4][2]) {
	float span[2];
	for (unsigned k = 0; k < 2; k++) {
		const float size = (float)(k == 0 ? t->width : t->height);
		const float c0 = at[1][k] * size, c1 = at[2][k] * size, c2 = at[3][k] * size;
		span[k] = larger(fabsf(c1 - c0), fabsf(c2 - c0));
	}
	const float m = larger(span[0], span[1]);
	if (!(m > 0.0f) || !isfinite(m)) {
		return -INFINITY;
	}
	return (float)math_log2((double)m) + (float)t->bias / 256.0f;
}

bool naive_sample_nothing(const struct naive_texture *t, uint8_t out[4]) {
	if (!t->enabled) {
		rgba(out, 0, 0, 0, 0);
		return true;
	}
	if (t->is_null) {
		rgba(out, 0, 0, 0, 255);
		return true;
	}
	if (t->is_bad) {
		rgba(out, 0, 0, 0, 0);
		return true;
	}
	return false;
}

void naive_sample(const struct naive_texture *t, const float at[4][2], uint8_t out[4]) {
	if (naive_sample_nothing(t, out)) {
		return;
	}
	const float lod = level_of_detail(t, at);
	if (lod <= 0.0f) {
		const unsigned level = t->min_level < t->max_level ? t->min_level : t->max_level;
		filter(t, t->mag_linear, level, at[0], out);
		return;
	}
	float c = lod > (float)t->min_level ? lod : (float)t->min_level;
	c = c < (float)t->max_level ? c : (float)t->max_level;
	if (!t->mip_linear) {
		filter(t, t->min_linear, (unsigned)floorf(c + 0.5f), at[0], out);
		return;
	}
	const unsigned l = (unsigned)floorf(c);
	const unsigned next = l + 1 < t->max_level ? l + 1 : t->max_level;
	const uint32_t f = (uint32_t)(int32_t)((c - (float)l) * 256.0f);
	uint8_t a[4], b[4];
	filter(t, t->min_linear, l, at[0], a);
	filter(t, t->min_linear, next, at[0], b);
	for (unsigned k = 0; k < 4; k++) {
		out[k] = (uint8_t)((a[k] * (256 - f) + b[k] * f + 128) >> 8);
	}
}
