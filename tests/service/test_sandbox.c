/* Permissions of the confined service, each tried in a child. */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/privileges.h"
#include "service/sandbox.h"
#include "tests/suite.h"

enum { MISSING = 249, KILLED = 1000, DRM_VERSION = (int)0xC0406400 };

static char inside[] = "/tmp/test_sandbox.in.XXXXXX", outside[] = "/tmp/test_sandbox.out.XXXXXX";

/* ---- Things to try: 0, or the errno that came of it ---- */

static int result(long ret) {
	return ret < 0 ? errno : 0;
}

static int open_in(const char *folder, int flags) {
	char path[100];
	snprintf(path, sizeof(path), "%s/file", folder);
	return open(path, flags, 0600);
}

/* An attempt that is one call. */
#define TRY(name, call) \
	static int try_##name(void) { \
		return result(call); \
	}
TRY(ptrace, ptrace(PTRACE_TRACEME, 0, NULL, NULL))
TRY(unshare, syscall(SYS_unshare, 0))
TRY(uring_setup, syscall(SYS_io_uring_setup, 8, NULL))
TRY(internet, socket(AF_INET, SOCK_STREAM, 0))
TRY(unix_socket, socket(AF_UNIX, SOCK_STREAM, 0))
TRY(connect, connect(-1, NULL, 0)) /* no socket: what it says is another error */
TRY(kernel_messages, socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT))
TRY(kill_parent, kill(getppid(), 0))
TRY(setuid, setuid(getuid()))
TRY(terminal_input, ioctl(0, TIOCSTI, "x"))
TRY(dumpable, prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))
TRY(read_inside, open_in(inside, O_RDONLY))
TRY(write_inside, open_in(inside, O_WRONLY))
TRY(read_outside, open_in(outside, O_RDONLY))
TRY(write_outside, open_in(outside, O_WRONLY | O_CREAT))

static int try_execve(void) {
	char *argv[] = { (char *)"true", NULL };
	return result(execve("/bin/true", argv, NULL));
}

static int try_fork(void) {
	pid_t pid = fork();
	if (pid == 0) {
		_exit(0);
	}
	return result(pid);
}

/* If one of them is missing no signal is sent; both make the kernel kill the parent. */
static int try_owner_of_signals(void) {
	const int fd = eventfd(0, 0);
	return result(fcntl(fd, F_SETOWN, getppid()));
}

static int try_choose_signal(void) {
	const int fd = eventfd(0, 0);
	return result(fcntl(fd, F_SETSIG, SIGKILL));
}

static int try_commands(void) {
	const int fd = eventfd(0, 0), again = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return result(again < 0 || fcntl(again, F_SETFD, fcntl(again, F_GETFD)) < 0 ||
					fcntl(again, F_SETFL, fcntl(again, F_GETFL)) < 0 ?
			-1 :
			0);
}

/* A socket of the parent: EPERM, or whatever says that it was looked for. */
static int try_abstract_socket(void) {
	const struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = "\0test_sandbox" };
	const int sock = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	return result(connect(sock, (const struct sockaddr *)&addr, sizeof(addr)));
}

static int try_new_code(void) {
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return result(p == MAP_FAILED ? -1 : 0);
}

static int try_code_from_data(void) {
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? -1 : result(mprotect(p, 4096, PROT_READ | PROT_EXEC));
}

static int try_raise_limit(void) {
	const struct rlimit r = { 16, 16 };
	return result(setrlimit(RLIMIT_NOFILE, &r));
}

static int try_card(void) {
	char version[64] = { 0 };
	int fd = eventfd(0, 0); /* no card: what it says is another error */
	return result(ioctl(fd, (unsigned long)(unsigned)DRM_VERSION, version));
}

static int try_make_inside(void) {
	char from[100], to[100];
	snprintf(from, sizeof(from), "%s/new", inside);
	snprintf(to, sizeof(to), "%s/renamed", inside);
	int fd = open(from, O_CREAT | O_EXCL | O_RDWR, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1 || fsync(fd) < 0 || rename(from, to) < 0 ||
			unlink(to) < 0) {
		return errno;
	}
	return 0;
}

static int try_move_outside(void) {
	char from[100], to[100];
	snprintf(from, sizeof(from), "%s/file", inside);
	snprintf(to, sizeof(to), "%s/moved", outside);
	return result(rename(from, to));
}

