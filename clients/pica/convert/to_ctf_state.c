/*
 * The arrays of a .ctf hold registers, shader memories and fixed attributes. The positions of ports
 * follow from their index registers. The first writes of the stream upload tables, the words of
 * incomplete vectors and uniforms finer than f24. [fidelity: citrace, citrace-replay]
 */
#include "convert.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica_regs.h"

enum { INTERNAL = 0x10401000, IMMEDIATE = 15 };

static const uint32_t IS_F32 = 1u << 31;

/* Registers of one shader unit. */
struct unit_regs {
	uint32_t code, descriptors, uniforms, uniform_data;
};

static const struct unit_regs vs_regs = { PICA_REG_VSH_CODETRANSFER_INDEX,
	PICA_REG_VSH_OPDESCS_INDEX, PICA_REG_VSH_FLOATUNIFORM_INDEX,
	PICA_REG_VSH_FLOATUNIFORM_DATA0 };
static const struct unit_regs gs_regs = { PICA_REG_GSH_CODETRANSFER_INDEX,
	PICA_REG_GSH_OPDESCS_INDEX, PICA_REG_GSH_FLOATUNIFORM_INDEX,
	PICA_REG_GSH_FLOATUNIFORM_DATA0 };

static void set_field(uint32_t *word, uint32_t mask, uint32_t value) {
	*word = (*word & ~mask) | (value & mask);
}

/* A reader sets the ports by their index registers. */
static void place_ports(
		uint32_t *regs, const struct unit_regs *u, const struct pica_upload_state *at) {
	set_field(&regs[u->code], 0xFFF, at->code_index);
	set_field(&regs[u->descriptors], 0xFFF, at->descriptor_index);
	set_field(&regs[u->uniforms], 0xFF, at->uniform_index);
}

struct pica_state *to_ctf_initial(const struct pica_state *s) {
	struct pica_state *out = malloc(sizeof(*out));
	if (!out) {
		return NULL;
	}
	*out = *s;
	if (s->flags & PICA_STATE_PORTS) {
		place_ports(out->regs, &vs_regs, &s->vs_upload);
		place_ports(out->regs, &gs_regs, &s->gs_upload);
		set_field(&out->regs[PICA_REG_FIXEDATTRIB_INDEX], 15, s->attribute_port.index);
	}
	/* An unwritten attribute reads as (0, 0, 0, 1); for a reader all are written. */
	for (uint32_t i = 0; i < ARRAY_LEN(s->fixed_attributes); i++) {
		if (s->flags & (uint32_t)PICA_STATE_UNWRITTEN_ATTRIBUTE << i) {
			memset(out->fixed_attributes[i], 0, sizeof(out->fixed_attributes[i]));
			out->fixed_attributes[i][3] = f32_to_f24(1.0f);
		}
	}
	return out;
}

/* ---- Writes ---- */

static void internal(struct ctf_out *c, uint32_t id, uint32_t value) {
	pica_ctf_writer_reg_write(c->writer, INTERNAL + 4 * id, value);
}

static bool all_zero(const uint32_t *words, size_t n) {
	for (size_t i = 0; i < n; i++) {
		if (words[i]) {
			return false;
		}
	}
	return true;
}

/* A table through its port: index word, data port, words. */
static void table(struct ctf_out *c, uint32_t index_reg, uint32_t index, uint32_t data_reg,
		const uint32_t *words, unsigned n) {
	if (all_zero(words, n)) {
		return;
	}
	internal(c, index_reg, index);
	for (unsigned i = 0; i < n; i++) {
		internal(c, data_reg, words[i]);
	}
}

static void put_tables(struct ctf_out *c, const struct pica_state *s) {
	const struct pica_tables *t = &s->tables;
	for (uint32_t i = 0; i < ARRAY_LEN(t->light); i++) {
		table(c, PICA_REG_LIGHTING_LUT_INDEX, i << 8, PICA_REG_LIGHTING_LUT_DATA0,
				t->light[i], 256);
	}
	table(c, PICA_REG_FOG_LUT_INDEX, 0, PICA_REG_FOG_LUT_DATA0, t->fog, ARRAY_LEN(t->fog));
	for (uint32_t i = 0; i < ARRAY_LEN(t->proctex); i++) {
		const unsigned n = i == 4 || i == 5 ? 256 : 128;
		table(c, PICA_REG_PROCTEX_LUT, i << 8, PICA_REG_PROCTEX_LUT_DATA0, t->proctex[i],
				n);
	}
	table(c, PICA_REG_GAS_LUT_INDEX, 0, PICA_REG_GAS_LUT_DATA, t->gas, ARRAY_LEN(t->gas));
	static const uint32_t index[] = { PICA_REG_LIGHTING_LUT_INDEX, PICA_REG_FOG_LUT_INDEX,
		PICA_REG_PROCTEX_LUT, PICA_REG_GAS_LUT_INDEX };
	for (size_t i = 0; i < ARRAY_LEN(index) && !all_zero((const uint32_t *)t, sizeof(*t) / 4);
			i++) {
		internal(c, index[i], s->regs[index[i]]);
	}
}

