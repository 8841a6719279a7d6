/*
 * Tasks of tiles: groups of runs of the rendering list, loads and stores.
 *
 * A run begins with known buffer contents, so runs of different tiles may execute in any order;
 * those of one tile keep their order. If a run has more than one tile, or transfers of different
 * tiles overlap in memory in other ways, one task executes all runs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/morton.h"
#include "vc4/draw/watch.h"

enum {
	FULL_BYTES = TILE_BUFFER_PX * 4,
	NO_TILE = -1,
};

#define STEP_CLEAR (1u << 31) /* | index in renderings; else an operation */

/* ---- Loads and stores ---- */

/* The pixels of a tile that lie in an image. */
struct part {
	const struct vc4_transfer *transfer;
	struct vc4_image image;
	uint8_t *host;
	uint32_t x0, y0, width, height;
	unsigned tile_px, n_samples;
};

static uint32_t rgba_to_565(uint32_t c) {
	return (c >> 3 & 31) << 11 | (c >> 10 & 63) << 5 | (c >> 19 & 31);
}

/* Bytes: the average, rounded down. [fidelity: vc4-resolve] */
static uint32_t average(const uint32_t *color, uint32_t px, uint32_t sample_px) {
	uint32_t even = 0, odd = 0;
	for (unsigned s = 0; s < QPU_SAMPLES; s++) {
		const uint32_t c = color[px + s * sample_px];
		even += c & 0x00FF00FF;
		odd += c >> 8 & 0x00FF00FF;
	}
	return (even >> 2 & 0x00FF00FF) | (odd >> 2 & 0x00FF00FF) << 8;
}

static uint32_t least(uint32_t a, uint32_t b) {
	return a < b ? a : b;
}

static uint32_t px_of(const struct part *p, uint32_t x, uint32_t y) {
	return tiled_index(x, y, p->tile_px, 0);
}

/*
 * For images of 32-bit pixels: four pixels of a row, and the rows of a micro-tile, are consecutive.
 * fn() moves the pixels of such a square that are in the image: `to` of each row.
 */
typedef void row_fn(uint32_t *px, uint8_t *memory, uint32_t bytes);

/* Two of each of two quads. */
static void store_row(uint32_t *px, uint8_t *memory, uint32_t bytes) {
	const uint32_t four[4] = { px[0], px[1], px[4], px[5] };
	memcpy(memory, four, bytes);
}

static void load_row(uint32_t *px, uint8_t *memory, uint32_t bytes) {
	uint32_t four[4] = { px[0], px[1], px[4], px[5] };
	memcpy(four, memory, bytes);
	px[0] = four[0];
	px[1] = four[1];
	px[4] = four[2];
	px[5] = four[3];
}

static PICA_INLINE void move_squares(const struct part *p, uint32_t *buffer, row_fn *fn) {
	const uint32_t next_row = p->image.layout != VC4_IMAGE_RASTER ? 16 :
			((uint32_t)p->image.width + 3) / 4 * 16;
	for (uint32_t y = 0; y < p->height; y += 4) {
		const uint32_t rows = least(4, p->height - y);
		for (uint32_t x = 0; x < p->width; x += 4) {
			const uint32_t bytes = 4 * least(4, p->width - x);
			uint8_t *at = p->host + vc4_image_offset(&p->image, p->x0 + x, p->y0 + y);
			uint32_t *px = buffer + px_of(p, x, y);
			for (uint32_t k = 0; k < rows; k++) {
				uint32_t *from = px + 8 * (k >> 1) + 2 * (k & 1);
				if (bytes == 16) {
					fn(from, at + k * next_row, 16);
				} else {
					fn(from, at + k * next_row, bytes);
				}
			}
		}
	}
}

static void store_color(const struct part *p, struct tile_buffer *b) {
	const bool averages = p->transfer->averages && p->n_samples > 1;
	if (!averages && p->image.px_bytes == 4) {
		move_squares(p, b->color, store_row);
		return;
	}
	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++) {
			const uint32_t px = px_of(p, x, y);
			const uint32_t c = averages ?
					average(b->color, px, p->tile_px * p->tile_px) :
					b->color[px];
			const uint32_t v = p->image.px_bytes == 2 ? rgba_to_565(c) : c;
			memcpy(p->host + vc4_image_offset(&p->image, p->x0 + x, p->y0 + y), &v,
					p->image.px_bytes);
		}
	}
}

