/* The procedural texture unit: registers 0A8-0AE, and tables from plain values. */
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/emit/emit.h"
#include "pica/regs/regs.h"

PICA_EXPORT void pica_proctex_init(struct pica_proctex *p) {
	static const uint8_t usual[PICA_PROCTEX_LEVELS] = { 0x00, 0x80, 0xC0, 0xE0, 0xF0, 0xF8,
		0xFC, 0xFE }; /* [fidelity: proctex-fields] */
	memset(p, 0, sizeof(*p));
	p->u_clamp = p->v_clamp = PROCTEX_CLAMP_EDGE;
	p->rgb_map = p->alpha_map = PROCTEX_MAP_U;
	p->u_frequency = p->v_frequency = 1.0f;
	p->filter = PROCTEX_FILTER_LINEAR;
	p->max_lod = 6;
	p->width = 128;
	memcpy(p->offset, usual, sizeof(usual));
}

/* Finite, and within the largest 16-bit float. */
static bool fits_f16(float f) {
	return f >= -65504.0f && f <= 65504.0f;
}

static bool fits_amplitude(float f) {
	return f >= -8.0f && f < 8.0f;
}

static uint32_t noise_word(float amplitude, float phase) {
	const int32_t raw = (int32_t)(amplitude * 4096.0f);
	return PROCTEX_NOISE_AMPLITUDE_SET((uint32_t)raw) |
			PROCTEX_NOISE_PHASE_SET(f32_to_f16(phase));
}

static uint32_t offsets_word(const uint8_t offset[4]) {
	return PROCTEX_OFFSETS_LEVEL0_SET(offset[0]) | PROCTEX_OFFSETS_LEVEL1_SET(offset[1]) |
			PROCTEX_OFFSETS_LEVEL2_SET(offset[2]) |
			PROCTEX_OFFSETS_LEVEL3_SET(offset[3]);
}

PICA_EXPORT void pica_emit_proctex(struct pica_emit *e, const struct pica_proctex *p) {
	if (emit_refuse(e, p->u_clamp > PROCTEX_CLAMP_PULSE || p->v_clamp > PROCTEX_CLAMP_PULSE ||
			p->u_shift > PROCTEX_SHIFT_EVEN || p->v_shift > PROCTEX_SHIFT_EVEN ||
			p->rgb_map > PROCTEX_MAP_RMAX || p->alpha_map > PROCTEX_MAP_RMAX ||
			p->filter > PROCTEX_FILTER_LINEAR_MIP_LINEAR || p->min_lod > 15 ||
			p->max_lod > 15 || p->width > 255 || !fits_amplitude(p->u_amplitude) ||
			!fits_amplitude(p->v_amplitude) || !fits_f16(p->u_phase) ||
			!fits_f16(p->v_phase) || !fits_f16(p->u_frequency) ||
			!fits_f16(p->v_frequency) || !fits_f16(p->lod_bias))) {
		return;
	}
	const uint32_t bias = f32_to_f16(p->lod_bias);
	const uint32_t words[7] = {
		PROCTEX0_U_CLAMP_SET(p->u_clamp) | PROCTEX0_V_CLAMP_SET(p->v_clamp) |
				PROCTEX0_RGB_MAP_SET(p->rgb_map) |
				PROCTEX0_ALPHA_MAP_SET(p->alpha_map) |
				PROCTEX0_SEPARATE_ALPHA_SET(p->separate_alpha) |
				PROCTEX0_NOISE_SET(p->noise) | PROCTEX0_U_SHIFT_SET(p->u_shift) |
				PROCTEX0_V_SHIFT_SET(p->v_shift) |
				PROCTEX0_BIAS_LOW_SET(bias & 0xFF),
		noise_word(p->u_amplitude, p->u_phase),
		noise_word(p->v_amplitude, p->v_phase),
		PROCTEX_FREQUENCY_U_SET(f32_to_f16(p->u_frequency)) |
				PROCTEX_FREQUENCY_V_SET(f32_to_f16(p->v_frequency)),
		PROCTEX4_FILTER_SET(p->filter) | PROCTEX4_MIN_LOD_SET(p->min_lod) |
				PROCTEX4_MAX_LOD_SET(p->max_lod) | PROCTEX4_WIDTH_SET(p->width) |
				PROCTEX4_BIAS_HIGH_SET(bias >> 8),
		offsets_word(p->offset),
		offsets_word(p->offset + 4),
	};
	pica_emit_burst(e, REG_TEXUNIT3_PROCTEX0, words, 7);
}

PICA_EXPORT void pica_proctex_map(uint32_t entries[128], const float values[129]) {
	for (unsigned i = 0; i < 128; i++) {
		/* The difference of the stored values: no step between one entry and the next. */
		const uint32_t value = PROCTEX_MAP_VALUE(pica_proctex_map_entry(values[i], 0.0f));
		const uint32_t next =
				PROCTEX_MAP_VALUE(pica_proctex_map_entry(values[i + 1], 0.0f));
		const float difference = (float)(int32_t)(next - value) / 4096.0f;
		entries[i] = pica_proctex_map_entry((float)value / 4096.0f, difference);
	}
}

PICA_EXPORT void pica_proctex_color_differences(uint32_t *differences, const uint32_t *colors,
		size_t n) {
	for (size_t i = 0; i < n; i++) {
		differences[i] = 0;
		for (unsigned k = 0; i + 1 < n && k < 4; k++) {
			const int now = (int)(colors[i] >> 8 * k & 0xFF);
			const int next = (int)(colors[i + 1] >> 8 * k & 0xFF);
			differences[i] |= ((uint32_t)((next - now) / 2) & 0xFF) << 8 * k;
		}
	}
}

PICA_EXPORT void pica_emit_proctex_colors(struct pica_emit *e, uint32_t first,
		const uint32_t *colors, size_t n) {
	uint32_t differences[256];
	if (emit_refuse(e, first > ARRAY_LEN(differences) || n > ARRAY_LEN(differences) - first)) {
		return;
	}
	pica_proctex_color_differences(differences, colors, n);
	pica_emit_proctex_lut(e, PROCTEX_TABLE_COLOR, first, colors, n);
	pica_emit_proctex_lut(e, PROCTEX_TABLE_COLOR_DIFF, first, differences, n);
}
