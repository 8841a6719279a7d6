#include "batch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Groups of options, which belong to some of the actions. */
enum {
	GIVEN_SETTINGS = 1, /* fixed by a plan */
	GIVEN_LIMITS = 2,   /* how units are run */
	GIVEN_SHARD = 4,
	GIVEN_VERIFY = 8,
	GIVEN_BLESS = 16,
	GIVEN_PICTURES = 32 | GIVEN_SETTINGS,
};

enum { MAX_JOBS = 1024, MAX_SHARDS = 65536, DEFAULT_TIMEOUT = 600, DEFAULT_MEMORY_MIB = 4096 };

static const struct action {
	const char *name;
	const char *wants; /* the text after the name */
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
static const char *parse_shard(void *options, char *arg) {
	struct batch_options *o = options;
	char text[32], *rest = text;
	uint64_t shard, n;
	snprintf(text, sizeof(text), "%s", arg);
	const char *first = strsep(&rest, "/");
	if (strlen(arg) >= sizeof(text) || !rest || !parse_number(first, MAX_SHARDS, &shard) ||
			!parse_number(rest, MAX_SHARDS, &n) || shard < 1 || shard > n) {
		return "expected I/N, as in 1/8";
	}
	o->shard = (unsigned)shard - 1;
	o->n_shards = (unsigned)n;
	return NULL;
}

/* Seconds, perhaps with digits after a point. */
static const char *parse_seconds(void *out, char *arg) {
	char *end = arg;
	const double seconds = isdigit((unsigned char)arg[0]) ? strtod(arg, &end) : -1;
	if (*end || !(seconds >= 0 && seconds <= 1e7)) {
		return "expected seconds";
	}
	const uint64_t ns = (uint64_t)(seconds * 1e9);
	*(uint64_t *)out = ns;
	return ns > 0 || seconds == 0 ? NULL : "expected seconds";
}

static const char *parse_frames(void *settings, char *arg) {
	struct batch_settings *s = settings;
	s->frames_text = arg;
	return frame_list_parse(&s->frames, arg);
}

static const char *parse_golden(void *out, char *arg) {
	*(const char **)out = arg;
	return *arg ? NULL : "expected a folder";
}

static const char *parse_memory(void *bytes, char *arg) {
	uint64_t mib = 0;
	const bool is_number = parse_number(arg, UINT32_MAX, &mib);
	*(uint64_t *)bytes = mib << 20;
	return is_number ? NULL : "expected a number of MiB";
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

/* With --bless it is made. */
static void check_golden(const struct batch_settings *s) {
	struct stat st;
	if (s->golden && !s->bless && (stat(s->golden, &st) < 0 || !S_ISDIR(st.st_mode))) {
		options_fail("--golden %s: no such folder: expected one with PNG pictures; --bless makes it",
				s->golden);
	}
}

static void check(void *input, struct option_args args) {
	struct batch_options *o = input;
	take_arguments(o, args.v, args.n);
	const struct action *a = &actions[o->action];
	const unsigned wrong = o->given & ~a->allowed;
	const struct engine_options *e = &o->limits.engine;
	if (o->n_args < a->min_args || o->n_args > a->max_args) {
		options_fail("%s: expected %s", a->name, a->wants);
	} else if (!o->output) {
		options_fail("expected -o and %s",
			o->action == BATCH_PLAN ? "a file for the plan" : "a folder");
	} else if (wrong & GIVEN_BLESS) {
		options_fail("--bless: pictures are blessed by one run, without a plan");
	} else if (wrong & GIVEN_SHARD) {
		options_fail("--shard: belongs to run");
	} else if (o->json && o->action == BATCH_PLAN) {
		options_fail("plan: is JSON already; -o - prints it");
	} else if (wrong & GIVEN_VERIFY) {
		options_fail("--verify: belongs to plan and merge");
	} else if ((wrong & GIVEN_SETTINGS) ||
			(!(a->allowed & GIVEN_SETTINGS) && e->given & ENGINE_ARITHMETIC)) {
		options_fail("%s: what is drawn and compared stands in the plan", a->name);
	} else if ((wrong & GIVEN_LIMITS) ||
			(!(a->allowed & GIVEN_LIMITS) && e->given & ENGINE_RUNNING)) {
		options_fail("%s: draws nothing; --jobs, --timeout, --memory, --threads, --isa and -v "
			     "belong to run",
				a->name);
	} else if (o->settings.bless && !o->settings.golden) {
		options_fail("--bless: expected --golden and a folder");
	} else if ((o->settings.tolerance || o->settings.allowed) && !o->settings.golden) {
		options_fail("--tolerance and --pixels: expected --golden; hashes are equal or not");
	}
	check_golden(&o->settings);
}

#define AT(member) offsetof(struct batch_options, member)

static const struct option_row rows[] = {
	{ "output", 'o', "PATH", "Folder of results and reports; plan: the file", OPTION_TEXT,
			.at = AT(output) },
	{ "frames", 0, "LIST", "0,3-7,last or all (default: last, --verify: all)", OPTION_CALL,
			.at = AT(settings), .words = frames_words, .parse = parse_frames,
			.given = GIVEN_SETTINGS },
	{ "verify", 0, NULL, "Compare with each .pica's pictures; merge: check results", OPTION_FLAG,
			.at = AT(verify), .given = GIVEN_VERIFY },
	{ "golden", 0, "DIR", "Compare with the PNG pictures of a folder", OPTION_CALL,
			.at = AT(settings.golden), .parse = parse_golden, .given = GIVEN_SETTINGS },
	{ "bless", 0, NULL, "Update the golden pictures, and print the changes", OPTION_FLAG,
			.at = AT(settings.bless), .given = GIVEN_BLESS },
	{ "tolerance", 0, "N", "Of a channel, 0-255 (default: 0)", OPTION_U32,
			.at = AT(settings.tolerance), 0, 255, .given = GIVEN_SETTINGS,
			.is_hidden = true },
	{ "pixels", 0, "N", "So many may differ by more (default: 0)", OPTION_U32,
			.at = AT(settings.allowed), 0, UINT32_MAX, .given = GIVEN_SETTINGS,
			.is_hidden = true, .expected = "a number of pixels" },
	{ "pictures", 0, "all|wrong|none", "Which are kept (default: wrong if compared, else all)",
			OPTION_CHOICE, .at = AT(settings.pictures), .words = batch_pictures_words,
			.given = GIVEN_PICTURES, .is_hidden = true },
	{ "jobs", 0, "N", "Captures drawn at once (default: the number of CPUs)", OPTION_U32,
			.at = AT(limits.jobs), 1, MAX_JOBS, .given = GIVEN_LIMITS },
	{ "timeout", 0, "SECONDS", "Of each capture; 0: none (default: 600)", OPTION_CALL,
			.at = AT(limits.timeout_ns), .parse = parse_seconds,
					.given = GIVEN_LIMITS },
	{ "memory", 0, "MIB", "Of each capture; 0: no limit (default: 4096)", OPTION_CALL,
			.at = AT(limits.memory_bytes), .parse = parse_memory, .given = GIVEN_LIMITS,
			.is_hidden = true },
	{ "shard", 0, "I/N", "run: part I of N (default: 1/1)", OPTION_CALL, .at = 0,
			.parse = parse_shard, .given = GIVEN_SHARD },
	{ "json", 0, NULL, "Summary on stdout as JSON", OPTION_FLAG, .at = AT(json) },
	PROGRESS_ROW(AT(progress), true),
};

/* Applies the consequences of the settings. */
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
	if ((o->given & GIVEN_PICTURES) != GIVEN_PICTURES) {
		s->pictures = s->verify || s->golden ? BATCH_PICTURES_WRONG : BATCH_PICTURES_ALL;
	}
}

void batch_options_parse(struct batch_options *o, int argc, char **argv) {
	static const struct option_spec spec = {
		.forms = "CAPTURE|DIR|LIST...\nplan CAPTURE|DIR|LIST...\nrun PLAN\nmerge PLAN [DIR...]",
		.doc = "Draws many captures, compares, and reports; finished work is not repeated. "
		       "A LIST is a .txt file or @FILE. plan, run and merge share the work out to many "
		       "machines.",
		.tables = { OPTION_TABLE(rows, 0, AT(given)),
				ENGINE_SERIAL_TABLES(AT(limits.engine)) },
		.min_args = 1,
		.max_args = OPTION_ANY,
		.expected = "captures, folders or lists, or plan, run or merge",
		.check = check,
	};
	*o = (struct batch_options){ .n_shards = 1 };
	engine_options_init(&o->limits.engine);
	o->limits.engine.threads = 0;
	o->limits.timeout_ns = DEFAULT_TIMEOUT * UINT64_C(1000000000);
	o->limits.memory_bytes = (uint64_t)DEFAULT_MEMORY_MIB << 20;
	o->limits.jobs = engine_cpus();
	options_parse(&spec, argc, argv, o);
	settle(o);
}
