/* Where screens stand: exact rectangles, worked out by hand. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/layout.h"
#include "tests/suite.h"

struct expected {
	const char *kind, *scale, *rotation, *stereo;
	uint32_t width, height;
	struct layout_place place[3];
};

#define T PICA_SCREEN_TOP
#define B PICA_SCREEN_BOTTOM
#define L PICA_SHOW_LEFT
#define R PICA_SHOW_RIGHT
#define A PICA_SHOW_ANAGLYPH

static const struct expected table[] = {
	/* Canvas 400x480. */
	{ "stacked", "integer", "0", "left", 400, 480,
			{ { T, L, 0, 0, 400, 240 }, { B, L, 40, 240, 320, 240 } } },
	{ "stacked", "integer", "0", "left", 800, 480,
			{ { T, L, 200, 0, 400, 240 }, { B, L, 240, 240, 320, 240 } } },
	{ "stacked", "integer", "0", "left", 1920, 1080,
			{ { T, L, 560, 60, 800, 480 }, { B, L, 640, 540, 640, 480 } } },
	/* 1080 / 480 = 2.25: top edge of the bottom screen at 240 * 2.25. */
	{ "stacked", "fit", "0", "left", 1920, 1080,
			{ { T, L, 510, 0, 900, 540 }, { B, L, 600, 540, 720, 540 } } },
	{ "stacked", "stretch", "0", "left", 1920, 1080,
			{ { T, L, 0, 0, 1920, 540 }, { B, L, 192, 540, 1536, 540 } } },
	{ "stacked", "3", "0", "left", 1920, 1080,
			{ { T, L, 360, -180, 1200, 720 }, { B, L, 480, 540, 960, 720 } } },
	/* Too small for 1: fits. 200 / 400. */
	{ "stacked", "integer", "0", "left", 200, 480,
			{ { T, L, 0, 120, 200, 120 }, { B, L, 20, 240, 160, 120 } } },
	/* 333 / 480: edges at 166, 333 and 27, 249 of 277. */
	{ "stacked", "fit", "0", "left", 640, 333,
			{ { T, L, 181, 0, 277, 166 }, { B, L, 208, 166, 222, 167 } } },
	/* Canvas 720x240. */
	{ "side-by-side", "integer", "0", "left", 800, 480,
			{ { T, L, 40, 120, 400, 240 }, { B, L, 440, 120, 320, 240 } } },
	{ "side-by-side", "integer", "0", "left", 1920, 1080,
			{ { T, L, 240, 300, 800, 480 }, { B, L, 1040, 300, 640, 480 } } },
	{ "side-by-side", "fit", "0", "left", 1920, 1080,
			{ { T, L, 0, 220, 1066, 640 }, { B, L, 1066, 220, 854, 640 } } },
	{ "top", "integer", "0", "left", 800, 480, { { T, L, 0, 0, 800, 480 } } },
	{ "top", "integer", "0", "left", 1920, 1080, { { T, L, 160, 60, 1600, 960 } } },
	{ "bottom", "integer", "0", "left", 800, 480, { { B, L, 80, 0, 640, 480 } } },
	{ "bottom", "stretch", "0", "left", 801, 479, { { B, L, 0, 0, 801, 479 } } },
	/* Turned: the canvas stands in 480x800, its top at the right edge. */
	{ "stacked", "integer", "90", "left", 800, 480,
			{ { T, L, 400, 40, 240, 400 }, { B, L, 160, 80, 240, 320 } } },
	{ "stacked", "integer", "180", "left", 800, 480,
			{ { T, L, 200, 240, 400, 240 }, { B, L, 240, 0, 320, 240 } } },
	{ "stacked", "integer", "270", "left", 800, 480,
			{ { T, L, 160, 40, 240, 400 }, { B, L, 400, 80, 240, 320 } } },
	{ "top", "integer", "90", "left", 240, 400, { { T, L, 0, 0, 240, 400 } } },
	/* Two eyes. */
	{ "top", "integer", "0", "side-by-side", 1920, 1080,
			{ { T, L, 160, 300, 800, 480 }, { T, R, 960, 300, 800, 480 } } },
	{ "stacked", "integer", "0", "side-by-side", 800, 480,
			{ { T, L, 0, 0, 400, 240 }, { T, R, 400, 0, 400, 240 },
					{ B, L, 240, 240, 320, 240 } } },
	{ "side-by-side", "integer", "0", "side-by-side", 1120, 240,
			{ { T, L, 0, 0, 400, 240 }, { T, R, 400, 0, 400, 240 },
					{ B, L, 800, 0, 320, 240 } } },
	{ "stacked", "integer", "0", "anaglyph", 400, 480,
			{ { T, A, 0, 0, 400, 240 }, { B, L, 40, 240, 320, 240 } } },
	{ "split-outputs", "integer", "0", "left", 400, 480,
			{ { T, L, 0, 0, 400, 240 }, { B, L, 40, 240, 320, 240 } } },
};

