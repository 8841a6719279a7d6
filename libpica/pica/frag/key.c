#include "pica/frag/key.h"

#include <string.h>

#include "core/base/f24.h"
#include "pica/regs/regs.h"

/* Compare functions [fidelity: output-fields]; the incoming value is the left operand. */
static uint8_t relation_from_func(uint32_t func) {
	static const uint8_t relations[8] = {
		[COMPARE_NEVER] = RELATION_NEVER,
		[COMPARE_ALWAYS] = RELATION_ALWAYS,
		[COMPARE_EQUAL] = RELATION_EQUAL,
		[COMPARE_NOTEQUAL] = RELATION_LESS | RELATION_GREATER,
		[COMPARE_LESS] = RELATION_LESS,
		[COMPARE_LEQUAL] = RELATION_LESS | RELATION_EQUAL,
		[COMPARE_GREATER] = RELATION_GREATER,
		[COMPARE_GEQUAL] = RELATION_GREATER | RELATION_EQUAL,
	};
	return relations[func & 7];
}

static void stage_from_regs(struct frag_stage *st, const uint32_t *at) {
	const uint32_t source = at[REGS_TEXENV_SOURCE];
	const uint32_t operand = at[REGS_TEXENV_OPERAND];
	const uint32_t combiner = at[REGS_TEXENV_COMBINER];
	const uint32_t scale = at[REGS_TEXENV_SCALE];

	st->rgb_source[0] = (uint8_t)TEXENV_SOURCE_RGB0(source);
	st->rgb_source[1] = (uint8_t)TEXENV_SOURCE_RGB1(source);
	st->rgb_source[2] = (uint8_t)TEXENV_SOURCE_RGB2(source);
	st->alpha_source[0] = (uint8_t)TEXENV_SOURCE_ALPHA0(source);
	st->alpha_source[1] = (uint8_t)TEXENV_SOURCE_ALPHA1(source);
	st->alpha_source[2] = (uint8_t)TEXENV_SOURCE_ALPHA2(source);
	st->rgb_operand[0] = (uint8_t)TEXENV_OPERAND_RGB0(operand);
	st->rgb_operand[1] = (uint8_t)TEXENV_OPERAND_RGB1(operand);
	st->rgb_operand[2] = (uint8_t)TEXENV_OPERAND_RGB2(operand);
	st->alpha_operand[0] = (uint8_t)TEXENV_OPERAND_ALPHA0(operand);
	st->alpha_operand[1] = (uint8_t)TEXENV_OPERAND_ALPHA1(operand);
	st->alpha_operand[2] = (uint8_t)TEXENV_OPERAND_ALPHA2(operand);
	st->rgb_op = (uint8_t)TEXENV_COMBINER_RGB(combiner);
	st->alpha_op = (uint8_t)TEXENV_COMBINER_ALPHA(combiner);
	st->rgb_scale = (uint8_t)TEXENV_SCALE_RGB(scale);
	st->alpha_scale = (uint8_t)TEXENV_SCALE_ALPHA(scale);
}

static void combiner_from_regs(struct frag_key *key, const uint32_t *regs) {
	for (unsigned s = 0; s < FRAG_STAGES; s++) {
		stage_from_regs(&key->stage[s], &regs[regs_texenv[s]]);
	}
	const uint32_t update = regs[REG_TEXENV_UPDATE_BUFFER];
	key->buffer_rgb = (uint8_t)TEXENV_UPDATE_BUFFER_RGB(update);
	key->buffer_alpha = (uint8_t)TEXENV_UPDATE_BUFFER_ALPHA(update);
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		struct tex_desc d;
		tex_desc_from_regs(&d, regs, u);
		if (d.enabled) {
			key->textures |= (uint8_t)(1 << u);
			key->coord_set[u] = d.coord_set;
			if (u == 0) {
				key->texture0_type = d.type;
			}
		}
	}
	key->proctex = TEXUNIT_CONFIG_ENABLE3(regs[REG_TEXUNIT_CONFIG]) != 0;
	if (key->proctex) { /* 3 is coordinates 0 [1, fidelity: texture-fields] */
		key->proctex_coord = (uint8_t)(TEXUNIT_CONFIG_COORD3(regs[REG_TEXUNIT_CONFIG]) % 3);
	}
	light_key_from_regs(&key->light, regs);
}

