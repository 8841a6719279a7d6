/* pica verify: whether captures are whole. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/options.h"
#include "pictures/plain.h"
#include "verbs.h"

enum { OPTION_JSON = OPTION_VERB };

struct options {
	char **captures;
	unsigned n_captures;
	bool json;
};

static error_t parse(int key, char *arg, struct argp_state *state) {
	struct options *o = state->input;
	switch (key) {
	case OPTION_JSON:
		o->json = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->captures = state->argv + state->next;
		o->n_captures = (unsigned)(state->argc - state->next);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "expected a capture");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static unsigned expected_pictures(const struct pica_capture *capture, uint32_t n_frames) {
	unsigned sum = 0;
	for (uint32_t frame = 0; frame < n_frames; frame++) {
		uint32_t n;
		pica_capture_expected(capture, frame, &n);
		sum += n;
	}
	return sum;
}

struct found {
	const char *path;
	json_t *errors; /* NULL for text */
};

static void on_found(void *user, const struct pica_capture_error *error) {
	struct found *f = user;
	talk_capture_error(f->path, error);
	if (f->errors) {
		json_array_append_new(f->errors, json_last_error());
	}
}

/* One capture; reports: NULL for text. */
static int verify(const char *path, json_t *reports) {
	struct pica_capture *capture = NULL;
	struct pica_capture_error error = { 0 };
	struct pica_capture_info info = { 0 };
	unsigned n_expected = 0;
	struct found found = { .path = path, .errors = reports ? json_array() : NULL };
	int exit = capture_open(&capture, path, &error);
	if (exit != EXIT_FINE && found.errors) {
		json_array_append_new(found.errors, json_last_error());
	}
	if (exit == EXIT_FINE) {
		pica_capture_info(capture, &info);
		int ret = pica_capture_verify_all(capture, on_found, &found);
		if (ret < 0 && ret != -ENOMEM) {
			exit = EXIT_BAD_CAPTURE; /* and it was said what is damaged */
		} else if (ret < 0) {
			exit = capture_failed(capture, path, ret);
		} else {
			n_expected = expected_pictures(capture, info.frames);
		}
	}
	if (reports) {
		json_t *row = json_pack("{so sb sI sI sI sI}", "path", json_text(path), "whole",
				exit == EXIT_FINE, "version", (json_int_t)info.version, "frames",
				(json_int_t)info.frames, "keys", (json_int_t)info.keys, "expected",
				(json_int_t)n_expected);
		if (exit != EXIT_FINE) {
			json_object_set(row, "errors", found.errors);
		}
		json_decref(found.errors);
		json_array_append_new(reports, row);
	} else if (exit == EXIT_FINE && info.form == PICA_CAPTURE_PICA) {
		plain_write(stdout, path);
		printf(": whole, version %" PRIu32 ", %" PRIu32 " frames, %" PRIu32
		       " keys, %u expected pictures%s\n",
				info.version, info.frames, info.keys, n_expected,
				n_expected	   ? "" :
						info.frames ? " (no screen was set)" :
						" (no frame ends in it)");
	} else if (exit == EXIT_FINE) {
		plain_write(stdout, path);
		printf(": whole, %" PRIu32 " frames\n", info.frames);
	}
	pica_capture_close(capture);
	return exit;
}

int verb_verify(int argc, char **argv) {
	static const struct argp_option argp_options[] = {
		{ .name = "json", .key = OPTION_JSON, .doc = "Report on stdout as JSON" },
		{ 0 },
	};
	static const struct argp argp = { .options = argp_options,
		.parser = parse,
		.args_doc = "CAPTURE...",
		.doc = "Checks every byte of captures: hashes, sizes, events. Nothing is drawn; `pica render "
		       "--verify' does that." };
	struct options o = { 0 };
	options_parse(&argp, argc, argv, 0, &o);
	talk_begin("pica verify", PROGRESS_NEVER);
	json_t *reports = o.json ? json_array() : NULL;
	int exit = EXIT_FINE;
	for (unsigned i = 0; i < o.n_captures; i++) {
		int code = verify(o.captures[i], reports);
		exit = code > exit ? code : exit;
	}
	if (reports) {
		json_t *report = json_report("verify");
		json_object_set_new(report, "captures", reports);
		if (json_print(report) < 0) {
			talk("%s", strerror(ENOMEM));
			exit = exit < EXIT_TROUBLE ? EXIT_TROUBLE : exit;
		}
	}
	return exit;
}
