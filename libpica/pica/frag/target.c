#include "pica/frag/target.h"

#include <string.h>

#include "pica/regs/regs.h"

static const struct {
	const char *name;
	unsigned bytes;
} color_formats[COLOR_COUNT] = {
	[COLOR_RGBA8] = { "rgba8", 4 },
	[COLOR_RGB8] = { "rgb8", 3 },
	[COLOR_RGB5A1] = { "rgb5a1", 2 },
	[COLOR_RGB565] = { "rgb565", 2 },
	[COLOR_RGBA4] = { "rgba4", 2 },
}, depth_formats[DEPTH_COUNT] = {
	[DEPTH_D16] = { "d16", 2 },
	[DEPTH_INVALID] = { "invalid", 0 },
	[DEPTH_D24] = { "d24", 3 },
	[DEPTH_D24S8] = { "d24s8", 4 },
};

unsigned color_format_bytes(unsigned format) {
	return format < COLOR_COUNT ? color_formats[format].bytes : 0;
}

unsigned depth_format_bytes(unsigned format) {
	return format < DEPTH_COUNT ? depth_formats[format].bytes : 0;
}

const char *color_format_name(unsigned format) {
	return format < COLOR_COUNT ? color_formats[format].name : "?";
}

const char *depth_format_name(unsigned format) {
	return format < DEPTH_COUNT ? depth_formats[format].name : "?";
}

struct pica_target target_described(const struct target *t) {
	return (struct pica_target){ .width = t->width,
		.height = t->height,
		.color_addr = t->color_addr,
		.depth_addr = t->depth_addr,
		.color_format = t->color_format,
		.depth_format = t->depth_format,
		.block32 = t->block32,
		.flip = t->flip };
}

bool target_from_regs(struct target *t, const uint32_t *regs) {
	const uint32_t dim = regs[REG_FRAMEBUFFER_DIM];

	memset(t, 0, sizeof(*t));
	t->width = (uint16_t)FRAMEBUFFER_DIM_WIDTH(dim);
	t->height = (uint16_t)(FRAMEBUFFER_DIM_HEIGHT_M1(dim) + 1);
	/* normal order: window y = 0 is the last row */
	t->flip = FRAMEBUFFER_DIM_NO_FLIP(dim) != 0;
	t->block32 = FRAMEBUFFER_BLOCK32_BLOCK32(regs[REG_FRAMEBUFFER_BLOCK32]) != 0;
	t->color_addr = reg_addr64(regs[REG_COLORBUFFER_LOC]);
	t->depth_addr = reg_addr64(regs[REG_DEPTHBUFFER_LOC]);
	t->color_format = (uint8_t)COLORBUFFER_FORMAT_FORMAT(regs[REG_COLORBUFFER_FORMAT]);
	const unsigned mode = COLOR_OPERATION_MODE(regs[REG_COLOR_OPERATION]);
	if (mode == FRAGMENT_MODE_SHADOW || mode == FRAGMENT_MODE_GAS) {
		/* 4 bytes, regardless of 117 [1, fidelity: shadow-render; guess for gas] */
		t->color_format = COLOR_RGBA8;
	}
	t->depth_format = (uint8_t)DEPTHBUFFER_FORMAT_FORMAT(regs[REG_DEPTHBUFFER_FORMAT]);
	t->color_px_bytes = (uint8_t)color_format_bytes(t->color_format);
	t->depth_px_bytes = (uint8_t)depth_format_bytes(t->depth_format);
	if (t->width == 0 || t->width % 8 || t->color_format >= COLOR_COUNT) {
		return false;
	}
	/*
	 * At most 2048 x 1024 pixels of 4 bytes: 32 bits hold it. Whole blocks of 8 or 32 pixels.
	 */
	const uint32_t round = t->block32 ? 31 : 7;
	const uint32_t pixels = ((t->width + round) & ~round) * ((t->height + round) & ~round);
	t->color_bytes = pixels * color_format_bytes(t->color_format);
	t->depth_bytes = pixels * depth_format_bytes(t->depth_format);
	return true;
}
