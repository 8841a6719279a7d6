/* A target, a batch and everything that drawing one batch needs; a test fills in the registers. */
#ifndef FRAG_RIG_H
#define FRAG_RIG_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/f24.h"
#include "core/base/morton.h"
#include "core/raster/raster.h"
#include "core/space/space.h"
#include "isa_test.h"
#include "pica/frag/frag.h"
#include "pica/frag/kernels.h"
#include "pica/regs/regs.h"
#include "pica/tex/tex.h"
#include "random.h"

enum {
	RIG_WIDTH = 64,
	RIG_HEIGHT = 16,
	RIG_PX = RIG_WIDTH * RIG_HEIGHT,
	RIG_TEXTURES = 0x18000000,
	RIG_TEXTURE_BYTES = 4096,
};

struct rig {
	const struct frag_kernels *k;
	struct tex_kernels tk;
	struct raster_kernels rk;
	struct frag_cache *cache;
	struct frag_scratch *scratch;
	struct space space;
	struct tex_image *image[TEX_UNITS];
	uint32_t regs[REG_COUNT];
	uint8_t color[RIG_PX * 4], depth[RIG_PX * 4];
	struct target target;
	struct raster_state rs;
	struct frag_consts consts;
	uint32_t fog_table[FRAG_FOG_ENTRIES];
	struct frag_info info;
	struct batch b;
	struct light_draw light;
	struct light_entry table[LIGHT_TABLES][LIGHT_ENTRIES]; /* zeros unless a test fills them */
};

static inline bool one_in(uint32_t n) {
	return random32() % n == 0;
}

static inline float random_float(float lo, float hi) {
	return lo + (hi - lo) * ((float)(random32() >> 8) / 16777216.0f);
}

static inline void random_bytes(void *p, size_t n) {
	for (size_t i = 0; i < n; i++) {
		((uint8_t *)p)[i] = (uint8_t)random32();
	}
}

/* Combiner stage s. */
static inline void set_stage(struct rig *r, unsigned s, uint32_t source, uint32_t operand,
		uint32_t combiner, uint32_t color, uint32_t scale) {
	uint32_t *at = &r->regs[regs_texenv[s]];
	at[REGS_TEXENV_SOURCE] = source;
	at[REGS_TEXENV_OPERAND] = operand;
	at[REGS_TEXENV_COMBINER] = combiner;
	at[REGS_TEXENV_COLOR] = color;
	at[REGS_TEXENV_SCALE] = scale;
}

/* RGBA8, D24S8, no tests, all stages pass, primary colour into an opaque store. */
static inline void plain_state(struct rig *r) {
	memset(r->regs, 0, sizeof(r->regs));
	for (unsigned s = 0; s < 6; s++) {
		set_stage(r, s, s ? 0x000F000F : 0, 0, 0, 0, 0);
	}
	r->regs[REG_COLOR_OPERATION] = 0x00E40100;
	r->regs[REG_BLEND_FUNC] = 0x01010000;
	r->regs[REG_DEPTH_COLOR_MASK] = 0x1F10;
	r->regs[REG_COLORBUFFER_READ] = 0xF;
	r->regs[REG_COLORBUFFER_WRITE] = 0xF;
	r->regs[REG_DEPTHBUFFER_READ] = 3;
	r->regs[REG_DEPTHBUFFER_WRITE] = 0;
	r->regs[REG_DEPTHBUFFER_FORMAT] = DEPTH_D24S8;
	r->regs[REG_COLORBUFFER_FORMAT] = 2;
	r->regs[REG_FRAMEBUFFER_DIM] = 1u << 24 | (RIG_HEIGHT - 1) << 12 | RIG_WIDTH;
	r->regs[REG_DEPTHMAP_SCALE] = 0xBF0000;
	r->regs[REG_DEPTHMAP_ENABLE] = 1;
	r->regs[REG_LIGHTING_ENABLE1] = 1;
	r->regs[REG_TEXUNIT_CONFIG] = 7;
	static const struct {
		unsigned dim, addr, type;
	} units[3] = {
		{ REG_TEXUNIT0_DIM, REG_TEXUNIT0_ADDR1, REG_TEXUNIT0_TYPE },
		{ REG_TEXUNIT1_DIM, REG_TEXUNIT1_ADDR, REG_TEXUNIT1_TYPE },
		{ REG_TEXUNIT2_DIM, REG_TEXUNIT2_ADDR, REG_TEXUNIT2_TYPE },
	};
	for (unsigned u = 0; u < 3; u++) {
		r->regs[units[u].dim] = 8u << 16 | 8;
		r->regs[units[u].addr] = (RIG_TEXTURES + 256 * u) >> 3;
		r->regs[units[u].type] = 0;
	}
}

