/*
 * Makes the k-th system call or allocation of picad fail, for every k of its life: kth PICAD
 * syscall|SHIM [STEP [FIRST]]
 *
 * picad runs with a display and recordings. Either it exits at once with a status of its own, or a
 * client gets errors or the correct picture, a later client the correct picture, and SIGTERM ends
 * it. This process answers its system calls (seccomp_unotify(2)); SHIM is failmalloc.so.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon.h"
#include "scene.h"

enum { ATTEMPTS = 3, ENOUGH = 1000000 };

/* Calls that fail, and their errors: exhausted resources, the disk, a policy of the machine. */
static const struct {
	int number, error;
} failing[] = {
	{ SYS_openat, EMFILE },
	{ SYS_read, EIO },
	{ SYS_pread64, EIO },
	{ SYS_write, ENOSPC },
	{ SYS_writev, ENOSPC },
	{ SYS_pwrite64, ENOSPC },
	{ SYS_fsync, EIO },
	{ SYS_ftruncate, ENOSPC },
	{ SYS_fallocate, ENOSPC },
	{ SYS_unlinkat, EIO },
	{ SYS_renameat2, EIO },
	{ SYS_mkdirat, ENOSPC },
	{ SYS_fchmod, EPERM },
	{ SYS_fchmodat, EPERM },
	{ SYS_fstat, EIO },
	{ SYS_newfstatat, EIO },
	{ SYS_flock, ENOLCK },
	{ SYS_mmap, ENOMEM },
	{ SYS_mprotect, ENOMEM },
	{ SYS_madvise, EAGAIN },
	{ SYS_memfd_create, EMFILE },
	{ SYS_pipe2, EMFILE },
	{ SYS_eventfd2, EMFILE },
	{ SYS_epoll_create1, EMFILE },
	{ SYS_epoll_ctl, ENOMEM },
	{ SYS_timerfd_create, EMFILE },
	{ SYS_signalfd4, EMFILE },
	{ SYS_dup, EMFILE },
	{ SYS_dup3, EBUSY },
	{ SYS_fcntl, EMFILE },
	{ SYS_socket, EMFILE },
	{ SYS_socketpair, EMFILE },
	{ SYS_bind, EADDRINUSE },
	{ SYS_listen, EADDRINUSE },
	{ SYS_accept4, EMFILE },
	{ SYS_connect, EAGAIN },
	{ SYS_sendmsg, ENOBUFS },
	{ SYS_sendto, ENOBUFS },
	{ SYS_recvmsg, ENOMEM },
	{ SYS_getsockopt, ENOBUFS },
	{ SYS_setsockopt, ENOBUFS },
	{ SYS_clone, EAGAIN },
	{ SYS_clone3, EAGAIN },
	{ SYS_getrandom, EINTR },
	{ SYS_prctl, EPERM },
	{ SYS_seccomp, ENOMEM },
	{ SYS_landlock_create_ruleset, EOPNOTSUPP },
	{ SYS_landlock_add_rule, EINVAL },
	{ SYS_landlock_restrict_self, E2BIG },
	{ SYS_prlimit64, EPERM },
	{ SYS_sched_getaffinity, EPERM },
#ifdef __x86_64__ /* calls of old that others lack */
	{ SYS_open, EMFILE },
	{ SYS_unlink, EIO },
	{ SYS_rename, EIO },
	{ SYS_mkdir, ENOSPC },
	{ SYS_chmod, EPERM },
	{ SYS_rmdir, EIO },
	{ SYS_link, EMLINK },
	{ SYS_pipe, EMFILE },
#endif
};

enum { KINDS = sizeof(failing) / sizeof(failing[0]) };

/* Shared by the process that becomes picad and the thread that answers its calls. */
static struct shared {
	atomic_int listener, pid;
	atomic_bool is_answered;
} * shared;

static const char *shim;
static unsigned fail_at;
static atomic_uint calls;
static atomic_int failed; /* the number of the call, -1: none */

/* ---- In picad ---- */

static void listen_to_calls(void) {
	struct sock_filter code[2 * KINDS + 2] = { BPF_STMT(
			BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	unsigned n = 1;
	for (unsigned i = 0; i < KINDS; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(
				BPF_JMP | BPF_JEQ | BPF_K, (unsigned)failing[i].number, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = { (unsigned short)n, code };
	atomic_store(&shared->pid, (int)getpid());
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
		_exit(127);
	}
	const long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	if (fd < 0) {
		_exit(127);
	}
	atomic_store(&shared->listener, (int)fd);
	while (!atomic_load(&shared->is_answered)) { /* calls that wait for nobody */
	}
}

static void load_shim(void) {
	char at[16];
	snprintf(at, sizeof(at), "%u", fail_at);
	setenv("FAILMALLOC", at, 1);
	setenv("LD_PRELOAD", shim, 1);
}

/* ---- Answers ---- */

static int error_of(int number) {
	for (unsigned i = 0; i < KINDS; i++) {
		if (failing[i].number == number) {
			return failing[i].error;
		}
	}
	return EIO;
}

/* A pipe or an event counter is not a disk. */
static bool is_not_of_a_file(const struct seccomp_notif *call) {
	static const int of_files[] = { SYS_read, SYS_write, SYS_writev, SYS_pread64,
		SYS_pwrite64 };
	char path[64], target[8] = "";
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)call->pid, (int)call->data.args[0]);
	for (unsigned i = 0; i < sizeof(of_files) / sizeof(of_files[0]); i++) {
		if (of_files[i] == call->data.nr) {
			return readlink(path, target, sizeof(target)) <= 0 || target[0] != '/';
		}
	}
	return false;
}

static void answer(int listener) {
	struct seccomp_notif call = { .id = 0 };
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0) {
		return; /* a signal came between */
	}
	struct seccomp_notif_resp resp = { .id = call.id };
	if (!is_not_of_a_file(&call) && atomic_fetch_add(&calls, 1) == fail_at) {
		atomic_store(&failed, call.data.nr);
		resp.error = -error_of(call.data.nr);
	} else {
		resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	}
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
}

