/* The state of a reading; private to the room. */
#ifndef VC4_READER_H
#define VC4_READER_H

#include "vc4/list/list.h"

struct vc4_reader {
	const struct vc4_lists *lists;
	struct arena *arena;
	struct vc4_frame *frame;
	struct vc4_error *error;

	/* flow */
	unsigned list;            /* 0: binning, 1: rendering */
	uint32_t at;              /* the current record */
	uint32_t next;            /* the one after it, unless it branches */
	uint32_t stack[VC4_SUB_LIST_DEPTH];
	unsigned depth;
	bool is_done;
	unsigned since_tick;
	uint32_t increments;      /* of the semaphore, by the binning list */
	bool is_flushed;
	/* host_bytes bytes from host_at on, in its window; NULL: look it up. Reset by tick(). */
	const uint8_t *host;
	uint32_t host_at, host_bytes;

	/* binning */
	struct vc4_state state;         /* in force; its shader is in the arena */
	const struct vc4_state *last;   /* the newest in the arena */
	struct vc4_state *pool;         /* room for the next n_pool states */
	unsigned n_pool;
	uint32_t draw_capacity;

	/* rendering */
	struct vc4_rendering rendering; /* in force */
	struct vc4_transfer pending;    /* a load that the next tile coordinates execute */
	uint32_t pending_at;
	bool is_pending;
	uint8_t column, row;
	struct vc4_run run;             /* under construction */
	bool run_stores;
	/*
	 * 1 + index of the rendering with whose values colour, or Z and stencil, were cleared
	 * since the last operation; 0: not cleared.
	 */
	uint32_t color_by, zs_by;
	uint32_t run_capacity, op_capacity, transfer_capacity, rendering_capacity;
};

/* Records the error at the current record. Returns error. */
int vc4_fail(struct vc4_reader *r, int error, const char *why);
/* The same for an exceeded limit. Returns -EDQUOT. */
int vc4_fail_limit(struct vc4_reader *r, enum pica_budget budget, const char *why);
/*
 * Returns the items, with room for at least one after the first n, or NULL when out of memory. A
 * full array moves to one of twice the size.
 */
void *vc4_room(struct vc4_reader *r, void *items, uint32_t n, uint32_t *capacity,
		size_t item_bytes);
float vc4_float(uint32_t bits);

/* Execute a record of the binning or rendering list. c: its bytes. Return 0 or the error. */
int vc4_binning_record(struct vc4_reader *r, const uint8_t *c);
int vc4_rendering_record(struct vc4_reader *r, const uint8_t *c);
/* Initialize the state before the first record. */
void vc4_binning_begin(struct vc4_reader *r);
int vc4_rendering_begin(struct vc4_reader *r);
/* Returns whether a branch to a sub-list at this address leads to a tile list. */
bool vc4_is_tile_list(const struct vc4_reader *r, uint32_t address);
int vc4_draw_bin(struct vc4_reader *r, uint32_t address);

#endif
