/* Fragment mode, shadow maps. [spec/frag-output.md 1, 9] */
#include <errno.h>

#include "base/attributes.h"
#include "base/f24.h"
#include "emit/emit.h"
#include "regs/regs.h"

PICA_EXPORT void pica_emit_fragment_mode(struct pica_emit *e, uint32_t mode) {
	if (mode > 3) {
		emit_fail(e, -EINVAL);
		return;
	}
	/* The other bytes are the blender's. */
	pica_emit_reg_masked(e, REG_COLOR_OPERATION, COLOR_OPERATION_MODE_SET(mode), 0x1);
}

PICA_EXPORT void pica_emit_shadow(struct pica_emit *e, float constant, float linear) {
	pica_emit_reg(e, REG_FRAGOP_SHADOW, FRAGOP_SHADOW_CONSTANT_SET(f32_to_f16(constant)) |
			FRAGOP_SHADOW_LINEAR_SET(f32_to_f16(linear)));
}
