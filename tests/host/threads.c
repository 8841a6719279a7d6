/* Threads, locks and events: prints the order of events, which no run may change. */
#include <3ds.h>
#include <stdio.h>

static LightLock lock;
static LightEvent ready;
static CondVar changed;
static LightSemaphore places;
static RecursiveLock deep;
static int level;

static void say(const char *who, int what) {
	printf("%s %d at %u us\n", who, what, (unsigned)(svcGetSystemTick() / 268));
}

static void urgent(void *user) {
	LightEvent_Wait(&ready);
	say(user, level);
	LightLock_Lock(&lock);
	level = 10;
	CondVar_Broadcast(&changed);
	LightLock_Unlock(&lock);
	say(user, level);
}

static void patient(void *user) {
	LightSemaphore_Acquire(&places, 1);
	LightLock_Lock(&lock);
	while (level < 10) {
		CondVar_Wait(&changed, &lock);
	}
	LightLock_Unlock(&lock);
	say(user, level);
	svcSleepThread(2000000);
	RecursiveLock_Lock(&deep);
	RecursiveLock_Lock(&deep);
	say(user, ++level);
	RecursiveLock_Unlock(&deep);
	RecursiveLock_Unlock(&deep);
	LightSemaphore_Release(&places, 1);
	threadExit(level);
}

static void late(void *user) {
	LightEvent never;
	LightEvent_Init(&never, RESET_ONESHOT);
	say(user, LightEvent_WaitTimeout(&never, 3000000));
}

int main(void) {
	LightLock_Init(&lock);
	LightEvent_Init(&ready, RESET_STICKY);
	CondVar_Init(&changed);
	LightSemaphore_Init(&places, 2, 2);
	RecursiveLock_Init(&deep);
	s32 priority = 0;
	svcGetThreadPriority(&priority, CUR_THREAD_HANDLE);
	Thread first = threadCreate(
			urgent, (void *)(uintptr_t) "urgent", 0x1000, priority - 1, -2, false);
	Thread waiting[3];
	static const char *const names[] = { "patient-a", "patient-b", "patient-c" };
	for (int i = 0; i < 3; i++) {
		waiting[i] = threadCreate(patient, (void *)(uintptr_t)names[i], 0x1000,
				priority + 1, -2, false);
	}
	threadCreate(late, (void *)(uintptr_t) "late", 0x1000, priority + 2, -2, true);
	say("main", level);
	level = 1;
	LightEvent_Signal(&ready); /* the more urgent one runs now */
	say("main", level);
	int code = threadJoin(first, U64_MAX) == 0 && threadJoin(first, 0) == 0 ? 0 : 1;
	threadFree(first);
	code |= threadJoin(waiting[0], 1000) < 0 ? 0 : 2; /* too early */
	for (int i = 0; i < 3; i++) {
		threadJoin(waiting[i], U64_MAX);
		say(names[i], threadGetExitCode(waiting[i]));
		threadFree(waiting[i]);
	}
	svcSleepThread(10000000);
	return code;
}
