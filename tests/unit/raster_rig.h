/* Triangles, kernels, coverage by definition: shared by the suites of the raster room. */
#ifndef RASTER_RIG_H
#define RASTER_RIG_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/f24.h"
#include "core/base/morton.h"
#include "core/raster/raster.h"
#include "isa_test.h"
#include "random.h"

/* Uniform enough in [lo, hi]. */
static inline int32_t random_in(int32_t lo, int32_t hi) {
	return lo + (int32_t)(random32() % (uint32_t)(hi - lo + 1));
}

static inline struct raster_kernels kernels_of(int isa) {
	struct raster_kernels k;
	seed = 0x9E3779B97F4A7C15u;
	raster_kernels_init(&k, (enum isa)isa);
	return k;
}

#define ONE_SAMPLE(f) { .subpixel_bits = 4, .n_samples = 1, .flip = (f), .tie_x = 1, .tie_y = 1, \
	.sample = { { 8, 8 } }, .first = { 8, 8 }, .last = { 8, 8 } }
static const struct raster_rule rules[2] = { ONE_SAMPLE(false), ONE_SAMPLE(true) };

static inline struct raster_state whole_plane(bool flip) {
	return (struct raster_state){
		.rule = &rules[flip],
		.perspective = ~3u, /* all but PLANE_IW and PLANE_Z */
		.n_planes = 2,
		.plane = { PLANE_IW, PLANE_Z },
		.min_x = -4096,
		.min_y = -4096,
		.max_x = 4096,
		.max_y = 4096,
	};
}

struct point {
	int32_t x, y; /* 12.4, window space */
};

/* The vertex of a window point in a target of `height` rows. */
static inline struct vert vert_at(struct point p, bool flip, int height) {
	struct vert v = { .x_fx = p.x, .y_fx = flip ? 16 * height - p.y : p.y };
	v.a[PLANE_IW] = 1.0f;
	return v;
}

/* Returns whether pixel (i, j) is covered, literally by [fidelity: fill-rule], in window space. */
static inline bool reference_covers(const struct point p[3], int i, int j) {
	struct point a = p[0], b = p[1], c = p[2];
	int64_t area2 = (int64_t)(b.x - a.x) * (c.y - a.y) - (int64_t)(b.y - a.y) * (c.x - a.x);
	if (area2 < 0) {
		struct point swap = b;
		b = c;
		c = swap;
	}
	const struct point from[3] = { a, b, c }, to[3] = { b, c, a };
	for (int k = 0; k < 3; k++) {
		int64_t dx = to[k].x - from[k].x, dy = to[k].y - from[k].y;
		int64_t e = dx * (16 * (int64_t)j + 8 - from[k].y) -
				dy * (16 * (int64_t)i + 8 - from[k].x);
		bool inclusive = dy < 0 || (dy == 0 && dx > 0);
		if (e < 0 || (e == 0 && !inclusive)) {
			return false;
		}
	}
	return area2 != 0;
}

static inline int64_t area2_of(const struct point p[3]) {
	return (int64_t)(p[1].x - p[0].x) * (p[2].y - p[0].y) -
			(int64_t)(p[1].y - p[0].y) * (p[2].x - p[0].x);
}

/* Coverage of one tile by window rows: bit x of got[row], size rows. */
static inline void cover_tile(const struct raster_kernels *k, const struct raster_state *rs,
		const struct point p[3], int height, int org_x, int org_y, int size,
		uint64_t got[64]) {
	memset(got, 0, 64 * sizeof(got[0]));
	struct vert v[3];
	for (int n = 0; n < 3; n++) {
		v[n] = vert_at(p[n], rs->rule->flip, height);
	}
	struct tri t;
	if (!k->setup(&t, rs, &v[0], &v[1], &v[2], org_x, org_y, size)) {
		return;
	}
	for (int y = 0; y < size; y += 8) {
		for (int x = 0; x < size; x += 8) {
			uint64_t mask = k->cover_block(&t, org_x + x, org_y + y);
			for (uint32_t i = 0; i < 64; i++) {
				got[y + (int)morton8_y(i)] |= (mask >> i & 1)
						<< (x + (int)morton8_x(i));
			}
		}
	}
	if (!raster_is_small(&t)) {
		return;
	}
	struct raster_quad at[RASTER_SMALL_QUADS];
	uint8_t mask[RASTER_SMALL_QUADS];
	uint64_t by_quads[64] = { 0 };
	const unsigned n = k->cover_quads(&t, at, mask);
	for (unsigned i = 0; i < n; i++) {
		const int x = at[i].x - org_x, y = at[i].y - org_y;
		HOLDS(mask[i] != 0);
		by_quads[y] |= (uint64_t)(mask[i] & 3) << x;
		by_quads[y + 1] |= (uint64_t)(mask[i] >> 2) << x;
	}
	HOLDS(memcmp(by_quads, got, sizeof(by_quads)) == 0);
}

/* A triangle of one of several kinds near the tile at (x, y) pixels. */
static inline void random_triangle(struct point p[3], int x, int y) {
	unsigned kind = random32() % 8;
	int32_t cx = 16 * x + random_in(-128, 1152), cy = 16 * y + random_in(-128, 1152);
	int32_t spread = kind == 0 ? 24 : kind == 1 ? 200 : kind < 4 ? 1500 : kind == 4 ? 8000 :
			32767;
	for (int i = 0; i < 3; i++) {
		if (kind == 5) { /* anywhere */
			p[i] = (struct point){ random_in(-32767, 32767), random_in(-32767, 32767) };
			continue;
		}
		p[i].x = cx + random_in(-spread, spread);
		p[i].y = cy + random_in(-spread, spread);
		if (kind == 3) { /* many equal coordinates, many samples on edges */
			p[i].x = (p[i].x & ~63) + 8;
			p[i].y = (p[i].y & ~63) + 8;
		}
	}
	if (kind >= 6) { /* slivers: the third vertex close to the first edge */
		int32_t f = random_in(0, 256);
		p[2].x = p[0].x + (int32_t)((int64_t)(p[1].x - p[0].x) * f / 256) +
				random_in(-3, 3);
		p[2].y = p[0].y + (int32_t)((int64_t)(p[1].y - p[0].y) * f / 256) +
				random_in(-3, 3);
	}
	for (int i = 0; i < 3; i++) {
		p[i].x = p[i].x > 32767 ? 32767 : p[i].x < -32767 ? -32767 : p[i].x;
		p[i].y = p[i].y > 32767 ? 32767 : p[i].y < -32767 ? -32767 : p[i].y;
	}
}

#endif
