/* Text redrawn in place on a terminal, by ANSI sequences, and its keys. */
#ifndef PICA_TERMINAL_H
#define PICA_TERMINAL_H

#include <stdio.h>
#include <stdint.h>

enum {
	TERMINAL_TIME = -1,   /* timeout */
	TERMINAL_RESIZE = -2, /* the window was resized, or the program was stopped and continued */
	TERMINAL_END = -3,    /* a signal requests the end, or the terminal is gone */
};

/*
 * Takes over the terminal of standard input and output: keys arrive one by one. From now on this
 * file handles SIGALRM and the signals that would end or stop the program. Returns 0. On failure
 * returns -ENOTTY (one of the two is not a terminal) or another negative errno.
 */
int terminal_begin(void);
/* Restores the screen and the keys, as a crash of the program does. */
void terminal_end(void);
/* Stores the size of the window, at least 1 row and 1 column. */
void terminal_size(unsigned *rows, unsigned *columns);
/*
 * Replaces the shown text with lines truncated to the size of the window, in one write. is_title:
 * the number of the line shown in reverse, or -1.
 */
void terminal_show(const char *text, int is_title);
/*
 * Writes bytes unchanged. Waits while the terminal accepts no more; a key or a signal soon ends the
 * wait, and the rest is dropped.
 */
void terminal_put(const char *bytes, size_t n);
/* Waits for a key. Returns its character, or TERMINAL_*. */
int terminal_wait(uint64_t timeout_ns);

#endif
