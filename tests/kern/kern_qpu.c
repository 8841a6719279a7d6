/* Programs of the QPU: the interpreter of each set against the plain one. */
#include "kern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/morton.h"
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
	/* Diffuse light of a normal, then Z, and blending of bytes with the target's. */
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

/* ---- Wide runs, against one of sixteen lanes after the other ---- */

enum { WIDE_PROGRAMS = 300, WIDE_VARYINGS = 4, TEXT_BYTES = 32000 };

/* An index, and the word at min(index, limit) + base as an operand of r2. */
#define INDEX "ldi ra8, 0xf0\nnop\nand r%u, r%u, ra8\nand r0, r2, ra8\n"
#define ELEMENT(limit, base, op) \
	"ldi ra9, " #limit "\nldi rb9, " #base "\nmin ra10, r0, ra9\nnop\n" \
	"add t0s, ra10, rb9\nnop; ldtmu0\n" op " r2, r2, r4\n"

/* Makes a program without branches, most of whose operations run wide. */
static void random_text(char text[TEXT_BYTES]) {
	static const char *const lines[] = { "fadd%s r%u, r%u, r%u\n", "fsub%s r%u, r%u, r%u\n",
		"fmul%s r%u, r%u, r%u\n", "fmin%s r%u, r%u, r%u\n", "fmax%s r%u, r%u, r%u\n",
		"fminabs%s r%u, r%u, r%u\n", "fmaxabs%s r%u, r%u, r%u\n", "add%s r%u, r%u, r%u\n",
		"sub%s r%u, r%u, r%u\n", "min%s r%u, r%u, r%u\n", "max%s r%u, r%u, r%u\n",
		"and%s r%u, r%u, r%u\n", "xor%s r%u, r%u, r%u\n", "v8adds%s r%u, r%u, r%u\n",
		"v8subs%s r%u, r%u, r%u\n", "v8muld%s r%u, r%u, r%u\n", "v8min%s r%u, r%u, r%u\n",
		"v8max%s r%u, r%u, r%u\n", "mul24%s r%u, r%u, r%u\n", "ftoi%s r%u, r%u\n",
		"itof%s r%u, r%u\n", "not%s r%u, r%u\n", "or%s r%u, unif, unif\n",
		"shr%s r%u, r%u, unif\n", "shl%s r%u, r%u, 5\n", "asr%s r%u, r%u, unif\n",
		"or%s r%u, ra15, ra15\n", "or%s r%u, rb15, rb15\n", "fmul%s r%u, ra15, ra15\n",
		"or%s r%u, elem_num, elem_num\n", "itof%s r%u, x_coord\n",
		"itof%s r%u, y_coord\n" };
	static const char *const special[] = { "or recip, r%u, r%u\nor r1, r4, r4\n",
		"or rsqrt, r%u, r%u\nor r2, r4, r4\n", "or exp, r%u, r%u\nor r3, r4, r4\n",
		"or log, r%u, r%u\nor r0, r4, r4\n", "fmul r%u, ra15, vary\nfadd r%u, r0, r5\n",
		"fmul.pm.pack8a r%u, r%u, 1.0\n", "fmul.pm.pack8d r%u, r%u, 1.0\n",
		"fmul.pm.pack8abcd r%u, r%u, 1.0\n",
		"or ra%u, r%u, r0\nnop\nfadd.unpack8c r0, ra1, ra1\nor.unpack8b r1, ra2, ra2\n"
		"or.unpack16b r2, ra3, ra3\n",
		"ftoi.pack16a ra%u, r%u\nnop\nor r0, ra0, ra0\n",
		"add.pack8b ra%u, r%u, r2\nnop\nor r3, ra1, ra1\n",
		"nop; loadc\nv8adds r%u, r4, r%u\n",
		"fmul r0, ra15, vary\nfadd r%u, r0, r5\nfmul.pm.pack8a ra7, r%u, 1.0\n"
		"fmul.pm.pack8b ra7, r1, 1.0\nfmul.pm.pack8c ra7, r2, 1.0\n"
		"fmul.pm.pack8d ra7, r3, 1.0\nnop\nor r2, ra7, ra7\n",
		/* Elements of an array: of words, of vectors, and where a limit holds. */
		INDEX ELEMENT(0x80, 0x108000, "fadd"),
		INDEX ELEMENT(0xf0, 0x108000, "fadd") ELEMENT(0xfc, 0x10800c, "add")
		ELEMENT(0xf8, 0x108008, "fadd") ELEMENT(0xf4, 0x108004, "fmax"),
		INDEX ELEMENT(0xfc, 0x108000, "fadd") ELEMENT(0x90, 0x108004, "fadd")
		ELEMENT(0xf4, 0x108008, "xor") ELEMENT(0xf0, 0x10800c, "fadd") };
	static const char *const set[] = { "", "", ".setf", "" };
	static const char *const cond[] = { "", ".zs", ".zc", ".ns", ".nc" };
	char *at = text;
	at += sprintf(at, "or r0, unif, unif\nor r1, unif, unif\nor r2, rb15, rb15\n");
	for (unsigned n = (unsigned)kern_random_in(1, 40); n > 0; n--) {
		const unsigned a = (unsigned)kern_random_in(0, 3),
			       b = (unsigned)kern_random_in(0, 3);
		const unsigned c = (unsigned)kern_random_in(0, 3);
		if (kern_random_in(0, 3) == 0) {
			at += sprintf(at, special[kern_random_in(0, ARRAY_LEN(special) - 1)], a, b);
		} else {
			at += sprintf(at, lines[kern_random_in(0, ARRAY_LEN(lines) - 1)],
					set[kern_random_in(0, 3)], a, b, c);
		}
		if (kern_random_in(0, 5) == 0) {
			at += sprintf(at, "or r%u%s, r%u, r%u\n", a, cond[kern_random_in(0, 4)], b,
					b);
		}
	}
	at += sprintf(at, "or tlbz%s, rb15, rb15\n", cond[kern_random_in(0, 4)]);
	at += sprintf(at, "or tlbc%s, r0, r0\nxor tlbm, r1, r2\n", cond[kern_random_in(0, 4)]);
	sprintf(at, "or vpm, r3, r3\nnop; thrend\nnop\nnop\n");
}

