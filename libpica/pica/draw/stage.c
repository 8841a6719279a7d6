#include "pica/draw/draw.h"

#include <string.h>

_Static_assert((int)SHADER_LANES >= (int)VERTEX_BATCH, "a batch of the core is one of the shader's");

/* ---- Vertices ---- */

static void fetch(const struct kernels *k, const struct space *space,
		const struct vertex_part *part, const float (*inline_attributes)[4],
		const uint32_t *number, unsigned n, bool is_first, struct shader_batch *b,
		uint64_t *outside) {
	if (inline_attributes) {
		memset(b->v, 0, sizeof(b->v));
		b->tame = 0;
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
	b->is_paused = false;
}

static bool run(const struct kernels *k, const struct vertex_part *part, uint64_t budget,
		struct shader_batch *b, unsigned n, struct shader_result *result,
		struct slice *slice) {
	return k->shader.run[part->float_mode](part->prog, part->entry, part->uniforms, b, n,
			budget, result, slice);
}

bool vertex_shade(const struct kernels *k, const struct space *space,
		const struct vertex_part *part, const float (*inline_attributes)[4],
		const uint32_t *number, unsigned n, struct shader_batch *b,
		struct shader_result *result, uint64_t *outside, struct slice *slice) {
	fetch(k, space, part, inline_attributes, number, n, true, b, outside);
	return run(k, part, part->step_budget, b, n, result, slice);
}

bool vertex_go_on(const struct kernels *k, const struct vertex_part *part, unsigned n,
		struct shader_batch *b, struct shader_result *result, struct slice *slice) {
	return run(k, part, part->step_budget, b, n, result, slice);
}

static bool shade_batch(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
		unsigned n, enum batch_start start, uint64_t left, const struct vertex_out *out,
		struct shader_result *result, uint64_t *outside, struct slice *slice) {
	const struct kernels *k = env->kernels;
	const struct vertex_part *part = d->state.vertex;
	struct shader_batch *b = env->scratch;
	if (start != BATCH_GOES_ON) {
		fetch(k, env->space, part, (const float (*)[4])d->inline_vertices, number, n,
				start == BATCH_FIRST, b, outside);
	}
	if (!run(k, part, part->step_budget <= left ? part->step_budget : left + 1, b, n, result,
			    slice)) {
		return false;
	}
	k->geom.project_batch(d->state.geom, &part->map, b, n, d->state.planes, out->cv, out->vert,
			out->code, out->ok);
	return true;
}

/* A worker's memory: the batch, then data for positions. */
struct vertex_memory {
	struct shader_batch batch;
	struct fetch_layout layout;
	PICA_ALIGNED(64) unsigned char slice[SHADER_SLICE_BYTES];
};

static unsigned begin_positions(const struct vertex_env *env, const struct draw *d, uint32_t first,
		uint32_t last) {
	const struct kernels *k = env->kernels;
	const struct vertex_part *part = d->state.vertex;
	struct vertex_memory *v = env->scratch;
	if (!k->shader.slice || d->inline_vertices) {
		return 0;
	}
	uint8_t needs[16] = { 0 };
	for (unsigned i = 0; i < 4; i++) {
		const uint8_t from = part->map.from[i];
		if (from < OUT_MAP_ZERO) {
			needs[part->map.reg[from >> 2]] |= (uint8_t)(1u << (from & 3));
		}
	}
	unsigned inputs;
	const unsigned steps = k->shader.slice((struct shader_slice *)v->slice, part->prog,
			part->entry, part->uniforms, &v->batch, needs, part->float_mode, &inputs);
	v->layout = part->layout;
	if (steps > part->step_budget ||
			!fetch_leave_out(&v->layout, env->space, inputs, first, last)) {
		return 0;
	}
	fetch_constants(&v->layout, &v->batch);
	return steps;
}

static void shade_positions(const struct vertex_env *env, const struct draw *d,
		const uint32_t *number, unsigned n, const struct position_out *out) {
	const struct kernels *k = env->kernels;
	const struct vertex_part *part = d->state.vertex;
	struct vertex_memory *v = env->scratch;
	uint64_t outside = 0;
	k->geom.fetch(&v->layout, env->space, number, n, part->float_mode, &v->batch, &outside);
	k->shader.run_slice((struct shader_slice *)v->slice, n);
	k->geom.project_positions(d->state.geom, &part->map, &v->batch, n, out);
}

static void expect_positions(const struct vertex_env *env, uint32_t first, uint32_t last) {
	const struct vertex_memory *v = env->scratch;
	fetch_expect(&v->layout, env->space, first, last);
}

void negate_quaternions(const struct clip_vertex *cv, const uint32_t (*corner)[3], unsigned n,
		uint8_t *negated) {
	for (unsigned i = 0; i < n; i++) {
		negated[i] = (uint8_t)quaternion_flips(
				&cv[corner[i][0]], &cv[corner[i][1]], &cv[corner[i][2]]);
	}
}

const struct vertex_stage pica_vertex_stage = {
	.scratch_bytes = sizeof(struct vertex_memory),
	.shade_batch = shade_batch,
	.begin_positions = begin_positions,
	.shade_positions = shade_positions,
	.expect_positions = expect_positions,
	.assemble = negate_quaternions,
	.negates = 15u << PLANE_QUAT,
};

/* ---- Fragments ---- */

/* Decodes the draw's textures. */
static bool prepare(const void *kernels, const struct draw_state *state, struct slice *slice) {
	const struct tex_kernels *k = &((const struct kernels *)kernels)->tex;
	const struct frag_draw *d = state->frag;
	for (unsigned i = 0; i < TEX_UNITS; i++) {
		if (!tex_prepare(k, &d->tex[i], d->image[i], slice)) {
			return false;
		}
	}
	for (unsigned i = 0; d->cube && i < TEX_FACES; i++) {
		if (!tex_prepare(k, &d->tex[0], d->cube->image[i], slice)) {
			return false;
		}
	}
	return true;
}

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

static uint64_t shade_block(void *scratch, struct batch *b, const struct raster_block *at) {
	return frag_shade_block(scratch, b, at);
}

static uint32_t greatest_density(void *scratch) {
	return frag_gas_max(scratch);
}

const struct frag_stage pica_frag_stage = {
	.scratch_bytes = FRAG_SCRATCH_BYTES,
	.prepare = prepare,
	.bind = bind,
	.early = early,
	.shade = shade_fragments,
	.shade_block = shade_block,
	.finish = greatest_density,
};
