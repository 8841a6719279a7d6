/* Kernels of the procedural texture unit: every variant against C. */
#include <string.h>

#include "kern.h"
#include "pica/frag/frag.h"
#include "pica/frag/kernels.h"
#include "pica/frag/proctex.h"

enum { FLOATS = BATCH * sizeof(float), PLANES = 4 * BATCH * sizeof(uint16_t), ROUNDS = 500 };

/* Inputs, and the results of both sets; guarded. */
struct field {
	enum isa isa;
	const struct proctex_kernels *c, *v;
	unsigned n;
	float *a, *b;         /* inputs */
	float *want, *got;    /* floats, two planes */
	uint16_t (*want_px)[BATCH], (*got_px)[BATCH];
	struct proctex_map map;
	struct proctex_colors colors;
	struct proctex_level level[BATCH_QUADS];
};

static void field_open(struct field *f, enum isa isa) {
	memset(f, 0, sizeof(*f));
	f->isa = isa;
	f->c = frag_kernels_for(ISA_C)->proctex;
	f->v = frag_kernels_for(isa)->proctex;
	f->a = kern_buffer(FLOATS);
	f->b = kern_buffer(FLOATS);
	f->want = kern_buffer(2 * FLOATS);
	f->got = kern_buffer(2 * FLOATS);
	f->want_px = kern_buffer(PLANES);
	f->got_px = kern_buffer(PLANES);
}

static void field_close(struct field *f) {
	kern_done(f->a);
}

/* A coordinate as coord() leaves it: 0 to PROCTEX_LIMIT, often on a border. */
static float random_coord(void) {
	static const float edges[] = { 0, 0.5f, 1, 1.5f, 2, 3, 4, 143, 144, 145, 288, 4194303.5f,
		PROCTEX_LIMIT };
	const uint64_t r = kern_random();
	switch (r & 7) {
	case 0:
		return edges[(r >> 8) % (sizeof(edges) / sizeof(edges[0]))];
	case 1:
		return (float)(r >> 42);
	case 2:
		return (float)(r >> 40) / 65536.0f;
	default:
		return (float)(r >> 40) / 8388608.0f;
	}
}

/* 0 to 1, ends included. */
static float random_unit(void) {
	const uint64_t r = kern_random();
	return (r & 15) == 0 ? 0.0f : (r & 15) == 1 ? 1.0f : (float)(r >> 40) / 16777216.0f;
}

static void fill(float *p, float (*fn)(void)) {
	for (unsigned i = 0; i < BATCH; i++) {
		p[i] = fn();
	}
}

static void random_field(struct field *f) {
	uint32_t words[PROCTEX_MAP_ENTRIES];
	f->n = 16 * (unsigned)kern_random_in(1, 4);
	kern_random_bytes(words, sizeof(words));
	proctex_map_decode(&f->map, words);
	kern_random_bytes(&f->colors, sizeof(f->colors));
	for (unsigned q = 0; q < BATCH_QUADS; q++) {
		f->level[q].offset = (float)kern_random_in(0, 255);
		f->level[q].scale = (float)kern_random_in(-1, 254);
	}
	memset(f->want, 0xEE, 2 * FLOATS);
	memset(f->got, 0xEE, 2 * FLOATS);
	memset(f->want_px, 0xEE, PLANES);
	memset(f->got_px, 0xEE, PLANES);
}

static void compare(const struct field *f, const char *name) {
	kern_same(name, f->isa, f->want, f->got, 2 * FLOATS);
	kern_forget(f->got_px, f->want_px, 4, f->n, sizeof(uint16_t));
	kern_same(name, f->isa, f->want_px, f->got_px, PLANES);
}

static void check_coord(struct field *f) {
	random_field(f);
	fill(f->a, kern_random_float);
	f->c->coord(f->want, f->a, f->n);
	f->v->coord(f->got, f->a, f->n);
	compare(f, "coord");
}

static void check_shift(struct field *f) {
	random_field(f);
	fill(f->a, random_coord);
	const bool even = kern_random() & 1;
	const float amount = kern_random() & 1 ? 1.0f : 0.5f;
	f->c->shift(f->want, f->a, even, amount, f->n);
	f->v->shift(f->got, f->a, even, amount, f->n);
	compare(f, "shift");
}

static void check_noise(struct field *f) {
	random_field(f);
	struct proctex_noise noise = { .map = &f->map };
	for (unsigned axis = 0; axis < 2; axis++) {
		noise.amplitude[axis] = (float)kern_random_in(-0x8000, 0x7FFF) / 4096.0f;
		noise.phase[axis] = kern_random() & 1 ? kern_random_float() :
				(float)kern_random_in(-2048, 2048) / 256.0f;
		noise.frequency[axis] = kern_random() & 1 ? kern_random_float() :
				9.0f * (float)kern_random_in(-2048, 2048) / 256.0f;
	}
	fill(f->a, random_coord);
	fill(f->b, random_coord);
	memcpy(f->want, f->a, FLOATS);
	memcpy(f->want + BATCH, f->b, FLOATS);
	memcpy(f->got, f->want, 2 * FLOATS);
	f->c->noise(f->want, f->want + BATCH, &noise, f->n);
	f->v->noise(f->got, f->got + BATCH, &noise, f->n);
	compare(f, "noise");
}

