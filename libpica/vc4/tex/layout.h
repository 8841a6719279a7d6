/*
 * Layouts of images in the memory of the VideoCore IV: textures and targets.
 *
 * A micro-tile is 64 bytes, with its pixels row by row. Layout LT stores micro-tiles row by row.
 * Layout T has sub-tiles of 4x4 micro-tiles, tiles of 2x2 sub-tiles, and rows of tiles that
 * alternately run to the right and to the left. [fidelity: vc4-layouts]
 */
#ifndef VC4_LAYOUT_H
#define VC4_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum vc4_layout { VC4_IMAGE_RASTER, VC4_IMAGE_T, VC4_IMAGE_LT }; /* as in record fields */

/* Offsets of images of this size fit in 32 bits. */
enum { VC4_IMAGE_MAX = 16384 };

struct vc4_image {
	uint8_t layout;         /* enum vc4_layout */
	uint8_t px_bytes;       /* 1, 2, 4 or 8 (a block of ETC1) */
	uint16_t width, height; /* 1 to VC4_IMAGE_MAX */
};

/* Returns the layout of a texture level that is stored tiled: LT if it is small, else T. */
enum vc4_layout vc4_layout_of_texture(uint32_t width, uint32_t height, unsigned px_bytes);
/* Returns the offset in bytes of pixel (x, y), which must lie in the image. */
uint32_t vc4_image_offset(const struct vc4_image *image, uint32_t x, uint32_t y);
/* Finds the pixel that holds the byte at an offset. Returns false if it is padding, or outside. */
bool vc4_image_place(const struct vc4_image *image, uint32_t offset, uint32_t *x, uint32_t *y);
/* Returns the size in bytes, including padding from rounding up the dimensions. */
uint32_t vc4_image_bytes(const struct vc4_image *image);

/* Returns a pixel of BGR565 (red in bits 15:11) as RGBA8888, R lowest. */
static inline uint32_t vc4_rgba_from_565(uint32_t c) {
	const uint32_t r = c >> 11, g = c >> 5 & 63, b = c & 31;
	return (r << 3 | r >> 2) | (g << 2 | g >> 4) << 8 | (b << 3 | b >> 2) << 16 | 0xFF000000u;
}

#endif
