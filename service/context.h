/*
 * A context of a session, and the path of its jobs to the engine and back. Private to the service.
 *
 * A ring of slots holds every job from the time it is taken from the client until it is answered:
 *
 *     head ... started, in order ... next ... queued ... tail
 *
 * A started slot is in the engine, waits for the display, or has its result. Slots at the head that
 * have their results are answered. WAIT and control requests stop `next` until they are done.
 */
#ifndef SERVICE_CONTEXT_H
#define SERVICE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "pica.h"
#include "pica_hello.h"
#include "service/loop.h"

struct present_frame;
struct recording;
struct region;
struct request;
struct session;

/* Maximum jobs of a context in the engine; later ones can still be cancelled. */
enum { ENGINE_DEPTH = 128 };

enum slot_state {
	SLOT_QUEUED,
	SLOT_ENGINE,
	SLOT_FLIP,   /* drawn; the display has it */
	SLOT_SIGNAL, /* its timeline changes when everything before it is answered */
	SLOT_DONE,   /* result and flags are known */
	SLOT_EMPTY,  /* needs no answer: cancelled, or a request that has run */
};

struct slot {
	struct request *request; /* instead of a job; NULL: a job */
	uint64_t arrived_ns;
	struct region *memory;       /* counted: the engine uses its bytes */
	struct present_frame *frame; /* of a PRESENT in the engine; else NULL */
	int32_t result;
	uint32_t flags;
	uint8_t state;
	bool is_present; /* counted in session.presents */
	bool is_fenced;  /* the engine's next completion is that of a fence */
};

struct context {
	struct context *next_context; /* session.contexts */
	struct session *session;
	uint32_t handle;
	uint32_t chip; /* enum pica_chip */
	uint32_t timeline_slot; /* in the ring's timelines */
	struct pica_ctx *ctx;
	struct loop_watch *done_watch;

	struct pica_job *jobs; /* [capacity], a power of two: private copies, checked */
	struct slot *slots;    /* of the job with the same index */
	uint32_t head, next, tail, capacity; /* free-running indices */
	uint32_t n_batch;     /* slots before next that go to the engine with the next call */
	uint32_t next_engine; /* no slot before it is in the engine */
	uint32_t last_engine; /* the last one that went there */
	uint32_t engine_jobs; /* in the engine, fences and the batch included */
	uint64_t engine_done; /* jobs that came out of the engine */
	bool is_fence_next;   /* a fence is the next to come out of the engine */
	bool may_draw_on;     /* after REG_WRITE: draws may wait in the engine for more */
	bool has_done;        /* the engine has completions to collect */

	/* For job-seconds: number of the oldest job in the engine, and the time at which it became
	 * so. */
	struct loop_timer job_timer;
	bool is_job_watched;
	uint64_t watched_job, watched_at_ns, watched_cpu_ns;
	struct region *windows; /* the charge of its own memory, counted in the session's */

	uint64_t timeline, completed;
	/* A WAIT at `next` that is not satisfied yet. */
	bool is_waiting;
	struct loop_timer wait_timer;
	struct recording *recording; /* record.h; NULL: none */
};

/* ---- context.c ---- */
int context_create(
		struct context **out, struct session *s, const struct pica_msg_context_create *m);
/*
 * Takes the context out of its session; the reaper destroys its engine part. Jobs are answered with
 * -ECANCELED.
 */
void context_destroy(struct context *c);
/* Ensures that there is a slot at tail. Returns 0 or -ENOMEM. */
int context_reserve(struct context *c);
/* Queues the slot at tail and returns it. */
struct slot *context_push(struct context *c);
/*
 * Queues a request after everything already taken, and takes ownership. On failure returns -ENOMEM,
 * and the caller keeps the request.
 */
int context_add_request(struct context *c, struct request *r);
/* Returns whether nothing that the client submitted is queued or in flight. */
bool context_is_idle(const struct context *c);
/* Returns whether everything started has ended, and no fence is in the engine. */
bool context_has_finished(const struct context *c);
/* Returns whether the context is idle and has finished. */
bool context_is_settled(const struct context *c);

static inline struct slot *context_slot(const struct context *c, uint32_t at) {
	return &c->slots[at & (c->capacity - 1)];
}

static inline struct pica_job *context_job(const struct context *c, uint32_t at) {
	return &c->jobs[at & (c->capacity - 1)];
}

/* ---- submit.c ---- */
/* Takes the completions of the engine. */
void context_collect(struct context *c);
/* Starts the jobs that can start, and answers those that are finished. */
void context_advance(struct context *c);
/* Answers a job out of order: one that has no slot, or whose slot becomes empty. */
void context_answer(struct context *c, const struct pica_job *job, int32_t result, uint32_t flags);
/* Ends queued jobs with this user_data. Returns how many. */
int32_t context_cancel(struct context *c, uint64_t user_data);
/*
 * Call when the PRESENT of a slot was shown or replaced. Stores its user_data. Returns false if the
 * slot no longer exists.
 */
bool context_flipped(struct context *c, uint32_t slot, uint64_t *user_data);

/* ---- usage.c ---- */
/* Adds the context's usage to the session's and the service's. Call before it is destroyed. */
void context_usage_ends(const struct context *c);
/* Call when a job goes to the engine. A job that takes too long ends the session. */
void context_watch_job(struct context *c);

#endif
