/* Names, fields and text of registers: the public face of regs/. */
#include "pica_inspect.h"

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "core/base/fixed.h"
#include "pica/regs/regs.h"

#define SAME(kind) ((int)PICA_KIND_##kind == (int)REG_KIND_##kind)
_Static_assert(SAME(HOLE) && SAME(CONFIG) && SAME(PORT) && SAME(TRIGGER) && SAME(STATUS) &&
				SAME(CPU) && SAME(UNKNOWN),
		"the public kinds are those of the table");
#undef SAME

/* [fidelity: register-map] */
static const struct {
	uint16_t end; /* first id after it */
	const char *name;
} groups[PICA_GROUP_COUNT] = {
	[PICA_GROUP_INTERRUPT] = { 0x040, "interrupt" },
	[PICA_GROUP_RASTER] = { 0x080, "raster" },
	[PICA_GROUP_TEXTURE] = { 0x0C0, "texture" },
	[PICA_GROUP_COMBINER] = { 0x100, "combiner" },
	[PICA_GROUP_FRAMEBUFFER] = { 0x140, "framebuffer" },
	[PICA_GROUP_LIGHTING] = { 0x200, "lighting" },
	[PICA_GROUP_GEOMETRY] = { REG_GSH_BOOLUNIFORM, "geometry" },
	[PICA_GROUP_GSH] = { REG_VSH_BOOLUNIFORM, "gsh" },
	[PICA_GROUP_VSH] = { REG_UNIT2_BOOLUNIFORM, "vsh" },
	[PICA_GROUP_UNIT2] = { REG_COUNT, "unit2" },
};

PICA_EXPORT enum pica_reg_kind pica_reg_kind(uint32_t id) {
	return (enum pica_reg_kind)reg_kind(id);
}

PICA_EXPORT const char *pica_reg_kind_name(enum pica_reg_kind kind) {
	return reg_kind_name((enum reg_kind)kind);
}

PICA_EXPORT enum pica_reg_group pica_reg_group(uint32_t id) {
	unsigned group = 0;
	while (group < PICA_GROUP_COUNT - 1 && id >= groups[group].end) {
		group++;
	}
	return (enum pica_reg_group)group;
}

PICA_EXPORT const char *pica_reg_group_name(enum pica_reg_group group) {
	return (unsigned)group < PICA_GROUP_COUNT ? groups[group].name : "?";
}

PICA_EXPORT int pica_reg_field(uint32_t id, uint32_t word, unsigned index, struct pica_field *out) {
	const struct reg_field *f = reg_field_at(id, index);
	if (!f) {
		return 0;
	}
	const uint32_t raw = word >> f->low & 0xFFFFFFFFu >> (32 - f->bits);
	*out = (struct pica_field){ .name = f->name, .low = f->low, .bits = f->bits, .raw = raw,
		.form = PICA_FIELD_INTEGER, .number = raw };
	switch (f->form) {
	case REG_FORM_PLAIN:
		break;
	case REG_FORM_ENUM:
		out->form = PICA_FIELD_ENUM;
		out->text = reg_value_name(f->values, raw);
		break;
	case REG_FORM_HEX:
		out->form = PICA_FIELD_BITS;
		break;
	case REG_FORM_SIGNED:
		out->number = sign_extend(raw, f->bits);
		break;
	case REG_FORM_OVER_2047:
		out->form = PICA_FIELD_FLOAT;
		out->number = (double)sign_extend(raw, f->bits) / 2047;
		break;
	case REG_FORM_F16:
	case REG_FORM_F20:
	case REG_FORM_F24:
	case REG_FORM_F31:
		out->form = PICA_FIELD_FLOAT;
		out->number = (double)(f->form == REG_FORM_F16 ? f16_to_f32(raw) :
				f->form == REG_FORM_F20 ? f20_to_f32(raw) :
				f->form == REG_FORM_F24 ? f24_to_f32(raw) : f31_to_f32(raw));
		break;
	case REG_FORM_ADDR8:
		out->form = PICA_FIELD_ADDRESS;
		out->number = (double)(raw << 3);
		break;
	}
	return 1;
}

PICA_EXPORT double pica_f24_value(uint32_t word) {
	return (double)f24_to_f32(word & 0xFFFFFF);
}

/* [fidelity: external-registers] */
static const struct {
	uint32_t addr;
	const char *name;
} externals[] = {
	{ 0x10202204, "LCD_FILL_TOP" },
	{ 0x10202A04, "LCD_FILL_BOTTOM" },
	{ 0x10400000, "GPU_ID" },
	{ 0x10400030, "VRAM_POWER" },
	{ 0x10400034, "GPU_STATUS" },
	{ 0x10400C00, "PPF_SRC" },
	{ 0x10400C04, "PPF_DST" },
	{ 0x10400C08, "PPF_OUT_DIM" },
	{ 0x10400C0C, "PPF_IN_DIM" },
	{ 0x10400C10, "PPF_FLAGS" },
	{ 0x10400C18, "PPF_CONTROL" },
	{ 0x10400C20, "PPF_COPY_SIZE" },
	{ 0x10400C24, "PPF_COPY_IN_LINE" },
	{ 0x10400C28, "PPF_COPY_OUT_LINE" },
#define PSC(unit, base) \
	{ base + 0x0, "PSC" #unit "_START" }, \
	{ base + 0x4, "PSC" #unit "_END" }, \
	{ base + 0x8, "PSC" #unit "_VALUE" }, \
	{ base + 0xC, "PSC" #unit "_CONTROL" },
	PSC(0, 0x10400010)
	PSC(1, 0x10400020)
#undef PSC
#define PDC(unit, base) \
	{ base + 0x4C, "PDC" #unit "_BORDER" }, \
	{ base + 0x5C, "PDC" #unit "_SIZE" }, \
	{ base + 0x68, "PDC" #unit "_ADDR_LEFT0" }, \
	{ base + 0x6C, "PDC" #unit "_ADDR_LEFT1" }, \
	{ base + 0x70, "PDC" #unit "_FORMAT" }, \
	{ base + 0x74, "PDC" #unit "_CONTROL" }, \
	{ base + 0x78, "PDC" #unit "_SELECT" }, \
	{ base + 0x80, "PDC" #unit "_LUT_INDEX" }, \
	{ base + 0x84, "PDC" #unit "_LUT_DATA" }, \
	{ base + 0x90, "PDC" #unit "_STRIDE" }, \
	{ base + 0x94, "PDC" #unit "_ADDR_RIGHT0" }, \
	{ base + 0x98, "PDC" #unit "_ADDR_RIGHT1" },
	PDC(0, 0x10400400)
	PDC(1, 0x10400500)
#undef PDC
};

PICA_EXPORT const char *pica_external_name(uint32_t addr) {
	for (size_t i = 0; i < ARRAY_LEN(externals); i++) {
		if (externals[i].addr == addr) {
			return externals[i].name;
		}
	}
	return NULL;
}
