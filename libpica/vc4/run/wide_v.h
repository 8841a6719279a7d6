/* The operations of wide programs on rows; for wide_v.c. */
#ifndef VC4_RUN_WIDE_V_H
#define VC4_RUN_WIDE_V_H

#include "vc4/run/periphery_v.h"
#include "vc4/run/program.h"
#include "vc4/run/wide.h"
#include "vc4/tex/texture.h"

enum { WIDE_VECTORS = QPU_WIDE_LANES / VF_LANES };

struct wide_core {
	struct qpu_wide_run *r;
	struct wide_scratch *s;
	const struct qpu_wide *w;
	unsigned n_vectors;
	bool has_tame_w; /* W is tame in all lanes */
	bool fails; /* the run has to be interpreted */
	bool has_group; /* the members of this group have their values */
	/* From (x0, y0) to the centres of pixels, in sixteenths of a pixel. */
	PICA_ALIGNED(64) float dx[QPU_WIDE_LANES], dy[QPU_WIDE_LANES];
};

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
/* For each vector i of the rows. Whole rows have a loop whose length the compiler knows. */
#define EACH_OF(k, ...) \
	do { \
		const unsigned each_n = (k)->n_vectors; \
		if (PICA_LIKELY(each_n == WIDE_VECTORS)) { \
			UNROLL \
			for (unsigned i = 0; i < WIDE_VECTORS; i++) { \
				__VA_ARGS__; \
			} \
		} else { \
			for (unsigned i = 0; i < each_n; i++) { \
				__VA_ARGS__; \
			} \
		} \
	} while (0)

static inline vi at(const uint32_t *row, unsigned i) {
	return vi_load(row + i * VF_LANES);
}

static inline void put(uint32_t *row, unsigned i, vi x) {
	vi_store(row + i * VF_LANES, x);
}

/* Returns the bits for the lanes of vector i. */
static inline unsigned lanes_at(uint64_t lanes, unsigned i) {
	return (unsigned)(lanes >> i * VF_LANES) & ((2u << (VF_LANES - 1)) - 1);
}

/* ---- Inputs ---- */

/* From the first pixel of a quad, and of a block, to each. */
static const PICA_ALIGNED(64) float quad_x[16] = { 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1 },
					   quad_y[16] = { 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1,
						   0, 0, 1, 1 };
#define BLOCK_HALF(row) \
	row(0, 0), row(2, 0), row(0, 2), row(2, 2), row(4, 0), row(6, 0), row(4, 2), row(6, 2)
#define PIXELS_X(x, y) x, x + 1, x, x + 1
#define PIXELS_Y(x, y) y, y, y + 1, y + 1
#define PIXELS_LOWER_Y(x, y) y + 4, y + 4, y + 5, y + 5
static const PICA_ALIGNED(64) float block_x[QPU_WIDE_LANES] = { BLOCK_HALF(PIXELS_X),
	BLOCK_HALF(PIXELS_X) },
					   block_y[QPU_WIDE_LANES] = { BLOCK_HALF(PIXELS_Y),
						   BLOCK_HALF(PIXELS_LOWER_Y) };

/* Expands one number per quad to its lanes. */
static inline vf of_quads(const float number[QPU_WIDE_QUADS], unsigned i) {
	return vf_load_quads(number + i * VF_LANES / 4, 1);
}

