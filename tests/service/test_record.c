/*
 * Recordings of sessions: whole files of what was done, on both loops; nothing that goes wrong
 * there hurts.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"
#include "pica_capture.h"
#include "service/reaper.h"
#include "service/record_impl.h"
#include "service/server_impl.h"
#include "triangle.h"
#include "tests/suite.h"

static const enum loop_kind loops[] = { LOOP_EPOLL, LOOP_AUTO };
enum { N_LOOPS = 2, NOISE = 0x40000 };

static char folder[] = "/tmp/test_record.XXXXXX";
static char path[64];
static struct server *server;
static pthread_t thread;
static struct pica_client *client;
static struct pica_client_ctx *ctx;
static struct pica_client_memory *vram, *fcram;

/* ---- A disk that hangs, by the linker's --wrap ---- */

static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t disk_moves = PTHREAD_COND_INITIALIZER;
static bool disk_hangs, sync_hangs;
static unsigned disk_waiters;

ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);

static void wait_while(const bool *hangs) {
	pthread_mutex_lock(&disk);
	disk_waiters++;
	while (*hangs) {
		pthread_cond_wait(&disk_moves, &disk);
	}
	disk_waiters--;
	pthread_mutex_unlock(&disk);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size) {
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		wait_while(&disk_hangs);
	}
	return __real_write(fd, bytes, size);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd) {
	wait_while(&sync_hangs);
	return __real_fsync(fd);
}

static void set_hanging(bool *what, bool on) {
	pthread_mutex_lock(&disk);
	*what = on;
	pthread_cond_broadcast(&disk_moves);
	pthread_mutex_unlock(&disk);
}

static void hang_disk(bool on) {
	set_hanging(&disk_hangs, on);
}

static unsigned count_disk_waiters(void) {
	pthread_mutex_lock(&disk);
	const unsigned n = disk_waiters;
	pthread_mutex_unlock(&disk);
	return n;
}

static uint64_t patience_ns = UINT64_C(10000000000), queue_bytes = 64 << 20;
static uint64_t hello_ns = UINT64_C(10000000000), stop_ns;
static uint32_t most_contexts = 8, user_files;
static uint64_t user_bytes;
/* Lines of the log about recordings that fail because of the disk's speed, and because it hangs. */
static atomic_uint too_slow, no_answer, over_quota, recorded, left, stopped_early;

static void on_log(void *user, enum log_level level, const char *line) {
	recorded += strstr(line, "event=recorded ") != NULL;
	stopped_early += strstr(line, "event=stopped_early contexts=1 ") != NULL;
	left += strstr(line, "event=recordings_left files=1 ") != NULL;
	if (strstr(line, "event=recording_failed")) {
		too_slow += strstr(line, "the disk does not take") != NULL;
		over_quota += strstr(line, "as many files or bytes as its user") != NULL;
		no_answer += strstr(line, "error=\"the disk does not answer\"") != NULL;
	}
}

/* ---- A service with a folder for recordings ---- */

static void *run(void *arg) {
	server_run(server);
	return NULL;
}

static void open_service(enum loop_kind loop, bool always, unsigned threads) {
	struct server_settings settings;
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	server_settings_init(&settings);
	settings.loop = loop;
	settings.device.n_threads = threads;
	settings.record_folder = folder;
	settings.record_always = always;
	settings.record_patience_ns = patience_ns;
	settings.record_queue_bytes = queue_bytes;
	settings.hello_ns = hello_ns;
	settings.stop_ns = stop_ns;
	settings.limits.contexts = most_contexts;
	settings.record_user_bytes = user_bytes;
	settings.record_user_files = user_files;
	settings.log = on_log;
	snprintf(path, sizeof(path), "%s/socket", folder);
	memcpy(addr.sun_path, path, sizeof(path));
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ck_assert_int_eq(bind(sock, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(sock, 8), 0);
	ck_assert_int_eq(server_create(&server, &settings), 0);
	ck_assert_int_eq(server_listen(server, sock), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, run, NULL), 0);
}

