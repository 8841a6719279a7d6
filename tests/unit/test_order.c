/* Draws that depend on each other, through the public face. */
#include <sys/mman.h>

#include "engine_rig.h"
#include "pica_history.h"

static void emit_quad(struct pica_emit *e) {
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_STRIP, 0, 4);
}

static void put_quad(const float rgba[4]) {
	put_vertex(0, 0, 0, rgba);
	put_vertex(1, SIDE, 0, rgba);
	put_vertex(2, 0, SIDE, rgba);
	put_vertex(3, SIDE, SIDE, rgba);
}

/* Texture coordinates from the colour attribute: o1 is a texture coordinate. */
static void emit_sampling(struct pica_emit *e, uint32_t texture) {
	static const struct pica_output outputs[] = {
		{ PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_TEXCOORD0, 1, 3 },
	};
	const struct pica_texture t = { .addr = texture, .width = SIDE, .height = SIDE,
		.format = PICA_TEXTURE_FORMAT_RGBA8 };
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	pica_emit_outputs(e, PICA_UNIT_VS, outputs, 2);
	pica_emit_texture(e, 0, &t);
	pica_emit_texture_units(e, 1, 0, false);
	pica_emit_tev(e, 0, &tev);
}

ENGINE_TEST(render_to_texture_is_ordered) {
	const float coords[4][4] = { { 0, 0, 0, 0 }, { 1, 0, 0, 0 }, { 0, 1, 0, 0 },
		{ 1, 1, 0, 0 } };
	for (unsigned round = 0; round < 20; round++) {
		const float *color = round & 1 ? red : green;
		put_quad(color);
		for (unsigned i = 0; i < 4; i++) {
			put_vertex(4 + i, i & 1 ? SIDE : 0, i & 2 ? SIDE : 0, coords[i]);
		}
		emit_state(&e, OTHER);
		emit_quad(&e);
		emit_target(&e, COLOR);
		emit_sampling(&e, OTHER);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_STRIP, 4, 4);
		ck_assert_int_eq(run_list(&e).result, 0);
		ck_assert_uint_eq(count_color(COLOR, round & 1 ? (uint32_t)RED : (uint32_t)GREEN),
				PIXELS);
	}
}

ENGINE_TEST(texture_over_its_own_target_reads_the_pixels_before_the_draw) {
	/* Left half red, right half green; then everything is drawn from its mirror image. */
	put_quad(green);
	put_vertex(4, 0, 0, red);
	put_vertex(5, SIDE / 2, 0, red);
	put_vertex(6, 0, SIDE, red);
	put_vertex(7, SIDE / 2, SIDE, red);
	const float mirrored[4][4] = { { 1, 0, 0, 0 }, { 0, 0, 0, 0 }, { 1, 1, 0, 0 },
		{ 0, 1, 0, 0 } };
	for (unsigned i = 0; i < 4; i++) {
		put_vertex(8 + i, i & 1 ? SIDE : 0, i & 2 ? SIDE : 0, mirrored[i]);
	}
	emit_state(&e, COLOR);
	emit_quad(&e);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_STRIP, 4, 4);
	emit_sampling(&e, COLOR);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_STRIP, 8, 4);
	ck_assert_int_eq(run_list(&e).result, 0);
	expect_halves();
}

ENGINE_TEST(assembler_keeps_vertices_between_draws) {
	emit_state(&e, COLOR);
	put_triangle(red);
	put_vertex(3, 32, 32, green);
	put_vertex(4, 40, 32, green);
	put_vertex(5, 32, 40, green);
	pica_emit_reg(&e, PICA_REG_PRIMITIVE_CONFIG, 1);
	pica_emit_reg(&e, PICA_REG_RESTART_PRIMITIVE, 1);
	/* 5 vertices, then 1 more, with neither 25E nor 25F between [fidelity: geometry-numbers] */
	pica_emit_reg(&e, PICA_REG_NUMVERTICES, 5);
	pica_emit_reg(&e, PICA_REG_VERTEX_OFFSET, 0);
	pica_emit_reg(&e, PICA_REG_DRAWARRAYS, 1);
	pica_emit_reg(&e, PICA_REG_NUMVERTICES, 1);
	pica_emit_reg(&e, PICA_REG_VERTEX_OFFSET, 5);
	pica_emit_reg(&e, PICA_REG_DRAWARRAYS, 1);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
	ck_assert_uint_eq(count_color(COLOR, GREEN), 28);
}

