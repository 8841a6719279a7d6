/* The log of the tool: errors, notes and progress, all on the standard error. */
#ifndef PICA_LOG_H
#define PICA_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/attributes.h"
#include "pica_capture.h"

/* Exit codes. The program exits with the largest one that applies: worse(). */
enum {
	EXIT_FINE = 0,
	EXIT_DIFFERENT = 1,
	EXIT_TROUBLE = 2, /* used wrongly, or the system refused */
	EXIT_BAD_CAPTURE = 3,
	EXIT_NO_SERVICE = 4,
	/* the service did not answer in time, a unit of pica batch took too long */
	EXIT_TIMEOUT = 5,
	EXIT_FINDINGS = 6, /* pica lint has found something */
};

static inline int worse(int exit, int other) {
	return other > exit ? other : exit;
}

enum progress_mode {
	PROGRESS_AUTO, /* on a terminal */
	PROGRESS_ALWAYS,
	PROGRESS_NEVER,
};

/* program: "pica render", ..., the beginning of every message. Borrowed. */
void log_begin(const char *program);
/* Sets whether a progress line is shown. Default: never. */
void log_show_progress(enum progress_mode mode);
/*
 * Writes a line that begins with the program's name, above the progress line. Bytes that are not
 * text (pictures/plain.h) are written as \xNN.
 */
void log_line(const char *fmt, ...) PICA_PRINTF(1, 2);
/* The same. Returns EXIT_TROUBLE. */
int log_fail(const char *fmt, ...) PICA_PRINTF(1, 2);
/* Logs that memory ran out. Returns EXIT_TROUBLE. */
int log_no_memory(void);
/* Returns EXIT_FINE. If ret is a negative errno, logs it with the path: EXIT_TROUBLE. */
int log_result(const char *path, int ret);
/* The same about a byte of a file: "path: byte 0x12: ..." */
void log_at(const char *path, uint64_t offset, const char *fmt, ...) PICA_PRINTF(3, 4);
/* Logs why a capture at that path was refused. */
void log_capture_error(const char *path, const struct pica_capture_error *error);

/* The message that was logged last. */
struct log_last {
	char message[1024];  /* without the program's name; "" before */
	char path[1024];     /* its subject, "": none */
	bool has_offset;     /* in that file, or in its decompressed bytes */
	bool is_decompressed;
	uint64_t offset;
	const char *reason;  /* in message: after path and offset */
};
/* Valid until the next one. */
const struct log_last *log_last(void);
/* From now on keeps messages for log_last() only, which starts empty. */
void log_hold(void);
/* Writes messages again. */
void log_release(void);
/* Replaces the last progress line by "what 12/24", or by "what 12" if total is 0. */
void log_progress(const char *what, uint64_t done, uint64_t total);
/* The same with any text. */
void log_status(const char *fmt, ...) PICA_PRINTF(1, 2);
/* The ending of a word with number n: "" or "s". */
static inline const char *plural(uint64_t n) {
	return n == 1 ? "" : "s";
}

/* Returns whether a progress line is shown. */
bool log_shows_progress(void);
/* Removes the progress line. */
void log_end(void);
/* Flushes standard output. Returns exit. On failure logs it and returns at least EXIT_TROUBLE. */
int log_close_stdout(int exit);

#endif
