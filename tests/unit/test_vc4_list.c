/* Control lists of the VideoCore IV, read into draws and tile runs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/space/space.h"
#include "tests/suite.h"
#include "vc4/list/list.h"
#include "vc4_seed.h"

static struct space space;
static struct arena arena;
static uint8_t *memory; /* SEED_BASE on */
static struct vc4_frame frame;
static struct vc4_error error;
static struct vc4_lists lists;

static void setup(void) {
	space_init(&space);
	arena_init(&arena, NULL);
	ck_assert_int_eq(space_map(&space, SEED_BASE, SEED_BYTES, NULL, 0), 0);
	memory = space_host(&space, SEED_BASE, SEED_BYTES);
	ck_assert_ptr_nonnull(memory);
	lists = (struct vc4_lists){ .space = &space };
}

static void teardown(void) {
	arena_finish(&arena);
	space_finish(&space);
}

static int run(void) {
	arena_reset(&arena);
	return vc4_frame_read(&frame, &lists, &arena, &error);
}

static int run_seed(bool is_nv) {
	seed_fill(memory, is_nv);
	lists.start[0] = SEED_BINNING;
	lists.end[0] = SEED_BINNING_END;
	lists.start[1] = SEED_RENDERING;
	lists.end[1] = SEED_RENDERING_END;
	return run();
}

/* Two lists of hexadecimal bytes, zeros around; the shader records of the article. */
static int run_hex(const char *binning, const char *rendering) {
	memset(memory, 0, 0x2000);
	seed_fill(memory, false);
	memset(memory, 0, 0x800);
	lists.start[0] = SEED_BINNING;
	lists.end[0] = SEED_BINNING + (uint32_t)put_hex(memory, binning);
	lists.start[1] = SEED_RENDERING;
	lists.end[1] = SEED_RENDERING + (uint32_t)put_hex(memory + 0x100, rendering);
	return run();
}

#define MODE_70 "70 00201000 00200000 00101000 0A 08 04 "
#define GL "40 02081000 "
#define DRAW "21 04 03000000 00000000 "
#define MODE_71 "71 00001100 8002 E001 0400 "
#define MODE_70_4X "70 00201000 00200000 00101000 0A 08 05 "
#define MODE_71_4X "71 00001100 8002 E001 0500 "
#define CLEAR "72 FFFF00FF FFFF00FF 563412 00 77 "
#define BIN_3 "11 60201000 "

FIXTURE(setup, teardown)

/* ---- The article's triangle ---- */

