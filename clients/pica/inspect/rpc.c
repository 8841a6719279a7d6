/* JSON-RPC 2.0: one request, one answer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "inspect/calls.h"

enum {
	NOT_JSON = -32700,
	NOT_A_REQUEST = -32600,
	NO_SUCH_CALL = -32601,
	WRONG_PARAMETERS = -32602,
	FAILED = -32000,
};

enum {
	MESSAGE = 512,
	JSON_FORM = JSON_COMPACT | JSON_ENSURE_ASCII |
			JSON_REAL_PRECISION(12), /* as the verbs print */
};

static json_t *error_json(int code, const char *message) {
	return json_pack("{s{si so}}", "error", "code", code, "message", json_text(message));
}

/* ---- Parameters ---- */

static const struct option_row *find_row(const struct option_row *rows, const char *name) {
	for (; rows->name; rows++) {
		if (strcmp(rows->name, name) == 0) {
			return rows;
		}
	}
	return NULL;
}

/* Returns a value as text, as on a command line; the buffer is for numbers. NULL: not a number,
 * text or boolean. */
static const char *value_text(const json_t *value, char text[24]) {
	if (json_is_string(value)) {
		/* A zero byte would hide the rest. */
		const char *s = json_string_value(value);
		return strlen(s) == json_string_length(value) ? s : NULL;
	}
	if (!json_is_integer(value)) {
		return NULL;
	}
	snprintf(text, 24, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	return text;
}

/* Stores a parameter. Returns its error, valid until the next call, or NULL. */
static const char *set(
		struct inspect_params *p, const struct option_row *row, const json_t *value) {
	char text[24];
	if (row->kind == OPTION_FLAG) {
		*(bool *)((char *)p + row->at) = json_is_true(value);
		return json_is_boolean(value) ? NULL : "expected true or false";
	}
	const char *given = value_text(value, text);
	if (!given) {
		return "expected a whole number or a text";
	}
	p->given |= row->given;
	if (row->kind == OPTION_TEXT) {
		/* Borrowed from the request. */
		return json_is_string(value) ? option_set(p, row, (char *)given) :
					       "expected a text";
	}
	char copy[64];
	if (strlen(given) >= sizeof(copy)) {
		return "expected a shorter text";
	}
	strcpy(copy, given); /* parsers cut it in pieces */
	return option_set(p, row, copy);
}

static bool parse(struct inspect_params *p, const struct inspect_call *call, json_t *params,
		char message[MESSAGE]) {
	const char *name;
	json_t *value;
	json_object_foreach(params, name, value) {
		const struct option_row *row = find_row(call->rows, name);
		const char *error = row ? set(p, row, value) : "there is no such parameter";
		if (error) {
			snprintf(message, MESSAGE, "%s: %.40s: %s", call->name, name, error);
			return false;
		}
	}
	for (const struct option_row *row = call->rows; row->name; row++) {
		if (row->given & call->needed & ~p->given) {
			snprintf(message, MESSAGE, "%s: expected %s", call->name, row->name);
			return false;
		}
	}
	return true;
}

/* ---- Answers ---- */

static json_t *run(struct inspect_engine *e, const struct inspect_call *call, json_t *params) {
	struct inspect_params p = {
		.place = { .frame = FRAME_LAST, .step = INSPECT_NONE, .draw = INSPECT_NONE },
		.count = UINT32_MAX,
		.pixel = { .capture = e->path, .frame = FRAME_LAST, .engine = e->options },
	};
	char message[MESSAGE];
	if (!parse(&p, call, params, message)) {
		return error_json(WRONG_PARAMETERS, message);
	}
	if (e->here.info.chip == PICA_CHIP_VC4 && !call->is_for_vc4) {
		snprintf(message, MESSAGE, "%s: expected a capture of a PICA200", call->name);
		return error_json(FAILED, message);
	}
	json_t *result = NULL;
	log_hold();
	const int exit = call->run(e, &p, &result);
	log_release();
	if (exit == EXIT_FINE && result) {
		return json_pack("{so}", "result", result);
	}
	json_decref(result);
	const char *text = log_last()->message;
	return error_json(FAILED, text[0] ? text : strerror(ENOMEM));
}

/*
 * Takes the parameter "side", "a" or "b", out of the others. Returns the engine of that capture;
 * NULL: there is none.
 */
static struct inspect_engine *side_of(struct inspect_engine *e, json_t *params) {
	const json_t *value = json_object_get(params, "side");
	const char *side = json_is_string(value) ? json_string_value(value) : "";
	if (value && strcmp(side, "a") != 0) {
		e = strcmp(side, "b") == 0 ? e->other : NULL;
	}
	json_object_del(params, "side");
	return e;
}

/* Names of all calls. */
static void no_such_call(char message[MESSAGE]) {
	int len = snprintf(message, MESSAGE, "expected a method:");
	for (const struct inspect_call *c = inspect_calls; c->name && len < MESSAGE; c++) {
		len += snprintf(message + len, (size_t)(MESSAGE - len), " %s", c->name);
	}
}

static json_t *answer(struct inspect_engine *e, json_t *request) {
	char message[MESSAGE];
	json_t *params = json_object_get(request, "params"), *id = json_object_get(request, "id");
	const char *version = json_text_of(request, "jsonrpc");
	const char *method = json_text_of(request, "method");
	if (!version || strcmp(version, "2.0") != 0 || !method ||
			(!json_is_string(id) && !json_is_integer(id)) ||
			(params && !json_is_object(params))) {
		return error_json(NOT_A_REQUEST,
				"expected {\"jsonrpc\": \"2.0\", \"id\": a number or "
				"text, \"method\": a text, \"params\": an object}");
	}
	e = side_of(e, params);
	if (!e) {
		return error_json(WRONG_PARAMETERS, "side: expected a, or b of two captures");
	}
	for (const struct inspect_call *c = inspect_calls; c->name; c++) {
		if (strcmp(c->name, method) == 0) {
			return run(e, c, params);
		}
	}
	no_such_call(message);
	return error_json(NO_SUCH_CALL, message);
}

char *inspect_answer(struct inspect_engine *e, const char *request, size_t n) {
	json_error_t error;
	json_t *parsed = n > INSPECT_REQUEST_BYTES ?
			NULL :
			json_loadb(request, n,
					JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY,
					&error);
	json_t *out;
	if (n > INSPECT_REQUEST_BYTES) {
		out = error_json(NOT_A_REQUEST, "expected a request of at most 8MiB");
	} else if (!parsed) {
		char message[MESSAGE];
		snprintf(message, sizeof(message), "byte %d: %s", error.position, error.text);
		out = error_json(NOT_JSON, message);
	} else {
		out = answer(e, parsed);
	}
	json_t *id = json_object_get(parsed, "id");
	json_object_set_new(out, "jsonrpc", json_string("2.0"));
	json_object_set(out, "id", json_is_string(id) || json_is_integer(id) ? id : json_null());
	char *text = json_dumps(out, JSON_FORM);
	json_decref(out);
	json_decref(parsed);
	return text;
}

/* Reads a line; of one that is too long, one byte more than allowed. Returns false at the end. */
static bool read_line(char *line, size_t *n) {
	int c = getc(stdin);
	const bool is_end = c == EOF;
	for (*n = 0; c != EOF && c != '\n'; c = getc(stdin)) {
		if (*n <= INSPECT_REQUEST_BYTES) {
			line[(*n)++] = (char)c;
		}
	}
	return !is_end;
}

int inspect_stdio(struct inspect_engine *e) {
	size_t n;
	char *line = malloc(INSPECT_REQUEST_BYTES + 1);
	int exit = line ? EXIT_FINE : log_no_memory();
	while (exit == EXIT_FINE && read_line(line, &n)) {
		char *text = inspect_answer(e, line, n);
		if (!text) {
			exit = log_no_memory();
		} else if (puts(text) == EOF || fflush(stdout)) {
			exit = EXIT_TROUBLE; /* main() says why */
		}
		free(text);
	}
	free(line);
	return exit;
}
