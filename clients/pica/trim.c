/* pica trim: some frames of a capture, as a capture of their own. */
#include <inttypes.h>
#include <string.h>

#include "convert/convert.h"
#include "pictures/file.h"
#include "verbs.h"

struct options {
	struct repack_options r;
	struct frame_list frames;
	enum progress_mode progress;
};

static const char *parse_range(void *frames, char *arg) {
	struct frame_list *list = frames;
	const char *error = frame_list_parse(list, arg);
	return error		? error :
			list->n != 1 ? "expected one range, as 3-7, 5-last, 4 or all" : NULL;
}

static void check(void *input, struct option_args args) {
	struct options *o = input;
	if (args.n < 2 || !o->frames.n) {
		options_fail("expected --frames and two names: CAPTURE and OUT");
	}
	o->r.in = args.v[0];
	o->r.out = args.v[1];
}

static int trim(struct options *o, struct pica_capture *capture) {
	struct pica_capture_info info;
	pica_capture_info(capture, &info);
	uint32_t first = o->frames.range[0].first, last = o->frames.range[0].last;
	first = first == FRAME_LAST ? info.frames - 1 : first;
	last = last == FRAME_LAST ? info.frames - 1 : last;
	if (info.frames == 0 || first >= info.frames || last >= info.frames) {
		return log_fail("%s: it has %" PRIu32 " frames, counted from 0", o->r.in,
				info.frames);
	}
	o->r.first = first;
	o->r.last = last;
	const int exit = repack(&o->r, capture);
	if (exit == EXIT_FINE) {
		convert_report_sizes(o->r.in, o->r.out);
	}
	return exit;
}

#define AT(member) offsetof(struct options, member)

int verb_trim(int argc, char **argv) {
	static const struct option_row rows[] = {
		{ "frames", 0, "RANGE", "Frames to keep, as 3-7, 5-last, 4 or all", OPTION_CALL,
				.at = AT(frames), .words = frames_words, .parse = parse_range },
		KEYS_ROW(AT(r.key_frames), 0),
		LEVEL_ROW(AT(r.level), 0, LEVEL_BY_SIZE),
		TRUST_LOADS_ROW(AT(r.trust_loads)),
		PROGRESS_ROW(AT(progress), false),
	};
	static const struct option_spec spec = {
		.forms = "CAPTURE OUT",
		.doc = "Cuts frames out of a capture. OUT is a .pica that needs nothing else: it begins with "
		       "the whole state and memory. Its frames are counted from 0 again.",
		.tables = { OPTION_TABLE(rows, 0, 0), ENGINE_TABLES(AT(r.engine)) },
		.max_args = 2,
		.at_most = "two names: CAPTURE and OUT",
		.check = check,
	};
	struct options o = { .r = { .tool = "pica trim", .key_frames = 60 } };
	engine_options_init(&o.r.engine);
	options_parse(&spec, argc, argv, &o);
	log_show_progress(o.progress);

	const size_t len = strlen(o.r.out);
	if (len < 6 || strcmp(o.r.out + len - 5, ".pica") != 0) {
		return log_fail("%s: expected a name that ends in .pica", o.r.out);
	}
	if (file_is_same(o.r.in, o.r.out)) {
		return log_fail("%s: this is the capture itself: expected another name", o.r.out);
	}
	struct pica_capture *capture;
	int exit = capture_open(&capture, o.r.in);
	if (exit != EXIT_FINE) {
		return exit;
	}
	exit = trim(&o, capture);
	pica_capture_close(capture);
	return exit;
}