TEST(seed_gives_one_draw_and_eighty_tiles) {
	ck_assert_int_eq(run_seed(false), 0);
	ck_assert_uint_eq(frame.n_draws, 1);
	const struct vc4_draw *d = frame.draws;
	ck_assert_uint_eq(d->mode, VC4_MODE_TRIANGLES);
	ck_assert_uint_eq(d->count, 3);
	ck_assert_uint_eq(d->first, 0);
	ck_assert_uint_eq(d->index_bytes, 0);
	ck_assert_uint_eq(d->address, SEED_BINNING + 40);
	const struct vc4_state *s = d->state;
	ck_assert(s->draws_front && s->draws_back && !s->is_clockwise_front);
	ck_assert(s->early_z_updates && !s->early_z && !s->updates_z && !s->offsets_depth);
	ck_assert_uint_eq(s->depth_function, VC4_COMPARE_NEVER);
	ck_assert_uint_eq(s->clip_left | s->clip_bottom, 0);
	ck_assert_uint_eq(s->clip_width, 640);
	ck_assert_uint_eq(s->clip_height, 480);
	ck_assert_int_eq(s->viewport_x_fx4 | s->viewport_y_fx4, 0);

	ck_assert(frame.binning.exists && !frame.binning.is_multisample);
	ck_assert_uint_eq(frame.binning.columns, 10);
	ck_assert_uint_eq(frame.binning.rows, 8);
	ck_assert_uint_eq(frame.binning.tile_px, 64);
	ck_assert_uint_eq(frame.n_runs, 80);
	ck_assert_uint_eq(frame.n_ops, 160);
	ck_assert_uint_eq(frame.n_transfers, 2); /* to no buffer, resolved */
	for (uint32_t i = 0; i < frame.n_runs; i++) {
		const struct vc4_run *run = &frame.runs[i];
		ck_assert_uint_eq(run->first, 2 * i);
		ck_assert_uint_eq(run->n, 2);
		ck_assert_uint_eq(frame.renderings[run->clear].clear_color, 0xFF00FFFF);
		const struct vc4_tile_op *op = &frame.ops[run->first];
		ck_assert_uint_eq(op[0].kind, VC4_TILE_DRAW);
		ck_assert_uint_eq(op[0].value, i);
		ck_assert_uint_eq(op[1].kind, VC4_TILE_STORE);
		ck_assert_uint_eq(op[0].column, i % 10);
		ck_assert_uint_eq(op[0].row, i / 10);
		ck_assert_uint_eq(op[1].column, i % 10);
		ck_assert_uint_eq(op[1].row, i / 10);
		const struct vc4_transfer *t = &frame.transfers[op[1].value];
		ck_assert_uint_eq(t->address, SEED_TARGET);
		ck_assert(t->color && !t->z && !t->stencil && !t->is_full && !t->averages);
		ck_assert_uint_eq(t->format, VC4_FORMAT_RGBA8888);
		ck_assert_uint_eq(t->layout, VC4_LAYOUT_RASTER);
		const struct vc4_rendering *m = &frame.renderings[op[1].rendering];
		ck_assert(m->exists && m->tile_px == 64 && m->width == 640 && m->height == 480);
	}
	ck_assert_uint_eq(frame.last.address, SEED_TARGET);
	ck_assert_uint_eq(frame.stats.records, 8 + 4 + 240);
	ck_assert_uint_eq(frame.stats.bytes, 51 + 755);
	ck_assert_uint_eq(frame.stats.primitives, 1);
	ck_assert_uint_eq(frame.stats.sub_lists, 0);
}

TEST(seed_has_the_gl_record_of_the_article) {
	ck_assert_int_eq(run_seed(false), 0);
	const struct vc4_shader *s = frame.draws->state->shader;
	ck_assert(!s->is_nv && !s->is_single_threaded && !s->has_point_size && s->clips);
	ck_assert_uint_eq(s->address, SEED_GL_RECORD);
	ck_assert_uint_eq(s->n_varyings, 0);
	ck_assert_uint_eq(s->n_arrays, 2);
	ck_assert_uint_eq(s->fragment.code, 0x100C00);
	ck_assert_uint_eq(s->vertex.code, 0x100A00);
	ck_assert_uint_eq(s->vertex.arrays, 1);
	ck_assert_uint_eq(s->vertex.size_bytes, 12);
	ck_assert_uint_eq(s->coordinate.code, 0x100B00);
	ck_assert_uint_eq(s->coordinate.arrays, 2);
	ck_assert_uint_eq(s->coordinate.size_bytes, 28);
	ck_assert_uint_eq(s->array[0].address, 0x100900);
	ck_assert_uint_eq(s->array[0].size_bytes, 12);
	ck_assert_uint_eq(s->array[0].stride_bytes, 12);
	ck_assert_uint_eq(s->array[1].address, 0x100940);
	ck_assert_uint_eq(s->array[1].size_bytes, 28);
	ck_assert_uint_eq(s->array[1].stride_bytes, 28);
}

TEST(seed_in_nv_mode_has_the_nv_record) {
	ck_assert_int_eq(run_seed(true), 0);
	const struct vc4_shader *s = frame.draws->state->shader;
	ck_assert(s->is_nv && !s->clips && !s->has_clip_header && !s->has_point_size);
	ck_assert_uint_eq(s->stride_bytes, 12);
	ck_assert_uint_eq(s->fragment.code, 0x100C00);
	ck_assert_uint_eq(s->vertices, 0x100900);
	ck_assert_uint_eq(s->n_arrays, 0);
}

/* ---- State ---- */

