/* The PICA200's part of a context: jobs, units, and their resources. */
#include <errno.h>
#include <stdlib.h>

#include "pica/front/ctx.h"
#include "pica/front/passes.h"

enum { VRAM_ADDR = 0x18000000, FCRAM_ADDR = 0x20000000 };

static struct pica200 *of(struct pica_ctx *base) {
	return (struct pica200 *)base;
}

static const struct pica200 *of_const(const struct pica_ctx *base) {
	return (const struct pica200 *)base;
}

static int map_default(struct pica_ctx *base) {
	const struct pica_ctx_settings *s = &base->settings;
	int ret = s->vram_bytes ? space_map(&base->space, VRAM_ADDR, s->vram_bytes, NULL, 0) : 0;
	if (ret == 0 && s->fcram_bytes) {
		ret = space_map(&base->space, FCRAM_ADDR, s->fcram_bytes, NULL, 0);
	}
	return ret;
}

static int init(struct pica_ctx *base) {
	struct pica200 *ctx = of(base);
	struct pica_memory *m = &base->exec.memory;
	int ret = map_default(base);
	if (ret < 0) {
		return ret;
	}
	ctx->plans = frag_cache_create(m);
	if (!ctx->plans) {
		return -ENOMEM;
	}
	regfile_init(&ctx->regs);
	ctx->kernels = *device_kernels(base->device);
	ctx->kernels.frag = kernels_frag(base->device->isa, base->settings.combiner);
	base->exec.kernels = &ctx->kernels;
	tex_cache_init(&ctx->textures, base->device->texture_cache_bytes, m);
	ctx->textures.tick = ctx_tick_owner;
	ctx->textures.owner = base;
	parts_forget(ctx);
	ctx->fixed_unwritten = 0xFFFF;
	ports_reload(ctx);
	return 0;
}

static void finish(struct pica_ctx *base) {
	struct pica200 *ctx = of(base);
	struct pica_memory *m = &base->exec.memory;
	count_clear(ctx);
	history_destroy(ctx->history);
	free(ctx->costs);
	free(ctx->bills);
	tex_cache_finish(&ctx->textures);
	frag_cache_destroy(ctx->plans);
	prog_put(ctx->vs.prog);
	prog_put(ctx->gs.prog);
	prog_put(ctx->left.prog);
	memory_free(m, ctx->geometry.out, ctx->geometry.cap_out * sizeof(*ctx->geometry.out));
	free(ctx->geometry.kept.v);
	geometry_trace_destroy(ctx->geometry.trace);
	memory_free(m, ctx->immediate.vertices, front_immediate_bytes(ctx));
	memory_free(m, ctx->indices, ctx->cap_indices * sizeof(*ctx->indices));
}

static void run(struct pica_ctx *base, const struct pica_job *job) {
	struct pica200 *ctx = of(base);
	const struct pica_budgets *b = &base->settings.budgets;
	ctx->run = (struct job_run){ .words_left = b->list_words,
		.jumps_left = b->list_jumps,
		.vertices_left = b->vertices,
		.steps_left = b->job_steps,
		.texels_left = b->pixels };
	bill_begin(ctx);
	if (job->op != PICA_OP_REG_WRITE) {
		ctx->immediate.goes_on = false;
	}
	job_run(ctx, job);
	draw_immediate_pause(ctx); /* of register writes; their work is this job's */
	bill_commands(ctx);
}

static void flush(struct pica_ctx *base) {
	passes_end(of(base));
	bill_commands(of(base));
}

static void progress(const struct pica_ctx *base, struct queue_progress *out) {
	const struct pica200 *ctx = of_const(base);
	out->is_pending |= ctx->assembler.lazy[0] || ctx->assembler.lazy[1];
}

static void unit_retired(struct pica_ctx *base, uint64_t job, int *result, uint32_t *flags) {
	bill_unit(of(base), job);
	gas_result(of(base));
}

static void evict(struct pica_ctx *base, const struct pica_memory *full) {
	struct pica200 *ctx = of(base);
	tex_cache_evict(&ctx->textures, full);
	frag_cache_evict(ctx->plans, full);
}

void front_clear_textures(struct pica200 *ctx) {
	struct monitor *caches = &ctx->base.device->engine.caches;
	monitor_lock(caches); /* the command thread may evict them for others */
	tex_cache_clear(&ctx->textures);
	monitor_unlock(caches);
}

static void windows_change(struct pica_ctx *base) {
	struct pica200 *ctx = of(base);
	front_clear_textures(ctx);
	ctx->parts.layout_valid = false;
}

/* Returns whether a load of that size can be a texture configured now. */
static bool is_texture(const struct pica_ctx *base, struct range r) {
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		struct tex_desc d;
		tex_desc_from_regs(&d, of_const(base)->regs.w, u);
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

static void stats(const struct pica_ctx *base, struct pica_stats *out) {
	out->textures_decoded = of_const(base)->textures.decoded;
}

const struct chip pica200_chip = {
	.id = PICA_CHIP_PICA200,
	.ctx_bytes = sizeof(struct pica200),
	.ctx_align = _Alignof(struct pica200),
	.init = init,
	.finish = finish,
	.run = run,
	.flush = flush,
	.progress = progress,
	.unit_retired = unit_retired,
	.evict = evict,
	.windows_change = windows_change,
	.may_be_drawn = is_texture,
	.stats = stats,
};

void front_charge_shader(struct pica200 *ctx, const struct shader_result *result) {
	/* A run that uses up the remaining sum was cut off, too. */
	if (ctx_charge(&ctx->base, &ctx->run.steps_left, result->steps, PICA_BUDGET_SHADER_STEPS) &&
			result->cut) {
		ctx_used_up(&ctx->base, PICA_BUDGET_INVOCATION_STEPS);
	}
}
