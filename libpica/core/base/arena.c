#include "core/base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/memory.h"

enum { ARENA_ALIGN = 64, ARENA_BLOCK = 64 * 1024 };

struct arena_block {
	struct arena_block *next;
	size_t capacity;
	PICA_ALIGNED(64) unsigned char data[];
};

void arena_init(struct arena *a, struct pica_memory *memory) {
	*a = (struct arena){ .memory = memory };
}

void arena_reset(struct arena *a) {
	a->current = a->first;
	a->used = 0;
	a->total_used = 0;
}

size_t arena_shrink(struct arena *a) {
	struct arena_block *b = a->first;
	const size_t freed = b ? b->capacity : 0;
	a->first = b ? b->next : NULL;
	free(b);
	memory_uncharge(a->memory, freed);
	a->capacity -= freed;
	arena_reset(a);
	return freed;
}

void arena_finish(struct arena *a) {
	while (a->first) {
		arena_shrink(a);
	}
	arena_init(a, a->memory);
}

static struct arena_block *block_create(size_t capacity) {
	size_t total = sizeof(struct arena_block) + capacity;
	struct arena_block *b = aligned_alloc(ARENA_ALIGN, (total + ARENA_ALIGN - 1) &
					~(size_t)(ARENA_ALIGN - 1));
	if (b) {
		b->next = NULL;
		b->capacity = capacity;
	}
	return b;
}

void *arena_alloc(struct arena *a, size_t size_bytes) {
	if (size_bytes > SIZE_MAX / 2) {
		return NULL;
	}
	size_t size = (size_bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (size == 0) {
		size = ARENA_ALIGN;
	}
	while (!a->current || a->current->capacity - a->used < size) {
		struct arena_block *next = a->current ? a->current->next : a->first;
		if (!next || next->capacity < size) {
			/*
			 * A new block goes between current and the rest, so that no kept block is
			 * lost.
			 */
			struct arena_block *b =
					block_create(size > ARENA_BLOCK ? size : ARENA_BLOCK);
			if (!b) {
				return NULL;
			}
			a->capacity += b->capacity;
			memory_charge(a->memory, b->capacity);
			b->next = next;
			if (a->current) {
				a->current->next = b;
			} else {
				a->first = b;
			}
			next = b;
		}
		a->current = next;
		a->used = 0;
	}
	void *p = a->current->data + a->used;
	a->used += size;
	a->total_used += size;
	return p;
}

void *arena_zalloc(struct arena *a, size_t size_bytes) {
	void *p = arena_alloc(a, size_bytes);
	if (p) {
		memset(p, 0, size_bytes);
	}
	return p;
}
