/* The options of picad: on the command line and in picad.conf, by the same names (options.def). */
#ifndef SERVICE_OPTIONS_H
#define SERVICE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "service/server.h"

enum { OPTIONS_MORE = 256, OPTIONS_SOCKET_BYTES = 108 };

struct options {
	/* One char * for each text of options.def: the given value, or NULL. */
#define SUBJECT(title)
#define TEXT(member, ...) char *member;
#define CHOICE(member, ...) char *member;
#define NUMBER(...)
#define BYTES(...)
#include "service/options.def"
	char *config; /* the given file; NULL: /etc/pica/picad.conf, if it exists */
	char *more[OPTIONS_MORE]; /* further captures of the kiosk, from the command line */
	unsigned n_more;
	struct server_settings settings; /* the numbers, and the defaults of all others */
	bool print_config;
};
#undef SUBJECT
#undef TEXT
#undef CHOICE
#undef NUMBER
#undef BYTES

/*
 * Reads the defaults, then the configuration with its drop-ins, then the command line, which may
 * name another configuration. On error prints it and exits with 2; --help and --version print and
 * exit.
 */
void options_read(struct options *o, int argc, char **argv);
/*
 * Rereads the options after SIGHUP into fresh; the command line still takes precedence. Keys that
 * cannot change at run time keep the values of o; fixed gets the names of those that would have
 * changed, separated by commas. Returns 0; then call options_adopt() or options_discard(). On
 * failure prints the error, returns -EINVAL, leaves fresh empty and o unchanged.
 */
int options_reread(struct options *fresh, struct options *o, int argc, char **argv, char *fixed,
		size_t fixed_bytes);
/* Call if the fresh options are valid: moves them to o, which keeps texts that others borrow. */
void options_adopt(struct options *o, struct options *fresh);
/* Call if the fresh options are not valid. */
void options_discard(struct options *o, struct options *fresh);
void options_finish(struct options *o);
/* Returns the level of the least important lines to log. */
enum log_level options_log_level(const struct options *o);
/* Returns whether the display is on a card. */
bool options_has_card(const struct options *o);
/* Returns whether a seat daemon grants the card; it is asked again after a restart. */
bool options_has_seat(const struct options *o);
/* Returns the path of the configuration, whether it exists or not. */
const char *options_config(const struct options *o);
/* Returns the path of the socket; a default path is stored in own. */
const char *options_socket(const struct options *o, char own[OPTIONS_SOCKET_BYTES]);
/* Prints the options as an equivalent picad.conf. */
void options_print(const struct options *o, FILE *out);
/*
 * Fills settings, which borrow texts of o. Returns 0, or -EINVAL after printing the error: a group
 * or a folder does not exist.
 */
int options_apply(const struct options *o, struct server_settings *settings);

#endif
