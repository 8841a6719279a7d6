/*
 * The presenter on a display under the control of the test: shown frames, their times, and
 * counters.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

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
		fake.seen[fake.commits++ % 256] = fake.host[0][fake.waiting[0]][120 * WIDTH + 200];
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

/* Until n pictures were committed in all; the color of the last one. */
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

static uint32_t pixel(uint32_t output, uint32_t x, uint32_t y) {
	pthread_mutex_lock(&fake.mutex);
	const int b = fake.waiting[output] >= 0 ? fake.waiting[output] : fake.shown[output];
	const uint32_t px = fake.host[output][b][y * WIDTH + x];
	pthread_mutex_unlock(&fake.mutex);
	return px;
}

FORKED_TESTS
FIXTURE(set_up, tear_down)

TEST(frames_are_shown_one_a_flip_and_done_with_it) {
	start();
	struct present_client *c = presenter_client_create(presenter, 7, "a", 0);
	submit(c, RED, GREEN, 1);
	submit(c, BLUE, WHITE, 2);
	ck_assert_uint_eq(wait_commits(2), RED);
	ck_assert_uint_eq(pixel(0, 200, 360), GREEN);
	ck_assert_uint_eq(pixel(0, 20, 360), BLACK); /* the background beside the bottom screen */
	ck_assert_uint_eq(fake.last[0].n_damage, 0); /* against the idle picture: everything */
	ck_assert_ptr_null(presenter_reap(presenter));
	answer(0, 123456, 0);
	ck_assert_uint_eq(expect_done(1, true), 123456);
	ck_assert_uint_eq(wait_commits(3), BLUE);
	ck_assert_uint_eq(pixel(0, 200, 360), WHITE);
	ck_assert_uint_eq(fake.last[0].n_damage, 2);
	ck_assert_uint_eq(fake.last[0].damage[1].x, 40);
	ck_assert_uint_eq(fake.last[0].damage[1].y, 240);
	answer(0, 223456, 0);
	ck_assert_uint_eq(expect_done(2, true), 223456);
	struct present_state state;
	presenter_state(presenter, &state);
	ck_assert_uint_eq(state.shown, 7);
	ck_assert_uint_eq(state.n_outputs, 1);
	presenter_client_destroy(presenter, c);
}

TEST(missing_screen_repeats_its_last_picture) {
	start();
	struct present_client *c = presenter_client_create(presenter, 7, "a", 0);
	submit(c, RED, no_screen, 1);
	ck_assert_uint_eq(wait_commits(2), RED);
	ck_assert_uint_eq(pixel(0, 200, 360), BLACK); /* never presented */
	answer(0, 1, 0);
	expect_done(1, true);
	submit(c, no_screen, GREEN, 2);
	ck_assert_uint_eq(wait_commits(3), RED);
	ck_assert_uint_eq(pixel(0, 200, 360), GREEN);
	ck_assert_uint_eq(fake.last[0].n_damage, 1);
	answer(0, 2, 0);
	expect_done(2, true);
	submit(c, BLUE, no_screen, 3);
	ck_assert_uint_eq(wait_commits(4), BLUE);
	ck_assert_uint_eq(pixel(0, 200, 360), GREEN);
	answer(0, 3, 0);
	expect_done(3, true);
	presenter_client_destroy(presenter, c);
}

