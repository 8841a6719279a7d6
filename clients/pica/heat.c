#include "heat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "drawing.h"
#include "fields.h"
#include "json.h"

enum {
	MARGIN = 8,
	RAMP_HEIGHT = 12,
	RAMP_WIDTH = 256,
	TICKS = 4,
	MIN_WIDTH = RAMP_WIDTH + 64,
	PAPER = 0x202020,
	INK = 0xE0E0E0,
};

const char *heat_name(enum heat_kind kind) {
	return kind == HEAT_OVERDRAW ? "overdraw" : "cost";
}

static int compare_values(const void *a, const void *b) {
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

int heat_from_counts(struct heat *h, enum heat_kind kind, const struct pica_target *target,
		const struct pica_count *counts) {
	const size_t n = (size_t)target->width * target->height;
	*h = (struct heat){ .kind = kind, .target = *target };
	h->values = malloc(n * sizeof(*h->values));
	h->sorted = malloc(n * sizeof(*h->sorted));
	if (!h->values || !h->sorted) {
		heat_finish(h);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		const uint32_t x = kind == HEAT_OVERDRAW ? counts[i].passed : counts[i].cost;
		h->values[i] = x;
		h->entered += counts[i].entered;
		h->sum += x;
		h->max = x > h->max ? x : h->max;
		if (x) {
			h->sorted[h->pixels++] = x;
		}
	}
	qsort(h->sorted, h->pixels, sizeof(*h->sorted), compare_values);
	return 0;
}

void heat_finish(struct heat *h) {
	free(h->values);
	free(h->sorted);
	*h = (struct heat){ 0 };
}

/* ---- Numbers ---- */

static uint32_t percentile(const struct heat *h, unsigned percent) {
	return h->pixels ? h->sorted[(h->pixels - 1) * percent / 100] : 0;
}

static double mean(const struct heat *h) {
	return h->pixels ? (double)h->sum / (double)h->pixels : 0;
}

static json_t *histogram(const struct heat *h) {
	json_t *rows = json_array();
	for (uint64_t i = 0, j; i < h->pixels; i = j) {
		for (j = i; j < h->pixels && h->sorted[j] == h->sorted[i]; j++) {
		}
		json_array_append_new(rows,
				json_pack("[II]", (json_int_t)h->sorted[i], (json_int_t)(j - i)));
	}
	return rows;
}

json_t *heat_json(const struct heat *h) {
	const struct pica_target *t = &h->target;
	json_t *row = json_pack("{ss s{sI sI sI ss} sI sI sI so sI sI sI sI}", "kind",
			heat_name(h->kind), "target", "addr", (json_int_t)t->color_addr, "width",
			(json_int_t)t->width, "height", (json_int_t)t->height, "format",
			field_text("COLOR_FORMAT", t->color_format), "entered",
			(json_int_t)h->entered, "sum", (json_int_t)h->sum, "pixels",
			(json_int_t)h->pixels, "mean", json_rounded(mean(h), 4), "median",
			(json_int_t)percentile(h, 50), "p90", (json_int_t)percentile(h, 90), "p99",
			(json_int_t)percentile(h, 99), "max", (json_int_t)h->max);
	if (h->kind == HEAT_OVERDRAW) {
		json_object_set_new(row, "histogram", histogram(h));
	}
	return row;
}

/* ---- The picture ---- */

/*
 * From black over violet and orange to a light yellow: brighter is more, in print and to any eye.
 */
static uint32_t ramp_color(uint32_t value, uint32_t max) {
	static const uint8_t stops[][3] = { { 0, 0, 0 }, { 40, 10, 90 }, { 120, 28, 110 },
		{ 190, 55, 84 }, { 235, 105, 37 }, { 251, 175, 20 }, { 252, 255, 180 } };
	enum { LAST = ARRAY_LEN(stops) - 1 };
	const uint64_t at = max ? (uint64_t)value * LAST * 256 / max : 0;
	const uint32_t stop = at / 256 < LAST ? (uint32_t)(at / 256) : LAST - 1;
	const uint32_t part = (uint32_t)(at - 256 * stop);
	uint32_t color = 0;
	for (unsigned c = 0; c < 3; c++) {
		color = color << 8 |
				(stops[stop][c] * (256 - part) + stops[stop + 1][c] * part) / 256;
	}
	return color;
}

static int map_picture(const struct heat *h, struct picture *out) {
	const struct pica_target *t = &h->target;
	int ret = drawing_begin(out, t->width, t->height, 0);
	for (uint32_t y = 0; ret == 0 && y < t->height; y++) {
		for (uint32_t x = 0; x < t->width; x++) {
			const uint32_t value = h->values[(size_t)y * t->width + x];
			drawing_fill(out, (int)x, (int)y, 1, 1, ramp_color(value, h->max));
		}
	}
	return ret < 0 ? ret : picture_turn_screen(out);
}

/* The ramp from 0 to max with numbers below; small maxima are steps. */
static void draw_ramp(const struct heat *h, struct picture *out, int x, int y) {
	const uint32_t max = h->max;
	const uint32_t steps = max && max < RAMP_WIDTH ? max + 1 : RAMP_WIDTH;
	for (uint32_t i = 0; i < RAMP_WIDTH; i++) {
		const uint32_t value = (uint32_t)((uint64_t)(i * steps / RAMP_WIDTH) * max /
				(steps > 1 ? steps - 1 : 1));
		drawing_fill(out, x + (int)i, y, 1, RAMP_HEIGHT, ramp_color(value, max));
	}
	const uint32_t ticks = max < TICKS ? max : TICKS;
	for (uint32_t k = 0; k <= ticks; k++) {
		char text[16];
		const uint32_t value = ticks ? (uint32_t)((uint64_t)max * k / ticks) : 0;
		snprintf(text, sizeof(text), "%" PRIu32, value);
		/* The middle of the step that shows the value. */
		const uint32_t at = max ? (uint32_t)(((uint64_t)value * (steps - 1) / max * 2 + 1) *
				RAMP_WIDTH / (2 * steps)) : 0;
		drawing_fill(out, x + (int)at, y + RAMP_HEIGHT, 1, 2, INK);
		drawing_text(out, x + (int)at - (int)drawing_text_width(text) / 2,
				y + RAMP_HEIGHT + 4, INK, text);
	}
}

int heat_picture(const struct heat *h, const char *title, struct picture *out) {
	static const char *const units[HEAT_KINDS] = { "fragments written per pixel",
		"steps of the fragment pipe per pixel" };
	struct picture map = { 0 };
	int ret = map_picture(h, &map);
	const uint32_t width = map.width > MIN_WIDTH ? map.width : MIN_WIDTH;
	const uint32_t legend = 3 * DRAWING_LINE + RAMP_HEIGHT + 2 * MARGIN + 8;
	if (ret == 0) {
		ret = drawing_begin(
				out, width, map.height + legend + DRAWING_LINE + 2 * MARGIN, PAPER);
	}
	if (ret == 0) {
		char text[160];
		drawing_text(out, MARGIN, MARGIN, INK, title);
		int y = DRAWING_LINE + 2 * MARGIN;
		drawing_copy(out, (int)(width - map.width) / 2, y, &map);
		y += (int)map.height + MARGIN;
		drawing_text(out, MARGIN, y, INK, units[h->kind]);
		y += DRAWING_LINE + 2;
		draw_ramp(h, out, MARGIN + 8, y);
		y += RAMP_HEIGHT + DRAWING_LINE + 6;
		snprintf(text, sizeof(text),
				"pixels %" PRIu64 "  mean %.2f  median %" PRIu32 "  99%% %" PRIu32
				"  max %" PRIu32,
				h->pixels, mean(h), percentile(h, 50), percentile(h, 99), h->max);
		drawing_text(out, MARGIN, y, INK, text);
	}
	picture_finish(&map);
	return ret;
}
