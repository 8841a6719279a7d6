#include "service/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pictures/plain.h"

static const char *program = "picad";

/* This thread's next line for people is stored here instead of being printed; NULL: printed. */
static _Thread_local struct {
	char *text;
	size_t size;
} kept;

/* The longest wait, at the end, for a reader that has stopped reading. */
static const long patience_ns = 200000000;

/* One per process, like standard error; it outlives main() if the thread does. */
static struct {
	pthread_mutex_t mutex; /* covers what follows */
	pthread_cond_t cond;   /* by CLOCK_MONOTONIC: a line was queued or written, or the end */
	bool has_thread, is_ending;
	char bytes[LOG_QUEUE_BYTES]; /* a ring of whole lines */
	size_t head, tail;           /* free-running */
	uint64_t written, lost;      /* lines */
} queue = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void write_all(const char *text, size_t n) {
	while (n > 0) {
		const ssize_t done = write(STDERR_FILENO, text, n);
		if (done < 0 && errno == EAGAIN) { /* another program made it non-blocking */
			struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };
			poll(&p, 1, -1);
		} else if (done < 0 && errno != EINTR) {
			return; /* the error cannot be reported */
		}
		text += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
}

/* ---- The thread ---- */

/* Mutex held. Dequeues the first line and returns its length. */
static size_t take_line(char line[LOG_LINE_BYTES]) {
	size_t n = 0;
	do {
		line[n] = queue.bytes[queue.head++ % LOG_QUEUE_BYTES];
	} while (line[n++] != '\n');
	return n;
}

static size_t stamp(char *out, size_t size, enum log_level level) {
	static const char *const names[] = { "error", "warning", "info", "debug" };
	struct timespec t;
	struct tm tm;
	char time[32];
	clock_gettime(CLOCK_REALTIME, &t);
	gmtime_r(&t.tv_sec, &tm);
	strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%S", &tm);
	return (size_t)snprintf(out, size, "time=%s.%03ldZ level=%s ", time, t.tv_nsec / 1000000,
			names[level]);
}

static size_t lost_line(char line[LOG_LINE_BYTES], uint64_t lost) {
	const size_t at = stamp(line, LOG_LINE_BYTES, LOG_LEVEL_WARNING);
	return at + (size_t)snprintf(line + at, LOG_LINE_BYTES - at,
				 "event=log_lost lines=%llu\n", (unsigned long long)lost);
}

static void *run(void *arg) {
	char line[LOG_LINE_BYTES];
	pthread_mutex_lock(&queue.mutex);
	for (;;) {
		while (queue.head == queue.tail && !queue.lost && !queue.is_ending) {
			/* woken by put() and log_end() */
			pthread_cond_wait(&queue.cond, &queue.mutex);
		}
		size_t n;
		if (queue.head != queue.tail) {
			n = take_line(line);
		} else if (queue.lost) {
			n = lost_line(line, queue.lost);
			queue.lost = 0;
		} else {
			break;
		}
		pthread_mutex_unlock(&queue.mutex);
		write_all(line, n);
		pthread_mutex_lock(&queue.mutex);
		queue.written++;
		pthread_cond_broadcast(&queue.cond);
	}
	queue.has_thread = false;
	pthread_cond_broadcast(&queue.cond);
	pthread_mutex_unlock(&queue.mutex);
	return NULL;
}

/* ---- Speaking ---- */

static void put(const char *line, size_t n) {
	pthread_mutex_lock(&queue.mutex);
	const bool has_thread = queue.has_thread;
	if (has_thread && (queue.lost || n > LOG_QUEUE_BYTES - (queue.tail - queue.head))) {
		queue.lost++; /* the number of lost lines is logged before the next line */
	} else if (has_thread) {
		for (size_t i = 0; i < n; i++) {
			queue.bytes[queue.tail++ % LOG_QUEUE_BYTES] = line[i];
		}
		pthread_cond_broadcast(&queue.cond);
	}
	pthread_mutex_unlock(&queue.mutex);
	if (!has_thread) {
		write_all(line, n);
	}
}

/* Appends the text, made plain, to the `at` bytes of line, and writes it. */
static void put_plain(char line[LOG_LINE_BYTES], size_t at, const char *text) {
	const size_t n = at +
			plain_text(line + at, LOG_LINE_BYTES - 1 - at, text, strlen(text), false);
	line[n] = '\n';
	put(line, n + 1);
}

void log_name_program(const char *argv0) {
	const char *slash = strrchr(argv0, '/');
	program = slash ? slash + 1 : argv0;
}

void log_error(const char *fmt, ...) {
	char text[LOG_LINE_BYTES], line[LOG_LINE_BYTES];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!kept.text) {
		put_plain(line, (size_t)snprintf(line, sizeof(line), "%.64s: ", program), text);
	} else if (!kept.text[0]) {
		snprintf(kept.text, kept.size, "%s", text);
	}
}

void log_capture(char *text, size_t size) {
	kept.text = text;
	kept.size = size;
	if (text) {
		text[0] = 0;
	}
}

void log_line(void *user, enum log_level level, const char *text) {
	char line[LOG_LINE_BYTES];
	put_plain(line, stamp(line, sizeof(line), level), text);
}

/* ---- Life ---- */

void log_begin(void) {
	pthread_condattr_t attributes;
	pthread_attr_t detached;
	pthread_t thread;
	sigset_t all, before;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&queue.cond, &attributes);
	pthread_condattr_destroy(&attributes);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_mutex_lock(&queue.mutex);
	queue.has_thread = pthread_create(&thread, &detached, run, NULL) == 0;
	pthread_mutex_unlock(&queue.mutex);
	pthread_attr_destroy(&detached);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void log_end(void) {
	struct timespec until;
	pthread_mutex_lock(&queue.mutex);
	queue.is_ending = true;
	pthread_cond_broadcast(&queue.cond);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += patience_ns;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (queue.has_thread &&
			pthread_cond_timedwait(&queue.cond, &queue.mutex, &until) != ETIMEDOUT) {
	}
	pthread_mutex_unlock(&queue.mutex);
}
