#include "vc4/tex/sampler.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/base/mathfn.h"

/* ---- Configuration ---- */

static int fail(const char **why, int ret, const char *text) {
	*why = text;
	return ret;
}

/* P2 or P3. */
static int set_up_more(struct tex_setup *x, uint32_t word, const char **why) {
	switch (word >> 30) {
	case 0:
		return 0;
	case 1:
		x->cube_stride = word & 0x3FFFF000;
		x->b_is_level = word & 1;
		return 0;
	default:
		return fail(why, -EOPNOTSUPP, "child image of a texture");
	}
}

int vc4_tex_set_up(struct tex_setup *x, const struct vc4_lookup *l, const char **why) {
	const uint32_t p0 = l->word[0], p1 = l->word[1];
	const unsigned min = p1 >> 4 & 7;
	if (l->n_words < 2) {
		return fail(why, -EINVAL, "texture look-up with one parameter");
	}
	*x = (struct tex_setup){
		.base = p0 & 0x3FFFF000,
		.type = (uint8_t)((p0 >> 4 & 15) | (p1 >> 31) << 4),
		.n_levels = (uint8_t)((p0 & 15) + 1),
		.is_cube = p0 >> 9 & 1,
		.flips_y = p0 >> 8 & 1,
		.mirrors_blocks = !(p1 >> 19 & 1),
		.width = p1 >> 8 & 2047 ? p1 >> 8 & 2047 : MAX_SIZE,
		.height = p1 >> 20 & 2047 ? p1 >> 20 & 2047 : MAX_SIZE,
		.mag_is_linear = !(p1 >> 7 & 1),
		.min_is_linear = min == 0 || min == 4 || min == 5,
		.has_mips = min >= 2,
		.mips_are_linear = min == 3 || min == 5,
		.wrap_t = p1 >> 2 & 3,
		.wrap_s = p1 & 3,
	};
	if (min > 5) {
		return fail(why, -EINVAL, "reserved minification filter");
	}
	if (!vc4_texel_bytes(x->type)) {
		return fail(why, x->type <= 17 ? -EOPNOTSUPP : -EINVAL, "texture type");
	}
	if (x->n_levels > VC4_TEX_LEVELS || (x->type == VC4_TYPE_RASTER && x->n_levels > 1)) {
		return fail(why, -EINVAL, "more levels than a texture has");
	}
	int ret = 0;
	for (unsigned i = 2; !ret && i < l->n_words; i++) {
		ret = set_up_more(x, l->word[i], why);
	}
	return ret;
}

/* ---- Levels ---- */

static uint32_t power_of_two(uint32_t n) {
	uint32_t p = 1;
	while (p < n) {
		p *= 2;
	}
	return p;
}

/* Beyond level 0, memory is sized for the next powers of two. */
static struct vc4_image image_of(const struct tex_setup *x, unsigned level) {
	uint32_t width = level ? power_of_two(x->width) >> level : x->width;
	uint32_t height = level ? power_of_two(x->height) >> level : x->height;
	const unsigned bytes = vc4_texel_bytes(x->type);
	width = width ? width : 1;
	height = height ? height : 1;
	if (x->type == VC4_TYPE_ETC1) {
		width = (width + 3) / 4;
		height = (height + 3) / 4;
	}
	return (struct vc4_image){
		.layout = (uint8_t)(x->type == VC4_TYPE_RASTER ? VC4_IMAGE_RASTER :
				vc4_layout_of_texture(width, height, bytes)),
		.px_bytes = (uint8_t)bytes,
		.width = (uint16_t)width,
		.height = (uint16_t)height,
	};
}

static int open_level(const struct tex_setup *x, const struct space *space, unsigned face,
		unsigned level, struct tex_level *v, const char **why) {
	uint32_t address = x->base + face * x->cube_stride;
	for (unsigned i = 1; i <= level; i++) {
		v->image = image_of(x, i);
		address -= vc4_image_bytes(&v->image);
	}
	v->image = image_of(x, level);
	v->width = (int32_t)(x->width >> level ? x->width >> level : 1);
	v->height = (int32_t)(x->height >> level ? x->height >> level : 1);
	v->host = space_host_from(space, address & ADDRESS_MASK, &v->avail);
	v->is_whole = v->host && vc4_image_bytes(&v->image) <= v->avail;
	return v->host ? 0 : fail(why, -ERANGE, "texture outside of memory");
}

