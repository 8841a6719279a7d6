/* Contexts of the VideoCore IV through the public API: jobs, errors with their place, budgets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "pica_capture.h"
#include "pica_inspect.h"
#include "pica_record.h"
#include "pica_show.h"
#include "pica_vc4_emit.h"

#include "tests/suite.h"
#include "vc4/front/front.h"
#include "vc4_rig.h"
#include "vc4_seed.h"

enum { WIDTH = 640, HEIGHT = 480, PICTURE_BYTES = WIDTH * HEIGHT * 4 };

static const unsigned thread_counts[] = { 0, 1, 2, 8 };

static struct vc4_rig rig;
static uint8_t rgba[PICTURE_BYTES];

/* The seed's lists, in the memory of the rig, which lies at the same address. */
static struct pica_job put_seed(struct pica_ctx *ctx, bool is_nv) {
	_Static_assert((int)RIG_BASE == (int)SEED_BASE && (int)RIG_SIZE >= (int)SEED_BYTES, "");
	uint8_t *memory = pica_ctx_host(ctx, SEED_BASE, SEED_BYTES);
	memset(memory, 0, SEED_BYTES);
	seed_fill(memory, is_nv);
	struct pica_job job = { .op = PICA_OP_CONTROL_LISTS, .user_data = 5 };
	job.u.control_lists.binning_start = SEED_BINNING;
	job.u.control_lists.binning_end = SEED_BINNING_END;
	job.u.control_lists.rendering_start = SEED_RENDERING;
	job.u.control_lists.rendering_end = SEED_RENDERING_END;
	return job;
}

static void expect_seed(struct pica_ctx *ctx) {
	struct pica_picture picture;
	ck_assert_int_eq(pica_ctx_picture(ctx, &picture), 0);
	ck_assert_uint_eq(picture.addr, SEED_TARGET);
	ck_assert_uint_eq(picture.width, WIDTH);
	ck_assert_uint_eq(picture.height, HEIGHT);
	ck_assert_uint_eq(picture.format, PICA_VC4_FORMAT_RGBA8888);
	ck_assert_uint_eq(picture.layout, PICA_VC4_LAYOUT_RASTER);
	memset(rgba, 0, sizeof(rgba));
	ck_assert_int_eq(pica_ctx_read_picture(ctx, rgba, 4 * WIDTH), 0);
	ck_assert_uint_eq(seed_crc32(rgba, PICTURE_BYTES), SEED_CRC);
}

TEST_LOOP(the_seeds_triangle, 2 * ARRAY_LEN(thread_counts)) {
	rig_open(&rig, isa_best(), thread_counts[_i / 2]);
	const struct pica_job job = put_seed(rig.ctx, _i & 1);
	const struct pica_done done = rig_submit(rig.ctx, &job);
	ck_assert_int_eq(done.result, 0);
	ck_assert_uint_eq(done.flags, 0);
	ck_assert_uint_eq(done.user_data, 5);
	expect_seed(rig.ctx);
	const struct pica_stats stats = rig_stats(rig.ctx);
	ck_assert_uint_eq(stats.jobs, 1);
	ck_assert_uint_eq(stats.lists, 2);
	ck_assert_uint_eq(stats.frames, 1);
	ck_assert_uint_eq(stats.draws, 1);
	ck_assert_uint_eq(stats.vertices, 3);
	ck_assert_uint_eq(stats.drawn_triangles, 1);
	/* 8 records of binning; 4, and 3 for each of 80 tiles, of rendering. */
	ck_assert_uint_eq(stats.list_words, 8 + 4 + 3 * 80);
	rig_close(&rig);
}

/* Alias bits of bus addresses do not count. */
TEST(addresses_have_alias_bits) {
	rig_open(&rig, isa_best(), 0);
	struct pica_job job = put_seed(rig.ctx, false);
	job.u.control_lists.binning_start |= 0xC0000000;
	job.u.control_lists.binning_end |= 0x40000000;
	job.u.control_lists.rendering_start |= 0x80000000;
	ck_assert_int_eq(rig_submit(rig.ctx, &job).result, 0);
	expect_seed(rig.ctx);
	rig_close(&rig);
}

