/*
 * A material of ETC1 textures: the ground of a planet by day and its lights by night (ETC1), clouds
 * over both (ETC1A4). Three texture units, and a combiner stage for each step:
 *
 *     0  ground * sunlight
 *     1  + lights * darkness, which the vertex colour holds in its alpha
 *     2  towards sunlit white by the clouds' alpha
 *
 * Bottom: the maps, and blocks of 4 x 4 texels seen closely.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "recorder.h"
#include "scenes.h"
#include "texture.h"

enum {
	FRAMES = 3,
	AROUND = 56,
	DOWN = 36,
	VERTICES = (AROUND + 1) * (DOWN + 1),
	INDICES = DOWN * ((AROUND + 1) * 2 + 2),
	MAP = 256,
	LEVELS = 6,
};

/* On a ball of radius 1 the normal is the place. */
struct vertex {
	int16_t place[3]; /* in units of 1/16384 */
	int16_t texel[2];
};

static const char planet_source[] =
		".fvec projection[4], model[4], sun, drift\n"
		".constf k(0.0, 1.0, 0.00006103515625, 4.0)\n"
		".constf dusk(1.0, 0.62, 0.4, 0.25)\n"
		".out out_pos position\n"
		".out out_color color\n"
		".out out_ground texcoord0\n"
		".out out_clouds texcoord1\n"
		".out out_lights texcoord2\n"
		".in in_place v0\n"
		".in in_texel v1\n"
		".proc main\n"
		"	mul r0.xyz, k.zzz, in_place.xyz\n"
		"	mov r0.w, k.y\n"
		"	dp4 r1.x, model[0], r0\n"
		"	dp4 r1.y, model[1], r0\n"
		"	dp4 r1.z, model[2], r0\n"
		"	mov r1.w, k.y\n"
		"	dp4 out_pos.x, projection[0], r1\n"
		"	dp4 out_pos.y, projection[1], r1\n"
		"	dp4 out_pos.z, projection[2], r1\n"
		"	dp4 out_pos.w, projection[3], r1\n"
		"	dp3 r2.x, model[0], r0\n"
		"	dp3 r2.y, model[1], r0\n"
		"	dp3 r2.z, model[2], r0\n"
		"	; the sun's height: day from 0 on, night below; reddish in between\n"
		"	dp3 r3.x, sun, r2\n"
		"	mul r3.y, k.w, r3.x\n"
		"	add r4.xyz, dusk.www, r3.yyy\n"
		"	mul r4.xyz, dusk.xyz, r4.xyz\n"
		"	max r4.xyz, k.xxx, r4.xyz\n"
		"	max r3.z, k.x, r3.x\n"
		"	min r4.xyz, r3.zzz, r4.xyz\n"
		"	add r4.xyz, r3.zzz, r4.xyz\n"
		"	min out_color.xyz, k.yyy, r4.xyz\n"
		"	add r5.x, k.x, -r3.y\n"
		"	max r5.x, k.x, r5.x\n"
		"	min out_color.w, k.y, r5.x\n"
		"	mul r6.xy, k.zz, in_texel.xy\n"
		"	mov out_ground.xy, r6.xy\n"
		"	mov out_lights.xy, r6.xy\n"
		"	add out_clouds.xy, drift.xy, r6.xy\n"
		"	end\n"
		".end\n";

