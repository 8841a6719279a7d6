/* pica verify: checks every byte of captures. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/json.h"
#include "common/options.h"
#include "pictures/plain.h"
#include "verbs.h"

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
	log_capture_error(f->path, error);
	if (f->errors) {
		json_array_append_new(f->errors, json_last_error());
	}
}

/* One capture; reports: NULL for text. */
static int verify(const void *options, const char *path, json_t *reports) {
	(void)options;
	struct pica_capture *capture = NULL;
	struct pica_capture_info info = { 0 };
	unsigned n_expected = 0;
	struct found found = { .path = path, .errors = reports ? json_array() : NULL };
	int exit = capture_open(&capture, path);
	if (exit != EXIT_FINE && found.errors) {
		json_array_append_new(found.errors, json_last_error());
	}
	if (exit == EXIT_FINE) {
		pica_capture_info(capture, &info);
		int ret = pica_capture_verify_all(capture, on_found, &found);
		if (ret < 0 && ret != -ENOMEM) {
			exit = EXIT_BAD_CAPTURE; /* and the damage was logged */
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
	static const struct option_row rows[] = { JSON_ROW(0) };
	static const struct option_spec spec = {
		SPEC_CAPTURES,
		.doc = "Checks every byte of captures: hashes, sizes, events. Nothing is drawn; `pica render "
		       "--verify' does that.",
		.tables = { OPTION_TABLE(rows, 0, 0) },
	};
	bool json = false;
	const struct option_args captures = options_parse(&spec, argc, argv, &json);
	return json_captures("verify", &captures, json, verify, NULL);
}
