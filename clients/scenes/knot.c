/*
 * A torus knot of 15,360 triangles, lit in the vertex shader by a warm and a cool lamp, with
 * highlights. Below, the same knot in the colours of its normals, smaller and from another side.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"
#include "scenes.h"

enum { FRAMES = 3, STEPS = 320, SIDES = 24, VERTICES = STEPS * SIDES, INDICES = VERTICES * 6 };

/* 12 bytes: s16 x 3, s8 x 3, u8 x 3. */
struct vertex {
	int16_t position[3]; /* in units of 1/4096 */
	int8_t normal[3];    /* of 127 */
	uint8_t color[3];
};

static const char program_source[] =
		".fvec projection[4], model[4], lamp[2], lamp_color[2], half_way[2], gloss\n"
		".bool show_normals\n"
		".constf k(0.0, 1.0, 0.5, 0.003921569)\n"
		".constf unit(0.00024414062, 0.007874016, 0.0, 0.0)\n"
		".out out_pos position\n"
		".out out_color color\n"
		".in in_pos v0\n"
		".in in_normal v1\n"
		".in in_color v2\n"
		".proc main\n"
		"	mul r0.xyz, unit.xxx, in_pos.xyz\n"
		"	mov r0.w, k.y\n"
		"	dp4 r1.x, model[0], r0\n"
		"	dp4 r1.y, model[1], r0\n"
		"	dp4 r1.z, model[2], r0\n"
		"	mov r1.w, k.y\n"
		"	dp4 out_pos.x, projection[0], r1\n"
		"	dp4 out_pos.y, projection[1], r1\n"
		"	dp4 out_pos.z, projection[2], r1\n"
		"	dp4 out_pos.w, projection[3], r1\n"
		"	mul r2.xyz, unit.yyy, in_normal.xyz\n"
		"	dp3 r3.x, model[0], r2\n"
		"	dp3 r3.y, model[1], r2\n"
		"	dp3 r3.z, model[2], r2\n"
		"	dp3 r3.w, r3, r3\n"
		"	rsq r3.w, r3.w\n"
		"	mul r3.xyz, r3.xyz, r3.www\n"
		"	ifu show_normals\n"
		"		mov r5, k\n"
		"		mad out_color.xyz, r3.xyz, r5.zzz, r5.zzz\n"
		"	.else\n"
		"		call lit\n"
		"		nop\n"
		"	.end\n"
		"	mov out_color.w, k.y\n"
		"	end\n"
		".end\n"
		"; the normal is in r3\n"
		".proc lit\n"
		"	mul r4.xyz, k.www, in_color.xyz\n"
		"	; what both lamps give: x y the diffuse parts, z w the highlights\n"
		"	dp3 r5.x, lamp[0], r3\n"
		"	dp3 r5.y, lamp[1], r3\n"
		"	dp3 r5.z, half_way[0], r3\n"
		"	dp3 r5.w, half_way[1], r3\n"
		"	max r5, k.xxxx, r5\n"
		"	; power: 2 ^ (gloss * log2)\n"
		"	lg2 r6.x, r5.z\n"
		"	lg2 r6.y, r5.w\n"
		"	mul r6.xy, gloss.xx, r6.xy\n"
		"	ex2 r5.z, r6.x\n"
		"	ex2 r5.w, r6.y\n"
		"	mul r7.xyz, lamp_color[0].xyz, r5.xxx\n"
		"	mov r8, lamp_color[1]\n"
		"	mad r7.xyz, r8.xyz, r5.yyy, r7.xyz\n"
		"	mov r9, gloss\n"
		"	add r7.xyz, r9.zzz, r7.xyz\n"
		"	mul r7.xyz, r7.xyz, r4.xyz\n"
		"	add r5.z, r5.z, r5.w\n"
		"	mad r7.xyz, r5.zzz, r9.yyy, r7.xyz\n"
		"	min out_color.xyz, k.yyy, r7.xyz\n"
		".end\n";

