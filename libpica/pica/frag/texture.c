/* The steps that sample texture units 0 to 2. */
#include "pica/frag/step.h"

const uint8_t frag_coord_plane[3] = { PLANE_TC0, PLANE_TC1, PLANE_TC2 };

static void texture_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	const unsigned u = st->op;
	const unsigned plane = frag_coord_plane[s->draw.plan->key.coord_set[u]];
	const struct tex_direct *direct = &s->direct[u];
	const struct tex_desc *d = &s->draw.tex[u];
	if (direct->filter) {
		direct->filter(direct->level, d, b->f[plane], b->f[plane + 1], 4 * b->n_quads,
				&s->plane[st->dst]);
	} else {
		tex_sample(s->tk, d, s->draw.image[u], b->f[plane], b->f[plane + 1],
				4 * b->n_quads, &s->plane[st->dst]);
	}
}

static void texture_print(
		struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "sample ");
	frag_print_dst(t, st);
	frag_print(t, " <- coordinates %u", p->key.coord_set[st->op]);
}

const struct frag_step_impl frag_step_texture = {
	.run = texture_run,
	.print = texture_print,
};

static void texture_w_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	tex_sample_w(s->tk, &s->draw.tex[0], s->draw.image[0], s->draw.cube, b->f[PLANE_TC0],
			b->f[PLANE_TC0 + 1], b->f[PLANE_TC0_W], 4 * b->n_quads, &s->plane[st->dst]);
}

static void texture_w_print(
		struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	static const char *const types[] = {
		[TEX_2D] = "2D",
		[TEX_CUBE] = "cube",
		[TEX_SHADOW_2D] = "shadow",
		[TEX_PROJECTION] = "projection",
		[TEX_SHADOW_CUBE] = "shadow cube",
	};
	frag_print(t, "sample ");
	frag_print_dst(t, st);
	frag_print(t, " <- coordinates 0 with w, %s", types[p->key.texture0_type]);
}

const struct frag_step_impl frag_step_texture_w = {
	.run = texture_w_run,
	.print = texture_w_print,
};
