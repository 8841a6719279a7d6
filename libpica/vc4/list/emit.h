/* Shared by the files of this room that write lists. The public header is pica_vc4_emit.h. */
#ifndef VC4_EMIT_H
#define VC4_EMIT_H

#include "pica_vc4_emit.h"

/* Sets the error, unless there is an earlier one. */
void vc4_emit_fail(struct pica_vc4_emit *e, int error);
/* Appends n bytes of zeros and returns their address, or NULL after an error. */
uint8_t *vc4_emit_room(struct pica_vc4_emit *e, size_t n);

#endif
