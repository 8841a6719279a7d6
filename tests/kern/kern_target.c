/* Kernels that test fragments and write targets: every variant against C. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "kern.h"
#include "pica/frag/frag.h"
#include "pica/frag/kernels.h"

enum { PLANE_BYTES = BATCH * 2, ROUNDS = 400 };

/* ---- Tests ---- */

static void check_alpha(enum isa isa) {
	const struct frag_kernels *c = frag_kernels_for(ISA_C), *v = frag_kernels_for(isa);
	uint16_t *alpha = kern_buffer(PLANE_BYTES);
	for (unsigned round = 0; round < 8 * ROUNDS; round++) {
		kern_random_colors(alpha, BATCH);
		const unsigned ref = alpha[kern_random() % BATCH];
		const unsigned n_lanes = 16 * (unsigned)kern_random_in(1, 4);
		const uint64_t want = c->alpha(alpha, round & 7, ref, n_lanes);
		const uint64_t got = v->alpha(alpha, round & 7, ref, n_lanes);
		kern_same("alpha", isa, &want, &got, sizeof(want));
	}
	kern_done(alpha);
}

static const char *const depth_names[FRAG_DEPTH_W_COUNT][2] = {
	[FRAG_DEPTH_Z] = { "depth_z16", "depth_z24" },
	[FRAG_DEPTH_W] = { "depth_w16", "depth_w24" },
	[FRAG_DEPTH_IW] = { "depth_iw16", "depth_iw24" },
};

static void check_depth(enum isa isa, unsigned w_kind, unsigned wide) {
	const struct frag_kernels *c = frag_kernels_for(ISA_C), *v = frag_kernels_for(isa);
	float *zow = kern_buffer(BATCH * sizeof(float)), *w = kern_buffer(BATCH * sizeof(float));
	struct out {
		uint32_t z[BATCH];
		float depth[BATCH];
	} *want = kern_buffer(sizeof(*want)), *got = kern_buffer(sizeof(*got));
	for (unsigned round = 0; round < 4 * ROUNDS; round++) {
		const float scale = round & 1 ? -1.0f : kern_random_float();
		const float offset = round & 2 ? 0.0f : kern_random_float();
		const unsigned first = 4 * (unsigned)kern_random_in(0, 15);
		const unsigned n = 4 * (unsigned)kern_random_in(1, 16 - first / 4);
		for (unsigned i = 0; i < BATCH; i++) {
			const bool tame = kern_random() & 1;
			zow[i] = tame ? -(float)kern_random_in(0, 1 << 24) / 16777216.0f :
					kern_random_float();
			w[i] = kern_random_float();
		}
		memset(want, 0, sizeof(*want));
		memset(got, 0, sizeof(*got));
		c->depth[w_kind][wide](want->z + first, want->depth + first, zow + first, w + first,
				scale, offset, n);
		v->depth[w_kind][wide](got->z + first, got->depth + first, zow + first, w + first,
				scale, offset, n);
		kern_same(depth_names[w_kind][wide], isa, want, got, sizeof(*want));
	}
	kern_done(zow);
}

/*
 * Quads of a target of n_px pixels: one block, distinct quads anywhere, or with some repeated.
 * The first and the last quad of the target occur often: guards follow them.
 */
static void random_quads(uint32_t *px, unsigned n_quads, unsigned n_px) {
	const uint64_t kind = kern_random() % 3;
	const uint32_t block = (uint32_t)(kern_random() % (n_px / 64)) * 64;
	for (unsigned q = 0; q < n_quads; q++) {
		px[q] = kind == 0 ? block + 4 * q : (uint32_t)(kern_random() % (n_px / 4)) * 4;
		if (kind == 2 && q && kern_random() & 1) {
			px[q] = px[kern_random() % q];
		}
	}
	if (kind && n_quads) {
		px[kern_random() % n_quads] = kern_random() & 1 ? 0 : n_px - 4;
	}
}

static uint64_t random_live(void) {
	switch (kern_random() & 3) {
	case 0:
		return ~(uint64_t)0;
	case 1:
		return kern_random();
	case 2: /* whole quads */
		return (kern_random() & 0x1111111111111111u) * 15;
	default:
		return kern_random() & kern_random() & kern_random();
	}
}

enum { TARGET_PX = 256 };

static const char *const test_names[FRAG_TEST_COUNT] = {
	[FRAG_TEST_D16] = "test_d16",
	[FRAG_TEST_D24] = "test_d24",
	[FRAG_TEST_D24S8] = "test_d24s8",
	[FRAG_TEST_STENCIL] = "test_stencil",
};

