/* Random numbers, list words, and random state of everything after the vertex stage. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/regs/regs.h"

/* ---- Numbers: xorshift64*, seeded through splitmix64 ---- */

void rng_seed(struct rng *r, uint64_t seed, uint64_t stream) {
	uint64_t z =
		seed * UINT64_C(0x9E3779B97F4A7C15) + stream * UINT64_C(0xD1B54A32D192ED03) + 1;
	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	r->s = (z ^ z >> 31) | 1;
}

uint32_t rng_word(struct rng *r) {
	r->s ^= r->s >> 12;
	r->s ^= r->s << 25;
	r->s ^= r->s >> 27;
	return (uint32_t)(r->s * UINT64_C(0x2545F4914F6CDD1D) >> 32);
}

uint32_t rng_below(struct rng *r, uint32_t n) {
	return (uint32_t)((uint64_t)rng_word(r) * n >> 32);
}

int rng_in(struct rng *r, int lo, int hi) {
	return lo + (int)rng_below(r, (uint32_t)(hi - lo + 1));
}

bool rng_chance(struct rng *r, unsigned percent) {
	return rng_below(r, 100) < percent;
}

float rng_float(struct rng *r, float lo, float hi) {
	return lo + (hi - lo) * ((float)rng_below(r, 1u << 20) / (float)(1u << 20));
}

void rng_bytes(struct rng *r, void *out, uint32_t n) {
	uint8_t *p = out;
	for (uint32_t i = 0; i < n; i += 4) {
		const uint32_t w = rng_word(r);
		memcpy(p + i, &w, n - i < 4 ? n - i : 4);
	}
}

/* One of a few values, mostly the first. */
static uint32_t usually(struct rng *r, unsigned percent, uint32_t value, uint32_t otherwise_below) {
	return rng_chance(r, percent) ? value : rng_below(r, otherwise_below);
}

/* ---- List words ---- */

void group_reset(struct group *g) {
	g->n_items = 0;
	g->n_words = 0;
	g->n_data = 0;
	g->n_vertices = 0;
}

static void word(struct group *g, uint32_t w) {
	if (g->n_words == GROUP_MAX_WORDS) {
		abort(); /* the generator's own arithmetic is wrong */
	}
	g->words[g->n_words++] = w;
}

void group_put_masked(struct group *g, uint32_t id, uint32_t w, uint32_t mask) {
	word(g, w);
	word(g, id | mask << 16);
}

void group_put(struct group *g, uint32_t id, uint32_t w) {
	group_put_masked(g, id, w, 15);
}

static void group_float(struct group *g, uint32_t id, float f) {
	group_put(g, id, f32_to_f24(f));
}

void group_burst(
	struct group *g, uint32_t id, const uint32_t *words, unsigned n, bool consecutive) {
	for (unsigned done = 0; done < n;) {
		const unsigned now = n - done < 256 ? n - done : 256;
		word(g, words[done]);
		word(g, id | 15u << 16 | (now - 1) << 20 | (uint32_t)consecutive << 31);
		for (unsigned i = 1; i < now; i++) {
			word(g, words[done + i]);
		}
		if (now % 2 == 0) { /* header, first word and an odd number more */
			word(g, 0);
		}
		done += now;
		id += consecutive ? now : 0;
	}
}

bool ranges_overlap(struct range a, struct range b) {
	return a.bytes > 0 && b.bytes > 0 && a.addr < b.addr + b.bytes && b.addr < a.addr + a.bytes;
}

/* ---- Target ---- */

static unsigned target_side(struct rng *r) {
	if (rng_chance(r, 3)) {
		return 8 * (1 + rng_below(r, 32));
	}
	return 8 * (1 + rng_below(r, 8));
}

static uint32_t target_bytes(const struct gen *gen, unsigned bytes) {
	const unsigned unit = gen->target.block32 ? 32 : 8;
	const unsigned w = (gen->target.width + unit - 1) / unit * unit;
	const unsigned h = (gen->target.height + unit - 1) / unit * unit;
	return w * h * bytes;
}

static uint32_t place(struct rng *r, uint32_t area, uint32_t area_bytes, uint32_t bytes,
		uint32_t align) {
	return area + rng_below(r, (area_bytes - bytes) / align + 1) * align;
}

