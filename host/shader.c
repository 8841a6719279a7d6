/*
 * Shader binaries and programs: libpica's reader checks the file, and pica_shader_bind() gives the
 * registers that select a program. [fidelity: dvle-binding]
 */
#include "host.h"

#include <stdlib.h>
#include <string.h>

#include <3ds/gpu/shaderProgram.h>
#include <3ds/result.h>

#include "pica_shader.h"

#define NO_MEMORY MAKERESULT(RL_FATAL, RS_OUTOFRESOURCE, RM_APPLICATION, RD_OUT_OF_MEMORY)

/* The result of DVLB_ParseFile(), with its program. */
struct file {
	DVLB_s dvlb; /* first */
	struct pica_shader *shader;
};

static struct file *file_of(const DVLE_s *dvle) {
	return (struct file *)(void *)((char *)dvle->dvlp - offsetof(struct file, dvlb.DVLP));
}

static uint32_t index_of(const DVLE_s *dvle) {
	return (uint32_t)(dvle - file_of(dvle)->dvlb.DVLE);
}

static const struct pica_shader_entry *entry_of(const DVLE_s *dvle) {
	return &file_of(dvle)->shader->entries[index_of(dvle)];
}

/* ---- Tables of an entry ---- */

static bool fill_constants(DVLE_s *d, const struct pica_shader_entry *e) {
	d->constTableData = calloc(e->n_constants + 1u, sizeof(*d->constTableData));
	d->constTableSize = e->n_constants;
	for (uint32_t i = 0; d->constTableData && i < e->n_constants; i++) {
		const struct pica_shader_constant *c = &e->constants[i];
		d->constTableData[i] = (DVLE_constEntry_s){ c->type, c->reg, { 0 } };
		memcpy(d->constTableData[i].data, c->value, sizeof(c->value));
		if (c->type == PICA_SHADER_INT) {
			d->constTableData[i].data[0] = (c->value[0] & 0xFF) |
					(c->value[1] & 0xFF) << 8 | (c->value[2] & 0xFF) << 16 |
					c->value[3] << 24;
		}
	}
	return d->constTableData;
}

static bool fill_outputs(DVLE_s *d, const struct pica_shader_entry *e) {
	d->outTableData = calloc(e->n_outputs + 1u, sizeof(*d->outTableData));
	d->outTableSize = e->n_outputs;
	for (uint32_t i = 0; d->outTableData && i < e->n_outputs; i++) {
		const struct pica_shader_output *o = &e->output[i];
		d->outTableData[i] = (DVLE_outEntry_s){
			.type = o->type, .regID = o->reg, .mask = (u8)o->mask
		};
	}
	return d->outTableData;
}

static bool fill_uniforms(DVLE_s *d, const struct pica_shader_entry *e) {
	size_t bytes = 1;
	for (uint32_t i = 0; i < e->n_uniforms; i++) {
		bytes += strlen(e->uniforms[i].name) + 1;
	}
	d->uniformTableData = calloc(e->n_uniforms + 1u, sizeof(*d->uniformTableData));
	d->uniformTableSize = e->n_uniforms;
	d->symbolTableData = calloc(1, bytes);
	if (!d->uniformTableData || !d->symbolTableData) {
		return false;
	}
	u32 at = 0;
	for (uint32_t i = 0; i < e->n_uniforms; i++) {
		const struct pica_shader_uniform *u = &e->uniforms[i];
		d->uniformTableData[i] = (DVLE_uniformEntry_s){ at, u->first, u->last };
		strcpy(d->symbolTableData + at, u->name);
		at += (u32)strlen(u->name) + 1;
	}
	return true;
}

