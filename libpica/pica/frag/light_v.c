/*
 * Arithmetic of fragment lighting, in vectors. Each lane computes what light_c.c does, in its
 * order: vf_min and vf_max are its min_f and max_f.
 */
#include <float.h>

#include "pica/frag/kernels.h"
#include "pica/frag/light.h"
#include "pica/frag/vector.h"

struct vec3 {
	vf x, y, z;
};

static inline struct vec3 load3(const float *p, size_t i) {
	return (struct vec3){ vf_load(p + i), vf_load(p + BATCH + i), vf_load(p + 2 * BATCH + i) };
}

static inline struct vec3 load_rows(float (*p)[BATCH], size_t i) {
	return (struct vec3){ vf_load(p[0] + i), vf_load(p[1] + i), vf_load(p[2] + i) };
}

static inline void store_rows(float (*p)[BATCH], size_t i, struct vec3 v) {
	vf_store(p[0] + i, v.x);
	vf_store(p[1] + i, v.y);
	vf_store(p[2] + i, v.z);
}

static inline vf dot(struct vec3 a, struct vec3 b) {
	return vf_add(vf_add(vf_mul(a.x, b.x), vf_mul(a.y, b.y)), vf_mul(a.z, b.z));
}

static inline vi has_length(vf n2) {
	return vi_and(vf_gt(n2, vf_zero()), vf_le(n2, vf_set1(FLT_MAX)));
}

static inline vf keep(vi mask, vf a) {
	return vf_and(vf_as_vi_bits(mask), a);
}

static inline struct vec3 unit(struct vec3 v, vf n2) {
	const vi ok = has_length(n2);
	const vf inv = vf_div(vf_set1(1.0f), vf_sqrt(n2));
	return (struct vec3){ keep(ok, vf_mul(v.x, inv)), keep(ok, vf_mul(v.y, inv)),
		keep(ok, vf_mul(v.z, inv)) };
}

/* ---- Normal and tangent ---- */

struct quat {
	vf x, y, z, w;
};

static inline struct quat load_quat(const float *p, size_t i) {
	const struct quat q = { vf_load(p + i), vf_load(p + BATCH + i), vf_load(p + 2 * BATCH + i),
		vf_load(p + 3 * BATCH + i) };
	const vf n2 = vf_add(vf_add(vf_add(vf_mul(q.x, q.x), vf_mul(q.y, q.y)), vf_mul(q.z, q.z)),
			vf_mul(q.w, q.w));
	const vi ok = has_length(n2);
	const vf one = vf_set1(1.0f);
	const vf inv = vf_div(one, vf_sqrt(n2));
	return (struct quat){ keep(ok, vf_mul(q.x, inv)), keep(ok, vf_mul(q.y, inv)),
		keep(ok, vf_mul(q.z, inv)), vf_select(ok, vf_mul(q.w, inv), one) };
}

static inline vf cross(vf a, vf b, vf c, vf d) {
	return vf_sub(vf_mul(a, b), vf_mul(c, d));
}

static inline vf twice(vf a) {
	return vf_add(a, a);
}

static inline struct vec3 rotate(struct quat q, struct vec3 v) {
	const vf cx = vf_add(cross(q.y, v.z, q.z, v.y), vf_mul(q.w, v.x));
	const vf cy = vf_add(cross(q.z, v.x, q.x, v.z), vf_mul(q.w, v.y));
	const vf cz = vf_add(cross(q.x, v.y, q.y, v.x), vf_mul(q.w, v.z));
	return (struct vec3){ vf_add(v.x, twice(cross(q.y, cz, q.z, cy))),
		vf_add(v.y, twice(cross(q.z, cx, q.x, cz))),
		vf_add(v.z, twice(cross(q.x, cy, q.y, cx))) };
}

/*
 * rotate() of (0, 0, 1) and (1, 0, 0). Products with 0 and 1 and inner sums with 0 are exact; the
 * outer sum with 0 makes -0 +0.
 */
static inline struct vec3 rotate_z(struct quat q) {
	const vf one = vf_set1(1.0f), zero = vf_zero();
	return (struct vec3){ vf_add(zero, twice(vf_add(vf_mul(q.y, q.w), vf_mul(q.z, q.x)))),
		vf_add(zero, twice(cross(q.z, q.y, q.x, q.w))),
		vf_sub(one, twice(vf_add(vf_mul(q.x, q.x), vf_mul(q.y, q.y)))) };
}

