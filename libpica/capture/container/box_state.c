/* A state as chunks of words of struct pica_state, in the fixed order of the format. */
#include "capture/container/box.h"

#include "pica/regs/regs.h"

/* Words of the state; a chunk is the segments of its name, in this order. */
struct segment {
	uint32_t fourcc;
	uint32_t offset; /* in struct pica_state */
	uint32_t words;
};

#define SEGMENT(name, field)                                                                       \
	{                                                                                          \
		BOX_##name, offsetof(struct pica_state, field),                                    \
				sizeof(((struct pica_state *)0)->field) / 4                        \
	}

static const struct segment segments[] = {
	SEGMENT(REGX, external),
	SEGMENT(REGL, lcd),
	SEGMENT(REGP, regs),
	SEGMENT(SHVS, vs.code),
	SEGMENT(SHVS, vs.operand_descriptors),
	SEGMENT(SHVS, vs.uniforms),
	SEGMENT(SHVS, vs.uniforms_f32),
	SEGMENT(SHGS, gs.code),
	SEGMENT(SHGS, gs.operand_descriptors),
	SEGMENT(SHGS, gs.uniforms),
	SEGMENT(ATTR, fixed_attributes),
	SEGMENT(ATTR, attribute_port),
	SEGMENT(LUTL, tables.light),
	SEGMENT(LUTF, tables.fog),
	SEGMENT(LUTP, tables.proctex),
	SEGMENT(LUTG, tables.gas),
	SEGMENT(IDXS, flags),
	SEGMENT(IDXS, vs_upload),
	SEGMENT(IDXS, gs_upload),
	/* State that a geometry shader keeps. Its b15 comes first: see GEOM_HEAD. */
	SEGMENT(GEOM, gs.uniforms_f32),
	SEGMENT(GEOM, geometry),
	SEGMENT(GEOM, assembler),
};

static const uint32_t order[BOX_STATE_CHUNKS] = { BOX_REGX, BOX_REGL, BOX_REGP, BOX_SHVS, BOX_SHGS,
	BOX_ATTR, BOX_LUTL, BOX_LUTF, BOX_LUTP, BOX_LUTG, BOX_IDXS, BOX_GEOM };

enum { GEOM_HEAD = 1 }; /* words: b15, which register 0x280 holds too */

unsigned box_state_chunks(enum pica_chip chip) {
	return chip == PICA_CHIP_PICA200 ? BOX_STATE_CHUNKS : 1;
}

uint32_t box_state_fourcc(enum pica_chip chip, unsigned i) {
	return chip == PICA_CHIP_PICA200 ? order[i] : BOX_CHIP;
}

uint64_t box_state_size(enum pica_chip chip, unsigned i) {
	if (chip != PICA_CHIP_PICA200) {
		return sizeof(struct box_chip);
	}
	uint64_t words = order[i] == BOX_GEOM ? GEOM_HEAD : 0;
	for (size_t k = 0; k < ARRAY_LEN(segments); k++) {
		words += segments[k].fourcc == order[i] ? segments[k].words : 0;
	}
	return 4 * words;
}

static uint32_t b15(const struct pica_state *state) {
	return state->regs[REG_GSH_BOOLUNIFORM] >> 15 & 1;
}

void box_state_pack(enum pica_chip chip, unsigned i, const struct pica_state *state,
		uint8_t *payload) {
	if (chip != PICA_CHIP_PICA200) {
		const struct box_chip word = { .chip = (uint32_t)chip };
		memcpy(payload, &word, sizeof(word));
		return;
	}
	if (order[i] == BOX_GEOM) {
		const uint32_t word = b15(state);
		memcpy(payload, &word, sizeof(word));
		payload += 4 * GEOM_HEAD;
	}
	for (size_t k = 0; k < ARRAY_LEN(segments); k++) {
		if (segments[k].fourcc == order[i]) {
			memcpy(payload, (const uint8_t *)state + segments[k].offset,
					4 * segments[k].words);
			payload += 4 * segments[k].words;
		}
	}
}

const char *box_state_unpack(enum pica_chip chip, unsigned i, const uint8_t *payload,
		struct pica_state *state) {
	if (chip != PICA_CHIP_PICA200) {
		return capture_u32(payload) != PICA_CHIP_VC4 || capture_u32(payload + 4) ?
				"an unknown chip" : NULL;
	}
	if (order[i] == BOX_GEOM) {
		/* REGP comes before. */
		if (capture_u32(payload) != b15(state)) {
			return "b15 differs from bit 15 of register 0x280";
		}
		payload += 4 * GEOM_HEAD;
	}
	for (size_t k = 0; k < ARRAY_LEN(segments); k++) {
		if (segments[k].fourcc == order[i]) {
			memcpy((uint8_t *)state + segments[k].offset, payload,
					4 * segments[k].words);
			payload += 4 * segments[k].words;
		}
	}
	const uint32_t known = PICA_STATE_PORTS | 0xFFFFu * PICA_STATE_UNWRITTEN_ATTRIBUTE;
	if (order[i] == BOX_IDXS && (state->flags & ~known)) {
		return "unknown flags";
	}
	return NULL;
}
