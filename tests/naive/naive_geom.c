/*
 * From a draw trigger to assembled triangles: vertex fetch, the vertex program, the geometry-shader
 * front, the semantic map, primitive assembly (fidelity: vertex-fetch, semantics, assembly).
 */
#include "naive_state.h"

#include <math.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/regs/regs.h"

enum {
	MAX_ATTRIBUTES = 12, /* that arrays can feed */
	MAX_LOADERS = 12,
};

static uint32_t nibble(uint32_t low, uint32_t high, unsigned i) {
	return (i < 8 ? low : high) >> (4 * (i & 7)) & 15;
}

/* ---- Assembly: [fidelity: assembly] ---- */

void naive_assembler_reset(struct naive *n) {
	n->assembler.n = 0;
	n->assembler.ready = false;
	n->assembler.invert_next = false;
}

static float dot4(const float a[4], const float b[4]) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void assembled(struct naive *n, const struct naive_vertex *a, const struct naive_vertex *b,
		const struct naive_vertex *c) {
	struct naive_vertex v[3] = {*a, *b, *c};
	n->stats.triangles++;
	/* Quaternions take the hemisphere of the first vertex's [HW: Citra PR 2767]. */
	for (unsigned i = 1; i < 3; i++) {
		if (dot4(&v[i].s[SEM_QUAT], &v[0].s[SEM_QUAT]) < 0.0f) {
			for (unsigned k = 0; k < 4; k++) {
				v[i].s[SEM_QUAT + k] = -v[i].s[SEM_QUAT + k];
			}
		}
	}
	if (!n->draw.is_set) {
		naive_draw_begin(n);
	}
	naive_triangle(n, v);
}

static void assemble(struct naive *n, const struct naive_vertex *v) {
	struct naive_assembler *a = &n->assembler;
	switch (a->topology) {
	case PRIMITIVE_LIST:
	case PRIMITIVE_GEOMETRY:
		if (a->n < 2) {
			a->slot[a->n++] = *v;
			return;
		}
		a->n = 0;
		if (a->topology == PRIMITIVE_GEOMETRY && a->invert_next) {
			a->invert_next = false;
			assembled(n, &a->slot[1], &a->slot[0], v);
		} else {
			assembled(n, &a->slot[0], &a->slot[1], v);
		}
		return;
	default:
		if (a->ready) {
			assembled(n, &a->slot[0], &a->slot[1], v);
		}
		a->slot[a->n] = *v;
		if (a->n == 1) {
			a->ready = true;
		}
		if (a->topology == PRIMITIVE_STRIP) {
			a->n ^= 1;
		} else {
			a->n = 1;
		}
		return;
	}
}

/* ---- Output map: [fidelity: output-slots, semantics] ---- */

/* The enabled output registers in ascending order; slots beyond them are zero. */
static void pack(const float o[16][4], uint32_t mask, float slot[16][4]) {
	unsigned k = 0;
	memset(slot, 0, 16 * sizeof(slot[0]));
	for (unsigned i = 0; i < 16; i++) {
		if (mask >> i & 1) {
			memcpy(slot[k++], o[i], sizeof(slot[0]));
		}
	}
}

static void submit(struct naive *n, float slot[16][4]) {
	float sem[32];
	for (unsigned i = 0; i < ARRAY_LEN(sem); i++) {
		sem[i] = 1.0f; /* [HW] what nothing names reads 1 */
	}
	const unsigned total = SH_OUTMAP_TOTAL_COUNT(n->regs[REG_SH_OUTMAP_TOTAL]);
	for (unsigned k = 0; k < total; k++) {
		const uint32_t map = n->regs[REG_SH_OUTMAP_O0 + k];
		sem[SH_OUTMAP_X(map)] = slot[k][0];
		sem[SH_OUTMAP_Y(map)] = slot[k][1];
		sem[SH_OUTMAP_Z(map)] = slot[k][2];
		sem[SH_OUTMAP_W(map)] = slot[k][3];
	}
	struct naive_vertex v;
	memcpy(v.s, sem, sizeof(v.s));
	for (unsigned k = 0; k < 4; k++) { /* [HW: color-clamping test] */
		const float c = fabsf(v.s[SEM_COLOR + k]);
		v.s[SEM_COLOR + k] = c < 1.0f ? c : 1.0f;
	}
	assemble(n, &v);
}

