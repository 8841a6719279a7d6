#include "options/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pictures/plain.h"

enum {
	EXIT_USAGE = 2,
	HELP_COLUMN = 24,
	MARGIN = 79,
	MAX_ROWS = 128,
	KEY_ROW = 0x100, /* of row 0 */
	KEY_HELP = KEY_ROW + MAX_ROWS, /* in the order of common_rows */
	KEY_HELP_ALL,
	KEY_USAGE,
	KEY_VERSION,
};

static const char *version, *program = "";
static bool is_plain; /* messages of getopt() go through plain_text() */

static void begin_plain(void) {
	if (!is_plain) {
		plain_stderr_begin();
	}
	is_plain = true;
}

static void end_plain(void) {
	if (is_plain) {
		plain_stderr_end();
	}
	is_plain = false;
}

void options_set_version(const char *text) {
	version = text;
}

/* ---- Values ---- */

bool parse_number(const char *text, uint64_t max, uint64_t *out) {
	if (!isdigit((unsigned char)text[0])) {
		return false;
	}
	const bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, is_hex ? 16 : 10);
	if (errno || *end || n > max) {
		return false;
	}
	*out = n;
	return true;
}

/* "a, b or c" */
static void join(char *out, size_t size, const char *const *words) {
	size_t len = 0;
	for (unsigned i = 0; words[i] && len < size; i++) {
		const char *between = i == 0 ? "" : words[i + 1] ? ", " : " or ";
		len += (size_t)snprintf(out + len, size - len, "%s%s", between, words[i]);
	}
}

static const char *set_number(void *at, const struct option_row *row, const char *text) {
	static char error[128];
	uint64_t n;
	if (!parse_number(text, row->max, &n) || n < row->min) {
		if (row->expected) {
			snprintf(error, sizeof(error), "expected %s", row->expected);
		} else {
			snprintf(error, sizeof(error), "expected a number from %llu to %llu",
					(unsigned long long)row->min, (unsigned long long)row->max);
		}
		return error;
	}
	if (row->kind == OPTION_U32) {
		*(uint32_t *)at = (uint32_t)n;
	} else {
		*(uint64_t *)at = n;
	}
	return NULL;
}

bool option_word(const char *const *words, const char *text, unsigned *index) {
	unsigned i = 0;
	while (words[i] && strcmp(words[i], text) != 0) {
		i++;
	}
	*index = words[i] ? i : *index;
	return words[i];
}

/* Letters to insert, drop, change, or swap with the next one. */
static unsigned distance(const char *a, const char *b) {
	enum { LONGEST = 31 };
	unsigned rows[3][LONGEST + 1]; /* of the last three letters of a */
	const size_t n_a = strlen(a), n_b = strlen(b);
	if (n_a > LONGEST || n_b > LONGEST) {
		return UINT_MAX;
	}
	for (size_t i = 0; i <= n_a; i++) {
		unsigned *row = rows[i % 3];
		const unsigned *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
		row[0] = (unsigned)i;
		for (size_t k = 1; k <= n_b; k++) {
			unsigned least = row[k - 1] + 1;
			if (i > 0) {
				const unsigned change = up[k - 1] + (a[i - 1] != b[k - 1]);
				least = change < least ? change : least;
				least = up[k] + 1 < least ? up[k] + 1 : least;
			}
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
				least = up2[k - 2] + 1 < least ? up2[k - 2] + 1 : least;
			}
			row[k] = least;
		}
	}
	return rows[n_a % 3][n_b];
}

const char *option_nearest(const char *const *words, const char *text) {
	const char *nearest = NULL;
	unsigned least = (unsigned)(strlen(text) + 2) / 3 + 1;
	for (; *words; words++) {
		const unsigned n = distance(text, *words);
		if (n < least) {
			least = n;
			nearest = *words;
		}
	}
	return nearest;
}

static const char *set_choice(unsigned *at, const struct option_row *row, const char *text) {
	static char error[256];
	if (option_word(row->words, text, at)) {
		return NULL;
	}
	strcpy(error, "expected ");
	join(error + strlen(error), sizeof(error) - strlen(error), row->words);
	return error;
}

