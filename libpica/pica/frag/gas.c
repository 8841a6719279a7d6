/* The steps of gas: its colour, and the accumulation of densities. gas_c.c has the arithmetic. */
#include <string.h>

#include "core/base/f24.h"
#include "pica/frag/step.h"
#include "pica/regs/regs.h"

static struct frag_gas_light gas_light(uint32_t word) {
	return (struct frag_gas_light){ (float)GAS_LIGHT_MIN(word) / 255.0f,
		(float)GAS_LIGHT_MAX(word) / 255.0f, (float)GAS_LIGHT_ATTENUATION(word) / 255.0f };
}

static void gas_consts(struct frag_consts *c, const uint32_t *regs) {
	struct frag_gas_consts *gas = &c->gas;
	const uint32_t update = regs[REG_TEXENV_UPDATE_BUFFER],
		       effect = regs[REG_GAS_LIGHT_Z_COLOR];
	const bool is_d16 = DEPTHBUFFER_FORMAT_FORMAT(regs[REG_DEPTHBUFFER_FORMAT]) == DEPTH_D16;
	/* 16.8 bits, for depth in [0, 1]. */
	gas->delta = (float)GAS_DELTAZ_DEPTH_DELTA(regs[REG_GAS_DELTAZ_DEPTH]) / 256.0f /
			(is_d16 ? 65535.0f : 16777215.0f);
	gas->planar = gas_light(regs[REG_GAS_LIGHT_XY]);
	gas->view = gas_light(regs[REG_GAS_LIGHT_Z]);
	gas->effect = (float)GAS_LIGHT_Z_COLOR_EFFECT(effect) / 255.0f;
	gas->by_light = GAS_LIGHT_Z_COLOR_LUT_INPUT(effect) == GAS_LUT_INPUT_LIGHT;
	gas->depth_density = TEXENV_UPDATE_BUFFER_GAS_DENSITY(update) == GAS_DENSITY_DEPTH;
	gas->attenuation = f16_to_f32(F16_VALUE(regs[REG_GAS_ATTENUATION]));
	gas->inverse_max = f16_to_f32(F16_VALUE(regs[REG_GAS_ACCMAX]));
}

/* The colour of gas reads the fog table, too. */
static bool gas_bind(struct frag_draw *d, struct frag_consts *c, const struct frag_source *from) {
	memcpy(c->gas.lut, from->luts->gas, sizeof(c->gas.lut));
	return frag_bind_fog(d, c, from);
}

static void gas_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	const struct plane_in in[2] = { { s->plane[st->in[0].plane], 0 }, frag_operand(s, st, 1) };
	const struct frag_consts *c = s->draw.consts;
	s->k->gas_shade(s->plane[st->dst], in, &c->gas, &c->fog, n_lanes);
}

static void gas_print(struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "gas ");
	frag_print_dst(t, st);
	frag_print_from(t, st, 1);
	frag_print(t, ", ");
	frag_print_planes(t, st->in[1], 4);
}

const struct frag_step_impl frag_step_gas = {
	.consts = gas_consts,
	.bind = gas_bind,
	.run = gas_run,
	.print = gas_print,
};

static void add_gas_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	const struct frag_key *key = &s->draw.plan->key;
	const struct target *target = s->target;
	const bool has_depth = key->depth_format != DEPTH_INVALID;
	if (!target->color) {
		return;
	}
	const struct frag_gas_target t = {
		.color = target->color,
		.color_px = b->quad_px,
		.depth = !has_depth           ? NULL :
				target->depth ? target->depth :
						frag_no_memory,
		.depth_px = target->depth ? b->quad_px : frag_no_quads,
		.depth_bytes = depth_format_bytes(key->depth_format),
		.relation = key->depth_relation,
		.delta = s->draw.consts->gas.delta,
	};
	const uint32_t max =
			s->k->gas_add(&t, b->z, s->plane[st->in[0].plane], b->live, b->n_quads);
	s->gas_max = max > s->gas_max ? max : s->gas_max;
}

static void add_gas_print(
		struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	frag_print(t, "densities <- depth, ");
	frag_print_planes(t, st->in[0], 1);
}

const struct frag_step_impl frag_step_add_gas = {
	.run = add_gas_run,
	.print = add_gas_print,
};
