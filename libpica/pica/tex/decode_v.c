/*
 * Tiles of each format, VH_LANES texels at a time: a tile is decoded in memory order (Z order,
 * core/base/morton.h) to 64 words on the stack, and put in rows at the end. ETC1 goes by its 4x4
 * blocks instead.
 */
#include "pica/tex/private.h"

#include <string.h>

#include "core/base/attributes.h"
#include "core/vec/vec.h"
#include "pica/regs/regs.h"

/* VH_LANES texels from planes of 0..255 to t. */
static inline void put(uint32_t *t, vh r, vh g, vh b, vh a) {
	const vh plane[4] = { r, g, b, a };
	vh_store_bytes4((uint8_t *)t, plane);
}

static inline vh expand4_vh(vh x) {
	return vh_or(x, vh_sll(x, 4));
}

static inline vh expand5_vh(vh x) {
	return vh_or(vh_sll(x, 3), vh_srl(x, 2));
}

static inline vh expand6_vh(vh x) {
	return vh_or(vh_sll(x, 2), vh_srl(x, 4));
}

/* Two quads side by side: 4 columns of 2 rows. */
static inline void put_quads(uint32_t *row, ptrdiff_t stride_px, vi left, vi right) {
	_Static_assert(VF_LANES == 4, "a vector is a quad here");
	vi_storeu(row, vi_pair_lo(left, right));
	vi_storeu(row + stride_px, vi_pair_hi(left, right));
}

/* 32 texels in Z order to 4 rows of 8. */
static inline void put_half(uint32_t *dst, ptrdiff_t stride_px, const uint32_t *t) {
	uint32_t *lower = dst + 2 * stride_px;
	put_quads(dst, stride_px, vi_load(t), vi_load(t + 4));
	put_quads(lower, stride_px, vi_load(t + 8), vi_load(t + 12));
	put_quads(dst + 4, stride_px, vi_load(t + 16), vi_load(t + 20));
	put_quads(lower + 4, stride_px, vi_load(t + 24), vi_load(t + 28));
}

static inline void put_rows(uint32_t *dst, ptrdiff_t stride_px, const uint32_t *t) {
	put_half(dst, stride_px, t);
	put_half(dst + 4 * stride_px, stride_px, t + 32);
}

/* x >> n & mask */
#define BITS(x, n, mask) vh_and(vh_srl((x), (n)), vh_set1(mask))

/* Bytes A B G R: each word turned round, and nothing to keep on the stack. */
static inline void decode_rgba8_quads(uint32_t *row, ptrdiff_t stride_px, const uint8_t *src) {
	put_quads(row, stride_px, vi_bswap(vi_loadu(src)), vi_bswap(vi_loadu(src + 16)));
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
	const vi opaque = vi_sll(vi_set1(255), 24);
	for (int i = 0; i < 64; i += VF_LANES) {
		vi rgb = vi_srl(vi_bswap(vi_load_px3(src + 3 * i)), 8);
		vi_store(t + i, vi_or(rgb, opaque));
	}
	put_rows(dst, stride_px, t);
}

static void decode_rgb5a1(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += VH_LANES) {
		vh w = vh_loadu(src + 2 * i);
		vh a = vh_srl(vh_sra(vh_sll(w, 15), 15), 8); /* all ones, of which 8 stay */
		put(t + i, expand5_vh(vh_srl(w, 11)), expand5_vh(BITS(w, 6, 31)),
				expand5_vh(BITS(w, 1, 31)), a);
	}
	put_rows(dst, stride_px, t);
}

static void decode_rgb565(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += VH_LANES) {
		vh w = vh_loadu(src + 2 * i);
		put(t + i, expand5_vh(vh_srl(w, 11)), expand6_vh(BITS(w, 5, 63)),
				expand5_vh(vh_and(w, vh_set1(31))), vh_set1(255));
	}
	put_rows(dst, stride_px, t);
}

static void decode_rgba4(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += VH_LANES) {
		vh w = vh_loadu(src + 2 * i);
		put(t + i, expand4_vh(vh_srl(w, 12)), expand4_vh(BITS(w, 8, 15)),
				expand4_vh(BITS(w, 4, 15)), expand4_vh(vh_and(w, vh_set1(15))));
	}
	put_rows(dst, stride_px, t);
}

