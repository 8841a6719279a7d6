/* Pixel history: what pica/history keeps, and vc4/draw. */
#include "pica_history.h"

#include <errno.h>

#include "core/base/attributes.h"
#include "pica/front/ctx.h"
#include "vc4/draw/watch.h"
#include "vc4/front/front.h"

PICA_EXPORT const char *pica_history_kind_name(enum pica_history_kind kind) {
	static const char *const names[PICA_HISTORY_KIND_COUNT] = {
		[PICA_HISTORY_LOAD] = "load",
		[PICA_HISTORY_FILL] = "fill",
		[PICA_HISTORY_TRANSFER] = "transfer",
		[PICA_HISTORY_COPY] = "copy",
		[PICA_HISTORY_DRAW] = "draw",
		[PICA_HISTORY_CLEAR] = "clear",
		[PICA_HISTORY_TILE_LOAD] = "tile-load",
		[PICA_HISTORY_STORE] = "store",
	};
	return (unsigned)kind < PICA_HISTORY_KIND_COUNT ? names[kind] : "?";
}

PICA_EXPORT const char *pica_verdict_name(enum pica_verdict verdict) {
	static const char *const names[PICA_VERDICT_COUNT] = {
		[PICA_VERDICT_KEPT] = "kept",
		[PICA_VERDICT_OVERWRITTEN] = "overwritten",
		[PICA_VERDICT_MASKED] = "masked",
		[PICA_VERDICT_SCISSOR] = "scissor",
		[PICA_VERDICT_ALPHA] = "alpha",
		[PICA_VERDICT_STENCIL] = "stencil",
		[PICA_VERDICT_DEPTH] = "depth",
		[PICA_VERDICT_CULLED] = "culled",
		[PICA_VERDICT_CLIPPED] = "clipped",
		[PICA_VERDICT_DEGENERATE] = "degenerate",
		[PICA_VERDICT_LOST] = "lost",
	};
	return (unsigned)verdict < PICA_VERDICT_COUNT ? names[verdict] : "?";
}

/* The context is idle. */
static bool watch_pica200(struct pica200 *ctx, const struct pica_watch *pixels, unsigned n) {
	history_destroy(ctx->history);
	ctx->history = pixels ? history_create(pixels, n) : NULL;
	frag_cache_watch(ctx->plans, ctx->history != NULL);
	return ctx->history != NULL;
}

static bool watch_vc4(struct vc4_ctx *ctx, const struct pica_watch *pixels, unsigned n) {
	vc4_history_destroy(ctx->unit.history);
	ctx->unit.history = pixels ? vc4_history_create(pixels, n) : NULL;
	return ctx->unit.history != NULL;
}

PICA_EXPORT int pica_ctx_watch(
		struct pica_ctx *base, const struct pica_watch *pixels, unsigned n) {
	struct pica200 *ctx = pica200_from(base);
	if (n > PICA_WATCH_MAX) {
		return -EINVAL;
	}
	for (unsigned i = 0; pixels && i < n; i++) {
		if (pixels[i].size_bytes < 1 || pixels[i].size_bytes > 4) {
			return -EINVAL;
		}
	}
	ctx_idle(base);
	base->is_watched = ctx ? watch_pica200(ctx, pixels, n) :
				 watch_vc4(vc4_from(base), pixels, n);
	return pixels && !base->is_watched ? -ENOMEM : 0;
}

/* Waits. Returns NULL if the context is not of that chip, or watches nothing. */
static struct vc4_history *vc4_history_of(struct pica_ctx *base) {
	ctx_idle(base);
	return vc4_from(base) ? vc4_from(base)->unit.history : NULL;
}

static struct history *history_of(struct pica_ctx *base) {
	ctx_idle(base);
	return pica200_from(base) ? pica200_from(base)->history : NULL;
}

PICA_EXPORT int64_t pica_ctx_history(struct pica_ctx *base) {
	const struct history *h = history_of(base);
	const struct vc4_history *v = vc4_history_of(base);
	return h ? history_count(h) :
		!v ? 0 : v->log.error ? v->log.error : (int64_t)v->log.n_entries;
}

