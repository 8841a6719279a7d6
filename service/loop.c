/* Shared by both implementations of the loop: choice, timers, wake-ups, freeing of watches. */
#include "service/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "clock.h"
#include "service/loop_impl.h"

#define LONGEST_NS UINT64_C(1000000000000000) /* eleven days, then it checks again */

/* After this time, tasks wait for a round of events, which may post tasks with precedence. */
static const uint64_t tasks_ns = 100000;

struct loop {
	const struct loop_impl *impl;
	void *state;
	struct loop_watch *watches;
	struct loop_watch *removed; /* freed when nothing can refer to them any more */
	struct loop_timer *timers;  /* by deadline */
	struct loop_task *tasks, *running; /* of the next round, of this one; in order of posting */
	uint64_t (*clock_ns)(void); /* measures the time of tasks */
	uint64_t least_ns;          /* time of the last chosen share when it was chosen */
	int wake_fd;
	struct loop_watch *wake;
};

uint64_t loop_now_ns(void) {
	return now_ns();
}

/* CPU time: a share is not charged while the thread is preempted. */
static uint64_t thread_ns(void) {
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void on_wake(void *owner, uint32_t events) {
	const struct loop *loop = owner;
	uint64_t count;
	ssize_t n = read(loop->wake_fd, &count, sizeof(count));
	(void)n; /* empty: another round has read it */
}

int loop_kind_from_name(const char *name) {
	static const char *const names[] = { "auto", "uring", "epoll" };
	for (int i = 0; i < 3; i++) {
		if (strcmp(name, names[i]) == 0) {
			return i;
		}
	}
	return -EINVAL;
}

static int choose(struct loop *loop, enum loop_kind kind) {
#ifdef HAVE_URING
	if (kind != LOOP_EPOLL) {
		int ret = loop_impl_uring.create(&loop->state);
		if (ret == 0 || kind == LOOP_URING) {
			loop->impl = &loop_impl_uring;
			return ret;
		}
	}
#else
	if (kind == LOOP_URING) {
		return -ENOSYS;
	}
#endif
	loop->impl = &loop_impl_epoll;
	return loop_impl_epoll.create(&loop->state);
}

int loop_create(struct loop **out, enum loop_kind kind) {
	struct loop *loop = calloc(1, sizeof(*loop));
	if (!loop) {
		return -ENOMEM;
	}
	loop->clock_ns = thread_ns;
	loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (loop->wake_fd < 0) {
		int ret = -errno;
		free(loop);
		return ret;
	}
	int ret = choose(loop, kind);
	if (ret < 0) {
		goto err_fd;
	}
	ret = loop_watch_add(loop, &loop->wake, loop->wake_fd, on_wake, loop);
	if (ret < 0) {
		goto err_impl;
	}
	*out = loop;
	return 0;

err_impl:
	loop->impl->destroy(loop->state);
err_fd:
	close(loop->wake_fd);
	free(loop);
	return ret;
}

static void free_list(struct loop_watch *w) {
	while (w) {
		struct loop_watch *next = w->next;
		free(w);
		w = next;
	}
}

void loop_destroy(struct loop *loop) {
	if (!loop) {
		return;
	}
	loop_watch_remove(loop, loop->wake);
	loop->impl->destroy(loop->state);
	free_list(loop->watches);
	free_list(loop->removed);
	close(loop->wake_fd);
	free(loop);
}

const char *loop_name(const struct loop *loop) {
	return loop->impl->name;
}

/* ---- Bells ---- */

void loop_read_bells(int fd) {
	char bells[4096];
	for (unsigned n = 0; n < 16 && read(fd, bells, sizeof(bells)) == (ssize_t)sizeof(bells);
			n++) {
	}
}

void loop_ring_now(int fd) {
	const ssize_t n = write(fd, "", 1);
	(void)n;
}

void loop_bell_ring(struct loop *loop, int fd) {
	/* Submitted with those of later tasks of this round, or at once. */
	if (loop->running) {
		loop->impl->ring(loop->state, fd);
	} else {
		loop_ring_now(fd);
	}
}

/* ---- Watches ---- */

static int add_watch(struct loop *loop, struct loop_watch **out, int fd, loop_fn *fn, void *owner,
		bool is_bell) {
	struct loop_watch *w = calloc(1, sizeof(*w));
	if (!w) {
		return -ENOMEM;
	}
	w->fd = fd;
	w->fn = fn;
	w->owner = owner;
	w->is_bell = is_bell;
	int ret = loop->impl->add(loop->state, w);
	if (ret < 0) {
		free(w);
		return ret;
	}
	w->next = loop->watches;
	loop->watches = w;
	*out = w;
	return 0;
}

int loop_watch_add(
		struct loop *loop, struct loop_watch **out, int fd, loop_fn *fn, void *owner) {
	return add_watch(loop, out, fd, fn, owner, false);
}

int loop_bell_add(
		struct loop *loop, struct loop_watch **out, int fd, loop_fn *fn, void *owner) {
	return add_watch(loop, out, fd, fn, owner, true);
}

void loop_watch_remove(struct loop *loop, struct loop_watch *watch) {
	if (!watch) {
		return;
	}
	struct loop_watch **link = &loop->watches;
	while (*link != watch) {
		link = &(*link)->next;
	}
	*link = watch->next;
	watch->fn = NULL;
	loop->impl->remove(loop->state, watch);
	watch->next = loop->removed;
	loop->removed = watch;
}

/*
 * After a round: nothing on the stack refers to removed watches, nor does the kernel to unarmed
 * ones.
 */
static void free_removed(struct loop *loop) {
	struct loop_watch **link = &loop->removed;
	while (*link) {
		struct loop_watch *w = *link;
		if (w->is_armed) {
			link = &w->next;
		} else {
			*link = w->next;
			free(w);
		}
	}
}

/* ---- Timers ---- */

void loop_timer_unset(struct loop *loop, struct loop_timer *timer) {
	if (!timer->is_set) {
		return;
	}
	struct loop_timer **link = &loop->timers;
	while (*link != timer) {
		link = &(*link)->next;
	}
	*link = timer->next;
	timer->is_set = false;
}

void loop_timer_set(struct loop *loop, struct loop_timer *timer, uint64_t deadline_ns) {
	loop_timer_unset(loop, timer);
	struct loop_timer **link = &loop->timers;
	while (*link && (*link)->deadline_ns <= deadline_ns) {
		link = &(*link)->next;
	}
	timer->deadline_ns = deadline_ns;
	timer->next = *link;
	timer->is_set = true;
	*link = timer;
}

static void run_timers(struct loop *loop) {
	uint64_t now = loop_now_ns();
	while (loop->timers && loop->timers->deadline_ns <= now) {
		struct loop_timer *t = loop->timers;
		loop->timers = t->next;
		t->is_set = false;
		t->fn(t->owner);
	}
}

/* ---- Tasks ---- */

static void append(struct loop_task **list, struct loop_task *task) {
	while (*list) {
		list = &(*list)->next;
	}
	*list = task;
}

void loop_post(struct loop *loop, struct loop_task *task) {
	if (task->is_posted) {
		return;
	}
	if (task->share && task->share->ns < loop->least_ns) {
		task->share->ns = loop->least_ns;
	}
	task->is_posted = true;
	task->next = NULL;
	append(&loop->tasks, task);
}

void loop_set_clock(struct loop *loop, uint64_t (*clock)(void)) {
	loop->clock_ns = clock;
}

static bool unlink_task(struct loop_task **link, struct loop_task *task) {
	while (*link && *link != task) {
		link = &(*link)->next;
	}
	const bool is_found = *link;
	*link = is_found ? task->next : NULL;
	return is_found;
}

void loop_unpost(struct loop *loop, struct loop_task *task) {
	if (task->is_posted && !unlink_task(&loop->tasks, task)) {
		unlink_task(&loop->running, task);
	}
	task->is_posted = false;
}

/* Takes the first task of the share with the least time. */
static struct loop_task *take_task(struct loop *loop) {
	struct loop_task *best = loop->running;
	for (struct loop_task *t = best->next; t && best->share; t = t->next) {
		if (!t->share || t->share->ns < best->share->ns) {
			best = t;
		}
	}
	unlink_task(&loop->running, best);
	best->is_posted = false;
	return best;
}

static void run_tasks(struct loop *loop) {
	if (!loop->tasks && !loop->running) {
		return;
	}
	append(&loop->running, loop->tasks);
	loop->tasks = NULL;
	uint64_t now_ns = loop->clock_ns(), spent_ns = 0; /* of tasks with a share */
	while (loop->running && spent_ns < tasks_ns) {
		struct loop_task *t = take_task(loop);
		struct loop_share *share = t->share;
		if (share) {
			loop->least_ns = share->ns;
		}
		t->fn(t->owner); /* which may free the task */
		const uint64_t end_ns = loop->clock_ns();
		if (share) {
			share->ns += end_ns - now_ns;
			share->used_ns += end_ns - now_ns;
			spent_ns += end_ns - now_ns;
		}
		now_ns = end_ns;
	}
}

/* ---- Running ---- */

int loop_step(struct loop *loop, int64_t timeout_ns) {
	timeout_ns = loop->tasks || loop->running ? 0 : timeout_ns;
	if (loop->timers) {
		uint64_t now = loop_now_ns(), at = loop->timers->deadline_ns;
		/* A client's timeout may be centuries. */
		uint64_t ahead = at > now ? at - now : 0;
		int64_t left = (int64_t)(ahead < LONGEST_NS ? ahead : LONGEST_NS);
		timeout_ns = timeout_ns < 0 || left < timeout_ns ? left : timeout_ns;
	}
	int ret = loop->impl->wait(loop->state, timeout_ns);
	run_timers(loop);
	run_tasks(loop);
	free_removed(loop);
	return ret;
}

void loop_wake(struct loop *loop) {
	uint64_t one = 1;
	ssize_t n = write(loop->wake_fd, &one, sizeof(one));
	(void)n; /* full: the thread wakes anyway */
}
