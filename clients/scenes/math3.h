/*
 * Matrices and angles of the scenes, computed with + - * / and square roots only, in a fixed order,
 * so that captures are the same on every machine. Angles are in turns.
 */
#ifndef SCENES_MATH3_H
#define SCENES_MATH3_H

/* Rows of 4: operands of the shader's dp4 instructions. */
struct mat4 {
	float m[4][4];
};

double turn_sin(double turns);
double turn_cos(double turns);

struct mat4 mat4_identity(void);
/* a * b: b is applied first. */
struct mat4 mat4_mul(struct mat4 a, struct mat4 b);
/* a * (b * c) */
struct mat4 mat4_mul3(struct mat4 a, struct mat4 b, struct mat4 c);
struct mat4 mat4_translate(float x, float y, float z);
struct mat4 mat4_scale(float x, float y, float z);
/* Uniform scaling by size, then translation. */
struct mat4 mat4_place(float x, float y, float z, float size);
/* From the world to an eye with these axes. */
struct mat4 mat4_look(const float right[3], const float up[3], const float ahead[3]);
/* Counter-clockwise if the axis points at the viewer. */
struct mat4 mat4_rotate_x(double turns);
struct mat4 mat4_rotate_y(double turns);
struct mat4 mat4_rotate_z(double turns);
/*
 * The viewer looks along -z. Depth runs from -w at near to 0 at far, as the PICA clips; with the
 * usual depth map near is 1 and far is 0.
 */
struct mat4 mat4_perspective(double fov_turns, double aspect, double near, double far);
/* Pixels, origin at the bottom left, z 0 (far) to 1 (near). */
struct mat4 mat4_pixels(float width, float height);
/* Follows a projection for the screens, whose panels are mounted sideways. */
struct mat4 mat4_tilt(struct mat4 projection);

/* The inverse, computed in double; m must be invertible. */
struct mat4 mat4_inverse(struct mat4 m);

void vec3_set(float v[3], float x, float y, float z);
void vec3_normalize(float v[3]);
void vec3_cross(const float a[3], const float b[3], float out[3]);

#endif