/* Every recording is finished then. */
static void close_service(void) {
	server_stop(server);
	pthread_join(thread, NULL);
	server_destroy(server);
	unlink(path);
}

static void open_client(void) {
	char message[PICA_TEXT_BYTES];
	struct pica_client_settings settings;
	pica_client_settings_init(&settings);
	settings.required = PICA_FEATURE_BIT_RECORD;
	settings.name = "a/../b";
	ck_assert_int_eq(pica_client_connect(&client, path, &settings, message), 0);
	ck_assert_int_eq(pica_client_ctx_create(&ctx, client, NULL), 0);
	ck_assert_int_eq(pica_client_map(&vram, ctx, VRAM, VRAM_BYTES, 0), 0);
	ck_assert_int_eq(pica_client_map(&fcram, ctx, FCRAM, FCRAM_BYTES, 0), 0);
}

static int record(uint64_t session, uint32_t on) {
	struct pica_msg_object m = { .head.type = PICA_MSG_RECORD, .id = session, .value = on };
	struct pica_msg_done done;
	int ret = client_request(
			client, &m, sizeof(m), -1, PICA_MSG_DONE, &done, sizeof(done), NULL);
	return ret < 0 ? ret : done.result;
}

static int record_me(uint32_t on) {
	return record(pica_client_welcome(client)->session, on);
}

static void add_job(uint16_t op, uint32_t size_bytes) {
	struct pica_job *job = pica_client_slot(ctx);
	ck_assert_ptr_nonnull(job);
	job->op = op;
	if (op == PICA_OP_LIST) {
		job->u.list.addr = LIST;
		job->u.list.size_bytes = size_bytes;
	} else if (op == PICA_OP_PRESENT) {
		job->u.present.screens = 3;
	}
}

static void wait_all(void) {
	struct pica_done done;
	ck_assert_int_ge(pica_client_submit(client), 0);
	while (pica_client_in_flight(client)) {
		ck_assert_int_eq(pica_client_wait(client, &done, 1, -1), 1);
		ck_assert_int_eq(done.result, 0);
	}
}

/* A triangle on nothing, shown. */
static void frame(uint32_t size_bytes) {
	memset(pica_client_host(vram), 0, SIDE * SIDE * 4);
	add_job(PICA_OP_LIST, size_bytes);
	add_job(PICA_OP_PRESENT, 0);
	wait_all();
	ck_assert_uint_eq(triangle_count(pica_client_host(vram)), TRIANGLE_PIXELS);
}

/* ---- Contents of the folder ---- */

static int is_capture(const struct dirent *e) {
	size_t n = strlen(e->d_name);
	return n > 5 && strcmp(e->d_name + n - 5, ".pica") == 0;
}

static unsigned count_files(void) {
	struct dirent **entries;
	const int n = scandir(folder, &entries, is_capture, NULL);
	for (int i = 0; i < n; i++) {
		free(entries[i]);
	}
	free(entries);
	return (unsigned)n;
}

struct found {
	unsigned files, frames, lists;
};

/* Every file is whole. Empties the folder, which holds nothing else. */
static struct found take_files(void) {
	struct found f = { 0 };
	struct dirent **entries;
	int n = scandir(folder, &entries, is_capture, alphasort);
	ck_assert_int_ge(n, 0);
	for (int i = 0; i < n; i++, f.files++) {
		char name[400];
		struct pica_capture *capture;
		struct pica_capture_error error;
		struct pica_capture_event event;
		ck_assert_ptr_eq(strstr(entries[i]->d_name, ".."), NULL);
		snprintf(name, sizeof(name), "%s/%s", folder, entries[i]->d_name);
		ck_assert_msg(pica_capture_open(&capture, name, &error) == 0, "%s", error.message);
		ck_assert_int_eq(pica_capture_verify(capture), 0);
		while (pica_capture_next(capture, &event) > 0) {
			f.frames += event.kind == PICA_CAPTURE_FRAME;
			f.lists += event.kind != PICA_CAPTURE_MEMORY &&
					event.job.op == PICA_OP_LIST;
		}
		pica_capture_close(capture);
		ck_assert_int_eq(unlink(name), 0);
		free(entries[i]);
	}
	free(entries);
	n = scandir(folder, &entries, NULL, NULL);
	for (int i = 0; i < n; i++) {
		free(entries[i]);
	}
	free(entries);
	ck_assert_int_eq(n, 2); /* . and .. */
	return f;
}