const char *option_set(void *base, const struct option_row *row, char *text) {
	void *at = (char *)base + row->at;
	const char *error;
	unsigned index = 0;
	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)at = true;
		return NULL;
	case OPTION_TEXT:
		*(const char **)at = text;
		return NULL;
	case OPTION_U32:
	case OPTION_U64:
		return set_number(at, row, text);
	case OPTION_CHOICE:
		return set_choice(at, row, text);
	case OPTION_WORD:
		error = set_choice(&index, row, text);
		*(const char **)at = error ? NULL : row->words[index];
		return error;
	case OPTION_BIT:
		*(unsigned *)at |= (unsigned)row->min;
		return NULL;
	case OPTION_CALL:
		return row->parse(at, text);
	case OPTION_HEADING:
		break;
	}
	return NULL;
}

/* ---- Rows ---- */

/* Iterates over the rows of all tables. */
struct cursor {
	const struct option_spec *spec;
	unsigned table, row;
};

static const struct option_row *next_row(struct cursor *c) {
	while (c->table < OPTION_TABLES && c->row == c->spec->tables[c->table].n) {
		c->table++;
		c->row = 0;
	}
	return c->table < OPTION_TABLES ? &c->spec->tables[c->table].rows[c->row++] : NULL;
}

static bool takes_argument(const struct option_row *row) {
	return row->arg || row->kind == OPTION_CHOICE;
}

/* "=PATH", "[=SOCKET]", "=a|b", "" */
static void argument_text(char *out, size_t size, const struct option_row *row) {
	const char *open = row->is_arg_optional ? "[=" : "=", *close = row->is_arg_optional ? "]" : "";
	if (row->arg) {
		snprintf(out, size, "%s%s%s", open, row->arg, close);
		return;
	}
	size_t len = 0;
	out[0] = '\0';
	for (unsigned i = 0; takes_argument(row) && row->words[i] && len < size; i++) {
		len += (size_t)snprintf(out + len, size - len, "%s%s", i ? "|" : open, row->words[i]);
	}
}

/* ---- Texts ---- */

/* Prints words from a column on, and breaks lines at the margin. */
static void put_wrapped(const char *text, unsigned column, unsigned indent) {
	for (unsigned gap = 0; *text; gap = 1) {
		const size_t n = strcspn(text, " ");
		if (column > indent && column + gap + n > MARGIN) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		} else if (gap) {
			putchar(' ');
			column++;
		}
		fwrite(text, 1, n, stdout);
		column += (unsigned)n;
		text += n + strspn(text + n, " ");
	}
	putchar('\n');
}

static void put_row(const struct option_row *row) {
	char head[160], arg[96];
	argument_text(arg, sizeof(arg), row);
	int len = row->letter ? snprintf(head, sizeof(head), "  -%c, --%s%s", row->letter, row->name, arg) :
				snprintf(head, sizeof(head), "      --%s%s", row->name, arg);
	const unsigned column = len < HELP_COLUMN - 1 ? HELP_COLUMN : (unsigned)len + 2;
	printf("%-*s", (int)column, head);
	put_wrapped(row->help, column, HELP_COLUMN);
}

/* Options that every program has. */
static const struct option_row common_rows[] = {
	{ .name = "help", .letter = '?', .help = "Give this help list" },
	{ .name = "help-all", .help = "This list and the rarer options" },
	{ .name = "usage", .help = "Give a short usage message" },
	{ .name = "version", .letter = 'V', .help = "Print program version" },
};

/* Whether a row of common_rows belongs to the program. */
static bool is_common(unsigned i) {
	return i != 3 || version;
}

/* Returns the length of the first form; moves *forms to the next one. */
static int next_form(const char **forms, const char **at) {
	*at = *forms;
	const size_t n = strcspn(*forms, "\n");
	*forms += n + ((*forms)[n] == '\n');
	return (int)n;
}

static void print_help(const struct option_spec *spec, bool all) {
	const char *forms = spec->forms ? spec->forms : "", *form;
	const char *lead = "Usage:";
	bool has_heading = false;
	do {
		const int n = next_form(&forms, &form);
		printf("%s %s [OPTION...]%s%.*s\n", lead, program, n ? " " : "", n, form);
		lead = "  or: ";
	} while (*forms);
	put_wrapped(spec->doc, 0, 0);
	putchar('\n');
	struct cursor c = { spec, 0, 0 };
	for (const struct option_row *row; (row = next_row(&c));) {
		if (row->kind == OPTION_HEADING) {
			printf("%s %s\n", has_heading ? "\n" : "", row->help);
			has_heading = true;
		} else if (!row->is_hidden || all) {
			put_row(row);
		}
	}
	if (has_heading) {
		putchar('\n');
	}
	for (unsigned i = 0; i < sizeof(common_rows) / sizeof(common_rows[0]); i++) {
		if (is_common(i)) {
			put_row(&common_rows[i]);
		}
	}
	if (spec->notes) {
		printf("\n%s\n", spec->notes);
	}
}

