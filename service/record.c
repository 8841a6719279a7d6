#include "service/record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "pica_record.h"
#include "service/context.h"
#include "service/reaper.h"
#include "service/server_impl.h"
#include "service/session.h"

enum {
	MAX_FINISHING = 8, /* at a time; others wait */
	END_PATIENCE = 3,  /* times that of a beginning: a disk brings up all that it has */
};

struct recording {
	struct recording *next; /* archive.first, archive.started or archive.finishing */
	struct archive *archive;
	struct context *context; /* loop's thread */
	struct pica_ctx *ctx;
	struct pica_recorder *recorder;
	uint64_t session;
	bool is_starting; /* loop's thread: until it has heard of it */
	bool to_start;    /* under archive.mutex: the thread has yet to do so */
	bool is_taken;    /* likewise: the thread starts it, and may touch the context */
	bool is_withdrawn; /* likewise: the thread is to forget it */
	bool is_late;      /* loop's thread: it takes longer to start than a disk may take */
	struct loop_timer patience; /* until it has started */
	struct remains *remains; /* likewise: the context went before; to be buried by the thread */
	int error;
	char title[PICA_NAME_BYTES];
	char path[];
};

struct archive {
	struct server *server;
	char *folder;
	uint64_t max_bytes;
	pthread_mutex_t mutex; /* covers what follows */
	pthread_cond_t cond;   /* something came, a thread ended, or stop was set */
	struct recording *first, **last;
	struct recording *started;
	struct recording *finishing; /* each by a thread of its own */
	unsigned n_finishing;
	unsigned refs; /* its threads, and the server until archive_destroy() */
	bool stop;
	struct clock {
		bool is_used;
		clockid_t id;
	} clock[MAX_FINISHING + 1]; /* of its threads */
	/* Tells the loop of `started`. */
	int event_fd;
	struct loop_watch *watch;
};

/* ---- Threads: nobody may have to wait for a disk that hangs, so they are detached ---- */

/* Mutex held; its clock's place. */
static struct clock *take_clock(struct archive *a) {
	struct clock *c = a->clock;
	while (c->is_used) {
		c++;
	}
	c->is_used = pthread_getcpuclockid(pthread_self(), &c->id) == 0;
	return c;
}

/* Mutex held; given back. The last one ends the server, too, if that could not wait. */
static void unref(struct archive *a) {
	const bool is_last = --a->refs == 0;
	struct server *server = a->server;
	pthread_cond_broadcast(&a->cond);
	pthread_mutex_unlock(&a->mutex);
	if (is_last) {
		close(a->event_fd);
		pthread_cond_destroy(&a->cond);
		pthread_mutex_destroy(&a->mutex);
		free(a->folder);
		free(a);
		server_end(server);
	}
}

static int spawn(void *(*main)(void *arg), void *arg) {
	pthread_attr_t detached;
	pthread_t thread;
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	const int ret = -pthread_create(&thread, &detached, main, arg);
	pthread_attr_destroy(&detached);
	return ret;
}

/* ---- The archive's thread ---- */

/*
 * Whether the disk takes a byte. It may hang here, where nobody depends on it but the archive
 * itself.
 */
static int probe(const struct recording *r) {
	const int fd = open(r->archive->folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0) {
		/* a file system that has no files without a name */
		return errno == EOPNOTSUPP || errno == EISDIR ? 0 : -errno;
	}
	const int ret = write(fd, "", 1) == 1 ? 0 : -errno;
	close(fd);
	return ret;
}

static void start(struct recording *r) {
	const struct server_settings *server = server_get_settings(r->archive->server);
	struct pica_recorder_settings settings;
	pica_recorder_settings_init(&settings);
	settings.queue_bytes = server->record_queue_bytes;
	settings.patience_ns = server->record_patience_ns;
	settings.max_bytes = r->archive->max_bytes;
	settings.title = r->title;
	settings.tool = "picad";
	r->error = pica_recorder_start(&r->recorder, r->ctx, r->path, &settings);
}