/* A (2,3) knot on a torus. */
static void knot_point(double t, float p[3]) {
	double around = 2 * t, through = 3 * t;
	double radius = 1 + 0.5 * turn_cos(through);
	p[0] = (float)(radius * turn_cos(around));
	p[1] = (float)(radius * turn_sin(around));
	p[2] = (float)(0.46 * turn_sin(through));
}

static int16_t to_s16(float x) {
	return (int16_t)(x * 4096.0f);
}

static void make_ring(struct vertex *ring, unsigned step) {
	double t = (double)step / STEPS;
	float p[3], ahead[3], tangent[3], out[3], side[3];
	knot_point(t, p);
	knot_point(t + 1.0 / 4096, ahead);
	for (unsigned k = 0; k < 3; k++) {
		tangent[k] = ahead[k] - p[k];
		out[k] = ahead[k] + p[k];
	}
	vec3_normalize(tangent);
	vec3_cross(tangent, out, side);
	vec3_normalize(side);
	vec3_cross(side, tangent, out);
	uint32_t color = hsv(t, 0.62, 1);
	for (unsigned s = 0; s < SIDES; s++) {
		float c = (float)turn_cos((double)s / SIDES),
		      d = (float)turn_sin((double)s / SIDES);
		uint32_t shade = s % 6 < 3 ? color : mix_color(color, 0xFFFFFFFF, 0.35);
		for (unsigned k = 0; k < 3; k++) {
			float n = c * out[k] + d * side[k];
			ring[s].position[k] = to_s16(p[k] + 0.22f * n);
			ring[s].normal[k] = (int8_t)(n * 127.0f);
			ring[s].color[k] = (uint8_t)(shade >> (24 - 8 * k));
		}
	}
}

static int store_knot(struct recorder *r, uint32_t *vertices, uint32_t *indices) {
	struct vertex *v = malloc(VERTICES * sizeof(*v));
	uint16_t *index = malloc(INDICES * sizeof(*index));
	if (!v || !index) {
		free(v);
		free(index);
		return -ENOMEM;
	}
	uint16_t *next = index;
	for (unsigned step = 0; step < STEPS; step++) {
		make_ring(&v[step * SIDES], step);
		for (unsigned s = 0; s < SIDES; s++) {
			uint16_t a = (uint16_t)(step * SIDES + s);
			uint16_t b = (uint16_t)(step * SIDES + (s + 1) % SIDES);
			uint16_t c = (uint16_t)((step + 1) % STEPS * SIDES + s);
			uint16_t d = (uint16_t)((step + 1) % STEPS * SIDES + (s + 1) % SIDES);
			const uint16_t quad[6] = { a, b, c, c, b, d };
			memcpy(next, quad, sizeof(quad));
			next += 6;
		}
	}
	*vertices = recorder_store(r, v, VERTICES * sizeof(*v));
	*indices = recorder_store(r, index, INDICES * sizeof(*index));
	free(v);
	free(index);
	return 0;
}

/* A gradient from corner to corner, far away. */
static uint32_t store_background(struct recorder *r) {
	static const uint32_t color[4] = { 0x10141EFF, 0x1E2C44FF, 0x243A58FF, 0x5A7CA0FF };
	struct color_vertex v[4];
	for (unsigned k = 0; k < 4; k++) {
		v[k] = color_vertex(k & 1 ? 1 : 0, k & 2 ? 1 : 0, 0, color[k]);
	}
	return recorder_store(r, v, sizeof(v));
}

struct knot {
	struct program lit, flat;
	uint32_t vertices, indices, background;
};

static void draw_background(struct recorder *r, const struct knot *k, float width) {
	struct mat4 m = mat4_scale(width, SCREEN_HEIGHT, 1);
	m = mat4_tilt(mat4_mul(mat4_pixels(width, SCREEN_HEIGHT), m));
	program_use(r, &k->flat);
	program_matrix(r, &k->flat, 0, "projection", &m);
	use_color_vertices(r, k->background);
	pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0xF);
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 0, 4);
}

