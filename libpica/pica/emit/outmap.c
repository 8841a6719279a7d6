#include "pica/emit/outmap.h"

#include "core/base/attributes.h"
#include "pica/regs/regs.h"
#include "pica_emit.h"

void outmap_init(struct outmap *m) {
	*m = (struct outmap){ 0 };
	for (unsigned r = 0; r < ARRAY_LEN(m->by_reg); r++) {
		m->by_reg[r] = OUTMAP_NONE;
	}
}

bool outmap_add(struct outmap *m, unsigned type, unsigned reg, unsigned mask) {
	const struct {
		bool is_known, is_texcoord;
		uint8_t first, count;
		uint32_t clock;
	} semantics[] = {
#define ROW(type, first, n, clock_bit, texcoord) \
		[PICA_OUTPUT_##type] = { true, texcoord, SEMANTIC_##first, n, \
			SH_OUTATTR_CLOCK_##clock_bit##_SET(1) },
		ROW(POSITION, POSITION_X, 4, POSITION_Z, false)
		ROW(QUATERNION, QUATERNION_X, 4, NORMQUAT_VIEW, false)
		ROW(COLOR, COLOR_R, 4, COLOR, false)
		ROW(TEXCOORD0, TEXCOORD0_U, 2, TEXCOORD0, true)
		ROW(TEXCOORD0_W, TEXCOORD0_W, 1, TEXCOORD0_W, true)
		ROW(TEXCOORD1, TEXCOORD1_U, 2, TEXCOORD1, true)
		ROW(TEXCOORD2, TEXCOORD2_U, 2, TEXCOORD2, true)
		ROW(VIEW, VIEW_X, 3, NORMQUAT_VIEW, false)
#undef ROW
		[PICA_OUTPUT_DUMMY] = { .is_known = true },
	};
	const unsigned row = type < ARRAY_LEN(semantics) ? type : PICA_OUTPUT_DUMMY;
	unsigned used = 0;
	for (unsigned k = 0; k < 4 && used < semantics[row].count; k++) {
		if (mask >> k & 1) {
			m->by_reg[reg] = (m->by_reg[reg] & ~(0xFFu << 8 * k)) |
					(semantics[row].first + used++) << 8 * k;
		}
	}
	m->mask |= 1u << reg;
	/* The position's clock is that of its z. */
	if (type != PICA_OUTPUT_POSITION || used >= 3) {
		m->clock |= semantics[row].clock;
	}
	m->mode |= SH_OUTATTR_MODE_TEXCOORDS_SET(semantics[row].is_texcoord);
	return type < ARRAY_LEN(semantics) && semantics[row].is_known;
}

/* Hardware reads slot k for the k-th enabled register. [fidelity: output-slots] */
unsigned outmap_slots(const struct outmap *m, uint32_t slot[OUTMAP_SLOTS]) {
	unsigned n = 0;
	for (unsigned reg = 0; reg < 16 && n < OUTMAP_SLOTS; reg++) {
		if (m->mask >> reg & 1) {
			slot[n++] = m->by_reg[reg];
		}
	}
	for (unsigned k = n; k < OUTMAP_SLOTS; k++) {
		slot[k] = OUTMAP_NONE;
	}
	return n;
}
