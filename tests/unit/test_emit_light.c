/*
 * Words of fragment lighting, worked out by hand from [fidelity: lighting-fields,
 * lighting-numbers].
 */
#include "emit_rig.h"
#include "tests/suite.h"

static uint32_t regs[0x300];
static bool written[0x300];

/* The registers after the list. */
static void run(void) {
	memset(regs, 0, sizeof(regs));
	memset(written, 0, sizeof(written));
	ck_assert_int_eq(pica_emit_error(&em), 0);
	static struct write w[512];
	const size_t n = decode(em.words, em.count, w, ARRAY_LEN(w));
	ck_assert_uint_le(n, ARRAY_LEN(w));
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(w[i].mask, 15);
		regs[w[i].id] = w[i].value;
		written[w[i].id] = true;
	}
	pica_emit_reset(&em);
}

static void run_lighting(const struct pica_lighting *l) {
	pica_emit_lighting(&em, l);
	run();
}

FIXTURE(setup, teardown)

TEST(usual_lighting) {
	struct pica_lighting l;
	pica_lighting_init(&l);
	run_lighting(&l);
	static const struct {
		uint32_t id, word;
	} want[] = {
		{ 0x08F, 1 },
		{ 0x1C0, 0 },
		{ 0x1C2, 0 },
		{ 0x1C3, 0x80000400 },
		{ 0x1C4, 0xFF7FFFFF },
		{ 0x1C6, 0 },
		{ 0x1D0, 0x02222222 },
		{ 0x1D1, 0x00002400 },
		{ 0x1D2, 0 },
		{ 0x1D9, 0x76543210 },
	};
	unsigned n = 0;
	for (unsigned i = 0; i < ARRAY_LEN(written); i++) {
		n += written[i];
	}
	ck_assert_uint_eq(n, ARRAY_LEN(want));
	for (unsigned i = 0; i < ARRAY_LEN(want); i++) {
		ck_assert(written[want[i].id]);
		ck_assert_msg(regs[want[i].id] == want[i].word, "%03X: %08X", want[i].id,
				regs[want[i].id]);
	}
	run_lighting(NULL);
	ck_assert(written[0x08F] && regs[0x08F] == 0 && written[0x1C6] && regs[0x1C6] == 1);
}

