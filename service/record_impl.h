/* Shared by archive.c (the threads) and record.c (the loop's side). */
#ifndef SERVICE_RECORD_IMPL_H
#define SERVICE_RECORD_IMPL_H

#include <pthread.h>
#include <sys/types.h>

#include "pica_hello.h"
#include "pica_record.h"
#include "service/loop.h"
#include "service/record.h"

enum {
	MAX_FINISHING = 8, /* at a time; others wait */
	RECORDINGS_A_USER = 32,   /* starting, running, or being finished */
	RECORDINGS_IN_ALL = 128,  /* from this many on, each user may have RECORDINGS_BEYOND */
	RECORDINGS_BEYOND = 4,
	KEPT_IN_ALL = 1 << 16, /* files that count */
};

struct recording {
	struct recording *next; /* archive.first, .started, .finishing, .waiting or .kept */
	struct archive *archive;
	struct context *context; /* loop's thread */
	struct pica_ctx *ctx;
	struct pica_recorder *recorder;
	uint64_t session;
	struct user_account *account; /* a reference to its user's, where it is counted */
	uid_t uid;
	uint64_t bytes; /* under archive.mutex: reserved; of a kept one: size of its file */
	bool is_starting; /* loop's thread: until its start was reported */
	bool to_start;    /* under archive.mutex: not started yet */
	bool is_taken;    /* likewise: the thread starts it, and may touch the context */
	bool is_withdrawn; /* likewise: the thread must discard it */
	bool is_late;      /* loop's thread: the start exceeds the time allowed for a disk */
	struct loop_timer patience; /* until it has started */
	struct retired *retired; /* likewise: the context ended first, and the thread destroys it */
	int error;
	char title[PICA_NAME_BYTES];
	char path[];
};

struct archive {
	struct server *server;
	char *folder;
	uint64_t max_bytes;
	pthread_mutex_t mutex; /* covers what follows */
	pthread_cond_t cond;   /* work was added, a thread ended, or stop was set */
	struct recording *first, **last;
	struct recording *started;
	struct recording *finishing; /* each on its own thread */
	struct recording *waiting;   /* for a free thread */
	struct recording *kept;      /* finished and stripped: only their files count */
	uint32_t most_kept;
	uint64_t reserved_bytes;     /* of those that continue */
	unsigned n_recordings;
	unsigned n_finishing;
	unsigned refs; /* held by its threads, and by the server until archive_destroy() */
	bool stop;
	/* Tells the loop of `started`. */
	int event_fd;
	struct loop_watch *watch;
};

/* Hands the recording to the archive's thread, which starts it. */
void archive_add(struct recording *r);
/* Mutex held. size_bytes: size of its file; 0: no file, or one that does not count. */
void recording_free(struct recording *r, uint64_t size_bytes);
/* Logs why the recording did not start. */
void recording_log_no_start(const struct recording *r);

/* ---- record_space.c ---- */
/*
 * Archive's thread. Sets r->bytes, 0 if there are no limits. Returns 0, or -EDQUOT if the user, or
 * all users together, have reached their limit of files or bytes.
 */
int record_space_reserve(struct recording *r);
/* Mutex held. */
void record_space_release(struct recording *r);
/* Mutex held. Returns true if the file of r counts: r has then moved to archive.kept. */
bool record_space_keep(struct recording *r, uint64_t size_bytes);
void record_space_finish(struct archive *a);

/* ---- record.c ---- */
/* A loop_fn, called when recordings have started or failed to start. */
void record_on_started(void *owner, uint32_t events);

#endif