static void store_zs(const struct part *p, struct tile_buffer *b) {
	if (p->transfer->z && p->transfer->stencil) {
		move_squares(p, b->depth, store_row);
		return;
	}
	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++) {
			uint8_t *to = p->host + vc4_image_offset(&p->image, p->x0 + x, p->y0 + y);
			uint32_t old, v = b->depth[px_of(p, x, y)];
			memcpy(&old, to, 4);
			v = p->transfer->stencil ? v : (v & ~0xFFu) | (old & 0xFF);
			v = p->transfer->z ? v : (v & 0xFF) | (old & ~0xFFu);
			memcpy(to, &v, 4);
		}
	}
}

/* To all samples. */
static void load(const struct part *p, uint32_t *to) {
	if (p->n_samples == 1 && p->image.px_bytes == 4) {
		move_squares(p, to, load_row);
		return;
	}
	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++) {
			const uint32_t px = px_of(p, x, y);
			uint32_t v = 0;
			memcpy(&v, p->host + vc4_image_offset(&p->image, p->x0 + x, p->y0 + y),
					p->image.px_bytes);
			v = p->image.px_bytes == 2 ? vc4_rgba_from_565(v) : v;
			for (unsigned s = 0; s < p->n_samples; s++) {
				to[px + s * p->tile_px * p->tile_px] = v;
			}
		}
	}
}

/* Where a sample lies in a whole buffer. [fidelity: vc4-full-buffers] */
static uint32_t full_offset(unsigned n_samples, uint32_t x, uint32_t y, uint32_t s) {
	if (n_samples == 1) {
		return y * 256 + x * 4;
	}
	return (y & ~1u) * 512 + (x & ~1u) * 32 + s * 16 + (y & 1) * 8 + (x & 1) * 4;
}

static void move_full(const struct part *p, uint32_t *buffer, uint8_t *memory, bool is_store) {
	for (uint32_t y = 0; y < p->tile_px; y++) {
		for (uint32_t x = 0; x < p->tile_px; x++) {
			for (uint32_t s = 0; s < p->n_samples; s++) {
				uint32_t *px = &buffer[px_of(p, x, y) +
						s * p->tile_px * p->tile_px];
				uint8_t *at = memory + full_offset(p->n_samples, x, y, s);
				memcpy(is_store ? (void *)at : px, is_store ? (void *)px : at, 4);
			}
		}
	}
}

static void move_buffers(const struct part *p, struct tile_buffer *b, bool is_store) {
	const struct vc4_transfer *t = p->transfer;
	if (t->color) {
		move_full(p, b->color, p->host, is_store);
	}
	if (t->z || t->stencil) {
		move_full(p, b->depth, p->host + (t->color ? FULL_BYTES : 0), is_store);
	}
}

static void clear(struct tile_buffer *b, const struct vc4_rendering *r, bool color, bool zs) {
	const uint32_t depth = r->clear_z << 8 | r->clear_stencil;
	for (unsigned i = 0; color && i < TILE_BUFFER_PX; i++) {
		b->color[i] = r->clear_color;
	}
	for (unsigned i = 0; zs && i < TILE_BUFFER_PX; i++) {
		b->depth[i] = depth;
	}
}

uint32_t vc4_stored_pixel(const struct vc4_transfer *t, const struct vc4_rendering *r,
		const struct tile_buffer *b, uint32_t px) {
	const uint32_t sample_px = (uint32_t)r->tile_px * r->tile_px;
	const uint32_t c = t->averages && r->is_multisample ? average(b->color, px, sample_px) :
							      b->color[px];
	return t->format == VC4_FORMAT_RGBA8888 ? c : rgba_to_565(c);
}

static unsigned px_bytes(const struct vc4_transfer *t) {
	return t->color && t->format != VC4_FORMAT_RGBA8888 ? 2 : 4;
}

