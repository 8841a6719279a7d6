/*
 * A process beside picad that keeps what picad gives up: the rights that it was started with, and
 * the whole file system. It looks each second whether the sockets are still where clients look for
 * them, makes again what somebody removed, and hands the new socket over; it opens them to others
 * after a reload; and when picad ends, however it does, it removes sockets and locks.
 *
 * It reads nothing of clients, and of picad only who may open the sockets.
 */
#ifndef SERVICE_KEEPER_H
#define SERVICE_KEEPER_H

#include "service/listen.h"

struct keeper {
	int sock; /* to it; -1: there is none */
	struct listening *listening; /* borrowed */
	unsigned n;
};

/* What it tells. */
struct keeper_word {
	unsigned which; /* of the sockets */
	int error;      /* 0: there is a new one; negative: clients cannot reach it, and why */
	int sock;       /* the new one, which the caller owns from now on */
	char why[256];
};

/*
 * Before there are threads, and while the process may still do what the keeper has to. Where none
 * of the n sockets is ours there is no keeper. 0 or a negative errno.
 */
int keeper_start(struct keeper *k, struct listening *l, unsigned n);
/*
 * 1: it told something; -EAGAIN: not yet; 0: it is gone; else what it told is lost, since there are
 * no descriptors: ask again later.
 */
int keeper_hear(struct keeper *k, struct keeper_word *word);
/* Who may open the sockets from now on. */
void keeper_open_to(const struct keeper *k, enum server_access access, gid_t group);
/* It makes the sockets anew. */
void keeper_ask_again(const struct keeper *k);
/* It removes what was made; waits for it. */
void keeper_stop(struct keeper *k);

#endif
