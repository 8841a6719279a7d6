/*
 * Captures the picture that a card scans out, by a writeback connector such as that of vkms. One
 * CRTC cannot feed it and a display, so the display is dark for a refresh.
 */
#ifndef TESTS_VM_WRITEBACK_H
#define TESTS_VM_WRITEBACK_H

#include <stdint.h>

#include "service/display_dumb.h"
#include "service/display_kms.h"

struct writeback {
	struct kms *kms;
	const struct kms_pipe *pipe; /* whose picture it is */
	uint32_t connector;
	uint32_t crtc_id, fb_id, fence_ptr; /* its properties */
	struct dumb_buffer dumb;            /* the picture */
	uint32_t framebuffer;
};

/*
 * Makes a buffer of the pipe's size and format. Borrows both arguments. -ENODEV: no such connector.
 */
int writeback_init(struct writeback *w, struct kms *kms, const struct kms_pipe *pipe);
/*
 * Fills the buffer with what the CRTC scans out, whatever framebuffer that is, and connects the
 * display again. -ETIMEDOUT: nothing was written.
 */
int writeback_take(struct writeback *w);
/* After a failed init, too. */
void writeback_finish(struct writeback *w);

#endif
