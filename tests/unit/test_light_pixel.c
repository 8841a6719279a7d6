/* Fragment lighting: the effect of each register on a pixel, and plans with lighting. */
#include "frag_rig.h"

/* Primary or secondary colour straight into the target. */
enum { PRIMARY = 1, SECONDARY = 2 };

static void lit_state(struct rig *r) {
	plain_state(r);
	r->regs[REG_LIGHTING_ENABLE0] = 1;
	r->regs[REG_LIGHTING_ENABLE1] = 0;
	r->regs[REG_LIGHTING_LIGHT_PERMUTATION] = 0x76543210;
	r->regs[REG_LIGHTING_CONFIG0] = 1u << 31 | 4 << 8;
	r->regs[REG_LIGHTING_CONFIG1] = 0xFFFFFFFF; /* all tables off */
	r->regs[REG_LIGHTING_LUTINPUT_ABS] = 0x02222222;
	r->regs[REG_LIGHT0_CONFIG] = 1;
	r->regs[REG_LIGHT0_Z] = 0x3C00; /* towards (0, 0, 1) */
	r->regs[REG_LIGHT0_DIFFUSE] = 0x0FF3FCFF;
	r->regs[REG_LIGHT0_AMBIENT] = 51 | 51 << 10 | 51 << 20;
	r->regs[REG_LIGHT0_SPECULAR0] = 128 | 128 << 10 | 128 << 20;
}

/* R | G<<8 | B<<16 | A<<24 with N = (0, 0, 1) and this view vector. */
static uint32_t lit_pixel_at(struct rig *r, unsigned source, const float view[3]) {
	set_stage(r, 0, source * 0x00010001, 0, 0, 0, 0);
	memset(r->color, 0, sizeof(r->color));
	memset(&r->b, 0, sizeof(r->b));
	r->b.n_quads = 1;
	r->b.live = 15;
	for (unsigned i = 0; i < 4; i++) {
		r->b.f[PLANE_IW][i] = 1.0f;
		r->b.f[PLANE_QUAT + 3][i] = 1.0f;
		for (unsigned c = 0; c < 3; c++) {
			r->b.f[PLANE_VIEW + c][i] = view[c];
		}
	}
	rig_draw(r, EARLY_WHOLE);
	return (uint32_t)r->color[3] | (uint32_t)r->color[2] << 8 | (uint32_t)r->color[1] << 16 |
			(uint32_t)r->color[0] << 24;
}

static uint32_t lit_pixel(struct rig *r, unsigned source) {
	return lit_pixel_at(r, source, (const float[3]){ 0, 0, 1 });
}

static uint32_t gray(unsigned v) {
	return 0xFF000000 | v * 0x010101;
}

/* A table that is v everywhere. */
static void flat_table(struct rig *r, unsigned table, float v) {
	for (unsigned i = 0; i < LIGHT_ENTRIES; i++) {
		r->table[table][i] = (struct light_entry){ v, 0 };
	}
}

RIG_TEST(one_light_gives_the_specified_pixels) {
	lit_state(r);
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), gray(255)); /* 1 + .2, clamped */
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(128));
	r->regs[REG_LIGHT0_Z] = 0xBC00; /* from behind */
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), gray(51));
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(128));
	r->regs[REG_LIGHTING_CONFIG0] |= 1 << 27; /* no highlight in the dark */
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(0));
	r->regs[REG_LIGHT0_CONFIG] |= 2; /* two sides */
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), gray(255));
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(128));
	/* Global ambient goes into primary alone. */
	lit_state(r);
	r->regs[REG_LIGHT0_DIFFUSE] = 0;
	r->regs[REG_LIGHTING_AMBIENT] = 1 | 2 << 10 | 3 << 20;
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000 | 52 << 16 | 53 << 8 | 54);
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(128));
	/* Off: nothing, not even alpha. 1C6 alone says so. */
	r->regs[REG_LIGHTING_ENABLE1] = 1;
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0);
	r->regs[REG_LIGHTING_ENABLE1] = 0;
	r->regs[REG_LIGHTING_ENABLE0] = 0;
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(128));
}

