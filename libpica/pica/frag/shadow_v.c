/*
 * Shadow maps, in vectors. shadow_c.c says what and why.
 *
 * A quad at a time: turned to high byte first, a pixel is one number, depth << 8 | density. Lanes
 * that write nothing divide by 0 or worse; their results are not looked at.
 */
#include "core/vec/vec.h"
#include "pica/frag/kernels.h"

_Static_assert(VF_LANES == 4, "a vector of 32-bit lanes is one quad");

/* The density that a soft fragment asks for. */
static inline vi density(vi z, vi stored, vi green, vf constant, vf linear) {
	const vf x = vf_div(vf_from_vi(z), vf_from_vi(stored));
	vf v = vf_div(vf_from_vi(green), vf_add(constant, vf_mul(linear, x)));
	v = vf_min(vf_max(v, vf_zero()), vf_set1(255.0f));
	return vi_from_vf_trunc(v);
}

void VFN(frag_shadow)(uint8_t *base, const uint32_t *quad_px, const uint32_t *z,
		const uint16_t *green, const struct frag_shadow_consts *c, uint64_t live,
		unsigned n_quads) {
	const vf constant = vf_set1(c->constant), linear = vf_set1(c->linear);
	const vi low = vi_set1(255);
	for (unsigned q = 0; q < n_quads; q++) {
		const unsigned lanes = (unsigned)(live >> 4 * q) & 15;
		if (!lanes) {
			continue;
		}
		uint8_t *p = base + (size_t)quad_px[q] * 4;
		const vi word = vi_bswap(vi_loadu(p));
		const vi stored = vi_srl(word, 8), old = vi_and(word, low);
		const vi incoming = vi_load(z + 4 * q);
		const vi s = vi_load_px2(green + 4 * q);
		const vi nearer = vi_and(vi_gt(stored, incoming), vi_mask_from_bits(lanes));
		if (!vi_movemask(nearer)) {
			continue;
		}
		const vi hard = vi_or(vi_sll(incoming, 8), old);
		const vi soft = vi_or(vi_andnot(low, word),
				vi_min(density(incoming, stored, s, constant, linear), old));
		const vi out = vi_select(vi_eq(s, vi_zero()), hard, soft);
		vi_storeu(p, vi_bswap(vi_select(nearer, out, word)));
	}
}
