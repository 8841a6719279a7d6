#include "pica/tex/private.h"

#include <string.h>

#include "core/base/fixed.h"
#include "pica/regs/regs.h"

static const struct format {
	const char *name;
	unsigned bits;
} formats[TEX_FORMATS] = {
#define TEX_FORMAT(id, name, bits) [id] = { #name, bits },
#include "pica/tex/formats.def"
#undef TEX_FORMAT
};

unsigned tex_format_bits(unsigned format) {
	return format < TEX_FORMATS ? formats[format].bits : 0;
}

const char *tex_format_name(unsigned format) {
	return format < TEX_FORMATS ? formats[format].name : "?";
}

/* Texture sides: at least one 8x8 tile, whole tiles.  [fidelity: bad-texture] */
static bool side_is_valid(unsigned side) {
	return side >= 8 && side % 8 == 0;
}

/*
 * The last level that exists: both sides still at least 8 texels [fidelity: texel-address], and,
 * for sides that are not powers of two, still whole tiles [guess: nothing else can be addressed].
 */
static unsigned last_level(unsigned width, unsigned height) {
	unsigned level = 0;
	while (level + 1 < TEX_MAX_LEVELS && (width | height) % (16u << level) == 0) {
		level++;
	}
	return level;
}

/*
 * A shadow map has its own taps: filters and wrap modes are ignored [1, fidelity: shadow-texture],
 * and levels with them [guess].
 */
static void shadow_from_regs(struct tex_desc *d, uint32_t word) {
	d->shadow_bias = TEXUNIT_SHADOW_BIAS(word) << 1;
	d->ortho = d->type == TEX_SHADOW_2D && TEXUNIT_SHADOW_ORTHO(word);
	d->wrap_s = d->wrap_t = TEX_WRAP_EDGE;
	d->mag_linear = d->min_linear = d->mip_linear = 0;
	d->min_level = d->max_level = 0;
	d->lod_bias = 0;
	d->border = 0;
}

void tex_desc_from_regs(struct tex_desc *d, const uint32_t *regs, unsigned unit) {
	const struct regs_texunit *at = &regs_texunit[unit];
	const uint32_t config = regs[REG_TEXUNIT_CONFIG];
	const uint32_t param = regs[at->param];
	const uint32_t lod = regs[at->lod];

	memset(d, 0, sizeof(*d));
	d->addr = TEXUNIT_ADDR_ADDR8(regs[at->addr]) * 8;
	d->border = regs[at->border]; /* R in the lowest byte, as in our texels */
	d->width = (uint16_t)TEXUNIT_DIM_WIDTH(regs[at->dim]);
	d->height = (uint16_t)TEXUNIT_DIM_HEIGHT(regs[at->dim]);
	d->format = (uint8_t)TEXUNIT_TYPE_FORMAT(regs[at->type]);
	d->valid = side_is_valid(d->width) && side_is_valid(d->height) && d->format < TEX_FORMATS;

	switch (unit) {
	case 0:
		d->enabled = TEXUNIT_CONFIG_ENABLE0(config) != 0;
		d->type = (uint8_t)TEXUNIT_PARAM_TYPE(param);
		d->coord_set = 0;
		break;
	case 1:
		d->enabled = TEXUNIT_CONFIG_ENABLE1(config) != 0;
		d->coord_set = 1;
		break;
	default:
		d->enabled = TEXUNIT_CONFIG_ENABLE2(config) != 0;
		d->coord_set = TEXUNIT_CONFIG_UNIT2_COORD1(config) ? 1 : 2;
		break;
	}
	if (d->type == TEX_DISABLED) {
		d->enabled = 0;
	} else if (d->type > TEX_DISABLED) {
		d->type = TEX_2D; /* [guess] */
	}

	d->wrap_s = (uint8_t)TEXUNIT_PARAM_WRAP_S(param);
	d->wrap_t = (uint8_t)TEXUNIT_PARAM_WRAP_T(param);
	d->mag_linear = TEXUNIT_PARAM_MAG(param) == FILTER_LINEAR;
	d->min_linear = TEXUNIT_PARAM_MIN(param) == FILTER_LINEAR;
	d->mip_linear = TEXUNIT_PARAM_MIP(param) == FILTER_LINEAR;
	d->lod_bias = (int16_t)sign_extend(TEXUNIT_LOD_BIAS(lod), 13);
	d->min_level = (uint8_t)TEXUNIT_LOD_MIN(lod);
	d->max_level = (uint8_t)TEXUNIT_LOD_MAX(lod);
	unsigned last = d->valid ? last_level(d->width, d->height) : 0;
	if (d->max_level > last) {
		d->max_level = (uint8_t)last;
	}
	if (tex_type_is_shadow(d->type)) {
		shadow_from_regs(d, regs[REG_TEXUNIT0_SHADOW]);
	}
}

uint32_t tex_face_addr(const uint32_t *regs, unsigned face) {
	const uint32_t first = TEXUNIT_ADDR_ADDR8(regs[REG_TEXUNIT0_ADDR1]);
	if (face == 0) {
		return first * 8;
	}
	/* The upper bits of all faces are those of the first.  [fidelity: texture-fields] */
	const uint32_t low = TEXUNIT_ADDR_CUBE_ADDR8_LOW(UINT32_MAX);
	return ((first & ~low) | TEXUNIT_ADDR_CUBE_ADDR8_LOW(regs[REG_TEXUNIT0_ADDR1 + face])) * 8;
}

/* At most 2040 * 2040 * 4 bytes and a third more: 32 bits hold it, and a base address too. */
uint32_t tex_level_size(const struct tex_desc *d, unsigned level) {
	return (uint32_t)(d->width >> level) * (uint32_t)(d->height >> level) / 8 *
			tex_format_bits(d->format);
}

uint32_t tex_level_offset(const struct tex_desc *d, unsigned level) {
	uint32_t offset = 0;
	for (unsigned i = 0; i < level; i++) {
		offset += tex_level_size(d, i);
	}
	return offset;
}

uint32_t tex_size_bytes(const struct tex_desc *d) {
	return d->valid ? tex_level_offset(d, d->max_level + 1u) : 0;
}
