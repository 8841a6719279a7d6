/* The archive's threads: they begin recordings, and finish them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/reaper.h"
#include "service/record_impl.h"
#include "service/server_impl.h"

/* ---- Threads: detached, since no thread may wait for a disk that hangs ---- */

static void archive_free(struct archive *a) {
	close(a->event_fd);
	pthread_cond_destroy(&a->cond);
	pthread_mutex_destroy(&a->mutex);
	record_space_finish(a);
	free(a->folder);
	free(a);
}

/*
 * Drops a reference. Mutex held on entry, released on return. The last reference also ends the
 * server if server_destroy() did not wait.
 */
static void unref(struct archive *a) {
	const bool is_last = --a->refs == 0;
	struct server *server = a->server;
	pthread_cond_broadcast(&a->cond);
	pthread_mutex_unlock(&a->mutex);
	if (is_last) {
		archive_free(a);
		server_end(server);
	}
}

void recording_free(struct recording *r, uint64_t size_bytes) {
	record_space_release(r);
	r->archive->n_recordings--;
	atomic_fetch_sub_explicit(&r->account->recordings, 1, memory_order_relaxed);
	user_account_put(r->account);
	if (!record_space_keep(r, size_bytes)) {
		free(r);
	}
}

/* ---- The archive's thread ---- */

/* Returns 0 if the disk accepts a byte. A hanging disk blocks only the archive's thread here. */
static int probe(const struct recording *r) {
	const int fd = open(r->archive->folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0) {
		/* a file system without unnamed files */
		return errno == EOPNOTSUPP || errno == EISDIR ? 0 : -errno;
	}
	const int ret = write(fd, "", 1) == 1 ? 0 : -errno;
	close(fd);
	return ret;
}

static void start(struct recording *r) {
	const struct server_settings *server = &r->archive->server->settings;
	struct pica_recorder_settings settings;
	pica_recorder_settings_init(&settings);
	settings.queue_bytes = server->record_queue_bytes;
	settings.patience_ns = server->record_patience_ns;
	settings.max_bytes = r->bytes ? r->bytes : r->archive->max_bytes;
	settings.title = r->title;
	settings.tool = "picad";
	r->error = pica_recorder_start(&r->recorder, r->ctx, r->path, &settings);
}

