/* Makes room: frees memory kept for later, then the context waits (exec_make_room()). */
#include "core/pass/unit.h"

enum { ROOM_STEP = 1 << 20 }; /* an open pass checks for room again after this many bytes */

void exec_join(struct exec *x) {
	monitor_lock(&x->e->caches);
	x->next = x->e->execs;
	x->e->execs = x;
	monitor_unlock(&x->e->caches);
}

void room_leave(struct exec *x) {
	monitor_lock(&x->e->caches);
	struct exec **link = &x->e->execs;
	while (*link && *link != x) {
		link = &(*link)->next;
	}
	*link = *link ? x->next : NULL;
	monitor_unlock(&x->e->caches);
}

void room_end_exempt(struct exec *x) {
	x->is_exempt = false;
	if (memory_end_exempt(&x->memory, x)) {
		x->e->notify(x->e->notify_arg); /* others wait for it */
	}
}

/* ---- Eviction: engine.caches held ---- */

static void evict(struct exec *x, const struct pica_memory *full) {
	while (x->free_chunks && memory_is_full(full)) {
		unit_destroy_chunk(x, unit_take_chunk(x));
	}
	for (unsigned i = 0; i < EXEC_UNITS && memory_is_full(full); i++) {
		struct unit *u = &x->unit[i];
		if (u->is_retired) {
			unit_sweep(x, u);
		}
		if (!u->busy) {
			unit_no_longer_kept(x, u->arena.capacity);
			arena_finish(&u->arena);
		}
	}
	if (memory_is_full(full)) {
		x->evict(x->owner, full);
	}
}

/* The part of `full` that x belongs to, or x's own account; NULL: none of it. */
static const struct pica_memory *part_of(const struct pica_memory *full, const struct exec *x) {
	const struct pica_memory *part = &x->memory, *m = part;
	while (m && m != full) {
		part = m;
		m = m->parent;
	}
	return m ? part : NULL;
}

/* Compares by bytes of their parts of the full account, then by bytes of the contexts. */
static bool uses_more(
		const struct pica_memory *full, const struct exec *x, const struct exec *than) {
	const struct pica_memory *a = part_of(full, x), *b = part_of(full, than);
	const size_t p = memory_used(a), q = memory_used(b);
	return a != b && p != q ? p > q : memory_used(&x->memory) > memory_used(&than->memory);
}

/* Evicts from the heaviest user first, until the account is not full or nothing is left. */
static void evict_heaviest(struct engine *e, const struct pica_memory *full) {
	for (struct exec *x = e->execs; x; x = x->next) {
		x->is_tried = !part_of(full, x);
	}
	while (memory_is_full(full)) {
		struct exec *most = NULL;
		for (struct exec *x = e->execs; x; x = x->next) {
			if (!x->is_tried && (!most || uses_more(full, x, most))) {
				most = x;
			}
		}
		if (!most) {
			return;
		}
		most->is_tried = true;
		evict(most, full);
	}
}

/* Returns whether the context is beyond a limit although nothing more can be evicted. */
static bool is_beyond(struct exec *x) {
	struct pica_memory *full = memory_find_full(&x->memory);
	if (full) {
		monitor_lock(&x->e->caches);
		for (; full; full = memory_find_full(full->parent)) {
			evict_heaviest(x->e, full);
		}
		monitor_unlock(&x->e->caches);
		full = memory_find_full(&x->memory);
	}
	return full;
}

void engine_trim(struct engine *e) {
	monitor_lock(&e->caches);
	for (struct exec *x = e->execs; x; x = x->next) {
		struct pica_memory *full = &x->memory;
		while ((full = memory_find_full(full)) != NULL) {
			evict_heaviest(e, full);
			full = full->parent;
		}
	}
	monitor_unlock(&e->caches);
}

/* ---- Waiting ---- */

void exec_make_room(struct exec *x) {
	if (x->open && unit_need_of_limit(x->open) - x->open->room_bytes < ROOM_STEP) {
		return;
	}
	while (is_beyond(x) && !exec_is_abandoned(x)) {
		if (exec_park(x)) {
			continue;
		}
		x->is_exempt = x->is_exempt || memory_exempt(&x->memory, x);
		if (x->is_exempt || !x->await_room(x->owner)) {
			break;
		}
	}
	if (x->open) {
		x->open->room_bytes = unit_need_of_limit(x->open);
	}
}
