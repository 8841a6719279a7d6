/* Attributes, draws, vertices in the list. [fidelity: vertex-fetch, draws] */

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/emit/emit.h"
#include "pica/regs/regs.h"

enum { IMMEDIATE_INDEX = 15, VEC4_PER_ENTRY = EMIT_MAX_WORDS / 3 };

PICA_EXPORT void pica_emit_inputs(struct pica_emit *e, unsigned n, uint64_t permutation) {
	emit_refuse(e, n - 1 > 15);
	/* Byte 2 has no function and is left out by clients. [fidelity: dvle-binding] */
	pica_emit_reg_masked(e, REG_VSH_INPUTBUFFER_CONFIG,
			SH_INPUTBUFFER_CONFIG_MODE_SET(SH_MODE_VERTEX) |
					SH_INPUTBUFFER_CONFIG_COUNT_M1_SET(n - 1),
			0xB);
	pica_emit_reg_masked(e, REG_VSH_NUM_ATTR, VSH_NUM_ATTR_NUM_ATTR_M1_SET(n - 1), 0x1);
	const uint32_t words[2] = { (uint32_t)permutation, (uint32_t)(permutation >> 32) };
	pica_emit_burst(e, REG_VSH_ATTRIBUTES_PERMUTATION_LOW, words, 2);
}

PICA_EXPORT void pica_emit_attributes(struct pica_emit *e, const struct pica_attributes *a) {
	uint32_t words[3 + 3 * PICA_MAX_LOADERS] = { 0 };
	uint32_t base_word = a->base >> 3;
	if (emit_refuse(e, reg_addr16(base_word) != a->base || a->n - 1 >= PICA_MAX_ATTRIBUTES ||
			a->n_loaders > PICA_MAX_LOADERS || a->fixed_mask > 0xFFF)) {
		return;
	}
	uint64_t formats = 0;
	for (unsigned i = 0; i < a->n; i++) {
		unsigned type = a->format[i].type, components = a->format[i].components;
		emit_refuse(e, type > ATTRIB_TYPE_F32 || components - 1 > 3);
		formats |= (uint64_t)(type | (components - 1) << 2) << 4 * i;
	}
	words[0] = base_word;
	words[1] = (uint32_t)formats;
	words[2] = (uint32_t)(formats >> 32) |
			ATTRIBBUFFERS_FORMAT_HIGH_FIXED_MASK_SET(a->fixed_mask) |
			ATTRIBBUFFERS_FORMAT_HIGH_NUM_ATTR_M1_SET(a->n - 1);
	for (unsigned i = 0; i < a->n_loaders; i++) {
		const struct pica_attribute_loader *l = &a->loader[i];
		uint64_t components = 0;
		if (emit_refuse(e, l->n > 12 ||
				l->offset != ATTRIBBUFFER_OFFSET_OFFSET(l->offset))) {
			return;
		}
		for (unsigned k = 0; k < l->n; k++) {
			emit_refuse(e, l->component[k] > 15);
			components |= (uint64_t)l->component[k] << 4 * k;
		}
		words[3 + 3 * i] = ATTRIBBUFFER_OFFSET_OFFSET_SET(l->offset);
		words[4 + 3 * i] = (uint32_t)components;
		words[5 + 3 * i] = (uint32_t)(components >> 32) |
				ATTRIBBUFFER_CONFIG2_STRIDE_SET(l->stride) |
				ATTRIBBUFFER_CONFIG2_COUNT_SET(l->n);
	}
	pica_emit_inputs(e, a->n, PICA_IDENTITY_INPUTS);
	pica_emit_burst(e, REG_ATTRIBBUFFERS_LOC, words, ARRAY_LEN(words));
}

PICA_EXPORT void pica_emit_fixed_attribute(struct pica_emit *e, unsigned index, float x, float y,
		float z, float w) {
	emit_refuse(e, index >= PICA_MAX_ATTRIBUTES);
	const float xyzw[4] = { x, y, z, w };
	uint32_t words[4] = { FIXEDATTRIB_INDEX_INDEX_SET(index) };
	f24_pack_vec4(xyzw, words + 1);
	pica_emit_burst(e, REG_FIXEDATTRIB_INDEX, words, 4);
}

/*
 * The register writes around a draw, in the order of the console's client libraries. 245 and bit 0
 * of 253 switch the hardware's register bus between configuring and drawing. [fidelity:
 * draw-sequence]
 */
static void draw_start(struct pica_emit *e, uint32_t primitive) {
	emit_refuse(e, primitive > PRIMITIVE_GEOMETRY);
	pica_emit_reg_masked(e, REG_PRIMITIVE_CONFIG, PRIMITIVE_CONFIG_MODE_SET(primitive), 0x2);
	pica_emit_reg(e, REG_RESTART_PRIMITIVE, 1);
}