static const unsigned test_bytes[FRAG_TEST_COUNT] = { 2, 3, 4, 4 };

static void check_test(enum isa isa, unsigned kind) {
	const struct frag_kernels *c = frag_kernels_for(ISA_C), *v = frag_kernels_for(isa);
	const size_t bytes = TARGET_PX * test_bytes[kind];
	const uint32_t z_max = kind == FRAG_TEST_D16 ? 0xFFFF : 0xFFFFFF;
	uint8_t *want = kern_buffer(bytes), *got = kern_buffer(bytes);
	uint32_t *z = kern_buffer(BATCH * 4);
	uint32_t px[BATCH_QUADS];
	for (int round = 0; round < 20 * ROUNDS; round++) {
		const bool all = round & 1; /* perhaps a whole block */
		const unsigned first = all ? 0 : (unsigned)kern_random_in(0, 15);
		const unsigned n = all ? 16 : (unsigned)kern_random_in(0, 16 - first);
		const uint64_t live = random_live();
		random_quads(px, BATCH_QUADS, TARGET_PX);
		kern_random_bytes(want, bytes);
		for (unsigned i = 0; i < BATCH; i++) { /* often the stored value or near it */
			uint32_t stored = 0;
			memcpy(&stored, want + (px[i / 4] + i % 4) * test_bytes[kind],
					kind == FRAG_TEST_D16 ? 2 : 3);
			z[i] = (kern_random() & 1 ? (uint32_t)kern_random() : stored +
					(uint32_t)kern_random_in(-1, 1)) & z_max;
		}
		memcpy(got, want, bytes);
		struct frag_test t = {
			.base = want, .quad_px = px, .z = z,
			.depth_relation = kern_random() & 7, .write_depth = kern_random() & 1,
			.stencil_relation = kern_random() & 7,
			.ref = (uint8_t)kern_random(), .compare_mask = (uint8_t)kern_random(),
			.write_mask = (uint8_t)(kern_random() & 1 ? 255 : kern_random() >> 8),
			.op_fail = kern_random() & 7, .op_zfail = kern_random() & 7,
			.op_zpass = kern_random() & 7,
		};
		const uint64_t live_c = c->test[kind](&t, live, first, n);
		t.base = got;
		const uint64_t live_v = v->test[kind](&t, live, first, n);
		kern_same(test_names[kind], isa, &live_c, &live_v, sizeof(live_c));
		kern_same(test_names[kind], isa, want, got, bytes);
	}
	kern_done(want);
}

static float shadow_factor(void) {
	return kern_random() & 7 ? (float)kern_random_in(-40, 40) / 16.0f : kern_random_float();
}

static void check_shadow(enum isa isa) {
	const struct frag_kernels *c = frag_kernels_for(ISA_C), *v = frag_kernels_for(isa);
	uint8_t *want = kern_buffer(TARGET_PX * 4), *got = kern_buffer(TARGET_PX * 4);
	uint32_t *z = kern_buffer(BATCH * 4);
	uint16_t *green = kern_buffer(PLANE_BYTES);
	uint32_t px[BATCH_QUADS];
	for (int round = 0; round < 20 * ROUNDS; round++) {
		const unsigned n = (unsigned)kern_random_in(0, 16);
		const uint64_t live = random_live();
		const struct frag_shadow_consts factors = { shadow_factor(), shadow_factor() };
		random_quads(px, BATCH_QUADS, TARGET_PX);
		kern_random_bytes(want, TARGET_PX * 4);
		kern_random_colors(green, BATCH);
		for (unsigned i = 0; i < BATCH; i++) { /* near the stored value, or anything */
			const uint8_t *p = want + (px[i / 4] + i % 4) * 4;
			const uint32_t stored = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
			z[i] = (kern_random() & 1 ? (uint32_t)kern_random() : stored +
					(uint32_t)kern_random_in(-1, 1)) & 0xFFFFFF;
			green[i] = kern_random() & 3 ? green[i] : 0;
		}
		memcpy(got, want, TARGET_PX * 4);
		c->shadow(want, px, z, green, &factors, live, n);
		v->shadow(got, px, z, green, &factors, live, n);
		kern_same("shadow", isa, want, got, TARGET_PX * 4);
	}
	kern_done(want);
}

