/*
 * Look-ups on vectors: texture.c to the bit. The quads of a vector are sampled together if they
 * have the same levels. texture.c handles cubes, ETC1, levels that are partly outside memory, and
 * quads whose lanes have different levels.
 */
#include <math.h>
#include <string.h>

#include "vc4/tex/sample_v.h"

enum { QUAD = 4, QUADS = VC4_TEX_LANES / QUAD };

/* ---- Texels ---- */

static vi field(vi v, int at, int bits) {
	return vi_and(vi_srl(v, at), vi_set1((1 << bits) - 1));
}

static vi rgba(vi r, vi g, vi b, vi a) {
	return vi_or(vi_or(r, vi_sll(g, 8)), vi_or(vi_sll(b, 16), vi_sll(a, 24)));
}

static vi expand_4(vi v) {
	return vi_or(v, vi_sll(v, 4));
}

static vi expand_5(vi v) {
	return vi_or(vi_sll(v, 3), vi_srl(v, 2));
}

static vi expand_6(vi v) {
	return vi_or(vi_sll(v, 2), vi_srl(v, 4));
}

/* vc4_texel() of all types but ETC1. */
static vi decode(unsigned type, vi v) {
	const vi full = vi_set1(255);
	switch (type) {
	case 1:
		return vi_or(v, vi_set1((int32_t)0xFF000000));
	case 2:
		return rgba(expand_4(vi_srl(v, 12)), expand_4(field(v, 8, 4)),
				expand_4(field(v, 4, 4)), expand_4(field(v, 0, 4)));
	case 3:
		return rgba(expand_5(vi_srl(v, 11)), expand_5(field(v, 6, 5)),
				expand_5(field(v, 1, 5)), vi_mul(field(v, 0, 1), full));
	case 4:
		return rgba(expand_5(vi_srl(v, 11)), expand_6(field(v, 5, 6)),
				expand_5(field(v, 0, 5)), full);
	case 5:
		return rgba(v, v, v, full);
	case 6:
		return vi_sll(v, 24);
	case 7: {
		const vi l = field(v, 0, 8);
		return rgba(l, l, l, vi_srl(v, 8));
	}
	default:
		return v;
	}
}

/*
 * The share of a column and of a row of taps in an offset: see layout.c. In layout T that of the
 * tile depends on both: rows of tiles go to the right and (odd) to the left, and sub-tiles of the
 * right half have the other order.
 */
struct column {
	vi outside, low, right, tile, tile_back;
};
struct row {
	vi outside, low, odd, sub, sub_right;
};

struct shape {
	int px, wb, hb; /* log2 of the bytes of a pixel, of the sides of a micro-tile */
	int32_t across; /* micro-tiles */
};

static struct shape shape_of(const struct vc4_image *image) {
	const int px = image->px_bytes == 1 ? 0 : image->px_bytes == 2 ? 1 : 2;
	const int wb = px == 2 ? 2 : 3, hb = px == 0 ? 3 : 2;
	return (struct shape){ px, wb, hb, (image->width + (1 << wb) - 1) >> wb };
}

static vi mask_of_bit(vi v) {
	return vi_sub(vi_zero(), vi_and(v, vi_set1(1)));
}

static struct column column_of(const struct tex_setup *x, const struct tex_level *v, vi i) {
	const struct shape s = shape_of(&v->image);
	struct column c;
	c.outside = vi_zero();
	i = wrap(i, v->width, x->wrap_s, &c.outside);
	c.right = c.tile = c.tile_back = c.outside;
	if (v->image.layout == VC4_IMAGE_RASTER) {
		c.low = vi_sll(i, s.px);
		return c;
	}
	const vi in_x = vi_sll(vi_and(i, vi_set1((1 << s.wb) - 1)), s.px), utile = vi_srl(i, s.wb);
	if (v->image.layout == VC4_IMAGE_LT) {
		c.low = vi_add(in_x, vi_sll(utile, 6));
		return c;
	}
	const vi tile = vi_srl(utile, 3);
	c.low = vi_add(in_x, vi_sll(vi_and(utile, vi_set1(3)), 6));
	c.right = mask_of_bit(vi_srl(utile, 2));
	c.tile = vi_sll(tile, 12);
	c.tile_back = vi_sll(vi_sub(vi_set1(((s.across + 7) >> 3) - 1), tile), 12);
	return c;
}

