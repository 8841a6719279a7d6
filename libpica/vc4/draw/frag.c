/*
 * Fragments: the fragment program runs on four quads of one triangle at a time, and itself draws
 * into the tile's buffer.
 */
#include <errno.h>

#include "core/base/morton.h"
#include "vc4/draw/watch.h"

enum { GROUP_QUADS = QPU_LANES / 4, DEPTH_MAX = 0xFFFFFF, PIXEL = 16 };

struct frag_memory {
	PICA_ALIGNED(64) float varying[VC4_VARYINGS + VC4_OWN_VARYINGS][QPU_LANES];
	PICA_ALIGNED(64) float w[QPU_LANES];
	PICA_ALIGNED(64) uint32_t z[QPU_LANES];
	PICA_ALIGNED(64) unsigned char scratch[QPU_SCRATCH_BYTES];
	PICA_ALIGNED(64) unsigned char wide_scratch[QPU_WIDE_SCRATCH_BYTES];
	const struct raster_kernels *raster;
	int (*run)(struct qpu_run *r);
	bool (*run_wide)(struct qpu_wide_run *r);
	const struct vc4_frag_part *part;
	struct tile_buffer *buffer;
	int32_t org_x, org_y; /* of the buffer */
	uint32_t width; /* its, in pixels */
	struct qpu_run qpu;
	struct qpu_tlb tlb;
	bool is_wide; /* else programs are interpreted */
	struct qpu_wide_run wide;
	/* The planes of varyings: 0 at (x0, y0); gradients per sixteenth of a pixel. */
	float x0, y0;
	float gx[VC4_VARYINGS + VC4_OWN_VARYINGS], gy[VC4_VARYINGS + VC4_OWN_VARYINGS];
	float reference[VC4_VARYINGS + VC4_OWN_VARYINGS];
	unsigned n_own; /* of a point or a line */
};

static void bind(void *scratch, const void *kernels, const struct raster_kernels *rk,
		const struct draw_state *state, const struct target *target,
		struct frag_facts *facts) {
	struct frag_memory *m = scratch;
	const struct vc4_kernels *k = kernels;
	const struct vc4_frag_part *part = state->frag;
	m->raster = rk;
	m->run = k->qpu.run;
	m->part = part;
	m->n_own = part->mode == VC4_MODE_POINTS ? 2 : part->mode < VC4_MODE_TRIANGLES;
	m->buffer = (struct tile_buffer *)(void *)target->color; /* its first member */
	m->org_x = target->org_x;
	m->org_y = target->org_y;
	m->width = target->width;
	m->qpu = (struct qpu_run){ .program = part->fragment.program,
		.space = part->space,
		.uniforms = part->fragment.uniforms,
		.n_lanes = QPU_LANES,
		.scratch = m->scratch,
		.varying = (const float(*)[QPU_LANES])m->varying,
		.varying_c = m->reference,
		.n_varyings = part->state->shader->n_varyings + m->n_own,
		.w = m->w,
		.z = m->z,
		.tlb = &m->tlb };
	m->tlb = (struct qpu_tlb){ .color = m->buffer->color,
		.zs = m->buffer->depth,
		.sample_px = (uint32_t)target->width * target->height,
		.n_samples = state->raster->rule->n_samples,
		.depth_function = part->state->depth_function,
		.updates_z = part->state->updates_z };
	m->is_wide = !part->watch && k->qpu.run_wide &&
			qpu_wide_bind(m->wide_scratch, m->qpu.program, part->space,
					m->qpu.uniforms, m->qpu.n_varyings, 0);
	m->run_wide = k->qpu.run_wide;
	m->wide = (struct qpu_wide_run){ .program = m->qpu.program,
		.space = part->space,
		.scratch = m->wide_scratch,
		.is_fragments = true,
		.gx = m->gx,
		.gy = m->gy,
		.c = m->reference,
		.tlb = &m->tlb };
	*facts = (struct frag_facts){ .cost = 1 };
}

