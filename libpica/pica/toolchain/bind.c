/* From a program to register writes. [fidelity: dvle-binding] */
#include <errno.h>
#include <string.h>

#include "core/base/attributes.h"
#include "pica/emit/outmap.h"
#include "pica/regs/regs.h"
#include "pica_shader.h"

/* ---- Output maps ---- */

struct binding {
	struct outmap map;
	unsigned count; /* of output registers in use */
	unsigned n_slots;
	uint32_t slot[OUTMAP_SLOTS]; /* semantics of the k-th enabled register */
};

static struct binding binding_of(const struct pica_shader_entry *e) {
	struct binding b;
	outmap_init(&b.map);
	for (uint32_t i = 0; i < e->n_outputs; i++) {
		const struct pica_shader_output *o = &e->output[i];
		outmap_add(&b.map, o->type, o->reg & 15, o->mask & 15);
	}
	b.count = popcount64(b.map.mask);
	b.n_slots = outmap_slots(&b.map, b.slot);
	return b;
}

static bool has_slot(const struct binding *m, uint32_t slot) {
	for (unsigned i = 0; i < m->n_slots; i++) {
		if (m->slot[i] == slot) {
			return true;
		}
	}
	return false;
}

/* Appends the slots of from that are (are not) in other and have semantics. */
static void append_slots(struct binding *m, const struct binding *from,
		const struct binding *other, bool common) {
	for (unsigned i = 0; i < from->n_slots; i++) {
		uint32_t slot = from->slot[i];
		if (slot != OUTMAP_NONE && has_slot(other, slot) == common &&
				m->n_slots < OUTMAP_SLOTS) {
			m->slot[m->n_slots++] = slot;
		}
	}
}

/*
 * Common ones in the geometry shader's order, then its own, then the vertex shader's own.
 * [fidelity: dvle-binding; that dummies are left out: guess]
 */
static struct binding merge(const struct binding *vs, const struct binding *gs) {
	struct binding m = *gs;
	m.n_slots = 0;
	for (int i = 0; i < OUTMAP_SLOTS; i++) {
		m.slot[i] = OUTMAP_NONE;
	}
	append_slots(&m, gs, vs, true);
	append_slots(&m, gs, vs, false);
	append_slots(&m, vs, gs, false);
	m.map.clock |= vs->map.clock;
	m.map.mode |= vs->map.mode;
	return m;
}

/* ---- Writing ---- */

struct writer {
	pica_shader_write_fn *fn;
	void *user;
	int ret; /* of the first write that failed */
};

enum {
	ALL_BYTES = 15,
	CHUNK = 128,
};

static void put_many(struct writer *w, uint32_t reg, const uint32_t *values, uint32_t n,
		bool consecutive) {
	for (uint32_t i = 0; i < n && w->ret >= 0; i += CHUNK) {
		w->ret = w->fn(w->user, reg, ALL_BYTES, values + i, n - i < CHUNK ? n - i : CHUNK,
				consecutive);
	}
}

static void put(struct writer *w, uint32_t reg, uint32_t mask, uint32_t value) {
	if (w->ret >= 0) {
		w->ret = w->fn(w->user, reg, mask, &value, 1, false);
	}
}

/* ---- One unit; its registers are those of the vertex unit less delta ---- */

static void put_code(struct writer *w, uint32_t delta, const struct pica_shader *s,
		uint32_t max_words) {
	uint32_t n = s->n_code < max_words ? s->n_code : max_words;
	put(w, REG_VSH_CODETRANSFER_INDEX - delta, ALL_BYTES, 0);
	put_many(w, REG_VSH_CODETRANSFER_DATA0 - delta, s->code, n, false);
	put(w, REG_VSH_CODETRANSFER_END - delta, ALL_BYTES, 1);
	put(w, REG_VSH_OPDESCS_INDEX - delta, ALL_BYTES, 0);
	put_many(w, REG_VSH_OPDESCS_DATA0 - delta, s->descriptors, s->n_descriptors, false);
}

static void put_entry(struct writer *w, uint32_t delta, const struct pica_shader_entry *e) {
	put(w, REG_VSH_ENTRYPOINT - delta, ALL_BYTES,
			SH_ENTRYPOINT_HIGH_SET(0x7FFF) | SH_ENTRYPOINT_PC_SET(e->start));
}

