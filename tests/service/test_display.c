/* The headless display: modes, buffers, times of refreshes, files of pictures. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pictures/file.h"
#include "pictures/picture.h"
#include "pictures/y4m.h"
#include "service/display_headless.h"
#include "tests/suite.h"

static struct display *display;
static struct display_event events[64];
static unsigned n_events;
static char folder[64];

static void on_event(void *owner, const struct display_event *e) {
	ck_assert_ptr_eq(owner, folder);
	ck_assert_uint_lt(n_events, 64);
	events[n_events++] = *e;
}

static int create_display(const char *modes, const char *frames, int stop_fd) {
	const struct display_settings s = {
		.headless = modes, .frames = frames, .stop_fd = stop_fd
	};
	n_events = 0;
	return display_headless.create(&display, &s, on_event, folder);
}

static void open_display(const char *modes, const char *frames, int stop_fd) {
	ck_assert_int_eq(create_display(modes, frames, stop_fd), 0);
	ck_assert_ptr_eq(display->impl, &display_headless);
}

/* One turn of the display thread. */
static void turn(void) {
	struct pollfd fds[DISPLAY_POLL_FDS];
	uint64_t deadline;
	ck_assert_uint_eq(display->impl->prepare(display, fds, &deadline), 0);
	ck_assert_uint_ne(deadline, UINT64_MAX);
	struct timespec until = { (time_t)(deadline / 1000000000u),
		(long)(deadline % 1000000000u) };
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
	}
	display->impl->dispatch(display, fds, 0);
}

static void wait_events(unsigned n) {
	while (n_events < n) {
		turn();
	}
	ck_assert_uint_eq(n_events, n);
}

/* ... and the event that tells of its outputs. */
static void begin_display(const char *modes, const char *frames, int stop_fd) {
	open_display(modes, frames, stop_fd);
	wait_events(1);
}

static void paint(const struct display_buffer *b, uint32_t seed) {
	for (uint32_t y = 0; y < b->height; y++) {
		for (uint32_t x = 0; x < b->width * display_pixel_bytes(b->format); x++) {
			b->host[(size_t)y * b->stride_bytes + x] = (uint8_t)(seed + 31 * y + 7 * x);
		}
	}
}

static int show(uint32_t output, uint32_t seed) {
	struct display_flip f = { .output = output, .cookie = seed };
	int ret = display->impl->acquire(display, output, &f.buffer);
	if (ret == 0) {
		paint(&f.buffer, seed);
		ret = display->impl->commit(display, &f, 1);
	}
	return ret;
}

/* ---- Modes ---- */

FORKED_TESTS
TEST(modes_are_read) {
	struct display_output o[DISPLAY_OUTPUTS];
	ck_assert_int_eq(display_headless_modes("800x480", o), 1);
	ck_assert_str_eq(o[0].name, "headless-1");
	ck_assert_uint_eq(o[0].width, 800);
	ck_assert_uint_eq(o[0].height, 480);
	ck_assert_uint_eq(o[0].refresh_mhz, 59831);
	ck_assert_int_eq(o[0].format, DISPLAY_XRGB8888);
	ck_assert_int_eq(display_headless_modes("1x8192@1000,640x480@59.94:rgb565,3x4:xrgb8888", o),
			3);
	ck_assert_uint_eq(o[0].refresh_mhz, 1000000);
	ck_assert_uint_eq(o[1].refresh_mhz, 59940);
	ck_assert_int_eq(o[1].format, DISPLAY_RGB565);
	ck_assert_str_eq(o[2].name, "headless-3");
	ck_assert_uint_eq(o[2].width, 3);
	ck_assert_int_eq(display_headless_modes("2x2@0.1", o), 1);
	ck_assert_uint_eq(o[0].refresh_mhz, 100);
}

TEST(malformed_modes_are_refused) {
	static const char *const wrong[] = { "", "800", "x480", "800x", "0x480", "800x8193",
		"99999999999999999999x1", "800x480@", "800x480@0", "800x480@0.09", "800x480@1001",
		"800x480@-60", "800x480@60Hz", "800x480:", "800x480:rgb", "800x480,", ",800x480",
		"800x480 ", "-800x480", "+8x8", "1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1,1x1",
		"1x1@99999999999999999999999" };
	struct display_output o[DISPLAY_OUTPUTS];
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_msg(display_headless_modes(wrong[i], o) == -EINVAL, "%s", wrong[i]);
	}
	ck_assert_int_eq(create_display("800", NULL, -1), -EINVAL);
	ck_assert_int_eq(create_display(NULL, "gif:x", -1), -EINVAL);
	ck_assert_int_eq(create_display(NULL, "png:no-number.png", -1), -EINVAL);
	ck_assert_int_eq(create_display(NULL, "hash:/no/such/folder/x", -1), -ENOENT);
}

