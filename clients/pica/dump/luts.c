#include "dump.h"

#include <math.h>

#include "common/effects.h"
#include "core/base/attributes.h"
#include "fields.h"
#include "pica_regs.h"
#include "pictures/drawing.h"

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
	ZERO = 0x706050, /* colour of the line at input 0 */
};

/* The texts of a picture beside its table. */
struct axis {
	const char *title;
	const char *from, *to, *middle; /* below the plot; middle may be NULL */
};

static int row_of(double value) {
	const double y = value < 0 ? 0 : value > 1 ? 1 : value;
	return MARGIN + HEIGHT - 1 - (int)lround(y * (HEIGHT - 2));
}

static void below(struct picture *p, int x, unsigned height, const char *text) {
	drawing_text(p, x, (int)(MARGIN + height) + 6, INK, text);
}

static int begin(struct picture *p, const struct axis *axis, unsigned height) {
	int ret = drawing_begin(p, WIDTH + 2 * MARGIN, height + 2 * MARGIN, PAPER);
	if (ret == 0) {
		drawing_text(p, MARGIN, 8, INK, axis->title);
		below(p, MARGIN, height, axis->from);
		below(p, MARGIN + WIDTH - (int)drawing_text_width(axis->to), height, axis->to);
		if (axis->middle) {
			below(p, MARGIN + (WIDTH - (int)drawing_text_width(axis->middle)) / 2,
					height, axis->middle);
		}
		drawing_fill(p, MARGIN, MARGIN, WIDTH, height, FIELD);
	}
	return ret;
}

/*
 * Plots each entry as the hardware continues from it: a gap shows that a difference does not fit.
 * first: the entry at the left; tables with signed inputs have -1 in their middle.
 */
static int plot(struct picture *p, const struct axis *axis, const uint32_t *words, unsigned n,
		unsigned first, struct effects_entry (*entry)(uint32_t word)) {
	int ret = begin(p, axis, HEIGHT);
	if (ret < 0) {
		return ret;
	}
	drawing_text(p, MARGIN - 10, MARGIN, INK, "1");
	drawing_text(p, MARGIN - 10, MARGIN + HEIGHT - 8, INK, "0");
	for (int k = 1; k < 4; k++) {
		const uint32_t color = first && k == 2 ? ZERO : GRID;
		drawing_fill(p, MARGIN, MARGIN + k * HEIGHT / 4, WIDTH, 1, GRID);
		drawing_fill(p, MARGIN + k * WIDTH / 4, MARGIN, 1, HEIGHT, color);
	}
	const unsigned step = WIDTH / n;
	for (unsigned i = 0; i < n; i++) {
		const struct effects_entry e = entry(words[(first + i) % n]);
		for (unsigned k = 0; k < step; k++) {
			/* Up to the next column, so that steep parts are lines. */
			const int a = row_of(e.value + e.difference * k / step),
				  b = row_of(e.value + e.difference * (k + 1) / step);
			const int top = a < b ? a : b, bottom = a < b ? b : a;
			drawing_fill(p, MARGIN + (int)(i * step + k), top, 1,
					(unsigned)(bottom - top) + 2, CURVE);
		}
	}
	return 0;
}

static int difference_of(uint32_t word, unsigned channel) {
	return (int8_t)(word >> 8 * channel);
}

/* The magnification with which differences fit: 1, 2, 4 ... 64. */
static int gain_of(const uint32_t *words, unsigned n) {
	int most = 1;
	for (unsigned i = 0; i < 4 * n; i++) {
		const int d = difference_of(words[i / 4], i % 4);
		most = d > most ? d : -d > most ? -d : most;
	}
	int gain = 1;
	while (gain < 64 && 2 * gain * most <= 127) {
		gain *= 2;
	}
	return gain;
}

/*
 * R is in the lowest byte. gain: 0 for colours; else the magnification of differences, whose 0 is
 * grey. Alpha, if any, is below.
 */
static int strip(struct picture *p, const struct axis *axis, const uint32_t *words, unsigned n,
		int gain, bool has_alpha) {
	int ret = begin(p, axis, has_alpha ? STRIP + STRIP / 2 : STRIP);
	const unsigned step = WIDTH / n;
	for (unsigned i = 0; ret == 0 && i < n; i++) {
		uint32_t channel[4];
		for (unsigned k = 0; k < 4; k++) {
			channel[k] = gain ? (uint32_t)(128 + gain * difference_of(words[i], k)) :
					    words[i] >> 8 * k & 0xFF;
		}
		drawing_fill(p, MARGIN + (int)(i * step), MARGIN, step, STRIP,
				channel[0] << 16 | channel[1] << 8 | channel[2]);
		if (has_alpha) {
			drawing_fill(p, MARGIN + (int)(i * step), MARGIN + STRIP, step, STRIP / 2,
					channel[3] * 0x010101);
		}
	}
	return ret;
}

static void put(struct dump_files *f, const char *name, struct picture *p, int ret) {
	char file[48];
	snprintf(file, sizeof(file), "lut-%s.png", name);
	dump_files_picture(f, file, p, ret, NULL);
	picture_finish(p);
}

