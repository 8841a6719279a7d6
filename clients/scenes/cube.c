/*
 * A crate over a tiled floor: every face has a texture of another format, and the floor runs to the
 * horizon through the mip levels. Below, one sample of each of twelve formats.
 */
#include <string.h>

#include "recorder.h"
#include "scenes.h"
#include "texture.h"

enum { FRAMES = 3, FACES = 6, SAMPLES = 12, COLUMNS = 4 };

/* Position, texture coordinates, normal. */
struct vertex {
	float x, y, z;
	float u, v;
	int8_t normal[3];
	int8_t pad;
};

static const char program_source[] =
		".fvec projection[4], model[4], light, shade\n"
		".constf k(0.0, 1.0, 0.007874016, 0.5)\n"
		".out out_pos position\n"
		".out out_color color\n"
		".out out_tex texcoord0\n"
		".in in_pos v0\n"
		".in in_tex v1\n"
		".in in_normal v2\n"
		".proc main\n"
		"	dp4 r0.x, model[0], in_pos\n"
		"	dp4 r0.y, model[1], in_pos\n"
		"	dp4 r0.z, model[2], in_pos\n"
		"	mov r0.w, k.y\n"
		"	dp4 out_pos.x, projection[0], r0\n"
		"	dp4 out_pos.y, projection[1], r0\n"
		"	dp4 out_pos.z, projection[2], r0\n"
		"	dp4 out_pos.w, projection[3], r0\n"
		"	; the normal comes as bytes of -127..127\n"
		"	mul r1, k.zzzz, in_normal\n"
		"	dp3 r2.x, model[0], r1\n"
		"	dp3 r2.y, model[1], r1\n"
		"	dp3 r2.z, model[2], r1\n"
		"	dp3 r3.x, light, r2\n"
		"	max r3.x, k.x, r3.x\n"
		"	; light from the lamp plus what is everywhere\n"
		"	mov r4, shade\n"
		"	mad r3, r3.xxxx, r4.xxxx, r4.yyyy\n"
		"	min out_color.xyz, k.yyy, r3.xyz\n"
		"	mov out_color.w, k.y\n"
		"	mov out_tex, in_tex\n"
		"	end\n"
		".end\n";

struct textures {
	struct pica_texture face[FACES];
	struct pica_texture floor;
	struct pica_texture sample[SAMPLES];
};

static const struct {
	uint32_t format;
	picture_fn *picture;
} faces[FACES] = {
	{ PICA_TEXTURE_FORMAT_RGBA8, picture_rings },
	{ PICA_TEXTURE_FORMAT_ETC1, picture_bricks },
	{ PICA_TEXTURE_FORMAT_RGB565, picture_wood },
	{ PICA_TEXTURE_FORMAT_IA8, picture_marble },
	{ PICA_TEXTURE_FORMAT_RGB5A1, picture_tiles },
	{ PICA_TEXTURE_FORMAT_RGB8, picture_weave },
}, samples[SAMPLES] = {
	{ PICA_TEXTURE_FORMAT_RGBA8, picture_leaf },
	{ PICA_TEXTURE_FORMAT_RGB8, picture_rings },
	{ PICA_TEXTURE_FORMAT_RGB5A1, picture_leaf },
	{ PICA_TEXTURE_FORMAT_RGB565, picture_wood },
	{ PICA_TEXTURE_FORMAT_RGBA4, picture_leaf },
	{ PICA_TEXTURE_FORMAT_IA8, picture_star },
	{ PICA_TEXTURE_FORMAT_HILO8, picture_rings },
	{ PICA_TEXTURE_FORMAT_I8, picture_marble },
	{ PICA_TEXTURE_FORMAT_A8, picture_glow },
	{ PICA_TEXTURE_FORMAT_I4, picture_rings },
	{ PICA_TEXTURE_FORMAT_ETC1, picture_rings },
	{ PICA_TEXTURE_FORMAT_ETC1A4, picture_leaf },
};

