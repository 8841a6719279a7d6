/*
 * Pixel kernels of the copy engines in the words of vec.h. What does not fill a vector is left to
 * the C versions. Pixels in between are words with R in the lowest byte.
 */
#include "core/vec/vec.h"
#include "pica/xfer/pixel.h"

_Static_assert(VF_LANES == 4, "detile and tile count in groups of four pixels");

/* ---- Fill ---- */

/* 48 bytes hold whole periods of 2, 3 and 4. */
enum { FILL_STEP = 48 };

static void fill(uint8_t *dst, uint32_t size_bytes, uint32_t value, unsigned period) {
	uint8_t pattern[FILL_STEP];
	pixel_c()->fill(pattern, FILL_STEP, value, period);
	uint32_t i = 0;
	vb v[FILL_STEP / VB_LANES];
	for (int k = 0; k < FILL_STEP / VB_LANES; k++) {
		v[k] = vb_loadu(pattern + k * VB_LANES);
	}
	for (; size_bytes - i >= FILL_STEP; i += FILL_STEP) {
		for (int k = 0; k < FILL_STEP / VB_LANES; k++) {
			vb_storeu(dst + i + k * VB_LANES, v[k]);
		}
	}
	memcpy(dst + i, pattern, size_bytes - i);
}

/* ---- 32 and 24 bits ---- */

static void decode_rgba8(uint32_t *out, const uint8_t *src, unsigned n) {
	unsigned i = 0;
	for (; n - i >= VF_LANES; i += VF_LANES) {
		vi_storeu(out + i, vi_bswap(vi_loadu(src + 4 * i)));
	}
	pixel_c()->decode[XFER_RGBA8](out + i, src + 4 * i, n - i);
}

static void encode_rgba8(uint8_t *dst, const uint32_t *px, unsigned n) {
	unsigned i = 0;
	for (; n - i >= VF_LANES; i += VF_LANES) {
		vi_storeu(dst + 4 * i, vi_bswap(vi_loadu(px + i)));
	}
	pixel_c()->encode[XFER_RGBA8](dst + 4 * i, px + i, n - i);
}

static void decode_rgb8(uint32_t *out, const uint8_t *src, unsigned n) {
	unsigned i = 0;
	for (; n - i >= VF_LANES; i += VF_LANES) {
		vi bgr = vi_load_px3(src + 3 * i); /* 0 R G B from the top */
		vi rgb = vi_srl(vi_bswap(bgr), 8);
		vi_storeu(out + i, vi_or(rgb, vi_set1(-0x1000000))); /* alpha 255 */
	}
	pixel_c()->decode[XFER_RGB8](out + i, src + 3 * i, n - i);
}

static void encode_rgb8(uint8_t *dst, const uint32_t *px, unsigned n) {
	unsigned i = 0;
	for (; n - i >= VF_LANES; i += VF_LANES) {
		vi_store_px3(dst + 3 * i, vi_srl(vi_bswap(vi_loadu(px + i)), 8));
	}
	pixel_c()->encode[XFER_RGB8](dst + 3 * i, px + i, n - i);
}

/* ---- 16 bits ---- */

static vh wide4(vh v) {
	return vh_or(v, vh_sll(v, 4));
}

static vh wide5(vh v) {
	return vh_or(vh_sll(v, 3), vh_srl(v, 2));
}

static vh wide6(vh v) {
	return vh_or(vh_sll(v, 2), vh_srl(v, 4));
}

static void split_rgb565(vh w, vh c[4]) {
	c[0] = wide5(vh_srl(w, 11));
	c[1] = wide6(vh_and(vh_srl(w, 5), vh_set1(63)));
	c[2] = wide5(vh_and(w, vh_set1(31)));
	c[3] = vh_set1(255);
}

static vh join_rgb565(const vh c[4]) {
	vh r = vh_sll(vh_srl(c[0], 3), 11), g = vh_sll(vh_srl(c[1], 2), 5);
	return vh_or(vh_or(r, g), vh_srl(c[2], 3));
}

static void split_rgb5a1(vh w, vh c[4]) {
	const vh mask = vh_set1(31);
	c[0] = wide5(vh_srl(w, 11));
	c[1] = wide5(vh_and(vh_srl(w, 6), mask));
	c[2] = wide5(vh_and(vh_srl(w, 1), mask));
	c[3] = vh_mul(vh_and(w, vh_set1(1)), vh_set1(255));
}

static vh join_rgb5a1(const vh c[4]) {
	vh r = vh_sll(vh_srl(c[0], 3), 11), g = vh_sll(vh_srl(c[1], 3), 6);
	vh b = vh_sll(vh_srl(c[2], 3), 1);
	return vh_or(vh_or(r, g), vh_or(b, vh_srl(c[3], 7)));
}

static void split_rgba4(vh w, vh c[4]) {
	const vh mask = vh_set1(15);
	c[0] = wide4(vh_srl(w, 12));
	c[1] = wide4(vh_and(vh_srl(w, 8), mask));
	c[2] = wide4(vh_and(vh_srl(w, 4), mask));
	c[3] = wide4(vh_and(w, mask));
}

