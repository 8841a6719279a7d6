/*
 * The memory that a context keeps for its work. The linker redirects libpica's allocations to the
 * functions below, which count them.
 */
#include <sched.h>
#include <stdatomic.h>

#include "engine_rig.h"
#include "pica/front/ctx.h"

enum { MIB = 1 << 20 };

static atomic_uint allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);

void *__wrap_malloc(size_t size) {
	atomic_fetch_add(&allocations, 1);
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size) {
	atomic_fetch_add(&allocations, 1);
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size) {
	atomic_fetch_add(&allocations, 1);
	return __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size) {
	atomic_fetch_add(&allocations, 1);
	return __real_aligned_alloc(align, size);
}

/* Allocations of the list when it runs for the third time. */
static unsigned run_again(struct pica_emit *e) {
	ck_assert_int_eq(pica_emit_finalize(e), 0);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(run_words(e->words, e->count).result, 0);
	}
	struct pica_job job = { .op = PICA_OP_LIST,
		.u.list = { .addr = LIST, .size_bytes = (uint32_t)(4 * e->count) } };
	pica_emit_finish(e);
	const unsigned before = atomic_load(&allocations);
	const int ret = pica_submit(ctx, &job, 1, NULL);
	const unsigned after = atomic_load(&allocations);
	ck_assert_int_eq(ret, 0);
	return after - before;
}

SYNC_ENGINE_TEST(many_vertices_find_the_memory_of_the_frame_before) {
	enum { VERTEX_COUNT = 260000 };
	for (unsigned i = 0; i < VERTEX_COUNT; i++) {
		put_vertex(i, (float)(i / 3 * 7 % SIDE + i % 2), (float)(i / 3 * 11 % SIDE + i % 3),
				red);
	}
	emit_state(&e, COLOR);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, VERTEX_COUNT);
	ck_assert_uint_eq(run_again(&e), 0);
}

SYNC_ENGINE_TEST(a_texture_bound_again_is_not_decoded_again) {
	const struct pica_texture t = { .addr = OTHER, .width = 256, .height = 256 };
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	put_triangle(red);
	emit_state(&e, COLOR);
	pica_emit_tev(&e, 0, &tev);
	for (unsigned i = 0; i < 300; i++) {
		pica_emit_texture(&e, 0, &t);
		pica_emit_texture_units(&e, 1, 0, false);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	ck_assert_uint_eq(run_again(&e), 0);
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_eq(stats.textures_decoded, 1);
}

/* The contexts of a device share what they keep for later frames; each may keep a little. */
SYNC_ENGINE_TEST(contexts_keep_a_limited_amount_together) {
	enum { CONTEXTS = 7, CHUNKS = 250 };
	struct pica_ctx *const first = ctx;
	struct pica_ctx *each[CONTEXTS];
	const atomic_size_t *kept = &first->device->engine.kept_bytes;
	emit_state(&e, COLOR);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, CHUNKS * 1536 / 2);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, CHUNKS * 1536 / 2);
	ck_assert_int_eq(pica_emit_finalize(&e), 0);
	for (unsigned i = 0; i < CONTEXTS; i++) {
		ck_assert_int_eq(pica_ctx_create(&each[i], device, NULL), 0);
		ctx = each[i];
		ck_assert_int_eq(run_words(e.words, e.count).result, 0);
		ck_assert_uint_eq(atomic_load(kept) > 200 * MIB, i > 3);
		ck_assert_uint_le(atomic_load(kept), (256 + 32 * CONTEXTS) * MIB);
	}
	ck_assert_uint_gt(each[0]->exec.kept_bytes, 40 * MIB);
	ck_assert_uint_le(each[CONTEXTS - 1]->exec.kept_bytes, 32 * MIB);
	ck_assert_uint_gt(each[CONTEXTS - 1]->exec.kept_bytes, 24 * MIB);
	for (unsigned i = 0; i < CONTEXTS; i++) {
		pica_ctx_destroy(each[i]);
	}
	ck_assert_uint_eq(atomic_load(kept), first->exec.kept_bytes);
	pica_emit_finish(&e);
	ctx = first;
}

/* ---- Counted and limited (pica_memory) ---- */

/* A context that belongs to memory. */
static struct pica_ctx *open_counted(struct pica_memory *memory) {
	struct pica_ctx_settings s;
	struct pica_ctx *c;
	pica_ctx_settings_init(&s);
	s.memory = memory;
	ck_assert_int_eq(pica_ctx_create(&c, device, &s), 0);
	return c;
}

static struct pica_memory *new_memory(struct pica_memory *parent, uint64_t limit_bytes) {
	struct pica_memory *m;
	ck_assert_int_eq(pica_memory_create(&m, parent), 0);
	pica_memory_limit(m, limit_bytes);
	return m;
}