/* ---- Texels ---- */

/* Returns the index, or -1 for the border. */
static int32_t wrap(int32_t i, int32_t size, enum wrap mode) {
	switch (mode) {
	case WRAP_REPEAT:
		i %= size;
		return i < 0 ? i + size : i;
	case WRAP_CLAMP:
		return i < 0 ? 0 : i >= size ? size - 1 : i;
	case WRAP_MIRROR:
		i %= 2 * size;
		i = i < 0 ? i + 2 * size : i;
		return i < size ? i : 2 * size - 1 - i;
	case WRAP_BORDER:
		break;
	}
	return i < 0 || i >= size ? -1 : i;
}

/* One lane of a look-up. */
struct lane {
	const struct tex_setup *x;
	const struct tex_level *v;
	float s, t;
	uint32_t border;
	bool is_outside; /* a texel was outside of memory */
};

static uint32_t texel(struct lane *k, int32_t i, int32_t j) {
	const struct tex_setup *x = k->x;
	const struct tex_level *v = k->v;
	i = wrap(i, v->width, x->is_cube ? WRAP_CLAMP : x->wrap_s);
	j = wrap(j, v->height, x->is_cube ? WRAP_CLAMP : x->wrap_t);
	if (i < 0 || j < 0) {
		return k->border;
	}
	const uint32_t a = (uint32_t)i, b = (uint32_t)(x->flips_y ? v->height - 1 - j : j);
	const unsigned block_bits = x->type == VC4_TYPE_ETC1 ? 2 : 0;
	const uint32_t offset = vc4_image_offset(&v->image, a >> block_bits, b >> block_bits);
	if (offset + v->image.px_bytes > v->avail) {
		k->is_outside = true;
		return 0;
	}
	return vc4_texel(x->type, v->host + offset, a & 3, x->mirrors_blocks ? 3 - (b & 3) : b & 3);
}

/* A coordinate in texels, of which floor() fits an int32. */
static float position(float c, int32_t size, float less) {
	const float x = c * (float)size - less;
	return !isfinite(x) ? 0.0f : x < -0x1p30f ? -0x1p30f : x > 0x1p30f ? 0x1p30f : x;
}

static uint32_t nearest(struct lane *k) {
	return texel(k, (int32_t)floorf(position(k->s, k->v->width, 0)),
			(int32_t)floorf(position(k->t, k->v->height, 0)));
}

static uint32_t bilinear(struct lane *k) {
	const float u = position(k->s, k->v->width, 0.5f), v = position(k->t, k->v->height, 0.5f);
	const int32_t i = (int32_t)floorf(u), j = (int32_t)floorf(v);
	const uint32_t wu = (uint32_t)((u - (float)i) * 256.0f);
	const uint32_t wv = (uint32_t)((v - (float)j) * 256.0f);
	const uint32_t c00 = texel(k, i, j), c10 = texel(k, i + 1, j);
	const uint32_t c01 = texel(k, i, j + 1), c11 = texel(k, i + 1, j + 1);
	uint32_t out = 0;
	for (unsigned at = 0; at < 32; at += 8) {
		const uint32_t sum = (c00 >> at & 255) * (256 - wu) * (256 - wv) +
				(c10 >> at & 255) * wu * (256 - wv) +
				(c01 >> at & 255) * (256 - wu) * wv + (c11 >> at & 255) * wu * wv;
		out |= (sum + 0x8000) >> 16 << at;
	}
	return out;
}

/* f in 256ths of b. */
static uint32_t blend(uint32_t a, uint32_t b, uint32_t f) {
	uint32_t out = 0;
	for (unsigned at = 0; at < 32; at += 8) {
		out |= ((a >> at & 255) * (256 - f) + (b >> at & 255) * f + 128) >> 8 << at;
	}
	return out;
}