static void put_usage(const struct option_row *row, char *line, size_t size) {
	char arg[96];
	argument_text(arg, sizeof(arg), row);
	const size_t len = strlen(line);
	if (row->letter && takes_argument(row)) {
		snprintf(line + len, size - len, "[-%c%s%s] [--%s%s] ", row->letter, row->arg ? " " : "",
				row->arg ? row->arg : "", row->name, arg);
	} else if (row->letter) {
		snprintf(line + len, size - len, "[-%c] [--%s] ", row->letter, row->name);
	} else {
		snprintf(line + len, size - len, "[--%s%s] ", row->name, arg);
	}
}

static void print_usage(const struct option_spec *spec) {
	enum { INDENT = 12 };
	char line[8192] = "";
	struct cursor c = { spec, 0, 0 };
	for (const struct option_row *row; (row = next_row(&c));) {
		if (row->name && !row->is_hidden) {
			put_usage(row, line, sizeof(line));
		}
	}
	for (unsigned i = 0; i < sizeof(common_rows) / sizeof(common_rows[0]); i++) {
		if (is_common(i)) {
			put_usage(&common_rows[i], line, sizeof(line));
		}
	}
	const char *forms = spec->forms ? spec->forms : "", *form;
	const int n = next_form(&forms, &form);
	const size_t len = strlen(line);
	snprintf(line + len, sizeof(line) - len, "%.*s", n, form);
	put_wrapped(line, (unsigned)printf("Usage: %s ", program), INDENT);
}

/* For a shell: "option --name= ARG words" and "form CAPTURE..." in lines. */
static void print_complete(const struct option_spec *spec) {
	struct cursor c = { spec, 0, 0 };
	for (const struct option_row *row; (row = next_row(&c));) {
		const bool is_wanted = takes_argument(row) && !row->is_arg_optional;
		if (!row->name) {
			continue;
		}
		printf("option --%s%s %s", row->name, is_wanted ? "=" : "", row->arg ? row->arg : "-");
		for (unsigned i = 0; row->words && row->words[i]; i++) {
			printf(" %s", row->words[i]);
		}
		putchar('\n');
	}
	for (unsigned i = 0; i < sizeof(common_rows) / sizeof(common_rows[0]); i++) {
		if (is_common(i)) {
			printf("option --%s -\n", common_rows[i].name);
		}
	}
	for (const char *forms = spec->forms ? spec->forms : "", *form; *forms;) {
		const int n = next_form(&forms, &form);
		printf("form %.*s\n", n, form);
	}
}

/* ---- Command lines ---- */

/* After the message. */
static _Noreturn void end_usage(void) {
	fprintf(stderr, "Try `%s --help' or `%s --usage' for more information.\n", program, program);
	end_plain();
	exit(EXIT_USAGE);
}

void options_fail(const char *fmt, ...) {
	va_list args;
	va_start(args, fmt);
	begin_plain();
	fprintf(stderr, "%s: ", program);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	end_usage();
}

/* Ends the process after a text on the standard output. */
static _Noreturn void end_text(void) {
	end_plain();
	errno = 0;
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "%s: standard output: %s\n", program, strerror(errno ? errno : EIO));
		_exit(EXIT_USAGE);
	}
	exit(0);
}

static void take(const struct option_spec *spec, unsigned index, char *text, void *input) {
	struct cursor c = { spec, 0, 0 };
	const struct option_row *row = next_row(&c);
	for (unsigned i = 0; i < index; i++) {
		row = next_row(&c);
	}
	const struct option_table *table = &spec->tables[c.table];
	char *base = (char *)input + table->at;
	if (row->given) {
		*(unsigned *)(base + table->given_at) |= row->given;
	}
	const char *error = spec->set ? spec->set(input, table, row, text) : option_set(base, row, text);
	if (error) {
		options_fail("--%s %s: %s", row->name, text, error);
	}
}

