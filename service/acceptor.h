/*
 * Takes connections from a listening socket: a few each turn, and none for a while without
 * descriptors or memory; new connections wait then. Loop's thread only.
 */
#ifndef SERVICE_ACCEPTOR_H
#define SERVICE_ACCEPTOR_H

#include <stdbool.h>

#include "service/loop.h"

struct server;

/*
 * Takes sock. is_last: sock uses a descriptor that is reserved for administrators, since no other
 * is left.
 */
typedef void acceptor_fn(void *owner, int sock, bool is_last);

struct acceptor {
	struct server *server;
	acceptor_fn *fn;
	void *owner;
	int listener; /* -1: none */
	struct loop_watch *watch; /* NULL: it rests */
	struct loop_timer timer;  /* set: it rests */
	struct loop_task task;    /* posted: it has had its turn */
};

/* None yet: for acceptor_close(). */
void acceptor_init(struct acceptor *a, struct server *server, acceptor_fn *fn, void *owner);
/*
 * Accepts from a non-blocking socket, which the acceptor owns from now on (also on failure). A
 * second socket replaces the first; connections that wait on the first are still accepted. Returns
 * 0 or a negative errno.
 */
int acceptor_listen(struct acceptor *a, int listener);
void acceptor_close(struct acceptor *a);

#endif
