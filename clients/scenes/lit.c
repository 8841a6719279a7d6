#include "lit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "texture.h"

/* 28 bytes. Of the quaternion only the direction matters. */
struct vertex {
	float position[3];
	int16_t quaternion[4]; /* of 32767 */
	float uv[2];
};

/* Both programs: where the vertex stands and how it is turned. */
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
	"	mov r0.w, k.y\n" \
	"	dp4 r1.x, model[0], r0\n" \
	"	dp4 r1.y, model[1], r0\n" \
	"	dp4 r1.z, model[2], r0\n" \
	"	mov r1.w, k.y\n" \
	"	dp4 out_pos.x, projection[0], r1\n" \
	"	dp4 out_pos.y, projection[1], r1\n" \
	"	dp4 out_pos.z, projection[2], r1\n" \
	"	dp4 out_pos.w, projection[3], r1\n" \
	"	mov out_view.xyz, -r1.xyz\n" \
	"	mov out_view.w, k.x\n" \
	"	; turn * in_quat\n" \
	"	mov r2, in_quat\n" \
	"	mov r3, turn\n" \
	"	mul r4.xyz, r3.www, r2.xyz\n" \
	"	mad r4.xyz, r2.www, r3.xyz, r4.xyz\n" \
	"	mad r4.xyz, r3.yzx, r2.zxy, r4.xyz\n" \
	"	mad out_quat.xyz, -r3.zxy, r2.yzx, r4.xyz\n" \
	"	dp3 r5.x, r3, r2\n" \
	"	mul r5.y, r3.w, r2.w\n" \
	"	add out_quat.w, r5.y, -r5.x\n"

static const char program_source[] = HEAD
		"	mov out_uv.xy, in_uv.xy\n"
		"	mov out_uv.zw, k.xx\n"
		"	mov out_uv1.xy, in_uv.xy\n"
		"	mov out_uv1.zw, k.xx\n"
		"	end\n"
		".end\n";

/* Coordinates 0 are where the point is in a map, as the rows of the uniform tell. */
static const char mapped_source[] = ".fvec map[3]\n.out out_depth texcoord0w\n" HEAD
		"	dp4 out_uv.x, map[0], r1\n"
		"	dp4 out_uv.y, map[1], r1\n"
		"	mov out_uv.zw, k.xx\n"
		"	dp4 r5.x, map[2], r1\n"
		"	mov out_depth, r5.x\n"
		"	mov out_uv1.xy, in_uv.xy\n"
		"	mov out_uv1.zw, k.xx\n"
		"	end\n"
		".end\n";

/* ---- Frames and quaternions ---- */

/*
 * The rotation that takes x, y, z to the unit vectors x, y, z; each branch divides by what is
 * large.
 */
