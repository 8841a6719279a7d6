/*
 * Vertices: of GL records by two programs, of NV records from memory. The coordinate program
 * determines binning and clipping of a triangle; the vertex program, which runs only for vertices
 * of binned triangles, determines its position and varyings. [fidelity: vc4-positions]
 */
#include <errno.h>
#include <float.h>
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
	PICA_ALIGNED(64) unsigned char wide_scratch[QPU_WIDE_SCRATCH_BYTES];
	bool is_wide; /* the program is bound to wide_scratch; otherwise it is interpreted */
	bool lacks_rows; /* if wide: it leaves out rows that are used */
	/* Its rows: inputs, NULL where it reads none, and results. */
	uint32_t *wide_in[QPU_VPM_ROWS];
	const uint32_t *wide_out[QPU_VPM_ROWS];
};

static float as_float(uint32_t word) {
	float f;
	memcpy(&f, &word, sizeof(f));
	return f;
}

static bool can_draw(int32_t x_fx, int32_t y_fx) {
	return x_fx >= -POSITION_LIMIT && x_fx < POSITION_LIMIT && y_fx >= -POSITION_LIMIT &&
			y_fx < POSITION_LIMIT;
}

/* The screen position of a record: Ys << 16 | Xs. Returns whether it can be drawn. */
static bool set_position(
		const struct vc4_state *state, uint32_t xy, float z, float w, struct vert *out) {
	out->x_fx = (int16_t)xy + state->viewport_x_fx4;
	out->y_fx = (int16_t)(xy >> 16) + state->viewport_y_fx4;
	out->a[PLANE_IW] = w;
	out->a[PLANE_Z] = z;
	out->a[PLANE_USER] = out->a[PLANE_USER + 1] = 0.0f; /* set up with them */
	return can_draw(out->x_fx, out->y_fx);
}

/*
 * A triangle outside of one plane is dropped. It is clipped only if a corner lies beyond the near
 * or far plane, or where its position cannot be stored. [fidelity: vc4-clipping]
 */
static uint8_t code_of(const struct vc4_state *state, const struct geom_state *g,
		const struct clip_vertex *v) {
	const float *p = v->pos;
	const bool is_inside = p[3] <= FLT_MAX && fabsf(p[0]) <= p[3] && fabsf(p[1]) <= p[3] &&
			fabsf(p[2]) <= p[3];
	unsigned code = is_inside ? 0 : clip_code(g, v); /* which says the same */
	const float most = (float)POSITION_LIMIT * v->pos[3];
	if (!(fabsf(v->pos[0] * state->half_width_fx4) < most &&
			    fabsf(v->pos[1] * state->half_height_fx4) < most)) {
		code |= CODE_CLIPS;
	}
	return (uint8_t)code;
}

/* Size of a point or a line. point: that of a vertex; NULL: the state's. [fidelity: vc4-points] */
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

/* The rows of an array's attribute in the VPM, from `first` to before `end`. */
struct place {
	unsigned first, end;
};

static struct place place_of(const struct invocation *at, unsigned array) {
	const struct vc4_array *a = &at->part->state->shader->array[array];
	const unsigned first = (at->is_coordinate ? a->coordinate_offset : a->vertex_offset) / 4;
	const unsigned end = first + (a->size_bytes + 3u) / 4;
	return (struct place){ first, end < QPU_VPM_ROWS ? end : QPU_VPM_ROWS };
}

/* Number of rows that arrays fill, including gaps. */
static unsigned rows_of(const struct invocation *at) {
	unsigned rows = 0;
	for (unsigned i = 0; i < at->part->state->shader->n_arrays; i++) {
		const struct place p = place_of(at, i);
		rows = at->program->arrays >> i & 1 && p.end > rows ? p.end : rows;
	}
	return rows;
}

