/*
 * From a key to the steps of a plan.
 *
 * The combiner is resolved by names instead of being run: "previous", "previous buffer" and
 * operands become references to planes, a stage that only passes a value on disappears, and each
 * real operation becomes a step that writes its own planes:
 *
 *     stage 0  modulate texture0, primary         modulate out0.rgba <- tex0.rgba, primary.rgba
 *     stage 1  add previous, constant.aaa   =>    add out1.rgb <- out0.rgb, const1.a
 *     stage 2-5  replace previous                 store out1.rgb out0.a
 *
 * Since no plane is written twice, the rest is bookkeeping on the list of steps: equal steps are
 * shared when they are made (emit), steps whose result is unused are dropped (sweep, backwards from
 * the store), those that read only constants run once per draw instead of once per batch, and the
 * RGB and alpha halves of an operation are merged into one call if their operands are adjacent.
 */
#include "pica/frag/build.h"

#include <assert.h>
#include <string.h>

#include "pica.h"
#include "pica/regs/regs.h"

static void mark(struct frag_builder *b, struct frag_ref r, unsigned n_planes) {
	for (unsigned k = 0; k < n_planes; k++) {
		b->live[r.plane + k * r.stride] = true;
	}
}

static bool any_live(const struct frag_builder *b, unsigned first, unsigned n) {
	for (unsigned k = 0; k < n; k++) {
		if (b->live[first + k]) {
			return true;
		}
	}
	return false;
}

/* Drops ops [first, n_ops) whose results are not read, and marks what the others read. */
static void sweep(struct frag_builder *b, unsigned first) {
	unsigned keep = b->n_ops;
	for (unsigned i = b->n_ops; i-- > first;) {
		const struct frag_step *st = &b->op[i];
		if (!any_live(b, st->dst, st->n_planes)) {
			continue;
		}
		for (unsigned k = 0; k < frag_op_inputs((enum frag_op)st->op); k++) {
			mark(b, st->in[k], st->op == FRAG_OP_DOT3 ? 3 : st->n_planes);
		}
		b->op[--keep] = *st;
	}
	memmove(&b->op[first], &b->op[keep], (b->n_ops - keep) * sizeof(b->op[0]));
	b->n_ops = first + b->n_ops - keep;
}

/* Everything that frag_watch() reads: the inputs of the combiner, its operands and results. */
static void mark_watched(struct frag_builder *b) {
	const struct frag_key *key = b->key;
	const struct {
		unsigned slot;
		bool is_on;
	} inputs[] = { { SLOT_PRIMARY, true }, { SLOT_TEXTURE, key->textures & 1 },
		{ SLOT_TEXTURE + 1, key->textures >> 1 & 1 },
		{ SLOT_TEXTURE + 2, key->textures >> 2 & 1 }, { SLOT_PROCTEX, key->proctex },
		{ SLOT_LIGHT, key->light.on }, { SLOT_LIGHT + 1, key->light.on } };
	if (!key->is_watched) {
		return;
	}
	for (unsigned i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		if (inputs[i].is_on) {
			mark(b, frag_slot_value(inputs[i].slot).rgb, 4);
		}
	}
	for (unsigned s = 0; s < FRAG_STAGES; s++) {
		for (unsigned k = 0; k < 3; k++) {
			mark(b, b->stage[s].rgb[k].ref, 3);
			mark(b, b->stage[s].alpha[k].ref, 1);
		}
		mark(b, b->stage[s].out.rgb, 3);
		mark(b, b->stage[s].out.alpha, 1);
	}
}

/* Whether y is the alpha half of x, in planes that continue those of x. */
static bool is_alpha_half(const struct frag_step *x, const struct frag_step *y) {
	if (x->op != y->op || x->n_planes != 3 || y->n_planes != 1 || y->dst != x->dst + 3) {
		return false;
	}
	for (unsigned k = 0; k < frag_op_inputs((enum frag_op)x->op); k++) {
		if (y->in[k].plane != x->in[k].plane + 3 * x->in[k].stride) {
			return false;
		}
	}
	return true;
}

