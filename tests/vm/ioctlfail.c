/*
 * Preloaded in a virtual machine: makes calls fail as only real cards do.
 *
 *   IOCTLFAIL=NR:ERRNO[:FIRST[:COUNT]][,...] LD_PRELOAD=/ioctlfail.so picad ...
 *
 * NR: number of a DRM request in hexadecimal (bc: an atomic commit, a2: a mode of old, b2: a dumb
 * buffer). Its calls FIRST (1) to FIRST+COUNT-1 fail with ERRNO, or all from FIRST on.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NUMBERS = 256, FIELDS = 4 };

static atomic_uint calls[NUMBERS];

/* The errno that the n-th call of a number gets, or 0. */
static int failure(const char *rules, unsigned number, unsigned n) {
	while (rules && *rules) {
		unsigned long field[FIELDS] = { 0, 0, 1, 0 };
		for (int i = 0; i < FIELDS; i++) {
			char *end;
			field[i] = strtoul(rules, &end, i ? 10 : 16);
			rules = end;
			if (*rules != ':') {
				break;
			}
			rules++;
		}
		if (field[0] == number && n >= field[2] && (!field[3] || n - field[2] < field[3])) {
			return (int)field[1];
		}
		if (*rules != ',') {
			break;
		}
		rules++;
	}
	return 0;
}

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...) {
	va_list args;
	va_start(args, request);
	void *arg = va_arg(args, void *);
	va_end(args);
	if (_IOC_TYPE(request) == 'd') {
		const unsigned number = _IOC_NR(request) % NUMBERS;
		const unsigned n = atomic_fetch_add(&calls[number], 1) + 1;
		const int error = failure(getenv("IOCTLFAIL"), number, n);
		if (error) {
			errno = error;
			return -1;
		}
	}
	return (int)syscall(SYS_ioctl, fd, request, arg);
}