/* ---- The picture ---- */

TEST(a_picture_needs_a_target_in_memory) {
	struct pica_picture picture;
	rig_open(&rig, isa_best(), 0);
	ck_assert_int_eq(pica_ctx_picture(rig.ctx, &picture), -ENODATA);
	ck_assert_int_eq(pica_ctx_read_picture(rig.ctx, rgba, 4 * WIDTH), -ENODATA);
	struct pica_job job = put_seed(rig.ctx, false);
	ck_assert_int_eq(rig_submit(rig.ctx, &job).result, 0);
	ck_assert_int_eq(pica_ctx_read_picture(rig.ctx, rgba, 4 * WIDTH - 1), -EINVAL);
	/* A target that is never stored: 64x64 at 0x30000000. */
	rig_hex(&rig, RIG_RENDERING, "71 00000030 4000 4000 0400");
	job.u.control_lists.binning_start = job.u.control_lists.binning_end = 0;
	job.u.control_lists.rendering_start = RIG_RENDERING;
	job.u.control_lists.rendering_end = RIG_RENDERING + 11;
	ck_assert_int_eq(rig_submit(rig.ctx, &job).result, 0);
	ck_assert_int_eq(pica_ctx_picture(rig.ctx, &picture), 0);
	ck_assert_uint_eq(picture.addr, 0x30000000);
	ck_assert_int_eq(pica_ctx_read_picture(rig.ctx, rgba, 4 * WIDTH), -ERANGE);
	/* Sizes whose bytes do not fit in 32 bits: 65535x16385. */
	rig_hex(&rig, RIG_RENDERING, "71 00001800 FFFF 0140 0400");
	ck_assert_int_eq(rig_submit(rig.ctx, &job).result, 0);
	ck_assert_int_eq(pica_ctx_read_picture(rig.ctx, rgba, 4 * 65535), -ERANGE);
	rig_close(&rig);
}

/* One clear colour in every format and layout: R 0x11, G 0x22, B 0x33, A 0x44. */
TEST_LOOP(pictures_of_all_formats_and_layouts, 3 * 3) {
	const unsigned format = (unsigned)_i % 3, layout = (unsigned)_i / 3;
	struct pica_vc4_frame f;
	struct pica_vc4_emit list[2];
	pica_vc4_frame_init(&f, RIG_TARGET, 70, 50);
	f.format = format;
	f.layout = layout;
	f.tile_lists = RIG_TILES;
	f.tile_state = RIG_STATE;
	f.clear_color = 0x44332211;
	for (unsigned i = 0; i < 2; i++) {
		pica_vc4_emit_init(&list[i]);
	}
	pica_vc4_emit_binning_begin(&list[0], &f);
	pica_vc4_emit_binning_end(&list[0]);
	pica_vc4_emit_rendering(&list[1], &f);
	rig_open(&rig, isa_best(), 0);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(pica_vc4_emit_error(&list[i]), 0);
		rig.end[i] = i ? RIG_RENDERING : RIG_BINNING;
		memcpy(rig_at(&rig, rig.end[i]), list[i].bytes, list[i].size);
		rig.end[i] += (uint32_t)list[i].size;
		pica_vc4_emit_finish(&list[i]);
	}
	ck_assert_int_eq(rig_run(&rig), 0);
	struct pica_picture picture;
	ck_assert_int_eq(pica_ctx_picture(rig.ctx, &picture), 0);
	const bool is_rgba = format == PICA_VC4_TARGET_RGBA8888;
	ck_assert_int_eq(picture.format == PICA_VC4_FORMAT_RGBA8888, is_rgba);
	ck_assert_uint_eq(picture.layout, layout);
	memset(rgba, 0xEE, sizeof(rgba));
	ck_assert_int_eq(pica_ctx_read_picture(rig.ctx, rgba, 4 * 80), 0);
	/* 565: 0x11 is 00010 of five bits, 0x22 001000 of six, 0x33 00110. */
	static const uint8_t whole[4] = { 0x11, 0x22, 0x33, 0x44 },
			     packed[4] = { 0x10, 0x20, 0x31, 0xFF };
	for (unsigned y = 0; y < 50; y++) {
		for (unsigned x = 0; x < 80; x++) {
			const uint8_t *px = rgba + 4 * (80 * y + x);
			ck_assert_mem_eq(px, x >= 70 ? (const uint8_t *)"\xEE\xEE\xEE\xEE" :
					is_rgba      ? whole :
						       packed,
					4);
		}
	}
	rig_close(&rig);
}

