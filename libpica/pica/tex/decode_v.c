/*
 * Tiles of each format, VQH_LANES texels at a time: a tile is decoded in memory order (Z order,
 * core/base/morton.h) to 64 words on the stack, and put in rows at the end. ETC1 goes by its 4x4
 * blocks instead.
 */
#include "pica/tex/vector.h"

#include <string.h>

#include "core/base/attributes.h"
#include "pica/regs/regs.h"

/* VQH_LANES texels from planes of 0..255 to t. */
static inline void put(uint32_t *t, vqh r, vqh g, vqh b, vqh a) {
	const vqh plane[4] = { r, g, b, a };
	vqh_store_bytes4((uint8_t *)t, plane);
}

static inline vqh expand4_vh(vqh x) {
	return vqh_or(x, vqh_sll(x, 4));
}

static inline vqh expand5_vh(vqh x) {
	return vqh_or(vqh_sll(x, 3), vqh_srl(x, 2));
}

static inline vqh expand6_vh(vqh x) {
	return vqh_or(vqh_sll(x, 2), vqh_srl(x, 4));
}

/* Two quads side by side: 4 columns of 2 rows. */
static inline void put_quads(uint32_t *row, ptrdiff_t stride_px, vqi left, vqi right) {
	vqi_storeu(row, vqi_pair_lo(left, right));
	vqi_storeu(row + stride_px, vqi_pair_hi(left, right));
}

/* 32 texels in Z order to 4 rows of 8. */
static inline void put_half(uint32_t *dst, ptrdiff_t stride_px, const uint32_t *t) {
	uint32_t *lower = dst + 2 * stride_px;
	put_quads(dst, stride_px, vqi_load(t), vqi_load(t + 4));
	put_quads(lower, stride_px, vqi_load(t + 8), vqi_load(t + 12));
	put_quads(dst + 4, stride_px, vqi_load(t + 16), vqi_load(t + 20));
	put_quads(lower + 4, stride_px, vqi_load(t + 24), vqi_load(t + 28));
}

static inline void put_rows(uint32_t *dst, ptrdiff_t stride_px, const uint32_t *t) {
	put_half(dst, stride_px, t);
	put_half(dst + 4 * stride_px, stride_px, t + 32);
}

/* x >> n & mask */
#define BITS(x, n, mask) vqh_and(vqh_srl((x), (n)), vqh_set1(mask))

/* Bytes A B G R: reverses each word, directly into the rows. */
static inline void decode_rgba8_quads(uint32_t *row, ptrdiff_t stride_px, const uint8_t *src) {
	put_quads(row, stride_px, vqi_bswap(vqi_loadu(src)), vqi_bswap(vqi_loadu(src + 16)));
}

static void decode_rgba8(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	for (int half = 0; half < 2; half++) {
		uint32_t *lower = dst + 2 * stride_px;
		decode_rgba8_quads(dst, stride_px, src);
		decode_rgba8_quads(lower, stride_px, src + 32);
		decode_rgba8_quads(dst + 4, stride_px, src + 64);
		decode_rgba8_quads(lower + 4, stride_px, src + 96);
		dst += 4 * stride_px;
		src += 128;
	}
}

static void decode_rgb8(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[64];
	const vqi opaque = vqi_sll(vqi_set1(255), 24);
	for (int i = 0; i < 64; i += VQ_LANES) {
		vqi rgb = vqi_srl(vqi_bswap(vqi_load_px3(src + 3 * i)), 8);
		vqi_store(t + i, vqi_or(rgb, opaque));
	}
	put_rows(dst, stride_px, t);
}

static void decode_rgb5a1(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += VQH_LANES) {
		vqh w = vqh_loadu(src + 2 * i);
		vqh a = vqh_srl(vqh_sra(vqh_sll(w, 15), 15), 8); /* all ones, of which 8 stay */
		put(t + i, expand5_vh(vqh_srl(w, 11)), expand5_vh(BITS(w, 6, 31)),
				expand5_vh(BITS(w, 1, 31)), a);
	}
	put_rows(dst, stride_px, t);
}

static void decode_rgb565(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += VQH_LANES) {
		vqh w = vqh_loadu(src + 2 * i);
		put(t + i, expand5_vh(vqh_srl(w, 11)), expand6_vh(BITS(w, 5, 63)),
				expand5_vh(vqh_and(w, vqh_set1(31))), vqh_set1(255));
	}
	put_rows(dst, stride_px, t);
}

