/*
 * The vector vocabulary. A `*_v.c` file includes this header and is compiled once per instruction
 * set, with -DVEC_NAME (the set's suffix) and -DVEC_HEADER (its header); VFN(name) appends the
 * suffix to names with external linkage.
 *
 * Each word exists in two widths, with exceptions below:
 *
 *     v..   as wide as the set: VF_LANES lanes of 32 bits (4, 8 or 16). For kernels that work on
 *           planes: set-up, interpolation, shader, combiner, light, blending, alpha and depth.
 *     vq..  one quad, 128 bits, in every set. For kernels that follow the layout of memory: texel
 *           decoding, pixels and depths of quads, copies, rows of a screen.
 *
 *     vf vqf   VF_LANES or 4 binary32          vh vqh   VH_LANES or 8 integers of 16 bits
 *     vi vqi   VF_LANES or 4 int32             vb vqb   VB_LANES or 16 bytes
 *
 * Lane 0 is at the lowest address. A mask has all ones or all zeros in each lane. A group is four
 * lanes of 32 bits or eight of 16, counted from lane 0. Every word gives the same bits in each
 * header. _s and _u: signed and unsigned. The words, without their prefix:
 *
 *   f_ i_ h_ zero, set1(x)   every lane 0, x
 *   f_ i_ h_ load, store     p aligned to the vector's size, up to 64 bytes
 *   f_ i_ h_ b_ loadu, storeu   any p
 *   f_ add sub mul div sqrt  IEEE 754, to nearest even, never contracted
 *   f_min(a,b), f_max(a,b)   a < b ? a : b, a > b ? a : b; b if either is NaN
 *   f_abs neg floor trunc    sign cleared, sign flipped, rounded down, toward zero
 *   f_lt le gt ge eq neq     masks; false with NaN, except that neq is true
 *   i_as_vf_bits, f_as_vi_bits   the same bits
 *   i_from_vf_trunc          toward zero; INT32_MIN for lanes outside int32
 *   f_from_vi                to nearest even
 *   i_ h_ add sub, i_mul h_mul   modulo the lane
 *   f_ i_ h_ and xor, i_ h_ or, f_ i_ h_ andnot   andnot(a,b) = ~a & b
 *   i_ h_ sll srl sra(a,n)   n less than the width of a lane
 *   i_eq i_gt h_eq h_gt_s    masks; i_gt is signed
 *   i_min i_max, h_ min_s min_u max_s max_u   the smaller, the larger
 *   f_ i_ h_ select(m,a,b)   m ? a : b; m is a mask
 *   i_ h_ b_ movemask        bit k: the top bit of lane k
 *   i_ h_ mask_from_bits(b)  lane k: all ones if bit k is set
 *   h_adds_u h_subs_u        saturating
 *   h_mulhi_u                the upper 16 bits of the product
 *   h_pack_u h_pack_s(a,b)   int32 to 16 bits, saturating: lanes of a, then b
 *   b_pack_u b_pack_s(a,b)   signed 16 bits to bytes, saturating: lanes of a, then b
 *   i_ widen_lo_u lo_s hi_u hi_s   the lower or upper half of the 16-bit lanes, extended
 *   i_madd_s(a,b)            a0*b0 + a1*b1 of each pair of 16-bit lanes
 *   h_zip_lo h_zip_hi(a,b)   in each group a0 b0 a1 b1 .. of the lower or upper half
 *   h_pack_zipped(lo,hi)     like h_pack_u, but in each group lo, then hi: undoes the zips
 *   h_zip_upper(a,b)         the upper 16 bits of a0 b0 a1 b1 ..
 *   h_madd_bytes_us(a,b)     a_low*b_low + a_high*b_high, a unsigned, b signed bytes; saturating
 *   h_spread4(a,i)           in each group lanes 2i and 2i+1, four times each; i = 0..3
 *   h_spread_pairs4(a,i)     in each group lanes 2i and 2i+1 four times
 *   h_transpose_pairs4       in each group pair j of in[i] becomes pair i of out[j]
 *   i_load_u16(p)            16-bit values, any p
 *   i_load_words(p,off,n)    the n (1..4) bytes at p + off[k], little-endian
 *   f_load_rows(p,off,n,out) lane k of out[c], c < n: binary32 c at p + off[k]; n 1..4
 *   f_store_rows4(p,stride,in,n)   in[0..3] of lane k < n to four words at p + k*stride; n > 0
 *   h_load_bytes4 store_bytes4(p,in)   byte c of pixel k (32 bits) in memory is lane k of in[c];
 *                            any p; a lane above 255 corrupts only its own pixel
 *   h_gather_bytes4(base,index,out)   byte c of base[index[k]] to lane k of out[c]
 *
 * Quads only:
 *   i_bswap                  bytes of each lane reversed
 *   i_pair_lo i_pair_hi      a0 a1 b0 b1, a2 a3 b2 b3
 *   i_zip_lo                 a0 b0 a1 b1
 *   h_widen_lo_u hi_u        the lower or upper eight bytes
 *   i_load_px3 store_px3     four values of 3 bytes each; accesses exactly 12 bytes
 *   i_store_u16              the low 16 bits of each lane
 *   h_load_halves(p0,p1)     four lanes from p0, four from p1
 *   h_store_lo h_store_hi    the lower or upper four lanes
 *   h_unzip_bytes4(a,b,out)  byte c of the 32-bit lanes of a, then b, to out[c]
 *   h_zip_bytes4(in,out)     the reverse; a lane above 255 corrupts only its own pixel
 *
 * Wide vectors only. n is the number of valid lanes, a multiple of 4 and not 0; it may exceed
 * VF_LANES:
 *   f_load_part loadu_part   lanes below n, the others 0; f_load_part: p aligned to 16 bytes
 *   f_ store_part storeu_part, i_ store_part store_u16_part   only lanes below n
 *   i_first(n)               a mask of the lanes below n
 *   f_load_quads(p,stride)   lane k is p[k/4 * stride]
 *   f_gather4 gather2(base,index,out)   number c of record index[k], of 4 or 2 floats each
 *   h_gather_pairs4(base,index)   group g, lane k: byte k%4 of word index[8g + k/4] in the lower
 *                            half of the lane, and of the next word in the upper half
 */
#ifndef VEC_VEC_H
#define VEC_VEC_H

#include <stdint.h>
#include <string.h>

#define VEC_PASTE2(a, b) a##_##b
#define VEC_PASTE(a, b) VEC_PASTE2(a, b)
#define VFN(name) VEC_PASTE(name, VEC_NAME)

#include VEC_HEADER

enum {
	VQ_LANES = 4,
	VQH_LANES = 8,
	VQB_LANES = 16,
	VH_LANES = 2 * VF_LANES,
	VB_LANES = 4 * VF_LANES,
};

#endif
