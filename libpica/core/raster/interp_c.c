/*
 * Interpolation: [fidelity: planes], in the order written there; nothing is relative to the tile.
 */
#include "core/base/morton.h"
#include "core/raster/raster.h"

/* Value of plane p at the origin of the 8x8 block at pixel (bx, by). */
static float block_base(const struct tri *t, unsigned p, int bx, int by) {
	float x = (float)(t->pixel * bx + t->pixel / 2) - t->x0;
	float y = (float)(t->pixel * by + t->pixel / 2) - t->y0;
	return t->q0[p] + (x * t->gx[p] + y * t->gy[p]);
}

static float step_to(const struct tri *t, unsigned p, uint32_t dx, uint32_t dy) {
	const float pixel = (float)t->pixel;
	return (float)dx * (pixel * t->gx[p]) + (float)dy * (pixel * t->gy[p]);
}

static float at_pixel(const struct tri *t, unsigned p, float base, uint32_t dx, uint32_t dy) {
	return base + step_to(t, p, dx, dy);
}

void raster_steps_c(struct tri *t) {
	for (unsigned k = 0; k < t->rs->n_planes; k++) {
		const unsigned p = t->rs->plane[k];
		for (uint32_t i = 0; i < BATCH; i++) {
			t->steps[p][i] = step_to(t, p, morton8_x(i), morton8_y(i));
		}
	}
}

void raster_bases_c(const struct tri *t, int x, int y, float base[PLANE_MAX]) {
	for (unsigned k = 0; k < t->rs->n_planes; k++) {
		const unsigned p = t->rs->plane[k];
		base[p] = block_base(t, p, x, y);
	}
}

void raster_interp_block_c(const struct raster_block *at, uint32_t planes, struct batch *b) {
	for (; planes; planes &= planes - 1) {
		const unsigned p = ctz32(planes);
		for (unsigned i = 0; i < BATCH; i++) {
			b->f[p][i] = at->base[p] + at->tri->steps[p][i];
		}
	}
}

void raster_attributes_c(const struct raster_block *at, uint32_t planes, struct batch *b) {
	raster_interp_block_c(at, planes | 1u << PLANE_IW, b);
	for (unsigned i = 0; i < BATCH; i++) {
		b->f[PLANE_IW][i] = 1.0f / b->f[PLANE_IW][i];
	}
	for (planes &= at->tri->rs->perspective; planes; planes &= planes - 1) {
		const unsigned p = ctz32(planes);
		for (unsigned i = 0; i < BATCH; i++) {
			b->f[p][i] *= b->f[PLANE_IW][i];
		}
	}
}

unsigned raster_interp_quads_c(const struct tri *t, const struct raster_quad *at, unsigned n,
		struct batch *b, unsigned first, unsigned from, unsigned end) {
	for (unsigned i = 0; i < 4 * n; i++) {
		const struct raster_quad *quad = &at[i / 4];
		const int bx = quad->x & ~7, by = quad->y & ~7;
		const uint32_t dx = (uint32_t)(quad->x - bx) + (i & 1),
			       dy = (uint32_t)(quad->y - by) + (i >> 1 & 1);
		for (unsigned p = from; p < end; p++) {
			const float base = block_base(t, p, bx, by);
			b->f[p][4 * first + i] = at_pixel(t, p, base, dx, dy);
		}
	}
	return end;
}

void raster_perspective_c(const struct raster_state *rs, struct batch *b) {
	unsigned n = 4 * b->n_quads;
	for (unsigned i = 0; i < n; i++) {
		b->f[PLANE_IW][i] = 1.0f / b->f[PLANE_IW][i];
	}
	for (unsigned k = 0; k < rs->n_planes; k++) {
		unsigned p = rs->plane[k];
		if (!(rs->perspective >> p & 1)) {
			continue;
		}
		for (unsigned i = 0; i < n; i++) {
			b->f[p][i] *= b->f[PLANE_IW][i];
		}
	}
}
