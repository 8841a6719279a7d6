/*
 * A QPU, one lane and one bit field at a time, from the rules of docs/fidelity.md: the reference
 * for vc4/run/. It decodes words by itself and executes them in memory.
 */
#ifndef NAIVE_QPU_H
#define NAIVE_QPU_H

#include <stdbool.h>
#include <stdint.h>

enum { NAIVE_LANES = 16, NAIVE_QPU_STEPS = 65536 };

struct naive_vpm_port {
	unsigned address, stride, bits, left;
	bool horizontal, laned;
};

struct naive_stencil {
	bool on;
	unsigned mask, reference, writes, function, fail, pass, z_fail;
};

struct naive_qpu {
	/* The caller's: memory at the bus address base, inputs, the pixels of the lanes. */
	const uint8_t *memory;
	uint32_t base, size;
	unsigned lanes; /* that are there */
	/*
	 * To save time: at most four lanes are active, and no program rotates or branches by a
	 * register.
	 */
	bool quad_alone;
	uint32_t uniforms;
	/* Called after each instruction, or NULL. */
	void (*step)(void *user, const struct naive_qpu *q, uint32_t address);
	void *step_user;
	uint32_t (*sfu)(unsigned function, uint32_t x);
	unsigned n_in, n_varyings, n_samples, depth_function;
	uint32_t vpm_in[64][NAIVE_LANES];
	float varying[32][NAIVE_LANES], varying_c[32];
	uint32_t w[NAIVE_LANES], z[NAIVE_LANES];
	int32_t x[NAIVE_LANES], y[NAIVE_LANES];
	bool updates_z, is_back, has_tlb;
	/* Before and after. */
	uint32_t color[4][NAIVE_LANES], zs[4][NAIVE_LANES];
	bool covered[4][NAIVE_LANES];
	/* After. */
	uint32_t vpm_out[64][NAIVE_LANES];
	bool written[64];
	unsigned steps;
	/* Of the last instruction, what its units (add, multiply) stored, as packed. */
	bool stored[2][NAIVE_LANES];
	uint32_t value[2][NAIVE_LANES];
	/* Whether a lane took part in writes of colour and Z; sample 0 at the first write of Z. */
	bool wrote_color[NAIVE_LANES], wrote_z[NAIVE_LANES], fails_stencil[NAIVE_LANES];

	/* Its own. */
	uint32_t reg[2][32][NAIVE_LANES], acc[6][NAIVE_LANES], reverse[NAIVE_LANES];
	bool flag[3][NAIVE_LANES]; /* Z, N, C */
	unsigned computed; /* lanes */
	unsigned next_varying, load_sample, store_sample;
	uint32_t next_uniforms;
	unsigned uniforms_wait;
	struct naive_vpm_port in, out;
	struct naive_stencil stencil[2];
	bool has_tested;
};

/* Returns 0 when the program ends, -1 if it is invalid or does not end. */
int naive_qpu_run(struct naive_qpu *q, uint32_t address);

#endif
