/* Look-up tables: lighting, fog, procedural texture, gas. */

#include "core/base/attributes.h"
#include "pica/emit/emit.h"
#include "pica/regs/regs.h"

enum { LIGHT_ENTRIES = 256, LIGHT_TABLES = 24, FOG_ENTRIES = 128, MAP_ENTRIES = 128,
	COLOR_ENTRIES = 256, GAS_ENTRIES = 16 };

static bool in_table(struct pica_emit *e, uint32_t first, size_t n, size_t size) {
	return !emit_refuse(e, first > size || n > size - first) && n > 0;
}

PICA_EXPORT void pica_emit_light_lut(struct pica_emit *e, uint32_t table, uint32_t first,
		const uint32_t *entries, size_t n) {
	emit_refuse(e, table >= LIGHT_TABLES);
	if (in_table(e, first, n, LIGHT_ENTRIES)) {
		pica_emit_reg(e, REG_LIGHTING_LUT_INDEX,
				LIGHTING_LUT_INDEX_INDEX_SET(first) |
						LIGHTING_LUT_INDEX_TABLE_SET(table));
		pica_emit_fifo(e, REG_LIGHTING_LUT_DATA0, entries, n);
	}
}

PICA_EXPORT void pica_emit_fog_lut(struct pica_emit *e, uint32_t first, const uint32_t *entries,
		size_t n) {
	if (in_table(e, first, n, FOG_ENTRIES)) {
		pica_emit_reg(e, REG_FOG_LUT_INDEX, FOG_LUT_INDEX_INDEX_SET(first));
		pica_emit_fifo(e, REG_FOG_LUT_DATA0, entries, n);
	}
}

PICA_EXPORT void pica_emit_proctex_lut(struct pica_emit *e, uint32_t table, uint32_t first,
		const uint32_t *entries, size_t n) {
	bool is_color = table == PROCTEX_TABLE_COLOR || table == PROCTEX_TABLE_COLOR_DIFF;
	emit_refuse(e, table > PROCTEX_TABLE_COLOR_DIFF);
	if (in_table(e, first, n, is_color ? COLOR_ENTRIES : MAP_ENTRIES)) {
		pica_emit_reg(e, REG_PROCTEX_LUT,
				PROCTEX_LUT_INDEX_SET(first) | PROCTEX_LUT_TABLE_SET(table));
		pica_emit_fifo(e, REG_PROCTEX_LUT_DATA0, entries, n);
	}
}

PICA_EXPORT void pica_emit_gas_lut(struct pica_emit *e, uint32_t first, const uint32_t *entries,
		size_t n) {
	if (in_table(e, first, n, GAS_ENTRIES)) {
		pica_emit_reg(e, REG_GAS_LUT_INDEX, GAS_LUT_INDEX_INDEX_SET(first));
		pica_emit_fifo(e, REG_GAS_LUT_DATA, entries, n);
	}
}

/* value * scale, truncated, within min..max; NaN gives 0. */
static int32_t scaled(float value, float scale, int32_t min, int32_t max) {
	float v = value * scale;
	if (!(v > (float)min)) {
		return v <= (float)min ? min : 0;
	}
	return v < (float)max ? (int32_t)v : max;
}

PICA_EXPORT uint32_t pica_light_lut_entry(float value, float difference) {
	/* Sign and magnitude. [fidelity: lighting-tables] */
	int32_t diff = scaled(difference, 2048.0f, -0x7FF, 0x7FF);
	return LIGHTING_LUT_DATA_VALUE_SET((uint32_t)scaled(value, 4096.0f, 0, 0xFFF)) |
			LIGHTING_LUT_DATA_DIFF_SET((uint32_t)(diff < 0 ? -diff : diff)) |
			LIGHTING_LUT_DATA_DIFF_SIGN_SET(diff < 0);
}

PICA_EXPORT uint32_t pica_fog_lut_entry(float value, float difference) {
	/* Two's complement. [fidelity: fog] */
	return FOG_LUT_DATA_VALUE_SET((uint32_t)scaled(value, 2048.0f, 0, 0x7FF)) |
			FOG_LUT_DATA_DIFF_SET((uint32_t)scaled(difference, 2048.0f, -0x1000,
					0xFFF));
}

/* In 1/2047, the unit in which 0x7FF is 1. [fidelity: fog] */
static int32_t fog_value(float (*keep)(float depth, void *arg), void *arg, unsigned place) {
	float v = keep((float)place / FOG_ENTRIES, arg);
	v = v > 0.0f ? v : 0.0f;
	v = v < 1.0f ? v : 1.0f;
	return (int32_t)(v * 2047.0f + 0.5f);
}

PICA_EXPORT void pica_fog_lut_from(uint32_t entries[128], float (*keep)(float depth, void *arg),
		void *arg) {
	int32_t value = fog_value(keep, arg, 0);
	for (unsigned i = 0; i < FOG_ENTRIES; i++) {
		const int32_t next = fog_value(keep, arg, i + 1);
		entries[i] = FOG_LUT_DATA_VALUE_SET((uint32_t)value) |
				FOG_LUT_DATA_DIFF_SET((uint32_t)(next - value));
		value = next;
	}
}

/* Half of it, to nearest, halves away from 0; two's complement of a byte. */
static uint32_t gas_difference(uint32_t from, uint32_t to) {
	const int32_t d = (int32_t)(to & 255) - (int32_t)(from & 255);
	const int32_t half = d < 0 ? -((1 - d) / 2) : (d + 1) / 2;
	return (uint32_t)(half < -128 ? -128 : half > 127 ? 127 : half) & 255;
}

PICA_EXPORT void pica_gas_lut_from(uint32_t entries[16], const uint32_t colors[9]) {
	for (unsigned i = 0; i < 8; i++) {
		const uint32_t c = colors[i], next = colors[i + 1];
		entries[i] = GAS_LUT_DATA_R_SET(gas_difference(c, next)) |
				GAS_LUT_DATA_G_SET(gas_difference(c >> 8, next >> 8)) |
				GAS_LUT_DATA_B_SET(gas_difference(c >> 16, next >> 16));
		entries[8 + i] = c & 0xFFFFFF;
	}
}

PICA_EXPORT uint32_t pica_proctex_map_entry(float value, float difference) {
	/* Value 12 bits, difference 12 bits in two's complement. [fidelity: proctex-tables] */
	return PROCTEX_MAP_VALUE_SET((uint32_t)scaled(value, 4096.0f, 0, 0xFFF)) |
			PROCTEX_MAP_DIFF_SET((uint32_t)scaled(difference, 4096.0f, -0x800, 0x7FF));
}
