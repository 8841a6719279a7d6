#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/vec/cpu.h"

/* ---- Engine ---- */

const char *const progress_words[] = { "auto", "always", "never", NULL };
const char *const frames_words[] = { "last", "all", NULL };
#define ISA_WORD(id, set, name, runs, a, b) name,
static const char *const isa_words[] = { "c", ISA_USER_SETS(ISA_WORD, , ) NULL };
const char *const float_words[] = { "f24", "f32", NULL };
const char *const combiner_words[] = { "nearest", "truncate", NULL };

#define AT(member) offsetof(struct engine_options, member)
#define THREADS_ROW(default_, hidden) \
	{ "threads", 0, "N", "Workers, 0-64; 0: no threads (default: " default_ ")", OPTION_U32, \
			.at = AT(threads), 0, ENGINE_MAX_THREADS, .given = ENGINE_THREADS, \
			.is_hidden = hidden }

const struct option_row engine_threads_row = THREADS_ROW("the number of CPUs", false);
const struct option_row engine_serial_row = THREADS_ROW("0", true);
const struct option_row engine_kernel_rows[ENGINE_KERNEL_ROWS] = {
	{ "isa", 0, "NAME", "Kernels: " ISA_NAMES(", ") " (default: $PICA_ISA, else the best)",
			OPTION_WORD, .at = AT(isa), .words = isa_words, .given = ENGINE_ISA,
			.is_hidden = true },
	{ "float", 0, NULL, "Arithmetic of shaders (default: f24, as hardware)", OPTION_CHOICE,
			.at = AT(float_mode), .words = float_words, .given = ENGINE_FLOAT,
			.is_hidden = true },
	{ "combiner", 0, NULL, "Products of colours (default: nearest, as hardware)", OPTION_CHOICE,
			.at = AT(combiner), .words = combiner_words, .given = ENGINE_COMBINER,
			.is_hidden = true },
	{ "verbose", 'v', NULL, "Print the library's log", OPTION_FLAG, .at = AT(verbose),
			.given = ENGINE_VERBOSE, .is_hidden = true },
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

static void log_library(void *user, enum pica_log_level level, const char *line) {
	static const char *const names[] = { "error", "warning", "info", "debug" };
	log_line("library %s: %s", names[level], line);
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
	settings.log = log_library;
	settings.log_level = o->verbose ? PICA_LOG_DEBUG : PICA_LOG_ERROR;
	const char *option = o->isa_option ? o->isa_option : "--isa ";
	int ret = pica_device_create(out, &settings);
	if (ret == -EOPNOTSUPP && o->isa) {
		log_line("%s%s: this machine does not have it", option, o->isa);
	} else if (ret < 0) {
		log_line("cannot start the engine: %s", strerror(-ret));
	}
	return ret < 0 ? EXIT_TROUBLE : EXIT_FINE;
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

/* Copies the standard input to a file that can be read again. Returns 0 or a negative errno. */
static int keep_stdin(void) {
	static bool is_kept;
	char part[1 << 16];
	ssize_t n = 0;
	const int fd = is_kept ? -1 : memfd_create("stdin", MFD_CLOEXEC);
	if (fd < 0) {
		return is_kept ? 0 : -errno;
	}
	while ((n = read(STDIN_FILENO, part, sizeof(part))) > 0) {
		if (write(fd, part, (size_t)n) != n) {
			n = -1;
			break;
		}
	}
	const int ret = n < 0 || dup2(fd, STDIN_FILENO) < 0 ? -errno : 0;
	close(fd);
	is_kept = ret == 0;
	return ret;
}

int capture_open(struct pica_capture **out, const char *path) {
	struct pica_capture_error error;
	if (strcmp(path, "-") == 0) {
		const int kept = keep_stdin();
		if (kept < 0) {
			return log_result("standard input", kept);
		}
		path = "/dev/stdin";
	}
	int ret = pica_capture_open(out, path, &error);
	if (ret == 0) {
		return EXIT_FINE;
	}
	log_capture_error(path, &error);
	return capture_open_exit(ret);
}

int capture_is_pica200(const struct pica_capture *capture, const char *path) {
	struct pica_capture_info info;
	pica_capture_info(capture, &info);
	return info.chip == PICA_CHIP_PICA200 ? EXIT_FINE :
			log_fail("%s: a capture of a %s: expected one of a PICA200", path,
					pica_chip_name(info.chip));
}

int capture_here_open(
		struct capture_here *c, const char *path, const struct engine_options *engine) {
	struct engine_options alone;
	*c = (struct capture_here){ .path = path };
	if (!engine) {
		engine_options_init(&alone);
		alone.threads = 0;
		engine = &alone;
	}
	int exit = capture_open(&c->capture, path);
	exit = exit == EXIT_FINE ? engine_create(&c->device, engine) : exit;
	if (exit != EXIT_FINE) {
		return exit;
	}
	pica_capture_info(c->capture, &c->info);
	c->name = capture_name(path);
	const int ret = c->name ? replay_create_ctx(&c->ctx, c->device, c->capture) : -ENOMEM;
	return ret < 0 ? capture_failed(c->capture, path, ret) : EXIT_FINE;
}

void capture_here_close(struct capture_here *c) {
	free(c->name);
	pica_ctx_destroy(c->ctx);
	pica_device_destroy(c->device);
	pica_capture_close(c->capture);
}

bool capture_is_damaged(const struct pica_capture *capture, int ret) {
	return pica_capture_error(capture)->code == ret && ret != -ENOMEM;
}

int capture_failed(const struct pica_capture *capture, const char *path, int ret) {
	if (capture_is_damaged(capture, ret)) {
		log_capture_error(path, pica_capture_error(capture));
		return EXIT_BAD_CAPTURE;
	}
	return log_result(path, ret);
}

int replay_job_failed(const struct replay *replay, const char *path) {
	if (replay->worst >= 0) {
		return EXIT_FINE;
	}
	log_at(path, replay->worst_offset, "%s", replay_error(replay->worst, replay->worst_flags));
	return replay->worst == -ENOMEM ? EXIT_TROUBLE : EXIT_BAD_CAPTURE;
}

uint32_t capture_frames(const struct pica_capture *capture) {
	struct pica_capture_info info;
	pica_capture_info(capture, &info);
	return info.frames ? info.frames : 1;
}

bool capture_has_frame(const char *path, uint32_t n_frames, uint32_t frame) {
	if (frame >= n_frames) {
		log_line("%s: frame %" PRIu32 " was asked for, but the last one is %" PRIu32, path,
				frame, n_frames - 1);
	}
	return frame < n_frames;
}

void capture_note_skipped(const struct pica_capture *capture, const char *path, bool skipped) {
	const struct pica_capture_error *error = pica_capture_error(capture);
	if (skipped) {
		log_line("%s: note: begun at an earlier key: byte 0x%" PRIX64 ": %s", path,
				error->offset, error->message + error->reason);
	}
}

char *capture_name(const char *path) {
	const char *slash = strrchr(path, '/');
	if (strcmp(path, "-") == 0) {
		return strdup("stdin");
	}
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
 * A frame number or "last" up to a separator; moves *text past it. Returns the expected text if
 * there is none, or NULL.
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

const char *frame_option(void *frame, char *arg) {
	uint32_t *out = frame;
	uint64_t n;
	if (strcmp(arg, "last") == 0) {
		*out = FRAME_LAST;
	} else if (parse_number(arg, FRAME_LAST - 1, &n)) {
		*out = (uint32_t)n;
	} else {
		return "expected a frame, counted from 0, or last";
	}
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
				error = parse_frame(&text, &last,
						"expected a frame after the dash");
			}
		}
		if (error) {
			return error;
		}
		if (first > last) {
			return first == FRAME_LAST ? "a dash stands between two frames, and none comes "
						     "after the last: frames are counted from 0" :
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

const char *frames_option(void *list, char *text) {
	return frame_list_parse(list, text);
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
		/* "30-last" names frame 30 even if the capture is shorter. */
		uint32_t first = resolve(list->range[i].first, n_frames);
		uint32_t last = resolve(list->range[i].last, n_frames);
		last = last > first ? last : first;
		end = last > end ? last : end;
	}
	return end;
}
