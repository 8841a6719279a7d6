/* Random programs of the QPU against an independent evaluation, for every set. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/f24.h"
#include "isa_test.h"
#include "qpu_rig.h"
#include "tests/naive/naive_qpu.h"
#include "vc4/run/machine.h"

enum { PROGRAMS = 5000 }; /* of each set */

static unsigned below(unsigned n) {
	return random32() % n;
}

static bool one_in(unsigned n) {
	return below(n) == 0;
}

#define PICK(list) (list[below(ARRAY_LEN(list))])

/* Numbers that meet edges, and that are often equal. */
static uint32_t number(void) {
	static const uint32_t edges[] = { 0, 1, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0x7F800000,
		0xFF800000, 0x7FC00000, 0xFFC12345, 0x00800000, 0x807FFFFF, 0x00000123, 0x3F800000,
		0xBF800000, 0x4F000000, 0xCF000000, 0x4EFFFFFF, 0x7F7FFFFF, 0x00FFFFFF, 0x3F000000,
		0x38800000, 0x477FF000, 0x00010000, 0x80008000, 0x7FFF7FFF };
	switch (below(5)) {
	case 0:
		return PICK(edges);
	case 1:
		return random32();
	case 2:
		return below(256) - 128;
	case 3:
		return f32_bits((float)(int)(below(41) - 20) * 0.125f);
	default: /* a float near 1 */
		return 0x3F000000 + below(0x02000000) + (random32() & 0x80000000);
	}
}

/* ---- Words ---- */

static unsigned read_address(void) {
	static const unsigned special[] = { 32, 32, 35, 38, 39, 41, 42, 48, 49, 50, 51 };
	return one_in(4) ? PICK(special) : below(16);
}

static unsigned write_address(void) {
	static const unsigned special[] = { 36, 37, 37, 38, 41, 42, 43, 44, 45, 46, 48, 51, 52, 53,
		54, 55 };
	return one_in(8) ? PICK(special) : one_in(3) ? 32 + below(4) : one_in(4) ? 39 : below(16);
}

static uint64_t random_alu(void) {
	static const uint8_t signals[] = { 1, 1, 1, 2, 4, 5, 6, 8, 13, 13, 13 };
	static const uint8_t adds[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15, 16, 17, 18, 19,
		20, 21, 22, 23, 24, 30, 31 };
	struct qpu_instruction q = {
		.sig = PICK(signals), .op_add = PICK(adds), .op_mul = below(8) & 7,
		.cond_add = (uint8_t)(one_in(3) ? below(8) : 1),
		.cond_mul = (uint8_t)(one_in(3) ? below(8) : 1),
		.sf = one_in(4), .ws = one_in(3), .pm = one_in(2),
		.raddr_a = (uint8_t)read_address(), .raddr_b = (uint8_t)read_address(),
		.waddr_add = (uint8_t)write_address(), .waddr_mul = (uint8_t)write_address(),
		.add_a = below(8) & 7, .add_b = below(8) & 7, .mul_a = below(8) & 7,
		.mul_b = below(8) & 7,
		.pack = (uint8_t)(one_in(4) ? below(16) : 0),
		.unpack = (uint8_t)(one_in(4) ? below(8) : 0),
	};
	if (q.sig == QPU_SIG_SMALL_IMMEDIATE) {
		q.raddr_b = below(64) & 63;
	}
	return qpu_encode(&q);
}

/* Setups of the VPM are sane ones. */
static uint64_t random_load(void) {
	static const uint8_t forms[] = { QPU_LOAD_WORD, QPU_LOAD_WORD, QPU_LOAD_SIGNED,
		QPU_LOAD_UNSIGNED };
	struct qpu_instruction q = {
		.sig = QPU_SIG_LOAD, .unpack = PICK(forms), .cond_add = below(8) & 7,
		.cond_mul = below(8) & 7, .sf = one_in(4), .ws = one_in(2), .pm = one_in(2),
		.pack = (uint8_t)(one_in(4) ? below(16) : 0),
		.waddr_add = (uint8_t)write_address(), .waddr_mul = (uint8_t)write_address(),
		.immediate = number(),
	};
	if (one_in(3)) {
		q.unpack = QPU_LOAD_WORD;
		q.waddr_add = 49;
		q.waddr_mul = 39;
		q.immediate = (random32() & 0x3FFFFCFF) | below(3) << 8;
	}
	return qpu_encode(&q);
}

