/*
 * Decodes and runs programs of the QPU, the shader processor of the VideoCore IV, on 16 lanes.
 *
 * A program may be shared by threads; a run belongs to one thread. Results depend neither on the
 * instruction set nor on the thread. Lanes from n_lanes on take part only in arithmetic, because
 * rotations reach them: branches ignore them, and they cause no look-ups, stores or drawing. Fill
 * their inputs with zero.
 */
#ifndef VC4_RUN_H
#define VC4_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/f24.h"
#include "core/space/space.h"
#include "core/vec/cpu.h"
#include "pica_history.h"

enum {
	QPU_LANES = 16,
	QPU_MAX_STEPS = 65536,    /* instructions of one run */
	QPU_PROGRAM_WORDS = 16384,
	QPU_PROGRAM_SPAN = 1 << 20, /* bytes around the entry that contain all words */
	QPU_VPM_ROWS = 64,
	QPU_SAMPLES = 4,
	QPU_SCRATCH_BYTES = 16384,
};

/* An error: the instruction's bus address without its alias bits, and a short text. */
struct qpu_fault {
	uint32_t address;
	const char *why;
};

/* Decoded once, then immutable. */
struct qpu_program;

/*
 * Decodes the instructions reachable from addr: both ways of a conditional branch, where a link
 * points, what a relative register adds to. Each word is read once. Returns 0, -ENOMEM, or, with
 * *fault set, -ERANGE (outside every window), -EINVAL (a reserved form) or -EOPNOTSUPP (known but
 * not built, more than QPU_PROGRAM_WORDS, or outside QPU_PROGRAM_SPAN). On failure leaves *out
 * unchanged.
 */
int qpu_program_create(struct qpu_program **out, const struct space *space, uint32_t addr,
		struct qpu_fault *fault);
void qpu_program_destroy(struct qpu_program *p);

/*
 * A tile buffer and the pixels of a run in it. Lanes 4q to 4q + 3 are quad q: (x,y), (x+1,y),
 * (x,y+1), (x+1,y+1), and the pixels quad_px[q] to quad_px[q] + 3 of both buffers.
 */
struct qpu_tlb {
	uint32_t *color;    /* sample 0 of pixel 0 */
	uint32_t *zs;       /* Z in 31:8, stencil in 7:0 */
	uint32_t sample_px; /* distance between samples, in pixels */
	uint8_t n_samples;  /* 1 or QPU_SAMPLES */
	uint8_t depth_function; /* of record 0x60 */
	bool updates_z, is_back;
	uint32_t quad_px[QPU_LANES / 4];
	int32_t x[QPU_LANES], y[QPU_LANES];
	/*
	 * By sample; bit i: lane i covers it. A run clears the bits that the multisample mask
	 * clears or whose Z or stencil test fails; the tests happen only if the program writes Z.
	 */
	uint16_t covered[QPU_SAMPLES];
};

/* qpu_run.warnings: defined here, undefined on the chip. */
enum {
	QPU_WARN_VPM_READ = 1,  /* read more vectors than were set up, or rows that do not exist */
	QPU_WARN_VARYING = 2,   /* read more varyings than exist */
};

/* Records one lane step by step; for tools. */
struct qpu_trace {
	struct qpu_trace *next; /* of another lane, or NULL */
	unsigned lane;
	struct pica_qpu_step *steps; /* room for cap */
	uint32_t cap;
	/* Initialized to zero by the caller: */
	uint32_t n;                  /* instructions; only the first cap are kept */
	uint32_t color;              /* written to sample 0 */
	bool reads_color, writes_z;
	bool has_color, has_z;       /* writes that this lane took part in */
	bool fails_stencil;          /* sample 0, at the first write of Z */
};

/* Inputs, then results. Rows of lanes are 64-byte aligned. Missing inputs are 0 or NULL. */
struct qpu_run {
	const struct qpu_program *program;
	const struct space *space;
	uint32_t uniforms;  /* bus address */
	unsigned n_lanes;   /* 1 to QPU_LANES; of fragments a multiple of 4 */
	void *scratch;      /* QPU_SCRATCH_BYTES, 64-byte aligned, any contents */

	/* Vertices. */
	const uint32_t (*vpm_in)[QPU_LANES]; /* n_in rows */
	unsigned n_in;
	uint32_t (*vpm_out)[QPU_LANES]; /* QPU_VPM_ROWS rows */

