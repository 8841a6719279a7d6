#include "shader/shader.h"

#include <assert.h>

#include "base/attributes.h"
#include "shader/arith.h"
#include "shader/core.h"
#include "vec/vec.h"

/*
 * The batch interpreter. Up to 32 vertices run one instruction at a time; each register component
 * is a row of 32 lanes, worked on VF_LANES at a time.
 *
 * Lanes whose flow decisions were the same so far are a *group* with one pc, one set of stacks and
 * one count of instructions. All lanes start as one group. Where a condition differs within a
 * group, the lanes that do not go the way are put aside as a group of their own and run later, from
 * the state they have then: groups write only their own lanes. A group never joins another one
 * again.
 *
 * A group of all lanes writes its results in place; others, and instructions that would read a
 * component that they already wrote, write to the side first.
 */

enum {
	VECTORS = SHADER_LANES / VF_LANES,
	BELOW_F24 = 0x207FFFFF,  /* bits of the largest float below 2^-62 */
	BELOW_TAME = 0x33FFFFFF, /* ... below 2^-23 */
	ABOVE_TAME = 0x4E800000, /* bits of 2^30 */
};

/* What a kernel gets: rows begin at the first vector to work on. */
struct args {
	unsigned nv;           /* vectors */
	unsigned n;            /* rows to write, at least 1 */
	const uint8_t *out;    /* their components, ascending */
	float *d[4];           /* the rows */
	const float *s[3][4];  /* sources of these rows one by one (uses EACH) or by component */
	size_t step[3];        /* VF_LANES, or 0: one vector for all lanes */
};

/* What is known of all values of an operand, each including the next. */
enum class {
	CLASS_ANY,
	CLASS_CLEAN, /* F() changes nothing */
	CLASS_TAME,  /* 0 or 2^-23 <= |x| < 2^30, see alu_v.h */
};

struct alu {
	struct {
		void (*run)(const struct args *x);
		/* f24: run needs clean operands, and this does the same with tame ones. Or NULL. */
		void (*run_tame)(const struct args *x);
		bool is_clean; /* results are clean (f24) */
	} op[OP_COUNT];
};

struct group {
	struct flow flow;
	uint32_t live; /* bit: lane */
	uint64_t steps;
	unsigned first, nv; /* vectors that have live lanes, with what lies between */
	bool is_all;
};

struct machine {
	const struct alu *alu;
	const struct shader_uniforms *u;
	struct shader_batch *b;
	uint32_t all;       /* lanes of the call */
	unsigned nv;        /* vectors that hold them */
	uint32_t cmp[2];    /* bit: lane */
	/* By number, o before r: components that were written; the others are 0 without being so. */
	uint8_t valid[32];
	/* By number, v before r: components that were looked at, are known to be clean, to be tame. */
	uint8_t known[32], clean[32], tame[32];
	bool uniforms_known;
	enum class uniforms;
	/* a0 as relative addressing takes it: 0 where it is out of range. Not filled before MOVA. */
	bool a_valid[2], a_is_same[2];
	PICA_ALIGNED(64) int32_t a[2][SHADER_LANES];
	PICA_ALIGNED(64) float r[16][4][SHADER_LANES];
	PICA_ALIGNED(64) float operand[3][4][SHADER_LANES]; /* operands that are no register as it is */
	PICA_ALIGNED(64) float result[4][SHADER_LANES];
};

/* ---- Words ---- */

/* +0 where the bits of the magnitude are not above these. */
static inline vf zero_below(vf x, vi below) {
	vi bits = vi_as_vf_bits(x);
	vi magnitude = vi_and(bits, vi_set1(0x7FFFFFFF));
	return vf_as_vi_bits(vi_and(bits, vi_gt(magnitude, below)));
}

/* F() */
static inline vf flush(vf x) {
	return zero_below(x, vi_set1(BELOW_F24));
}

static inline vf source(const struct args *x, unsigned s, unsigned k, unsigned i) {
	return vf_load(x->s[s][k] + i * x->step[s]);
}

