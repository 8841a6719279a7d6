/*
 * Records the work of a context as a capture (.pica), for any program that drives libpica.
 *
 *	struct pica_recorder *recorder;
 *	int ret = pica_recorder_start(&recorder, ctx, "session.pica", NULL);
 *	... jobs, as always ...
 *	struct pica_capture_error error;
 *	ret = pica_recorder_finish(recorder, &error);
 *
 * A recording holds the whole state and memory at the start, then every job in the order in which
 * it ran, and what the program itself changed in memory, before the job that reads it. Changes are
 * found by comparison with a copy, page by page as jobs read them, so they need not be announced.
 * (PICA_OP_INVALIDATE remains necessary for its own purpose: a texture that changes without it may
 * be drawn with old or new texels.) Equal data is stored once: a still scene takes little space.
 *
 * Frames end with PICA_OP_PRESENT, on a VideoCore IV with each PICA_OP_CONTROL_LISTS, or with
 * pica_recorder_frame(); the pictures of both screens, or of the last target, are stored there.
 * Before the recording gets its name it is replayed once, in a context of its own on the same
 * device (on a device of its own if that has no threads): pictures, state and memory must be equal.
 *
 * While a context is recorded its jobs do not overlap, and memory is needed for a copy of the used
 * part of its windows. Budgets and results of jobs stay the same.
 *
 * Threads: calls come from the thread that may call the context. C11 and C++.
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
	/* PRESENT is a job like any other; only pica_recorder_frame() ends frames. */
	PICA_RECORDER_OWN_FRAMES = 1,
};

struct pica_recorder_settings {
	uint32_t size; /* set by pica_recorder_settings_init() */
	uint32_t flags;
	/* frames between two whole states; 0: one at the start only; default 60 */
	uint32_t key_frames;
	uint32_t level;       /* zstd, 1..19; default 3 */
	uint64_t key_bytes;   /* bytes between two whole states; 0: no limit; default 64 MiB */
	/* the recording ends with the frame that exceeds this size; 0: no limit; default 0 */
	uint64_t max_bytes;
	const char *title;    /* up to 63 bytes are kept; NULL: empty */
	const char *tool;     /* name of the recording program; NULL: "libpica" */
	/*
	 * 0 (default): jobs wait for the disk. Otherwise a thread writes, and at most this many
	 * bytes wait for it; if the disk is slower than that the recording ends (-ETIME), and no
	 * job waits.
	 */
	uint64_t queue_bytes;
	uint64_t patience_ns; /* timeout for the disk at the start and the end; 0: 10 s */
	uint64_t reserved[5]; /* zero */
};

/* Fills *settings with the defaults. */
void pica_recorder_settings_init(struct pica_recorder_settings *settings);

/*
 * Starts recording a context into path. settings NULL: the defaults. Waits for idle. Returns 0. On
 * failure leaves *out unchanged and returns:
 *   -EBUSY       the context is being recorded already
 *   -EINVAL      bad settings, or path is not a regular file
 *   -EOPNOTSUPP  the context has windows that are read-only for the GPU
 *   -EFBIG       windows of more than 1 GiB
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
 * Returns the first failure so far, or 0. A failure ends the recording; the context continues
 * unharmed. Waits for idle.
 *   -ENOSPC, ...  the file cannot be written
 *   -ETIME        the disk is too slow, see queue_bytes
 *   -ENOMEM       out of memory
 *   -EFBIG        a limit of the format is reached
 *   -ENOBUFS      the copy of the memory and the queue exceed the limit of the context's account
 *   -ECANCELED    pica_ctx_load_state(), pica_ctx_map() or pica_ctx_unmap() replaced state or
 *                 windows
 */
int pica_recorder_error(struct pica_recorder *recorder);
/* Returns the first failure known now, or 0. Never waits; may be called from any thread. */
int pica_recorder_peek(const struct pica_recorder *recorder);
/*
 * Stops recording: waits for idle and releases the context, which may continue, be recorded by
 * another recorder, or be destroyed. pica_recorder_finish() must follow, on any thread; the device
 * exists until then.
 */
void pica_recorder_detach(struct pica_recorder *recorder);
/*
 * Ends the recording: waits for idle, replays it once, gives the file its name, and frees the
 * recorder. Returns 0; then err->code is 0 and err->message is empty, or says that no frame ended
 * or no screen was set when frames ended, so that the capture has no pictures to verify. On failure
 * leaves no file, keeps an older file of that name, and *err (may be NULL) says why:
 *   -EIO        the replay differed: the message names the first difference
 *   -ECANCELED  the context was destroyed before
 *   others as pica_recorder_error()
 */
int pica_recorder_finish(struct pica_recorder *recorder, struct pica_capture_error *err);
/* Discards the recording without a file. NULL is allowed. */
void pica_recorder_destroy(struct pica_recorder *recorder);

#ifdef __cplusplus
}
#endif

#endif
