/*
 * Uploads to the shader units, output maps, the geometry stage. [fidelity: shader-upload,
 * dvle-binding]
 */
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/emit/emit.h"
#include "pica/emit/outmap.h"
#include "pica/regs/regs.h"

enum { VS_CODE_WORDS = 512, GS_CODE_WORDS = 4096, DESCRIPTORS = 128, UNIFORMS = 96 };

/* Upper half of BOOLUNIFORM and ENTRYPOINT as clients write it. [fidelity: register-map] */
enum { CLIENT_HIGH = 0x7FFF };

/* The register of this unit that corresponds to one of the GSH block. */
static uint32_t unit_reg(enum pica_unit unit, uint32_t gsh_id) {
	return unit == PICA_UNIT_VS ? gsh_id + REGS_VSH_FROM_GSH : gsh_id;
}

PICA_EXPORT void pica_emit_code(struct pica_emit *e, enum pica_unit unit, uint32_t first,
		const uint32_t *code, size_t n) {
	size_t limit = unit == PICA_UNIT_VS ? VS_CODE_WORDS : GS_CODE_WORDS;
	if (emit_refuse(e, first > limit || n > limit - first)) {
		return;
	}
	pica_emit_reg(e, unit_reg(unit, REG_GSH_CODETRANSFER_INDEX), first);
	emit_fifo_chunks(e, unit_reg(unit, REG_GSH_CODETRANSFER_DATA0), code, n, EMIT_CODE_WORDS);
	pica_emit_reg(e, unit_reg(unit, REG_GSH_CODETRANSFER_END), 1);
}

PICA_EXPORT void pica_emit_operand_descriptors(struct pica_emit *e, enum pica_unit unit,
		uint32_t first, const uint32_t *descriptors, size_t n) {
	if (emit_refuse(e, first > DESCRIPTORS || n > DESCRIPTORS - first)) {
		return;
	}
	pica_emit_reg(e, unit_reg(unit, REG_GSH_OPDESCS_INDEX), first);
	emit_fifo_chunks(e, unit_reg(unit, REG_GSH_OPDESCS_DATA0), descriptors, n, EMIT_CODE_WORDS);
}

PICA_EXPORT void pica_emit_entry_point(struct pica_emit *e, enum pica_unit unit, uint32_t pc) {
	pica_emit_reg(e, unit_reg(unit, REG_GSH_ENTRYPOINT),
			SH_ENTRYPOINT_PC_SET(pc) | SH_ENTRYPOINT_HIGH_SET(CLIENT_HIGH));
}

PICA_EXPORT void pica_emit_bool_uniforms(struct pica_emit *e, enum pica_unit unit, uint32_t bits) {
	pica_emit_reg(e, unit_reg(unit, REG_GSH_BOOLUNIFORM),
			SH_BOOLUNIFORM_BITS_SET(bits) | SH_BOOLUNIFORM_HIGH_SET(CLIENT_HIGH));
}

PICA_EXPORT void pica_emit_int_uniform(struct pica_emit *e, enum pica_unit unit, unsigned index,
		uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
	emit_refuse(e, index > 3 || (x | y | z | w) > 255);
	pica_emit_reg(e, unit_reg(unit, REG_GSH_INTUNIFORM_I0) + index,
			SH_INTUNIFORM_X_SET(x) | SH_INTUNIFORM_Y_SET(y) | SH_INTUNIFORM_Z_SET(z) |
					SH_INTUNIFORM_W_SET(w));
}

/* Index, then the data in entries that hold whole uniforms. */
static void float_uniforms(struct pica_emit *e, enum pica_unit unit, uint32_t first,
		const float *xyzw, size_t n, bool is_f32) {
	if (emit_refuse(e, first > UNIFORMS || n > UNIFORMS - first)) {
		return;
	}
	if (n == 0) {
		return;
	}
	pica_emit_reg(e, unit_reg(unit, REG_GSH_FLOATUNIFORM_INDEX),
			SH_FLOATUNIFORM_INDEX_INDEX_SET(first) |
					SH_FLOATUNIFORM_INDEX_IS_F32_SET(is_f32));
	uint32_t words[UNIFORMS * 4];
	size_t len = 0;
	for (size_t i = 0; i < n; i++) {
		const float *v = xyzw + 4 * i;
		if (is_f32) {
			/* W first. [fidelity: shader-upload] */
			for (int k = 3; k >= 0; k--) {
				words[len++] = f32_bits(v[k]);
			}
		} else {
			f24_pack_vec4(v, words + len);
			len += 3;
		}
	}
	size_t chunk = is_f32 ? EMIT_MAX_WORDS : EMIT_MAX_WORDS / 3 * 3;
	emit_fifo_chunks(e, unit_reg(unit, REG_GSH_FLOATUNIFORM_DATA0), words, len, chunk);
}

PICA_EXPORT void pica_emit_float_uniforms(struct pica_emit *e, enum pica_unit unit, uint32_t first,
		const float *xyzw, size_t n) {
	float_uniforms(e, unit, first, xyzw, n, false);
}

PICA_EXPORT void pica_emit_float_uniforms_f32(struct pica_emit *e, enum pica_unit unit,
		uint32_t first, const float *xyzw, size_t n) {
	float_uniforms(e, unit, first, xyzw, n, true);
}

/* ---- Output maps [fidelity: dvle-binding] ---- */

