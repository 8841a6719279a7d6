/* pica trim: some frames of a capture, as a capture of their own. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "convert/repack.h"
#include "pictures/file.h"
#include "verbs.h"

enum {
	OPTION_FRAMES = OPTION_VERB,
	OPTION_KEYS,
	OPTION_LEVEL,
	OPTION_TRUST_LOADS,
	OPTION_PROGRESS,
};

struct options {
	struct repack_options r;
	struct frame_list frames;
	enum progress_mode progress;
};

static error_t parse(int key, char *arg, struct argp_state *state) {
	struct options *o = state->input;
	const char *error = NULL;
	uint64_t n;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->r.engine;
		return 0;
	case OPTION_FRAMES:
		error = frame_list_parse(&o->frames, arg);
		if (!error && o->frames.n != 1) {
			error = "expected one range, as 3-7, 5-last, 4 or all";
		}
		break;
	case OPTION_KEYS:
		if (!parse_number(arg, UINT32_MAX, &n)) {
			error = "expected a number of frames";
		} else {
			o->r.key_frames = (uint32_t)n;
		}
		break;
	case OPTION_LEVEL:
		if (!parse_number(arg, 19, &n) || n < 1) {
			error = "expected a level from 1 to 19";
		} else {
			o->r.level = (uint32_t)n;
		}
		break;
	case OPTION_TRUST_LOADS:
		o->r.trust_loads = true;
		return 0;
	case OPTION_PROGRESS:
		error = parse_progress(arg, &o->progress);
		break;
	case ARGP_KEY_ARG:
		if (state->arg_num > 1) {
			argp_error(state, "expected two names: CAPTURE and OUT");
			return EINVAL;
		}
		*(state->arg_num == 0 ? &o->r.in : &o->r.out) = arg;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2 || !o->frames.n) {
			argp_error(state, "expected --frames and two names: CAPTURE and OUT");
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

static int trim(struct options *o, struct pica_capture *capture) {
	struct pica_capture_info info;
	pica_capture_info(capture, &info);
	uint32_t first = o->frames.range[0].first, last = o->frames.range[0].last;
	first = first == FRAME_LAST ? info.frames - 1 : first;
	last = last == FRAME_LAST ? info.frames - 1 : last;
	if (info.frames == 0 || first >= info.frames || last >= info.frames) {
		talk("%s: it has %" PRIu32 " frames, counted from 0", o->r.in, info.frames);
		return EXIT_TROUBLE;
	}
	o->r.first = first;
	o->r.last = last;
	return repack(&o->r, capture);
}

int verb_trim(int argc, char **argv) {
	static const struct argp_option argp_options[] = {
		{ .name = "frames",
				.key = OPTION_FRAMES,
				.arg = "RANGE",
				.doc = "Frames to keep, as 3-7, 5-last, 4 or all" },
		{ .name = "keys",
				.key = OPTION_KEYS,
				.arg = "N",
				.doc = "The whole state each N frames; 0: once (default: 60)" },
		{ .name = "level",
				.key = OPTION_LEVEL,
				.arg = "N",
				.doc = "Compression, 1-19 (default: 12)" },
		{ .name = "trust-loads",
				.key = OPTION_TRUST_LOADS,
				.doc = "Recorded textures replace what was drawn there" },
		{ .name = "progress",
				.key = OPTION_PROGRESS,
				.arg = "WHEN",
				.doc = "auto (on a terminal), always or never" },
		{ 0 },
	};
	static const struct argp_child children[] = { { .argp = &engine_argp }, { 0 } };
	static const struct argp argp = { .options = argp_options,
		.parser = parse,
		.children = children,
		.args_doc = "CAPTURE OUT",
		.doc = "Cuts frames out of a capture. OUT is a .pica that needs nothing else: it begins with the "
		       "whole state and memory. Its frames are counted from 0 again." };
	struct options o = { .r = { .tool = "pica trim", .key_frames = 60, .level = 12 } };
	engine_options_init(&o.r.engine);
	options_parse(&argp, argc, argv, 0, &o);
	talk_begin("pica trim", o.progress);

	const size_t len = strlen(o.r.out);
	if (len < 6 || strcmp(o.r.out + len - 5, ".pica") != 0) {
		talk("%s: expected a name that ends in .pica", o.r.out);
		return EXIT_TROUBLE;
	}
	if (file_is_same(o.r.in, o.r.out)) {
		talk("%s: this is the capture itself: expected another name", o.r.out);
		return EXIT_TROUBLE;
	}
	struct pica_capture *capture;
	struct pica_capture_error error;
	int exit = capture_open(&capture, o.r.in, &error);
	if (exit != EXIT_FINE) {
		return exit;
	}
	exit = trim(&o, capture);
	pica_capture_close(capture);
	return exit;
}
