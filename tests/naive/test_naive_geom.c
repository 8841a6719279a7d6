/* The naive renderer against the numbers [fidelity: geometry-numbers]. */
#include "test_naive.h"

#include <math.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/regs/regs.h"
#include "tests/suite.h"

static const float white[4] = {1, 1, 1, 1};

static void begin_immediate(void) {
	put(REG_RESTART_PRIMITIVE, 1);
	put(REG_FIXEDATTRIB_INDEX, 15);
}

/* ---- Fetch: 16.1, 16.2 ---- */

enum { U8 = ATTRIB_TYPE_U8, S8 = ATTRIB_TYPE_S8, S16 = ATTRIB_TYPE_S16, F32 = ATTRIB_TYPE_F32 };

static uint32_t format(unsigned attribute, unsigned type, unsigned count) {
	return (type | (count - 1) << 2) << (4 * attribute);
}

/* Fetches one vertex of three attributes from loader 0 at FCRAM; the inputs stay in n->vs.v. */
static void fetch(uint32_t formats, uint32_t components, unsigned count, unsigned stride) {
	plain_target(8, 8);
	put(REG_VSH_INPUTBUFFER_CONFIG, 0xA0000002);
	put(REG_ATTRIBBUFFERS_LOC, FCRAM >> 3);
	put(REG_ATTRIBBUFFERS_FORMAT_LOW, formats);
	put(REG_ATTRIBBUFFERS_FORMAT_HIGH, ATTRIBBUFFERS_FORMAT_HIGH_NUM_ATTR_M1_SET(2));
	put(REG_ATTRIBBUFFER0_OFFSET, 0);
	put(REG_ATTRIBBUFFER0_CONFIG1, components);
	put(REG_ATTRIBBUFFER0_CONFIG2, ATTRIBBUFFER_CONFIG2_STRIDE_SET(stride) |
			ATTRIBBUFFER_CONFIG2_COUNT_SET(count));
	put(REG_NUMVERTICES, 1);
	put(REG_DRAWARRAYS, 1);
}

FIXTURE(setup, teardown)

TEST(record_layouts) {
	static const struct {
		uint32_t formats, components;
		unsigned count, stride, at1, at2;
	} cases[] = {
		{U8 << 4 | 3 << 6 | F32 << 8 | 2 << 10, 0x210, 3, 0x18, 0x08, 0x0C},
		{U8 << 4 | 2 << 6 | F32 << 8 | 2 << 10, 0x210, 3, 0x18, 0x08, 0x0C},
		{U8 << 4 | 3 << 6 | F32 << 8 | 2 << 10, 0x21C0, 4, 0x1C, 0x0C, 0x10},
		{U8 << 4 | 2 << 6 | F32 << 8 | 2 << 10, 0x2C10, 4, 0x1C, 0x08, 0x10},
		{U8 << 4 | 2 << 6 | S16 << 8 | 2 << 10, 0x21C10, 5, 0x1C, 0x10, 0x14},
		{U8 << 4 | 2 << 6 | F32 << 8 | 2 << 10, 0x2D10, 4, 0x20, 0x08, 0x14},
		{U8 << 4 | 2 << 6 | S16 << 8 | 2 << 10, 0x2C110, 5, 0x1C, 0x0B, 0x14},
	};
	for (unsigned i = 0; i < FCRAM_BYTES; i++) {
		fcram[i] = (uint8_t)(i & 0x3F);
	}
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		fetch(F32 | 1 << 2 | cases[i].formats, cases[i].components, cases[i].count,
			cases[i].stride);
		ck_assert_float_eq(n->vs.v[1][0], (float)cases[i].at1);
		ck_assert_float_eq(n->vs.v[1][1], (float)(cases[i].at1 + 1));
		const uint8_t *p = fcram + cases[i].at2;
		const float want = (cases[i].formats >> 8 & 3) == F32
					   ? f24_truncate(f32_from_bits(word_at(p)))
					   : (float)(int16_t)(p[0] | p[1] << 8);
		ck_assert_float_eq(n->vs.v[2][0], want);
	}
}

