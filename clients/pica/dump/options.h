/* What `pica dump` is asked for. */
#ifndef PICA_DUMP_OPTIONS_H
#define PICA_DUMP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/options.h"

enum {
	DUMP_LIST = 1,
	DUMP_STATE = 2,
	DUMP_SHADERS = 4,
	DUMP_VERTICES = 8,
	DUMP_TEXTURES = 16,
	DUMP_SURFACES = 32,
	DUMP_LUTS = 64,
	/* The default contents of a folder. */
	DUMP_FILES = DUMP_STATE | DUMP_SHADERS | DUMP_VERTICES | DUMP_TEXTURES | DUMP_SURFACES |
			DUMP_LUTS,
};

struct dump_place {
	bool is_given;
	uint32_t frame; /* FRAME_LAST: the last one */
	uint32_t draw;
};

struct dump_options {
	struct engine_options engine;
	const char *capture;
	struct dump_place at;    /* is_given: --draw was; the frame counts in any case */
	struct dump_place since; /* is_given: what differs from there */
	unsigned what;           /* DUMP_... */
	const char *output;      /* folder of files, or NULL */
	uint32_t groups;         /* bit i: enum pica_reg_group i */
	bool json;
	enum progress_mode progress;
};

/* Fills *o from a command line; help and usage errors end the process. */
void dump_options_parse(struct dump_options *o, int argc, char **argv);

#endif
