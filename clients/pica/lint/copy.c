/* Copy engines and display controllers: their jobs, or the registers that start them. */
#include "lint.h"

/* Physical addresses.  [fidelity: external-registers] */
enum {
	EXTERNAL_BASE = 0x10400000,
	PSC0 = 0x10400010,
	PSC1 = 0x10400020,
	PDC0 = 0x10400400,
	PDC1 = 0x10400500,
	PDC_FORMAT = 0x70,
	PDC_STRIDE = 0x90,
	PPF_IN_ADDR = 0x10400C00,
	PPF_OUT_ADDR = 0x10400C04,
	PPF_OUT_DIM = 0x10400C08,
	PPF_IN_DIM = 0x10400C0C,
	PPF_FLAGS = 0x10400C10,
	PPF_SIZE = 0x10400C20,
	PPF_IN_LINE = 0x10400C24,
	PPF_OUT_LINE = 0x10400C28,
	VRAM_BEGIN = 0x18000000,
	VRAM_BYTES = 0x600000,
};

/* Flags of the transfer engine.  [fidelity: transfer-fields] */
enum { FLAG_TO_TILED = 1 << 1, FLAG_KEEP = 1 << 5,
		FLAG_BLOCK32 = 1 << 16 };

static void check_address(struct lint *l, uint32_t reg, uint32_t addr) {
	if (addr & 15) {
		lint_report(l, LINT_COPY_ALIGNMENT, reg, addr >> 3, "0x%08X", addr);
	}
}

static void check_memory(struct lint *l, uint32_t reg, struct lint_range r) {
	if (r.end > r.begin && !lint_in_memory(l, r)) {
		lint_report(l, LINT_COPY_MEMORY, reg, (uint32_t)(r.begin >> 3),
				"%u bytes at 0x%08X", (unsigned)(r.end - r.begin),
				(unsigned)r.begin);
	}
}

/* Begins in memory and ends outside. */
static bool is_too_long(const struct lint *l, struct lint_range r) {
	return !lint_in_memory(l, r) && lint_in_memory(l, lint_range(r.begin, 16));
}

/*
 * Checks both sides of a transfer or copy whose size is in a register. A size that fits neither
 * side is one fault. Returns whether the size is at fault.
 */
static bool check_sides(struct lint *l, uint32_t size_reg, uint32_t size, struct lint_range from,
		struct lint_range to) {
	const bool is_long[2] = { is_too_long(l, from), is_too_long(l, to) };
	if (is_long[0] && is_long[1]) {
		lint_report(l, LINT_COPY_MEMORY, size_reg, size,
				"%u bytes at 0x%08X to %u bytes at 0x%08X",
				(unsigned)(from.end - from.begin), (unsigned)from.begin,
				(unsigned)(to.end - to.begin), (unsigned)to.begin);
	} else {
		check_memory(l, PPF_IN_ADDR, from);
		check_memory(l, PPF_OUT_ADDR, to);
	}
	if (lint_is_dirty(l, from)) {
		lint_report(l, LINT_FLUSH_TRANSFER, PPF_IN_ADDR, (uint32_t)(from.begin >> 3),
				"source 0x%08X", (unsigned)from.begin);
	}
	return is_long[0] || is_long[1];
}

/* ---- Fills ---- */

static void check_fill(struct lint *l, uint32_t reg, const struct pica_job_fill *a) {
	check_address(l, reg, a->start);
	check_address(l, reg + 4, a->end);
	if (a->end <= a->start) {
		lint_report(l, LINT_FILL_EMPTY, reg + 4, a->end >> 3, "0x%08X to 0x%08X", a->start,
				a->end);
		return;
	}
	const struct lint_range r = lint_range(a->start, a->end - a->start);
	if (a->start < VRAM_BEGIN || a->end > VRAM_BEGIN + VRAM_BYTES) {
		lint_report(l, LINT_FILL_VRAM, reg, a->start >> 3, "0x%08X to 0x%08X", a->start,
				a->end);
	}
	check_memory(l, reg, r);
	lint_moved(l, PICA_HISTORY_FILL, lint_range(0, 0), r);
}

/* ---- Transfers ---- */