/* ---- Geometry shader: [fidelity: geometry-shader] ---- */

static void emit(struct naive *n) {
	struct naive_gs *g = &n->geo;
	struct naive_unit *u = &n->gs;
	if (g->emit_id < 3) {
		pack((const float(*)[4])u->o[u->bank],
			SH_OUTMAP_MASK_MASK(n->regs[REG_GSH_OUTMAP_MASK]), g->emitted[g->emit_id]);
	}
	if (g->emit_prim) {
		if (g->emit_winding) {
			n->assembler.invert_next = true;
		}
		for (unsigned i = 0; i < 3; i++) {
			submit(n, g->emitted[i]);
		}
	}
	u->bank ^= 1; /* [HW: Azahar] */
}

static void run_gs(struct naive *n) {
	n->stats.gs_runs++;
	naive_shader_run(n, &n->gs, emit);
	n->regs[REG_GSH_BOOLUNIFORM] |= 1u << 15;
}

void naive_gather_reset(struct naive *n) {
	n->geo.n_gathered = 0;
	n->geo.n_vertices = 0;
	n->geo.remaining = 0;
}

static unsigned vs_outputs(const struct naive *n) {
	return VSH_OUTMAP_TOTAL_COUNT_M1(n->regs[REG_VSH_OUTMAP_TOTAL1]) + 1;
}

static void gather_point(struct naive *n, float slot[16][4]) {
	struct naive_gs *g = &n->geo;
	const unsigned want = SH_INPUTBUFFER_CONFIG_COUNT_M1(n->regs[n->gs.reg.input]) + 1;
	const unsigned nv = vs_outputs(n);
	for (unsigned k = 0; k < nv; k++) {
		memcpy(g->gathered[g->n_gathered++], slot[k], sizeof(slot[0]));
		if (g->n_gathered < want) {
			continue;
		}
		for (unsigned i = 0; i < want; i++) {
			const uint32_t to = nibble(n->regs[n->gs.reg.perm_low],
					n->regs[n->gs.reg.perm_high], i);
			memcpy(n->gs.v[to], g->gathered[i], sizeof(g->gathered[0]));
		}
		g->n_gathered = 0;
		run_gs(n);
	}
}

static void to_uniforms(struct naive *n, float slot[16][4], unsigned count) {
	for (unsigned k = 0; k < count; k++) {
		if (n->geo.cursor < ARRAY_LEN(n->gs.c)) {
			memcpy(n->gs.c[n->geo.cursor], slot[k], sizeof(slot[0]));
		}
		n->geo.cursor++;
	}
}

static void gather_fixed(struct naive *n, float slot[16][4]) {
	struct naive_gs *g = &n->geo;
	const uint32_t misc = n->regs[REG_GSH_MISC0];
	if (g->n_vertices == 0) {
		g->cursor = GSH_MISC0_FIXED_FIRST(misc);
	}
	to_uniforms(n, slot, vs_outputs(n));
	if (g->n_vertices++ == GSH_MISC0_FIXED_VERTICES_M1(misc)) {
		g->n_vertices = 0;
		run_gs(n);
	}
}

static void gather_variable(struct naive *n, float slot[16][4]) {
	struct naive_gs *g = &n->geo;
	if (g->remaining == 0) {
		return; /* a vertex without the count before it: arrays or immediate mode */
	}
	if (g->main > 0) {
		to_uniforms(n, slot, vs_outputs(n));
		g->main--;
	} else {
		to_uniforms(n, slot, 1);
	}
	if (--g->remaining == 0) {
		run_gs(n);
	}
}

static bool gs_is_on(const struct naive *n) {
	return GEOSTAGE_CONFIG_GS(n->regs[REG_GEOSTAGE_CONFIG]) == GEOSTAGE_ON;
}

static bool gs_is_variable(const struct naive *n) {
	return gs_is_on(n) && GSH_MISC0_MODE(n->regs[REG_GSH_MISC0]) == GS_MODE_VARIABLE;
}

