/*
 * pica inspect: frames of a capture as one page. gather.c replays them draw by draw; page.c writes
 * the collected data after the page's program (inspect/page/); see docs/inspect.md.
 */
#ifndef PICA_INSPECT_PAGE_H
#define PICA_INSPECT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "common/engines.h"
#include "common/options.h"
#include "common/snapshot.h"
#include "pica_history.h"
#include "pica_inspect.h"
#include "step.h"

struct inspect_options {
	struct engine_options engine;
	struct frame_list frames;
	const char *out;
	enum progress_mode progress;
};

/* Planes of pixels; offsets into it are numbers in the JSON. */
struct inspect_blob {
	uint8_t *bytes; /* owned */
	size_t n, cap;
};

enum { INSPECT_SURFACES = 32, INSPECT_BLOB_BYTES = 1 << 28 };

/* A colour buffer that draws of these frames write, shown upright. */
struct inspect_surface {
	struct pica_target target;
	struct pica_picture picture; /* of a VideoCore IV; width 0: none */
	uint32_t width, height;
	uint32_t px_bytes, n; /* number of pixels in memory, in whole blocks */
	uint32_t *place;      /* owned: pixel in memory -> in the picture */
	uint8_t *rgba, *last; /* owned: its pictures, now and before the step */
	bool is_changed;      /* by a step of the page */
};

/* A load of memory, and its place in the capture. */
struct inspect_load {
	uint32_t addr, size, event;
	uint64_t offset;
};

struct inspect {
	struct pica_ctx *ctx; /* borrowed */
	struct step step;
	const struct engine_options *engine; /* borrowed: of the page; NULL: it has none */
	bool has_planes;      /* of pixels; else changes only name surfaces */
	bool is_looking;      /* in the second replay, which knows the surfaces */
	struct inspect_surface surface[INSPECT_SURFACES];
	unsigned n_surfaces, n_left_out;
	struct engines engines;

	struct inspect_blob blob;
	json_t *surfaces, *steps, *frames, *registers, *words, *programs; /* owned */
	int error;

	/* The running job, if it writes memory; its step is added after it. */
	struct pica_job job;
	bool is_pending;
	uint64_t offset;
	uint32_t job_step, job_event; /* its number, and its job's */
	uint32_t n_steps, n_events;   /* those of the frame that have started */

	/* For state.c: registers at the last draw, and the words that set them. */
	struct snapshot *now, *before; /* owned */
	bool has_before;
	uint32_t word_addr[PICA_REG_COUNT]; /* 0: not a list's */
	size_t word_load[PICA_REG_COUNT];   /* 1 + the load that the word came from; 0: unknown */
	struct inspect_load *loads; /* owned: of the second replay, in order */
	size_t n_loads, cap_loads;
	bool is_written[PICA_REG_COUNT];
	struct pica_costs costs;       /* before the running draw; with an engine */
	json_t *draw;                  /* the step of the running draw; owned */
};

/* ---- surface.c ---- */

/* Memory written by a step: lines of `line` bytes, `stride` apart, `size` in all. */
struct inspect_range {
	uint32_t addr, size, line, stride;
};

/* Records the target of a draw. Returns its index, or -1 if it cannot be shown. */
int inspect_surface_add(struct inspect *g, const struct pica_target *t);
/* The same for the target of a job of a VideoCore IV. */
int inspect_picture_add(struct inspect *g, const struct pica_picture *p);
/* Reads the pictures before the first step. */
int inspect_surfaces_begin(struct inspect *g);
/*
 * Returns the changes by a step, [{surface, rect, at}]. For a draw, drawn is its surface, or -1,
 * and counts are its fragments; otherwise counts is NULL, and range is the written memory.
 */
json_t *inspect_changes(struct inspect *g, int drawn, const struct pica_count *counts,
		const struct inspect_range *range);
/* Returns the current screens, and the origins of their pixels. */
json_t *inspect_screens(struct inspect *g);
/* The same for the picture of a VideoCore IV, which is a surface. */
json_t *inspect_pictures(struct inspect *g);
void inspect_surfaces_finish(struct inspect *g);

/* Returns the offset of n new bytes, or a negative errno. */
int64_t inspect_blob_room(struct inspect_blob *b, size_t n);

/* ---- state.c ---- */

/* Returns the number of a program's text in g->programs. */
int inspect_program(struct inspect *g, const char *text);
/* Adds registers, uniforms and programs of the context's current draw. */
int inspect_state(struct inspect *g, const struct step_draw *draw, json_t *step);

/* ---- videocore.c ---- */

/* inspect_gather() of a capture of the VideoCore IV. */
int inspect_videocore(struct inspect *g, struct capture_here *c, const struct frame_list *frames);

/* ---- gather.c, page.c ---- */

/*
 * Returns whether a job is a step, since it writes memory. *out is the job, or the one that its
 * register write starts. The steps of a frame, numbered from 0, are these jobs and the draws.
 */
bool inspect_is_step(struct engines *engines, const struct pica_job *job, struct pica_job *out);
/* Reads the current registers of the copy engines. Returns 0 or a negative errno. */
int inspect_engines_begin(struct engines *engines, struct pica_ctx *ctx);
/* engine: see struct inspect. Returns 0 or a negative errno. Call inspect_finish() in any case. */
int inspect_gather(struct inspect *g, struct capture_here *c, const struct frame_list *frames,
		const struct engine_options *engine);
void inspect_finish(struct inspect *g);
/* Prints the page; findings NULL: the page requests them. Returns 0 or a negative errno. */
int inspect_page_print(struct inspect *g, const struct capture_here *c, json_t *findings, FILE *f);
/* Prints the page that compares two captures of these names. Returns 0 or a negative errno. */
int inspect_page_print_two(const char *a, const char *b, FILE *f);
/* The same as inspect_page_print() into a file. */
int inspect_page_write(struct inspect *g, const struct capture_here *c, json_t *findings,
		const char *path);

#endif
