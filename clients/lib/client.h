/* The inside of libpica-client. */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include <poll.h>
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
	uint32_t chip;       /* enum pica_chip */
	struct pica_job *init_jobs;
	size_t n_init_jobs;
};

struct pica_client {
	char *where;
	struct pica_client_settings settings;
	char name[PICA_NAME_BYTES];
	struct builtin *builtin; /* NULL: another process */
	int sock, bell_out, bell_in, poll_fd;
	/* Our own reader of bell_out: it avoids SIGPIPE when the service is dead. -1: none. */
	int bell_reader;
	void *ring_base;
	size_t ring_bytes;
	struct ring_client ring;
	bool is_lost;
	bool is_asleep; /* the service was asked to ring */
	struct pica_client_counters counters;
	uint32_t cookie;
	char error[PICA_TEXT_BYTES];
	bool is_ended; /* the service has ended the session: error says why, and stays */
	struct pica_msg_welcome welcome;
	struct pica_client_ctx *contexts;
	struct pica_client_memory *memory;
	/* user_data of the jobs in flight, oldest first. */
	uint64_t *flight;
	uint32_t n_flight, cap_flight;
	/* Completions that were not taken before a connection ended; they come first. */
	struct pica_done *stash;
	uint32_t n_stash, cap_stash;
};

/* ---- request.c ---- */
/*
 * Sends a request and waits for its answer, of the type and size given. fd_out takes the answer's
 * descriptor; NULL if the answer has none. Returns 0, the error that the service answered, or
 * -ECONNRESET. -EMFILE is either the service's error or ours: in that case the answer was received,
 * but this process is out of descriptors.
 */
int client_request(struct pica_client *c, void *request, size_t request_bytes, int fd_in,
		enum pica_message_type answer_type, void *answer, size_t answer_bytes, int *fd_out);
/* The same for a request with an identifier and a value. */
int client_request_object(struct pica_client *c, enum pica_message_type type, uint64_t id,
		uint32_t value, enum pica_message_type answer_type, void *answer,
		size_t answer_bytes, int *fd_out);
/* The same, for the answer DONE. */
int client_act(struct pica_client *c, enum pica_message_type type, uint64_t id, uint32_t value);
/* Waits for a message. Returns 0, -ETIME, -ECONNRESET, -EPROTO, or -EMFILE as sock_receive(). */
int client_receive(struct pica_client *c, struct sock_message *m, int64_t timeout_ns);
/* Returns the monotonic time at which a timeout ends; UINT64_MAX for a negative one. */
uint64_t client_deadline(int64_t timeout_ns);
bool client_is_late(uint64_t deadline);
/* Polls until then. Returns what ppoll() does, 0 after a signal, or a negative errno. */
int client_poll(struct pollfd *fds, unsigned n, uint64_t deadline);
void client_set_error(struct pica_client *c, const char *text);
/* Call at the start of a call of the API: drops the message of an earlier one. */
void client_clear_error(struct pica_client *c);
/* Sets the message and returns error. */
int client_refuse(struct pica_client *c, int error, const char *text);
/* Keeps the message of an ERROR and returns its error; -EPROTO if it is malformed. */
int client_take_error(struct pica_client *c, const struct sock_message *m);
/* Takes a message that answers no request: the end of the session. */
void client_take_notice(struct pica_client *c, const struct sock_message *m);
/* Call when the connection is broken: reads earlier messages, and returns -ECONNRESET. */
int client_lost(struct pica_client *c);
/*
 * Maps memory of the service, which must be sealed against shrinking: else it could raise SIGBUS
 * here. *size_bytes 0: any size, which is stored. Returns 0, -EPROTO, or the error of mmap().
 */
int client_map(int fd, size_t *size_bytes, void **out);

/* ---- work.c ---- */
/*
 * Moves the completions that the ring still holds to the stash, and adds -ECONNRESET for the jobs
 * that will not complete. Returns 0, or -ENOMEM: nothing changed.
 */
int work_stash(struct pica_client *c);

/* ---- builtin.c ---- */
/* Starts a service on a thread of this process; *sock is its only client's end. */
int builtin_start(struct builtin **out, unsigned n_threads,
		const struct pica_client_settings *client, int *sock);
/* Stops it and frees everything. NULL is allowed. */
void builtin_stop(struct builtin *b);

/* ---- memory.c ---- */
/* Creates the context in the service, with its rank and arithmetic. */
int context_make(struct pica_client_ctx *ctx);
int memory_import(struct pica_client_memory *m);

#endif
