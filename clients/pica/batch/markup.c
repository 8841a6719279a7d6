/* JUnit XML, as build servers read it. */

#include "batch.h"
#include "common/markup.h"

static bool is_failure(enum batch_state state) {
	return state == BATCH_DIFFERENT;
}

static void write_case(FILE *f, const struct batch_row *row) {
	fputs("\t\t<testcase classname=\"pica.batch\" name=\"", f);
	markup_text(f, row->name);
	fprintf(f, "\" time=\"%.3f\"", row->seconds);
	if (row->state == BATCH_PASS) {
		fputs("/>\n", f);
		return;
	}
	if (row->state == BATCH_UNUSED) { /* a failure of nothing */
		fprintf(f, "><skipped message=\"%s\"/></testcase>\n", batch_row_message(row, 0));
		return;
	}
	const char *first = batch_row_message(row, 0),
		   *kind = is_failure(row->state) ? "failure" : "error";
	fprintf(f, ">\n\t\t\t<%s type=\"%s\" message=\"", kind, batch_state_name(row->state));
	markup_text(f, first ? first : batch_state_name(row->state));
	fputs("\">", f);
	const char *message;
	for (size_t i = 0; (message = batch_row_message(row, i)); i++) {
		fputs(i ? "\n" : "", f);
		markup_text(f, message);
	}
	fprintf(f, "</%s>\n\t\t</testcase>\n", kind);
}

int batch_junit_write(FILE *f, const struct batch_report *report) {
	unsigned failures = 0, errors = 0;
	for (unsigned i = 0; i < BATCH_STATE_COUNT; i++) {
		unsigned *sum = is_failure((enum batch_state)i) ? &failures : &errors;
		*sum += i == BATCH_PASS || i == BATCH_UNUSED ? 0 : report->counts[i];
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", f);
	fprintf(f,
			"\t<testsuite name=\"pica batch\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" "
			"time=\"%.3f\">\n",
			report->n, failures, errors, report->counts[BATCH_UNUSED], report->seconds);
	for (unsigned i = 0; i < report->n; i++) {
		write_case(f, &report->rows[i]);
	}
	fputs("\t</testsuite>\n</testsuites>\n", f);
	return 0;
}
