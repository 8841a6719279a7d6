/* The filter of system calls. */
#include "service/sandbox.h"

#include <errno.h>

#if defined(HAVE_SECCOMP) && !defined(HAS_SANITIZER)

#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <seccomp.h>

#include "service/foreign.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define S SCMP_SYS

/*
 * Allowed with any arguments. A call that an architecture lacks has a negative number, and is
 * ignored.
 */
static const int always[] = {
	/* Descriptors that are open. */
	S(read), S(readv), S(pread64), S(write), S(writev), S(pwrite64), S(close), S(lseek),
	S(dup), S(fstat), S(fstatfs), S(ftruncate), S(getdents64),
	/* Memory that clients share, bells, wake-ups. */
	S(memfd_create), S(pipe2), S(eventfd2), S(munmap), S(mremap), S(madvise), S(brk),
	S(inotify_add_watch),
	/* Clients and the service manager; sockets cannot be made. */
	S(accept4), S(sendmsg), S(recvmsg), S(sendto), S(recvfrom), S(shutdown), S(getsockopt),
	S(getsockname),
	/* Waiting. */
	S(epoll_ctl), S(epoll_wait), S(epoll_pwait), S(epoll_pwait2), S(poll), S(ppoll),
	S(futex), S(sched_yield), S(nanosleep), S(clock_nanosleep), S(restart_syscall),
	/* Looking at itself. */
	S(clock_gettime), S(clock_getres), S(gettimeofday), S(time), S(getpid), S(gettid),
	S(getuid), S(geteuid), S(getgid), S(getegid), S(getcwd), S(getrandom), S(getrusage),
	S(sched_getaffinity), S(sysinfo), S(uname),
	/* Signals to itself, threads. */
	S(rt_sigaction), S(rt_sigprocmask), S(rt_sigreturn), S(sigaltstack),
	S(set_robust_list), S(rseq), S(membarrier), S(exit), S(exit_group),
	/* Calls with file names, which Landlock restricts. The socket is removed at the end. */
	S(stat), S(lstat), S(newfstatat), S(statx), S(access), S(faccessat), S(faccessat2),
	S(readlink), S(readlinkat), S(unlink), S(unlinkat),
};

static const int for_files[] = {
	S(open), S(openat), S(link), S(linkat), S(rename), S(renameat), S(renameat2),
	S(fchmod), S(umask), S(fsync), S(fdatasync), S(fallocate),
};

static const int for_cards[] = {
	S(open), S(openat), S(bind), S(setsockopt),
};

static const int for_seats[] = {
	S(connect), S(setsockopt),
};

static const int for_uring[] = {
	S(io_uring_enter),
};

/* The service never makes these calls, not even by mistake. */
static const int deadly[] = {
	S(execve), S(execveat), S(fork), S(vfork), S(ptrace), S(process_vm_readv),
	S(process_vm_writev), S(bpf), S(perf_event_open), S(userfaultfd), S(mount), S(umount2),
	S(pivot_root), S(chroot), S(setns), S(unshare), S(init_module), S(finit_module),
	S(delete_module), S(kexec_load), S(kexec_file_load), S(reboot), S(swapon), S(swapoff),
	S(keyctl), S(add_key), S(request_key), S(io_uring_setup), S(io_uring_register),
	S(personality),
};

/* Allowed if one argument matches: (argument & mask) == value. */
struct narrow {
	int call;
	unsigned argument;
	scmp_datum_t mask, value;
};

#define WHOLE (~(scmp_datum_t)0)

static int add(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t n) {
	int ret = 0;
	for (size_t i = 0; i < n && ret == 0; i++) {
		ret = seccomp_rule_add(filter, action, calls[i], 0);
	}
	return ret;
}

static int add_narrow(scmp_filter_ctx filter, uint32_t action, const struct narrow *n) {
	return seccomp_rule_add(filter, action, n->call, 1,
			SCMP_CMP(n->argument, SCMP_CMP_MASKED_EQ, n->mask, n->value));
}

