/* Words of the procedural texture unit, worked out by hand from [fidelity: proctex]. */
#include "emit_rig.h"
#include "tests/suite.h"

static struct pica_proctex unit;

static void begin(void) {
	setup();
	pica_proctex_init(&unit);
}

/* One burst of seven registers: word 0A8, the header, words 0A9-0AE. */
static void check_unit(const uint32_t want[7]) {
	uint32_t words[8] = { want[0], 0x806F00A8 };
	memcpy(words + 2, want + 1, 6 * sizeof(*want));
	pica_emit_proctex(&em, &unit);
	check_words(words, 8);
}

FIXTURE(begin, teardown)

TEST(usual_state) {
	/* Edge is 1; linear; width 128 << 11, max 6 << 7; frequency 1 is 3C00. */
	static const uint32_t want[7] = { 0x00000009, 0, 0, 0x3C003C00, 0x00040301, 0xE0C08000,
		0xFEFCF8F0 };
	check_unit(want);
}

TEST(every_field_has_its_place) {
	static const uint32_t zero[7] = { 0 };
	unit = (struct pica_proctex){ 0 };
	check_unit(zero);
	/* Field, and the word and bits that it fills. */
#define CHECK(field, value, word, bits) do { \
		uint32_t want[7] = { 0 }; \
		unit = (struct pica_proctex){ 0 }; \
		unit.field = (value); \
		want[(word) - 0xA8] = (bits); \
		check_unit(want); \
	} while (0)
	CHECK(u_clamp, PICA_PROCTEX_CLAMP_PULSE, 0xA8, 4);
	CHECK(v_clamp, PICA_PROCTEX_CLAMP_MIRRORED_REPEAT, 0xA8, 3 << 3);
	CHECK(rgb_map, PICA_PROCTEX_MAP_RMAX, 0xA8, 9 << 6);
	CHECK(alpha_map, PICA_PROCTEX_MAP_SQRT2, 0xA8, 6 << 10);
	CHECK(separate_alpha, true, 0xA8, 1 << 14);
	CHECK(noise, true, 0xA8, 1 << 15);
	CHECK(u_shift, PICA_PROCTEX_SHIFT_EVEN, 0xA8, 2 << 16);
	CHECK(v_shift, PICA_PROCTEX_SHIFT_ODD, 0xA8, 1 << 18);
	CHECK(u_amplitude, 1.0f, 0xA9, 0x1000);
	CHECK(u_amplitude, -8.0f, 0xA9, 0x8000);
	CHECK(v_amplitude, -1.0f / 4096, 0xAA, 0xFFFF);
	CHECK(u_phase, -2.0f, 0xA9, 0xC0000000);
	CHECK(v_phase, 0.5f, 0xAA, 0x38000000);
	CHECK(u_frequency, 1.5f, 0xAB, 0x3E00);
	CHECK(v_frequency, 65504.0f, 0xAB, 0x7BFF0000);
	CHECK(filter, PICA_PROCTEX_FILTER_LINEAR_MIP_LINEAR, 0xAC, 5);
	CHECK(min_lod, 15, 0xAC, 15 << 3);
	CHECK(max_lod, 15, 0xAC, 15 << 7);
	CHECK(width, 255, 0xAC, 255 << 11);
	CHECK(offset[0], 0x12, 0xAD, 0x12);
	CHECK(offset[3], 0x34, 0xAD, 0x34000000);
	CHECK(offset[4], 0x56, 0xAE, 0x56);
	CHECK(offset[7], 0x78, 0xAE, 0x78000000);
	/* The bias lies in two registers: -1.25 is BD00, 1 + 2^-10 is 3C01. */
	CHECK(lod_bias, -1.25f, 0xAC, 0xBD << 19);
	unit.lod_bias = 1.0f + 1.0f / 1024;
	static const uint32_t want[7] = { 0x00100000, 0, 0, 0, 0x3C << 19, 0, 0 };
	check_unit(want);
}

