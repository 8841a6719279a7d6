/* Plans of states, their text, the cache, and the target of the registers. */
#include "frag_expect.h"
#include "pica.h"
#include "tests/suite.h"

static const char *dump(struct rig *r) {
	static char text[4096];
	struct frag_plan *p = frag_plan_from_regs(r->cache, r->regs, &r->consts);
	r->info = *frag_plan_info(p);
	const int n = frag_plan_dump(p, text, sizeof(text));
	ck_assert_int_lt(n, (int)sizeof(text));
	ck_assert_int_eq(n, (int)strlen(text));
	char cut[10];
	ck_assert_int_eq(frag_plan_dump(p, cut, sizeof(cut)), n);
	ck_assert_uint_eq(strlen(cut), n < 9 ? (size_t)n : 9);
	ck_assert_int_eq(frag_plan_dump(p, NULL, 0), n);
	frag_plan_put(p);
	return text;
}

RIG_TEST(plans_hold_only_visible_work) {
	ck_assert_str_eq(dump(r), "perspective\ncolour primary.rgba\n"
			"store rgba8 <- primary.r, primary.g, primary.b, primary.a\n");
	ck_assert_uint_eq(r->info.planes, 1u << PLANE_IW | 15u << PLANE_COLOR);
	ck_assert(r->info.early && r->info.opaque && r->info.writes_color && !r->info.nothing);
	ck_assert(!r->info.reads_depth && !r->info.writes_depth);
	/* Texture times colour: one call. */
	set_stage(r, 0, 0x00030003, 0, 0x00010001, 0, 0);
	ck_assert_str_eq(dump(r), "perspective\nsample texture0.rgba <- coordinates 0\n"
			"colour primary.rgba\nmodulate out0.rgba <- texture0.rgba, primary.rgba\n"
			"store rgba8 <- out0.r, out0.g, out0.b, out0.a\n");
	ck_assert_uint_eq(r->info.textures, 1);
	ck_assert_uint_eq(r->info.planes, 1u << PLANE_IW | 15u << PLANE_COLOR | 3u << PLANE_TC0);
	/* Ordinary blending: complement of alpha once, one call for four channels. */
	r->regs[REG_BLEND_FUNC] = 0x76760000;
	ck_assert_str_eq(dump(r),
			"perspective\nsample texture0.rgba <- coordinates 0\n"
			"colour primary.rgba\nmodulate out0.rgba <- texture0.rgba, primary.rgba\nload rgba8\n"
			"complement factor1.r <- out0.a\n"
			"blend_add result.rgba <- out0.rgba, out0.aaaa, target.rgba, factor1.rrrr\n"
			"store rgba8 <- result.r, result.g, result.b, result.a\n");
	ck_assert(!r->info.opaque && r->info.early);
	/* RGB565 stores no alpha, so it is not computed; an alpha test computes it. */
	plain_state(r);
	set_stage(r, 0, 0x00030003, 0, 0x00010001, 0, 0);
	r->regs[REG_COLORBUFFER_FORMAT] = COLOR_RGB565 << 16;
	r->regs[REG_DEPTH_COLOR_MASK] = 0x0700; /* alpha masked off: still whole pixels */
	ck_assert_str_eq(dump(r), "perspective\nsample texture0.rgba <- coordinates 0\n"
			"colour primary.rgb\nmodulate out0.rgb <- texture0.rgb, primary.rgb\n"
			"store rgb565 <- out0.r, out0.g, out0.b, full\n");
	ck_assert(r->info.opaque);
	r->regs[REG_FRAGOP_ALPHA_TEST] = 0x61;
	r->regs[REG_DEPTH_COLOR_MASK] = 0x0000; /* nothing but a test */
	dump(r);
	ck_assert(r->info.nothing);
	r->regs[REG_DEPTH_COLOR_MASK] = 0x1000;
	r->regs[REG_DEPTHBUFFER_WRITE] = 2;
	ck_assert_str_eq(dump(r),
			"late d24s8 write\nperspective\n"
			"sample texture0.rgba <- coordinates 0\ncolour primary.a\n"
			"modulate out0.a <- texture0.a, primary.a\nalpha-test out0.a\ndepth-test\n");
	ck_assert(!r->info.early && !r->info.writes_color);
	ck_assert(r->info.writes_depth && !r->info.reads_depth);
	/* Constants meet once a draw. */
	plain_state(r);
	set_stage(r, 0, 0x000E000E, 0, 0, 0, 0);
	set_stage(r, 1, 0x00EF00EF, 0, 0x00020002, 0, 0);
	ck_assert_str_eq(dump(r), "once: add out1.rgba <- const0.rgba, const1.rgba\n"
			"store rgba8 <- out1.r, out1.g, out1.b, out1.a\n");
	ck_assert_uint_eq(r->info.planes, 1u << PLANE_IW);
	/* Depth only. */
	plain_state(r);
	r->regs[REG_COLORBUFFER_WRITE] = 0;
	r->regs[REG_DEPTH_COLOR_MASK] = 0x1F61;
	r->regs[REG_DEPTHBUFFER_WRITE] = 2;
	ck_assert_str_eq(dump(r), "early d24s8 test write\n");
	ck_assert_uint_eq(r->info.planes, 1u << PLANE_IW | 1u << PLANE_Z);
	ck_assert(r->info.reads_depth && r->info.writes_depth && !r->info.writes_color);
}