static void append(struct frag_plan *p, struct frag_step st) {
	const unsigned n = p->n_bind + p->n_steps;
	assert(n < FRAG_MAX_STEPS);
	if (st.kind == STEP_OP && n > 0 && p->n_steps != 0) {
		struct frag_step *last = &p->step[n - 1];
		if (last->kind == STEP_OP && is_alpha_half(last, &st)) {
			last->n_planes = 4;
			return;
		}
	}
	p->step[n] = st;
	p->n_steps++;
}

/* Appends ops [first, end) whose operands are all constant, or those that are not. */
static void append_ops(struct frag_plan *p, const struct frag_builder *b, unsigned first,
		unsigned end, const bool *constant, bool want) {
	for (unsigned i = first; i < end; i++) {
		if (constant[b->op[i].dst] == want) {
			append(p, b->op[i]);
		}
	}
}

/* Marks planes whose values do not change between batches of a draw. */
static void find_constants(const struct frag_builder *b, bool constant[FRAG_PLANES]) {
	memset(constant, 0, FRAG_PLANES);
	memset(constant, 1, SLOT_CONST_END * 4);
	for (unsigned i = 0; i < b->n_ops; i++) {
		const struct frag_step *st = &b->op[i];
		bool all = true;
		for (unsigned k = 0; k < frag_op_inputs((enum frag_op)st->op); k++) {
			const unsigned n = st->op == FRAG_OP_DOT3 ? 3 : st->n_planes;
			for (unsigned j = 0; j < n; j++) {
				all &= constant[st->in[k].plane + j * st->in[k].stride];
			}
		}
		for (unsigned j = 0; all && j < st->n_planes; j++) {
			constant[st->dst + j] = true;
		}
	}
}

/* Returns whether a unit samples by u, v and w. */
static bool looks_at_w(const struct frag_key *key, unsigned unit) {
	return unit == 0 && key->texture0_type != TEX_2D;
}

/* Planes of a texture unit for lighting: a unit that is off reads 0. */
static struct frag_ref unit_planes(const struct frag_key *key, unsigned unit) {
	static const struct frag_ref zero = { FRAG_PLANE_ZERO, 0 };
	if (unit == 3) {
		return key->proctex ? (struct frag_ref){ SLOT_PROCTEX * 4, 1 } : zero;
	}
	return key->textures >> unit & 1 ?
			(struct frag_ref){ (uint8_t)((SLOT_TEXTURE + unit) * 4), 1 } :
			zero;
}

/* Returns the lighting step, if the combiner reads its results; marks the planes that it reads. */
static struct frag_step find_light(struct frag_plan *p, struct frag_builder *b) {
	const struct light_key *key = &p->key.light;
	struct frag_step st = { .kind = STEP_LIGHT, .n_planes = 8, .dst = SLOT_LIGHT * 4 };
	for (unsigned i = 0; i < 2; i++) {
		const unsigned slot = SLOT_LIGHT + i;
		st.op |= any_live(b, slot * 4, 3) ? (uint8_t)(i ? LIGHT_SECONDARY : LIGHT_PRIMARY) :
				0;
		st.op |= any_live(b, slot * 4 + 3, 1) ?
				(uint8_t)(i ? LIGHT_SECONDARY_ALPHA : LIGHT_PRIMARY_ALPHA) : 0;
	}
	p->info.light = st.op;
	if (!st.op) {
		return st;
	}
	p->info.planes |= 15u << PLANE_QUAT;
	if (key->view & st.op) {
		p->info.planes |= 7u << PLANE_VIEW;
	}
	if (key->bump) {
		st.in[0] = unit_planes(&p->key, key->bump_unit);
		mark(b, st.in[0], 3);
	}
	if (key->shadow & st.op) {
		st.in[1] = unit_planes(&p->key, key->shadow_unit);
		mark(b, st.in[1], key->shadow & st.op & LIGHT_ALPHAS ? 4 : 3);
	}
	return st;
}

