/* The texels of one fragment, for tools: by the arithmetic of sample_c.c. */
#include "core/base/attributes.h"
#include "pica/tex/private.h"
#include "pica_history.h"

/* Of one lane on one face: the place, and the image that holds it. */
struct place {
	const struct tex_kernels *k;
	const struct tex_desc *d;
	struct tex_image *image;
	float u, v;
	uint8_t face;
};

/* Texel (i, j) of a level, before wrapping. */
static void add(const struct place *p, const struct tex_level *level, unsigned number, int32_t i,
		int32_t j, uint32_t weight, struct pica_texture_steps *out) {
	const struct tex_desc *d = p->d;
	const bool is_shadow = tex_type_is_shadow((enum tex_type)d->type);
	const unsigned wrap_s = is_shadow ? TEX_WRAP_EDGE : d->wrap_s,
		       wrap_t = is_shadow ? TEX_WRAP_EDGE : d->wrap_t;
	const int32_t s = tex_wrap_index(i, (int32_t)level->width, wrap_s);
	const int32_t t = tex_wrap_index(j, (int32_t)level->height, wrap_t);
	/* Outside of a shadow map all is lit. */
	const bool is_border = s == TEX_BORDER || t == TEX_BORDER ||
			(d->type == TEX_SHADOW_2D && (s != i || t != j));
	const uint32_t *texels = atomic_load_explicit(&level->texels, memory_order_relaxed);
	const uint32_t texel = !is_border ?
			texels[(size_t)(t + 1) * level->stride_px + (size_t)(s + 1)] :
			is_shadow ? UINT32_MAX : d->border;
	struct pica_texel *x = &out->texel[out->n++];
	*x = (struct pica_texel){ .level = (uint8_t)number, .face = p->face, .is_border = is_border,
		.s = (uint16_t)(is_border ? 0 : s), .t = (uint16_t)(is_border ? 0 : t),
		.weight = (float)weight / 16777216.0f };
	for (unsigned c = 0; c < 4; c++) {
		x->color[c] = (uint8_t)(texel >> 8 * c);
	}
}

/* share: of the level, of 256. */
static void add_level(const struct place *p, unsigned number, bool linear, uint32_t share,
		struct pica_texture_steps *out) {
	const struct tex_level *level = tex_image_level(p->image, number, p->k);
	if (!linear) {
		const float x = tex_limit_coord(p->u * (float)level->width),
			    y = tex_limit_coord(p->v * (float)level->height);
		add(p, level, number, (int32_t)floorf(x), (int32_t)floorf(y), share << 16, out);
		return;
	}
	const struct tex_footprint s = tex_footprint(p->u, level->width),
				   t = tex_footprint(p->v, level->height);
	for (unsigned k = 0; k < 4; k++) {
		const uint32_t weight = (k & 1 ? s.w : 256 - s.w) * (k & 2 ? t.w : 256 - t.w);
		add(p, level, number, s.i + (int32_t)(k & 1), t.i + (int32_t)(k >> 1),
				weight * share, out);
	}
}

void tex_watch(const struct tex_kernels *k, const struct tex_desc *d, struct tex_image *image,
		const struct tex_cube *cube, const float *u, const float *v, const float *w,
		unsigned lane, struct pica_texture_steps *out) {
	PICA_ALIGNED(64) float s[BATCH], t[BATCH];
	struct tex_direction to;
	struct place p = { .k = k, .d = d, .image = image };
	uint32_t addr = d->addr;
	out->n = 0;
	if (!d->enabled || !d->valid) {
		return; /* a colour in its place */
	}
	if (tex_type_is_cube((enum tex_type)d->type)) {
		k->cube(&to, u, v, w, 4);
		p.face = (uint8_t)ctz32(to.face[lane]);
		p.image = cube->image[p.face];
		addr = cube->addr[p.face];
		u = to.s;
		v = to.t;
	} else if (d->type != TEX_2D && !d->ortho) {
		k->project(s, t, u, v, w, 4);
		u = s;
		v = t;
	}
	if (addr == 0 || !p.image) {
		return; /* likewise: tex_has_texels() */
	}
	p.u = u[lane];
	p.v = v[lane];
	struct tex_choice c = { .linear = d->mag_linear };
	if (tex_type_is_shadow((enum tex_type)d->type)) {
		c.linear = true;
	} else if (!tex_is_one_level(d)) {
		c = tex_choose(d, u, v);
	}
	add_level(&p, c.level, c.linear, 256u - c.fraction, out);
	if (c.fraction) {
		add_level(&p, c.next, c.linear, c.fraction, out);
	}
}
