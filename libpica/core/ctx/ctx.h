/*
 * The part of a context that is the same for all chips: settings, memory, a queue, units of work,
 * statistics. A chip adds a const struct chip, and a struct that begins with struct pica_ctx.
 */
#ifndef CTX_CTX_H
#define CTX_CTX_H

#include "core/ctx/observe.h"
#include "core/pass/pass.h"
#include "core/queue/queue.h"
#include "core/sched/slice.h"
#include "core/space/space.h"
#include "core/vec/cpu.h"
#include "pica.h"

/* The job that the command thread works on. */
struct ctx_run {
	uint64_t seq;
	int result;
	uint32_t flags;      /* PICA_DONE_* */
	uint32_t interrupts; /* bit i: enum pica_interrupt i */
	void *const *attached; /* of a PRESENT: struct pica_shot for each screen, or NULL */
	struct slice slice;  /* ctx_tick() */
};

/* A chip's part in its contexts. Called on the command thread, unless noted. NULL: nothing. */
struct chip {
	enum pica_chip id;
	size_t ctx_bytes, ctx_align; /* of its struct */
	/*
	 * Maps its windows and makes the rest of a context, which is zero but for the base. Returns
	 * 0 or a negative errno, with nothing left but windows. The creator's thread.
	 */
	int (*init)(struct pica_ctx *ctx);
	/* Frees what init() and jobs allocated. The destroyer's thread. */
	void (*finish)(struct pica_ctx *ctx);
	/* Runs a job as far as the command thread does; ctx_run_job() knows those of all chips. */
	void (*run)(struct pica_ctx *ctx, const struct pica_job *job);
	/* As in struct queue_work. */
	void (*flush)(struct pica_ctx *ctx);
	/* Adds is_pending. Lock held. */
	void (*progress)(const struct pica_ctx *ctx, struct queue_progress *out);
	/* A unit is reaped: may set an error and PICA_DONE_* instead. */
	void (*unit_retired)(struct pica_ctx *ctx, uint64_t job, int *result, uint32_t *flags);
	/* As exec.evict. */
	void (*evict)(struct pica_ctx *ctx, const struct pica_memory *full);
	/* The windows change. The context is idle; its caller. */
	void (*windows_change)(struct pica_ctx *ctx);
	/* A WRITE with PICA_WRITE_KEEP_RENDERED: whether the range may be drawn by the renderer. */
	bool (*may_be_drawn)(const struct pica_ctx *ctx, struct range r);
	/* Adds its own. */
	void (*stats)(const struct pica_ctx *ctx, struct pica_stats *out);
};

/* All but the queue: command thread only (the caller when the context is idle). */
struct pica_ctx {
	const struct chip *chip;
	struct pica_device *device;
	struct pica_ctx_settings settings;
	struct queue queue;
	struct space space;
	struct exec exec;
	struct ctx_run run;
	struct observer *observer;   /* or NULL */
	struct unwritten *unwritten; /* pica_ctx_find_unwritten(); or NULL */
	bool is_watched;             /* its jobs wait for their work: pica_ctx_watch() */
	uint64_t frame;              /* PRESENTs so far */
	struct pica_stats stats;
	size_t fixed_bytes;          /* charged for as long as it lives */
};

enum { CHIPS = PICA_CHIP_VC4 + 1 };

struct pica_device {
	struct engine engine;
	struct dispatcher dispatcher;
	enum isa isa;
	const void *kernels[CHIPS]; /* of enum pica_chip */
	/* Of contexts that do not choose: */
	enum pica_float float_mode;
	enum pica_combiner combiner;
	uint64_t texture_cache_bytes;
	atomic_uint n_created; /* contexts so far */
	atomic_uint refs;      /* of its creator, contexts and recorders */
};

/* pica_device_destroy() gives it back. */
static inline struct pica_device *device_get(struct pica_device *dev) {
	atomic_fetch_add_explicit(&dev->refs, 1, memory_order_relaxed);
	return dev;
}

/* ---- Life (ctx.c) ---- */

/* Returns 0, -ENOMEM, or the error of chip.init(). The settings are valid. */
int ctx_create(struct pica_ctx **out, struct pica_device *dev, const struct chip *chip,
		const struct pica_ctx_settings *settings);
void ctx_destroy(struct pica_ctx *ctx);
/* Replaces each 0 by its default. */
void ctx_default_budgets(struct pica_budgets *b);

/* ---- Its part in its queue (work.c) ---- */

extern const struct queue_work ctx_work;
/* exec.retired, exec.park, exec.tick, exec.await_room, exec.evict */
void ctx_unit_retired(void *arg, uint64_t job, int result, enum pica_budget budget);
void ctx_park(void *arg);
void ctx_tick_owner(void *arg, uint64_t ticks); /* ctx_tick() */
bool ctx_await_room(void *arg);
void ctx_evict(void *arg, const struct pica_memory *full);
/* A unit is about to be opened for the running job. */
void ctx_unit_opened(struct pica_ctx *ctx);
void ctx_yield(struct pica_ctx *ctx);
/*
 * Counts work of the running job, a tick about a ns. After a slice the jobs of others get their
 * turn, and memory may change meanwhile as it may between two jobs: never call it while something
 * that was read from memory is to be read again.
 */
static inline void ctx_tick(struct pica_ctx *c, uint64_t ticks) {
	if (slice_over(&c->run.slice, ticks)) {
		ctx_yield(c);
	}
}
/* Lets everything that is queued run; returns when the context is idle. */
void ctx_idle(struct pica_ctx *ctx);
/* The numbers of pica_stats(); exact when nothing is in flight. */
void ctx_stats(const struct pica_ctx *ctx, struct pica_stats *out);

/* ---- Jobs of all chips (jobs.c) ---- */

/*
 * Runs WRITE, INVALIDATE, BARRIER, STATS, and of a PRESENT what all chips do. Any other job ends
 * with -EOPNOTSUPP.
 */
void ctx_run_job(struct pica_ctx *ctx, const struct pica_job *job);

/* ---- Budgets and faults (budget.c) ---- */

/* Counts a fault, and marks the running job. */
void ctx_fault(struct pica_ctx *ctx, enum pica_fault fault);
/* Logs that a job has used up a budget. */
void ctx_log_budget(struct pica_ctx *ctx, uint64_t job, enum pica_budget budget);
/* A budget is used up, or the work is abandoned: sets the job's result. Returns false. */
bool ctx_charge_fails(struct pica_ctx *ctx, uint64_t *left, enum pica_budget what);
/* The running job ends with -EDQUOT. */
void ctx_used_up(struct pica_ctx *ctx, enum pica_budget budget);
/*
 * Takes n from a budget of the running job. Returns false if it is used up: the job ends with
 * -EDQUOT.
 */
static inline bool ctx_charge(
		struct pica_ctx *c, uint64_t *left, uint64_t n, enum pica_budget what) {
	if (*left < n || exec_is_abandoned(&c->exec)) {
		return ctx_charge_fails(c, left, what);
	}
	*left -= n;
	return true;
}

/* An access to memory, for those who observe the context: see observe.h. */
static inline bool ctx_access(struct pica_ctx *c, struct range r, enum access why) {
	return (c->observer || c->unwritten) && observe_access(c, r, why);
}

#endif
