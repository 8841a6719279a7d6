/* Random vertex stages: programs, uniforms, the output map, attributes, vertices and the trigger.
 */
#include "random.h"

#include <math.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/regs/regs.h"

static void shuffle(struct rng *r, unsigned *a, unsigned n) {
	for (unsigned i = n; i > 1; i--) {
		const unsigned k = rng_below(r, i);
		const unsigned swap = a[i - 1];
		a[i - 1] = a[k];
		a[k] = swap;
	}
}

/* count ascending registers below limit; mostly the first ones. */
static void choose_registers(struct rng *r, unsigned *out, unsigned count, unsigned limit) {
	const bool dense = rng_chance(r, 65);
	unsigned next = 0;
	for (unsigned k = 0; k < count; k++) {
		const unsigned slack = limit - next - (count - k);
		next += dense || slack == 0 ? 0 : rng_below(r, slack + 1) / 2;
		out[k] = next++;
	}
}

static uint32_t register_mask(const unsigned *reg, unsigned count) {
	uint32_t mask = 0;
	for (unsigned k = 0; k < count; k++) {
		mask |= 1u << reg[k];
	}
	return mask;
}

/* ---- Uploads ---- */

struct unit {
	uint32_t code_index, code_data, desc_index, desc_data, float_index, float_data;
	uint32_t bools, ints, entry, perm;
};

static const struct unit vs_unit = {
	REG_VSH_CODETRANSFER_INDEX, REG_VSH_CODETRANSFER_DATA0, REG_VSH_OPDESCS_INDEX,
	REG_VSH_OPDESCS_DATA0, REG_VSH_FLOATUNIFORM_INDEX, REG_VSH_FLOATUNIFORM_DATA0,
	REG_VSH_BOOLUNIFORM, REG_VSH_INTUNIFORM_I0, REG_VSH_ENTRYPOINT,
	REG_VSH_ATTRIBUTES_PERMUTATION_LOW,
};

static const struct unit gs_unit = {
	REG_GSH_CODETRANSFER_INDEX, REG_GSH_CODETRANSFER_DATA0, REG_GSH_OPDESCS_INDEX,
	REG_GSH_OPDESCS_DATA0, REG_GSH_FLOATUNIFORM_INDEX, REG_GSH_FLOATUNIFORM_DATA0,
	REG_GSH_BOOLUNIFORM, REG_GSH_INTUNIFORM_I0, REG_GSH_ENTRYPOINT,
	REG_GSH_ATTRIBUTES_PERMUTATION_LOW,
};

static void upload_program(struct gen *gen, struct group *g, const struct unit *u,
		const struct program *p) {
	/* Any of the eight data registers will do. */
	group_put(g, u->code_index, 0);
	group_burst(g, u->code_data + rng_below(&gen->r, 8), p->code, p->n_code, false);
	group_put(g, u->desc_index, 0);
	group_burst(g, u->desc_data + rng_below(&gen->r, 8), p->desc, p->n_desc, false);
	group_put(g, u->entry, SH_ENTRYPOINT_PC_SET(p->entry) | SH_ENTRYPOINT_HIGH_SET(0x7FFF));
}

/* count uniforms from first on, as packed f24 or as f32. */
static void upload_floats(struct gen *gen, struct group *g, const struct unit *u, unsigned first,
		float (*v)[4], unsigned count) {
	uint32_t words[4 * 96];
	const bool is_f32 = rng_chance(&gen->r, 40);
	unsigned n = 0;
	for (unsigned i = 0; i < count; i++) {
		if (is_f32) {
			for (unsigned k = 0; k < 4; k++) {
				words[n++] = f32_bits(v[i][3 - k]);
			}
		} else {
			f24_pack_vec4(v[i], &words[n]);
			n += 3;
		}
	}
	if (rng_chance(&gen->r, 10)) { /* an unfinished vec4, which the index write drops */
		group_put(g, u->float_data, rng_word(&gen->r));
	}
	group_put(g, u->float_index, SH_FLOATUNIFORM_INDEX_INDEX_SET(first) |
			SH_FLOATUNIFORM_INDEX_IS_F32_SET(is_f32));
	group_burst(g, u->float_data + rng_below(&gen->r, 8), words, n, false);
}

