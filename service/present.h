/*
 * The link between sessions and the presenter: frames and their results, focus, screenshots. Loop's
 * thread only.
 */
#ifndef SERVICE_PRESENT_H
#define SERVICE_PRESENT_H

#include <stdint.h>

#include "pica_hello.h"
#include "pica_job.h"

struct context;
struct present_frame;
struct server;
struct session;

/*
 * Returns a frame for a PRESENT of a context of that chip, with shots to be filled, or NULL when
 * out of memory.
 */
struct present_frame *present_frame_create(
		const struct pica_job *job, uint32_t chip, uint64_t arrived_ns);
void present_frame_free(struct present_frame *frame);
/*
 * Passes a frame with filled shots to the display, and takes ownership. Returns 0, or -ENOMEM: the
 * caller keeps it.
 */
int present_rendered(struct context *c, uint32_t ticket, struct present_frame *frame);
/* Collects results of the presenter. Call when its descriptor is readable. */
void present_collect(struct server *server);
/* Handles FOCUS and SCREENSHOT. */
void present_request(struct session *s, const struct pica_msg_object *m);

#endif
