/*
 * Fog: the numbers [fidelity: combiner-numbers], every factor, and when depth is computed for it.
 */
#include "frag_expect.h"
#include "tests/suite.h"

static uint32_t entry(int value, int difference) {
	return FOG_LUT_DATA_VALUE_SET((uint32_t)value) |
			FOG_LUT_DATA_DIFF_SET((uint32_t)difference);
}

/* Fog over a constant colour, all channels c; the fog is fog in all channels. */
static void fog_state(struct rig *r, unsigned c, unsigned fog) {
	plain_state(r);
	set_stage(r, 0, 0x000E000E, 0, 0, c * 0x01010101, 0);
	r->regs[REG_TEXENV_UPDATE_BUFFER] = FOG_MODE_FOG;
	r->regs[REG_FOG_COLOR] = fog * 0x01010101; /* the top byte is not part of it */
	r->regs[REG_DEPTHMAP_SCALE] = f32_to_f24(1.0f);
}

/* R, G, B of pixel 0 (they are the same) after a quad at this depth. */
static unsigned fogged(struct rig *r, float depth) {
	static const float white[4] = { 1, 1, 1, 1 };
	memset(r->color, 0, sizeof(r->color));
	rig_quad(r, white, depth);
	ck_assert_uint_eq(r->color[1], r->color[3]);
	ck_assert_uint_eq(r->color[2], r->color[3]);
	return r->color[3];
}

RIG_TEST(numbers_of_the_spec) {
	/* value 1024, difference -512, f 0.5: 768/2047; 200 over 40 gives 100. Alpha stays. */
	fog_state(r, 200, 40);
	r->fog_table[32] = entry(1024, -512);
	ck_assert_uint_eq(fogged(r, 32.5f / 128), 100);
	ck_assert_uint_eq(r->color[0], 200);
	/* Where in the table: entries that differ, and depth 1 at the end of the last. */
	fog_state(r, 255, 0);
	for (int i = 0; i < FRAG_FOG_ENTRIES; i++) {
		r->fog_table[i] = entry(2047 * i / 127, 0);
	}
	r->fog_table[32] = entry(0, 2047);
	r->fog_table[127] = entry(2047, -2047);
	ck_assert_uint_eq(fogged(r, 0.251953125f), 64); /* i = 32, f = 0.25: 512/2047 */
	ck_assert_uint_eq(fogged(r, 0.5f), (255 * (2047 * 64 / 127) + 1023) / 2047);
	ck_assert_uint_eq(fogged(r, 127.0f / 128), 255);
	ck_assert_uint_eq(fogged(r, 127.5f / 128), 128); /* 1023.5 is rounded up */
	ck_assert_uint_eq(fogged(r, 1.0f), 0);
	ck_assert_uint_eq(fogged(r, 7.0f), 0);   /* clamped like the depth buffer's */
	ck_assert_uint_eq(fogged(r, -1.0f), 0);
	/* Flipped, depth 0.25 reads entry 96. */
	r->fog_table[96] = entry(1000, 0);
	r->regs[REG_TEXENV_UPDATE_BUFFER] |= 1u << 16;
	ck_assert_uint_eq(fogged(r, 0.25f), (255 * 1000 + 1023) / 2047);
	ck_assert_uint_eq(fogged(r, 0.0f), 0); /* the end of entry 127 */
	ck_assert_uint_eq(fogged(r, 1.0f), 0); /* entry 0 */
	/* Words that a title uploads: whole until entry 126, which ends near where 127 starts. */
	plain_state(r);
	fog_state(r, 255, 0);
	for (int i = 0; i < 126; i++) {
		r->fog_table[i] = 0x00FFE000;
	}
	r->fog_table[126] = 0x00FFFEE6;
	r->fog_table[127] = 0x00DCD919;
	ck_assert_uint_eq(fogged(r, 100.3f / 128), 255);
	ck_assert_uint_eq(fogged(r, 126.5f / 128), (255 * (2047 - 141) + 1023) / 2047);
	ck_assert_uint_eq(fogged(r, 127.0f / 128), (255 * 1766 + 1023) / 2047);
	ck_assert_uint_eq(fogged(r, 1.0f), 0);
	/* Interpolation past either end is cut off. */
	r->fog_table[0] = entry(2047, 0xFFF);
	r->fog_table[1] = entry(0, -0x1000);
	ck_assert_uint_eq(fogged(r, 0.5f / 128), 255);
	ck_assert_uint_eq(fogged(r, 1.5f / 128), 0);
}