static void put_constants(struct writer *w, uint32_t delta, const struct pica_shader_entry *e,
		uint32_t bools) {
	for (uint32_t i = 0; i < e->n_constants; i++) {
		const struct pica_shader_constant *c = &e->constants[i];
		if (c->type == PICA_SHADER_BOOL) {
			bools = (bools & ~(1u << (c->reg & 15))) |
					(c->value[0] & 1) << (c->reg & 15);
		}
	}
	put(w, REG_VSH_BOOLUNIFORM - delta, ALL_BYTES,
			SH_BOOLUNIFORM_HIGH_SET(0x7FFF) | SH_BOOLUNIFORM_BITS_SET(bools));
	for (uint32_t i = 0; i < e->n_constants; i++) {
		const struct pica_shader_constant *c = &e->constants[i];
		if (c->type == PICA_SHADER_INT) {
			put(w, REG_VSH_INTUNIFORM_I0 - delta + (c->reg & 3), ALL_BYTES,
					SH_INTUNIFORM_X_SET(c->value[0]) |
							SH_INTUNIFORM_Y_SET(c->value[1]) |
							SH_INTUNIFORM_Z_SET(c->value[2]) |
							SH_INTUNIFORM_W_SET(c->value[3]));
		}
	}
	for (uint32_t i = 0; i < e->n_constants; i++) {
		const struct pica_shader_constant *c = &e->constants[i];
		if (c->type != PICA_SHADER_FLOAT) {
			continue;
		}
		const uint32_t x = c->value[0] & 0xFFFFFF, y = c->value[1] & 0xFFFFFF;
		const uint32_t z = c->value[2] & 0xFFFFFF, v = c->value[3] & 0xFFFFFF;
		/* W Z | Z Y | Y X [fidelity: packed-f24] */
		const uint32_t packed[3] = { v << 8 | z >> 16, (z & 0xFFFF) << 16 | y >> 8,
				(y & 0xFF) << 24 | x };
		put(w, REG_VSH_FLOATUNIFORM_INDEX - delta, ALL_BYTES,
				SH_FLOATUNIFORM_INDEX_INDEX_SET(c->reg));
		put_many(w, REG_VSH_FLOATUNIFORM_DATA0 - delta, packed, 3, false);
	}
}

/* ---- The whole ---- */

static uint32_t less_one(unsigned n) {
	return n ? n - 1 : 0;
}

static const struct pica_shader_entry *entry_of(const struct pica_shader *s, uint32_t index,
		enum pica_shader_type type) {
	if (!s || index >= s->n_entries || s->entries[index].type != type ||
			s->n_code > PICA_SHADER_CODE_WORDS ||
			s->n_descriptors > PICA_SHADER_DESCRIPTORS) {
		return NULL;
	}
	return &s->entries[index];
}

static uint32_t geometry_misc(const struct pica_shader_entry *gs, uint32_t vs_outputs) {
	uint32_t word = GSH_MISC0_MODE_SET(gs->gs_mode);
	if (gs->gs_mode == PICA_SHADER_GS_FIXED) {
		word |= GSH_MISC0_FIXED_SET(1) | GSH_MISC0_FIXED_FIRST_SET(gs->gs_first) |
				GSH_MISC0_FIXED_STRIDE_M1_SET(less_one(vs_outputs)) |
				GSH_MISC0_FIXED_VERTICES_M1_SET(less_one(gs->gs_vertices));
	}
	return word;
}

