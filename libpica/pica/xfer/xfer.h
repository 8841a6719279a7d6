/* The copy engines: memory fill, display transfer, texture copy, and reading screens out. */
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
	/* n pixels of a format, in memory order, to RGBA8 (R lowest byte) and back (truncating). */
	void (*decode[XFER_COUNT])(uint32_t *rgba, const uint8_t *src, unsigned n);
	void (*encode[XFER_COUNT])(uint8_t *dst, const uint32_t *rgba, unsigned n);
	/* 64 RGBA8 pixels in Morton order to 8 rows of 8 (stride in pixels) and back. */
	void (*detile)(uint32_t *dst, uint32_t stride_px, const uint32_t *src);
	void (*tile)(uint32_t *dst, const uint32_t *src, uint32_t stride_px);
	/* Averages n groups of `group` (2 or 4) neighbouring pixels, truncating, per channel. */
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
/* The fill that the registers of unit 0 or 1 describe; external: words of 0x10400000.. */
void fill_from_regs(struct fill *f, const uint32_t *external, unsigned unit);
struct range fill_writes(const struct fill *f);
/*
 * One stripe of the fill: stripe i of n splits the range on page boundaries; any thread. Returns
 * bytes that lay outside windows.
 */
uint32_t fill_run(const struct fill *f, const struct xfer_kernels *k, struct space *space,
		unsigned stripe, unsigned n_stripes);

/* ---- Display transfer and texture copy (fidelity: transfer-fields) ---- */

struct transfer {
	uint32_t src, dst;
	/* pixels before scaling, as registers give them */
	uint32_t out_width, out_height, in_width;
	uint8_t in_format, out_format;
	bool flip, to_tiled, crop, keep_order, block32;
	uint8_t scale; /* 0 none, 1 halve x, 2 halve x and y */
	bool bad;      /* parameters that hang hardware: done anyway where possible, counted */
	bool nothing;  /* zero size: completes without doing anything */
};

/*
 * Whether these flags (register or job) ask for a raw copy, which overrides everything else: then
 * one of copy_from_regs() and copy_from_transfer_job() is to be used instead of
 * transfer_from_...().
 */
bool transfer_flags_copy(uint32_t flags);

void transfer_from_job(struct transfer *t, const struct pica_job_transfer *job);
void transfer_from_regs(struct transfer *t, const uint32_t *external);
struct range transfer_reads(const struct transfer *t);
struct range transfer_writes(const struct transfer *t);
/*
 * Returns how many stripes it may be split in (1 if source and destination overlap), at most
 * wanted.
 */
unsigned transfer_stripes(const struct transfer *t, unsigned wanted);
/*
 * One stripe, or a slice of it, on any thread; stamps are the caller's to raise. Returns the bytes
 * met that lay outside windows: those read were 0, those written are dropped.
 */
uint32_t transfer_run(const struct transfer *t, const struct xfer_kernels *k, struct space *space,
		struct work_part *part);
/* The whole of it pixel by pixel: what transfer_run() must equal. For tests. */
uint32_t transfer_run_pixels(const struct transfer *t, const struct xfer_kernels *k,
		struct space *space);

/*
 * Finds the source pixels of the destination pixel that holds the byte at addr, as it is left.
 * Returns how many (1, 2 or 4), or 0: the byte is not written. Slow for tiled destinations whose
 * width is not a multiple of 8: it goes through all their pixels.
 */
unsigned transfer_sources(const struct transfer *t, uint32_t addr, struct range from[4]);

struct copy {
	uint32_t src, dst, size_bytes;
	uint32_t in_line, in_gap, out_line, out_gap; /* bytes */
	bool bad, nothing;
};

void copy_from_job(struct copy *c, const struct pica_job_copy *job);
/* The registers' copy: size and lines from 0x10400C20-0x10400C28. */
void copy_from_regs(struct copy *c, const uint32_t *external);
/*
 * A transfer job with the raw-copy flag, which has no size of its own: out_dim pixels of the input
 * format, without gaps. [guess; the order is HW: hwtests, Test_Raw_Copy]
 */
void copy_from_transfer_job(struct copy *c, const struct pica_job_transfer *job);
struct range copy_reads(const struct copy *c);
struct range copy_writes(const struct copy *c);
/* Finds the byte that was copied to addr. Returns 1, or 0: the byte is not written. */
unsigned copy_source(const struct copy *c, uint32_t addr, struct range from[1]);
/* As transfer_stripes(). */
unsigned copy_stripes(const struct copy *c, unsigned wanted);
/* As transfer_run(), forward in steps of 16 bytes. */
uint32_t copy_run(const struct copy *c, struct space *space, struct work_part *part);

/* ---- Screens (fidelity: displays) ---- */

/*
 * The state of the display controller registers; external: words of 0x10400000.., lcd: of
 * 0x10202000.. A shown buffer with address 0 and no solid colour: info.is_set = 0. A controller
 * whose control word was written without its enable bit shows black; a control word of 0 counts as
 * never written, as recorders leave it.
 */
struct scanout {
	struct pica_screen info;
	uint32_t addr_right;
	int32_t stride_bytes;
	uint8_t solid[3]; /* RGB, with info.is_solid */
};

void scanout_from_regs(struct scanout *s, const uint32_t *external, const uint32_t *lcd,
		enum pica_screen_id screen);
/* Returns the memory that showing an eye reads. */
struct range scanout_reads(const struct scanout *s, enum pica_eye eye);
/* Returns the bytes of a pixel of the upright picture; size 0: no memory is shown there. */
struct range scanout_pixel(const struct scanout *s, enum pica_eye eye, uint32_t x, uint32_t y);
/* The picture upright, RGB8 rows from the top. */
void scanout_run(const struct scanout *s, const struct xfer_kernels *k, const struct space *space,
		enum pica_eye eye, uint8_t *rgb, size_t stride_bytes);

#endif
