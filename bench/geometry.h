/*
 * The geometry of the benchmark scenes (docs/performance.md). A program that draws them with a
 * general GL, for comparison, computes the same numbers in the same order.
 */
#ifndef BENCH_GEOMETRY_H
#define BENCH_GEOMETRY_H

#include <stdint.h>

struct vertex {
	float position[4]; /* clip coordinates; depth is -z / w */
	uint8_t color[4];
	float uv0[2], uv1[2];
	float quaternion[4], view[3];
	uint8_t bone[4];
	float weight[4];
};

struct geometry {
	unsigned width, height; /* of the target */
	struct vertex *v;
	uint32_t n, capacity;
	uint16_t *index; /* relative to the first vertex of their draw; none: n_index is 0 */
	uint32_t n_index, index_capacity;
	/* Of draw k: first vertex, first index. One element more than draws. */
	uint32_t *first, *first_index;
	uint32_t n_draws;
};

typedef void geometry_fn(struct geometry *g);

geometry_fn geometry_fan;   /* 8 layers of 8 triangles, each over all of the target */
geometry_fn geometry_quads; /* 10 quads, each over all of the target */
geometry_fn geometry_small; /* 100,000 triangles of 10 pixels */
geometry_fn geometry_verts; /* 999,999 vertices of triangles that face away */
geometry_fn geometry_mixed; /* 200 draws of 100 triangles */
geometry_fn geometry_draws; /* 2000 draws of 2 triangles */
/* 19,000 points; position: x, y and z in clip space, half the size of the point's square */
geometry_fn geometry_points;

/* Frees what a geometry_fn allocated. */
void geometry_finish(struct geometry *g);

/* A hash of x, and that hash as a number in 0..1. */
uint32_t geometry_hash(uint32_t x);
float geometry_random(uint32_t seed);

#endif
