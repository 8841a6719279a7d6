/* The whole state of the naive renderer, and the functions shared by its files. Private to them. */
#ifndef NAIVE_STATE_H
#define NAIVE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "naive.h"

enum {
	NAIVE_MAX_WINDOWS = 32,
	NAIVE_CALL_DEPTH = 4,
	NAIVE_IF_DEPTH = 8,
	NAIVE_LOOP_DEPTH = 4,
};

struct naive_window {
	uint32_t phys, size_bytes;
	uint8_t *host; /* the caller's */
};

/* Register ids of a shader unit: the two blocks have one layout but no common name. */
struct naive_unit_regs {
	uint32_t bools, ints, input, entry, perm_low, perm_high, outmap;
};

/* One shader unit: memories, registers, and the upload in progress. */
struct naive_unit {
	struct naive_unit_regs reg;
	uint32_t code[4096];
	uint32_t code_words; /* words that can be written: 512 or 4096 */
	uint32_t desc[128];
	float c[96][4];
	float v[16][4];
	float r[16][4];
	float o[2][16][4]; /* banks that alternate at EMIT; the vertex unit uses the first */
	unsigned bank;
	int32_t a0[2]; /* INT32_MAX: out of range */
	int32_t al;
	bool cmp[2];
	float read[3][4]; /* operands of the last instruction */
	/* Upload ports. */
	uint32_t code_index, desc_index, c_index;
	bool c_is_f32;
	uint32_t c_words[4];
	unsigned c_count;
};

/* One vertex after the semantic map, indexed by semantic (fidelity: semantics). */
enum naive_semantic {
	SEM_X = 0x00,
	SEM_Y,
	SEM_Z,
	SEM_W,
	SEM_QUAT = 0x04,
	SEM_COLOR = 0x08,
	SEM_TEX0 = 0x0C,
	SEM_TEX1 = 0x0E,
	SEM_TEX0_W = 0x10,
	SEM_VIEW = 0x12,
	SEM_TEX2 = 0x16,
	SEM_COUNT = 0x18,
};

struct naive_vertex {
	float s[SEM_COUNT];
};

/* Primitive assembly: survives draws (fidelity: assembly). */
struct naive_assembler {
	unsigned topology;
	unsigned n;
	bool ready, invert_next;
	struct naive_vertex slot[2];
};

/* Geometry-shader front: gathered input and the emit state; survives draws. */
struct naive_gs {
	float gathered[16][4]; /* point mode */
	unsigned n_gathered;
	unsigned cursor; /* fixed and variable mode: next uniform */
	unsigned n_vertices; /* fixed mode: vertices stored so far */
	unsigned remaining;  /* variable mode: vertices still to come */
	unsigned main;       /* variable mode: of those, how many with all outputs */
	unsigned emit_id;
	bool emit_prim, emit_winding;
	float emitted[3][16][4]; /* packed outputs */
};

/* One enabled texture as the draw saw it at its start (fidelity: aliasing). */
struct naive_texture {
	bool enabled, is_null, is_bad;
	unsigned type; /* TEXTURE_TYPE_*; unit 0 */
	uint32_t shadow_bias; /* 24-bit fraction */
	bool is_ortho;
	unsigned width, height, format;
	unsigned wrap_s, wrap_t;
	bool mag_linear, min_linear, mip_linear;
	int bias;
	unsigned min_level, max_level;
	uint8_t border[4];
	uint8_t *bytes; /* owned: a copy of all levels */
	uint32_t n_bytes, capacity;
	uint32_t level_offset[16];
};

/* The state of a draw's pixels, read from the registers at its start. */
struct naive_draw {
	bool is_set;    /* false: read again before the next triangle */
	enum naive_draw_kind kind;
	uint64_t written_before; /* pixels */
	bool is_silent; /* nothing can be drawn: bad target or unbuilt mode */
	unsigned width, height;
	bool is_flipped; /* 0x11E bit 24: memory row 0 is the top */
	bool block32;
	uint32_t color_addr, depth_addr;
	unsigned color_format, depth_format;
	struct naive_texture tex[3];
	struct naive_texture face[5]; /* -X, +Y, -Y, +Z, -Z of a cube in unit 0; +X is tex[0] */
};

