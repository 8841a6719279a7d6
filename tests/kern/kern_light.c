/* Kernels of fragment lighting: every variant against C. */
#include <math.h>
#include <string.h>

#include "kern.h"
#include "pica/frag/frag.h"
#include "pica/frag/kernels.h"

enum { ROUNDS = 2000 };

static const struct light_kernels *light_kernels(enum isa isa) {
	return frag_kernels_for(isa)->light;
}

static unsigned random_lanes(void) {
	return 16 * (unsigned)kern_random_in(1, 4);
}

/* Mostly values that occur in lighting; sometimes anything. */
static void random_floats(float *p, unsigned n, bool tame) {
	for (unsigned i = 0; i < n; i++) {
		p[i] = tame || kern_random() & 3 ? (float)kern_random_in(-1200, 1200) / 1024.0f :
				kern_random_float();
	}
}

/* The payload of a NaN is not specified and never used. */
static void canonical(void *p, size_t bytes) {
	float *f = p;
	for (size_t i = 0; i < bytes / sizeof(float); i++) {
		if (isnan(f[i])) {
			f[i] = NAN;
		}
	}
}

static bool same_floats(const char *kernel, enum isa isa, void *want, void *got, size_t bytes) {
	canonical(want, bytes);
	canonical(got, bytes);
	return kern_same(kernel, isa, want, got, bytes);
}

static struct light_planes *random_planes(bool tame) {
	struct light_planes *p = kern_buffer(sizeof(*p));
	random_floats((float *)p, sizeof(*p) / sizeof(float), tame);
	return p;
}

static struct light_planes *copy_planes(const struct light_planes *from) {
	struct light_planes *p = kern_buffer(sizeof(*p));
	memcpy(p, from, sizeof(*p));
	return p;
}

/* Compares, checks the guards of both, and frees them. */
static void end_planes(const char *kernel, enum isa isa, struct light_planes *want,
		struct light_planes *got) {
	same_floats(kernel, isa, want, got, sizeof(*want));
	kern_done(want);
}

static void check_surface(enum isa isa) {
	const struct light_kernels *c = light_kernels(ISA_C), *v = light_kernels(isa);
	float *quat = kern_buffer(4 * BATCH * sizeof(float));
	uint16_t *map = kern_buffer(3 * BATCH * sizeof(uint16_t));
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct light_planes *want = random_planes(false), *got = copy_planes(want);
		const unsigned n_lanes = random_lanes(), surface = round & 15;
		const struct plane_in bump = { map, kern_random() & 1 ? BATCH : 0 };
		random_floats(quat, 4 * BATCH, false);
		for (unsigned i = 0; i < 3 * BATCH; i++) {
			map[i] = kern_random() & 255;
		}
		if (round & 16) { /* as units are */
			memset(quat, 0, BATCH * sizeof(float));
		}
		c->surface(want, quat, &bump, surface, n_lanes);
		v->surface(got, quat, &bump, surface, n_lanes);
		end_planes("light_surface", isa, want, got);
	}
	kern_done(quat);
}

static void check_unit(enum isa isa) {
	const struct light_kernels *c = light_kernels(ISA_C), *v = light_kernels(isa);
	float *in = kern_buffer(3 * BATCH * sizeof(float));
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct light_planes *want = random_planes(true), *got = copy_planes(want);
		const unsigned n_lanes = random_lanes();
		random_floats(in, 3 * BATCH, false);
		for (unsigned i = 0; i < BATCH && round & 1; i += 7) {
			in[i] = in[BATCH + i] = in[2 * BATCH + i] = 0;
		}
		c->unit(want->v, in, n_lanes);
		v->unit(got->v, in, n_lanes);
		end_planes("light_unit", isa, want, got);
	}
	kern_done(in);
}

static void check_fraction(enum isa isa) {
	const struct light_kernels *c = light_kernels(ISA_C), *v = light_kernels(isa);
	uint16_t *in = kern_buffer(4 * BATCH * sizeof(uint16_t));
	for (unsigned i = 0; i < 4 * BATCH; i++) {
		in[i] = (uint16_t)i; /* every byte */
	}
	for (unsigned round = 0; round < 64; round++) {
		struct light_planes *want = random_planes(true), *got = copy_planes(want);
		const unsigned n_lanes = random_lanes(), n_planes = round & 2 ? 4 : 3;
		const struct plane_in src = { in, round & 4 ? BATCH : 0 };
		c->fraction(want->shadow, &src, round & 1, n_planes, n_lanes);
		v->fraction(got->shadow, &src, round & 1, n_planes, n_lanes);
		end_planes("light_fraction", isa, want, got);
	}
	kern_done(in);
}

static struct light_source random_source(void) {
	struct light_source s;
	random_floats((float *)&s, offsetof(struct light_source, spot_factor) / sizeof(float),
			false);
	s.flags = (uint16_t)(kern_random() & 0x7FF);
	s.inputs = (uint8_t)(kern_random() & ((1 << LIGHT_ZERO) - 1));
	s.spot_factor.table = LIGHT_NO_TABLE;
	s.distance_factor.table = kern_random() & 1 ? 16 : LIGHT_NO_TABLE;
	return s;
}

