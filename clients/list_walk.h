/*
 * Reads command lists as the engine does, without drawing: follows register writes, bursts, masks
 * and jumps, and calls a visitor for writes and draws. [fidelity: command-list]
 */
#ifndef CLIENTS_LIST_WALK_H
#define CLIENTS_LIST_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "pica.h"
#include "pica_inspect.h"

enum draw_kind {
	DRAW_ARRAYS,
	DRAW_ELEMENTS,
	DRAW_IMMEDIATE, /* vertices written into the list */
	DRAW_KIND_COUNT,
};

/* "arrays", "elements", "immediate". */
const char *draw_kind_name(enum draw_kind kind);

/* Each may be NULL. */
struct list_visitor {
	/*
	 * A write, before it takes effect. from_list: it is in a list; else it is a processor's,
	 * and only its addr (physical), id, value and mask are set.
	 */
	void (*write)(void *user, const struct pica_list_write *w, bool from_list);
	/*
	 * A draw begins, with registers regs (PICA_REG_COUNT words). The write that starts it is
	 * shown next; for vertices in the list, that is the write that completes the first vertex.
	 */
	void (*draw)(void *user, const uint32_t *regs, enum draw_kind kind);
	/* A vertex of a run in the list is complete: f24 words of n attributes. */
	void (*vertex)(void *user, const uint32_t (*attributes)[4], unsigned n);
	/*
	 * The draw is over: after its write, or, for vertices in the list, before the write that
	 * ends their run, or at the end of the list.
	 */
	void (*drawn)(void *user);
	/* Begins the words at addr: a job's list, or the target of a jump. */
	void (*list)(void *user, uint32_t addr, uint32_t size_bytes, bool is_jump);
	void (*list_end)(void *user);
};

struct list_walk {
	struct pica_ctx *ctx; /* borrowed: lists are read from its memory */
	const struct list_visitor *visitor;
	void *user;
	uint32_t regs[PICA_REG_COUNT];
	uint64_t lists, words, jumps, unreadable;
	uint64_t cut; /* endless list: the engine's budget of words or jumps is used up */
	bool ends;    /* the visitor wants no more of the job */
	const struct pica_list_write *current; /* the current write, for the visitor */
	/*
	 * Immediate mode: words of the current attribute, attributes of the current vertex; a run
	 * of vertices is open.
	 */
	uint32_t word[3], vertex[16][4];
	unsigned n_words, attribute;
	bool open;
};

/* Copies the registers of the context, which has loaded its state. */
void list_walk_init(struct list_walk *w, struct pica_ctx *ctx, const struct list_visitor *visitor,
		void *user);
/*
 * Visits a job before it is submitted; all earlier ones must have been. If it starts a list, waits
 * for the earlier jobs and reads the registers again.
 */
void list_walk_job(struct list_walk *w, const struct pica_job *job);
/* Returns whether the walk reads the job: a list, or a write to an internal register. */
bool list_walk_reads(const struct pica_job *job);
/* The three words of a vector as four f24: x, y, z, w. */
void list_unpack_f24(const uint32_t word[3], uint32_t v[4]);

#endif
