/* Shared by the files of `pica batch`. */
#ifndef PICA_BATCH_H
#define PICA_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "common/options.h"
#include "shown.h"

/* Results of a unit, the best first. Up to BATCH_BROKEN it depends only on capture and settings. */
enum batch_state {
	BATCH_PASS,
	BATCH_DIFFERENT, /* a picture is not as expected */
	BATCH_UNREADABLE, /* a golden picture is not a PNG picture */
	BATCH_REFUSED,   /* the capture has no such frame, or nothing to compare with */
	BATCH_BROKEN,    /* a bad capture */
	BATCH_TROUBLE,   /* the system refused something */
	BATCH_MEMORY,    /* exceeded the memory limit of a worker */
	BATCH_CRASH,
	BATCH_TIMEOUT,
	BATCH_MISSING, /* no result */
	BATCH_UNUSED,  /* of no unit: a golden picture that no capture has */
	BATCH_STATE_COUNT,
};

/* Returns its name in results: "pass", "different", ... */
const char *batch_state_name(enum batch_state state);
/* Returns the state, or BATCH_STATE_COUNT if there is none of that name. */
enum batch_state batch_state_from_name(const char *name);
/* Returns the exit code of a batch whose worst unit has this state. */
int batch_state_exit(enum batch_state state);
/* Returns whether a later run need not draw the unit again. */
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

/* The settings of each unit: everything that its result depends on, except its bytes. */
struct batch_settings {
	const char *frames_text; /* borrowed */
	struct frame_list frames;
	bool verify, bless;
	const char *golden;           /* folder, or NULL; borrowed */
	char golden_hash[BATCH_HASH]; /* of all its pictures, from the plan file */
	uint32_t tolerance, allowed;
	enum batch_pictures pictures;
	enum pica_float float_mode;
	enum pica_combiner combiner;
};

/* A capture. */
struct batch_unit {
	char *path; /* ours */
	char *base; /* owned: name of its golden pictures, perhaps with folders */
	uint64_t size_bytes;
	char content[BATCH_HASH]; /* "": it could not be read, see error */
	char key[BATCH_HASH];     /* of its result: content and settings */
	int error;
	unsigned first; /* the first unit with this key, whose result later ones share */
	unsigned next;  /* the next one that shares it; 0: none */
};

/* Returns the message of a unit's error. */
const char *batch_unit_error(const struct batch_unit *unit);

struct batch_plan {
	struct batch_settings settings;
	char program[BATCH_HASH]; /* of the program's own file */
	struct batch_unit *units; /* ours; sorted by path */
	unsigned n;
	size_t cap;
	json_t *json; /* owner of borrowed strings, or NULL */
};

/* How units are run. */
struct batch_limits {
	struct engine_options engine;
	unsigned jobs;
	uint64_t timeout_ns;   /* 0: none */
	uint64_t memory_bytes; /* of each worker; 0: no limit */
};

/* ---- options.c ---- */

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

/* ---- plan.c ---- */

/* A plan: the units of a batch, their settings, and their distribution over machines. */

/*
 * Fills *plan from captures, folders and lists, and hashes them all. An unreadable file becomes a
 * unit with an error. Returns an exit code, after logging errors. Call batch_plan_finish() in any
 * case.
 */
int batch_plan_make(struct batch_plan *plan, const struct batch_settings *settings, char **args,
		unsigned n);
/*
 * Fills *plan from a file, and checks that program and golden pictures are those of the plan.
 * Returns an exit code, after logging errors.
 */
int batch_plan_load(struct batch_plan *plan, const char *path, bool is_run);
/* Writes it; refuses units with errors. Returns an exit code, after logging errors. */
int batch_plan_save(const struct batch_plan *plan, const char *path);
void batch_plan_finish(struct batch_plan *plan);
/*
 * Stores the indices of a shard's units in *out (caller frees), large units first. Units that share
 * another's result are left out. The shards of a plan are about equal in bytes; each depends only
 * on the plan, shard and n_shards. Returns the number of units, or -ENOMEM.
 */
int batch_plan_shard(
		const struct batch_plan *plan, unsigned shard, unsigned n_shards, unsigned **out);

/* ---- inputs.c ---- */

/*
 * Adds the units of the arguments, sorted by path, without hashes. Returns an exit code, after
 * logging errors.
 */
int batch_inputs_find(struct batch_plan *plan, char **args, unsigned n);

/* ---- hash.c ---- */

/*
 * Stores the XXH3-128 of a file's bytes as text, and its size (may be NULL). Returns 0. On failure
 * returns -EINVAL (not a regular file) or another negative errno.
 */
int batch_hash_file(const char *path, char text[BATCH_HASH], uint64_t *size_bytes);
/* The same of bytes. */
void batch_hash_bytes(const void *data, size_t size, char text[BATCH_HASH]);
/* The same of this program's own file. Returns 0 or a negative errno. */
int batch_hash_program(char text[BATCH_HASH]);
/*
 * The same of the names and contents of all PNG files of a folder, which may be missing. Returns 0
 * or a negative errno.
 */