/* One result for all components. */
static inline void store_all(const struct args *x, unsigned i, vf r) {
	vf_store(x->d[0] + i * VF_LANES, r);
	for (unsigned k = 1; k < x->n; k++) {
		vf_store(x->d[k] + i * VF_LANES, r);
	}
}

/* A result for each component. */
static inline void store_each(const struct args *x, unsigned i, const vf r[4]) {
	for (unsigned k = 0; k < x->n; k++) {
		vf_store(x->d[k] + i * VF_LANES, r[x->out[k]]);
	}
}

/* ---- Kernels that are the same in both float modes ---- */

static void op_mov(const struct args *x) {
	for (unsigned k = 0; k < x->n; k++) {
		const float *p = x->s[0][k];
		float *d = x->d[k];
		for (unsigned i = 0; i < x->nv; i++, p += x->step[0], d += VF_LANES) {
			vf_store(d, vf_load(p));
		}
	}
}

static void op_max(const struct args *x) {
	for (unsigned k = 0; k < x->n; k++) {
		for (unsigned i = 0; i < x->nv; i++) {
			vf r = vf_max(source(x, 0, k, i), source(x, 1, k, i));
			vf_store(x->d[k] + i * VF_LANES, r);
		}
	}
}

static void op_min(const struct args *x) {
	for (unsigned k = 0; k < x->n; k++) {
		for (unsigned i = 0; i < x->nv; i++) {
			vf r = vf_min(source(x, 0, k, i), source(x, 1, k, i));
			vf_store(x->d[k] + i * VF_LANES, r);
		}
	}
}

static inline vf one_where(vi mask) {
	return vf_and(vf_as_vi_bits(mask), vf_set1(1.0f));
}

static void op_sge(const struct args *x) {
	for (unsigned k = 0; k < x->n; k++) {
		for (unsigned i = 0; i < x->nv; i++) {
			vi m = vf_ge(source(x, 0, k, i), source(x, 1, k, i));
			vf_store(x->d[k] + i * VF_LANES, one_where(m));
		}
	}
}

static void op_slt(const struct args *x) {
	for (unsigned k = 0; k < x->n; k++) {
		for (unsigned i = 0; i < x->nv; i++) {
			vi m = vf_lt(source(x, 0, k, i), source(x, 1, k, i));
			vf_store(x->d[k] + i * VF_LANES, one_where(m));
		}
	}
}

static void op_litp(const struct args *x) {
	const vf limit = vf_set1(ARITH_LITP_Y);
	for (unsigned i = 0; i < x->nv; i++) {
		/* vf_min(a, b) is b where either is NaN: y comes second. */
		vf y = vf_max(vf_neg(limit), vf_min(limit, source(x, 0, 1, i)));
		const vf r[4] = {
			vf_max(source(x, 0, 0, i), vf_zero()),
			y,
			vf_zero(),
			vf_max(source(x, 0, 3, i), vf_zero()),
		};
		store_each(x, i, r);
	}
}

#define ALU(name) tame_##name
#define ALU_F24 1
#define ALU_TAME 1
#include "shader/alu_v.h"

#define ALU(name) f24_##name
#define ALU_F24 1
#define ALU_TAME 0
#include "shader/alu_v.h"

#define ALU(name) f32_##name
#define ALU_F24 0
#define ALU_TAME 0
#include "shader/alu_v.h"

