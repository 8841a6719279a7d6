#include "service/fault.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COVERED = 1 << 14, PAGE = 4096 };

/* begin 0: free. The handler reads it while others change it: release; pairs with its acquire. */
static struct covered {
	atomic_uintptr_t begin;
	atomic_size_t size_bytes;
	atomic_bool has_fault;
} covered[COVERED];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of those who cover */
static int next_free; /* none before it is free */
static int fd = -1;

static struct covered *find(uintptr_t addr) {
	for (struct covered *c = covered; c < covered + COVERED; c++) {
		const uintptr_t begin = atomic_load_explicit(&c->begin, memory_order_acquire);
		const size_t size = atomic_load_explicit(&c->size_bytes, memory_order_relaxed);
		if (begin && addr - begin < size) {
			return c;
		}
	}
	return NULL;
}

/* Calls nothing but system calls. */
static void on_fault(int number, siginfo_t *info, void *context) {
	const int saved = errno;
	const uintptr_t addr = (uintptr_t)info->si_addr;
	struct covered *c = info->si_code > 0 ? find(addr) : NULL;
	void *page = (void *)(addr & ~(uintptr_t)(PAGE - 1));
	if (!c || mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
				  -1, 0) == MAP_FAILED) {
		signal(number, SIG_DFL); /* not ours: the access repeats, and the signal ends the
		 * process */
		if (info->si_code <= 0) {
			raise(number);
		}
		return;
	}
	const uint64_t one = 1;
	atomic_store_explicit(&c->has_fault, true, memory_order_relaxed);
	const ssize_t n = write(fd, &one, sizeof(one));
	(void)n; /* full: then it is readable */
	errno = saved;
}

int fault_begin(void) {
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	sigemptyset(&action.sa_mask);
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return fd < 0 || sigaction(SIGBUS, &action, NULL) < 0 ? -errno : 0;
}

int fault_fd(void) {
	return fd;
}

int fault_cover(const void *host, size_t size_bytes) {
	pthread_mutex_lock(&mutex);
	int i = next_free;
	while (i < COVERED && atomic_load_explicit(&covered[i].begin, memory_order_relaxed)) {
		i++;
	}
	next_free = i;
	if (i < COVERED) {
		atomic_store_explicit(&covered[i].has_fault, false, memory_order_relaxed);
		atomic_store_explicit(&covered[i].size_bytes, size_bytes, memory_order_relaxed);
		atomic_store_explicit(&covered[i].begin, (uintptr_t)host, memory_order_release);
	}
	pthread_mutex_unlock(&mutex);
	return i < COVERED ? i : -ENOMEM;
}

void fault_uncover(int number) {
	if (number < 0) {
		return;
	}
	pthread_mutex_lock(&mutex);
	atomic_store_explicit(&covered[number].begin, 0, memory_order_release);
	next_free = number < next_free ? number : next_free;
	pthread_mutex_unlock(&mutex);
}

bool fault_has_been(int number) {
	return number >= 0 &&
			atomic_load_explicit(&covered[number].has_fault, memory_order_relaxed);
}
