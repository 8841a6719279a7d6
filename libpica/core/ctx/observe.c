/* Reports of a context's work (observe.h). */
#include "core/ctx/ctx.h"

/* The effect of an access on the recorder and on the search for unwritten memory. */
static const struct {
	bool is_recorded, writes;
	bool defines;   /* it counts as written from now on */
	uint8_t reader; /* 1 + enum pica_read; 0: none whose reads are checked */
} accesses[ACCESS_COUNT] = {
	/*                   recorded writes defines reader */
	[ACCESS_LIST] =     { true,  false, false, 1 + PICA_READ_LIST },
	[ACCESS_VERTICES] = { true,  false, false, 1 + PICA_READ_VERTICES },
	[ACCESS_TEXTURE] =  { true,  false, false, 0 },
	[ACCESS_TEXELS] =   { false, false, false, 1 + PICA_READ_TEXTURE },
	[ACCESS_LEVELS] =   { false, false, false, 1 + PICA_READ_LEVELS },
	[ACCESS_FACES] =    { false, false, false, 1 + PICA_READ_FACES },
	[ACCESS_SOURCE] =   { true,  false, false, 1 + PICA_READ_SOURCE },
	[ACCESS_SCREEN] =   { false, false, false, 1 + PICA_READ_SCREEN },
	[ACCESS_KEPT] =     { true,  false, false, 0 },
	[ACCESS_TESTED] =   { true,  false, false, 1 + PICA_READ_TARGET },
	[ACCESS_BLENDED] =  { true,  true,  true,  1 + PICA_READ_TARGET },
	[ACCESS_WRITTEN] =  { true,  true,  true,  0 },
	/* The observer sees the memory before the job; the job itself holds the new bytes. */
	[ACCESS_UPLOAD] =   { true,  false, true,  0 },
	[ACCESS_HOST] =     { false, true,  true,  0 },
};

bool access_writes(enum access why) {
	return accesses[why].writes;
}

bool observe_access(struct pica_ctx *ctx, struct range r, enum access why) {
	if (!r.size) {
		return false;
	}
	if (accesses[why].reader) {
		unwritten_read(ctx, r, (enum pica_read)(accesses[why].reader - 1));
	}
	if (accesses[why].defines) {
		unwritten_mark(ctx, r);
	}
	return ctx->observer && accesses[why].is_recorded &&
			ctx->observer->access(ctx->observer, r, why);
}

void observe_settled(struct pica_ctx *ctx) {
	if (ctx->observer) {
		exec_wait_all(&ctx->exec);
		ctx->observer->settled(ctx->observer);
	}
}

void observe_job_done(struct pica_ctx *ctx, const struct pica_job *job) {
	if (ctx->observer) {
		observe_settled(ctx);
		ctx->observer->job_done(ctx->observer, job);
	}
}

void observe_replaced(struct pica_ctx *ctx) {
	if (ctx->observer) {
		ctx->observer->replaced(ctx->observer);
	}
}
