/*
 * Fragment lighting: the numbers [fidelity: lighting-numbers] in the kernels, and what registers
 * decode to.
 */
#include <math.h>

#include "frag_rig.h"
#include "tests/suite.h"

/* ---- Kernels ---- */

static const struct light_kernels *kernels(int isa) {
	return frag_kernels_for((enum isa)isa)->light;
}

/* Entry i holds i, and one more a step: a lookup gives index + fraction. */
static void counting_table(struct light_entry table[LIGHT_ENTRIES]) {
	for (unsigned i = 0; i < LIGHT_ENTRIES; i++) {
		table[i] = (struct light_entry){ (float)i, 1.0f };
	}
}

static float look_up(const struct light_kernels *k, float r, bool is_signed, bool two_sided) {
	struct light_entry table[LIGHT_ENTRIES];
	PICA_ALIGNED(64) float in[BATCH] = { r }, out[BATCH];
	const struct light_lookup how = { .scale = 1, .is_signed = is_signed };
	counting_table(table);
	k->lookup(out, in, table, &how, two_sided, 16);
	return out[0];
}

ISA_TEST(tables_are_indexed_as_specified) {
	const struct light_kernels *k = kernels(_i);
	static const struct {
		float r, at;
	} with_sign[] = {
		{ -1.0f, 128 }, { -0.5f, 192 }, { -1.0f / 128, 255 }, { -0.001f, 255 + 0.872f },
				{ 0.0f, 0 },
		{ 0.5f, 64 }, { 127.0f / 128, 127 }, { 1.0f, 127 + 1 }, { -1.5f, 128 - 64 },
	}, absolute[] = {
		{ 0.25f, 64 }, { 0.999f, 255 + 0.744f }, { 1.0f, 255 + 1 }, { 0.0f, 0 },
				{ 1.5f, 384 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(with_sign); i++) {
		ck_assert_float_eq_tol(
				look_up(k, with_sign[i].r, true, false), with_sign[i].at, 1e-4);
	}
	for (unsigned i = 0; i < ARRAY_LEN(absolute); i++) {
		const float r = absolute[i].r, at = absolute[i].at;
		ck_assert_float_eq_tol(look_up(k, r, false, false), at, 1e-4);
		ck_assert_float_eq(look_up(k, -r, false, false), 0.0f);
		ck_assert_float_eq(look_up(k, -r, false, true), look_up(k, r, false, false));
	}
	/* Nothing leaves the table. */
	static const float wild[] = { NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 1e-40f };
	for (unsigned i = 0; i < ARRAY_LEN(wild); i++) {
		look_up(k, wild[i], true, false);
		look_up(k, wild[i], false, true);
		look_up(k, wild[i], false, false);
	}
}

TEST(entries_are_decoded_as_specified) {
	uint32_t raw[LIGHT_ENTRIES] = { 0x400800, 0xC00800, 0x000FFF, 0x7FF000, 0xFFFFFFFF };
	struct light_entry e[LIGHT_ENTRIES];
	light_table_decode(e, raw);
	ck_assert_float_eq_tol(e[0].value, 0.50012f, 1e-5);
	ck_assert_float_eq_tol(e[0].difference, 0.50024f, 1e-5);
	ck_assert_float_eq(e[1].value, e[0].value);
	ck_assert_float_eq(e[1].difference, -e[0].difference);
	ck_assert_float_eq(e[2].value, 1.0f);
	ck_assert_float_eq(e[2].difference, 0.0f);
	ck_assert_float_eq(e[3].value, 0.0f);
	ck_assert_float_eq(e[3].difference, 1.0f);
	ck_assert_float_eq(e[4].difference, -1.0f);
}

/* Normal and tangent of a quaternion and a texel. */
static void surface(const struct light_kernels *k, struct light_planes *p, const float q[4],
		const uint8_t texel[3], unsigned flags) {
	PICA_ALIGNED(64) float quat[4][BATCH] = { { 0 } };
	PICA_ALIGNED(64) uint16_t map[3][BATCH] = { { 0 } };
	for (unsigned c = 0; c < 4; c++) {
		quat[c][0] = q[c];
	}
	for (unsigned c = 0; c < 3; c++) {
		map[c][0] = texel[c];
	}
	const struct plane_in bump = { map[0], BATCH };
	k->surface(p, quat[0], &bump, flags | LIGHT_TANGENT, 16);
}

static void expect3(float (*v)[BATCH], float x, float y, float z) {
	ck_assert_float_eq_tol(v[0][0], x, 1e-5);
	ck_assert_float_eq_tol(v[1][0], y, 1e-5);
	ck_assert_float_eq_tol(v[2][0], z, 1e-5);
}

static const uint8_t no_texel[3];

ISA_TEST(quaternions_turn_as_specified) {
	static struct light_planes p;
	const struct light_kernels *k = kernels(_i);
	surface(k, &p, (const float[4]){ 0, 0, 0, 1 }, no_texel, 0);
	expect3(p.n, 0, 0, 1);
	expect3(p.t, 1, 0, 0);
	surface(k, &p, (const float[4]){ 0, 0.7071f, 0, 0.7071f }, no_texel, 0);
	expect3(p.n, 1, 0, 0);
	expect3(p.t, 0, 0, -1);
	/* Any length, and what has none. */
	surface(k, &p, (const float[4]){ 35, 0, 0, 35 }, no_texel, 0);
	expect3(p.n, 0, -1, 0);
	expect3(p.t, 1, 0, 0);
	static const float none[][4] = { { 0, 0, 0, 0 }, { INFINITY, 0, 0, 1 }, { NAN, 1, 0, 1 },
		{ 1e30f, 0, 0, 0 } };
	for (unsigned i = 0; i < ARRAY_LEN(none); i++) {
		surface(k, &p, none[i], no_texel, 0);
		expect3(p.n, 0, 0, 1);
		expect3(p.t, 1, 0, 0);
	}
}

ISA_TEST(maps_bend_the_surface_as_specified) {
	static struct light_planes p;
	static const float identity[4] = { 0, 0, 0, 1 };
	const struct light_kernels *k = kernels(_i);
	surface(k, &p, identity, (const uint8_t[3]){ 128, 128, 255 },
			LIGHT_NORMAL_MAP | LIGHT_KEEP_Z);
	expect3(p.n, 0.00392f, 0.00392f, 1.0f);
	expect3(p.t, 1, 0, 0);
	surface(k, &p, identity, (const uint8_t[3]){ 128, 128, 255 }, LIGHT_NORMAL_MAP);
	expect3(p.n, 0.00392f, 0.00392f, 0.99998f);
	surface(k, &p, identity, (const uint8_t[3]){ 255, 128, 77 }, LIGHT_NORMAL_MAP);
	expect3(p.n, 1, 0.00392f, 0);
	/* A map of tangents: z counts, whatever bit 30 says. A unit that is off gives -1. */
	for (unsigned z = 0; z <= LIGHT_KEEP_Z; z += LIGHT_KEEP_Z) {
		surface(k, &p, identity, (const uint8_t[3]){ 255, 0, 255 }, LIGHT_TANGENT_MAP | z);
		expect3(p.n, 0, 0, 1);
		expect3(p.t, 1, -1, 1);
	}
	surface(k, &p, identity, no_texel, LIGHT_NORMAL_MAP | LIGHT_KEEP_Z);
	expect3(p.n, -1, -1, -1);
	/* Turned by the quaternion: x to z. */
	surface(k, &p, (const float[4]){ 0, -0.7071f, 0, 0.7071f }, (const uint8_t[3]){ 255, 0, 0 },
			LIGHT_TANGENT_MAP);
	expect3(p.t, 1, -1, 1);
}

struct geometry {
	float l[3], v[3];
};

/* One light from direction g->l on the surface (0, 0, 1), (1, 0, 0). */
static void vectors(const struct light_kernels *k, struct light_planes *p, const struct geometry *g,
		unsigned flags) {
	static const float identity[4] = { 0, 0, 0, 1 };
	struct light_source s = { .flags = (uint16_t)(flags | LIGHT_DIRECTIONAL | LIGHT_HALF),
		.inputs = (1 << LIGHT_INPUTS) - 1, .distance_factor = { .table = LIGHT_NO_TABLE } };
	surface(k, p, identity, no_texel, 0);
	memset(p->v, 0, sizeof(p->v));
	for (unsigned c = 0; c < 3; c++) {
		s.position[c] = g->l[c];
		p->v[c][0] = g->v[c];
	}
	k->vectors(p, p->v[0], &s, 16);
}

ISA_TEST(geometric_factor_is_the_measured_one) {
	static struct light_planes p;
	static const struct {
		struct geometry g;
		float want;
	} cases[] = {
		{ { { 0, 0, 1 }, { 0, 0, 1 } }, 0.25f },
		{ { { 0.6f, 0, 0.8f }, { -0.6f, 0, 0.8f } }, 0.3125f },
		{ { { 0.8f, 0, 0.6f }, { -0.8f, 0, 0.6f } }, 0.41667f },
		{ { { 0, 0.6f, 0.8f }, { 0, 0.6f, -0.8f } }, 0.55556f },
		{ { { 0, 0, 1 }, { 0, 0, -1 } }, 0.0f },              /* no half vector */
		{ { { 0, 0.6f, 0.8f }, { 0, -0.6f, -0.6f } }, 1.0f }, /* not above 1 */
	};
	const struct light_kernels *k = kernels(_i);
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		vectors(k, &p, &cases[i].g, LIGHT_GEOMETRIC0);
		ck_assert_float_eq_tol(p.geometric[0], cases[i].want, 1e-5);
		/* The formula that the console was compared with. */
		const struct geometry *g = &cases[i].g;
		const float lv = g->l[0] * g->v[0] + g->l[1] * g->v[1] + g->l[2] * g->v[2];
		if (i < 4) {
			ck_assert_float_eq_tol(
					p.geometric[0], fminf(1, 0.5f * g->l[2] / (1 + lv)), 1e-5);
		}
	}
}

