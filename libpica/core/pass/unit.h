/* Between the files of the room: how a unit is opened, run and waited for. */
#ifndef PASS_UNIT_H
#define PASS_UNIT_H

#include "core/pass/pass.h"

/* Counters of tasks. Exact after the tasks have ended; before that a hint. */
static inline uint64_t unit_sum(const atomic_uint_fast64_t *sum) {
	return atomic_load_explicit(sum, memory_order_relaxed);
}

/* For probes: 0 a pass, else what its span is after a pass's. */
static inline int unit_kind(const struct unit *u) {
	return u->is_pass ? 0 : (int)u->task.span - (int)PICA_SPAN_PASS;
}

enum { CHUNK_BYTES = 256 << 10 }; /* of ordinary triangles */

/* Returns the bytes that a pass needs, estimated from its counts. */
static inline size_t unit_need(const struct unit *u) {
	return u->arena.total_used + u->held_bytes + (size_t)u->n_chunks * CHUNK_BYTES;
}

/* The same, including memory that other passes created earlier. */
static inline size_t unit_need_of_limit(const struct unit *u) {
	return unit_need(u) + u->again_bytes;
}

/* ---- Command thread (unit.c) ---- */

/* Returns a unit that is not busy; parks while all are busy. */
struct unit *unit_open(struct exec *x, bool is_pass, uint64_t job);
/* Takes a chunk that was kept for reuse; NULL if there is none. */
struct chunk *unit_take_chunk(struct exec *x);
void unit_destroy_chunk(struct exec *x, struct chunk *c);
/*
 * Updates the charge of the context after the chunk's memory has changed. Called on the thread of
 * the task, or on the command thread.
 */
void unit_charge_chunk(struct exec *x, struct chunk *c);
/* Frees all memory of a reaped unit. */
void unit_sweep(struct exec *x, struct unit *u);
/* Subtracts memory that is now used or freed from the kept bytes of the context. */
void unit_no_longer_kept(struct exec *x, size_t size_bytes);
/*
 * Adds edges from every earlier unit in flight, then releases the unit. bytes: the bytes that it
 * touches, if that is all its work; 0: more. Little work without predecessors is done here, by this
 * thread: handing it over takes longer.
 */
void unit_launch(struct exec *x, struct unit *u, uint64_t bytes);

/* ---- room.c ---- */

/* After this call no other context evicts the kept memory of this one. */
void room_leave(struct exec *x);
void room_end_exempt(struct exec *x);

/* Runs a pass whose vertices, and perhaps tiles, the command thread processes itself (work.c). */
bool unit_is_little(const struct unit *u);

/* ---- Its nodes are ready (work.c) ---- */

void unit_vertices_ready(struct graph_node *node);
/*
 * Budgets in stream order: the chunk that exceeds the limit and all later ones of the job are not
 * drawn.
 */
void unit_charge_ready(struct graph_node *node);
void unit_tiles_ready(struct graph_node *node);

#endif
