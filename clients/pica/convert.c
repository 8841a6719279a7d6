/* pica convert: captures from one form into the other. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/repack.h"
#include "convert/to_ctf.h"
#include "pictures/file.h"
#include "verbs.h"

enum {
	OPTION_KEYS = OPTION_VERB,
	OPTION_LEVEL,
	OPTION_RECOVER,
	OPTION_LOSSY,
	OPTION_TRUST_LOADS,
	OPTION_PROGRESS,
};

struct options {
	struct repack_options r;
	bool recover, lossy;
	bool has_frame;
	uint32_t frame; /* with recover: of the part that is wanted */
	const char *of_pica; /* the last option given that a .ctf has no use for, or NULL */
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
	case OPTION_KEYS:
		o->of_pica = "--keys";
		if (!parse_number(arg, UINT32_MAX, &n)) {
			error = "expected a number of frames";
		} else {
			o->r.key_frames = (uint32_t)n;
		}
		break;
	case OPTION_LEVEL:
		o->of_pica = "--level";
		if (!parse_number(arg, 19, &n) || n < 1) {
			error = "expected a level from 1 to 19";
		} else {
			o->r.level = (uint32_t)n;
		}
		break;
	case OPTION_RECOVER:
		o->recover = true;
		o->has_frame = arg != NULL;
		if (!arg) {
			return 0;
		}
		if (!parse_number(arg, UINT32_MAX, &n)) {
			error = "expected the number of a frame";
		} else {
			o->frame = (uint32_t)n;
		}
		break;
	case OPTION_LOSSY:
		o->lossy = true;
		return 0;
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
		if (state->arg_num < 2) {
			argp_error(state, "expected two names: CAPTURE and OUT");
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

static bool ends_with(const char *text, const char *end) {
	size_t n = strlen(text), m = strlen(end);
	return n > m && strcmp(text + n - m, end) == 0;
}

/* Frames that are whole beside those that are saved. */
static void tell_other_parts(const struct options *o, const struct pica_capture *capture) {
	const unsigned n = pica_capture_parts(capture, NULL, 0);
	struct pica_capture_part *part = calloc(n + 1, sizeof(*part));
	for (unsigned i = 0; part && i < pica_capture_parts(capture, part, n); i++) {
		const uint32_t last = part[i].first + (part[i].frames - 1);
		if (part[i].is_open) {
			continue;
		}
		talk("%s: note: frames %" PRIu32 " to %" PRIu32
		     " are whole, too: --recover=%" PRIu32 " saves them",
				o->r.in, part[i].first, last, part[i].first);
	}
	free(part);
}

/* Which frames are saved, and of which. */
static void tell_saved(const struct options *o, const struct pica_capture_info *info,
		const struct pica_capture *capture) {
	const unsigned n = pica_capture_parts(capture, NULL, 0);
	struct pica_capture_part *part = calloc(n + 1, sizeof(*part));
	uint32_t first = 0;
	for (unsigned i = 0; part && i < pica_capture_parts(capture, part, n); i++) {
		first = part[i].is_open ? part[i].first : first;
	}
	char all[32] = "";
	if (info->all_frames) {
		snprintf(all, sizeof(all), " of %" PRIu32, info->all_frames);
	}
	if (info->frames == 0) {
		talk("%s: saved: the state at the start, no frame%s", o->r.in, all);
	} else if (info->frames == info->all_frames) {
		talk("%s: saved: all %" PRIu32 " frame%s", o->r.in, info->frames,
				plural(info->frames));
	} else if (info->frames == 1) {
		talk("%s: saved: frame %" PRIu32 "%s", o->r.in, first, all);
	} else {
		talk("%s: saved: frames %" PRIu32 " to %" PRIu32 "%s", o->r.in, first,
				first + (info->frames - 1), all);
	}
	free(part);
}

/* Says what is lost, and what of it is not. */
static int recover(struct pica_capture **out, const struct options *o) {
	struct pica_capture_error error;
	const int ret = o->has_frame ? pica_capture_recover_at(out, o->r.in, o->frame, &error) :
				       pica_capture_recover(out, o->r.in, &error);
	const int exit = ret < 0 ? capture_open_exit(ret) : EXIT_FINE;
	if (exit == EXIT_BAD_CAPTURE && !o->has_frame) {
		talk("nothing can be saved: %s", error.message);
		return exit;
	}
	if (ret < 0) {
		talk_capture_error(o->r.in, &error);
		return exit;
	}
	if (ret > 0) {
		struct pica_capture_info info;
		struct pica_capture_part part[2];
		pica_capture_info(*out, &info);
		const bool is_end = info.missing & PICA_CAPTURE_LOST_END &&
				pica_capture_parts(*out, part, 2) < 2;
		talk("%s%s", is_end ? "lost from here on: " : "lost: ", error.message);
		tell_saved(o, &info, *out);
		tell_other_parts(o, *out);
	}
	return EXIT_FINE;
}

int verb_convert(int argc, char **argv) {
	static const struct argp_option argp_options[] = {
		{ .name = "keys",
			.key = OPTION_KEYS,
			.arg = "N",
			.doc = "The whole state each N frames; 0: once (default: 60)" },
		{ .name = "level",
			.key = OPTION_LEVEL,
			.arg = "N",
			.doc = "Compression, 1-19 (default: 12)" },
		{ .name = "lossy",
			.key = OPTION_LOSSY,
			.doc = "Write a .ctf although it draws other pictures" },
		{ .name = "recover",
			.key = OPTION_RECOVER,
			.arg = "FRAME",
			.flags = OPTION_ARG_OPTIONAL,
			.doc = "Read what is left of a damaged .pica: up to the damage, or what is whole around FRAME" },
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
		.doc = "Converts a capture: the name of OUT says into what, .pica, .ctf or .ctf.zst. For a "
		       ".pica the capture is drawn, and holds the pictures that it should give." };
	struct options o = {
		.r = { .tool = "pica convert", .last = FRAME_LAST, .key_frames = 60, .level = 12 }
	};
	engine_options_init(&o.r.engine);
	options_parse(&argp, argc, argv, 0, &o);
	talk_begin("pica convert", o.progress);

	const bool to_pica = ends_with(o.r.out, ".pica");
	if (!to_pica && !ends_with(o.r.out, ".ctf") && !ends_with(o.r.out, ".ctf.zst")) {
		talk("%s: expected a name that ends in .pica, .ctf or .ctf.zst", o.r.out);
		return EXIT_TROUBLE;
	}
	if (o.r.engine.arithmetic_given) {
		o.of_pica = "--float and --combiner";
	}
	if (!to_pica && o.of_pica) {
		talk("%s: %s: for a .pica alone", o.r.out, o.of_pica);
		return EXIT_TROUBLE;
	}
	if (file_is_same(o.r.in, o.r.out)) {
		talk("%s: this is the capture itself: expected another name", o.r.out);
		return EXIT_TROUBLE;
	}
	struct pica_capture *capture;
	struct pica_capture_error error;
	struct pica_capture_info info;
	int exit = o.recover ? recover(&capture, &o) : capture_open(&capture, o.r.in, &error);
	if (exit != EXIT_FINE) {
		return exit;
	}
	pica_capture_trust_loads(capture, o.r.trust_loads);
	if (to_pica) {
		exit = repack(&o.r, capture);
	} else {
		pica_capture_info(capture, &info);
		o.r.engine.float_mode = info.float_mode;
		o.r.engine.combiner = info.combiner;
		exit = to_ctf(&(struct to_ctf_options){ o.r.in, o.r.out, o.lossy, &o.r.engine },
				capture);
	}
	pica_capture_close(capture);
	return exit;
}