static void set(struct layout *l, const struct expected *e) {
	layout_init(l);
	ck_assert_int_eq(layout_set_kind(l, e->kind), 0);
	ck_assert_int_eq(layout_set_scale(l, e->scale), 0);
	ck_assert_int_eq(layout_set_rotation(l, e->rotation), 0);
	ck_assert_int_eq(layout_set_stereo(l, e->stereo), 0);
}

FORKED_TESTS

TEST_LOOP(rectangles, ARRAY_LEN(table)) {
	const struct expected *e = &table[_i];
	struct layout l;
	struct layout_place p[LAYOUT_PLACES];
	set(&l, e);
	unsigned n = layout_places(&l, 0, 1, e->width, e->height, p), want = 0;
	while (want < 3 && e->place[want].width) {
		want++;
	}
	ck_assert_uint_eq(n, want);
	for (unsigned i = 0; i < n; i++) {
		ck_assert_int_eq(p[i].screen, e->place[i].screen);
		ck_assert_int_eq(p[i].eyes, e->place[i].eyes);
		ck_assert_int_eq(p[i].x, e->place[i].x);
		ck_assert_int_eq(p[i].y, e->place[i].y);
		ck_assert_uint_eq(p[i].width, e->place[i].width);
		ck_assert_uint_eq(p[i].height, e->place[i].height);
	}
}

/* Each pixel of the output belongs to one place or one rectangle of the rest. */
TEST_LOOP(the_rest_covers_the_output_once, ARRAY_LEN(table)) {
	const struct expected *e = &table[_i];
	struct layout l;
	struct layout_place p[LAYOUT_PLACES];
	struct display_rect rest[LAYOUT_REST], seen;
	uint8_t *count = calloc(e->width, e->height);
	set(&l, e);
	unsigned n = layout_places(&l, 0, 1, e->width, e->height, p);
	unsigned n_rest = layout_rest(p, n, e->width, e->height, rest);
	ck_assert_uint_le(n_rest, LAYOUT_REST);
	for (unsigned i = 0; i < n + n_rest; i++) {
		const struct display_rect *r = i < n ? &seen : &rest[i - n];
		if (i < n && !layout_visible(&p[i], e->width, e->height, &seen)) {
			continue;
		}
		ck_assert_uint_le(r->x + r->width, e->width);
		ck_assert_uint_le(r->y + r->height, e->height);
		for (uint32_t y = r->y; y < r->y + r->height; y++) {
			for (uint32_t x = r->x; x < r->x + r->width; x++) {
				count[(size_t)y * e->width + x]++;
			}
		}
	}
	for (size_t i = 0; i < (size_t)e->width * e->height; i++) {
		if (count[i] != 1) { /* an assertion for each would take its time */
			ck_abort_msg("(%zu, %zu): %u times", i % e->width, i / e->width, count[i]);
		}
	}
	free(count);
}

TEST(sizes_are_those_of_the_unscaled_layout) {
	for (unsigned i = 0; i < ARRAY_LEN(table); i++) {
		struct layout l;
		struct layout_place p[LAYOUT_PLACES];
		struct display_rect rest[LAYOUT_REST];
		uint32_t width, height, most = 0;
		set(&l, &table[i]);
		l.scale = LAYOUT_INTEGER;
		layout_size(&l, &width, &height);
		l.scale = LAYOUT_TIMES;
		l.times = 1;
		const unsigned n = layout_places(&l, 0, 1, width, height, p);
		for (unsigned k = 0; k < n; k++) {
			ck_assert_int_ge(p[k].x, 0);
			ck_assert_int_ge(p[k].y, 0);
			ck_assert_uint_le((uint32_t)p[k].x + p[k].width, width);
			ck_assert_uint_le((uint32_t)p[k].y + p[k].height, height);
			most = p[k].width * p[k].height > most ? p[k].width * p[k].height : most;
		}
		/* Nothing is left but the sides of a bottom screen. */
		const unsigned n_rest = layout_rest(p, n, width, height, rest);
		for (unsigned k = 0; k < n_rest; k++) {
			ck_assert_uint_lt(rest[k].width * rest[k].height, most);
		}
		uint32_t twice[2];
		l.times = 2;
		layout_size(&l, &twice[0], &twice[1]);
		ck_assert_uint_eq(twice[0], 2 * width);
		ck_assert_uint_eq(twice[1], 2 * height);
	}
}

