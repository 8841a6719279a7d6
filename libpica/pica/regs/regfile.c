#include "pica/regs/regfile.h"

#include <string.h>

void regfile_init(struct regfile *rf) {
	memset(rf, 0, sizeof(*rf));
	/* The state that the system software leaves. [fidelity: finalize, reset-state] */
	rf->w[REG_IRQ_CMP0] = 0x12345678;
	rf->w[REG_IRQ_MASK_LOW] = 0xFFFFFFF0;
	rf->w[REG_IRQ_MASK_HIGH] = 0xFFFFFFFF;
	rf->w[REG_IRQ_AUTOSTOP] = IRQ_AUTOSTOP_ENABLE_SET(1);
	rf->w[REG_ID] = 0x00010002;
	rf->w[REG_UNKNOWN_11F] = 0x00010140;
	rf->w[REG_UNKNOWN_243] = 0x00000037;
	/* One game relies on it. [fidelity: reset-state: Azahar] */
	rf->w[REG_GSH_INPUTBUFFER_CONFIG] = SH_INPUTBUFFER_CONFIG_COUNT_M1_SET(1) |
			SH_INPUTBUFFER_CONFIG_MODE_SET(SH_MODE_VERTEX);
	rf->dirty = PART_ALL;
}

bool regfile_write(struct regfile *rf, uint32_t id, uint32_t value, uint32_t mask) {
	enum reg_kind kind = reg_kind(id);
	if (kind == REG_KIND_HOLE || kind == REG_KIND_STATUS || kind == REG_KIND_CPU) {
		return false;
	}
	uint32_t bits = reg_byte_mask(mask);
	uint32_t word = (rf->w[id] & ~bits) | (value & bits);
	if (word != rf->w[id] || (kind == REG_KIND_PORT && bits)) {
		rf->dirty |= reg_part(id);
	}
	rf->w[id] = word;
	return true;
}
