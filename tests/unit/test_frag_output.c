/* Blending, logic operations, formats, depth and stencil. [fidelity: output-fields] */
#include <math.h>

#include "frag_expect.h"

/* ---- Output ---- */

RIG_TEST(blend_numbers) {
	/* S = 200, D = 100, factors: constant 128 and 1 - constant 127. */
	static const struct {
		uint32_t func;
		unsigned s, d, want;
	} cases[] = {
		{ 0xBABA0000, 200, 100, 150 },
		{ 0xBABA0101, 200, 100, 50 },
		{ 0xBABA0202, 200, 100, 0 },
		{ 0xBABA0303, 200, 100, 49 },
		{ 0xBABA0404, 200, 100, 100 },
		{ 0x11110000, 10, 20, 30 },
		{ 0x11110101, 10, 20, 0 },
		{ 0x11110202, 10, 20, 10 },
		{ 0x00000303, 10, 20, 0 }, /* minimum of zero products; OpenGL gives 10 */
		{ 0x11110303, 10, 20, 10 },
		{ 0x11110404, 10, 20, 20 },
		{ 0x11110505, 10, 20, 30 },
		{ 0x11110606, 10, 20, 30 },
		{ 0x11110707, 10, 20, 30 },
		{ 0x01010000, 10, 20, 10 },
		{ 0x10100000, 10, 20, 20 },
		{ 0x00000000, 10, 20, 0 },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		set_stage(r, 0, 0x000E000E, 0, 0, cases[i].s * 0x01010101, 0);
		r->regs[REG_BLEND_FUNC] = cases[i].func;
		r->regs[REG_BLEND_COLOR] = 0x80808080;
		memset(r->color, (int)cases[i].d, sizeof(r->color));
		static const float white[4] = { 1, 1, 1, 1 };
		rig_quad(r, white, 0.0f);
		for (unsigned c = 0; c < 16; c++) {
			ck_assert_msg(r->color[c] == cases[i].want, "case %zu: %u", i, r->color[c]);
		}
		ck_assert_uint_eq(r->color[16], cases[i].d);
	}
}

RIG_TEST(every_equation_and_factor_pair) {
	static struct expected e;
	for (uint32_t n = 0; n < 8 * 256 * 4; n++) {
		const uint32_t eq = n & 7, factors = n >> 3 & 255;
		const bool read = n >> 11 & 1, same = n >> 12 & 1;
		plain_state(r);
		r->regs[REG_BLEND_FUNC] = eq | factors << 16 | (same ? eq << 8 | factors << 24 :
				(random32() & 7) << 8 | (random32() & 255) << 24);
		r->regs[REG_COLORBUFFER_READ] = read;
		r->regs[REG_BLEND_COLOR] = random32();
		r->regs[REG_COLORBUFFER_FORMAT] = n % 5 << 16;
		random_inputs(r);
		random_quads(r);
		random_bytes(r->color, sizeof(r->color));
		expect(r, &e);
		rig_draw(r, EARLY_WHOLE);
		compare(r, &e, n);
	}
}

RIG_TEST(every_logic_operation_on_every_format) {
	static struct expected e;
	for (uint32_t n = 0; n < 16 * 5 * 2 * 16; n++) {
		plain_state(r);
		r->regs[REG_COLOR_OPERATION] = 0;
		r->regs[REG_LOGIC_OP] = n & 15;
		r->regs[REG_COLORBUFFER_FORMAT] = (n >> 4) % 5 << 16;
		r->regs[REG_COLORBUFFER_READ] = n >> 4 & 1;
		/* channel masks */
		r->regs[REG_DEPTH_COLOR_MASK] = n < 160 ? 0xF00 : random32() & 0xF00;
		random_inputs(r);
		random_quads(r);
		random_bytes(r->color, sizeof(r->color));
		expect(r, &e);
		rig_draw(r, EARLY_WHOLE);
		compare(r, &e, n);
	}
}

