/* Text and bytes inside HTML and XML. */
#ifndef PICA_MARKUP_H
#define PICA_MARKUP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes text with its special characters escaped; what XML does not allow becomes '?'. */
void markup_text(FILE *f, const char *text);
/* Begins the page of a report: up to <body>. style: rules after the common ones. */
void markup_page(FILE *f, const char *title, const char *style);
/* A state of rows, and how many have it. class: pass, bad or warn, its colour. */
struct markup_filter {
	const char *name, *class;
	unsigned n;
};
/*
 * Writes a list of the numbers other than 0. A checkbox at each hides what has the class s-NAME,
 * and a link leads to the id NAME. rest: items that follow, in HTML.
 */
void markup_filters(FILE *f, const struct markup_filter *filters, unsigned n, const char *rest);
/* Writes bytes in base64. */
void markup_base64(FILE *f, const uint8_t *bytes, size_t n);
/* Decodes base64. Returns the bytes (caller frees), or NULL: out of memory, or not base64. */
uint8_t *markup_from_base64(const char *text, size_t *n);

#endif
