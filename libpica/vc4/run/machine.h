/* The state of one QPU, and all of its functions except arithmetic; private to the room. */
#ifndef VC4_RUN_MACHINE_H
#define VC4_RUN_MACHINE_H

#include <string.h>

#include "core/base/attributes.h"
#include "vc4/run/program.h"
#include "vc4/tex/texture.h"

enum {
	READ_UNIFORM = 32, READ_VARYING = 35, READ_NUMBER = 38, READ_PIXEL = 41, READ_MASK = 42,
	READ_VPM = 48,
	WRITE_R0 = 32, WRITE_R5 = 37, WRITE_UNIFORM_ADDRESS = 40, WRITE_MASK = 42,
	WRITE_STENCIL = 43, WRITE_Z = 44, WRITE_COLOR_SAMPLE = 45, WRITE_COLOR = 46,
	WRITE_VPM = 48, WRITE_VPM_SETUP = 49, WRITE_SFU = 52, WRITE_TMU = 56,
	SFU_RECIP = 0, SFU_RSQRT, SFU_EXP2, SFU_LOG2,
	SIG_BREAKPOINT = 0, SIG_COVERAGE_LOAD = 7, SIG_COLOR_LOAD = 8, SIG_TMU0 = 10, SIG_TMU1,
	SIG_ALPHA_MASK_LOAD,
	BRANCH_ALWAYS = 15,
};

/* [fidelity: qpu-vpm] The address moves by the stride after each vector. */
struct vpm_setup {
	uint8_t address, stride, size; /* size: 0, 1, 2 for 8, 16, 32 bits */
	bool is_horizontal, is_laned;
	uint8_t left; /* for reads: remaining vectors */
};

struct stencil_face {
	bool is_on;
	uint8_t mask, reference, write_mask, function, on_fail, on_pass, on_z_fail;
};

/* A texture unit: the next request, and the results in order. */
enum { TMU_RESULTS = 8 };
struct tmu {
	struct vc4_lookup next; /* r and b are zeroed when the request begins */
	uint8_t first, n;
	uint32_t result[TMU_RESULTS][QPU_LANES];
};

struct machine {
	PICA_ALIGNED(64) uint32_t row[QPU_ROWS][QPU_LANES];
	PICA_ALIGNED(64) uint32_t rev_flag[QPU_LANES]; /* if rev_flag_is_set, else is_back */
	struct qpu_run *run;
	vc4_look_up_fn *look_up;
	const struct qpu_program *program;
	unsigned active; /* bit: lane */

	/* The flow. */
	uint32_t pc, target;   /* indices */
	uint8_t to_target;     /* instructions until the flow is at the target; 0: no branch */
	uint8_t to_end;        /* the same for the end of the program */
	uint64_t steps;

	/* Uniforms. */
	uint32_t uniform;      /* address of the next one */
	uint32_t next_uniform; /* replaces it when next_in more instructions have begun */
	uint8_t next_in;
	const uint8_t *uniform_host;
	uint32_t uniform_avail; /* bytes from uniform_host on */

	unsigned varying;      /* number of the next one */
	struct vpm_setup vpm_read, vpm_write;
	struct stencil_face stencil[2]; /* front, back */
	uint8_t load_sample, store_sample;
	bool rev_flag_is_set;
	struct tmu tmu[2];
};

/* Initializes everything except the rows; sets row 15 of each file for which r has values. */
void machine_init(struct machine *m, struct qpu_run *r, vc4_look_up_fn *look_up);

/* Sets r->fault's text. Returns ret. */
static inline int machine_fail(struct machine *m, int ret, const char *why) {
	m->run->fault.why = why;
	return ret;
}

