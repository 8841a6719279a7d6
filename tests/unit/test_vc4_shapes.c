/* Points and lines of the VideoCore IV, and where its two vertex programs disagree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"
#include "vc4_rig.h"

enum { WIDTH = 256, HEIGHT = 192, CLEAR = 0x01020304 };

static struct vc4_rig rig;

/* Stores red, green and blue in bytes 2, 1 and 0, alpha 255: three varyings. */
static const char color_program[] = "000000FF E70802E0 37303E20 E0490010 77313E21 21480210"
				    "77333E21 62480240 47059E21 A34862D1 0F009E20 E34950D1"
				    "17009E20 E34940D1 C0769E15 A70B0210 00709E00 E7090030"
				    "00709E00 E7090010 00709E00 E7090050";

/* An NV vertex of up to three more floats. */
static void put_vertex(unsigned i, unsigned stride, int x, int y, const float *rest, unsigned n) {
	uint8_t *at = (uint8_t *)rig_at(&rig, RIG_VERTICES) + stride * i;
	const int16_t xy[2] = { (int16_t)x, (int16_t)y };
	const float zw[2] = { 0.5f, 1.0f };
	memcpy(at, xy, sizeof(xy));
	memcpy(at + 4, zw, sizeof(zw));
	memcpy(at + 12, rest, n * sizeof(*rest));
}

static uint32_t pixel(unsigned x, unsigned y) {
	uint32_t word;
	memcpy(&word, (uint8_t *)rig_at(&rig, RIG_TARGET) + 4 * (y * WIDTH + x), 4);
	return word;
}

static void begin(const char *record, const char *state) {
	rig_open(&rig, isa_best(), 0);
	rig_hex(&rig, RIG_SHADERS + 0x200, color_program);
	rig_hex(&rig, RIG_SHADERS + 0x340, record);
	rig_begin(&rig, WIDTH, HEIGHT, CLEAR, 0);
	rig_list(&rig, 0, "60 03 00 02 67 0000 0000");
	rig_list(&rig, 0, state);
	rig_list(&rig, 0, "41 40031100");
}

static void finish(void) {
	rig_end(&rig);
	ck_assert_int_eq(rig_run(&rig), 0);
}

/* A size in each vertex; x and y of the point are the varyings before its own one. */
TEST(points_have_sizes_and_places) {
	begin("02 14 00 01 00021100 00000000 00801100", "62 0000803F");
	static const float rest[2][2] = { { 16, 0.25f }, { 4, 1 } };
	put_vertex(0, 20, 16 * 64, 16 * 40, rest[0], 2);
	put_vertex(1, 20, 16 * 200, 16 * 100, rest[1], 2);
	rig_list(&rig, 0, "21 00 02000000 00000000");
	finish();
	for (unsigned y = 0; y < HEIGHT; y++) {
		for (unsigned x = 0; x < WIDTH; x++) {
			const bool first = x >= 56 && x < 72 && y >= 32 && y < 48,
				   second = x >= 198 && x < 202 && y >= 98 && y < 102;
			const uint32_t c = pixel(x, y);
			if (!first && !second) {
				ck_assert_uint_eq(c, CLEAR);
				continue;
			}
			const int px = first ? (int)(255 * (2 * (x - 56) + 1) / 32) :
					       (int)(255 * (2 * (x - 198) + 1) / 8);
			const int py = first ? (int)(255 * (31 - 2 * (y - 32)) / 32) :
					       (int)(255 * (7 - 2 * (y - 98)) / 8);
			ck_assert_int_le(abs((int)(c >> 16 & 255) - px), 1);
			ck_assert_int_le(abs((int)(c >> 8 & 255) - py), 1);
			ck_assert_int_le(abs((int)(c & 255) - (first ? 64 : 255)), 1);
		}
	}
	ck_assert_uint_eq(rig_stats(rig.ctx).completed_vertices, 2);
	rig_close(&rig);
}