/* Every cell of the generator and its neighbours, in the middle of the cell. */
static void check_cells(struct field *f) {
	random_field(f);
	const struct proctex_noise noise = {
		.amplitude = { 1, 1 }, .frequency = { 1, 1 }, .map = &f->map
	};
	for (unsigned cell = 0; cell < 150 * 150; cell += BATCH) {
		for (unsigned i = 0; i < BATCH; i++) {
			f->want[i] = f->got[i] = (float)((cell + i) % 150) + 0.375f;
			f->want[BATCH + i] = f->got[BATCH + i] = (float)((cell + i) / 150) + 0.625f;
		}
		f->c->noise(f->want, f->want + BATCH, &noise, BATCH);
		f->v->noise(f->got, f->got + BATCH, &noise, BATCH);
		compare(f, "noise-cells");
	}
}

static void check_clamp(struct field *f) {
	for (unsigned mode = 0; mode < 8; mode++) {
		random_field(f);
		const bool shifted = kern_random() & 1;
		fill(f->want, random_coord);
		memcpy(f->got, f->want, FLOATS);
		for (unsigned i = 0; i < BATCH; i++) {
			f->a[i] = (float)kern_random_in(0, 2) / 2.0f;
		}
		f->c->clamp(f->want, shifted ? f->a : NULL, mode, f->n);
		f->v->clamp(f->got, shifted ? f->a : NULL, mode, f->n);
		compare(f, "clamp");
	}
}

static void check_map(struct field *f) {
	for (unsigned function = 0; function < 16; function++) {
		random_field(f);
		fill(f->a, random_unit);
		fill(f->b, random_unit);
		f->c->map(f->want, f->a, f->b, function, &f->map, f->n);
		f->v->map(f->got, f->a, f->b, function, &f->map, f->n);
		compare(f, "map");
	}
}

static void check_color(struct field *f) {
	random_field(f);
	fill(f->a, random_unit);
	f->c->nearest(f->want_px, f->a, f->level, &f->colors, f->n);
	f->v->nearest(f->got_px, f->a, f->level, &f->colors, f->n);
	compare(f, "nearest");
	f->c->linear(f->want_px, f->a, f->level, &f->colors, f->n);
	f->v->linear(f->got_px, f->a, f->level, &f->colors, f->n);
	compare(f, "linear");
	f->c->alpha(f->want_px[3], f->a, f->n);
	f->v->alpha(f->got_px[3], f->a, f->n);
	compare(f, "alpha");
}

static void check(enum isa isa) {
	struct field f;
	field_open(&f, isa);
	kern_slots(isa, "proctex", f.c, f.v, sizeof(*f.c));
	for (int round = 0; round < ROUNDS; round++) {
		check_coord(&f);
		check_shift(&f);
		check_noise(&f);
		check_clamp(&f);
		check_map(&f);
		check_color(&f);
	}
	check_cells(&f);
	field_close(&f);
}

/* ---- Bench: a full batch a call ---- */

static void bench(enum isa isa) {
	struct field f;
	field_open(&f, isa);
	random_field(&f);
	fill(f.a, random_unit);
	fill(f.b, random_unit);
	const struct proctex_noise noise = { .amplitude = { 0.1f, 0.1f }, .frequency = { 9, 9 },
		.map = &f.map };
	KERN_BENCH("coord", isa, BATCH) f.v->coord(f.got, f.a, BATCH);
	KERN_BENCH("shift", isa, BATCH) f.v->shift(f.got, f.a, true, 0.5f, BATCH);
	KERN_BENCH("noise", isa, BATCH) {
		memcpy(f.got, f.a, FLOATS);
		memcpy(f.got + BATCH, f.b, FLOATS);
		f.v->noise(f.got, f.got + BATCH, &noise, BATCH);
	}
	KERN_BENCH("clamp", isa, BATCH) f.v->clamp(f.got, f.a, 3, BATCH);
	KERN_BENCH("map-rmax", isa, BATCH) f.v->map(f.got, f.a, f.b, 9, &f.map, BATCH);
	KERN_BENCH("nearest", isa, BATCH) f.v->nearest(f.got_px, f.a, f.level, &f.colors, BATCH);
	KERN_BENCH("linear", isa, BATCH) f.v->linear(f.got_px, f.a, f.level, &f.colors, BATCH);
	field_close(&f);
}

const struct kern_suite kern_suite = { "proctex", NULL, check, bench, NULL };
