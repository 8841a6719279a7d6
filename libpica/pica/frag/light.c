/* Fragment lighting: the run of a batch. */
#include "pica/frag/light.h"

#include <string.h>

#include "pica/frag/step.h"
#include "pica_history.h"

/* ---- Batch ---- */

struct run {
	struct light_planes *p;
	const struct light_kernels *k;
	const struct light_draw *l;
	unsigned n_lanes;
};

/* The values of a table for one light; NULL: all 1. */
static const float *look_up(const struct run *r, const struct light_source *s,
		const struct light_lookup *how, const float *input, float *dst) {
	if (how->table == LIGHT_NO_TABLE) {
		return NULL;
	}
	r->k->lookup(dst, input, r->l->table[how->table], how, s->flags & LIGHT_TWO_SIDED,
			r->n_lanes);
	return dst;
}

static const float *look_up_input(const struct run *r, const struct light_source *s,
		const struct light_lookup *how, float *dst) {
	return look_up(r, s, how, r->p->input[how->input], dst);
}

static void find_factors(
		struct light_factors *f, const struct run *r, const struct light_source *s) {
	const struct light_draw *l = r->l;
	struct light_planes *p = r->p;
	memset(f, 0, sizeof(*f));
	f->spot = look_up_input(r, s, &s->spot_factor, p->spot_factor);
	f->distance = look_up(r, s, &s->distance_factor, p->distance, p->distance_factor);
	f->clamp = l->clamp;
	if (s->flags & LIGHT_SPECULAR0) {
		f->d0 = look_up_input(r, s, &l->d0, p->d0);
	}
	if (s->flags & LIGHT_SPECULAR1) {
		f->d1 = look_up_input(r, s, &l->d1, p->d1);
		for (unsigned c = 0; c < 3; c++) {
			const bool again = c && l->reflection[c].table == l->reflection[0].table;
			f->reflection[c] = again ? f->reflection[0] :
					look_up_input(r, s, &l->reflection[c], p->reflection[c]);
		}
	}
}

static bool adds_colors(const struct light_source *s) {
	return s->flags & (LIGHT_ADDS_PRIMARY | LIGHT_ADDS_SECONDARY);
}

/* Whether the alpha of the colours is that of this light's vectors. */
static bool has_fresnel(const struct light_draw *l, unsigned source) {
	return source == l->n_sources - 1u && l->fresnel_alpha;
}

static void run_sources(const struct run *r, const struct batch *b) {
	const struct light_draw *l = r->l;
	unsigned begun = 0;
	for (unsigned i = 0; i < l->n_sources; i++) {
		const struct light_source *s = &l->source[i];
		const bool adds = adds_colors(s), last = has_fresnel(l, i);
		if (!adds && !last) {
			continue;
		}
		r->k->vectors(r->p, b->f[PLANE_VIEW], s, r->n_lanes);
		if (adds) {
			struct light_factors f;
			find_factors(&f, r, s);
			f.first = (uint8_t)~begun;
			r->k->add(r->p, s, &f, r->n_lanes);
			begun |= s->flags & LIGHT_ADDS_PRIMARY ? LIGHT_PRIMARY : 0;
			begun |= s->flags & LIGHT_ADDS_SECONDARY ? LIGHT_SECONDARY : 0;
		}
		if (last) {
			look_up_input(r, s, &l->fresnel, r->p->alpha);
		}
	}
	if (!(begun & LIGHT_PRIMARY)) {
		memset(r->p->primary, 0, sizeof(r->p->primary));
	}
	if (!(begun & LIGHT_SECONDARY)) {
		memset(r->p->secondary, 0, sizeof(r->p->secondary));
	}
}

/* Finds the alpha of one of the two colours, unless it is 1. */
static const float *find_alpha(const struct light_draw *l, const struct light_planes *p,
		unsigned output) {
	return l->fresnel_alpha & output ? p->alpha : p->shadow[3];
}