/* ---- Errors ---- */

static void expect_place(struct pica_done done, int result, bool is_rendering, uint32_t offset) {
	ck_assert_int_eq(done.result, result);
	ck_assert_uint_eq(done.flags, PICA_DONE_PLACE | (is_rendering ? PICA_DONE_RENDERING : 0) |
			offset << PICA_DONE_PLACE_SHIFT);
}

TEST_LOOP(errors_name_their_place, 2) {
	rig_open(&rig, isa_best(), _i ? 2 : 0);
	struct pica_job job = put_seed(rig.ctx, false);
	uint8_t *binning = rig_at(&rig, SEED_BINNING), *rendering = rig_at(&rig, SEED_RENDERING);

	binning[50] = 0x7F; /* the flush */
	expect_place(rig_submit(rig.ctx, &job), -EINVAL, false, 50);
	ck_assert_str_eq(rig.log, "job 1: binning list: offset 0x32 (no record): not a record");
	binning[50] = 4;

	rendering[14] = 0x7F; /* after the clear values */
	expect_place(rig_submit(rig.ctx, &job), -EINVAL, true, 14);
	rendering[14] = 0x71;

	/* A draw in a rendering list: known, but not supported. */
	rendering[14] = 0x21;
	expect_place(rig_submit(rig.ctx, &job), -EOPNOTSUPP, true, 14);
	rendering[14] = 0x71;

	/* A shader record outside every window. */
	memcpy(binning + 36, "\x02\x00\x00\x30", 4);
	expect_place(rig_submit(rig.ctx, &job), -ERANGE, false, 35);
	ck_assert_str_eq(rig.log,
			"job 4: binning list: offset 0x23 (GL_SHADER_STATE): the shader record is "
			"outside memory");
	memcpy(binning + 36, "\x02\x08\x10\x00", 4);

	/* The target outside every window: the first store, of tile 0. */
	memcpy(rendering + 15, "\x00\x00\x00\x30", 4);
	const struct pica_done done = rig_submit(rig.ctx, &job);
	ck_assert_int_eq(done.result, -ERANGE);
	ck_assert_uint_eq(done.flags & 31, PICA_DONE_PLACE | PICA_DONE_RENDERING);
	ck_assert_uint_eq(rendering[done.flags >> PICA_DONE_PLACE_SHIFT], 0x18);
	memcpy(rendering + 15, "\x00\x00\x11\x00", 4);

	/* Vertices outside: found by a task. */
	memcpy(rig_at(&rig, SEED_GL_RECORD + 36), "\x00\x00\x00\x30", 4);
	memcpy(rig_at(&rig, SEED_GL_RECORD + 44), "\x00\x00\x00\x30", 4);
	expect_place(rig_submit(rig.ctx, &job), -ERANGE, false, 40);
	ck_assert_str_eq(rig.log, "job 6: binning list: offset 0x28 (primitive): a program or its "
				  "vertices read outside memory");

	/* And the context continues. */
	job = put_seed(rig.ctx, false);
	ck_assert_int_eq(rig_submit(rig.ctx, &job).result, 0);
	expect_seed(rig.ctx);
	rig_close(&rig);
}

