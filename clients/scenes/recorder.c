#include "recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Addresses in VRAM: the tiled targets and the two framebuffers of each screen. */
struct screen {
	uint32_t color, depth, width, height;
	uint32_t shown[2];
	uint32_t controller;  /* registers of its display controller */
	uint32_t format;      /* of the controller: RGB8, lines in the panel's order */
};

/* [fidelity: displays: addresses and formats as system software sets them up] */
static const struct screen screens[2] = {
	{ .color = 0x18000000, .depth = 0x18060000, .width = SCREEN_HEIGHT, .height = TOP_WIDTH,
		.shown = { 0x181E6000, 0x1822C800 }, .controller = 0x10400400, .format = 0x80341 },
	{ .color = 0x18300000, .depth = 0x18350000, .width = SCREEN_HEIGHT, .height = BOTTOM_WIDTH,
		.shown = { 0x1848F000, 0x184C7800 }, .controller = 0x10400500, .format = 0x80301 },
};

/* The top screen for the right eye, with memory of its own. */
static const struct screen right_eye = { .color = FREE_VRAM, .depth = FREE_VRAM + 0x5E000,
	.width = SCREEN_HEIGHT, .height = TOP_WIDTH, .shown = { 0x18273000, 0x182B9800 } };

enum { FORMAT_STEREO = 0x80321 }; /* of the top screen's controller */

/* Registers of the display controllers and the LCDs. [fidelity: displays] */
enum {
	DISPLAY_SIZE = 0x5C, DISPLAY_LEFT0 = 0x68, DISPLAY_LEFT1 = 0x6C, DISPLAY_FORMAT = 0x70,
	DISPLAY_SELECT = 0x78, DISPLAY_STRIDE = 0x90, DISPLAY_RIGHT0 = 0x94,
	DISPLAY_RIGHT1 = 0x98, LCD_FILL_TOP = 0x10202204, LCD_BACKLIGHT_TOP = 0x10202240,
	LCD_FILL_BOTTOM = 0x10202A04, LCD_BACKLIGHT_BOTTOM = 0x10202A40,
};

enum { LIST_ADDR = 0x20100000, HEAP_ADDR = 0x20200000, FILL_32BIT = 2 << 8 };

void recorder_fail(struct recorder *r, int error) {
	if (error < 0 && r->error == 0) {
		r->error = error;
	}
}

static void put(struct recorder *r, const struct pica_job *job) {
	if (r->error == 0) {
		recorder_fail(r, sink_job(r->sink, job));
	}
}

static void reg_write(struct recorder *r, uint32_t addr, uint32_t value) {
	const struct pica_job job = { .op = PICA_OP_REG_WRITE,
		.u.reg_write = { .addr = addr, .value = value } };
	put(r, &job);
}

static void put_memory(struct recorder *r, uint32_t addr, const void *data, uint32_t size_bytes) {
	const struct pica_job job = { .op = PICA_OP_WRITE,
		.u.write = { .addr = addr,
				.size_bytes = size_bytes,
				.data = (uint64_t)(uintptr_t)data } };
	put(r, &job);
}

static void show_screens(struct recorder *r) {
	for (unsigned i = 0; i < 2; i++) {
		const struct screen *s = &screens[i];
		const uint32_t regs[][2] = { { DISPLAY_SIZE, s->width | s->height << 16 },
			{ DISPLAY_LEFT0, s->shown[0] }, { DISPLAY_LEFT1, s->shown[1] },
			{ DISPLAY_RIGHT0, s->shown[0] }, { DISPLAY_RIGHT1, s->shown[1] },
			{ DISPLAY_FORMAT, s->format }, { DISPLAY_STRIDE, 3 * s->width } };
		for (unsigned k = 0; k < sizeof(regs) / sizeof(regs[0]); k++) {
			reg_write(r, s->controller + regs[k][0], regs[k][1]);
		}
	}
	reg_write(r, LCD_FILL_TOP, 0);
	reg_write(r, LCD_FILL_BOTTOM, 0);
	reg_write(r, LCD_BACKLIGHT_TOP, 0xA0);
	reg_write(r, LCD_BACKLIGHT_BOTTOM, 0xA0);
}

