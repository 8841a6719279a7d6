/* Control lists by record, by name and by frame. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fixed.h"
#include "core/space/space.h"
#include "pica_vc4_emit.h"
#include "random.h"
#include "tests/suite.h"
#include "vc4/list/list.h"
#include "vc4_seed.h"

static struct pica_vc4_emit e;

static void setup(void) {
	pica_vc4_emit_init(&e);
}

static void teardown(void) {
	pica_vc4_emit_finish(&e);
}

FIXTURE(setup, teardown)

/* The bytes so far are these, given as hexadecimal digits. */
static void expect(const char *hex) {
	uint8_t want[512];
	const size_t n = put_hex(want, hex);
	ck_assert_int_eq(pica_vc4_emit_error(&e), 0);
	ck_assert_uint_eq(e.size, n);
	ck_assert_mem_eq(e.bytes, want, n);
	pica_vc4_emit_reset(&e);
}

static void expect_error(int error) {
	ck_assert_int_eq(pica_vc4_emit_error(&e), error);
	ck_assert_uint_eq(e.size, 0);
	pica_vc4_emit_reset(&e);
}

/* ---- Records ---- */

TEST(record_takes_its_fields_in_order) {
	pica_vc4_emit_record(&e, PICA_VC4_CLIP_WINDOW, (uint32_t[]){ 1, 2, 640, 480 }, 4);
	expect("66 0100 0200 8002 E001");
	pica_vc4_emit_record(&e, PICA_VC4_VIEWPORT_OFFSET, (uint32_t[]){ (uint32_t)-16, 8 }, 2);
	expect("67 F0FF 0800");
	pica_vc4_emit_record(&e, PICA_VC4_POINT_SIZE, (uint32_t[]){ pica_vc4_f32(1.5f) }, 1);
	expect("62 0000C03F");
	pica_vc4_emit_record(&e, PICA_VC4_HALT, NULL, 0);
	expect("00");
}

TEST(named_record_takes_texts_numbers_and_decimals) {
	pica_vc4_emit_named(&e, "CONFIGURATION_BITS",
			"DRAW_FRONT=1, DRAW_BACK=0x1\tEARLY_Z_UPDATES=1 DEPTH_FUNCTION=ge OVERSAMPLE=1");
	expect("60 43 60 02");
	pica_vc4_emit_named(&e, "VIEWPORT_OFFSET", "X=-199.5625 Y=10");
	expect("67 87F3 A000");
	pica_vc4_emit_named(&e, "DEPTH_OFFSET", "FACTOR=-2.5 UNITS=0x3f80");
	expect("65 20C0 803F");
	pica_vc4_emit_named(&e, "POINT_SIZE", "SIZE=0x7fc00001");
	expect("62 0100C07F");
	pica_vc4_emit_named(&e, "RHT_X_BOUNDARY", "X=-2");
	expect("64 FEFF");
	pica_vc4_emit_named(&e, "NV_SHADER_RECORD", "SINGLE=1 VERTICES=0x12345670");
	expect("01 00 00 00 00000000 00000000 70563412");
	pica_vc4_emit_named(&e, "HALT", " ");
	expect("00");
}

TEST(text_of_any_record_gives_it_back) {
	for (unsigned turn = 0; turn < 300; turn++) {
		for (unsigned op = 0; op < 256; op++) {
			const struct vc4_record *r = vc4_record((uint8_t)op);
			if (!r || !r->size_bytes) {
				continue;
			}
			uint32_t values[16];
			size_t n = 0;
			for (const struct vc4_field *f = r->fields; f->name; f++) {
				uint32_t v = random32() >> (32 - f->bits);
				if (f->form == VC4_FORM_ADDRESS) {
					v <<= f->low;
				} else if (f->form == VC4_FORM_SIGNED || f->form == VC4_FORM_FX4) {
					v = (uint32_t)sign_extend(v, f->bits);
				}
				values[n++] = v;
			}
			pica_vc4_emit_record(&e, op, values, n);
			HOLDS(pica_vc4_emit_error(&e) == 0 && e.size == r->size_bytes);
			char text[500];
			size_t taken;
			vc4_list_text(e.bytes, e.size, &taken, text, sizeof(text));
			char *fields = strchr(text, ' ');
			if (fields) {
				*fields++ = '\0';
			}
			pica_vc4_emit_named(&e, text, fields ? fields : "");
			if (pica_vc4_emit_error(&e)) {
				ck_abort_msg("%s %s", text, fields);
			}
			HOLDS(e.size == 2u * r->size_bytes);
			HOLDS(memcmp(e.bytes, e.bytes + r->size_bytes, r->size_bytes) == 0);
			pica_vc4_emit_reset(&e);
		}
	}
}

