/*
 * Pixel kernels of the copy engines in plain C: the truth. Layouts by [fidelity: framebuffer],
 * expansion by [fidelity: texel-formats], truncation on store [HW: hwtests, RGBA8 alpha 7F and 80].
 */
#include "core/base/fixed.h"
#include "core/base/morton.h"
#include "pica/xfer/pixel.h"

static uint32_t rgba(uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
	return r | g << 8 | b << 16 | a << 24;
}

static uint32_t word16(const uint8_t *p) {
	return p[0] | (uint32_t)p[1] << 8;
}

static void put16(uint8_t *p, uint32_t w) {
	p[0] = (uint8_t)w;
	p[1] = (uint8_t)(w >> 8);
}

static void fill_c(uint8_t *dst, uint32_t size_bytes, uint32_t value, unsigned period) {
	unsigned phase = 0;
	for (uint32_t i = 0; i < size_bytes; i++) {
		dst[i] = (uint8_t)(value >> (8 * phase));
		phase = phase + 1 == period ? 0 : phase + 1;
	}
}

/* Bytes A B G R */
static void decode_rgba8(uint32_t *out, const uint8_t *src, unsigned n) {
	for (unsigned i = 0; i < n; i++, src += 4) {
		out[i] = rgba(src[3], src[2], src[1], src[0]);
	}
}

static void encode_rgba8(uint8_t *dst, const uint32_t *px, unsigned n) {
	for (unsigned i = 0; i < n; i++, dst += 4) {
		dst[0] = (uint8_t)(px[i] >> 24);
		dst[1] = (uint8_t)(px[i] >> 16);
		dst[2] = (uint8_t)(px[i] >> 8);
		dst[3] = (uint8_t)px[i];
	}
}

/* Bytes B G R */
static void decode_rgb8(uint32_t *out, const uint8_t *src, unsigned n) {
	for (unsigned i = 0; i < n; i++, src += 3) {
		out[i] = rgba(src[2], src[1], src[0], 255);
	}
}

static void encode_rgb8(uint8_t *dst, const uint32_t *px, unsigned n) {
	for (unsigned i = 0; i < n; i++, dst += 3) {
		dst[0] = (uint8_t)(px[i] >> 16);
		dst[1] = (uint8_t)(px[i] >> 8);
		dst[2] = (uint8_t)px[i];
	}
}

/* R15-11 G10-5 B4-0 */
static void decode_rgb565(uint32_t *out, const uint8_t *src, unsigned n) {
	for (unsigned i = 0; i < n; i++, src += 2) {
		uint32_t w = word16(src);
		out[i] = rgba(expand5(w >> 11), expand6(w >> 5 & 63), expand5(w & 31), 255);
	}
}

static void encode_rgb565(uint8_t *dst, const uint32_t *px, unsigned n) {
	for (unsigned i = 0; i < n; i++, dst += 2) {
		put16(dst, (px[i] >> 3 & 31) << 11 | (px[i] >> 10 & 63) << 5 | (px[i] >> 19 & 31));
	}
}

/* R15-11 G10-6 B5-1 A0 */
static void decode_rgb5a1(uint32_t *out, const uint8_t *src, unsigned n) {
	for (unsigned i = 0; i < n; i++, src += 2) {
		uint32_t w = word16(src);
		out[i] = rgba(expand5(w >> 11), expand5(w >> 6 & 31), expand5(w >> 1 & 31),
				expand1(w & 1));
	}
}

static void encode_rgb5a1(uint8_t *dst, const uint32_t *px, unsigned n) {
	for (unsigned i = 0; i < n; i++, dst += 2) {
		put16(dst,
				(px[i] >> 3 & 31) << 11 | (px[i] >> 11 & 31) << 6 |
						(px[i] >> 19 & 31) << 1 | px[i] >> 31);
	}
}

/* R15-12 G11-8 B7-4 A3-0 */
static void decode_rgba4(uint32_t *out, const uint8_t *src, unsigned n) {
	for (unsigned i = 0; i < n; i++, src += 2) {
		uint32_t w = word16(src);
		out[i] = rgba(expand4(w >> 12), expand4(w >> 8 & 15), expand4(w >> 4 & 15),
				expand4(w & 15));
	}
}

static void encode_rgba4(uint8_t *dst, const uint32_t *px, unsigned n) {
	for (unsigned i = 0; i < n; i++, dst += 2) {
		put16(dst,
				(px[i] >> 4 & 15) << 12 | (px[i] >> 12 & 15) << 8 |
						(px[i] >> 20 & 15) << 4 | px[i] >> 28);
	}
}

static void detile_c(uint32_t *dst, uint32_t stride_px, const uint32_t *src) {
	for (uint32_t i = 0; i < 64; i++) {
		dst[morton8_y(i) * stride_px + morton8_x(i)] = src[i];
	}
}

static void tile_c(uint32_t *dst, const uint32_t *src, uint32_t stride_px) {
	for (uint32_t i = 0; i < 64; i++) {
		dst[i] = src[morton8_y(i) * stride_px + morton8_x(i)];
	}
}

/* Sums first, one truncating division. [HW: hwtests, Scaled_Blending: FF+0+0+0 -> 3F] */
static void average_c(uint32_t *dst, const uint32_t *src, unsigned n, unsigned group) {
	for (unsigned i = 0; i < n; i++, src += group) {
		uint32_t px = 0;
		for (unsigned shift = 0; shift < 32; shift += 8) {
			uint32_t sum = 0;
			for (unsigned j = 0; j < group; j++) {
				sum += src[j] >> shift & 255;
			}
			px |= sum / group << shift;
		}
		dst[i] = px;
	}
}

const struct xfer_kernels *pixel_c(void) {
	static const struct xfer_kernels plain = {
		.fill = fill_c,
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
		.detile = detile_c,
		.tile = tile_c,
		.average = average_c,
	};
	return &plain;
}