static void tests_from_regs(struct frag_key *key, const uint32_t *regs) {
	const uint32_t alpha = regs[REG_FRAGOP_ALPHA_TEST];
	const uint32_t stencil = regs[REG_STENCIL_TEST];
	const uint32_t op = regs[REG_STENCIL_OP];
	const uint32_t mask = regs[REG_DEPTH_COLOR_MASK];
	const uint32_t write = regs[REG_DEPTHBUFFER_WRITE];

	key->alpha_relation = RELATION_ALWAYS;
	if (FRAGOP_ALPHA_TEST_ENABLE(alpha)) {
		key->alpha_relation = relation_from_func(FRAGOP_ALPHA_TEST_FUNC(alpha));
	}
	key->depth_format = (uint8_t)DEPTHBUFFER_FORMAT_FORMAT(regs[REG_DEPTHBUFFER_FORMAT]);
	key->depth_relation = RELATION_ALWAYS;
	key->stencil_relation = RELATION_ALWAYS;
	key->w_buffer = DEPTHMAP_ENABLE_MODE(regs[REG_DEPTHMAP_ENABLE]) == DEPTHMAP_W;
	if (key->depth_format == DEPTH_INVALID) {
		return;
	}
	if (DEPTH_COLOR_MASK_ENABLE(mask)) {
		key->depth_relation = relation_from_func(DEPTH_COLOR_MASK_FUNC(mask));
	}
	/* Written also when the test is off. [HW, fidelity: depth-test] */
	key->depth_write = DEPTH_COLOR_MASK_DEPTH_WRITE(mask) && DEPTHBUFFER_WRITE_DEPTH(write);
	/* Stencil needs its format. [1, fidelity: stencil] */
	if (STENCIL_TEST_ENABLE(stencil) && key->depth_format == DEPTH_D24S8) {
		key->stencil = 1;
		key->stencil_relation = relation_from_func(STENCIL_TEST_FUNC(stencil));
		key->stencil_op[0] = (uint8_t)STENCIL_OP_FAIL(op);
		key->stencil_op[1] = (uint8_t)STENCIL_OP_ZFAIL(op);
		key->stencil_op[2] = (uint8_t)STENCIL_OP_ZPASS(op);
		key->stencil_write = (uint8_t)DEPTHBUFFER_WRITE_STENCIL(write);
	}
}

/* Blend equations 5 to 7 act as add. [HW, fidelity: blending] */
static uint8_t equation(uint32_t value) {
	return (uint8_t)(value > BLEND_EQ_MAX ? BLEND_EQ_ADD : value);
}

static void output_from_regs(struct frag_key *key, const uint32_t *regs) {
	const uint32_t operation = regs[REG_COLOR_OPERATION];
	const uint32_t blend = regs[REG_BLEND_FUNC];

	key->mode = (uint8_t)COLOR_OPERATION_MODE(operation);
	key->color_format = (uint8_t)COLORBUFFER_FORMAT_FORMAT(regs[REG_COLORBUFFER_FORMAT]);
	/* 0 switches all colour writes off, 1..E act as F. [DOC, fidelity: output-fields] */
	if (COLORBUFFER_WRITE_MASK(regs[REG_COLORBUFFER_WRITE]) &&
			key->color_format < COLOR_COUNT) {
		key->color_write =
				(uint8_t)DEPTH_COLOR_MASK_COLOR_WRITE(regs[REG_DEPTH_COLOR_MASK]);
	}
	key->color_read = COLORBUFFER_READ_MASK(regs[REG_COLORBUFFER_READ]) != 0;
	if (COLOR_OPERATION_BLEND(operation) == COLOR_OPERATION_BLENDING) {
		key->blend = 1;
		key->equation[0] = equation(BLEND_FUNC_RGB_EQ(blend));
		key->equation[1] = equation(BLEND_FUNC_ALPHA_EQ(blend));
		key->src[0] = (uint8_t)BLEND_FUNC_RGB_SRC(blend);
		key->src[1] = (uint8_t)BLEND_FUNC_ALPHA_SRC(blend);
		key->dst[0] = (uint8_t)BLEND_FUNC_RGB_DST(blend);
		key->dst[1] = (uint8_t)BLEND_FUNC_ALPHA_DST(blend);
	} else {
		key->logic_op = (uint8_t)LOGIC_OP_OP(regs[REG_LOGIC_OP]);
	}
	const uint32_t fog = TEXENV_UPDATE_BUFFER_FOG_MODE(regs[REG_TEXENV_UPDATE_BUFFER]);
	key->fog = fog == FOG_MODE_FOG ? FRAG_FOG_ON :
			fog == FOG_MODE_GAS ? FRAG_FOG_GAS : FRAG_FOG_OFF;
}