TEST(values_out_of_range_write_nothing) {
	const struct pica_proctex usual = unit;
	struct pica_proctex bad;
#define CHECK_FAILS(field, value) \
	REFUSED_FIELD(usual, field, value, pica_emit_proctex(&em, &bad))
	CHECK_FAILS(u_clamp, 5);
	CHECK_FAILS(v_clamp, 5);
	CHECK_FAILS(u_shift, 3);
	CHECK_FAILS(v_shift, 3);
	CHECK_FAILS(rgb_map, 10);
	CHECK_FAILS(alpha_map, 10);
	CHECK_FAILS(u_amplitude, 8.0f);
	CHECK_FAILS(v_amplitude, NAN);
	CHECK_FAILS(u_phase, INFINITY);
	CHECK_FAILS(v_phase, -65536.0f);
	CHECK_FAILS(u_frequency, NAN);
	CHECK_FAILS(v_frequency, 65536.0f);
	CHECK_FAILS(lod_bias, -INFINITY);
	CHECK_FAILS(filter, 6);
	CHECK_FAILS(min_lod, 16);
	CHECK_FAILS(max_lod, 16);
	CHECK_FAILS(width, 256);
	static const uint32_t colors[57];
	REFUSED(pica_emit_proctex_colors(&em, 200, colors, 57));
}

TEST(map_entries_lead_to_the_next) {
	float values[129];
	uint32_t entries[128];
	for (unsigned i = 0; i < 129; i++) {
		values[i] = (float)i / 128.0f;
	}
	pica_proctex_map(entries, values);
	/* 32 a step, 31 to the last, which is FFF. [fidelity: texture-numbers uses this table] */
	for (unsigned i = 0; i < 128; i++) {
		ck_assert_uint_eq(entries[i], i * 32 | (i < 127 ? 32u : 31u) << 12);
	}
	for (unsigned i = 0; i < 129; i++) {
		values[i] = (float)(128 - i) / 128.0f;
	}
	values[3] = 0.0f;  /* down by more than a half, and up again */
	values[4] = NAN;
	values[5] = -7.0f;
	values[6] = 7.0f;
	pica_proctex_map(entries, values);
	ck_assert_uint_eq(entries[0], 0xFE1FFF); /* FFF - FE0 = 31 down */
	ck_assert_uint_eq(entries[1], 0xFE0FE0);
	ck_assert_uint_eq(entries[2], 0x800FC0);
	ck_assert_uint_eq(entries[3], 0);
	ck_assert_uint_eq(entries[4], 0);
	ck_assert_uint_eq(entries[5], 0x7FF000);
	ck_assert_uint_eq(entries[6], (uint32_t)(122 * 32 - 32 - 0xFFF + 0x1000) << 12 | 0xFFF);
	ck_assert_uint_eq(entries[127], 0xFE0020);
}

TEST(colours_bring_half_their_differences) {
	static const uint32_t colors[3] = { 0xFF00FF10, 0xFFFF0020, 0x00FE0120 };
	uint32_t differences[3];
	pica_proctex_color_differences(differences, colors, 3);
	/* R +16, G -255, B +255, A 0; then R 0, G +1, B -1, A -255: halves, toward 0. */
	ck_assert_uint_eq(differences[0], 0x007F8108);
	ck_assert_uint_eq(differences[1], 0x81000000);
	ck_assert_uint_eq(differences[2], 0);
	pica_emit_proctex_colors(&em, 253, colors, 3);
	pica_emit_proctex_colors(&em, 256, colors, 0);
	CHECK_WORDS(0x000004FD, 0x000F00AF, 0xFF00FF10, 0x002F00B0, 0xFFFF0020, 0x00FE0120,
			0x000005FD, 0x000F00AF, 0x007F8108, 0x002F00B0, 0x81000000, 0);
}
