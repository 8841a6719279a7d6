/* The colour and depth buffers that are drawn to: in place, or of one tile. */
#ifndef RASTER_TARGET_H
#define RASTER_TARGET_H

#include <stdbool.h>
#include <stdint.h>

struct target {
	uint8_t *color;         /* host address of pixel index 0; NULL: no colour access */
	uint8_t *depth;         /* NULL: no depth access */
	uint32_t color_addr, depth_addr; /* physical */
	uint32_t color_bytes, depth_bytes; /* sizes of the buffers, whole blocks */
	uint16_t width, height; /* pixels; width a multiple of 8 */
	int32_t org_x, org_y;   /* pixel index 0; in place (0, 0) */
	uint8_t color_format, depth_format; /* of the chip */
	uint8_t color_px_bytes, depth_px_bytes; /* a pixel's */
	bool block32, flip;
};

#endif
