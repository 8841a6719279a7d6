/*
 * Look-ups by quads: texture.c to the bit. Quads of cubes, of ETC1, of levels that are not wholly
 * in memory, and those whose lanes have levels of their own, are left to that.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/vec/vec.h"
#include "vc4/tex/sampler.h"

enum { QUAD = 4 };

/* ---- Texels ---- */

static bool is_power_of_two(int32_t n) {
	return !(n & (n - 1));
}

/* Modulo n; n > 0. */
static vqi modulo(vqi i, int32_t n) {
	PICA_ALIGNED(16) int32_t lanes[QUAD];
	if (is_power_of_two(n)) {
		return vqi_and(i, vqi_set1(n - 1));
	}
	vqi_store(lanes, i);
	for (unsigned k = 0; k < QUAD; k++) {
		lanes[k] %= n;
		lanes[k] += lanes[k] < 0 ? n : 0;
	}
	return vqi_load(lanes);
}

static vqi clamp(vqi i, int32_t size) {
	return vqi_max(vqi_zero(), vqi_min(i, vqi_set1(size - 1)));
}

/* The index; what lies in the border is added to *border. */
static vqi wrap(vqi i, int32_t size, enum wrap mode, vqi *border) {
	switch (mode) {
	case WRAP_REPEAT:
		return modulo(i, size);
	case WRAP_CLAMP:
		return clamp(i, size);
	case WRAP_MIRROR:
		i = modulo(i, 2 * size);
		return vqi_min(i, vqi_sub(vqi_set1(2 * size - 1), i));
	case WRAP_BORDER:
		break;
	}
	const vqi inside = clamp(i, size);
	*border = vqi_or(*border, vqi_xor(vqi_eq(inside, i), vqi_set1(-1)));
	return inside;
}

/* vc4_image_offset(): see layout.c. */
static vqi offsets(const struct vc4_image *image, vqi x, vqi y) {
	const int px = image->px_bytes == 1 ? 0 : image->px_bytes == 2 ? 1 : 2;
	const int wb = px == 2 ? 2 : 3, hb = px == 0 ? 3 : 2;
	const int32_t across = (image->width + (1 << wb) - 1) >> wb;
	if (image->layout == VC4_IMAGE_RASTER) {
		return vqi_sll(vqi_add(vqi_mul(y, vqi_set1(across << wb)), x), px);
	}
	const vqi ux = vqi_srl(x, wb), uy = vqi_srl(y, hb);
	const vqi in_x = vqi_and(x, vqi_set1((1 << wb) - 1));
	const vqi in_y = vqi_and(y, vqi_set1((1 << hb) - 1));
	const vqi inside = vqi_sll(vqi_add(vqi_sll(in_y, wb), in_x), px);
	if (image->layout == VC4_IMAGE_LT) {
		return vqi_add(inside, vqi_sll(vqi_add(vqi_mul(uy, vqi_set1(across)), ux), 6));
	}
	const vqi one = vqi_set1(1), three = vqi_set1(3);
	const vqi tiles = vqi_set1((across + 7) >> 3);
	const vqi row = vqi_srl(uy, 3), column = vqi_srl(ux, 3);
	const vqi odd = vqi_sub(vqi_zero(), vqi_and(row, one)); /* a mask */
	const vqi back = vqi_sub(vqi_sub(tiles, one), column);
	const vqi tile = vqi_add(vqi_mul(row, tiles), vqi_select(odd, back, column));
	/* In even rows: down, right, up from the first; odd ones begin two further on. */
	const vqi right = vqi_sub(vqi_zero(), vqi_and(vqi_srl(ux, 2), one));
	const vqi down = vqi_and(vqi_srl(uy, 2), one);
	const vqi even_sub = vqi_select(right, vqi_sub(three, down), down);
	const vqi sub = vqi_xor(even_sub, vqi_and(odd, vqi_set1(2)));
	const vqi utile = vqi_add(vqi_sll(vqi_and(uy, three), 2), vqi_and(ux, three));
	return vqi_add(vqi_add(inside, vqi_sll(utile, 6)),
			vqi_add(vqi_sll(sub, 10), vqi_sll(tile, 12)));
}

