/* Registers with side effects on memories: code, descriptors, uniforms, attributes, tables. */
#include <string.h>

#include "core/base/f24.h"
#include "pica/front/ctx.h"

/* Whether writes to the vertex units also reach the geometry unit [fidelity: shader-units, HW]. */
static bool mirrors(const struct pica200 *ctx) {
	return !VSH_COM_MODE_SEPARATE(ctx->regs.w[REG_VSH_COM_MODE]) &&
			GEOSTAGE_CONFIG_GS(ctx->regs.w[REG_GEOSTAGE_CONFIG]) == 0;
}

static bool is_vs(const struct pica200 *ctx, const struct shader_unit *unit) {
	return unit == &ctx->vs;
}

static void drop_prog(struct shader_unit *unit) {
	prog_put(unit->prog);
	unit->prog = NULL;
}

/* Many clients upload the same program for every frame. */
static void set_word(struct pica200 *ctx, struct shader_unit *unit, uint32_t *at, uint32_t word) {
	ctx->run.uploads_program[unit == &ctx->gs] = true;
	if (*at != word) {
		*at = word;
		drop_prog(unit);
	}
}

/*
 * Uploads code or a descriptor at an index that advances: to the unit's own words, and to the
 * geometry unit's if both get the same.
 */
static void upload_word(struct pica200 *ctx, struct shader_unit *unit, uint32_t *index,
		uint32_t limit, uint32_t *own, uint32_t *other, uint32_t word) {
	const uint32_t i = *index;
	*index = (i + 1) & 0xFFF;
	if (i >= limit) {
		ctx_fault(&ctx->base, PICA_FAULT_BAD_INDEX);
		return;
	}
	set_word(ctx, unit, &own[i], word);
	if (is_vs(ctx, unit) && mirrors(ctx)) {
		set_word(ctx, &ctx->gs, &other[i], word);
	}
}

static float uniform_from_f32(const struct pica200 *ctx, uint32_t word) {
	float f = f32_from_bits(word);
	return ctx->base.settings.float_mode == PICA_FLOAT_F24 ? f24_truncate(f) : f;
}

static void uniform_word(struct pica200 *ctx, struct shader_unit *unit, uint32_t index_reg,
		uint32_t word) {
	bool f32 = SH_FLOATUNIFORM_INDEX_IS_F32(ctx->regs.w[index_reg]);
	unit->fifo[unit->n_fifo++] = word;
	if (unit->n_fifo < (f32 ? 4u : 3u)) {
		return;
	}
	unit->n_fifo = 0;
	float v[4];
	if (f32) {
		for (int k = 0; k < 4; k++) {
			v[k] = uniform_from_f32(ctx, unit->fifo[3 - k]); /* order W Z Y X */
		}
	} else {
		f24_unpack_vec4(unit->fifo, v);
	}
	uint32_t i = unit->uniform_index;
	unit->uniform_index = (i + 1) & 0xFF;
	if (i >= SHADER_UNIFORMS) {
		ctx_fault(&ctx->base, PICA_FAULT_BAD_INDEX);
		return;
	}
	unit->uniforms_dirty |= memcmp(unit->u.c[i], v, sizeof(v)) != 0;
	memcpy(unit->u.c[i], v, sizeof(v));
	if (is_vs(ctx, unit) && mirrors(ctx)) {
		memcpy(ctx->gs.u.c[i], v, sizeof(v));
	}
}

static void uniform_index(struct pica200 *ctx, struct shader_unit *unit, uint32_t index_reg) {
	unit->uniform_index = SH_FLOATUNIFORM_INDEX_INDEX(ctx->regs.w[index_reg]);
	unit->n_fifo = 0; /* a partial vector is dropped [fidelity: shader-upload] */
}

static void int_uniform(struct shader_unit *unit, unsigned i, uint32_t word) {
	for (unsigned k = 0; k < 3; k++) {
		unit->u.i[i][k] = (uint8_t)(word >> (8 * k));
	}
	unit->uniforms_dirty = true;
}