static inline struct rig *rig_open(int isa) {
	seed = 0x9E3779B97F4A7C15u;
	struct rig *r = aligned_alloc(64, (sizeof(*r) + 63) & ~(size_t)63);
	memset(r, 0, sizeof(*r));
	r->k = frag_kernels_for((enum isa)isa);
	tex_kernels_init(&r->tk, (enum isa)isa);
	raster_kernels_init(&r->rk, (enum isa)isa);
	r->cache = frag_cache_create(NULL);
	const size_t bytes = (size_t)FRAG_SCRATCH_BYTES;
	r->scratch = aligned_alloc(64, bytes);
	memset(r->scratch, 0xDB, bytes); /* it is not cleared for us */
	space_init(&r->space);
	HOLDS(space_map(&r->space, RIG_TEXTURES, RIG_TEXTURE_BYTES, NULL, 0) == 0);
	uint8_t texels[RIG_TEXTURE_BYTES];
	random_bytes(texels, sizeof(texels));
	HOLDS(space_write(&r->space, RIG_TEXTURES, texels, sizeof(texels)) == 0);
	plain_state(r);
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		struct tex_desc d;
		tex_desc_from_regs(&d, r->regs, u);
		r->image[u] = tex_image_create(&d, &r->space, true);
		HOLDS(r->image[u] != NULL);
	}
	return r;
}

static inline void rig_close(struct rig *r) {
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		tex_image_put(r->image[u]);
	}
	frag_cache_destroy(r->cache);
	space_finish(&r->space);
	free(r->scratch);
	free(r);
}

/* RIG_TEST(name) { ... }: a test for each instruction set, with an open rig r. */
#define RIG_TEST(name) \
	static void name##_with(struct rig *r, int _i); \
	ISA_TEST(name) { \
		struct rig *r = rig_open(_i); \
		name##_with(r, _i); \
		rig_close(r); \
	} \
	static void name##_with(struct rig *r, int _i PICA_UNUSED)

enum { EARLY_WHOLE, EARLY_BY_QUAD };

/* Draws the batch with the registers as they are; quads are tested together or one by one. */
static inline void rig_draw(struct rig *r, int how) {
	const bool is_target = target_from_regs(&r->target, r->regs);
	HOLDS(is_target);
	r->target.color = r->color;
	r->target.depth = r->depth;
	struct frag_plan *plan = frag_plan_from_regs(r->cache, r->regs, &r->consts);
	HOLDS(plan != NULL);
	r->info = *frag_plan_info(plan);
	r->consts.fog.table = r->info.fog ? r->fog_table : NULL;
	r->rs.n_planes = 0;
	r->rs.perspective = PLANES_ATTRIBUTES & ~PLANES_COLOR;
	for (unsigned p = 0; p < PLANE_COUNT; p++) {
		if (r->info.planes >> p & 1) {
			r->rs.plane[r->rs.n_planes++] = (uint8_t)p;
		} else { /* planes that are not requested are not interpolated */
			for (unsigned i = 0; i < BATCH; i++) {
				r->b.f[p][i] = f32_from_bits(0x7FC00001);
			}
		}
	}
	struct frag_draw d = { .plan = plan, .consts = &r->consts };
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		if (r->info.textures >> u & 1) {
			tex_desc_from_regs(&d.tex[u], r->regs, u);
			d.image[u] = r->image[u];
		}
	}
	if (r->info.light) {
		light_draw_from_regs(&r->light, r->regs, r->info.light);
		for (unsigned t = 0; t < LIGHT_TABLES; t++) {
			r->light.table[t] = r->table[t];
		}
		d.light = &r->light;
	}
	frag_bind(r->scratch, r->k, &r->tk, &r->rk, &d, &r->rs, &r->target);
	if (r->info.early && how == EARLY_WHOLE) {
		frag_early(r->scratch, &r->b, 0, r->b.n_quads);
	} else if (r->info.early) {
		for (unsigned q = 0; q < r->b.n_quads; q++) {
			frag_early(r->scratch, &r->b, q, 1);
		}
	}
	frag_shade(r->scratch, &r->b);
	frag_plan_put(plan);
}

/* One quad at pixel 0, all four fragments with these inputs, w = 1. Returns pixel 0 as RGBA. */
static inline void rig_quad(struct rig *r, const float color[4], float zow) {
	memset(&r->b, 0, sizeof(r->b));
	r->b.n_quads = 1;
	r->b.live = 15;
	for (unsigned i = 0; i < 4; i++) {
		r->b.f[PLANE_IW][i] = 1.0f;
		r->b.f[PLANE_Z][i] = zow;
		for (unsigned c = 0; c < 4; c++) {
			r->b.f[PLANE_COLOR + c][i] = color[c];
		}
	}
	rig_draw(r, EARLY_WHOLE);
}

/* R | G<<8 | B<<16 | A<<24 of pixel 0 after a white quad on a cleared RGBA8 target. */
static inline uint32_t rig_pixel(struct rig *r) {
	static const float white[4] = { 1, 1, 1, 1 };
	memset(r->color, 0, sizeof(r->color));
	rig_quad(r, white, 0.0f);
	return (uint32_t)r->color[3] | (uint32_t)r->color[2] << 8 | (uint32_t)r->color[1] << 16 |
			(uint32_t)r->color[0] << 24;
}

#endif
