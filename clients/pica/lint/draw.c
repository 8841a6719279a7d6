/* Checks of a draw: target, tests, viewport, combiners. */
#include <math.h>

#include "fields.h"
#include "lint.h"

enum {
	NO_FACTOR = 15,
	STENCIL_OPS = 0x777,
	DEST_FACTORS = 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 14
};

/* ---- Targets ---- */

void lint_targets(const uint32_t *regs, struct lint_range *color, struct lint_range *depth) {
	struct pica_target t;
	pica_target_from_regs(&t, regs);
	const uint32_t mode = get_COLOR_OPERATION_MODE(regs[PICA_REG_COLOR_OPERATION]);
	const uint32_t mask = regs[PICA_REG_DEPTH_COLOR_MASK];
	const bool is_normal = mode == PICA_FRAGMENT_MODE_NORMAL;
	const uint32_t depth_write = regs[PICA_REG_DEPTHBUFFER_WRITE];
	const bool has_depth = get_DEPTHBUFFER_WRITE_DEPTH(depth_write) &&
			get_DEPTH_COLOR_MASK_DEPTH_WRITE(mask);
	const bool has_stencil = get_DEPTHBUFFER_WRITE_STENCIL(depth_write) &&
			get_STENCIL_TEST_ENABLE(regs[PICA_REG_STENCIL_TEST]);
	const bool writes_depth = is_normal && (has_depth || has_stencil);
	const uint64_t pixels = (uint64_t)t.width * ((t.height + 7) & ~7u);
	*color = lint_range(t.color_addr,
			facts_writes_color(regs) ? pixels * facts_color_bytes(t.color_format) : 0);
	*depth = lint_range(t.depth_addr,
			writes_depth ? pixels * facts_depth_bytes(t.depth_format) : 0);
}

static void check_target(struct lint *l, const uint32_t *regs) {
	const uint32_t depth_format = regs[PICA_REG_DEPTHBUFFER_FORMAT];
	const bool has_depth = facts_depth(regs), has_color = facts_writes_color(regs);
	if (has_depth && get_DEPTHBUFFER_FORMAT_FORMAT(depth_format) == 1) {
		lint_report(l, LINT_DEPTH_FORMAT, PICA_REG_DEPTHBUFFER_FORMAT, depth_format,
				"0, 2 and 3 are formats");
	}
	const uint32_t word = regs[PICA_REG_COLORBUFFER_FORMAT],
		       format = get_COLORBUFFER_FORMAT_FORMAT(word);
	const unsigned bytes = facts_color_bytes(format);
	if (has_color && !bytes) {
		lint_report(l, LINT_COLOR_FORMAT, PICA_REG_COLORBUFFER_FORMAT, word, "format %u",
				format);
	} else if (has_color && get_COLORBUFFER_FORMAT_SIZE(word) != bytes - 2) {
		lint_report(l, LINT_COLOR_SIZE, PICA_REG_COLORBUFFER_FORMAT, word,
				"%s has %u bytes", field_text("COLOR_FORMAT", format), bytes);
	}
	const uint32_t width = get_FRAMEBUFFER_DIM_WIDTH(regs[PICA_REG_FRAMEBUFFER_DIM]);
	if (!width || width % 8) {
		lint_reg(l, LINT_TARGET_SIZE, regs, PICA_REG_FRAMEBUFFER_DIM, "width %u", width);
	}
	if (!get_FRAMEBUFFER_DIM_NO_FLIP(regs[PICA_REG_FRAMEBUFFER_DIM])) {
		lint_reg(l, LINT_ROWS_REVERSED, regs, PICA_REG_FRAMEBUFFER_DIM, "expected bit 24");
	}
	struct lint_range range[2];
	lint_targets(regs, &range[0], &range[1]);
	for (unsigned i = 0; i < 2; i++) {
		const uint32_t reg = i ? PICA_REG_DEPTHBUFFER_LOC : PICA_REG_COLORBUFFER_LOC;
		if ((i ? has_depth : has_color) && (regs[reg] & 7)) {
			lint_reg(l, LINT_TARGET_ADDRESS, regs, reg, "0x%08X", regs[reg] << 3);
		}
		if (range[i].end > range[i].begin && !lint_in_memory(l, range[i])) {
			lint_reg(l, LINT_TARGET_MEMORY, regs, reg, "%u bytes at 0x%08X",
					(unsigned)(range[i].end - range[i].begin),
					(unsigned)range[i].begin);
		}
	}
	if (lint_overlaps(range[0], range[1])) {
		lint_reg(l, LINT_TARGET_OVERLAP, regs, PICA_REG_DEPTHBUFFER_LOC, "colour at 0x%08X",
				(unsigned)range[0].begin);
	}
}