/* ---- Coordinates ---- */

/* The face that a direction meets. */
static unsigned face_of(const float d[3]) {
	const float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]);
	const unsigned axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
	return 2 * axis + (d[axis] < 0);
}

/* Position on the face, by OpenGL's table. */
static void on_face(unsigned face, const float d[3], float *s, float *t) {
	const float m = fabsf(d[face / 2]);
	const float sc[6] = { -d[2], d[2], d[0], d[0], d[0], -d[0] };
	const float tc[6] = { -d[1], -d[1], d[2], -d[2], -d[1], -d[1] };
	*s = (sc[face] / m + 1) * 0.5f;
	*t = (tc[face] / m + 1) * 0.5f;
}

/* Coordinates of the lanes of one quad on the face of its lane `on`. */
static void coordinates(const struct vc4_lookup *l, const struct tex_setup *x, unsigned first,
		unsigned on, float s[4], float t[4], unsigned *face) {
	float d[4][3];
	for (unsigned i = 0; i < 4; i++) {
		d[i][0] = s[i] = tex_number(l->s[first + i]);
		d[i][1] = t[i] = tex_number(l->t[first + i]);
		d[i][2] = tex_number(l->r[first + i]);
	}
	*face = x->is_cube ? face_of(d[on]) : 0;
	for (unsigned i = 0; x->is_cube && i < 4; i++) {
		on_face(*face, d[i], &s[i], &t[i]);
	}
}

float vc4_tex_detail(const struct tex_setup *x, const float s[4], const float t[4]) {
	double most = 0;
	for (unsigned i = 1; i <= 2; i++) {
		const double du = ((double)s[i] - (double)s[0]) * x->width;
		const double dv = ((double)t[i] - (double)t[0]) * x->height;
		const double square = du * du + dv * dv;
		most = square > most ? square : most;
	}
	return most > 0 && isfinite(most) ? (float)(0.5 * math_log2(most)) : -INFINITY;
}

/* ---- Look-ups ---- */

static uint32_t sample_level(struct lane *k, bool is_linear) {
	return is_linear ? bilinear(k) : nearest(k);
}

int vc4_tex_use(struct tex_levels *m, unsigned face, unsigned level, const struct tex_level **out) {
	struct tex_level *v = &m->level[face][level];
	int ret = 0;
	if (!(m->open[face] >> level & 1)) {
		ret = open_level(m->x, m->l->space, face, level, v, m->why);
		m->open[face] |= (uint16_t)(1u << level);
	}
	*out = v;
	return ret;
}

static int sample(struct tex_levels *m, unsigned face, float lod, struct lane *k, uint32_t *out) {
	const struct tex_setup *x = m->x;
	const float last = (float)(x->n_levels - 1);
	int ret;
	if (!(lod > 0) || !x->has_mips) {
		ret = vc4_tex_use(m, face, 0, &k->v);
		*out = ret ? 0 : sample_level(k, lod > 0 ? x->min_is_linear : x->mag_is_linear);
	} else if (!x->mips_are_linear) {
		ret = vc4_tex_use(m, face, (unsigned)((lod < last ? lod : last) + 0.5f), &k->v);
		*out = ret ? 0 : sample_level(k, x->min_is_linear);
	} else {
		lod = lod < last ? lod : last;
		const unsigned level = (unsigned)lod;
		const uint32_t f = (uint32_t)((lod - (float)level) * 256.0f);
		ret = vc4_tex_use(m, face, level, &k->v);
		*out = ret ? 0 : sample_level(k, x->min_is_linear);
		if (!ret && f) {
			ret = vc4_tex_use(m, face, level + 1, &k->v);
			*out = ret ? 0 : blend(*out, sample_level(k, x->min_is_linear), f);
		}
	}
	return !ret && k->is_outside ? fail(m->why, -ERANGE, "texture outside of memory") : ret;
}