/* Rows that the program has to write, as bits. */
static uint64_t rows_used(const struct invocation *at) {
	const struct vc4_shader *sh = at->part->state->shader;
	const unsigned n = sh->has_point_size +
			(at->is_coordinate ? ROW_POINT_SIZE : VERTEX_ROWS + sh->n_varyings);
	return UINT64_MAX >> (QPU_VPM_ROWS - n);
}

/* Numbers of vertices, and the least and the greatest one. */
struct batch_of {
	const uint32_t *number;
	unsigned n;
	uint32_t least, most;
};

static struct batch_of batch_of(const uint32_t *number, unsigned n) {
	struct batch_of b = { number, n, number[0], number[0] };
	for (unsigned i = 1; i < n; i++) {
		b.least = number[i] < b.least ? number[i] : b.least;
		b.most = number[i] > b.most ? number[i] : b.most;
	}
	return b;
}

/*
 * Fetches an array's attribute into lane i of its rows, some of which the program may not use.
 * Returns false if an element is outside memory.
 */
static bool fetch(const struct invocation *at, unsigned array, const struct batch_of *b,
		uint32_t *const row[QPU_VPM_ROWS]) {
	const struct vc4_array *a = &at->part->state->shader->array[array];
	const struct place p = place_of(at, array);
	/* Checked together: memory between the elements may be outside. */
	const uint64_t span = (uint64_t)(b->most - b->least) * a->stride_bytes + a->size_bytes;
	const uint8_t *all = span > VC4_ADDRESS_BITS ? NULL :
			find(at->env->space, a->address, b->least, a->stride_bytes, (uint32_t)span);
	const uint8_t *host[VERTEX_BATCH];
	const size_t ahead = (size_t)4 * b->n * a->stride_bytes; /* batches */
	for (unsigned i = 0; i < b->n; i++) {
		host[i] = all ? all + (size_t)(b->number[i] - b->least) * a->stride_bytes :
				find(at->env->space, a->address, b->number[i], a->stride_bytes,
						a->size_bytes);
		if (!host[i]) {
			return false;
		}
		PICA_PREFETCH(host[i] + ahead);
		PICA_PREFETCH(host[i] + ahead + a->size_bytes - 1);
	}
	for (unsigned r = p.first; r < p.end; r++) {
		const unsigned done = (r - p.first) * 4, left = a->size_bytes - done;
		uint32_t *to = row[r];
		if (!to) {
			continue;
		}
		if (left >= 4) {
			for (unsigned i = 0; i < b->n; i++) {
				memcpy(&to[i], host[i] + done, 4);
			}
			continue;
		}
		for (unsigned i = 0; i < b->n; i++) {
			to[i] = 0;
			memcpy(&to[i], host[i] + done, left);
		}
	}
	return true;
}

static bool fetch_all(const struct invocation *at, const struct batch_of *b,
		uint32_t *const row[QPU_VPM_ROWS]) {
	bool is_there = true;
	for (unsigned i = 0; is_there && i < at->part->state->shader->n_arrays; i++) {
		is_there = !(at->program->arrays >> i & 1) || fetch(at, i, b, row);
	}
	return is_there;
}

/* Up to QPU_LANES vertices. Returns 0 or an error. */
static int interpret(const struct invocation *at, const uint32_t *number, unsigned n,
		struct shader_result *result) {
	struct vertex_memory *m = at->env->scratch;
	const struct vc4_kernels *k = at->env->kernels;
	const struct batch_of b = batch_of(number, n);
	uint32_t *in[QPU_VPM_ROWS];
	memset(m->in, 0, sizeof(m->in));
	for (unsigned row = 0; row < QPU_VPM_ROWS; row++) {
		in[row] = m->in[row];
	}
	if (!fetch_all(at, &b, in)) {
		return -ERANGE;
	}
	struct qpu_run run = { .program = at->code->program,
		.space = at->env->space,
		.uniforms = at->code->uniforms,
		.n_lanes = n,
		.scratch = m->scratch,
		.vpm_in = (const uint32_t(*)[QPU_LANES])m->in,
		.n_in = rows_of(at),
		.vpm_out = m->out };
	const int ret = k->qpu.run(&run);
	result->steps += run.steps;
	result->bad += run.warnings || rows_used(at) & ~run.written ? n : 0;
	for (unsigned row = 0; row < QPU_VPM_ROWS; row++) {
		if (!(run.written >> row & 1)) {
			memset(m->out[row], 0, sizeof(m->out[row]));
		}
	}
	return ret;
}

