/* Kernels that compute colours: every variant against C. */
#include <stdio.h>
#include <string.h>

#include "kern.h"
#include "pica/frag/frag.h"
#include "pica/frag/kernels.h"

enum { PLANE_BYTES = BATCH * 2, ROUNDS = 400 };

/* ---- Operations on planes ---- */

#define OP_ID(set, id, name, n) FRAG_OP_##id,
static const enum frag_op products[] = { FRAG_OPS_PRODUCT(OP_ID, _) };

/* One operation of one set beside C's. */
struct op_case {
	enum isa isa;
	enum frag_op op;
	char name[32];
	frag_op_fn *c, *v;
};

static struct op_case op_case(enum isa isa, enum frag_op op, bool truncating) {
	struct op_case t = { .isa = isa, .op = op };
	t.c = (truncating ? frag_kernels_truncating(ISA_C) : frag_kernels_for(ISA_C))->op[op];
	t.v = (truncating ? frag_kernels_truncating(isa) : frag_kernels_for(isa))->op[op];
	snprintf(t.name, sizeof(t.name), "%s%s", frag_op_name(op), truncating ? "-trunc" : "");
	return t;
}

static void check_op(const struct op_case *t, uint16_t *pool, uint16_t *want, uint16_t *got) {
	static const unsigned planes[] = { 1, 3, 4 };
	for (int round = 0; round < ROUNDS; round++) {
		struct plane_in in[FRAG_OP_INPUTS];
		const unsigned n_planes = planes[kern_random() % 3];
		const unsigned n_lanes = 16 * (unsigned)kern_random_in(1, 4);
		kern_random_colors(pool, 16 * BATCH);
		for (unsigned k = 0; k < FRAG_OP_INPUTS; k++) {
			in[k].p = pool + 4 * BATCH * k;
			in[k].stride = kern_random() & 1 ? BATCH : 0;
		}
		memset(want, 0xEE, 4 * PLANE_BYTES);
		memset(got, 0xEE, 4 * PLANE_BYTES);
		t->c(want, in, n_planes, n_lanes);
		t->v(got, in, n_planes, n_lanes);
		kern_forget(got, want, n_planes, n_lanes, sizeof(*got));
		kern_same(t->name, t->isa, want, got, 4 * PLANE_BYTES);
		/* In place. */
		memcpy(got, in[0].p, 4 * PLANE_BYTES);
		in[0].p = got;
		in[0].stride = BATCH;
		memcpy(want, got, 4 * PLANE_BYTES);
		t->v(got, in, n_planes, n_lanes);
		in[0].p = want;
		t->c(want, in, n_planes, n_lanes);
		kern_forget(got, want, n_planes, n_lanes, sizeof(*got));
		kern_same(t->name, t->isa, want, got, 4 * PLANE_BYTES);
	}
	kern_check(t->name, t->isa, kern_guards_intact(want) && kern_guards_intact(got) &&
			kern_guards_intact(pool));
}

/* Every a, b (and c: 2^24 lanes), four planes a turn; a constant a and b, running c. */
static void check_op_exhaustively(const struct op_case *t) {
	const unsigned n_in = frag_op_inputs(t->op);
	uint16_t *pool = kern_buffer(4 * 3 * PLANE_BYTES);
	uint16_t *want = kern_buffer(4 * PLANE_BYTES), *got = kern_buffer(4 * PLANE_BYTES);
	struct plane_in in[FRAG_OP_INPUTS];
	for (unsigned k = 0; k < FRAG_OP_INPUTS; k++) {
		in[k] = (struct plane_in){ pool + (k % 3) * 4 * BATCH, BATCH };
	}
	for (unsigned i = 0; i < 256; i++) {
		pool[(n_in - 1) * 4 * BATCH + i] = (uint16_t)i; /* four planes hold 0..255 */
	}
	for (unsigned a = 0; a < 256; a++) {
		for (unsigned b = 0; b < (n_in == 3 ? 256 : 1); b++) {
			for (unsigned i = 0; i < 256; i++) {
				pool[i] = (uint16_t)a;
				if (n_in == 3) {
					pool[4 * BATCH + i] = (uint16_t)b;
				}
			}
			t->c(want, in, 4, BATCH);
			t->v(got, in, 4, BATCH);
			kern_same(t->name, t->isa, want, got, 4 * PLANE_BYTES);
		}
	}
	kern_buffer_free(pool);
	kern_buffer_free(want);
	kern_buffer_free(got);
}

