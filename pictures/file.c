#include "pictures/file.h"

#include <errno.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/disk/disk.h"

static int last_error(void) {
	return errno ? -errno : -EIO;
}

/* ---- Unfinished files, to be removed if a signal ends the program ---- */

enum { MAX_UNFINISHED = 8 };

static const char *volatile unfinished[MAX_UNFINISHED];

static void on_end(int signal_number) {
	for (unsigned i = 0; i < MAX_UNFINISHED; i++) {
		const char *temp = unfinished[i];
		if (temp) {
			unlink(temp);
		}
	}
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void guard(const char *temp) {
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	static bool is_ready;
	if (!is_ready) {
		is_ready = true;
		for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
			struct sigaction old;
			if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
				signal(ends[i], on_end);
			}
		}
	}
	for (unsigned i = 0; i < MAX_UNFINISHED; i++) {
		if (!unfinished[i]) {
			unfinished[i] = temp;
			return;
		}
	}
}

static void unguard(const char *temp) {
	for (unsigned i = 0; temp && i < MAX_UNFINISHED; i++) {
		if (unfinished[i] == temp) {
			unfinished[i] = NULL;
		}
	}
}

static void file_clear(struct file_out *out) {
	unguard(out->temp);
	if (out->disk) {
		disk_drop(out->disk);
	}
	free(out->disk);
	free(out->temp);
	memset(out, 0, sizeof(*out));
}

/* Creates a file that will become path; its temporary name, if any, must be unlinked. */
static int begin_aside(struct file_out *out, const char *path) {
	out->disk = malloc(sizeof(*out->disk));
	if (!out->disk) {
		return -ENOMEM;
	}
	int ret = disk_open(out->disk, path);
	if (ret < 0) {
		free(out->disk);
		out->disk = NULL;
		return ret;
	}
	if (out->disk->temp) {
		out->temp = strdup(out->disk->temp);
		if (!out->temp) {
			return -ENOMEM;
		}
		guard(out->temp);
	}
	/* Closing may report errors that writing did not; the file still needs its name then. */
	const int fd = fcntl(out->disk->fd, F_DUPFD_CLOEXEC, 0);
	out->f = fd < 0 ? NULL : fdopen(fd, "wb");
	if (!out->f) {
		ret = last_error();
		if (fd >= 0) {
			close(fd);
		}
	}
	return ret;
}

bool file_is_stdout(const char *path) {
	struct stat there, here;
	return strcmp(path, "-") == 0 ||
			(stat(path, &there) == 0 && fstat(STDOUT_FILENO, &here) == 0 &&
					there.st_dev == here.st_dev &&
					there.st_ino == here.st_ino);
}

int file_begin(struct file_out *out, const char *path) {
	memset(out, 0, sizeof(*out));
	signal(SIGXFSZ, SIG_IGN); /* a file that is too large is an error of write(2) */
	if (file_is_stdout(path)) {
		out->f = stdout;
		return 0;
	}
	struct stat st;
	const bool exists = stat(path, &st) == 0;
	if (exists && S_ISDIR(st.st_mode)) {
		return -EISDIR;
	}
	if (exists && !S_ISREG(st.st_mode)) {
		out->f = fopen(path, "wb");
		return out->f ? 0 : last_error();
	}
	const int ret = begin_aside(out, path);
	if (ret < 0) {
		file_clear(out);
	}
	return ret;
}

/*
 * Finds the lost reason of an earlier failed write: writing another page fails for the same reason.
 */
static int ask_again(FILE *f) {
	static const char page[4096];
	errno = 0;
	return write(fileno(f), page, sizeof(page)) < 0 ? last_error() : -EIO;
}

int file_finish(struct file_out *out, int result) {
	errno = 0;
	if (result == 0 && ferror(out->f)) {
		result = out->disk ? ask_again(out->f) : -EIO;
	}
	if (result == 0 && fflush(out->f)) {
		result = last_error();
	}
	if (out->f == stdout && result < 0) {
		/* The caller reports the error; exit must not try again. */
		__fpurge(stdout);
		clearerr(stdout);
	}
	if (out->f != stdout && fclose(out->f) && result == 0) {
		result = last_error();
	}
	if (result == 0 && out->disk) {
		result = disk_publish(out->disk);
	}
	file_clear(out);
	return result;
}

int file_make_folders(const char *path) {
	char *part = strdup(path);
	struct stat st;
	int ret = part ? 0 : -ENOMEM;
	for (char *p = part; p && *p && ret == 0 && (p = strchr(p + 1, '/')); *p = '/') {
		*p = '\0';
		if (stat(part, &st) < 0 && mkdir(part, 0777) < 0 && errno != EEXIST) {
			ret = -errno;
		}
	}
	free(part);
	return ret;
}

bool file_is_folder(const char *path) {
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool file_ends_with(const char *path, const char *end) {
	const size_t len = strlen(path), n = strlen(end);
	return len > n && strcmp(path + len - n, end) == 0;
}

char *file_in(const char *folder, const char *name) {
	const size_t len = strlen(folder);
	const char *slash = len && folder[len - 1] == '/' ? "" : "/";
	char *path;
	return asprintf(&path, "%s%s%s", folder, slash, name) < 0 ? NULL : path;
}

int file_write(const char *path, const void *data, size_t size) {
	struct file_out out;
	int ret = file_begin(&out, path);
	if (ret < 0) {
		return ret;
	}
	errno = 0;
	return file_finish(&out, fwrite(data, 1, size, out.f) == size ? 0 : last_error());
}

bool file_is_same(const char *a, const char *b) {
	struct stat first, second;
	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
			first.st_ino == second.st_ino;
}

const char *file_shown(const char *path) {
	return strcmp(path, "-") == 0 ? "standard output" : path;
}

static int read_stream(FILE *f, void **data, size_t *size, size_t limit) {
	size_t have = 0, cap = 65536;
	char *bytes = NULL;
	for (;;) {
		char *more = realloc(bytes, cap + 1);
		if (!more) {
			free(bytes);
			return -ENOMEM;
		}
		bytes = more;
		errno = 0;
		have += fread(bytes + have, 1, cap - have, f);
		if (have < cap || have > limit) {
			break;
		}
		cap *= 2;
	}
	if (ferror(f) || have > limit) {
		int ret = ferror(f) ? last_error() : -EFBIG;
		free(bytes);
		return ret;
	}
	bytes[have] = '\0';
	*data = bytes;
	*size = have;
	return 0;
}

int file_read(const char *path, void **data, size_t *size, size_t limit) {
	if (strcmp(path, "-") == 0) {
		return read_stream(stdin, data, size, limit);
	}
	FILE *f = fopen(path, "rb");
	if (!f) {
		return last_error();
	}
	int ret = read_stream(f, data, size, limit);
	fclose(f);
	return ret;
}