/* 126 bits 24-25: 2 is greater, and greater or equal; 3 all the rest. [fidelity: gas] */
static const uint8_t gas_relations[4] = {
	[GAS_DEPTH_NEVER] = RELATION_NEVER,
	[GAS_DEPTH_ALWAYS] = RELATION_ALWAYS,
	[GAS_DEPTH_GREATER] = RELATION_GREATER | RELATION_EQUAL,
	[GAS_DEPTH_LESS] = RELATION_LESS | RELATION_EQUAL,
};

/*
 * Shadow maps: alpha test, fog, depth and stencil test, blending and channel masks are not used,
 * and the pixel has its own format. [1, fidelity: fragment-order, shadow-render] 113 = 0 stops it.
 * [REC]
 */
static void map_from_regs(struct frag_key *key, const uint32_t *regs) {
	const uint32_t gas_depth = regs[REG_GAS_DELTAZ_DEPTH];
	key->fog = FRAG_FOG_OFF;
	key->alpha_relation = key->depth_relation = key->stencil_relation = RELATION_ALWAYS;
	key->depth_format = DEPTH_INVALID;
	key->depth_write = key->stencil = key->stencil_write = 0;
	memset(key->stencil_op, 0, sizeof(key->stencil_op));
	key->color_format = COLOR_RGBA8;
	key->color_write = COLORBUFFER_WRITE_MASK(regs[REG_COLORBUFFER_WRITE]) ? 15 : 0;
	key->color_read = key->blend = key->logic_op = 0;
	memset(key->equation, 0, sizeof(key->equation));
	memset(key->src, 0, sizeof(key->src));
	memset(key->dst, 0, sizeof(key->dst));
	if (key->mode == FRAGMENT_MODE_GAS) { /* the same, but it reads the depth buffer [guess] */
		key->depth_relation = gas_relations[GAS_DELTAZ_DEPTH_FUNC(gas_depth)];
		key->depth_format = key->depth_relation == RELATION_NEVER ? DEPTH_INVALID :
				(uint8_t)DEPTHBUFFER_FORMAT_FORMAT(regs[REG_DEPTHBUFFER_FORMAT]);
		if (key->depth_format == DEPTH_INVALID) {
			key->w_buffer = 0;
		}
	}
}

static void draw_nothing(struct frag_key *key) {
	const uint8_t mode = key->mode, is_watched = key->is_watched;
	memset(key, 0, sizeof(*key));
	key->mode = mode;
	key->is_watched = is_watched;
	key->depth_format = DEPTH_INVALID;
}

