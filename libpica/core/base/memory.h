/*
 * Memory accounts. A block is charged to the account of its context and to all parents of that
 * account: a session, a user, all users. Functions may be called from any thread; all counts are
 * relaxed.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pica_memory {
	struct pica_memory *parent; /* counted reference; NULL: none */
	atomic_size_t used;
	atomic_size_t limit;
	/* The one caller that may exceed the limit; 0: none. */
	atomic_uintptr_t exempt;
	atomic_uint refs;
};

/* Initializes an account with one reference, without parent and limit. */
void memory_init(struct pica_memory *m);
struct pica_memory *memory_get(struct pica_memory *m);
/* Drops a reference; the last one frees the account. NULL is allowed. */
void memory_put(struct pica_memory *m);

/* Charges the account and its parents. NULL: no account. */
void memory_charge(struct pica_memory *m, size_t size_bytes);
void memory_uncharge(struct pica_memory *m, size_t size_bytes);

/* As malloc() and free(), with a charge. Returns NULL when out of memory. */
void *memory_alloc(struct pica_memory *m, size_t size_bytes);
void memory_free(struct pica_memory *m, void *block, size_t size_bytes);
/* As realloc(). On success the charge changes with the size. */
void *memory_grow(struct pica_memory *m, void *block, size_t old_bytes, size_t size_bytes);

static inline size_t memory_used(const struct pica_memory *m) {
	return atomic_load_explicit(&m->used, memory_order_relaxed);
}

static inline bool memory_is_full(const struct pica_memory *m) {
	return memory_used(m) > atomic_load_explicit(&m->limit, memory_order_relaxed);
}

/*
 * Returns the first account over its limit, starting with m and going up to its parents; or NULL.
 */
struct pica_memory *memory_find_full(struct pica_memory *m);
/*
 * Returns the bytes that a single unit of work may need: a quarter of the smallest limit of m and
 * its parents. Does not depend on the memory in use.
 */
size_t memory_unit_limit(const struct pica_memory *m);
/*
 * Returns true if the caller `who` may exceed the limits of m and its parents until
 * memory_end_exempt().
 */
bool memory_exempt(struct pica_memory *m, const void *who);
/* Returns true if the caller was exempt at any account. */
bool memory_end_exempt(struct pica_memory *m, const void *who);

#endif