TEST(last_one_is_shown_and_the_others_go_on) {
	start();
	struct present_client *a = presenter_client_create(presenter, 1, "a", 0);
	submit(a, RED, RED, 10);
	ck_assert_uint_eq(wait_commits(2), RED);
	answer(0, 1, 0);
	expect_done(10, true);
	struct present_client *b = presenter_client_create(presenter, 2, "b", 0);
	submit(b, BLUE, BLUE, 20);
	ck_assert_uint_eq(wait_commits(3), BLUE);
	answer(0, 2, 0);
	expect_done(20, true);
	/* Hidden ones are done without the display. */
	submit(a, GREEN, GREEN, 11);
	submit(a, WHITE, WHITE, 12);
	expect_done(11, false);
	expect_done(12, false);
	ck_assert_uint_eq(fake.commits, 3);
	/* The other one's last picture is there at once, and none in between. */
	presenter_focus(presenter, 1);
	ck_assert_uint_eq(wait_commits(4), WHITE);
	answer(0, 3, 0);
	submit(b, BLACK, BLACK, 21);
	expect_done(21, false);
	presenter_focus(presenter, 0);
	ck_assert_uint_eq(wait_commits(5), BLACK);
	answer(0, 4, 0);
	/* The shown one goes: the other one's last picture. */
	presenter_client_destroy(presenter, b);
	ck_assert_uint_eq(wait_commits(6), WHITE);
	answer(0, 5, 0);
	struct present_stats s;
	presenter_stats(presenter, a, &s);
	ck_assert_uint_eq(s.presented, 1);
	ck_assert_uint_eq(s.hidden, 2);
	presenter_stats(presenter, NULL, &s);
	ck_assert_uint_eq(s.presented, 2);
	ck_assert_uint_eq(s.hidden, 3);
	ck_assert_uint_eq(s.dropped, 0);
	presenter_client_destroy(presenter, a);
}

TEST_LOOP(priority_and_names_choose, 2) {
	settings.policy = _i ? PRESENT_PINNED : PRESENT_PRIORITY;
	strcpy(settings.pinned, "high");
	start();
	struct present_client *low = presenter_client_create(presenter, 1, "low", -3);
	if (!_i) {
		submit(low, RED, RED, 10);
		ck_assert_uint_eq(wait_commits(2), RED);
		answer(0, 1, 0);
		expect_done(10, true);
	}
	const unsigned n = _i ? 1 : 2;
	struct present_client *high = presenter_client_create(presenter, 2, "high", 5);
	submit(high, BLUE, BLUE, 20);
	ck_assert_uint_eq(wait_commits(n + 1), BLUE);
	answer(0, 2, 0);
	expect_done(20, true);
	/* A later session with a lower priority, or another name, waits. */
	struct present_client *later = presenter_client_create(presenter, 3, "later", 0);
	submit(later, GREEN, GREEN, 30);
	expect_done(30, false);
	submit(low, WHITE, WHITE, 11);
	expect_done(11, false);
	ck_assert_uint_eq(fake.commits, n + 1);
	presenter_client_destroy(presenter, low);
	presenter_client_destroy(presenter, later);
	presenter_client_destroy(presenter, high);
}

TEST(last_picture_stays_for_a_while) {
	settings.linger_ns = 50000000;
	start();
	struct present_client *c = presenter_client_create(presenter, 7, "a", 0);
	submit(c, RED, GREEN, 1);
	ck_assert_uint_eq(wait_commits(2), RED);
	answer(0, 1, 0);
	expect_done(1, true);
	struct timespec t0, t1;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	presenter_client_destroy(presenter, c);
	ck_assert_uint_eq(wait_commits(3), IDLE);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	ck_assert_int_ge((t1.tv_sec - t0.tv_sec) * 1000000000 + t1.tv_nsec - t0.tv_nsec, 50000000);
	answer(0, 2, 0);
	struct present_state state = { .shown = 7 };
	for (unsigned i = 0; state.shown && i < WAIT_MS / 10; i++) {
		struct pollfd p = { .fd = presenter_fd(presenter), .events = POLLIN };
		poll(&p, 1, 10);
		ck_assert_ptr_null(presenter_reap(presenter));
		presenter_state(presenter, &state);
	}
	ck_assert_uint_eq(state.shown, 0);
}