/* Returns whether the f24 words alone would give a reader other numbers. */
static bool is_finer(const struct pica_shader_state *s, unsigned vector) {
	for (unsigned k = 0; k < 4; k++) {
		const float exact = f32_from_bits(s->uniforms_f32[vector][k]);
		if (f32_to_f24(exact) == (s->uniforms[vector][k] & 0xFFFFFF) &&
				f32_bits(f24_to_f32(s->uniforms[vector][k])) != f32_bits(exact)) {
			return true;
		}
	}
	return false;
}

/* Uniforms that only --float f32 preserves, as binary32: w, z, y, x. */
static void put_finer(struct ctf_out *c, const struct pica_state *initial,
		const struct pica_shader_state *s, const struct unit_regs *u,
		const struct pica_shader_state *also) {
	bool any = false;
	for (uint32_t i = 0; i < ARRAY_LEN(s->uniforms); i++) {
		if (!is_finer(s, i) && !(also && is_finer(also, i))) {
			continue;
		}
		any = true;
		internal(c, u->uniforms, IS_F32 | i);
		for (unsigned k = 4; k-- > 0;) {
			const float f = f32_from_bits(s->uniforms_f32[i][k]);
			const bool counts = f32_to_f24(f) == (s->uniforms[i][k] & 0xFFFFFF);
			internal(c, u->uniform_data,
					counts ? s->uniforms_f32[i][k] :
						 f32_bits(f24_to_f32(s->uniforms[i][k])));
		}
	}
	if (any) {
		internal(c, u->uniforms, initial->regs[u->uniforms]);
	}
}

/* The words of an incomplete vector, and of a vertex in immediate mode. */
static void put_pending(struct ctf_out *c, const struct pica_state *s) {
	const struct pica_upload_state *up[2] = { &s->vs_upload, &s->gs_upload };
	const uint32_t data[2] = { vs_regs.uniform_data, gs_regs.uniform_data };
	for (unsigned i = 0; i < 2; i++) {
		for (uint32_t k = 0; k < up[i]->n_words && k < 3; k++) {
			internal(c, data[i], up[i]->words[k]);
		}
	}
	const struct pica_attribute_port *a = &s->attribute_port;
	const uint32_t last = s->regs[PICA_REG_VSH_NUM_ATTR] & 15;
	if (a->index == IMMEDIATE && a->attribute > last) {
		c->lost[LOSS_PORTS]++; /* one more attribute would complete a vertex */
		return;
	}
	for (uint32_t i = 0; a->index == IMMEDIATE && i < a->attribute; i++) {
		float v[4];
		uint32_t words[3];
		memcpy(v, a->vertex[i], sizeof(v));
		f24_pack_vec4(v, words);
		for (unsigned k = 0; k < 3; k++) {
			internal(c, PICA_REG_FIXEDATTRIB_DATA0, words[k]);
		}
	}
	for (uint32_t k = 0; k < a->n_words && k < 2; k++) {
		internal(c, PICA_REG_FIXEDATTRIB_DATA0, a->words[k]);
	}
}

void to_ctf_put_state(
		struct ctf_out *c, const struct pica_state *s, const struct pica_state *initial) {
	put_tables(c, s);
	put_finer(c, initial, &s->vs, &vs_regs, NULL);
	/* Last, since writes to the vertex unit may have reached the other, too. */
	put_finer(c, initial, &s->gs, &gs_regs, &s->vs);
	if (s->flags & PICA_STATE_PORTS) {
		put_pending(c, s);
	}
	c->lost[LOSS_GEOMETRY] +=
			!all_zero((const uint32_t *)&s->geometry, sizeof(s->geometry) / 4);
	c->lost[LOSS_ASSEMBLER] +=
			s->assembler.n || s->assembler.is_ready || s->assembler.is_invert;
}
