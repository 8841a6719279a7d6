/*
 * The bundled scenes of the VideoCore IV: triangles with published pictures (an article on vertex
 * and coordinate shaders, a console's screen), a target that becomes a texture, a frame that
 * continues the previous one, a hundred thousand triangles.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "math3.h"
#include "scenes.h"
#include "vc4.h"

enum { TEXTURE_SIZE = 256, GRID = 225 };

/* White; three varyings, red in byte 0; a texture of two varyings. [fidelity: vc4-lists] */
static const char white[] =
		"nop\nnop\nnop; sbwait\nldi tlbc, 0xffffffff\nnop; thrend\nnop\nnop; sbdone\n";
const uint32_t vc4_colors[VC4_COLORS_WORDS][2] = {
	{ 0xFF000000, 0xE00208E7 }, { 0x203E3037, 0x100049E0 },
	{ 0x213E3177, 0x10024821 }, { 0x213E3377, 0x40024862 }, { 0x219E0547, 0xD14248A3 },
	{ 0x209E000F, 0xD15049E3 }, { 0x209E0017, 0xD16049E3 }, { 0x159E76C0, 0x10020BA7 },
	{ 0x009E7000, 0x300009E7 }, { 0x009E7000, 0x100009E7 }, { 0x009E7000, 0x500009E7 } };
static const uint32_t textured[][2] = { { 0x203E3037, 0x100049E0 }, { 0x213E3177, 0x10024821 },
	{ 0x019E7340, 0x10020E67 }, { 0x159E7000, 0x10020E27 }, { 0x009E7000, 0xA00009E7 },
	{ 0x159E7900, 0x40020BA7 }, { 0x009E7000, 0x300009E7 }, { 0x009E7000, 0x100009E7 },
	{ 0x009E7000, 0x500009E7 } };

void vc4_scene_use_nv(struct vc4_recorder *r, unsigned n_varyings) {
	const struct pica_vc4_nv_shader s = { .fragment = { VC4_FRAGMENT, VC4_UNIFORMS, 0 },
		.vertices = VC4_VERTICES,
		.stride = 12 + 4 * n_varyings,
		.n_varyings = n_varyings };
	struct pica_vc4_emit record;
	pica_vc4_emit_init(&record);
	pica_vc4_emit_nv_record(&record, &s);
	vc4_scene_emitted(r, VC4_RECORDS, &record);
	pica_vc4_emit_finish(&record);
	pica_vc4_emit_nv_shader_state(&r->list[0], VC4_RECORDS);
}

/* arrays: the first for the coordinate program, the second for the vertex program. */
static void use_gl(struct vc4_recorder *r, unsigned n_varyings,
		const struct pica_vc4_array arrays[2]) {
	struct pica_vc4_gl_shader s = { .fragment = { VC4_FRAGMENT, 0, 0 },
		.vertex = { VC4_VERTEX, 0, 2 },
		.coordinate = { VC4_COORDINATE, 0, 1 },
		.n_varyings = n_varyings,
		.clip = true,
		.n_arrays = 2,
		.array = { arrays[0], arrays[1] } };
	struct pica_vc4_emit record;
	pica_vc4_emit_init(&record);
	pica_vc4_emit_gl_record(&record, &s);
	vc4_scene_emitted(r, VC4_RECORDS, &record);
	pica_vc4_emit_finish(&record);
	pica_vc4_emit_gl_shader_state(&r->list[0], VC4_RECORDS, 2);
}

static void triangle(struct vc4_recorder *r) {
	pica_vc4_emit_draw_arrays(&r->list[0], PICA_VC4_MODE_TRIANGLES, 0, 3);
}

/* ---- The article's triangle ---- */

struct place {
	int16_t x_fx4, y_fx4;
	float z, iw;
};

static const struct place article[3] = { { 320 * 16, 32 * 16, 1, 1 }, { 32 * 16, 448 * 16, 1, 1 },
	{ 608 * 16, 448 * 16, 1, 1 } };

static void begin_article(struct vc4_recorder *r) {
	r->frame.clear_color = 0xFF00FFFF;
	vc4_scene_program(r, VC4_FRAGMENT, white);
	vc4_scene_put(r, VC4_VERTICES, article, sizeof(article));
	vc4_scene_begin(r, "DRAW_FRONT=1 DRAW_BACK=1 EARLY_Z_UPDATES=1");
	vc4_scene_center(r, "X=0 Y=0");
}

