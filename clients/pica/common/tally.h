/* Counters of texts. */
#ifndef PICA_TALLY_H
#define PICA_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/attributes.h"

/* In order of first appearance. Zeroed means empty. */
struct tally {
	struct tally_row {
		char text[40];
		uint64_t count;
	} *rows; /* owned */
	unsigned n;
	size_t cap;
	int error; /* -ENOMEM: something was not counted */
};

void tally_finish(struct tally *t);
/* Counts a text once. */
PICA_PRINTF(2, 3)
void tally_count(struct tally *t, const char *fmt, ...);
/* Prints "label    text (3), text (1)" in lines of 80 columns; prints nothing for an empty one. */
void tally_print(const char *label, const struct tally *t);

#endif
