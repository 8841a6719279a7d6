/*
 * The linear heap: memory that the GPU sees, at 0x30000000 (physical 0x20000000). Allocation is
 * first fit, so that every run has the same addresses. Blocks are zero at first use only.
 */
#ifndef CTRU_LINEAR_H
#define CTRU_LINEAR_H

#include <3ds/types.h>

/* Returns a block aligned to 0x80 bytes, or NULL. */
void *linearAlloc(size_t size);
/* alignment: a power of two. */
void *linearMemAlign(size_t size, size_t alignment);
/* Returns a block with the old contents; mem is freed. */
void *linearRealloc(void *mem, size_t size);
size_t linearGetSize(void *mem);
/* NULL is allowed. Another address ends the program with a message. */
void linearFree(void *mem);
u32 linearSpaceFree(void);

#endif
