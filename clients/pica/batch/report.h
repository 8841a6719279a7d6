/*
 * The reports of a batch: results.jsonl, junit.xml and report.html, from the results in its folder.
 */
#ifndef PICA_BATCH_REPORT_H
#define PICA_BATCH_REPORT_H

#include <stdio.h>

#include "batch.h"
#include "store.h"

struct batch_row {
	const struct batch_unit *unit;
	char *name; /* ours: the path as UTF-8 */
	enum batch_state state;
	json_t *result;   /* NULL: there is none */
	const char *what; /* why there is none, "" where it is only missing */
	json_t *run;      /* run.json, or NULL */
	double seconds;
	bool has_log;
};

struct batch_report {
	const struct batch_plan *plan;
	const char *command;    /* line, borrowed */
	struct batch_row *rows; /* ours, by path */
	unsigned n;
	unsigned counts[BATCH_STATE_COUNT];
	double seconds; /* of all runs */
};

/*
 * Reads all results. command: the command line, for the report. -ENOMEM; batch_report_finish() is
 * allowed in any case.
 */
int batch_report_load(struct batch_report *report, const struct batch_plan *plan,
		const struct batch_store *store, const char *command);
void batch_report_finish(struct batch_report *report);
/* The exit code that the worst of the units makes. */
int batch_report_exit(const unsigned counts[BATCH_STATE_COUNT]);
/* Removes the three files: reports in a folder belong to a finished run. Negative
 * errno; logs why. */
int batch_report_remove(const char *folder);
/* Writes them. Negative errno; logs why. */
int batch_report_write(const struct batch_report *report, const char *folder);
/*
 * "12 units: 10 pass, 2 different; FOLDER/report.html" on the standard output, or the same as JSON.
 * counts: of each state; file: in the folder, or NULL. -ENOMEM.
 */
int batch_report_print(const unsigned counts[BATCH_STATE_COUNT], const char *folder,
		const char *file, bool as_json);

/* The messages of a row: number i, NULL after the last. */
const char *batch_row_message(const struct batch_row *row, size_t i);

/* ---- html.c ---- */

/* 0, or -ENOMEM; other errors are those of the stream. */
int batch_html_write(FILE *f, const struct batch_report *report);

/* ---- views.c ---- */

/* Whether pictures show the difference. */
bool batch_has_views(const struct batch_row *row);
void batch_views(FILE *f, const struct batch_row *row);
/* The address of a file of a row's result. */
void batch_link(FILE *f, const struct batch_row *row, const char *file);
/* A picture of it, which leads to the file. size: attributes. */
void batch_image(FILE *f, const struct batch_row *row, const char *file, const char *what,
		const char *size);

/* ---- markup.c ---- */

/*
 * Text inside of elements and quoted attributes of XML and HTML; what XML has no place for becomes
 * '?'.
 */
void batch_markup_text(FILE *f, const char *text);
/* 0: errors are those of the stream. */
int batch_junit_write(FILE *f, const struct batch_report *report);

#endif