/* A list that begins after the record in a sub-list before it: the greatest offset. */
TEST(a_place_saturates) {
	rig_open(&rig, isa_best(), 0);
	rig_hex(&rig, RIG_BINNING + 0x100, "10 00001000");
	rig_hex(&rig, RIG_BINNING, "7F");
	rig.end[0] = RIG_BINNING + 0x105;
	rig.end[1] = RIG_RENDERING;
	struct pica_job job = rig_job(&rig);
	job.u.control_lists.binning_start += 0x100;
	expect_place(rig_submit(rig.ctx, &job), -EINVAL, false, (1u << 27) - 1);
	rig_close(&rig);
}

/* ---- Budgets ---- */

/* Runs a job of the seed with these budgets. Returns the one that it exceeds, or 0. */
static enum pica_budget exceeded(unsigned n_threads, const struct pica_budgets *budgets) {
	rig_open(&rig, isa_best(), n_threads);
	struct pica_ctx *ctx = rig_context(rig.device, budgets);
	const struct pica_job job = put_seed(ctx, false);
	const struct pica_done done = rig_submit(ctx, &job);
	enum pica_budget budget = (enum pica_budget)(done.flags >> PICA_DONE_BUDGET_SHIFT &
			PICA_DONE_BUDGET_MASK);
	if (done.result == 0) {
		expect_seed(ctx);
		ck_assert_uint_eq(done.flags, 0);
		budget = 0;
	} else {
		ck_assert_int_eq(done.result, -EDQUOT);
		ck_assert_uint_eq(done.flags, (uint32_t)budget << PICA_DONE_BUDGET_SHIFT);
		ck_assert_uint_ne(budget, 0);
	}
	rig_drop(ctx);
	rig_close(&rig);
	return budget;
}

TEST_LOOP(budgets_are_exact, ARRAY_LEN(thread_counts)) {
	const unsigned n = thread_counts[_i];
	/* 252 records, 80 branches to tile lists, a triangle. */
	struct pica_budgets b = { .list_words = 252 };
	ck_assert_uint_eq(exceeded(n, &b), 0);
	b.list_words = 251;
	ck_assert_uint_eq(exceeded(n, &b), PICA_BUDGET_LIST_WORDS);
	b = (struct pica_budgets){ .list_jumps = 80 };
	ck_assert_uint_eq(exceeded(n, &b), 0);
	b.list_jumps = 79;
	ck_assert_uint_eq(exceeded(n, &b), PICA_BUDGET_JUMPS);
	b = (struct pica_budgets){ .vertices = 1 };
	ck_assert_uint_eq(exceeded(n, &b), 0);
	b = (struct pica_budgets){ .pixels = 1000 };
	ck_assert_uint_eq(exceeded(n, &b), PICA_BUDGET_PIXELS);
	b = (struct pica_budgets){ .job_steps = 20 };
	ck_assert_uint_eq(exceeded(n, &b), PICA_BUDGET_SHADER_STEPS);
}

TEST(a_list_that_jumps_to_itself_ends) {
	const struct pica_budgets budgets = { .list_jumps = 1000 };
	rig_open(&rig, isa_best(), 1);
	struct pica_ctx *ctx = rig_context(rig.device, &budgets);
	struct pica_job job = put_seed(ctx, false);
	put_hex((uint8_t *)pica_ctx_host(ctx, SEED_BINNING, 16), "10 00001000");
	job.u.control_lists.binning_end = 0;
	const struct pica_done done = rig_submit(ctx, &job);
	ck_assert_int_eq(done.result, -EDQUOT);
	ck_assert_str_eq(pica_budget_name(done.flags), "jumps");
	rig_drop(ctx);
	rig_close(&rig);
}

/* ---- Two chips ---- */

