/* Shadow maps as targets: the numbers [fidelity: output-numbers], and registers without effect. */
#include "frag_expect.h"

enum {
	F16_ONE_AND_A_HALF = 0x3E00,
	F16_MINUS_ONE = 0xBC00,
	F16_INFINITY = 0x7C00,
	F16_NAN = 0x7E00
};

static void shadow_state(struct rig *r) {
	plain_state(r);
	r->regs[REG_COLOR_OPERATION] = 0x00E40103;
	r->regs[REG_DEPTHMAP_SCALE] = f32_to_f24(1.0f);
	r->regs[REG_FRAGOP_SHADOW] = FRAGOP_SHADOW_CONSTANT_SET(F16_ONE_AND_A_HALF) |
			FRAGOP_SHADOW_LINEAR_SET(F16_MINUS_ONE);
}

/* A quad whose integer depth is z, with the combiner's green; the other channels are not it. */
static void shadow_quad(struct rig *r, uint32_t z, unsigned green) {
	static const float white[4] = { 1, 1, 1, 1 };
	set_stage(r, 0, 0x000E000E, 0, 0, 0x77330000 | green << 8 | (green ^ 0x5A), 0);
	rig_quad(r, white, ((float)z + 0.5f) / 16777215.0f);
}

/* The four bytes of pixel 0, first byte highest; the quad's others are the same. */
static uint32_t shadow_word(const struct rig *r) {
	for (unsigned i = 4; i < 16; i++) {
		ck_assert_uint_eq(r->color[i], r->color[i - 4]);
	}
	return (uint32_t)r->color[0] << 24 | (uint32_t)r->color[1] << 16 |
			(uint32_t)r->color[2] << 8 | r->color[3];
}

RIG_TEST(numbers_of_the_spec) {
	shadow_state(r);
	memset(r->color, 0xFF, sizeof(r->color));
	shadow_quad(r, 0x400000, 0);
	ck_assert_uint_eq(shadow_word(r), 0x400000FF);
	shadow_quad(r, 0x200000, 128);
	ck_assert_uint_eq(shadow_word(r), 0x40000080);
	shadow_quad(r, 0x500000, 0);
	shadow_quad(r, 0x500000, 1);
	ck_assert_uint_eq(shadow_word(r), 0x40000080);
	/* Equal depth changes nothing; density only falls. */
	shadow_quad(r, 0x400000, 0);
	shadow_quad(r, 0x400000, 1);
	shadow_quad(r, 0x200000, 129);
	ck_assert_uint_eq(shadow_word(r), 0x40000080);
	shadow_quad(r, 0x200000, 127);
	ck_assert_uint_eq(shadow_word(r), 0x4000007F);
	/* A hard fragment leaves the density. */
	shadow_quad(r, 0x3FFFFF, 0);
	ck_assert_uint_eq(shadow_word(r), 0x3FFFFF7F);
	/* The quotient is truncated: 100 / (1.5 - 1/4) = 80; 100 / (1.5 - 1/8) = 72.7. */
	memset(r->color, 0xFF, sizeof(r->color));
	shadow_quad(r, 0x800000, 0);
	shadow_quad(r, 0x200000, 100);
	ck_assert_uint_eq(shadow_word(r), 0x80000050);
	shadow_quad(r, 0x100000, 100);
	ck_assert_uint_eq(shadow_word(r), 0x80000048);
}

RIG_TEST(quotients_out_of_range) {
	static const struct {
		uint32_t constant, linear, want;
	} cases[] = {
		{ 0, 0, 0x800000FF },                    /* s / 0: 255, no change */
		{ 0x8000, 0x8000, 0x80000000 },          /* s / -0: 0 */
		{ F16_MINUS_ONE, 0, 0x80000000 },        /* negative */
		{ F16_INFINITY, 0, 0x80000000 },         /* s / inf */
		{ F16_NAN, 0, 0x80000000 },
		{ F16_INFINITY, F16_INFINITY | 0x8000, 0x80000000 }, /* inf - inf */
		{ 0x0001, 0, 0x800000FF },               /* 2^-24: too large */
		{ 0x3C00, 0, 0x80000064 },               /* 1: as it is */
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		shadow_state(r);
		r->regs[REG_FRAGOP_SHADOW] = FRAGOP_SHADOW_CONSTANT_SET(cases[i].constant) |
				FRAGOP_SHADOW_LINEAR_SET(cases[i].linear);
		memset(r->color, 0xFF, sizeof(r->color));
		shadow_quad(r, 0x800000, 0);
		shadow_quad(r, 0x400000, 100);
		ck_assert_msg(shadow_word(r) == cases[i].want, "case %zu: %08X", i, shadow_word(r));
	}
	/* A stored depth of 0 is never passed. */
	memset(r->color, 0, sizeof(r->color));
	shadow_quad(r, 0, 0);
	shadow_quad(r, 0, 50);
	ck_assert_uint_eq(shadow_word(r), 0);
}

