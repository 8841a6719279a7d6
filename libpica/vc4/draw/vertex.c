/*
 * Vertices: of GL records by two programs, of NV records as they lie in memory. The coordinate
 * program says where a triangle is binned and clipped; the vertex program, which runs for vertices
 * of binned triangles alone, where it is drawn, and what varies over it. [fidelity: vc4-positions]
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "vc4/draw/draw.h"

enum {
	POSITION_LIMIT = 1 << 15,
	/* Rows that the coordinate program writes. */
	ROW_CLIP = 0,
	ROW_XY = 4,
	ROW_Z,
	ROW_W,
	ROW_POINT_SIZE,
	/* Rows that the vertex program writes. */
	VERTEX_XY = 0,
	VERTEX_Z,
	VERTEX_W,
	VERTEX_ROWS,
	NV_CLIP_BYTES = 16,
	NV_BYTES = 12,
};

#define VC4_RULE(samples, ...)                                                                     \
	{                                                                                          \
		.subpixel_bits = 4, .n_samples = (samples), .tie_x = -1, .tie_y = -1,              \
		.sample = { __VA_ARGS__ }, .n_clip_planes = 6, .clip_plane = {                     \
			{ CLIP_W_MINUS, 0, 0.0f },                                                 \
			{ CLIP_W_PLUS, 0, 0.0f },                                                  \
			{ CLIP_W_MINUS, 1, 0.0f },                                                 \
			{ CLIP_W_PLUS, 1, 0.0f },                                                  \
			{ CLIP_W_MINUS, 2, 0.0f },                                                 \
			{ CLIP_W_PLUS, 2, 0.0f }                                                   \
		}
/* [fidelity: vc4-coverage, vc4-ties] */
const struct raster_rule vc4_rule[2] = { VC4_RULE(1, { 8, 8 }), .first = { 8, 8 },
	.last = { 8, 8 } },
			 VC4_RULE(4, { 10, 2 }, { 2, 6 }, { 14, 10 }, { 6, 14 }), .first = { 2, 2 },
			 .last = { 14, 14 }
}
,
}
;

struct vertex_memory {
	PICA_ALIGNED(64) uint32_t in[QPU_VPM_ROWS][QPU_LANES];
	PICA_ALIGNED(64) uint32_t out[QPU_VPM_ROWS][QPU_LANES];
	PICA_ALIGNED(64) unsigned char scratch[QPU_SCRATCH_BYTES];
};

static float as_float(uint32_t word) {
	float f;
	memcpy(&f, &word, sizeof(f));
	return f;
}

/* The screen position of a record: Ys << 16 | Xs. Returns whether it can be drawn. */
static bool set_position(
		const struct vc4_state *state, uint32_t xy, float z, float w, struct vert *out) {
	out->x_fx = (int16_t)xy + state->viewport_x_fx4;
	out->y_fx = (int16_t)(xy >> 16) + state->viewport_y_fx4;
	out->a[PLANE_IW] = w;
	out->a[PLANE_Z] = z;
	out->a[PLANE_USER] = out->a[PLANE_USER + 1] = 0.0f; /* set up with them */
	return out->x_fx >= -POSITION_LIMIT && out->x_fx < POSITION_LIMIT &&
			out->y_fx >= -POSITION_LIMIT && out->y_fx < POSITION_LIMIT;
}

/*
 * A triangle outside of one plane is dropped. It is clipped only if a corner lies beyond the near
 * or far plane, or where its position cannot be stored. [fidelity: vc4-clipping]
 */
static uint8_t code_of(const struct vc4_state *state, const struct geom_state *g,
		const struct clip_vertex *v) {
	unsigned code = clip_code(g, v);
	const float most = (float)POSITION_LIMIT * v->pos[3];
	if (!(fabsf(v->pos[0] * state->half_width_fx4) < most &&
			    fabsf(v->pos[1] * state->half_height_fx4) < most)) {
		code |= CODE_CLIPS;
	}
	return (uint8_t)code;
}

/* Of a point or a line. point: that of a vertex; NULL: the state's. [fidelity: vc4-points] */
static float size_of(const struct vc4_vertex_part *part, const uint32_t *point) {
	return part->mode != VC4_MODE_POINTS ? part->state->line_width :
			point                ? as_float(*point) :
					       part->state->point_size;
}

/* Returns the host address of element i, or NULL outside memory. */
static const uint8_t *find(const struct space *space, uint32_t base, uint32_t i,
		uint32_t stride_bytes, uint32_t size_bytes) {
	const uint64_t at = base + (uint64_t)i * stride_bytes;
	return at > VC4_ADDRESS_BITS ? NULL : space_host(space, (uint32_t)at, size_bytes);
}

/* ---- GL ---- */

struct invocation {
	const struct vertex_env *env;
	const struct vc4_vertex_part *part;
	const struct vc4_code *code;
	const struct vc4_program *program;
	bool is_coordinate;
};

/*
 * Attributes of n vertices, one lane each, into the rows that their arrays name. Returns the number
 * of rows, or -ERANGE.
 */