static void *do_nothing(void *arg) {
	return arg;
}

/* The ordinary work of the service. */
static int try_daily_work(void) {
	pthread_t thread;
	int pipes[2], memfd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING),
		      wake = eventfd(0, EFD_CLOEXEC);
	struct stat st;
	if (memfd < 0 || wake < 0 || pipe2(pipes, O_CLOEXEC | O_NONBLOCK) < 0 ||
			ftruncate(memfd, 8192) < 0 ||
			fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0 ||
			fstat(memfd, &st) < 0) {
		return errno;
	}
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	if (p == MAP_FAILED || write(pipes[1], "x", 1) != 1 || read(pipes[0], p, 1) != 1 ||
			munmap(p, 8192) < 0) {
		return errno;
	}
	void *large = malloc(64 << 20); /* a mapping */
	large = realloc(large, 128 << 20);
	free(large);
	int ret = pthread_create(&thread, NULL, do_nothing, NULL);
	return ret ? ret : pthread_join(thread, NULL);
}

static int try_epoll(void) {
	int fds[2];
	static int epoll = -1;
	struct epoll_event e = { .events = EPOLLIN };
	if (epoll < 0) { /* made before the sandbox: the first call is outside of it */
		epoll = epoll_create1(0);
		return 0;
	}
	if (pipe2(fds, 0) < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &e) < 0 ||
			write(fds[1], "x", 1) != 1) {
		return errno;
	}
	return epoll_wait(epoll, &e, 1, -1) == 1 ? 0 : errno;
}

/* ---- In a child ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int (*thread_attempt)(void);

static void *wait_and_try(void *arg) {
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return (void *)(intptr_t)thread_attempt();
}

/* Its exit status; KILLED: a call ended it. */
static int status_of(pid_t pid) {
	int status;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status)) {
		ck_assert_int_eq(WTERMSIG(status), SIGSYS);
		return KILLED;
	}
	return WEXITSTATUS(status);
}

/*
 * attempt's errno; KILLED: the attempt ended the process. by_thread: on one that was there before.
 */
static int in_sandbox(unsigned features, int (*attempt)(void), bool by_thread) {
	pid_t pid = fork();
	if (pid == 0) {
		pthread_t thread;
		void *ret;
		thread_attempt = attempt;
		pthread_mutex_lock(&mutex);
		if (by_thread && pthread_create(&thread, NULL, wait_and_try, NULL) != 0) {
			_exit(250);
		}
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		int filter = sandbox_filter(features, 0);
		pthread_mutex_unlock(&mutex);
		if (filter < 0) {
			_exit(251);
		}
		if (by_thread) {
			pthread_join(thread, &ret);
			_exit((int)(intptr_t)ret);
		}
		_exit(attempt());
	}
	const int status = status_of(pid);
	ck_assert(status < 250 || status == KILLED);
	return status;
}

struct attempt {
	const char *name;
	unsigned features;
	int (*attempt)(void);
	int expected;
};

static const struct attempt attempts[] = {
	{ "a program", 0, try_execve, KILLED },
	{ "a process", 0, try_fork, KILLED },
	{ "tracing", 0, try_ptrace, KILLED },
	{ "a name space", 0, try_unshare, KILLED },
	{ "another ring", SANDBOX_URING, try_uring_setup, KILLED },
	{ "the internet", 0, try_internet, EPERM },
	{ "the internet beside a display",
			SANDBOX_FILES | SANDBOX_URING | SANDBOX_DRM | SANDBOX_SEAT, try_internet,
			EPERM },
	{ "a socket", SANDBOX_FILES | SANDBOX_URING, try_unix_socket, EPERM },
	{ "a socket beside a card", SANDBOX_FILES | SANDBOX_DRM, try_unix_socket, EPERM },
	{ "a connection beside a card", SANDBOX_FILES | SANDBOX_DRM, try_connect, EPERM },
	{ "plugs", SANDBOX_DRM, try_kernel_messages, 0 },
	{ "plugs without a card", SANDBOX_FILES | SANDBOX_SEAT, try_kernel_messages, EPERM },
	{ "a seat", SANDBOX_SEAT, try_unix_socket, 0 },
	{ "a seat's connection", SANDBOX_SEAT, try_connect, EBADF },
	{ "a signal", 0, try_kill_parent, EPERM },
	{ "signals by the kernel", SANDBOX_DRM | SANDBOX_SEAT, try_owner_of_signals, EPERM },
	{ "others than SIGIO", SANDBOX_FILES | SANDBOX_DRM, try_choose_signal, EPERM },
	{ "commands of files", 0, try_commands, 0 },
	{ "another user", 0, try_setuid, EPERM },
	{ "code", 0, try_new_code, EPERM },
	{ "code out of data", 0, try_code_from_data, EPERM },
	{ "other limits", 0, try_raise_limit, EPERM },
	{ "typing", SANDBOX_DRM, try_terminal_input, EPERM },
	{ "being dumped", 0, try_dumpable, EPERM },
	{ "a card without a display", 0, try_card, EPERM },
	{ "a card", SANDBOX_DRM, try_card, ENOTTY },
	{ "reading", 0, try_read_inside, 0 },
	{ "writing", 0, try_write_inside, EPERM },
	{ "making", 0, try_make_inside, EPERM },
	{ "writing where that is needed", SANDBOX_FILES, try_write_inside, 0 },
	{ "making where that is needed", SANDBOX_FILES, try_make_inside, 0 },
	{ "the work of the day", 0, try_daily_work, 0 },
};
enum { N_ATTEMPTS = sizeof(attempts) / sizeof(attempts[0]) };

