/*
 * One fragment, step by step, for tools. A step writes planes of its own, so after the last step
 * all values of the fragment remain. A failed test is only recorded: later steps also run, on a
 * copy of the pixel.
 */
#include "pica/frag/build.h"

#include <string.h>

#include "pica/frag/fog.h"
#include "pica/frag/step.h"
#include "pica/regs/regs.h"
#include "pica_history.h"

/* The pixel's bytes, in a target that is no larger than its quad. */
struct pixel {
	uint8_t *at[2];
	uint8_t byte[2][4];
	unsigned n[2];
};

static struct pixel pixel_take(const struct frag_scratch *s, unsigned lane) {
	const struct target *t = s->target;
	struct pixel p = { .n = { t->color_px_bytes, t->depth ? t->depth_px_bytes : 0 } };
	p.at[0] = t->color + lane * p.n[0];
	p.at[1] = t->depth ? t->depth + lane * p.n[1] : NULL;
	for (unsigned i = 0; i < 2; i++) {
		memcpy(p.byte[i], p.n[i] ? p.at[i] : p.byte[i], p.n[i]);
	}
	return p;
}

static void pixel_restore(const struct pixel *p) {
	for (unsigned i = 0; i < 2; i++) {
		memcpy(p->n[i] ? p->at[i] : (uint8_t[4]){ 0 }, p->byte[i], p->n[i]);
	}
}

static uint8_t plane_of(
		const struct frag_scratch *s, struct frag_ref r, unsigned c, unsigned lane) {
	return (uint8_t)s->plane[r.plane + c * r.stride][lane];
}

static void take_value(const struct frag_scratch *s, struct frag_value v, unsigned lane,
		uint8_t out[4]) {
	for (unsigned c = 0; c < 4; c++) {
		out[c] = plane_of(s, frag_channel(v, c), 0, lane);
	}
}

static void take_stages(const struct frag_scratch *s, const struct frag_builder *b, unsigned lane,
		struct frag_seen *out) {
	_Static_assert((int)FRAG_WATCH_STAGES == (int)FRAG_STAGES, "as the header says");
	for (unsigned i = 0; i < FRAG_STAGES; i++) {
		for (unsigned k = 0; k < 3; k++) {
			const struct frag_operand *rgb = &b->stage[i].rgb[k];
			const struct frag_operand *alpha = &b->stage[i].alpha[k];
			for (unsigned c = 0; c < 3; c++) {
				const uint8_t v = plane_of(s, rgb->ref, c, lane);
				out->stage[i].rgb[k][c] = rgb->inverted ? 255 - v : v;
			}
			const uint8_t v = plane_of(s, alpha->ref, 0, lane);
			out->stage[i].alpha[k] = alpha->inverted ? 255 - v : v;
		}
		take_value(s, b->stage[i].out, lane, out->stage[i].out);
	}
}

/* The values after all steps. */
static void take_values(const struct frag_scratch *s, const struct batch *b, unsigned lane,
		struct frag_seen *out) {
	const struct frag_key *key = &s->draw.plan->key;
	struct frag_builder resolved = { .key = key };
	const struct frag_value combined = frag_resolve_combiner(&resolved);
	struct frag_value color = combined;
	if (s->draw.plan->info.gas) {
		color = frag_slot_value(SLOT_FOG);
	} else if (s->draw.plan->info.fog) {
		color.rgb = frag_slot_value(SLOT_FOG).rgb;
	}
	take_value(s, frag_slot_value(SLOT_PRIMARY), lane, out->primary);
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		if (key->textures >> u & 1) {
			const unsigned plane = frag_coord_plane[key->coord_set[u]];
			out->coord[u][0] = b->f[plane][lane];
			out->coord[u][1] = b->f[plane + 1][lane];
			take_value(s, frag_slot_value(SLOT_TEXTURE + u), lane, out->texture[u]);
		}
	}
	if ((key->textures & 1) && key->texture0_type != TEX_2D) {
		out->coord0_w = b->f[PLANE_TC0_W][lane];
	}
	if (key->proctex) {
		take_value(s, frag_slot_value(SLOT_PROCTEX), lane, out->proctex);
	}
	for (unsigned i = 0; i < 2 && key->light.on; i++) {
		take_value(s, frag_slot_value(SLOT_LIGHT + i), lane, out->light[i]);
	}
	take_stages(s, &resolved, lane, out);
	take_value(s, combined, lane, out->combined);
	take_value(s, color, lane, out->color);
}

/* Returns the test that dropped the fragment, depth or stencil; before: the pixel before the
 * tests. */
static enum frag_end failed_test(const struct frag_scratch *s, const struct pixel *before) {
	const struct frag_key *key = &s->draw.plan->key;
	const struct frag_consts *c = s->draw.consts;
	if (!key->stencil) {
		return FRAG_FAILS_DEPTH;
	}
	const unsigned old = before->byte[1][3] & c->stencil_compare_mask;
	const unsigned ref = c->stencil_ref & c->stencil_compare_mask;
	const unsigned relation = ref < old ? RELATION_LESS :
			ref == old          ? RELATION_EQUAL :
					      RELATION_GREATER;
	return key->stencil_relation & relation ? FRAG_FAILS_DEPTH : FRAG_FAILS_STENCIL;
}

