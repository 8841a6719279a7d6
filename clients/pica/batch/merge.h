/* The results of many runs of one plan, in one folder. */
#ifndef PICA_BATCH_MERGE_H
#define PICA_BATCH_MERGE_H

#include "batch.h"
#include "store.h"

/*
 * Brings the results of a plan from the folders into the store, unless it has them. strict: every
 * unit must have a result; the pictures of results must be whole; results of one unit from several
 * folders must be the same, where they depend on capture and settings alone. Logs what is wrong;
 * returns an exit code.
 */
int batch_merge(const struct batch_plan *plan, const struct batch_store *store, char **folders,
		unsigned n, bool strict);

#endif
