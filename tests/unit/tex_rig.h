/* Memory and kernels for the suites of tex/, and textures in them. */
#ifndef TEX_RIG_H
#define TEX_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include <check.h>

#include "core/base/morton.h"
#include "isa_test.h"
#include "pica/regs/regs.h"
#include "pica/tex/private.h"
#include "pica/tex/tex.h"

enum { MEM = 0x18000000, MEM_SIZE = 0x100000 };

static struct space space;
static uint8_t *mem; /* host address of MEM */

static inline void setup(void) {
	space_init(&space);
	ck_assert_int_eq(space_map(&space, MEM, MEM_SIZE, NULL, 0), 0);
	mem = space_host(&space, MEM, MEM_SIZE);
	ck_assert_ptr_nonnull(mem);
}

static inline void teardown(void) {
	space_finish(&space);
}

/* TEX_TEST(name) { ... }: a test for each instruction set, with its kernels k. */
#define TEX_TEST(name) \
	static void name##_with(struct tex_kernels k); \
	ISA_TEST(name) { \
		struct tex_kernels k; \
		tex_kernels_init(&k, (enum isa)_i); \
		name##_with(k); \
	} \
	static void name##_with(struct tex_kernels k)

static inline struct tex_kernels c_kernels(void) {
	struct tex_kernels k;
	tex_kernels_init(&k, ISA_C);
	return k;
}

/* A nearest, repeating 2D texture at MEM. */
static inline struct tex_desc texture(unsigned format, unsigned width, unsigned height) {
	return (struct tex_desc){ .addr = MEM, .width = (uint16_t)width, .height = (uint16_t)height,
		.enabled = 1, .valid = 1, .format = (uint8_t)format, .wrap_s = TEX_WRAP_REPEAT,
		.wrap_t = TEX_WRAP_REPEAT };
}

/* Sets the RGBA8 texel of column s and texture row t (0: the last in memory) of a level at MEM. */
static inline void set_texel(uint32_t offset, unsigned width, unsigned height, unsigned s,
		unsigned t, uint32_t rgba) {
	uint8_t *p = mem + offset + 4 * tiled_index(s, height - 1 - t, width, 0);
	p[0] = (uint8_t)(rgba >> 24);
	p[1] = (uint8_t)(rgba >> 16);
	p[2] = (uint8_t)(rgba >> 8);
	p[3] = (uint8_t)rgba;
}

/* Texel (s, t) of a decoded level. */
static inline uint32_t texel(const struct tex_level *level, int s, int t) {
	const uint32_t *texels = atomic_load(&level->texels);
	return texels[(t + 1) * (int)level->stride_px + s + 1];
}

/* The result of one quad whose four lanes are at (u, v). */
static inline uint32_t sample_one(const struct tex_kernels *k, const struct tex_desc *d,
		struct tex_image *image, float u, float v) {
	float us[4] = { u, u, u, u }, vs[4] = { v, v, v, v };
	uint16_t out[4][BATCH];
	tex_sample(k, d, image, us, vs, 4, out);
	return out[0][0] | (uint32_t)out[1][0] << 8 | (uint32_t)out[2][0] << 16 |
			(uint32_t)out[3][0] << 24;
}

/* 8x8 RGBA8 with R = 10*s, G = t, B = 0, A = 255. */
static inline struct tex_image *ramp(const struct tex_desc *d) {
	for (unsigned t = 0; t < 8; t++) {
		for (unsigned s = 0; s < 8; s++) {
			set_texel(0, 8, 8, s, t, 0xFF000000 | t << 8 | 10 * s);
		}
	}
	return tex_image_create(d, &space, false);
}

/* 64x64 RGBA8 with four levels; level n is R = 10*(n+1) everywhere. */
static inline struct tex_desc four_levels(void) {
	struct tex_desc d = texture(0, 64, 64);
	d.max_level = 3;
	for (unsigned n = 0; n < 4; n++) {
		uint32_t size = tex_level_size(&d, n);
		for (uint32_t i = 0; i < size; i += 4) {
			memset(mem + tex_level_offset(&d, n) + i, 0, 3);
			mem[tex_level_offset(&d, n) + i + 3] = (uint8_t)(10 * n + 10);
		}
	}
	return d;
}

#endif
