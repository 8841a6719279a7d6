#include <stdatomic.h>

#include "core/sched/graph.h"
#include "core/sched/pool.h"
#include "tests/suite.h"

static struct pool *make_pool(unsigned n) {
	struct pool *p;
	ck_assert_int_eq(pool_create(&p, n, 0), 0);
	ck_assert_uint_eq(pool_threads(p), n);
	ck_assert_uint_eq(pool_workers(p), n ? n : 1);
	return p;
}

struct sum {
	atomic_uint runs, index_sum, bad_worker;
	unsigned workers;
	struct monitor mon;
	bool done;
};

static void sum_run(void *arg, unsigned index, unsigned worker) {
	struct sum *s = arg;
	atomic_fetch_add(&s->runs, 1);
	atomic_fetch_add(&s->index_sum, index);
	atomic_fetch_add(&s->bad_worker, worker >= s->workers);
}

static void sum_done(void *arg) {
	struct sum *s = arg;
	monitor_lock(&s->mon);
	s->done = true;
	monitor_wake(&s->mon);
	monitor_unlock(&s->mon);
}

static void sum_wait(struct sum *s, struct pool *p) {
	pool_drain(p);
	monitor_lock(&s->mon);
	while (!s->done) {
		monitor_wait(&s->mon);
	}
	s->done = false;
	monitor_unlock(&s->mon);
}

TEST_LOOP(group_runs_every_index_once, 5) {
	static const unsigned threads[] = { 0, 1, 2, 3, 8 };
	struct pool *p = make_pool(threads[_i]);
	struct sum s = { .workers = pool_workers(p) };
	ck_assert_int_eq(monitor_init(&s.mon), 0);
	for (unsigned round = 0; round < 200; round++) {
		struct task_group g = { .run = sum_run, .done = sum_done, .arg = &s, .key = round,
			.count = 1 + round % 7 };
		atomic_store(&s.runs, 0);
		atomic_store(&s.index_sum, 0);
		pool_submit(p, &g);
		sum_wait(&s, p);
		unsigned n = 1 + round % 7;
		ck_assert_uint_eq(atomic_load(&s.runs), n);
		ck_assert_uint_eq(atomic_load(&s.index_sum), n * (n - 1) / 2);
		ck_assert_uint_eq(atomic_load(&s.bad_worker), 0);
	}
	monitor_finish(&s.mon);
	pool_destroy(p);
}

TEST(empty_group_is_done_at_once) {
	struct pool *p = make_pool(0);
	struct sum s = { .workers = 1 };
	ck_assert_int_eq(monitor_init(&s.mon), 0);
	struct task_group g = { .run = sum_run, .done = sum_done, .arg = &s };
	pool_submit(p, &g);
	ck_assert(s.done);
	ck_assert_uint_eq(atomic_load(&s.runs), 0);
	monitor_finish(&s.mon);
	pool_destroy(p);
}

static unsigned order[32], n_order;

static void order_run(void *arg, unsigned index, unsigned worker) {
	order[n_order++] = *(unsigned *)arg;
}

TEST(smaller_keys_run_first) {
	struct pool *p = make_pool(0);
	unsigned names[3] = { 30, 10, 20 };
	struct task_group g[3];
	for (unsigned i = 0; i < 3; i++) {
		g[i] = (struct task_group){
			.run = order_run, .arg = &names[i], .key = names[i], .count = 1
		};
		pool_submit(p, &g[i]);
	}
	n_order = 0;
	pool_drain(p);
	ck_assert_uint_eq(n_order, 3);
	ck_assert_uint_eq(order[0], 10);
	ck_assert_uint_eq(order[1], 20);
	ck_assert_uint_eq(order[2], 30);
	pool_destroy(p);
}

static bool order_step(void *arg, unsigned index, unsigned worker, void **state) {
	order[n_order++] = index + (*state ? *(unsigned *)*state : 0);
	return true;
}

TEST(jobs_begun_by_the_caller_are_not_begun_again) {
	struct pool *p = make_pool(0);
	unsigned kept = 100;
	struct task_group g = { .step = order_step, .count = 5 };
	n_order = 0;
	pool_submit_rest(p, &g, 3, &kept);
	pool_drain(p);
	ck_assert_uint_eq(n_order, 3);
	ck_assert_uint_eq(order[0], 102);
	ck_assert_uint_eq(order[1], 3);
	ck_assert_uint_eq(order[2], 4);
	pool_submit_rest(p, &g, 4, NULL);
	pool_drain(p);
	ck_assert_uint_eq(n_order, 4);
	ck_assert_uint_eq(order[3], 4);
	pool_destroy(p);
}

