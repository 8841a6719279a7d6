#include "pica/geom/geom.h"

#include <math.h>
#include <string.h>

#include "core/base/f24.h"
#include "pica/regs/regs.h"

/* Component of a clip vertex for each semantic, or NO_COMPONENT. [fidelity: semantics] */
enum { NO_COMPONENT = 0xFF, N_SEMANTICS = 32 };

#define ATTRIBUTE(plane) (4 + (plane) - PLANE_COLOR)

static const uint8_t component_of[N_SEMANTICS] = {
	[0x00] = 0, 1, 2, 3,
	[0x04] = ATTRIBUTE(PLANE_QUAT), ATTRIBUTE(PLANE_QUAT + 1), ATTRIBUTE(PLANE_QUAT + 2),
	ATTRIBUTE(PLANE_QUAT + 3),
	[0x08] = ATTRIBUTE(PLANE_COLOR), ATTRIBUTE(PLANE_COLOR + 1), ATTRIBUTE(PLANE_COLOR + 2),
	ATTRIBUTE(PLANE_COLOR + 3),
	[0x0C] = ATTRIBUTE(PLANE_TC0), ATTRIBUTE(PLANE_TC0 + 1),
	[0x0E] = ATTRIBUTE(PLANE_TC1), ATTRIBUTE(PLANE_TC1 + 1),
	[0x10] = ATTRIBUTE(PLANE_TC0_W),
	[0x11] = NO_COMPONENT,
	[0x12] = ATTRIBUTE(PLANE_VIEW), ATTRIBUTE(PLANE_VIEW + 1), ATTRIBUTE(PLANE_VIEW + 2),
	[0x15] = NO_COMPONENT,
	[0x16] = ATTRIBUTE(PLANE_TC2), ATTRIBUTE(PLANE_TC2 + 1),
	[0x18] = NO_COMPONENT, NO_COMPONENT, NO_COMPONENT, NO_COMPONENT,
	[0x1C] = NO_COMPONENT, NO_COMPONENT, NO_COMPONENT, NO_COMPONENT,
};

/* Semantics of components x..w of one slot. */
static unsigned semantic(uint32_t word, unsigned component) {
	switch (component) {
	case 0:
		return SH_OUTMAP_X(word);
	case 1:
		return SH_OUTMAP_Y(word);
	case 2:
		return SH_OUTMAP_Z(word);
	default:
		return SH_OUTMAP_W(word);
	}
}

void out_map_from_regs(struct out_map *m, const uint32_t *regs, uint32_t mask) {
	memset(m, 0, sizeof(*m));
	for (unsigned r = 0; r < 16; r++) {
		if (mask >> r & 1) {
			m->reg[m->n_registers++] = (uint8_t)r;
		}
	}
	/* Unmapped semantics read 1.0. [HW, quoted by Citra and 3dbrew; fidelity: semantics] */
	memset(m->from, OUT_MAP_ONE, sizeof(m->from));
	unsigned total = SH_OUTMAP_TOTAL_COUNT(regs[REG_SH_OUTMAP_TOTAL]);
	for (unsigned k = 0; k < total; k++) {
		uint32_t word = regs[REG_SH_OUTMAP_O0 + k];
		for (unsigned c = 0; c < 4; c++) {
			uint8_t to = component_of[semantic(word, c)];
			if (to != NO_COMPONENT) {
				m->from[to] = (uint8_t)(k < m->n_registers ? k * 4 + c :
									     OUT_MAP_ZERO);
			}
		}
	}
}

/* |c| clamped to 1, NaN gives 1. [HW: color-clamping test; fidelity: semantics] */
static void clamp_color(struct clip_vertex *v) {
	for (unsigned c = 0; c < 4; c++) {
		float a = fabsf(v->a[c]);
		v->a[c] = a < 1.0f ? a : 1.0f;
	}
}

static float constant(uint8_t from) {
	return from == OUT_MAP_ONE ? 1.0f : 0.0f;
}

void out_map_vertex(const struct out_map *m, const struct shader_batch *b, unsigned lane,
		struct clip_vertex *out) {
	for (unsigned i = 0; i < 4 + CLIP_ATTRIBUTES; i++) {
		uint8_t from = m->from[i];
		float x = from < OUT_MAP_ZERO ? b->o[m->reg[from >> 2]][from & 3][lane] :
						constant(from);
		*(i < 4 ? &out->pos[i] : &out->a[i - 4]) = x;
	}
	clamp_color(out);
}

void out_map_slots(const struct out_map *m, const float (*slot)[4], struct clip_vertex *out) {
	for (unsigned i = 0; i < 4 + CLIP_ATTRIBUTES; i++) {
		uint8_t from = m->from[i];
		float x = from < OUT_MAP_ZERO ? slot[from >> 2][from & 3] : constant(from);
		*(i < 4 ? &out->pos[i] : &out->a[i - 4]) = x;
	}
	clamp_color(out);
}

void clip_vertex_save(const struct clip_vertex *v, uint32_t by_semantic[OUT_SEMANTICS]) {
	for (unsigned s = 0; s < OUT_SEMANTICS; s++) {
		uint8_t c = component_of[s];
		by_semantic[s] = c == NO_COMPONENT ? 0 : f32_bits(c < 4 ? v->pos[c] : v->a[c - 4]);
	}
}

void clip_vertex_load(struct clip_vertex *v, const uint32_t by_semantic[OUT_SEMANTICS]) {
	for (unsigned s = 0; s < OUT_SEMANTICS; s++) {
		uint8_t c = component_of[s];
		if (c != NO_COMPONENT) {
			*(c < 4 ? &v->pos[c] : &v->a[c - 4]) = f32_from_bits(by_semantic[s]);
		}
	}
}
