/* Pixel kernels of the copy engines: each set against C. */
#include <stdio.h>
#include <string.h>

#include "kern.h"
#include "pica/xfer/xfer.h"

enum { MAX_PX = 300 };

static struct xfer_kernels plain, k;

static const char *const decode_name[XFER_COUNT] = { "decode_rgba8", "decode_rgb8", "decode_rgb565",
	"decode_rgb5a1", "decode_rgba4" };
static const char *const encode_name[XFER_COUNT] = { "encode_rgba8", "encode_rgb8", "encode_rgb565",
	"encode_rgb5a1", "encode_rgba4" };

static unsigned bytes_of(unsigned format) {
	return xfer_format_bytes(format);
}

/* Exactly n pixels, at any alignment; over-reads are left to the sanitizers. */
static void check_codec(enum isa isa, unsigned format) {
	for (int round = 0; round < 200; round++) {
		unsigned n = (unsigned)kern_random_in(0, round & 1 ? MAX_PX : 20),
				 size = n * bytes_of(format);
		unsigned shift = (unsigned)kern_random_in(0, 3);
		uint8_t *raw_buffer = kern_buffer(shift + size), *raw = raw_buffer + shift;
		uint8_t *got_buffer = kern_buffer(shift + size), *raw_got = got_buffer + shift;
		uint8_t *want_buffer = kern_buffer(shift + size), *raw_want = want_buffer + shift;
		uint32_t *px = kern_buffer(4 * n), *want = kern_buffer(4 * n),
			 *got = kern_buffer(4 * n);
		kern_random_bytes(raw, size);
		plain.decode[format](want, raw, n);
		k.decode[format](got, raw, n);
		kern_same(decode_name[format], isa, want, got, 4 * n);
		kern_random_bytes(px, 4 * n);
		plain.encode[format](raw_want, px, n);
		k.encode[format](raw_got, px, n);
		kern_same(encode_name[format], isa, raw_want, raw_got, size);
		/* Decoded pixels encode to themselves: expansion and truncation fit. */
		k.encode[format](raw_got, want, n);
		kern_same(encode_name[format], isa, raw, raw_got, size);
		kern_done(raw_buffer);
	}
}

/* Every value of a 16-bit pixel. */
static void check_all16(enum isa isa, unsigned format) {
	static uint16_t raw[0x10000];
	static uint32_t want[0x10000], got[0x10000];
	for (uint32_t i = 0; i < 0x10000; i++) {
		raw[i] = (uint16_t)i;
	}
	plain.decode[format](want, (const uint8_t *)raw, 0x10000);
	k.decode[format](got, (const uint8_t *)raw, 0x10000);
	kern_same(decode_name[format], isa, want, got, sizeof(want));
}

static void check_fill(enum isa isa) {
	for (int round = 0; round < 600; round++) {
		uint32_t size = (uint32_t)kern_random_in(0, round & 1 ? 700 : 60),
				 value = (uint32_t)kern_random();
		unsigned period = (unsigned)kern_random_in(2, 4);
		uint8_t *want = kern_buffer(size), *got = kern_buffer(size);
		plain.fill(want, size, value, period);
		k.fill(got, size, value, period);
		kern_same("fill", isa, want, got, size);
		kern_done(want);
	}
}

static void check_order(enum isa isa) {
	for (int round = 0; round < 100; round++) {
		uint32_t stride = (uint32_t)kern_random_in(8, 40);
		size_t size = 4 * (stride * 7 + 8);
		uint32_t *src = kern_buffer(4 * 64), *want = kern_buffer(size),
			 *got = kern_buffer(size);
		uint32_t *back = kern_buffer(4 * 64);
		kern_random_bytes(src, 4 * 64);
		plain.detile(want, stride, src);
		k.detile(got, stride, src);
		kern_same("detile", isa, want, got, size);
		k.tile(back, got, stride);
		kern_same("tile", isa, src, back, 4 * 64);
		kern_done(src);
	}
}

static void check_average(enum isa isa) {
	for (int round = 0; round < 400; round++) {
		unsigned n = (unsigned)kern_random_in(0, 70), group = round & 1 ? 2 : 4;
		uint32_t *src = kern_buffer(4 * n * group), *want = kern_buffer(4 * n),
				 *got = kern_buffer(4 * n);
		kern_random_bytes(src, 4 * n * group);
		if (round % 10 == 0) {
			memset(src, 0xFF, 4 * n * group);
		}
		plain.average(want, src, n, group);
		k.average(got, src, n, group);
		kern_same("average", isa, want, got, 4 * n);
		kern_done(src);
	}
}

static void open_plain(void) {
	xfer_kernels_init(&plain, ISA_C);
}

static void check(enum isa isa) {
	xfer_kernels_init(&k, isa);
	kern_slots(isa, "xfer", &plain, &k, sizeof(k));
	for (unsigned format = 0; format < XFER_COUNT; format++) {
		check_codec(isa, format);
		if (bytes_of(format) == 2) {
			check_all16(isa, format);
		}
	}
	check_fill(isa);
	check_order(isa);
	check_average(isa);
}

static void bench(enum isa isa) {
	static uint32_t px[4096];
	static uint8_t raw[4 * 4096], memory[2 << 20];
	const struct pica_job_transfer job = { .src = 0x18000000,
		.dst = 0x18100000,
		.out_dim = 240 | 400 << 16,
		.flags = XFER_RGB8 << 12 };
	const struct scanout s = { .info = { .width = 400, .height = 240, .is_set = 1,
			.addr = 0x18000000, .format = XFER_RGB8 }, .stride_bytes = 720 };
	struct space space = { .n = 1,
		.win = { { .phys = 0x18000000, .size_bytes = sizeof(memory), .host = memory } } };
	struct transfer transfer;
	xfer_kernels_init(&k, isa);
	transfer_from_job(&transfer, &job);
	for (unsigned format = 0; format < XFER_COUNT; format++) {
		KERN_BENCH(decode_name[format], isa, 1024) k.decode[format](px, raw, 1024);
		KERN_BENCH(encode_name[format], isa, 1024) k.encode[format](raw, px, 1024);
	}
	KERN_BENCH("fill24_byte", isa, sizeof(raw)) k.fill(raw, sizeof(raw), 0x12345678, 3);
	KERN_BENCH("detile_px", isa, 64) k.detile(px + 2048, 64, px);
	KERN_BENCH("tile_px", isa, 64) k.tile(px + 2048, px, 64);
	for (unsigned group = 2; group <= 4; group += 2) {
		KERN_BENCH(group == 2 ? "average2_px" : "average4_px", isa, 1024) {
			k.average((uint32_t *)(void *)raw, px, 1024 / group, group);
		}
	}
	KERN_BENCH("top_screen_transfer_px", isa, 240 * 400) {
		transfer_run(&transfer, &k, &space, &(struct work_part){ .count = 1 });
	}
	KERN_BENCH("top_screen_scanout_px", isa, 240 * 400) {
		scanout_run(&s, &k, &space, PICA_EYE_LEFT, memory + (1 << 20), 1200);
	}
}

const struct kern_suite kern_suite = { "xfer", open_plain, check, bench, NULL };