TEST_LOOP(away_nothing_is_drawn_and_back_everything_is, 2) {
	start();
	struct present_client *c = presenter_client_create(presenter, 7, "a", 0);
	submit(c, RED, RED, 1);
	ck_assert_uint_eq(wait_commits(2), RED);
	answer(0, 1, -ECANCELED);
	tell((struct display_event){ .type = _i ? DISPLAY_LOST :
			DISPLAY_AWAY, .error = _i ? -ENODEV : 0 });
	expect_done(1, false);
	submit(c, GREEN, GREEN, 2);
	submit(c, BLUE, BLUE, 3);
	expect_done(2, false);
	expect_done(3, false);
	struct present_state state;
	presenter_state(presenter, &state);
	ck_assert_uint_eq(state.n_outputs, 0);
	ck_assert_uint_ge(state.changes, 2);
	/* Between the error and the event it may have been tried once more. */
	pthread_mutex_lock(&fake.mutex);
	const unsigned before = fake.commits;
	ck_assert_uint_le(before, 3);
	fake.waiting[0] = fake.shown[0] = -1;
	memset(fake.flips, 0, sizeof(fake.flips));
	if (!_i) {
		fake.event[fake.n_events++] =
			(struct display_event){ .type = DISPLAY_BACK }; /* told with the next one */
	}
	pthread_mutex_unlock(&fake.mutex);
	tell((struct display_event){ .type = DISPLAY_CHANGED });
	ck_assert_uint_eq(wait_commits(before + 1), BLUE);
	ck_assert_uint_eq(fake.last[0].n_damage, 0);
	struct present_stats s;
	presenter_stats(presenter, c, &s);
	ck_assert_uint_eq(s.dropped, 1);
	ck_assert_uint_eq(s.hidden, 2);
	ck_assert_uint_eq(s.presented, 0);
	presenter_client_destroy(presenter, c);
}

TEST_LOOP(display_that_refuses_is_tried_again, 2) {
	start();
	struct present_client *c = presenter_client_create(presenter, 7, "a", 0);
	pthread_mutex_lock(&fake.mutex);
	fake.refuse_next = 3;
	fake.refusal = _i ? -EBUSY : -EIO;
	pthread_mutex_unlock(&fake.mutex);
	submit(c, RED, RED, 1);
	expect_done(1, false);
	ck_assert_uint_eq(wait_commits(2), RED); /* the picture comes all the same */
	ck_assert_uint_eq(fake.refusals, 3);
	answer(0, 1, 0);
	presenter_client_destroy(presenter, c);
}

TEST(two_outputs_are_done_at_the_later_flip) {
	fake.n_outputs = 2;
	settings.layout.kind = LAYOUT_SPLIT;
	ck_assert_int_eq(presenter_create(&presenter, &settings, device), 0);
	tell((struct display_event){ .type = DISPLAY_CHANGED });
	ck_assert_uint_eq(wait_commits(1), IDLE);
	answer(1, 5, 0);
	answer(0, 6, 0);
	struct present_client *c = presenter_client_create(presenter, 7, "a", 0);
	submit(c, RED, GREEN, 1);
	wait_commits(2);
	ck_assert_uint_eq(pixel(0, 200, 240), RED); /* 400x240 in the middle of 400x480 */
	ck_assert_uint_eq(pixel(0, 200, 10), BLACK);
	ck_assert_uint_eq(pixel(1, 200, 240), GREEN);
	ck_assert_uint_eq(pixel(1, 39, 240), BLACK); /* 320 wide */
	answer(0, 100, 0);
	ck_assert_ptr_null(presenter_reap(presenter));
	answer(1, 90, 0);
	ck_assert_uint_eq(expect_done(1, true), 100);
	presenter_client_destroy(presenter, c);
}

