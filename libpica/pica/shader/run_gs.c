#include "pica/shader/core.h"

void shader_run_gs(const struct prog *p, unsigned entry, struct shader_uniforms *u,
		struct shader_gs *gs, enum pica_float mode, uint64_t budget,
		struct shader_result *r, const struct shader_host *host) {
	gs->bank &= 1;
	struct core c = {
		.u = u,
		.v = (const float (*)[4])gs->v,
		.r = gs->r,
		.o = gs->o[gs->bank],
		.a = { gs->a[0], gs->a[1] },
		.cmp = { gs->cmp[0], gs->cmp[1] },
		.gs = gs,
		.host = host,
		.step = host->step,
		.step_user = host->user,
	};
	core_run(&c, p, entry, p->n_words - 1, gs->al, mode, budget, r);
	gs->a[0] = c.a[0];
	gs->a[1] = c.a[1];
	gs->cmp[0] = c.cmp[0];
	gs->cmp[1] = c.cmp[1];
	gs->al = c.flow.al;
	u->b |= 0x8000; /* the unit sets it after every run [HW, 3dbrew] */
}
