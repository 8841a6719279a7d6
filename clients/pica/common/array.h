/* Arrays that grow. */
#ifndef PICA_ARRAY_H
#define PICA_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Room for one more element after n: the array, moved if need be. NULL: out of memory, and the
 * array is unchanged.
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
