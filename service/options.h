/* What picad can be told: on the command line and in picad.conf, by the same names. */
#ifndef SERVICE_OPTIONS_H
#define SERVICE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "service/server.h"

enum { OPTIONS_MORE = 256 };

struct options {
	char *socket;   /* path; NULL: where clients of user look */
	char *config;   /* file that was asked for; NULL: /etc/pica/picad.conf, where it exists */
	char *isa;      /* NULL: the best */
	char *access;   /* "user", "group:NAME", "all" */
	char *loop;     /* "auto", "uring", "epoll" */
	char *trace;    /* file; NULL: none */
	char *sandbox;  /* "auto", "on", "off" */
	char *user;     /* "NAME", "NAME:GROUP"; NULL: who started it */
	char *record;   /* folder; NULL: nothing is recorded */
	char *record_when; /* "always", "asked" */
	char *log_level;
	/* The display's: see options_display.c. */
	char *card, *connectors, *mode, *seat;
	char *display, *headless, *frames, *layout, *scale, *filter, *rotate, *background, *stereo,
			*focus, *idle;
	char *kiosk, *exec;
	char *more[OPTIONS_MORE]; /* further captures of the kiosk; the command line's */
	unsigned n_more;
	uint64_t linger_ms, presents;
	uint64_t total_memory, user_memory; /* bytes; user_memory 0: no limit beside the total */
	uint64_t user_sessions; /* 0: no limit beside max_sessions */
	uint64_t threads, max_sessions, max_greeting, hello_ms, max_priority, record_bytes,
			cpu_percent, job_seconds;
	struct pica_limits limits;
	uint64_t regions, contexts, jobs; /* 32-bit members of limits */
	bool print_config;
};

/*
 * Defaults, then the configuration with its drop-ins, then the command line, which may name another
 * configuration. Prints what is wrong and exits with 2; --help and --version print and exit.
 */
void options_read(struct options *o, int argc, char **argv);
/*
 * Again after SIGHUP, into fresh; the command line still wins. Keys that hold from the start on
 * keep the values of o; those that would have changed are named in fixed, with commas. -EINVAL:
 * what is wrong was printed, fresh is empty and o as it was. Otherwise one of the two calls that
 * follow.
 */
int options_reread(struct options *fresh, struct options *o, int argc, char **argv, char *fixed,
		size_t fixed_bytes);
/* The fresh ones are right: they become o, which keeps the texts that others borrow. */
void options_adopt(struct options *o, struct options *fresh);
/* They are not. */
void options_discard(struct options *o, struct options *fresh);
void options_finish(struct options *o);
/* The least important lines that are wanted. */
enum log_level options_log_level(const struct options *o);
/* Whether the display is one of a card. */
bool options_has_card(const struct options *o);
/* Whether somebody gives that card, who is asked again when he ended. */
bool options_has_seat(const struct options *o);
/* The path of the configuration, whether it exists or not. */
const char *options_config(const struct options *o);
/* The path of the socket: own holds it, if it was not told. */
const char *options_socket(const struct options *o, char own[108]);
/* As a picad.conf that says the same. */
void options_print(const struct options *o, FILE *out);
/* -EINVAL: a group or a folder that does not exist; printed. The settings borrow texts of o. */
int options_apply(const struct options *o, struct server_settings *settings);

#endif