/* Without Check, whose tests have not begun. */
static bool has_filter(void) {
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		_exit(sandbox_filter(0, 0) == -EOPNOTSUPP);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

TEST_LOOP(filter_allows_needed_calls, has_filter() ? 2 * N_ATTEMPTS : 0) {
	const struct attempt *a = &attempts[_i / 2];
	int ret = in_sandbox(a->features, a->attempt, _i % 2);
	ck_assert_msg(ret == a->expected, "%s: %s", a->name,
			ret == KILLED ? "killed" : strerror(ret));
}

TEST_LOOP(waiting_continues, has_filter()) {
	try_epoll();
	ck_assert_int_eq(in_sandbox(0, try_epoll, false), 0);
}

static pid_t start_sleeper(void) {
	const pid_t pid = fork();
	if (pid == 0) {
		signal(SIGTERM, SIG_DFL); /* Check has a handler */
		pause();
		_exit(0);
	}
	return pid;
}

static int end_own_child(void) {
	int status = 0;
	signal(SIGTERM, SIG_DFL); /* before they are there: Check's own would end the group */
	const pid_t child = start_sleeper(), other = start_sleeper();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (sandbox_filter(0, child) < 0) {
		return 251;
	}
	if (kill(other, SIGTERM) == 0 || kill(getppid(), 0) == 0 || kill(-1, 0) == 0 ||
			waitpid(other, &status, WNOHANG) >= 0 ||
			waitpid(-1, &status, WNOHANG) >= 0) {
		return 250;
	}
	if (kill(child, SIGTERM) < 0 || waitpid(child, &status, 0) != child) {
		return errno;
	}
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : 249;
}

/* The keeper of a kiosk's program, which was started before: no other process. */
TEST_LOOP(one_child_can_be_ended, has_filter()) {
	const pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		_exit(end_own_child());
	}
	const int status = status_of(pid);
	kill(-pid, SIGKILL); /* the other one */
	ck_assert_int_eq(status, 0);
}

/* ---- Folders ---- */

static int in_folders_of(enum sandbox_right right, int (*attempt)(void), bool has_child) {
	pid_t pid = fork();
	if (pid == 0) {
		const struct sandbox_folder folders[] = { { inside, right },
			{ "/nonexistent/folder", SANDBOX_WRITE } };
		int ret = sandbox_folders(folders, 2, has_child);
		_exit(ret == -EOPNOTSUPP ? MISSING : ret < 0 ? 251 : attempt());
	}
	const int status = status_of(pid);
	ck_assert_int_lt(status, 250);
	return status;
}

static int in_folders(enum sandbox_right right, int (*attempt)(void)) {
	return in_folders_of(right, attempt, false);
}

