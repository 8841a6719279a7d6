/* Compares both renderers' histories of random pixels of a capture. */
#ifndef SCENE_PIXELS_H
#define SCENE_PIXELS_H

#include "naive.h"
#include "pica_capture.h"

struct pixels;

/* Chooses n pixels in the targets of the capture, which the context draws once. Returns NULL on
 * failure. */
struct pixels *pixels_create(struct pica_ctx *ctx, struct pica_capture *capture,
		struct naive *naive, unsigned n);
void pixels_destroy(struct pixels *p);
/* Call before the naive renderer does the job. */
void pixels_job(struct pixels *p, struct naive *naive, const struct pica_job *job);
/* Draws the capture repeatedly. Returns 1 if histories are the same, 0 if not, or a negative
 * errno. */
int pixels_compare(struct pixels *p, const char *path, struct pica_ctx *ctx,
		struct pica_capture *capture);

/*
 * Returns whether both entries are equal; prints a difference. is_late: the engine's entry is of a
 * later frame.
 */
bool seen_is_same(const char *what, const struct naive_seen *naive,
		const struct pica_history_entry *engine);
/* Returns whether the entry's target has the watched pixel as a whole one. */
bool entry_is_exact(const struct pica_history_entry *e, const struct pica_watch *at);

#endif
