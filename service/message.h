/* Control messages of an open session. Private to the service. */
#ifndef SERVICE_MESSAGE_H
#define SERVICE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "pica_hello.h"
#include "sock.h"

struct context;
struct region;
struct session;

/* A control request that waits until its context is idle. */
struct request {
	union {
		struct pica_message head;
		struct pica_msg_transfer transfer;
		struct pica_msg_query query;
		struct pica_msg_object object;
		struct pica_msg_region region;
	} u;
	struct session *session; /* counts it in n_requests */
	struct region *memory;   /* counted, or NULL */
	int fd;                  /* REGION_IMPORT: owned, to be closed; else -1 */
	uint32_t rows;           /* READ_SURFACE: read so far */
};

/* Returns the message, whose size was checked. */
static inline const void *message_body(const struct sock_message *raw) {
	return raw->bytes;
}

/* Handles one message of an open session. Takes the descriptors that it needs from raw. */
void message_handle(struct session *s, struct sock_message *raw);

/* ---- Handlers of message.c; the message is valid ---- */

/* message_region.c */
void message_make_region(struct session *s, struct sock_message *raw);
void message_destroy_region(struct session *s, struct sock_message *raw);
/* message_request.c */
void message_transfer(struct session *s, struct sock_message *raw);
void message_query(struct session *s, struct sock_message *raw);
/* message_admin.c */
void message_list_sessions(struct session *s, struct sock_message *raw);
void message_admin(struct session *s, struct sock_message *raw);

/* ---- message_request.c ---- */

/* Returns a request with a copy of the message. On failure replies and returns NULL. */
struct request *request_create(
		struct session *s, const struct pica_message *head, size_t size_bytes);
/* Queues r in the context with that handle, and takes ownership. On failure replies. */
void request_add(struct request *r, uint32_t context);
/*
 * Runs the request, or a slice of it. The context must be idle. Returns true if the request is done
 * and r freed.
 */
bool request_run(struct context *c, struct request *r);
void request_free(struct request *r);

/* ---- message_region.c: requests that run ---- */

/* fd: of REGION_IMPORT, owned by the caller; otherwise -1. */
void region_make(struct session *s, const struct pica_msg_region *m, int fd);
void region_destroy(struct session *s, const struct pica_msg_object *m);

#endif
