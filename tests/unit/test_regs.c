/* The register table, its getters, names and text, and the register file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/fixed.h"
#include "pica/regs/regfile.h"
#include "pica/regs/regs.h"
#include "tests/suite.h"

/* ---- The table ---- */

static const struct {
	uint16_t id;
	const char *name;
} known_ids[] = {
	{ 0x010, "FINALIZE" },
	{ 0x020, "IRQ_CMP0" },
	{ 0x041, "VIEWPORT_WIDTH" },
	{ 0x04B, "FRAGOP_CLIP_DATA3" },
	{ 0x056, "SH_OUTMAP_O6" },
	{ 0x06D, "DEPTHMAP_ENABLE" },
	{ 0x080, "TEXUNIT_CONFIG" },
	{ 0x082, "TEXUNIT0_DIM" },
	{ 0x08A, "TEXUNIT0_ADDR6" },
	{ 0x08F, "LIGHTING_ENABLE0" },
	{ 0x096, "TEXUNIT1_TYPE" },
	{ 0x09D, "TEXUNIT2_ADDR" },
	{ 0x0AE, "PROCTEX5_HIGH" },
	{ 0x0B7, "PROCTEX_LUT_DATA7" },
	{ 0x0C0, "TEXENV0_SOURCE" },
	{ 0x0DC, "TEXENV3_SCALE" },
	{ 0x0E0, "TEXENV_UPDATE_BUFFER" },
	{ 0x0F0, "TEXENV4_SOURCE" },
	{ 0x0FC, "TEXENV5_SCALE" },
	{ 0x0FD, "TEXENV_BUFFER_COLOR" },
	{ 0x107, "DEPTH_COLOR_MASK" },
	{ 0x11E, "FRAMEBUFFER_DIM" },
	{ 0x126, "GAS_DELTAZ_DEPTH" },
	{ 0x1BB, "LIGHT7_ATTENUATION_SCALE" },
	{ 0x1C8, "LIGHTING_LUT_DATA0" },
	{ 0x1D9, "LIGHTING_LIGHT_PERMUTATION" },
	{ 0x203, "ATTRIBBUFFER0_OFFSET" },
	{ 0x226, "ATTRIBBUFFER11_CONFIG2" },
	{ 0x22F, "DRAWELEMENTS" },
	{ 0x232, "FIXEDATTRIB_INDEX" },
	{ 0x23D, "CMDBUF_JUMP1" },
	{ 0x24A, "VSH_OUTMAP_TOTAL1" },
	{ 0x25F, "RESTART_PRIMITIVE" },
	{ 0x280, "GSH_BOOLUNIFORM" },
	{ 0x298, "GSH_FLOATUNIFORM_DATA7" },
	{ 0x2AD, "GSH_OPDESCS_DATA7" },
	{ 0x2BD, "VSH_OUTMAP_MASK" },
	{ 0x2CB, "VSH_CODETRANSFER_INDEX" },
	{ 0x2DD, "VSH_OPDESCS_DATA7" },
	{ 0x2FF, "UNIT2_CODETRANSFER_DATA3" },
};

TEST(names_and_ids_are_those_of_the_hardware_pages) {
	for (size_t i = 0; i < ARRAY_LEN(known_ids); i++) {
		ck_assert_str_eq(reg_name(known_ids[i].id), known_ids[i].name);
		ck_assert_int_eq(reg_find(known_ids[i].name), known_ids[i].id);
	}
	ck_assert_int_eq(reg_find("GPUREG_TEXUNIT0_DIM"), REG_TEXUNIT0_DIM);
	ck_assert_int_eq(reg_find("TEXUNIT9_DIM"), -ENOENT);
	ck_assert_ptr_null(reg_name(0x03F));
	ck_assert_ptr_null(reg_name(0x300));
	ck_assert_ptr_null(reg_name(0xFFFFFFFF));
}