struct vc4_image vc4_transfer_image(const struct vc4_transfer *t, const struct vc4_rendering *r) {
	return (struct vc4_image){ t->layout, (uint8_t)px_bytes(t), r->width, r->height };
}

struct range vc4_transfer_range(const struct vc4_transfer *t, const struct vc4_rendering *r) {
	const struct vc4_image image = vc4_transfer_image(t, r);
	const bool zs = t->z || t->stencil;
	const uint32_t size = t->is_full ? ((uint32_t)t->color + zs) * FULL_BYTES :
			t->color || zs   ? vc4_image_bytes(&image) :
					   0;
	return (struct range){ t->address, size };
}

static void transfer(const struct vc4_tiles *tiles, const struct vc4_tile_op *op,
		struct tile_buffer *b) {
	const struct vc4_frame *f = tiles->frame;
	const struct vc4_transfer *t = &f->transfers[op->value];
	const struct vc4_rendering *r = &f->renderings[op->rendering];
	const bool is_store = op->kind == VC4_TILE_STORE;
	struct part p = { .transfer = t,
		.image = vc4_transfer_image(t, r),
		.host = tiles->host[op - f->ops],
		.x0 = (uint32_t)op->column * r->tile_px,
		.y0 = (uint32_t)op->row * r->tile_px,
		.tile_px = r->tile_px,
		.n_samples = r->is_multisample ? QPU_SAMPLES : 1 };
	if (is_store && tiles->stores_nothing) {
		p.host = NULL;
	} else if (t->is_full) {
		move_buffers(&p, b, is_store);
	} else if (p.host && p.x0 < r->width && p.y0 < r->height) {
		p.width = least(r->tile_px, r->width - p.x0);
		p.height = least(r->tile_px, r->height - p.y0);
		if (!is_store) {
			load(&p, t->color ? b->color : b->depth);
		} else if (t->color) {
			store_color(&p, b);
		} else {
			store_zs(&p, b);
		}
	}
	if (is_store) {
		clear(b, r, t->clears_color, t->clears_zs);
	}
}

/* ---- Tasks ---- */

static enum tile_next step(const struct tile_program *program, unsigned task, uint32_t *at,
		struct tile_buffer *b, struct tile_walk *walk) {
	const struct vc4_tiles *tiles = (const struct vc4_tiles *)program;
	const struct vc4_frame *f = tiles->frame;
	if (*at == 0) {
		b->spent = 0;
	}
	if (PICA_UNLIKELY(tiles->watch != NULL)) {
		vc4_watch_walked(tiles->watch, task);
	}
	if (*at == tiles->first[task + 1] - tiles->first[task]) {
		vc4_report_steps(tiles->report, b->spent);
		return TILE_ENDS;
	}
	const uint32_t what = tiles->steps[tiles->first[task] + (*at)++];
	if (what & STEP_CLEAR) {
		clear(b, &f->renderings[what & ~STEP_CLEAR], true, true);
		if (PICA_UNLIKELY(tiles->watch != NULL)) { /* an operation of the run follows */
			vc4_watch_clear(tiles->watch, task,
					&f->ops[tiles->steps[tiles->first[task] + *at]], b);
		}
		return TILE_GOES_ON;
	}
	const struct vc4_tile_op *op = &f->ops[what];
	if (op->kind != VC4_TILE_DRAW) {
		transfer(tiles, op, b);
	}
	if (PICA_UNLIKELY(tiles->watch != NULL)) {
		vc4_watch_op(tiles->watch, task, op, b);
	}
	if (op->kind != VC4_TILE_DRAW) {
		return TILE_GOES_ON;
	}
	const int tile_px = f->binning.tile_px;
	*walk = (struct tile_walk){ op->value, op->column * tile_px, op->row * tile_px };
	return TILE_WALKS;
}

/* ---- The plan ---- */

/* Memory of a transfer. */
struct use {
	struct range range;
	int tile; /* of a whole buffer; NO_TILE: an image */
	uint32_t transfer, rendering;
};

static int tile_of(const struct vc4_tile_op *op) {
	return op->row << 8 | op->column;
}

static int compare_uses(const void *a, const void *b) {
	const struct use *x = a, *y = b;
	return x->range.addr < y->range.addr ? -1 : x->range.addr > y->range.addr;
}

