/* A table of the data already in a file, by XXH3-128 and size. */
#ifndef CAPTURE_DEDUP_H
#define CAPTURE_DEDUP_H

#include <stdint.h>

#include <xxhash.h>

struct dedup_entry {
	XXH128_hash_t hash;
	uint32_t size;  /* 0: free slot */
	uint64_t place; /* the caller's: where the data is */
};

struct dedup {
	struct dedup_entry *entry; /* open addressing, room a power of two, at most half full */
	uint64_t n, room;
};

/*
 * Returns the entry of the data (size > 0), or NULL when out of memory. *is_new: it was not there,
 * and the caller sets its place before the next call.
 */
struct dedup_entry *dedup_find(struct dedup *d, const void *data, uint32_t size, int *is_new);
void dedup_finish(struct dedup *d);

#endif