PICA_EXPORT void pica_emit_outputs(struct pica_emit *e, enum pica_unit unit,
		const struct pica_output *outputs, unsigned n) {
	struct outmap m;
	outmap_init(&m);
	for (unsigned i = 0; i < n; i++) {
		const struct pica_output *o = &outputs[i];
		if (emit_refuse(e, o->reg > 15 || o->mask > 15 ||
				!outmap_add(&m, o->type, o->reg, o->mask))) {
			return;
		}
	}
	const unsigned count = popcount64(m.mask);
	if (emit_refuse(e, count == 0 || count > OUTMAP_SLOTS)) {
		return;
	}
	uint32_t burst[1 + OUTMAP_SLOTS] = { SH_OUTMAP_TOTAL_COUNT_SET(count) };
	outmap_slots(&m, burst + 1);
	if (unit == PICA_UNIT_VS) {
		pica_emit_vs_output_mask(e, m.mask);
	} else {
		pica_emit_reg(e, REG_GSH_OUTMAP_MASK, SH_OUTMAP_MASK_MASK_SET(m.mask));
	}
	pica_emit_reg_masked(e, REG_PRIMITIVE_CONFIG,
			PRIMITIVE_CONFIG_NUM_OUTPUTS_M1_SET(count - 1), 0x1);
	pica_emit_burst(e, REG_SH_OUTMAP_TOTAL, burst, ARRAY_LEN(burst));
	pica_emit_reg(e, REG_SH_OUTATTR_MODE, m.mode);
	pica_emit_reg(e, REG_SH_OUTATTR_CLOCK, m.clock);
}

PICA_EXPORT void pica_emit_vs_output_mask(struct pica_emit *e, uint32_t mask) {
	emit_refuse(e, mask == 0 || mask > 0xFFFF);
	uint32_t count_m1 = popcount64(mask) - 1;
	pica_emit_reg(e, REG_VSH_OUTMAP_MASK, SH_OUTMAP_MASK_MASK_SET(mask));
	pica_emit_reg(e, REG_VSH_OUTMAP_TOTAL1, VSH_OUTMAP_TOTAL_COUNT_M1_SET(count_m1));
	pica_emit_reg(e, REG_VSH_OUTMAP_TOTAL2, VSH_OUTMAP_TOTAL_COUNT_M1_SET(count_m1));
}

/* ---- The geometry stage [fidelity: dvle-binding, geometry-shader] ---- */

PICA_EXPORT void pica_emit_geometry(struct pica_emit *e, const struct pica_geometry *g) {
	uint32_t config = 0, misc0 = 0, misc1 = 0;
	uint32_t input = SH_INPUTBUFFER_CONFIG_MODE_SET(SH_MODE_VERTEX);
	if (g) {
		bool is_fixed = g->mode == GS_MODE_FIXED, is_variable = g->mode == GS_MODE_VARIABLE;
		if (emit_refuse(e, g->mode > GS_MODE_FIXED || g->inputs - 1 > 15 ||
				g->vs_outputs - 1 > 15 ||
				(is_fixed && g->fixed_vertices - 1 > 15) ||
				(is_fixed && g->fixed_first_uniform >= UNIFORMS) ||
				(is_variable && g->variable_main - 1 > 31))) {
			return;
		}
		config = GEOSTAGE_CONFIG_GS_SET(GEOSTAGE_ON) |
				GEOSTAGE_CONFIG_VARIABLE_SET(is_variable);
		misc0 = GSH_MISC0_MODE_SET(g->mode);
		if (is_fixed) {
			misc0 |= GSH_MISC0_FIXED_SET(1) |
					GSH_MISC0_FIXED_FIRST_SET(g->fixed_first_uniform) |
					GSH_MISC0_FIXED_STRIDE_M1_SET(g->vs_outputs - 1) |
					GSH_MISC0_FIXED_VERTICES_M1_SET(g->fixed_vertices - 1);
		}
		if (is_variable) {
			misc1 = GSH_MISC1_MAIN_VERTICES_M1_SET(g->variable_main - 1);
		}
		input = SH_INPUTBUFFER_CONFIG_MODE_SET(SH_MODE_GEOMETRY) |
				SH_INPUTBUFFER_CONFIG_TO_UNIFORMS_SET(g->mode != GS_MODE_POINT) |
				SH_INPUTBUFFER_CONFIG_COUNT_M1_SET(g->inputs - 1);
	}
	pica_emit_reg_masked(e, REG_GEOSTAGE_CONFIG, config, 0x3);
	pica_emit_reg_masked(e, REG_GEOSTAGE_CONFIG2, 0, 0x3);
	pica_emit_reg_masked(e, REG_VSH_COM_MODE, VSH_COM_MODE_SEPARATE_SET(g != NULL), 0x1);
	pica_emit_reg_masked(e, REG_GEOSTAGE_CONFIG, config, 0xA);
	pica_emit_reg(e, REG_GSH_MISC0, misc0);
	pica_emit_reg(e, REG_GSH_MISC1, misc1);
	pica_emit_reg(e, REG_GSH_INPUTBUFFER_CONFIG, input);
	const uint32_t permutation[2] = { (uint32_t)PICA_IDENTITY_INPUTS,
		(uint32_t)(PICA_IDENTITY_INPUTS >> 32) };
	pica_emit_burst(e, REG_GSH_ATTRIBUTES_PERMUTATION_LOW, permutation, 2);
}