/* [fidelity: display-transfer]: 32-bit to any, 24 to 24, 16 to 16. */
static bool converts(uint32_t in, uint32_t out) {
	return in == 0 || engines_pixel_bytes(in) == engines_pixel_bytes(out);
}

static void check_transfer_size(
		struct lint *l, const struct pica_job_transfer *a, uint32_t in, uint32_t out) {
	const uint32_t flags = a->flags, scale = flags >> 24 & 3;
	const uint32_t width = a->out_dim & 0xFFFF, height = a->out_dim >> 16;
	const uint32_t in_width = flags & ENGINES_CROP ? a->in_dim & 0xFFFF : width;
	const bool keep = flags & FLAG_KEEP;
	if (width < 64 || height < (keep ? 32 : 16)) {
		lint_report(l, LINT_TRANSFER_SMALL, PPF_OUT_DIM, a->out_dim, "%ux%u", width,
				height);
	}
	if ((width | height) & 7) {
		lint_report(l, LINT_TRANSFER_DIM, PPF_OUT_DIM, a->out_dim, "%ux%u", width, height);
	}
	const uint32_t line[2] = { in_width * engines_pixel_bytes(in),
			(width >> (scale == 1 || scale == 2)) * engines_pixel_bytes(out) };
	const uint32_t format[2] = { in, out };
	for (unsigned i = 0; i < 2; i++) {
		if (line[i] % (format[i] == 1 ? 16 : 8)) {
			lint_report(l, LINT_TRANSFER_LINE, PPF_OUT_DIM, a->out_dim,
					"%s lines of %u bytes", i ? "output" : "input", line[i]);
		}
	}
	if (keep && width % (engines_pixel_bytes(in) == 2 ? 128 : 64)) {
		lint_report(l, LINT_TRANSFER_TILED, PPF_OUT_DIM, a->out_dim, "width %u", width);
	}
	if ((flags & FLAG_BLOCK32) && ((width | height) & 31)) {
		lint_report(l, LINT_TRANSFER_BLOCK32, PPF_OUT_DIM, a->out_dim, "%ux%u", width,
				height);
	}
}

static void check_transfer(struct lint *l, const struct pica_job_transfer *a) {
	const uint32_t flags = a->flags, scale = flags >> 24 & 3;
	const uint32_t in = flags >> 8 & 7, out = flags >> 12 & 7;
	const uint32_t width = a->out_dim & 0xFFFF, height = a->out_dim >> 16;
	const uint32_t in_width = flags & ENGINES_CROP ? a->in_dim & 0xFFFF : width;
	check_address(l, PPF_IN_ADDR, a->src);
	check_address(l, PPF_OUT_ADDR, a->dst);
	if (!converts(in, out)) {
		lint_report(l, LINT_TRANSFER_FORMATS, PPF_FLAGS, flags, "format %u to %u", in, out);
	}
	if (scale == 3) {
		lint_report(l, LINT_TRANSFER_SCALE, PPF_FLAGS, flags, "0, 1 and 2 are scales");
	} else if (scale && (flags & FLAG_TO_TILED) && !(flags & FLAG_KEEP)) {
		lint_report(l, LINT_TRANSFER_SCALE_LINEAR, PPF_FLAGS, flags, "scale %u", scale);
	}
	if (!width || !height || !in_width) {
		lint_report(l, LINT_TRANSFER_EMPTY, PPF_OUT_DIM, a->out_dim, "%ux%u of width %u",
				width, height, in_width);
		return;
	}
	check_transfer_size(l, a, in, out);
	const uint64_t read = (uint64_t)in_width * height * engines_pixel_bytes(in);
	const uint64_t written = (uint64_t)(width >> (scale != 0)) * (height >> (scale >= 2)) *
			engines_pixel_bytes(out);
	const struct lint_range from = lint_range(a->src & ~15u, read);
	const struct lint_range to = lint_range(a->dst & ~15u, written);
	const bool is_larger = (flags & ENGINES_CROP) &&
			(width > in_width || height > a->in_dim >> 16);
	if (!check_sides(l, PPF_OUT_DIM, a->out_dim, from, to) && is_larger) {
		lint_report(l, LINT_TRANSFER_LARGER, PPF_IN_DIM, a->in_dim, "%ux%u of %ux%u", width,
				height, in_width, a->in_dim >> 16);
	}
	lint_moved(l, PICA_HISTORY_TRANSFER, from, to);
}