/* ---- Flips ---- */

TEST(outputs_are_announced_once) {
	struct display_output o[1];
	open_display("40x30,20x10", NULL, -1);
	ck_assert_uint_eq(display->impl->outputs(display, o, 1), 2);
	ck_assert_uint_eq(o[0].width, 40);
	wait_events(1);
	ck_assert_int_eq(events[0].type, DISPLAY_CHANGED);
	struct pollfd fds[DISPLAY_POLL_FDS];
	uint64_t deadline;
	display->impl->prepare(display, fds, &deadline);
	ck_assert_uint_eq(deadline, UINT64_MAX); /* nothing is due: it sleeps */
	display->impl->dispatch(display, fds, 0);
	ck_assert_uint_eq(n_events, 1);
	display_headless.destroy(display);
}

TEST(flips_lie_on_the_grid) {
	begin_display("40x30@250", NULL, -1);
	for (unsigned i = 1; i <= 20; i++) {
		ck_assert_int_eq(show(0, 1000 + i), 0);
		wait_events(1 + i);
		ck_assert_int_eq(events[i].type, DISPLAY_FLIPPED);
		ck_assert_int_eq(events[i].error, 0);
		ck_assert_uint_eq(events[i].cookie, 1000 + i);
		if (i > 1) {
			uint64_t step = events[i].time_ns - events[i - 1].time_ns;
			ck_assert_uint_ge(step, 4000000);
			ck_assert_uint_eq(step % 4000000, 0);
		}
	}
	display_headless.destroy(display);
}

TEST(buffers_rotate_and_have_an_age) {
	struct display_flip f = { .output = 0 };
	struct display_buffer other, third;
	begin_display("40x30@1000:rgb565", NULL, -1);
	uint8_t *seen[3];
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(display->impl->acquire(display, 0, &f.buffer), 0);
		ck_assert_uint_eq(f.buffer.stride_bytes % 64, 0);
		ck_assert_uint_ge(f.buffer.stride_bytes, 80);
		ck_assert_int_eq(f.buffer.format, DISPLAY_RGB565);
		seen[i] = f.buffer.host;
		ck_assert_int_eq(display->impl->commit(display, &f, 1), 0);
		/* Another one can be drawn while this one waits, but not shown. */
		ck_assert_int_eq(display->impl->acquire(display, 0, &other), 0);
		ck_assert_ptr_ne(other.host, f.buffer.host);
		const struct display_flip early = { .output = 0, .buffer = other };
		ck_assert_int_eq(display->impl->commit(display, &early, 1), -EBUSY);
		if (i > 0) {
			/* One is shown, one waits, one is acquired. */
			ck_assert_int_eq(display->impl->acquire(display, 0, &third), -EAGAIN);
		}
		display->impl->release(display, 0, &other);
		wait_events(2 + i);
	}
	ck_assert_ptr_ne(seen[0], seen[1]);
	/* seen[2] is shown. The newer of the two free ones is acquired first, unless it was
	 * released undrawn. */
	ck_assert_int_eq(display->impl->acquire(display, 0, &f.buffer), 0);
	ck_assert_int_eq(display->impl->acquire(display, 0, &other), 0);
	ck_assert_int_eq(display->impl->acquire(display, 0, &third), -EAGAIN);
	ck_assert_ptr_ne(f.buffer.host, seen[2]);
	ck_assert_ptr_ne(other.host, seen[2]);
	ck_assert_ptr_ne(other.host, f.buffer.host);
	ck_assert_uint_eq(f.buffer.age, f.buffer.host == seen[1] ? 2 : 0);
	ck_assert_int_eq(display->impl->acquire(display, 1, &third), -ENODEV);
	display_headless.destroy(display);
}

TEST(ages_count_flips) {
	begin_display("8x8@1000", NULL, -1);
	uint32_t age[8];
	for (unsigned i = 0; i < 8; i++) {
		struct display_flip f = { .output = 0 };
		ck_assert_int_eq(display->impl->acquire(display, 0, &f.buffer), 0);
		age[i] = f.buffer.age;
		ck_assert_int_eq(display->impl->commit(display, &f, 1), 0);
		wait_events(2 + i);
	}
	/* Two buffers are enough while nothing is drawn ahead. */
	ck_assert_uint_eq(age[0], 0);
	ck_assert_uint_eq(age[1], 0);
	for (unsigned i = 2; i < 8; i++) {
		ck_assert_uint_eq(age[i], 2);
	}
	display_headless.destroy(display);
}