TEST(nothing_outside_is_reached_by_signals_and_abstract_sockets) {
	const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	if (version < 6) {
		printf("Landlock %ld: no scopes\n", version);
		return;
	}
	const struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = "\0test_sandbox" };
	const int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(sock, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(sock, 4), 0);
	ck_assert_int_eq(try_abstract_socket(), 0);
	ck_assert_int_eq(in_folders(SANDBOX_READ, try_abstract_socket), EPERM);
	ck_assert_int_eq(in_folders(SANDBOX_READ, try_kill_parent), EPERM);
	ck_assert_int_eq(in_folders_of(SANDBOX_READ, try_kill_parent, true), 0);
	ck_assert_int_eq(in_folders_of(SANDBOX_READ, try_abstract_socket, true), EPERM);
	close(sock);
}

TEST(folders_are_all_that_is_left) {
	if (in_folders(SANDBOX_READ, try_read_inside) == MISSING) {
		printf("no Landlock here\n");
		return;
	}
	ck_assert_int_eq(in_folders(SANDBOX_READ, try_read_inside), 0);
	ck_assert_int_eq(in_folders(SANDBOX_READ, try_write_inside), EACCES);
	ck_assert_int_eq(in_folders(SANDBOX_READ, try_read_outside), EACCES);
	ck_assert_int_eq(in_folders(SANDBOX_WRITE, try_make_inside), 0);
	ck_assert_int_eq(in_folders(SANDBOX_WRITE, try_write_outside), EACCES);
	int moved = in_folders(SANDBOX_WRITE, try_move_outside); /* by the kernel's age */
	ck_assert(moved == EXDEV || moved == EACCES);
	ck_assert_int_eq(in_folders(SANDBOX_REMOVE, try_read_inside), EACCES);
}

/* ---- Privileges ---- */

static int lose(void) {
	struct rlimit r;
	if (privileges_reduce() < 0) {
		return errno;
	}
	if (getrlimit(RLIMIT_CORE, &r) < 0 || r.rlim_max != 0 ||
			prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) {
		return 1;
	}
	char line[256];
	FILE *status = fopen("/proc/self/status", "r");
	int n = 0;
	while (status && fgets(line, sizeof(line), status)) {
		n += strcmp(line, "CapEff:\t0000000000000000\n") == 0 ||
				strcmp(line, "CapPrm:\t0000000000000000\n") == 0;
	}
	return n == 2 ? 0 : 2;
}

static int become_nobody(void) {
	struct identity id;
	int ret = identity_find(&id, "nobody:nogroup");
	ret = ret < 0 ? ret : identity_assume(&id);
	bool is_nobody = getuid() == id.uid && geteuid() == id.uid && getgid() == id.gid &&
			getgroups(0, NULL) == 0;
	return ret < 0 ? -ret : !is_nobody || id.uid == 0 || open("/etc/shadow", O_RDONLY) >= 0;
}

static int in_child(int (*fn)(void)) {
	pid_t pid = fork();
	if (pid == 0) {
		_exit(fn());
	}
	return status_of(pid);
}

TEST(privileges_are_lost_for_good) {
	struct identity id;
	ck_assert_int_eq(in_child(lose), 0);
	ck_assert_int_eq(identity_find(&id, NULL), 0);
	ck_assert(!id.is_set);
	ck_assert_int_eq(identity_find(&id, "no-such-user-at-all"), -EINVAL);
	ck_assert_int_eq(identity_find(&id, ""), -EINVAL);
	ck_assert_int_eq(identity_find(&id, "nobody:"), -EINVAL);
	ck_assert_int_eq(identity_find(&id, "nobody:no-such-group"), -EINVAL);
	ck_assert_int_eq(identity_find(&id, "4294967295"), -EINVAL);
	if (geteuid() != 0) {
		ck_assert_int_eq(identity_find(&id, "nobody"), -EPERM);
		return;
	}
	ck_assert_int_eq(identity_find(&id, "12345:54321"), 0);
	ck_assert_uint_eq(id.uid, 12345);
	ck_assert_uint_eq(id.gid, 54321);
	ck_assert_int_eq(in_child(become_nobody), 0);
}

int main(void) {
	if (!mkdtemp(inside) || !mkdtemp(outside)) {
		return 1;
	}
	close(open_in(inside, O_CREAT | O_WRONLY));
	close(open_in(outside, O_CREAT | O_WRONLY));
	if (!has_filter()) {
		printf("no filter of system calls here\n");
	}
	int failed = suite_run();
	char path[100];
	snprintf(path, sizeof(path), "%s/file", inside);
	unlink(path);
	snprintf(path, sizeof(path), "%s/file", outside);
	unlink(path);
	rmdir(inside);
	rmdir(outside);
	return failed;
}
