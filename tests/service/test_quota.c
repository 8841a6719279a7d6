/*
 * Processor time of sessions and jobs: those that use too much wait or end, without effect on
 * others.
 */
#include <errno.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include "clock.h"
#include "quota_rig.h"
#include "service/fault.h"
#include "service/reaper.h"

static double now(void) {
	return (double)now_ns() / 1e9;
}

FIXTURE(default_settings, NULL)

/* A tenth of a processor, plus a second of it in advance and the work that had begun. */
TEST_LOOP(processor_time_is_limited, 2 * N_LOOPS) {
	const bool is_users = _i >= N_LOOPS;
	struct one o;
	*(is_users ? &settings.user_cpu_ns_per_s : &settings.limits.cpu_ns_per_s) = 100000000;
	open_service(loops[_i % N_LOOPS]);
	open_one(&o);
	ck_assert_uint_eq(pica_client_welcome(o.client)->limits.cpu_ns_per_s,
			is_users ? 0 : 100000000);
	/*
	 * Runs one job at a time, so that a slow machine runs few: until it had to wait, and some
	 * more. A user's sessions share a quota, also with earlier ones.
	 */
	uint32_t size_bytes = heavy_list(pica_client_host(o.fcram), 2);
	unsigned jobs = 0;
	double begin = now();
	for (unsigned left = 3; left > 0; jobs++) {
		if (is_users) {
			pica_client_close(o.client);
			open_one(&o);
			heavy_list(pica_client_host(o.fcram), 2);
		}
		ck_assert_int_eq(run_list(&o, size_bytes).result, 0);
		left -= metric(&o, "picad_throttled_total") >= 1;
	}
	double took = now() - begin, used = metric(&o, "picad_cpu_seconds_total");
	double a_job = used / jobs;
	ck_assert_double_eq(metric(&o, "picad_pixels_total"), (double)jobs * 2 * HEAVY_PIXELS);
	ck_assert_double_le(used, 0.1 * took + 0.1 + 4 * a_job);
	draw_triangle(&o);
	close_both(&o);
}

/* Runs that use up what a user saves in a second. */
enum { RUN_NS = 2000000, PERCENT = 50, RUNS = PERCENT * 10000000 / RUN_NS };

static uint64_t a_run(void) {
	static uint64_t ns;
	return ns += RUN_NS;
}

static void set_clock(void) {
	loop_set_clock(server_loop(server), a_run);
}

/* A user also pays for the loop's thread: here small jobs that need much of it. */
TEST_LOOP(time_at_the_loop_is_limited, N_LOOPS) {
	struct one o;
	unsigned frames = 0;
	settings.user_cpu_ns_per_s = PERCENT * 10000000;
	before_run = set_clock;
	open_service(loops[_i]);
	open_one(&o);
	for (; metric(&o, "picad_throttled_total") < 3; frames++) {
		ck_assert_uint_le(frames, 20 * RUNS);
		draw_triangle(&o);
	}
	ck_assert_uint_ge(frames, 2);
	close_both(&o);
	before_run = NULL;
}

/*
 * A job of many seconds ends with its session, which receives the reason; its neighbour continues,
 * and its memory is freed.
 */
TEST_LOOP(a_job_without_end_ends_its_session, N_LOOPS) {
	struct one heavy, light;
	struct pica_done done;
	settings.job_ns = 1000000000;
	settings.limits.pixels = UINT64_C(1) << 40;
	open_service(loops[_i]);
	open_one(&heavy);
	open_one(&light);
	draw_triangle(&light);
	draw_triangle(&heavy); /* a later job is watched, too */
	uint32_t size_bytes = heavy_list(pica_client_host(heavy.fcram), 11000);
	put_list(&heavy, size_bytes);
	ck_assert_int_eq(pica_client_submit(heavy.client), 1);
	int ret = pica_client_wait(heavy.client, &done, 1, -1);
	const int end = ret == 1 ? done.result : ret;
	ck_assert_msg(end == -ECONNRESET || (ret == 1 && end == -ECANCELED), "%d, %d", ret, end);
	while (ret == 1) {
		ret = pica_client_wait(heavy.client, &done, 1, -1);
	}
	ck_assert_int_eq(pica_client_ctx_create(&heavy.ctx, heavy.client, NULL), -ECONNRESET);
	ck_assert_ptr_nonnull(strstr(pica_client_error(heavy.client), "job-seconds"));
	draw_triangle(&light);
	ck_assert_double_eq(metric(&light, "picad_connections_ended_total{reason=\"timeout\"}"), 1);
	while (metric(&light, "picad_contexts_ending") != 0) {
		draw_triangle(&light);
	}
	ck_assert_double_eq(metric(&light, "picad_memory_bytes"), VRAM_BYTES + FCRAM_BYTES);
	pica_client_close(heavy.client);
	pica_client_close(light.client);
	close_service();
}

