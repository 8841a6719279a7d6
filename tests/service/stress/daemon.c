#include "daemon.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "raw.h"

void daemon_init(struct daemon *d, const char *picad) {
	memset(d, 0, sizeof(*d));
	d->picad = picad;
	d->pid = -1;
	signal(SIGPIPE, SIG_IGN); /* bells of a service that is gone */
	snprintf(d->folder, sizeof(d->folder), "/tmp/picad-test-XXXXXX");
	if (!mkdtemp(d->folder)) {
		perror("mkdtemp");
		exit(2);
	}
	snprintf(d->socket, sizeof(d->socket), "%s/0", d->folder);
	snprintf(d->log, sizeof(d->log), "%s/log", d->folder);
	char path[96];
	snprintf(path, sizeof(path), "%s/conf", d->folder);
	FILE *f = fopen(path, "w");
	if (!f || fputs("[picad]\n", f) < 0 || fclose(f) != 0) {
		perror(path);
		exit(2);
	}
}

void daemon_options(struct daemon *d, const char *fmt, ...) {
	va_list args;
	va_start(args, fmt);
	vsnprintf(d->options, sizeof(d->options), fmt, args);
	va_end(args);
}

bool daemon_finish(struct daemon *d) {
	bool clean = true;
	DIR *dir = opendir(d->folder);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		char path[400];
		bool ours = strcmp(e->d_name, "log") == 0 || strcmp(e->d_name, "conf") == 0;
		if (e->d_name[0] == '.') {
			continue;
		}
		if (!ours) {
			if (!d->is_quiet) {
				fprintf(stderr, "left behind: %s\n", e->d_name);
			}
			clean = false;
		}
		snprintf(path, sizeof(path), "%s/%s", d->folder, e->d_name);
		unlink(path);
	}
	if (dir) {
		closedir(dir);
	}
	return rmdir(d->folder) == 0 && clean;
}

static void become_picad(const struct daemon *d) {
	const char *argv[DAEMON_ARGS + 8] = { d->picad, "--socket", d->socket, "--config" };
	char config[96], options[sizeof(d->options)];
	int n = 4;
	memcpy(options, d->options, sizeof(options));
	snprintf(config, sizeof(config), "%s/conf", d->folder);
	argv[n++] = config;
	for (char *at = options, *word; (word = strsep(&at, " ")) && n < DAEMON_ARGS + 7;) {
		argv[n] = word;
		n += *word != 0;
	}
	argv[n] = NULL;
	int log = open(d->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (log < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0) {
		_exit(127);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves none running */
	unsetenv("NOTIFY_SOCKET");
	unsetenv("LISTEN_FDS");
	if (d->before_exec) {
		d->before_exec();
	}
	union {
		const char **in;
		char *const *out;
	} args = { .in = argv };
	execv(d->picad, args.out);
	_exit(127);
}

/*
 * Returns whether the service answers, even with an error: the socket exists before the service
 * knows whether the machine permits its calls, and for a while after it was killed.
 */
static bool is_served(const char *path) {
	uint8_t answer[PICA_MESSAGE_MAX];
	const int sock = raw_dial(path);
	if (sock < 0) {
		return false;
	}
	const bool is_answered = raw_send(sock, "", 1, NULL, 0) == 0 &&
			raw_receive(sock, answer, sizeof(answer), NULL, 1000) > 0;
	while (is_answered && raw_receive(sock, answer, sizeof(answer), NULL, 1000) > 0) {
	}
	close(sock);
	return is_answered;
}

bool daemon_start(struct daemon *d) {
	fflush(NULL);
	d->pid = fork();
	if (d->pid == 0) {
		become_picad(d);
	}
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS; d->pid > 0 && raw_now_ms() < end;) {
		if (is_served(d->socket)) {
			return true;
		}
		if (!daemon_is_alive(d)) {
			break;
		}
		raw_nap_us(5000);
	}
	if (!d->is_quiet) {
		fprintf(stderr, "picad does not start\n");
		daemon_print_log(d);
	}
	return false;
}

bool daemon_is_alive(struct daemon *d) {
	return d->pid > 0 && waitpid(d->pid, &d->status, WNOHANG) == 0;
}

int daemon_stop(struct daemon *d) {
	pid_t got = 0;
	d->status = -1;
	if (d->pid <= 0) {
		return -1;
	}
	kill(d->pid, SIGTERM);
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS; got == 0 && raw_now_ms() < end;) {
		got = waitpid(d->pid, &d->status, WNOHANG);
		if (got == 0) {
			raw_nap_us(5000);
		}
	}
	if (got == 0) {
		fprintf(stderr, "picad does not end\n");
		daemon_kill(d);
	}
	d->pid = -1;
	int ret = got > 0 && WIFEXITED(d->status) ? WEXITSTATUS(d->status) : -1;
	if (ret != 0 && !d->is_quiet) {
		daemon_print_log(d);
	}
	return ret;
}

