#include "limits_rig.h"

const unsigned limit_threads[N_LIMIT_THREADS] = { 0, 1, 3 };

struct pica_stats stats(void) {
	struct pica_stats s = { .size = sizeof(s) };
	ck_assert_int_eq(pica_stats(ctx, &s), 0);
	return s;
}

const uint32_t endless_code[1] = { 0xB4000001 };

void emit_square(struct pica_emit *e, uint32_t color, uint32_t side) {
	const struct pica_framebuffer fb = { .color_addr = color,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = side,
		.height = side };
	pica_emit_framebuffer(e, &fb);
	pica_emit_viewport(e, 0, 0, side, side);
}

void emit_limit_state(struct pica_emit *e, uint32_t side) {
	emit_state(e, COLOR);
	emit_square(e, COLOR, side);
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
