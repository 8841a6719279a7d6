/*
 * Makes external text (names of files, arguments, contents of files) safe for messages, which are
 * one line each and must not contain control characters for a terminal.
 */
#ifndef PICTURES_PLAIN_H
#define PICTURES_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Writes text to out, of size bytes, zero-terminated and truncated to fit. UTF-8 stays; control
 * characters (of ASCII and of U+0080 to U+009F) and bytes that are not UTF-8 become \xNN. A newline
 * stays only if keep_newlines. Returns the length.
 */
size_t plain_text(char *out, size_t size, const char *text, size_t len, bool keep_newlines);
/* Writes text to a stream likewise, complete and on one line. */
void plain_write(FILE *f, const char *text);
/*
 * Sends the C library's own output to stderr (by getopt, which quotes arguments) through
 * plain_text(), with newlines kept, until plain_stderr_end(). If the stream cannot be created,
 * nothing changes.
 */
void plain_stderr_begin(void);
void plain_stderr_end(void);

#endif
