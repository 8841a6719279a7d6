/*
 * The service: sessions of clients, one libpica device, memory, fair scheduling. Everything runs on
 * the loop's thread, except the reaper (reaper.h) and libpica's own threads.
 */
#ifndef SERVICE_SERVER_H
#define SERVICE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pica.h"
#include "pica_hello.h"
#include "service/loop.h"
#include "service/presenter.h"
#include "service/server_log.h"

/* Users that may connect. */
enum server_access {
	SERVER_ACCESS_USER,  /* the service's own user, and root */
	SERVER_ACCESS_GROUP, /* and members of a group */
	SERVER_ACCESS_ALL,
};

struct server_settings {
	enum loop_kind loop;
	enum server_access access;
	gid_t group;
	struct pica_limits limits;  /* of each session */
	uint32_t max_sessions;
	uint32_t user_sessions;     /* of one user; 0: no separate limit */
	uint64_t total_memory_bytes; /* of all sessions */
	uint64_t user_memory_bytes; /* of one user's sessions; 0: no limit */
	uint64_t user_cpu_ns_per_s; /* likewise, processor time */
	uint32_t max_greeting;      /* connections without a HELLO yet */
	uint64_t hello_ns;          /* how long they may take to send it */
	int32_t max_priority;       /* that a client may request, 0..10 */
	uint64_t stop_ns;          /* from server_stop() to the end; 0: no limit */
	uint64_t job_ns;           /* a job that takes longer ends its session; 0: none does */
	const char *record_folder; /* borrowed; NULL: nothing can be recorded */
	bool record_always;        /* every session; false: only on request */
	uint64_t record_bytes;     /* of a file; 0: no limit */
	uint64_t record_user_bytes, record_total_bytes; /* of a user's files, of all; 0: no limit */
	uint32_t record_user_files; /* likewise */
	uint64_t record_queue_bytes; /* waiting for the disk; more end the recording */
	uint64_t record_patience_ns; /* longest wait for a slow disk; then it is dropped */
	struct present_settings present; /* present.impl NULL: no display */
	struct pica_settings device; /* threads, isa, float mode; its log is replaced */
	server_log_fn *log;
	/*
	 * Called with log_user, on the loop's thread, when the user closes the display (error 0) or
	 * it cannot continue. NULL: the service continues without a display
	 */
	void (*display_ended)(void *user, int error);
	void *log_user;
	enum log_level log_level;
};

/* Sets the defaults, as shown by `picad --print-config`. */
void server_settings_init(struct server_settings *settings);

struct server;

/* Returns 0 or a negative errno; *out is unchanged on failure. */
int server_create(struct server **out, const struct server_settings *settings);
/*
 * Ends all sessions and waits for their work, at most until stop_ns after server_stop(). NULL is
 * allowed. If work is left, logs it and returns false; threads of the service then continue, with
 * everything they use, until the process ends.
 */
bool server_destroy(struct server *server);
/*
 * Accepts clients from a listening non-blocking SOCK_SEQPACKET socket, which the server owns from
 * then on (also on failure). A second socket replaces the first. Returns 0 or a negative errno.
 */
int server_listen(struct server *server, int listener);
/*
 * Adds a client in the same process by its connected non-blocking socket, without checking its
 * credentials. Call before server_run(), or on its thread. Returns 0 or a negative errno.
 */
int server_add_client(struct server *server, int sock);
/*
 * Applies new limits and access to later requests, and informs sessions of them; applies the
 * changes of presenter_reload() at once. Returns 0, or -ENOMEM and changes nothing.
 */
int server_reload(struct server *server, const struct server_settings *settings);
/*
 * Runs until server_stop() was called and everything that was submitted by then, up to a session's
 * quota of jobs, is complete, or a third of stop_ns is over. Returns 0 or a negative errno.
 */
int server_run(struct server *server);
/*
 * Stops taking work; server_run() drains, then returns. Any thread, and signal handlers' threads.
 */
void server_stop(struct server *server);

struct loop *server_loop(struct server *server);
const char *server_loop_name(const struct server *server);
uint32_t server_sessions(const struct server *server);

#endif