/* ---- Tests, blending ---- */

static bool reads_destination(uint32_t blend) {
	const uint32_t rgb_src = get_BLEND_FUNC_RGB_SRC(blend),
		       rgb_dst = get_BLEND_FUNC_RGB_DST(blend);
	const uint32_t alpha_src = get_BLEND_FUNC_ALPHA_SRC(blend),
		       alpha_dst = get_BLEND_FUNC_ALPHA_DST(blend);
	const uint32_t rgb_eq = get_BLEND_FUNC_RGB_EQ(blend),
		       alpha_eq = get_BLEND_FUNC_ALPHA_EQ(blend);
	return rgb_dst != PICA_BLEND_FACTOR_ZERO || alpha_dst != PICA_BLEND_FACTOR_ZERO ||
			(DEST_FACTORS >> rgb_src & 1) || (DEST_FACTORS >> alpha_src & 1) ||
			rgb_eq == PICA_BLEND_EQ_MIN || rgb_eq == PICA_BLEND_EQ_MAX ||
			alpha_eq == PICA_BLEND_EQ_MIN || alpha_eq == PICA_BLEND_EQ_MAX;
}

/* Factors are the four upper fields of 4 bits. */
static bool has_factor(uint32_t blend, uint32_t factor) {
	for (unsigned shift = 16; shift < 32; shift += 4) {
		if ((blend >> shift & 0xF) == factor) {
			return true;
		}
	}
	return false;
}

/* Tests of a normal draw and their buffer. */
static void check_depth(struct lint *l, const uint32_t *regs) {
	const uint32_t mask = regs[PICA_REG_DEPTH_COLOR_MASK],
		       stencil = regs[PICA_REG_STENCIL_TEST];
	const uint32_t read = regs[PICA_REG_DEPTHBUFFER_READ],
		       write = regs[PICA_REG_DEPTHBUFFER_WRITE];
	const bool has_stencil = get_STENCIL_TEST_ENABLE(stencil),
		   has_depth = get_DEPTH_COLOR_MASK_ENABLE(mask);
	const uint32_t func = get_DEPTH_COLOR_MASK_FUNC(mask),
		       stencil_func = get_STENCIL_TEST_FUNC(stencil);
	if (facts_depth(regs) && !regs[PICA_REG_DEPTHBUFFER_LOC]) {
		lint_reg(l, LINT_DEPTH_MISSING, regs, PICA_REG_DEPTHBUFFER_LOC,
				"expected an address");
	}
	if (has_depth && func != PICA_COMPARE_NEVER && func != PICA_COMPARE_ALWAYS &&
			!get_DEPTHBUFFER_READ_DEPTH(read)) {
		lint_report(l, LINT_DEPTH_READ, PICA_REG_DEPTHBUFFER_READ, read,
				"expected bit 1: depth");
	} else if (has_stencil && stencil_func != PICA_COMPARE_NEVER &&
			stencil_func != PICA_COMPARE_ALWAYS &&
			!get_DEPTHBUFFER_READ_STENCIL(read)) {
		lint_report(l, LINT_DEPTH_READ, PICA_REG_DEPTHBUFFER_READ, read,
				"expected bit 0: stencil");
	}
	if (has_depth && get_DEPTH_COLOR_MASK_DEPTH_WRITE(mask) &&
			!get_DEPTHBUFFER_WRITE_DEPTH(write)) {
		lint_report(l, LINT_DEPTH_WRITE, PICA_REG_DEPTHBUFFER_WRITE, write,
				"expected bit 1: depth");
	} else if (has_stencil && get_STENCIL_TEST_WRITE_MASK(stencil) &&
			(regs[PICA_REG_STENCIL_OP] & STENCIL_OPS) &&
			!get_DEPTHBUFFER_WRITE_STENCIL(write)) {
		lint_report(l, LINT_DEPTH_WRITE, PICA_REG_DEPTHBUFFER_WRITE, write,
				"expected bit 0: stencil");
	}
}

