/* The text of the page, which join.py makes of the files in inspect/page. */
#ifndef PICA_INSPECT_PAGE_TEXT_H
#define PICA_INSPECT_PAGE_TEXT_H

#include <stddef.h>

struct inspect_page_text {
	const unsigned char *bytes;
	size_t n;
};

/* The page up to the data, and from there on. */
extern const struct inspect_page_text inspect_page_head, inspect_page_tail;

/* Its Content-Security-Policy: this script and this style, and no other address than its own. */
extern const char inspect_page_policy[];

#endif
