/*
 * A copy of all windows: the memory that a replay of the recording so far would have. Bytes of the
 * context's memory that differ from the copy were changed by the program; they are found before a
 * job uses their page.
 *
 * A replay repeats the writes of jobs. Therefore their ranges are excluded from comparisons while
 * the jobs are in flight ("pending"), and copied when they are done.
 */
#ifndef RECORD_SHADOW_H
#define RECORD_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/memory.h"
#include "core/space/space.h"
#include "pica.h"

struct shadow_window {
	uint32_t phys, size_bytes;
	uint8_t *live, *copy;
	const uint64_t *stamp; /* of the space: last announced or own write of each page */
	uint64_t *checked;     /* a page: number of the job that compared it */
	uint64_t *seen;        /* a page: its stamp when it was compared last */
	uint8_t *touched;      /* a page: it may be other than zero */
};

/* Reports the current value of bytes that the program changed; data points into the copy. */
typedef void shadow_change_fn(void *user, uint32_t phys, const uint8_t *data, uint32_t size_bytes);

struct shadow {
	struct space *space;
	struct shadow_window win[SPACE_MAX_WINDOWS];
	unsigned n;
	uint64_t job;
	struct range *pending; /* first those of closed units, then those of the open pass */
	unsigned n_pending, n_closed, room;
	shadow_change_fn *change;
	void *user;
	struct pica_memory *memory; /* charged with touched pages; NULL: none */
	size_t charged_bytes;
	/* A change that may continue in the next page. */
	uint32_t run_phys, run_bytes;
	const uint8_t *run_data;
};

enum shadow_use {
	SHADOW_READ,    /* any change counts */
	SHADOW_TEXTURE, /* changes are announced: pages whose stamp is known are not compared */
	SHADOW_WRITTEN, /* just written by the program, by a job */
};

/*
 * Copies all windows. memory, or NULL, is charged with what the copy uses. Returns 0 or -ENOMEM.
 */
int shadow_init(struct shadow *s, struct space *space, struct pica_memory *memory,
		shadow_change_fn *change, void *user);
void shadow_finish(struct shadow *s);
/* The next job: the program may have changed anything. */
void shadow_next_job(struct shadow *s);
/* Compares, and gives changed pages new stamps. Returns whether something had changed. */
bool shadow_compare(struct shadow *s, struct range r, enum shadow_use use);
/*
 * Stores the *n parts of the copy that may be nonzero in *out (caller frees), ascending, with host
 * addresses. Returns 0 or -ENOMEM.
 */
int shadow_parts(const struct shadow *s, struct pica_window **out, unsigned *n);
/* A job writes the range: the open pass, or a unit of its own. Returns 0 or -ENOMEM. */
int shadow_pend(struct shadow *s, struct range r, bool in_pass);
void shadow_pass_closed(struct shadow *s);
/* Closed units are done: copies what they wrote. */
void shadow_settle(struct shadow *s);

#endif