/* Exact: pixels are integers. */
static inline void set_distances(struct wide_core *k) {
	const struct qpu_wide_run *r = k->r;
	const vf px = vf_set1(16.0f);
	float x[QPU_WIDE_QUADS], y[QPU_WIDE_QUADS];
	if (r->is_block) {
		const vf dx = vf_set1((float)(16 * r->x[0] + 8) - r->x0);
		const vf dy = vf_set1((float)(16 * r->y[0] + 8) - r->y0);
		UNROLL
		for (unsigned i = 0; i < WIDE_VECTORS; i++) {
			const unsigned lane = i * VF_LANES;
			vf_store(k->dx + lane, vf_add(vf_mul(vf_load(block_x + lane), px), dx));
			vf_store(k->dy + lane, vf_add(vf_mul(vf_load(block_y + lane), px), dy));
		}
		return;
	}
	for (unsigned q = 0; q < QPU_WIDE_QUADS; q++) {
		x[q] = (float)(16 * r->x[q] + 8) - r->x0;
		y[q] = (float)(16 * r->y[q] + 8) - r->y0;
	}
	const vf right = vf_mul(vf_loadu(quad_x), px), down = vf_mul(vf_loadu(quad_y), px);
	for (unsigned i = 0; i < k->n_vectors; i++) {
		vf_store(k->dx + i * VF_LANES, vf_add(of_quads(x, i), right));
		vf_store(k->dy + i * VF_LANES, vf_add(of_quads(y, i), down));
	}
}

struct plane {
	vf gx, gy;
};

static inline struct plane plane_of(const struct wide_core *k, unsigned varying) {
	return (struct plane){ vf_set1(k->r->gx[varying]), vf_set1(k->r->gy[varying]) };
}

static inline vf plane_at(const struct wide_core *k, const struct plane *p, unsigned i) {
	return vf_add(vf_mul(vf_load(k->dx + i * VF_LANES), p->gx),
			vf_mul(vf_load(k->dy + i * VF_LANES), p->gy));
}

static inline void zeros(const struct wide_core *k, uint32_t *to) {
	EACH_OF(k, put(to, i, vi_zero()));
}

static inline void wide_w(struct wide_core *k, uint32_t *to, bool is_seen) {
	const float *iw = k->r->iw;
	if (!k->r->is_fragments) {
		zeros(k, to);
		return;
	}
	const vf most = vf_set1(WIDE_TAME_MOST), least = vf_set1(1.0f / WIDE_TAME_MOST);
	vi is_tame = vi_set1(-1);
	EACH_OF(k, {
		const vf w = vf_div(vf_set1(1.0f), vf_load(iw + i * VF_LANES));
		is_tame = vi_and(is_tame, vi_and(vf_gt(w, least), vf_lt(w, most)));
		put(to, i, vi_as_vf_bits(w));
	});
	k->has_tame_w = vi_movemask(is_tame) == (2u << (VF_LANES - 1)) - 1;
	if (is_seen && !k->has_tame_w) {
		EACH_OF(k, put(to, i, see(at(to, i))));
	}
}

/*
 * Plane * W + C. If gradients, C and W are tame (0, or within 2^-30 to 2^30), planes are multiples
 * of 2^-53, products are not below 2^-83, and sums are multiples of 2^-106. see() and leave() would
 * then change nothing but -0, which adding C turns into 0.
 */
static inline void wide_varying(
		const struct wide_core *k, unsigned varying, const uint32_t *w_row, uint32_t *to) {
	const struct plane p = plane_of(k, varying);
	const vi bits = vi_set1((int32_t)f32_bits(k->r->c[varying]));
	const vf c = vf_as_vi_bits(see(bits));
	if (k->has_tame_w && k->r->is_tame >> varying & 1) {
		EACH_OF(k, {
			const vf product = vf_mul(plane_at(k, &p, i), vf_as_vi_bits(at(w_row, i)));
			put(to, i, vi_as_vf_bits(vf_add(product, c)));
		});
		return;
	}
	for (unsigned i = 0; i < k->n_vectors; i++) {
		const vf v = vf_as_vi_bits(see(vi_as_vf_bits(plane_at(k, &p, i))));
		const vf product = vf_as_vi_bits(leave(vf_mul(v, vf_as_vi_bits(at(w_row, i)))));
		put(to, i, leave(vf_add(product, c)));
	}
}