ISA_TEST(inputs_match_their_names) {
	static struct light_planes p;
	static const struct geometry g = { { 0.6f, 0, 0.8f }, { 0, 0, 1 } };
	const struct light_kernels *k = kernels(_i);
	vectors(k, &p, &g, 0);
	ck_assert_float_eq_tol(p.input[LIGHT_CP][0], 0.3162f, 1e-4); /* not 1 */
	ck_assert_float_eq_tol(p.input[LIGHT_NH][0], 0.9487f, 1e-4);
	ck_assert_float_eq_tol(p.input[LIGHT_VH][0], 0.9487f, 1e-4);
	ck_assert_float_eq_tol(p.input[LIGHT_NV][0], 1.0f, 1e-6);
	ck_assert_float_eq_tol(p.input[LIGHT_LN][0], 0.8f, 1e-6);
	ck_assert_float_eq_tol(p.diffuse[0], 0.8f, 1e-6);
	static const struct geometry behind = { { 0, 0.6f, -0.8f }, { 0, 0, 1 } };
	vectors(k, &p, &behind, 0);
	ck_assert_float_eq_tol(p.input[LIGHT_LN][0], -0.8f, 1e-6);
	ck_assert_float_eq(p.diffuse[0], 0.0f);
	vectors(k, &p, &behind, LIGHT_TWO_SIDED);
	ck_assert_float_eq_tol(p.diffuse[0], 0.8f, 1e-6);
}