/* A shell around the planet: it fades towards its own rim, and by night. */
static const char air_source[] =
		".fvec projection[4], model[4], sun, tint\n"
		".constf k(0.0, 1.0, 0.00006103515625, 0.3)\n"
		".out out_pos position\n"
		".out out_color color\n"
		".in in_place v0\n"
		".in in_texel v1\n"
		".proc main\n"
		"	mul r0.xyz, k.zzz, in_place.xyz\n"
		"	mov r0.w, k.y\n"
		"	dp4 r1.x, model[0], r0\n"
		"	dp4 r1.y, model[1], r0\n"
		"	dp4 r1.z, model[2], r0\n"
		"	mov r1.w, k.y\n"
		"	dp4 out_pos.x, projection[0], r1\n"
		"	dp4 out_pos.y, projection[1], r1\n"
		"	dp4 out_pos.z, projection[2], r1\n"
		"	dp4 out_pos.w, projection[3], r1\n"
		"	; how far behind the rim, in units that tint.w says\n"
		"	mov r2, tint\n"
		"	mul r3.x, r2.w, r1.z\n"
		"	max r3.x, k.x, r3.x\n"
		"	mul r3.y, r3.x, r3.x\n"
		"	dp3 r4.x, sun, r0\n"
		"	add r4.x, k.w, r4.x\n"
		"	max r4.x, k.x, r4.x\n"
		"	mul r3.x, r3.y, r4.x\n"
		"	mul r5.xyz, r2.xyz, r3.xxx\n"
		"	min out_color.xyz, k.yyy, r5.xyz\n"
		"	mov out_color.w, k.y\n"
		"	end\n"
		".end\n";

struct planet {
	struct canvas canvas;
	struct program ground, air;
	struct pica_texture day, clouds, night, moon;
	uint32_t ball, indices;
};

/* ---- Store ---- */

static int store_ball(struct recorder *r, struct planet *p) {
	struct vertex *v = malloc(VERTICES * sizeof(*v));
	uint16_t *index = malloc(INDICES * sizeof(*index));
	if (!v || !index) {
		free(v);
		free(index);
		return -ENOMEM;
	}
	unsigned n = 0;
	for (unsigned down = 0; down <= DOWN; down++) {
		const double polar = 0.5 * down / DOWN;
		for (unsigned around = 0; around <= AROUND; around++) {
			const double turn = (double)around / AROUND;
			struct vertex *w = &v[down * (AROUND + 1) + around];
			w->place[0] = (int16_t)(16384 * turn_sin(polar) * turn_cos(turn));
			w->place[1] = (int16_t)(16384 * turn_cos(polar));
			w->place[2] = (int16_t)(-16384 * turn_sin(polar) * turn_sin(turn));
			w->texel[0] = (int16_t)(16384 * turn);
			w->texel[1] = (int16_t)(16384 - 16384 * 2 * polar);
		}
	}
	for (unsigned down = 0; down < DOWN; down++) {
		const unsigned high = down * (AROUND + 1), low = high + AROUND + 1;
		/* An even number of vertices between rows keeps the winding. */
		index[n++] = (uint16_t)low;
		for (unsigned around = 0; around <= AROUND; around++) {
			index[n++] = (uint16_t)(low + around);
			index[n++] = (uint16_t)(high + around);
		}
		index[n++] = (uint16_t)(high + AROUND);
	}
	p->ball = recorder_store(r, v, VERTICES * sizeof(*v));
	p->indices = recorder_store(r, index, INDICES * sizeof(*index));
	free(v);
	free(index);
	return 0;
}

static void store_textures(struct recorder *r, struct planet *p) {
	recorder_store_texture(r, &p->day, PICA_TEXTURE_FORMAT_ETC1, MAP, LEVELS, picture_planet);
	recorder_store_texture(
			r, &p->clouds, PICA_TEXTURE_FORMAT_ETC1A4, MAP, LEVELS, picture_clouds);
	recorder_store_texture(r, &p->night, PICA_TEXTURE_FORMAT_ETC1, MAP, LEVELS, picture_lights);
	recorder_store_texture(r, &p->moon, PICA_TEXTURE_FORMAT_ETC1, 64, 4, picture_marble);
	p->day.wrap_s = p->clouds.wrap_s = p->night.wrap_s = p->moon.wrap_s = PICA_WRAP_REPEAT;
}

/* ---- Stages ---- */

/* Ground and sunlight. */
static void use_day(struct recorder *r) {
	tev_modulate(r);
	pica_emit_tev(&r->list, 1, NULL);
	pica_emit_tev(&r->list, 2, NULL);
}

