/*
 * Shadow maps, in vectors; see shadow_c.c.
 *
 * A quad at a time: turned to high byte first, a pixel is one number, depth << 8 | density. Lanes
 * that write nothing may divide by 0; their results are ignored.
 */
#include "core/vec/vec.h"
#include "pica/frag/kernels.h"

/* The density of a soft fragment. */
static inline vqi density(vqi z, vqi stored, vqi green, vqf constant, vqf linear) {
	const vqf x = vqf_div(vqf_from_vi(z), vqf_from_vi(stored));
	vqf v = vqf_div(vqf_from_vi(green), vqf_add(constant, vqf_mul(linear, x)));
	v = vqf_min(vqf_max(v, vqf_zero()), vqf_set1(255.0f));
	return vqi_from_vf_trunc(v);
}

void VFN(frag_shadow)(uint8_t *base, const uint32_t *quad_px, const uint32_t *z,
		const uint16_t *green, const struct frag_shadow_consts *c, uint64_t live,
		unsigned n_quads) {
	const vqf constant = vqf_set1(c->constant), linear = vqf_set1(c->linear);
	const vqi low = vqi_set1(255);
	for (unsigned q = 0; q < n_quads; q++) {
		const unsigned lanes = (unsigned)(live >> 4 * q) & 15;
		if (!lanes) {
			continue;
		}
		uint8_t *p = base + (size_t)quad_px[q] * 4;
		const vqi word = vqi_bswap(vqi_loadu(p));
		const vqi stored = vqi_srl(word, 8), old = vqi_and(word, low);
		const vqi incoming = vqi_load(z + 4 * q);
		const vqi s = vqi_load_u16(green + 4 * q);
		const vqi nearer = vqi_and(vqi_gt(stored, incoming), vqi_mask_from_bits(lanes));
		if (!vqi_movemask(nearer)) {
			continue;
		}
		const vqi hard = vqi_or(vqi_sll(incoming, 8), old);
		const vqi soft = vqi_or(vqi_andnot(low, word),
				vqi_min(density(incoming, stored, s, constant, linear), old));
		const vqi out = vqi_select(vqi_eq(s, vqi_zero()), hard, soft);
		vqi_storeu(p, vqi_bswap(vqi_select(nearer, out, word)));
	}
}
