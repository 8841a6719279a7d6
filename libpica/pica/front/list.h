/* Command lists, register writes, and the budgets of a job. */
#ifndef FRONT_LIST_H
#define FRONT_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/space/space.h"
#include "pica.h"
#include "pica/shader/shader.h"

struct pica200;

/* The job that the command thread works on, beside the base's. */
struct job_run {
	uint64_t words_left, jumps_left, vertices_left;
	uint64_t steps_left;  /* of the command thread's own shader runs */
	uint64_t texels_left; /* that may be decoded or copied */
	bool uploads_program[2]; /* vertex, geometry: code or descriptors since its last draw */
	struct range list;   /* words being read */
};

/* ---- cmdlist.c ---- */
/* Runs a list and those that it jumps to; afterwards no pass is open. */
void cmdlist_run(struct pica200 *ctx, uint32_t addr, uint32_t size_bytes);
enum act { ACT_NONE, ACT_STOP, ACT_JUMP0, ACT_JUMP1, ACT_ABORT };
/* One register write with its side effects. from_cpu: CPU-only registers may be written. */
enum act reg_write(struct pica200 *ctx, uint32_t id, uint32_t value, uint32_t mask, bool from_cpu);

/* ---- work.c ---- */
/* Takes the steps of a run on the command thread; -EDQUOT also if the run was cut off. */
void front_charge_shader(struct pica200 *ctx, const struct shader_result *result);

/* ---- ports.c ---- */
/* Consumes a write to a port, or applies a plain register to its unit. */
void ports_write(struct pica200 *ctx, uint32_t id, uint32_t value);
/* Uniforms and other mirrors of the registers after a state was loaded. */
void ports_reload(struct pica200 *ctx);

#endif
