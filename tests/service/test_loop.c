/*
 * Both event loops: readiness, timers, removal in the middle of a round, wake-ups from other
 * threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "service/loop.h"
#include "tests/suite.h"

static const enum loop_kind kinds[] = { LOOP_EPOLL, LOOP_URING };
static struct loop *loop;

/* False: this machine bars it. */
static bool open_loop(int i) {
	int ret = loop_create(&loop, kinds[i]);
	if (ret == -ENOSYS || ret == -EPERM) {
		return false;
	}
	ck_assert_int_eq(ret, 0);
	ck_assert_str_eq(loop_name(loop), kinds[i] == LOOP_EPOLL ? "epoll" : "uring");
	return true;
}

/* A test with each kind of loop that the machine has. */
#define LOOP_TEST(name) \
	static void name(void); \
	TEST_LOOP(of_##name, 2) { \
		if (open_loop(_i)) { \
			name(); \
			loop_destroy(loop); \
		} \
	} \
	static void name(void)

static void step(int64_t timeout_ns) {
	ck_assert_int_eq(loop_step(loop, timeout_ns), 0);
}

#define STEP_UNTIL(condition) \
	while (!(condition)) { \
		step(-1); \
	}

struct reader {
	struct loop_watch *watch;
	int fd;
	unsigned calls, bytes;
	uint32_t events;
	struct reader *removes; /* whom it takes out when it is called */
};

static void on_read(void *owner, uint32_t events) {
	struct reader *r = owner;
	char buffer[16];
	ssize_t n;
	r->calls++;
	r->events |= events;
	while ((n = read(r->fd, buffer, sizeof(buffer))) > 0) {
		r->bytes += (unsigned)n;
	}
	if (r->removes) {
		loop_watch_remove(loop, r->removes->watch);
		r->removes->watch = NULL;
		r->removes = NULL;
	}
}