ENGINE_TEST(left_over_vertices_are_those_of_their_own_draw) {
	put_triangle(red);
	/* Two of three vertices in one list; then their memory changes; then the third one. */
	emit_state(&e, COLOR);
	pica_emit_reg(&e, PICA_REG_PRIMITIVE_CONFIG, 1);
	pica_emit_reg(&e, PICA_REG_NUMVERTICES, 2);
	pica_emit_reg(&e, PICA_REG_VERTEX_OFFSET, 0);
	pica_emit_reg(&e, PICA_REG_DRAWARRAYS, 1);
	ck_assert_int_eq(run_list(&e).result, 0);
	put_vertex(0, 60, 60, green);
	put_vertex(1, 60, 60, green);
	pica_emit_init(&e);
	pica_emit_reg(&e, PICA_REG_NUMVERTICES, 1);
	pica_emit_reg(&e, PICA_REG_VERTEX_OFFSET, 2);
	pica_emit_reg(&e, PICA_REG_DRAWARRAYS, 1);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
}

ENGINE_TEST(immediate_mode_draws_with_the_state_of_each_vertex) {
	const float v[6][4] = { { -1, -1, -0.5f, 1 }, { 1, 0, 0, 1 }, { -0.75f, -1, -0.5f, 1 },
		{ 1, 0, 0, 1 }, { -1, -0.75f, -0.5f, 1 }, { 1, 0, 0, 1 } };
	emit_state(&e, COLOR);
	pica_emit_inputs(&e, 2, PICA_IDENTITY_INPUTS);
	pica_emit_immediate_begin(&e, PICA_PRIMITIVE_LIST);
	pica_emit_immediate(&e, v[0], 6);
	pica_emit_immediate_end(&e);
	/* The next state change must not reach back. */
	pica_emit_depth_test(&e, false, PICA_COMPARE_ALWAYS, false, 0);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
}

enum { WATCHED = 4, MAX_ENTRIES = 64 };

/* Returns the number of entries of the pixels since watch_pixels(). */
static size_t watched(struct pica_history_entry entry[MAX_ENTRIES]) {
	const int64_t n = pica_ctx_history(ctx);
	ck_assert(n > 1 && n <= MAX_ENTRIES);
	ck_assert_int_eq(pica_ctx_read_history(ctx, 0, (uint32_t)n, entry), 0);
	return (size_t)n;
}

static void watch_pixels(void) {
	static const struct pica_watch pixel[WATCHED] = { { COLOR + 4 * 100, 4 },
		{ COLOR + 4 * 1300, 4 }, { COLOR + 4 * 2500, 4 }, { COLOR + 4 * 3900, 4 } };
	ck_assert_int_eq(pica_ctx_watch(ctx, pixel, WATCHED), 0);
}

/* As a processor that writes each word of the list itself. */
static void run_words_as_jobs(const uint32_t *word, size_t n) {
	uint64_t seq = 0;
	for (size_t i = 0; i < n; i += i & 1) {
		const uint32_t value = word[i], header = word[i + 1], more = header >> 20 & 0xFF;
		struct pica_job job = { .op = PICA_OP_REG_WRITE };
		job.u.reg_write.mask = header >> 16 & 15;
		for (uint32_t k = 0; k <= more; k++) {
			const uint32_t id = (header & 0xFFFF) + (header >> 31 ? k : 0);
			job.u.reg_write.addr = 0x10401000 + 4 * id;
			job.u.reg_write.value = k ? word[i + 1 + k] : value;
			seq = submit(&job);
		}
		i += 2 + more;
	}
	ck_assert_int_eq(finish(seq).result, 0);
}

ENGINE_TEST(a_run_of_immediate_vertices_is_one_draw_over_any_number_of_jobs) {
	static const float v[7][2][4] = { { { -1, -1, -0.5f, 1 }, { 1, 0, 0, 1 } },
		{ { 1, -1, -0.5f, 1 }, { 0, 1, 0, 1 } }, { { 1, -0.5f, -0.5f, 1 }, { 1, 0, 0, 1 } },
		{ { 1, 0.25f, -0.5f, 1 }, { 0, 1, 0, 1 } }, { { 1, 1, -0.5f, 1 }, { 1, 0, 0, 1 } },
		{ { 0, 1, -0.5f, 1 }, { 0, 1, 0, 1 } }, { { -1, 1, -0.5f, 1 }, { 1, 0, 0, 1 } } };
	emit_state(&e, COLOR);
	pica_emit_inputs(&e, 2, PICA_IDENTITY_INPUTS);
	ck_assert_int_eq(run_list(&e).result, 0);
	for (unsigned i = 0; i < 3; i++) {
		static const uint32_t primitives[3] = { PICA_PRIMITIVE_LIST,
			PICA_PRIMITIVE_STRIP, PICA_PRIMITIVE_FAN };
		pica_emit_init(&e);
		for (unsigned run = 0; run < 2; run++) {
			pica_emit_immediate_begin(&e, primitives[i]);
			pica_emit_immediate(&e, v[0][0], 2 * 7);
			pica_emit_immediate_end(&e);
		}
		struct pica_history_entry in_list[MAX_ENTRIES], in_jobs[MAX_ENTRIES];
		watch_pixels();
		run_words(e.words, e.count);
		const size_t n = watched(in_list);
		watch_pixels();
		run_words_as_jobs(e.words, e.count);
		ck_assert_uint_eq(watched(in_jobs), n);
		size_t of_run[2] = { 0 };
		for (size_t k = 0; k < n; k++) {
			const struct pica_history_entry *a = &in_list[k], *b = &in_jobs[k];
			ck_assert_uint_lt(a->draw, 2);
			of_run[a->draw]++;
			ck_assert_uint_eq(a->draw, b->draw);
			ck_assert_uint_eq(a->primitive, b->primitive);
			ck_assert_mem_eq(a->vertex, b->vertex, sizeof(a->vertex));
			ck_assert_uint_eq(a->verdict, b->verdict);
			ck_assert_uint_eq(a->after, b->after);
		}
		ck_assert_uint_eq(of_run[0], of_run[1]);
		free(e.words);
	}
	ck_assert_int_eq(pica_ctx_watch(ctx, NULL, 0), 0);
}

