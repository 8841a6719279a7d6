/* Plans: cache, counting, text. */
#include "pica/frag/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum {
	CACHE_BUCKETS = 4096,
	/*
	 * About 1.2 KiB each. Beyond, those that no draw holds and nobody asked for lately are
	 * dropped.
	 */
	CACHE_PLANS = 512,
};

struct frag_cache {
	struct frag_plan *bucket[CACHE_BUCKETS]; /* one reference each */
	struct frag_plan *last;                  /* found last; in a bucket */
	unsigned n_plans, limit;
	uint64_t clock;
};

struct frag_cache *frag_cache_create(const struct frag_kernels *k) {
	(void)k; /* plans name operations; frag_bind() says whose kernels run them */
	struct frag_cache *c = calloc(1, sizeof(*c));
	if (c) {
		c->limit = CACHE_PLANS;
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

/*
 * Drops the plans that only the cache holds and that the last lookups did not find, in one sweep;
 * the next one comes when the cache has doubled, so that a sweep is paid for by as many new plans.
 * The counts cannot rise behind our back: only the command thread, which runs this, takes
 * references from the cache.
 */
static void evict(struct frag_cache *c) {
	for (unsigned i = 0; i < CACHE_BUCKETS; i++) {
		for (struct frag_plan **link = &c->bucket[i]; *link;) {
			struct frag_plan *p = *link;
			/*
			 * acquire: pairs with the release in frag_plan_put(); its user is done
			 * reading
			 */
			if (atomic_load_explicit(&p->refs, memory_order_acquire) > 1 ||
					p->last_use + CACHE_PLANS / 2 > c->clock) {
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
	struct frag_plan *p = malloc(sizeof(*p));
	if (!p) {
		return NULL;
	}
	if (c->n_plans >= c->limit) {
		evict(c);
	}
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
	frag_key_from_regs(&key, consts, regs);
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
		free(p);
	}
}

const struct frag_info *frag_plan_info(const struct frag_plan *p) {
	return &p->info;
}

unsigned frag_plan_steps(const struct frag_plan *p) {
	return p->n_steps;
}

/* ---- Text ---- */

struct text {
	char *at;
	size_t size, len;
};

PICA_PRINTF(2, 3)
static void print(struct text *t, const char *format, ...) {
	va_list args;
	va_start(args, format);
	const size_t used = t->len < t->size ? t->len : t->size;
	const int n = vsnprintf(t->size ? t->at + used : NULL, t->size - used, format, args);
	va_end(args);
	t->len += n > 0 ? (size_t)n : 0;
}

/* "texture0.rgb", "out2.aaa", "zero". */
static void print_planes(struct text *t, struct frag_ref r, unsigned n_planes) {
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
		print(t, "%s", r.plane == FRAG_PLANE_ZERO ? "zero" : "full");
		return;
	}
	const unsigned slot = r.plane / 4;
	for (unsigned i = 0; i < ARRAY_LEN(slots); i++) {
		if (slot >= slots[i].first && slot < slots[i].end) {
			print(t, "%s", slots[i].name);
			if (slots[i].end - slots[i].first > 1) {
				print(t, "%u", slot - slots[i].first);
			}
		}
	}
	print(t, ".");
	for (unsigned k = 0; k < n_planes; k++) {
		print(t, "%c", "rgba"[(r.plane + k * r.stride) % 4]);
	}
}

static void print_dst(struct text *t, const struct frag_step *st) {
	print_planes(t, (struct frag_ref){ st->dst, 1 }, st->n_planes);
}

static void print_light(struct text *t, const struct frag_plan *p, const struct frag_step *st) {
	print(t, "light%s%s%s%s", st->op & LIGHT_PRIMARY ? " light0.rgb" : "",
			st->op & LIGHT_PRIMARY_ALPHA ? " light0.a" : "",
			st->op & LIGHT_SECONDARY ? " light1.rgb" : "",
			st->op & LIGHT_SECONDARY_ALPHA ? " light1.a" : "");
	if (p->key.light.bump) {
		print(t, p->key.light.bump == LIGHT_BUMP_NORMAL ? " <- normal " : " <- tangent ");
		print_planes(t, st->in[0], 3);
	}
	if (p->key.light.shadow & st->op) {
		print(t, " <- shadow ");
		print_planes(t, st->in[1], 4);
	}
}

static void print_step(struct text *t, const struct frag_plan *p, const struct frag_step *st) {
	static const char *const types[] = {
		[TEX_2D] = "2D",
		[TEX_CUBE] = "cube",
		[TEX_SHADOW_2D] = "shadow",
		[TEX_PROJECTION] = "projection",
		[TEX_SHADOW_CUBE] = "shadow cube",
	};
	switch ((enum frag_step_kind)st->kind) {
	case STEP_PERSPECTIVE:
		print(t, "perspective");
		break;
	case STEP_TEXTURE:
		print(t, "sample ");
		print_dst(t, st);
		print(t, " <- coordinates %u", p->key.coord_set[st->op]);
		break;
	case STEP_TEXTURE_W:
		print(t, "sample ");
		print_dst(t, st);
		print(t, " <- coordinates 0 with w, %s", types[p->key.texture0_type]);
		break;
	case STEP_PROCTEX:
		print(t, "procedural ");
		print_planes(t,
				(struct frag_ref){ (uint8_t)(st->op & PROCTEX_RGB ? st->dst :
										    st->dst + 3),
						1 },
				st->op == PROCTEX_RGB                   ? 3 :
						st->op == PROCTEX_ALPHA ? 1 :
									  4);
		print(t, " <- coordinates %u", p->key.proctex_coord);
		break;
	case STEP_LIGHT:
		print_light(t, p, st);
		break;
	case STEP_COLOR:
		print(t, "colour ");
		print_dst(t, st);
		break;
	case STEP_OP:
		print(t, "%s ", frag_op_name((enum frag_op)st->op));
		print_dst(t, st);
		for (unsigned k = 0; k < frag_op_inputs((enum frag_op)st->op); k++) {
			print(t, k ? ", " : " <- ");
			print_planes(t, st->in[k], st->op == FRAG_OP_DOT3 ? 3 : st->n_planes);
		}
		break;
	case STEP_ALPHA:
		print(t, "alpha-test ");
		print_planes(t, st->in[0], 1);
		break;
	case STEP_TEST:
		print(t, "depth-test");
		break;
	case STEP_DEPTH:
		print(t, "depth");
		break;
	case STEP_FOG:
		print(t, "fog ");
		print_dst(t, st);
		print(t, " <- ");
		print_planes(t, st->in[0], st->n_planes);
		break;
	case STEP_LOAD:
		print(t, "load %s", color_format_name(p->key.color_format));
		break;
	case STEP_GAS:
		print(t, "gas ");
		print_dst(t, st);
		print(t, " <- ");
		print_planes(t, st->in[0], 1);
		print(t, ", ");
		print_planes(t, st->in[1], 4);
		break;
	case STEP_ADD_GAS:
		print(t, "densities <- depth, ");
		print_planes(t, st->in[0], 1);
		break;
	case STEP_SHADOW:
		print(t, "shadow-map <- depth, ");
		print_planes(t, st->in[0], 1);
		break;
	case STEP_STORE:
		print(t, "store %s <-", color_format_name(p->key.color_format));
		for (unsigned c = 0; c < 4; c++) {
			print(t, c ? ", " : " ");
			print_planes(t, st->in[c], 1);
		}
		break;
	}
	print(t, "\n");
}

int frag_plan_dump(const struct frag_plan *p, char *text, unsigned size_bytes) {
	struct text t = { text, size_bytes, 0 };
	if (p->info.nothing) {
		print(&t, "nothing\n");
	}
	if (p->tests) {
		print(&t, "%s %s%s%s%s\n", p->info.early ? "early" : "late",
				depth_format_name(p->key.depth_format),
				p->key.stencil ? " stencil" : "",
				p->info.reads_depth ? " test" : "",
				p->info.writes_depth ? " write" : "");
	}
	for (unsigned i = 0; i < (unsigned)p->n_bind + p->n_steps; i++) {
		if (i < p->n_bind) {
			print(&t, "once: ");
		}
		print_step(&t, p, &p->step[i]);
	}
	return (int)t.len;
}
