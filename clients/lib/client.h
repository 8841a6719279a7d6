/* Internals of libpica-client. */
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
	struct builtin *builtin; /* NULL: the service is another process */
	int sock, bell_out, bell_in, poll_fd;
	/* Our own read end of bell_out: avoids SIGPIPE when the service is dead. -1: none. */
	int bell_reader;
	void *ring_base;
	size_t ring_bytes;
	struct ring_client ring;
	bool is_lost;
	bool is_asleep; /* the service was asked to ring */
	struct pica_client_counters counters;
	uint32_t cookie;
	char error[PICA_TEXT_BYTES];
	bool is_ended; /* the service has ended the session: error keeps the reason */
	struct pica_msg_welcome welcome;
	struct pica_client_ctx *contexts;
	struct pica_client_memory *memory;
	/* user_data of the jobs in flight, oldest first. */
	uint64_t *flight;
	uint32_t n_flight, cap_flight;
	/* Completions not taken before a connection ended; they are returned first. */
	struct pica_done *stash;
	uint32_t n_stash, cap_stash;
};

/* ---- request.c ---- */
/*
 * Sends a request and waits for its answer, of the given type and size. fd_out receives the
 * answer's descriptor; NULL if the answer has none. Returns 0, the error in the service's answer,
 * or -ECONNRESET. -EMFILE is either the service's error or ours; if it is ours, the answer was
 * received, but this process is out of descriptors.
 */
int client_request(struct pica_client *c, void *request, size_t request_bytes, int fd_in,
		enum pica_message_type answer_type, void *answer, size_t answer_bytes, int *fd_out);
/* The same for a request with an identifier and a value. */
int client_request_object(struct pica_client *c, enum pica_message_type type, uint64_t id,
		uint32_t value, enum pica_message_type answer_type, void *answer,
		size_t answer_bytes, int *fd_out);
/* The same, with the answer DONE. */
int client_act(struct pica_client *c, enum pica_message_type type, uint64_t id, uint32_t value);
/* Waits for a message. Returns 0, -ETIME, -ECONNRESET, -EPROTO, or -EMFILE as sock_receive(). */
int client_receive(struct pica_client *c, struct sock_message *m, int64_t timeout_ns);
/* Returns the monotonic time (ns) at which a timeout ends; UINT64_MAX for a negative one. */
uint64_t client_deadline(int64_t timeout_ns);
bool client_is_late(uint64_t deadline);
/* Polls until the deadline. Returns the result of ppoll(), 0 after a signal, or -errno. */
int client_poll(struct pollfd *fds, unsigned n, uint64_t deadline);
void client_set_error(struct pica_client *c, const char *text);
/* Call at the start of each API function: drops the message of an earlier call. */
void client_clear_error(struct pica_client *c);
/* Sets the message and returns error. */
int client_refuse(struct pica_client *c, int error, const char *text);
/* Keeps the message of an ERROR and returns its error; -EPROTO if it is malformed. */
int client_take_error(struct pica_client *c, const struct sock_message *m);
/* Handles a message that does not answer a request: the end of the session. */
void client_take_notice(struct pica_client *c, const struct sock_message *m);
/* Call when the connection is broken: reads messages that came before. Returns -ECONNRESET. */
int client_lost(struct pica_client *c);
/*
 * Maps memory of the service. It must be sealed against shrinking; otherwise the service could
 * raise SIGBUS here. If *size_bytes is 0, accepts any size and stores it there. Returns 0, -EPROTO,
 * or the error of mmap().
 */
int client_map(int fd, size_t *size_bytes, void **out);

/* ---- work.c ---- */
/*
 * Moves the completions that the ring still holds to the stash, and adds -ECONNRESET for the jobs
 * that will not complete. Returns 0. On failure returns -ENOMEM and changes nothing.
 */
int work_stash(struct pica_client *c);

/* ---- builtin.c ---- */
/* Starts a service on a thread of this process. *sock receives the end of its only client. */
int builtin_start(struct builtin **out, unsigned n_threads,
		const struct pica_client_settings *client, int *sock);
/* Stops the service and frees everything. NULL is allowed. */
void builtin_stop(struct builtin *b);

/* ---- memory.c ---- */
/* Creates the context in the service, with its rank, arithmetic and chip. */
int context_make(struct pica_client_ctx *ctx);
int memory_import(struct pica_client_memory *m);

#endif
