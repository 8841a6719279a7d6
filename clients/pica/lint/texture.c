/* Checks of a draw: textures. */
#include <stdio.h>

#include "fields.h"
#include "lint.h"

enum { VRAM_BEGIN = 0x18000000, VRAM_END = 0x18600000 };

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

static void check_image(
		struct lint *l, const uint32_t *regs, uint32_t reg, struct lint_range image) {
	if (image.begin == image.end) {
		return; /* its size has a finding */
	}
	if (!lint_in_memory(l, image)) {
		lint_reg(l, LINT_TEXTURE_MEMORY, regs, reg, "%u bytes at 0x%08X",
				(unsigned)(image.end - image.begin), (unsigned)image.begin);
	}
	struct lint_range color, depth;
	lint_targets(regs, &color, &depth);
	if (lint_overlaps(image, color) || lint_overlaps(image, depth)) {
		lint_reg(l, LINT_TEXTURE_TARGET, regs, reg, "texture at 0x%08X",
				(unsigned)image.begin);
	} else if (lint_is_dirty(l, image)) {
		lint_reg(l, LINT_FLUSH_TEXTURE, regs, reg, "texture at 0x%08X",
				(unsigned)image.begin);
	}
}

static void check_types(struct lint *l, const uint32_t *regs, const struct facts_texture *t,
		uint64_t bytes) {
	const uint32_t param = regs[PICA_REG_TEXUNIT0_PARAM], type = t->type, format = t->format;
	const bool is_shadow = type == PICA_TEXTURE_TYPE_SHADOW_2D ||
			type == PICA_TEXTURE_TYPE_SHADOW_CUBE;
	if (type > PICA_TEXTURE_TYPE_DISABLED) {
		lint_report(l, LINT_TEXTURE_TYPE, PICA_REG_TEXUNIT0_PARAM, param, "type %u", type);
	}
	if (is_shadow && format != PICA_TEXTURE_FORMAT_RGBA8) {
		lint_reg(l, LINT_SHADOW_FORMAT, regs, PICA_REG_TEXUNIT0_TYPE, "%s",
				field_text("TEXTURE_FORMAT", format));
	}
	if (get_TEXUNIT_PARAM_SHADOW(param) != is_shadow) {
		lint_report(l, LINT_TEXTURE_SHADOW, PICA_REG_TEXUNIT0_PARAM, param, "type %s",
				field_text("TEXTURE_TYPE", type));
	}
	for (unsigned face = 1; facts_is_cube(t) && face < FACTS_FACES; face++) {
		const uint32_t reg = PICA_REG_TEXUNIT0_ADDR1 + face,
			       addr = facts_face_addr(regs, t, face),
			       before = facts_face_addr(regs, t, face - 1);
		if (addr <= before) {
			lint_reg(l, LINT_CUBE_ORDER, regs, reg, "0x%08X is not after 0x%08X", addr,
					before);
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
	const struct facts_texture_regs *u = &facts_texture_regs[unit];
	struct facts_texture t;
	facts_texture(regs, unit, &t);
	const uint32_t format = t.format;
	check_size(l, regs, u->dim);
	if (!t.bits) {
		lint_reg(l, LINT_TEXTURE_FORMAT, regs, u->type, "format %u", format);
		return;
	}
	const uint32_t etc1 = get_TEXUNIT_PARAM_ETC1(regs[u->param]);
	if (etc1 != (format == PICA_TEXTURE_FORMAT_ETC1 ? 2u : 0u)) {
		lint_reg(l, LINT_TEXTURE_ETC1, regs, u->param, "%u for %s", etc1,
				field_text("TEXTURE_FORMAT", format));
	}
	const uint32_t n = levels(t.width, t.height);
	if (n && t.levels >= n) {
		lint_reg(l, LINT_TEXTURE_LEVELS, regs, u->lod, "level %u of %u by %u", t.levels,
				t.width, t.height);
	}
	const uint64_t bytes = (uint64_t)t.width * t.height * t.bits / 8;
	const struct lint_range image = lint_range(t.addr, bytes);
	if (unit == 1 && t.bits == 4 &&
			lint_overlaps(image, lint_range(VRAM_BEGIN, VRAM_END - VRAM_BEGIN))) {
		lint_reg(l, LINT_TEXTURE_VRAM_4BIT, regs, u->addr, "%s at 0x%08X",
				field_text("TEXTURE_FORMAT", format), t.addr);
	}
	check_image(l, regs, u->addr, image);
	if (unit == 0) {
		check_types(l, regs, &t, bytes);
	}
}

void lint_texture(struct lint *l, const uint32_t *regs) {
	const uint32_t config = regs[PICA_REG_TEXUNIT_CONFIG];
	const uint32_t read = l->reads.units;
	for (unsigned unit = 0; unit < FACTS_TEXTURES; unit++) {
		if (read >> unit & 1) {
			check_unit(l, regs, unit);
		}
	}
	if (read && !get_TEXUNIT_CONFIG_ONE(config)) {
		lint_report(l, LINT_TEXTURE_CONFIG, PICA_REG_TEXUNIT_CONFIG, config,
				"clients write 1");
	}
	if ((read >> FACTS_TEXTURES & 1) && get_TEXUNIT_CONFIG_COORD3(config) == 3) {
		lint_report(l, LINT_TEXTURE_COORD3, PICA_REG_TEXUNIT_CONFIG, config,
				"0, 1 and 2 are sets");
	}
}
