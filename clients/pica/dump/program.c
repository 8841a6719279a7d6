/* The programs of a draw as sources. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/facts.h"
#include "common/program.h"
#include "dump.h"
#include "fields.h"
#include "pica_shader.h"

enum {
	OUTPUTS = 16,
	SLOTS = 7,
	COMPONENTS = 4,
	CONSTANTS = PROGRAM_UNIFORMS + 4 + 16,
	NAME = 24,
	NO_SEMANTIC = 31,
};

/* An entry of a source, and what it points to. */
struct source {
	struct pica_shader_entry entry;
	struct pica_shader_constant constants[CONSTANTS];
	struct pica_shader_output output[OUTPUTS * COMPONENTS];
	struct pica_shader_uniform inputs[16];
	char names[16][NAME];
	struct program program;
};

/* Both units have the same registers, in the same order. */
static uint32_t unit_reg(const struct snapshot *s, bool is_gs, uint32_t vsh) {
	return s->state.regs[is_gs ? vsh - PICA_REG_VSH_BOOLUNIFORM + PICA_REG_GSH_BOOLUNIFORM :
				     vsh];
}

/* ---- Inputs and outputs ---- */

/* Names input registers by their contents: attributes, or the vertex program's outputs. */
static void add_inputs(struct source *x, const struct snapshot *s, bool is_gs) {
	const uint32_t low = unit_reg(s, is_gs, PICA_REG_VSH_ATTRIBUTES_PERMUTATION_LOW),
		       high = unit_reg(s, is_gs, PICA_REG_VSH_ATTRIBUTES_PERMUTATION_HIGH);
	const uint32_t n = get_SH_INPUTBUFFER_CONFIG_COUNT_M1(
					   unit_reg(s, is_gs, PICA_REG_VSH_INPUTBUFFER_CONFIG)) +
			1;
	for (uint32_t k = 0; k < n; k++) {
		const uint32_t reg = (k < 8 ? low >> 4 * k : high >> 4 * (k - 8)) & 0xF;
		if (!(x->program.inputs >> reg & 1) || x->entry.inputs >> reg & 1) {
			continue;
		}
		const uint32_t i = x->entry.n_uniforms++;
		snprintf(x->names[i], NAME, "%s%" PRIu32, is_gs ? "output" : "attribute", k);
		x->inputs[i] = (struct pica_shader_uniform){ x->names[i],
			(uint16_t)(PICA_SHADER_REG_V + reg), (uint16_t)(PICA_SHADER_REG_V + reg) };
		x->entry.inputs |= (uint16_t)(1u << reg);
	}
}

/* [fidelity: output-slots] */
static uint16_t output_type(uint32_t semantic) {
	return semantic <= PICA_SEMANTIC_POSITION_Z + 1       ? PICA_SHADER_POSITION :
			semantic < PICA_SEMANTIC_COLOR_R      ? PICA_SHADER_QUATERNION :
			semantic < PICA_SEMANTIC_TEXCOORD0_U  ? PICA_SHADER_COLOR :
			semantic < PICA_SEMANTIC_TEXCOORD1_U  ? PICA_SHADER_TEXCOORD0 :
			semantic < PICA_SEMANTIC_TEXCOORD0_W  ? PICA_SHADER_TEXCOORD1 :
			semantic == PICA_SEMANTIC_TEXCOORD0_W ? PICA_SHADER_TEXCOORD0_W :
			semantic >= PICA_SEMANTIC_TEXCOORD2_U ? PICA_SHADER_TEXCOORD2 :
								PICA_SHADER_VIEW;
}

/* Components of a register with one meaning are one output. */
static void add_component(struct source *x, unsigned reg, unsigned component, uint32_t semantic) {
	const uint16_t type = output_type(semantic);
	struct pica_shader_output *o = x->output;
	const struct pica_shader_output *end = o + x->entry.n_outputs;
	while (o < end && (o->reg != reg || o->type != type)) {
		o++;
	}
	if (o == end) {
		*o = (struct pica_shader_output){ type, (uint16_t)reg, 0 };
		x->entry.n_outputs++;
	}
	o->mask |= (uint16_t)(1u << component);
	x->entry.outputs |= (uint16_t)(1u << reg);
}

/* The last program's outputs go to the rasteriser, others to the next program. */
static void add_outputs(struct source *x, const struct snapshot *s, bool is_gs) {
	const uint32_t mask = unit_reg(s, is_gs, PICA_REG_VSH_OUTMAP_MASK);
	const bool is_last = is_gs || !facts_has_geometry(s->state.regs);
	unsigned slot = 0;
	for (unsigned reg = 0; reg < OUTPUTS; reg++) {
		if (!(mask >> reg & 1)) {
			continue;
		}
		const uint32_t word =
				slot < SLOTS ? s->state.regs[PICA_REG_SH_OUTMAP_O0 + slot] : 0;
		for (unsigned c = 0; is_last && slot < SLOTS && c < COMPONENTS; c++) {
			const uint32_t semantic = word >> 8 * c & 0x1F;
			if (semantic != NO_SEMANTIC) {
				add_component(x, reg, c, semantic);
			}
		}
		if (!is_last) {
			x->output[x->entry.n_outputs++] =
					(struct pica_shader_output){ PICA_SHADER_DUMMY,
						(uint16_t)reg, 0xF };
			x->entry.outputs |= (uint16_t)(1u << reg);
		}
		slot++;
	}
}

