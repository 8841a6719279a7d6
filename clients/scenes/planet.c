/*
 * A material of ETC1 textures: the ground of a planet by day and its lights by night (ETC1), clouds
 * over both (ETC1A4). Three texture units; the combiner stages:
 *
 *     0  ground * sunlight
 *     1  + lights * darkness, which the vertex colour holds in its alpha
 *     2  towards sunlit white by the clouds' alpha
 *
 * Bottom: the maps, and blocks of 4 x 4 texels, magnified.
 */
#include "kit.h"

enum {
	FRAMES = 3, AROUND = 56, DOWN = 36, VERTICES = (AROUND + 1) * (DOWN + 1),
	INDICES = DOWN * ((AROUND + 1) * 2 + 2), MAP = 256, LEVELS = 6,
};

/* On a ball of radius 1 the position is the normal. */
struct vertex {
	int16_t place[3]; /* in units of 1/16384 */
	int16_t texel[2];
};

static const char planet_source[] =
		".fvec projection[4], model[4], sun, drift\n"
		".constf k(0.0, 1.0, 0.00006103515625, 4.0)\n"
		".constf dusk(1.0, 0.62, 0.4, 0.25)\n"
		OUT_COLOR
		".out out_ground texcoord0\n"
		".out out_clouds texcoord1\n"
		".out out_lights texcoord2\n"
		".in in_place v0\n"
		".in in_texel v1\n"
		".proc main\n"
		"	mul r0.xyz, k.zzz, in_place.xyz\n"
		PLACE
		NORMAL3("r2", "model", "r0")
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
		END;

/* A shell around the planet, which fades towards its rim and at night. */
static const char air_source[] =
		".fvec projection[4], model[4], sun, tint\n"
		".constf k(0.0, 1.0, 0.00006103515625, 0.3)\n"
		OUT_COLOR
		".in in_place v0\n"
		".in in_texel v1\n"
		".proc main\n"
		"	mul r0.xyz, k.zzz, in_place.xyz\n"
		PLACE
		"	; the distance beyond the rim, times tint.w\n"
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
		END;

static struct {
	struct pica_texture day, clouds, night, moon;
	struct mesh ball;
} own;

/* ---- Store ---- */

static void store_ball(struct recorder *r) {
	static const struct vertex_format format = { sizeof(struct vertex), 2,
		{ { PICA_ATTRIB_TYPE_S16, 3 }, { PICA_ATTRIB_TYPE_S16, 2 } } };
	static struct vertex v[VERTICES];
	static uint16_t index[INDICES];
	uint16_t *end = index;
	for (unsigned i = 0; i < VERTICES; i++) {
		const double polar = 0.5 * (i / (AROUND + 1)) / DOWN;
		const double turn = (double)(i % (AROUND + 1)) / AROUND;
		v[i] = (struct vertex){
			.place = { (int16_t)(16384 * turn_sin(polar) * turn_cos(turn)),
					(int16_t)(16384 * turn_cos(polar)),
					(int16_t)(-16384 * turn_sin(polar) * turn_sin(turn)) },
			.texel = { (int16_t)(16384 * turn), (int16_t)(16384 - 16384 * 2 * polar) },
		};
	}
	for (unsigned down = 0; down < DOWN; down++) {
		const unsigned high = down * (AROUND + 1), low = high + AROUND + 1;
		/* An even number of vertices between rows keeps the winding. */
		end = put_row(end, low, high, AROUND + 1);
	}
	own.ball = mesh_store_indexed(
			r, &format, PICA_PRIMITIVE_STRIP, v, VERTICES, index, INDICES);
}

static void store_textures(struct recorder *r) {
	own.day = store_texture(r, PICA_TEXTURE_FORMAT_ETC1, MAP, LEVELS, picture_planet);
	own.clouds = store_texture(r, PICA_TEXTURE_FORMAT_ETC1A4, MAP, LEVELS, picture_clouds);
	own.night = store_texture(r, PICA_TEXTURE_FORMAT_ETC1, MAP, LEVELS, picture_lights);
	own.moon = store_texture(r, PICA_TEXTURE_FORMAT_ETC1, 64, 4, picture_marble);
	own.day.wrap_s = own.clouds.wrap_s = own.night.wrap_s = own.moon.wrap_s = PICA_WRAP_REPEAT;
}

/* ---- Stages ---- */

/* Ground and sunlight. */
static void use_day(struct recorder *r) {
	tev_modulate(r);
	tev_pass(r, 1, 2);
}