/* Planes of (v - C) / Wc through the corners; C is v at the last one. [fidelity: vc4-varyings] */
static void triangle(
		void *scratch, const struct vert *const v[3], const float *const extra[3]) {
	struct frag_memory *m = scratch;
	const struct vc4_state *state = m->part->state;
	m->x0 = (float)v[2]->x_fx;
	m->y0 = (float)v[2]->y_fx;
	const float x1 = (float)v[0]->x_fx - m->x0, y1 = (float)v[0]->y_fx - m->y0;
	const float x2 = (float)v[1]->x_fx - m->x0, y2 = (float)v[1]->y_fx - m->y0;
	const int64_t area2 = (int64_t)(v[0]->x_fx - v[2]->x_fx) * (v[1]->y_fx - v[2]->y_fx) -
			(int64_t)(v[0]->y_fx - v[2]->y_fx) * (v[1]->x_fx - v[2]->x_fx);
	const float inverse = 1.0f / (float)area2;
	m->wide.is_tame = 0;
	m->tlb.is_back = !m->n_own && (area2 > 0) == state->is_clockwise_front;
	for (unsigned i = 0; i < m->qpu.n_varyings; i++) {
		const bool is_flat = i >= m->n_own && i < m->n_own + 32 &&
				(state->flat >> (i - m->n_own) & 1);
		const float c = extra[2][i];
		const float d1 = is_flat ? 0.0f : (extra[0][i] - c) * v[0]->a[PLANE_IW];
		const float d2 = is_flat ? 0.0f : (extra[1][i] - c) * v[1]->a[PLANE_IW];
		m->gx[i] = (d1 * y2 - d2 * y1) * inverse;
		m->gy[i] = (d2 * x1 - d1 * x2) * inverse;
		m->reference[i] = c;
		if (qpu_is_tame(c) && qpu_is_tame(m->gx[i]) && qpu_is_tame(m->gy[i])) {
			m->wide.is_tame |= UINT64_C(1) << i;
		}
	}
}

static uint32_t depth_of(float z) {
	if (!(z > 0.0f)) {
		return 0;
	}
	return z >= 1.0f ? DEPTH_MAX : (uint32_t)(z * (float)DEPTH_MAX + 0.5f);
}

/* Quads first to first + n - 1 of the batch; those that are missing repeat the last one. */
static void set_lanes(struct frag_memory *m, const struct batch *b, unsigned first, unsigned n) {
	struct qpu_tlb *tlb = &m->tlb;
	const uint32_t across = m->width >> 3;
	for (unsigned q = 0; q < GROUP_QUADS; q++) {
		const unsigned from = first + (q < n ? q : n - 1);
		const uint32_t px = b->quad_px[from], block = px >> 6;
		const int32_t x = m->org_x + (int32_t)(block % across * 8 + morton8_x(px & 63));
		const int32_t y = m->org_y + (int32_t)(block / across * 8 + morton8_y(px & 63));
		tlb->quad_px[q] = px;
		for (unsigned i = 0; i < 4; i++) {
			const unsigned lane = 4 * q + i;
			tlb->x[lane] = x + (int32_t)(i & 1);
			tlb->y[lane] = y + (int32_t)(i >> 1);
			m->w[lane] = 1.0f / b->f[PLANE_IW][4 * from + i];
			m->z[lane] = depth_of(b->f[PLANE_Z][4 * from + i]);
		}
	}
	const uint64_t lanes = (UINT64_C(1) << 4 * n) - 1;
	tlb->covered[0] = (uint16_t)(b->live >> 4 * first & lanes);
	for (unsigned s = 0; s < tlb->n_samples && tlb->n_samples > 1; s++) {
		tlb->covered[s] = (uint16_t)(b->samples[s] >> 4 * first & lanes);
	}
}

/* At centres of pixels, for any covered samples. */
static void set_varyings(struct frag_memory *m) {
	PICA_ALIGNED(64) float dx[QPU_LANES], dy[QPU_LANES];
	for (unsigned i = 0; i < QPU_LANES; i++) {
		dx[i] = (float)(PIXEL * m->tlb.x[i] + PIXEL / 2) - m->x0;
		dy[i] = (float)(PIXEL * m->tlb.y[i] + PIXEL / 2) - m->y0;
	}
	for (unsigned v = 0; v < m->qpu.n_varyings; v++) {
		for (unsigned i = 0; i < QPU_LANES; i++) {
			m->varying[v][i] = dx[i] * m->gx[v] + dy[i] * m->gy[v];
		}
	}
}

/* ---- Wide ---- */

static unsigned groups_of(uint64_t live) {
	unsigned n = 0;
	for (; live; live >>= QPU_LANES) {
		n += (live & 0xFFFF) != 0;
	}
	return n;
}

