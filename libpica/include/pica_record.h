/*
 * Records the work of a context as a capture (.pica), for any program that drives libpica.
 *
 *	struct pica_recorder *recorder;
 *	int ret = pica_recorder_start(&recorder, ctx, "session.pica", NULL);
 *	... jobs, as always ...
 *	struct pica_capture_error error;
 *	ret = pica_recorder_finish(recorder, &error);
 *
 * A recording holds the whole state and memory at the start, then every job in execution order.
 * Changes that the program itself made in memory precede the job that reads them. The recorder
 * finds them by comparing pages with a copy when jobs read them, so the program need not announce
 * them. (PICA_OP_INVALIDATE is still required for its own purpose: a texture that changes without
 * it may be drawn with old or new texels.) Equal data is stored once, so a still scene takes little
 * space.
 *
 * A frame ends with PICA_OP_PRESENT, on a VideoCore IV with each PICA_OP_CONTROL_LISTS, or with
 * pica_recorder_frame(). The pictures of both screens, or of the last target, are stored there.
 * Before the file gets its name, the recording is replayed once in a separate context on the same
 * device (on a separate device if that one has no threads): pictures, state and memory must match.
 *
 * While a context is recorded, its jobs do not overlap, and a copy of the used part of its windows
 * takes memory. Budgets and results of jobs do not change.
 *
 * Threads: call these functions on the thread that may call the context, except where noted. C11
 * and C++.
 */
#ifndef PICA_RECORD_H
#define PICA_RECORD_H

#include <stdint.h>

#include "pica.h"
#include "pica_capture.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pica_recorder;

enum {
	/* No job ends a frame; only pica_recorder_frame() does. */
	PICA_RECORDER_OWN_FRAMES = 1,
};

struct pica_recorder_settings {
	uint32_t size; /* set by pica_recorder_settings_init() */
	uint32_t flags;
	/* frames between whole states; 0: a whole state only at the start; default 60 */
	uint32_t key_frames;
	uint32_t level;       /* zstd, 1..19; default 3 */
	uint64_t key_bytes;   /* bytes between whole states; 0: no limit; default 64 MiB */
	/* the recording ends after the frame that exceeds this size; 0: no limit; default 0 */
	uint64_t max_bytes;
	const char *title;    /* up to 63 bytes are kept; NULL: empty */
	const char *tool;     /* name of the recording program; NULL: "libpica" */
	/*
	 * 0 (default): jobs wait for the disk. Otherwise a thread writes, with a queue of at most
	 * this many bytes, and jobs never wait. If the disk is too slow and the queue overflows,
	 * the recording ends (-ETIME).
	 */
	uint64_t queue_bytes;
	uint64_t patience_ns; /* timeout for the disk at the start and the end; 0: 10 s */
	uint64_t reserved[5]; /* zero */
};

/* Fills *settings with the defaults. */
void pica_recorder_settings_init(struct pica_recorder_settings *settings);

/*
 * Starts recording a context to the file path. settings may be NULL: the defaults. Waits for idle.
 * Returns 0. On failure leaves *out unchanged and returns:
 *   -EBUSY       the context is already being recorded
 *   -EINVAL      bad settings, or path is not a regular file
 *   -EISDIR      path is a folder
 *   -EOPNOTSUPP  the context has windows that are read-only for the GPU
 *   -EFBIG       the windows exceed 1 GiB
 *   -ENOBUFS     the recording's copy of the memory exceeds the limit of the context's account
 *   -ENOENT      the path is empty, or its folder does not exist
 *   -ENOMEM, or an error of open(2) or write(2)
 */
int pica_recorder_start(struct pica_recorder **out, struct pica_ctx *ctx, const char *path,
		const struct pica_recorder_settings *settings);
/*
 * Ends a frame, for programs that submit no PRESENT. Waits for idle. Returns the result of
 * pica_recorder_error().
 */
int pica_recorder_frame(struct pica_recorder *recorder);
/*
 * Returns the first failure so far, or 0. A failure ends the recording but does not affect the
 * context. Waits for idle.
 *   -ENOSPC, ...  the file cannot be written
 *   -ETIME        the disk is too slow (see queue_bytes)
 *   -ENOMEM       out of memory
 *   -EFBIG        a limit of the format is reached
 *   -ENOBUFS      the copy of the memory and the queue exceed the limit of the context's account
 *   -ECANCELED    pica_ctx_load_state(), pica_ctx_map() or pica_ctx_unmap() replaced state or
 *                 windows
 */
int pica_recorder_error(struct pica_recorder *recorder);
/* Returns the first failure known so far, or 0. Never waits. May be called from any thread. */
int pica_recorder_peek(const struct pica_recorder *recorder);
/*
 * Stops recording: waits for idle and releases the context, which may then continue, be recorded
 * by another recorder, or be destroyed. Call pica_recorder_finish() or pica_recorder_destroy()
 * afterwards, on any thread; the device must exist until then.
 */
void pica_recorder_detach(struct pica_recorder *recorder);
/*
 * Ends the recording: waits for idle, replays the recording once, gives the file its name, and
 * frees the recorder in any case. err may be NULL. Returns 0 and sets err->code to 0; err->message
 * is then empty, unless the capture has no pictures to verify: it says whether no frame ended or no
 * screen was set when frames ended. On failure leaves no new file, keeps an older file of that
 * name, fills *err and returns:
 *   -EIO        the replay differed: the message names the first difference
 *   -ECANCELED  the context was destroyed before the recording was finished
 *   others as for pica_recorder_error()
 */
int pica_recorder_finish(struct pica_recorder *recorder, struct pica_capture_error *err);
/* Discards the recording, leaves no file and frees the recorder. NULL is allowed. */
void pica_recorder_destroy(struct pica_recorder *recorder);

#ifdef __cplusplus
}
#endif

#endif
