/* Target, rasteriser, textures, combiner, tests: registers 040-13F. */
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/emit/emit.h"
#include "pica/regs/regs.h"

enum { MAX_SIDE = 1024, UNTOUCHED_E4 = 0xE4 };

static bool is_side(uint32_t n) {
	return n >= 8 && n <= MAX_SIDE && n % 8 == 0;
}

PICA_EXPORT void pica_emit_defaults(struct pica_emit *e) {
	pica_emit_cull(e, CULL_NONE);
	pica_emit_clip_plane(e, NULL);
	pica_emit_reg(e, REG_RASTER_FLAT, 0);
	pica_emit_scissor(e, SCISSOR_OFF, 0, 0, 0, 0);
	pica_emit_depth_map(e, DEPTHMAP_Z, -1.0f, 0.0f);
	pica_emit_reg_masked(e, REG_EARLYDEPTH_TEST1, 0, 0x1);
	pica_emit_reg_masked(e, REG_EARLYDEPTH_TEST2, 0, 0x1);
	pica_emit_texture_units(e, 0, 0, false);
	pica_emit_lighting(e, NULL);
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = TEV_SOURCE_PRIMARY;
	tev.alpha_source[0] = TEV_SOURCE_PRIMARY;
	pica_emit_tev(e, 0, &tev);
	for (unsigned stage = 1; stage < 6; stage++) {
		pica_emit_tev(e, stage, NULL);
	}
	pica_emit_tev_buffer(e, 0, 0, 0);
	pica_emit_fog(e, FOG_MODE_OFF, false, 0);
	pica_emit_alpha_test(e, false, COMPARE_ALWAYS, 0);
	pica_emit_stencil_test(e, false, COMPARE_ALWAYS, 0, 0xFF, 0xFF);
	pica_emit_stencil_op(e, STENCIL_OP_KEEP, STENCIL_OP_KEEP, STENCIL_OP_KEEP);
	pica_emit_depth_test(e, false, COMPARE_ALWAYS, true, 0xF);
	pica_emit_blend(e, NULL);
}

/* ---- Target and rasteriser ---- */

PICA_EXPORT void pica_emit_framebuffer(struct pica_emit *e, const struct pica_framebuffer *fb) {
	static const uint8_t size_of_format[] = {
		[COLOR_FORMAT_RGBA8] = COLOR_SIZE_32BIT,
		[COLOR_FORMAT_RGB8] = COLOR_SIZE_24BIT,
		[COLOR_FORMAT_RGB5A1] = COLOR_SIZE_16BIT,
		[COLOR_FORMAT_RGB565] = COLOR_SIZE_16BIT,
		[COLOR_FORMAT_RGBA4] = COLOR_SIZE_16BIT,
	};
	uint32_t color = fb->color_addr >> 3, depth = fb->depth_addr >> 3;
	bool depth_ok = fb->depth_format == DEPTH_FORMAT_D16 ||
			fb->depth_format == DEPTH_FORMAT_D24 ||
			fb->depth_format == DEPTH_FORMAT_D24S8;
	if (emit_refuse(e, reg_addr64(color) != fb->color_addr ||
			reg_addr64(depth) != fb->depth_addr ||
			fb->color_format >= ARRAY_LEN(size_of_format) || !depth_ok ||
			!is_side(fb->width) || fb->height - 1 >= MAX_SIDE)) {
		return;
	}
	uint32_t dim = FRAMEBUFFER_DIM_WIDTH_SET(fb->width) |
			FRAMEBUFFER_DIM_HEIGHT_M1_SET(fb->height - 1) |
			FRAMEBUFFER_DIM_NO_FLIP_SET(!fb->bottom_row_first);
	pica_emit_reg(e, REG_FRAMEBUFFER_INVALIDATE, FRAMEBUFFER_INVALIDATE_INVALIDATE_SET(1));
	const uint32_t place[3] = { DEPTHBUFFER_LOC_ADDR8_SET(depth),
		COLORBUFFER_LOC_ADDR8_SET(color), dim };
	pica_emit_burst(e, REG_DEPTHBUFFER_LOC, place, 3);
	pica_emit_reg(e, REG_RENDERBUF_DIM, dim);
	pica_emit_reg(e, REG_DEPTHBUFFER_FORMAT, DEPTHBUFFER_FORMAT_FORMAT_SET(fb->depth_format));
	pica_emit_reg(e, REG_COLORBUFFER_FORMAT,
			COLORBUFFER_FORMAT_SIZE_SET(size_of_format[fb->color_format]) |
					COLORBUFFER_FORMAT_FORMAT_SET(fb->color_format));
	pica_emit_reg(e, REG_FRAMEBUFFER_BLOCK32, FRAMEBUFFER_BLOCK32_BLOCK32_SET(fb->block32));
	bool has_stencil = fb->depth_format == DEPTH_FORMAT_D24S8;
	uint32_t color_bits = fb->color_addr ? 0xF : 0;
	uint32_t depth_bits = fb->depth_addr ? DEPTHBUFFER_READ_DEPTH_SET(1) |
					DEPTHBUFFER_READ_STENCIL_SET(has_stencil) : 0;
	const uint32_t access[4] = { color_bits, color_bits, depth_bits, depth_bits };
	pica_emit_burst(e, REG_COLORBUFFER_READ, access, 4);
}