void random_target(struct gen *gen, struct group *g) {
	static const unsigned color_bytes[5] = {4, 3, 2, 2, 2};
	static const unsigned depth_bytes[4] = {2, 4, 3, 4};
	struct rng *r = &gen->r;
	gen->target.width = target_side(r);
	gen->target.height = rng_chance(r, 80) ? target_side(r) : 1 + rng_below(r, 64);
	gen->target.block32 = rng_chance(r, 6);
	gen->target.color_format = rng_below(r, 5);
	gen->target.depth_format = rng_chance(r, 50) ? DEPTH_FORMAT_D24S8 : rng_chance(r, 2) ? 1 :
			rng_chance(r, 50) ? DEPTH_FORMAT_D16 : DEPTH_FORMAT_D24;
	gen->target.color.bytes = target_bytes(gen, color_bytes[gen->target.color_format]);
	gen->target.depth.bytes = target_bytes(gen, depth_bytes[gen->target.depth_format]);
	gen->target.color.addr =
		place(r, COLOR_AREA, TARGET_AREA_BYTES, gen->target.color.bytes, 64);
	gen->target.depth.addr =
		place(r, DEPTH_AREA, TARGET_AREA_BYTES, gen->target.depth.bytes, 64);
	if (rng_chance(r, 2)) { /* one lies in the other */
		gen->target.depth.addr = (gen->target.color.addr & ~63u) + 64 * rng_below(r, 4);
	}
	gen->recent[gen->n_recent++ % ARRAY_LEN(gen->recent)] = gen->target.color;

	const uint32_t color_size = color_bytes[gen->target.color_format] - 2;
	const uint32_t dim = FRAMEBUFFER_DIM_WIDTH_SET(gen->target.width) |
			FRAMEBUFFER_DIM_HEIGHT_M1_SET(gen->target.height - 1) |
			FRAMEBUFFER_DIM_NO_FLIP_SET(rng_chance(r, 60));
	if (rng_chance(r, 50)) {
		group_put(g, REG_FRAMEBUFFER_FLUSH, 1);
		group_put(g, REG_FRAMEBUFFER_INVALIDATE, 1);
	}
	/* The low three bits of the addresses have no effect. */
	const uint32_t words[3] = {gen->target.depth.addr >> 3 | usually(r, 95, 0, 8),
		gen->target.color.addr >> 3 | usually(r, 95, 0, 8), dim};
	group_burst(g, REG_DEPTHBUFFER_LOC, words, 3, true);
	group_put(g, REG_RENDERBUF_DIM, dim);
	group_put(g, REG_DEPTHBUFFER_FORMAT, gen->target.depth_format);
	group_put(g, REG_COLORBUFFER_FORMAT, COLORBUFFER_FORMAT_SIZE_SET(color_size) |
			COLORBUFFER_FORMAT_FORMAT_SET(gen->target.color_format));
	group_put(g, REG_FRAMEBUFFER_BLOCK32, gen->target.block32);
}

/* ---- Textures ---- */

static const struct {
	uint32_t border, dim, param, lod, addr, type;
} unit_reg[3] = {
	{REG_TEXUNIT0_BORDER_COLOR, REG_TEXUNIT0_DIM, REG_TEXUNIT0_PARAM, REG_TEXUNIT0_LOD,
			REG_TEXUNIT0_ADDR1, REG_TEXUNIT0_TYPE},
	{REG_TEXUNIT1_BORDER_COLOR, REG_TEXUNIT1_DIM, REG_TEXUNIT1_PARAM, REG_TEXUNIT1_LOD,
			REG_TEXUNIT1_ADDR, REG_TEXUNIT1_TYPE},
	{REG_TEXUNIT2_BORDER_COLOR, REG_TEXUNIT2_DIM, REG_TEXUNIT2_PARAM, REG_TEXUNIT2_LOD,
			REG_TEXUNIT2_ADDR, REG_TEXUNIT2_TYPE},
};

static unsigned texture_side(struct rng *r) {
	return rng_chance(r, 90) ? 8u << rng_below(r, 4) : 8u << rng_below(r, 6);
}

