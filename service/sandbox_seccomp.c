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

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Whatever their arguments are. A name that a machine lacks is a negative number there, and
 * ignored.
 */
static const int always[] = {
	/* Descriptors that are open. */
	SCMP_SYS(read),
	SCMP_SYS(readv),
	SCMP_SYS(pread64),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(pwrite64),
	SCMP_SYS(close),
	SCMP_SYS(lseek),
	SCMP_SYS(fcntl),
	SCMP_SYS(dup),
	SCMP_SYS(fstat),
	SCMP_SYS(fstatfs),
	SCMP_SYS(ftruncate),
	SCMP_SYS(getdents64),
	/* Memory that clients share, bells, wake-ups. */
	SCMP_SYS(memfd_create),
	SCMP_SYS(pipe2),
	SCMP_SYS(eventfd2),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(brk),
	/* Clients and the service manager; sockets cannot be made. */
	SCMP_SYS(accept4),
	SCMP_SYS(sendmsg),
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendto),
	SCMP_SYS(recvfrom),
	SCMP_SYS(shutdown),
	SCMP_SYS(getsockopt),
	SCMP_SYS(getsockname),
	/* Waiting. */
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_pwait2),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(futex),
	SCMP_SYS(sched_yield),
	SCMP_SYS(nanosleep),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(restart_syscall),
	/* Looking at itself. */
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_getres),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(getuid),
	SCMP_SYS(geteuid),
	SCMP_SYS(getgid),
	SCMP_SYS(getegid),
	SCMP_SYS(getcwd),
	SCMP_SYS(getrandom),
	SCMP_SYS(getrusage),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sysinfo),
	SCMP_SYS(uname),
	/* Signals to itself, threads. */
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(rseq),
	SCMP_SYS(membarrier),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	/* Names of files: which ones is for Landlock to say. The socket goes at the end. */
	SCMP_SYS(stat),
	SCMP_SYS(lstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(statx),
	SCMP_SYS(access),
	SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	SCMP_SYS(unlink),
	SCMP_SYS(unlinkat),
};

static const int for_files[] = {
	SCMP_SYS(open),
	SCMP_SYS(openat),
	SCMP_SYS(link),
	SCMP_SYS(linkat),
	SCMP_SYS(rename),
	SCMP_SYS(renameat),
	SCMP_SYS(renameat2),
	SCMP_SYS(fchmod),
	SCMP_SYS(umask),
	SCMP_SYS(fsync),
	SCMP_SYS(fdatasync),
	SCMP_SYS(fallocate),
};

static const int for_cards[] = {
	SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(bind), SCMP_SYS(setsockopt),
};

static const int for_seats[] = { SCMP_SYS(connect), SCMP_SYS(setsockopt) };

static const int for_uring[] = { SCMP_SYS(io_uring_enter) };

/* The service never makes these calls, not even by mistake. */
static const int deadly[] = {
	SCMP_SYS(execve),
	SCMP_SYS(execveat),
	SCMP_SYS(fork),
	SCMP_SYS(vfork),
	SCMP_SYS(ptrace),
	SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev),
	SCMP_SYS(bpf),
	SCMP_SYS(perf_event_open),
	SCMP_SYS(userfaultfd),
	SCMP_SYS(mount),
	SCMP_SYS(umount2),
	SCMP_SYS(pivot_root),
	SCMP_SYS(chroot),
	SCMP_SYS(setns),
	SCMP_SYS(unshare),
	SCMP_SYS(init_module),
	SCMP_SYS(finit_module),
	SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load),
	SCMP_SYS(kexec_file_load),
	SCMP_SYS(reboot),
	SCMP_SYS(swapon),
	SCMP_SYS(swapoff),
	SCMP_SYS(keyctl),
	SCMP_SYS(add_key),
	SCMP_SYS(request_key),
	SCMP_SYS(io_uring_setup),
	SCMP_SYS(io_uring_register),
	SCMP_SYS(personality),
};

/* With one argument as it has to be: (argument & mask) == value. */
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
	int ret = 0;
	for (size_t i = 0; i < COUNT(narrow) && ret == 0; i++) {
		bool is_open = narrow[i].call == SCMP_SYS(open) ||
				narrow[i].call == SCMP_SYS(openat);
		if (!is_open || !(features & (SANDBOX_FILES | SANDBOX_DRM))) {
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

/* It is asked to end, and waited for. */
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
	/* Its arguments lie in memory: the C library takes clone() when there is none. */
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
	/* The error of kernels without it, and of their emulators. */
	return ret == -EINVAL || ret == -ENOSYS || ret == -ECANCELED ? -EOPNOTSUPP : ret;
}

#else

int sandbox_filter(unsigned features, pid_t child) {
	/*
	 * built without libseccomp, or with a sanitizer, which needs more calls than there are here
	 */
	return -EOPNOTSUPP;
}

#endif