TEST(two_outputs_flip_for_themselves) {
	struct display_flip f[2] = { { .output = 0, .cookie = 7 }, { .output = 1, .cookie = 8 } };
	begin_display("40x30@500,20x10@50", NULL, -1);
	ck_assert_int_eq(display->impl->acquire(display, 0, &f[0].buffer), 0);
	ck_assert_int_eq(display->impl->acquire(display, 1, &f[1].buffer), 0);
	ck_assert_int_eq(display->impl->commit(display, f, 2), 0);
	wait_events(3); /* both at once if this process slept for 20 ms */
	ck_assert_uint_eq(events[1].cookie + events[2].cookie, 15);
	ck_assert_uint_eq(events[1].cookie, 7u + events[1].output);
	display_headless.destroy(display);
}

/* ---- Where pictures go ---- */

/* The picture of paint(), as 24-bit RGB. */
static struct picture expect(uint32_t width, uint32_t height, uint32_t seed, bool is_565) {
	struct picture p = { .width = width,
		.height = height,
		.rgb = malloc(3 * (size_t)width * height) };
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			uint8_t *rgb = p.rgb + 3 * ((size_t)y * width + x);
			const uint32_t at = seed + 31 * y + 7 * x * (is_565 ? 2 : 4);
			if (is_565) {
				const unsigned px = (uint8_t)at | (unsigned)(uint8_t)(at + 7) << 8;
				rgb[0] = (uint8_t)((px >> 11) << 3 | (px >> 13));
				rgb[1] = (uint8_t)((px >> 5 & 63) << 2 | (px >> 9 & 3));
				rgb[2] = (uint8_t)((px & 31) << 3 | (px >> 2 & 7));
			} else {
				rgb[0] = (uint8_t)(at + 14);
				rgb[1] = (uint8_t)(at + 7);
				rgb[2] = (uint8_t)at;
			}
		}
	}
	return p;
}

static char path[128];

static void in_folder(const char *name) {
	snprintf(path, sizeof(path), "%s/%s", folder, name);
}

/* Opens a display whose frames go to a file in the folder, which path then names. */
static void open_with_frames(const char *modes, const char *format, const char *name) {
	char where[160];
	in_folder(name);
	snprintf(where, sizeof(where), "%s:%s", format, path);
	begin_display(modes, where, -1);
}

static void make_folder(void) {
	strcpy(folder, "/tmp/test_display.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void) {
	rmdir(folder);
}

FIXTURE(make_folder, remove_folder)

TEST_LOOP(hashes_are_those_of_the_pictures, 2) {
	const bool is_565 = _i;
	char line[256], hash[2][PICTURE_HASH_TEXT];
	open_with_frames(is_565 ? "21x9@500:rgb565" : "21x9@500", "hash", "hashes");
	for (uint32_t i = 0; i < 2; i++) {
		struct picture p = expect(21, 9, 50 + i, is_565);
		picture_hash(&p, hash[i]);
		picture_finish(&p);
		ck_assert_int_eq(show(0, 50 + i), 0);
		wait_events(2 + i);
	}
	ck_assert_int_ne(access(path, F_OK), 0); /* not whole yet */
	display_headless.destroy(display);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	for (unsigned i = 0; i < 2; i++) {
		char want[256];
		snprintf(want, sizeof(want), "%u 0 %s %llu\n", i, hash[i],
				(unsigned long long)events[1 + i].time_ns);
		ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
		ck_assert_str_eq(line, want);
	}
	ck_assert_ptr_null(fgets(line, sizeof(line), f));
	fclose(f);
	unlink(path);
}

/* Checks that the file has show()'s picture of this seed, five pixels high, and removes it. */
static void take_png(const char *name, uint32_t width, uint32_t seed) {
	struct picture have = { 0 }, want = expect(width, 5, seed, false);
	struct picture_difference d;
	in_folder(name);
	ck_assert_int_eq(picture_read_png(&have, path, 0), 0);
	ck_assert_int_eq(picture_compare(&have, &want, 0, &d), 0);
	ck_assert_uint_eq(d.pixels, 0);
	picture_finish(&have);
	picture_finish(&want);
	unlink(path);
}

TEST(png_files_are_numbered) {
	open_with_frames("17x5@500", "png", "{output}-{frame}.png");
	ck_assert_int_eq(show(0, 9), 0);
	wait_events(2);
	display_headless.destroy(display);
	take_png("headless-1-000000.png", 17, 9);
}

TEST(png_files_of_each_output_are_numbered) {
	static const struct {
		const char *name;
		uint32_t width, seed;
	} files[] = { { "000000-headless-1.png", 17, 4 }, { "000000-headless-2.png", 9, 5 },
		{ "000001-headless-1.png", 17, 6 }, { "000001-headless-2.png", 9, 7 } };
	open_with_frames("17x5@500,9x5@500", "png", "{frame}-{output}.png");
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(show(i % 2, files[i].seed), 0);
		wait_events(2 + i);
	}
	display_headless.destroy(display);
	for (unsigned i = 0; i < 4; i++) {
		take_png(files[i].name, files[i].width, files[i].seed);
	}
}

