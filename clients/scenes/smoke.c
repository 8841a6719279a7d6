/*
 * Gas, by libpica's reading of its registers (docs/fidelity.md, "Gas": a guess). 300 puffs add
 * their density to a target with the objects' depth buffer, then one rectangle shades the sum: the
 * remaining light selects the colour, density the alpha. Where smoke meets an object, the
 * depth-attenuated density has no edge. Bottom: both densities, and the same cloud as fire,
 * coloured by density, with and without the attenuation.
 */
#include "kit.h"

enum {
	FRAMES = 3,
	PUFFS = 300,
	/* A texture with power-of-two sides that contains the top screen's target. */
	GAS_WIDTH = 256,
	GAS_HEIGHT = 512,
	GAS_COLOR = FREE_VRAM, GAS_DEPTH = FREE_VRAM + GAS_WIDTH * GAS_HEIGHT * 4, STONES = 7,
};

struct puff {
	float center[3], size;
	int8_t corner[2];
	uint8_t red, unused;
};

/* Offsets the corner in view space, so that puffs face the viewer. */
static const char program_source[] =
		".fvec projection[4], view[4]\n"
		".constf k(0.0, 1.0, 0.5, 0.003921569)\n"
		OUT_COLOR
		".out out_tex texcoord0\n"
		".in in_center v0\n"
		".in in_corner v1\n"
		".in in_red v2\n"
		".proc main\n"
		"	mov r0.xyz, in_center.xyz\n"
		"	mov r0.w, k.y\n"
		ROWS3("r1", "view", "r0")
		"	mov r1.w, k.y\n"
		"	mov r2, in_center\n"
		"	mad r1.xy, in_corner.xy, r2.ww, r1.xy\n"
		PROJECT("r1")
		"	mov r3, k\n"
		"	mad out_tex.xy, in_corner.xy, r3.zz, r3.zz\n"
		"	mul out_color, k.wwww, in_red.xxxx\n"
		END;

static struct {
	struct mesh stone, pillar, ground, quad, puffs[FRAMES];
	struct pica_texture glow;
} own;

static float random01(uint32_t *state) {
	*state = *state * 1664525 + 1013904223;
	return (float)(*state >> 8) / 16777216.0f;
}

/* A column that rises from the fire, bends in the wind, and widens. */
static void store_puffs(struct recorder *r, unsigned frame) {
	static const struct vertex_format format = { sizeof(struct puff), 3,
		{ { PICA_ATTRIB_TYPE_F32, 4 }, { PICA_ATTRIB_TYPE_S8, 2 },
				{ PICA_ATTRIB_TYPE_U8, 2 } } };
	static struct puff v[PUFFS * 4];
	uint32_t state = 77;
	for (unsigned i = 0; i < PUFFS; i++) {
		float age = random01(&state) + 0.04f * (float)frame;
		age -= age >= 1 ? 1 : 0;
		const float turn = random01(&state), away = random01(&state);
		const float wide = 0.3f + 1.5f * age;
		const float x = wide * away * (float)turn_cos(turn) + 2.6f * age * age - 0.4f;
		const float z = wide * away * (float)turn_sin(turn) +
				0.3f * (float)turn_sin(age * 1.5f);
		const float y = 0.1f + 3.4f * age;
		for (unsigned k = 0; k < 4; k++) {
			v[4 * i + k] = (struct puff){ .center = { x, y, z },
				.size = 0.34f + 1.0f * age,
				.corner = { k & 1 ? 1 : -1, k & 2 ? 1 : -1 },
				.red = (uint8_t)(84 * (1 - age) * (1 - age) + 12) };
		}
	}
	own.puffs[frame] = mesh_store(r, &format, PICA_PRIMITIVE_LIST, v, COUNT(v));
	own.puffs[frame].count = PUFFS * 6;
}

