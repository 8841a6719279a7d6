/* Private to the room: the integer half of set-up, common to every instruction set. */
#ifndef RASTER_SETUP_H
#define RASTER_SETUP_H

#include "core/raster/raster.h"

/*
 * Box and edges of *t; *area2 becomes the signed double area of the vertices as given. Returns
 * false if no pixel can be touched. Planes are left alone.
 */
bool raster_setup_edges(struct tri *t, const struct raster_state *rs, const struct vert *v0,
		const struct vert *v1, const struct vert *v2, int org_x, int org_y, int size,
		int64_t *area2);

#endif
