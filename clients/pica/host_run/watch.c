/* The end of the program: by itself, after the timeout, or with this process. */
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host_run.h"

enum { PATIENCE_S = 15, MAX_OLDER = 64 };

static volatile sig_atomic_t watched; /* the program; 0: none */
static volatile sig_atomic_t is_late, stop_signal;
static volatile sig_atomic_t is_finishing; /* its recording */
static volatile sig_atomic_t has_ended;
static volatile sig_atomic_t stream = -1; /* from the program */

/* Let it finish its recording; then end it in any case. */
static void on_alarm(int signal) {
	(void)signal;
	if (has_ended) {
		return;
	}
	kill(watched, is_late || stop_signal ? SIGKILL : SIGTERM);
	is_late |= !stop_signal;
	alarm(PATIENCE_S);
}

/*
 * Ends the program alone, so that its recording is finished and linted; the second time kills it.
 * From a terminal the program gets the signal twice, which it takes as one.
 */
static void on_stop(int number) {
	if (!watched) {
		_exit(WATCH_SIGNALLED + number);
	}
	kill(watched, number == stop_signal ? SIGKILL : number);
	stop_signal = number;
	if (!is_finishing) {
		alarm(PATIENCE_S);
	}
}

/*
 * Once the program itself has ended, its stream ends with what is there, even if another process
 * that it started still holds the pipe. This also ends a read() that waits, since it starts anew.
 */
static void on_child(int number) {
	const int error = errno;
	siginfo_t info = { .si_pid = 0 };
	(void)number;
	if (waitid(P_PID, (id_t)watched, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid) {
		has_ended = 1;
		fcntl(stream, F_SETFL, O_NONBLOCK);
	}
	errno = error;
}

/* ---- Processes that it leaves ---- */

static long older[MAX_OLDER]; /* children that this process had before */
static unsigned n_older;

static FILE *open_children(void) {
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/task/%ld/children", (long)getpid());
	return fopen(path, "re");
}

static bool is_older(long pid) {
	unsigned i = 0;
	while (i < n_older && older[i] != pid) {
		i++;
	}
	return i < n_older;
}

/* Returns whether there was one. Its own children come here then. */
static bool end_children(void) {
	FILE *f = open_children();
	bool is_any = false;
	long pid;
	while (f && fscanf(f, "%ld", &pid) == 1) {
		if (!is_older(pid) && kill((pid_t)pid, SIGKILL) == 0) {
			waitpid((pid_t)pid, NULL, 0);
			is_any = true;
		}
	}
	if (f) {
		fclose(f);
	}
	return is_any;
}

void watch_adopt(void) {
	FILE *f = open_children();
	while (f && n_older < MAX_OLDER && fscanf(f, "%ld", &older[n_older]) == 1) {
		n_older++;
	}
	if (f) {
		fclose(f);
	}
	if (n_older < MAX_OLDER) { /* all are known */
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	}
}

/* ---- Time ---- */

static struct itimerval held;

void watch_hold(void) {
	static const struct itimerval none;
	if (!is_late && !stop_signal) {
		setitimer(ITIMER_REAL, &none, &held);
	}
}

void watch_continue(void) {
	if (!is_late && !stop_signal) {
		setitimer(ITIMER_REAL, &held, NULL);
	}
}

/* Once the time is over, the program has PATIENCE_S in all. */
void watch_frame(uint32_t timeout_s) {
	if (!is_late && !stop_signal) {
		alarm(timeout_s);
	}
}

static const int stops[] = { SIGHUP, SIGINT, SIGTERM };

sigset_t watch_block(void) {
	sigset_t set, before;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < ARRAY_LEN(stops); i++) {
		sigaddset(&set, stops[i]);
	}
	sigprocmask(SIG_BLOCK, &set, &before);
	return before;
}

void watch_begin(pid_t pid, int fd, uint32_t timeout_s) {
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART }, old;
	watched = pid;
	stream = fd;
	sigaction(SIGALRM, &action, NULL);
	action.sa_handler = on_child;
	sigaction(SIGCHLD, &action, NULL);
	action.sa_handler = on_stop;
	for (size_t i = 0; i < ARRAY_LEN(stops); i++) {
		sigaction(stops[i], NULL, &old);
		if (old.sa_handler != SIG_IGN) {
			sigaction(stops[i], &action, NULL);
		}
	}
	alarm(timeout_s);
}

void watch_finishing(void) {
	is_finishing = 1;
	alarm(0);
}

void watch_last(uint32_t timeout_s) {
	is_finishing = 0;
	stream = -1;
	alarm(is_late || stop_signal ? PATIENCE_S : timeout_s);
}

bool watch_end(void) {
	watched = 0;
	alarm(0);
	while (n_older < MAX_OLDER && end_children()) {
	}
	return is_late;
}