PICA_EXPORT int pica_ctx_read_history(
		struct pica_ctx *base, uint32_t first, uint32_t n, struct pica_history_entry *out) {
	const struct history *h = history_of(base);
	const struct vc4_history *v = vc4_history_of(base);
	for (uint32_t i = 0; i < n; i++) {
		const size_t at = (size_t)first + i;
		const struct pica_history_entry *e = h ? history_entry(h, at) :
				v && at < v->log.n_entries ? &v->log.entries[at] : NULL;
		if (!e) {
			return -EINVAL;
		}
		out[i] = *e;
	}
	return 0;
}

PICA_EXPORT int pica_ctx_watch_steps(struct pica_ctx *base, int on) {
	struct history *h = history_of(base);
	struct vc4_history *v = vc4_history_of(base);
	if (h) {
		history_keep_steps(h, on != 0);
	} else if (v) {
		v->has_steps = on != 0;
	}
	return h || v ? 0 : -EINVAL;
}

/* NULL: there is none. */
static const struct vc4_noted_fragment *noted_fragment(struct pica_ctx *base, uint32_t number) {
	const struct vc4_history *v = vc4_history_of(base);
	return v && number < v->log.n_fragments ? &v->log.fragments[number] : NULL;
}

PICA_EXPORT int pica_ctx_read_qpu_fragment(
		struct pica_ctx *base, uint32_t steps, struct pica_qpu_fragment *out) {
	const struct vc4_noted_fragment *f = noted_fragment(base, steps);
	if (!vc4_from(base)) {
		return -EOPNOTSUPP;
	}
	if (!f) {
		return -EINVAL;
	}
	*out = f->fragment;
	return 0;
}

PICA_EXPORT int pica_ctx_read_qpu_steps(struct pica_ctx *base, uint32_t steps, uint32_t first,
		uint32_t n, struct pica_qpu_step *out) {
	const struct vc4_noted_fragment *f = noted_fragment(base, steps);
	if (!vc4_from(base)) {
		return -EOPNOTSUPP;
	}
	if (!f || first > f->fragment.n_kept || n > f->fragment.n_kept - first) {
		return -EINVAL;
	}
	for (uint32_t i = 0; i < n; i++) {
		out[i] = vc4_from(base)->unit.history->log.steps[f->first_step + first + i];
	}
	return 0;
}

PICA_EXPORT int pica_ctx_read_steps(
		struct pica_ctx *base, uint32_t steps, struct pica_fragment_steps *out) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	const struct pica_fragment_steps *s =
			ctx->history ? history_steps(ctx->history, steps) : NULL;
	if (!s) {
		return -EINVAL;
	}
	*out = *s;
	return 0;
}

PICA_EXPORT int pica_ctx_trace(struct pica_ctx *base, uint32_t addr, uint32_t frame, uint32_t event,
		struct pica_history_entry *out) {
	const struct history *h = history_of(base);
	return h && history_trace(h, addr, frame, event, out);
}

PICA_EXPORT int pica_ctx_screen_pixel(struct pica_ctx *base, enum pica_screen_id screen,
		enum pica_eye eye, uint32_t x, uint32_t y, struct pica_watch *out,
		uint32_t *format) {
	static const uint8_t formats[XFER_COUNT] = {
		[XFER_RGBA8] = COLOR_RGBA8,
		[XFER_RGB8] = COLOR_RGB8,
		[XFER_RGB565] = COLOR_RGB565,
		[XFER_RGB5A1] = COLOR_RGB5A1,
		[XFER_RGBA4] = COLOR_RGBA4,
	};
	struct scanout s;
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	scanout_from_regs(&s, ctx->external, ctx->lcd, screen);
	if (x >= s.info.width || y >= s.info.height) {
		return -EINVAL;
	}
	const struct range r = scanout_pixel(&s, eye, x, y);
	*out = (struct pica_watch){ r.addr, r.size };
	*format = formats[s.info.format];
	return r.size ? 0 : -ENODATA;
}

PICA_EXPORT int64_t pica_history_settle(struct pica_history_entry *entries, size_t n) {
	int64_t last = -1;
	bool is_replaced = false;
	for (size_t i = n; i-- > 0;) {
		struct pica_history_entry *e = &entries[i];
		if (e->verdict != PICA_VERDICT_KEPT) {
			continue;
		}
		last = last < 0 ? (int64_t)i : last;
		e->verdict = is_replaced ? PICA_VERDICT_OVERWRITTEN : PICA_VERDICT_KEPT;
		is_replaced |= e->replaces;
	}
	return last;
}
