#include "service/kiosk.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "pica_capture.h"
#include "service/logfmt.h"
#include "service/log.h"

enum {
	PATH_BYTES = 4096,
	LINE_BYTES = 1024, /* of the program's output */
	STAMP_BYTES = 64,  /* time and level before a line */
	READS_A_TURN = 32, /* of 4 KiB: more than a pipe holds */
	END_MS = 1000,     /* between SIGTERM and SIGKILL */
	KILL_MS = 150,
	/* lines of each stream in a period; further ones are counted */
	MOST_LINES = 100,
	COUNT_MS = 10000,
	HOLD_BYTES = 32,
	MAX_HOLD_S = 86400, /* as of pica play */
};

/*
 * A program that ends sooner twice in a row is restarted after this pause, which doubles each
 * further time.
 */
static const int64_t rest_seconds = 1, most_seconds = 16;

/* The least important level to log: set by the service, read by the process of the program. */
static atomic_int *wanted_level;

/* Finds `pica` next to picad, installed or in a build directory; else by $PATH. */
static void find_tool(char path[PATH_BYTES]) {
	static const char *const beside[] = { "/pica", "/../clients/pica/pica" };
	char self[PATH_BYTES - 64];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = 0;
	char *slash = strrchr(self, '/');
	for (unsigned i = 0; slash && i < 2; i++) {
		*slash = 0;
		snprintf(path, PATH_BYTES, "%s%s", self, beside[i]);
		if (access(path, X_OK) == 0) {
			return;
		}
	}
	snprintf(path, PATH_BYTES, "pica");
}

/* ---- Patterns ---- */

/* Returns the place after a character and the backslash that may precede it. */
static const char *next_char(const char *p) {
	return p + (p[0] == '\\' && p[1] ? 2 : 1);
}

/* Returns the comma or brace that ends the alternative at p; NULL: none. */
static const char *part_end(const char *p) {
	for (unsigned depth = 0; *p; p = next_char(p)) {
		if (depth == 0 && (*p == ',' || *p == '}')) {
			return p;
		}
		depth += *p == '{';
		depth -= *p == '}';
	}
	return NULL;
}

/* Returns the brace that closes the one before p; NULL: none. */
static const char *braces_end(const char *p) {
	while ((p = part_end(p)) && *p == ',') {
		p++;
	}
	return p;
}

typedef int pattern_fn(void *user, const char *pattern);

/*
 * Calls fn for each alternative of a pattern with braces, in their order, until it returns
 * non-zero. glob() also expands braces, but silently drops alternatives without a match if another
 * one has a match.
 */
static int each_pattern(const char *pattern, pattern_fn *fn, void *user) {
	const char *open = pattern;
	while (*open && *open != '{') {
		open = next_char(open);
	}
	const char *end = *open ? braces_end(open + 1) : NULL;
	if (!end) {
		return fn(user, pattern);
	}
	const size_t size = strlen(pattern) + 1;
	char *one = malloc(size);
	int ret = one ? 0 : GLOB_NOSPACE;
	for (const char *part = open + 1, *next; ret == 0 && part <= end; part = next + 1) {
		next = part_end(part);
		snprintf(one, size, "%.*s%.*s%s", (int)(open - pattern), pattern,
				(int)(next - part), part, end + 1);
		ret = each_pattern(one, fn, user);
	}
	free(one);
	return ret;
}

/* Adds the matches of a pattern without braces. Returns 0 or an error of glob(). */
static int find_files(void *user, const char *pattern) {
	/* A pattern without a match is kept, so that opening it reports the error. */
	return glob(pattern, GLOB_NOCHECK | GLOB_APPEND, NULL, user);
}

/* ---- The program ---- */

static const char unread[] = "out of memory, or it cannot be read";

