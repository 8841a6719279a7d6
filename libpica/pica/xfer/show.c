/*
 * Parts of a display's picture. A part's rows are made from bands: 16 rows of the shot in its final
 * orientation, turned from its lines (or copied, if the panel's rotation cancels the screen's). The
 * last two bands are kept, so that each pixel is converted once and a row has its neighbour:
 *
 *     lines of the shot --decode, turn--> band of 16 rows --scale--> row --convert--> target
 */
#include "pica/xfer/show.h"

#include <string.h>

enum {
	BAND_ROWS = 16,
	BLOCK_LINES = 16, /* decoded and turned at once */
	BANDS = 2,
	EXTENDED = 1, /* pixels after a row: copies of its last one, for blends */
};

struct band {
	uint32_t first; /* row, a multiple of BAND_ROWS; UINT32_MAX: none */
	uint32_t *rows; /* BAND_ROWS of stride_px */
};

struct drawing {
	const struct show_part *p;
	const struct xfer_kernels *k;
	struct band band[BANDS];
	unsigned older; /* band that is replaced next */
	uint32_t stride_px;
	uint32_t *mixed, *wide; /* a row before and after it is stretched */
	uint32_t *other;        /* the right eye's row of a band */
	uint8_t *ready;         /* the row in the target's format */
};

/* ---- Bands ---- */

/* All rows of the band out of 16 pixels of each line. */
static void turn_block(const struct drawing *d, unsigned eye, uint32_t pixel, unsigned n_rows,
		uint32_t *rows) {
	const struct show_part *p = d->p;
	const struct pica_shot *shot = p->part->shot;
	const struct scanout_kernels *k = &d->k->scanout;
	const ptrdiff_t stride = d->stride_px;
	uint32_t block[BLOCK_LINES][BAND_ROWS] = { { 0 } };
	for (uint32_t x = 0; x < p->width; x += BLOCK_LINES) {
		const unsigned n = p->width - x < BLOCK_LINES ? p->width - x : BLOCK_LINES;
		for (unsigned j = 0; j < n; j++) {
			const uint32_t line = p->flip_x ? p->width - 1 - (x + j) : x + j;
			shot_line(shot, d->k, eye, line, pixel, n_rows, block[j]);
		}
		if (n_rows == BAND_ROWS && p->flip_y) {
			k->turn(rows + (BAND_ROWS - 1) * stride + x, -stride, block[0], BAND_ROWS,
					n);
			k->turn(rows + (BAND_ROWS - 1 - TURN_PX) * stride + x, -stride,
					block[0] + TURN_PX, BAND_ROWS, n);
		} else if (n_rows == BAND_ROWS) {
			k->turn(rows + x, stride, block[0], BAND_ROWS, n);
			k->turn(rows + TURN_PX * stride + x, stride, block[0] + TURN_PX, BAND_ROWS,
					n);
		} else {
			for (unsigned j = 0; j < n; j++) {
				for (unsigned i = 0; i < n_rows; i++) {
					rows[(p->flip_y ? n_rows - 1 - i : i) * stride + x + j] =
							block[j][i];
				}
			}
		}
	}
}

static void fetch_eye(const struct drawing *d, unsigned eye, uint32_t first, unsigned n_rows,
		uint32_t *rows) {
	const struct show_part *p = d->p;
	if (p->is_turned) {
		turn_block(d, eye, p->flip_y ? p->height - first - n_rows : first, n_rows, rows);
		return;
	}
	for (unsigned i = 0; i < n_rows; i++) {
		uint32_t *row = rows + (size_t)i * d->stride_px;
		const uint32_t line = p->flip_y ? p->height - 1 - (first + i) : first + i;
		shot_line(p->part->shot, d->k, eye, line, 0, p->width, row);
		if (p->flip_x) {
			d->k->scanout.reverse(row, p->width);
		}
	}
}

static void fetch(const struct drawing *d, uint32_t first, uint32_t *rows) {
	const struct show_part *p = d->p;
	const unsigned n_rows = p->height - first < BAND_ROWS ? p->height - first : BAND_ROWS;
	fetch_eye(d, p->eye[0], first, n_rows, rows);
	if (p->n_eyes == 2) {
		fetch_eye(d, p->eye[1], first, n_rows, d->other);
	}
	for (unsigned i = 0; i < n_rows; i++) {
		uint32_t *row = rows + (size_t)i * d->stride_px;
		if (p->n_eyes == 2) {
			d->k->scanout.anaglyph(
					row, row, d->other + (size_t)i * d->stride_px, p->width);
		}
		row[p->width] = row[p->width - 1];
	}
}