static int fetch(const struct invocation *at, const uint32_t *number, unsigned n) {
	const struct vc4_shader *sh = at->part->state->shader;
	struct vertex_memory *m = at->env->scratch;
	unsigned rows = 0;
	memset(m->in, 0, sizeof(m->in));
	for (unsigned i = 0; i < sh->n_arrays; i++) {
		const struct vc4_array *a = &sh->array[i];
		if (!(at->program->arrays >> i & 1)) {
			continue;
		}
		const unsigned first =
				(at->is_coordinate ? a->coordinate_offset : a->vertex_offset) / 4;
		const unsigned words = (a->size_bytes + 3u) / 4;
		const unsigned end = first + words < QPU_VPM_ROWS ? first + words : QPU_VPM_ROWS;
		rows = end > rows ? end : rows;
		for (unsigned lane = 0; lane < n; lane++) {
			const uint8_t *host = find(at->env->space, a->address, number[lane],
					a->stride_bytes, a->size_bytes);
			if (!host) {
				return -ERANGE;
			}
			for (unsigned row = first; row < end; row++) {
				const unsigned done = (row - first) * 4,
					       left = a->size_bytes - done;
				uint32_t word = 0;
				memcpy(&word, host + done, left < 4 ? left : 4);
				m->in[row][lane] = word;
			}
		}
	}
	return (int)rows;
}

/* Runs a program for n vertices; rows that it leaves out are 0. Returns 0 or an error. */
static int invoke(const struct invocation *at, const uint32_t *number, unsigned n,
		struct shader_result *result) {
	struct vertex_memory *m = at->env->scratch;
	const struct vc4_kernels *k = at->env->kernels;
	const int rows = fetch(at, number, n);
	if (rows < 0) {
		return rows;
	}
	struct qpu_run run = { .program = at->code->program,
		.space = at->env->space,
		.uniforms = at->code->uniforms,
		.n_lanes = n,
		.scratch = m->scratch,
		.vpm_in = (const uint32_t(*)[QPU_LANES])m->in,
		.n_in = (unsigned)rows,
		.vpm_out = m->out };
	const int ret = k->qpu.run(&run);
	result->steps += run.steps;
	for (unsigned row = 0; row < QPU_VPM_ROWS; row++) {
		if (!(run.written >> row & 1)) {
			memset(m->out[row], 0, sizeof(m->out[row]));
		}
	}
	return ret;
}

static int shade_gl(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
		unsigned n, const struct vertex_out *out, struct shader_result *result) {
	const struct vc4_vertex_part *part = d->state.vertex;
	const struct vc4_state *state = part->state;
	const struct vc4_shader *sh = state->shader;
	const uint32_t(*row)[QPU_LANES] =
			(const uint32_t(*)[QPU_LANES])((struct vertex_memory *)env->scratch)->out;
	const struct invocation at = { env, part, &part->coordinate, &sh->coordinate, true };
	const int ret = invoke(&at, number, n, result);
	for (unsigned i = 0; i < n && ret == 0; i++) {
		for (unsigned k = 0; k < 4; k++) {
			out->cv[i].pos[k] = as_float(row[ROW_CLIP + k][i]);
		}
		const uint32_t *point = &row[ROW_POINT_SIZE][i];
		out->cv[i].a[0] = size_of(part, sh->has_point_size ? point : NULL);
		out->code[i] = sh->clips ? code_of(state, d->state.geom, &out->cv[i]) : 0;
		out->ok[i] = set_position(state, row[ROW_XY][i], as_float(row[ROW_Z][i]),
				as_float(row[ROW_W][i]), &out->vert[i]);
	}
	return ret;
}

static int complete_gl(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
		unsigned n, const struct completed_out *out, struct shader_result *result) {
	const struct vc4_vertex_part *part = d->state.vertex;
	const struct vc4_shader *sh = part->state->shader;
	const uint32_t(*row)[QPU_LANES] =
			(const uint32_t(*)[QPU_LANES])((struct vertex_memory *)env->scratch)->out;
	const struct invocation at = { env, part, &part->vertex, &sh->vertex, false };
	const int ret = invoke(&at, number, n, result);
	const unsigned first = VERTEX_ROWS + sh->has_point_size;
	for (unsigned i = 0; i < n && ret == 0; i++) {
		set_position(part->state, row[VERTEX_XY][i], as_float(row[VERTEX_Z][i]),
				as_float(row[VERTEX_W][i]), out->vert[i]);
		for (unsigned k = 0; k < sh->n_varyings; k++) {
			out->extra[i * sh->n_varyings + k] = as_float(row[first + k][i]);
		}
	}
	return ret;
}

/* ---- NV ---- */