TEST(every_field_of_lighting_has_its_place) {
	struct pica_lighting l;
	uint32_t base[0x300];
	pica_lighting_init(&l);
	run_lighting(&l);
	memcpy(base, regs, sizeof(base));
	/* Field, its value, and the bits that differ from the usual state. */
#define CHECK(field, value, id, bits)                                                              \
	do {                                                                                       \
		pica_lighting_init(&l);                                                            \
		l.field = (value);                                                                 \
		run_lighting(&l);                                                                  \
		for (unsigned r = 0; r < ARRAY_LEN(regs); r++) {                                   \
			ck_assert_msg((regs[r] ^ base[r]) == (r == (id) ? (bits) : 0),             \
					"%s: %03X is %08X", #field, r, regs[r]);                   \
		}                                                                                  \
	} while (0)
	CHECK(count, 8, 0x1C2, 7);
	CHECK(order[0], 7, 0x1D9, 7);
	CHECK(order[7], 0, 0x1D9, 7u << 28);
	CHECK(ambient, 0xFF030201, 0x1C0, 1u << 20 | 2 << 10 | 3);
	CHECK(layers, 8, 0x1C3, 8 << 4);
	CHECK(d0.enable, true, 0x1C4, 1 << 16);
	CHECK(d1.enable, true, 0x1C4, 1 << 17);
	CHECK(sp.enable, true, 0x1C4, 0);
	CHECK(fr.enable, true, 0x1C4, 1 << 19);
	CHECK(rb.enable, true, 0x1C4, 1 << 20);
	CHECK(rg.enable, true, 0x1C4, 1 << 21);
	CHECK(rr.enable, true, 0x1C4, 1 << 22);
	CHECK(shadow_lights, 0x81, 0x1C4, 0x81);
	CHECK(spot_lights, 0x42, 0x1C4, 0x4200);
	CHECK(distance_lights, 0x24, 0x1C4, 0x24000000);
	CHECK(d0.is_signed, false, 0x1D0, 1 << 1);
	CHECK(d1.is_signed, false, 0x1D0, 1 << 5);
	CHECK(sp.is_signed, false, 0x1D0, 1 << 9);
	CHECK(fr.is_signed, false, 0x1D0, 1 << 13);
	CHECK(rb.is_signed, false, 0x1D0, 1 << 17);
	CHECK(rg.is_signed, false, 0x1D0, 1 << 21);
	CHECK(rr.is_signed, false, 0x1D0, 1 << 25);
	CHECK(d0.input, PICA_LIGHT_INPUT_CP, 0x1D1, 5);
	CHECK(d1.input, PICA_LIGHT_INPUT_LN, 0x1D1, 3 << 4);
	CHECK(sp.input, PICA_LIGHT_INPUT_NH, 0x1D1, 4 << 8);
	CHECK(fr.input, PICA_LIGHT_INPUT_VH, 0x1D1, (2 ^ 1) << 12);
	CHECK(rb.input, PICA_LIGHT_INPUT_VH, 0x1D1, 1 << 16);
	CHECK(rg.input, PICA_LIGHT_INPUT_NV, 0x1D1, 2 << 20);
	CHECK(rr.input, PICA_LIGHT_INPUT_SPOT, 0x1D1, 4 << 24);
	CHECK(d0.scale, PICA_LIGHT_SCALE_X2, 0x1D2, 1);
	CHECK(d1.scale, PICA_LIGHT_SCALE_X4, 0x1D2, 2 << 4);
	CHECK(sp.scale, PICA_LIGHT_SCALE_X8, 0x1D2, 3 << 8);
	CHECK(fr.scale, PICA_LIGHT_SCALE_QUARTER, 0x1D2, 6 << 12);
	CHECK(rb.scale, PICA_LIGHT_SCALE_HALF, 0x1D2, 7 << 16);
	CHECK(rg.scale, PICA_LIGHT_SCALE_X2, 0x1D2, 1 << 20);
	CHECK(rr.scale, PICA_LIGHT_SCALE_HALF, 0x1D2, 7 << 24);
	CHECK(fresnel_primary, true, 0x1C3, 1 << 2);
	CHECK(fresnel_secondary, true, 0x1C3, 1 << 3);
	CHECK(clamp_highlights, true, 0x1C3, 1 << 27);
	CHECK(bump, PICA_BUMP_TANGENT, 0x1C3, 2 << 28);
	CHECK(bump_unit, 3, 0x1C3, 3 << 22);
	CHECK(bump_keep_z, true, 0x1C3, 1 << 30);
	CHECK(shadow, true, 0x1C3, 1);
	CHECK(shadow_primary, true, 0x1C3, 1 << 16);
	CHECK(shadow_secondary, true, 0x1C3, 1 << 17);
	CHECK(shadow_invert, true, 0x1C3, 1 << 18);
	CHECK(shadow_alpha, true, 0x1C3, 1 << 19);
	CHECK(shadow_unit, 2, 0x1C3, 2 << 24);
#undef CHECK
}

TEST(usual_light) {
	struct pica_light l;
	pica_light_init(&l);
	for (unsigned id = 0; id < 8; id++) {
		const uint32_t at = 0x140 + 0x10 * id;
		pica_emit_light(&em, id, &l);
		run();
		ck_assert_uint_eq(regs[at], 0);
		ck_assert_uint_eq(regs[at + 2], 255 | 255 << 10 | 255 << 20);
		ck_assert_uint_eq(regs[at + 5], 0x3C00);
		ck_assert_uint_eq(regs[at + 7], 2047); /* negated */
		ck_assert_uint_eq(regs[at + 9], 1);
		ck_assert_uint_eq(regs[at + 0xB], 0x3F000);
		ck_assert(!written[at + 8]);
		for (unsigned i = 0; i < ARRAY_LEN(written); i++) {
			ck_assert(!written[i] || (i >= at && i <= at + 0xB));
		}
	}
}

TEST(every_field_of_a_light_has_its_place) {
	struct pica_light l;
	uint32_t base[0x300];
	pica_light_init(&l);
	pica_emit_light(&em, 2, &l);
	run();
	memcpy(base, regs, sizeof(base));
#define CHECK(field, value, id, word)                                                              \
	do {                                                                                       \
		pica_light_init(&l);                                                               \
		l.field = (value);                                                                 \
		pica_emit_light(&em, 2, &l);                                                       \
		run();                                                                             \
		for (unsigned r = 0; r < ARRAY_LEN(regs); r++) {                                   \
			ck_assert_msg(regs[r] == (r == (id) ? (word) : base[r]),                   \
					"%s: %03X is %08X", #field, r, regs[r]);                   \
		}                                                                                  \
	} while (0)
	CHECK(specular0, 0x030201, 0x160, 1u << 20 | 2 << 10 | 3);
	CHECK(specular1, 0x030201, 0x161, 1u << 20 | 2 << 10 | 3);
	CHECK(diffuse, 0x030201, 0x162, 1u << 20 | 2 << 10 | 3);
	CHECK(ambient, 0xFF030201, 0x163, 1u << 20 | 2 << 10 | 3);
	CHECK(position[0], -1.0f, 0x164, 0xBC00);
	CHECK(position[1], 2.0f, 0x164, 0x40000000);
	CHECK(position[2], 0.5f, 0x165, 0x3800);
	CHECK(spot[0], 1.0f, 0x166, 0x1801);
	CHECK(spot[1], -1.0f, 0x166, 0x07FF0000);
	CHECK(spot[2], 0.5f, 0x167, 0x2000 - 1024); /* -1023.5, away from zero */
	CHECK(is_directional, false, 0x169, 0);
	CHECK(is_two_sided, true, 0x169, 1 | 2);
	CHECK(geometric0, true, 0x169, 1 | 4);
	CHECK(geometric1, true, 0x169, 1 | 8);
	CHECK(distance_bias, -1.0f, 0x16A, 0xBF000);
	CHECK(distance_scale, 0.5f, 0x16B, 0x3E000);
#undef CHECK
	pica_light_distance(&l, 2.0f, 6.0f);
	ck_assert_float_eq(l.distance_scale, 0.25f);
	ck_assert_float_eq(l.distance_bias, -0.5f);
}

TEST(values_outside_are_refused) {
	struct pica_lighting usual;
	struct pica_light lamp;
	pica_lighting_init(&usual);
	pica_light_init(&lamp);
#define BAD(field, value) do { \
		struct pica_lighting bad; \
		REFUSED_FIELD(usual, field, value, pica_emit_lighting(&em, &bad)); \
	} while (0)
	BAD(count, 0);
	BAD(count, 9);
	BAD(order[3], 8);
	BAD(layers, 7);
	BAD(layers, 9);
	BAD(d0.input, 6);
	BAD(rr.scale, 4);
	BAD(rr.scale, 5);
	BAD(sp.scale, 8);
	BAD(bump, 3);
	BAD(bump_unit, 4);
	BAD(shadow_unit, 4);
#undef BAD
#define BAD(field, value) do { \
		struct pica_light bad; \
		REFUSED_FIELD(lamp, field, value, pica_emit_light(&em, 0, &bad)); \
	} while (0)
	BAD(position[0], 65536.0f);
	BAD(position[1], NAN);
	BAD(position[2], -INFINITY);
	BAD(spot[0], 1.1f);
	BAD(spot[2], NAN);
	BAD(distance_bias, INFINITY);
	BAD(distance_scale, 0x1p64f);
#undef BAD
	REFUSED(pica_emit_light(&em, 8, &lamp));
	lamp.distance_scale = 0x1.ffep63f;
	lamp.position[0] = -65504.0f;
	pica_emit_light(&em, 7, &lamp);
	ck_assert_int_eq(pica_emit_error(&em), 0);
}