TEST(fetched_values) {
	static const struct {
		unsigned type, count;
		uint8_t bytes[16];
		float want[4];
	} cases[] = {
		{ U8, 2, { 0xFF, 0x01 }, { 255, 1, 0, 1 } },
		{ S8, 3, { 0x80, 0x7F, 0xFF }, { -128, 127, -1, 1 } },
		{ S16, 1, { 0x00, 0x80 }, { -32768, 0, 0, 1 } },
		{ F32, 4, { 0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 0, 0, 0xC0, 0xBF, 0, 0, 0, 0x3F },
			{ 1, 2, -1.5f, 0.5f } },
	};
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		memcpy(fcram, cases[i].bytes, 16);
		fetch(format(0, cases[i].type, cases[i].count), 0, 1, 16);
		ck_assert_mem_eq(n->vs.v[0], cases[i].want, 16);
	}
}

TEST(array_wins_over_the_fixed_mask) {
	put(REG_FIXEDATTRIB_INDEX, 0);
	for (unsigned i = 0; i < 6; i++) {
		put(REG_FIXEDATTRIB_DATA0, 0x3E3E3E3E);
	}
	put(REG_ATTRIBBUFFERS_FORMAT_HIGH, 0);
	plain_target(8, 8);
	put(REG_VSH_INPUTBUFFER_CONFIG, 0xA0000001);
	put(REG_ATTRIBBUFFERS_LOC, FCRAM >> 3);
	put(REG_ATTRIBBUFFERS_FORMAT_LOW, format(0, F32, 2));
	put(REG_ATTRIBBUFFERS_FORMAT_HIGH, ATTRIBBUFFERS_FORMAT_HIGH_NUM_ATTR_M1_SET(1) |
			ATTRIBBUFFERS_FORMAT_HIGH_FIXED_MASK_SET(3));
	put(REG_ATTRIBBUFFER0_CONFIG2, 0x10080000);
	put(REG_NUMVERTICES, 1);
	put(REG_DRAWARRAYS, 1);
	const float want[4] = {0, 0, 0, 1};
	ck_assert_mem_eq(n->vs.v[0], want, 16);
	ck_assert_mem_eq(n->vs.v[1], n->fixed[1], 16);
	ck_assert_float_ne(n->vs.v[1][0], 0);
}

TEST(addresses_of_vertices_and_indices) {
	/* 200 = 03000000 is 18000000; loader offset 20, stride 18, vertex 3, cursor 0C: 18000074.
	 */
	plain_target(8, 8);
	put(REG_ATTRIBBUFFERS_LOC, 0x03000000);
	put(REG_ATTRIBBUFFERS_FORMAT_LOW, format(0, F32, 3) | format(1, U8, 1));
	put(REG_ATTRIBBUFFERS_FORMAT_HIGH, ATTRIBBUFFERS_FORMAT_HIGH_NUM_ATTR_M1_SET(1));
	put(REG_ATTRIBBUFFER0_OFFSET, 0x20);
	put(REG_ATTRIBBUFFER0_CONFIG1, 0x10);
	put(REG_ATTRIBBUFFER0_CONFIG2, 0x20180000);
	put(REG_NUMVERTICES, 1);
	put(REG_INDEXBUFFER_CONFIG, 0x80000040);
	vram[0x40] = 3;
	vram[0x74] = 123;
	put(REG_VERTEX_OFFSET, 77); /* ignored with indices [HW] */
	put(REG_DRAWELEMENTS, 1);
	ck_assert_float_eq(n->vs.v[1][0], 123);
	put(REG_VERTEX_OFFSET, 3);
	put(REG_DRAWARRAYS, 1);
	ck_assert_float_eq(n->vs.v[1][0], 123);
}

/* ---- Assembly: 16.3 ---- */

/*
 * Six points whose strip and whose fan cover the cells of a zigzag: with back-face culling and flat
 * shading, the pixel inside each triangle tells that it was drawn, its winding and its third
 * vertex.
 */
static void six_points(unsigned mode, const float xy[6][2]) {
	plain_target(64, 32);
	put(REG_FACECULLING_CONFIG, CULL_BACK);
	put(REG_RASTER_FLAT, 1);
	put(REG_PRIMITIVE_CONFIG, PRIMITIVE_CONFIG_MODE_SET(mode));
	begin_immediate();
	for (unsigned i = 0; i < 6; i++) {
		const float c[4] = {(float)i / 255, 0, 0, 1};
		vertex(xy[i][0], xy[i][1], c);
	}
}

