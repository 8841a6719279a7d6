/* Looking in: fields of registers, the writes of a list. */
#include <errno.h>
#include <string.h>

#include "core/base/attributes.h"
#include "pica_inspect.h"
#include "pica_regs.h"
#include "tests/suite.h"

/* ---- Registers ---- */

static struct pica_field field_of(uint32_t id, uint32_t word, const char *name) {
	struct pica_field f;
	for (unsigned i = 0; pica_reg_field(id, word, i, &f); i++) {
		if (strcmp(f.name, name) == 0) {
			return f;
		}
	}
	ck_abort_msg("%03x has no field %s", id, name);
}

TEST(fields_have_their_declared_form) {
	struct pica_field f = field_of(PICA_REG_VIEWPORT_WIDTH, 0x469000, "VALUE");
	ck_assert_int_eq(f.form, PICA_FIELD_FLOAT);
	ck_assert_double_eq(f.number, 200.0); /* [fidelity: list-numbers] */
	f = field_of(PICA_REG_VIEWPORT_INVW, 0x38111112, "VALUE");
	ck_assert_double_eq_tol(f.number, 2.0 / 240, 1e-9);
	f = field_of(PICA_REG_LIGHT0_SPOTDIR_XY, 0x07FF1801, "X");
	ck_assert_int_eq(f.form, PICA_FIELD_FLOAT);
	ck_assert_double_eq(f.number, -1.0);
	ck_assert_uint_eq(f.raw, 0x1801);
	f = field_of(PICA_REG_VIEWPORT_XY, 0x03FF0200, "X");
	ck_assert_double_eq(f.number, -512);
	ck_assert_uint_eq(f.raw, 0x200);
	f = field_of(PICA_REG_VIEWPORT_XY, 0x03FF0200, "Y");
	ck_assert_double_eq(f.number, -1);
	f = field_of(PICA_REG_COLORBUFFER_LOC, 0x03000000, "ADDR8");
	ck_assert_int_eq(f.form, PICA_FIELD_ADDRESS);
	ck_assert_double_eq(f.number, 0x18000000);
	f = field_of(PICA_REG_TEXENV0_SOURCE, 0x00000F30, "RGB1");
	ck_assert_int_eq(f.form, PICA_FIELD_ENUM);
	ck_assert_str_eq(f.text, "texture0");
	ck_assert_uint_eq(f.low, 4);
	ck_assert_uint_eq(f.bits, 4);
	f = field_of(PICA_REG_TEXENV0_SOURCE, 0x00000070, "RGB1"); /* no source has this number */
	ck_assert_ptr_null(f.text);
	ck_assert_double_eq(f.number, 7);
	f = field_of(PICA_REG_STENCIL_TEST, 0xAB000000, "COMPARE_MASK");
	ck_assert_int_eq(f.form, PICA_FIELD_BITS);
	ck_assert_double_eq(f.number, 0xAB);
}

TEST(holes_have_no_fields) {
	struct pica_field f;
	ck_assert_int_eq(pica_reg_field(0x24B, 1, 0, &f), 0);
	ck_assert_int_eq(pica_reg_field(0x300, 1, 0, &f), 0);
	ck_assert_int_eq(pica_reg_field(UINT32_MAX, 1, 0, &f), 0);
	ck_assert_int_eq(pica_reg_kind(0x24B), PICA_KIND_HOLE);
	ck_assert_int_eq(pica_reg_kind(UINT32_MAX), PICA_KIND_HOLE);
	ck_assert_int_eq(pica_reg_kind(PICA_REG_DRAWARRAYS), PICA_KIND_TRIGGER);
	ck_assert_str_eq(pica_reg_kind_name(PICA_KIND_TRIGGER), "trigger");
}

TEST(groups_are_the_blocks_of_the_map) {
	static const struct {
		uint32_t id;
		const char *name;
	} rows[] = { { 0x03F, "interrupt" }, { 0x040, "raster" }, { 0x07F, "raster" },
		{ 0x080, "texture" }, { 0x0C0, "combiner" }, { 0x100, "framebuffer" },
		{ 0x140, "lighting" }, { 0x1FF, "lighting" }, { 0x200, "geometry" },
		{ 0x280, "gsh" }, { 0x2AF, "gsh" }, { 0x2B0, "vsh" }, { 0x2DF, "vsh" },
		{ 0x2E0, "unit2" }, { 0x2FF, "unit2" } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		ck_assert_str_eq(pica_reg_group_name(pica_reg_group(rows[i].id)), rows[i].name);
	}
}

