/* The text of the page, made by join.py from the files in inspect/page. */
#ifndef PICA_INSPECT_PAGE_TEXT_H
#define PICA_INSPECT_PAGE_TEXT_H

#include <stddef.h>

struct inspect_page_text {
	const unsigned char *bytes;
	size_t n;
};

/* The page before and after the data. */
extern const struct inspect_page_text inspect_page_head, inspect_page_tail;

/* Its Content-Security-Policy: this script, this style, and no address but its own. */
extern const char inspect_page_policy[];

#endif
