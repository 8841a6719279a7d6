/* One job on the command thread: lists, copy engines, registers by address, memory. */
#include <errno.h>
#include <string.h>

#include "pica/front/ctx.h"
#include "pica/front/passes.h"
#include "pica/xfer/ports.h"

/*
 * Words of external[] that start something (fidelity: external-registers); the rest is the xfer
 * room's.
 */
enum {
	PSC0_CONTROL = 0x01C / 4,
	PSC1_CONTROL = 0x02C / 4,
	PPF_CONTROL = 0xC18 / 4,
	CONTROL_START = 1,
	PSC_DONE = 1 << 1,
	PPF_DONE = 1 << 8,
};

/*
 * A transferred pixel at worst, where source and destination overlap, in texels that are decoded.
 */
enum { TRANSFER_COST = 64 };

enum { WRITE_BYTES = 1 << 18 }; /* of a client's memory, at a time */

/* A unit of a copy engine is about to be opened. */
static void begin_copy(struct pica_ctx *ctx, struct range reads, struct range writes) {
	front_access(ctx, reads, ACCESS_SOURCE);
	front_access(ctx, writes, ACCESS_WRITTEN);
	space_touch(&ctx->space, writes, ctx->frame + 1);
	front_unit_opened(ctx);
}

/* job NULL: from the registers of the unit. */
static void fill(struct pica_ctx *ctx, const struct pica_job_fill *job, unsigned unit) {
	struct fill f;
	if (job) {
		fill_from_job(&f, job);
	} else {
		fill_from_regs(&f, ctx->external, unit);
	}
	ctx->stats.fills++;
	if (f.start == 0) {
		return; /* completes without an interrupt [HW, console_values.md] */
	}
	ctx->run.interrupts |= 1u << (unit ? PICA_INTERRUPT_PSC1 : PICA_INTERRUPT_PSC0);
	const struct range w = fill_writes(&f);
	if (w.size) {
		begin_copy(ctx, (struct range){ 0 }, w);
		engine_fill(&ctx->exec, &f, ctx->run.seq);
	}
}

static void copy(struct pica_ctx *ctx, const struct copy *c) {
	ctx->stats.copies++;
	ctx->run.interrupts |= 1u << PICA_INTERRUPT_PPF;
	if (c->bad) {
		front_fault(ctx, PICA_FAULT_BAD_TRANSFER);
	}
	if (!c->nothing) {
		begin_copy(ctx, copy_reads(c), copy_writes(c));
		engine_copy(&ctx->exec, c, ctx->run.seq);
	}
}

static void convert(struct pica_ctx *ctx, const struct transfer *t) {
	ctx->stats.transfers++;
	ctx->run.interrupts |= 1u << PICA_INTERRUPT_PPF;
	if (t->bad) {
		front_fault(ctx, PICA_FAULT_BAD_TRANSFER);
	}
	const uint64_t texels = (uint64_t)t->out_width * t->out_height * TRANSFER_COST;
	if (!t->nothing &&
			front_charge(ctx, &ctx->run.texels_left, texels, PICA_BUDGET_PIXELS)) {
		begin_copy(ctx, transfer_reads(t), transfer_writes(t));
		engine_transfer(&ctx->exec, t, ctx->run.seq);
	}
}