/* The width of the state; one varying before those of the vertices. Indices above the maximum. */
TEST_LOOP(lines_of_all_modes, 6) {
	static const char *const draws[] = { "21 01 04000000 00000000", "21 03 04000000 00000000",
		"21 02 04000000 00000000", "20 01 06000000 00901100 03000000",
		"20 03 05000000 00901100 03000000", "20 02 05000000 00901100 03000000" };
	/* Sides that are drawn: 0-1, 1-2, 2-3, 3-0. */
	static const unsigned sides[] = { 5, 7, 15, 5, 7, 7 };
	begin("00 14 00 02 00021100 00000000 00801100", "63 00000041"); /* 8 pixels */
	static const int xy[4][2] = { { 40, 40 }, { 200, 40 }, { 200, 150 }, { 40, 150 } };
	static const float rest[2] = { 0.5f, 1 };
	for (unsigned i = 0; i < 4; i++) {
		put_vertex(i, 20, 16 * xy[i][0], 16 * xy[i][1], rest, 2);
	}
	/* Lines to and from 9 are left out. */
	rig_hex(&rig, RIG_VERTICES + 0x1000,
			_i == 3                ? "00 01 02 03 09 00" :
					_i == 4 ? "00 01 02 03 09" :
						  "01 02 03 09 00");
	rig_list(&rig, 0, draws[_i]);
	finish();
	const unsigned s = sides[_i];
	for (unsigned k = 0; k < 8; k++) {
		ck_assert_uint_eq(pixel(100, 36 + k) != CLEAR, s & 1);
		ck_assert_uint_eq(pixel(196 + k, 100) != CLEAR, s >> 1 & 1);
		ck_assert_uint_eq(pixel(100, 146 + k) != CLEAR, s >> 2 & 1);
		ck_assert_uint_eq(pixel(36 + k, 100) != CLEAR, s >> 3 & 1);
	}
	static const unsigned none[6][2] = { { 100, 35 }, { 100, 44 }, { 195, 100 }, { 204, 100 },
		{ 100, 145 }, { 100, 154 } };
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_uint_eq(pixel(none[i][0], none[i][1]), CLEAR);
	}
	/* Across the first line its varying rises, and its corners' own ones stay. */
	const uint32_t a = pixel(100, 36), b = pixel(100, 43);
	ck_assert_int_le(abs((int)(a >> 16 & 255) - 16), 1);
	ck_assert_int_le(abs((int)(b >> 16 & 255) - 239), 1);
	ck_assert_int_le(abs((int)(a >> 8 & 255) - 128), 1);
	ck_assert_uint_eq(a & 255, 255);
	rig_close(&rig);
}

/* T4. Bins come from the coordinate program, pixels from the vertex program. */
TEST(programs_that_disagree) {
	static const char copy[] = "ldi vr_setup, 0x00301a00\nnop\nnop\nnop\nor ra0, vpm, -\n"
				   "or ra1, vpm, -\nor ra2, vpm, -\nldi vw_setup, 0x1a00\n"
				   "or vpm, ra0, ra0\nor vpm, ra1, ra1\nor vpm, ra2, ra2\n"
				   "nop; thrend\nnop\nnop\n";
	/* Clip coordinates are any: 0, 0, 0, 1 would do, but clipping is off. */
	static const char coordinate[] =
			"ldi vr_setup, 0x00301a00\nnop\nnop\nnop\nor ra0, vpm, -\n"
			"or ra1, vpm, -\nor ra2, vpm, -\nldi vw_setup, 0x1a00\n"
			"or vpm, ra2, ra2\nor vpm, ra2, ra2\nor vpm, ra2, ra2\nor vpm, ra2, ra2\n"
			"or vpm, ra0, ra0\nor vpm, ra1, ra1\nor vpm, ra2, ra2\n"
			"nop; thrend\nnop\nnop\n";
	for (unsigned culled = 0; culled < 2; culled++) {
		rig_open(&rig, isa_best(), 0);
		rig_program(&rig, RIG_SHADERS, copy);
		rig_program(&rig, RIG_SHADERS + 0x100, coordinate);
		rig_hex(&rig, RIG_SHADERS + 0x200,
				"00709E00E7090010 00709E00E7090010 00709E00E7090040"
				"FFFFFFFFA70B02E0 00709E00E7090030 00709E00E7090010"
				"00709E00E7090050");
		/* Array 0 for the vertex program, array 1 for the other one. */
		rig_hex(&rig, RIG_SHADERS + 0x300,
				"0000 00 00 00021100 00000000 0000 01 0C 00001100"
				"00000000 0000 02 0C 00011100 00000000 00801100 0B 0C 00 00"
				"40801100 0B 0C 00 00");
		static const int at[2][3][2] = { { { 0, 0 }, { 0, 192 }, { 256, 0 } },
			{ { 10, 70 }, { 10, 100 }, { 60, 70 } } };
		for (unsigned k = 0; k < 2; k++) {
			for (unsigned i = 0; i < 3; i++) {
				uint8_t *to = rig_at(&rig, RIG_VERTICES + 0x40 * k + 12 * i);
				const int16_t xy[2] = { (int16_t)(16 * at[k][i][0]),
					(int16_t)(16 * at[k][i][1]) };
				const float zw[2] = { 0.5f, 1 };
				memcpy(to, xy, 4);
				memcpy(to + 4, zw, 8);
			}
		}
		rig_begin(&rig, WIDTH, HEIGHT, CLEAR, 0);
		/* Faces: that of the triangle, or the other one. */
		rig_list(&rig, 0, culled ? "60 01 00 02 67 0000 0000" : "60 02 00 02 67 0000 0000");
		rig_list(&rig, 0, "40 02031100 21 04 03000000 00000000");
		finish();
		unsigned n = 0;
		for (unsigned y = 0; y < HEIGHT; y++) {
			for (unsigned x = 0; x < WIDTH; x++) {
				const bool is_drawn = pixel(x, y) != CLEAR;
				ck_assert(!is_drawn || (x < 64 && y >= 64 && y < 128));
				n += is_drawn;
			}
		}
		/* Of tile (0, 1), but for a corner that the long edge cuts off. */
		ck_assert_uint_eq(n > 3500 && n <= 4096, !culled);
		ck_assert_uint_eq(n == 0, culled);
		ck_assert_uint_eq(rig_stats(rig.ctx).shaded_vertices, 3);
		ck_assert_uint_eq(rig_stats(rig.ctx).completed_vertices, culled ? 0 : 3);
		rig_close(&rig);
	}
}