/* Many jobs that take longer together are not a long job. */
TEST_LOOP(many_short_jobs_are_no_long_one, N_LOOPS) {
	struct one o;
	open_service(loops[_i]);
	open_one(&o);
	uint32_t size_bytes = heavy_list(pica_client_host(o.fcram), 1);
	double begin = now();
	for (unsigned i = 0; i < 4; i++) {
		run_list(&o, size_bytes);
	}
	/* Much more than one takes here, stalls included; all together take twice that. */
	const double ceiling = 0.5 + 10 * (now() - begin);
	close_both(&o);
	settings.job_ns = (uint64_t)(ceiling * 1e9);
	open_service(loops[_i]);
	open_one(&o);
	size_bytes = heavy_list(pica_client_host(o.fcram), 1);
	begin = now();
	for (unsigned i = 0; now() - begin < 2 * ceiling || i < 100; i++) {
		struct pica_done done;
		while (pica_client_in_flight(o.client) < 8) {
			put_list(&o, size_bytes);
			ck_assert_int_eq(pica_client_submit(o.client), 1);
		}
		ck_assert_int_eq(pica_client_wait(o.client, &done, 1, -1), 1);
		ck_assert_int_eq(done.result, 0);
	}
	close_both(&o);
}

/* Many sessions share one limit; a session that ends returns its part. */
TEST_LOOP(memory_of_all_sessions_is_limited, N_LOOPS) {
	static const struct {
		uint64_t total_bytes, user_bytes;
		const char *name;
	} quota[] = { { 24 << 20, 0, "total-memory" }, { 64 << 20, 24 << 20, "user-memory" } };
	for (unsigned i = 0; i < 2; i++) {
			struct one o[3];
		struct pica_client_memory *m[3], *more;
		settings.total_memory_bytes = quota[i].total_bytes;
		settings.user_memory_bytes = quota[i].user_bytes;
		open_service(loops[_i]);
		for (unsigned k = 0; k < 3; k++) {
			ck_assert_int_eq(pica_client_connect(&o[k].client, path, NULL, NULL), 0);
			ck_assert_int_eq(pica_client_alloc(&m[k], o[k].client, 8 << 20), 0);
		}
		ck_assert_int_eq(pica_client_alloc(&more, o[2].client, 4096), -EDQUOT);
		ck_assert_ptr_nonnull(strstr(pica_client_error(o[2].client), quota[i].name));
		pica_client_close(o[0].client);
		while (pica_client_alloc(&more, o[2].client, 8 << 20) == -EDQUOT) {
			usleep(1000); /* until the service has noticed */
		}
		ck_assert_int_eq(pica_client_alloc(&more, o[2].client, 4096), -EDQUOT);
		for (unsigned k = 1; k < 3; k++) {
			pica_client_close(o[k].client);
		}
		close_service();
	}
}

/* ---- Limits that change ---- */

static int reload_fd;
static sem_t has_reloaded;

static void on_reload(void *owner, uint32_t events) {
	uint64_t count;
	if (read(reload_fd, &count, sizeof(count)) > 0) {
		ck_assert_int_eq(server_reload(server, &settings), 0);
		sem_post(&has_reloaded);
	}
}

static void watch_reload(void) {
	struct loop_watch *watch;
	ck_assert_int_eq(loop_watch_add(server_loop(server), &watch, reload_fd, on_reload, NULL),
			0);
}

static void reload(uint64_t total_bytes, uint64_t user_bytes, uint64_t user_cpu_ns_per_s) {
	const uint64_t one = 1;
	settings.total_memory_bytes = total_bytes;
	settings.user_memory_bytes = user_bytes;
	settings.user_cpu_ns_per_s = user_cpu_ns_per_s;
	ck_assert_int_eq(write(reload_fd, &one, sizeof(one)), sizeof(one));
	ck_assert_int_eq(sem_wait(&has_reloaded), 0);
}