static void finish(struct recording *r) {
	const struct server *server = r->archive->server;
	struct pica_capture_error error;
	int ret = pica_recorder_finish(r->recorder, &error);
	if (ret < 0) {
		server_log(server, LOG_LEVEL_ERROR,
				"event=recording_failed session=%llu path=\"%s\" error=\"%s\"",
				(unsigned long long)r->session, r->path, error.message);
	} else {
		server_log(server, LOG_LEVEL_INFO, "event=recorded session=%llu path=\"%s\"",
				(unsigned long long)r->session, r->path);
	}
}

static void log_no_start(const struct recording *r) {
	server_log(r->archive->server, LOG_LEVEL_ERROR,
			"event=recording_failed session=%llu path=\"%s\" error=\"%s\"",
			(unsigned long long)r->session, r->path,
			r->error == -ETIME	? "the disk does not answer" :
			r->error == -EOPNOTSUPP ? "it has memory that is read-only for the GPU" :
					r->error == -EFBIG ?
						  "it has more memory than can be recorded" :
						  strerror(-r->error));
}

/* Its context has gone while it began. */
static void bury(struct recording *r) {
	struct remains *m = r->remains;
	if (r->recorder) {
		m->recording = r;
	} else {
		log_no_start(r);
		free(r);
	}
	remains_bury(m);
}