RIG_TEST(formats_keep_loaded_values) {
	for (unsigned format = 0; format < COLOR_COUNT; format++) {
		const unsigned bytes = color_format_bytes(format);
		for (uint32_t word = 0; word < 0x10000; word += 64) {
			PICA_ALIGNED(64) uint16_t planes[4][BATCH];
			uint8_t memory[BATCH * 4], again[BATCH * 4];
			uint32_t px[BATCH_QUADS];
			random_bytes(memory, sizeof(memory));
			for (unsigned i = 0; i < BATCH; i++) {
				const uint16_t w = (uint16_t)(word + i);
				memcpy(memory + i * bytes, &w, 2);
				px[i / 4] = i & ~3u;
			}
			memset(again, 0, sizeof(again));
			r->k->load[format](planes[0], memory, px, BATCH_QUADS);
			const uint16_t *const src[4] = { planes[0], planes[1], planes[2],
				planes[3] };
			r->k->store[format](again, px, src, ~(uint64_t)0, BATCH_QUADS);
			HOLDS(memcmp(memory, again, BATCH * bytes) == 0);
		}
	}
	/*
	 * Writing truncates: alpha 7F and 80 of RGB5A1, 64 and FE of RGBA4. [HW, transfer engine]
	 */
	static const struct {
		unsigned format;
		uint32_t color;
		uint16_t want;
	} cases[] = {
		{ COLOR_RGB5A1, 0x7F000000, 0 }, { COLOR_RGB5A1, 0x80000000, 1 },
		{ COLOR_RGBA4, 0x64000000, 6 }, { COLOR_RGBA4, 0xFE000000, 0xF },
		{ COLOR_RGB5A1, 0x0000FF, 0xF800 }, { COLOR_RGB5A1, 0x00FF00, 0x07C0 },
		{ COLOR_RGB5A1, 0xFF0000, 0x003E }, { COLOR_RGB565, 0x0000FF, 0xF800 },
		{ COLOR_RGB565, 0x00FF00, 0x07E0 }, { COLOR_RGB565, 0xFF0000, 0x001F },
		{ COLOR_RGBA4, 0x0000FF, 0xF000 }, { COLOR_RGBA4, 0x00FF00, 0x0F00 },
		{ COLOR_RGBA4, 0xFF0000, 0x00F0 },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint16_t got;
		set_stage(r, 0, 0x000E000E, 0, 0, cases[i].color, 0);
		r->regs[REG_COLORBUFFER_FORMAT] = cases[i].format << 16;
		rig_pixel(r);
		memcpy(&got, r->color, 2);
		ck_assert_uint_eq(got, cases[i].want);
	}
	set_stage(r, 0, 0x000E000E, 0, 0, 0x44332211, 0);
	static const uint8_t abgr[] = { 0x44, 0x33, 0x22, 0x11 };
	r->regs[REG_COLORBUFFER_FORMAT] = COLOR_RGBA8 << 16;
	rig_pixel(r);
	ck_assert_mem_eq(r->color, abgr, 4);
	r->regs[REG_COLORBUFFER_FORMAT] = COLOR_RGB8 << 16;
	rig_pixel(r);
	ck_assert_mem_eq(r->color, abgr + 1, 3);
	ck_assert_mem_eq(r->color + 3, abgr + 1, 3);
	ck_assert_uint_eq(r->color[12], 0); /* the fifth pixel is not ours */
}

RIG_TEST(primary_colour_rounds_to_nearest) {
	/*
	 * 0.1 truncated to f24 gives 25 [HW], the binary32 0.1 gives 26; out of range is clamped.
	 */
	const float color[4] = { f24_truncate(0.1f), 0.1f, 1.5f, f32_from_bits(0x7FC00000) };
	memset(r->color, 0xEE, sizeof(r->color));
	rig_quad(r, color, 0.0f);
	static const uint8_t want[4] = { 0, 255, 26, 25 };
	ck_assert_mem_eq(r->color, want, 4);
	const float edge[4] = { -0.5f, 1.0f, 0.5f, 1.0f / 510 };
	rig_quad(r, edge, 0.0f);
	static const uint8_t want_edge[4] = { 1, 128, 255, 0 };
	ck_assert_mem_eq(r->color, want_edge, 4);
}