static void open_pipe(struct reader *r, int *out) {
	int fds[2];
	ck_assert_int_eq(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	*r = (struct reader){ .fd = fds[0] };
	*out = fds[1];
	ck_assert_int_eq(loop_watch_add(loop, &r->watch, r->fd, on_read, r), 0);
}

LOOP_TEST(readiness_is_reported_repeatedly) {
	struct reader r;
	int out;
	open_pipe(&r, &out);
	step(0);
	ck_assert_uint_eq(r.calls, 0);
	for (unsigned i = 1; i <= 50; i++) {
		ck_assert_int_eq(write(out, "abc", 3), 3);
		while (r.bytes < 3 * i) {
			step(-1);
		}
		ck_assert_uint_eq(r.bytes, 3 * i);
	}
	ck_assert_uint_eq(r.events, LOOP_READ);
	close(out);
	STEP_UNTIL(r.events & LOOP_HANGUP)
	ck_assert_uint_eq(r.events & LOOP_HANGUP, LOOP_HANGUP);
	loop_watch_remove(loop, r.watch);
	close(r.fd);
}

LOOP_TEST(existing_readiness_is_reported) {
	struct reader r;
	int out;
	open_pipe(&r, &out);
	loop_watch_remove(loop, r.watch);
	ck_assert_int_eq(write(out, "abc", 3), 3);
	ck_assert_int_eq(loop_watch_add(loop, &r.watch, r.fd, on_read, &r), 0);
	STEP_UNTIL(r.bytes)
	ck_assert_uint_eq(r.bytes, 3);
	loop_watch_remove(loop, r.watch);
	close(out);
	close(r.fd);
}

struct task_owner {
	struct loop_task task;
	unsigned calls, again;
};

static void on_task(void *owner) {
	struct task_owner *o = owner;
	o->calls++;
	if (o->again > 0) {
		o->again--;
		loop_post(loop, &o->task);
	}
}

static void on_bell(void *owner, uint32_t events) {
	*(uint32_t *)owner |= events;
}

LOOP_TEST(bells_are_read_and_rung) {
	struct loop_watch *watch;
	uint32_t events = 0;
	int bell[2];
	ck_assert_int_eq(pipe2(bell, O_CLOEXEC | O_NONBLOCK), 0);
	ck_assert_int_eq(loop_bell_add(loop, &watch, bell[0], on_bell, &events), 0);
	for (unsigned k = 0; k < 1000; k++) { /* more than there are buffers */
		loop_bell_ring(loop, bell[1]);
	}
	STEP_UNTIL(events)
	for (unsigned k = 0; k < 5; k++) {
		step(1000000);
	}
	ck_assert_uint_eq(events, LOOP_READ);
	char byte;
	ck_assert_int_eq(read(bell[0], &byte, 1), -1); /* the loop has them all */
	events = 0;
	loop_bell_ring(loop, bell[1]);
	STEP_UNTIL(events)
	close(bell[1]);
	STEP_UNTIL(events & LOOP_HANGUP)
	events = 0;
	step(10000000);
	ck_assert_uint_eq(events, 0); /* once */
	loop_watch_remove(loop, watch);
	close(bell[0]);
}

LOOP_TEST(a_bell_is_rung_before_its_pipe_is_closed) {
	struct loop_watch *watch;
	uint32_t events = 0;
	int bell[2], other[2];
	char byte;
	ck_assert_int_eq(pipe2(bell, O_CLOEXEC | O_NONBLOCK), 0);
	ck_assert_int_eq(pipe2(other, O_CLOEXEC | O_NONBLOCK), 0);
	ck_assert_int_eq(loop_bell_add(loop, &watch, other[0], on_bell, &events), 0);
	loop_bell_ring(loop, bell[1]);
	loop_watch_remove(loop, watch);
	close(bell[1]);
	ck_assert_int_eq(read(bell[0], &byte, 1), 1);
	close(bell[0]);
	close(other[0]);
	close(other[1]);
}

LOOP_TEST(tasks_run_once_after_the_events_of_a_round) {
	struct task_owner o = { .again = 2 };
	struct loop_task late = { .fn = on_task, .owner = &o };
	o.task = (struct loop_task){ .fn = on_task, .owner = &o };
	loop_post(loop, &o.task);
	loop_post(loop, &o.task);
	loop_post(loop, &late);
	loop_unpost(loop, &late);
	step(-1);
	ck_assert_uint_eq(o.calls, 1);
	step(-1); /* posted itself: does not wait */
	step(-1);
	ck_assert_uint_eq(o.calls, 3);
	step(0);
	ck_assert_uint_eq(o.calls, 3);
}

/* ---- Shares: each task advances the clock by 60 us, and records its name ---- */

static struct {
	uint64_t now_ns;
	char names[64];
	size_t n;
	struct loop_task *newcomer; /* posted by the first task */
} turns;

static uint64_t turns_clock(void) {
	return turns.now_ns;
}

static void take_turn(void *owner) {
	const char *name = owner;
	turns.now_ns += 60000;
	turns.names[turns.n++] = *name;
	if (turns.newcomer) {
		loop_post(loop, turns.newcomer);
		turns.newcomer = NULL;
	}
}

static char turn_names[] = "abcdv0";

LOOP_TEST(share_with_least_time_comes_first) {
	struct loop_share attacker = { 0 }, victim = { 0 };
	struct loop_task tasks[6];
	memset(&turns, 0, sizeof(turns));
	loop_set_clock(loop, turns_clock);
	for (unsigned i = 0; i < 6; i++) {
		tasks[i] = (struct loop_task){ .fn = take_turn, .owner = &turn_names[i],
			.share = i < 4 ? &attacker : i == 4 ? &victim : NULL };
	}
	/* Four sessions of one user wait when another's comes: two of them run before, 120 us. */
	for (unsigned i = 0; i < 4; i++) {
		loop_post(loop, &tasks[i]);
	}
	turns.newcomer = &tasks[4];
	step(-1);
	ck_assert_str_eq(turns.names, "ab");
	/* It runs before those two, without credit for the time when it had no tasks. */
	step(-1);
	ck_assert_str_eq(turns.names, "abvc");
	loop_post(loop, &tasks[4]);
	loop_post(loop, &tasks[0]);
	loop_post(loop, &tasks[5]); /* nobody's */
	step(-1);
	ck_assert_str_eq(turns.names, "abvc0vd");
	step(-1);
	ck_assert_str_eq(turns.names, "abvc0vda");
	/* However long the one was alone, both then have as much. */
	for (unsigned i = 0; i < 20; i++) {
		loop_post(loop, &tasks[0]);
		step(-1);
	}
	turns.n = 0;
	tasks[5].share = &victim;
	loop_post(loop, &tasks[0]);
	loop_post(loop, &tasks[1]);
	loop_post(loop, &tasks[4]);
	loop_post(loop, &tasks[5]);
	step(-1);
	step(-1);
	turns.names[turns.n] = 0;
	ck_assert_str_eq(turns.names, "va0b");
}

LOOP_TEST(removed_watches_are_not_called_even_where_they_are_due) {
	struct reader a, b;
	int out_a, out_b;
	open_pipe(&a, &out_a);
	open_pipe(&b, &out_b);
	a.removes = &b;
	b.removes = &a;
	ck_assert_int_eq(write(out_a, "x", 1), 1);
	ck_assert_int_eq(write(out_b, "x", 1), 1);
	STEP_UNTIL(a.calls + b.calls != 0)
	for (unsigned k = 0; k < 5; k++) {
		loop_step(loop, 1000000);
	}
	ck_assert_uint_eq(a.calls + b.calls, 1);
	loop_watch_remove(loop, a.watch);
	loop_watch_remove(loop, b.watch);
	close(a.fd);
	close(b.fd);
	close(out_a);
	close(out_b);
}

static uint64_t called_at[3];
static unsigned n_called;

static void on_timer(void *owner) {
	called_at[n_called++] = *(const uint64_t *)owner;
}

LOOP_TEST(timers_go_off_in_order_and_not_before) {
	uint64_t now, name[3] = { 0, 1, 2 };
	struct loop_timer t[3];
	n_called = 0;
	now = loop_now_ns();
	memset(t, 0, sizeof(t));
	for (unsigned i = 0; i < 3; i++) {
		t[i].fn = on_timer;
		t[i].owner = &name[i];
	}
	/* Too late to expire during a stall of the machine while the others are awaited. */
	loop_timer_set(loop, &t[0], now + UINT64_C(3600000000000));
	loop_timer_set(loop, &t[1], now + 10000000);
	loop_timer_set(loop, &t[2], now + 5000000);
	loop_timer_set(loop, &t[2], now + 20000000); /* later after all */
	STEP_UNTIL(n_called == 2)
	ck_assert_uint_ge(loop_now_ns() - now, 20000000);
	ck_assert_uint_eq(called_at[0], 1);
	ck_assert_uint_eq(called_at[1], 2);
	loop_timer_unset(loop, &t[0]);
	step(30000000);
	ck_assert_uint_eq(n_called, 2);
}

struct echo {
	struct reader reader;
	int out;
	unsigned left;
};

static void on_echo(void *owner, uint32_t events) {
	struct echo *e = owner;
	on_read(&e->reader, events);
	if (e->left > 0) {
		e->left--;
		ck_assert_int_eq(write(e->out, "x", 1), 1);
	}
}

/* A peer that causes an event while its last one is handled. */
LOOP_TEST(timers_run_during_endless_events) {
	struct echo e = { .left = 1000000 };
	const uint64_t name = 1;
	struct loop_timer t = { .fn = on_timer };
	open_pipe(&e.reader, &e.out);
	loop_watch_remove(loop, e.reader.watch);
	ck_assert_int_eq(loop_watch_add(loop, &e.reader.watch, e.reader.fd, on_echo, &e),
			0);
	n_called = 0;
	t.owner = (void *)(uintptr_t)&name;
	loop_timer_set(loop, &t, loop_now_ns());
	ck_assert_int_eq(write(e.out, "x", 1), 1);
	STEP_UNTIL(n_called != 0)
	ck_assert_uint_gt(e.left, 0);
	loop_watch_remove(loop, e.reader.watch);
	close(e.out);
	close(e.reader.fd);
}

static void *wake_soon(void *arg) {
	usleep(20000);
	loop_wake(loop);
	return NULL;
}

LOOP_TEST(other_threads_can_wake_it) {
	pthread_t thread;
	ck_assert_int_eq(pthread_create(&thread, NULL, wake_soon, NULL), 0);
	step(-1);
	pthread_join(thread, NULL);
}

TEST(names) {
	ck_assert_int_eq(loop_kind_from_name("auto"), LOOP_AUTO);
	ck_assert_int_eq(loop_kind_from_name("uring"), LOOP_URING);
	ck_assert_int_eq(loop_kind_from_name("epoll"), LOOP_EPOLL);
	ck_assert_int_eq(loop_kind_from_name("kqueue"), -EINVAL);
	ck_assert_int_eq(loop_create(&loop, LOOP_AUTO), 0);
	loop_destroy(loop);
}
