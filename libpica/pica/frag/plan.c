/* Plans: cache, counting, text. */
#include "pica/frag/step.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum {
	CACHE_BUCKETS = 4096,
	/*
	 * About 1.2 KiB each. Beyond that, plans that no draw holds and that were not used lately
	 * are dropped.
	 */
	CACHE_PLANS = 512,
};

struct frag_cache {
	struct frag_plan *bucket[CACHE_BUCKETS]; /* one reference each */
	struct frag_plan *last;                  /* found last; in a bucket */
	unsigned n_plans, limit;
	uint64_t clock;
	bool is_watched; /* frag_cache_watch() */
	struct pica_memory *memory; /* of the plans */
};

struct frag_cache *frag_cache_create(struct pica_memory *memory) {
	struct frag_cache *c = calloc(1, sizeof(*c));
	if (c) {
		c->limit = CACHE_PLANS;
		c->memory = memory;
	}
	return c;
}

void frag_cache_destroy(struct frag_cache *c) {
	if (!c) {
		return;
	}
	for (unsigned i = 0; i < CACHE_BUCKETS; i++) {
		while (c->bucket[i]) {
			struct frag_plan *p = c->bucket[i];
			c->bucket[i] = p->next;
			frag_plan_put(p);
		}
	}
	free(c);
}

void frag_cache_watch(struct frag_cache *c, bool on) {
	c->is_watched = on;
}

/*
 * Drops plans that only the cache holds and that recent lookups did not find: all of them (full
 * NULL), or while `full` is full. Counts cannot rise meanwhile, since only the command thread,
 * which runs this, takes references from the cache.
 */
static void sweep(struct frag_cache *c, uint64_t lookups, const struct pica_memory *full) {
	for (unsigned i = 0; i < CACHE_BUCKETS && (!full || memory_is_full(full)); i++) {
		for (struct frag_plan **link = &c->bucket[i]; *link;) {
			struct frag_plan *p = *link;
			/*
			 * acquire: pairs with the release in frag_plan_put(); its user is done
			 * reading
			 */
			if (atomic_load_explicit(&p->refs, memory_order_acquire) > 1 ||
					p->last_use + lookups > c->clock) {
				link = &p->next;
				continue;
			}
			*link = p->next;
			if (c->last == p) {
				c->last = NULL;
			}
			c->n_plans--;
			frag_plan_put(p);
		}
	}
	c->limit = 2 * c->n_plans > CACHE_PLANS ? 2 * c->n_plans : CACHE_PLANS;
}

void frag_cache_evict(struct frag_cache *c, const struct pica_memory *full) {
	sweep(c, 0, full);
}

static struct frag_plan *cache_find(struct frag_cache *c, const struct frag_key *key) {
	if (c->last && memcmp(&c->last->key, key, sizeof(*key)) == 0) {
		return c->last;
	}
	const uint64_t hash = XXH3_64bits(key, sizeof(*key));
	struct frag_plan **bucket = &c->bucket[hash % CACHE_BUCKETS];
	for (struct frag_plan *p = *bucket; p; p = p->next) {
		if (p->hash == hash && memcmp(&p->key, key, sizeof(*key)) == 0) {
			return p;
		}
	}
	struct frag_plan *p = memory_alloc(c->memory, sizeof(*p));
	if (!p) {
		return NULL;
	}
	if (c->n_plans >= c->limit) {
		/*
		 * The next sweep comes when the cache has doubled, so its cost per new plan is
		 * constant.
		 */
		sweep(c, CACHE_PLANS / 2, NULL);
	}
	p->memory = c->memory;
	p->key = *key;
	p->hash = hash;
	frag_plan_build(p);
	atomic_init(&p->refs, 1);
	p->next = *bucket;
	*bucket = p;
	c->n_plans++;
	return p;
}

struct frag_plan *frag_plan_from_regs(struct frag_cache *c, const uint32_t *regs,
		struct frag_consts *consts) {
	struct frag_key key;
	frag_key_from_regs(&key, consts, regs, c->is_watched);
	struct frag_plan *p = cache_find(c, &key);
	if (!p) {
		return NULL;
	}
	c->last = p;
	p->last_use = ++c->clock;
	return frag_plan_get(p);
}

