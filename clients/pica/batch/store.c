#include "batch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/json.h"
#include "pictures/file.h"

enum { MAX_RESULT = 256 << 20, HOST_BYTES = 64, CLAIM_TRIES = 10 };

const char *const batch_picture_files[] = { "file", "expected_file", "difference_file" };

/* ---- Folders ---- */

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
	remove(path);
	return 0;
}

void batch_store_remove(const char *path) {
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Creates a folder unless it exists. Returns 0 or a negative errno. */
static int make_folder(const char *path) {
	return mkdir(path, 0777) < 0 && errno != EEXIST ? -errno : 0;
}

static void host_name(char host[HOST_BYTES]) {
	if (gethostname(host, HOST_BYTES) < 0) {
		strcpy(host, "localhost");
	}
	host[HOST_BYTES - 1] = '\0';
	for (char *c = host; *c; c++) {
		*c = *c == '/' ? '_' : *c;
	}
}

/*
 * Locks the folder while the run lives. Returns the lock, or a negative errno; -EWOULDBLOCK:
 * another process holds it.
 */
static int lock_folder(const char *path) {
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		const int ret = -errno;
		close(fd);
		return ret;
	}
	return fd < 0 ? -errno : fd;
}

/* Leaves runs of other machines alone, which may still be running. */
static void remove_left_over(const char *work, const char *host) {
	struct dirent **entries = NULL;
	const int n = scandir(work, &entries, NULL, NULL);
	const size_t len = strlen(host);
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		const bool is_left = strncmp(name, host, len) == 0 && name[len] == '-';
		char *path = is_left ? file_in(work, name) : NULL;
		const int lock = path ? lock_folder(path) : -1;
		if (lock >= 0) {
			batch_store_remove(path);
			close(lock);
		}
		free(path);
		free(entries[i]);
	}
	free(entries);
}

/*
 * Makes a locked folder in work. -EAGAIN: before the lock, another run removed it as a leftover, or
 * removed the empty work.
 */
static int make_locked(struct batch_store *store, const char *parent, const char *host) {
	struct stat st;
	free(store->work);
	if (asprintf(&store->work, "%s/%s-%ld-XXXXXX", parent, host, (long)getpid()) < 0) {
		store->work = NULL;
		return -ENOMEM;
	}
	int ret = make_folder(parent);
	if (ret < 0) {
		return ret;
	}
	if (!mkdtemp(store->work)) {
		return errno == ENOENT ? -EAGAIN : -errno;
	}
	store->lock = lock_folder(store->work);
	if (store->lock == -EWOULDBLOCK || store->lock == -ENOENT) {
		store->lock = -1;
		return -EAGAIN;
	}
	if (store->lock < 0) {
		/* a file system without locks, where nothing is removed as a leftover */
		store->lock = -1;
		return 0;
	}
	if (stat(store->work, &st) < 0) {
		close(store->lock);
		store->lock = -1;
		return -EAGAIN;
	}
	return 0;
}

static int make_work(struct batch_store *store) {
	char host[HOST_BYTES];
	char *parent = file_in(store->folder, "work"), *results = file_in(store->folder, "results");
	int ret = -ENOMEM;
	host_name(host);
	if (parent && results) {
		ret = make_folder(store->folder);
		ret = ret < 0 ? ret : make_folder(results);
		remove_left_over(parent, host);
		if (ret == 0) {
			ret = -EAGAIN;
		}
		for (unsigned i = 0; i < 100 && ret == -EAGAIN; i++) {
			ret = make_locked(store, parent, host);
		}
	}
	free(parent);
	free(results);
	return ret;
}

int batch_store_open(struct batch_store *store, const char *folder, bool is_written) {
	struct stat st;
	*store = (struct batch_store){ .folder = strdup(folder), .lock = -1, .claim = -1 };
	int ret = store->folder ? 0 : -ENOMEM;
	if (ret == 0 && is_written) {
		ret = make_work(store);
	} else if (ret == 0) {
		ret = stat(folder, &st) < 0 ? -errno : S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
	}
	if (ret < 0) {
		log_line("%s: %s", folder, strerror(-ret));
		free(store->work);
		store->work = NULL;
	}
	return ret < 0 ? EXIT_TROUBLE : EXIT_FINE;
}

void batch_store_close(struct batch_store *store) {
	if (store->work) {
		batch_store_remove(store->work);
		rmdir(dirname(store->work)); /* unless another run is under way in it */
	}
	if (store->lock >= 0) {
		close(store->lock);
	}
	if (store->claim >= 0) {
		close(store->claim);
	}
	free(store->work);
	free(store->folder);
	*store = (struct batch_store)BATCH_STORE_CLOSED;
}

