/*
 * The procedural texture unit, one pixel at a time (fidelity: proctex; docs/fidelity.md 1,
 * "Procedural texture").
 */
#include "naive_state.h"

#include <math.h>

#include "core/base/f24.h"
#include "core/base/fixed.h"
#include "core/base/mathfn.h"
#include "pica/regs/regs.h"

void naive_proctex_word(struct naive *n, uint32_t word) {
	const uint32_t at = n->regs[REG_PROCTEX_LUT];
	const uint32_t table = PROCTEX_LUT_TABLE(at), index = PROCTEX_LUT_INDEX(at);
	const bool has_256 = table == PROCTEX_TABLE_COLOR || table == PROCTEX_TABLE_COLOR_DIFF;
	n->tables.proctex[table][index % (has_256 ? 256 : 128)] = word;
	n->regs[REG_PROCTEX_LUT] = (at & 0xFFFFFF00) | ((index + 1) % 256);
}

/* What section 1 calls L(c). */
static float limited(float c) {
	if (!isfinite(c)) {
		return 0.0f;
	}
	const float size = fabsf(c);
	return size < 4194304.0f ? size : 4194304.0f;
}

/* One of the three tables of 128; c from 0 to 1. */
static float from_map(const struct naive *n, uint32_t table, float c) {
	const float scaled = c * 128.0f;
	unsigned i = (unsigned)truncf(scaled);
	if (i > 127) {
		i = 127;
	}
	const uint32_t word = n->tables.proctex[table][i];
	const float value = (float)(word & 0xFFF) / 4095.0f;
	const float step = (float)sign_extend(word >> 12 & 0xFFF, 12) / 4095.0f;
	const float result = value + (scaled - (float)i) * step;
	return result < 0.0f ? 0.0f : result > 1.0f ? 1.0f : result;
}

/* ---- Noise (10.4) ---- */

static unsigned noise_p(unsigned k) {
	static const unsigned t1[16] = {0, 4, 10, 8, 4, 9, 7, 12, 5, 15, 13, 14, 11, 15, 2, 11};
	return (((k % 9 + 2) * 3) & 15) ^ t1[(k / 9) & 15];
}

static unsigned noise_q(unsigned x, unsigned y) {
	static const unsigned t2[16] = {10, 2, 15, 8, 0, 7, 4, 5, 5, 13, 2, 6, 13, 9, 3, 14};
	const unsigned p = noise_p(x);
	unsigned q = noise_p(y);
	if ((p & 3) == 1) {
		q += 4;
	}
	q ^= (p & 1) * 6;
	q += 10 + p;
	q &= 15;
	return q ^ t2[p];
}

static float random_at(unsigned x, unsigned y) {
	return -1.0f + (float)(noise_q(x, y) * 2) / 15.0f;
}

static float noise_position(float c, uint32_t frequency, uint32_t phase) {
	const float moved = fabsf(c + f16_to_f32(phase));
	return limited((9.0f * f16_to_f32(frequency)) * moved);
}

static float noise_at(const struct naive *n, float u, float v) {
	const uint32_t frequency = n->regs[REG_TEXUNIT3_PROCTEX3];
	const float x = noise_position(u, PROCTEX_FREQUENCY_U(frequency),
			PROCTEX_NOISE_PHASE(n->regs[REG_TEXUNIT3_PROCTEX1]));
	const float y = noise_position(v, PROCTEX_FREQUENCY_V(frequency),
			PROCTEX_NOISE_PHASE(n->regs[REG_TEXUNIT3_PROCTEX2]));
	const float ix = floorf(x), iy = floorf(y);
	const float fx = x - ix, fy = y - iy;
	float g[2][2]; /* [y][x] */
	for (unsigned dy = 0; dy < 2; dy++) {
		for (unsigned dx = 0; dx < 2; dx++) {
			g[dy][dx] = random_at((unsigned)ix + dx, (unsigned)iy + dy) *
					((fx + fy) - (float)(dx + dy));
		}
	}
	const float a = from_map(n, PROCTEX_TABLE_NOISE, fx);
	const float b = from_map(n, PROCTEX_TABLE_NOISE, fy);
	const float low = g[0][0] + a * (g[0][1] - g[0][0]);
	const float high = g[1][0] + a * (g[1][1] - g[1][0]);
	return low + b * (high - low);
}

