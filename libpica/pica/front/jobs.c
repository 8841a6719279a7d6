/* One job on the command thread: lists, copy engines, registers by address, screens. */
#include <string.h>

#include "pica/front/ctx.h"
#include "pica/front/passes.h"
#include "pica/xfer/ports.h"

enum {
	PSC_DONE = 1 << 1,
	PPF_DONE = 1 << 8,
};

/* The worst cost of a transferred pixel, if source and destination overlap, in decoded texels. */
enum { TRANSFER_COST = 64 };

/* Call before a unit of a copy engine is opened. */
static void begin_copy(struct pica200 *ctx, struct range reads, struct range writes) {
	ctx_access(&ctx->base, reads, ACCESS_SOURCE);
	ctx_access(&ctx->base, writes, ACCESS_WRITTEN);
	space_touch(&ctx->base.space, writes, ctx->base.frame + 1);
	ctx_unit_opened(&ctx->base);
}

/* Reports a job's write to memory, which may contain a watched pixel. */
static void watch_begin(struct pica200 *ctx, const struct history_write *w) {
	if (ctx->history) {
		history_write_begin(ctx->history, &ctx->base.exec, w);
	}
}

static void watch_end(struct pica200 *ctx) {
	if (ctx->history) {
		history_write_end(ctx->history, &ctx->base.exec);
	}
}

/* job NULL: from the registers of the unit. */
static void fill(struct pica200 *ctx, const struct pica_job_fill *job, unsigned unit) {
	struct fill f;
	if (job) {
		fill_from_job(&f, job);
	} else {
		fill_from_regs(&f, ctx->external, unit);
	}
	ctx->base.stats.fills++;
	if (f.start == 0) {
		return; /* completes without an interrupt [HW, console_values.md] */
	}
	ctx->base.run.interrupts |= 1u << (unit ? PICA_INTERRUPT_PSC1 : PICA_INTERRUPT_PSC0);
	const struct range w = fill_writes(&f);
	if (w.size) {
		begin_copy(ctx, (struct range){ 0 }, w);
		bill_fill(ctx, w.size);
		const struct history_write write = { PICA_HISTORY_FILL, w, NULL, NULL };
		watch_begin(ctx, &write);
		engine_fill(&ctx->base.exec, &f, ctx->base.run.seq);
		watch_end(ctx);
	}
}

static void copy(struct pica200 *ctx, const struct copy *c) {
	ctx->base.stats.copies++;
	ctx->base.run.interrupts |= 1u << PICA_INTERRUPT_PPF;
	if (c->bad) {
		ctx_fault(&ctx->base, PICA_FAULT_BAD_TRANSFER);
	}
	if (!c->nothing) {
		begin_copy(ctx, copy_reads(c), copy_writes(c));
		bill_move(ctx, c->src, c->dst, c->size_bytes);
		const struct history_write write = { PICA_HISTORY_COPY, copy_writes(c), NULL, c };
		watch_begin(ctx, &write);
		engine_copy(&ctx->base.exec, c, ctx->base.run.seq);
		watch_end(ctx);
	}
}

static void convert(struct pica200 *ctx, const struct transfer *t) {
	ctx->base.stats.transfers++;
	ctx->base.run.interrupts |= 1u << PICA_INTERRUPT_PPF;
	if (t->bad) {
		ctx_fault(&ctx->base, PICA_FAULT_BAD_TRANSFER);
	}
	const uint64_t texels = (uint64_t)t->out_width * t->out_height * TRANSFER_COST;
	if (!t->nothing &&
			ctx_charge(&ctx->base, &ctx->run.texels_left, texels, PICA_BUDGET_PIXELS)) {
		begin_copy(ctx, transfer_reads(t), transfer_writes(t));
		bill_move(ctx, t->src, t->dst, transfer_writes(t).size);
		const struct history_write write = { PICA_HISTORY_TRANSFER, transfer_writes(t), t,
			NULL };
		watch_begin(ctx, &write);
		engine_transfer(&ctx->base.exec, t, ctx->base.run.seq);
		watch_end(ctx);
	}
}

/* job NULL: from the registers. */
static void transfer(struct pica200 *ctx, const struct pica_job_transfer *job) {
	struct copy c;
	struct transfer t;
	if (!transfer_flags_copy(job ? job->flags : ctx->external[EXT_PPF_FLAGS])) {
		if (job) {
			transfer_from_job(&t, job);
		} else {
			transfer_from_regs(&t, ctx->external);
		}
		convert(ctx, &t);
		return;
	}
	if (job) {
		copy_from_transfer_job(&c, job);
	} else {
		copy_from_regs(&c, ctx->external);
	}
	copy(ctx, &c);
}

static void copy_job(struct pica200 *ctx, const struct pica_job_copy *job) {
	struct copy c;
	copy_from_job(&c, job);
	copy(ctx, &c);
}

/* ---- Registers by physical address ---- */

static void external_write(struct pica200 *ctx, uint32_t word, uint32_t value) {
	ctx->external[word] = value;
	if (!(value & CONTROL_START)) {
		return;
	}
	if (word == EXT_PSC0_CONTROL || word == EXT_PSC1_CONTROL) {
		fill(ctx, NULL, word == EXT_PSC1_CONTROL);
		ctx->external[word] = (value & ~(uint32_t)CONTROL_START) | PSC_DONE;
	} else if (word == EXT_PPF_CONTROL) {
		transfer(ctx, NULL);
		ctx->external[word] = (value & ~(uint32_t)CONTROL_START) | PPF_DONE;
	}
}