/* Group 1 of three tasks, each of which yields twice; the first lets group 2 in. */
struct stepping {
	struct pool *pool;
	struct task_group group, other;
	struct sum sum;
	unsigned states[3];
};

static void other_run(void *arg, unsigned index, unsigned worker) {
	order[n_order++] = 100;
}

static void step_done(void *arg) {
	struct stepping *s = arg;
	sum_done(&s->sum);
}

static bool step(void *arg, unsigned index, unsigned worker, void **state) {
	struct stepping *s = arg;
	unsigned *times = *state;
	order[n_order++] = index;
	if (!times) {
		times = *state = &s->states[index];
		ck_assert_uint_eq(*times, 0);
		if (index == 0) {
			pool_submit(s->pool, &s->other);
		}
	}
	ck_assert_ptr_eq(times, &s->states[index]);
	return ++*times == 3;
}

TEST_LOOP(yielding_task_runs_after_waiting_ones, 2) {
	static const unsigned want[] = { 0, 100, 0, 0, 1, 1, 1, 2, 2, 2 };
	struct stepping s = { .pool = make_pool(_i == 0 ? 0 : 1) };
	ck_assert_int_eq(monitor_init(&s.sum.mon), 0);
	s.group = (struct task_group){
		.step = step, .done = step_done, .arg = &s, .key = 1, .count = 3
	};
	s.other = (struct task_group){ .run = other_run, .arg = &s, .key = 2, .count = 1 };
	n_order = 0;
	pool_submit(s.pool, &s.group);
	sum_wait(&s.sum, s.pool);
	ck_assert_uint_eq(n_order, sizeof(want) / sizeof(want[0]));
	ck_assert_mem_eq(order, want, sizeof(want));
	pool_destroy(s.pool);
	monitor_finish(&s.sum.mon);
}

/* Each begins, yields once, and logs its number. */
static bool step_twice(void *arg, unsigned index, unsigned worker, void **state) {
	const bool is_first = !*state;
	order[n_order++] = *(unsigned *)arg;
	*state = arg;
	return !is_first;
}

/* 10 and 20 are one line, and 20 and 30 wait when the task of 10 yields. */
TEST(line_continues_before_its_next_group_begins) {
	static const unsigned want[] = { 10, 30, 10, 20, 30, 20 };
	struct pool *p = make_pool(0);
	unsigned names[3] = { 10, 20, 30 };
	struct task_group g[3];
	for (unsigned i = 0; i < 3; i++) {
		g[i] = (struct task_group){ .step = step_twice, .arg = &names[i],
			.line = i < 2 ? &names[0] : NULL, .key = i == 1 ? 40 : names[i],
			.count = 1 };
		pool_submit(p, &g[i]);
	}
	n_order = 0;
	pool_drain(p);
	ck_assert_uint_eq(n_order, sizeof(want) / sizeof(want[0]));
	ck_assert_mem_eq(order, want, sizeof(want));
	pool_destroy(p);
}

/* Eight of a user's ten groups begin, though each has a line of its own. */
TEST(user_with_many_yielded_tasks_begins_none) {
	struct pool *p = make_pool(0);
	struct tally user = { .weight = TALLY_UNIT }, owner = { .up = &user, .weight = TALLY_UNIT };
	unsigned names[10];
	struct task_group g[10];
	for (unsigned i = 0; i < 10; i++) {
		names[i] = i;
		g[i] = (struct task_group){ .step = step_twice, .arg = &names[i],
			.tally = &owner, .line = &names[i], .key = i, .count = 1 };
		pool_submit(p, &g[i]);
	}
	n_order = 0;
	pool_drain(p);
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_uint_eq(order[i], i);
	}
	ck_assert_uint_lt(order[8], 8);
	ck_assert_uint_eq(n_order, 20);
	ck_assert_uint_eq(user.n_yielded[POOL_TILE], 0);
	pool_destroy(p);
}

struct roles {
	struct sum sum;
	atomic_uint wrong;
	unsigned first, end; /* workers that may run it */
};

static void role_done(void *arg) {
	struct roles *r = arg;
	sum_done(&r->sum);
}

static void role_run(void *arg, unsigned index, unsigned worker) {
	struct roles *r = arg;
	atomic_fetch_add(&r->wrong, worker < r->first || worker >= r->end);
}

