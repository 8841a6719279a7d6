/* Set-up, coverage, interpolation: every variant against C, byte for byte. */
#include "kern.h"

#include <string.h>

#include "core/base/attributes.h"
#include "core/base/morton.h"
#include "core/raster/raster.h"

static const uint32_t canonical_nan = 0x7FC00000;

/* Makes all NaNs equal: their bits are not specified. */
static void canonical(float *f, size_t n) {
	for (size_t i = 0; i < n; i++) {
		if (f[i] != f[i]) {
			memcpy(&f[i], &canonical_nan, sizeof(f[i]));
		}
	}
}

/* Of the sample positions some lie on the pixel's border. */
static const struct raster_rule *random_rule(void) {
	static struct raster_rule r;
	memset(&r, 0, sizeof(r));
	r.subpixel_bits = kern_random() & 3 ? 4 : (uint8_t)kern_random_in(0, 4);
	r.n_samples = kern_random() & 1 ? 1 : RASTER_SAMPLES;
	r.flip = kern_random() & 1;
	r.tie_x = kern_random() & 1 ? 1 : -1;
	r.tie_y = kern_random() & 1 ? 1 : -1;
	r.first = (struct raster_sample){ 15, 15 };
	for (unsigned i = 0; i < r.n_samples; i++) {
		struct raster_sample *s = &r.sample[i];
		s->x = (int32_t)kern_random_in(0, (1 << r.subpixel_bits) - 1);
		s->y = (int32_t)kern_random_in(0, (1 << r.subpixel_bits) - 1);
		r.first.x = s->x < r.first.x ? s->x : r.first.x;
		r.first.y = s->y < r.first.y ? s->y : r.first.y;
		r.last.x = s->x > r.last.x ? s->x : r.last.x;
		r.last.y = s->y > r.last.y ? s->y : r.last.y;
	}
	return &r;
}

static void random_state(struct raster_state *rs, int org_x, int org_y) {
	memset(rs, 0, sizeof(*rs));
	rs->rule = random_rule();
	rs->perspective = (uint32_t)kern_random() & ~3u;
	rs->plane[rs->n_planes++] = PLANE_IW;
	unsigned most = (unsigned)kern_random_in(0, 3);
	for (unsigned p = 1; p < PLANE_MAX; p++) {
		if (kern_random() % 4 < most) {
			rs->plane[rs->n_planes++] = (uint8_t)p;
		}
	}
	bool all = kern_random() & 1;
	rs->min_x = all ? 0 : org_x + (int32_t)kern_random_in(-10, 70);
	rs->min_y = all ? 0 : org_y + (int32_t)kern_random_in(-10, 70);
	rs->max_x = all ? 2047 : org_x + (int32_t)kern_random_in(-10, 70);
	rs->max_y = all ? 2047 : org_y + (int32_t)kern_random_in(-10, 70);
	rs->exclude = kern_random() % 4 == 0;
	rs->ex_min_x = org_x + (int32_t)kern_random_in(-10, 70);
	rs->ex_min_y = org_y + (int32_t)kern_random_in(-10, 70);
	rs->ex_max_x = org_x + (int32_t)kern_random_in(-10, 70);
	rs->ex_max_y = org_y + (int32_t)kern_random_in(-10, 70);
}

static int32_t clamp15(int64_t x) {
	return x < -32767 ? -32767 : x > 32767 ? 32767 : (int32_t)x;
}

