/* Private to the room: shared by its vector kernels. */
#ifndef FRAG_VECTOR_H
#define FRAG_VECTOR_H

#include <stdbool.h>

#include "core/vec/batch.h"
#include "core/vec/vec.h"
#include "pica/frag/kernels.h"

/* x / 255 truncated is (x * 0x8081) >> 23 for every 16-bit x. */
static inline vh div255_trunc(vh x) {
	return vh_srl(vh_mulhi_u(x, vh_set1(0x8081)), 7);
}

/* Returns whether all 64 lanes are live and their quads are contiguous: a whole block. */
static inline bool is_whole_block(const uint32_t *quad_px, uint64_t live) {
	static const int32_t places[4] = { 0, 4, 8, 12 };
	if (~live) {
		return false;
	}
	vqi place = vqi_add(vqi_set1((int32_t)quad_px[0]), vqi_loadu(places));
	vqi same = vqi_set1(-1);
	for (int q = 0; q < BATCH_QUADS; q += 4) {
		same = vqi_and(same, vqi_eq(vqi_loadu(quad_px + q), place));
		place = vqi_add(place, vqi_set1(16));
	}
	return vqi_movemask(same) == 15;
}

/*
 * PLANE_OP(name, AB, expr): the operation expr of operands a and b on whole planes. A turn is 16
 * lanes, or one vector if that is longer. n_lanes is a multiple of 16; a longer vector may write
 * the dead lanes beyond.
 */
enum { PLANE_TURN = VH_LANES < 16 ? 16 : VH_LANES };
#define A(M) M(a, 0)
#define AB(M) A(M) M(b, 1)
#define ABC(M) AB(M) M(c, 2)
#define ABCD(M) ABC(M) M(d, 3)
#define PLANE_OPERAND(x, n) const uint16_t *const plane_##x = in[n].p + k * in[n].stride;
#define LOAD_OPERAND(x, n) const vh x = vh_load(plane_##x + i);
#define IN_LINE(x, n) && in[n].stride == BATCH
#define PLANE_TURNS(OPERANDS, expr, turn_lanes) \
	for (size_t turn = 0; turn < n_lanes; turn += (turn_lanes)) { \
		for (size_t i = turn; i < turn + (turn_lanes); i += VH_LANES) { \
			OPERANDS(LOAD_OPERAND) \
			vh_store(dst + i, expr); \
		} \
	}
/* Contiguous planes of whole batches are processed as one long plane. */
#define PLANE_OP(name, OPERANDS, expr) \
	void VFN(frag_op_##name)(uint16_t *dst, const struct plane_in *in, unsigned n_planes, \
			unsigned n_lanes) { \
		if (n_lanes == BATCH OPERANDS(IN_LINE)) { \
			n_lanes = n_planes * BATCH; \
			n_planes = 1; \
		} \
		for (unsigned k = 0; k < n_planes; k++, dst += BATCH) { \
			OPERANDS(PLANE_OPERAND) \
			if (n_lanes % BATCH == 0) { \
				PLANE_TURNS(OPERANDS, expr, BATCH) \
			} else { \
				PLANE_TURNS(OPERANDS, expr, PLANE_TURN) \
			} \
		} \
	}

#endif