static void seed_gl(struct vc4_recorder *r) {
	static const uint32_t clip[3][4] = { { 0x3ACD1ED9, 0xBF5DCBA0, 0x3F800000, 0x3F800000 },
		{ 0xBF665C25, 0x3F5EDD43, 0x3F800000, 0x3F800000 },
		{ 0x3F672944, 0x3F5EDD43, 0x3F800000, 0x3F800000 } };
	uint8_t rows[3][28];
	for (unsigned i = 0; i < 3; i++) {
		memcpy(rows[i], clip[i], sizeof(clip[i]));
		memcpy(rows[i] + sizeof(clip[i]), &article[i], sizeof(article[i]));
	}
	begin_article(r);
	vc4_scene_put(r, VC4_VERTICES + 0x100, rows, sizeof(rows));
	vc4_scene_program(r, VC4_VERTEX,
			"nop\nldi vr_setup, 0x1a341ac0\nnop\nnop\nnop\n"
			"or ra0, vpm, -\nor ra1, vpm, -\nor ra2, vpm, -\n"
			"ldi vw_setup, 0x17bc1ac0\nor vpm, ra0, -\nor vpm, ra1, -\nor vpm, ra2, -\n"
			"nop; sbdone\nnop; thrend\nnop\nnop\n");
	vc4_scene_program(r, VC4_COORDINATE,
			"nop\nldi vr_setup, 0x1a741ac0\nnop\nnop\nnop\n"
			"or ra0, vpm, -\nor ra1, vpm, -\nor ra2, vpm, -\nor ra3, vpm, -\n"
			"or ra4, vpm, -\nor ra5, vpm, -\nor ra6, vpm, -\n"
			"ldi vw_setup, 0x17bc1ac0\nor vpm, ra0, -\nor vpm, ra1, -\nor vpm, ra2, -\n"
			"or vpm, ra3, -\nor vpm, ra4, -\nor vpm, ra5, -\nor vpm, ra6, -\n"
			"nop; sbdone\nnop; thrend\nnop\nnop\n");
	use_gl(r, 0,
			(struct pica_vc4_array[2]){ { VC4_VERTICES + 0x100, 28, 28 },
					{ VC4_VERTICES, 12, 12 } });
	triangle(r);
	vc4_scene_run(r);
}

static void seed_nv(struct vc4_recorder *r) {
	begin_article(r);
	vc4_scene_use_nv(r, 0);
	triangle(r);
	vc4_scene_run(r);
}

/* ---- A console's triangle ---- */

static int16_t d50[3][2] = { { 0, -3193 }, { -3195, 3193 }, { 3195, 3193 } };

struct color_row {
	struct place place;
	float rgb[3];
};

static void put_corners(struct vc4_recorder *r, int16_t (*xy)[2], float iw) {
	struct color_row v[3];
	for (unsigned i = 0; i < 3; i++) {
		v[i] = (struct color_row){ { xy[i][0], xy[i][1], 0.94f, iw },
			{ i == 0, i == 1, i == 2 } };
	}
	vc4_scene_put(r, VC4_VERTICES, v, sizeof(v));
}

static void begin_console(struct vc4_recorder *r) {
	r->frame.clear_color = 0xFF00FFFF;
	vc4_scene_put(r, VC4_FRAGMENT, vc4_colors, sizeof(vc4_colors));
	vc4_scene_begin(r, "DRAW_FRONT=1 CLOCKWISE_FRONT=1");
	vc4_scene_center(r, "X=320 Y=240");
}

static void console_nv(struct vc4_recorder *r) {
	put_corners(r, d50, 0.25f);
	begin_console(r);
	vc4_scene_use_nv(r, 3);
	triangle(r);
	vc4_scene_run(r);
}

/* Vertices of 40 bytes: clip coordinates, which only one of the programs copies, and the rest. */
static void console_gl(struct vc4_recorder *r) {
	struct {
		float clip[4];
		struct color_row row;
	} v[3];
	for (unsigned i = 0; i < 3; i++) {
		v[i].row = (struct color_row){ { d50[i][0], d50[i][1], 0.94f, 0.25f },
			{ i == 0, i == 1, i == 2 } };
		const float clip[4] = { (float)d50[i][0] / 1280, (float)d50[i][1] / 960, 3.5f, 4 };
		memcpy(v[i].clip, clip, sizeof(clip));
	}
	begin_console(r);
	vc4_scene_put(r, VC4_VERTICES, v, sizeof(v));
#define READ_6                                                                                     \
	"or ra0, vpm, -\nor ra1, vpm, -\nor ra2, vpm, -\nor ra3, vpm, -\nor ra4, vpm, -\nor ra5, vpm, -\n"
#define WRITE_6                                                                                    \
	"ldi vw_setup, 0x1a00\nor vpm, ra0, -\nor vpm, ra1, -\nor vpm, ra2, -\n"                   \
	"or vpm, ra3, -\nor vpm, ra4, -\nor vpm, ra5, -\n"
#define END "nop; thrend\nnop\nnop\n"
	vc4_scene_program(r, VC4_VERTEX, "ldi vr_setup, 0x00601a00\nnop\nnop\nnop\n" READ_6 WRITE_6 END);
	vc4_scene_program(r, VC4_COORDINATE,
			"ldi vr_setup, 0x00701a00\nnop\nnop\nnop\n" READ_6
			"or ra6, vpm, -\n" WRITE_6 "or vpm, ra6, -\n" END);
	use_gl(r, 3,
			(struct pica_vc4_array[2]){
					{ VC4_VERTICES, 40, 28 }, { VC4_VERTICES + 16, 40, 24 } });
	triangle(r);
	vc4_scene_run(r);
}