/* Suggests an option for an unknown one. */
static void suggest(const struct option_spec *spec, const char *text) {
	const char *words[MAX_ROWS + 1] = { NULL }, *equals = strchr(text, '=');
	char name[32];
	unsigned n = 0;
	struct cursor c = { spec, 0, 0 };
	for (const struct option_row *row; n < MAX_ROWS && (row = next_row(&c));) {
		words[n] = row->name;
		n += row->name != NULL;
	}
	snprintf(name, sizeof(name), "%.*s", equals ? (int)(equals - text) - 2 : 31, text + 2);
	const char *meant = option_nearest(words, name);
	/* Otherwise the option is known, and the error is another one. */
	if (meant && strncmp(meant, name, strlen(name)) != 0) {
		fprintf(stderr, "Did you mean --%s?\n", meant);
	}
}

/* Handles results of getopt() that are not rows of tables. */
static _Noreturn void take_common(const struct option_spec *spec, int key, char **argv) {
	if (key == KEY_USAGE) {
		print_usage(spec);
	} else if (key == KEY_VERSION) {
		puts(version);
	} else if (key == '?' && (optopt || strncmp(argv[optind - 1], "--", 2) == 0)) {
		if (!optopt) { /* getopt() has printed the error */
			suggest(spec, argv[optind - 1]);
		}
		end_usage();
	} else {
		print_help(spec, key == KEY_HELP_ALL);
	}
	end_text();
}

struct option_args options_parse(const struct option_spec *spec, int argc, char **argv, void *input) {
	struct option longs[MAX_ROWS + 6] = { { 0 } };
	char shorts[2 * MAX_ROWS + 8] = "";
	size_t n_shorts = 0;
	unsigned n = 0, n_longs = 0;
	char *slash = strrchr(argv[0], '/');
	program = argv[0] = slash ? slash + 1 : argv[0]; /* getopt() names it in its messages */
	shorts[n_shorts++] = '?';
	if (spec->is_in_order) {
		memmove(shorts + 1, shorts, n_shorts++);
		shorts[0] = '+';
	}
	char keys[MAX_ROWS] = "";
	struct cursor c = { spec, 0, 0 };
	for (const struct option_row *row; n < MAX_ROWS && (row = next_row(&c)); n++) {
		keys[n] = row->letter;
		if (row->name) {
			longs[n_longs++] = (struct option){ row->name,
				!takes_argument(row) ? no_argument :
				row->is_arg_optional ? optional_argument : required_argument,
				NULL, (int)(KEY_ROW + n) };
		}
		if (row->letter) {
			shorts[n_shorts++] = row->letter;
			if (takes_argument(row)) {
				shorts[n_shorts++] = ':';
			}
		}
	}
	for (unsigned i = 0; i < sizeof(common_rows) / sizeof(common_rows[0]); i++) {
		if (is_common(i)) {
			longs[n_longs++] = (struct option){ common_rows[i].name, no_argument, NULL,
				KEY_HELP + (int)i };
		}
	}
	if (version) {
		shorts[n_shorts++] = 'V';
	}
	/* Not by abbreviations, which must not become ambiguous. */
	if (argc == 2 && strcmp(argv[1], "--complete") == 0) {
		print_complete(spec);
		end_text();
	}
	optind = 0; /* from the start again */
	opterr = 1;
	begin_plain();
	for (int key; (key = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
		char *letter = key > 0 && key < KEY_ROW && key != '?' ? memchr(keys, key, n) : NULL;
		if (key == 'V' && !letter) {
			key = KEY_VERSION;
		}
		if (letter || (key >= KEY_ROW && key < KEY_HELP)) {
			take(spec, letter ? (unsigned)(letter - keys) : (unsigned)(key - KEY_ROW), optarg, input);
		} else {
			take_common(spec, key, argv);
		}
	}
	const struct option_args args = { argv + optind, (unsigned)(argc - optind) };
	if (args.n > spec->max_args && spec->max_args == 0) {
		options_fail("%s: expected only options", args.v[0]);
	}
	if (args.n > spec->max_args && spec->at_most) {
		options_fail("expected %s", spec->at_most);
	}
	if (args.n < spec->min_args || args.n > spec->max_args) {
		options_fail("expected %s", spec->expected);
	}
	if (spec->check) {
		spec->check(input, args);
	}
	end_plain();
	return args;
}