/* Returns an address of a texture: fresh noise, an earlier drawing, the target, or anywhere. */
static uint32_t texture_address(struct gen *gen, uint32_t bytes) {
	struct rng *r = &gen->r;
	const unsigned kind = rng_below(r, 100);
	if (kind < 65) {
		return place(
			r, TEXTURE_AREA, TEXTURE_AREA_BYTES, bytes, rng_chance(r, 80) ? 128 : 8);
	}
	if (kind < 85 && gen->n_recent > 0) {
		const unsigned n = gen->n_recent < ARRAY_LEN(gen->recent) ? gen->n_recent :
				ARRAY_LEN(gen->recent);
		const uint32_t addr = gen->recent[rng_below(r, n)].addr;
		if (addr + bytes <= WIN_VRAM + WIN_BYTES) {
			return addr;
		}
	}
	if (kind < 90 && gen->target.color.addr + bytes <= WIN_VRAM + WIN_BYTES) {
		return gen->target.color.addr;
	}
	if (kind < 93 && gen->target.depth.addr + bytes <= WIN_VRAM + WIN_BYTES) {
		return gen->target.depth.addr;
	}
	return place(r, WIN_VRAM, WIN_BYTES, bytes, 64);
}

/* Types of unit 0: faces are adjacent, overlap, or lie anywhere in the same window. */
static void random_faces(
		struct gen *gen, struct group *g, uint32_t addr, uint32_t bytes, bool is_cube) {
	struct rng *r = &gen->r;
	const uint32_t window = addr >= WIN_FCRAM ? WIN_FCRAM : WIN_VRAM;
	uint32_t low[5];
	for (unsigned i = 0; i < 5; i++) {
		const uint32_t beside = addr + (i + 1) * (bytes & ~127u);
		uint32_t at = place(r, window, WIN_BYTES, bytes, 8);
		if (rng_chance(r, 55) && beside >= window && beside + bytes <= window + WIN_BYTES) {
			at = beside;
		} else if (rng_chance(r, 10) && addr > 0) {
			at = addr;
		} else if (rng_chance(r, 1)) {
			at = rng_word(r) & ~7u; /* its upper bits do not count */
		}
		/* All faces lie in the 32 MiB of the first. */
		at = (addr & ~0x1FFFFFFu) | (at & 0x1FFFFFFu);
		low[i] = at >> 3 | (rng_chance(r, 10) ? rng_word(r) << 22 : 0);
		gen->face[i] = (struct range){at, is_cube ? bytes : 0};
	}
	if (is_cube || rng_chance(r, 10)) {
		group_burst(g, REG_TEXUNIT0_ADDR2, low, 5, true);
	}
}

/* Of unit 0, or of another unit, which has no types. */
static uint32_t random_type(struct rng *r, unsigned unit) {
	static const uint8_t looks_at_w[4] = {TEXTURE_TYPE_CUBE, TEXTURE_TYPE_SHADOW_2D,
		TEXTURE_TYPE_PROJECTION, TEXTURE_TYPE_SHADOW_CUBE};
	const unsigned kind = rng_below(r, 100);
	if (unit > 0) {
		return kind < 5 ? rng_below(r, 8) : TEXTURE_TYPE_2D;
	}
	return kind < 3 ? TEXTURE_TYPE_DISABLED : kind < 4 ? 6 + rng_below(r, 2) :
			kind < 40 ? looks_at_w[rng_below(r, 4)] : TEXTURE_TYPE_2D;
}

/* What unit 0 alone has. */
static void random_unit0(
		struct gen *gen, struct group *g, uint32_t type, uint32_t addr, uint32_t bytes) {
	struct rng *r = &gen->r;
	random_faces(gen, g, addr, bytes,
			type == TEXTURE_TYPE_CUBE || type == TEXTURE_TYPE_SHADOW_CUBE);
	group_put(g, REG_TEXUNIT0_SHADOW, TEXUNIT_SHADOW_ORTHO_SET(rng_chance(r, 40)) |
			TEXUNIT_SHADOW_BIAS_SET(rng_chance(r, 40) ? 0 : rng_chance(r, 70) ?
			rng_below(r, 1u << 20) : rng_word(r)));
}

