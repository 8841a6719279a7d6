#include "talk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <unistd.h>

static struct {
	const char *program;
	bool shows_progress;
	bool line_shown;
	uint64_t last_ns;
	char last[1024]; /* what was said last */
} state = { .program = "pica" };

void talk_begin(const char *program, enum progress_mode progress) {
	state.program = program;
	state.shows_progress = progress == PROGRESS_ALWAYS ||
			(progress == PROGRESS_AUTO && isatty(STDERR_FILENO));
}

void talk_end(void) {
	if (state.line_shown) {
		fputs("\r\033[K", stderr);
		state.line_shown = false;
	}
	state.last_ns = 0;
}

void talk(const char *fmt, ...) {
	talk_end();
	va_list args;
	va_start(args, fmt);
	vsnprintf(state.last, sizeof(state.last), fmt, args);
	va_end(args);
	fprintf(stderr, "%s: %s\n", state.program, state.last);
}

const char *talk_last(void) {
	return state.last;
}

bool talk_shows_progress(void) {
	return state.shows_progress;
}

void talk_status(const char *fmt, ...) {
	if (!state.shows_progress) {
		return;
	}
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (state.last_ns && now - state.last_ns < 100000000) {
		return;
	}
	state.last_ns = now;
	fputs("\r\033[K", stderr);
	va_list args;
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fflush(stderr);
	state.line_shown = true;
}

void talk_progress(const char *what, uint64_t done, uint64_t total) {
	if (total) {
		talk_status("%s %" PRIu64 "/%" PRIu64, what, done, total);
	} else {
		talk_status("%s %" PRIu64, what, done);
	}
}

int talk_close_stdout(int exit) {
	errno = 0;
	if (fflush(stdout) || ferror(stdout)) {
		talk("standard output: %s", strerror(errno ? errno : EIO));
		return exit < EXIT_TROUBLE ? EXIT_TROUBLE : exit;
	}
	return exit;
}
