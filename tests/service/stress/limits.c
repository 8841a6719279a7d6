/*
 * limits PICAD LOOP: a service at the limits of its process (descriptors, address space, file
 * sizes, no io_uring) must refuse new work, keep its sessions, and recover.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon.h"
#include "scene.h"

enum { MANY = 40 };

/* ---- RLIMIT_NOFILE ---- */

static void few_descriptors(void) {
	const struct rlimit few = { 32, 32 };
	if (setrlimit(RLIMIT_NOFILE, &few) < 0) {
		_exit(127);
	}
}

/* Opens a neighbour, which may have to wait: the service does not accept without descriptors. */
static int open_patiently(struct neighbour *n, const char *path) {
	int ret = -EMFILE;
	for (int64_t end = raw_now_ms() + RAW_PATIENCE_MS; ret < 0 && raw_now_ms() < end;) {
		ret = neighbour_open(n, path);
	}
	return ret;
}

static bool descriptors_run_out(struct daemon *d) {
	struct neighbour old, fresh;
	struct raw more[MANY];
	unsigned n = 0;
	int ret = 0;
	EXPECT(neighbour_open(&old, d->socket) == 0);
	EXPECT(neighbour_frame(&old) == 0);
	/* Opens sessions until it refuses one; a short timeout, since it may not accept at all. */
	while (n < MANY && process_fds(d->pid) < 28) {
		ret = raw_open(&more[n], d->socket, 8);
		if (ret < 0) {
			break;
		}
		n++;
	}
	int waiting[8];
	for (unsigned i = 0; i < 8; i++) {
		waiting[i] = raw_dial(d->socket);
	}
	raw_nap_us(300000); /* more than a round of accepting */
	printf("descriptors: %u sessions beside the old one, then %s; %d in use\n", n,
			ret < 0 ? strerror(-ret) : "full", process_fds(d->pid));
	for (unsigned i = 0; i < 5; i++) {
		EXPECT(neighbour_frame(&old) == 0);
	}
	int64_t region = raw_region(&old.raw, 0, 0, 4096, NULL, NULL);
	EXPECT(region > 0 || region == -EMFILE);
	EXPECT(neighbour_frame(&old) == 0);
	for (unsigned i = 0; i < 8; i++) {
		close(waiting[i]);
	}
	while (n > 0) {
		raw_close(&more[--n]);
	}
	EXPECT(open_patiently(&fresh, d->socket) == 0);
	EXPECT(neighbour_frame(&fresh) == 0 && neighbour_frame(&old) == 0);
	neighbour_close(&fresh);
	neighbour_close(&old);
	return true;
}

/* ---- RLIMIT_AS, RLIMIT_FSIZE of the running service ---- */

static bool limit(const struct daemon *d, int what, rlim_t bytes) {
	const struct rlimit l = { bytes, RLIM_INFINITY };
	return prlimit(d->pid, (__rlimit_resource_t)what, &l, NULL) == 0;
}

static rlim_t size_of(pid_t pid) {
	char path[64];
	unsigned long pages = 0;
	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	FILE *f = fopen(path, "r");
	if (!f || fscanf(f, "%lu", &pages) != 1) {
		pages = 0;
	}
	if (f) {
		fclose(f);
	}
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/*
 * With the limit only regions of 64 MiB fail, not pictures or small regions; without it nothing
 * does.
 */
static bool refuses_and_recovers(struct daemon *d, int what, rlim_t bytes, int error) {
	struct neighbour n;
	EXPECT(neighbour_open(&n, d->socket) == 0);
	EXPECT(neighbour_frame(&n) == 0);
	EXPECT(limit(d, what, bytes));
	for (unsigned i = 0; i < 3; i++) {
		int ret = (int)raw_region(&n.raw, 0, 0, 64 << 20, NULL, NULL);
		EXPECT(ret == error);
		EXPECT(strstr(n.raw.error.text, "out of memory for a region"));
		EXPECT(neighbour_frame(&n) == 0);
	}
	EXPECT(limit(d, what, RLIM_INFINITY));
	int64_t region = raw_region(&n.raw, 0, 0, 64 << 20, NULL, NULL);
	EXPECT(region > 0);
	EXPECT(raw_object(&n.raw, PICA_MSG_REGION_DESTROY, (uint64_t)region) == 0);
	EXPECT(neighbour_frame(&n) == 0);
	neighbour_close(&n);
	return daemon_is_alive(d);
}

static bool address_space_runs_out(struct daemon *d) {
	return refuses_and_recovers(d, RLIMIT_AS, size_of(d->pid) + (32 << 20), -ENOMEM);
}

/* Beyond its limit on file sizes a process is killed unless it ignores SIGXFSZ. */
static bool files_may_not_grow(struct daemon *d) {
	return refuses_and_recovers(d, RLIMIT_FSIZE, 16 << 20, -EFBIG);
}

/* ---- io_uring barred ---- */

static void bar_uring(void) {
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		_exit(127);
	}
}

static bool serves_without_uring(struct daemon *d) {
	struct neighbour n;
	EXPECT(neighbour_open(&n, d->socket) == 0);
	EXPECT(neighbour_frame(&n) == 0);
	EXPECT(daemon_logs(d, "loop=epoll"));
	neighbour_close(&n);
	return true;
}

/* Asked for io_uring, it does not pretend. */
static bool reports_that_uring_is_forbidden(const char *picad) {
	struct daemon d;
	int status = 0;
	daemon_init(&d, picad);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		bar_uring();
		if (!freopen(d.log, "w", stderr)) {
			_exit(127);
		}
		execl(picad, picad, "--socket", d.socket, "--loop", "uring", (char *)NULL);
		_exit(127);
	}
	EXPECT(waitpid(pid, &status, 0) == pid);
	bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 2 && daemon_log_has(&d, "picad: ");
	ok = daemon_finish(&d) && ok;
	EXPECT(ok);
	return true;
}

/* ---- Runs ---- */

int main(int argc, char **argv) {
	if (argc != 3) {
		fprintf(stderr, "usage: limits PICAD LOOP\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	const char *loop = argv[2];
	struct daemon probe;
	daemon_init(&probe, argv[1]);
	daemon_options(&probe, "--loop %s", loop);
	bool there = daemon_start(&probe) && daemon_stop(&probe) == 0;
	daemon_finish(&probe);
	if (!there) {
		return strcmp(loop, "uring") == 0 ? 77 : 1;
	}
	const char *picad = argv[1];
	bool ok = daemon_case("descriptors run out", picad, loop, few_descriptors,
			descriptors_run_out);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	/* Sanitizers need address space of their own. */
	ok = daemon_case("address space", picad, loop, NULL, address_space_runs_out) && ok;
#endif
	ok = daemon_case("files may not grow", picad, loop, NULL, files_may_not_grow) && ok;
	ok = daemon_case("uring is barred", picad, "auto", bar_uring, serves_without_uring) && ok;
	ok = reports_that_uring_is_forbidden(picad) && ok;
	return ok ? 0 : 1;
}
