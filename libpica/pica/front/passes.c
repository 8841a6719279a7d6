/*
 * When a pass opens and closes.
 *
 * No part of an open pass has run, and the tiles of a pass run in any order. So draws join the open
 * pass until the next action cannot be part of it; must_close() decides.
 */
#include <errno.h>
#include <string.h>

#include "pica/front/ctx.h"
#include "pica/front/passes.h"

enum { WORDS_A_PASS = 64 }; /* the cost of a pass, in list words */

/* The next action of the command thread. */
struct next {
	enum {
		NEXT_END,   /* no draw of this job, or a thread waits */
		NEXT_WORDS, /* words of a list, which any draw may write */
		NEXT_READ,  /* memory is read now */
		NEXT_DRAW,  /* a draw with these vertices; its target is not known yet */
		NEXT_TARGET, /* a draw to this target with the textures in parts.tex */
	} kind;
	const struct range *reads;
	unsigned n_reads;
	const struct target *target;
	bool samples_target;
};

static bool writes_any(const struct unit *u, const struct range *r, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		if (footprint_hits(&u->writes, r[i])) {
			return true;
		}
	}
	return false;
}

/* A depth buffer can join a pass whose draws so far do not touch depth: nothing has run yet. */
static bool can_add_depth(const struct pica200 *ctx, const struct target *t) {
	return space_host_writable(&ctx->base.space, t->depth_addr, t->depth_bytes) &&
			!ranges_overlap(color_range(t), depth_range(t));
}

static bool fits_target(const struct pica200 *ctx, const struct unit *u, const struct target *t) {
	const struct target *o = &u->target;
	if (o->color_addr != t->color_addr || o->color_format != t->color_format ||
			o->width != t->width || o->height != t->height ||
			o->block32 != t->block32 || o->flip != t->flip) {
		return false;
	}
	if (t->depth_bytes == 0 || o->depth_bytes == 0) {
		return !u->work.serial && (t->depth_bytes == 0 || can_add_depth(ctx, t));
	}
	return o->depth_addr == t->depth_addr && o->depth_bytes == t->depth_bytes &&
			o->depth_format == t->depth_format;
}

/* A draw of a pass must not sample memory that another one writes. */
static bool textures_meet(
		const struct pica200 *ctx, const struct unit *u, const struct target *t) {
	const struct parts *p = &ctx->parts;
	return writes_any(u, p->tex, p->n_tex) ||
			(p->info.writes_color && footprint_hits(&u->sampled, color_range(t))) ||
			(p->info.writes_depth && footprint_hits(&u->sampled, depth_range(t)));
}

/* The rule. */
static bool must_close(const struct pica200 *ctx, const struct next *next) {
	const struct unit *u = ctx->base.exec.open;
	switch (next->kind) {
	case NEXT_END:
		return true; /* left-over vertices are resolved without a pass, too */
	case NEXT_WORDS:
		return u != NULL;
	case NEXT_READ:
		return u && writes_any(u, next->reads, next->n_reads);
	case NEXT_DRAW:
		return u && (exec_is_full(&ctx->base.exec) ||
				writes_any(u, next->reads, next->n_reads));
	case NEXT_TARGET:
		return u && (next->samples_target || exec_is_full(&ctx->base.exec) ||
				!fits_target(ctx, u, next->target) ||
				textures_meet(ctx, u, next->target));
	}
	return true;
}

/* The only place that closes a pass; its result is must_close()'s. */
static bool close_before(struct pica200 *ctx, const struct next *next) {
	if (!must_close(ctx, next)) {
		return false;
	}
	assembler_resolve(ctx); /* before the memory of its vertices can change */
	if (ctx->base.exec.open) {
		if (ctx->history) {
			history_pass(ctx->history, &ctx->base.exec);
		}
		exec_close_pass(&ctx->base.exec);
		if (ctx->history) {
			history_passed(ctx->history, &ctx->base.exec);
		}
		ctx->base.run.slice.ticks +=
				ctx->base.exec.has_time ? SLICE_TICKS : 0; /* it may be drawn */
		parts_forget(ctx); /* they lie in it */
	}
	if (ctx->base.observer) {
		ctx->base.observer->pass_closed(ctx->base.observer);
	}
	return true;
}

void passes_end(struct pica200 *ctx) {
	close_before(ctx, &(struct next){ .kind = NEXT_END });
}

void passes_before_list(struct pica200 *ctx, struct range words) {
	close_before(ctx, &(struct next){ .kind = NEXT_WORDS });
	exec_sync(&ctx->base.exec, words, false);
}

void passes_before_read(struct pica200 *ctx, const struct range *r, unsigned n) {
	close_before(ctx, &(struct next){ .kind = NEXT_READ, .reads = r, .n_reads = n });
	for (unsigned i = 0; i < n; i++) {
		exec_sync(&ctx->base.exec, r[i], false);
	}
}

void passes_before_draw(struct pica200 *ctx, const struct range *vertices, unsigned n) {
	close_before(ctx, &(struct next){ .kind = NEXT_DRAW, .reads = vertices, .n_reads = n });
}

void passes_after_draw(struct pica200 *ctx, bool samples_target) {
	struct next next = { .kind = NEXT_READ, .reads = &ctx->run.list, .n_reads = 1 };
	if (samples_target) {
		next.kind = NEXT_END;
	}
	if (close_before(ctx, &next)) {
		exec_sync(&ctx->base.exec, ctx->run.list, false);
	}
}

static void open_pass(struct pica200 *ctx, const struct target *t) {
	ctx_charge(&ctx->base, &ctx->run.words_left, WORDS_A_PASS, PICA_BUDGET_LIST_WORDS);
	ctx_unit_opened(&ctx->base);
	const struct unit *u = exec_open_pass(&ctx->base.exec, t, ctx->base.run.seq,
			ctx->base.settings.budgets.pixels, ctx->base.settings.budgets.job_steps);
	if (u->work.outside) {
		ctx_fault(&ctx->base, PICA_FAULT_BAD_ADDRESS);
	}
	if (ctx->counting) {
		struct pass_work *w = &ctx->base.exec.open->work;
		w->is_counted = count_find(ctx, t, &w->counts);
	}
	parts_forget(ctx);
}

void passes_for_target(struct pica200 *ctx, bool samples_target) {
	const struct frag_info *info = &ctx->parts.info;
	struct target t = ctx->parts.target;
	if (!info->reads_depth && !info->writes_depth) {
		/* A stale address of an unused buffer does no harm. */
		t.depth_bytes = 0;
		t.depth_addr = 0;
		t.depth_format = DEPTH_INVALID;
	}
	close_before(ctx, &(struct next){ .kind = NEXT_TARGET, .target = &t,
			.samples_target = samples_target });
	if (!ctx->base.exec.open) {
		open_pass(ctx, &t);
	} else if (t.depth_bytes) {
		struct target *o = &ctx->base.exec.open->target;
		o->depth = space_host_writable(&ctx->base.space, t.depth_addr, t.depth_bytes);
		o->depth_addr = t.depth_addr;
		o->depth_bytes = t.depth_bytes;
		o->depth_format = t.depth_format;
	}
}

void *front_pass_alloc(struct pica200 *ctx, size_t size_bytes) {
	void *p = arena_alloc(&ctx->base.exec.open->arena, size_bytes);
	if (!p) {
		ctx->base.run.result = -ENOMEM;
	}
	return p;
}

void *front_pass_copy(struct pica200 *ctx, const void *from, size_t size_bytes) {
	void *p = from ? front_pass_alloc(ctx, size_bytes) : NULL;
	return p ? memcpy(p, from, size_bytes) : NULL;
}