/* ---- Depth and stencil ---- */

RIG_TEST(depth_is_the_exact_truncation) {
	static const struct {
		float d;
		uint32_t z16, z24;
	} cases[] = { { 0.5f, 0x7FFF, 0x7FFFFF }, { 0.1f, 0x1999, 0x199999 },
		{ 1.0f, 0xFFFF, 0xFFFFFF }, { 0.0f, 0, 0 } };
	PICA_ALIGNED(64) float zow[BATCH], depth[BATCH];
	PICA_ALIGNED(64) uint32_t z[BATCH];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (unsigned j = 0; j < BATCH; j++) {
			zow[j] = cases[i].d;
		}
		r->k->depth[FRAG_DEPTH_Z][0](z, depth, zow, NULL, 1.0f, 0.0f, BATCH);
		ck_assert_uint_eq(z[63], cases[i].z16);
		r->k->depth[FRAG_DEPTH_Z][1](z, depth, zow, NULL, 1.0f, 0.0f, BATCH);
		ck_assert_uint_eq(z[0], cases[i].z24);
	}
	/* 24 by 24 bits are exact in a double: floor says what the truncation must be. */
	for (unsigned round = 0; round < 40000; round++) {
		for (unsigned j = 0; j < BATCH; j++) {
			const uint32_t k = random32();
			/* any binary32 up to 1 */
			zow[j] = round & 1 ? f32_from_bits(k % 0x3F800001) :
					     (float)((double)(k & 0xFFFFFF) /
							     0xFFFFFF); /* beside the steps */
		}
		r->k->depth[FRAG_DEPTH_Z][round >> 1 & 1](z, depth, zow, NULL, 1.0f, 0.0f, BATCH);
		for (unsigned j = 0; j < BATCH; j++) {
			HOLDS(depth[j] == zow[j]);
			HOLDS(z[j] ==
					(uint32_t)floor((double)zow[j] *
							(round >> 1 & 1 ? 0xFFFFFF : 0xFFFF)));
		}
	}
	/* Out of range, infinities, NaN. */
	const float odd[4] = { -1.0f, 2.0f, f32_from_bits(0x7F800000), f32_from_bits(0x7FC00000) };
	memcpy(zow, odd, sizeof(odd));
	r->k->depth[FRAG_DEPTH_Z][1](z, depth, zow, NULL, 1.0f, 0.0f, 4);
	static const uint32_t want[4] = { 0, 0xFFFFFF, 0xFFFFFF, 0 };
	ck_assert_mem_eq(z, want, sizeof(want));
	/* W buffer: times w, or times 1/iw. */
	PICA_ALIGNED(64) const float w[4] = { 0.5f, 0.25f, 2.0f, 4.0f };
	for (unsigned j = 0; j < 4; j++) {
		zow[j] = 0.25f;
	}
	r->k->depth[FRAG_DEPTH_W][1](z, depth, zow, w, 1.0f, 0.0f, 4);
	ck_assert(depth[0] == 0.125f && depth[1] == 0.0625f && depth[2] == 0.5f &&
			depth[3] == 1.0f);
	r->k->depth[FRAG_DEPTH_IW][1](z, depth, zow, w, 1.0f, 0.0f, 4);
	ck_assert(depth[0] == 0.5f && depth[1] == 1.0f && depth[2] == 0.125f &&
			depth[3] == 0.0625f);
}

static uint32_t depth_word(const struct rig *r) {
	uint32_t word;
	memcpy(&word, r->depth, 4);
	return word;
}

