#include "core/sched/thread.h"

#include <signal.h>

int thread_start(pthread_t *thread, void *(*fn)(void *), void *arg) {
	sigset_t all, before;
	sigfillset(&all);
	sigdelset(&all, SIGBUS); /* a blocked one ends the process */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int ret = -pthread_create(thread, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}