static bool is_same_image(const struct vc4_frame *f, const struct use *a, const struct use *b) {
	const struct vc4_rendering *r = &f->renderings[a->rendering],
				   *q = &f->renderings[b->rendering];
	const struct vc4_transfer *t = &f->transfers[a->transfer], *u = &f->transfers[b->transfer];
	return a->tile == NO_TILE && b->tile == NO_TILE && a->range.addr == b->range.addr &&
			t->layout == u->layout && px_bytes(t) == px_bytes(u) &&
			r->width == q->width && r->height == q->height && r->tile_px == q->tile_px;
}

/* Returns whether uses of different tiles may overlap in memory. */
static bool uses_meet(const struct vc4_frame *f, struct use *use, unsigned n) {
	qsort(use, n, sizeof(*use), compare_uses);
	const struct use *last = NULL; /* of the earlier ones, the one that ends last */
	for (unsigned i = 0; i < n; i++) {
		const bool meets = last && ranges_overlap(last->range, use[i].range);
		if (meets && !is_same_image(f, last, &use[i]) &&
				(last->tile == NO_TILE || last->tile != use[i].tile)) {
			return true;
		}
		if (!last ||
				use[i].range.addr + (uint64_t)use[i].range.size >
						last->range.addr + (uint64_t)last->range.size) {
			last = &use[i];
		}
	}
	return false;
}

static int fail(struct vc4_error *error, const struct vc4_tile_op *op, int ret, const char *why) {
	static const char *const names[] = { "load", "branch to a bin", "store" };
	*error = (struct vc4_error){ .error = ret,
		.list = 1,
		.address = op->address,
		.record = names[op->kind],
		.why = why };
	return ret;
}

/* Finds the memory of transfers. Returns the number of uses, or a negative errno. */
static int find_hosts(const struct vc4_frame *f, const struct space *space, uint8_t **host,
		struct use *use, struct vc4_error *error) {
	int n = 0;
	for (uint32_t i = 0; i < f->n_ops; i++) {
		const struct vc4_tile_op *op = &f->ops[i];
		const struct vc4_rendering *r = &f->renderings[op->rendering];
		if (op->kind == VC4_TILE_DRAW) {
			if (r->is_multisample != f->binning.is_multisample) {
				return fail(error, op, -EOPNOTSUPP,
						"binned with another number of samples");
			}
			continue;
		}
		const struct vc4_transfer *t = &f->transfers[op->value];
		if (!t->is_full && (r->width > VC4_IMAGE_MAX || r->height > VC4_IMAGE_MAX)) {
			return fail(error, op, -EOPNOTSUPP, "an image of more than 16,384 pixels");
		}
		const struct range range = vc4_transfer_range(t, r);
		if (!range.size) {
			continue;
		}
		host[i] = op->kind == VC4_TILE_STORE ?
				space_host_writable(space, range.addr, range.size) :
				space_host(space, range.addr, range.size);
		if (!host[i]) {
			return fail(error, op, -ERANGE, "the image leaves memory");
		}
		const struct use *before = n ? &use[n - 1] : NULL;
		if (t->is_full || !before || before->transfer != op->value ||
				before->rendering != op->rendering) {
			use[n++] = (struct use){ range, t->is_full ? tile_of(op) : NO_TILE,
				op->value, op->rendering };
		}
	}
	return n;
}

/* The tile of a run, or NO_TILE: more than one. */
static int tile_of_run(const struct vc4_frame *f, const struct vc4_run *run) {
	for (uint32_t i = 1; i < run->n; i++) {
		if (tile_of(&f->ops[run->first + i]) != tile_of(&f->ops[run->first])) {
			return NO_TILE;
		}
	}
	return tile_of(&f->ops[run->first]);
}

static bool needs_order(const struct vc4_frame *f) {
	for (uint32_t i = 0; i < f->n_runs; i++) {
		if (tile_of_run(f, &f->runs[i]) == NO_TILE) {
			return true;
		}
	}
	return false;
}