/* Makes the program ready for batches. */
static void bind(const struct invocation *at) {
	static const PICA_ALIGNED(64) uint32_t zeros[QPU_WIDE_LANES];
	struct vertex_memory *m = at->env->scratch;
	const struct vc4_kernels *k = at->env->kernels;
	const struct qpu_program *p = at->code->program;
	m->is_wide = k->qpu.run_wide &&
			qpu_wide_bind(m->wide_scratch, p, at->env->space, at->code->uniforms, 0,
					rows_of(at));
	m->lacks_rows = false;
	for (unsigned row = 0; m->is_wide && row < QPU_VPM_ROWS; row++) {
		uint32_t *in = qpu_wide_in(m->wide_scratch, p, row);
		const uint32_t *out = qpu_wide_out(m->wide_scratch, p, row);
		if (in) {
			memset(in, 0, QPU_WIDE_LANES * sizeof(*in));
		}
		m->wide_in[row] = in;
		m->wide_out[row] = out ? out : zeros;
		m->lacks_rows |= !out && rows_used(at) >> row & 1;
	}
}

/* Runs a whole batch. Returns false if it must be interpreted. */
static bool run_wide(const struct invocation *at, const uint32_t *number, unsigned n,
		struct shader_result *result) {
	struct vertex_memory *m = at->env->scratch;
	const struct vc4_kernels *k = at->env->kernels;
	const struct qpu_program *p = at->code->program;
	const struct batch_of b = batch_of(number, n);
	struct qpu_wide_run run = { .program = p,
		.space = at->env->space,
		.scratch = m->wide_scratch,
		.n_lanes = n };
	if (!fetch_all(at, &b, m->wide_in) || !k->qpu.run_wide(&run)) {
		return false;
	}
	result->steps += (uint64_t)((n + QPU_LANES - 1) / QPU_LANES) * qpu_wide_steps(p);
	result->bad += m->lacks_rows ? n : 0;
	return true;
}

/* Takes the results of n vertices of a batch, from lane 0 on. */
typedef void take_fn(const uint32_t *const row[QPU_VPM_ROWS], const struct draw *d, unsigned n,
		const void *out, unsigned first);

/* Runs a program for a batch; take() fills `out` from element `first` on. Returns 0 or an error. */
static int invoke(const struct invocation *at, const struct draw *d, const uint32_t *number,
		unsigned n, bool is_first, take_fn *take, const void *out,
		struct shader_result *result) {
	const struct vertex_memory *m = at->env->scratch;
	if (is_first) {
		bind(at);
	}
	if (m->is_wide && run_wide(at, number, n, result)) {
		take(m->wide_out, d, n, out, 0);
		return 0;
	}
	const uint32_t *row[QPU_VPM_ROWS];
	for (unsigned i = 0; i < QPU_VPM_ROWS; i++) {
		row[i] = m->out[i];
	}
	for (unsigned i = 0; i < n; i += QPU_LANES) {
		const unsigned lanes = n - i < QPU_LANES ? n - i : QPU_LANES;
		const int ret = interpret(at, number + i, lanes, result);
		if (ret < 0) {
			return ret;
		}
		take(row, d, lanes, out, i);
	}
	return 0;
}

