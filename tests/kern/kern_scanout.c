/* Kernels that copy screens to displays: each set against C. */
#include <string.h>

#include "kern.h"
#include "pica/xfer/xfer.h"

enum { MAX_PX = 200, MAX_TIMES = 13 };

static struct scanout_kernels plain, k;

static uint32_t *random_px(size_t n) {
	uint32_t *px = kern_buffer(4 * n);
	kern_random_bytes(px, 4 * n);
	return px;
}

static void check_turn(enum isa isa) {
	for (int round = 0; round < 300; round++) {
		const unsigned n = (unsigned)kern_random_in(0, 40);
		const ptrdiff_t out_stride = n + kern_random_in(0, 5),
				in_stride = TURN_PX + kern_random_in(0, 9);
		const size_t out_px = (size_t)(7 * out_stride + n),
				in_px = n ? (size_t)((n - 1) * in_stride + 8) : 0;
		const bool up = kern_random() & 1, back = kern_random() & 1;
		uint32_t *src = random_px(in_px), *want = random_px(out_px),
			 *got = kern_buffer(4 * out_px);
		memcpy(got, want, 4 * out_px);
		const ptrdiff_t first_out = up ? 7 * out_stride : 0, first_in = back &&
				n ? (ptrdiff_t)(n - 1) * in_stride : 0;
		plain.turn(want + first_out, up ? -out_stride : out_stride, src + first_in,
				back ? -in_stride : in_stride, n);
		k.turn(got + first_out, up ? -out_stride : out_stride, src + first_in,
				back ? -in_stride : in_stride, n);
		kern_same("turn", isa, want, got, 4 * out_px);
		kern_done(src);
	}
}

static void check_rows(enum isa isa) {
	for (int round = 0; round < 400; round++) {
		const unsigned n = (unsigned)kern_random_in(0, MAX_PX),
				times = (unsigned)kern_random_in(1, MAX_TIMES);
		const unsigned weight = (unsigned)kern_random_in(0, 255);
		const size_t wide = (size_t)n * times;
		uint32_t *a = random_px(n), *b = random_px(n), *want = kern_buffer(4 * wide),
				*got = kern_buffer(4 * wide);
		if (round % 8 == 0) {
			memset(a, 0xFF, 4 * n);
			memset(b, 0xFF, 4 * n);
		}
		plain.widen(want, a, n, times);
		k.widen(got, a, n, times);
		kern_same("widen", isa, want, got, 4 * wide);
		plain.mix(want, a, b, weight, n);
		k.mix(got, a, b, weight, n);
		kern_same("mix", isa, want, got, 4 * n);
		plain.anaglyph(want, a, b, n);
		k.anaglyph(got, a, b, n);
		kern_same("anaglyph", isa, want, got, 4 * n);
		plain.xrgb((uint8_t *)want, a, n);
		k.xrgb((uint8_t *)got, a, n);
		kern_same("xrgb", isa, want, got, 4 * n);
		memcpy(b, a, 4 * n);
		plain.reverse(a, n);
		k.reverse(b, n);
		kern_same("reverse", isa, a, b, 4 * n);
		kern_done(a);
	}
}

static void check_blend(enum isa isa) {
	for (int round = 0; round < 300; round++) {
		const unsigned n = (unsigned)kern_random_in(0, MAX_PX),
				from = (unsigned)kern_random_in(2, MAX_PX);
		uint32_t *src = random_px(from), *at = kern_buffer(4 * n),
			 *want = kern_buffer(4 * n), *got = kern_buffer(4 * n);
		for (unsigned i = 0; i < n; i++) {
			at[i] = (uint32_t)kern_random_in(0, from - 2) << 8 |
					(uint32_t)kern_random_in(0, 255);
		}
		plain.blend(want, src, at, n);
		k.blend(got, src, at, n);
		kern_same("blend", isa, want, got, 4 * n);
		kern_done(src);
	}
}

static void init(enum isa isa) {
	struct xfer_kernels all;
	xfer_kernels_init(&all, isa);
	k = all.scanout;
}

static void open_plain(void) {
	plain = *scanout_c();
}

static void check(enum isa isa) {
	init(isa);
	check_turn(isa);
	check_rows(isa);
	check_blend(isa);
}

static void bench(enum isa isa) {
	static const char *const names[] = { "widen2_px", "widen3_px", "widen4_px" };
	static uint32_t in[8192], out[8192 * 4], at[8192];
	init(isa);
	for (unsigned i = 0; i < 1600; i++) {
		at[i] = i << 6;
	}
	KERN_BENCH("turn_px", isa, 3200) k.turn(out, 400, in, 8, 400);
	for (unsigned times = 2; times <= 4; times++) {
		KERN_BENCH(names[times - 2], isa, 400.0 * times) k.widen(out, in, 400, times);
	}
	KERN_BENCH("mix_px", isa, 400) k.mix(out, in, in + 1000, 77, 400);
	KERN_BENCH("blend_px", isa, 1600) k.blend(out, in, at, 1600);
	KERN_BENCH("xrgb_px", isa, 1600) k.xrgb((uint8_t *)out, in, 1600);
}

const struct kern_suite kern_suite = { "scanout", open_plain, check, bench, NULL };
