/*
 * Records a frame loop like that of the usual client libraries: memory fills clear the targets, one
 * list draws both screens, display transfers copy them to the shown framebuffers.
 *
 *	recorder_frame_begin(r, top_color, bottom_color);
 *	recorder_draw_top(r);
 *	... emit into &r->list ...
 *	recorder_draw_bottom(r);
 *	...
 *	recorder_frame_end(r);
 */
#ifndef SCENES_RECORDER_H
#define SCENES_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "math3.h"
#include "pica_emit.h"
#include "pica_shader.h"
#include "sink.h"
#include "texture.h"

enum {
	TOP_WIDTH = 400, /* of the upright picture */
	BOTTOM_WIDTH = 320,
	SCREEN_HEIGHT = 240,
	OFFSCREEN_SIZE = 256,
	/* Base address of arrays and indices: the start of main memory. */
	ARRAY_BASE = 0x20000000,
	OFFSCREEN_COLOR = 0x18100000,
	OFFSCREEN_DEPTH = 0x18140000,
	/* VRAM for targets of the scene; a second eye uses its first RIGHT_EYE_BYTES. */
	FREE_VRAM = 0x183A0000,
	FREE_VRAM_BYTES = 0xE0000,
	RIGHT_EYE_BYTES = 0xBC000,
};

enum { MAX_PROGRAMS = 8, CANVAS_QUADS = 2000 };

/* A shader program, assembled when it is first used. */
struct program {
	const char *vertex, *geometry; /* sources; the second may be NULL */
	struct pica_shader *shader;    /* entry 0: vertex, entry 1: geometry if there is one */
};

/* Texels of the font or of the scene's texture, from its top left corner. */
struct canvas_vertex {
	int16_t x, y, u, v;
	uint8_t rgba[4];
};

/* Quads collected by canvas.h. */
struct canvas {
	struct pica_texture font;
	uint32_t indices; /* of all quads, in main memory */
	unsigned n_quads; /* quads beyond CANVAS_QUADS are dropped, which is an error */
	struct canvas_vertex v[CANVAS_QUADS * 4];
};

struct recorder {
	struct sink *sink;
	struct pica_emit list;
	uint32_t heap;  /* next free byte of main memory */
	unsigned frame;
	unsigned width; /* of the current screen */
	bool has_target; /* this list has a target */
	bool is_stereo;
	int error;      /* the first one */
	struct program programs[MAX_PROGRAMS];
	const struct program *program; /* the current one */
	struct canvas canvas;
};

/* Keeps later failures in r->error; recorder_finish() returns the first. is_dry: see sink.h. */
int recorder_init(struct recorder *r, const char *path, const char *title, bool is_dry);
/* Writes the file, or none after a failure. Returns the first error. */
int recorder_finish(struct recorder *r);
/* Keeps the first error. */
void recorder_fail(struct recorder *r, int error);

/* Puts data into main memory, aligned to 128 bytes. Returns its address. */
uint32_t recorder_store(struct recorder *r, const void *data, uint32_t size_bytes);
/* A texture of texture.h in main memory, n x n texels; all filters are linear. */
struct pica_texture store_texture(struct recorder *r, uint32_t format, unsigned n,
		unsigned levels, picture_fn *picture);
/* Fills memory by one of the two fill units, 32 bits wide. */
void recorder_fill(struct recorder *r, unsigned unit, uint32_t addr, uint32_t size_bytes,
		uint32_t value);

/* Makes the top screen stereo; call it before the first frame. */
void recorder_stereo(struct recorder *r);
/* Clears both screens' targets (colours 0xRRGGBBAA, depth and stencil 0) and begins the list. */
void recorder_frame_begin(struct recorder *r, uint32_t top_color, uint32_t bottom_color);
/* Sets target and viewport, and writes the previous target back. */
void recorder_draw_top(struct recorder *r);
void recorder_draw_bottom(struct recorder *r);
/* The top screen's second picture, after recorder_stereo(). */
void recorder_draw_top_right(struct recorder *r);
void recorder_draw_offscreen(struct recorder *r);
/* A target of the scene's, with a viewport over all of it. */
void recorder_draw_target(struct recorder *r, const struct pica_framebuffer *fb);
/* The same, RGBA8 of size x size pixels, without a depth buffer. */
void recorder_draw_square(struct recorder *r, uint32_t addr, uint32_t size);
/*
 * Sets the viewport, for projections with mat4_tilt(), to a part of the screen, in pixels from its
 * top left corner.
 */
void recorder_viewport(struct recorder *r, int x, int y, unsigned width, unsigned height);
/*
 * Runs the list so far and begins a new one with the state of pica_emit_defaults(), to allow fills
 * and transfers between the draws of a frame.
 */
void recorder_run(struct recorder *r);
/*
 * A display transfer. Formats are TRANSFER_RGBA8 ..., not those of framebuffers; sizes are those of
 * the output before scaling; flags are the engine's.
 */
struct recorder_transfer {
	uint32_t from, to;
	uint32_t width, height;
	uint32_t from_format, to_format;
	uint32_t flags; /* TRANSFER_FLIP ... */
};