RIG_TEST(unit_2_may_use_coordinates_1) {
	set_stage(r, 0, 0x00050005, 0, 0, 0, 0);
	dump(r);
	ck_assert_uint_eq(r->info.planes, 1u << PLANE_IW | 3u << PLANE_TC2);
	r->regs[REG_TEXUNIT_CONFIG] |= 1u << 13;
	dump(r);
	ck_assert_uint_eq(r->info.planes, 1u << PLANE_IW | 3u << PLANE_TC1);
	ck_assert_uint_eq(r->info.textures, 4);
}

RIG_TEST(types_of_unit_0_read_w_where_they_need_it) {
	static const struct {
		const char *text;
		uint32_t planes;
	} types[] = {
		{ "sample texture0.rgba <- coordinates 0\n", 3u << PLANE_TC0 },
		{ "sample texture0.rgba <- coordinates 0 with w, cube\n", 7u << PLANE_TC0 },
		{ "sample texture0.rgba <- coordinates 0 with w, shadow\n", 7u << PLANE_TC0 },
		{ "sample texture0.rgba <- coordinates 0 with w, projection\n", 7u << PLANE_TC0 },
		{ "sample texture0.rgba <- coordinates 0 with w, shadow cube\n", 7u << PLANE_TC0 },
		{ NULL, 0 }, /* disabled: zeros */
		{ "sample texture0.rgba <- coordinates 0\n", 3u << PLANE_TC0 },
		{ "sample texture0.rgba <- coordinates 0\n", 3u << PLANE_TC0 },
	};
	for (uint32_t i = 0; i < ARRAY_LEN(types); i++) {
		set_stage(r, 0, 0x00030003, 0, 0, 0, 0);
		r->regs[REG_TEXUNIT0_PARAM] = i << 28;
		const char *text = dump(r);
		ck_assert_uint_eq(r->info.planes, 1u << PLANE_IW | types[i].planes);
		ck_assert_uint_eq(r->info.textures, types[i].text != NULL);
		if (types[i].text) {
			ck_assert_ptr_nonnull(strstr(text, types[i].text));
		} else {
			ck_assert_ptr_null(strstr(text, "sample"));
		}
	}
	/* The other units have no types. */
	set_stage(r, 0, 0x00040004, 0, 0, 0, 0);
	r->regs[REG_TEXUNIT1_PARAM] = 1u << 28;
	dump(r);
	ck_assert_uint_eq(r->info.planes, 1u << PLANE_IW | 3u << PLANE_TC1);
}

static struct frag_info info_of(struct rig *r) {
	dump(r);
	return r->info;
}

RIG_TEST(states_without_effect_are_nothing) {
	ck_assert(!info_of(r).nothing);
	r->regs[REG_COLOR_OPERATION] = 0x102;
	ck_assert(info_of(r).nothing);
	plain_state(r);
	r->regs[REG_FRAGOP_ALPHA_TEST] = 0x01;
	ck_assert(info_of(r).nothing);
	r->regs[REG_FRAGOP_ALPHA_TEST] = 0x11;
	ck_assert(!info_of(r).nothing && info_of(r).early);
	r->regs[REG_FRAGOP_ALPHA_TEST] = 0x61;
	ck_assert(!info_of(r).early);
	plain_state(r);
	r->regs[REG_COLORBUFFER_WRITE] = 0;
	ck_assert(info_of(r).nothing);
	plain_state(r);
	r->regs[REG_DEPTH_COLOR_MASK] = 0x1F01; /* depth never */
	r->regs[REG_DEPTHBUFFER_WRITE] = 3;
	ck_assert(info_of(r).nothing);
	r->regs[REG_STENCIL_TEST] = 0xFF00FF11;
	r->regs[REG_STENCIL_OP] = 0x030; /* but the stencil counts the failures */
	ck_assert(!info_of(r).nothing && info_of(r).writes_depth && !info_of(r).writes_color);
	plain_state(r);
	r->regs[REG_BLEND_FUNC] = 0x10100000; /* the destination stays */
	ck_assert(info_of(r).nothing);
	plain_state(r);
	r->regs[REG_COLOR_OPERATION] = 0;
	r->regs[REG_LOGIC_OP] = LOGIC_OP_NOOP;
	ck_assert(info_of(r).nothing);
	r->regs[REG_LOGIC_OP] = LOGIC_OP_COPY;
	ck_assert(info_of(r).opaque);
	r->regs[REG_COLORBUFFER_FORMAT] = COLOR_RGB565 << 16;
	r->regs[REG_DEPTH_COLOR_MASK] = 0x0800; /* only the alpha that is not stored */
	ck_assert(info_of(r).nothing);
	plain_state(r);
	r->regs[REG_COLOR_OPERATION] = 0;
	/* With reading off, "nothing to do" writes zeros. */
	r->regs[REG_LOGIC_OP] = LOGIC_OP_NOOP;
	r->regs[REG_COLORBUFFER_READ] = 0;
	ck_assert(!info_of(r).nothing && info_of(r).opaque);
}