TEST(state_before_any_record_is_the_default) {
	ck_assert_int_eq(run_hex(MODE_70 GL DRAW, ""), 0);
	const struct vc4_state *s = frame.draws->state;
	ck_assert(!s->draws_front && !s->draws_back && !s->updates_z);
	ck_assert(s->point_size == 1 && s->line_width == 1);
	ck_assert(s->clip_left == 0 && s->clip_bottom == 0);
	ck_assert(s->clip_width == 0xFFFF && s->clip_height == 0xFFFF);
	ck_assert(s->z_min == 0 && s->z_max == 1);
	ck_assert(s->z_scale == 1 && s->z_offset == 0);
	ck_assert(s->half_width_fx4 == 1 && s->half_height_fx4 == 1);
	ck_assert(s->flat == 0 && s->depth_factor == 0 && s->depth_units == 0);
}

TEST(each_record_of_state_reaches_the_draw) {
	ck_assert_int_eq(run_hex("60 6D F4 01 61 78563412 62 00002041 63 00004040 64 0100 "
			"65 803F 00C0 66 0100 0200 0300 0400 67 F0FF 2000 68 0000003F 0000403F "
			"69 00002041 0000A041 6A 0000003E 0000803E " MODE_70 "38 12 " GL DRAW, ""), 0);
	const struct vc4_state *s = frame.draws->state;
	ck_assert(s->draws_front && !s->draws_back && s->is_clockwise_front && s->offsets_depth);
	ck_assert_uint_eq(s->oversample, VC4_SAMPLES_4);
	ck_assert_uint_eq(s->depth_function, VC4_COMPARE_ALWAYS);
	ck_assert(s->updates_z && s->early_z && !s->early_z_updates);
	ck_assert_uint_eq(s->flat, 0x12345678);
	ck_assert(s->point_size == 10 && s->line_width == 3);
	ck_assert(s->depth_factor == 1 && s->depth_units == -2);
	ck_assert(s->clip_left == 1 && s->clip_bottom == 2);
	ck_assert(s->clip_width == 3 && s->clip_height == 4);
	ck_assert(s->viewport_x_fx4 == -16 && s->viewport_y_fx4 == 32);
	ck_assert(s->z_min == 0.5f && s->z_max == 0.75f);
	ck_assert(s->half_width_fx4 == 10 && s->half_height_fx4 == 20);
	ck_assert(s->z_scale == 0.125f && s->z_offset == 0.25f);
}

TEST(draws_keep_the_state_of_their_moment) {
	ck_assert_int_eq(run_hex(MODE_70 GL DRAW DRAW "62 00000040 " DRAW "41 40081000 " DRAW,
			""), 0);
	ck_assert_uint_eq(frame.n_draws, 4);
	ck_assert_ptr_eq(frame.draws[0].state, frame.draws[1].state);
	ck_assert(frame.draws[1].state->point_size == 1);
	ck_assert(frame.draws[2].state->point_size == 2);
	ck_assert_ptr_eq(frame.draws[1].state->shader, frame.draws[2].state->shader);
	ck_assert(!frame.draws[2].state->shader->is_nv && frame.draws[3].state->shader->is_nv);
}

TEST(eight_arrays_are_written_as_zero) {
	uint8_t *record = memory + 0x1000;
	seed_fill(memory, false);
	for (unsigned i = 0; i < 8; i++) {
		put_word(record + 36 + 8 * i, 0x100000 + i);
	}
	put_hex(memory, MODE_70 "40 00101000 " DRAW);
	lists.start[0] = SEED_BINNING;
	lists.end[0] = SEED_BINNING + 31;
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(frame.draws->state->shader->n_arrays, 8);
	ck_assert_uint_eq(frame.draws->state->shader->array[7].address, 0x100007);
	ck_assert_uint_eq(frame.draws->state->shader->array[7].size_bytes, 1);
}

