/* Other renderers: a command that gets a capture and a folder for pictures. */
#include "conform.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "batch/batch.h"
#include "clock.h"
#include "common/log.h"
#include "pictures/file.h"

#define TIMEOUT_NS UINT64_C(60000000000)

static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
enum { N_ENDS = sizeof(ends) / sizeof(*ends) };
static volatile sig_atomic_t ended_by; /* 0: none of them */

static void on_end(int signal) {
	ended_by = signal;
}

/* Catches the signals that end a program; those that are ignored stay so. */
static void catch_ends(struct sigaction before[N_ENDS]) {
	const struct sigaction end = { .sa_handler = on_end };
	for (unsigned i = 0; i < N_ENDS; i++) {
		sigaction(ends[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN) {
			sigaction(ends[i], &end, NULL);
		}
	}
}

/* Puts the handlers back, and lets a signal that was caught do what it does without this. */
static void release_ends(const struct sigaction before[N_ENDS]) {
	for (unsigned i = 0; i < N_ENDS; i++) {
		sigaction(ends[i], &before[i], NULL);
	}
	if (ended_by) {
		raise(ended_by);
	}
}

static char *say(const char *what, const char *more) {
	char *text = NULL;
	return asprintf(&text, "%s%s", what, more) < 0 ? NULL : text;
}

/* Waits for the leader of a process group, and ends the group after the time limit or a signal.
 * Returns its status, or -1. */
static int wait_for(pid_t pid) {
	const uint64_t end = now_ns() + TIMEOUT_NS;
	const struct timespec tick = { .tv_nsec = 2000000 };
	int status;
	for (;;) {
		const pid_t got = waitpid(pid, &status, WNOHANG);
		if (got == pid) {
			kill(-pid, SIGKILL); /* what it left running */
			return status;
		}
		if ((got < 0 && errno != EINTR) || now_ns() > end || ended_by) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		nanosleep(&tick, NULL);
	}
}

/* Returns why a replayer with that status is of no use, or NULL. */
static char *why_failed(int status) {
	char *text = NULL;
	if (status == 0) {
		return NULL;
	}
	const int n = status < 0 ? asprintf(&text, "the replayer took longer than 60 s") :
			WIFSIGNALED(status) ?
			asprintf(&text, "the replayer was ended by a signal: %s",
					strsignal(WTERMSIG(status))) :
			asprintf(&text, "the replayer failed: exit status %d", WEXITSTATUS(status));
	return n < 0 ? NULL : text;
}

/* Stores the status of the replayer, or -1 after the time limit. Its output goes to the standard
 * error, since the report is on the standard output. Returns an exit code, after logging. */
static int run(int *status, const char *command, const char *capture, const char *folder) {
	char *script = say(command, " \"$1\" \"$2\"");
	if (!script) {
		return log_no_memory();
	}
	fflush(NULL);
	const pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", script, "sh", capture, folder, (char *)NULL);
		_exit(127);
	}
	if (pid > 0) {
		setpgid(pid, pid);
	}
	const int error = errno;
	*status = pid > 0 ? wait_for(pid) : 0;
	free(script);
	if (pid < 0) {
		return log_fail("the replayer cannot be started: %s", strerror(error));
	}
	/* As the shell says it: not found, or not executable. */
	const int code = *status > 0 && WIFEXITED(*status) ? WEXITSTATUS(*status) : 0;
	return code == 126 || code == 127 ?
			log_fail("the replayer cannot be run: exit status %d of: %s", code, command) :
			EXIT_FINE;
}

/* The PNG whose name ends in "top.png", or the only one. *count: of all. */
static char *find_picture(const char *folder, unsigned *count) {
	char *found = NULL;
	bool is_top = false;
	unsigned n = 0;
	DIR *dir = opendir(folder);
	for (const struct dirent *e; dir && (e = readdir(dir));) {
		const bool top = file_ends_with(e->d_name, "top.png");
		if (!file_ends_with(e->d_name, ".png")) {
			continue;
		}
		n++;
		if (!found || (top && !is_top)) {
			free(found);
			found = file_in(folder, e->d_name);
			is_top = top;
		}
	}
	if (dir) {
		closedir(dir);
	}
	if (n > 1 && !is_top) {
		free(found);
		found = NULL;
	}
	*count = n;
	return found;
}

/* Returns why the picture was not read, or NULL. */
static char *read_picture(struct picture *out, const char *path) {
	const char *name = strrchr(path, '/') + 1;
	struct stat st;
	char *text = NULL;
	/* Opening a FIFO would wait for its writer. */
	int ret = stat(path, &st) < 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -ENOTSUP;
	ret = ret < 0 ? ret : picture_read_png(out, path, PICTURE_IGNORE_ALPHA);
	const char *why = ret == -ENOTSUP ? "not a regular file" :
			ret == -EINVAL    ? "expected a PNG" :
					    strerror(-ret);
	const int n = ret == 0 ?
			0 :
			ret == -EFBIG ?
			asprintf(&text, "the replayer's picture %s: larger than %dx%d pixels", name,
					PICTURE_PNG_PX, PICTURE_PNG_PX) :
			asprintf(&text, "the replayer's picture %s: %s", name, why);
	return n < 0 ? NULL : text;
}

/* Returns why there is no picture to read. n: of those that were written. */
static char *why_none(unsigned n) {
	char count[16] = "no", *text = NULL;
	if (n) {
		snprintf(count, sizeof(count), "%u", n);
	}
	return asprintf(&text, "the replayer wrote %s picture%s: expected one PNG, or NAME-top.png",
			       count, n ? "s" : "") < 0 ?
			NULL :
			text;
}

int conform_replay(struct picture *out, char **message, const char *command, const char *capture) {
	char folder[] = "/tmp/pica-conform.XXXXXX";
	struct sigaction before[N_ENDS];
	int status = -1;
	catch_ends(before);
	if (!mkdtemp(folder)) {
		const int error = errno;
		release_ends(before);
		return log_fail("no folder for pictures: %s", strerror(error));
	}
	const int exit = run(&status, command, capture, folder);
	*message = exit == EXIT_FINE ? why_failed(status) : NULL;
	if (exit == EXIT_FINE && status == 0) {
		unsigned n;
		char *path = find_picture(folder, &n);
		*message = path ? read_picture(out, path) : why_none(n);
		free(path);
	}
	batch_store_remove(folder);
	release_ends(before);
	return exit;
}