static void attribute_done(struct pica200 *ctx) {
	float v[4];
	f24_unpack_vec4(ctx->attr_fifo, v);
	if (ctx->attr_index == 15) {
		struct immediate *im = &ctx->immediate;
		memcpy(im->current[im->attribute], v, sizeof(v));
		if (im->attribute >= VSH_NUM_ATTR_NUM_ATTR_M1(ctx->regs.w[REG_VSH_NUM_ATTR])) {
			im->attribute = 0;
			draw_immediate_vertex(ctx);
		} else {
			im->attribute++;
		}
		return;
	}
	if (ctx->attr_index < 12) {
		const uint32_t *w = ctx->attr_fifo;
		uint32_t *raw = ctx->fixed_raw[ctx->attr_index];
		raw[0] = w[2] & 0xFFFFFF;
		raw[1] = (w[1] & 0xFFFF) << 8 | w[2] >> 24;
		raw[2] = (w[0] & 0xFF) << 16 | w[1] >> 16;
		raw[3] = w[0] >> 8;
		memcpy(ctx->fixed[ctx->attr_index], v, sizeof(v));
		ctx->fixed_unwritten &= ~(1u << ctx->attr_index);
		ctx->parts.dirty |= PART_VERTEX;
		ctx->parts.layout_valid = false;
	} else {
		ctx_fault(&ctx->base, PICA_FAULT_BAD_INDEX);
	}
	/* The index must not run into 15, immediate mode [fidelity: fixed-attributes]. */
	if (ctx->attr_index < 14) {
		ctx->attr_index++;
	}
}

static void attribute_word(struct pica200 *ctx, uint32_t word) {
	ctx->attr_fifo[ctx->n_attr_fifo++] = word;
	if (ctx->n_attr_fifo == 3) {
		ctx->n_attr_fifo = 0;
		attribute_done(ctx);
	}
}

/* Returns the index in the bits of an index register, and increments it within its field. */
static uint32_t next_index(struct pica200 *ctx, uint32_t index_reg, uint32_t mask) {
	uint32_t word = ctx->regs.w[index_reg];
	ctx->regs.w[index_reg] = (word & ~mask) | ((word + 1) & mask);
	return word & mask;
}

static void bool_uniform(struct shader_unit *unit, uint32_t word) {
	unit->u.b = (uint16_t)SH_BOOLUNIFORM_BITS(word);
	unit->uniforms_dirty = true;
}

static void shader_write(struct pica200 *ctx, struct shader_unit *unit, uint32_t id, uint32_t base,
		uint32_t value) {
	uint32_t at = id - base + REG_GSH_BOOLUNIFORM; /* as in the geometry unit's block */
	uint32_t word = ctx->regs.w[id];
	if (at == REG_GSH_BOOLUNIFORM) {
		bool_uniform(unit, word);
	} else if (at >= REG_GSH_INTUNIFORM_I0 && at <= REG_GSH_INTUNIFORM_I3) {
		int_uniform(unit, at - REG_GSH_INTUNIFORM_I0, word);
	} else if (at >= REG_GSH_FLOATUNIFORM_DATA0 && at <= REG_GSH_FLOATUNIFORM_DATA7) {
		uniform_word(ctx, unit, base + REG_GSH_FLOATUNIFORM_INDEX - REG_GSH_BOOLUNIFORM,
				value);
		return;
	} else if (at >= REG_GSH_CODETRANSFER_DATA0 && at <= REG_GSH_CODETRANSFER_DATA7) {
		upload_word(ctx, unit, &unit->code_index,
				is_vs(ctx, unit) ? SHADER_VS_WORDS : SHADER_GS_WORDS, unit->code,
				ctx->gs.code, value);
		return;
	} else if (at >= REG_GSH_OPDESCS_DATA0 && at <= REG_GSH_OPDESCS_DATA7) {
		upload_word(ctx, unit, &unit->descriptor_index, 128, unit->descriptors,
				ctx->gs.descriptors, value);
		return;
	} else if (at == REG_GSH_FLOATUNIFORM_INDEX) {
		uniform_index(ctx, unit, id);
		return;
	} else if (at == REG_GSH_CODETRANSFER_INDEX) {
		unit->code_index = SH_CODETRANSFER_INDEX_INDEX(word);
		return;
	} else if (at == REG_GSH_OPDESCS_INDEX) {
		unit->descriptor_index = SH_OPDESCS_INDEX_INDEX(word);
		return;
	} else if (at == REG_GSH_INPUTBUFFER_CONFIG && unit == &ctx->gs) {
		geometry_config_changed(ctx);
		return;
	} else if (at != REG_GSH_OUTMAP_MASK) {
		return;
	}
	/* Bool, int and output mask: the geometry unit gets the merged word too. */
	if (is_vs(ctx, unit) && mirrors(ctx)) {
		ctx->regs.w[at] = word;
		if (at != REG_GSH_OUTMAP_MASK) {
			shader_write(ctx, &ctx->gs, at, REG_GSH_BOOLUNIFORM, word);
		}
	}
}

