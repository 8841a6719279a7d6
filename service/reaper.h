/*
 * Destroys contexts of ended sessions and releases regions. Cancelling work in flight and giving
 * back pages both take time and would block the loop. Therefore a separate thread waits for them;
 * during shutdown several threads do. Users take turns; a turn is one context, or a slice of a
 * region's pages.
 */
#ifndef SERVICE_REAPER_H
#define SERVICE_REAPER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "pica.h"
#include "service/loop.h"
#include "service/region.h"

struct reaper;
struct recording;

/* A token bucket of processor time: fills at the quota's rate, holds at most one second's worth. */
struct cpu_bucket {
	int64_t allowance_ns;
	uint64_t at_ns; /* of the last look */
};

/*
 * Shared by the sessions of a user: processor time, turns on the loop, and their work on other
 * threads. Reference-counted, since it may outlive the sessions.
 */
struct user_account {
	struct user_account *next; /* server.accounts */
	uid_t uid;
	struct cpu_bucket cpu; /* loop's thread */
	struct loop_share share; /* likewise: time taken by runs of its sessions */
	uint64_t loop_ns;        /* likewise: its value at the last check */
	atomic_uint refs;
	atomic_uint contexts;   /* that are being destroyed */
	atomic_uint recordings; /* starting, running, or being finished */
	atomic_uint finishing;  /* of these */
	atomic_uint closing;    /* descriptors whose close is pending, maybe forever (foreign.h) */
	uint64_t reserved_bytes; /* disk space for its recordings; under the archive's mutex */
};

/* Returns a reference to the account of a user, or NULL when out of memory. Loop's thread. */
struct user_account *user_account_get(struct user_account **list, uid_t uid);
/* NULL is allowed. Any thread. */
void user_account_put(struct user_account *d);

/*
 * A context with everything that its jobs in flight may touch, or an unused region; malloc'ed,
 * owned by the reaper.
 */
struct retired {
	struct retired *next;
	uid_t uid;                /* charged with the turn */
	struct region *released;  /* NULL: a context */
	struct pica_ctx *ctx;     /* NULL: none */
	struct region **regions;  /* references, dropped after ctx is destroyed */
	uint32_t n_regions;
	struct recording *recording; /* of ctx, to be finished; NULL: none */
	struct user_account *account; /* a reference; NULL: not counted */
};

/* Destroys m and its contents. Waits for jobs in flight. Any thread. */
void retired_destroy(struct retired *m);

/* A queue that serves users in turn; not locked. */
struct retired_queue {
	struct retired *first, **last;
	uid_t last_uid; /* user of the last turn */
};

void retired_queue_init(struct retired_queue *q);
void retired_append(struct retired_queue *q, struct retired *m);
/*
 * Takes the first entry of the next user: the next greater uid after that of the last turn, or the
 * smallest uid if there is none. Returns NULL if the queue is empty.
 */
struct retired *retired_take(struct retired_queue *q);

/* Starts a detached thread. Returns 0 or a negative errno. */
int spawn_detached(void *(*main)(void *arg), void *arg);

/* ---- Waiting until a time of the monotonic clock; UINT64_MAX: no limit ---- */

void deadline_cond_init(pthread_cond_t *cond);
/* Returns false if that time has come. */
bool deadline_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t until_ns);

/* ---- The reaper ---- */

int reaper_create(struct reaper **out);
/*
 * Waits until everything is destroyed, at most until until_ns on the monotonic clock. Returns false
 * if something is left; the reaper's threads then continue.
 */
bool reaper_stop(struct reaper *r, uint64_t until_ns);
/* Call after reaper_stop(). */
void reaper_destroy(struct reaper *r);
/* Any thread. After reaper_stop() the caller's thread destroys them. */
void reaper_add(struct reaper *r, struct retired *retired);
/* Returns how many contexts wait or are being destroyed. Any thread. */
uint32_t reaper_pending(struct reaper *r);

#endif
