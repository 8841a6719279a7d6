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
	unsigned n;
	size_t cap;
	json_t *json; /* what strings are borrowed from, or NULL */
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
 * unit with an error. Logs errors, and returns an exit code; batch_plan_finish() is allowed in any
 * case.
 */
int batch_plan_make(struct batch_plan *plan, const struct batch_settings *settings, char **args,
		unsigned n);
/*
 * Fills *plan from a file, and checks that program and golden pictures are those of the plan. Logs
 * errors; returns an exit code.
 */
int batch_plan_load(struct batch_plan *plan, const char *path, bool is_run);
/* Writes it; refuses units with errors. Logs errors; returns an exit code. */
int batch_plan_save(const struct batch_plan *plan, const char *path);
void batch_plan_finish(struct batch_plan *plan);
/*
 * The units of a shard, in the order in which they should be taken: large ones first. Those that
 * share another's result are left out. The shards of a plan are about equal in bytes; each depends
 * on the plan, shard and n_shards alone. *out: indices, to be freed. Returns how many, or -ENOMEM.
 */
int batch_plan_shard(
		const struct batch_plan *plan, unsigned shard, unsigned n_shards, unsigned **out);

/* ---- inputs.c ---- */

/*
 * Adds the units of the arguments, sorted by path, without hashes. Logs errors; returns an exit
 * code.
 */
int batch_inputs_find(struct batch_plan *plan, char **args, unsigned n);

/* ---- hash.c ---- */

/*
 * XXH3-128 of a file's bytes as text, and its size (may be NULL). Negative errno; -EINVAL: not a
 * regular file.
 */
int batch_hash_file(const char *path, char text[BATCH_HASH], uint64_t *size_bytes);
/* Of bytes. */
void batch_hash_bytes(const void *data, size_t size, char text[BATCH_HASH]);
/* Of this program's own file. Negative errno. */
int batch_hash_program(char text[BATCH_HASH]);
/* Of the names and contents of all PNG files of a folder, which may be missing. Negative errno. */
int batch_hash_pictures(const char *folder, char text[BATCH_HASH]);
/* Sets the keys of all units, and the first of each. -ENOMEM. */
int batch_hash_keys(struct batch_plan *plan);
/* Whether it is 32 hexadecimal digits. */
bool batch_is_hash(const char *text);

/* ---- store.c ---- */

/*
 * The results of a batch. In its folder:
 *
 *   results/KEY/result.json   what became of a unit; the same on every machine
 *   results/KEY/run.json      how long that took, and where
 *   results/KEY/...png          pictures
 *   results/KEY/log.txt       what was said, if anything was
 *   work/HOST-PID-XXXXXX/     of a run that is under way, locked; left over if it was killed
 *
 * A result's folder is made in work and renamed into place: it is there whole, or not at all.
 */