#define ALU_OPS(mode) \
	[OP_DST] = { mode##_op_dst, NULL, false }, \
	[OP_DSTI] = { mode##_op_dst, NULL, false }, \
	[OP_FLR] = { mode##_op_flr, NULL, true }, \
	[OP_RCP] = { mode##_op_rcp, NULL, true }, \
	[OP_RSQ] = { mode##_op_rsq, NULL, true }, \
	[OP_EX2] = { mode##_op_ex2, NULL, true }, \
	[OP_LG2] = { mode##_op_lg2, NULL, true }, \
	[OP_MOV] = { op_mov, NULL, false }, \
	[OP_MAX] = { op_max, NULL, false }, \
	[OP_MIN] = { op_min, NULL, false }, \
	[OP_SGE] = { op_sge, NULL, true }, \
	[OP_SGEI] = { op_sge, NULL, true }, \
	[OP_SLT] = { op_slt, NULL, true }, \
	[OP_SLTI] = { op_slt, NULL, true }, \
	[OP_LITP] = { op_litp, NULL, false }

static const struct alu alu_f24 = {
	.op = {
		[OP_ADD] = { f24_op_add, tame_op_add, true },
		[OP_MUL] = { f24_op_mul, tame_op_mul, true },
		[OP_MAD] = { f24_op_mad, tame_op_mad, true },
		[OP_MADI] = { f24_op_mad, tame_op_mad, true },
		[OP_DP3] = { f24_op_dp3, tame_op_dp3, true },
		[OP_DP4] = { f24_op_dp4, tame_op_dp4, true },
		[OP_DPH] = { f24_op_dph, tame_op_dph, true },
		[OP_DPHI] = { f24_op_dph, tame_op_dph, true },
		ALU_OPS(f24),
	},
};

static const struct alu alu_f32 = {
	.op = {
		[OP_ADD] = { f32_op_add, NULL, true },
		[OP_MUL] = { f32_op_mul, NULL, true },
		[OP_MAD] = { f32_op_mad, NULL, true },
		[OP_MADI] = { f32_op_mad, NULL, true },
		[OP_DP3] = { f32_op_dp3, NULL, true },
		[OP_DP4] = { f32_op_dp4, NULL, true },
		[OP_DPH] = { f32_op_dph, NULL, true },
		[OP_DPHI] = { f32_op_dph, NULL, true },
		ALU_OPS(f32),
	},
};

/* ---- Operands ---- */

static void zero_rows(float row[4][SHADER_LANES], unsigned components) {
	if (components == 15) {
		memset(row, 0, 4 * sizeof(row[0]));
		return;
	}
	for (unsigned c = 0; c < 4; c++) {
		if (components >> c & 1) {
			memset(row[c], 0, sizeof(row[c]));
		}
	}
}

/*
 * Smallest magnitude but 0 and largest one, as bits. The smallest is kept as magnitude - 1 on the
 * signed scale, where 0 is the largest of all.
 */
struct extent {
	vi smallest, largest;
};

static inline struct extent extent_none(void) {
	return (struct extent){ vi_set1(INT32_MAX), vi_zero() };
}

static inline void extent_add(struct extent *e, vf x) {
	vi magnitude = vi_and(vi_as_vf_bits(x), vi_set1(0x7FFFFFFF));
	e->smallest = vi_min(e->smallest, vi_add(magnitude, vi_set1(INT32_MAX)));
	e->largest = vi_max(e->largest, magnitude);
}

static enum class extent_class(const struct extent *e) {
	if (vi_movemask(vi_gt(vi_set1(INT32_MIN + BELOW_F24), e->smallest))) {
		return CLASS_ANY;
	}
	vi wild = vi_or(vi_gt(vi_set1(INT32_MIN + BELOW_TAME), e->smallest),
			vi_gt(e->largest, vi_set1(ABOVE_TAME - 1)));
	return vi_movemask(wild) ? CLASS_CLEAN : CLASS_TAME;
}

/* Class of the components read of v or r, found once for each value. */
static enum class find_class(struct machine *m, unsigned reg, const float row[4][SHADER_LANES],
		unsigned reads) {
	unsigned unknown = reads & ~(unsigned)m->known[reg];
	for (; unknown; unknown &= unknown - 1) {
		unsigned c = ctz32(unknown);
		struct extent e = extent_none();
		const float *end = row[c] + m->nv * VF_LANES;
		for (const float *p = row[c]; p < end; p += VF_LANES) {
			extent_add(&e, vf_load(p));
		}
		enum class class = extent_class(&e);
		uint8_t bit = (uint8_t)(1u << c);
		m->known[reg] |= bit;
		m->clean[reg] = (uint8_t)(class >= CLASS_CLEAN ? m->clean[reg] | bit :
				m->clean[reg] & ~bit);
		m->tame[reg] = (uint8_t)(class >= CLASS_TAME ? m->tame[reg] | bit : m->tame[reg] & ~bit);
	}
	return (m->tame[reg] & reads) == reads ? CLASS_TAME :
			(m->clean[reg] & reads) == reads ? CLASS_CLEAN : CLASS_ANY;
}

/* is_patient: looking at the rows pays, if it lets a tame kernel run. */
static inline enum class register_class(struct machine *m, unsigned reg,
		const float row[4][SHADER_LANES], unsigned reads, bool is_patient) {
	if ((m->tame[reg] & reads) == reads) {
		return CLASS_TAME;
	}
	if (!is_patient && (m->clean[reg] & reads) == reads) {
		return CLASS_CLEAN;
	}
	return find_class(m, reg, row, reads);
}

/* Class of all uniforms together: any of them may be read relative to a0. */
static enum class uniforms_class(struct machine *m) {
	if (!m->uniforms_known) {
		const float *c = m->u->c[0];
		struct extent e = extent_none();
		for (unsigned i = 0; i < 4 * SHADER_UNIFORMS; i += VF_LANES) {
			extent_add(&e, vf_loadu(c + i));
		}
		m->uniforms = extent_class(&e);
		m->uniforms_known = true;
	}
	return m->uniforms;
}

/* Rows from the first vector of the group on, in the order that kernels want. */
static inline void point_at(struct args *x, const struct group *g, const struct prog_op *op,
		unsigned s, const float row[4][SHADER_LANES]) {
	const float *first = row[0] + g->first * VF_LANES;
	x->s[s][0] = first + op->from[s][0] * SHADER_LANES;
	x->s[s][1] = first + op->from[s][1] * SHADER_LANES;
	x->s[s][2] = first + op->from[s][2] * SHADER_LANES;
	x->s[s][3] = first + op->from[s][3] * SHADER_LANES;
	x->step[s] = VF_LANES;
}

/* Copies the rows that are read to m->operand[s], flushed, negated. */
static void copy_rows(struct machine *m, const struct group *g, const struct prog_op *op,
		unsigned s, const float row[4][SHADER_LANES], bool flushes) {
	const vf sign = vf_set1(op->negate >> s & 1 ? -0.0f : 0.0f);
	const vi below = vi_set1(flushes ? BELOW_F24 : -1);
	for (unsigned c = 0; c < 4; c++) {
		if (!(op->reads[s] >> c & 1)) {
			continue;
		}
		for (unsigned i = g->first; i < g->first + g->nv; i++) {
			vf x = zero_below(vf_load(row[c] + i * VF_LANES), below);
			vf_store(m->operand[s][c] + i * VF_LANES, vf_xor(x, sign));
		}
	}
}

static inline uint32_t spread(float *row, float value, uint32_t sign) {
	uint32_t bits = f32_bits(value);
	vf_store(row, vf_set1(f32_from_bits(bits ^ sign)));
	return bits & 0x7FFFFFFF;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b) {
	return a < b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b) {
	return a > b ? a : b;
}

/* One value a component for all lanes; flushed, and its class given, if is_cleaned. */
static enum class read_uniform(struct machine *m, struct args *x, const struct prog_op *op,
		unsigned s, const float value[4], bool is_cleaned) {
	const uint32_t sign = (uint32_t)(op->negate >> s & 1) << 31;
	float (*const row)[SHADER_LANES] = m->operand[s];
	/* Magnitudes; what is not read counts too. */
	uint32_t m0 = spread(row[0], value[op->from[s][0]], sign);
	uint32_t m1 = spread(row[1], value[op->from[s][1]], sign);
	uint32_t m2 = spread(row[2], value[op->from[s][2]], sign);
	uint32_t m3 = spread(row[3], value[op->from[s][3]], sign);
	x->s[s][0] = row[0];
	x->s[s][1] = row[1];
	x->s[s][2] = row[2];
	x->s[s][3] = row[3];
	x->step[s] = 0;
	/* 0 counts as the largest. */
	uint32_t smallest = min_u32(min_u32(m0 - 1, m1 - 1), min_u32(m2 - 1, m3 - 1));
	uint32_t largest = max_u32(max_u32(m0, m1), max_u32(m2, m3));
	if (PICA_UNLIKELY(is_cleaned && smallest < BELOW_F24)) {
		for (unsigned k = 0; k < 4; k++) {
			vf_store(row[k], flush(vf_load(row[k])));
		}
		return CLASS_CLEAN;
	}
	return smallest >= BELOW_TAME && largest < ABOVE_TAME ? CLASS_TAME : CLASS_CLEAN;
}

static const float ones[4] = { 1.0f, 1.0f, 1.0f, 1.0f };

static const float *uniform_at(const struct machine *m, unsigned base, int32_t off) {
	int k = arith_relative(base, off);
	return k < 0 ? ones : m->u->c[k];
}

/*
 * The uniforms that VF_LANES offsets name, planes by component; the same rule as
 * arith_relative().
 */
static inline void gather(const float *c, unsigned base, vi off, vf plane[4]) {
	vi index = vi_and(vi_add(vi_set1((int32_t)base), off), vi_set1(0x7F));
	PICA_ALIGNED(64) int32_t lane[VF_LANES];
	vi_store(lane, vi_min(index, vi_set1(SHADER_UNIFORMS - 1)));
	vf_gather4(c, lane, plane);
	vi outside = vi_gt(index, vi_set1(SHADER_UNIFORMS - 1));
	if (PICA_UNLIKELY(vi_movemask(outside))) {
		for (unsigned k = 0; k < 4; k++) {
			plane[k] = vf_select(outside, vf_set1(1.0f), plane[k]);
		}
	}
}

/* A uniform relative to a0, each lane its own. */
static enum class gather_uniform(struct machine *m, const struct group *g, const struct prog_op *op,
		unsigned s, bool is_cleaned) {
	const vf sign = vf_set1(op->negate >> s & 1 ? -0.0f : 0.0f);
	const int32_t *a = m->a[op->rel - 1];
	float (*const row)[SHADER_LANES] = m->operand[s];
	const unsigned end = (g->first + g->nv) * VF_LANES;
	const float *c = m->u->c[0];
	const unsigned base = op->src[s] - (unsigned)SHADER_C;
	for (unsigned i = g->first * VF_LANES; i < end; i += VF_LANES) {
		vf p[4];
		gather(c, base, vi_load(a + i), p);
		vf_store(row[0] + i, vf_xor(p[0], sign));
		vf_store(row[1] + i, vf_xor(p[1], sign));
		vf_store(row[2] + i, vf_xor(p[2], sign));
		vf_store(row[3] + i, vf_xor(p[3], sign));
	}
	enum class class = is_cleaned ? uniforms_class(m) : CLASS_ANY;
	if (is_cleaned && class == CLASS_ANY) {
		for (unsigned k = 0; k < 4; k++) {
			for (unsigned i = g->first; i < g->first + g->nv; i++) {
				float *p = row[k] + i * VF_LANES;
				vf_store(p, flush(vf_load(p)));
			}
		}
		class = CLASS_CLEAN;
	}
	return class;
}

static enum class read_relative(struct machine *m, const struct group *g, const struct prog_op *op,
		unsigned s, bool is_cleaned, struct args *x) {
	unsigned base = op->src[s] - (unsigned)SHADER_C;
	if (op->rel != 3 && !m->a_is_same[op->rel - 1]) {
		point_at(x, g, op, s, (const float (*)[SHADER_LANES])m->operand[s]);
		return gather_uniform(m, g, op, s, is_cleaned);
	}
	int32_t off = op->rel == 3 ? g->flow.al : m->a[op->rel - 1][0];
	return read_uniform(m, x, op, s, uniform_at(m, base, off), is_cleaned);
}

/* Source s of an instruction. is_cleaned: flushed where needed; then the result is what it is. */
static inline enum class read_operand(struct machine *m, const struct group *g,
		const struct prog_op *op, unsigned s, bool is_cleaned, struct args *x) {
	const unsigned reg = op->src[s];
	if (reg >= SHADER_C) {
		return op->rel && op->rel_src == s ? read_relative(m, g, op, s, is_cleaned, x) :
				read_uniform(m, x, op, s, m->u->c[reg - SHADER_C], is_cleaned);
	}
	const float (*row)[SHADER_LANES];
	if (reg < SHADER_R) {
		row = (const float (*)[SHADER_LANES])m->b->v[reg];
	} else {
		row = (const float (*)[SHADER_LANES])m->r[reg - SHADER_R];
		unsigned missing = op->reads[s] & ~(unsigned)m->valid[reg];
		if (PICA_UNLIKELY(missing)) {
			zero_rows(m->r[reg - SHADER_R], missing);
			m->valid[reg] |= (uint8_t)missing;
		}
	}
	bool is_patient = !op->each || reg < SHADER_R;
	enum class class = is_cleaned ? register_class(m, reg, row, op->reads[s], is_patient) :
			CLASS_ANY;
	bool flushes = is_cleaned && class == CLASS_ANY;
	if (PICA_UNLIKELY(flushes || op->negate >> s & 1)) {
		copy_rows(m, g, op, s, row, flushes);
		row = (const float (*)[SHADER_LANES])m->operand[s];
		class = flushes ? CLASS_CLEAN : class;
	}
	point_at(x, g, op, s, row);
	return class;
}

/* ---- Instructions ---- */

/* Lanes of the group where the comparison holds; rows as kernels get them. */
static uint32_t compare(const struct group *g, unsigned cmp, const float *a, size_t step_a,
		const float *b, size_t step_b) {
	uint32_t bits = 0;
	for (unsigned i = 0; i < g->nv; i++) {
		vf p = vf_load(a + i * step_a), q = vf_load(b + i * step_b);
		unsigned lanes = ~0u;
		switch (cmp) {
		case 0:
			lanes = vi_movemask(vf_eq(p, q));
			break;
		case 1:
			lanes = vi_movemask(vf_neq(p, q));
			break;
		case 2:
			lanes = vi_movemask(vf_lt(p, q));
			break;
		case 3:
			lanes = vi_movemask(vf_le(p, q));
			break;
		case 4:
			lanes = vi_movemask(vf_gt(p, q));
			break;
		case 5:
			lanes = vi_movemask(vf_ge(p, q));
			break;
		}
		bits |= (lanes & ((1u << VF_LANES) - 1)) << (g->first + i) * VF_LANES;
	}
	return bits & g->live;
}

static void set_flags(struct machine *m, const struct group *g, uint32_t x, uint32_t y) {
	m->cmp[0] = (m->cmp[0] & ~g->live) | x;
	m->cmp[1] = (m->cmp[1] & ~g->live) | y;
}

static inline vi live_mask(const struct group *g, unsigned i) {
	return vi_mask_from_bits(g->live >> i * VF_LANES & ((1u << VF_LANES) - 1));
}

static void run_cmp(struct machine *m, const struct group *g, const struct prog_op *op) {
	struct args x;
	read_operand(m, g, op, 0, false, &x);
	read_operand(m, g, op, 1, false, &x);
	set_flags(m, g, compare(g, op->cmp[0], x.s[0][0], x.step[0], x.s[1][0], x.step[1]),
			compare(g, op->cmp[1], x.s[0][1], x.step[0], x.s[1][1], x.step[1]));
}

static void run_mova(struct machine *m, const struct group *g, const struct prog_op *op) {
	struct args x;
	read_operand(m, g, op, 0, false, &x);
	for (unsigned c = 0; c < 2; c++) {
		if (!(op->mask >> c & 1)) {
			continue;
		}
		if (!m->a_valid[c]) {
			memset(m->a[c], 0, sizeof(m->a[c]));
			m->a_valid[c] = true;
		}
		for (unsigned i = 0; i < g->nv; i++) {
			/* Toward zero, then -128..127: what is above -129 and below 128. */
			vf p = vf_load(x.s[0][c] + i * x.step[0]);
			vi fits = vi_and(vf_gt(p, vf_set1(-129.0f)), vf_lt(p, vf_set1(128.0f)));
			vi q = vi_from_vf_trunc(vf_and(p, vf_as_vi_bits(fits)));
			int32_t *row = m->a[c] + (g->first + i) * VF_LANES;
			vi_store(row, vi_select(live_mask(g, g->first + i), q, vi_load(row)));
		}
		const vi first = vi_set1(m->a[c][0]);
		uint32_t same = 0;
		for (unsigned i = 0; i < m->nv; i++) {
			vi is_same = vi_eq(vi_load(m->a[c] + i * VF_LANES), first);
			same |= (uint32_t)vi_movemask(is_same) << i * VF_LANES;
		}
		m->a_is_same[c] = (same & m->all) == m->all;
	}
}

/* From m->result to the register, the group's lanes only. */
static void move_result(struct machine *m, const struct group *g, unsigned mask,
		float row[4][SHADER_LANES]) {
	for (unsigned c = 0; c < 4; c++) {
		if (!(mask >> c & 1)) {
			continue;
		}
		for (unsigned i = g->first; i < g->first + g->nv; i++) {
			float *p = row[c] + i * VF_LANES;
			vf_store(p, vf_select(live_mask(g, i), vf_load(m->result[c] + i * VF_LANES),
							vf_load(p)));
		}
	}
}

static void run_alu(struct machine *m, const struct group *g, const struct prog_op *op) {
	void (*run)(const struct args *) = m->alu->op[op->op].run;
	void (*run_tame)(const struct args *) = m->alu->op[op->op].run_tame;
	struct args x;
	enum class class = CLASS_TAME;
	for (unsigned s = 0; s < op->n_src; s++) {
		enum class c = read_operand(m, g, op, s, run_tame != NULL, &x);
		class = c < class ? c : class;
	}
	if (op->op == OP_LITP) {
		static const PICA_ALIGNED(64) float zero[VF_LANES];
		set_flags(m, g, compare(g, 5, x.s[0][0], x.step[0], zero, 0),
				compare(g, 5, x.s[0][3], x.step[0], zero, 0));
	}
	if (op->n_out == 0) {
		return;
	}

	float (*row)[SHADER_LANES] = op->dst < SHADER_R ? m->b->o[op->dst] : m->r[op->dst - SHADER_R];
	float (*to)[SHADER_LANES] = g->is_all && !op->overlaps ? row : m->result;
	if (!g->is_all) {
		zero_rows(row, op->mask & ~(unsigned)m->valid[op->dst]);
	}
	x.nv = g->nv;
	x.n = op->n_out;
	x.out = op->out;
	for (unsigned k = 0; k < op->n_out; k++) {
		x.d[k] = to[op->out[k]] + g->first * VF_LANES;
	}
	(run_tame && class == CLASS_TAME ? run_tame : run)(&x);
	if (to != row) {
		move_result(m, g, op->mask, row);
	}
	m->valid[op->dst] |= op->mask;
	if (op->dst >= SHADER_R) {
		/* Lanes of other groups keep their values: only what holds for both still holds. */
		unsigned clean = m->clean[op->dst];
		if (m->alu->op[op->op].is_clean) {
			clean |= g->is_all ? op->mask : 0u;
		} else {
			clean &= ~(unsigned)op->mask;
		}
		m->clean[op->dst] = (uint8_t)clean;
		m->known[op->dst] &= (uint8_t)~op->mask;
		m->tame[op->dst] &= (uint8_t)~op->mask;
	}
}

/* ---- Flow ---- */

static void set_lanes(const struct machine *m, struct group *g, uint32_t live) {
	unsigned end = 0;
	while (end < VECTORS && (uint64_t)live >> end * VF_LANES) {
		end++;
	}
	g->live = live;
	g->first = ctz32(live) / VF_LANES;
	g->nv = end - g->first;
	g->is_all = live == m->all;
}

/* Lanes whose flags let a conditional instruction go its way. */
static uint32_t taken_lanes(const struct machine *m, const struct prog_op *op) {
	uint32_t x = op->ref[0] ? m->cmp[0] : ~m->cmp[0];
	uint32_t y = op->ref[1] ? m->cmp[1] : ~m->cmp[1];
	switch ((enum prog_condition)op->condition) {
	case CONDITION_OR:
		return x | y;
	case CONDITION_AND:
		return x & y;
	case CONDITION_X:
		return x;
	case CONDITION_Y:
		return y;
	}
	return 0;
}

/* Runs one group to its end; groups that leave it are pushed. At most 32 exist: each has a lane. */
static void run_group(struct machine *m, const struct prog *p, struct group *g, struct group *stack,
		unsigned *depth, uint64_t budget, struct shader_result *result) {
	for (;; g->steps++) {
		if (g->steps == budget) {
			result->cut += popcount64(g->live);
			break;
		}
		const struct prog_op *op = &p->ops[g->flow.pc];
		if (m->alu->op[op->op].run) {
			run_alu(m, g, op);
			flow_advance(&g->flow);
			continue;
		}
		bool is_good = true;
		switch ((enum shader_op)op->op) {
		case OP_END:
			g->steps++;
			result->steps += g->steps * popcount64(g->live);
			return;
		case OP_CMP:
			run_cmp(m, g, op);
			flow_advance(&g->flow);
			break;
		case OP_MOVA:
			run_mova(m, g, op);
			flow_advance(&g->flow);
			break;
		case OP_NOP:
		case OP_EMIT:
		case OP_SETEMIT:
			flow_advance(&g->flow);
			break;
		case OP_BREAK:
		case OP_CALL:
		case OP_CALLU:
		case OP_IFU:
		case OP_LOOP:
		case OP_JMPU:
			is_good = flow_execute(&g->flow, op, false, m->u);
			break;
		case OP_BREAKC:
		case OP_CALLC:
		case OP_IFC:
		case OP_JMPC: {
			uint32_t taken = taken_lanes(m, op) & g->live;
			if (taken != 0 && taken != g->live) {
				struct group *other = &stack[(*depth)++];
				*other = *g;
				set_lanes(m, other, g->live & ~taken);
				other->steps++;
				flow_execute(&other->flow, op, false, m->u);
				set_lanes(m, g, taken);
			}
			is_good = flow_execute(&g->flow, op, taken != 0, m->u);
			break;
		}
		default:
			is_good = false;
			flow_advance(&g->flow);
			break;
		}
		if (!is_good) {
			result->bad += popcount64(g->live);
		}
	}
	result->steps += g->steps * popcount64(g->live);
}

static void run(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		struct shader_batch *b, unsigned n, uint64_t budget, struct shader_result *result,
		const struct alu *alu) {
	assert(n <= SHADER_LANES);
	if (n == 0) {
		return;
	}
	struct machine m;
	m.alu = alu;
	m.u = u;
	m.b = b;
	m.all = (uint32_t)((UINT64_C(1) << n) - 1);
	m.cmp[0] = m.cmp[1] = 0;
	m.a_valid[0] = m.a_valid[1] = false;
	m.a_is_same[0] = m.a_is_same[1] = true;
	m.a[0][0] = m.a[1][0] = 0;
	m.uniforms_known = false;
	memset(m.valid, 0, sizeof(m.valid));
	memset(m.known, 0, sizeof(m.known));
	memset(m.clean, 0, sizeof(m.clean));
	memset(m.tame, 0, sizeof(m.tame));

	struct group stack[SHADER_LANES];
	unsigned depth = 1;
	flow_start(&stack[0].flow, entry, vs_pc_mask(p), 0);
	stack[0].steps = 0;
	set_lanes(&m, &stack[0], m.all);
	m.nv = stack[0].nv;
	while (depth > 0) {
		struct group g = stack[--depth];
		run_group(&m, p, &g, stack, &depth, budget, result);
	}
	for (unsigned read = 0xFFFF & ~(unsigned)b->o_unread; read; read &= read - 1) {
		unsigned reg = ctz32(read);
		if (m.valid[reg] != 15) {
			zero_rows(b->o[reg], 15 & ~(unsigned)m.valid[reg]);
		}
	}
}

static void run_f24(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		struct shader_batch *b, unsigned n, uint64_t budget, struct shader_result *r) {
	run(p, entry, u, b, n, budget, r, &alu_f24);
}

static void run_f32(const struct prog *p, unsigned entry, const struct shader_uniforms *u,
		struct shader_batch *b, unsigned n, uint64_t budget, struct shader_result *r) {
	run(p, entry, u, b, n, budget, r, &alu_f32);
}

void VFN(shader_kernels_init)(struct shader_kernels *k) {
	k->run[PICA_FLOAT_F24] = run_f24;
	k->run[PICA_FLOAT_F32] = run_f32;
}
