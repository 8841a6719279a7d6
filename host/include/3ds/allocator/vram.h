/* VRAM, two banks of 3 MiB at 0x1F000000 (physical 0x18000000); as the linear heap. */
#ifndef CTRU_VRAM_H
#define CTRU_VRAM_H

#include <3ds/types.h>

typedef enum vramAllocPos {
	VRAM_ALLOC_A = BIT(0),
	VRAM_ALLOC_B = BIT(1),
	VRAM_ALLOC_ANY = VRAM_ALLOC_A | VRAM_ALLOC_B, /* A, or B if it does not fit there */
} vramAllocPos;

void *vramAlloc(size_t size);
void *vramAllocAt(size_t size, vramAllocPos banks);
void *vramMemAlign(size_t size, size_t alignment);
void *vramMemAlignAt(size_t size, size_t alignment, vramAllocPos banks);
void *vramRealloc(void *mem, size_t size);
size_t vramGetSize(void *mem);
void vramFree(void *mem);
u32 vramSpaceFree(void);

#endif