TEST(strip_keeps_its_winding) {
	const float xy[6][2] = {{0, 0}, {0, 16}, {16, 0}, {16, 16}, {32, 0}, {32, 16}};
	/* (0,1,2) is clockwise here: mirror x so that it is counter-clockwise. */
	float m[6][2];
	for (unsigned i = 0; i < 6; i++) {
		m[i][0] = 32 - xy[i][0];
		m[i][1] = xy[i][1];
	}
	six_points(PRIMITIVE_STRIP, (const float(*)[2])m);
	ck_assert_uint_eq(n->stats.triangles, 4);
	ck_assert_uint_eq(n->stats.set_up, 4);
	ck_assert_uint_eq(pixel_at(28, 3) >> 24, 2);
	ck_assert_uint_eq(pixel_at(20, 12) >> 24, 3);
	ck_assert_uint_eq(pixel_at(12, 3) >> 24, 4);
	ck_assert_uint_eq(pixel_at(4, 12) >> 24, 5);
}

TEST(fan_turns_about_its_first_vertex) {
	const float xy[6][2] = {{16, 16}, {32, 16}, {32, 32}, {0, 32}, {0, 0}, {32, 0}};
	six_points(PRIMITIVE_FAN, xy);
	ck_assert_uint_eq(n->stats.set_up, 4);
	ck_assert_uint_eq(pixel_at(30, 20) >> 24, 2);
	ck_assert_uint_eq(pixel_at(16, 30) >> 24, 3);
	ck_assert_uint_eq(pixel_at(2, 16) >> 24, 4);
	ck_assert_uint_eq(pixel_at(16, 2) >> 24, 5);
}

TEST(left_over_vertices_wait_for_the_next_draw) {
	plain_target(16, 16);
	begin_immediate();
	for (unsigned i = 0; i < 5; i++) {
		vertex((float)i, (float)(i * i), white);
	}
	ck_assert_uint_eq(n->stats.triangles, 1);
	put(REG_FIXEDATTRIB_INDEX, 15);
	vertex(0, 0, white);
	ck_assert_uint_eq(n->stats.triangles, 2);
	vertex(0, 0, white);
	put(REG_RESTART_PRIMITIVE, 1);
	put(REG_FIXEDATTRIB_INDEX, 15);
	vertex(0, 0, white);
	vertex(0, 0, white);
	ck_assert_uint_eq(n->stats.triangles, 2);
}

TEST(semantic_map) {
	static const uint32_t code[] = {0x4C000000, 0x4C801000, 0x88000000};
	static const uint32_t desc[] = {0x36F};
	plain_target(8, 8);
	upload(code, 3, desc, 1);
	put(REG_VSH_OUTMAP_MASK, 0x0011);
	const float v0[4] = {1, 2, -0.5f, 4}, v1[4] = {-1.5f, 0.5f, 2, NAN};
	uint32_t words[3];
	begin_immediate();
	f24_pack_vec4(v0, words);
	for (unsigned i = 0; i < 3; i++) {
		put(REG_FIXEDATTRIB_DATA0, words[i]);
	}
	f24_pack_vec4(v1, words);
	for (unsigned i = 0; i < 3; i++) {
		put(REG_FIXEDATTRIB_DATA0, words[i]);
	}
	const struct naive_vertex *v = &n->assembler.slot[0];
	ck_assert_mem_eq(&v->s[SEM_X], v0, 16);
	const float color[4] = {1, 0.5f, 1, 1};
	ck_assert_mem_eq(&v->s[SEM_COLOR], color, 16);
	for (unsigned s = SEM_TEX0; s < SEM_COUNT; s++) {
		ck_assert_float_eq(v->s[s], 1);
	}
	ck_assert_float_eq(v->s[SEM_QUAT], 1);
}

/* ---- Coverage: 16.7 ---- */