static void use_material(struct recorder *r) {
	struct pica_tev tev;
	use_day(r);

	pica_tev_init(&tev);
	tev.rgb_op = PICA_TEV_OP_MULTIPLY_ADD;
	tev.rgb_source[0] = PICA_TEV_SOURCE_TEXTURE2;
	tev.rgb_source[1] = PICA_TEV_SOURCE_PRIMARY;
	tev.rgb_operand[1] = PICA_TEV_OPERAND_RGB_ALPHA;
	tev.rgb_source[2] = PICA_TEV_SOURCE_PREVIOUS;
	pica_emit_tev(&r->list, 1, &tev);

	pica_tev_init(&tev);
	tev.rgb_op = PICA_TEV_OP_INTERPOLATE;
	tev.rgb_source[0] = PICA_TEV_SOURCE_PRIMARY;
	tev.rgb_source[1] = PICA_TEV_SOURCE_PREVIOUS;
	tev.rgb_source[2] = PICA_TEV_SOURCE_TEXTURE1;
	tev.rgb_operand[2] = PICA_TEV_OPERAND_RGB_ALPHA;
	pica_emit_tev(&r->list, 2, &tev);
}

/* ---- Draw ---- */

static const float sun[4] = { -0.82f, 0.34f, 0.46f, 0 };

static void draw_ball(struct recorder *r, const struct planet *p) {
	static const struct pica_attribute_format format[2] = { { PICA_ATTRIB_TYPE_S16, 3 },
		{ PICA_ATTRIB_TYPE_S16, 2 } };
	use_array(r, p->ball, sizeof(struct vertex), 2, format);
	pica_emit_draw_elements(
			&r->list, PICA_PRIMITIVE_STRIP, p->indices - ARRAY_BASE, true, INDICES);
}

static void draw_air(struct recorder *r, const struct planet *p, const struct mat4 *view,
		float size, const float tint[4]) {
	const struct mat4 model = mat4_scale(size, size, size);
	program_use(r, &p->air);
	program_matrix(r, &p->air, 0, "projection", view);
	program_matrix(r, &p->air, 0, "model", &model);
	program_uniform(r, &p->air, 0, "sun", sun, 1);
	program_uniform(r, &p->air, 0, "tint", tint, 1);
	draw_ball(r, p);
}

static void draw_planet(struct recorder *r, const struct planet *p, const struct mat4 *view,
		unsigned frame) {
	const float drift[4] = { 0.012f * (float)frame, 0, 0, 0 };
	struct mat4 model = mat4_mul(mat4_rotate_z(-0.06), mat4_rotate_y(0.55 + frame / 24.0));
	program_use(r, &p->ground);
	program_matrix(r, &p->ground, 0, "projection", view);
	program_matrix(r, &p->ground, 0, "model", &model);
	program_uniform(r, &p->ground, 0, "sun", sun, 1);
	program_uniform(r, &p->ground, 0, "drift", drift, 1);
	pica_emit_texture(&r->list, 0, &p->day);
	pica_emit_texture(&r->list, 1, &p->clouds);
	pica_emit_texture(&r->list, 2, &p->night);
	pica_emit_texture_units(&r->list, 7, 0, false);
	use_material(r);
	draw_ball(r, p);

	/* The moon in front: the ground's program with a stage less. */
	model = mat4_mul(mat4_translate(1.5f - 0.12f * (float)frame, 0.62f, 0.9f),
			mat4_scale(0.2f, 0.2f, 0.2f));
	program_matrix(r, &p->ground, 0, "model", &model);
	pica_emit_texture(&r->list, 0, &p->moon);
	pica_emit_texture_units(&r->list, 1, 0, false);
	use_day(r);
	draw_ball(r, p);
	pica_emit_texture_units(&r->list, 0, 0, false);
}

