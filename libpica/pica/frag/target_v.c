/*
 * Pixels of the colour buffer <-> planes of 8 bits, in vectors; see target_c.c.
 *
 * Two quads at a time fill a vector of 16-bit lanes; each is loaded and stored separately, since
 * quads of a packed batch are scattered. A partly live quad is read, mixed and written back: its
 * four pixels belong to this batch alone, while adjacent bytes may belong to another thread.
 */
#include "pica/frag/vector.h"

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
		vqh abgr[4];
		vqh_unzip_bytes4(vqi_loadu(p0), vqi_loadu(p1), abgr);
		for (unsigned k = 0; k < 4; k++) {
			vqh_store(out + k * BATCH, abgr[3 - k]);
		}
	})
}

void VFN(frag_load_rgb8)(uint16_t *dst, const uint8_t *base, const uint32_t *quad_px,
		unsigned n_quads) {
	EACH_PAIR(3, {
		vqh bgr[4];
		vqh_unzip_bytes4(vqi_load_px3(p0), vqi_load_px3(p1), bgr);
		for (unsigned k = 0; k < 3; k++) {
			vqh_store(out + k * BATCH, bgr[2 - k]);
		}
		vqh_store(out + 3 * BATCH, vqh_set1(255));
	})
}

void VFN(frag_load_block)(uint16_t *dst, const uint8_t *pixels) {
	for (unsigned i = 0; i < BATCH; i += VH_LANES) {
		vh abgr[4];
		vh_load_bytes4(pixels + 4 * i, abgr);
		for (unsigned k = 0; k < 4; k++) {
			vh_store(dst + k * BATCH + i, abgr[3 - k]);
		}
	}
}

/* v is in the top n bits of eight, above zeros: fills these with the top bits. */
static inline vqh expand5(vqh top) {
	return vqh_or(top, vqh_srl(top, 5));
}

static inline vqh expand4(vqh top) {
	return vqh_or(top, vqh_srl(top, 4));
}

void VFN(frag_load_rgb5a1)(uint16_t *dst, const uint8_t *base, const uint32_t *quad_px,
		unsigned n_quads) {
	const vqh top5 = vqh_set1(0xF8);
	EACH_PAIR(2, {
		const vqh w = vqh_load_halves(p0, p1);
		vqh_store(out, expand5(vqh_and(vqh_srl(w, 8), top5)));
		vqh_store(out + BATCH, expand5(vqh_and(vqh_srl(w, 3), top5)));
		vqh_store(out + 2 * BATCH, expand5(vqh_and(vqh_sll(w, 2), top5)));
		vqh_store(out + 3 * BATCH, vqh_srl(vqh_sra(vqh_sll(w, 15), 7), 8));
	})
}

void VFN(frag_load_rgb565)(uint16_t *dst, const uint8_t *base, const uint32_t *quad_px,
		unsigned n_quads) {
	const vqh top5 = vqh_set1(0xF8);
	const vqh top6 = vqh_set1(0xFC);
	EACH_PAIR(2, {
		const vqh w = vqh_load_halves(p0, p1);
		const vqh g = vqh_and(vqh_srl(w, 3), top6);
		vqh_store(out, expand5(vqh_and(vqh_srl(w, 8), top5)));
		vqh_store(out + BATCH, vqh_or(g, vqh_srl(g, 6)));
		vqh_store(out + 2 * BATCH, expand5(vqh_and(vqh_sll(w, 3), top5)));
		vqh_store(out + 3 * BATCH, vqh_set1(255));
	})
}

void VFN(frag_load_rgba4)(uint16_t *dst, const uint8_t *base, const uint32_t *quad_px,
		unsigned n_quads) {
	const vqh top4 = vqh_set1(0xF0);
	EACH_PAIR(2, {
		const vqh w = vqh_load_halves(p0, p1);
		vqh_store(out, expand4(vqh_and(vqh_srl(w, 8), top4)));
		vqh_store(out + BATCH, expand4(vqh_and(vqh_srl(w, 4), top4)));
		vqh_store(out + 2 * BATCH, expand4(vqh_and(w, top4)));
		vqh_store(out + 3 * BATCH, expand4(vqh_and(vqh_sll(w, 4), top4)));
	})
}

/* Always mixes: a branch on the lanes would be unpredictable. */
static inline void store_quad4(uint8_t *p, vqi px, unsigned lanes) {
	vqi_storeu(p, vqi_select(vqi_mask_from_bits(lanes), px, vqi_loadu(p)));
}

static inline void store_quad3(uint8_t *p, vqi px, unsigned lanes) {
	if (lanes == 15) {
		vqi_store_px3(p, px);
	} else if (lanes) {
		vqi_store_px3(p, vqi_select(vqi_mask_from_bits(lanes), px, vqi_load_px3(p)));
	}
}

