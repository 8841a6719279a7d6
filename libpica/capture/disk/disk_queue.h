/*
 * A bounded queue of bytes for a file, written by a separate thread, so that callers do not wait
 * for the disk. If the disk hangs, the queue is abandoned; its thread frees it when write(2)
 * returns.
 */
#ifndef CAPTURE_DISK_QUEUE_H
#define CAPTURE_DISK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disk_queue;
struct pica_memory;

/* At most this many bytes wait; no caller waits longer than patience_ns without progress. */
struct disk_bounds {
	uint64_t bytes, patience_ns;
	struct pica_memory *memory; /* charged with waiting bytes; referenced; NULL: none */
};

/* fd is borrowed; its file offset belongs to the queue until that ends. */
int disk_queue_create(struct disk_queue **out, int fd, const struct disk_bounds *bounds);
/*
 * Copies the bytes. If there is no room, waits for it (may_wait) or returns -ETIME. Every later
 * call returns the first error of the disk.
 */
int disk_queue_write(struct disk_queue *q, const void *data, uint64_t size, bool may_wait);
/* Waits until all is written, and ends the queue. Returns 0, -ETIME or an error of write(2). */
int disk_queue_finish(struct disk_queue *q);
/* Ends the queue at once; queued bytes are lost. NULL is allowed. */
void disk_queue_drop(struct disk_queue *q);

#endif