TEST(late_ones_and_latencies_are_counted) {
	const uint64_t ms = 1000000;
	struct present_stats s;
	start();
	struct present_client *c = presenter_client_create(presenter, 7, "a", 0);
	/* 100 Hz: 10 ms a refresh. In time; late by itself; late after the one before it. */
	static const struct {
		uint64_t arrived, shown;
		bool is_late;
	} frames[] = { { 100, 109, false }, { 110, 130, true }, { 112, 140, false },
		{ 120, 160, true }, { 158, 170, false } };
	unsigned late = 0;
	for (unsigned i = 0; i < 5; i++) {
		submit_at(c, RED + i, RED, i, frames[i].arrived * ms);
		wait_commits(2 + i);
		answer(0, frames[i].shown * ms, 0);
		expect_done(i, true);
		late += frames[i].is_late;
		presenter_stats(presenter, c, &s);
		ck_assert_uint_eq(s.late, late);
	}
	presenter_stats(presenter, NULL, &s);
	ck_assert_uint_eq(s.late, 2);
	ck_assert_uint_eq(s.presented, 5);
	ck_assert_uint_eq(s.p50_us, 20000); /* of 9, 12, 20, 28 and 40 ms */
	ck_assert_uint_eq(s.p99_us, 40000);
	presenter_client_destroy(presenter, c);
}

TEST(pictures_of_what_is_shown) {
	start();
	struct present_client *c = presenter_client_create(presenter, 7, "a", 0);
	submit(c, RED, GREEN, 1);
	wait_commits(2);
	answer(0, 1, 0);
	expect_done(1, true);
	struct present_picture *ask = calloc(1, sizeof(*ask)), *got = NULL;
	ask->session = 5;
	ask->cookie = 77;
	presenter_ask_picture(presenter, ask);
	for (unsigned i = 0; !got && i < WAIT_MS / 10; i++) {
		struct pollfd p = { .fd = presenter_fd(presenter), .events = POLLIN };
		poll(&p, 1, 10);
		got = presenter_reap_picture(presenter);
	}
	ck_assert_ptr_eq(got, ask);
	ck_assert_int_eq(got->result, 0);
	ck_assert_uint_eq(got->cookie, 77);
	ck_assert_uint_eq(got->width, WIDTH);
	ck_assert_uint_eq(got->height, HEIGHT);
	ck_assert_mem_eq(got->rgb, "\xFF\0\0", 3);
	ck_assert_mem_eq(got->rgb + 3 * (WIDTH * 300 + 200), "\0\xFF\0", 3);
	ck_assert_mem_eq(got->rgb + 3 * (WIDTH * 300 + 39), "\0\0\0", 3);
	free(got->rgb);
	free(got);
	presenter_client_destroy(presenter, c);
}

/* The next picture is the same one, drawn the new way; none comes between. */
TEST(settings_change_without_another_picture_between) {
	start();
	struct present_client *c = presenter_client_create(presenter, 7, "a", 0), *d;
	submit(c, RED, GREEN, 1);
	ck_assert_uint_eq(wait_commits(2), RED);
	/* While a picture waits for its flip: with the next one. */
	settings.layout.kind = LAYOUT_BOTTOM;
	settings.layout.background = WHITE;
	settings.layout.scale = LAYOUT_TIMES;
	settings.policy = PRESENT_PINNED;
	strcpy(settings.pinned, "a");
	ck_assert_int_eq(presenter_reload(presenter, &settings), 0);
	answer(0, 1000, 0);
	expect_done(1, true);
	wait_commits(3);
	ck_assert_uint_eq(pixel(0, 200, 240), GREEN);
	ck_assert_uint_eq(pixel(0, 200, 110), WHITE);
	ck_assert_uint_eq(fake.last[0].n_damage, 0);
	answer(0, 2000, 0);
	d = presenter_client_create(presenter, 8, "b", 0);
	submit(d, BLUE, BLUE, 2); /* the other one is pinned */
	expect_done(2, false);
	presenter_client_destroy(presenter, d);
	/* Both buffers are of the new kind. */
	submit(c, RED, BLUE, 3);
	wait_commits(4);
	ck_assert_uint_eq(pixel(0, 200, 240), BLUE);
	ck_assert_uint_eq(pixel(0, 200, 110), WHITE);
	answer(0, 3000, 0);
	expect_done(3, true);
	/* No session is left: at once another idle picture, and later another one again. */
	settings.linger_ns = 0;
	idle[3 * (WIDTH * (HEIGHT / 2 - 120) + 200)] = 1;
	ck_assert_int_eq(presenter_reload(presenter, &settings), 0);
	wait_commits(5);
	answer(0, 4000, 0);
	presenter_client_destroy(presenter, c);
	wait_commits(6);
	ck_assert_uint_eq(pixel(0, 200, 120), 0x010000 | (IDLE & 0xFFFF));
	answer(0, 5000, 0);
	memset(idle, 0x7F, sizeof(idle));
	ck_assert_int_eq(presenter_reload(presenter, &settings), 0);
	wait_commits(7);
	ck_assert_uint_eq(pixel(0, 200, 120), 0x7F7F7F);
	answer(0, 6000, 0);
}

