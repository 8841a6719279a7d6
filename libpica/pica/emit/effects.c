/* Fragment mode, shadow maps, gas. [fidelity: output-fields, shadow-render, gas] */

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/emit/emit.h"
#include "pica/regs/regs.h"

/* x in 1/scale, to nearest, within 0..max; NaN: 0. */
static uint32_t fixed(float x, float scale, uint32_t max) {
	const float v = x * scale + 0.5f;
	return !(v > 0.0f) ? 0 : v < (float)max ? (uint32_t)v : max;
}

PICA_EXPORT void pica_emit_fragment_mode(struct pica_emit *e, uint32_t mode) {
	emit_refuse(e, mode > 3);
	/* The other bytes belong to the blender. */
	pica_emit_reg_masked(e, REG_COLOR_OPERATION, COLOR_OPERATION_MODE_SET(mode), 0x1);
}

PICA_EXPORT void pica_emit_shadow(struct pica_emit *e, float constant, float linear) {
	pica_emit_reg(e, REG_FRAGOP_SHADOW, FRAGOP_SHADOW_CONSTANT_SET(f32_to_f16(constant)) |
			FRAGOP_SHADOW_LINEAR_SET(f32_to_f16(linear)));
}

PICA_EXPORT void pica_emit_shadow_texture(struct pica_emit *e, bool divide, float bias) {
	pica_emit_reg(e, REG_TEXUNIT0_SHADOW, TEXUNIT_SHADOW_ORTHO_SET(!divide) |
			TEXUNIT_SHADOW_BIAS_SET(fixed(bias, 8388608.0f, 0x7FFFFF)));
}

PICA_EXPORT void pica_emit_gas_accumulation(struct pica_emit *e, uint32_t func, float delta_z) {
	emit_refuse(e, func > GAS_DEPTH_LESS);
	pica_emit_reg(e, REG_GAS_DELTAZ_DEPTH, GAS_DELTAZ_DEPTH_FUNC_SET(func) |
			GAS_DELTAZ_DEPTH_DELTA_SET(fixed(delta_z, 256.0f, 0xFFFFFF)));
	pica_emit_reg_masked(e, REG_GAS_ACCMAX_FEEDBACK, 0, 0x3);
	pica_emit_fragment_mode(e, FRAGMENT_MODE_GAS);
}

static uint32_t gas_light(const struct pica_gas_light *l) {
	return GAS_LIGHT_MIN_SET(fixed(l->min, 255.0f, 255)) |
			GAS_LIGHT_MAX_SET(fixed(l->max, 255.0f, 255)) |
			GAS_LIGHT_ATTENUATION_SET(fixed(l->attenuation, 255.0f, 255));
}

PICA_EXPORT void pica_emit_gas_shading(struct pica_emit *e, const struct pica_gas *gas) {
	emit_refuse(e, !(gas->density_max > 0.0f));
	pica_emit_reg(e, REG_GAS_LIGHT_XY, gas_light(&gas->planar));
	pica_emit_reg(e, REG_GAS_LIGHT_Z, gas_light(&gas->view));
	pica_emit_reg(e, REG_GAS_LIGHT_Z_COLOR,
			GAS_LIGHT_Z_COLOR_EFFECT_SET(fixed(gas->effect, 255.0f, 255)) |
					GAS_LIGHT_Z_COLOR_LUT_INPUT_SET(gas->by_light));
	pica_emit_reg(e, REG_GAS_ATTENUATION, f32_to_f16(gas->attenuation));
	pica_emit_reg(e, REG_GAS_ACCMAX, f32_to_f16(1.0f / gas->density_max));
	pica_emit_reg_masked(e, REG_TEXENV_UPDATE_BUFFER,
			TEXENV_UPDATE_BUFFER_FOG_MODE_SET(FOG_MODE_GAS) |
					TEXENV_UPDATE_BUFFER_GAS_DENSITY_SET(gas->depth_density),
			0x5);
}
