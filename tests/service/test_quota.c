/*
 * Processor time of sessions and of jobs: who uses too much waits, or ends; others do not notice.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "service/server.h"
#include "triangle.h"
#include "tests/suite.h"

static const enum loop_kind loops[] = { LOOP_EPOLL, LOOP_AUTO };
enum { N_LOOPS = 2 };

static char folder[] = "/tmp/test_quota.XXXXXX";
static char path[64];
static struct server *server;
static pthread_t thread;

struct one {
	struct pica_client *client;
	struct pica_client_ctx *ctx;
	struct pica_client_memory *vram, *fcram;
};

static void *run(void *arg) {
	server_run(server);
	return NULL;
}

static void open_service(struct server_settings *settings) {
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	settings->device.n_threads = 2;
	snprintf(path, sizeof(path), "%s/socket", folder);
	memcpy(addr.sun_path, path, sizeof(path));
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ck_assert_int_eq(bind(sock, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(sock, 8), 0);
	ck_assert_int_eq(server_create(&server, settings), 0);
	ck_assert_int_eq(server_listen(server, sock), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, run, NULL), 0);
}

static void close_service(void) {
	server_stop(server);
	pthread_join(thread, NULL);
	server_destroy(server);
	unlink(path);
}

static void open_one(struct one *o) {
	char message[PICA_TEXT_BYTES];
	ck_assert_int_eq(pica_client_connect(&o->client, path, NULL, message), 0);
	ck_assert_int_eq(pica_client_ctx_create(&o->ctx, o->client, NULL), 0);
	ck_assert_int_eq(pica_client_map(&o->vram, o->ctx, VRAM, VRAM_BYTES, 0), 0);
	ck_assert_int_eq(pica_client_map(&o->fcram, o->ctx, FCRAM, FCRAM_BYTES, 0), 0);
}

static void put_list(struct one *o, uint32_t size_bytes) {
	struct pica_job *job = pica_client_slot(o->ctx);
	ck_assert_ptr_nonnull(job);
	job->op = PICA_OP_LIST;
	job->u.list.addr = LIST;
	job->u.list.size_bytes = size_bytes;
}

static void draw_triangle(struct one *o) {
	struct pica_done done;
	memset(pica_client_host(o->vram), 0, SIDE * SIDE * 4);
	put_list(o, triangle_list(pica_client_host(o->fcram), 1));
	ck_assert_int_eq(pica_client_submit(o->client), 1);
	ck_assert_int_eq(pica_client_wait(o->client, &done, 1, -1), 1);
	ck_assert_int_eq(done.result, 0);
	ck_assert_uint_eq(triangle_count(pica_client_host(o->vram)), TRIANGLE_PIXELS);
}

/* A number of the service, as an administrator gets it. */
static double metric(struct one *o, const char *name) {
	struct pica_msg_object m = { .head.type = PICA_MSG_METRICS };
	struct pica_msg_text answer;
	char line[100];
	int fd;
	ck_assert_int_eq(client_request(o->client, &m, sizeof(m), -1, PICA_MSG_TEXT, &answer,
					 sizeof(answer), &fd),
			0);
	char *text = calloc(1, answer.size_bytes + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(read(fd, text, answer.size_bytes), (ssize_t)answer.size_bytes);
	close(fd);
	snprintf(line, sizeof(line), "\n%s ", name);
	const char *at = strstr(text, line);
	ck_assert_msg(at != NULL, "%s is not there", name);
	double value = strtod(at + strlen(line), NULL);
	free(text);
	return value;
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A tenth of a processor: no more than that, a second of it in advance, and what had begun. */
TEST_LOOP(processor_time_is_limited, N_LOOPS) {
	struct server_settings settings;
	struct one o;
	server_settings_init(&settings);
	settings.loop = loops[_i];
	settings.limits.cpu_ns_per_s = 100000000;
	open_service(&settings);
	open_one(&o);
	ck_assert_uint_eq(pica_client_welcome(o.client)->limits.cpu_ns_per_s, 100000000);
	/*
	 * One after the other, so that a slow machine need not pay for many: until it had to wait,
	 * and then some.
	 */
	uint32_t size_bytes = heavy_list(pica_client_host(o.fcram), 2);
	unsigned jobs = 0;
	double begin = now();
	for (unsigned left = 3; left > 0; jobs++) {
		struct pica_done done;
		put_list(&o, size_bytes);
		ck_assert_int_eq(pica_client_submit(o.client), 1);
		ck_assert_int_eq(pica_client_wait(o.client, &done, 1, -1), 1);
		ck_assert_int_eq(done.result, 0);
		left -= metric(&o, "picad_throttled_total") >= 1;
	}
	double took = now() - begin, used = metric(&o, "picad_cpu_seconds_total");
	double a_job = used / jobs;
	ck_assert_double_eq(metric(&o, "picad_pixels_total"), (double)jobs * 2 * HEAVY_PIXELS);
	ck_assert_double_le(used, 0.1 * took + 0.1 + 4 * a_job);
	draw_triangle(&o);
	pica_client_close(o.client);
	close_service();
}

/*
 * A job of many seconds ends with its session, which is told why; its neighbour goes on, its memory
 * comes back.
 */
TEST_LOOP(a_job_without_end_ends_its_session, N_LOOPS) {
	struct server_settings settings;
	struct one heavy, light;
	struct pica_done done;
	server_settings_init(&settings);
	settings.loop = loops[_i];
	settings.job_ns = 1000000000;
	settings.limits.pixels = UINT64_C(1) << 40;
	open_service(&settings);
	open_one(&heavy);
	open_one(&light);
	draw_triangle(&light);
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
	struct server_settings settings;
	struct one o;
	server_settings_init(&settings);
	settings.loop = loops[_i];
	open_service(&settings);
	open_one(&o);
	uint32_t size_bytes = heavy_list(pica_client_host(o.fcram), 1);
	double begin = now();
	for (unsigned i = 0; i < 4; i++) {
		struct pica_done done;
		put_list(&o, size_bytes);
		ck_assert_int_eq(pica_client_submit(o.client), 1);
		ck_assert_int_eq(pica_client_wait(o.client, &done, 1, -1), 1);
	}
	/* Far more than one takes here, stalls included; all together take twice as long. */
	const double ceiling = 0.5 + 10 * (now() - begin);
	pica_client_close(o.client);
	close_service();
	settings.job_ns = (uint64_t)(ceiling * 1e9);
	open_service(&settings);
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
	pica_client_close(o.client);
	close_service();
}

/* Many sessions share one limit; a session that ends returns its part. */
TEST_LOOP(memory_of_all_sessions_is_limited, N_LOOPS) {
	static const struct {
		uint64_t total_bytes, user_bytes;
		const char *name;
	} quota[] = { { 24 << 20, 0, "total-memory" }, { 64 << 20, 24 << 20, "user-memory" } };
	for (unsigned i = 0; i < 2; i++) {
		struct server_settings settings;
		struct one o[3];
		struct pica_client_memory *m[3], *more;
		server_settings_init(&settings);
		settings.loop = loops[_i];
		settings.total_memory_bytes = quota[i].total_bytes;
		settings.user_memory_bytes = quota[i].user_bytes;
		open_service(&settings);
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

/* Jobs in full batches, each of which is refused and causes a line. */
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
	struct server_settings settings;
	struct one o[2];
	server_settings_init(&settings);
	settings.loop = loops[_i];
	settings.log = on_log;
	settings.log_level = LOG_LEVEL_DEBUG;
	settings.limits.list_words = 64;
	memset(lines, 0, sizeof(lines));
	open_service(&settings);
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

int main(void) {
	if (!mkdtemp(folder)) {
		return 1;
	}
	signal(SIGPIPE, SIG_IGN); /* as picad: clients go while they are rung for */
	int failed = suite_run();
	rmdir(folder);
	return failed;
}
