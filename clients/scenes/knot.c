/*
 * A torus knot of 15,360 triangles, lit in the vertex shader by a warm and a cool lamp, with
 * highlights. Bottom: the same knot in the colours of its normals, smaller and from another side.
 */
#include "kit.h"

enum { FRAMES = 3, STEPS = 320, SIDES = 24, VERTICES = STEPS * SIDES, INDICES = VERTICES * 6 };

/* 12 bytes: s16 x 3, s8 x 3, u8 x 3. */
struct vertex {
	int16_t position[3]; /* in units of 1/4096 */
	int8_t normal[3];    /* of 127 */
	uint8_t color[3];
};

static const struct vertex_format format = { sizeof(struct vertex), 3,
	{ { PICA_ATTRIB_TYPE_S16, 3 }, { PICA_ATTRIB_TYPE_S8, 3 }, { PICA_ATTRIB_TYPE_U8, 3 } } };

static struct mesh knot, background;

static const char program_source[] =
		".fvec projection[4], model[4], lamp[2], lamp_color[2], half_way[2], gloss\n"
		".bool show_normals\n"
		".constf k(0.0, 1.0, 0.5, 0.003921569)\n"
		".constf unit(0.00024414062, 0.007874016, 0.0, 0.0)\n"
		OUT_COLOR
		".in in_pos v0\n"
		".in in_normal v1\n"
		".in in_color v2\n"
		".proc main\n"
		"	mul r0.xyz, unit.xxx, in_pos.xyz\n"
		PLACE
		"	mul r2.xyz, unit.yyy, in_normal.xyz\n"
		NORMAL3("r3", "model", "r2")
		UNIT("r3")
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
		"	; of both lamps: x y the diffuse parts, z w the highlights\n"
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
			ring[s].position[k] = (int16_t)((p[k] + 0.22f * n) * 4096.0f);
			ring[s].normal[k] = (int8_t)(n * 127.0f);
		}
		put_color(ring[s].color, 3, shade);
	}
}

static void store(struct recorder *r) {
	static const uint32_t color[4] = { 0x10141EFF, 0x1E2C44FF, 0x243A58FF, 0x5A7CA0FF };
	static struct vertex v[VERTICES];
	static uint16_t index[INDICES];
	uint16_t *end = index;
	for (unsigned step = 0; step < STEPS; step++) {
		const unsigned a = step * SIDES, c = (step + 1) % STEPS * SIDES;
		make_ring(&v[a], step);
		for (unsigned s = 0; s < SIDES; s++) {
			const unsigned next = (s + 1) % SIDES;
			end = put_quad(end, a + s, a + next, c + s, c + next);
		}
	}
	knot = mesh_store_indexed(r, &format, PICA_PRIMITIVE_LIST, v, VERTICES, index, INDICES);
	/* A gradient from corner to corner, far away. */
	background = store_color_quad(r, 0, 0, 1, 1, color);
}

static void draw_background(struct recorder *r) {
	const float width = (float)r->width;
	use_color_program(r, mat4_tilt(mat4_mul(mat4_pixels(width, SCREEN_HEIGHT),
			mat4_scale(width, SCREEN_HEIGHT, 1))));
	mesh_use(r, &background);
	depth_off(r);
	mesh_draw_part(r, &background, 0, 4);
}

static void draw_knot(struct recorder *r, double distance, struct mat4 turn, bool normals) {
	/* Unit vectors; half_way lies between a lamp and the viewer, who is far away on +z. */
	static const float lamp[2][4] = { { 0.6f, 0.64f, 0.48f, 0 }, { -0.8f, -0.36f, 0.48f, 0 } };
	static const float lamp_color[2][4] = { { 0.92f, 0.84f, 0.7f, 0 },
		{ 0.1f, 0.2f, 0.42f, 0 } };
	/* x: exponent, y: strength of highlights, z: ambient light */
	static const float gloss[4] = { 40, 0.75f, 0.14f, 0 };
	float half_way[2][4] = { { 0 }, { 0 } };
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned c = 0; c < 3; c++) {
			half_way[i][c] = lamp[i][c] + (c == 2 ? 1.0f : 0.0f);
		}
		vec3_normalize(half_way[i]);
	}
	struct mat4 view = mat4_perspective(40 / 360.0, (float)r->width / SCREEN_HEIGHT, 1, 12);
	view = mat4_tilt(mat4_mul(view, mat4_translate(0, 0, (float)-distance)));
	use_projected(r, program_source, view);
	set_matrix(r, "model", turn);
	set_uniform(r, "lamp", &lamp[0][0], 2);
	set_uniform(r, "lamp_color", &lamp_color[0][0], 2);
	set_uniform(r, "half_way", &half_way[0][0], 2);
	set_uniform(r, "gloss", gloss, 1);
	pica_emit_bool_uniforms(&r->list, PICA_UNIT_VS, normals ? 1 : 0);
	bodies_begin(r);
	mesh_draw(r, &knot);
	pica_emit_cull(&r->list, PICA_CULL_NONE);
}

static void draw_top(struct recorder *r, unsigned frame) {
	draw_background(r);
	draw_knot(r, 4.8, mat4_mul(mat4_rotate_x(-0.07), mat4_rotate_z(frame / 48.0)), false);
}

static void draw_bottom(struct recorder *r, unsigned frame) {
	draw_background(r);
	draw_knot(r, 5.4, mat4_mul(mat4_rotate_y(frame / 30.0 + 0.08), mat4_rotate_x(0.2)), true);
}

const struct scene scene_knot = {
	.name = "knot",
	.what = "a torus knot of 15,360 triangles, lit in the vertex shader; the same by its normals",
	.frames = FRAMES, .top = 0x000000FF, .bottom = 0x000000FF,
	.store = store, .draw_top = draw_top, .draw_bottom = draw_bottom,
};
