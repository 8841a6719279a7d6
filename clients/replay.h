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
 * Called before a job is submitted. Returns 0: it is submitted; REPLAY_TAKEN: it is not, since the
 * callee has done its work and stored the number of its last job in replay.seq. Other values end
 * the replay.
 */
typedef int replay_look_fn(void *user, const struct pica_capture_event *event);

/* The next event of something else than a capture; returns as pica_capture_next(). */
typedef int replay_next_fn(void *user, struct pica_capture_event *event);

struct replay {
	struct gpu gpu;
	struct pica_capture *capture; /* borrowed */
	uint64_t frames;              /* frame markers passed, those in front of the start too */
	uint64_t seq;                 /* of the last job */
	int worst;                    /* the first failed job's result, 0: none failed */
	uint32_t worst_flags;         /* its PICA_DONE_* */
	uint64_t worst_offset;        /* and its place in the file */
	bool skipped_key; /* a nearer key is damaged; pica_capture_error() reported it at the
	 * start */
	/* Set after replay_start(), or NULL. If set, jobs are submitted one by one. */
	replay_look_fn *look;
	void *look_user;
	replay_next_fn *next; /* NULL: the capture */
	void *next_user;
};

/*
 * Goes to the last undamaged key at or before a frame, and stores the key's frame in *at. *skipped:
 * damaged keys were skipped. Returns as pica_capture_seek().
 */
int replay_seek(struct pica_capture *capture, uint32_t frame, uint32_t *at, bool *skipped);
/*
 * Returns the frame from which a replay reaches `frame` with the same pictures as from the start:
 * that of the key before it; or 0 with other arithmetic than the capture's or with trusted loads
 * (pica_capture_trust_loads()), since keys hold pixels.
 */
uint32_t replay_first(const struct pica_capture *capture, uint32_t frame,
		enum pica_float float_mode, enum pica_combiner combiner, bool trusts_loads);
/*
 * Goes to the last undamaged key at or before a frame (0: the start), stores its frame in
 * r->frames, and loads its state. The memory of the context must be zero, since captures leave out
 * zeros. Returns 0 or a negative errno.
 */
int replay_start(
		struct replay *r, struct gpu gpu, struct pica_capture *capture, uint32_t frame);
/*
 * Submits the jobs of the next frame and its PRESENT, without waiting. Returns 1, or 0 at the end
 * of the capture (jobs after the last marker were submitted). On failure returns a negative errno.
 */
int replay_frame(struct replay *r);
/* Waits for all jobs, and reaps completions into r->worst. */
int replay_wait(struct replay *r);
/* The same for the jobs up to a number that r->seq had. */
int replay_wait_for(struct replay *r, uint64_t seq);
/* Returns a message for a job's negative result. */
const char *replay_error(int result, uint32_t flags);
/* Creates a context with the memory and budgets of the capture. Returns as pica_ctx_create(). */
int replay_create_ctx(struct pica_ctx **out, struct pica_device *device,
		const struct pica_capture *capture);

#endif
