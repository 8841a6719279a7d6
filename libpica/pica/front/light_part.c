/* The lighting of a draw: its constants, and the tables as they are now, in the open pass. */
#include "pica/front/ctx.h"
#include "pica/front/passes.h"

/*
 * A table is decoded into the pass when a draw first reads it; later draws share it until it is
 * written to (light_table_changed) or another pass opens.
 */
static const struct light_entry *snapshot(struct pica_ctx *ctx, unsigned table) {
	struct light_part *p = &ctx->parts.light;
	if (!p->table[table]) {
		struct light_entry *copy = front_pass_alloc(ctx, LIGHT_ENTRIES * sizeof(*copy));
		if (copy) {
			light_table_decode(copy, ctx->luts.light[table]);
		}
		p->table[table] = copy;
	}
	return p->table[table];
}

static const char *const table_names[LIGHT_TABLES] = {
	"D0", "D1", NULL, "FR", "RB", "RG", "RR", NULL,
	"SP0", "SP1", "SP2", "SP3", "SP4", "SP5", "SP6", "SP7",
	"DA0", "DA1", "DA2", "DA3", "DA4", "DA5", "DA6", "DA7",
};

/* Such a light is black where the client meant something else. [fidelity: light-upload] */
static void report_unwritten(struct pica_ctx *ctx, unsigned table) {
	log_write(&ctx->device->engine.log, ctx->settings.owner, PICA_LOG_WARNING,
			"lighting reads table %s, which was never written (job %llu)",
			table_names[table], (unsigned long long)ctx->run.seq);
	ctx->light_written |= 1u << table;
}

const struct light_draw *light_part_make(struct pica_ctx *ctx) {
	struct light_part *p = &ctx->parts.light;
	const uint8_t outputs = ctx->parts.info.light;
	if (p->draw && p->draw->outputs == outputs) {
		return p->draw;
	}
	struct light_draw *l = front_pass_alloc(ctx, sizeof(*l));
	if (!l) {
		return NULL;
	}
	light_draw_from_regs(l, ctx->regs.w, outputs);
	for (unsigned t = 0; t < LIGHT_TABLES; t++) {
		if (!(l->tables >> t & 1)) {
			continue;
		}
		if (!(ctx->light_written >> t & 1)) {
			report_unwritten(ctx, t);
		}
		l->table[t] = snapshot(ctx, t);
		if (!l->table[t]) {
			return NULL;
		}
	}
	p->draw = l;
	return l;
}

void light_table_changed(struct pica_ctx *ctx, unsigned table) {
	ctx->light_written |= 1u << table;
	if (table < LIGHT_TABLES) {
		ctx->parts.light.table[table] = NULL;
	}
}