/* The count before the vertices of one primitive. */
static void begin_primitive(struct naive *n, uint32_t count) {
	struct naive_gs *g = &n->geo;
	if (count == 0) {
		return; /* [guess, fidelity: gs-variable] */
	}
	for (unsigned k = 0; k < 4; k++) {
		n->gs.c[0][k] = (float)count;
	}
	g->cursor = 1;
	g->remaining = count;
	g->main = GSH_MISC1_MAIN_VERTICES_M1(n->regs[REG_GSH_MISC1]) + 1;
}

/* ---- The vertex program ---- */

/* nibble a of the permutation is the register of attribute a */
static void run_vs(struct naive *n, float attribute[16][4]) {
	struct naive_unit *u = &n->vs;
	const unsigned count = SH_INPUTBUFFER_CONFIG_COUNT_M1(n->regs[u->reg.input]) + 1;
	n->stats.vertices++;
	memset(u->v, 0, sizeof(u->v));
	memset(u->r, 0, sizeof(u->r));
	memset(u->o, 0, sizeof(u->o));
	u->a0[0] = u->a0[1] = u->al = 0;
	u->cmp[0] = u->cmp[1] = false;
	for (unsigned a = 0; a < count; a++) {
		const uint32_t to = nibble(n->regs[u->reg.perm_low], n->regs[u->reg.perm_high], a);
		memcpy(u->v[to], attribute[a], sizeof(attribute[0]));
	}
	naive_shader_run(n, u, NULL);

	float slot[16][4];
	pack((const float(*)[4])u->o[0], SH_OUTMAP_MASK_MASK(n->regs[u->reg.outmap]), slot);
	if (!gs_is_on(n)) {
		submit(n, slot);
		return;
	}
	switch (GSH_MISC0_MODE(n->regs[REG_GSH_MISC0])) {
	case GS_MODE_VARIABLE:
		gather_variable(n, slot);
		break;
	case GS_MODE_FIXED:
		gather_fixed(n, slot);
		break;
	default:
		gather_point(n, slot);
		break;
	}
}

/* ---- Fetch: [fidelity: vertex-fetch] ---- */

struct source {
	bool is_bound;
	uint32_t offset, stride;
	unsigned type, count;
};

static unsigned element_size(unsigned type) {
	switch (type) {
	case ATTRIB_TYPE_S16:
		return 2;
	case ATTRIB_TYPE_F32:
		return 4;
	default:
		return 1;
	}
}

static uint32_t array_base(const struct naive *n) {
	return ATTRIBBUFFERS_LOC_ADDR16(n->regs[REG_ATTRIBBUFFERS_LOC]) * 16;
}

static uint32_t round_up(uint32_t x, uint32_t to) {
	return (x + to - 1) / to * to;
}

/* Where each attribute lies inside its record. */
static void walk_loaders(const struct naive *n, struct source src[MAX_ATTRIBUTES]) {
	const uint32_t low = n->regs[REG_ATTRIBBUFFERS_FORMAT_LOW];
	const uint32_t high = n->regs[REG_ATTRIBBUFFERS_FORMAT_HIGH];
	for (unsigned a = 0; a < MAX_ATTRIBUTES; a++) {
		const uint32_t format = nibble(low, high, a);
		src[a] = (struct source){.type = format & 3, .count = (format >> 2) + 1};
	}
	for (unsigned i = 0; i < MAX_LOADERS; i++) {
		const uint32_t *reg = &n->regs[REG_ATTRIBBUFFER0_OFFSET + 3 * i];
		const uint32_t components = ATTRIBBUFFER_CONFIG2_COUNT(reg[2]);
		uint32_t cur = 0;
		for (unsigned k = 0; k < components && k < 12; k++) {
			const uint32_t c = nibble(reg[1], reg[2], k);
			if (c >= MAX_ATTRIBUTES) {
				cur = round_up(cur, 4) + 4 * (c - 11);
				continue;
			}
			cur = round_up(cur, element_size(src[c].type));
			src[c].is_bound = true;
			src[c].offset = ATTRIBBUFFER_OFFSET_OFFSET(reg[0]) + cur;
			src[c].stride = ATTRIBBUFFER_CONFIG2_STRIDE(reg[2]);
			cur += src[c].count * element_size(src[c].type);
		}
	}
}

