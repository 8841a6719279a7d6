/*
 * Gas: the one note on the console, and numbers by hand from docs/fidelity.md, "Gas". That is a
 * guess, so the tests compare the code with the page, not with the hardware.
 */
#include "frag_expect.h"
#include "pica.h"
#include "tests/suite.h"

enum { F16_ONE = 0x3C00, F16_HALF = 0x3800, F16_QUARTER = 0x3400 };

/* ---- Accumulation ---- */

static void add_state(struct rig *r, unsigned func, uint32_t delta_fx8) {
	plain_state(r);
	r->regs[REG_COLOR_OPERATION] = 0x00E40101;
	r->regs[REG_DEPTHMAP_SCALE] = f32_to_f24(1.0f);
	r->regs[REG_GAS_DELTAZ_DEPTH] = GAS_DELTAZ_DEPTH_DELTA_SET(delta_fx8) |
			GAS_DELTAZ_DEPTH_FUNC_SET(func);
}

static void set_words(struct rig *r, uint32_t color, uint32_t depth) {
	for (unsigned i = 0; i < RIG_PX; i++) {
		memcpy(r->color + 4 * i, &color, 4);
		memcpy(r->depth + 4 * i, &depth, 4);
	}
}

/* Adds a quad with this red (the other channels are not it); pixel 0 afterwards. */
static uint32_t add_quad(struct rig *r, unsigned red, float depth) {
	static const float white[4] = { 1, 1, 1, 1 };
	uint32_t word;
	set_stage(r, 0, 0x000E000E, 0, 0, 0x99887700 | red, 0);
	rig_quad(r, white, depth);
	memcpy(&word, r->color, 4);
	for (unsigned i = 1; i < 4; i++) {
		ck_assert_mem_eq(r->color + 4 * i, r->color, 4);
	}
	return word;
}

/* [DOC, 2014 wiki, in fidelity: gas]: with 126 at 0 the source has no effect, and ... */
RIG_TEST(halves_of_an_ordinary_target) {
	add_state(r, GAS_DEPTH_NEVER, 0);
	for (uint32_t half = 0; half < 0x8000; half++) {
		const uint32_t top = half >> 8 & 0x7F;
		const uint32_t want = top <= 3 ? 0 : top >= 0x7D ? 0x7FFF : half;
		if (half % 128 && half % 61) {
			continue;
		}
		set_words(r, half | half << 16, 0);
		const uint32_t got = add_quad(r, half & 255, 0.5f);
		ck_assert_msg(got == (want | want << 16), "%04X: %08X", half, got);
	}
}

RIG_TEST(densities_add_up_as_f16) {
	/* Always, and far from the depth buffer: both alike. 255 is 1. */
	add_state(r, GAS_DEPTH_ALWAYS, 256 * 1000);
	set_words(r, 0, 0);
	(void)frag_gas_max(r->scratch);
	ck_assert_uint_eq(add_quad(r, 255, 0.5f), 0x3C003C00);
	ck_assert_uint_eq(add_quad(r, 255, 0.5f), 0x40004000);
	ck_assert_uint_eq(frag_gas_max(r->scratch), 0x4000);
	ck_assert_uint_eq(frag_gas_max(r->scratch), 0);
	/* 51/255 = 0.2 in binary32 lies above 0.2; 2.2 is cut to 2.19921875 (0x4066). */
	ck_assert_uint_eq(add_quad(r, 51, 0.5f), 0x40664066);
	/* At 2048 an f16 cannot represent the addition of 1. */
	set_words(r, 0x68006800, 0);
	ck_assert_uint_eq(add_quad(r, 255, 0.5f), 0x68006800);
	/* Less than 2^-14 is nothing; 1/255 is above. A negative half is a number, too. */
	set_words(r, 0xBC000001, 0);
	ck_assert_uint_eq(add_quad(r, 255, 0.5f), 0x00003C00);
	set_words(r, 0xC000BC00, 0);
	ck_assert_uint_eq(add_quad(r, 0, 0.5f), 0xC000BC00);
	(void)frag_gas_max(r->scratch);
	ck_assert_uint_eq(add_quad(r, 0, 0.5f), 0xC000BC00);
	ck_assert_uint_eq(frag_gas_max(r->scratch), 0); /* it is not a maximum */
}

