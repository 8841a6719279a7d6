/* The disassembler: the directives of an entry. */
#include "pica/toolchain/asm.h"

#include <stdio.h>
#include <string.h>

#include "core/base/f24.h"

void asm_mask_letters(char out[6], unsigned mask) {
	unsigned n = 0;
	out[n++] = '.';
	for (unsigned k = 0; k < 4; k++) {
		if (mask >> k & 1) {
			out[n++] = "xyzw"[k];
		}
	}
	out[n] = '\0';
}

/* ---- Constants ---- */

/* 9 digits identify every binary32, and so every f24 but NaNs and values without a binary32. */
static void float_number(FILE *t, uint32_t word) {
	const float f = f24_to_f32(word);
	if (f == f && f32_to_f24(f) == word) {
		fprintf(t, "%.9g", (double)f);
	} else {
		fprintf(t, "#%06X", (unsigned)word);
	}
}

static void constants(FILE *t, const struct pica_shader_entry *e) {
	for (uint32_t i = 0; i < e->n_constants; i++) {
		const struct pica_shader_constant *c = &e->constants[i];
		switch ((enum pica_shader_constant_type)c->type) {
		case PICA_SHADER_BOOL:
			fprintf(t, ".setb b%u %s\n", c->reg, c->value[0] ? "true" : "false");
			break;
		case PICA_SHADER_INT:
			fprintf(t, ".seti i%u(%u, %u, %u, %u)\n", c->reg, (unsigned)c->value[0],
					(unsigned)c->value[1], (unsigned)c->value[2],
					(unsigned)c->value[3]);
			break;
		case PICA_SHADER_FLOAT:
			fprintf(t, ".setf c%u(", c->reg);
			for (int k = 0; k < 4; k++) {
				float_number(t, c->value[k]);
				fprintf(t, k < 3 ? ", " : ")\n");
			}
			break;
		}
	}
}

/* ---- Outputs ---- */

static const char *output_name(unsigned type) {
	const struct asm_output_type *t = asm_output_types;
	while (t->name && t->type != type) {
		t++;
	}
	return t->name;
}

static void outputs(FILE *t, const struct pica_shader_entry *e) {
	unsigned taken[16] = { 0 };
	const unsigned count = e->type == PICA_SHADER_GEOMETRY ? 7 : 16;
	for (uint32_t i = 0; i < e->n_outputs; i++) {
		const struct pica_shader_output *o = &e->output[i];
		const char *name = output_name(o->type);
		char letters[6];
		asm_mask_letters(letters, o->mask);
		bool fits = name && o->reg < count && (o->mask & 15) &&
				!(taken[o->reg] & o->mask) &&
				(o->reg < 7 || o->type == PICA_SHADER_DUMMY);
		if (fits) {
			taken[o->reg] |= o->mask;
			fprintf(t, ".out - %s o%u%s\n", name, o->reg, letters);
		} else {
			fprintf(t, "; output of type %u in o%u%s\n", o->type, o->reg, letters);
		}
	}
}

/* ---- Inputs and the table of uniforms ---- */

/* "c12"; a number without a register: as in the file. */
static void table_register(char out[16], unsigned number) {
	snprintf(out, 16, "%u", number);
	for (size_t k = 0; k < ARRAY_LEN(asm_ranges); k++) {
		if (number - asm_ranges[k].first < asm_ranges[k].count) {
			snprintf(out, 16, "%c%u", asm_ranges[k].letter,
					number - asm_ranges[k].first);
		}
	}
}

/* In quotes; characters that would end the name, the statement or the line are written as \xNN. */
static void quoted(FILE *t, const char *name) {
	fprintf(t, "\"");
	for (; *name; name++) {
		bool is_plain = *name > ' ' && *name <= '~' && !strchr("\"\\:;", *name);
		fprintf(t, is_plain ? "%c" : "\\x%02X", (unsigned char)*name);
	}
	fprintf(t, "\"");
}

/* Whether a row before i has the same name. */
static bool is_repeated(const struct pica_shader_entry *e, uint32_t i) {
	for (uint32_t k = 0; k < i; k++) {
		if (strcmp(e->uniforms[k].name, e->uniforms[i].name) == 0) {
			return true;
		}
	}
	return false;
}

/*
 * Returns whether .in can express row i: one input register, not declared before, with a name that
 * the assembler accepts. name: as in the source, where "$" stands for the table's point.
 */
static bool is_input(struct assembler *probe, const struct pica_shader_entry *e, uint32_t i,
		unsigned declared, char name[PICA_SHADER_MAX_NAME + 1]) {
	const struct pica_shader_uniform *u = &e->uniforms[i];
	const unsigned len = (unsigned)strlen(u->name);
	if (u->first != u->last || u->first >= PICA_SHADER_REG_V + 16 || strchr(u->name, '$') ||
			len > PICA_SHADER_MAX_NAME || is_repeated(e, i)) {
		return false;
	}
	for (unsigned k = 0; k <= len; k++) {
		name[k] = u->name[k] == '.' ? '$' : u->name[k];
	}
	probe->error = 0;
	asm_check_new_name(probe, (struct slice){ name, len });
	return (e->inputs & ~declared) >> (u->first - PICA_SHADER_REG_V) & 1 && !probe->error;
}

static void inputs(FILE *t, struct assembler *probe, const struct pica_shader_entry *e) {
	unsigned declared = 0;
	for (uint32_t i = 0; i < e->n_uniforms; i++) {
		const struct pica_shader_uniform *u = &e->uniforms[i];
		char name[PICA_SHADER_MAX_NAME + 1], first[16], last[16];
		if (is_input(probe, e, i, declared, name)) {
			fprintf(t, ".in %s v%u\n", name, u->first - PICA_SHADER_REG_V);
			declared |= 1u << (u->first - PICA_SHADER_REG_V);
			continue;
		}
		table_register(first, u->first);
		table_register(last, u->last);
		fprintf(t, ".uniform %s%s%s ", first, u->last != u->first ? "-" : "",
				u->last != u->first ? last : "");
		quoted(t, u->name);
		fprintf(t, "\n");
	}
	for (unsigned i = 0; i < 16; i++) {
		if ((e->inputs & ~declared) >> i & 1) {
			fprintf(t, ".in - v%u\n", i);
		}
	}
}

/* ---- All of it ---- */

static void geometry(FILE *t, const struct pica_shader_entry *e) {
	if (e->type != PICA_SHADER_GEOMETRY) {
		return;
	}
	switch ((enum pica_shader_gs_mode)e->gs_mode) {
	case PICA_SHADER_GS_POINT:
		fprintf(t, ".gsh point c0\n");
		break;
	case PICA_SHADER_GS_VARIABLE:
		fprintf(t, ".gsh variable c0 %u\n", e->gs_full);
		break;
	case PICA_SHADER_GS_FIXED:
		/* The first free uniform has no meaning here, but must come after the array. */
		if (e->gs_first < 95) {
			fprintf(t, ".gsh fixed c%u c%u %u\n", e->gs_first + 1u, e->gs_first,
					e->gs_vertices);
		} else {
			fprintf(t, ".gsh point c0 ; fixed, array in c%u, %u vertices\n",
					e->gs_first, e->gs_vertices);
		}
		break;
	}
}

void disasm_entry(FILE *t, struct assembler *probe, const struct pica_shader_entry *e) {
	geometry(t, e);
	constants(t, e);
	inputs(t, probe, e);
	outputs(t, e);
}
