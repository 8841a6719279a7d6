/* The inside of libpica-client. */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "pica_client.h"
#include "ring.h"
#include "sock.h"

struct builtin;

struct pica_client_memory {
	struct pica_client_memory *next; /* client.memory */
	struct pica_client *client;
	struct pica_client_ctx *ctx; /* mapped in it, or NULL */
	uint32_t handle, phys, size_bytes, flags;
	int fd; /* kept for a reconnection */
	void *host;
};

struct pica_client_ctx {
	struct pica_client_ctx *next; /* client.contexts */
	struct pica_client *client;
	uint32_t handle, slot;
	int32_t rank;
	uint32_t arithmetic; /* PICA_ARITHMETIC_* */
	struct pica_job *init_jobs;
	size_t n_init_jobs;
};

struct pica_client {
	char *where;
	struct pica_client_settings settings;
	char name[PICA_NAME_BYTES];
	struct builtin *builtin; /* NULL: another process */
	int sock, bell_out, bell_in, poll_fd;
	/* keeps writing to a dead service from raising SIGPIPE; -1: that is held back */
	int bell_reader;
	void *ring_base;
	size_t ring_bytes;
	struct ring_client ring;
	bool is_lost;
	bool is_asleep; /* the service was asked to ring */
	struct pica_client_counters counters;
	uint32_t cookie;
	char error[PICA_TEXT_BYTES];
	bool is_ended; /* error: the service's last words, which stay */
	struct pica_msg_welcome welcome;
	struct pica_client_ctx *contexts;
	struct pica_client_memory *memory;
	/*
	 * user_data of what is in flight, oldest first, with holes of answered ones at has[i] =
	 * false.
	 */
	uint64_t *flight;
	uint32_t n_flight, cap_flight;
	/* Completions that were not taken when a connection ended; they come first. */
	struct pica_done *stash;
	uint32_t n_stash, cap_stash;
};

/* ---- request.c ---- */
/*
 * Sends a request and waits for its answer, of the type and size given: 0, the error that the
 * service answered, or -ECONNRESET; -EMFILE: that, or the answer is there, and no descriptor is
 * left for its own. fd_out: takes the answer's descriptor, NULL where none may come.
 */
int client_request(struct pica_client *c, void *request, size_t request_bytes, int fd_in,
		enum pica_message_type answer_type, void *answer, size_t answer_bytes, int *fd_out);
/* Waits for one message: 0, -ETIME, -ECONNRESET, -EPROTO; -EMFILE as sock_receive(). */
int client_receive(struct pica_client *c, struct sock_message *m, int64_t timeout_ns);
void client_set_error(struct pica_client *c, const char *text);
/* A call begins: clears the message of the earlier one. */
void client_clear_error(struct pica_client *c);
/* Says why, and returns error. */
int client_refuse(struct pica_client *c, int error, const char *text);
/* The error and the sentence of an ERROR, which are kept; -EPROTO: it is none that makes sense. */
int client_take_error(struct pica_client *c, const struct sock_message *m);
/* A message that answers no request: the session's end is said before the connection closes. */
void client_hear(struct pica_client *c, const struct sock_message *m);
/* The connection is gone; earlier messages are still read. */
int client_lost(struct pica_client *c);

/* ---- work.c ---- */
/*
 * Moves the completions of the ring, and those of jobs that will never complete, to the stash.
 * -ENOMEM: nothing.
 */
int work_stash(struct pica_client *c);

/* ---- builtin.c ---- */
/* A service on a thread of this process with one client, whose end of the connection is *sock. */
int builtin_start(struct builtin **out, unsigned n_threads,
		const struct pica_client_settings *client, int *sock);
/* Stops it and frees everything. NULL is allowed. */
void builtin_stop(struct builtin *b);

/* ---- memory.c ---- */
/* Makes the context in the service, with the rank and arithmetic that it has. */
int context_make(struct pica_client_ctx *ctx);
int memory_import(struct pica_client_memory *m);

#endif
