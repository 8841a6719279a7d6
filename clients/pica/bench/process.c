#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/log.h"

enum { MAX_THREADS = 256 };

struct bench_process {
	clockid_t clock;
	/* One for each thread at the start, inherited by later threads. 0: none */
	unsigned n_counters;
	int counter[MAX_THREADS];
};

/* Finds the number of the tracepoint at the entry of every system call. */
static int find_tracepoint(uint64_t *number) {
	static const char *const paths[] = {
		"/sys/kernel/tracing/events/raw_syscalls/sys_enter/id",
		"/sys/kernel/debug/tracing/events/raw_syscalls/sys_enter/id",
	};
	int ret = -ENOENT;
	for (unsigned i = 0; i < 2; i++) {
		FILE *file = fopen(paths[i], "re");
		unsigned long long n;
		if (file) {
			ret = fscanf(file, "%llu", &n) == 1 ? 0 : -EIO;
			fclose(file);
			*number = ret == 0 ? n : 0;
			return ret;
		}
		ret = -errno;
	}
	return ret;
}

static int add_counter(struct bench_process *p, pid_t thread, uint64_t tracepoint) {
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = tracepoint,
		.inherit = 1 };
	if (p->n_counters == MAX_THREADS) {
		return -E2BIG;
	}
	long fd = syscall(SYS_perf_event_open, &attr, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		return errno == ESRCH ? 0 : -errno; /* a thread that ended meanwhile */
	}
	p->counter[p->n_counters++] = (int)fd;
	return 0;
}

static int add_counters(struct bench_process *p, pid_t pid) {
	char path[64];
	uint64_t tracepoint = 0;
	int ret = find_tracepoint(&tracepoint);
	snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	DIR *tasks = ret < 0 ? NULL : opendir(path);
	ret = ret < 0 || tasks ? ret : -errno;
	for (const struct dirent *e; ret == 0 && (e = readdir(tasks));) {
		const long thread = strtol(e->d_name, NULL, 10);
		ret = thread > 0 ? add_counter(p, (pid_t)thread, tracepoint) : 0;
	}
	if (tasks) {
		closedir(tasks);
	}
	return ret;
}

static void drop_counters(struct bench_process *p) {
	while (p->n_counters) {
		close(p->counter[--p->n_counters]);
	}
}

int bench_process_open(struct bench_process **out, uint32_t pid) {
	struct bench_process *p = calloc(1, sizeof(*p));
	int ret = p ? -clock_getcpuclockid((pid_t)pid, &p->clock) : -ENOMEM;
	if (ret < 0) {
		log_line("process %u: %s", pid, strerror(-ret));
		free(p);
		return ret;
	}
	ret = add_counters(p, (pid_t)pid);
	if (ret < 0) {
		log_line("system calls of process %u are not counted, which takes perf events and "
		     "tracefs: %s",
				pid, strerror(-ret));
		drop_counters(p);
	}
	*out = p;
	return 0;
}

void bench_process_close(struct bench_process *p) {
	if (p) {
		drop_counters(p);
		free(p);
	}
}

bool bench_process_counts(const struct bench_process *p) {
	return p && p->n_counters;
}

struct bench_process_use bench_process_look(const struct bench_process *p) {
	struct bench_process_use use = { 0 };
	struct timespec t;
	if (p && clock_gettime(p->clock, &t) == 0) {
		use.cpu_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	}
	for (unsigned i = 0; p && i < p->n_counters; i++) {
		uint64_t n;
		use.calls += read(p->counter[i], &n, sizeof(n)) == (ssize_t)sizeof(n) ? n : 0;
	}
	return use;
}