/* Steps that make the inputs of the combiner: perspective, textures, light, primary colour. */
static void append_inputs(struct frag_plan *p, const struct frag_builder *b,
		const struct frag_step *light) {
	static const uint8_t coord_plane[3] = { PLANE_TC0, PLANE_TC1, PLANE_TC2 };
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		if (any_live(b, (SLOT_TEXTURE + u) * 4, 4)) {
			p->info.textures |= (uint8_t)(1 << u);
			p->info.planes |= 3u << coord_plane[p->key.coord_set[u]];
			p->info.planes |= looks_at_w(&p->key, u) ? 1u << PLANE_TC0_W : 0;
		}
	}
	const unsigned proctex = (any_live(b, SLOT_PROCTEX * 4, 3) ? PROCTEX_RGB : 0u) |
			(any_live(b, SLOT_PROCTEX * 4 + 3, 1) ? PROCTEX_ALPHA : 0u);
	if (proctex) {
		p->info.proctex = true;
		p->info.planes |= 3u << coord_plane[p->key.proctex_coord];
	}
	for (unsigned c = 0; c < 4; c++) {
		if (b->live[SLOT_PRIMARY * 4 + c]) {
			p->info.planes |= 1u << (PLANE_COLOR + c);
		}
	}
	if (p->info.planes >> PLANE_COLOR || (b->late_depth && p->key.w_buffer)) {
		append(p, (struct frag_step){ .kind = STEP_PERSPECTIVE });
	}
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		if (p->info.textures >> u & 1) {
			append(p,
					(struct frag_step){ .kind = looks_at_w(&p->key, u) ?
									STEP_TEXTURE_W :
									STEP_TEXTURE,
							.op = (uint8_t)u,
							.n_planes = 4,
							.dst = (uint8_t)((SLOT_TEXTURE + u) * 4) });
		}
	}
	if (proctex) {
		append(p,
				(struct frag_step){ .kind = STEP_PROCTEX,
						.op = (uint8_t)proctex,
						.n_planes = 4,
						.dst = SLOT_PROCTEX * 4 });
	}
	if (light->op) {
		append(p, *light);
	}
	/* Runs of channels. */
	for (unsigned c = 0; c < 4;) {
		unsigned n = 0;
		while (c + n < 4 && b->live[SLOT_PRIMARY * 4 + c + n]) {
			n++;
		}
		if (n) {
			append(p,
					(struct frag_step){ .kind = STEP_COLOR,
							.op = (uint8_t)c,
							.n_planes = (uint8_t)n,
							.dst = (uint8_t)(SLOT_PRIMARY * 4 + c) });
		}
		c += n ? n : 1;
	}
}

/* Depth that no test computes, after the perspective step if w is needed. */
static void append_depth(struct frag_plan *p) {
	const unsigned w = p->key.w_buffer ? FRAG_DEPTH_W : FRAG_DEPTH_Z;
	append(p, (struct frag_step){ .kind = STEP_DEPTH, .op = (uint8_t)w,
			.dst = p->key.depth_format != DEPTH_D16 });
}

/* Fog over a colour; uses the tests' depth if they compute it. */
static void append_fog(struct frag_plan *p, struct frag_ref rgb) {
	if (!p->tests || !frag_key_depth(&p->key)) {
		append_depth(p);
	}
	append(p, (struct frag_step){ .kind = STEP_FOG, .n_planes = 3, .dst = SLOT_FOG * 4,
			.in = { rgb } });
}

static uint32_t feature(enum pica_feature f) {
	return 1u << f;
}