static void random_texture(struct gen *gen, struct group *g, unsigned unit) {
	static const unsigned bits[16] = {32, 24, 16, 16, 16, 16, 16, 8, 8, 8, 4, 4, 4, 8, 8, 8};
	struct rng *r = &gen->r;
	unsigned w = texture_side(r), h = rng_chance(r, 60) ? w : texture_side(r);
	unsigned max_level = rng_chance(r, 50) ? 0 : rng_below(r, 6);
	if (rng_chance(r, 4)) { /* multiples of 8 that are not powers of two: one level */
		w = 8 * (1 + rng_below(r, 9));
		h = 8 * (1 + rng_below(r, 9));
		max_level = 0;
	}
	if (rng_chance(r, 1)) {
		w = rng_below(r, 20); /* mostly no multiple of 8 */
	}
	const uint32_t type = random_type(r, unit);
	const bool is_map = type == TEXTURE_TYPE_SHADOW_2D || type == TEXTURE_TYPE_SHADOW_CUBE;
	const unsigned format = rng_chance(r, 1) ? 14 + rng_below(r, 2) :
			is_map && rng_chance(r, 75) ? TEXTURE_FORMAT_RGBA8 : rng_below(r, 14);
	/* All levels take less than 4/3 of the first; rounded up, since none may leave the
	 * window. */
	const uint32_t bytes = (w * h * bits[format] / 8 * 4 + 2) / 3 + 256;
	const uint32_t addr = rng_chance(r, 1) ? 0 : texture_address(gen, bytes);
	gen->tex[unit] = (struct range){addr, bytes};
	if (unit == 0) {
		gen->tex_width = w > 0 ? w : 8;
		gen->tex_height = h;
		random_unit0(gen, g, type, addr, bytes);
	}
	const uint32_t lod = TEXUNIT_LOD_MAX_SET(max_level) |
			TEXUNIT_LOD_MIN_SET(usually(r, 80, 0, 4)) |
			TEXUNIT_LOD_BIAS_SET(rng_chance(r, 40) ? 0 : rng_chance(r, 40) ?
			(uint32_t)(128 * rng_in(r, -4, 6)) : (uint32_t)rng_in(r, -768, 768));
	const uint32_t param =
		TEXUNIT_PARAM_MAG_SET(rng_below(r, 2)) | TEXUNIT_PARAM_MIN_SET(rng_below(r, 2)) |
		TEXUNIT_PARAM_MIP_SET(rng_below(r, 2)) |
		TEXUNIT_PARAM_ETC1_SET(format == TEXTURE_FORMAT_ETC1 ? 2 : 0) |
		TEXUNIT_PARAM_WRAP_S_SET(rng_below(r, 8)) |
		TEXUNIT_PARAM_WRAP_T_SET(rng_below(r, 8)) |
		TEXUNIT_PARAM_TYPE_SET(type) | TEXUNIT_PARAM_SHADOW_SET(rng_below(r, 2));
	group_put(g, unit_reg[unit].border, rng_word(r));
	group_put(g, unit_reg[unit].dim, TEXUNIT_DIM_WIDTH_SET(w) | TEXUNIT_DIM_HEIGHT_SET(h));
	group_put(g, unit_reg[unit].param, param);
	group_put(g, unit_reg[unit].lod, lod);
	group_put(g, unit_reg[unit].addr, addr >> 3);
	group_put(g, unit_reg[unit].type, format);
}

void random_textures(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	const uint32_t enabled = rng_chance(r, 75) ? 1 + rng_below(r, 7) : rng_below(r, 2);
	for (unsigned unit = 0; unit < 3; unit++) {
		if (gen->is_fresh || (enabled >> unit & 1 && rng_chance(r, 80))) {
			random_texture(gen, g, unit);
		}
	}
	group_put_masked(g, REG_TEXUNIT_CONFIG, enabled | TEXUNIT_CONFIG_ONE_SET(1) |
			TEXUNIT_CONFIG_UNIT2_COORD1_SET(rng_below(r, 2)) |
			TEXUNIT_CONFIG_COORD3_SET(rng_below(r, 4)) |
			TEXUNIT_CONFIG_ENABLE3_SET(rng_chance(r, 70)), 0xB);
	if (rng_chance(r, 30)) {
		group_put_masked(g, REG_TEXUNIT_CONFIG, TEXUNIT_CONFIG_CLEAR_CACHE_SET(1), 4);
	}
}

