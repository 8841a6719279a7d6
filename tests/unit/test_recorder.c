/* The recorder: a context's work becomes a capture of the same result, or no file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/attributes.h"
#include "pica_capture.h"
#include "pica_record.h"
#include "tests/folder.h"

enum {
	VRAM = 0x18000000,
	FCRAM = 0x20000000,
	SHOWN = FCRAM + 0x100000, /* framebuffer of the top screen: RGB8, 240x400 */
	SHOWN_BYTES = 240 * 400 * 3,
	LIST = FCRAM,
	PDC_LEFT = 0x10400468,
	PDC_FORMAT = 0x10400470,
	PDC_STRIDE = 0x10400490,
};

static char path[64];
static struct pica_device *device;
static struct pica_ctx *ctx;
static struct pica_recorder *recorder;
static struct pica_capture *capture;
static struct pica_capture_error error;

/* With 4 MiB of FCRAM instead of 128: recorders compare all of it before each job. */
static int create_small(void) {
	struct pica_ctx_settings settings;
	pica_ctx_settings_init(&settings);
	settings.fcram_bytes = 4 << 20;
	return pica_ctx_create(&ctx, device, &settings);
}

static void create_device(unsigned threads) {
	struct pica_settings settings;
	pica_settings_init(&settings);
	settings.n_threads = threads;
	ck_assert_int_eq(pica_device_create(&device, &settings), 0);
}

static void begin(unsigned threads) {
	create_device(threads);
	ck_assert_int_eq(create_small(), 0);
}

static void end(void) {
	pica_ctx_destroy(ctx);
	pica_device_destroy(device);
	ctx = NULL;
	unlink(path);
}

static void start(void) {
	ck_assert_int_eq(pica_recorder_start(&recorder, ctx, path, NULL), 0);
}

static void finish(void) {
	int ret = pica_recorder_finish(recorder, &error);
	ck_assert_msg(ret == 0, "%s", error.message);
	recorder = NULL;
}

static void submit(const struct pica_job *job) {
	ck_assert_int_eq(pica_submit(ctx, job, 1, NULL), 0);
}

static void reg(uint32_t addr, uint32_t value) {
	struct pica_job job = { .op = PICA_OP_REG_WRITE,
		.u.reg_write = { .addr = addr, .value = value } };
	submit(&job);
}

static void present(void) {
	struct pica_job job = { .op = PICA_OP_PRESENT };
	job.u.present.screens = 3;
	submit(&job);
}

static void show(void) {
	reg(PDC_LEFT, SHOWN);
	reg(PDC_FORMAT, 0x41);
	reg(PDC_STRIDE, 720);
}

static void fill(uint32_t addr, uint32_t size, uint32_t color) {
	struct pica_job job = { .op = PICA_OP_FILL,
		.u.fill = { .start = addr, .end = addr + size, .value = color, .control = 0x101 } };
	submit(&job);
}

/* Nothing that compresses. */
static void put_noise(uint8_t *to, uint32_t n, uint32_t seed) {
	for (uint32_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		to[i] = (uint8_t)(seed >> 24);
	}
}

static uint8_t *memory(uint32_t addr, uint32_t size) {
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0); /* waits */
	uint8_t *host = pica_ctx_host(ctx, addr, size);
	ck_assert_ptr_nonnull(host);
	return host;
}

/*
 * The jobs of a recording, without memory of its start: bytes written, and how many of an
 * operation.
 */
static uint64_t written_bytes(uint16_t op, unsigned *n) {
	struct pica_capture_event e;
	uint64_t bytes = 0;
	ck_assert_int_eq(pica_capture_open(&capture, path, &error), 0);
	ck_assert_int_eq(pica_capture_verify(capture), 0);
	*n = 0;
	while (pica_capture_next(capture, &e) > 0) {
		if (e.kind != PICA_CAPTURE_MEMORY) {
			*n += e.job.op == op;
			bytes += e.job.op == PICA_OP_WRITE ? e.job.u.write.size_bytes : 0;
		}
	}
	pica_capture_close(capture);
	return bytes;
}

