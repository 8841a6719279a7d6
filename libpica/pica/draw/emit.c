/* The vertex stage of draws whose vertices a geometry program emits: 32 invocations at a time. */
#include "pica/draw/draw.h"

#include <string.h>

enum {
	RUN_TICKS = 500, /* a batch of one vertex of each primitive, in ns, beside its steps */
	STEP_TICKS = 30, /* an instruction of a batch */
};

/* A worker's memory. */
struct emit_memory {
	/* Of vertices, of primitives, of emitted vertices: of these only the outputs. */
	struct shader_batch vertices, primitives, emitted;
	uint32_t first, n; /* primitives whose emitted vertices are here: */
	PICA_ALIGNED(64) float rows[EMIT_ROWS][4][SHADER_LANES];
};

static void shade_vertices(const struct vertex_env *env, const struct emit_part *e, unsigned which,
		struct emit_memory *m) {
	const struct kernels *k = env->kernels;
	const struct vertex_part *part = e->vertex;
	struct shader_batch *b = &m->vertices;
	uint32_t number[SHADER_LANES];
	for (uint32_t i = 0; i < m->n; i++) {
		const uint32_t at = (m->first + i) * e->n_vertices + which;
		number[i] = e->index ? e->index[at] : e->first + at;
	}
	uint64_t outside = 0;
	struct shader_result result = { 0 };
	k->geom.fetch(&part->layout, env->space, number, m->n, part->float_mode, b, &outside);
	b->o_unread = part->unread_outputs;
	k->shader.run[part->float_mode](part->prog, part->entry, part->uniforms, b, m->n,
			part->step_budget, &result, NULL);
	for (unsigned i = 0; i < e->n_inputs; i++) {
		const struct emit_input *in = &e->input[i];
		float(*to)[SHADER_LANES] = m->primitives.v[in->to];
		if (in->vertex == which && in->from != NO_OUTPUT) {
			memcpy(to, b->o[in->from], sizeof(b->o[0]));
		} else if (in->vertex == which) {
			memset(to, 0, sizeof(b->o[0]));
		}
	}
}

/* Runs invocations from primitive `first` on. */
static void run_primitives(const struct vertex_env *env, const struct emit_part *e, uint32_t first,
		struct emit_memory *m, struct slice *slice) {
	const struct kernels *k = env->kernels;
	const uint32_t left = e->n_primitives - first;
	m->first = first;
	m->n = left < SHADER_LANES ? left : SHADER_LANES;
	for (unsigned i = 0; i < e->n_vertices; i++) {
		shade_vertices(env, e, i, m);
	}
	k->shader.run_straight(e->program, e->uniforms, &m->primitives, m->n,
			e->vertex->float_mode, e->map.reg, e->map.n_registers, m->rows);
	slice->ticks += (uint64_t)e->n_vertices * RUN_TICKS + (uint64_t)e->steps * STEP_TICKS;
}

static bool shade_batch(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
		unsigned n, enum batch_start start, uint64_t left, const struct vertex_out *out,
		struct shader_result *result, uint64_t *outside, struct slice *slice) {
	const struct kernels *k = env->kernels;
	const struct emit_part *e = d->state.vertex;
	struct emit_memory *m = env->scratch;
	const unsigned n_emits = e->program->n_emits, n_regs = e->map.n_registers;
	if (start == BATCH_FIRST) {
		fetch_constants(&e->vertex->layout, &m->vertices);
		m->vertices.is_paused = false;
		m->primitives.tame = 0;
		m->n = 0;
	}
	for (unsigned lane = 0; lane < n; lane++) {
		const uint32_t primitive = number[lane] / n_emits;
		if (primitive - m->first >= m->n) {
			run_primitives(env, e, primitive, m, slice);
		}
		float(*row)[4][SHADER_LANES] = &m->rows[number[lane] % n_emits * n_regs];
		for (unsigned i = 0; i < n_regs; i++) {
			float(*to)[SHADER_LANES] = m->emitted.o[e->map.reg[i]];
			for (unsigned c = 0; c < 4; c++) {
				to[c][lane] = row[i][c][primitive - m->first];
			}
		}
	}
	k->geom.project_batch(d->state.geom, &e->map, &m->emitted, n, d->state.planes, out->cv,
			out->vert, out->code, out->ok);
	return true;
}

const struct vertex_stage pica_emit_stage = {
	.scratch_bytes = sizeof(struct emit_memory),
	.is_counted = true,
	.shade_batch = shade_batch,
	.assemble = negate_quaternions,
	.negates = 15u << PLANE_QUAT,
};
