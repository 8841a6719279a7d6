/* The copy engines (memory fill, display transfer, texture copy) and screen readout. */
#ifndef XFER_XFER_H
#define XFER_XFER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sched/slice.h"
#include "core/space/space.h"
#include "core/vec/cpu.h"
#include "pica.h"
#include "pica/xfer/scanout.h"

/* Pixel format numbers of the transfer engine and of the display controllers. */
enum xfer_format { XFER_RGBA8, XFER_RGB8, XFER_RGB565, XFER_RGB5A1, XFER_RGBA4, XFER_COUNT };

unsigned xfer_format_bytes(unsigned format);

struct xfer_kernels {
	/* Fills bytes [0, size) with a pattern that repeats every `period` (2, 3, 4) bytes. */
	void (*fill)(uint8_t *dst, uint32_t size_bytes, uint32_t value, unsigned period);
	/* Convert n pixels, in memory order, to RGBA8 (R lowest byte), and back, truncating. */
	void (*decode[XFER_COUNT])(uint32_t *rgba, const uint8_t *src, unsigned n);
	void (*encode[XFER_COUNT])(uint8_t *dst, const uint32_t *rgba, unsigned n);
	/* Convert 64 RGBA8 pixels in Morton order to 8 rows of 8, and back. */
	void (*detile)(uint32_t *dst, uint32_t stride_px, const uint32_t *src);
	void (*tile)(uint32_t *dst, const uint32_t *src, uint32_t stride_px);
	/* Averages n groups of `group` (2 or 4) adjacent pixels, per channel, truncating. */
	void (*average)(uint32_t *dst, const uint32_t *src, unsigned n, unsigned group);
	struct scanout_kernels scanout;
};

void xfer_kernels_init(struct xfer_kernels *k, enum isa isa);
ISA_KERNELS(xfer)

/* ---- Memory fill (fidelity: fill) ---- */

struct fill {
	uint32_t start, end, value; /* bytes, [start, end) */
	unsigned period;            /* 2, 3 or 4 bytes */
};

void fill_from_job(struct fill *f, const struct pica_job_fill *job);
/* Reads a fill from the registers of unit 0 or 1. external: words from 0x10400000 on. */
void fill_from_regs(struct fill *f, const uint32_t *external, unsigned unit);
struct range fill_writes(const struct fill *f);
/*
 * Does stripe `stripe` of n_stripes, into which the range is split on page boundaries. On any
 * thread. Returns the number of bytes outside windows.
 */
uint32_t fill_run(const struct fill *f, const struct xfer_kernels *k, struct space *space,
		unsigned stripe, unsigned n_stripes);

/* ---- Display transfer and texture copy (fidelity: transfer-fields) ---- */

struct transfer {
	uint32_t src, dst;
	/* pixels before scaling, as in the registers */
	uint32_t out_width, out_height, in_width;
	uint8_t in_format, out_format;
	bool flip, to_tiled, crop, keep_order, block32;
	uint8_t scale; /* 0 none, 1 halve x, 2 halve x and y */
	bool bad;      /* parameters that hang hardware: done anyway if possible, and counted */
	bool nothing;  /* zero size: completes with no effect */
};

/*
 * Returns whether these flags (register or job) request a raw copy, which overrides all else.
 * If so, use copy_from_regs() or copy_from_transfer_job() instead of transfer_from_...().
 */
bool transfer_flags_copy(uint32_t flags);

void transfer_from_job(struct transfer *t, const struct pica_job_transfer *job);
void transfer_from_regs(struct transfer *t, const uint32_t *external);
struct range transfer_reads(const struct transfer *t);
struct range transfer_writes(const struct transfer *t);
/*
 * Returns the number of stripes that t may be split into, at most `wanted`; 1 if source and
 * destination overlap.
 */
unsigned transfer_stripes(const struct transfer *t, unsigned wanted);
/*
 * Does one stripe, or a slice of it. On any thread. The caller must raise the write stamps. Returns
 * the number of bytes outside windows; they are read as 0, and writes to them are dropped.
 */
uint32_t transfer_run(const struct transfer *t, const struct xfer_kernels *k, struct space *space,
		struct work_part *part);
/* For tests: does all of t, pixel by pixel. transfer_run() must give the same result. */
uint32_t transfer_run_pixels(const struct transfer *t, const struct xfer_kernels *k,
		struct space *space);

/*
 * Finds the source pixels of the destination pixel that is written last to the byte at addr.
 * Returns their number (1, 2 or 4), or 0 if the byte is not written. Slow for tiled destinations
 * whose width is not a multiple of 8, because it visits all their pixels.
 */
unsigned transfer_sources(const struct transfer *t, uint32_t addr, struct range from[4]);

struct copy {
	uint32_t src, dst, size_bytes;
	uint32_t in_line, in_gap, out_line, out_gap; /* bytes */
	bool bad, nothing;
};

void copy_from_job(struct copy *c, const struct pica_job_copy *job);
/* Reads a copy from the registers: size and lines are in 0x10400C20-0x10400C28. */
void copy_from_regs(struct copy *c, const uint32_t *external);
/*
 * Makes a copy from a transfer job with the raw-copy flag. Such a job has no copy size: it copies
 * out_dim pixels of the input format, without gaps. [guess; the order is HW: hwtests,
 * Test_Raw_Copy]
 */
void copy_from_transfer_job(struct copy *c, const struct pica_job_transfer *job);
struct range copy_reads(const struct copy *c);
struct range copy_writes(const struct copy *c);
/* Finds the byte that was copied to addr. Returns 1, or 0 if the byte is not written. */
unsigned copy_source(const struct copy *c, uint32_t addr, struct range from[1]);
/* As transfer_stripes(). */
unsigned copy_stripes(const struct copy *c, unsigned wanted);
/* As transfer_run(), forward in steps of 16 bytes. */
uint32_t copy_run(const struct copy *c, struct space *space, struct work_part *part);

/* ---- Screens (fidelity: displays) ---- */

/*
 * The state of the display controller registers. external: words from 0x10400000 on; lcd: words
 * from 0x10202000 on. info.is_set is 0 if the shown buffer has address 0 and there is no solid
 * colour. A controller shows black if its control word was written without the enable bit. A
 * control word of 0 counts as never written, because recorders leave it so.
 */
struct scanout {
	struct pica_screen info;
	uint32_t addr_right;
	int32_t stride_bytes;
	uint8_t solid[3]; /* RGB, with info.is_solid */
};

void scanout_from_regs(struct scanout *s, const uint32_t *external, const uint32_t *lcd,
		enum pica_screen_id screen);
/* Returns the memory range that showing an eye reads. */
struct range scanout_reads(const struct scanout *s, enum pica_eye eye);
/* Returns the memory of a pixel of the upright picture; size 0 if no memory is shown there. */
struct range scanout_pixel(const struct scanout *s, enum pica_eye eye, uint32_t x, uint32_t y);
/* Writes the upright picture to rgb as RGB8 rows from the top. */
void scanout_run(const struct scanout *s, const struct xfer_kernels *k, const struct space *space,
		enum pica_eye eye, uint8_t *rgb, size_t stride_bytes);

#endif
