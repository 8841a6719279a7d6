/*
 * Display transfer: order (tiled, linear), format, size and direction of an image.
 * [fidelity: display-transfer]
 *
 * The picture is processed in bands of 8 destination rows (counted before the flip), in one of two
 * ways:
 *
 *  pixel by pixel     the truth: each pixel by its address, each byte by its window
 *  tiles              where the rows that a band reads and writes lie inside one window each and
 *                     destination tiles are whole: decode, (average,) detile or tile, encode by
 *                     kernels
 *
 * Both give the same bytes. Where source and destination overlap, only the first is used, in one
 * stripe, so that the result is that of ascending pixels (fidelity: aliasing).
 */
#include "pica/xfer/xfer.h"

#include "core/base/morton.h"
#include "pica/xfer/mem.h"
#include "pica/xfer/ports.h"

enum {
	TILE = 8,
	CHUNK_PX = 256, /* destination pixels of a row that are worked on at once */
	/* Approximate maximum times, in ns. */
	BAND_TICKS = 256, /* cost of a skipped band, or of a band in addition to its pixels */
	TILED_TICKS = 4,  /* a pixel by tiles */
	PIXEL_TICKS = 64, /* one of the source alone */
};

unsigned xfer_format_bytes(unsigned format) {
	static const uint8_t bytes[XFER_COUNT] = { 4, 3, 2, 2, 2 };
	return bytes[format < XFER_COUNT ? format : XFER_RGBA4];
}

/* 32-bit input to any, 24-bit to 24-bit, 16-bit to 16-bit: others hang hardware. [HW: hwtests] */
static bool pair_hangs(unsigned in_bytes, unsigned out_bytes) {
	return in_bytes != 4 && in_bytes != out_bytes;
}

static uint8_t format_field(uint32_t field) {
	return (uint8_t)(field < XFER_COUNT ? field : XFER_RGBA4); /* 5-7 as 4 [DOC] */
}

static void transfer_init(struct transfer *t, uint32_t src, uint32_t dst, uint32_t out_dim,
		uint32_t in_dim, uint32_t flags) {
	*t = (struct transfer){
		.src = src & ~(uint32_t)(XFER_ADDR_UNIT - 1),
		.dst = dst & ~(uint32_t)(XFER_ADDR_UNIT - 1),
		/* The low 3 bits of the output size are ignored. [DOC] */
		.out_width = TRANSFER_DIM_WIDTH(out_dim) & ~(uint32_t)(TILE - 1),
		.out_height = TRANSFER_DIM_HEIGHT(out_dim) & ~(uint32_t)(TILE - 1),
		.in_format = format_field(TRANSFER_FLAGS_IN_FORMAT(flags)),
		.out_format = format_field(TRANSFER_FLAGS_OUT_FORMAT(flags)),
		.flip = TRANSFER_FLAGS_FLIP(flags),
		.to_tiled = TRANSFER_FLAGS_TO_TILED(flags),
		.crop = TRANSFER_FLAGS_CROP(flags),
		.keep_order = TRANSFER_FLAGS_KEEP_ORDER(flags),
		.block32 = TRANSFER_FLAGS_BLOCK32(flags),
		.scale = (uint8_t)TRANSFER_FLAGS_SCALE(flags),
	};
	/*
	 * The input width counts with the crop flag only, the input height never. [HW: hwtests,
	 * DOC]
	 */
	t->in_width = t->crop ? TRANSFER_DIM_WIDTH(in_dim) : t->out_width;
	t->bad = pair_hangs(xfer_format_bytes(t->in_format), xfer_format_bytes(t->out_format));
	if (t->scale > 2) {
		t->scale = 2; /* invalid; only bit 25 set halves both [guess] */
		t->bad = true;
	}
	t->nothing = t->in_width == 0 || t->out_width == 0 || t->out_height == 0;
}

void transfer_from_job(struct transfer *t, const struct pica_job_transfer *job) {
	transfer_init(t, job->src, job->dst, job->out_dim, job->in_dim, job->flags);
}

void transfer_from_regs(struct transfer *t, const uint32_t *external) {
	transfer_init(t, external[EXT_PPF_SRC] << XFER_ADDR_SHIFT,
			external[EXT_PPF_DST] << XFER_ADDR_SHIFT, external[EXT_PPF_OUT_DIM],
			external[EXT_PPF_IN_DIM], external[EXT_PPF_FLAGS]);
}

bool transfer_flags_copy(uint32_t flags) {
	return TRANSFER_FLAGS_COPY(flags);
}

