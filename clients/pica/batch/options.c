#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_JOBS = OPTION_VERB,
	OPTION_FRAMES,
	OPTION_VERIFY,
	OPTION_GOLDEN,
	OPTION_BLESS,
	OPTION_TOLERANCE,
	OPTION_PIXELS,
	OPTION_PICTURES,
	OPTION_SHARD,
	OPTION_TIMEOUT,
	OPTION_MEMORY,
	OPTION_JSON,
	OPTION_PROGRESS,
};

/* Groups of options, which belong to some of the actions. */
enum {
	GIVEN_SETTINGS = 1, /* what a plan fixes */
	GIVEN_LIMITS = 2,   /* how units are run */
	GIVEN_SHARD = 4,
	GIVEN_VERIFY = 8,
	GIVEN_BLESS = 16,
};

enum { MAX_JOBS = 1024, MAX_SHARDS = 65536, DEFAULT_TIMEOUT = 600, DEFAULT_MEMORY_MIB = 4096 };

static const struct action {
	const char *name;
	const char *wants; /* what stands behind the name */
	unsigned allowed;  /* GIVEN_... */
	unsigned min_args, max_args;
} actions[] = {
	[BATCH_ALL] = { "a batch", "captures, folders or lists",
			GIVEN_SETTINGS | GIVEN_LIMITS | GIVEN_VERIFY | GIVEN_BLESS, 1,
			(unsigned)-1 },
	[BATCH_PLAN] = { "plan", "captures, folders or lists", GIVEN_SETTINGS | GIVEN_VERIFY, 1,
			(unsigned)-1 },
	[BATCH_RUN] = { "run", "one plan", GIVEN_LIMITS | GIVEN_SHARD, 1, 1 },
	[BATCH_MERGE] = { "merge", "a plan, and folders of results", GIVEN_VERIFY, 1,
			(unsigned)-1 },
};

/* "I/N", I from 1 to N. */
static bool parse_shard(struct batch_options *o, const char *arg) {
	char text[32], *rest = text;
	uint64_t shard, n;
	if (strlen(arg) >= sizeof(text)) {
		return false;
	}
	strcpy(text, arg);
	const char *first = strsep(&rest, "/");
	if (!rest || !parse_number(first, MAX_SHARDS, &shard) ||
			!parse_number(rest, MAX_SHARDS, &n) || shard < 1 || shard > n) {
		return false;
	}
	o->shard = (unsigned)shard - 1;
	o->n_shards = (unsigned)n;
	return true;
}

/* Seconds, perhaps with digits behind a point. */
static bool parse_seconds(const char *arg, uint64_t *ns) {
	char *end;
	if (!isdigit((unsigned char)arg[0])) {
		return false;
	}
	const double seconds = strtod(arg, &end);
	if (*end || !(seconds <= 1e7)) {
		return false;
	}
	*ns = (uint64_t)(seconds * 1e9);
	return *ns > 0 || seconds == 0;
}

static bool parse_u32(const char *arg, uint64_t min, uint64_t max, uint32_t *out) {
	uint64_t n;
	if (!parse_number(arg, max, &n) || n < min) {
		return false;
	}
	*out = (uint32_t)n;
	return true;
}

/* Options that a plan fixes; NULL, or what is wrong. */
static const char *parse_setting(struct batch_options *o, int key, char *arg) {
	struct batch_settings *s = &o->settings;
	o->given |= GIVEN_SETTINGS;
	switch (key) {
	case OPTION_FRAMES:
		s->frames_text = arg;
		return frame_list_parse(&s->frames, arg);
	case OPTION_GOLDEN:
		s->golden = arg;
		return *arg ? NULL : "expected a folder";
	case OPTION_TOLERANCE:
		return parse_u32(arg, 0, 255, &s->tolerance) ? NULL :
							       "expected a number from 0 to 255";
	case OPTION_PIXELS:
		return parse_u32(arg, 0, UINT32_MAX, &s->allowed) ? NULL :
								    "expected a number of pixels";
	default:
		o->pictures_given = true;
		s->pictures = batch_pictures_from_name(arg);
		return s->pictures == BATCH_PICTURES_COUNT ? "expected all, wrong or none" : NULL;
	}
}

