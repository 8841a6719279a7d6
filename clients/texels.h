/* Pictures as textures of the PICA200. */
#ifndef CLIENTS_TEXELS_H
#define CLIENTS_TEXELS_H

#include <stdint.h>

/* Returns the bits of a texel of PICA_TEXTURE_FORMAT_*; 0: no such format. */
unsigned texels_bits(uint32_t format);
/*
 * Writes RGBA rows, the top row first, as the PICA reads them: 8x8 tiles in Z order. Sizes are
 * multiples of 8. Low bits are cut off, not rounded; intensities are weighted sums of R, G and B.
 */
void texels_put(uint32_t format, uint8_t *out, const uint8_t (*px)[4], unsigned width,
		unsigned height);

#endif
