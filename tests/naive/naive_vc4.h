/*
 * The VideoCore IV by the rules of docs/fidelity.md, without bins and batches: tests each triangle
 * against each sample of each tile. Shares the table of records with libpica. It has no points,
 * lines or clipping.
 */
#ifndef NAIVE_VC4_H
#define NAIVE_VC4_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "pica_history.h"

/* Returns the bits of a little-endian word, which stay where they are if it is an address. */
static inline uint32_t naive_bits(const uint8_t *at, unsigned low, unsigned bits, bool stays) {
	uint32_t word = 0;
	for (unsigned i = 0; i < (low + bits + 7) / 8; i++) {
		word |= (uint32_t)at[i] << 8 * i;
	}
	word = word >> low & (uint32_t)((UINT64_C(1) << bits) - 1);
	return stays ? word << low : word;
}

/* OP_<RECORD>, SIZE_<RECORD>, and functions GET_<RECORD>_<FIELD>() of a record's bytes. */
enum {
#define VC4_RECORD(op, name, size, lists, state) OP_##name = (op), SIZE_##name = (size),
#define VC4_STRUCT(name, size) SIZE_##name = (size),
#include "vc4/pica_vc4_records.def"
};
enum { FORM_FLAG, FORM_HEX, FORM_SIGNED, FORM_FX4, FORM_F32, FORM_F16, FORM_ADDRESS };
#define VC4_FIELD(record, field, byte, low, bits) \
	static inline uint32_t GET_##record##_##field(const uint8_t *r) { \
		return naive_bits(r + (byte), low, bits, false); \
	}
#define VC4_FIELD_FORM(record, field, byte, low, bits, form) \
	static inline uint32_t GET_##record##_##field(const uint8_t *r) { \
		return naive_bits(r + (byte), low, bits, FORM_##form == FORM_ADDRESS); \
	}
#include "vc4/pica_vc4_records.def"

enum { NAIVE_VARYINGS = 32, NAIVE_TILE_PX = 64 };

/* A corner: in sixteenths of a pixel, 1/Wc, Z, varyings. */
struct naive_corner {
	bool exists;
	int32_t x, y;
	float iw, z, varying[NAIVE_VARYINGS];
};

/* The newest record of each kind that describes draws. */
struct naive_vc4_state {
	uint8_t config[16], flat[16], window[16], viewport[16];
	uint8_t shader[256]; /* in memory */
	bool is_nv;
	unsigned n_arrays;
};

struct naive_primitive {
	const struct naive_vc4_state *state;
	uint32_t draw, number; /* of the draw, of the triangle in it without those of bad indices */
	struct naive_corner corner[3];
};

/* A change of a watched pixel: by a triangle, a clear, a load or a store. */
struct naive_vc4_seen {
	enum pica_history_kind kind;
	enum pica_verdict verdict;
	uint32_t draw, primitive; /* of a triangle */
	uint32_t before, after, zs_before, zs_after; /* colour as it would be stored; sample 0 */
	unsigned samples, passed; /* one bit a sample */
};

/*
 * The pixel at a bus address, and what happened to it in runs of operations that store something.
 * Its place is that of the first colour store of an image with it.
 */
struct naive_vc4_watch {
	uint32_t address;
	bool is_found;
	unsigned column, row, x, y; /* the tile, and the pixel in it */
	uint32_t pixel; /* its first byte */
	unsigned bytes;
	bool is_averaged;
	struct naive_vc4_seen seen[512];
	unsigned n;
	unsigned first_of_run;
	bool in_run, run_stores, color_is_clear, zs_is_clear;
};

struct naive_vc4 {
	uint8_t *memory;
	uint32_t base, size;
	struct naive_vc4_state state;
	struct naive_vc4_state *states[256]; /* of draws */
	unsigned n_states;
	struct naive_vc4_watch *watch; /* or NULL */
	struct naive_primitive *primitives;
	unsigned n_primitives, capacity, first_primitive; /* first: of the draw */
	uint8_t binning[16], rendering[16], clear[16];
	unsigned n_samples, tile_px;
	/* The tile buffer, and its place. */
	uint32_t color[4][NAIVE_TILE_PX][NAIVE_TILE_PX], zs[4][NAIVE_TILE_PX][NAIVE_TILE_PX];
	unsigned column, row;
};

/* Returns the host address of a range, or NULL if it leaves memory. */
uint8_t *naive_vc4_at(struct naive_vc4 *v, uint32_t address, uint64_t bytes);
/* Shades a draw's vertices and appends its triangles. Return 0 or -1. */
int naive_vc4_draw(struct naive_vc4 *v, uint32_t mode, const uint32_t *index, uint32_t count,
		uint32_t max_index);
/* Draws the triangles into the tile buffer. */
int naive_vc4_draw_tile(struct naive_vc4 *v);

/*
 * Runs a job: lists from ct0ca to ct0ea and from ct1ca to ct1ea, in memory at the bus address base.
 * Returns 0, or -1 if a list is malformed.
 */
int naive_vc4(uint8_t *memory, uint32_t base, uint32_t size, uint32_t ct0ca, uint32_t ct0ea,
		uint32_t ct1ca, uint32_t ct1ea);
/* The same, with watch->address watched: once to find its place, once more to see triangles. */
int naive_vc4_watched(uint8_t *memory, uint32_t base, uint32_t size, uint32_t ct0ca, uint32_t ct0ea,
		uint32_t ct1ca, uint32_t ct1ea, struct naive_vc4_watch *watch);
/*
 * Appends something at the watched pixel, with the buffer as it is now; the watched tile is the
 * current one.
 */
struct naive_vc4_seen *naive_vc4_see(struct naive_vc4 *v, enum pica_history_kind kind);
/* Returns a pixel of the tile as a store makes it of the buffer. */
uint32_t naive_vc4_stored(struct naive_vc4 *v, unsigned x, unsigned y, unsigned bytes,
		bool is_averaged);

/* The special functions of naive_qpu, 0 to 3, such as the reciprocal. */
extern uint32_t (*naive_vc4_sfu)(unsigned function, uint32_t x);

#endif