RIG_TEST(each_channel_has_its_own_fog) {
	static const float white[4] = { 1, 1, 1, 1 };
	fog_state(r, 0, 0);
	set_stage(r, 0, 0x000E000E, 0, 0, 0x78C8640A, 0);
	r->regs[REG_FOG_COLOR] = 0xFF030201;
	r->fog_table[0] = entry(0, 0);
	rig_quad(r, white, 0.0f);
	static const uint8_t fog[4] = { 0x78, 3, 2, 1 };
	ck_assert_mem_eq(r->color, fog, 4);
	r->fog_table[0] = entry(0x7FF, 0);
	rig_quad(r, white, 0.0f);
	static const uint8_t all[4] = { 0x78, 0xC8, 0x64, 0x0A };
	ck_assert_mem_eq(r->color, all, 4);
	/* The other modes of 0E0 leave the colour alone. */
	r->fog_table[0] = entry(0, 0);
	for (uint32_t mode = 0; mode < 7; mode++) {
		r->regs[REG_TEXENV_UPDATE_BUFFER] = mode;
		rig_quad(r, white, 0.0f);
		ck_assert_mem_eq(r->color, mode == FOG_MODE_FOG ? fog : all, 4);
	}
}

RIG_TEST(every_factor_rounds_to_nearest) {
	static const uint8_t fogs[] = { 0, 1, 127, 128, 200, 255 };
	PICA_ALIGNED(64) uint16_t src[3][BATCH], out[3][BATCH];
	PICA_ALIGNED(64) static const float depth[BATCH];
	uint32_t table[FRAG_FOG_ENTRIES] = { 0 };
	const struct plane_in in = { src[0], BATCH };
	for (unsigned v = 0; v < 2048; v++) {
		table[0] = entry((int)v, 0);
		for (unsigned f = 0; f < sizeof(fogs); f += 3) {
			const struct frag_fog_consts fog = { .table = table, .scale = 128.0f,
				.color = { fogs[f], fogs[f + 1], fogs[f + 2] } };
			for (unsigned c = 0; c < 256; c += BATCH) {
				for (unsigned i = 0; i < 3 * BATCH; i++) {
					src[i / BATCH][i % BATCH] = (uint16_t)(c + i % BATCH);
				}
				r->k->fog(out[0], &in, depth, &fog, BATCH);
				for (unsigned i = 0; i < 3 * BATCH; i++) {
					const unsigned fog_byte = fogs[f + i / BATCH];
					const unsigned want = (v * (c + i % BATCH) +
							(2047 - v) * fog_byte + 1023) / 2047;
					HOLDS(out[i / BATCH][i % BATCH] == want);
				}
			}
		}
	}
	/* The divisors of fog_v.c. */
	for (uint32_t t = 0; t <= 2047 * 255 + 1023; t++) {
		HOLDS((t + (t >> 11) + 1) >> 11 == t / 2047);
	}
}