/* ---- Tables ---- */

/* Value and difference as [fidelity: lighting-tables] reads an entry. */
static float value_of(uint32_t entry) {
	return (float)(entry & 0xFFF) / 4095.0f;
}

static float end_of(uint32_t entry) {
	const float difference = (float)(entry >> 12 & 0x7FF) / 2047.0f;
	return value_of(entry) + (entry >> 23 & 1 ? -difference : difference);
}

static float square(float x, void *arg) {
	(*(unsigned *)arg)++;
	return x * x;
}

static float itself(float x, void *arg) {
	return x;
}

TEST(tables_follow_a_function) {
	uint32_t entries[256];
	unsigned calls = 0;
	pica_light_lut_from(entries, false, square, &calls);
	ck_assert_uint_eq(calls, 257);
	for (unsigned i = 0; i < 256; i++) {
		const float x = (float)i / 256, next = (float)(i + 1) / 256;
		ck_assert_float_eq_tol(value_of(entries[i]), x * x, 0.51 / 4095);
		ck_assert_float_eq_tol(end_of(entries[i]), next * next, 0.51 / 4095 + 0.51 / 2047);
		ck_assert_uint_eq(entries[i] >> 24, 0);
	}
	/* Signed: the positive half first; what is below 0 is 0. */
	pica_light_lut_from(entries, true, itself, NULL);
	for (unsigned i = 0; i < 128; i++) {
		ck_assert_float_eq_tol(value_of(entries[i]), (float)i / 128, 0.51 / 4095);
		ck_assert_uint_eq(entries[128 + i], 0);
	}
	ck_assert_float_eq_tol(end_of(entries[127]), 1.0f, 1e-3);
	pica_light_lut_from(entries, true, square, &calls);
	ck_assert_float_eq(value_of(entries[128]), 1.0f); /* at -1 */
	ck_assert_uint_eq(entries[128] >> 23, 1);         /* falls */
	ck_assert_uint_eq(entries[254] >> 23, 1);
	ck_assert_float_eq(end_of(entries[255]), 0.0f);
	ck_assert_uint_eq(entries[0] >> 23, 0);
	/* Steps of a whole unit, clamped values, NaN. */
	float values[257] = { [1] = 1.0f, [3] = 7.0f, [4] = -7.0f, [5] = NAN };
	pica_light_lut(entries, false, values);
	ck_assert_uint_eq(entries[0], 0x7FF000);
	ck_assert_uint_eq(entries[1], 0xFFFFFF);
	ck_assert_uint_eq(entries[3], 0xFFFFFF);
	ck_assert_uint_eq(entries[4], 0);
	ck_assert_uint_eq(entries[5], 0);
}
