/* The combiner: six stages, their operands and buffer (fidelity: combiner-ops, combiner-buffer). */
#include "naive_state.h"

#include <string.h>

#include "pica/regs/regs.h"

static uint32_t div255(uint32_t x) { /* nearest */
	return (2 * x + 255) / 510;
}

static uint32_t min255(uint32_t x) {
	return x < 255 ? x : 255;
}

static uint32_t product(enum pica_combiner rounding, uint32_t x) {
	return rounding == PICA_COMBINER_TRUNCATE ? x / 255 : div255(x);
}

static uint32_t combine1(
	enum pica_combiner rounding, uint32_t op, uint32_t a, uint32_t b, uint32_t c) {
	switch (op) {
	case TEV_OP_REPLACE:
		return a;
	case TEV_OP_MODULATE:
		return product(rounding, a * b);
	case TEV_OP_ADD:
		return min255(a + b);
	case TEV_OP_ADD_SIGNED:
		return a + b < 128 ? 0 : min255(a + b - 128);
	case TEV_OP_INTERPOLATE:
		return product(rounding, a * c + b * (255 - c));
	case TEV_OP_SUBTRACT:
		return a > b ? a - b : 0;
	case TEV_OP_MULTIPLY_ADD:
		return min255(product(rounding, a * b + 255 * c));
	case TEV_OP_ADD_MULTIPLY:
		return product(rounding, min255(a + b) * c);
	default:
		return 0;
	}
}