void light_run(struct light_planes *p, const struct light_kernels *k, const struct light_draw *l,
		const struct batch *b, const struct plane_in *bump, const struct plane_in *shadow,
		uint16_t *dst, unsigned n_lanes) {
	const struct run r = { p, k, l, n_lanes };
	k->surface(p, b->f[PLANE_QUAT], bump, l->surface, n_lanes);
	if (l->view) {
		k->unit(p->v, b->f[PLANE_VIEW], n_lanes);
	}
	if (l->shadow) {
		k->fraction(p->shadow, shadow, l->shadow_inverted, l->shadow_alpha ? 4 : 3,
				n_lanes);
	}
	memset(p->input[LIGHT_ZERO], 0, sizeof(p->input[LIGHT_ZERO]));
	if (l->is_plain) {
		k->vectors(p, b->f[PLANE_VIEW], &l->source[0], n_lanes);
		k->plain(dst, p, l, n_lanes);
		return;
	}
	run_sources(&r, b);
	if (l->fresnel_alpha && l->shadow_alpha) {
		k->scale(p->alpha, p->shadow[3], n_lanes); /* both or none: section 6.3 */
	}
	for (unsigned c = 0; c < 3; c++) {
		if (l->outputs & LIGHT_PRIMARY) {
			k->bytes(dst + c * BATCH, p->primary[c], l->ambient[c], n_lanes);
		}
		if (l->outputs & LIGHT_SECONDARY) {
			k->bytes(dst + (4 + c) * BATCH, p->secondary[c], 0.0f, n_lanes);
		}
	}
	if (l->outputs & LIGHT_PRIMARY_ALPHA) {
		k->bytes(dst + 3 * BATCH, find_alpha(l, p, LIGHT_PRIMARY_ALPHA), 0.0f, n_lanes);
	}
	if (l->outputs & LIGHT_SECONDARY_ALPHA) {
		k->bytes(dst + 7 * BATCH, find_alpha(l, p, LIGHT_SECONDARY_ALPHA), 0.0f, n_lanes);
	}
}

/* ---- Terms, for tools ---- */

static void take3(float out[3], float (*rows)[BATCH], unsigned lane) {
	for (unsigned c = 0; c < 3; c++) {
		out[c] = rows[c][lane];
	}
}

/* values: of the factor, or NULL. */
static struct pica_light_factor take_factor(const struct light_source *s,
		const struct light_lookup *how, uint8_t input, const float *from,
		const float *values, unsigned lane) {
	struct pica_light_factor f = { .table = PICA_NO_TABLE, .input = input, .value = 1.0f };
	if (values && how->table != LIGHT_NO_TABLE) {
		float fraction;
		f.table = how->table;
		f.from = from[lane];
		f.entry = (uint16_t)light_entry_at(
				how, s->flags & LIGHT_TWO_SIDED, f.from, &fraction);
		f.value = values[lane];
	}
	return f;
}

static struct pica_light_factor take_input_factor(const struct light_planes *p,
		const struct light_source *s, const struct light_lookup *how, const float *values,
		unsigned lane) {
	return take_factor(s, how, how->input, p->input[how->input], values, lane);
}

/* Watches a light whose vectors are computed; adds its part to the sums. */
static void watch_source(const struct run *r, const struct light_source *s, unsigned lane,
		struct pica_light_steps *out) {
	struct light_planes *p = r->p;
	const struct light_draw *l = r->l;
	struct light_factors f;
	find_factors(&f, r, s);
	f.first = LIGHT_PRIMARY | LIGHT_SECONDARY;
	r->k->add(p, s, &f, r->n_lanes);
	out->number = s->number;
	out->diffuse = p->diffuse[lane];
	out->geometric = s->flags & (LIGHT_GEOMETRIC0 | LIGHT_GEOMETRIC1) ? p->geometric[lane] : 1;
	out->spot = take_input_factor(p, s, &s->spot_factor, f.spot, lane);
	out->distance = take_factor(s, &s->distance_factor, PICA_LIGHT_DISTANCE, p->distance,
			f.distance, lane);
	out->d0 = take_input_factor(p, s, &l->d0, f.d0, lane);
	out->d1 = take_input_factor(p, s, &l->d1, f.d1, lane);
	for (unsigned c = 0; c < 3; c++) {
		out->reflection[c] = take_input_factor(
				p, s, &l->reflection[c], f.reflection[c], lane);
	}
	if (s->flags & LIGHT_ADDS_PRIMARY) {
		take3(out->primary, p->primary, lane);
	}
	if (s->flags & LIGHT_ADDS_SECONDARY) {
		take3(out->secondary, p->secondary, lane);
	}
}

