/*
 * The C library's clocks, sleeps and random numbers as the program sees them: the same in every
 * run. libpica and its client call the same functions, from their threads and from the program's,
 * and get the real ones. A sanitizer hides who calls: with one, all calls are real.
 */
#include "host.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <3ds/os.h>

enum { MAX_LIBRARIES = 4, NS = 1000000000, RANDOM_FILE_BYTES = 1 << 20, MOST_ENTROPY = 256 };

/* The console's clock starts with the year 2000. */
static const time_t year_2000 = 10957 * 24 * 3600;

/* ---- Callers ---- */

static struct {
	uintptr_t begin, end;
} libraries[MAX_LIBRARIES]; /* whose calls are not the program's */
static unsigned n_libraries;
static int (*real_gettime)(clockid_t id, struct timespec *out);

static int note_library(struct dl_phdr_info *info, size_t size, void *user) {
	const char *slash = strrchr(info->dlpi_name, '/'),
		   *name = slash ? slash + 1 : info->dlpi_name;
	uintptr_t end = 0;
	(void)size;
	(void)user;
	if (strncmp(name, "libpica", strlen("libpica")) != 0 || n_libraries == MAX_LIBRARIES) {
		return 0;
	}
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		const uintptr_t at = part->p_vaddr + part->p_memsz;
		end = part->p_type == PT_LOAD && at > end ? at : end;
	}
	libraries[n_libraries].begin = info->dlpi_addr;
	libraries[n_libraries++].end = info->dlpi_addr + end;
	return 0;
}

void host_clocks_begin(void) {
	*(void **)&real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
	if (!dlsym(RTLD_DEFAULT, "__asan_init") && !dlsym(RTLD_DEFAULT, "__tsan_init")) {
		dl_iterate_phdr(note_library, NULL);
	}
}

static bool is_program(const void *caller) {
	const uintptr_t at = (uintptr_t)caller;
	for (unsigned i = 0; i < n_libraries; i++) {
		if (at >= libraries[i].begin && at < libraries[i].end) {
			return false;
		}
	}
	return n_libraries && getpid() == host_options.process;
}

#define IS_PROGRAM() is_program(PICA_CALLER())

/* ---- Clocks ---- */

/* The C library's own threads do not advance the time. */
static uint64_t program_ns(void) {
	const uint64_t now = host_takes_turns ? svcGetSystemTick() : host_now;
	return now / SYSCLOCK_ARM11 * NS + now % SYSCLOCK_ARM11 * NS / SYSCLOCK_ARM11;
}

static time_t epoch(clockid_t id) {
	return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE || id == CLOCK_TAI ? year_2000 :
											 0;
}

static int get_time(bool is_program, clockid_t id, struct timespec *out) {
	if (!is_program || id < 0 || id > CLOCK_TAI) {
		return real_gettime ? real_gettime(id, out) :
				      (int)syscall(SYS_clock_gettime, id, out);
	}
	const uint64_t ns = program_ns();
	*out = (struct timespec){ epoch(id) + (time_t)(ns / NS), (long)(ns % NS) };
	return 0;
}

PICA_EXPORT int clock_gettime(clockid_t id, struct timespec *out) {
	return get_time(IS_PROGRAM(), id, out);
}

PICA_EXPORT int timespec_get(struct timespec *out, int base) {
	return base == TIME_UTC && get_time(IS_PROGRAM(), CLOCK_REALTIME, out) == 0 ? base : 0;
}

PICA_EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone) {
	struct timespec now;
	(void)zone;
	get_time(IS_PROGRAM(), CLOCK_REALTIME, &now);
	*out = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
	return 0;
}

PICA_EXPORT time_t time(time_t *out) {
	struct timespec now;
	get_time(IS_PROGRAM(), CLOCK_REALTIME, &now);
	if (out) {
		*out = now.tv_sec;
	}
	return now.tv_sec;
}

PICA_EXPORT clock_t clock(void) {
	struct timespec now;
	get_time(IS_PROGRAM(), CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (NS / CLOCKS_PER_SEC);
}

/* ---- Sleeps ---- */

/* Returns 0, or an error number. */
static int sleep_on(bool is_program, clockid_t id, int flags, const struct timespec *time,
		struct timespec *left) {
	if (!is_program || !host_takes_turns) {
		return syscall(SYS_clock_nanosleep, id, flags, time, left) < 0 ? errno : 0;
	}
	if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= NS) {
		return EINVAL;
	}
	int64_t s = time->tv_sec, ns = time->tv_nsec;
	if (flags & TIMER_ABSTIME) {
		const int64_t now = (int64_t)program_ns();
		s -= epoch(id) + now / NS;
		ns -= now % NS;
	}
	s = s < INT64_MAX / NS - 1 ? s : INT64_MAX / NS - 1;
	if (s * NS + ns > 0) {
		svcSleepThread(s * NS + ns);
	}
	return 0;
}

