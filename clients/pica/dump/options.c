#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/snapshot.h"

enum {
	OPTION_FRAME = OPTION_VERB,
	OPTION_DRAW,
	OPTION_SINCE,
	OPTION_LIST,
	OPTION_STATE,
	OPTION_SHADERS,
	OPTION_VERTICES,
	OPTION_TEXTURES,
	OPTION_SURFACES,
	OPTION_LUTS,
	OPTION_GROUP,
	OPTION_JSON,
	OPTION_PROGRESS,
};

/* "12" or "last". */
static const char *parse_frame(const char *arg, uint32_t *out) {
	uint64_t n;
	if (strcmp(arg, "last") == 0) {
		*out = FRAME_LAST;
	} else if (parse_number(arg, FRAME_LAST - 1, &n)) {
		*out = (uint32_t)n;
	} else {
		return "expected a frame, counted from 0, or last";
	}
	return NULL;
}

/* "[FRAME:]DRAW" */
static const char *parse_place(const char *arg, struct dump_place *out) {
	const char *colon = strchr(arg, ':');
	uint64_t n;
	if (colon) {
		char frame[32];
		snprintf(frame, sizeof(frame), "%.*s", (int)(colon - arg), arg);
		const char *error = parse_frame(frame, &out->frame);
		if (error) {
			return error;
		}
		arg = colon + 1;
	}
	if (!parse_number(arg, UINT32_MAX, &n)) {
		return "expected a draw, counted from 0 in its frame";
	}
	out->draw = (uint32_t)n;
	out->is_given = true;
	return NULL;
}

static const char *parse_groups(char *arg, uint32_t *out) {
	for (char *rest = arg, *name; (name = strsep(&rest, ","));) {
		unsigned g = 0;
		while (g < PICA_GROUP_COUNT &&
				strcmp(pica_reg_group_name((enum pica_reg_group)g), name)) {
			g++;
		}
		if (g == PICA_GROUP_COUNT) {
			return "expected interrupt, raster, texture, combiner, framebuffer, lighting, geometry, "
			       "gsh, vsh or unit2";
		}
		*out |= 1u << g;
	}
	return NULL;
}