static void draw_top(struct recorder *r, struct planet *p, unsigned frame) {
	/* The air is the inside of a larger shell, whose far half is seen around the planet. */
	static const float halo[4] = { 0.3f, 0.55f, 1, -1.9f };
	recorder_draw_top(r);
	for (unsigned i = 0; i < 160; i++) {
		const int x = (int)(i * 7919 % 401), y = (int)(i * 104729 % 241);
		canvas_rect(&p->canvas, x, y, 1, 1, i % 5 ? 0x586078FF : 0xE0E4FFFF);
	}
	canvas_draw(&p->canvas, r, TOP_WIDTH);
	struct mat4 view = mat4_perspective(36 / 360.0, (double)TOP_WIDTH / SCREEN_HEIGHT, 1, 20);
	view = mat4_tilt(mat4_mul(view, mat4_translate(-0.12f, 0, -4.1f)));
	tev_primary(r);
	blend_add(r);
	pica_emit_cull(&r->list, PICA_CULL_FRONT);
	draw_air(r, p, &view, 1.12f, halo);
	pica_emit_blend(&r->list, NULL);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	draw_planet(r, p, &view, frame);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
}

static void draw_map(struct recorder *r, struct planet *p, const struct pica_texture *t, int i) {
	canvas_sprite(&p->canvas, 6 + i % 2 * 158, 16 + i / 2 * 114, 150, 88, 0, 0, MAP, MAP,
			0xFFFFFFFF);
	canvas_draw_textured(&p->canvas, r, BOTTOM_WIDTH, t);
}

static void draw_bottom(struct recorder *r, struct planet *p) {
	static const char *const names[4] = { "ground: ETC1", "clouds: ETC1A4", "lights: ETC1",
		"blocks of the ground" };
	struct canvas *c = &p->canvas;
	recorder_draw_bottom(r);
	canvas_checkers(c, 164, 16, 150, 88, 8);
	for (int i = 0; i < 4; i++) {
		canvas_text_centered(c, 81 + i % 2 * 158, 5 + i / 2 * 114, 0xE8C890FF, names[i]);
	}
	canvas_draw(c, r, BOTTOM_WIDTH);
	tev_modulate(r);
	draw_map(r, p, &p->day, 0);
	draw_map(r, p, &p->clouds, 1);
	draw_map(r, p, &p->night, 2);
	/* 25 x 15 texels, six pixels each; a line between blocks. */
	struct pica_texture near = p->day;
	near.mag = PICA_FILTER_NEAREST;
	canvas_sprite(c, 164, 130, 150, 90, 66, 104, 25, 15, 0xFFFFFFFF);
	canvas_draw_textured(c, r, BOTTOM_WIDTH, &near);
	for (int x = 68; x < 91; x += 4) {
		canvas_rect(c, 164 + (x - 66) * 6, 130, 1, 90, 0x00000060);
	}
	for (int y = 108; y < 119; y += 4) {
		canvas_rect(c, 164, 130 + (y - 104) * 6, 150, 1, 0x00000060);
	}
	canvas_draw(c, r, BOTTOM_WIDTH);
}

static int record(struct recorder *r) {
	struct planet p;
	memset(&p, 0, sizeof(p));
	int ret = canvas_init(&p.canvas, r);
	if (ret == 0) {
		ret = program_create(&p.ground, "planet", planet_source, NULL);
	}
	if (ret == 0) {
		ret = program_create(&p.air, "air", air_source, NULL);
	}
	if (ret == 0) {
		ret = store_ball(r, &p);
	}
	if (ret == 0) {
		store_textures(r, &p);
	}
	for (unsigned frame = 0; ret == 0 && frame < FRAMES; frame++) {
		recorder_frame_begin(r, 0x04060CFF, 0x1C2030FF);
		draw_top(r, &p, frame);
		draw_bottom(r, &p);
		recorder_frame_end(r);
	}
	program_destroy(&p.air);
	program_destroy(&p.ground);
	canvas_finish(&p.canvas);
	return ret;
}

const struct scene scene_planet = {
	.name = "planet",
	.what = "a material of ETC1 textures on three units: a planet by day and night under clouds",
	.frames = FRAMES,
	.record = record,
};