/* Two quads of 16-bit pixels, one after the other. */
static inline void store_pair2(uint8_t *p0, uint8_t *p1, vqh px, unsigned lanes) {
	const unsigned lo = lanes & 15, hi = lanes >> 4;
	if (lo == 15) {
		vqh_store_lo(p0, px);
	} else if (lo) {
		vqh_store_lo(p0, vqh_select(vqh_mask_from_bits(lo), px, vqh_load_halves(p0, p0)));
	}
	if (hi == 15) {
		vqh_store_hi(p1, px);
	} else if (hi) {
		const vqh mask = vqh_mask_from_bits(hi << 4);
		vqh_store_hi(p1, vqh_select(mask, px, vqh_load_halves(p1, p1)));
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
	if (is_whole_block(quad_px, live)) { \
		base += (size_t)quad_px[0] * (bytes); \
		for (unsigned i = 0; i < BATCH; i += 8) { \
			const unsigned lanes = 255; \
			uint8_t *p0 = base + i * (bytes), *p1 = p0 + 4 * (bytes); \
			__VA_ARGS__ \
		} \
		return; \
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
		const vqh abgr[4] = { vqh_load(src[3] + i), vqh_load(src[2] + i),
			vqh_load(src[1] + i), vqh_load(src[0] + i) };
		vqi px[2];
		vqh_zip_bytes4(abgr, px);
		store_quad4(p0, px[0], lanes & 15);
		store_quad4(p1, px[1], lanes >> 4);
	})
}

static inline void store_block(uint8_t *pixels, const uint16_t *const src[4]) {
	const uint16_t *r = src[0], *g = src[1], *b = src[2], *a = src[3];
	for (unsigned i = 0; i < BATCH; i += VH_LANES) {
		const vh abgr[4] = { vh_load(a + i), vh_load(b + i), vh_load(g + i),
			vh_load(r + i) };
		vh_store_bytes4(pixels + 4 * i, abgr);
	}
}

void VFN(frag_store_block)(uint8_t *pixels, const uint16_t *const src[4], uint64_t live) {
	if (!~live) {
		store_block(pixels, src);
		return;
	}
	PICA_ALIGNED(64) uint8_t block[4 * BATCH];
	store_block(block, src);
	for (unsigned i = 0; i < BATCH; i += VF_LANES) {
		const vi mask = vi_mask_from_bits((unsigned)(live >> i));
		const vi px = vi_load(block + 4 * i), old = vi_loadu(pixels + 4 * i);
		vi_storeu(pixels + 4 * i, vi_select(mask, px, old));
	}
}

void VFN(frag_store_rgb8)(uint8_t *base, const uint32_t *quad_px, const uint16_t *const src[4],
		uint64_t live, unsigned n_quads) {
	EACH_LIVE_PAIR(3, {
		const vqh bgr[4] = { vqh_load(src[2] + i), vqh_load(src[1] + i),
			vqh_load(src[0] + i), vqh_zero() };
		vqi px[2];
		vqh_zip_bytes4(bgr, px);
		store_quad3(p0, px[0], lanes & 15);
		store_quad3(p1, px[1], lanes >> 4);
	})
}

/* Bits `mask` of src, moved to their position in the pixel. */
#define TOP(c, mask) vqh_and(vqh_load(src[c] + i), vqh_set1(mask))

void VFN(frag_store_rgb5a1)(uint8_t *base, const uint32_t *quad_px, const uint16_t *const src[4],
		uint64_t live, unsigned n_quads) {
	EACH_LIVE_PAIR(2, {
		const vqh rg = vqh_or(vqh_sll(TOP(0, 0xF8), 8), vqh_sll(TOP(1, 0xF8), 3));
		const vqh ba = vqh_or(vqh_srl(TOP(2, 0xF8), 2), vqh_srl(TOP(3, 0x80), 7));
		store_pair2(p0, p1, vqh_or(rg, ba), lanes);
	})
}

void VFN(frag_store_rgb565)(uint8_t *base, const uint32_t *quad_px, const uint16_t *const src[4],
		uint64_t live, unsigned n_quads) {
	EACH_LIVE_PAIR(2, {
		const vqh rg = vqh_or(vqh_sll(TOP(0, 0xF8), 8), vqh_sll(TOP(1, 0xFC), 3));
		store_pair2(p0, p1, vqh_or(rg, vqh_srl(TOP(2, 0xF8), 3)), lanes);
	})
}

void VFN(frag_store_rgba4)(uint8_t *base, const uint32_t *quad_px, const uint16_t *const src[4],
		uint64_t live, unsigned n_quads) {
	EACH_LIVE_PAIR(2, {
		const vqh rg = vqh_or(vqh_sll(TOP(0, 0xF0), 8), vqh_sll(TOP(1, 0xF0), 4));
		const vqh ba = vqh_or(TOP(2, 0xF0), vqh_srl(TOP(3, 0xF0), 4));
		store_pair2(p0, p1, vqh_or(rg, ba), lanes);
	})
}
