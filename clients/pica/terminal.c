#include "terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static struct {
	struct termios before;
	sigset_t mask_before;
	int signals; /* a descriptor */
} state = { .signals = -1 };

void terminal_put(const char *text, size_t n) {
	while (n) {
		ssize_t written = write(STDOUT_FILENO, text, n);
		if (written < 0 && errno != EINTR && errno != EAGAIN) {
			return; /* the terminal is gone: reading says so */
		}
		text += written > 0 ? written : 0;
		n -= written > 0 ? (size_t)written : 0;
	}
}

/* The other screen, without a cursor. */
static void enter(void) {
	static const char text[] = "\033[?1049h\033[?25l\033[2J";
	struct termios t = state.before;
	t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &t);
	terminal_put(text, sizeof(text) - 1);
}

static void leave(void) {
	static const char text[] = "\033[?25h\033[?1049l";
	terminal_put(text, sizeof(text) - 1);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &state.before);
}

int terminal_begin(void) {
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP,
		SIGCONT, SIGPIPE };
	sigset_t set;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
			tcgetattr(STDIN_FILENO, &state.before) < 0) {
		return -ENOTTY;
	}
	sigemptyset(&set);
	for (unsigned i = 0; i < sizeof(handled) / sizeof(handled[0]); i++) {
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
	enter();
	return 0;
}

void terminal_end(void) {
	if (state.signals >= 0) {
		leave();
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

static uint64_t now_ns(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
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
		enter(); /* whoever stopped us: the shell has used the terminal since */
		return TERMINAL_RESIZE;
	case SIGPIPE:
		return 0;
	default:
		return TERMINAL_END;
	}
}

int terminal_wait(uint64_t timeout_ns) {
	const uint64_t deadline = now_ns() + timeout_ns;
	for (;;) {
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
}
