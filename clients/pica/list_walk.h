/*
 * Reads command lists as the engine does, without drawing: follows register writes, bursts, masks
 * and jumps, and shows the registers at each draw.  [spec/registers.md 1]
 */
#ifndef PICA_LIST_WALK_H
#define PICA_LIST_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "pica.h"

enum draw_kind {
	DRAW_ARRAYS,
	DRAW_ELEMENTS,
	DRAW_IMMEDIATE, /* vertices written into the list; shown when the first one is complete */
	DRAW_KIND_COUNT,
};

/* regs: PICA_REG_COUNT words. */
typedef void list_walk_draw_fn(void *user, const uint32_t *regs, enum draw_kind kind);

struct list_walk {
	struct pica_ctx *ctx; /* borrowed: lists are read from its memory */
	list_walk_draw_fn *draw;
	void *user;
	uint32_t regs[PICA_REG_COUNT];
	uint64_t lists, words, jumps, unreadable;
	/* Immediate mode: words of the current attribute, attribute of the current vertex, a draw
	 * is open. */
	unsigned n_words, attribute;
	bool open;
};

/* Takes over the registers of the context, which has loaded its state. */
void list_walk_init(struct list_walk *w, struct pica_ctx *ctx, list_walk_draw_fn *draw, void *user);
/*
 * A job that is about to be submitted, after all earlier ones were. Where it starts a list, waits
 * for them and takes over the registers again.
 */
void list_walk_job(struct list_walk *w, const struct pica_job *job);

#endif
