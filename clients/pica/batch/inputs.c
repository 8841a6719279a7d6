/* The captures of a batch: files, folders that are searched, lists of both. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>

#include "batch.h"
#include "common/array.h"
#include "pictures/file.h"

enum { MAX_DEPTH = 64, MAX_LIST = 256 << 20, MAX_UNITS = 1 << 24 };

static bool ends_with(const char *text, const char *end) {
	const size_t len = strlen(text), n = strlen(end);
	return len > n && strcmp(text + len - n, end) == 0;
}

static bool is_capture_name(const char *name) {
	return ends_with(name, ".pica") || ends_with(name, ".ctf") || ends_with(name, ".ctf.zst");
}

/* Takes base over, which may be NULL: no memory. */
static int add(struct batch_plan *plan, const char *path, char *base) {
	char *copy = strdup(path);
	struct batch_unit *units = base && copy && plan->n < MAX_UNITS ?
			array_room(plan->units, plan->n, &plan->cap, sizeof(*units)) :
			NULL;
	plan->units = units ? units : plan->units;
	if (!units) {
		free(base);
		free(copy);
		log_line("%s", strerror(ENOMEM));
		return EXIT_TROUBLE;
	}
	plan->units[plan->n++] = (struct batch_unit){ .path = copy, .base = base };
	return EXIT_FINE;
}

static int add_capture(struct batch_plan *plan, const char *path) {
	return add(plan, path, capture_name(path));
}

/* "FOLDER/NAME", without doubling the slash. */
static char *join(const char *folder, const char *name) {
	const size_t len = strlen(folder);
	const char *slash = len == 0 || folder[len - 1] == '/' ? "" : "/";
	char *path = malloc(len + strlen(name) + 2);
	if (path) {
		sprintf(path, "%s%s%s", folder, slash, name);
	}
	return path;
}

static int search(struct batch_plan *plan, const char *folder, const char *below, int depth);

/* An entry of a folder; below: its folder's name below the one that is searched. */
static int add_entry(struct batch_plan *plan, const char *folder, const char *below,
		const char *name, int depth) {
	char *path = join(folder, name), *plain = capture_name(name);
	char *base = plain ? join(below, plain) : NULL, *inner = join(below, name);
	struct stat st;
	int exit = EXIT_FINE;
	free(plain);
	if (!path || !base || !inner) {
		log_line("%s", strerror(ENOMEM));
		exit = EXIT_TROUBLE;
	} else if (lstat(path, &st) == 0 &&
		   S_ISDIR(st.st_mode)) { /* links to folders may go round in circles */
		exit = search(plan, path, inner, depth + 1);
	} else if (is_capture_name(name)) {
		exit = add(plan, path, base);
		base = NULL;
	}
	free(base);
	free(inner);
	free(path);
	return exit;
}

static int search(struct batch_plan *plan, const char *folder, const char *below, int depth) {
	struct dirent **entries = NULL;
	const int n = depth > MAX_DEPTH ? -1 : scandir(folder, &entries, NULL, NULL);
	if (n < 0) {
		log_line("%s: %s", folder, strerror(depth > MAX_DEPTH ? ELOOP : errno));
		return EXIT_TROUBLE;
	}
	int exit = EXIT_FINE;
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		if (exit == EXIT_FINE && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
			exit = add_entry(plan, folder, below, name, depth);
		}
		free(entries[i]);
	}
	free(entries);
	return exit;
}

static bool is_folder(const char *path) {
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int add_path(struct batch_plan *plan, const char *path) {
	const unsigned before = plan->n;
	if (!is_folder(path)) {
		return add_capture(plan, path);
	}
	int exit = search(plan, path, "", 0);
	if (exit == EXIT_FINE && plan->n == before) {
		log_line("%s: no .pica, .ctf or .ctf.zst file is in this folder", path);
		exit = EXIT_TROUBLE;
	}
	return exit;
}

/* A path a line; empty lines and those that begin with # say nothing. */
static int add_list(struct batch_plan *plan, const char *path) {
	void *data;
	size_t size;
	int ret = file_read(path, &data, &size, MAX_LIST);
	if (ret < 0) {
		log_line("%s: %s", path, strerror(-ret));
		return EXIT_TROUBLE;
	}
	int exit = EXIT_FINE;
	if (memchr(data, '\0', size)) {
		log_line("%s: expected a list, a path a line; it holds a zero byte", path);
		exit = EXIT_TROUBLE;
	}
	const unsigned before = plan->n;
	for (char *rest = data, *line; exit == EXIT_FINE && (line = strsep(&rest, "\n"));) {
		line[strcspn(line, "\r")] = '\0';
		if (line[0] != '\0' && line[0] != '#') {
			exit = add_path(plan, line);
		}
	}
	if (exit == EXIT_FINE && plan->n == before) {
		log_line("%s: this list names no capture", path);
		exit = EXIT_TROUBLE;
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
		} else if (ends_with(args[i], ".txt") && !is_folder(args[i])) {
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