static vh join_rgba4(const vh c[4]) {
	vh r = vh_sll(vh_srl(c[0], 4), 12), g = vh_sll(vh_srl(c[1], 4), 8);
	vh b = vh_sll(vh_srl(c[2], 4), 4);
	return vh_or(vh_or(r, g), vh_or(b, vh_srl(c[3], 4)));
}

#define CODEC16(name, format) \
	static void decode_##name(uint32_t *out, const uint8_t *src, unsigned n) { \
		unsigned i = 0; \
		for (; n - i >= VH_LANES; i += VH_LANES) { \
			vh c[4]; \
			split_##name(vh_loadu(src + 2 * i), c); \
			vh_store_bytes4((uint8_t *)(out + i), c); \
		} \
		pixel_c()->decode[format](out + i, src + 2 * i, n - i); \
	} \
	static void encode_##name(uint8_t *dst, const uint32_t *px, unsigned n) { \
		unsigned i = 0; \
		for (; n - i >= VH_LANES; i += VH_LANES) { \
			vh c[4]; \
			vh_load_bytes4((const uint8_t *)(px + i), c); \
			vh_storeu(dst + 2 * i, join_##name(c)); \
		} \
		pixel_c()->encode[format](dst + 2 * i, px + i, n - i); \
	}

CODEC16(rgb565, XFER_RGB565)
CODEC16(rgb5a1, XFER_RGB5A1)
CODEC16(rgba4, XFER_RGBA4)

/* ---- Order ---- */

/*
 * A quarter of a tile, 4x4 pixels, is 16 words in Morton order:
 *
 *     0  1 |  4  5        words 0-3 and 4-7 hold rows 0 and 1,
 *     2  3 |  6  7        words 8-15 rows 2 and 3
 *     -----+------
 *     8  9 | 12 13
 *    10 11 | 14 15
 */
static void detile(uint32_t *dst, uint32_t stride_px, const uint32_t *src) {
	for (uint32_t quarter = 0; quarter < 4; quarter++) {
		uint32_t *to = dst + (quarter >> 1) * 4 * stride_px + (quarter & 1) * 4;
		for (uint32_t half = 0; half < 2; half++, src += 8, to += 2 * stride_px) {
			vi a = vi_loadu(src), b = vi_loadu(src + 4);
			vi_storeu(to, vi_pair_lo(a, b));
			vi_storeu(to + stride_px, vi_pair_hi(a, b));
		}
	}
}

static void tile(uint32_t *dst, const uint32_t *src, uint32_t stride_px) {
	for (uint32_t quarter = 0; quarter < 4; quarter++) {
		const uint32_t *from = src + (quarter >> 1) * 4 * stride_px + (quarter & 1) * 4;
		for (uint32_t half = 0; half < 2; half++, dst += 8, from += 2 * stride_px) {
			vi a = vi_loadu(from), b = vi_loadu(from + stride_px);
			vi_storeu(dst, vi_pair_lo(a, b));
			vi_storeu(dst + 4, vi_pair_hi(a, b));
		}
	}
}

/* ---- Averages ---- */

/* Sums of neighbouring lanes of a, then of b. */
static vh pair_sums(vh a, vh b) {
	const vh one = vh_set1(1);
	return vh_pack_u(vi_madd_s(a, one), vi_madd_s(b, one));
}

static void average(uint32_t *dst, const uint32_t *src, unsigned n, unsigned group) {
	unsigned i = 0;
	for (; n - i >= VH_LANES; i += VH_LANES) {
		vh px[4][4], out[4];
		for (unsigned v = 0; v < group; v++) {
			vh_load_bytes4((const uint8_t *)(src + i * group + v * VH_LANES), px[v]);
		}
		for (unsigned c = 0; c < 4; c++) {
			if (group == 2) {
				out[c] = vh_srl(pair_sums(px[0][c], px[1][c]), 1);
			} else {
				vh lo = pair_sums(px[0][c], px[1][c]),
				   hi = pair_sums(px[2][c], px[3][c]);
				out[c] = vh_srl(pair_sums(lo, hi), 2);
			}
		}
		vh_store_bytes4((uint8_t *)(dst + i), out);
	}
	pixel_c()->average(dst + i, src + i * group, n - i, group);
}

void VFN(xfer_kernels_init)(struct xfer_kernels *k) {
	*k = (struct xfer_kernels){
		.fill = fill,
		.decode = {
			[XFER_RGBA8] = decode_rgba8,
			[XFER_RGB8] = decode_rgb8,
			[XFER_RGB565] = decode_rgb565,
			[XFER_RGB5A1] = decode_rgb5a1,
			[XFER_RGBA4] = decode_rgba4,
		},
		.encode = {
			[XFER_RGBA8] = encode_rgba8,
			[XFER_RGB8] = encode_rgb8,
			[XFER_RGB565] = encode_rgb565,
			[XFER_RGB5A1] = encode_rgb5a1,
			[XFER_RGBA4] = encode_rgba4,
		},
		.detile = detile,
		.tile = tile,
		.average = average,
	};
}