static void use_material(struct recorder *r) {
	use_day(r);

	TEV(r, 1, RGB3(MULTIPLY_ADD, TEXTURE2, PRIMARY, PREVIOUS), ALPHA1(PREVIOUS),
			.rgb_operand = { 0, PICA_TEV_OPERAND_RGB_ALPHA });

	TEV(r, 2, RGB3(INTERPOLATE, PRIMARY, PREVIOUS, TEXTURE1), ALPHA1(PREVIOUS),
			.rgb_operand = { 0, 0, PICA_TEV_OPERAND_RGB_ALPHA });
}

/* ---- Draw ---- */

static const float sun[4] = { -0.82f, 0.34f, 0.46f, 0 };

static void draw_air(struct recorder *r, struct mat4 view, float size, const float tint[4]) {
	use_projected(r, air_source, view);
	set_matrix(r, "model", mat4_scale(size, size, size));
	set_uniform(r, "sun", sun, 1);
	set_uniform(r, "tint", tint, 1);
	mesh_draw(r, &own.ball);
}

static void draw_planet(struct recorder *r, struct mat4 view, unsigned frame) {
	const float drift[4] = { 0.012f * (float)frame, 0, 0, 0 };
	struct mat4 model = mat4_mul(mat4_rotate_z(-0.06), mat4_rotate_y(0.55 + frame / 24.0));
	use_projected(r, planet_source, view);
	set_matrix(r, "model", model);
	set_uniform(r, "sun", sun, 1);
	set_uniform(r, "drift", drift, 1);
	pica_emit_texture(&r->list, 0, &own.day);
	pica_emit_texture(&r->list, 1, &own.clouds);
	pica_emit_texture(&r->list, 2, &own.night);
	use_units(r, 7);
	use_material(r);
	mesh_draw(r, &own.ball);

	/* The moon in front: the ground's program with one stage less. */
	model = mat4_place(1.5f - 0.12f * (float)frame, 0.62f, 0.9f, 0.2f);
	set_matrix(r, "model", model);
	use_texture(r, &own.moon);
	use_day(r);
	mesh_draw(r, &own.ball);
	use_units(r, 0);
}

static void draw_top(struct recorder *r, unsigned frame) {
	/* The air is the inside of a larger shell, whose far half shows around the planet. */
	static const float halo[4] = { 0.3f, 0.55f, 1, -1.9f };
	for (unsigned i = 0; i < 160; i++) {
		const int x = (int)(i * 7919 % 401), y = (int)(i * 104729 % 241);
		canvas_rect(r, x, y, 1, 1, i % 5 ? 0x586078FF : 0xE0E4FFFF);
	}
	canvas_draw(r);
	struct mat4 view = screen_lens(TOP_WIDTH, 36, 1, 20);
	view = mat4_tilt(mat4_mul(view, mat4_translate(-0.12f, 0, -4.1f)));
	tev_primary(r);
	blend_add(r);
	pica_emit_cull(&r->list, PICA_CULL_FRONT);
	draw_air(r, view, 1.12f, halo);
	blend_off(r);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	draw_planet(r, view, frame);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
}

static void draw_map(struct recorder *r, const struct pica_texture *t, int i) {
	canvas_sprite(r, 6 + i % 2 * 158, 16 + i / 2 * 114, 150, 88, 0, 0, MAP, MAP, 0xFFFFFFFF);
	canvas_draw_textured(r, t);
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	static const char *const names[4] = { "ground: ETC1", "clouds: ETC1A4", "lights: ETC1",
		"blocks of the ground" };
	canvas_checkers(r, 164, 16, 150, 88, 8);
	for (int i = 0; i < 4; i++) {
		canvas_text_centered(r, 81 + i % 2 * 158, 5 + i / 2 * 114, 0xE8C890FF, names[i]);
	}
	canvas_draw(r);
	tev_modulate(r);
	draw_map(r, &own.day, 0);
	draw_map(r, &own.clouds, 1);
	draw_map(r, &own.night, 2);
	/* 25 x 15 texels, six pixels each; a line between blocks. */
	struct pica_texture near = own.day;
	near.mag = PICA_FILTER_NEAREST;
	canvas_sprite(r, 164, 130, 150, 90, 66, 104, 25, 15, 0xFFFFFFFF);
	canvas_draw_textured(r, &near);
	for (int x = 68; x < 91; x += 4) {
		canvas_rect(r, 164 + (x - 66) * 6, 130, 1, 90, 0x00000060);
	}
	for (int y = 108; y < 119; y += 4) {
		canvas_rect(r, 164, 130 + (y - 104) * 6, 150, 1, 0x00000060);
	}
	canvas_draw(r);
}

static void store(struct recorder *r) {
	store_ball(r);
	store_textures(r);
}

const struct scene scene_planet = {
	.name = "planet",
	.what = "a material of ETC1 textures on three units: a planet by day and night under clouds",
	.frames = FRAMES, .has_canvas = true, .top = 0x04060CFF, .bottom = 0x1C2030FF,
	.store = store, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