static const char *contradiction(const struct dump_options *o) {
	if (!o->at.is_given &&
			(o->since.is_given || o->output || (o->what & ~(unsigned)DUMP_LIST))) {
		return "expected --draw=N as well: the state of which draw?";
	}
	if (!o->output && (o->what & (DUMP_TEXTURES | DUMP_SURFACES | DUMP_LUTS))) {
		return "expected -o: the folder of the pictures";
	}
	if (!o->output && o->json && (o->what & DUMP_VERTICES)) {
		return "--vertices with --json: expected -o";
	}
	if (o->output && o->since.is_given) {
		return "--since writes no files";
	}
	return NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
	struct dump_options *o = state->input;
	const char *error = NULL;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->engine;
		return 0;
	case OPTION_FRAME:
		error = parse_frame(arg, &o->at.frame);
		break;
	case OPTION_DRAW:
		error = parse_place(arg, &o->at);
		break;
	case OPTION_SINCE:
		o->since.frame = UINT32_MAX - 1; /* that of --draw */
		error = parse_place(arg, &o->since);
		break;
	case OPTION_LIST:
		o->what |= DUMP_LIST;
		return 0;
	case OPTION_STATE:
		o->what |= DUMP_STATE;
		return 0;
	case OPTION_SHADERS:
		o->what |= DUMP_SHADERS;
		return 0;
	case OPTION_VERTICES:
		o->what |= DUMP_VERTICES;
		return 0;
	case OPTION_TEXTURES:
		o->what |= DUMP_TEXTURES;
		return 0;
	case OPTION_SURFACES:
		o->what |= DUMP_SURFACES;
		return 0;
	case OPTION_LUTS:
		o->what |= DUMP_LUTS;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPTION_GROUP:
		error = parse_groups(arg, &o->groups);
		break;
	case OPTION_JSON:
		o->json = true;
		return 0;
	case OPTION_PROGRESS:
		error = parse_progress(arg, &o->progress);
		break;
	case ARGP_KEY_ARG:
		if (o->capture) {
			argp_error(state, "expected one capture");
			return EINVAL;
		}
		o->capture = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "expected a capture");
		return EINVAL;
	case ARGP_KEY_END:
		error = contradiction(o);
		if (error) {
			argp_error(state, "%s", error);
			return EINVAL;
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
	{ .name = "frame",
			.key = OPTION_FRAME,
			.arg = "N",
			.group = 1,
			.doc = "Frame counted from 0, or last (default)" },
	{ .name = "draw",
			.key = OPTION_DRAW,
			.arg = "[FRAME:]N",
			.group = 1,
			.doc = "The state that a draw of the frame sees, from 0 on" },
	{ .name = "since",
			.key = OPTION_SINCE,
			.arg = "[FRAME:]N",
			.group = 1,
			.doc = "Only what differs from the state this draw sees" },
	{ .name = "list",
			.key = OPTION_LIST,
			.group = 2,
			.doc = "Writes of lists (default); of a draw: since the last" },
	{ .name = "state",
			.key = OPTION_STATE,
			.group = 2,
			.doc = "Registers, uniforms, attributes (default of a draw)" },
	{ .name = "shaders",
			.key = OPTION_SHADERS,
			.group = 2,
			.doc = "Its programs, disassembled" },
	{ .name = "vertices",
			.key = OPTION_VERTICES,
			.group = 2,
			.doc = "Its vertices as CSV; into a folder as OBJ, too" },
	{ .name = "textures", .key = OPTION_TEXTURES, .group = 2, .doc = "Its textures as PNG" },
	{ .name = "surfaces",
			.key = OPTION_SURFACES,
			.group = 2,
			.doc = "Colour, depth, stencil as PNG, before and after" },
	{ .name = "luts",
			.key = OPTION_LUTS,
			.group = 2,
			.doc = "Its tables as PNG: light, fog, procedural, gas" },
	{ .name = "output",
			.key = 'o',
			.arg = "FOLDER",
			.group = 2,
			.doc = "Into files: all of these, or those asked for" },
	{ .name = "group",
			.key = OPTION_GROUP,
			.arg = "NAME,...",
			.group = 3,
			.doc = "Registers: interrupt, raster, texture, combiner, "
			       "framebuffer, lighting, geometry, gsh, vsh, unit2" },
	{ .name = "json", .key = OPTION_JSON, .group = 3, .doc = "Everything on stdout as JSON" },
	{ .name = "progress",
			.key = OPTION_PROGRESS,
			.arg = "WHEN",
			.flags = OPTION_HIDDEN,
			.group = 3,
			.doc = "auto (on a terminal), always or never" },
	{ 0 },
};

void dump_options_parse(struct dump_options *o, int argc, char **argv) {
	static const struct argp_child children[] = { { .argp = &engine_argp }, { 0 } };
	static const struct argp argp = { .options = argp_options,
		.parser = parse,
		.children = children,
		.args_doc = "CAPTURE",
		.doc = "Shows what is in a capture: the command lists of a frame with registers and "
		       "fields by name, and with --draw the state that a draw sees." };
	*o = (struct dump_options){ .at.frame = FRAME_LAST };
	engine_options_init(&o->engine);
	options_parse(&argp, argc, argv, 0, o);
	if (!o->groups) {
		o->groups = SNAPSHOT_ALL;
	}
	if (!o->what) {
		o->what = o->output ? DUMP_FILES : o->at.is_given ? DUMP_STATE : DUMP_LIST;
	}
	if (o->since.frame == UINT32_MAX - 1) {
		o->since.frame = o->at.frame;
	}
}
