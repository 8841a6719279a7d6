/* The presenter: shown frames, their times, and counters. */
#include "presenter_rig.h"

FORKED_TESTS
FIXTURE(set_up, tear_down)

TEST(frames_are_shown_one_a_flip_and_done_with_it) {
	struct present_client *c = start_client();
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
	struct present_client *c = start_client();
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

TEST(last_client_is_shown_and_the_others_continue) {
	start();
	struct present_client *a = presenter_client_create(presenter, 1, "a", 0);
	show(a, RED, RED, 10, 2);
	struct present_client *b = presenter_client_create(presenter, 2, "b", 0);
	show(b, BLUE, BLUE, 20, 3);
	/* Hidden ones are done without the display. */
	submit(a, GREEN, GREEN, 11);
	submit(a, WHITE, WHITE, 12);
	expect_done(11, false);
	expect_done(12, false);
	ck_assert_uint_eq(fake.commits, 3);
	/* The other client's last picture is shown at once, with none in between. */
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
		show(low, RED, RED, 10, 2);
	}
	const unsigned n = _i ? 1 : 2;
	struct present_client *high = presenter_client_create(presenter, 2, "high", 5);
	show(high, BLUE, BLUE, 20, n + 1);
	/* A later session of lower priority or another name is not shown. */
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
	struct present_client *c = start_client();
	show(c, RED, GREEN, 1, 2);
	const uint64_t before_ns = now_ns();
	presenter_client_destroy(presenter, c);
	ck_assert_uint_eq(wait_commits(3), IDLE);
	ck_assert_uint_ge(now_ns() - before_ns, 50000000);
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
	struct present_client *c = start_client();
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

/* Frames complete without a display, as before there was one. */
TEST_LOOP(end_of_the_display_is_reported, 2) {
	struct present_client *c = start_client();
	struct present_state state;
	presenter_state(presenter, &state);
	ck_assert(!state.has_ended);
	tell((struct display_event){ .type = DISPLAY_ENDED, .error = _i ? -EPIPE : 0 });
	submit(c, RED, RED, 1);
	expect_done(1, false);
	presenter_state(presenter, &state);
	ck_assert(state.has_ended);
	ck_assert_int_eq(state.end_error, _i ? -EPIPE : 0);
	ck_assert_uint_eq(state.n_outputs, 0);
	presenter_client_destroy(presenter, c);
}

TEST_LOOP(display_that_refuses_is_tried_again, 2) {
	struct present_client *c = start_client();
	pthread_mutex_lock(&fake.mutex);
	fake.refuse_next = 3;
	fake.refusal = _i ? -EBUSY : -EIO;
	pthread_mutex_unlock(&fake.mutex);
	submit(c, RED, RED, 1);
	expect_done(1, false);
	ck_assert_uint_eq(wait_commits(2), RED); /* the picture is still shown */
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
	struct present_client *c = start_client();
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

TEST(pictures_of_shown_outputs) {
	struct present_client *c = start_client();
	show(c, RED, GREEN, 1, 2);
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

/* The next picture is the same, drawn with the new settings, with none in between. */
TEST(settings_change_without_another_picture_between) {
	struct present_client *c = start_client(), *d;
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
	struct present_client *c = start_client(), *d;
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

/* A client whose picture makes the display hang. */
static struct present_client *hang_display(void) {
	struct present_client *c = start_client();
	hang(true);
	submit(c, RED, GREEN, 1);
	pthread_mutex_lock(&fake.mutex);
	while (!fake.is_hanging) {
		wait_on_fake();
	}
	pthread_mutex_unlock(&fake.mutex);
	return c;
}

/* Calls from the service's thread return, whatever the display does. */
TEST(hanging_display_blocks_no_caller) {
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

TEST(service_ends_while_its_display_hangs) {
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
