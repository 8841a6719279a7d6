/* The kernels of scanout.h in plain C: the truth. */
#include "pica/xfer/scanout.h"

static void turn(uint32_t *dst, ptrdiff_t dst_stride, const uint32_t *src, ptrdiff_t src_stride,
		unsigned n) {
	for (unsigned j = 0; j < n; j++) {
		for (unsigned i = 0; i < TURN_PX; i++) {
			dst[i * dst_stride + j] = src[j * src_stride + i];
		}
	}
}

static void reverse(uint32_t *px, unsigned n) {
	for (unsigned i = 0; i < n / 2; i++) {
		const uint32_t last = px[n - 1 - i];
		px[n - 1 - i] = px[i];
		px[i] = last;
	}
}

static void widen(uint32_t *dst, const uint32_t *src, unsigned n, unsigned times) {
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < times; k++) {
			*dst++ = src[i];
		}
	}
}

static uint32_t mix_pixel(uint32_t a, uint32_t b, unsigned weight) {
	uint32_t px = 0;
	for (unsigned shift = 0; shift < 32; shift += 8) {
		const uint32_t ca = a >> shift & 255, cb = b >> shift & 255;
		px |= (ca * (256 - weight) + cb * weight + 128) >> 8 << shift;
	}
	return px;
}

static void mix(uint32_t *dst, const uint32_t *a, const uint32_t *b, unsigned weight, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		dst[i] = mix_pixel(a[i], b[i], weight);
	}
}

static void blend(uint32_t *dst, const uint32_t *src, const uint32_t *at, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		const uint32_t *px = src + (at[i] >> 8);
		dst[i] = mix_pixel(px[0], px[1], at[i] & 255);
	}
}

static void anaglyph(uint32_t *dst, const uint32_t *left, const uint32_t *right, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		dst[i] = (left[i] & 0xFF) | (right[i] & 0xFFFFFF00);
	}
}

static void xrgb(uint8_t *dst, const uint32_t *rgba, unsigned n) {
	for (unsigned i = 0; i < n; i++, dst += 4) {
		dst[0] = (uint8_t)(rgba[i] >> 16);
		dst[1] = (uint8_t)(rgba[i] >> 8);
		dst[2] = (uint8_t)rgba[i];
		dst[3] = 0xFF;
	}
}

const struct scanout_kernels *scanout_c(void) {
	static const struct scanout_kernels plain = {
		.turn = turn,
		.reverse = reverse,
		.widen = widen,
		.mix = mix,
		.blend = blend,
		.anaglyph = anaglyph,
		.xrgb = xrgb,
	};
	return &plain;
}
