/* Reads of memory that was never written. */
#include "core/base/attributes.h"
#include "engine_rig.h"
#include "pica_inspect.h"
#include "pica_regs.h"
#include "tests/suite.h"

enum { TEXTURE = FCRAM + 0x200000, SECOND_LIST = FCRAM + 0x300000 };

static void find_unwritten(void) {
	ck_assert_int_eq(pica_ctx_find_unwritten(ctx, 1), 0);
}

static void open_looking(unsigned threads) {
	open_engine(threads, NULL);
	find_unwritten();
}

static void expect(enum pica_read reader, uint64_t pages, uint32_t first) {
	struct pica_unwritten u;
	ck_assert_int_eq(pica_ctx_unwritten(ctx, reader, &u), 0);
	ck_assert_msg(u.pages == pages && u.first == first, "reader %u: %u pages, first 0x%08X",
			(unsigned)reader, (unsigned)u.pages, u.first);
}

/* All but one of the readers have found nothing. */
static void expect_only(enum pica_read reader, uint64_t pages, uint32_t first) {
	for (unsigned i = 0; i < PICA_READ_COUNT; i++) {
		expect((enum pica_read)i, i == reader ? pages : 0, i == reader ? first : 0);
	}
}

static void expect_nothing(void) {
	expect_only(PICA_READ_COUNT, 0, 0);
}

static void write_zeros(uint32_t addr, uint32_t size_bytes) {
	static const uint8_t zeros[0x10000];
	struct pica_job job = { .op = PICA_OP_WRITE,
		.u.write = { .addr = addr, .size_bytes = size_bytes,
			.data = (uint64_t)(uintptr_t)zeros } };
	ck_assert_uint_le(size_bytes, sizeof(zeros));
	ck_assert_int_eq(finish(submit(&job)).result, 0);
}

static void draw(struct pica_emit *e) {
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(e).result, 0);
}

static void write_reg(uint32_t addr, uint32_t value) {
	struct pica_job job = { .op = PICA_OP_REG_WRITE,
		.u.reg_write = { .addr = addr, .value = value } };
	ck_assert_int_eq(finish(submit(&job)).result, 0);
}

ENGINE_TEST(written_memory_is_not_found) {
	struct pica_unwritten u;
	ck_assert_int_eq(pica_ctx_unwritten(ctx, PICA_READ_LIST, &u), -EINVAL);
	ck_assert_int_eq(pica_ctx_find_unwritten(ctx, 1), 0);
	ck_assert_int_eq(pica_ctx_unwritten(ctx, PICA_READ_COUNT, &u), -EINVAL);
	put_triangle(red);
	emit_state(&e, COLOR);
	draw(&e);
	expect_nothing();
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
	ck_assert_int_eq(pica_ctx_find_unwritten(ctx, 0), 0);
	ck_assert_int_eq(pica_ctx_unwritten(ctx, PICA_READ_LIST, &u), -EINVAL);
}