PICA_EXPORT void pica_emit_flush(struct pica_emit *e) {
	pica_emit_reg(e, REG_FRAMEBUFFER_FLUSH, FRAMEBUFFER_FLUSH_FLUSH_SET(1));
	pica_emit_reg(e, REG_FRAMEBUFFER_INVALIDATE, FRAMEBUFFER_INVALIDATE_INVALIDATE_SET(1));
}

PICA_EXPORT void pica_emit_viewport(struct pica_emit *e, int x, int y, unsigned width,
		unsigned height) {
	emit_refuse(e, x < -512 || x > 511 || y < -512 || y > 511 || width - 1 >= MAX_SIDE ||
			height - 1 >= MAX_SIDE);
	const uint32_t words[4] = {
		f32_to_f24((float)width / 2),
		f32_to_f31(2.0f / (float)width),
		f32_to_f24((float)height / 2),
		f32_to_f31(2.0f / (float)height),
	};
	pica_emit_burst(e, REG_VIEWPORT_WIDTH, words, 4);
	pica_emit_reg(e, REG_VIEWPORT_XY,
			VIEWPORT_XY_X_SET((uint32_t)x) | VIEWPORT_XY_Y_SET((uint32_t)y));
}

PICA_EXPORT void pica_emit_scissor(struct pica_emit *e, uint32_t mode, unsigned x1, unsigned y1,
		unsigned x2, unsigned y2) {
	emit_refuse(e, mode > 3 || (x1 | y1 | x2 | y2) > 1023);
	const uint32_t words[3] = {
		SCISSORTEST_MODE_MODE_SET(mode),
		SCISSORTEST_POS_X1_SET(x1) | SCISSORTEST_POS_Y1_SET(y1),
		SCISSORTEST_DIM_X2_SET(x2) | SCISSORTEST_DIM_Y2_SET(y2),
	};
	pica_emit_burst(e, REG_SCISSORTEST_MODE, words, 3);
}

PICA_EXPORT void pica_emit_depth_map(struct pica_emit *e, uint32_t mode, float scale,
		float offset) {
	emit_refuse(e, mode > DEPTHMAP_Z);
	pica_emit_reg(e, REG_DEPTHMAP_ENABLE, DEPTHMAP_ENABLE_MODE_SET(mode));
	const uint32_t words[2] = { f32_to_f24(scale), f32_to_f24(offset) };
	pica_emit_burst(e, REG_DEPTHMAP_SCALE, words, 2);
}

PICA_EXPORT void pica_emit_cull(struct pica_emit *e, uint32_t mode) {
	emit_refuse(e, mode > 3);
	pica_emit_reg(e, REG_FACECULLING_CONFIG, FACECULLING_CONFIG_MODE_SET(mode));
}

PICA_EXPORT void pica_emit_clip_plane(struct pica_emit *e, const float *abcd) {
	uint32_t words[5] = { FRAGOP_CLIP_ENABLE_SET(abcd != NULL) };
	for (unsigned i = 0; abcd && i < 4; i++) {
		words[1 + i] = f32_to_f24(abcd[i]);
	}
	pica_emit_burst(e, REG_FRAGOP_CLIP, words, 5);
}

