/*
 * Threads take turns, and time advances when no thread runs: a program's behaviour depends on
 * nothing else. host_wait() is the only place where a thread stops.
 *
 *	a thread waits -> what was raised is delivered -> the most urgent thread that is ready runs
 *	                       ^                              | none is ready
 *	                       +--- time advances to the next vertical blank or end of a wait
 */
#include "host.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <3ds/os.h>
#include <3ds/thread.h>

enum {
	MAIN_PRIORITY = 0x30,
	LEAST_PRIORITY = 0x3F,
	MICROSECOND = 268,
	MAIN_ID = 1, /* handles of other threads are their ids */
	LEAST_STACK = 1 << 20, /* host code needs more than the console's */
};

/* A wait of a thread. If a callback waits while its thread does, there are two. */
struct wait {
	struct wait *outer;
	const void *object;
	uint64_t until, order;
	bool is_over, is_late;
	const char *function; /* NULL: not the program's */
	uint32_t frame; /* in which it began */
};

struct Thread_tag {
	struct Thread_tag *next; /* threads */
	pthread_t posix;
	pthread_cond_t turn;
	stack_t crash_stack_before;
	ThreadFunc entry;
	void *argument;
	int priority;
	Handle handle;
	struct wait *wait; /* NULL: ready */
	uint64_t order; /* among ready threads of its priority */
	bool is_done, is_gone, is_detached;
	int code;
};

uint64_t host_now;
_Thread_local bool host_takes_turns;

static struct Thread_tag main_thread = { .priority = MAIN_PRIORITY,
	.turn = PTHREAD_COND_INITIALIZER };
static struct Thread_tag *threads = &main_thread, *running = &main_thread;
static struct Thread_tag *ended; /* until threadFree() */
static pthread_mutex_t processor = PTHREAD_MUTEX_INITIALIZER; /* of running */
static uint64_t last_order, next_blank = HOST_FRAME_TICKS;
static Handle last_handle = 0x100;

/* ---- Turns ---- */

static bool is_ready(const struct Thread_tag *t) {
	return !t->wait || t->wait->is_over;
}

static bool is_first(const struct Thread_tag *a, uint64_t a_order, const struct Thread_tag *b,
		uint64_t b_order) {
	return a->priority != b->priority ? a->priority < b->priority : a_order < b_order;
}

static struct Thread_tag *most_urgent(void) {
	struct Thread_tag *best = NULL;
	for (struct Thread_tag *t = threads; t; t = t->next) {
		if (is_ready(t) && (!best || is_first(t, t->order, best, best->order))) {
			best = t;
		}
	}
	return best;
}

/* Switches to another thread; returns at self's next turn, or never if self has ended. */
static void switch_to(struct Thread_tag *t) {
	struct Thread_tag *self = running;
	if (t == self) {
		return;
	}
	pthread_mutex_lock(&processor);
	running = t;
	pthread_cond_signal(&t->turn);
	while (!self->is_gone && running != self) {
		pthread_cond_wait(&self->turn, &processor);
	}
	pthread_mutex_unlock(&processor);
}

static void end_wait(struct Thread_tag *t, struct wait *w, bool is_late) {
	w->is_over = true;
	w->is_late = is_late;
	t->order = ++last_order;
}

/* ---- Time ---- */

static void advance(uint64_t tick) {
	host_now = tick > host_now ? tick : host_now;
	while (next_blank <= host_now) {
		next_blank += HOST_FRAME_TICKS;
		host_vblank();
	}
	for (struct Thread_tag *t = threads; t; t = t->next) {
		for (struct wait *w = t->wait; w; w = w->outer) {
			if (!w->is_over && w->until <= host_now) {
				end_wait(t, w, true);
			}
		}
	}
}

static uint64_t next_event(void) {
	uint64_t tick = next_blank;
	for (const struct Thread_tag *t = threads; t; t = t->next) {
		for (const struct wait *w = t->wait; w; w = w->outer) {
			tick = !w->is_over && w->until < tick ? w->until : tick;
		}
	}
	return tick;
}

/* Callbacks run on this thread, which stays ready meanwhile. */
static void deliver(void) {
	struct Thread_tag *self = running;
	struct wait busy = { .outer = self->wait, .until = UINT64_MAX, .is_over = true };
	self->wait = &busy;
	host_deliver();
	self->wait = busy.outer;
}

/* Advances time until a thread is ready. */
static struct Thread_tag *next_thread(void) {
	for (;;) {
		deliver();
		struct Thread_tag *t = most_urgent();
		if (t) {
			return t;
		}
		advance(next_event());
	}
}