static struct qpu_program *assemble(const char *text) {
	uint64_t *words;
	size_t n;
	struct qpu_error error;
	struct qpu_fault fault;
	struct qpu_program *p;
	if (qpu_assemble(text, strlen(text), &words, &n, &error)) {
		printf("%s: %u:%u: %s\n", text, error.line, error.column, error.message);
		abort();
	}
	space_write(&space, BASE + 0xA000, words, (uint32_t)(8 * n));
	free(words);
	if (qpu_program_create(&p, &space, BASE + 0xA000, &fault)) {
		abort();
	}
	return p;
}

/* Sixty-four pixels: the input of both kernels, and their targets. */
struct wide_bench {
	float iw[QPU_WIDE_LANES], z[QPU_WIDE_LANES];
	float gx[WIDE_VARYINGS], gy[WIDE_VARYINGS], c[WIDE_VARYINGS];
	uint32_t color[2][QPU_SAMPLES * QPU_WIDE_LANES], zs[2][QPU_SAMPLES * QPU_WIDE_LANES];
};

static uint32_t depth_of(float z) {
	return !(z > 0) ? 0 : z >= 1 ? 0xFFFFFF : (uint32_t)(z * 16777215.0f + 0.5f);
}

/* Lanes 16g to 16g + 15 as the plain kernel has them. */
static int run_group(const struct qpu_wide_run *r, const struct wide_bench *b, unsigned g,
		struct qpu_run *run) {
	static PICA_ALIGNED(64) float varying[WIDE_VARYINGS][QPU_LANES], w[QPU_LANES];
	static PICA_ALIGNED(64) uint32_t z[QPU_LANES], out[QPU_VPM_ROWS][QPU_LANES];
	struct qpu_tlb t = *r->tlb;
	t.color = (uint32_t *)b->color[0];
	t.zs = (uint32_t *)b->zs[0];
	for (unsigned i = 0; i < QPU_LANES; i++) {
		const unsigned lane = QPU_LANES * g + i, q = lane / 4;
		t.x[i] = r->x[q] + (int32_t)(i & 1);
		t.y[i] = r->y[q] + (int32_t)(i >> 1 & 1);
		t.quad_px[i / 4] = r->quad_px[q];
		w[i] = 1.0f / b->iw[lane];
		z[i] = depth_of(b->z[lane]);
		const float dx = (float)(16 * t.x[i] + 8) - r->x0,
			    dy = (float)(16 * t.y[i] + 8) - r->y0;
		for (unsigned v = 0; v < WIDE_VARYINGS; v++) {
			varying[v][i] = dx * b->gx[v] + dy * b->gy[v];
		}
	}
	for (unsigned s = 0; s < QPU_SAMPLES; s++) {
		t.covered[s] = (uint16_t)(r->covered[s] >> QPU_LANES * g);
	}
	*run = (struct qpu_run){ .program = r->program,
		.space = &space,
		.uniforms = UNIFORMS,
		.n_lanes = QPU_LANES,
		.scratch = scratch,
		.vpm_out = out,
		.varying = (const float(*)[QPU_LANES])varying,
		.varying_c = b->c,
		.n_varyings = WIDE_VARYINGS,
		.w = w,
		.z = z,
		.tlb = &t };
	return plain.run(run);
}