static void random_triangle(struct vert v[3], int org_x, int org_y) {
	do {
		static const int spreads[] = { 20, 100, 1000, 5000, 40000 };
		int spread = spreads[kern_random() % ARRAY_LEN(spreads)];
		int64_t x = 16 * org_x + kern_random_in(0, 1023),
			y = 16 * org_y + kern_random_in(0, 1023);
		for (int i = 0; i < 3; i++) {
			v[i].x_fx = clamp15(x + kern_random_in(-spread, spread));
			v[i].y_fx = clamp15(y + kern_random_in(-spread, spread));
			if (kern_random() % 4 == 0) { /* samples on edges */
				v[i].x_fx = (v[i].x_fx & ~15) + 8;
				v[i].y_fx = (v[i].y_fx & ~15) + 8;
			}
		}
	} while ((int64_t)(v[1].x_fx - v[0].x_fx) * (v[2].y_fx - v[0].y_fx) ==
			(int64_t)(v[1].y_fx - v[0].y_fx) * (v[2].x_fx - v[0].x_fx));
	for (int i = 0; i < 3; i++) {
		for (int p = 0; p < PLANE_MAX; p++) {
			v[i].a[p] = kern_random_float();
		}
	}
}

/* Box, edges and planes, without what set-up leaves undefined. */
static void defined_part(const struct tri *t, struct tri *out) {
	const struct raster_state *rs = t->rs;
	memset(out, 0, sizeof(*out));
	out->rs = rs;
	out->min_x = t->min_x;
	out->min_y = t->min_y;
	out->max_x = t->max_x;
	out->max_y = t->max_y;
	out->org_x = t->org_x;
	out->org_y = t->org_y;
	for (unsigned k = 0; k < 3; k++) {
		for (unsigned s = 0; s < rs->rule->n_samples; s++) {
			out->e[s][k] = t->e[s][k];
		}
		out->ex[k] = t->ex[k];
		out->ey[k] = t->ey[k];
	}
	out->pixel = t->pixel;
	out->x0 = t->x0;
	out->y0 = t->y0;
	for (unsigned p = 0; p < tri_planes(rs); p++) {
		out->q0[p] = t->q0[p];
		out->gx[p] = t->gx[p];
		out->gy[p] = t->gy[p];
	}
	canonical(out->q0, PLANE_MAX);
	canonical(out->gx, PLANE_MAX);
	canonical(out->gy, PLANE_MAX);
}

static void compare_batches(const char *name, enum isa isa, struct batch *c, struct batch *v) {
	canonical(&c->f[0][0], sizeof(c->f) / sizeof(float));
	canonical(&v->f[0][0], sizeof(v->f) / sizeof(float));
	kern_same(name, isa, c, v, sizeof(*c));
}