/* ---- Registers ---- */

static struct light_draw *draw_of(const uint32_t *regs) {
	static struct light_draw l;
	light_draw_from_regs(&l, regs, LIGHT_PRIMARY | LIGHT_SECONDARY | LIGHT_ALPHAS);
	return &l;
}

TEST(light_registers_are_decoded_as_specified) {
	uint32_t regs[REG_COUNT] = { 0 };
	regs[REG_LIGHTING_LIGHT_PERMUTATION] = 3;
	regs[REG_LIGHT3_SPOTDIR_XY] = 0x07FF1801;
	regs[REG_LIGHT3_SPOTDIR_Z] = 0x1000;
	regs[REG_LIGHT3_XY] = 0xBC003C00;
	regs[REG_LIGHT3_Z] = 0x4000;
	regs[REG_LIGHT3_ATTENUATION_BIAS] = 0xBF000;
	regs[REG_LIGHT3_ATTENUATION_SCALE] = 0x3E000;
	regs[REG_LIGHT3_DIFFUSE] = 51 | 102 << 10 | 255 << 20;
	regs[REG_LIGHT3_SPECULAR0] = 1020; /* 4, where software would write 255 at most */
	const struct light_source *s = &draw_of(regs)->source[0];
	ck_assert_float_eq(s->spot[0], -1.0f);
	ck_assert_float_eq(s->spot[1], 1.0f);
	ck_assert_float_eq_tol(s->spot[2], -4096.0f / 2047, 1e-6);
	ck_assert_float_eq(s->position[0], 1.0f);
	ck_assert_float_eq(s->position[1], -1.0f);
	ck_assert_float_eq(s->position[2], 2.0f);
	ck_assert_float_eq(s->distance_bias, -1.0f);
	ck_assert_float_eq(s->distance_scale, 0.5f);
	ck_assert_float_eq(s->diffuse[0], 1.0f);
	ck_assert_float_eq_tol(s->diffuse[1], 0.4f, 1e-6);
	ck_assert_float_eq_tol(s->diffuse[2], 0.2f, 1e-6);
	ck_assert_float_eq(s->specular0[2], 4.0f);
	/* Directional: of length 1, and its length is kept. */
	regs[REG_LIGHT3_CONFIG] = 1;
	s = &draw_of(regs)->source[0];
	ck_assert_float_eq_tol(s->length, 2.44949f, 1e-5);
	ck_assert_float_eq_tol(s->position[2], 0.816497f, 1e-5);
	regs[REG_LIGHT3_XY] = regs[REG_LIGHT3_Z] = 0;
	s = &draw_of(regs)->source[0];
	ck_assert_float_eq(s->position[0] + s->position[1] + s->position[2], 0.0f);
}

