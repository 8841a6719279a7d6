/* A thread of the library. */
#ifndef SCHED_THREAD_H
#define SCHED_THREAD_H

#include <pthread.h>

/*
 * Begins one that takes no signals: those are the program's, which may block them, or wait for them
 * in a thread of its own, at any time. 0, or -EAGAIN.
 */
int thread_start(pthread_t *thread, void *(*fn)(void *), void *arg);

#endif
