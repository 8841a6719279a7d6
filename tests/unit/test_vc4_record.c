/* The table of records: sizes, fields, text. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "random.h"
#include "tests/suite.h"
#include "vc4/list/record.h"

static const char *const in_memory[] = {
	"NV_SHADER_RECORD", "GL_SHADER_RECORD", "ATTRIBUTE_ARRAY", "STRIDE_EXTENSION",
};

/* The i-th record of lists and in memory, or NULL beyond. */
static const struct vc4_record *record_at(unsigned i) {
	if (i >= 256) {
		return i - 256 < ARRAY_LEN(in_memory) ? vc4_record_named(in_memory[i - 256]) : NULL;
	}
	return vc4_record((uint8_t)i);
}

enum { PLACES = 256 + ARRAY_LEN(in_memory), GL_MEMORY = 36 };

TEST(sizes_are_those_of_the_reference) {
	enum { A = VC4_BOTH, B = VC4_BINNING, R = VC4_RENDERING };
	static const struct {
		uint8_t op, size, lists;
	} want[] = {
		{ 0x00, 1, A }, { 0x01, 1, A }, { 0x02, 1, A }, { 0x03, 1, A }, { 0x04, 1, B },
		{ 0x05, 1, B }, { 0x06, 1, B }, { 0x07, 1, A }, { 0x08, 1, A }, { 0x10, 5, A },
		{ 0x11, 5, A }, { 0x12, 1, A }, { 0x13, 0, A }, { 0x14, 0, A }, { 0x18, 1, R },
		{ 0x19, 1, R }, { 0x1A, 5, R }, { 0x1B, 5, R }, { 0x1C, 7, R }, { 0x1D, 7, R },
		{ 0x20, 14, A }, { 0x21, 10, A }, { 0x29, 10, A }, { 0x2A, 0, A }, { 0x30, 0, R },
		{ 0x31, 0, R }, { 0x38, 2, A }, { 0x40, 5, A }, { 0x41, 5, A }, { 0x42, 5, A },
		{ 0x43, 9, A }, { 0x60, 4, A }, { 0x61, 5, A }, { 0x62, 5, A }, { 0x63, 5, A },
		{ 0x64, 3, A }, { 0x65, 5, A }, { 0x66, 9, A }, { 0x67, 5, A }, { 0x68, 9, A },
		{ 0x69, 9, B }, { 0x6A, 9, B }, { 0x70, 16, B }, { 0x71, 11, R }, { 0x72, 14, R },
		{ 0x73, 3, R },
	};
	unsigned next = 0;
	for (unsigned op = 0; op < 256; op++) {
		const struct vc4_record *r = vc4_record((uint8_t)op);
		if (next < ARRAY_LEN(want) && want[next].op == op) {
			ck_assert_ptr_nonnull(r);
			ck_assert_uint_eq(r->op, op);
			ck_assert_uint_eq(r->size_bytes, want[next].size);
			ck_assert_uint_eq(r->lists, want[next].lists);
			ck_assert_uint_le(r->size_bytes, VC4_MAX_RECORD);
			ck_assert(r->size_bytes || r->state == VC4_UNBUILT);
			next++;
		} else {
			ck_assert_ptr_null(r);
		}
	}
	ck_assert_uint_eq(VC4_SIZE_NV_SHADER_RECORD, 16);
	ck_assert_uint_eq(VC4_SIZE_GL_SHADER_RECORD, GL_MEMORY);
	ck_assert_uint_eq(VC4_SIZE_ATTRIBUTE_ARRAY, 8);
}

TEST(records_have_names) {
	for (unsigned i = 0; i < PLACES; i++) {
		const struct vc4_record *r = record_at(i);
		if (r) {
			ck_assert_ptr_eq(vc4_record_named(r->name), r);
		}
	}
	ck_assert_ptr_null(vc4_record_named("CLIP_WINDO"));
	ck_assert_ptr_null(vc4_record_named(""));
}

TEST(fields_lie_in_their_record_and_apart) {
	for (unsigned i = 0; i < PLACES; i++) {
		const struct vc4_record *r = record_at(i);
		bool taken[GL_MEMORY * 8] = { false };
		for (unsigned k = 0; r && r->op && k < 8; k++) {
			taken[k] = true; /* the op */
		}
		for (const struct vc4_field *f = r ? r->fields : NULL; f && f->name; f++) {
			ck_assert_uint_ge(f->bits, 1);
			ck_assert_uint_le(f->low + f->bits, 32);
			const unsigned first = f->byte * 8u + f->low;
			for (unsigned b = first; b < first + f->bits; b++) {
				ck_assert(b < r->size_bytes * 8u && !taken[b]);
				taken[b] = true;
			}
			ck_assert((f->form == VC4_FORM_ENUM) == (f->values != NULL));
			ck_assert(f->form != VC4_FORM_FLAG || f->bits == 1);
		}
	}
}

/* A value that the field can hold. */
static uint32_t random_value(const struct vc4_field *f) {
	const uint32_t bits = random32() >> (32 - f->bits);
	if (f->form == VC4_FORM_SIGNED || f->form == VC4_FORM_FX4) {
		return (uint32_t)((int32_t)(bits << (32 - f->bits)) >> (32 - f->bits));
	}
	return f->form == VC4_FORM_ADDRESS ? bits << f->low : bits;
}

