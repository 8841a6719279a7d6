/*
 * A frame loop like that of the usual client libraries, recorded: the targets are cleared by memory
 * fills, one list draws both screens, display transfers bring them to the shown framebuffers.
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

enum {
	TOP_WIDTH = 400, /* of the upright picture */
	BOTTOM_WIDTH = 320,
	SCREEN_HEIGHT = 240,
	OFFSCREEN_SIZE = 256,
	/* Arrays and indices are given relative to here: the start of main memory. */
	ARRAY_BASE = 0x20000000,
	OFFSCREEN_COLOR = 0x18100000,
	OFFSCREEN_DEPTH = 0x18140000,
	/*
	 * VRAM that the recorder leaves alone, for targets of the scene's own; with a second eye it
	 * takes the first RIGHT_EYE_BYTES of it.
	 */
	FREE_VRAM = 0x183A0000,
	FREE_VRAM_BYTES = 0xE0000,
	RIGHT_EYE_BYTES = 0xBC000,
};

struct recorder {
	struct sink *sink;
	struct pica_emit list;
	uint32_t heap;  /* next free byte of main memory */
	unsigned frame;
	bool has_target; /* something was drawn to in this list */
	bool is_stereo;
	int error;      /* the first one */
};

/* Failures of all that follows stick in r->error, and recorder_finish() tells them. */
int recorder_init(struct recorder *r, const char *path, const char *title);
/* Writes the file, or gives it up after a failure. The first error. */
int recorder_finish(struct recorder *r);

/* Puts data into main memory, aligned to 128 bytes; its address. */
uint32_t recorder_store(struct recorder *r, const void *data, uint32_t size_bytes);
/* A texture of texture.h in main memory: fills in address, size, format and levels of *t. */
void recorder_store_texture(struct recorder *r, struct pica_texture *t, uint32_t format, unsigned n,
		unsigned levels, void (*picture)(unsigned, unsigned, unsigned, uint8_t *));
/* Fills memory by one of the two fill units, 32 bits wide. */
void recorder_fill(struct recorder *r, unsigned unit, uint32_t addr, uint32_t size_bytes,
		uint32_t value);

/* From now on the top screen shows two pictures, one for each eye. Before the first frame. */
void recorder_stereo(struct recorder *r);
/* Clears both screens' targets (colours 0xRRGGBBAA, depth and stencil 0) and begins the list. */
void recorder_frame_begin(struct recorder *r, uint32_t top_color, uint32_t bottom_color);
/* Target and viewport. A target that was drawn to before is written back. */
void recorder_draw_top(struct recorder *r);
void recorder_draw_bottom(struct recorder *r);
/* The top screen's second picture, after recorder_stereo(). */
void recorder_draw_top_right(struct recorder *r);
void recorder_draw_offscreen(struct recorder *r);
/* A target of the scene's own, with a viewport over all of it. */
void recorder_draw_target(struct recorder *r, const struct pica_framebuffer *fb);
/*
 * Draws to a part of the screen that is so wide, in pixels from its top left corner: what a
 * projection and mat4_tilt() would spread over the screen fills the part.
 */
void recorder_viewport(struct recorder *r, unsigned screen_width, int x, int y, unsigned width,
		unsigned height);
/*
 * Runs what was drawn so far and begins a new list with the plain state of pica_emit_defaults():
 * for fills and transfers between the draws of a frame.
 */
void recorder_run(struct recorder *r);
/*
 * A display transfer; formats as in its own register (TRANSFER_RGBA8 ..., which are not those of
 * framebuffers), sizes of the output before scaling, flags as the engine has them.
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
	TRANSFER_TILED = 1 << 5, /* tiles stay tiles; else they become lines */
	TRANSFER_HALF_X = 1 << 24,
	TRANSFER_HALF_XY = 2 << 24,
};

void recorder_transfer(struct recorder *r, const struct recorder_transfer *t);
/* Runs the list, shows both screens, ends the frame. */
void recorder_frame_end(struct recorder *r);

/* ---- Programs ---- */

struct program {
	struct pica_shader *shader; /* entry 0: vertex, entry 1: geometry if there is one */
	bool has_geometry;
};

/* geometry may be NULL. Prints what is wrong with a source and returns -EINVAL. */
int program_create(struct program *p, const char *name, const char *vertex, const char *geometry);
void program_destroy(struct program *p);
/* Makes it current. */
void program_use(struct recorder *r, const struct program *p);
/* n vectors (x, y, z, w) to the uniform with that name of entry 0 or 1. */
void program_uniform(struct recorder *r, const struct program *p, unsigned entry, const char *name,
		const float *xyzw, unsigned n);
void program_matrix(struct recorder *r, const struct program *p, unsigned entry, const char *name,
		const struct mat4 *m);

/* ---- Vertices ---- */

/* n attributes, interleaved, from array on; attribute i goes to v<i>. */
void use_array(struct recorder *r, uint32_t array, uint8_t stride, unsigned n,
		const struct pica_attribute_format *format);

/* The plainest vertex: position and colour. */
struct color_vertex {
	float x, y, z;
	uint8_t rgba[4];
};

void use_color_vertices(struct recorder *r, uint32_t array);
/* Colour 0xRRGGBBAA. */
struct color_vertex color_vertex(float x, float y, float z, uint32_t rgba);
/* A colour of the wheel: hue in turns, saturation and value 0..1, opaque. */
uint32_t hsv(double hue, double saturation, double value);
/* Colours a and b (0xRRGGBBAA) mixed, t = 0..1. */
uint32_t mix_color(uint32_t a, uint32_t b, double t);

/* A vertex program for color_vertex: uniform projection[4]. */
extern const char color_program_source[];
/* The same with texture coordinates (f32 x 2); the colour is the uniform tint. */
extern const char texture_program_source[];

struct texture_vertex {
	float x, y, z;
	float u, v;
};

void use_texture_vertices(struct recorder *r, uint32_t array);
/* Stage 0: texture 0 times the primary colour, alpha too. */
void tev_modulate(struct recorder *r);
/* Stage 0: the primary colour. */
void tev_primary(struct recorder *r);
/* The usual transparency: source over destination. */
void blend_over(struct recorder *r);
/* Source, weighted with its alpha, added. */
void blend_add(struct recorder *r);

#endif
