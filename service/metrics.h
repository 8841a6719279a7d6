/* Metrics of the service, as text in Prometheus format. Loop's thread only. */
#ifndef SERVICE_METRICS_H
#define SERVICE_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "pica.h"
#include "pica_job.h"

struct server;

/* Classes of results and reasons; errors without a class of their own are OTHER. */
enum metrics_class {
	METRICS_OK,
	METRICS_INVALID,
	METRICS_PROTOCOL,
	METRICS_QUOTA,
	METRICS_CANCELED,
	METRICS_TIMEOUT,
	METRICS_MEMORY,
	METRICS_UNSUPPORTED,
	METRICS_DENIED,
	METRICS_BUSY,
	METRICS_SHUTDOWN,
	METRICS_NOT_READING,
	METRICS_OTHER,
	METRICS_CLASSES
};

enum { METRICS_BUCKETS = 16 };

/* Sums since the service began. */
struct metrics {
	uint64_t jobs[PICA_OP_COUNT + 1][METRICS_CLASSES]; /* [PICA_OP_COUNT]: unknown operations */
	/* last entry: beyond all buckets */
	uint64_t latency[METRICS_BUCKETS + 1];
	uint64_t latency_ns;
	uint64_t opened;                   /* sessions that got WELCOME */
	/* connections that were accepted; OK: the client closed */
	uint64_t ended[METRICS_CLASSES];
	uint64_t refused[METRICS_CLASSES]; /* before their HELLO was read */
	uint64_t throttled;                /* sessions that had to wait for processor time */
	struct pica_usage gone;            /* by destroyed contexts */
};

enum { LATENCIES_MAX = 1024 };

/* The last latencies, in microseconds. */
struct latencies {
	uint32_t *us; /* n_max of them, at most LATENCIES_MAX */
	uint32_t n_max;
	uint64_t n; /* so far */
};

/* error: 0 or more, or a negative errno; -ENOBUFS of a connection: it did not read its answers. */
void metrics_job(struct metrics *m, unsigned op, int error);
void metrics_latency(struct metrics *m, uint64_t ns);
/* Any thread, with the owner's lock. Percentiles are left alone if there are no latencies. */
void latencies_add(struct latencies *l, uint64_t ns);
void latencies_percentiles(const struct latencies *l, uint32_t *p50_us, uint32_t *p99_us);
void metrics_ended(struct metrics *m, int error);
void metrics_refused(struct metrics *m, int error);
/*
 * Returns a sealed memfd with the current values (caller closes), or a negative errno.
 */
int metrics_memfd(struct server *server, size_t *size_bytes);

#endif
