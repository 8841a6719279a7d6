/*
 * Locks, condition variables, events and semaphores. One thread runs at a time (thread.h), so
 * memory order does not matter. Zeroed objects are not valid: call the _Init functions.
 */
#ifndef CTRU_SYNCHRONIZATION_H
#define CTRU_SYNCHRONIZATION_H

#include <3ds/svc.h>

typedef s32 LightLock; /* 0: locked, 1: not */
typedef struct {
	LightLock lock;
	u32 thread_tag; /* of the owner; 0: none */
	u32 counter;
} RecursiveLock;
typedef s32 CondVar;
typedef struct {
	s32 state; /* -2 cleared and sticky, -1 cleared, 0 signalled, 1 signalled and sticky */
	LightLock lock;
} LightEvent;
typedef struct {
	s32 current_count;
	s16 num_threads_acq;
	s16 max_count;
} LightSemaphore;

#define AtomicIncrement(p) __atomic_add_fetch((u32 *)(p), 1, __ATOMIC_SEQ_CST)
#define AtomicDecrement(p) __atomic_sub_fetch((u32 *)(p), 1, __ATOMIC_SEQ_CST)
#define AtomicPostIncrement(p) __atomic_fetch_add((u32 *)(p), 1, __ATOMIC_SEQ_CST)
#define AtomicPostDecrement(p) __atomic_fetch_sub((u32 *)(p), 1, __ATOMIC_SEQ_CST)
#define AtomicSwap(p, value) __atomic_exchange_n((u32 *)(p), value, __ATOMIC_SEQ_CST)

static inline void __dmb(void) {
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __dsb(void) {
	__dmb();
}
static inline void __isb(void) {
	__dmb();
}

void LightLock_Init(LightLock *lock);
void LightLock_Lock(LightLock *lock);
/* Returns 0 after locking, or 1 if another thread holds the lock. */
int LightLock_TryLock(LightLock *lock);
void LightLock_Unlock(LightLock *lock);

/* A lock that its owner may take repeatedly; it is free after as many unlocks. */
void RecursiveLock_Init(RecursiveLock *lock);
void RecursiveLock_Lock(RecursiveLock *lock);
int RecursiveLock_TryLock(RecursiveLock *lock);
void RecursiveLock_Unlock(RecursiveLock *lock);

void CondVar_Init(CondVar *cv);
/* Unlocks, waits, and locks again. */
void CondVar_Wait(CondVar *cv, LightLock *lock);
/* Returns 0 if woken, or 1 after timeout_ns. */
int CondVar_WaitTimeout(CondVar *cv, LightLock *lock, s64 timeout_ns);
/* Wakes up to n threads; negative: all. */
void CondVar_WakeUp(CondVar *cv, s32 n);
static inline void CondVar_Signal(CondVar *cv) {
	CondVar_WakeUp(cv, 1);
}
static inline void CondVar_Broadcast(CondVar *cv) {
	CondVar_WakeUp(cv, ARBITRATION_SIGNAL_ALL);
}

void LightEvent_Init(LightEvent *event, ResetType reset_type);
void LightEvent_Clear(LightEvent *event);
/* Wakes the current waiters, and leaves the event cleared. */
void LightEvent_Pulse(LightEvent *event);
void LightEvent_Signal(LightEvent *event);
/* Returns whether it was signalled. */
int LightEvent_TryWait(LightEvent *event);
void LightEvent_Wait(LightEvent *event);
/* Returns 0 if signalled, or 1 after timeout_ns. */
int LightEvent_WaitTimeout(LightEvent *event, s64 timeout_ns);

void LightSemaphore_Init(LightSemaphore *semaphore, s16 initial_count, s16 max_count);
void LightSemaphore_Acquire(LightSemaphore *semaphore, s32 count);
/* Returns 0 if acquired, else 1. */
int LightSemaphore_TryAcquire(LightSemaphore *semaphore, s32 count);
void LightSemaphore_Release(LightSemaphore *semaphore, s32 count);

#endif
