/* pica VERB ...: finds and runs the verb. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/options.h"
#include "common/output.h"
#include "core/base/attributes.h"
#include "pica.h"
#include "verbs.h"

static const struct verb {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "render", "draw the pictures of captures: PNG, PPM, QOI or hashes", verb_render },
	{ "info", "what a capture holds, uses and lacks", verb_info },
	{ "host-run", "run a program of the console that is built for this machine", verb_host_run },
	{ "shader", "assemble and disassemble shader programs", verb_shader },
	{ "bench", "measure how fast captures are drawn", verb_bench },
	{ "dump", "command lists, and the state that a draw sees", verb_dump },
	{ "draws", "a row for each draw, fill and transfer, with its cost", verb_draws },
	{ "pixel", "what touched a pixel, and why it has its colour", verb_pixel },
	{ "assert-pixel", "whether a pixel has a colour, for scripts", verb_assert_pixel },
	{ "inspect", "a capture in a browser: draws, state, pixels", verb_inspect },
	{ "diff", "the first frame, draw and pixel that differ", verb_diff },
	{ "convert", "captures from one form into the other", verb_convert },
	{ "trim", "some frames of a capture, as a capture of their own", verb_trim },
	{ "minimise", "the smallest capture for which a condition holds", verb_minimise },
	{ "verify", "whether captures are whole", verb_verify },
	{ "conform", "cases with known pictures, for any renderer", verb_conform },
	{ "lint", "what would hang or misbehave on the console", verb_lint },
	{ "batch", "draw and compare many captures, and report", verb_batch },
	{ "submit", "let a service run command lists from files", verb_submit },
	{ "sessions", "who uses a service", verb_sessions },
	{ "top", "what the sessions of a service do, live", verb_top },
	{ "kick", "end sessions of a service", verb_kick },
	{ "record", "let a service record sessions", verb_record },
	{ "metrics", "numbers of a service, as text for Prometheus", verb_metrics },
	{ "view", "show a capture in a terminal, in a window, or on a display", verb_view },
	{ "play", "show captures on the display of a service", verb_play },
	{ "focus", "whom a service shows on its display", verb_focus },
	{ "screenshot", "what that display shows", verb_screenshot },
};

/* Returns the verbs and the exit codes, printed after the options. */
static char *make_notes(void) {
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f) {
		return NULL;
	}
	fputs("Verbs (`pica help VERB' tells more):\n", f);
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		fprintf(f, "  %-12s %s\n", verbs[i].name, verbs[i].help);
	}
	fputs("\nExit status: 0 fine, 1 pictures differ, 2 used wrongly or trouble,\n"
	      "3 bad capture, 4 no service, 5 timeout, 6 findings.", f);
	return fclose(f) == 0 ? text : NULL;
}

static const struct verb *find_verb(const char *name) {
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		if (strcmp(verbs[i].name, name) == 0) {
			return &verbs[i];
		}
	}
	return NULL;
}

/* Logs that the verb does not exist, and suggests a similar one. */
static int no_verb(const char *name) {
	const char *words[ARRAY_LEN(verbs) + 1] = { NULL };
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		words[i] = verbs[i].name;
	}
	const char *meant = option_nearest(words, name);
	return meant ? log_fail("no verb is named %s: did you mean %s?", name, meant) :
		       log_fail("no verb is named %s; `pica --help' lists them", name);
}

int main(int argc, char **argv) {
	static char name[] = "pica"; /* independent of the path */
	char version[32], program[32];
	const uint32_t v = pica_version();
	char *notes = make_notes();
	const struct option_spec spec = {
		.forms = "VERB ...",
		.doc = "A software renderer of the PICA200, the GPU of the Nintendo 3DS.",
		.notes = notes,
		.min_args = 1,
		.max_args = OPTION_ANY,
		.expected = "a verb; --help lists them",
		.is_in_order = true,
	};
	snprintf(version, sizeof(version), "pica %u.%u.%u", v >> 16, v >> 8 & 0xFF, v & 0xFF);
	options_set_version(version);
	if (argc > 0) {
		argv[0] = name;
	}
	struct option_args args = options_parse(&spec, argc, argv, NULL);
	char *help[] = { name, (char[]){ "--help" }, NULL };
	if (strcmp(args.v[0], "help") == 0) {
		if (args.n < 2) {
			options_parse(&spec, 2, help, NULL);
		}
		help[0] = args.v[1];
		args = (struct option_args){ help, 2 };
	}
	free(notes);
	const struct verb *verb = find_verb(args.v[0]);
	if (!verb) {
		return no_verb(args.v[0]);
	}
	snprintf(program, sizeof(program), "pica %s", verb->name);
	args.v[0] = program;
	log_begin(program);
	int exit = verb->run((int)args.n, args.v);
	json_keep_promise();
	exit = log_close_stdout(exit);
	output_page_end();
	return exit;
}