static void store_textures(struct recorder *r, struct textures *t) {
	for (unsigned i = 0; i < FACES; i++) {
		recorder_store_texture(r, &t->face[i], faces[i].format, 64, 4, faces[i].picture);
	}
	recorder_store_texture(r, &t->floor, PICA_TEXTURE_FORMAT_RGB565, 128, 5, picture_tiles);
	t->floor.wrap_s = PICA_WRAP_REPEAT;
	t->floor.wrap_t = PICA_WRAP_MIRRORED_REPEAT;
	for (unsigned i = 0; i < SAMPLES; i++) {
		recorder_store_texture(
				r, &t->sample[i], samples[i].format, 64, 1, samples[i].picture);
		t->sample[i].mag = i % 2 ? PICA_FILTER_NEAREST : PICA_FILTER_LINEAR;
	}
}

static struct vertex vertex(const float p[3], float u, float v, const float n[3]) {
	struct vertex r = { .x = p[0], .y = p[1], .z = p[2], .u = u, .v = v };
	for (unsigned k = 0; k < 3; k++) {
		r.normal[k] = (int8_t)(n[k] * 127);
	}
	return r;
}

/* Six faces of a cube of side 2, two triangles each, counter-clockwise from outside. */
static uint32_t store_cube(struct recorder *r) {
	struct vertex v[FACES * 6];
	for (unsigned f = 0; f < FACES; f++) {
		unsigned axis = f / 2;
		float side = f % 2 ? -1 : 1;
		float n[3] = { 0 }, right[3] = { 0 }, up[3] = { 0 };
		n[axis] = side;
		up[axis == 1 ? 2 : 1] = axis == 1 ? -side : 1;
		vec3_cross(up, n, right);
		static const unsigned corner[6] = { 0, 1, 3, 0, 3, 2 };
		for (unsigned k = 0; k < 6; k++) {
			float s = corner[k] & 1 ? 1 : -1, t = corner[k] & 2 ? 1 : -1;
			float p[3];
			for (unsigned c = 0; c < 3; c++) {
				p[c] = n[c] + s * right[c] + t * up[c];
			}
			v[f * 6 + k] = vertex(p, (s + 1) / 2, (t + 1) / 2, n);
		}
	}
	return recorder_store(r, v, sizeof(v));
}

static uint32_t store_floor(struct recorder *r) {
	static const float up[3] = { 0, 1, 0 };
	struct vertex v[4];
	for (unsigned k = 0; k < 4; k++) {
		float x = k & 1 ? 60 : -60, z = k & 2 ? -114 : 6; /* from behind the viewer */
		v[k] = vertex((const float[3]){ x, -1.75f, z }, x / 4, z / -4, up);
	}
	return recorder_store(r, v, sizeof(v));
}

/* The samples lie in a grid, in pixels. */
static uint32_t store_grid(struct recorder *r) {
	struct texture_vertex v[SAMPLES * 4];
	for (unsigned i = 0; i < SAMPLES; i++) {
		for (unsigned k = 0; k < 4; k++) {
			float u = k & 1, t = k >> 1;
			float x = (float)(i % COLUMNS) * 78 + 9 + u * 68;
			float y = (float)(2 - i / COLUMNS) * 78 + 8 + t * 68;
			v[i * 4 + k] = (struct texture_vertex){ .x = x, .y = y, .u = u, .v = t };
		}
	}
	return recorder_store(r, v, sizeof(v));
}

static void use_vertices(struct recorder *r, uint32_t array) {
	static const struct pica_attribute_format format[3] = { { PICA_ATTRIB_TYPE_F32, 3 },
		{ PICA_ATTRIB_TYPE_F32, 2 }, { PICA_ATTRIB_TYPE_S8, 3 } };
	use_array(r, array, sizeof(struct vertex), 3, format);
}

