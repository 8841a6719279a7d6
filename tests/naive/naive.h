/*
 * An independent reference renderer of the PICA200: one thread, one vertex and one pixel at a time,
 * written from docs/fidelity.md, sections 1 and 8, alone.
 *
 * It shares with libpica only number formats (libpica/base) and the register table (libpica/regs).
 * It must never include or link another room: its value is that two people wrote the same thing.
 * Code here may be slow, but must be obvious.
 */
#ifndef NAIVE_H
#define NAIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "pica.h"
#include "pica_history.h"

struct naive;

/* Counters, for tests that check that something was drawn at all. */
struct naive_stats {
	uint64_t lists, draws, vertices, gs_runs;
	uint64_t triangles;  /* assembled */
	uint64_t set_up;     /* triangles after clipping and culling */
	uint64_t covered;    /* pixels that entered the combiner */
	uint64_t written;    /* pixels that passed all tests */
	uint64_t faults[PICA_FAULT_COUNT];
};

/* NULL when out of memory. No memory is mapped; registers are as [fidelity: reset-state] says. */
struct naive *naive_create(enum pica_float mode);
void naive_destroy(struct naive *n);
/* How the combiner's products are rounded; PICA_COMBINER_NEAREST from the start. */
void naive_set_combiner(struct naive *n, enum pica_combiner combiner);

enum naive_draw_kind { NAIVE_ARRAYS, NAIVE_ELEMENTS, NAIVE_IMMEDIATE };
/*
 * Called at the end of each draw, with its registers and the number of pixels that it wrote. NULL:
 * none.
 */
typedef void naive_drawn_fn(
		void *user, const uint32_t *regs, enum naive_draw_kind kind, uint64_t written);
void naive_set_drawn(struct naive *n, naive_drawn_fn *drawn, void *user);

/* A shader unit just before an instruction. */
struct naive_step {
	bool is_geometry;
	uint32_t address;     /* of the code word; UINT32_MAX: after the last instruction */
	bool cmp[2];
	int32_t a0[2], al;    /* a0: INT32_MAX if out of range */
	const float (*r)[4], (*o)[4]; /* temporaries, and the outputs of the bank in use */
	const float (*read)[4];       /* operands that the previous instruction read */
};
typedef void naive_step_fn(void *user, const struct naive_step *s);
/* NULL: none. */
void naive_set_step(struct naive *n, naive_step_fn *step, void *user);

/* What a primitive did at a watched pixel; as struct pica_history_entry. */
struct naive_seen {
	unsigned watch;
	uint32_t draw, primitive;
	enum pica_verdict verdict;
	bool replaces;
	uint32_t before, after;
	uint8_t color[4]; /* source of the blender, where the fragment was shaded */
};
typedef void naive_seen_fn(void *user, const struct naive_seen *seen);
/*
 * Watches pixels, in draws whose colour buffer has them as whole pixels. Draws are counted from
 * this call, and from naive_watch_frame(). Returns 0, or -1 without memory.
 */
int naive_watch(struct naive *n, const struct pica_watch *at, unsigned count, naive_seen_fn *seen,
		void *user);
void naive_watch_frame(struct naive *n);

/* Makes the caller's memory visible at [phys, phys + size_bytes). -ENOMEM beyond 32 windows. */
int naive_map(struct naive *n, uint32_t phys, uint32_t size_bytes, void *host);

/* Registers, shader memories, fixed attributes and tables at once; no trigger acts. */
void naive_load_state(struct naive *n, const struct pica_state *state);
/* Saves them; uniforms and attributes truncated to f24. External registers are 0. */
void naive_save_state(const struct naive *n, struct pica_state *state);
uint32_t naive_read_reg(const struct naive *n, uint32_t id);

/* One register write, as in a command list. Jumps and the end of a list have no effect here. */
void naive_write_reg(struct naive *n, uint32_t id, uint32_t value, uint32_t mask);
/* Runs a list to its end. Returns PICA_DONE_* flags. */
uint32_t naive_run_list(struct naive *n, uint32_t addr, uint32_t size_bytes);
/*
 * Does one job: LIST, FILL, TRANSFER, COPY, WRITE; INVALIDATE, PRESENT and BARRIER need nothing.
 * -EOPNOTSUPP: another op.
 */
int naive_job(struct naive *n, const struct pica_job *job);

/* Index of pixel (x, row) of a tiled image; width a multiple of 8. */
uint64_t naive_tiled_index(unsigned x, unsigned row, unsigned width, bool block32);

void naive_get_stats(const struct naive *n, struct naive_stats *out);

#endif