static vqi field(vqi v, int at, int bits) {
	return vqi_and(vqi_srl(v, at), vqi_set1((1 << bits) - 1));
}

static vqi rgba(vqi r, vqi g, vqi b, vqi a) {
	return vqi_or(vqi_or(r, vqi_sll(g, 8)), vqi_or(vqi_sll(b, 16), vqi_sll(a, 24)));
}

static vqi expand_4(vqi v) {
	return vqi_or(v, vqi_sll(v, 4));
}

static vqi expand_5(vqi v) {
	return vqi_or(vqi_sll(v, 3), vqi_srl(v, 2));
}

static vqi expand_6(vqi v) {
	return vqi_or(vqi_sll(v, 2), vqi_srl(v, 4));
}

/* vc4_texel() of all types but ETC1. */
static vqi decode(unsigned type, vqi v) {
	const vqi full = vqi_set1(255);
	switch (type) {
	case 1:
		return vqi_or(v, vqi_set1((int32_t)0xFF000000));
	case 2:
		return rgba(expand_4(vqi_srl(v, 12)), expand_4(field(v, 8, 4)),
				expand_4(field(v, 4, 4)), expand_4(field(v, 0, 4)));
	case 3:
		return rgba(expand_5(vqi_srl(v, 11)), expand_5(field(v, 6, 5)),
				expand_5(field(v, 1, 5)), vqi_mul(field(v, 0, 1), full));
	case 4:
		return rgba(expand_5(vqi_srl(v, 11)), expand_6(field(v, 5, 6)),
				expand_5(field(v, 0, 5)), full);
	case 5:
		return rgba(v, v, v, full);
	case 6:
		return vqi_sll(v, 24);
	case 7: {
		const vqi l = field(v, 0, 8);
		return rgba(l, l, l, vqi_srl(v, 8));
	}
	default:
		return v;
	}
}

/* Indices of a column or row of taps, and a mask of those that lie in the border. */
struct line {
	vqi i, outside;
};

static struct line column_of(const struct tex_setup *x, const struct tex_level *v, vqi i) {
	struct line c = { .outside = vqi_zero() };
	c.i = wrap(i, v->width, x->wrap_s, &c.outside);
	return c;
}

static struct line row_of(const struct tex_setup *x, const struct tex_level *v, vqi j) {
	struct line r = { .outside = vqi_zero() };
	r.i = wrap(j, v->height, x->wrap_t, &r.outside);
	r.i = x->flips_y ? vqi_sub(vqi_set1(v->height - 1), r.i) : r.i;
	return r;
}

static vqi load(const uint8_t *host, const uint32_t at[QUAD], unsigned bytes) {
	switch (bytes) {
	case 1:
		return vqi_load_words(host, at, 1);
	case 2:
		return vqi_load_words(host, at, 2);
	default:
		return vqi_load_words(host, at, 4);
	}
}

/* One texel a lane. */
static vqi texels(const struct tex_setup *x, const struct tex_level *v, struct line column,
		struct line row, vqi border) {
	PICA_ALIGNED(16) uint32_t at[QUAD];
	vqi_store(at, offsets(&v->image, column.i, row.i));
	const vqi color = decode(x->type, load(v->host, at, v->image.px_bytes));
	return vqi_select(vqi_or(column.outside, row.outside), border, color);
}

/* ---- Filters ---- */

/* A coordinate in texels, of which floor() fits an int32. */
static vqf position(vqf c, int32_t size, float less) {
	vqf x = vqf_sub(vqf_mul(c, vqf_set1((float)size)), vqf_set1(less));
	const vqi is_finite = vqf_le(vqf_abs(x), vqf_set1(FLT_MAX));
	x = vqf_select(is_finite, x, vqf_zero());
	return vqf_min(vqf_max(x, vqf_set1(-0x1p30f)), vqf_set1(0x1p30f));
}

