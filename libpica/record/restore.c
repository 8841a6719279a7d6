/* Prepares a context for a capture. */

#include "capture/form/form.h"
#include "core/ctx/ctx.h"

static uint64_t smaller(uint64_t recorded, uint64_t normal) {
	return recorded && recorded < normal ? recorded : 0; /* 0: the default */
}

PICA_EXPORT void pica_capture_ctx_settings(
		const struct pica_capture *c, struct pica_ctx_settings *settings) {
	struct pica_budgets normal, *b = &settings->budgets;
	pica_ctx_settings_init(settings);
	settings->chip = c->info.chip;
	pica_budgets_init(&normal);
	b->list_words = smaller(c->budgets.list_words, normal.list_words);
	b->list_jumps = smaller(c->budgets.list_jumps, normal.list_jumps);
	b->vertices = smaller(c->budgets.vertices, normal.vertices);
	b->shader_steps = smaller(c->budgets.shader_steps, normal.shader_steps);
	b->pixels = smaller(c->budgets.pixels, normal.pixels);
	b->job_steps = smaller(c->budgets.job_steps, normal.job_steps);
	if (c->n_windows) {
		/* pica_capture_load() maps them */
		settings->vram_bytes = settings->fcram_bytes = 0;
	}
}

PICA_EXPORT int pica_capture_load(struct pica_capture *c, struct pica_ctx *ctx) {
	ctx_idle(ctx);
	for (uint32_t i = 0; i < c->n_windows; i++) {
		const struct pica_window *w = &c->windows[i];
		if (space_host(&ctx->space, w->phys, w->size_bytes)) {
			continue;
		}
		int ret = space_map(&ctx->space, w->phys, w->size_bytes, NULL, 0);
		if (ret < 0) {
			return ret;
		}
		if (ctx->chip->windows_change) {
			ctx->chip->windows_change(ctx);
		}
	}
	if (ctx->chip->id != c->info.chip) {
		return -EOPNOTSUPP;
	}
	return c->info.chip == PICA_CHIP_PICA200 ? pica_ctx_load_state(ctx, &c->state) : 0;
}
