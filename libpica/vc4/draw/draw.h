/*
 * The vertex and fragment stages of the VideoCore IV, their state, and the tile tasks.
 *
 * Everything that these structures point to lives until the pass of their job ends.
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

/* Maximum of a record, in rows of a vertex program. Points and lines have additional varyings. */
enum { VC4_VARYINGS = 60, VC4_OWN_VARYINGS = 2 };

/* Passed to the stages as exec.kernels. */
struct vc4_kernels {
	struct qpu_kernels qpu;
};

/*
 * The first error of a job's tasks: the one whose record has the lowest address, in whatever order
 * the tasks run.
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

/* Reports that work for a primitive's record failed. error: a negative errno. Any thread. */
void vc4_report_error(struct vc4_report *r, uint32_t record, int error);

/* A program and its stream of uniforms. */
struct vc4_code {
	const struct qpu_program *program;
	uint32_t uniforms; /* bus address */
};

/* draw_state.vertex */
struct vc4_vertex_part {
	const struct vc4_state *state;
	struct vc4_code coordinate, vertex; /* of GL records */
	struct vc4_report *report;
	uint32_t record; /* address of the primitive's record */
	uint8_t mode;    /* VC4_MODE_* */
};

/* draw_state.frag */
struct vc4_frag_part {
	const struct vc4_state *state;
	struct vc4_code fragment;
	const struct space *space;
	struct vc4_report *report;
	uint32_t record;
	uint64_t task_steps; /* limit of instructions for the fragments of a tile task */
	struct vc4_watch *watch; /* NULL: nothing is watched */
	uint32_t number; /* of the draw within the frame */
	uint8_t mode;
};

extern const struct vertex_stage vc4_vertex_stage;
extern const struct frag_stage vc4_frag_stage;
/* Indexed by sample count: 1, 4. */
extern const struct raster_rule vc4_rule[2];

/* ---- Tiles ---- */

struct vc4_tiles {
	struct tile_program program; /* first */
	const struct vc4_frame *frame;
	uint8_t *const *host; /* memory of each of frame.ops; NULL: the op moves nothing */
	/* Task t has steps[first[t]] to steps[first[t + 1] - 1]. */
	const uint32_t *first, *steps;
	struct vc4_report *report; /* receives the steps of fragment programs */
	bool stores_nothing;       /* leaves memory unchanged */
	struct vc4_watch *watch;   /* NULL: nothing is watched */
};

/* Returns the image of which a transfer moves a part. The transfer is not a full one. */
struct vc4_image vc4_transfer_image(const struct vc4_transfer *t, const struct vc4_rendering *r);
/* Returns the memory that a transfer reads or writes; of a full one, that of one tile. */
struct range vc4_transfer_range(const struct vc4_transfer *t, const struct vc4_rendering *r);
/* Returns the bytes that a colour store would write for a pixel of the buffer. */
uint32_t vc4_stored_pixel(const struct vc4_transfer *t, const struct vc4_rendering *r,
		const struct tile_buffer *b, uint32_t px);

/*
 * Sorts the frame's runs into tasks that share no memory, and finds the memory of its transfers.
 * A frame that draws must have a binning mode. Allocates in the arena. Returns 0; on failure
 * -ENOMEM, or -ERANGE or -EOPNOTSUPP with *error set.
 */
int vc4_tiles_plan(struct vc4_tiles *tiles, const struct vc4_frame *frame,
		const struct space *space, struct arena *arena, struct vc4_error *error);
/* Adds the memory that the transfers read and write. */
void vc4_tiles_footprint(
		const struct vc4_tiles *tiles, struct footprint *reads, struct footprint *writes);

/* ---- Jobs ---- */

struct vc4_job {
	uint64_t job; /* of the exec */
	uint32_t start[2], end[2]; /* bus addresses: binning, rendering */
	struct vc4_limits limits;
	uint64_t pixels, steps;
	/* As in struct vc4_lists. */
	int (*tick)(void *arg, unsigned n);
	/* Called before a unit of the job is opened. */
	void (*unit_opened)(void *arg);
	/* Called before the open pass writes the range. */
	void (*writes)(void *arg, struct range r);
	void *arg;
};

/* State of one context. Initialized to zero. Command thread only. */
struct vc4_unit {
	struct vc4_stats stats; /* sums */
	/* Target of the last job with a rendering mode; before the first one, exists is false. */
	struct vc4_rendering target;
	/* First task error of the units reaped since this was set to 0. */
	struct vc4_error error;
	uint64_t steps; /* of fragment programs: sum over the reaped units */
	struct vc4_history *history; /* owned; NULL: nothing is watched */
	/*
	 * For tools. If it is on, later jobs execute only draws first to end - 1, and store nothing
	 * unless `stores`. Set it while the context is idle.
	 */
	struct vc4_part {
		bool is_on, stores;
		uint32_t first, end;
	} part;
};

/*
 * Runs the command thread's part of a job: reads its lists and starts a pass. No pass may be open.
 * Returns 0, or a negative errno with *error set. Errors of tasks come later: they are in
 * unit->error when the pass is reaped, before exec.retired() is called.
 */
int vc4_job_run(struct vc4_unit *unit, struct exec *x, const struct vc4_job *job,
		struct vc4_error *error);

#endif
