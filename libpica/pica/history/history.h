/*
 * The history of watched pixels (pica_history.h): the front room tells of each write of the copy
 * engines and the client, and of each draw; a pass is looked at before it runs.
 */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include "pica/draw/draw.h"
#include "pica/xfer/xfer.h"
#include "pica_history.h"
#include "pica_job.h"

struct history;

/* NULL: out of memory. */
struct history *history_create(const struct pica_watch *pixels, unsigned n);
void history_destroy(struct history *h);

/* ---- Command thread; no unit of the context is in flight where an exec is given ---- */

/* A job begins. */
void history_job(struct history *h, const struct pica_job *job);
/* Its writes to memory will be in flight: by one of these, or by the client's bytes. */
struct history_write {
	enum pica_history_kind kind;
	struct range range;
	const struct transfer *transfer;
	const struct copy *copy;
};
/* Waits where a watched pixel is touched; *_end() afterwards waits for the write itself. */
void history_write_begin(struct history *h, struct exec *x, const struct history_write *w);
void history_write_end(struct history *h, struct exec *x);

/* A draw is triggered. */
void history_draw(struct history *h);
/*
 * The open pass has got a draw, or a part of the draw that was triggered last. are_emitted: its
 * vertices come from a geometry shader.
 */
void history_drawn(struct history *h, const struct draw *d, bool are_emitted);
/* The open pass is about to be closed; its draws are looked at. */
void history_pass(struct history *h, struct exec *x);
/* It is closed. Waits for it, and finds out whether it was drawn. */
void history_passed(struct history *h, struct exec *x);

/* ---- Reading; the context is idle ---- */

int64_t history_count(const struct history *h);
const struct pica_history_entry *history_entry(const struct history *h, size_t index);
/* NULL: there are none. */
const struct pica_fragment_steps *history_steps(const struct history *h, size_t index);
void history_keep_steps(struct history *h, bool on);
/* As pica_ctx_trace(). */
bool history_trace(const struct history *h, uint32_t addr, uint32_t frame, uint32_t event,
		struct pica_history_entry *out);

#endif
