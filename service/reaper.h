/*
 * Destroys contexts of dead sessions and releases regions. Work in flight cannot be cancelled at
 * once, giving back pages takes time, and either would stop the loop: a thread of its own waits.
 */
#ifndef SERVICE_REAPER_H
#define SERVICE_REAPER_H

#include <stdatomic.h>
#include <stdint.h>

#include "pica.h"
#include "service/region.h"

struct reaper;
struct recording;

/* How many contexts of a session are still being destroyed. Counted: they may outlive it. */
struct dying {
	atomic_uint refs, contexts;
};

/* NULL: out of memory. */
struct dying *dying_create(void);
/* NULL is allowed. Any thread. */
void dying_put(struct dying *d);

/*
 * A context with everything that its jobs in flight may touch, or a region that nobody uses any
 * more; malloc'ed, taken by the reaper.
 */
struct remains {
	struct remains *next;
	struct region *released;  /* NULL: a context */
	struct pica_ctx *ctx;     /* NULL: none */
	struct region **regions;  /* references that are dropped after ctx is gone */
	uint32_t n_regions;
	struct recording *recording; /* of ctx, to be finished; NULL: none */
	struct dying *dying;         /* a reference; NULL: not counted */
};

/* Destroys them, which waits for jobs in flight. Any thread. */
void remains_destroy(struct remains *m);

int reaper_create(struct reaper **out);
/* Waits until everything is destroyed. */
void reaper_stop(struct reaper *r);
/* Of a stopped one. */
void reaper_destroy(struct reaper *r);
/* Any thread. Stopped: destroys them itself. */
void reaper_add(struct reaper *r, struct remains *remains);
/* How many contexts wait or are being destroyed. Any thread. */
uint32_t reaper_pending(struct reaper *r);

#endif
