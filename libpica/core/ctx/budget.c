/* Budgets and faults of a job: counted, logged, and part of its result. */
#include <errno.h>

#include "core/base/attributes.h"
#include "core/ctx/ctx.h"

static const char *const fault_names[PICA_FAULT_COUNT] = {
	[PICA_FAULT_UNKNOWN_REGISTER] = "write to a register that does not exist or is the CPU's",
	[PICA_FAULT_TRUNCATED_LIST] = "list entry runs past the end",
	[PICA_FAULT_NO_FINALIZE] = "list without FINALIZE",
	[PICA_FAULT_BAD_INDEX] = "upload index outside its memory",
	[PICA_FAULT_PARTIAL_PORT_WRITE] = "port written with a partial byte mask",
	[PICA_FAULT_BAD_ADDRESS] = "memory outside every window",
	[PICA_FAULT_BAD_TARGET] = "framebuffer that cannot be drawn to",
	[PICA_FAULT_BAD_TEXTURE] = "texture that cannot be sampled",
	[PICA_FAULT_BAD_VERTEX] = "vertex not a number or out of range",
	[PICA_FAULT_UNLOADED_ATTRIBUTE] = "attribute neither in an array nor fixed",
	[PICA_FAULT_SHADER_BUDGET] = "shader invocation over its budget",
	[PICA_FAULT_SHADER_OPCODE] = "unknown shader opcode or BREAK outside a loop",
	[PICA_FAULT_BAD_TRANSFER] = "transfer parameters that hang hardware",
	[PICA_FAULT_KEPT_RENDERED] = "bytes of a capture load that differ from our rendering",
};

PICA_EXPORT const char *pica_fault_name(enum pica_fault fault) {
	return (unsigned)fault < PICA_FAULT_COUNT ? fault_names[fault] : "?";
}

void ctx_fault(struct pica_ctx *ctx, enum pica_fault fault) {
	ctx->run.flags |= PICA_DONE_BAD_INPUT;
	if (ctx->stats.faults[fault]++ == 0) {
		log_write(&ctx->device->engine.log, ctx->settings.owner, PICA_LOG_WARNING,
				"%s (first seen in job %llu)", fault_names[fault],
				(unsigned long long)ctx->run.seq);
	}
}

static const char *const budget_names[] = {
	[PICA_BUDGET_LIST_WORDS] = "list words",
	[PICA_BUDGET_JUMPS] = "jumps",
	[PICA_BUDGET_VERTICES] = "vertices",
	[PICA_BUDGET_PIXELS] = "pixels",
	[PICA_BUDGET_TEXELS] = "texels",
	[PICA_BUDGET_SHADER_STEPS] = "shader steps",
	[PICA_BUDGET_INVOCATION_STEPS] = "steps of a shader invocation",
	[PICA_BUDGET_MEMORY] = "memory of a unit of work",
};

PICA_EXPORT const char *pica_budget_name(uint32_t flags) {
	const uint32_t budget = flags >> PICA_DONE_BUDGET_SHIFT & PICA_DONE_BUDGET_MASK;
	return budget && budget < ARRAY_LEN(budget_names) ? budget_names[budget] : "?";
}

void ctx_log_budget(struct pica_ctx *ctx, uint64_t job, enum pica_budget budget) {
	log_write(&ctx->device->engine.log, ctx->settings.owner, PICA_LOG_ERROR,
			"job %llu: budget of %s used up", (unsigned long long)job,
			budget_names[budget]);
}

void ctx_used_up(struct pica_ctx *ctx, enum pica_budget budget) {
	if (ctx->run.result == 0) {
		ctx->run.result = -EDQUOT;
		ctx->run.flags |= (uint32_t)budget << PICA_DONE_BUDGET_SHIFT;
		ctx_log_budget(ctx, ctx->run.seq, budget);
	}
}

bool ctx_charge_fails(struct pica_ctx *ctx, uint64_t *left, enum pica_budget what) {
	if (exec_is_abandoned(&ctx->exec)) {
		ctx->run.result = -ECANCELED;
		return false;
	}
	ctx_used_up(ctx, what);
	*left = 0;
	return false;
}
