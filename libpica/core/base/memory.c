#include "core/base/memory.h"

#include <stdlib.h>

void memory_init(struct pica_memory *m) {
	m->parent = NULL;
	atomic_init(&m->used, 0);
	atomic_init(&m->limit, SIZE_MAX);
	atomic_init(&m->exempt, 0);
	atomic_init(&m->refs, 1);
}

struct pica_memory *memory_get(struct pica_memory *m) {
	if (m) {
		atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
	}
	return m;
}

void memory_put(struct pica_memory *m) {
	/* acq_rel: the last one sees all changes by the others */
	while (m && atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) == 1) {
		struct pica_memory *parent = m->parent;
		free(m);
		m = parent;
	}
}

void memory_charge(struct pica_memory *m, size_t size_bytes) {
	for (; m; m = m->parent) {
		atomic_fetch_add_explicit(&m->used, size_bytes, memory_order_relaxed);
	}
}

void memory_uncharge(struct pica_memory *m, size_t size_bytes) {
	for (; m; m = m->parent) {
		atomic_fetch_sub_explicit(&m->used, size_bytes, memory_order_relaxed);
	}
}

void *memory_alloc(struct pica_memory *m, size_t size_bytes) {
	void *block = malloc(size_bytes);
	if (block) {
		memory_charge(m, size_bytes);
	}
	return block;
}

void memory_free(struct pica_memory *m, void *block, size_t size_bytes) {
	if (block) {
		memory_uncharge(m, size_bytes);
		free(block);
	}
}

void *memory_grow(struct pica_memory *m, void *block, size_t old_bytes, size_t size_bytes) {
	void *grown = realloc(block, size_bytes);
	if (grown) {
		memory_charge(m, size_bytes - old_bytes);
	}
	return grown;
}

struct pica_memory *memory_find_full(struct pica_memory *m) {
	while (m && !memory_is_full(m)) {
		m = m->parent;
	}
	return m;
}

size_t memory_unit_limit(const struct pica_memory *m) {
	size_t least = SIZE_MAX;
	for (; m; m = m->parent) {
		const size_t limit = atomic_load_explicit(&m->limit, memory_order_relaxed);
		least = limit < least ? limit : least;
	}
	return least == SIZE_MAX ? SIZE_MAX : least / 4;
}

bool memory_end_exempt(struct pica_memory *m, const void *who) {
	bool was = false;
	for (; m; m = m->parent) {
		uintptr_t exempt = (uintptr_t)who;
		was |= atomic_compare_exchange_strong_explicit(&m->exempt, &exempt, 0,
				memory_order_relaxed, memory_order_relaxed);
	}
	return was;
}

bool memory_exempt(struct pica_memory *m, const void *who) {
	for (struct pica_memory *from = m; m; m = m->parent) {
		uintptr_t nobody = 0;
		if (memory_is_full(m) &&
				!atomic_compare_exchange_strong_explicit(&m->exempt, &nobody,
						(uintptr_t)who, memory_order_relaxed,
						memory_order_relaxed) &&
				nobody != (uintptr_t)who) {
			memory_end_exempt(from, who);
			return false;
		}
	}
	return true;
}