/* Derives the memory that tests access, and when they run. False: fragments have no effect. */
static bool derive_info(struct frag_plan *p) {
	const struct frag_key *key = &p->key;
	struct frag_info *info = &p->info;

	info->planes = 1u << PLANE_IW;
	if (key->mode == FRAGMENT_MODE_SHADOW || key->mode == FRAGMENT_MODE_GAS) {
		info->writes_color = key->color_write != 0;
		info->adds_gas = info->writes_color && key->mode == FRAGMENT_MODE_GAS;
		info->reads_depth = info->adds_gas && key->depth_format != DEPTH_INVALID;
		if (key->mode == FRAGMENT_MODE_SHADOW || info->reads_depth) {
			info->planes |= 1u << PLANE_Z;
		}
		return info->writes_color;
	}
	if (key->mode != FRAGMENT_MODE_NORMAL ||
			(key->alpha_relation == RELATION_NEVER && !key->is_watched)) {
		return false;
	}
	const bool depth = frag_key_depth(key);
	p->tests = key->depth_format != DEPTH_INVALID && (depth || key->stencil);
	if (!key->color_write && !key->is_watched &&
			!(p->tests && (key->depth_write || key->stencil_write))) {
		return false;
	}
	if (p->tests) {
		p->test = key->stencil ? FRAG_TEST_STENCIL :
				key->depth_format == DEPTH_D16 ? FRAG_TEST_D16 :
				key->depth_format == DEPTH_D24 ? FRAG_TEST_D24 : FRAG_TEST_D24S8;
		info->reads_depth = key->depth_relation != RELATION_ALWAYS || key->stencil;
		info->writes_depth = key->depth_write || key->stencil_write;
		if (depth) {
			info->planes |= 1u << PLANE_Z;
		}
	}
	info->early = key->alpha_relation == RELATION_ALWAYS;
	return true;
}

/* Appends the steps that run once per draw; then those of a batch up to the combiner's last. */
static void append_combiner(
		struct frag_plan *p, struct frag_builder *b, bool constant[FRAG_PLANES]) {
	const struct frag_step light = find_light(p, b);
	find_constants(b, constant);
	append_ops(p, b, 0, b->n_ops, constant, true);
	p->n_bind = p->n_steps;
	p->n_steps = 0;
	for (unsigned i = 0; i < SLOT_CONST_END * 4; i++) {
		if (b->live[i]) {
			p->fill[p->n_fills++] = (uint8_t)i;
		}
	}
	append_inputs(p, b, &light);
	append_ops(p, b, 0, b->n_combiner, constant, false);
}

/*
 * Shadow maps: depth and the combiner's green, nothing else. [fidelity: fragment-order,
 * shadow-render] Gas: red.
 */
static void build_map(struct frag_plan *p, struct frag_builder *b, struct frag_value combined) {
	const bool is_gas = p->key.mode == FRAGMENT_MODE_GAS;
	const struct frag_ref in = frag_channel(combined, is_gas ? 0 : 1);
	bool constant[FRAG_PLANES];
	mark(b, in, 1);
	mark_watched(b);
	sweep(b, 0);
	b->n_combiner = b->n_ops;
	b->late_depth = p->info.planes >> PLANE_Z & 1;
	append_combiner(p, b, constant);
	if (b->late_depth) {
		append_depth(p);
	}
	append(p, (struct frag_step){ .kind = is_gas ? STEP_ADD_GAS : STEP_SHADOW, .in = { in } });
	p->info.guessed = is_gas ? feature(PICA_FEATURE_GAS) : 0;
}