/* One side of a transfer: an image in memory. */
struct side {
	int64_t addr;
	uint32_t width, height;   /* of the pixels that are touched */
	uint32_t line_px;         /* the width for computing addresses */
	unsigned bytes;           /* of a pixel */
	bool tiled, block32;
};

/* The general form of tiled_index(): 64 bits, for the sizes that registers can ask for. */
static uint64_t side_index(const struct side *s, uint32_t x, uint32_t y) {
	if (!s->tiled) {
		return (uint64_t)y * s->line_px + x;
	}
	return block_index(x >> 3, y >> 3, s->line_px >> 3, s->block32) + morton8(x & 7, y & 7);
}

static int64_t side_addr(const struct side *s, uint32_t x, uint32_t y) {
	return s->addr + (int64_t)(side_index(s, x, y) * s->bytes);
}

/* One past the last pixel that rows [0, rows) touch. */
static uint64_t side_end_index(const struct side *s, uint32_t rows) {
	if (rows == 0 || s->width == 0) {
		return 0;
	}
	if (!s->tiled) {
		return (uint64_t)(rows - 1) * s->line_px + s->width;
	}
	uint32_t bx = (s->width - 1) >> 3, by = (rows - 1) >> 3, line = s->line_px >> 3;
	if (!s->block32) {
		return ((uint64_t)by * line + bx + 1) * 64;
	}
	return ((uint64_t)(by >> 2) * ((line + 3) >> 2) + (bx >> 2) + 1) * 1024;
}

/* The first pixel that rows from y on can touch (y a multiple of 8 where tiled). */
static uint64_t side_begin_index(const struct side *s, uint32_t y) {
	if (!s->tiled) {
		return (uint64_t)y * s->line_px;
	}
	uint32_t by = y >> 3, line = s->line_px >> 3;
	if (!s->block32) {
		return (uint64_t)by * line * 64;
	}
	return (uint64_t)(by >> 2) * ((line + 3) >> 2) * 1024;
}

struct job {
	const struct transfer *t;
	struct side in, out;
	unsigned sx, sy;  /* shifts of the scale */
	unsigned group;   /* source pixels for one: 1, 2, 4 */
	bool pixelwise;   /* source and destination overlap */
};

static struct range side_range(const struct side *s) {
	int64_t end = (int64_t)(side_end_index(s, s->height) * s->bytes);
	return mem_range(s->addr, s->addr + end);
}

static void job_init(struct job *j, const struct transfer *t) {
	*j = (struct job){ .t = t, .sx = t->scale != 0, .sy = t->scale == 2 };
	j->group = 1u << (j->sx + j->sy);
	bool in_tiled = !t->to_tiled;
	bool out_tiled = t->keep_order ? in_tiled : t->to_tiled; /* [HW: hwtests, bit 5] */
	j->in = (struct side){
		.addr = t->src,
		.width = t->out_width,
		.height = t->out_height,
		.line_px = t->in_width,
		.bytes = xfer_format_bytes(t->in_format),
		.tiled = in_tiled,
		.block32 = t->block32,
	};
	j->out = (struct side){
		.addr = t->dst,
		.width = t->out_width >> j->sx,
		.height = t->out_height >> j->sy,
		.line_px = t->out_width >> j->sx,
		.bytes = xfer_format_bytes(t->out_format),
		.tiled = out_tiled,
		.block32 = t->block32,
	};
	if (t->flip && t->crop) {
		/*
		 * The engine steps back by the wrong width: the image skews. [HW, fidelity:
		 * display-transfer]
		 */
		j->out.addr += ((int64_t)t->in_width - j->out.width) *
				((int64_t)j->out.height - 1) * j->out.bytes;
	}
	if (!t->nothing) {
		j->pixelwise = ranges_overlap(side_range(&j->in), side_range(&j->out));
	}
}

struct range transfer_reads(const struct transfer *t) {
	struct job j;
	job_init(&j, t);
	return t->nothing ? (struct range){ t->src, 0 } : side_range(&j.in);
}

struct range transfer_writes(const struct transfer *t) {
	struct job j;
	job_init(&j, t);
	return t->nothing ? (struct range){ t->dst, 0 } : side_range(&j.out);
}

/*
 * The pixel with that index, as side_index() counts it. Returns false if there is none. Not for
 * tiled sides of broken blocks, of which several pixels share an index.
 */
