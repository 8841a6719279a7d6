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
	kern_done(pool);
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
	kern_done(src);
}

/* The kernels of whole blocks: colours, RGBA8 pixels, depths with stencil. */
static void check_block(enum isa isa) {
	const struct frag_kernels *c = frag_kernels_for(ISA_C), *v = frag_kernels_for(isa);
	float *steps = kern_buffer(5 * BATCH * sizeof(float));
	uint16_t *want = kern_buffer(4 * PLANE_BYTES), *got = kern_buffer(4 * PLANE_BYTES);
	uint8_t *pixels_c = kern_buffer(4 * BATCH), *pixels_v = kern_buffer(4 * BATCH);
	const uint16_t *const src[4] = { want + 2 * BATCH, want, want + BATCH, want + 3 * BATCH };
	for (int round = 0; round < 16 * ROUNDS; round++) {
		const struct frag_test t = { .depth_relation = round & 7,
			.write_depth = kern_random() & 1,
			.scale = kern_random() & 3 ? -1.0f : kern_random_float(),
			.offset = kern_random() & 3 ? 0.0f : kern_random_float() };
		const unsigned n_planes = (unsigned)kern_random_in(1, 4);
		const float *w = kern_random() & 1 ? steps + 4 * BATCH : NULL;
		float base[4];
		for (unsigned i = 0; i < 4; i++) {
			base[i] = kern_random() & 7 ? (float)kern_random_in(-64, 64) / 1024.0f :
					kern_random_float();
		}
		for (unsigned i = 0; i < 5 * BATCH; i++) {
			steps[i] = kern_random() & 7 ? (float)kern_random_in(-1064, 40) / 1024.0f :
					kern_random_float();
		}
		c->color_block(want, steps, base, w, n_planes);
		v->color_block(got, steps, base, w, n_planes);
		kern_same("color_block", isa, want, got, n_planes * PLANE_BYTES);

		kern_random_bytes(pixels_c, 4 * BATCH);
		c->load_block(want, pixels_c);
		v->load_block(got, pixels_c);
		kern_same("load_block", isa, want, got, 4 * PLANE_BYTES);
		memcpy(pixels_v, pixels_c, 4 * BATCH);
		const uint64_t stored = kern_random() & 1 ? ~UINT64_C(0) : kern_random();
		c->store_block(pixels_c, src, stored);
		v->store_block(pixels_v, src, stored);
		kern_same("store_block", isa, pixels_c, pixels_v, 4 * BATCH);

		for (unsigned i = 0; i < BATCH; i++) { /* often the incoming value or near it */
			const float d = (base[0] + steps[i]) * t.scale + t.offset;
			if (kern_random() & 1 && d >= 0.0f && d < 1.0f) {
				const uint32_t z = (uint32_t)((double)d * 0xFFFFFF) +
						(uint32_t)kern_random_in(-1, 1);
				memcpy(pixels_c + 4 * i, &z, 3);
			}
		}
		memcpy(pixels_v, pixels_c, 4 * BATCH);
		const uint64_t live = kern_random() & 1 ? ~UINT64_C(0) : kern_random();
		const uint64_t live_c = c->test_block(&t, pixels_c, steps, base[0], live);
		const uint64_t live_v = v->test_block(&t, pixels_v, steps, base[0], live);
		kern_same("test_block", isa, &live_c, &live_v, sizeof(live_c));
		kern_same("test_block", isa, pixels_c, pixels_v, 4 * BATCH);
	}
	kern_done(steps);
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
	kern_done(src);
}

/* ---- Bench: ns per pixel of a full batch ---- */

static void bench(enum isa isa) {
	static const enum frag_op ops[] = { FRAG_OP_COMPLEMENT, FRAG_OP_SCALE2, FRAG_OP_MODULATE,
		FRAG_OP_ADD, FRAG_OP_ADD_SIGNED, FRAG_OP_LERP, FRAG_OP_MUL_ADD, FRAG_OP_ADD_MUL,
		FRAG_OP_BLEND_ADD, FRAG_OP_BLEND_MAX, FRAG_OP_XOR, FRAG_OP_DOT3 };
	static const uint32_t table[FRAG_FOG_ENTRIES] = { 0x00FFFEE6 };
	const struct frag_kernels *k = frag_kernels_for(isa), *t = frag_kernels_truncating(isa);
	const struct frag_fog_consts fog = { .table = table, .scale = 128.0f };
	uint16_t *planes = kern_buffer(20 * PLANE_BYTES);
	float *floats = kern_buffer(4 * BATCH * sizeof(float));
	uint8_t *pixels = kern_buffer(4 * BATCH);
	const uint16_t *const src[4] = { planes, planes + BATCH, planes + 2 * BATCH,
		planes + 3 * BATCH };
	const struct frag_test test = { .depth_relation = RELATION_GREATER | RELATION_EQUAL,
		.write_depth = 1, .scale = 1.0f };
	struct plane_in in[FRAG_OP_INPUTS];
	char name[64];
	kern_random_colors(planes, 20 * BATCH);
	for (unsigned i = 0; i < 4 * BATCH; i++) {
		floats[i] = (float)kern_random_in(1, 1000) / 1000.0f;
	}
	for (unsigned i = 0; i < FRAG_OP_INPUTS; i++) {
		in[i] = (struct plane_in){ planes + (1 + i) * 4 * BATCH, BATCH };
	}
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		snprintf(name, sizeof(name), "%s-rgba", frag_op_name(ops[i]));
		KERN_BENCH(name, isa, BATCH) k->op[ops[i]](planes, in, 4, BATCH);
	}
	for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
		snprintf(name, sizeof(name), "%s-trunc-rgba", frag_op_name(products[i]));
		KERN_BENCH(name, isa, BATCH) t->op[products[i]](planes, in, 4, BATCH);
	}
	KERN_BENCH("color-rgba", isa, BATCH) k->color(planes, floats, floats, 4, BATCH);
	KERN_BENCH("fog", isa, BATCH) k->fog(planes, in, floats, &fog, BATCH);
	KERN_BENCH("color_block-rgba", isa, BATCH)
		k->color_block(planes, floats, floats, floats, 4);
	KERN_BENCH("load_block", isa, BATCH) k->load_block(planes, pixels);
	KERN_BENCH("store_block", isa, BATCH) k->store_block(pixels, src, ~UINT64_C(0));
	KERN_BENCH("test_block", isa, BATCH)
		k->test_block(&test, pixels, floats, 0.0f, ~UINT64_C(0));
	kern_done(planes);
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
	kern_done(pool);
	check_color(isa);
	check_block(isa);
	check_fog(isa);
}

const struct kern_suite kern_suite = { "frag", NULL, check, bench, NULL };
