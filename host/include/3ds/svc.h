/*
 * Kernel calls of graphics programs. Time is that of host-run: it advances when all threads wait,
 * by 1 us with each query or poll, and by 0.1 ms with aptMainLoop().
 */
#ifndef CTRU_SVC_H
#define CTRU_SVC_H

#include <3ds/types.h>

#define CUR_THREAD_HANDLE 0xFFFF8000
#define CUR_PROCESS_HANDLE 0xFFFF8001

typedef enum {
	MEMREGION_ALL = 0, MEMREGION_APPLICATION = 1, MEMREGION_SYSTEM = 2, MEMREGION_BASE = 3,
} MemRegion;

/* Effect of signalling an event. */
typedef enum {
	RESET_ONESHOT = 0, /* wakes one thread, and is cleared */
	RESET_STICKY = 1,  /* wakes all, and stays signalled until it is cleared */
	RESET_PULSE = 2,
} ResetType;

typedef enum {
	ARBITRATION_SIGNAL = 0, ARBITRATION_WAIT_IF_LESS_THAN = 1,
	ARBITRATION_DECREMENT_AND_WAIT_IF_LESS_THAN = 2, ARBITRATION_WAIT_IF_LESS_THAN_TIMEOUT = 3,
	ARBITRATION_DECREMENT_AND_WAIT_IF_LESS_THAN_TIMEOUT = 4,
} ArbitrationType;
#define ARBITRATION_SIGNAL_ALL (-1)

typedef enum {
	USERBREAK_PANIC = 0, USERBREAK_ASSERT = 1, USERBREAK_USER = 2, USERBREAK_LOAD_RO = 3,
	USERBREAK_UNLOAD_RO = 4,
} UserBreakType;

/* Ticks of 268111856 Hz since the program began. */
u64 svcGetSystemTick(void);
/* Sleeps. 0 ns: yields to threads of the same priority. */
void svcSleepThread(s64 ns);
/* handle: CUR_THREAD_HANDLE, or from threadGetHandle(). Lower numbers have priority. */
Result svcGetThreadPriority(s32 *out, Handle handle);
Result svcSetThreadPriority(Handle handle, s32 priority);
/* Numbers of the thread and of the process; the core, always 0. */
Result svcGetThreadId(u32 *out, Handle handle);
Result svcGetProcessId(u32 *out, Handle handle);
s32 svcGetProcessorID(void);
/* type 0: *out is the used memory of the region param (os.h). Other types have no meaning here. */
Result svcGetSystemInfo(s64 *out, u32 type, s32 param);

/*
 * Events, timers, mutexes and semaphores, known by handles. A result is negative if the handle is
 * not of such an object; a mutex can only be released by the thread that locked it, as often as
 * that.
 */
Result svcCreateEvent(Handle *event, ResetType reset_type);
Result svcSignalEvent(Handle event);
Result svcClearEvent(Handle event);
Result svcCreateTimer(Handle *timer, ResetType reset_type);
/* Signals after a time, and again after each interval; interval 0: once. Pulses are one-shots. */
Result svcSetTimer(Handle timer, s64 initial_ns, s64 interval_ns);
Result svcCancelTimer(Handle timer);
Result svcClearTimer(Handle timer);
Result svcCreateMutex(Handle *mutex, bool initially_locked);
Result svcReleaseMutex(Handle mutex);
Result svcCreateSemaphore(Handle *semaphore, s32 count, s32 most);
/* *before: the count before n were added. */
Result svcReleaseSemaphore(s32 *before, Handle semaphore, s32 n);
/*
 * Waits for one object or thread; for the first of n, or for all of them. *out: the first one that
 * was signalled. ns: 0 does not wait, negative waits forever. At the timeout the result is
 * 0x09401BFE, which is not negative.
 */
Result svcWaitSynchronization(Handle handle, s64 ns);
Result svcWaitSynchronizationN(s32 *out, const Handle *handles, s32 n, bool wait_all, s64 ns);
/* Objects without a handle are gone; waits for them do not end. */
Result svcCloseHandle(Handle handle);

/* Prints the reason, and ends the program by SIGABRT. */
void svcBreak(UserBreakType reason);
/* Writes to the standard error. */
Result svcOutputDebugString(const char *text, s32 length);
void svcExitProcess(void) __attribute__((noreturn));

#endif
