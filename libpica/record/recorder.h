/* Internals of the recorder. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "capture/container/box_write.h"
#include "pica/front/ctx.h"
#include "pica_record.h"
#include "record/shadow.h"
#include "vc4/front/front.h"

struct pica_recorder {
	struct observer observer; /* first: the part known to the context */
	struct pica_ctx *ctx; /* NULL: destroyed, or detached */
	struct pica_device *device;
	struct pica_ctx_settings settings; /* of the context; without its memory, which may go */
	size_t unit_limit; /* memory_unit_limit() of it */
	struct pica_memory *memory; /* a reference: charged with the copy and the queue; or NULL */
	struct pica_capture_writer *writer;
	char *path;
	atomic_int error; /* the first one; nothing is recorded from then on */
	/* the recording is whole: `state` is the last one, and nothing more is recorded */
	bool is_over;
	bool own_frames;
	uint32_t key_frames, frames_since_key;
	uint64_t key_bytes, max_bytes, size_at_key;
	struct shadow shadow;
	struct pica_state *state; /* room; the last one when it is over */
	uint8_t *rgb;             /* room for a picture */
};

/* Up to three pictures: top left, top right, bottom. */
enum { RECORD_PICTURES = 3, RECORD_MAX_WIDTH = 800, RECORD_HEIGHT = 240 };

/*
 * Describes the picture of an idle context, with its hash. Returns 0, or -ENODATA if there is none
 * in memory.
 */
int record_target(const struct vc4_ctx *ctx, struct pica_expected *e);

/*
 * Replays the file and compares the pictures, then state and memory with r->state and the shadow.
 * Returns 0; -EIO with a message; or another error.
 */
int record_check(struct pica_recorder *r, struct pica_capture_error *err);

#endif
