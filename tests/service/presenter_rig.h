/* A presenter on a display under the control of the test. */
#ifndef TESTS_SERVICE_PRESENTER_RIG_H
#define TESTS_SERVICE_PRESENTER_RIG_H

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "clock.h"
#include "service/presenter.h"
#include "tests/suite.h"

enum { WIDTH = 400, HEIGHT = 480, BUFFERS = 2, MAX_EVENTS = 32, WAIT_MS = 20000 };

enum {
	RED = 0xFF0000,
	GREEN = 0x00FF00,
	BLUE = 0x0000FF,
	WHITE = 0xFFFFFF,
	IDLE = 0x445566,
	BLACK = 0
};

/* ---- The display ---- */

static struct fake {
	struct display base;
	display_event_fn *fn;
	void *owner;
	pthread_mutex_t mutex; /* covers what follows */
	pthread_cond_t cond;   /* something was committed, or refused */
	int wake;
	struct display_event event[MAX_EVENTS]; /* to be reported */
	unsigned n_events;
	unsigned n_outputs;
	uint32_t *host[DISPLAY_OUTPUTS][BUFFERS];
	int shown[DISPLAY_OUTPUTS], waiting[DISPLAY_OUTPUTS]; /* buffer, or -1 */
	uint64_t cookie[DISPLAY_OUTPUTS];
	uint32_t flips[DISPLAY_OUTPUTS][BUFFERS], n_flips[DISPLAY_OUTPUTS];
	unsigned commits, refusals, refuse_next;
	bool hangs, is_hanging; /* commits do not return; one does not */
	int refusal;
	struct display_flip last[DISPLAY_OUTPUTS];
	uint32_t seen[256]; /* color in the middle of the top screen, of each commit */
} fake;

static int create_result;

static int fake_create(
	struct display **out, const struct display_settings *s, display_event_fn *fn, void *owner) {
	fake.fn = fn;
	fake.owner = owner;
	if (create_result == 0) {
		*out = &fake.base;
	}
	return create_result;
}

static void fake_destroy(struct display *d) {
}

static unsigned fake_outputs(const struct display *d, struct display_output *out, unsigned n) {
	pthread_mutex_lock(&fake.mutex);
	const unsigned count = fake.n_outputs;
	pthread_mutex_unlock(&fake.mutex);
	for (unsigned i = 0; i < count && i < n; i++) {
		out[i] = (struct display_output){
			.name = "fake", .width = WIDTH, .height = HEIGHT, .refresh_mhz = 100000
		};
	}
	return count;
}

static int fake_acquire(struct display *d, uint32_t output, struct display_buffer *out) {
	pthread_mutex_lock(&fake.mutex);
	int i = 0;
	while (i < BUFFERS && (i == fake.shown[output] || i == fake.waiting[output])) {
		i++;
	}
	const uint32_t flip = i < BUFFERS ? fake.flips[output][i] : 0;
	const uint32_t age = flip ? fake.n_flips[output] - flip + 1 : 0;
	pthread_mutex_unlock(&fake.mutex);
	if (i == BUFFERS) {
		return -EAGAIN;
	}
	*out = (struct display_buffer){ .host = (uint8_t *)fake.host[output][i],
		.stride_bytes = 4 * WIDTH,
		.width = WIDTH,
		.height = HEIGHT,
		.index = (uint32_t)i,
		.age = age };
	return 0;
}

static void fake_release(struct display *d, uint32_t output, const struct display_buffer *b) {
	pthread_mutex_lock(&fake.mutex);
	fake.flips[output][b->index] = 0;
	pthread_mutex_unlock(&fake.mutex);
}