/* Options of how units are run, likewise. */
static const char *parse_limit(struct batch_options *o, int key, char *arg) {
	uint64_t n;
	o->given |= GIVEN_LIMITS;
	switch (key) {
	case OPTION_JOBS:
		return parse_u32(arg, 1, MAX_JOBS, &o->limits.jobs) ?
				NULL :
				"expected a number from 1 to 1024";
	case OPTION_TIMEOUT:
		return parse_seconds(arg, &o->limits.timeout_ns) ? NULL : "expected seconds";
	default:
		if (!parse_number(arg, UINT32_MAX, &n)) {
			return "expected a number of MiB";
		}
		o->limits.memory_bytes = n << 20;
		return NULL;
	}
}

static void take_arguments(struct batch_options *o, char **args, unsigned n) {
	for (unsigned i = BATCH_PLAN; i <= BATCH_MERGE; i++) {
		if (strcmp(args[0], actions[i].name) == 0) {
			o->action = (enum batch_action)i;
			args++;
			n--;
			break;
		}
	}
	o->args = args;
	o->n_args = n;
}

/* What contradicts itself, as a usage error. */
static void check(const struct batch_options *o, struct argp_state *state) {
	const struct action *a = &actions[o->action];
	const unsigned wrong = o->given & ~a->allowed;
	const struct engine_options *e = &o->limits.engine;
	if (o->n_args < a->min_args || o->n_args > a->max_args) {
		argp_error(state, "%s: expected %s", a->name, a->wants);
	} else if (!o->output) {
		argp_error(state, "expected -o and %s",
			o->action == BATCH_PLAN ? "a file for the plan" : "a folder");
	} else if (wrong & GIVEN_BLESS) {
		argp_error(state, "--bless: pictures are blessed by one run, without a plan");
	} else if (wrong & GIVEN_SHARD) {
		argp_error(state, "--shard: belongs to run");
	} else if (o->json && o->action == BATCH_PLAN) {
		argp_error(state, "plan: is JSON already; -o - prints it");
	} else if (wrong & GIVEN_VERIFY) {
		argp_error(state, "--verify: belongs to plan and merge");
	} else if ((wrong & GIVEN_SETTINGS) ||
			(!(a->allowed & GIVEN_SETTINGS) && e->arithmetic_given)) {
		argp_error(state, "%s: what is drawn and compared stands in the plan", a->name);
	} else if ((wrong & GIVEN_LIMITS) || (!(a->allowed & GIVEN_LIMITS) && e->running_given)) {
		argp_error(state,
				"%s: draws nothing; --jobs, --timeout, --memory, --threads, --isa and -v belong to run",
				a->name);
	} else if (o->settings.bless && !o->settings.golden) {
		argp_error(state, "--bless: expected --golden and a folder");
	} else if ((o->settings.tolerance || o->settings.allowed) && !o->settings.golden) {
		argp_error(state,
				"--tolerance and --pixels: expected --golden; hashes are equal or not");
	}
}

static error_t parse(int key, char *arg, struct argp_state *state) {
	struct batch_options *o = state->input;
	const char *error = NULL;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->limits.engine;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPTION_FRAMES:
	case OPTION_GOLDEN:
	case OPTION_TOLERANCE:
	case OPTION_PIXELS:
	case OPTION_PICTURES:
		error = parse_setting(o, key, arg);
		break;
	case OPTION_JOBS:
	case OPTION_TIMEOUT:
	case OPTION_MEMORY:
		error = parse_limit(o, key, arg);
		break;
	case OPTION_VERIFY:
		o->verify = true;
		o->given |= GIVEN_VERIFY;
		return 0;
	case OPTION_BLESS:
		o->settings.bless = true;
		o->given |= GIVEN_BLESS;
		return 0;
	case OPTION_SHARD:
		o->given |= GIVEN_SHARD;
		if (!parse_shard(o, arg)) {
			error = "expected I/N, as in 1/8";
		}
		break;
	case OPTION_JSON:
		o->json = true;
		return 0;
	case OPTION_PROGRESS:
		error = parse_progress(arg, &o->progress);
		break;
	case ARGP_KEY_ARGS:
		take_arguments(o, state->argv + state->next, (unsigned)(state->argc - state->next));
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "expected captures, folders or lists, or plan, run or merge");
		return EINVAL;
	case ARGP_KEY_END:
		check(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return error ? option_error(state, key, arg, error) : 0;
}

