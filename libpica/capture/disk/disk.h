/* A file that appears under its name only once it is complete and on the disk. */
#ifndef CAPTURE_DISK_H
#define CAPTURE_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/disk/disk_queue.h"

struct disk_file {
	int fd;         /* read and write; -1: none */
	int folder;     /* of path; -1: none */
	char *path;     /* ours: where it will be */
	char *temp;     /* ours: its name until then; NULL: it has none */
	struct disk_queue *queue; /* ours: writes go through it; NULL: at once */
	bool may_wait;  /* for room in the queue */
};

/*
 * Opens a file without a name in the folder of path; if the file system has no such files, one
 * named "path.tmp-PROCESS-NUMBER", the only thing that a killed process may leave. Returns 0,
 * -EISDIR if path is a folder, -EINVAL if it is another file that is not regular, or an error of
 * open(2).
 */
int disk_open(struct disk_file *f, const char *path);
/* The same for a file that disk_commit() will sync. */
int disk_begin(struct disk_file *f, const char *path);
/*
 * From here on disk_write() only queues (disk_queue.h), until a call that needs the file itself.
 * may_wait is true.
 */
int disk_defer(struct disk_file *f, const struct disk_bounds *bounds);
int disk_write(struct disk_file *f, const void *data, uint64_t size);
int disk_write_at(struct disk_file *f, uint64_t offset, const void *data, uint64_t size);
/*
 * Returns the number of bytes that were read, fewer than size at the end of the file, or a negative
 * errno.
 */
int64_t disk_read_at(int fd, uint64_t offset, void *out, uint64_t size);
/* Gives the file the name "path.tmp-PROCESS-NUMBER", until it has its own. */
int disk_show(struct disk_file *f);
/* For a file that never gets a name. */
void disk_hide(struct disk_file *f);
/*
 * Gives the file its name, replacing a file that has it; the system writes it to the disk later.
 * Call disk_drop() in any case.
 */
int disk_publish(struct disk_file *f);
/*
 * Syncs the file, then its name; a file of that name is replaced. Returns 0 and ends
 * f, or a negative errno. If only the name fails to reach the disk, the file still has its name,
 * which a power loss may take.
 */
int disk_commit(struct disk_file *f);
/* Closes and removes it. A file that is not open is allowed. */
void disk_drop(struct disk_file *f);

#endif
