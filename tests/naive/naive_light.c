/*
 * Fragment lighting of one pixel (fidelity: lighting; docs/fidelity.md 1 "Lighting").
 *
 * Everything is computed for every light, whether it is used or not; sums of three
 * products are (x + y) + z, and max(a, b) is a > b ? a : b.
 */
#include "naive_state.h"

#include <float.h>
#include <math.h>

#include "core/base/f24.h"
#include "core/base/fixed.h"
#include "pica/regs/regs.h"

struct v3 {
	float x, y, z;
};

static float dot(struct v3 a, struct v3 b) {
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct v3 add(struct v3 a, struct v3 b) {
	return (struct v3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static struct v3 sub(struct v3 a, struct v3 b) {
	return (struct v3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static struct v3 times(float f, struct v3 a) {
	return (struct v3){f * a.x, f * a.y, f * a.z};
}

static struct v3 cross(struct v3 a, struct v3 b) {
	return (struct v3){
		a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Neither zero nor too long for binary32. */
static bool has_direction(float length_squared) {
	return length_squared > 0 && length_squared <= FLT_MAX;
}

static struct v3 normalised(struct v3 a) {
	const float l2 = dot(a, a);
	return has_direction(l2) ? times(1.0f / sqrtf(l2), a) : (struct v3){0, 0, 0};
}

/* ---- Section 5: the surface ---- */

struct surface {
	struct v3 n, t, v;
	float shadow[4];
};

static struct v3 rotate(const float q[4], struct v3 a) {
	const struct v3 u = {q[0], q[1], q[2]};
	const struct v3 c = add(cross(u, a), times(q[3], a));
	return add(a, times(2.0f, cross(u, c)));
}

static struct v3 from_map(const uint8_t texel[4]) {
	return (struct v3){texel[0] / 127.5f - 1.0f, texel[1] / 127.5f - 1.0f,
		texel[2] / 127.5f - 1.0f};
}

static void find_surface(const struct naive *n, const float quat[4], const float view[3],
		uint8_t texel[4][4], struct surface *s) {
	const uint32_t config = n->regs[REG_LIGHTING_CONFIG0];
	const float l2 =
		quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3];
	float q[4] = {0, 0, 0, 1};
	for (unsigned k = 0; k < 4 && has_direction(l2); k++) {
		q[k] = quat[k] * (1.0f / sqrtf(l2));
	}
	const uint8_t *bump = texel[LIGHTING_CONFIG0_BUMP_UNIT(config)];
	struct v3 normal = {0, 0, 1}, tangent = {1, 0, 0};
	switch (LIGHTING_CONFIG0_BUMP_MODE(config)) {
	case BUMP_NORMAL:
		normal = from_map(bump);
		if (!LIGHTING_CONFIG0_BUMP_KEEP_Z(config)) {
			const float left = 1.0f - normal.x * normal.x - normal.y * normal.y;
			normal.z = sqrtf(left > 0 ? left : 0);
		}
		break;
	case BUMP_TANGENT:
		tangent = from_map(bump);
		break;
	default:
		break;
	}
	s->n = rotate(q, normal);
	s->t = rotate(q, tangent);
	s->v = normalised((struct v3){view[0], view[1], view[2]});
	for (unsigned k = 0; k < 4; k++) {
		s->shadow[k] = 1;
		if (LIGHTING_CONFIG0_SHADOW(config)) {
			s->shadow[k] = texel[LIGHTING_CONFIG0_SHADOW_UNIT(config)][k] / 255.0f;
			if (LIGHTING_CONFIG0_SHADOW_INVERT(config)) {
				s->shadow[k] = 1 - s->shadow[k];
			}
		}
	}
}

/* ---- Sections 4, 6.1: tables ---- */

enum table {
	T_D0,
	T_D1,
	T_SP,
	T_FR,
	T_RB,
	T_RG,
	T_RR,
};

static const char *const available[16] = {
	/* in the order of enum table: which the layer configuration has */
	"x.x...x", "..xx..x", "xx....x", "xx.x...", "xxx.xxx", "x.xxxxx", "xxxx..x",
	"xxxx..x", /* 7, and 9 to 15: as 6 */
	"xxxxxxx", "xxxx..x", "xxxx..x", "xxxx..x", "xxxx..x", "xxxx..x", "xxxx..x", "xxxx..x",
};

static bool is_on(const struct naive *n, enum table t) {
	const uint32_t off = n->regs[REG_LIGHTING_CONFIG1];
	if (available[LIGHTING_CONFIG0_LAYERS(n->regs[REG_LIGHTING_CONFIG0])][t] != 'x') {
		return false;
	}
	switch (t) {
	case T_D0:
		return !LIGHTING_CONFIG1_D0_OFF(off);
	case T_D1:
		return !LIGHTING_CONFIG1_D1_OFF(off);
	case T_FR:
		return !LIGHTING_CONFIG1_FR_OFF(off);
	case T_RB:
		return !LIGHTING_CONFIG1_RB_OFF(off);
	case T_RG:
		return !LIGHTING_CONFIG1_RG_OFF(off);
	case T_RR:
		return !LIGHTING_CONFIG1_RR_OFF(off);
	default:
		return true; /* SP is switched off light by light */
	}
}

static float entry_value(uint32_t entry, float fraction) {
	float difference = (float)(entry >> 12 & 0x7FF) / 2047.0f;
	if (entry >> 23 & 1) {
		difference = -difference;
	}
	return (float)(entry & 0xFFF) / 4095.0f + difference * fraction;
}

static float clamped(float v, float lo, float hi) {
	v = v > lo ? v : lo;
	return v < hi ? v : hi;
}

static float absolute_lookup(const uint32_t *table, float r) {
	const float i = clamped(floorf(r * 256), 0, 255);
	return entry_value(table[(unsigned)i], r * 256 - i);
}

static float signed_lookup(const uint32_t *table, float r) {
	const float j = clamped(floorf(r * 128), -128, 127);
	return entry_value(table[(int)j & 255], r * 128 - j);
}

struct lamp {
	unsigned id;
	uint32_t config;
	struct v3 l, h_unit, spot;
	float length, d, geometric;
};

static float input(const struct naive *n, const struct surface *s, const struct lamp *lamp,
		uint32_t select) {
	switch (select) {
	case LIGHT_INPUT_NH:
		return dot(s->n, lamp->h_unit);
	case LIGHT_INPUT_VH:
		return dot(s->v, lamp->h_unit);
	case LIGHT_INPUT_NV:
		return dot(s->n, s->v);
	case LIGHT_INPUT_LN:
		return dot(lamp->l, s->n);
	case LIGHT_INPUT_SPOT:
		return dot(lamp->l, lamp->spot);
	case LIGHT_INPUT_CP:
		if (LIGHTING_CONFIG0_LAYERS(n->regs[REG_LIGHTING_CONFIG0]) == 8) {
			const float nh = dot(s->n, lamp->h_unit);
			return dot(sub(lamp->h_unit, times(nh, s->n)), s->t);
		}
		return 0;
	default:
		return 0;
	}
}

/* The table t as one light looks it up; number: as register 1C5 counts. */
static float lookup(const struct naive *n, const struct surface *s, const struct lamp *lamp,
		enum table t, unsigned number) {
	static const float scales[8] = {1, 2, 4, 8, 0, 0, 0.25f, 0.5f};
	const unsigned at = 4 * t; /* place in 1D0, 1D1, 1D2 */
	const float r = input(n, s, lamp, n->regs[REG_LIGHTING_LUTINPUT_SELECT] >> at & 7);
	const float scale = scales[n->regs[REG_LIGHTING_LUTINPUT_SCALE] >> at & 7];
	if (n->regs[REG_LIGHTING_LUTINPUT_ABS] >> (at + 1) & 1) {
		return signed_lookup(n->tables.light[number], r) * scale;
	}
	if (LIGHT_CONFIG_TWO_SIDED(lamp->config)) {
		return absolute_lookup(n->tables.light[number], fabsf(r)) * scale;
	}
	return absolute_lookup(n->tables.light[number], r > 0 ? r : 0) * scale;
}

static float lookup_or_1(const struct naive *n, const struct surface *s, const struct lamp *lamp,
		enum table t, unsigned number) {
	return is_on(n, t) ? lookup(n, s, lamp, t, number) : 1.0f;
}

/* ---- Section 6: lights ---- */

static uint32_t lamp_reg(const struct naive *n, unsigned id, uint32_t of_light_0) {
	return n->regs[of_light_0 + 0x10 * id];
}

static void color(uint32_t word, float rgb[3]) {
	for (unsigned c = 0; c < 3; c++) {
		rgb[c] = (float)(word >> (20 - 10 * c) & 0x3FF) / 255.0f;
	}
}

static float spot_component(uint32_t bits) {
	return (float)sign_extend(bits & 0x1FFF, 13) / 2047.0f;
}

static void find_lamp(const struct naive *n, const struct surface *s, const float view[3],
		unsigned id, struct lamp *lamp) {
	const uint32_t xy = lamp_reg(n, id, REG_LIGHT0_XY), z = lamp_reg(n, id, REG_LIGHT0_Z);
	const uint32_t spot_xy = lamp_reg(n, id, REG_LIGHT0_SPOTDIR_XY);
	lamp->id = id;
	lamp->config = lamp_reg(n, id, REG_LIGHT0_CONFIG);
	struct v3 l = {f16_to_f32(xy & 0xFFFF), f16_to_f32(xy >> 16), f16_to_f32(z & 0xFFFF)};
	if (!LIGHT_CONFIG_DIRECTIONAL(lamp->config)) {
		l = add(l, (struct v3){view[0], view[1], view[2]});
	}
	lamp->length = sqrtf(dot(l, l));
	lamp->l = normalised(l);
	lamp->spot = (struct v3){spot_component(spot_xy), spot_component(spot_xy >> 16),
		spot_component(lamp_reg(n, id, REG_LIGHT0_SPOTDIR_Z))};
	const struct v3 h = add(s->v, lamp->l);
	const float h2 = dot(h, h);
	lamp->h_unit = normalised(h);
	const float nl = dot(s->n, lamp->l);
	lamp->d = LIGHT_CONFIG_TWO_SIDED(lamp->config) ? fabsf(nl) : nl > 0 ? nl : 0;
	lamp->geometric = 0;
	if (h2 != 0) {
		const float g = lamp->d / h2;
		lamp->geometric = g < 1 ? g : 1;
	}
}

static float distance_factor(const struct naive *n, const struct lamp *lamp) {
	if (LIGHTING_CONFIG1_DISTANCE_OFF(n->regs[REG_LIGHTING_CONFIG1]) >> lamp->id & 1) {
		return 1;
	}
	const float scale = f20_to_f32(lamp_reg(n, lamp->id, REG_LIGHT0_ATTENUATION_SCALE));
	const float bias = f20_to_f32(lamp_reg(n, lamp->id, REG_LIGHT0_ATTENUATION_BIAS));
	return absolute_lookup(n->tables.light[LIGHT_TABLE_DA + lamp->id],
			clamped(scale * lamp->length + bias, 0, 1));
}

static float spot_factor(const struct naive *n, const struct surface *s, const struct lamp *lamp) {
	if (LIGHTING_CONFIG1_SPOT_OFF(n->regs[REG_LIGHTING_CONFIG1]) >> lamp->id & 1) {
		return 1;
	}
	return lookup_or_1(n, s, lamp, T_SP, LIGHT_TABLE_SP + lamp->id);
}

/* Section 6.2; the sums so far in primary and secondary. */
static void add_lamp(const struct naive *n, const struct surface *s, const struct lamp *lamp,
		float primary[3], float secondary[3]) {
	const uint32_t config = n->regs[REG_LIGHTING_CONFIG0];
	const bool is_shadowed =
		!(LIGHTING_CONFIG1_SHADOW_OFF(n->regs[REG_LIGHTING_CONFIG1]) >> lamp->id & 1);
	const float attenuation = distance_factor(n, lamp) * spot_factor(n, s, lamp);
	const float d0 = lookup_or_1(n, s, lamp, T_D0, LIGHT_TABLE_D0);
	const float d1 = lookup_or_1(n, s, lamp, T_D1, LIGHT_TABLE_D1);
	float refl[3];
	refl[0] = lookup_or_1(n, s, lamp, T_RR, LIGHT_TABLE_RR);
	refl[1] = is_on(n, T_RG) ? lookup(n, s, lamp, T_RG, LIGHT_TABLE_RG) : refl[0];
	refl[2] = is_on(n, T_RB) ? lookup(n, s, lamp, T_RB, LIGHT_TABLE_RB) : refl[0];
	float specular0[3], specular1[3], diffuse[3], ambient[3];
	color(lamp_reg(n, lamp->id, REG_LIGHT0_SPECULAR0), specular0);
	color(lamp_reg(n, lamp->id, REG_LIGHT0_SPECULAR1), specular1);
	color(lamp_reg(n, lamp->id, REG_LIGHT0_DIFFUSE), diffuse);
	color(lamp_reg(n, lamp->id, REG_LIGHT0_AMBIENT), ambient);
	const float g0 = LIGHT_CONFIG_GEO0(lamp->config) ? lamp->geometric : 1;
	const float g1 = LIGHT_CONFIG_GEO1(lamp->config) ? lamp->geometric : 1;
	const float highlight =
		LIGHTING_CONFIG0_CLAMP_HIGHLIGHTS(config) && lamp->d == 0 ? 0.0f : 1.0f;
	for (unsigned c = 0; c < 3; c++) {
		const float shp =
			LIGHTING_CONFIG0_SHADOW_PRIMARY(config) && is_shadowed ? s->shadow[c] : 1;
		const float shs = LIGHTING_CONFIG0_SHADOW_SECONDARY(config) && is_shadowed
					  ? s->shadow[c]
					  : 1;
		const float sp0 = specular0[c] * d0 * g0;
		const float sp1 = specular1[c] * d1 * refl[c] * g1;
		primary[c] += (diffuse[c] * lamp->d * shp + ambient[c]) * attenuation;
		secondary[c] += (sp0 + sp1) * highlight * attenuation * shs;
	}
}

static uint8_t to_byte(float v) {
	return (uint8_t)(clamped(v, 0, 1) * 255 + 0.5f);
}

void naive_light(const struct naive *n, const float quat[4], const float view[3],
		uint8_t texel[4][4], uint8_t out[2][4]) {
	const uint32_t config = n->regs[REG_LIGHTING_CONFIG0];
	struct surface s;
	float lit[2][3] = {{0}}, alpha[2] = {1, 1}, ambient[3];
	const bool fresnel[2] = {LIGHTING_CONFIG0_FRESNEL_PRIMARY(config),
		LIGHTING_CONFIG0_FRESNEL_SECONDARY(config)};
	const unsigned last = LIGHTING_NUM_LIGHTS_COUNT_M1(n->regs[REG_LIGHTING_NUM_LIGHTS]);
	find_surface(n, quat, view, texel, &s);
	for (unsigned slot = 0; slot <= last; slot++) {
		struct lamp lamp;
		find_lamp(n, &s, view,
			n->regs[REG_LIGHTING_LIGHT_PERMUTATION] >> (4 * slot) & 7, &lamp);
		add_lamp(n, &s, &lamp, lit[0], lit[1]);
		if (slot == last && is_on(n, T_FR)) {
			for (unsigned i = 0; i < 2; i++) {
				if (fresnel[i]) {
					alpha[i] = lookup(n, &s, &lamp, T_FR, LIGHT_TABLE_FR);
				}
			}
		}
	}
	color(n->regs[REG_LIGHTING_AMBIENT], ambient);
	for (unsigned i = 0; i < 2; i++) {
		if (fresnel[i] && LIGHTING_CONFIG0_SHADOW_ALPHA(config)) {
			alpha[i] *= s.shadow[3];
		}
		for (unsigned c = 0; c < 3; c++) {
			out[i][c] = to_byte(lit[i][c] + (i == 0 ? ambient[c] : 0));
		}
		out[i][3] = to_byte(alpha[i]);
	}
}
