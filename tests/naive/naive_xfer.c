/*
 * Physical memory and its copy engines: fills, display transfers, texture copies, pixel by pixel
 * (fidelity: memory-map, fill, transfer-fields).
 */
#include "naive_state.h"

#include <errno.h>
#include <string.h>

#include "pica/regs/regs.h"

/* ---- Memory ---- */

static const struct naive_window *find(const struct naive *n, uint32_t addr) {
	for (unsigned i = 0; i < n->n_windows; i++) {
		const struct naive_window *w = &n->window[i];
		if (addr >= w->phys && addr - w->phys < w->size_bytes) {
			return w;
		}
	}
	return NULL;
}

bool naive_is_mapped(const struct naive *n, uint32_t addr, uint32_t n_bytes) {
	const struct naive_window *w = find(n, addr);
	return w && w->size_bytes - (addr - w->phys) >= n_bytes;
}

uint8_t *naive_host(const struct naive *n, uint32_t addr) {
	const struct naive_window *w = find(n, addr);
	return w ? w->host + (addr - w->phys) : NULL;
}

uint8_t naive_read8(const struct naive *n, uint32_t addr) {
	const uint8_t *host = naive_host(n, addr);
	return host ? *host : 0;
}

uint32_t naive_read(const struct naive *n, uint32_t addr, unsigned n_bytes) {
	uint32_t word = 0;
	for (unsigned i = 0; i < n_bytes; i++) {
		word |= (uint32_t)naive_read8(n, addr + i) << (8 * i);
	}
	return word;
}

void naive_write(struct naive *n, uint32_t addr, uint32_t word, unsigned n_bytes) {
	for (unsigned i = 0; i < n_bytes; i++) {
		uint8_t *host = naive_host(n, addr + i);
		if (host) {
			*host = (uint8_t)(word >> (8 * i));
		} else {
			n->stats.faults[PICA_FAULT_BAD_ADDRESS]++;
		}
	}
}

uint64_t naive_tiled_index(unsigned x, unsigned row, unsigned width, bool block32) {
	static const unsigned xl[8] = {0, 1, 4, 5, 16, 17, 20, 21};
	static const unsigned yl[8] = {0, 2, 8, 10, 32, 34, 40, 42};
	if (!block32) {
		const uint64_t tile = (uint64_t)(row >> 3) * (width >> 3) + (x >> 3);
		return tile * 64 + xl[x & 7] + yl[row & 7];
	}
	/* Z order over five bits of each inside a 32x32 block, blocks row by row [guess]. */
	const uint64_t block = (uint64_t)(row >> 5) * ((width / 8 + 3) / 4) + (x >> 5);
	unsigned z = 0;
	for (unsigned bit = 0; bit < 5; bit++) {
		z |= (x >> bit & 1) << (2 * bit) | (row >> bit & 1) << (2 * bit + 1);
	}
	return block * 1024 + z;
}

/* ---- Fill ---- */

static void fill(struct naive *n, const struct pica_job_fill *job) {
	const uint32_t start = job->start & ~15u, end = job->end & ~15u;
	const uint32_t width = job->control >> 8 & 3; /* external register 1C */
	const uint32_t period = width == 0 ? 2 : width == 2 ? 4 : 3;
	if (start == 0) {
		return;
	}
	for (uint32_t addr = start; addr < end; addr++) {
		naive_write(n, addr, job->value >> (8 * ((addr - start) % period)), 1);
	}
}

/* ---- Display transfer: [fidelity: display-transfer] ---- */

struct transfer {
	bool flip, crop, block32, in_tiled, out_tiled;
	unsigned in_format, out_format; /* COLOR_FORMAT_* */
	unsigned scale;
	uint32_t in_width;
	uint32_t width, height; /* of the output, after scaling */
	uint32_t src;
	int64_t dst;
};

/* The engine swaps the framebuffer register's numbers of 565 and 5551. */
static unsigned transfer_format(uint32_t bits) {
	static const unsigned format[8] = {
		COLOR_FORMAT_RGBA8, COLOR_FORMAT_RGB8, COLOR_FORMAT_RGB565, COLOR_FORMAT_RGB5A1,
		COLOR_FORMAT_RGBA4, COLOR_FORMAT_RGBA4, COLOR_FORMAT_RGBA4, COLOR_FORMAT_RGBA4,
	};
	return format[bits & 7];
}

static uint64_t place(bool tiled, bool block32, uint32_t x, uint32_t y, uint32_t width) {
	return tiled ? naive_tiled_index(x, y, width, block32) : (uint64_t)y * width + x;
}

static void read_pixel(const struct naive *n, const struct transfer *t, uint64_t index,
		uint8_t out[4]) {
	const unsigned bytes = naive_color_bytes(t->in_format);
	naive_decode_pixel(
		t->in_format, naive_read(n, t->src + (uint32_t)(index * bytes), bytes), out);
}

