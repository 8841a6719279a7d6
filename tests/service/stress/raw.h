/*
 * A client of the protocol without libpica-client or the C files of proto/, so that it can also
 * send what no library would. Deadlines are generous: they detect a service that hangs.
 */
#ifndef RAW_H
#define RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "pica_hello.h"
#include "pica_job.h"
#include "pica_ring.h"
#include "sock.h"

enum { RAW_PATIENCE_MS = 60000, RAW_REGIONS = 8 };

struct raw {
	int sock;
	int bell_out, bell_in;
	uint8_t *ring;
	size_t ring_bytes;
	struct pica_ring_control *control;
	struct pica_job *sq;
	struct pica_done *cq;
	uint32_t sq_entries, cq_entries;
	uint32_t sq_tail, cq_head; /* ours; the shared words may be anything */
	uint32_t cookie;
	struct pica_msg_welcome welcome;
	struct pica_msg_error error; /* the last one that was received */
	struct {
		uint8_t *host;
		size_t size_bytes;
	} region[RAW_REGIONS];
	unsigned n_regions;
};

int64_t raw_now_ms(void);
void raw_nap_us(long us);
/*
 * Returns a connected socket or a negative errno. Waits for a service that is busy, but not for one
 * that is absent.
 */
int raw_dial(const char *path);
void raw_hello_init(struct pica_msg_hello *hello, uint32_t sq_entries);
/* Sends bytes and any number of descriptors as one packet. Returns 0 or a negative errno. */
int raw_send(int sock, const void *bytes, size_t size_bytes, const int *fds, unsigned n_fds);
/*
 * Receives a packet. Returns its size, 0 (closed) or -ETIME. fd: NULL, or receives one descriptor
 * or -1; others are closed.
 */
int raw_receive(int sock, void *bytes, size_t size_bytes, int *fd, int timeout_ms);

/* Connects, sends HELLO and maps the rings. Returns 0, or the error of the service or the
 * kernel. */
int raw_open(struct raw *r, const char *path, uint32_t sq_entries);
/* The same on a socket, which it takes also when it fails. */
int raw_greet(struct raw *r, int sock, uint32_t sq_entries);
void raw_close(struct raw *r);

/* Fills in magic, size and cookie. */
void raw_head(struct raw *r, void *message, enum pica_message_type type, size_t size_bytes);
/*
 * Sends a request that raw_head() has begun, and receives the answer. Returns 0, the error in
 * r->error, or -ECONNRESET. answer: of at least PICA_MESSAGE_MAX bytes, or NULL; fd as in
 * raw_receive().
 */
int raw_request(struct raw *r, void *message, int fd_in, void *answer, int *fd);
/* The same for a request without descriptor and of which no answer is kept; fills in its head. */
int raw_ask(struct raw *r, void *message, enum pica_message_type type, size_t size_bytes);
/* handle, or a negative errno. */
int64_t raw_context_of(struct raw *r, struct pica_msg_context_create m);
int64_t raw_context(struct raw *r);
int64_t raw_region(struct raw *r, uint32_t context, uint32_t phys, uint32_t size_bytes,
		uint8_t **host, int *fd);
int64_t raw_import(struct raw *r, uint32_t context, uint32_t phys, uint32_t size_bytes, int fd);
int raw_object(struct raw *r, enum pica_message_type type, uint64_t id);
/*
 * Waits for the session's end. Returns whether an ERROR with cookie 0, stored in r->error, came
 * before it.
 */
bool raw_is_told(struct raw *r);
/* True: the socket closed, with or without a word. */
bool raw_is_closed(struct raw *r);

/* The next slot, zeroed, whether it is free or not. */
struct pica_job *raw_slot(struct raw *r, uint32_t context, enum pica_op op, uint64_t user_data);
/* A slot with a WAIT for a value on the timeline of context `on`; timeout_ns 0: none. */
void raw_put_wait(struct raw *r, uint32_t context, uint64_t user_data, uint32_t on, uint64_t value,
		uint64_t timeout_ns);
/* Publishes and rings, needed or not. */
void raw_publish(struct raw *r);
void raw_ring(struct raw *r);
/* The next completion: 0, -ETIME, -ECONNRESET. */
int raw_wait(struct raw *r, struct pica_done *done, int timeout_ms);
/* Publishes and waits for one completion. Returns its result, -ETIME or -ECONNRESET. */
int raw_run(struct raw *r);

#endif
