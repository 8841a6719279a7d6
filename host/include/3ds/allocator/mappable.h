/* The area where programs map shared memory, 0x10000000 on. It has no physical addresses. */
#ifndef CTRU_MAPPABLE_H
#define CTRU_MAPPABLE_H

#include <3ds/types.h>

/* Narrows the area; before the first block only. */
void mappableInit(u32 first, u32 end);
/* Returns zeroed memory, page-aligned, or NULL. */
void *mappableAlloc(size_t size);
void mappableFree(void *mem);

#endif
