/*
 * Bodies for fragment lighting: curved patches whose vertices have a quaternion, the program that
 * passes on quaternion and view vector, and normal maps made from heights.
 */
#ifndef SCENES_LIT_H
#define SCENES_LIT_H

#include <stdint.h>

#include "recorder.h"

enum { LIT_MAX_VERTICES = 8192 };

/*
 * The point of a patch at u, v, each 0..1. Seen from the front, u runs to the right and v up; the
 * normal points to the front, the tangent along u.
 */
typedef void lit_point_fn(double u, double v, double p[3]);

/*
 * A patch of nu x nv quads, at most LIT_MAX_VERTICES points; texture coordinates u * repeat_u and v
 * * repeat_v, the same for texture units 0 and 1.
 */
struct mesh lit_patch(struct recorder *r, lit_point_fn *point, unsigned nu, unsigned nv,
		float repeat_u, float repeat_v);

/* A ball of radius 1 and a ring around the z axis, both without poles. */
lit_point_fn lit_ball, lit_ring;

/* Rotates the outline, n pairs of radius and height, around the y axis; v runs along it. */
void lit_lathe(double u, double v, const double (*outline)[2], unsigned n, bool is_smooth,
		double p[3]);

/* Vertices of a patch: f32 x 3, s16 x 4 (the quaternion), f32 x 2. Pieces of a program for them: */
/* Rotates the vertex's quaternion in_quat by the uniform turn, to out_quat; uses r2 to r5. */
#define LIT_TURN \
	"	mov r2, in_quat\n" \
	"	mov r3, turn\n" \
	"	mul r4.xyz, r3.www, r2.xyz\n" \
	"	mad r4.xyz, r2.www, r3.xyz, r4.xyz\n" \
	"	mad r4.xyz, r3.yzx, r2.zxy, r4.xyz\n" \
	"	mad out_quat.xyz, -r3.zxy, r2.yzx, r4.xyz\n" \
	"	dp3 r5.x, r3, r2\n" \
	"	mul r5.y, r3.w, r2.w\n" \
	"	add out_quat.w, r5.y, -r5.x\n"

/*
 * Sets the program and the lens. The eye is at the origin and looks along -z; positions of lights
 * are in that space.
 */
void lit_use(struct recorder *r, struct mat4 projection);
/*
 * A program whose texture coordinates 0 are a position in a map: the rows of lit_map() times the
 * point in eye space give u, v and the third component. Coordinates 1 stay those of the patch.
 */
void lit_use_mapped(struct recorder *r, struct mat4 projection);
void lit_map(struct recorder *r, float rows[3][4]);
/* Draws with the current program. model: rotation, translation and uniform scaling. */
void lit_draw(struct recorder *r, const struct mesh *m, struct mat4 model);

/* Height, 0..1, of a surface at a position in its texture; opposite sides must match. */
typedef double lit_height_fn(double u, double v);
/*
 * A normal map (n x n, RGB8) for a surface of height scale, relative to the width of its texture.
 * With more levels, distant parts become flat, since a mean of normals is more upright.
 */
struct pica_texture lit_normal_map(struct recorder *r, unsigned n, unsigned levels,
		lit_height_fn *height, double scale);

/* Emits a whole table, with inputs -1..1 if is_signed, else 0..1. */
void lit_table(struct recorder *r, uint32_t table, bool is_signed, float (*f)(float, void *),
		void *arg);
/* Curves for lit_table(). arg: unsigned exponent, a power of two; negative x counts as 0. */
float lit_power(float x, void *arg);
/* 1 at grazing angles, 0 in front: (1 - x)^exponent. */
float lit_rim(float x, void *arg);
/* A signed table with the input PICA_LIGHT_INPUT_*. */
struct pica_light_lookup lit_by(uint32_t input);

#endif
