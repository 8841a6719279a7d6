/*
 * Gas, by libpica's reading of its registers (docs/fidelity.md, "Gas": a guess). 300 puffs add
 * their density to a target beside a depth buffer of the things, then one rectangle shades what
 * came together: light that density takes away chooses the colour, density the alpha. Where smoke
 * meets a thing, the density that depth attenuates has no edge. Below, both densities, and the same
 * cloud coloured by density as fire, with and without that attenuation.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "recorder.h"
#include "scenes.h"
#include "solid.h"
#include "texture.h"

enum {
	FRAMES = 3,
	PUFFS = 300,
	/* As large as the top screen's target, in a texture with sides that are powers of two. */
	GAS_WIDTH = 256,
	GAS_HEIGHT = 512,
	GAS_COLOR = FREE_VRAM,
	GAS_DEPTH = FREE_VRAM + GAS_WIDTH * GAS_HEIGHT * 4,
	STONES = 7,
};

struct puff {
	float center[3], size;
	int8_t corner[2];
	uint8_t red, unused;
};

/* The corner is moved in view space: puffs face the viewer. */
static const char program_source[] =
		".fvec projection[4], view[4]\n"
		".constf k(0.0, 1.0, 0.5, 0.003921569)\n"
		".out out_pos position\n"
		".out out_color color\n"
		".out out_tex texcoord0\n"
		".in in_center v0\n"
		".in in_corner v1\n"
		".in in_red v2\n"
		".proc main\n"
		"	mov r0.xyz, in_center.xyz\n"
		"	mov r0.w, k.y\n"
		"	dp4 r1.x, view[0], r0\n"
		"	dp4 r1.y, view[1], r0\n"
		"	dp4 r1.z, view[2], r0\n"
		"	mov r1.w, k.y\n"
		"	mov r2, in_center\n"
		"	mad r1.xy, in_corner.xy, r2.ww, r1.xy\n"
		"	dp4 out_pos.x, projection[0], r1\n"
		"	dp4 out_pos.y, projection[1], r1\n"
		"	dp4 out_pos.z, projection[2], r1\n"
		"	dp4 out_pos.w, projection[3], r1\n"
		"	mov r3, k\n"
		"	mad out_tex.xy, in_corner.xy, r3.zz, r3.zz\n"
		"	mul out_color, k.wwww, in_red.xxxx\n"
		"	end\n"
		".end\n";

struct smoke {
	struct canvas canvas;
	struct program solid, puffs, textured;
	struct solid stone, pillar, ground;
	struct pica_texture glow;
	uint32_t puff_vertices[FRAMES], indices, quad;
};

static float random01(uint32_t *state) {
	*state = *state * 1664525 + 1013904223;
	return (float)(*state >> 8) / 16777216.0f;
}

/* A column that rises from the fire, bends in the wind, and widens. */
static int store_puffs(struct recorder *r, struct smoke *s, unsigned frame) {
	struct puff *v = malloc(PUFFS * 4 * sizeof(*v));
	uint32_t state = 77;
	if (!v) {
		return -ENOMEM;
	}
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
	s->puff_vertices[frame] = recorder_store(r, v, PUFFS * 4 * sizeof(*v));
	free(v);
	return 0;
}

static void store_things(struct recorder *r, struct smoke *s) {
	static const float pillar[][2] = { { 0, 3 }, { 0.5f, 3 }, { 0.5f, 3 }, { 0.5f, 2.8f },
		{ 0.5f, 2.8f }, { 0.36f, 2.7f }, { 0.42f, 0.3f }, { 0.6f, 0.2f }, { 0.6f, 0.2f },
		{ 0.6f, 0 } };
	static const float ground[][2] = { { 0, 0 }, { 3, -0.01f }, { 6, -0.04f },
		{ 9, -0.1f } };
	uint16_t index[PUFFS * 6];
	for (unsigned i = 0; i < PUFFS; i++) {
		static const uint8_t quad[6] = { 0, 1, 2, 2, 1, 3 };
		for (unsigned k = 0; k < 6; k++) {
			index[6 * i + k] = (uint16_t)(4 * i + quad[k]);
		}
	}
	s->indices = recorder_store(r, index, sizeof(index));
	/* The target's picture lies on its side. */
	const float top = (float)SCREEN_HEIGHT / GAS_WIDTH, left = (float)TOP_WIDTH / GAS_HEIGHT;
	struct texture_vertex v[4];
	for (unsigned k = 0; k < 4; k++) {
		v[k] = (struct texture_vertex){ .x = k & 1 ? 1 : 0, .y = k & 2 ? 1 : 0,
			.u = k & 2 ? top : 0, .v = k & 1 ? 0 : left };
	}
	s->quad = recorder_store(r, v, sizeof(v));
	solid_ball(r, &s->stone, 0x8C8884FF, 0x4C4844FF);
	solid_lathe(r, &s->pillar, pillar, sizeof(pillar) / sizeof(pillar[0]), 24, 0xC8BCA4FF,
			0x8C8470FF);
	solid_lathe(r, &s->ground, ground, sizeof(ground) / sizeof(ground[0]), 40, 0x70684CFF,
			0x38403CFF);
}