static bool factor_reads(unsigned factor, bool is_alpha) {
	return factor == BLEND_FACTOR_DST_COLOR || factor == BLEND_FACTOR_ONE_MINUS_DST_COLOR ||
			factor == BLEND_FACTOR_DST_ALPHA ||
			factor == BLEND_FACTOR_ONE_MINUS_DST_ALPHA ||
			(factor == BLEND_FACTOR_SRC_ALPHA_SATURATE && !is_alpha);
}

/* Whether the registers let the blender read the pixel for RGB, or for alpha. */
static bool output_reads(const struct frag_key *key, bool is_alpha) {
	if (!key->color_read) {
		return false;
	}
	if (key->blend) {
		return key->dst[is_alpha] != BLEND_FACTOR_ZERO ||
				factor_reads(key->src[is_alpha], is_alpha);
	}
	return key->logic_op != LOGIC_OP_CLEAR && key->logic_op != LOGIC_OP_COPY &&
			key->logic_op != LOGIC_OP_SET && key->logic_op != LOGIC_OP_COPY_INVERTED;
}

static bool replaces(const struct frag_key *key) {
	const bool has_alpha =
			key->color_format != COLOR_RGB8 && key->color_format != COLOR_RGB565;
	return key->mode == FRAGMENT_MODE_NORMAL && key->color_write == (has_alpha ? 15 : 7) &&
			!output_reads(key, false) && !(has_alpha && output_reads(key, true));
}

static void watch_texture(const struct frag_scratch *s, const struct batch *b, unsigned unit,
		unsigned lane, struct pica_fragment_steps *out) {
	const unsigned plane = frag_coord_plane[s->draw.plan->key.coord_set[unit]];
	tex_watch(s->tk, &s->draw.tex[unit], s->draw.image[unit], s->draw.cube, b->f[plane],
			b->f[plane + 1], b->f[PLANE_TC0_W], lane, &out->unit[unit]);
}

static void watch_fog(const struct frag_scratch *s, const struct batch *b, unsigned lane,
		struct pica_fragment_steps *out) {
	const struct frag_fog_consts *fog = &s->draw.consts->fog;
	float place = fog->offset + b->depth[lane] * fog->scale;
	place = place > 0.0f ? place : 0.0f;
	place = place < FRAG_FOG_ENTRIES - 1 ? place : FRAG_FOG_ENTRIES - 1;
	out->has_fog = 1;
	out->fog_entry = (uint16_t)place;
	out->fog_factor = (uint16_t)frag_fog_factor(fog, b->depth[lane]);
	memcpy(out->fog_color, fog->color, sizeof(out->fog_color));
}

/* The step has run. */
static void watch_step(struct frag_scratch *s, const struct frag_step *st, const struct batch *b,
		unsigned lane, struct pica_fragment_steps *out) {
	switch ((enum frag_step_kind)st->kind) {
	case STEP_TEXTURE:
	case STEP_TEXTURE_W:
		watch_texture(s, b, st->kind == STEP_TEXTURE ? st->op : 0, lane, out);
		break;
	case STEP_LIGHT:
		light_watch(&s->light, s->k->light, s->draw.light, b, lane, out);
		break;
	case STEP_FOG:
		watch_fog(s, b, lane, out);
		break;
	case STEP_LOAD:
		out->reads_target = 1;
		take_value(s, frag_slot_value(SLOT_TARGET), lane, out->target);
		break;
	default:
		break;
	}
}

void frag_watch(struct frag_scratch *s, struct batch *b, unsigned lane, struct frag_seen *out,
		struct pica_fragment_steps *steps) {
	const struct frag_plan *p = s->draw.plan;
	const uint64_t live = UINT64_C(1) << lane;
	const struct pixel before = pixel_take(s, lane);
	struct pixel left = before; /* by the fragment */
	bool is_dead = false;
	memset(out, 0, sizeof(*out));
	s->draw.costs = NULL; /* it is not drawn */
	b->live = live;
	b->n_quads = 1;
	b->quad_px[0] = 0;
	frag_early(s, b, 0, 1);
	for (unsigned i = p->n_bind; i <= (unsigned)p->n_bind + p->n_steps; i++) {
		/* After the early tests, and after each step. */
		if (!b->live && !is_dead) {
			const bool is_alpha = i > p->n_bind && p->step[i - 1].kind == STEP_ALPHA;
			out->end = is_alpha ? FRAG_FAILS_ALPHA : failed_test(s, &before);
			left = pixel_take(s, lane);
			is_dead = true;
		}
		b->live = live;
		if (i < (unsigned)p->n_bind + p->n_steps) {
			out->has_depth |= p->step[i].kind == STEP_DEPTH;
			s->step[i].run(s, &p->step[i], b, 16);
			if (steps) {
				watch_step(s, &p->step[i], b, lane, steps);
			}
		}
	}
	out->has_depth |= p->tests && frag_key_depth(&p->key);
	out->depth = out->has_depth ? b->depth[lane] : 0;
	out->z = out->has_depth ? b->z[lane] : 0;
	take_values(s, b, lane, out);
	if (is_dead) {
		pixel_restore(&left);
	} else {
		out->end = p->key.color_write ? FRAG_STORED : FRAG_MASKED;
		out->replaces = replaces(&p->key);
	}
}