static void expect_no_memory(struct one *o, const char *name) {
	struct pica_client_memory *more;
	ck_assert_int_eq(pica_client_alloc(&more, o->client, 4096), -EDQUOT);
	ck_assert_ptr_nonnull(strstr(pica_client_error(o->client), name));
}

/* New limits apply to existing sessions at once; clients that waited because of the old ones
 * continue. */
TEST_LOOP(limits_of_users_and_of_all_change_with_a_reload, N_LOOPS) {
	enum { MIB = 1 << 20, MUCH = 512 * MIB };
	struct pica_client_memory *more;
	struct pica_done done;
	struct one o;
	reload_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ck_assert_int_ge(reload_fd, 0);
	ck_assert_int_eq(sem_init(&has_reloaded, 0, 0), 0);
	before_run = watch_reload;
	open_service(loops[_i]);
	open_one(&o);
	reload(MIB, 0, 0);
	expect_no_memory(&o, "total-memory");
	reload(MUCH, MIB, 0);
	expect_no_memory(&o, "user-memory");
	reload(MUCH, MUCH, 0);
	ck_assert_int_eq(pica_client_alloc(&more, o.client, 4096), 0);
	const uint32_t size_bytes = heavy_list(pica_client_host(o.fcram), 8);
	reload(MUCH, MUCH, 100000); /* a ten-thousandth of a processor */
	/* The second job waits for what the first one took, unless the first waits for requests. */
	put_list(&o, size_bytes);
	ck_assert_int_eq(pica_client_submit(o.client), 1);
	bool is_first = true;
	for (unsigned n = 0; metric(&o, "picad_throttled_total") < 1; n++) {
		ck_assert_uint_lt(n, 100000);
		if (is_first && pica_client_wait(o.client, &done, 1, 1000000) == 1) {
			is_first = false;
			put_list(&o, size_bytes);
			ck_assert_int_eq(pica_client_submit(o.client), 1);
		}
	}
	reload(MUCH, MUCH, 1000000000); /* else it waits for minutes */
	ck_assert_int_eq(pica_client_wait(o.client, &done, 1, 10000000000), 1);
	draw_triangle(&o);
	close_both(&o);
	close(reload_fd);
	sem_destroy(&has_reloaded);
	before_run = NULL;
}

/* ---- Memory that is not available ---- */

/* Takes a page of each region of the first session away, as truncating its file would. */
static void take_pages_away(void) {
	const int file = memfd_create("empty", MFD_CLOEXEC);
	ck_assert_int_ge(file, 0);
	ck_assert_ptr_null(server->sessions->next);
	for (uint32_t i = 0; i < server->sessions->n_regions; i++) {
		void *host = server->sessions->regions[i]->host;
		ck_assert_ptr_eq(mmap(host, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
						 file, 0), host);
	}
	close(file);
}

/* The command thread reads a list there, workers and the loop's thread write. */
TEST_LOOP(a_fault_in_its_memory_ends_a_session, 3 * N_LOOPS) {
	struct one victim, neighbour;
	struct pica_done done;
	if (fault_fd() < 0) {
		ck_assert_int_eq(fault_begin(), 0);
	}
	open_service(loops[_i % N_LOOPS]);
	open_one(&victim);
	take_pages_away();
	open_one(&neighbour);
	struct pica_job *job = pica_client_slot(victim.ctx);
	job->op = _i < 2 * N_LOOPS ? PICA_OP_FILL : PICA_OP_LIST;
	if (job->op == PICA_OP_FILL) {
		job->u.fill = (struct pica_job_fill){ .start = VRAM,
			.end = VRAM + (_i < N_LOOPS ? 4096 : VRAM_BYTES), .control = 2 << 8 };
	} else {
		job->u.list = (struct pica_job_list){ .addr = FCRAM, .size_bytes = 64 };
	}
	ck_assert_int_eq(pica_client_submit(victim.client), 1);
	while (pica_client_wait(victim.client, &done, 1, -1) == 1) {
	}
	ck_assert_int_eq(pica_client_ctx_create(&victim.ctx, victim.client, NULL), -ECONNRESET);
	ck_assert_ptr_nonnull(strstr(pica_client_error(victim.client), "SIGBUS"));
	draw_triangle(&neighbour);
	pica_client_close(victim.client);
	pica_client_close(neighbour.client);
	close_service();
}

/* ---- The log ---- */