/* Until no process is left that the filter holds. */
static void *answer_all(void *arg) {
	while (atomic_load(&shared->listener) < 0) {
		raw_nap_us(100);
	}
	const int pidfd = (int)syscall(SYS_pidfd_open, atomic_load(&shared->pid), 0);
	const int listener =
			(int)syscall(SYS_pidfd_getfd, pidfd, atomic_load(&shared->listener), 0);
	atomic_store(&shared->is_answered, true);
	struct pollfd p = { .fd = listener, .events = POLLIN };
	while (poll(&p, 1, -1) >= 0 && !(p.revents & (POLLHUP | POLLERR))) {
		if (p.revents & POLLIN) {
			answer(listener);
		}
	}
	close(listener);
	close(pidfd);
	return NULL;
}

/* ---- Clients ---- */

/* 0: the right picture. -EIO: a wrong one. */
static int use(const char *path) {
	struct neighbour n;
	struct pica_done done;
	int64_t region = 0;
	int ret = neighbour_open(&n, path);
	if (ret < 0) {
		return ret;
	}
	ret = neighbour_frame(&n);
	if (ret == 0) {
		raw_slot(&n.raw, n.context, PICA_OP_PRESENT, 2)->u.present.screens = 3;
		raw_publish(&n.raw);
		ret = raw_wait(&n.raw, &done, RAW_PATIENCE_MS);
	}
	if (ret == 0) {
		region = raw_region(&n.raw, 0, 0, 1 << 20, NULL, NULL);
		ret = region < 0 ? (int)region :
				   raw_object(&n.raw, PICA_MSG_REGION_DESTROY, (uint64_t)region);
	}
	ret = ret == 0 ? neighbour_frame(&n) : ret;
	neighbour_close(&n);
	return ret;
}

/* NULL, or what was wrong. */
static const char *serves(struct daemon *d) {
	int ret = -1;
	for (unsigned i = 0; i < ATTEMPTS && ret < 0; i++) {
		ret = use(d->socket);
		if (ret == -EIO || ret == -ETIME) {
			return ret == -EIO ? "another picture" : "an answer did not come";
		}
	}
	if (!daemon_is_alive(d)) {
		return "it ended";
	}
	return ret < 0 ? "later clients are not served" : NULL;
}

/* Runs picad with the failure of call `at`. Returns NULL or a description of the error.
 * *has_failed: the call happened. */
static const char *run(const char *picad, unsigned at, bool *has_failed) {
	struct daemon d;
	pthread_t thread;
	const char *what = NULL;
	fail_at = at;
	atomic_store(&calls, 0);
	atomic_store(&failed, -1);
	atomic_store(&shared->listener, -1);
	atomic_store(&shared->is_answered, false);
	daemon_init(&d, picad);
	daemon_options(&d, "--threads 1 --loop epoll --display headless --headless 400x480@200 --record %s",
			d.folder);
	d.is_quiet = true;
	d.before_exec = shim ? load_shim : listen_to_calls;
	if (!shim && pthread_create(&thread, NULL, answer_all, NULL) != 0) {
		return "no thread";
	}
	const bool is_there = daemon_start(&d);
	if (is_there) {
		what = serves(&d);
	}
	if (is_there && daemon_is_alive(&d)) {
		daemon_stop(&d);
	}
	if (!what && !WIFEXITED(d.status)) {
		what = "killed by a signal, or it did not end";
	}
	if (!what && !is_there && WEXITSTATUS(d.status) == 0) {
		what = "it did not start, and says that all is well";
	}
	if (what) {
		printf("call %u (%d): %s; status %x\n", at, atomic_load(&failed), what,
				(unsigned)d.status);
		daemon_print_log(&d);
	}
	daemon_kill(&d);
	if (!shim) {
		pthread_join(thread, NULL);
	}
	*has_failed = shim ? daemon_log_has(&d, "failmalloc") : atomic_load(&failed) >= 0;
	daemon_finish(&d);
	return what;
}

int main(int argc, char **argv) {
	if (argc < 3) {
		fprintf(stderr, "usage: kth PICAD syscall|SHIM [STEP [FIRST]]\n");
		return 2;
	}
	const unsigned step = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	const unsigned first = argc > 4 ? (unsigned)atoi(argv[4]) : 1; /* 0: the loader's */
	unsigned runs = 0, bad = 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	shim = strcmp(argv[2], "syscall") == 0 ? NULL : argv[2];
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			0);
	if (shared == MAP_FAILED || step < 1) {
		return 2;
	}
	scene_expected();
	/* Until a run has fewer calls than that. */
	for (unsigned at = first; at < ENOUGH; at += step, runs++) {
		bool has_failed = false;
		bad += run(argv[1], at, &has_failed) != NULL;
		if (!has_failed) {
			break;
		}
	}
	printf("%s: %u runs, %u bad\n", shim ? "allocations" : "system calls", runs, bad);
	return bad != 0 || runs == 0;
}
