/*
 * The steps after the shader in vectors: output map, clip code and viewport of VF_LANES vertices.
 */
#include "core/vec/vec.h"
#include "pica/geom/geom.h"
#include "pica/geom/tables.h"

enum {
	/* words of a clip vertex; of a vert as well: x, y, 1/w, z/w */
	N_WORDS = 4 + CLIP_ATTRIBUTES,
	COLOR_WORD = 4,
};

_Static_assert(sizeof(struct clip_vertex) == N_WORDS * sizeof(float) &&
		sizeof(struct vert) == N_WORDS * sizeof(float) &&
		offsetof(struct vert, a) == 2 * sizeof(int32_t) && PLANE_COLOR == 2,
		"attribute i is word 4 + i of both records");

/* Everything about a call that is the same for all its lanes. */
struct job {
	const float *from[N_WORDS]; /* lane 0 of the output component of each word, or constants */
	uint32_t words;             /* those that the caller wants */
	bool flat;
	struct clip_vertex *cv;
	struct vert *out;
};

/* Words w..w+3 of the records of lanes lane..lane+n-1. */
static inline void store_words(void *records, unsigned lane, unsigned w, const vf word[4],
		unsigned n) {
	enum { RECORD_BYTES = N_WORDS * sizeof(float) };
	uint8_t *p = (uint8_t *)records + (size_t)lane * RECORD_BYTES + w * sizeof(float);
	vf_store_rows4(p, RECORD_BYTES, word, n);
}

/* Attributes in words w..w+3, w >= 4, of both records, if one of them is wanted. */
static inline void attribute_group(const struct job *job, unsigned w, unsigned lane, unsigned n,
		vf iw) {
	if (!(job->words >> w & 0xF)) {
		return;
	}
	vf a[4];
	for (unsigned i = 0; i < 4; i++) {
		a[i] = vf_load(job->from[w + i] + lane);
		if (w == COLOR_WORD) {
			a[i] = vf_min(vf_abs(a[i]), vf_set1(1.0f));
		}
	}
	store_words(job->cv, lane, w, a, n);
	for (unsigned i = 0; i < 4 && !(w == COLOR_WORD && job->flat); i++) {
		a[i] = vf_mul(a[i], iw);
	}
	store_words(job->out, lane, w, a, n);
}

static inline vi outside_bit(vf d, vf limit, unsigned plane) {
	return vi_andnot(vf_ge(d, limit), vi_set1(1 << plane));
}

static inline vi codes_of(const struct geom_state *g, vf x, vf y, vf z, vf w) {
	const vf zero = vf_zero(), epsilon = vf_set1(-1e-8f);
	vi code = outside_bit(vf_sub(w, x), zero, 0);
	code = vi_or(code, outside_bit(vf_add(w, x), zero, 1));
	code = vi_or(code, outside_bit(vf_sub(w, y), zero, 2));
	code = vi_or(code, outside_bit(vf_add(w, y), zero, 3));
	code = vi_or(code, outside_bit(vf_neg(z), epsilon, 4));
	code = vi_or(code, outside_bit(vf_add(z, w), epsilon, 5));
	if (g->clip_enabled) {
		const float *plane = g->clip_plane;
		vf d = vf_add(vf_mul(vf_set1(plane[0]), x), vf_mul(vf_set1(plane[1]), y));
		d = vf_add(d, vf_mul(vf_set1(plane[2]), z));
		d = vf_add(d, vf_mul(vf_set1(plane[3]), w));
		code = vi_or(code, outside_bit(d, zero, 6));
	}
	return code;
}

/* Half away from zero. */
static inline vf round_half_away(vf x) {
	vf t = vf_trunc(x);
	vi away = vf_ge(vf_abs(vf_sub(x, t)), vf_set1(0.5f));
	vf step = vf_select(vf_lt(x, vf_zero()), vf_set1(-1.0f), vf_set1(1.0f));
	return vf_select(away, vf_add(t, step), t);
}

/* Window coordinate in sixteenths from clip coordinate c. */
static inline vf window_fx4(vf c, vf iw, float half, int32_t off) {
	vf s = vf_mul(vf_add(vf_mul(c, iw), vf_set1(1.0f)), vf_set1(half));
	return round_half_away(vf_mul(vf_add(s, vf_set1((float)off)), vf_set1(16.0f)));
}

/* The first four words of vert, and the masks of lanes that are projected. */
static inline vi project_group(const struct geom_state *g, const vf pos[4], vf iw, vf word[4]) {
	const vf limit = vf_set1(32768.0f);
	const vf sx = window_fx4(pos[0], iw, g->half_w, g->off_x);
	const vf sy = window_fx4(pos[1], iw, g->half_h, g->off_y);
	vi iy = vi_from_vf_trunc(sy);
	if (g->rule->flip) {
		iy = vi_sub(vi_set1(16 * (int32_t)g->height), iy);
	}
	word[0] = vf_as_vi_bits(vi_from_vf_trunc(sx));
	word[1] = vf_as_vi_bits(iy);
	word[2] = iw;
	word[3] = vf_mul(pos[2], iw);
	return vi_and(vf_gt(pos[3], vf_zero()),
			vi_and(vf_lt(vf_abs(sx), limit), vf_lt(vf_abs(sy), limit)));
}

