/*
 * Arithmetic of fragment lighting, in plain C: the truth. [fidelity: lighting-inputs, lights;
 * docs/fidelity.md 1, "Lighting"]
 *
 * Hardware's number formats are not known; binary32 in the order written here. [REC, fidelity:
 * light-precision] Vectors without a length, or too long for binary32, are 0, so that after this
 * file's first steps nothing is infinite or NaN except the attenuation of a distance, which depends
 * on registers and is clamped before use.
 */
#include <float.h>
#include <math.h>

#include "pica/frag/kernels.h"
#include "pica/frag/light.h"

static float max_f(float a, float b) {
	return a > b ? a : b;
}

static float min_f(float a, float b) {
	return a < b ? a : b;
}

struct vec3 {
	float x, y, z;
};

static struct vec3 load3(const float *p, unsigned i) {
	return (struct vec3){ p[i], p[BATCH + i], p[2 * BATCH + i] };
}

static struct vec3 load_rows(float (*p)[BATCH], unsigned i) {
	return (struct vec3){ p[0][i], p[1][i], p[2][i] };
}

static void store_rows(float (*p)[BATCH], unsigned i, struct vec3 v) {
	p[0][i] = v.x;
	p[1][i] = v.y;
	p[2][i] = v.z;
}

static float dot(struct vec3 a, struct vec3 b) {
	return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

/* v of squared length n2 made a unit vector. [zero: REC, fidelity: lights] */
static struct vec3 unit(struct vec3 v, float n2) {
	if (!(n2 > 0.0f && n2 <= FLT_MAX)) {
		return (struct vec3){ 0, 0, 0 };
	}
	const float inv = 1.0f / sqrtf(n2);
	return (struct vec3){ v.x * inv, v.y * inv, v.z * inv };
}

/* ---- Normal and tangent ---- */

struct quat {
	float x, y, z, w;
};

/* Length 1; without a direction no rotation. [REC, fidelity: lighting-inputs] */
static struct quat load_quat(const float *p, unsigned i) {
	const struct quat q = { p[i], p[BATCH + i], p[2 * BATCH + i], p[3 * BATCH + i] };
	const float n2 = ((q.x * q.x + q.y * q.y) + q.z * q.z) + q.w * q.w;
	if (!(n2 > 0.0f && n2 <= FLT_MAX)) {
		return (struct quat){ 0, 0, 0, 1 };
	}
	const float inv = 1.0f / sqrtf(n2);
	return (struct quat){ q.x * inv, q.y * inv, q.z * inv, q.w * inv };
}

/* v + 2 * cross(q.xyz, cross(q.xyz, v) + q.w * v) */
static struct vec3 rotate(struct quat q, struct vec3 v) {
	const float cx = (q.y * v.z - q.z * v.y) + q.w * v.x;
	const float cy = (q.z * v.x - q.x * v.z) + q.w * v.y;
	const float cz = (q.x * v.y - q.y * v.x) + q.w * v.z;
	return (struct vec3){ v.x + 2.0f * (q.y * cz - q.z * cy),
		v.y + 2.0f * (q.z * cx - q.x * cz), v.z + 2.0f * (q.x * cy - q.y * cx) };
}

static struct vec3 load_map(const struct plane_in *bump, unsigned i) {
	const uint16_t *p = bump->p + i;
	return (struct vec3){ (float)p[0] / 127.5f - 1.0f, (float)p[bump->stride] / 127.5f - 1.0f,
		(float)p[2 * bump->stride] / 127.5f - 1.0f };
}

static void light_surface(struct light_planes *p, const float *quat, const struct plane_in *bump,
		unsigned surface, unsigned n_lanes) {
	for (unsigned i = 0; i < n_lanes; i++) {
		const struct quat q = load_quat(quat, i);
		struct vec3 n = { 0, 0, 1 }, t = { 1, 0, 0 };
		if (surface & LIGHT_NORMAL_MAP) {
			n = load_map(bump, i);
			if (!(surface & LIGHT_KEEP_Z)) {
				n.z = sqrtf(max_f((1.0f - n.x * n.x) - n.y * n.y, 0.0f));
			}
		} else if (surface & LIGHT_TANGENT_MAP) {
			t = load_map(bump, i); /* KEEP_Z has no effect [HW] */
		}
		store_rows(p->n, i, rotate(q, n));
		if (surface & LIGHT_TANGENT) {
			store_rows(p->t, i, rotate(q, t));
		}
	}
}

static void light_unit(float (*dst)[BATCH], const float *src, unsigned n_lanes) {
	for (unsigned i = 0; i < n_lanes; i++) {
		const struct vec3 v = load3(src, i);
		store_rows(dst, i, unit(v, dot(v, v)));
	}
}

static void light_fraction(float (*dst)[BATCH], const struct plane_in *src, bool inverted,
		unsigned n_planes, unsigned n_lanes) {
	for (unsigned k = 0; k < n_planes; k++) {
		for (unsigned i = 0; i < n_lanes; i++) {
			const float f = (float)src->p[k * src->stride + i] / 255.0f;
			dst[k][i] = inverted ? 1.0f - f : f;
		}
	}
}

/* ---- One light ---- */

static void light_vectors(struct light_planes *p, const float *view, const struct light_source *s,
		unsigned n_lanes) {
	const struct vec3 position = { s->position[0], s->position[1], s->position[2] };
	const struct vec3 spot = { s->spot[0], s->spot[1], s->spot[2] };
	for (unsigned i = 0; i < n_lanes; i++) {
		const struct vec3 n = load_rows(p->n, i);
		struct vec3 l = position;
		float length = s->length;
		if (!(s->flags & LIGHT_DIRECTIONAL)) {
			const struct vec3 v = load3(view, i);
			l = (struct vec3){ l.x + v.x, l.y + v.y, l.z + v.z };
			const float n2 = dot(l, l);
			length = sqrtf(n2);
			l = unit(l, n2);
		}
		const float ln = dot(n, l);
		const float d = s->flags & LIGHT_TWO_SIDED ? fabsf(ln) : max_f(ln, 0.0f);
		p->diffuse[i] = d;
		if (s->inputs >> LIGHT_LN & 1) {
			p->input[LIGHT_LN][i] = ln;
		}
		if (s->inputs >> LIGHT_SPOT & 1) {
			p->input[LIGHT_SPOT][i] = dot(l, spot);
		}
		if (s->distance_factor.table != LIGHT_NO_TABLE) {
			const float x = max_f(s->distance_scale * length + s->distance_bias, 0.0f);
			p->distance[i] = min_f(x, 1.0f);
		}
		const struct vec3 v = load_rows(p->v, i);
		if (s->inputs >> LIGHT_NV & 1) {
			p->input[LIGHT_NV][i] = dot(n, v);
		}
		if (!(s->flags & LIGHT_HALF)) {
			continue;
		}
		struct vec3 h = { v.x + l.x, v.y + l.y, v.z + l.z };
		const float h2 = dot(h, h);
		if (s->flags & (LIGHT_GEOMETRIC0 | LIGHT_GEOMETRIC1)) {
			/* [HW: G = min(1, 0.5 * |l.N| / (1 + l.V)), fidelity: light-terms] */
			p->geometric[i] = h2 == 0.0f ? 0.0f : min_f(d / h2, 1.0f);
		}
		h = unit(h, h2);
		const float nh = dot(n, h);
		if (s->inputs >> LIGHT_NH & 1) {
			p->input[LIGHT_NH][i] = nh;
		}
		if (s->inputs >> LIGHT_VH & 1) {
			p->input[LIGHT_VH][i] = dot(v, h);
		}
		if (s->inputs >> LIGHT_CP & 1) {
			/*
			 * The projection of the half vector onto the surface, not normalised. [HW]
			 */
			const struct vec3 in = { h.x - n.x * nh, h.y - n.y * nh, h.z - n.z * nh };
			p->input[LIGHT_CP][i] = dot(in, load_rows(p->t, i));
		}
	}
}

static void light_lookup(float *dst, const float *r, const struct light_entry *table,
		const struct light_lookup *how, bool two_sided, unsigned n_lanes) {
	for (unsigned i = 0; i < n_lanes; i++) {
		float f;
		const unsigned index = light_entry_at(how, two_sided, r[i], &f);
		dst[i] = (table[index].value + table[index].difference * f) * how->scale;
	}
}

static float times(float a, const float *factor, unsigned i) {
	return factor ? a * factor[i] : a;
}

static void light_add(struct light_planes *p, const struct light_source *s,
		const struct light_factors *f, unsigned n_lanes) {
	const unsigned flags = s->flags;
	const float *geometric0 = flags & LIGHT_GEOMETRIC0 ? p->geometric : NULL;
	const float *geometric1 = flags & LIGHT_GEOMETRIC1 ? p->geometric : NULL;
	for (unsigned i = 0; i < n_lanes; i++) {
		const float d = p->diffuse[i];
		const float attenuation = times(f->distance ? f->distance[i] : 1.0f, f->spot, i);
		for (unsigned c = 0; c < 3 && flags & LIGHT_ADDS_PRIMARY; c++) {
			float x = s->diffuse[c] * d;
			x = times(x, flags & LIGHT_SHADE_PRIMARY ? p->shadow[c] : NULL, i);
			x = (x + s->ambient[c]) * attenuation;
			p->primary[c][i] = (f->first & LIGHT_PRIMARY ? 0.0f : p->primary[c][i]) + x;
		}
		for (unsigned c = 0; c < 3 && flags & LIGHT_ADDS_SECONDARY; c++) {
			float x = 0.0f;
			if (flags & LIGHT_SPECULAR0) {
				x += times(times(s->specular0[c], f->d0, i), geometric0, i);
			}
			if (flags & LIGHT_SPECULAR1) {
				const float s1 = times(times(s->specular1[c], f->d1, i),
						f->reflection[c], i);
				x += times(s1, geometric1, i);
			}
			x = f->clamp && d == 0.0f ? 0.0f : x;
			x = times(x * attenuation,
					flags & LIGHT_SHADE_SECONDARY ? p->shadow[c] : NULL, i);
			p->secondary[c][i] =
					(f->first & LIGHT_SECONDARY ? 0.0f : p->secondary[c][i]) +
					x;
		}
	}
}

static void light_scale(float *dst, const float *factor, unsigned n_lanes) {
	for (unsigned i = 0; i < n_lanes; i++) {
		dst[i] *= factor[i];
	}
}

static void light_bytes(uint16_t *dst, const float *src, float bias, unsigned n_lanes) {
	for (unsigned i = 0; i < n_lanes; i++) {
		const float v = min_f(max_f(src[i] + bias, 0.0f), 1.0f);
		dst[i] = (uint16_t)(int)(v * 255.0f + 0.5f);
	}
}

static void light_plain(uint16_t *dst, const struct light_planes *p, const struct light_draw *l,
		unsigned n_lanes) {
	struct light_planes sum = *p;
	const struct light_source *s = &l->source[0];
	const struct light_factors factors = { .d0 = sum.d0,
		.first = LIGHT_PRIMARY | LIGHT_SECONDARY };
	light_lookup(sum.d0, p->input[l->d0.input], l->table[l->d0.table], &l->d0,
			s->flags & LIGHT_TWO_SIDED, n_lanes);
	light_add(&sum, s, &factors, n_lanes);
	for (unsigned c = 0; c < 3; c++) {
		light_bytes(dst + c * BATCH, sum.primary[c], l->ambient[c], n_lanes);
		light_bytes(dst + (4 + c) * BATCH, sum.secondary[c], 0.0f, n_lanes);
	}
}

const struct light_kernels light_kernels_c = {
	.surface = light_surface,
	.unit = light_unit,
	.fraction = light_fraction,
	.vectors = light_vectors,
	.lookup = light_lookup,
	.add = light_add,
	.scale = light_scale,
	.bytes = light_bytes,
	.plain = light_plain,
};