TEST(split_outputs) {
	struct layout l;
	struct layout_place p[LAYOUT_PLACES];
	struct display_rect rest[LAYOUT_REST];
	layout_init(&l);
	ck_assert_int_eq(layout_set_kind(&l, "split-outputs"), 0);
	ck_assert_uint_eq(layout_places(&l, 0, 2, 800, 480, p), 1);
	ck_assert_int_eq(p[0].screen, PICA_SCREEN_TOP);
	ck_assert_uint_eq(p[0].width, 800);
	ck_assert_uint_eq(layout_places(&l, 1, 2, 640, 480, p), 1);
	ck_assert_int_eq(p[0].screen, PICA_SCREEN_BOTTOM);
	ck_assert_uint_eq(p[0].width, 640);
	ck_assert_uint_eq(layout_places(&l, 2, 3, 640, 480, p), 0);
	ck_assert_uint_eq(layout_rest(p, 0, 640, 480, rest), 1);
	ck_assert_uint_eq(rest[0].width, 640);
	ck_assert_uint_eq(rest[0].height, 480);
	/* Other layouts are the same on each output. */
	ck_assert_int_eq(layout_set_kind(&l, "top"), 0);
	ck_assert_uint_eq(layout_places(&l, 1, 2, 400, 240, p), 1);
	ck_assert_int_eq(p[0].screen, PICA_SCREEN_TOP);
}

TEST(pictures) {
	struct layout l;
	struct layout_place p;
	layout_init(&l);
	layout_picture(&l, 1920, 1080, 400, 240, &p);
	ck_assert_int_eq(p.x, 160);
	ck_assert_int_eq(p.y, 60);
	ck_assert_uint_eq(p.width, 1600);
	layout_picture(&l, 100, 100, 1000, 500, &p); /* too large: fits */
	ck_assert_int_eq(p.y, 25);
	ck_assert_uint_eq(p.width, 100);
	ck_assert_uint_eq(p.height, 50);
	ck_assert_int_eq(layout_set_rotation(&l, "90"), 0);
	layout_picture(&l, 480, 800, 800, 480, &p);
	ck_assert_int_eq(p.x, 0);
	ck_assert_uint_eq(p.width, 480);
	ck_assert_uint_eq(p.height, 800);
}

TEST(names) {
	struct layout l;
	layout_init(&l);
	ck_assert_int_eq(layout_set_scale(&l, "32"), 0);
	ck_assert_int_eq(l.scale, LAYOUT_TIMES);
	ck_assert_uint_eq(l.times, 32);
	ck_assert_int_eq(layout_set_filter(&l, "bilinear"), 0);
	ck_assert_int_eq(l.filter, PICA_SHOW_BILINEAR);
	ck_assert_int_eq(layout_set_background(&l, "#102030"), 0);
	ck_assert_uint_eq(l.background, 0x102030);
	ck_assert_int_eq(layout_set_background(&l, "fF8001"), 0);
	ck_assert_uint_eq(l.background, 0xFF8001);
	static const char *const wrong[] = { "", "0", "33", "1x", "-1", "+2",
		"999999999999999999999", "45", "##000000", "#", "000000#", "#00000", "fffff",
		"fffffff", "gggggg", "Stacked", "right", "cubic" };
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_msg(layout_set_kind(&l, wrong[i]) == -EINVAL, "%s", wrong[i]);
		ck_assert_msg(layout_set_filter(&l, wrong[i]) == -EINVAL, "%s", wrong[i]);
		ck_assert_msg(layout_set_stereo(&l, wrong[i]) == -EINVAL, "%s", wrong[i]);
		ck_assert_msg(layout_set_background(&l, wrong[i]) == -EINVAL, "%s", wrong[i]);
		if (strcmp(wrong[i], "0") != 0) {
			ck_assert_msg(layout_set_rotation(&l, wrong[i]) == -EINVAL, "%s", wrong[i]);
		}
		if (strcmp(wrong[i], "45") != 0) {
			ck_assert_msg(layout_set_scale(&l, wrong[i]) == -EINVAL, "%s", wrong[i]);
		}
	}
	ck_assert_int_eq(layout_set_scale(&l, "45"), -EINVAL);
	/* A name that is refused changes nothing. */
	ck_assert_uint_eq(l.times, 32);
	ck_assert_uint_eq(l.background, 0xFF8001);
}