/* ---- Uniforms ---- */

static void add_constant(struct source *x, uint16_t type, unsigned reg, const uint32_t value[4]) {
	struct pica_shader_constant *c = &x->constants[x->entry.n_constants++];
	*c = (struct pica_shader_constant){ .type = type, .reg = (uint16_t)reg };
	memcpy(c->value, value, sizeof(c->value));
}

/* The uniforms that the program reads, with their values; with relative addresses, all that are not
 * 0. */
static void add_constants(struct source *x, const struct snapshot *s, bool is_gs) {
	static const uint32_t zero[4];
	const struct pica_shader_state *unit = is_gs ? &s->state.gs : &s->state.vs;
	const struct program *p = &x->program;
	for (unsigned c = 0; c < PROGRAM_UNIFORMS; c++) {
		const bool is_set = memcmp(unit->uniforms[c], zero, sizeof(zero)) != 0;
		if (p->uniforms[c] || (p->is_relative && is_set)) {
			add_constant(x, PICA_SHADER_FLOAT, c, unit->uniforms[c]);
		}
	}
	for (unsigned i = 0; i < 4; i++) {
		const uint32_t word = unit_reg(s, is_gs, PICA_REG_VSH_INTUNIFORM_I0 + i);
		const uint32_t value[4] = { word & 0xFF, word >> 8 & 0xFF, word >> 16 & 0xFF,
			word >> 24 };
		if (p->integers >> i & 1) {
			add_constant(x, PICA_SHADER_INT, i, value);
		}
	}
	for (unsigned b = 0; b < 16; b++) {
		const uint32_t value[4] = { unit_reg(s, is_gs, PICA_REG_VSH_BOOLUNIFORM) >> b & 1 };
		if (p->booleans >> b & 1) {
			add_constant(x, PICA_SHADER_BOOL, b, value);
		}
	}
}

/* ---- All of it ---- */

static void set_geometry(struct pica_shader_entry *e, const uint32_t *regs) {
	const uint32_t misc = regs[PICA_REG_GSH_MISC0];
	e->gs_mode = (uint8_t)(get_GSH_MISC0_MODE(misc) <= PICA_SHADER_GS_FIXED ?
					get_GSH_MISC0_MODE(misc) :
					0);
	e->gs_first = (uint8_t)get_GSH_MISC0_FIXED_FIRST(misc);
	e->gs_vertices = (uint8_t)(get_GSH_MISC0_FIXED_VERTICES_M1(misc) + 1);
	e->gs_full = (uint8_t)(get_GSH_MISC1_MAIN_VERTICES_M1(regs[PICA_REG_GSH_MISC1]) + 1);
}

int dump_program(const struct snapshot *s, bool is_gs, char **text) {
	const struct pica_shader_state *unit = is_gs ? &s->state.gs : &s->state.vs;
	const uint32_t n = is_gs ? PROGRAM_GS_WORDS : PROGRAM_VS_WORDS;
	struct pica_shader_state *copy = malloc(sizeof(*copy));
	struct source *x = calloc(1, sizeof(*x));
	int ret = -ENOMEM;
	if (copy && x) {
		memcpy(copy, unit, sizeof(*copy)); /* the disassembler's struct is not const */
		program_read(&x->program, unit, n, unit_reg(s, is_gs, PICA_REG_VSH_ENTRYPOINT));
		x->entry = (struct pica_shader_entry){
			.type = is_gs ? PICA_SHADER_GEOMETRY : PICA_SHADER_VERTEX,
			.start = unit_reg(s, is_gs, PICA_REG_VSH_ENTRYPOINT) & (n - 1),
			.constants = x->constants,
			.output = x->output,
			.uniforms = x->inputs,
		};
		add_inputs(x, s, is_gs);
		add_outputs(x, s, is_gs);
		add_constants(x, s, is_gs);
		if (is_gs) {
			set_geometry(&x->entry, s->state.regs);
		}
		struct pica_shader shader = {
			.n_code = x->program.is_cut ? n : x->program.end,
			.n_descriptors = x->program.is_cut ? PICA_SHADER_DESCRIPTORS :
							     x->program.n_descriptors,
			.n_entries = 1,
			.code = copy->code,
			.descriptors = copy->operand_descriptors,
			.entries = &x->entry,
		};
		x->entry.end = shader.n_code;
		ret = pica_shader_disassemble(&shader, 0, text);
	}
	free(x);
	free(copy);
	return ret;
}
