/*
 * Accepts connections from a listening socket, a few per turn. When descriptors or memory run out,
 * it pauses for a while; new connections wait in the backlog. Loop's thread only.
 */
#ifndef SERVICE_ACCEPTOR_H
#define SERVICE_ACCEPTOR_H

#include <stdbool.h>

#include "service/loop.h"

struct server;

/*
 * Takes ownership of sock. is_last: sock occupies a descriptor reserved for administrators, because
 * no other was left.
 */
typedef void acceptor_fn(void *owner, int sock, bool is_last);

struct acceptor {
	struct server *server;
	acceptor_fn *fn;
	void *owner;
	int listener; /* -1: none */
	struct loop_watch *watch; /* NULL: paused */
	struct loop_timer timer;  /* set: paused */
	struct loop_task task;    /* posted: it has had its turn */
};

/* Initializes a without a socket; acceptor_close() is then allowed. */
void acceptor_init(struct acceptor *a, struct server *server, acceptor_fn *fn, void *owner);
/*
 * Accepts from a non-blocking socket, which the acceptor owns from now on (also on failure). A
 * second socket replaces the first; connections that wait on the first are still accepted. Returns
 * 0 or a negative errno.
 */
int acceptor_listen(struct acceptor *a, int listener);
void acceptor_close(struct acceptor *a);

#endif
