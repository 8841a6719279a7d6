/* Shared by the files of this room. The public header is pica_emit.h. */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include <stddef.h>
#include <stdint.h>

#include "pica_emit.h"

enum {
	EMIT_MAX_WORDS = 256,  /* parameters per entry [fidelity: command-list] */
	EMIT_CODE_WORDS = 128, /* for code: as client libraries do [fidelity: dvle-binding] */
};

/*
 * If is_invalid, sets the error to -EINVAL, so that later calls append nothing. Returns is_invalid.
 */
bool emit_refuse(struct pica_emit *e, bool is_invalid);
/* pica_emit_fifo() with entries of at most chunk words. */
void emit_fifo_chunks(struct pica_emit *e, uint32_t id, const uint32_t *values, size_t n,
		size_t chunk);

#endif