RIG_TEST(guesses_count_only_where_they_show) {
	ck_assert_uint_eq(info_of(r).guessed, 0);
	r->regs[REG_TEXENV_UPDATE_BUFFER] = 7;
	ck_assert_uint_eq(info_of(r).guessed, 1u << PICA_FEATURE_GAS);
	r->regs[REG_BLEND_FUNC] = 0x10100000; /* the destination stays */
	ck_assert(info_of(r).nothing && info_of(r).guessed == 0);
	plain_state(r);
	r->regs[REG_COLOR_OPERATION] = 0x101;
	ck_assert_uint_eq(info_of(r).guessed, 1u << PICA_FEATURE_GAS);
	/* The procedural unit is sampled where a stage reads it and it is on. */
	plain_state(r);
	set_stage(r, 0, 0x00060006, 0, 0, 0, 0);
	ck_assert(!info_of(r).proctex);
	r->regs[REG_TEXUNIT_CONFIG] |= 1u << 10;
	ck_assert(info_of(r).proctex && info_of(r).guessed == 0);
}

RIG_TEST(values_do_not_make_new_plans) {
	set_stage(r, 0, 0x00EE00EE, 0, 0x00010001, 0x12345678, 0);
	struct frag_plan *a = frag_plan_from_regs(r->cache, r->regs, &r->consts);
	set_stage(r, 0, 0x00EE00EE, 0, 0x00010001, 0x87654321, 0);
	r->regs[REG_BLEND_COLOR] = 0x01020304;
	r->regs[REG_TEXENV_BUFFER_COLOR] = 0x05060708;
	r->regs[REG_STENCIL_TEST] = 0xA1B2C3F0;
	r->regs[REG_FRAGOP_ALPHA_TEST] = 0x4400;
	r->regs[REG_DEPTHMAP_OFFSET] = 0x3E0000;
	struct frag_plan *b = frag_plan_from_regs(r->cache, r->regs, &r->consts);
	ck_assert_ptr_eq(a, b);
	static const uint8_t color[4] = { 0x21, 0x43, 0x65, 0x87 }, blend[4] = { 4, 3, 2, 1 };
	static const uint8_t buffer[4] = { 8, 7, 6, 5 };
	ck_assert_mem_eq(r->consts.tev_color[0], color, 4);
	ck_assert_mem_eq(r->consts.blend_color, blend, 4);
	ck_assert_mem_eq(r->consts.buffer_color, buffer, 4);
	ck_assert_uint_eq(r->consts.alpha_ref, 0x44);
	ck_assert_uint_eq(r->consts.stencil_compare_mask, 0xA1);
	ck_assert_uint_eq(r->consts.stencil_ref, 0xB2);
	ck_assert_uint_eq(r->consts.stencil_write_mask, 0xC3);
	ck_assert(r->consts.depth_scale == -1.0f && r->consts.depth_offset == 0.5f);
	frag_plan_put(a);
	/* A plan that is held outlives any number of others. */
	for (unsigned i = 0; i < 3000; i++) {
		random_state(r);
		struct frag_consts consts;
		frag_plan_put(frag_plan_from_regs(r->cache, r->regs, &consts));
	}
	plain_state(r);
	set_stage(r, 0, 0x00EE00EE, 0, 0x00010001, 0, 0);
	struct frag_plan *c = frag_plan_from_regs(r->cache, r->regs, &r->consts);
	ck_assert_ptr_eq(b, c);
	frag_plan_put(b);
	frag_cache_destroy(r->cache);
	r->cache = frag_cache_create(NULL);
	ck_assert(frag_plan_info(c)->opaque); /* ours still, after its cache is gone */
	frag_plan_put(c);
}