/* ---- Textures [fidelity: texture-fields] ---- */

PICA_EXPORT void pica_emit_texture(struct pica_emit *e, unsigned unit,
		const struct pica_texture *t) {
	uint32_t addr = t->addr >> 3;
	bool is_cube = t->type == TEXTURE_TYPE_CUBE || t->type == TEXTURE_TYPE_SHADOW_CUBE;
	bool is_shadow = t->type == TEXTURE_TYPE_SHADOW_2D || t->type == TEXTURE_TYPE_SHADOW_CUBE;
	if (emit_refuse(e, unit > 2 || reg_addr8(addr) != t->addr ||
			!is_side(t->width) || !is_side(t->height) ||
			t->format > 15 || t->type > 7 || (unit > 0 && t->type) ||
			(t->mag | t->min | t->mip) > 1 || t->wrap_s > 7 || t->wrap_t > 7 ||
			!(t->lod_bias >= -16.0f && t->lod_bias < 16.0f) || t->min_level > 15 ||
			t->max_level > 15)) {
		return;
	}
	uint32_t faces[5];
	for (unsigned i = 0; is_cube && i < 5; i++) {
		faces[i] = t->faces[i] >> 3;
		/* The upper bits of all faces are those of the first. */
		if (emit_refuse(e, reg_addr8(faces[i]) != t->faces[i] || (faces[i] ^ addr) >> 22)) {
			return;
		}
		faces[i] = TEXUNIT_ADDR_CUBE_ADDR8_LOW_SET(faces[i]);
	}
	const uint32_t words[5] = {
		t->border,
		TEXUNIT_DIM_WIDTH_SET(t->width) | TEXUNIT_DIM_HEIGHT_SET(t->height),
		TEXUNIT_PARAM_MAG_SET(t->mag) | TEXUNIT_PARAM_MIN_SET(t->min) |
				TEXUNIT_PARAM_ETC1_SET(t->format == TEXTURE_FORMAT_ETC1 ? 2 : 0) |
				TEXUNIT_PARAM_WRAP_T_SET(t->wrap_t) |
				TEXUNIT_PARAM_WRAP_S_SET(t->wrap_s) |
				TEXUNIT_PARAM_SHADOW_SET(is_shadow) |
				TEXUNIT_PARAM_MIP_SET(t->mip) | TEXUNIT_PARAM_TYPE_SET(t->type),
		TEXUNIT_LOD_BIAS_SET((uint32_t)(int32_t)(t->lod_bias * 256.0f)) |
				TEXUNIT_LOD_MAX_SET(t->max_level) |
				TEXUNIT_LOD_MIN_SET(t->min_level),
		TEXUNIT_ADDR_ADDR8_SET(addr),
	};
	pica_emit_burst(e, regs_texunit[unit].border, words, 5);
	if (is_cube) {
		pica_emit_burst(e, REG_TEXUNIT0_ADDR2, faces, 5);
	}
	pica_emit_reg(e, regs_texunit[unit].type, TEXUNIT_TYPE_FORMAT_SET(t->format));
}

PICA_EXPORT void pica_emit_texture_units(struct pica_emit *e, uint32_t mask, unsigned coord3,
		bool unit2_coord1) {
	emit_refuse(e, mask > 15 || coord3 > 2);
	/* The cache bit is written separately, by its byte, as clients do. */
	pica_emit_reg_masked(e, REG_TEXUNIT_CONFIG,
			TEXUNIT_CONFIG_ENABLE0_SET(mask) | TEXUNIT_CONFIG_ENABLE1_SET(mask >> 1) |
					TEXUNIT_CONFIG_ENABLE2_SET(mask >> 2) |
					TEXUNIT_CONFIG_COORD3_SET(coord3) |
					TEXUNIT_CONFIG_ENABLE3_SET(mask >> 3) |
					TEXUNIT_CONFIG_ONE_SET(1) |
					TEXUNIT_CONFIG_UNIT2_COORD1_SET(unit2_coord1),
			0xB);
	pica_emit_reg_masked(e, REG_TEXUNIT_CONFIG, TEXUNIT_CONFIG_CLEAR_CACHE_SET(1), 0x4);
}

/* ---- Combiner and fog [fidelity: combiner] ---- */