ENGINE_TEST(target_outside_memory_is_counted_and_harmless) {
	put_quad(red);
	/* The last 8 KiB of VRAM hold the first 32 rows of blocks' pixels; the rest is nowhere. */
	uint32_t edge = VRAM + 0x600000 - 8192;
	emit_state(&e, edge);
	emit_quad(&e);
	emit_target(&e, 0x40000000);
	emit_quad(&e);
	ck_assert_int_eq(run_list(&e).result, 0);
	uint32_t words[2048];
	ck_assert_int_eq(pica_ctx_read_memory(ctx, edge, words, sizeof(words)), 0);
	for (unsigned i = 0; i < 2048; i++) {
		ck_assert_uint_eq(words[i], (uint32_t)RED);
	}
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_gt(stats.faults[PICA_FAULT_BAD_ADDRESS], 0);
}

/* No wait would cover such a write; here it is a fault. */
ENGINE_TEST(draw_without_a_depth_buffer_writes_nothing_at_address_0) {
	const size_t size = (size_t)PIXELS * 4;
	void *page = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	ck_assert_int_eq(pica_ctx_map(ctx, 0, (uint32_t)size, page, 0), 0);
	put_quad(red);
	emit_state(&e, VRAM + 0x600000 - 8192); /* half of it is outside */
	emit_quad(&e);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_int_eq(pica_ctx_unmap(ctx, 0), 0);
	munmap(page, size);
}

/*
 * Little work without predecessors runs without a task: after overlapping fills and copies of all
 * sizes, memory is as if they ran one after the other.
 */
ENGINE_TEST(small_and_large_work_on_the_same_memory_is_ordered) {
	enum { BYTES = 1 << 18, JOBS = 400 };
	uint8_t *model = calloc(1, BYTES), *memory = malloc(BYTES);
	ck_assert(model && memory);
	srand(7 + (unsigned)_i);
	for (unsigned i = 0; i < JOBS; i++) {
		const uint32_t at = (uint32_t)rand() % (BYTES / 64) * 64;
		const uint32_t most = i % 5 ? 8192 : BYTES, left = BYTES - at;
		uint32_t n = ((uint32_t)rand() % most + 16) / 16 * 16;
		n = n < left ? n : left;
		struct pica_job job = { .op = PICA_OP_FILL };
		if (i % 3 == 2) {
			const uint32_t from = at >= n ? at - n : at + n;
			if (from + n > BYTES) {
				continue;
			}
			job = (struct pica_job){ .op = PICA_OP_COPY,
				.u.copy = { .src = COLOR + from, .dst = COLOR + at,
					.size_bytes = n } };
			memcpy(model + at, model + from, n);
		} else {
			const uint32_t word = (uint32_t)rand();
			job.u.fill.start = COLOR + at;
			job.u.fill.end = COLOR + at + n;
			job.u.fill.value = word;
			job.u.fill.control = 0x200;
			for (uint32_t k = 0; k < n; k += 4) {
				memcpy(model + at + k, &word, 4);
			}
		}
		submit(&job);
	}
	ck_assert_int_eq(pica_ctx_read_memory(ctx, COLOR, memory, BYTES), 0);
	for (uint32_t i = 0; i < BYTES; i++) {
		ck_assert_msg(memory[i] == model[i], "byte %u: %02x, not %02x", i, memory[i],
				model[i]);
	}
	free(model);
	free(memory);
}
