/* Captures of the VideoCore IV: `pica info`, `pica dump`, and reading their lists for all verbs. */
#ifndef PICA_VIDEOCORE_H
#define PICA_VIDEOCORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "common/options.h"
#include "core/base/arena.h"
#include "core/space/space.h"
#include "pica_history.h"
#include "replay.h"
#include "vc4/list/list.h"

struct dump_options;
struct frame_list;
struct shader_trace_options;

/* ---- walk.c ---- */

/* A job, before it runs. */
struct videocore_job {
	uint32_t frame, number; /* from 0; the number counts in the frame */
	uint32_t event;         /* among all jobs of the frame, from 0 */
	uint64_t offset;        /* of the event in the file */
	const struct pica_job_control_lists *lists;
	const struct space *space;
	struct vc4_frame read;  /* for unreadable lists only the statistics are valid */
	struct vc4_error error; /* error.error is 0: they can */
};

/* Any of these may be NULL. */
struct videocore_visitor {
	/* Before its records are read. */
	void (*begin)(void *user, const struct videocore_job *job);
	void (*record)(void *user, const struct vc4_step *step);
	/* All records are read. */
	void (*end)(void *user, const struct videocore_job *job);
};

/* A replay that reads the lists of each job, like the engine, before the job runs. */
struct videocore_walk {
	struct replay replay;
	const struct videocore_visitor *visitor; /* borrowed */
	void *user;
	bool is_looking;
	uint32_t n_events;
	struct vc4_limits limits;
	struct arena arena;
	struct videocore_job job;
};

/* Like replay_start(). videocore_finish() may be called in any case. */
int videocore_start(struct videocore_walk *w, const struct capture_here *c, uint32_t frame,
		const struct videocore_visitor *visitor, void *user);
/*
 * Draws the next frame, and waits for it. looks: the visitor is called. Returns as replay_frame().
 */
int videocore_frame(struct videocore_walk *w, bool looks);
void videocore_finish(struct videocore_walk *w);

/* Costs of a draw. */
struct videocore_costs {
	uint64_t vertices, triangles, fragments; /* triangles: drawn ones, including pieces of
	 * clipped ones */
	uint64_t completed; /* vertices of triangles in tiles, for which the vertex program runs */
	uint64_t steps; /* instructions of its fragment program, of 16 lanes each */
};
/*
 * Within a visitor's call: draws one draw of the job alone, without stores. Counts do not depend on
 * other draws; costs->vertices is unchanged. Returns 0 or a negative errno.
 */
int videocore_run_alone(struct pica_ctx *ctx, const struct videocore_job *job, uint32_t draw,
		struct videocore_costs *costs);
/*
 * Within a visitor's call: runs the job up to draw `end`, without this one, and calls see(). Then
 * memory is again as it was. Returns 0, a negative errno, or what see() returns.
 */
typedef int videocore_see_fn(void *user);
int videocore_run_until(struct pica_ctx *ctx, const struct videocore_job *job, uint32_t end,
		videocore_see_fn *see, void *user);

/* Returns whether the picture lies in memory and has pixels: then they fit in 1 GiB of RGBA8. */
bool videocore_has_picture(const struct pica_ctx *ctx, const struct pica_picture *picture);
/* Decodes the picture, row by row from the top. Returns 0 or -ERANGE. */
int videocore_read_picture(
		struct pica_ctx *ctx, const struct pica_picture *picture, uint8_t *rgba);

/* ---- step.c ---- */

/* An instruction as one lane executed it. */
void videocore_print_step(const struct pica_qpu_step *s);
json_t *videocore_step_json(const struct pica_qpu_step *s);

/* ---- The verbs ---- */

/* Return an exit code, after logging errors. */

/* reports: of several captures, or NULL. */
int videocore_info(const struct capture_here *c, bool json, json_t *reports);

/* Takes ownership of the row. Returns 0 or a negative errno. */
typedef int videocore_row_fn(void *user, json_t *row, const struct videocore_costs *costs);
/* Returns the row of draw i of the job, which is the n-th of the frame. */
json_t *videocore_draw_row(const struct videocore_job *job, uint32_t i, uint32_t n,
		const struct videocore_costs *costs);
/* Calls fn for each draw of the frames. */
int videocore_draws(const struct capture_here *c, const struct frame_list *frames,
		videocore_row_fn *fn, void *user);
typedef const json_t *videocore_row_at(const void *user, size_t i);
/* Prints n rows, with their heading. */
void videocore_print_draws(size_t n, videocore_row_at *at, const void *user);

/* Prints the steps of a vertex of a draw; or, unless out is NULL, stores the report of --json. */
int videocore_trace(
		const struct shader_trace_options *o, const struct capture_here *c, json_t **out);

/* Disassembles up to the slots after the end, or after the last branch target. */
void videocore_print_program(const struct space *space, uint32_t addr, FILE *out);
/* reports: as of videocore_info() */
int videocore_dump(
		const struct dump_options *o, const struct capture_here *c, json_t *reports);

#endif