PICA_EXPORT void pica_tev_init(struct pica_tev *tev) {
	memset(tev, 0, sizeof(*tev));
	tev->rgb_source[0] = TEV_SOURCE_PREVIOUS;
	tev->alpha_source[0] = TEV_SOURCE_PREVIOUS;
}

PICA_EXPORT void pica_emit_tev(struct pica_emit *e, unsigned stage, const struct pica_tev *tev) {
	struct pica_tev pass_through;
	if (!tev) {
		pica_tev_init(&pass_through);
		tev = &pass_through;
	}
	bool ok = stage < ARRAY_LEN(regs_texenv) && tev->rgb_op <= 15 && tev->alpha_op <= 15 &&
			tev->rgb_scale <= 3 && tev->alpha_scale <= 3;
	for (unsigned i = 0; i < 3; i++) {
		ok = ok && tev->rgb_source[i] <= 15 && tev->alpha_source[i] <= 15 &&
				tev->rgb_operand[i] <= 15 && tev->alpha_operand[i] <= 7;
	}
	if (emit_refuse(e, !ok)) {
		return;
	}
	const uint32_t words[5] = {
		[REGS_TEXENV_SOURCE] = TEXENV_SOURCE_RGB0_SET(tev->rgb_source[0]) |
				TEXENV_SOURCE_RGB1_SET(tev->rgb_source[1]) |
				TEXENV_SOURCE_RGB2_SET(tev->rgb_source[2]) |
				TEXENV_SOURCE_ALPHA0_SET(tev->alpha_source[0]) |
				TEXENV_SOURCE_ALPHA1_SET(tev->alpha_source[1]) |
				TEXENV_SOURCE_ALPHA2_SET(tev->alpha_source[2]),
		[REGS_TEXENV_OPERAND] = TEXENV_OPERAND_RGB0_SET(tev->rgb_operand[0]) |
				TEXENV_OPERAND_RGB1_SET(tev->rgb_operand[1]) |
				TEXENV_OPERAND_RGB2_SET(tev->rgb_operand[2]) |
				TEXENV_OPERAND_ALPHA0_SET(tev->alpha_operand[0]) |
				TEXENV_OPERAND_ALPHA1_SET(tev->alpha_operand[1]) |
				TEXENV_OPERAND_ALPHA2_SET(tev->alpha_operand[2]),
		[REGS_TEXENV_COMBINER] = TEXENV_COMBINER_RGB_SET(tev->rgb_op) |
				TEXENV_COMBINER_ALPHA_SET(tev->alpha_op),
		[REGS_TEXENV_COLOR] = tev->color,
		[REGS_TEXENV_SCALE] = TEXENV_SCALE_RGB_SET(tev->rgb_scale) |
				TEXENV_SCALE_ALPHA_SET(tev->alpha_scale),
	};
	pica_emit_burst(e, regs_texenv[stage], words, 5);
}

PICA_EXPORT void pica_emit_tev_buffer(struct pica_emit *e, uint32_t rgb_stages,
		uint32_t alpha_stages, uint32_t color) {
	emit_refuse(e, (rgb_stages | alpha_stages) > 15);
	/* The other bytes belong to fog. */
	pica_emit_reg_masked(e, REG_TEXENV_UPDATE_BUFFER,
			TEXENV_UPDATE_BUFFER_RGB_SET(rgb_stages) |
					TEXENV_UPDATE_BUFFER_ALPHA_SET(alpha_stages),
			0x2);
	pica_emit_reg(e, REG_TEXENV_BUFFER_COLOR, color);
}

PICA_EXPORT void pica_emit_fog(struct pica_emit *e, uint32_t mode, bool flip_depth,
		uint32_t color) {
	emit_refuse(e, mode > 7);
	pica_emit_reg_masked(e, REG_TEXENV_UPDATE_BUFFER,
			TEXENV_UPDATE_BUFFER_FOG_MODE_SET(mode) |
					TEXENV_UPDATE_BUFFER_FOG_FLIP_SET(flip_depth),
			0x5);
	pica_emit_reg(e, REG_FOG_COLOR, color & 0xFFFFFF);
}

/* ---- Tests and output [fidelity: output-fields] ---- */