static void compare_triangle(const struct raster_kernels *c, const struct raster_kernels *v,
		enum isa isa, struct batch *bc, struct batch *bv) {
	int org_x = 8 * (int)kern_random_in(0, 248), org_y = 8 * (int)kern_random_in(0, 248);
	int size = kern_random() & 1 ? 32 : 64;
	struct raster_state rs;
	struct vert vert[3];
	struct tri tc, tv;
	random_state(&rs, org_x, org_y);
	random_triangle(vert, org_x, org_y);
	bool any = c->setup(&tc, &rs, &vert[0], &vert[1], &vert[2], org_x, org_y, size);
	kern_check("setup", isa,
			any ==
					v->setup(&tv, &rs, &vert[0], &vert[1], &vert[2], org_x,
							org_y, size));
	if (!any) {
		return;
	}
	struct tri dc, dv;
	defined_part(&tc, &dc);
	defined_part(&tv, &dv);
	kern_same("setup", isa, &dc, &dv, sizeof(dc));
	for (int y = org_y; y < org_y + size; y += 8) {
		for (int x = org_x; x < org_x + size; x += 8) {
			uint64_t want = c->cover_block(&tc, x, y), got = v->cover_block(&tc, x, y);
			kern_same("cover_block", isa, &want, &got, sizeof(want));
			if (rs.rule->n_samples == RASTER_SAMPLES) {
				uint64_t samples_c[RASTER_SAMPLES], samples_v[RASTER_SAMPLES];
				c->cover_samples(&tc, x, y, samples_c);
				v->cover_samples(&tc, x, y, samples_v);
				kern_same("cover_samples", isa, samples_c, samples_v,
						sizeof(samples_c));
			}
		}
	}
	if (raster_is_small(&tc)) {
		struct {
			struct raster_quad at[RASTER_SMALL_QUADS];
			uint8_t mask[RASTER_SMALL_QUADS];
		} want, got;
		const unsigned n = c->cover_quads(&tc, want.at, want.mask);
		const unsigned m = v->cover_quads(&tv, got.at, got.mask);
		kern_same("cover_quads", isa, &n, &m, sizeof(n));
		kern_same("cover_quads places", isa, want.at, got.at, n * sizeof(want.at[0]));
		kern_same("cover_quads pixels", isa, want.mask, got.mask, n);
	}
	kern_random_bytes(bc, sizeof(*bc));
	memcpy(bv, bc, sizeof(*bc));
	int x = org_x + 8 * (int)kern_random_in(0, size / 8 - 1);
	int y = org_y + 8 * (int)kern_random_in(0, size / 8 - 1);
	struct raster_block block_c = { .tri = &tc }, block_v = { .tri = &tv };
	uint32_t planes = 0;
	for (unsigned i = 0; i < rs.n_planes; i++) {
		planes |= 1u << rs.plane[i];
	}
	c->steps(&tc);
	v->steps(&tv);
	c->bases(&tc, x, y, block_c.base);
	v->bases(&tv, x, y, block_v.base);
	c->interp_block(&block_c, planes, bc);
	v->interp_block(&block_v, planes, bv);
	compare_batches("interp_block", isa, bc, bv);
	planes &= (uint32_t)kern_random() & ~(1u << PLANE_IW);
	c->attributes(&block_c, planes, bc);
	v->attributes(&block_v, planes, bv);
	compare_batches("attributes", isa, bc, bv);
	struct raster_quad at[BATCH_QUADS];
	for (unsigned q = 0; q < BATCH_QUADS; q++) { /* of any blocks of the tile */
		at[q].x = org_x + 2 * (int)kern_random_in(0, size / 2 - 1);
		at[q].y = org_y + 2 * (int)kern_random_in(0, size / 2 - 1);
	}
	const unsigned first = (unsigned)kern_random_in(0, BATCH_QUADS);
	const unsigned n = (unsigned)kern_random_in(0, BATCH_QUADS - first);
	const unsigned from = 4 * (unsigned)kern_random_in(0, tri_planes(&rs) / 4);
	const unsigned end = 4 * (unsigned)kern_random_in(from / 4, tri_planes(&rs) / 4);
	const unsigned done = v->interp_quads(&tc, at, n, bv, first, from, end);
	const bool is_enough = done >= end && done <= tri_planes(&rs), yes = true;
	kern_same("interp_quads end", isa, &yes, &is_enough, sizeof(yes));
	c->interp_quads(&tc, at, n, bc, first, from, done);
	compare_batches("interp_quads", isa, bc, bv);
	bc->n_quads = bv->n_quads = (unsigned)kern_random_in(0, BATCH_QUADS);
	c->perspective(&rs, bc);
	v->perspective(&rs, bv);
	kern_forget(bv->f, bc->f, PLANE_MAX, 4 * bc->n_quads, sizeof(float));
	compare_batches("perspective", isa, bc, bv);
}

/* ---- Bench ---- */

static volatile uint64_t sink;