/* Forward, into what is left of the program. */
static uint64_t random_branch(unsigned left) {
	static const uint8_t conds[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15 };
	struct qpu_instruction q = {
		.sig = QPU_SIG_BRANCH, .branch_cond = PICK(conds), .is_relative = 1,
		.ws = one_in(2),
		.waddr_add = (uint8_t)(one_in(2) ? below(16) : 39),
		.waddr_mul = (uint8_t)(one_in(2) ? 32 + below(4) : 39),
		.immediate = 8 * below(left > 4 ? left - 3 : 1),
	};
	return qpu_encode(&q);
}

static uint64_t random_word(unsigned left) {
	return one_in(8) ? random_load() : one_in(12) ? random_branch(left) : random_alu();
}

/* All registers that programs use, then the flags, go to rows from 16 on. */
static const char before[] = "ldi vr_setup, 0x1a00\n";
static size_t assemble(const char *text, uint64_t *out) {
	uint64_t *words;
	size_t n;
	struct qpu_error error;
	ck_assert_int_eq(qpu_assemble(text, strlen(text), &words, &n, &error), 0);
	memcpy(out, words, n * sizeof(*words));
	free(words);
	return n;
}

static size_t prologue(uint64_t *out) {
	char text[4096];
	int at = snprintf(text, sizeof(text), "%s", before);
	for (unsigned i = 0; i < 16; i++) {
		at += snprintf(text + at, sizeof(text) - (size_t)at, "or ra%u, vpm, vpm\n", i);
	}
	at += snprintf(text + at, sizeof(text) - (size_t)at, "ldi vr_setup, 0x1a10\n");
	for (unsigned i = 0; i < 16; i++) {
		at += snprintf(text + at, sizeof(text) - (size_t)at, "or rb%u, vpm, vpm\n", i);
	}
	snprintf(text + at, sizeof(text) - (size_t)at,
			"or r0, unif, unif\nor r1, ra3, ra3; v8min r2, rb4, rb4\nor r3, ra5, ra5\n");
	return assemble(text, out);
}

static size_t epilogue(uint64_t *out) {
	char text[4096];
	int at = snprintf(text, sizeof(text), "ldi vw_setup, 0x1a10\n");
	for (unsigned i = 0; i < 38; i++) {
		const char *file = i < 16 ? "ra" : i < 32 ? "rb" : "r";
		const unsigned n = i % 16;
		at += snprintf(text + at, sizeof(text) - (size_t)at, "or vpm, %s%u, %s%u\n", file,
				n, file, n);
	}
	for (unsigned i = 0; i < 3; i++) {
		static const char *const conds[] = { "zs", "ns", "cs" };
		at += snprintf(text + at, sizeof(text) - (size_t)at,
				"ldi r0, 0\nldi r0.%s, 1\nor vpm, r0, r0\n", conds[i]);
	}
	snprintf(text + at, sizeof(text) - (size_t)at, "nop; thrend\nnop\nnop\n");
	return assemble(text, out);
}

/* ---- Runs ---- */

