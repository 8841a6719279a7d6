/*
 * Pixel kernels of the copy engines in the words of vec.h. The C versions process pixels that do
 * not fill a vector. Pixels in between are words with R in the lowest byte.
 */
#include "core/vec/vec.h"
#include "pica/xfer/pixel.h"

/* ---- Fill ---- */

/* 48 bytes hold whole periods of 2, 3 and 4. */
enum { FILL_STEP = 48 };

static void fill(uint8_t *dst, uint32_t size_bytes, uint32_t value, unsigned period) {
	uint8_t pattern[FILL_STEP];
	pixel_c()->fill(pattern, FILL_STEP, value, period);
	uint32_t i = 0;
	vqb v[FILL_STEP / VQB_LANES];
	for (int k = 0; k < FILL_STEP / VQB_LANES; k++) {
		v[k] = vqb_loadu(pattern + k * VQB_LANES);
	}
	for (; size_bytes - i >= FILL_STEP; i += FILL_STEP) {
		for (int k = 0; k < FILL_STEP / VQB_LANES; k++) {
			vqb_storeu(dst + i + k * VQB_LANES, v[k]);
		}
	}
	memcpy(dst + i, pattern, size_bytes - i);
}

/* ---- 32 and 24 bits ---- */

static void decode_rgba8(uint32_t *out, const uint8_t *src, unsigned n) {
	unsigned i = 0;
	for (; n - i >= VQ_LANES; i += VQ_LANES) {
		vqi_storeu(out + i, vqi_bswap(vqi_loadu(src + 4 * i)));
	}
	pixel_c()->decode[XFER_RGBA8](out + i, src + 4 * i, n - i);
}

static void encode_rgba8(uint8_t *dst, const uint32_t *px, unsigned n) {
	unsigned i = 0;
	for (; n - i >= VQ_LANES; i += VQ_LANES) {
		vqi_storeu(dst + 4 * i, vqi_bswap(vqi_loadu(px + i)));
	}
	pixel_c()->encode[XFER_RGBA8](dst + 4 * i, px + i, n - i);
}

static void decode_rgb8(uint32_t *out, const uint8_t *src, unsigned n) {
	unsigned i = 0;
	for (; n - i >= VQ_LANES; i += VQ_LANES) {
		vqi bgr = vqi_load_px3(src + 3 * i); /* 0 R G B from the top */
		vqi rgb = vqi_srl(vqi_bswap(bgr), 8);
		vqi_storeu(out + i, vqi_or(rgb, vqi_set1(-0x1000000))); /* alpha 255 */
	}
	pixel_c()->decode[XFER_RGB8](out + i, src + 3 * i, n - i);
}

static void encode_rgb8(uint8_t *dst, const uint32_t *px, unsigned n) {
	unsigned i = 0;
	for (; n - i >= VQ_LANES; i += VQ_LANES) {
		vqi_store_px3(dst + 3 * i, vqi_srl(vqi_bswap(vqi_loadu(px + i)), 8));
	}
	pixel_c()->encode[XFER_RGB8](dst + 3 * i, px + i, n - i);
}

/* ---- 16 bits ---- */

static vqh wide4(vqh v) {
	return vqh_or(v, vqh_sll(v, 4));
}

static vqh wide5(vqh v) {
	return vqh_or(vqh_sll(v, 3), vqh_srl(v, 2));
}

static vqh wide6(vqh v) {
	return vqh_or(vqh_sll(v, 2), vqh_srl(v, 4));
}

static void split_rgb565(vqh w, vqh c[4]) {
	c[0] = wide5(vqh_srl(w, 11));
	c[1] = wide6(vqh_and(vqh_srl(w, 5), vqh_set1(63)));
	c[2] = wide5(vqh_and(w, vqh_set1(31)));
	c[3] = vqh_set1(255);
}

static vqh join_rgb565(const vqh c[4]) {
	vqh r = vqh_sll(vqh_srl(c[0], 3), 11), g = vqh_sll(vqh_srl(c[1], 2), 5);
	return vqh_or(vqh_or(r, g), vqh_srl(c[2], 3));
}

static void split_rgb5a1(vqh w, vqh c[4]) {
	const vqh mask = vqh_set1(31);
	c[0] = wide5(vqh_srl(w, 11));
	c[1] = wide5(vqh_and(vqh_srl(w, 6), mask));
	c[2] = wide5(vqh_and(vqh_srl(w, 1), mask));
	c[3] = vqh_mul(vqh_and(w, vqh_set1(1)), vqh_set1(255));
}

