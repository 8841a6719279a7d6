/*
 * The engine of pica inspect: an open capture, and contexts at a step of it. The calls (calls.c,
 * views.c) use it; rpc.c receives them as JSON-RPC, serve.c over HTTP.
 */
#ifndef PICA_INSPECT_ENGINE_H
#define PICA_INSPECT_ENGINE_H

#include "dump/dump.h"
#include "inspect/checkpoint.h"
#include "inspect/inspect.h"

/* A moment of a capture. */
struct inspect_place {
	uint32_t frame; /* FRAME_LAST: the last one */
	uint32_t step; /* of the frame, numbered as in `steps`; INSPECT_NONE: its end */
	uint32_t draw; /* the same by number of the draw, or INSPECT_NONE */
	bool is_before; /* the step: as it finds the GPU */
	/*
	 * Counts fragments from the beginning of the frame, or of the step. COST: of the frame, but
	 * fragments without effect are left out.
	 */
	enum {
		INSPECT_COUNT_NOTHING,
		INSPECT_COUNT_FRAME,
		INSPECT_COUNT_STEP,
		INSPECT_COUNT_COST,
	} counts;
	bool keeps_geometry; /* triangles of the step's geometry shader */
};

#define INSPECT_NONE UINT32_MAX

struct inspect_engine {
	const char *path; /* borrowed */
	struct engine_options options;
	struct inspect_engine *other; /* the second of two captures; borrowed, or NULL */
	struct capture_here here; /* at `place`, if is_there */
	struct capture_here pixels; /* for histories of pixels and traces of vertices */
	struct inspect_place place;
	bool is_there;
	struct checkpoints checkpoints; /* of here.ctx, with the edits */
	/* If that step is a draw: */
	bool is_draw;
	struct snapshot *snapshot; /* state at the start of the draw; owned */
	struct dump_immediate immediate;
	/* The steps of a frame, if has_steps. */
	struct inspect steps;
	uint32_t steps_frame;
	bool has_steps;
	json_t *findings; /* of lint, or NULL: not computed yet; owned */
	/* Made by each replay, and described: [{frame, draw, text}]; edit[].number: its row. */
	struct edits edits;
	json_t *edit_rows; /* owned */
};

/* Opens the capture. Returns an exit code, after logging. Call inspect_engine_close() in any
 * case. */
int inspect_engine_open(
		struct inspect_engine *e, const char *path, const struct engine_options *options);
void inspect_engine_close(struct inspect_engine *e);
/* Call it after a change of e->edits: the next call draws again. */
void inspect_engine_edited(struct inspect_engine *e);
/* Resolves FRAME_LAST. Returns an exit code; logs if there is no such frame. */
int inspect_engine_frame(const struct inspect_engine *e, uint32_t *frame);
/* Moves e->here to a place. Returns an exit code, after logging, also if there is no such step. */
int inspect_engine_go(struct inspect_engine *e, const struct inspect_place *place);
/*
 * For a capture of a VideoCore IV: calls use() while e->here.ctx is at a place. Returns an exit
 * code, after logging, also if there is no such step.
 */
typedef void inspect_see_fn(void *user, struct pica_ctx *ctx);
int inspect_engine_see(struct inspect_engine *e, const struct inspect_place *place,
		inspect_see_fn *use, void *user);
/*
 * Draws a frame and calls each() after each step, with its number; nonzero ends it. Invalidates
 * e->here. Returns an exit code, after logging.
 */
typedef int inspect_step_fn(void *user, uint32_t step);
int inspect_engine_each(
		struct inspect_engine *e, uint32_t frame, inspect_step_fn *each, void *user);
/* Gathers the steps of a frame into e->steps. Returns an exit code, after logging. */
int inspect_engine_steps(struct inspect_engine *e, uint32_t frame);
/* Appends a row for each frame from first on, at most count. Returns an exit code, after logging.
 */
int inspect_engine_frames(struct inspect_engine *e, uint32_t first, uint32_t count, json_t *rows);
/* Returns the findings of lint, borrowed, or NULL after logging. */
json_t *inspect_engine_findings(struct inspect_engine *e);

/* ---- rpc.c ---- */

enum { INSPECT_REQUEST_BYTES = 8 << 20 };

/* Answers a JSON-RPC request of n bytes. Returns text (caller frees); NULL when out of memory. */
char *inspect_answer(struct inspect_engine *e, const char *request, size_t n);
/* Answers lines of the standard input on the standard output. Returns an exit code. */
int inspect_stdio(struct inspect_engine *e);

/* ---- serve.c ---- */

/* Serves the page and the calls at 127.0.0.1 until a signal ends it. Returns an exit code. */
int inspect_serve(struct inspect_engine *e, uint32_t port);

#endif