static void store_things(struct recorder *r) {
	static const float pillar[][2] = { { 0, 3 }, { 0.5f, 3 }, { 0.5f, 3 }, { 0.5f, 2.8f },
		{ 0.5f, 2.8f }, { 0.36f, 2.7f }, { 0.42f, 0.3f }, { 0.6f, 0.2f }, { 0.6f, 0.2f },
		{ 0.6f, 0 } };
	static const float ground[][2] = { { 0, 0 }, { 3, -0.01f }, { 6, -0.04f },
		{ 9, -0.1f } };
	uint16_t index[PUFFS * 6], *end = index;
	for (unsigned i = 0; i < PUFFS; i++) {
		end = put_quad(end, 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
	}
	const uint32_t indices = recorder_store(r, index, sizeof(index));
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		own.puffs[frame].indices = indices;
	}
	/* The target's picture lies on its side. */
	const float top = (float)SCREEN_HEIGHT / GAS_WIDTH, left = (float)TOP_WIDTH / GAS_HEIGHT;
	const struct texture_vertex v[4] = { { .u = 0, .v = left }, { .x = 1 },
		{ .y = 1, .u = top, .v = left }, { .x = 1, .y = 1, .u = top } };
	own.quad = store_textured(r, PICA_PRIMITIVE_STRIP, v, 4);
	own.stone = solid_ball(r, 0x8C8884FF, 0x4C4844FF);
	own.pillar = solid_lathe(r, pillar, COUNT(pillar), 24, 0xC8BCA4FF, 0x8C8470FF);
	own.ground = solid_lathe(r, ground, COUNT(ground), 40, 0x70684CFF, 0x38403CFF);
}

/* ---- Draw ---- */

static void draw_things(struct recorder *r, struct mat4 view, uint32_t color_mask) {
	const struct solid_light light = {
		.lamp = { 0.6f, 0.7f, 0.38f, 0.3f }, .gloss = { 20, 0.15f }, .tint = { 1, 1, 1, 1 }
	};
	pica_emit_depth_test(&r->list, true, PICA_COMPARE_GREATER, true, color_mask);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	solid_use(r, view, &light);
	solid_draw(r, &own.ground, mat4_identity());
	for (unsigned i = 0; i < STONES; i++) {
		const float x = -0.4f + 0.62f * (float)turn_cos((double)i / STONES);
		const float z = 0.62f * (float)turn_sin((double)i / STONES);
		solid_draw(r, &own.stone, mat4_place(x, 0.1f, z, 0.2f));
	}
	solid_draw(r, &own.pillar, mat4_place(2.0f, 0, -1.3f, 1));
	solid_draw(r, &own.pillar, mat4_place(-2.6f, 0, -1.6f, 0.9f));
	bodies_end(r);
}

/* Depth of the objects, then the densities of the puffs in front of them. */
static void draw_densities(struct recorder *r, struct mat4 turn, struct mat4 projection,
		unsigned frame) {
	const struct pica_framebuffer fb = { .color_addr = GAS_COLOR, .depth_addr = GAS_DEPTH,
		.color_format = PICA_COLOR_FORMAT_RGBA8, .depth_format = PICA_DEPTH_FORMAT_D16,
		.width = GAS_WIDTH, .height = GAS_HEIGHT };
	const struct mat4 view = mat4_mul(projection, turn);
	recorder_draw_target(r, &fb);
	pica_emit_viewport(&r->list, 0, 0, SCREEN_HEIGHT, TOP_WIDTH);
	draw_things(r, view, 0);
	/* The density: red of the vertex times the puff's picture. */
	TEV(r, 0, RGB2(MODULATE, PRIMARY, TEXTURE0), ALPHA1(PREVIOUS),
			.rgb_operand = { 0, PICA_TEV_OPERAND_RGB_ALPHA });
	use_texture(r, &own.glow);
	pica_emit_gas_accumulation(&r->list, PICA_GAS_DEPTH_GREATER, 40);
	use_projected(r, program_source, projection);
	set_matrix(r, "view", turn);
	mesh_draw(r, &own.puffs[frame]);
	pica_emit_fragment_mode(&r->list, PICA_FRAGMENT_MODE_NORMAL);
	tev_primary(r);
}

static float opacity(float density, void *arg) {
	(void)arg;
	const float t = 1 - density;
	return 1 - t * t;
}

static float opaque(float density, void *arg) {
	(void)density;
	(void)arg;
	return 1;
}