static void console_samples(struct vc4_recorder *r) {
	int16_t xy[3][2] = { { 0, -3193 }, { -3194, 3193 }, { 3194, 3193 } };
	r->frame.multisample = true;
	put_corners(r, xy, 0x1.fff8p-3f);
	begin_console(r);
	vc4_scene_use_nv(r, 3);
	triangle(r);
	vc4_scene_run(r);
}

/* ---- More than one job ---- */

/* The triangle becomes a texture of the T layout, which is drawn twice. */
static void texture(struct vc4_recorder *r) {
	int16_t xy[3][2] = { { 0, -1900 }, { -1900, 1900 }, { 1900, 1900 } };
	static const struct {
		struct place place;
		float s, t;
	} v[8] = {
		{ { 40 * 16, 60 * 16, 0.5f, 1 }, 0, 0 },
		{ { 40 * 16, 420 * 16, 0.5f, 1 }, 0, 1 },
		{ { 340 * 16, 60 * 16, 0.5f, 1 }, 1, 0 },
		{ { 340 * 16, 420 * 16, 0.5f, 1 }, 1, 1 },
		/* farther at the right */
		{ { 370 * 16, 60 * 16, 0.5f, 1 }, 0, 0 },
		{ { 370 * 16, 420 * 16, 0.5f, 1 }, 0, 2 },
		{ { 610 * 16, 160 * 16, 0.5f, 0.4f }, 3, 0 },
		{ { 610 * 16, 320 * 16, 0.5f, 0.4f }, 3, 2 },
	};
	/* One level; linear, repeated. */
	const uint32_t uniforms[4] = { VC4_TEXTURE, TEXTURE_SIZE << 20 | TEXTURE_SIZE << 8,
		VC4_TEXTURE, TEXTURE_SIZE << 20 | TEXTURE_SIZE << 8 };
	const struct pica_vc4_frame screen = r->frame;
	r->frame.target = VC4_TEXTURE;
	r->frame.width = r->frame.height = TEXTURE_SIZE;
	r->frame.layout = PICA_VC4_LAYOUT_T;
	r->frame.clear_color = 0xFF602000;
	put_corners(r, xy, 1);
	vc4_scene_put(r, VC4_FRAGMENT, vc4_colors, sizeof(vc4_colors));
	vc4_scene_begin(r, "DRAW_FRONT=1 DRAW_BACK=1");
	vc4_scene_center(r, "X=128 Y=128");
	vc4_scene_use_nv(r, 3);
	triangle(r);
	vc4_scene_run(r);

	r->frame = screen;
	r->frame.clear_color = 0xFF303030;
	vc4_scene_put(r, VC4_FRAGMENT, textured, sizeof(textured));
	vc4_scene_put(r, VC4_UNIFORMS, uniforms, sizeof(uniforms));
	vc4_scene_put(r, VC4_VERTICES, v, sizeof(v));
	vc4_scene_begin(r, "DRAW_FRONT=1 DRAW_BACK=1");
	vc4_scene_center(r, "X=0 Y=0");
	vc4_scene_use_nv(r, 2);
	pica_vc4_emit_draw_arrays(&r->list[0], PICA_VC4_MODE_TRIANGLE_STRIP, 0, 4);
	pica_vc4_emit_draw_arrays(&r->list[0], PICA_VC4_MODE_TRIANGLE_STRIP, 4, 4);
	vc4_scene_run(r);
}