static int sleep_for(bool is_program, const struct timespec *time, struct timespec *left) {
	const int error = sleep_on(is_program, CLOCK_REALTIME, 0, time, left);
	errno = error ? error : errno;
	return error ? -1 : 0;
}

PICA_EXPORT int clock_nanosleep(clockid_t id, int flags, const struct timespec *time,
		struct timespec *left) {
	return sleep_on(IS_PROGRAM(), id, flags, time, left);
}

PICA_EXPORT int nanosleep(const struct timespec *time, struct timespec *left) {
	return sleep_for(IS_PROGRAM(), time, left);
}

PICA_EXPORT int usleep(useconds_t us) {
	const struct timespec time = { us / 1000000, us % 1000000 * 1000L };
	return sleep_for(IS_PROGRAM(), &time, NULL);
}

PICA_EXPORT unsigned sleep(unsigned s) {
	const struct timespec time = { s, 0 };
	struct timespec left = { 0 };
	sleep_for(IS_PROGRAM(), &time, &left);
	return (unsigned)left.tv_sec + (left.tv_nsec >= NS / 2);
}

/* ---- Random numbers ---- */

static uint64_t next_random(void) {
	static _Atomic uint64_t sum; /* relaxed: nothing else is published */
	uint64_t x = UINT64_C(0x9E3779B97F4A7C15);
	x += atomic_fetch_add_explicit(&sum, x, memory_order_relaxed);
	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

/* Returns whether all bytes were made. */
static bool fill(bool is_program, void *out, size_t size) {
	uint8_t *at = out;
	for (size_t n; size; at += n, size -= n) {
		if (is_program) {
			const uint64_t x = next_random();
			n = size < sizeof(x) ? size : sizeof(x);
			memcpy(at, &x, n);
			continue;
		}
		const long got = syscall(SYS_getrandom, at, size, 0);
		if (got < 0 && errno != EINTR) {
			return false;
		}
		n = got < 0 ? 0 : (size_t)got;
	}
	return true;
}

PICA_EXPORT ssize_t getrandom(void *out, size_t size, unsigned flags) {
	(void)flags;
	return fill(IS_PROGRAM(), out, size) ? (ssize_t)size : -1;
}

PICA_EXPORT int getentropy(void *out, size_t size) {
	const bool is_allowed = size <= MOST_ENTROPY;
	errno = is_allowed ? errno : EIO;
	return is_allowed && fill(IS_PROGRAM(), out, size) ? 0 : -1;
}

/* These are not in the headers of each C library. */
PICA_EXPORT void arc4random_buf(void *out, size_t size);
PICA_EXPORT uint32_t arc4random(void);
PICA_EXPORT uint32_t arc4random_uniform(uint32_t end);

static uint32_t fill_word(bool is_program) {
	uint32_t x = 0;
	if (!fill(is_program, &x, sizeof(x))) {
		abort();
	}
	return x;
}

PICA_EXPORT void arc4random_buf(void *out, size_t size) {
	if (!fill(IS_PROGRAM(), out, size)) {
		abort();
	}
}

PICA_EXPORT uint32_t arc4random(void) {
	return fill_word(IS_PROGRAM());
}

PICA_EXPORT uint32_t arc4random_uniform(uint32_t end) {
	return (uint32_t)((uint64_t)fill_word(IS_PROGRAM()) * end >> 32);
}

/*
 * std::random_device::_M_getval() of GNU's C++ library, which calls no function but takes an
 * instruction of the processor.
 */
PICA_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void *device);
PICA_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void *device) {
	(void)device;
	return fill_word(IS_PROGRAM());
}

const char *host_random_file(const char *path, char room[PATH_MAX]) {
	static uint8_t bytes[RANDOM_FILE_BYTES];
	static int fd = -1;
	if (!n_libraries || getpid() != host_options.process ||
			(strcmp(path, "/dev/urandom") != 0 && strcmp(path, "/dev/random") != 0)) {
		return path;
	}
	fd = fd < 0 ? memfd_create("random", MFD_CLOEXEC) : fd;
	fill(true, bytes, sizeof(bytes));
	if (fd < 0 || pwrite(fd, bytes, sizeof(bytes), 0) != sizeof(bytes)) {
		return path;
	}
	snprintf(room, PATH_MAX, "/proc/self/fd/%d", fd);
	return room;
}
