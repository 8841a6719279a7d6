/* Checks of a draw: textures. */
#include <stdio.h>

#include "fields.h"
#include "lint.h"

enum { UNITS = 3, FACES = 6, VRAM_BEGIN = 0x18000000, VRAM_END = 0x18600000 };

struct unit {
	uint32_t dim, param, lod, addr, type; /* registers */
};

static const struct unit units[UNITS] = {
	{ PICA_REG_TEXUNIT0_DIM, PICA_REG_TEXUNIT0_PARAM, PICA_REG_TEXUNIT0_LOD,
			PICA_REG_TEXUNIT0_ADDR1, PICA_REG_TEXUNIT0_TYPE },
	{ PICA_REG_TEXUNIT1_DIM, PICA_REG_TEXUNIT1_PARAM, PICA_REG_TEXUNIT1_LOD,
			PICA_REG_TEXUNIT1_ADDR, PICA_REG_TEXUNIT1_TYPE },
	{ PICA_REG_TEXUNIT2_DIM, PICA_REG_TEXUNIT2_PARAM, PICA_REG_TEXUNIT2_LOD,
			PICA_REG_TEXUNIT2_ADDR, PICA_REG_TEXUNIT2_TYPE },
};

/* Bits per texel; 0: no such format.  [fidelity: texel-formats] */
static unsigned texel_bits(uint32_t format) {
	static const uint8_t bits[16] = { 32, 24, 16, 16, 16, 16, 16, 8, 8, 8, 4, 4, 4, 8, 0, 0 };
	return bits[format & 15];
}

static bool is_side(uint32_t n) {
	return n >= 8 && n <= 1024 && !(n & (n - 1));
}

/* Levels whose sides are both at least 8. */
static unsigned levels(uint32_t width, uint32_t height) {
	unsigned n = 0;
	for (uint32_t side = width < height ? width : height; side >= 8; side /= 2) {
		n++;
	}
	return n;
}

/* The upper bits of all faces are those of the first.  [fidelity: addresses] */
static uint32_t face_addr(const uint32_t *regs, unsigned face) {
	const uint32_t first = regs[PICA_REG_TEXUNIT0_ADDR1];
	return (face ? (first & 0x0FC00000) | (regs[PICA_REG_TEXUNIT0_ADDR1 + face] & 0x003FFFFF) :
			first & 0x0FFFFFFF) << 3;
}

static void check_image(
		struct lint *l, const uint32_t *regs, uint32_t reg, struct lint_range image) {
	if (image.begin == image.end) {
		return; /* its size has a finding */
	}
	if (!lint_in_memory(l, image)) {
		lint_report(l, LINT_TEXTURE_MEMORY, reg, regs[reg], "%u bytes at 0x%08X",
				(unsigned)(image.end - image.begin), (unsigned)image.begin);
	}
	struct lint_range color, depth;
	lint_targets(regs, &color, &depth);
	if (lint_overlaps(image, color) || lint_overlaps(image, depth)) {
		lint_report(l, LINT_TEXTURE_TARGET, reg, regs[reg], "texture at 0x%08X",
				(unsigned)image.begin);
	} else if (lint_is_dirty(l, image)) {
		lint_report(l, LINT_FLUSH_TEXTURE, reg, regs[reg], "texture at 0x%08X",
				(unsigned)image.begin);
	}
}

static void check_types(struct lint *l, const uint32_t *regs, uint32_t type, uint64_t bytes) {
	const uint32_t param = regs[PICA_REG_TEXUNIT0_PARAM];
	const bool is_cube =
			type == PICA_TEXTURE_TYPE_CUBE || type == PICA_TEXTURE_TYPE_SHADOW_CUBE;
	const bool is_shadow = type == PICA_TEXTURE_TYPE_SHADOW_2D ||
			type == PICA_TEXTURE_TYPE_SHADOW_CUBE;
	const uint32_t format = get_TEXUNIT_TYPE_FORMAT(regs[PICA_REG_TEXUNIT0_TYPE]);
	if (type > PICA_TEXTURE_TYPE_DISABLED) {
		lint_report(l, LINT_TEXTURE_TYPE, PICA_REG_TEXUNIT0_PARAM, param, "type %u", type);
	}
	if (is_shadow && format != PICA_TEXTURE_FORMAT_RGBA8) {
		lint_report(l, LINT_SHADOW_FORMAT, PICA_REG_TEXUNIT0_TYPE,
				regs[PICA_REG_TEXUNIT0_TYPE], "%s",
				field_text("TEXTURE_FORMAT", format));
	}
	if (get_TEXUNIT_PARAM_SHADOW(param) != is_shadow) {
		lint_report(l, LINT_TEXTURE_SHADOW, PICA_REG_TEXUNIT0_PARAM, param, "type %s",
				field_text("TEXTURE_TYPE", type));
	}
	for (unsigned face = 1; is_cube && face < FACES; face++) {
		const uint32_t reg = PICA_REG_TEXUNIT0_ADDR1 + face, addr = face_addr(regs, face);
		if (addr <= face_addr(regs, face - 1)) {
			lint_report(l, LINT_CUBE_ORDER, reg, regs[reg],
					"0x%08X is not after 0x%08X", addr,
					face_addr(regs, face - 1));
		}
		check_image(l, regs, reg, lint_range(addr, bytes));
	}
}