static void fill_constants(float constants[2][SHADER_LANES]) {
	for (unsigned i = 0; i < SHADER_LANES; i += VF_LANES) {
		vf_store(&constants[0][i], vf_zero());
		vf_store(&constants[1][i], vf_set1(1.0f));
	}
}

/* Lane 0 of the output component that is word i of a clip vertex. */
static inline const float *component(const struct out_map *m, const struct shader_batch *b,
		unsigned i, float constants[2][SHADER_LANES]) {
	const uint8_t f = m->from[i];
	return f < OUT_MAP_ZERO ? b->o[m->reg[f >> 2]][f & 3] : constants[f == OUT_MAP_ONE];
}

static void project_batch(const struct geom_state *g, const struct out_map *m,
		const struct shader_batch *b, unsigned n, uint32_t planes_mask,
		struct clip_vertex *cv, struct vert *out, uint8_t *codes, uint8_t *ok) {
	PICA_ALIGNED(64) float constants[2][SHADER_LANES];
	PICA_ALIGNED(64) int32_t lane_code[SHADER_LANES], lane_ok[SHADER_LANES];
	fill_constants(constants);
	struct job job = { .words = planes_mask << (COLOR_WORD - PLANE_COLOR), .flat = g->flat != 0,
		.cv = cv, .out = out };
	for (unsigned i = 0; i < N_WORDS; i++) {
		job.from[i] = component(m, b, i, constants);
	}
	for (unsigned lane = 0; lane < n; lane += VF_LANES) {
		unsigned count = n - lane < VF_LANES ? n - lane : VF_LANES;
		vf pos[4], word[4];
		for (unsigned i = 0; i < 4; i++) {
			pos[i] = vf_load(job.from[i] + lane);
		}
		store_words(cv, lane, 0, pos, count);
		vi code = codes_of(g, pos[0], pos[1], pos[2], pos[3]);
		vf iw = vf_div(vf_set1(1.0f), pos[3]);
		vi good = project_group(g, pos, iw, word);
		store_words(out, lane, 0, word, count);
		attribute_group(&job, 4, lane, count, iw);
		attribute_group(&job, 8, lane, count, iw);
		attribute_group(&job, 12, lane, count, iw);
		attribute_group(&job, 16, lane, count, iw);
		/* The last two words, by a group that overlaps the one before. */
		attribute_group(&job, N_WORDS - 4, lane, count, iw);

		vi_store(&lane_code[lane], code);
		vi_store(&lane_ok[lane], vi_and(good, vi_set1(1)));
	}
	for (unsigned i = 0; i < n; i++) {
		codes[i] = (uint8_t)lane_code[i];
		ok[i] = (uint8_t)lane_ok[i];
	}
}

/* Whether codes_of() may find something; a NaN of x or y, with which nothing is projected, not. */
static inline bool may_be_outside(const struct geom_state *g, vf x, vf y, vf z, vf w) {
	const vf sides = vf_min(vf_sub(w, vf_abs(x)), vf_sub(w, vf_abs(y)));
	const vf depths = vf_min(vf_neg(z), vf_add(z, w));
	const vi inside = vf_ge(vf_min(sides, depths), vf_zero());
	return g->clip_enabled || vi_movemask(vi_xor(inside, vi_set1(-1)));
}

static void project_positions(const struct geom_state *g, const struct out_map *m,
		const struct shader_batch *b, unsigned n, const struct position_out *out) {
	const vi sign = vi_set1(g->rule->flip ? INT32_MIN : 0);
	const vf top = vf_set1(g->rule->flip ? 16.0f * (float)g->height : 0.0f);
	const vf limit = vf_set1(32768.0f);
	PICA_ALIGNED(64) float constants[2][SHADER_LANES];
	const float *from[4];
	fill_constants(constants);
	for (unsigned i = 0; i < 4; i++) {
		from[i] = component(m, b, i, constants);
	}
	for (unsigned lane = 0; lane < n; lane += VF_LANES) {
		const vf x = vf_load(from[0] + lane), y = vf_load(from[1] + lane);
		const vf z = vf_load(from[2] + lane), w = vf_load(from[3] + lane);
		const vf iw = vf_div(vf_set1(1.0f), w);
		const vf sx = window_fx4(x, iw, g->half_w, g->off_x);
		const vf sy = window_fx4(y, iw, g->half_h, g->off_y);
		const vi good = vi_and(vf_gt(w, vf_zero()),
				vi_and(vf_lt(vf_abs(sx), limit), vf_lt(vf_abs(sy), limit)));
		vf_store(out->x + lane, sx);
		const vf along = vf_as_vi_bits(vi_xor(vi_as_vf_bits(sy), sign));
		vf_store(out->y + lane, vf_add(top, along));
		const vi bad = vi_andnot(good, vi_set1(POSITION_BAD));
		const vi code = may_be_outside(g, x, y, z, w) ? codes_of(g, x, y, z, w) : vi_zero();
		vi_store(out->code + lane, vi_or(code, bad));
	}
}

void VFN(geom_project_init)(struct geom_kernels *k) {
	k->project_batch = project_batch;
	k->project_positions = project_positions;
}
