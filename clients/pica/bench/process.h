/* A service's process as seen from outside: its processor time, and its system calls. */
#ifndef PICA_BENCH_PROCESS_H
#define PICA_BENCH_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

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
