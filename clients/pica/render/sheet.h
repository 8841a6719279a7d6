/* A contact sheet: small pictures in rows, each with a line of text. */
#ifndef PICA_SHEET_H
#define PICA_SHEET_H

#include <stdbool.h>

#include "pictures/picture.h"

struct sheet {
	struct sheet_item {
		struct picture picture; /* shrunk */
		char text[40];
	} *items; /* owned */
	unsigned n, cap;
	bool is_full; /* more were added than it takes */
};

/* Copies. -ENOMEM. */
int sheet_add(struct sheet *s, const struct picture *p, const char *text);
/* All of it as a picture; replaces *out. -ENOMEM, -ENODATA: nothing was added. */
int sheet_compose(const struct sheet *s, const char *title, struct picture *out);
void sheet_finish(struct sheet *s);

#endif