static _Noreturn void run_captures(const struct kiosk *k, const char *socket) {
	char tool[PATH_BYTES], connect[PATH_BYTES], hold[8 + HOLD_BYTES];
	static char play[] = "play", loop[] = "--loop", name[] = "--name=kiosk", end[] = "--";
	char *const first[] = { tool, play, loop, name, connect, hold, end };
	enum { N_FIRST = sizeof(first) / sizeof(first[0]) };
	glob_t found = { .gl_pathc = 0 };
	find_tool(tool);
	snprintf(connect, sizeof(connect), "--connect=%s", socket);
	snprintf(hold, sizeof(hold), "--hold=%s", k->hold ? k->hold : "0");
	for (unsigned i = 0; i < k->n_captures; i++) {
		if (each_pattern(k->captures[i], find_files, &found) != 0) {
			dprintf(STDERR_FILENO, "%s: %s\n", k->captures[i], unread);
			_exit(2);
		}
	}
	char **argv = calloc(N_FIRST + found.gl_pathc + 1, sizeof(*argv));
	if (!argv) {
		dprintf(STDERR_FILENO, "out of memory\n");
		_exit(2);
	}
	memcpy(argv, first, sizeof(first));
	memcpy(argv + N_FIRST, found.gl_pathv, found.gl_pathc * sizeof(*argv));
	execvp(tool, argv);
	dprintf(STDERR_FILENO, "%s: %s\n", tool, strerror(errno));
	_exit(127);
}

/* An output stream of the program, as lines for the log. */
struct stream {
	int fd, its_fd; /* ends of a pipe: ours, and the program's */
	enum log_level level;
	unsigned n_lines;   /* since when they are counted */
	int64_t counted_ms; /* end of the period in which lines are counted */
	size_t n;
	char line[LINE_BYTES]; /* an unfinished line, n bytes */
};

enum { OUTPUT, ERRORS, STREAMS };

struct minder {
	const struct kiosk *kiosk;
	const char *socket;
	struct stream stream[STREAMS];
	int signal_fd;
	bool is_ending; /* we were asked */
};

/* Runs in the program's process, without picad's threads: errors go to its standard error. */
static _Noreturn void run(const struct minder *k, pid_t minder) {
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != minder) {
		_exit(0); /* it ended meanwhile */
	}
	signal(SIGPIPE, SIG_DFL); /* what picad ignores */
	signal(SIGXFSZ, SIG_DFL);
	dup2(k->stream[OUTPUT].its_fd, STDOUT_FILENO);
	dup2(k->stream[ERRORS].its_fd, STDERR_FILENO);
	if (!k->kiosk->command) {
		run_captures(k->kiosk, k->socket);
	}
	execl("/bin/sh", "sh", "-c", k->kiosk->command, (char *)NULL);
	dprintf(STDERR_FILENO, "/bin/sh: %s\n", strerror(errno));
	_exit(127);
}

/* ---- The log ---- */

static int64_t now_ms(void) {
	return (int64_t)(now_ns() / 1000000);
}

static void log_event(enum log_level level, const char *fmt, ...) {
	char line[LOG_LINE_BYTES - STAMP_BYTES];
	va_list args;
	if ((int)level > atomic_load_explicit(wanted_level, memory_order_relaxed)) {
		return;
	}
	va_start(args, fmt);
	logfmt_line(line, sizeof(line), fmt, args);
	va_end(args);
	log_line(NULL, level, line);
}

static void log_output(struct stream *s) {
	s->line[s->n] = 0;
	s->n = 0;
	if (s->n_lines == 0) {
		s->counted_ms = now_ms() + COUNT_MS;
	}
	if (s->n_lines < MOST_LINES) {
		log_event(s->level, "event=kiosk_output text=\"%s\"", s->line);
	}
	s->n_lines += s->n_lines < UINT_MAX;
}

static void log_not_logged(struct stream *s) {
	if (s->n_lines > MOST_LINES) {
		log_event(s->level, "event=kiosk_not_logged lines=%u", s->n_lines - MOST_LINES);
	}
	s->n_lines = 0;
}

static void log_ended(int status, int64_t rest_s) {
	const bool is_signal = WIFSIGNALED(status);
	const int number = is_signal ? WTERMSIG(status) : WEXITSTATUS(status);
	log_event(number ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, "event=kiosk_ended %s=%d again_in_s=%d",
			is_signal ? "signal" : "status", number, (int)rest_s);
}

