/*
 * Command lines from tables, one row an option. The help, the usage errors and the words for shell
 * completion come from the rows.
 */
#ifndef OPTIONS_OPTIONS_H
#define OPTIONS_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attributes.h"

/* How a value is stored. */
enum option_kind {
	OPTION_FLAG,    /* bool: true */
	OPTION_TEXT,    /* const char *: the argument itself, borrowed */
	OPTION_U32,     /* uint32_t: a whole number from min to max, decimal or 0x */
	OPTION_U64,     /* uint64_t: the same */
	OPTION_CHOICE,  /* unsigned or an enum: the index of one of the words */
	OPTION_WORD,    /* const char *: one of the words, borrowed */
	OPTION_BIT,     /* unsigned: "or" with min */
	OPTION_CALL,    /* as parse() does it */
	OPTION_HEADING, /* not an option: help is the title of the rows that follow, with a colon */
};

struct option_row {
	const char *name; /* without dashes; NULL: a heading */
	char letter;      /* 0: none */
	const char *arg;  /* its name in the help; NULL: no argument, or the words of a choice */
	const char *help;
	enum option_kind kind;
	size_t at;        /* offset of the member in the table's struct */
	uint64_t min, max;
	const char *const *words; /* up to NULL: the words of a choice, or of shell completion */
	/* at: the struct's member. Returns the error of the text, or NULL. */
	const char *(*parse)(void *at, char *text);
	unsigned given;           /* bits to set in the table's "given" */
	bool is_hidden;           /* shown by --help-all only */
	bool is_arg_optional;     /* without an argument, the text is NULL */
	const char *expected;     /* of numbers: "a number of pixels"; NULL: with min and max */
};

/* Rows that belong to one struct. */
struct option_table {
	const struct option_row *rows;
	unsigned n;
	size_t at;       /* offset of the struct in the program's input */
	size_t given_at; /* offset of its unsigned "given"; used only if a row has bits for it */
};

#define OPTION_TABLE(rows_, at_, given_at_) \
	{ rows_, sizeof(rows_) / sizeof((rows_)[0]), at_, given_at_ }

/* The rest of the command line: the arguments that are not options. */
struct option_args {
	char **v;
	unsigned n;
};

enum { OPTION_TABLES = 4, OPTION_ANY = INT_MAX };

struct option_spec {
	const char *forms;    /* what follows [OPTION...], a line for each form of the command; NULL: nothing */
	const char *doc;      /* a paragraph above the options */
	const char *notes;    /* lines below them, or NULL */
	struct option_table tables[OPTION_TABLES];
	unsigned min_args, max_args; /* max_args: OPTION_ANY, or how many */
	const char *expected; /* the expected argument if there are too few: "a capture" */
	const char *at_most;  /* the same for too many: "one capture"; NULL: the same text */
	bool is_in_order;     /* options end at the first argument */
	/* Stores a value in place of option_set(), or NULL. */
	const char *(*set)(void *input, const struct option_table *table, const struct option_row *row,
			char *text);
	/* Takes the arguments; calls options_fail() for contradicting options; or NULL. */
	void (*check)(void *input, struct option_args args);
};

/*
 * Parses a command line as getopt_long() does. --help, --help-all, --usage, --version and a lone
 * --complete print and exit with 0; usage errors exit with 2. argv[0] names the program in all texts.
 */
struct option_args options_parse(const struct option_spec *spec, int argc, char **argv, void *input);
/* The text of --version; NULL: no such option. Borrowed. */
void options_set_version(const char *text);
/* Ends the process as a usage error, for the command line that was parsed last. */
_Noreturn void options_fail(const char *fmt, ...) PICA_PRINTF(1, 2);

/*
 * Stores a text by its row; base: the table's struct. Returns its error, valid until the next call,
 * or NULL.
 */
const char *option_set(void *base, const struct option_row *row, char *text);
/*
 * Stores the index of the word (the list ends with NULL) that equals text. Returns false if none
 * does.
 */
bool option_word(const char *const *words, const char *text, unsigned *index);
/*
 * Returns the word closest to text: with the fewest letters to insert, drop, change or swap, at
 * most a third of them. NULL: none is close. The list ends with NULL.
 */
const char *option_nearest(const char *const *words, const char *text);
/* Parses a decimal or 0x number up to max. Returns false if text is anything else. */
bool parse_number(const char *text, uint64_t max, uint64_t *out);

#endif