/*
 * T4. The vertex program leaves a row of its attribute unread, reads one more than it set up,
 * writes varying 0 twice and varying 2 never: 0 where nothing is, and the last word.
 */
TEST_LOOP(rows_that_are_unread_missing_or_written_twice, 2 * ISA_COUNT) {
	static const char vertex[] = "ldi vr_setup, 0x00301a00\nnop\nnop\nnop\nor ra0, vpm, -\n"
				     "or ra1, vpm, -\nor ra2, vpm, -\n%s"
				     "ldi vw_setup, 0x1a00\nor vpm, ra0, ra0\nor vpm, ra1, ra1\n"
				     "or vpm, ra2, ra2\nldi vpm, 0x3f000000\nldi vw_setup, 0x1a03\n"
				     "ldi vpm, 0x3f800000\nor vpm, ra3, ra3\n"
				     "nop; thrend\nnop\nnop\n";
	static const char coordinate[] =
			"ldi vr_setup, 0x00401a00\nnop\nnop\nnop\nor ra0, vpm, -\n"
			"or ra1, vpm, -\nor ra2, vpm, -\nor ra3, vpm, -\nldi vw_setup, 0x1a00\n"
			"or vpm, ra2, ra2\nor vpm, ra2, ra2\nor vpm, ra2, ra2\nor vpm, ra2, ra2\n"
			"or vpm, ra0, ra0\nor vpm, ra1, ra1\nor vpm, ra2, ra2\n"
			"nop; thrend\nnop\nnop\n";
	const enum isa isa = (enum isa)(_i / 2);
	const bool reads_too_much = _i & 1;
	if (!isa_available(isa)) {
		return;
	}
	char text[600];
	snprintf(text, sizeof(text), vertex, reads_too_much ? "or ra3, vpm, -\n" : "ldi ra3, 0\n");
	rig_open(&rig, isa, 0);
	rig_program(&rig, RIG_SHADERS, text);
	rig_program(&rig, RIG_SHADERS + 0x100, coordinate);
	rig_hex(&rig, RIG_SHADERS + 0x200, color_program);
	rig_hex(&rig, RIG_SHADERS + 0x300,
			"0000 00 03 00021100 00000000 0000 01 10 00001100"
			"00000000 0000 01 10 00011100 00000000 00801100 0F 10 00 00");
	static const int at[3][2] = { { 0, 0 }, { 0, 192 }, { 256, 0 } };
	for (unsigned i = 0; i < 3; i++) {
		static const float unread = 0.75f;
		put_vertex(i, 16, 16 * at[i][0], 16 * at[i][1], &unread, 1);
	}
	rig_begin(&rig, WIDTH, HEIGHT, CLEAR, 0);
	rig_list(&rig, 0, "60 03 00 02 67 0000 0000 40 01031100 21 04 03000000 00000000");
	finish();
	ck_assert_uint_eq(pixel(20, 20), 0xFFFF0000);
	ck_assert_uint_eq(pixel(255, 191), CLEAR);
	ck_assert_uint_eq(rig_stats(rig.ctx).faults[PICA_FAULT_SHADER_OPCODE], 3);
	rig_close(&rig);
}

/* A list without a whole primitive, and one whose only one has a bad index. */
TEST(indices_above_the_maximum_alone) {
	static const char *const draws[] = { "20 04 01000000 00901100 03000000",
		"20 04 03000000 00901100 03000000", "20 00 01000000 00901100 03000000" };
	for (unsigned i = 0; i < ARRAY_LEN(draws); i++) {
		begin("00 14 00 02 00021100 00000000 00801100", "63 00000041");
		rig_hex(&rig, RIG_VERTICES + 0x1000, "09 01 02");
		rig_list(&rig, 0, draws[i]);
		finish();
		ck_assert_uint_eq(rig_stats(rig.ctx).shaded_vertices, 0);
		rig_close(&rig);
	}
}