static inline struct vec3 rotate_x(struct quat q) {
	const vf one = vf_set1(1.0f), zero = vf_zero();
	return (struct vec3){ vf_sub(one, twice(vf_add(vf_mul(q.y, q.y), vf_mul(q.z, q.z)))),
		vf_add(zero, twice(vf_add(vf_mul(q.z, q.w), vf_mul(q.x, q.y)))),
		vf_add(zero, twice(cross(q.x, q.z, q.y, q.w))) };
}

static inline vf load_bytes(const uint16_t *p) {
	return vf_from_vi(vi_load_u16(p));
}

static inline vf load_signed(const uint16_t *p) {
	return vf_sub(vf_div(load_bytes(p), vf_set1(127.5f)), vf_set1(1.0f));
}

static inline struct vec3 load_map(const struct plane_in *bump, size_t i) {
	const uint16_t *p = bump->p + i;
	return (struct vec3){ load_signed(p), load_signed(p + bump->stride),
		load_signed(p + 2 * bump->stride) };
}

static inline struct vec3 mapped_normal(const struct plane_in *bump, unsigned surface, size_t i) {
	struct vec3 n = load_map(bump, i);
	if (!(surface & LIGHT_KEEP_Z)) {
		const vf rest = vf_sub(vf_sub(vf_set1(1.0f), vf_mul(n.x, n.x)), vf_mul(n.y, n.y));
		n.z = vf_sqrt(vf_max(rest, vf_zero()));
	}
	return n;
}

static inline void surface_lanes(struct light_planes *p, const float *quat,
		const struct plane_in *bump, unsigned surface, unsigned n_lanes) {
	for (size_t i = 0; i < n_lanes; i += VF_LANES) {
		const struct quat q = load_quat(quat, i);
		store_rows(p->n, i, surface & LIGHT_NORMAL_MAP ?
				rotate(q, mapped_normal(bump, surface, i)) : rotate_z(q));
		if (surface & LIGHT_TANGENT) {
			store_rows(p->t, i,
					surface & LIGHT_TANGENT_MAP &&
					!(surface & LIGHT_NORMAL_MAP) ?
							rotate(q, load_map(bump, i)) :
							rotate_x(q));
		}
	}
}

/* Separate loop with constants for the case without maps and tangent. */
static void light_surface(struct light_planes *p, const float *quat, const struct plane_in *bump,
		unsigned surface, unsigned n_lanes) {
	if (surface & (LIGHT_NORMAL_MAP | LIGHT_TANGENT)) {
		surface_lanes(p, quat, bump, surface, n_lanes);
	} else {
		surface_lanes(p, quat, bump, 0, n_lanes);
	}
}

static void light_unit(float (*dst)[BATCH], const float *src, unsigned n_lanes) {
	for (size_t i = 0; i < n_lanes; i += VF_LANES) {
		const struct vec3 v = load3(src, i);
		store_rows(dst, i, unit(v, dot(v, v)));
	}
}

static void light_fraction(float (*dst)[BATCH], const struct plane_in *src, bool inverted,
		unsigned n_planes, unsigned n_lanes) {
	for (unsigned k = 0; k < n_planes; k++) {
		const uint16_t *from = src->p + k * src->stride;
		for (size_t i = 0; i < n_lanes; i += VF_LANES) {
			const vf f = vf_div(load_bytes(from + i), vf_set1(255.0f));
			vf_store(dst[k] + i, inverted ? vf_sub(vf_set1(1.0f), f) : f);
		}
	}
}

/* ---- One light ---- */

/* The terms of the half vector, for lanes i.. of one light. */
static inline void half_vector(struct light_planes *p, unsigned flags, unsigned inputs, size_t i,
		struct vec3 n, struct vec3 l, vf d) {
	const struct vec3 v = load_rows(p->v, i);
	struct vec3 h = { vf_add(v.x, l.x), vf_add(v.y, l.y), vf_add(v.z, l.z) };
	const vf h2 = dot(h, h);
	if (flags & (LIGHT_GEOMETRIC0 | LIGHT_GEOMETRIC1)) {
		const vf g = vf_min(vf_div(d, h2), vf_set1(1.0f));
		vf_store(p->geometric + i, vf_and(vf_as_vi_bits(vf_neq(h2, vf_zero())), g));
	}
	if (!(inputs & (1 << LIGHT_NH | 1 << LIGHT_VH | 1 << LIGHT_CP))) {
		return;
	}
	h = unit(h, h2);
	const vf nh = dot(n, h);
	if (inputs >> LIGHT_NH & 1) {
		vf_store(p->input[LIGHT_NH] + i, nh);
	}
	if (inputs >> LIGHT_VH & 1) {
		vf_store(p->input[LIGHT_VH] + i, dot(v, h));
	}
	if (inputs >> LIGHT_CP & 1) {
		const struct vec3 in = { vf_sub(h.x, vf_mul(n.x, nh)), vf_sub(h.y, vf_mul(n.y, nh)),
			vf_sub(h.z, vf_mul(n.z, nh)) };
		vf_store(p->input[LIGHT_CP] + i, dot(in, load_rows(p->t, i)));
	}
}

