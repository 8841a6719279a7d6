/* Runs a QPU program, made from text or words, in memory of its own. */
#ifndef QPU_RIG_H
#define QPU_RIG_H

#include <stdlib.h>
#include <string.h>

#include "core/space/space.h"
#include "random.h"
#include "tests/suite.h"
#include "vc4/qpu/qpu.h"
#include "vc4/run/run.h"

enum {
	RIG_BASE = 0x00100000, RIG_BYTES = 0x100000,
	RIG_CODE = RIG_BASE + 0x10000, RIG_UNIFORMS = RIG_BASE + 0x80000,
	RIG_WORDS = 4096,
};

static struct rig {
	struct space space;
	struct qpu_kernels kernels;
	struct qpu_program *program;
	struct qpu_fault fault;
	struct qpu_run run;
	PICA_ALIGNED(64) uint32_t in[QPU_VPM_ROWS][QPU_LANES];
	PICA_ALIGNED(64) uint32_t out[QPU_VPM_ROWS][QPU_LANES];
	PICA_ALIGNED(64) float varying[32][QPU_LANES];
	PICA_ALIGNED(64) float c[32];
	PICA_ALIGNED(64) float w[QPU_LANES];
	PICA_ALIGNED(64) uint32_t z[QPU_LANES];
	PICA_ALIGNED(64) uint8_t scratch[QPU_SCRATCH_BYTES];
	struct qpu_tlb tlb;
	PICA_ALIGNED(64) uint32_t color[QPU_SAMPLES * QPU_LANES], zs[QPU_SAMPLES * QPU_LANES];
} rig;

static void rig_open(enum isa isa) {
	memset(&rig, 0, sizeof(rig));
	space_init(&rig.space);
	ck_assert_int_eq(space_map(&rig.space, RIG_BASE, RIG_BYTES, NULL, 0), 0);
	qpu_kernels_init(&rig.kernels, isa);
	rig.run = (struct qpu_run){
		.space = &rig.space, .uniforms = RIG_UNIFORMS, .n_lanes = QPU_LANES,
		.scratch = rig.scratch,
		.vpm_in = (const uint32_t (*)[QPU_LANES])rig.in, .n_in = QPU_VPM_ROWS,
		.vpm_out = rig.out,
	};
}

/* All lanes of four quads, one sample each. */
static inline void rig_fragments(void) {
	rig.run.varying = (const float (*)[QPU_LANES])rig.varying;
	rig.run.varying_c = rig.c;
	rig.run.n_varyings = 32;
	rig.run.w = rig.w;
	rig.run.z = rig.z;
	rig.run.tlb = &rig.tlb;
	rig.tlb.color = rig.color;
	rig.tlb.zs = rig.zs;
	rig.tlb.sample_px = QPU_LANES;
	rig.tlb.n_samples = 1;
	for (unsigned q = 0; q < QPU_LANES / 4; q++) {
		rig.tlb.quad_px[q] = 4 * q;
	}
	for (unsigned s = 0; s < QPU_SAMPLES; s++) {
		rig.tlb.covered[s] = 0xFFFF;
	}
}

static void rig_close(void) {
	qpu_program_destroy(rig.program);
	rig.program = NULL;
	space_finish(&rig.space);
}

static int rig_create(const uint64_t *words, size_t n) {
	ck_assert_int_eq(space_write(&rig.space, RIG_CODE, words, (uint32_t)(n * 8)), 0);
	qpu_program_destroy(rig.program);
	rig.program = NULL;
	int ret = qpu_program_create(&rig.program, &rig.space, RIG_CODE, &rig.fault);
	rig.run.program = rig.program;
	return ret;
}

static inline void rig_words(const uint64_t *words, size_t n) {
	ck_assert_int_eq(rig_create(words, n), 0);
}

static inline int rig_create_text(const char *text) {
	uint64_t *words;
	size_t n;
	struct qpu_error error;
	int ret = qpu_assemble(text, strlen(text), &words, &n, &error);
	if (ret) {
		ck_abort_msg("%u:%u: %s", error.line, error.column, error.message);
	}
	ret = rig_create(words, n);
	free(words);
	return ret;
}

#define RIG_END "\nnop; thrend\nnop\nnop\n"

/* Runs text, after which the program ends. */
static inline void rig_text(const char *text) {
	static char buffer[65536];
	snprintf(buffer, sizeof(buffer), "%s" RIG_END, text);
	ck_assert_int_eq(rig_create_text(buffer), 0);
	ck_assert_int_eq(rig.kernels.run(&rig.run), 0);
}

static inline void rig_uniform(unsigned i, uint32_t v) {
	HOLDS(space_write(&rig.space, RIG_UNIFORMS + 4 * i, &v, sizeof(v)) == 0);
}

#endif