/*
 * The initial state set up by system software: the interrupt requests, one of which stops the list.
 * [fidelity: reset-state]
 */
static void system_registers(uint32_t *regs) {
	regs[PICA_REG_IRQ_CMP0] = 0x12345678;
	regs[PICA_REG_IRQ_MASK_LOW] = 0xFFFFFFF0;
	regs[PICA_REG_IRQ_MASK_HIGH] = 0xFFFFFFFF;
	regs[PICA_REG_IRQ_AUTOSTOP] = PICA_IRQ_AUTOSTOP_ENABLE(1);
}

int recorder_init(struct recorder *r, const char *path, const char *title, bool is_dry) {
	memset(r, 0, sizeof(*r));
	r->heap = HEAP_ADDR;
	struct pica_state *initial = calloc(1, sizeof(*initial));
	if (!initial) {
		return -ENOMEM;
	}
	system_registers(initial->regs);
	int ret = sink_create(&r->sink, path, title, initial, is_dry);
	free(initial);
	if (ret < 0) {
		return ret;
	}
	pica_emit_init(&r->list);
	show_screens(r);
	return 0;
}

int recorder_finish(struct recorder *r) {
	pica_emit_finish(&r->list);
	for (unsigned i = 0; i < MAX_PROGRAMS; i++) {
		pica_shader_destroy(r->programs[i].shader);
	}
	if (r->error < 0) {
		sink_destroy(r->sink);
		return r->error;
	}
	return sink_finish(r->sink);
}

uint32_t recorder_store(struct recorder *r, const void *data, uint32_t size_bytes) {
	uint32_t addr = r->heap;
	put_memory(r, addr, data, size_bytes);
	r->heap = (addr + size_bytes + 127) & ~127u;
	return addr;
}

struct pica_texture store_texture(struct recorder *r, uint32_t format, unsigned n,
		unsigned levels, picture_fn *picture) {
	struct pica_texture t = texture_at(0, n, n, format, PICA_FILTER_LINEAR);
	uint8_t *data = texture_create(format, n, levels, picture);
	if (!data) {
		recorder_fail(r, -ENOMEM);
		return t;
	}
	t.addr = recorder_store(r, data, (uint32_t)texture_bytes(format, n, levels));
	t.mip = PICA_FILTER_LINEAR;
	t.max_level = levels - 1;
	free(data);
	return t;
}

void recorder_fill(struct recorder *r, unsigned unit, uint32_t addr, uint32_t size_bytes,
		uint32_t value) {
	const struct pica_job job = { .op = PICA_OP_FILL,
		.u.fill = { .start = addr, .end = addr + size_bytes, .value = value,
			.control = FILL_32BIT, .unit = unit } };
	put(r, &job);
}

static void begin_list(struct recorder *r) {
	pica_emit_reset(&r->list);
	pica_emit_defaults(&r->list);
	r->has_target = false;
}

static void clear_targets(struct recorder *r, const struct screen *s, uint32_t color) {
	uint32_t size = s->width * s->height * 4;
	/* A word of an RGBA8 target has R in the top byte. */
	recorder_fill(r, 0, s->color, size, color);
	recorder_fill(r, 1, s->depth, size, 0);
}

void recorder_stereo(struct recorder *r) {
	reg_write(r, screens[0].controller + DISPLAY_FORMAT, FORMAT_STEREO);
	reg_write(r, screens[0].controller + DISPLAY_RIGHT0, right_eye.shown[0]);
	reg_write(r, screens[0].controller + DISPLAY_RIGHT1, right_eye.shown[1]);
	r->is_stereo = true;
}

