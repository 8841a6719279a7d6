/* Display transfers against those of the naive renderer. [fidelity: display-transfer] */
#include "tests/naive/naive.h"
#include "xfer_memory.h"
#include "tests/suite.h"

/* The transfer as the renderer of tests/naive does it, in copies of FCRAM and VRAM. */
static void naive_transfer(const struct pica_job_transfer *j, uint8_t *f, uint8_t *v) {
	const struct pica_job whole = { .op = PICA_OP_TRANSFER, .u.transfer = *j };
	struct naive *n = naive_create(PICA_FLOAT_F24);
	ck_assert_ptr_nonnull(n);
	ck_assert_int_eq(naive_map(n, FCRAM, FCRAM_BYTES, f), 0);
	ck_assert_int_eq(naive_map(n, VRAM, VRAM_BYTES, v), 0);
	ck_assert_int_eq(naive_job(n, &whole), 0);
	naive_destroy(n);
}

static void random_job(void) {
	job.src = random_addr();
	job.dst = rnd(8) ? random_addr() + 0x20000 * rnd(2) : job.src + 16 * rnd(256);
	job.out_dim = dim(rnd(4) ? 8 * rnd(14) : rnd(100), rnd(4) ? 8 * rnd(10) : rnd(80));
	if (rnd(16) == 0) {
		job.out_dim = dim(8 * (30 + rnd(40)), 8 * rnd(3));
	}
	job.in_dim = dim(rnd(3) ? 8 * rnd(20) : rnd(200), rnd(100));
	job.flags = formats(rnd(5), rnd(5)) | (rnd(3) ? 0 : FLIP) | (rnd(3) ? 0 : TO_TILED) |
			(rnd(3) ? 0 : CROP) | (rnd(3) ? 0 : KEEP_ORDER) | (rnd(3) ? 0 : BIT_16) |
			(rnd(2) ? 0 : rnd(4) << 24);
}

FIXTURE(setup, teardown)

ISA_TEST(random_transfers_equal_the_simple_ones) {
	use_isa(_i);
	struct xfer_kernels plain;
	xfer_kernels_init(&plain, ISA_C);
	uint8_t *before = malloc(FCRAM_BYTES + VRAM_BYTES),
		*want = malloc(FCRAM_BYTES + VRAM_BYTES);
	ck_assert(before && want);
	for (uint32_t i = 0; i < FCRAM_BYTES + VRAM_BYTES; i++) {
		before[i] = (uint8_t)rnd(256);
	}
	memcpy(want, before, FCRAM_BYTES + VRAM_BYTES);
	memcpy(fcram, before, FCRAM_BYTES);
	memcpy(vram, before + FCRAM_BYTES, VRAM_BYTES);
	for (int round = 0; round < 400; round++) {
		random_job();
		struct transfer t;
		transfer_from_job(&t, &job);
		struct range writes = transfer_writes(&t);
		bool overlap = ranges_overlap(transfer_reads(&t), writes);
		naive_transfer(&job, want, want + FCRAM_BYTES);

		uint32_t outside = 0;
		if (rnd(4) == 0) {
			outside = transfer_run_pixels(&t, &plain, &space);
		} else {
			unsigned wanted = 1 + rnd(9), n = transfer_stripes(&t, wanted);
			ck_assert_uint_ge(n, 1);
			ck_assert_uint_le(n, wanted);
			ck_assert(n == 1 || !overlap);
			for (unsigned s = 0; s < n; s++) { /* the last stripe first */
				uint32_t o = run_stripe(&t, n - 1 - s, n);
				outside = outside ? outside : o;
			}
		}
		ck_assert_msg(memcmp(fcram, want, FCRAM_BYTES) == 0 &&
						memcmp(vram, want + FCRAM_BYTES, VRAM_BYTES) == 0,
				"round %d: %08X -> %08X out %08X in %08X flags %08X", round,
				job.src, job.dst, job.out_dim, job.in_dim, job.flags);
		const uint64_t end = (uint64_t)FCRAM + FCRAM_BYTES;
		bool all_mapped = t.nothing;
		if (!all_mapped) {
			const struct range reads = transfer_reads(&t);
			all_mapped = space.win[2].phys <= writes.addr &&
					writes.addr + (uint64_t)writes.size <= end &&
					reads.addr >= FCRAM &&
					reads.addr + (uint64_t)reads.size <= end;
		}
		if (all_mapped) {
			ck_assert_uint_eq(outside, 0);
		}
		/* The footprint holds everything that changed. */
		for (uint32_t at = 0; at < FCRAM_BYTES; at += 64) {
			if (memcmp(before + at, want + at, 64) != 0) {
				for (uint32_t b = at; b < at + 64; b++) {
					ck_assert(before[b] == want[b] ||
							inside((int64_t)FCRAM + b, writes));
					before[b] = want[b];
				}
			}
		}
	}
	free(before);
	free(want);
}

