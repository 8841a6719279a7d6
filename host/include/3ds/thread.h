/*
 * Cooperative threads: one runs until it waits, or readies one of higher priority (a lower number;
 * equal ones run in order). So every run is the same. There is one core. Threads created in other
 * ways must not call this library.
 */
#ifndef CTRU_THREAD_H
#define CTRU_THREAD_H

#include <3ds/synchronization.h>

typedef struct Thread_tag *Thread;

/*
 * priority: 0x18 (highest) to 0x3F; the main thread has 0x30. detached: frees itself at its end.
 * Returns NULL on failure.
 */
Thread threadCreate(ThreadFunc entry, void *argument, size_t stack_bytes, int priority, int core,
		bool detached);
Handle threadGetHandle(Thread thread);
int threadGetExitCode(Thread thread);
/* Frees a thread that has ended. */
void threadFree(Thread thread);
/* Returns 0, or a negative result after timeout_ns (U64_MAX: never). */
Result threadJoin(Thread thread, u64 timeout_ns);
void threadDetach(Thread thread);
/* Returns NULL for the main thread. */
Thread threadGetCurrent(void);
void threadExit(int code) __attribute__((noreturn));

#endif
