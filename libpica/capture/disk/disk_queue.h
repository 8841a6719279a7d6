/*
 * Bytes on their way to a file, with a bound, written by a thread of their own: whoever hands them
 * over does not wait for the disk. A disk that hangs is given up; its thread is left to itself and
 * frees what there is when its write(2) comes back.
 */
#ifndef CAPTURE_DISK_QUEUE_H
#define CAPTURE_DISK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disk_queue;

/* At most this many bytes wait; no caller waits longer than patience_ns without progress. */
struct disk_bounds {
	uint64_t bytes, patience_ns;
};

/* fd: borrowed, with its place to write at, which is the queue's until it ends. */
int disk_queue_create(struct disk_queue **out, int fd, const struct disk_bounds *bounds);
/*
 * Copies the bytes. If there is no room, waits for it (may_wait) or returns -ETIME. Every later
 * call returns the first error of the disk.
 */
int disk_queue_write(struct disk_queue *q, const void *data, uint64_t size, bool may_wait);
/* Waits until all is written and ends the queue, whatever it returns: 0, -ETIME, write(2)'s. */
int disk_queue_finish(struct disk_queue *q);
/* Ends it at once; what waits is lost. NULL is allowed. */
void disk_queue_drop(struct disk_queue *q);

#endif
