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

/* The parts of a call that are the same for all lanes. */
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

/* The viewport in sixteenths of a pixel. Sixteen times a sum is exact, term by term. */
struct viewport {
	vf scale[2], offset[2];
	bool flip;
	int32_t height_fx4;
};

static inline struct viewport viewport_of(const struct geom_state *g) {
	return (struct viewport){
		.scale = { vf_set1(16.0f * g->half_w), vf_set1(16.0f * g->half_h) },
		.offset = { vf_set1(16.0f * (float)g->off_x), vf_set1(16.0f * (float)g->off_y) },
		.flip = g->rule->flip,
		.height_fx4 = 16 * (int32_t)g->height,
	};
}

/* Half away from zero: with 0.5 itself, the largest float below 0.5 would become 1. */
static inline vf round_half_away(vf x) {
	const vf below_half = vf_set1(0x1.fffffep-2f);
	return vf_trunc(vf_add(x, vf_xor(vf_and(x, vf_set1(-0.0f)), below_half)));
}

/* Window coordinate in sixteenths from clip coordinate c. */
static inline vf window_fx4(const struct viewport *to, unsigned axis, vf c, vf iw) {
	const vf s = vf_mul(vf_add(vf_mul(c, iw), vf_set1(1.0f)), to->scale[axis]);
	return round_half_away(vf_add(s, to->offset[axis]));
}

/* The first four words of vert, and the masks of lanes that are projected. */
static inline vi project_group(const struct viewport *to, const vf pos[4], vf iw, vf word[4]) {
	const vf limit = vf_set1(32768.0f);
	const vf sx = window_fx4(to, 0, pos[0], iw);
	const vf sy = window_fx4(to, 1, pos[1], iw);
	vi iy = vi_from_vf_trunc(sy);
	if (to->flip) {
		iy = vi_sub(vi_set1(to->height_fx4), iy);
	}
	word[0] = vf_as_vi_bits(vi_from_vf_trunc(sx));
	word[1] = vf_as_vi_bits(iy);
	word[2] = iw;
	word[3] = vf_mul(pos[2], iw);
	return vi_and(vf_gt(pos[3], vf_zero()),
			vi_and(vf_lt(vf_abs(sx), limit), vf_lt(vf_abs(sy), limit)));
}

/* Lane 0 of the output component that is word i of a clip vertex. */
static inline const float *component(const struct out_map *m, const struct shader_batch *b,
		unsigned i) {
	static const PICA_ALIGNED(64) float zero[SHADER_LANES];
	static const PICA_ALIGNED(64) float one[SHADER_LANES] = {
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	};
	const uint8_t f = m->from[i];
	return f < OUT_MAP_ZERO ? b->o[m->reg[f >> 2]][f & 3] : f == OUT_MAP_ONE ? one : zero;
}

static void project_batch(const struct geom_state *g, const struct out_map *m,
		const struct shader_batch *b, unsigned n, uint32_t planes_mask,
		struct clip_vertex *cv, struct vert *out, uint8_t *codes, uint8_t *ok) {
	PICA_ALIGNED(64) int32_t lane_code[SHADER_LANES], lane_ok[SHADER_LANES];
	const struct viewport to = viewport_of(g);
	struct job job = { .words = planes_mask << (COLOR_WORD - PLANE_COLOR), .flat = g->flat != 0,
		.cv = cv, .out = out };
	for (unsigned i = 0; i < N_WORDS; i++) {
		job.from[i] = component(m, b, i);
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
		vi good = project_group(&to, pos, iw, word);
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

/* Lanes for which codes_of() is 0 without a user plane, or w is infinite. */
static inline vi is_inside(vf x, vf y, vf z, vf w) {
	const vf farthest = vf_max(vf_max(vf_abs(x), vf_abs(y)), vf_neg(z));
	return vi_and(vf_le(farthest, w), vf_le(z, vf_zero()));
}

static void project_positions(const struct geom_state *g, const struct out_map *m,
		const struct shader_batch *b, unsigned n, const struct position_out *out) {
	const struct viewport to = viewport_of(g);
	const vf sign = vf_as_vi_bits(vi_set1(to.flip ? INT32_MIN : 0));
	const vf top = vf_set1(to.flip ? (float)to.height_fx4 : 0.0f);
	const vf limit = vf_set1(32768.0f);
	const bool has_plane = g->clip_enabled;
	const struct position_out to_rows = *out;
	const float *from[4];
	for (unsigned i = 0; i < 4; i++) {
		from[i] = component(m, b, i);
	}
	for (unsigned lane = 0; lane < n; lane += VF_LANES) {
		const vf x = vf_load(from[0] + lane), y = vf_load(from[1] + lane);
		const vf z = vf_load(from[2] + lane), w = vf_load(from[3] + lane);
		const vf iw = vf_div(vf_set1(1.0f), w);
		const vf sx = window_fx4(&to, 0, x, iw);
		const vf sy = window_fx4(&to, 1, y, iw);
		const vi good = vi_and(vf_gt(w, vf_zero()),
				vi_and(vf_lt(vf_abs(sx), limit), vf_lt(vf_abs(sy), limit)));
		vf_store(to_rows.x + lane, sx);
		vf_store(to_rows.y + lane, vf_add(top, vf_xor(sy, sign)));
		vi code = vi_andnot(good, vi_set1(POSITION_BAD));
		const vi outside = vi_xor(is_inside(x, y, z, w), vi_set1(-1));
		if (has_plane || vi_movemask(outside)) {
			code = vi_or(code, codes_of(g, x, y, z, w));
		}
		vi_store(to_rows.code + lane, code);
	}
}

void VFN(geom_project_init)(struct geom_kernels *k) {
	k->project_batch = project_batch;
	k->project_positions = project_positions;
}