static void draw_knot(struct recorder *r, const struct knot *k, float width, double distance,
		const struct mat4 *turn, bool normals) {
	static const struct pica_attribute_format format[3] = { { PICA_ATTRIB_TYPE_S16, 3 },
		{ PICA_ATTRIB_TYPE_S8, 3 }, { PICA_ATTRIB_TYPE_U8, 3 } };
	/* Unit vectors; half_way lies between a lamp and the viewer, who is far out on +z. */
	static const float lamp[2][4] = { { 0.6f, 0.64f, 0.48f, 0 }, { -0.8f, -0.36f, 0.48f, 0 } };
	static const float lamp_color[2][4] = { { 0.92f, 0.84f, 0.7f, 0 },
		{ 0.1f, 0.2f, 0.42f, 0 } };
	/* x the exponent, y the strength of highlights, z what light is everywhere */
	static const float gloss[4] = { 40, 0.75f, 0.14f, 0 };
	float half_way[2][4] = { { 0 }, { 0 } };
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned c = 0; c < 3; c++) {
			half_way[i][c] = lamp[i][c] + (c == 2 ? 1.0f : 0.0f);
		}
		vec3_normalize(half_way[i]);
	}
	struct mat4 view = mat4_perspective(40 / 360.0, width / SCREEN_HEIGHT, 1, 12);
	view = mat4_tilt(mat4_mul(view, mat4_translate(0, 0, (float)-distance)));
	program_use(r, &k->lit);
	program_matrix(r, &k->lit, 0, "projection", &view);
	program_matrix(r, &k->lit, 0, "model", turn);
	program_uniform(r, &k->lit, 0, "lamp", &lamp[0][0], 2);
	program_uniform(r, &k->lit, 0, "lamp_color", &lamp_color[0][0], 2);
	program_uniform(r, &k->lit, 0, "half_way", &half_way[0][0], 2);
	program_uniform(r, &k->lit, 0, "gloss", gloss, 1);
	pica_emit_bool_uniforms(&r->list, PICA_UNIT_VS, normals ? 1 : 0);
	pica_emit_depth_test(&r->list, true, PICA_COMPARE_GREATER, true, 0xF);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	use_array(r, k->vertices, sizeof(struct vertex), 3, format);
	pica_emit_draw_elements(
			&r->list, PICA_PRIMITIVE_LIST, k->indices - ARRAY_BASE, true, INDICES);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
}

static int record_frames(struct recorder *r, struct knot *k) {
	int ret = store_knot(r, &k->vertices, &k->indices);
	if (ret < 0) {
		return ret;
	}
	k->background = store_background(r);
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		recorder_frame_begin(r, 0x000000FF, 0x000000FF);
		recorder_draw_top(r);
		draw_background(r, k, TOP_WIDTH);
		struct mat4 turn = mat4_mul(mat4_rotate_x(-0.07), mat4_rotate_z(frame / 48.0));
		draw_knot(r, k, TOP_WIDTH, 4.8, &turn, false);
		recorder_draw_bottom(r);
		draw_background(r, k, BOTTOM_WIDTH);
		turn = mat4_mul(mat4_rotate_y(frame / 30.0 + 0.08), mat4_rotate_x(0.2));
		draw_knot(r, k, BOTTOM_WIDTH, 5.4, &turn, true);
		recorder_frame_end(r);
	}
	return 0;
}

static int record(struct recorder *r) {
	struct knot k;
	int ret = program_create(&k.lit, "knot", program_source, NULL);
	if (ret < 0) {
		return ret;
	}
	ret = program_create(&k.flat, "color", color_program_source, NULL);
	if (ret == 0) {
		ret = record_frames(r, &k);
		program_destroy(&k.flat);
	}
	program_destroy(&k.lit);
	return ret;
}

const struct scene scene_knot = {
	.name = "knot",
	.what = "a torus knot of 15,360 triangles, lit in the vertex shader; the same by its normals",
	.frames = FRAMES,
	.record = record,
};