static unsigned count_drawn(unsigned width, unsigned height) {
	unsigned count = 0;
	for (unsigned y = 0; y < height; y++) {
		for (unsigned x = 0; x < width; x++) {
			count += pixel_at(x, y) != 0;
		}
	}
	return count;
}

static void draw_one(const float xy[3][2], bool reversed) {
	memset(vram, 0, 64 * 64 * 4);
	begin_immediate();
	for (unsigned i = 0; i < 3; i++) {
		const float *p = xy[reversed ? 2 - i : i];
		vertex(p[0], p[1], white);
	}
}

TEST(coverage_table) {
	static const struct {
		float xy[3][2];
		unsigned count;
	} cases[] = {
		{{{0, 0}, {8, 0}, {0, 8}}, 28},
		{{{8, 0}, {8, 8}, {0, 8}}, 36},
		{{{0.5f, 0.5f}, {4.5f, 0.5f}, {0.5f, 4.5f}}, 10},
		{{{4.5f, 0.5f}, {4.5f, 4.5f}, {0.5f, 4.5f}}, 6},
		{{{1, 1}, {1.4375f, 1}, {1, 6}}, 0},
		{{{2, 2}, {6, 2}, {4, 6}}, 8},
		{{{0, 0}, {8, 4}, {0, 4}}, 16},
	};
	plain_target(16, 16);
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		put(REG_FACECULLING_CONFIG, CULL_NONE);
		draw_one(cases[i].xy, false);
		ck_assert_uint_eq(count_drawn(16, 16), cases[i].count);
		draw_one(cases[i].xy, true);
		ck_assert_uint_eq(count_drawn(16, 16), cases[i].count);
		put(REG_FACECULLING_CONFIG, CULL_BACK);
		draw_one(cases[i].xy, true);
		ck_assert_uint_eq(count_drawn(16, 16), 0);
	}
}

TEST(coverage_of_single_pixels) {
	static const unsigned want[8][2] = { { 2, 2 }, { 3, 2 }, { 3, 3 }, { 3, 4 }, { 4, 2 },
		{ 4, 3 }, { 4, 4 }, { 5, 2 } };
	const float xy[3][2] = {{2, 2}, {6, 2}, {4, 6}};
	plain_target(16, 16);
	draw_one(xy, false);
	for (unsigned i = 0; i < ARRAY_LEN(want); i++) {
		ck_assert_uint_ne(pixel_at(want[i][0], want[i][1]), 0);
	}
	const float lower[3][2] = {{0, 0}, {8, 0}, {0, 8}};
	draw_one(lower, false);
	for (unsigned y = 0; y < 8; y++) {
		for (unsigned x = 0; x < 8; x++) {
			ck_assert_int_eq(pixel_at(x, y) != 0, x + y <= 6);
		}
	}
}

TEST(row_order_mirrors_the_picture) {
	const float xy[3][2] = {{0, 0}, {8, 0}, {0, 8}};
	plain_target(16, 16);
	put(REG_FRAMEBUFFER_DIM, n->regs[REG_FRAMEBUFFER_DIM] | FRAMEBUFFER_DIM_NO_FLIP_SET(1));
	draw_one(xy, false);
	ck_assert_uint_eq(count_drawn(16, 16), 28);
	ck_assert_uint_ne(pixel_at(0, 15), 0);
	ck_assert_uint_eq(pixel_at(0, 0), 0);
}

TEST(scissor_keeps_one_pixel) {
	const float xy[3][2] = {{0, 0}, {64, 0}, {0, 64}};
	plain_target(32, 32);
	put(REG_SCISSORTEST_POS, SCISSORTEST_POS_X1_SET(10) | SCISSORTEST_POS_Y1_SET(5));
	put(REG_SCISSORTEST_DIM, SCISSORTEST_DIM_X2_SET(10) | SCISSORTEST_DIM_Y2_SET(5));
	put(REG_SCISSORTEST_MODE, SCISSOR_INSIDE);
	draw_one(xy, false);
	ck_assert_uint_eq(count_drawn(32, 32), 1);
	ck_assert_uint_ne(pixel_at(10, 5), 0);
	put(REG_SCISSORTEST_MODE, SCISSOR_OUTSIDE);
	draw_one(xy, false);
	ck_assert_uint_eq(pixel_at(10, 5), 0);
	ck_assert_uint_ne(pixel_at(11, 5), 0);
}