static vqh join_rgb5a1(const vqh c[4]) {
	vqh r = vqh_sll(vqh_srl(c[0], 3), 11), g = vqh_sll(vqh_srl(c[1], 3), 6);
	vqh b = vqh_sll(vqh_srl(c[2], 3), 1);
	return vqh_or(vqh_or(r, g), vqh_or(b, vqh_srl(c[3], 7)));
}

static void split_rgba4(vqh w, vqh c[4]) {
	const vqh mask = vqh_set1(15);
	c[0] = wide4(vqh_srl(w, 12));
	c[1] = wide4(vqh_and(vqh_srl(w, 8), mask));
	c[2] = wide4(vqh_and(vqh_srl(w, 4), mask));
	c[3] = wide4(vqh_and(w, mask));
}

static vqh join_rgba4(const vqh c[4]) {
	vqh r = vqh_sll(vqh_srl(c[0], 4), 12), g = vqh_sll(vqh_srl(c[1], 4), 8);
	vqh b = vqh_sll(vqh_srl(c[2], 4), 4);
	return vqh_or(vqh_or(r, g), vqh_or(b, vqh_srl(c[3], 4)));
}

#define CODEC16(name, format) \
	static void decode_##name(uint32_t *out, const uint8_t *src, unsigned n) { \
		unsigned i = 0; \
		for (; n - i >= VQH_LANES; i += VQH_LANES) { \
			vqh c[4]; \
			split_##name(vqh_loadu(src + 2 * i), c); \
			vqh_store_bytes4((uint8_t *)(out + i), c); \
		} \
		pixel_c()->decode[format](out + i, src + 2 * i, n - i); \
	} \
	static void encode_##name(uint8_t *dst, const uint32_t *px, unsigned n) { \
		unsigned i = 0; \
		for (; n - i >= VQH_LANES; i += VQH_LANES) { \
			vqh c[4]; \
			vqh_load_bytes4((const uint8_t *)(px + i), c); \
			vqh_storeu(dst + 2 * i, join_##name(c)); \
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
			vqi a = vqi_loadu(src), b = vqi_loadu(src + 4);
			vqi_storeu(to, vqi_pair_lo(a, b));
			vqi_storeu(to + stride_px, vqi_pair_hi(a, b));
		}
	}
}

static void tile(uint32_t *dst, const uint32_t *src, uint32_t stride_px) {
	for (uint32_t quarter = 0; quarter < 4; quarter++) {
		const uint32_t *from = src + (quarter >> 1) * 4 * stride_px + (quarter & 1) * 4;
		for (uint32_t half = 0; half < 2; half++, dst += 8, from += 2 * stride_px) {
			vqi a = vqi_loadu(from), b = vqi_loadu(from + stride_px);
			vqi_storeu(dst, vqi_pair_lo(a, b));
			vqi_storeu(dst + 4, vqi_pair_hi(a, b));
		}
	}
}

/* ---- Averages ---- */

/* Sums of neighbouring lanes of a, then of b. */
static vqh pair_sums(vqh a, vqh b) {
	const vqh one = vqh_set1(1);
	return vqh_pack_u(vqi_madd_s(a, one), vqi_madd_s(b, one));
}

static void average(uint32_t *dst, const uint32_t *src, unsigned n, unsigned group) {
	unsigned i = 0;
	for (; n - i >= VQH_LANES; i += VQH_LANES) {
		vqh px[4][4], out[4];
		for (unsigned v = 0; v < group; v++) {
			vqh_load_bytes4((const uint8_t *)(src + i * group + v * VQH_LANES), px[v]);
		}
		for (unsigned c = 0; c < 4; c++) {
			if (group == 2) {
				out[c] = vqh_srl(pair_sums(px[0][c], px[1][c]), 1);
			} else {
				vqh lo = pair_sums(px[0][c], px[1][c]),
				   hi = pair_sums(px[2][c], px[3][c]);
				out[c] = vqh_srl(pair_sums(lo, hi), 2);
			}
		}
		vqh_store_bytes4((uint8_t *)(dst + i), out);
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
	VFN(scanout_kernels_init)(&k->scanout);
}