static float fetch_element(const struct naive *n, uint32_t addr, unsigned type) {
	switch (type) {
	case ATTRIB_TYPE_S8:
		return (float)(int8_t)naive_read8(n, addr);
	case ATTRIB_TYPE_U8:
		return (float)naive_read8(n, addr);
	case ATTRIB_TYPE_S16:
		return (float)(int16_t)naive_read(n, addr, 2);
	default:
		return naive_store_f32(n, f32_from_bits(naive_read(n, addr, 4)));
	}
}

static void fetch_attribute(struct naive *n, const struct source *src, unsigned a, uint32_t vertex,
		float out[4]) {
	static const float missing[4] = {0.0f, 0.0f, 0.0f, 1.0f};
	const uint32_t n_loaded =
		ATTRIBBUFFERS_FORMAT_HIGH_NUM_ATTR_M1(n->regs[REG_ATTRIBBUFFERS_FORMAT_HIGH]) + 1;
	const uint32_t fixed =
		ATTRIBBUFFERS_FORMAT_HIGH_FIXED_MASK(n->regs[REG_ATTRIBBUFFERS_FORMAT_HIGH]);
	if (a < MAX_ATTRIBUTES && a < n_loaded && src[a].is_bound) { /* even if fixed too [HW] */
		const uint32_t addr = array_base(n) + src[a].offset + src[a].stride * vertex;
		memcpy(out, missing, sizeof(missing));
		for (unsigned k = 0; k < src[a].count; k++) {
			out[k] =
				fetch_element(n, addr + k * element_size(src[a].type), src[a].type);
		}
		return;
	}
	if (a < MAX_ATTRIBUTES && fixed >> a & 1) {
		memcpy(out, n->fixed[a], sizeof(n->fixed[a]));
		return;
	}
	n->stats.faults[PICA_FAULT_UNLOADED_ATTRIBUTE]++;
	memcpy(out, n->fixed_written[a] ? n->fixed[a] : missing, sizeof(missing));
}

static void vertex_from_arrays(struct naive *n, uint32_t vertex) {
	struct source src[MAX_ATTRIBUTES];
	float attribute[16][4];
	walk_loaders(n, src);
	for (unsigned a = 0; a < 16; a++) {
		if (a <= SH_INPUTBUFFER_CONFIG_COUNT_M1(n->regs[n->vs.reg.input])) {
			fetch_attribute(n, src, a, vertex, attribute[a]);
		}
	}
	run_vs(n, attribute);
}

/* ---- Draws: [fidelity: draws] ---- */

void naive_draw_arrays(struct naive *n) {
	if (!naive_is_mapped(n, array_base(n), 1)) {
		n->stats.faults[PICA_FAULT_BAD_ADDRESS]++;
		return;
	}
	n->stats.draws++;
	naive_draw_begin(n);
	n->draw.kind = NAIVE_ARRAYS;
	for (uint32_t i = 0; i < n->regs[REG_NUMVERTICES]; i++) {
		vertex_from_arrays(n, n->regs[REG_VERTEX_OFFSET] + i);
	}
	naive_draw_end(n);
}

void naive_draw_elements(struct naive *n) {
	const uint32_t config = n->regs[REG_INDEXBUFFER_CONFIG];
	const uint32_t indices = array_base(n) + INDEXBUFFER_CONFIG_OFFSET(config);
	if (!naive_is_mapped(n, array_base(n), 1) || !naive_is_mapped(n, indices, 1)) {
		n->stats.faults[PICA_FAULT_BAD_ADDRESS]++;
		return;
	}
	n->stats.draws++;
	naive_draw_begin(n);
	n->draw.kind = NAIVE_ELEMENTS;
	for (uint32_t i = 0; i < n->regs[REG_NUMVERTICES]; i++) {
		const uint32_t index = INDEXBUFFER_CONFIG_IS_U16(config) ?
				naive_read(n, indices + 2 * i, 2) : naive_read8(n, indices + i);
		if (gs_is_variable(n) && n->geo.remaining == 0) {
			begin_primitive(n, index);
		} else {
			vertex_from_arrays(n, index);
		}
	}
	naive_draw_end(n);
}

void naive_immediate_vertex(struct naive *n) {
	run_vs(n, n->immediate);
}
