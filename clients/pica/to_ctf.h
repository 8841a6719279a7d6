/* Writes a capture as CiTrace, as far as that form can say it. */
#ifndef PICA_TO_CTF_H
#define PICA_TO_CTF_H

#include <stdbool.h>

#include "pica_capture.h"

/* Says what is wrong; an exit code. lossy: go on where something cannot be said, with a note. */
int to_ctf(struct pica_capture *capture, const char *in, const char *out, bool lossy);

#endif
