#include "lit.h"

#include <assert.h>
#include <math.h>

/* 28 bytes. The quaternion may have any length. */
struct vertex {
	float position[3];
	int16_t quaternion[4]; /* of 32767 */
	float uv[2];
};

static const struct vertex_format format = { sizeof(struct vertex), 3,
	{ { PICA_ATTRIB_TYPE_F32, 3 }, { PICA_ATTRIB_TYPE_S16, 4 }, { PICA_ATTRIB_TYPE_F32, 2 } } };

/* Common to both programs: position and rotation of the vertex. */
#define HEAD \
	".fvec projection[4], model[4], turn\n" \
	".constf k(0.0, 1.0, 0.5, 2.0)\n" \
	".out out_pos position\n" \
	".out out_quat normalquat\n" \
	".out out_view view\n" \
	".out out_uv texcoord0\n" \
	".out out_uv1 texcoord1\n" \
	".in in_pos v0\n" \
	".in in_quat v1\n" \
	".in in_uv v2\n" \
	".proc main\n" \
	"	mov r0.xyz, in_pos.xyz\n" \
	PLACE \
	"	mov out_view.xyz, -r1.xyz\n" \
	"	mov out_view.w, k.x\n" \
	LIT_TURN
#define TAIL \
	"	mov out_uv1.xy, in_uv.xy\n" \
	"	mov out_uv1.zw, k.xx\n" \
	"	end\n" \
	".end\n"

static const char program_source[] = HEAD
		"	mov out_uv.xy, in_uv.xy\n"
		"	mov out_uv.zw, k.xx\n"
		TAIL;

/* Coordinates 0 are the point's position in a map, by the rows of the uniform. */
static const char mapped_source[] = ".fvec map[3]\n.out out_depth texcoord0w\n" HEAD
		"	dp4 out_uv.x, map[0], r1\n"
		"	dp4 out_uv.y, map[1], r1\n"
		"	mov out_uv.zw, k.xx\n"
		"	dp4 r5.x, map[2], r1\n"
		"	mov out_depth, r5.x\n"
		TAIL;

/* ---- Frames and quaternions ---- */

