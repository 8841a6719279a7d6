/* Reads of memory that was never written: the results of core/ctx/unwritten.c. */
#include "pica_inspect.h"

#include <errno.h>

#include "core/base/attributes.h"
#include "core/ctx/ctx.h"

PICA_EXPORT int pica_ctx_find_unwritten(struct pica_ctx *ctx, int on) {
	ctx_idle(ctx);
	return unwritten_switch(ctx, on != 0);
}

PICA_EXPORT int pica_ctx_unwritten(
		struct pica_ctx *ctx, enum pica_read reader, struct pica_unwritten *out) {
	ctx_idle(ctx);
	if ((unsigned)reader >= PICA_READ_COUNT || !ctx->unwritten) {
		return -EINVAL;
	}
	*out = *unwritten_sum(ctx, reader);
	return 0;
}