static int fake_commit(struct display *d, const struct display_flip *f, unsigned n) {
	int ret = 0;
	pthread_mutex_lock(&fake.mutex);
	fake.is_hanging = fake.hangs;
	pthread_cond_broadcast(&fake.cond);
	while (fake.hangs) {
		pthread_cond_wait(&fake.cond, &fake.mutex); /* woken by hang(false) */
	}
	fake.is_hanging = false;
	if (fake.refuse_next) {
		fake.refuse_next--;
		fake.refusals++;
		ret = fake.refusal;
	}
	for (unsigned i = 0; ret == 0 && i < n; i++) {
		const uint32_t o = f[i].output;
		fake.waiting[o] = (int)f[i].buffer.index;
		fake.cookie[o] = f[i].cookie;
		fake.flips[o][f[i].buffer.index] = ++fake.n_flips[o];
		fake.last[o] = f[i];
	}
	if (ret == 0) {
		fake.seen[fake.commits++ % 256] =
				fake.host[0][fake.waiting[0]][120 * WIDTH + 200] & 0xFFFFFF;
	}
	pthread_cond_broadcast(&fake.cond);
	pthread_mutex_unlock(&fake.mutex);
	return ret;
}

static unsigned fake_prepare(struct display *d, struct pollfd *fds, uint64_t *deadline_ns) {
	fds[0] = (struct pollfd){ .fd = fake.wake, .events = POLLIN };
	*deadline_ns = UINT64_MAX;
	return 1;
}

static void fake_dispatch(struct display *d, const struct pollfd *fds, unsigned n) {
	struct display_event event[MAX_EVENTS];
	uint64_t count;
	ssize_t got = read(fake.wake, &count, sizeof(count));
	(void)got;
	pthread_mutex_lock(&fake.mutex);
	const unsigned n_events = fake.n_events;
	memcpy(event, fake.event, n_events * sizeof(*event));
	fake.n_events = 0;
	pthread_mutex_unlock(&fake.mutex);
	for (unsigned i = 0; i < n_events; i++) {
		fake.fn(fake.owner, &event[i]);
	}
}

static const struct display_impl fake_impl = { "fake", fake_create, fake_destroy, fake_outputs,
	fake_acquire, fake_release, fake_commit, fake_prepare, fake_dispatch };

static void tell(struct display_event e) {
	const uint64_t one = 1;
	pthread_mutex_lock(&fake.mutex);
	fake.event[fake.n_events++] = e;
	pthread_mutex_unlock(&fake.mutex);
	ck_assert_int_eq(write(fake.wake, &one, sizeof(one)), sizeof(one));
}

static void wait_on_fake(void) {
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_MS / 1000;
	ck_assert_int_eq(pthread_cond_timedwait(&fake.cond, &fake.mutex, &until), 0);
}

/* Waits until n pictures were committed in all. Returns the color of the last one. */
static uint32_t wait_commits(unsigned n) {
	pthread_mutex_lock(&fake.mutex);
	while (fake.commits < n) {
		wait_on_fake();
	}
	ck_assert_uint_eq(fake.commits, n);
	const uint32_t color = fake.seen[(n - 1) % 256];
	pthread_mutex_unlock(&fake.mutex);
	return color;
}

/* The output answers what waits. */
static void answer(uint32_t output, uint64_t time_ns, int error) {
	struct display_event e = {
		.type = DISPLAY_FLIPPED, .output = output, .time_ns = time_ns, .error = error
	};
	pthread_mutex_lock(&fake.mutex);
	ck_assert_int_ge(fake.waiting[output], 0);
	e.cookie = fake.cookie[output];
	if (!error) {
		fake.shown[output] = fake.waiting[output];
	}
	fake.waiting[output] = -1;
	pthread_mutex_unlock(&fake.mutex);
	tell(e);
}

/* ---- The presenter ---- */

static struct pica_device *device;
static struct presenter *presenter;
static struct present_settings settings;
static uint8_t idle[3 * WIDTH * HEIGHT];

static void set_up(void) {
	struct pica_settings s;
	pica_settings_init(&s);
	ck_assert_int_eq(pica_device_create(&device, &s), 0);
	fake = (struct fake){ .base = { &fake_impl }, .n_outputs = 1 };
	pthread_mutex_init(&fake.mutex, NULL);
	pthread_cond_init(&fake.cond, NULL);
	fake.wake = eventfd(0, EFD_NONBLOCK);
	for (unsigned o = 0; o < DISPLAY_OUTPUTS; o++) {
		fake.shown[o] = fake.waiting[o] = -1;
		for (unsigned i = 0; i < BUFFERS; i++) {
			fake.host[o][i] = calloc(4, (size_t)WIDTH * HEIGHT);
		}
	}
	for (unsigned i = 0; i < sizeof(idle); i += 3) {
		idle[i] = IDLE >> 16;
		idle[i + 1] = IDLE >> 8 & 255;
		idle[i + 2] = IDLE & 255;
	}
	create_result = 0;
	present_settings_init(&settings);
	settings.impl = &fake_impl;
	settings.idle_rgb = idle;
	settings.idle_width = WIDTH;
	settings.idle_height = HEIGHT;
}

