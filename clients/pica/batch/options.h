/* What `pica batch` is asked for. */
#ifndef PICA_BATCH_OPTIONS_H
#define PICA_BATCH_OPTIONS_H

#include "batch.h"

enum batch_action { BATCH_ALL, BATCH_PLAN, BATCH_RUN, BATCH_MERGE };

struct batch_options {
	enum batch_action action;
	struct batch_settings settings;
	struct batch_limits limits;
	unsigned given; /* GIVEN_... of options.c */
	bool verify;    /* of the units, or of the merged folders */
	const char *output;
	unsigned shard, n_shards; /* from 0 */
	bool json;
	enum progress_mode progress;
	const char *command; /* line, for the report; borrowed */
	char **args;
	unsigned n_args;
};

/* Fills *o from a command line; help and usage errors end the process. */
void batch_options_parse(struct batch_options *o, int argc, char **argv);

#endif