ISA_TEST(wide_transfers_cross_chunks) {
	/* 1024 and 400 pixels wide: more than the engine holds at once. */
	use_isa(_i);
	uint8_t *want = malloc(FCRAM_BYTES + VRAM_BYTES);
	ck_assert(want);
	for (int round = 0; round < 24; round++) {
		for (uint32_t i = 0; i < 0x40000; i += 4) {
			put32(FCRAM + i, rnd(0x7FFFFFFF) * 3);
		}
		memcpy(want, fcram, FCRAM_BYTES);
		memcpy(want + FCRAM_BYTES, vram, VRAM_BYTES);
		job = (struct pica_job_transfer){ .src = FCRAM,
			.dst = OUT,
			.out_dim = dim(round & 1 ? 1024 : 400, 24),
			.in_dim = dim(1024, 0),
			.flags = formats((uint32_t)round % 5, (uint32_t)round / 5) |
					(round & 2 ? FLIP : 0) | (round & 4 ? TO_TILED : 0) |
					(round & 8 ? CROP : 0) | (uint32_t)(round % 3) << 24 };
		naive_transfer(&job, want, want + FCRAM_BYTES);
		ck_assert_uint_eq(run_job(), 0);
		ck_assert_mem_eq(fcram, want, FCRAM_BYTES);
	}
	free(want);
}

/* Source bytes are not 0, others are: a byte of the destination shows whether it was written. */
TEST(sources_are_the_pixels_that_are_copied) {
	for (int round = 0; round < 400; round++) {
		random_job();
		const uint32_t format = rnd(5);
		job.src = FCRAM;
		job.dst = OUT;
		job.flags = formats(format, format) |
				(job.flags & (FLIP | TO_TILED | CROP | KEEP_ORDER | BIT_16));
		for (uint32_t i = 0; i < FCRAM_BYTES; i++) {
			fcram[i] = (uint8_t)(i < 0x40000 ? 1 + rnd(255) : 0);
		}
		naive_transfer(&job, fcram, vram);
		struct transfer t;
		transfer_from_job(&t, &job);
		const struct range writes = transfer_writes(&t);
		const unsigned bytes = xfer_format_bytes(format);
		for (uint32_t i = 0; i < writes.size; i++) {
			const uint32_t addr = writes.addr + i;
			struct range from[4];
			const unsigned n = transfer_sources(&t, addr, from);
			ck_assert_msg(n == (*host(addr) != 0),
					"round %d byte %u of %u: out %08X in %08X flags %08X", round, i,
					writes.size, job.out_dim, job.in_dim, job.flags);
			if (n) {
				ck_assert_uint_eq(from[0].size, bytes);
				ck_assert_uint_eq(*host(from[0].addr + i % bytes), *host(addr));
			}
		}
	}
}

ISA_TEST(flip_with_crop_skews) {
	/*
	 * Row k of the source lands at dst + (in_w*(oh-1) - ow*k)*bytes. [HW, fidelity:
	 * display-transfer]
	 */
	use_isa(_i);
	memset(fcram, 0, FCRAM_BYTES);
	job = (struct pica_job_transfer){ .src = IN,
		.dst = OUT,
		.out_dim = dim(8, 16),
		.in_dim = dim(24, 99),
		.flags = formats(XFER_RGBA8, XFER_RGBA8) | FLIP | CROP };
	for (uint32_t y = 0; y < 16; y++) {
		put32(IN + 4 * tiled_index(0, y, 24, 0), 0x100 + y);
	}
	ck_assert_uint_eq(run_job(), 0);
	for (uint32_t k = 0; k < 16; k++) {
		ck_assert_uint_eq(get32(OUT + 4 * (24 * 15 - 8 * k)), 0x100 + k);
	}
	struct transfer t;
	transfer_from_job(&t, &job);
	ck_assert_uint_eq(transfer_writes(&t).addr, OUT + 4 * 16 * 15);
	ck_assert_uint_eq(transfer_writes(&t).size, 4 * 8 * 16);
}

TEST(zero_sizes_do_nothing) {
	static const uint32_t dims[][2] = { { 0, 16 }, { 16, 0 }, { 7, 16 }, { 16, 7 } };
	for (size_t i = 0; i < ARRAY_LEN(dims); i++) {
		job = (struct pica_job_transfer){
			.src = IN, .dst = OUT, .out_dim = dim(dims[i][0], dims[i][1])
		};
		struct transfer t;
		transfer_from_job(&t, &job);
		ck_assert(t.nothing);
		ck_assert_uint_eq(transfer_writes(&t).size, 0);
		ck_assert_uint_eq(transfer_reads(&t).size, 0);
		ck_assert_uint_eq(transfer_stripes(&t, 8), 1);
		ck_assert_uint_eq(run_stripe(&t, 0, 1), 0);
	}
}

TEST(largest_transfer_ends_soon) {
	use_isa((int)isa_best());
	for (uint32_t variant = 0; variant < 8; variant++) {
		job = (struct pica_job_transfer){ .src = 0x40000000,
			.dst = variant & 4 ? 0 : 0xE0000000,
			.out_dim = 0xFFFFFFFF,
			.in_dim = 0xFFFFFFFF,
			.flags = (variant & 1 ? FLIP | CROP : 0) |
					(variant & 2 ? TO_TILED | BIT_16 : 0) };
		struct transfer t;
		transfer_from_job(&t, &job);
		ck_assert_uint_eq(t.out_width, 65528);
		ck_assert_uint_gt(run_stripe(&t, 0, 1), 0);
	}
	struct copy c;
	copy_from_job(&c, &(struct pica_job_copy){ .src = 0, .dst = 0, .size_bytes = 0xFFFFFFFF,
				.in_line = 0x00010001, .out_line = 0xFFFF0001 });
	ck_assert_uint_gt(run_copy(&c, 1), 0);
}
