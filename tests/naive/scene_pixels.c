#include "scene_pixels.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "replay.h"

struct noted {
	struct naive_seen seen;
	uint32_t frame;
};

struct pixels {
	struct pica_watch *at;
	unsigned n;
	struct noted *noted;
	size_t n_noted, cap_noted;
	uint32_t frame;
	bool ends_frame;
	uint64_t verdicts[PICA_VERDICT_COUNT];
};

static void on_seen(void *user, const struct naive_seen *seen) {
	struct pixels *p = user;
	if (p->n_noted == p->cap_noted) {
		p->cap_noted = 2 * p->cap_noted + 1024;
		p->noted = realloc(p->noted, p->cap_noted * sizeof(*p->noted));
		if (!p->noted) {
			abort();
		}
	}
	p->noted[p->n_noted++] = (struct noted){ *seen, p->frame };
	p->verdicts[seen->verdict]++;
}

/* Draws all frames. */
static int draw(struct pica_ctx *ctx, struct pica_capture *capture, const struct pica_watch *at,
		unsigned n) {
	struct replay r;
	pica_ctx_zero_memory(ctx);
	int ret = replay_start(&r, gpu_here(ctx), capture, 0);
	if (ret == 0 && at) {
		ret = pica_ctx_watch(ctx, at, n);
	}
	while (ret >= 0 && (ret = replay_frame(&r)) > 0) {
	}
	return ret < 0 ? ret : replay_wait(&r);
}

static unsigned color_bytes(uint32_t format) {
	return format == 0 ? 4 : format == 1 ? 3 : 2;
}

struct pixels *pixels_create(struct pica_ctx *ctx, struct pica_capture *capture,
		struct naive *naive, unsigned n) {
	struct pixels *p = calloc(1, sizeof(*p));
	struct rng r;
	rng_seed(&r, 18, n);
	pica_ctx_count(ctx, 1);
	const int ret = p ? draw(ctx, capture, NULL, 0) : -ENOMEM;
	const int targets = pica_ctx_counted(ctx);
	p->at = calloc(n, sizeof(*p->at));
	if (ret < 0 || !targets || !p->at) {
		pixels_destroy(p);
		return NULL;
	}
	for (; p->n < n; p->n++) {
		struct pica_target t;
		pica_ctx_read_counts(ctx, rng_below(&r, (uint32_t)targets), &t, NULL);
		const uint64_t index = naive_tiled_index(rng_below(&r, t.width),
				rng_below(&r, t.height), t.width, t.block32 != 0);
		const unsigned bytes = color_bytes(t.color_format);
		p->at[p->n] = (struct pica_watch){ t.color_addr + (uint32_t)index * bytes, bytes };
	}
	pica_ctx_count(ctx, 0);
	pica_ctx_zero_memory(ctx);
	naive_watch(naive, p->at, p->n, on_seen, p);
	return p;
}

void pixels_destroy(struct pixels *p) {
	if (p) {
		free(p->at);
		free(p->noted);
		free(p);
	}
}

void pixels_job(struct pixels *p, struct naive *naive, const struct pica_job *job) {
	if (p->ends_frame) {
		p->frame++;
		naive_watch_frame(naive);
	}
	p->ends_frame = job->op == PICA_OP_PRESENT;
}

bool entry_is_exact(const struct pica_history_entry *e, const struct pica_watch *at) {
	const unsigned bytes = color_bytes(e->target.color_format);
	return e->kind == PICA_HISTORY_DRAW && at->size_bytes == bytes &&
			(at->addr - e->target.color_addr) % bytes == 0;
}

bool seen_is_same(const char *what, const struct naive_seen *s,
		const struct pica_history_entry *e) {
	const uint8_t none[4] = { 0 };
	const uint8_t *color = e->is_shaded ? e->fragment.color : none;
	if (s->draw == e->draw && s->primitive == e->primitive && s->verdict == e->verdict &&
			s->replaces == e->replaces && s->before == e->before &&
			s->after == e->after && memcmp(s->color, color, 4) == 0) {
		return true;
	}
	printf("%s: engine: draw %u primitive %u %s %08X -> %08X of %02X%02X%02X%02X %d; naive: "
	       "draw %u primitive %u %s %08X -> %08X of %02X%02X%02X%02X %d\n",
			what, e->draw, e->primitive,
			pica_verdict_name((enum pica_verdict)e->verdict), e->before, e->after,
			color[0], color[1], color[2], color[3], e->replaces, s->draw, s->primitive,
			pica_verdict_name(s->verdict), s->before, s->after, s->color[0],
			s->color[1], s->color[2], s->color[3], s->replaces);
	return false;
}