struct batch_store {
	char *folder; /* ours */
	char *work;   /* ours: of this run, NULL: opened to be read */
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
 * machine. Logs errors; returns an exit code; batch_store_close() is allowed in any case.
 */
int batch_store_open(struct batch_store *store, const char *folder, bool is_written);
void batch_store_close(struct batch_store *store);
/*
 * For as long as the store is open: alone, or with others that are not alone. Logs why, and returns
 * EXIT_TROUBLE, if another run is in the way. On a file system without locks it is granted.
 */
int batch_store_claim(struct batch_store *store, bool alone);
/* FOLDER/results/KEY/FILE, or without FILE where it is NULL; to be freed; NULL: no memory. */
char *batch_store_path(const struct batch_store *store, const char *key, const char *file);
/* An empty folder in work, to be freed with the path; negative errno. */
int batch_store_begin(const struct batch_store *store, unsigned unit, char **path);
/*
 * Makes such a folder the result of a key, in place of another; the folder moves. Negative errno.
 */
int batch_store_publish(const struct batch_store *store, const char *key, const char *path);
/* Removes a folder and what is in it, as far as possible. */
void batch_store_remove(const char *path);
/*
 * The result of a key, to be released; NULL: none that is whole. what: the fault of a damaged one,
 * "" if there is none; may be NULL.
 */
json_t *batch_store_load(const struct batch_store *store, const char *key, const char **what);
/* Whether all pictures that a result names are there. */
bool batch_store_has_pictures(const struct batch_store *store, const char *key,
		const json_t *result);
/* Of a result that was loaded. */
enum batch_state batch_result_state(const json_t *result);
/* run.json of a key, or NULL. */
json_t *batch_store_load_run(const struct batch_store *store, const char *key);

/* ---- unit.c ---- */

/* One unit of a batch: draws it, compares, and writes its result. Runs in a process of its own. */

/* How a worker ends. Whatever else, as what sanitizers exit with: it crashed. */
enum {
	UNIT_DONE = 0,    /* there is a result, good or bad */
	UNIT_ERROR = 100, /* and an errno, below 150: the result could not be written */
	UNIT_ERRORS_END = 250,
};

/* Draws a unit and writes its files into a folder. UNIT_... */
int batch_unit_draw(const struct batch_plan *plan, const struct batch_unit *unit,
	const struct engine_options *engine, const char *folder);
/*
 * The result of a unit whose worker left none, as the worker would have written it; takes nothing
 * over. Negative errno.
 */
int batch_unit_fail(const struct batch_unit *unit, enum batch_state state, const char *message,
		const char *folder);

/* That memory is out, and under which limit; 0: none. */
void batch_memory_text(char *text, size_t size, uint64_t limit_bytes);

/* A unit at work. */
struct drawing {
	const struct batch_settings *settings;
	const struct batch_unit *unit;
	const char *folder;
	json_t *messages, *pictures, *golden;
	enum batch_state state;
	uint32_t n_frames;   /* of the capture, 0: not opened */
	uint32_t n_compared; /* pictures that were held against expected ones */
	unsigned n_messages, n_kept;
	int store_error; /* of the first file that could not be written */
};

/* Records an error; of several states the worst counts. */
PICA_PRINTF(3, 4)
void drawing_fail(struct drawing *d, enum batch_state state, const char *fmt, ...);
/* Writes a picture into the unit's folder, and its name into the row. */
void drawing_keep(struct drawing *d, json_t *row, const char *member, const char *name,
		const struct picture *p);

/* ---- golden.c ---- */

/*
 * Holds a picture against the golden one. Returns whether they differ more than is allowed, or
 * there is none; row: of the picture, which gets the findings.
 */
bool batch_golden_compare(struct drawing *d, uint32_t frame, enum shown_view view,
		const struct picture *p, json_t *row);
/* Golden pictures that were not drawn; and all that --bless asks for. */
void batch_golden_finish(struct drawing *d);
/* Whether the golden pictures are still those that a result was compared with. */
bool batch_golden_is_current(
	const struct batch_settings *settings, const struct batch_unit *unit, const json_t *result);

/* ---- pool.c ---- */

/* Runs units in processes of their own: what one of them does to itself is its own affair. */

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
 * be stored. Logs what is wrong; returns an exit code: EXIT_TROUBLE if it ended early, else
 * EXIT_FINE, whatever became of the units.
 */
int batch_pool_run(const struct batch_plan *plan, const unsigned *units, unsigned n,
		const struct batch_limits *limits, const struct batch_store *store,
		batch_report_fn *report, void *user, int *signal_number);

/* ---- report.c ---- */

/*
 * The reports of a batch: results.jsonl, junit.xml and report.html, from the results in its folder.
 */

struct batch_row {
	const struct batch_unit *unit;
	char *name; /* ours: the path as UTF-8 */
	enum batch_state state;
	json_t *result;   /* NULL: there is none */
	const char *what; /* why there is none, "" where it is only missing */
	json_t *run;      /* run.json, or NULL */
	double seconds;
	bool has_log;
};

struct batch_report {
	const struct batch_plan *plan;
	const char *command;    /* line, borrowed */
	struct batch_row *rows; /* ours, by path */
	unsigned n;
	unsigned counts[BATCH_STATE_COUNT];
	double seconds; /* of all runs */
};

/*
 * Reads all results. command: the command line, for the report. -ENOMEM; batch_report_finish() is
 * allowed in any case.
 */
int batch_report_load(struct batch_report *report, const struct batch_plan *plan,
		const struct batch_store *store, const char *command);
void batch_report_finish(struct batch_report *report);
/*
 * Removes the three files, which belong to a finished run alone, or writes them. Both log errors
 * and return an exit code.
 */
int batch_report_remove(const char *folder);
int batch_report_write(const struct batch_report *report, const char *folder);
/*
 * "12 units: 10 pass, 2 different; FOLDER/report.html" on the standard output, or the same as JSON.
 * counts: of each state; file: in the folder, or NULL. Returns the exit code that the worst of the
 * units makes.
 */
int batch_report_print(const unsigned counts[BATCH_STATE_COUNT], const char *folder,
		const char *file, bool as_json);

/* The messages of a row: number i, NULL after the last. */
const char *batch_row_message(const struct batch_row *row, size_t i);

/* ---- html.c ---- */

/* 0, or -ENOMEM; other errors are those of the stream. */
int batch_html_write(FILE *f, const struct batch_report *report);

/* ---- views.c ---- */

/* Whether pictures show the difference. */
bool batch_has_views(const struct batch_row *row);
void batch_views(FILE *f, const struct batch_row *row);
/* The address of a file of a row's result. */
void batch_link(FILE *f, const struct batch_row *row, const char *file);
/* A picture of it, which leads to the file. size: attributes. */
void batch_image(FILE *f, const struct batch_row *row, const char *file, const char *what,
		const char *size);

/* ---- markup.c ---- */

/*
 * Text inside of elements and quoted attributes of XML and HTML; what XML has no place for becomes
 * '?'.
 */
void batch_markup_text(FILE *f, const char *text);
/* 0: errors are those of the stream. */
int batch_junit_write(FILE *f, const struct batch_report *report);

/* ---- merge.c ---- */

/* The results of many runs of one plan, in one folder. */

/*
 * Brings the results of a plan from the folders into the store, unless it has them. strict: every
 * unit must have a result; the pictures of results must be whole; results of one unit from several
 * folders must be the same, where they depend on capture and settings alone. Logs what is wrong;
 * returns an exit code.
 */
int batch_merge(const struct batch_plan *plan, const struct batch_store *store, char **folders,
		unsigned n, bool strict);

#endif
