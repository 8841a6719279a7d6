#include "terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

#include "clock.h"

static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGVTALRM,
	SIGPROF, SIGIO, SIGPWR, SIGXCPU, SIGXFSZ, SIGWINCH, SIGTSTP, SIGCONT, SIGPIPE };
static const int crashes[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
enum {
	N_HANDLED = sizeof(handled) / sizeof(handled[0]),
	N_CRASHES = sizeof(crashes) / sizeof(crashes[0]),
};

static struct {
	struct termios before;
	sigset_t mask_before;
	struct sigaction alarm_before, crash_before[N_CRASHES];
	int signals; /* a descriptor */
	bool is_over; /* a signal has asked for the end */
	bool is_cut; /* the last text was cut off */
} state = { .signals = -1 };

static const uint64_t never = UINT64_MAX;
/* The time for a terminal to take the rest of a text, when a key or a signal waits. */
static const uint64_t patience_ns = 200000000;
/* A flush by the terminal makes room without a wake-up, so poll at this interval. */
static const struct timespec look_again = { 0, 50000000 };

/* ---- Output ---- */

static void on_alarm(int number) {
}

/*
 * O_NONBLOCK would affect the shell, which shares the open file, and poll() tells only of room for
 * one byte. So a timer interrupts the write.
 */
static ssize_t write_some(const char *text, size_t n) {
	const struct itimerval often = { { 0, 20000 }, { 0, 20000 } }, no_more = { 0 };
	setitimer(ITIMER_REAL, &often, NULL);
	const ssize_t written = write(STDOUT_FILENO, text, n);
	const int error = errno;
	setitimer(ITIMER_REAL, &no_more, NULL);
	errno = error;
	return written;
}

/*
 * Writes until a deadline; without one (never), until shortly after a key or a signal. Returns
 * false if some of the text was not written. Calls only async-signal-safe functions.
 */
static bool put(const char *text, size_t n, uint64_t deadline) {
	while (n) {
		struct pollfd p[] = { { .fd = STDOUT_FILENO, .events = POLLOUT },
			{ .fd = STDIN_FILENO, .events = POLLIN },
			{ .fd = state.signals, .events = POLLIN } };
		ppoll(p, deadline == never ? 3 : 1, &look_again, NULL);
		const ssize_t written = p[0].revents ? write_some(text, n) : 0;
		if (written < 0 && errno != EINTR && errno != EAGAIN) {
			return true; /* the terminal is gone: reading reports it */
		}
		text += written > 0 ? written : 0;
		n -= written > 0 ? (size_t)written : 0;
		if (n && now_ns() >= deadline) {
			return false;
		}
		if (p[1].revents || p[2].revents) {
			deadline = now_ns() + patience_ns;
		}
	}
	return true;
}

/* Ends an interrupted sequence; no effect if none is open. */
#define CLOSE_SEQUENCE "\030\033\\\033[0m"

void terminal_put(const char *text, size_t n) {
	static const char end[] = CLOSE_SEQUENCE;
	const uint64_t deadline = state.is_over ? now_ns() + patience_ns : never;
	if (state.is_cut) {
		state.is_cut = !put(end, sizeof(end) - 1, deadline);
	}
	if (!state.is_cut) {
		state.is_cut = !put(text, n, deadline);
	}
}

/* ---- Taking over, giving back ---- */

/* Unlike TCSAFLUSH, does not wait for output. */
static void set_mode(const struct termios *t) {
	tcflush(STDIN_FILENO, TCIFLUSH);
	tcsetattr(STDIN_FILENO, TCSANOW, t);
}

/* The other screen, without a cursor. */
static void enter(void) {
	static const char text[] = "\033[?1049h\033[?25l\033[2J";
	struct termios t = state.before;
	t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	set_mode(&t);
	terminal_put(text, sizeof(text) - 1);
}

/*
 * Takes limited time: if the terminal accepts nothing, dropping unread output makes room. Keys that
 * send signals also drop output, so a sequence may be open.
 */
static void leave(void) {
	static const char text[] = CLOSE_SEQUENCE "\033[?25h\033[?1049l";
	struct termios t = state.before;
	t.c_iflag &= ~(tcflag_t)IXON; /* output that Ctrl+S holds continues */
	set_mode(&t);
	if (!put(text, sizeof(text) - 1, now_ns() + patience_ns)) {
		tcflush(STDOUT_FILENO, TCOFLUSH);
		put(text, sizeof(text) - 1, now_ns() + patience_ns);
	}
	state.is_cut = false;
	set_mode(&state.before);
}

/* Restores the terminal, then lets the signal take its course. */
static void on_crash(int number, siginfo_t *info, void *context) {
	leave();
	for (unsigned i = 0; i < N_CRASHES; i++) {
		sigaction(crashes[i], &state.crash_before[i], NULL);
	}
	if (info->si_code <= 0) {
		raise(number); /* sent by a process: returning would not raise it again */
	}
}

static void handle(void) {
	sigset_t alarm_alone;
	const struct sigaction alarm = { .sa_handler = on_alarm },
			       crash = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO };
	sigemptyset(&alarm_alone);
	sigaddset(&alarm_alone, SIGALRM);
	sigaction(SIGALRM, &alarm, &state.alarm_before);
	sigprocmask(SIG_UNBLOCK, &alarm_alone, NULL);
	for (unsigned i = 0; i < N_CRASHES; i++) {
		sigaction(crashes[i], &crash, &state.crash_before[i]);
	}
}

