/*
 * The kernels of scanout.h in the words of vec.h; the C versions handle pixels that do not fill a
 * vector.
 */
#include "core/vec/vec.h"
#include "pica/xfer/scanout.h"

static void turn(uint32_t *dst, ptrdiff_t dst_stride, const uint32_t *src, ptrdiff_t src_stride,
		unsigned n) {
	unsigned j = 0;
	for (; n - j >= 4; j += 4) {
		const uint32_t *from = src + (ptrdiff_t)j * src_stride;
		for (unsigned half = 0; half < TURN_PX; half += 4) {
			vqh in[4], out[4];
			for (ptrdiff_t k = 0; k < 4; k++) {
				in[k] = vqh_loadu((const void *)(from + k * src_stride + half));
			}
			vqh_transpose_pairs4(in, out);
			for (ptrdiff_t k = 0; k < 4; k++) {
				vqh_storeu((void *)(dst + (half + k) * dst_stride + j), out[k]);
			}
		}
	}
	scanout_c()->turn(dst + j, dst_stride, src + (ptrdiff_t)j * src_stride, src_stride, n - j);
}

/* Lane k of a in all lanes of out[k]. */
static void spread(const uint32_t *px, vqh out[4]) {
	const vqh a = vqh_loadu((const void *)px);
	const vqh in[4] = { a, a, a, a };
	vqh_transpose_pairs4(in, out);
}

static void reverse(uint32_t *px, unsigned n) {
	unsigned i = 0;
	/* Four from each end at a time, as long as they do not meet. */
	for (; n - 2 * i >= 8; i += 4) {
		uint32_t *lo = px + i, *hi = px + n - i - 4;
		uint32_t a[4], b[4];
		vqi_storeu(a, vqi_loadu(lo));
		vqi_storeu(b, vqi_loadu(hi));
		for (unsigned k = 0; k < 4; k++) {
			lo[k] = b[3 - k];
			hi[k] = a[3 - k];
		}
	}
	scanout_c()->reverse(px + i, n - 2 * i);
}

/*
 * Writes whole vectors. The last one of a pixel ends with its last copy or, for 2 and 3 copies,
 * reaches into the next pixels', which are written later.
 */
static void widen(uint32_t *dst, const uint32_t *src, unsigned n, unsigned times) {
	if (times == 1) {
		memcpy(dst, src, n * sizeof(*src));
		return;
	}
	unsigned i = 0;
	for (; n - i > 4; i += 4) {
		vqh s[4];
		spread(src + i, s);
		for (unsigned k = 0; k < 4; k++) {
			uint32_t *to = dst + (size_t)(i + k) * times;
			vqh_storeu((void *)to, s[k]);
			for (unsigned j = 4; j < times; j += 4) {
				vqh_storeu((void *)(to + (j + 4 <= times ? j : times - 4)), s[k]);
			}
		}
	}
	scanout_c()->widen(dst + (size_t)i * times, src + i, n - i, times);
}

/* Sums fit: 255 * 256 + 128 < 65536. */
static vqh lerp(vqh a, vqh b, vqh weight_a, vqh weight_b) {
	const vqh sum = vqh_add(vqh_mul(a, weight_a), vqh_mul(b, weight_b));
	return vqh_srl(vqh_add(sum, vqh_set1(128)), 8);
}

static void mix(uint32_t *dst, const uint32_t *a, const uint32_t *b, unsigned weight, unsigned n) {
	const vqh wa = vqh_set1((int)(256 - weight)), wb = vqh_set1((int)weight);
	unsigned i = 0;
	for (; n - i >= 4; i += 4) {
		const vqb pa = vqb_loadu(a + i), pb = vqb_loadu(b + i);
		vqh lo = lerp(vqh_widen_lo_u(pa), vqh_widen_lo_u(pb), wa, wb);
		vqh hi = lerp(vqh_widen_hi_u(pa), vqh_widen_hi_u(pb), wa, wb);
		vqb_storeu(dst + i, vqb_pack_u(lo, hi));
	}
	scanout_c()->mix(dst + i, a + i, b + i, weight, n - i);
}

static void blend(uint32_t *dst, const uint32_t *src, const uint32_t *at, unsigned n) {
	unsigned i = 0;
	for (; n - i >= VQH_LANES; i += VQH_LANES) {
		int32_t index[VQH_LANES];
		vqh a[4], b[4], out[4];
		const vqi at_lo = vqi_loadu(at + i), at_hi = vqi_loadu(at + i + 4);
		vqi_storeu(index, vqi_srl(at_lo, 8));
		vqi_storeu(index + 4, vqi_srl(at_hi, 8));
		const vqi mask = vqi_set1(255);
		const vqh wb = vqh_pack_u(vqi_and(at_lo, mask), vqi_and(at_hi, mask)),
				wa = vqh_sub(vqh_set1(256), wb);
		vqh_gather_bytes4(src, index, a);
		vqh_gather_bytes4(src + 1, index, b);
		for (unsigned c = 0; c < 4; c++) {
			out[c] = lerp(a[c], b[c], wa, wb);
		}
		vqh_store_bytes4((uint8_t *)(dst + i), out);
	}
	scanout_c()->blend(dst + i, src, at + i, n - i);
}

static void anaglyph(uint32_t *dst, const uint32_t *left, const uint32_t *right, unsigned n) {
	const vqi red = vqi_set1(0xFF);
	unsigned i = 0;
	for (; n - i >= VQ_LANES; i += VQ_LANES) {
		vqi_storeu(dst + i,
				vqi_or(vqi_and(vqi_loadu(left + i), red),
						vqi_andnot(red, vqi_loadu(right + i))));
	}
	scanout_c()->anaglyph(dst + i, left + i, right + i, n - i);
}

static void xrgb(uint8_t *dst, const uint32_t *rgba, unsigned n) {
	const vqi opaque = vqi_set1((int32_t)0xFF000000);
	unsigned i = 0;
	for (; n - i >= VQ_LANES; i += VQ_LANES) {
		const vqi rgb = vqi_srl(vqi_bswap(vqi_loadu(rgba + i)), 8);
		vqi_storeu(dst + 4 * i, vqi_or(rgb, opaque));
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