static bool side_pixel(const struct side *s, uint64_t index, uint32_t *x, uint32_t *y) {
	uint64_t column = index % s->line_px, row = index / s->line_px;
	if (s->tiled) {
		const uint64_t block = index / 64, inner = s->block32 ? block % 16 : 0;
		const uint64_t unit = s->block32 ? block / 16 : block;
		const uint64_t line = s->block32 ? (s->line_px / 8 + 3) / 4 : s->line_px / 8;
		const unsigned side = s->block32 ? 4 : 1;
		column = unit % line * side + ((inner & 1) | (inner & 4) >> 1);
		row = unit / line * side + ((inner & 2) >> 1 | (inner & 8) >> 2);
		column = 8 * column + morton8_x(index & 63);
		row = 8 * row + morton8_y(index & 63);
	}
	*x = (uint32_t)column;
	*y = (uint32_t)row;
	return column < s->width && row < s->height;
}

/* Finds the last pixel, in processing order, that holds the byte at addr. */
static bool find_pixel(const struct side *s, uint32_t addr, uint32_t *x, uint32_t *y) {
	const int64_t offset = (int64_t)addr - s->addr;
	bool found = false;
	if (!s->tiled || s->line_px % 8 == 0) {
		return offset >= 0 && side_pixel(s, (uint64_t)offset / s->bytes, x, y);
	}
	for (uint32_t row = 0; row < s->height; row++) {
		for (uint32_t column = 0; column < s->width; column++) {
			const int64_t at = (int64_t)addr - side_addr(s, column, row);
			if (at >= 0 && at < s->bytes) {
				*x = column;
				*y = row;
				found = true;
			}
		}
	}
	return found;
}

unsigned transfer_sources(const struct transfer *t, uint32_t addr, struct range from[4]) {
	struct job j;
	uint32_t x, row;
	job_init(&j, t);
	if (t->nothing || !ranges_overlap(side_range(&j.out), (struct range){ addr, 1 }) ||
			!find_pixel(&j.out, addr, &x, &row)) {
		return 0;
	}
	const uint32_t y = t->flip ? j.out.height - 1 - row : row;
	for (unsigned n = 0; n < j.group; n++) {
		const int64_t src = side_addr(&j.in, (x << j.sx) + (n & 1), (y << j.sy) + (n >> 1));
		from[n] = mem_range(src, src + j.in.bytes);
	}
	return j.group;
}

static unsigned band_count(const struct job *j) {
	return (j->out.height + TILE - 1) / TILE;
}

unsigned transfer_stripes(const struct transfer *t, unsigned wanted) {
	struct job j;
	job_init(&j, t);
	if (t->nothing || wanted < 2 || j.pixelwise) {
		return 1;
	}
	if (j.out.tiled && (j.out.width % TILE || (t->flip && j.out.height % TILE))) {
		return 1; /* bands may meet in one tile */
	}
	unsigned bands = band_count(&j);
	return wanted < bands ? wanted : bands;
}

/*
 * Pixel (x, y) of the destination before the flip. With a scale the mean of 2 or 4 neighbours,
 * which in a tile are also neighbours in memory.  [HW: hwtests; linear source: REC]
 */
static uint64_t do_pixel(const struct job *j, const struct xfer_kernels *k, struct space *space,
		uint32_t x, uint32_t y) {
	uint32_t rgba[4], result;
	uint8_t bytes[4];
	uint64_t outside = 0;
	for (unsigned i = 0; i < j->group; i++) {
		int64_t from = side_addr(&j->in, (x << j->sx) + (i & 1), (y << j->sy) + (i >> 1));
		outside += mem_read(space, from, bytes, j->in.bytes);
		k->decode[j->t->in_format](&rgba[i], bytes, 1);
	}
	if (j->group > 1) {
		k->average(&result, rgba, 1, j->group);
	} else {
		result = rgba[0];
	}
	k->encode[j->t->out_format](bytes, &result, 1);
	uint32_t row = j->t->flip ? j->out.height - 1 - y : y;
	return outside + mem_write(space, side_addr(&j->out, x, row), bytes, j->out.bytes);
}

/* Pixels [x, x + n) of a row. */
static uint64_t do_pixels(const struct job *j, const struct xfer_kernels *k, struct space *space,
		uint32_t x, uint32_t y, uint32_t n) {
	uint64_t outside = 0;
	for (uint32_t i = 0; i < n; i++) {
		outside += do_pixel(j, k, space, x + i, y);
	}
	return outside;
}

/* ---- Tiles ---- */

