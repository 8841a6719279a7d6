/*
 * Pixels of the colour buffer <-> planes of 8 bits, in vectors. target_c.c says what and why.
 *
 * Two quads a turn fill a vector of 16-bit lanes; each is loaded and stored by itself, since in a
 * packed batch they lie anywhere. A partly live quad is read, mixed and written back: its four
 * pixels belong to this batch alone, the bytes beside them may be another thread's.
 */
#include "core/vec/vec.h"
#include "pica/frag/kernels.h"

_Static_assert(VF_LANES == 4, "a vector of 32-bit lanes is one quad");

/* Runs the block for pairs of quads at p0, p1; the last one of an odd number is its own partner. */
#define EACH_PAIR(bytes, ...) \
	for (unsigned q = 0; q < n_quads; q += 2) { \
		const unsigned q1 = q + 1 < n_quads ? q + 1 : q; \
		const uint8_t *p0 = base + (size_t)quad_px[q] * (bytes); \
		const uint8_t *p1 = base + (size_t)quad_px[q1] * (bytes); \
		uint16_t *out = dst + 4 * q; \
		__VA_ARGS__ \
	}

void VFN(frag_load_rgba8)(uint16_t *dst, const uint8_t *base, const uint32_t *quad_px,
		unsigned n_quads) {
	EACH_PAIR(4, {
		vh abgr[4];
		vh_unzip_bytes4(vi_loadu(p0), vi_loadu(p1), abgr);
		for (unsigned k = 0; k < 4; k++) {
			vh_store(out + k * BATCH, abgr[3 - k]);
		}
	})
}

void VFN(frag_load_rgb8)(uint16_t *dst, const uint8_t *base, const uint32_t *quad_px,
		unsigned n_quads) {
	EACH_PAIR(3, {
		vh bgr[4];
		vh_unzip_bytes4(vi_load_px3(p0), vi_load_px3(p1), bgr);
		for (unsigned k = 0; k < 3; k++) {
			vh_store(out + k * BATCH, bgr[2 - k]);
		}
		vh_store(out + 3 * BATCH, vh_set1(255));
	})
}

/* v in the top n bits of eight, the bits below 0: the top bits again fill the rest. */
static inline vh expand5(vh top) {
	return vh_or(top, vh_srl(top, 5));
}

static inline vh expand4(vh top) {
	return vh_or(top, vh_srl(top, 4));
}

void VFN(frag_load_rgb5a1)(uint16_t *dst, const uint8_t *base, const uint32_t *quad_px,
		unsigned n_quads) {
	const vh top5 = vh_set1(0xF8);
	EACH_PAIR(2, {
		const vh w = vh_load_halves(p0, p1);
		vh_store(out, expand5(vh_and(vh_srl(w, 8), top5)));
		vh_store(out + BATCH, expand5(vh_and(vh_srl(w, 3), top5)));
		vh_store(out + 2 * BATCH, expand5(vh_and(vh_sll(w, 2), top5)));
		vh_store(out + 3 * BATCH, vh_srl(vh_sra(vh_sll(w, 15), 7), 8));
	})
}

void VFN(frag_load_rgb565)(uint16_t *dst, const uint8_t *base, const uint32_t *quad_px,
		unsigned n_quads) {
	const vh top5 = vh_set1(0xF8);
	const vh top6 = vh_set1(0xFC);
	EACH_PAIR(2, {
		const vh w = vh_load_halves(p0, p1);
		const vh g = vh_and(vh_srl(w, 3), top6);
		vh_store(out, expand5(vh_and(vh_srl(w, 8), top5)));
		vh_store(out + BATCH, vh_or(g, vh_srl(g, 6)));
		vh_store(out + 2 * BATCH, expand5(vh_and(vh_sll(w, 3), top5)));
		vh_store(out + 3 * BATCH, vh_set1(255));
	})
}

void VFN(frag_load_rgba4)(uint16_t *dst, const uint8_t *base, const uint32_t *quad_px,
		unsigned n_quads) {
	const vh top4 = vh_set1(0xF0);
	EACH_PAIR(2, {
		const vh w = vh_load_halves(p0, p1);
		vh_store(out, expand4(vh_and(vh_srl(w, 8), top4)));
		vh_store(out + BATCH, expand4(vh_and(vh_srl(w, 4), top4)));
		vh_store(out + 2 * BATCH, expand4(vh_and(w, top4)));
		vh_store(out + 3 * BATCH, expand4(vh_and(vh_sll(w, 4), top4)));
	})
}

static inline void store_quad4(uint8_t *p, vi px, unsigned lanes) {
	if (lanes == 15) {
		vi_storeu(p, px);
	} else if (lanes) {
		vi_storeu(p, vi_select(vi_mask_from_bits(lanes), px, vi_loadu(p)));
	}
}

