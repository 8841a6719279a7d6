/* The captures of a batch: files, folders that are searched, lists of both. */
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "common/array.h"
#include "pictures/file.h"

enum { MAX_LIST = 256 << 20, MAX_UNITS = 1 << 24 };

static bool is_capture_name(const char *name) {
	return file_ends_with(name, ".pica") || file_ends_with(name, ".ctf") ||
			file_ends_with(name, ".ctf.zst");
}

/* Takes ownership of base; NULL: out of memory. */
static int add(struct batch_plan *plan, const char *path, char *base) {
	char *copy = strdup(path);
	struct batch_unit *units = base && copy && plan->n < MAX_UNITS ?
			array_room(plan->units, plan->n, &plan->cap, sizeof(*units)) :
			NULL;
	plan->units = units ? units : plan->units;
	if (!units) {
		free(base);
		free(copy);
		return log_no_memory();
	}
	plan->units[plan->n++] = (struct batch_unit){ .path = copy, .base = base };
	return EXIT_FINE;
}

/* Adds a found capture; its golden pictures lie in a folder of the same path below root. */
static int add_entry(struct batch_plan *plan, const FTSENT *e, const char *root) {
	const char *below = e->fts_path + strlen(root);
	below += strspn(below, "/");
	const int folder_len = (int)(strlen(below) - e->fts_namelen);
	char *plain = capture_name(e->fts_name), *base = NULL;
	if (!plain || asprintf(&base, "%.*s%s", folder_len, below, plain) < 0) {
		base = NULL;
	}
	free(plain);
	return add(plan, e->fts_path, base);
}

/* Adds what is in a folder. Links to folders are not followed: they may form cycles. */
static int search(struct batch_plan *plan, const char *folder) {
	FTSENT *e;
	FTS *tree = fts_open((char *[]){ (char *)folder, NULL },
			FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	int exit = log_result(folder, tree ? 0 : -errno);
	while (exit == EXIT_FINE && (e = fts_read(tree))) {
		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR) {
			exit = log_result(e->fts_path, -e->fts_errno);
		} else if (e->fts_info != FTS_D && e->fts_info != FTS_DP &&
				is_capture_name(e->fts_name)) {
			exit = add_entry(plan, e, folder);
		}
	}
	if (tree) {
		fts_close(tree);
	}
	return exit;
}

static int add_path(struct batch_plan *plan, const char *path) {
	const unsigned before = plan->n;
	if (!file_is_folder(path)) {
		return add(plan, path, capture_name(path));
	}
	int exit = search(plan, path);
	if (exit == EXIT_FINE && plan->n == before) {
		exit = log_fail("%s: no .pica, .ctf or .ctf.zst file is in this folder", path);
	}
	return exit;
}

/* A path on each line; empty lines and those that begin with # are ignored. */
static int add_list(struct batch_plan *plan, const char *path) {
	void *data;
	size_t size;
	int exit = log_result(path, file_read(path, &data, &size, MAX_LIST));
	if (exit != EXIT_FINE) {
		return exit;
	}
	if (memchr(data, '\0', size)) {
		exit = log_fail("%s: expected a list, a path a line; it holds a zero byte", path);
	}
	const unsigned before = plan->n;
	for (char *rest = data, *line; exit == EXIT_FINE && (line = strsep(&rest, "\n"));) {
		line[strcspn(line, "\r")] = '\0';
		if (line[0] != '\0' && line[0] != '#') {
			exit = add_path(plan, line);
		}
	}
	if (exit == EXIT_FINE && plan->n == before) {
		exit = log_fail("%s: this list names no capture", path);
	}
	free(data);
	return exit;
}

static int compare_units(const void *a, const void *b) {
	const struct batch_unit *x = a, *y = b;
	return strcmp(x->path, y->path);
}

int batch_inputs_find(struct batch_plan *plan, char **args, unsigned n) {
	int exit = EXIT_FINE;
	for (unsigned i = 0; exit == EXIT_FINE && i < n; i++) {
		if (args[i][0] == '@') {
			exit = add_list(plan, args[i] + 1);
		} else if (file_ends_with(args[i], ".txt") && !file_is_folder(args[i])) {
			exit = add_list(plan, args[i]);
		} else {
			exit = add_path(plan, args[i]);
		}
	}
	if (exit != EXIT_FINE) {
		return exit;
	}
	qsort(plan->units, plan->n, sizeof(*plan->units), compare_units);
	unsigned kept = 0;
	for (unsigned i = 0; i < plan->n; i++) {
		if (kept && strcmp(plan->units[kept - 1].path, plan->units[i].path) == 0) {
			free(plan->units[i].path); /* named twice */
			free(plan->units[i].base);
		} else {
			plan->units[kept++] = plan->units[i];
		}
	}
	plan->n = kept;
	return EXIT_FINE;
}
