/* Writes a capture as CiTrace, as far as that form can say it. */
#ifndef PICA_TO_CTF_H
#define PICA_TO_CTF_H

#include <stdbool.h>

#include "common/options.h"
#include "pica_capture.h"

struct to_ctf_options {
	const char *in, *out;
	bool lossy; /* go on where pictures would not be the same, with a note */
	const struct engine_options *engine;
};

/* Logs errors; returns an exit code. */
int to_ctf(const struct to_ctf_options *o, struct pica_capture *capture);

#endif
