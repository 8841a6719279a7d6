/* Results on the standard output, for people: sizes with units, colour and a pager on terminals. */
#ifndef PICA_OUTPUT_H
#define PICA_OUTPUT_H

#include <stdint.h>

enum { OUTPUT_SIZE = 16 };

/* Writes "45.3KiB", "1.2MiB", ... */
void output_size(uint64_t bytes, char text[OUTPUT_SIZE]);

enum output_color { OUTPUT_PLAIN, OUTPUT_RED, OUTPUT_YELLOW, OUTPUT_GREEN, OUTPUT_BOLD };

/*
 * Returns the sequence that switches to a colour: "" if the standard output is not a terminal (a
 * pager that we started counts as one), with TERM=dumb, or if NO_COLOR is set. Static storage.
 */
const char *output_color(enum output_color color);

/* Prints an empty line and a heading. */
void output_title(const char *text);

/*
 * Sends further output through $PAGER (default: less, which ends at once if everything fits the
 * screen), and ends the progress line. Does nothing if the standard output is not a terminal, with
 * TERM=dumb, or if PAGER is empty or "cat". May be called again.
 */
void output_page(void);
/* Waits until the pager ends. Call before the process ends. */
void output_page_end(void);

#endif
