/*
 * JSON reports. Functions that return a value return NULL when out of memory. jansson refuses a
 * NULL value, and json_print() fails if the report itself is NULL.
 */
#ifndef PICA_JSON_H
#define PICA_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "options/options.h"
#include "pica.h"
#include "tally.h"

/* 2: addresses are text, pica lint has "captures". */
enum { JSON_SCHEMA = 2 };

/* Returns {"schema": JSON_SCHEMA, "verb": verb, "version": ...}. */
json_t *json_report(const char *verb);
/* Returns text of any bytes: bytes that are not UTF-8 become '?'. */
json_t *json_text(const char *text);
/* The same as a string (caller frees). */
char *json_utf8(const char *text);
/* Return members of an object: a text or NULL, a number or 0. */
const char *json_text_of(const json_t *object, const char *member);
json_int_t json_number_of(const json_t *object, const char *member);
/* Writes a value into a file and frees it. Returns 0 or a negative errno; -ENOMEM for NULL. */
int json_write(json_t *json, const char *path);
/*
 * Returns the last message of log_line(): {"message", "path", "offset", "is_decompressed",
 * "expected", "found"}; all except the first only if the message has them.
 */
json_t *json_last_error(void);
/* Returns a physical address: "0x18000000". */
json_t *json_addr(uint32_t addr);
/* Returns a number; null for infinities and NaN. */
json_t *json_finite(double x);
/* Returns a number with that many digits after the point. */
json_t *json_rounded(double x, int digits);
/* Adds "faults": {name: count} and "guessed": {name: draws}, without zeros. */
void json_add_counters(json_t *object, const struct pica_stats *stats);
/* Returns {text: count}. */
json_t *json_tally(const struct tally *t);
/* Returns json_last_error() of a capture at that path. */
json_t *json_error_of(const char *path);
/* Prints it with a newline on standard output, and frees it. Returns 0 or -ENOMEM. */
int json_print(json_t *report);
/* The same. Returns exit. On failure logs it and returns at least EXIT_TROUBLE. */
int json_finish(json_t *report, int exit);
/*
 * Calls one() for each capture. With is_json, one() appends an object to reports; for a capture
 * without one, {"path", "errors": [json_last_error()]} is appended; all are printed as "captures".
 * Without is_json, reports is NULL and one() prints text. Returns the worst exit code.
 */
typedef int json_capture_fn(const void *options, const char *path, json_t *reports);
int json_captures(const char *verb, const struct option_args *captures, bool is_json,
		json_capture_fn *one, const void *options);
/*
 * The same for verbs whose report of one capture is not in a list: then reports is NULL with
 * is_json, too, and one() prints it (json_put()). An empty line separates texts.
 */
int json_each(const char *verb, const struct option_args *captures, bool is_json,
		json_capture_fn *one, const void *options);
/* Appends the report to reports, or, if that is NULL, as json_finish(). Returns the exit code. */
int json_put(json_t *report, json_t *reports, int exit);
/*
 * Promises that a report is printed: if the verb ends without one, json_keep_promise() prints
 * {"schema", "verb", "version", "path", "errors": [json_last_error()]}. verb and path (may be NULL)
 * are borrowed until then.
 */
void json_promise(const char *verb, const char *path);
void json_keep_promise(void);

#endif
