#include "core/raster/surface.h"

#include <string.h>

static uint8_t *pixel(const struct surface *s, uint32_t px, unsigned sample) {
	const size_t plane = (size_t)s->width * s->height;
	return s->base + (sample * plane + px) * s->px_bytes;
}

/* Columns and rows of the tile that lie in memory from (x, y) on. */
static uint32_t within(uint32_t tile, uint32_t memory, uint32_t at) {
	const uint32_t left = at < memory ? memory - at : 0;
	return tile < left ? tile : left;
}

void surface_clear(const struct surface *tile, uint32_t value) {
	const size_t n = (size_t)tile->width * tile->height * tile->n_samples;
	for (size_t i = 0; i < n; i++) {
		memcpy(tile->base + i * tile->px_bytes, &value, tile->px_bytes);
	}
}

void surface_load(const struct surface *tile, const struct surface *memory, uint32_t x,
		uint32_t y) {
	const uint32_t width = within(tile->width, memory->width, x),
		       height = within(tile->height, memory->height, y);
	for (uint32_t i = 0; i < width * height; i++) {
		const uint32_t dx = i % width, dy = i / width, px = surface_px(tile, dx, dy);
		const uint8_t *from = pixel(memory, surface_px(memory, x + dx, y + dy), 0);
		for (unsigned s = 0; s < tile->n_samples; s++) {
			memcpy(pixel(tile, px, s), from, tile->px_bytes);
		}
	}
}

void surface_store(const struct surface *tile, const struct surface *memory, uint32_t x,
		uint32_t y) {
	const uint32_t width = within(tile->width, memory->width, x),
		       height = within(tile->height, memory->height, y);
	for (uint32_t i = 0; i < width * height; i++) {
		const uint32_t dx = i % width, dy = i / width, px = surface_px(tile, dx, dy);
		uint8_t *to = pixel(memory, surface_px(memory, x + dx, y + dy), 0);
		for (unsigned byte = 0; byte < tile->px_bytes; byte++) {
			unsigned sum = 0;
			for (unsigned s = 0; s < tile->n_samples; s++) {
				sum += pixel(tile, px, s)[byte];
			}
			to[byte] = (uint8_t)(sum / tile->n_samples);
		}
	}
}
