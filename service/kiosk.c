#include "service/kiosk.h"

#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pica_capture.h"
#include "service/say.h"

enum { PATH_BYTES = 4096, END_SECONDS = 3 /* between SIGTERM and SIGKILL */ };

/*
 * A program that ends sooner twice in a row is not started again at once, but after so long, and
 * twice as long each further time.
 */
static const time_t rest_seconds = 1, most_seconds = 16;

/* The tool beside us, as it is installed or in a build directory; else by $PATH. */
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

/* What a path or pattern names, behind what was found before it. 0 or what glob() says. */
static int find_captures(const char *pattern, bool is_further, glob_t *found) {
	/* A name that no file has stays as it is, for who opens it to complain about. */
	const int how = GLOB_BRACE | GLOB_NOCHECK | (is_further ? GLOB_APPEND : 0);
	const int ret = glob(pattern, how, NULL, found);
	if (ret != 0) {
		say("kiosk: %s: memory is out, or it cannot be read", pattern);
	}
	return ret;
}

static _Noreturn void run_captures(const struct kiosk *k, const char *socket) {
	char tool[PATH_BYTES], connect[PATH_BYTES];
	static char play[] = "play", loop[] = "--loop", name[] = "--name=kiosk", end[] = "--";
	char *const first[] = { tool, play, loop, name, connect, end };
	enum { N_FIRST = sizeof(first) / sizeof(first[0]) };
	glob_t found = { .gl_pathc = 0 };
	find_tool(tool);
	snprintf(connect, sizeof(connect), "--connect=%s", socket);
	for (unsigned i = 0; i < k->n_captures; i++) {
		if (find_captures(k->captures[i], i > 0, &found) != 0) {
			_exit(2);
		}
	}
	char **argv = calloc(N_FIRST + found.gl_pathc + 1, sizeof(*argv));
	if (!argv) {
		say("kiosk: memory is out");
		_exit(2);
	}
	memcpy(argv, first, sizeof(first));
	memcpy(argv + N_FIRST, found.gl_pathv, found.gl_pathc * sizeof(*argv));
	execvp(tool, argv);
	say("kiosk: %s: %s", tool, strerror(errno));
	_exit(127);
}

static _Noreturn void run(const struct kiosk *k, const char *socket, pid_t keeper) {
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != keeper) {
		_exit(0); /* it ended meanwhile */
	}
	if (!k->command) {
		run_captures(k, socket);
	}
	execl("/bin/sh", "sh", "-c", k->command, (char *)NULL);
	say("exec: /bin/sh: %s", strerror(errno));
	_exit(127);
}

static void tell_end(int status, time_t rest) {
	char when[32] = "";
	if (rest) {
		snprintf(when, sizeof(when), " in %d s", (int)rest);
	}
	if (WIFSIGNALED(status)) {
		say("kiosk: the program was ended by signal %d, starting it again%s",
				WTERMSIG(status), when);
	} else {
		say("kiosk: the program ended with status %d, starting it again%s",
				WEXITSTATUS(status), when);
	}
}

/*
 * The program and what it starts are a group, and orphans of it are ours to wait for: we are their
 * reaper. true: all of them ended before the time.
 */
static bool reap_group(pid_t group, const struct timespec *patience) {
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		pid_t ended;
		while ((ended = waitpid(-group, NULL, WNOHANG)) > 0) {
		}
		if (ended < 0) {
			return true;
		}
		if (sigtimedwait(&child, NULL, patience) < 0 && errno == EAGAIN) {
			return false;
		}
	}
}

static void end_group(pid_t group) {
	static const struct timespec end = { .tv_sec = END_SECONDS };
	static const struct timespec at_once = { .tv_sec = 1 };
	if (kill(-group, SIGTERM) == 0 && !reap_group(group, &end)) {
		kill(-group, SIGKILL);
		reap_group(group, &at_once);
	}
}

/* Whether it ended, how, rather than that we are to end. */
static bool wait_for(pid_t pid, const sigset_t *signals, int *status) {
	for (;;) {
		const int number = sigwaitinfo(signals, NULL);
		if (number > 0 && number != SIGCHLD) {
			return false;
		}
		pid_t ended;
		int how;
		while ((ended = waitpid(-1, &how, WNOHANG)) > 0) {
			if (ended == pid) {
				*status = how;
				return true;
			}
		}
	}
}

static _Noreturn void keep(const struct kiosk *k, const char *socket, pid_t server) {
	sigset_t none, signals, ends;
	sigemptyset(&none);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT); /* of a terminal, whose group we are in */
	signals = ends;
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGPIPE, SIG_DFL);
	close_range(3, ~0u, 0); /* the service's sockets and lock are not ours */
	setenv("PICA_SOCKET", socket, 1);
	/* What it says is for the log; our standard output may be a video. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	const pid_t self = getpid();
	bool was_short = false;
	struct timespec rest = { 0 };
	while (getppid() == server) {
		struct timespec began, ended;
		int status = 0;
		clock_gettime(CLOCK_MONOTONIC, &began);
		const pid_t pid = fork();
		if (pid == 0) {
			setpgid(0, 0);
			sigprocmask(SIG_SETMASK, &none, NULL);
			run(k, socket, self);
		}
		if (pid > 0) {
			setpgid(pid, pid); /* whoever comes first */
			const bool has_ended = wait_for(pid, &signals, &status);
			end_group(pid);
			if (!has_ended) {
				break;
			}
		}
		clock_gettime(CLOCK_MONOTONIC, &ended);
		const int64_t ran_ns = (int64_t)(ended.tv_sec - began.tv_sec) * 1000000000 +
				ended.tv_nsec - began.tv_nsec;
		const bool is_short = ran_ns < (int64_t)rest_seconds * 1000000000;
		rest.tv_sec = !is_short || !was_short ? 0 :
				rest.tv_sec           ? 2 * rest.tv_sec :
							rest_seconds;
		rest.tv_sec = rest.tv_sec < most_seconds ? rest.tv_sec : most_seconds;
		was_short = is_short;
		if (pid < 0) {
			say("kiosk: no process for the program: %s", strerror(errno));
		} else {
			tell_end(status, rest.tv_sec);
		}
		if (sigtimedwait(&ends, NULL, &rest) > 0) {
			break;
		}
	}
	_exit(0);
}

static bool has_capture(const char *pattern) {
	struct pica_capture *capture = NULL;
	struct pica_capture_error error, first = { .code = 0 };
	glob_t found = { .gl_pathc = 0 };
	const bool is_found = find_captures(pattern, false, &found) == 0;
	for (size_t i = 0; is_found && !capture && i < found.gl_pathc; i++) {
		if (pica_capture_open(&capture, found.gl_pathv[i], &error) < 0 && i == 0) {
			first = error;
		}
	}
	if (is_found && !capture) {
		say("kiosk: %s", first.message);
	}
	const bool has_one = capture;
	pica_capture_close(capture);
	globfree(&found);
	return has_one;
}

int kiosk_check(const struct kiosk *k) {
	for (unsigned i = 0; !k->command && i < k->n_captures; i++) {
		if (!has_capture(k->captures[i])) {
			return -EINVAL;
		}
	}
	return 0;
}

pid_t kiosk_start(const struct kiosk *k, const char *socket) {
	const pid_t server = getpid();
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