struct frag_plan *frag_plan_get(struct frag_plan *p) {
	atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
	return p;
}

void frag_plan_put(struct frag_plan *p) {
	/* release: what this user read; acquire: before the last one frees */
	if (p && atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) == 1) {
		memory_free(p->memory, p, sizeof(*p));
	}
}

const struct frag_info *frag_plan_info(const struct frag_plan *p) {
	return &p->info;
}

unsigned frag_plan_steps(const struct frag_plan *p) {
	return p->n_steps;
}

/* ---- Text ---- */

void frag_print(struct frag_text *t, const char *format, ...) {
	va_list args;
	va_start(args, format);
	const size_t used = t->len < t->size ? t->len : t->size;
	const int n = vsnprintf(t->size ? t->at + used : NULL, t->size - used, format, args);
	va_end(args);
	t->len += n > 0 ? (size_t)n : 0;
}

void frag_print_planes(struct frag_text *t, struct frag_ref r, unsigned n_planes) {
	static const struct {
		unsigned first, end;
		const char *name;
	} slots[] = {
		{ SLOT_CONST, SLOT_BUFFER, "const" },
		{ SLOT_BUFFER, SLOT_BLEND, "buffer" },
		{ SLOT_BLEND, SLOT_CONST_END, "blend-const" },
		{ SLOT_PRIMARY, SLOT_TEXTURE, "primary" },
		{ SLOT_TEXTURE, SLOT_PROCTEX, "texture" },
		{ SLOT_PROCTEX, SLOT_LIGHT, "proctex" },
		{ SLOT_LIGHT, SLOT_TARGET, "light" },
		{ SLOT_TARGET, SLOT_OUT, "target" },
		{ SLOT_OUT, SLOT_SCALED, "out" },
		{ SLOT_SCALED, SLOT_INPUT, "scaled" },
		{ SLOT_INPUT, SLOT_FACTOR, "input" },
		{ SLOT_FACTOR, SLOT_RESULT, "factor" },
		{ SLOT_RESULT, SLOT_FOG, "result" },
		{ SLOT_FOG, SLOT_COUNT, "fogged" },
	};
	if (r.plane == FRAG_PLANE_ZERO || r.plane == FRAG_PLANE_FULL) {
		frag_print(t, "%s", r.plane == FRAG_PLANE_ZERO ? "zero" : "full");
		return;
	}
	const unsigned slot = r.plane / 4;
	for (unsigned i = 0; i < ARRAY_LEN(slots); i++) {
		if (slot >= slots[i].first && slot < slots[i].end) {
			frag_print(t, "%s", slots[i].name);
			if (slots[i].end - slots[i].first > 1) {
				frag_print(t, "%u", slot - slots[i].first);
			}
		}
	}
	frag_print(t, ".");
	for (unsigned k = 0; k < n_planes; k++) {
		frag_print(t, "%c", "rgba"[(r.plane + k * r.stride) % 4]);
	}
}

void frag_print_dst(struct frag_text *t, const struct frag_step *st) {
	frag_print_planes(t, (struct frag_ref){ st->dst, 1 }, st->n_planes);
}

void frag_print_from(struct frag_text *t, const struct frag_step *st, unsigned n_planes) {
	frag_print(t, " <- ");
	frag_print_planes(t, st->in[0], n_planes);
}

int frag_plan_dump(const struct frag_plan *p, char *text, unsigned size_bytes) {
	struct frag_text t = { text, size_bytes, 0 };
	if (p->info.nothing) {
		frag_print(&t, "nothing\n");
	}
	if (p->tests) {
		frag_print(&t, "%s %s%s%s%s\n", p->info.early ? "early" : "late",
				depth_format_name(p->key.depth_format),
				p->key.stencil ? " stencil" : "",
				p->info.reads_depth ? " test" : "",
				p->info.writes_depth ? " write" : "");
	}
	for (unsigned i = 0; i < (unsigned)p->n_bind + p->n_steps; i++) {
		if (i < p->n_bind) {
			frag_print(&t, "once: ");
		}
		frag_steps[p->step[i].kind]->print(&t, p, &p->step[i]);
		frag_print(&t, "\n");
	}
	return (int)t.len;
}