/* ---- Tests ---- */

TEST_LOOP(what_was_asked_for_is_recorded, N_LOOPS) {
	open_service(loops[_i], false, 2);
	open_client();
	uint32_t size_bytes = triangle_list(pica_client_host(fcram), 1);
	frame(size_bytes);
	ck_assert_int_eq(record_me(1), 0);
	for (unsigned i = 0; i < 3; i++) {
		frame(size_bytes);
	}
	ck_assert_int_eq(record_me(0), 0);
	frame(size_bytes);
	ck_assert_int_eq(record(12345, 1), -ENOENT);
	ck_assert_str_eq(pica_client_error(client), "no such session");
	pica_client_close(client);
	close_service();
	struct found f = take_files();
	ck_assert_uint_eq(f.files, 1);
	ck_assert_uint_eq(f.frames, 3);
	ck_assert_uint_eq(f.lists, 3);
}

TEST_LOOP(a_change_of_the_memory_map_or_state_begins_another_file, N_LOOPS) {
	struct pica_client_memory *more;
	struct pica_state *state = malloc(sizeof(*state));
	ck_assert_ptr_nonnull(state);
	open_service(loops[_i], true, 0);
	open_client();
	uint32_t size_bytes = triangle_list(pica_client_host(fcram), 1);
	frame(size_bytes);
	ck_assert_int_eq(pica_client_map(&more, ctx, 0x30000000, 0x1000, 0), 0);
	frame(size_bytes);
	ck_assert_int_eq(pica_client_save_state(ctx, state), 0);
	frame(size_bytes);
	ck_assert_int_eq(pica_client_load_state(ctx, state), 0);
	frame(size_bytes);
	ck_assert_int_eq(pica_client_free(more), 0);
	frame(size_bytes);
	pica_client_close(client);
	close_service();
	struct found f = take_files();
	ck_assert_uint_eq(f.files, 4);
	ck_assert_uint_eq(f.frames, 5);
	free(state);
}

TEST_LOOP(a_session_that_is_cut_off_leaves_a_whole_file, N_LOOPS) {
	open_service(loops[_i], true, 2);
	for (unsigned i = 0; i < 10; i++) {
		open_client();
		uint32_t size_bytes = triangle_list(pica_client_host(fcram), 20);
		if (i) {
			frame(size_bytes);
		}
		for (unsigned k = 0; k < 40; k++) {
			add_job(k % 5 ? PICA_OP_LIST : PICA_OP_PRESENT, size_bytes);
		}
		ck_assert_int_eq(pica_client_submit(client), 40);
		/* with jobs in flight, or the recording about to begin */
		pica_client_close(client);
	}
	close_service();
	struct found f = take_files();
	ck_assert_uint_ge(f.files, 9);
	ck_assert_uint_ge(f.frames, 9);
}

