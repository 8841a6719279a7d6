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
#ifndef PICA_BATCH_STORE_H
#define PICA_BATCH_STORE_H

#include "batch.h"

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

#endif