RIG_TEST(depth_takes_from_the_second_density) {
	/*
	 * Stored 0x400000 of 0xFFFFFF, the fragment at 0x800000: the difference is 0.25, and a
	 * little.
	 */
	const uint32_t stored = 0x400000;
	const float near = (0x800000 + 0.5f) / 16777215.0f, same = (0x400000 + 0.5f) / 16777215.0f;
	const float far = (0x200000 + 0.5f) / 16777215.0f;
	static const struct {
		unsigned func;
		bool near_adds, far_adds;
	} funcs[] = { { GAS_DEPTH_NEVER, false, false }, { GAS_DEPTH_ALWAYS, true, true },
		{ GAS_DEPTH_GREATER, true, false }, { GAS_DEPTH_LESS, false, true } };
	for (size_t i = 0; i < ARRAY_LEN(funcs); i++) {
		add_state(r, funcs[i].func, 512); /* times 2 */
		set_words(r, 0, 0xAA000000 | stored);
		ck_assert_uint_eq(add_quad(r, 255, near), funcs[i].near_adds ? 0x38003C00 : 0);
		set_words(r, 0, 0xAA000000 | stored);
		ck_assert_uint_eq(add_quad(r, 255, far), funcs[i].far_adds ? 0x34003C00 : 0);
		/* Equal depth: plain density only. */
		set_words(r, 0, 0xAA000000 | stored);
		ck_assert_uint_eq(add_quad(r, 255, same), funcs[i].func ? 0x00003C00 : 0);
		ck_assert_uint_eq(r->depth[3], 0xAA);
		ck_assert_uint_eq(r->info.reads_depth, funcs[i].func != GAS_DEPTH_NEVER);
		ck_assert(!r->info.writes_depth && r->info.writes_color && r->info.adds_gas);
		ck_assert_uint_eq(r->info.guessed, 1u << PICA_FEATURE_GAS);
	}
	/* Other depth formats: half the range, times 1; and none, where nothing is near. */
	add_state(r, GAS_DEPTH_GREATER, 256);
	r->regs[REG_DEPTHBUFFER_FORMAT] = DEPTH_D16;
	set_words(r, 0, 0);
	ck_assert_uint_eq(add_quad(r, 255, (0x8000 + 0.5f) / 65535.0f) & 0xFFFF0000, 0x38000000);
	r->regs[REG_DEPTHBUFFER_FORMAT] = DEPTH_D24;
	set_words(r, 0, 0);
	ck_assert_uint_eq(
			add_quad(r, 255, (0x800000 + 0.5f) / 16777215.0f) & 0xFFFF0000, 0x38000000);
	r->regs[REG_DEPTHBUFFER_FORMAT] = 1;
	set_words(r, 0, 0);
	ck_assert_uint_eq(add_quad(r, 255, 0.0f), 0x3C003C00);
	ck_assert(!r->info.reads_depth);
	/* 113 = 0; alpha test, masks and blending have no part. */
	r->regs[REG_FRAGOP_ALPHA_TEST] = 1;
	r->regs[REG_DEPTH_COLOR_MASK] = 1;
	r->regs[REG_COLORBUFFER_FORMAT] = 7u << 16;
	ck_assert_uint_eq(add_quad(r, 255, 0.0f), 0x40004000);
	r->regs[REG_COLORBUFFER_WRITE] = 0;
	ck_assert_uint_eq(add_quad(r, 255, 0.0f), 0x40004000);
	ck_assert(r->info.nothing && r->info.guessed == 0);
}

/* ---- Shading ---- */

/* A grey table from 0 to 255 in eight parts; alpha is 1 - density. */
static void shade_state(struct rig *r, struct frag_gas_consts *gas, struct frag_fog_consts *fog) {
	memset(gas, 0, sizeof(*gas));
	gas->inverse_max = 1.0f;
	gas->attenuation = 1.0f;
	for (unsigned i = 0; i < 8; i++) {
		gas->lut[i] = 0x101010; /* 2 * 16 to the next */
		gas->lut[8 + i] = 0x202020 * i;
	}
	for (int i = 0; i < FRAG_FOG_ENTRIES; i++) {
		r->fog_table[i] = FOG_LUT_DATA_VALUE_SET((uint32_t)(2047 - 16 * i)) |
				FOG_LUT_DATA_DIFF_SET((uint32_t)-16);
	}
	*fog = (struct frag_fog_consts){ .table = r->fog_table, .scale = 128.0f };
}

