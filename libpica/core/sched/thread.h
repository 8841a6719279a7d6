/* A thread of the library. */
#ifndef SCHED_THREAD_H
#define SCHED_THREAD_H

#include <pthread.h>

/* Starts a thread that leaves all signals but SIGBUS to the program. Returns 0 or -EAGAIN. */
int thread_start(pthread_t *thread, void *(*fn)(void *), void *arg);
/*
 * Gives the calling thread, and the threads that it starts later, shorter time slices, so that they
 * preempt computing threads when they wake. Their total share of the processor does not change.
 * Needs Linux 6.12 and the policy SCHED_OTHER; otherwise it has no effect.
 */
void thread_be_brief(void);

#endif
