/* A thread of the library. */
#ifndef SCHED_THREAD_H
#define SCHED_THREAD_H

#include <pthread.h>

/* Starts a thread that takes no signals: they are left to the program. Returns 0, or -EAGAIN. */
int thread_start(pthread_t *thread, void *(*fn)(void *), void *arg);
/*
 * The calling thread, and those that it starts, get shorter slices of the processor, so that when
 * they wake up they interrupt threads that compute (Linux 6.12; no effect elsewhere, nor with a
 * policy other than SCHED_OTHER). Their total share does not change.
 */
void thread_be_brief(void);

#endif