/* The console's tests: fog does not depend on blending, logic operations, depth test or mask. */
RIG_TEST(depth_is_there_whatever_the_tests_are) {
	static const uint32_t masks[] = { 0x0F00, 0x0F01 | COMPARE_ALWAYS << 4, 0x1F00,
		0x1F01 | COMPARE_GEQUAL << 4 };
	for (unsigned i = 0; i < 4 * 3 * 2 * 4; i++) {
		fog_state(r, 200, 40);
		r->fog_table[32] = entry(1024, -512);
		r->regs[REG_DEPTH_COLOR_MASK] = masks[i % 4];
		r->regs[REG_DEPTHBUFFER_FORMAT] =
				(const uint32_t[]){ 1, DEPTH_D16, DEPTH_D24S8 }[i / 4 % 3];
		r->regs[REG_DEPTHBUFFER_WRITE] = 3;
		/* Late tests, stencil alone, and both. */
		r->regs[REG_FRAGOP_ALPHA_TEST] = i / 24 & 1 ? 1 | COMPARE_EQUAL << 4 | 200 << 8 : 0;
		r->regs[REG_STENCIL_TEST] = i / 48 & 1 ? 0xFF00FF01 | COMPARE_ALWAYS << 4 : 0;
		r->regs[REG_STENCIL_OP] = STENCIL_OP_INCR << 8;
		memset(r->depth, 0, sizeof(r->depth));
		for (unsigned w_buffer = 0; w_buffer < 2; w_buffer++) {
			r->regs[REG_DEPTHMAP_ENABLE] = !w_buffer;
			/* rig_quad() has w = 1; 1/w = 0.5 makes w 2 and wants z/w half as large. */
			ck_assert_msg(fogged(r, 32.5f / 128) == 100, "case %u", i);
			for (unsigned k = 0; k < 4; k++) {
				r->b.f[PLANE_IW][k] = 0.5f;
				r->b.f[PLANE_Z][k] = (w_buffer ? 0.5f : 1.0f) * 32.5f / 128;
			}
			r->b.live = 15;
			memset(r->color, 0, sizeof(r->color));
			rig_draw(r, EARLY_WHOLE);
			ck_assert_msg(r->color[1] == 100, "case %u: %u", i, r->color[1]);
		}
	}
	/* Blended and combined by logic as any colour: 100 + 7, 100 ^ 7. */
	fog_state(r, 200, 40);
	r->regs[REG_BLEND_FUNC] = 0x11110000;
	static const float white[4] = { 1, 1, 1, 1 };
	memset(r->color, 7, sizeof(r->color));
	rig_quad(r, white, 32.5f / 128);
	ck_assert_uint_eq(r->color[1], 107);
	r->regs[REG_COLOR_OPERATION] = 0x00E40000;
	r->regs[REG_LOGIC_OP] = LOGIC_OP_XOR;
	memset(r->color, 7, sizeof(r->color));
	rig_quad(r, white, 32.5f / 128);
	ck_assert_uint_eq(r->color[1], 100 ^ 7);
}

static const char *dump(struct rig *r) {
	static char text[4096];
	struct frag_plan *p = frag_plan_from_regs(r->cache, r->regs, &r->consts);
	r->info = *frag_plan_info(p);
	ck_assert_ptr_null(r->consts.fog.table);
	frag_plan_dump(p, text, sizeof(text));
	frag_plan_put(p);
	return text;
}

RIG_TEST(plans_with_fog) {
	plain_state(r);
	r->regs[REG_TEXENV_UPDATE_BUFFER] = FOG_MODE_FOG;
	ck_assert_str_eq(dump(r), "perspective\ncolour primary.rgba\ndepth\n"
			"fog fogged.rgb <- primary.rgb\n"
			"store rgba8 <- fogged.r, fogged.g, fogged.b, primary.a\n");
	ck_assert(r->info.fog && r->info.opaque && r->info.early);
	ck_assert_uint_eq(r->info.planes, 1u << PLANE_IW | 1u << PLANE_Z | 15u << PLANE_COLOR);
	/* The depth test's depth serves. */
	r->regs[REG_DEPTH_COLOR_MASK] = 0x1F41;
	ck_assert_str_eq(dump(r), "early d24s8 test\nperspective\ncolour primary.rgba\n"
			"fog fogged.rgb <- primary.rgb\n"
			"store rgba8 <- fogged.r, fogged.g, fogged.b, primary.a\n");
	/* Only alpha is written: no fog. */
	r->regs[REG_DEPTH_COLOR_MASK] = 0x0800;
	dump(r);
	ck_assert(!r->info.fog && r->info.planes == (1u << PLANE_IW | 8u << PLANE_COLOR));
	/* The colour is not used: neither. */
	r->regs[REG_DEPTH_COLOR_MASK] = 0x0F00;
	r->regs[REG_BLEND_FUNC] = 0x10100000;
	dump(r);
	ck_assert(!r->info.fog && r->info.nothing);
	/* A W buffer matters to fog alone, too. */
	plain_state(r);
	set_stage(r, 0, 0x000E000E, 0, 0, 0, 0);
	r->regs[REG_TEXENV_UPDATE_BUFFER] = FOG_MODE_FOG;
	r->regs[REG_DEPTHMAP_ENABLE] = 0;
	ck_assert_str_eq(dump(r), "perspective\ndepth\nfog fogged.rgb <- const0.rgb\n"
			"store rgba8 <- fogged.r, fogged.g, fogged.b, const0.a\n");
}
