#include "math3.h"

#include <math.h>
#include <string.h>

/* sin and cos of quarter turns -0.5..0.5, by series; the error is below 1e-12. */
static double sin_quarter(double q) {
	double x = q * 1.5707963267948966, x2 = x * x;
	double p = 1.0 / 6227020800.0;
	p = p * x2 - 1.0 / 39916800.0;
	p = p * x2 + 1.0 / 362880.0;
	p = p * x2 - 1.0 / 5040.0;
	p = p * x2 + 1.0 / 120.0;
	p = p * x2 - 1.0 / 6.0;
	p = p * x2 + 1.0;
	return p * x;
}

static double cos_quarter(double q) {
	double x = q * 1.5707963267948966, x2 = x * x;
	double p = -1.0 / 87178291200.0;
	p = p * x2 + 1.0 / 479001600.0;
	p = p * x2 - 1.0 / 3628800.0;
	p = p * x2 + 1.0 / 40320.0;
	p = p * x2 - 1.0 / 720.0;
	p = p * x2 + 1.0 / 24.0;
	p = p * x2 - 1.0 / 2.0;
	return p * x2 + 1.0;
}

double turn_sin(double turns) {
	double q = turns * 4.0;
	double whole = floor(q + 0.5);
	switch ((long)whole & 3) {
	case 0:
		return sin_quarter(q - whole);
	case 1:
		return cos_quarter(q - whole);
	case 2:
		return -sin_quarter(q - whole);
	default:
		return -cos_quarter(q - whole);
	}
}

double turn_cos(double turns) {
	return turn_sin(turns + 0.25);
}

struct mat4 mat4_identity(void) {
	return mat4_scale(1.0f, 1.0f, 1.0f);
}

struct mat4 mat4_mul(struct mat4 a, struct mat4 b) {
	struct mat4 r;
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 4; j++) {
			float sum = a.m[i][0] * b.m[0][j];
			for (int k = 1; k < 4; k++) {
				sum = sum + a.m[i][k] * b.m[k][j];
			}
			r.m[i][j] = sum;
		}
	}
	return r;
}

struct mat4 mat4_mul3(struct mat4 a, struct mat4 b, struct mat4 c) {
	return mat4_mul(a, mat4_mul(b, c));
}

struct mat4 mat4_translate(float x, float y, float z) {
	struct mat4 r = mat4_identity();
	r.m[0][3] = x;
	r.m[1][3] = y;
	r.m[2][3] = z;
	return r;
}

struct mat4 mat4_scale(float x, float y, float z) {
	struct mat4 r;
	memset(&r, 0, sizeof(r));
	r.m[0][0] = x;
	r.m[1][1] = y;
	r.m[2][2] = z;
	r.m[3][3] = 1.0f;
	return r;
}

struct mat4 mat4_place(float x, float y, float z, float size) {
	return mat4_mul(mat4_translate(x, y, z), mat4_scale(size, size, size));
}

struct mat4 mat4_look(const float right[3], const float up[3], const float ahead[3]) {
	struct mat4 r = mat4_identity();
	for (int k = 0; k < 3; k++) {
		r.m[0][k] = right[k];
		r.m[1][k] = up[k];
		r.m[2][k] = -ahead[k];
	}
	return r;
}

/* Rotates axis a towards axis b. */
static struct mat4 rotate(int a, int b, double turns) {
	struct mat4 r = mat4_identity();
	float s = (float)turn_sin(turns), c = (float)turn_cos(turns);
	r.m[a][a] = c;
	r.m[b][b] = c;
	r.m[a][b] = -s;
	r.m[b][a] = s;
	return r;
}

struct mat4 mat4_rotate_x(double turns) {
	return rotate(1, 2, turns);
}

struct mat4 mat4_rotate_y(double turns) {
	return rotate(2, 0, turns);
}

struct mat4 mat4_rotate_z(double turns) {
	return rotate(0, 1, turns);
}

struct mat4 mat4_perspective(double fov_turns, double aspect, double near, double far) {
	struct mat4 r;
	memset(&r, 0, sizeof(r));
	double f = turn_cos(fov_turns / 2) / turn_sin(fov_turns / 2);
	r.m[0][0] = (float)(f / aspect);
	r.m[1][1] = (float)f;
	/* z = -near gives -w = -near, z = -far gives 0. */
	r.m[2][2] = (float)(near / (near - far));
	r.m[2][3] = (float)(near * far / (near - far));
	r.m[3][2] = -1.0f;
	return r;
}

struct mat4 mat4_pixels(float width, float height) {
	struct mat4 r = mat4_identity();
	r.m[0][0] = 2.0f / width;
	r.m[0][3] = -1.0f;
	r.m[1][1] = 2.0f / height;
	r.m[1][3] = -1.0f;
	r.m[2][2] = -1.0f;
	return r;
}

struct mat4 mat4_tilt(struct mat4 projection) {
	/* Window x runs up the screen, window y to the left. [fidelity: screen-geometry] */
	struct mat4 r = projection;
	for (int k = 0; k < 4; k++) {
		r.m[0][k] = projection.m[1][k];
		r.m[1][k] = -projection.m[0][k];
	}
	return r;
}

/* Gauss-Jordan elimination with the largest pivot of each column. */
struct mat4 mat4_inverse(struct mat4 m) {
	double a[4][8];
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 4; j++) {
			a[i][j] = m.m[i][j];
			a[i][4 + j] = i == j;
		}
	}
	for (int column = 0; column < 4; column++) {
		int pivot = column;
		for (int i = column + 1; i < 4; i++) {
			pivot = fabs(a[i][column]) > fabs(a[pivot][column]) ? i : pivot;
		}
		const double divisor = a[pivot][column];
		for (int j = 0; j < 8; j++) {
			const double swapped = a[column][j];
			a[column][j] = a[pivot][j] / divisor;
			if (pivot != column) {
				a[pivot][j] = swapped;
			}
		}
		for (int i = 0; i < 4; i++) {
			const double factor = a[i][column];
			for (int j = 0; i != column && j < 8; j++) {
				a[i][j] = a[i][j] - factor * a[column][j];
			}
		}
	}
	struct mat4 r;
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 4; j++) {
			r.m[i][j] = (float)a[i][4 + j];
		}
	}
	return r;
}

void vec3_set(float v[3], float x, float y, float z) {
	v[0] = x;
	v[1] = y;
	v[2] = z;
}

void vec3_normalize(float v[3]) {
	float length = sqrtf((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
	for (int k = 0; k < 3; k++) {
		v[k] = v[k] / length;
	}
}

void vec3_cross(const float a[3], const float b[3], float out[3]) {
	float x = a[1] * b[2] - a[2] * b[1];
	float y = a[2] * b[0] - a[0] * b[2];
	float z = a[0] * b[1] - a[1] * b[0];
	out[0] = x;
	out[1] = y;
	out[2] = z;
}