RIG_TEST(other_registers_have_no_part) {
	static const struct {
		uint32_t id, word;
	} others[] = {
		{ REG_FRAGOP_ALPHA_TEST, 0x01 },         /* never */
		{ REG_STENCIL_TEST, 0xFF00FF01 },        /* never */
		{ REG_DEPTH_COLOR_MASK, 0x0001 },        /* depth never, all channels masked */
		{ REG_BLEND_FUNC, 0x00000000 },          /* zero, zero */
		{ REG_COLORBUFFER_FORMAT, 3u << 16 },    /* RGB565 */
		{ REG_COLORBUFFER_FORMAT, 7u << 16 },    /* none at all */
		{ REG_DEPTHBUFFER_FORMAT, 1 },
		{ REG_COLORBUFFER_READ, 0 },
		{ REG_DEPTHBUFFER_WRITE, 0 },
		{ REG_TEXENV_UPDATE_BUFFER, 5 },         /* fog: green would be 0 */
		{ REG_COLOR_OPERATION, 0x00E40003 },     /* logic operation: clear */
	};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		shadow_state(r);
		r->regs[others[i].id] = others[i].word;
		memset(r->color, 0xFF, sizeof(r->color));
		memset(r->depth, 0x11, sizeof(r->depth));
		shadow_quad(r, 0x400000, 0);
		shadow_quad(r, 0x200000, 128);
		ck_assert_msg(shadow_word(r) == 0x40000080, "case %zu: %08X", i, shadow_word(r));
		ck_assert_uint_eq(r->color[16], 0xFF);
		for (unsigned k = 0; k < sizeof(r->depth); k++) {
			HOLDS(r->depth[k] == 0x11);
		}
	}
	/* Settings with an effect: 113, and the W buffer. */
	shadow_state(r);
	memset(r->color, 0xFF, sizeof(r->color));
	r->regs[REG_COLORBUFFER_WRITE] = 0;
	shadow_quad(r, 0x400000, 0);
	ck_assert(r->info.nothing);
	ck_assert_uint_eq(shadow_word(r), 0xFFFFFFFF);
	r->regs[REG_COLORBUFFER_WRITE] = 2;
	r->regs[REG_DEPTHMAP_ENABLE] = 0;
	set_stage(r, 0, 0x000E000E, 0, 0, 0, 0);
	for (unsigned i = 0; i < 4; i++) {
		r->b.f[PLANE_IW][i] = 2.0f;
		r->b.f[PLANE_Z][i] = 0.5f;
	}
	r->b.live = 15;
	rig_draw(r, EARLY_WHOLE);
	ck_assert_uint_eq(shadow_word(r), 0x3FFFFFFF); /* a quarter */
}

RIG_TEST(random_maps_are_the_naive_pixel) {
	static struct expected e;
	unsigned changed = 0;
	for (unsigned round = 0; round < 2000; round++) {
		random_state(r);
		r->regs[REG_COLOR_OPERATION] = 3;
		r->regs[REG_COLORBUFFER_WRITE] = 15;
		if (one_in(3)) { /* hard */
			set_stage(r, 5, 0x000E000E, 0, 0, 0xFFFF00FF, 0);
		}
		random_inputs(r);
		random_quads(r);
		for (unsigned q = 0; q < r->b.n_quads; q++) { /* the same pixels again and again */
			r->b.quad_px[q] = one_in(2) ? random32() % 3 * 4 : r->b.quad_px[q];
		}
		random_memory(r);
		expect(r, &e);
		changed += memcmp(e.color, r->color, sizeof(e.color)) != 0;
		rig_draw(r, round & 1 ? EARLY_WHOLE : EARLY_BY_QUAD);
		compare(r, &e, round);
		ck_assert(r->info.writes_color && !r->info.writes_depth && !r->info.reads_depth);
		ck_assert(!r->info.opaque && !r->info.early);
	}
	ck_assert_uint_gt(changed, 1500);
}

RIG_TEST(plans_of_shadow_maps) {
	static char text[4096];
	shadow_state(r);
	set_stage(r, 0, 0x00030003, 0, 0x00010001, 0, 0); /* texture times colour: no alpha */
	struct frag_plan *p = frag_plan_from_regs(r->cache, r->regs, &r->consts);
	frag_plan_dump(p, text, sizeof(text));
	ck_assert_str_eq(text,
			"perspective\nsample texture0.rgba <- coordinates 0\n"
			"colour primary.rgb\nmodulate out0.rgb <- texture0.rgb, primary.rgb\ndepth\n"
			"shadow-map <- depth, out0.g\n");
	ck_assert_uint_eq(frag_plan_info(p)->planes, 1u << PLANE_IW | 1u << PLANE_Z |
			7u << PLANE_COLOR | 3u << PLANE_TC0);
	frag_plan_put(p);
	/* The target has 4 bytes a pixel, and is one however its format reads. */
	r->regs[REG_COLORBUFFER_FORMAT] = 6u << 16;
	ck_assert(target_from_regs(&r->target, r->regs));
	ck_assert_uint_eq(r->target.color_bytes, RIG_PX * 4);
	r->regs[REG_COLOR_OPERATION] = 0;
	ck_assert(!target_from_regs(&r->target, r->regs));
}
