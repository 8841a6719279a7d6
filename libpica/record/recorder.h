/* The recorder's inside. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "capture/box_write.h"
#include "front/ctx.h"
#include "pica_record.h"
#include "record/shadow.h"

struct pica_recorder {
	struct watch watch; /* first: what the context knows of us */
	struct pica_ctx *ctx; /* NULL: it is gone */
	struct pica_capture_writer *writer;
	char *path;
	int error; /* the first one; nothing is recorded from then on */
	bool own_frames;
	uint32_t key_frames, frames_since_key;
	uint64_t key_bytes, size_at_key;
	struct shadow shadow;
	struct pica_state *state; /* room */
	uint8_t *rgb;             /* room for a picture */
};

/* Up to three pictures: top left, top right, bottom. */
enum { RECORD_PICTURES = 3, RECORD_MAX_WIDTH = 800, RECORD_HEIGHT = 240 };

/*
 * Replays what was written and compares it: the pictures, then the state with *state and memory with the
 * shadow. 0; -EIO with a message; or what went wrong.
 */
int record_check(struct pica_recorder *r, const struct pica_state *state, struct pica_capture_error *err);

#endif
