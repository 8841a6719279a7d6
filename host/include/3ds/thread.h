/*
 * Threads that take turns: one runs until it waits, or makes a more urgent one ready (less is more
 * urgent; equals take turns in order). So a program does the same in every run. All cores are one.
 * A thread that was made in another way must not call this library.
 */
#ifndef CTRU_THREAD_H
#define CTRU_THREAD_H

#include <3ds/synchronization.h>

typedef struct Thread_tag *Thread;

/*
 * priority: 0x18 (most urgent) to 0x3F; the main thread's is 0x30. detached: it is freed when it
 * ends. Returns NULL if that failed.
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