/* These functions return the number of pictures. */
static unsigned curve(struct dump_files *f, const char *name, const struct axis *axis,
		const uint32_t *words, unsigned n, unsigned first,
		struct effects_entry (*entry)(uint32_t word)) {
	struct picture p = { 0 };
	if (snapshot_is_empty(words, n)) {
		return 0;
	}
	put(f, name, &p, plot(&p, axis, words, n, first, entry));
	return 1;
}

static unsigned colors(struct dump_files *f, const char *name, const uint32_t *words, unsigned n,
		bool is_difference, bool has_alpha) {
	char title[64], last[12];
	struct picture p = { 0 };
	if (snapshot_is_empty(words, n)) {
		return 0;
	}
	const int gain = is_difference ? gain_of(words, n) : 0;
	snprintf(title, sizeof(title), gain > 1 ? "%s, %d times" : "%s", name, gain);
	snprintf(last, sizeof(last), "%u", n - 1);
	const struct axis axis = { .title = title, .from = "0", .to = last };
	put(f, name, &p, strip(&p, &axis, words, n, gain, has_alpha));
	return 1;
}

/*
 * A table of lighting, from the smallest input to the largest, with the draw's input. [fidelity:
 * lights]
 */
static unsigned light(struct dump_files *f, const struct snapshot *s, unsigned table) {
	static const uint8_t shifts[8] = { 0, 4, 0, 12, 16, 20, 24, 0 };
	const uint32_t *regs = s->state.regs, *words = s->state.tables.light[table];
	const bool is_distance = table >= PICA_LIGHT_TABLE_DA;
	const unsigned shift = table < PICA_LIGHT_TABLE_SP ? shifts[table] : 8;
	const bool has_sign = !is_distance &&
			(regs[PICA_REG_LIGHTING_LUTINPUT_ABS] >> (shift + 1) & 1);
	const char *input = field_text(
			"LIGHT_INPUT", regs[PICA_REG_LIGHTING_LUTINPUT_SELECT] >> shift & 7);
	const char *scale = field_text(
			"LIGHT_SCALE", regs[PICA_REG_LIGHTING_LUTINPUT_SCALE] >> shift & 7);
	char name[SNAPSHOT_TABLE_NAME], title[96];
	snapshot_light_table(table, name);
	if (is_distance) {
		snprintf(title, sizeof(title), "%s: by distance * scale + bias", name);
	} else {
		snprintf(title, sizeof(title), "%s: by %s%s, %s", name, input,
				has_sign ? "" : " where it is positive", scale);
	}
	const struct axis axis = { .title = title, .from = has_sign ? "-1" : "0",
		.middle = has_sign ? "0" : NULL, .to = "1" };
	return curve(f, name, &axis, words, 256, has_sign ? 128 : 0, effects_light_entry);
}

unsigned dump_luts(struct dump_files *f, const struct snapshot *s) {
	static const struct {
		unsigned table;
		const char *name;
	} maps[] = { { PICA_PROCTEX_TABLE_NOISE, "proctex-noise" },
		{ PICA_PROCTEX_TABLE_RGB_MAP, "proctex-rgb-map" },
		{ PICA_PROCTEX_TABLE_ALPHA_MAP, "proctex-alpha-map" } };
	const struct pica_tables *t = &s->state.tables;
	const uint32_t fog = s->state.regs[PICA_REG_TEXENV_UPDATE_BUFFER];
	const bool is_gas = get_TEXENV_UPDATE_BUFFER_FOG_MODE(fog) == PICA_FOG_MODE_GAS;
	unsigned made = 0;
	for (unsigned i = 0; i < ARRAY_LEN(t->light); i++) {
		made += light(f, s, i);
	}
	const struct axis by_depth = { .title = is_gas ? "fog: alpha by density" :
			get_TEXENV_UPDATE_BUFFER_FOG_FLIP(fog) ?
				"fog: what is left of the fragment, by 1 - depth" :
				"fog: what is left of the fragment, by depth",
		.from = "0", .to = "1" };
	made += curve(f, "fog", &by_depth, t->fog, 128, 0, effects_fog_entry);
	/* [fidelity: shadow-texture] */
	for (unsigned i = 0; i < ARRAY_LEN(maps); i++) {
		const struct axis axis = { .title = maps[i].name, .from = "0", .to = "1" };
		made += curve(f, maps[i].name, &axis, t->proctex[maps[i].table], 128, 0,
				effects_proctex_entry);
	}
	made += colors(f, "proctex-color", t->proctex[PICA_PROCTEX_TABLE_COLOR], 256, false, true);
	made += colors(f, "proctex-color-diff", t->proctex[PICA_PROCTEX_TABLE_COLOR_DIFF], 256,
			true, true);
	/* Register 124. [fidelity: register-map] */
	made += colors(f, "gas-color-diff", t->gas, 8, true, false);
	made += colors(f, "gas-color", t->gas + 8, 8, false, false);
	return made;
}