/* The memory that a frame reads has changed: it must be recorded. */
static void noisy_frame(uint32_t size_bytes) {
	uint32_t *noise = pica_client_host(fcram);
	for (unsigned k = NOISE / 4; k < (NOISE + 0x40000) / 4; k++) {
		noise[k] = (uint32_t)rand() ^ (uint32_t)rand() << 16;
	}
	frame(size_bytes);
	struct pica_job *job = pica_client_slot(ctx);
	job->op = PICA_OP_TRANSFER;
	job->u.transfer.src = FCRAM + NOISE;
	job->u.transfer.dst = VRAM + 0x300000;
	job->u.transfer.out_dim = job->u.transfer.in_dim = 256 | 256 << 16;
	wait_all();
}

TEST_LOOP(a_full_disk_ends_the_recording_alone, N_LOOPS) {
	struct rlimit old, small;
	open_service(loops[_i], true, 2);
	open_client();
	uint32_t size_bytes = triangle_list(pica_client_host(fcram), 1);
	frame(size_bytes);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 100000;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (unsigned i = 0; i < 10; i++) {
		noisy_frame(size_bytes);
	}
	/* The next one fails as it begins. */
	ck_assert_int_eq(record_me(1), 0);
	frame(size_bytes);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
	frame(size_bytes);
	pica_client_close(client);
	close_service();
	struct found f = take_files();
	ck_assert_uint_le(f.files, 1); /* of the time after, if any */
}

/* Frames go on beside a disk that has stopped in the middle; the recording ends and says why. */
TEST_LOOP(a_disk_that_hangs_ends_the_recording_alone, N_LOOPS) {
	queue_bytes = 1 << 20;
	too_slow = no_answer = 0;
	open_service(loops[_i], true, 2);
	open_client();
	uint32_t size_bytes = triangle_list(pica_client_host(fcram), 1);
	frame(size_bytes);
	hang_disk(true);
	unsigned frames = 0;
	while (too_slow == 0) {
		noisy_frame(size_bytes);
		frames++;
	}
	/* It goes on without; the hanging thread delays nothing. */
	noisy_frame(size_bytes);
	ck_assert_uint_eq(count_disk_waiters(), 1);
	printf("%u frames beside a disk that hangs, until its recording was given up\n", frames);
	hang_disk(false);
	pica_client_close(client);
	close_service();
	while (count_disk_waiters()) {
		sched_yield();
	}
	ck_assert_uint_eq(too_slow, 1);
	ck_assert_uint_eq(no_answer, 0);
	ck_assert_uint_eq(take_files().files, 0);
	queue_bytes = 64 << 20;
}

/* Nor does one that hangs at the start of a recording, or after another. */
TEST_LOOP(a_disk_that_hangs_keeps_no_session_from_drawing, N_LOOPS) {
	patience_ns = 100000000;
	too_slow = no_answer = 0;
	open_service(loops[_i], true, 2);
	hang_disk(true);
	for (unsigned i = 0; i < 2; i++) {
		open_client();
		uint32_t size_bytes = triangle_list(pica_client_host(fcram), 1);
		frame(size_bytes);
		frame(size_bytes);
		ck_assert_uint_eq(no_answer, i + 1);
		pica_client_close(client);
	}
	ck_assert_uint_eq(count_disk_waiters(), 1);
	hang_disk(false);
	close_service();
	ck_assert_uint_eq(no_answer, 2);
	ck_assert_uint_eq(take_files().files, 0);
	patience_ns = UINT64_C(10000000000);
}

static void wait_for_disk_waiters(unsigned n) {
	while (count_disk_waiters() != n) {
		sched_yield();
	}
}

/* One that hangs where a recording is brought to it holds that one alone. */
TEST_LOOP(a_disk_that_hangs_at_the_end_of_a_recording_holds_no_other, N_LOOPS) {
	recorded = 0;
	open_service(loops[_i], true, 2);
	set_hanging(&sync_hangs, true);
	for (unsigned i = 0; i < 3; i++) {
		open_client();
		frame(triangle_list(pica_client_host(fcram), 1));
		pica_client_close(client);
		wait_for_disk_waiters(i + 1);
	}
	ck_assert_uint_eq(recorded, 0);
	set_hanging(&sync_hangs, false);
	close_service();
	ck_assert_uint_eq(recorded, 3);
	const struct found f = take_files();
	ck_assert_uint_eq(f.files, 3);
	ck_assert_uint_eq(f.frames, 3);
}