/* Converts Z to 24 bits, rounding half up. [fidelity: vc4-varyings] */
static inline void wide_z(const struct wide_core *k, uint32_t *to) {
	const vf most = vf_set1(16777215.0f), half = vf_set1(0.5f);
	const float *from = k->r->z;
	if (!k->r->is_fragments) {
		zeros(k, to);
		return;
	}
	EACH_OF(k, {
		/* Numbers above 1 act as 1, NaN acts as 0. */
		const vf z = vf_min(vf_max(vf_load(from + i * VF_LANES), vf_zero()), vf_set1(1.0f));
		const vi rounded = vi_from_vf_trunc(vf_add(vf_mul(z, most), half));
		put(to, i, vi_min(rounded, vi_set1(0xFFFFFF)));
	});
}

static inline void wide_pixel(const struct wide_core *k, uint32_t *to,
		const int32_t first[QPU_WIDE_QUADS], const float add[16],
		const float of_block[QPU_WIDE_LANES]) {
	float x[QPU_WIDE_QUADS];
	if (!k->r->is_fragments) {
		zeros(k, to);
		return;
	}
	if (k->r->is_block) {
		const vi at_block = vi_set1(first[0]);
		EACH_OF(k, {
			const vf in_block = vf_load(of_block + i * VF_LANES);
			put(to, i, vi_add(vi_from_vf_trunc(in_block), at_block));
		});
		return;
	}
	for (unsigned q = 0; q < QPU_WIDE_QUADS; q++) {
		x[q] = (float)first[q];
	}
	for (unsigned i = 0; i < k->n_vectors; i++) {
		put(to, i, vi_from_vf_trunc(vf_add(of_quads(x, i), vf_loadu(add))));
	}
}

/* ---- Packing ---- */

/* byte / 255.0f: the first product is exact, the second one small. */
static inline vf byte_as_number(vi byte) {
	const vf x = vf_from_vi(byte);
	return vf_add(vf_mul(x, vf_set1(0x1.01p-8f)), vf_mul(x, vf_set1(0x1.0101p-24f)));
}

static inline vi spread_byte(vi byte) {
	const vi pair = vi_or(byte, vi_sll(byte, 8));
	return vi_or(pair, vi_sll(pair, 16));
}

static inline vi insert(vi a, vi old, int mask, int by) {
	return vi_or(vi_andnot(vi_sll(vi_set1(mask), by), old),
			vi_sll(vi_and(a, vi_set1(mask)), by));
}

/* For alu_color() of values other than NaN: what it rounds. */
static inline vi color_steps(vi a) {
	const vf clamped = vf_min(vf_max(vf_as_vi_bits(a), vf_zero()), vf_set1(1.0f));
	return vi_from_vf_trunc(vf_mul(clamped, vf_set1(1024.0f)));
}

/* Rounded, those of two: in the low bytes of 16-bit fields. */
static inline vi colors_of_steps(vi low, vi high) {
	const vi u = vi_or(low, vi_sll(high, 16));
	const vi less = vi_and(vi_srl(u, 8), vi_set1(0x00070007));
	return low_bytes(vi_srl(vi_add(vi_sub(u, less), vi_set1(0x00020002)), 2));
}

static inline vi color_of_number(vi a) {
	return colors_of_steps(color_steps(a), vi_zero());
}

static inline void wide_colors(const struct wide_core *k, const struct wide_op *op, uint32_t *to) {
	const uint32_t *row[4];
	for (unsigned c = 0; c < 4; c++) {
		row[c] = k->s->row[op->in[c]];
	}
	EACH_OF(k, {
		const vi even = colors_of_steps(
				color_steps(at(row[0], i)), color_steps(at(row[2], i)));
		const vi odd = colors_of_steps(
				color_steps(at(row[1], i)), color_steps(at(row[3], i)));
		put(to, i, vi_or(even, vi_sll(odd, 8)));
	});
}

/* ---- Textures ---- */

static inline uint64_t lanes_of_run(const struct qpu_wide_run *r) {
	return ~UINT64_C(0) >> (QPU_WIDE_LANES - r->n_lanes);
}

