/* The smallest picture: a red triangle of 28 pixels at the corner of a 64x64 target at VRAM. */
#ifndef TESTS_SERVICE_TRIANGLE_H
#define TESTS_SERVICE_TRIANGLE_H

#include <stdint.h>

enum {
	VRAM = 0x18000000,
	VRAM_BYTES = 0x600000,
	FCRAM = 0x20000000,
	FCRAM_BYTES = 0x200000,
	VERTICES = FCRAM + 0x1000,
	LIST = FCRAM + 0x100000,
	SIDE = 64,
	TRIANGLE_PIXELS = 28,
};

/*
 * Writes vertices and a list (at LIST), which draws the triangle `copies` times, to fcram, the
 * memory at FCRAM. Returns the size of the list.
 */
uint32_t triangle_list(uint8_t *fcram, unsigned copies);
/*
 * The same with a triangle that covers all of a target of 512x512 pixels at VRAM, so often that it
 * takes seconds: HEAVY_PIXELS.
 */
uint32_t heavy_list(uint8_t *fcram, unsigned copies);
enum { HEAVY_SIDE = 512, HEAVY_PIXELS = HEAVY_SIDE * HEAVY_SIDE };
/* Pixels of the target that are red. */
unsigned triangle_count(const void *vram);

#endif