/* n textured triangles, with 40 textures in turn. */
static struct pica_done draw_textures(unsigned size, unsigned n) {
	struct pica_emit e;
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	put_triangle(red);
	emit_state(&e, COLOR);
	pica_emit_tev(&e, 0, &tev);
	for (unsigned i = 0; i < n; i++) {
		const struct pica_texture t = { .addr = FCRAM + 0x3000000 + 128 * (i % 40),
			.width = size, .height = size, .format = PICA_TEXTURE_FORMAT_RGBA8 };
		pica_emit_texture(&e, 0, &t);
		pica_emit_texture_units(&e, 1, 0, false);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	return run_list(&e);
}

static uint64_t image_bytes(unsigned size) {
	return sizeof(struct tex_image) + 4 * ((uint64_t)(size + 2) * (size + 2) + 1);
}

ENGINE_TEST(memory_is_counted_to_all_that_a_context_belongs_to) {
	struct pica_ctx *first = ctx;
	struct pica_memory *user = new_memory(NULL, UINT64_MAX);
	struct pica_memory *session = new_memory(user, UINT64_MAX);
	ctx = open_counted(session);
	ck_assert_int_eq(draw_textures(64, 3).result, 0);
	const uint64_t before = pica_memory_used(user);
	ck_assert_uint_eq(pica_memory_used(session), before);
	ck_assert_uint_gt(before, sizeof(struct pica_ctx) + 3 * image_bytes(64));
	ck_assert_int_eq(draw_textures(128, 3).result, 0);
	ck_assert_uint_eq(pica_memory_used(user) - before, 3 * image_bytes(128));
	struct pica_usage usage = { .size = sizeof(usage) };
	ck_assert_int_eq(pica_usage(ctx, &usage), 0);
	ck_assert_uint_eq(usage.memory_bytes, pica_memory_used(session));
	pica_memory_add(session, 1000); /* to this one alone */
	ck_assert_uint_eq(pica_memory_used(session) - pica_memory_used(user), 1000);
	pica_memory_add(session, -1000);
	pica_memory_destroy(session); /* lives on with its context */
	pica_ctx_destroy(ctx);
	ck_assert_uint_eq(pica_memory_used(user), 0);
	pica_memory_destroy(user);
	ctx = first;
}

/* Decoding evicted texels again from unchanged memory is neither counted nor charged. */
ENGINE_TEST(texels_are_evicted_and_decoded_again) {
	struct pica_ctx *first = ctx;
	struct pica_memory *m = new_memory(NULL, UINT64_MAX);
	ctx = open_counted(m);
	ck_assert_int_eq(draw_textures(256, 8).result, 0);
	ck_assert_uint_gt(pica_memory_used(m), 8 * image_bytes(256));
	pica_memory_limit(m, 0); /* nothing that is not needed stays */
	pica_device_trim(device);
	while (pica_memory_used(m) > 2 * MIB) {
		sched_yield(); /* the command thread is told, and does it */
	}
	pica_memory_limit(m, UINT64_MAX);
	ck_assert_int_eq(draw_textures(256, 8).result, 0);
	ck_assert_uint_gt(pica_memory_used(m), 8 * image_bytes(256));
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_eq(stats.textures_decoded, 8);
	pica_ctx_destroy(ctx);
	pica_memory_destroy(m);
	ctx = first;
}

ENGINE_TEST(whoever_uses_most_is_evicted_first) {
	struct pica_ctx *first = ctx, *light, *heavy;
	struct pica_memory *all = new_memory(NULL, UINT64_MAX);
	struct pica_memory *a = new_memory(all, UINT64_MAX), *b = new_memory(all, UINT64_MAX);
	ctx = light = open_counted(a);
	ck_assert_int_eq(draw_textures(256, 4).result, 0);
	ck_assert_int_eq(draw_textures(256, 4).result, 0);
	ctx = heavy = open_counted(b);
	ck_assert_int_eq(draw_textures(256, 20).result, 0);
	const uint64_t of_a = pica_memory_used(a), of_b = pica_memory_used(b);
	pica_memory_limit(all, of_a + of_b - 3 * image_bytes(256));
	ctx = light; /* looks for room, in the heavy one's caches */
	ck_assert_int_eq(draw_textures(256, 4).result, 0);
	ck_assert_uint_ge(pica_memory_used(a), of_a); /* nothing of it went */
	ck_assert_uint_lt(pica_memory_used(b), of_b - 2 * image_bytes(256));
	ck_assert_uint_gt(pica_memory_used(b), of_b - 5 * image_bytes(256));
	pica_ctx_destroy(light);
	pica_ctx_destroy(heavy);
	pica_memory_destroy(a);
	pica_memory_destroy(b);
	ck_assert_uint_eq(pica_memory_used(all), 0);
	pica_memory_destroy(all);
	ctx = first;
}

/* A unit may need a quarter of the limit. */
ENGINE_TEST(a_unit_that_needs_too_much_ends_its_job_and_no_other) {
	struct pica_ctx *first = ctx;
	struct pica_memory *m = new_memory(NULL, 16 * MIB);
	ctx = open_counted(m);
	struct pica_done done = draw_textures(1024, 1); /* 4.2 MB */
	ck_assert_int_eq(done.result, -EDQUOT);
	ck_assert_str_eq(pica_budget_name(done.flags), "memory of a unit of work");
	ck_assert_uint_eq(count_color(COLOR, 0), PIXELS);
	emit_state(&e, COLOR); /* indices: 4 MiB and four bytes */
	pica_emit_draw_elements(&e, PICA_PRIMITIVE_LIST, 0, false, MIB + 1);
	done = run_list(&e);
	ck_assert_int_eq(done.result, -EDQUOT);
	ck_assert_uint_eq(done.flags >> PICA_DONE_BUDGET_SHIFT & PICA_DONE_BUDGET_MASK,
			PICA_BUDGET_MEMORY);
	for (unsigned i = 0; i < 8; i++) { /* more than the limit, but not at once */
		ck_assert_int_eq(draw_textures(512, 40 + 40 * (i % 2)).result, 0);
		ck_assert_uint_le(pica_memory_used(m), 20 * MIB);
		emit_state(&e, COLOR);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
		ck_assert_int_eq(run_list(&e).result, 0);
		ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), 28);
	}
	ck_assert_uint_le(pica_memory_used(m), 20 * MIB);
	pica_ctx_destroy(ctx);
	pica_memory_destroy(m);
	ctx = first;
}

