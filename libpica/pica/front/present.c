/* PRESENT with shots, and shots into a host's picture on the device's workers. */
#include <errno.h>
#include <stdlib.h>

#include "core/base/attributes.h"
#include "pica/front/ctx.h"
#include "pica/xfer/show.h"

enum {
	MIN_STRIPE_ROWS = 32,
	MAX_STRIPES = 16, /* of a part */
};

/* ---- PRESENT ---- */

void front_present(struct pica200 *ctx) {
	struct shot_job jobs[2];
	unsigned n = 0;
	for (unsigned screen = PICA_SCREEN_TOP; screen <= PICA_SCREEN_BOTTOM; screen++) {
		if (ctx->base.run.attached[screen]) {
			jobs[n].shot = ctx->base.run.attached[screen];
			scanout_from_regs(&jobs[n].from, ctx->external, ctx->lcd,
					(enum pica_screen_id)screen);
			n++;
		}
	}
	if (n) {
		ctx_unit_opened(&ctx->base);
		engine_shots(&ctx->base.exec, jobs, n, ctx->base.run.seq);
	}
}

/* ---- Showing ---- */

struct stripe {
	const struct show_part *part;
	uint32_t y0, y1;
};

/* Lives on the caller's stack until the last stripe is drawn. */
struct showing {
	const struct pica_show_target *target;
	const struct xfer_kernels *k;
	struct show_part part[PICA_SHOW_PARTS];
	struct stripe stripe[PICA_SHOW_PARTS * MAX_STRIPES];
	unsigned n_parts, n_stripes;
	uint8_t *scratch; /* scratch_bytes for each worker */
	size_t scratch_bytes;
	struct task_group group;
	struct monitor mon; /* covers is_done; woken by it */
	bool is_done;
};

static void run_stripe(void *arg, unsigned index, unsigned worker) {
	struct showing *s = arg;
	const struct stripe *stripe = &s->stripe[index];
	show_rows(stripe->part, s->target, s->k, stripe->y0, stripe->y1,
			s->scratch + worker * s->scratch_bytes);
}

static void stripes_done(void *arg) {
	struct showing *s = arg;
	monitor_lock(&s->mon);
	s->is_done = true;
	monitor_wake(&s->mon);
	monitor_unlock(&s->mon); /* s may be gone from here on */
}

static void add_stripes(struct showing *s, const struct show_part *p, unsigned most) {
	const uint32_t rows = p->y1 - p->y0;
	uint32_t n = rows / MIN_STRIPE_ROWS < most ? rows / MIN_STRIPE_ROWS : most;
	n = n ? n : 1;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t y0 = p->y0 + (uint32_t)((uint64_t)rows * i / n);
		const uint32_t y1 = p->y0 + (uint32_t)((uint64_t)rows * (i + 1) / n);
		s->stripe[s->n_stripes++] = (struct stripe){ p, y0, y1 };
	}
}

/* Cuts the parts to what is visible. at: PICA_SHOW_PARTS * SHOW_MAX_PX words. */
static void prepare(struct showing *s, const struct pica_show_part *parts, unsigned n,
		unsigned n_threads, uint32_t *at) {
	const unsigned most = n_threads < 2 ? 1 : 2 * n_threads < MAX_STRIPES ? 2 * n_threads :
			MAX_STRIPES;
	for (unsigned i = 0; i < n; i++) {
		struct show_part *p = &s->part[s->n_parts];
		if (show_part_init(p, &parts[i], s->target, at)) {
			at += p->at ? p->x1 - p->x0 : 0;
			size_t bytes = (show_scratch_bytes(p) + 63) & ~(size_t)63;
			s->scratch_bytes = bytes > s->scratch_bytes ? bytes : s->scratch_bytes;
			add_stripes(s, p, most);
			s->n_parts++;
		}
	}
}

static int check(const struct pica_show_target *t, const struct pica_show_part *parts, unsigned n) {
	if (n > PICA_SHOW_PARTS || (unsigned)t->format > PICA_SHOW_RGB565 ||
			t->width > SHOW_MAX_PX || t->height > SHOW_MAX_PX ||
			t->stride_bytes < (size_t)t->width *
							(t->format == PICA_SHOW_RGB565 ? 2 : 4)) {
		return -EINVAL;
	}
	const int32_t far = 65536;
	for (unsigned i = 0; i < n; i++) {
		const struct pica_show_part *p = &parts[i];
		if (p->turns > 3 || (unsigned)p->filter > PICA_SHOW_BILINEAR ||
				(unsigned)p->eyes > PICA_SHOW_ANAGLYPH || p->x < -far ||
				p->x > far || p->y < -far || p->y > far ||
				p->width > (uint32_t)far || p->height > (uint32_t)far) {
			return -EINVAL;
		}
	}
	return 0;
}

static void run(struct showing *s, struct pool *pool) {
	if (pool_threads(pool) == 0) {
		for (unsigned i = 0; i < s->n_stripes; i++) {
			run_stripe(s, i, 0);
		}
		return;
	}
	/* Key 0: before all units. */
	s->group = (struct task_group){ .run = run_stripe, .done = stripes_done, .arg = s,
			.count = s->n_stripes };
	pool_submit(pool, &s->group);
	monitor_lock(&s->mon);
	while (!s->is_done) {
		monitor_wait(&s->mon); /* woken by stripes_done() */
	}
	monitor_unlock(&s->mon);
}

PICA_EXPORT int pica_show(struct pica_device *dev, const struct pica_show_target *target,
		const struct pica_show_part *parts, unsigned n) {
	int ret = check(target, parts, n);
	if (ret < 0) {
		return ret;
	}
	struct pool *pool = dev->engine.pool;
	struct showing s = { .target = target, .k = &device_kernels(dev)->xfer };
	uint32_t *at = malloc(sizeof(*at) * ((size_t)n * target->width + 1));
	if (!at) {
		return -ENOMEM;
	}
	prepare(&s, parts, n, pool_threads(pool), at);
	s.scratch = malloc(s.scratch_bytes * pool_workers(pool) + 1);
	ret = s.scratch ? monitor_init(&s.mon) : -ENOMEM;
	if (ret == 0) {
		if (s.n_stripes) {
			run(&s, pool);
		}
		monitor_finish(&s.mon);
	}
	free(s.scratch);
	free(at);
	return ret;
}
