/* Runs units in processes of their own: what one of them does to itself is its own affair. */
#ifndef PICA_BATCH_POOL_H
#define PICA_BATCH_POOL_H

#include "batch.h"
#include "store.h"

struct batch_done {
	unsigned done, total; /* units of this run, also those that were not drawn */
	unsigned failed;      /* not BATCH_PASS */
	unsigned skipped;     /* they were not drawn */
	bool is_kept;         /* the result of this one was there already */
	bool is_shared;       /* its bytes, and so its result, are those of one before */
};

/*
 * Called for each unit when what becomes of it is known. result: NULL where the file could not even
 * be read.
 */
typedef void batch_report_fn(void *user, const struct batch_unit *unit, enum batch_state state,
	const json_t *result, const struct batch_done *done);

/*
 * Runs the units whose results are not in the store: n of them, by index. Ends early when SIGINT,
 * SIGTERM or SIGHUP arrives (*signal_number is set; units under way are dropped) or a result cannot
 * be stored. Logs what is wrong; returns an exit code: EXIT_TROUBLE if it ended early,
		else EXIT_FINE, whatever became
 * of the units.
 */
int batch_pool_run(const struct batch_plan *plan, const unsigned *units, unsigned n,
		const struct batch_limits *limits, const struct batch_store *store,
		batch_report_fn *report, void *user, int *signal_number);

#endif
