/*
 * Three coloured spot lights sweep over a wet pavement and its columns. Each is a position and a
 * direction; table SP makes the cone of the angle, table DA lets it fade with the distance, D0 is
 * the wet gloss. Bottom: the same from above, with the cones' edges hard.
 */
#include <errno.h>

#include "lit.h"
#include "recorder.h"
#include "scenes.h"

enum { FRAMES = 3, LAMPS = 3, COLUMNS = 6 };

/* ---- The place ---- */

static void floor_point(double u, double v, double p[3]) {
	p[0] = (u - 0.5) * 12;
	p[1] = 0;
	p[2] = (0.5 - v) * 12;
}

/* Around the y axis, thicker at both ends. */
static void column_point(double u, double v, double p[3]) {
	const double a = 1 - 2 * v, radius = 0.24 + 0.14 * a * a * a * a * a * a;
	p[0] = radius * turn_sin(u);
	p[1] = 2.2 * v;
	p[2] = radius * turn_cos(u);
}

/* Round stones in rows, every second row moved by half. */
static double stones(double u, double v) {
	double x = u * 3, y = v * 4;
	x += (int)y % 2 ? 0.5 : 0;
	x = (x - (int)x - 0.5) * 2;
	y = (y - (int)y - 0.5) * 2;
	const double a = x * x * x * x, b = y * y * y * y, inside = 1 - a - b;
	return inside > 0 ? inside * (1 + 0.2 * turn_sin(u * 7 + v * 3)) : 0;
}

static double flutes(double u, double v) {
	const double a = turn_cos(u * 4);
	return -a * a;
}

/* ---- Light ---- */

struct lamps {
	struct program p;
	struct lit_body pavement, column;
	struct pica_texture stones, flutes;
};

/* Full within 30 degrees of the middle, nothing beyond 40. */
static float soft_cone(float cosine, void *arg) {
	const float x = (cosine - 0.76f) / 0.1f;
	return x < 0 ? 0 : x > 1 ? 1 : x * x * (3 - 2 * x);
}

static float hard_cone(float cosine, void *arg) {
	return cosine > 0.8f ? 1 : 0;
}

/* Full at the lamp, and nothing at the far end. */
static float fading(float distance, void *arg) {
	const float left = 1 - distance;
	return left * left;
}

static void transform(const struct mat4 *m, const float v[3], float w, float out[3]) {
	for (unsigned k = 0; k < 3; k++) {
		out[k] = ((m->m[k][0] * v[0] + m->m[k][1] * v[1]) + m->m[k][2] * v[2]) +
				m->m[k][3] * w;
	}
}

/* Lights stand in the space of the eye. */
static void emit_lamps(struct recorder *r, const struct mat4 *camera, unsigned frame) {
	static const uint32_t colors[LAMPS] = { 0x48A0FF, 0xFFC058, 0xA850FF };
	for (unsigned i = 0; i < LAMPS; i++) {
		const double sweep = i / 3.0 + frame / 18.0;
		const float place[3] = { 2.4f * ((float)i - 1), 2.9f,
			(float)(1.2 * turn_sin(i / 3.0)) - 0.6f };
		float way[3] = { (float)(0.4 * turn_sin(sweep)), -1,
			(float)(0.3 * turn_cos(sweep)) };
		struct pica_light light;
		vec3_normalize(way);
		pica_light_init(&light);
		light.is_directional = false;
		light.diffuse = colors[i];
		light.specular0 = colors[i];
		pica_light_distance(&light, 1, 8);
		transform(camera, place, 1, light.position);
		transform(camera, way, 0, light.spot);
		pica_emit_light(&r->list, i, &light);
	}
}

static void emit_lighting(struct recorder *r, bool is_hard) {
	struct pica_lighting lighting;
	unsigned gloss = 64;
	pica_lighting_init(&lighting);
	lighting.count = LAMPS;
	lighting.ambient = 0x201810;
	lighting.d0.enable = true;
	lighting.spot_lights = lighting.distance_lights = (1 << LAMPS) - 1;
	lighting.clamp_highlights = true;
	lighting.bump = PICA_BUMP_NORMAL;
	pica_emit_lighting(&r->list, &lighting);
	lit_table(r, PICA_LIGHT_TABLE_D0, true, lit_power, &gloss);
	for (unsigned i = 0; i < LAMPS; i++) {
		lit_table(r, PICA_LIGHT_TABLE_SP + i, true, is_hard ? hard_cone : soft_cone, NULL);
		lit_table(r, PICA_LIGHT_TABLE_DA + i, false, fading, NULL);
	}
}

