/* Clocks in nanoseconds, of everything except libpica. */
#ifndef PROTO_CLOCK_H
#define PROTO_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Monotonic time, for intervals. */
static inline uint64_t now_ns(void) {
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