/* Lines about a session, and how many were left out. */
struct lines {
	unsigned bad_job, engine, left_out;
};
static struct lines lines[3]; /* by number of the session */

static void on_log(void *user, enum log_level level, const char *line) {
	unsigned session, n;
	if (sscanf(line, "event=bad_job session=%u", &session) == 1 && session < 3) {
		lines[session].bad_job++;
	} else if (sscanf(line, "event=engine session=%u", &session) == 1 && session < 3) {
		lines[session].engine++;
	} else if (sscanf(line, "event=lines_left_out of=bad_job session=%u lines=%u", &session,
				   &n) == 2 ||
			sscanf(line, "event=lines_left_out of=engine session=%u lines=%u", &session,
					&n) == 2) {
		lines[session].left_out += n;
	}
}

/* Submits jobs in full batches, each of which is refused with a line in the log. */
static void put_refused(struct one *o, uint16_t op, unsigned n) {
	struct pica_done done[256];
	for (unsigned i = 0; i < n; i += 256) {
		for (unsigned k = 0; k < 256; k++) {
			struct pica_job *job = pica_client_slot(o->ctx);
			job->op = op;
			job->u.list.addr = LIST;
			job->u.list.size_bytes = 0x1000;
		}
		ck_assert_int_eq(pica_client_submit(o->client), 256);
		ck_assert_int_eq(pica_client_wait_many(o->client, done, 256, 256, -1), 256);
		ck_assert_int_eq(done[255].result, op == PICA_OP_LIST ? -EDQUOT : -EINVAL);
	}
}

TEST_LOOP(lines_of_each_session_and_kind_are_limited, N_LOOPS) {
	enum { JOBS = 20 * 256 };
	struct one o[2];
	settings.log = on_log;
	settings.log_level = LOG_LEVEL_DEBUG;
	settings.limits.list_words = 64;
	memset(lines, 0, sizeof(lines));
	open_service(loops[_i]);
	const double begin = now();
	open_one(&o[0]);
	open_one(&o[1]);
	put_refused(&o[0], 999, JOBS);
	put_refused(&o[0], PICA_OP_LIST, JOBS);
	put_refused(&o[1], 999, 256);
	put_refused(&o[1], PICA_OP_LIST, 256);
	const unsigned seconds = (unsigned)(now() - begin) + 2;
	pica_client_close(o[0].client);
	pica_client_close(o[1].client);
	close_service(); /* tells of the rest */
	for (unsigned i = 1; i <= 2; i++) {
		const unsigned jobs = i == 1 ? 2 * JOBS : 2 * 256;
		ck_assert_uint_eq(lines[i].bad_job + lines[i].engine + lines[i].left_out, jobs);
		/* who comes after a flood has its lines as well */
		ck_assert_uint_ge(lines[i].bad_job, 10);
		ck_assert_uint_ge(lines[i].engine, 10);
		ck_assert_uint_le(lines[i].bad_job, 10 * seconds);
		ck_assert_uint_le(lines[i].engine, 10 * seconds);
	}
}

/* Short sessions cause many kinds of lines, and leave room for those of users. */
TEST(lines_of_sessions_leave_room_for_those_of_users) {
	enum { SESSIONS = 4000 };
	static const char fmt[] = "event=something session=%llu";
	unsigned n_allowed = 0;
	open_service(LOOP_AUTO);
	for (uint64_t i = 1; i <= SESSIONS; i++) {
		n_allowed += log_limit_allows(server, log_session(i), fmt);
	}
	ck_assert_uint_lt(n_allowed, SESSIONS);
	ck_assert(log_limit_allows(server, log_user(7), fmt));
	ck_assert(log_limit_allows(server, LOG_STRANGERS, fmt));
	close_service();
}

/* The sum of those left out, of each user: 1 and 2. */
static void on_left_out(void *user, enum log_level level, const char *line) {
	unsigned *left_out = user;
	unsigned uid, n;
	if (sscanf(line, "event=lines_left_out of=something uid=%u lines=%u", &uid, &n) == 2) {
		ck_assert_uint_le(uid, 2);
		left_out[uid] += n;
	}
}