static inline void vectors_lanes(struct light_planes *p, const float *view,
		const struct light_source *s, unsigned flags, unsigned inputs, bool distance,
		unsigned n_lanes) {
	const struct vec3 position = { vf_set1(s->position[0]), vf_set1(s->position[1]),
		vf_set1(s->position[2]) };
	const struct vec3 spot = { vf_set1(s->spot[0]), vf_set1(s->spot[1]), vf_set1(s->spot[2]) };
	for (size_t i = 0; i < n_lanes; i += VF_LANES) {
		const struct vec3 n = load_rows(p->n, i);
		struct vec3 l = position;
		vf length = vf_set1(s->length);
		if (!(flags & LIGHT_DIRECTIONAL)) {
			const struct vec3 v = load3(view, i);
			l = (struct vec3){ vf_add(l.x, v.x), vf_add(l.y, v.y), vf_add(l.z, v.z) };
			const vf n2 = dot(l, l);
			length = vf_sqrt(n2);
			l = unit(l, n2);
		}
		const vf ln = dot(n, l);
		const vf d = flags & LIGHT_TWO_SIDED ? vf_abs(ln) : vf_max(ln, vf_zero());
		vf_store(p->diffuse + i, d);
		if (inputs >> LIGHT_LN & 1) {
			vf_store(p->input[LIGHT_LN] + i, ln);
		}
		if (inputs >> LIGHT_SPOT & 1) {
			vf_store(p->input[LIGHT_SPOT] + i, dot(l, spot));
		}
		if (distance) {
			const vf x = vf_add(vf_mul(vf_set1(s->distance_scale), length),
					vf_set1(s->distance_bias));
			vf_store(p->distance + i, vf_min(vf_max(x, vf_zero()), vf_set1(1.0f)));
		}
		if (inputs >> LIGHT_NV & 1) {
			vf_store(p->input[LIGHT_NV] + i, dot(n, load_rows(p->v, i)));
		}
		if (flags & LIGHT_HALF) {
			half_vector(p, flags, inputs, i, n, l, d);
		}
	}
}

/* Separate loop with constants for most lights: directional, with the usual highlight. */
static void light_vectors(struct light_planes *p, const float *view, const struct light_source *s,
		unsigned n_lanes) {
	const bool distance = s->distance_factor.table != LIGHT_NO_TABLE;
	const unsigned flags = s->flags & (LIGHT_DIRECTIONAL | LIGHT_TWO_SIDED | LIGHT_GEOMETRIC0 |
			LIGHT_GEOMETRIC1 | LIGHT_HALF);
	const unsigned usual = LIGHT_DIRECTIONAL | LIGHT_HALF;
	if (flags == usual && s->inputs == 1 << LIGHT_NH && !distance) {
		vectors_lanes(p, view, s, usual, 1 << LIGHT_NH, false, n_lanes);
	} else {
		vectors_lanes(p, view, s, flags, s->inputs, distance, n_lanes);
	}
}

/* Four lanes of a table: `at` is the entry as a float (in range), x the place between entries. */
static inline vf interpolate(const struct light_entry *table, vf x, vf at, vi index, float scale) {
	PICA_ALIGNED(64) int32_t entry[VF_LANES];
	vf e[2];
	vi_store(entry, index);
	vf_gather2(&table->value, entry, e);
	return vf_mul(vf_add(e[0], vf_mul(e[1], vf_sub(x, at))), vf_set1(scale));
}

/* Of a table for the absolute value of x, or for its positive part. */
static inline vf look_up(const struct light_entry *table, vf x, float scale, bool absolute) {
	x = vf_mul(absolute ? vf_abs(x) : vf_max(x, vf_zero()), vf_set1(256.0f));
	const vf at = vf_min(vf_max(vf_floor(x), vf_zero()), vf_set1(255.0f));
	return interpolate(table, x, at, vi_from_vf_trunc(at), scale);
}

