/* Feeds a capture into a context, frame by frame. Shared by the tools and the tests. */
#ifndef CLIENTS_REPLAY_H
#define CLIENTS_REPLAY_H

#include <stdint.h>

#include "pica.h"
#include "pica_capture.h"

struct replay {
	struct pica_ctx *ctx;         /* borrowed */
	struct pica_capture *capture; /* borrowed */
	uint64_t frames;              /* frame markers passed */
	uint64_t seq;                 /* of the last job */
	int worst;                    /* worst job result seen so far */
};

/* Loads the capture's initial state and rewinds it. */
int replay_start(struct replay *r, struct pica_ctx *ctx, struct pica_capture *capture);
/*
 * Submits the jobs of the next frame and its PRESENT; does not wait. 1: a frame; 0: the capture is at its
 * end (jobs behind the last marker were submitted); negative errno on failure.
 */
int replay_frame(struct replay *r);
/* Waits, and reaps completions into r->worst. */
int replay_wait(struct replay *r);

#endif