RIG_TEST(lights_add_up_slot_by_slot) {
	lit_state(r);
	r->regs[REG_LIGHT0_DIFFUSE] = r->regs[REG_LIGHT0_AMBIENT] = 0;
	for (unsigned id = 0; id < 8; id++) {
		r->regs[regs_light[id] + 3] = 1u << id; /* ambient, blue */
	}
	unsigned sum = 0;
	for (unsigned n = 0; n < 8; n++) {
		r->regs[REG_LIGHTING_NUM_LIGHTS] = n;
		sum += 1u << n;
		ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000 | sum << 16);
	}
	r->regs[REG_LIGHTING_NUM_LIGHTS] = 1;
	r->regs[REG_LIGHTING_LIGHT_PERMUTATION] = 0x52;
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000 | (32 + 4) << 16);
	r->regs[REG_LIGHTING_LIGHT_PERMUTATION] = 0x22; /* one light twice */
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000 | 8 << 16);
}

RIG_TEST(tables_scale_the_highlights) {
	lit_state(r);
	r->regs[REG_LIGHT0_SPECULAR1] = 64 | 64 << 10 | 64 << 20;
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(128 + 64));
	r->regs[REG_LIGHTING_CONFIG0] |= 8 << 4;
	r->regs[REG_LIGHTING_CONFIG1] &= ~(1u << 16);
	flat_table(r, 0, 0.5f);
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(64 + 64));
	static const struct {
		unsigned scale, d0;
	} scales[] = { { 1, 128 }, { 2, 255 - 64 }, { 3, 255 - 64 }, { 4, 0 }, { 5, 0 }, { 6, 16 },
		{ 7, 32 } };
	for (unsigned i = 0; i < ARRAY_LEN(scales); i++) {
		r->regs[REG_LIGHTING_LUTINPUT_SCALE] = scales[i].scale;
		ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(scales[i].d0 + 64));
	}
	/* D1 and the reflections dim the second highlight. */
	r->regs[REG_LIGHTING_LUTINPUT_SCALE] = 0;
	r->regs[REG_LIGHTING_CONFIG1] &= ~(1u << 17);
	flat_table(r, 1, 0.25f);
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(64 + 16));
	flat_table(r, 6, 0.5f);
	flat_table(r, 5, 0.25f);
	flat_table(r, 4, 0.75f);
	r->regs[REG_LIGHTING_CONFIG1] &= ~(1u << 22); /* red alone: for all */
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(64 + 8));
	r->regs[REG_LIGHTING_CONFIG1] &= ~(1u << 21);
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), 0xFF000000 | 72 << 16 | 68 << 8 | 72);
	r->regs[REG_LIGHTING_CONFIG1] &= ~(1u << 20);
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), 0xFF000000 | 76 << 16 | 68 << 8 | 72);
	r->regs[REG_LIGHTING_CONFIG1] |= 1u << 22; /* red off: 1 */
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), 0xFF000000 | 76 << 16 | 68 << 8 | 80);
	/* The geometric factor, here 1/4, for one and the other. */
	r->regs[REG_LIGHTING_CONFIG1] = ~0u;
	r->regs[REG_LIGHT0_CONFIG] |= 4;
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(32 + 64));
	r->regs[REG_LIGHT0_CONFIG] ^= 4 | 8;
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(128 + 16));
}

