/*
 * Writes a job as a folder, for tools without a driver: memory.bin is the region up to the last
 * byte in use, job.txt has a "name value" line for each member of struct kernel_job and for the
 * region. Returns 0 or a negative errno.
 */
#ifndef VC4_SHIM_DUMP_H
#define VC4_SHIM_DUMP_H

#include "kernel.h"

int dump_job(const char *folder, const uint8_t *memory, uint32_t base,
		const struct kernel_job *job);

#endif
