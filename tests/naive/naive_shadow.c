/* Drawing into shadow maps (fidelity: shadow-render; docs/fidelity.md 1 "Shadow maps"). */
#include "naive_state.h"

#include "core/base/f24.h"
#include "pica/regs/regs.h"

/* Depth 0..2^24-1 in bytes 0 to 2, high byte first; density in byte 3. */
void naive_shadow_fragment(struct naive *n, uint64_t index, float depth, uint8_t green) {
	if (COLORBUFFER_WRITE_MASK(n->regs[REG_COLORBUFFER_WRITE]) == 0) {
		return;
	}
	const uint32_t addr = n->draw.color_addr + (uint32_t)(index * 4);
	const uint32_t stored = (uint32_t)naive_read8(n, addr) << 16 |
			(uint32_t)naive_read8(n, addr + 1) << 8 | naive_read8(n, addr + 2);
	const uint32_t d = naive_depth_to_int(depth, 24);
	if (d >= stored) {
		return;
	}
	if (green == 0) {
		naive_write(n, addr, d >> 16, 1);
		naive_write(n, addr + 1, d >> 8 & 255, 1);
		naive_write(n, addr + 2, d & 255, 1);
		n->stats.written++;
		return;
	}
	const uint32_t word = n->regs[REG_FRAGOP_SHADOW];
	const float constant = f16_to_f32(word & 0xFFFF), linear = f16_to_f32(word >> 16);
	const float ratio = (float)d / (float)stored;
	const float divisor = constant + linear * ratio;
	const float quotient = (float)green / divisor;
	uint32_t density = 0; /* also for NaN */
	if (quotient >= 255.0f) {
		density = 255;
	} else if (quotient > 0.0f) {
		density = (uint32_t)quotient;
	}
	if (density < naive_read8(n, addr + 3)) {
		naive_write(n, addr + 3, density, 1);
		n->stats.written++;
	}
}
