/*
 * Recordings: the work of contexts, written as captures (pica_record.h) into the service's folder.
 * The start of a recording copies the context's memory, on the archive's thread; the end replays
 * the file, on a separate thread. So the loop never waits, and no recording waits for the disk of
 * another. A context is parked while its recording starts. Each file has a thread that writes added
 * jobs from a bounded queue: if the disk hangs or is too slow, the recording is lost, not the
 * session.
 *
 * A context's recording ends when its state or its windows are replaced from outside; its next job
 * starts another file. A failing disk ends only that recording.
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

/* folder must exist. max_bytes: of a file; 0: no limit. Returns 0 or a negative errno. */
int archive_create(struct archive **out, struct server *server, const char *folder,
		uint64_t max_bytes);
/*
 * Waits until every recording is finished, including those still starting for abandoned contexts,
 * at most until until_ns on the monotonic clock. Call after the reaper has ended. NULL is allowed.
 * If recordings are left, logs it and returns false; their threads then keep the archive and the
 * server, and the last one calls server_end().
 */
bool archive_destroy(struct archive *a, uint64_t until_ns);

/* ---- Loop's thread ---- */

/* Starts or stops recording a session. */
void record_session(struct session *s, bool on);
/*
 * Call before the head of the queue goes to the engine. Returns false if it must wait because a
 * recording is starting, or must end first; the session is marked when it may continue.
 */
bool record_ready(struct context *c);
/*
 * Returns whether a recording of the context is starting. Only the archive's thread may then touch
 * the context's engine part.
 */
bool record_is_starting(const struct context *c);
/* Returns whether a recording is starting, which may take as long as the disk needs. */
bool record_keeps_waiting(const struct context *c);
/* Call before the idle context's state or windows are replaced, or when its recording has ended. */
void record_split(struct context *c);
/*
 * Call when the context ends. Drops a recording that has not started. Returns true if it takes
 * ownership of m. Otherwise m->recording is set and the caller keeps m.
 */
bool record_abandon(struct context *c, struct retired *m);
/* Abandons the recording when no struct retired can be allocated. May wait. */
void record_drop(struct context *c);

/* ---- Called when retired contexts are destroyed ---- */

/* Waits for the context to be idle and detaches from it. */
void recording_detach(struct recording *r);
/* Hands the recording over to be finished. */
void recording_finish(struct recording *r);

#endif