int batch_hash_pictures(const char *folder, char text[BATCH_HASH]);
/* Sets the keys of all units, and the first unit of each. Returns 0 or -ENOMEM. */
int batch_hash_keys(struct batch_plan *plan);
/* Returns whether the text is 32 hexadecimal digits. */
bool batch_is_hash(const char *text);

/* ---- store.c ---- */

/*
 * The results of a batch. In its folder:
 *
 *   results/KEY/result.json   the result of a unit; the same on every machine
 *   results/KEY/run.json      how long that took, and where
 *   results/KEY/...png          pictures
 *   results/KEY/log.txt       output of the worker, if any
 *   work/HOST-PID-XXXXXX/     of a run that is under way, locked; left over if it was killed
 *
 * The folder of a result is made in work and renamed into place, so that it appears whole.
 */

struct batch_store {
	char *folder; /* ours */
	char *work;   /* ours: of this run; NULL: opened for reading */
	int lock;     /* on the folder of this run, -1: none */
	int claim;    /* on all of it, -1: none */
};

enum { BATCH_PICTURE_FILES = 3 };
/* The members of a result's picture that name files. */
extern const char *const batch_picture_files[BATCH_PICTURE_FILES];

/* For initialising one. */
#define BATCH_STORE_CLOSED { .lock = -1, .claim = -1 }

/*
 * Opens a folder of results, and creates it for writing. Removes leftovers of killed runs of this
 * machine. Returns an exit code, after logging errors. Call batch_store_close() in any case.
 */
int batch_store_open(struct batch_store *store, const char *folder, bool is_written);
void batch_store_close(struct batch_store *store);
/*
 * Claims the folder while the store is open: exclusively (alone), or with others that share it.
 * Returns EXIT_FINE, also on a file system without locks. If another run holds it, logs that and
 * returns EXIT_TROUBLE.
 */
int batch_store_claim(struct batch_store *store, bool alone);
/* Returns FOLDER/results/KEY[/FILE] (caller frees; file may be NULL), or NULL: out of memory. */
char *batch_store_path(const struct batch_store *store, const char *key, const char *file);
/* Creates an empty folder in work; *path is to be freed. Returns 0 or a negative errno. */
int batch_store_begin(const struct batch_store *store, unsigned unit, char **path);
/*
 * Moves such a folder into place as the result of a key, instead of another. Returns 0 or a
 * negative errno.
 */
int batch_store_publish(const struct batch_store *store, const char *key, const char *path);
/* Removes a folder and its contents, as far as possible. */
void batch_store_remove(const char *path);
/*
 * Returns the result of a key, to be released, or NULL if no whole one exists. *what (may be NULL)
 * becomes the fault of a damaged one, or "".
 */
json_t *batch_store_load(const struct batch_store *store, const char *key, const char **what);
/* Returns whether all pictures that a result names exist. */
bool batch_store_has_pictures(const struct batch_store *store, const char *key,
		const json_t *result);
/* Returns the state that a loaded result names. */
enum batch_state batch_result_state(const json_t *result);
/* Returns run.json of a key, or NULL. */
json_t *batch_store_load_run(const struct batch_store *store, const char *key);

/* ---- unit.c ---- */

/* One unit of a batch: draws it, compares, and writes its result. Runs in a process of its own. */

/* Exit codes of a worker. Any other, such as those of sanitizers, is a crash. */
enum {
	UNIT_DONE = 0,    /* there is a result, good or bad */
	UNIT_ERROR = 100, /* and an errno, below 150: the result could not be written */
	UNIT_ERRORS_END = 250,
};

/* Draws a unit and writes its files into a folder. Returns UNIT_... */
int batch_unit_draw(const struct batch_plan *plan, const struct batch_unit *unit,
	const struct engine_options *engine, const char *folder);
/*
 * Writes the result of a unit whose worker left none, as the worker would have. Returns 0 or a
 * negative errno.
 */
int batch_unit_fail(const struct batch_unit *unit, enum batch_state state, const char *message,
		const char *folder);

/* Writes the message for out of memory under a limit; 0: no limit. */
void batch_memory_text(char *text, size_t size, uint64_t limit_bytes);

/* A unit at work. */
struct drawing {
	const struct batch_settings *settings;
	const struct batch_unit *unit;
	const char *folder;
	json_t *messages, *pictures, *golden;
	enum batch_state state;
	struct pica_capture_info info;
	uint32_t n_frames;   /* of the capture, 0: not opened */
	uint32_t n_expected; /* pictures that the capture expects */
	uint32_t n_compared; /* pictures compared with those, or with golden ones */
	unsigned n_messages, n_kept;
	int store_error; /* of the first file that could not be written */
};

/* Records an error. The unit gets the worst of the states. */
PICA_PRINTF(3, 4)
void drawing_fail(struct drawing *d, enum batch_state state, const char *fmt, ...);
/* Writes a picture into the unit's folder, and its name into the row. */
void drawing_keep(struct drawing *d, json_t *row, const char *member, const char *name,
		const struct picture *p);

/* ---- golden.c ---- */

