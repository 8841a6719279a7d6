/* The engine through its public API: lists, registers, interrupts, errors, embedding. */
#include <stdio.h>

#include "core/base/morton.h"
#include "engine_rig.h"
#include "tests/suite.h"

ENGINE_TEST(triangle_covers_the_28_pixels_of_the_spec) {
	emit_state(&e, COLOR);
	put_triangle(red);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	struct pica_done done = run_list(&e);
	ck_assert_int_eq(done.result, 0);
	ck_assert_uint_eq(done.flags, 0);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
	ck_assert_uint_eq(count_color(COLOR, 0), PIXELS - 28);
	ck_assert_uint_eq(n_interrupts, 1);
	ck_assert_uint_eq(interrupts[0], PICA_INTERRUPT_P3D);
}

ENGINE_TEST(scissor_keeps_one_pixel) {
	const uint32_t at = COLOR + 4 * (64 + morton8(2, 5)); /* column 10, row 5 */
	uint32_t pixel;
	put_vertex(0, 0, 0, red);
	put_vertex(1, SIDE, 0, red);
	put_vertex(2, 0, SIDE, red);
	emit_state(&e, COLOR);
	pica_emit_scissor(&e, PICA_SCISSOR_INSIDE, 10, 5, 10, 5);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 1);
	ck_assert_int_eq(pica_ctx_read_memory(ctx, at, &pixel, 4), 0);
	ck_assert_uint_eq(pixel, (uint32_t)RED);
	emit_state(&e, OTHER);
	pica_emit_scissor(&e, PICA_SCISSOR_OUTSIDE, 10, 5, 10, 5);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(OTHER, (uint32_t)RED), SIDE * (SIDE - 1) / 2 - 1);
	ck_assert_int_eq(pica_ctx_read_memory(ctx, at + (OTHER - COLOR), &pixel, 4), 0);
	ck_assert_uint_eq(pixel, 0);
}