static void wrong_chip(struct pica_ctx *vc4, struct pica_ctx *pica200) {
	static struct pica_state state;
	static const uint16_t others[] = { PICA_OP_LIST, PICA_OP_FILL, PICA_OP_TRANSFER,
		PICA_OP_COPY };
	for (unsigned i = 0; i < ARRAY_LEN(others); i++) {
		const struct pica_job job = { .op = others[i] };
		ck_assert_int_eq(rig_submit(vc4, &job).result, -EOPNOTSUPP);
	}
	struct pica_job job = { .op = PICA_OP_REG_WRITE };
	job.u.reg_write.addr = 0x10400000;
	ck_assert_int_eq(rig_submit(vc4, &job).result, -EOPNOTSUPP);
	job = (struct pica_job){ .op = PICA_OP_CONTROL_LISTS };
	ck_assert_int_eq(rig_submit(pica200, &job).result, -EOPNOTSUPP);

	uint32_t word;
	struct pica_screen screen;
	struct pica_picture picture;
	ck_assert_int_eq(pica_ctx_read_regs(vc4, 0, 1, &word), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_write_reg(vc4, 0x40, 0, 15, NULL), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_read_external(vc4, 0x10400000, &word), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_load_state(vc4, &state), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_save_state(vc4, &state), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_screen(vc4, PICA_SCREEN_TOP, &screen), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_read_screen(vc4, PICA_SCREEN_TOP, PICA_EYE_LEFT, rgba, 1200),
			-EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_read_surface(vc4, RIG_TARGET, 0, 8, 8, rgba, 32), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_count(vc4, 1), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_keep_geometry(vc4, 1), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_shade(vc4, &word, NULL, 1, NULL), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_picture(pica200, &picture), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_read_picture(pica200, rgba, 4 * WIDTH), -EOPNOTSUPP);

	struct pica_shot *shot;
	ck_assert_int_eq(pica_shot_create(&shot), 0);
	job = (struct pica_job){ .op = PICA_OP_PRESENT, .u.present.screens = 1 };
	ck_assert_int_eq(pica_submit_present(vc4, &job, NULL, shot, NULL), -EOPNOTSUPP);
	pica_shot_put(shot);
	ck_assert_int_eq(rig_submit(vc4, &job).result, 0);
}

static struct pica_screen take_shot(struct pica_ctx *ctx, struct pica_shot *shot) {
	const struct pica_job job = { .op = PICA_OP_PRESENT };
	struct pica_screen info;
	uint64_t seq;
	ck_assert_int_eq(pica_submit_present(ctx, &job, shot, NULL, &seq), 0);
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	pica_shot_screen(shot, &info);
	return info;
}

TEST_LOOP(a_present_copies_the_picture, ARRAY_LEN(thread_counts)) {
	static uint8_t rgb[WIDTH * HEIGHT * 3];
	struct pica_shot *shot, *other;
	rig_open(&rig, isa_best(), thread_counts[_i]);
	ck_assert_int_eq(pica_shot_create(&shot), 0);
	ck_assert_int_eq(take_shot(rig.ctx, shot).is_set, 0); /* no job had a target */
	struct pica_job job = put_seed(rig.ctx, false);
	ck_assert_int_eq(pica_submit(rig.ctx, &job, 1, NULL), 0);
	const struct pica_screen info = take_shot(rig.ctx, shot); /* which waits for the job */
	expect_seed(rig.ctx);
	ck_assert_int_eq(info.is_set, 1);
	ck_assert_uint_eq(info.width, WIDTH);
	ck_assert_uint_eq(info.height, HEIGHT);
	memset(pica_ctx_host(rig.ctx, SEED_TARGET, PICTURE_BYTES), 0, PICTURE_BYTES);
	ck_assert_int_eq(pica_shot_read(shot, PICA_EYE_LEFT, rgb, 3 * WIDTH), 0);
	for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
		ck_assert_mem_eq(rgb + 3 * i, rgba + 4 * i, 3);
	}
	/* A target outside memory, or too large for a display. */
	ck_assert_int_eq(pica_shot_create(&other), 0);
	vc4_from(rig.ctx)->unit.target.address = RIG_BASE + RIG_SIZE - 64;
	ck_assert_int_eq(take_shot(rig.ctx, other).is_set, 0);
	vc4_from(rig.ctx)->unit.target.address = RIG_BASE;
	vc4_from(rig.ctx)->unit.target.width = 4097;
	vc4_from(rig.ctx)->unit.target.height = 1;
	ck_assert_int_eq(take_shot(rig.ctx, other).is_set, 0);
	vc4_from(rig.ctx)->unit.target.width = 4096;
	ck_assert_int_eq(take_shot(rig.ctx, other).is_set, 1);
	vc4_from(rig.ctx)->unit.target.width = 0;
	ck_assert_uint_eq(take_shot(rig.ctx, other).width, 4096);
	ck_assert_uint_eq(rig_stats(rig.ctx).faults[PICA_FAULT_BAD_TARGET], 3);
	pica_shot_put(other);
	pica_shot_put(shot);
	rig_close(&rig);
}

