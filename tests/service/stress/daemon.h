/* picad as a child of the test, in a temporary folder, and the kernel's numbers of it. */
#ifndef DAEMON_H
#define DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/base/attributes.h"

enum { DAEMON_ARGS = 26 };

struct daemon {
	const char *picad;
	pid_t pid;
	char folder[64];
	char socket[80];
	char log[80];
	char options[400];            /* beside --socket and --config, separated by spaces */
	void (*before_exec)(void);    /* in the child, or NULL */
	bool is_quiet;                /* what goes wrong is expected: nothing is printed */
	int status;                   /* as of waitpid(), once it ended */
};

/* A folder for it. Ends the program if there cannot be one. */
void daemon_init(struct daemon *d, const char *picad);
PICA_PRINTF(2, 3)
void daemon_options(struct daemon *d, const char *fmt, ...);
/* Removes the folder. Returns whether it had nothing but the log and the configuration. */
bool daemon_finish(struct daemon *d);
/*
 * Stops the service and removes the folder. Returns whether the test passed so far and the service
 * ended well; prints the log otherwise.
 */
bool daemon_end(struct daemon *d, bool passed);
/*
 * Runs fn with a service of one thread: options begin with the kind of its loop. Prints the name
 * with the result, and returns it.
 */
bool daemon_case(const char *name, const char *picad, const char *options,
		void (*before_exec)(void), bool (*fn)(struct daemon *d));
/*
 * For main() of a program with the arguments PICAD LOOP ...: runs fn, which returns whether it
 * passed, with a service of these options. Returns the exit status: 0, 1, 2 for fewer than least
 * arguments, 77 without io_uring.
 */
int daemon_main(char **argv, int least, const char *usage, const char *options,
		bool (*fn)(struct daemon *d, char **argv));
/* Starts it and waits until it accepts. On failure, prints its log and returns false. */
bool daemon_start(struct daemon *d);
bool daemon_is_alive(struct daemon *d);
/*
 * Sends SIGTERM. Returns the exit status; if a signal killed it or it does not end, prints its log
 * and returns -1.
 */
int daemon_stop(struct daemon *d);
/* SIGKILL, and waits. */
void daemon_kill(struct daemon *d);
void daemon_print_log(const struct daemon *d);
bool daemon_log_has(const struct daemon *d, const char *text);
/* Waits for the text: a thread of the service writes its log. Returns whether it came. */
bool daemon_logs(const struct daemon *d, const char *text);

/* Of any process. -1: it is gone. */
int process_fds(pid_t pid);
int process_threads(pid_t pid);
long process_rss_kib(pid_t pid);
long process_shmem_kib(pid_t pid);
/* Mappings of memory files: regions and rings. */
int process_memfds(pid_t pid);
struct counts {
	int fds, memfds, threads;
};
struct counts process_counts(pid_t pid);
/*
 * Waits until the process has the descriptors and mappings that it had, and no more threads than it
 * had and more_threads. Returns whether it came to that; prints what is left otherwise.
 */
bool process_settles(pid_t pid, struct counts before, int more_threads);

/* Ends a case that returns whether it passed. */
#define EXPECT(promise) do { \
		if (!(promise)) { \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #promise); \
			return false; \
		} \
	} while (0)

#endif