static void light_lookup(float *dst, const float *r, const struct light_entry *table,
		const struct light_lookup *how, bool two_sided, unsigned n_lanes) {
	if (how->is_signed) {
		for (size_t i = 0; i < n_lanes; i += VF_LANES) {
			const vf x = vf_mul(vf_load(r + i), vf_set1(128.0f));
			const vf at = vf_min(
					vf_max(vf_floor(x), vf_set1(-128.0f)), vf_set1(127.0f));
			const vi index = vi_and(vi_from_vf_trunc(at), vi_set1(255));
			vf_store(dst + i, interpolate(table, x, at, index, how->scale));
		}
		return;
	}
	for (size_t i = 0; i < n_lanes; i += VF_LANES) {
		vf_store(dst + i, look_up(table, vf_load(r + i), how->scale, two_sided));
	}
}

/* Factors of 1 and sums of 0: branches would cost more. */
static const PICA_ALIGNED(64) float ones[BATCH] = {
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
};
static const PICA_ALIGNED(64) float zeros[BATCH];

static inline const float *or_ones(const float *factor) {
	return factor ? factor : ones;
}

static inline vf attenuation(const float *distance, const float *spot, size_t i) {
	return vf_mul(vf_load(distance + i), vf_load(spot + i));
}

/* is_plain: all factors but colour and angle are 1. */
static inline void add_primary(struct light_planes *p, const struct light_source *s,
		const struct light_factors *f, bool is_plain, unsigned n_lanes) {
	const bool shaded = s->flags & LIGHT_SHADE_PRIMARY;
	const float *distance = or_ones(f->distance), *spot = or_ones(f->spot);
	for (unsigned c = 0; c < 3; c++) {
		const float *shadow = shaded ? p->shadow[c] : ones;
		const float *before = f->first & LIGHT_PRIMARY ? zeros : p->primary[c];
		const vf diffuse = vf_set1(s->diffuse[c]), ambient = vf_set1(s->ambient[c]);
		for (size_t i = 0; i < n_lanes; i += VF_LANES) {
			vf x = vf_mul(diffuse, vf_load(p->diffuse + i));
			x = vf_add(is_plain ? x : vf_mul(x, vf_load(shadow + i)), ambient);
			x = is_plain ? x : vf_mul(x, attenuation(distance, spot, i));
			vf_store(p->primary[c] + i, vf_add(vf_load(before + i), x));
		}
	}
}

/* Both highlights, or the one that has a colour. */
static inline void add_secondary(struct light_planes *p, const struct light_source *s,
		const struct light_factors *f, bool has0, bool has1, bool is_plain,
		unsigned n_lanes) {
	const float *geometric0 = s->flags & LIGHT_GEOMETRIC0 ? p->geometric : ones;
	const float *geometric1 = s->flags & LIGHT_GEOMETRIC1 ? p->geometric : ones;
	const float *d0 = or_ones(f->d0), *d1 = or_ones(f->d1);
	const float *distance = or_ones(f->distance), *spot = or_ones(f->spot);
	const float *lit = f->clamp ? p->diffuse : ones; /* 0 where not */
	const bool shaded = s->flags & LIGHT_SHADE_SECONDARY;
	for (unsigned c = 0; c < 3; c++) {
		const float *shadow = shaded ? p->shadow[c] : ones;
		const float *before = f->first & LIGHT_SECONDARY ? zeros : p->secondary[c];
		const float *reflection = or_ones(f->reflection[c]);
		const vf specular0 = vf_set1(s->specular0[c]), specular1 = vf_set1(s->specular1[c]);
		for (size_t i = 0; i < n_lanes; i += VF_LANES) {
			vf x = vf_zero();
			if (has0) {
				const vf s0 = vf_mul(specular0, vf_load(d0 + i));
				x = vf_add(x, is_plain ? s0 : vf_mul(s0, vf_load(geometric0 + i)));
			}
			if (has1) {
				vf s1 = vf_mul(specular1, vf_load(d1 + i));
				s1 = vf_mul(s1, vf_load(reflection + i));
				x = vf_add(x, vf_mul(s1, vf_load(geometric1 + i)));
			}
			if (!is_plain) {
				x = vf_and(vf_as_vi_bits(vf_neq(vf_load(lit + i), vf_zero())), x);
				x = vf_mul(x, attenuation(distance, spot, i));
				x = vf_mul(x, vf_load(shadow + i));
			}
			vf_store(p->secondary[c] + i, vf_add(vf_load(before + i), x));
		}
	}
}