RIG_TEST(spot_and_distance_dim_a_light) {
	lit_state(r);
	r->regs[REG_LIGHT0_DIFFUSE] = 128;
	r->regs[REG_LIGHT0_AMBIENT] = 64;
	r->regs[REG_LIGHTING_CONFIG1] &= ~(1u << 24);
	flat_table(r, LIGHT_TABLE_DA, 0.5f);
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000 | 96 << 16);
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(64));
	r->regs[REG_LIGHTING_CONFIG1] &= ~(1u << 8);
	flat_table(r, LIGHT_TABLE_SP, 0.25f);
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000 | 24 << 16);
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(16));
	r->regs[REG_LIGHTING_CONFIG0] |= 2 << 4; /* a configuration without spots */
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000 | 96 << 16);

	/* Index: length * scale + bias; a lamp at (0, 0, 3) seen from (0, 0, 1) is 2 away. */
	for (unsigned i = 0; i < LIGHT_ENTRIES; i++) {
		r->table[LIGHT_TABLE_DA][i] = (struct light_entry){ (float)i / 255, 0 };
	}
	r->regs[REG_LIGHT0_DIFFUSE] = 0;
	r->regs[REG_LIGHT0_AMBIENT] = 255;
	r->regs[REG_LIGHT0_CONFIG] = 0;
	r->regs[REG_LIGHT0_Z] = 0x3C00; /* P + view = (0, 0, 1) + (0, 0, 1) */
	r->regs[REG_LIGHT0_ATTENUATION_SCALE] = f32_to_f20(0.25f);
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000 | 128 << 16);
	r->regs[REG_LIGHT0_ATTENUATION_BIAS] = f32_to_f20(-0.25f);
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000 | 64 << 16);
	r->regs[REG_LIGHT0_ATTENUATION_BIAS] = f32_to_f20(4.0f);
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000 | 255 << 16);
	r->regs[REG_LIGHT0_ATTENUATION_BIAS] = f32_to_f20(-4.0f);
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000);

	/* A spot that looks down: the registers hold the way back up. */
	lit_state(r);
	r->regs[REG_LIGHT0_DIFFUSE] = 0;
	r->regs[REG_LIGHT0_AMBIENT] = 255;
	r->regs[REG_LIGHTING_CONFIG1] &= ~(1u << 8);
	r->regs[REG_LIGHTING_LUTINPUT_SELECT] = LIGHT_INPUT_SPOT << 8;
	r->regs[REG_LIGHT0_SPOTDIR_Z] = 2047 / 2;
	for (unsigned i = 0; i < LIGHT_ENTRIES; i++) {
		r->table[LIGHT_TABLE_SP][i] = (struct light_entry){ (float)i / 255, 0 };
	}
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000 | 63 << 16); /* signed: .49976 * 128 */
}

/* Texture unit u reads this colour everywhere. */
static void flat_texture(struct rig *r, unsigned u, uint8_t red, uint8_t green, uint8_t blue,
		uint8_t alpha) {
	uint8_t texels[256];
	for (unsigned i = 0; i < sizeof(texels); i += 4) {
		texels[i] = alpha;
		texels[i + 1] = blue;
		texels[i + 2] = green;
		texels[i + 3] = red;
	}
	struct tex_desc d;
	HOLDS(space_write(&r->space, RIG_TEXTURES + 256 * u, texels, sizeof(texels)) == 0);
	tex_image_put(r->image[u]);
	tex_desc_from_regs(&d, r->regs, u);
	r->image[u] = tex_image_create(&d, &r->space, true);
	HOLDS(r->image[u] != NULL);
}

RIG_TEST(shadows_dim_selected_terms) {
	lit_state(r);
	flat_texture(r, 1, 0, 51, 255, 102);
	r->regs[REG_LIGHT0_DIFFUSE] = 100 | 100 << 10 | 100 << 20;
	r->regs[REG_LIGHT0_SPECULAR0] = 100 | 100 << 10 | 100 << 20;
	const uint32_t base = r->regs[REG_LIGHTING_CONFIG0] | 1u << 24;
	r->regs[REG_LIGHTING_CONFIG1] &= ~1u;
	r->regs[REG_LIGHTING_CONFIG0] = base | 1u << 16 | 1u << 17; /* bit 0 is missing */
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), gray(151));
	r->regs[REG_LIGHTING_CONFIG0] = base | 1 | 1u << 16; /* ambient stays */
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), 0xFF000000 | 151 << 16 | 71 << 8 | 51);
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(100));
	r->regs[REG_LIGHTING_CONFIG0] = base | 1 | 1u << 17;
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), gray(151));
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), 0xFF000000 | 100 << 16 | 20 << 8);
	r->regs[REG_LIGHTING_CONFIG0] |= 1u << 18; /* inverted */
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), 0xFF000000 | 80 << 8 | 100);
	r->regs[REG_LIGHTING_CONFIG1] |= 1; /* not this light */
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(100));
	/*
	 * Alpha: those that Fresnel is for, with or without it; the light's own bit does not
	 * matter.
	 */
	r->regs[REG_LIGHTING_CONFIG0] = base | 1 | 1u << 19;
	ck_assert_uint_eq(lit_pixel(r, PRIMARY) >> 24, 255);
	r->regs[REG_LIGHTING_CONFIG0] |= 4;
	ck_assert_uint_eq(lit_pixel(r, PRIMARY) >> 24, 102);
	ck_assert_uint_eq(lit_pixel(r, SECONDARY) >> 24, 255);
	r->regs[REG_LIGHTING_CONFIG0] |= 8 | 8 << 4;
	r->regs[REG_LIGHTING_CONFIG1] &= ~(1u << 19);
	flat_table(r, LIGHT_TABLE_FR, 0.5f);
	ck_assert_uint_eq(lit_pixel(r, SECONDARY) >> 24, 51);
	/* A unit that is off: darkness. */
	r->regs[REG_LIGHTING_CONFIG0] = base | 1 | 1u << 16;
	r->regs[REG_LIGHTING_CONFIG1] &= ~1u;
	r->regs[REG_TEXUNIT_CONFIG] = 5;
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), gray(51));
}

