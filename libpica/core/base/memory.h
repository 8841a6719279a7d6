/*
 * Counts of memory. A block is counted to a context and to all that the context belongs to, which
 * are its account's parents: a session, a user, all users. Any thread; all counts are relaxed.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pica_memory {
	struct pica_memory *parent; /* counted; NULL: none */
	atomic_size_t used;
	atomic_size_t limit;
	/* The one caller that may exceed the limit; 0: none. */
	atomic_uintptr_t exempt;
	atomic_uint refs;
};

/* Without a parent and a limit, with one reference. */
void memory_init(struct pica_memory *m);
struct pica_memory *memory_get(struct pica_memory *m);
/* The last one frees it. NULL is allowed. */
void memory_put(struct pica_memory *m);

/* Adds to the account and its parents. NULL: no account. */
void memory_charge(struct pica_memory *m, size_t size_bytes);
void memory_uncharge(struct pica_memory *m, size_t size_bytes);

/* As malloc() and free(), charged. Returns NULL when out of memory. */
void *memory_alloc(struct pica_memory *m, size_t size_bytes);
void memory_free(struct pica_memory *m, void *block, size_t size_bytes);
/* As realloc(): on success the charge changes with the size. */
void *memory_grow(struct pica_memory *m, void *block, size_t old_bytes, size_t size_bytes);

static inline size_t memory_used(const struct pica_memory *m) {
	return atomic_load_explicit(&m->used, memory_order_relaxed);
}

static inline bool memory_is_full(const struct pica_memory *m) {
	return memory_used(m) > atomic_load_explicit(&m->limit, memory_order_relaxed);
}

/* Returns the lowest account, from m up, that is beyond its limit; or NULL. */
struct pica_memory *memory_find_full(struct pica_memory *m);
/*
 * Returns what a single unit of work may need: a quarter of the smallest limit from m up. It does
 * not depend on what is used.
 */
size_t memory_unit_limit(const struct pica_memory *m);
/* Returns whether who may continue beyond the limits from m up, until memory_end_exempt(). */
bool memory_exempt(struct pica_memory *m, const void *who);
/* Returns whether it was exempt somewhere. */
bool memory_end_exempt(struct pica_memory *m, const void *who);

#endif