ENGINE_TEST(vertices_and_indices) {
	find_unwritten();
	emit_state(&e, COLOR);
	draw(&e);
	expect_only(PICA_READ_VERTICES, 1, VERTICES);
	emit_state(&e, COLOR);
	draw(&e); /* once is enough */
	expect_only(PICA_READ_VERTICES, 1, VERTICES);

	ck_assert_int_eq(pica_ctx_find_unwritten(ctx, 1), 0);
	put_triangle(red);
	emit_state(&e, COLOR);
	pica_emit_draw_elements(&e, PICA_PRIMITIVE_LIST, 0x2000, false, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	expect_only(PICA_READ_VERTICES, 1, VERTICES + 0x2000);
}

TEST_LOOP(lists_that_a_jump_enters, N_THREAD_COUNTS) {
	struct pica_emit e;
	uint32_t words[8] = { 0, 0x000F0010, 0, 0x000F0010 };
	for (int is_loaded = 0; is_loaded < 2; is_loaded++) {
		open_looking(thread_counts[_i]);
		words[0] = words[2] = 0x12345678;
		ck_assert_int_eq(pica_ctx_write_memory(ctx, SECOND_LIST + 0x800 * !is_loaded, words,
				sizeof(words)), 0);
		pica_emit_init(&e);
		ck_assert_int_eq(pica_emit_jump(&e, 0, SECOND_LIST, sizeof(words)), 0);
		run_words(e.words, e.count);
		pica_emit_finish(&e);
		if (is_loaded) {
			expect_nothing();
		} else { /* what else is in the page says nothing */
			expect_only(PICA_READ_LIST, 1, SECOND_LIST);
		}
		close_engine();
	}
}

static void sample(uint32_t type, unsigned max_level) {
	struct pica_emit e;
	struct pica_tev tev;
	struct pica_texture t = { .addr = TEXTURE, .width = 32, .height = 32,
		.format = PICA_TEXTURE_FORMAT_RGBA8, .type = type, .min = PICA_FILTER_LINEAR,
		.mip = PICA_FILTER_LINEAR, .max_level = max_level };
	for (unsigned i = 0; i < ARRAY_LEN(t.faces); i++) {
		t.faces[i] = TEXTURE + 0x10000 * (i + 1);
	}
	put_triangle(red);
	emit_state(&e, COLOR);
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	pica_emit_tev(&e, 0, &tev);
	pica_emit_texture(&e, 0, &t);
	pica_emit_texture_units(&e, 1, 0, false);
	draw(&e);
}

/* 32x32 RGBA8: 4096 bytes, followed by two smaller levels of 1024 and 256. */
TEST_LOOP(textures_their_levels_and_faces, N_THREAD_COUNTS) {
	open_looking(thread_counts[_i]);
	sample(PICA_TEXTURE_TYPE_2D, 0);
	expect_only(PICA_READ_TEXTURE, 1, TEXTURE);
	close_engine();

	open_looking(thread_counts[_i]);
	write_zeros(TEXTURE, 4096);
	sample(PICA_TEXTURE_TYPE_2D, 0);
	expect_nothing();
	sample(PICA_TEXTURE_TYPE_2D, 2);
	expect_only(PICA_READ_LEVELS, 1, TEXTURE + 4096);
	close_engine();

	open_looking(thread_counts[_i]);
	write_zeros(TEXTURE, 4096 + 1024);
	sample(PICA_TEXTURE_TYPE_2D, 2);
	expect_nothing();
	sample(PICA_TEXTURE_TYPE_CUBE, 0);
	expect_only(PICA_READ_FACES, 5, TEXTURE + 0x10000);
	close_engine();

	open_looking(thread_counts[_i]);
	for (unsigned face = 0; face < 6; face++) {
		write_zeros(TEXTURE + 0x10000 * face, 4096);
	}
	sample(PICA_TEXTURE_TYPE_CUBE, 0);
	expect_nothing();
	close_engine();
}

/* Levels that lie in a page with the first one are found by themselves: 16x16, 1024 bytes. */
ENGINE_TEST(a_small_texture_and_its_levels_share_a_page) {
	struct pica_tev tev;
	const struct pica_texture t = { .addr = TEXTURE, .width = 16, .height = 16,
		.format = PICA_TEXTURE_FORMAT_RGBA8, .max_level = 1 };
	find_unwritten();
	write_zeros(TEXTURE, 1024);
	put_triangle(red);
	emit_state(&e, COLOR);
	pica_tev_init(&tev);
	tev.rgb_source[0] = PICA_TEV_SOURCE_TEXTURE1;
	pica_emit_tev(&e, 0, &tev);
	pica_emit_texture(&e, 1, &t);
	pica_emit_texture_units(&e, 2, 0, false);
	draw(&e);
	expect_only(PICA_READ_LEVELS, 1, TEXTURE + 1024);
}

TEST_LOOP(targets_that_are_read, N_THREAD_COUNTS) {
	const struct pica_blend blend = { .rgb_src = PICA_BLEND_FACTOR_ONE,
		.rgb_dst = PICA_BLEND_FACTOR_ONE, .alpha_src = PICA_BLEND_FACTOR_ONE,
		.alpha_dst = PICA_BLEND_FACTOR_ONE };
	for (int is_filled = 0; is_filled < 2; is_filled++) {
		struct pica_emit e;
		open_looking(thread_counts[_i]);
		if (is_filled) {
			struct pica_job fill = { .op = PICA_OP_FILL,
				.u.fill = { .start = COLOR, .end = COLOR + 4 * PIXELS,
					.control = 0x201 } };
			ck_assert_int_eq(finish(submit(&fill)).result, 0);
		}
		put_triangle(red);
		emit_state(&e, COLOR);
		pica_emit_blend(&e, &blend);
		draw(&e);
		emit_state(&e, COLOR); /* the target is known */
		pica_emit_blend(&e, &blend);
		draw(&e);
		if (is_filled) {
			expect_nothing();
		} else {
			expect_only(PICA_READ_TARGET, 4 * PIXELS / 4096, COLOR);
		}
		close_engine();
	}
}

TEST_LOOP(sources_of_copies_and_transfers, N_THREAD_COUNTS) {
	struct pica_job copy = { .op = PICA_OP_COPY }, transfer = { .op = PICA_OP_TRANSFER };
	copy.u.copy.src = VRAM + 0x10000;
	copy.u.copy.dst = VRAM + 0x20000;
	copy.u.copy.size_bytes = 0x2000;
	transfer.u.transfer.src = VRAM + 0x20000;
	transfer.u.transfer.dst = VRAM + 0x30000;
	transfer.u.transfer.out_dim = transfer.u.transfer.in_dim = 32 | 64 << 16;
	open_looking(thread_counts[_i]);
	finish(submit(&copy));
	expect_only(PICA_READ_SOURCE, 2, VRAM + 0x10000);
	finish(submit(&transfer)); /* 32x64 of 4 bytes: what the copy wrote */
	expect_only(PICA_READ_SOURCE, 2, VRAM + 0x10000);
	transfer.u.transfer.src = VRAM + 0x40000;
	finish(submit(&transfer));
	expect_only(PICA_READ_SOURCE, 4, VRAM + 0x10000);
	close_engine();

	open_looking(thread_counts[_i]);
	write_zeros(VRAM + 0x10000, 0x2000);
	struct pica_job announced = { .op = PICA_OP_INVALIDATE,
		.u.invalidate = { .addr = VRAM + 0x40000, .size_bytes = 0x2000 } };
	finish(submit(&announced));
	finish(submit(&copy));
	finish(submit(&transfer));
	expect_nothing();
	close_engine();
}

ENGINE_TEST(screens) {
	enum { LEFT0 = 0x10400468, FORMAT = 0x10400470, STRIDE = 0x10400490, BOTTOM = 0x100 };
	struct pica_job present = { .op = PICA_OP_PRESENT };
	find_unwritten();
	present.u.present.screens = 3;
	finish(submit(&present));
	expect_nothing(); /* no screen was set */
	write_reg(LEFT0 + BOTTOM, VRAM + 0x100000);
	write_reg(FORMAT + BOTTOM, 2); /* RGB565: 320 lines of 480 bytes, 37.5 pages */
	write_reg(STRIDE + BOTTOM, 480);
	present.u.present.screens = 1;
	finish(submit(&present));
	expect_nothing();
	present.u.present.screens = 3;
	finish(submit(&present));
	expect_only(PICA_READ_SCREEN, 38, VRAM + 0x100000);
	write_reg(LEFT0 + BOTTOM, VRAM + 0x200000);
	for (uint32_t at = 0; at < 0x26000; at += 0x2000) {
		write_zeros(VRAM + 0x200000 + at, 0x2000);
	}
	finish(submit(&present));
	expect_only(PICA_READ_SCREEN, 38, VRAM + 0x100000);
}

/* Ranges outside of all windows are not memory. */
ENGINE_TEST(outside_of_memory_nothing_is_found) {
	struct pica_job copy = { .op = PICA_OP_COPY,
		.u.copy = { .src = 0x08000000, .dst = VRAM, .size_bytes = 0x2000 } };
	find_unwritten();
	finish(submit(&copy));
	expect_nothing();
	copy.u.copy.src = VRAM + 0x600000 - 0x1000; /* the last page and the memory after it */
	finish(submit(&copy));
	expect_only(PICA_READ_SOURCE, 1, VRAM + 0x600000 - 0x1000);
}