/* Reads a bounded part of the output, so that signals have their turn. Splits long lines. */
static void take_output(struct stream *s) {
	char bytes[4096];
	for (unsigned turn = 0; turn < READS_A_TURN; turn++) {
		const ssize_t n = read(s->fd, bytes, sizeof(bytes));
		for (ssize_t i = 0; i < n; i++) {
			const bool is_end = bytes[i] == '\n';
			if (is_end || s->n == LINE_BYTES - 1) {
				log_output(s);
			}
			if (!is_end) {
				s->line[s->n++] = bytes[i] ? bytes[i] : ' ';
			}
		}
		if (n < (ssize_t)sizeof(bytes)) {
			break;
		}
	}
}

/* The program has ended: logs the rest of its last line. */
static void take_rest(struct stream *s) {
	take_output(s);
	if (s->n) {
		log_output(s);
	}
}

/* ---- Waiting ---- */

/* Waits for a signal, output of the program, or the time (< 0: none). */
static void wait_a_turn(struct minder *k, int64_t until_ms) {
	struct pollfd fds[1 + STREAMS] = { { .fd = k->signal_fd, .events = POLLIN } };
	struct signalfd_siginfo info;
	for (unsigned i = 0; i < STREAMS; i++) {
		const struct stream *s = &k->stream[i];
		fds[1 + i] = (struct pollfd){ .fd = s->fd, .events = POLLIN };
		if (s->n_lines && (until_ms < 0 || s->counted_ms < until_ms)) {
			until_ms = s->counted_ms;
		}
	}
	const int64_t left = until_ms - now_ms();
	poll(fds, 1 + STREAMS, until_ms < 0 ? -1 : left > 0 ? (int)left : 0);
	while (read(k->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		k->is_ending |= info.ssi_signo != SIGCHLD;
	}
	for (unsigned i = 0; i < STREAMS; i++) {
		struct stream *s = &k->stream[i];
		if (s->n_lines && now_ms() >= s->counted_ms) {
			log_not_logged(s);
		}
		take_output(s);
	}
}

/*
 * The program and what it starts are a group, and its orphans are reparented to this process, a
 * subreaper. Returns whether all ended in time.
 */
static bool reap_group(struct minder *k, pid_t group, int patience_ms) {
	const int64_t until = now_ms() + patience_ms;
	for (;;) {
		pid_t ended;
		while ((ended = waitpid(-group, NULL, WNOHANG)) > 0) {
		}
		if (ended < 0) {
			return true;
		}
		if (now_ms() >= until) {
			return false;
		}
		wait_a_turn(k, until);
	}
}

static void end_group(struct minder *k, pid_t group) {
	if (kill(-group, SIGTERM) == 0 && !reap_group(k, group, END_MS)) {
		kill(-group, SIGKILL);
		reap_group(k, group, KILL_MS);
	}
}

/* Waits for pid. Returns true with its *status, or false if the minder is to end. */
static bool wait_for(struct minder *k, pid_t pid, int *status) {
	for (;;) {
		pid_t ended;
		int how;
		while ((ended = waitpid(-1, &how, WNOHANG)) > 0) {
			if (ended == pid) {
				*status = how;
				return true;
			}
		}
		if (k->is_ending) {
			return false;
		}
		wait_a_turn(k, -1);
	}
}

/* ---- Again and again ---- */

/* Returns false if the minder is to end. If fork() failed, *status is not set. */
static bool run_once(struct minder *k, pid_t self, int *status) {
	sigset_t none;
	sigemptyset(&none);
	const pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		sigprocmask(SIG_SETMASK, &none, NULL);
		run(k, self);
	}
	if (pid < 0) {
		log_event(LOG_LEVEL_ERROR, "event=kiosk_failed error=\"%s\"", strerror(errno));
		return true;
	}
	setpgid(pid, pid); /* the first one wins */
	const bool has_ended = wait_for(k, pid, status);
	end_group(k, pid);
	for (unsigned i = 0; i < STREAMS; i++) {
		take_rest(&k->stream[i]);
	}
	return has_ended;
}

static int open_minder(struct minder *k) {
	sigset_t signals, blocked;
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT); /* from a terminal, to its process group */
	sigaddset(&signals, SIGCHLD);
	blocked = signals;
	sigaddset(&blocked, SIGHUP); /* meant for the service, if sent to all processes named
	 * picad */
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	k->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	for (unsigned i = 0; i < STREAMS && k->signal_fd >= 0; i++) {
		struct stream *s = &k->stream[i];
		int fds[2];
		if (pipe2(fds, O_CLOEXEC) < 0 || fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0) {
			return -errno;
		}
		s->fd = fds[0];
		s->its_fd = fds[1];
		s->level = i == ERRORS ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO;
	}
	return k->signal_fd < 0 ? -errno : 0;
}

