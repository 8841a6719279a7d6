/* Vertices, triangles and fragments. */
#include "naive_vc4.h"

#include <stdlib.h>

#include "naive_qpu.h"

enum { LIMIT = 1 << 15, Z_MOST = 0xFFFFFF };

uint32_t (*naive_vc4_sfu)(unsigned function, uint32_t x);

static float float_at(const uint8_t *at) {
	float f;
	memcpy(&f, at, sizeof(f));
	return f;
}

static float float_of(uint32_t bits) {
	float f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static int16_t half_of_word(uint32_t word, unsigned half) {
	return (int16_t)(uint16_t)(word >> 16 * half);
}

/* ---- Vertices ---- */

static void place(const struct naive_vc4_state *s, struct naive_corner *c, uint32_t xy, float z,
		float iw) {
	c->x = half_of_word(xy, 0) + half_of_word(GET_VIEWPORT_OFFSET_X(s->viewport), 0);
	c->y = half_of_word(xy, 1) + half_of_word(GET_VIEWPORT_OFFSET_Y(s->viewport), 0);
	c->z = z;
	c->iw = iw;
	c->exists = c->x >= -LIMIT && c->x < LIMIT && c->y >= -LIMIT && c->y < LIMIT;
}

static int nv_vertex(struct naive_vc4 *v, uint32_t number, struct naive_corner *c) {
	const uint8_t *r = v->state.shader;
	const uint32_t n = GET_NV_SHADER_RECORD_VARYINGS(r);
	const unsigned header = GET_NV_SHADER_RECORD_CLIP_HEADER(r) ? 16 : 0;
	const unsigned first = header + 12 + (GET_NV_SHADER_RECORD_POINT_SIZE(r) ? 4 : 0);
	const uint64_t address = (GET_NV_SHADER_RECORD_VERTICES(r) & 0x3FFFFFFF) +
			(uint64_t)number * GET_NV_SHADER_RECORD_STRIDE(r);
	const uint8_t *m = address > 0x3FFFFFFF ? NULL :
			naive_vc4_at(v, (uint32_t)address, first + 4u * n);
	if (!m || n > NAIVE_VARYINGS) {
		return -1;
	}
	place(&v->state, c, naive_bits(m + header, 0, 32, false), float_at(m + header + 4),
			float_at(m + header + 8));
	for (uint32_t i = 0; i < n; i++) {
		c->varying[i] = float_at(m + first + 4 * i);
	}
	return 0;
}

/* Runs the vertex program of one vertex, in lane 0. */
static int gl_vertex(struct naive_vc4 *v, uint32_t number, struct naive_corner *c) {
	static struct naive_qpu q;
	const uint8_t *r = v->state.shader;
	const uint32_t n = GET_GL_SHADER_RECORD_VARYINGS(r);
	memset(&q, 0, sizeof(q));
	q.memory = v->memory;
	q.base = v->base;
	q.size = v->size;
	q.lanes = 1;
	q.quad_alone = true;
	q.sfu = naive_vc4_sfu;
	q.n_samples = 1;
	q.uniforms = GET_GL_SHADER_RECORD_VS_UNIFORMS(r) & 0x3FFFFFFF;
	for (unsigned i = 0; i < v->state.n_arrays; i++) {
		const uint8_t *a = r + SIZE_GL_SHADER_RECORD + SIZE_ATTRIBUTE_ARRAY * i;
		const unsigned bytes = GET_ATTRIBUTE_ARRAY_SIZE_M1(a) + 1;
		if (!(GET_GL_SHADER_RECORD_VS_ARRAYS(r) >> i & 1)) {
			continue;
		}
		const uint8_t *m = naive_vc4_at(v, (GET_ATTRIBUTE_ARRAY_ADDRESS(a) & 0x3FFFFFFF) +
				number * GET_ATTRIBUTE_ARRAY_STRIDE(a), bytes);
		if (!m) {
			return -1;
		}
		const unsigned first = GET_ATTRIBUTE_ARRAY_VS_OFFSET(a) / 4;
		for (unsigned k = 0; k < bytes && first + k / 4 < 64; k++) {
			uint32_t *word = &q.vpm_in[first + k / 4][0];
			*word = (k % 4 ? *word : 0) | (uint32_t)m[k] << 8 * (k % 4);
			q.n_in = first + k / 4 + 1 > q.n_in ? first + k / 4 + 1 : q.n_in;
		}
	}
	if (n > NAIVE_VARYINGS || naive_qpu_run(&q, GET_GL_SHADER_RECORD_VS_CODE(r) & 0x3FFFFFFF)) {
		return -1;
	}
	const unsigned first = 3 + GET_GL_SHADER_RECORD_POINT_SIZE(r);
	place(&v->state, c, q.vpm_out[0][0], float_of(q.vpm_out[1][0]), float_of(q.vpm_out[2][0]));
	for (uint32_t i = 0; i < n; i++) {
		c->varying[i] = float_of(q.vpm_out[first + i][0]);
	}
	return 0;
}

static int add_triangle(struct naive_vc4 *v, uint32_t a, uint32_t b, uint32_t c, uint32_t most) {
	if (a > most || b > most || c > most) {
		return 0;
	}
	if (v->n_primitives == v->capacity) {
		const unsigned capacity = v->capacity ? 2 * v->capacity : 64;
		void *moved = realloc(v->primitives, capacity * sizeof(*v->primitives));
		if (!moved) {
			return -1;
		}
		v->primitives = moved;
		v->capacity = capacity;
	}
	struct naive_primitive *p = &v->primitives[v->n_primitives];
	const uint32_t number[3] = { a, b, c };
	p->state = v->states[v->n_states - 1];
	p->draw = v->n_states - 1;
	p->number = v->n_primitives - v->first_primitive;
	for (unsigned i = 0; i < 3; i++) {
		struct naive_corner *k = &p->corner[i];
		if (v->state.is_nv ? nv_vertex(v, number[i], k) : gl_vertex(v, number[i], k)) {
			return -1;
		}
	}
	v->n_primitives++;
	return 0;
}

int naive_vc4_draw(struct naive_vc4 *v, uint32_t mode, const uint32_t *index, uint32_t count,
		uint32_t max_index) {
	if (count < 3) {
		return 0; /* a draw without a triangle has no number */
	}
	struct naive_vc4_state *state = malloc(sizeof(*state));
	if (!state || v->n_states == sizeof(v->states) / sizeof(v->states[0])) {
		free(state);
		return -1;
	}
	*state = v->state;
	v->first_primitive = v->n_primitives;
	v->states[v->n_states++] = state;
	int ret = 0;
	for (uint32_t i = 2; i < count && !ret; i += mode == 4 ? 3 : 1) {
		if (mode == 6) { /* a fan */
			ret = add_triangle(v, index[0], index[i - 1], index[i], max_index);
		} else if (mode == 5 && i % 2) { /* every other one of a strip */
			ret = add_triangle(v, index[i - 1], index[i - 2], index[i], max_index);
		} else {
			ret = add_triangle(v, index[i - 2], index[i - 1], index[i], max_index);
		}
	}
	return ret;
}

/* ---- Triangles ---- */

static int64_t cross(const struct naive_corner *a, const struct naive_corner *b, int64_t x,
		int64_t y) {
	return (int64_t)(b->x - a->x) * (y - a->y) - (int64_t)(b->y - a->y) * (x - a->x);
}

/* Returns whether a point is left of a -> b; one on the edge counts as a little to the left and
 * below. */
static bool is_left(const struct naive_corner *a, const struct naive_corner *b, int64_t x,
		int64_t y) {
	const int64_t side = cross(a, b, x, y);
	if (side == 0) {
		return b->y != a->y ? b->y > a->y : b->x < a->x;
	}
	return side > 0;
}

static bool covers(const struct naive_primitive *p, bool is_positive, int64_t x, int64_t y) {
	for (unsigned i = 0; i < 3; i++) {
		const struct naive_corner *a = &p->corner[i], *b = &p->corner[(i + 1) % 3];
		if (is_positive ? !is_left(a, b, x, y) : !is_left(b, a, x, y)) {
			return false;
		}
	}
	return true;
}

/* [fidelity: planes] */
static float plane(const struct naive_primitive *p, const float q[3], float inverse, int32_t x,
		int32_t y) {
	const struct naive_corner *c = p->corner;
	const float x0 = (float)c[0].x, y0 = (float)c[0].y;
	const float x1 = (float)c[1].x - x0, y1 = (float)c[1].y - y0;
	const float x2 = (float)c[2].x - x0, y2 = (float)c[2].y - y0;
	const float gx = ((q[1] - q[0]) * y2 - (q[2] - q[0]) * y1) * inverse;
	const float gy = ((q[2] - q[0]) * x1 - (q[1] - q[0]) * x2) * inverse;
	const int32_t bx = x & ~7, by = y & ~7;
	const float base = q[0] +
			(((float)(16 * bx + 8) - x0) * gx + ((float)(16 * by + 8) - y0) * gy);
	return base + ((float)(x - bx) * (16 * gx) + (float)(y - by) * (16 * gy));
}

/* The plane of (v - C) / Wc; C is v of the last corner. [fidelity: vc4-varyings] */
static float varying_plane(const struct naive_primitive *p, unsigned i, float inverse, int32_t x,
		int32_t y) {
	const struct naive_corner *c = p->corner;
	const float x0 = (float)c[2].x, y0 = (float)c[2].y;
	const float x1 = (float)c[0].x - x0, y1 = (float)c[0].y - y0;
	const float x2 = (float)c[1].x - x0, y2 = (float)c[1].y - y0;
	const float d1 = (c[0].varying[i] - c[2].varying[i]) * c[0].iw;
	const float d2 = (c[1].varying[i] - c[2].varying[i]) * c[1].iw;
	const float gx = (d1 * y2 - d2 * y1) * inverse, gy = (d2 * x1 - d1 * x2) * inverse;
	return ((float)(16 * x + 8) - x0) * gx + ((float)(16 * y + 8) - y0) * gy;
}

static uint32_t depth(float z) {
	return !(z > 0) ? 0 : z >= 1 ? Z_MOST : (uint32_t)(z * (float)Z_MOST + 0.5f);
}

/* ---- Fragments ---- */

static bool in_window(const struct naive_vc4_state *s, int32_t x, int32_t y) {
	const int32_t left = (int32_t)GET_CLIP_WINDOW_LEFT(s->window);
	const int32_t bottom = (int32_t)GET_CLIP_WINDOW_BOTTOM(s->window);
	return x >= left && x < left + (int32_t)GET_CLIP_WINDOW_WIDTH(s->window) && y >= bottom &&
			y < bottom + (int32_t)GET_CLIP_WINDOW_HEIGHT(s->window);
}

/* A pixel of the tile as lane i. */
static void set_lane(const struct naive_vc4 *v, const struct naive_primitive *p, float inverse,
		struct naive_qpu *q, unsigned i, unsigned px, unsigned py) {
	const int32_t x = (int32_t)(v->column * v->tile_px + px);
	const int32_t y = (int32_t)(v->row * v->tile_px + py);
	const float iw[3] = { p->corner[0].iw, p->corner[1].iw, p->corner[2].iw };
	const float z[3] = { p->corner[0].z, p->corner[1].z, p->corner[2].z };
	const float w = 1.0f / plane(p, iw, inverse, x, y);
	q->x[i] = x;
	q->y[i] = y;
	memcpy(&q->w[i], &w, sizeof(w));
	q->z[i] = depth(plane(p, z, inverse, x, y));
	for (unsigned k = 0; k < q->n_varyings; k++) {
		q->varying_c[k] = p->corner[2].varying[k];
		q->varying[k][i] = GET_FLAT_SHADE_FLAGS_FLAT(p->state->flat) >> k & 1 ? 0 :
				varying_plane(p, k, inverse, x, y);
	}
	for (unsigned n = 0; n < v->n_samples; n++) {
		q->color[n][i] = v->color[n][py][px];
		q->zs[n][i] = v->zs[n][py][px];
	}
}

/*
 * Stores which samples of a pixel of the tile the triangle covers, also outside of the clip window.
 * Returns whether one is.
 */
static bool cover(const struct naive_vc4 *v, const struct naive_primitive *p, bool is_positive,
		unsigned px, unsigned py, bool covered[4]) {
	static const uint8_t places[4][2] = { { 10, 2 }, { 2, 6 }, { 14, 10 }, { 6, 14 } };
	const int32_t x = (int32_t)(v->column * v->tile_px + px);
	const int32_t y = (int32_t)(v->row * v->tile_px + py);
	bool any = false;
	for (unsigned n = 0; n < v->n_samples; n++) {
		const int32_t ax = v->n_samples > 1 ? places[n][0] : 8;
		const int32_t ay = v->n_samples > 1 ? places[n][1] : 8;
		covered[n] = covers(p, is_positive, 16 * x + ax, 16 * y + ay);
		any |= covered[n];
	}
	return any;
}

/* ---- The watched pixel ---- */

static bool is_watched(const struct naive_vc4 *v, unsigned x, unsigned y) {
	const struct naive_vc4_watch *w = v->watch;
	return w && w->is_found && w->column == v->column && w->row == v->row && w->x == x &&
			w->y == y;
}

static struct naive_vc4_seen *see(struct naive_vc4 *v, const struct naive_primitive *p,
		enum pica_verdict verdict) {
	struct naive_vc4_seen *s = naive_vc4_see(v, PICA_HISTORY_DRAW);
	s->verdict = verdict;
	s->draw = p->draw;
	s->primitive = p->number;
	return s;
}

static unsigned bits_of(const bool covered[4][NAIVE_LANES], unsigned lane) {
	unsigned bits = 0;
	for (unsigned n = 0; n < 4; n++) {
		bits |= (unsigned)covered[n][lane] << n;
	}
	return bits;
}

/* The program has run, and the buffer has what it wrote. */
static void settle(struct naive_vc4 *v, struct naive_vc4_seen *s, const struct naive_qpu *q,
		unsigned lane) {
	struct naive_vc4_watch *w = v->watch;
	s->passed = bits_of(q->covered, lane);
	if (s->passed) {
		s->verdict = q->wrote_color[lane] ? PICA_VERDICT_KEPT : PICA_VERDICT_MASKED;
	} else if (!q->wrote_z[lane]) {
		s->verdict = PICA_VERDICT_MASKED;
	} else {
		s->verdict = q->fails_stencil[lane] ? PICA_VERDICT_STENCIL : PICA_VERDICT_DEPTH;
	}
	s->after = naive_vc4_stored(v, w->x, w->y, w->bytes, w->is_averaged);
	s->zs_after = v->zs[0][w->y][w->x];
}

/* ---- Quads ---- */

/* Whether pixels from a on, n of them, are beyond all three corners' coordinate; to save time. */
static bool is_adjacent(int64_t a, int32_t n, int64_t c0, int64_t c1, int64_t c2) {
	const int64_t end = 16 * (a + n);
	a *= 16;
	return (c0 < a && c1 < a && c2 < a) || (c0 > end && c1 > end && c2 > end);
}

/* Four pixels at (tx, ty) of the tile. */
static int quad(struct naive_vc4 *v, const struct naive_primitive *p, int64_t area2, bool is_culled,
		unsigned tx, unsigned ty) {
	static struct naive_qpu q;
	const struct naive_vc4_state *s = p->state;
	const uint8_t *r = s->shader;
	const struct naive_corner *c = p->corner;
	bool covered[4][4], any = false;
	struct naive_vc4_seen *seen = NULL;
	unsigned seen_lane = 0;
	if (is_adjacent(v->column * v->tile_px + tx, 2, c[0].x, c[1].x, c[2].x) ||
			is_adjacent(v->row * v->tile_px + ty, 2, c[0].y, c[1].y, c[2].y)) {
		return 0;
	}
	for (unsigned i = 0; i < 4; i++) {
		const unsigned px = tx + (i & 1), py = ty + (i >> 1);
		const bool is_in = in_window(s, (int32_t)(v->column * v->tile_px + px),
				(int32_t)(v->row * v->tile_px + py));
		const bool is_covered = cover(v, p, area2 > 0, px, py, covered[i]);
		if (is_covered && is_watched(v, px, py)) {
			seen = see(v, p, is_culled ? PICA_VERDICT_CULLED : PICA_VERDICT_SCISSOR);
			seen_lane = i;
		}
		for (unsigned n = 0; n < v->n_samples; n++) {
			covered[i][n] &= is_in && !is_culled;
			any |= covered[i][n];
			if (seen && seen_lane == i) {
				seen->samples |= (unsigned)covered[i][n] << n;
			}
		}
	}
	if (!any) {
		return 0;
	}
	memset(&q, 0, sizeof(q));
	q.memory = v->memory;
	q.base = v->base;
	q.size = v->size;
	q.lanes = 4;
	q.quad_alone = true;
	q.sfu = naive_vc4_sfu;
	q.has_tlb = true;
	q.n_samples = v->n_samples;
	q.depth_function = GET_CONFIGURATION_BITS_DEPTH_FUNCTION(s->config);
	q.updates_z = GET_CONFIGURATION_BITS_UPDATE_Z(s->config);
	q.is_back = (area2 > 0) == GET_CONFIGURATION_BITS_CLOCKWISE_FRONT(s->config);
	uint32_t code;
	if (s->is_nv) {
		q.n_varyings = GET_NV_SHADER_RECORD_VARYINGS(r);
		q.uniforms = GET_NV_SHADER_RECORD_UNIFORMS(r) & 0x3FFFFFFF;
		code = GET_NV_SHADER_RECORD_CODE(r) & 0x3FFFFFFF;
	} else {
		q.n_varyings = GET_GL_SHADER_RECORD_VARYINGS(r);
		q.uniforms = GET_GL_SHADER_RECORD_UNIFORMS(r) & 0x3FFFFFFF;
		code = GET_GL_SHADER_RECORD_CODE(r) & 0x3FFFFFFF;
	}
	for (unsigned i = 0; i < 4; i++) {
		set_lane(v, p, 1.0f / (float)area2, &q, i, tx + (i & 1), ty + (i >> 1));
		for (unsigned n = 0; n < v->n_samples; n++) {
			q.covered[n][i] = covered[i][n];
		}
	}
	if (naive_qpu_run(&q, code)) {
		return -1;
	}
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned n = 0; n < v->n_samples; n++) {
			v->color[n][ty + (i >> 1)][tx + (i & 1)] = q.color[n][i];
			v->zs[n][ty + (i >> 1)][tx + (i & 1)] = q.zs[n][i];
		}
	}
	if (seen && seen->samples) {
		settle(v, seen, &q, seen_lane);
	}
	return 0;
}

int naive_vc4_draw_tile(struct naive_vc4 *v) {
	for (unsigned i = 0; i < v->n_primitives; i++) {
		const struct naive_primitive *p = &v->primitives[i];
		const struct naive_corner *c = p->corner;
		const int64_t area2 = cross(&c[0], &c[1], c[2].x, c[2].y);
		const bool is_front = (area2 < 0) ==
				GET_CONFIGURATION_BITS_CLOCKWISE_FRONT(p->state->config);
		const uint8_t *config = p->state->config;
		const bool is_culled = !(is_front ? GET_CONFIGURATION_BITS_DRAW_FRONT(config) :
				GET_CONFIGURATION_BITS_DRAW_BACK(config));
		if (!c[0].exists || !c[1].exists || !c[2].exists || area2 == 0 ||
				(is_culled && !v->watch)) {
			continue;
		}
		for (unsigned y = 0; y < v->tile_px; y += 2) {
			for (unsigned x = 0; x < v->tile_px; x += 2) {
				if (quad(v, p, area2, is_culled, x, y)) {
					return -1;
				}
			}
		}
	}
	return 0;
}