TEST(video_has_a_picture_a_refresh) {
	char header[Y4M_HEADER_BYTES];
	void *data;
	size_t size;
	open_with_frames("16x4@1000", "y4m", "video.y4m");
	ck_assert_int_eq(show(0, 1), 0);
	wait_events(2);
	turn(); /* at least one refresh without a flip */
	ck_assert_int_eq(show(0, 2), 0);
	wait_events(3);
	display_headless.destroy(display);
	ck_assert_int_eq(file_read(path, &data, &size, 1 << 20), 0);
	size_t n = y4m_header(header, 16, 4, 1000000, 1000), each = y4m_picture_bytes(16, 4);
	ck_assert_mem_eq(data, header, n);
	ck_assert_str_eq(header,
			"YUV4MPEG2 W16 H4 F1000000:1000 Ip A1:1 C444 XCOLORRANGE=LIMITED\n");
	ck_assert_uint_eq(each, 6 + 3 * 64);
	uint64_t refreshes = (events[2].time_ns - events[1].time_ns + 500) / 1000000;
	ck_assert_uint_ge(refreshes, 2);
	refreshes = refreshes < 60 ? refreshes : 0; /* a stall longer than what is made up for */
	if (refreshes) {
		ck_assert_uint_eq(size, n + each * (refreshes + 1));
	}
	uint8_t frame[6 + 3 * 64];
	struct picture p = expect(16, 4, 1, false);
	y4m_picture(frame, &p);
	picture_finish(&p);
	ck_assert_mem_eq((uint8_t *)data + n, frame, each);
	ck_assert_mem_eq((uint8_t *)data + n + each, frame, each);
	p = expect(16, 4, 2, false);
	y4m_picture(frame, &p);
	picture_finish(&p);
	ck_assert_mem_eq((uint8_t *)data + size - each, frame, each);
	free(data);
	unlink(path);
}

TEST(video_colors) {
	/* ITU-R BT.601, limited range. */
	static const uint8_t want[][6] = {
		/* R, G, B, Y, Cb, Cr */
		{ 0, 0, 0, 16, 128, 128 },
		{ 255, 255, 255, 235, 128, 128 },
		{ 255, 0, 0, 82, 90, 240 },
		{ 0, 255, 0, 144, 54, 34 },
		{ 0, 0, 255, 41, 240, 110 },
	};
	for (unsigned i = 0; i < 5; i++) {
		uint8_t rgb[3], out[9];
		memcpy(rgb, want[i], 3);
		const struct picture p = { .width = 1, .height = 1, .rgb = rgb };
		y4m_picture(out, &p);
		ck_assert_mem_eq(out, "FRAME\n", 6);
		ck_assert_mem_eq(out + 6, want[i] + 3, 3);
	}
}

static void *close_after_some(void *arg) {
	int fd = *(int *)arg;
	char bytes[1024];
	for (int i = 0; i < 4; i++) {
		ssize_t n = read(fd, bytes, sizeof(bytes));
		(void)n;
	}
	close(fd);
	return NULL;
}

TEST(closed_reader_ends_only_the_frames) {
	int fds[2];
	char where[64];
	pthread_t thread;
	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(fds), 0);
	snprintf(where, sizeof(where), "y4m:/dev/fd/%d", fds[1]);
	open_display("400x240@500", where, -1);
	close(fds[1]); /* the sink has opened it for itself */
	ck_assert_int_eq(pthread_create(&thread, NULL, close_after_some, &fds[0]), 0);
	wait_events(1);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(show(0, i), 0);
		wait_events(2 + i);
	}
	pthread_join(thread, NULL);
	display_headless.destroy(display);
}

TEST(full_pipe_does_not_hold_up_the_end) {
	int fds[2], stop[2];
	char where[64];
	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(pipe(stop), 0);
	snprintf(where, sizeof(where), "y4m:/dev/fd/%d", fds[1]);
	begin_display("400x240@500", where, stop[0]);
	ck_assert_int_eq(write(stop[1], "", 1), 1);
	ck_assert_int_eq(show(0, 3), 0);
	wait_events(2); /* 288 KB do not fit a pipe, and nobody reads */
	display_headless.destroy(display);
	for (unsigned i = 0; i < 2; i++) {
		close(fds[i]);
		close(stop[i]);
	}
}