static void internal_write(struct pica200 *ctx, uint32_t id, uint32_t value, uint32_t mask) {
	enum act act = reg_write(ctx, id, value, mask ? mask : 0xF, true);
	if (act == ACT_JUMP0 || act == ACT_JUMP1) {
		/* The CPU starts the GPU this way. */
		unsigned channel = act == ACT_JUMP1;
		cmdlist_run(ctx, reg_addr16(ctx->regs.w[REG_CMDBUF_ADDR0 + channel]),
				reg_cmdbuf_bytes(ctx->regs.w[REG_CMDBUF_SIZE0 + channel]));
	} else if (act == ACT_STOP) {
		passes_end(ctx);
	}
}

uint32_t *front_register(struct pica200 *ctx, uint32_t addr) {
	if (addr - EXT_BASE < 4 * PICA_EXTERNAL_WORDS) {
		return &ctx->external[(addr - EXT_BASE) / 4];
	}
	if (addr - INTERNAL_BASE < 4 * REG_COUNT) {
		return &ctx->regs.w[(addr - INTERNAL_BASE) / 4];
	}
	return addr - LCD_BASE < 4 * PICA_LCD_WORDS ? &ctx->lcd[(addr - LCD_BASE) / 4] : NULL;
}

static void address_write(struct pica200 *ctx, const struct pica_job_reg_write *job) {
	const uint32_t addr = job->addr;
	uint32_t *word = front_register(ctx, addr);
	if (!word) {
		ctx_fault(&ctx->base, PICA_FAULT_UNKNOWN_REGISTER);
	} else if (addr >= INTERNAL_BASE) {
		internal_write(ctx, (addr - INTERNAL_BASE) / 4, job->value, job->mask);
	} else if (addr >= EXT_BASE) {
		external_write(ctx, (addr - EXT_BASE) / 4, job->value);
	} else {
		*word = job->value;
	}
}

/* ---- Jobs ---- */

static void find_unwritten_screens(struct pica200 *ctx, uint32_t screens) {
	for (unsigned screen = 0; ctx->base.unwritten && screen < 2; screen++) {
		struct scanout s;
		if (!(screens >> screen & 1)) {
			continue;
		}
		scanout_from_regs(&s, ctx->external, ctx->lcd, (enum pica_screen_id)screen);
		ctx_access(&ctx->base, scanout_reads(&s, PICA_EYE_LEFT), ACCESS_SCREEN);
		if (s.info.has_right) {
			ctx_access(&ctx->base, scanout_reads(&s, PICA_EYE_RIGHT), ACCESS_SCREEN);
		}
	}
}

/* Runs a job common to all chips: it writes the client's bytes, or no pixel. */
static void run_memory_job(struct pica200 *ctx, const struct pica_job *job) {
	struct range r = { 0 };
	if (job->op == PICA_OP_INVALIDATE) {
		r = (struct range){ job->u.invalidate.addr, job->u.invalidate.size_bytes };
	} else if (job->op == PICA_OP_WRITE) {
		r = (struct range){ job->u.write.addr, job->u.write.size_bytes };
		if ((job->flags & PICA_WRITE_KEEP_RENDERED) &&
				space_rendered_in(&ctx->base.space, r, ctx->base.frame + 1) &&
				ctx->base.chip->may_be_drawn(&ctx->base, r)) {
			r.size = 0; /* what was drawn stays */
		}
	}
	const struct history_write write = { PICA_HISTORY_LOAD, r, NULL, NULL };
	watch_begin(ctx, &write);
	ctx_run_job(&ctx->base, job);
	watch_end(ctx);
}

void job_run(struct pica200 *ctx, const struct pica_job *job) {
	bool keeps_open = job->op == PICA_OP_REG_WRITE && job->u.reg_write.addr >= INTERNAL_BASE;
	if (!keeps_open) {
		passes_end(ctx);
		observe_settled(&ctx->base); /* this job may write to the same memory as earlier
		 * ones */
	}
	ctx->base.stats.jobs++;
	if (ctx->history) {
		history_job(ctx->history, job);
	}
	switch (job->op) {
	case PICA_OP_LIST:
		cmdlist_run(ctx, job->u.list.addr, job->u.list.size_bytes);
		break;
	case PICA_OP_FILL:
		fill(ctx, &job->u.fill, job->u.fill.unit);
		break;
	case PICA_OP_TRANSFER:
		transfer(ctx, &job->u.transfer);
		break;
	case PICA_OP_COPY:
		copy_job(ctx, &job->u.copy);
		break;
	case PICA_OP_REG_WRITE:
		address_write(ctx, &job->u.reg_write);
		break;
	case PICA_OP_PRESENT:
		ctx_run_job(&ctx->base, job);
		/* The vertical blank after the frame. [fidelity: external-registers] */
		ctx->base.run.interrupts |=
				(job->u.present.screens & 1 ? 1u << PICA_INTERRUPT_PDC0 : 0u) |
				(job->u.present.screens & 2 ? 1u << PICA_INTERRUPT_PDC1 : 0u);
		find_unwritten_screens(ctx, job->u.present.screens);
		front_present(ctx);
		break;
	default:
		run_memory_job(ctx, job);
		break;
	}
}
