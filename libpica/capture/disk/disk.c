#include "capture/disk/disk.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_TRIES = 1000, NAME_EXTRA = 48 };

/* The folder of a path (caller frees). */
static char *folder_of(const char *path) {
	const char *slash = strrchr(path, '/');
	if (!slash) {
		return strdup(".");
	}
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* "path.tmp-123-0" and so on; calls make() until it does not return -EEXIST. */
static int with_name(struct disk_file *f, int (*make)(struct disk_file *f, const char *name)) {
	const size_t room = strlen(f->path) + NAME_EXTRA;
	char *name = malloc(room);
	int ret = -ENOMEM;
	for (unsigned n = 0; name && n < NAME_TRIES; n++) {
		snprintf(name, room, "%s.tmp-%ld-%u", f->path, (long)getpid(), n);
		ret = make(f, name);
		if (ret != -EEXIST) {
			break;
		}
	}
	if (ret < 0) {
		free(name);
	} else {
		f->temp = name;
	}
	return ret;
}

static int make_file(struct disk_file *f, const char *name) {
	f->fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return f->fd < 0 ? -errno : 0;
}

/* Links through /proc, since linking by descriptor needs privileges. */
static int make_link(struct disk_file *f, const char *name) {
	char self[48];
	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

int disk_open(struct disk_file *f, const char *path) {
	struct stat st;
	*f = (struct disk_file){ .fd = -1, .folder = -1 };
	if (!path[0]) {
		return -ENOENT;
	}
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	}
	/* A symbolic link is kept: its target is replaced. */
	char *real = realpath(path, NULL);
	f->path = real ? real : strdup(path);
	char *folder = f->path ? folder_of(f->path) : NULL;
	int ret = folder ? 0 : -ENOMEM;
	if (ret == 0 && access("/proc/self/fd", X_OK) == 0) {
		f->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	}
	if (ret == 0 && f->fd < 0) {
		ret = with_name(f, make_file);
	}
	free(folder);
	if (ret < 0) {
		disk_drop(f);
	}
	return ret;
}

int disk_begin(struct disk_file *f, const char *path) {
	int ret = disk_open(f, path);
	if (ret < 0) {
		return ret;
	}
	char *folder = folder_of(f->path);
	f->folder = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	ret = !folder ? -ENOMEM : f->folder < 0 ? -errno : 0;
	free(folder);
	if (ret < 0) {
		disk_drop(f);
	}
	return ret;
}

int disk_show(struct disk_file *f) {
	return f->temp ? 0 : with_name(f, make_link);
}

void disk_hide(struct disk_file *f) {
	if (f->temp) {
		unlink(f->temp);
	}
	free(f->temp);
	f->temp = NULL;
}

int disk_defer(struct disk_file *f, const struct disk_bounds *bounds) {
	f->may_wait = true;
	return disk_queue_create(&f->queue, f->fd, bounds);
}

/*
 * Waits until everything is written. Returns 0, -ETIME if the disk does not answer, or an error of
 * write(2).
 */
static int disk_settle(struct disk_file *f) {
	struct disk_queue *q = f->queue;
	f->queue = NULL;
	return q ? disk_queue_finish(q) : 0;
}

/* offset -1: where the file stands. */
static int write_all(int fd, const uint8_t *bytes, uint64_t size, off_t offset) {
	while (size > 0) {
		const size_t step = size < INT_MAX ? size : INT_MAX;
		ssize_t n = offset < 0 ? write(fd, bytes, step) : pwrite(fd, bytes, step, offset);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			return n < 0 ? -errno : -EIO;
		}
		bytes += n;
		offset += offset < 0 ? 0 : n;
		size -= (uint64_t)n;
	}
	return 0;
}

int disk_write(struct disk_file *f, const void *data, uint64_t size) {
	return f->queue ? disk_queue_write(f->queue, data, size, f->may_wait) :
			write_all(f->fd, data, size, -1);
}

int disk_write_at(struct disk_file *f, uint64_t offset, const void *data, uint64_t size) {
	const int ret = disk_settle(f);
	return ret < 0 ? ret : write_all(f->fd, data, size, (off_t)offset);
}

int64_t disk_read_at(int fd, uint64_t offset, void *out, uint64_t size) {
	uint64_t have = 0;
	while (have < size) {
		ssize_t n = pread(fd, (uint8_t *)out + have, size - have, (off_t)(offset + have));
		if (n < 0 && errno != EINTR) {
			return -errno;
		}
		if (n == 0) {
			break;
		}
		have += n > 0 ? (uint64_t)n : 0;
	}
	return (int64_t)have;
}

static int sync_file(int fd) {
	while (fsync(fd) < 0) {
		if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

/* link(2) never replaces a file: link under another name first, then rename. */
int disk_publish(struct disk_file *f) {
	int ret = f->temp ? 0 : make_link(f, f->path);
	if (ret == 0 && !f->temp) {
		return 0;
	}
	if (ret == -EEXIST) {
		ret = with_name(f, make_link);
	}
	if (ret == 0 && rename(f->temp, f->path) < 0) {
		ret = -errno;
	}
	if (ret == 0) {
		free(f->temp);
		f->temp = NULL;
	}
	return ret;
}

int disk_commit(struct disk_file *f) {
	int ret = disk_settle(f);
	ret = ret < 0 ? ret : sync_file(f->fd);
	ret = ret < 0 ? ret : disk_publish(f);
	if (ret < 0) {
		return ret;
	}
	/* Syncs the change of the folder, if the file system supports it. */
	ret = sync_file(f->folder);
	if (ret < 0 && ret != -EINVAL && ret != -EROFS) {
		return ret;
	}
	disk_drop(f);
	return 0;
}

void disk_drop(struct disk_file *f) {
	disk_queue_drop(f->queue);
	if (f->fd >= 0) {
		close(f->fd);
	}
	if (f->folder >= 0) {
		close(f->folder);
	}
	disk_hide(f);
	free(f->path);
	*f = (struct disk_file){ .fd = -1, .folder = -1 };
}