static inline void wide_texture(struct wide_core *k, const struct wide_op *op, uint32_t *to) {
	const struct wide_texture *x = &k->w->texture[op->value];
	const uint64_t lanes = lanes_of_run(k->r);
	struct vc4_tex_kernels tex;
	struct vc4_lookup l;
	const char *why;
	VFN(vc4_tex_kernels_init)(&tex);
	if (k->s->has_one_image[op->value]) {
		tex.sample(&k->s->image[op->value], k->s->row[op->in[0]], k->s->row[op->in[1]],
				k->s->row[op->in[2]], k->r->n_lanes, to);
		return;
	}
	l.space = k->r->space;
	l.n_words = x->n_words;
	memcpy(l.word, k->s->word[op->value], sizeof(l.word));
	for (unsigned i = 0; i < k->r->n_lanes; i += QPU_LANES) {
		l.lanes = lanes >> i & 0xFFFF;
		memcpy(l.s, k->s->row[op->in[0]] + i, sizeof(l.s));
		memcpy(l.t, k->s->row[op->in[1]] + i, sizeof(l.t));
		memcpy(l.r, k->s->row[op->in[2]] + i, sizeof(l.r));
		memcpy(l.b, k->s->row[op->in[3]] + i, sizeof(l.b));
		if (tex.look_up(&l, 0xFFFF, to + i, &why)) {
			k->fails = true;
			return;
		}
	}
}

/* Words at the addresses, or if there are limits at min(address, limit[0]) + base[0]. */
static inline void wide_word(struct wide_core *k, const uint32_t *address, const uint32_t *limit,
		const uint32_t *base, bool is_seen, uint32_t *to) {
	const struct qpu_wide_run *r = k->r;
	uint64_t strict = r->is_fragments ? 0 : ~UINT64_C(0);
	for (unsigned s = 0; r->is_fragments && s < r->tlb->n_samples; s++) {
		strict |= r->covered[s];
	}
	/* The addresses are mostly close to each other. */
	uint32_t avail;
	const vi limits = limit ? vi_load(limit) : vi_zero();
	const vi bases = limit ? vi_load(base) : vi_zero();
	uint32_t first = address[0];
	if (limit) {
		first = ((int32_t)first < (int32_t)limit[0] ? first : limit[0]) + base[0];
	}
	first &= QPU_ADDRESS_MASK & ~4095u;
	const uint8_t *host = space_host_from(r->space, first, &avail);
	const int32_t most = host && avail >= 4 ? (int32_t)avail - 4 : -1;
	for (unsigned i = 0; i < k->n_vectors; i++) {
		PICA_ALIGNED(64) uint32_t offset[VF_LANES];
		vi word = at(address, i);
		word = limit ? vi_add(vi_min(word, limits), bases) : word;
		word = vi_and(word, vi_set1((int32_t)(QPU_ADDRESS_MASK & ~3u)));
		const vi from_first = vi_sub(word, vi_set1((int32_t)first));
		const vi is_beyond = vi_or(vi_gt(vi_zero(), from_first),
				vi_gt(from_first, vi_set1(most)));
		vi_store(offset, from_first);
		if (PICA_LIKELY(!vi_movemask(is_beyond))) {
			const vi v = vi_load_words(host, offset, 4);
			put(to, i, is_seen ? see(v) : v);
			continue;
		}
		for (unsigned j = 0; j < VF_LANES && i * VF_LANES + j < r->n_lanes; j++) {
			const unsigned lane = i * VF_LANES + j;
			uint32_t v = 0;
			const uint8_t *own = space_host(r->space, first + offset[j], 4);
			if (own) {
				memcpy(&v, own, sizeof(v));
			} else if (strict >> lane & 1) {
				k->fails = true;
				return;
			}
			to[lane] = is_seen ? f32_bits(alu_float(v)) : v;
		}
	}
}

/*
 * The four elements of a group, if no limit holds and they are four words side by side in memory.
 * Returns false if they must be read one by one.
 */