/* ---- Clipping: 16.6 ---- */

/* A triangle that fills a 16x16 target, at one depth. Returns the pixels drawn. */
static unsigned drawn_at(float z, float w) {
	memset(vram, 0, 64 * 64 * 4);
	begin_immediate();
	const float xy[3][2] = {{-1, -1}, {3, -1}, {-1, 3}};
	for (unsigned i = 0; i < 3; i++) {
		const float v[2][4] = {{xy[i][0], xy[i][1], z, w}, {1, 1, 1, 1}};
		for (unsigned a = 0; a < 2; a++) {
			uint32_t words[3];
			f24_pack_vec4(v[a], words);
			for (unsigned k = 0; k < 3; k++) {
				put(REG_FIXEDATTRIB_DATA0, words[k]);
			}
		}
	}
	return count_drawn(16, 16);
}

TEST(clip_volume) {
	plain_target(16, 16);
	ck_assert_uint_eq(drawn_at(-0.5f, 1), 256);
	ck_assert_uint_eq(drawn_at(1e-9f, 1), 256);
	ck_assert_uint_eq(drawn_at(1e-3f, 1), 0);
	ck_assert_uint_eq(drawn_at(-1.5f, 1), 0);
	ck_assert_uint_eq(drawn_at(-0.5f, -1), 0);
	ck_assert_uint_eq(drawn_at(NAN, 1), 0);
	put(REG_FRAGOP_CLIP, 1);
	put_f24(REG_FRAGOP_CLIP_DATA0, 1.0f); /* keeps x >= 0 */
	ck_assert_uint_eq(drawn_at(-0.5f, 1), 128);
	ck_assert_uint_eq(pixel_at(7, 3), 0);
	ck_assert_uint_ne(pixel_at(8, 3), 0);
}

/* ---- Geometry shader: 16.9 ---- */

static void gs_upload(const uint32_t *code, unsigned n_code, uint32_t desc) {
	put(REG_GSH_CODETRANSFER_INDEX, 0);
	for (unsigned i = 0; i < n_code; i++) {
		put(REG_GSH_CODETRANSFER_DATA0, code[i]);
	}
	put(REG_GSH_OPDESCS_INDEX, 0);
	put(REG_GSH_OPDESCS_DATA0, desc);
}

static void gs_on(void) {
	plain_target(16, 16);
	put(REG_GEOSTAGE_CONFIG, GEOSTAGE_ON);
	put(REG_VSH_COM_MODE, 1);
	put(REG_VSH_OUTMAP_TOTAL1, 1);
	put(REG_GSH_OUTMAP_MASK, 3);
	put(REG_GSH_ATTRIBUTES_PERMUTATION_LOW, 0x76543210);
	put(REG_GSH_ATTRIBUTES_PERMUTATION_HIGH, 0xFEDCBA98);
	put(REG_PRIMITIVE_CONFIG, PRIMITIVE_CONFIG_MODE_SET(PRIMITIVE_GEOMETRY));
}

TEST(point_mode_gathers_three_vertices_and_draws_one_triangle) {
	/* setemit k; mov o0, v2k; mov o1, v2k+1; emit, the third with prim; end */
	static const uint32_t code[] = {
		0xAC000000,
		0x4C000000,
		0x4C201000,
		0xA8000000,
		0xAD000000,
		0x4C002000,
		0x4C203000,
		0xA8000000,
		0xAE800000,
		0x4C004000,
		0x4C205000,
		0xA8000000,
		0x88000000,
	};
	gs_on();
	gs_upload(code, ARRAY_LEN(code), 0x36F);
	put(REG_GSH_INPUTBUFFER_CONFIG, 0x08000005);
	put(REG_GSH_BOOLUNIFORM, 0);
	const float xy[3][2] = {{0, 0}, {8, 0}, {0, 8}};
	draw_one(xy, false);
	ck_assert_uint_eq(n->stats.gs_runs, 1);
	ck_assert_uint_eq(count_drawn(16, 16), 28);
	ck_assert_uint_eq(naive_read_reg(n, REG_GSH_BOOLUNIFORM), 0x8000);
	/* An inverted triangle is (1, 0, 2): culled as back face. */
	uint32_t inverted[ARRAY_LEN(code)];
	memcpy(inverted, code, sizeof(code));
	inverted[8] = 0xAEC00000;
	gs_upload(inverted, ARRAY_LEN(code), 0x36F);
	put(REG_FACECULLING_CONFIG, CULL_BACK);
	draw_one(xy, false);
	ck_assert_uint_eq(count_drawn(16, 16), 0);
}