/* Triangles that fill the screen: their memory in the lists of tiles is known once they are
 * shaded. */
ENGINE_TEST(vertices_that_need_too_much_end_their_job) {
	struct pica_ctx *first = ctx;
	struct pica_memory *m = new_memory(NULL, 2 * MIB);
	ctx = open_counted(m);
	put_vertex(0, -40, -40, red);
	for (unsigned i = 1; i < 3072; i++) {
		put_vertex(i, i & 1 ? 200 : -40, i & 2 ? 200 : -40, red);
	}
	emit_state(&e, COLOR); /* each is clipped to a polygon with vertices of its own */
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_STRIP, 0, 3072);
	const struct pica_done done = run_list(&e);
	ck_assert_int_eq(done.result, -EDQUOT);
	ck_assert_uint_eq(done.flags >> PICA_DONE_BUDGET_SHIFT & PICA_DONE_BUDGET_MASK,
			PICA_BUDGET_MEMORY);
	ck_assert_uint_lt(count_color(COLOR, (uint32_t)RED), PIXELS);
	emit_state(&e, COLOR);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_STRIP, 0, 96);
	ck_assert_int_eq(run_list(&e).result, 0);
	pica_ctx_destroy(ctx);
	pica_memory_destroy(m);
	ctx = first;
}

/* Beyond a limit one context at a time continues, which must have a unit. */
ENGINE_TEST(an_idle_context_does_not_block_others) {
	struct pica_ctx *first = ctx, *each[2];
	struct pica_memory *m = new_memory(NULL, 64 * MIB);
	pica_memory_add(m, 65 * MIB); /* which cannot be evicted */
	for (unsigned i = 0; i < 2; i++) {
		ctx = each[i] = open_counted(m);
		put_triangle(red);
		emit_state(&e, COLOR);
		pica_emit_depth_test(&e, false, PICA_COMPARE_ALWAYS, false, i ? 15 : 0);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
		ck_assert_int_eq(run_list(&e).result, 0);
		ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), i ? 28 : 0);
	}
	pica_ctx_destroy(each[0]);
	pica_ctx_destroy(each[1]);
	pica_memory_destroy(m);
	ctx = first;
}

/* The limit of a draw is the same whether or not triangles are culled before shading. */
TEST(a_limit_is_the_same_with_each_instruction_set) {
	enum { LIMITS = 64, STEP = 32 << 10, VERTEX_COUNT = 1533 };
	static const char *const isas[2] = { "c", NULL };
	int result[2][LIMITS];
	for (unsigned k = 0; k < 2; k++) {
		struct pica_settings s;
		struct pica_emit e;
		pica_settings_init(&s);
		s.isa = isas[k];
		ck_assert_int_eq(pica_device_create(&device, &s), 0);
		for (unsigned n = 0; n < LIMITS; n++) {
			struct pica_memory *m = new_memory(NULL, (n + 1) * STEP);
			ctx = open_counted(m);
			/* back faces, then large front faces, which are clipped */
			for (unsigned i = 0; i < VERTEX_COUNT; i++) {
				const bool is_back = i < VERTEX_COUNT - 192;
				const unsigned corner = is_back ? i % 3 : 2 - i % 3;
				const float least = is_back ? 0 : -80, most = is_back ? 8 : 150;
				put_vertex(i, corner == 1 ? most : least,
						corner == 2 ? most : least, red);
			}
			emit_state(&e, COLOR);
			pica_emit_cull(&e, PICA_CULL_FRONT);
			pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, VERTEX_COUNT);
			result[k][n] = run_list(&e).result;
			pica_ctx_destroy(ctx);
			pica_memory_destroy(m);
		}
		pica_device_destroy(device);
		ck_assert_int_eq(result[k][0], -EDQUOT);
		ck_assert_int_eq(result[k][LIMITS - 1], 0);
	}
	ck_assert_mem_eq(result[0], result[1], sizeof(result[0]));
}
