/* pica VERB ...: finds the verb and hands over. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/options.h"
#include "core/base/attributes.h"
#include "pica.h"
#include "verbs.h"

static const struct verb {
	const char *name;
	const char *program; /* as it calls itself in messages */
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "render", "pica render", verb_render },
	{ "info", "pica info", verb_info },
	{ "shader", "pica shader", verb_shader },
	{ "bench", "pica bench", verb_bench },
	{ "dump", "pica dump", verb_dump },
	{ "diff", "pica diff", verb_diff },
	{ "convert", "pica convert", verb_convert },
	{ "trim", "pica trim", verb_trim },
	{ "verify", "pica verify", verb_verify },
	{ "lint", "pica lint", verb_lint },
	{ "batch", "pica batch", verb_batch },
	{ "submit", "pica submit", verb_submit },
	{ "sessions", "pica sessions", verb_sessions },
	{ "top", "pica top", verb_top },
	{ "kick", "pica kick", verb_kick },
	{ "record", "pica record", verb_record },
	{ "metrics", "pica metrics", verb_metrics },
	{ "view", "pica view", verb_view },
	{ "play", "pica play", verb_play },
	{ "focus", "pica focus", verb_focus },
	{ "screenshot", "pica screenshot", verb_screenshot },
};

struct arguments {
	int verb_at; /* index of the verb in argv, 0: none */
};

static error_t parse(int key, char *arg, struct argp_state *state) {
	struct arguments *a = state->input;
	switch (key) {
	case ARGP_KEY_ARG:
		a->verb_at = state->next - 1;
		state->next = state->argc; /* the rest is the verb's */
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "expected a verb; --help lists them");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void print_version(FILE *out, struct argp_state *state) {
	uint32_t v = pica_version();
	fprintf(out, "pica %u.%u.%u\n", v >> 16, v >> 8 & 0xFF, v & 0xFF);
}

static const struct verb *find_verb(const char *name) {
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		if (strcmp(verbs[i].name, name) == 0) {
			return &verbs[i];
		}
	}
	return NULL;
}

int main(int argc, char **argv) {
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "VERB ...",
		.doc = "A software renderer of the PICA200, the GPU of the Nintendo 3DS.\v"
			"Verbs (`pica VERB --help' tells more):\n"
			"  render     draw the pictures of captures: PNG, PPM, QOI or hashes\n"
			"  info       what a capture holds, uses and lacks\n"
			"  shader     assemble and disassemble shader programs\n"
			"  bench      measure how fast captures are drawn\n"
			"  dump       command lists, and the state that a draw sees\n"
			"  diff       the first frame, draw and pixel that differ\n"
			"  convert    captures from one form into the other\n"
			"  trim       some frames of a capture, as a capture of their own\n"
			"  verify     whether captures are whole\n"
			"  lint       what would hang or misbehave on the console\n"
			"  batch      draw and compare many captures, and report\n"
			"  submit     let a service run command lists from files\n"
			"  sessions   who uses a service\n"
			"  top        what the sessions of a service do, live\n"
			"  kick       end sessions of a service\n"
			"  record     let a service record sessions\n"
			"  metrics    numbers of a service, as text for Prometheus\n"
			"  view       show a capture in a terminal, or on the machine's display\n"
			"  play       show captures on the display of a service\n"
			"  focus      whom a service shows on its display\n"
			"  screenshot what that display shows\n\n"
			"Exit status: 0 fine, 1 pictures differ, 2 used wrongly or trouble,\n"
			"3 bad capture, 4 no service, 5 timeout, 6 findings.",
	};
	struct arguments a = { 0 };
	char name[] = "pica"; /* whatever path it was called by */
	argp_program_version_hook = print_version;
	if (argc > 0) {
		argv[0] = name;
	}
	options_parse(&argp, argc, argv, ARGP_IN_ORDER, &a);
	const struct verb *verb = find_verb(argv[a.verb_at]);
	if (!verb) {
		talk("no verb is named %s; `pica --help' lists them", argv[a.verb_at]);
		return EXIT_TROUBLE;
	}
	char program[32];
	snprintf(program, sizeof(program), "%s", verb->program);
	argv[a.verb_at] = program;
	talk_begin(verb->program, PROGRESS_NEVER);
	int exit = verb->run(argc - a.verb_at, argv + a.verb_at);
	json_settle();
	return talk_close_stdout(exit);
}