void recorder_frame_begin(struct recorder *r, uint32_t top_color, uint32_t bottom_color) {
	clear_targets(r, &screens[0], top_color);
	clear_targets(r, &screens[1], bottom_color);
	if (r->is_stereo) {
		clear_targets(r, &right_eye, top_color);
	}
	begin_list(r);
}

void recorder_draw_target(struct recorder *r, const struct pica_framebuffer *fb) {
	if (r->has_target) {
		pica_emit_flush(&r->list);
	}
	r->has_target = true;
	pica_emit_framebuffer(&r->list, fb);
	pica_emit_viewport(&r->list, 0, 0, fb->width, fb->height);
}

void recorder_draw_square(struct recorder *r, uint32_t addr, uint32_t size) {
	const struct pica_framebuffer fb = { .color_addr = addr,
		.color_format = PICA_COLOR_FORMAT_RGBA8, .width = size, .height = size };
	recorder_draw_target(r, &fb);
}

static void draw_to(struct recorder *r, const struct screen *s) {
	const struct pica_framebuffer fb = { .color_addr = s->color, .depth_addr = s->depth,
		.color_format = PICA_COLOR_FORMAT_RGBA8, .depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = s->width, .height = s->height };
	recorder_draw_target(r, &fb);
	r->width = s->height;
}

void recorder_draw_top(struct recorder *r) {
	draw_to(r, &screens[0]);
}

void recorder_draw_bottom(struct recorder *r) {
	draw_to(r, &screens[1]);
}

void recorder_draw_top_right(struct recorder *r) {
	draw_to(r, &right_eye);
}

void recorder_draw_offscreen(struct recorder *r) {
	static const struct screen offscreen = { .color = OFFSCREEN_COLOR, .depth = OFFSCREEN_DEPTH,
		.width = OFFSCREEN_SIZE, .height = OFFSCREEN_SIZE };
	draw_to(r, &offscreen);
}

void recorder_viewport(struct recorder *r, int x, int y, unsigned width, unsigned height) {
	/* Window x runs up the screen, window y to the left. */
	pica_emit_viewport(&r->list, SCREEN_HEIGHT - y - (int)height,
			(int)r->width - x - (int)width, height, width);
}

void recorder_run(struct recorder *r) {
	if (r->has_target) {
		pica_emit_flush(&r->list);
	}
	recorder_fail(r, pica_emit_finalize(&r->list));
	const uint32_t size = (uint32_t)(r->list.count * sizeof(*r->list.words));
	const struct pica_job job = { .op = PICA_OP_LIST,
		.u.list = { .addr = LIST_ADDR, .size_bytes = size } };
	put_memory(r, LIST_ADDR, r->list.words, size);
	put(r, &job);
	begin_list(r);
}

void recorder_transfer(struct recorder *r, const struct recorder_transfer *t) {
	const uint32_t size = t->width | t->height << 16;
	const struct pica_job job = { .op = PICA_OP_TRANSFER,
		.u.transfer = { .src = t->from, .dst = t->to, .out_dim = size, .in_dim = size,
			.flags = t->from_format << 8 | t->to_format << 12 | t->flags } };
	put(r, &job);
}

static void show(struct recorder *r, const struct screen *s, unsigned shown) {
	const struct recorder_transfer t = { .from = s->color, .to = s->shown[shown],
		.width = s->width, .height = s->height, .from_format = TRANSFER_RGBA8,
		.to_format = TRANSFER_RGB8 };
	recorder_transfer(r, &t);
}

void recorder_frame_end(struct recorder *r) {
	recorder_run(r);
	unsigned shown = r->frame & 1;
	if (r->is_stereo) {
		show(r, &right_eye, shown);
	}
	for (unsigned i = 0; i < 2; i++) {
		show(r, &screens[i], shown);
		reg_write(r, screens[i].controller + DISPLAY_SELECT, shown);
	}
	const struct pica_job present = { .op = PICA_OP_PRESENT, .u.present = { .screens = 3 } };
	put(r, &present);
	r->frame++;
}
