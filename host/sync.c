/* Locks, condition variables, events and semaphores. */
#include "host.h"

#include <3ds/synchronization.h>
#include <3ds/thread.h>

enum { LOCKED = 0, UNLOCKED = 1, MAIN_TAG = 1 };

/* ---- Locks ---- */

PICA_EXPORT void LightLock_Init(LightLock *lock) {
	*lock = UNLOCKED;
}

PICA_EXPORT int LightLock_TryLock(LightLock *lock) {
	if (*lock != UNLOCKED) {
		return 1;
	}
	*lock = LOCKED;
	return 0;
}

PICA_EXPORT void LightLock_Lock(LightLock *lock) {
	while (LightLock_TryLock(lock)) {
		host_wait(lock, UINT64_MAX);
	}
}

PICA_EXPORT void LightLock_Unlock(LightLock *lock) {
	*lock = UNLOCKED;
	host_wake(lock, 1);
	host_turn();
}

static u32 tag(void) {
	const Thread self = threadGetCurrent();
	return self ? threadGetHandle(self) : MAIN_TAG;
}

PICA_EXPORT void RecursiveLock_Init(RecursiveLock *lock) {
	*lock = (RecursiveLock){ .lock = UNLOCKED };
}

PICA_EXPORT int RecursiveLock_TryLock(RecursiveLock *lock) {
	if (lock->thread_tag != tag()) {
		if (LightLock_TryLock(&lock->lock)) {
			return 1;
		}
		lock->thread_tag = tag();
	}
	lock->counter++;
	return 0;
}

PICA_EXPORT void RecursiveLock_Lock(RecursiveLock *lock) {
	if (lock->thread_tag != tag()) {
		LightLock_Lock(&lock->lock);
		lock->thread_tag = tag();
	}
	lock->counter++;
}

PICA_EXPORT void RecursiveLock_Unlock(RecursiveLock *lock) {
	if (--lock->counter == 0) {
		lock->thread_tag = 0;
		LightLock_Unlock(&lock->lock);
	}
}

/* ---- Condition variables ---- */

PICA_EXPORT void CondVar_Init(CondVar *cv) {
	*cv = 0;
}

PICA_EXPORT int CondVar_WaitTimeout(CondVar *cv, LightLock *lock, s64 timeout_ns) {
	const uint64_t until = host_after(timeout_ns);
	/* No other thread runs in between, so no signal is lost. */
	*lock = UNLOCKED;
	host_wake(lock, 1);
	const bool was_woken = host_wait(cv, until);
	LightLock_Lock(lock);
	return !was_woken;
}

PICA_EXPORT void CondVar_Wait(CondVar *cv, LightLock *lock) {
	CondVar_WaitTimeout(cv, lock, -1);
}

PICA_EXPORT void CondVar_WakeUp(CondVar *cv, s32 n) {
	host_wake(cv, n < 0 ? UINT32_MAX : (unsigned)n);
	host_turn();
}

/* ---- Events ---- */

enum { CLEARED_STICKY = -2, CLEARED = -1, SIGNALLED = 0, SIGNALLED_STICKY = 1 };

PICA_EXPORT void LightEvent_Init(LightEvent *event, ResetType reset_type) {
	event->state = reset_type == RESET_STICKY ? CLEARED_STICKY : CLEARED;
	LightLock_Init(&event->lock);
}

static bool is_sticky(const LightEvent *event) {
	return event->state == CLEARED_STICKY || event->state == SIGNALLED_STICKY;
}

PICA_EXPORT void LightEvent_Clear(LightEvent *event) {
	event->state = is_sticky(event) ? CLEARED_STICKY : CLEARED;
}

PICA_EXPORT void LightEvent_Signal(LightEvent *event) {
	const bool sticky = is_sticky(event);
	event->state = sticky ? SIGNALLED_STICKY : SIGNALLED;
	host_wake(event, sticky ? UINT32_MAX : 1);
	host_turn();
}

PICA_EXPORT void LightEvent_Pulse(LightEvent *event) {
	LightEvent_Clear(event);
	host_wake(event, UINT32_MAX);
	host_turn();
}

PICA_EXPORT int LightEvent_TryWait(LightEvent *event) {
	if (event->state == SIGNALLED) {
		event->state = CLEARED;
		return 1;
	}
	return event->state == SIGNALLED_STICKY;
}

PICA_EXPORT int LightEvent_WaitTimeout(LightEvent *event, s64 timeout_ns) {
	const uint64_t until = host_after(timeout_ns);
	if (LightEvent_TryWait(event)) {
		return 0;
	}
	/* A pulse wakes waiters without setting the signal. */
	const bool was_woken = host_wait(event, until);
	LightEvent_TryWait(event);
	return !was_woken;
}

PICA_EXPORT void LightEvent_Wait(LightEvent *event) {
	LightEvent_WaitTimeout(event, -1);
}

/* ---- Semaphores ---- */

PICA_EXPORT void LightSemaphore_Init(LightSemaphore *semaphore, s16 initial_count, s16 max_count) {
	*semaphore = (LightSemaphore){ .current_count = initial_count, .max_count = max_count };
}

PICA_EXPORT int LightSemaphore_TryAcquire(LightSemaphore *semaphore, s32 count) {
	if (semaphore->current_count < count) {
		return 1;
	}
	semaphore->current_count -= count;
	return 0;
}

PICA_EXPORT void LightSemaphore_Acquire(LightSemaphore *semaphore, s32 count) {
	while (LightSemaphore_TryAcquire(semaphore, count)) {
		host_wait(semaphore, UINT64_MAX);
	}
}

PICA_EXPORT void LightSemaphore_Release(LightSemaphore *semaphore, s32 count) {
	semaphore->current_count += count;
	if (semaphore->max_count > 0 && semaphore->current_count > semaphore->max_count) {
		semaphore->current_count = semaphore->max_count;
	}
	host_wake(semaphore, UINT32_MAX);
	host_turn();
}
