/* Kernels of the geometry room against C: fetch, project_batch and project_positions. */
#include "kern.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/f24.h"
#include "pica/geom/geom.h"

enum { MEMORY = 0x2000, ROUNDS = 4000 };

static const uint32_t base = 0x18000000;
static struct space space;
static uint8_t *memory; /* of the window */
static struct geom_kernels c_kernels;

/* ---- fetch ---- */

static void random_layout(struct fetch_layout *l, bool hostile) {
	memset(l, 0, sizeof(*l));
	l->n_attributes = (uint8_t)kern_random_in(1, 16);
	l->base_in_memory = true;
	for (unsigned a = 0; a < l->n_attributes; a++) {
		struct fetch_attribute *at = &l->attr[a];
		at->source = (uint8_t)(kern_random_in(0, 4) ? FETCH_ARRAY : FETCH_FIXED);
		at->type = (uint8_t)kern_random_in(0, 3);
		at->count = (uint8_t)kern_random_in(1, 4);
		at->input = (uint8_t)kern_random_in(0, 15);
		at->stride_bytes = (uint32_t)kern_random_in(0, hostile ? 255 : 64);
		at->addr = base + (uint32_t)kern_random_in(0, 0x200);
		if (hostile && kern_random_in(0, 2) == 0) {
			/* Near the ends of the window or of the address space, or anywhere. */
			uint32_t places[] = { base - 40, base + MEMORY - 40, 0xFFFFFFD0,
				(uint32_t)kern_random() };
			at->addr = places[kern_random_in(0, 3)] + (uint32_t)kern_random_in(0, 80);
		}
		for (unsigned k = 0; k < 4; k++) {
			l->fixed[a][k] = kern_random_float();
		}
	}
}

/* Checks that the registers that the batch marks as tame are; *n: their number. */
static void check_tame(enum isa isa, const struct shader_batch *b, unsigned *n) {
	for (unsigned i = 0; i < 16; i++) {
		if (b->tame >> i & 1) {
			kern_check("fetch: tame", isa, kern_tame(b->v[i][0], 4 * SHADER_LANES));
			*n += 1;
		}
	}
}

static void test_fetch(enum isa isa, const struct geom_kernels *k) {
	struct shader_batch *want = kern_buffer(sizeof(*want));
	struct shader_batch *got = kern_buffer(sizeof(*got));
	unsigned n_constant = 0, n_tame = 0;
	for (int round = 0; round < ROUNDS; round++) {
		struct fetch_layout l;
		bool hostile = round & 1;
		random_layout(&l, hostile);
		for (size_t i = 0; i < MEMORY; i += 4) {
			float f = round % 4 == 2 ? (float)kern_random_in(-9, 9) :
						   kern_random_float();
			memcpy(memory + i, &f, 4);
		}
		unsigned n = (unsigned)kern_random_in(round % 10 != 0, SHADER_LANES);
		uint32_t index[SHADER_LANES];
		uint32_t first = hostile && round % 3 == 0 ? (uint32_t)kern_random() : 0;
		for (unsigned i = 0; i < n; i++) {
			index[i] = first + (uint32_t)(round % 4 < 2 ? i : kern_random_in(0, 100));
		}
		enum pica_float mode = round & 8 ? PICA_FLOAT_F32 : PICA_FLOAT_F24;
		kern_random_bytes(want, sizeof(*want));
		uint64_t want_outside = 0, got_outside = 0;
		fetch_constants(&l, want);
		memcpy(got, want, sizeof(*got));
		c_kernels.fetch(&l, &space, index, n, mode, want, &want_outside);
		k->fetch(&l, &space, index, n, mode, got, &got_outside);
		kern_same("fetch", isa, want->v, got->v, sizeof(want->v));
		check_tame(isa, want, &n_constant);
		check_tame(isa, got, &n_tame);
		kern_same("fetch.outside", isa, &want_outside, &got_outside, sizeof(want_outside));
		/* Other vertices over the same batch. */
		unsigned more = (unsigned)kern_random_in(1, SHADER_LANES);
		for (unsigned i = 0; i < more; i++) {
			index[i] = first + (uint32_t)kern_random_in(0, 50);
		}
		c_kernels.fetch(&l, &space, index, more, mode, want, &want_outside);
		k->fetch(&l, &space, index, more, mode, got, &got_outside);
		kern_same("fetch again", isa, want->v, got->v, sizeof(want->v));
		check_tame(isa, got, &n_tame);
	}
	kern_check("fetch: tame arrays", isa, n_tame > 2 * n_constant + ROUNDS);
	kern_done(want);
}