int terminal_begin(void) {
	sigset_t set;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
			tcgetattr(STDIN_FILENO, &state.before) < 0) {
		return -ENOTTY;
	}
	sigemptyset(&set);
	for (unsigned i = 0; i < N_HANDLED; i++) {
		sigaddset(&set, handled[i]);
	}
	sigprocmask(SIG_BLOCK, &set, &state.mask_before);
	state.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (state.signals < 0) {
		int ret = -errno;
		sigprocmask(SIG_SETMASK, &state.mask_before, NULL);
		return ret;
	}
	fflush(stdout);
	handle();
	enter();
	return 0;
}

void terminal_end(void) {
	if (state.signals >= 0) {
		leave();
		for (unsigned i = 0; i < N_CRASHES; i++) {
			sigaction(crashes[i], &state.crash_before[i], NULL);
		}
		sigaction(SIGALRM, &state.alarm_before, NULL);
		close(state.signals);
		state.signals = -1;
		sigprocmask(SIG_SETMASK, &state.mask_before, NULL);
	}
}

void terminal_size(unsigned *rows, unsigned *columns) {
	struct winsize w;
	bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row && w.ws_col;
	*rows = is_known ? w.ws_row : 24;
	*columns = is_known ? w.ws_col : 80;
}

void terminal_show(const char *text, int is_title) {
	unsigned rows, columns;
	char *frame;
	size_t size;
	FILE *out = open_memstream(&frame, &size);
	if (!out) {
		return;
	}
	terminal_size(&rows, &columns);
	fputs("\033[H", out);
	for (unsigned row = 0; row < rows && *text; row++) {
		size_t len = strcspn(text, "\n");
		const bool is_reversed = (int)row == is_title;
		fprintf(out, "%s%s%.*s\033[K%s", row ? "\r\n" : "", is_reversed ? "\033[7m" : "",
				(int)(len < columns ? len : columns), text,
				is_reversed ? "\033[0m" : "");
		text += len + (text[len] == '\n');
	}
	fputs("\033[J", out);
	if (fclose(out) == 0) {
		terminal_put(frame, size);
		free(frame);
	}
}

/* 0: nothing that matters. */
static int take_signal(void) {
	struct signalfd_siginfo info;
	if (read(state.signals, &info, sizeof(info)) != (ssize_t)sizeof(info)) {
		return 0;
	}
	switch (info.ssi_signo) {
	case SIGWINCH:
		return TERMINAL_RESIZE;
	case SIGTSTP:
		leave();
		raise(SIGSTOP);
		return 0; /* SIGCONT is the next one */
	case SIGCONT:
		enter(); /* the shell has used the terminal while the program was stopped */
		return TERMINAL_RESIZE;
	case SIGPIPE:
		return 0;
	default:
		state.is_over = true;
		return TERMINAL_END;
	}
}

int terminal_wait(uint64_t timeout_ns) {
	const uint64_t deadline = now_ns() + timeout_ns;
	while (!state.is_over) {
		struct pollfd p[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
			{ .fd = state.signals, .events = POLLIN } };
		uint64_t now = now_ns(), left = now < deadline ? deadline - now : 0;
		struct timespec t = { (time_t)(left / 1000000000), (long)(left % 1000000000) };
		int n = ppoll(p, 2, &t, NULL);
		if (n < 0 && errno != EINTR) {
			return TERMINAL_END;
		}
		if (n > 0 && p[1].revents) {
			int what = take_signal();
			if (what) {
				return what;
			}
		}
		if (n > 0 && p[0].revents) {
			unsigned char key;
			return read(STDIN_FILENO, &key, 1) == 1 ? key : TERMINAL_END;
		}
		if (n == 0) {
			return TERMINAL_TIME;
		}
	}
	return TERMINAL_END;
}