static float uniform_value(struct rng *r) {
	static const float special[] = {0.0f, 1.0f, -1.0f, 0.5f, 2.0f, -0.0f, 255.0f, 0x1p-60f,
		-0x1p-62f, 0x1p62f, INFINITY, -INFINITY, NAN};
	if (rng_chance(r, 10)) {
		return special[rng_below(r, ARRAY_LEN(special))];
	}
	if (rng_chance(r, 12)) { /* addresses, often at the ends of their range */
		static const int16_t edge[] = {-129, -128, -127, 127, 128, 88, 87};
		return (float)(rng_chance(r, 40) ? edge[rng_below(r, ARRAY_LEN(edge))]
						 : rng_in(r, -140, 140));
	}
	return rng_chance(r, 90) ? rng_float(r, -2.0f, 2.0f) : rng_float(r, -100.0f, 100.0f);
}

static void upload_small(struct gen *gen, struct group *g, const struct unit *u) {
	struct rng *r = &gen->r;
	group_put(g, u->bools, SH_BOOLUNIFORM_BITS_SET(rng_below(r, 0x8000)) |
			SH_BOOLUNIFORM_HIGH_SET(0x7FFF));
	for (unsigned i = 0; i < 4; i++) {
		group_put(g, u->ints + i,
			SH_INTUNIFORM_X_SET(rng_below(r, 4)) |
				SH_INTUNIFORM_Y_SET(
					rng_chance(r, 80) ? rng_below(r, 8) : rng_below(r, 256)) |
				SH_INTUNIFORM_Z_SET(
					rng_chance(r, 80) ? rng_below(r, 3) : rng_below(r, 256)));
	}
}

void random_uniforms(struct gen *gen, struct group *g) {
	float v[96][4];
	const unsigned first = ATTRIBUTE_SCALE + 12 + rng_below(&gen->r, 20);
	const unsigned count = 1 + rng_below(&gen->r, 96 - first);
	for (unsigned i = 0; i < count; i++) {
		for (unsigned k = 0; k < 4; k++) {
			v[i][k] = uniform_value(&gen->r);
		}
	}
	upload_floats(gen, g, &vs_unit, first, v, count);
	upload_small(gen, g, &vs_unit);
}

/* ---- Attributes ---- */

static void random_attribute(struct rng *r, struct attribute *a, bool is_position) {
	static const float range[4] = {127.0f, 255.0f, 32767.0f, 1.0f};
	a->type = rng_chance(r, is_position ? 60 : 35) ? ATTRIB_TYPE_F32 : rng_below(r, 4);
	a->count =
		is_position ? (rng_chance(r, 85) ? 3 + rng_below(r, 2) : 2) : 1 + rng_below(r, 4);
	a->is_fixed = !is_position && rng_chance(r, 15);
	const bool plain = a->type == ATTRIB_TYPE_F32 && rng_chance(r, 65);
	for (unsigned k = 0; k < 4; k++) {
		a->offset[k] = 0.0f;
		a->scale[k] = plain ? 1.0f : rng_float(r, 0.5f, 2.0f) / range[a->type];
		if (!is_position) {
			continue;
		}
		/* Integers reach about -1.25 .. 1.25, w up to 2. Absent: z = -0.5, w = 1. */
		if (k >= a->count) {
			a->scale[k] = 1.0f;
			a->offset[k] = k == 2 ? -0.5f : 0.0f;
		} else if (a->type != ATTRIB_TYPE_F32) {
			a->scale[k] = (k == 3                             ? 2.0f
					      : a->type == ATTRIB_TYPE_U8 ? 2.5f
									  : 1.25f) /
				      range[a->type];
			a->offset[k] = a->type == ATTRIB_TYPE_U8 && k < 3 ? -1.25f : 0.0f;
		}
		a->scale[k] = f24_truncate(a->scale[k]);
	}
}

