#include "batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "common/json.h"
#include "pictures/file.h"
#include "pictures/picture.h"

enum { MAX_FILE = 1 << 30 };

/* ---- Copies ---- */

/* A missing file is not an error. Returns 0 or a negative errno. */
static int copy_file(
		const struct batch_store *from, const char *key, const char *name, const char *to) {
	char *source = batch_store_path(from, key, name), *target = file_in(to, name);
	void *data = NULL;
	size_t size;
	int ret = source && target ? 0 : -ENOMEM;
	if (ret == 0 && link(source, target) < 0) { /* another file system, or one without links */
		ret = file_read(source, &data, &size, MAX_FILE);
		ret = ret < 0 ? ret : file_write(target, data, size);
	}
	free(data);
	free(source);
	free(target);
	return ret == -ENOENT ? 0 : ret;
}

/* Copies all files that a result names, and the optional ones. */
static int copy_files(const struct batch_store *from, const char *key, const json_t *result,
		const char *to) {
	static const char *const always[] = { "result.json", "run.json", "log.txt" };
	const json_t *row;
	size_t i;
	int ret = 0;
	for (unsigned k = 0; ret == 0 && k < 3; k++) {
		ret = copy_file(from, key, always[k], to);
	}
	json_array_foreach(json_object_get(result, "pictures"), i, row) {
		for (unsigned k = 0; ret == 0 && k < BATCH_PICTURE_FILES; k++) {
			const char *name = json_text_of(row, batch_picture_files[k]);
			ret = name ? copy_file(from, key, name, to) : 0;
		}
	}
	return ret;
}

static int take(const struct batch_store *store, const struct batch_store *from, const char *key,
	const json_t *result) {
	char *to;
	int ret = batch_store_begin(store, 0, &to);
	if (ret == 0) {
		ret = copy_files(from, key, result, to);
		ret = ret < 0 ? ret : batch_store_publish(store, key, to);
		batch_store_remove(to);
	}
	free(to);
	return ret;
}

/* ---- Checks ---- */

static int fail(const struct batch_store *store, const char *key, const char *file,
		const char *what) {
	return log_fail("%s/results/%s/%s: %s", store->folder, key, file, what);
}

/* Checks every picture of a result against its hash. */
static int check_pictures(const struct batch_store *store, const char *key, const json_t *result) {
	const json_t *row;
	size_t i;
	json_array_foreach(json_object_get(result, "pictures"), i, row) {
		for (unsigned k = 0; k < BATCH_PICTURE_FILES; k++) {
			const char *name = json_text_of(row, batch_picture_files[k]);
			char *path = name ? batch_store_path(store, key, name) : NULL,
			     hash[PICTURE_HASH_TEXT] = "";
			struct picture p = { 0 };
			if (path && picture_read_png(&p, path, 0) == 0) {
				picture_hash(&p, hash);
			}
			picture_finish(&p);
			free(path);
			if (name && !hash[0]) {
				return fail(store, key, name, "expected a whole PNG picture");
			}
			if (name && k == 0 && strcmp(hash, json_text_of(row, "hash")) != 0) {
				return fail(store, key, name,
						"not the picture that the result is about");
			}
		}
	}
	return EXIT_FINE;
}

/*
 * Compares the unit's result in one folder with the best so far; *best becomes the one to keep
 * (NULL: none yet).
 */
static int compare(const struct batch_unit *unit, const struct batch_store *from, json_t *result,
		json_t **best, bool strict, bool *is_better) {
	const bool is_final = batch_state_is_final(batch_result_state(result));
	const bool was_final = *best && batch_state_is_final(batch_result_state(*best));
	*is_better = !*best || (is_final && !was_final);
	if (strict && is_final && was_final && !json_equal(result, *best)) {
		return log_fail("%s: %s/results/%s/result.json says other things than the one before",
				unit->path, from->folder, unit->key);
	}
	return EXIT_FINE;
}

/* ---- One unit ---- */

static int merge_from(const struct batch_unit *unit, const struct batch_store *store,
	const struct batch_store *from, json_t **best, bool strict) {
	const char *what;
	bool is_better;
	json_t *result = batch_store_load(from, unit->key, &what);
	if (!result) {
		return strict && *what ? fail(from, unit->key, "result.json", what) : EXIT_FINE;
	}
	int exit = compare(unit, from, result, best, strict, &is_better);
	if (exit == EXIT_FINE && strict) {
		exit = check_pictures(from, unit->key, result);
	}
	if (exit == EXIT_FINE && is_better && from != store) {
		int ret = take(store, from, unit->key, result);
		if (ret < 0) {
			exit = log_result(unit->path, ret);
		}
	}
	if (exit == EXIT_FINE && is_better) {
		json_decref(*best);
		*best = json_incref(result);
	}
	json_decref(result);
	return exit;
}

static int merge_unit(const struct batch_unit *unit, const struct batch_store *store,
	const struct batch_store *from, unsigned n, bool strict) {
	json_t *best = NULL;
	int exit = merge_from(unit, store, store, &best, strict);
	for (unsigned i = 0; exit == EXIT_FINE && i < n; i++) {
		exit = merge_from(unit, store, &from[i], &best, strict);
	}
	if (exit == EXIT_FINE && strict && !best) {
		exit = log_fail("%s: no result: expected one in a folder", unit->path);
	}
	json_decref(best);
	return exit;
}

int batch_merge(const struct batch_plan *plan, const struct batch_store *store, char **folders,
		unsigned n, bool strict) {
	struct batch_store *from = calloc((size_t)n + 1, sizeof(*from));
	int exit = from ? EXIT_FINE : EXIT_TROUBLE;
	unsigned opened = 0;
	for (; exit == EXIT_FINE && opened < n; opened++) {
		exit = batch_store_open(&from[opened], folders[opened], false);
	}
	const bool is_ready = exit == EXIT_FINE;
	for (unsigned i = 0; is_ready && i < plan->n; i++) {
		if (plan->units[i].first == i) {
			/* All errors are logged. */
			exit = worse(exit, merge_unit(&plan->units[i], store, from, n, strict));
		}
		log_progress("merging", i + 1, plan->n);
	}
	log_end();
	for (unsigned i = 0; from && i < opened; i++) {
		batch_store_close(&from[i]);
	}
	free(from);
	return exit;
}