TEST(wrong_arguments_are_errors_that_stay) {
	pica_vc4_emit_record(&e, 0x09, NULL, 0);
	expect_error(-EINVAL);
	pica_vc4_emit_record(&e, 0x166, (uint32_t[4]){ 0 }, 4);
	expect_error(-EINVAL);
	pica_vc4_emit_record(&e, PICA_VC4_COMPRESSED_PRIMITIVES, NULL, 0);
	expect_error(-EINVAL);
	pica_vc4_emit_record(&e, PICA_VC4_CLIP_WINDOW, (uint32_t[3]){ 0 }, 3);
	expect_error(-EINVAL);
	pica_vc4_emit_record(&e, PICA_VC4_CLIP_WINDOW, (uint32_t[5]){ 0 }, 5);
	expect_error(-EINVAL);
	pica_vc4_emit_record(&e, PICA_VC4_CLIP_WINDOW, (uint32_t[]){ 0, 0, 65536, 0 }, 4);
	expect_error(-ERANGE);
	pica_vc4_emit_named(&e, "CLIP_WINDO", "");
	expect_error(-ENOENT);
	pica_vc4_emit_named(&e, "CLIPPED_PRIMITIVES", "");
	expect_error(-EINVAL);
	pica_vc4_emit_named(&e, "CLIP_WINDOW", "TOP=1");
	expect_error(-ENOENT);
	pica_vc4_emit_named(&e, "CLIP_WINDOW", "LEFT");
	expect_error(-EINVAL);
	pica_vc4_emit_named(&e, "CLIP_WINDOW", "LEFT=1x");
	expect_error(-EINVAL);
	pica_vc4_emit_named(&e, "CLIP_WINDOW", "LEFT=99999999999999999999");
	expect_error(-ERANGE);
	pica_vc4_emit_named(&e, "CLIP_WINDOW", "LEFT=-1");
	expect_error(-ERANGE);
	pica_vc4_emit_named(&e, "VIEWPORT_OFFSET", "X=0.03");
	expect_error(-ERANGE);
	pica_vc4_emit_named(&e, "VIEWPORT_OFFSET", "X=2048");
	expect_error(-ERANGE);
	pica_vc4_emit_named(&e, "VIEWPORT_OFFSET", "X=nan");
	expect_error(-ERANGE);
	pica_vc4_emit_named(&e, "POINT_SIZE", "SIZE=big");
	expect_error(-EINVAL);
	pica_vc4_emit_named(&e, "INDEXED_PRIMITIVES", "MODE=quads");
	expect_error(-ENOENT);
	pica_vc4_emit_named(&e, "NV_SHADER_STATE", "ADDRESS=0x108");
	expect_error(-ERANGE);
	pica_vc4_emit_named(&e, "FLAT_SHADE_FLAGS",
			"FLAT=00000000000000000000000000000000000000000000000000000000000000000000000000001");
	expect_error(-EINVAL);
	pica_vc4_emit_draw_arrays(&e, 7, 0, 3);
	expect_error(-EINVAL);
	pica_vc4_emit_draw_indexed(&e, PICA_VC4_MODE_POINTS, 4, 0, 3, 3);
	expect_error(-EINVAL);
	pica_vc4_emit_gl_shader_state(&e, 0, 0);
	expect_error(-EINVAL);
	pica_vc4_emit_gl_shader_state(&e, 0, 9);
	expect_error(-EINVAL);
	pica_vc4_emit_viewport(&e, 0, 0, 1 << 16, 1);
	expect_error(-ERANGE);
	pica_vc4_emit_align(&e, 3);
	pica_vc4_emit_record(&e, PICA_VC4_HALT, NULL, 0);
	expect_error(-EINVAL);
}