TEST(extended_record_has_long_strides) {
	uint8_t *record = memory + 0x1000;
	put_hex(record + 36, "00091000 FF 0C 08 04");
	put_hex(record + 44, "00091000 00 01 00 00");
	put_word(record + 100, 0x012345EE);
	put_word(record + 104, 0xFFFFFF00);
	put_hex(memory, MODE_70 "40 0A101000 " DRAW);
	lists.start[0] = SEED_BINNING;
	lists.end[0] = SEED_BINNING + 31;
	ck_assert_int_eq(run(), 0);
	const struct vc4_shader *s = frame.draws->state->shader;
	ck_assert_uint_eq(s->n_arrays, 2);
	ck_assert_uint_eq(s->array[0].stride_bytes, 0x0123450C);
	ck_assert_uint_eq(s->array[0].size_bytes, 256);
	ck_assert_uint_eq(s->array[0].vertex_offset, 8);
	ck_assert_uint_eq(s->array[0].coordinate_offset, 4);
	ck_assert_uint_eq(s->array[1].stride_bytes, 0xFFFFFF01);
}

/* ---- Draws ---- */

TEST(indexed_draws_have_both_sizes) {
	ck_assert_int_eq(run_hex(MODE_70 GL "20 05 04000000 00091000 FF000000 "
			"20 16 05000000 000910C0 FFFF0000", ""), 0);
	ck_assert_uint_eq(frame.n_draws, 2);
	ck_assert_uint_eq(frame.draws[0].mode, VC4_MODE_TRIANGLE_STRIP);
	ck_assert_uint_eq(frame.draws[0].index_bytes, 1);
	ck_assert_uint_eq(frame.draws[0].count, 4);
	ck_assert_uint_eq(frame.draws[0].max_index, 255);
	ck_assert_uint_eq(frame.draws[1].mode, VC4_MODE_TRIANGLE_FAN);
	ck_assert_uint_eq(frame.draws[1].index_bytes, 2);
	ck_assert_uint_eq(frame.draws[1].indices, 0x100900); /* alias bits dropped */
	ck_assert_uint_eq(frame.stats.primitives, 2 + 3);
}

TEST(draws_without_a_primitive_are_dropped) {
	ck_assert_int_eq(run_hex(MODE_70 GL "21 04 02000000 00000000 21 00 00000000 00000000 "
			"21 03 01000000 00000000 20 04 00000000 00000000 00000000", ""), 0);
	ck_assert_uint_eq(frame.n_draws, 0);
	ck_assert_uint_eq(frame.stats.draws, 4);
}

TEST(primitives_are_counted_by_mode) {
	static const uint8_t want[7][5] = { /* of 0, 1, 2, 3, 7 vertices */
		{ 0, 1, 2, 3, 7 }, { 0, 0, 1, 1, 3 }, { 0, 0, 2, 3, 7 }, { 0, 0, 1, 2, 6 },
		{ 0, 0, 0, 1, 2 }, { 0, 0, 0, 1, 5 }, { 0, 0, 0, 1, 5 },
	};
	static const uint8_t count[5] = { 0, 1, 2, 3, 7 };
	for (unsigned mode = 0; mode < 7; mode++) {
		for (unsigned i = 0; i < 5; i++) {
			ck_assert_uint_eq(vc4_primitives(mode, count[i]), want[mode][i]);
		}
	}
}

TEST(last_vertex_is_65534) {
	ck_assert_int_eq(run_hex(MODE_70 GL "21 04 FCFF0000 03000000", ""), 0);
	ck_assert_int_eq(run_hex(MODE_70 GL "21 04 FDFF0000 03000000", ""), -EINVAL);
	ck_assert_int_eq(run_hex(MODE_70 GL "21 04 03000000 FFFFFFFF", ""), -EINVAL);
}

TEST(second_binning_mode_forgets_the_draws_and_keeps_the_state) {
	ck_assert_int_eq(run_hex("62 00000040 " MODE_70 GL DRAW
			"70 00301000 00200000 00101000 02 03 05 " DRAW, ""), 0);
	ck_assert_uint_eq(frame.n_draws, 1);
	ck_assert(frame.draws->state->point_size == 2);
	ck_assert_uint_eq(frame.binning.columns, 2);
	ck_assert_uint_eq(frame.binning.tile_px, 32);
	ck_assert_uint_eq(frame.stats.draws, 2);
	ck_assert_int_eq(run_hex(MODE_70 GL DRAW "06 " DRAW DRAW "05", ""), 0);
	ck_assert_uint_eq(frame.n_draws, 2);
}

