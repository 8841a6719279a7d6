/* The display of a card (service/display_card.c) on a mock card: its handling of failures. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "card_user.h"
#include "tests/suite.h"

/* ---- Showing ---- */

FORKED_TESTS
FIXTURE(setup, close_display)

TEST(shows_and_gives_back) {
	struct display_output out[DISPLAY_OUTPUTS];
	start();
	ck_assert_uint_eq(user.n_changed, 1);
	ck_assert_uint_eq(display_kms.outputs(user.display, out, DISPLAY_OUTPUTS), 1);
	ck_assert_str_eq(out[0].name, "Virtual-1");
	ck_assert_uint_eq(out[0].width, 400);
	ck_assert_uint_eq(out[0].height, 240);
	ck_assert_uint_eq(out[0].refresh_mhz, 60000);
	ck_assert_int_eq(out[0].format, DISPLAY_XRGB8888);

	/* The first sets the mode; the second waits for the blank. */
	ck_assert_int_eq(show(0, 0x112233, 7), 0);
	step(0);
	ck_assert_uint_eq(user.n_flipped, 1);
	ck_assert_uint_eq(user.events[1].cookie, 7);
	ck_assert_int_eq(mock_pixel(0), 0x112233);
	ck_assert_uint_eq(mock_width(0), 400);
	ck_assert_int_eq(show(0, 0x445566, 8), 0);
	run_ms(10);
	ck_assert_uint_eq(user.n_flipped, 1);
	ck_assert_int_eq(mock_pixel(0), 0x112233);
	ck_assert_int_eq(show(0, 0x778899, 9), -EBUSY);
	mock_vblank();
	run_ms(1);
	ck_assert_uint_eq(user.n_flipped, 2);
	ck_assert_int_eq(mock_pixel(0), 0x445566);
	ck_assert_uint_eq(mock.mode_sets, 1);
	close_display();
	ck_assert_uint_eq(mock_width(0), 640); /* the console, as it was found */
}

TEST(ages_match_the_contents_of_buffers) {
	struct display_buffer b;
	start();
	ck_assert_int_eq(display_kms.acquire(user.display, 0, &b), 0);
	ck_assert_uint_eq(b.age, 0);
	display_kms.release(user.display, 0, &b);
	show_now(0, 1);
	show_now(0, 2);
	/* 2 is shown. The newer of the two free buffers is that of 1. */
	ck_assert_int_eq(display_kms.acquire(user.display, 0, &b), 0);
	ck_assert_uint_eq(b.age, 2);
	ck_assert_uint_eq(*(uint32_t *)(void *)b.host, 1);
	display_kms.release(user.display, 0, &b);
}

TEST(three_buffers_and_no_more) {
	struct display_buffer b[3];
	start();
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(display_kms.acquire(user.display, 0, &b[i]), 0);
		ck_assert_uint_eq(b[i].stride_bytes, 1600);
	}
	ck_assert_int_eq(display_kms.acquire(user.display, 0, &b[0]), -EAGAIN);
	ck_assert_int_eq(display_kms.acquire(user.display, 1, &b[0]), -ENODEV);
}

TEST_LOOP(legacy_calls_do_as_well, 8) {
	mock.has_atomic = _i & 1;
	mock.has_planes = _i & 2;
	mock.formats = _i & 4 ? 16 : 48;
	start();
	struct display_output out;
	display_kms.outputs(user.display, &out, 1);
	/* Without planes the formats are unknown; every card supports the first. */
	ck_assert_int_eq(out.format, (_i & 6) == 6 ? DISPLAY_RGB565 : DISPLAY_XRGB8888);
	show_now(0, 0x1234);
	show_now(0, 0x4321);
}

TEST(without_blanks_flips_keep_a_grid) {
	mock.has_vblank = false;
	start();
	show_now(0, 1);
	unsigned first = user.n_events;
	for (uint32_t i = 0; i < 10; i++) {
		ck_assert_int_eq(show(0, i, i), 0);
		while (user.n_events == first + i) {
			step(1000000);
		}
	}
	for (unsigned i = first + 1; i < first + 10; i++) {
		ck_assert_uint_eq(user.events[i].time_ns - user.events[i - 1].time_ns,
				1000000000000ull / 59831);
		ck_assert_uint_eq(user.events[i].missed, 0);
	}
}

