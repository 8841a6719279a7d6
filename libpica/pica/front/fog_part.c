/* The table of the fog as draws see it: a copy in the open pass, shared by its draws. */
#include <string.h>

#include "pica/front/ctx.h"
#include "pica/front/passes.h"

const uint32_t *fog_part_make(struct pica_ctx *ctx) {
	struct parts *p = &ctx->parts;
	if (!p->fog_table) {
		uint32_t *table = front_pass_alloc(ctx, sizeof(ctx->luts.fog));
		if (table) {
			memcpy(table, ctx->luts.fog, sizeof(ctx->luts.fog));
		}
		p->fog_table = table;
	}
	return p->fog_table;
}
