#include "texture.h"

#include <stdlib.h>

#include "texels.h"

size_t texture_bytes(uint32_t format, unsigned n, unsigned levels) {
	size_t sum = 0;
	for (unsigned level = 0; level < levels; level++) {
		sum += (size_t)(n >> level) * (n >> level) * texels_bits(format) / 8;
	}
	return sum;
}

uint8_t *texture_create(uint32_t format, unsigned n, unsigned levels, picture_fn *fn) {
	uint8_t *out = calloc(1, texture_bytes(format, n, levels));
	uint8_t (*px)[4] = malloc((size_t)n * n * 4);
	if (!out || !px) {
		free(out);
		free(px);
		return NULL;
	}
	for (unsigned y = 0; y < n; y++) {
		for (unsigned x = 0; x < n; x++) {
			fn(x, y, n, px[(size_t)y * n + x]);
		}
	}
	for (unsigned level = 0; level < levels; level++) {
		unsigned w = n >> level;
		texels_put(format, out + texture_bytes(format, n, level), (const uint8_t(*)[4])px,
				w, w);
		/* Halves the picture in place: each write follows the reads. */
		for (unsigned y = 0; y + 1 < w; y += 2) {
			for (unsigned x = 0; x + 1 < w; x += 2) {
				for (unsigned c = 0; c < 4; c++) {
					unsigned sum = px[(size_t)y * w + x][c] +
							px[(size_t)y * w + x + 1][c] +
							px[(size_t)(y + 1) * w + x][c] +
							px[(size_t)(y + 1) * w + x + 1][c];
					px[(size_t)(y / 2) * (w / 2) + x / 2][c] =
							(uint8_t)((sum + 2) / 4);
				}
			}
		}
	}
	free(px);
	return out;
}