TEST(a_late_picture_is_counted) {
	start();
	show_now(0, 1);
	ck_assert_int_eq(show(0, 2, 2), 0);
	skipped_ns += 50000000; /* three refreshes, of which the first could have shown it */
	mock_vblank();
	run_ms(1);
	ck_assert_uint_eq(user.events[user.n_events - 1].cookie, 2);
	ck_assert_uint_ge(user.events[user.n_events - 1].missed, 1);
	ck_assert_uint_le(user.events[user.n_events - 1].missed, 3);
}

TEST(two_outputs_change_together) {
	struct display_flip flips[2];
	mock_plug(1, 320, 240);
	start();
	show_now(0, 1);
	show_now(1, 2);
	memset(flips, 0, sizeof(flips));
	for (uint32_t i = 0; i < 2; i++) {
		flips[i].output = i;
		ck_assert_int_eq(display_kms.acquire(user.display, i, &flips[i].buffer), 0);
		*(uint32_t *)(void *)flips[i].buffer.host = 0x10 + i;
	}
	ck_assert_int_eq(display_kms.commit(user.display, flips, 2), 0);
	mock_vblank();
	run_ms(1);
	ck_assert_uint_eq(user.n_flipped, 4);
	ck_assert_uint_eq(mock.largest_commit, 2);
	ck_assert_int_eq(mock_pixel(0), 0x10);
	ck_assert_int_eq(mock_pixel(1), 0x11);
}

TEST(wishes_are_followed) {
	struct display_output out[DISPLAY_OUTPUTS];
	mock_plug(1, 320, 240);
	mock_plug(2, 800, 480);
	struct display_settings s = plain;
	s.connectors = "Virtual-3,Virtual-1";
	s.mode = "800x480:rgb565";
	open_display(&s);
	run_ms(1);
	ck_assert_uint_eq(display_kms.outputs(user.display, out, DISPLAY_OUTPUTS), 2);
	ck_assert_str_eq(out[0].name, "Virtual-3");
	ck_assert_int_eq(out[0].format, DISPLAY_RGB565);
	ck_assert_uint_eq(out[0].width, 800);
	ck_assert_str_eq(out[1].name, "Virtual-1");
	close_display();
	s.mode = "800x";
	refuse_display(&s, -EINVAL);
}

TEST(the_wished_mode_or_the_preferred_or_a_large_one_is_chosen) {
	static const struct {
		const char *wish, *want;
		struct {
			unsigned width, height;
			bool is_preferred;
		} mode[3];
	} cases[] = {
		{ NULL, "640x480",
				{ { 1024, 768, false }, { 640, 480, true }, { 800, 600, false } } },
		{ NULL, "640x480",
				{ { 1024, 768, false }, { 640, 480, true }, { 800, 600, true } } },
		{ NULL, "1280x720",
				{ { 3840, 2160, false }, { 1280, 720, false },
						{ 1024, 768, false } } },
		{ NULL, "3840x2160",
				{ { 3840, 2160, false }, { 2560, 1440, false },
						{ 2048, 1152, false } } },
		{ "800x600", "800x600",
				{ { 1024, 768, false }, { 640, 480, true }, { 800, 600, false } } },
		{ "900x600", "640x480",
				{ { 1024, 768, false }, { 640, 480, true }, { 800, 600, false } } },
	};
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct display_output out[DISPLAY_OUTPUTS];
		struct display_settings s = plain;
		char size[20];
		mock_unplug(0);
		for (unsigned k = 0; k < 3; k++) {
			mock_add_mode(0, cases[i].mode[k].width, cases[i].mode[k].height,
					cases[i].mode[k].is_preferred);
		}
		s.mode = cases[i].wish;
		open_display(&s);
		run_ms(1);
		ck_assert_uint_eq(display_kms.outputs(user.display, out, DISPLAY_OUTPUTS), 1);
		snprintf(size, sizeof(size), "%ux%u", out[0].width, out[0].height);
		ck_assert_str_eq(size, cases[i].want);
		close_display();
	}
}

static char said[4096];

static void on_line(void *owner, enum log_level level, const char *line) {
	const size_t n = strlen(said);
	if (level == LOG_LEVEL_WARNING) {
		snprintf(said + n, sizeof(said) - n, "%s\n", line);
	}
}