TEST(external_registers_have_names) {
	ck_assert_str_eq(pica_external_name(0x10400010), "PSC0_START");
	ck_assert_str_eq(pica_external_name(0x1040002C), "PSC1_CONTROL");
	ck_assert_str_eq(pica_external_name(0x10400468), "PDC0_ADDR_LEFT0");
	ck_assert_str_eq(pica_external_name(0x10400570), "PDC1_FORMAT");
	ck_assert_str_eq(pica_external_name(0x10400C18), "PPF_CONTROL");
	ck_assert_str_eq(pica_external_name(0x10202A04), "LCD_FILL_BOTTOM");
	ck_assert_ptr_null(pica_external_name(0x10400011));
}

TEST(f24_words_have_values) {
	ck_assert_double_eq(pica_f24_value(0x3F0000), 1.0); /* [fidelity: list-numbers] */
	ck_assert_double_eq(pica_f24_value(0xC04000), -2.5);
	ck_assert_double_eq(pica_f24_value(0x45E000), 120.0);
}

/* ---- Lists [fidelity: command-list, list-numbers] ---- */

enum { ADDR = 0x20000000 };

static unsigned read_list(const uint32_t *words, size_t n, struct pica_list_write *out,
		unsigned max, int *end) {
	struct pica_list_reader r;
	unsigned count = 0;
	pica_list_open(&r, ADDR, words, (uint32_t)(4 * n));
	while (count < max && (*end = pica_list_next(&r, &out[count])) > 0) {
		count++;
	}
	return count;
}

TEST(consecutive_burst_ascends) {
	static const uint32_t words[] = { 0xAAAAAAAA, 0x802F011C, 0xBBBBBBBB, 0xCCCCCCCC };
	struct pica_list_write w[8];
	int end;
	ck_assert_uint_eq(read_list(words, ARRAY_LEN(words), w, 8, &end), 3);
	ck_assert_int_eq(end, 0);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(w[i].id, 0x11C + i);
		ck_assert_uint_eq(w[i].value, 0xAAAAAAAA + i * 0x11111111u);
		ck_assert_uint_eq(w[i].mask, 15);
		ck_assert_uint_eq(w[i].index, i);
		ck_assert_uint_eq(w[i].count, 3);
		ck_assert_uint_eq(w[i].entry, ADDR);
	}
	ck_assert_uint_eq(w[0].addr, ADDR);
	ck_assert_uint_eq(w[1].addr, ADDR + 8);
	ck_assert_uint_eq(w[2].addr, ADDR + 12);
}

TEST(other_burst_stays_and_padding_is_skipped) {
	static const uint32_t words[] = { 1, 0x001F0041, 2, 0, 0x12345678, 0x000F0010 };
	struct pica_list_write w[8];
	int end;
	ck_assert_uint_eq(read_list(words, ARRAY_LEN(words), w, 8, &end), 3);
	ck_assert_uint_eq(w[1].id, 0x041);
	ck_assert_uint_eq(w[1].value, 2);
	ck_assert_int_eq(w[1].consecutive, 0);
	ck_assert_uint_eq(w[2].id, 0x010);
	ck_assert_uint_eq(w[2].value, 0x12345678);
	ck_assert_uint_eq(w[2].addr, ADDR + 16);
}

TEST(burst_of_256_runs_through_holes) {
	uint32_t words[258] = { 7, 0x8FF402F0 };
	struct pica_list_write w[260];
	int end;
	ck_assert_uint_eq(read_list(words, ARRAY_LEN(words), w, 260, &end), 256);
	ck_assert_uint_eq(w[255].id, 0x2F0 + 255);
	ck_assert_uint_eq(w[255].mask, 4);
}

TEST(entry_past_the_end_is_reported) {
	static const uint32_t words[] = { 1, 0x802F0041, 2 };
	struct pica_list_write w[8];
	int end;
	ck_assert_uint_eq(read_list(words, ARRAY_LEN(words), w, 8, &end), 2);
	ck_assert_int_eq(end, -EILSEQ);
	ck_assert_uint_eq(read_list(words, 1, w, 8, &end), 0);
	ck_assert_int_eq(end, 0);
	ck_assert_uint_eq(read_list(words, 0, w, 8, &end), 0);
	ck_assert_int_eq(end, 0);
}