/* R | G<<8 | B<<16 | A<<24 for red of the combiner and a word of densities. */
static uint32_t shade(struct rig *r, const struct frag_gas_consts *gas,
		const struct frag_fog_consts *fog, unsigned red, uint32_t word) {
	PICA_ALIGNED(64) uint16_t in[5][BATCH], out[4][BATCH];
	for (unsigned i = 0; i < BATCH; i++) {
		in[0][i] = (uint16_t)red;
		for (unsigned k = 0; k < 4; k++) { /* R is the highest byte */
			in[1 + k][i] = (uint16_t)(word >> (24 - 8 * k) & 255);
		}
	}
	const struct plane_in planes[2] = { { in[0], 0 }, { in[1], BATCH } };
	r->k->gas_shade(out[0], planes, gas, fog, BATCH);
	for (unsigned k = 0; k < 4; k++) {
		for (unsigned i = 1; i < BATCH; i++) {
			HOLDS(out[k][i] == out[k][0]);
		}
	}
	return out[0][0] | (uint32_t)out[1][0] << 8 | (uint32_t)out[2][0] << 16 |
			(uint32_t)out[3][0] << 24;
}

RIG_TEST(table_by_density) {
	struct frag_gas_consts gas;
	struct frag_fog_consts fog;
	shade_state(r, &gas, &fog);
	/* Place 8 * density: 0, 2 (64), 2.5 (80), and the end of the last part (224 + 32, cut). */
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, 0), 0xFF000000);
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_QUARTER) & 0xFFFFFF, 0x404040);
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, 0x3500) & 0xFFFFFF, 0x505050); /* 0.3125 */
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_ONE) & 0xFFFFFF, 0xFFFFFF);
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, 0x7FFF) & 0xFFFFFF, 0xFFFFFF);
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, 0x83FF) & 0xFFFFFF, 0); /* no subnormals */
	/* The upper half is another density; the maximum scales both. */
	gas.depth_density = true;
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_QUARTER << 16) & 0xFFFFFF, 0x404040);
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_QUARTER) & 0xFFFFFF, 0);
	gas.inverse_max = 0.25f;
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_ONE << 16) & 0xFFFFFF, 0x404040);
	gas.inverse_max = f32_from_bits(0x7FC00000);
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_ONE << 16) & 0xFFFFFF, 0);
	/* Channels, and differences below 0: 200 - 2*100*0.5, 10 + 2*100*0.5, 77. */
	shade_state(r, &gas, &fog);
	gas.lut[4] = 0x00649C;
	gas.lut[12] = 0x4D0AC8;
	/* 0.5625: place 4.5 */
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, 0x3880) & 0xFFFFFF, 0x4D6E64);
}

RIG_TEST(alpha_by_attenuated_density) {
	struct frag_gas_consts gas;
	struct frag_fog_consts fog;
	shade_state(r, &gas, &fog);
	/* The fog table at density: entry 64 is 1023: 127. */
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_HALF) >> 24, (1023 * 255 + 1023) / 2047);
	gas.attenuation = 0.5f;
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_ONE) >> 24, (1023 * 255 + 1023) / 2047);
	gas.attenuation = 4.0f;
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_HALF) >> 24, 0); /* 2047 - 128 * 16, cut */
	/* By the density of the colour; flipped as fog is. */
	gas.attenuation = 1.0f;
	gas.depth_density = true;
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_HALF) >> 24, 255);
	fog.scale = -128.0f;
	fog.offset = 128.0f;
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, 0) >> 24, 0);
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_ONE << 16) >> 24, 255);
}