/* A PICA200 that fills memory again and again. */
static struct pica_ctx *pica200_at_work(struct pica_device *device, uint64_t *seq) {
	struct pica_ctx *ctx;
	ck_assert_int_eq(pica_ctx_create(&ctx, device, NULL), 0);
	struct pica_job job = { .op = PICA_OP_FILL };
	job.u.fill.start = 0x18000000;
	job.u.fill.end = 0x18100000;
	job.u.fill.value = 0x12345678;
	job.u.fill.control = 2 << 8;
	for (unsigned i = 0; i < 20; i++) {
		ck_assert_int_eq(pica_submit(ctx, &job, 1, seq), 0);
	}
	return ctx;
}

TEST_LOOP(two_chips_in_one_device, ARRAY_LEN(thread_counts)) {
	rig_open(&rig, isa_best(), thread_counts[_i]);
	uint64_t filled, drawn;
	struct pica_ctx *other = pica200_at_work(rig.device, &filled);
	const struct pica_job job = put_seed(rig.ctx, _i & 1);
	struct pica_done done[8];
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_int_eq(pica_submit(rig.ctx, &job, 1, &drawn), 0);
	}
	ck_assert_int_eq(pica_wait(rig.ctx, drawn, -1), 0);
	ck_assert_int_eq(pica_reap(rig.ctx, done, 8), 8);
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_int_eq(done[i].result, 0);
	}
	expect_seed(rig.ctx);
	ck_assert_int_eq(pica_wait(other, filled, -1), 0);
	uint32_t word;
	ck_assert_int_eq(pica_ctx_read_memory(other, 0x180FFFFC, &word, 4), 0);
	ck_assert_uint_eq(word, 0x12345678);
	struct pica_done many[32];
	ck_assert_int_eq(pica_reap(other, many, 32), 20);
	wrong_chip(rig.ctx, other);
	pica_ctx_destroy(other);
	rig_close(&rig);
}

/* ---- Memory, and the end ---- */

TEST(a_context_has_no_windows_and_little_memory) {
	struct pica_ctx *ctx;
	struct pica_ctx_settings s;
	rig_open(&rig, isa_best(), 0);
	pica_ctx_settings_init(&s);
	s.chip = PICA_CHIP_VC4;
	ck_assert_int_eq(pica_ctx_create(&ctx, rig.device, &s), 0);
	ck_assert_uint_eq(pica_ctx_windows(ctx, NULL, 0), 0);
	/* No registers and tables of a PICA200. */
	struct pica_usage usage = { .size = sizeof(usage) }, other = usage;
	ck_assert_int_eq(pica_usage(ctx, &usage), 0);
	pica_ctx_destroy(ctx);
	s.chip = PICA_CHIP_PICA200;
	s.fcram_bytes = s.vram_bytes = 0;
	ck_assert_int_eq(pica_ctx_create(&ctx, rig.device, &s), 0);
	ck_assert_int_eq(pica_usage(ctx, &other), 0);
	pica_ctx_destroy(ctx);
	ck_assert_uint_lt(usage.memory_bytes, 128 << 10);
	ck_assert_uint_lt(2 * usage.memory_bytes, other.memory_bytes);
	s.chip = (enum pica_chip)2;
	ck_assert_int_eq(pica_ctx_create(&ctx, rig.device, &s), -EINVAL);
	ck_assert_str_eq(pica_chip_name(PICA_CHIP_VC4), "vc4");
	ck_assert_str_eq(pica_chip_name(s.chip), "?");
	rig_close(&rig);
}