int batch_store_claim(struct batch_store *store, bool alone) {
	const int how = (alone ? LOCK_EX : LOCK_SH) | LOCK_NB;
	store->claim = open(store->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret = store->claim < 0 ? -1 : flock(store->claim, how);
	/* Children of a killed run may still be exiting. */
	for (int i = 0; i < CLAIM_TRIES && store->claim >= 0 && ret < 0 && errno == EWOULDBLOCK;
			i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
		ret = flock(store->claim, how);
	}
	if (store->claim < 0 || ret == 0 || errno != EWOULDBLOCK) {
		return EXIT_FINE;
	}
	return log_fail("%s: another run is under way in this folder: wait for it, take another folder, or share "
	     "the work out by pica batch plan and run",
			store->folder);
}

char *batch_store_path(const struct batch_store *store, const char *key, const char *file) {
	char *path;
	const int len =
		asprintf(&path, "%s/results/%s%s%s", store->folder, key, file ? "/" :
		"", file ? file : "");
	return len < 0 ? NULL : path;
}

int batch_store_begin(const struct batch_store *store, unsigned unit, char **path) {
	if (asprintf(path, "%s/%u", store->work, unit) < 0) {
		*path = NULL;
		return -ENOMEM;
	}
	batch_store_remove(*path);
	return mkdir(*path, 0777) < 0 ? -errno : 0;
}

int batch_store_publish(const struct batch_store *store, const char *key, const char *path) {
	char *to = batch_store_path(store, key, NULL), *old = NULL;
	int ret = -ENOMEM;
	if (to && asprintf(&old, "%s/old-%s", store->work, key) >= 0) {
		ret = rename(path, to) < 0 ? -errno : 0;
		/* rename(2) does not replace a folder that is not empty. */
		for (unsigned i = 0; i < 8 && (ret == -ENOTEMPTY || ret == -EEXIST); i++) {
			ret = rename(to, old) < 0 && errno != ENOENT ? -errno : 0;
			ret = ret < 0 ? ret : rename(path, to) < 0 ? -errno : 0;
			batch_store_remove(old);
		}
	}
	free(to);
	free(old);
	return ret;
}

/* ---- Results ---- */

static json_t *load_json(
	const struct batch_store *store, const char *key, const char *name, const char **what) {
	char *path = batch_store_path(store, key, name);
	void *data = NULL;
	size_t size = 0;
	json_error_t error;
	int ret = path ? file_read(path, &data, &size, MAX_RESULT) : -ENOMEM;
	json_t *json = ret < 0 ? NULL : json_loadb(data, size, JSON_REJECT_DUPLICATES, &error);
	*what = ret == -ENOENT || ret == -ENOTDIR ? ""
		: ret < 0                         ? strerror(-ret)
		: json                            ? NULL
						  : "expected JSON";
	free(data);
	free(path);
	return json;
}

static bool is_text(const json_t *object, const char *name) {
	return json_is_string(json_object_get(object, name));
}

/* Checks the members that reports use. Pictures are in the result's own folder. */
static bool is_result(const json_t *result, const char *key) {
	const json_t *pictures = json_object_get(result, "pictures"),
		     *messages = json_object_get(result, "messages");
	const json_t *row;
	size_t i;
	if (!is_text(result, "key") ||
			strcmp(json_text_of(result, "key"), key) != 0 ||
			!is_text(result, "state") || !json_is_array(pictures) ||
			!json_is_array(messages) || batch_result_state(result) >= BATCH_MISSING) {
		return false;
	}
	json_array_foreach(messages, i, row) {
		if (!json_is_string(row)) {
			return false;
		}
	}
	json_array_foreach(pictures, i, row) {
		if (!is_text(row, "screen") || !is_text(row, "hash") ||
			!json_is_integer(json_object_get(row, "frame"))) {
			return false;
		}
		for (unsigned k = 0; k < BATCH_PICTURE_FILES; k++) {
			const json_t *file = json_object_get(row, batch_picture_files[k]);
			if (file &&
					(!json_is_string(file) ||
							strchr(json_string_value(file), '/'))) {
				return false;
			}
		}
	}
	return true;
}

json_t *batch_store_load(const struct batch_store *store, const char *key, const char **what) {
	const char *why;
	json_t *result = load_json(store, key, "result.json", &why);
	if (result && !is_result(result, key)) {
		json_decref(result);
		result = NULL;
		why = "expected a result of this key";
	}
	if (what) {
		*what = why;
	}
	return result;
}

json_t *batch_store_load_run(const struct batch_store *store, const char *key) {
	const char *what;
	return load_json(store, key, "run.json", &what);
}

static bool is_there(const struct batch_store *store, const char *key, const char *name) {
	struct stat st;
	char *path = batch_store_path(store, key, name);
	const bool is_there = path && stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
	free(path);
	return is_there;
}

bool batch_store_has_pictures(const struct batch_store *store, const char *key,
		const json_t *result) {
	const json_t *row;
	size_t i;
	json_array_foreach(json_object_get(result, "pictures"), i, row) {
		for (unsigned k = 0; k < BATCH_PICTURE_FILES; k++) {
			const char *name = json_text_of(row, batch_picture_files[k]);
			if (name && !is_there(store, key, name)) {
				return false;
			}
		}
	}
	return true;
}

enum batch_state batch_result_state(const json_t *result) {
	return batch_state_from_name(json_text_of(result, "state"));
}
