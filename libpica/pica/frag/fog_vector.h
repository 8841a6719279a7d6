/* Private to the room: the fog table in vectors, used by fog and gas. See fog.h. */
#ifndef FRAG_FOG_VECTOR_H
#define FRAG_FOG_VECTOR_H

#include "core/vec/vec.h"
#include "pica/frag/effects.h"

/* As frag_fog_factor(). */
static inline vi fog_factor(const struct frag_fog_consts *fog, vf place) {
	const vf one_below = vf_set1(FRAG_FOG_ENTRIES - 1);
	vf x = vf_add(vf_set1(fog->offset), vf_mul(place, vf_set1(fog->scale)));
	x = vf_min(vf_max(x, vf_zero()), vf_set1(FRAG_FOG_ENTRIES));
	const vi i = vi_from_vf_trunc(vf_min(x, one_below));
	const vf f = vf_sub(x, vf_from_vi(i));
	uint32_t at[VF_LANES];
	vi_storeu(at, vi_sll(i, 2));
	const vi word = vi_load_words((const uint8_t *)fog->table, at, 4);
	const vf value = vf_from_vi(vi_and(vi_srl(word, 13), vi_set1(0x7FF)));
	const vf difference = vf_from_vi(vi_sra(vi_sll(word, 19), 19));
	vf v = vf_add(value, vf_mul(difference, f));
	v = vf_min(vf_max(v, vf_zero()), vf_set1(2047.0f));
	return vi_from_vf_trunc(vf_add(v, vf_set1(0.5f)));
}

/* t/2047 for t up to 2047*255 + 1023, the largest sum of products. A test checks every t. */
static inline vi div2047(vi t) {
	return vi_srl(vi_add(vi_add(t, vi_srl(t, 11)), vi_set1(1)), 11);
}

#endif
