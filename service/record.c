/* Recordings, on the loop's thread: beginning and ending those of contexts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "service/context.h"
#include "service/reaper.h"
#include "service/record_impl.h"
#include "service/server_impl.h"
#include "service/session.h"

/* ---- Beginning ---- */

/*
 * Mutex held. Returns false if the archive's thread has taken it; otherwise it is freed, here or by
 * that thread if the disk answers.
 */
static bool withdraw(struct recording *r) {
	struct archive *a = r->archive;
	struct recording **link = &a->first;
	if (r->is_taken) {
		return false;
	}
	r->is_withdrawn = true;
	while (*link && *link != r) {
		link = &(*link)->next;
	}
	if (*link) {
		*link = r->next;
		a->last = r->next ? a->last : link;
		recording_free(r, 0);
	}
	return true;
}

/*
 * The disk did not answer in time, and the archive's thread hangs: the context continues
 * unrecorded.
 */
static void on_patience(void *owner) {
	struct recording *r = owner;
	struct archive *a = r->archive;
	struct context *c = r->context;
	pthread_mutex_lock(&a->mutex);
	const bool is_late = !r->is_taken;
	if (is_late) {
		r->error = -ETIME;
		recording_log_no_start(r);
		withdraw(r);
	}
	pthread_mutex_unlock(&a->mutex);
	if (!is_late) {
		r->is_late = true;
		return; /* it starts, or has started: record_on_started() will be called */
	}
	c->recording = NULL;
	c->session->is_recorded = false;
	session_mark(c->session);
}

/* Copies the name as letters and digits only, for a file name. */
static void plain_name(char out[PICA_NAME_BYTES], const char *name) {
	for (unsigned i = 0; i < PICA_NAME_BYTES; i++) {
		char c = name[i];
		bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
				(c >= 'A' && c <= 'Z') || c == '-' || c == 0;
		out[i] = is_plain ? c : '_';
	}
	out[PICA_NAME_BYTES - 1] = 0;
}

static struct recording *recording_create(struct archive *a, struct context *c) {
	struct session *s = c->session;
	const time_t now = time(NULL);
	struct tm tm;
	char name[PICA_NAME_BYTES], stamp[32], *path;
	plain_name(name, s->name);
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
	int n = asprintf(&path, "%s/%s-%s-%llu-%u-%u.pica", a->folder, name, stamp,
			(unsigned long long)s->id, c->timeline_slot, s->n_recordings);
	if (n < 0) {
		return NULL;
	}
	struct recording *r = calloc(1, sizeof(*r) + (size_t)n + 1);
	if (r) {
		memcpy(r->path, path, (size_t)n + 1);
		memcpy(r->title, s->name, sizeof(r->title));
		r->archive = a;
		r->context = c;
		r->ctx = c->ctx;
		r->session = s->id;
		r->account = s->account;
		r->uid = s->uid;
		atomic_fetch_add_explicit(&r->account->refs, 1, memory_order_relaxed);
		pthread_mutex_lock(&a->mutex);
		a->n_recordings++;
		atomic_fetch_add_explicit(&r->account->recordings, 1, memory_order_relaxed);
		pthread_mutex_unlock(&a->mutex);
		r->is_starting = r->to_start = true;
	}
	free(path);
	return r;
}

/* Returns whether the user, or all, have the maximum of recordings. */
static bool has_many(const struct session *s) {
	struct archive *a = s->server->archive;
	pthread_mutex_lock(&a->mutex);
	const unsigned most = a->n_recordings < RECORDINGS_IN_ALL ? RECORDINGS_A_USER :
								    RECORDINGS_BEYOND;
	pthread_mutex_unlock(&a->mutex);
	return atomic_load_explicit(&s->account->recordings, memory_order_relaxed) >= most;
}

