/* Growable arrays. */
#ifndef PICA_ARRAY_H
#define PICA_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Makes room for one more element after n. Returns the array, moved if necessary. When out of
 * memory returns NULL and leaves the array unchanged.
 */
static inline void *array_room(void *array, size_t n, size_t *cap, size_t element_bytes) {
	if (n < *cap) {
		return array;
	}
	const size_t more = *cap ? 2 * *cap : 16;
	void *grown = realloc(array, more * element_bytes);
	*cap = grown ? more : *cap;
	return grown;
}

#endif