TEST(fixed_buffer_holds_whole_records) {
	uint8_t buffer[12];
	memset(buffer, 0xEE, sizeof(buffer));
	struct pica_vc4_emit fixed;
	pica_vc4_emit_init_fixed(&fixed, buffer, 11);
	pica_vc4_emit_named(&fixed, "POINT_SIZE", "SIZE=1");
	pica_vc4_emit_named(&fixed, "POINT_SIZE", "SIZE=2");
	ck_assert_int_eq(pica_vc4_emit_error(&fixed), 0);
	pica_vc4_emit_named(&fixed, "POINT_SIZE", "SIZE=3");
	ck_assert_int_eq(pica_vc4_emit_error(&fixed), -ENOSPC);
	pica_vc4_emit_named(&fixed, "HALT", "");
	ck_assert_int_eq(pica_vc4_emit_error(&fixed), -ENOSPC);
	ck_assert_uint_eq(fixed.size, 10);
	ck_assert_uint_eq(buffer[10] & buffer[11], 0xEE);
	pica_vc4_emit_finish(&fixed);
	ck_assert_uint_eq(buffer[0], 0x62);
	pica_vc4_emit_finish(NULL);
}

TEST(lists_grow_and_align) {
	uint8_t block[3000];
	memset(block, 0x5A, sizeof(block));
	pica_vc4_emit_bytes(&e, block, 0);
	for (unsigned i = 0; i < 100; i++) {
		pica_vc4_emit_bytes(&e, block, sizeof(block));
	}
	pica_vc4_emit_bytes(&e, block, 1);
	pica_vc4_emit_align(&e, 16);
	pica_vc4_emit_align(&e, 16);
	ck_assert_uint_eq(e.size, 300016);
	ck_assert_uint_eq(e.bytes[300000], 0x5A);
	ck_assert_uint_eq(e.bytes[300001] | e.bytes[300015], 0);
}

/* ---- Draws, shaders, frames ---- */

TEST(draws_and_state_have_their_records) {
	pica_vc4_emit_gl_shader_state(&e, 0x100800, 2);
	pica_vc4_emit_gl_shader_state(&e, 0x100800, 8);
	pica_vc4_emit_nv_shader_state(&e, 0x100840);
	pica_vc4_emit_draw_arrays(&e, PICA_VC4_MODE_TRIANGLES, 5, 3);
	pica_vc4_emit_draw_indexed(&e, PICA_VC4_MODE_TRIANGLE_FAN, 1, 0x1000, 4, 9);
	pica_vc4_emit_draw_indexed(&e, PICA_VC4_MODE_POINTS, 2, 0x1001, 4, 9);
	expect("40 02081000 40 00081000 41 40081000 21 04 03000000 05000000 "
			"20 06 04000000 00100000 09000000 20 10 04000000 01100000 09000000");
	pica_vc4_emit_viewport(&e, 10, 20, 320, 240);
	expect("66 0A00 1400 4001 F000 69 00002045 0000F044 67 A00A C008");
	pica_vc4_emit_depth_range(&e, 0.25f, 0.75f);
	pica_vc4_emit_depth_range(&e, 1, 0);
	expect("68 0000803E 0000403F 6A 0000803E 0000003F 68 00000000 0000803F 6A 000000BF 0000003F");
}

static const struct pica_vc4_gl_shader article = {
	.fragment = { 0x100C00, 0, 0 },
	.vertex = { 0x100A00, 0, 1 },
	.coordinate = { 0x100B00, 0, 2 },
	.clip = true,
	.n_arrays = 2,
	.array = { { 0x100900, 12, 12 }, { 0x100940, 28, 28 } },
};