/* ---- Flow ---- */

TEST(branches_and_sub_lists_nest_twice) {
	put_hex(memory + 0x1000, "11 00111000 12");
	put_hex(memory + 0x1100, "62 00000040 12");
	put_hex(memory + 0x1200, "10 20121000");
	put_hex(memory + 0x1220, MODE_70 GL DRAW "00");
	put_hex(memory + 0x800, "00");
	seed_fill(memory, false);
	put_hex(memory, "12 11 00101040 10 00121000");
	lists.start[0] = SEED_BINNING;
	lists.end[0] = SEED_BINNING + 0x700;
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(frame.n_draws, 1);
	ck_assert(frame.draws->state->point_size == 2);
	ck_assert_uint_eq(frame.stats.sub_lists, 2);

	put_hex(memory + 0x1100, "11 00111000");
	ck_assert_int_eq(run(), -EINVAL);
	ck_assert_uint_eq(error.address, 0x101100);
	ck_assert_uint_eq(error.offset, 0x1100);
	ck_assert_str_eq(error.record, "BRANCH_TO_SUB_LIST");
}

TEST(sub_list_after_the_end_runs) {
	put_hex(memory, "11 05001000 62 00000040 12");
	lists.start[0] = SEED_BINNING;
	lists.end[0] = SEED_BINNING + 5;
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(frame.stats.records, 3);
}

TEST(endless_lists_end_by_their_limits) {
	lists.limits.records = 1000;
	ck_assert_int_eq(run_hex("10 00001000", ""), -EDQUOT);
	ck_assert_uint_eq(frame.stats.records, 1001);
	ck_assert_uint_eq(error.budget, PICA_BUDGET_LIST_WORDS);
	lists.limits = (struct vc4_limits){ .branches = 1000 };
	ck_assert_int_eq(run_hex("01 10 00001000", ""), -EDQUOT);
	ck_assert_uint_eq(frame.stats.branches, 1001);
	ck_assert_uint_eq(frame.stats.records, 2002);
	ck_assert_uint_eq(error.budget, PICA_BUDGET_JUMPS);
	lists.limits = (struct vc4_limits){ .primitives = 20 };
	ck_assert_int_eq(run_hex(MODE_70 GL DRAW "10 15001000", ""), -EDQUOT);
	ck_assert_uint_eq(frame.n_draws, 20);
	ck_assert_uint_eq(error.budget, PICA_BUDGET_VERTICES);
	lists.limits = (struct vc4_limits){ 0 };
	ck_assert_int_eq(run_hex("", "10 00011000"), -EDQUOT);
	ck_assert_uint_eq(frame.stats.records, VC4_MAX_RECORDS + 1);
	ck_assert_uint_eq(error.list, 1);
}

TEST(waits_need_an_increment_and_a_flush) {
	ck_assert_int_eq(run_hex("07 04", "08"), 0);
	ck_assert_int_eq(run_hex("07 07 05", "08 08"), 0);
	ck_assert_int_eq(run_hex("07 04", "08 08"), -EINVAL);
	ck_assert_uint_eq(error.offset, 1);
	ck_assert_int_eq(run_hex("07", "08"), -EINVAL);
	ck_assert_int_eq(run_hex("04", "07 08"), -EINVAL);
	ck_assert_int_eq(run_hex("07 08", ""), -EINVAL);
}

TEST(list_continues_in_the_next_window) {
	ck_assert_int_eq(space_map(&space, SEED_BASE + SEED_BYTES, 4096, NULL, 0), 0);
	uint8_t bytes[16];
	put_hex(bytes, "62 00000040 " "66 0100 0200 0300 0400");
	const uint32_t start = SEED_BASE + SEED_BYTES - 8;
	ck_assert_uint_eq(space_store(&space, start, bytes, 14), 0);
	lists.start[0] = start;
	lists.end[0] = start + 14;
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(frame.stats.records, 2);
}

