/*
 * A second process that keeps what picad gives up: the rights that it was started with, and the
 * whole file system. Each second it checks that the socket is still where clients look for it. If
 * somebody removed it, the keeper makes it again and hands the new socket over. It changes who may
 * open the socket after a reload, and removes socket and lock when picad ends, in whatever way.
 *
 * It reads nothing from clients, and from picad only who may open the socket.
 */
#ifndef SERVICE_KEEPER_H
#define SERVICE_KEEPER_H

#include "service/listen.h"

struct keeper {
	int sock; /* to it; -1: there is none */
	struct listening *listening; /* borrowed */
};

struct keeper_report {
	int error; /* 0: there is a new socket; negative: clients cannot reach it, and why */
	int sock;  /* the new socket, owned by the caller */
	char why[256];
};

/*
 * Call it before there are threads, while the process has the rights that the keeper needs. Starts
 * none if the socket is the service manager's. Returns 0 or a negative errno.
 */
int keeper_start(struct keeper *k, struct listening *l);
/*
 * Returns 1 with a report; 0: the keeper has ended; -EAGAIN: there is no report. Another negative
 * errno: a report was lost for lack of descriptors; ask again later.
 */
int keeper_receive(struct keeper *k, struct keeper_report *report);
/* Sets who may open the socket from now on. */
void keeper_open_to(const struct keeper *k, enum server_access access, gid_t group);
/* Makes the socket again. */
void keeper_ask_again(const struct keeper *k);
/* Waits until the keeper has removed the files that it made. */
void keeper_stop(struct keeper *k);

#endif