static vqi low_bytes(vqi v) {
	return vqi_and(v, vqi_set1(0x00FF00FF));
}

/* Two channels: a * (256 - w) + b * w in fields of 16 bits. */
static vqi mix(vqi a, vqi b, vqi w) {
	return vqi_add(vqi_mul(a, vqi_sub(vqi_set1(256), w)), vqi_mul(b, w));
}

/* Of a field: (a * (256 - w) + b * w + 2^15) >> 16. */
static vqi mix_rounded(vqi a, vqi b, vqi w) {
	return vqi_srl(vqi_add(mix(a, b, w), vqi_set1(0x8000)), 16);
}

static vqi rows_mixed(vqi a, vqi b, vqi w) {
	const vqi field_low = vqi_set1(0xFFFF);
	const vqi low = mix_rounded(vqi_and(a, field_low), vqi_and(b, field_low), w);
	return vqi_or(low, vqi_sll(mix_rounded(vqi_srl(a, 16), vqi_srl(b, 16), w), 16));
}

static vqi nearest(const struct tex_setup *x, const struct tex_level *v, vqf s, vqf t,
		vqi border) {
	const vqi i = vqi_from_vf_trunc(vqf_floor(position(s, v->width, 0)));
	const vqi j = vqi_from_vf_trunc(vqf_floor(position(t, v->height, 0)));
	return texels(x, v, column_of(x, v, i), row_of(x, v, j), border);
}

static vqi bilinear(const struct tex_setup *x, const struct tex_level *v, vqf s, vqf t,
		vqi border) {
	const vqf u = position(s, v->width, 0.5f), w = position(t, v->height, 0.5f);
	const vqf fu = vqf_floor(u), fw = vqf_floor(w);
	const vqi wu = vqi_from_vf_trunc(vqf_mul(vqf_sub(u, fu), vqf_set1(256.0f)));
	const vqi ww = vqi_from_vf_trunc(vqf_mul(vqf_sub(w, fw), vqf_set1(256.0f)));
	const vqi i = vqi_from_vf_trunc(fu), j = vqi_from_vf_trunc(fw), one = vqi_set1(1);
	const struct line c0 = column_of(x, v, i), c1 = column_of(x, v, vqi_add(i, one));
	const struct line r0 = row_of(x, v, j), r1 = row_of(x, v, vqi_add(j, one));
	const vqi c00 = texels(x, v, c0, r0, border), c10 = texels(x, v, c1, r0, border);
	const vqi c01 = texels(x, v, c0, r1, border), c11 = texels(x, v, c1, r1, border);
	const vqi even = rows_mixed(mix(low_bytes(c00), low_bytes(c10), wu),
			mix(low_bytes(c01), low_bytes(c11), wu), ww);
	const vqi odd = rows_mixed(mix(low_bytes(vqi_srl(c00, 8)), low_bytes(vqi_srl(c10, 8)), wu),
			mix(low_bytes(vqi_srl(c01, 8)), low_bytes(vqi_srl(c11, 8)), wu), ww);
	return vqi_or(even, vqi_sll(odd, 8));
}

/* f in 256ths of b. */
static vqi blend(vqi a, vqi b, int32_t f) {
	const vqi w = vqi_set1(f), half = vqi_set1(0x00800080);
	const vqi even = mix(low_bytes(a), low_bytes(b), w);
	const vqi odd = mix(low_bytes(vqi_srl(a, 8)), low_bytes(vqi_srl(b, 8)), w);
	return vqi_or(low_bytes(vqi_srl(vqi_add(even, half), 8)),
			vqi_sll(low_bytes(vqi_srl(vqi_add(odd, half), 8)), 8));
}

