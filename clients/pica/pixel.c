/* pica pixel: the history of a pixel; pica assert-pixel: compares it with the expected colour. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/output.h"
#include "pixel/pixel.h"
#include "verbs.h"

const char *const pixel_screen_words[] = { "top", "bottom", NULL };
const char *const pixel_eye_words[] = { "left", "right", NULL };

const char *pixel_parse_surface(void *options, char *text) {
	struct pixel_options *o = options;
	const char *error = render_surface_parse(&o->surface, text);
	if (!error && o->surface.format > 4) {
		error = "expected a format of colour buffers: rgba8, rgb8, rgb5a1, rgb565 or rgba4";
	}
	o->has_surface = !error;
	return error;
}

/* RRGGBB or RRGGBBAA, with or without #. */
static const char *parse_color(void *options, char *text) {
	struct pixel_options *o = options;
	const char *digits = text + (text[0] == '#');
	const size_t n = strlen(digits);
	if ((n != 6 && n != 8) || strspn(digits, "0123456789abcdefABCDEF") != n) {
		return "expected RRGGBB or RRGGBBAA, as in FF8000";
	}
	o->n_channels = (unsigned)n / 2;
	for (unsigned i = 0; i < o->n_channels; i++) {
		const char byte[3] = { digits[2 * i], digits[2 * i + 1] };
		o->color[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
	return NULL;
}

static void parse_place(struct pixel_options *o, char *text) {
	char *comma = strchr(text, ',');
	uint64_t x, y;
	if (comma) {
		*comma = '\0';
	}
	if (!comma || !parse_number(text, 4095, &x) || !parse_number(comma + 1, 4095, &y)) {
		options_fail("%s: expected X,Y, a pixel from the upper left, as in 200,120", text);
	}
	o->x = (uint32_t)x;
	o->y = (uint32_t)y;
}

static void check(void *input, struct option_args args) {
	struct pixel_options *o = input;
	o->captures = (struct option_args){ args.v, args.n - 1 };
	parse_place(o, args.v[args.n - 1]);
	if (o->has_surface && o->given & PIXEL_SCREEN) {
		options_fail("--surface takes the place of --screen and --eye");
	}
}

static void check_assert(void *input, struct option_args args) {
	struct pixel_options *o = input;
	check(input, args);
	if (!(o->given & (PIXEL_COLOR | PIXEL_DRAW))) {
		options_fail("expected --color or --draw");
	}
}

#define AT(member) offsetof(struct pixel_options, member)
#define PLACE_ROWS \
	{ "frame", 0, "N", "Counted from 0, or last (default: last)", OPTION_CALL, \
			.at = AT(frame), .parse = frame_option }, \
	{ "screen", 0, NULL, "Default: top", OPTION_CHOICE, .at = AT(screen), \
			.words = pixel_screen_words, .given = PIXEL_SCREEN }, \
	{ "eye", 0, NULL, "Of the top screen (default: left)", OPTION_CHOICE, .at = AT(eye), \
			.words = pixel_eye_words, .given = PIXEL_SCREEN }, \
	{ "surface", 0, "SURFACE", "ADDR,FORMAT,WxH: tiled memory instead of a screen", \
			OPTION_CALL, .at = 0, .parse = pixel_parse_surface }

static void init(struct pixel_options *o) {
	*o = (struct pixel_options){ .frame = FRAME_LAST };
	engine_options_init(&o->engine);
	o->engine.threads = 0;
}

/* reports: of several captures, or NULL. */
static int pixel_of(const void *options, const char *path, json_t *reports) {
	struct pixel_options o = *(const struct pixel_options *)options;
	struct pixel_answer a;
	o.capture = path;
	int exit = pixel_find(&a, &o);
	if (exit == EXIT_FINE && o.json) {
		exit = json_put(pixel_json(&a, &o), reports, exit);
	} else if (exit == EXIT_FINE) {
		output_page();
		pixel_print(&a, &o);
	}
	pixel_finish(&a);
	return exit;
}

int verb_pixel(int argc, char **argv) {
	static const struct option_row rows[] = {
		PLACE_ROWS,
		{ "steps", 0, NULL, "Texels, light and each combiner stage of each fragment",
				OPTION_FLAG, .at = AT(steps) },
		JSON_ROW(AT(json)),
	};
	static const struct option_spec spec = {
		.forms = "CAPTURE... X,Y",
		.doc = "All that touched a pixel, in order: loads, fills, transfers, and each "
		       "primitive of each draw with the reason why it is, or is not, in the picture.",
		.tables = { OPTION_TABLE(rows, 0, AT(given)), ENGINE_SERIAL_TABLES(AT(engine)) },
		.min_args = 2,
		.max_args = OPTION_ANY,
		.expected = "a capture and a pixel",
		.check = check,
	};
	struct pixel_options o;
	init(&o);
	options_parse(&spec, argc, argv, &o);
	return json_each("pixel", &o.captures, o.json, pixel_of, &o);
}

static bool is_color(const struct pixel_options *o, const uint8_t color[4]) {
	for (unsigned i = 0; i < o->n_channels; i++) {
		if ((uint32_t)abs(color[i] - o->color[i]) > o->tolerance) {
			return false;
		}
	}
	return true;
}

static int assert_of(struct pixel_options *o, const char *path) {
	struct pixel_answer a;
	o->capture = path;
	int exit = pixel_find(&a, o);
	if (exit == EXIT_FINE && (o->given & PIXEL_COLOR) && !is_color(o, a.color)) {
		exit = EXIT_DIFFERENT;
	}
	if (exit == EXIT_FINE && (o->given & PIXEL_DRAW) &&
			(a.last < 0 || a.entries[a.last].kind != PICA_HISTORY_DRAW ||
					a.entries[a.last].draw != o->draw)) {
		exit = EXIT_DIFFERENT;
	}
	if (exit == EXIT_DIFFERENT) {
		pixel_print(&a, o);
	}
	pixel_finish(&a);
	return exit;
}

int verb_assert_pixel(int argc, char **argv) {
	static const struct option_row rows[] = {
		{ "color", 0, "COLOR", "The expected one: RRGGBB or RRGGBBAA", OPTION_CALL,
				.at = 0, .parse = parse_color, .given = PIXEL_COLOR },
		{ "tolerance", 0, "N", "By which each channel may differ (default: 0)", OPTION_U32,
				.at = AT(tolerance), .max = 255 },
		{ "draw", 0, "N", "The draw of its frame that has to be the last writer",
				OPTION_U32, .at = AT(draw), .max = UINT32_MAX - 1,
				.given = PIXEL_DRAW },
		PLACE_ROWS,
	};
	static const struct option_spec spec = {
		.forms = "CAPTURE... X,Y",
		.doc = "Whether a pixel has a colour, or was made by a draw. Exit status 0: it is so; 1: it is "
		       "not, and its history is printed.",
		.tables = { OPTION_TABLE(rows, 0, AT(given)), ENGINE_SERIAL_TABLES(AT(engine)) },
		.min_args = 2,
		.max_args = OPTION_ANY,
		.expected = "a capture and a pixel",
		.check = check_assert,
	};
	struct pixel_options o;
	init(&o);
	options_parse(&spec, argc, argv, &o);
	int exit = EXIT_FINE;
	for (unsigned i = 0; i < o.captures.n; i++) {
		exit = worse(exit, assert_of(&o, o.captures.v[i]));
	}
	return exit;
}