enum { ALL_SPECULAR = 0x0FF3FCFF };

TEST(layer_configurations_have_their_tables) {
	/* d0 d1 fr rr rg rb sp, in letters. [fidelity: lighting-tables] */
	static const struct {
		unsigned layers;
		const char *has;
	} cases[] = {
		{ 0, "0..r..s" },
		{ 1, "..fr..s" },
		{ 2, "01.r..." },
		{ 3, "01f...." },
		{ 4, "01.rgbs" },
		{ 5, "0.frgbs" },
		{ 6, "01fr..s" },
		{ 8, "01frgbs" },
		/* As 6. [guess] */
		{ 7, "01fr..s" },
		{ 9, "01fr..s" },
		{ 10, "01fr..s" },
		{ 11, "01fr..s" },
		{ 12, "01fr..s" },
		{ 13, "01fr..s" },
		{ 14, "01fr..s" },
		{ 15, "01fr..s" },
	};
	uint32_t regs[REG_COUNT] = { 0 };
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		const char *has = cases[i].has;
		regs[REG_LIGHTING_CONFIG0] = cases[i].layers << 4 | 4;
		regs[REG_LIGHTING_CONFIG1] = 0;
		regs[REG_LIGHT0_SPECULAR0] = regs[REG_LIGHT0_SPECULAR1] = ALL_SPECULAR;
		const struct light_draw *l = draw_of(regs);
		ck_assert_uint_eq(l->d0.table, has[0] == '0' ? 0 : LIGHT_NO_TABLE);
		ck_assert_uint_eq(l->d1.table, has[1] == '1' ? 1 : LIGHT_NO_TABLE);
		ck_assert_uint_eq(l->fresnel.table, has[2] == 'f' ? 3 : LIGHT_NO_TABLE);
		const unsigned rr = has[3] == 'r' ? 6 : LIGHT_NO_TABLE;
		ck_assert_uint_eq(l->reflection[0].table, rr);
		ck_assert_uint_eq(l->reflection[1].table, has[4] == 'g' ? 5 : rr);
		ck_assert_uint_eq(l->reflection[2].table, has[5] == 'b' ? 4 : rr);
		ck_assert_uint_eq(
				l->source[0].spot_factor.table, has[6] == 's' ? 8 : LIGHT_NO_TABLE);
		ck_assert_uint_eq(l->source[0].distance_factor.table, 16);
	}
	/* The cosine of phi is an input of configuration 8 alone. */
	for (unsigned layers = 0; layers < 16; layers++) {
		if (layers == 1) {
			continue; /* has no D0 */
		}
		regs[REG_LIGHTING_CONFIG0] = layers << 4;
		regs[REG_LIGHTING_LUTINPUT_SELECT] = LIGHT_CP;
		ck_assert_uint_eq(draw_of(regs)->d0.input,
				layers == 8 ? LIGHT_CP : LIGHT_ZERO);
	}
	regs[REG_LIGHTING_LUTINPUT_SELECT] = 0;
	/* Bits that switch off: of configuration 8, one by one. */
	regs[REG_LIGHTING_CONFIG0] = 8 << 4;
	static const uint8_t bits[] = { 16, 17, 19, 20, 21, 22 };
	for (unsigned i = 0; i < ARRAY_LEN(bits); i++) {
		regs[REG_LIGHTING_CONFIG1] = 1u << bits[i];
		const struct light_draw *l = draw_of(regs);
		ck_assert_uint_eq(l->d0.table, bits[i] == 16 ? LIGHT_NO_TABLE : 0);
		ck_assert_uint_eq(l->d1.table, bits[i] == 17 ? LIGHT_NO_TABLE : 1);
		ck_assert_uint_eq(l->fresnel.table, bits[i] == 19 ? LIGHT_NO_TABLE : 3);
		ck_assert_uint_eq(l->reflection[0].table, bits[i] == 22 ? LIGHT_NO_TABLE : 6);
		ck_assert_uint_eq(l->reflection[1].table, bits[i] == 21 ? 6 : 5);
		ck_assert_uint_eq(l->reflection[2].table, bits[i] == 20 ? 6 : 4);
	}
}

