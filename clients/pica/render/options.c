#include "render.h"

#include <inttypes.h>
#include <string.h>

#include "common/remote.h"
#include "fields.h"

enum { TEXTURE_FORMATS = 14 };

const char *const render_screen_words[] = { "top", "bottom", "both", NULL };
const char *const render_eye_words[] = { "left", "right", "both", NULL };

const char *render_format_option(void *out, char *text) {
	const struct writer *writer = writer_named(text);
	*(const struct writer **)out = writer;
	return writer ? NULL : "expected png, ppm, qoi, raw, y4m, hash or none";
}

/* ADDR,FORMAT,WxH; returns the error, or NULL. */
const char *render_surface_parse(struct render_surface *s, const char *arg) {
	char text[64], *rest = text;
	if (strlen(arg) >= sizeof(text)) {
		return "expected ADDR,FORMAT,WxH";
	}
	strcpy(text, arg);
	char *addr = strsep(&rest, ","), *format = strsep(&rest, ","), *width = strsep(&rest, "x");
	uint64_t a, w, h;
	if (!rest || !parse_number(addr, UINT32_MAX, &a)) {
		return "expected ADDR,FORMAT,WxH, as in 0x18000000,rgba8,240x400";
	}
	if (a % 8) {
		return "expected an address that is a multiple of 8, as those in registers are";
	}
	uint64_t number;
	int f = parse_number(format, TEXTURE_FORMATS - 1, &number) ? (int)number :
			field_value("TEXTURE_FORMAT", format);
	if (f < 0) {
		return "expected a texture format: rgba8, rgb8, rgb5a1, rgb565, rgba4, ia8, hilo8, "
			"i8, a8, ia4, i4, a4, etc1, etc1a4 or its number, 0 to 13";
	}
	if (!parse_number(width, 2048, &w) || !parse_number(rest, 2048, &h) || w < 8 || h < 8 ||
		w % 8 || h % 8) {
		return "expected sides from 8 to 2048, multiples of 8";
	}
	*s = (struct render_surface){ .addr = (uint32_t)a,
		.format = (uint32_t)f,
		.width = (uint32_t)w,
		.height = (uint32_t)h };
	snprintf(s->name, sizeof(s->name), "surface-%08" PRIx32, s->addr);
	return NULL;
}

static const char *add_surface(void *options, char *arg) {
	struct render_options *o = options;
	if (o->n_surfaces == MAX_SURFACES) {
		return "too many surfaces";
	}
	struct render_surface *s = &o->surface[o->n_surfaces];
	const char *error = render_surface_parse(s, arg);
	for (unsigned i = 0; !error && i < o->n_surfaces; i++) {
		if (o->surface[i].addr == s->addr) {
			error = "this address was given before: the pictures would have one name";
		}
	}
	o->n_surfaces += !error;
	return error;
}

static void check(void *input, struct option_args args) {
	struct render_options *o = input;
	const bool is_remote = o->given & RENDER_CONNECT;
	o->captures = args.v;
	o->n_captures = args.n;
	if (is_remote && o->draws) {
		options_fail("--connect: pictures of draws are made in this process only");
	}
	if (is_remote && o->trace && !remote_is_builtin(o->where)) {
		options_fail("--connect: the timeline is the service's own (picad --trace), "
			     "except with builtin:");
	}
	if (o->name && !is_remote) {
		options_fail("--name: only with --connect");
	}
	if (is_remote && o->engine.given & ENGINE_MACHINE) {
		options_fail("--connect: %s is the service's own",
				o->engine.given & ENGINE_ISA ? "--isa" : "--threads");
	}
	if (o->draws && (o->n_surfaces || o->given & (RENDER_SCREENS | RENDER_EYES))) {
		options_fail("pictures of draws take the place of --screen, --eye and --surface");
	}
	if (o->n_surfaces && o->given & (RENDER_SCREENS | RENDER_EYES)) {
		options_fail("--surface takes the place of %s",
				o->given & RENDER_SCREENS ? "--screen" : "--eye");
	}
	if (o->output && !(o->given & RENDER_FORMAT) && writer_path_error(o->output)) {
		options_fail("--output %s: expected a name that ends in .png, .ppm, .qoi, .raw or .y4m",
				o->output);
	}
}

