/*
 * JSON reports. A value for which there was no memory is NULL; jansson refuses it where it is used,
 * and json_print() says so in the end if the report itself could not be made.
 */
#ifndef PICA_JSON_H
#define PICA_JSON_H

#include <stdint.h>

#include <jansson.h>

#include "pica.h"

enum { JSON_SCHEMA = 1 };

/* {"schema": 1, "verb": verb, "version": ...} */
json_t *json_report(const char *verb);
/* Text of any bytes: bytes that are not UTF-8 become '?'. */
json_t *json_text(const char *text);
/* The same, to be freed; NULL: out of memory. */
char *json_utf8(const char *text);
/* Members of an object: a text or NULL, a number or 0. */
const char *json_text_of(const json_t *object, const char *member);
json_int_t json_number_of(const json_t *object, const char *member);
/* Writes it into a file and frees it; NULL is -ENOMEM. 0 or a negative errno. */
int json_write(json_t *json, const char *path);
/*
 * The last message of log_line(): {"message", "path", "offset", "is_decompressed", "expected",
 * "found"}; all except the first only if the message has them.
 */
json_t *json_last_error(void);
/* A number with a given number of digits after the point. */
json_t *json_rounded(double x, int digits);
/* {"faults": {name: count}, "guessed": {name: draws}}, without zeros. */
void json_add_counters(json_t *object, const struct pica_stats *stats);
/* json_last_error() of a capture at that path. */
json_t *json_error_of(const char *path);
/* Prints on the standard output, with a newline, and frees. 0 or -ENOMEM. */
int json_print(json_t *report);
/* The same; logs a failure. Returns the exit code, which is exit or worse. */
int json_finish(json_t *report, int exit);
/*
 * A report will be printed, whatever happens: where the verb ends without one, json_keep_promise()
 * prints {"schema", "verb", "version", "path", "errors": [json_last_error()]}. path may be NULL:
 * there is none then. verb and path are borrowed until then.
 */
void json_promise(const char *verb, const char *path);
void json_keep_promise(void);

#endif
