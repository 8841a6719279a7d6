/*
 * The slow and obvious pixel history: what each triangle does at watched pixels (pica_history.h).
 */
#include "naive_state.h"

#include <stdlib.h>
#include <string.h>

#include "pica/regs/regs.h"

int naive_watch(struct naive *n, const struct pica_watch *at, unsigned count, naive_seen_fn *seen,
		void *user) {
	struct naive_watches *w = &n->watches;
	free(w->of);
	*w = (struct naive_watches){ .n = count, .seen = seen, .user = user };
	w->of = calloc(count + 1, sizeof(*w->of));
	for (unsigned i = 0; w->of && i < count; i++) {
		w->of[i].at = at[i];
	}
	return w->of ? 0 : -1;
}

void naive_watch_frame(struct naive *n) {
	n->watches.draws = 0;
}

void naive_watch_draw(struct naive *n) {
	n->watches.draws++;
	n->watches.primitives = 0;
}

void naive_watch_vertex(struct naive *n) {
	if (!n->watches.in_run) {
		naive_watch_draw(n);
	}
	n->watches.in_run = true;
}

/* Returns whether the state can draw: 113 stops shadow maps and gas. */
static bool draws(const struct naive *n) {
	const uint32_t mode = COLOR_OPERATION_MODE(n->regs[REG_COLOR_OPERATION]);
	return !n->draw.is_silent && (mode == FRAGMENT_MODE_NORMAL ||
			COLORBUFFER_WRITE_MASK(n->regs[REG_COLORBUFFER_WRITE]) != 0);
}

static void find_place(const struct naive *n, struct naive_watched *w) {
	const struct naive_draw *d = &n->draw;
	w->is_here = false;
	w->n_reported = w->n_culled = 0;
	if (!draws(n)) {
		return;
	}
	const unsigned bytes = naive_color_bytes(d->color_format);
	if (w->at.addr < d->color_addr || w->at.size_bytes != bytes ||
			(w->at.addr - d->color_addr) % bytes != 0) {
		return;
	}
	w->index = (w->at.addr - d->color_addr) / bytes;
	const unsigned m = (unsigned)(w->index % 64);
	unsigned bx, by;
	if (!naive_block_position(d, w->index / 64, &bx, &by)) {
		return;
	}
	w->x = bx * 8 + ((m & 1) | (m >> 1 & 2) | (m >> 2 & 4));
	w->row = by * 8 + ((m >> 1 & 1) | (m >> 2 & 2) | (m >> 3 & 4));
	w->is_here = w->x < d->width && w->row < d->height;
}

void naive_watch_begin(struct naive *n) {
	for (unsigned i = 0; i < n->watches.n; i++) {
		find_place(n, &n->watches.of[i]);
	}
	n->watches.n_pending = 0;
}

static void report(struct naive *n, struct naive_watched *w, enum pica_verdict verdict,
		uint32_t before, const uint8_t *color, bool replaces) {
	struct naive_seen s = { .watch = (unsigned)(w - n->watches.of),
		.draw = n->watches.draws - 1, .primitive = n->watches.primitives,
		.verdict = verdict, .before = before, .replaces = replaces,
		.after = naive_read(n, w->at.addr, w->at.size_bytes) };
	if (color) {
		memcpy(s.color, color, sizeof(s.color));
	}
	w->n_reported++;
	n->watches.seen(n->watches.user, &s);
}

static void report_here(struct naive *n, struct naive_watched *w, enum pica_verdict verdict) {
	report(n, w, verdict, naive_read(n, w->at.addr, w->at.size_bytes), NULL, false);
}

void naive_watch_raster(struct naive *n, const struct naive_screen_vertex v[3]) {
	struct naive_watches *all = &n->watches;
	all->n_pending = 0;
	for (unsigned i = 0; i < all->n; i++) {
		struct naive_watched *w = &all->of[i];
		if (!w->is_here || !naive_covers(n, v, w->x, w->row)) {
			continue;
		}
		if (!naive_scissor(n, w->x, w->row)) {
			report_here(n, w, PICA_VERDICT_SCISSOR);
		} else if (all->n_pending < NAIVE_PENDING) {
			w->before = naive_read(n, w->at.addr, w->at.size_bytes);
			all->pending[all->n_pending++] = i;
		}
	}
}

void naive_watch_culled(struct naive *n, const struct naive_screen_vertex v[3]) {
	for (unsigned i = 0; i < n->watches.n; i++) {
		struct naive_watched *w = &n->watches.of[i];
		w->n_culled += w->is_here && naive_covers(n, v, w->x, w->row);
	}
}

static bool factor_reads(uint32_t f, bool is_alpha) {
	switch (f) {
	case BLEND_FACTOR_DST_COLOR:
	case BLEND_FACTOR_ONE_MINUS_DST_COLOR:
	case BLEND_FACTOR_DST_ALPHA:
	case BLEND_FACTOR_ONE_MINUS_DST_ALPHA:
		return true;
	case BLEND_FACTOR_SRC_ALPHA_SATURATE:
		return !is_alpha;
	default:
		return false;
	}
}

