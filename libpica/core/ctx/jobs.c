/* Jobs that contexts of all chips have: memory, frames, statistics. */
#include <errno.h>
#include <string.h>

#include "core/ctx/ctx.h"

enum { WRITE_BYTES = 1 << 18 }; /* of a client's memory, at a time */

/*
 * Compares data of a capture with the drawn pixels there: keeps the pixels and counts differences.
 */
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
	ctx_access(ctx, r, ACCESS_UPLOAD);
	exec_sync(&ctx->exec, r, true);
	ctx->stats.writes++;
	ctx->stats.written_bytes += r.size;
	if ((job->flags & PICA_WRITE_KEEP_RENDERED) && ctx->chip->may_be_drawn &&
			space_rendered_in(&ctx->space, r, ctx->frame + 1) &&
			ctx->chip->may_be_drawn(ctx, r)) {
		compare_rendered(ctx, r, data);
		return;
	}
	uint32_t outside = 0;
	for (uint64_t at = 0; at < r.size; at += WRITE_BYTES) {
		const uint32_t left = (uint32_t)(r.size - at);
		const uint32_t n = left < WRITE_BYTES ? left : WRITE_BYTES;
		outside |= space_write(&ctx->space, r.addr + (uint32_t)at, data + at, n);
		ctx_tick(ctx, n / 4);
	}
	if (outside) {
		ctx_fault(ctx, PICA_FAULT_BAD_ADDRESS);
	}
}

static void invalidate(struct pica_ctx *ctx, const struct pica_job_range *a) {
	const struct range r = { a->addr, a->size_bytes };
	ctx_access(ctx, r, ACCESS_UPLOAD);
	exec_sync(&ctx->exec, r, true);
	space_touch(&ctx->space, r, 0);
}

static void stats_job(struct pica_ctx *ctx, const struct pica_job_stats *a) {
	if (a->size_bytes != sizeof(struct pica_stats)) {
		ctx->run.result = -EINVAL;
		return;
	}
	exec_wait_all(&ctx->exec);
	struct pica_stats stats;
	ctx_stats(ctx, &stats);
	memcpy((void *)(uintptr_t)a->data, &stats, sizeof(stats));
}

void ctx_run_job(struct pica_ctx *ctx, const struct pica_job *job) {
	switch (job->op) {
	case PICA_OP_WRITE:
		write_memory(ctx, job);
		break;
	case PICA_OP_INVALIDATE:
		invalidate(ctx, &job->u.invalidate);
		break;
	case PICA_OP_PRESENT:
		ctx->frame++;
		ctx->stats.frames++;
		break;
	case PICA_OP_BARRIER:
		break;
	case PICA_OP_STATS:
		stats_job(ctx, &job->u.stats);
		break;
	default:
		ctx->run.result = -EOPNOTSUPP; /* another chip's, or the service's own */
		break;
	}
}
