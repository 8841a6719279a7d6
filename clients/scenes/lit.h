/*
 * Bodies for the lighting of fragments: curved patches whose vertices carry a quaternion, the
 * program that hands quaternion and view vector on, and maps of normals made of heights.
 */
#ifndef SCENES_LIT_H
#define SCENES_LIT_H

#include <stdint.h>

#include "recorder.h"

enum { LIT_MAX_VERTICES = 8192 };

struct lit_body {
	uint32_t vertices, indices, n_indices;
};

/*
 * The point of a patch at u, v, each 0..1. Its front is where u runs to the right and v up; the
 * normal points out of it, the tangent along u.
 */
typedef void lit_point_fn(double u, double v, double p[3]);

/*
 * A patch of nu x nv quads, at most LIT_MAX_VERTICES points; texture coordinates u * repeat_u and
 * v * repeat_v, the same for texture units 0 and 1.
 */
void lit_patch(struct recorder *r, struct lit_body *b, lit_point_fn *point, unsigned nu,
		unsigned nv, float repeat_u, float repeat_v);

/* A ball of radius 1 and a ring around the z axis, both without a pole that is a point. */
lit_point_fn lit_ball, lit_ring;

int lit_program_create(struct program *p);
/*
 * A program whose texture coordinates 0 are a place in a map instead, rows of lit_map() times the
 * point as the eye sees it: u, v and the third component. Coordinates 1 stay those of the patch.
 */
int lit_program_create_mapped(struct program *p);
void lit_map(struct recorder *r, const struct program *p, const float rows[3][4]);
/*
 * The program and the lens; the eye is at the origin and looks along -z: lights stand in that
 * space.
 */
void lit_use(struct recorder *r, const struct program *p, const struct mat4 *projection);
/* model: turns, moves, and scales alike in all directions. */
void lit_draw(struct recorder *r, const struct program *p, const struct lit_body *b,
		const struct mat4 *model);

/* Height of a surface at a place of its texture, both sides meeting: 0..1 of a unit. */
typedef double lit_height_fn(double u, double v);
/*
 * A texture of normals (n x n, RGB8), for a surface that is so high where its texture is 1 wide.
 * More than one level: a mean of normals stands up straighter, so what is far becomes flat.
 */
int lit_normal_map(struct recorder *r, struct pica_texture *t, unsigned n, unsigned levels,
		lit_height_fn *height, double scale);

/* All of a table, of -1..1 if is_signed, else of 0..1. */
void lit_table(struct recorder *r, uint32_t table, bool is_signed, float (*f)(float, void *),
		void *arg);
/* Curves for it. arg: unsigned exponent, a power of two at least; of what is positive. */
float lit_power(float x, void *arg);
/* 1 at grazing angles, 0 in front: (1 - x)^exponent. */
float lit_rim(float x, void *arg);

#endif
