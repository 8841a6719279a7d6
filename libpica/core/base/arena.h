/*
 * Bump allocator. A reset keeps the blocks, so that a steady state allocates nothing. One owner at
 * a time; no locking.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;
struct pica_memory;

struct arena {
	struct arena_block *first; /* all blocks, in order of use */
	struct arena_block *current;
	size_t used;       /* bytes used in current */
	size_t total_used; /* bytes handed out since the last reset */
	size_t capacity;   /* of all blocks */
	struct pica_memory *memory; /* account that is charged for the blocks; NULL: none */
};

/* memory: account that is charged for the blocks; NULL: none. */
void arena_init(struct arena *a, struct pica_memory *memory);
void arena_finish(struct arena *a);
/* Forgets everything that was handed out; keeps the blocks. */
void arena_reset(struct arena *a);
/* Resets the arena and frees one block. Returns the bytes of that block, or 0. */
size_t arena_shrink(struct arena *a);
/*
 * Returns memory that is 64-byte aligned and not zeroed, or NULL when out of memory or if the size
 * overflows.
 */
void *arena_alloc(struct arena *a, size_t size_bytes);
void *arena_zalloc(struct arena *a, size_t size_bytes);

#endif