RIG_TEST(bump_maps_reach_the_pixel) {
	lit_state(r);
	r->regs[REG_LIGHT0_AMBIENT] = 0;
	r->regs[REG_LIGHTING_CONFIG0] |= 1u << 28 | 2u << 22 | 1u << 30;
	flat_texture(r, 2, 128, 128, 204, 255); /* z = .6 */
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), gray(153));
	r->regs[REG_LIGHTING_CONFIG0] &= ~(1u << 30); /* z computed again */
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), gray(255));
	r->regs[REG_LIGHTING_CONFIG0] |= 3u << 28; /* as no map */
	ck_assert_uint_eq(lit_pixel(r, PRIMARY), gray(255));
	/* Tangents show in the cosine of phi, in configuration 8 alone. */
	lit_state(r);
	r->regs[REG_LIGHTING_CONFIG0] |= 2u << 28 | 2u << 22 | 8 << 4;
	r->regs[REG_LIGHTING_CONFIG1] &= ~(1u << 16);
	r->regs[REG_LIGHTING_LUTINPUT_SELECT] = LIGHT_INPUT_CP;
	r->regs[REG_LIGHT0_SPECULAR0] = 0x0FF3FCFF;
	r->regs[REG_LIGHT0_XY] = f32_to_f16(0.6f);
	r->regs[REG_LIGHT0_Z] = f32_to_f16(0.8f);
	for (unsigned i = 0; i < LIGHT_ENTRIES; i++) {
		r->table[0][i] = (struct light_entry){ (float)i / 255, 1.0f / 255 };
	}
	flat_texture(r, 2, 255, 128, 128, 255);
	/* .3162 * 128, and a little of the map's z, which is 1/255 and not 0 */
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(40));
	flat_texture(r, 2, 0, 128, 128, 255); /* the other way: entry 256 - 40.5 */
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(216));
	r->regs[REG_LIGHTING_CONFIG0] ^= (8 ^ 4) << 4;
	ck_assert_uint_eq(lit_pixel(r, SECONDARY), gray(0)); /* input 0 */
}

RIG_TEST(fresnel_follows_the_last_slot) {
	lit_state(r);
	r->regs[REG_LIGHTING_CONFIG0] |= 8 << 4 | 4 | 8;
	r->regs[REG_LIGHTING_CONFIG1] &= ~(1u << 19);
	r->regs[REG_LIGHTING_LUTINPUT_SELECT] = LIGHT_INPUT_LN << 12;
	r->regs[REG_LIGHTING_NUM_LIGHTS] = 1;
	r->regs[REG_LIGHT1_CONFIG] = 1;
	r->regs[REG_LIGHT1_Z] = f32_to_f16(0.5f);
	r->regs[REG_LIGHT1_XY] = f32_to_f16(0.866f);
	for (unsigned i = 0; i < 128; i++) {
		r->table[LIGHT_TABLE_FR][i] = (struct light_entry){ (float)i / 128, 1.0f / 128 };
	}
	const uint32_t before = lit_pixel(r, PRIMARY);
	ck_assert_uint_eq(before >> 24, 128);
	ck_assert_uint_eq(lit_pixel(r, SECONDARY) >> 24, 128);
	r->regs[REG_LIGHT0_Z] = f32_to_f16(-1.0f); /* slot 0: alpha does not change */
	ck_assert_uint_eq(lit_pixel(r, PRIMARY) >> 24, before >> 24);
	ck_assert_uint_ne(lit_pixel(r, PRIMARY), before);
	r->regs[REG_LIGHT1_XY] = 0; /* slot 1: it does */
	ck_assert_uint_eq(lit_pixel(r, PRIMARY) >> 24, 255);
	r->regs[REG_LIGHTING_CONFIG0] &= ~4u;
	r->regs[REG_LIGHT1_XY] = f32_to_f16(0.866f);
	ck_assert_uint_eq(lit_pixel(r, PRIMARY) >> 24, 255);
	ck_assert_uint_eq(lit_pixel(r, SECONDARY) >> 24, 128);
}