TEST(workers_keep_to_their_role) {
	struct pool *p;
	ck_assert_int_eq(pool_create(&p, 3, 1), 0);
	struct roles vertex = { .end = 1 }, tile = { .first = 1, .end = 3 };
	ck_assert_int_eq(monitor_init(&vertex.sum.mon), 0);
	ck_assert_int_eq(monitor_init(&tile.sum.mon), 0);
	for (unsigned round = 0; round < 200; round++) {
		struct task_group v = { .role = POOL_VERTEX,
			.run = role_run,
			.done = role_done,
			.arg = &vertex,
			.key = round % 3,
			.count = 5 };
		struct task_group t = { .role = POOL_TILE,
			.run = role_run,
			.done = role_done,
			.arg = &tile,
			.key = 1,
			.count = 5 };
		pool_submit(p, &v);
		pool_submit(p, &t);
		sum_wait(&vertex.sum, p);
		sum_wait(&tile.sum, p);
	}
	ck_assert_uint_eq(atomic_load(&vertex.wrong), 0);
	ck_assert_uint_eq(atomic_load(&tile.wrong), 0);
	pool_destroy(p);
	monitor_finish(&vertex.sum.mon);
	monitor_finish(&tile.sum.mon);
}

static unsigned ready_log[8], n_ready;
static struct graph_node nodes[4];

static void log_ready(struct graph_node *node) {
	ready_log[n_ready++] = (unsigned)(node - nodes);
}

TEST(node_waits_for_all_before_it) {
	struct graph g;
	ck_assert_int_eq(graph_init(&g), 0);
	n_ready = 0;
	for (unsigned i = 0; i < 4; i++) {
		graph_node_init(&nodes[i], log_ready);
	}
	/* 0 -> 2, 1 -> 2, 2 -> 3; an edge named twice counts once */
	graph_edge(&g, &nodes[0], &nodes[2]);
	graph_edge(&g, &nodes[1], &nodes[2]);
	graph_edge(&g, &nodes[1], &nodes[2]);
	graph_edge(&g, &nodes[2], &nodes[3]);
	for (unsigned i = 4; i-- > 0;) {
		graph_release(&g, &nodes[i]);
	}
	ck_assert_uint_eq(n_ready, 2);
	ck_assert_uint_eq(ready_log[0], 1);
	ck_assert_uint_eq(ready_log[1], 0);
	graph_done(&g, &nodes[0]);
	ck_assert_uint_eq(n_ready, 2);
	graph_done(&g, &nodes[1]);
	ck_assert_uint_eq(n_ready, 3);
	ck_assert_uint_eq(ready_log[2], 2);
	ck_assert(!graph_is_done(&g, &nodes[2]));
	graph_done(&g, &nodes[2]);
	ck_assert(graph_is_done(&g, &nodes[2]));
	ck_assert_uint_eq(n_ready, 4);
	graph_finish(&g);
}

TEST(all_nodes_after_one_wait_for_it) {
	struct graph g;
	ck_assert_int_eq(graph_init(&g), 0);
	n_ready = 0;
	for (unsigned i = 0; i < 4; i++) {
		graph_node_init(&nodes[i], log_ready);
	}
	for (unsigned i = 1; i < 4; i++) {
		graph_edge(&g, &nodes[0], &nodes[i]);
		ck_assert_uint_eq(nodes[0].n_successors, i);
	}
	for (unsigned i = 0; i < 4; i++) {
		graph_release(&g, &nodes[i]);
	}
	ck_assert_uint_eq(n_ready, 1);
	ck_assert_uint_eq(ready_log[0], 0);
	graph_done(&g, &nodes[0]);
	ck_assert_uint_eq(n_ready, 4);
	graph_finish(&g);
}

TEST(edge_from_done_node_does_not_block) {
	struct graph g;
	ck_assert_int_eq(graph_init(&g), 0);
	n_ready = 0;
	graph_node_init(&nodes[0], log_ready);
	graph_node_init(&nodes[1], log_ready);
	graph_release(&g, &nodes[0]);
	graph_done(&g, &nodes[0]);
	graph_edge(&g, &nodes[0], &nodes[1]);
	graph_release(&g, &nodes[1]);
	ck_assert_uint_eq(n_ready, 2);
	graph_finish(&g);
}

TEST(timed_wait_gives_up) {
	struct monitor m;
	ck_assert_int_eq(monitor_init(&m), 0);
	monitor_lock(&m);
	uint64_t start = clock_now_ns();
	ck_assert_int_lt(monitor_wait_until(&m, start + 2000000), 0);
	ck_assert_uint_ge(clock_now_ns(), start + 2000000);
	monitor_unlock(&m);
	monitor_finish(&m);
}
