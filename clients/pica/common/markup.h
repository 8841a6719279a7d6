/* Text and bytes inside HTML and XML. */
#ifndef PICA_MARKUP_H
#define PICA_MARKUP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes text with its special characters escaped; what XML does not allow becomes '?'. */
void markup_text(FILE *f, const char *text);
/* Writes bytes in base64. */
void markup_base64(FILE *f, const uint8_t *bytes, size_t n);
/* Decodes base64. Returns the bytes (caller frees), or NULL: out of memory, or not base64. */
uint8_t *markup_from_base64(const char *text, size_t *n);

#endif
