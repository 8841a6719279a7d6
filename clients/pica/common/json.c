#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "pictures/file.h"

/* A promised report that has not been printed. */
static struct {
	const char *verb, *path; /* verb NULL: there is none */
} promised;

json_t *json_report(const char *verb) {
	const uint32_t v = pica_version();
	return json_pack("{sissso}", "schema", JSON_SCHEMA, "verb", verb, "version",
			json_sprintf("%u.%u.%u", v >> 16, v >> 8 & 0xFF, v & 0xFF));
}

json_t *json_text(const char *text) {
	json_t *value = json_string(text);
	if (value) {
		return value;
	}
	char *ascii = strdup(text);
	for (char *c = ascii; c && *c; c++) {
		*c = (unsigned char)*c < 0x80 ? *c : '?';
	}
	value = ascii ? json_string(ascii) : NULL;
	free(ascii);
	return value;
}

/* The text from at up to the first of the ends, or its own end. */
static json_t *text_up_to(const char *at, const char *const *ends, size_t n) {
	const char *end = at + strlen(at);
	for (size_t i = 0; i < n; i++) {
		const char *found = strstr(at, ends[i]);
		end = found && found < end ? found : end;
	}
	char *part = strndup(at, (size_t)(end - at));
	json_t *value = part ? json_text(part) : NULL;
	free(part);
	return value;
}

json_t *json_last_error(void) {
	/* "expected A, found B", "expected A, this is B": the form of all errors of captures */
	static const char expected[] = "expected ";
	static const char *const found[] = { ", found ", ", this is " };
	const struct log_last *last = log_last();
	json_t *row = json_pack("{so}", "message", json_text(last->message));
	if (last->path[0]) {
		json_object_set_new(row, "path", json_text(last->path));
	}
	if (last->has_offset) {
		json_object_set_new(row, "offset", json_integer((json_int_t)last->offset));
		json_object_set_new(row, "is_decompressed", json_boolean(last->is_decompressed));
	}
	const char *what = strstr(last->reason, expected);
	if (!what) {
		return row;
	}
	json_object_set_new(row, "expected", text_up_to(what + strlen(expected), found, 2));
	for (size_t i = 0; i < 2; i++) {
		const char *other = strstr(what, found[i]);
		if (other) {
			json_object_set_new(row, "found", json_text(other + strlen(found[i])));
			break;
		}
	}
	return row;
}

json_t *json_tally(const struct tally *t) {
	json_t *object = json_object();
	for (unsigned i = 0; i < t->n; i++) {
		json_object_set_new(
			object, t->rows[i].text, json_integer((json_int_t)t->rows[i].count));
	}
	return object;
}

json_t *json_error_of(const char *path) {
	json_t *row = json_last_error();
	json_object_set_new(row, "path", json_text(path));
	return row;
}

json_t *json_addr(uint32_t addr) {
	return json_sprintf("0x%08" PRIx32, addr);
}

json_t *json_finite(double x) {
	return isfinite(x) ? json_real(x) : json_null();
}

json_t *json_rounded(double x, int digits) {
	double scale = pow(10, digits);
	return json_real(isfinite(x) ? round(x * scale) / scale : 0);
}

static json_t *features(const uint64_t counts[PICA_FEATURE_COUNT]) {
	json_t *object = json_object();
	for (int i = 0; i < PICA_FEATURE_COUNT; i++) {
		if (counts[i]) {
			json_object_set_new(object, pica_feature_name((enum pica_feature)i),
					json_integer((json_int_t)counts[i]));
		}
	}
	return object;
}

void json_add_counters(json_t *object, const struct pica_stats *stats) {
	json_t *faults = json_object();
	for (int i = 0; i < PICA_FAULT_COUNT; i++) {
		if (stats->faults[i]) {
			json_object_set_new(faults, pica_fault_name((enum pica_fault)i),
					json_integer((json_int_t)stats->faults[i]));
		}
	}
	json_object_set_new(object, "faults", faults);
	json_object_set_new(object, "guessed", features(stats->guessed));
}

char *json_utf8(const char *text) {
	json_t *json = json_text(text);
	char *copy = json ? strdup(json_string_value(json)) : NULL;
	json_decref(json);
	return copy;
}

const char *json_text_of(const json_t *object, const char *member) {
	return json_string_value(json_object_get(object, member));
}

json_int_t json_number_of(const json_t *object, const char *member) {
	return json_integer_value(json_object_get(object, member));
}

int json_write(json_t *json, const char *path) {
	char *text = json ? json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL;
	const int ret = text ? file_write(path, text, strlen(text)) : -ENOMEM;
	json_decref(json);
	free(text);
	return ret;
}

int json_print(json_t *report) {
	char *text = json_dumps(report, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
	json_decref(report);
	if (!text) {
		return -ENOMEM;
	}
	puts(text);
	promised.verb = NULL;
	free(text);
	return 0;
}

int json_finish(json_t *report, int exit) {
	if (json_print(report) < 0) {
		log_line("%s", strerror(ENOMEM));
		return worse(exit, EXIT_TROUBLE);
	}
	return exit;
}

int json_captures(const char *verb, const struct option_args *captures, bool is_json,
		json_capture_fn *one, const void *options) {
	json_t *reports = is_json ? json_array() : NULL;
	int exit = EXIT_FINE;
	for (unsigned i = 0; i < captures->n; i++) {
		const char *path = captures->v[i];
		exit = worse(exit, one(options, path, reports));
		if (reports && json_array_size(reports) == i) {
			json_array_append_new(reports, json_pack("{so s[o]}", "path",
					json_text(path), "errors", json_last_error()));
		}
	}
	if (reports) {
		json_t *report = json_report(verb);
		json_object_set_new(report, "captures", reports);
		exit = json_finish(report, exit);
	}
	return exit;
}

int json_each(const char *verb, const struct option_args *captures, bool is_json,
		json_capture_fn *one, const void *options) {
	int exit = EXIT_FINE;
	if (is_json && captures->n > 1) {
		return json_captures(verb, captures, true, one, options);
	}
	if (is_json) {
		json_promise(verb, captures->v[0]);
	}
	for (unsigned i = 0; i < captures->n; i++) {
		if (i > 0) {
			putchar('\n');
		}
		exit = worse(exit, one(options, captures->v[i], NULL));
	}
	return exit;
}

int json_put(json_t *report, json_t *reports, int exit) {
	if (!reports) {
		return json_finish(report, exit);
	}
	return json_array_append_new(reports, report) < 0 ? log_no_memory() : exit;
}

/* ---- Reports that cannot be made ---- */

void json_promise(const char *verb, const char *path) {
	promised.verb = verb;
	promised.path = path;
}

void json_keep_promise(void) {
	if (!promised.verb) {
		return;
	}
	json_t *report = json_report(promised.verb);
	if (promised.path) {
		json_object_set_new(report, "path", json_text(promised.path));
	}
	json_object_set_new(
			report, "errors", json_pack("[o]", json_last_error()));
	json_finish(report, EXIT_FINE);
}
