/* Texture copy: raw lines with gaps.  [fidelity: texture-copy] */
#include "pica/xfer/xfer.h"

#include "pica/xfer/mem.h"
#include "pica/xfer/ports.h"

enum {
	UNIT = XFER_ADDR_UNIT,
	PIECE_BYTES = 64 << 10,
	PIECE_TICKS = 32, /* in ns at most, plus one for each four bytes */
};

static void copy_init(struct copy *c, uint32_t src, uint32_t dst, uint32_t size_bytes,
		uint32_t in_line, uint32_t out_line) {
	*c = (struct copy){
		.src = src & ~(uint32_t)(UNIT - 1),
		.dst = dst & ~(uint32_t)(UNIT - 1),
		.size_bytes = size_bytes & ~(uint32_t)(UNIT - 1), /* rounded down [HW] */
		.in_gap = COPY_LINE_GAP(in_line) * UNIT,
		.out_gap = COPY_LINE_GAP(out_line) * UNIT,
	};
	/* Without a gap one line holds all bytes, regardless of the width. [HW] */
	c->in_line = c->in_gap ? COPY_LINE_WIDTH(in_line) * UNIT : c->size_bytes;
	c->out_line = c->out_gap ? COPY_LINE_WIDTH(out_line) * UNIT : c->size_bytes;
	/* Hardware freezes on these. [HW, as Azahar states] */
	c->nothing = c->bad = c->size_bytes == 0 || c->in_line == 0 || c->out_line == 0;
}

void copy_from_job(struct copy *c, const struct pica_job_copy *job) {
	copy_init(c, job->src, job->dst, job->size_bytes, job->in_line, job->out_line);
}

void copy_from_regs(struct copy *c, const uint32_t *external) {
	copy_init(c, external[EXT_PPF_SRC] << XFER_ADDR_SHIFT,
			external[EXT_PPF_DST] << XFER_ADDR_SHIFT, external[EXT_PPF_COPY_SIZE],
			external[EXT_PPF_COPY_IN_LINE], external[EXT_PPF_COPY_OUT_LINE]);
}

void copy_from_transfer_job(struct copy *c, const struct pica_job_transfer *job) {
	struct transfer t;
	transfer_from_job(&t, job);
	uint64_t size = (uint64_t)t.out_width * t.out_height * xfer_format_bytes(t.in_format);
	copy_init(c, job->src, job->dst, saturate32(size), 0, 0);
}

/* From the first byte of the first line to the last byte of the last one. */
static struct range lines_range(uint32_t addr, uint32_t size_bytes, uint32_t line, uint32_t gap) {
	uint64_t full = (uint64_t)(size_bytes - 1) / line;
	uint64_t end = addr + full * ((uint64_t)line + gap) + (size_bytes - full * line);
	/* Addresses beyond the top of physical memory need no wait. */
	return mem_range(addr, end > (uint64_t)1 << 33 ? (int64_t)1 << 33 : (int64_t)end);
}

struct range copy_reads(const struct copy *c) {
	if (c->nothing) {
		return (struct range){ c->src, 0 };
	}
	return lines_range(c->src, c->size_bytes, c->in_line, c->in_gap);
}

struct range copy_writes(const struct copy *c) {
	if (c->nothing) {
		return (struct range){ c->dst, 0 };
	}
	return lines_range(c->dst, c->size_bytes, c->out_line, c->out_gap);
}

unsigned copy_source(const struct copy *c, uint32_t addr, struct range from[1]) {
	if (c->nothing || addr < c->dst) {
		return 0;
	}
	const uint64_t pitch = (uint64_t)c->out_line + c->out_gap;
	const uint64_t line = (addr - c->dst) / pitch, in_line = (addr - c->dst) % pitch;
	const uint64_t pos = line * c->out_line + in_line;
	if (in_line >= c->out_line || pos >= c->size_bytes) {
		return 0;
	}
	const uint64_t at = c->src + pos / c->in_line * ((uint64_t)c->in_line + c->in_gap) +
			pos % c->in_line;
	from[0] = mem_range((int64_t)at, (int64_t)at + 1);
	return 1;
}

/* Forward in steps of 16 bytes, so that overlapping ranges have one defined result. [REC] */
static void copy_forward(uint8_t *dst, const uint8_t *src, uint64_t n) {
	if (dst + n <= src || src + n <= dst) {
		memcpy(dst, src, n);
		return;
	}
	for (uint64_t i = 0; i < n; i += UNIT) {
		uint8_t step[UNIT];
		memcpy(step, src + i, UNIT);
		memcpy(dst + i, step, UNIT);
	}
}

unsigned copy_stripes(const struct copy *c, unsigned wanted) {
	const unsigned most = c->size_bytes / UNIT;
	if (c->nothing || ranges_overlap(copy_reads(c), copy_writes(c))) {
		return 1;
	}
	return wanted < most ? wanted : most;
}

uint32_t copy_run(const struct copy *c, struct space *space, struct work_part *part) {
	part->is_done = c->nothing;
	if (c->nothing) {
		return 0;
	}
	const uint64_t units = c->size_bytes / UNIT;
	const uint64_t first = units * part->index / part->count * UNIT;
	const uint64_t end = units * (part->index + 1) / part->count * UNIT;
	const uint64_t in_pitch = (uint64_t)c->in_line + c->in_gap;
	const uint64_t out_pitch = (uint64_t)c->out_line + c->out_gap;
	uint64_t outside = 0, pos = first + part->at, ticks = 0;
	/*
	 * Windows are whole pages and everything here counts in 16 bytes: pieces stay multiples
	 * of 16.
	 */
	while (pos < end && !(ticks && part_pauses(part, ticks))) {
		uint64_t in_rest = c->in_line - pos % c->in_line;
		uint64_t out_rest = c->out_line - pos % c->out_line;
		uint64_t n = end - pos;
		int64_t to = (int64_t)(c->dst + pos / c->out_line * out_pitch + pos % c->out_line);
		struct piece d = mem_piece(space, to, UINT64_MAX >> 1, true);
		if (!d.host) {
			/*
			 * Skip dropped bytes in one step, whole lines at a time: windows bound the
			 * work.
			 */
			uint64_t skip = d.len < out_rest ? d.len : out_rest;
			if (d.len > out_rest) {
				skip += (d.len - out_rest) / out_pitch * c->out_line;
			}
			skip = skip < n ? skip : n;
			outside += skip;
			pos += skip;
			ticks = PIECE_TICKS;
			continue;
		}
		n = n < PIECE_BYTES ? n : PIECE_BYTES;
		n = n < in_rest ? n : in_rest;
		n = n < out_rest ? n : out_rest;
		n = n < d.len ? n : d.len;
		int64_t from = (int64_t)(c->src + pos / c->in_line * in_pitch + pos % c->in_line);
		struct piece s = mem_piece(space, from, n, false);
		if (s.host) {
			copy_forward(d.host, s.host, s.len);
		} else {
			memset(d.host, 0, s.len);
			outside += s.len;
		}
		pos += s.len;
		ticks = PIECE_TICKS + s.len / 4;
	}
	part->at = pos - first;
	part->is_done = pos >= end;
	return saturate32(outside);
}