/* Compares the entries of pixels [first, first + n) that the engine watched. */
static bool compare(const struct pixels *p, const char *path, unsigned first, unsigned n,
		const struct pica_history_entry *e, size_t n_entries) {
	for (unsigned i = 0; i < n; i++) {
		const struct pica_watch *at = &p->at[first + i];
		char what[256];
		size_t k = 0;
		snprintf(what, sizeof(what), "%s: pixel at %08X", path, at->addr);
		for (size_t s = 0; s < p->n_noted; s++) {
			if (p->noted[s].seen.watch != first + i) {
				continue;
			}
			while (k < n_entries && (e[k].watch != i || !entry_is_exact(&e[k], at))) {
				k++;
			}
			if (k == n_entries || e[k].frame != p->noted[s].frame) {
				printf("%s: frame %u draw %u primitive %u %s: the engine lacks it\n",
						what, p->noted[s].frame, p->noted[s].seen.draw,
						p->noted[s].seen.primitive,
						pica_verdict_name(p->noted[s].seen.verdict));
				return false;
			}
			if (!seen_is_same(what, &p->noted[s].seen, &e[k++])) {
				return false;
			}
		}
		for (; k < n_entries; k++) {
			if (e[k].watch == i && entry_is_exact(&e[k], at)) {
				printf("%s: frame %u draw %u primitive %u %s: the engine alone has it\n",
						what, e[k].frame, e[k].draw, e[k].primitive,
						pica_verdict_name((enum pica_verdict)e[k].verdict));
				return false;
			}
		}
	}
	return true;
}

/* The last writer left what is in memory now. */
static bool ends_as_memory(struct pica_ctx *ctx, const struct pica_watch *at, unsigned i,
		const struct pica_history_entry *e, size_t n) {
	uint32_t bytes = 0;
	memcpy(&bytes, pica_ctx_host(ctx, at->addr, at->size_bytes), at->size_bytes);
	while (n-- > 0) {
		if (e[n].watch == i && e[n].verdict == PICA_VERDICT_KEPT) {
			if (e[n].after != bytes) {
				printf("pixel at %08X: %08X in memory, %08X was written last\n",
						at->addr, bytes, e[n].after);
			}
			return e[n].after == bytes;
		}
	}
	return true;
}

int pixels_compare(struct pixels *p, const char *path, struct pica_ctx *ctx,
		struct pica_capture *capture) {
	bool same = true;
	for (unsigned first = 0; first < p->n && same; first += PICA_WATCH_MAX) {
		const unsigned n = p->n - first < PICA_WATCH_MAX ? p->n - first : PICA_WATCH_MAX;
		const int ret = draw(ctx, capture, p->at + first, n);
		const int64_t count = pica_ctx_history(ctx);
		if (ret < 0 || count < 0) {
			return ret < 0 ? ret : (int)count;
		}
		struct pica_history_entry *e = malloc((size_t)(count + 1) * sizeof(*e));
		if (!e || pica_ctx_read_history(ctx, 0, (uint32_t)count, e) < 0) {
			free(e);
			return -ENOMEM;
		}
		same = compare(p, path, first, n, e, (size_t)count);
		for (unsigned i = 0; i < n && same; i++) {
			same = ends_as_memory(ctx, &p->at[first + i], i, e, (size_t)count);
		}
		free(e);
	}
	printf("%s: %u pixels, %zu entries%s:", path, p->n, p->n_noted,
			same ? ", the same" : "");
	for (unsigned v = 0; v < PICA_VERDICT_COUNT; v++) {
		if (p->verdicts[v]) {
			printf(" %s %" PRIu64, pica_verdict_name((enum pica_verdict)v),
					p->verdicts[v]);
		}
	}
	printf("\n");
	pica_ctx_watch(ctx, NULL, 0);
	return same;
}
