/* Private to the room: what its vector kernels share. */
#ifndef FRAG_VECTOR_H
#define FRAG_VECTOR_H

#include "core/vec/vec.h"

/* x / 255 truncated is (x * 0x8081) >> 23 for every 16-bit x. */
static inline vh div255_trunc(vh x) {
	return vh_srl(vh_mulhi_u(x, vh_set1(0x8081)), 7);
}

#endif
