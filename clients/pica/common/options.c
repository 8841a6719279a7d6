#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sched.h>
#include <unistd.h>

#include "core/base/attributes.h"
#include "pictures/plain.h"

bool parse_number(const char *text, uint64_t max, uint64_t *out) {
	if (!isdigit((unsigned char)text[0])) {
		return false;
	}
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, is_hex ? 16 : 10);
	if (errno || *end || n > max) {
		return false;
	}
	*out = n;
	return true;
}

const char *parse_progress(const char *text, enum progress_mode *out) {
	static const char *const names[] = {
		[PROGRESS_AUTO] = "auto",
		[PROGRESS_ALWAYS] = "always",
		[PROGRESS_NEVER] = "never",
	};
	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*out = (enum progress_mode)i;
			return NULL;
		}
	}
	return "expected auto, always or never";
}

/* ---- Help ---- */

/* An argp of which nothing is hidden; lives in the pool. */
struct open_argp {
	struct argp argp;
	struct open_argp *next;
};

static void open_argp_free(struct open_argp *pool) {
	while (pool) {
		struct open_argp *next = pool->next;
		free((void *)pool->argp.options);
		free((void *)pool->argp.children);
		free(pool);
		pool = next;
	}
}

static bool is_last_option(const struct argp_option *o) {
	return !o->key && !o->name && !o->doc && !o->group;
}

/* A copy of argp and its children; NULL: no memory. */
static const struct argp *open_argp(struct open_argp **pool, const struct argp *argp) {
	size_t n_options = 0, n_children = 0;
	while (argp->options && !is_last_option(&argp->options[n_options])) {
		n_options++;
	}
	while (argp->children && argp->children[n_children].argp) {
		n_children++;
	}
	struct open_argp *open = calloc(1, sizeof(*open));
	struct argp_option *options = calloc(n_options + 1, sizeof(*options));
	struct argp_child *children = calloc(n_children + 1, sizeof(*children));
	if (!open || !options || !children) {
		free(open);
		free(options);
		free(children);
		return NULL;
	}
	*open = (struct open_argp){ .argp = *argp, .next = *pool };
	if (n_options == 0) { /* glibc loses what it allocates for an empty list */
		free(options);
		options = NULL;
	}
	open->argp.options = options;
	open->argp.children = children;
	*pool = open;
	for (size_t i = 0; i < n_options; i++) {
		options[i] = argp->options[i];
		/* not those of argp itself */
		options[i].flags &= options[i].key > 0 ? ~OPTION_HIDDEN : ~0;
	}
	for (size_t i = 0; i < n_children; i++) {
		children[i] = argp->children[i];
		children[i].argp = open_argp(pool, argp->children[i].argp);
		if (!children[i].argp) {
			return NULL;
		}
	}
	return &open->argp;
}

static void print_all_help(const struct argp_state *state) {
	struct open_argp *pool = NULL;
	const struct argp *all = open_argp(&pool, state->root_argp);
	if (all) {
		argp_help(all, stdout,
				ARGP_HELP_STD_HELP & ~(ARGP_HELP_EXIT_OK | ARGP_HELP_EXIT_ERR),
				state->name);
	} else {
		talk("%s", strerror(ENOMEM));
	}
	open_argp_free(pool);
}

/* Name of the option with that key, "" if there is none. */
static const char *option_name(const struct argp *argp, int key) {
	for (const struct argp_option *o = argp->options; o && !is_last_option(o); o++) {
		if (o->key == key && o->name) {
			return o->name;
		}
	}
	for (const struct argp_child *c = argp->children; c && c->argp; c++) {
		const char *name = option_name(c->argp, key);
		if (name[0]) {
			return name;
		}
	}
	return "";
}

error_t option_error(const struct argp_state *state, int key, const char *arg, const char *error) {
	argp_error(state, "--%s %s: %s", option_name(state->root_argp, key), arg, error);
	return EINVAL;
}

/* ---- Engine ---- */