RIG_TEST(table_by_light) {
	struct frag_gas_consts gas;
	struct frag_fog_consts fog;
	shade_state(r, &gas, &fog);
	gas.by_light = true;
	/* Planar alone: from min to max by the combiner's red. Place 8 * 0.25 = 2: 64. */
	gas.planar = (struct frag_gas_light){ 0.25f, 0.75f, 0.0f };
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_ONE) & 0xFFFFFF, 0x404040);
	ck_assert_uint_eq(shade(r, &gas, &fog, 255, F16_ONE) & 0xFFFFFF, 0xC0C0C0);
	/* Density takes from it: red 1 * (1 - 0.5 * density 1) is half way. */
	gas.planar.attenuation = 0.5f;
	ck_assert_uint_eq(shade(r, &gas, &fog, 255, F16_ONE) & 0xFFFFFF, 0x808080);
	ck_assert_uint_eq(shade(r, &gas, &fog, 255, 0) & 0xFFFFFF, 0xC0C0C0);
	/* Always the plain density. */
	gas.depth_density = true;
	ck_assert_uint_eq(shade(r, &gas, &fog, 255, F16_ONE) & 0xFFFFFF, 0x808080);
	/* In line of sight: by 122's effect; both are added, up to 1. */
	gas.planar = (struct frag_gas_light){ 0.25f, 0.25f, 0.0f };
	gas.view = (struct frag_gas_light){ 0.0f, 1.0f, 0.5f };
	gas.effect = 0.5f;
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, 0) & 0xFFFFFF, 0xC0C0C0);      /* 0.25 + 0.5 */
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, F16_ONE) & 0xFFFFFF, 0x808080); /* 0.25 + 0.25 */
	gas.effect = 1.0f;
	ck_assert_uint_eq(shade(r, &gas, &fog, 0, 0) & 0xFFFFFF, 0xFFFFFF);
}

RIG_TEST(registers_of_shading) {
	static const float white[4] = { 1, 1, 1, 1 };
	static char text[4096];
	struct frag_gas_consts gas;
	struct frag_fog_consts fog;
	shade_state(r, &gas, &fog);
	plain_state(r);
	set_stage(r, 0, 0x000E000E, 0, 0, 0x12345680, 0);
	r->regs[REG_TEXENV_UPDATE_BUFFER] = FOG_MODE_GAS | 8 | 1u << 16;
	r->regs[REG_GAS_ATTENUATION] = F16_HALF;
	r->regs[REG_GAS_ACCMAX] = F16_QUARTER;
	r->regs[REG_GAS_LIGHT_XY] = 0x336600;
	r->regs[REG_GAS_LIGHT_Z] = 0xFF0033;
	r->regs[REG_GAS_LIGHT_Z_COLOR] = 0x100 | 102;
	struct frag_plan *p = frag_plan_from_regs(r->cache, r->regs, &r->consts);
	frag_plan_dump(p, text, sizeof(text));
	ck_assert_str_eq(text, "perspective\nsample texture0.rgba <- coordinates 0\n"
			"gas fogged.rgba <- const0.r, texture0.rgba\n"
			"store rgba8 <- fogged.r, fogged.g, fogged.b, fogged.a\n");
	const struct frag_info *info = frag_plan_info(p);
	ck_assert(info->fog && info->gas && !info->adds_gas && info->opaque && info->early);
	ck_assert_uint_eq(info->guessed, 1u << PICA_FEATURE_GAS);
	ck_assert_uint_eq(info->textures, 1);
	const struct frag_gas_consts *c = &r->consts.gas;
	ck_assert(c->attenuation == 0.5f && c->inverse_max == 0.25f && c->by_light &&
			c->depth_density);
	ck_assert(c->planar.min == 0.0f && c->planar.max == 0.4f && c->planar.attenuation == 0.2f);
	ck_assert(c->view.min == 0.2f && c->view.max == 0.0f && c->view.attenuation == 1.0f);
	ck_assert(c->effect == 0.4f && r->consts.fog.scale == -128.0f);
	frag_plan_put(p);
	/* Without unit 0: no density. Planar: red 128/255 of 0.4; view: 0.2 * 0.6. */
	r->regs[REG_TEXUNIT_CONFIG] = 0;
	rig_quad(r, white, 0.0f);
	ck_assert_uint_eq(r->info.textures, 0);
	ck_assert_uint_eq(r->color[3], 0); /* the rig's table is all 0 */
	/* Only alpha is stored and compared. */
	r->regs[REG_DEPTH_COLOR_MASK] = 0x0800;
	rig_quad(r, white, 0.0f);
	ck_assert(r->info.gas && !r->info.nothing);
}