enum {
	TRANSFER_RGBA8 = 0,
	TRANSFER_RGB8 = 1,
	TRANSFER_RGB565 = 2,
	TRANSFER_RGB5A1 = 3,
	TRANSFER_RGBA4 = 4,

	TRANSFER_FLIP = 1 << 0,  /* upside down */
	TRANSFER_TILED = 1 << 5, /* the output is tiled; else linear */
	TRANSFER_HALF_X = 1 << 24,
	TRANSFER_HALF_XY = 2 << 24,
};

void recorder_transfer(struct recorder *r, const struct recorder_transfer *t);
/* Runs the list, shows both screens, ends the frame. */
void recorder_frame_end(struct recorder *r);

/* ---- Programs ---- */

/* Makes the program current. Sources are identified by their address. Prints the error of a
 * source. */
void use_program(struct recorder *r, const char *vertex);
void use_geometry_program(struct recorder *r, const char *vertex, const char *geometry);
/* Sets a uniform of the current program to n vectors (x, y, z, w). */
void set_uniform(struct recorder *r, const char *name, const float *xyzw, unsigned n);
void set_matrix(struct recorder *r, const char *name, struct mat4 m);
/* use_program(), and the uniform "projection". */
void use_projected(struct recorder *r, const char *vertex, struct mat4 projection);

/*
 * Pieces of vertex programs. ROWS4(to, matrix, from): matrix times vector, with four rows; ROWS3
 * with three, NORMAL3 without translation.
 */
#define ROWS2_(op, to, m, from) \
	"	" op " " to ".x, " m "[0], " from "\n	" op " " to ".y, " m "[1], " from "\n"
#define ROWS3_(op, to, m, from) \
	ROWS2_(op, to, m, from) "	" op " " to ".z, " m "[2], " from "\n"
#define ROWS3(to, m, from) ROWS3_("dp4", to, m, from)
#define NORMAL3(to, m, from) ROWS3_("dp3", to, m, from)
#define ROWS4(to, m, from) ROWS3(to, m, from) "	dp4 " to ".w, " m "[3], " from "\n"
#define PROJECT(from) ROWS4("out_pos", "projection", from)
/* r0.xyz to the world (r1) and to the screen; k.y is 1. */
#define PLACE \
	"	mov r0.w, k.y\n" ROWS3("r1", "model", "r0") "	mov r1.w, k.y\n" PROJECT("r1")
/* Makes v.xyz a unit vector; overwrites v.w. */
#define UNIT(v) \
	"	dp3 " v ".w, " v ", " v "\n	rsq " v ".w, " v ".w\n" \
	"	mul " v ".xyz, " v ".xyz, " v ".www\n"

/* Declarations and end of most programs. */
#define OUT_COLOR ".out out_pos position\n.out out_color color\n"
#define END "	end\n.end\n"

/* For color_vertex: uniform projection[4]. */
extern const char color_program[];
/* For texture_vertex: the same, and the colour as the uniform tint. */
extern const char texture_program[];
void use_color_program(struct recorder *r, struct mat4 projection);
/* The tint is white. */
void use_texture_program(struct recorder *r, struct mat4 projection);

/* ---- Vertices ---- */

/* Attributes of a vertex, interleaved: attribute i goes to v<i>. */
struct vertex_format {
	uint8_t stride;
	unsigned n;
	struct pica_attribute_format attribute[6];
};

struct mesh {
	const struct vertex_format *format;
	uint32_t vertices, indices; /* 16 bits each; 0: none */
	uint32_t primitive, count;
};

/* n vertices in their order. */
struct mesh mesh_store(struct recorder *r, const struct vertex_format *format, uint32_t primitive,
		const void *vertices, uint32_t n);
/* n_indices into n vertices. */
struct mesh mesh_store_indexed(struct recorder *r, const struct vertex_format *format,
		uint32_t primitive, const void *vertices, uint32_t n, const uint16_t *index,
		uint32_t n_indices);
/* Makes the arrays of the mesh current. */
void mesh_use(struct recorder *r, const struct mesh *m);
/* Draws n vertices or indices of the mesh whose arrays are current. */
void mesh_draw_part(struct recorder *r, const struct mesh *m, uint32_t first, uint32_t n);
/* Both for all of it. */
void mesh_draw(struct recorder *r, const struct mesh *m);
/* Indices of two triangles: a b c, c b d. Returns the place after them. */
uint16_t *put_quad(uint16_t *index, unsigned a, unsigned b, unsigned c, unsigned d);

/* Indices that join the ring of vertices from a on to the ring from c on. */
uint16_t *put_ring(uint16_t *index, unsigned a, unsigned c, unsigned sides);
/* Indices of a strip that joins rows of n vertices; the first and the last are repeated. */
uint16_t *put_row(uint16_t *index, unsigned a, unsigned c, unsigned n);

/* Position and colour. */
struct color_vertex {
	float x, y, z;
	uint8_t rgba[4];
};

struct texture_vertex {
	float x, y, z;
	float u, v;
};