static void upload_scales(struct gen *gen, struct group *g) {
	float v[ATTRIBUTE_SCALE + 12][4];
	memcpy(v[POSITION_SCALE], gen->attribute[0].scale, sizeof(v[0]));
	memcpy(v[POSITION_OFFSET], gen->attribute[0].offset, sizeof(v[0]));
	for (unsigned a = 1; a < gen->shape.n_attributes; a++) {
		memcpy(v[ATTRIBUTE_SCALE + a - 1], gen->attribute[a].scale, sizeof(v[0]));
	}
	upload_floats(gen, g, &vs_unit, 0, v, ATTRIBUTE_SCALE + gen->shape.n_attributes - 1);
}

/* ---- Output map ---- */

static uint32_t slot_map(struct rng *r, enum slot_role role) {
	uint32_t map = 0;
	switch (role) {
	case SLOT_POSITION:
		return 0x03020100;
	case SLOT_COLOR:
		map = 0x0B0A0908;
		break;
	case SLOT_TEX01:
		map = 0x0F0E0D0C;
		break;
	case SLOT_TEX2:
		map = 0x1F101716;
		break;
	case SLOT_QUATERNION:
		map = 0x07060504;
		break;
	case SLOT_VIEW:
		map = 0x1F141312;
		break;
	}
	if (rng_chance(r, 10)) {
		map |= 0x1Fu << (8 * rng_below(r, 4)); /* one component goes nowhere */
	}
	return map;
}

static void random_slots(struct gen *gen) {
	struct rng *r = &gen->r;
	struct shape *s = &gen->shape;
	static const struct {
		unsigned role, percent;
	} wish[] = {{SLOT_COLOR, 80}, {SLOT_TEX01, 75}, {SLOT_QUATERNION, 50}, {SLOT_VIEW, 50},
		{SLOT_TEX2, 35}};
	unsigned roles[MAX_SLOTS] = {SLOT_POSITION};
	unsigned n = 1;
	const unsigned first = rng_below(r, ARRAY_LEN(wish));
	for (unsigned i = 0; i < ARRAY_LEN(wish) && n < MAX_SLOTS; i++) {
		const unsigned k = (first + i) % ARRAY_LEN(wish);
		if (rng_chance(r, wish[k].percent)) {
			roles[n++] = wish[k].role;
		}
	}
	shuffle(r, roles, n);
	s->n_slots = n;
	for (unsigned k = 0; k < n; k++) {
		s->role[k] = (enum slot_role)roles[k];
	}
	choose_registers(r, s->output, n, 16);
}

/* ---- Geometry shader ---- */

static void geometry_stage(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	const struct shape *s = &gen->shape;
	struct gs_shape *gs = &gen->gs;
	struct program p;
	gs->mode = (enum gs_mode_kind)rng_below(r, 3);
	gs->n_vertices = 1 + rng_below(r, 3);
	choose_registers(r, gs->output, s->n_slots, 7);
	for (unsigned i = 0; i < 16; i++) {
		gs->perm[i] = i;
	}
	if (rng_chance(r, 50)) {
		shuffle(r, gs->perm, 16);
	}
	random_geometry_program(r, s, gs, &p);
	upload_program(gen, g, &gs_unit, &p);

	float v[96][4];
	for (unsigned i = 0; i < ARRAY_LEN(v); i++) {
		for (unsigned k = 0; k < 4; k++) {
			v[i][k] = i >= GS_OFFSET && i < GS_OFFSET + 6
					  ? (k < 2 ? rng_float(r, -0.5f, 0.5f) : 0.0f)
					  : uniform_value(r);
		}
	}
	upload_floats(gen, g, &gs_unit, 0, v, 96);
	upload_small(gen, g, &gs_unit);
	uint32_t perm[2] = {0, 0};
	for (unsigned i = 0; i < 16; i++) {
		perm[i / 8] |= gs->perm[i] << (4 * (i % 8));
	}
	group_burst(g, gs_unit.perm, perm, 2, true);
	group_put(g, REG_GSH_OUTMAP_MASK, register_mask(gs->output, s->n_slots));
	const unsigned entries =
		gs->mode == GS_KIND_POINT ? s->n_slots * gs->n_vertices : s->n_slots;
	group_put(g, REG_GSH_INPUTBUFFER_CONFIG, SH_INPUTBUFFER_CONFIG_COUNT_M1_SET(entries - 1) |
			SH_INPUTBUFFER_CONFIG_TO_UNIFORMS_SET(gs->mode != GS_KIND_POINT) |
			SH_INPUTBUFFER_CONFIG_MODE_SET(SH_MODE_GEOMETRY));
	group_put(g, REG_GSH_MISC0, gs->mode == GS_KIND_POINT ? 0 : gs->mode == GS_KIND_VARIABLE ?
			GSH_MISC0_MODE_SET(GS_MODE_VARIABLE) :
			GSH_MISC0_MODE_SET(GS_MODE_FIXED) | GSH_MISC0_FIXED_SET(1) |
			GSH_MISC0_FIXED_VERTICES_M1_SET(gs->n_vertices - 1) |
			GSH_MISC0_FIXED_STRIDE_M1_SET(s->n_slots - 1) |
			GSH_MISC0_FIXED_FIRST_SET(GS_INPUT));
	group_put(g, REG_GSH_MISC1, gs->mode == GS_KIND_VARIABLE ? gs->n_vertices - 1 : 0);
}

