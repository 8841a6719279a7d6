/* picad.conf and its drop-ins. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <ini.h>

#include "service/options_table.h"
#include "service/log.h"

static const char default_config[] = "/etc/pica/picad.conf";

enum { WHY_BYTES = 512 };

/* inih accepts some malformed lines: read_line() finds those, on_key() the others. */
struct reading {
	struct options *o;
	FILE *file;
	int line, wrong_line; /* wrong_line: the first that inih accepts by mistake; 0: none */
	char wrong[WHY_BYTES]; /* why */
	char why[WHY_BYTES];  /* of the first wrong line, whose number inih returns */
};

static int on_key(void *user, const char *section, const char *name, const char *value) {
	struct reading *r = user;
	char why[WHY_BYTES], expected[160];
	const struct row *row = NULL;
	for (unsigned i = 0; i < n_option_rows; i++) {
		const char *known = option_rows[i].name;
		row = known && strcmp(known, name) == 0 ? &option_rows[i] : row;
	}
	if (strcmp(section, "picad") != 0) {
		snprintf(why, sizeof(why), "unknown section [%s], expected [picad]", section);
	} else if (!row) {
		snprintf(why, sizeof(why), "unknown key %s", name);
	} else if (row_set(r->o, row, value, expected, sizeof(expected)) == 0) {
		return 1;
	} else {
		snprintf(why, sizeof(why), "%s %s: %s", name, value, expected);
	}
	if (!r->why[0]) {
		memcpy(r->why, why, sizeof(why));
	}
	return 0;
}

static void note_wrong(struct reading *r, const char *fmt, ...) {
	va_list args;
	va_start(args, fmt);
	if (!r->wrong_line) {
		r->wrong_line = r->line;
		vsnprintf(r->wrong, sizeof(r->wrong), fmt, args);
	}
	va_end(args);
}

/* Skips the rest of a line that is too long. Returns false if nothing was left of it. */
static bool skip_rest(FILE *file) {
	bool is_some = false;
	for (int c = getc(file); c != EOF && c != '\n'; c = getc(file)) {
		is_some = true;
	}
	return is_some;
}

/*
 * A line of the file for inih: without leading blanks, which would make it continue the previous
 * value. Sections without keys do not reach on_key().
 */
static char *read_line(char *line, int size, void *file) {
	struct reading *r = file;
	if (!fgets(line, size, r->file)) {
		return NULL;
	}
	const size_t blanks = strspn(line, " \t\r\f\v"), n = strlen(line);
	r->line++;
	memmove(line, line + blanks, n + 1 - blanks);
	if (n == (size_t)size - 1 && line[n - blanks - 1] != '\n' && skip_rest(r->file) &&
			line[0] != ';' && line[0] != '#') {
		note_wrong(r, "longer than %d bytes", size - 1);
	}
	const size_t n_name = strcspn(line, "]");
	if (line[0] == '[' && line[n_name] == ']' &&
			(n_name != sizeof("[picad") - 1 || strncmp(line, "[picad", n_name) != 0)) {
		note_wrong(r, "unknown section %.*s], expected [picad]", (int)n_name, line);
	}
	return line;
}

/*
 * Refuses folders, which read as empty, and pipes and terminals, which may never end. /dev/null is
 * an empty configuration.
 */
static FILE *open_regular(const char *path) {
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool is_there = fd >= 0 && fstat(fd, &st) == 0;
	const bool is_null = is_there && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
	FILE *file = is_there && (is_null || S_ISREG(st.st_mode)) ? fdopen(fd, "r") : NULL;
	if (!file) {
		log_error("%s: %s", path,
				is_there && !S_ISREG(st.st_mode) ? "not a regular file" :
								   strerror(errno));
		if (fd >= 0) {
			close(fd);
		}
	}
	return file;
}

static int read_file(struct options *o, const char *path) {
	struct reading r = { .o = o, .file = open_regular(path) };
	if (!r.file) {
		return -EINVAL;
	}
	int line = ini_parse_stream(read_line, &r, on_key, &r);
	fclose(r.file);
	if (r.wrong_line && (!line || r.wrong_line <= line)) {
		line = r.wrong_line;
		memcpy(r.why, r.wrong, sizeof(r.why));
	}
	if (line) {
		log_error("%s:%d: %s", path, line,
				r.why[0] ? r.why : "expected [picad], key = value, or a comment");
	}
	return line ? -EINVAL : 0;
}

static int is_conf(const struct dirent *e) {
	size_t n = strlen(e->d_name);
	return n > 5 && strcmp(e->d_name + n - 5, ".conf") == 0;
}

/* FILE.d/NAME.conf, in the order of their names. */
static int read_drop_ins(struct options *o, const char *path) {
	char folder[4096], file[8192];
	struct dirent **entries;
	int ret = 0;
	snprintf(folder, sizeof(folder), "%s.d", path);
	int n = scandir(folder, &entries, is_conf, alphasort);
	for (int i = 0; i < n; i++) {
		if (ret == 0) {
			snprintf(file, sizeof(file), "%s/%s", folder, entries[i]->d_name);
			ret = read_file(o, file);
		}
		free(entries[i]);
	}
	if (n >= 0) {
		free(entries);
	}
	return ret;
}

const char *options_config(const struct options *o) {
	return o->config ? o->config : default_config;
}

int options_read_config(struct options *o) {
	const char *path = options_config(o);
	int ret = o->config || access(path, F_OK) == 0 ? read_file(o, path) : 0;
	return ret < 0 ? ret : read_drop_ins(o, path);
}