void light_watch(struct light_planes *p, const struct light_kernels *k, const struct light_draw *l,
		const struct batch *b, unsigned lane, struct pica_fragment_steps *out) {
	const struct run r = { p, k, l, 16 };
	out->is_lit = 1;
	take3(out->normal, p->n, lane);
	if (l->surface & LIGHT_TANGENT) {
		take3(out->tangent, p->t, lane);
	}
	if (l->view) {
		take3(out->view, p->v, lane);
	}
	memcpy(out->ambient, l->ambient, sizeof(out->ambient));
	for (unsigned c = 0; c < 4; c++) {
		const bool is_made = l->shadow && (c < 3 || l->shadow_alpha);
		out->shadow[c] = is_made ? p->shadow[c][lane] : 1;
	}
	out->fresnel = (struct pica_light_factor){ .table = PICA_NO_TABLE, .value = 1 };
	for (unsigned i = 0; i < l->n_sources; i++) {
		const struct light_source *s = &l->source[i];
		if (!adds_colors(s) && !has_fresnel(l, i)) {
			continue;
		}
		k->vectors(p, b->f[PLANE_VIEW], s, r.n_lanes);
		if (adds_colors(s)) {
			watch_source(&r, s, lane, &out->light[out->n_lights++]);
		}
		if (has_fresnel(l, i)) {
			const float *values = look_up_input(&r, s, &l->fresnel, p->alpha);
			out->fresnel = take_input_factor(p, s, &l->fresnel, values, lane);
		}
	}
}

/* ---- Step ---- */

/*
 * A table is decoded into the pass when a draw first reads it; later draws share it until it is
 * written or another pass opens.
 */
static const struct light_entry *table_of_pass(const struct frag_source *from, unsigned table) {
	const struct light_entry **slot = &from->tables->light.table[table];
	if (!*slot) {
		struct light_entry *copy = arena_alloc(from->arena, LIGHT_ENTRIES * sizeof(*copy));
		if (copy) {
			light_table_decode(copy, from->luts->light[table]);
		}
		*slot = copy;
	}
	return *slot;
}

static bool light_bind(struct frag_draw *d, struct frag_consts *c, const struct frag_source *from) {
	const uint8_t outputs = d->plan->info.light;
	const struct light_draw **made = &from->tables->light.draw;
	if (!*made || (*made)->outputs != outputs) {
		struct light_draw *l = arena_alloc(from->arena, sizeof(*l));
		if (!l) {
			return false;
		}
		light_draw_from_regs(l, from->regs, outputs);
		for (unsigned t = 0; t < LIGHT_TABLES; t++) {
			if (l->tables >> t & 1 && !(l->table[t] = table_of_pass(from, t))) {
				return false;
			}
		}
		*made = l;
	}
	d->light = *made;
	return true;
}

static void light_step_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	const struct plane_in bump = frag_operand(s, st, 0), shadow = frag_operand(s, st, 1);
	light_run(&s->light, s->k->light, s->draw.light, b, &bump, &shadow, s->plane[st->dst],
			n_lanes);
}

static void light_print(
		struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "light%s%s%s%s", st->op & LIGHT_PRIMARY ? " light0.rgb" : "",
			st->op & LIGHT_PRIMARY_ALPHA ? " light0.a" : "",
			st->op & LIGHT_SECONDARY ? " light1.rgb" : "",
			st->op & LIGHT_SECONDARY_ALPHA ? " light1.a" : "");
	if (p->key.light.bump) {
		frag_print(t, p->key.light.bump == LIGHT_BUMP_NORMAL ? " <- normal " :
								       " <- tangent ");
		frag_print_planes(t, st->in[0], 3);
	}
	if (p->key.light.shadow & st->op) {
		frag_print(t, " <- shadow ");
		frag_print_planes(t, st->in[1], 4);
	}
}

const struct frag_step_impl frag_step_light = {
	.bind = light_bind,
	.run = light_step_run,
	.print = light_print,
};
