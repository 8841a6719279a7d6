/* The table of options and their values. Private to the files of options. */
#ifndef SERVICE_OPTIONS_TABLE_H
#define SERVICE_OPTIONS_TABLE_H

#include "service/options.h"

enum row_type { ROW_SUBJECT, ROW_TEXT, ROW_CHOICE, ROW_NUMBER, ROW_BYTES };

/* FIXED at the start, or LIVE: reread on SIGHUP. */
enum row_hold { FIXED, LIVE };

/* Where the default of an option is in force. */
enum row_where { ALWAYS, ON_A_CARD, HEADLESS, ON_A_DISPLAY };

struct row {
	enum row_type type;
	const char *name, *arg, *doc;
	enum row_hold hold;
	size_t offset; /* in struct options: a char *, or an integer of size bytes */
	size_t size;
	uint64_t unit, min, max;
	const char *unless;
	enum row_where where;
};

extern const struct row option_rows[];
extern const unsigned n_option_rows;

char **row_text(const struct options *o, const struct row *row);
uint64_t row_number(const struct options *o, const struct row *row);
bool row_is_text(const struct row *row);
bool row_is_number(const struct row *row);
/* Returns 0, or -EINVAL with what was expected in why. */
int row_set(struct options *o, const struct row *row, const char *value, char *why,
		size_t why_bytes);
/* Returns the effective text, given or default, or NULL if none. own: buffer for a default. */
const char *row_text_in_force(
		const struct options *o, const struct row *row, char own[OPTIONS_SOCKET_BYTES]);

/* ---- options_file.c ---- */
/* Reads the configuration and its drop-ins. Prints errors. Returns 0 or -EINVAL. */
int options_read_config(struct options *o);

#endif
