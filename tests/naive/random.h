/*
 * Random work for the engine and the naive renderer, all of it a function of the seed.
 *
 *   group     16 draws and the jobs between them; memory is compared after each group
 *   epoch     32 groups on one context; registers, shaders and memory carry on from draw to draw
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "pica.h"

/* ---- Numbers ---- */

struct rng {
	uint64_t s;
};

void rng_seed(struct rng *r, uint64_t seed, uint64_t stream);
uint32_t rng_word(struct rng *r);
/* Uniform in [0, n), n > 0. */
uint32_t rng_below(struct rng *r, uint32_t n);
/* Uniform in [lo, hi]. */
int rng_in(struct rng *r, int lo, int hi);
bool rng_chance(struct rng *r, unsigned percent);
/* Uniform in [lo, hi), in steps of 2^-20 of the range. */
float rng_float(struct rng *r, float lo, float hi);
void rng_bytes(struct rng *r, void *out, uint32_t n);

/* ---- Memory: two windows, the same in both renderers ---- */

enum {
	WIN_VRAM = 0x18000000,
	WIN_FCRAM = 0x20000000,
	WIN_BYTES = 0x100000, /* of each */
	/* VRAM: targets, and whatever samples or copies them. */
	COLOR_AREA = WIN_VRAM,
	DEPTH_AREA = WIN_VRAM + 0x80000,
	TARGET_AREA_BYTES = 0x80000,
	/* FCRAM: lists, then vertices and indices, then textures. */
	LIST_AREA = WIN_FCRAM,
	LIST_AREA_BYTES = 0x80000,
	VERTEX_AREA = WIN_FCRAM + 0x80000,
	VERTEX_AREA_BYTES = 0x20000,
	TEXTURE_AREA = WIN_FCRAM + 0xA0000,
	TEXTURE_AREA_BYTES = 0x60000,
};

/* ---- Groups ---- */

enum {
	GROUP_DRAWS = 16,
	EPOCH_GROUPS = 32,
	EPOCH_DRAWS = GROUP_DRAWS * EPOCH_GROUPS,
	GROUP_MAX_ITEMS = 128,
	GROUP_MAX_WORDS = LIST_AREA_BYTES / 4 - 4096,
	GROUP_MAX_DATA = 0x80000,
};

struct range {
	uint32_t addr, bytes;
};

struct target {
	unsigned width, height;
	unsigned color_format, depth_format;
	bool block32;
	struct range color, depth;
};

/* A piece of a command list that ends with a draw, or a job. */
struct item {
	bool is_draw;
	uint32_t draw; /* its number in the run */
	uint32_t first_word, n_words;
	struct pica_job job;
	struct target target; /* as it was then, to name pixels in a report */
};

struct group {
	struct item item[GROUP_MAX_ITEMS];
	unsigned n_items;
	uint32_t words[GROUP_MAX_WORDS];
	uint32_t n_words;
	uint8_t data[GROUP_MAX_DATA]; /* of WRITE jobs */
	uint32_t n_data;
	uint8_t vertices[VERTEX_AREA_BYTES]; /* written before the first item */
	uint32_t n_vertices;
};

/* ---- Programs ---- */

enum {
	POSITION_SCALE = 0, /* c0, c1: position = attribute * c0 + c1 */
	POSITION_OFFSET = 1,
	ATTRIBUTE_SCALE = 2, /* c2..c13: of the other attributes */
	GS_INPUT = 20,       /* fixed mode: first uniform of the input */
	GS_OFFSET = 84,      /* c84..c89 of the geometry unit: small position offsets */
	MAX_SLOTS = 5,
};

enum slot_role {
	SLOT_POSITION,
	SLOT_COLOR,
	SLOT_TEX01,
	SLOT_TEX2,
	SLOT_QUATERNION,
	SLOT_VIEW,
};

struct program {
	uint32_t code[512];
	unsigned n_code;
	unsigned entry;
	uint32_t desc[64];
	unsigned n_desc;
};

/* Inputs of a program and its required outputs. */
struct shape {
	unsigned n_attributes;
	unsigned input[12];            /* register of attribute a; 0 is the position */
	unsigned n_slots;
	enum slot_role role[MAX_SLOTS];
	unsigned output[MAX_SLOTS];    /* register of slot k, ascending */
};

enum gs_mode_kind {
	GS_KIND_POINT,
	GS_KIND_VARIABLE,
	GS_KIND_FIXED,
};

struct gs_shape {
	enum gs_mode_kind mode;
	unsigned n_vertices;           /* full vertices that a run finds */
	unsigned perm[16];             /* point mode: input register of entry i */
	unsigned output[MAX_SLOTS];
};

void random_vertex_program(struct rng *r, const struct shape *s, struct program *p);
void random_geometry_program(struct rng *r, const struct shape *s, const struct gs_shape *g,
		struct program *p);

/* ---- State ---- */

struct attribute {
	bool is_fixed; /* no loader feeds it */
	unsigned type, count;
	float scale[4], offset[4];
};

/* The state set up by the generator's words so far. */
struct gen {
	struct rng r;
	bool is_fresh; /* nothing is set yet */
	uint32_t next_draw;
	struct target target;
	struct range recent[8]; /* earlier colour targets, to be sampled and copied */
	unsigned n_recent;
	/* textures */
	struct range tex[3]; /* bytes = 0: not read */
	struct range face[5]; /* the other faces of a cube in unit 0 */
	unsigned tex_width, tex_height; /* of unit 0 */
	bool is_lit;
	/* vertices */
	struct shape shape;
	struct attribute attribute[12];
	bool gs_on;
	struct gs_shape gs;
	unsigned topology;
	/* the last array draw, to be repeated */
	bool can_repeat;
	uint32_t array_base;
	unsigned repeat_vertices;
};

void group_reset(struct group *g);
/* One entry with mask F. */
void group_put(struct group *g, uint32_t id, uint32_t word);
void group_put_masked(struct group *g, uint32_t id, uint32_t word, uint32_t mask);
/* Parameters to one id, or to consecutive ids from id on. */
void group_burst(struct group *g, uint32_t id, const uint32_t *words, unsigned n, bool consecutive);

/* random_state.c: each chooses and emits a part of a draw's state. */
void random_target(struct gen *gen, struct group *g);
void random_textures(struct gen *gen, struct group *g);
/* The procedural unit's registers and tables; random_textures() switches it. random_proctex.c */
void random_proctex(struct gen *gen, struct group *g);
void random_combiner(struct gen *gen, struct group *g);
void random_output(struct gen *gen, struct group *g);
/* random_effects.c */
void random_fog(struct gen *gen, struct group *g);
void random_shadow(struct gen *gen, struct group *g);
void random_gas(struct gen *gen, struct group *g);
void random_raster(struct gen *gen, struct group *g);
void random_ignored(struct gen *gen, struct group *g);
/* Lighting and its tables. random_light.c */
void random_light(struct gen *gen, struct group *g);
/* Programs, attributes, the output map, uniforms. random_stage.c */
void random_vertex_stage(struct gen *gen, struct group *g);
void random_uniforms(struct gen *gen, struct group *g);
/* Vertices and the trigger. random_vertex.c */
void random_trigger(struct gen *gen, struct group *g);

/* random_jobs.c: the whole group. */
void random_group(struct gen *gen, struct group *g, unsigned draws);
bool ranges_overlap(struct range a, struct range b);

#endif
