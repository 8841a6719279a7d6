#include "capture/disk/dedup.h"

#include <stdlib.h>

enum { FIRST_ROOM = 256 };

static struct dedup_entry *find(
		struct dedup_entry *table, uint64_t room, XXH128_hash_t hash, uint32_t size) {
	uint64_t i = hash.low64 & (room - 1);
	while (table[i].size != 0 &&
			!(table[i].size == size && XXH128_isEqual(table[i].hash, hash))) {
		i = (i + 1) & (room - 1);
	}
	return &table[i];
}

static int grow(struct dedup *d) {
	if (2 * (d->n + 1) <= d->room) {
		return 0;
	}
	uint64_t room = d->room ? 2 * d->room : FIRST_ROOM;
	struct dedup_entry *table = calloc(room, sizeof(*table));
	if (!table) {
		return -1;
	}
	for (uint64_t i = 0; i < d->room; i++) {
		if (d->entry[i].size != 0) {
			*find(table, room, d->entry[i].hash, d->entry[i].size) = d->entry[i];
		}
	}
	free(d->entry);
	d->entry = table;
	d->room = room;
	return 0;
}

struct dedup_entry *dedup_find(struct dedup *d, const void *data, uint32_t size, int *is_new) {
	if (grow(d) < 0) {
		return NULL;
	}
	XXH128_hash_t hash = XXH3_128bits(data, size);
	struct dedup_entry *e = find(d->entry, d->room, hash, size);
	*is_new = e->size == 0;
	if (*is_new) {
		*e = (struct dedup_entry){ .hash = hash, .size = size };
		d->n++;
	}
	return e;
}

void dedup_finish(struct dedup *d) {
	free(d->entry);
	*d = (struct dedup){ 0 };
}
