/* Reads of memory that was never written: the results of pica/front/unwritten.c. */
#include "pica_inspect.h"

#include <errno.h>

#include "core/base/attributes.h"
#include "pica/front/ctx.h"

PICA_EXPORT int pica_ctx_find_unwritten(struct pica_ctx *ctx, int on) {
	front_idle(ctx);
	return unwritten_switch(ctx, on != 0);
}

PICA_EXPORT int pica_ctx_unwritten(
		struct pica_ctx *ctx, enum pica_read reader, struct pica_unwritten *out) {
	front_idle(ctx);
	if ((unsigned)reader >= PICA_READ_COUNT || !ctx->unwritten) {
		return -EINVAL;
	}
	*out = *unwritten_sum(ctx, reader);
	return 0;
}
