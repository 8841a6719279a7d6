/* Shared by archive.c, with the threads, and record.c, the loop's side. */
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
	RECORDINGS_A_USER = 32,   /* that begin, go on, or are being finished */
	RECORDINGS_IN_ALL = 128,  /* then a user may have: */
	RECORDINGS_BEYOND = 4,
};

struct recording {
	struct recording *next; /* archive.first, .started, .finishing or .waiting */
	struct archive *archive;
	struct context *context; /* loop's thread */
	struct pica_ctx *ctx;
	struct pica_recorder *recorder;
	uint64_t session;
	struct dying *dying; /* a reference to its user's, where it is counted */
	bool is_starting; /* loop's thread: until it has heard of it */
	bool to_start;    /* under archive.mutex: the thread has yet to do so */
	bool is_taken;    /* likewise: the thread starts it, and may touch the context */
	bool is_withdrawn; /* likewise: the thread is to forget it */
	bool is_late;      /* loop's thread: the start takes longer than a disk has to answer */
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
	struct recording *waiting;   /* for such a thread */
	unsigned n_recordings;
	unsigned n_finishing;
	unsigned refs; /* its threads, and the server until archive_destroy() */
	bool stop;
	/* Tells the loop of `started`. */
	int event_fd;
	struct loop_watch *watch;
};

/* Hands it to the archive's thread, to begin. */
void archive_add(struct recording *r);
/* Mutex held. */
void recording_free(struct recording *r);
/* Why it did not begin. */
void recording_log_no_start(const struct recording *r);

/* ---- record.c ---- */
/* A loop_fn: recordings have begun, or could not. */
void record_on_started(void *owner, uint32_t events);

#endif
