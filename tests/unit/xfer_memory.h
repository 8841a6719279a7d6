/*
 * Memory and jobs for the suites of the copy engines: FCRAM, VRAM and a read-only window with holes
 * between them. Each suite includes it once.
 */
#ifndef XFER_MEMORY_H
#define XFER_MEMORY_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/morton.h"
#include "isa_test.h"
#include "pica/xfer/xfer.h"

enum {
	FCRAM = 0x20000000,
	FCRAM_BYTES = 2 << 20,
	VRAM = 0x18000000,
	VRAM_BYTES = 1 << 20,
	ROM = 0x1FF00000,
	ROM_BYTES = 0x1000,
	IN = FCRAM + 0x1000,
	OUT = FCRAM + 0x100000,
};

static uint8_t *fcram, *vram, *rom;
static struct space space;
static struct xfer_kernels kernels;
static struct pica_job_transfer job;

static void use_isa(int isa) {
	xfer_kernels_init(&kernels, (enum isa)isa);
}

static void setup(void) {
	fcram = calloc(1, FCRAM_BYTES);
	vram = calloc(1, VRAM_BYTES);
	rom = calloc(1, ROM_BYTES);
	ck_assert(fcram && vram && rom);
	space = (struct space){ .n = 3,
		.win = {
				{ .phys = VRAM, .size_bytes = VRAM_BYTES, .host = vram },
				{ .phys = ROM,
						.size_bytes = ROM_BYTES,
						.host = rom,
						.flags = PICA_MAP_READ_ONLY },
				{ .phys = FCRAM, .size_bytes = FCRAM_BYTES, .host = fcram },
		} };
	memset(&job, 0, sizeof(job));
	use_isa(ISA_C);
}

static void teardown(void) {
	free(fcram);
	free(vram);
	free(rom);
}

static PICA_UNUSED uint8_t *host(uint32_t addr) {
	return addr >= FCRAM  ? fcram + (addr - FCRAM)
			: addr >= ROM ? rom + (addr - ROM)
						  : vram + (addr - VRAM);
}

static PICA_UNUSED uint32_t get32(uint32_t addr) {
	uint32_t w;
	memcpy(&w, host(addr), 4);
	return w;
}

static PICA_UNUSED void put32(uint32_t addr, uint32_t w) {
	memcpy(host(addr), &w, 4);
}

static PICA_UNUSED uint32_t dim(uint32_t width, uint32_t height) {
	return width | height << 16;
}

static PICA_UNUSED uint32_t formats(uint32_t in, uint32_t out) {
	return in << 8 | out << 12;
}

enum {
	FLIP = 1 << 0,
	TO_TILED = 1 << 1,
	CROP = 1 << 2,
	RAW_COPY = 1 << 3,
	KEEP_ORDER = 1 << 5,
	BIT_16 = 1 << 16,
	HALF_X = 1 << 24,
	HALF_XY = 1 << 25,
};

/* A stripe that pauses wherever it may. */
static PICA_UNUSED uint32_t run_stripe(const struct transfer *t, unsigned i, unsigned n) {
	uint32_t outside = 0;
	for (struct work_part part = { .index = i, .count = n }; !part.is_done;) {
		struct slice over = { .ticks = SLICE_TICKS };
		part.slice = &over;
		outside += transfer_run(t, &kernels, &space, &part);
		ck_assert(part.is_done || part.at);
	}
	return outside;
}

/* In at most that many stripes, the last one first; likewise. */
static PICA_UNUSED uint32_t run_copy(const struct copy *c, unsigned wanted) {
	const unsigned n = copy_stripes(c, wanted);
	uint32_t outside = 0;
	for (unsigned i = n; i-- > 0;) {
		for (struct work_part part = { .index = i, .count = n }; !part.is_done;) {
			struct slice over = { .ticks = SLICE_TICKS };
			part.slice = &over;
			outside += copy_run(c, &space, &part);
			ck_assert(part.is_done || part.at);
		}
	}
	return outside;
}

static PICA_UNUSED uint32_t run_job(void) {
	if (transfer_flags_copy(job.flags)) {
		struct copy c;
		copy_from_transfer_job(&c, &job);
		return run_copy(&c, 1);
	}
	struct transfer t;
	transfer_from_job(&t, &job);
	return run_stripe(&t, 0, 1);
}

/* ---- Bytewise access and random numbers, for the simple versions ---- */

static PICA_UNUSED uint32_t peek(int64_t addr, const uint8_t *f, const uint8_t *v) {
	if (addr >= FCRAM && addr < FCRAM + FCRAM_BYTES) {
		return f[addr - FCRAM];
	}
	return addr >= VRAM && addr < VRAM + VRAM_BYTES ? v[addr - VRAM] : 0;
}

static PICA_UNUSED void poke(int64_t addr, uint32_t byte, uint8_t *f, uint8_t *v) {
	if (addr >= FCRAM && addr < FCRAM + FCRAM_BYTES) {
		f[addr - FCRAM] = (uint8_t)byte;
	} else if (addr >= VRAM && addr < VRAM + VRAM_BYTES) {
		v[addr - VRAM] = (uint8_t)byte;
	}
}

static uint64_t seed = 88172645463325252u;

static PICA_UNUSED uint32_t rnd(uint32_t below) {
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % below;
}

static PICA_UNUSED uint32_t random_addr(void) {
	static const uint32_t base[] = { FCRAM, FCRAM + 0x8000, FCRAM + 0x10000,
		FCRAM + FCRAM_BYTES - 0x3000, VRAM, VRAM + VRAM_BYTES - 0x800, FCRAM - 0x1000,
		0xFFFFF000, 0, ROM };
	uint32_t at = base[rnd(10) < 6 ? rnd(3) : rnd(ARRAY_LEN(base))];
	return at + (rnd(3) ? 0 : 16 * rnd(64));
}

static PICA_UNUSED bool inside(int64_t at, struct range r) {
	return at >= r.addr && at < (int64_t)r.addr + r.size;
}

#endif