/* ---- project_batch ---- */

struct projected {
	struct clip_vertex cv[SHADER_LANES];
	struct vert out[SHADER_LANES];
	uint8_t codes[SHADER_LANES], ok[SHADER_LANES];
};

static void random_map(struct out_map *m) {
	memset(m, 0, sizeof(*m));
	m->n_registers = (uint8_t)kern_random_in(1, 7);
	for (unsigned i = 0; i < m->n_registers; i++) {
		m->reg[i] = (uint8_t)kern_random_in(0, 15);
	}
	for (unsigned i = 0; i < sizeof(m->from); i++) {
		m->from[i] = (uint8_t)kern_random_in(0, 4 * m->n_registers - 1);
		if (i >= 4 && kern_random_in(0, 3) == 0) {
			m->from[i] = (uint8_t)kern_random_in(OUT_MAP_ZERO, OUT_MAP_ONE);
		}
	}
}

static void random_state(struct geom_state *g) {
	static const float halves[] = { 120, 160, 200, 128, 512, 0.5f, 0, -120, 4096 };
	g->half_w = halves[kern_random_in(0, 8)];
	g->half_h = halves[kern_random_in(0, 8)];
	if (kern_random_in(0, 15) == 0) {
		/* A register holds an f24: kernels may multiply it by 16 without an overflow. */
		g->half_w = f24_to_f32((uint32_t)kern_random() & 0xFFFFFF);
	}
	g->off_x = (int32_t)kern_random_in(-512, 511);
	g->off_y = (int32_t)kern_random_in(-512, 511);
	g->cull = 0;
	g->clip_enabled = kern_random_in(0, 1);
	g->flat = kern_random_in(0, 3) == 0 ? PLANES_COLOR : 0;
	g->rule = &pica_rule[kern_random_in(0, 1)];
	g->height = (uint32_t)kern_random_in(1, 1024);
	for (unsigned i = 0; i < 4; i++) {
		g->clip_plane[i] = kern_random_float();
	}
}

static void random_outputs(struct shader_batch *b, bool wild) {
	float *o = &b->o[0][0][0];
	for (size_t i = 0; i < sizeof(b->o) / sizeof(float); i++) {
		o[i] = wild ? kern_random_float() : (float)kern_random_in(-4096, 4096) / 2048.0f;
	}
}

static void test_project(enum isa isa, const struct geom_kernels *k) {
	struct shader_batch *b = kern_buffer(sizeof(*b));
	struct projected *want = kern_buffer(sizeof(*want));
	struct projected *got = kern_buffer(sizeof(*got));
	for (int round = 0; round < ROUNDS; round++) {
		struct geom_state g;
		struct out_map m;
		random_state(&g);
		random_map(&m);
		random_outputs(b, round & 1);
		unsigned n = (unsigned)kern_random_in(0, SHADER_LANES);
		uint32_t planes = (uint32_t)kern_random();
		memset(want, 0x3C, sizeof(*want)); /* bytes after lane n must stay */
		memset(got, 0x3C, sizeof(*got));
		c_kernels.project_batch(
			&g, &m, b, n, planes, want->cv, want->out, want->codes, want->ok);
		k->project_batch(&g, &m, b, n, planes, got->cv, got->out, got->codes, got->ok);
		for (unsigned i = 0; i < n; i++) { /* undefined if not ok */
			if (!want->ok[i] && !got->ok[i]) {
				memset(&want->out[i], 0, sizeof(want->out[i]));
				memset(&got->out[i], 0, sizeof(got->out[i]));
			}
		}
		kern_same("project.cv", isa, want->cv, got->cv, sizeof(want->cv));
		kern_same("project.out", isa, want->out, got->out, sizeof(want->out));
		kern_same("project.codes", isa, want->codes, got->codes, 2 * SHADER_LANES);
	}
	kern_done(b);
}