/* Returns the size of the file; 0: there is none. */
static uint64_t finish(struct recording *r) {
	struct stat st = { 0 };
	struct server *server = r->archive->server;
	struct pica_capture_error error;
	int ret = pica_recorder_finish(r->recorder, &error);
	if (ret < 0) {
		server_log_of(server, log_user(r->account->uid), LOG_LEVEL_ERROR,
				"event=recording_failed session=%llu path=\"%s\" error=\"%s\"",
				(unsigned long long)r->session, r->path,
				error.message + error.reason);
	} else {
		server_log_of(server, log_user(r->account->uid), LOG_LEVEL_INFO,
				"event=recorded session=%llu path=\"%s\"",
				(unsigned long long)r->session, r->path);
	}
	return ret == 0 && stat(r->path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

void recording_log_no_start(const struct recording *r) {
	server_log_of(r->archive->server, log_user(r->account->uid), LOG_LEVEL_ERROR,
			"event=recording_failed session=%llu path=\"%s\" error=\"%s\"",
			(unsigned long long)r->session, r->path,
			r->error == -ETIME	? "the disk does not answer" :
			r->error == -EDQUOT ? "as many files or bytes as its user, or all, may have" :
			r->error == -ENOBUFS ? "it and its recording need more memory than its quota" :
			r->error == -EOPNOTSUPP ? "it has memory that is read-only for the GPU" :
					r->error == -EFBIG ?
						  "it has more memory than can be recorded" :
						  strerror(-r->error));
}

/* Its context was destroyed while it started. */
static void destroy_abandoned(struct recording *r) {
	struct archive *a = r->archive;
	struct retired *m = r->retired;
	if (r->recorder) {
		m->recording = r;
	} else {
		recording_log_no_start(r);
		pthread_mutex_lock(&a->mutex);
		recording_free(r, 0);
		pthread_mutex_unlock(&a->mutex);
	}
	retired_destroy(m);
}

/* Mutex held on entry and exit. */
static void serve(struct archive *a, struct recording *r) {
	pthread_mutex_unlock(&a->mutex);
	int error = probe(r);
	error = error < 0 ? error : record_space_reserve(r);
	pthread_mutex_lock(&a->mutex);
	if (r->is_withdrawn) {
		recording_free(r, 0);
		return;
	}
	r->is_taken = true;
	r->error = error;
	pthread_mutex_unlock(&a->mutex);
	if (r->error == 0) {
		start(r);
	}
	pthread_mutex_lock(&a->mutex);
	r->to_start = false;
	if (r->retired) {
		pthread_mutex_unlock(&a->mutex);
		destroy_abandoned(r);
		pthread_mutex_lock(&a->mutex);
	} else {
		r->next = a->started;
		a->started = r;
		pthread_cond_broadcast(&a->cond); /* record_drop() */
		const uint64_t one = 1;
		ssize_t n = write(a->event_fd, &one, sizeof(one));
		(void)n; /* full: then it is readable */
	}
}

static void *run(void *arg) {
	struct archive *a = arg;
	pthread_mutex_lock(&a->mutex);
	for (;;) {
		while (!a->first && !a->stop) {
			/* woken by archive_add() and archive_destroy() */
			pthread_cond_wait(&a->cond, &a->mutex);
		}
		struct recording *r = a->first;
		if (!r) {
			break;
		}
		a->first = r->next;
		if (!a->first) {
			a->last = &a->first;
		}
		serve(a, r);
	}
	unref(a);
	return NULL;
}

/* ---- Finishing ---- */

void archive_add(struct recording *r) {
	struct archive *a = r->archive;
	pthread_mutex_lock(&a->mutex);
	r->next = NULL;
	*a->last = r;
	a->last = &r->next;
	pthread_cond_broadcast(&a->cond);
	pthread_mutex_unlock(&a->mutex);
}

void recording_detach(struct recording *r) {
	pica_recorder_detach(r->recorder);
}

static void unlink_from(struct recording **list, const struct recording *r) {
	while (*list != r) {
		list = &(*list)->next;
	}
	*list = r->next;
}

/*
 * Mutex held. Frees r, which is finished. Returns the next one, preferably of another user, or
 * NULL.
 */
static struct recording *after(struct archive *a, struct recording *r, uint64_t size_bytes) {
	struct recording *next = a->waiting;
	while (next && next->account == r->account) {
		next = next->next;
	}
	next = next ? next : a->waiting;
	unlink_from(&a->finishing, r);
	atomic_fetch_sub_explicit(&r->account->finishing, 1, memory_order_relaxed);
	recording_free(r, size_bytes);
	if (next) {
		unlink_from(&a->waiting, next);
		next->next = a->finishing;
		a->finishing = next;
	}
	return next;
}

static void *run_finish(void *arg) {
	struct recording *r = arg;
	struct archive *a = r->archive;
	do {
		const uint64_t size_bytes = finish(r);
		pthread_mutex_lock(&a->mutex);
		r = after(a, r, size_bytes);
		a->n_finishing -= !r;
		if (r) {
			pthread_mutex_unlock(&a->mutex);
		}
	} while (r);
	unref(a);
	return NULL;
}

void recording_finish(struct recording *r) {
	struct archive *a = r->archive;
	pthread_mutex_lock(&a->mutex);
	atomic_fetch_add_explicit(&r->account->finishing, 1, memory_order_relaxed);
	const bool has_room = a->n_finishing < MAX_FINISHING;
	struct recording **list = has_room ? &a->finishing : &a->waiting;
	while (*list) {
		list = &(*list)->next;
	}
	r->next = NULL;
	*list = r;
	a->n_finishing += has_room;
	a->refs += has_room;
	pthread_mutex_unlock(&a->mutex);
	if (has_room && spawn_detached(run_finish, r) < 0) {
		run_finish(r); /* no thread is left: this wait has no limit */
	}
}

/* ---- Life ---- */

int archive_create(struct archive **out, struct server *server, const char *folder,
		uint64_t max_bytes) {
	struct archive *a = calloc(1, sizeof(*a));
	if (!a) {
		return -ENOMEM;
	}
	int ret = -ENOMEM;
	a->server = server;
	a->max_bytes = max_bytes;
	a->most_kept = KEPT_IN_ALL;
	a->last = &a->first;
	a->folder = realpath(folder, NULL);
	if (!a->folder) {
		ret = -errno;
		goto err_free;
	}
	a->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (a->event_fd < 0) {
		ret = -errno;
		goto err_folder;
	}
	ret = loop_watch_add(server->loop, &a->watch, a->event_fd, record_on_started, a);
	if (ret < 0) {
		goto err_fd;
	}
	deadline_cond_init(&a->cond);
	pthread_mutex_init(&a->mutex, NULL);
	a->refs = 2;
	ret = spawn_detached(run, a);
	if (ret < 0) {
		goto err_watch;
	}
	*out = a;
	return 0;

err_watch:
	pthread_cond_destroy(&a->cond);
	pthread_mutex_destroy(&a->mutex);
	loop_watch_remove(server->loop, a->watch);
err_fd:
	close(a->event_fd);
err_folder:
	free(a->folder);
err_free:
	free(a);
	return ret;
}

static unsigned count(const struct recording *r) {
	unsigned n = 0;
	for (; r; r = r->next) {
		n++;
	}
	return n;
}

bool archive_destroy(struct archive *a, uint64_t until_ns) {
	if (!a) {
		return true;
	}
	loop_watch_remove(a->server->loop, a->watch);
	pthread_mutex_lock(&a->mutex);
	a->stop = true;
	pthread_cond_broadcast(&a->cond);
	while (a->refs > 1 && deadline_wait(&a->cond, &a->mutex, until_ns)) {
	}
	if (a->refs > 1) {
		server_log(a->server, LOG_LEVEL_ERROR,
				"event=recordings_left files=%u text=\"pica convert --recover reads "
				"those that were about to be finished\"",
				count(a->finishing) + count(a->waiting));
		unref(a);
		return false;
	}
	pthread_mutex_unlock(&a->mutex);
	archive_free(a);
	return true;
}