/* Where the first pixels of quads lie. */
static void place_quads(struct frag_memory *m, const struct batch *b, bool is_block) {
	static const int32_t block_x[BATCH_QUADS] = { 0, 2, 0, 2, 4, 6, 4, 6, 0, 2, 0, 2, 4, 6, 4,
		6 };
	static const int32_t block_y[BATCH_QUADS] = { 0, 0, 2, 2, 0, 0, 2, 2, 4, 4, 6, 6, 4, 4, 6,
		6 };
	struct qpu_wide_run *r = &m->wide;
	memcpy(r->quad_px, b->quad_px, sizeof(r->quad_px));
	const unsigned bits = m->width == 64 ? 3 : 2; /* of blocks across */
	const uint32_t mask = (1u << bits) - 1;
	if (is_block) {
		const uint32_t block = b->quad_px[0] >> 6;
		r->x[0] = m->org_x + (int32_t)(block & mask) * 8;
		r->y[0] = m->org_y + (int32_t)(block >> bits) * 8;
		return;
	}
	for (unsigned q = 0; q < b->n_quads; q++) {
		const uint32_t px = b->quad_px[q], block = px >> 6;
		r->x[q] = m->org_x + (int32_t)(block & mask) * 8 + block_x[px >> 2 & 15];
		r->y[q] = m->org_y + (int32_t)(block >> bits) * 8 + block_y[px >> 2 & 15];
	}
}

/* Returns false, without drawing, if the batch must be interpreted. */
static bool shade_wide(struct frag_memory *m, struct batch *b, bool is_block) {
	struct qpu_wide_run *r = &m->wide;
	const uint64_t live = b->live & (~UINT64_C(0) >> (BATCH - 4 * b->n_quads));
	const uint64_t steps = (uint64_t)groups_of(live) * qpu_wide_steps(r->program);
	if (m->buffer->spent + steps > m->part->task_steps) {
		return false;
	}
	place_quads(m, b, is_block);
	r->covered[0] = live;
	for (unsigned s = 0; s < m->tlb.n_samples && m->tlb.n_samples > 1; s++) {
		r->covered[s] = b->samples[s] & live;
	}
	r->n_lanes = 4 * b->n_quads;
	r->is_block = is_block;
	r->iw = b->f[PLANE_IW];
	r->z = b->f[PLANE_Z];
	r->x0 = m->x0;
	r->y0 = m->y0;
	if (!m->run_wide(r)) {
		return false;
	}
	m->buffer->spent += steps;
	return true;
}

static void interpret(struct frag_memory *m, struct batch *b) {
	for (unsigned first = 0; first < b->n_quads; first += GROUP_QUADS) {
		const unsigned left = b->n_quads - first;
		const unsigned n = left < GROUP_QUADS ? left : GROUP_QUADS;
		if (!(b->live >> 4 * first & ((UINT64_C(1) << 4 * n) - 1))) {
			continue;
		}
		if (m->buffer->spent > m->part->task_steps) {
			return; /* reported before */
		}
		set_lanes(m, b, first, n);
		set_varyings(m);
		const int ret = PICA_LIKELY(!m->part->watch) ?
				m->run(&m->qpu) :
				vc4_watch_run(m->part, &m->qpu, m->run);
		m->buffer->spent += m->qpu.steps;
		if (ret < 0) {
			vc4_report_error(m->part->report, m->part->record, ret);
		} else if (m->buffer->spent > m->part->task_steps) {
			vc4_report_error(m->part->report, m->part->record, -EDQUOT);
		}
	}
}

static void shade_batch(struct frag_memory *m, struct batch *b, bool is_block) {
	if (!m->is_wide || !shade_wide(m, b, is_block)) {
		interpret(m, b);
	}
}

static void shade(void *scratch, struct batch *b) {
	shade_batch(scratch, b, false);
}

static uint64_t shade_block(void *scratch, struct batch *b, const struct raster_block *at) {
	struct frag_memory *m = scratch;
	const uint64_t tested = b->live; /* all: there are no early tests */
	m->raster->interp_block(at, 1u << PLANE_IW | 1u << PLANE_Z, b);
	shade_batch(m, b, true);
	return tested;
}

static uint32_t finish(void *scratch) {
	return 0;
}

const struct frag_stage vc4_frag_stage = {
	.scratch_bytes = sizeof(struct frag_memory),
	.bind = bind,
	.triangle = triangle,
	.shade = shade,
	.shade_block = shade_block,
	.finish = finish,
};