/* ---- Quads ---- */

/* The two levels of a quad, and how they are sampled; f in 256ths of the second. */
struct choice {
	const struct tex_level *v[2];
	int32_t f;
	bool is_linear;
};

/* Returns 0 or -ERANGE. *can is false if the quad is not for vectors. */
static int choose(struct tex_levels *m, float lod, struct choice *c, bool *can) {
	const struct tex_setup *x = m->x;
	const float last = (float)(x->n_levels - 1);
	unsigned level = 0;
	c->f = 0;
	c->is_linear = lod > 0 ? x->min_is_linear : x->mag_is_linear;
	if (lod > 0 && x->has_mips) {
		lod = lod < last ? lod : last;
		level = (unsigned)(x->mips_are_linear ? lod : lod + 0.5f);
		c->f = x->mips_are_linear ? (int32_t)((lod - (float)level) * 256.0f) : 0;
	}
	int ret = vc4_tex_use(m, 0, level, &c->v[0]);
	*can = !ret && c->v[0]->is_whole;
	if (!ret && c->f) {
		ret = vc4_tex_use(m, 0, level + 1, &c->v[1]);
		*can = !ret && *can && c->v[1]->is_whole;
	}
	return ret;
}

static vqi sample(const struct tex_setup *x, const struct choice *c, unsigned k, vqf s, vqf t,
		vqi border) {
	return c->is_linear ? bilinear(x, c->v[k], s, t, border) :
			      nearest(x, c->v[k], s, t, border);
}

static vqf coordinates(const uint32_t c[QUAD]) {
	const vqi bits = vqi_loadu(c);
	return vqf_as_vi_bits(vqi_and(bits, vqi_gt(vqi_and(bits, vqi_set1(0x7FFFFFFF)),
			vqi_set1(0x007FFFFF))));
}

static int sample_quad(struct tex_levels *m, unsigned first, uint32_t *out) {
	const struct vc4_lookup *l = m->l;
	const struct tex_setup *x = m->x;
	const uint32_t *b = l->b + first;
	bool can = !x->is_cube && x->type != VC4_TYPE_ETC1 && b[0] == b[1] && b[0] == b[2] &&
			b[0] == b[3];
	if (!can) {
		return vc4_tex_sample_quad(m, first, out);
	}
	const vqf s = coordinates(l->s + first), t = coordinates(l->t + first);
	float lod = tex_number(b[0]);
	if (!x->b_is_level && (x->has_mips || x->min_is_linear != x->mag_is_linear)) {
		PICA_ALIGNED(16) float su[QUAD], tu[QUAD];
		vqf_store(su, s);
		vqf_store(tu, t);
		lod = vc4_tex_detail(x, su, tu) + lod;
	}
	struct choice c;
	int ret = choose(m, lod, &c, &can);
	if (ret || !can) {
		return ret ? ret : vc4_tex_sample_quad(m, first, out);
	}
	const vqi border = vqi_loadu(l->r + first);
	vqi color = sample(x, &c, 0, s, t, border);
	if (c.f) {
		color = blend(color, sample(x, &c, 1, s, t, border), c.f);
	}
	vqi_storeu(out, vqi_and(color, vqi_mask_from_bits(l->lanes >> first & 15)));
	return 0;
}

static int look_up(const struct vc4_lookup *l, unsigned strict, uint32_t out[VC4_TEX_LANES],
		const char **why) {
	if (!l->n_words) {
		return vc4_texture_look_up(l, strict, out, why);
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
	memset(out, 0, VC4_TEX_LANES * sizeof(*out));
	for (unsigned i = 0; !ret && i < VC4_TEX_LANES; i += QUAD) {
		if (l->lanes >> i & 15) {
			ret = sample_quad(&m, i, out + i);
		}
	}
	return ret;
}

void VFN(vc4_tex_kernels_init)(struct vc4_tex_kernels *k) {
	k->look_up = look_up;
}