static void check_fragments(struct lint *l, const uint32_t *regs) {
	const uint32_t operation = regs[PICA_REG_COLOR_OPERATION];
	const uint32_t mode = get_COLOR_OPERATION_MODE(operation);
	if (mode == PICA_FRAGMENT_MODE_NOTHING || get_COLOR_OPERATION_NOTHING(operation) ||
			get_COLOR_OPERATION_HALF_LINES(operation)) {
		lint_report(l, LINT_COLOR_MODE, PICA_REG_COLOR_OPERATION, operation,
				"mode %u, bits 24-25 %u", mode, operation >> 24 & 3);
	}
	const bool blends = mode == PICA_FRAGMENT_MODE_NORMAL && facts_writes_color(regs) &&
			get_COLOR_OPERATION_BLEND(operation);
	if (blends && !get_COLORBUFFER_READ_MASK(regs[PICA_REG_COLORBUFFER_READ]) &&
			reads_destination(regs[PICA_REG_BLEND_FUNC])) {
		lint_reg(l, LINT_DESTINATION_READ, regs, PICA_REG_BLEND_FUNC,
				"COLORBUFFER_READ is 0");
	}
	const uint32_t blend = regs[PICA_REG_BLEND_FUNC];
	if (blends &&
			(get_BLEND_FUNC_RGB_EQ(blend) > PICA_BLEND_EQ_MAX ||
					get_BLEND_FUNC_ALPHA_EQ(blend) > PICA_BLEND_EQ_MAX ||
					has_factor(blend, NO_FACTOR))) {
		lint_report(l, LINT_BLEND_VALUE, PICA_REG_BLEND_FUNC, blend,
				"equations %u %u, factors %u %u %u %u",
				get_BLEND_FUNC_RGB_EQ(blend), get_BLEND_FUNC_ALPHA_EQ(blend),
				get_BLEND_FUNC_RGB_SRC(blend), get_BLEND_FUNC_RGB_DST(blend),
				get_BLEND_FUNC_ALPHA_SRC(blend), get_BLEND_FUNC_ALPHA_DST(blend));
	}
	const bool early1 = regs[PICA_REG_EARLYDEPTH_TEST1] & 1,
		   early2 = regs[PICA_REG_EARLYDEPTH_TEST2] & 1;
	if (early1 != early2) {
		const uint32_t reg = early1 ? PICA_REG_EARLYDEPTH_TEST1 : PICA_REG_EARLYDEPTH_TEST2;
		lint_reg(l, LINT_EARLY_DEPTH_HALF, regs, reg, "the other one is 0");
	} else if (early1 && !get_FRAMEBUFFER_BLOCK32_BLOCK32(regs[PICA_REG_FRAMEBUFFER_BLOCK32])) {
		lint_reg(l, LINT_EARLY_DEPTH, regs, PICA_REG_EARLYDEPTH_TEST1,
				"FRAMEBUFFER_BLOCK32 is 0");
	}
	const uint32_t depth_format =
			get_DEPTHBUFFER_FORMAT_FORMAT(regs[PICA_REG_DEPTHBUFFER_FORMAT]);
	if (mode == PICA_FRAGMENT_MODE_NORMAL &&
			get_STENCIL_TEST_ENABLE(regs[PICA_REG_STENCIL_TEST]) &&
			depth_format != PICA_DEPTH_FORMAT_D24S8) {
		lint_reg(l, LINT_STENCIL_FORMAT, regs, PICA_REG_DEPTHBUFFER_FORMAT, "%s",
				field_text("DEPTH_FORMAT", depth_format));
	}
	if (mode == PICA_FRAGMENT_MODE_NORMAL) {
		check_depth(l, regs);
	}
}

/* ---- Viewport ---- */

/* 1.7.23 in bits 1-31.  [fidelity: floats] */
static bool is_finite_f31(uint32_t word) {
	return (word >> 24 & 0x7F) != 0x7F;
}

static double f31_value(uint32_t word) {
	const int e = (int)(word >> 24 & 0x7F);
	const double m = (word >> 1 & 0x7FFFFF) / 8388608.0;
	const double value = e ? ldexp(1 + m, e - 63) : ldexp(m, -62);
	return word >> 31 ? -value : value;
}

