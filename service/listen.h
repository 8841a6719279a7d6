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
	enum server_access access;
	gid_t group;      /* that of SERVER_ACCESS_GROUP */
	uid_t owner;      /* owner of new files; -1: the process */
	gid_t owner_group;
	dev_t device;     /* of the socket's file */
	ino_t inode;
	char path[108];
};

/*
 * The default place of a service for clients of uid: in the folder that
 * $XDG_RUNTIME_DIR names, or, where we are not uid yet, in /run/user/UID if that is uid's; else in
 * /run/pica.
 */
void listen_default_path(char out[108], uid_t uid);
/*
 * Takes the socket that systemd passed (LISTEN_FDS), else binds path, making its folder, replacing
 * a socket whose service is gone. -EADDRINUSE: another service is alive there. Prints errors.
 */
int listen_open(struct listening *l, const char *path, enum server_access access, gid_t group);
/* Gives the files, and later ones of listen_renew(), to a user. Returns 0 or a negative errno. */
int listen_give(struct listening *l, uid_t owner, gid_t group);
/* Sets who may open the socket from now on. Returns 0 or a negative errno. */
int listen_open_to(struct listening *l, enum server_access access, gid_t group);
/*
 * Looks whether socket and lock are still where they were, and makes again what is not. 1: l->sock
 * is a new socket, 0: it is as it was; negative: clients cannot reach it; printed. What another
 * service has made there meanwhile is left alone (-EADDRINUSE).
 */
int listen_renew(struct listening *l);
/* None: for listen_close(). */
void listen_init(struct listening *l);
/* Removes the files that were made, unless another service owns them by now. */
void listen_remove(const struct listening *l);
/* Also closes its descriptors. */
void listen_close(struct listening *l);
/* Connects to the service manager, which a confined process cannot do later. */
void listen_notify_open(void);
/* Tells the service manager (NOTIFY_SOCKET), if there is one: "READY=1" ... */
void listen_notify(const char *state);

#endif
