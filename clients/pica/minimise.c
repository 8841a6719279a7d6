/* pica minimise: the smallest part of a capture for which a condition holds. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "convert/convert.h"
#include "minimise/minimise.h"
#include "pictures/file.h"
#include "verbs.h"

struct options {
	struct condition until;
	const char *in, *out;
	uint32_t level;
	enum progress_mode progress;
	struct engine_options engine;
};

struct minimise {
	const struct options *o;
	char folder[64], trimmed[80], candidate[80]; /* in /dev/shm, if it exists */
	struct parts parts;
	uint64_t tests;
};

static const char *const kind_names[PART_COUNT] = { "jobs", "draws", "pieces of memory",
	"list entries" };

static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int signal) {
	(void)signal;
	is_interrupted = 1;
}

static bool holds(struct minimise *m, const char *path) {
	m->tests++;
	return condition_holds(&m->o->until, path);
}

/* ---- Frames ---- */

/* Returns whether the condition holds for these frames; they are then in m->trimmed. */
static bool trim(struct minimise *m, uint32_t first, uint32_t last) {
	struct repack_options r = { .in = m->o->in, .out = m->candidate, .tool = "pica minimise",
		.first = first, .last = last, .level = 1, .engine = m->o->engine };
	struct pica_capture *capture;
	log_status("%s: frames %" PRIu32 " to %" PRIu32, m->o->in, first, last);
	if (capture_open(&capture, r.in) != EXIT_FINE) {
		return false;
	}
	const int exit = repack(&r, capture);
	pica_capture_close(capture);
	return exit == EXIT_FINE && holds(m, m->candidate) && rename(m->candidate, m->trimmed) == 0;
}

/*
 * Keeps the last frame alone if the condition holds for it. Otherwise finds the first frame up to
 * which it holds, then by binary search as few frames before it as possible.
 */
static int trim_frames(struct minimise *m, uint32_t n_frames) {
	uint32_t first = 0, last = n_frames - 1;
	const bool looks_at_end = m->o->until.kind == CONDITION_PIXEL ||
			m->o->until.kind == CONDITION_HASH;
	if (trim(m, last, last)) {
		return EXIT_FINE;
	}
	if (!trim(m, first, last)) {
		log_line("%s: the condition holds no longer when it is a .pica that starts with "
			"the whole state", m->o->in);
		return EXIT_DIFFERENT;
	}
	for (uint32_t step = n_frames; !looks_at_end && step > 0; step /= 2) {
		while (step <= last && !is_interrupted && trim(m, first, last - step)) {
			last -= step;
		}
	}
	for (uint32_t step = last; step > 0; step /= 2) {
		while (first + step <= last && !is_interrupted && trim(m, first + step, last)) {
			first += step;
		}
	}
	return EXIT_FINE;
}

/* ---- Parts ---- */

static int test_parts(struct minimise *m, bool *out) {
	const int ret = parts_write(&m->parts, m->candidate, 1);
	*out = ret == 0 && holds(m, m->candidate);
	return log_result(m->candidate, ret);
}

/* Stores the parts of a kind that exist in *out (caller frees). */
static size_t find_parts(struct minimise *m, enum part_kind kind, struct part **out) {
	size_t n = 0;
	for (size_t i = 0; i < m->parts.n_parts; i++) {
		struct part *part = &m->parts.part[i];
		if (part->kind == kind && part_is_there(&m->parts, part)) {
			out[n++] = part;
		}
	}
	return n;
}

static void set_omitted(struct minimise *m, struct part **part, size_t n, bool is_gone) {
	for (size_t i = 0; i < n; i++) {
		part_set_omitted(&m->parts, part[i], is_gone);
	}
}

/* Leaves out as many parts as possible: all, then halves, quarters, ...; or one by one at once. */
static int reduce(struct minimise *m, enum part_kind kind, bool one_by_one, bool *is_smaller) {
	struct part **part = calloc(m->parts.n_parts + 1, sizeof(struct part *));
	int exit = part ? EXIT_FINE : log_no_memory();
	size_t n = part ? find_parts(m, kind, part) : 0;
	for (size_t step = one_by_one ? 1 : n; exit == EXIT_FINE && step > 0 && n > 0; step /= 2) {
		for (size_t end = n; end > 0 && exit == EXIT_FINE && !is_interrupted;) {
			const size_t begin = end > step ? end - step : 0;
			bool is_held;
			set_omitted(m, part + begin, end - begin, true);
			exit = test_parts(m, &is_held);
			if (!is_held) {
				set_omitted(m, part + begin, end - begin, false);
			}
			*is_smaller |= is_held;
			end = begin;
			log_status("%s: %zu %s, test %" PRIu64, m->o->in, n, kind_names[kind],
					m->tests);
		}
		n = find_parts(m, kind, part);
	}
	free(part);
	return exit;
}

static int reduce_all(struct minimise *m) {
	bool is_smaller = true;
	int exit = EXIT_FINE;
	for (unsigned round = 0; exit == EXIT_FINE && is_smaller && !is_interrupted; round++) {
		is_smaller = false;
		for (unsigned kind = 0; kind < PART_COUNT && exit == EXIT_FINE; kind++) {
			exit = reduce(m, (enum part_kind)kind, round > 0, &is_smaller);
		}
	}
	return exit;
}

/* ---- The result ---- */