/* Of the coordinate program. */
static void take_positions(const uint32_t *const row[QPU_VPM_ROWS], const struct draw *d,
		unsigned n, const void *vertex_out, unsigned first) {
	const struct vc4_vertex_part *part = d->state.vertex;
	const struct vc4_state *state = part->state;
	const struct vc4_shader *sh = state->shader;
	const struct vertex_out *out = vertex_out;
	for (unsigned i = 0; i < n; i++) {
		struct clip_vertex *cv = &out->cv[first + i];
		for (unsigned k = 0; k < 4; k++) {
			cv->pos[k] = as_float(row[ROW_CLIP + k][i]);
		}
		cv->a[0] = size_of(part, sh->has_point_size ? &row[ROW_POINT_SIZE][i] : NULL);
		out->code[first + i] = sh->clips ? code_of(state, d->state.geom, cv) : 0;
		out->ok[first + i] = set_position(state, row[ROW_XY][i], as_float(row[ROW_Z][i]),
				as_float(row[ROW_W][i]), &out->vert[first + i]);
	}
}

/* Of the vertex program. */
static void take_varyings(const uint32_t *const row[QPU_VPM_ROWS], const struct draw *d,
		unsigned n, const void *completed_out, unsigned first) {
	const struct vc4_vertex_part *part = d->state.vertex;
	const struct vc4_shader *sh = part->state->shader;
	const struct completed_out *out = completed_out;
	for (unsigned i = 0; i < n; i++) {
		set_position(part->state, row[VERTEX_XY][i], as_float(row[VERTEX_Z][i]),
				as_float(row[VERTEX_W][i]), out->vert[first + i]);
	}
	const unsigned from = VERTEX_ROWS + sh->has_point_size;
	float *extra = out->extra + (size_t)first * sh->n_varyings;
	for (unsigned k = 0; k < sh->n_varyings; k++) {
		for (unsigned i = 0; i < n; i++) {
			memcpy(&extra[i * sh->n_varyings + k], &row[from + k][i], sizeof(float));
		}
	}
}

static struct invocation coordinate_of(const struct vertex_env *env, const struct draw *d) {
	const struct vc4_vertex_part *part = d->state.vertex;
	return (struct invocation){ env, part, &part->coordinate, &part->state->shader->coordinate,
		true };
}

static struct invocation vertex_of(const struct vertex_env *env, const struct draw *d) {
	const struct vc4_vertex_part *part = d->state.vertex;
	return (struct invocation){ env, part, &part->vertex, &part->state->shader->vertex, false };
}

/* ---- Positions alone ---- */

static unsigned begin_positions(const struct vertex_env *env, const struct draw *d, uint32_t first,
		uint32_t last) {
	const struct vc4_vertex_part *part = d->state.vertex;
	const struct vertex_memory *m = env->scratch;
	if (part->state->shader->is_nv) {
		return 0;
	}
	const struct invocation at = coordinate_of(env, d);
	bind(&at);
	return m->is_wide ? qpu_wide_steps(part->coordinate.program) : 0;
}

/*
 * Places n vertices. Returns whether all of them are inside of all planes and can be drawn; if not,
 * some are placed wrongly. A loop that compilers vectorize.
 */
static bool place_inside(const struct vc4_state *state, const uint32_t *const row[QPU_VPM_ROWS],
		unsigned n, const struct position_out *out) {
	float *restrict x_out = out->x, *restrict y_out = out->y;
	const float limit = (float)POSITION_LIMIT;
	const float half_width = state->half_width_fx4, half_height = state->half_height_fx4;
	const int32_t left = state->viewport_x_fx4, top = state->viewport_y_fx4;
	const int clips = state->shader->clips;
	int is_good = 1;
	for (unsigned i = 0; i < n; i++) {
		const float x = fabsf(as_float(row[ROW_CLIP][i]));
		const float y = fabsf(as_float(row[ROW_CLIP + 1][i]));
		const float z = fabsf(as_float(row[ROW_CLIP + 2][i]));
		const float w = as_float(row[ROW_CLIP + 3][i]), most = limit * w;
		const int is_inside = (w <= FLT_MAX) & (x <= w) & (y <= w) & (z <= w) &
				(x * fabsf(half_width) < most) & (y * fabsf(half_height) < most);
		const uint32_t xy = row[ROW_XY][i];
		const int32_t x_fx4 = (int16_t)xy + left, y_fx4 = (int16_t)(xy >> 16) + top;
		const uint32_t beyond = (uint32_t)(x_fx4 + POSITION_LIMIT) |
				(uint32_t)(y_fx4 + POSITION_LIMIT);
		x_out[i] = (float)x_fx4;
		y_out[i] = (float)y_fx4;
		is_good &= (is_inside | !clips) & (beyond < 2 * POSITION_LIMIT);
	}
	return is_good;
}