/* job NULL: from the registers. */
static void transfer(struct pica_ctx *ctx, const struct pica_job_transfer *job) {
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

static void copy_job(struct pica_ctx *ctx, const struct pica_job_copy *job) {
	struct copy c;
	copy_from_job(&c, job);
	copy(ctx, &c);
}

/* ---- Registers by physical address ---- */

static void external_write(struct pica_ctx *ctx, uint32_t word, uint32_t value) {
	ctx->external[word] = value;
	if (!(value & CONTROL_START)) {
		return;
	}
	if (word == PSC0_CONTROL || word == PSC1_CONTROL) {
		fill(ctx, NULL, word == PSC1_CONTROL);
		ctx->external[word] = (value & ~(uint32_t)CONTROL_START) | PSC_DONE;
	} else if (word == PPF_CONTROL) {
		transfer(ctx, NULL);
		ctx->external[word] = (value & ~(uint32_t)CONTROL_START) | PPF_DONE;
	}
}

static void internal_write(struct pica_ctx *ctx, uint32_t id, uint32_t value, uint32_t mask) {
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

uint32_t *front_register(struct pica_ctx *ctx, uint32_t addr) {
	if (addr - EXT_BASE < 4 * PICA_EXTERNAL_WORDS) {
		return &ctx->external[(addr - EXT_BASE) / 4];
	}
	if (addr - INTERNAL_BASE < 4 * REG_COUNT) {
		return &ctx->regs.w[(addr - INTERNAL_BASE) / 4];
	}
	return addr - LCD_BASE < 4 * PICA_LCD_WORDS ? &ctx->lcd[(addr - LCD_BASE) / 4] : NULL;
}

static void address_write(struct pica_ctx *ctx, const struct pica_job_reg_write *job) {
	const uint32_t addr = job->addr;
	uint32_t *word = front_register(ctx, addr);
	if (!word) {
		front_fault(ctx, PICA_FAULT_UNKNOWN_REGISTER);
	} else if (addr >= INTERNAL_BASE) {
		internal_write(ctx, (addr - INTERNAL_BASE) / 4, job->value, job->mask);
	} else if (addr >= EXT_BASE) {
		external_write(ctx, (addr - EXT_BASE) / 4, job->value);
	} else {
		*word = job->value;
	}
}

/* ---- Memory ---- */

/* Whether a load of that size can be a texture that is configured now. */
static bool is_texture_size(const struct pica_ctx *ctx, struct range r) {
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		struct tex_desc d;
		tex_desc_from_regs(&d, ctx->regs.w, u);
		if (!d.enabled || !d.valid || d.addr != r.addr) {
			continue;
		}
		uint32_t level0 = (uint32_t)d.width * d.height * tex_format_bits(d.format) / 8;
		if (r.size == level0 || r.size == tex_size_bytes(&d)) {
			return true;
		}
	}
	return false;
}

/* Data of a capture against what we drew there: keep ours, count the differences. */
static void compare_rendered(struct pica_ctx *ctx, struct range r, const uint8_t *data) {
	const uint8_t *host = space_host(&ctx->space, r.addr, r.size);
	for (uint32_t i = 0; host && i < r.size; i++) {
		ctx->stats.faults[PICA_FAULT_KEPT_RENDERED] += host[i] != data[i];
	}
}

static void write_memory(struct pica_ctx *ctx, const struct pica_job *job) {
	struct range r = { job->u.write.addr, job->u.write.size_bytes };
	if (!r.size) {
		return;
	}
	const uint8_t *data = (const uint8_t *)(uintptr_t)job->u.write.data;
	front_access(ctx, r, ACCESS_UPLOAD);
	exec_sync(&ctx->exec, r, true);
	ctx->stats.writes++;
	ctx->stats.written_bytes += r.size;
	if ((job->flags & PICA_WRITE_KEEP_RENDERED) &&
			space_rendered_in(&ctx->space, r, ctx->frame + 1) &&
			is_texture_size(ctx, r)) {
		compare_rendered(ctx, r, data);
		return;
	}
	uint32_t outside = 0;
	for (uint64_t at = 0; at < r.size; at += WRITE_BYTES) {
		const uint32_t left = (uint32_t)(r.size - at);
		const uint32_t n = left < WRITE_BYTES ? left : WRITE_BYTES;
		outside |= space_write(&ctx->space, r.addr + (uint32_t)at, data + at, n);
		front_tick(ctx, n / 4);
	}
	if (outside) {
		front_fault(ctx, PICA_FAULT_BAD_ADDRESS);
	}
}

static void find_unwritten_screens(struct pica_ctx *ctx, uint32_t screens) {
	for (unsigned screen = 0; ctx->unwritten && screen < 2; screen++) {
		struct scanout s;
		if (!(screens >> screen & 1)) {
			continue;
		}
		scanout_from_regs(&s, ctx->external, ctx->lcd, (enum pica_screen_id)screen);
		front_access(ctx, scanout_reads(&s, PICA_EYE_LEFT), ACCESS_SCREEN);
		if (s.info.has_right) {
			front_access(ctx, scanout_reads(&s, PICA_EYE_RIGHT), ACCESS_SCREEN);
		}
	}
}

static void stats_job(struct pica_ctx *ctx, const struct pica_job_stats *a) {
	if (a->size_bytes != sizeof(struct pica_stats)) {
		ctx->run.result = -EINVAL;
		return;
	}
	exec_wait_all(&ctx->exec);
	struct pica_stats stats;
	front_stats(ctx, &stats);
	memcpy((void *)(uintptr_t)a->data, &stats, sizeof(stats));
}

void job_run(struct pica_ctx *ctx, const struct pica_job *job) {
	bool keeps_open = job->op == PICA_OP_REG_WRITE && job->u.reg_write.addr >= INTERNAL_BASE;
	if (!keeps_open) {
		passes_end(ctx);
		observe_settled(ctx); /* this job may write where those before did */
	}
	ctx->stats.jobs++;
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
	case PICA_OP_WRITE:
		write_memory(ctx, job);
		break;
	case PICA_OP_INVALIDATE: {
		struct range r = { job->u.invalidate.addr, job->u.invalidate.size_bytes };
		front_access(ctx, r, ACCESS_UPLOAD);
		exec_sync(&ctx->exec, r, true);
		space_touch(&ctx->space, r, 0);
		break;
	}
	case PICA_OP_PRESENT:
		ctx->frame++;
		ctx->stats.frames++;
		/* The vertical blank after the frame. [fidelity: external-registers] */
		ctx->run.interrupts |=
				(job->u.present.screens & 1 ? 1u << PICA_INTERRUPT_PDC0 : 0u) |
				(job->u.present.screens & 2 ? 1u << PICA_INTERRUPT_PDC1 : 0u);
		find_unwritten_screens(ctx, job->u.present.screens);
		front_present(ctx);
		break;
	case PICA_OP_BARRIER:
		break;
	case PICA_OP_STATS:
		stats_job(ctx, &job->u.stats);
		break;
	default:
		ctx->run.result = -EOPNOTSUPP; /* the service's own */
		break;
	}
}