static int write_result(struct minimise *m) {
	int ret = parts_write(&m->parts, m->o->out, m->o->level);
	if (ret == 0) {
		/* The same with shorter lists, if the condition still holds. */
		parts_shorten_lists(&m->parts);
		ret = parts_write(&m->parts, m->candidate, m->o->level);
		if (ret == 0 && holds(m, m->candidate)) {
			ret = parts_write(&m->parts, m->o->out, m->o->level);
		}
	}
	return log_result(m->o->out, ret);
}

static void report(struct minimise *m) {
	log_end();
	for (unsigned kind = 0; kind < PART_COUNT; kind++) {
		size_t all = 0, left = 0;
		for (size_t i = 0; i < m->parts.n_parts; i++) {
			const struct part *part = &m->parts.part[i];
			all += part->kind == kind;
			left += part->kind == kind && !part->is_gone &&
					(kind == PART_JOB || part_is_there(&m->parts, part));
		}
		printf("%zu of %zu %s, ", left, all, kind_names[kind]);
	}
	printf("by %" PRIu64 " tests\n", m->tests);
	convert_report_sizes(m->o->in, m->o->out);
}

static int minimise(struct minimise *m) {
	struct pica_capture *capture;
	int exit = capture_open(&capture, m->o->in);
	if (exit != EXIT_FINE) {
		return exit;
	}
	const uint32_t n_frames = capture_frames(capture);
	pica_capture_close(capture);
	if (!holds(m, m->o->in)) {
		log_line("%s: the condition does not hold: expected a capture for which it does",
				m->o->in);
		return EXIT_DIFFERENT;
	}
	exit = trim_frames(m, n_frames);
	if (exit != EXIT_FINE) {
		return exit;
	}
	exit = parts_read(&m->parts, m->trimmed);
	exit = exit == EXIT_FINE ? reduce_all(m) : exit;
	exit = exit == EXIT_FINE ? write_result(m) : exit;
	if (exit == EXIT_FINE) {
		report(m);
	}
	parts_finish(&m->parts);
	return exit;
}

/* ---- The command line ---- */

static void check(void *input, struct option_args args) {
	struct options *o = input;
	if (args.n < 2 || o->until.kind == CONDITION_NONE) {
		options_fail("expected --until and two names: CAPTURE and OUT");
	}
	if (strcmp(args.v[0], "-") == 0) {
		options_fail("-: expected a file: it is read many times");
	}
	o->in = args.v[0];
	o->out = args.v[1];
}

static int with_folder(const struct options *o) {
	static struct minimise m;
	const char *tmp = getenv("TMPDIR");
	m.o = o;
	snprintf(m.folder, sizeof(m.folder), "%s/pica-XXXXXX",
			access("/dev/shm", W_OK) == 0	 ? "/dev/shm" :
			tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	if (!mkdtemp(m.folder)) {
		return log_fail("%s: %s", m.folder, strerror(errno));
	}
	snprintf(m.trimmed, sizeof(m.trimmed), "%s/a.pica", m.folder);
	snprintf(m.candidate, sizeof(m.candidate), "%s/b.pica", m.folder);
	const int exit = minimise(&m);
	unlink(m.trimmed);
	unlink(m.candidate);
	rmdir(m.folder);
	return exit;
}

#define AT(member) offsetof(struct options, member)

int verb_minimise(int argc, char **argv) {
	static const char *const screen_words[] = { "top", "bottom", NULL };
	static const char *const eye_words[] = { "left", "right", NULL };
	static const struct option_row rows[] = {
		{ "until", 0, "CONDITION", "pixel:X,Y:RRGGBB, hash:HASH, finding:RULE, crash or command:COMMAND",
				OPTION_CALL, .at = AT(until), .parse = condition_parse },
		{ "screen", 0, NULL, "Of pixel and hash (default: top)", OPTION_CHOICE,
				.at = AT(until.screen), .words = screen_words },
		{ "eye", 0, NULL, "Of the top screen (default: left)", OPTION_CHOICE,
				.at = AT(until.eye), .words = eye_words },
		{ "timeout", 0, "SECONDS", "Of one test, 1-3600 (default: 20)", OPTION_U32,
				.at = AT(until.timeout_s), 1, 3600 },
		LEVEL_ROW(AT(level), 0, "12"),
		PROGRESS_ROW(AT(progress), false),
	};
	static const struct option_spec spec = {
		.forms = "CAPTURE OUT",
		.doc = "Leaves out frames, jobs, draws, memory and register writes as long as a condition "
		       "still holds, and writes what is left as a .pica.",
		.tables = { OPTION_TABLE(rows, 0, 0) },
		.max_args = 2,
		.at_most = "two names: CAPTURE and OUT",
		.check = check,
	};
	struct options o = { .until.timeout_s = 20, .level = 12 };
	engine_options_init(&o.engine);
	options_parse(&spec, argc, argv, &o);
	log_show_progress(o.progress);

	const size_t len = strlen(o.out);
	if (len < 6 || strcmp(o.out + len - 5, ".pica") != 0) {
		return log_fail("%s: expected a name that ends in .pica", o.out);
	}
	if (file_is_same(o.in, o.out)) {
		return log_fail("%s: this is the capture itself: expected another name", o.out);
	}
	int exit = condition_choose_view(&o.until, o.in);
	if (exit != EXIT_FINE) {
		return exit;
	}
	struct sigaction on = { .sa_handler = on_interrupt };
	sigaction(SIGINT, &on, NULL);
	return with_folder(&o);
}