void daemon_kill(struct daemon *d) {
	if (d->pid > 0) {
		kill(d->pid, SIGKILL);
		waitpid(d->pid, NULL, 0);
	}
	d->pid = -1;
}

bool daemon_end(struct daemon *d, bool passed) {
	if (!passed) {
		daemon_print_log(d);
	}
	passed = daemon_stop(d) == 0 && passed;
	return daemon_finish(d) && passed;
}

bool daemon_case(const char *name, const char *picad, const char *options,
		void (*before_exec)(void), bool (*fn)(struct daemon *)) {
	struct daemon d;
	daemon_init(&d, picad);
	d.before_exec = before_exec;
	daemon_options(&d, "--threads 1 --loop %s", options);
	const bool ok = daemon_end(&d, daemon_start(&d) && fn(&d) && daemon_is_alive(&d));
	printf("%-32s %s\n", name, ok ? "ok" : "FAILED");
	return ok;
}

int daemon_main(char **argv, int least, const char *usage, const char *options,
		bool (*fn)(struct daemon *d, char **argv)) {
	struct daemon d;
	for (int i = 1; i <= least; i++) {
		if (!argv[i]) {
			fprintf(stderr, "usage: %s\n", usage);
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	daemon_init(&d, argv[1]);
	daemon_options(&d, "--loop %s %s", argv[2], options);
	if (!daemon_start(&d)) {
		daemon_finish(&d);
		return strcmp(argv[2], "uring") == 0 ? 77 : 1;
	}
	return daemon_end(&d, fn(&d, argv)) ? 0 : 1;
}

/* ---- Its log ---- */

void daemon_print_log(const struct daemon *d) {
	char line[1024];
	FILE *f = fopen(d->log, "r");
	/* The end of it: what a sanitizer says is long. */
	if (f && fseek(f, -20000, SEEK_END) == 0) {
		fputs("...\n", stderr);
	}
	while (f && fgets(line, sizeof(line), f)) {
		fputs(line, stderr);
	}
	if (f) {
		fclose(f);
	}
}

bool daemon_log_has(const struct daemon *d, const char *text) {
	char line[1024];
	bool has = false;
	FILE *f = fopen(d->log, "r");
	while (f && !has && fgets(line, sizeof(line), f)) {
		has = strstr(line, text) != NULL;
	}
	if (f) {
		fclose(f);
	}
	return has;
}

bool daemon_logs(const struct daemon *d, const char *text) {
	const int64_t end_ms = raw_now_ms() + RAW_PATIENCE_MS;
	while (!daemon_log_has(d, text)) {
		if (raw_now_ms() >= end_ms) {
			return false;
		}
		raw_nap_us(1000);
	}
	return true;
}

/* ---- /proc ---- */

static int count_entries(pid_t pid, const char *what) {
	char path[64];
	int n = 0;
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	DIR *dir = opendir(path);
	if (!dir) {
		return -1;
	}
	for (struct dirent *e; (e = readdir(dir));) {
		n += e->d_name[0] != '.';
	}
	closedir(dir);
	return n;
}

int process_fds(pid_t pid) {
	return count_entries(pid, "fd");
}

int process_threads(pid_t pid) {
	return count_entries(pid, "task");
}

static long status_kib(pid_t pid, const char *key) {
	char path[64], line[256];
	long kib = -1;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)) == 0) {
			kib = strtol(line + strlen(key), NULL, 10);
		}
	}
	if (f) {
		fclose(f);
	}
	return kib;
}

long process_rss_kib(pid_t pid) {
	return status_kib(pid, "VmRSS:");
}

long process_shmem_kib(pid_t pid) {
	return status_kib(pid, "RssShmem:");
}

int process_memfds(pid_t pid) {
	char path[64], line[512];
	int n = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *f = fopen(path, "r");
	if (!f) {
		return -1;
	}
	while (fgets(line, sizeof(line), f)) {
		n += strstr(line, "memfd:") != NULL;
	}
	fclose(f);
	return n;
}

struct counts process_counts(pid_t pid) {
	return (struct counts){ process_fds(pid), process_memfds(pid), process_threads(pid) };
}

bool process_settles(pid_t pid, struct counts before, int more_threads) {
	struct counts now = process_counts(pid);
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS; raw_now_ms() < end;
			now = process_counts(pid)) {
		if (now.fds == before.fds && now.memfds == before.memfds &&
				now.threads <= before.threads + more_threads) {
			return true;
		}
		raw_nap_us(1000);
	}
	printf("left: %d descriptors of %d, %d mappings of %d, %d threads of %d\n", now.fds,
			before.fds, now.memfds, before.memfds, now.threads, before.threads);
	return false;
}
