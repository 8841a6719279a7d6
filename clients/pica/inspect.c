/* pica inspect: frames of a capture as a page for a browser. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "inspect/inspect.h"
#include "lint/lint.h"
#include "pictures/file.h"
#include "verbs.h"

struct options {
	struct inspect_options i;
	const char *capture;
};

static void check(void *input, struct option_args args) {
	struct options *o = input;
	o->capture = args.v[0];
	if (!o->i.out) {
		options_fail("expected -o FILE, the page to write");
	}
}

static int inspect(const struct options *o, struct capture_here *c) {
	const uint32_t n = capture_frames(c->capture);
	const uint32_t end = frame_list_end(&o->i.frames, n);
	if (!capture_has_frame(o->capture, n, end)) {
		return EXIT_TROUBLE;
	}
	json_t *findings = lint_findings(o->capture);
	struct inspect g = { 0 };
	if (!findings) {
		return EXIT_TROUBLE;
	}
	int ret = inspect_gather(&g, c, &o->i.frames);
	log_end();
	int exit = EXIT_FINE;
	if (ret == -EFBIG) {
		exit = log_fail("%s: these frames are more than %d MiB of pictures; choose fewer with "
				"--frames", o->capture, INSPECT_BLOB_BYTES >> 20);
	} else if (ret < 0) {
		exit = capture_failed(c->capture, o->capture, ret);
	} else {
		exit = replay_job_failed(&g.step.replay, o->capture);
		ret = inspect_page_write(&g, c, findings, o->i.out);
		exit = worse(exit, log_result(o->i.out, ret));
	}
	inspect_finish(&g);
	json_decref(findings);
	return exit;
}

#define AT(member) offsetof(struct options, member)

int verb_inspect(int argc, char **argv) {
	static const struct option_row rows[] = {
		{ "output", 'o', "FILE", "Write the page into this file", OPTION_TEXT,
				.at = AT(i.out) },
		FRAMES_ROW(AT(i.frames), "last"),
		PROGRESS_ROW(AT(i.progress), false),
	};
	static const struct option_spec spec = {
		.forms = "-o FILE CAPTURE",
		.doc = "Writes frames of a capture as one page for a browser, which needs no network: "
		       "draws, their state, and for each pixel the draws that made it.",
		.tables = { OPTION_TABLE(rows, 0, 0), ENGINE_SERIAL_TABLES(AT(i.engine)) },
		.min_args = 1,
		.max_args = 1,
		.expected = "a capture",
		.check = check,
	};
	struct options o = { .capture = NULL };
	frame_list_parse(&o.i.frames, "last");
	engine_options_init(&o.i.engine);
	o.i.engine.threads = 0;
	options_parse(&spec, argc, argv, &o);
	log_show_progress(o.i.progress);
	if (file_is_same(o.capture, o.i.out)) {
		return log_fail("%s: this is the capture itself: expected another name", o.i.out);
	}
	struct capture_here c;
	int exit = capture_here_open(&c, o.capture, &o.i.engine);
	exit = exit == EXIT_FINE ? capture_is_pica200(c.capture, o.capture) : exit;
	exit = exit == EXIT_FINE ? inspect(&o, &c) : exit;
	capture_here_close(&c);
	return exit;
}