/* Eighths up to 8, of which sums and products stay ordinary numbers. */
static void calm_floats(float *f, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		f[i] = (float)kern_random_in(-64, 64) * 0.125f;
	}
}

static void set_wide(struct qpu_wide_run *r, struct qpu_tlb *t, struct wide_bench *b) {
	float uniforms[64];
	void (*const floats)(float *f, unsigned n) =
			kern_random_in(0, 1) ? random_floats : calm_floats;
	floats(uniforms, 64);
	space_write(&space, UNIFORMS, uniforms, sizeof(uniforms));
	kern_random_bytes(b, sizeof(*b));
	floats(b->iw, QPU_WIDE_LANES);
	floats(b->z, QPU_WIDE_LANES);
	floats(b->gx, 3 * WIDE_VARYINGS);
	memcpy(b->color[1], b->color[0], sizeof(b->color[0]));
	memcpy(b->zs[1], b->zs[0], sizeof(b->zs[0]));
	*t = (struct qpu_tlb){ .color = b->color[1],
		.zs = b->zs[1],
		.sample_px = QPU_WIDE_LANES,
		.n_samples = kern_random_in(0, 2) ? 1 : QPU_SAMPLES,
		.depth_function = (uint8_t)kern_random_in(0, 7),
		.updates_z = kern_random_in(0, 1) };
	const bool is_block = kern_random_in(0, 1);
	*r = (struct qpu_wide_run){ .space = &space,
		.is_fragments = true,
		.is_block = is_block,
		.n_lanes = is_block ? QPU_WIDE_LANES :
				      4 * (unsigned)kern_random_in(1, QPU_WIDE_QUADS),
		.iw = b->iw,
		.z = b->z,
		.gx = b->gx,
		.gy = b->gy,
		.c = b->c,
		.tlb = t,
		.x0 = (float)kern_random_in(-999, 999),
		.y0 = (float)kern_random_in(-999, 999) };
	for (unsigned v = 0; v < WIDE_VARYINGS; v++) {
		const bool is_tame = qpu_is_tame(b->gx[v]) && qpu_is_tame(b->gy[v]) &&
				qpu_is_tame(b->c[v]);
		r->is_tame |= (uint64_t)is_tame << v;
	}
	for (unsigned q = 0; q < QPU_WIDE_QUADS; q++) {
		r->x[q] = (int32_t)kern_random_in(0, 2000);
		r->y[q] = (int32_t)kern_random_in(0, 2000);
		if (is_block) {
			r->x[q] = r->x[0] + (int32_t)morton8_x(4 * q);
			r->y[q] = r->y[0] + (int32_t)morton8_y(4 * q);
		}
		r->quad_px[q] = 4 * (is_block ? q : QPU_WIDE_QUADS - 1 - q);
	}
	const uint64_t there = ~UINT64_C(0) >> (QPU_WIDE_LANES - r->n_lanes);
	for (unsigned s = 0; s < QPU_SAMPLES; s++) {
		r->covered[s] = (kern_random_in(0, 1) ? ~UINT64_C(0) : kern_random()) & there;
	}
}

static void check_wide(enum isa isa) {
	struct wide_bench *b = kern_buffer(sizeof(*b));
	uint8_t *wide_scratch = kern_buffer(QPU_WIDE_SCRATCH_BYTES);
	unsigned n_wide = 0;
	for (unsigned i = 0; i < WIDE_PROGRAMS; i++) {
		struct qpu_wide_run r;
		struct qpu_tlb t;
		static char text[TEXT_BYTES];
		random_text(text);
		struct qpu_program *p = assemble(text);
		set_wide(&r, &t, b);
		r.program = p;
		r.scratch = wide_scratch;
		if (qpu_wide_bind(wide_scratch, p, &space, UNIFORMS, WIDE_VARYINGS, 0)) {
			n_wide++;
			struct qpu_wide_run before = r;
			bool is_fine = true;
			for (unsigned g = 0; QPU_LANES * g < r.n_lanes; g++) {
				struct qpu_run run;
				is_fine = is_fine && !run_group(&before, b, g, &run) &&
						run.steps == qpu_wide_steps(p);
			}
			kern_check("wide", isa, k.run_wide(&r) == is_fine);
			kern_same("wide colours", isa, b->color[0], b->color[1],
					sizeof(b->color[0]));
			if (!kern_same("wide Z", isa, b->zs[0], b->zs[1], sizeof(b->zs[0]))) {
				printf("%s", text);
			}
		}
		qpu_program_destroy(p);
	}
	kern_check("most programs run wide", isa, 2 * n_wide > WIDE_PROGRAMS);
	kern_done(b);
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
	check_wide(isa);
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