/* Fills first[] and steps[] with the runs, sorted by task, in their order. */
static void sort_runs(const struct vc4_frame *f, const uint16_t *task, uint32_t *first,
		uint32_t *steps, unsigned n_tasks) {
	for (uint32_t i = 0; i < f->n_runs; i++) {
		first[task[i] + 1] += f->runs[i].n + 1;
	}
	for (unsigned t = 0; t < n_tasks; t++) {
		first[t + 1] += first[t];
	}
	for (uint32_t i = f->n_runs; i-- > 0;) {
		/* From the ends, which become the starts. */
		uint32_t *end = &first[task[i] + 1];
		for (uint32_t k = f->runs[i].n; k-- > 0;) {
			steps[--*end] = f->runs[i].first + k;
		}
		steps[--*end] = STEP_CLEAR | f->runs[i].clear;
	}
	const uint32_t total = f->n_ops + f->n_runs;
	memmove(first, first + 1, n_tasks * sizeof(*first));
	first[n_tasks] = total;
}

/* Returns the number of walks of the most frequent bin; at least 1. */
static uint32_t most_walks(const struct vc4_frame *f, uint32_t walks[EXEC_MAX_TILES]) {
	uint32_t most = 1;
	memset(walks, 0, EXEC_MAX_TILES * sizeof(*walks));
	for (uint32_t i = 0; i < f->n_ops; i++) {
		if (f->ops[i].kind == VC4_TILE_DRAW) {
			const uint32_t n = ++walks[f->ops[i].value];
			most = n > most ? n : most;
		}
	}
	return most;
}

int vc4_tiles_plan(struct vc4_tiles *tiles, const struct vc4_frame *f, const struct space *space,
		struct arena *arena, struct vc4_error *error) {
	uint8_t **host = arena_zalloc(arena, ((size_t)f->n_ops + 1) * sizeof(*host));
	struct use *use = arena_alloc(arena, ((size_t)f->n_ops + 1) * sizeof(*use));
	uint16_t *task = arena_zalloc(arena, (f->n_runs + 1) * sizeof(*task));
	uint16_t *task_of_tile = arena_zalloc(arena, (1 << 16) * sizeof(*task_of_tile));
	uint32_t *first = arena_zalloc(arena, (EXEC_MAX_TILES + 2) * sizeof(*first));
	uint32_t *steps = arena_alloc(arena, ((size_t)f->n_ops + f->n_runs + 1) * sizeof(*steps));
	uint32_t *walks = arena_alloc(arena, EXEC_MAX_TILES * sizeof(*walks));
	if (!walks || !host || !use || !task || !task_of_tile || !first || !steps) {
		return -ENOMEM;
	}
	const int n_uses = find_hosts(f, space, host, use, error);
	if (n_uses < 0) {
		return n_uses;
	}
	unsigned n_tasks = f->n_runs != 0;
	if (!needs_order(f) && !uses_meet(f, use, (unsigned)n_uses)) {
		n_tasks = 0;
		for (uint32_t i = 0; i < f->n_runs; i++) {
			uint16_t *own = &task_of_tile[tile_of_run(f, &f->runs[i])];
			if (!*own) { /* one more than the task */
				*own = (uint16_t)(n_tasks++ % EXEC_MAX_TILES + 1);
			}
			task[i] = (uint16_t)(*own - 1);
		}
		n_tasks = n_tasks < EXEC_MAX_TILES ? n_tasks : EXEC_MAX_TILES;
	}
	sort_runs(f, task, first, steps, n_tasks);
	*tiles = (struct vc4_tiles){ .program = { n_tasks, most_walks(f, walks), step },
		.frame = f,
		.host = host,
		.first = first,
		.steps = steps };
	return 0;
}

void vc4_tiles_footprint(
		const struct vc4_tiles *tiles, struct footprint *reads, struct footprint *writes) {
	const struct vc4_frame *f = tiles->frame;
	for (uint32_t i = 0; i < f->n_ops; i++) {
		const struct vc4_tile_op *op = &f->ops[i];
		if (op->kind != VC4_TILE_DRAW && tiles->host[i]) {
			footprint_add(op->kind == VC4_TILE_STORE ? writes : reads,
					vc4_transfer_range(&f->transfers[op->value],
							&f->renderings[op->rendering]));
		}
	}
}