/* ---- Combiner ---- */

static uint32_t tev_source(struct gen *gen, unsigned stage) {
	struct rng *r = &gen->r;
	static const uint8_t source[] = {
		TEV_SOURCE_PRIMARY,
		TEV_SOURCE_PRIMARY,
		TEV_SOURCE_TEXTURE0,
		TEV_SOURCE_TEXTURE0,
		TEV_SOURCE_TEXTURE1,
		TEV_SOURCE_TEXTURE2,
		TEV_SOURCE_TEXTURE3,
		TEV_SOURCE_CONSTANT,
		TEV_SOURCE_PREVIOUS_BUFFER,
	};
	if (rng_chance(r, stage == 0 ? 10 : 40)) {
		return TEV_SOURCE_PREVIOUS;
	}
	if (gen->is_lit && rng_chance(r, 40)) {
		return TEV_SOURCE_FRAGMENT_PRIMARY + rng_below(r, 2);
	}
	return rng_chance(r, 3) ? rng_below(r, 16) : source[rng_below(r, ARRAY_LEN(source))];
}

static uint32_t tev_rgb_operand(struct rng *r) {
	static const uint8_t operand[10] = {0, 1, 2, 3, 4, 5, 8, 9, 12, 13};
	if (rng_chance(r, 50)) {
		return 0;
	}
	return rng_chance(r, 3) ? rng_below(r, 16) : operand[rng_below(r, 10)];
}

static void random_stage(struct gen *gen, struct group *g, unsigned s) {
	struct rng *r = &gen->r;
	uint32_t words[5] = {0x000F000F, 0, 0, rng_word(r), 0};
	const bool is_pass_through = rng_chance(r, s == 0 ? 5 : 40 + 8 * s);
	if (!is_pass_through) {
		words[0] = TEXENV_SOURCE_RGB0_SET(tev_source(gen, s)) |
			   TEXENV_SOURCE_RGB1_SET(tev_source(gen, s)) |
			   TEXENV_SOURCE_RGB2_SET(tev_source(gen, s)) |
			   TEXENV_SOURCE_ALPHA0_SET(tev_source(gen, s)) |
			   TEXENV_SOURCE_ALPHA1_SET(tev_source(gen, s)) |
			   TEXENV_SOURCE_ALPHA2_SET(tev_source(gen, s));
		words[1] = TEXENV_OPERAND_RGB0_SET(tev_rgb_operand(r)) |
				TEXENV_OPERAND_RGB1_SET(tev_rgb_operand(r)) |
				TEXENV_OPERAND_RGB2_SET(tev_rgb_operand(r)) |
				TEXENV_OPERAND_ALPHA0_SET(usually(r, 60, 0, 8)) |
				TEXENV_OPERAND_ALPHA1_SET(usually(r, 60, 0, 8)) |
				TEXENV_OPERAND_ALPHA2_SET(usually(r, 60, 0, 8));
		words[2] = TEXENV_COMBINER_RGB_SET(
				   rng_chance(r, 2) ? rng_below(r, 16) : rng_below(r, 10)) |
			   TEXENV_COMBINER_ALPHA_SET(
				   rng_chance(r, 2) ? rng_below(r, 16) : rng_below(r, 10));
		words[4] = TEXENV_SCALE_RGB_SET(usually(r, 70, 0, 4)) |
				TEXENV_SCALE_ALPHA_SET(usually(r, 70, 0, 4));
	}
	group_burst(g, regs_texenv[s], words, 5, true);
}

void random_combiner(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	for (unsigned s = 0; s < 6; s++) {
		if (gen->is_fresh || rng_chance(r, 70)) {
			random_stage(gen, g, s);
		}
	}
	group_put_masked(g, REG_TEXENV_UPDATE_BUFFER,
		TEXENV_UPDATE_BUFFER_RGB_SET(rng_below(r, 16)) |
			TEXENV_UPDATE_BUFFER_ALPHA_SET(rng_below(r, 16)),
		2);
	group_put(g, REG_TEXENV_BUFFER_COLOR, rng_word(r));
}

/* ---- Tests, blending, masks ---- */

