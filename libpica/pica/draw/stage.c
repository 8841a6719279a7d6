#include "pica/draw/draw.h"

#include <string.h>

_Static_assert((int)SHADER_LANES >= (int)VERTEX_BATCH, "a batch of the core is one of the shader's");

/* ---- Vertices ---- */

static void shade(const struct kernels *k, const struct space *space,
		const struct vertex_part *part, const float (*inline_attributes)[4],
		const uint32_t *number, unsigned n, bool is_first, uint64_t step_budget,
		struct shader_batch *b, struct shader_result *result, uint64_t *outside) {
	if (inline_attributes) {
		memset(b->v, 0, sizeof(b->v));
		for (unsigned lane = 0; lane < n; lane++) {
			fetch_inline(&part->layout, inline_attributes + 16 * (size_t)number[lane],
					lane, b);
		}
	} else {
		if (is_first) {
			fetch_constants(&part->layout, b);
		}
		k->geom.fetch(&part->layout, space, number, n, part->float_mode, b, outside);
	}
	b->o_unread = part->unread_outputs;
	k->shader.run[part->float_mode](
			part->prog, part->entry, part->uniforms, b, n, step_budget, result);
}

void vertex_shade(const struct kernels *k, const struct space *space,
		const struct vertex_part *part, const float (*inline_attributes)[4],
		const uint32_t *number, unsigned n, struct shader_batch *b,
		struct shader_result *result, uint64_t *outside) {
	shade(k, space, part, inline_attributes, number, n, true, part->step_budget, b, result,
			outside);
}

static void shade_batch(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
		unsigned n, bool is_first, uint64_t left, const struct vertex_out *out,
		struct shader_result *result, uint64_t *outside) {
	const struct kernels *k = env->kernels;
	const struct vertex_part *part = d->state.vertex;
	struct shader_batch *b = env->scratch;
	shade(k, env->space, part, (const float (*)[4])d->inline_vertices, number, n, is_first,
			part->step_budget <= left ? part->step_budget : left + 1, b, result,
			outside);
	k->geom.project_batch(d->state.geom, &part->map, b, n, d->state.planes, out->cv, out->vert,
			out->code, out->ok);
}

static void negate_quaternions(const struct clip_vertex *cv, const uint32_t (*corner)[3],
		unsigned n, uint8_t *negated) {
	for (unsigned i = 0; i < n; i++) {
		negated[i] = (uint8_t)quaternion_flips(
				&cv[corner[i][0]], &cv[corner[i][1]], &cv[corner[i][2]]);
	}
}

const struct vertex_stage pica_vertex_stage = {
	.scratch_bytes = sizeof(struct shader_batch),
	.shade_batch = shade_batch,
	.assemble = negate_quaternions,
	.negates = 15u << PLANE_QUAT,
};

/* ---- Fragments ---- */

static void bind(void *scratch, const void *kernels, const struct raster_kernels *rk,
		const struct draw_state *state, const struct target *target,
		struct frag_facts *facts) {
	const struct kernels *k = kernels;
	const struct frag_draw *d = state->frag;
	const struct frag_info *info = frag_plan_info(d->plan);
	frag_bind(scratch, k->frag, &k->tex, rk, d, state->raster, target);
	*facts = (struct frag_facts){ info->early, info->opaque,
		frag_plan_steps(d->plan) + info->early };
}

static void early(void *scratch, struct batch *b, unsigned first, unsigned n) {
	frag_early(scratch, b, first, n);
}

static void shade_fragments(void *scratch, struct batch *b) {
	frag_shade(scratch, b);
}

static uint32_t greatest_density(void *scratch) {
	return frag_gas_max(scratch);
}

const struct frag_stage pica_frag_stage = {
	.scratch_bytes = FRAG_SCRATCH_BYTES,
	.bind = bind,
	.early = early,
	.shade = shade_fragments,
	.finish = greatest_density,
};