static int take_outmap(void *user, uint32_t reg, uint32_t mask, const uint32_t *values, uint32_t n,
		int consecutive) {
	DVLE_s *d = user;
	(void)mask;
	(void)consecutive;
	if (reg == GPUREG_SH_OUTMAP_TOTAL) {
		memcpy(d->outmapData, values, (n < 8 ? n : 8) * sizeof(*values));
	} else if (reg == GPUREG_VSH_OUTMAP_MASK) {
		d->outmapMask = (u8)values[0];
	} else if (reg == GPUREG_SH_OUTATTR_MODE) {
		d->outmapMode = values[0];
	} else if (reg == GPUREG_SH_OUTATTR_CLOCK) {
		d->outmapClock = values[0];
	}
	return 0;
}

/* The map of a single entry does not depend on its type. */
static void fill_outmap(DVLE_s *d, const struct pica_shader_entry *e) {
	struct pica_shader_entry alone = *e;
	alone.type = PICA_SHADER_VERTEX;
	alone.start = 0;
	const struct pica_shader shader = { .n_entries = 1, .entries = &alone };
	pica_shader_bind(&(struct pica_shader_binding){ .vs = &shader }, take_outmap, d);
}

static bool fill_entry(DVLE_s *d, DVLP_s *p, const struct pica_shader_entry *e) {
	*d = (DVLE_s){ .type = (DVLE_type)e->type,
		.mergeOutmaps = e->merge_outputs,
		.gshMode = (DVLE_geoShaderMode)e->gs_mode,
		.gshFixedVtxStart = e->gs_first,
		.gshVariableVtxNum = e->gs_full,
		.gshFixedVtxNum = e->gs_vertices,
		.dvlp = p,
		.mainOffset = e->start,
		.endmainOffset = e->end };
	fill_outmap(d, e);
	return fill_constants(d, e) && fill_outputs(d, e) && fill_uniforms(d, e);
}

/* ---- Files ---- */

PICA_EXPORT DVLB_s *DVLB_ParseFile(u32 *data, u32 size) {
	struct pica_shader_error error;
	struct file *f = calloc(1, sizeof(*f));
	if (!f) {
		return NULL;
	}
	if (pica_shader_read(&f->shader, data, size, &error) < 0) {
		host_refuse("DVLB_ParseFile: %s", error.message);
		free(f);
		return NULL;
	}
	const struct pica_shader *s = f->shader;
	f->dvlb.DVLP = (DVLP_s){ s->n_code, s->code, s->n_descriptors, s->descriptors };
	f->dvlb.DVLE = calloc(s->n_entries + 1u, sizeof(*f->dvlb.DVLE));
	bool is_fine = f->dvlb.DVLE;
	for (uint32_t i = 0; is_fine && i < s->n_entries; i++) {
		f->dvlb.numDVLE++;
		is_fine = fill_entry(&f->dvlb.DVLE[i], &f->dvlb.DVLP, &s->entries[i]);
	}
	if (!is_fine) {
		DVLB_Free(&f->dvlb);
		return NULL;
	}
	return &f->dvlb;
}

PICA_EXPORT void DVLB_Free(DVLB_s *dvlb) {
	if (!dvlb) {
		return;
	}
	for (u32 i = 0; i < dvlb->numDVLE; i++) {
		free(dvlb->DVLE[i].constTableData);
		free(dvlb->DVLE[i].outTableData);
		free(dvlb->DVLE[i].uniformTableData);
		free(dvlb->DVLE[i].symbolTableData);
	}
	free(dvlb->DVLE);
	struct file *f = (struct file *)dvlb;
	pica_shader_destroy(f->shader);
	free(f);
}

PICA_EXPORT s8 DVLE_GetUniformRegister(DVLE_s *dvle, const char *name) {
	static const uint16_t bases[] = { PICA_SHADER_REG_B, PICA_SHADER_REG_I, PICA_SHADER_REG_C,
		0 };
	const int i = dvle && name ? pica_shader_find_uniform(entry_of(dvle), name) : -1;
	if (i < 0) {
		return -1;
	}
	const uint16_t first = entry_of(dvle)->uniforms[i].first;
	unsigned k = 0;
	while (first < bases[k]) {
		k++;
	}
	return (s8)(first - bases[k]);
}