TEST(malformed_settings_are_refused) {
	static const struct {
		int ret;
		uint32_t size, n_threads;
		const char *isa;
		unsigned float_mode, combiner;
		uint64_t reserved;
	} cases[] = {
		{ 0, sizeof(struct pica_settings), 0, "c", PICA_FLOAT_F32, PICA_COMBINER_TRUNCATE,
				0 },
		{ -EINVAL, sizeof(struct pica_settings) - 8, 0, NULL, 0, 0, 0 },
		{ -EINVAL, sizeof(struct pica_settings), 65, NULL, 0, 0, 0 },
		{ -EINVAL, sizeof(struct pica_settings), 0, "mmx", 0, 0, 0 },
		{ -EINVAL, sizeof(struct pica_settings), 0, NULL, 2, 0, 0 },
		{ -EINVAL, sizeof(struct pica_settings), 0, NULL, 0, 2, 0 },
		{ -EINVAL, sizeof(struct pica_settings), 0, NULL, 0, ~0u, 0 },
		{ -EINVAL, sizeof(struct pica_settings), 0, NULL, 0, 0, 1 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pica_settings s;
		struct pica_device *d = NULL;
		pica_settings_init(&s);
		ck_assert_uint_eq(s.float_mode, PICA_FLOAT_F24);
		ck_assert_uint_eq(s.combiner, PICA_COMBINER_NEAREST);
		s.size = cases[i].size;
		s.n_threads = cases[i].n_threads;
		s.isa = cases[i].isa;
		s.float_mode = (enum pica_float)cases[i].float_mode;
		s.combiner = (enum pica_combiner)cases[i].combiner;
		s.reserved[3] = cases[i].reserved;
		ck_assert_msg(pica_device_create(&d, &s) == cases[i].ret, "case %zu", i);
		ck_assert((d != NULL) == (cases[i].ret == 0));
		pica_device_destroy(d);
	}
}

static void keep_line(void *user, enum pica_log_level level, const char *line) {
	snprintf(user, 128, "%s", line);
}

TEST(the_environment_names_the_kernels_where_the_settings_do_not) {
	static const struct {
		const char *env, *isa, *used;
		int ret;
	} cases[] = {
		{ "c", NULL, "c", 0 },
		{ "emul", NULL, "emul", 0 },
		{ "mmx", "c", "c", 0 },
		{ "mmx", NULL, NULL, -EINVAL },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[128] = "";
		struct pica_settings s;
		struct pica_device *d = NULL;
		pica_settings_init(&s);
		s.isa = cases[i].isa;
		s.log = keep_line;
		s.log_user = line;
		setenv("PICA_ISA", cases[i].env, 1);
		ck_assert_int_eq(pica_device_create(&d, &s), cases[i].ret);
		if (cases[i].ret == 0) {
			ck_assert_str_eq(pica_device_isa(d), cases[i].used);
			pica_device_destroy(d);
		}
		ck_assert_int_eq(strstr(line, "PICA_ISA=mmx: expected one of c, ") != NULL,
				cases[i].ret != 0);
	}
	unsetenv("PICA_ISA");
}

TEST(malformed_settings_of_contexts_are_refused) {
	static const struct {
		int ret;
		uint32_t flags;
		unsigned float_mode, combiner;
		uint64_t reserved;
	} cases[] = {
		{ 0, 0, 0, 0, 0 },
		{ 0, PICA_CTX_ARITHMETIC, PICA_FLOAT_F32, PICA_COMBINER_TRUNCATE, 0 },
		{ -EINVAL, PICA_CTX_ARITHMETIC, 2, 0, 0 },
		{ -EINVAL, PICA_CTX_ARITHMETIC, 0, 2, 0 },
		{ -EINVAL, 0, PICA_FLOAT_F32, 0, 0 },
		{ -EINVAL, 0, 0, PICA_COMBINER_TRUNCATE, 0 },
		{ 0, PICA_CTX_AT_ONCE, 0, 0, 0 },
		{ -EINVAL, 4, 0, 0, 0 },
		{ -EINVAL, 0, 0, 0, 1 },
	};
	struct pica_device *d;
	ck_assert_int_eq(pica_device_create(&d, NULL), -EINVAL);
	struct pica_settings s;
	pica_settings_init(&s);
	ck_assert_int_eq(pica_device_create(&d, &s), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pica_ctx_settings c;
		struct pica_ctx *made = NULL;
		pica_ctx_settings_init(&c);
		c.flags = cases[i].flags;
		c.float_mode = (enum pica_float)cases[i].float_mode;
		c.combiner = (enum pica_combiner)cases[i].combiner;
		c.reserved[1] = cases[i].reserved;
		ck_assert_msg(pica_ctx_create(&made, d, &c) == cases[i].ret, "case %zu", i);
		ck_assert((made != NULL) == (cases[i].ret == 0));
		pica_ctx_destroy(made);
	}
	pica_device_destroy(d);
}

TEST(workers_of_a_role_leave_some_for_the_other) {
	static const struct { uint32_t n, n_vertex; int ret; } cases[] = { { 2, 1, 0 }, { 3, 2, 0 },
		{ 2, 2, -EINVAL }, { 1, 1, -EINVAL }, { 0, 1, -EINVAL }, { 64, 63, 0 } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pica_settings s;
		struct pica_device *d = NULL;
		pica_settings_init(&s);
		s.n_threads = cases[i].n;
		s.n_vertex_threads = cases[i].n_vertex;
		ck_assert_int_eq(pica_device_create(&d, &s), cases[i].ret);
		pica_device_destroy(d);
	}
}

/* ---- Long tasks let others in ---- */

/* A big target that leaves memory is drawn pixel by pixel, in one task. */
static struct pica_job draw_pixel_by_pixel(void) {
	struct pica_job list = { .op = PICA_OP_LIST };
	struct pica_emit e;
	put_vertex(0, 0, 0, red);
	put_vertex(1, 128, 0, red);
	put_vertex(2, 0, 128, red);
	emit_state(&e, COLOR);
	const struct pica_framebuffer fb = { .color_addr = VRAM + 0x600000 - 0x1000,
		.color_format = PICA_COLOR_FORMAT_RGBA8, .depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = 512, .height = 512, .bottom_row_first = true };
	pica_emit_framebuffer(&e, &fb);
	pica_emit_viewport(&e, 0, 0, 512, 512);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(pica_emit_finalize(&e), 0);
	ck_assert_int_eq(pica_ctx_write_memory(ctx, LIST, e.words, (uint32_t)(4 * e.count)), 0);
	list.u.list.addr = LIST;
	list.u.list.size_bytes = (uint32_t)(4 * e.count);
	pica_emit_finish(&e);
	return list;
}

/* 1024 x 1024 pixels, one by one. */
static struct pica_job transfer_slowly(uint32_t from) {
	const uint32_t dim = 1024 << 16 | 1024;
	return (struct pica_job){ .op = PICA_OP_TRANSFER,
		.u.transfer = { .src = from, .dst = FCRAM + 16, .in_dim = dim, .out_dim = dim } };
}

static struct pica_job long_job(int which) {
	switch (which) {
	case 0:
		return draw_pixel_by_pixel();
	case 1: /* its ranges overlap: in steps of 16 bytes, in one task */
		return (struct pica_job){ .op = PICA_OP_COPY,
			.u.copy = { .src = FCRAM, .dst = FCRAM + 16, .size_bytes = 32 << 20 } };
	case 2:
		return transfer_slowly(FCRAM);
	default: /* from no memory */
		return transfer_slowly(0x1000);
	}
}

TEST_LOOP(long_task_lets_others_in, 4) {
	struct pica_settings s;
	struct pica_ctx *second;
	uint64_t seq;
	pica_settings_init(&s);
	s.n_threads = 1;
	s.slice_us = 1;
	ck_assert_int_eq(pica_device_create(&device, &s), 0);
	ck_assert_int_eq(pica_ctx_create(&ctx, device, NULL), 0);
	ck_assert_int_eq(pica_ctx_create(&second, device, NULL), 0);
	const struct pica_job job = long_job(_i);
	struct pica_job fill = { .op = PICA_OP_FILL };
	fill.u.fill.start = OTHER;
	fill.u.fill.end = OTHER + (1 << 20) + 4096; /* more than is done without a task */
	fill.u.fill.value = RED;
	fill.u.fill.control = 2 << 8;
	ck_assert_int_eq(pica_submit(ctx, &job, 1, &seq), 0);
	uint64_t fills = 0, other;
	do {
		ck_assert_int_eq(pica_submit(second, &fill, 1, &other), 0);
		ck_assert_int_eq(pica_wait(second, other, -1), 0);
		fills++;
	} while (pica_wait(ctx, seq, 0) == -ETIME);
	struct pica_done done;
	ck_assert_int_eq(pica_reap(ctx, &done, 1), 1);
	ck_assert_int_eq(done.result, 0);
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_gt(fills, 1);
	ck_assert_uint_gt(stats.yields, 0);
	ck_assert_uint_eq(stats.fragments, _i == 0 ? 512 * 512 : 0);
	pica_ctx_destroy(second);
	close_engine();
}

SYNC_ENGINE_TEST(malformed_job_is_refused_and_nothing_is_queued) {
	struct pica_job job = { .op = 999 };
	uint64_t seq = 42;
	ck_assert_int_eq(pica_submit(ctx, &job, 1, &seq), -EINVAL);
	ck_assert_uint_eq(seq, 42);
	struct pica_job pair[2] = { { .op = PICA_OP_BARRIER }, { .op = PICA_OP_LIST } };
	pair[1].u.list.addr = 3; /* misaligned */
	ck_assert_int_eq(pica_submit(ctx, pair, 2, &seq), -EINVAL);
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_eq(stats.jobs, 0);
}

SYNC_ENGINE_TEST(ends_of_lists_are_flagged) {
	const uint32_t plain[4] = { 0, 0x000F0040, 0, 0x000F0040 };
	ck_assert_uint_eq(run_words(plain, 4).flags, PICA_DONE_NO_FINALIZE);
	/* 15 parameters that are not there */
	const uint32_t cut[4] = { 0, 0x000F0040, 0, 0x00FF0040 };
	ck_assert_uint_eq(run_words(cut, 4).flags & PICA_DONE_TRUNCATED, PICA_DONE_TRUNCATED);
	const uint32_t good[4] = { 0x12345678, 0x000F0010, 0, 0xFFFF0000 };
	ck_assert_uint_eq(run_words(good, 4).flags, 0);
	const uint32_t byte_match[4] = { 0x00005600, 0x000F0010, 0, 0xFFFF0000 };
	n_interrupts = 0;
	ck_assert_uint_eq(run_words(byte_match, 4).flags, 0);
	ck_assert_uint_eq(n_interrupts, 1);
	const uint32_t no_match[4] = { 0x87654321, 0x000F0010, 0, 0x000F0040 };
	n_interrupts = 0;
	ck_assert_uint_eq(run_words(no_match, 4).flags, PICA_DONE_NO_FINALIZE);
	ck_assert_uint_eq(n_interrupts, 0);
	struct pica_job job = { .op = PICA_OP_LIST,
		.u.list = { .addr = 0x10000000, .size_bytes = 64 } };
	ck_assert_int_eq(finish(submit(&job)).result, -ERANGE);
}

/* [fidelity: list-numbers] */
SYNC_ENGINE_TEST(headers_masks_and_padding) {
	uint32_t regs[0x300];
	const uint32_t burst[] = { 0x0AAAAAA8, 0x802F011C, 0x0BBBBBB8, 0x00CCCCCC, 0x12345678,
		0x000F0010, 0, 0 };
	run_words(burst, 8);
	pica_ctx_read_regs(ctx, 0, 0x300, regs);
	ck_assert_uint_eq(regs[0x11C], 0x0AAAAAA8);
	ck_assert_uint_eq(regs[0x11D], 0x0BBBBBB8);
	ck_assert_uint_eq(regs[0x11E], 0x00CCCCCC);
	const uint32_t same[] = { 1, 0x002F011C, 2, 3, 0x12345678, 0x000F0010, 0, 0 };
	run_words(same, 8);
	pica_ctx_read_regs(ctx, 0, 0x300, regs);
	ck_assert_uint_eq(regs[0x11C], 3);
	const uint32_t mask[] = { 0x00001F71, 0x000F0107, 0x0000FF00, 0x00010107, 0x00010005,
		0x000F00E0, 0x0000FF00, 0x000200E0, 0x12345678, 0x000F0010, 0, 0 };
	run_words(mask, 12);
	pica_ctx_read_regs(ctx, 0, 0x300, regs);
	ck_assert_uint_eq(regs[0x107], 0x00001F00);
	ck_assert_uint_eq(regs[0x0E0], 0x0001FF05);
	const uint32_t padded[] = { 1, 0x801F0041, 2, 0, 0x12345678, 0x000F0010, 0, 0 };
	ck_assert_uint_eq(run_words(padded, 8).flags, 0);
	pica_ctx_read_regs(ctx, 0, 0x300, regs);
	ck_assert_uint_eq(regs[0x041], 1);
	ck_assert_uint_eq(regs[0x042], 2);
}

TEST_LOOP(device_lives_until_its_last_context_is_destroyed, N_THREAD_COUNTS) {
	struct pica_emit e;
	struct pica_ctx *first;
	open_engine(thread_counts[_i], NULL);
	ck_assert_int_eq(pica_ctx_create(&first, device, NULL), 0);
	pica_device_destroy(device);
	pica_ctx_destroy(first);
	emit_state(&e, COLOR);
	put_triangle(red);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
	pica_ctx_destroy(ctx);
}

ENGINE_TEST(single_register_writes_draw_the_same) {
	emit_state(&e, COLOR);
	put_triangle(red);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(pica_emit_finalize(&e), 0);
	uint64_t seq = 0;
	for (size_t i = 0; i + 1 < e.count;) {
		uint32_t value = e.words[i], header = e.words[i + 1];
		uint32_t id = header & 0xFFFF, mask = header >> 16 & 15, n = header >> 20 & 0xFF;
		i += 2;
		for (uint32_t k = 0;; k++) {
			if (mask && id < 0x300) {
				ck_assert_int_eq(pica_ctx_write_reg(ctx, id, value, mask, &seq), 0);
			}
			if (k == n) {
				break;
			}
			id += header >> 31;
			value = e.words[i++];
		}
		i = (i + 1) & ~(size_t)1;
	}
	pica_emit_finish(&e);
	ck_assert_int_eq(finish(seq).result, 0);
	/* The padding of the list holds a second FINALIZE, which matches again. */
	ck_assert_uint_ge(n_interrupts, 1);
	ck_assert_uint_eq(interrupts[0], PICA_INTERRUPT_P3D);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
}

ENGINE_TEST(interrupts_come_in_stream_order_after_the_work) {
	struct pica_job jobs[3] = { { .op = PICA_OP_FILL }, { .op = PICA_OP_FILL },
		{ .op = PICA_OP_TRANSFER } };
	jobs[0].u.fill.start = COLOR;
	jobs[0].u.fill.end = COLOR + 4 * PIXELS;
	jobs[0].u.fill.value = 0x11223344;
	jobs[0].u.fill.control = 0x200;
	jobs[1] = jobs[0];
	jobs[1].u.fill.start = OTHER;
	jobs[1].u.fill.end = OTHER + 4 * PIXELS;
	jobs[1].u.fill.unit = 1;
	jobs[2].u.transfer.src = COLOR;
	jobs[2].u.transfer.dst = OTHER;
	jobs[2].u.transfer.out_dim = jobs[2].u.transfer.in_dim = SIDE << 16 | SIDE;
	uint64_t seq;
	ck_assert_int_eq(pica_submit(ctx, jobs, 3, &seq), 0);
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	ck_assert_uint_eq(n_interrupts, 3);
	ck_assert_uint_eq(interrupts[0], PICA_INTERRUPT_PSC0);
	ck_assert_uint_eq(interrupts[1], PICA_INTERRUPT_PSC1);
	ck_assert_uint_eq(interrupts[2], PICA_INTERRUPT_PPF);
	ck_assert_uint_eq(count_color(OTHER, 0x11223344), PIXELS);
	/* A frame of one screen, of both, of none. */
	for (uint32_t screens = 0; screens < 4; screens++) {
		struct pica_job present = { .op = PICA_OP_PRESENT };
		present.u.present.screens = screens;
		n_interrupts = 0;
		ck_assert_int_eq(finish(submit(&present)).result, 0);
		uint32_t seen = 0;
		for (uint32_t i = 0; i < n_interrupts; i++) {
			seen |= 1u << interrupts[i];
		}
		const unsigned top = screens & 1 ? 1u << PICA_INTERRUPT_PDC0 : 0;
		const unsigned bottom = screens & 2 ? 1u << PICA_INTERRUPT_PDC1 : 0;
		ck_assert_uint_eq(seen, top | bottom);
	}
}

SYNC_ENGINE_TEST(windows_are_checked) {
	static _Alignas(4096) uint8_t host[2 * 4096];
	ck_assert_int_eq(pica_ctx_map(ctx, VRAM + 4096, 4096, host, 0), -EEXIST);
	ck_assert_int_eq(pica_ctx_map(ctx, 0x30000000, 4096, host, 0), 0);
	ck_assert_int_eq(pica_ctx_map(ctx, 0x31000000, 4096, host, 0), -EEXIST);
	ck_assert_int_eq(pica_ctx_map(ctx, 0x31000001, 4096, host + 4096, 0), -EINVAL);
	ck_assert_ptr_eq(pica_ctx_host(ctx, 0x30000000, 4096), host);
	ck_assert_ptr_null(pica_ctx_host(ctx, 0x30000000, 4097));
	ck_assert_int_eq(pica_ctx_unmap(ctx, 0x30000000), 0);
	ck_assert_int_eq(pica_ctx_unmap(ctx, 0x30000000), -ENOENT);
}

ENGINE_TEST(attribute_without_a_source_is_0_0_0_1_until_written) {
	/* Of two attributes the array holds the position alone. */
	const struct pica_attributes a = { .base = VERTICES,
		.n = 2,
		.format = { { PICA_ATTRIB_TYPE_F32, 4 }, { PICA_ATTRIB_TYPE_F32, 4 } },
		.n_loaders = 1,
		.loader = { { .offset = 0, .stride = 32, .n = 2, .component = { 0, 15 } } } };
	static struct pica_state state;
	for (unsigned round = 0; round < 3; round++) {
		emit_state(&e, COLOR);
		pica_emit_attributes(&e, &a);
		put_triangle(red);
		if (round == 2) {
			pica_emit_fixed_attribute(&e, 1, 0, 1, 0, 1);
		}
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
		ck_assert_int_eq(run_list(&e).result, 0);
		ck_assert_uint_eq(count_color(COLOR, round == 2 ? GREEN : 0x000000FF), 28);
		/* Saved and loaded it is the same. */
		ck_assert_int_eq(pica_ctx_save_state(ctx, &state), 0);
		ck_assert_int_eq(pica_ctx_load_state(ctx, &state), 0);
	}
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_eq(stats.faults[PICA_FAULT_UNLOADED_ATTRIBUTE], 3);
}

static uint32_t reg(uint32_t id) {
	uint32_t word;
	ck_assert_int_eq(pica_ctx_read_regs(ctx, id, 1, &word), 0);
	return word;
}

ENGINE_TEST(status_words_tell_which_requests_match) {
	/* REQ is 0, CMP is 12345678 and then 0. [fidelity: reset-state] */
	ck_assert_uint_eq(reg(0x032), 0xFFFFFFF0);
	ck_assert_uint_eq(reg(0x033), 0xFFFFFFFF);
	pica_emit_init(&e);
	pica_emit_reg(&e, 0x01F, 0x00000100); /* byte 61 */
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(reg(0x032), 0xFFFFFFFF);
	ck_assert_uint_eq(reg(0x033), 0xDFFFFFFF);
	/* The CPU takes the request back: byte 1 of word 0. */
	ck_assert_uint_eq(reg(0x000), 0x12345678);
	uint64_t seq;
	ck_assert_int_eq(pica_ctx_write_reg(ctx, 0x000, 0, 2, &seq), 0);
	ck_assert_int_eq(finish(seq).result, 0);
	ck_assert_uint_eq(reg(0x010), 0x12340078);
	ck_assert_uint_eq(reg(0x032), 0xFFFFFFFD);
	uint32_t word;
	ck_assert_int_eq(pica_ctx_read_external(ctx, 0x10401000 + 4 * 0x032, &word), 0);
	ck_assert_uint_eq(word, 0xFFFFFFFD);
}

ENGINE_TEST(counters_count_vertices_and_triangles) {
	static struct pica_state state;
	ck_assert_uint_eq(reg(0x05A), 0);
	for (unsigned round = 1; round <= 2; round++) {
		/*
		 * A strip of five triangles, every other one a back face; two vertices make none.
		 */
		emit_state(&e, COLOR);
		for (unsigned i = 0; i < 7; i++) {
			put_vertex(i, 8.0f * (float)(i / 2), i & 1 ? 8 : 0, red);
		}
			pica_emit_reg(&e, PICA_REG_FACECULLING_CONFIG, PICA_CULL_NONE);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_STRIP, 0, 7);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 2);
		ck_assert_int_eq(run_list(&e).result, 0);
		ck_assert_uint_eq(reg(0x05A), 9 * round);
		ck_assert_uint_eq(reg(0x05B), 5 * round);
		ck_assert_uint_eq(reg(0x05C), 5 * round);
	}
	/* They continue from a state. */
	ck_assert_int_eq(pica_ctx_save_state(ctx, &state), 0);
	ck_assert_uint_eq(state.regs[0x05B], 10);
	state.regs[0x05A] = 0xFFFFFFFE;
	ck_assert_int_eq(pica_ctx_load_state(ctx, &state), 0);
	emit_state(&e, COLOR);
	put_triangle(red);
	pica_emit_reg(&e, PICA_REG_FACECULLING_CONFIG, PICA_CULL_FRONT);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	pica_emit_reg(&e, PICA_REG_FACECULLING_CONFIG, PICA_CULL_BACK);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(reg(0x05A), 4);
	ck_assert_uint_eq(reg(0x05B), 12);
	ck_assert_uint_eq(reg(0x05C), 11);
}

SYNC_ENGINE_TEST(features_that_are_guesses_are_counted) {
	emit_state(&e, COLOR);
	put_triangle(red);
	pica_emit_fog(&e, PICA_FOG_MODE_GAS, false, 0);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_eq(stats.guessed[PICA_FEATURE_GAS], 1);
}

TEST(state_survives_save_and_load) {
	struct pica_emit e;
	struct pica_state *state = calloc(1, sizeof(*state));
	open_engine(0, NULL);
	put_triangle(red);
	emit_state(&e, COLOR);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_int_eq(pica_ctx_save_state(ctx, state), 0);
	close_engine();
	open_engine(0, NULL);
	put_triangle(red);
	ck_assert_int_eq(pica_ctx_load_state(ctx, state), 0);
	pica_emit_init(&e);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
	close_engine();
	free(state);
}