/* ---- Draw ---- */

static struct mat4 place(float x, float y, float z, float size) {
	return mat4_mul(mat4_translate(x, y, z), mat4_scale(size, size, size));
}

static void draw_things(struct recorder *r, const struct smoke *s, const struct mat4 *view,
		uint32_t color_mask) {
	const struct solid_light light = {
		.lamp = { 0.6f, 0.7f, 0.38f, 0.3f }, .gloss = { 20, 0.15f }, .tint = { 1, 1, 1, 1 }
	};
	pica_emit_depth_test(&r->list, true, PICA_COMPARE_GREATER, true, color_mask);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	solid_use(r, &s->solid, view, &light);
	struct mat4 model = mat4_identity();
	solid_draw(r, &s->solid, &s->ground, &model);
	for (unsigned i = 0; i < STONES; i++) {
		const float x = -0.4f + 0.62f * (float)turn_cos((double)i / STONES);
		const float z = 0.62f * (float)turn_sin((double)i / STONES);
		model = place(x, 0.1f, z, 0.2f);
		solid_draw(r, &s->solid, &s->stone, &model);
	}
	model = place(2.0f, 0, -1.3f, 1);
	solid_draw(r, &s->solid, &s->pillar, &model);
	model = place(-2.6f, 0, -1.6f, 0.9f);
	solid_draw(r, &s->solid, &s->pillar, &model);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0xF);
}

/* Depth of the things, then the densities of the puffs in front of them. */
static void draw_densities(struct recorder *r, const struct smoke *s, const struct mat4 *turn,
		const struct mat4 *projection, unsigned frame) {
	static const struct pica_attribute_format format[3] = { { PICA_ATTRIB_TYPE_F32, 4 },
		{ PICA_ATTRIB_TYPE_S8, 2 }, { PICA_ATTRIB_TYPE_U8, 2 } };
	const struct pica_framebuffer fb = { .color_addr = GAS_COLOR, .depth_addr = GAS_DEPTH,
		.color_format = PICA_COLOR_FORMAT_RGBA8, .depth_format = PICA_DEPTH_FORMAT_D16,
		.width = GAS_WIDTH, .height = GAS_HEIGHT };
	const struct mat4 view = mat4_mul(*projection, *turn);
	recorder_draw_target(r, &fb);
	pica_emit_viewport(&r->list, 0, 0, SCREEN_HEIGHT, TOP_WIDTH);
	draw_things(r, s, &view, 0);
	/* Red of the vertex, which the puff's picture weakens: its alpha. */
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = PICA_TEV_SOURCE_PRIMARY;
	tev.rgb_source[1] = PICA_TEV_SOURCE_TEXTURE0;
	tev.rgb_operand[1] = PICA_TEV_OPERAND_RGB_ALPHA;
	tev.rgb_op = PICA_TEV_OP_MODULATE;
	pica_emit_tev(&r->list, 0, &tev);
	pica_emit_texture(&r->list, 0, &s->glow);
	pica_emit_texture_units(&r->list, 1, 0, false);
	pica_emit_gas_accumulation(&r->list, PICA_GAS_DEPTH_GREATER, 40);
	program_use(r, &s->puffs);
	program_matrix(r, &s->puffs, 0, "projection", projection);
	program_matrix(r, &s->puffs, 0, "view", turn);
	use_array(r, s->puff_vertices[frame], sizeof(struct puff), 3, format);
	pica_emit_draw_elements(
			&r->list, PICA_PRIMITIVE_LIST, s->indices - ARRAY_BASE, true, PUFFS * 6);
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
static void shade_gas(struct recorder *r, const struct smoke *s, const struct pica_gas *gas,
		const uint32_t colors[9], float (*alpha)(float density, void *arg)) {
	static const float tint[4] = { 0.9f, 1, 1, 1 }; /* red is the light that comes */
	const struct pica_texture t = { .addr = GAS_COLOR, .width = GAS_WIDTH, .height = GAS_HEIGHT,
		.format = PICA_TEXTURE_FORMAT_RGBA8 };
	const struct mat4 projection = mat4_tilt(mat4_pixels(1, 1));
	uint32_t table[16], fog[128];
	pica_gas_lut_from(table, colors);
	pica_emit_gas_lut(&r->list, 0, table, 16);
	pica_fog_lut_from(fog, alpha, NULL);
	pica_emit_fog_lut(&r->list, 0, fog, 128);
	pica_emit_gas_shading(&r->list, gas);
	pica_emit_texture(&r->list, 0, &t);
	pica_emit_texture_units(&r->list, 1, 0, false);
	blend_over(r);
	program_use(r, &s->textured);
	program_matrix(r, &s->textured, 0, "projection", &projection);
	program_uniform(r, &s->textured, 0, "tint", tint, 1);
	use_texture_vertices(r, s->quad);
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 0, 4);
	pica_emit_fog(&r->list, PICA_FOG_MODE_OFF, false, 0);
	pica_emit_texture_units(&r->list, 0, 0, false);
	pica_emit_blend(&r->list, NULL);
}