/* What all have in common, with a struct engine_options as input. */
static error_t parse_kernels(int key, char *arg, struct argp_state *state) {
	struct engine_options *o = state->input;
	switch (key) {
	case OPTION_ISA:
		o->isa = arg;
		o->given = o->machine_given = "--isa";
		o->running_given = true;
		return 0;
	case OPTION_FLOAT:
		if (strcmp(arg, "f24") != 0 && strcmp(arg, "f32") != 0) {
			return option_error(state, key, arg, "expected f24 or f32");
		}
		o->float_mode = strcmp(arg, "f32") == 0 ? PICA_FLOAT_F32 : PICA_FLOAT_F24;
		o->given = "--float";
		o->arithmetic_given = true;
		return 0;
	case OPTION_COMBINER:
		if (strcmp(arg, "nearest") != 0 && strcmp(arg, "truncate") != 0) {
			return option_error(state, key, arg, "expected nearest or truncate");
		}
		o->combiner = strcmp(arg, "truncate") == 0 ? PICA_COMBINER_TRUNCATE :
				PICA_COMBINER_NEAREST;
		o->given = "--combiner";
		o->arithmetic_given = true;
		return 0;
	case 'v':
		o->verbose = true;
		o->running_given = true;
		return 0;
	case OPTION_HELP_ALL:
		print_all_help(state);
		exit(EXIT_FINE);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_threads(int key, char *arg, struct argp_state *state) {
	struct engine_options *o = state->input;
	uint64_t n;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = o;
		return 0;
	case OPTION_THREADS:
		if (!parse_number(arg, ENGINE_MAX_THREADS, &n)) {
			return option_error(state, key, arg, "expected a number from 0 to 64");
		}
		o->threads = (uint32_t)n;
		o->given = o->machine_given = "--threads";
		o->running_given = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option kernel_options[] = {
	{ .name = "isa",
			.key = OPTION_ISA,
			.arg = "NAME",
			.flags = OPTION_HIDDEN,
			.group = 5,
			.doc = "Kernels: c, emul or sse4.1 (default: the best)" },
	{ .name = "float",
			.key = OPTION_FLOAT,
			.arg = "f24|f32",
			.flags = OPTION_HIDDEN,
			.group = 5,
			.doc = "Arithmetic of shaders (default: f24, as hardware)" },
	{ .name = "combiner",
			.key = OPTION_COMBINER,
			.arg = "nearest|truncate",
			.flags = OPTION_HIDDEN,
			.group = 5,
			.doc = "Products of colours (default: nearest, as hardware)" },
	{ .name = "verbose",
			.key = 'v',
			.flags = OPTION_HIDDEN,
			.group = 5,
			.doc = "Print the library's log" },
	{ .name = "help-all",
			.key = OPTION_HELP_ALL,
			.group = -1,
			.doc = "This list and the rarer options" },
	{ 0 },
};

static const struct argp_option threads_option[] = {
	{ .name = "threads",
		.key = OPTION_THREADS,
		.arg = "N",
		.group = 5,
		.doc = "Workers, 0-64; 0: no threads (default: the CPUs)" },
	{ 0 },
};

static const struct argp_option no_threads_option[] = {
	{ .name = "threads",
		.key = OPTION_THREADS,
		.arg = "N",
		.flags = OPTION_HIDDEN,
		.group = 5,
		.doc = "Workers, 0-64; 0: no threads (default: 0)" },
	{ 0 },
};

static const struct argp kernel_argp = { .options = kernel_options, .parser = parse_kernels };
static const struct argp_child kernel_child[] = { { .argp = &kernel_argp }, { 0 } };
const struct argp engine_argp = {
	.options = threads_option, .parser = parse_threads, .children = kernel_child
};
const struct argp engine_serial_argp = {
	.options = no_threads_option, .parser = parse_threads, .children = kernel_child
};

unsigned engine_cpus(void) {
	cpu_set_t cpus;
	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (unsigned)CPU_COUNT(&cpus) : 1;
}

void engine_options_init(struct engine_options *o) {
	memset(o, 0, sizeof(*o));
	o->float_mode = PICA_FLOAT_F24;
	o->combiner = PICA_COMBINER_NEAREST;
	const unsigned n = engine_cpus();
	o->threads = n > 1 ? (n < ENGINE_MAX_THREADS ? n : ENGINE_MAX_THREADS) : 0;
}

static void log_line(void *user, enum pica_log_level level, const char *line) {
	static const char *const names[] = { "error", "warning", "info", "debug" };
	talk("library %s: %s", names[level], line);
}

int engine_create(struct pica_device **out, const struct engine_options *o) {
	struct pica_settings settings;
	pica_settings_init(&settings);
	settings.n_threads = o->threads;
	settings.isa = o->isa;
	settings.float_mode = o->float_mode;
	settings.combiner = o->combiner;
	settings.trace = o->trace;
	settings.trace_user = o->trace_user;
	settings.log = log_line;
	settings.log_level = o->verbose ? PICA_LOG_DEBUG : PICA_LOG_ERROR;
	const char *option = o->isa_option ? o->isa_option : "--isa ";
	int ret = pica_device_create(out, &settings);
	if (ret == -EINVAL && o->isa) {
		talk("%s%s: expected c, emul or sse4.1", option, o->isa);
	} else if (ret == -EOPNOTSUPP && o->isa) {
		talk("%s%s: this machine does not have it", option, o->isa);
	} else if (ret < 0) {
		talk("cannot start the engine: %s", strerror(-ret));
	}
	return ret < 0 ? EXIT_TROUBLE : EXIT_FINE;
}

static bool is_parsing;

/* --help and --version end the process inside of argp: what they could not print is an error. */
static void check_help(void) {
	if (is_parsing) {
		plain_stderr_end();
		if (talk_close_stdout(EXIT_FINE) != EXIT_FINE) {
			_exit(EXIT_TROUBLE);
		}
	}
}

void options_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input) {
	/*
	 * Narrower than argp's own form: a screen holds the help. Who sets it otherwise gets that.
	 */
	setenv("ARGP_HELP_FMT", "opt-doc-col=24,rmargin=80,no-dup-args-note", 0);
	argp_err_exit_status = EXIT_TROUBLE;
	static bool is_checked;
	if (!is_checked) {
		is_checked = atexit(check_help) == 0;
	}
	is_parsing = true;
	plain_stderr_begin();
	error_t ret = argp_parse(argp, argc, argv, flags, NULL, input);
	plain_stderr_end();
	is_parsing = false;
	if (ret) {
		talk("%s", strerror(ret));
		exit(EXIT_TROUBLE);
	}
}

/* ---- Captures ---- */

int capture_open_exit(int ret) {
	switch (ret) {
	case -EINVAL:
	case -EOPNOTSUPP:
	case -EFBIG:
		return EXIT_BAD_CAPTURE;
	default:
		return EXIT_TROUBLE;
	}
}

int capture_open(struct pica_capture **out, const char *path, struct pica_capture_error *err) {
	int ret = pica_capture_open(out, path, err);
	if (ret == 0) {
		return EXIT_FINE;
	}
	talk_capture_error(path, err);
	return capture_open_exit(ret);
}

bool capture_is_damaged(const struct pica_capture *capture, int ret) {
	return pica_capture_error(capture)->code == ret && ret != -ENOMEM;
}

int capture_failed(const struct pica_capture *capture, const char *path, int ret) {
	if (capture_is_damaged(capture, ret)) {
		talk_capture_error(path, pica_capture_error(capture));
		return EXIT_BAD_CAPTURE;
	}
	talk("%s: %s", path, strerror(-ret));
	return EXIT_TROUBLE;
}

void capture_note_skipped(const struct pica_capture *capture, const char *path, bool skipped) {
	const struct pica_capture_error *error = pica_capture_error(capture);
	if (skipped) {
		talk("%s: note: begun at an earlier key: byte 0x%" PRIX64 ": %s", path,
				error->offset, error->message + error->reason);
	}
}

char *capture_name(const char *path) {
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strlen(base);
	if (len > 4 && strcmp(base + len - 4, ".zst") == 0) {
		len -= 4;
	}
	size_t dot = len;
	while (dot > 0 && base[dot - 1] != '.') {
		dot--;
	}
	return strndup(base, dot > 1 ? dot - 1 : len);
}

/* ---- Frames ---- */

/*
 * A frame number or "last" up to a separator; moves *text behind it. What is wrong: expected, where
 * there is none; or NULL.
 */
static const char *parse_frame(const char **text, uint32_t *out, const char *expected) {
	if (strncmp(*text, "last", 4) == 0) {
		*text += 4;
		*out = FRAME_LAST;
		return NULL;
	}
	uint64_t n = 0;
	const char *p = *text;
	while (isdigit((unsigned char)*p) && n < FRAME_LAST) {
		n = 10 * n + (uint64_t)(*p++ - '0');
	}
	if (p == *text) {
		return expected;
	}
	if (n >= FRAME_LAST) {
		return "frames have numbers up to 4294967294";
	}
	*text = p;
	*out = (uint32_t)n;
	return NULL;
}

const char *frame_list_parse(struct frame_list *list, const char *text) {
	list->n = 0;
	for (;;) {
		uint32_t first = 0, last = FRAME_LAST;
		const char *error = NULL;
		if (strncmp(text, "all", 3) == 0) {
			text += 3;
		} else {
			error = parse_frame(&text, &first, "expected frames as 0,3-7,last or all");
			last = first;
			if (!error && *text == '-') {
				text++;
				error = parse_frame(&text, &last, "expected a frame behind the dash");
			}
		}
		if (error) {
			return error;
		}
		if (first > last) {
			return first == FRAME_LAST ? "a dash stands between two frames, and none comes "
						     "behind the last: frames are counted from 0" :
						     "expected ranges that ascend";
		}
		if (list->n == FRAME_RANGES) {
			return "too many ranges";
		}
		list->range[list->n].first = first;
		list->range[list->n++].last = last;
		if (*text == '\0') {
			return NULL;
		}
		if (*text++ != ',') {
			return "expected a comma between frames";
		}
	}
}

bool frame_list_is_one(const struct frame_list *list) {
	for (unsigned i = 0; i < list->n; i++) {
		if (list->range[i].first != list->range[0].first ||
			list->range[i].last != list->range[0].first) {
			return false;
		}
	}
	return true;
}

bool frame_list_is_last(const struct frame_list *list) {
	return frame_list_is_one(list) && list->range[0].first == FRAME_LAST;
}

static uint32_t resolve(uint32_t frame, uint32_t n_frames) {
	return frame == FRAME_LAST ? n_frames - 1 : frame;
}

bool frame_list_has(const struct frame_list *list, uint32_t n_frames, uint32_t frame) {
	for (unsigned i = 0; i < list->n; i++) {
		if (frame >= resolve(list->range[i].first, n_frames) &&
				frame <= resolve(list->range[i].last, n_frames)) {
			return true;
		}
	}
	return false;
}

uint32_t frame_list_first(const struct frame_list *list, uint32_t n_frames) {
	uint32_t first = list->n ? UINT32_MAX : 0;
	for (unsigned i = 0; i < list->n; i++) {
		const uint32_t frame = resolve(list->range[i].first, n_frames);
		first = frame < first ? frame : first;
	}
	return first;
}

uint32_t frame_list_end(const struct frame_list *list, uint32_t n_frames) {
	uint32_t end = 0;
	for (unsigned i = 0; i < list->n; i++) {
		/* "30-last" asks for frame 30 even where the capture is shorter. */
		uint32_t first = resolve(list->range[i].first, n_frames);
		uint32_t last = resolve(list->range[i].last, n_frames);
		last = last > first ? last : first;
		end = last > end ? last : end;
	}
	return end;
}