static struct row row_of(const struct tex_setup *x, const struct tex_level *v, vi j) {
	const struct shape s = shape_of(&v->image);
	struct row r;
	r.outside = vi_zero();
	j = wrap(j, v->height, x->wrap_t, &r.outside);
	j = x->flips_y ? vi_sub(vi_set1(v->height - 1), j) : j;
	r.odd = r.sub = r.sub_right = r.outside;
	if (v->image.layout == VC4_IMAGE_RASTER) {
		r.low = vi_mul(j, vi_set1(s.across << (s.wb + s.px)));
		return r;
	}
	const vi in_y = vi_sll(vi_and(j, vi_set1((1 << s.hb) - 1)), s.wb + s.px);
	const vi utile = vi_srl(j, s.hb);
	if (v->image.layout == VC4_IMAGE_LT) {
		r.low = vi_add(in_y, vi_mul(utile, vi_set1(s.across << 6)));
		return r;
	}
	/* In even rows down, right, up from the first sub-tile; odd ones begin two further on. */
	const vi down = vi_and(vi_srl(utile, 2), vi_set1(1)), tile = vi_srl(utile, 3);
	r.odd = mask_of_bit(tile);
	const vi further = vi_and(r.odd, vi_set1(2));
	r.low = vi_add(vi_add(in_y, vi_sll(vi_and(utile, vi_set1(3)), 8)),
			vi_mul(tile, vi_set1(((s.across + 7) >> 3) << 12)));
	r.sub = vi_sll(vi_xor(down, further), 10);
	r.sub_right = vi_sll(vi_xor(vi_sub(vi_set1(3), down), further), 10);
	return r;
}

static vi load(const uint8_t *host, const uint32_t at[VF_LANES], unsigned bytes) {
	PICA_ALIGNED(64) uint32_t words[VF_LANES];
	uint16_t half;
	for (unsigned k = 0; bytes == 1 && k < VF_LANES; k++) {
		words[k] = host[at[k]];
	}
	for (unsigned k = 0; bytes == 2 && k < VF_LANES; k++) {
		memcpy(&half, host + at[k], sizeof(half));
		words[k] = half;
	}
	for (unsigned k = 0; bytes == 4 && k < VF_LANES; k++) {
		memcpy(&words[k], host + at[k], sizeof(words[k]));
	}
	return vi_load(words);
}

/* One texel a lane. */
static vi texels(const struct tex_setup *x, const struct tex_level *v, const struct column *c,
		const struct row *r, vi border) {
	PICA_ALIGNED(64) uint32_t at[VF_LANES];
	vi offset = vi_add(c->low, r->low);
	if (v->image.layout == VC4_IMAGE_T) {
		offset = vi_add(offset, vi_add(vi_select(r->odd, c->tile_back, c->tile),
				vi_select(c->right, r->sub_right, r->sub)));
	}
	vi_store(at, offset);
	const vi color = decode(x->type, load(v->host, at, v->image.px_bytes));
	return vi_select(vi_or(c->outside, r->outside), border, color);
}

/* ---- Filters ---- */

static vi nearest(const struct tex_setup *x, const struct tex_level *v, vf s, vf t,
		vi border) {
	const vi i = vi_from_vf_trunc(vf_floor(position(s, v->width, 0)));
	const vi j = vi_from_vf_trunc(vf_floor(position(t, v->height, 0)));
	const struct column c = column_of(x, v, i);
	const struct row r = row_of(x, v, j);
	return texels(x, v, &c, &r, border);
}

static vi bilinear(const struct tex_setup *x, const struct tex_level *v, vf s, vf t,
		vi border) {
	const vf u = position(s, v->width, 0.5f), w = position(t, v->height, 0.5f);
	const vf fu = vf_floor(u), fw = vf_floor(w);
	const vi wu = vi_from_vf_trunc(vf_mul(vf_sub(u, fu), vf_set1(256.0f)));
	const vi ww = vi_from_vf_trunc(vf_mul(vf_sub(w, fw), vf_set1(256.0f)));
	const vi i = vi_from_vf_trunc(fu), j = vi_from_vf_trunc(fw), one = vi_set1(1);
	const struct column c0 = column_of(x, v, i), c1 = column_of(x, v, vi_add(i, one));
	const struct row r0 = row_of(x, v, j), r1 = row_of(x, v, vi_add(j, one));
	const vi c00 = texels(x, v, &c0, &r0, border), c10 = texels(x, v, &c1, &r0, border);
	const vi c01 = texels(x, v, &c0, &r1, border), c11 = texels(x, v, &c1, &r1, border);
	const vi even = rows_mixed(mix(low_bytes(c00), low_bytes(c10), wu),
			mix(low_bytes(c01), low_bytes(c11), wu), ww);
	const vi odd = rows_mixed(mix(low_bytes(vi_srl(c00, 8)), low_bytes(vi_srl(c10, 8)), wu),
			mix(low_bytes(vi_srl(c01, 8)), low_bytes(vi_srl(c11, 8)), wu), ww);
	return vi_or(even, vi_sll(odd, 8));
}

/* f in 256ths of b. */
static vi blend(vi a, vi b, int32_t f) {
	const vi w = vi_set1(f), half = vi_set1(0x00800080);
	const vi even = mix(low_bytes(a), low_bytes(b), w);
	const vi odd = mix(low_bytes(vi_srl(a, 8)), low_bytes(vi_srl(b, 8)), w);
	return vi_or(low_bytes(vi_srl(vi_add(even, half), 8)),
			vi_sll(low_bytes(vi_srl(vi_add(odd, half), 8)), 8));
}

