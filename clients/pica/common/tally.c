#include "tally.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "array.h"

void tally_finish(struct tally *t) {
	free(t->rows);
	*t = (struct tally){ .rows = NULL };
}

void tally_count(struct tally *t, const char *fmt, ...) {
	char text[sizeof(t->rows->text)];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	for (unsigned i = 0; i < t->n; i++) {
		if (strcmp(t->rows[i].text, text) == 0) {
			t->rows[i].count++;
			return;
		}
	}
	struct tally_row *rows = array_room(t->rows, t->n, &t->cap, sizeof(*rows));
	if (!rows) {
		t->error = -ENOMEM;
		return;
	}
	t->rows = rows;
	memcpy(t->rows[t->n].text, text, sizeof(text));
	t->rows[t->n++].count = 1;
}

void tally_print(const char *label, const struct tally *t) {
	unsigned column = 0;
	for (unsigned i = 0; i < t->n; i++) {
		char item[80];
		unsigned len = (unsigned)snprintf(
			item, sizeof(item), "%s (%" PRIu64 ")", t->rows[i].text, t->rows[i].count);
		if (i == 0) {
			column = (unsigned)printf("%-16s ", label);
		} else if (column + len + 3 > 80) { /* a comma on each side */
			column = (unsigned)printf(",\n%-16s ", "") - 2;
		} else {
			column += (unsigned)printf(", ");
		}
		column += len;
		fputs(item, stdout);
	}
	if (t->n) {
		putchar('\n');
	}
}