/*
 * Compares a picture with the golden one and stores the findings in row, that of the picture.
 * Returns whether they differ more than is allowed, or the golden one is missing.
 */
bool batch_golden_compare(struct drawing *d, uint32_t frame, enum shown_view view,
		const struct picture *p, json_t *row);
/* Reports golden pictures that were not drawn, and prepares --bless. */
void batch_golden_finish(struct drawing *d);
/* Returns whether the golden pictures are unchanged since a result was compared with them. */
bool batch_golden_is_current(
	const struct batch_settings *settings, const struct batch_unit *unit, const json_t *result);

/*
 * Appends the names of the PNG files below the folder that are not members of used, sorted.
 * Returns 0 or a negative errno.
 */
int batch_golden_unused(const struct batch_settings *settings, const json_t *used, json_t *names);

/* ---- pool.c ---- */

/* Runs units in processes of their own, so that a crash costs one unit. */

struct batch_done {
	unsigned done, total; /* units of this run, also those that were not drawn */
	unsigned failed;      /* not BATCH_PASS */
	unsigned skipped;     /* they were not drawn */
	bool is_kept;         /* its result existed already */
	bool is_shared;       /* it has the bytes and the result of an earlier unit */
};

/* Called for each unit when its state is known. result: NULL if the file could not be read. */
typedef void batch_report_fn(void *user, const struct batch_unit *unit, enum batch_state state,
	const json_t *result, const struct batch_done *done);

/*
 * Runs those of n units, given by index, whose results are not in the store. Ends early when
 * SIGINT, SIGTERM or SIGHUP arrives (*signal_number is set; units under way are dropped) or a
 * result cannot be stored. Returns EXIT_FINE, also if units failed. If it ended early, logs why and
 * returns EXIT_TROUBLE.
 */
int batch_pool_run(const struct batch_plan *plan, const unsigned *units, unsigned n,
		const struct batch_limits *limits, const struct batch_store *store,
		batch_report_fn *report, void *user, int *signal_number);

/* ---- report.c ---- */

/*
 * The reports of a batch: results.jsonl, junit.xml and report.html, from the results in its folder.
 */

struct batch_row {
	const struct batch_unit *unit; /* NULL: BATCH_UNUSED */
	char *name; /* ours: the path as UTF-8 */
	char *folder; /* ours: of its result; or NULL */
	enum batch_state state;
	json_t *result;   /* or NULL */
	const char *what; /* reason why there is no result; "": it is missing */
	json_t *run;      /* run.json, or NULL */
	double seconds;
};

struct batch_report {
	const struct batch_plan *plan;
	const char *command;    /* line, borrowed */
	struct batch_row *rows; /* ours, by path; then golden pictures that are unused */
	unsigned n;
	unsigned counts[BATCH_STATE_COUNT];
	double seconds; /* of all runs */
};

/*
 * Reads all results. command: the command line, for the report. Returns 0 or -ENOMEM. Call
 * batch_report_finish() in any case.
 */
int batch_report_load(struct batch_report *report, const struct batch_plan *plan,
		const struct batch_store *store, const char *command);
void batch_report_finish(struct batch_report *report);
/*
 * Remove and write the three files; a run removes those of another when it begins. Both return an
 * exit code, after logging errors.
 */
int batch_report_remove(const char *folder);
int batch_report_write(const struct batch_report *report, const char *folder);
/*
 * Prints "12 units: 10 pass, 2 different; FOLDER/report.html", or the same as JSON. counts: of each
 * state; file: in the folder, or NULL. Returns the exit code of the worst unit's state.
 */
int batch_report_print(const unsigned counts[BATCH_STATE_COUNT], const char *folder,
		const char *file, bool as_json);

/* Returns message i of a row, or NULL after the last. */
const char *batch_row_message(const struct batch_row *row, size_t i);

/* ---- html.c ---- */

/* Returns 0 or -ENOMEM. Other errors are those of the stream. */
int batch_html_write(FILE *f, const struct batch_report *report);

/* ---- views.c ---- */

/* Returns whether pictures show the difference. */
bool batch_has_views(const struct batch_row *row);
void batch_views(FILE *f, const struct batch_row *row);
/* Writes the file as a data: address, so that the page needs no other file. */
void batch_embed(FILE *f, const struct batch_row *row, const char *file);
/* Writes an image. size: attributes. */
void batch_image(FILE *f, const struct batch_row *row, const char *file, const char *what,
		const char *size);

/* ---- markup.c ---- */

/* Returns 0. Errors are those of the stream. */
int batch_junit_write(FILE *f, const struct batch_report *report);

/* ---- merge.c ---- */

/* The results of many runs of one plan, in one folder. */

/*
 * Copies the results of a plan from the folders into the store, unless it has them. strict: every
 * unit must have a result; the pictures of results must be whole; results of one unit from several
 * folders must be the same, if they depend only on capture and settings. Returns an exit code,
 * after logging errors.
 */
int batch_merge(const struct batch_plan *plan, const struct batch_store *store, char **folders,
		unsigned n, bool strict);

#endif