static void shade_positions(const struct vertex_env *env, const struct draw *d,
		const uint32_t *number, unsigned n, const struct position_out *out) {
	const struct vc4_vertex_part *part = d->state.vertex;
	const struct vc4_state *state = part->state;
	const struct vertex_memory *m = env->scratch;
	const uint32_t *const *row = m->wide_out;
	const struct invocation at = coordinate_of(env, d);
	struct shader_result result = { 0 };
	if (!run_wide(&at, number, n, &result)) {
		for (unsigned i = 0; i < n; i++) {
			out->x[i] = out->y[i] = 0.0f;
			out->code[i] = POSITION_BAD; /* shade_batch() will report the error */
		}
		return;
	}
	if (place_inside(state, row, n, out)) {
		memset(out->code, 0, n * sizeof(*out->code));
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		struct clip_vertex cv;
		unsigned code = 0;
		for (unsigned k = 0; k < 4; k++) {
			cv.pos[k] = as_float(row[ROW_CLIP + k][i]);
		}
		if (state->shader->clips) {
			code = code_of(state, d->state.geom, &cv);
		}
		const uint32_t xy = row[ROW_XY][i];
		const int32_t x = (int16_t)xy + state->viewport_x_fx4;
		const int32_t y = (int16_t)(xy >> 16) + state->viewport_y_fx4;
		const bool is_bad = code & CODE_CLIPS || !can_draw(x, y);
		out->x[i] = (float)x;
		out->y[i] = (float)y;
		out->code[i] = (int32_t)((code & CODE_PLANES) | (is_bad ? POSITION_BAD : 0));
	}
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
	const struct invocation at = coordinate_of(env, d);
	const int ret = part->state->shader->is_nv ? shade_nv(env, d, number, n, out) :
						     invoke(&at, d, number, n, start == BATCH_FIRST,
								     take_positions, out, result);
	if (ret < 0) {
		/* The whole batch draws nothing, and the job fails. */
		vc4_report_error(part->report, part->record, ret);
		memset(out->cv, 0, n * sizeof(*out->cv));
		memset(out->code, 0xFF, n);
		memset(out->ok, 0, n);
	}
	return true;
}

static bool complete(const struct vertex_env *env, const struct draw *d, const uint32_t *number,
		unsigned n, enum batch_start start, uint64_t left, const struct completed_out *out,
		struct shader_result *result, uint64_t *outside, struct slice *slice) {
	const struct vc4_vertex_part *part = d->state.vertex;
	const struct invocation at = vertex_of(env, d);
	const int ret = part->state->shader->is_nv ?
			complete_nv(env, d, number, n, out) :
			invoke(&at, d, number, n, start == BATCH_FIRST, take_varyings, out, result);
	if (ret < 0) {
		vc4_report_error(part->report, part->record, ret);
		memset(out->extra, 0, n * d->state.n_extra * sizeof(float));
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
	.invocation = QPU_LANES,
	.shade_batch = shade_batch,
	.begin_positions = begin_positions,
	.shade_positions = shade_positions,
	.project = project_corner,
	.complete = complete,
};
