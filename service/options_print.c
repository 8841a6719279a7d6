/* Prints the options as an equivalent configuration. */
#include <inttypes.h>
#include <string.h>

#include "service/options_table.h"

/* A part of a pattern in braces: commas outside its own braces are escaped. */
static void print_part(const char *pattern, FILE *out) {
	unsigned depth = 0;
	for (const char *c = pattern; *c; c++) {
		if (*c == '\\' && c[1]) {
			fputc(*c++, out);
		} else if (*c == ',' && !depth) {
			fputc('\\', out);
		}
		depth += *c == '{';
		depth -= *c == '}' && depth;
		fputc(*c, out);
	}
}

/* Prints all captures of the command line in the form of a configuration. */
static void print_captures(const struct options *o, FILE *out) {
	fputs("kiosk = {", out);
	print_part(o->kiosk, out);
	for (unsigned i = 0; i < o->n_more; i++) {
		fputc(',', out);
		print_part(o->more[i], out);
	}
	fputs("}\n", out);
}

static void print_text(const struct options *o, const struct row *row, FILE *out) {
	char own[OPTIONS_SOCKET_BYTES];
	const char *text = row_text_in_force(o, row, own);
	const char *why = strstr(row->doc, "(default: ");
	if (text && text == o->kiosk && o->n_more) {
		print_captures(o, out);
	} else if (text) {
		fprintf(out, "%s = %s\n", row->name, text);
	} else if (row->unless) {
		fprintf(out, "; %s: %s\n", row->name, row->unless);
	} else {
		why = why ? why + strlen("(default: ") : "not set)";
		fprintf(out, "; %s: %.*s\n", row->name, (int)strcspn(why, ")"), why);
	}
}

void options_print(const struct options *o, FILE *out) {
	fprintf(out, "[picad]\n");
	for (unsigned i = 0; i < n_option_rows; i++) {
		const struct row *row = &option_rows[i];
		if (row_is_number(row)) {
			fprintf(out, "%s = %" PRIu64 "\n", row->name, row_number(o, row));
		} else if (row_is_text(row)) {
			print_text(o, row, out);
		}
	}
}