/* The whole target over the viewport, blended. */
static void shade_gas(struct recorder *r, const struct pica_gas *gas, const uint32_t colors[9],
		float (*alpha)(float density, void *arg)) {
	static const float tint[4] = { 0.9f, 1, 1, 1 }; /* red is the incoming light */
	const struct pica_texture t = texture_at(
			GAS_COLOR, GAS_WIDTH, GAS_HEIGHT, PICA_TEXTURE_FORMAT_RGBA8, 0);
	uint32_t table[16], fog[128];
	pica_gas_lut_from(table, colors);
	pica_emit_gas_lut(&r->list, 0, table, 16);
	pica_fog_lut_from(fog, alpha, NULL);
	pica_emit_fog_lut(&r->list, 0, fog, 128);
	pica_emit_gas_shading(&r->list, gas);
	use_texture(r, &t);
	blend_over(r);
	use_projected(r, texture_program, mat4_tilt(mat4_pixels(1, 1)));
	set_uniform(r, "tint", tint, 1);
	mesh_draw(r, &own.quad);
	pica_emit_fog(&r->list, PICA_FOG_MODE_OFF, false, 0);
	use_units(r, 0);
	blend_off(r);
}

static void draw(struct recorder *r, unsigned frame) {
	static const uint32_t dusk[4] = { 0x202C48FF, 0x304060FF, 0xD09068FF, 0xB07868FF };
	static const struct pica_gas smoke = { .planar = { 0.1f, 0.9f, 0.9f },
		.view = { 0, 0.2f, 0.5f }, .effect = 0.5f, .by_light = true, .depth_density = true,
		.density_max = 6, .attenuation = 2.5f };
	static const struct pica_gas plain = { .density_max = 4, .attenuation = 1.5f };
	/* R lowest. */
	static const uint32_t ashes[9] = { 0x302428, 0x443A3C, 0x5C5250, 0x746A64, 0x8C8278,
		0xA49A90, 0xBCB4AA, 0xD0CCC4, 0xDCE0E0 };
	static const uint32_t gray[9] = { 0x000000, 0x202020, 0x404040, 0x606060, 0x808080,
		0xA0A0A0, 0xC0C0C0, 0xE0E0E0, 0xFFFFFF };
	static const uint32_t fire[9] = { 0x000010, 0x000860, 0x0018B0, 0x0030E0, 0x0860F0,
		0x1090F8, 0x30B8FF, 0x70E0FF, 0xD0FFFF };
	static const char *const names[4] = { "plain density", "depth density", "fire: plain",
		"fire: depth" };
	const struct mat4 projection = mat4_tilt(screen_lens(TOP_WIDTH, 42, 1, 24));
	struct mat4 turn = mat4_mul(mat4_translate(0, -1.7f, -7.6f), mat4_rotate_x(0.03));
	turn = mat4_mul(turn, mat4_rotate_y(0.03 * frame - 0.03));
	const struct mat4 view = mat4_mul(projection, turn);

	recorder_fill(r, 0, GAS_COLOR, GAS_WIDTH * GAS_HEIGHT * 6, 0);
	/* Depth is linear in the distance. */
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_W, -1, 0);
	draw_densities(r, turn, projection, frame);

	recorder_draw_top(r);
	canvas_gradient(r, 0, 0, TOP_WIDTH, SCREEN_HEIGHT, dusk);
	canvas_draw(r);
	blend_off(r);
	use_units(r, 0);
	tev_primary(r);
	draw_things(r, view, 0xF);
	shade_gas(r, &smoke, ashes, opacity);

	recorder_draw_bottom(r);
	for (int i = 0; i < 4; i++) {
		const int x = i % 2 * 162, y = 13 + i / 2 * 118;
		if (i >= 2) {
			canvas_gradient(r, x, y, 158, 95, dusk);
		}
		canvas_text(r, x + 2, y - 11, 0xE0D0C0FF, names[i]);
	}
	canvas_draw(r);
	blend_off(r);
	use_units(r, 0);
	tev_primary(r);
	for (int i = 0; i < 4; i++) {
		struct pica_gas gas = plain;
		gas.depth_density = i & 1;
		recorder_viewport(r, i % 2 * 162, 13 + i / 2 * 118, 158, 95);
		if (i >= 2) {
			draw_things(r, view, 0xF);
		}
		shade_gas(r, &gas, i < 2 ? gray : fire, i < 2 ? opaque : opacity);
	}
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
}

static void store(struct recorder *r) {
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		store_puffs(r, frame);
	}
	store_things(r);
	own.glow = store_texture(r, PICA_TEXTURE_FORMAT_A8, 64, 1, picture_glow);
}

const struct scene scene_smoke = {
	.name = "smoke",
	.what = "smoke and fire by the gas registers, as libpica guesses them: densities, light, tables",
	.frames = FRAMES, .has_canvas = true, .top = 0x000000FF, .bottom = 0x101418FF,
	.store = store, .draw = draw,
};