PICA_EXPORT void DVLE_GenerateOutmap(DVLE_s *dvle) {
	(void)dvle;
}

/* ---- Instances ---- */

PICA_EXPORT Result shaderInstanceInit(shaderInstance_s *instance, DVLE_s *dvle) {
	if (!instance || !dvle) {
		return HOST_BAD_ARGUMENT;
	}
	*instance = (shaderInstance_s){ .dvle = dvle };
	instance->float24Uniforms = calloc(dvle->constTableSize + 1u, sizeof(float24Uniform_s));
	if (!instance->float24Uniforms) {
		return NO_MEMORY;
	}
	for (u32 i = 0; i < dvle->constTableSize; i++) {
		const DVLE_constEntry_s *c = &dvle->constTableData[i];
		const u32 *d = c->data;
		if (c->type == DVLE_CONST_BOOL) {
			instance->boolUniformMask |= (u16)BIT(c->id & 15);
			shaderInstanceSetBool(instance, c->id & 15, d[0] & 1);
		} else if (c->type == DVLE_CONST_u8) {
			instance->intUniformMask |= (u8)BIT(c->id & 3);
			instance->intUniforms[c->id & 3] = d[0];
		} else if (instance->numFloat24Uniforms < UINT8_MAX) {
			instance->float24Uniforms[instance->numFloat24Uniforms++] =
					(float24Uniform_s){ c->id,
						{ d[3] << 8 | (d[2] >> 16 & 0xFF),
								d[2] << 16 | (d[1] >> 8 & 0xFFFF),
								d[1] << 24 | (d[0] & 0xFFFFFF) } };
		}
	}
	return 0;
}

PICA_EXPORT Result shaderInstanceFree(shaderInstance_s *instance) {
	if (!instance) {
		return HOST_BAD_ARGUMENT;
	}
	free(instance->float24Uniforms);
	free(instance);
	return 0;
}

PICA_EXPORT Result shaderInstanceSetBool(shaderInstance_s *instance, int id, bool value) {
	if (!instance || id < 0 || id > 15) {
		return HOST_BAD_ARGUMENT;
	}
	instance->boolUniforms = (u16)((instance->boolUniforms & ~BIT(id)) | (u32)value << id);
	return 0;
}

PICA_EXPORT Result shaderInstanceGetBool(shaderInstance_s *instance, int id, bool *value) {
	if (!instance || !value || id < 0 || id > 15) {
		return HOST_BAD_ARGUMENT;
	}
	*value = instance->boolUniforms >> id & 1;
	return 0;
}

PICA_EXPORT s8 shaderInstanceGetUniformLocation(shaderInstance_s *instance, const char *name) {
	return instance ? DVLE_GetUniformRegister(instance->dvle, name) : -1;
}

/* ---- Programs ---- */

PICA_EXPORT Result shaderProgramInit(shaderProgram_s *program) {
	if (!program) {
		return HOST_BAD_ARGUMENT;
	}
	*program = (shaderProgram_s){ .geoShaderInputPermutation = { 0x76543210, 0xFEDCBA98 } };
	return 0;
}

static void drop(shaderInstance_s **instance) {
	if (*instance) {
		shaderInstanceFree(*instance);
	}
	*instance = NULL;
}

PICA_EXPORT Result shaderProgramFree(shaderProgram_s *program) {
	if (!program) {
		return HOST_BAD_ARGUMENT;
	}
	drop(&program->vertexShader);
	drop(&program->geometryShader);
	return 0;
}

static Result replace(shaderInstance_s **instance, DVLE_s *dvle, DVLE_type type) {
	shaderInstance_s *made = dvle && dvle->type == type ? calloc(1, sizeof(*made)) : NULL;
	if (!made || shaderInstanceInit(made, dvle) < 0) {
		free(made);
		return HOST_BAD_ARGUMENT;
	}
	drop(instance);
	*instance = made;
	return 0;
}

