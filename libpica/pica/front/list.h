/* Command lists, register writes, and the budgets of a job. */
#ifndef FRONT_LIST_H
#define FRONT_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/space/space.h"
#include "pica.h"
#include "pica/shader/shader.h"

struct pica200;

/* State of the running job, in addition to that in the base. */
struct job_run {
	uint64_t words_left, jumps_left, vertices_left;
	uint64_t steps_left;  /* of the command thread's own shader runs */
	uint64_t texels_left; /* texels that may still be decoded or copied */
	/* vertex, geometry: code or descriptors were written since its last draw */
	bool uploads_program[2];
	struct range list;   /* words being read */
};

/* ---- cmdlist.c ---- */
/* Runs a list and the lists that it jumps to; afterwards no pass is open. */
void cmdlist_run(struct pica200 *ctx, uint32_t addr, uint32_t size_bytes);
enum act { ACT_NONE, ACT_STOP, ACT_JUMP0, ACT_JUMP1, ACT_ABORT };
/* Writes a register, with side effects. from_cpu: CPU-only registers may be written. */
enum act reg_write(struct pica200 *ctx, uint32_t id, uint32_t value, uint32_t mask, bool from_cpu);

/* ---- work.c ---- */
/*
 * Charges the steps of a run on the command thread. The job ends with -EDQUOT if the budget is
 * exceeded or the run was cut off.
 */
void front_charge_shader(struct pica200 *ctx, const struct shader_result *result);

/* ---- ports.c ---- */
/* Consumes a write to a port, or applies a plain register to its unit. */
void ports_write(struct pica200 *ctx, uint32_t id, uint32_t value);
/* After a state was loaded: updates uniforms and other copies of register contents. */
void ports_reload(struct pica200 *ctx);

#endif