/*
 * Whoever reconnects waits for recordings to be finished, as long as a HELLO may take, and has no
 * more than a user may have. Sessions draw all the same.
 */
TEST_LOOP(recordings_of_a_user_are_limited_across_sessions, N_LOOPS) {
	enum { MORE = 3 };
	struct timespec before, now;
	hello_ns = 200000000;
	open_service(loops[_i], true, 2);
	set_hanging(&sync_hangs, true);
	for (unsigned i = 0; i < RECORDINGS_A_USER + MORE; i++) {
		clock_gettime(CLOCK_MONOTONIC, &before);
		open_client();
		clock_gettime(CLOCK_MONOTONIC, &now);
		frame(triangle_list(pica_client_host(fcram), 1));
		pica_client_close(client);
		wait_for_disk_waiters(i < MAX_FINISHING ? i + 1 : MAX_FINISHING);
		ck_assert(i < MAX_FINISHING ||
				(now.tv_sec - before.tv_sec) * 1000000000 + now.tv_nsec -
								before.tv_nsec >=
						(int64_t)hello_ns);
	}
	set_hanging(&sync_hangs, false);
	close_service();
	ck_assert_uint_eq(take_files().files, RECORDINGS_A_USER);
	hello_ns = UINT64_C(10000000000);
}

static unsigned remove_files(void) {
	struct dirent **entries;
	char name[400];
	const int n = scandir(folder, &entries, is_capture, NULL);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/%s", folder, entries[i]->d_name);
		ck_assert_int_eq(unlink(name), 0);
		free(entries[i]);
	}
	free(entries);
	return (unsigned)n;
}

/* Makes a recording, or is refused one. */
static void come_and_go(void) {
	const unsigned before = recorded + over_quota;
	open_client();
	frame(triangle_list(pica_client_host(fcram), 1));
	pica_client_close(client);
	while (recorded + over_quota == before) {
		usleep(1000);
	}
}

/* Each client makes one, as long as its user may; files that were removed no longer count. */
TEST_LOOP(files_and_bytes_of_recordings_are_limited, 2 * N_LOOPS) {
	const unsigned most = _i < N_LOOPS ? 2 : 1;
	user_files = _i < N_LOOPS ? most : 0;
	user_bytes = _i < N_LOOPS ? 0 : (8 << 20) + 1; /* one has an eighth of it, at least 1 MiB */
	over_quota = recorded = 0;
	open_service(loops[_i % N_LOOPS], true, 2);
	for (unsigned i = 0; i < most + 2; i++) {
		come_and_go();
		ck_assert_uint_eq(recorded, i < most ? i + 1 : most);
	}
	ck_assert_uint_eq(remove_files(), most);
	come_and_go();
	ck_assert_uint_eq(recorded, most + 1);
	close_service();
	ck_assert_uint_eq(over_quota, 2);
	ck_assert_uint_eq(take_files().files, 1);
	user_files = 0;
	user_bytes = 0;
}

/* Nor does a client come back before its contexts are destroyed. */
TEST_LOOP(dying_contexts_of_a_user_are_limited_across_sessions, N_LOOPS) {
	most_contexts = 1;
	open_service(loops[_i], true, 2);
	for (unsigned i = 0; i < 4; i++) {
		open_client();
		/* the reaper counts until a little later; its mutex makes the other count known */
		ck_assert_uint_le(reaper_pending(server->reaper), 1);
		ck_assert_uint_eq(i ? atomic_load(&server->dying->contexts) : 0, 0);
		frame(triangle_list(pica_client_host(fcram), 1));
		add_job(PICA_OP_LIST, heavy_list(pica_client_host(fcram), 8));
		ck_assert_int_eq(pica_client_submit(client), 1);
		ck_assert_int_eq(record_me(1), 0); /* comes after the job */
		pica_client_close(client);
	}
	close_service();
	ck_assert_uint_eq(take_files().files, 4);
	most_contexts = 8;
}

