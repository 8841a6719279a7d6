/* Recordings to a disk that hangs, on both loops: no session or other recording may wait for it. */
#include <sys/stat.h>

#include "clock.h"
#include "recording_rig.h"

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
	pthread_cond_broadcast(&disk_moves);
	while (*hangs) {
		pthread_cond_wait(&disk_moves, &disk);
	}
	disk_waiters--;
	pthread_cond_broadcast(&disk_moves);
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

/* Waits until n threads wait for the disk; fails after a minute. */
static void wait_for_disk_waiters(unsigned n) {
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	int error = 0;
	pthread_mutex_lock(&disk);
	while (disk_waiters != n && !error) {
		error = pthread_cond_timedwait(&disk_moves, &disk, &until);
	}
	const unsigned now = disk_waiters;
	pthread_mutex_unlock(&disk);
	ck_assert_uint_eq(now, n);
}

static unsigned count_disk_waiters(void) {
	pthread_mutex_lock(&disk);
	const unsigned n = disk_waiters;
	pthread_mutex_unlock(&disk);
	return n;
}

/* After each test: a failed one must leave no thread that waits for the disk. */
static void free_disk(void) {
	hang_disk(false);
	set_hanging(&sync_hangs, false);
}

FIXTURE(default_settings, free_disk)

/* ---- Tests ---- */

/* When the disk hangs in the middle, frames continue, and the recording ends with the reason. */
TEST_LOOP(a_disk_that_hangs_ends_the_recording_alone, N_LOOPS) {
	settings.record_queue_bytes = 1 << 20;
	const uint32_t size_bytes = open_both(loops[_i], true, 2);
	frame(size_bytes);
	hang_disk(true);
	unsigned frames = 0;
	while (too_slow == 0 && frames < 1000) {
		noisy_frame(size_bytes);
		frames++;
	}
	/* It continues without; the hanging thread, if it came to write at all, delays nothing. */
	noisy_frame(size_bytes);
	ck_assert_uint_le(count_disk_waiters(), 1);
	printf("%u frames beside a disk that hangs, until its recording was given up\n", frames);
	hang_disk(false);
	pica_client_close(client);
	close_service();
	wait_for_disk_waiters(0);
	ck_assert_uint_eq(too_slow, 1);
	ck_assert_uint_eq(no_answer, 0);
	ck_assert_uint_eq(take_files().files, 0);
}

/* A disk that hangs at the start of a recording, or after another, does not stop them either. */
TEST_LOOP(sessions_draw_while_a_disk_hangs, N_LOOPS) {
	settings.record_patience_ns = 100000000;
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
}

/* A disk that hangs at the end of a recording delays only that one. */
TEST_LOOP(disk_hanging_at_the_end_of_a_recording_delays_no_other, N_LOOPS) {
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
 * A client that reconnects waits until recordings are finished, at most for the timeout of HELLO,
 * and gets no more than its user's limit. Sessions still draw. On one loop, since each connection
 * waits.
 */
TEST(recordings_of_a_user_are_limited_across_sessions) {
	enum { MORE = 3 };
	settings.hello_ns = 200000000;
	open_service(LOOP_AUTO, true, 2);
	set_hanging(&sync_hangs, true);
	for (unsigned i = 0; i < RECORDINGS_A_USER + MORE; i++) {
		const uint64_t before_ns = now_ns();
		open_client();
		const uint64_t took_ns = now_ns() - before_ns;
		frame(triangle_list(pica_client_host(fcram), 1));
		pica_client_close(client);
		wait_for_disk_waiters(i < MAX_FINISHING ? i + 1 : MAX_FINISHING);
		ck_assert(i < MAX_FINISHING || took_ns >= settings.hello_ns);
	}
	set_hanging(&sync_hangs, false);
	close_service();
	ck_assert_uint_eq(take_files().files, RECORDINGS_A_USER);
}

/* Sessions that end before their recordings begin leave no files. */
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

/* Checks that the folder's only file is unfinished, but has all that was recorded. */
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

/* The service ends nevertheless; if the disk answers after all, the file is complete. */
TEST_LOOP(service_ends_while_a_disk_hangs, N_LOOPS) {
	settings.stop_ns = 500000000;
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
	for (unsigned ms = 0; !recorded && ms < 60000; ms++) {
		usleep(1000);
	}
	ck_assert_uint_eq(recorded, 1);
	ck_assert_uint_eq(take_files().files, 1);
}

/* Nor one that hangs where the next recording is to begin. */
TEST_LOOP(service_ends_while_a_recording_hangs_at_its_start, N_LOOPS) {
	settings.record_patience_ns = 100000000;
	settings.stop_ns = 500000000;
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
}