TEST(unread_tables_are_not_requested) {
	uint32_t regs[REG_COUNT] = { 0 };
	struct light_draw l;
	regs[REG_LIGHTING_CONFIG0] = 8 << 4;
	regs[REG_LIGHTING_CONFIG1] = 0xFF00FF00;
	regs[REG_LIGHT0_DIFFUSE] = ALL_SPECULAR;
	light_draw_from_regs(&l, regs, LIGHT_PRIMARY | LIGHT_SECONDARY);
	ck_assert_uint_eq(l.tables, 0); /* no highlights, no attenuation, no Fresnel */
	regs[REG_LIGHT0_SPECULAR0] = 1;
	light_draw_from_regs(&l, regs, LIGHT_PRIMARY | LIGHT_SECONDARY);
	ck_assert_uint_eq(l.tables, 1);
	light_draw_from_regs(&l, regs, LIGHT_PRIMARY);
	ck_assert_uint_eq(l.tables, 0);
	regs[REG_LIGHT0_SPECULAR1] = 1;
	light_draw_from_regs(&l, regs, LIGHT_SECONDARY);
	ck_assert_uint_eq(l.tables, 1 << 0 | 1 << 1 | 1 << 4 | 1 << 5 | 1 << 6);
	regs[REG_LIGHTING_CONFIG0] |= 1 << 2;
	light_draw_from_regs(&l, regs, LIGHT_PRIMARY_ALPHA);
	ck_assert_uint_eq(l.tables, 1 << 3);
	light_draw_from_regs(&l, regs, LIGHT_SECONDARY_ALPHA);
	ck_assert_uint_eq(l.tables, 0);
	/* By number of the light, not by slot. */
	regs[REG_LIGHTING_CONFIG1] = ~(1u << 13 | 1u << 29);
	regs[REG_LIGHTING_NUM_LIGHTS] = 1;
	regs[REG_LIGHTING_LIGHT_PERMUTATION] = 0x25;
	regs[REG_LIGHT5_DIFFUSE] = regs[REG_LIGHT2_DIFFUSE] = 1;
	light_draw_from_regs(&l, regs, LIGHT_PRIMARY);
	ck_assert_uint_eq(l.tables, 1u << 13 | 1u << 21);
	ck_assert_uint_eq(l.source[0].spot_factor.table, 13);
	ck_assert_uint_eq(l.source[1].spot_factor.table, LIGHT_NO_TABLE);
}
