/* Telling somebody what a context does (struct watch). */
#include "pica/front/ctx.h"

bool front_watch(struct pica_ctx *ctx, struct range r, enum watch_access access) {
	return ctx->watch && r.size && ctx->watch->access(ctx->watch, r, access);
}

void front_watch_settle(struct pica_ctx *ctx) {
	if (ctx->watch) {
		exec_wait_all(&ctx->exec);
		ctx->watch->settled(ctx->watch);
	}
}

void front_watch_job(struct pica_ctx *ctx, const struct pica_job *job) {
	if (ctx->watch) {
		draw_immediate_flush(ctx); /* so that what it reads is told as this job's */
		front_watch_settle(ctx);
		ctx->watch->job_done(ctx->watch, job);
	}
}
