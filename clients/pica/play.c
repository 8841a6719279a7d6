/* pica play: presents captures to a service, which shows them. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "common/options.h"
#include "common/remote.h"
#include "replay.h"
#include "verbs.h"

enum { CONSOLE_MHZ = 59831, MAX_MHZ = 1000000, MAX_HOLD_S = 86400 };

struct options {
	const char *where, *name;
	bool loop;
	int32_t priority;
	uint32_t rate_mhz; /* 0: the display's */
	uint64_t hold_ns;  /* least time of a capture */
	struct option_args captures;
};

static volatile sig_atomic_t is_stopped;

/* Time for a service to finish started work after a signal. */
enum { LAST_SECONDS = 1 };

static void on_stop(int number) {
	is_stopped = 1;
	alarm(LAST_SECONDS);
}

/* Without a message: a hanging service cannot be ended in another way. */
static void on_alarm(int number) {
	_exit(EXIT_FINE);
}

static void handle_signals(void) {
	static const int ends[] = { SIGTERM, SIGINT };
	const struct sigaction alarm = { .sa_handler = on_alarm };
	const struct sigaction stop = { .sa_handler = on_stop };
	sigset_t alarm_alone;
	sigemptyset(&alarm_alone);
	sigaddset(&alarm_alone, SIGALRM);
	sigaction(SIGALRM, &alarm, NULL);
	sigprocmask(SIG_UNBLOCK, &alarm_alone, NULL);
	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		sigaction(ends[i], &stop, NULL);
	}
}

/* "59.94" in thousandths. */
static const char *parse_rate(void *mhz, char *text) {
	char *end;
	errno = 0;
	const double hertz = strtod(text, &end);
	if (errno || end == text || *end || !(hertz >= 0) || hertz * 1000 > MAX_MHZ) {
		return "expected hertz from 0 to 1000";
	}
	*(uint32_t *)mhz = (uint32_t)(hertz * 1000 + 0.5);
	return NULL;
}

static const char *parse_hold(void *ns, char *text) {
	char *end;
	const double seconds = strtod(text, &end);
	if (end == text || *end || !(seconds >= 0) || seconds > MAX_HOLD_S) {
		return "expected seconds from 0 to 86400";
	}
	*(uint64_t *)ns = (uint64_t)(seconds * 1e9);
	return NULL;
}

/* The service's -10..10. */
static const char *parse_priority(void *priority, char *text) {
	char *end;
	const long n = strtol(text, &end, 10);
	*(int32_t *)priority = (int32_t)n;
	return end != text && !*end && n >= -10 && n <= 10 ? NULL : "expected -10 to 10";
}

/* ---- Time ---- */

struct pace {
	uint64_t period_ns; /* 0: no pace of its own */
	uint64_t next_ns;   /* the next frame's time, 0: none yet */
	uint64_t hold_ns;
};

/* Returns earlier after a signal. */
static void sleep_until(uint64_t ns) {
	const struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	while (!is_stopped && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
	}
}

/* Sleeps until it is time for a frame. A delay of more than a frame starts a new count. */
static void keep_pace(struct pace *p) {
	if (!p->period_ns) {
		return;
	}
	const uint64_t now = now_ns();
	if (!p->next_ns || now > p->next_ns + p->period_ns) {
		p->next_ns = now;
	}
	sleep_until(p->next_ns);
	p->next_ns += p->period_ns;
}

/* ---- Playing ---- */

struct track {
	const char *path;
	int exit; /* of the last time */
};

/* Returns whether to log the error: a loop logs each once. */
static bool is_news(struct track *t, int exit) {
	const bool is_same = t->exit == exit;
	t->exit = exit;
	return !is_same;
}

static void play_frames(struct pica_client *client, struct pica_capture *capture, struct track *t,
	struct remote *remote, struct pace *pace) {
	const uint64_t hold_until = now_ns() + pace->hold_ns;
	struct replay replay;
	uint64_t previous = 0;
	int ret = replay_start(&replay, remote_gpu(remote), capture, 0);
	while (ret == 0 && !is_stopped) {
		keep_pace(pace);
		const uint64_t now = replay.seq;
		const int got = replay_frame(&replay);
		if (got <= 0) {
			ret = got;
			break;
		}
		/* One frame ahead: the display sets the pace. */
		ret = replay_wait_for(&replay, previous);
		previous = now;
	}
	const int waited = ret == 0 ? replay_wait(&replay) : ret;
	if (waited < 0) {
		const bool is_bad = capture_is_damaged(capture, waited);
		const bool is_new = is_news(t, is_bad ? EXIT_BAD_CAPTURE : remote_exit(waited));
		if (is_new && is_bad) {
			log_capture_error(t->path, pica_capture_error(capture));
		} else if (is_new) {
			log_line("%s: %s", t->path, remote_error(client, waited));
		}
	} else if (replay.worst == 0) {
		t->exit = EXIT_FINE;
		sleep_until(hold_until);
	} else if (is_news(t, EXIT_BAD_CAPTURE)) {
		replay_job_failed(&replay, t->path);
	}
}

