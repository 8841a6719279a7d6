/* The socket that clients connect to: handed over by the service manager, or made here. */
#ifndef SERVICE_LISTEN_H
#define SERVICE_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "service/server.h"

struct listening {
	int sock; /* -1 once the server has it */
	int lock; /* held while we serve the path; -1: the manager's socket */
	bool is_bound; /* the socket at path is ours */
	bool made_folder; /* it lies in a folder that was not there */
	char path[108];
};

/*
 * Takes the socket that systemd passed (LISTEN_FDS), else binds path (NULL: the default), making
 * its folder, replacing a socket whose service is gone. -EADDRINUSE: another service is alive
 * there. Prints what is wrong.
 */
int listen_open(struct listening *l, const char *path, enum server_access access, gid_t group);
/* The same for a SOCK_STREAM socket, which no manager passes. */
int listen_open_stream(
		struct listening *l, const char *path, enum server_access access, gid_t group);
/* None: for listen_close(). */
void listen_init(struct listening *l);
/* Removes what was made. */
void listen_close(struct listening *l);
/* Opens the way to the service manager, which cannot be done later by who is confined. */
void listen_notify_open(void);
/* Tells the service manager (NOTIFY_SOCKET), if there is one: "READY=1" ... */
void listen_notify(const char *state);

#endif
