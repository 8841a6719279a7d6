/* Shared by the files of `pica batch`. */
#ifndef PICA_BATCH_H
#define PICA_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "common/options.h"

/*
 * Results of a unit, the best first. Up to BATCH_BROKEN it follows from capture and settings
 * alone.
 */
enum batch_state {
	BATCH_PASS,
	BATCH_DIFFERENT, /* a picture is not as expected */
	BATCH_REFUSED,   /* the capture has no such frame, or nothing to compare with */
	BATCH_BROKEN,    /* a bad capture */
	BATCH_TROUBLE,   /* the system refused something */
	BATCH_MEMORY,    /* more memory was needed than a worker may have */
	BATCH_CRASH,
	BATCH_TIMEOUT,
	BATCH_MISSING, /* there is no result */
	BATCH_STATE_COUNT,
};

/* As results name it: "pass", "different", ... */
const char *batch_state_name(enum batch_state state);
/* BATCH_STATE_COUNT: no such name. */
enum batch_state batch_state_from_name(const char *name);
/* The exit code that it makes of a batch. */
int batch_state_exit(enum batch_state state);
/* Whether a later run need not try again. */
bool batch_state_is_final(enum batch_state state);

enum { BATCH_HASH = 33 }; /* hexadecimal digits of XXH3-128 and a zero byte */

enum batch_pictures {
	BATCH_PICTURES_WRONG,
	BATCH_PICTURES_ALL,
	BATCH_PICTURES_NONE,
	BATCH_PICTURES_COUNT
};

/* Their names; NULL after the last. */
extern const char *const batch_pictures_words[BATCH_PICTURES_COUNT + 1];
/* BATCH_PICTURES_COUNT: no such name. */
enum batch_pictures batch_pictures_from_name(const char *name);

/* The settings of each unit: everything that its result depends on, except its bytes. */
struct batch_settings {
	const char *frames_text; /* borrowed */
	struct frame_list frames;
	bool verify, bless;
	const char *golden;           /* folder, or NULL; borrowed */
	char golden_hash[BATCH_HASH]; /* of all its pictures, as a plan file says */
	uint32_t tolerance, allowed;
	enum batch_pictures pictures;
	enum pica_float float_mode;
	enum pica_combiner combiner;
};

/* A capture. */
struct batch_unit {
	char *path; /* ours */
	char *base; /* ours: name of its golden pictures, may have folders in front */
	uint64_t size_bytes;
	char content[BATCH_HASH]; /* "": it could not be read, see error */
	char key[BATCH_HASH];     /* of its result: content and settings */
	int error;
	unsigned first; /* the first unit with this key: later ones share its result */
	unsigned next;  /* the next one that does, 0: none */
};

/* The error of a unit. */
const char *batch_unit_error(const struct batch_unit *unit);

struct batch_plan {
	struct batch_settings settings;
	char program[BATCH_HASH]; /* of the program's own file */
	struct batch_unit *units; /* ours; sorted by path */
	unsigned n, cap;
	json_t *json; /* what strings are borrowed from, or NULL */
};

/* How units are run. */
struct batch_limits {
	struct engine_options engine;
	unsigned jobs;
	uint64_t timeout_ns;   /* 0: none */
	uint64_t memory_bytes; /* of each worker; 0: no limit */
};

#endif