TEST(memory_jobs_work) {
	static const uint8_t bytes[] = { 1, 2, 3, 4 };
	uint8_t got[4];
	struct pica_stats stats = { 0 };
	rig_open(&rig, isa_best(), 2);
	struct pica_job job = { .op = PICA_OP_WRITE };
	job.u.write.addr = RIG_TARGET;
	job.u.write.size_bytes = 4;
	job.u.write.data = (uint64_t)(uintptr_t)bytes;
	ck_assert_int_eq(rig_submit(rig.ctx, &job).result, 0);
	ck_assert_int_eq(pica_ctx_read_memory(rig.ctx, RIG_TARGET, got, 4), 0);
	ck_assert_mem_eq(got, bytes, 4);
	job = (struct pica_job){ .op = PICA_OP_INVALIDATE,
		.u.invalidate = { .addr = RIG_TARGET, .size_bytes = 4096 } };
	ck_assert_int_eq(rig_submit(rig.ctx, &job).result, 0);
	job = (struct pica_job){ .op = PICA_OP_BARRIER };
	ck_assert_int_eq(rig_submit(rig.ctx, &job).result, 0);
	job = (struct pica_job){ .op = PICA_OP_STATS };
	job.u.stats.data = (uint64_t)(uintptr_t)&stats;
	job.u.stats.size_bytes = sizeof(stats);
	ck_assert_int_eq(rig_submit(rig.ctx, &job).result, 0);
	ck_assert_uint_eq(stats.jobs, 4);
	ck_assert_uint_eq(stats.written_bytes, 4);
	rig_close(&rig);
}

/* The context, then the device, go while jobs are queued and in flight. */
TEST_LOOP(destruction_in_flight, 2 * ARRAY_LEN(thread_counts)) {
	rig_open(&rig, isa_best(), thread_counts[_i / 2]);
	const struct pica_job job = put_seed(rig.ctx, false);
	for (unsigned i = 0; i < 20; i++) {
		ck_assert_int_eq(pica_submit(rig.ctx, &job, 1, NULL), 0);
	}
	if (_i & 1) {
		pica_ctx_abandon(rig.ctx);
	}
	rig_close(&rig);
}

/* A long list yields: the other context's jobs get their turns while it is read. */
TEST(a_long_list_yields) {
	const struct pica_budgets budgets = { .list_jumps = 8 << 20, .list_words = 8 << 20 };
	rig_open(&rig, isa_best(), 1);
	struct pica_ctx *ctx = rig_context(rig.device, &budgets);
	struct pica_job job = put_seed(ctx, false);
	put_hex((uint8_t *)pica_ctx_host(ctx, SEED_BINNING, 16), "10 00001000");
	job.u.control_lists.binning_end = 0;
	uint64_t endless;
	ck_assert_int_eq(pica_submit(ctx, &job, 1, &endless), 0);
	const struct pica_job barrier = { .op = PICA_OP_BARRIER };
	for (unsigned i = 0; i < 10; i++) {
		ck_assert_int_eq(rig_submit(rig.ctx, &barrier).result, 0);
	}
	struct pica_done done;
	ck_assert_int_eq(pica_reap(ctx, &done, 1), 0); /* 4 Mi records: it is still at it */
	pica_ctx_abandon(ctx);
	ck_assert_int_eq(pica_wait(ctx, endless, -1), 0);
	ck_assert_int_eq(pica_reap(ctx, &done, 1), 1);
	ck_assert_int_eq(done.result, -ECANCELED);
	rig_drop(ctx);
	rig_close(&rig);
}

/* ---- Recordings ---- */