static inline bool wide_group(struct wide_core *k, const struct wide_op *op) {
	const uint32_t *index = k->s->row[op->in[0]];
	uint32_t least = UINT32_MAX, avail;
	int32_t limit = INT32_MAX;
	const struct wide_op *of_word[WIDE_GROUP] = { NULL };
	for (unsigned n = 0; n < WIDE_GROUP; n++) {
		const int32_t own = (int32_t)k->s->row[op[n].in[1]][0];
		const uint32_t base = k->s->row[op[n].in[2]][0];
		limit = own < limit ? own : limit;
		least = base < least ? base : least;
	}
	for (unsigned n = 0; n < WIDE_GROUP; n++) {
		const uint32_t from_least = k->s->row[op[n].in[2]][0] - least;
		if (from_least % 4 == 0 && from_least / 4 < WIDE_GROUP) {
			of_word[from_least / 4] = &op[n];
		}
	}
	const uint32_t first = (index[0] + least) & QPU_ADDRESS_MASK & ~4095u;
	const uint8_t *host = space_host_from(k->r->space, first, &avail);
	if (!host || avail < 4 * WIDE_GROUP || !of_word[0] || !of_word[1] || !of_word[2] ||
			!of_word[3]) {
		return false;
	}
	const vi most = vi_set1((int32_t)(avail - 4 * WIDE_GROUP));
	for (unsigned i = 0; i < k->n_vectors; i++) {
		PICA_ALIGNED(64) uint32_t offset[VF_LANES];
		const vi own = at(index, i), word = vi_add(own, vi_set1((int32_t)least));
		const vi masked = vi_and(word, vi_set1((int32_t)(QPU_ADDRESS_MASK & ~3u)));
		const vi from_first = vi_sub(masked, vi_set1((int32_t)first));
		const vi is_beyond = vi_or(vi_gt(vi_zero(), from_first), vi_gt(from_first, most));
		vf out[WIDE_GROUP];
		if (vi_movemask(vi_or(is_beyond, vi_gt(own, vi_set1(limit))))) {
			return false;
		}
		vi_store(offset, from_first);
		vf_load_rows(host, offset, WIDE_GROUP, out);
		UNROLL
		for (unsigned c = 0; c < WIDE_GROUP; c++) {
			const vi v = vi_as_vf_bits(out[c]);
			put(k->s->row[of_word[c]->to], i, of_word[c]->imm ? see(v) : v);
		}
	}
	return true;
}

/* ---- The tile buffer ---- */

/* Returns the lanes that an operation writes. */
static inline uint64_t writing_lanes(const struct wide_core *k, const struct wide_op *op) {
	uint64_t lanes = 0;
	if (op->imm & WIDE_ALL_LANES) {
		return ~UINT64_C(0);
	}
	for (unsigned i = 0; i < k->n_vectors; i++) {
		lanes |= (uint64_t)vi_movemask(at(k->s->row[op->in[1]], i)) << i * VF_LANES;
	}
	return op->imm ? lanes : ~lanes;
}

static inline void wide_load_color(
		const struct wide_core *k, const struct wide_op *op, uint32_t *to) {
	const struct qpu_wide_run *r = k->r;
	if (!r->is_fragments) {
		zeros(k, to);
		return;
	}
	const uint32_t *color = r->tlb->color + op->value % r->tlb->n_samples * r->tlb->sample_px;
	for (unsigned q = 0; q < r->n_lanes / 4; q++) {
		vqi_storeu(to + 4 * q, vqi_loadu(color + r->quad_px[q]));
	}
}

/* Returns a mask of the lanes whose z passes against the stored one. */
static inline vi passing(unsigned function, vi z, vi stored) {
	switch (function) {
	case 0:
		return vi_zero();
	case 1:
		return vi_gt(stored, z);
	case 2:
		return vi_eq(stored, z);
	case 3:
		return vi_xor(vi_gt(z, stored), vi_set1(-1));
	case 4:
		return vi_gt(z, stored);
	case 5:
		return vi_xor(vi_eq(stored, z), vi_set1(-1));
	case 6:
		return vi_xor(vi_gt(stored, z), vi_set1(-1));
	default:
		return vi_set1(-1);
	}
}