TEST(fields_keep_their_values) {
	for (unsigned turn = 0; turn < 40; turn++) {
		for (unsigned i = 0; i < PLACES; i++) {
			const struct vc4_record *r = record_at(i);
			uint8_t m[GL_MEMORY + 4];
			for (unsigned k = 0; k < sizeof(m); k++) {
				m[k] = (uint8_t)random32();
			}
			uint32_t want[32];
			unsigned n = 0;
			for (const struct vc4_field *f = r ? r->fields : NULL; f && f->name; f++) {
				want[n] = random_value(f);
				ck_assert_int_eq(vc4_field_set(f, m, want[n]), 0);
				const uint32_t mask = 0xFFFFFFFF >> (32 - f->bits);
				want[n++] &= f->form == VC4_FORM_ADDRESS ? mask << f->low : mask;
			}
			for (unsigned k = 0; k < n; k++) {
				ck_assert_uint_eq(vc4_field_get(&r->fields[k], m), want[k]);
			}
		}
	}
}

TEST(values_that_do_not_fit_change_nothing) {
	const struct vc4_field *const stride = vc4_record_named("NV_SHADER_RECORD")->fields + 4;
	const struct vc4_field *const x = vc4_record_named("VIEWPORT_OFFSET")->fields;
	const struct vc4_field *const address = vc4_record_named("NV_SHADER_STATE")->fields;
	uint8_t m[16] = { 0 };
	ck_assert_int_eq(vc4_field_set(stride, m, 256), -ERANGE);
	ck_assert_int_eq(vc4_field_set(x, m, 0x8000), -ERANGE);
	ck_assert_int_eq(vc4_field_set(x, m, 0xFFFF7FFF), -ERANGE);
	ck_assert_int_eq(vc4_field_set(address, m, 8), -ERANGE);
	for (unsigned i = 0; i < sizeof(m); i++) {
		ck_assert_uint_eq(m[i], 0);
	}
	ck_assert_int_eq(vc4_field_set(x, m, 0xFFFF8000), 0);
	ck_assert_uint_eq(vc4_field_get(x, m), 0x8000);
	ck_assert_int_eq(vc4_field_set(stride, m, 255), 0);
	ck_assert_uint_eq(m[1], 255); /* beside VIEWPORT_OFFSET's, with its upper byte */
}

TEST(getters_agree_with_the_table) {
	uint8_t m[GL_MEMORY];
	for (unsigned turn = 0; turn < 100; turn++) {
		for (unsigned k = 0; k < sizeof(m); k++) {
			m[k] = (uint8_t)random32();
		}
#define VC4_FIELD(record, field, byte, low, bits) { \
		const struct vc4_field *f = vc4_record_named(#record)->fields; \
		while (strcmp(f->name, #field) != 0) { \
			f++; \
		} \
		HOLDS(VC4_##record##_##field(m) == vc4_field_get(f, m)); \
	}
#include "vc4/pica_vc4_records.def"
	}
}

/* ---- Text ---- */

static void expect_text(const char *text, const void *bytes, size_t n) {
	char buf[400];
	size_t taken = 0;
	ck_assert_uint_eq(vc4_list_text(bytes, n, &taken, buf, sizeof(buf)), strlen(text));
	ck_assert_str_eq(buf, text);
	ck_assert_uint_eq(taken, buf[0] == '.' ? 1 : n);
}

TEST(records_have_a_text) {
	expect_text("HALT", "\x00", 1);
	expect_text("CLIP_WINDOW LEFT=0 BOTTOM=1 WIDTH=640 HEIGHT=480",
			"\x66\x00\x00\x01\x00\x80\x02\xE0\x01", 9);
	expect_text("VIEWPORT_OFFSET X=-199.5625 Y=2047.9375", "\x67\x87\xF3\xFF\x7F", 5);
	expect_text("RHT_X_BOUNDARY X=-2", "\x64\xFE\xFF", 3);
	expect_text("DEPTH_OFFSET FACTOR=1.5 UNITS=-2", "\x65\xC0\x3F\x00\xC0", 5);
	expect_text("POINT_SIZE SIZE=0.100000001", "\x62\xCD\xCC\xCC\x3D", 5);
	expect_text("POINT_SIZE SIZE=0x7fc00001", "\x62\x01\x00\xC0\x7F", 5);
	expect_text("INDEXED_PRIMITIVES MODE=triangle-fan INDEX=u16 COUNT=3 ADDRESS=0x80001000 "
			"MAX_INDEX=4294967295", "\x20\x16\x03\x00\x00\x00\x00\x10\x00\x80\xFF\xFF\xFF\xFF",
			14);
	expect_text("INDEXED_PRIMITIVES MODE=9 INDEX=2 COUNT=0 ADDRESS=0x00000000 MAX_INDEX=0",
			"\x20\x29\0\0\0\0\0\0\0\0\0\0\0\0", 14);
	expect_text("STORE_FULL ADDRESS=0x00110000 NO_ZS=1 LAST=1", "\x1A\x0A\x00\x11\x00", 5);
	expect_text("FLAT_SHADE_FLAGS FLAT=0x12", "\x61\x12\x00\x00\x00", 5);
}

TEST(bytes_that_are_not_a_record_have_a_text) {
	expect_text(".byte 0xfe", "\xFE\x01\x02\x03\x04\x05\x06\x07\x08", 9);
	expect_text(".byte 0x66 # CLIP_WINDOW", "\x66\x00\x00", 3);
	expect_text(".byte 0x30 # COMPRESSED_PRIMITIVES", "\x30\x00\x00", 3);
}

TEST(short_buffers_get_the_beginning) {
	char buf[8];
	size_t taken;
	memset(buf, 'x', sizeof(buf));
	ck_assert_uint_eq(vc4_list_text((const uint8_t *)"\x11\x04\x03\x02\x01", 5, &taken, buf, 7),
			strlen("BRANCH_TO_SUB_LIST ADDRESS=0x01020304"));
	ck_assert_mem_eq(buf, "BRANCH\0x", 8);
	ck_assert_uint_eq(vc4_list_text((const uint8_t *)"\x00", 1, &taken, NULL, 0), 4);
}