TEST(fixed_mode_strides_through_uniforms) {
	static const uint32_t end = 0x88000000;
	gs_on();
	gs_upload(&end, 1, 0);
	put(REG_VSH_OUTMAP_TOTAL1, 4);
	put(REG_GSH_MISC0, 0x01004302);
	put(REG_GSH_INPUTBUFFER_CONFIG, 0x08000104);
	begin_immediate();
	for (unsigned i = 0; i < 4; i++) {
		const float c[4] = {(float)i, 0, 0, 0};
		vertex(8, 8, c);
	}
	ck_assert_uint_eq(n->stats.gs_runs, 1);
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_float_eq(n->gs.c[5 * i + 1][0], (float)i);
	}
}

TEST(variable_mode_reads_counts_from_the_index_stream) {
	static const uint32_t end = 0x88000000;
	gs_on();
	gs_upload(&end, 1, 0);
	put(REG_GEOSTAGE_CONFIG, GEOSTAGE_ON | GEOSTAGE_CONFIG_VARIABLE_SET(1));
	put(REG_GSH_MISC0, GS_MODE_VARIABLE);
	put(REG_GSH_MISC1, 2);
	put(REG_GSH_INPUTBUFFER_CONFIG, 0x08000101);
	put(REG_ATTRIBBUFFERS_LOC, FCRAM >> 3);
	put(REG_ATTRIBBUFFERS_FORMAT_LOW, format(0, U8, 1) | format(1, U8, 2));
	put(REG_ATTRIBBUFFERS_FORMAT_HIGH, ATTRIBBUFFERS_FORMAT_HIGH_NUM_ATTR_M1_SET(1));
	put(REG_ATTRIBBUFFER0_CONFIG1, 0x10);
	put(REG_ATTRIBBUFFER0_CONFIG2, 0x20040000);
	put(REG_INDEXBUFFER_CONFIG, 0x100);
	static const uint8_t indices[5] = {4, 10, 11, 12, 13};
	memcpy(fcram + 0x100, indices, sizeof(indices));
	for (unsigned i = 0; i < 16; i++) {
		fcram[4 * i] = (uint8_t)i;
		fcram[4 * i + 1] = (uint8_t)(100 + i);
	}
	put(REG_NUMVERTICES, 5);
	put(REG_DRAWELEMENTS, 1);
	ck_assert_uint_eq(n->stats.gs_runs, 1);
	const float want[8] = {4, 10, 110, 11, 111, 12, 112, 13};
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_float_eq(n->gs.c[i][0], want[i]);
	}
	ck_assert_float_eq(n->gs.c[8][0], 0);
}

TEST(output_banks_alternate_at_emit) {
	/* mov o0, c0; emit; mov o0, c1; emit; setemit 2; emit; end */
	static const uint32_t code[] = {
		0xAC000000,
		0x4C020000,
		0xA8000000,
		0xAD000000,
		0x4C021000,
		0xA8000000,
		0xAE000000,
		0xA8000000,
		0x88000000,
	};
	gs_on();
	gs_upload(code, ARRAY_LEN(code), 0x36F);
	put(REG_GSH_INPUTBUFFER_CONFIG, 0x08000001);
	n->gs.c[0][0] = 5;
	n->gs.c[1][0] = 6;
	begin_immediate();
	vertex(1, 1, white);
	ck_assert_uint_eq(n->stats.gs_runs, 1);
	ck_assert_float_eq(n->geo.emitted[0][0][0], 5);
	ck_assert_float_eq(n->geo.emitted[1][0][0], 6);
	ck_assert_float_eq(n->geo.emitted[2][0][0], 5);
}