static inline void store_quad3(uint8_t *p, vi px, unsigned lanes) {
	if (lanes == 15) {
		vi_store_px3(p, px);
	} else if (lanes) {
		vi_store_px3(p, vi_select(vi_mask_from_bits(lanes), px, vi_load_px3(p)));
	}
}

/* Two quads of 16-bit pixels, one behind the other. */
static inline void store_pair2(uint8_t *p0, uint8_t *p1, vh px, unsigned lanes) {
	const unsigned lo = lanes & 15, hi = lanes >> 4;
	if (lo == 15) {
		vh_store_lo(p0, px);
	} else if (lo) {
		vh_store_lo(p0, vh_select(vh_mask_from_bits(lo), px, vh_load_halves(p0, p0)));
	}
	if (hi == 15) {
		vh_store_hi(p1, px);
	} else if (hi) {
		vh_store_hi(p1, vh_select(vh_mask_from_bits(hi << 4), px, vh_load_halves(p1, p1)));
	}
}

/*
 * Runs the block for pairs of quads with live lanes, which are in lanes. The second quad of the
 * last pair may not exist: then it has no live lane and p1 is not touched.
 */
#define EACH_LIVE_PAIR(bytes, ...) \
	if (n_quads < BATCH_QUADS) { \
		live &= ((uint64_t)1 << 4 * n_quads) - 1; \
	} \
	for (unsigned q = 0; q < n_quads; q += 2) { \
		const unsigned lanes = (unsigned)(live >> 4 * q) & 255; \
		const unsigned q1 = q + 1 < n_quads ? q + 1 : q; \
		uint8_t *p0 = base + (size_t)quad_px[q] * (bytes); \
		uint8_t *p1 = base + (size_t)quad_px[q1] * (bytes); \
		const unsigned i = 4 * q; \
		if (lanes) { \
			__VA_ARGS__ \
		} \
	}

void VFN(frag_store_rgba8)(uint8_t *base, const uint32_t *quad_px, const uint16_t *const src[4],
		uint64_t live, unsigned n_quads) {
	EACH_LIVE_PAIR(4, {
		const vh abgr[4] = { vh_load(src[3] + i), vh_load(src[2] + i), vh_load(src[1] + i),
			vh_load(src[0] + i) };
		vi px[2];
		vh_zip_bytes4(abgr, px);
		store_quad4(p0, px[0], lanes & 15);
		store_quad4(p1, px[1], lanes >> 4);
	})
}

void VFN(frag_store_rgb8)(uint8_t *base, const uint32_t *quad_px, const uint16_t *const src[4],
		uint64_t live, unsigned n_quads) {
	EACH_LIVE_PAIR(3, {
		const vh bgr[4] = { vh_load(src[2] + i), vh_load(src[1] + i), vh_load(src[0] + i),
			vh_zero() };
		vi px[2];
		vh_zip_bytes4(bgr, px);
		store_quad3(p0, px[0], lanes & 15);
		store_quad3(p1, px[1], lanes >> 4);
	})
}

/* Bits mask of src moved to where they lie in the pixel. */
#define TOP(c, mask) vh_and(vh_load(src[c] + i), vh_set1(mask))

void VFN(frag_store_rgb5a1)(uint8_t *base, const uint32_t *quad_px, const uint16_t *const src[4],
		uint64_t live, unsigned n_quads) {
	EACH_LIVE_PAIR(2, {
		const vh rg = vh_or(vh_sll(TOP(0, 0xF8), 8), vh_sll(TOP(1, 0xF8), 3));
		const vh ba = vh_or(vh_srl(TOP(2, 0xF8), 2), vh_srl(TOP(3, 0x80), 7));
		store_pair2(p0, p1, vh_or(rg, ba), lanes);
	})
}

void VFN(frag_store_rgb565)(uint8_t *base, const uint32_t *quad_px, const uint16_t *const src[4],
		uint64_t live, unsigned n_quads) {
	EACH_LIVE_PAIR(2, {
		const vh rg = vh_or(vh_sll(TOP(0, 0xF8), 8), vh_sll(TOP(1, 0xFC), 3));
		store_pair2(p0, p1, vh_or(rg, vh_srl(TOP(2, 0xF8), 3)), lanes);
	})
}

void VFN(frag_store_rgba4)(uint8_t *base, const uint32_t *quad_px, const uint16_t *const src[4],
		uint64_t live, unsigned n_quads) {
	EACH_LIVE_PAIR(2, {
		const vh rg = vh_or(vh_sll(TOP(0, 0xF0), 8), vh_sll(TOP(1, 0xF0), 4));
		const vh ba = vh_or(TOP(2, 0xF0), vh_srl(TOP(3, 0xF0), 4));
		store_pair2(p0, p1, vh_or(rg, ba), lanes);
	})
}