PICA_EXPORT int pica_shader_bind(const struct pica_shader_binding *b, pica_shader_write_fn *fn,
		void *user) {
	const uint32_t vs_delta = 0, gs_delta = REGS_VSH_FROM_GSH;
	const struct pica_shader_entry *vs = entry_of(b->vs, b->vs_entry, PICA_SHADER_VERTEX);
	const struct pica_shader_entry *gs = NULL;
	if (!vs || vs->start >= PICA_SHADER_VS_WORDS || b->gs_inputs > 16) {
		return -EINVAL;
	}
	struct binding vs_map = binding_of(vs), map = vs_map;
	if (b->gs) {
		gs = entry_of(b->gs, b->gs_entry, PICA_SHADER_GEOMETRY);
		if (!gs) {
			return -EINVAL;
		}
		struct binding gs_map = binding_of(gs);
		map = gs->merge_outputs ? merge(&vs_map, &gs_map) : gs_map;
	}
	struct writer w = { fn, user, 0 };
	put(&w, REG_GEOSTAGE_CONFIG, 3, GEOSTAGE_CONFIG_GS_SET(gs ? GEOSTAGE_ON : GEOSTAGE_OFF));
	put(&w, REG_GEOSTAGE_CONFIG2, 3, 0);
	put(&w, REG_VSH_COM_MODE, 1, VSH_COM_MODE_SEPARATE_SET(gs != NULL));

	put_code(&w, vs_delta, b->vs, PICA_SHADER_VS_WORDS);
	put_entry(&w, vs_delta, vs);
	put(&w, REG_VSH_OUTMAP_MASK, ALL_BYTES, SH_OUTMAP_MASK_MASK_SET(vs_map.map.mask));
	const uint32_t vs_total = VSH_OUTMAP_TOTAL_COUNT_M1_SET(less_one(vs_map.count));
	put(&w, REG_VSH_OUTMAP_TOTAL1, ALL_BYTES, vs_total);
	put(&w, REG_VSH_OUTMAP_TOTAL2, ALL_BYTES, vs_total);
	if (gs) {
		put_code(&w, gs_delta, b->gs, PICA_SHADER_CODE_WORDS);
		put_entry(&w, gs_delta, gs);
		put(&w, REG_GSH_OUTMAP_MASK, ALL_BYTES,
				SH_OUTMAP_MASK_MASK_SET(binding_of(gs).map.mask));
	}

	put(&w, REG_PRIMITIVE_CONFIG, 1,
			PRIMITIVE_CONFIG_NUM_OUTPUTS_M1_SET(less_one(map.n_slots)));
	uint32_t slots[1 + OUTMAP_SLOTS] = { SH_OUTMAP_TOTAL_COUNT_SET(map.n_slots) };
	memcpy(slots + 1, map.slot, sizeof(map.slot));
	put_many(&w, REG_SH_OUTMAP_TOTAL, slots, 1 + OUTMAP_SLOTS, true);
	put(&w, REG_SH_OUTATTR_MODE, ALL_BYTES, map.map.mode);
	put(&w, REG_SH_OUTATTR_CLOCK, ALL_BYTES, map.map.clock);

	bool variable = gs && gs->gs_mode == PICA_SHADER_GS_VARIABLE;
	put(&w, REG_GEOSTAGE_CONFIG, 10, GEOSTAGE_CONFIG_VARIABLE_SET(variable));
	put(&w, REG_GSH_MISC0, ALL_BYTES, gs ? geometry_misc(gs, vs_map.count) : 0);
	put(&w, REG_GSH_MISC1, ALL_BYTES,
			variable ? GSH_MISC1_MAIN_VERTICES_M1_SET(less_one(gs->gs_full)) : 0);
	uint32_t inputs = SH_INPUTBUFFER_CONFIG_MODE_SET(SH_MODE_VERTEX);
	if (gs) {
		unsigned n_inputs = b->gs_inputs ? b->gs_inputs : vs_map.count;
		inputs = SH_INPUTBUFFER_CONFIG_MODE_SET(SH_MODE_GEOMETRY) |
				SH_INPUTBUFFER_CONFIG_TO_UNIFORMS_SET(
						gs->gs_mode != PICA_SHADER_GS_POINT) |
				SH_INPUTBUFFER_CONFIG_COUNT_M1_SET(less_one(n_inputs));
	}
	put(&w, REG_GSH_INPUTBUFFER_CONFIG, ALL_BYTES, inputs);
	if (gs) {
		uint64_t order = b->gs_permutation ? b->gs_permutation :
						     UINT64_C(0xFEDCBA9876543210);
		const uint32_t permutation[2] = { (uint32_t)order, (uint32_t)(order >> 32) };
		put_many(&w, REG_GSH_ATTRIBUTES_PERMUTATION_LOW, permutation, 2, true);
	}
	put_constants(&w, vs_delta, vs, b->vs_bools);
	if (gs) {
		put_constants(&w, gs_delta, gs, b->gs_bools);
	}
	return w.ret < 0 ? w.ret : 0;
}
