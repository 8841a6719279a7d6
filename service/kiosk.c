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

#include "service/say.h"

enum { PATH_BYTES = 4096 };

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

static _Noreturn void run_captures(const struct kiosk *k, const char *socket) {
	char tool[PATH_BYTES], connect[PATH_BYTES];
	static char play[] = "play", loop[] = "--loop", name[] = "--name=kiosk", end[] = "--";
	char *const first[] = { tool, play, loop, name, connect, end };
	enum { N_FIRST = sizeof(first) / sizeof(first[0]) };
	glob_t found = { .gl_pathc = 0 };
	find_tool(tool);
	snprintf(connect, sizeof(connect), "--connect=%s", socket);
	for (unsigned i = 0; i < k->n_captures; i++) {
		/* A name that no file has is the tool's to complain about. */
		if (glob(k->captures[i], GLOB_NOCHECK | (i ? GLOB_APPEND : 0), NULL, &found) != 0) {
			say("kiosk: %s: memory is out, or it cannot be read", k->captures[i]);
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

static pid_t running; /* of the keeper: what it keeps */

static void on_term(int number) {
	if (running > 0) {
		kill(running, SIGTERM);
	}
	_exit(0);
}

static _Noreturn void keep(const struct kiosk *k, const char *socket, pid_t server) {
	sigset_t none;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGTERM, on_term);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	close_range(3, ~0u, 0); /* the service's sockets and lock are not ours */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setenv("PICA_SOCKET", socket, 1);
	/* What it says is for the log; our standard output may be a video. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	const pid_t self = getpid();
	bool was_short = false;
	time_t rest = 0;
	while (getppid() == server) {
		struct timespec began, ended;
		int status = 0;
		clock_gettime(CLOCK_MONOTONIC, &began);
		running = fork();
		if (running == 0) {
			signal(SIGTERM, SIG_DFL);
			run(k, socket, self);
		}
		while (running > 0 && waitpid(running, &status, 0) < 0 && errno == EINTR) {
		}
		running = 0;
		clock_gettime(CLOCK_MONOTONIC, &ended);
		const int64_t ran_ns = (int64_t)(ended.tv_sec - began.tv_sec) * 1000000000 +
				ended.tv_nsec - began.tv_nsec;
		const bool is_short = ran_ns < (int64_t)rest_seconds * 1000000000;
		rest = !is_short || !was_short ? 0 : rest ? 2 * rest : rest_seconds;
		rest = rest < most_seconds ? rest : most_seconds;
		tell_end(status, rest);
		sleep((unsigned)rest);
		was_short = is_short;
	}
	_exit(0);
}

pid_t kiosk_start(const struct kiosk *k, const char *socket) {
	const pid_t server = getpid();
	const pid_t pid = fork();
	if (pid == 0) {
		keep(k, socket, server);
	}
	return pid < 0 ? -errno : pid;
}

void kiosk_stop(pid_t pid) {
	if (pid > 0) {
		kill(pid, SIGTERM);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
		}
	}
}
