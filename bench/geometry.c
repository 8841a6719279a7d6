#include "geometry.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t geometry_hash(uint32_t x) {
	x ^= x >> 16;
	x *= 0x7FEB352D;
	x ^= x >> 15;
	x *= 0x846CA68B;
	return x ^ x >> 16;
}

float geometry_random(uint32_t seed) {
	return (float)(geometry_hash(seed) >> 8) * (1.0f / 16777216.0f);
}

static void *grown(void *p, uint32_t n, uint32_t *capacity, size_t size) {
	if (n < *capacity) {
		return p;
	}
	*capacity = *capacity ? *capacity * 2 : 4096;
	p = realloc(p, *capacity * size);
	if (!p) {
		fprintf(stderr, "bench-scenes: out of memory\n");
		exit(2);
	}
	return p;
}

/* x, y: -1..1; shift moves the texture. */
static void put_vertex(struct geometry *g, float x, float y, float depth, float w, uint32_t seed,
		float shift) {
	g->v = grown(g->v, g->n, &g->capacity, sizeof(*g->v));
	struct vertex *v = &g->v[g->n++];
	const float width = (float)g->width, height = (float)g->height;
	const float u = x * 0.5f + 0.5f, t = y * 0.5f + 0.5f;
	*v = (struct vertex){ .position = { x * w, y * w, -depth * w, w },
		.uv0 = { u * width / 256 + shift, t * height / 256 + shift * 0.7f },
		.uv1 = { u * width / 128 * 0.7f - shift, t * height / 128 * 0.7f + shift * 0.3f },
		.view = { -x * 0.5f, -y * 0.5f, 1 }, .weight = { 0.4f, 0.3f, 0.2f, 0.1f } };
	for (uint32_t k = 0; k < 4; k++) {
		v->color[k] = (uint8_t)(128 + (geometry_hash(seed * 4 + k) & 127));
		v->bone[k] = geometry_hash(seed * 16 + 9 + k) & 15;
	}
	/* The rotation of (0, 0, 1) into the normal. */
	const float nx = 0.6f * x, ny = 0.6f * y;
	const float nz = sqrtf(fmaxf(0.05f, 1 - nx * nx - ny * ny));
	const float size = 1 / sqrtf(nx * nx + ny * ny + nz * nz);
	const float q = sqrtf((1 + nz * size) * 0.5f), s = 0.5f / q * size;
	v->quaternion[0] = -ny * s;
	v->quaternion[1] = nx * s;
	v->quaternion[3] = q;
}

static void put_index(struct geometry *g, unsigned index) {
	g->index = grown(g->index, g->n_index, &g->index_capacity, sizeof(*g->index));
	g->index[g->n_index++] = (uint16_t)index;
}

/* Ends the previous draw, if any. */
static void next_draw(struct geometry *g) {
	const size_t size = (g->n_draws + 1) * sizeof(*g->first);
	g->first = realloc(g->first, size);
	g->first_index = realloc(g->first_index, size);
	if (!g->first || !g->first_index) {
		fprintf(stderr, "bench-scenes: out of memory\n");
		exit(2);
	}
	g->first[g->n_draws] = g->n;
	g->first_index[g->n_draws++] = g->n_index;
}

static void end_draws(struct geometry *g) {
	next_draw(g);
	g->n_draws--;
}

/* n quads of two triangles, row by row, in a grid with `row` of them per row. */
static void put_grid(struct geometry *g, unsigned row, unsigned n) {
	for (unsigned k = 0; k < n; k++) {
		const unsigned a = k / row * (row + 1) + k % row, c = a + row + 1;
		const unsigned corners[6] = { a, a + 1, c + 1, a, c + 1, c };
		for (unsigned i = 0; i < 6; i++) {
			put_index(g, corners[i]);
		}
	}
}

/* The two triangles of vertices first..first + 3. */
static void put_quad(struct geometry *g, unsigned first) {
	static const uint8_t corners[6] = { 0, 1, 2, 0, 2, 3 };
	for (unsigned i = 0; i < 6; i++) {
		put_index(g, first + corners[i]);
	}
}

void geometry_fan(struct geometry *g) {
	static const float rim[8][2] = { { -1, -1 }, { -0.2f, -1 }, { 1, -1 }, { 1, 0.3f },
		{ 1, 1 }, { 0.3f, 1 }, { -1, 1 }, { -1, -0.25f } };
	next_draw(g);
	for (unsigned layer = 0; layer < 8; layer++) {
		const float l = (float)layer, depth = 0.9f - 0.8f * l / 8, shift = 0.13f * l;
		const unsigned hub = g->n;
		put_vertex(g, 0.4f * cosf(l * 2.399963f), 0.4f * sinf(l * 2.399963f), depth, 1.25f,
				layer * 9, shift);
		for (unsigned k = 0; k < 8; k++) {
			const bool is_odd = k & 1;
			put_vertex(g, rim[k][0], rim[k][1], depth - (is_odd ? 0.05f : 0),
					is_odd ? 1.6f : 1, layer * 9 + 1 + k, shift);
			put_index(g, hub);
			put_index(g, hub + 1 + k);
			put_index(g, hub + 1 + (k + 1) % 8);
		}
	}
	end_draws(g);
}