static int add_arguments(scmp_filter_ctx filter, unsigned features) {
	const scmp_datum_t reading = O_ACCMODE | O_CREAT | O_TRUNC, ioctl_type = 0xFF00,
			   drm = 'd' << 8;
	const struct narrow narrow[] = {
		/* No new code. */
		{ SCMP_SYS(mmap), 2, PROT_EXEC, 0 },
		{ SCMP_SYS(mprotect), 2, PROT_EXEC, 0 },
		/* Threads of this process alone. */
		{ SCMP_SYS(clone), 0, CLONE_THREAD, CLONE_THREAD },
		{ SCMP_SYS(tgkill), 0, WHOLE, (scmp_datum_t)getpid() },
		{ SCMP_SYS(prctl), 0, WHOLE, PR_SET_NAME },
		{ SCMP_SYS(prlimit64), 2, WHOLE, 0 },
		/* Selects the control data of messages. */
		{ SCMP_SYS(setsockopt), 2, WHOLE, SO_PASSCRED },
		{ SCMP_SYS(setsockopt), 2, WHOLE, SO_PASSRIGHTS },
		/* The configuration is read again. */
		{ SCMP_SYS(open), 1, reading, O_RDONLY },
		{ SCMP_SYS(openat), 2, reading, O_RDONLY },
		{ SCMP_SYS(ioctl), 1, WHOLE, TCGETS },
	};
	const struct narrow cards[] = {
		{ SCMP_SYS(ioctl), 1, ioctl_type, drm },
		{ SCMP_SYS(socket), 0, WHOLE, AF_NETLINK },
	};
	const struct narrow seat = { SCMP_SYS(socket), 0, WHOLE, AF_UNIX };
	/* Not F_SETOWN and F_SETSIG: the kernel sends their signals to any process of the user. */
	static const unsigned commands[] = { F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC,
		F_ADD_SEALS, F_GET_SEALS };
	int ret = 0;
	for (size_t i = 0; i < COUNT(commands) && ret == 0; i++) {
		const struct narrow command = { SCMP_SYS(fcntl), 1, WHOLE, commands[i] };
		ret = add_narrow(filter, SCMP_ACT_ALLOW, &command);
	}
	for (size_t i = 0; i < COUNT(narrow) && ret == 0; i++) {
		bool is_open = narrow[i].call == SCMP_SYS(open) ||
				narrow[i].call == SCMP_SYS(openat);
		const bool is_option = narrow[i].call == SCMP_SYS(setsockopt);
		const unsigned whole = is_open ? SANDBOX_FILES | SANDBOX_DRM :
				       is_option ? SANDBOX_DRM | SANDBOX_SEAT :
						   0;
		if (!(features & whole)) {
			ret = add_narrow(filter, SCMP_ACT_ALLOW, &narrow[i]);
		}
	}
	for (size_t i = 0; (features & SANDBOX_DRM) && i < COUNT(cards) && ret == 0; i++) {
		ret = add_narrow(filter, SCMP_ACT_ALLOW, &cards[i]);
	}
	if ((features & SANDBOX_SEAT) && ret == 0) {
		ret = add_narrow(filter, SCMP_ACT_ALLOW, &seat);
	}
	return ret;
}

/* Allows asking the child to end, and waiting for it. */
static int add_child(scmp_filter_ctx filter, pid_t child) {
	const struct narrow narrow[] = {
		{ SCMP_SYS(kill), 0, WHOLE, (scmp_datum_t)child },
		{ SCMP_SYS(wait4), 0, WHOLE, (scmp_datum_t)child },
	};
	int ret = 0;
	for (size_t i = 0; i < COUNT(narrow) && ret == 0; i++) {
		ret = add_narrow(filter, SCMP_ACT_ALLOW, &narrow[i]);
	}
	return ret;
}

static int compose(scmp_filter_ctx filter, unsigned features, pid_t child) {
	const struct narrow new_process = { SCMP_SYS(clone), 0, CLONE_THREAD, 0 };
	const int clone3 = SCMP_SYS(clone3);
	int ret = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	ret = ret < 0 ? ret : add(filter, SCMP_ACT_ALLOW, always, COUNT(always));
	ret = ret < 0 ? ret : add(filter, SCMP_ACT_KILL_PROCESS, deadly, COUNT(deadly));
	/* The filter cannot see its arguments in memory; without it the C library uses clone(). */
	ret = ret < 0 ? ret : add(filter, SCMP_ACT_ERRNO(ENOSYS), &clone3, 1);
	ret = ret < 0 ? ret : add_narrow(filter, SCMP_ACT_KILL_PROCESS, &new_process);
	ret = ret < 0 ? ret : add_arguments(filter, features);
	ret = ret < 0 || child <= 0 ? ret : add_child(filter, child);
	if (ret == 0 && (features & SANDBOX_FILES)) {
		ret = add(filter, SCMP_ACT_ALLOW, for_files, COUNT(for_files));
	}
	if (ret == 0 && (features & SANDBOX_DRM)) {
		ret = add(filter, SCMP_ACT_ALLOW, for_cards, COUNT(for_cards));
	}
	if (ret == 0 && (features & SANDBOX_SEAT)) {
		ret = add(filter, SCMP_ACT_ALLOW, for_seats, COUNT(for_seats));
	}
	if (ret == 0 && (features & SANDBOX_URING)) {
		ret = add(filter, SCMP_ACT_ALLOW, for_uring, COUNT(for_uring));
	}
	return ret;
}

int sandbox_filter(unsigned features, pid_t child) {
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (!filter) {
		return -ENOMEM;
	}
	int ret = compose(filter, features, child);
	ret = ret < 0 ? ret : seccomp_load(filter);
	seccomp_release(filter);
	/* Errors of kernels and emulators without seccomp. */
	return ret == -EINVAL || ret == -ENOSYS || ret == -ECANCELED ? -EOPNOTSUPP : ret;
}

#else

int sandbox_filter(unsigned features, pid_t child) {
	/* built without libseccomp, or with a sanitizer, which needs further calls */
	return -EOPNOTSUPP;
}

#endif
