/* A context from creation to destruction. */
#include "core/ctx/ctx.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MI = 1 << 20 };

void ctx_default_budgets(struct pica_budgets *b) {
	b->list_words = b->list_words ? b->list_words : 16 * (uint64_t)MI;
	b->list_jumps = b->list_jumps ? b->list_jumps : 65536;
	b->vertices = b->vertices ? b->vertices : 64 * (uint64_t)MI;
	b->shader_steps = b->shader_steps ? b->shader_steps : 1 * (uint64_t)MI;
	b->pixels = b->pixels ? b->pixels : (uint64_t)4 << 30;
	b->job_steps = b->job_steps ? b->job_steps : (uint64_t)1 << 30;
}

/*
 * Returns the fixed memory of a context: the struct, and two stamps for each page of the chip's
 * windows.
 */
static size_t fixed_bytes(const struct pica_ctx *ctx) {
	size_t windows = 0;
	for (unsigned i = 0; i < ctx->space.n; i++) {
		windows += ctx->space.win[i].size_bytes;
	}
	return ctx->chip->ctx_bytes + (windows >> SPACE_PAGE_BITS) * 2 * sizeof(uint64_t);
}

int ctx_create(struct pica_ctx **out, struct pica_device *dev, const struct chip *chip,
		const struct pica_ctx_settings *settings) {
	struct pica_ctx *ctx = aligned_alloc(chip->ctx_align, chip->ctx_bytes);
	if (!ctx) {
		return -ENOMEM;
	}
	memset(ctx, 0, chip->ctx_bytes);
	ctx->chip = chip;
	ctx->device = dev;
	ctx->settings = *settings;
	if (!(settings->flags & PICA_CTX_ARITHMETIC)) {
		ctx->settings.flags |= PICA_CTX_ARITHMETIC; /* for contexts that copy it */
		ctx->settings.float_mode = dev->float_mode;
		ctx->settings.combiner = dev->combiner;
	}
	ctx_default_budgets(&ctx->settings.budgets);
	space_init(&ctx->space);
	int ret = exec_init(&ctx->exec, &dev->engine, &ctx->space, dev->kernels[chip->id],
			settings->memory);
	if (ret < 0) {
		goto err_space;
	}
	ctx->exec.retired = ctx_unit_retired;
	ctx->exec.park = ctx_park;
	ctx->exec.tick = ctx_tick_owner;
	ctx->exec.await_room = ctx_await_room;
	ctx->exec.evict = ctx_evict;
	ctx->exec.owner = ctx;
	ret = chip->init(ctx);
	if (ret < 0) {
		goto err_exec;
	}
	ctx->exec.number = atomic_fetch_add_explicit(&dev->n_created, 1, memory_order_relaxed) + 1;
	ctx->queue = (struct queue){ .dispatcher = &dev->dispatcher,
		.work = &ctx_work,
		.ctx = ctx,
		.settings = &ctx->settings,
		.number = ctx->exec.number,
		.max_units = EXEC_UNITS };
	ret = queue_init(&ctx->queue);
	if (ret < 0) {
		goto err_chip;
	}
	ctx->exec.tally = queue_tally(&ctx->queue);
	memory_get(settings->memory);
	ctx->fixed_bytes = fixed_bytes(ctx);
	memory_charge(&ctx->exec.memory, ctx->fixed_bytes);
	exec_join(&ctx->exec);
	device_get(dev);
	*out = ctx;
	return 0;

err_chip:
	chip->finish(ctx);
err_exec:
	exec_finish(&ctx->exec);
err_space:
	space_finish(&ctx->space);
	free(ctx);
	return ret;
}

void ctx_destroy(struct pica_ctx *ctx) {
	struct pica_device *dev = ctx->device;
	struct pica_memory *m = &ctx->exec.memory;
	queue_close(&ctx->queue);
	ctx_idle(ctx);
	if (ctx->observer) {
		ctx->observer->gone(ctx->observer);
	}
	queue_finish(&ctx->queue);

	/* Without threads another caller may be running tasks. */
	dispatcher_enter(&dev->dispatcher);
	exec_finish(&ctx->exec);
	dispatcher_leave(&dev->dispatcher);
	unwritten_switch(ctx, false);
	ctx->chip->finish(ctx);
	space_finish(&ctx->space);
	memory_uncharge(m, ctx->fixed_bytes);
	assert(memory_used(m) == 0);
	memory_put(m->parent);
	free(ctx);
	pica_device_destroy(dev);
}