void frag_plan_build(struct frag_plan *p) {
	static const struct frag_ref full = { FRAG_PLANE_FULL, 0 };
	const struct frag_key *key = &p->key;
	struct frag_builder b = { .key = key };
	bool constant[FRAG_PLANES];
	struct frag_step store = { .kind = STEP_STORE };

	memset(&p->info, 0, sizeof(p->info));
	p->tests = false;
	p->test = 0;
	p->n_fills = p->n_bind = p->n_steps = 0;
	if (!derive_info(p)) {
		p->info.nothing = true;
		p->info.early = true;
		return;
	}

	const struct frag_value combined = frag_resolve_combiner(&b);
	b.n_combiner = b.n_ops;
	if (key->mode == FRAGMENT_MODE_SHADOW || key->mode == FRAGMENT_MODE_GAS) {
		build_map(p, &b, combined);
		return;
	}

	struct frag_value s = combined;
	if (key->fog == FRAG_FOG_ON) {
		s.rgb = frag_slot_value(SLOT_FOG).rgb;
	} else if (key->fog == FRAG_FOG_GAS) {
		s = frag_slot_value(SLOT_FOG);
	}
	const struct frag_value target = frag_slot_value(SLOT_TARGET);
	struct frag_value d = key->color_read ? target : frag_zero_value();
	unsigned stored = 15;
	if (key->color_format == COLOR_RGB8 || key->color_format == COLOR_RGB565) {
		stored = 7;
		if (key->color_read) {
			d.alpha = full; /* [fidelity: blending] */
		}
	}
	const struct frag_value out = key->color_write ? frag_resolve_output(&b, s, d) : target;
	unsigned written = 0;
	for (unsigned c = 0; c < 4; c++) {
		const struct frag_ref old = frag_channel(target, c);
		const struct frag_ref new = frag_channel(out, c);
		store.in[c] = old;
		if (key->color_write >> c & 1 && !frag_ref_same(new, old)) {
			written |= 1u << c;
			store.in[c] = new;
		} else if (!(stored >> c & 1)) {
			store.in[c] = full; /* the format drops it */
		}
	}
	if (written) {
		p->info.writes_color = true;
		for (unsigned c = 0; c < 4; c++) {
			mark(&b, store.in[c], 1);
		}
	}
	if (key->is_watched) {
		mark(&b, s.rgb, 3);
		mark(&b, s.alpha, 1);
	}
	sweep(&b, b.n_combiner);
	/* Gas: the densities are the texel of unit 0, even if no stage reads it. [guess] */
	const struct frag_ref densities = key->textures & 1 ? frag_slot_value(SLOT_TEXTURE).rgb :
			frag_zero_value().rgb;
	p->info.fog = any_live(&b, SLOT_FOG * 4, 4);
	p->info.gas = p->info.fog && key->fog == FRAG_FOG_GAS;
	if (p->info.gas) {
		mark(&b, frag_channel(combined, 0), 1);
		mark(&b, densities, 4);
		p->info.guessed = feature(PICA_FEATURE_GAS);
	} else if (p->info.fog) {
		p->info.planes |= 1u << PLANE_Z;
		mark(&b, combined.rgb, 3);
	}
	if (key->alpha_relation != RELATION_ALWAYS) {
		mark(&b, combined.alpha, 1);
	}
	const unsigned n_blend = b.n_ops - b.n_combiner;
	/* The blender's ops follow the remaining ops of the combiner. */
	struct frag_step blend[FRAG_MAX_OPS];
	memcpy(blend, &b.op[b.n_combiner], n_blend * sizeof(blend[0]));
	mark_watched(&b);
	b.n_ops = b.n_combiner;
	sweep(&b, 0);
	b.n_combiner = b.n_ops;
	memcpy(&b.op[b.n_ops], blend, n_blend * sizeof(blend[0]));
	b.n_ops += n_blend;

	if (!written && !p->info.writes_depth && !key->is_watched) {
		p->info.nothing = true;
		p->info.early = true;
		p->tests = false;
		p->info.reads_depth = false;
		return;
	}

	const bool reads_target = any_live(&b, SLOT_TARGET * 4, 4);
	p->info.opaque = written && !reads_target;

	b.late_depth = (p->info.fog && !p->info.gas) || (p->tests && !p->info.early);
	append_combiner(p, &b, constant);
	if (key->alpha_relation != RELATION_ALWAYS) {
		append(p, (struct frag_step){ .kind = STEP_ALPHA, .in = { combined.alpha } });
	}
	if (p->tests && !p->info.early) {
		append(p, (struct frag_step){ .kind = STEP_TEST });
	}
	if (p->info.gas) {
		append(p, (struct frag_step){ .kind = STEP_GAS, .n_planes = 4, .dst = SLOT_FOG * 4,
				.in = { frag_channel(combined, 0), densities } });
	} else if (p->info.fog) {
		append_fog(p, combined.rgb);
	}
	if (written) {
		if (reads_target) {
			append(p, (struct frag_step){ .kind = STEP_LOAD, .n_planes = 4,
					.dst = SLOT_TARGET * 4 });
		}
		append_ops(p, &b, b.n_combiner, b.n_ops, constant, false);
		append(p, store);
	}
}
