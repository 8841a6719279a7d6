/* A thread of the library. */
#ifndef SCHED_THREAD_H
#define SCHED_THREAD_H

#include <pthread.h>

/* Starts a thread that takes no signals: they are left to the program. Returns 0, or -EAGAIN. */
int thread_start(pthread_t *thread, void *(*fn)(void *), void *arg);

#endif
