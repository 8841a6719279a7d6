#include "render.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/json.h"
#include "core/base/attributes.h"
#include "fields.h"
#include "pictures/drawing.h"

enum {
	MARGIN = 8,
	RAMP_HEIGHT = 12,
	RAMP_WIDTH = 256,
	TICKS = 4,
	SINGLE_TICKS = 12, /* up to this maximum each value has a number */
	TICK_GAP = 4,
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
	json_t *row = json_pack("{ss s{so sI sI ss} sI sI sI so sI sI sI sI}", "kind",
			heat_name(h->kind), "target", "addr", json_addr(t->color_addr), "width",
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

/* 256 times the binary logarithm, rounded down, in integers, so that pictures are the same
 * everywhere. */
static uint32_t log2_256(uint64_t value) {
	const uint32_t whole = 63 - (uint32_t)__builtin_clzll(value);
	uint64_t part = value << (63 - whole) >> 32; /* 1 to 2, 31 bits below the point */
	uint32_t result = whole;
	for (unsigned bit = 0; bit < 8; bit++) {
		part = part * part >> 31;
		result = result << 1 | (uint32_t)(part >> 32);
		part >>= part >> 32;
	}
	return result;
}

/* On a linear scale, a few very large values would make the others black. */
static bool is_logarithmic(const struct heat *h) {
	return h->max / 8 > percentile(h, 50);
}

/* Maps a value from 0..maximum to 0..full. */
static uint32_t place(const struct heat *h, uint32_t value, uint32_t full) {
	if (is_logarithmic(h)) {
		return (uint32_t)((uint64_t)log2_256((uint64_t)value + 1) * full /
				log2_256((uint64_t)h->max + 1));
	}
	return h->max ? (uint32_t)((uint64_t)value * full / h->max) : 0;
}

/* From black over violet and orange to light yellow: brightness alone shows the value. */
static const uint8_t ramp_stops[][3] = { { 0, 0, 0 }, { 40, 10, 90 }, { 120, 28, 110 },
	{ 190, 55, 84 }, { 235, 105, 37 }, { 251, 175, 20 }, { 252, 255, 180 } };
enum { RAMP_LAST = ARRAY_LEN(ramp_stops) - 1, RAMP_FULL = RAMP_LAST * 256 };

/* at: 0 to RAMP_FULL. */
static uint32_t ramp_color(uint32_t at) {
	const uint32_t stop = at / 256 < RAMP_LAST ? at / 256 : RAMP_LAST - 1;
	const uint32_t part = at - 256 * stop;
	uint32_t color = 0;
	for (unsigned c = 0; c < 3; c++) {
		color = color << 8 | (ramp_stops[stop][c] * (256 - part) +
						     ramp_stops[stop + 1][c] * part) / 256;
	}
	return color;
}

static int map_picture(const struct heat *h, struct picture *out) {
	const struct pica_target *t = &h->target;
	int ret = drawing_begin(out, t->width, t->height, 0);
	for (uint32_t y = 0; ret == 0 && y < t->height; y++) {
		for (uint32_t x = 0; x < t->width; x++) {
			const uint32_t value = h->values[(size_t)y * t->width + x];
			drawing_fill(out, (int)x, (int)y, 1, 1,
					ramp_color(place(h, value, RAMP_FULL)));
		}
	}
	return ret < 0 ? ret : picture_turn_screen(out);
}

/* A number below the ramp, at a distance from its left; left out if it touches the last one. */
static void draw_tick(
		struct picture *out, int x, int y, uint32_t at, uint32_t value, int *taken) {
	char text[16];
	snprintf(text, sizeof(text), "%" PRIu32, value);
	const int width = (int)drawing_text_width(text), left = x + (int)at - width / 2;
	if (left >= *taken) {
		drawing_fill(out, x + (int)at, y + RAMP_HEIGHT, 1, 2, INK);
		drawing_text(out, left, y + RAMP_HEIGHT + 4, INK, text);
		*taken = left + width + TICK_GAP;
	}
}

/* 0, 1, 3, 10, 30, ... and the maximum. */
static void draw_logarithmic_ramp(const struct heat *h, struct picture *out, int x, int y) {
	enum { LAST = RAMP_WIDTH - 1 };
	int taken = 0;
	for (uint32_t i = 0; i <= LAST; i++) {
		drawing_fill(out, x + (int)i, y, 1, RAMP_HEIGHT, ramp_color(i * RAMP_FULL / LAST));
	}
	draw_tick(out, x, y, 0, 0, &taken);
	uint64_t value = 1;
	for (bool is_three = false; value < h->max / 2; is_three = !is_three) {
		draw_tick(out, x, y, place(h, (uint32_t)value, LAST), (uint32_t)value, &taken);
		value = is_three ? value / 3 * 10 : value * 3;
	}
	draw_tick(out, x, y, LAST, h->max, &taken);
}

/* From 0 to the maximum; small maxima in steps, very small ones with each number. */
static void draw_linear_ramp(const struct heat *h, struct picture *out, int x, int y) {
	const uint32_t max = h->max;
	const uint32_t steps = max && max < RAMP_WIDTH ? max + 1 : RAMP_WIDTH;
	int taken = 0;
	for (uint32_t i = 0; i < RAMP_WIDTH; i++) {
		const uint32_t value = (uint32_t)((uint64_t)(i * steps / RAMP_WIDTH) * max /
				(steps > 1 ? steps - 1 : 1));
		drawing_fill(out, x + (int)i, y, 1, RAMP_HEIGHT,
				ramp_color(place(h, value, RAMP_FULL)));
	}
	const uint32_t ticks = max <= SINGLE_TICKS ? max : TICKS;
	for (uint32_t k = 0; k <= ticks; k++) {
		const uint32_t value = ticks ? (uint32_t)((uint64_t)max * k / ticks) : 0;
		/* The middle of the step that shows the value. */
		const uint32_t at = max ? (uint32_t)(((uint64_t)value * (steps - 1) / max * 2 + 1) *
				RAMP_WIDTH / (2 * steps)) : 0;
		draw_tick(out, x, y, at, value, &taken);
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
		snprintf(text, sizeof(text), "%s%s", units[h->kind],
				is_logarithmic(h) ? ", logarithmic" : "");
		drawing_text(out, MARGIN, y, INK, text);
		y += DRAWING_LINE + 2;
		if (is_logarithmic(h)) {
			draw_logarithmic_ramp(h, out, MARGIN + 8, y);
		} else {
			draw_linear_ramp(h, out, MARGIN + 8, y);
		}
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
