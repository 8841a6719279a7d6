/*
 * Events, timers, mutexes and semaphores of the kernel, and waits for them and for the ends of
 * threads. A waiter looks up its handles anew each time, so that objects may be closed meanwhile.
 */
#include "host.h"

#include <stdlib.h>

#include <3ds/os.h>
#include <3ds/thread.h>

#define BAD_HANDLE MAKERESULT(RL_PERMANENT, RS_INVALIDARG, RM_KERNEL, RD_INVALID_HANDLE)
#define LATE MAKERESULT(RL_INFO, RS_STATUSCHANGED, RM_OS, RD_TIMEOUT) /* not negative */

enum { POLL_TICKS = SYSCLOCK_ARM11 / 1000000 };

enum kind { KIND_EVENT, KIND_TIMER, KIND_MUTEX, KIND_SEMAPHORE };

struct object {
	struct object *next; /* objects */
	enum kind kind;
	Handle handle;
	ResetType reset;
	s32 count, most; /* signals: of an event 0 or 1; of a mutex: of its owner's locks */
	uint64_t due, interval; /* of a timer, in ticks; UINT64_MAX: never; 0: once */
	u32 owner; /* id of the thread that holds the mutex; 0: none */
};

/* A wait of a thread. */
struct waiter {
	struct waiter *next; /* waiters */
	const Handle *handles;
	s32 n, first; /* of handles; the one that was signalled */
	u32 thread;
	s32 priority;
	bool needs_all, is_over;
};

static struct object *objects;
static struct waiter *waiters; /* by priority, then in order */

/* ---- Objects ---- */

static struct object *find(Handle handle) {
	struct object *o = objects;
	while (o && o->handle != handle) {
		o = o->next;
	}
	return o;
}

static struct object *find_kind(Handle handle, enum kind kind) {
	struct object *o = find(handle);
	return o && o->kind == kind ? o : NULL;
}

static Result create(Handle *out, struct object init) {
	struct object *o = malloc(sizeof(*o));
	if (!o) {
		return MAKERESULT(RL_PERMANENT, RS_OUTOFRESOURCE, RM_KERNEL, RD_OUT_OF_MEMORY);
	}
	*o = init;
	o->next = objects;
	*out = o->handle = host_new_handle();
	objects = o;
	return 0;
}

static void expire(struct object *o) {
	if (o->kind == KIND_TIMER && o->due <= host_now) {
		o->count = 1;
		const uint64_t late = host_now - o->due;
		o->due = o->interval ? host_now + o->interval - late % o->interval : UINT64_MAX;
	}
}

/* Returns whether the waiter need not wait for this handle. */
static bool is_signalled(const struct waiter *w, Handle handle) {
	struct object *o = find(handle);
	bool is_done;
	if (!o) {
		return host_find_thread(handle, &is_done) && is_done;
	}
	expire(o);
	return o->kind == KIND_MUTEX ? !o->owner || o->owner == w->thread : o->count > 0;
}

/* What the end of a wait does. */
static void take(const struct waiter *w, Handle handle) {
	struct object *o = find(handle);
	if (o && o->kind == KIND_MUTEX) {
		o->owner = w->thread;
		o->count++;
	} else if (o && (o->kind == KIND_SEMAPHORE || o->reset == RESET_ONESHOT)) {
		o->count--;
	}
}

/* Returns whether a wait ends now, and takes what it waited for. */
static bool can_end(struct waiter *w) {
	s32 n = 0;
	for (s32 i = w->n - 1; i >= 0; i--) {
		if (is_signalled(w, w->handles[i])) {
			w->first = i;
			n++;
		}
	}
	if (!n || (w->needs_all && n < w->n)) {
		return n == w->n; /* no handles at all */
	}
	for (s32 i = 0; i < w->n; i++) {
		if (w->needs_all || i == w->first) {
			take(w, w->handles[i]);
		}
	}
	return true;
}

/* Ends the waits that can end. */
static void wake(void) {
	for (struct waiter **p = &waiters, *w; (w = *p);) {
		if (can_end(w)) {
			*p = w->next;
			w->is_over = true;
			host_wake(w, 1);
		} else {
			p = &w->next;
		}
	}
}

void host_kernel_thread_ended(u32 thread) {
	for (struct object *o = objects; o; o = o->next) {
		if (o->kind == KIND_MUTEX && o->owner == thread) {
			o->owner = 0;
			o->count = 0;
		}
	}
	wake();
}

/* ---- Waits ---- */

static void queue(struct waiter *w) {
	struct waiter **p = &waiters;
	while (*p && (*p)->priority <= w->priority) {
		p = &(*p)->next;
	}
	w->next = *p;
	*p = w;
}

static void unqueue(const struct waiter *w) {
	struct waiter **p = &waiters;
	while (*p != w) {
		p = &(*p)->next;
	}
	*p = w->next;
}

/* When the first timer of a wait expires. */
static uint64_t next_due(const struct waiter *w) {
	uint64_t due = UINT64_MAX;
	for (s32 i = 0; i < w->n; i++) {
		const struct object *o = find(w->handles[i]);
		due = o && o->kind == KIND_TIMER && o->due < due ? o->due : due;
	}
	return due;
}