/* ---- Memory that the program changes ---- */

/* _i: threads */
TEST_LOOP(changes_are_found_without_a_word, 3) {
	unsigned n;
	begin((unsigned)_i);
	show();
	memset(memory(SHOWN, SHOWN_BYTES), 0x11, SHOWN_BYTES);
	start();
	present(); /* nothing changed */
	memory(SHOWN, SHOWN_BYTES)[5000] = 1; /* the screen, drawn by the program */
	present();
	/* A list. */
	uint32_t list[4] = { 0xABCD, 0x0F0080, 0x12345678, 0x0F0010 };
	memcpy(memory(LIST, 16), list, 16);
	struct pica_job job = { .op = PICA_OP_LIST, .u.list = { .addr = LIST, .size_bytes = 16 } };
	submit(&job);
	/* The source of a copy; its destination keeps what lies around it in the page. */
	memset(memory(FCRAM + 0x3000, 64), 7, 64);
	memory(FCRAM + 0x5000, 4096)[4000] = 9;
	job = (struct pica_job){ .op = PICA_OP_COPY,
		.u.copy = { .src = FCRAM + 0x3000, .dst = FCRAM + 0x5000, .size_bytes = 64 } };
	submit(&job);
	present();
	/* A page that a fill writes in part, and the test in another. */
	memory(FCRAM + 0x8000, 4096)[100] = 3;
	fill(FCRAM + 0x8000, 48, 0x445566);
	job = (struct pica_job){ .op = PICA_OP_INVALIDATE,
		.u.invalidate = { .addr = FCRAM + 0x8000, .size_bytes = 4096 } };
	submit(&job);
	finish();
	/*
	 * 1 screen byte, 12 of the list (its zeros were there), 64 + 1, 1: with equal bytes between
	 * them.
	 */
	uint64_t bytes = written_bytes(PICA_OP_INVALIDATE, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_ge(bytes, 1 + 12 + 64 + 1 + 1);
	ck_assert_uint_le(bytes, 1 + 16 + 64 + 1 + 1);
	end();
}

TEST(writes_are_recorded_by_what_they_change) {
	static uint8_t data[0x10000];
	unsigned n;
	begin(0);
	show();
	start();
	for (unsigned i = 0; i < 20; i++) {
		struct pica_job job = { .op = PICA_OP_WRITE };
		data[i * 100] = (uint8_t)(i + 1);
		job.u.write.addr = FCRAM + 0x20000;
		job.u.write.size_bytes = sizeof(data);
		job.u.write.data = (uint64_t)(uintptr_t)data;
		submit(&job);
		present();
	}
	finish();
	ck_assert_uint_eq(written_bytes(PICA_OP_WRITE, &n), 20); /* a byte a frame */
	ck_assert_uint_eq(n, 20);
	end();
}

/* A capture's load that is dropped to keep drawn pixels is not a change. */
TEST(kept_renderings_are_no_changes) {
	static const uint8_t data[0x8000] = { 1 };
	uint32_t list[] = { 0x01, 0x0F0080, 128 | 64 << 16, 0x0F0082, (VRAM >> 3), 0x0F0085, 0,
		0x0F008E, 0x12345678, 0x0F0010, 0, 0 };
	unsigned n;
	begin(0);
	show();
	memcpy(memory(LIST, sizeof(list)), list, sizeof(list));
	start();
	struct pica_job job = { .op = PICA_OP_LIST,
		.u.list = { .addr = LIST, .size_bytes = sizeof(list) } };
	submit(&job);
	for (unsigned i = 0; i < 2; i++) {
		if (i == 0) {
			fill(VRAM, sizeof(data), 0x334455); /* of this frame: the texture is ours */
		}
		job = (struct pica_job){ .op = PICA_OP_WRITE, .flags = PICA_WRITE_KEEP_RENDERED,
			.u.write = { .addr = VRAM, .size_bytes = sizeof(data),
				.data = (uint64_t)(uintptr_t)data } };
		submit(&job);
		present();
	}
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	ck_assert_uint_ge(stats.faults[PICA_FAULT_KEPT_RENDERED], 0x7000);
	finish();
	/* Dropped in the first frame, all of it written in the second. */
	uint64_t bytes = written_bytes(PICA_OP_FILL, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(bytes, sizeof(data));
	end();
}

/* ---- Cost ---- */

TEST(a_steady_scene_costs_little) {
	struct pica_recorder_settings settings;
	size_t size[2];
	for (unsigned k = 0; k < 2; k++) {
		begin(0);
		show();
		put_noise(memory(SHOWN, SHOWN_BYTES), SHOWN_BYTES, 1);
		pica_recorder_settings_init(&settings);
		settings.key_frames = 10;
		ck_assert_int_eq(pica_recorder_start(&recorder, ctx, path, &settings), 0);
		for (unsigned frame = 0; frame < (k ? 200 : 1); frame++) {
			/* The same fill, and the same data again. */
			struct pica_job job = { .op = PICA_OP_WRITE,
				.u.write = { .addr = SHOWN, .size_bytes = SHOWN_BYTES,
					.data = (uint64_t)(uintptr_t)memory(SHOWN, SHOWN_BYTES) } };
			fill(VRAM, 0x1000, 0x123456);
			submit(&job);
			present();
		}
		finish();
		size[k] = file_size(path);
		end();
	}
	ck_assert_uint_gt(size[0], SHOWN_BYTES);
	/* 199 frames and 19 keys. */
	ck_assert_msg(size[1] - size[0] < 19 * 4500 + 199 * 20, "%zu bytes more",
			size[1] - size[0]);
}

/* ---- Frames and keys ---- */

TEST(frames_are_those_of_the_program) {
	struct pica_recorder_settings settings;
	struct pica_capture_info info;
	begin(0);
	show();
	for (unsigned own = 0; own < 2; own++) {
		pica_recorder_settings_init(&settings);
		settings.flags = own ? PICA_RECORDER_OWN_FRAMES : 0;
		settings.key_frames = 2;
		settings.title = "frames";
		ck_assert_int_eq(pica_recorder_start(&recorder, ctx, path, &settings), 0);
		for (unsigned i = 0; i < 6; i++) {
			memory(SHOWN, SHOWN_BYTES)[i] ^= 0xFF;
			present();
			if (i % 3 == 2) {
				ck_assert_int_eq(pica_recorder_frame(recorder), 0);
			}
		}
		finish();
		ck_assert_int_eq(pica_capture_open(&capture, path, &error), 0);
		pica_capture_info(capture, &info);
		ck_assert_uint_eq(info.frames, own ? 2 : 8);
		ck_assert_uint_eq(info.keys, own ? 2 : 5);
		ck_assert_uint_eq(info.missing, 0);
		ck_assert_uint_eq(info.source, PICA_CAPTURE_PICA);
		ck_assert_str_eq(info.title, "frames");
		for (uint32_t frame = 0; frame < info.frames; frame++) {
			uint32_t n;
			const struct pica_expected *e = pica_capture_expected(capture, frame, &n);
			ck_assert_uint_eq(n, 1); /* the bottom screen was never set */
			ck_assert_uint_eq(e->width, 400);
		}
		pica_capture_close(capture);
	}
	end();
}

/* ---- Ends of a recording ---- */

TEST(misuse_is_refused) {
	struct pica_recorder *second;
	struct pica_recorder_settings settings;
	static uint8_t page[4096] __attribute__((aligned(4096)));
	static struct pica_state state;
	begin(0);
	pica_recorder_settings_init(&settings);
	settings.level = 0;
	ck_assert_int_eq(pica_recorder_start(&recorder, ctx, path, &settings), -EINVAL);
	ck_assert_int_eq(pica_recorder_start(&recorder, ctx, "/dev/null", NULL), -EINVAL);
	ck_assert_int_eq(pica_recorder_start(&recorder, ctx, "/", NULL), -EISDIR);
	ck_assert_int_eq(pica_recorder_start(&recorder, ctx, "/tmp/none/x", NULL), -ENOENT);
	ck_assert_int_eq(pica_recorder_start(&recorder, ctx, "", NULL), -ENOENT);
	start();
	ck_assert_int_eq(pica_recorder_start(&second, ctx, path, NULL), -EBUSY);
	ck_assert_int_eq(pica_ctx_save_state(ctx, &state), 0);
	ck_assert_int_eq(pica_recorder_error(recorder), 0);
	ck_assert_int_eq(pica_ctx_load_state(ctx, &state), 0);
	ck_assert_int_eq(pica_recorder_error(recorder), -ECANCELED);
	present();
	ck_assert_int_eq(pica_recorder_frame(recorder), -ECANCELED);
	ck_assert_int_eq(pica_recorder_finish(recorder, &error), -ECANCELED);
	ck_assert_int_eq(error.code, -ECANCELED);
	start();
	ck_assert_int_eq(pica_ctx_map(ctx, 0x30000000, 4096, page, 0), 0);
	ck_assert_int_eq(pica_recorder_finish(recorder, NULL), -ECANCELED);
	start();
	pica_recorder_destroy(recorder);
	present(); /* no observer any more */
	ck_assert_int_eq(pica_ctx_unmap(ctx, 0x30000000), 0);
	ck_assert_int_eq(pica_ctx_map(ctx, 0x30000000, 4096, page, PICA_MAP_READ_ONLY), 0);
	ck_assert_int_eq(pica_recorder_start(&recorder, ctx, path, NULL), -EOPNOTSUPP);
	ck_assert_int_eq(pica_ctx_unmap(ctx, 0x30000000), 0);
	start();
	pica_ctx_destroy(ctx);
	ctx = NULL;
	ck_assert_int_eq(pica_recorder_error(recorder), -ECANCELED);
	ck_assert_int_eq(pica_recorder_finish(recorder, &error), -ECANCELED);
	ck_assert_uint_eq(files_in_dir(), 0);
	pica_recorder_destroy(NULL);
	end();
}

/* The context continues; device and context are destroyed before the recording is finished. */
TEST_LOOP(a_recording_can_be_finished_after_its_context, 3) {
	struct pica_stats stats = { 0 };
	struct pica_job job = { .op = PICA_OP_STATS };
	unsigned n;
	begin((unsigned)_i);
	show();
	start();
	fill(VRAM, 0x1000, 0x112233);
	job.u.stats.data = (uintptr_t)&stats;
	job.u.stats.size_bytes = sizeof(stats);
	submit(&job); /* is not recorded */
	present();
	pica_recorder_detach(recorder);
	ck_assert_int_eq(pica_recorder_peek(recorder), 0);
	struct pica_recorder *first = recorder;
	fill(VRAM, 0x1000, 0x445566);
	char other[80];
	snprintf(other, sizeof(other), "%s.other", path);
	ck_assert_int_eq(pica_recorder_start(&recorder, ctx, other, NULL), 0);
	present();
	ck_assert_int_eq(pica_recorder_finish(recorder, &error), 0);
	pica_device_destroy(device);
	pica_ctx_destroy(ctx);
	recorder = first;
	finish();
	written_bytes(PICA_OP_FILL, &n);
	ck_assert_uint_eq(n, 1);
	written_bytes(PICA_OP_STATS, &n);
	ck_assert_uint_eq(n, 0);
	ck_assert_uint_gt(stats.fills, 0);
	unlink(other);
	unlink(path);
	ctx = NULL;
}

TEST(a_recording_without_pictures_is_reported) {
	begin(0);
	start();
	fill(VRAM, 0x1000, 0x112233);
	finish();
	ck_assert_ptr_nonnull(strstr(error.message, ": it expects no pictures: no frame was ended"));
	ck_assert_int_eq(error.code, 0);
	start();
	present();
	finish();
	ck_assert_ptr_nonnull(strstr(error.message, ": no screen was set when a frame ended"));
	show();
	start();
	present();
	finish();
	ck_assert_str_eq(error.message, "");
	unlink(path);
	end();
}

TEST(a_recording_ends_whole_at_its_limit) {
	struct pica_recorder_settings settings;
	unsigned n;
	begin(0);
	show();
	pica_recorder_settings_init(&settings);
	settings.max_bytes = 3 * SHOWN_BYTES;
	ck_assert_int_eq(pica_recorder_start(&recorder, ctx, path, &settings), 0);
	for (unsigned i = 0; i < 10; i++) {
		put_noise(memory(SHOWN, SHOWN_BYTES), SHOWN_BYTES, i);
		present();
	}
	/* Later work does not matter. */
	ck_assert_int_eq(pica_recorder_frame(recorder), 0);
	finish();
	written_bytes(PICA_OP_PRESENT, &n);
	ck_assert_uint_ge(n, 2);
	ck_assert_uint_le(n, 4);
	ck_assert_uint_le(file_size(path), 5 * SHOWN_BYTES);
	end();
}

/* The file that the recorder writes, through /proc: it has no name. */
static int open_unnamed(void) {
	char link[64], target[256];
	for (int fd = 3; fd < 100; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		ssize_t n = readlink(link, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = 0;
		if (strstr(target, dir)) {
			return open(link, O_RDWR);
		}
	}
	return -1;
}

TEST(a_recording_that_is_not_whole_gets_no_name) {
	begin(0);
	show();
	start();
	present();
	int fd = open_unnamed();
	if (fd >= 0) {
		/* A bad disk: the key is written already. */
		ck_assert_int_eq(pwrite(fd, "X", 1, 800), 1);
		close(fd);
		ck_assert_int_eq(pica_recorder_finish(recorder, &error), -EINVAL);
		ck_assert_ptr_nonnull(strstr(error.message, "chunk"));
		ck_assert_uint_eq(files_in_dir(), 0);
	} else {
		pica_recorder_destroy(recorder);
	}
	end();
}

TEST(a_full_disk_leaves_no_file_and_no_damage) {
	struct rlimit old, small;
	begin(2);
	show();
	start();
	present();
	finish();
	const size_t size = file_size(path);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 300000;
	start();
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (unsigned i = 0; i < 8; i++) {
		put_noise(memory(SHOWN, SHOWN_BYTES), SHOWN_BYTES, i);
		present();
	}
	ck_assert_int_eq(pica_recorder_error(recorder), -EFBIG);
	fill(VRAM, 48, 0x0000FF);
	ck_assert_uint_eq(memory(VRAM, 48)[0], 0xFF); /* the context continues */
	int ret = pica_recorder_finish(recorder, &error);
	setrlimit(RLIMIT_FSIZE, &old);
	ck_assert_int_eq(ret, -EFBIG);
	ck_assert_uint_eq(file_size(path), size); /* the one before */
	ck_assert_uint_eq(files_in_dir(), 1);
	end();
}

/* In a child: without Check, which would write into its parent's results. */
static void record_for_ever(void) {
	struct pica_settings settings;
	struct pica_job job = { .op = PICA_OP_REG_WRITE };
	pica_settings_init(&settings);
	if (pica_device_create(&device, &settings) < 0 || create_small() < 0) {
		_exit(1);
	}
	job.u.reg_write.addr = PDC_LEFT;
	job.u.reg_write.value = SHOWN;
	pica_submit(ctx, &job, 1, NULL);
	job = (struct pica_job){ .op = PICA_OP_PRESENT };
	while (pica_recorder_start(&recorder, ctx, path, NULL) == 0) {
		for (unsigned k = 0; k < 5; k++) {
			((uint8_t *)pica_ctx_host(ctx, SHOWN, SHOWN_BYTES))[k]++;
			pica_submit(ctx, &job, 1, NULL);
		}
		if (pica_recorder_finish(recorder, NULL) < 0) {
			break;
		}
	}
	_exit(1);
}

/* Killed at any moment: a whole file, or none, and no other. */
TEST(a_kill_leaves_a_whole_file_or_none) {
	unsigned found = 0;
	for (unsigned i = 0; i < 40; i++) {
		pid_t pid = fork();
		ck_assert_int_ge(pid, 0);
		if (pid == 0) {
			record_for_ever();
		}
		/* The first may finish a recording, so that a slow machine does. */
		for (unsigned k = 0; k < 3000 && i == 0 && access(path, F_OK) != 0; k++) {
			usleep(10000);
		}
		usleep(1000 * (i * 37 % 300));
		kill(pid, SIGKILL);
		int status;
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert(WIFSIGNALED(status));
		if (access(path, F_OK) == 0) {
			ck_assert_msg(pica_capture_open(&capture, path, &error) == 0, "%s",
					error.message);
			ck_assert_int_eq(pica_capture_verify(capture), 0);
			pica_capture_close(capture);
			found++;
			unlink(path);
		}
		/* A kill between naming and renaming leaves a whole file under its other name. */
		DIR *d = opendir(dir);
		for (struct dirent *e; (e = readdir(d)) != NULL;) {
			char name[sizeof(dir) + 300];
			snprintf(name, sizeof(name), "%s/%s", dir, e->d_name);
			if (e->d_name[0] != '.') {
				ck_assert_int_eq(pica_capture_open(&capture, name, &error), 0);
				ck_assert_int_eq(pica_capture_verify(capture), 0);
				pica_capture_close(capture);
				unlink(name);
			}
		}
		closedir(d);
	}
	ck_assert_uint_gt(found, 0);
}

/* ---- Whole scenes ---- */

static const char *const scenes[] = { "galaxy", "strips", "immediate" };

TEST_LOOP(bundled_scenes_record_themselves, ARRAY_LEN(scenes)) {
	char name[256];
	struct pica_capture_event e;
	struct pica_recorder_settings settings;
	snprintf(name, sizeof(name), "%s/%s.pica", TEST_CAPTURES, scenes[_i]);
	create_device(_i % 2 ? 3 : 0);
	ck_assert_int_eq(pica_ctx_create(&ctx, device, NULL), 0);
	struct pica_capture *source;
	ck_assert_msg(pica_capture_open(&source, name, &error) == 0, "%s", error.message);
	struct pica_capture_info info, recorded;
	pica_capture_info(source, &info);
	ck_assert_int_eq(pica_capture_load(source, ctx), 0);
	pica_recorder_settings_init(&settings);
	settings.key_frames = 2;
	recorder = NULL;
	while (pica_capture_next(source, &e) > 0) {
		if (e.kind != PICA_CAPTURE_MEMORY && !recorder) {
			ck_assert_int_eq(pica_recorder_start(&recorder, ctx, path, &settings), 0);
		}
		submit(&e.job);
	}
	finish();
	ck_assert_int_eq(pica_capture_open(&capture, path, &error), 0);
	ck_assert_int_eq(pica_capture_verify(capture), 0);
	pica_capture_info(capture, &recorded);
	ck_assert_uint_eq(recorded.frames, info.frames);
	ck_assert_uint_eq(recorded.lists, info.lists);
	ck_assert_uint_le(recorded.load_bytes, info.load_bytes);
	for (uint32_t frame = 0; frame < info.frames; frame++) {
		/* the same pictures as the source's */
		uint32_t n, m;
		const struct pica_expected *a = pica_capture_expected(source, frame, &n);
		const struct pica_expected *b = pica_capture_expected(capture, frame, &m);
		ck_assert_uint_gt(n, 0);
		ck_assert_uint_eq(n, m);
		ck_assert_mem_eq(a, b, n * sizeof(*a));
	}
	pica_capture_close(source);
	pica_capture_close(capture);
	end();
}

static int in_folder(void) {
	return run_in_folder(path, "recorded.pica");
}
SUITE_MAIN(in_folder)
