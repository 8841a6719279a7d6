/* Solids of revolution, and rings, lit by one lamp in the vertex program. */
#ifndef SCENES_SOLID_H
#define SCENES_SOLID_H

#include <stdint.h>

#include "recorder.h"

enum { SOLID_MAX_RINGS = 48, SOLID_MAX_SIDES = 48 };

/*
 * Rotates the outline, pairs of radius and height from the top down, around the y axis; at most
 * SOLID_MAX_RINGS + 1 points and SOLID_MAX_SIDES sides, no coordinate beyond 15. Normals are
 * smooth, except at a repeated point, which is an edge. Colours run from top to bottom. Faces are
 * counter-clockwise from outside.
 */
struct mesh solid_lathe(struct recorder *r, const float (*outline)[2], unsigned n,
		unsigned sides, uint32_t top, uint32_t bottom);
/* A ring around the z axis whose colours alternate, stripes times. */
struct mesh solid_ring(struct recorder *r, float radius, float thickness, uint32_t a,
		uint32_t b, unsigned stripes);
/* A board of n x n fields of size 1 in two colours, on the plane y = 0; n up to 20. */
struct mesh solid_board(struct recorder *r, unsigned n, uint32_t a, uint32_t b);
/* A ball of radius 1. */
struct mesh solid_ball(struct recorder *r, uint32_t top, uint32_t bottom);

/* The program's uniforms besides the matrices. */
struct solid_light {
	float lamp[4];  /* unit vector towards the lamp, world space; w: ambient light */
	float gloss[4]; /* x: exponent of highlights, y: their strength */
	float tint[4];  /* of all colours, and alpha */
};

/* Sets the program and the common uniforms. The viewer is assumed far away on the world's +z. */
void solid_use(struct recorder *r, struct mat4 projection, const struct solid_light *light);
/*
 * Sets the rows that compute u, v and the third component of coordinates 0 from a world position.
 */
void solid_map(struct recorder *r, float rows[3][4]);
/* Draws with the current program. */
void solid_draw(struct recorder *r, const struct mesh *m, struct mat4 model);

#endif