/* Each once, not with each look at the connectors. */
TEST(unmet_requests_of_the_card_are_reported) {
	struct display_settings s = plain;
	s.connectors = "Foo-1,Virtual-1,Virtual-12";
	s.mode = "123x45@70";
	s.log = on_line;
	said[0] = 0;
	open_display(&s);
	run_ms(100);
	mock_plug(1, 320, 240);
	run_ms(100);
	ck_assert_str_eq(said,
			"event=display_connector_missing names=\"Foo-1,Virtual-12\""
			" there=\"Virtual-1,Virtual-2,Virtual-3\"\n"
			"event=display_mode_missing name=Virtual-1 wished=123x45 wished_mhz=70000"
			" mode=400x240 refresh_mhz=60000\n");
	close_display();
	s.connectors = "Virtual-3,Virtual-1";
	s.mode = "400x240";
	said[0] = 0;
	open_display(&s);
	run_ms(100);
	ck_assert_str_eq(said, "");
}

/* ---- Plugging and unplugging ---- */

TEST(waits_for_a_display) {
	mock_unplug(0);
	open_display(&plain);
	run_ms(5000);
	ck_assert_uint_eq(user.n_changed, 0);
	mock_plug(1, 320, 240);
	run_ms(100);
	ck_assert_uint_eq(user.n_changed, 1);
	show_now(0, 5);
	ck_assert_int_eq(mock_pixel(0), 5); /* the first CRTC that is free */
}

TEST(plugging_one_leaves_the_other_alone) {
	start();
	show_now(0, 0xAA);
	for (unsigned i = 0; i < 1000; i++) {
		mock_plug(1, 320 + 2 * (i % 50), 240);
		run_ms(i % 7 * 20);
		mock_unplug(1);
		run_ms(i % 5 * 20);
		ck_assert_int_eq(mock_pixel(0), 0xAA);
	}
	run_ms(100);
	struct display_output out;
	ck_assert_uint_eq(display_kms.outputs(user.display, &out, 1), 1);
	ck_assert_uint_eq(mock_width(0), 400);
	unsigned sets = mock.mode_sets;
	show_now(0, 0xBB);
	ck_assert_uint_eq(mock.mode_sets, sets);
}

TEST(a_new_mode_is_reported) {
	start();
	show_now(0, 1);
	ck_assert_int_eq(show(0, 2, 99), 0);
	mock_plug(0, 800, 480);
	run_ms(200);
	ck_assert_uint_eq(user.n_changed, 2);
	ck_assert_uint_eq(user.n_failed, 1); /* the one that waited */
	ck_assert_int_eq(user.events[2].error, -ECANCELED);
	ck_assert_uint_eq(user.events[2].cookie, 99);
	mock_vblank();
	show_now(0, 3);
	ck_assert_uint_eq(mock_width(0), 800);
}

TEST(words_about_nothing_change_nothing) {
	start();
	show_now(0, 1);
	for (unsigned i = 0; i < 100; i++) {
		mock_uevent();
		run_ms(60);
	}
	ck_assert_uint_eq(user.n_changed, 1);
}

TEST(the_card_vanishes_and_comes_back) {
	start();
	show_now(0, 1);
	mock.is_unbound = true;
	ck_assert_int_eq(show(0, 2, 2), 0);
	run_ms(10);
	ck_assert_uint_eq(user.n_failed, 1);
	ck_assert_uint_eq(user.n_lost, 1);
	struct display_buffer b;
	ck_assert_int_eq(display_kms.acquire(user.display, 0, &b), -ENODEV);
	run_ms(5000);
	mock_bind();
	run_ms(1100);
	ck_assert_uint_eq(user.n_changed, 2);
	show_now(0, 3);
}

/*
 * After suspend the card's contents are unknown: the pending flip is completed, and everything is
 * drawn again.
 */
TEST(resume_draws_everything_again) {
	struct display_buffer old;
	start();
	for (uint32_t i = 1; i <= 100; i++) {
		show_now(0, i);
		ck_assert_int_eq(show(0, 1000, 1000), 0);
		step(0);
		ck_assert_int_eq(display_kms.acquire(user.display, 0, &old), 0);
		slept_ns += 3600 * (uint64_t)1000000000u;
		step(0);
		ck_assert_uint_eq(user.n_failed, i);
		ck_assert_uint_eq(user.n_changed, 1 + i);
		mock_vblank();
		unsigned sets = mock.mode_sets;
		ck_assert_int_eq(show(0, 2000 + i, 1), 0);
		run_ms(100);
		ck_assert_uint_eq(mock.mode_sets, sets + 1);
		ck_assert_int_eq(mock_pixel(0), 2000 + i);
	}
	/* While another terminal is shown it is not ours to begin. */
	mock.is_ours = false;
	step(0);
	slept_ns += 3600 * (uint64_t)1000000000u;
	step(0);
	ck_assert_uint_eq(user.n_changed, 101);
	mock.is_ours = true;
	step(0);
	ck_assert_uint_eq(user.n_changed, 102);
}