static void check_color(enum isa isa) {
	const struct frag_kernels *c = frag_kernels_for(ISA_C), *v = frag_kernels_for(isa);
	float *src = kern_buffer(5 * BATCH * sizeof(float));
	uint16_t *want = kern_buffer(4 * PLANE_BYTES), *got = kern_buffer(4 * PLANE_BYTES);
	for (int round = 0; round < 4 * ROUNDS; round++) {
		const unsigned n_planes = (unsigned)kern_random_in(1, 4);
		const unsigned n_lanes = 16 * (unsigned)kern_random_in(1, 4);
		const float *w = round & 1 ? src + 4 * BATCH : NULL;
		for (unsigned i = 0; i < 5 * BATCH; i++) {
			src[i] = kern_random() & 1 ? (float)kern_random_in(-40, 1064) / 1024.0f :
					kern_random_float();
		}
		c->color(want, src, w, n_planes, n_lanes);
		v->color(got, src, w, n_planes, n_lanes);
		kern_forget(got, want, n_planes, n_lanes, sizeof(*got));
		kern_same("color", isa, want, got, 4 * PLANE_BYTES);
	}
	kern_check("color", isa, kern_guards_intact(got) && kern_guards_intact(want));
	kern_buffer_free(src);
	kern_buffer_free(want);
	kern_buffer_free(got);
}

static void check_fog(enum isa isa) {
	const struct frag_kernels *c = frag_kernels_for(ISA_C), *v = frag_kernels_for(isa);
	uint16_t *src = kern_buffer(3 * PLANE_BYTES);
	uint16_t *want = kern_buffer(3 * PLANE_BYTES), *got = kern_buffer(3 * PLANE_BYTES);
	float *depth = kern_buffer(BATCH * sizeof(float));
	uint32_t *table = kern_buffer(FRAG_FOG_ENTRIES * sizeof(*table));
	for (int round = 0; round < 8 * ROUNDS; round++) {
		const unsigned n_lanes = 16 * (unsigned)kern_random_in(1, 4);
		const bool flip = kern_random() & 1;
		struct frag_fog_consts fog = { .table = table, .scale = flip ? -128.0f : 128.0f,
			.offset = flip ? 128.0f : 0.0f };
		const struct plane_in in = { src, kern_random() & 3 ? BATCH : 0 };
		kern_random_bytes(table, FRAG_FOG_ENTRIES * sizeof(*table));
		kern_random_bytes(fog.color, sizeof(fog.color));
		kern_random_colors(src, 3 * BATCH);
		for (unsigned i = 0; i < BATCH; i++) {
			switch (kern_random() & 3) {
			case 0: /* anything: lanes that are dead */
				depth[i] = kern_random_float();
				break;
			case 1: /* on an entry */
				depth[i] = (float)kern_random_in(0, 128) / 128.0f;
				break;
			default:
				depth[i] = (float)kern_random_in(0, 1 << 24) / 16777216.0f;
				break;
			}
		}
		memset(want, 0xEE, 3 * PLANE_BYTES);
		memset(got, 0xEE, 3 * PLANE_BYTES);
		c->fog(want, &in, depth, &fog, n_lanes);
		v->fog(got, &in, depth, &fog, n_lanes);
		kern_forget(got, want, 3, n_lanes, sizeof(*got));
		kern_same("fog", isa, want, got, 3 * PLANE_BYTES);
	}
	kern_check("fog", isa, kern_guards_intact(want) && kern_guards_intact(got) &&
			kern_guards_intact(table));
	kern_buffer_free(src);
	kern_buffer_free(want);
	kern_buffer_free(got);
	kern_buffer_free(depth);
	kern_buffer_free(table);
}

/* ---- Bench: ns per pixel of a full batch ---- */

