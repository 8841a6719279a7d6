#include "limits_rig.h"

#include <stdlib.h>
#include <string.h>

const unsigned thread_counts[N_THREAD_COUNTS] = { 0, 1, 3 };

struct pica_device *device;
struct pica_ctx *ctx;

void open_engine(unsigned threads, const struct pica_budgets *budgets) {
	struct pica_settings s;
	pica_settings_init(&s);
	s.n_threads = threads;
	ck_assert_int_eq(pica_device_create(&device, &s), 0);
	struct pica_ctx_settings c;
	pica_ctx_settings_init(&c);
	if (budgets) {
		c.budgets = *budgets;
	}
	ck_assert_int_eq(pica_ctx_create(&ctx, device, &c), 0);
}

void close_engine(void) {
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
}

static int finish(uint64_t seq) {
	struct pica_done done = { 0 };
	ck_assert_int_eq(pica_wait(ctx, seq, -1), 0);
	while (pica_reap(ctx, &done, 1) > 0) {
	}
	return done.result;
}

static int run_words(const uint32_t *words, size_t n) {
	struct pica_job job = { .op = PICA_OP_LIST };
	uint64_t seq;
	ck_assert_int_eq(pica_ctx_write_memory(ctx, LIST, words, (uint32_t)(4 * n)), 0);
	job.u.list.addr = LIST;
	job.u.list.size_bytes = (uint32_t)(4 * n);
	ck_assert_int_eq(pica_submit(ctx, &job, 1, &seq), 0);
	return finish(seq);
}

int run_list(struct pica_emit *e) {
	ck_assert_int_eq(pica_emit_finalize(e), 0);
	int result = run_words(e->words, e->count);
	pica_emit_finish(e);
	return result;
}

struct pica_stats stats(void) {
	struct pica_stats s = { .size = sizeof(s) };
	ck_assert_int_eq(pica_stats(ctx, &s), 0);
	return s;
}

/* mov o0, v0; mov o1, v1; end */
const uint32_t pass_code[3] = { 0x4C000000, 0x4C201000, 0x88000000 };
const uint32_t descriptor[1] = { 0x0000036F };
const uint32_t endless_code[1] = { 0xB4000001 };

void emit_program(struct pica_emit *e, const uint32_t *code, size_t n) {
	static const struct pica_output outputs[] = {
		{ PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_COLOR, 1, 15 },
		{ PICA_OUTPUT_TEXCOORD0, 1, 3 },
	};
	pica_emit_code(e, PICA_UNIT_VS, 0, code, n);
	pica_emit_operand_descriptors(e, PICA_UNIT_VS, 0, descriptor, 1);
	pica_emit_entry_point(e, PICA_UNIT_VS, 0);
	pica_emit_outputs(e, PICA_UNIT_VS, outputs, 2);
}

void emit_target(struct pica_emit *e, uint32_t color, uint32_t side) {
	const struct pica_framebuffer fb = { .color_addr = color,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = side,
		.height = side };
	pica_emit_framebuffer(e, &fb);
	pica_emit_viewport(e, 0, 0, side, side);
}

void emit_state(struct pica_emit *e, uint32_t side) {
	pica_emit_init(e);
	pica_emit_defaults(e);
	pica_emit_geometry(e, NULL);
	emit_program(e, pass_code, 3);
	emit_target(e, COLOR, side);
	pica_emit_depth_test(e, false, PICA_COMPARE_ALWAYS, false, 15);
	const struct pica_attributes a = { .base = VERTICES,
		.n = 2,
		.format = { { PICA_ATTRIB_TYPE_F32, 4 }, { PICA_ATTRIB_TYPE_F32, 4 } },
		.n_loaders = 1,
		.loader = { { .offset = 0, .stride = 32, .n = 2, .component = { 0, 1 } } } };
	pica_emit_attributes(e, &a);
}

void put_triangles(unsigned n, float size) {
	float (*v)[8] = calloc(3 * n, sizeof(*v));
	ck_assert_ptr_nonnull(v);
	for (unsigned i = 0; i < 3 * n; i++) {
		float vertex[8] = { i % 3 == 1 ? -1 + size : -1, i % 3 == 2 ? -1 + size :
				-1, -0.5f, 1, 1, 0, 0,
				1 };
		memcpy(v[i], vertex, sizeof(vertex));
	}
	ck_assert_int_eq(pica_ctx_write_memory(ctx, VERTICES, v, 3 * n * (uint32_t)sizeof(*v)), 0);
	free(v);
}

uint64_t checksum(uint32_t addr, uint32_t bytes) {
	uint8_t *data = malloc(bytes);
	uint64_t sum = 0;
	ck_assert_ptr_nonnull(data);
	ck_assert_int_eq(pica_ctx_read_memory(ctx, addr, data, bytes), 0);
	for (uint32_t i = 0; i < bytes; i++) {
		sum = sum * 31 + data[i];
	}
	free(data);
	return sum;
}

void emit_texture(struct pica_emit *e, uint32_t addr, uint32_t side) {
	const struct pica_texture t = { .addr = addr, .width = side, .height = side,
		.format = PICA_TEXTURE_FORMAT_RGBA8 };
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	pica_emit_texture(e, 0, &t);
	pica_emit_texture_units(e, 1, 0, false); /* drops the cache, too */
	pica_emit_tev(e, 0, &tev);
}
