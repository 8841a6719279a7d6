/* The values that the PICA200 carries from a vertex to its fragments, as planes of a batch. */
#ifndef REGS_PLANES_H
#define REGS_PLANES_H

#include "core/vec/batch.h"

enum pica_plane {
	PLANE_COLOR = PLANE_USER, /* r g b a */
	PLANE_TC0 = PLANE_COLOR + 4, /* u v */
	PLANE_TC0_W = PLANE_TC0 + 2,
	PLANE_TC1 = PLANE_TC0_W + 1,
	PLANE_TC2 = PLANE_TC1 + 2,
	PLANE_QUAT = PLANE_TC2 + 2, /* x y z w */
	PLANE_VIEW = PLANE_QUAT + 4, /* x y z */
	PLANE_COUNT = PLANE_VIEW + 3,
};

_Static_assert((int)PLANE_COUNT <= (int)PLANE_MAX, "a batch has no more planes");

/* Masks: the planes of the colour, and all planes from PLANE_COLOR on. */
enum {
	PLANES_COLOR = 15 << PLANE_COLOR,
	PLANES_ATTRIBUTES = (1 << PLANE_COUNT) - (1 << PLANE_COLOR),
};

#endif