int vc4_tex_sample_quad(struct tex_levels *m, unsigned first, uint32_t out[4]) {
	const struct vc4_lookup *l = m->l;
	const struct tex_setup *x = m->x;
	float s[4], t[4], lod = 0;
	unsigned face;
	coordinates(l, x, first, 0, s, t, &face);
	if (!x->b_is_level && (x->has_mips || x->min_is_linear != x->mag_is_linear)) {
		lod = vc4_tex_detail(x, s, t);
	}
	for (unsigned i = 0; i < 4; i++) {
		const unsigned lane = first + i;
		struct lane k = { .x = x, .border = l->r[lane] };
		if (!(l->lanes >> lane & 1)) {
			continue;
		}
		if (x->is_cube && i > 0) {
			coordinates(l, x, first, i, s, t, &face);
		}
		k.s = s[i];
		k.t = t[i];
		const float b = tex_number(l->b[lane]);
		int ret = sample(m, face, x->b_is_level ? b : lod + b, &k, &out[i]);
		if (ret) {
			return ret;
		}
	}
	return 0;
}

static int read_words(const struct vc4_lookup *l, unsigned strict, uint32_t out[VC4_TEX_LANES],
		const char **why) {
	for (unsigned i = 0; i < VC4_TEX_LANES; i++) {
		if (!(l->lanes >> i & 1)) {
			continue;
		}
		const uint8_t *p = space_host(l->space, l->s[i] & ADDRESS_MASK & ~3u, 4);
		if (p) {
			memcpy(&out[i], p, sizeof(out[i]));
		} else if (strict >> i & 1) {
			return fail(why, -ERANGE, "look-up outside of memory");
		}
	}
	return 0;
}

int vc4_texture_look_up(const struct vc4_lookup *l, unsigned strict, uint32_t out[VC4_TEX_LANES],
		const char **why) {
	memset(out, 0, VC4_TEX_LANES * sizeof(*out));
	if (!l->n_words) {
		return read_words(l, strict, out, why);
	}
	struct tex_setup x;
	int ret = vc4_tex_set_up(&x, l, why);
	if (ret) {
		return ret;
	}
	struct tex_levels m;
	m.l = l;
	m.x = &x;
	m.why = why;
	memset(m.open, 0, sizeof(m.open));
	for (unsigned i = 0; !ret && i < VC4_TEX_LANES; i += 4) {
		ret = vc4_tex_sample_quad(&m, i, out + i);
	}
	return ret;
}

static bool masks(unsigned mode, int32_t size) {
	return mode == WRAP_REPEAT && !(size & (size - 1));
}

bool vc4_tex_one_image(struct vc4_tex_one *out, const struct space *space, unsigned n_words,
		const uint32_t word[4]) {
	struct vc4_lookup l = { .space = space, .n_words = n_words };
	struct tex_setup x;
	struct tex_level v;
	const char *why;
	memcpy(l.word, word, sizeof(l.word));
	if (vc4_tex_set_up(&x, &l, &why) || x.has_mips || x.min_is_linear != x.mag_is_linear ||
			x.is_cube || vc4_texel_bytes(x.type) != 4 || x.type == VC4_TYPE_ETC1 ||
			open_level(&x, space, 0, 0, &v, &why) || !v.is_whole) {
		return false;
	}
	const int32_t utiles = (v.width + 3) / 4;
	*out = (struct vc4_tex_one){ .host = v.host,
		.width = v.width,
		.height = v.height,
		.across = v.image.layout == VC4_IMAGE_T  ? (utiles + 7) / 8 :
				v.image.layout == VC4_IMAGE_LT ? 64 * utiles :
								 16 * utiles,
		.layout = v.image.layout,
		.wrap_s = masks(x.wrap_s, v.width) ? VC4_WRAP_MASK : x.wrap_s,
		.wrap_t = masks(x.wrap_t, v.height) ? VC4_WRAP_MASK : x.wrap_t,
		.is_linear = x.mag_is_linear,
		.flips_y = x.flips_y,
		.is_opaque = x.type == 1 };
	return true;
}

void vc4_tex_kernels_init(struct vc4_tex_kernels *k, enum isa isa) {
	k->look_up = vc4_texture_look_up;
	k->sample = NULL;
	ISA_INIT(vc4_tex, isa, k)
}