static void check_gas_add(enum isa isa) {
	static const unsigned depth_bytes[] = { 0, 2, 3, 4 };
	static const float deltas[] = { 0.0f, 1.0f / 65535.0f, 4.0f / 16777215.0f, 100.0f };
	const struct frag_kernels *c = frag_kernels_for(ISA_C), *v = frag_kernels_for(isa);
	uint16_t *want = kern_buffer(TARGET_PX * 4), *got = kern_buffer(TARGET_PX * 4);
	uint8_t *depth = kern_buffer(TARGET_PX * 4);
	uint32_t *z = kern_buffer(BATCH * 4);
	uint16_t *red = kern_buffer(PLANE_BYTES);
	uint32_t px[BATCH_QUADS];
	for (int round = 0; round < 20 * ROUNDS; round++) {
		const unsigned n = (unsigned)kern_random_in(0, 16);
		const uint64_t live = random_live();
		struct frag_gas_target t = { .color = (uint8_t *)want,
			.color_px = px,
			.depth = depth,
			.depth_px = px,
			.depth_bytes = depth_bytes[kern_random() & 3],
			.relation = kern_random() & 7,
			.delta = deltas[kern_random() & 3] };
		const size_t at = t.depth_bytes ?
				TARGET_PX * 4 - TARGET_PX * (size_t)t.depth_bytes :
				0;
		t.depth = t.depth_bytes ? depth + at : NULL; /* ends at the guard */
		random_quads(px, BATCH_QUADS, TARGET_PX);
		kern_random_bytes(want, TARGET_PX * 4);
		kern_random_bytes(depth, TARGET_PX * 4);
		kern_random_colors(red, BATCH);
		for (unsigned i = 0; i < BATCH; i++) {
			const unsigned n_bytes = t.depth_bytes == 2 ? 2 : 3;
			uint32_t stored = 0;
			if (t.depth) {
				memcpy(&stored, t.depth + (px[i / 4] + i % 4) * t.depth_bytes,
						n_bytes);
			}
			z[i] = (kern_random() & 1 ? (uint32_t)kern_random() :
						    stored + (uint32_t)kern_random_in(-1, 1)) &
					(n_bytes == 2 ? 0xFFFF : 0xFFFFFF);
			if (kern_random() & 3) { /* numbers about 1 */
				want[2 * (px[i / 4] + i % 4) + (kern_random() & 1)] =
						(uint16_t)kern_random_in(0x3000, 0x4400);
			}
		}
		memcpy(got, want, TARGET_PX * 4);
		const uint32_t max_c = c->gas_add(&t, z, red, live, n);
		t.color = (uint8_t *)got;
		const uint32_t max_v = v->gas_add(&t, z, red, live, n);
		kern_same("gas_add", isa, &max_c, &max_v, sizeof(max_c));
		kern_same("gas_add", isa, want, got, TARGET_PX * 4);
	}
	kern_done(want);
}

static float share(void) {
	return (float)kern_random_in(0, 255) / 255.0f;
}

static void check_gas_shade(enum isa isa) {
	const struct frag_kernels *c = frag_kernels_for(ISA_C), *v = frag_kernels_for(isa);
	uint16_t *src = kern_buffer(5 * PLANE_BYTES);
	uint16_t *want = kern_buffer(4 * PLANE_BYTES), *got = kern_buffer(4 * PLANE_BYTES);
	uint32_t *table = kern_buffer(FRAG_FOG_ENTRIES * sizeof(*table));
	for (int round = 0; round < 20 * ROUNDS; round++) {
		const unsigned n_lanes = 16 * (unsigned)kern_random_in(1, 4);
		const bool flip = kern_random() & 1;
		const struct frag_fog_consts fog = { .table = table,
			.scale = flip ? -128.0f : 128.0f,
			.offset = flip ? 128.0f : 0.0f };
		struct frag_gas_consts gas = { .planar = { share(), share(), share() },
			.view = { share(), share(), share() }, .effect = share(),
			.by_light = kern_random() & 1, .depth_density = kern_random() & 1,
			.attenuation = kern_random() & 3 ? share() * 3.0f : kern_random_float(),
			.inverse_max = kern_random() & 3 ? share() : kern_random_float() };
		const struct plane_in in[2] = { { src, 0 },
			{ src + BATCH, kern_random() & 7 ? BATCH : 0 } };
		kern_random_bytes(table, FRAG_FOG_ENTRIES * sizeof(*table));
		kern_random_bytes(gas.lut, sizeof(gas.lut));
		kern_random_colors(src, 5 * BATCH);
		for (unsigned i = 0; i < BATCH; i++) { /* densities about 1 */
			if (kern_random() & 3) {
				src[BATCH + i] = src[3 * BATCH + i] =
						(uint16_t)kern_random_in(0x30, 0x44);
			}
		}
		c->gas_shade(want, in, &gas, &fog, n_lanes);
		v->gas_shade(got, in, &gas, &fog, n_lanes);
		for (unsigned k = 0; k < 4; k++) {
			kern_same("gas_shade", isa, want + k * BATCH, got + k * BATCH, n_lanes * 2);
		}
	}
	kern_done(src);
}