static void decode_rgba4(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += VQH_LANES) {
		vqh w = vqh_loadu(src + 2 * i);
		put(t + i, expand4_vh(vqh_srl(w, 12)), expand4_vh(BITS(w, 8, 15)),
				expand4_vh(BITS(w, 4, 15)), expand4_vh(vqh_and(w, vqh_set1(15))));
	}
	put_rows(dst, stride_px, t);
}

static void decode_ia8(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += VQH_LANES) {
		vqh w = vqh_loadu(src + 2 * i);
		vqh intensity = vqh_srl(w, 8);
		put(t + i, intensity, intensity, intensity, vqh_and(w, vqh_set1(255)));
	}
	put_rows(dst, stride_px, t);
}

static void decode_hilo8(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += VQH_LANES) {
		vqh w = vqh_loadu(src + 2 * i);
		put(t + i, vqh_srl(w, 8), vqh_and(w, vqh_set1(255)), vqh_zero(), vqh_set1(255));
	}
	put_rows(dst, stride_px, t);
}

/* Formats of one byte: fn(texels, VQH_LANES bytes widened) for each VQH_LANES texels. */
static inline void decode_bytes(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src,
		void (*fn)(uint32_t *, vqh)) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += VQB_LANES) {
		vqb bytes = vqb_loadu(src + i);
		fn(t + i, vqh_widen_lo_u(bytes));
		fn(t + i + VQH_LANES, vqh_widen_hi_u(bytes));
	}
	put_rows(dst, stride_px, t);
}

/* Formats of half a byte, expanded to 0..255, likewise. */
static inline void decode_nibbles(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src,
		void (*fn)(uint32_t *, vqh)) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += 2 * VQB_LANES) {
		vqb bytes = vqb_loadu(src + i / 2);
		const vqh half[2] = { vqh_widen_lo_u(bytes), vqh_widen_hi_u(bytes) };
		for (int k = 0; k < 2; k++) {
			vqh even = expand4_vh(vqh_and(half[k], vqh_set1(15)));
			vqh odd = expand4_vh(vqh_srl(half[k], 4));
			fn(t + i + 2 * k * VQH_LANES, vqh_zip_lo(even, odd));
			fn(t + i + (2 * k + 1) * VQH_LANES, vqh_zip_hi(even, odd));
		}
	}
	put_rows(dst, stride_px, t);
}

static inline void put_intensity(uint32_t *t, vqh x) {
	put(t, x, x, x, vqh_set1(255));
}

static inline void put_alpha(uint32_t *t, vqh x) {
	put(t, vqh_zero(), vqh_zero(), vqh_zero(), x);
}

static inline void put_ia4(uint32_t *t, vqh x) {
	vqh intensity = expand4_vh(vqh_srl(x, 4));
	put(t, intensity, intensity, intensity, expand4_vh(vqh_and(x, vqh_set1(15))));
}

static void decode_i8(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	decode_bytes(dst, stride_px, src, put_intensity);
}

static void decode_a8(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	decode_bytes(dst, stride_px, src, put_alpha);
}

static void decode_ia4(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	decode_bytes(dst, stride_px, src, put_ia4);
}

static void decode_i4(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	decode_nibbles(dst, stride_px, src, put_intensity);
}

static void decode_a4(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	decode_nibbles(dst, stride_px, src, put_alpha);
}

/*
 * ETC1. The words of a block count texels column by column (k = x*4 + y); their bits and nibbles
 * are transposed first, so that lane i of a block is texel i of its rows (i = y*4 + x).
 */
static inline unsigned transpose_bits(unsigned x) {
	unsigned t = (x ^ x >> 3) & 0x0A0A;
	x ^= t ^ t << 3;
	t = (x ^ x >> 6) & 0x00CC;
	return x ^ t ^ t << 6;
}

static inline uint64_t transpose_nibbles(uint64_t x) {
	uint64_t t = (x ^ x >> 12) & 0x0000F0F00000F0F0;
	x ^= t ^ t << 12;
	t = (x ^ x >> 24) & 0x00000000FF00FF00;
	return x ^ t ^ t << 24;
}

/* Modifiers of a table, for select bit 0 and 1.  [fidelity: etc1] */
static const uint8_t etc1_table[8][2] = {
	{ 2, 8 }, { 5, 17 }, { 9, 29 }, { 13, 42 },
	{ 18, 60 }, { 24, 80 }, { 33, 106 }, { 47, 183 },
};