void random_output(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	const bool blends = rng_chance(r, 75);
	uint32_t func = 0x01010000; /* one, zero */
	if (rng_chance(r, 60)) {
		func = rng_word(r) & 0xFFFF0000;
		func |= BLEND_FUNC_RGB_EQ_SET(rng_below(r, 8)) |
			BLEND_FUNC_ALPHA_EQ_SET(rng_below(r, 8));
	}
	const uint32_t mode = rng_chance(r, 6) ? FRAGMENT_MODE_SHADOW :
			rng_chance(r, 6) ? FRAGMENT_MODE_GAS :
			rng_chance(r, 1) ? FRAGMENT_MODE_NOTHING : FRAGMENT_MODE_NORMAL;
	group_put(g, REG_COLOR_OPERATION,
		COLOR_OPERATION_MODE_SET(mode) | COLOR_OPERATION_BLEND_SET(blends) |
			COLOR_OPERATION_E4_SET(usually(r, 50, 0xE4, 256)));
	group_put(g, REG_BLEND_FUNC, func);
	group_put(g, REG_LOGIC_OP, rng_below(r, 16));
	group_put(g, REG_BLEND_COLOR, rng_word(r));
	group_put(g, REG_FRAGOP_ALPHA_TEST,
		FRAGOP_ALPHA_TEST_ENABLE_SET(rng_chance(r, 15)) |
			FRAGOP_ALPHA_TEST_FUNC_SET(rng_below(r, 8)) |
			FRAGOP_ALPHA_TEST_REF_SET(rng_below(r, 256)));
	/* Few bits of stencil, so that equal and unequal both happen. */
	group_put(g, REG_STENCIL_TEST,
		STENCIL_TEST_ENABLE_SET(rng_chance(r, 40)) |
			STENCIL_TEST_FUNC_SET(usually(r, 55, COMPARE_ALWAYS, 8)) |
			STENCIL_TEST_WRITE_MASK_SET(usually(r, 60, 255, 256)) |
			STENCIL_TEST_REF_SET(
				rng_chance(r, 60) ? rng_below(r, 4) : rng_below(r, 256)) |
			STENCIL_TEST_COMPARE_MASK_SET(
				rng_chance(r, 60) ? rng_below(r, 4) : rng_below(r, 256)));
	group_put(g, REG_STENCIL_OP,
		STENCIL_OP_FAIL_SET(rng_below(r, 8)) | STENCIL_OP_ZFAIL_SET(rng_below(r, 8)) |
			STENCIL_OP_ZPASS_SET(rng_below(r, 8)));
	group_put(g, REG_DEPTH_COLOR_MASK,
		DEPTH_COLOR_MASK_ENABLE_SET(rng_chance(r, 45)) |
			DEPTH_COLOR_MASK_FUNC_SET(
				rng_chance(r, 30) ? rng_below(r, 8) : 4 + rng_below(r, 4)) |
			DEPTH_COLOR_MASK_COLOR_WRITE_SET(usually(r, 75, 15, 16)) |
			DEPTH_COLOR_MASK_DEPTH_WRITE_SET(rng_chance(r, 65)));
	group_put(g, REG_COLORBUFFER_READ, usually(r, 85, 15, 16));
	group_put(g, REG_COLORBUFFER_WRITE, rng_chance(r, 96) ? 15 : rng_below(r, 16));
	group_put(g, REG_DEPTHBUFFER_READ, rng_below(r, 4));
	group_put(g, REG_DEPTHBUFFER_WRITE, usually(r, 75, 3, 4));
}

/* ---- Viewport, culling, scissor, clip plane, depth map ---- */

static float plane_coefficient(struct rng *r) {
	return rng_chance(r, 30) ? 0.0f : rng_float(r, -1.0f, 1.0f);
}