/* Mutex held on entry and exit. */
static void serve(struct archive *a, struct recording *r) {
	const bool to_start = r->to_start;
	pthread_mutex_unlock(&a->mutex);
	if (!to_start) {
		finish(r);
		free(r);
		pthread_mutex_lock(&a->mutex);
		return;
	}
	r->error = probe(r);
	pthread_mutex_lock(&a->mutex);
	if (r->is_withdrawn) {
		free(r);
		return;
	}
	r->is_taken = true;
	pthread_mutex_unlock(&a->mutex);
	if (r->error == 0) {
		start(r);
	}
	pthread_mutex_lock(&a->mutex);
	r->to_start = false;
	if (r->remains) {
		pthread_mutex_unlock(&a->mutex);
		bury(r);
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
	take_clock(a);
	for (;;) {
		while (!a->first && !a->stop) {
			/* woken by add() and archive_destroy() */
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

static void add(struct recording *r) {
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

static void *run_finish(void *arg) {
	struct recording *r = arg;
	struct archive *a = r->archive;
	pthread_mutex_lock(&a->mutex);
	struct clock *clock = take_clock(a);
	pthread_mutex_unlock(&a->mutex);
	finish(r);
	pthread_mutex_lock(&a->mutex);
	struct recording **link = &a->finishing;
	while (*link != r) {
		link = &(*link)->next;
	}
	*link = r->next;
	a->n_finishing--;
	clock->is_used = false;
	free(r);
	unref(a);
	return NULL;
}

void recording_finish(struct recording *r) {
	struct archive *a = r->archive;
	pthread_mutex_lock(&a->mutex);
	const bool has_room = a->n_finishing < MAX_FINISHING;
	if (has_room) {
		r->next = a->finishing;
		a->finishing = r;
		a->n_finishing++;
		a->refs++;
	}
	pthread_mutex_unlock(&a->mutex);
	if (!has_room) {
		add(r); /* behind what the archive's thread does */
	} else if (spawn(run_finish, r) < 0) {
		run_finish(r); /* no threads are left: it takes as long as it takes */
	}
}

/* ---- Beginning ---- */

/* Mutex held: it is not in the queue of the archive's thread any more, or never was. */
static void unqueue(struct archive *a, struct recording *r) {
	struct recording **link = &a->first;
	while (*link && *link != r) {
		link = &(*link)->next;
	}
	if (*link) {
		*link = r->next;
		a->last = a->first ? a->last : &a->first;
		for (struct recording *i = a->first; i; i = i->next) {
			a->last = &i->next;
		}
	}
}

/* The disk has had its time, and the archive's thread stands there: the context goes on alone. */
static void on_patience(void *owner) {
	struct recording *r = owner;
	struct archive *a = r->archive;
	struct context *c = r->context;
	pthread_mutex_lock(&a->mutex);
	const bool is_late = !r->is_taken;
	bool is_queued = false;
	for (const struct recording *i = a->first; i && is_late; i = i->next) {
		is_queued |= i == r;
	}
	r->is_withdrawn = is_late;
	if (is_late) {
		unqueue(a, r);
		r->error = -ETIME;
		log_no_start(r);
	}
	pthread_mutex_unlock(&a->mutex);
	if (!is_late) {
		r->is_late = true;
		return; /* it starts, or has started: on_started() comes */
	}
	c->recording = NULL;
	c->session->is_recorded = false;
	if (is_queued) {
		free(r); /* else the archive's thread has it */
	}
	session_mark(c->session);
}

/* Letters and digits only, as a name in a folder. */
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
		r->is_starting = r->to_start = true;
	}
	free(path);
	return r;
}

/* False: it cannot be, and will not be asked for again. */
static bool begin(struct context *c) {
	struct session *s = c->session;
	struct archive *a = server_archive(s->server);
	if (s->n_recordings == RECORDINGS_A_SESSION) {
		server_log(s->server, LOG_LEVEL_WARNING,
				"event=recording_ends session=%llu why=\"%u files are enough\"",
				(unsigned long long)s->id, RECORDINGS_A_SESSION);
		s->is_recorded = false;
		return false;
	}
	c->recording = recording_create(a, c);
	if (!c->recording) {
		server_log(s->server, LOG_LEVEL_ERROR,
				"event=recording_failed session=%llu error=\"%s\"",
				(unsigned long long)s->id, strerror(ENOMEM));
		s->is_recorded = false;
		return false;
	}
	s->n_recordings++;
	c->recording->patience.fn = on_patience;
	c->recording->patience.owner = c->recording;
	loop_timer_set(server_loop(s->server), &c->recording->patience,
			loop_now_ns() + server_get_settings(s->server)->record_patience_ns);
	add(c->recording);
	return true;
}

static void on_started(void *owner, uint32_t events) {
	struct archive *a = owner;
	uint64_t count;
	ssize_t got = read(a->event_fd, &count, sizeof(count));
	(void)got; /* empty: we look all the same */
	for (;;) {
		pthread_mutex_lock(&a->mutex);
		struct recording *r = a->started;
		a->started = r ? r->next : NULL;
		pthread_mutex_unlock(&a->mutex);
		if (!r) {
			return;
		}
		struct context *c = r->context;
		loop_timer_unset(server_loop(a->server), &r->patience);
		r->is_starting = false;
		if (r->error < 0) {
			log_no_start(r);
			c->recording = NULL;
			c->session->is_recorded = false;
			free(r);
		}
		session_mark(c->session);
	}
}

/* ---- What the loop asks ---- */

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
		/* the disk is full or bad: why is told when it is finished */
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

/* It has started, which the loop need not hear of any more. Mutex held. */
static void forget_started(struct recording *r) {
	struct recording **link = &r->archive->started;
	while (*link && *link != r) {
		link = &(*link)->next;
	}
	*link = *link ? r->next : NULL;
}

bool record_abandon(struct context *c, struct remains *m) {
	struct recording *r = c->recording;
	if (!r) {
		return false;
	}
	struct archive *a = r->archive;
	loop_timer_unset(server_loop(a->server), &r->patience);
	pthread_mutex_lock(&a->mutex);
	const bool to_start = r->to_start;
	if (to_start) {
		r->remains = m;
	} else {
		forget_started(r);
	}
	pthread_mutex_unlock(&a->mutex);
	if (!to_start) {
		m->recording = r->recorder ? r : NULL;
		if (!r->recorder) {
			log_no_start(r);
			free(r);
		}
	}
	return to_start;
}

void record_drop(struct context *c) {
	struct recording *r = c->recording;
	if (!r) {
		return;
	}
	struct archive *a = r->archive;
	loop_timer_unset(server_loop(a->server), &r->patience);
	pthread_mutex_lock(&a->mutex);
	while (r->to_start) {
		pthread_cond_wait(&a->cond, &a->mutex); /* woken by serve() */
	}
	forget_started(r);
	pthread_mutex_unlock(&a->mutex);
	pica_recorder_destroy(r->recorder);
	free(r);
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
	ret = loop_watch_add(server_loop(server), &a->watch, a->event_fd, on_started, a);
	if (ret < 0) {
		goto err_fd;
	}
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&a->cond, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&a->mutex, NULL);
	a->refs = 2;
	ret = spawn(run, a);
	if (ret < 0) {
		goto err_watch;
	}
	*out = a;
	return 0;

err_watch:
	pthread_cond_destroy(&a->cond);
	pthread_mutex_destroy(&a->mutex);
	loop_watch_remove(server_loop(server), a->watch);
err_fd:
	close(a->event_fd);
err_folder:
	free(a->folder);
err_free:
	free(a);
	return ret;
}

/* What its threads, and all of the process, have worked. Mutex held. */
static void look_at_clocks(const struct archive *a, uint64_t *own_ns, uint64_t *all_ns) {
	struct timespec t;
	*own_ns = 0;
	for (unsigned i = 0; i < MAX_FINISHING + 1; i++) {
		if (a->clock[i].is_used && clock_gettime(a->clock[i].id, &t) == 0) {
			*own_ns += (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
		}
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	*all_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Nothing moves, and no replay keeps the renderer busy, for as long as that. Mutex held. */
static bool wait_for_threads(struct archive *a, uint64_t patience_ns) {
	while (a->refs > 1) {
		const unsigned refs = a->refs;
		uint64_t own, all, own_now, all_now;
		struct timespec until;
		clock_gettime(CLOCK_MONOTONIC, &until);
		const uint64_t ns = (uint64_t)until.tv_nsec + patience_ns;
		until.tv_sec += (time_t)(ns / 1000000000u);
		until.tv_nsec = (long)(ns % 1000000000u);
		look_at_clocks(a, &own, &all);
		int ret = 0;
		while (a->refs == refs && ret != ETIMEDOUT) {
			ret = pthread_cond_timedwait(&a->cond, &a->mutex, &until);
		}
		look_at_clocks(a, &own_now, &all_now);
		if (a->refs == refs && own == own_now && all_now - all < patience_ns / 20) {
			return false;
		}
	}
	return true;
}

static void log_unfinished(const struct archive *a, const struct recording *r) {
	for (; r; r = r->next) {
		server_log(a->server, LOG_LEVEL_ERROR,
				"event=recording_failed session=%llu path=\"%s\" "
				"error=\"the disk does not answer\"",
				(unsigned long long)r->session, r->path);
	}
}

bool archive_destroy(struct archive *a) {
	if (!a) {
		return true;
	}
	const uint64_t patience_ns = server_get_settings(a->server)->record_patience_ns;
	loop_watch_remove(server_loop(a->server), a->watch);
	pthread_mutex_lock(&a->mutex);
	a->stop = true;
	pthread_cond_broadcast(&a->cond);
	const bool is_done = wait_for_threads(a, END_PATIENCE * patience_ns);
	if (!is_done) {
		log_unfinished(a, a->finishing);
		log_unfinished(a, a->first);
		unref(a);
		return false;
	}
	pthread_mutex_unlock(&a->mutex);
	close(a->event_fd);
	pthread_cond_destroy(&a->cond);
	pthread_mutex_destroy(&a->mutex);
	free(a->folder);
	free(a);
	return true;
}