PICA_EXPORT Result shaderProgramSetVsh(shaderProgram_s *program, DVLE_s *dvle) {
	return program ? replace(&program->vertexShader, dvle, VERTEX_SHDR) : HOST_BAD_ARGUMENT;
}

PICA_EXPORT Result shaderProgramSetGsh(shaderProgram_s *program, DVLE_s *dvle, u8 stride) {
	if (!program) {
		return HOST_BAD_ARGUMENT;
	}
	program->geoShaderInputStride = stride;
	return replace(&program->geometryShader, dvle, GEOMETRY_SHDR);
}

PICA_EXPORT Result shaderProgramSetGshInputPermutation(shaderProgram_s *program, u64 permutation) {
	if (!program) {
		return HOST_BAD_ARGUMENT;
	}
	program->geoShaderInputPermutation[0] = (u32)permutation;
	program->geoShaderInputPermutation[1] = (u32)(permutation >> 32);
	return 0;
}

/* ---- Selecting a program ---- */

struct use {
	bool vsh_code, gsh_code, constants;
};

/* Ports of one unit, from its first uniform on, as far as the vertex unit's. */
static bool is_wanted(const struct use *use, uint32_t reg) {
	const uint32_t gsh = GPUREG_GSH_BOOLUNIFORM, vsh = GPUREG_VSH_BOOLUNIFORM;
	const bool is_vsh = reg >= vsh;
	const uint32_t local = is_vsh ? reg : reg + (vsh - gsh);
	if (reg < gsh) {
		return true;
	}
	if (local >= GPUREG_VSH_CODETRANSFER_CONFIG || local == GPUREG_VSH_CODETRANSFER_END) {
		return is_vsh ? use->vsh_code : use->gsh_code;
	}
	if (local <= GPUREG_VSH_INTUNIFORM_I3 ||
			(local >= GPUREG_VSH_FLOATUNIFORM_CONFIG &&
					local < GPUREG_VSH_CODETRANSFER_CONFIG)) {
		return use->constants;
	}
	return true;
}

static int add_write(void *user, uint32_t reg, uint32_t mask, const uint32_t *values, uint32_t n,
		int consecutive) {
	if (is_wanted(user, reg)) {
		GPUCMD_Add(GPUCMD_HEADER(consecutive ? 1 : 0, mask, reg), values, n);
	}
	return 0;
}

static Result bind(shaderProgram_s *program, struct use use) {
	if (!program || !program->vertexShader) {
		return HOST_BAD_ARGUMENT;
	}
	const shaderInstance_s *vs = program->vertexShader, *gs = program->geometryShader;
	const struct pica_shader_binding binding = {
		.vs = file_of(vs->dvle)->shader,
		.vs_entry = index_of(vs->dvle),
		.gs = gs ? file_of(gs->dvle)->shader : NULL,
		.gs_entry = gs ? index_of(gs->dvle) : 0,
		.gs_inputs = program->geoShaderInputStride,
		.gs_permutation = (u64)program->geoShaderInputPermutation[1] << 32 |
				program->geoShaderInputPermutation[0],
		.vs_bools = vs->boolUniforms,
		.gs_bools = gs ? gs->boolUniforms : 0,
	};
	return pica_shader_bind(&binding, add_write, &use) < 0 ? HOST_BAD_ARGUMENT : 0;
}

PICA_EXPORT Result shaderProgramConfigure(
		shaderProgram_s *program, bool send_vsh_code, bool send_gsh_code) {
	return bind(program, (struct use){ send_vsh_code, send_gsh_code, false });
}

PICA_EXPORT Result shaderProgramUse(shaderProgram_s *program) {
	return bind(program, (struct use){ true, true, true });
}
