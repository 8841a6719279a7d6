#include "card_user.h"

#include <check.h>
#include <poll.h>
#include <string.h>

/* ---- Time, which passes only where a test lets it ---- */

uint64_t skipped_ns = 1000000000u, slept_ns;

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t) {
	const uint64_t ns = skipped_ns + (clock == CLOCK_BOOTTIME ? slept_ns : 0);
	t->tv_sec = (time_t)(ns / 1000000000u);
	t->tv_nsec = (long)(ns % 1000000000u);
	return 0;
}

/* ---- A user of the display ---- */

struct user user;

static void on_event(void *owner, const struct display_event *event) {
	ck_assert_ptr_eq(owner, &user);
	if (user.n_events < EVENTS) {
		user.events[user.n_events++] = *event;
	}
	user.n_changed += event->type == DISPLAY_CHANGED;
	user.n_flipped += event->type == DISPLAY_FLIPPED && event->error == 0;
	user.n_failed += event->type == DISPLAY_FLIPPED && event->error != 0;
	user.n_lost += event->type == DISPLAY_LOST;
	user.n_away += event->type == DISPLAY_AWAY;
	user.n_back += event->type == DISPLAY_BACK;
}

void open_display(const struct display_settings *settings) {
	memset(&user, 0, sizeof(user));
	ck_assert_int_eq(display_kms.create(&user.display, settings, on_event, &user), 0);
}

void refuse_display(const struct display_settings *settings, int error) {
	ck_assert_int_eq(display_kms.create(&user.display, settings, on_event, &user), error);
	mock.uevents = -1;
}

void close_display(void) {
	if (!user.display) {
		return;
	}
	display_kms.destroy(user.display);
	user.display = NULL;
	mock.uevents = -1;
	ck_assert_uint_eq(mock_left(), 0);
	ck_assert_uint_eq(mock.wrongs, 0);
}

void step(uint64_t most_ns) {
	struct pollfd fds[DISPLAY_POLL_FDS];
	uint64_t deadline, now = now_ns();
	unsigned n = display_kms.prepare(user.display, fds, &deadline);
	ck_assert_uint_le(n, DISPLAY_POLL_FDS);
	if (poll(fds, n, 0) == 0 && deadline > now) {
		uint64_t wait = deadline == UINT64_MAX || deadline - now > most_ns ? most_ns :
										     deadline - now;
		skipped_ns += wait;
	}
	display_kms.dispatch(user.display, fds, n);
}

void run_ms(uint64_t ms) {
	uint64_t end = now_ns() + ms * 1000000, skipped;
	unsigned idle = 0;
	while (now_ns() < end) {
		skipped = skipped_ns;
		step(end - now_ns());
		idle = skipped_ns > skipped ? 0 : idle + 1;
		ck_assert_uint_lt(idle, 100);
	}
}

int show(uint32_t output, uint32_t word, uint64_t cookie) {
	struct display_flip flip;
	memset(&flip, 0, sizeof(flip));
	flip.output = output;
	flip.cookie = cookie;
	int ret = display_kms.acquire(user.display, output, &flip.buffer);
	if (ret < 0) {
		return ret;
	}
	memcpy(flip.buffer.host, &word, display_pixel_bytes(flip.buffer.format));
	ret = display_kms.commit(user.display, &flip, 1);
	if (ret < 0) {
		display_kms.release(user.display, output, &flip.buffer);
	}
	return ret;
}

void show_now(uint32_t output, uint32_t word) {
	unsigned before = user.n_flipped;
	ck_assert_int_eq(show(output, word, word), 0);
	step(0);
	mock_vblank();
	run_ms(40);
	ck_assert_uint_eq(user.n_flipped, before + 1);
	ck_assert_int_eq(mock_pixel(output), word);
}

void start(void) {
	open_display(&plain);
	run_ms(1);
}

void setup(void) {
	mock_reset();
	mock_plug(0, 400, 240);
	user.display = NULL;
}