static unsigned ticks;

static int count_ticks(void *arg, unsigned n) {
	ck_assert_ptr_eq(arg, &ticks);
	ck_assert_uint_eq(n, VC4_TICK_RECORDS);
	ticks++;
	return 0;
}

/* The list's window is replaced by another one, of zeros. */
static int move_window(void *arg, unsigned n) {
	(void)n;
	if (space_unmap(&space, SEED_BASE) < 0) {
		return -EFAULT;
	}
	return space_map(&space, SEED_BASE, 4096, arg, 0);
}

static int stop(void *arg, unsigned n) {
	(void)arg;
	(void)n;
	return -ECANCELED;
}

TEST(caller_is_called_each_64_records) {
	ticks = 0;
	lists.tick = count_ticks;
	lists.arg = &ticks;
	ck_assert_int_eq(run_seed(false), 0);
	ck_assert_uint_eq(ticks, (8 + 4 + 240 - 1) / VC4_TICK_RECORDS);
	lists.tick = stop;
	ck_assert_int_eq(run_seed(false), -ECANCELED);
	ck_assert_uint_eq(frame.stats.records, VC4_TICK_RECORDS);
}

TEST(windows_may_move_while_the_list_waits) {
	static _Alignas(4096) uint8_t zeros[4096];
	lists.tick = move_window;
	lists.arg = zeros;
	ck_assert_int_eq(run_seed(false), 0); /* from there on: halt */
	ck_assert_uint_eq(frame.stats.records, VC4_TICK_RECORDS + 1);
}

/* ---- Tile runs ---- */

TEST(load_happens_at_the_next_tile) {
	ck_assert_int_eq(run_hex(MODE_70 "04", CLEAR MODE_71 "73 01 02 1C 0000 00000000 "
			"1D 5102 00001100 73 03 04 " BIN_3 "18"), 0);
	ck_assert_uint_eq(frame.n_runs, 1);
	ck_assert_uint_eq(frame.n_ops, 3);
	ck_assert_uint_eq(frame.ops[0].kind, VC4_TILE_LOAD);
	ck_assert(frame.ops[0].column == 3 && frame.ops[0].row == 4);
	const struct vc4_transfer *t = &frame.transfers[frame.ops[0].value];
	ck_assert(t->color && !t->z && !t->stencil && !t->is_full);
	ck_assert_uint_eq(t->layout, VC4_LAYOUT_T);
	ck_assert_uint_eq(t->format, VC4_FORMAT_BGR565);
	ck_assert_uint_eq(frame.ops[1].kind, VC4_TILE_DRAW);
	ck_assert_uint_eq(frame.ops[1].value, 3);
	/* The same without a tile after it, or of no buffer: nothing happens. */
	ck_assert_int_eq(run_hex("", MODE_71 "1D 0100 00001100 18"), 0);
	ck_assert_uint_eq(frame.n_ops, 1);
	ck_assert_int_eq(run_hex("", MODE_71 "1D 0000 00001100 1D 0000 00001100 73 00 00 18"), 0);
	ck_assert_uint_eq(frame.n_ops, 1);
}

TEST(second_load_before_tile_coordinates_is_an_error) {
	ck_assert_int_eq(run_hex("", MODE_71 "1D 0100 00001100 1B 00001100"), -EINVAL);
	ck_assert_str_eq(error.record, "LOAD_FULL");
}

TEST(first_run_begins_with_zeros) {
	ck_assert_int_eq(run_hex("", CLEAR MODE_71 "73 00 00 18 73 01 00 18"), 0);
	ck_assert_uint_eq(frame.n_runs, 2);
	ck_assert_uint_eq(frame.runs[0].clear, 0);
	ck_assert_uint_eq(frame.renderings[0].clear_color, 0);
	ck_assert(!frame.renderings[0].exists);
	const struct vc4_rendering *m = &frame.renderings[frame.runs[1].clear];
	ck_assert_uint_eq(m->clear_color, 0xFF00FFFF);
	ck_assert_uint_eq(m->clear_z, 0x123456);
	ck_assert_uint_eq(m->clear_stencil, 0x77);
}