static void check_vectors(enum isa isa) {
	const struct light_kernels *c = light_kernels(ISA_C), *v = light_kernels(isa);
	float *view = kern_buffer(3 * BATCH * sizeof(float));
	for (unsigned round = 0; round < 4 * ROUNDS; round++) {
		struct light_planes *want = random_planes(round & 1), *got = copy_planes(want);
		const unsigned n_lanes = random_lanes();
		struct light_source s = random_source();
		random_floats(view, 3 * BATCH, round & 1);
		if (round & 2) { /* light against view: no half vector */
			s.flags |= LIGHT_DIRECTIONAL;
			for (unsigned k = 0; k < 3; k++) {
				want->v[k][3] = got->v[k][3] = -s.position[k];
			}
		}
		c->vectors(want, view, &s, n_lanes);
		v->vectors(got, view, &s, n_lanes);
		end_planes("light_vectors", isa, want, got);
	}
	kern_done(view);
}

static void check_lookup(enum isa isa) {
	static const float edges[] = { -1, -0.5f, 0, 0.5f, 1, 127.0f / 128, 255.0f / 256,
		-1.0f / 128 };
	const struct light_kernels *c = light_kernels(ISA_C), *v = light_kernels(isa);
	struct light_entry *table = kern_buffer(LIGHT_ENTRIES * sizeof(*table));
	float *in = kern_buffer(BATCH * sizeof(float));
	float *want = kern_buffer(BATCH * sizeof(float)), *got = kern_buffer(BATCH * sizeof(float));
	for (unsigned round = 0; round < 2 * ROUNDS; round++) {
		static const float scales[] = { 1, 2, 4, 8, 0, 0.25f, 0.5f };
		const struct light_lookup how = { .scale = scales[kern_random() % 7],
			.is_signed = round & 1 };
		const unsigned n_lanes = random_lanes();
		uint32_t raw[LIGHT_ENTRIES];
		kern_random_bytes(raw, sizeof(raw));
		light_table_decode(table, raw);
		random_floats(in, BATCH, false);
		for (unsigned i = 0; i < BATCH; i += 5) {
			in[i] = edges[kern_random() % (sizeof(edges) / sizeof(edges[0]))];
		}
		memset(want, 0, BATCH * sizeof(float));
		memset(got, 0, BATCH * sizeof(float));
		c->lookup(want, in, table, &how, round & 2, n_lanes);
		v->lookup(got, in, table, &how, round & 2, n_lanes);
		same_floats("light_lookup", isa, want, got, BATCH * sizeof(float));
	}
	kern_done(table);
}

static void check_add(enum isa isa) {
	const struct light_kernels *c = light_kernels(ISA_C), *v = light_kernels(isa);
	for (unsigned round = 0; round < 4 * ROUNDS; round++) {
		struct light_planes *in = random_planes(true);
		struct light_planes *want = random_planes(true), *got = copy_planes(want);
		const struct light_source s = random_source();
		const unsigned n_lanes = random_lanes();
		const uint64_t has = kern_random();
		const struct light_factors f = {
			.distance = has & 1 ? in->distance_factor : NULL,
			.spot = has & 2 ? in->spot_factor : NULL,
			.d0 = has & 4 ? in->d0 : NULL,
			.d1 = has & 8 ? in->d1 : NULL,
			.reflection = { has & 16 ? in->reflection[0] : NULL,
					has & 32 ? in->reflection[1] : NULL,
					has & 64 ? in->reflection[2] : NULL },
			.clamp = has >> 7 & 1,
			.first = (uint8_t)(has >> 8 & has >> 16 &
					(LIGHT_PRIMARY | LIGHT_SECONDARY)),
		};
		for (unsigned i = 0; i < BATCH; i += 3) {
			want->diffuse[i] = got->diffuse[i] = 0;
		}
		c->add(want, &s, &f, n_lanes);
		v->add(got, &s, &f, n_lanes);
		end_planes("light_add", isa, want, got);
		kern_done(in);
	}
}

static void check_rest(enum isa isa) {
	const struct light_kernels *c = light_kernels(ISA_C), *v = light_kernels(isa);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct light_planes *want = random_planes(false), *got = copy_planes(want);
		const unsigned n_lanes = random_lanes();
		const float bias = (float)kern_random_in(-10, 1030) / 1024.0f;
		uint16_t bytes[2][BATCH] = { { 0 } };
		PICA_ALIGNED(64) uint16_t out[BATCH] = { 0 };
		c->scale(want->alpha, want->shadow[3], n_lanes);
		v->scale(got->alpha, got->shadow[3], n_lanes);
		c->bytes(out, want->n[0], bias, n_lanes);
		memcpy(bytes[0], out, sizeof(out));
		memset(out, 0, sizeof(out));
		v->bytes(out, want->n[0], bias, n_lanes);
		memcpy(bytes[1], out, sizeof(out));
		kern_forget(bytes[1], bytes[0], 1, n_lanes, sizeof(out[0]));
		kern_same("light_bytes", isa, bytes[0], bytes[1], sizeof(out));
		end_planes("light_scale", isa, want, got);
	}
}