/* ---- Target ---- */

static void check_format(enum isa isa, unsigned format) {
	const struct frag_kernels *c = frag_kernels_for(ISA_C), *v = frag_kernels_for(isa);
	const size_t bytes = TARGET_PX * (size_t)color_format_bytes(format);
	uint8_t *want = kern_buffer(bytes), *got = kern_buffer(bytes);
	uint16_t *planes = kern_buffer(4 * PLANE_BYTES), *planes_v = kern_buffer(4 * PLANE_BYTES);
	uint32_t px[BATCH_QUADS];
	for (int round = 0; round < 10 * ROUNDS; round++) {
		const unsigned n = (unsigned)kern_random_in(1, 16);
		random_quads(px, n, TARGET_PX);
		kern_random_bytes(want, bytes);
		memcpy(got, want, bytes);
		c->load[format](planes, want, px, n);
		v->load[format](planes_v, want, px, n);
		for (unsigned k = 0; k < 4; k++) {
			kern_same("load", isa, planes + k * BATCH, planes_v + k * BATCH, n * 8);
		}
		kern_random_colors(planes, 4 * BATCH);
		const uint16_t *const src[4] = { planes, planes + BATCH, planes + 2 * BATCH,
			planes + (kern_random() & 1 ? 3 * BATCH : 0) };
		const uint64_t live = random_live();
		c->store[format](want, px, src, live, n);
		v->store[format](got, px, src, live, n);
		kern_same(color_format_name(format), isa, want, got, bytes);
	}
	kern_done(want);
}

/*
 * A quad, whole or partly live, at the beginning or end of mapped memory: touching one more byte is
 * fatal. Its pixels are the first of their buffer.
 */
static void check_borders(enum isa isa) {
	const struct frag_kernels *v = frag_kernels_for(isa);
	enum { PAGE = 1 << 16 }; /* a multiple of any page size in use */
	uint8_t *map = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint16_t *planes = kern_buffer(4 * PLANE_BYTES);
	uint32_t *z = kern_buffer(BATCH * 4);
	const uint32_t px[1] = { 0 };
	const uint16_t *const src[4] = { planes, planes + BATCH, planes + 2 * BATCH,
		planes + 3 * BATCH };
	if (map == MAP_FAILED || mprotect(map + PAGE, PAGE, PROT_READ | PROT_WRITE) != 0) {
		kern_check("borders", isa, false);
		return;
	}
	for (unsigned end = 0; end < 2; end++) {
		for (uint64_t live = 1; live < 16; live++) {
			for (unsigned format = 0; format < COLOR_COUNT; format++) {
				uint8_t *p = map + PAGE +
						end * (PAGE - 4 * color_format_bytes(format));
				v->load[format](planes, p, px, 1);
				v->store[format](p, px, src, live, 1);
			}
			for (unsigned kind = 0; kind < FRAG_TEST_COUNT; kind++) {
				const struct frag_test t = { .base = map + PAGE +
							end * (PAGE - 4 * test_bytes[kind]),
					.quad_px = px,
					.z = z,
					.depth_relation = RELATION_ALWAYS,
					.write_depth = 1,
					.stencil_relation = RELATION_ALWAYS,
					.write_mask = 255,
					.op_zpass = 3 };
				kern_check("borders", isa, v->test[kind](&t, live, 0, 1) == live);
			}
			const struct frag_shadow_consts factors = { 1.0f, 0.0f };
			uint8_t *p = map + PAGE + end * (PAGE - 16);
			memset(p, 255, 16);
			v->shadow(p, px, z, planes, &factors, live, 1);
			for (unsigned bytes = 2; bytes <= 4; bytes++) {
				const struct frag_gas_target t = { .color = p,
					.color_px = px,
					.depth = map + PAGE + end * (PAGE - 4 * bytes),
					.depth_px = px,
					.depth_bytes = bytes,
					.relation = RELATION_ALWAYS,
					.delta = 1.0f };
				memset(p, 0, 16);
				kern_check("borders", isa,
						v->gas_add(&t, z, planes, live, 1) < 0x8000);
			}
		}
	}
	munmap(map, 3 * PAGE);
	kern_done(planes);
}

/* ---- Bench: ns per pixel of a full batch ---- */

static volatile uint64_t sink;

