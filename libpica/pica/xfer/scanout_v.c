/*
 * The kernels of scanout.h in the words of vec.h; what does not fill a vector is left to the C
 * versions.
 */
#include "core/vec/vec.h"
#include "pica/xfer/scanout.h"

_Static_assert(VF_LANES == 4, "pixels are turned and repeated in groups of four");

static void turn(uint32_t *dst, ptrdiff_t dst_stride, const uint32_t *src, ptrdiff_t src_stride,
		unsigned n) {
	unsigned j = 0;
	for (; n - j >= 4; j += 4) {
		const uint32_t *from = src + (ptrdiff_t)j * src_stride;
		for (unsigned half = 0; half < TURN_PX; half += 4) {
			vh in[4], out[4];
			for (ptrdiff_t k = 0; k < 4; k++) {
				in[k] = vh_loadu((const void *)(from + k * src_stride + half));
			}
			vh_transpose_pairs4(in, out);
			for (ptrdiff_t k = 0; k < 4; k++) {
				vh_storeu((void *)(dst + (half + k) * dst_stride + j), out[k]);
			}
		}
	}
	scanout_c()->turn(dst + j, dst_stride, src + (ptrdiff_t)j * src_stride, src_stride, n - j);
}

/* Lane k of a in all lanes of out[k]. */
static void spread(const uint32_t *px, vh out[4]) {
	const vh a = vh_loadu((const void *)px);
	const vh in[4] = { a, a, a, a };
	vh_transpose_pairs4(in, out);
}

static void reverse(uint32_t *px, unsigned n) {
	unsigned i = 0;
	/* Four from each end at a time, as long as they do not meet. */
	for (; n - 2 * i >= 8; i += 4) {
		uint32_t *lo = px + i, *hi = px + n - i - 4;
		uint32_t a[4], b[4];
		vi_storeu(a, vi_loadu(lo));
		vi_storeu(b, vi_loadu(hi));
		for (unsigned k = 0; k < 4; k++) {
			lo[k] = b[3 - k];
			hi[k] = a[3 - k];
		}
	}
	scanout_c()->reverse(px + i, n - 2 * i);
}

/*
 * Whole vectors; what is over is covered by one that ends with the pixel's last copy or, for 2 and
 * 3 times, reaches into the next pixels', which are written later.
 */
static void widen(uint32_t *dst, const uint32_t *src, unsigned n, unsigned times) {
	if (times == 1) {
		memcpy(dst, src, n * sizeof(*src));
		return;
	}
	unsigned i = 0;
	for (; n - i > 4; i += 4) {
		vh s[4];
		spread(src + i, s);
		for (unsigned k = 0; k < 4; k++) {
			uint32_t *to = dst + (size_t)(i + k) * times;
			vh_storeu((void *)to, s[k]);
			for (unsigned j = 4; j < times; j += 4) {
				vh_storeu((void *)(to + (j + 4 <= times ? j : times - 4)), s[k]);
			}
		}
	}
	scanout_c()->widen(dst + (size_t)i * times, src + i, n - i, times);
}

/* Sums fit: 255 * 256 + 128 < 65536. */
static vh lerp(vh a, vh b, vh weight_a, vh weight_b) {
	return vh_srl(vh_add(vh_add(vh_mul(a, weight_a), vh_mul(b, weight_b)), vh_set1(128)), 8);
}

static void mix(uint32_t *dst, const uint32_t *a, const uint32_t *b, unsigned weight, unsigned n) {
	const vh wa = vh_set1((int)(256 - weight)), wb = vh_set1((int)weight);
	unsigned i = 0;
	for (; n - i >= 4; i += 4) {
		const vb pa = vb_loadu(a + i), pb = vb_loadu(b + i);
		vh lo = lerp(vh_widen_lo_u(pa), vh_widen_lo_u(pb), wa, wb);
		vh hi = lerp(vh_widen_hi_u(pa), vh_widen_hi_u(pb), wa, wb);
		vb_storeu(dst + i, vb_pack_u(lo, hi));
	}
	scanout_c()->mix(dst + i, a + i, b + i, weight, n - i);
}

static void blend(uint32_t *dst, const uint32_t *src, const uint32_t *at, unsigned n) {
	unsigned i = 0;
	for (; n - i >= VH_LANES; i += VH_LANES) {
		int32_t index[VH_LANES];
		vh a[4], b[4], out[4];
		const vi at_lo = vi_loadu(at + i), at_hi = vi_loadu(at + i + 4);
		vi_storeu(index, vi_srl(at_lo, 8));
		vi_storeu(index + 4, vi_srl(at_hi, 8));
		const vi mask = vi_set1(255);
		const vh wb = vh_pack_u(vi_and(at_lo, mask), vi_and(at_hi, mask)),
				wa = vh_sub(vh_set1(256), wb);
		vh_gather_bytes4(src, index, a);
		vh_gather_bytes4(src + 1, index, b);
		for (unsigned c = 0; c < 4; c++) {
			out[c] = lerp(a[c], b[c], wa, wb);
		}
		vh_store_bytes4((uint8_t *)(dst + i), out);
	}
	scanout_c()->blend(dst + i, src, at + i, n - i);
}

static void anaglyph(uint32_t *dst, const uint32_t *left, const uint32_t *right, unsigned n) {
	const vi red = vi_set1(0xFF);
	unsigned i = 0;
	for (; n - i >= VF_LANES; i += VF_LANES) {
		vi_storeu(dst + i,
				vi_or(vi_and(vi_loadu(left + i), red),
						vi_andnot(red, vi_loadu(right + i))));
	}
	scanout_c()->anaglyph(dst + i, left + i, right + i, n - i);
}

static void xrgb(uint8_t *dst, const uint32_t *rgba, unsigned n) {
	unsigned i = 0;
	for (; n - i >= VF_LANES; i += VF_LANES) {
		vi_storeu(dst + 4 * i, vi_srl(vi_bswap(vi_loadu(rgba + i)), 8));
	}
	scanout_c()->xrgb(dst + 4 * i, rgba + i, n - i);
}

void VFN(scanout_kernels_init)(struct scanout_kernels *k) {
	*k = (struct scanout_kernels){
		.turn = turn,
		.reverse = reverse,
		.widen = widen,
		.mix = mix,
		.blend = blend,
		.anaglyph = anaglyph,
		.xrgb = xrgb,
	};
}
