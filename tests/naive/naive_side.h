/* Replays captures: the independent renderer with a console's memory and external registers. */
#ifndef NAIVE_SIDE_H
#define NAIVE_SIDE_H

#include "naive.h"
#include "pica_job.h"

enum { VRAM = 0x18000000, VRAM_BYTES = 6 << 20, FCRAM = 0x20000000, FCRAM_BYTES = 128 << 20 };

struct side {
	struct naive *naive;
	uint8_t *vram, *fcram;
	uint32_t external[PICA_EXTERNAL_WORDS];
	int error;
};

/* Memory starts as zeros. Returns 0 or -ENOMEM; side_finish() is valid in any case. */
int side_init(struct side *s, const struct pica_state *state);
void side_finish(struct side *s);
/* Does a job of a capture. Returns 0 or a negative errno. */
int side_job(struct side *s, const struct pica_job *job);

#endif
