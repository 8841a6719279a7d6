#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/remote.h"
#include "fields.h"

enum {
	OPTION_FRAMES = OPTION_VERB,
	OPTION_SCREEN,
	OPTION_EYE,
	OPTION_FORMAT,
	OPTION_SURFACE,
	OPTION_EVERY_DRAW,
	OPTION_CONTACT_SHEET,
	OPTION_OVERDRAW,
	OPTION_COST,
	OPTION_TRUST_LOADS,
	OPTION_CONNECT,
	OPTION_NAME,
	OPTION_TRACE,
	OPTION_VERIFY,
	OPTION_JSON,
	OPTION_PROGRESS,
};

enum { TEXTURE_FORMATS = 14 };

static const char *const format_names[FORMAT_COUNT] = {
	[PICTURE_PNG] = "png",
	[PICTURE_PPM] = "ppm",
	[PICTURE_QOI] = "qoi",
	[FORMAT_HASH] = "hash",
	[FORMAT_Y4M] = "y4m",
	[FORMAT_NONE] = "none",
};

static bool find_format(const char *name, unsigned *out) {
	for (unsigned i = 0; i < FORMAT_COUNT; i++) {
		if (strcasecmp(format_names[i], name) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

/* first, second or "both" as a mask: 1, 2 or 3. */
static bool parse_pair(const char *arg, const char *first, const char *second, unsigned *out) {
	if (strcmp(arg, first) == 0) {
		*out = 1;
	} else if (strcmp(arg, second) == 0) {
		*out = 2;
	} else if (strcmp(arg, "both") == 0) {
		*out = 3;
	} else {
		return false;
	}
	return true;
}

/* ADDR,FORMAT,WxH; what is wrong, or NULL. */
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

static const char *add_surface(struct render_options *o, const char *arg) {
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

static error_t parse(int key, char *arg, struct argp_state *state) {
	struct render_options *o = state->input;
	const char *error = NULL;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->engine;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPTION_FRAMES:
		o->frames_given = true;
		error = frame_list_parse(&o->frames, arg);
		break;
	case OPTION_SCREEN:
		o->screens_given = true;
		if (!parse_pair(arg, "top", "bottom", &o->screens)) {
			error = "expected top, bottom or both";
		}
		break;
	case OPTION_EYE:
		o->eyes_given = true;
		if (!parse_pair(arg, "left", "right", &o->eyes)) {
			error = "expected left, right or both";
		}
		break;
	case OPTION_FORMAT:
		o->format_given = true;
		if (!find_format(arg, &o->format)) {
			error = "expected png, ppm, qoi, y4m, hash or none";
		}
		break;
	case OPTION_SURFACE:
		error = add_surface(o, arg);
		break;
	case OPTION_EVERY_DRAW:
		o->draws |= DRAWS_EACH;
		return 0;
	case OPTION_CONTACT_SHEET:
		o->draws |= DRAWS_SHEET;
		return 0;
	case OPTION_OVERDRAW:
		o->draws |= DRAWS_OVERDRAW;
		return 0;
	case OPTION_COST:
		o->draws |= DRAWS_COST;
		return 0;
	case OPTION_NAME:
		o->name = arg;
		error = remote_name_error(arg);
		break;
	case OPTION_CONNECT:
		o->is_remote = true;
		o->where = arg;
		return 0;
	case OPTION_TRUST_LOADS:
		o->trust_loads = true;
		return 0;
	case OPTION_TRACE:
		o->trace = arg;
		return 0;
	case OPTION_VERIFY:
		o->verify = true;
		return 0;
	case OPTION_JSON:
		o->json = true;
		return 0;
	case OPTION_PROGRESS:
		error = parse_progress(arg, &o->progress);
		break;
	case ARGP_KEY_ARGS:
		o->captures = state->argv + state->next;
		o->n_captures = (unsigned)(state->argc - state->next);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "expected a capture");
		return EINVAL;
	case ARGP_KEY_END:
		if (o->is_remote && o->draws) {
			argp_error(state,
					"--connect: pictures of draws are made in this process only");
			return EINVAL;
		}
		if (o->is_remote && o->trace && !remote_is_builtin(o->where)) {
			argp_error(state,
					"--connect: the timeline is the service's own (picad --trace), "
					"but for builtin:");
			return EINVAL;
		}
		if (o->name && !o->is_remote) {
			argp_error(state, "--name: only with --connect");
			return EINVAL;
		}
		if (o->is_remote && o->engine.machine_given) {
			argp_error(state, "--connect: %s is the service's own",
					o->engine.machine_given);
			return EINVAL;
		}
		if (o->draws && (o->n_surfaces || o->screens_given || o->eyes_given)) {
			argp_error(state,
					"pictures of draws take the place of --screen, --eye and --surface");
			return EINVAL;
		}
		if (o->n_surfaces && (o->screens_given || o->eyes_given)) {
			argp_error(state, "--surface takes the place of %s",
					o->screens_given ? "--screen" : "--eye");
			return EINVAL;
		}
		if (o->output && !o->format_given && picture_path_error(o->output)) {
			return option_error(state, 'o', o->output,
					"expected a name that ends in .png, .ppm, .qoi or .y4m");
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (error) {
		return option_error(state, key, arg, error);
	}
	return 0;
}

static const struct argp_option argp_options[] = {
	{ .name = "output",
		.key = 'o',
		.arg = "PATH",
		.group = 1,
		.doc = "File, folder, - or pattern: {name}-{frame:4}-{screen}" },
	{ .name = "frames",
		.key = OPTION_FRAMES,
		.arg = "LIST",
		.group = 1,
		.doc = "0,3-7,last or all, counted from 0 (default: last)" },
	{ .name = "screen",
		.key = OPTION_SCREEN,
		.arg = "WHICH",
		.group = 1,
		.doc = "top, bottom or both (default: what is shown)" },
	{ .name = "eye",
		.key = OPTION_EYE,
		.arg = "WHICH",
		.group = 1,
		.doc = "left, right or both (default: left)" },
	{ .name = "format",
		.key = OPTION_FORMAT,
		.arg = "FORMAT",
		.group = 1,
		.doc = "png, ppm, qoi, y4m, hash, none (default: as PATH, or png)" },
	{ .name = "surface",
		.key = OPTION_SURFACE,
		.arg = "SURFACE",
		.group = 1,
		.doc = "ADDR,FORMAT,WxH: tiled memory instead of the screens" },
	{ .name = "every-draw",
		.key = OPTION_EVERY_DRAW,
		.group = 2,
		.doc = "The target behind each draw instead of the screens" },
	{ .name = "contact-sheet",
		.key = OPTION_CONTACT_SHEET,
		.group = 2,
		.doc = "All of these, small, on one picture a frame" },
	{ .name = "overdraw",
		.key = OPTION_OVERDRAW,
		.group = 2,
		.doc = "Heat map: how often pixels were written" },
	{ .name = "cost",
		.key = OPTION_COST,
		.group = 2,
		.doc = "Heat map: steps of the fragment pipe" },
	{ .name = "trust-loads",
		.key = OPTION_TRUST_LOADS,
		.flags = OPTION_HIDDEN,
		.group = 3,
		.doc = "Recorded textures replace what was drawn there" },
	{ .name = "trace",
		.key = OPTION_TRACE,
		.arg = "FILE",
		.flags = OPTION_HIDDEN,
		.group = 3,
		.doc = "Timeline of the threads, as JSON for Chrome or Perfetto" },
	{ .name = "verify",
		.key = OPTION_VERIFY,
		.group = 3,
		.doc = "Compare with the pictures that a .pica expects" },
	{ .name = "connect",
		.key = OPTION_CONNECT,
		.arg = "SOCKET",
		.flags = OPTION_ARG_OPTIONAL,
		.group = 3,
		.doc = "Let a service draw; builtin: is one in this process" },
	{ .name = "name",
		.key = OPTION_NAME,
		.arg = "NAME",
		.flags = OPTION_HIDDEN,
		.group = 3,
		.doc = "Of the session there (default: pica)" },
	{ .name = "json", .key = OPTION_JSON, .group = 3, .doc = "Report on stdout as JSON" },
	{ .name = "progress",
		.key = OPTION_PROGRESS,
		.arg = "WHEN",
		.flags = OPTION_HIDDEN,
		.group = 3,
		.doc = "auto (on a terminal), always or never" },
	{ 0 },
};

/* The format that the name of the output file says. */
static void format_from_output(struct render_options *o) {
	if (!o->format_given && o->output) {
		const char *dot = strrchr(o->output, '.');
		const bool is_y4m = dot && strcasecmp(dot + 1, format_names[FORMAT_Y4M]) == 0;
		o->format = is_y4m ? (unsigned)FORMAT_Y4M : picture_format_of(o->output);
	}
}

void render_options_parse(struct render_options *o, int argc, char **argv) {
	static const struct argp_child children[] = { { .argp = &engine_argp }, { 0 } };
	static const struct argp argp = { .options = argp_options,
		.parser = parse,
		.children = children,
		.args_doc = "CAPTURE...",
		.doc = "Draws captures: the last frame of each screen as NAME-top.png and NAME-bottom.png "
		       "here; where no screen is shown, the last colour buffer." };
	*o = (struct render_options){ .screens = SCREEN_TOP | SCREEN_BOTTOM, .eyes = EYE_LEFT,
		.format = PICTURE_PNG };
	engine_options_init(&o->engine);
	frame_list_parse(&o->frames, "last");
	options_parse(&argp, argc, argv, 0, o);
	format_from_output(o);
	if ((o->verify || o->format == FORMAT_Y4M) && !o->frames_given) {
		frame_list_parse(&o->frames, "all");
	}
	if (o->verify && !o->format_given && !o->output) {
		o->format = FORMAT_NONE;
	}
}
