/* The socket that clients connect to: passed by the service manager, or created here. */
#ifndef SERVICE_LISTEN_H
#define SERVICE_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "service/server.h"

struct listening {
	int sock; /* -1 once the server has it */
	int lock; /* held while we serve the path; -1: the manager's socket */
	int folder; /* of path (O_PATH); -1: the manager's socket */
	bool is_bound; /* the socket at path is ours */
	enum server_access access;
	gid_t group;      /* that of SERVER_ACCESS_GROUP */
	uid_t owner;      /* of the service, set by the caller; -1: the process */
	gid_t owner_group;
	dev_t device;     /* of the socket's file */
	ino_t inode;
	char path[108];
	const char *name; /* in path: without its folder */
};

/*
 * Stores the default socket path of a service that runs as uid: in $XDG_RUNTIME_DIR; or, if this
 * process does not run as uid yet, in /run/user/UID if that belongs to uid; otherwise in /run/pica.
 */
void listen_default_path(char out[108], uid_t uid);
/* Initializes l for listen_open() and listen_close(). */
void listen_init(struct listening *l);
/*
 * Takes the socket that systemd passed (LISTEN_FDS); otherwise creates the folder of path and binds
 * path, replacing the socket of a service that has ended. The files belong to l->owner. In a folder
 * of the owner they are created with the owner's rights, elsewhere with those of the process. Call
 * before threads are started. Returns 0 or a negative errno, after printing the error; -EADDRINUSE:
 * another service runs there.
 */
int listen_open(struct listening *l, const char *path, enum server_access access, gid_t group);
/*
 * Closes its descriptors and removes the files that it created, unless they belong to another
 * service by now, or the process lacks the permission.
 */
void listen_close(struct listening *l);
/* Connects to the service manager. Call it before confinement, which would deny it. */
void listen_notify_open(void);
/* Tells the service manager (NOTIFY_SOCKET), if there is one: "READY=1" ... */
void listen_notify(const char *state);

#endif