/* Frames on every way are freed: the address sanitizer looks. */
TEST(the_end_comes_at_any_time) {
	start();
	struct present_client *c = presenter_client_create(presenter, 7, "a", 0), *d;
	submit(c, RED, RED, 1);
	wait_commits(2);
	submit(c, GREEN, GREEN, 2);
	d = presenter_client_create(presenter, 8, "b", 0);
	submit(d, BLUE, BLUE, 3);
	presenter_ask_picture(presenter, calloc(1, sizeof(struct present_picture)));
	presenter_client_destroy(presenter, c);
	presenter_client_destroy(presenter, d);
}

static void hang(bool hangs) {
	pthread_mutex_lock(&fake.mutex);
	fake.hangs = hangs;
	pthread_cond_broadcast(&fake.cond);
	pthread_mutex_unlock(&fake.mutex);
}

/* A client whose picture the display does not come back from. */
static struct present_client *hang_display(void) {
	start();
	struct present_client *c = presenter_client_create(presenter, 7, "a", 0);
	hang(true);
	submit(c, RED, GREEN, 1);
	pthread_mutex_lock(&fake.mutex);
	while (!fake.is_hanging) {
		wait_on_fake();
	}
	pthread_mutex_unlock(&fake.mutex);
	return c;
}

/* What the thread of the service calls returns, whatever the display does. */
TEST(display_that_hangs_holds_up_nobody) {
	struct present_client *c = hang_display();
	struct present_client *d = presenter_client_create(presenter, 8, "b", 0);
	struct present_state state;
	struct present_stats stats;
	submit(c, BLUE, WHITE, 2);
	submit(d, BLUE, BLUE, 3);
	presenter_focus(presenter, 8);
	ck_assert_int_eq(presenter_reload(presenter, &settings), 0);
	presenter_state(presenter, &state);
	ck_assert_uint_eq(state.n_outputs, 1);
	presenter_stats(presenter, c, &stats);
	ck_assert_uint_eq(stats.presented, 0);
	ck_assert_ptr_null(presenter_reap(presenter));
	presenter_client_destroy(presenter, d);
	presenter_focus(presenter, 0);
	pthread_mutex_lock(&fake.mutex);
	ck_assert(fake.is_hanging);
	pthread_mutex_unlock(&fake.mutex);
	hang(false);
	ck_assert_uint_eq(wait_commits(2), RED);
	answer(0, 123456, 0);
	ck_assert_uint_eq(expect_done(1, true), 123456);
	presenter_client_destroy(presenter, c);
}

TEST(display_that_hangs_keeps_no_service_from_ending) {
	struct present_client *c = hang_display();
	presenter_client_destroy(presenter, c);
	ck_assert(!presenter_destroy(presenter, 1)); /* long ago */
	presenter = NULL; /* its thread's */
	ck_assert(fake.is_hanging);
	_exit(0); /* as the service does */
}

TEST(display_that_cannot_be_opened) {
	create_result = -EACCES;
	ck_assert_int_eq(presenter_create(&presenter, &settings, device), -EACCES);
}