	/* Fragments: planes of the varyings, and their values at the reference vertex. */
	const float (*varying)[QPU_LANES], *varying_c;
	unsigned n_varyings;
	const float *w;     /* a row for ra15, or NULL: zeros */
	const uint32_t *z;  /* a row for rb15, or NULL: zeros */
	struct qpu_tlb *tlb;
	struct qpu_trace *trace; /* or NULL; only qpu_run_c() fills it */

	/* Set by every run. */
	uint64_t steps;     /* instructions */
	uint64_t written;   /* bit r: vpm_out[r] was written; other rows are undefined */
	uint32_t warnings;  /* QPU_WARN_* */
	struct qpu_fault fault; /* on failure */
};

/* ---- Programs without branches: up to 64 lanes at a time ---- */

enum {
	QPU_WIDE_LANES = 64,
	QPU_WIDE_QUADS = QPU_WIDE_LANES / 4,
	QPU_WIDE_SCRATCH_BYTES = 64 << 10,
};

/*
 * Rows of lanes are 64-byte aligned, with room for whole vectors. Each group of 16 lanes
 * corresponds to one qpu_run.
 */
struct qpu_wide_run {
	const struct qpu_program *program;
	const struct space *space;
	void *scratch;    /* QPU_WIDE_SCRATCH_BYTES, 64-byte aligned, bound to the program */
	unsigned n_lanes; /* 1 to QPU_WIDE_LANES; of fragments a multiple of 4 */

	/* Fragments; for vertices is_fragments is false. */
	bool is_fragments, is_block; /* is_block: each quad_px is the previous one + 4 */
	const float *iw, *z;         /* rows: 1/w and depth, as interpolated */
	/* Planes of varyings: gradients, with value 0 at (x0, y0) for all quads; C. */
	const float *gx, *gy, *c;
	uint64_t is_tame; /* bit: all three numbers of this varying are qpu_is_tame() */
	float x0, y0;
	/* Of the quads' first pixels; where is_block, of the first quad alone. */
	int32_t x[QPU_WIDE_QUADS], y[QPU_WIDE_QUADS];
	uint32_t quad_px[QPU_WIDE_QUADS];
	uint64_t covered[QPU_SAMPLES]; /* bit: lane; changed by the run */
	const struct qpu_tlb *tlb;     /* its per-lane members are not used */
};

/* Tame: 0, or of a magnitude such that products and sums of tame numbers are not tiny or huge. */
#define WIDE_TAME_MOST 0x1p30f
static inline bool qpu_is_tame(float x) {
	/* By bits, as signs are hard to predict for branches. */
	const uint32_t least = f32_bits(1.0f / WIDE_TAME_MOST), most = f32_bits(WIDE_TAME_MOST);
	const uint32_t bits = f32_bits(x) & 0x7FFFFFFF;
	return (bits == 0) | (bits - least - 1 < most - least - 1);
}

/*
 * Prepares scratch memory for runs of a program with this stream of uniforms, which is read now.
 * Returns false if the program cannot run wide and must be interpreted. The same applies when a
 * run returns false; such a run has written only to scratch memory.
 */
bool qpu_wide_bind(void *scratch, const struct qpu_program *program, const struct space *space,
		uint32_t uniforms, unsigned n_varyings, unsigned n_in);
/* Returns the instructions per lane of a program that was bound. */
unsigned qpu_wide_steps(const struct qpu_program *program);
/* Returns input row r of the VPM, for the caller to fill, or NULL if it is not read. */
uint32_t *qpu_wide_in(void *scratch, const struct qpu_program *program, unsigned r);
/* Returns output row r of the VPM after a run, or NULL if it was not written. */
const uint32_t *qpu_wide_out(const void *scratch, const struct qpu_program *program, unsigned r);

struct qpu_kernels {
	/*
	 * Runs the program to its end. Registers, accumulators and flags start at 0. Returns 0. On
	 * failure sets r->fault and returns -ERANGE (a uniform or a look-up outside every window),
	 * -EINVAL (reserved configuration, or wrong use of a texture unit), -EOPNOTSUPP (a branch
	 * by a register to a word not decoded, or a look-up that is not built) or -EDQUOT
	 * (QPU_MAX_STEPS).
	 */
	int (*run)(struct qpu_run *r);
	/* NULL: wide runs are not available. See qpu_wide_bind(). */
	bool (*run_wide)(struct qpu_wide_run *r);
};

/* The plain C kernel: as qpu_kernels.run, with r->trace. */
int qpu_run_c(struct qpu_run *r);

void qpu_kernels_init(struct qpu_kernels *k, enum isa isa);
ISA_KERNELS(qpu)

#endif