/* The strings are the caller's, who may free them, to read the configuration again. */
TEST(settings_need_not_outlive_creation) {
	char connectors[] = "Virtual-2", card[] = "mock";
	struct display_output out;
	mock_plug(1, 320, 240);
	open_display(&(struct display_settings){ .card = card, .connectors = connectors });
	memset(card, 'x', sizeof(card) - 1);
	connectors[8] = '1';
	run_ms(100);
	mock_plug(2, 640, 480);
	run_ms(100);
	ck_assert_uint_eq(display_kms.outputs(user.display, &out, 1), 1);
	ck_assert_str_eq(out.name, "Virtual-2");
	mock.is_unbound = true;
	ck_assert_int_eq(show(0, 2, 2), 0);
	run_ms(100);
	mock_bind();
	run_ms(1100);
	ck_assert_uint_eq(display_kms.outputs(user.display, &out, 1), 1);
	ck_assert_str_eq(mock.path, "mock");
}

/* ---- Refusals ---- */

TEST(busy_is_tried_again_and_not_for_ever) {
	start();
	show_now(0, 1);
	mock_fail(mock.calls + 1, 1000, EBUSY);
	ck_assert_int_eq(show(0, 2, 2), 0);
	run_ms(500);
	ck_assert_uint_eq(user.n_failed, 1);
	ck_assert_int_eq(user.events[user.n_events - 1].error, -EIO);
	ck_assert_uint_lt(mock.calls, 2000);
	mock_fail(0, 0, 0);
	show_now(0, 3);
}

TEST(a_lost_flip_times_out) {
	start();
	show_now(0, 1);
	mock.swallows = true;
	ck_assert_int_eq(show(0, 2, 2), 0);
	run_ms(1900);
	ck_assert_uint_eq(user.n_failed, 0);
	run_ms(200);
	ck_assert_uint_eq(user.n_failed, 1);
	ck_assert_int_eq(user.events[user.n_events - 1].error, -ETIME);
	/* Sets a complete mode again; the late event has no owner. */
	ck_assert_int_eq(show(0, 3, 3), 0);
	run_ms(1);
	ck_assert_uint_eq(user.n_flipped, 2);
	ck_assert_int_eq(mock_pixel(0), 3);
	mock.swallows = false;
	mock_vblank();
	run_ms(10);
	ck_assert_uint_eq(user.n_flipped, 2);
}

/* Runs a display through all its states. Returns whether it showed a picture at the end. */
static bool live(void) {
	bool ends_well = false;
	mock_plug(1, 64, 48);
	open_display(&plain);
	for (uint32_t i = 0; i < 30 && !ends_well; i++) {
		struct display_output out[DISPLAY_OUTPUTS];
		run_ms(200);
		unsigned n = display_kms.outputs(user.display, out, DISPLAY_OUTPUTS);
		unsigned before = user.n_flipped, answers = user.n_flipped + user.n_failed;
		for (unsigned k = 0; k < n; k++) {
			answers += show(k, i, i) == 0;
		}
		if (i == 2) {
			mock_unplug(1);
			mock.is_ours = false;
			run_ms(100);
			mock.is_ours = true;
		}
		for (unsigned k = 0; k < 250 && user.n_flipped + user.n_failed < answers; k++) {
			mock_vblank();
			run_ms(10);
		}
		ends_well = i > 5 && n > 0 && user.n_flipped == before + n && mock_pixel(0) == i;
	}
	close_display();
	return ends_well;
}

/* Every call of the card fails once, in a way of its own. */
TEST_LOOP(any_call_may_fail, 7) {
	static const int errors[] = { EINVAL, EBUSY, ENOMEM, EACCES, ENODEV, EIO, ENOSPC };
	setup();
	ck_assert(live());
	unsigned n = mock.calls;
	ck_assert_uint_gt(n, 200);
	for (unsigned k = 1; k <= n; k++) {
		mock_reset();
		mock_plug(0, 80, 48);
		mock.has_atomic = k & 1;
		mock_fail(k, 1 + k % 3, errors[_i]);
		ck_assert_msg(live(), "call %u failing with %s", k, strerror(errors[_i]));
	}
}
