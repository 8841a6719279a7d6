/*
 * Reading a screen. The panels are mounted rotated: a framebuffer is an array of lines, each line
 * has 240 pixels and is one column of the picture, from the bottom up; line 0 is the leftmost
 * column.
 * [fidelity: screen-geometry]
 *
 *     y = 0    +---------------------+   line x starts at (x, 239) and runs upward:
 *              |  ^  ^  ^            |
 *              |  |  |  |   ...      |   address(x, y) = base + x*stride + (239 - y)*bytes
 *     y = 239  |  0  1  2            |
 *              +---------------------+
 */
#include "pica/xfer/xfer.h"

#include "pica/xfer/mem.h"
#include "pica/xfer/ports.h"

enum {
	LINE_PX = 240,
	GROUP = 16, /* lines turned at once */
};

static uint8_t shown_format(uint32_t word) {
	uint32_t f = PDC_FORMAT_COLOR(word);
	return (uint8_t)(f < XFER_COUNT ? f : XFER_RGBA4); /* 5-7: as the transfer engine [guess] */
}

void scanout_from_regs(struct scanout *s, const uint32_t *external, const uint32_t *lcd,
		enum pica_screen_id screen) {
	const bool top = screen == PICA_SCREEN_TOP;
	const uint32_t *pdc = external + (top ? 0 : PDC_UNIT_WORDS);
	const uint32_t format = pdc[EXT_PDC_FORMAT];
	const uint32_t solid = lcd[top ? LCD_FILL_TOP : LCD_FILL_BOTTOM];
	const bool second = PDC_SELECT_BUFFER(pdc[EXT_PDC_SELECT]);
	const bool doubled = PDC_FORMAT_DOUBLE(format);
	const bool stereo = top && PDC_FORMAT_STEREO(format) && !doubled;
	const bool wide = top && !PDC_FORMAT_STEREO(format) && !doubled;

	*s = (struct scanout){
		.addr_right = pdc[second ? EXT_PDC_ADDR_RIGHT1 : EXT_PDC_ADDR_RIGHT0],
		.info = {
			.width = top ? (wide ? 800 : 400) : 320,
			.height = LINE_PX,
			.addr = pdc[second ? EXT_PDC_ADDR_LEFT1 : EXT_PDC_ADDR_LEFT0],
			.format = shown_format(format),
		},
	};
	/* Two's complement by hand: conversion of large values is not defined by C. */
	uint32_t stride = pdc[EXT_PDC_STRIDE];
	s->stride_bytes = stride <= INT32_MAX ? (int32_t)stride : -(int32_t)~stride - 1;
	s->info.is_set = s->info.addr != 0;
	s->info.has_right = stereo && s->addr_right != 0;
	const uint32_t control = pdc[EXT_PDC_CONTROL];
	if (LCD_FILL_ENABLE(solid)) {
		s->info.is_solid = 1;
		s->solid[0] = (uint8_t)LCD_FILL_R(solid);
		s->solid[1] = (uint8_t)LCD_FILL_G(solid);
		s->solid[2] = (uint8_t)LCD_FILL_B(solid);
	} else if (control != 0 && !PDC_CONTROL_ENABLE(control)) {
		s->info.is_solid = 1; /* black [guess] */
	}
	s->info.is_set |= s->info.is_solid;
	if (s->info.is_solid) {
		s->info.has_right = 0;
	}
}

static uint32_t eye_addr(const struct scanout *s, enum pica_eye eye) {
	return eye == PICA_EYE_RIGHT && s->info.has_right ? s->addr_right : s->info.addr;
}

struct range scanout_reads(const struct scanout *s, enum pica_eye eye) {
	uint32_t addr = eye_addr(s, eye);
	if (s->info.is_solid || !s->info.is_set) {
		return (struct range){ addr, 0 };
	}
	int64_t first = addr, last = first + (int64_t)(s->info.width - 1) * s->stride_bytes;
	int64_t line = LINE_PX * (int64_t)xfer_format_bytes(s->info.format);
	return mem_range(first < last ? first : last, (first < last ? last : first) + line);
}

struct range scanout_pixel(const struct scanout *s, enum pica_eye eye, uint32_t x, uint32_t y) {
	const uint32_t bytes = xfer_format_bytes(s->info.format);
	const int64_t addr = (int64_t)eye_addr(s, eye) + (int64_t)x * s->stride_bytes +
			(int64_t)(LINE_PX - 1 - y) * bytes;
	const bool is_shown = s->info.is_set && !s->info.is_solid;
	return mem_range(addr, is_shown ? addr + bytes : addr);
}

static void put_rgb(uint8_t *to, uint32_t rgba) {
	to[0] = (uint8_t)rgba;
	to[1] = (uint8_t)(rgba >> 8);
	to[2] = (uint8_t)(rgba >> 16);
}

void scanout_run(const struct scanout *s, const struct xfer_kernels *k, const struct space *space,
		enum pica_eye eye, uint8_t *rgb, size_t stride_bytes) {
	if (s->info.is_solid || !s->info.is_set) {
		for (uint32_t y = 0; y < s->info.height; y++) {
			for (uint32_t x = 0; x < s->info.width; x++) {
				memcpy(rgb + y * stride_bytes + 3 * x, s->solid, 3);
			}
		}
		return;
	}
	const unsigned format = s->info.format;
	const uint32_t line_bytes = LINE_PX * xfer_format_bytes(format);
	const int64_t base = eye_addr(s, eye);
	for (uint32_t x0 = 0; x0 < s->info.width; x0 += GROUP) { /* 320, 400, 800: whole groups */
		uint32_t px[GROUP][LINE_PX];
		for (uint32_t i = 0; i < GROUP; i++) {
			int64_t addr = base + (int64_t)(x0 + i) * s->stride_bytes;
			const uint8_t *line = mem_host(space, addr, line_bytes, false);
			uint8_t copy[LINE_PX * 4];
			if (!line) {
				mem_read(space, addr, copy, line_bytes);
				line = copy;
			}
			k->decode[format](px[i], line, LINE_PX);
		}
		for (uint32_t y = 0; y < LINE_PX; y++) {
			uint8_t *to = rgb + y * stride_bytes + 3 * (size_t)x0;
			for (uint32_t i = 0; i < GROUP; i++) {
				put_rgb(to + 3 * i, px[i][LINE_PX - 1 - y]);
			}
		}
	}
}