/* The rotation that takes x, y, z to the unit vectors x, y, z; the divisor is never small. */
static void quaternion(const float x[3], const float y[3], const float z[3], float q[4]) {
	const float *const axis[3] = { x, y, z };
	const float trace = x[0] + y[1] + z[2];
	const unsigned largest = x[0] > y[1] && x[0] > z[2] ? 0 : y[1] > z[2] ? 1 : 2;
	const unsigned i = trace > 0 ? 3 : largest;
	if (i == 3) {
		const float s = sqrtf(trace + 1) * 2;
		vec3_set(q, (y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s);
		q[3] = s / 4;
		return;
	}
	/* The other two axes: j and k follow i cyclically; low and high are the same in order. */
	const unsigned j = (i + 1) % 3, k = (i + 2) % 3, low = j < k ? j : k, high = j < k ? k : j;
	const float s = sqrtf(1 + axis[i][i] - axis[low][low] - axis[high][high]) * 2;
	q[i] = s / 4;
	q[j] = (axis[j][i] + axis[i][j]) / s;
	q[k] = (axis[k][i] + axis[i][k]) / s;
	q[3] = (axis[j][k] - axis[k][j]) / s;
}

static void difference(
		lit_point_fn *point, double u, double v, double du, double dv, float out[3]) {
	double a[3], b[3];
	point(u - du, v - dv, a);
	point(u + du, v + dv, b);
	for (unsigned k = 0; k < 3; k++) {
		out[k] = (float)((b[k] - a[k]) * 4096); /* far from the smallest floats */
	}
	vec3_normalize(out);
}

static struct vertex make_vertex(lit_point_fn *point, double u, double v) {
	const double step = 1.0 / 4096;
	struct vertex out;
	double p[3];
	float along[3], up[3], normal[3], side[3], q[4];
	point(u, v, p);
	difference(point, u, v, step, 0, along);
	difference(point, u, v, 0, step, up);
	vec3_cross(along, up, normal);
	vec3_normalize(normal);
	vec3_cross(normal, along, side);
	quaternion(along, side, normal, q);
	for (unsigned k = 0; k < 3; k++) {
		out.position[k] = (float)p[k];
	}
	for (unsigned k = 0; k < 4; k++) {
		out.quaternion[k] = (int16_t)(q[k] * 32767);
	}
	return out;
}

struct mesh lit_patch(struct recorder *r, lit_point_fn *point, unsigned nu, unsigned nv,
		float repeat_u, float repeat_v) {
	static struct vertex v[LIT_MAX_VERTICES];
	static uint16_t index[LIT_MAX_VERTICES * 6];
	const unsigned n = (nu + 1) * (nv + 1);
	uint16_t *end = index;
	assert(n <= LIT_MAX_VERTICES);
	for (unsigned i = 0; i < n; i++) {
		const unsigned column = i % (nu + 1), row = i / (nu + 1);
		v[i] = make_vertex(point, (double)column / nu, (double)row / nv);
		v[i].uv[0] = repeat_u * (float)column / (float)nu;
		v[i].uv[1] = repeat_v * (float)row / (float)nv;
		if (column < nu && row < nv) {
			end = put_quad(end, i, i + 1, i + nu + 1, i + nu + 2);
		}
	}
	return mesh_store_indexed(r, &format, PICA_PRIMITIVE_LIST, v, n, index, nu * nv * 6);
}

void lit_ball(double u, double v, double p[3]) {
	const double up = -0.25 + 0.001 + v * 0.498, radius = turn_cos(up); /* short of the poles */
	p[0] = radius * turn_sin(u);
	p[1] = turn_sin(up);
	p[2] = radius * turn_cos(u);
}

void lit_ring(double u, double v, double p[3]) {
	const double radius = 0.72 + 0.3 * turn_cos(v);
	p[0] = radius * turn_cos(u);
	p[1] = radius * turn_sin(u);
	p[2] = 0.3 * turn_sin(v);
}

void lit_lathe(double u, double v, const double (*outline)[2], unsigned n, bool is_smooth,
		double p[3]) {
	const unsigned last = n - 1;
	double at = v * last;
	at = at < 0 ? 0 : at > last - 0.001 ? last - 0.001 : at;
	const int i = (int)at;
	const double t = at - i, s = is_smooth ? t * t * (3 - 2 * t) : t;
	const double radius = outline[i][0] + (outline[i + 1][0] - outline[i][0]) * s;
	p[0] = radius * turn_sin(u);
	p[1] = outline[i][1] + (outline[i + 1][1] - outline[i][1]) * t;
	p[2] = radius * turn_cos(u);
}

/* ---- Drawing ---- */

void lit_map(struct recorder *r, float rows[3][4]) {
	set_uniform(r, "map", rows[0], 3);
}

void lit_use(struct recorder *r, struct mat4 projection) {
	use_projected(r, program_source, projection);
}

void lit_use_mapped(struct recorder *r, struct mat4 projection) {
	use_projected(r, mapped_source, projection);
}

void lit_draw(struct recorder *r, const struct mesh *m, struct mat4 model) {
	float axis[3][3], turn[4];
	for (unsigned k = 0; k < 3; k++) {
		for (unsigned i = 0; i < 3; i++) {
			axis[k][i] = model.m[i][k];
		}
		vec3_normalize(axis[k]);
	}
	quaternion(axis[0], axis[1], axis[2], turn);
	set_matrix(r, "model", model);
	set_uniform(r, "turn", turn, 1);
	mesh_draw(r, m);
}

/* ---- Maps and tables ---- */

/* Arguments of the picture function below, since texture.h passes none. */
static lit_height_fn *map_height;
static double map_scale;

static double around(double x) {
	return x < 0 ? x + 1 : x >= 1 ? x - 1 : x;
}

static void normal_picture(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]) {
	const double u = (x + 0.5) / n, v = 1 - (y + 0.5) / n, d = 0.5 / n;
	const double du = (map_height(around(u + d), v) - map_height(around(u - d), v)) / (2 * d);
	const double dv = (map_height(u, around(v + d)) - map_height(u, around(v - d))) / (2 * d);
	float normal[3] = { (float)(-du * map_scale), (float)(-dv * map_scale), 1 };
	vec3_normalize(normal);
	for (unsigned k = 0; k < 3; k++) {
		rgba[k] = (uint8_t)((normal[k] + 1) * 127.5f + 0.5f);
	}
	rgba[3] = 255;
}

struct pica_texture lit_normal_map(struct recorder *r, unsigned n, unsigned levels,
		lit_height_fn *height, double scale) {
	map_height = height;
	map_scale = scale;
	struct pica_texture t = store_texture(
			r, PICA_TEXTURE_FORMAT_RGB8, n, levels, normal_picture);
	set_wrap(&t, PICA_WRAP_REPEAT);
	return t;
}

void lit_table(struct recorder *r, uint32_t table, bool is_signed, float (*f)(float, void *),
		void *arg) {
	uint32_t entries[256];
	pica_light_lut_from(entries, is_signed, f, arg);
	pica_emit_light_lut(&r->list, table, 0, entries, 256);
}

float lit_power(float x, void *arg) {
	x = x > 0 ? x : 0;
	for (unsigned n = *(const unsigned *)arg; n > 1; n /= 2) {
		x = x * x;
	}
	return x;
}

float lit_rim(float x, void *arg) {
	return lit_power(1 - (x > 0 ? x : 0), arg);
}

struct pica_light_lookup lit_by(uint32_t input) {
	return (struct pica_light_lookup){ .enable = true, .input = input, .is_signed = true };
}
