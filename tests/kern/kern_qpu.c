/* Programs of the QPU: the interpreter of each set against the plain one. */
#include "kern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vc4/qpu/qpu.h"
#include "vc4/run/run.h"

enum { BASE = 0x00100000, BYTES = 0x10000, UNIFORMS = BASE + 0x8000, ROUNDS = 400 };

#define END "\nnop; thrend\nnop\nnop"
static const struct {
	const char *name, *text;
} programs[] = {
	{ "white", "nop\nnop\nnop; sbwait\nldi tlbc, 0xffffffff" END },
	/* Program B of the triangle examples. */
	{ "colours", "ldi r3, 0xff000000\n"
		"fmul r0, ra15, vary\n"
		"fadd r0, r0, r5; fmul r1, ra15, vary\n"
		"fadd r1, r1, r5; fmul r2, ra15, vary; sbwait\n"
		"fadd r2, r2, r5; fmul.pm.pack8a r3, r0, 1.0\n"
		"fmul.pm.pack8b r3, r1, 1.0\n"
		"fmul.pm.pack8c r3, r2, 1.0\n"
		"or tlbc, r3, r3" END },
	/* Diffuse light of a normal, then Z, and blending of bytes with what is there. */
	{ "light", "fmul r0, ra15, vary; sbwait\n"
		"fadd ra0, r0, r5; fmul r0, ra15, vary\n"
		"fadd ra1, r0, r5; fmul r0, ra15, vary\n"
		"fadd ra2, r0, r5; fmul r1, ra0, ra0\n"
		"fmul r2, ra1, ra1\n"
		"fadd r1, r1, r2; fmul r2, ra2, ra2\n"
		"fadd rsqrt, r1, r2\n"
		"fmul r0, ra0, unif\n"
		"fmul r1, ra1, unif\n"
		"fadd r0, r0, r1; fmul r1, ra2, unif\n"
		"fadd r0, r0, r1\n"
		"fmul r0, r0, r4\n"
		"fmax r0, r0, 0\n"
		"or r1, unif, unif\n"
		"fmul r2, r0, r1\n"
		"fadd r2, r2, unif; fmul r1, r0, unif\n"
		"fadd r1, r1, unif; fmul r3, r0, unif\n"
		"fadd r3, r3, unif; fmul.pm.pack8a ra5, r2, 1.0\n"
		"fmul.pm.pack8b ra5, r1, 1.0\n"
		"fmul.pm.pack8c ra5, r3, 1.0\n"
		"fmul.pm.pack8d ra5, r0, 1.0\n"
		"or tlbz, rb15, rb15; v8min r1, ra5, ra5; loadc\n"
		"fmul.pm.pack8abcd r2, r0, 1.0\n"
		"v8muld r1, r1, r2; xor r3, r2, r2\n"
		"not r2, r2\n"
		"v8muld r2, r4, r2\n"
		"v8adds r1, r1, r2\n"
		"or tlbc, r1, r1" END },
	/* A matrix, the view port by a reciprocal with one step of Newton. */
	{ "vertex", "ldi vr_setup, 0x00401a00\nldi vw_setup, 0x00001a00\n"
		"or ra0, vpm, vpm\nor ra1, vpm, vpm\nor ra2, vpm, vpm\nor ra3, vpm, vpm\n"
		"fmul r0, ra0, unif\nfmul r1, ra1, unif\n"
		"fadd r0, r0, r1; fmul r1, ra2, unif\nfadd r0, r0, r1\nfadd rb0, r0, unif\n"
		"fmul r0, ra0, unif\nfmul r1, ra1, unif\n"
		"fadd r0, r0, r1; fmul r1, ra2, unif\nfadd r0, r0, r1\nfadd rb1, r0, unif\n"
		"fmul r0, ra0, unif\nfmul r1, ra1, unif\n"
		"fadd r0, r0, r1; fmul r1, ra2, unif\nfadd r0, r0, r1\nfadd rb2, r0, unif\n"
		"fmul r0, ra0, unif\nfmul r1, ra1, unif\n"
		"fadd r0, r0, r1; fmul r1, ra2, unif\nfadd r0, r0, r1\nfadd rb3, r0, unif\n"
		"or r0, rb3, rb3\nor recip, r0, r0\nnop\n"
		"fmul r1, r4, r0\nfsub r1, 2.0, r1\nfmul r1, r4, r1\n"
		"fmul r2, rb0, r1\nfmul r2, r2, unif\nftoi.pack16a ra4, r2, r2\n"
		"fmul r2, rb1, r1\nfmul r2, r2, unif\nftoi.pack16b ra4, r2, r2\n"
		"or vpm, rb0, rb0\nor vpm, rb1, rb1\nor vpm, rb2, rb2\nor vpm, rb3, rb3\n"
		"or vpm, ra4, ra4\nfmul r2, rb2, r1\nfmul r2, r2, unif\nfadd vpm, r2, unif\n"
		"or vpm, r1, r1" END },
	{ "loop", "ldi r0, 20\nldi r1, 0\n"
		"sub.setf r0, r0, 1\n"
		"brr.anynz -, -40\n"
		"add r1, r1, elem_num\nshl r1, r1, 1\nxor r1, r1, r0\n"
		"or vpm, r1, r1" END },
};
enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

static struct space space;
static struct qpu_program *program[PROGRAMS];
static struct qpu_kernels plain, k;