/* Host addresses of pixel 0 of each side: only what the band may touch is inside the windows. */
struct band {
	const uint8_t *in;
	uint8_t *out;
	uint32_t y0, rows; /* destination rows, before the flip */
};

static const uint8_t *band_in(const struct band *b, const struct job *j, uint32_t x, uint32_t y) {
	return b->in + (side_addr(&j->in, x, y) - side_addr(&j->in, 0, b->y0 << j->sy));
}

static uint32_t out_row(const struct job *j, uint32_t y) {
	return j->t->flip ? j->out.height - 1 - y : y;
}

/* Places the averages of one tile, in Morton order of 4x8 or 4x4, as rows. */
static void place_scaled(uint32_t *rows, const uint32_t *px, unsigned group) {
	if (group == 2) {
		for (uint32_t i = 0; i < 32; i++) {
			uint32_t x = morton8_x(2 * i) >> 1, y = morton8_y(2 * i);
			rows[y * CHUNK_PX + x] = px[i];
		}
	} else {
		for (uint32_t i = 0; i < 16; i++) {
			rows[morton8_y(i) * CHUNK_PX + morton8_x(i)] = px[i];
		}
	}
}

/* Destination pixels [x0, x0 + n) of the band's rows, decoded and scaled, CHUNK_PX apart. */
static void load_chunk(const struct band *b, const struct job *j, const struct xfer_kernels *k,
		uint32_t x0, uint32_t n, uint32_t *rows) {
	const unsigned format = j->t->in_format;
	if (!j->in.tiled) {
		for (uint32_t r = 0; r < b->rows; r++) {
			k->decode[format](rows + r * CHUNK_PX, band_in(b, j, x0, b->y0 + r), n);
		}
		return;
	}
	uint32_t px[64], scaled[32];
	for (uint32_t ty = 0; ty < b->rows << j->sy; ty += TILE) {
		uint32_t *to = rows + (ty >> j->sy) * CHUNK_PX;
		for (uint32_t tx = 0; tx < n << j->sx; tx += TILE) {
			k->decode[format](px,
					band_in(b, j, (x0 << j->sx) + tx, (b->y0 << j->sy) + ty),
					64);
			if (j->group == 1) {
				k->detile(to + tx, CHUNK_PX, px);
			} else {
				k->average(scaled, px, 64 / j->group, j->group);
				place_scaled(to + (tx >> j->sx), scaled, j->group);
			}
		}
	}
}

static void store_chunk(const struct band *b, const struct job *j, const struct xfer_kernels *k,
		uint32_t x0, uint32_t n, uint32_t *rows) {
	const unsigned format = j->t->out_format;
	const uint32_t first = j->t->flip ? out_row(j, b->y0 + b->rows - 1) : b->y0;
	const int64_t base = side_addr(&j->out, 0, first);
	if (!j->out.tiled) {
		for (uint32_t r = 0; r < b->rows; r++) {
			uint8_t *to = b->out +
					(side_addr(&j->out, x0, out_row(j, b->y0 + r)) - base);
			k->encode[format](to, rows + r * CHUNK_PX, n);
		}
		return;
	}
	if (j->t->flip) {
		for (uint32_t r = 0; r < TILE / 2; r++) {
			uint32_t keep[CHUNK_PX];
			uint32_t *a = rows + r * CHUNK_PX, *z = rows + (TILE - 1 - r) * CHUNK_PX;
			memcpy(keep, a, n * sizeof(*a));
			memcpy(a, z, n * sizeof(*a));
			memcpy(z, keep, n * sizeof(*a));
		}
	}
	for (uint32_t tx = 0; tx < n; tx += TILE) {
		uint32_t px[64];
		k->tile(px, rows + tx, CHUNK_PX);
		k->encode[format](b->out + (side_addr(&j->out, x0 + tx, first) - base), px, 64);
	}
}

/* Host address of row y's first pixel if rows [y, y + rows) lie inside one window, else NULL. */
static uint8_t *rows_host(const struct side *s, const struct space *space, uint32_t y,
		uint32_t rows, bool write) {
	int64_t begin = (int64_t)(side_begin_index(s, y) * s->bytes);
	int64_t end = (int64_t)(side_end_index(s, y + rows) * s->bytes);
	if (end <= begin) {
		return NULL; /* lines narrower than a tile wrap onto each other */
	}
	uint8_t *host = mem_host(space, s->addr + begin, (uint64_t)(end - begin), write);
	return host ? host + (side_addr(s, 0, y) - (s->addr + begin)) : NULL;
}