static void random_inputs(struct naive_qpu *q, bool has_tlb) {
	memset(q, 0, sizeof(*q));
	q->lanes = one_in(2) ? 16 : has_tlb ? 4 + 4 * below(4) : 1 + below(16);
	q->sfu = qpu_sfu;
	q->n_in = 32 + below(33);
	q->n_varyings = below(9);
	q->has_tlb = has_tlb;
	q->n_samples = one_in(2) ? 1 : 4;
	q->depth_function = below(8);
	q->updates_z = one_in(2);
	q->is_back = one_in(2);
	for (unsigned i = 0; i < NAIVE_LANES; i++) {
		for (unsigned r = 0; r < 64; r++) {
			q->vpm_in[r][i] = number();
		}
		for (unsigned r = 0; r < 8; r++) {
			q->varying[r][i] = f32_from_bits(number());
			q->varying_c[r] = f32_from_bits(number());
		}
		q->w[i] = number();
		q->z[i] = random32() & 0xFFFFFF;
		q->x[i] = has_tlb ? (int32_t)below(640) : 0;
		q->y[i] = has_tlb ? (int32_t)below(480) : 0;
		for (unsigned s = 0; s < 4; s++) {
			q->color[s][i] = random32();
			q->zs[s][i] = one_in(2) ? q->z[i] << 8 | below(256) : random32();
			q->covered[s][i] = s < q->n_samples && i < q->lanes && !one_in(4);
		}
	}
	for (unsigned i = 0; i < 256; i++) {
		rig_uniform(i, number());
	}
	q->memory = space_host(&rig.space, RIG_BASE, RIG_BYTES);
	q->base = RIG_BASE;
	q->size = RIG_BYTES;
	q->uniforms = RIG_UNIFORMS;
}

static void give(const struct naive_qpu *q) {
	memcpy(rig.in, q->vpm_in, sizeof(rig.in));
	memcpy(rig.varying, q->varying, sizeof(rig.varying));
	memcpy(rig.c, q->varying_c, sizeof(rig.c));
	memcpy(rig.w, q->w, sizeof(rig.w));
	memcpy(rig.z, q->z, sizeof(rig.z));
	rig_fragments();
	rig.run.n_lanes = q->lanes;
	rig.run.n_in = q->n_in;
	rig.run.n_varyings = q->n_varyings;
	rig.run.tlb = q->has_tlb ? &rig.tlb : NULL;
	rig.tlb.n_samples = (uint8_t)q->n_samples;
	rig.tlb.depth_function = (uint8_t)q->depth_function;
	rig.tlb.updates_z = q->updates_z;
	rig.tlb.is_back = q->is_back;
	memcpy(rig.tlb.x, q->x, sizeof(rig.tlb.x));
	memcpy(rig.tlb.y, q->y, sizeof(rig.tlb.y));
	memcpy(rig.color, q->color, sizeof(rig.color));
	memcpy(rig.zs, q->zs, sizeof(rig.zs));
	for (unsigned s = 0; s < 4; s++) {
		rig.tlb.covered[s] = 0;
		for (unsigned i = 0; i < NAIVE_LANES; i++) {
			rig.tlb.covered[s] |= (uint16_t)(q->covered[s][i] << i);
		}
	}
}

static void differs(const uint64_t *words, size_t n, unsigned program, const char *what,
		unsigned row, unsigned lane, uint32_t got, uint32_t want) {
	char text[QPU_TEXT_SIZE];
	for (size_t i = 0; i < n; i++) {
		qpu_disassemble(words[i], text);
		printf("%3zu %016llx  %s\n", i, (unsigned long long)words[i], text);
	}
	ck_abort_msg("program %u: %s %u, lane %u: %08x, not %08x", program, what, row, lane, got,
			want);
}

#define COMPARE(what, row, lane, got, want) do { \
		if ((got) != (want)) { \
			differs(words, n, program, what, row, lane, got, want); \
		} \
	} while (0)

static void compare(const struct naive_qpu *q, const uint64_t *words, size_t n,
		unsigned program) {
	COMPARE("steps", 0, 0, (uint32_t)rig.run.steps, q->steps);
	for (unsigned r = 0; r < 64; r++) {
		COMPARE("whether there is row", r, 0, (uint32_t)(rig.run.written >> r & 1),
				q->written[r]);
		for (unsigned i = 0; q->written[r] && i < NAIVE_LANES; i++) {
			COMPARE("row", r, i, rig.out[r][i], q->vpm_out[r][i]);
		}
	}
	for (unsigned s = 0; q->has_tlb && s < q->n_samples; s++) {
		for (unsigned i = 0; i < NAIVE_LANES; i++) {
			COMPARE("colour of sample", s, i, rig.color[16 * s + i], q->color[s][i]);
			COMPARE("Z of sample", s, i, rig.zs[16 * s + i], q->zs[s][i]);
			COMPARE("coverage of sample", s, i, rig.tlb.covered[s] >> i & 1u,
					q->covered[s][i]);
		}
	}
}

