/*
 * What a draw sees of the procedural texture unit: its registers, and tables as they are now.
 *
 * Decoded tables lie in the arena of the open pass. A pointer in parts.proctex stays good for all
 * draws of the pass until somebody writes another word to its table, or the pass closes.
 */
#include <string.h>

#include "pica/frag/proctex.h"
#include "pica/front/ctx.h"
#include "pica/front/passes.h"

void proctex_table_write(struct pica_ctx *ctx, unsigned table, uint32_t index, uint32_t word) {
	uint32_t *slot = &ctx->luts.proctex[table][index];
	if (*slot == word) {
		return; /* many upload the same tables for every frame */
	}
	*slot = word;
	struct proctex_parts *p = &ctx->parts.proctex;
	switch (table) {
	case PROCTEX_TABLE_NOISE:
		p->noise = NULL;
		break;
	case PROCTEX_TABLE_RGB_MAP:
		p->map[0] = NULL;
		break;
	case PROCTEX_TABLE_ALPHA_MAP:
		p->map[1] = NULL;
		break;
	case PROCTEX_TABLE_COLOR:
	case PROCTEX_TABLE_COLOR_DIFF:
		p->colors = NULL;
		break;
	default: /* tables that do not exist */
		break;
	}
}

/* False: no memory. */
static bool snapshot_map(struct pica_ctx *ctx, unsigned table, const struct proctex_map **part) {
	if (!*part) {
		struct proctex_map *map = front_pass_alloc(ctx, sizeof(*map));
		if (!map) {
			return false;
		}
		proctex_map_decode(map, ctx->luts.proctex[table]);
		*part = map;
	}
	return true;
}

static bool snapshot_colors(struct pica_ctx *ctx, const struct proctex_colors **part) {
	if (!*part) {
		struct proctex_colors *t = front_pass_alloc(ctx, sizeof(*t));
		if (!t) {
			return false;
		}
		memcpy(t->color, ctx->luts.proctex[PROCTEX_TABLE_COLOR], sizeof(t->color));
		memcpy(t->difference, ctx->luts.proctex[PROCTEX_TABLE_COLOR_DIFF],
				sizeof(t->difference));
		*part = t;
	}
	return true;
}

const struct frag_proctex *proctex_part_make(struct pica_ctx *ctx) {
	struct proctex_parts *parts = &ctx->parts.proctex;
	struct frag_proctex *p = front_pass_alloc(ctx, sizeof(*p));
	if (!p) {
		return NULL;
	}
	proctex_from_regs(p, ctx->regs.w);
	if ((p->has_noise && !snapshot_map(ctx, PROCTEX_TABLE_NOISE, &parts->noise)) ||
			!snapshot_map(ctx, PROCTEX_TABLE_RGB_MAP, &parts->map[0]) ||
			(p->separate_alpha &&
					!snapshot_map(ctx, PROCTEX_TABLE_ALPHA_MAP,
							&parts->map[1])) ||
			!snapshot_colors(ctx, &parts->colors)) {
		return NULL;
	}
	p->noise.map = p->has_noise ? parts->noise : NULL;
	p->map[0] = parts->map[0];
	p->map[1] = p->separate_alpha ? parts->map[1] : NULL;
	p->colors = parts->colors;
	return p;
}
