/*
 * Recordings: the work of contexts, written as captures (pica_record.h) into the service's folder.
 * Beginning one copies the context's memory, on the archive's thread; finishing one replays the
 * file, on a thread of its own. So the loop never waits, and no recording waits for the disk of
 * another. A context is parked while its recording begins. Each file has a thread that writes
 * additions of jobs from a bounded queue: a disk that hangs or does not keep up costs the
 * recording, not the session.
 *
 * A context's recording ends when its state or its windows are replaced from outside; with its next
 * job another file begins. A disk that fails ends that recording, and nothing else.
 */
#ifndef SERVICE_RECORD_H
#define SERVICE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

struct archive;
struct context;
struct recording;
struct retired;
struct server;
struct session;

enum { RECORDINGS_A_SESSION = 64 }; /* files */

/* folder exists. max_bytes: of a file; 0: no limit. Returns 0 or a negative errno. */
int archive_create(struct archive **out, struct server *server, const char *folder,
		uint64_t max_bytes);
/*
 * Waits until every recording is finished, also those that abandoned contexts still begin, or
 * until_ns on the monotonic clock. Call after the reaper has ended. NULL is allowed. Returns false,
 * after logging it, if recordings are left: their threads keep the archive and the server, and the
 * last one calls server_end().
 */
bool archive_destroy(struct archive *a, uint64_t until_ns);

/* ---- Loop's thread ---- */

/* Starts or stops recording a session. */
void record_session(struct session *s, bool on);
/*
 * Call before the head of the queue goes to the engine. Returns false if it has to wait because a
 * recording begins or has to end first; pump() is called again.
 */
bool record_ready(struct context *c);
/*
 * Returns whether a recording of the context is beginning: only the archive's thread may then touch
 * its engine part.
 */
bool record_is_starting(const struct context *c);
/* Returns whether a recording is starting, which may take as long as the disk needs. */
bool record_keeps_waiting(const struct context *c);
/* Call before the idle context's state or windows are replaced, or when its recording has ended. */
void record_split(struct context *c);
/*
 * Call when the context ends. Drops a recording that has not begun. Returns true if m was taken and
 * will be freed here. Otherwise m->recording is set and the caller keeps m.
 */
bool record_abandon(struct context *c, struct retired *m);
/* Abandons the recording: out of memory for a struct retired. May wait. */
void record_drop(struct context *c);

/* ---- Called when retired contexts are destroyed ---- */

/* Waits for the context to be idle and detaches from it. */
void recording_detach(struct recording *r);
/* Hands it over to be finished. */
void recording_finish(struct recording *r);

#endif