struct bench {
	const struct frag_kernels *k;
	unsigned slot, n_planes;
	uint16_t *planes; /* 20 */
	float *floats;    /* 4 planes */
};

static void bench_op(void *arg) {
	struct bench *b = arg;
	struct plane_in in[FRAG_OP_INPUTS];
	for (unsigned k = 0; k < FRAG_OP_INPUTS; k++) {
		in[k] = (struct plane_in){ b->planes + (1 + k) * 4 * BATCH, BATCH };
	}
	b->k->op[b->slot](b->planes, in, b->n_planes, BATCH);
}

static void bench_color(void *arg) {
	struct bench *b = arg;
	b->k->color(b->planes, b->floats, b->floats, 4, BATCH);
}

static void bench_fog(void *arg) {
	static const uint32_t table[FRAG_FOG_ENTRIES] = { 0x00FFFEE6 };
	struct bench *b = arg;
	const struct frag_fog_consts fog = { .table = table, .scale = 128.0f };
	const struct plane_in in = { b->planes + 4 * BATCH, BATCH };
	b->k->fog(b->planes, &in, b->floats, &fog, BATCH);
}

static void bench(enum isa isa) {
	static const enum frag_op ops[] = { FRAG_OP_COMPLEMENT, FRAG_OP_SCALE2, FRAG_OP_MODULATE,
		FRAG_OP_ADD, FRAG_OP_ADD_SIGNED, FRAG_OP_LERP, FRAG_OP_MUL_ADD, FRAG_OP_ADD_MUL,
		FRAG_OP_BLEND_ADD, FRAG_OP_BLEND_MAX, FRAG_OP_XOR };
	struct bench b = { .k = frag_kernels_for(isa), .n_planes = 4 };
	b.planes = kern_buffer(20 * PLANE_BYTES);
	b.floats = kern_buffer(4 * BATCH * sizeof(float));
	kern_random_colors(b.planes, 20 * BATCH);
	for (unsigned i = 0; i < 4 * BATCH; i++) {
		b.floats[i] = (float)kern_random_in(1, 1000) / 1000.0f;
	}
	char name[64];
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		b.slot = ops[i];
		snprintf(name, sizeof(name), "%s-rgba", frag_op_name(ops[i]));
		kern_bench(name, isa, bench_op, &b, BATCH);
	}
	b.k = frag_kernels_truncating(isa);
	for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
		b.slot = products[i];
		snprintf(name, sizeof(name), "%s-trunc-rgba", frag_op_name(products[i]));
		kern_bench(name, isa, bench_op, &b, BATCH);
	}
	b.k = frag_kernels_for(isa);
	b.slot = FRAG_OP_DOT3;
	kern_bench("dot3", isa, bench_op, &b, BATCH);
	kern_bench("color-rgba", isa, bench_color, &b, BATCH);
	kern_bench("fog", isa, bench_fog, &b, BATCH);
	kern_buffer_free(b.planes);
	kern_buffer_free(b.floats);
}

static void check(enum isa isa) {
	kern_slots(isa, "frag", frag_kernels_for(ISA_C), frag_kernels_for(isa),
			sizeof(struct frag_kernels));
	kern_slots(isa, "frag truncating", frag_kernels_truncating(ISA_C),
			frag_kernels_truncating(isa), sizeof(struct frag_kernels));
	uint16_t *pool = kern_buffer(16 * PLANE_BYTES);
	uint16_t *want = kern_buffer(4 * PLANE_BYTES), *got = kern_buffer(4 * PLANE_BYTES);
	for (unsigned op = 0; op < FRAG_OP_COUNT; op++) {
		const struct op_case t = op_case(isa, (enum frag_op)op, false);
		check_op(&t, pool, want, got);
	}
	for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
		const struct op_case t[2] = { op_case(isa, products[i], false),
			op_case(isa, products[i], true) };
		check_op_exhaustively(&t[0]);
		check_op_exhaustively(&t[1]);
		check_op(&t[1], pool, want, got);
	}
	kern_buffer_free(pool);
	kern_buffer_free(want);
	kern_buffer_free(got);
	check_color(isa);
	check_fog(isa);
}

const struct kern_suite kern_suite = { "frag", NULL, check, bench, NULL };
