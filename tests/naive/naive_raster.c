/*
 * Coverage and interpolation of one screen triangle, pixel by pixel in ascending memory order
 * (fidelity: fill-rule, depth, interpolation, rows, planes; docs/fidelity.md 1).
 *
 * Coverage is decided in window space (y up). Interpolation works in set-up space, where y counts
 * memory rows: the two differ only by a mirror when register 11E bit 24 is set.
 */
#include "naive_state.h"

#include <string.h>

#include "core/base/f24.h"
#include "pica/regs/regs.h"

/* ---- Coverage ---- */

struct point {
	int64_t x, y;
};

static int64_t edge(struct point a, struct point b, struct point p) {
	return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/* Left edges and lower horizontal edges own their samples. */
static bool is_inclusive(struct point a, struct point b) {
	const int64_t dx = b.x - a.x, dy = b.y - a.y;
	return dy < 0 || (dy == 0 && dx > 0);
}

static bool covers(const struct point v[3], struct point p) {
	for (unsigned i = 0; i < 3; i++) {
		const struct point a = v[i], b = v[(i + 1) % 3];
		const int64_t e = edge(a, b, p);
		if (e < 0 || (e == 0 && !is_inclusive(a, b))) {
			return false;
		}
	}
	return true;
}

static bool passes_scissor(const struct naive *n, int64_t x, int64_t y) {
	const uint32_t pos = n->regs[REG_SCISSORTEST_POS];
	const uint32_t dim = n->regs[REG_SCISSORTEST_DIM];
	const bool inside =
		x >= (int64_t)SCISSORTEST_POS_X1(pos) && x <= (int64_t)SCISSORTEST_DIM_X2(dim) &&
		y >= (int64_t)SCISSORTEST_POS_Y1(pos) && y <= (int64_t)SCISSORTEST_DIM_Y2(dim);
	switch (SCISSORTEST_MODE_MODE(n->regs[REG_SCISSORTEST_MODE])) {
	case SCISSOR_INSIDE:
		return inside;
	case SCISSOR_OUTSIDE:
		return !inside;
	default:
		return true;
	}
}

/* ---- Interpolation: [fidelity: planes], in this order of operations ---- */

struct setup {
	int32_t x0, y0; /* 12.4, y in memory rows */
	float dx1, dx2, dy1, dy2; /* X1-X0, X2-X0, Y1-Y0, Y2-Y0 */
	float inv;
};

static float plane_at(
	const struct setup *s, float q0, float q1, float q2, unsigned x, unsigned row) {
	const float gx = ((q1 - q0) * s->dy2 - (q2 - q0) * s->dy1) * s->inv;
	const float gy = ((q2 - q0) * s->dx1 - (q1 - q0) * s->dx2) * s->inv;
	const int32_t bx = (int32_t)(x & ~7u), by = (int32_t)(row & ~7u);
	const float base =
		q0 + ((float)(16 * bx + 8 - s->x0) * gx + (float)(16 * by + 8 - s->y0) * gy);
	const float dx = (float)(x & 7), dy = (float)(row & 7);
	return base + (dx * (16.0f * gx) + dy * (16.0f * gy));
}

static float inverse_w(const struct setup *s, const struct naive_screen_vertex v[3], unsigned x,
		unsigned row) {
	return plane_at(s, v[0].iw, v[1].iw, v[2].iw, x, row);
}

static float attribute(const struct setup *s, const struct naive_screen_vertex v[3], unsigned sem,
		unsigned x, unsigned row) {
	const float q = plane_at(s, v[0].s[sem], v[1].s[sem], v[2].s[sem], x, row);
	return q * (1.0f / inverse_w(s, v, x, row));
}

static float depth(const struct naive *n, const struct setup *s,
		const struct naive_screen_vertex v[3], unsigned x, unsigned row) {
	const float scale = f24_to_f32(n->regs[REG_DEPTHMAP_SCALE]);
	const float offset = f24_to_f32(n->regs[REG_DEPTHMAP_OFFSET]);
	const float zow = plane_at(s, v[0].zow, v[1].zow, v[2].zow, x, row);
	float d = zow * scale + offset;
	if (DEPTHMAP_ENABLE_MODE(n->regs[REG_DEPTHMAP_ENABLE]) == DEPTHMAP_W) {
		d = d * (1.0f / inverse_w(s, v, x, row));
	}
	d = d > 0.0f ? d : 0.0f;
	return d < 1.0f ? d : 1.0f;
}

static uint8_t color_byte(float a) {
	float v = a > 0.0f ? a : 0.0f;
	v = v < 1.0f ? v : 1.0f;
	return (uint8_t)(int)(v * 255.0f + 0.5f);
}

/* ---- One pixel ---- */

static unsigned tex_coord(const struct naive *n, unsigned unit) {
	static const unsigned sem[4] = {SEM_TEX0, SEM_TEX1, SEM_TEX2, SEM_TEX0};
	if (unit == 3) {
		return sem[TEXUNIT_CONFIG_COORD3(n->regs[REG_TEXUNIT_CONFIG])];
	}
	if (unit == 2 && TEXUNIT_CONFIG_UNIT2_COORD1(n->regs[REG_TEXUNIT_CONFIG])) {
		return SEM_TEX1;
	}
	return sem[unit];
}

/* The colours of combiner sources 1 and 2, from quaternion, view vector and texels. */
static void light(struct naive *n, const struct setup *s, const struct naive_screen_vertex v[3],
		unsigned x, unsigned row, uint8_t tex[4][4]) {
	float quat[4], view[3];
	memset(n->lit, 0, sizeof(n->lit));
	if (LIGHTING_ENABLE1_DISABLE(n->regs[REG_LIGHTING_ENABLE1])) {
		return;
	}
	for (unsigned k = 0; k < 4; k++) {
		quat[k] = attribute(s, v, SEM_QUAT + k, x, row);
	}
	for (unsigned k = 0; k < 3; k++) {
		view[k] = attribute(s, v, SEM_VIEW + k, x, row);
	}
	naive_light(n, quat, view, tex, n->lit);
}

static void pixel(struct naive *n, const struct setup *s, const struct naive_screen_vertex v[3],
		const float flat[4], unsigned x, unsigned row, uint64_t index) {
	uint8_t primary[4];
	uint8_t tex[4][4];
	const bool is_flat = RASTER_FLAT_ENABLE(n->regs[REG_RASTER_FLAT]);
	for (unsigned k = 0; k < 4; k++) {
		primary[k] = color_byte(is_flat ? flat[k] : attribute(s, v, SEM_COLOR + k, x, row));
	}
	for (unsigned unit = 0; unit < 4; unit++) {
		const bool enabled = unit == 3 ?
				TEXUNIT_CONFIG_ENABLE3(n->regs[REG_TEXUNIT_CONFIG]) :
				n->draw.tex[unit].enabled;
		const unsigned sem = tex_coord(n, unit);
		float at[4][3] = {{0}}, uv[4][2];
		if (enabled) {
			/* The pixel, then lanes 0, 1, 2 of its quad, covered or not. */
			const unsigned qx = x & ~1u, qy = row & ~1u;
			const unsigned px[4] = {x, qx, qx + 1, qx};
			const unsigned py[4] = {row, qy, qy, qy + 1};
			for (unsigned i = 0; i < 4; i++) {
				at[i][0] = attribute(s, v, sem, px[i], py[i]);
				at[i][1] = attribute(s, v, sem + 1, px[i], py[i]);
				at[i][2] = attribute(s, v, SEM_TEX0_W, px[i], py[i]);
			}
		}
		for (unsigned i = 0; i < 4; i++) {
			uv[i][0] = at[i][0];
			uv[i][1] = at[i][1];
		}
		if (unit == 0) {
			naive_sample_unit0(&n->draw, (const float(*)[3])at, tex[unit]);
		} else if (unit < 3) {
			naive_sample(&n->draw.tex[unit], (const float(*)[2])uv, tex[unit]);
		} else if (enabled) {
			naive_proctex(n, (const float(*)[2])uv, tex[unit]);
		} else {
			memset(tex[unit], 0, sizeof(tex[unit]));
		}
	}
	light(n, s, v, x, row, tex);
	n->stats.covered++;
	naive_fragment(n, index, depth(n, s, v, x, row), primary, tex);
}

bool naive_block_position(const struct naive_draw *d, uint64_t block, unsigned *bx, unsigned *by) {
	const unsigned width = d->width / 8;
	if (!d->block32) {
		*bx = (unsigned)(block % width);
		*by = (unsigned)(block / width);
		return true;
	}
	/*
	 * 32x32 super-blocks row by row, 4x4 blocks in Z order inside [guess, fidelity:
	 * framebuffer].
	 */
	const unsigned supers = (width + 3) / 4;
	const unsigned z = (unsigned)(block % 16);
	const uint64_t super = block / 16;
	*bx = (unsigned)(super % supers) * 4 + (z & 1) + (z >> 2 & 1) * 2;
	*by = (unsigned)(super / supers) * 4 + (z >> 1 & 1) + (z >> 3 & 1) * 2;
	return *bx < width;
}

static int32_t min3(int32_t a, int32_t b, int32_t c) {
	const int32_t m = a < b ? a : b;
	return m < c ? m : c;
}

static int32_t max3(int32_t a, int32_t b, int32_t c) {
	const int32_t m = a > b ? a : b;
	return m > c ? m : c;
}

/* Corners in window space, counter-clockwise. */
static void turn(const struct naive_screen_vertex v[3], struct point p[3]) {
	for (unsigned i = 0; i < 3; i++) {
		p[i] = (struct point){v[i].x, v[i].y};
	}
	if (edge(p[0], p[1], p[2]) < 0) {
		const struct point swap = p[1];
		p[1] = p[2];
		p[2] = swap;
	}
}

static int64_t window_row(const struct naive *n, unsigned row) {
	return n->draw.is_flipped ? (int64_t)n->draw.height - 1 - row : row;
}

bool naive_covers(const struct naive *n, const struct naive_screen_vertex v[3], unsigned x,
		unsigned row) {
	struct point p[3];
	turn(v, p);
	return covers(p, (struct point){16 * (int64_t)x + 8, 16 * window_row(n, row) + 8});
}

bool naive_scissor(const struct naive *n, unsigned x, unsigned row) {
	return passes_scissor(n, x, window_row(n, row));
}

void naive_raster(struct naive *n, const struct naive_screen_vertex v[3], const float flat[4]) {
	const struct naive_draw *d = &n->draw;
	if (d->is_silent) {
		return;
	}
	struct point p[3];
	turn(v, p);
	naive_watch_raster(n, v);

	int32_t y[3]; /* set-up space */
	for (unsigned i = 0; i < 3; i++) {
		y[i] = d->is_flipped ? 16 * (int32_t)d->height - v[i].y : v[i].y;
	}
	const int64_t area2 = (int64_t)(v[1].x - v[0].x) * (y[2] - y[0]) -
			(int64_t)(y[1] - y[0]) * (v[2].x - v[0].x);
	const struct setup s = {
		.x0 = v[0].x,
		.y0 = y[0],
		.dx1 = (float)v[1].x - (float)v[0].x,
		.dx2 = (float)v[2].x - (float)v[0].x,
		.dy1 = (float)y[1] - (float)y[0],
		.dy2 = (float)y[2] - (float)y[0],
		.inv = 1.0f / (float)area2,
	};

	/* Pixels whose samples can lie in the bounding box, rounded outward. */
	const int32_t min_x = min3(v[0].x, v[1].x, v[2].x) / 16 - 1;
	const int32_t max_x = max3(v[0].x, v[1].x, v[2].x) / 16 + 1;
	const int32_t min_row = min3(y[0], y[1], y[2]) / 16 - 1;
	const int32_t max_row = max3(y[0], y[1], y[2]) / 16 + 1;
	const uint64_t rows_of_blocks = ((uint64_t)d->height + 31) / 32 * 4;
	const uint64_t blocks = rows_of_blocks * ((d->width / 8 + 3) / 4 * 4);
	for (uint64_t block = 0; block < blocks; block++) {
		unsigned bx, by;
		if (!naive_block_position(d, block, &bx, &by) || (int32_t)(bx * 8 + 7) < min_x ||
				(int32_t)(bx * 8) > max_x || (int32_t)(by * 8 + 7) < min_row ||
				(int32_t)(by * 8) > max_row) {
			continue;
		}
		for (unsigned m = 0; m < 64; m++) {
			const unsigned x = bx * 8 + ((m & 1) | (m >> 1 & 2) | (m >> 2 & 4));
			const unsigned row = by * 8 + ((m >> 1 & 1) | (m >> 2 & 2) | (m >> 3 & 4));
			if (row >= d->height) {
				continue;
			}
			const int64_t wy = window_row(n, row);
			const struct point sample = {16 * (int64_t)x + 8, 16 * wy + 8};
			if (covers(p, sample) && passes_scissor(n, x, wy)) {
				pixel(n, &s, v, flat, x, row, block * 64 + m);
			}
		}
	}
}
