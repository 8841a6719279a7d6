/*
 * Recording what a context does as a capture (.pica): any program that drives libpica can do it.
 *
 *	struct pica_recorder *recorder;
 *	int ret = pica_recorder_start(&recorder, ctx, "session.pica", NULL);
 *	... jobs, as always ...
 *	struct pica_capture_error error;
 *	ret = pica_recorder_finish(recorder, &error);
 *
 * What is recorded: the whole state and memory at the start, then every job in the order in which
 * it ran, and what the program itself changed in memory, before the job that reads it. Changes are
 * found by comparison with a copy, page by page as jobs read them, so they need not be announced
 * (what PICA_OP_INVALIDATE is for remains: a texture that changes without it may be drawn old or
 * new). Data is stored where it differs, and once: a scene that stands still costs little.
 *
 * Frames end with PICA_OP_PRESENT, or where the program says so. The pictures of both screens are
 * remembered there. Before a recording is put in place it is replayed once, in a context of its own
 * on the same device (on a device of its own where that has no threads): pictures, state and memory
 * must come out the same.
 *
 * While a context is recorded its jobs do not overlap with each other, and memory is needed for a
 * copy of what is used of its windows. A job's budgets and results are the same as without.
 *
 * Threads: calls belong to the thread that may call the context. C11 and C++.
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
	/* PRESENT is a job like any other; frames end with pica_recorder_frame() alone. */
	PICA_RECORDER_OWN_FRAMES = 1,
};

struct pica_recorder_settings {
	uint32_t size; /* set by pica_recorder_settings_init() */
	uint32_t flags;
	/* the whole state each so many frames; 0: at the start only; default 60 */
	uint32_t key_frames;
	uint32_t level;       /* zstd, 1..19; default 3 */
	uint64_t key_bytes;   /* and when the file has grown by so much; 0: never; default 64 MiB */
	/* the recording ends with the frame that makes the file larger; 0: never; default 0 */
	uint64_t max_bytes;
	const char *title;    /* up to 63 bytes are kept; NULL: empty */
	const char *tool;     /* who records; NULL: "libpica" */
	/*
	 * 0 (default): jobs wait for the disk. Else a thread writes, and so many bytes may wait for
	 * it; a disk that does not keep up ends the recording (-ETIME), and no job waits.
	 */
	uint64_t queue_bytes;
	uint64_t patience_ns; /* beginning and end wait so long for a sign of the disk; 0: 10 s */
	uint64_t reserved[5]; /* zero */
};

void pica_recorder_settings_init(struct pica_recorder_settings *settings);

/*
 * Begins to record; settings NULL: defaults. Waits for the context to be idle.
 *   -EBUSY       it is being recorded      -EINVAL  bad settings, or path is no regular file
 *   -EOPNOTSUPP  it has windows that are read-only for the GPU
 *   -EFBIG       windows of more than 1 GiB
 *   -ENOMEM, or what open(2) and write(2) say; -ENOENT: an empty path, too
 */
int pica_recorder_start(struct pica_recorder **out, struct pica_ctx *ctx, const char *path,
		const struct pica_recorder_settings *settings);
/*
 * A frame ends here: for programs that submit no PRESENT. Waits for idle. Returns what
 * pica_recorder_error() would.
 */
int pica_recorder_frame(struct pica_recorder *recorder);
/*
 * The first failure so far, or 0: it was not possible to write (-ENOSPC ...; -ETIME: the disk
 * does not keep up, see queue_bytes), memory is out, a
 * limit of the format is reached (-EFBIG), or state or windows were replaced by
 * pica_ctx_load_state(), pica_ctx_map() or pica_ctx_unmap() (-ECANCELED). The context goes on
 * unharmed, recording has ended. Waits for idle.
 */
int pica_recorder_error(struct pica_recorder *recorder);
/* The same, as far as it is known now: never waits, from any thread. */
int pica_recorder_peek(const struct pica_recorder *recorder);
/*
 * The recording ends here: waits for idle and lets go of the context, which may go on, be recorded
 * by another, or be destroyed. What is left is pica_recorder_finish(), on any thread, while the
 * device exists.
 */
void pica_recorder_detach(struct pica_recorder *recorder);
/*
 * Ends the recording: waits for idle, replays it once, puts the file in place, frees the recorder.
 * On failure there is no file, and what had the name before still has it; err (may be NULL) says
 * why. On success err->code is 0 and err->message empty, or, where no screen was set when frames
 * ended, or no frame was, says that: such a capture expects no pictures that could be verified.
 *   -EIO        the replay did not give the same: the message names the first difference
 *   -ECANCELED  the context was destroyed before
 *   others as pica_recorder_error()
 */
int pica_recorder_finish(struct pica_recorder *recorder, struct pica_capture_error *err);
/* Gives up: no file. NULL is allowed. */
void pica_recorder_destroy(struct pica_recorder *recorder);

#ifdef __cplusplus
}
#endif

#endif