PICA_EXPORT void pica_emit_alpha_test(struct pica_emit *e, bool enable, uint32_t func,
		uint32_t ref) {
	emit_refuse(e, func > 7 || ref > 255);
	pica_emit_reg(e, REG_FRAGOP_ALPHA_TEST,
			FRAGOP_ALPHA_TEST_ENABLE_SET(enable) | FRAGOP_ALPHA_TEST_FUNC_SET(func) |
					FRAGOP_ALPHA_TEST_REF_SET(ref));
}

PICA_EXPORT void pica_emit_stencil_test(struct pica_emit *e, bool enable, uint32_t func,
		uint32_t ref, uint32_t compare_mask, uint32_t write_mask) {
	emit_refuse(e, func > 7 || (ref | compare_mask | write_mask) > 255);
	pica_emit_reg(e, REG_STENCIL_TEST,
			STENCIL_TEST_ENABLE_SET(enable) | STENCIL_TEST_FUNC_SET(func) |
					STENCIL_TEST_WRITE_MASK_SET(write_mask) |
					STENCIL_TEST_REF_SET(ref) |
					STENCIL_TEST_COMPARE_MASK_SET(compare_mask));
}

PICA_EXPORT void pica_emit_stencil_op(struct pica_emit *e, uint32_t fail, uint32_t depth_fail,
		uint32_t pass) {
	emit_refuse(e, (fail | depth_fail | pass) > 7);
	pica_emit_reg(e, REG_STENCIL_OP,
			STENCIL_OP_FAIL_SET(fail) | STENCIL_OP_ZFAIL_SET(depth_fail) |
					STENCIL_OP_ZPASS_SET(pass));
}

PICA_EXPORT void pica_emit_depth_test(struct pica_emit *e, bool enable, uint32_t func,
		bool depth_write, uint32_t color_mask) {
	emit_refuse(e, func > 7 || color_mask > 15);
	pica_emit_reg(e, REG_DEPTH_COLOR_MASK,
			DEPTH_COLOR_MASK_ENABLE_SET(enable) | DEPTH_COLOR_MASK_FUNC_SET(func) |
					DEPTH_COLOR_MASK_COLOR_WRITE_SET(color_mask) |
					DEPTH_COLOR_MASK_DEPTH_WRITE_SET(depth_write));
}

/* Byte 2 is E4 as clients write it; byte 3 holds the "render less" bits and stays. */
static void color_operation(struct pica_emit *e, uint32_t operation) {
	pica_emit_reg_masked(e, REG_COLOR_OPERATION,
			COLOR_OPERATION_MODE_SET(FRAGMENT_MODE_NORMAL) |
					COLOR_OPERATION_BLEND_SET(operation) |
					COLOR_OPERATION_E4_SET(UNTOUCHED_E4),
			0x7);
}

PICA_EXPORT void pica_emit_blend(struct pica_emit *e, const struct pica_blend *b) {
	static const struct pica_blend replace = { .rgb_src = BLEND_FACTOR_ONE,
		.alpha_src = BLEND_FACTOR_ONE };
	if (!b) {
		b = &replace;
	}
	emit_refuse(e, (b->rgb_equation | b->alpha_equation) > 7 ||
			(b->rgb_src | b->rgb_dst | b->alpha_src | b->alpha_dst) > 15);
	color_operation(e, COLOR_OPERATION_BLENDING);
	pica_emit_reg(e, REG_BLEND_FUNC,
			BLEND_FUNC_RGB_EQ_SET(b->rgb_equation) |
					BLEND_FUNC_ALPHA_EQ_SET(b->alpha_equation) |
					BLEND_FUNC_RGB_SRC_SET(b->rgb_src) |
					BLEND_FUNC_RGB_DST_SET(b->rgb_dst) |
					BLEND_FUNC_ALPHA_SRC_SET(b->alpha_src) |
					BLEND_FUNC_ALPHA_DST_SET(b->alpha_dst));
	pica_emit_reg(e, REG_BLEND_COLOR, b->color);
}

PICA_EXPORT void pica_emit_logic_op(struct pica_emit *e, uint32_t op) {
	emit_refuse(e, op > 15);
	color_operation(e, COLOR_OPERATION_LOGIC_OP);
	pica_emit_reg(e, REG_LOGIC_OP, LOGIC_OP_OP_SET(op));
}
