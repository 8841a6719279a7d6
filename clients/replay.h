/*
 * Feeds a capture to a GPU, here or in a service, frame by frame. Shared by the tools and the
 * tests.
 */
#ifndef CLIENTS_REPLAY_H
#define CLIENTS_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu.h"
#include "pica.h"
#include "pica_capture.h"

enum { REPLAY_TAKEN = 1 };

/*
 * Called before a job is submitted; for tools that look at the work. REPLAY_TAKEN: it is not
 * submitted, the tool has done what it asks for, and left the number of its last job in
 * replay.seq. Other values but 0 end the replay.
 */
typedef int replay_look_fn(void *user, const struct pica_capture_event *event);

struct replay {
	struct gpu gpu;
	struct pica_capture *capture; /* borrowed */
	uint64_t frames;              /* frame markers passed, those in front of the start too */
	uint64_t seq;                 /* of the last job */
	int worst;                    /* the first failed job's result, 0: none failed */
	uint32_t worst_flags;         /* its PICA_DONE_* */
	uint64_t worst_offset;        /* and its place in the file */
	bool skipped_key; /* a nearer key is damaged: pica_capture_error() said so at the start */
	/*
	 * Set after replay_start(); NULL: none. Jobs are then submitted one by one, each after look
	 * saw it.
	 */
	replay_look_fn *look;
	void *look_user;
};

/*
 * Goes to the last whole key at or before a frame, *at: pica_capture_seek(), and further back past
 * keys that are damaged; *skipped becomes true then.
 */
int replay_seek(struct pica_capture *capture, uint32_t frame, uint32_t *at, bool *skipped);
/*
 * The frame from which another one can be reached with the same pictures as from the start: the key
 * before it, or 0, since keys hold pixels drawn with the arithmetic of the capture, and without
 * trusted loads (pica_capture_trust_loads()).
 */
uint32_t replay_first(const struct pica_capture *capture, uint32_t frame,
		enum pica_float float_mode, enum pica_combiner combiner, bool trusts_loads);
/*
 * Goes to the last whole key at or before a frame (0: the start), which becomes r->frames, and
 * loads its state. Memory must be zeroed: a new context, or the caller did it, since captures leave
 * out what need not be written.
 */
int replay_start(
		struct replay *r, struct gpu gpu, struct pica_capture *capture, uint32_t frame);
/*
 * Submits the jobs of the next frame and its PRESENT; does not wait. 1: a frame; 0: the capture is
 * at its end (jobs after the last marker were submitted); negative errno on failure.
 */
int replay_frame(struct replay *r);
/* Waits for all jobs, and reaps completions into r->worst. */
int replay_wait(struct replay *r);
/* The same for the jobs up to a number that r->seq had. */
int replay_wait_for(struct replay *r, uint64_t seq);
/* The meaning of a job's negative result for the capture. */
const char *replay_error(int result, uint32_t flags);
/* A context with the memory and the budgets that the capture wants. Errors of pica_ctx_create(). */
int replay_create_ctx(struct pica_ctx **out, struct pica_device *device,
		const struct pica_capture *capture);

#endif
