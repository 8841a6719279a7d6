/* The fog step: constants, table, run. The arithmetic is that of fog_c.c. */
#include <string.h>

#include "pica/frag/step.h"
#include "pica/regs/regs.h"

/* 128*(1 - d), rounded once, is 128 - 128*d. */
static void fog_consts(struct frag_consts *c, const uint32_t *regs) {
	struct frag_fog_consts *fog = &c->fog;
	const bool flip = TEXENV_UPDATE_BUFFER_FOG_FLIP(regs[REG_TEXENV_UPDATE_BUFFER]) != 0;
	const uint32_t color = regs[REG_FOG_COLOR];
	fog->offset = flip ? FRAG_FOG_ENTRIES : 0.0f;
	fog->scale = flip ? -(float)FRAG_FOG_ENTRIES : FRAG_FOG_ENTRIES;
	fog->color[0] = (uint8_t)FOG_COLOR_R(color);
	fog->color[1] = (uint8_t)FOG_COLOR_G(color);
	fog->color[2] = (uint8_t)FOG_COLOR_B(color);
}

bool frag_bind_fog(struct frag_draw *d, struct frag_consts *c, const struct frag_source *from) {
	struct frag_tables *tables = from->tables;
	if (!tables->fog) {
		uint32_t *table = arena_alloc(from->arena, sizeof(from->luts->fog));
		if (table) {
			memcpy(table, from->luts->fog, sizeof(from->luts->fog));
		}
		tables->fog = table;
	}
	c->fog.table = tables->fog;
	return c->fog.table != NULL;
}

static void fog_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	const struct plane_in in = frag_operand(s, st, 0);
	s->k->fog(s->plane[st->dst], &in, b->depth, &s->draw.consts->fog, n_lanes);
}

static void fog_print(struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "fog ");
	frag_print_dst(t, st);
	frag_print_from(t, st, st->n_planes);
}

const struct frag_step_impl frag_step_fog = {
	.consts = fog_consts,
	.bind = frag_bind_fog,
	.run = fog_run,
	.print = fog_print,
};