#define AT(member) offsetof(struct render_options, member)
#define DRAWS_ROW(name_, help_, bit) { name_, 0, NULL, help_, OPTION_BIT, .at = AT(draws), bit }

static const struct option_row rows[] = {
	{ "output", 'o', "PATH", "File, folder, - or pattern: {name}-{frame:4}-{screen}", OPTION_TEXT,
			.at = AT(output) },
	{ "frames", 0, "LIST", "0,3-7,last or all, counted from 0 (default: last)", OPTION_CALL,
			.at = AT(frames), .words = frames_words, .parse = frames_option,
			.given = RENDER_FRAMES },
	{ "screen", 0, "WHICH", "top, bottom or both (default: what is shown)", OPTION_CHOICE,
			.at = AT(screens), .words = render_screen_words, .given = RENDER_SCREENS },
	{ "eye", 0, "WHICH", "left, right or both (default: left)", OPTION_CHOICE, .at = AT(eyes),
			.words = render_eye_words, .given = RENDER_EYES },
	{ "format", 0, "FORMAT", "png, ppm, qoi, raw, y4m, hash, none (default: as PATH, or png)",
			OPTION_CALL, .at = AT(writer), .words = writer_words,
			.parse = render_format_option, .given = RENDER_FORMAT },
	{ "surface", 0, "SURFACE", "ADDR,FORMAT,WxH: tiled memory instead of the screens",
			OPTION_CALL, .at = 0, .parse = add_surface },
	DRAWS_ROW("every-draw", "The target after each draw instead of the screens", DRAWS_EACH),
	DRAWS_ROW("contact-sheet", "All of these, small, on one picture a frame", DRAWS_SHEET),
	DRAWS_ROW("overdraw", "Heat map: how often pixels were written", DRAWS_OVERDRAW),
	DRAWS_ROW("cost", "Heat map: steps of the fragment pipe", DRAWS_COST),
	{ "trust-loads", 0, NULL, "Recorded textures replace what was drawn there", OPTION_FLAG,
			.at = AT(trust_loads), .is_hidden = true },
	{ "trace", 0, "FILE", "Timeline of the threads, as JSON for Chrome or Perfetto", OPTION_TEXT,
			.at = AT(trace), .is_hidden = true },
	{ "verify", 0, NULL, "Compare with the pictures that a .pica expects", OPTION_FLAG,
			.at = AT(verify) },
	{ "connect", 0, "SOCKET", "Let a service draw; builtin: is one in this process", OPTION_TEXT,
			.at = AT(where), .given = RENDER_CONNECT, .is_arg_optional = true },
	{ "name", 0, "NAME", "Of the session there (default: pica)", OPTION_CALL, .at = AT(name),
			.parse = remote_name_option, .is_hidden = true },
	JSON_ROW(AT(json)),
	PROGRESS_ROW(AT(progress), true),
};

void render_options_parse(struct render_options *o, int argc, char **argv) {
	static const struct option_spec spec = {
		SPEC_CAPTURES,
		.doc = "Draws captures: the last frame of each screen as NAME-top.png and NAME-bottom.png "
		       "here; where no screen is shown, the last colour buffer.",
		.tables = { OPTION_TABLE(rows, 0, AT(given)), ENGINE_TABLES(AT(engine)) },
		.check = check,
	};
	/* Words are numbered 0, 1, 2; the masks are 1, 2, 3. */
	*o = (struct render_options){ .screens = (SCREEN_TOP | SCREEN_BOTTOM) - 1,
		.eyes = EYE_LEFT - 1, .writer = &writer_png };
	engine_options_init(&o->engine);
	frame_list_parse(&o->frames, "last");
	options_parse(&spec, argc, argv, o);
	o->screens++;
	o->eyes++;
	if (o->output && !(o->given & RENDER_FORMAT)) {
		o->writer = writer_of_path(o->output, true);
	}
	if ((o->verify || o->writer == &writer_y4m) && !(o->given & RENDER_FRAMES)) {
		frame_list_parse(&o->frames, "all");
	}
	if (o->verify && !(o->given & RENDER_FORMAT) && !o->output) {
		o->writer = &writer_none;
	}
}