RIG_TEST(the_view_vector_points_to_the_eye) {
	lit_state(r);
	r->regs[REG_LIGHT0_AMBIENT] = 0;
	r->regs[REG_LIGHTING_CONFIG1] &= ~(1u << 16);
	r->regs[REG_LIGHTING_LUTINPUT_SELECT] = LIGHT_INPUT_NV;
	r->regs[REG_LIGHT0_SPECULAR0] = 0x0FF3FCFF;
	for (unsigned i = 0; i < LIGHT_ENTRIES; i++) {
		r->table[0][i] = (struct light_entry){ i < 128 ? (float)i / 128 : 0, 1.0f / 128 };
	}
	ck_assert_uint_eq(lit_pixel_at(r, SECONDARY, (const float[3]){ 0, 3, 4 }), gray(204));
	ck_assert_uint_eq(lit_pixel_at(r, SECONDARY, (const float[3]){ 0, 0, 0 }), gray(0));
	/* A lamp stands at P; the surface is at -view. */
	r->regs[REG_LIGHT0_CONFIG] = 0;
	r->regs[REG_LIGHT0_XY] = f32_to_f16(-3.0f);
	r->regs[REG_LIGHT0_Z] = f32_to_f16(-6.0f);
	ck_assert_uint_eq(lit_pixel_at(r, PRIMARY, (const float[3]){ 0, 0, 10 }), gray(204));
}

/* ---- Plans ---- */

RIG_TEST(plans_light_only_read_components) {
	char text[4096];
	lit_state(r);
	set_stage(r, 0, 0x00000001, 0, 0, 0, 0); /* RGB of source 1, alpha of the primary colour */
	struct frag_plan *p = frag_plan_from_regs(r->cache, r->regs, &r->consts);
	frag_plan_dump(p, text, sizeof(text));
	ck_assert_str_eq(text, "perspective\nlight light0.rgb\ncolour primary.a\n"
			"store rgba8 <- light0.r, light0.g, light0.b, primary.a\n");
	const struct frag_info *info = frag_plan_info(p);
	ck_assert_uint_eq(info->light, LIGHT_PRIMARY);
	ck_assert_uint_eq(info->planes, 1u << PLANE_IW | 15u << PLANE_QUAT | 8u << PLANE_COLOR);
	frag_plan_put(p);
	/* Everything: maps, shadow, both colours and alphas. */
	set_stage(r, 0, 0x00210021, 0, 0x00020002, 0, 0);
	r->regs[REG_LIGHT0_CONFIG] = 0;
	r->regs[REG_LIGHTING_CONFIG0] |= 1u << 28 | 2u << 22 | 1 | 1u << 16 | 1u << 19 | 12;
	p = frag_plan_from_regs(r->cache, r->regs, &r->consts);
	frag_plan_dump(p, text, sizeof(text));
	ck_assert_str_eq(text, "perspective\nsample texture0.rgba <- coordinates 0\n"
			"sample texture2.rgba <- coordinates 2\n"
			"light light0.rgb light0.a light1.rgb light1.a <- normal texture2.rgb "
			"<- shadow texture0.rgba\n"
			"add out0.rgba <- light0.rgba, light1.rgba\n"
			"store rgba8 <- out0.r, out0.g, out0.b, out0.a\n");
	info = frag_plan_info(p);
	ck_assert_uint_eq(info->textures, 5);
	ck_assert_uint_eq(info->planes >> PLANE_QUAT, 0x7F);
	frag_plan_put(p);
	/* Lights without an effect share a plan with none. */
	plain_state(r);
	p = frag_plan_from_regs(r->cache, r->regs, &r->consts);
	ck_assert_uint_eq(frag_plan_info(p)->light, 0);
	frag_plan_put(p);
}
