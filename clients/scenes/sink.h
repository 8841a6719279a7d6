/* The destination of recorded jobs: a capture of the form that its file name selects. */
#ifndef SCENES_SINK_H
#define SCENES_SINK_H

#include <stdbool.h>

#include "pica.h"
#include "pica_capture.h"
#include "pica_job.h"

struct sink;

/* Memory of a VideoCore IV. */
enum { SINK_VC4_BASE = 0x00100000, SINK_VC4_BYTES = 0x400000 };

/*
 * A path that ends in ".pica" becomes a container with title; its jobs are also run, for the
 * expected pictures, unless is_dry: then sink_expect() sets these. Others become .ctf, compressed
 * if they end in ".zst". initial NULL: a container of a VideoCore IV, not dry. Returns 0, or a
 * negative errno, without a file.
 */
int sink_create(struct sink **out, const char *path, const char *title,
		const struct pica_state *initial, bool is_dry);
/*
 * Adds a job: CONTROL_LISTS, LIST, FILL, TRANSFER, COPY, REG_WRITE (external registers), WRITE or
 * PRESENT, which ends a frame. A .ctf stores jobs as register writes and memory loads.
 */
int sink_job(struct sink *s, const struct pica_job *job);
/* Sets the n pictures that a frame of a dry sink expects; borrowed until the frame ends. */
void sink_expect(struct sink *s, const struct pica_expected *expected, unsigned n);
/* Gives the file its name, and frees the sink even on failure. */
int sink_finish(struct sink *s);
/* Frees the sink without a file. NULL is allowed. */
void sink_destroy(struct sink *s);

#endif
