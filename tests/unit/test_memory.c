/*
 * The memory that a context keeps for its work. The linker sends libpica's allocations through the
 * functions below, which count them.
 */
#include <stdatomic.h>

#include "engine_rig.h"
#include "pica/front/ctx.h"

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
	struct pica_job job = { .op = PICA_OP_LIST };
	job.u.list.addr = LIST;
	job.u.list.size_bytes = (uint32_t)(4 * e->count);
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
	ck_assert_uint_eq(run_again(&e), 1); /* the program, which the list loads again */
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
	ck_assert_uint_eq(run_again(&e), 1);
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_eq(stats.textures_decoded, 1);
}

/* The contexts of a device share what they keep for later frames; each may keep a little. */
SYNC_ENGINE_TEST(contexts_keep_a_limited_amount_together) {
	enum { CONTEXTS = 7, CHUNKS = 250, MIB = 1 << 20 };
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
