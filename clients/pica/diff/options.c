#include "diff.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_A = OPTION_VERB,
	OPTION_B,
	OPTION_FRAMES,
	OPTION_TOLERANCE,
	OPTION_PIXELS,
	OPTION_EVERY_DRAW,
	OPTION_BRIEF,
	OPTION_JSON,
	OPTION_PROGRESS,
};

static const char one_or_two[] = "expected two files, or one capture and --a or --b";

/* One of the settings below; what is wrong, or NULL. */
static const char *parse_setting(struct engine_options *e, bool *threads_given, const char *name,
		const char *value) {
	uint64_t n;
	if (strcmp(name, "isa") == 0) {
		e->isa = value;
	} else if (strcmp(name, "threads") == 0) {
		if (!parse_number(value, ENGINE_MAX_THREADS, &n)) {
			return "expected threads=N, 0 to 64";
		}
		e->threads = (uint32_t)n;
		*threads_given = true;
	} else if (strcmp(name, "float") == 0) {
		if (strcmp(value, "f24") != 0 && strcmp(value, "f32") != 0) {
			return "expected float=f24 or f32";
		}
		e->float_mode = strcmp(value, "f32") == 0 ? PICA_FLOAT_F32 : PICA_FLOAT_F24;
	} else if (strcmp(name, "combiner") == 0) {
		if (strcmp(value, "nearest") != 0 && strcmp(value, "truncate") != 0) {
			return "expected combiner=nearest or truncate";
		}
		e->combiner = strcmp(value, "truncate") == 0 ? PICA_COMBINER_TRUNCATE :
				PICA_COMBINER_NEAREST;
	} else {
		return "expected settings of isa, threads, float, combiner";
	}
	return NULL;
}

/*
 * "isa=c,threads=0,float=f32,combiner=truncate". What is wrong, or NULL; *arg is the setting that
 * is.
 */
static const char *parse_settings(struct engine_options *e, bool *threads_given, char **arg) {
	for (char *rest = *arg, *item; (item = strsep(&rest, ","));) {
		char *value = strchr(item, '=');
		*arg = item;
		if (!value) {
			return "expected SETTING=VALUE,...";
		}
		*value = '\0';
		const char *error = parse_setting(e, threads_given, item, value + 1);
		if (error) {
			*value = '=';
			return error;
		}
	}
	return NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
	struct diff_options *o = state->input;
	const char *error = NULL;
	uint64_t n;
	switch (key) {
	case OPTION_A:
		o->settings[0] = true;
		error = parse_settings(&o->engine[0], &o->threads_given[0], &arg);
		break;
	case OPTION_B:
		o->settings[1] = true;
		error = parse_settings(&o->engine[1], &o->threads_given[1], &arg);
		break;
	case OPTION_FRAMES:
		error = frame_list_parse(&o->frames, arg);
		break;
	case OPTION_TOLERANCE:
		if (parse_number(arg, 255, &n)) {
			o->tolerance = (uint32_t)n;
		} else {
			error = "expected a number from 0 to 255";
		}
		break;
	case OPTION_PIXELS:
		if (parse_number(arg, UINT32_MAX, &n)) {
			o->allowed = (uint32_t)n;
		} else {
			error = "expected a number of pixels";
		}
		break;
	case OPTION_EVERY_DRAW:
		o->every_draw = true;
		return 0;
	case OPTION_BRIEF:
		o->brief = true;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case 'v':
		o->engine[0].verbose = o->engine[1].verbose = true;
		return 0;
	case OPTION_JSON:
		o->json = true;
		return 0;
	case OPTION_PROGRESS:
		error = parse_progress(arg, &o->progress);
		break;
	case ARGP_KEY_ARG:
		if (o->n_paths == 2) {
			argp_error(state, "expected two files, or one capture");
			return EINVAL;
		}
		o->path[o->n_paths++] = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "%s", one_or_two);
		return EINVAL;
	case ARGP_KEY_END:
		if (o->n_paths == 1 && !o->settings[0] && !o->settings[1]) {
			argp_error(state, "%s: %s", o->path[0], one_or_two);
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
	{ .name = "a",
		.key = OPTION_A,
		.arg = "SETTINGS",
		.group = 1,
		.doc = "How A is drawn: isa=c,threads=0,float=f32,..." },
	{ .name = "b", .key = OPTION_B, .arg = "SETTINGS", .group = 1, .doc = "How B is drawn" },
	{ .name = "frames",
		.key = OPTION_FRAMES,
		.arg = "LIST",
		.group = 2,
		.doc = "0,3-7,last or all, counted from 0 (default: all)" },
	{ .name = "tolerance",
		.key = OPTION_TOLERANCE,
		.arg = "N",
		.group = 2,
		.doc = "Channels may differ by so much (default: 0)" },
	{ .name = "pixels",
		.key = OPTION_PIXELS,
		.arg = "N",
		.group = 2,
		.doc = "Pixels that may differ by more (default: 0)" },
	{ .name = "every-draw",
		.key = OPTION_EVERY_DRAW,
		.group = 2,
		.doc = "Compare behind each draw, not only screens" },
	{ .name = "brief",
		.key = OPTION_BRIEF,
		.group = 3,
		.doc = "Leave out the states of A and B at that draw" },
	{ .name = "output",
		.key = 'o',
		.arg = "FOLDER",
		.group = 3,
		.doc = "Write both pictures and their difference there" },
	{ .name = "json", .key = OPTION_JSON, .group = 3, .doc = "Report on stdout as JSON" },
	{ .name = "progress",
		.key = OPTION_PROGRESS,
		.arg = "WHEN",
		.group = 3,
		.doc = "auto (on a terminal), always or never" },
	{ .name = "verbose", .key = 'v', .group = 3, .doc = "Print the library's log" },
	{ 0 },
};

void diff_options_parse(struct diff_options *o, int argc, char **argv) {
	static const struct argp argp = { .options = argp_options,
		.parser = parse,
		.args_doc = "A [B]",
		.doc = "Compares two captures, a capture drawn in two ways, a capture with saved hashes "
		       "(of pica render --format hash), or two PNG pictures. Tells the first frame, draw and "
		       "pixel that differ." };
	*o = (struct diff_options){ .n_paths = 0 };
	engine_options_init(&o->engine[0]);
	engine_options_init(&o->engine[1]);
	o->engine[0].isa_option = "--a isa=";
	o->engine[1].isa_option = "--b isa=";
	frame_list_parse(&o->frames, "all");
	options_parse(&argp, argc, argv, 0, o);
}