static void configuring(struct pica_emit *e, bool on) {
	pica_emit_reg_masked(e, REG_START_DRAW_FUNC0, START_DRAW_FUNC0_CONFIGURING_SET(on), 0x1);
}

static void array_mode(struct pica_emit *e, bool on) {
	pica_emit_reg_masked(e, REG_GEOSTAGE_CONFIG2, GEOSTAGE_CONFIG2_ARRAYS_SET(on), 0x1);
}

static void indexed_triangles(struct pica_emit *e, bool on) {
	pica_emit_reg_masked(e, REG_GEOSTAGE_CONFIG, GEOSTAGE_CONFIG_INDEXED_TRIANGLES_SET(on),
			0x2);
	pica_emit_reg_masked(e, REG_GEOSTAGE_CONFIG2, GEOSTAGE_CONFIG2_INDEXED_TRIANGLES_SET(on),
			0x2);
}

PICA_EXPORT void pica_emit_draw_arrays(struct pica_emit *e, uint32_t primitive, uint32_t first,
		uint32_t count) {
	draw_start(e, primitive);
	pica_emit_reg(e, REG_INDEXBUFFER_CONFIG, INDEXBUFFER_CONFIG_IS_U16_SET(1));
	pica_emit_reg(e, REG_NUMVERTICES, count);
	pica_emit_reg(e, REG_VERTEX_OFFSET, first);
	array_mode(e, true);
	configuring(e, false);
	pica_emit_reg(e, REG_DRAWARRAYS, 1);
	configuring(e, true);
	array_mode(e, false);
	pica_emit_reg(e, REG_VTX_FUNC, 1);
}

PICA_EXPORT void pica_emit_draw_elements(struct pica_emit *e, uint32_t primitive,
		uint32_t index_offset, bool is_u16, uint32_t count) {
	bool is_list = primitive == PRIMITIVE_LIST;
	emit_refuse(e, index_offset != INDEXBUFFER_CONFIG_OFFSET(index_offset));
	/* An indexed list is sent as geometry primitives. [fidelity: draw-sequence] */
	draw_start(e, is_list ? (uint32_t)PRIMITIVE_GEOMETRY : primitive);
	pica_emit_reg(e, REG_INDEXBUFFER_CONFIG,
			INDEXBUFFER_CONFIG_OFFSET_SET(index_offset) |
					INDEXBUFFER_CONFIG_IS_U16_SET(is_u16));
	pica_emit_reg(e, REG_NUMVERTICES, count);
	pica_emit_reg(e, REG_VERTEX_OFFSET, 0);
	if (is_list) {
		indexed_triangles(e, true);
	}
	configuring(e, false);
	pica_emit_reg(e, REG_DRAWELEMENTS, 1);
	configuring(e, true);
	if (is_list) {
		indexed_triangles(e, false);
	}
	pica_emit_reg(e, REG_VTX_FUNC, 1);
	pica_emit_reg_masked(e, REG_PRIMITIVE_CONFIG, 0, 0x8);
	pica_emit_reg_masked(e, REG_PRIMITIVE_CONFIG, 0, 0x8);
}

PICA_EXPORT void pica_emit_immediate_begin(struct pica_emit *e, uint32_t primitive) {
	draw_start(e, primitive);
	pica_emit_reg(e, REG_INDEXBUFFER_CONFIG, INDEXBUFFER_CONFIG_IS_U16_SET(1));
	array_mode(e, true);
	configuring(e, false);
	pica_emit_reg(e, REG_FIXEDATTRIB_INDEX, FIXEDATTRIB_INDEX_INDEX_SET(IMMEDIATE_INDEX));
}

PICA_EXPORT void pica_emit_immediate(struct pica_emit *e, const float *xyzw, size_t n) {
	uint32_t words[VEC4_PER_ENTRY * 3];
	while (n > 0 && !e->error) {
		size_t count = n < VEC4_PER_ENTRY ? n : (size_t)VEC4_PER_ENTRY;
		for (size_t i = 0; i < count; i++) {
			f24_pack_vec4(xyzw + 4 * i, words + 3 * i);
		}
		pica_emit_fifo(e, REG_FIXEDATTRIB_DATA0, words, 3 * count);
		xyzw += 4 * count;
		n -= count;
	}
}

PICA_EXPORT void pica_emit_immediate_end(struct pica_emit *e) {
	configuring(e, true);
	array_mode(e, false);
	pica_emit_reg(e, REG_VTX_FUNC, 1);
}
