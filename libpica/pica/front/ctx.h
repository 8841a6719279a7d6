/* The inside of a context and of a device, private to the front room and the rooms above it. */
#ifndef FRONT_CTX_H
#define FRONT_CTX_H

#include "core/queue/queue.h"
#include "pica/front/count.h"
#include "pica/front/list.h"
#include "pica/front/observe.h"
#include "pica/front/parts.h"
#include "pica/front/vertex.h"
#include "pica/regs/regfile.h"

/* The counts of registers 05A-05C. */
struct raster_counts {
	uint64_t vertices, triangles, displayed;
};

/* All but the queue: command thread only (the caller when the context is idle). */
struct pica_ctx {
	struct pica_device *device;
	struct pica_ctx_settings settings;
	struct queue queue;

	struct space space;
	struct kernels kernels; /* with the context's combiner */
	struct exec exec;
	struct tex_cache textures;
	struct frag_cache *plans;
	struct regfile regs;
	uint32_t external[PICA_EXTERNAL_WORDS];
	uint32_t lcd[PICA_LCD_WORDS];
	struct shader_unit vs, gs;
	struct frag_luts luts; /* tables that are written through ports */
	uint32_t light_written; /* bit t: lighting table t was uploaded, or reported */
	uint32_t fixed_raw[16][4];
	float fixed[16][4];
	uint32_t fixed_unwritten; /* bit i: fixed attribute i was never written */
	uint32_t attr_fifo[3];
	unsigned n_attr_fifo;
	uint32_t attr_index; /* 0-14, or 15: immediate mode */
	struct assembler assembler;
	struct left_over left;
	struct geometry geometry;
	struct immediate immediate;
	struct parts parts;
	struct job_run run;
	struct observer *observer; /* or NULL */
	struct unwritten *unwritten; /* pica_ctx_find_unwritten(); or NULL */
	uint64_t frame; /* PRESENTs so far */
	struct pica_stats stats;
	bool counting;          /* pica_ctx_count() */
	struct counted *counted;
	unsigned n_counted;
	uint32_t reported; /* features whose use was logged */
	uint64_t assembled; /* vertices that reached the primitive assembler */
	struct raster_counts counted_before; /* as far as registers 05A-05C know */
	bool gas_pending; /* passes that add gas may be in flight, or one is open */
	uint32_t *indices; /* of the running draw */
	uint32_t cap_indices;
	struct shader_batch batch; /* vertices that the command thread shades */
};

struct pica_device {
	struct engine engine;
	struct kernels kernels;
	/* Of contexts that do not choose: */
	enum pica_float float_mode;
	enum pica_combiner combiner;
	uint64_t texture_cache_bytes;
	struct dispatcher dispatcher;
	atomic_uint n_created; /* contexts so far */
	atomic_uint refs;      /* of its creator, contexts and recorders */
};

/* pica_device_destroy() gives it back. */
static inline struct pica_device *device_get(struct pica_device *dev) {
	atomic_fetch_add_explicit(&dev->refs, 1, memory_order_relaxed);
	return dev;
}

/* An access to memory, for those who observe the context: see observe.h. */
static inline bool front_access(struct pica_ctx *c, struct range r, enum access why) {
	return (c->observer || c->unwritten) && observe_access(c, r, why);
}

/*
 * Takes n from a budget of the running job. Returns false if it is used up: the job ends with
 * -EDQUOT.
 */
static inline bool front_charge(
		struct pica_ctx *c, uint64_t *left, uint64_t n, enum pica_budget what) {
	if (*left < n || exec_is_abandoned(&c->exec)) {
		return front_charge_fails(c, left, what);
	}
	*left -= n;
	return true;
}

/* ---- work.c: a context's part in its queue ---- */
extern const struct queue_work front_work;
/* exec.retired */
void front_unit_retired(void *arg, uint64_t job, int result, enum pica_budget budget);
/* exec.park */
void front_park(void *arg);
/* exec.await_room */
bool front_await_room(void *arg);
/* The context is idle, and this its caller. */
void front_clear_textures(struct pica_ctx *ctx);
/* exec.evict */
void front_evict(void *arg, const struct pica_memory *full);
void front_yield(struct pica_ctx *ctx);
/* A unit is about to be opened for the running job. */
void front_unit_opened(struct pica_ctx *ctx);
/*
 * Counts work of the running job, a tick about a ns. After a slice the jobs of others get their
 * turn, and memory may change meanwhile as it may between two jobs: never call it while something
 * that was read from memory is to be read again.
 */
static inline void front_tick(struct pica_ctx *c, uint64_t ticks) {
	if (slice_over(&c->run.slice, ticks)) {
		front_yield(c);
	}
}
/* Lets everything that is queued run; returns when the context is idle. */
void front_idle(struct pica_ctx *ctx);
/* The numbers of pica_stats(); exact when nothing is in flight. */
void front_stats(const struct pica_ctx *ctx, struct pica_stats *out);

/* ---- jobs.c ---- */
/* Runs one job as far as the command thread does; result and flags in ctx->run. */
void job_run(struct pica_ctx *ctx, const struct pica_job *job);

/* Returns the bytes of immediate.vertices. */
size_t front_immediate_bytes(const struct pica_ctx *ctx);

/* Returns the register at a physical address, external, internal or the LCD's, or NULL. */
uint32_t *front_register(struct pica_ctx *ctx, uint32_t addr);

/* ---- present.c ---- */
/* The running PRESENT fills its shots. No pass is open. */
void front_present(struct pica_ctx *ctx);

/* ---- state.c; the context is idle ---- */
void state_load(struct pica_ctx *ctx, const struct pica_state *state);
void state_save(struct pica_ctx *ctx, struct pica_state *state);

/* ---- status.c ---- */
/*
 * Brings registers 032, 033, 05A-05C up to date. Nothing is in flight, and no pass is open.
 */
void status_settle(struct pica_ctx *ctx);

#endif