TEST(clear_values_are_those_of_the_store_before) {
	ck_assert_int_eq(run_hex("", CLEAR MODE_71 "73 00 00 18 "
			"72 01000000 01000000 000000 00 00 73 01 00 18 73 02 00 18"), 0);
	ck_assert_uint_eq(frame.n_runs, 3);
	ck_assert_uint_eq(frame.renderings[frame.runs[1].clear].clear_color, 0xFF00FFFF);
	ck_assert_uint_eq(frame.renderings[frame.runs[2].clear].clear_color, 1);
}

TEST(partial_clears_stay_in_the_run) {
	/* Z and stencil stored and cleared, colour not; then colour, which clears all. */
	ck_assert_int_eq(run_hex(MODE_70, MODE_71 "73 00 00 " BIN_3
			"1C 1220 00001100 73 00 00 18"), 0);
	ck_assert_uint_eq(frame.n_runs, 1);
	ck_assert_uint_eq(frame.runs[0].n, 3);
	const struct vc4_transfer *t = &frame.transfers[frame.ops[1].value];
	ck_assert(t->z && t->stencil && !t->color && !t->clears_color && t->clears_zs);
	ck_assert_uint_eq(t->layout, VC4_LAYOUT_T);
	/* Cleared one after the other, nothing drawn between: the run ends. */
	ck_assert_int_eq(run_hex(MODE_70, MODE_71
			"1C 1220 00001100 1C 0140 00001100 " BIN_3 "18"), 0);
	ck_assert_uint_eq(frame.n_runs, 2);
	/* Drawn between: it does not. */
	ck_assert_int_eq(run_hex(MODE_70, MODE_71
			"1C 1220 00001100 " BIN_3 "1C 0140 00001100 18"), 0);
	ck_assert_uint_eq(frame.n_runs, 1);
	/* Cleared by different values: it does not. */
	ck_assert_int_eq(run_hex(MODE_70, MODE_71
			"1C 1220 00001100 " CLEAR "1C 0140 00001100 18"), 0);
	ck_assert_uint_eq(frame.n_runs, 1);
	/* No clear at all. */
	ck_assert_int_eq(run_hex(MODE_70, MODE_71 "1A 04001100 18"), 0);
	ck_assert_uint_eq(frame.n_runs, 1);
	ck_assert_uint_eq(frame.runs[0].n, 2);
}

TEST(runs_that_store_nothing_are_left_out) {
	ck_assert_int_eq(run_hex(MODE_70, MODE_71 "73 00 00 " BIN_3
			"1C 0000 00000000 " BIN_3), 0);
	ck_assert_uint_eq(frame.n_runs, 0);
	ck_assert_int_eq(run_hex(MODE_70, MODE_71 "1A 03001100 18"), 0);
	ck_assert_uint_eq(frame.n_ops, 1);
}

TEST(full_transfers_use_their_named_buffers) {
	static const struct {
		const char *record;
		bool color, zs;
	} cases[] = {
		{ "1A 00002040", true, true }, { "1A 01002040", false, true },
		{ "1A 0A002040", true, false }, { "1C 0500 00002040", true, true },
		{ "1C 0500 06002040", true, false }, { "1C 0500 0D002040", false, true },
		{ "1B 01002040 73 00 00 18", false, true },
		{ "1D 0500 02002040 73 00 00 18", true, false },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char list[100];
		snprintf(list, sizeof(list), "%s %s", MODE_71, cases[i].record);
		ck_assert_int_eq(run_hex("", list), 0);
		const struct vc4_transfer *t = &frame.transfers[frame.ops[0].value];
		ck_assert(t->is_full && t->color == cases[i].color);
		ck_assert(t->z == cases[i].zs && t->stencil == cases[i].zs);
		ck_assert_uint_eq(t->address, 0x00200000);
	}
}