TEST(every_row_is_found_by_its_name_and_has_fields) {
	unsigned count = 0;
	for (uint32_t id = 0; id < REG_COUNT; id++) {
		const char *name = reg_name(id);
		ck_assert_int_eq(!name, reg_kind(id) == REG_KIND_HOLE);
		if (!name) {
			ck_assert_ptr_null(reg_field_at(id, 0));
			ck_assert_uint_eq(reg_part(id), PART_NONE);
			continue;
		}
		count++;
		ck_assert_int_eq(reg_find(name), (int)id);
		ck_assert_ptr_nonnull(reg_field_at(id, 0));
	}
	/* As many rows as ids: none is listed twice. */
	unsigned listed = 0;
#define REG(id, name, layout, kind, part) listed++;
#include "regs/pica_regs.def"
	ck_assert_uint_eq(listed, count);
}

TEST(fields_of_a_register_lie_inside_and_do_not_overlap) {
	for (uint32_t id = 0; id < REG_COUNT; id++) {
		uint64_t seen = 0;
		const struct reg_field *f;
		for (unsigned i = 0; (f = reg_field_at(id, i)); i++) {
			ck_assert_uint_ge(f->bits, 1);
			ck_assert_uint_le(f->low + f->bits, 32);
			uint64_t mask = ((UINT64_C(1) << f->bits) - 1) << f->low;
			ck_assert_msg(!(seen & mask), "%s.%s overlaps", reg_name(id), f->name);
			seen |= mask;
			ck_assert_ptr_eq(reg_field_find(id, f->name), f);
			if (f->form == REG_FORM_ENUM) {
				ck_assert_ptr_nonnull(reg_value_name(f->values,
						f->low == 24 && !strcmp(f->values, "SH_MODE")
								? SH_MODE_VERTEX
								: 0));
			}
		}
	}
}

TEST(named_values_fit_their_fields_and_are_unique) {
	for (uint32_t id = 0; id < REG_COUNT; id++) {
		const struct reg_field *f;
		for (unsigned i = 0; (f = reg_field_at(id, i)); i++) {
			if (f->form != REG_FORM_ENUM) {
				continue;
			}
			for (uint32_t v = 0; v < 1u << f->bits; v++) {
				const char *text = reg_value_name(f->values, v);
				if (text) {
					ck_assert_int_eq(reg_value_find(f->values, text), (int)v);
				}
			}
		}
	}
	ck_assert_int_eq(reg_value_find("COMPARE", "gibberish"), -ENOENT);
	ck_assert_ptr_null(reg_value_name("COMPARE", 8));
	ck_assert_ptr_null(reg_value_name("NO_SUCH", 0));
}