PICA_EXPORT Result svcWaitSynchronizationN(
		s32 *out, const Handle *handles, s32 n, bool wait_all, s64 ns) {
	struct waiter w = { .handles = handles, .n = n, .first = -1, .needs_all = wait_all };
	bool is_done;
	if (n < 0) {
		return MAKERESULT(RL_USAGE, RS_INVALIDARG, RM_KERNEL, RD_OUT_OF_RANGE);
	}
	for (s32 i = 0; i < n; i++) {
		if (!find(handles[i]) && !host_find_thread(handles[i], &is_done)) {
			return BAD_HANDLE;
		}
	}
	svcGetThreadId(&w.thread, CUR_THREAD_HANDLE);
	svcGetThreadPriority(&w.priority, CUR_THREAD_HANDLE);
	if (ns == 0) {
		host_spend(POLL_TICKS); /* a program may poll until a time */
	}
	host_deliver();
	const uint64_t until = host_after(ns);
	while (!w.is_over && !can_end(&w)) {
		if (host_now >= until) {
			return LATE;
		}
		const uint64_t due = next_due(&w);
		queue(&w);
		host_wait(&w, due < until ? due : until);
		if (!w.is_over) {
			unqueue(&w);
		}
	}
	*out = w.first;
	return 0;
}

PICA_EXPORT Result svcWaitSynchronization(Handle handle, s64 ns) {
	s32 first;
	return svcWaitSynchronizationN(&first, &handle, 1, false, ns);
}

PICA_EXPORT Result svcCloseHandle(Handle handle) {
	bool is_done;
	for (struct object **p = &objects, *o; (o = *p); p = &o->next) {
		if (o->handle == handle) {
			*p = o->next;
			free(o);
			return 0;
		}
	}
	return host_find_thread(handle, &is_done) ? 0 : BAD_HANDLE;
}

/* ---- Events ---- */

PICA_EXPORT Result svcCreateEvent(Handle *event, ResetType reset_type) {
	return create(event, (struct object){ .kind = KIND_EVENT, .reset = reset_type });
}

PICA_EXPORT Result svcSignalEvent(Handle event) {
	struct object *o = find_kind(event, KIND_EVENT);
	if (!o) {
		return BAD_HANDLE;
	}
	o->count = 1;
	wake();
	if (o->reset == RESET_PULSE) {
		o->count = 0;
	}
	host_turn();
	return 0;
}

PICA_EXPORT Result svcClearEvent(Handle event) {
	struct object *o = find_kind(event, KIND_EVENT);
	if (o) {
		o->count = 0;
	}
	return o ? 0 : BAD_HANDLE;
}

/* ---- Timers ---- */

PICA_EXPORT Result svcCreateTimer(Handle *timer, ResetType reset_type) {
	return create(timer, (struct object){ .kind = KIND_TIMER, .reset = reset_type,
					     .due = UINT64_MAX });
}

PICA_EXPORT Result svcSetTimer(Handle timer, s64 initial_ns, s64 interval_ns) {
	struct object *o = find_kind(timer, KIND_TIMER);
	if (!o) {
		return BAD_HANDLE;
	}
	if (initial_ns < 0 || interval_ns < 0) {
		return MAKERESULT(RL_USAGE, RS_INVALIDARG, RM_KERNEL, RD_OUT_OF_RANGE);
	}
	o->due = host_after(initial_ns);
	o->interval = host_after(interval_ns) - host_now;
	for (const struct waiter *w = waiters; w; w = w->next) {
		host_wake(w, 1); /* it waits again, for the new time */
	}
	host_turn();
	return 0;
}

PICA_EXPORT Result svcCancelTimer(Handle timer) {
	struct object *o = find_kind(timer, KIND_TIMER);
	if (o) {
		expire(o);
		o->due = UINT64_MAX;
	}
	return o ? 0 : BAD_HANDLE;
}

PICA_EXPORT Result svcClearTimer(Handle timer) {
	struct object *o = find_kind(timer, KIND_TIMER);
	if (o) {
		expire(o);
		o->count = 0;
	}
	return o ? 0 : BAD_HANDLE;
}

/* ---- Mutexes ---- */

PICA_EXPORT Result svcCreateMutex(Handle *mutex, bool initially_locked) {
	struct object init = { .kind = KIND_MUTEX, .count = initially_locked };
	if (initially_locked) {
		svcGetThreadId(&init.owner, CUR_THREAD_HANDLE);
	}
	return create(mutex, init);
}

PICA_EXPORT Result svcReleaseMutex(Handle mutex) {
	struct object *o = find_kind(mutex, KIND_MUTEX);
	u32 self;
	svcGetThreadId(&self, CUR_THREAD_HANDLE);
	if (!o || o->owner != self) {
		return BAD_HANDLE;
	}
	if (--o->count == 0) {
		o->owner = 0;
		wake();
		host_turn();
	}
	return 0;
}

/* ---- Semaphores ---- */

PICA_EXPORT Result svcCreateSemaphore(Handle *semaphore, s32 count, s32 most) {
	if (count < 0 || most < count) {
		return MAKERESULT(RL_USAGE, RS_WRONGARG, RM_KERNEL, RD_INVALID_COMBINATION);
	}
	return create(semaphore,
			(struct object){ .kind = KIND_SEMAPHORE, .count = count, .most = most });
}

PICA_EXPORT Result svcReleaseSemaphore(s32 *before, Handle semaphore, s32 n) {
	struct object *o = find_kind(semaphore, KIND_SEMAPHORE);
	if (!o) {
		return BAD_HANDLE;
	}
	if (n < 0 || n > o->most - o->count) {
		return MAKERESULT(RL_USAGE, RS_INVALIDARG, RM_KERNEL, RD_OUT_OF_RANGE);
	}
	*before = o->count;
	o->count += n;
	wake();
	host_turn();
	return 0;
}
