/*
 * The linear heap: memory that the GPU sees, at 0x30000000 (physical 0x20000000). Allocation is
 * first fit, so that every run has the same addresses. Blocks are not cleared. At least 16 bytes
 * after a block guard it, if there is room: a message tells of a write to them when the block is
 * freed, or at the program's end.
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
/* Returns how many bytes of a block may be used: the size, rounded up to 0x80. */
size_t linearGetSize(void *mem);
/* NULL is allowed. Another address ends the program with a message. */
void linearFree(void *mem);
u32 linearSpaceFree(void);

#endif