TEST(four_samples_are_averaged) {
	ck_assert_int_eq(run_hex(MODE_70_4X, MODE_71_4X "73 00 00 " BIN_3 "18"), 0);
	ck_assert_uint_eq(frame.renderings[frame.ops[0].rendering].tile_px, 32);
	ck_assert(frame.transfers[frame.ops[1].value].averages);
	ck_assert_int_eq(run_hex("", MODE_71_4X "1C 4100 00001100 1C 0100 00001100"), 0);
	ck_assert_uint_eq(frame.n_ops, 2);
	ck_assert(frame.transfers[frame.ops[0].value].averages);
	ck_assert(!frame.transfers[frame.ops[1].value].averages);
}

TEST(rendering_mode_formats_have_the_numbers_of_stores) {
	static const uint8_t flags[][2] = { /* of 0x71, and the format */
		{ 0x00, VC4_FORMAT_BGR565_DITHERED }, { 0x44, VC4_FORMAT_RGBA8888 },
		{ 0x88, VC4_FORMAT_BGR565 },
	};
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		char list[60];
		snprintf(list, sizeof(list), "71 000011C0 1000 2000 %02X0C 18", flags[i][0]);
		ck_assert_int_eq(run_hex("", list), 0);
		const struct vc4_transfer *t = &frame.transfers[frame.ops[0].value];
		ck_assert_uint_eq(t->format, flags[i][1]);
		ck_assert_uint_eq(t->layout, i);
		ck_assert_uint_eq(t->address, 0x110000);
		ck_assert(frame.last.early_z_greater && frame.last.no_early_z);
		ck_assert(frame.last.width == 16 && frame.last.height == 32);
	}
}

TEST(bins_are_found_in_any_alias_and_block_size) {
	ck_assert_int_eq(run_hex("70 002010C0 00200000 00101000 0A 08 14 ",
			MODE_71 "73 00 00 11 85211080 18"), 0);
	ck_assert_uint_eq(frame.ops[0].kind, VC4_TILE_DRAW);
	ck_assert_uint_eq(frame.ops[0].value, 0x185 / 128);
}

TEST(lists_beyond_the_tiles_are_empty_and_never_read) {
	memset(memory + 0x2000, 0xFF, 0x2000);
	ck_assert_int_eq(run_hex(MODE_70, MODE_71 "11 00 2A 10 00 11 FF 3F 10 00 18"), 0);
	ck_assert_uint_eq(frame.n_ops, 1);
	ck_assert_int_eq(run_hex(MODE_70, MODE_71 "11 00401000 18"), 0); /* after it: halt */
	ck_assert_uint_eq(frame.n_ops, 0);
	ck_assert_uint_eq(frame.stats.sub_lists, 1);
}

TEST(lists_are_compact) {
	/* 64 x 64 tiles of a load, a draw and two stores. */
	put_hex(memory, "70 00001000 00000000 00000000 40 40 04");
	uint8_t *c = memory + 0x100;
	c += put_hex(c, MODE_71);
	for (unsigned i = 0; i < 4096; i++) {
		c += put_hex(c, "1D 0100 00001100 73 00 00 11 00001000 1C 1220 00001100 73 00 00 18");
	}
	/* Thirty thousand draws, each with another point size. */
	const uint32_t rendering_end = SEED_BASE + (uint32_t)(c - memory);
	uint8_t *const binning = memory + 0x80000;
	c = binning;
	c += put_hex(c, "70 00001000 00000000 00000000 40 40 04 40 02081000");
	for (unsigned i = 0; i < 30000; i++) {
		c += put_hex(c, "62 00000040 " DRAW);
		put_word(c - 14, i);
	}
	lists.start[0] = SEED_BASE + 0x80000;
	lists.end[0] = SEED_BASE + (uint32_t)(c - memory);
	lists.start[1] = SEED_RENDERING;
	lists.end[1] = rendering_end;
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(frame.n_draws, 30000);
	ck_assert_uint_eq(frame.n_runs, 4096);
	ck_assert_uint_eq(frame.n_ops, 4 * 4096);
	ck_assert_uint_eq(frame.n_transfers, 3);
	ck_assert_uint_le(arena.total_used, 8 << 20);
}