static void light_add(struct light_planes *p, const struct light_source *s,
		const struct light_factors *f, unsigned n_lanes) {
	const struct light_factors factors = *f; /* stores cannot change a copy */
	const bool is_near = factors.distance || factors.spot;
	if (s->flags & LIGHT_ADDS_PRIMARY) {
		if (is_near || s->flags & LIGHT_SHADE_PRIMARY) {
			add_primary(p, s, &factors, false, n_lanes);
		} else {
			add_primary(p, s, &factors, true, n_lanes);
		}
	}
	if (!(s->flags & LIGHT_ADDS_SECONDARY)) {
		return;
	}
	const bool is_plain = !is_near && !factors.clamp &&
			!(s->flags & (LIGHT_SHADE_SECONDARY | LIGHT_GEOMETRIC0));
	if (!(s->flags & LIGHT_SPECULAR1) && s->flags & LIGHT_SPECULAR0 && is_plain) {
		add_secondary(p, s, &factors, true, false, true, n_lanes);
	} else if (!(s->flags & LIGHT_SPECULAR1)) {
		add_secondary(p, s, &factors, s->flags & LIGHT_SPECULAR0, false, false, n_lanes);
	} else if (!(s->flags & LIGHT_SPECULAR0)) {
		add_secondary(p, s, &factors, false, true, false, n_lanes);
	} else {
		add_secondary(p, s, &factors, true, true, false, n_lanes);
	}
}

static void light_scale(float *dst, const float *factor, unsigned n_lanes) {
	for (size_t i = 0; i < n_lanes; i += VF_LANES) {
		vf_store(dst + i, vf_mul(vf_load(dst + i), vf_load(factor + i)));
	}
}

/* Packing turns negative values into 0, also INT32_MIN, which comes from NaN. */
static inline vi byte4(vf a, vf bias) {
	const vf v = vf_min(vf_set1(1.0f), vf_add(a, bias));
	return vi_from_vf_trunc(vf_add(vf_mul(v, vf_set1(255.0f)), vf_set1(0.5f)));
}

static void light_bytes(uint16_t *dst, const float *src, float bias, unsigned n_lanes) {
	const vf b = vf_set1(bias);
	for (size_t i = 0; i < n_lanes; i += VH_LANES) {
		vh_store(dst + i, vh_pack_u(byte4(vf_load(src + i), b),
						byte4(vf_load(src + i + VF_LANES), b)));
	}
}

/* Constants of a plain light. */
struct plain {
	vf diffuse[3], ambient[3], bias[3], specular[3];
	const struct light_entry *table;
	float scale;
	bool two_sided;
};

static inline struct plain plain_from_draw(const struct light_draw *l) {
	const struct light_source *s = &l->source[0];
	struct plain c = { .table = l->table[l->d0.table], .scale = l->d0.scale,
		.two_sided = s->flags & LIGHT_TWO_SIDED };
	for (unsigned k = 0; k < 3; k++) {
		c.diffuse[k] = vf_set1(s->diffuse[k]);
		c.ambient[k] = vf_set1(s->ambient[k]);
		c.bias[k] = vf_set1(l->ambient[k]);
		c.specular[k] = vf_set1(s->specular0[k]);
	}
	return c;
}

/* Sums that begin with -0 give the same bytes. */
static inline void plain_lanes(vi color[6], const struct plain *c, vf r, vf diffuse) {
	const vf d0 = look_up(c->table, r, c->scale, c->two_sided);
	for (unsigned k = 0; k < 3; k++) {
		const vf x = vf_add(vf_mul(c->diffuse[k], diffuse), c->ambient[k]);
		color[k] = byte4(x, c->bias[k]);
		color[3 + k] = byte4(vf_mul(c->specular[k], d0), vf_zero());
	}
}

static void light_plain(uint16_t *dst, const struct light_planes *p, const struct light_draw *l,
		unsigned n_lanes) {
	const struct plain c = plain_from_draw(l);
	const float *r = p->input[l->d0.input];
	for (size_t i = 0, j = VF_LANES; i < n_lanes; i += VH_LANES, j += VH_LANES) {
		vi lo[6], hi[6];
		plain_lanes(lo, &c, vf_load(r + i), vf_load(p->diffuse + i));
		plain_lanes(hi, &c, vf_load(r + j), vf_load(p->diffuse + j));
		for (unsigned k = 0; k < 6; k++) {
			vh_store(dst + (k + k / 3) * BATCH + i, vh_pack_u(lo[k], hi[k]));
		}
	}
}

const struct light_kernels VFN(light_kernels) = {
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
