/* pica convert: captures from one form into the other. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "convert/convert.h"
#include "pictures/file.h"
#include "verbs.h"

enum { PICA_KEYS = 1, PICA_LEVEL = 2 };

struct options {
	struct repack_options r;
	bool recover, lossy;
	bool has_frame;
	uint32_t frame; /* with recover: a frame of the requested part */
	unsigned given; /* bits of options that a .ctf cannot use */
	enum progress_mode progress;
};

static const char *parse_recover(void *options, char *arg) {
	struct options *o = options;
	uint64_t n = 0;
	o->recover = true;
	o->has_frame = arg != NULL;
	if (arg && !parse_number(arg, UINT32_MAX, &n)) {
		return "expected the number of a frame";
	}
	o->frame = (uint32_t)n;
	return NULL;
}

/* Logs the saved frames, their total, and other undamaged ones. */
static void report_parts(const struct options *o, const struct pica_capture_info *info,
		const struct pica_capture_part *part, unsigned n) {
	uint32_t first = 0;
	for (unsigned i = 0; i < n; i++) {
		first = part[i].is_open ? part[i].first : first;
	}
	char all[32] = "";
	if (info->all_frames) {
		snprintf(all, sizeof(all), " of %" PRIu32, info->all_frames);
	}
	if (info->frames == 0) {
		log_line("%s: saved: the state at the start, no frame%s", o->r.in, all);
	} else if (info->frames == info->all_frames) {
		log_line("%s: saved: all %" PRIu32 " frame%s", o->r.in, info->frames,
				plural(info->frames));
	} else if (info->frames == 1) {
		log_line("%s: saved: frame %" PRIu32 "%s", o->r.in, first, all);
	} else {
		log_line("%s: saved: frames %" PRIu32 " to %" PRIu32 "%s", o->r.in, first,
				first + (info->frames - 1), all);
	}
	for (unsigned i = 0; i < n; i++) {
		if (!part[i].is_open) {
			log_line("%s: note: frames %" PRIu32 " to %" PRIu32
				 " are whole, too: --recover=%" PRIu32 " saves them",
					o->r.in, part[i].first,
					part[i].first + (part[i].frames - 1), part[i].first);
		}
	}
}

/* Logs the losses and the saved parts. */
static int recover(struct pica_capture **out, const struct options *o) {
	struct pica_capture_error error;
	const int ret = o->has_frame ? pica_capture_recover_at(out, o->r.in, o->frame, &error) :
				       pica_capture_recover(out, o->r.in, &error);
	const int exit = ret < 0 ? capture_open_exit(ret) : EXIT_FINE;
	if (exit == EXIT_BAD_CAPTURE && !o->has_frame) {
		log_line("nothing can be saved: %s", error.message);
		return exit;
	}
	if (ret < 0) {
		log_capture_error(o->r.in, &error);
		return exit;
	}
	if (ret > 0) {
		struct pica_capture_info info;
		const unsigned n = pica_capture_parts(*out, NULL, 0);
		struct pica_capture_part *part = calloc(n + 1, sizeof(*part));
		pica_capture_info(*out, &info);
		const bool is_end = info.missing & PICA_CAPTURE_LOST_END && n < 2;
		log_line("%s%s", is_end ? "lost from here on: " : "lost: ", error.message);
		report_parts(o, &info, part, part ? pica_capture_parts(*out, part, n) : 0);
		free(part);
	}
	return EXIT_FINE;
}

#define AT(member) offsetof(struct options, member)

int verb_convert(int argc, char **argv) {
	static const struct option_row rows[] = {
		KEYS_ROW(AT(r.key_frames), PICA_KEYS),
		LEVEL_ROW(AT(r.level), PICA_LEVEL, LEVEL_BY_SIZE),
		{ "lossy", 0, NULL, "Write a .ctf although it draws other pictures", OPTION_FLAG,
				.at = AT(lossy) },
		{ "recover", 0, "FRAME", "Read a damaged .pica: the frames before the damage, or the "
				"undamaged ones around FRAME", OPTION_CALL, .at = 0,
						.parse = parse_recover,
				.is_arg_optional = true },
		TRUST_LOADS_ROW(AT(r.trust_loads)),
		PROGRESS_ROW(AT(progress), false),
	};
	static const struct option_spec spec = {
		.forms = "CAPTURE OUT",
		.doc = "Converts a capture to the form that the name of OUT gives: .pica, .ctf or .ctf.zst. "
		       "For a .pica it is drawn, and its pictures are stored as the expected ones.",
		.tables = { OPTION_TABLE(rows, 0, AT(given)), ENGINE_TABLES(AT(r.engine)) },
		.min_args = 2,
		.max_args = 2,
		.expected = "two names: CAPTURE and OUT",
	};
	struct options o = {
		.r = { .tool = "pica convert", .last = FRAME_LAST, .key_frames = 60 }
	};
	engine_options_init(&o.r.engine);
	const struct option_args args = options_parse(&spec, argc, argv, &o);
	log_show_progress(o.progress);
	o.r.in = args.v[0];
	o.r.out = args.v[1];

	const bool to_pica = file_ends_with(o.r.out, ".pica");
	if (!to_pica && !file_ends_with(o.r.out, ".ctf") && !file_ends_with(o.r.out, ".ctf.zst")) {
		return log_fail("%s: expected a name that ends in .pica, .ctf or .ctf.zst", o.r.out);
	}
	const char *of_pica = o.r.engine.given & ENGINE_ARITHMETIC ? "--float and --combiner" :
			o.given & PICA_LEVEL                         ? "--level" :
			o.given & PICA_KEYS                          ? "--keys" :
								       NULL;
	if (!to_pica && of_pica) {
		return log_fail("%s: %s: for a .pica alone", o.r.out, of_pica);
	}
	if (file_is_same(o.r.in, o.r.out)) {
		return log_fail("%s: this is the capture itself: expected another name", o.r.out);
	}
	struct pica_capture *capture;
	struct pica_capture_info info;
	int exit = o.recover ? recover(&capture, &o) : capture_open(&capture, o.r.in);
	if (exit != EXIT_FINE) {
		return exit;
	}
	pica_capture_trust_loads(capture, o.r.trust_loads);
	if (to_pica) {
		exit = repack(&o.r, capture);
		if (exit == EXIT_FINE) {
			convert_report_sizes(o.r.in, o.r.out);
		}
	} else {
		pica_capture_info(capture, &info);
		if (info.chip != PICA_CHIP_PICA200) {
			pica_capture_close(capture);
			return log_fail("%s: a capture of a %s: a .ctf holds those of a PICA200",
					o.r.in, pica_chip_name(info.chip));
		}
		o.r.engine.float_mode = info.float_mode;
		o.r.engine.combiner = info.combiner;
		exit = to_ctf(&(struct to_ctf_options){ o.r.in, o.r.out, o.lossy, &o.r.engine },
				capture);
	}
	pica_capture_close(capture);
	return exit;
}
