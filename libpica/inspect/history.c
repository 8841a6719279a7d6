/* Pixel history: what pica/history keeps. */
#include "pica_history.h"

#include <errno.h>

#include "core/base/attributes.h"
#include "pica/front/ctx.h"

PICA_EXPORT const char *pica_history_kind_name(enum pica_history_kind kind) {
	static const char *const names[PICA_HISTORY_KIND_COUNT] = {
		[PICA_HISTORY_LOAD] = "load",
		[PICA_HISTORY_FILL] = "fill",
		[PICA_HISTORY_TRANSFER] = "transfer",
		[PICA_HISTORY_COPY] = "copy",
		[PICA_HISTORY_DRAW] = "draw",
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

PICA_EXPORT int pica_ctx_watch(
		struct pica_ctx *base, const struct pica_watch *pixels, unsigned n) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	if (n > PICA_WATCH_MAX) {
		return -EINVAL;
	}
	for (unsigned i = 0; pixels && i < n; i++) {
		if (pixels[i].size_bytes < 1 || pixels[i].size_bytes > 4) {
			return -EINVAL;
		}
	}
	ctx_idle(base);
	history_destroy(ctx->history);
	ctx->history = pixels ? history_create(pixels, n) : NULL;
	base->is_watched = ctx->history != NULL;
	frag_cache_watch(ctx->plans, ctx->history != NULL);
	return pixels && !ctx->history ? -ENOMEM : 0;
}

PICA_EXPORT int64_t pica_ctx_history(struct pica_ctx *base) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	return ctx->history ? history_count(ctx->history) : 0;
}

PICA_EXPORT int pica_ctx_read_history(
		struct pica_ctx *base, uint32_t first, uint32_t n, struct pica_history_entry *out) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	for (uint32_t i = 0; i < n; i++) {
		const size_t at = (size_t)first + i;
		const struct pica_history_entry *e =
				ctx->history ? history_entry(ctx->history, at) : NULL;
		if (!e) {
			return -EINVAL;
		}
		out[i] = *e;
	}
	return 0;
}

PICA_EXPORT int pica_ctx_watch_steps(struct pica_ctx *base, int on) {
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	if (!ctx->history) {
		return -EINVAL;
	}
	history_keep_steps(ctx->history, on != 0);
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
	struct pica200 *ctx = pica200_from(base);
	if (!ctx) {
		return -EOPNOTSUPP;
	}
	ctx_idle(base);
	return ctx->history && history_trace(ctx->history, addr, frame, event, out);
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