/* Bits above a side are lost: 2048 is 0.  [fidelity: texture-fields] */
static void check_size(struct lint *l, const uint32_t *regs, uint32_t reg) {
	const uint32_t dim = regs[reg], width = get_TEXUNIT_DIM_WIDTH(dim),
		       height = get_TEXUNIT_DIM_HEIGHT(dim);
	const uint32_t width_written = dim >> 16, height_written = dim & 0xFFFF;
	if (is_side(width) && is_side(height)) {
		return;
	}
	char lost[64] = "";
	if (width != width_written || height != height_written) {
		snprintf(lost, sizeof(lost), " (%u by %u was written, 11 bits of each are kept)",
				width_written, height_written);
	}
	lint_report(l, LINT_TEXTURE_SIZE, reg, dim, "%u by %u%s", width, height, lost);
}

static void check_unit(struct lint *l, const uint32_t *regs, unsigned unit) {
	const struct unit *u = &units[unit];
	const uint32_t type =
			unit == 0 ? get_TEXUNIT_PARAM_TYPE(regs[u->param]) : PICA_TEXTURE_TYPE_2D;
	if (type == PICA_TEXTURE_TYPE_DISABLED) {
		return;
	}
	const uint32_t width = get_TEXUNIT_DIM_WIDTH(regs[u->dim]),
			height = get_TEXUNIT_DIM_HEIGHT(regs[u->dim]);
	check_size(l, regs, u->dim);
	const uint32_t format = get_TEXUNIT_TYPE_FORMAT(regs[u->type]);
	const unsigned bits = texel_bits(format);
	if (!bits) {
		lint_report(l, LINT_TEXTURE_FORMAT, u->type, regs[u->type], "format %u", format);
		return;
	}
	const uint32_t etc1 = get_TEXUNIT_PARAM_ETC1(regs[u->param]);
	if (etc1 != (format == PICA_TEXTURE_FORMAT_ETC1 ? 2u : 0u)) {
		lint_report(l, LINT_TEXTURE_ETC1, u->param, regs[u->param], "%u for %s", etc1,
				field_text("TEXTURE_FORMAT", format));
	}
	const uint32_t max = get_TEXUNIT_LOD_MAX(regs[u->lod]), n = levels(width, height);
	if (n && max >= n) {
		lint_report(l, LINT_TEXTURE_LEVELS, u->lod, regs[u->lod], "level %u of %u by %u",
				max, width, height);
	}
	const uint64_t bytes = (uint64_t)width * height * bits / 8;
	const uint32_t addr = (regs[u->addr] & 0x0FFFFFFF) << 3;
	if (unit == 1 && bits == 4 &&
			lint_overlaps(lint_range(addr, bytes),
					lint_range(VRAM_BEGIN, VRAM_END - VRAM_BEGIN))) {
		lint_report(l, LINT_TEXTURE_VRAM_4BIT, u->addr, regs[u->addr], "%s at 0x%08X",
				field_text("TEXTURE_FORMAT", format), addr);
	}
	check_image(l, regs, u->addr, lint_range(addr, bytes));
	if (unit == 0) {
		check_types(l, regs, type, bytes);
	}
}

void lint_texture(struct lint *l, const uint32_t *regs) {
	const uint32_t config = regs[PICA_REG_TEXUNIT_CONFIG];
	const uint32_t on = config & 7;
	for (unsigned unit = 0; unit < UNITS; unit++) {
		if (on >> unit & 1) {
			check_unit(l, regs, unit);
		}
	}
	const bool has_proctex = get_TEXUNIT_CONFIG_ENABLE3(config);
	if ((on || has_proctex) && !get_TEXUNIT_CONFIG_ONE(config)) {
		lint_report(l, LINT_TEXTURE_CONFIG, PICA_REG_TEXUNIT_CONFIG, config,
				"clients write 1");
	}
	if (has_proctex && get_TEXUNIT_CONFIG_COORD3(config) == 3) {
		lint_report(l, LINT_TEXTURE_COORD3, PICA_REG_TEXUNIT_CONFIG, config,
				"0, 1 and 2 are sets");
	}
}