/* Returns a row of the shot in its final orientation. Two neighbours stay valid. */
static const uint32_t *get_row(struct drawing *d, uint32_t row) {
	const uint32_t first = row / BAND_ROWS * BAND_ROWS;
	unsigned b = 0;
	while (b < BANDS && d->band[b].first != first) {
		b++;
	}
	if (b == BANDS) {
		b = d->older;
		d->band[b].first = first;
		fetch(d, first, d->band[b].rows);
	}
	d->older = 1 - b;
	return d->band[b].rows + (size_t)(row - first) * d->stride_px;
}

/* ---- Scaling ---- */

/* Returns which of m pixels holds the centre of pixel i of n. */
static uint32_t nearest(uint64_t i, uint32_t n, uint32_t m) {
	return (uint32_t)((2 * i + 1) * m / (2 * (uint64_t)n));
}

/* The pixel before the centre, << 8, and the weight of the one after it. */
static uint32_t between(uint64_t i, uint32_t n, uint32_t m) {
	const uint64_t at = (2 * i + 1) * m * 128 / n; /* in 1/256 pixels from the left edge */
	if (at < 128) {
		return 0;
	}
	const uint32_t center = (uint32_t)(at - 128), last = (m - 1) << 8;
	return center < last ? center : last;
}

static uint32_t position(const struct show_part *p, uint64_t i, uint32_t n, uint32_t m) {
	return p->is_bilinear ? between(i, n, m) : nearest(i, n, m) << 8;
}

/* The row of the shot that a row of the target shows, << 8, and the weight of the next one. */
static uint32_t source_row(const struct show_part *p, uint32_t y) {
	return position(p, (uint64_t)((int64_t)y - p->part->y), p->part->height, p->height);
}

static const uint32_t *scaled_row(struct drawing *d, uint32_t at) {
	const struct show_part *p = d->p;
	const struct scanout_kernels *k = &d->k->scanout;
	const uint32_t n = p->x1 - p->x0;
	const uint32_t *row = get_row(d, at >> 8);
	if (at & 255) {
		k->mix(d->mixed, row, get_row(d, (at >> 8) + 1), at & 255, p->width + EXTENDED);
		row = d->mixed;
	}
	if (p->times == 1) {
		return row;
	}
	if (p->times) {
		k->widen(d->wide, row, p->width, p->times);
	} else if (p->is_bilinear) {
		k->blend(d->wide, row, p->at, n);
	} else {
		for (uint32_t i = 0; i < n; i++) {
			d->wide[i] = row[p->at[i] >> 8];
		}
	}
	return d->wide;
}

/* ---- Rows of the target ---- */

static uint32_t target_bytes(const struct pica_show_target *t) {
	return t->format == PICA_SHOW_RGB565 ? 2 : 4;
}

static void convert(const struct drawing *d, const struct pica_show_target *t, uint8_t *to,
		const uint32_t *rgba, uint32_t n) {
	if (t->format == PICA_SHOW_RGB565) {
		d->k->encode[XFER_RGB565](to, rgba, n);
	} else {
		d->k->scanout.xrgb(to, rgba, n);
	}
}

static uint32_t to_rgba(uint32_t color) {
	return (color & 0xFF00) | (color >> 16 & 0xFF) | (color & 0xFF) << 16;
}

static uint8_t *target_at(const struct show_part *p, const struct pica_show_target *t, uint32_t y) {
	return t->host + y * t->stride_bytes + (size_t)p->x0 * target_bytes(t);
}

static void fill_rows(struct drawing *d, const struct pica_show_target *t, uint32_t y0, uint32_t y1,
		uint32_t rgba) {
	const uint32_t n = d->p->x1 - d->p->x0;
	d->k->scanout.widen(d->wide, &rgba, 1, n);
	convert(d, t, d->ready, d->wide, n);
	for (uint32_t y = y0; y < y1; y++) {
		memcpy(target_at(d->p, t, y), d->ready, (size_t)n * target_bytes(t));
	}
}

static void draw_rows(
		struct drawing *d, const struct pica_show_target *t, uint32_t y0, uint32_t y1) {
	const uint32_t n = d->p->x1 - d->p->x0;
	uint32_t at = source_row(d->p, y0);
	for (uint32_t y = y0; y < y1;) {
		uint32_t end = y + 1, next = 0;
		while (end < y1 && (next = source_row(d->p, end)) == at) {
			end++;
		}
		const uint32_t *row = scaled_row(d, at);
		if (end == y + 1) {
			convert(d, t, target_at(d->p, t, y), row, n);
		} else {
			/* The target is never read, which may be slow. */
			convert(d, t, d->ready, row, n);
			for (uint32_t k = y; k < end; k++) {
				memcpy(target_at(d->p, t, k), d->ready,
						(size_t)n * target_bytes(t));
			}
		}
		y = end;
		at = next;
	}
}

