/* Pixels of buffers in place, and buffers of a tile: cleared, loaded, stored. */
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/raster/surface.h"
#include "tests/suite.h"

enum { WIDTH = 40, HEIGHT = 24, TILE = 16, STRIDE = 44 };

static uint8_t memory_bytes[4 * 64 * 64], tile_bytes[4 * 4 * TILE * TILE];

static struct surface memory_of(enum surface_order order, unsigned px_bytes) {
	for (size_t i = 0; i < sizeof(memory_bytes); i++) {
		memory_bytes[i] = (uint8_t)(i * 7 + i / 251);
	}
	return (struct surface){ .base = memory_bytes, .width = WIDTH, .height = HEIGHT,
		.stride_px = STRIDE, .order = (uint8_t)order, .px_bytes = (uint8_t)px_bytes,
		.n_samples = 1 };
}

static struct surface tile_of(unsigned px_bytes, unsigned n_samples) {
	memset(tile_bytes, 0xA5, sizeof(tile_bytes));
	return (struct surface){ .base = tile_bytes, .width = TILE, .height = TILE,
		.order = SURFACE_BLOCKS, .px_bytes = (uint8_t)px_bytes,
		.n_samples = (uint8_t)n_samples };
}

/* Row by row within blocks of 8 and of 32, by division. */
static uint32_t naive_px(enum surface_order order, uint32_t x, uint32_t y) {
	if (order == SURFACE_ROWS) {
		return y * STRIDE + x;
	}
	uint32_t px = 0;
	const unsigned bits = order == SURFACE_BLOCKS32 ? 5 : 3;
	for (unsigned i = 0; i < bits; i++) {
		px |= (x >> i & 1) << 2 * i | (y >> i & 1) << (2 * i + 1);
	}
	const uint32_t side = 1u << bits, across = (WIDTH + side - 1) / side;
	return (y / side * across + x / side) * side * side + px;
}

TEST(pixels_lie_where_the_order_says) {
	for (int order = SURFACE_BLOCKS; order <= SURFACE_ROWS; order++) {
		const struct surface s = memory_of((enum surface_order)order, 4);
		for (uint32_t y = 0; y < HEIGHT; y++) {
			for (uint32_t x = 0; x < WIDTH; x++) {
				ck_assert_uint_eq(surface_px(&s, x, y),
						naive_px((enum surface_order)order, x, y));
			}
		}
	}
}

TEST(clear_fills_every_sample_and_nothing_else) {
	for (unsigned bytes = 1; bytes <= 4; bytes++) {
		for (unsigned samples = 1; samples <= 4; samples += 3) {
			const struct surface t = tile_of(bytes, samples);
			surface_clear(&t, 0x44332211);
			const size_t end = (size_t)TILE * TILE * samples * bytes;
			for (size_t i = 0; i < sizeof(tile_bytes); i++) {
				const unsigned want = i < end ? 0x11 * (i % bytes + 1) : 0xA5;
				ck_assert_uint_eq(tile_bytes[i], want);
			}
		}
	}
}

/* A tile in the middle, and one of which a part lies outside. */
static const uint32_t places[][2] = { { 16, 0 }, { 32, 16 }, { 64, 64 } };

TEST(what_is_loaded_is_stored_again) {
	for (int order = SURFACE_BLOCKS; order <= SURFACE_ROWS; order++) {
		for (size_t i = 0; i < ARRAY_LEN(places) * 4; i++) {
			const unsigned bytes = (unsigned)i % 4 + 1;
			const uint32_t *at = places[i / 4];
			const struct surface m = memory_of((enum surface_order)order, bytes);
			static uint8_t before[sizeof(memory_bytes)];
			memcpy(before, memory_bytes, sizeof(before));
			const struct surface t = tile_of(bytes, i & 1 ? 4 : 1);
			surface_load(&t, &m, at[0], at[1]);
			for (uint32_t p = 0; p < TILE * TILE; p++) {
				const uint32_t x = at[0] + p % TILE, y = at[1] + p / TILE;
				const uint32_t px = surface_px(&t, p % TILE, p / TILE);
				const uint8_t *got = tile_bytes + bytes * px;
				if (x >= WIDTH || y >= HEIGHT) {
					ck_assert_uint_eq(*got, 0xA5);
					continue;
				}
				const uint32_t px_there =
						naive_px((enum surface_order)order, x, y);
				ck_assert_mem_eq(got, before + bytes * px_there, bytes);
			}
			surface_store(&t, &m, at[0], at[1]);
			ck_assert(memcmp(before, memory_bytes, sizeof(before)) == 0);
		}
	}
}

TEST(samples_are_averaged_and_rounded_down) {
	const struct surface m = memory_of(SURFACE_ROWS, 4);
	const struct surface t = tile_of(4, 4);
	uint32_t seed = 1;
	for (size_t i = 0; i < sizeof(tile_bytes); i++) {
		seed = seed * 1664525 + 1013904223;
		tile_bytes[i] = (uint8_t)(seed >> 24);
	}
	surface_store(&t, &m, 8, 8);
	for (uint32_t p = 0; p < TILE * TILE * 4; p++) {
		const uint32_t x = p / 4 % TILE, y = p / 4 / TILE;
		const uint32_t at = 4 * surface_px(&t, x, y) + p % 4;
		unsigned sum = 0;
		for (unsigned s = 0; s < 4; s++) {
			sum += tile_bytes[at + s * 4 * TILE * TILE];
		}
		ck_assert_uint_eq(memory_bytes[4 * ((8 + y) * STRIDE + 8 + x) + p % 4], sum / 4);
	}
}