TEST(getter_of_a_layout_and_table_row_agree) {
#define FIELD(layout, field, low, bits) \
	ck_assert_uint_eq(layout##_##field(0xFFFFFFFFu), 0xFFFFFFFFu >> (32 - (bits))); \
	ck_assert_uint_eq(layout##_##field(0), 0); \
	ck_assert_uint_eq(layout##_##field##_SET(0xFFFFFFFFu), \
			0xFFFFFFFFu >> (32 - (bits)) << (low)); \
	ck_assert_uint_eq(layout##_##field(layout##_##field##_SET(1)), 1);
#include "regs/pica_regs.def"
}

TEST(getters_read_the_bits_of_the_register_pages) {
	/* Height is the low half. [fidelity: texture-fields] */
	uint32_t dim = 256u << 16 | 64;
	ck_assert_uint_eq(TEXUNIT_DIM_WIDTH(dim), 256);
	ck_assert_uint_eq(TEXUNIT_DIM_HEIGHT(dim), 64);
	uint32_t param = 1u << 1 | 3u << 8 | 2u << 12 | 1u << 24 | 4u << 28;
	ck_assert_uint_eq(TEXUNIT_PARAM_MAG(param), 1);
	ck_assert_uint_eq(TEXUNIT_PARAM_MIN(param), 0);
	ck_assert_uint_eq(TEXUNIT_PARAM_WRAP_T(param), WRAP_MIRRORED_REPEAT);
	ck_assert_uint_eq(TEXUNIT_PARAM_WRAP_S(param), WRAP_REPEAT);
	ck_assert_uint_eq(TEXUNIT_PARAM_MIP(param), FILTER_LINEAR);
	ck_assert_uint_eq(TEXUNIT_PARAM_TYPE(param), TEXTURE_TYPE_SHADOW_CUBE);
	ck_assert_uint_eq(TEXUNIT_LOD_BIAS(0x1F00), 0x1F00);
	ck_assert_int_eq(sign_extend(TEXUNIT_LOD_BIAS(0x1F00), 13), -256);
	/* Alpha operands are 3 bits wide and start at 12. [fidelity: combiner] */
	uint32_t operand = 0x00765DC8;
	ck_assert_uint_eq(TEXENV_OPERAND_RGB0(operand), TEV_OPERAND_RGB_GREEN);
	ck_assert_uint_eq(TEXENV_OPERAND_RGB1(operand), TEV_OPERAND_RGB_BLUE);
	ck_assert_uint_eq(TEXENV_OPERAND_RGB2(operand), TEV_OPERAND_RGB_ONE_MINUS_BLUE);
	ck_assert_uint_eq(TEXENV_OPERAND_ALPHA0(operand), TEV_OPERAND_ALPHA_ONE_MINUS_GREEN);
	ck_assert_uint_eq(TEXENV_OPERAND_ALPHA1(operand), TEV_OPERAND_ALPHA_BLUE);
	ck_assert_uint_eq(TEXENV_OPERAND_ALPHA2(operand), TEV_OPERAND_ALPHA_ONE_MINUS_BLUE);
	/* Write mask in bits 8-15, compare mask in 24-31. [fidelity: output-fields] */
	uint32_t stencil = 0x44332251;
	ck_assert_uint_eq(STENCIL_TEST_ENABLE(stencil), 1);
	ck_assert_uint_eq(STENCIL_TEST_FUNC(stencil), COMPARE_LEQUAL);
	ck_assert_uint_eq(STENCIL_TEST_WRITE_MASK(stencil), 0x22);
	ck_assert_uint_eq(STENCIL_TEST_REF(stencil), 0x33);
	ck_assert_uint_eq(STENCIL_TEST_COMPARE_MASK(stencil), 0x44);
	uint32_t blend = 0x76540203;
	ck_assert_uint_eq(BLEND_FUNC_RGB_EQ(blend), BLEND_EQ_MIN);
	ck_assert_uint_eq(BLEND_FUNC_ALPHA_EQ(blend), BLEND_EQ_REVERSE_SUBTRACT);
	ck_assert_uint_eq(BLEND_FUNC_RGB_SRC(blend), BLEND_FACTOR_DST_COLOR);
	ck_assert_uint_eq(BLEND_FUNC_RGB_DST(blend), BLEND_FACTOR_ONE_MINUS_DST_COLOR);
	ck_assert_uint_eq(BLEND_FUNC_ALPHA_SRC(blend), BLEND_FACTOR_SRC_ALPHA);
	ck_assert_uint_eq(BLEND_FUNC_ALPHA_DST(blend), BLEND_FACTOR_ONE_MINUS_SRC_ALPHA);
	/* Words of clients for a 240 x 400 target: bit 24, height - 1, width. */
	uint32_t fb = 0x0118F0F0;
	ck_assert_uint_eq(FRAMEBUFFER_DIM_WIDTH(fb), 240);
	ck_assert_uint_eq(FRAMEBUFFER_DIM_HEIGHT_M1(fb), 399);
	ck_assert_uint_eq(FRAMEBUFFER_DIM_NO_FLIP(fb), 1);
	/* Fixed geometry mode. [fidelity: geometry-numbers] */
	uint32_t gs = 0x01004302;
	ck_assert_uint_eq(GSH_MISC0_MODE(gs), GS_MODE_FIXED);
	ck_assert_uint_eq(GSH_MISC0_FIXED_VERTICES_M1(gs), 3);
	ck_assert_uint_eq(GSH_MISC0_FIXED_STRIDE_M1(gs), 4);
	ck_assert_uint_eq(GSH_MISC0_FIXED_FIRST(gs), 0);
	ck_assert_uint_eq(ATTRIBBUFFERS_FORMAT_HIGH_NUM_ATTR_M1(0x20040000), 2);
	ck_assert_uint_eq(ATTRIBBUFFERS_FORMAT_HIGH_FIXED_MASK(0x2FFC0000), 0xFFC);
	ck_assert_uint_eq(ATTRIBBUFFER_CONFIG2_STRIDE(0x30180000), 0x18);
	ck_assert_uint_eq(ATTRIBBUFFER_CONFIG2_COUNT(0x30180000), 3);
	/* Lighting table entry 0xC00800: magnitude 1024, negative. [fidelity: lighting-numbers] */
	ck_assert_uint_eq(LIGHTING_LUT_DATA_VALUE(0xC00800), 0x800);
	ck_assert_uint_eq(LIGHTING_LUT_DATA_DIFF(0xC00800), 1024);
	ck_assert_uint_eq(LIGHTING_LUT_DATA_DIFF_SIGN(0xC00800), 1);
	/* Fog words that a title uploads. [fidelity: combiner-numbers] */
	ck_assert_uint_eq(FOG_LUT_DATA_VALUE(0x00FFFEE6), 2047);
	ck_assert_int_eq(sign_extend(FOG_LUT_DATA_DIFF(0x00FFFEE6), 13), -282);
	ck_assert_uint_eq(FOG_LUT_DATA_VALUE(0x00DCD919), 1766);
	ck_assert_int_eq(sign_extend(FOG_LUT_DATA_DIFF(0x00DCD919), 13), -1767);
}

TEST(addresses_drop_the_bits_without_effect) {
	/* [fidelity: list-jumps, addresses, geometry-numbers] */
	ck_assert_uint_eq(reg_addr16(0x03000000), 0x18000000);
	ck_assert_uint_eq(reg_addr16(0xE3000001), 0x18000000);
	ck_assert_uint_eq(reg_addr8(0x03000001), 0x18000008);
	ck_assert_uint_eq(reg_addr8(0xF3000001), 0x18000008);
	ck_assert_uint_eq(reg_addr64(0xF3000007), 0x18000000);
	ck_assert_uint_eq(reg_addr64(0x03000008), 0x18000040);
	ck_assert_uint_eq(reg_cmdbuf_bytes(0xFFE00003), 16);
	ck_assert_uint_eq(reg_cmdbuf_bytes(0x1FFFFF), 0xFFFFF0);
}

TEST(repeated_registers_are_reached_by_index) {
	static const uint16_t stage[6] = { 0x0C0, 0x0C8, 0x0D0, 0x0D8, 0x0F0, 0x0F8 };
	for (int i = 0; i < 6; i++) {
		ck_assert_uint_eq(regs_texenv[i], stage[i]);
	}
	ck_assert_uint_eq(regs_texenv[5] + REGS_TEXENV_SCALE, REG_TEXENV5_SCALE);
	for (uint32_t i = 0; i < 8; i++) {
		ck_assert_uint_eq(regs_light[i], 0x140 + 0x10 * i);
	}
	ck_assert_uint_eq(REG_ATTRIBBUFFER0_OFFSET, 0x203);
	ck_assert_uint_eq(REG_ATTRIBBUFFER11_OFFSET, 0x203 + 3 * 11);
	ck_assert_uint_eq(regs_texunit[0].addr, 0x085);
	ck_assert_uint_eq(regs_texunit[0].type, 0x08E);
	ck_assert_uint_eq(regs_texunit[1].border, 0x091);
	ck_assert_uint_eq(regs_texunit[1].addr, 0x095);
	ck_assert_uint_eq(regs_texunit[2].dim, 0x09A);
	ck_assert_uint_eq(regs_texunit[2].param, 0x09B);
	ck_assert_uint_eq(regs_texunit[2].lod, 0x09C);
	ck_assert_uint_eq(regs_texunit[2].type, 0x09E);
}

TEST(kinds_and_parts_follow_the_summary_of_fifos_and_actions) {
	static const uint16_t fifo[][2] = { { 0x0B0, 0x0B7 }, { 0x0E8, 0x0EF }, { 0x124, 0x124 },
		{ 0x1C8, 0x1CF }, { 0x233, 0x235 }, { 0x291, 0x298 }, { 0x2C1, 0x2C8 },
		{ 0x29C, 0x2A3 }, { 0x2CC, 0x2D3 }, { 0x2A6, 0x2AD }, { 0x2D6, 0x2DD } };
	/* [fidelity: ports] */
	for (uint32_t id = 0; id < REG_COUNT; id++) {
		bool is_fifo = false;
		for (size_t i = 0; i < ARRAY_LEN(fifo); i++) {
			is_fifo |= id >= fifo[i][0] && id <= fifo[i][1];
		}
		ck_assert_int_eq(reg_kind(id) == REG_KIND_PORT, is_fifo);
	}
	static const uint16_t triggers[] = { 0x010, 0x01F, 0x063, 0x110, 0x111, 0x22E, 0x22F, 0x231,
		0x232, 0x23C, 0x23D, 0x25F, 0x28F, 0x2BF };
	for (size_t i = 0; i < ARRAY_LEN(triggers); i++) {
		ck_assert_int_eq(reg_kind(triggers[i]), REG_KIND_TRIGGER);
	}
	ck_assert_int_eq(reg_kind(0x05B), REG_KIND_STATUS);
	ck_assert_int_eq(reg_kind(0x030), REG_KIND_CPU);
	ck_assert_int_eq(reg_kind(0x11F), REG_KIND_UNKNOWN);
	ck_assert_int_eq(reg_kind(0x070), REG_KIND_HOLE);
	ck_assert_int_eq(reg_kind(0x8000), REG_KIND_HOLE);
	ck_assert_str_eq(reg_kind_name(REG_KIND_TRIGGER), "trigger");
	ck_assert_uint_eq(reg_part(REG_TEXENV3_COLOR), PART_FRAG);
	ck_assert_uint_eq(reg_part(REG_DEPTHMAP_SCALE), PART_FRAG);
	ck_assert_uint_eq(reg_part(REG_TEXUNIT1_LOD), PART_TEXTURE);
	ck_assert_uint_eq(reg_part(REG_COLORBUFFER_LOC), PART_TARGET);
	ck_assert_uint_eq(reg_part(REG_FRAMEBUFFER_DIM), PART_TARGET | PART_RASTER);
	ck_assert_uint_eq(reg_part(REG_LIGHT2_XY), PART_LIGHT);
	ck_assert_uint_eq(reg_part(REG_VSH_FLOATUNIFORM_DATA3), PART_VERTEX);
	ck_assert_uint_eq(reg_part(REG_GSH_ENTRYPOINT), PART_GEOM);
	ck_assert_uint_eq(reg_part(REG_SH_OUTMAP_O0), PART_RASTER);
	ck_assert_uint_eq(reg_part(REG_NUMVERTICES), PART_NONE);
}

/* ---- Text ---- */

static const char *dump(uint32_t id, uint32_t word) {
	static char buf[512];
	ck_assert_uint_eq(reg_dump(id, word, buf, sizeof(buf)), strlen(buf));
	return buf;
}

TEST(dump_names_fields_and_values) {
	ck_assert_str_eq(dump(REG_TEXENV0_SOURCE, 0x0FE70D03),
			"RGB0=texture0(3) RGB1=primary(0) RGB2=buffer(13) "
			"ALPHA0=?(7) ALPHA1=constant(14) ALPHA2=previous(15)");
	ck_assert_str_eq(dump(REG_VIEWPORT_WIDTH, 0x45E000), "VALUE=120(0x45e000)");
	ck_assert_str_eq(dump(REG_VIEWPORT_INVW, 0x38000000), "VALUE=0.0078125(0x38000000)");
	ck_assert_str_eq(dump(REG_VIEWPORT_XY, 0x03FF0002), "X=2 Y=-1");
	ck_assert_str_eq(dump(REG_COLORBUFFER_LOC, 0x03000000), "ADDR8=0x18000000");
	ck_assert_str_eq(dump(REG_LIGHT0_Z, 0xBC00), "Z=-1(0xbc00)");
	ck_assert_str_eq(dump(REG_LIGHT0_SPOTDIR_Z, 0x1801), "Z=-1(0x1801)");
	ck_assert_str_eq(dump(REG_LIGHT7_SPOTDIR_XY, 0x000007FF), "X=1(0x7ff) Y=0(0x0)");
	ck_assert_str_eq(dump(REG_TEXUNIT3_PROCTEX5, 0xF0E0C080),
			"LEVEL0=0x80 LEVEL1=0xc0 LEVEL2=0xe0 LEVEL3=0xf0");
	ck_assert_str_eq(dump(REG_PROCTEX5_HIGH, 0x44332211),
			"LEVEL4=0x11 LEVEL5=0x22 LEVEL6=0x33 LEVEL7=0x44");
	ck_assert_str_eq(dump(REG_LIGHT0_ATTENUATION_BIAS, 0x3F000), "VALUE=1(0x3f000)");
	ck_assert_str_eq(dump(REG_FINALIZE, 0x12345678), "VALUE=0x12345678");
	ck_assert_str_eq(dump(0x300, 5), "");
	char small[8];
	ck_assert_uint_eq(reg_dump(REG_FINALIZE, 0x12345678, small, sizeof(small)), 16);
	ck_assert_str_eq(small, "VALUE=0");
	ck_assert_uint_eq(reg_dump(REG_FINALIZE, 0x12345678, NULL, 0), 16);
}

static int parse(uint32_t id, const char *text, uint32_t *word) {
	*word = 0;
	return reg_parse(id, text, word);
}

TEST(parse_packs_fields_by_name) {
	uint32_t w;
	ck_assert_int_eq(parse(REG_LIGHT0_SPOTDIR_XY, "X=-1.0 Y=0.5", &w), 0);
	ck_assert_uint_eq(w, 0x04001801);
	ck_assert_int_eq(parse(REG_LIGHT0_SPOTDIR_Z, "Z=-4096", &w), 0);
	ck_assert_uint_eq(w, 0x1000);
	ck_assert_int_eq(parse(REG_LIGHT0_SPOTDIR_Z, "Z=2.01", &w), -ERANGE);
	ck_assert_int_eq(parse(REG_LIGHT0_SPOTDIR_Z, "Z=nan.", &w), -EINVAL);
	ck_assert_int_eq(parse(REG_TEXENV0_SOURCE, "RGB0=texture0 RGB1=primary, ALPHA2=15", &w), 0);
	ck_assert_uint_eq(w, 0x0F000003);
	ck_assert_int_eq(parse(REG_VIEWPORT_WIDTH, "VALUE=120.0", &w), 0);
	ck_assert_uint_eq(w, 0x45E000);
	ck_assert_int_eq(parse(REG_VIEWPORT_INVW, "VALUE=0.0078125", &w), 0);
	ck_assert_uint_eq(w, 0x38000000);
	ck_assert_int_eq(parse(REG_LIGHT0_XY, "X=1.0 Y=-1.0", &w), 0);
	ck_assert_uint_eq(w, 0xBC003C00);
	ck_assert_int_eq(parse(REG_LIGHT0_ATTENUATION_BIAS, "VALUE=2.", &w), 0);
	ck_assert_uint_eq(w, 0x40000);
	ck_assert_int_eq(parse(REG_VIEWPORT_XY, "X=2 Y=-1", &w), 0);
	ck_assert_uint_eq(w, 0x03FF0002);
	ck_assert_int_eq(parse(REG_COLORBUFFER_LOC, "ADDR8=0x18000000", &w), 0);
	ck_assert_uint_eq(w, 0x03000000);
	ck_assert_int_eq(parse(REG_FINALIZE, "0x12345678", &w), 0);
	ck_assert_uint_eq(w, 0x12345678);
	/* Only the fields named change. */
	w = 0xFFFFFFFF;
	ck_assert_int_eq(reg_parse(REG_BLEND_FUNC, "RGB_SRC=sa RGB_DST=1-sa", &w), 0);
	ck_assert_uint_eq(w, 0xFF76FFFF);
	ck_assert_int_eq(parse(REG_BLEND_FUNC, "", &w), 0);
	ck_assert_uint_eq(w, 0);
}

TEST(parse_refuses_values_that_do_not_fit) {
	uint32_t w = 77;
	ck_assert_int_eq(reg_parse(REG_TEXENV0_SOURCE, "RGB0=texture0 RGB9=1", &w), -ENOENT);
	ck_assert_int_eq(reg_parse(REG_TEXENV0_SOURCE, "RGB0=gibberish", &w), -ENOENT);
	ck_assert_int_eq(reg_parse(REG_TEXENV0_SOURCE, "RGB0=16", &w), -ERANGE);
	ck_assert_int_eq(reg_parse(REG_VIEWPORT_XY, "X=-513", &w), -ERANGE);
	ck_assert_int_eq(reg_parse(REG_VIEWPORT_XY, "X=99999999999999999999", &w), -ERANGE);
	ck_assert_int_eq(reg_parse(REG_VIEWPORT_XY, "X=3x", &w), -EINVAL);
	ck_assert_int_eq(reg_parse(REG_VIEWPORT_XY, "X=", &w), -EINVAL);
	ck_assert_int_eq(reg_parse(REG_COLORBUFFER_LOC, "ADDR8=0x18000004", &w), -ERANGE);
	ck_assert_int_eq(reg_parse(REG_COLORBUFFER_LOC, "ADDR8=0x80000000", &w), -ERANGE);
	ck_assert_int_eq(reg_parse(0x03F, "0", &w), -ENOENT);
	ck_assert_int_eq(reg_parse(REG_FINALIZE, "0x100000000", &w), -ERANGE);
	char longer[200];
	memset(longer, 'A', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_int_eq(reg_parse(REG_FINALIZE, longer, &w), -EINVAL);
	ck_assert_uint_eq(w, 77);
}

TEST(parse_accepts_output_of_dump) {
	/* Every enumeration text of every field goes back to its number. */
	for (uint32_t id = 0; id < REG_COUNT; id++) {
		const struct reg_field *f;
		for (unsigned i = 0; (f = reg_field_at(id, i)); i++) {
			if (f->form != REG_FORM_ENUM) {
				continue;
			}
			for (uint32_t v = 0; v < 1u << f->bits; v++) {
				const char *text = reg_value_name(f->values, v);
				if (!text) {
					continue;
				}
				char item[128];
				snprintf(item, sizeof(item), "%s=%s", f->name, text);
				uint32_t w = 0;
				ck_assert_int_eq(reg_parse(id, item, &w), 0);
				ck_assert_uint_eq(w, v << f->low);
			}
		}
	}
}

/* ---- The register file ---- */

TEST(new_register_file_holds_the_initial_state) {
	static struct regfile rf;
	regfile_init(&rf);
	/* [fidelity: reset-state, register-map] */
	ck_assert_uint_eq(rf.w[0x020], 0x12345678);
	ck_assert_uint_eq(rf.w[0x030], 0xFFFFFFF0);
	ck_assert_uint_eq(rf.w[0x031], 0xFFFFFFFF);
	ck_assert_uint_eq(rf.w[0x034], 1);
	ck_assert_uint_eq(rf.w[0x035], 0x00010002);
	ck_assert_uint_eq(rf.w[0x11F], 0x00010140);
	ck_assert_uint_eq(rf.w[0x243], 0x00000037);
	ck_assert_uint_eq(rf.w[0x289], 0xA0000001);
	unsigned set = 0;
	for (int i = 0; i < REG_COUNT; i++) {
		set += rf.w[i] != 0;
	}
	ck_assert_uint_eq(set, 8);
	ck_assert_uint_eq(rf.dirty, PART_ALL);
}

TEST(byte_mask_selects_bytes) {
	static const uint32_t expected[16] = { 0, 0xFF, 0xFF00, 0xFFFF, 0xFF0000, 0xFF00FF,
		0xFFFF00, 0xFFFFFF, 0xFF000000, 0xFF0000FF, 0xFF00FF00, 0xFF00FFFF, 0xFFFF0000,
		0xFFFF00FF, 0xFFFFFF00, 0xFFFFFFFF };
	for (uint32_t m = 0; m < 16; m++) {
		ck_assert_uint_eq(reg_byte_mask(m), expected[m]);
	}
	static struct regfile rf;
	regfile_init(&rf);
	/* [fidelity: list-numbers] */
	rf.w[0x107] = 0x00001F71;
	ck_assert(regfile_write(&rf, 0x107, 0x0000FF00, 1));
	ck_assert_uint_eq(rf.w[0x107], 0x00001F00);
	rf.w[0x0E0] = 0x00010005;
	ck_assert(regfile_write(&rf, 0x0E0, 0x0000FF00, 2));
	ck_assert_uint_eq(rf.w[0x0E0], 0x0001FF05);
	ck_assert(regfile_write(&rf, 0x0E0, 0xFFFFFFFF, 0));
	ck_assert_uint_eq(rf.w[0x0E0], 0x0001FF05);
}

TEST(writes_mark_only_their_part_and_only_on_change) {
	static struct regfile rf;
	regfile_init(&rf);
	rf.dirty = 0;
	regfile_write(&rf, REG_BLEND_FUNC, 0x01010000, 0xF);
	ck_assert_uint_eq(rf.dirty, PART_FRAG);
	rf.dirty = 0;
	regfile_write(&rf, REG_BLEND_FUNC, 0x01010000, 0xF);
	ck_assert_uint_eq(rf.dirty, PART_NONE);
	regfile_write(&rf, REG_BLEND_FUNC, 0xFF010000, 0x7);
	ck_assert_uint_eq(rf.dirty, PART_NONE);
	regfile_write(&rf, REG_FRAMEBUFFER_DIM, 0x0118F0F0, 0xF);
	ck_assert_uint_eq(rf.dirty, PART_TARGET | PART_RASTER);
	rf.dirty = 0;
	/* A port consumes equal words, too; without a byte selected nothing happens. */
	regfile_write(&rf, REG_LIGHTING_LUT_DATA0, 0, 0xF);
	ck_assert_uint_eq(rf.dirty, PART_LIGHT);
	rf.dirty = 0;
	regfile_write(&rf, REG_LIGHTING_LUT_DATA0, 1, 0);
	ck_assert_uint_eq(rf.dirty, PART_NONE);
	regfile_write(&rf, REG_NUMVERTICES, 3, 0xF);
	ck_assert_uint_eq(rf.dirty, PART_NONE);
	ck_assert_uint_eq(rf.w[REG_NUMVERTICES], 3);
}

TEST(lists_cannot_write_status_cpu_registers_and_holes) {
	static struct regfile rf, before;
	regfile_init(&rf);
	before = rf;
	static const uint32_t ids[] = { 0x000, 0x00F, 0x020, 0x030, 0x032, 0x034, 0x035, 0x03F,
		0x05A, 0x070, 0x1E0, 0x2AF, 0x300, 0x33F, 0x3FF, 0xFFFF, 0xFFFFFFFF };
	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		ck_assert(!regfile_write(&rf, ids[i], 0xDEADBEEF, 0xF));
	}
	ck_assert_int_eq(memcmp(&rf, &before, sizeof(rf)), 0);
	ck_assert(regfile_write(&rf, 0x010, 0x12345678, 0xF));
	ck_assert(regfile_write(&rf, 0x2E0, 5, 0xF));
	ck_assert_uint_eq(rf.w[0x2E0], 5);
}