static void draw_frame(struct recorder *r, struct smoke *s, unsigned frame) {
	static const uint32_t dusk[4] = { 0x202C48FF, 0x304060FF, 0xD09068FF, 0xB07868FF };
	static const struct pica_gas smoke = { .planar = { 0.1f, 0.9f, 0.9f },
		.view = { 0, 0.2f, 0.5f },
		.effect = 0.5f,
		.by_light = true,
		.depth_density = true,
		.density_max = 6,
		.attenuation = 2.5f };
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
	const struct mat4 projection = mat4_tilt(mat4_perspective(42 / 360.0,
			(double)TOP_WIDTH / SCREEN_HEIGHT, 1, 24));
	struct mat4 turn = mat4_mul(mat4_translate(0, -1.7f, -7.6f), mat4_rotate_x(0.03));
	turn = mat4_mul(turn, mat4_rotate_y(0.03 * frame - 0.03));
	const struct mat4 view = mat4_mul(projection, turn);

	recorder_fill(r, 0, GAS_COLOR, GAS_WIDTH * GAS_HEIGHT * 6, 0);
	/* Depth is linear in the distance: a step of it is as long near as far. */
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_W, -1, 0);
	draw_densities(r, s, &turn, &projection, frame);

	recorder_draw_top(r);
	canvas_gradient(&s->canvas, 0, 0, TOP_WIDTH, SCREEN_HEIGHT, dusk);
	canvas_draw(&s->canvas, r, TOP_WIDTH);
	pica_emit_blend(&r->list, NULL);
	pica_emit_texture_units(&r->list, 0, 0, false);
	tev_primary(r);
	draw_things(r, s, &view, 0xF);
	shade_gas(r, s, &smoke, ashes, opacity);

	recorder_draw_bottom(r);
	for (int i = 0; i < 4; i++) {
		const int x = i % 2 * 162, y = 13 + i / 2 * 118;
		if (i >= 2) {
			canvas_gradient(&s->canvas, x, y, 158, 95, dusk);
		}
		canvas_text(&s->canvas, x + 2, y - 11, 0xE0D0C0FF, names[i]);
	}
	canvas_draw(&s->canvas, r, BOTTOM_WIDTH);
	pica_emit_blend(&r->list, NULL);
	pica_emit_texture_units(&r->list, 0, 0, false);
	tev_primary(r);
	for (int i = 0; i < 4; i++) {
		struct pica_gas gas = plain;
		gas.depth_density = i & 1;
		recorder_viewport(r, BOTTOM_WIDTH, i % 2 * 162, 13 + i / 2 * 118, 158, 95);
		if (i >= 2) {
			draw_things(r, s, &view, 0xF);
		}
		shade_gas(r, s, &gas, i < 2 ? gray : fire, i < 2 ? opaque : opacity);
	}
	pica_emit_depth_map(&r->list, PICA_DEPTHMAP_Z, -1, 0);
}

static int record(struct recorder *r) {
	struct smoke s;
	memset(&s, 0, sizeof(s));
	int ret = canvas_init(&s.canvas, r);
	if (ret == 0) {
		ret = solid_program_create(&s.solid);
	}
	if (ret == 0) {
		ret = program_create(&s.puffs, "smoke", program_source, NULL);
	}
	if (ret == 0) {
		ret = program_create(&s.textured, "texture", texture_program_source, NULL);
	}
	for (unsigned frame = 0; ret == 0 && frame < FRAMES; frame++) {
		ret = store_puffs(r, &s, frame);
	}
	if (ret == 0) {
		store_things(r, &s);
		recorder_store_texture(r, &s.glow, PICA_TEXTURE_FORMAT_A8, 64, 1, picture_glow);
	}
	for (unsigned frame = 0; ret == 0 && frame < FRAMES; frame++) {
		recorder_frame_begin(r, 0x000000FF, 0x101418FF);
		draw_frame(r, &s, frame);
		recorder_frame_end(r);
	}
	program_destroy(&s.textured);
	program_destroy(&s.puffs);
	program_destroy(&s.solid);
	canvas_finish(&s.canvas);
	return ret;
}

const struct scene scene_smoke = {
	.name = "smoke",
	.what = "smoke and fire by the gas registers, as libpica guesses them: densities, light, tables",
	.frames = FRAMES,
	.record = record,
};
