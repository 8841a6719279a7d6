#include "dump_luts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"
#include "effects.h"
#include "pica_regs.h"
#include "talk.h"

enum {
	WIDTH = 512, /* of a plot: a multiple of every table's length */
	HEIGHT = 160,
	STRIP = 40,
	MARGIN = 24,
	PAPER = 0x202020,
	FIELD = 0x101010,
	GRID = 0x383838,
	INK = 0xE0E0E0,
	CURVE = 0xFFB030,
};

static void point(struct picture *p, int x, double value) {
	const double y = value < 0 ? 0 : value > 1 ? 1 : value;
	drawing_fill(p, MARGIN + x, MARGIN + HEIGHT - 1 - (int)lround(y * (HEIGHT - 2)), 1, 2,
			CURVE);
}

static int begin(struct picture *p, const char *title, unsigned height, unsigned n) {
	char text[16];
	int ret = drawing_begin(p, WIDTH + 2 * MARGIN, height + 2 * MARGIN, PAPER);
	if (ret == 0) {
		drawing_text(p, MARGIN, 8, INK, title);
		drawing_text(p, MARGIN, (int)(MARGIN + height) + 6, INK, "0");
		snprintf(text, sizeof(text), "%u", n - 1);
		drawing_text(p, MARGIN + WIDTH - (int)drawing_text_width(text),
				(int)(MARGIN + height) + 6, INK, text);
		drawing_fill(p, MARGIN, MARGIN, WIDTH, height, FIELD);
	}
	return ret;
}

/*
 * Each entry as the hardware goes on from it: a jump between two shows a difference that does not
 * fit.
 */
static int plot(struct picture *p, const char *title, const uint32_t *words, unsigned n,
		struct effects_entry (*entry)(uint32_t word)) {
	int ret = begin(p, title, HEIGHT, n);
	if (ret < 0) {
		return ret;
	}
	for (int k = 1; k < 4; k++) {
		drawing_fill(p, MARGIN, MARGIN + k * HEIGHT / 4, WIDTH, 1, GRID);
		drawing_fill(p, MARGIN + k * WIDTH / 4, MARGIN, 1, HEIGHT, GRID);
	}
	const unsigned step = WIDTH / n;
	for (unsigned i = 0; i < n; i++) {
		const struct effects_entry e = entry(words[i]);
		for (unsigned k = 0; k < step; k++) {
			point(p, (int)(i * step + k), e.value + e.difference * k / step);
		}
	}
	return 0;
}

/* R in the lowest byte; is_signed: differences, 0 is grey. Alpha below, unless there is none. */
static int strip(struct picture *p, const char *title, const uint32_t *words, unsigned n,
		bool is_signed, bool has_alpha) {
	int ret = begin(p, title, has_alpha ? STRIP + STRIP / 2 : STRIP, n);
	const unsigned step = WIDTH / n;
	for (unsigned i = 0; ret == 0 && i < n; i++) {
		const uint32_t word = is_signed ? words[i] ^ 0x80808080 : words[i];
		const uint32_t color = (word & 0xFF) << 16 | (word & 0xFF00) | (word >> 16 & 0xFF);
		drawing_fill(p, MARGIN + (int)(i * step), MARGIN, step, STRIP, color);
		if (has_alpha) {
			drawing_fill(p, MARGIN + (int)(i * step), MARGIN + STRIP, step, STRIP / 2,
					(word >> 24) * 0x010101);
		}
	}
	return ret;
}

static bool is_empty(const uint32_t *words, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		if (words[i]) {
			return false;
		}
	}
	return true;
}

static void put(struct dump_files *f, const char *name, struct picture *p, int ret) {
	char file[48];
	snprintf(file, sizeof(file), "lut-%s.png", name);
	char *path = dump_files_path(f, file);
	if (path) {
		dump_files_made(f, path, ret < 0 ? ret : picture_write_png(p, path), NULL);
	}
	free(path);
	picture_finish(p);
}

/* Both return how many pictures that makes. */
static unsigned curve(struct dump_files *f, const char *name, const uint32_t *words, unsigned n,
		struct effects_entry (*entry)(uint32_t word)) {
	struct picture p = { 0 };
	if (is_empty(words, n)) {
		return 0;
	}
	put(f, name, &p, plot(&p, name, words, n, entry));
	return 1;
}

static unsigned colors(struct dump_files *f, const char *name, const uint32_t *words, unsigned n,
		bool is_signed, bool has_alpha) {
	struct picture p = { 0 };
	if (is_empty(words, n)) {
		return 0;
	}
	put(f, name, &p, strip(&p, name, words, n, is_signed, has_alpha));
	return 1;
}

unsigned dump_luts(struct dump_files *f, const struct snapshot *s) {
	const struct pica_tables *t = &s->state.tables;
	char name[SNAPSHOT_TABLE_NAME];
	unsigned made = 0;
	for (unsigned i = 0; i < 32; i++) {
		snapshot_light_table(i, name);
		made += curve(f, name, t->light[i], 256, effects_light_entry);
	}
	made += curve(f, "fog", t->fog, 128, effects_fog_entry);
	/* [spec/frag-textures.md 8] */
	made += curve(f, "proctex-noise", t->proctex[PICA_PROCTEX_TABLE_NOISE], 128,
			effects_proctex_entry);
	made += curve(f, "proctex-rgb-map", t->proctex[PICA_PROCTEX_TABLE_RGB_MAP], 128,
			effects_proctex_entry);
	made += curve(f, "proctex-alpha-map", t->proctex[PICA_PROCTEX_TABLE_ALPHA_MAP], 128,
			effects_proctex_entry);
	made += colors(f, "proctex-color", t->proctex[PICA_PROCTEX_TABLE_COLOR], 256, false, true);
	made += colors(f, "proctex-color-diff", t->proctex[PICA_PROCTEX_TABLE_COLOR_DIFF], 256,
			true, true);
	/* Register 124. [spec/registers.md 4.5] */
	made += colors(f, "gas-color-diff", t->gas, 8, true, false);
	made += colors(f, "gas-color", t->gas + 8, 8, false, false);
	return made;
}