RIG_TEST(depth_is_written_without_a_test) {
	static const float white[4] = { 1, 1, 1, 1 };
	/* The console's test: z/w -0.2; scale -1 and offset 0.3 give 0.5, scale -0.5 gives 0.4. */
	const float offset = f24_to_f32(f32_to_f24(0.3f));
	r->regs[REG_DEPTHMAP_OFFSET] = f32_to_f24(0.3f);
	r->regs[REG_DEPTHBUFFER_WRITE] = 2;
	memset(r->depth, 0x77, sizeof(r->depth));
	rig_quad(r, white, -0.2f);
	ck_assert_uint_eq(
			depth_word(r), 0x77000000 | (uint32_t)((double)(0.2f + offset) * 0xFFFFFF));
	ck_assert_double_eq_tol((depth_word(r) & 0xFFFFFF) / 16777215.0, 0.5, 1e-5);
	r->regs[REG_DEPTHMAP_SCALE] = f32_to_f24(-0.5f);
	rig_quad(r, white, -0.2f);
	ck_assert_double_eq_tol((depth_word(r) & 0xFFFFFF) / 16777215.0, 0.4, 1e-5);
	/* Each of the two switches alone stops it. */
	memset(r->depth, 0x77, sizeof(r->depth));
	r->regs[REG_DEPTHBUFFER_WRITE] = 1;
	rig_quad(r, white, -0.2f);
	ck_assert_uint_eq(depth_word(r), 0x77777777);
	r->regs[REG_DEPTHBUFFER_WRITE] = 2;
	r->regs[REG_DEPTH_COLOR_MASK] = 0x0F00;
	rig_quad(r, white, -0.2f);
	ck_assert_uint_eq(depth_word(r), 0x77777777);
	/* D24S8 in memory: 56 34 12 78. */
	r->regs[REG_DEPTH_COLOR_MASK] = 0x1F00;
	r->regs[REG_DEPTHMAP_SCALE] = 0x3F0000;
	r->regs[REG_DEPTHMAP_OFFSET] = 0;
	memset(r->depth, 0x78, sizeof(r->depth));
	rig_quad(r, white, (float)((0x123456 + 0.5) / 0xFFFFFF));
	static const uint8_t want[5] = { 0x56, 0x34, 0x12, 0x78, 0x56 };
	ck_assert_mem_eq(r->depth, want, 5);
}

RIG_TEST(stencil_numbers) {
	static const float white[4] = { 1, 1, 1, 1 };
	/* stored, test word (compare mask, ref, write mask, func, enable), ops, result, alive */
	static const struct {
		uint8_t stored;
		uint32_t test, op;
		uint8_t want;
		bool alive;
	} cases[] = {
		{ 0xFA, 0x0F5AFF21, 0x000, 0xFA, true },  /* 5A & 0F == FA & 0F */
		{ 0xFA, 0xFF5AFF21, 0x007, 0xF9, false }, /* fails whole: decrements */
		{ 0x0A, 0xFF5AF011, 0x200, 0x5A, true },  /* replaced under write mask F0 */
		{ 0xFF, 0xFF00FF11, 0x300, 0xFF, true },  { 0xFF, 0xFF00FF11, 0x600, 0x00, true },
		{ 0x00, 0xFF00FF11, 0x400, 0x00, true },  { 0x00, 0xFF00FF11, 0x700, 0xFF, true },
		{ 0x0F, 0xFF00FF11, 0x500, 0xF0, true },  { 0x0F, 0xFF00FF11, 0x100, 0x00, true },
		{ 0x0F, 0xFF00FF01, 0x102, 0x00, false }, /* never: the fail operation, ref 0 */
		{ 0x0F, 0xFF55FF01, 0x102, 0x55, false },
		{ 0x80, 0xFF7FFF41, 0x300, 0x81, true },  /* 7F < 80 as unsigned bytes */
	};
	r->regs[REG_DEPTHBUFFER_WRITE] = 1;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		memset(r->depth, cases[i].stored, sizeof(r->depth));
		memset(r->color, 0, sizeof(r->color));
		r->regs[REG_STENCIL_TEST] = cases[i].test;
		r->regs[REG_STENCIL_OP] = cases[i].op;
		rig_quad(r, white, 0.0f);
		ck_assert_msg(depth_word(r) >> 24 == cases[i].want, "case %zu: %02X", i,
				depth_word(r) >> 24);
		ck_assert_msg((r->color[0] != 0) == cases[i].alive, "case %zu", i);
		ck_assert_uint_eq(r->depth[0], cases[i].stored); /* depth stays */
	}
	/* Depth fails: its own operation, and the fragment dies. Other formats have no stencil. */
	r->regs[REG_STENCIL_TEST] = 0xFF00FF11;
	r->regs[REG_STENCIL_OP] = 0x630;
	r->regs[REG_DEPTH_COLOR_MASK] = 0x1F01;
	memset(r->depth, 0x10, sizeof(r->depth));
	memset(r->color, 0, sizeof(r->color));
	rig_quad(r, white, 0.0f);
	ck_assert_uint_eq(depth_word(r), 0x11101010);
	ck_assert_uint_eq(r->color[0], 0);
	r->regs[REG_DEPTHBUFFER_WRITE] = 2; /* no stencil writes */
	rig_quad(r, white, 0.0f);
	ck_assert_uint_eq(depth_word(r), 0x11101010);
	r->regs[REG_DEPTHBUFFER_FORMAT] = DEPTH_D24;
	r->regs[REG_STENCIL_TEST] = 0xFF00FF01; /* never, but there is no stencil */
	r->regs[REG_DEPTH_COLOR_MASK] = 0x0F00;
	rig_quad(r, white, 0.0f);
	ck_assert_uint_eq(r->color[0], 255);
}