void random_raster(struct gen *gen, struct group *g) {
	struct rng *r = &gen->r;
	float half_w = (float)gen->target.width / 2, half_h = (float)gen->target.height / 2;
	if (rng_chance(r, 25)) {
		half_w *= rng_float(r, 0.3f, 2.0f);
		half_h *= rng_float(r, 0.3f, 2.0f);
	}
	if (rng_chance(r, 2)) {
		half_w *=
			rng_chance(r, 50) ? -1.0f : 150.0f; /* mirrored; or too far away to snap */
	}
	group_float(g, REG_VIEWPORT_WIDTH, half_w);
	group_put(g, REG_VIEWPORT_INVW, f32_to_f31(1.0f / half_w));
	group_float(g, REG_VIEWPORT_HEIGHT, half_h);
	group_put(g, REG_VIEWPORT_INVH, f32_to_f31(1.0f / half_h));
	const bool moved = rng_chance(r, 25);
	group_put(g, REG_VIEWPORT_XY,
		VIEWPORT_XY_X_SET((uint32_t)(moved ? rng_in(r, -24, 24) : 0)) |
			VIEWPORT_XY_Y_SET((uint32_t)(moved ? rng_in(r, -24, 24) : 0)));
	group_put(g, REG_FACECULLING_CONFIG, usually(r, 75, CULL_NONE, 4));
	group_put(g, REG_RASTER_FLAT, rng_chance(r, 10));

	const uint32_t x1 = rng_below(r, gen->target.width / 2);
	const uint32_t y1 = rng_below(r, (gen->target.height + 1) / 2);
	group_put(g, REG_SCISSORTEST_MODE, usually(r, 70, SCISSOR_OFF, 4));
	group_put(g, REG_SCISSORTEST_POS, SCISSORTEST_POS_X1_SET(x1) | SCISSORTEST_POS_Y1_SET(y1));
	group_put(g, REG_SCISSORTEST_DIM,
		SCISSORTEST_DIM_X2_SET(
			rng_chance(r, 90) ? x1 + rng_below(r, gen->target.width) : 0) |
			SCISSORTEST_DIM_Y2_SET(
				rng_chance(r, 90) ? y1 + rng_below(r, gen->target.height) : 0));

	group_put(g, REG_FRAGOP_CLIP, rng_chance(r, 12));
	for (unsigned i = 0; i < 4; i++) {
		group_float(g, REG_FRAGOP_CLIP_DATA0 + i, plane_coefficient(r));
	}
	group_put(g, REG_DEPTHMAP_ENABLE, usually(r, 75, DEPTHMAP_Z, 2));
	group_float(g, REG_DEPTHMAP_SCALE, rng_chance(r, 70) ? -1.0f : rng_float(r, -1.5f, 1.5f));
	group_float(g, REG_DEPTHMAP_OFFSET, rng_chance(r, 70) ? 0.0f : rng_float(r, -0.5f, 1.0f));
}

/* Writes random words to registers that do not affect pictures, at times. */
void random_ignored(struct gen *gen, struct group *g) {
	static const uint32_t id[] = {
		REG_UNKNOWN_045,
		REG_UNKNOWN_046,
		REG_UNKNOWN_04C,
		REG_UNKNOWN_059,
		REG_EARLYDEPTH_FUNC,
		REG_EARLYDEPTH_TEST1,
		REG_EARLYDEPTH_CLEAR,
		REG_EARLYDEPTH_DATA,
		REG_EARLYDEPTH_TEST2,
		REG_SH_OUTATTR_MODE,
		REG_SH_OUTATTR_CLOCK,
		REG_UNKNOWN_069,
		REG_UNKNOWN_06B,
		REG_FOG_COLOR,
		REG_POST_VERTEX_CACHE_NUM,
		REG_VTX_FUNC,
		REG_START_DRAW_FUNC0,
		REG_GEOSTAGE_CONFIG2,
		REG_VSH_OUTMAP_TOTAL2,
		REG_FRAMEBUFFER_FLUSH,
		REG_FRAGOP_SHADOW,
		REG_VSH_CODETRANSFER_END,
	};
	if (rng_chance(&gen->r, 20)) { /* requests that match nothing, or are masked off */
		group_put(g, REG_FINALIZE, 0x87654321);
		group_put_masked(g, REG_FINALIZE, 0x00005600, 0xD);
		group_put(g, REG_IRQ_REQ1, 0);
	}
	for (unsigned n = rng_below(&gen->r, 4); n > 0; n--) {
		group_put_masked(g, id[rng_below(&gen->r, ARRAY_LEN(id))], rng_word(&gen->r),
				rng_below(&gen->r, 16));
	}
}
