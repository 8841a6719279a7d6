/* Shared by the files of `pica bench`. */
#ifndef PICA_BENCH_H
#define PICA_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

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

static inline uint64_t bench_clock_ns(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Ascending. */
void bench_sort(uint64_t *samples, size_t n);
/* Says which job of a capture failed, and why; an exit code. */
int bench_job_failed(const char *path, const struct replay *replay);

/* ---- record.c ---- */

/* pica bench --record; an exit code. */
int bench_recorded(const struct bench_options *o);

/* ---- service.c ---- */

/* pica bench --connect; an exit code. */
int bench_service(const struct bench_options *o);

/* ---- process.c ---- */

/* A service's process as seen from outside: its processor time, and its system calls. */

struct bench_process;

struct bench_process_use {
	uint64_t cpu_ns, calls; /* of all its threads; calls since it was opened */
};

/*
 * -ESRCH, ...: no such process, which is logged. The kernel counts system calls
 * (perf_event_open(2)), which slows nothing down; if it does not allow that, logs it and returns 0.
 */
int bench_process_open(struct bench_process **out, uint32_t pid);
/* NULL is allowed. */
void bench_process_close(struct bench_process *p);
/* Whether system calls are counted. NULL: they are not. */
bool bench_process_counts(const struct bench_process *p);
/* NULL: zeros. */
struct bench_process_use bench_process_look(const struct bench_process *p);

#endif