RIG_TEST(memory_outside_windows_reads_zero) {
	plain_state(r);
	r->regs[REG_DEPTH_COLOR_MASK] = 0x1F61; /* depth greater than stored, written */
	r->regs[REG_DEPTHBUFFER_WRITE] = 3;
	r->regs[REG_BLEND_FUNC] = 0x11110000;
	struct frag_plan *plan = frag_plan_from_regs(r->cache, r->regs, &r->consts);
	HOLDS(target_from_regs(&r->target, r->regs));
	const struct frag_draw d = { .plan = plan, .consts = &r->consts };
	frag_bind(r->scratch, r->k, &r->tk, &r->rk, &d, &r->rs, &r->target);
	memset(&r->b, 0, sizeof(r->b));
	r->b.n_quads = 16;
	r->b.live = ~(uint64_t)0;
	for (unsigned i = 0; i < BATCH; i++) {
		r->b.quad_px[i / 4] = 0x3FFFFFF0; /* far beyond */
		r->b.f[PLANE_IW][i] = 1.0f;
		r->b.f[PLANE_Z][i] = i % 3 ? -0.5f : 0.0f; /* depth 0.5 passes, 0 fails */
	}
	frag_early(r->scratch, &r->b, 0, 16);
	for (unsigned i = 0; i < BATCH; i++) {
		ck_assert_uint_eq(r->b.live >> i & 1, i % 3 != 0);
	}
	frag_shade(r->scratch, &r->b);
	frag_plan_put(plan);
}

RIG_TEST(later_quad_of_the_same_pixels_wins) {
	static struct expected e;
	for (unsigned round = 0; round < 400; round++) {
		plain_state(r); /* opaque, tested early */
		r->regs[REG_DEPTH_COLOR_MASK] = 0x1F01 | (random32() & 0x70);
		r->regs[REG_DEPTHBUFFER_WRITE] = 3;
		r->regs[REG_DEPTHBUFFER_FORMAT] = (const uint32_t[]){ 0, 2, 3 }[round % 3];
		r->regs[REG_COLORBUFFER_FORMAT] = random32() % 5 << 16;
		random_inputs(r);
		random_quads(r);
		for (unsigned q = 0; q < r->b.n_quads; q++) {
			r->b.quad_px[q] = random32() % 3 * 4;
		}
		random_memory(r);
		/* Fragment by fragment in order is what two triangles after each other give. */
		expect(r, &e);
		rig_draw(r, EARLY_BY_QUAD);
		ck_assert(r->info.nothing || (r->info.early && r->info.opaque));
		compare(r, &e, round);
	}
}