/* Tests Z of a block, whose pixels are contiguous. Returns the lanes that pass. */
static PICA_INLINE uint64_t block_z_by(const uint32_t *row, uint32_t *zs, uint64_t covered,
		unsigned function, bool updates_z) {
	uint64_t left = 0;
	UNROLL
	for (unsigned i = 0; i < WIDE_VECTORS; i++) {
		const vi old = vi_loadu(zs + i * VF_LANES), stored = vi_srl(old, 8);
		const vi z = vi_and(at(row, i), vi_set1(0xFFFFFF));
		vi passes = passing(function, z, stored);
		if (~covered) {
			passes = vi_and(vi_mask_from_bits(lanes_at(covered, i)), passes);
		}
		if (updates_z) {
			const vi both = vi_or(vi_sll(z, 8), vi_and(old, vi_set1(255)));
			vi_storeu(zs + i * VF_LANES, vi_select(passes, both, old));
		}
		left |= (uint64_t)vi_movemask(passes) << i * VF_LANES;
	}
	return left;
}

static PICA_INLINE uint64_t block_z_of(
		const struct qpu_tlb *t, const uint32_t *row, uint32_t *zs, uint64_t covered) {
	if (t->depth_function == 1 && t->updates_z) { /* GL_LESS */
		return block_z_by(row, zs, covered, 1, true);
	}
	if (t->depth_function == 3 && t->updates_z) {
		return block_z_by(row, zs, covered, 3, true);
	}
	if (t->depth_function == 7 && !t->updates_z) {
		return covered;
	}
	return block_z_by(row, zs, covered, t->depth_function, t->updates_z);
}

static inline uint64_t block_z(
		const struct qpu_tlb *t, const uint32_t *row, uint32_t *zs, uint64_t covered) {
	return ~covered ? block_z_of(t, row, zs, covered) : block_z_of(t, row, zs, ~UINT64_C(0));
}

static inline void wide_store_z(const struct wide_core *k, const struct wide_op *op) {
	struct qpu_wide_run *r = k->r;
	const uint32_t *row = k->s->row[op->in[0]];
	if (!r->is_fragments) {
		return;
	}
	const uint64_t lanes = writing_lanes(k, op);
	for (unsigned s = 0; s < r->tlb->n_samples; s++) {
		uint32_t *zs = r->tlb->zs + s * r->tlb->sample_px;
		const uint64_t covered = r->covered[s] & lanes;
		uint64_t left = 0;
		if (r->is_block) {
			r->covered[s] = block_z(r->tlb, row, zs + r->quad_px[0], covered);
			continue;
		}
		for (unsigned q = 0; q < r->n_lanes / 4; q++) {
			const unsigned own = covered >> 4 * q & 15;
			if (own) {
				left |= (uint64_t)quad_z(r->tlb, zs + r->quad_px[q], row + 4 * q,
							own)
						<< 4 * q;
			}
		}
		r->covered[s] = left;
	}
}

static inline void wide_store_color(
		const struct wide_core *k, const struct wide_op *op, unsigned sample) {
	const struct qpu_wide_run *r = k->r;
	const uint32_t *row = k->s->row[op->in[0]];
	uint32_t *color = r->tlb->color + sample * r->tlb->sample_px;
	const uint64_t lanes = r->covered[sample] & writing_lanes(k, op);
	if (r->is_block) {
		color += r->quad_px[0];
		if (!~lanes) {
			memcpy(color, row, QPU_WIDE_LANES * sizeof(*color));
			return;
		}
		for (unsigned i = 0; i < WIDE_VECTORS; i++) {
			uint32_t *to = color + i * VF_LANES;
			const vi mask = vi_mask_from_bits(lanes_at(lanes, i));
			vi_storeu(to, vi_select(mask, at(row, i), vi_loadu(to)));
		}
		return;
	}
	for (unsigned q = 0; q < r->n_lanes / 4; q++) {
		const unsigned own = lanes >> 4 * q & 15;
		uint32_t *to = color + r->quad_px[q];
		if (own) {
			vqi_storeu(to,
					vqi_select(vqi_mask_from_bits(own), vqi_loadu(row + 4 * q),
							vqi_loadu(to)));
		}
	}
}

#endif