void geometry_quads(struct geometry *g) {
	static const float corner[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };
	next_draw(g);
	for (unsigned layer = 0; layer < 10; layer++) {
		put_quad(g, g->n);
		for (unsigned k = 0; k < 4; k++) {
			put_vertex(g, corner[k][0], corner[k][1], 0.5f, 1, layer * 4 + k,
					0.13f * (float)layer);
		}
	}
	end_draws(g);
}

static float clamp(float x) {
	return x < -1 ? -1 : x > 1 ? 1 : x;
}

void geometry_small(struct geometry *g) {
	const float side = 4.4721f;
	const unsigned nx = (unsigned)((float)g->width / side);
	const unsigned ny = (unsigned)((float)g->height / side);
	const unsigned layers = (50000 + nx * ny - 1) / (nx * ny);
	unsigned left = 50000;
	for (unsigned layer = 0; layer < layers; layer++) {
		const unsigned n = left < nx * ny ? left : nx * ny;
		const float l = (float)layer, move_x = 0.37f * (float)(layer % 3) * 0.5f;
		const float move_y = 0.61f * (float)(layer % 2) * 0.5f;
		next_draw(g);
		for (unsigned k = 0; k < (nx + 1) * ((n + nx - 1) / nx + 1); k++) {
			const unsigned x = k % (nx + 1), y = k / (nx + 1);
			const uint32_t s = (layer * 1024 + y) * 2048 + x;
			const float px = ((float)x + move_x +
					0.5f * (geometry_random(s) - 0.5f)) * side;
			const float py = ((float)y + move_y +
					0.5f * (geometry_random(s ^ 0x5BD1E995) - 0.5f)) * side;
			put_vertex(g, clamp(px * 2 / (float)g->width - 1),
					clamp(py * 2 / (float)g->height - 1),
					0.9f - 0.8f * l / (float)layers,
					1 + 0.5f * geometry_random(s + 77), s, 0.13f * l);
		}
		put_grid(g, nx, n);
		left -= n;
	}
	end_draws(g);
}

void geometry_verts(struct geometry *g) {
	static const float corner[3][2] = { { 0, 0 }, { 0, 0.01f }, { 0.01f, 0 } };
	g->width = 400; /* texture coordinates do not depend on the target */
	g->height = 240;
	next_draw(g);
	for (uint32_t t = 0; t < 333333; t++) {
		const float x = geometry_random(t) * 1.6f - 0.8f;
		const float y = geometry_random(t + 0x10000000) * 1.6f - 0.8f;
		for (uint32_t k = 0; k < 3; k++) {
			put_vertex(g, x + corner[k][0], y + corner[k][1], 0.5f, 1, t * 3 + k, 0);
			for (uint32_t b = 0; b < 4; b++) {
				g->v[g->n - 1].bone[b] = geometry_hash(t * 4 + b) & 15;
			}
		}
	}
	end_draws(g);
}

void geometry_mixed(struct geometry *g) {
	const float width = (float)g->width, height = (float)g->height, side = 5 * width / 400;
	for (uint32_t d = 0; d < 200; d++) {
		const float left = geometry_random(d * 3 + 1) * (width - 11 * side);
		const float low = geometry_random(d * 3 + 2) * (height - 6 * side);
		const float depth = 0.05f + 0.9f * geometry_random(d * 3 + 5);
		next_draw(g);
		for (unsigned k = 0; k < 66; k++) {
			const uint32_t x = k % 11, y = k / 11, s = d * 128 + k;
			const float px = left + ((float)x + 0.5f * geometry_random(s)) * side;
			const float py = low + ((float)y + 0.5f * geometry_random(s + 991)) * side;
			put_vertex(g, px * 2 / width - 1, py * 2 / height - 1,
					depth - 0.04f * geometry_random(s + 5),
					1 + 0.5f * geometry_random(s + 77), s, 0.1f * (float)d);
		}
		put_grid(g, 10, 50);
	}
	end_draws(g);
}

void geometry_draws(struct geometry *g) {
	static const uint8_t corner[4][2] = { { 0, 0 }, { 8, 0 }, { 8, 8 }, { 0, 8 } };
	for (uint32_t d = 0; d < 2000; d++) {
		const float left = floorf(geometry_random(d * 3 + 1) * (float)(g->width - 8));
		const float low = floorf(geometry_random(d * 3 + 2) * (float)(g->height - 8));
		next_draw(g);
		for (unsigned k = 0; k < 4; k++) {
			put_vertex(g, (left + corner[k][0]) * 2 / (float)g->width - 1,
					(low + corner[k][1]) * 2 / (float)g->height - 1, 0.5f, 1,
					d * 4 + k, 0);
		}
		put_quad(g, 0);
	}
	end_draws(g);
}

void geometry_points(struct geometry *g) {
	next_draw(g);
	for (uint32_t k = 0; k < 19000; k++) {
		put_vertex(g, geometry_random(k) * 1.9f - 0.95f,
				geometry_random(k + 0x10000000) * 1.9f - 0.95f,
				0.1f + 0.8f * geometry_random(k + 0x20000000), 1, k, 0);
		g->v[k].position[3] = 0.004f + 0.008f * geometry_random(k + 0x30000000);
	}
	end_draws(g);
}

void geometry_finish(struct geometry *g) {
	free(g->v);
	free(g->index);
	free(g->first);
	free(g->first_index);
}