/* Drops settings without an effect in this state. */
static void simplify(struct frag_key *key) {
	const bool format_has_alpha = key->color_format != COLOR_RGB8 &&
			key->color_format != COLOR_RGB565;
	const bool lives =
			key->alpha_relation != RELATION_NEVER && key->mode == FRAGMENT_MODE_NORMAL;
	const bool survives = key->stencil_relation != RELATION_NEVER &&
			key->depth_relation != RELATION_NEVER;

	if (!lives && !(key->is_watched && key->mode == FRAGMENT_MODE_NORMAL)) {
		draw_nothing(key); /* whatever follows */
		return;
	}
	if (!format_has_alpha) {
		key->color_write &= 7;
	}
	if (key->is_watched) {
		return;
	}
	if (!survives) {
		key->color_write = 0;
		key->depth_write = 0;
	}
	if (key->stencil) {
		bool writes = false;
		if (key->stencil_relation != RELATION_ALWAYS) {
			writes = key->stencil_op[0] != STENCIL_OP_KEEP;
		}
		if (key->stencil_relation != RELATION_NEVER &&
				key->depth_relation != RELATION_ALWAYS) {
			writes |= key->stencil_op[1] != STENCIL_OP_KEEP;
		}
		if (survives) {
			writes |= key->stencil_op[2] != STENCIL_OP_KEEP;
		}
		key->stencil_write &= writes;
		key->stencil = key->stencil_write || key->stencil_relation != RELATION_ALWAYS;
	}
	if (!key->stencil_write) {
		memset(key->stencil_op, STENCIL_OP_KEEP, sizeof(key->stencil_op));
	}
	if (!(key->color_write & 7) && key->fog == FRAG_FOG_ON) {
		key->fog = FRAG_FOG_OFF; /* it changes RGB only */
	}
	if (!frag_key_depth(key)) {
		if (key->fog != FRAG_FOG_ON) {
			key->w_buffer = 0;
		}
		if (!key->stencil) {
			key->depth_format = DEPTH_INVALID;
		}
	}
	if (!key->color_write) {
		key->color_format = 0;
		key->color_read = key->blend = key->logic_op = key->fog = 0;
		memset(key->equation, 0, sizeof(key->equation));
		memset(key->src, 0, sizeof(key->src));
		memset(key->dst, 0, sizeof(key->dst));
		if (key->alpha_relation == RELATION_ALWAYS) { /* the combiner has no effect */
			memset(key->stage, 0, sizeof(key->stage));
			key->buffer_rgb = key->buffer_alpha = 0;
			key->textures = key->texture0_type = 0;
			key->proctex = key->proctex_coord = 0;
			memset(&key->light, 0, sizeof(key->light));
			memset(key->coord_set, 0, sizeof(key->coord_set));
		}
	}
}

static void color_bytes(uint8_t out[4], uint32_t word) {
	for (unsigned k = 0; k < 4; k++) {
		/* R lowest, as all colour registers of the block */
		out[k] = (uint8_t)(word >> 8 * k);
	}
}

void frag_key_from_regs(struct frag_key *key, struct frag_consts *consts, const uint32_t *regs,
		bool is_watched) {
	memset(key, 0, sizeof(*key));
	key->is_watched = is_watched;
	combiner_from_regs(key, regs);
	tests_from_regs(key, regs);
	output_from_regs(key, regs);
	if (key->mode == FRAGMENT_MODE_SHADOW || key->mode == FRAGMENT_MODE_GAS) {
		map_from_regs(key, regs);
		if (!key->color_write) {
			draw_nothing(key);
		}
	} else {
		simplify(key);
	}

	memset(consts, 0, sizeof(*consts));
	for (unsigned s = 0; s < FRAG_STAGES; s++) {
		color_bytes(consts->tev_color[s], regs[regs_texenv[s] + REGS_TEXENV_COLOR]);
	}
	color_bytes(consts->buffer_color, regs[REG_TEXENV_BUFFER_COLOR]);
	color_bytes(consts->blend_color, regs[REG_BLEND_COLOR]);
	consts->alpha_ref = (uint8_t)FRAGOP_ALPHA_TEST_REF(regs[REG_FRAGOP_ALPHA_TEST]);
	const uint32_t stencil = regs[REG_STENCIL_TEST];
	consts->stencil_ref = (uint8_t)STENCIL_TEST_REF(stencil);
	consts->stencil_compare_mask = (uint8_t)STENCIL_TEST_COMPARE_MASK(stencil);
	consts->stencil_write_mask = (uint8_t)STENCIL_TEST_WRITE_MASK(stencil);
	consts->depth_scale = f24_to_f32(F24_VALUE(regs[REG_DEPTHMAP_SCALE]));
	consts->depth_offset = f24_to_f32(F24_VALUE(regs[REG_DEPTHMAP_OFFSET]));
	frag_step_consts(consts, regs);
}