/* Sessions that leave before their recordings begin leave no files. */
TEST_LOOP(recordings_that_did_not_begin_are_dropped, N_LOOPS) {
	open_service(loops[_i], true, 2);
	hang_disk(true);
	for (unsigned i = 0; i < 20; i++) {
		open_client();
		add_job(PICA_OP_LIST, triangle_list(pica_client_host(fcram), 1));
		ck_assert_int_eq(pica_client_submit(client), 1);
		ck_assert_int_eq(record_me(1), 0); /* comes after the job */
		pica_client_close(client);
	}
	open_client(); /* after the end of the others */
	pica_client_close(client);
	hang_disk(false);
	close_service();
	ck_assert_uint_eq(take_files().files, 0);
}

/* The folder's only file is not finished, but it has all that was recorded. */
static void recover_file(void) {
	char name[400];
	struct dirent **entries;
	struct pica_capture *capture;
	struct pica_capture_error error;
	struct pica_capture_event event;
	unsigned frames = 0;
	ck_assert_int_eq(scandir(folder, &entries, NULL, alphasort), 3); /* after . and .. */
	ck_assert_ptr_nonnull(strstr(entries[2]->d_name, ".pica.tmp-"));
	snprintf(name, sizeof(name), "%s/%s", folder, entries[2]->d_name);
	ck_assert_int_ge(pica_capture_recover(&capture, name, &error), 0);
	while (pica_capture_next(capture, &event) > 0) {
		frames += event.kind == PICA_CAPTURE_FRAME;
	}
	ck_assert_uint_eq(frames, 1);
	pica_capture_close(capture);
	for (unsigned i = 0; i < 3; i++) {
		free(entries[i]);
	}
	free(entries);
}

/* Nor is the service held at its end; and if the disk answers after all, the file is whole. */
TEST_LOOP(a_disk_that_hangs_keeps_no_service_from_ending, N_LOOPS) {
	left = recorded = 0;
	stop_ns = 500000000;
	open_service(loops[_i], true, 2);
	set_hanging(&sync_hangs, true);
	open_client();
	frame(triangle_list(pica_client_host(fcram), 1));
	pica_client_close(client);
	close_service();
	ck_assert_uint_eq(left, 1);
	ck_assert_uint_eq(recorded, 0);
	recover_file();
	set_hanging(&sync_hangs, false);
	while (!recorded) {
		sched_yield();
	}
	ck_assert_uint_eq(take_files().files, 1);
	stop_ns = 0;
}

/* Nor one that hangs where the next recording is to begin. */
TEST_LOOP(a_disk_that_hangs_at_a_beginning_keeps_no_service_from_ending, N_LOOPS) {
	patience_ns = 100000000;
	stop_ns = 500000000;
	no_answer = 0;
	open_service(loops[_i], true, 2);
	hang_disk(true);
	open_client();
	frame(triangle_list(pica_client_host(fcram), 1));
	pica_client_close(client);
	close_service();
	ck_assert_uint_eq(no_answer, 1); /* said when it did not begin */
	hang_disk(false);
	wait_for_disk_waiters(0);
	ck_assert_uint_eq(take_files().files, 0);
	patience_ns = UINT64_C(10000000000);
	stop_ns = 0;
}