enum { NAIVE_PENDING = 4096 };

struct naive_watched {
	struct pica_watch at;
	/* Of the triangle: */
	bool is_here;
	unsigned x, row, n_reported, n_culled;
	uint64_t index;
	uint32_t before;
};

struct naive_watches {
	struct naive_watched *of; /* owned */
	unsigned n;
	naive_seen_fn *seen;
	void *user;
	uint32_t draws, primitives;
	bool in_run; /* of immediate vertices */
	unsigned pending[NAIVE_PENDING], n_pending; /* that the triangle at hand shades */
};

struct naive {
	enum pica_float mode;
	enum pica_combiner combiner;
	struct naive_window window[NAIVE_MAX_WINDOWS];
	unsigned n_windows;
	uint32_t regs[PICA_REG_COUNT];
	struct naive_unit vs, gs;
	struct naive_assembler assembler;
	struct naive_gs geo;
	struct naive_draw draw;
	naive_drawn_fn *drawn;
	void *drawn_user;
	naive_step_fn *step;
	void *step_user;
	/* Fixed attributes and immediate vertices. */
	float fixed[16][4];
	bool fixed_written[16];
	uint32_t fixed_index;
	uint32_t fixed_words[3];
	unsigned fixed_count;
	float immediate[16][4];
	unsigned n_immediate;
	struct pica_tables tables; /* as uploaded */
	uint8_t lit[2][4];         /* of the pixel at hand: combiner sources 1 and 2 */
	struct naive_stats stats;
	struct naive_watches watches;
};

/* naive_xfer.c: memory, byte by byte. Outside every window, reads return 0 and writes are
 * dropped. */
bool naive_is_mapped(const struct naive *n, uint32_t addr, uint32_t n_bytes);
/* Only where naive_is_mapped() holds. */
uint8_t *naive_host(const struct naive *n, uint32_t addr);
uint8_t naive_read8(const struct naive *n, uint32_t addr);
uint32_t naive_read(const struct naive *n, uint32_t addr, unsigned n_bytes);
void naive_write(struct naive *n, uint32_t addr, uint32_t word, unsigned n_bytes);
/* Display transfer, texture copy, fill, write. */
int naive_xfer_job(struct naive *n, const struct pica_job *job);

/* naive_shader.c: runs a program from its entry; emit is NULL for vertex programs. */
typedef void naive_emit_fn(struct naive *n);
void naive_shader_run(struct naive *n, struct naive_unit *u, naive_emit_fn *emit);
float naive_store_f32(const struct naive *n, float f);

/* naive_geom.c */
void naive_draw_arrays(struct naive *n);
void naive_draw_elements(struct naive *n);
void naive_immediate_vertex(struct naive *n);
void naive_assembler_reset(struct naive *n);
/* Drops partly gathered geometry-shader input. */
void naive_gather_reset(struct naive *n);

/* naive_clip.c: clip, project and draw one assembled triangle. */
void naive_triangle(struct naive *n, const struct naive_vertex v[3]);

/* naive_raster.c */
struct naive_screen_vertex {
	int32_t x, y; /* 12.4 window coordinates, y up */
	float iw, zow;
	float s[SEM_COUNT]; /* times iw */
};
void naive_raster(struct naive *n, const struct naive_screen_vertex v[3], const float flat[4]);
bool naive_covers(const struct naive *n, const struct naive_screen_vertex v[3], unsigned x,
		unsigned row);
bool naive_scissor(const struct naive *n, unsigned x, unsigned row);
/* Stores the position of a block of memory. Returns false for padding beyond the right edge. */
bool naive_block_position(const struct naive_draw *d, uint64_t block, unsigned *bx, unsigned *by);