static void start(void) {
	ck_assert_int_eq(presenter_create(&presenter, &settings, device), 0);
	tell((struct display_event){ .type = DISPLAY_CHANGED });
	/* The idle picture comes first. */
	ck_assert_uint_eq(wait_commits(1), IDLE);
	answer(0, 1000, 0);
}

static void tear_down(void) {
	ck_assert(presenter_destroy(presenter, UINT64_MAX));
	presenter = NULL;
	pica_device_destroy(device);
	for (unsigned o = 0; o < DISPLAY_OUTPUTS; o++) {
		for (unsigned i = 0; i < BUFFERS; i++) {
			free(fake.host[o][i]);
		}
	}
	close(fake.wake);
}

static struct pica_shot *shot(uint32_t width, uint32_t color) {
	struct pica_shot *s;
	uint8_t *rgb = malloc(3 * (size_t)width * 240);
	for (uint32_t i = 0; i < width * 240; i++) {
		rgb[3 * i] = (uint8_t)(color >> 16);
		rgb[3 * i + 1] = (uint8_t)(color >> 8);
		rgb[3 * i + 2] = (uint8_t)color;
	}
	ck_assert_int_eq(pica_shot_create(&s), 0);
	ck_assert_int_eq(pica_shot_set_rgb(s, width, 240, rgb, 3 * (size_t)width), 0);
	free(rgb);
	return s;
}

static const uint32_t no_screen = ~0u;

static void submit_at(struct present_client *c, uint32_t top, uint32_t bottom, uint64_t number,
		uint64_t arrived_ns) {
	struct present_frame *f = calloc(1, sizeof(*f));
	f->shot[0] = top == no_screen ? NULL : shot(400, top);
	f->shot[1] = bottom == no_screen ? NULL : shot(320, bottom);
	f->session = number;
	f->arrived_ns = arrived_ns;
	presenter_submit(presenter, c, f);
}

static void submit(struct present_client *c, uint32_t top, uint32_t bottom, uint64_t number) {
	submit_at(c, top, bottom, number, 0);
}

/* Waits for the next frame that is done, checks it, and frees it. */
static uint64_t expect_done(uint64_t number, bool was_shown) {
	struct present_frame *f = presenter_reap(presenter);
	for (unsigned i = 0; !f && i < WAIT_MS / 10; i++) {
		struct pollfd p = { .fd = presenter_fd(presenter), .events = POLLIN };
		poll(&p, 1, 10);
		f = presenter_reap(presenter);
	}
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(f->session, number);
	ck_assert_int_eq(f->was_shown, was_shown);
	ck_assert_ptr_null(f->shot[0]);
	ck_assert_ptr_null(f->shot[1]);
	const uint64_t time_ns = f->time_ns;
	free(f);
	return time_ns;
}

static struct present_client *start_client(void) {
	start();
	return presenter_client_create(presenter, 7, "a", 0);
}

/* Submits a frame, which becomes commit number n, and shows it. */
static void show(struct present_client *c, uint32_t top, uint32_t bottom, uint64_t number,
		unsigned n) {
	submit(c, top, bottom, number);
	ck_assert_uint_eq(wait_commits(n), top);
	answer(0, 1000 * number, 0);
	expect_done(number, true);
}

static uint32_t pixel(uint32_t output, uint32_t x, uint32_t y) {
	pthread_mutex_lock(&fake.mutex);
	const int b = fake.waiting[output] >= 0 ? fake.waiting[output] : fake.shown[output];
	const uint32_t px = fake.host[output][b][y * WIDTH + x] & 0xFFFFFF;
	pthread_mutex_unlock(&fake.mutex);
	return px;
}

#endif