void ports_write(struct pica200 *ctx, uint32_t id, uint32_t value) {
	if (id >= REG_GSH_BOOLUNIFORM && id < REG_VSH_BOOLUNIFORM) {
		shader_write(ctx, &ctx->gs, id, REG_GSH_BOOLUNIFORM, value);
	} else if (id >= REG_VSH_BOOLUNIFORM && id < REG_UNIT2_BOOLUNIFORM) {
		shader_write(ctx, &ctx->vs, id, REG_VSH_BOOLUNIFORM, value);
	} else if (id >= REG_FIXEDATTRIB_DATA0 && id <= REG_FIXEDATTRIB_DATA2) {
		attribute_word(ctx, value);
	} else if (id == REG_FIXEDATTRIB_INDEX) {
		ctx->attr_index = FIXEDATTRIB_INDEX_INDEX(ctx->regs.w[id]);
		ctx->n_attr_fifo = 0;
		ctx->immediate.attribute = 0;
	} else if (id >= REG_LIGHTING_LUT_DATA0 && id <= REG_LIGHTING_LUT_DATA7) {
		unsigned table = LIGHTING_LUT_INDEX_TABLE(ctx->regs.w[REG_LIGHTING_LUT_INDEX]);
		uint32_t *entry = &ctx->luts.light[table]
						  [next_index(ctx, REG_LIGHTING_LUT_INDEX, 0xFF)];
		if (*entry != value || !(ctx->light_written >> table & 1)) {
			*entry = value;
			ctx->light_written |= 1u << table;
			if (table < LIGHT_TABLES) {
				ctx->parts.tables.light.table[table] = NULL;
			}
		}
	} else if (id >= REG_FOG_LUT_DATA0 && id <= REG_FOG_LUT_DATA7) {
		ctx->luts.fog[next_index(ctx, REG_FOG_LUT_INDEX, 0x7F)] = value;
		ctx->parts.tables.fog = NULL;
	} else if (id >= REG_PROCTEX_LUT_DATA0 && id <= REG_PROCTEX_LUT_DATA7) {
		unsigned table = PROCTEX_LUT_TABLE(ctx->regs.w[REG_PROCTEX_LUT]);
		uint32_t size_mask = table == 4 || table == 5 ? 0xFF : 0x7F;
		uint32_t index = next_index(ctx, REG_PROCTEX_LUT, 0xFF) & size_mask;
		uint32_t *entry = &ctx->luts.proctex[table][index];
		if (*entry != value) { /* many clients upload the same tables for every frame */
			*entry = value;
			proctex_table_changed(&ctx->parts.tables, table);
		}
	} else if (id == REG_GAS_LUT_DATA) {
		ctx->luts.gas[next_index(ctx, REG_GAS_LUT_INDEX, 0xF)] = value;
	}
}

void ports_reload(struct pica200 *ctx) {
	struct shader_unit *units[2] = { &ctx->vs, &ctx->gs };
	static const uint32_t bases[2] = { REG_VSH_BOOLUNIFORM, REG_GSH_BOOLUNIFORM };
	for (unsigned i = 0; i < 2; i++) {
		struct shader_unit *u = units[i];
		const uint32_t *w = &ctx->regs.w[bases[i]];
		bool_uniform(u, w[0]);
		for (unsigned k = 0; k < 4; k++) {
			int_uniform(u, k, w[1 + k]);
		}
		u->uniform_index = SH_FLOATUNIFORM_INDEX_INDEX(
				w[REG_GSH_FLOATUNIFORM_INDEX - REG_GSH_BOOLUNIFORM]);
		u->code_index = SH_CODETRANSFER_INDEX_INDEX(
				w[REG_GSH_CODETRANSFER_INDEX - REG_GSH_BOOLUNIFORM]);
		u->descriptor_index = SH_OPDESCS_INDEX_INDEX(
				w[REG_GSH_OPDESCS_INDEX - REG_GSH_BOOLUNIFORM]);
		u->n_fifo = 0;
		drop_prog(u);
	}
	ctx->attr_index = FIXEDATTRIB_INDEX_INDEX(ctx->regs.w[REG_FIXEDATTRIB_INDEX]);
	ctx->n_attr_fifo = 0;
}