/* ---- Texture copies ---- */

/* Bytes from the start of the first line to the end of the last one. [fidelity: texture-copy] */
static uint64_t span(uint32_t line, uint64_t total) {
	const uint64_t width = (uint64_t)(line & 0xFFFF) * 16, gap = (uint64_t)(line >> 16) * 16;
	return gap && width ? total + (total - 1) / width * gap : total;
}

static void check_copy(struct lint *l, const struct pica_job_copy *a, bool has_crop) {
	const uint32_t total = a->size_bytes & ~15u;
	check_address(l, PPF_IN_ADDR, a->src);
	check_address(l, PPF_OUT_ADDR, a->dst);
	if (!total) {
		lint_report(l, LINT_COPY_EMPTY, PPF_SIZE, a->size_bytes, "%u bytes", a->size_bytes);
		return;
	}
	if (a->size_bytes & 15) {
		lint_report(l, LINT_COPY_SIZE, PPF_SIZE, a->size_bytes, "%u bytes", a->size_bytes);
	}
	const uint32_t line[2] = { a->in_line, a->out_line };
	for (unsigned i = 0; i < 2; i++) {
		if (line[i] >> 16 && !(line[i] & 0xFFFF)) {
			lint_report(l, LINT_COPY_LINE, i ? PPF_OUT_LINE : PPF_IN_LINE, line[i],
					"gap %u", line[i] >> 16);
			return;
		}
	}
	if ((line[0] >> 16 || line[1] >> 16) && (total < 192 || !has_crop)) {
		lint_report(l, LINT_COPY_GAP, total < 192 ? PPF_SIZE : PPF_FLAGS, a->size_bytes,
				"%u bytes, crop bit %d", total, has_crop);
	}
	const struct lint_range from = lint_range(a->src & ~15u, span(line[0], total));
	const struct lint_range to = lint_range(a->dst & ~15u, span(line[1], total));
	check_sides(l, PPF_SIZE, a->size_bytes, from, to);
	lint_moved(l, PICA_HISTORY_COPY, from, to);
}

/* ---- Registers ---- */

static void check_display(struct lint *l, uint32_t addr, uint32_t value) {
	if ((addr == PDC0 + PDC_STRIDE || addr == PDC1 + PDC_STRIDE) && value & 7) {
		lint_report(l, LINT_DISPLAY_STRIDE, addr, value, "%u bytes", value);
	}
	if ((addr == PDC0 + PDC_FORMAT || addr == PDC1 + PDC_FORMAT) && (value & 7) > 4) {
		lint_report(l, LINT_DISPLAY_FORMAT, addr, value, "format %u", value & 7);
	}
}

void lint_copy_event(struct lint *l, const struct pica_job *job) {
	struct pica_job started;
	if (job->op == PICA_OP_REG_WRITE) {
		check_display(l, job->u.reg_write.addr, job->u.reg_write.value);
	} else if (job->op == PICA_OP_WRITE) {
		lint_moved(l, PICA_HISTORY_LOAD, lint_range(0, 0),
				lint_range(job->u.write.addr, job->u.write.size_bytes));
	} else if (job->op == PICA_OP_INVALIDATE) {
		lint_moved(l, PICA_HISTORY_LOAD, lint_range(0, 0),
				lint_range(job->u.invalidate.addr, job->u.invalidate.size_bytes));
	}
	if (!engines_job(&l->engines, job, &started)) {
		return;
	}
	if (started.op == PICA_OP_FILL) {
		check_fill(l, started.u.fill.unit ? PSC1 : PSC0, &started.u.fill);
	} else if (started.op == PICA_OP_TRANSFER) {
		check_transfer(l, &started.u.transfer);
	} else {
		/* The job has no flags: its gaps count as requested. */
		const uint32_t flags = l->engines.external[(PPF_FLAGS - EXTERNAL_BASE) / 4];
		check_copy(l, &started.u.copy, job->op == PICA_OP_COPY || flags & ENGINES_CROP);
	}
}
