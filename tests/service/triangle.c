#include "triangle.h"

#include <string.h>

#include <check.h>

#include "tests/pass.h"

static void put_state(struct pica_emit *e, uint32_t side) {
	const struct pica_framebuffer fb = { .color_addr = VRAM,
		.color_format = PICA_COLOR_FORMAT_RGBA8,
		.depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = side,
		.height = side,
		.bottom_row_first = true };
	emit_pass(e, VERTICES, PICA_OUTPUT_COLOR, 15);
	pica_emit_framebuffer(e, &fb);
	pica_emit_viewport(e, 0, 0, side, side);
	pica_emit_depth_test(e, false, PICA_COMPARE_ALWAYS, false, 15);
}

/* at: in parts of the target, 0..1. */
static uint32_t put_list(uint8_t *fcram, unsigned copies, uint32_t side, const float at[3][2]) {
	struct pica_emit e;
	for (unsigned i = 0; i < 3; i++) {
		const float v[8] = { 2 * at[i][0] - 1, 2 * at[i][1] - 1, -0.5f, 1, 1, 0, 0, 1 };
		memcpy(fcram + (VERTICES - FCRAM) + 32 * i, v, sizeof(v));
	}
	pica_emit_init(&e);
	put_state(&e, side);
	for (unsigned i = 0; i < copies; i++) {
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
	}
	ck_assert_int_eq(pica_emit_finalize(&e), 0);
	uint32_t size_bytes = (uint32_t)(4 * e.count);
	ck_assert_uint_le(size_bytes, FCRAM_BYTES - (LIST - FCRAM));
	memcpy(fcram + (LIST - FCRAM), e.words, size_bytes);
	pica_emit_finish(&e);
	return size_bytes;
}

uint32_t triangle_list(uint8_t *fcram, unsigned copies) {
	static const float at[3][2] = { { 0, 0 }, { 8.0f / SIDE, 0 }, { 0, 8.0f / SIDE } };
	return put_list(fcram, copies, SIDE, at);
}

uint32_t heavy_list(uint8_t *fcram, unsigned copies) {
	static const float at[3][2] = { { 0, 0 }, { 2, 0 }, { 0, 2 } };
	return put_list(fcram, copies, HEAVY_SIDE, at);
}

unsigned triangle_count(const void *vram) {
	const uint32_t *pixels = vram;
	unsigned n = 0;
	for (unsigned i = 0; i < SIDE * SIDE; i++) {
		n += pixels[i] == 0xFF0000FF;
	}
	return n;
}
