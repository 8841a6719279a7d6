/*
 * A job's two control lists, read into draws and tile runs.
 *
 * vc4_frame_read() runs the binning list to its end, then the rendering list. The binning list
 * becomes draws, each with the state in force at its record. The rendering list becomes runs of
 * tile operations. The tile lists, which the chip writes into the tile allocation, are never read;
 * a branch to one is the operation "draw the bin".
 *
 * All bus addresses, including those in the structures, have their alias bits (31:30) removed.
 * Shader records are read when the list reaches them. Indices, vertices, uniforms and code are not
 * read here. [fidelity: vc4-lists]
 */
#ifndef VC4_LIST_H
#define VC4_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pica_job.h"
#include "vc4/list/record.h"

struct arena;
struct space;

enum {
	VC4_ADDRESS_BITS = 0x3FFFFFFF,
	VC4_MAX_ARRAYS = 8,
	VC4_MAX_VERTICES = 65535, /* of a draw: the chip's binner has 16-bit indices */
	VC4_SUB_LIST_DEPTH = 2,
	VC4_TILE_PX = 64,
	VC4_TILE_PX_MULTISAMPLE = 32,
};

/* ---- State of a draw ---- */

struct vc4_array {
	uint32_t address;        /* of vertex 0 */
	uint32_t stride_bytes;   /* 0: the same for all vertices */
	uint16_t size_bytes;     /* of a vertex: 1 to 256 */
	uint8_t vertex_offset;   /* in the VPM, bytes: row * 4 */
	uint8_t coordinate_offset;
};

struct vc4_program {
	uint32_t code, uniforms;
	uint8_t arrays;     /* bit i: array i is fetched; not of fragment programs */
	uint8_t size_bytes; /* of all attributes, according to the record */
};

/* A GL or NV shader record. */
struct vc4_shader {
	uint32_t address;          /* of the record */
	bool is_nv;
	bool is_single_threaded;   /* the fragment program */
	bool has_point_size;       /* in shaded vertices */
	bool clips;
	bool has_clip_header;      /* NV: vertices begin with clip coordinates */
	uint8_t n_varyings;
	uint8_t n_arrays;          /* GL: 1 to 8 */
	uint8_t stride_bytes;      /* NV: of shaded vertices */
	uint32_t vertices;         /* NV */
	struct vc4_program fragment;
	struct vc4_program vertex, coordinate; /* GL */
	struct vc4_array array[VC4_MAX_ARRAYS];
};

struct vc4_state {
	const struct vc4_shader *shader;
	bool draws_front, draws_back;
	bool is_clockwise_front;
	bool offsets_depth;
	bool updates_z;
	bool early_z, early_z_updates;
	uint8_t depth_function;        /* VC4_COMPARE_* */
	uint8_t oversample;            /* VC4_SAMPLES_1 or _4 */
	uint32_t flat;                 /* bit i: varying i */
	float point_size, line_width;  /* pixels; not checked */
	float depth_factor, depth_units;
	uint16_t clip_left, clip_bottom, clip_width, clip_height; /* pixels, rows of memory */
	int16_t viewport_x_fx4, viewport_y_fx4;
	float z_min, z_max;            /* floats from lists may be NaN or infinite */
	float half_width_fx4, half_height_fx4;
	float z_scale, z_offset;
};

struct vc4_draw {
	const struct vc4_state *state; /* shared by draws */
	uint32_t count;       /* vertices or indices, not 0 */
	uint32_t first;       /* without indices: first + count <= VC4_MAX_VERTICES */
	uint32_t indices;     /* address; all were in memory when the record was read */
	uint32_t max_index;   /* primitives with a higher index are skipped and counted */
	uint32_t address;     /* of the record, for messages */
	uint8_t mode;         /* VC4_MODE_* */
	uint8_t index_bytes;  /* 0: none, 1, 2 */
};

/* The last binning mode. */
struct vc4_binning {
	bool exists;
	bool is_multisample;
	uint8_t columns, rows; /* tiles, not 0 */
	uint8_t tile_px;
	uint32_t allocation, allocation_bytes, block_bytes;
};

/* ---- Tiles ---- */

/* Rendering mode and clear values. */
struct vc4_rendering {
	bool exists;           /* false: no rendering mode yet; only the clear values are valid */
	bool is_multisample;
	uint8_t tile_px;
	uint8_t format;        /* VC4_FORMAT_* */
	uint8_t layout;        /* VC4_LAYOUT_* */
	bool early_z_greater, no_early_z;
	uint16_t width, height;
	uint32_t address;
	uint32_t clear_color, clear_z; /* z: 24 bits */
	uint8_t clear_stencil;
};

/*
 * A load or a store. A full one moves the whole tile buffer, with all samples, to or from the
 * address, colour first. Any other moves the tile's part of an image of the rendering mode's size.
 */