TEST_LOOP(files_of_a_session_have_an_end, N_LOOPS) {
	struct pica_client_memory *more;
	open_service(loops[_i], true, 2);
	open_client();
	uint32_t size_bytes = triangle_list(pica_client_host(fcram), 1);
	for (unsigned i = 0; i < RECORDINGS_A_SESSION + 5; i++) {
		frame(size_bytes);
		ck_assert_int_eq(pica_client_map(&more, ctx, 0x30000000, 0x1000, 0), 0);
		ck_assert_int_eq(pica_client_free(more), 0);
		/* Not faster than the disk: so many unfinished ones, and its user gets no more. */
		while (count_files() + RECORDINGS_A_USER / 2 <= i) {
			usleep(1000);
		}
	}
	pica_client_close(client);
	close_service();
	struct found f = take_files();
	ck_assert_uint_eq(f.files, RECORDINGS_A_SESSION);
	ck_assert_uint_eq(f.frames, RECORDINGS_A_SESSION);
}

/*
 * Recordings that are about to begin, begin, or have begun when their context goes, in any order.
 */
TEST_LOOP(contexts_go_while_their_recordings_begin, N_LOOPS) {
	open_service(loops[_i], true, 2);
	open_client();
	uint32_t size_bytes = triangle_list(pica_client_host(fcram), 1);
	pica_client_free(vram);
	pica_client_free(fcram);
	pica_client_ctx_destroy(ctx);
	for (unsigned i = 0; i < 60; i++) {
		struct pica_done done;
		ck_assert_int_eq(pica_client_ctx_create(&ctx, client, NULL), 0);
		ck_assert_int_eq(pica_client_map(&fcram, ctx, FCRAM, FCRAM_BYTES, 0), 0);
		add_job(PICA_OP_LIST, size_bytes);
		ck_assert_int_eq(pica_client_submit(client), 1);
		struct timespec t = { 0, 100000 * (long)(i % 16) };
		nanosleep(&t, NULL);
		/* Not by the library, which has the memory freed before. */
		struct pica_msg_object m = { .head.type = PICA_MSG_CONTEXT_DESTROY,
			.id = pica_client_ctx_handle(ctx) };
		struct pica_msg_done answer;
		ck_assert_int_eq(client_request(client, &m, sizeof(m), -1, PICA_MSG_DONE, &answer,
						 sizeof(answer), NULL),
				0);
		ck_assert_int_eq(pica_client_wait(client, &done, 1, -1), 1);
		ck_assert_int_eq(pica_client_free(fcram), 0);
	}
	pica_client_close(client);
	close_service();
	struct found f = take_files();
	ck_assert_uint_ge(f.files, 1);
	ck_assert_uint_le(f.files, 60);
}

TEST(without_a_folder_it_is_refused) {
	char message[PICA_TEXT_BYTES];
	struct pica_client_settings settings;
	pica_client_settings_init(&settings);
	ck_assert_int_eq(pica_client_connect(&client, "builtin:", &settings, message), 0);
	ck_assert_uint_eq(pica_client_welcome(client)->features & PICA_FEATURE_BIT_RECORD, 0);
	ck_assert_int_eq(record_me(1), -EOPNOTSUPP);
	pica_client_close(client);
	settings.required = PICA_FEATURE_BIT_RECORD;
	ck_assert_int_eq(pica_client_connect(&client, "builtin:", &settings, message), -EOPNOTSUPP);
}

/* The last one: in a process of its own it leaves threads that draw. */
TEST(work_that_takes_long_keeps_no_service_from_ending) {
	struct pica_done done;
	stop_ns = 500000000;
	open_service(LOOP_AUTO, true, 2);
	open_client();
	frame(triangle_list(pica_client_host(fcram), 1));
	add_job(PICA_OP_LIST, heavy_list(pica_client_host(fcram), 11000));
	ck_assert_int_eq(pica_client_submit(client), 1);
	ck_assert_int_eq(record_me(1), 0); /* comes after the job */
	close_service();
	ck_assert_uint_eq(stopped_early, 1);
	ck_assert(pica_client_wait(client, &done, 1, -1) != 1 || done.result < 0);
	pica_client_close(client);
	stop_ns = 0;
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