TEST(records_of_the_article_come_out) {
	pica_vc4_emit_gl_record(&e, &article);
	expect("0400 00 00 000C1000 00000000 0000 01 0C 000A1000 00000000 "
			"0000 02 1C 000B1000 00000000 00091000 0B 0C 00 00 40091000 1B 1C 00 00");
	const struct pica_vc4_nv_shader nv = { .fragment = { 0x100C00, 0, 0 }, .stride = 12,
		.vertices = 0x100900 };
	pica_vc4_emit_nv_record(&e, &nv);
	expect("00 0C 00 00 000C1000 00000000 00091000");
}

TEST(arrays_follow_each_other_in_the_vpm) {
	struct pica_vc4_gl_shader s = { .vertex = { 0, 0, 13 }, .coordinate = { 0, 0, 6 },
		.n_arrays = 4, .point_size = true, .n_varyings = 5,
		.array = { { 0, 0, 6 }, { 0, 0, 4 }, { 0, 0, 16 }, { 0, 0, 256 } } };
	pica_vc4_emit_gl_record(&e, &s);
	ck_assert_int_eq(pica_vc4_emit_error(&e), -ERANGE); /* 280 bytes of vertex inputs */
	ck_assert_uint_eq(e.size, 0);
	pica_vc4_emit_reset(&e);
	s.array[3].size = 12;
	pica_vc4_emit_gl_record(&e, &s);
	expect("0200 00 05 00000000 00000000 0000 0D 24 00000000 00000000 "
			"0000 06 14 00000000 00000000 00000000 05 00 00 00 00000000 03 00 00 00 "
			"00000000 0F 00 08 04 00000000 0B 00 18 00");
	s.n_arrays = 3;
	pica_vc4_emit_gl_record(&e, &s); /* the vertex program has a fourth one */
	expect_error(-EINVAL);
	s.n_arrays = 9;
	pica_vc4_emit_gl_record(&e, &s);
	expect_error(-EINVAL);
	s.n_arrays = 4;
	s.array[2].size = 257;
	pica_vc4_emit_gl_record(&e, &s);
	expect_error(-EINVAL);
	const struct pica_vc4_nv_shader nv = { .stride = 256 };
	pica_vc4_emit_nv_record(&e, &nv);
	expect_error(-ERANGE);
}

/* Lists of a frame, read back. */
static void read_frame(const struct pica_vc4_frame *f, struct vc4_frame *out,
		struct arena *arena) {
	struct space space;
	struct pica_vc4_emit r;
	space_init(&space);
	pica_vc4_emit_init(&r);
	ck_assert_int_eq(space_map(&space, SEED_BASE, SEED_BYTES, NULL, 0), 0);
	pica_vc4_emit_binning_begin(&e, f);
	pica_vc4_emit_gl_shader_state(&e, SEED_GL_RECORD, 2);
	pica_vc4_emit_draw_arrays(&e, PICA_VC4_MODE_TRIANGLES, 0, 3);
	pica_vc4_emit_binning_end(&e);
	pica_vc4_emit_rendering(&r, f);
	ck_assert_int_eq(pica_vc4_emit_error(&e), 0);
	ck_assert_int_eq(pica_vc4_emit_error(&r), 0);
	const struct vc4_lists lists = { .space = &space, .start = { SEED_BINNING, 0x110000 },
		.end = { SEED_BINNING + (uint32_t)e.size, 0x110000 + (uint32_t)r.size } };
	ck_assert_uint_eq(space_store(&space, lists.start[0], e.bytes, (uint32_t)e.size), 0);
	ck_assert_uint_eq(space_store(&space, lists.start[1], r.bytes, (uint32_t)r.size), 0);
	struct vc4_error error;
	ck_assert_int_eq(vc4_frame_read(out, &lists, arena, &error), 0);
	pica_vc4_emit_finish(&r);
	space_finish(&space);
}