static void check_viewport(struct lint *l, const uint32_t *regs) {
	static const uint16_t f24[] = { PICA_REG_VIEWPORT_WIDTH, PICA_REG_VIEWPORT_HEIGHT,
			PICA_REG_DEPTHMAP_SCALE,
		PICA_REG_DEPTHMAP_OFFSET };
	for (unsigned i = 0; i < ARRAY_LEN(f24); i++) {
		lint_finite(l, LINT_VIEWPORT_NAN, regs, f24[i]);
	}
	for (uint32_t reg = PICA_REG_FRAGOP_CLIP_DATA0;
			(regs[PICA_REG_FRAGOP_CLIP] & 1) && reg <= PICA_REG_FRAGOP_CLIP_DATA3;
			reg++) {
		lint_finite(l, LINT_CLIP_NAN, regs, reg);
	}
	for (uint32_t reg = PICA_REG_VIEWPORT_INVW; reg <= PICA_REG_VIEWPORT_INVH; reg += 2) {
		if (!is_finite_f31(regs[reg])) {
			lint_reg(l, LINT_VIEWPORT_NAN, regs, reg, "exponent 127");
			continue;
		}
		if (!lint_is_finite_f24(regs[reg - 1])) {
			continue; /* has its finding */
		}
		/* System software writes 12 bits. [fidelity: list-numbers] */
		const double product =
				pica_f24_value(regs[reg - 1] & 0xFFFFFF) * f31_value(regs[reg]);
		if (!(fabs(product - 1) < 1.0 / 1024)) {
			lint_reg(l, LINT_VIEWPORT_INVERSE, regs, reg, "%g instead of %g",
					f31_value(regs[reg]),
					1 / pica_f24_value(regs[reg - 1] & 0xFFFFFF));
		}
	}
	const uint32_t mode = get_SCISSORTEST_MODE_MODE(regs[PICA_REG_SCISSORTEST_MODE]);
	const uint32_t from = regs[PICA_REG_SCISSORTEST_POS], to = regs[PICA_REG_SCISSORTEST_DIM];
	if (mode == PICA_SCISSOR_INSIDE &&
			(get_SCISSORTEST_DIM_X2(to) < get_SCISSORTEST_POS_X1(from) ||
					get_SCISSORTEST_DIM_Y2(to) <
							get_SCISSORTEST_POS_Y1(from))) {
		lint_report(l, LINT_SCISSOR_EMPTY, PICA_REG_SCISSORTEST_DIM, to,
				"nothing is drawn");
	}
}

/* ---- Combiners ---- */

static void check_stage(struct lint *l, const uint32_t *regs, unsigned stage) {
	const uint32_t reg = facts_stages[stage];
	const uint32_t source = regs[reg], combiner = regs[reg + 2], scale = regs[reg + 4];
	const uint32_t rgb = get_TEXENV_COMBINER_RGB(combiner),
		       alpha = get_TEXENV_COMBINER_ALPHA(combiner);
	const bool has_alpha = rgb != PICA_TEV_OP_DOT3_RGBA;
	if (rgb > PICA_TEV_OP_ADD_MULTIPLY || (has_alpha && (alpha > PICA_TEV_OP_ADD_MULTIPLY ||
			alpha == PICA_TEV_OP_DOT3_RGB || alpha == PICA_TEV_OP_DOT3_RGBA))) {
		lint_report(l, LINT_TEV_OPERATION, reg + 2, combiner, "colour %u, alpha %u", rgb,
				alpha);
		return;
	}
	for (unsigned k = 0; k < 3; k++) {
		const uint32_t s = source >> 4 * k & 0xF, t = source >> (16 + 4 * k) & 0xF;
		const bool bad = (k < facts_operands(rgb) && s >= 7 && s <= 12) ||
				(has_alpha && k < facts_operands(alpha) && t >= 7 && t <= 12);
		if (bad) {
			lint_report(l, LINT_TEV_SOURCE, reg, source, "operand %u", k);
			break;
		}
	}
	/* Colour operands 6, 7, 10, 11, 14 and 15. [fidelity: combiner] */
	enum { NO_OPERANDS = 3 << 6 | 3 << 10 | 3 << 14 };
	for (unsigned k = 0; k < facts_operands(rgb); k++) {
		const uint32_t operand = regs[reg + 1] >> 4 * k & 0xF;
		if (NO_OPERANDS >> operand & 1) {
			lint_reg(l, LINT_TEV_OPERAND, regs, reg + 1, "operand %u is %u", k,
					operand);
			break;
		}
	}
	if (get_TEXENV_SCALE_RGB(scale) == 3 || get_TEXENV_SCALE_ALPHA(scale) == 3) {
		lint_report(l, LINT_TEV_SCALE, reg + 4, scale, "1, 2 and 4 are possible");
	}
}

void lint_draw(struct lint *l, const uint32_t *regs) {
	check_target(l, regs);
	check_fragments(l, regs);
	check_viewport(l, regs);
	for (unsigned stage = 0; stage < FACTS_STAGES; stage++) {
		check_stage(l, regs, stage);
	}
}