/* One output pixel: the average of 1, 2 or 4 input pixels. */
static void box(const struct naive *n, const struct transfer *t, uint32_t x, uint32_t y,
		uint8_t out[4]) {
	const uint32_t ix = t->scale ? 2 * x : x;
	const uint32_t iy = t->scale == 2 ? 2 * y : y;
	const unsigned count = t->scale == 0 ? 1 : t->scale == 2 ? 4 : 2;
	uint32_t sum[4] = {0, 0, 0, 0};
	for (unsigned i = 0; i < count; i++) {
		uint64_t index;
		if (t->in_tiled) { /* neighbours in memory order [HW] */
			index = place(true, t->block32, ix, iy, t->in_width) + i;
		} else { /* geometric neighbours [guess] */
			index = place(false, false, ix + i % 2, iy + i / 2, t->in_width);
		}
		uint8_t c[4];
		read_pixel(n, t, index, c);
		for (unsigned k = 0; k < 4; k++) {
			sum[k] += c[k];
		}
	}
	for (unsigned k = 0; k < 4; k++) {
		out[k] = (uint8_t)(sum[k] / count);
	}
}

static void transfer(struct naive *n, const struct pica_job_transfer *job) {
	const uint32_t f = job->flags;
	const uint32_t out_w = job->out_dim & 0xFFF8, out_h = job->out_dim >> 16 & 0xFFF8;
	const bool from_linear = f >> 1 & 1, keep_order = f >> 5 & 1;
	if (f >> 3 & 1) {
		return; /* a raw copy, whose size such a job does not carry */
	}
	struct transfer t = {
		.flip = f & 1,
		.crop = f >> 2 & 1,
		.block32 = f >> 16 & 1,
		.in_tiled = !from_linear,
		.out_tiled = keep_order ? !from_linear : from_linear,
		.in_format = transfer_format(f >> 8),
		.out_format = transfer_format(f >> 12),
		/* 3 is as 2 [guess, fidelity: transfer-fields] */
		.scale = (f >> 24 & 3) == 3 ? 2 : f >> 24 & 3,
		.src = job->src,
		.dst = job->dst,
	};
	t.in_width = t.crop ? job->in_dim & 0xFFFF : out_w;
	t.width = t.scale ? out_w / 2 : out_w;
	t.height = t.scale == 2 ? out_h / 2 : out_h;
	if (t.width == 0 || t.height == 0 || t.in_width == 0) {
		return;
	}
	const unsigned bytes = naive_color_bytes(t.out_format);
	if (t.flip && t.crop) { /* the skew of the hardware [HW] */
		t.dst += ((int64_t)t.in_width - t.width) * (t.height - 1) * bytes;
	}
	for (uint32_t y = 0; y < t.height; y++) {
		const uint32_t to = t.flip ? t.height - 1 - y : y;
		for (uint32_t x = 0; x < t.width; x++) {
			uint8_t c[4];
			box(n, &t, x, y, c);
			const uint64_t index = place(t.out_tiled, t.block32, x, to, t.width);
			naive_write(n, (uint32_t)(t.dst + (int64_t)(index * bytes)),
					naive_encode_pixel(t.out_format, c), bytes);
		}
	}
}

/* ---- Texture copy: [fidelity: texture-copy] ---- */

/* Walks lines of `line` bytes with `gap` bytes between them. */
struct walker {
	uint32_t addr, line, gap, left;
};

static uint32_t step(struct walker *w) {
	const uint32_t addr = w->addr;
	w->addr += 16;
	w->left -= 16;
	if (w->left == 0) {
		w->addr += w->gap;
		w->left = w->line;
	}
	return addr;
}

static struct walker walker(uint32_t addr, uint32_t dim, uint32_t total) {
	const uint32_t width = (dim & 0xFFFF) * 16, gap = (dim >> 16) * 16;
	const uint32_t line = gap == 0 ? total : width;
	return (struct walker){.addr = addr, .line = line, .gap = gap, .left = line};
}

static void copy(struct naive *n, const struct pica_job_copy *job) {
	const uint32_t total = job->size_bytes & ~15u;
	struct walker in = walker(job->src, job->in_line, total);
	struct walker out = walker(job->dst, job->out_line, total);
	if (total == 0 || in.line == 0 || out.line == 0) {
		return; /* freezes hardware */
	}
	for (uint32_t done = 0; done < total; done += 16) {
		const uint32_t from = step(&in), to = step(&out);
		uint8_t unit[16];
		for (uint32_t i = 0; i < 16; i++) {
			unit[i] = naive_read8(n, from + i);
		}
		for (uint32_t i = 0; i < 16; i++) {
			naive_write(n, to + i, unit[i], 1);
		}
	}
}

static void write(struct naive *n, const struct pica_job_write *job) {
	const uint8_t *data = (const uint8_t *)(uintptr_t)job->data;
	for (uint32_t i = 0; i < job->size_bytes; i++) {
		naive_write(n, job->addr + i, data[i], 1);
	}
}

int naive_xfer_job(struct naive *n, const struct pica_job *job) {
	switch (job->op) {
	case PICA_OP_FILL:
		fill(n, &job->u.fill);
		return 0;
	case PICA_OP_TRANSFER:
		transfer(n, &job->u.transfer);
		return 0;
	case PICA_OP_COPY:
		copy(n, &job->u.copy);
		return 0;
	case PICA_OP_WRITE:
		write(n, &job->u.write);
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}