TEST(frame_is_read_back) {
	struct arena arena;
	struct vc4_frame got;
	struct pica_vc4_frame f;
	arena_init(&arena, NULL);
	pica_vc4_frame_init(&f, SEED_TARGET, 640, 480);
	f.tile_lists = SEED_TILE_LISTS;
	f.clear_color = 0x11223344;
	f.clear_stencil = 5;
	ck_assert_uint_eq(pica_vc4_frame_bytes(&f), 80 * 32);
	read_frame(&f, &got, &arena);
	ck_assert_uint_eq(got.stats.records, 7 + 4 + 3 * 80 + 1); /* the one: a wait */
	ck_assert_uint_eq(got.n_draws, 1);
	ck_assert_uint_eq(got.draws->state->clip_width, 640);
	ck_assert_uint_eq(got.draws->state->clip_height, 480);
	ck_assert(got.binning.columns == 10 && got.binning.rows == 8);
	ck_assert_uint_eq(got.n_runs, 80);
	ck_assert_uint_eq(got.n_ops, 160);
	for (unsigned i = 0; i < 80; i++) {
		ck_assert_uint_eq(got.ops[2 * i].kind, VC4_TILE_DRAW);
		ck_assert_uint_eq(got.ops[2 * i].value, i);
		ck_assert_uint_eq(got.ops[2 * i + 1].kind, VC4_TILE_STORE);
		ck_assert_uint_eq(got.ops[2 * i + 1].row * 10u + got.ops[2 * i + 1].column, i);
		const struct vc4_rendering *m = &got.renderings[got.runs[i].clear];
		ck_assert(m->clear_color == 0x11223344 && m->clear_z == 0xFFFFFF);
		ck_assert_uint_eq(m->clear_stencil, 5);
	}
	ck_assert_uint_eq(got.last.address, SEED_TARGET);
	arena_finish(&arena);
}

TEST(multisampled_frame_that_is_loaded) {
	struct arena arena;
	struct vc4_frame got;
	struct pica_vc4_frame f;
	arena_init(&arena, NULL);
	pica_vc4_frame_init(&f, SEED_TARGET, 65, 33);
	f.tile_lists = SEED_TILE_LISTS;
	f.multisample = true;
	f.load = true;
	f.layout = PICA_VC4_LAYOUT_T;
	f.format = PICA_VC4_TARGET_BGR565_DITHERED;
	read_frame(&f, &got, &arena);
	ck_assert(got.binning.columns == 3 && got.binning.rows == 2 && got.binning.is_multisample);
	ck_assert_uint_eq(got.n_runs, 6);
	ck_assert_uint_eq(got.n_ops, 18);
	for (unsigned i = 0; i < 6; i++) {
		const struct vc4_tile_op *op = &got.ops[3 * i];
		ck_assert(op[0].kind == VC4_TILE_LOAD && op[2].kind == VC4_TILE_STORE);
		ck_assert_uint_eq(op[0].row * 3u + op[0].column, i);
		const struct vc4_transfer *from = &got.transfers[op[0].value];
		const struct vc4_transfer *to = &got.transfers[op[2].value];
		ck_assert(from->color && from->address == SEED_TARGET && to->averages);
		ck_assert_uint_eq(from->format, VC4_FORMAT_BGR565_DITHERED);
		ck_assert_uint_eq(to->format, VC4_FORMAT_BGR565_DITHERED);
		ck_assert_uint_eq(from->layout, VC4_LAYOUT_T);
		ck_assert_uint_eq(to->layout, VC4_LAYOUT_T);
	}
	arena_finish(&arena);
}

TEST(frames_without_a_picture_are_errors) {
	static const struct {
		uint32_t target, width, height, format, layout;
	} cases[] = {
		{ 0, 0, 1, 1, 0 }, { 0, 1, 0, 1, 0 }, { 0, 255 * 64 + 1, 1, 1, 0 },
		{ 0, 1, 255 * 64 + 1, 1, 0 }, { 8, 1, 1, 1, 0 }, { 0, 1, 1, 3, 0 },
		{ 0, 1, 1, 1, 3 },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct pica_vc4_frame f;
		pica_vc4_frame_init(&f, cases[i].target, cases[i].width, cases[i].height);
		f.format = cases[i].format;
		f.layout = cases[i].layout;
		pica_vc4_emit_rendering(&e, &f);
		expect_error(-EINVAL);
		ck_assert_uint_eq(pica_vc4_frame_bytes(&f) == 0, i < 4);
		if (i < 4) {
			pica_vc4_emit_binning_begin(&e, &f);
			expect_error(-EINVAL);
		}
	}
}