/* Each frame loads every tile of the last one, draws another triangle, and stores it. */
static void load(struct vc4_recorder *r) {
	for (unsigned frame = 0; frame < 3; frame++) {
		int16_t xy[3][2];
		for (unsigned i = 0; i < 3; i++) {
			const double turn = 0.25 + i / 3.0 + frame / 9.0;
			xy[i][0] = (int16_t)(2400 * turn_cos(turn) + 1800 * ((int)frame - 1));
			xy[i][1] = (int16_t)(-2400 * turn_sin(turn));
		}
		r->frame.load = frame > 0;
		put_corners(r, xy, 1);
		begin_console(r);
		pica_vc4_emit_named(&r->list[0], "CONFIGURATION_BITS", "DRAW_FRONT=1 DRAW_BACK=1");
		vc4_scene_use_nv(r, 3);
		triangle(r);
		vc4_scene_run(r);
	}
}

/* ---- A hundred thousand triangles ---- */

static void grid(struct vc4_recorder *r) {
	struct color_row *v = calloc(GRID * GRID, sizeof(*v));
	uint16_t *index = malloc(6 * (GRID - 1) * (GRID - 1) * sizeof(*index)), *at = index;
	if (!v || !index) {
		free(v);
		free(index);
		vc4_scene_fail(r, -ENOMEM);
		return;
	}
	for (unsigned y = 0; y < GRID; y++) {
		for (unsigned x = 0; x < GRID; x++) {
			const double s = turn_sin(x / 75.0) * turn_cos(y / 56.0);
			const int up = (int)(200 * s);
			v[GRID * y + x] = (struct color_row){
				{ (int16_t)(320 + 42 * x + up), (int16_t)(240 + 32 * y - up), 0.5f,
						1 },
				{ (float)(x / 8) / 28, (float)((up + 200) / 16) / 25,
						(float)(y / 8) / 28 }
			};
		}
	}
	for (unsigned y = 0; y + 1 < GRID; y++) {
		for (unsigned x = 0; x + 1 < GRID; x++, at += 6) {
			const uint16_t a = (uint16_t)(GRID * y + x), b = (uint16_t)(a + GRID);
			const uint16_t quad[6] = { a, b, (uint16_t)(a + 1), (uint16_t)(a + 1), b,
				(uint16_t)(b + 1) };
			memcpy(at, quad, sizeof(quad));
		}
	}
	const uint32_t n = (uint32_t)(at - index), indices = VC4_VERTICES + 0x130000;
	r->frame.clear_color = 0xFF201008;
	vc4_scene_put(r, VC4_FRAGMENT, vc4_colors, sizeof(vc4_colors));
	vc4_scene_put(r, VC4_VERTICES, v, GRID * GRID * sizeof(*v));
	vc4_scene_put(r, indices, index, n * sizeof(*index));
	vc4_scene_begin(r, "DRAW_FRONT=1 DRAW_BACK=1");
	vc4_scene_center(r, "X=0 Y=0");
	vc4_scene_use_nv(r, 3);
	pica_vc4_emit_draw_indexed(
			&r->list[0], PICA_VC4_MODE_TRIANGLES, 2, indices, n, GRID * GRID - 1);
	vc4_scene_run(r);
	free(v);
	free(index);
}

/* ---- All of them ---- */

const struct scene vc4_scenes[VC4_SCENE_COUNT] = {
	{ .name = "vc4-seed-gl",
			.what = "VideoCore IV: the article's triangle, by coordinate and vertex programs",
			.frames = 1,
			.run = seed_gl },
	{ .name = "vc4-seed-nv",
			.what = "VideoCore IV: the same triangle from shaded vertices",
			.frames = 1,
			.run = seed_nv },
	{ .name = "vc4-d50",
			.what = "VideoCore IV: a triangle of three colours, as a console drew it",
			.frames = 1,
			.run = console_nv },
	{ .name = "vc4-d51",
			.what = "VideoCore IV: the same through programs that copy, from arrays that overlap",
			.frames = 1,
			.run = console_gl },
	{ .name = "vc4-d53",
			.what = "VideoCore IV: the same with four samples a pixel",
			.frames = 1,
			.run = console_samples },
	{ .name = "vc4-texture",
			.what = "VideoCore IV: a target of the T layout becomes a texture",
			.frames = 2,
			.run = texture },
	{ .name = "vc4-load",
			.what = "VideoCore IV: frames that load and store every tile",
			.frames = 3,
			.run = load },
	{ .name = "vc4-grid",
			.what = "VideoCore IV: a hundred thousand indexed triangles",
			.frames = 1,
			.run = grid },
	{ .name = "vc4-mesh",
			.what = "VideoCore IV: links of a chain, lit and textured by their programs",
			.frames = 2,
			.run = vc4_mesh },
	{ .name = "vc4-samples",
			.what = "VideoCore IV: a fan of thin triangles with four samples a pixel, and with one",
			.frames = 2,
			.run = vc4_samples },
};
