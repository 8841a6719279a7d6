/* Registers, memory and kernels: shared by the suites of the geom room. */
#ifndef GEOM_RIG_H
#define GEOM_RIG_H

#include "pica/geom/geom.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/f24.h"
#include "isa_test.h"
#include "pica/regs/regs.h"

enum { S8, U8, S16, F32 };

static uint32_t regs[PICA_REG_COUNT];
static float fixed[16][4];
static struct space space;
static struct geom_kernels kernels;
static struct shader_batch batch;

static const uint32_t vram = 0x18000000, vram_size = 0x4000;

static inline void setup(void) {
	memset(regs, 0, sizeof(regs));
	memset(fixed, 0, sizeof(fixed));
	memset(&batch, 0x7F, sizeof(batch));
	space_init(&space);
	ck_assert_int_eq(space_map(&space, vram, vram_size, NULL, 0), 0);
	geom_kernels_init(&kernels, ISA_C);
}

static inline void teardown(void) {
	space_finish(&space);
}

static inline void put(uint32_t addr, const void *data, uint32_t n) {
	ck_assert_uint_eq(space_write(&space, addr, data, n), 0);
}

static inline void assert_vec4(const float *v, float x, float y, float z, float w) {
	ck_assert_float_eq(v[0], x);
	ck_assert_float_eq(v[1], y);
	ck_assert_float_eq(v[2], z);
	ck_assert_float_eq(v[3], w);
}

#endif