/* The first kind of a second is told of as those after it are. */
TEST(omitted_lines_are_reported_for_every_kind) {
	enum { LINES = 4000 };
	static const char fmt[] = "event=something uid=%u";
	unsigned left_out[3] = { 0 }, n_allowed[3] = { 0 };
	settings.log = on_left_out;
	settings.log_level = LOG_LEVEL_WARNING;
	settings.log_user = left_out;
	open_service(LOOP_AUTO);
	for (unsigned i = 0; i < LINES; i++) {
		for (unsigned uid = 1; uid <= 2; uid++) {
			n_allowed[uid] += log_limit_allows(server, log_user(uid), fmt);
		}
	}
	close_service(); /* tells of the rest */
	for (unsigned uid = 1; uid <= 2; uid++) {
		ck_assert_uint_ge(n_allowed[uid], 10);
		ck_assert_uint_eq(n_allowed[uid] + left_out[uid], LINES);
	}
}

/* ---- The reaper ---- */

TEST(users_take_turns_in_cleanup) {
	static const uid_t users[] = { 7, 7, 7, 0, 9, 7, 9 };
	static const unsigned order[] = { 0, 4, 3, 1, 6, 2, 5 };
	struct retired m[7];
	struct retired_queue q;
	retired_queue_init(&q);
	for (unsigned i = 0; i < 7; i++) {
		m[i].uid = users[i];
		retired_append(&q, &m[i]);
	}
	for (unsigned i = 0; i < 7; i++) {
		ck_assert_ptr_eq(retired_take(&q), &m[order[i]]);
	}
	ck_assert_ptr_null(retired_take(&q));
	retired_append(&q, &m[3]);
	ck_assert_ptr_eq(retired_take(&q), &m[3]);
}

static struct reaper *reaper;
static struct regions regions;

static void open_regions(void) {
	ck_assert_int_eq(reaper_create(&reaper), 0);
	ck_assert_int_eq(regions_init(&regions, reaper), 0);
}

static void close_regions(void) {
	ck_assert(reaper_stop(reaper, UINT64_MAX));
	ck_assert_uint_eq(regions_charges(&regions, 7).of_user, 0);
	reaper_destroy(reaper);
	regions_finish(&regions);
}

FIXTURE(open_regions, close_regions)

TEST(pages_of_a_region_are_given_back_in_slices) {
	enum { SIZE = 5 << 20, SLICE = 2 << 20 };
	struct region *r;
	int fd;
	ck_assert_int_eq(region_create(&r, &regions, 7, REGION_MADE, SIZE, &fd), 0);
	memset(r->host, 1, SIZE);
	for (uint32_t slice = 0; slice < 2; slice++) {
		ck_assert(!region_release(r));
		ck_assert_uint_eq(r->host[SLICE * (slice + 1) - 1], 0);
		ck_assert_uint_eq(r->host[SLICE * (slice + 1)], 1);
		ck_assert_uint_eq(regions_charges(&regions, 7).of_user, SIZE);
	}
	struct retired *end = r->end;
	ck_assert(region_release(r));
	free(end);
	ck_assert_uint_eq(regions_charges(&regions, 7).of_user, 64 << 10); /* fd keeps the file */
	close(fd);
	ck_assert_uint_eq(regions_charges(&regions, 7).of_user, 0);
}

/* A small one counts as the file that it is, from the start. */
TEST(a_region_never_costs_less_than_a_kept_one) {
	struct region *r;
	int fd;
	ck_assert_int_eq(region_create(&r, &regions, 7, REGION_MADE, 4096, &fd), 0);
	ck_assert_uint_eq(regions_charges(&regions, 7).of_user, 64 << 10);
	region_drop(r);
	ck_assert(reaper_stop(reaper, UINT64_MAX));
	ck_assert_uint_eq(regions_charges(&regions, 7).of_user, 64 << 10); /* fd keeps the file */
	close(fd);
}

/* At the end others go past one that takes long. */
TEST(slow_cleanup_delays_no_other_at_the_end) {
	struct regions other;
	struct region *r[2];
	ck_assert_int_eq(regions_init(&other, reaper), 0);
	for (unsigned i = 0; i < 2; i++) {
		int fd;
		ck_assert_int_eq(region_create(&r[i], i ? &other : &regions, 7, REGION_MADE, 4096,
						 &fd), 0);
		close(fd);
	}
	pthread_mutex_lock(&regions.mutex); /* which its release takes */
	region_put(r[0]);
	region_put(r[1]);
	ck_assert(!reaper_stop(reaper, loop_now_ns() + 500000000));
	ck_assert_uint_eq(regions_charges(&other, 7).of_user, 0);
	pthread_mutex_unlock(&regions.mutex);
	regions_finish(&other);
}