static const struct argp_option argp_options[] = {
	{ .name = "output",
		.key = 'o',
		.arg = "PATH",
		.group = 1,
		.doc = "Folder of results and reports; plan: the file" },
	{ .name = "frames",
		.key = OPTION_FRAMES,
		.arg = "LIST",
		.group = 1,
		.doc = "0,3-7,last or all (default: last, --verify: all)" },
	{ .name = "verify",
		.key = OPTION_VERIFY,
		.group = 2,
		.doc = "Expect what each .pica says; merge: check results" },
	{ .name = "golden",
		.key = OPTION_GOLDEN,
		.arg = "DIR",
		.group = 2,
		.doc = "Compare with the PNG pictures of a folder" },
	{ .name = "bless",
		.key = OPTION_BLESS,
		.group = 2,
		.doc = "Make golden what is drawn, and say what changes" },
	{ .name = "tolerance",
		.key = OPTION_TOLERANCE,
		.arg = "N",
		.flags = OPTION_HIDDEN,
		.group = 2,
		.doc = "Of a channel, 0-255 (default: 0)" },
	{ .name = "pixels",
		.key = OPTION_PIXELS,
		.arg = "N",
		.flags = OPTION_HIDDEN,
		.group = 2,
		.doc = "So many may differ by more (default: 0)" },
	{ .name = "pictures",
		.key = OPTION_PICTURES,
		.arg = "all|wrong|none",
		.flags = OPTION_HIDDEN,
		.group = 2,
		.doc = "Which are kept (default: wrong if compared, else all)" },
	{ .name = "jobs",
		.key = OPTION_JOBS,
		.arg = "N",
		.group = 3,
		.doc = "Captures drawn at once (default: the CPUs)" },
	{ .name = "timeout",
		.key = OPTION_TIMEOUT,
		.arg = "SECONDS",
		.group = 3,
		.doc = "Of each capture; 0: none (default: 600)" },
	{ .name = "memory",
		.key = OPTION_MEMORY,
		.arg = "MIB",
		.flags = OPTION_HIDDEN,
		.group = 3,
		.doc = "Of each capture; 0: no limit (default: 4096)" },
	{ .name = "shard",
		.key = OPTION_SHARD,
		.arg = "I/N",
		.group = 3,
		.doc = "run: part I of N (default: 1/1)" },
	{ .name = "json", .key = OPTION_JSON, .group = 4, .doc = "Summary on stdout as JSON" },
	{ .name = "progress",
		.key = OPTION_PROGRESS,
		.arg = "WHEN",
		.flags = OPTION_HIDDEN,
		.group = 4,
		.doc = "auto (on a terminal), always or never" },
	{ 0 },
};

/* What the settings imply. */
static void settle(struct batch_options *o) {
	struct batch_settings *s = &o->settings;
	const bool is_drawing = o->action == BATCH_ALL || o->action == BATCH_PLAN;
	s->verify = o->verify && is_drawing;
	s->float_mode = o->limits.engine.float_mode;
	s->combiner = o->limits.engine.combiner;
	if (!s->frames_text) {
		s->frames_text = s->verify ? "all" : "last";
		frame_list_parse(&s->frames, s->frames_text);
	}
	if (!o->pictures_given) {
		s->pictures = s->verify || s->golden ? BATCH_PICTURES_WRONG : BATCH_PICTURES_ALL;
	}
}

void batch_options_parse(struct batch_options *o, int argc, char **argv) {
	static const struct argp_child children[] = { { .argp = &engine_serial_argp }, { 0 } };
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.children = children,
		.args_doc = "CAPTURE|DIR|LIST...\nplan CAPTURE|DIR|LIST...\nrun PLAN\nmerge PLAN [DIR...]",
		.doc = "Draws many captures, compares, and reports; what is done already is not done again. A "
		       "LIST is a "
		       ".txt file or @FILE. plan, run and merge share the work out to many machines."
	};
	*o = (struct batch_options){ .n_shards = 1 };
	engine_options_init(&o->limits.engine);
	o->limits.engine.threads = 0;
	o->limits.timeout_ns = DEFAULT_TIMEOUT * UINT64_C(1000000000);
	o->limits.memory_bytes = (uint64_t)DEFAULT_MEMORY_MIB << 20;
	o->limits.jobs = engine_cpus();
	options_parse(&argp, argc, argv, 0, o);
	settle(o);
}
