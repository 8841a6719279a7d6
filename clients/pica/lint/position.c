/* The vertices of a draw: finds positions that are not numbers by running the draw's program. */
#include <math.h>

#include "common/reads.h"
#include "fields.h"
#include "lint.h"

/* at: of the first one in the draw. */
static bool report_nan(struct lint *l, const struct pica_vertex *v, uint32_t at, uint32_t n) {
	for (uint32_t i = 0; i < n; i++) {
		const float *p = v[i].semantic;
		if (isnan(p[0]) || isnan(p[1]) || isnan(p[2]) || isnan(p[3])) {
			lint_report(l, LINT_VERTEX_NAN, LINT_NO_REG, at + i,
					"vertex %u: %g %g %g %g", at + i,
					lint_number((double)p[0]), lint_number((double)p[1]),
					lint_number((double)p[2]), lint_number((double)p[3]));
			return true;
		}
	}
	return false;
}

/* Returns the host address of the indices, or NULL if they are outside memory. */
static const uint8_t *indices(
		const struct lint *l, const uint32_t *regs, uint32_t n, unsigned bytes) {
	const uint32_t base = get_ATTRIBBUFFERS_LOC_ADDR16(regs[PICA_REG_ATTRIBBUFFERS_LOC]) << 4;
	return pica_ctx_host(l->ctx,
			base + get_INDEXBUFFER_CONFIG_OFFSET(regs[PICA_REG_INDEXBUFFER_CONFIG]),
			n * bytes);
}

void lint_position_draw(struct lint *l, const uint32_t *regs, enum draw_kind kind) {
	struct lint_vertices *v = &l->vertices;
	v->n = 0;
	v->first = 0;
	v->is_done = facts_has_geometry(regs); /* its outputs are not seen */
	if (v->is_done || kind == DRAW_IMMEDIATE) {
		return;
	}
	const bool is_u16 = get_INDEXBUFFER_CONFIG_IS_U16(regs[PICA_REG_INDEXBUFFER_CONFIG]);
	uint32_t n = regs[PICA_REG_NUMVERTICES];
	n = n < LINT_MAX_VERTICES ? n : LINT_MAX_VERTICES;
	const uint8_t *index = kind == DRAW_ELEMENTS && n ? indices(l, regs, n, is_u16 ? 2 : 1) :
			NULL;
	if (kind == DRAW_ELEMENTS && !index) {
		return; /* another rule's */
	}
	for (uint32_t at = 0; at < n && !v->is_done; at += LINT_VERTICES) {
		const uint32_t some = n - at < LINT_VERTICES ? n - at : LINT_VERTICES;
		uint32_t number[LINT_VERTICES];
		for (uint32_t i = 0; i < some; i++) {
			number[i] = index ? reads_index(index, is_u16, at + i) :
					    regs[PICA_REG_VERTEX_OFFSET] + at + i;
		}
		v->is_done = pica_ctx_shade(l->ctx, number, NULL, some, v->out) < 0 ||
				report_nan(l, v->out, at, some);
	}
}

void lint_position_end(struct lint *l) {
	struct lint_vertices *v = &l->vertices;
	if (v->n && !v->is_done &&
			pica_ctx_shade(l->ctx, NULL, (const float (*)[16][4])v->attributes, v->n,
			v->out) == 0) {
		v->is_done = report_nan(l, v->out, v->first, v->n);
	}
	v->first += v->n;
	v->n = 0;
}

void lint_position_vertex(void *user, const uint32_t (*attributes)[4], unsigned n) {
	struct lint *l = user;
	struct lint_vertices *v = &l->vertices;
	for (unsigned a = 0; a < n; a++) {
		for (unsigned c = 0; c < 4; c++) {
			if (!lint_is_finite_f24(attributes[a][c])) {
				lint_report(l, LINT_ATTRIBUTE_NAN, PICA_REG_FIXEDATTRIB_DATA0,
						attributes[a][c], "attribute %u of a vertex: %c", a,
						"xyzw"[c]);
			}
		}
	}
	if (v->is_done) {
		return;
	}
	for (unsigned a = 0; a < 16; a++) {
		for (unsigned c = 0; c < 4; c++) {
			v->attributes[v->n][a][c] =
					a < n ? (float)pica_f24_value(attributes[a][c]) : 0;
		}
	}
	if (++v->n == LINT_VERTICES) {
		lint_position_end(l);
	}
}