extern const struct vertex_format color_format, texture_format;

/* Colour 0xRRGGBBAA. */
struct color_vertex color_vertex(float x, float y, float z, uint32_t rgba);
struct mesh store_colors(struct recorder *r, uint32_t primitive, const struct color_vertex *v,
		uint32_t n);
/* Stores and draws them. */
void draw_colors(struct recorder *r, uint32_t primitive, const struct color_vertex *v, uint32_t n);
/* From (x0, y0) to (x1, y1), z 0; the order of colours is x first, then y. */
struct mesh store_color_quad(struct recorder *r, float x0, float y0, float x1, float y1,
		const uint32_t colors[4]);
struct mesh store_textured(struct recorder *r, uint32_t primitive, const struct texture_vertex *v,
		uint32_t n);
/* Corners of a strip: x0 y0, x1 y0, x0 y1, x1 y1, likewise u and v; z is 0. */
struct quad {
	float x0, y0, x1, y1, u0, v0, u1, v1;
};
void put_texture_quad(struct texture_vertex v[4], const struct quad *q);
struct mesh store_texture_quad(struct recorder *r, const struct quad *q);

/* ---- Colours ---- */

/* Stores the first n of the bytes R, G, B, A. */
void put_color(uint8_t *bytes, unsigned n, uint32_t rgba);
/* The same as 0..1. */
void put_color_float(float out[4], uint32_t rgba);
/* A colour of the wheel: hue in turns, saturation and value 0..1, opaque. */
uint32_t hsv(double hue, double saturation, double value);
/* Colours a and b (0xRRGGBBAA) mixed, t = 0..1. */
uint32_t mix_color(uint32_t a, uint32_t b, double t);

/* ---- State ---- */

/*
 * A combiner stage, for example
 *	TEV(r, 0, RGB2(MODULATE, TEXTURE0, PRIMARY), ALPHA1(TEXTURE0));
 * Names are those of PICA_TEV_OP_* and PICA_TEV_SOURCE_*; other fields may follow.
 */
#define TEV(r, stage, ...) \
	pica_emit_tev(&(r)->list, stage, &(const struct pica_tev){ __VA_ARGS__ })
#define RGB1(a) .rgb_source = { PICA_TEV_SOURCE_##a }
#define RGB2(op, a, b) \
	.rgb_op = PICA_TEV_OP_##op, .rgb_source = { PICA_TEV_SOURCE_##a, PICA_TEV_SOURCE_##b }
#define RGB3(op, a, b, c) \
	.rgb_op = PICA_TEV_OP_##op, \
	.rgb_source = { PICA_TEV_SOURCE_##a, PICA_TEV_SOURCE_##b, PICA_TEV_SOURCE_##c }
#define ALPHA1(a) .alpha_source = { PICA_TEV_SOURCE_##a }
#define ALPHA2(op, a, b) \
	.alpha_op = PICA_TEV_OP_##op, .alpha_source = { PICA_TEV_SOURCE_##a, PICA_TEV_SOURCE_##b }

/* Stage 0: texture 0 times the primary colour, alpha too. */
void tev_modulate(struct recorder *r);
/* Stage 0: the primary colour. */
void tev_primary(struct recorder *r);
/* Stage 0: texture 0. */
void tev_texture(struct recorder *r);
/* Stage 0: the primary colour, its alpha times that of texture 0. */
void tev_shape(struct recorder *r);
/* Stages first..last pass on the previous result. */
void tev_pass(struct recorder *r, unsigned first, unsigned last);
/* The usual transparency: source over destination. */
void blend_over(struct recorder *r);
/* Adds the source times its alpha. */
void blend_add(struct recorder *r);
void blend_off(struct recorder *r);
/* Depth test and writes on (nearer fragments pass); both off. */
void depth_on(struct recorder *r);
void depth_off(struct recorder *r);
/* Depth test and culling of back faces; the end of both. */
void bodies_begin(struct recorder *r);
void bodies_end(struct recorder *r);
/* Draws write value to the stencil; draws leave it unchanged; no stencil test. */
void stencil_write(struct recorder *r, uint32_t value);
void stencil_keep(struct recorder *r);
void stencil_off(struct recorder *r);
/* A table of the procedural unit, whose inputs are 0..1. */
void emit_proctex_map(struct recorder *r, uint32_t table, float (*f)(float));
/* Enables texture units by bits; only unit 0, with its texture. */
void use_units(struct recorder *r, uint32_t mask);
void use_texture(struct recorder *r, const struct pica_texture *t);
/* Memory as a texture; filter: PICA_FILTER_*. */
struct pica_texture texture_at(uint32_t addr, uint32_t width, uint32_t height, uint32_t format,
		uint32_t filter);
void set_filter(struct pica_texture *t, uint32_t filter);
void set_wrap(struct pica_texture *t, uint32_t wrap);

/* Projections for a screen of that width: a lens, not tilted; pixels, tilted. */
struct mat4 screen_lens(unsigned width, double degrees, double near, double far);
struct mat4 screen_pixels(unsigned width);

#endif