static void quaternion(const float x[3], const float y[3], const float z[3], float q[4]) {
	const float trace = x[0] + y[1] + z[2];
	if (trace > 0) {
		const float s = sqrtf(trace + 1) * 2;
		q[0] = (y[2] - z[1]) / s;
		q[1] = (z[0] - x[2]) / s;
		q[2] = (x[1] - y[0]) / s;
		q[3] = s / 4;
	} else if (x[0] > y[1] && x[0] > z[2]) {
		const float s = sqrtf(1 + x[0] - y[1] - z[2]) * 2;
		q[0] = s / 4;
		q[1] = (y[0] + x[1]) / s;
		q[2] = (z[0] + x[2]) / s;
		q[3] = (y[2] - z[1]) / s;
	} else if (y[1] > z[2]) {
		const float s = sqrtf(1 + y[1] - x[0] - z[2]) * 2;
		q[0] = (y[0] + x[1]) / s;
		q[1] = s / 4;
		q[2] = (z[1] + y[2]) / s;
		q[3] = (z[0] - x[2]) / s;
	} else {
		const float s = sqrtf(1 + z[2] - x[0] - y[1]) * 2;
		q[0] = (z[0] + x[2]) / s;
		q[1] = (z[1] + y[2]) / s;
		q[2] = s / 4;
		q[3] = (x[1] - y[0]) / s;
	}
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

void lit_patch(struct recorder *r, struct lit_body *b, lit_point_fn *point, unsigned nu,
		unsigned nv, float repeat_u, float repeat_v) {
	const unsigned n = (nu + 1) * (nv + 1);
	struct vertex *v = malloc(n * sizeof(*v));
	uint16_t *index = malloc((size_t)nu * nv * 6 * sizeof(*index)), *next = index;
	if (!v || !index || n > LIT_MAX_VERTICES) {
		r->error = r->error ? r->error : -ENOMEM;
		free(v);
		free(index);
		return;
	}
	for (unsigned j = 0; j <= nv; j++) {
		for (unsigned i = 0; i <= nu; i++) {
			struct vertex *at = &v[j * (nu + 1) + i];
			*at = make_vertex(point, (double)i / nu, (double)j / nv);
			at->uv[0] = repeat_u * (float)i / (float)nu;
			at->uv[1] = repeat_v * (float)j / (float)nv;
			if (i < nu && j < nv) {
				const uint16_t a = (uint16_t)(j * (nu + 1) + i),
					       up = (uint16_t)(a + nu + 1);
				const uint16_t quad[6] = { a, (uint16_t)(a + 1), up, up,
					(uint16_t)(a + 1), (uint16_t)(up + 1) };
				memcpy(next, quad, sizeof(quad));
				next += 6;
			}
		}
	}
	b->n_indices = nu * nv * 6;
	b->vertices = recorder_store(r, v, n * (uint32_t)sizeof(*v));
	b->indices = recorder_store(r, index, b->n_indices * (uint32_t)sizeof(*index));
	free(v);
	free(index);
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

/* ---- Drawing ---- */

int lit_program_create(struct program *p) {
	return program_create(p, "lit", program_source, NULL);
}

int lit_program_create_mapped(struct program *p) {
	return program_create(p, "lit mapped", mapped_source, NULL);
}

void lit_map(struct recorder *r, const struct program *p, const float rows[3][4]) {
	program_uniform(r, p, 0, "map", rows[0], 3);
}

void lit_use(struct recorder *r, const struct program *p, const struct mat4 *projection) {
	program_use(r, p);
	program_matrix(r, p, 0, "projection", projection);
}

void lit_draw(struct recorder *r, const struct program *p, const struct lit_body *b,
		const struct mat4 *model) {
	static const struct pica_attribute_format format[3] = { { PICA_ATTRIB_TYPE_F32, 3 },
		{ PICA_ATTRIB_TYPE_S16, 4 }, { PICA_ATTRIB_TYPE_F32, 2 } };
	float axis[3][3], turn[4];
	for (unsigned k = 0; k < 3; k++) {
		for (unsigned i = 0; i < 3; i++) {
			axis[k][i] = model->m[i][k];
		}
		vec3_normalize(axis[k]);
	}
	quaternion(axis[0], axis[1], axis[2], turn);
	program_matrix(r, p, 0, "model", model);
	program_uniform(r, p, 0, "turn", turn, 1);
	use_array(r, b->vertices, sizeof(struct vertex), 3, format);
	pica_emit_draw_elements(
			&r->list, PICA_PRIMITIVE_LIST, b->indices - ARRAY_BASE, true, b->n_indices);
}

/* ---- Maps and tables ---- */

/* What the picture function below draws: texture.h hands nothing on. */
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

int lit_normal_map(struct recorder *r, struct pica_texture *t, unsigned n, unsigned levels,
		lit_height_fn *height, double scale) {
	map_height = height;
	map_scale = scale;
	recorder_store_texture(r, t, PICA_TEXTURE_FORMAT_RGB8, n, levels, normal_picture);
	t->mag = t->min = PICA_FILTER_LINEAR;
	t->wrap_s = t->wrap_t = PICA_WRAP_REPEAT;
	return r->error;
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
