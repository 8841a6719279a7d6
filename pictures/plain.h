/*
 * Makes text from outside (names of files, arguments, contents of files) safe for messages: a
 * terminal obeys control characters, and one message is one line.
 */
#ifndef PICTURES_PLAIN_H
#define PICTURES_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Writes text to out, of size bytes, zero-terminated and cut to fit. UTF-8 stays; control
 * characters (of ASCII and of U+0080 to U+009F) and bytes that are not UTF-8 become \xNN. A newline
 * stays only if keep_newlines. Returns the length.
 */
size_t plain_text(char *out, size_t size, const char *text, size_t len, bool keep_newlines);
/* Writes text to a stream likewise, uncut and on one line. */
void plain_write(FILE *f, const char *text);
/*
 * From now on what the C library itself writes to stderr (of getopt, which quotes
 * arguments) goes through plain_text(), with newlines kept; plain_stderr_end() is the end of it. If
 * the stream cannot be created, nothing changes.
 */
void plain_stderr_begin(void);
void plain_stderr_end(void);

#endif