/* ---- Face ---- */

static uint32_t stride_of(const struct show_part *p) {
	return (p->width + EXTENDED + 3) & ~3u;
}

static uint32_t wide_px(const struct show_part *p) {
	return p->times ? p->width * p->times : p->x1 - p->x0;
}

size_t show_scratch_bytes(const struct show_part *p) {
	size_t n = wide_px(p), px = 2 * n;
	if (p->part->shot) {
		px += (size_t)stride_of(p) * ((BANDS + (p->n_eyes == 2)) * BAND_ROWS + 1);
	} else {
		px = 2 * (size_t)(p->x1 - p->x0);
	}
	return 4 * px;
}

/* Clips [at, at + size) to the target's [0, n). */
static bool clip(int32_t at, uint32_t size, uint32_t n, uint32_t *first, uint32_t *end) {
	const int64_t last = (int64_t)at + size;
	*first = at < 0 ? 0 : (uint32_t)at;
	*end = last < 0 ? 0 : last < n ? (uint32_t)last : n;
	return *first < *end;
}

static void orient(struct show_part *p, const struct pica_shot *shot) {
	const unsigned turns = p->part->turns;
	const bool sideways = turns & 1;
	p->width = sideways ? shot->info.height : shot->info.width;
	p->height = sideways ? shot->info.width : shot->info.height;
	if (shot->is_rows) {
		/*
		 * Upright, a row is a line; turned clockwise, it is a column, from the bottom up.
		 */
		p->is_turned = sideways;
		p->flip_x = turns == 1 || turns == 2;
		p->flip_y = turns == 2 || turns == 3;
	} else {
		/* Upright, a row is pixel 239 - y of each line; turned clockwise, it is a line. */
		p->is_turned = !sideways;
		p->flip_x = turns == 2 || turns == 3;
		p->flip_y = turns == 0 || turns == 3;
	}
}

static void choose_eyes(struct show_part *p, const struct pica_shot *shot) {
	const bool both = p->part->eyes == PICA_SHOW_ANAGLYPH && shot->info.has_right;
	p->n_eyes = both ? 2 : 1;
	p->eye[0] = p->part->eyes == PICA_SHOW_RIGHT;
	p->eye[1] = 1;
}

bool show_part_init(struct show_part *p, const struct pica_show_part *part,
		const struct pica_show_target *target, uint32_t *at) {
	*p = (struct show_part){ .part = part };
	if (!clip(part->x, part->width, target->width, &p->x0, &p->x1) ||
			!clip(part->y, part->height, target->height, &p->y0, &p->y1)) {
		return false;
	}
	if (!part->shot) {
		return true;
	}
	orient(p, part->shot);
	choose_eyes(p, part->shot);
	const bool is_whole = p->x1 - p->x0 == part->width;
	p->is_bilinear = part->filter == PICA_SHOW_BILINEAR &&
			(part->width != p->width || part->height != p->height);
	if (is_whole && part->width % p->width == 0 &&
			(!p->is_bilinear || part->width == p->width)) {
		p->times = part->width / p->width;
		return true;
	}
	for (uint32_t x = p->x0; x < p->x1; x++) {
		at[x - p->x0] = position(
				p, (uint64_t)((int64_t)x - part->x), part->width, p->width);
	}
	p->at = at;
	return true;
}

void show_rows(const struct show_part *p, const struct pica_show_target *target,
		const struct xfer_kernels *k, uint32_t y0, uint32_t y1, void *scratch) {
	struct drawing d = { .p = p, .k = k, .wide = scratch };
	const struct pica_shot *shot = p->part->shot;
	d.ready = (uint8_t *)(d.wide + (p->part->shot ? wide_px(p) : p->x1 - p->x0));
	if (!shot || !shot->info.is_set || shot->info.is_solid) {
		const bool is_solid = shot && shot->info.is_solid;
		fill_rows(&d, target, y0, y1, is_solid ?
				shot->solid[0] | (uint32_t)shot->solid[1] << 8 |
				(uint32_t)shot->solid[2] << 16 :
				to_rgba(p->part->color));
		return;
	}
	d.stride_px = stride_of(p);
	uint32_t *rest = d.wide + 2 * (size_t)wide_px(p);
	d.mixed = rest;
	rest += d.stride_px;
	for (unsigned b = 0; b < BANDS; b++, rest += (size_t)BAND_ROWS * d.stride_px) {
		d.band[b] = (struct band){ UINT32_MAX, rest };
	}
	d.other = rest;
	draw_rows(&d, target, y0, y1);
}