/* Compares the places and codes of projected vertices with those of plain C's project_batch. */
static void test_positions(enum isa isa, const struct geom_kernels *k) {
	struct shader_batch *b = kern_buffer(sizeof(*b));
	struct projected *want = kern_buffer(sizeof(*want));
	PICA_ALIGNED(64) float x[SHADER_LANES], y[SHADER_LANES];
	PICA_ALIGNED(64) int32_t code[SHADER_LANES];
	for (int round = 0; round < ROUNDS && k->project_positions; round++) {
		struct geom_state g;
		struct out_map m;
		random_state(&g);
		random_map(&m);
		random_outputs(b, round & 1);
		const unsigned n = (unsigned)kern_random_in(1, SHADER_LANES);
		c_kernels.project_batch(
			&g, &m, b, n, 0, want->cv, want->out, want->codes, want->ok);
		k->project_positions(&g, &m, b, n, &(struct position_out){ x, y, code });
		for (unsigned i = 0; i < n; i++) {
			const int32_t good = code[i] & POSITION_BAD ? 0 : 1;
			const int32_t expected[4] = { want->ok[i], good * want->codes[i],
				good * want->out[i].x_fx, good * want->out[i].y_fx };
			const int32_t found[4] = { good, good * (code[i] & POSITION_CODES),
				good ? (int32_t)x[i] : 0, good ? (int32_t)y[i] : 0 };
			kern_same("positions", isa, expected, found, sizeof(expected));
		}
	}
	kern_done(b);
}

/* ---- Bench ---- */

/* Position f32 x 3, texture coordinates f32 x 2, colour u8 x 4, indices out of order. */
static void bench(enum isa isa) {
	const uint32_t planes = 0xFu << PLANE_COLOR | 3u << PLANE_TC0;
	static const uint8_t types[3] = { 3, 3, 1 }, counts[3] = { 3, 2, 4 }, at[3] = { 0, 12, 20 };
	struct fetch_layout l = { .n_attributes = 3, .base_in_memory = true };
	struct geom_state g = { .half_w = 120, .half_h = 200, .height = 400,
		.rule = &pica_rule[1] };
	struct out_map m = { .n_registers = 3 };
	struct shader_batch *b = kern_buffer(sizeof(*b));
	struct projected *p = kern_buffer(sizeof(*p));
	uint32_t index[SHADER_LANES];
	uint64_t outside;
	struct geom_kernels k;
	geom_kernels_init(&k, isa);
	for (unsigned a = 0; a < 3; a++) {
		l.attr[a] = (struct fetch_attribute){ .source = FETCH_ARRAY,
			.type = types[a],
			.count = counts[a],
			.input = (uint8_t)a,
			.addr = base + at[a],
			.stride_bytes = 24 };
	}
	for (unsigned i = 0; i < SHADER_LANES; i++) {
		index[i] = i * 7 % 64;
	}
	memset(m.from, OUT_MAP_ONE, sizeof(m.from));
	for (unsigned i = 0; i < 10; i++) {
		m.from[i] = (uint8_t)i;
		m.reg[i / 4] = (uint8_t)(i / 4);
	}
	for (size_t i = 0; i < MEMORY; i += 4) {
		float f = (float)kern_random_in(-4096, 4096) / 2048.0f;
		memcpy(memory + i, &f, 4);
	}
	random_outputs(b, false);
	KERN_BENCH("fetch", isa, SHADER_LANES) {
		k.fetch(&l, &space, index, SHADER_LANES, PICA_FLOAT_F24, b, &outside);
	}
	KERN_BENCH("project_batch", isa, SHADER_LANES) {
		k.project_batch(&g, &m, b, SHADER_LANES, planes, p->cv, p->out, p->codes, p->ok);
	}
	kern_done(b);
}

static void open_memory(void) {
	/* The window ends where an allocation does, so that sanitizers detect reads beyond it. */
	memory = aligned_alloc(4096, MEMORY);
	space_init(&space);
	if (!memory || space_map(&space, base, MEMORY, memory, 0) != 0) {
		abort();
	}
	geom_kernels_init(&c_kernels, ISA_C);
}

static void check(enum isa isa) {
	struct geom_kernels k;
	geom_kernels_init(&k, isa);
	kern_slots(isa, "geom", &c_kernels, &k, sizeof(k));
	test_fetch(isa, &k);
	test_project(isa, &k);
	test_positions(isa, &k);
}

static void close_memory(void) {
	space_finish(&space);
	free(memory);
}

const struct kern_suite kern_suite = { "geom", open_memory, check, bench, close_memory };
