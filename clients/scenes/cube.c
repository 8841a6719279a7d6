/*
 * A crate over a tiled floor: each face has a texture of another format, and the floor reaches to
 * the horizon through the mip levels. Bottom: a sample of each of twelve formats.
 */
#include "kit.h"

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
		OUT_COLOR
		".out out_tex texcoord0\n"
		".in in_pos v0\n"
		".in in_tex v1\n"
		".in in_normal v2\n"
		".proc main\n"
		ROWS3("r0", "model", "in_pos")
		"	mov r0.w, k.y\n"
		PROJECT("r0")
		"	; the normal comes as bytes of -127..127\n"
		"	mul r1, k.zzzz, in_normal\n"
		NORMAL3("r2", "model", "r1")
		"	dp3 r3.x, light, r2\n"
		"	max r3.x, k.x, r3.x\n"
		"	; the lamp's light and the ambient light\n"
		"	mov r4, shade\n"
		"	mad r3, r3.xxxx, r4.xxxx, r4.yyyy\n"
		"	min out_color.xyz, k.yyy, r3.xyz\n"
		"	mov out_color.w, k.y\n"
		"	mov out_tex, in_tex\n"
		END;

static struct pica_texture face[FACES], floor_tiles, sample[SAMPLES];
static struct mesh cube, ground, grid;

static const struct vertex_format format = { sizeof(struct vertex), 3,
	{ { PICA_ATTRIB_TYPE_F32, 3 }, { PICA_ATTRIB_TYPE_F32, 2 }, { PICA_ATTRIB_TYPE_S8, 3 } } };

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

static void store_textures(struct recorder *r) {
	for (unsigned i = 0; i < FACES; i++) {
		face[i] = store_texture(r, faces[i].format, 64, 4, faces[i].picture);
	}
	floor_tiles = store_texture(r, PICA_TEXTURE_FORMAT_RGB565, 128, 5, picture_tiles);
	floor_tiles.wrap_s = PICA_WRAP_REPEAT;
	floor_tiles.wrap_t = PICA_WRAP_MIRRORED_REPEAT;
	for (unsigned i = 0; i < SAMPLES; i++) {
		sample[i] = store_texture(r, samples[i].format, 64, 1, samples[i].picture);
		sample[i].mag = i % 2 ? PICA_FILTER_NEAREST : PICA_FILTER_LINEAR;
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
static struct mesh store_cube(struct recorder *r) {
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
	return mesh_store(r, &format, PICA_PRIMITIVE_LIST, v, COUNT(v));
}

static struct mesh store_floor(struct recorder *r) {
	static const float up[3] = { 0, 1, 0 };
	struct vertex v[4];
	for (unsigned k = 0; k < 4; k++) {
		float x = k & 1 ? 60 : -60, z = k & 2 ? -114 : 6; /* starts behind the viewer */
		v[k] = vertex((const float[3]){ x, -1.75f, z }, x / 4, z / -4, up);
	}
	return mesh_store(r, &format, PICA_PRIMITIVE_STRIP, v, 4);
}

/* The grid of samples, in pixels. */
static struct mesh store_grid(struct recorder *r) {
	struct texture_vertex v[SAMPLES * 4];
	for (unsigned i = 0; i < SAMPLES; i++) {
		const float x = (float)(i % COLUMNS) * 78 + 9, y = (float)(2 - i / COLUMNS) * 78 +
				8;
		const struct quad q = { x, y, x + 68, y + 68, 0, 0, 1, 1 };
		put_texture_quad(&v[i * 4], &q);
	}
	return store_textured(r, PICA_PRIMITIVE_STRIP, v, COUNT(v));
}

static void draw_room(struct recorder *r, unsigned frame) {
	static const float light[4] = { 0.424f, 0.8f, 0.424f, 0 }, shade[4] = { 0.8f, 0.32f, 0, 0 };
	struct mat4 view = mat4_tilt(screen_lens(TOP_WIDTH, 50, 0.5, 130));
	view = mat4_mul3(view, mat4_rotate_x(14 / 360.0), mat4_translate(0, -1.1f, -5.4f));
	use_program(r, program_source);
	set_uniform(r, "light", light, 1);
	set_uniform(r, "shade", shade, 1);
	set_matrix(r, "projection", view);
	tev_modulate(r);
	use_units(r, 1);
	depth_on(r);

	set_matrix(r, "model", mat4_identity());
	mesh_use(r, &ground);
	pica_emit_texture(&r->list, 0, &floor_tiles);
	mesh_draw_part(r, &ground, 0, 4);

	struct mat4 model = mat4_mul(mat4_rotate_y(0.09 + frame / 40.0), mat4_rotate_x(0.06));
	model = mat4_mul(model, mat4_scale(1.2f, 1.2f, 1.2f));
	set_matrix(r, "model", mat4_mul(mat4_translate(0, 0.25f, 0), model));
	mesh_use(r, &cube);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
	for (unsigned i = 0; i < FACES; i++) {
		pica_emit_texture(&r->list, 0, &face[i]);
		mesh_draw_part(r, &cube, i * 6, 6);
	}
	pica_emit_cull(&r->list, PICA_CULL_NONE);
}

static void draw_samples(struct recorder *r, unsigned frame) {
	const float tint[4] = { 1, 1, 1 - 0.25f * (float)frame, 1 };
	use_projected(r, texture_program, screen_pixels(BOTTOM_WIDTH));
	set_uniform(r, "tint", tint, 1);
	depth_off(r);
	blend_over(r);
	mesh_use(r, &grid);
	for (unsigned i = 0; i < SAMPLES; i++) {
		if (samples[i].format == PICA_TEXTURE_FORMAT_A8) {
			/* The format has no colour: use the stage's constant, R in the low byte. */
			TEV(r, 0, RGB1(CONSTANT), ALPHA1(TEXTURE0), .color = 0xFF50C8FF);
		} else {
			tev_modulate(r);
		}
		pica_emit_texture(&r->list, 0, &sample[i]);
		mesh_draw_part(r, &grid, i * 4, 4);
	}
}

static void store(struct recorder *r) {
	store_textures(r);
	cube = store_cube(r);
	ground = store_floor(r);
	grid = store_grid(r);
}

const struct scene scene_cube = {
	.name = "cube",
	.what = "a crate on a tiled floor, trilinear; samples of twelve texture formats",
	.frames = FRAMES, .top = 0x8FB8D8FF, .bottom = 0x2A2E38FF,
	.store = store, .draw_top = draw_room, .draw_bottom = draw_samples,
};