static int play(struct pica_client *client, struct track *t, struct pace *pace) {
	struct pica_capture *capture;
	struct pica_capture_error error;
	struct remote *remote;
	char message[PICA_TEXT_BYTES];
	int ret = pica_capture_open(&capture, t->path, &error);
	if (ret < 0) {
		if (is_news(t, capture_open_exit(ret))) {
			log_capture_error(t->path, &error);
		}
		return t->exit;
	}
	ret = remote_create(&remote, client, capture, NULL, message);
	if (ret == 0) {
		play_frames(client, capture, t, remote, pace);
		remote_destroy(remote);
	} else if (is_news(t, remote_exit(ret))) {
		log_line("%s: %s", t->path, message);
	}
	pica_capture_close(capture);
	return t->exit;
}

static int play_all(struct pica_client *client, const struct options *o) {
	struct pace pace = { .period_ns = o->rate_mhz ? 1000000000000ull / o->rate_mhz : 0,
		.hold_ns = o->hold_ns };
	struct track *tracks = calloc(o->captures.n, sizeof(*tracks));
	int worst = EXIT_FINE;
	bool any;
	if (!tracks) {
		return log_no_memory();
	}
	do {
		any = false;
		for (unsigned i = 0; i < o->captures.n && !is_stopped; i++) {
			tracks[i].path = o->captures.v[i];
			const int exit = play(client, &tracks[i], &pace);
			any |= exit == EXIT_FINE;
			worst = worse(worst, exit);
			if (exit == EXIT_NO_SERVICE) {
				any = false;
				worst = exit;
				break;
			}
		}
		/* without any, another round would show nothing */
	} while (o->loop && any && !is_stopped);
	free(tracks);
	return worst;
}

static int connect_to(struct pica_client **client, const struct options *o) {
	struct pica_client_settings settings;
	char message[PICA_TEXT_BYTES];
	pica_client_settings_init(&settings);
	settings.name = o->name ? o->name : settings.name;
	settings.priority = o->priority;
	settings.required = PICA_FEATURE_BIT_PRESENT;
	int ret = pica_client_connect(client, o->where, &settings, message);
	return ret == 0 ? EXIT_FINE :
			remote_refused(o->where, ret,
					ret == -EOPNOTSUPP ? "it has no display" : message);
}

#define AT(member) offsetof(struct options, member)

int verb_play(int argc, char **argv) {
	static const struct option_row rows[] = {
		{ "loop", 0, NULL, "Again and again, until a signal", OPTION_FLAG, .at = AT(loop) },
		{ "rate", 0, "HERTZ",
				"Frames a second at most; 0: the display's rate (default: 59.831)",
				OPTION_CALL, .at = AT(rate_mhz), .parse = parse_rate },
		{ "hold", 0, "SECONDS",
				"Least time of each capture: its last picture stays (default: 0)",
				OPTION_CALL, .at = AT(hold_ns), .parse = parse_hold },
		{ "name", 0, "NAME", "Of the session, for people and picad --focus", OPTION_CALL,
				.at = AT(name), .parse = remote_name_option },
		{ "priority", 0, "N",
				"Of the session, -10 to 10 (default: 0), lowered to picad --max-priority",
				OPTION_CALL, .at = AT(priority), .parse = parse_priority },
	};
	static const struct option_spec spec = {
		SPEC_CAPTURES,
		.doc = "Lets a service draw captures and show them on its display, at the console's pace.",
		.tables = { OPTION_TABLE(rows, 0, 0), REMOTE_TABLE(AT(where)) },
	};
	struct options o = { .rate_mhz = CONSOLE_MHZ };
	struct pica_client *client;
	o.captures = options_parse(&spec, argc, argv, &o);
	handle_signals();
	int exit = connect_to(&client, &o);
	if (exit != EXIT_FINE) {
		return exit;
	}
	exit = play_all(client, &o);
	pica_client_close(client);
	return exit;
}
