/* Draws jobs with a service, picad: a context of the VideoCore IV with one region of memory. */
#ifndef VC4_SHIM_DRAW_H
#define VC4_SHIM_DRAW_H

#include "kernel.h"

struct drawer;

/*
 * Connects, and maps zeroed memory at the bus address base. where: as for pica_client_connect().
 * Returns 0. On failure prints the reason to stderr, returns a negative errno and leaves *out
 * unchanged.
 */
int drawer_create(struct drawer **out, const char *where, uint32_t base, uint32_t size_bytes);
/* NULL is allowed. */
void drawer_destroy(struct drawer *d);
/* The memory's descriptor; owned by the drawer. */
int drawer_memory_fd(const struct drawer *d);
/*
 * Draws a job and waits for its end. One thread at a time. Returns 0. On failure prints the error
 * and its place to stderr, and returns the job's errno, or -EIO if the service is gone.
 */
int drawer_run(struct drawer *d, const struct kernel_job *job);

#endif