/* Takes a branch and writes its links. Returns 0 or an error of qpu_kernels.run. */
int machine_branch(struct machine *m, const struct qpu_word *w);
/* Executes a signal. Call before results are written. Returns as above. */
int machine_signal(struct machine *m, unsigned sig);
/* Reads the next uniform if it is not known to lie in memory. Returns as above. */
int machine_find_uniform(struct machine *m, uint32_t *out);
static inline int machine_read_uniform(struct machine *m, uint32_t *out) {
	if (PICA_UNLIKELY(m->uniform_avail < sizeof(*out))) {
		return machine_find_uniform(m, out);
	}
	memcpy(out, m->uniform_host, sizeof(*out));
	m->uniform += 4;
	m->uniform_host += 4;
	m->uniform_avail -= 4;
	return 0;
}
/*
 * Reads a row of lanes from an address >= 32. Returns 0 or an error of qpu_kernels.run. After
 * reading a varying, call machine_constant(), whose result is for r5.
 */
int machine_read(struct machine *m, unsigned file, unsigned address, uint32_t out[QPU_LANES]);
static inline uint32_t machine_constant(struct machine *m) {
	uint32_t c = 0;
	if (m->varying < m->run->n_varyings) {
		memcpy(&c, &m->run->varying_c[m->varying++], sizeof(c));
	}
	return c;
}
/* Writes the lanes of mask to an address >= 36. */
int machine_write(struct machine *m, unsigned file, unsigned address,
		const uint32_t v[QPU_LANES], unsigned mask);

/* Writes a parameter (0 to 3: s, t, r, b) of a texture unit; s starts the look-up. */
int tmu_write(struct machine *m, unsigned unit, unsigned parameter, const uint32_t v[QPU_LANES],
		unsigned mask);
/* Loads the next result into r4. Returns 0, or -EINVAL if there is none. */
int tmu_load(struct machine *m, unsigned unit);

/* Loads the colour of the next sample into r4. */
void tlb_load(struct machine *m);
void tlb_write(struct machine *m, unsigned address, const uint32_t v[QPU_LANES], unsigned mask);
/* Returns whether the stencil test rejects a pixel whose value in the buffer is zs. */
bool tlb_fails_stencil(const struct machine *m, uint32_t zs);
void tlb_set_stencil(struct machine *m, uint32_t word);
/* The multisample mask: 4 bits per lane. */
void tlb_read_mask(const struct machine *m, uint32_t out[QPU_LANES]);
void tlb_and_mask(struct machine *m, const uint32_t v[QPU_LANES], unsigned mask);

/* VPM: reads and writes move a row of lanes. vpm_set_up() returns false for a reserved size. */
bool vpm_set_up(struct vpm_setup *s, uint32_t word);
void vpm_read(struct machine *m, uint32_t out[QPU_LANES]);
void vpm_write(struct machine *m, const uint32_t v[QPU_LANES], unsigned mask);

uint32_t qpu_sfu(unsigned function, uint32_t bits);
enum { SFU_STEPS = 1024 };
/*
 * Of SFU_RECIP and SFU_RSQRT, by the upper ten bits of a fraction: the value at the start of the
 * sixteenth that it lies in, less the arc, in bits 31:16, and the slope in 15:0.
 */
extern uint32_t sfu_steps[2][SFU_STEPS];
/* Fills sfu_steps. Any thread, any number of times. */
void sfu_init(void);

/* ---- The flow [fidelity: qpu-flow] ---- */

enum { DELAY_SLOTS = 3, END_SLOTS = 2 };

/* Call before each instruction. A new uniform address takes effect after the next instruction. */
static inline void machine_begin(struct machine *m) {
	m->steps++;
	if (m->next_in && !--m->next_in) {
		m->uniform = m->next_uniform;
		m->uniform_avail = 0;
	}
}

/* Call after each instruction. Returns false at the end of the program. */
static inline bool machine_advance(struct machine *m) {
	m->pc = m->to_target && !--m->to_target ? m->target : m->pc + 1;
	return !m->to_end || --m->to_end;
}

static inline void machine_end(struct machine *m) {
	if (!m->to_end) {
		m->to_end = END_SLOTS + 1;
	}
}

/* conds: lanes whose flag is set. */
static inline bool machine_condition(const struct machine *m, unsigned cond, unsigned set) {
	const unsigned lanes = set & m->active;
	switch (cond & 3) {
	case 0:
		return lanes == m->active;
	case 1:
		return !lanes;
	case 2:
		return lanes;
	default:
		return lanes != m->active;
	}
}

#endif