static void bench(enum isa isa) {
	static const struct frag_shadow_consts factors = { 1.5f, -1.0f };
	static const uint32_t table[FRAG_FOG_ENTRIES] = { 0x00FFFEE6 };
	static const struct frag_gas_consts gas = { .inverse_max = 0.5f, .attenuation = 1.0f };
	const struct frag_fog_consts fog = { .table = table, .scale = 128.0f };
	const uint64_t all = ~(uint64_t)0;
	const struct frag_kernels *k = frag_kernels_for(isa);
	uint16_t *planes = kern_buffer(20 * PLANE_BYTES);
	float *floats = kern_buffer(4 * BATCH * sizeof(float));
	uint32_t *z = kern_buffer(BATCH * 4), *px = kern_buffer(BATCH_QUADS * 4);
	uint8_t *memory = kern_buffer(BATCH * 4);
	kern_random_colors(planes, 20 * BATCH);
	for (unsigned i = 0; i < 4 * BATCH; i++) {
		floats[i] = (float)kern_random_in(1, 1000) / 1000.0f;
	}
	for (unsigned q = 0; q < BATCH_QUADS; q++) {
		px[q] = 4 * q;
	}
	const uint16_t *const src[4] = { planes, planes + BATCH, planes + 2 * BATCH,
		planes + 3 * BATCH };
	const struct plane_in in[2] = { { planes + 4 * BATCH, 0 }, { planes + 8 * BATCH, BATCH } };
	const struct frag_gas_target cloud = { .color = memory, .color_px = px,
		.depth = (const uint8_t *)planes, .depth_px = px, .depth_bytes = 4,
		.relation = RELATION_ALWAYS, .delta = 1e-5f };
	const struct frag_test test = { .base = memory,
		.quad_px = px,
		.z = z,
		.depth_relation = RELATION_GREATER | RELATION_EQUAL,
		.write_depth = 1,
		.stencil_relation = RELATION_EQUAL,
		.ref = 1,
		.compare_mask = 255,
		.write_mask = 255,
		.op_zpass = 3 };
	char name[64];
	KERN_BENCH("alpha", isa, BATCH) sink = k->alpha(planes, RELATION_GREATER, 128, BATCH);
	for (unsigned w = 0; w < FRAG_DEPTH_W_COUNT; w++) {
		KERN_BENCH(depth_names[w][1], isa, BATCH) {
			k->depth[w][1](z, floats + 2 * BATCH, floats, floats + BATCH, -1.0f, 0.0f,
					BATCH);
		}
	}
	for (unsigned i = 0; i < FRAG_TEST_COUNT; i++) {
		KERN_BENCH(test_names[i], isa, BATCH) {
			sink = k->test[i](&test, all, 0, BATCH_QUADS);
		}
	}
	KERN_BENCH("shadow", isa, BATCH) {
		k->shadow(memory, px, z, planes, &factors, all, BATCH_QUADS);
	}
	KERN_BENCH("gas-add", isa, BATCH) sink = k->gas_add(&cloud, z, planes, all, BATCH_QUADS);
	KERN_BENCH("gas-shade", isa, BATCH) k->gas_shade(planes, in, &gas, &fog, BATCH);
	for (unsigned format = 0; format < COLOR_COUNT; format++) {
		snprintf(name, sizeof(name), "load-%s", color_format_name(format));
		KERN_BENCH(name, isa, BATCH) k->load[format](planes, memory, px, BATCH_QUADS);
		snprintf(name, sizeof(name), "store-%s", color_format_name(format));
		KERN_BENCH(name, isa, BATCH) k->store[format](memory, px, src, all, BATCH_QUADS);
		snprintf(name, sizeof(name), "store-%s-masked", color_format_name(format));
		KERN_BENCH(name, isa, BATCH) {
			k->store[format](memory, px, src, 0x5F3F7EFD13F7FE93u, BATCH_QUADS);
		}
	}
	kern_done(planes);
}

static void check(enum isa isa) {
	check_alpha(isa);
	for (unsigned w = 0; w < FRAG_DEPTH_W_COUNT; w++) {
		check_depth(isa, w, 0);
		check_depth(isa, w, 1);
	}
	for (unsigned kind = 0; kind < FRAG_TEST_COUNT; kind++) {
		check_test(isa, kind);
	}
	for (unsigned format = 0; format < COLOR_COUNT; format++) {
		check_format(isa, format);
	}
	check_shadow(isa);
	check_gas_add(isa);
	check_gas_shade(isa);
	check_borders(isa);
}

const struct kern_suite kern_suite = { "target", NULL, check, bench, NULL };
