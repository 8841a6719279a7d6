/*
 * Register 125: the greatest density that gas accumulation stored. [guess; fidelity: gas]
 *
 * Tiles compute it, and passes report it here. Passes may retire in any order, which does not
 * affect a maximum; a write to the register, which begins a new one, waits for earlier passes.
 */
#include "pica/front/ctx.h"
#include "pica/front/passes.h"

void gas_result(struct pica200 *ctx) {
	const uint32_t word = ctx->regs.w[REG_GAS_ACCMAX_FEEDBACK];
	if (ctx->base.exec.greatest > GAS_ACCMAX_FEEDBACK_VALUE(word)) {
		ctx->regs.w[REG_GAS_ACCMAX_FEEDBACK] =
				(word & ~GAS_ACCMAX_FEEDBACK_VALUE_SET(~0u)) |
				GAS_ACCMAX_FEEDBACK_VALUE_SET(ctx->base.exec.greatest);
	}
	ctx->base.exec.greatest = 0;
}

void gas_settle(struct pica200 *ctx) {
	if (!ctx->gas_pending) {
		return;
	}
	passes_end(ctx);
	exec_wait_all(&ctx->base.exec);
	ctx->gas_pending = false;
}