/* ---- Target ---- */

RIG_TEST(target_registers) {
	struct target t;
	r->regs[REG_FRAMEBUFFER_DIM] = 1u << 24 | 399 << 12 | 240;
	r->regs[REG_COLORBUFFER_LOC] = 0xF3000007; /* the low bits and the top ones do not count */
	r->regs[REG_DEPTHBUFFER_LOC] = 0x18000000 >> 3;
	ck_assert(target_from_regs(&t, r->regs));
	ck_assert_uint_eq(t.width, 240);
	ck_assert_uint_eq(t.height, 400);
	ck_assert(t.flip && !t.block32 && !t.color && !t.depth);
	ck_assert_uint_eq(t.color_addr, 0x18000000);
	ck_assert_uint_eq(t.depth_addr, 0x18000000);
	ck_assert_uint_eq(t.color_bytes, 240 * 400 * 4);
	ck_assert_uint_eq(t.depth_bytes, 240 * 400 * 4);
	r->regs[REG_DEPTHBUFFER_FORMAT] = DEPTH_D24;
	r->regs[REG_COLORBUFFER_FORMAT] = COLOR_RGB565 << 16;
	r->regs[REG_FRAMEBUFFER_DIM] = 0u << 24 | 398 << 12 | 240; /* 399 rows: 50 blocks */
	ck_assert(target_from_regs(&t, r->regs));
	ck_assert(!t.flip);
	ck_assert_uint_eq(t.color_bytes, 240 * 400 * 2);
	ck_assert_uint_eq(t.depth_bytes, 240 * 400 * 3);
	r->regs[REG_FRAMEBUFFER_BLOCK32] = 1;
	ck_assert(target_from_regs(&t, r->regs));
	ck_assert(t.block32);
	ck_assert_uint_eq(t.color_bytes, 256 * 416 * 2);
	ck_assert_uint_eq(t.depth_bytes, 256 * 416 * 3);
	ck_assert_uint_lt(tiled_index(239, 398, 240, 1), 256 * 416); /* the last pixel is inside */
	ck_assert_uint_lt(tiled_index(200, 398, 240, 1), 256 * 416);
	r->regs[REG_FRAMEBUFFER_DIM] = 2040 | 1023 << 12; /* the largest */
	r->regs[REG_COLORBUFFER_FORMAT] = 0;
	r->regs[REG_DEPTHBUFFER_FORMAT] = DEPTH_INVALID;
	ck_assert(target_from_regs(&t, r->regs));
	ck_assert_uint_eq(t.color_bytes, 2048u * 1024 * 4);
	ck_assert_uint_eq(t.depth_bytes, 0);
	r->regs[REG_FRAMEBUFFER_DIM] = 0;
	ck_assert(!target_from_regs(&t, r->regs));
	r->regs[REG_FRAMEBUFFER_DIM] = 100; /* not whole blocks */
	ck_assert(!target_from_regs(&t, r->regs));
	r->regs[REG_FRAMEBUFFER_DIM] = 104;
	for (uint32_t format = 0; format < 8; format++) {
		r->regs[REG_COLORBUFFER_FORMAT] = format << 16;
		ck_assert_int_eq(target_from_regs(&t, r->regs), format < 5);
	}
}

TEST(addresses_of_the_document) {
	/* 240x400, memory rows: normal order has row = 399 - y. */
	ck_assert_uint_eq(tiled_index(0, 399 - 399, 240, 0), 0);
	ck_assert_uint_eq(tiled_index(0, 399 - 0, 240, 0), 94122);
	ck_assert_uint_eq(tiled_index(120, 399 - 200, 240, 0), 47082);
	ck_assert_uint_eq(tiled_index(239, 399 - 399, 240, 0), 1877);
	ck_assert_uint_eq(94122 * color_format_bytes(COLOR_RGBA8), 376488);
	ck_assert_uint_eq(47082 * color_format_bytes(COLOR_RGBA8), 188328);
	ck_assert_uint_eq(1877 * color_format_bytes(COLOR_RGBA8), 7508);
	ck_assert_uint_eq(color_format_bytes(COLOR_RGB8), 3);
	ck_assert_uint_eq(color_format_bytes(7), 0);
	ck_assert_uint_eq(depth_format_bytes(DEPTH_D24), 3);
	ck_assert_uint_eq(depth_format_bytes(DEPTH_INVALID), 0);
	ck_assert_str_eq(color_format_name(COLOR_RGB5A1), "rgb5a1");
	ck_assert_str_eq(depth_format_name(DEPTH_D24S8), "d24s8");
	ck_assert_str_eq(color_format_name(5), "?");
}
