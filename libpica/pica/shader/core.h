/* One scalar invocation: run_c.c executes it, run_gs.c keeps it from run to run. */
#ifndef SHADER_CORE_H
#define SHADER_CORE_H

#include "pica/shader/flow.h"
#include "pica/shader/shader.h"

struct core {
	const struct shader_uniforms *u;
	const float (*v)[4];
	float (*r)[4];
	float (*o)[4];
	int32_t a[2];
	bool cmp[2];
	struct flow flow; /* with aL */

	/* The geometry unit; NULL in a vertex program, where EMIT and SETEMIT do nothing. */
	struct shader_gs *gs;
	const struct shader_host *host;

	/* If not NULL, called before each instruction. */
	shader_step_fn *step;
	void *step_user;
};

/*
 * Runs from the entry to END or the end of the budget; al is the initial aL. Addresses are masked
 * with pc_mask, which is less than the program's number of words.
 */
void core_run(struct core *c, const struct prog *p, unsigned entry, unsigned pc_mask, int32_t al,
		enum pica_float mode, uint64_t budget, struct shader_result *result);

/* The plain C kernels. */
bool shader_run_c_f24(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		struct shader_batch *b, unsigned n, uint64_t budget, struct shader_result *r,
		struct slice *slice);
bool shader_run_c_f32(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		struct shader_batch *b, unsigned n, uint64_t budget, struct shader_result *r,
		struct slice *slice);

/* Returns the address mask of a vertex program. [fidelity: shader-state, flow-control] */
static inline unsigned vs_pc_mask(const struct prog *p) {
	return (p->n_words < SHADER_VS_WORDS ? p->n_words : SHADER_VS_WORDS) - 1;
}

#endif