/* ---- Shift, clamp, functions (10.3, 10.5, 10.6) ---- */

static float shift_of(uint32_t mode, uint32_t clamp, float opposite) {
	const float full = clamp == PROCTEX_CLAMP_MIRRORED_REPEAT ? 1.0f : 0.5f;
	const int whole = (int)opposite;
	if (mode == PROCTEX_SHIFT_ODD) {
		return full * (float)(whole / 2 % 2);
	}
	if (mode == PROCTEX_SHIFT_EVEN) {
		return full * (float)((whole + 1) / 2 % 2);
	}
	return 0.0f;
}

static float clamp_of(uint32_t mode, float c) {
	const float low = floorf(c);
	if (mode == PROCTEX_CLAMP_ZERO) {
		return c > 1.0f ? 0.0f : c;
	}
	if (mode == PROCTEX_CLAMP_SYMMETRIC_REPEAT) {
		return c - low;
	}
	if (mode == PROCTEX_CLAMP_MIRRORED_REPEAT) {
		return (int64_t)low % 2 == 0 ? c - low : 1.0f - (c - low);
	}
	if (mode == PROCTEX_CLAMP_PULSE) {
		return c > 0.5f ? 1.0f : 0.0f;
	}
	return c < 1.0f ? c : 1.0f;
}

static float function_of(uint32_t which, float u, float v) {
	const float u2 = u * u, v2 = v * v;
	const float length = sqrtf(u2 + v2);
	const float mean = (u + v) * 0.5f;
	float f;
	switch (which) {
	case PROCTEX_MAP_U:
		f = u;
		break;
	case PROCTEX_MAP_U2:
		f = u2;
		break;
	case PROCTEX_MAP_V:
		f = v;
		break;
	case PROCTEX_MAP_V2:
		f = v2;
		break;
	case PROCTEX_MAP_ADD:
		f = mean;
		break;
	case PROCTEX_MAP_ADD2:
		f = (u2 + v2) * 0.5f;
		break;
	case PROCTEX_MAP_SQRT2:
		f = length;
		break;
	case PROCTEX_MAP_MIN:
		f = u < v ? u : v;
		break;
	case PROCTEX_MAP_MAX:
		f = u < v ? v : u;
		break;
	case PROCTEX_MAP_RMAX:
		f = (mean + length) * 0.5f;
		break;
	default:
		f = 0.0f;
		break;
	}
	return f < 1.0f ? f : 1.0f;
}

/* ---- Colour (10.7) ---- */

static unsigned level_offset(const struct naive *n, unsigned level) {
	static const unsigned fixed[4] = {0xF0, 0xF8, 0xFC, 0xFE};
	const uint32_t high = n->regs[REG_PROCTEX5_HIGH];
	if (level < 4) {
		return n->regs[REG_TEXUNIT3_PROCTEX5] >> (8 * level) & 0xFF;
	}
	return high == 0 ? fixed[level - 4] : high >> (8 * (level - 4)) & 0xFF;
}

static void color_at(const struct naive *n, unsigned level, float c, uint8_t out[4]) {
	const uint32_t config = n->regs[REG_TEXUNIT3_PROCTEX4];
	const int width = (int)(PROCTEX4_WIDTH(config) >> level);
	const float pos = (float)level_offset(n, level) + c * (float)(width - 1);
	if (PROCTEX4_FILTER(config) % 2 == 0) {
		const int i = (int)floorf(pos + 0.5f);
		const uint32_t word = n->tables.proctex[PROCTEX_TABLE_COLOR][i & 255];
		for (unsigned k = 0; k < 4; k++) {
			out[k] = (uint8_t)(word >> (8 * k));
		}
		return;
	}
	const float low = floorf(pos);
	const int i = (int)low;
	const uint32_t word = n->tables.proctex[PROCTEX_TABLE_COLOR][i & 255];
	const uint32_t diff = n->tables.proctex[PROCTEX_TABLE_COLOR_DIFF][i & 255];
	for (unsigned k = 0; k < 4; k++) {
		const int32_t step = 2 * sign_extend(diff >> (8 * k) & 0xFF, 8);
		const float value = (float)(word >> (8 * k) & 0xFF) + (pos - low) * (float)step;
		const int whole = (int)value;
		out[k] = (uint8_t)(whole < 0 ? 0 : whole > 255 ? 255 : whole);
	}
}

