/* A screen of text that is redrawn in place, and keys: plain ANSI sequences. */
#ifndef PICA_TERMINAL_H
#define PICA_TERMINAL_H

#include <stdio.h>
#include <stdint.h>

enum {
	TERMINAL_TIME = -1,   /* the time is over */
	TERMINAL_RESIZE = -2, /* the window has another size now, or was away */
	TERMINAL_END = -3,    /* asked to end by a signal, or the terminal is gone */
};

/*
 * Takes over the terminal of the standard input and output: keys come one by one; terminal_end(),
 * or a crash of the program, restores the screen. Signals that would end or stop the program are
 * handled here from now on, and SIGALRM is in use. -ENOTTY: one of them is no terminal.
 */
int terminal_begin(void);
void terminal_end(void);
/* Rows and columns, at least 1. */
void terminal_size(unsigned *rows, unsigned *columns);
/*
 * Puts lines of text in place of the last ones, in one write: cut at the size of the window.
 * is_title: the number of the line that is shown reversed, or -1.
 */
void terminal_show(const char *text, int is_title);
/*
 * Bytes as they are. Waits for a terminal that takes no more until a key or a signal comes; soon
 * after, the rest is dropped.
 */
void terminal_put(const char *bytes, size_t n);
/* Waits for a key: its character, or one of the above. */
int terminal_wait(uint64_t timeout_ns);

#endif