/* ---- Steps of a lane ---- */

/* The word is in the program, and so not compared. */
static struct pica_qpu_step steps[2][1024]; /* of the kernel, of the rules */
static struct qpu_trace trace;
static uint32_t n_steps;

static void note(void *user, const struct naive_qpu *q, uint32_t address) {
	const unsigned i = trace.lane;
	uint64_t word;
	(void)user;
	memcpy(&word, q->memory + (address - q->base), sizeof(word));
	const unsigned sig = word >> 60;
	const bool loads = sig == 8 || sig == 9;
	if (n_steps < ARRAY_LEN(steps[1])) {
		steps[1][n_steps] = (struct pica_qpu_step){ .address = address,
			.value = { q->stored[0][i] ? q->value[0][i] : 0,
				q->stored[1][i] ? q->value[1][i] : 0 },
			.r4 = loads ? q->acc[4][i] : 0,
			.wrote = (uint8_t)(q->stored[0][i] | q->stored[1][i] << 1 | loads << 2),
			.flags = (uint8_t)(q->flag[0][i] | q->flag[1][i] << 1 |
					q->flag[2][i] << 2) };
	}
	n_steps++;
}

/* Of a run of qpu_run_c(), and of the rules. */
static void trace_begin(struct naive_qpu *q) {
	trace = (struct qpu_trace){ .lane = below(q->lanes), .steps = steps[0],
		.cap = ARRAY_LEN(steps[0]) };
	rig.run.trace = &trace;
	n_steps = 0;
	q->step = note;
}

static void compare_steps(const uint64_t *words, size_t n, unsigned program) {
	COMPARE("traced steps", 0, 0, trace.n, n_steps);
	for (uint32_t i = 0; i < n_steps && i < ARRAY_LEN(steps[0]); i++) {
		const struct pica_qpu_step *got = &steps[0][i], *want = &steps[1][i];
		COMPARE("address of step", i, trace.lane, got->address, want->address);
		COMPARE("units that wrote in step", i, trace.lane, got->wrote, want->wrote);
		COMPARE("flags of step", i, trace.lane, got->flags, want->flags);
		COMPARE("sum of step", i, trace.lane, got->value[0], want->value[0]);
		COMPARE("product of step", i, trace.lane, got->value[1], want->value[1]);
		COMPARE("r4 of step", i, trace.lane, got->r4, want->r4);
	}
}

ISA_TEST(random_programs_follow_the_rules) {
	static struct naive_qpu q;
	static uint64_t words[1024];
	rig_open((enum isa)_i);
	seed = 0x5EED0000;
	unsigned n_refused = 0;
	const char *draws = getenv("PICA_TEST_DRAWS"); /* of slow builds; a program is four draws */
	const unsigned n_programs = draws ? (unsigned)strtoul(draws, NULL, 0) / 4 : PROGRAMS;
	for (unsigned program = 0; program < n_programs; program++) {
		size_t n = prologue(words);
		const unsigned length = 1 + below(60);
		for (unsigned i = 0; i < length; i++) {
			words[n++] = random_word(length - i);
		}
		n += epilogue(words + n);
		random_inputs(&q, one_in(2));
		give(&q);
		if (rig_create(words, n)) {
			n_refused++;
			continue;
		}
		if ((enum isa)_i == ISA_C) {
			trace_begin(&q);
		}
		const int want = naive_qpu_run(&q, RIG_CODE);
		const int ret = rig.kernels.run(&rig.run);
		COMPARE("whether it fails", 0, 0, (uint32_t)!!ret, (uint32_t)!!want);
		if (!ret) {
			compare(&q, words, n, program);
			if (rig.run.trace) {
				compare_steps(words, n, program);
			}
		}
	}
	// About half, and compilers differ in the order of the random numbers of one expression.
	ck_assert_uint_lt(n_refused, n_programs * 2 / 3);
	rig_close();
}
