/* Where recorded jobs go: a capture file of either form, by the end of its name. */
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
 * A path that ends in ".pica" becomes a container: its jobs are also run, for the pictures that
 * it expects, unless is_dry: sink_expect() gives these. Others become .ctf, compressed if they end
 * in ".zst". title is kept by a container. initial NULL: a container of a VideoCore IV, not dry.
 * Returns 0 or a negative errno, after which nothing appears.
 */
int sink_create(struct sink **out, const char *path, const char *title,
		const struct pica_state *initial, bool is_dry);
/*
 * A job of the ops CONTROL_LISTS, LIST, FILL, TRANSFER, COPY, REG_WRITE (external registers), WRITE
 * and PRESENT, which ends a frame. A .ctf holds them as the register writes and memory loads that
 * they are.
 */
int sink_job(struct sink *s, const struct pica_job *job);
/* A frame of a dry one expects these n pictures; borrowed until it ends. */
void sink_expect(struct sink *s, const struct pica_expected *expected, unsigned n);
/* Gives the file its name and frees the sink in any case. */
int sink_finish(struct sink *s);
/* Gives up: nothing appears. NULL is allowed. */
void sink_destroy(struct sink *s);

#endif
