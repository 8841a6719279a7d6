/* The display's seat (service/display_seat.c), on a card in memory. */
#include <errno.h>

#include "card_user.h"
#include "tests/suite.h"

FORKED_TESTS
FIXTURE(setup, close_display)

TEST(virtual_terminals_switch) {
	struct display_buffer b;
	start();
	for (uint32_t i = 0; i < 200; i++) {
		show_now(0, i);
		ck_assert_int_eq(show(0, 2, 2), 0);
		mock.is_ours = false;
		step(0);
		ck_assert_uint_eq(user.n_away, i + 1);
		ck_assert_uint_eq(user.n_failed, i + 1);
		ck_assert_int_eq(display_kms.acquire(user.display, 0, &b), -EACCES);
		run_ms(100);
		mock_vblank();
		mock.is_ours = true;
		step(0);
		ck_assert_uint_eq(user.n_back, i + 1);
		ck_assert_uint_eq(user.n_changed, i + 2);
		unsigned sets = mock.mode_sets;
		user.n_events = 0;
		ck_assert_int_eq(show(0, 100 + i, 3), 0);
		run_ms(1);
		/* the whole mode: others may have changed it */
		ck_assert_uint_eq(mock.mode_sets, sets + 1);
		ck_assert_int_eq(mock_pixel(0), 100 + i);
	}
}

TEST(starts_while_another_terminal_is_shown) {
	mock.is_ours = false;
	open_display(&plain);
	run_ms(1000);
	ck_assert_uint_eq(user.n_changed, 0);
	mock.is_ours = true;
	run_ms(1);
	run_ms(1100);
	ck_assert_uint_ge(user.n_changed, 1);
	show_now(0, 1);
}

/* seatd's end closes the devices that it gave; the picture is back when seatd is. */
TEST(lost_seat_is_looked_for) {
	struct pollfd fds[DISPLAY_POLL_FDS];
	uint64_t deadline;
	start();
	for (uint32_t i = 0; i < 3; i++) {
		show_now(0, i);
		const unsigned lost = user.n_lost, away = user.n_away, back = user.n_back;
		mock.is_seat_lost = true;
		mock.is_seat_refused = true;
		step(0);
		ck_assert_uint_eq(user.n_lost, lost + 1);
		ck_assert_uint_eq(user.n_away, away + 1);
		ck_assert_uint_eq(mock.wrongs, 0);
		/* It rests between two looks. */
		display_kms.prepare(user.display, fds, &deadline);
		ck_assert_uint_gt(deadline, now_ns() + 500000000u);
		ck_assert_uint_lt(deadline, now_ns() + 2000000000u);
		run_ms(5000);
		ck_assert_uint_eq(user.n_back, back);
		mock.is_seat_refused = false;
		run_ms(3000);
		ck_assert_uint_eq(user.n_back, back + 1);
		show_now(0, 100 + i);
	}
	mock.is_seat_lost = true;
	step(0);
}

/* Only logind knows which process has the card: a display that starts on a hidden terminal. */
TEST(logind_grants_the_screen_to_the_holder_of_the_card) {
	mock.is_logind = true;
	mock.is_ours = false;
	open_display(&plain);
	run_ms(5000);
	ck_assert_uint_eq(user.n_changed, 0);
	ck_assert_int_eq(mock.mode_sets, 0);
	mock.is_ours = true;
	run_ms(1000);
	ck_assert_uint_eq(user.n_back, 1);
	ck_assert_uint_eq(mock.seats, 1);
	show_now(0, 1);
}

/* A silent seat is opened again within three seconds if the card refuses calls. */
TEST(logind_that_starts_again_is_noticed_by_the_card) {
	mock.is_logind = true;
	start();
	for (uint32_t i = 1; i <= 10; i++) {
		show_now(0, i);
		mock.is_seat_silent = true;
		ck_assert_int_eq(show(0, 100, 100), 0);
		run_ms(1900);
		ck_assert_uint_eq(user.n_away, i);
		ck_assert_uint_eq(mock.seats, i);
		run_ms(1500);
		ck_assert_uint_eq(mock.seats, i + 1);
		ck_assert_uint_eq(user.n_back, i);
	}
	show_now(0, 1000);
}

/* ... or when its terminal is active again: not before, and not if it only flickers. */
TEST(logind_that_starts_again_is_noticed_by_the_terminal) {
	mock.is_logind = true;
	start();
	show_now(0, 1);
	mock.is_ours = false;
	run_ms(10);
	ck_assert_uint_eq(user.n_away, 1);
	mock.is_seat_silent = true;
	run_ms(60000);
	for (unsigned i = 0; i < 10; i++) {
		mock.is_ours = true;
		run_ms(1900);
		mock.is_ours = false;
		run_ms(1900);
	}
	ck_assert_uint_eq(mock.seats, 1);
	mock.is_ours = true;
	run_ms(5000);
	ck_assert_uint_eq(mock.seats, 2);
	ck_assert_uint_eq(user.n_back, 1);
	show_now(0, 2);
}

/* Another process stays master: the seat is opened less and less often. */
TEST(seat_that_never_gives_the_card_is_asked_rarely) {
	start();
	show_now(0, 1);
	mock.is_master_taken = true;
	for (unsigned i = 0; i < 1000; i++) {
		show(0, 2, 2); /* -EACCES while it is away, -ENODEV without a card */
		run_ms(1000);
	}
	/* after 2, 4, ... 64 s, and a second of rest each: 6 in the first 132 s, then each 65 s */
	ck_assert_uint_ge(mock.seats, 15);
	ck_assert_uint_le(mock.seats, 21);
	mock.is_master_taken = false;
	run_ms(400);
	ck_assert_uint_eq(user.n_back, user.n_away);
	show_now(0, 3);
}

TEST(another_master_is_waited_out) {
	mock.is_own = true;
	start();
	show_now(0, 1);
	mock.is_master_taken = true;
	ck_assert_int_eq(show(0, 2, 2), 0);
	run_ms(10);
	ck_assert_uint_eq(user.n_failed, 1);
	ck_assert_uint_eq(user.n_away, 1);
	run_ms(10000);
	ck_assert_uint_eq(user.n_back, 0);
	mock.is_master_taken = false;
	run_ms(400);
	ck_assert_uint_eq(user.n_back, 1);
	ck_assert_uint_eq(user.n_changed, 2);
	show_now(0, 3);
}