/* naive_watch.c: a draw, an immediate vertex; an assembled triangle from begin to end. */
void naive_watch_draw(struct naive *n);
void naive_watch_vertex(struct naive *n);
void naive_watch_begin(struct naive *n);
void naive_watch_raster(struct naive *n, const struct naive_screen_vertex v[3]);
void naive_watch_culled(struct naive *n, const struct naive_screen_vertex v[3]);
void naive_watch_fragment(struct naive *n, uint64_t index, enum pica_verdict verdict,
		const uint8_t color[4]);
/* whole: its corners without clipping, NULL: some cannot be projected. */
void naive_watch_end(struct naive *n, const struct naive_screen_vertex *whole, bool is_inside);

/* naive_tex.c */
void naive_texture_read(struct naive *n, unsigned unit, struct naive_texture *t);
/* The faces of unit 0, when it is a cube; tex[0] has been read. */
void naive_faces_read(struct naive *n, struct naive_draw *d);
/* Stores the colour of a texture without texels. Returns false if it has texels. */
bool naive_sample_nothing(const struct naive_texture *t, uint8_t out[4]);
/* First of the two texels of a linear filter and the weight of the other, 0..256. */
void naive_linear_taps(float coord, unsigned size, int64_t *i, uint32_t *weight);
/* at: u, v of the pixel itself (0) and of lanes 0, 1, 2 of its quad (1 to 3). */
void naive_sample(const struct naive_texture *t, const float at[4][2], uint8_t out[4]);
/* naive_unit0.c. Unit 0 of any type: the same with u, v, w. */
void naive_sample_unit0(const struct naive_draw *d, const float at[4][3], uint8_t out[4]);
/* naive_tex.c. One texel by integer coordinates, wrapped. */
void naive_texel(const struct naive_texture *t, unsigned level, int64_t s, int64_t v,
		uint8_t out[4]);

/* naive_fog.c: a word of the table; fog over R, G, B of a fragment. */
void naive_fog_write(struct naive *n, uint32_t word);
void naive_fog(const struct naive *n, float depth, uint8_t color[4]);
/* How much of the fragment stays, in units of 1/2047. */
uint32_t naive_fog_factor(const struct naive *n, float depth);

/* naive_proctex.c */
/* A word for a table of the procedural unit. */
void naive_proctex_word(struct naive *n, uint32_t word);
/* at: as for naive_sample(). */
void naive_proctex(const struct naive *n, const float at[4][2], uint8_t out[4]);
/* naive_shadow.c: a fragment of fragment mode 3. */
void naive_shadow_fragment(struct naive *n, uint64_t index, float depth, uint8_t green);

/* naive_light.c: primary and secondary colour. texel: of units 0 to 3. */
void naive_light(const struct naive *n, const float quat[4], const float view[3],
		uint8_t texel[4][4], uint8_t out[2][4]);

/* naive_gas.c: a fragment of fragment mode 1; the colour of fog mode 7; a word of the table. */
void naive_gas_fragment(struct naive *n, uint64_t index, float depth, uint8_t red);
void naive_gas_color(const struct naive *n, const uint8_t texel[4], uint8_t color[4]);
void naive_gas_write(struct naive *n, uint32_t word);

/* naive_frag.c */
void naive_draw_begin(struct naive *n);
void naive_draw_end(struct naive *n);
/* A word of four channels, the lowest byte first. */
void naive_bytes_of(uint32_t word, uint8_t out[4]);
/* The combiner alone: tex are the colours of sources 3 to 6. */
void naive_combine(const struct naive *n, const uint8_t primary[4], uint8_t tex[4][4],
		uint8_t out[4]);
/* Everything after the texture units for one pixel. index: its place in the tiled buffers. */
void naive_fragment(struct naive *n, uint64_t index, float depth, const uint8_t primary[4],
		uint8_t tex[4][4]);
uint32_t naive_depth_to_int(float d, unsigned bits);
/* A stored pixel of COLOR_FORMAT_*: its word to four bytes and back (expand, truncate). */
unsigned naive_color_bytes(unsigned format);
void naive_decode_pixel(unsigned format, uint32_t word, uint8_t out[4]);
uint32_t naive_encode_pixel(unsigned format, const uint8_t c[4]);

#endif