/* ---- The stage ---- */

void random_vertex_stage(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	struct shape *s = &gen->shape;
	struct program p;
	unsigned reg[16];
	gen->gs_on = rng_chance(r, 10);
	group_put(g, REG_GEOSTAGE_CONFIG, gen->gs_on ? GEOSTAGE_CONFIG_GS_SET(GEOSTAGE_ON) : 0);
	group_put(g, REG_VSH_COM_MODE, gen->gs_on || rng_chance(r, 20));

	s->n_attributes = 2 + rng_below(r, 5);
	for (unsigned a = 0; a < s->n_attributes; a++) {
		random_attribute(r, &gen->attribute[a], a == 0);
	}
	for (unsigned i = 0; i < 16; i++) {
		reg[i] = i;
	}
	if (rng_chance(r, 50)) {
		shuffle(r, reg, 16);
	}
	uint32_t perm[2] = {0, 0};
	for (unsigned a = 0; a < 16; a++) {
		perm[a / 8] |= reg[a] << (4 * (a % 8));
		if (a < s->n_attributes) {
			s->input[a] = reg[a];
		}
	}
	random_slots(gen);
	random_vertex_program(r, s, &p);
	upload_program(gen, g, &vs_unit, &p);
	group_burst(g, vs_unit.perm, perm, 2, true);
	group_put(g, REG_VSH_INPUTBUFFER_CONFIG, SH_INPUTBUFFER_CONFIG_MODE_SET(SH_MODE_VERTEX) |
			SH_INPUTBUFFER_CONFIG_COUNT_M1_SET(s->n_attributes - 1));
	group_put(g, REG_VSH_NUM_ATTR, s->n_attributes - 1);
	group_put(g, REG_VSH_OUTMAP_MASK, register_mask(s->output, s->n_slots));
	group_put(g, REG_VSH_OUTMAP_TOTAL1, s->n_slots - 1);
	uint32_t map[8] = {s->n_slots};
	for (unsigned k = 0; k < s->n_slots; k++) {
		map[1 + k] = slot_map(r, s->role[k]);
	}
	group_burst(g, REG_SH_OUTMAP_TOTAL, map, 8, true);
	upload_scales(gen, g);
	random_uniforms(gen, g);
	if (gen->gs_on) {
		geometry_stage(gen, g);
		group_put(g, REG_GEOSTAGE_CONFIG, GEOSTAGE_CONFIG_GS_SET(GEOSTAGE_ON) |
				GEOSTAGE_CONFIG_VARIABLE_SET(gen->gs.mode == GS_KIND_VARIABLE));
	} else {
		group_put(g, REG_GSH_MISC0, 0);
	}
	gen->can_repeat = false;
}
