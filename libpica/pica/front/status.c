/*
 * Registers that the hardware writes, updated before the processor reads them (lists
 * cannot).
 *
 * GBATEK says what the counters count. Guesses: they start at 0 with the context, are never reset,
 * and wrap; a vertex is one that reaches the primitive assembler. [guess; fidelity: counters]
 */
#include <string.h>

#include "pica/front/ctx.h"
#include "pica/xfer/ports.h"

/* Bit i: byte first + i of IRQ_REQ equals that of IRQ_CMP. [fidelity: finalize] */
static uint32_t matches(const uint32_t *w, unsigned first) {
	uint32_t word = 0;
	for (unsigned i = 0; i < 32; i++) {
		const unsigned byte = first + i;
		const uint32_t differ = w[REG_FINALIZE + byte / 4] ^ w[REG_IRQ_CMP0 + byte / 4];
		word |= (uint32_t)((differ >> (8 * (byte & 3)) & 0xFF) == 0) << i;
	}
	return word;
}

void status_settle(struct pica200 *ctx) {
	uint32_t *w = ctx->regs.w;
	exec_reap(&ctx->base.exec);
	const struct raster_counts now = { ctx->assembled, ctx->base.exec.stats.triangles,
		ctx->base.exec.stats.drawn };
	struct raster_counts *before = &ctx->counted_before;
	w[REG_STAT_VERTICES] += (uint32_t)(now.vertices - before->vertices);
	w[REG_STAT_TRIANGLES] += (uint32_t)(now.triangles - before->triangles);
	w[REG_STAT_DISPLAYED] += (uint32_t)(now.displayed - before->displayed);
	*before = now;
	memcpy(w, &w[REG_FINALIZE], 16 * sizeof(*w)); /* IRQ_ACK is the same storage */
	w[REG_IRQ_STAT_LOW] = matches(w, 0);
	w[REG_IRQ_STAT_HIGH] = matches(w, 32);
}

/* [fidelity: external-registers] */
static uint32_t started_by(const struct pica_job_reg_write *w) {
	if (w->addr >= INTERNAL_BASE) {
		return PICA_STATUS_P3D;
	}
	if (!(w->value & CONTROL_START)) {
		return 0;
	}
	switch (w->addr) {
	case EXT_BASE + 4 * EXT_PSC0_CONTROL:
		return PICA_STATUS_PSC0;
	case EXT_BASE + 4 * EXT_PSC1_CONTROL:
		return PICA_STATUS_PSC1;
	case EXT_BASE + 4 * EXT_PPF_CONTROL:
		return PICA_STATUS_PPF;
	default:
		return 0;
	}
}

uint32_t front_status(const struct pica_job *job) {
	switch (job->op) {
	case PICA_OP_LIST:
		return PICA_STATUS_P3D;
	case PICA_OP_FILL:
		return job->u.fill.unit ? PICA_STATUS_PSC1 : PICA_STATUS_PSC0;
	case PICA_OP_TRANSFER:
	case PICA_OP_COPY:
		return PICA_STATUS_PPF;
	case PICA_OP_REG_WRITE:
		return started_by(&job->u.reg_write);
	default:
		return 0;
	}
}