static bool replaces(const struct naive *n) {
	const uint32_t func = n->regs[REG_BLEND_FUNC], op = LOGIC_OP_OP(n->regs[REG_LOGIC_OP]);
	const bool has_alpha = n->draw.color_format != COLOR_FORMAT_RGB8 &&
			n->draw.color_format != COLOR_FORMAT_RGB565;
	const uint32_t all = has_alpha ? 15 : 7;
	const uint32_t write = DEPTH_COLOR_MASK_COLOR_WRITE(n->regs[REG_DEPTH_COLOR_MASK]);
	if (COLOR_OPERATION_MODE(n->regs[REG_COLOR_OPERATION]) != FRAGMENT_MODE_NORMAL ||
			(write & all) != all) {
		return false;
	}
	if (COLORBUFFER_READ_MASK(n->regs[REG_COLORBUFFER_READ]) == 0) {
		return true;
	}
	if (!COLOR_OPERATION_BLEND(n->regs[REG_COLOR_OPERATION])) {
		return op == LOGIC_OP_CLEAR || op == LOGIC_OP_SET || op == LOGIC_OP_COPY ||
				op == LOGIC_OP_COPY_INVERTED;
	}
	if (BLEND_FUNC_RGB_DST(func) != BLEND_FACTOR_ZERO ||
			factor_reads(BLEND_FUNC_RGB_SRC(func), false)) {
		return false;
	}
	return !has_alpha || (BLEND_FUNC_ALPHA_DST(func) == BLEND_FACTOR_ZERO &&
			!factor_reads(BLEND_FUNC_ALPHA_SRC(func), true));
}

static bool is_masked(const struct naive *n) {
	const bool has_alpha = n->draw.color_format != COLOR_FORMAT_RGB8 &&
			n->draw.color_format != COLOR_FORMAT_RGB565;
	const uint32_t write = DEPTH_COLOR_MASK_COLOR_WRITE(n->regs[REG_DEPTH_COLOR_MASK]);
	return COLOR_OPERATION_MODE(n->regs[REG_COLOR_OPERATION]) == FRAGMENT_MODE_NORMAL &&
			(COLORBUFFER_WRITE_MASK(n->regs[REG_COLORBUFFER_WRITE]) == 0 ||
					(write & (has_alpha ? 15u : 7u)) == 0);
}

void naive_watch_fragment(struct naive *n, uint64_t index, enum pica_verdict verdict,
		const uint8_t color[4]) {
	for (unsigned i = 0; i < n->watches.n_pending; i++) {
		struct naive_watched *w = &n->watches.of[n->watches.pending[i]];
		if (w->index != index) {
			continue;
		}
		const bool passed = verdict == PICA_VERDICT_KEPT;
		report(n, w, passed && is_masked(n) ? PICA_VERDICT_MASKED : verdict, w->before,
				color, passed && !is_masked(n) && replaces(n));
	}
}

/* The sides of the pixel included. */
static bool meets_pixel(const struct naive *n, const struct naive_watched *w,
		const struct naive_screen_vertex v[3]) {
	const int64_t wy = n->draw.is_flipped ? (int64_t)n->draw.height - 1 - w->row : w->row;
	const int64_t x0 = 16 * (int64_t)w->x, y0 = 16 * wy;
	unsigned left = 0, right = 0, below = 0, above = 0;
	for (unsigned i = 0; i < 3; i++) {
		left += v[i].x < x0;
		right += v[i].x > x0 + 16;
		below += v[i].y < y0;
		above += v[i].y > y0 + 16;
	}
	if (left == 3 || right == 3 || below == 3 || above == 3) {
		return false;
	}
	/* The line misses the square if all corners are on one side. */
	unsigned a = 0, b = 1;
	if (v[0].x == v[1].x && v[0].y == v[1].y) {
		b = 2;
	}
	unsigned positive = 0, negative = 0;
	for (unsigned i = 0; i < 4; i++) {
		const int64_t x = x0 + 16 * (i & 1), y = y0 + 16 * (i >> 1);
		const int64_t side = (int64_t)(v[b].x - v[a].x) * (y - v[a].y) -
				(int64_t)(v[b].y - v[a].y) * (x - v[a].x);
		positive += side > 0;
		negative += side < 0;
	}
	return positive != 4 && negative != 4;
}

void naive_watch_end(struct naive *n, const struct naive_screen_vertex *whole, bool is_inside) {
	for (unsigned i = 0; i < n->watches.n; i++) {
		struct naive_watched *w = &n->watches.of[i];
		if (!w->is_here || w->n_reported) {
			continue;
		}
		for (unsigned k = 0; k < w->n_culled; k++) {
			report_here(n, w, PICA_VERDICT_CULLED);
		}
		if (w->n_culled || !whole) {
			continue;
		}
		const int64_t dx1 = whole[1].x - whole[0].x, dy1 = whole[1].y - whole[0].y;
		const int64_t dx2 = whole[2].x - whole[0].x, dy2 = whole[2].y - whole[0].y;
		const int64_t area2 = dx1 * dy2 - dy1 * dx2;
		if (!is_inside && area2 != 0 && naive_covers(n, whole, w->x, w->row)) {
			report_here(n, w, PICA_VERDICT_CLIPPED);
		} else if (is_inside && area2 == 0 && meets_pixel(n, w, whole)) {
			report_here(n, w, PICA_VERDICT_DEGENERATE);
		}
	}
	n->watches.primitives++;
}