bool host_wait_in(const char *function, const void *object, uint64_t until) {
	host_check_process(function);
	struct Thread_tag *self = running;
	struct wait w = { .outer = self->wait,
		.object = object,
		.until = until,
		.order = ++last_order,
		.function = function,
		.frame = host_frames };
	self->wait = &w;
	while (!w.is_over) {
		switch_to(next_thread());
	}
	self->wait = w.outer;
	return !w.is_late;
}

uint64_t host_after(int64_t ns) {
	if (ns < 0) {
		return UINT64_MAX;
	}
	const uint64_t us = (uint64_t)ns / 1000, left = (uint64_t)ns % 1000;
	return host_now + us / 1000000 * SYSCLOCK_ARM11 + us % 1000000 * SYSCLOCK_ARM11 / 1000000 +
			left * MICROSECOND / 1000;
}

void host_wake(const void *object, unsigned n) {
	for (; n; n--) {
		struct Thread_tag *thread = NULL;
		struct wait *wait = NULL;
		for (struct Thread_tag *t = threads; t; t = t->next) {
			for (struct wait *w = t->wait; w; w = w->outer) {
				if (!w->is_over && w->object == object &&
						(!wait ||
								is_first(t, w->order, thread,
										wait->order))) {
					thread = t;
					wait = w;
				}
			}
		}
		if (!wait) {
			return;
		}
		end_wait(thread, wait, false);
	}
}

void host_log_waits(uint32_t frame) {
	for (const struct Thread_tag *t = threads; t; t = t->next) {
		const struct wait *w = t->wait;
		if (w && !w->is_over && w->function && w->frame < frame) {
			char name[32];
			snprintf(name, sizeof(name), "thread 0x%X", t->handle);
			host_log("%s has waited in %s() since frame %u",
					t == &main_thread ? "the main thread" : name, w->function,
					w->frame);
		}
	}
}

void host_turn_in(const char *function) {
	host_check_thread(function);
	struct Thread_tag *t = most_urgent();
	if (t && t->priority < running->priority) {
		switch_to(t);
	}
}

void host_spend_in(const char *function, uint64_t ticks) {
	host_check_thread(function);
	advance(host_now + ticks);
	deliver();
	host_turn();
}

PICA_EXPORT u64 svcGetSystemTick(void) {
	host_spend(MICROSECOND);
	return host_now;
}

PICA_EXPORT void svcSleepThread(s64 ns) {
	if (ns > 0) {
		host_wait(&host_now, host_after(ns));
		return;
	}
	host_spend(MICROSECOND);
	running->order = ++last_order;
	switch_to(most_urgent());
}

PICA_EXPORT double osTickCounterRead(const TickCounter *counter) {
	return (double)counter->elapsed / CPU_TICKS_PER_MSEC;
}

PICA_EXPORT u64 osGetTime(void) {
	const u64 year_2000 = 36524ull * 24 * 3600 * 1000; /* days since 1900 */
	const u64 now = svcGetSystemTick();
	return year_2000 + now / SYSCLOCK_ARM11 * 1000 +
			now % SYSCLOCK_ARM11 * 1000 / SYSCLOCK_ARM11;
}

/* ---- Threads ---- */

Handle host_new_handle(void) {
	return ++last_handle;
}

static void unlink_thread(struct Thread_tag **list, const struct Thread_tag *t) {
	while (*list && *list != t) {
		list = &(*list)->next;
	}
	if (*list) {
		*list = t->next;
	}
}

static void end_thread(int code) {
	struct Thread_tag *self = running;
	struct wait forever = { .outer = self->wait, .until = UINT64_MAX };
	self->code = code;
	self->is_done = true;
	self->wait = &forever;
	host_wake(self, UINT32_MAX);
	host_kernel_thread_ended(self->handle);
	struct Thread_tag *t = next_thread();
	sigaltstack(&self->crash_stack_before, NULL); /* the room ends with start() */
	unlink_thread(&threads, self);
	const bool is_detached = self->is_detached;
	if (!is_detached) {
		self->next = ended;
		ended = self;
	}
	self->is_gone = true;
	switch_to(t);
	if (is_detached) {
		free(self);
	}
}

PICA_EXPORT void threadExit(int code) {
	if (running == &main_thread) {
		exit(code);
	}
	end_thread(code);
	pthread_exit(NULL);
}

static void *start(void *user) {
	struct Thread_tag *self = user;
	uint8_t room[HOST_CRASH_STACK]; /* the far end from that which overflows */
	host_takes_turns = true;
	host_set_crash_stack(room, &self->crash_stack_before);
	pthread_mutex_lock(&processor);
	while (running != self) {
		pthread_cond_wait(&self->turn, &processor);
	}
	pthread_mutex_unlock(&processor);
	self->entry(self->argument);
	end_thread(0);
	return NULL;
}