static struct pica_expected only_picture(const struct pica_capture *capture, uint32_t frame) {
	uint32_t n;
	const struct pica_expected *e = pica_capture_expected(capture, frame, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(e->screen, PICA_CAPTURE_PICTURE);
	ck_assert_uint_eq(e->width, WIDTH);
	ck_assert_uint_eq(e->height, HEIGHT);
	return *e;
}

/* Three frames, of which the program changes the last one's vertices: recorded, and replayed. */
TEST_LOOP(recordings_replay, 2) {
	char path[] = "/tmp/vc4-ctx-XXXXXX";
	const int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	struct pica_recorder *recorder;
	struct pica_recorder_settings rs;
	struct pica_capture_error error = { 0 };
	rig_open(&rig, isa_best(), _i ? 2 : 0);
	const struct pica_job job = put_seed(rig.ctx, false);
	pica_recorder_settings_init(&rs);
	rs.key_frames = 2;
	ck_assert_int_eq(pica_recorder_start(&recorder, rig.ctx, path, &rs), 0);
	for (unsigned i = 0; i < 3; i++) {
		if (i == 2) {
			*(uint8_t *)rig_at(&rig, 0x100900) ^= 0x40; /* Xs of a vertex */
		}
		ck_assert_int_eq(rig_submit(rig.ctx, &job).result, 0);
	}
	memset(rgba, 0, sizeof(rgba));
	ck_assert_int_eq(pica_ctx_read_picture(rig.ctx, rgba, 4 * WIDTH), 0);
	const uint32_t last = seed_crc32(rgba, PICTURE_BYTES);
	ck_assert_uint_ne(last, SEED_CRC);
	ck_assert_msg(pica_recorder_finish(recorder, &error) == 0, "%s", error.message);

	struct pica_capture *capture;
	struct pica_capture_info info;
	ck_assert_msg(pica_capture_open(&capture, path, &error) == 0, "%s", error.message);
	pica_capture_info(capture, &info);
	ck_assert_int_eq(info.chip, PICA_CHIP_VC4);
	ck_assert_uint_eq(info.frames, 3);
	ck_assert_uint_eq(info.keys, 2);
	ck_assert_uint_eq(info.lists, 3);
	ck_assert_int_eq(pica_capture_verify(capture), 0);
	const struct pica_expected first = only_picture(capture, 0);
	const struct pica_expected third = only_picture(capture, 2);
	ck_assert_mem_eq(first.hash, only_picture(capture, 1).hash, 16);
	ck_assert_mem_ne(first.hash, third.hash, 16);

	/* Frame 2 from its key alone. */
	struct pica_ctx_settings s;
	struct pica_ctx *ctx, *other;
	uint32_t at;
	pica_capture_ctx_settings(capture, &s);
	ck_assert_int_eq(pica_ctx_create(&ctx, rig.device, &s), 0);
	ck_assert_int_eq(pica_capture_seek(capture, 2, &at), 0);
	ck_assert_uint_eq(at, 2);
	ck_assert_int_eq(pica_capture_load(capture, ctx), 0);
	struct pica_capture_event event;
	unsigned n_lists = 0;
	while (pica_capture_next(capture, &event) > 0) {
		ck_assert_int_eq(rig_submit(ctx, &event.job).result, 0);
		n_lists += event.job.op == PICA_OP_CONTROL_LISTS;
	}
	ck_assert_uint_eq(n_lists, 1);
	ck_assert_int_eq(pica_ctx_read_picture(ctx, rgba, 4 * WIDTH), 0);
	ck_assert_uint_eq(seed_crc32(rgba, PICTURE_BYTES), last);
	pica_ctx_destroy(ctx);

	/* A context of the other chip does not take it. */
	ck_assert_int_eq(pica_ctx_create(&other, rig.device, NULL), 0);
	ck_assert_int_eq(pica_capture_load(capture, other), -EOPNOTSUPP);
	pica_ctx_destroy(other);
	pica_capture_close(capture);
	unlink(path);
	rig_close(&rig);
}
