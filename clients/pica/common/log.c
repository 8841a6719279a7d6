#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <unistd.h>

#include "clock.h"
#include "pictures/plain.h"

static struct {
	const char *program;
	bool shows_progress;
	bool line_shown, holds_results, is_held;
	uint64_t last_ns;
	struct log_last last;
} state = { .program = "pica" };

void log_begin(const char *program) {
	state.program = program;
}

void log_show_progress(enum progress_mode progress) {
	state.shows_progress = progress == PROGRESS_ALWAYS ||
			(progress == PROGRESS_AUTO && isatty(STDERR_FILENO));
	/* Results wait until the line is erased, since both may be on one terminal. */
	state.holds_results = state.shows_progress && isatty(STDOUT_FILENO) &&
			setvbuf(stdout, NULL, _IOFBF, 1 << 20) == 0;
}

static void erase(void) {
	if (state.line_shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
		state.line_shown = false;
	}
	if (state.holds_results) {
		fflush(stdout);
	}
}

void log_end(void) {
	erase();
	state.last_ns = 0;
}

/* Logs "where" and the text after it. */
static void write_line(const char *where, const char *fmt, va_list args) {
	struct log_last *last = &state.last;
	char text[sizeof(last->message)];
	log_end();
	int len = vsnprintf(text, sizeof(text), fmt, args);
	size_t have = len < 0 ? 0 : (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;
	/* A long place is truncated, so that the text after it fits. */
	size_t at = plain_text(
			last->message, sizeof(last->message) / 2, where, strlen(where), false);
	plain_text(last->message + at, sizeof(last->message) - at, text, have, false);
	last->reason = last->message + at;
	if (!state.is_held) {
		fprintf(stderr, "%s: %s\n", state.program, last->message);
	}
}

static void forget(void) {
	state.last.path[0] = '\0';
	state.last.has_offset = state.last.is_decompressed = false;
	state.last.offset = 0;
}

static void keep_path(const char *path) {
	snprintf(state.last.path, sizeof(state.last.path), "%s", path);
}

void log_line(const char *fmt, ...) {
	va_list args;
	forget();
	va_start(args, fmt);
	write_line("", fmt, args);
	va_end(args);
}

int log_fail(const char *fmt, ...) {
	va_list args;
	forget();
	va_start(args, fmt);
	write_line("", fmt, args);
	va_end(args);
	return EXIT_TROUBLE;
}

int log_no_memory(void) {
	return log_fail("%s", strerror(ENOMEM));
}

int log_result(const char *path, int ret) {
	return ret < 0 ? log_fail("%s: %s", path, strerror(-ret)) : EXIT_FINE;
}

void log_at(const char *path, uint64_t offset, const char *fmt, ...) {
	char where[sizeof(state.last.message)];
	va_list args;
	forget();
	keep_path(path);
	state.last.has_offset = true;
	state.last.offset = offset;
	snprintf(where, sizeof(where), "%.400s: byte 0x%" PRIX64 ": ", path, offset);
	va_start(args, fmt);
	write_line(where, fmt, args);
	va_end(args);
}

void log_capture_error(const char *path, const struct pica_capture_error *error) {
	const char *reason = error->message + error->reason;
	log_line("%s", error->message);
	keep_path(path);
	state.last.has_offset = error->has_offset;
	state.last.is_decompressed = error->is_decompressed;
	state.last.offset = error->offset;
	/* The text before it was made plain, and may be longer. */
	char plain[PICA_CAPTURE_MESSAGE * 4];
	size_t len = plain_text(plain, sizeof(plain), reason, strlen(reason), false);
	size_t all = strlen(state.last.message);
	state.last.reason = state.last.message + (all > len ? all - len : 0);
}

const struct log_last *log_last(void) {
	if (!state.last.reason) {
		state.last.reason = state.last.message;
	}
	return &state.last;
}

void log_hold(void) {
	forget();
	state.last.message[0] = '\0';
	state.last.reason = NULL;
	state.is_held = true;
}

void log_release(void) {
	state.is_held = false;
}

bool log_shows_progress(void) {
	return state.shows_progress;
}

void log_status(const char *fmt, ...) {
	if (!state.shows_progress) {
		return;
	}
	const uint64_t now = now_ns();
	if (state.last_ns && now - state.last_ns < 100000000) {
		return;
	}
	state.last_ns = now;
	erase();
	char text[512], plain[sizeof(text)];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	plain_text(plain, sizeof(plain), text, strlen(text), false);
	fputs(plain, stderr);
	fflush(stderr);
	state.line_shown = true;
}

void log_progress(const char *what, uint64_t done, uint64_t total) {
	if (total) {
		log_status("%s %" PRIu64 "/%" PRIu64, what, done, total);
	} else {
		log_status("%s %" PRIu64, what, done);
	}
}

int log_close_stdout(int exit) {
	log_end();
	errno = 0;
	if (fflush(stdout) || ferror(stdout)) {
		log_line("standard output: %s", strerror(errno ? errno : EIO));
		return worse(exit, EXIT_TROUBLE);
	}
	return exit;
}