/* Sign and magnitude through one's complement: the model of the console's samples [HW]. */
static uint32_t dot3(const uint8_t a[3], const uint8_t b[3]) {
	int32_t sum = 0;
	for (unsigned k = 0; k < 3; k++) {
		const int32_t xa = 2 * a[k] - 255, xb = 2 * b[k] - 255;
		const bool sa = a[k] < 128, sb = b[k] < 128;
		const uint32_t ma = (uint32_t)(sa ? -xa - 1 : xa),
			       mb = (uint32_t)(sb ? -xb - 1 : xb);
		const int32_t p = (int32_t)div255(ma * mb);
		sum += sa == sb ? p : -p - 1;
	}
	return (uint32_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
}

struct tev {
	const uint8_t *primary;
	const uint8_t *lit[2];
	const uint8_t *tex[4];
	uint8_t constant[4];
	uint8_t prev[4], buf[4];
	unsigned stage;
	enum pica_combiner rounding;
};

static void fetch_source(const struct tev *t, uint32_t source, uint8_t out[4]) {
	static const uint8_t zero[4];
	const uint8_t *c = zero;
	switch (source) {
	case TEV_SOURCE_PRIMARY:
		c = t->primary;
		break;
	case TEV_SOURCE_FRAGMENT_PRIMARY:
	case TEV_SOURCE_FRAGMENT_SECONDARY:
		c = t->lit[source - TEV_SOURCE_FRAGMENT_PRIMARY];
		break;
	case TEV_SOURCE_TEXTURE0:
	case TEV_SOURCE_TEXTURE1:
	case TEV_SOURCE_TEXTURE2:
	case TEV_SOURCE_TEXTURE3:
		c = t->tex[source - TEV_SOURCE_TEXTURE0];
		break;
	case TEV_SOURCE_PREVIOUS_BUFFER:
		c = t->buf;
		break;
	case TEV_SOURCE_CONSTANT:
		c = t->constant;
		break;
	case TEV_SOURCE_PREVIOUS:
		c = t->prev;
		break;
	default:
		break;
	}
	memcpy(out, c, 4);
}

/* In stage 0, "previous" in the first two slots is the source of the third [3dbrew]. */
static uint32_t stage_source(const struct tev *t, uint32_t source, uint32_t third) {
	return t->stage == 0 && source == TEV_SOURCE_PREVIOUS ? third : source;
}

static void rgb_operand(uint32_t operand, const uint8_t c[4], uint8_t out[3]) {
	for (unsigned k = 0; k < 3; k++) {
		uint32_t v;
		switch (operand) {
		case TEV_OPERAND_RGB_COLOR:
			v = c[k];
			break;
		case TEV_OPERAND_RGB_ONE_MINUS_COLOR:
			v = 255u - c[k];
			break;
		case TEV_OPERAND_RGB_ALPHA:
			v = c[3];
			break;
		case TEV_OPERAND_RGB_ONE_MINUS_ALPHA:
			v = 255u - c[3];
			break;
		case TEV_OPERAND_RGB_RED:
			v = c[0];
			break;
		case TEV_OPERAND_RGB_ONE_MINUS_RED:
			v = 255u - c[0];
			break;
		case TEV_OPERAND_RGB_GREEN:
			v = c[1];
			break;
		case TEV_OPERAND_RGB_ONE_MINUS_GREEN:
			v = 255u - c[1];
			break;
		case TEV_OPERAND_RGB_BLUE:
			v = c[2];
			break;
		case TEV_OPERAND_RGB_ONE_MINUS_BLUE:
			v = 255u - c[2];
			break;
		default:
			v = 0;
			break;
		}
		out[k] = (uint8_t)v;
	}
}

static uint32_t alpha_operand(uint32_t operand, const uint8_t c[4]) {
	static const unsigned channel[4] = {3, 0, 1, 2};
	const uint32_t v = c[channel[operand / 2]];
	return operand % 2 ? 255 - v : v;
}

static uint32_t scaled(uint32_t v, uint32_t scale) {
	switch (scale) {
	case TEV_SCALE_X2:
		return min255(2 * v);
	case TEV_SCALE_X4:
		return min255(4 * v);
	default:
		return v;
	}
}

static void run_stage(const struct tev *t, const uint32_t reg[5], uint8_t out[4]) {
	const uint32_t source = reg[0], operand = reg[1], op = reg[2], scale = reg[4];
	const uint32_t rgb_source[3] = {
		TEXENV_SOURCE_RGB0(source), TEXENV_SOURCE_RGB1(source), TEXENV_SOURCE_RGB2(source)};
	const uint32_t alpha_source[3] = { TEXENV_SOURCE_ALPHA0(source),
		TEXENV_SOURCE_ALPHA1(source), TEXENV_SOURCE_ALPHA2(source) };
	const uint32_t rgb_op[3] = { TEXENV_OPERAND_RGB0(operand), TEXENV_OPERAND_RGB1(operand),
		TEXENV_OPERAND_RGB2(operand) };
	const uint32_t alpha_op[3] = { TEXENV_OPERAND_ALPHA0(operand),
		TEXENV_OPERAND_ALPHA1(operand), TEXENV_OPERAND_ALPHA2(operand) };
	uint8_t rgb[3][3];
	uint32_t alpha[3];
	for (unsigned i = 0; i < 3; i++) {
		uint8_t c[4];
		fetch_source(t, stage_source(t, rgb_source[i], rgb_source[2]), c);
		rgb_operand(rgb_op[i], c, rgb[i]);
		fetch_source(t, stage_source(t, alpha_source[i], alpha_source[2]), c);
		alpha[i] = alpha_operand(alpha_op[i], c);
	}
	const uint32_t op_rgb = TEXENV_COMBINER_RGB(op), op_alpha = TEXENV_COMBINER_ALPHA(op);
	const bool is_dot3 = op_rgb == TEV_OP_DOT3_RGB || op_rgb == TEV_OP_DOT3_RGBA;
	uint32_t result[4];
	for (unsigned k = 0; k < 3; k++) {
		result[k] = is_dot3 ? dot3(rgb[0], rgb[1]) :
				combine1(t->rounding, op_rgb, rgb[0][k], rgb[1][k], rgb[2][k]);
	}
	result[3] = op_rgb == TEV_OP_DOT3_RGBA ? result[0] :
			combine1(t->rounding, op_alpha, alpha[0], alpha[1], alpha[2]);
	for (unsigned k = 0; k < 4; k++) {
		out[k] = (uint8_t)scaled(result[k],
				k < 3 ? TEXENV_SCALE_RGB(scale) : TEXENV_SCALE_ALPHA(scale));
	}
}

void naive_bytes_of(uint32_t word, uint8_t out[4]) {
	for (unsigned k = 0; k < 4; k++) {
		out[k] = (uint8_t)(word >> (8 * k));
	}
}

void naive_combine(const struct naive *n, const uint8_t primary[4], uint8_t tex[4][4],
		uint8_t out[4]) {
	static const uint32_t first_reg[6] = {
		REG_TEXENV0_SOURCE, REG_TEXENV1_SOURCE, REG_TEXENV2_SOURCE,
		REG_TEXENV3_SOURCE, REG_TEXENV4_SOURCE, REG_TEXENV5_SOURCE,
	};
	const uint32_t update = n->regs[REG_TEXENV_UPDATE_BUFFER];
	struct tev t = {
		.primary = primary, .lit = { n->lit[0], n->lit[1] },
		.tex = { tex[0], tex[1], tex[2], tex[3] }, .rounding = n->combiner
	};
	uint8_t next[4];
	naive_bytes_of(n->regs[REG_TEXENV_BUFFER_COLOR], next);
	for (t.stage = 0; t.stage < 6; t.stage++) {
		const uint32_t *reg = &n->regs[first_reg[t.stage]];
		naive_bytes_of(reg[3], t.constant);
		run_stage(&t, reg, out);
		memcpy(t.prev, out, 4);
		memcpy(t.buf, next, 4);
		if (t.stage < 4 && TEXENV_UPDATE_BUFFER_RGB(update) >> t.stage & 1) {
			memcpy(next, out, 3);
		}
		if (t.stage < 4 && TEXENV_UPDATE_BUFFER_ALPHA(update) >> t.stage & 1) {
			next[3] = out[3];
		}
	}
}
