/*
 * Captures the picture that a card scans out. vkms has such a writeback connector; it refuses
 * one CRTC for a display and for memory, so the display is dark for the refresh in which it writes.
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
 * A buffer in the pipe's size and format. -ENODEV: the card has no such connector. Both are
 * borrowed.
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
