/*
 * The VideoCore IV's vertex and fragment stage, their state, and the tasks of tiles.
 *
 * Everything that these structures point to lives until the pass of their job is over.
 */
#ifndef VC4_DRAW_H
#define VC4_DRAW_H

#include <stdatomic.h>

#include "core/pass/pass.h"
#include "vc4/list/list.h"
#include "vc4/run/run.h"
#include "vc4/tex/layout.h"

struct vc4_history;
struct vc4_watch;

/* The maximum of a record: rows of a vertex program. Points and lines have additional ones. */
enum { VC4_VARYINGS = 60, VC4_OWN_VARYINGS = 2 };

/* Passed to the stages as exec.kernels. */
struct vc4_kernels {
	struct qpu_kernels qpu;
};

/*
 * The first error of a job's tasks: of those that occur, the one whose record has the least
 * address, whatever the order in which tasks run.
 */
struct vc4_report {
	atomic_uint_fast64_t first; /* address of a record << 32 | errno; UINT64_MAX: none */
	atomic_uint_fast64_t steps; /* instructions of fragment programs, of 16 lanes each */
};

static inline void vc4_report_init(struct vc4_report *r) {
	atomic_init(&r->first, UINT64_MAX);
	atomic_init(&r->steps, 0);
}

static inline void vc4_report_steps(struct vc4_report *r, uint64_t steps) {
	atomic_fetch_add_explicit(&r->steps, steps, memory_order_relaxed);
}

/* Reports that work of a primitive's record failed. error: a negative errno. Any thread. */
void vc4_report_error(struct vc4_report *r, uint32_t record, int error);

/* A program with its stream of uniforms. */
struct vc4_code {
	const struct qpu_program *program;
	uint32_t uniforms; /* bus address */
};

/* draw_state.vertex */
struct vc4_vertex_part {
	const struct vc4_state *state;
	struct vc4_code coordinate, vertex; /* of GL records */
	struct vc4_report *report;
	uint32_t record; /* address of the primitive's */
	uint8_t mode;    /* VC4_MODE_* */
};

/* draw_state.frag */
struct vc4_frag_part {
	const struct vc4_state *state;
	struct vc4_code fragment;
	const struct space *space;
	struct vc4_report *report;
	uint32_t record;
	uint64_t task_steps; /* instructions that the fragments of a tile task may execute */
	struct vc4_watch *watch; /* NULL: nothing is watched */
	uint32_t number; /* of the draw in the frame */
	uint8_t mode;
};

extern const struct vertex_stage vc4_vertex_stage;
extern const struct frag_stage vc4_frag_stage;
/* By samples: 1, 4. */
extern const struct raster_rule vc4_rule[2];

/* ---- Tiles ---- */

struct vc4_tiles {
	struct tile_program program; /* first */
	const struct vc4_frame *frame;
	uint8_t *const *host; /* of the memory of frame.ops; NULL: it moves nothing */
	/* Of task t: steps[first[t]] to steps[first[t + 1] - 1]. */
	const uint32_t *first, *steps;
	struct vc4_report *report; /* receives the steps of fragments */
	bool stores_nothing;       /* memory stays as it is */
	struct vc4_watch *watch;   /* NULL: nothing is watched */
};

/* The image that a transfer which is not a full one moves a part of. */
struct vc4_image vc4_transfer_image(const struct vc4_transfer *t, const struct vc4_rendering *r);
/* Returns the bytes that a store of colours would write for a pixel of the buffer. */
uint32_t vc4_stored_pixel(const struct vc4_transfer *t, const struct vc4_rendering *r,
		const struct tile_buffer *b, uint32_t px);

/*
 * Sorts the runs of the frame, which has a binning mode if it draws, into tasks that share no
 * memory, and finds the memory of its transfers. Allocates in the arena. Returns 0, -ENOMEM, or,
 * with *error set, -ERANGE or -EOPNOTSUPP.
 */
int vc4_tiles_plan(struct vc4_tiles *tiles, const struct vc4_frame *frame,
		const struct space *space, struct arena *arena, struct vc4_error *error);
/* Adds what the transfers read and write. */
void vc4_tiles_footprint(
		const struct vc4_tiles *tiles, struct footprint *reads, struct footprint *writes);

/* ---- Jobs ---- */

struct vc4_job {
	uint64_t job; /* of the exec */
	uint32_t start[2], end[2]; /* bus addresses: binning, rendering */
	struct vc4_limits limits;
	uint64_t pixels, steps;
	/* As struct vc4_lists has them. */
	int (*tick)(void *arg, unsigned n);
	/* Called before a unit of the job is opened. */
	void (*unit_opened)(void *arg);
	/* Called before the open pass writes the range. */
	void (*writes)(void *arg, struct range r);
	void *arg;
};

/* Of one context. Zeroed at first. Command thread only. */
struct vc4_unit {
	struct vc4_stats stats; /* sums */
	/* The target of the last job that had a rendering mode; exists is false until then. */
	struct vc4_rendering target;
	/* The first error of the tasks of the units that were reaped since it was set to 0. */
	struct vc4_error error;
	uint64_t steps; /* of fragment programs: sum of the units that were reaped */
	struct vc4_history *history; /* owned; NULL: nothing is watched */
	/*
	 * For tools. Not 0: later jobs draw only this draw, counted from 1, and store nothing. Set
	 * while the context is idle.
	 */
	uint32_t only_draw;
};

/*
 * Runs the command thread's part of a job: reads its lists, and starts a pass. No pass may be open.
 * Returns 0, or a negative errno with *error set. Errors of tasks come later: when the pass is
 * reaped, unit->error holds them before exec.retired() is called.
 */
int vc4_job_run(struct vc4_unit *unit, struct exec *x, const struct vc4_job *job,
		struct vc4_error *error);

#endif