/* What a run reads and writes, all of it compared. */
struct bench {
	uint32_t in[4][QPU_LANES], out[QPU_VPM_ROWS][QPU_LANES];
	float varying[8][QPU_LANES], c[QPU_LANES], w[QPU_LANES];
	uint32_t z[QPU_LANES], color[QPU_SAMPLES * QPU_LANES], zs[QPU_SAMPLES * QPU_LANES];
};
static struct bench *want, *got;
static uint8_t *scratch;
static struct qpu_tlb tlb[2];

static void open_programs(void) {
	space_init(&space);
	if (space_map(&space, BASE, BYTES, NULL, 0)) {
		abort();
	}
	for (unsigned i = 0; i < PROGRAMS; i++) {
		uint64_t *words;
		size_t n;
		struct qpu_error error;
		struct qpu_fault fault;
		if (qpu_assemble(programs[i].text, strlen(programs[i].text), &words, &n, &error)) {
			printf("%s: %u:%u: %s\n", programs[i].name, error.line, error.column,
					error.message);
			abort();
		}
		space_write(&space, BASE + 0x1000 * i, words, (uint32_t)(8 * n));
		free(words);
		if (qpu_program_create(&program[i], &space, BASE + 0x1000 * i, &fault)) {
			abort();
		}
	}
}

static void close_programs(void) {
	for (unsigned i = 0; i < PROGRAMS; i++) {
		qpu_program_destroy(program[i]);
	}
	space_finish(&space);
}

static void random_floats(float *p, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		p[i] = kern_random_in(0, 3) ? (float)kern_random_in(-999, 999) / 256.0f :
					      kern_random_float();
	}
}

static void fill(void) {
	float uniforms[64];
	random_floats(uniforms, 64);
	space_write(&space, UNIFORMS, uniforms, sizeof(uniforms));
	kern_random_bytes(want, sizeof(*want));
	random_floats(want->varying[0], 8 * QPU_LANES);
	random_floats((float *)want->in[0], 4 * QPU_LANES);
	random_floats(want->c, QPU_LANES);
	random_floats(want->w, QPU_LANES);
	for (unsigned i = 0; i < QPU_LANES; i++) {
		want->z[i] &= 0xFFFFFF;
	}
	const unsigned n_samples = kern_random_in(0, 1) ? 1 : QPU_SAMPLES;
	tlb[0] = (struct qpu_tlb){
		.sample_px = QPU_LANES, .n_samples = (uint8_t)n_samples,
		.depth_function = (uint8_t)kern_random_in(0, 7),
		.updates_z = kern_random_in(0, 1), .is_back = kern_random_in(0, 1),
	};
	for (unsigned q = 0; q < 4; q++) {
		tlb[0].quad_px[q] = 4 * q;
		tlb[0].covered[q] = (uint16_t)(kern_random_in(0, 1) ? 0xFFFF : kern_random());
	}
	memcpy(got, want, sizeof(*got));
	tlb[1] = tlb[0];
}

static struct qpu_run run_of(unsigned i, struct bench *b, struct qpu_tlb *t, unsigned n) {
	t->color = b->color;
	t->zs = b->zs;
	return (struct qpu_run){
		.program = program[i], .space = &space, .uniforms = UNIFORMS, .n_lanes = n,
		.scratch = scratch, .vpm_in = (const uint32_t (*)[QPU_LANES])b->in, .n_in = 4,
		.vpm_out = b->out, .varying = (const float (*)[QPU_LANES])b->varying,
		.varying_c = b->c, .n_varyings = 8, .w = b->w, .z = b->z, .tlb = t,
	};
}

static void open_memory(void) {
	want = kern_buffer(sizeof(*want));
	got = kern_buffer(sizeof(*got));
	scratch = kern_buffer(QPU_SCRATCH_BYTES);
}

static void check(enum isa isa) {
	qpu_kernels_init(&plain, ISA_C);
	qpu_kernels_init(&k, isa);
	kern_slots(isa, "qpu", &plain, &k, sizeof(k));
	open_memory();
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < PROGRAMS; i++) {
			const unsigned n = (unsigned)kern_random_in(1, 4) * 4;
			fill();
			struct qpu_run a = run_of(i, want, &tlb[0], n);
			struct qpu_run b = run_of(i, got, &tlb[1], n);
			const int ret = plain.run(&a);
			kern_random_bytes(scratch, QPU_SCRATCH_BYTES);
			kern_check(programs[i].name, isa, k.run(&b) == ret && a.steps == b.steps &&
					a.written == b.written && a.warnings == b.warnings);
			kern_same("coverage", isa, tlb[0].covered, tlb[1].covered,
					sizeof(tlb[0].covered));
			for (unsigned r = 0; r < QPU_VPM_ROWS; r++) {
				if (!(a.written >> r & 1)) {
					memcpy(got->out[r], want->out[r], sizeof(got->out[r]));
				}
			}
			kern_same(programs[i].name, isa, want, got, sizeof(*want));
		}
	}
	kern_done(want);
}

static void bench(enum isa isa) {
	qpu_kernels_init(&k, isa);
	open_memory();
	for (unsigned i = 0; i < PROGRAMS; i++) {
		fill();
		tlb[0].n_samples = 1;
		struct qpu_run r = run_of(i, want, &tlb[0], QPU_LANES);
		k.run(&r);
		KERN_BENCH(programs[i].name, isa, (double)r.steps) {
			k.run(&r);
		}
	}
	kern_done(want);
}

const struct kern_suite kern_suite = { "qpu", open_programs, check, bench, close_programs };
