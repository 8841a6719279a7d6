/*
 * Destroys contexts of dead sessions and releases regions. Work in flight cannot be cancelled at
 * once, giving back pages takes time, and either would stop the loop: a thread of its own waits.
 */
#ifndef SERVICE_REAPER_H
#define SERVICE_REAPER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "pica.h"
#include "service/region.h"

struct reaper;
struct recording;

/* The work that sessions of a user leave to other threads. Counted: it may outlive them. */
struct dying {
	struct dying *next; /* server.dying */
	uid_t uid;
	atomic_uint refs;
	atomic_uint contexts;   /* that are being destroyed */
	atomic_uint recordings; /* that begin, go on, or are being finished */
	atomic_uint finishing;  /* of these */
};

/* A reference to that of a user. NULL: out of memory. Loop's thread. */
struct dying *dying_get(struct dying **list, uid_t uid);
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

/* ---- Waiting until a time of the monotonic clock; UINT64_MAX: no end ---- */

void deadline_cond_init(pthread_cond_t *cond);
/* False: it is that time. */
bool deadline_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t until_ns);

/* ---- The reaper ---- */

int reaper_create(struct reaper **out);
/*
 * Waits until everything is destroyed, or until_ns on the monotonic clock. False: it is not; the
 * reaper's thread goes on.
 */
bool reaper_stop(struct reaper *r, uint64_t until_ns);
/* Of a stopped one. */
void reaper_destroy(struct reaper *r);
/* Any thread. Stopped: destroys them itself. */
void reaper_add(struct reaper *r, struct remains *remains);
/* How many contexts wait or are being destroyed. Any thread. */
uint32_t reaper_pending(struct reaper *r);

#endif