static void bench(enum isa isa) {
	enum { TRIANGLES = 64 };
	static const struct raster_rule rule = { .subpixel_bits = 4, .n_samples = 1, .tie_x = 1,
		.tie_y = 1, .sample = { { 8, 8 } }, .first = { 8, 8 }, .last = { 8, 8 } };
	static struct vert v[TRIANGLES][3];
	struct raster_state rs = { .rule = &rule, .perspective = ~3u, .n_planes = 8, .max_x = 399,
		.max_y = 239 };
	struct batch *b = kern_buffer(sizeof(*b));
	struct raster_quad quads[BATCH_QUADS], covered[RASTER_SMALL_QUADS];
	uint8_t mask[RASTER_SMALL_QUADS];
	static struct tri t, small;
	struct raster_block block = { .tri = &t };
	struct raster_kernels k;
	raster_kernels_init(&k, isa);
	for (uint8_t p = 0; p < 8; p++) {
		rs.plane[p] = p; /* 1/w, z/w, colour, one pair of coordinates */
	}
	for (int i = 0; i < TRIANGLES; i++) {
		for (int n = 0; n < 3; n++) {
			v[i][n].x_fx = (n == 1 ? 1008 : 16) + i % 8;
			v[i][n].y_fx = (n == 2 ? 1008 : 16) + i / 8;
			for (int p = 0; p < PLANE_MAX; p++) {
				v[i][n].a[p] = 1.0f + (float)(p + n) / 64.0f;
			}
		}
	}
	for (unsigned q = 0; q < BATCH_QUADS; q++) {
		quads[q].x = 16 + (int)morton8_x(4 * q);
		quads[q].y = 16 + (int)morton8_y(4 * q);
	}
	b->n_quads = BATCH_QUADS;
	KERN_BENCH("setup-8planes-per-triangle", isa, TRIANGLES) {
		for (int i = 0; i < TRIANGLES; i++) {
			k.setup(&t, &rs, &v[i][0], &v[i][1], &v[i][2], 0, 0, 64);
		}
	}
	small = t; /* its 8 x 8 pixels there */
	small.min_x = 24;
	small.min_y = 32;
	small.max_x = 31;
	small.max_y = 39;
	KERN_BENCH("cover_block-per-block", isa, 64) {
		for (int i = 0; i < 64; i++) {
			sink = k.cover_block(&t, i % 8 * 8, i / 8 * 8);
		}
	}
	KERN_BENCH("cover_block-partial-per-block", isa, 8) {
		for (int i = 0; i < 64; i += 8) {
			sink = k.cover_block(&t, 56 - i, i); /* along the diagonal edge */
		}
	}
	KERN_BENCH("cover_quads-per-quad", isa, 16) sink = k.cover_quads(&small, covered, mask);
	KERN_BENCH("steps-8planes-per-pixel", isa, BATCH) k.steps(&t);
	KERN_BENCH("interp_block-8planes-per-pixel", isa, BATCH) {
		k.bases(&t, 16, 16, block.base);
		k.interp_block(&block, 0xFF, b);
	}
	KERN_BENCH("attributes-6planes-per-pixel", isa, BATCH) {
		k.bases(&t, 16, 16, block.base);
		k.attributes(&block, 0xFC, b);
	}
	KERN_BENCH("interp_quads-8planes-per-pixel", isa, BATCH) {
		for (unsigned q = 0; q < BATCH_QUADS; q += 4) { /* a small triangle's */
			k.interp_quads(&t, quads + q, 4, b, q, 0, tri_planes(&rs));
		}
	}
	KERN_BENCH("perspective-8planes-per-pixel", isa, BATCH) {
		for (int i = 0; i < BATCH; i++) {
			b->f[PLANE_IW][i] = 1.0f;
		}
		k.perspective(&rs, b);
	}
	kern_done(b);
}

static struct raster_kernels plain;
static struct batch *bc, *bv;

static void open_batches(void) {
	bc = kern_buffer(sizeof(*bc));
	bv = kern_buffer(sizeof(*bv));
	raster_kernels_init(&plain, ISA_C);
}

static void check(enum isa isa) {
	struct raster_kernels v;
	raster_kernels_init(&v, isa);
	kern_slots(isa, "raster", &plain, &v, sizeof(v));
	for (int round = 0; round < 3000; round++) {
		compare_triangle(&plain, &v, isa, bc, bv);
	}
}

static void close_batches(void) {
	kern_done(bc);
}

const struct kern_suite kern_suite = { "raster", open_batches, check, bench, close_batches };