/* The 16 texels of a colour word in rows; alpha: a lane each. */
static inline void decode_block(uint32_t *t, uint64_t word, const uint16_t *alpha) {
	const unsigned select = transpose_bits((unsigned)(word & 0xFFFF));
	const unsigned negative = transpose_bits((unsigned)(word >> 16 & 0xFFFF));
	const unsigned second = word >> 32 & 1 ? 0xFF00 : 0xCCCC; /* rows 2, 3, or columns 2, 3 */
	const uint8_t *table1 = etc1_table[word >> 37 & 7], *table2 = etc1_table[word >> 34 & 7];

	int first_base[3], second_base[3];
	for (int c = 0; c < 3; c++) {
		unsigned byte = (unsigned)(word >> (56 - 8 * c)) & 255;
		if (word >> 33 & 1) { /* differential: 5 bits and 3 signed bits, modulo 32 */
			unsigned b1 = byte >> 3, b2 = (b1 + (byte & 7) - (byte << 1 & 8)) & 31;
			first_base[c] = (int)(b1 << 3 | b1 >> 2);
			second_base[c] = (int)(b2 << 3 | b2 >> 2);
		} else {
			first_base[c] = (int)(byte >> 4) * 17;
			second_base[c] = (int)(byte & 15) * 17;
		}
	}

	for (int i = 0; i < 16; i += VQH_LANES) {
		const vqh half = vqh_mask_from_bits(second >> i);
		const vqh sign = vqh_mask_from_bits(negative >> i);
		vqh small = vqh_select(half, vqh_set1(table2[0]), vqh_set1(table1[0]));
		vqh large = vqh_select(half, vqh_set1(table2[1]), vqh_set1(table1[1]));
		vqh modifier = vqh_select(vqh_mask_from_bits(select >> i), large, small);
		modifier = vqh_sub(vqh_xor(modifier, sign), sign);
		vqh plane[3];
		for (int c = 0; c < 3; c++) {
			vqh first = vqh_set1(first_base[c]);
			vqh base = vqh_select(half, vqh_set1(second_base[c]), first);
			vqh sum = vqh_add(base, modifier);
			plane[c] = vqh_max_s(vqh_min_s(sum, vqh_set1(255)), vqh_zero());
		}
		put(t + i, plane[0], plane[1], plane[2], vqh_loadu(alpha + i));
	}
}

/* The 4x4 block's place in the tile: blocks 0 1 above 2 3. */
static inline void put_block(uint32_t *dst, ptrdiff_t stride_px, int block, const uint32_t *t) {
	uint32_t *to = dst + (block >> 1) * 4 * stride_px + (block & 1) * 4;
	for (int y = 0; y < 4; y++) {
		memcpy(to + y * stride_px, t + 4 * y, 4 * sizeof(*t));
	}
}

static void decode_etc1(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[16];
	PICA_ALIGNED(64) uint16_t alpha[16];
	for (int i = 0; i < 16; i += VQH_LANES) {
		vqh_store(alpha + i, vqh_set1(255));
	}
	for (int block = 0; block < 4; block++) {
		uint64_t word;
		memcpy(&word, src + 8 * block, sizeof(word));
		decode_block(t, word, alpha);
		put_block(dst, stride_px, block, t);
	}
}

static void decode_etc1a4(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[16];
	PICA_ALIGNED(64) uint16_t alpha[4 * VQH_LANES];
	PICA_ALIGNED(64) uint64_t nibbles[VQB_LANES / 8] = { 0 };
	for (int block = 0; block < 4; block++) {
		uint64_t word;
		memcpy(&word, src + 16 * block, sizeof(word));
		nibbles[0] = transpose_nibbles(word);
		vqh bytes = vqh_widen_lo_u(vqb_loadu(nibbles));
		vqh even = expand4_vh(vqh_and(bytes, vqh_set1(15)));
		vqh odd = expand4_vh(vqh_srl(bytes, 4));
		vqh_store(alpha, vqh_zip_lo(even, odd));
		vqh_store(alpha + VQH_LANES, vqh_zip_hi(even, odd));
		memcpy(&word, src + 16 * block + 8, sizeof(word));
		decode_block(t, word, alpha);
		put_block(dst, stride_px, block, t);
	}
}

void VFN(tex_kernels_init)(struct tex_kernels *k) {
#define TEX_FORMAT(id, name, bits) k->decode[id] = decode_##name;
#include "pica/tex/formats.def"
#undef TEX_FORMAT
	VFN(tex_sample_kernels_init)(k);
	VFN(tex_sample_w_kernels_init)(k);
}