static void draw_room(struct recorder *r, const struct program *p, const struct textures *t,
		uint32_t cube, uint32_t floor, unsigned frame) {
	double aspect = (double)TOP_WIDTH / SCREEN_HEIGHT;
	struct mat4 view = mat4_tilt(mat4_perspective(50 / 360.0, aspect, 0.5, 130));
	view = mat4_mul(view, mat4_mul(mat4_rotate_x(14 / 360.0), mat4_translate(0, -1.1f, -5.4f)));
	struct mat4 still = mat4_identity();
	static const float light[4] = { 0.424f, 0.8f, 0.424f, 0 }, shade[4] = { 0.8f, 0.32f, 0, 0 };
	program_use(r, p);
	program_uniform(r, p, 0, "light", light, 1);
	program_uniform(r, p, 0, "shade", shade, 1);
	program_matrix(r, p, 0, "projection", &view);
	tev_modulate(r);
	pica_emit_texture_units(&r->list, 1, 0, false);
	pica_emit_depth_test(&r->list, true, PICA_COMPARE_GREATER, true, 0xF);

	program_matrix(r, p, 0, "model", &still);
	use_vertices(r, floor);
	pica_emit_texture(&r->list, 0, &t->floor);
	pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, 0, 4);

	struct mat4 model = mat4_mul(mat4_rotate_y(0.09 + frame / 40.0), mat4_rotate_x(0.06));
	model = mat4_mul(model, mat4_scale(1.2f, 1.2f, 1.2f));
	model = mat4_mul(mat4_translate(0, 0.25f, 0), model);
	program_matrix(r, p, 0, "model", &model);
	use_vertices(r, cube);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	for (unsigned i = 0; i < FACES; i++) {
		pica_emit_texture(&r->list, 0, &t->face[i]);
		pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_LIST, i * 6, 6);
	}
	pica_emit_cull(&r->list, PICA_CULL_NONE);
}

static void draw_samples(struct recorder *r, const struct program *p, const struct textures *t,
		uint32_t grid, unsigned frame) {
	struct mat4 pixels = mat4_tilt(mat4_pixels(BOTTOM_WIDTH, SCREEN_HEIGHT));
	const float tint[4] = { 1, 1, 1 - 0.25f * (float)frame, 1 };
	program_use(r, p);
	program_matrix(r, p, 0, "projection", &pixels);
	program_uniform(r, p, 0, "tint", tint, 1);
	pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0xF);
	blend_over(r);
	use_texture_vertices(r, grid);
	for (unsigned i = 0; i < SAMPLES; i++) {
		if (samples[i].format == PICA_TEXTURE_FORMAT_A8) {
			/* No colour of its own: the stage's constant. */
			struct pica_tev tev;
			pica_tev_init(&tev);
			tev.rgb_source[0] = PICA_TEV_SOURCE_CONSTANT;
			tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
			tev.color = 0xFF50C8FF; /* R in the low byte */
			pica_emit_tev(&r->list, 0, &tev);
		} else {
			tev_modulate(r);
		}
		pica_emit_texture(&r->list, 0, &t->sample[i]);
		pica_emit_draw_arrays(&r->list, PICA_PRIMITIVE_STRIP, i * 4, 4);
	}
}

static int record(struct recorder *r) {
	struct program room, flat;
	int ret = program_create(&room, "cube", program_source, NULL);
	if (ret < 0) {
		return ret;
	}
	ret = program_create(&flat, "texture", texture_program_source, NULL);
	if (ret < 0) {
		program_destroy(&room);
		return ret;
	}
	struct textures t;
	store_textures(r, &t);
	uint32_t cube = store_cube(r), floor = store_floor(r), grid = store_grid(r);
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		recorder_frame_begin(r, 0x8FB8D8FF, 0x2A2E38FF);
		recorder_draw_top(r);
		draw_room(r, &room, &t, cube, floor, frame);
		recorder_draw_bottom(r);
		draw_samples(r, &flat, &t, grid, frame);
		recorder_frame_end(r);
	}
	program_destroy(&flat);
	program_destroy(&room);
	return 0;
}

const struct scene scene_cube = {
	.name = "cube",
	.what = "a crate on a tiled floor, trilinear; samples of twelve texture formats",
	.frames = FRAMES,
	.record = record,
};
