/*
 * Fragments: four quads of one triangle at a time go through the fragment program, which draws into
 * the buffer of its tile by itself.
 */
#include <errno.h>

#include "core/base/morton.h"
#include "vc4/draw/draw.h"

enum { GROUP_QUADS = QPU_LANES / 4, DEPTH_MAX = 0xFFFFFF, PIXEL = 16 };

struct frag_memory {
	PICA_ALIGNED(64) float varying[VC4_VARYINGS + VC4_OWN_VARYINGS][QPU_LANES];
	PICA_ALIGNED(64) float w[QPU_LANES];
	PICA_ALIGNED(64) uint32_t z[QPU_LANES];
	PICA_ALIGNED(64) unsigned char scratch[QPU_SCRATCH_BYTES];
	const struct raster_kernels *raster;
	int (*run)(struct qpu_run *r);
	const struct vc4_frag_part *part;
	struct tile_buffer *buffer;
	int32_t org_x, org_y; /* of the buffer */
	uint32_t width; /* its, in pixels */
	struct qpu_run qpu;
	struct qpu_tlb tlb;
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
	*facts = (struct frag_facts){ .cost = 1 };
}

/*
 * Planes of (v - C) / Wc through the corners; C is v at the last one. [fidelity: vc4-varyings]
 */
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

/* At centres of pixels, whatever samples are covered. */
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

static void shade(void *scratch, struct batch *b) {
	struct frag_memory *m = scratch;
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
		const int ret = m->run(&m->qpu);
		m->buffer->spent += m->qpu.steps;
		if (ret < 0) {
			vc4_report_error(m->part->report, m->part->record, ret);
		} else if (m->buffer->spent > m->part->task_steps) {
			vc4_report_error(m->part->report, m->part->record, -EDQUOT);
		}
	}
}

static void shade_block(void *scratch, struct batch *b, const struct raster_block *at) {
	const struct frag_memory *m = scratch;
	m->raster->interp_block(at, 1u << PLANE_IW | 1u << PLANE_Z, b);
	shade(scratch, b);
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