static bool band_tiles(const struct job *j, const struct space *space, struct band *b) {
	if (j->pixelwise || (!j->in.tiled && j->group > 1)) {
		return false;
	}
	uint32_t first = j->t->flip ? out_row(j, b->y0 + b->rows - 1) : b->y0;
	if (j->out.tiled && (j->out.width % TILE || b->rows != TILE || first % TILE)) {
		return false;
	}
	b->in = rows_host(&j->in, space, b->y0 << j->sy, b->rows << j->sy, false);
	b->out = rows_host(&j->out, space, first, b->rows, true);
	return b->in && b->out;
}

/* Whether the band's rows could write anything at all. */
static bool band_reaches_memory(
		const struct job *j, const struct space *space, uint32_t y0, uint32_t rows) {
	uint32_t first = j->t->flip ? out_row(j, y0 + rows - 1) : y0;
	uint32_t aligned = j->out.tiled ? first & ~(uint32_t)(TILE - 1) : first;
	int64_t begin = (int64_t)(side_begin_index(&j->out, aligned) * j->out.bytes);
	int64_t end = (int64_t)(side_end_index(&j->out, first + rows) * j->out.bytes);
	while (begin < end) {
		struct piece p = mem_piece(
				space, j->out.addr + begin, (uint64_t)(end - begin), true);
		if (p.host) {
			return true;
		}
		begin += (int64_t)p.len;
	}
	return false;
}

static void do_tiles(const struct job *j, const struct xfer_kernels *k, const struct band *b) {
	uint32_t rows[TILE * CHUNK_PX];
	for (uint32_t x = 0; x < j->out.width; x += CHUNK_PX) {
		const uint32_t n = j->out.width - x < CHUNK_PX ? j->out.width - x : CHUNK_PX;
		load_chunk(b, j, k, x, n, rows);
		store_chunk(b, j, k, x, n, rows);
	}
}

/*
 * Processes the band that begins at pixel `at` of the destination, or only pixels of its row.
 * Returns their number; *ticks: their cost.
 */
static uint32_t do_some(const struct job *j, const struct xfer_kernels *k, struct space *space,
		uint64_t at, uint64_t *outside, uint64_t *ticks) {
	const uint32_t width = j->out.width, x = (uint32_t)(at % width);
	struct band b = { .y0 = (uint32_t)(at / width) };
	b.rows = j->out.height - b.y0 < TILE ? j->out.height - b.y0 : TILE;
	const bool is_band = x == 0 && b.y0 % TILE == 0;
	const uint32_t n_band = b.rows * width;
	*ticks = BAND_TICKS;
	if (is_band && !band_reaches_memory(j, space, b.y0, b.rows)) {
		*outside += (uint64_t)n_band * j->out.bytes;
		return n_band;
	}
	if (is_band && band_tiles(j, space, &b)) {
		do_tiles(j, k, &b);
		*ticks += (uint64_t)n_band * TILED_TICKS * j->group;
		return n_band;
	}
	const uint32_t n = width - x < CHUNK_PX ? width - x : CHUNK_PX;
	*outside += do_pixels(j, k, space, x, b.y0, n);
	*ticks += (uint64_t)n * PIXEL_TICKS * j->group;
	return n;
}

uint32_t transfer_run(const struct transfer *t, const struct xfer_kernels *k, struct space *space,
		struct work_part *part) {
	struct job j;
	job_init(&j, t);
	const uint64_t band_px = (uint64_t)j.out.width * TILE, bands = band_count(&j);
	const uint64_t all_px = (uint64_t)j.out.width * j.out.height;
	const uint64_t first = bands * part->index / part->count * band_px;
	uint64_t end = bands * (part->index + 1) / part->count * band_px, outside = 0, ticks = 0;
	end = end < all_px ? end : all_px;
	uint64_t at = first + part->at;
	part->is_done = t->nothing || at >= end;
	while (!part->is_done && !(ticks && part_pauses(part, ticks))) {
		at += do_some(&j, k, space, at, &outside, &ticks);
		part->is_done = at >= end;
	}
	part->at = at - first;
	return saturate32(outside);
}

uint32_t transfer_run_pixels(const struct transfer *t, const struct xfer_kernels *k,
		struct space *space) {
	uint64_t outside = 0;
	struct job j;
	job_init(&j, t);
	for (uint32_t y = 0; y < j.out.height && !t->nothing; y++) {
		outside += do_pixels(&j, k, space, 0, y, j.out.width);
	}
	return saturate32(outside);
}