struct vc4_transfer {
	uint32_t address;
	bool is_full;
	bool color;
	bool z, stencil;       /* bits 31:8 and 7:0 of a word; bits not moved stay unchanged */
	bool averages;         /* colour store: averages the four samples; else sample 0 */
	bool clears_color, clears_zs; /* clears them after the store */
	uint8_t format;        /* VC4_FORMAT_*, of colour */
	uint8_t layout;        /* VC4_LAYOUT_* */
};

enum vc4_tile_op_kind { VC4_TILE_LOAD, VC4_TILE_DRAW, VC4_TILE_STORE };

struct vc4_tile_op {
	uint8_t kind;        /* enum vc4_tile_op_kind */
	uint8_t column, row; /* of the tile, from the last tile coordinates */
	uint32_t value;      /* DRAW: bin, row * columns + column; else index in frame.transfers */
	uint32_t rendering;  /* index in frame.renderings: the one in force */
	uint32_t address;    /* of the record, for messages */
};

/*
 * Tile operations between two points at which the whole tile buffer has known values. The first run
 * starts with zeros; every other one starts with the clear values of renderings[clear], which the
 * preceding store left in the buffer. Runs therefore depend on each other only through memory. A
 * run ends with a store that clears everything, or at the end of the list. Runs that would neither
 * draw nor move anything are omitted.
 */
struct vc4_run {
	uint32_t first, n; /* of frame.ops */
	uint32_t clear;    /* index in frame.renderings; 0: zeros */
};

/* ---- Reading ---- */

struct vc4_stats {
	uint64_t records, bytes;  /* of both lists; a sub-list counts each time it runs */
	uint64_t branches;        /* to lists and sub-lists, including bins */
	uint64_t vertices;        /* vertices or indices of the draws */
	uint64_t primitives;      /* computed from the draws' vertex counts */
	uint32_t draws;           /* including those that a later START_TILE_BINNING dropped */
	uint32_t sub_lists;       /* calls, bins not counted */
};

/* All arrays lie in the arena. */
struct vc4_frame {
	struct vc4_binning binning;
	struct vc4_draw *draws;
	uint32_t n_draws;
	struct vc4_run *runs;
	uint32_t n_runs;
	struct vc4_tile_op *ops;
	uint32_t n_ops;
	struct vc4_transfer *transfers;
	uint32_t n_transfers;
	struct vc4_rendering *renderings; /* [0]: the state before any record, zeros */
	uint32_t n_renderings;            /* at least 1 */
	struct vc4_rendering last;        /* in force at the end; its target is the picture */
	struct vc4_stats stats;
};

/* 0: no limit. VC4_MAX_RECORDS always applies as well. */
struct vc4_limits {
	uint64_t records, branches, primitives;
};

enum { VC4_MAX_RECORDS = 1 << 22 };

/* A record that a list has reached. */
struct vc4_step {
	uint8_t list;     /* 0: binning, 1: rendering */
	uint8_t depth;    /* in sub-lists */
	uint32_t address;
	uint32_t offset;  /* from the list's start; wraps */
	const struct vc4_record *record;
	const uint8_t *bytes; /* of the record */
};

struct vc4_lists {
	const struct space *space;
	/* 0: binning, 1: rendering; a list with both equal is empty */
	uint32_t start[2], end[2];
	struct vc4_limits limits;
	/*
	 * Called after each VC4_TICK_RECORDS records; n: records since the last call. It may
	 * change windows and memory. A negative result ends the reading. NULL: no call.
	 */
	int (*tick)(void *arg, unsigned n);
	/* Called before a record takes effect. NULL: no call. */
	void (*step)(void *arg, const struct vc4_step *step);
	void *arg;
};

enum { VC4_TICK_RECORDS = 64 };

/* The error that ended the reading. */
struct vc4_error {
	int error;          /* the result */
	uint8_t list;       /* 0: binning, 1: rendering */
	uint32_t offset;    /* of the record, from the list's start; wraps */
	uint32_t address;   /* of the record */
	const char *record; /* its name; NULL: the byte is not a record, or could not be read */
	const char *why;    /* static text */
	enum pica_budget budget; /* of -EDQUOT */
};

/*
 * Reads both lists. Everything that *frame points to is allocated in the arena. On failure returns
 *   -EINVAL      a byte that is not a record; an invalid value; a record in the wrong list; a
 *                draw without a binning mode or shader; a wait that would never end
 *   -EOPNOTSUPP  a record or a value that is known but not built
 *   -ERANGE      an address outside memory
 *   -EDQUOT      a limit is exceeded
 *   -ENOMEM      out of memory
 * or the error of tick(); fills *error, and leaves *frame undefined except for its statistics.
 */
int vc4_frame_read(struct vc4_frame *frame, const struct vc4_lists *lists, struct arena *arena,
		struct vc4_error *error);

/* Writes "binning list: offset 0x10 (CLIP_WINDOW): outside memory". Returns as snprintf() does. */
size_t vc4_error_text(const struct vc4_error *error, char *buf, size_t size);

/* Returns the number of primitives that count vertices form. mode: VC4_MODE_*. */
uint32_t vc4_primitives(unsigned mode, uint32_t count);

#endif