PICA_EXPORT Thread threadCreate(ThreadFunc entry, void *argument, size_t stack_bytes, int priority,
		int core, bool detached) {
	(void)core;
	const bool is_fine =
			priority >= 0 && priority <= LEAST_PRIORITY && stack_bytes <= UINT32_MAX;
	struct Thread_tag *t = is_fine ? calloc(1, sizeof(*t)) : NULL;
	pthread_attr_t attr;
	if (!t) {
		return NULL;
	}
	*t = (struct Thread_tag){ .next = threads,
		.turn = PTHREAD_COND_INITIALIZER,
		.entry = entry,
		.argument = argument,
		.priority = priority,
		.handle = host_new_handle(),
		.order = ++last_order,
		.is_detached = detached };
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr,
			HOST_CRASH_STACK + (stack_bytes < LEAST_STACK ? LEAST_STACK : stack_bytes));
	const int ret = pthread_create(&t->posix, &attr, start, t);
	pthread_attr_destroy(&attr);
	if (ret) {
		free(t);
		return NULL;
	}
	if (detached) {
		pthread_detach(t->posix);
	}
	threads = t;
	host_turn();
	return t;
}

PICA_EXPORT Handle threadGetHandle(Thread thread) {
	return thread ? thread->handle : CUR_THREAD_HANDLE;
}

PICA_EXPORT int threadGetExitCode(Thread thread) {
	return thread && thread->is_done ? thread->code : 0;
}

PICA_EXPORT void threadFree(Thread thread) {
	if (thread && thread->is_done && !thread->is_detached) {
		unlink_thread(&ended, thread);
		pthread_join(thread->posix, NULL);
		free(thread);
	}
}

PICA_EXPORT Result threadJoin(Thread thread, u64 timeout_ns) {
	const uint64_t until = host_after(timeout_ns > INT64_MAX ? -1 : (int64_t)timeout_ns);
	if (!thread || thread->is_detached) {
		return HOST_BAD_ARGUMENT;
	}
	while (!thread->is_done) {
		if (!host_wait(thread, until)) {
			return MAKERESULT(RL_TEMPORARY, RS_STATUSCHANGED, RM_OS, RD_TIMEOUT);
		}
	}
	return 0;
}

PICA_EXPORT void threadDetach(Thread thread) {
	if (thread && thread->is_done) {
		threadFree(thread);
	} else if (thread && !thread->is_detached) {
		pthread_detach(thread->posix);
		thread->is_detached = true;
	}
}

PICA_EXPORT Thread threadGetCurrent(void) {
	return running == &main_thread ? NULL : running;
}

static struct Thread_tag *thread_of(Handle handle) {
	for (struct Thread_tag *t = threads; t; t = t->next) {
		if (t->handle == handle && t != &main_thread) {
			return t;
		}
	}
	return handle == CUR_THREAD_HANDLE ? running : NULL;
}

bool host_find_thread(Handle handle, bool *is_done) {
	const struct Thread_tag *t = thread_of(handle);
	for (const struct Thread_tag *e = ended; e && !t; e = e->next) {
		t = e->handle == handle ? e : NULL;
	}
	*is_done = t && t->is_done;
	return t;
}

PICA_EXPORT Result svcGetThreadId(u32 *out, Handle handle) {
	const struct Thread_tag *t = thread_of(handle);
	*out = !t ? 0 : t == &main_thread ? MAIN_ID : t->handle;
	return t ? 0 : HOST_BAD_ARGUMENT;
}

PICA_EXPORT Result svcGetProcessId(u32 *out, Handle handle) {
	*out = handle == CUR_PROCESS_HANDLE;
	return *out ? 0 : HOST_BAD_ARGUMENT;
}

PICA_EXPORT s32 svcGetProcessorID(void) {
	return 0;
}

PICA_EXPORT Result svcGetThreadPriority(s32 *out, Handle handle) {
	const struct Thread_tag *t = thread_of(handle);
	if (t) {
		*out = t->priority;
	}
	return t ? 0 : HOST_BAD_ARGUMENT;
}

PICA_EXPORT Result svcSetThreadPriority(Handle handle, s32 priority) {
	struct Thread_tag *t = thread_of(handle);
	if (!t || priority < 0 || priority > LEAST_PRIORITY) {
		return HOST_BAD_ARGUMENT;
	}
	t->priority = priority;
	host_turn();
	return 0;
}