/* ---- Quads ---- */

/* The two levels of a quad, and their sampling; f in 256ths of the second. */
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

static vi sample(const struct tex_setup *x, const struct choice *c, unsigned k, vf s, vf t,
		vi border) {
	return c->is_linear ? bilinear(x, c->v[k], s, t, border) :
			      nearest(x, c->v[k], s, t, border);
}

/* The level of detail of a quad, b the same in its lanes. */
static float detail_of(const struct tex_levels *m, unsigned first) {
	const struct vc4_lookup *l = m->l;
	const struct tex_setup *x = m->x;
	const float b = tex_number(l->b[first]);
	if (x->b_is_level || (!x->has_mips && x->min_is_linear == x->mag_is_linear)) {
		return b;
	}
	float s[QUAD], t[QUAD];
	for (unsigned i = 0; i < QUAD; i++) {
		s[i] = tex_number(l->s[first + i]);
		t[i] = tex_number(l->t[first + i]);
	}
	return vc4_tex_detail(x, s, t) + b;
}

/* Chooses levels for a quad, or looks it up in texture.c. Returns like choose(). */
static int begin_quad(struct tex_levels *m, unsigned first, struct choice *c, bool *can,
		uint32_t out[QUAD]) {
	const struct tex_setup *x = m->x;
	const uint32_t *b = m->l->b + first;
	int ret = 0;
	*can = !x->is_cube && x->type != VC4_TYPE_ETC1 && b[0] == b[1] && b[0] == b[2] &&
			b[0] == b[3];
	if (*can) {
		ret = choose(m, detail_of(m, first), c, can);
	}
	return ret || *can ? ret : vc4_tex_sample_quad(m, first, out);
}

static bool is_same(const struct choice *a, const struct choice *b) {
	return a->v[0] == b->v[0] && a->f == b->f && a->is_linear == b->is_linear;
}

/* All lanes of a vector from lane `first` on, as c says. */
static vi sample_vector(const struct tex_levels *m, unsigned first, const struct choice *c) {
	const struct vc4_lookup *l = m->l;
	const vf s = coordinates(l->s + first), t = coordinates(l->t + first);
	const vi border = vi_loadu(l->r + first);
	const vi color = sample(m->x, c, 0, s, t, border);
	return c->f ? blend(color, sample(m->x, c, 1, s, t, border), c->f) : color;
}

/* Samples quads that vectors can handle, those of equal choices together. */
static void sample_quads(const struct tex_levels *m, unsigned quads,
		const struct choice choice[QUADS], uint32_t out[VC4_TEX_LANES]) {
	enum { OF_VECTOR = VF_LANES / QUAD };
	for (unsigned first = 0; first < QUADS; first += OF_VECTOR) {
		unsigned left = quads >> first & ((1u << OF_VECTOR) - 1);
		while (left) {
			const struct choice *c = &choice[first + ctz32(left)];
			unsigned lanes = 0;
			for (unsigned k = 0; k < OF_VECTOR; k++) {
				if (left >> k & 1 && is_same(c, &choice[first + k])) {
					lanes |= 15u << (QUAD * k);
					left &= ~(1u << k);
				}
			}
			lanes &= m->l->lanes >> (QUAD * first);
			uint32_t *to = out + QUAD * first;
			vi_storeu(to, vi_select(vi_mask_from_bits(lanes),
					sample_vector(m, QUAD * first, c), vi_loadu(to)));
		}
	}
}

/* Whether the level of detail does not matter. */
static bool has_one_level(const struct tex_setup *x) {
	return !x->has_mips && x->min_is_linear == x->mag_is_linear && !x->is_cube &&
			x->type != VC4_TYPE_ETC1;
}

static void sample_all(const struct tex_levels *m, const struct choice *c,
		uint32_t out[VC4_TEX_LANES]) {
	for (unsigned first = 0; first < VC4_TEX_LANES; first += VF_LANES) {
		const unsigned lanes = m->l->lanes >> first;
		if (lanes) {
			vi_storeu(out + first, vi_and(vi_mask_from_bits(lanes),
					sample_vector(m, first, c)));
		}
	}
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
	struct choice choice[QUADS];
	unsigned quads = 0;
	if (has_one_level(&x)) {
		bool can;
		ret = choose(&m, 0, &choice[0], &can);
		if (!ret && can) {
			sample_all(&m, &choice[0], out);
			return 0;
		}
	}
	for (unsigned k = 0; !ret && k < QUADS; k++) {
		if (l->lanes >> (QUAD * k) & 15) {
			bool can;
			ret = begin_quad(&m, QUAD * k, &choice[k], &can, out + QUAD * k);
			quads |= (unsigned)can << k;
		}
	}
	if (!ret) {
		sample_quads(&m, quads, choice, out);
	}
	return ret;
}

void VFN(vc4_tex_kernels_init)(struct vc4_tex_kernels *k) {
	k->look_up = look_up;
	k->sample = VFN(vc4_tex_sample);
}