/* A light as light_kernels.plain takes it. */
static void random_plain(struct light_draw *l, struct light_entry *table) {
	static const float scales[] = { 1, 2, 8, 0, 0.25f };
	uint32_t raw[LIGHT_ENTRIES];
	kern_random_bytes(raw, sizeof(raw));
	light_table_decode(table, raw);
	memset(l, 0, sizeof(*l));
	l->source[0] = random_source();
	l->source[0].flags = LIGHT_ADDS_PRIMARY | LIGHT_ADDS_SECONDARY | LIGHT_SPECULAR0 |
			(kern_random() & 1 ? LIGHT_TWO_SIDED : 0);
	l->d0 = (struct light_lookup){ .scale = scales[kern_random() % 5], .table = 3,
		.input = kern_random() % LIGHT_INPUTS };
	l->table[3] = table;
	random_floats(l->ambient, 3, true);
	l->n_sources = 1;
	l->is_plain = true;
}

static void check_plain(enum isa isa) {
	const struct light_kernels *c = light_kernels(ISA_C), *v = light_kernels(isa);
	struct light_entry *table = kern_buffer(LIGHT_ENTRIES * sizeof(*table));
	uint16_t *want = kern_buffer(8 * BATCH * sizeof(*want));
	uint16_t *got = kern_buffer(8 * BATCH * sizeof(*got));
	for (unsigned round = 0; round < 4 * ROUNDS; round++) {
		struct light_planes *p = random_planes(round & 1);
		const unsigned n_lanes = random_lanes();
		struct light_draw l;
		random_plain(&l, table);
		memset(want, 0x55, 8 * BATCH * sizeof(*want));
		memset(got, 0x55, 8 * BATCH * sizeof(*got));
		c->plain(want, p, &l, n_lanes);
		v->plain(got, p, &l, n_lanes);
		kern_forget(got, want, 8, n_lanes, sizeof(*got));
		kern_same("light_plain", isa, want, got, 8 * BATCH * sizeof(*want));
		kern_done(p);
	}
	kern_done(table);
}

/* ---- Times ---- */

static void bench(enum isa isa) {
	static const uint16_t map[3 * BATCH];
	const struct plane_in bump = { map, BATCH };
	const struct light_kernels *k = light_kernels(isa);
	const struct light_lookup how = { .scale = 1 };
	struct light_planes *p = random_planes(true);
	struct light_entry *table = kern_buffer(LIGHT_ENTRIES * sizeof(*table));
	float *quat = kern_buffer(4 * BATCH * sizeof(float));
	struct light_source source = random_source();
	const struct light_factors factors = { .d0 = p->d0 };
	uint32_t raw[LIGHT_ENTRIES];
	kern_random_bytes(raw, sizeof(raw));
	light_table_decode(table, raw);
	random_floats(quat, 4 * BATCH, true);
	source.distance_factor.table = LIGHT_NO_TABLE;
	source.flags = LIGHT_DIRECTIONAL | LIGHT_HALF | LIGHT_ADDS_PRIMARY | LIGHT_ADDS_SECONDARY |
			LIGHT_SPECULAR0;
	source.inputs = 1 << LIGHT_NH;
	KERN_BENCH("light_surface", isa, BATCH) k->surface(p, quat, &bump, 0, BATCH);
	KERN_BENCH("light_surface_bump", isa, BATCH) {
		k->surface(p, quat, &bump, LIGHT_NORMAL_MAP, BATCH);
	}
	KERN_BENCH("light_vectors_directional", isa, BATCH) k->vectors(p, quat, &source, BATCH);
	source.flags &= (uint16_t)~LIGHT_DIRECTIONAL;
	KERN_BENCH("light_vectors_positional", isa, BATCH) k->vectors(p, quat, &source, BATCH);
	KERN_BENCH("light_lookup", isa, BATCH) {
		k->lookup(p->d0, p->input[LIGHT_NH], table, &how, false, BATCH);
	}
	KERN_BENCH("light_add", isa, BATCH) k->add(p, &source, &factors, BATCH);
	struct light_draw plain;
	PICA_ALIGNED(64) uint16_t bytes[8 * BATCH];
	random_plain(&plain, table);
	KERN_BENCH("light_plain", isa, BATCH) k->plain(bytes, p, &plain, BATCH);
	kern_done(p);
}

static void check(enum isa isa) {
	kern_slots(isa, "light", light_kernels(ISA_C), light_kernels(isa),
			sizeof(struct light_kernels));
	check_surface(isa);
	check_unit(isa);
	check_fraction(isa);
	check_vectors(isa);
	check_lookup(isa);
	check_add(isa);
	check_rest(isa);
	check_plain(isa);
}

const struct kern_suite kern_suite = { "light", NULL, check, bench, NULL };
