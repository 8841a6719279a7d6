#include "capture/disk/disk_queue.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <fcntl.h>
#include <unistd.h>

#include "core/base/memory.h"

enum { PIECE_BYTES = 1 << 20 }; /* of one write(2), each a sign of progress */

struct block {
	struct block *next;
	uint64_t size;
	uint8_t bytes[];
};

struct disk_queue {
	int fd; /* ours */
	struct disk_bounds bounds;
	pthread_mutex_t mutex; /* covers what follows */
	pthread_cond_t cond;   /* uses CLOCK_MONOTONIC; signalled at any change */
	struct block *first, **last;
	uint64_t waiting; /* bytes, including those being written */
	uint64_t pieces;  /* written: signs of life */
	int error;
	bool is_ending; /* no more data will come */
	unsigned refs;  /* the thread's and the owner's */
};

static void lock(struct disk_queue *q) {
	pthread_mutex_lock(&q->mutex);
}

static void unlock(struct disk_queue *q) {
	pthread_mutex_unlock(&q->mutex);
}

static void free_block(struct disk_queue *q, struct block *b) {
	memory_free(q->bounds.memory, b, sizeof(*b) + b->size);
}

/* Drops the waiting data. Mutex held. */
static void forget(struct disk_queue *q) {
	while (q->first) {
		struct block *b = q->first;
		q->first = b->next;
		free_block(q, b);
	}
	q->last = &q->first;
}

/* Mutex held; the last one frees. */
static void unref(struct disk_queue *q) {
	const bool is_last = --q->refs == 0;
	pthread_cond_broadcast(&q->cond);
	unlock(q);
	if (!is_last) {
		return;
	}
	forget(q);
	memory_put(q->bounds.memory);
	close(q->fd);
	pthread_cond_destroy(&q->cond);
	pthread_mutex_destroy(&q->mutex);
	free(q);
}

/* ---- The thread ---- */

/* Writes a block. Mutex held on entry and exit, but not while writing. */
static void write_block(struct disk_queue *q, const struct block *b) {
	for (uint64_t at = 0; at < b->size && !q->error;) {
		const uint64_t most = b->size - at < PIECE_BYTES ? b->size - at : PIECE_BYTES;
		unlock(q);
		const ssize_t n = write(q->fd, b->bytes + at, most);
		const int error = n < 0 ? -errno : n == 0 ? -EIO : 0;
		lock(q);
		at += n > 0 ? (uint64_t)n : 0;
		q->waiting -= n > 0 ? (uint64_t)n : 0;
		q->error = q->error || error == -EINTR ? q->error : error;
		q->pieces++;
		pthread_cond_broadcast(&q->cond);
	}
}

static void *run(void *arg) {
	struct disk_queue *q = arg;
	lock(q);
	for (;;) {
		while (!q->first && !q->is_ending) {
			/* woken by disk_queue_write() and the two functions that end the queue */
			pthread_cond_wait(&q->cond, &q->mutex);
		}
		struct block *b = q->first;
		if (!b || q->error) {
			if (q->is_ending) {
				break;
			}
			pthread_cond_wait(&q->cond, &q->mutex); /* an error: until it ends */
			continue;
		}
		q->first = b->next;
		if (!q->first) {
			q->last = &q->first;
		}
		write_block(q, b);
		free_block(q, b);
	}
	unref(q);
	return NULL;
}

/* ---- The owner ---- */

int disk_queue_create(struct disk_queue **out, int fd, const struct disk_bounds *bounds) {
	struct disk_queue *q = calloc(1, sizeof(*q));
	if (!q) {
		return -ENOMEM;
	}
	q->bounds = *bounds;
	q->last = &q->first;
	q->refs = 2;
	q->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* a copy, since it may outlive the owner's */
	if (q->fd < 0) {
		const int ret = -errno;
		free(q);
		return ret;
	}
	memory_get(q->bounds.memory);
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&q->cond, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&q->mutex, NULL);

	/* Signals are left to the program. Detached: no thread may wait for a disk that hangs. */
	pthread_t thread;
	pthread_attr_t detached;
	sigset_t all, before;
	sigfillset(&all);
	sigdelset(&all, SIGBUS); /* a blocked one ends the process */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	const int ret = -pthread_create(&thread, &detached, run, q);
	pthread_attr_destroy(&detached);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret < 0) {
		q->refs = 1;
		disk_queue_drop(q);
		return ret;
	}
	*out = q;
	return 0;
}

/*
 * Waits until at most `most` bytes are queued. Returns 0, the disk's error, or -ETIME, which
 * becomes the queue's error. Mutex held.
 */
static int wait_below(struct disk_queue *q, uint64_t most) {
	struct timespec until;
	uint64_t seen = q->pieces + 1; /* starts again at once */
	while (q->waiting > most && !q->error) {
		if (seen != q->pieces) {
			seen = q->pieces;
			clock_gettime(CLOCK_MONOTONIC, &until);
			const uint64_t ns = (uint64_t)until.tv_nsec + q->bounds.patience_ns;
			until.tv_sec += (time_t)(ns / 1000000000u);
			until.tv_nsec = (long)(ns % 1000000000u);
		}
		if (pthread_cond_timedwait(&q->cond, &q->mutex, &until) == ETIMEDOUT &&
				seen == q->pieces && q->waiting > most && !q->error) {
			q->error = -ETIME;
		}
	}
	return q->error;
}

int disk_queue_write(struct disk_queue *q, const void *data, uint64_t size, bool may_wait) {
	lock(q);
	/* A piece larger than the bound is queued alone, if the caller may wait. */
	const uint64_t most = q->bounds.bytes > size ? q->bounds.bytes - size : 0;
	if (!q->error && q->waiting > most && !may_wait) {
		q->error = -ETIME;
	}
	int ret = wait_below(q, most);
	struct block *b = ret == 0 ? memory_alloc(q->bounds.memory, sizeof(*b) + size) : NULL;
	if (b) {
		*b = (struct block){ .size = size };
		memcpy(b->bytes, data, size);
		*q->last = b;
		q->last = &b->next;
		q->waiting += size;
		pthread_cond_broadcast(&q->cond);
	} else if (ret == 0) {
		ret = -ENOMEM;
	}
	unlock(q);
	return ret;
}

int disk_queue_finish(struct disk_queue *q) {
	lock(q);
	const int ret = wait_below(q, 0);
	q->is_ending = true;
	forget(q); /* after an error */
	unref(q);
	return ret;
}

void disk_queue_drop(struct disk_queue *q) {
	if (q) {
		lock(q);
		q->error = q->error ? q->error : -ECANCELED;
		q->is_ending = true;
		forget(q);
		unref(q);
	}
}
