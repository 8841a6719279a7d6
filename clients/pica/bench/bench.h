/* Shared by the files of `pica bench`. */
#ifndef PICA_BENCH_H
#define PICA_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "clock.h"
#include "common/options.h"
#include "gpu.h"
#include "replay.h"

/* Options that were given. */
enum { BENCH_FRAMES = 1, BENCH_CONNECT = 2 };

struct bench_options {
	struct engine_options engine;
	struct frame_list frames;
	uint32_t repeat;
	unsigned given; /* BENCH_... */
	bool record, json;
	enum progress_mode progress;
	const char *where; /* of a service, NULL: the usual place */
	const char *name;  /* of the session there; NULL: the program's */
	uint32_t pid;      /* of the service, 0: not said */
	char **captures;
	unsigned n_captures;
};

/* Ascending. */
void bench_sort(uint64_t *samples, size_t n);

/* ---- measure.c ---- */

/* Measurements of frames drawn in this process. */

enum bench_stage { STAGE_COMMAND, STAGE_VERTEX, STAGE_TILE, STAGE_COPY, STAGE_COUNT };

struct bench_samples {
	uint64_t *wall_ns; /* ours: of each frame; ascending after bench_samples_sort() */
	size_t n, cap;
	uint64_t cpu_ns, total_ns;
	uint64_t fragments, triangles;
	uint64_t stage_ns[STAGE_COUNT];
};

/* Forgets the samples, and keeps the memory for new ones. */
void bench_samples_reset(struct bench_samples *s);
/* When all are there. */
void bench_samples_sort(struct bench_samples *s);
double bench_median_ms(const struct bench_samples *s);
double bench_cpu_ms(const struct bench_samples *s);

/* A capture that is measured. */
struct bench_capture {
	const struct bench_options *o;
	const char *path;
	char *name;
	struct pica_capture *capture;
	struct pica_ctx *ctx;
	uint32_t n_frames;
	struct replay replay; /* whose failed job is logged */
};

/*
 * Runs the capture once, from zeroed memory. samples NULL: warm-up. Returns 0, a negative errno, or
 * the result of the first failed job.
 */
int bench_start(const struct bench_capture *c, struct replay *replay);
int bench_frames(const struct bench_capture *c, struct replay *replay,
		struct bench_samples *samples);

/* A kind of measurement. */
struct bench_kind {
	/* Returns 0 or a negative errno; -ECANCELED: the error was logged. */
	int (*measure)(void *user, struct bench_capture *c);
	/* A line of the table; is_first: after its heading. */
	void (*print)(void *user, const struct bench_capture *c, bool is_first);
	/* The members of its row after path and name. */
	json_t *(*json)(void *user, const struct bench_capture *c);
};

/*
 * Measures all captures. Prints rows, or with a report adds "repeat", "captures" and "errors" to
 * it. Logs errors and returns an exit code.
 */
int bench_all(const struct bench_options *o, struct pica_device *device,
		const struct bench_kind *kind, void *user, json_t *report);

/* ---- record.c ---- */

/* pica bench --record; an exit code. */
int bench_recorded(const struct bench_options *o);

/* ---- service.c ---- */

/* pica bench --connect; an exit code. */
int bench_service(const struct bench_options *o);

/* ---- process.c ---- */

/* A service's process observed from outside: its processor time, and its system calls. */

struct bench_process;

struct bench_process_use {
	uint64_t cpu_ns, calls; /* of all its threads; calls since it was opened */
};

/*
 * Returns 0 or a negative errno (-ESRCH: no such process), after logging. The kernel counts system
 * calls without overhead (perf_event_open(2)); if it does not allow that, logs it and returns 0.
 */
int bench_process_open(struct bench_process **out, uint32_t pid);
/* NULL is allowed. */
void bench_process_close(struct bench_process *p);
/* Returns whether system calls are counted. NULL: false. */
bool bench_process_counts(const struct bench_process *p);
/* NULL: zeros. */
struct bench_process_use bench_process_look(const struct bench_process *p);

#endif