static float larger(float a, float b) {
	return a > b ? a : b;
}

static float level_of_detail(const struct naive *n, const float at[4][2]) {
	const uint32_t config = n->regs[REG_TEXUNIT3_PROCTEX4];
	const uint32_t raw = PROCTEX0_BIAS_LOW(n->regs[REG_TEXUNIT3_PROCTEX0]) |
			PROCTEX4_BIAS_HIGH(config) << 8;
	const float bias = f16_to_f32(raw);
	if (bias == 0.0f) {
		return 0.0f;
	}
	float span[2];
	for (unsigned k = 0; k < 2; k++) {
		const float c0 = limited(at[1][k]);
		const float c1 = limited(at[2][k]);
		const float c2 = limited(at[3][k]);
		span[k] = larger(fabsf(c1 - c0), fabsf(c2 - c0));
	}
	const float t = fabsf((float)PROCTEX4_WIDTH(config) * bias) * (span[0] + span[1]);
	if (!(t > 0.0f) || !isfinite(t)) {
		return -INFINITY;
	}
	return (float)math_log2((double)t);
}

static void colored(const struct naive *n, const float at[4][2], float c, uint8_t out[4]) {
	const uint32_t config = n->regs[REG_TEXUNIT3_PROCTEX4];
	const uint32_t filter = PROCTEX4_FILTER(config);
	if (filter < 2) {
		color_at(n, 0, c, out);
		return;
	}
	const unsigned min = PROCTEX4_MIN_LOD(config);
	const unsigned max = PROCTEX4_MAX_LOD(config) < 7 ? PROCTEX4_MAX_LOD(config) : 7;
	float lod = level_of_detail(n, at);
	lod = lod > (float)min ? lod : (float)min;
	lod = lod < (float)max ? lod : (float)max;
	if (filter < 4) {
		color_at(n, (unsigned)floorf(lod + 0.5f), c, out);
		return;
	}
	const unsigned level = (unsigned)lod;
	const uint32_t f = (uint32_t)((lod - (float)level) * 256.0f);
	uint8_t a[4], b[4];
	color_at(n, level, c, a);
	color_at(n, level < max ? level + 1 : max, c, b);
	for (unsigned k = 0; k < 4; k++) {
		out[k] = (uint8_t)((a[k] * (256 - f) + b[k] * f + 128) >> 8);
	}
}

/* ---- The unit (10.3) ---- */

void naive_proctex(const struct naive *n, const float at[4][2], uint8_t out[4]) {
	const uint32_t config = n->regs[REG_TEXUNIT3_PROCTEX0];
	float u = limited(at[0][0]), v = limited(at[0][1]);
	const float off_u =
			shift_of(PROCTEX0_U_SHIFT(config), PROCTEX0_U_CLAMP(config), v);
	const float off_v =
			shift_of(PROCTEX0_V_SHIFT(config), PROCTEX0_V_CLAMP(config), u);
	if (PROCTEX0_NOISE(config)) {
		const float noise = noise_at(n, u, v);
		const uint32_t word_u = n->regs[REG_TEXUNIT3_PROCTEX1];
		const uint32_t word_v = n->regs[REG_TEXUNIT3_PROCTEX2];
		u = fabsf(u + noise * ((float)sign_extend(word_u & 0xFFFF, 16) / 4096.0f));
		v = fabsf(v + noise * ((float)sign_extend(word_v & 0xFFFF, 16) / 4096.0f));
	}
	u = clamp_of(PROCTEX0_U_CLAMP(config), u + off_u);
	v = clamp_of(PROCTEX0_V_CLAMP(config), v + off_v);
	const float c = function_of(PROCTEX0_RGB_MAP(config), u, v);
	colored(n, at, from_map(n, PROCTEX_TABLE_RGB_MAP, c), out);
	if (PROCTEX0_SEPARATE_ALPHA(config)) {
		const float a = function_of(PROCTEX0_ALPHA_MAP(config), u, v);
		out[3] = (uint8_t)(from_map(n, PROCTEX_TABLE_ALPHA_MAP, a) * 255.0f);
	}
}