static void decode_ia8(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += VH_LANES) {
		vh w = vh_loadu(src + 2 * i);
		vh intensity = vh_srl(w, 8);
		put(t + i, intensity, intensity, intensity, vh_and(w, vh_set1(255)));
	}
	put_rows(dst, stride_px, t);
}

static void decode_hilo8(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += VH_LANES) {
		vh w = vh_loadu(src + 2 * i);
		put(t + i, vh_srl(w, 8), vh_and(w, vh_set1(255)), vh_zero(), vh_set1(255));
	}
	put_rows(dst, stride_px, t);
}

/* Formats of one byte: fn(texels, VH_LANES bytes widened) for each VH_LANES texels. */
static inline void decode_bytes(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src,
		void (*fn)(uint32_t *, vh)) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += VB_LANES) {
		vb bytes = vb_loadu(src + i);
		fn(t + i, vh_widen_lo_u(bytes));
		fn(t + i + VH_LANES, vh_widen_hi_u(bytes));
	}
	put_rows(dst, stride_px, t);
}

/* Formats of half a byte, expanded to 0..255, likewise. */
static inline void decode_nibbles(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src,
		void (*fn)(uint32_t *, vh)) {
	PICA_ALIGNED(64) uint32_t t[64];
	for (int i = 0; i < 64; i += 2 * VB_LANES) {
		vb bytes = vb_loadu(src + i / 2);
		const vh half[2] = { vh_widen_lo_u(bytes), vh_widen_hi_u(bytes) };
		for (int k = 0; k < 2; k++) {
			vh even = expand4_vh(vh_and(half[k], vh_set1(15)));
			vh odd = expand4_vh(vh_srl(half[k], 4));
			fn(t + i + 2 * k * VH_LANES, vh_zip_lo(even, odd));
			fn(t + i + (2 * k + 1) * VH_LANES, vh_zip_hi(even, odd));
		}
	}
	put_rows(dst, stride_px, t);
}

static inline void put_intensity(uint32_t *t, vh x) {
	put(t, x, x, x, vh_set1(255));
}

static inline void put_alpha(uint32_t *t, vh x) {
	put(t, vh_zero(), vh_zero(), vh_zero(), x);
}

static inline void put_ia4(uint32_t *t, vh x) {
	vh intensity = expand4_vh(vh_srl(x, 4));
	put(t, intensity, intensity, intensity, expand4_vh(vh_and(x, vh_set1(15))));
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

	for (int i = 0; i < 16; i += VH_LANES) {
		const vh half = vh_mask_from_bits(second >> i);
		const vh sign = vh_mask_from_bits(negative >> i);
		vh small = vh_select(half, vh_set1(table2[0]), vh_set1(table1[0]));
		vh large = vh_select(half, vh_set1(table2[1]), vh_set1(table1[1]));
		vh modifier = vh_select(vh_mask_from_bits(select >> i), large, small);
		modifier = vh_sub(vh_xor(modifier, sign), sign);
		vh plane[3];
		for (int c = 0; c < 3; c++) {
			vh base = vh_select(half, vh_set1(second_base[c]), vh_set1(first_base[c]));
			vh sum = vh_add(base, modifier);
			plane[c] = vh_max_s(vh_min_s(sum, vh_set1(255)), vh_zero());
		}
		put(t + i, plane[0], plane[1], plane[2], vh_loadu(alpha + i));
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
	for (int i = 0; i < 16; i += VH_LANES) {
		vh_store(alpha + i, vh_set1(255));
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
	PICA_ALIGNED(64) uint16_t alpha[4 * VH_LANES];
	PICA_ALIGNED(64) uint64_t nibbles[VB_LANES / 8] = { 0 };
	for (int block = 0; block < 4; block++) {
		uint64_t word;
		memcpy(&word, src + 16 * block, sizeof(word));
		nibbles[0] = transpose_nibbles(word);
		vh bytes = vh_widen_lo_u(vb_loadu(nibbles));
		vh even = expand4_vh(vh_and(bytes, vh_set1(15)));
		vh odd = expand4_vh(vh_srl(bytes, 4));
		vh_store(alpha, vh_zip_lo(even, odd));
		vh_store(alpha + VH_LANES, vh_zip_hi(even, odd));
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