static _Noreturn void keep(const struct kiosk *kiosk, const char *socket, pid_t server) {
	static struct minder k;
	k.kiosk = kiosk;
	k.socket = socket;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	close_range(3, ~0u, 0); /* the service's sockets and lock are not ours */
	setenv("PICA_SOCKET", socket, 1);
	/* Our standard output may be a video. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	const int ret = open_minder(&k);
	if (ret < 0) {
		log_event(LOG_LEVEL_ERROR, "event=kiosk_failed error=\"%s\"", strerror(-ret));
		_exit(1);
	}
	log_begin();
	const pid_t self = getpid();
	bool was_short = false;
	int64_t rest_s = 0;
	while (getppid() == server && !k.is_ending) {
		const int64_t began = now_ms();
		int status = 1 << 8; /* exit(1) */
		if (!run_once(&k, self, &status)) {
			break;
		}
		const bool is_short = now_ms() - began < 1000 * rest_seconds;
		rest_s = !is_short || !was_short ? 0 : rest_s ? 2 * rest_s : rest_seconds;
		rest_s = rest_s < most_seconds ? rest_s : most_seconds;
		was_short = is_short;
		log_ended(status, rest_s);
		const int64_t until = now_ms() + 1000 * rest_s;
		while (!k.is_ending && now_ms() < until) {
			wait_a_turn(&k, until);
		}
	}
	for (unsigned i = 0; i < STREAMS; i++) {
		log_not_logged(&k.stream[i]);
	}
	log_end();
	_exit(0);
}

/* ---- Face ---- */

/* Returns 0 if each match is a capture. On failure prints the error and returns -EINVAL. */
static int names_capture(void *user, const char *pattern) {
	struct pica_capture *capture = NULL;
	struct pica_capture_error error, first = { .code = 0 };
	glob_t found = { .gl_pathc = 0 };
	const bool is_found = find_files(&found, pattern) == 0;
	for (size_t i = 0; is_found && !capture && i < found.gl_pathc; i++) {
		if (pica_capture_open(&capture, found.gl_pathv[i], &error) < 0 && i == 0) {
			first = error;
		}
	}
	if (!is_found) {
		log_error("kiosk: %s: %s", pattern, unread);
	} else if (!capture) {
		log_error("kiosk: %s", first.message);
	}
	const int ret = capture ? 0 : -EINVAL;
	pica_capture_close(capture);
	globfree(&found);
	return ret;
}

int kiosk_check(const struct kiosk *k) {
	for (unsigned i = 0; !k->command && i < k->n_captures; i++) {
		const int ret = each_pattern(k->captures[i], names_capture, NULL);
		if (ret > 0) {
			log_error("kiosk: %s: %s", k->captures[i], unread);
		}
		if (ret != 0) {
			return -EINVAL;
		}
	}
	return 0;
}

bool kiosk_is_hold(const char *text) {
	char *end;
	const double seconds = strtod(text, &end);
	return end != text && !*end && seconds >= 0 && seconds <= MAX_HOLD_S &&
	       strlen(text) < HOLD_BYTES;
}

void kiosk_set_log_level(enum log_level level) {
	if (wanted_level) {
		atomic_store_explicit(wanted_level, (int)level, memory_order_relaxed);
	}
}

pid_t kiosk_start(const struct kiosk *k, const char *socket, enum log_level level) {
	const pid_t server = getpid();
	wanted_level = mmap(NULL, sizeof(*wanted_level), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (wanted_level == MAP_FAILED) {
		wanted_level = NULL;
		return -errno;
	}
	kiosk_set_log_level(level);
	const pid_t pid = fork();
	if (pid == 0) {
		keep(k, socket, server);
	}
	return pid < 0 ? -errno : pid;
}

void kiosk_end(pid_t pid) {
	if (pid > 0) {
		kill(pid, SIGTERM);
	}
}

void kiosk_stop(pid_t pid) {
	if (pid > 0) {
		kill(pid, SIGTERM);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
		}
	}
}