/* Stage 0: the primary colour times the stone's, stage 1: gloss on it. */
static void emit_stages(struct recorder *r) {
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = PICA_TEV_SOURCE_FRAGMENT_PRIMARY;
	tev.rgb_source[1] = PICA_TEV_SOURCE_CONSTANT;
	tev.rgb_op = PICA_TEV_OP_MODULATE;
	tev.alpha_source[0] = PICA_TEV_SOURCE_CONSTANT;
	tev.color = 0xFFF0F4FF;
	pica_emit_tev(&r->list, 0, &tev);
	pica_tev_init(&tev);
	tev.rgb_source[1] = PICA_TEV_SOURCE_FRAGMENT_SECONDARY;
	tev.rgb_op = PICA_TEV_OP_ADD;
	pica_emit_tev(&r->list, 1, &tev);
}

/* ---- Pictures ---- */

static void draw_place(struct recorder *r, const struct lamps *s, unsigned width, double fov,
		const struct mat4 *camera, unsigned frame) {
	struct mat4 lens = mat4_perspective(fov, (double)width / SCREEN_HEIGHT, 0.5, 30);
	lens = mat4_tilt(lens);
	lit_use(r, &s->p, &lens);
	emit_lamps(r, camera, frame);
	pica_emit_texture(&r->list, 0, &s->stones);
	lit_draw(r, &s->p, &s->pavement, camera);
	pica_emit_texture(&r->list, 0, &s->flutes);
	for (unsigned i = 0; i < COLUMNS; i++) {
		const float x = (i % 2 ? 1.0f : -1.0f) * 2.1f, z = 1.6f - 2.6f * (float)(i / 2);
		struct mat4 model = mat4_mul(*camera, mat4_translate(x, 0, z));
		lit_draw(r, &s->p, &s->column, &model);
	}
}

static void draw_frame(struct recorder *r, const struct lamps *s, unsigned frame) {
	recorder_frame_begin(r, 0x040608FF, 0x040608FF);
	for (unsigned screen = 0; screen < 2; screen++) {
		struct mat4 camera;
		if (screen == 0) {
			recorder_draw_top(r);
			camera = mat4_mul(
					mat4_rotate_x(20 / 360.0), mat4_translate(0, -2.3f, -5.6f));
		} else {
			recorder_draw_bottom(r);
			camera = mat4_mul(mat4_rotate_x(0.25), mat4_translate(0, -8.6f, 0.4f));
		}
		emit_stages(r);
		emit_lighting(r, screen == 1);
		pica_emit_texture_units(&r->list, 1, 0, false);
		pica_emit_cull(&r->list, PICA_CULL_BACK);
		pica_emit_depth_test(&r->list, true, PICA_COMPARE_GREATER, true, 0xF);
		draw_place(r, s, screen == 0 ? TOP_WIDTH :
				BOTTOM_WIDTH, (screen == 0 ? 50 : 46) / 360.0,
				&camera, frame);
	}
	recorder_frame_end(r);
}

static int record(struct recorder *r) {
	struct lamps s;
	int ret = lit_program_create(&s.p);
	if (ret < 0) {
		return ret;
	}
	lit_normal_map(r, &s.stones, 64, stones, 0.09);
	lit_normal_map(r, &s.flutes, 32, flutes, 0.08);
	lit_patch(r, &s.pavement, floor_point, 12, 12, 8, 8);
	lit_patch(r, &s.column, column_point, 24, 12, 3, 1);
	for (unsigned frame = 0; frame < FRAMES && r->error == 0; frame++) {
		draw_frame(r, &s, frame);
	}
	program_destroy(&s.p);
	return r->error;
}

const struct scene scene_lamps = {
	.name = "lamps",
	.what = "three spot lights with distance attenuation over a wet pavement, from the side and from above",
	.frames = FRAMES,
	.record = record,
};