static int shade_nv(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
		unsigned n, const struct vertex_out *out) {
	const struct vc4_vertex_part *part = d->state.vertex;
	const struct vc4_state *state = part->state;
	const struct vc4_shader *sh = state->shader;
	const unsigned clip_bytes = sh->has_clip_header ? NV_CLIP_BYTES : 0;
	const unsigned first = clip_bytes + NV_BYTES + (sh->has_point_size ? 4 : 0);
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *host = find(env->space, sh->vertices, number[i], sh->stride_bytes,
				first + 4u * sh->n_varyings);
		if (!host) {
			return -ERANGE;
		}
		uint32_t word[3];
		memcpy(word, host + clip_bytes, sizeof(word));
		out->ok[i] = set_position(state, word[0], as_float(word[1]), as_float(word[2]),
				&out->vert[i]);
		uint32_t size = 0;
		memcpy(&size, host + clip_bytes + NV_BYTES, sh->has_point_size ? 4 : 0);
		out->cv[i].a[0] = size_of(part, sh->has_point_size ? &size : NULL);
		memcpy(out->cv[i].pos, host, clip_bytes);
		out->code[i] = sh->clips && clip_bytes ?
				code_of(state, d->state.geom, &out->cv[i]) :
				0;
	}
	return 0;
}

static int complete_nv(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
		unsigned n, const struct completed_out *out) {
	const struct vc4_vertex_part *part = d->state.vertex;
	const struct vc4_shader *sh = part->state->shader;
	const unsigned first = (sh->has_clip_header ? NV_CLIP_BYTES : 0) + NV_BYTES +
			(sh->has_point_size ? 4 : 0);
	const unsigned bytes = 4u * sh->n_varyings;
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *host = find(env->space, sh->vertices, number[i], sh->stride_bytes,
				first + bytes);
		if (!host) {
			return -ERANGE;
		}
		memcpy(out->extra + i * sh->n_varyings, host + first, bytes);
	}
	return 0;
}

/* ---- Batches ---- */

static bool shade_batch(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
		unsigned n, enum batch_start start, uint64_t left, const struct vertex_out *out,
		struct shader_result *result, uint64_t *outside, struct slice *slice) {
	const struct vc4_vertex_part *part = d->state.vertex;
	for (unsigned at = 0; at < n; at += QPU_LANES) {
		const unsigned lanes = n - at < QPU_LANES ? n - at : QPU_LANES;
		const struct vertex_out lane_out = { out->cv + at, out->vert + at, out->code + at,
			out->ok + at };
		const int ret = part->state->shader->is_nv ?
				shade_nv(env, d, number + at, lanes, &lane_out) :
				shade_gl(env, d, number + at, lanes, &lane_out, result);
		if (ret < 0) {
			/* The whole batch draws nothing, and the job fails. */
			vc4_report_error(part->report, part->record, ret);
			memset(out->cv, 0, n * sizeof(*out->cv));
			memset(out->code, 0xFF, n);
			memset(out->ok, 0, n);
			return true;
		}
	}
	return true;
}

static bool complete(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
		unsigned n, enum batch_start start, uint64_t left, const struct completed_out *out,
		struct shader_result *result, uint64_t *outside, struct slice *slice) {
	const struct vc4_vertex_part *part = d->state.vertex;
	for (unsigned at = 0; at < n; at += QPU_LANES) {
		const unsigned lanes = n - at < QPU_LANES ? n - at : QPU_LANES;
		const struct completed_out lane_out = { out->vert + at,
			out->extra + at * d->state.n_extra };
		const int ret = part->state->shader->is_nv ?
				complete_nv(env, d, number + at, lanes, &lane_out) :
				complete_gl(env, d, number + at, lanes, &lane_out, result);
		if (ret < 0) {
			vc4_report_error(part->report, part->record, ret);
			memset(lane_out.extra, 0, lanes * d->state.n_extra * sizeof(float));
		}
	}
	return true;
}

/* Corners of clipped triangles. [fidelity: vc4-clipping] */
static bool project_corner(const struct draw *d, const struct clip_vertex *v, struct vert *out) {
	const struct vc4_vertex_part *part = d->state.vertex;
	const struct vc4_state *state = part->state;
	const float w = 1.0f / v->pos[3];
	const float x = truncf(v->pos[0] * state->half_width_fx4 * w) +
			(float)state->viewport_x_fx4;
	const float y = truncf(v->pos[1] * state->half_height_fx4 * w) +
			(float)state->viewport_y_fx4;
	const float most = (float)POSITION_LIMIT;
	if (!(v->pos[3] > 0.0f && fabsf(x) < most && fabsf(y) < most)) {
		memset(out, 0, sizeof(*out));
		return false;
	}
	out->x_fx = (int32_t)x;
	out->y_fx = (int32_t)y;
	out->a[PLANE_IW] = w;
	out->a[PLANE_Z] = v->pos[2] * state->z_scale * w + state->z_offset;
	out->a[PLANE_USER] = out->a[PLANE_USER + 1] = 0.0f;
	return true;
}

const struct vertex_stage vc4_vertex_stage = {
	.scratch_bytes = sizeof(struct vertex_memory),
	.shade_batch = shade_batch,
	.project = project_corner,
	.complete = complete,
};