/* Returns false if it cannot be recorded; it is not tried again. */
static bool begin(struct context *c) {
	struct session *s = c->session;
	struct archive *a = s->server->archive;
	const bool is_enough = s->n_recordings == RECORDINGS_A_SESSION;
	if (is_enough || has_many(s)) {
		server_log_of(s->server, log_user(s->uid), LOG_LEVEL_WARNING,
				"event=recording_ends session=%llu why=\"%s\"",
				(unsigned long long)s->id,
				is_enough ? "it has as many files as a session may have" :
					    "recordings of its user have to be finished first");
		s->is_recorded = false;
		return false;
	}
	c->recording = recording_create(a, c);
	if (!c->recording) {
		server_log_of(s->server, log_user(s->uid), LOG_LEVEL_ERROR,
				"event=recording_failed session=%llu error=\"%s\"",
				(unsigned long long)s->id, strerror(ENOMEM));
		s->is_recorded = false;
		return false;
	}
	s->n_recordings++;
	c->recording->patience.fn = on_patience;
	c->recording->patience.owner = c->recording;
	loop_timer_set(s->server->loop, &c->recording->patience,
			loop_now_ns() + s->server->settings.record_patience_ns);
	archive_add(c->recording);
	return true;
}

void record_on_started(void *owner, uint32_t events) {
	struct archive *a = owner;
	uint64_t count;
	ssize_t got = read(a->event_fd, &count, sizeof(count));
	(void)got; /* empty: we look anyway */
	for (;;) {
		pthread_mutex_lock(&a->mutex);
		struct recording *r = a->started;
		a->started = r ? r->next : NULL;
		pthread_mutex_unlock(&a->mutex);
		if (!r) {
			return;
		}
		struct context *c = r->context;
		loop_timer_unset(a->server->loop, &r->patience);
		r->is_starting = false;
		if (r->error < 0) {
			recording_log_no_start(r);
			c->recording = NULL;
			c->session->is_recorded = false;
			pthread_mutex_lock(&a->mutex);
			recording_free(r, 0);
			pthread_mutex_unlock(&a->mutex);
		}
		session_mark(c->session);
	}
}

/* ---- Calls of the loop ---- */

void record_split(struct context *c) {
	struct recording *r = c->recording;
	if (r) {
		c->recording = NULL;
		recording_detach(r); /* idle: does not wait */
		recording_finish(r);
	}
}

bool record_is_starting(const struct context *c) {
	return c->recording && c->recording->is_starting;
}

bool record_keeps_waiting(const struct context *c) {
	return record_is_starting(c) && !c->recording->is_late;
}

bool record_ready(struct context *c) {
	struct session *s = c->session;
	if (c->recording && pica_recorder_peek(c->recording->recorder) < 0) {
		/* the disk is full or faulty; finishing reports the reason */
		s->is_recorded = false;
	}
	if (s->is_recorded == (c->recording != NULL)) {
		return true;
	}
	if (!context_has_finished(c)) {
		return false; /* the last completion marks the session */
	}
	if (c->recording) {
		record_split(c);
		return true;
	}
	return !begin(c);
}

void record_session(struct session *s, bool on) {
	s->is_recorded = on;
	for (struct context *c = s->contexts; c; c = c->next_context) {
		if (!on && context_is_settled(c)) {
			record_split(c);
		}
	}
}

/* Mutex held. Removes a started recording from the list of those to report to the loop. */
static void forget_started(struct recording *r) {
	struct recording **link = &r->archive->started;
	while (*link && *link != r) {
		link = &(*link)->next;
	}
	*link = *link ? r->next : NULL;
}

bool record_abandon(struct context *c, struct retired *m) {
	struct recording *r = c->recording;
	if (!r) {
		return false;
	}
	struct archive *a = r->archive;
	loop_timer_unset(a->server->loop, &r->patience);
	pthread_mutex_lock(&a->mutex);
	const bool is_withdrawn = withdraw(r);
	const bool to_start = !is_withdrawn && r->to_start;
	if (to_start) {
		r->retired = m;
	} else if (!is_withdrawn) {
		forget_started(r);
		m->recording = r->recorder ? r : NULL;
		if (!r->recorder) {
			recording_log_no_start(r);
			recording_free(r, 0);
		}
	}
	pthread_mutex_unlock(&a->mutex);
	return to_start;
}

void record_drop(struct context *c) {
	struct recording *r = c->recording;
	if (!r) {
		return;
	}
	struct archive *a = r->archive;
	loop_timer_unset(a->server->loop, &r->patience);
	pthread_mutex_lock(&a->mutex);
	if (!withdraw(r)) {
		while (r->to_start) {
			pthread_cond_wait(&a->cond, &a->mutex); /* woken by serve() */
		}
		forget_started(r);
		pica_recorder_destroy(r->recorder); /* idle */
		recording_free(r, 0);
	}
	pthread_mutex_unlock(&a->mutex);
}
