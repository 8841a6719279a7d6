#include "vc4/tex/layout.h"

enum {
	UTILE_BYTES = 64,
	LT_UTILES = 4,   /* levels of at most this many across or down are LT */
	SUB_UTILES = 4,  /* micro-tiles of a sub-tile, across and down */
	TILE_UTILES = 8,
	TILE_BYTES = TILE_UTILES * TILE_UTILES * UTILE_BYTES,
};

/* log2 of the pixels across and down a micro-tile. */
static unsigned utile_width_bits(unsigned px_bytes) {
	return px_bytes <= 2 ? 3 : px_bytes == 4 ? 2 : 1;
}

static unsigned utile_height_bits(unsigned px_bytes) {
	return px_bytes == 1 ? 3 : 2;
}

static uint32_t units(uint32_t n, unsigned bits) {
	return (n + (1u << bits) - 1) >> bits;
}

enum vc4_layout vc4_layout_of_texture(uint32_t width, uint32_t height, unsigned px_bytes) {
	const uint32_t most = LT_UTILES;
	const bool is_small = width <= most << utile_width_bits(px_bytes) ||
			height <= most << utile_height_bits(px_bytes);
	return is_small ? VC4_IMAGE_LT : VC4_IMAGE_T;
}

/* Sub-tiles by odd row of tiles, row and column in the tile. */
static const uint8_t place[2][2][2] = { { { 0, 3 }, { 1, 2 } }, { { 2, 1 }, { 3, 0 } } };

/* The offset of the micro-tile at (x, y), of an image of tiles_x tiles across. */
static uint32_t t_offset(uint32_t x, uint32_t y, uint32_t tiles_x) {
	const uint32_t row = y / TILE_UTILES, column = x / TILE_UTILES, odd = row & 1;
	const uint32_t tile = row * tiles_x + (odd ? tiles_x - 1 - column : column);
	const uint32_t sub = place[odd][y / SUB_UTILES & 1][x / SUB_UTILES & 1];
	const uint32_t utile = (y % SUB_UTILES) * SUB_UTILES + x % SUB_UTILES;
	return tile * TILE_BYTES + (sub * SUB_UTILES * SUB_UTILES + utile) * UTILE_BYTES;
}

uint32_t vc4_image_offset(const struct vc4_image *image, uint32_t x, uint32_t y) {
	const unsigned wb = utile_width_bits(image->px_bytes);
	const unsigned hb = utile_height_bits(image->px_bytes);
	const uint32_t across = units(image->width, wb);
	if (image->layout == VC4_IMAGE_RASTER) {
		return ((y * across << wb) + x) * image->px_bytes;
	}
	const uint32_t ux = x >> wb, uy = y >> hb;
	const uint32_t inside = (((y & ((1u << hb) - 1)) << wb) + (x & ((1u << wb) - 1))) *
			image->px_bytes;
	return inside + (image->layout == VC4_IMAGE_LT ?
					(uy * across + ux) * UTILE_BYTES :
					t_offset(ux, uy, units(across, 3)));
}

/* The micro-tile that holds the byte at an offset. */
static void t_place(uint32_t offset, uint32_t tiles_x, uint32_t *ux, uint32_t *uy) {
	const uint32_t tile = offset / TILE_BYTES, utile = offset / UTILE_BYTES;
	const uint32_t row = tile / tiles_x, odd = row & 1, column = tile % tiles_x;
	const uint32_t sub = utile / (SUB_UTILES * SUB_UTILES) & 3;
	uint32_t at = 0; /* row and column of the sub-tile, as bits */
	while (place[odd][at >> 1][at & 1] != sub) {
		at++;
	}
	*ux = (odd ? tiles_x - 1 - column : column) * TILE_UTILES + (at & 1) * SUB_UTILES +
			utile % SUB_UTILES;
	*uy = row * TILE_UTILES + (at >> 1) * SUB_UTILES + utile / SUB_UTILES % SUB_UTILES;
}

bool vc4_image_place(const struct vc4_image *image, uint32_t offset, uint32_t *x, uint32_t *y) {
	const unsigned wb = utile_width_bits(image->px_bytes);
	const unsigned hb = utile_height_bits(image->px_bytes);
	const uint32_t across = units(image->width, wb);
	const uint32_t px = offset / image->px_bytes;
	if (image->layout == VC4_IMAGE_RASTER) {
		*x = px % (across << wb);
		*y = px / (across << wb);
		return *x < image->width && *y < image->height;
	}
	uint32_t ux = offset / UTILE_BYTES % across, uy = offset / UTILE_BYTES / across;
	if (image->layout == VC4_IMAGE_T) {
		t_place(offset, units(across, 3), &ux, &uy);
	}
	*x = (ux << wb) + (px & ((1u << wb) - 1));
	*y = (uy << hb) + (px >> wb & ((1u << hb) - 1));
	return *x < image->width && *y < image->height;
}

uint32_t vc4_image_bytes(const struct vc4_image *image) {
	const unsigned wb = utile_width_bits(image->px_bytes);
	const unsigned hb = utile_height_bits(image->px_bytes);
	const uint32_t across = units(image->width, wb), down = units(image->height, hb);
	switch ((enum vc4_layout)image->layout) {
	case VC4_IMAGE_RASTER:
		return (across << wb) * image->px_bytes * image->height;
	case VC4_IMAGE_LT:
		return across * down * UTILE_BYTES;
	case VC4_IMAGE_T:
		break;
	}
	return units(across, 3) * units(down, 3) * TILE_BYTES;
}
