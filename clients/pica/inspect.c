/* pica inspect: frames of a capture as a page for a browser. */
#include <errno.h>
#include <stddef.h>

#include "inspect/engine.h"
#include "lint/lint.h"
#include "pictures/file.h"
#include "verbs.h"

struct options {
	struct inspect_options i;
	const char *capture;
	const char *other; /* the second of two, or NULL */
	uint32_t port;
	bool stdio;
	unsigned given;
};

enum { GIVEN_PORT = 1, GIVEN_FRAMES = 2 };

static void check(void *input, struct option_args args) {
	struct options *o = input;
	o->capture = args.v[0];
	o->other = args.n > 1 ? args.v[1] : NULL;
	if (o->i.out && o->other) {
		options_fail("-o: expected one capture: two are compared by a server");
	}
	if (o->i.out && (o->stdio || o->given & GIVEN_PORT)) {
		options_fail("-o: a written page is not served: expected no --port and no --stdio");
	}
	if (o->stdio && o->given & GIVEN_PORT) {
		options_fail("--stdio: expected no --port");
	}
	if (!o->i.out && o->given & GIVEN_FRAMES) {
		options_fail("--frames: expected -o as well: a served page has all frames");
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
	int ret = inspect_gather(&g, c, &o->i.frames, NULL);
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

static int write_page(const struct options *o) {
	struct capture_here c;
	if (file_is_same(o->capture, o->i.out)) {
		return log_fail("%s: this is the capture itself: expected another name", o->i.out);
	}
	int exit = capture_here_open(&c, o->capture, &o->i.engine);
	exit = exit == EXIT_FINE ? inspect(o, &c) : exit;
	capture_here_close(&c);
	return exit;
}

static int answer(const struct options *o) {
	struct inspect_engine e, other = { 0 };
	int exit = inspect_engine_open(&e, o->capture, &o->i.engine);
	if (exit == EXIT_FINE && o->other) {
		exit = inspect_engine_open(&other, o->other, &o->i.engine);
		exit = exit == EXIT_FINE ? capture_is_pica200(e.here.capture, o->capture) : exit;
		exit = exit == EXIT_FINE ? capture_is_pica200(other.here.capture, o->other) : exit;
		e.other = &other;
	}
	if (exit == EXIT_FINE) {
		exit = o->stdio ? inspect_stdio(&e) : inspect_serve(&e, o->port);
	}
	inspect_engine_close(&other);
	inspect_engine_close(&e);
	return exit;
}

#define AT(member) offsetof(struct options, member)

int verb_inspect(int argc, char **argv) {
	static const struct option_row rows[] = {
		{ "output", 'o', "FILE", "Write the page into this file, which needs no server",
				OPTION_TEXT, .at = AT(i.out) },
		{ "frames", 0, "LIST",
				"With -o: 0,3-7,last or all, counted from 0 (default: last)",
				OPTION_CALL, .at = AT(i.frames), .words = frames_words,
				.parse = frames_option, .given = GIVEN_FRAMES },
		{ "port", 0, "N", "Where the page is served (default: any that is free)", OPTION_U32,
				.at = AT(port), .max = 65535, .given = GIVEN_PORT },
		{ "stdio", 0, NULL, "Answer calls on standard input and output, for programs",
				OPTION_FLAG, .at = AT(stdio) },
		PROGRESS_ROW(AT(i.progress), false),
	};
	static const struct option_spec spec = {
		.forms = "CAPTURE\nA B\n-o FILE CAPTURE\n--stdio CAPTURE [B]",
		.doc = "Serves a page for a browser on this machine: draws of a capture, their state, "
		       "and for each pixel what made it. Of two captures, compares draws, from "
		       "the first difference on. With -o, writes frames as one page that needs no "
		       "network.",
		.tables = { OPTION_TABLE(rows, 0, AT(given)), ENGINE_SERIAL_TABLES(AT(i.engine)) },
		.min_args = 1,
		.max_args = 2,
		.at_most = "two captures",
		.expected = "a capture",
		.check = check,
	};
	struct options o = { .capture = NULL };
	frame_list_parse(&o.i.frames, "last");
	engine_options_init(&o.i.engine);
	o.i.engine.threads = 0;
	options_parse(&spec, argc, argv, &o);
	log_show_progress(o.i.progress);
	return o.i.out ? write_page(&o) : answer(&o);
}
