/* Well-formedness of struct pica_job: the one validator for the API, the rings and captures. */
#ifndef PROTO_JOB_H
#define PROTO_JOB_H

#include "pica_job.h"

/*
 * Returns the name of an operation: "list", "fill", ...; "unknown" for anything else. Static
 * storage.
 */
const char *job_name(uint16_t op);

/*
 * Checks that a job is well-formed: a known operation, its flags, reserved fields zero, aligned
 * addresses, ranges that end inside the 32-bit address space. Words that are register values (sizes
 * and flags of a transfer, lines of a copy, the control word of a fill) may hold any value: the
 * hardware ignores values that it does not know. Windows are not checked.
 *
 * Returns 0, or -EINVAL with *reason (static storage; reason may be NULL) set to a sentence
 * without a full stop.
 */
int job_check(const struct pica_job *job, const char **reason);

#endif
