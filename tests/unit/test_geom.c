/* The geometry room: fetch, output map, clipping, viewport, culling. [spec/geometry.md 16] */
#include "geom/geom.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/f24.h"
#include "regs/regs.h"

enum { S8, U8, S16, F32 };

static uint32_t regs[PICA_REG_COUNT];
static float fixed[16][4];
static struct space space;
static struct geom_kernels kernels;

static const uint32_t vram = 0x18000000, vram_size = 0x4000;

static void setup(void) {
	memset(regs, 0, sizeof(regs));
	memset(fixed, 0, sizeof(fixed));
	space_init(&space);
	ck_assert_int_eq(space_map(&space, vram, vram_size, NULL, 0), 0);
	geom_kernels_init(&kernels, ISA_C);
}

static void teardown(void) {
	space_finish(&space);
}

static void put(uint32_t addr, const void *data, uint32_t n) {
	ck_assert_uint_eq(space_write(&space, addr, data, n), 0);
}

/* ---- Layout ---- */

static void set_format(unsigned a, unsigned type, unsigned count) {
	uint32_t *word =
		&regs[a < 8 ? REG_ATTRIBBUFFERS_FORMAT_LOW : REG_ATTRIBBUFFERS_FORMAT_HIGH];
	unsigned shift = a % 8 * 4;
	*word = (*word & ~(0xFu << shift)) | (type | (count - 1) << 2) << shift;
}

static void set_counts(unsigned n) {
	regs[REG_ATTRIBBUFFERS_FORMAT_HIGH] |= (n - 1) << 28;
	regs[REG_VSH_INPUTBUFFER_CONFIG] = 0xA0000000 | (n - 1);
	regs[REG_VSH_ATTRIBUTES_PERMUTATION_LOW] = 0x76543210;
	regs[REG_VSH_ATTRIBUTES_PERMUTATION_HIGH] = 0xFEDCBA98;
}

static void set_loader(
	unsigned i, uint32_t offset, uint32_t stride, unsigned count, const uint8_t *components) {
	uint64_t c = 0;
	for (unsigned k = 0; k < count && k < 12; k++) {
		c |= (uint64_t)components[k] << 4 * k;
	}
	uint32_t *r = &regs[REG_ATTRIBBUFFER0_OFFSET + 3 * i];
	r[0] = offset;
	r[1] = (uint32_t)c;
	r[2] = (uint32_t)(c >> 32) | stride << 16 | (uint32_t)count << 28;
}

static uint32_t fixed_unwritten;

static struct fetch_layout layout(void) {
	struct fetch_layout l;
	regs[REG_ATTRIBBUFFERS_LOC] =
		regs[REG_ATTRIBBUFFERS_LOC] ? regs[REG_ATTRIBBUFFERS_LOC] : 0x03000000;
	fetch_layout_from_regs(&l, regs, (const float(*)[4])fixed, fixed_unwritten, &space);
	return l;
}

START_TEST(records_are_laid_out_as_the_console_does) {
	/* Attribute 0 is f32 x 2 at byte 0. (geometry.md 16.1) */
	static const struct {
		uint8_t n, component[5];
		uint8_t type1, count1, type2, count2;
		uint8_t stride, at1, at2;
	} rows[] = {
		{ 3, { 0, 1, 2 }, U8, 4, F32, 3, 0x18, 0x08, 0x0C },
		{ 3, { 0, 1, 2 }, U8, 3, F32, 3, 0x18, 0x08, 0x0C },
		{ 4, { 0, 0xC, 1, 2 }, U8, 4, F32, 3, 0x1C, 0x0C, 0x10 },
		{ 4, { 0, 1, 0xC, 2 }, U8, 3, F32, 3, 0x1C, 0x08, 0x10 },
		{ 5, { 0, 1, 0xC, 1, 2 }, U8, 3, S16, 3, 0x1C, 0x10, 0x14 },
		{ 4, { 0, 1, 0xD, 2 }, U8, 3, F32, 3, 0x20, 0x08, 0x14 },
		{ 5, { 0, 1, 1, 0xC, 2 }, U8, 3, S16, 3, 0x1C, 0x0B, 0x14 },
	};
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(regs, 0, sizeof(regs));
		set_counts(3);
		set_format(0, F32, 2);
		set_format(1, rows[i].type1, rows[i].count1);
		set_format(2, rows[i].type2, rows[i].count2);
		set_loader(0, 0, rows[i].stride, rows[i].n, rows[i].component);
		struct fetch_layout l = layout();
		ck_assert_uint_eq(l.n_attributes, 3);
		ck_assert_uint_eq(l.n_unloaded, 0);
		ck_assert(l.base_in_memory);
		for (unsigned a = 0; a < 3; a++) {
			ck_assert_uint_eq(l.attr[a].source, FETCH_ARRAY);
			ck_assert_uint_eq(l.attr[a].stride_bytes, rows[i].stride);
		}
		ck_assert_uint_eq(l.attr[0].addr, vram);
		ck_assert_uint_eq(l.attr[1].addr, vram + rows[i].at1);
		ck_assert_uint_eq(l.attr[2].addr, vram + rows[i].at2);
	}
}
END_TEST

START_TEST(addresses_add_base_offset_stride_and_cursor) {
	/* 18000000 + 20 + 3 * 18 + 0C = 18000074 (geometry.md 16.2) */
	set_counts(2);
	set_format(0, F32, 3);
	set_format(1, F32, 3);
	set_loader(0, 0x20, 0x18, 2, (const uint8_t[]){ 0, 1 });
	struct fetch_layout l = layout();
	ck_assert_uint_eq(l.attr[1].addr + 3 * l.attr[1].stride_bytes, 0x18000074);
	struct range r[16];
	ck_assert_uint_eq(fetch_ranges(&l, 3, 3, r), 2);
	ck_assert_uint_eq(r[1].addr, 0x18000074);
	ck_assert_uint_eq(r[1].size, 12);
}
END_TEST

START_TEST(attribute_order_of_loader_is_free) {
	set_counts(3);
	set_format(0, U8, 1);
	set_format(1, S16, 2);
	set_format(2, F32, 1);
	set_loader(3, 0x100, 12, 3, (const uint8_t[]){ 2, 1, 0 });
	struct fetch_layout l = layout();
	ck_assert_uint_eq(l.attr[2].addr, vram + 0x100);
	ck_assert_uint_eq(l.attr[1].addr, vram + 0x104);
	ck_assert_uint_eq(l.attr[0].addr, vram + 0x108);
}
END_TEST

START_TEST(array_wins_over_fixed_mask) {
	set_counts(4);
	set_format(0, F32, 2);
	regs[REG_ATTRIBBUFFERS_FORMAT_HIGH] |= 0x3 << 16; /* fixed: 0 and 1 */
	set_loader(0, 0, 8, 1, (const uint8_t[]){ 0 });
	for (unsigned c = 0; c < 4; c++) {
		fixed[0][c] = 0.5f;
		fixed[1][c] = 0.25f;
		fixed[2][c] = 0.125f;
	}
	struct fetch_layout l = layout();
	ck_assert_uint_eq(l.attr[0].source, FETCH_ARRAY);
	ck_assert_uint_eq(l.attr[1].source, FETCH_FIXED);
	ck_assert_uint_eq(l.attr[2].source, FETCH_NONE);
	ck_assert_uint_eq(l.attr[3].source, FETCH_NONE);
	ck_assert_uint_eq(l.n_unloaded, 2);

	put(vram, (const float[]){ 3, 4 }, 8);
	struct shader_batch *b = aligned_alloc(64, sizeof(*b));
	uint64_t outside = 0;
	kernels.fetch(&l, &space, (const uint32_t[]){ 0 }, 1, PICA_FLOAT_F24, b, &outside);
	/* z and w are 0 and 1, not the fixed attribute's. [HW] */
	for (unsigned i = 0; i < SHADER_LANES; i++) {
		ck_assert_float_eq(b->v[0][0][i], 3.0f);
		ck_assert_float_eq(b->v[0][1][i], 4.0f);
		ck_assert_float_eq(b->v[0][2][i], 0.0f);
		ck_assert_float_eq(b->v[0][3][i], 1.0f);
		ck_assert_float_eq(b->v[1][3][i], 0.25f);
		ck_assert_float_eq(b->v[2][0][i], 0.125f);
		ck_assert_float_eq(b->v[3][0][i], 0.0f);
		ck_assert_float_eq(b->v[15][3][i], 0.0f);
	}
	ck_assert_uint_eq(outside, 0);
	free(b);
}
END_TEST

START_TEST(attribute_without_a_source_reads_what_was_written) {
	static const float missing[4] = { 0, 0, 0, 1 };
	set_counts(4);
	set_format(0, F32, 2);
	regs[REG_ATTRIBBUFFERS_FORMAT_HIGH] |= 0x2 << 16; /* fixed: 1 */
	set_loader(0, 0, 8, 1, (const uint8_t[]){ 0 });
	memset(fixed, 0, sizeof(fixed));
	fixed[3][0] = 0.5f;
	fixed_unwritten = 0xFFF7;
	struct fetch_layout l = layout();
	fixed_unwritten = 0;
	ck_assert_float_eq(l.fixed[1][3], 0); /* it counts, written or not */
	ck_assert_mem_eq(l.fixed[2], missing, sizeof(missing));
	ck_assert_mem_eq(l.fixed[3], fixed[3], sizeof(fixed[3]));
	l = layout();
	ck_assert_float_eq(l.fixed[2][3], 0);
}
END_TEST

START_TEST(twelve_arrays_and_no_more) {
	set_counts(16);
	for (unsigned a = 0; a < 12; a++) {
		set_format(a, U8, 1);
		set_loader(a, 0x10 * a, 4, 1, (const uint8_t[]){ (uint8_t)a });
	}
	struct fetch_layout l = layout();
	ck_assert_uint_eq(l.n_attributes, 16);
	for (unsigned a = 0; a < 16; a++) {
		ck_assert_uint_eq(l.attr[a].source, a < 12 ? FETCH_ARRAY : FETCH_NONE);
		ck_assert_uint_eq(l.attr[a].input, a);
	}
	ck_assert_uint_eq(l.n_unloaded, 4);
	ck_assert_uint_eq(l.attr[11].addr, vram + 0xB0);
}
END_TEST

START_TEST(attribute_behind_the_count_is_loaded_nowhere) {
	set_counts(2);
	set_format(0, U8, 1);
	set_format(1, F32, 1);
	set_format(2, U8, 1);
	set_loader(0, 0, 8, 3, (const uint8_t[]){ 2, 1, 0 });
	regs[REG_VSH_INPUTBUFFER_CONFIG] = 2; /* three inputs */
	struct fetch_layout l = layout();
	ck_assert_uint_eq(l.attr[2].source, FETCH_NONE);
	/* It takes its place in the record all the same. */
	ck_assert_uint_eq(l.attr[1].addr, vram + 4);
	ck_assert_uint_eq(l.attr[0].addr, vram + 8);
}
END_TEST

START_TEST(component_count_is_cut_to_twelve) {
	set_counts(2);
	set_format(0, U8, 1);
	set_format(1, U8, 1);
	uint8_t c[15];
	memset(c, 0xF, sizeof(c));
	c[11] = 0;
	set_loader(0, 0, 255, 15, c);
	struct fetch_layout l = layout();
	ck_assert_uint_eq(l.attr[0].addr, vram + 11 * 16);
	ck_assert_uint_eq(l.attr[1].source, FETCH_NONE);
}
END_TEST

START_TEST(loader_with_no_components_is_ignored) {
	set_counts(1);
	set_format(0, U8, 1);
	set_loader(0, 0x10, 4, 1, (const uint8_t[]){ 0 });
	set_loader(1, 0x20, 4, 0, NULL);
	struct fetch_layout l = layout();
	ck_assert_uint_eq(l.attr[0].addr, vram + 0x10);
}
END_TEST

START_TEST(higher_attribute_wins_the_register) {
	set_counts(2);
	set_format(0, U8, 1);
	set_format(1, U8, 1);
	set_loader(0, 0, 2, 2, (const uint8_t[]){ 0, 1 });
	regs[REG_VSH_ATTRIBUTES_PERMUTATION_LOW] = 0x55;
	put(vram, (const uint8_t[]){ 1, 2 }, 2);
	struct fetch_layout l = layout();
	struct shader_batch *b = aligned_alloc(64, sizeof(*b));
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		if (!isa_available((enum isa)isa)) {
			continue;
		}
		struct geom_kernels k;
		geom_kernels_init(&k, (enum isa)isa);
		uint64_t outside = 0;
		k.fetch(&l, &space, (const uint32_t[]){ 0 }, 1, PICA_FLOAT_F24, b, &outside);
		ck_assert_float_eq(b->v[5][0][0], 2.0f);
		ck_assert_float_eq(b->v[0][0][0], 0.0f);
	}
	free(b);
}
END_TEST

START_TEST(base_outside_memory_is_seen) {
	set_counts(1);
	regs[REG_ATTRIBBUFFERS_LOC] = 0x02000000; /* 10000000 */
	ck_assert(!layout().base_in_memory);
	regs[REG_ATTRIBBUFFERS_LOC] = 0x03000000;
	ck_assert(layout().base_in_memory);
	/* Bit 0 and the top bits do not exist. */
	regs[REG_ATTRIBBUFFERS_LOC] = 0xE3000001;
	ck_assert(layout().base_in_memory);
}
END_TEST

/* ---- Values ---- */

static void fetch_one(unsigned type, unsigned count, const void *bytes, unsigned n,
	enum pica_float mode, float out[4]) {
	memset(regs, 0, sizeof(regs));
	set_counts(1);
	set_format(0, type, count);
	set_loader(0, 3, 0, 1, (const uint8_t[]){ 0 }); /* odd address */
	put(vram + 3, bytes, n);
	struct fetch_layout l = layout();
	struct shader_batch *b = aligned_alloc(64, sizeof(*b));
	uint64_t outside = 0;
	kernels.fetch(&l, &space, (const uint32_t[]){ 7 }, 1, mode, b, &outside);
	for (unsigned c = 0; c < 4; c++) {
		out[c] = b->v[0][c][0];
	}
	ck_assert_uint_eq(outside, 0);
	free(b);
}

static void assert_vec4(const float *v, float x, float y, float z, float w) {
	ck_assert_float_eq(v[0], x);
	ck_assert_float_eq(v[1], y);
	ck_assert_float_eq(v[2], z);
	ck_assert_float_eq(v[3], w);
}

START_TEST(values_convert_as_integers) {
	float v[4];
	fetch_one(U8, 2, (const uint8_t[]){ 0xFF, 0x01 }, 2, PICA_FLOAT_F24, v);
	assert_vec4(v, 255, 1, 0, 1);
	fetch_one(S8, 3, (const uint8_t[]){ 0x80, 0x7F, 0xFF }, 3, PICA_FLOAT_F24, v);
	assert_vec4(v, -128, 127, -1, 1);
	fetch_one(S16, 1, (const uint8_t[]){ 0x00, 0x80 }, 2, PICA_FLOAT_F24, v);
	assert_vec4(v, -32768, 0, 0, 1);
	fetch_one(F32, 4,
		(const uint8_t[]){
			0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 0, 0, 0xC0, 0xBF, 0, 0, 0, 0x3F },
		16, PICA_FLOAT_F24, v);
	assert_vec4(v, 1, 2, -1.5f, 0.5f);
}
END_TEST

START_TEST(f24_mode_truncates_arrays) {
	float v[4];
	const float in[4] = { 0.1f, -1e-20f, 1e20f, 3.14159265f };
	fetch_one(F32, 4, in, 16, PICA_FLOAT_F24, v);
	ck_assert_uint_eq(f32_bits(v[0]), 0x3DCCCC80);
	ck_assert_uint_eq(f32_bits(v[1]), 0);
	ck_assert(isinf(v[2]));
	ck_assert_uint_eq(f32_bits(v[3]), 0x40490F80);
	fetch_one(F32, 4, in, 16, PICA_FLOAT_F32, v);
	ck_assert_int_eq(memcmp(v, in, 16), 0);
}
END_TEST

START_TEST(window_end_is_respected) {
	/* Records of f32 x 3, stride 12, the third one half outside: its bytes there read 0. */
	set_counts(1);
	set_format(0, F32, 3);
	set_loader(0, vram_size - 2 * 12 - 6, 12, 1, (const uint8_t[]){ 0 });
	const float data[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	put(vram + vram_size - 2 * 12 - 6, data, 2 * 12 + 6);
	struct fetch_layout l = layout();
	struct shader_batch *b = aligned_alloc(64, sizeof(*b));
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		if (!isa_available((enum isa)isa)) {
			continue;
		}
		struct geom_kernels k;
		geom_kernels_init(&k, (enum isa)isa);
		uint64_t outside = 0;
		k.fetch(&l, &space, (const uint32_t[]){ 0, 1 }, 2, PICA_FLOAT_F32, b, &outside);
		ck_assert_uint_eq(outside, 0);
		ck_assert_float_eq(b->v[0][2][1], 6.0f);
		ck_assert_float_eq(b->v[0][2][31], 3.0f);
		k.fetch(&l, &space, (const uint32_t[]){ 0, 1, 2, 3 }, 4, PICA_FLOAT_F32, b,
			&outside);
		ck_assert_uint_eq(outside, 2);
		ck_assert_float_eq(b->v[0][0][0], 1.0f);
		ck_assert_float_eq(b->v[0][0][2], 7.0f);
		/* 8.0f is 41000000: its two low bytes are 0, the high ones outside. */
		ck_assert_float_eq(b->v[0][1][2], 0.0f);
		ck_assert_float_eq(b->v[0][2][2], 0.0f);
		ck_assert_float_eq(b->v[0][0][3], 0.0f);
		ck_assert_float_eq(b->v[0][3][3], 1.0f);
	}
	free(b);
}
END_TEST

START_TEST(addresses_wrap_at_four_gigabytes) {
	/* 255 has an inverse modulo 2^32: an index far away comes back one byte behind index 0. */
	set_counts(1);
	set_format(0, U8, 1);
	set_loader(0, 0x100, 255, 1, (const uint8_t[]){ 0 });
	struct fetch_layout l = layout();
	uint32_t index = 0xFEFEFEFFu; /* 255 * index = 1 mod 2^32 */
	ck_assert_uint_eq((uint32_t)(255 * index), 1);
	put(vram + 0x100, (const uint8_t[]){ 10, 11 }, 2);
	struct shader_batch *b = aligned_alloc(64, sizeof(*b));
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		if (!isa_available((enum isa)isa)) {
			continue;
		}
		struct geom_kernels k;
		geom_kernels_init(&k, (enum isa)isa);
		uint64_t outside = 0;
		k.fetch(&l, &space, (const uint32_t[]){ index, 0, 2 * index }, 3, PICA_FLOAT_F24, b,
			&outside);
		ck_assert_float_eq(b->v[0][0][0], 11.0f);
		ck_assert_float_eq(b->v[0][0][1], 10.0f);
		ck_assert_uint_eq(outside, 0);
		/* Alone it is one window again. */
		k.fetch(&l, &space, &index, 1, PICA_FLOAT_F24, b, &outside);
		ck_assert_float_eq(b->v[0][0][31], 11.0f);
	}
	free(b);

	struct range r[16];
	ck_assert_uint_eq(fetch_ranges(&l, index, index, r), 1);
	ck_assert_uint_eq(r[0].addr, vram + 0x101);
	ck_assert_uint_eq(r[0].size, 1);
	ck_assert_uint_eq(fetch_ranges(&l, 0, index, r), 1);
	ck_assert_uint_eq(r[0].addr, 0);
	ck_assert_uint_eq(r[0].size, 0xFFFFFFFF);
	ck_assert_uint_eq(fetch_ranges(&l, 5, 4, r), 1);
	ck_assert_uint_eq(r[0].size, 0xFFFFFFFF);
}
END_TEST

START_TEST(element_across_the_end_of_the_address_space_is_outside) {
	set_counts(1);
	set_format(0, F32, 4);
	regs[REG_ATTRIBBUFFERS_LOC] = 0x1FFFFFFE; /* FFFFFFF0 */
	set_loader(0, 8, 0, 1, (const uint8_t[]){ 0 });
	struct fetch_layout l = layout();
	ck_assert(!l.base_in_memory);
	struct shader_batch *b = aligned_alloc(64, sizeof(*b));
	uint64_t outside = 0;
	kernels.fetch(&l, &space, (const uint32_t[]){ 0 }, 1, PICA_FLOAT_F24, b, &outside);
	ck_assert_uint_eq(outside, 1);
	ck_assert_float_eq(b->v[0][3][0], 0.0f);
	free(b);
	struct range r[16];
	ck_assert_uint_eq(fetch_ranges(&l, 0, 0, r), 1);
	ck_assert_uint_eq(r[0].addr, 0);
	ck_assert_uint_eq(r[0].size, 0xFFFFFFFF);
}
END_TEST

START_TEST(interleaved_attributes_share_a_range) {
	set_counts(3);
	set_format(0, F32, 3);
	set_format(1, U8, 4);
	set_format(2, U8, 4);
	set_loader(0, 0x40, 16, 2, (const uint8_t[]){ 0, 1 });
	set_loader(1, 0x800, 4, 1, (const uint8_t[]){ 2 });
	struct fetch_layout l = layout();
	struct range r[16];
	ck_assert_uint_eq(fetch_ranges(&l, 2, 9, r), 2);
	ck_assert_uint_eq(r[0].addr, vram + 0x40 + 2 * 16);
	ck_assert_uint_eq(r[0].size, 8 * 16);
	ck_assert_uint_eq(r[1].addr, vram + 0x808);
	ck_assert_uint_eq(r[1].size, 32);
}
END_TEST

START_TEST(indices_are_read_at_any_alignment) {
	uint32_t out[5], min, max;
	put(vram + 0x41, (const uint8_t[]){ 0x34, 0x12, 0xFF, 0xFF, 0x00, 0x00 }, 6);
	ck_assert(fetch_indices(&space, vram + 0x41, true, 3, out, &min, &max));
	ck_assert_uint_eq(out[0], 0x1234);
	ck_assert_uint_eq(out[1], 0xFFFF);
	ck_assert_uint_eq(out[2], 0);
	ck_assert_uint_eq(min, 0);
	ck_assert_uint_eq(max, 0xFFFF);
	ck_assert(fetch_indices(&space, vram + 0x41, false, 4, out, &min, &max));
	ck_assert_uint_eq(out[0], 0x34);
	ck_assert_uint_eq(min, 0x12);
	ck_assert_uint_eq(max, 0xFF);
	ck_assert(!fetch_indices(&space, vram + vram_size - 2, true, 2, out, &min, &max));
	ck_assert(fetch_indices(&space, vram + vram_size - 2, true, 1, out, &min, &max));
	ck_assert(!fetch_indices(&space, 0x10000000, true, 1, out, &min, &max));
	ck_assert(!fetch_indices(&space, vram, true, 0xFFFFFFFF, out, &min, &max));
	ck_assert(fetch_indices(&space, 0x10000000, true, 0, out, &min, &max));
	ck_assert_uint_eq(min, 0);
	ck_assert_uint_eq(max, 0);
}
END_TEST

START_TEST(inline_vertices_are_permuted) {
	set_counts(3);
	regs[REG_VSH_ATTRIBUTES_PERMUTATION_LOW] = 0x117;
	struct fetch_layout l = layout();
	const float in[3][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } };
	struct shader_batch *b = aligned_alloc(64, sizeof(*b));
	memset(b, 0x7F, sizeof(*b));
	fetch_inline(&l, in, 4, b);
	ck_assert_float_eq(b->v[7][2][4], 3.0f);
	ck_assert_float_eq(b->v[1][3][4], 12.0f);
	ck_assert_float_eq(b->v[0][0][4], 0.0f);
	ck_assert_uint_eq(f32_bits(b->v[0][0][5]), 0x7F7F7F7F);
	free(b);
}
END_TEST

/* ---- Output map ---- */

START_TEST(outputs_map_to_semantics) {
	regs[REG_SH_OUTMAP_TOTAL] = 2;
	regs[REG_SH_OUTMAP_O0] = 0x03020100;
	regs[REG_SH_OUTMAP_O1] = 0x0B0A0908;
	struct out_map m;
	out_map_from_regs(&m, regs, 0x0011);
	ck_assert_uint_eq(m.n_registers, 2);
	ck_assert_uint_eq(m.reg[1], 4);
	struct shader_batch *b = aligned_alloc(64, sizeof(*b));
	memset(b, 0, sizeof(*b));
	const float o0[4] = { 1, 2, -0.5f, 4 }, o4[4] = { -1.5f, 0.5f, 2, NAN };
	for (unsigned c = 0; c < 4; c++) {
		b->o[0][c][9] = o0[c];
		b->o[4][c][9] = o4[c];
	}
	struct clip_vertex v;
	out_map_vertex(&m, b, 9, &v);
	assert_vec4(v.pos, 1, 2, -0.5f, 4);
	assert_vec4(v.a, 1, 0.5f, 1, 1);
	for (unsigned i = 4; i < CLIP_ATTRIBUTES; i++) {
		ck_assert_float_eq(v.a[i], 1.0f);
	}
	float slot[2][4];
	memcpy(slot[0], o0, 16);
	memcpy(slot[1], o4, 16);
	struct clip_vertex w;
	out_map_slots(&m, (const float(*)[4])slot, &w);
	ck_assert_int_eq(memcmp(&v, &w, sizeof(v)), 0);
	free(b);
}
END_TEST

START_TEST(every_semantic_reaches_its_plane) {
	static const struct {
		uint8_t semantic, n, plane;
	} rows[] = { { 0x04, 4, PLANE_QUAT }, { 0x08, 4, PLANE_COLOR }, { 0x0C, 2, PLANE_TC0 },
		{ 0x0E, 2, PLANE_TC1 }, { 0x10, 1, PLANE_TC0_W }, { 0x12, 3, PLANE_VIEW },
		{ 0x16, 2, PLANE_TC2 } };
	regs[REG_SH_OUTMAP_TOTAL] = 1;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned k = 0; k < rows[i].n; k++) {
			regs[REG_SH_OUTMAP_O0] = 0x1F001F00u | (uint32_t)(rows[i].semantic + k)
								       << 16;
			struct out_map m;
			out_map_from_regs(&m, regs, 1);
			struct clip_vertex v;
			out_map_slots(&m, (const float[1][4]){ { 9, 9, 0.75f, 9 } }, &v);
			for (unsigned a = 0; a < CLIP_ATTRIBUTES; a++) {
				bool hit = a == rows[i].plane + k - PLANE_COLOR;
				ck_assert_float_eq(v.a[a], hit ? 0.75f : 1.0f);
			}
			ck_assert_float_eq(v.pos[0], 9.0f); /* component x */
			ck_assert_float_eq(v.pos[1], 1.0f);
		}
	}
}
END_TEST

START_TEST(later_slots_win_and_missing_registers_read_zero) {
	regs[REG_SH_OUTMAP_TOTAL] = 3;
	regs[REG_SH_OUTMAP_O0] = 0x03020100;
	regs[REG_SH_OUTMAP_O1] = 0x1F1F1F00; /* position x again */
	regs[REG_SH_OUTMAP_O2] = 0x1F1F1F0C;
	struct out_map m;
	out_map_from_regs(&m, regs, 0x0003);
	struct clip_vertex v;
	out_map_slots(&m, (const float[2][4]){ { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, &v);
	assert_vec4(v.pos, 5, 2, 3, 4);
	ck_assert_float_eq(v.a[PLANE_TC0 - PLANE_COLOR], 0.0f);
	ck_assert_float_eq(v.a[PLANE_TC0 + 1 - PLANE_COLOR], 1.0f);
}
END_TEST

/* ---- Clip ---- */

static struct geom_state state(void) {
	regs[REG_VIEWPORT_WIDTH] = 0x45E000;
	regs[REG_VIEWPORT_HEIGHT] = 0x464000;
	regs[REG_FRAMEBUFFER_DIM] = 240 | 319 << 12;
	struct geom_state g;
	geom_state_from_regs(&g, regs);
	return g;
}

static struct clip_vertex at(float x, float y, float z, float w) {
	struct clip_vertex v;
	memset(&v, 0, sizeof(v));
	v.pos[0] = x;
	v.pos[1] = y;
	v.pos[2] = z;
	v.pos[3] = w;
	return v;
}

static unsigned clip(const struct geom_state *g, const struct clip_vertex v[3],
	struct clip_vertex out[CLIP_MAX_VERTICES]) {
	const struct clip_vertex *const p[3] = { &v[0], &v[1], &v[2] };
	return clip_polygon(
		g, p, clip_code(g, p[0]) | clip_code(g, p[1]) | clip_code(g, p[2]), out);
}

START_TEST(state_comes_from_registers) {
	regs[REG_VIEWPORT_XY] = 0x03FF0002;
	regs[REG_FACECULLING_CONFIG] = 2;
	regs[REG_FRAGOP_CLIP] = 1;
	regs[REG_FRAGOP_CLIP_DATA0 + 3] = 0x3E0000;
	regs[REG_RASTER_FLAT] = 1;
	struct geom_state g = state();
	ck_assert_float_eq(g.half_w, 120.0f);
	ck_assert_float_eq(g.half_h, 160.0f);
	ck_assert_int_eq(g.off_x, 2);
	ck_assert_int_eq(g.off_y, -1);
	ck_assert_uint_eq(g.cull, 2);
	ck_assert(g.clip_enabled && g.flat && !g.flip);
	ck_assert_float_eq(g.clip_plane[3], 0.5f);
	ck_assert_uint_eq(g.height, 320);
	regs[REG_FRAMEBUFFER_DIM] |= 1 << 24;
	geom_state_from_regs(&g, regs);
	ck_assert(g.flip);
}
END_TEST

START_TEST(codes_name_the_planes) {
	struct geom_state g = state();
	static const struct {
		float p[4];
		unsigned code;
	} rows[] = {
		{ { 0, 0, -0.5f, 1 }, 0 },
		{ { 1, -1, 0, 1 }, 0 },
		{ { -1, 1, -1, 1 }, 0 },
		{ { 1.5f, 0, -0.5f, 1 }, 1 },
		{ { -1.5f, 0, -0.5f, 1 }, 2 },
		{ { 0, 1.5f, -0.5f, 1 }, 4 },
		{ { 0, -1.5f, -0.5f, 1 }, 8 },
		{ { 0, 0, 0.5f, 1 }, 16 },
		{ { 0, 0, -1.5f, 1 }, 32 },
		{ { 0, 0, 1e-9f, 1 }, 0 },
		{ { 0, 0, 1e-8f, 1 }, 0 },
		{ { 0, 0, 1.1e-8f, 1 }, 16 },
		{ { 0, 0, -1e-9f, 0 }, 0 },
		{ { 0, 0, 0, -1 }, 47 },
		{ { NAN, 0, -0.5f, 1 }, 3 },
		{ { 0, 0, NAN, 1 }, 48 },
		{ { 0, 0, -0.5f, NAN }, 47 },
		{ { 0, 0, -0.5f, INFINITY }, 0 },
		{ { INFINITY, 0, -0.5f, 1 }, 1 },
	};
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct clip_vertex v = at(rows[i].p[0], rows[i].p[1], rows[i].p[2], rows[i].p[3]);
		ck_assert_msg(clip_code(&g, &v) == rows[i].code, "row %u: %X, not %X", i,
			clip_code(&g, &v), rows[i].code);
	}
	g.clip_enabled = true;
	g.clip_plane[0] = 1.0f;
	struct clip_vertex v = at(-0.25f, 0, -0.5f, 1);
	ck_assert_uint_eq(clip_code(&g, &v), 64);
	v.pos[0] = 0.0f;
	ck_assert_uint_eq(clip_code(&g, &v), 0);
}
END_TEST

START_TEST(edge_crosses_far_plane_at_half) {
	struct geom_state g = state();
	struct clip_vertex v[3] = { at(0, 0, 0.5f, 1), at(0, 0, -0.5f, 1), at(0.5f, 0, -0.5f, 1) };
	v[0].a[0] = 1.0f;
	struct clip_vertex out[CLIP_MAX_VERTICES];
	/*
	 * Edges from the last vertex on: 2 -> 0 leaves: its crossing; 0 -> 1 enters: crossing, then
	 * 1; 1 -> 2: 2.
	 */
	ck_assert_uint_eq(clip(&g, v, out), 4);
	assert_vec4(out[0].pos, 0.25f, 0, 0, 1);
	ck_assert_float_eq(out[0].a[0], 0.5f);
	assert_vec4(out[1].pos, 0, 0, 0, 1);
	ck_assert_float_eq(out[1].a[0], 0.5f);
	assert_vec4(out[2].pos, 0, 0, -0.5f, 1);
	assert_vec4(out[3].pos, 0.5f, 0, -0.5f, 1);
}
END_TEST

START_TEST(edge_crosses_right_plane_at_half) {
	struct geom_state g = state();
	struct clip_vertex v[3] = { at(2, 0, -0.5f, 1), at(0, 0, -0.5f, 1), at(0, 0.5f, -0.5f, 1) };
	struct clip_vertex out[CLIP_MAX_VERTICES];
	ck_assert_uint_eq(clip(&g, v, out), 4);
	/* From (0, 0.5): d 1 -> -1, t 0.5. */
	assert_vec4(out[0].pos, 1, 0.25f, -0.5f, 1);
	assert_vec4(out[1].pos, 1, 0, -0.5f, 1);
	assert_vec4(out[2].pos, 0, 0, -0.5f, 1);
	assert_vec4(out[3].pos, 0, 0.5f, -0.5f, 1);
}
END_TEST

START_TEST(clipping_handles_the_special_cases) {
	struct geom_state g = state();
	struct clip_vertex out[CLIP_MAX_VERTICES];
	struct clip_vertex behind[3] = { at(0, 0, 0, -1), at(1, 0, 0, -1), at(0, 1, 0, -1) };
	ck_assert_uint_eq(clip(&g, behind, out), 0);
	/* z slightly positive: drawn as it is; clearly positive: gone. */
	struct clip_vertex flat[3] = { at(0, 0, 1e-9f, 1), at(0.5f, 0, 1e-9f, 1),
		at(0, 0.5f, 1e-9f, 1) };
	ck_assert_uint_eq(clip(&g, flat, out), 3);
	ck_assert_int_eq(memcmp(out, flat, sizeof(flat)), 0);
	for (unsigned i = 0; i < 3; i++) {
		flat[i].pos[2] = 1e-3f;
	}
	ck_assert_uint_eq(clip(&g, flat, out), 0);
	/* All zero: inside every plane, but w is not positive. */
	struct clip_vertex zero[3] = { at(0, 0, 0, 0), at(0, 0, 0, 0), at(0, 0, 0, 0) };
	ck_assert_uint_eq(clip_code(&g, &zero[0]), 0);
	ck_assert_uint_eq(clip(&g, zero, out), 0);
	/* NaN and infinity in any component make the triangle vanish. */
	for (unsigned k = 0; k < 4; k++) {
		for (int bad = 0; bad < 3; bad++) {
			if (k == 3 && bad == 1) {
				continue; /* w = +inf is a point of the view volume */
			}
			struct clip_vertex v[3] = { at(0, 0, -0.5f, 1), at(0.5f, 0, -0.5f, 1),
				at(0, 0.5f, -0.5f, 1) };
			v[1].pos[k] = bad == 0 ? NAN : bad == 1 ? INFINITY : -INFINITY;
			ck_assert_uint_eq(clip(&g, v, out), 0);
		}
	}
}
END_TEST

START_TEST(user_plane_keeps_the_positive_side) {
	struct geom_state g = state();
	g.clip_enabled = true;
	g.clip_plane[0] = 1.0f;
	struct clip_vertex v[3] = { at(-0.5f, 0, -0.5f, 1), at(0.5f, 0, -0.5f, 1),
		at(0.5f, 0.5f, -0.5f, 1) };
	struct clip_vertex out[CLIP_MAX_VERTICES];
	ck_assert_uint_eq(clip(&g, v, out), 4);
	assert_vec4(out[0].pos, 0, 0.25f, -0.5f, 1);
	assert_vec4(out[1].pos, 0, 0, -0.5f, 1);
	g.clip_enabled = false;
	ck_assert_uint_eq(clip(&g, v, out), 3);
}
END_TEST

START_TEST(corner_outside_two_planes_gives_five_corners) {
	struct geom_state g = state();
	/* Cut by x = w and y = w; the top right corner of the volume stays outside of the triangle.
	 */
	struct clip_vertex v[3] = { at(-1, -1, -0.5f, 1), at(2, -1, -0.5f, 1),
		at(-1, 2, -0.5f, 1) };
	struct clip_vertex out[CLIP_MAX_VERTICES];
	ck_assert_uint_eq(clip(&g, v, out), 5);
	/*
	 * x: (-1,-1) (1,-1) (1,0) (-1,2); y: the edge (1,0) -> (-1,2) crosses at (0,1), the edge
	 * back to
	 * (-1,-1) at (-1,1), which comes first.
	 */
	assert_vec4(out[0].pos, -1, 1, -0.5f, 1);
	assert_vec4(out[1].pos, -1, -1, -0.5f, 1);
	assert_vec4(out[2].pos, 1, -1, -0.5f, 1);
	assert_vec4(out[3].pos, 1, 0, -0.5f, 1);
	assert_vec4(out[4].pos, 0, 1, -0.5f, 1);
}
END_TEST

START_TEST(triangle_around_the_volume_gives_the_volume) {
	struct geom_state g = state();
	struct clip_vertex v[3] = { at(-8, -8, -0.5f, 1), at(24, -8, -0.5f, 1),
		at(-8, 24, -0.5f, 1) };
	struct clip_vertex out[CLIP_MAX_VERTICES];
	unsigned n = clip(&g, v, out);
	ck_assert_uint_eq(n, 4);
	for (unsigned i = 0; i < n; i++) {
		ck_assert_float_eq(fabsf(out[i].pos[0]), 1.0f);
		ck_assert_float_eq(fabsf(out[i].pos[1]), 1.0f);
	}
}
END_TEST

/* ---- Viewport ---- */

START_TEST(viewport_transforms_and_snaps) {
	struct geom_state g = state();
	static const struct {
		float p[4], z;
		int32_t x, y;
	} rows[] = {
		{ { -1, -1, -1, 1 }, -1, 0, 0 },
		{ { 1, 1, 0, 1 }, 0, 3840, 5120 },
		{ { 0, 0, -1, 2 }, -0.5f, 1920, 2560 },
		{ { 0.5f, -0.5f, -0.25f, 1 }, -0.25f, 2880, 1280 },
	};
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct clip_vertex v = at(rows[i].p[0], rows[i].p[1], rows[i].p[2], rows[i].p[3]);
		struct vert o;
		ck_assert(project(&g, &v, &o));
		ck_assert_int_eq(o.x_fx4, rows[i].x);
		ck_assert_int_eq(o.y_fx4, rows[i].y);
		ck_assert_float_eq(o.a[PLANE_Z], rows[i].z);
		ck_assert_float_eq(o.a[PLANE_IW], 1.0f / rows[i].p[3]);
	}
	regs[REG_VIEWPORT_XY] = 0x03FF0002;
	g = state();
	struct clip_vertex v = at(-1, -1, -1, 1);
	struct vert o;
	ck_assert(project(&g, &v, &o));
	ck_assert_int_eq(o.x_fx4, 32);
	ck_assert_int_eq(o.y_fx4, -16);
	/* Rows that run against y. */
	g.flip = true;
	ck_assert(project(&g, &v, &o));
	ck_assert_int_eq(o.y_fx4, 16 * 320 + 16);
}
END_TEST

START_TEST(ties_snap_away_from_zero) {
	struct geom_state g = state();
	g.half_w = 1.0f;
	g.half_h = 1.0f;
	/* sx = x + 1; 1.03125 px are 16.5 sixteenths. */
	static const struct {
		float x;
		int32_t want;
	} rows[] = { { 0.03125f, 17 }, { -2.03125f, -17 }, { -0.96875f, 1 }, { -1.03125f, -1 },
		{ -0.97f, 0 }, { 0.09375f, 18 }, { -1.0f, 0 } };
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct clip_vertex v = at(rows[i].x, 0, -0.5f, 1);
		struct vert o;
		ck_assert(project(&g, &v, &o));
		ck_assert_int_eq(o.x_fx4, rows[i].want);
	}
}
END_TEST

START_TEST(attributes_are_divided_by_w) {
	struct geom_state g = state();
	struct clip_vertex v = at(0, 0, -1, 2);
	for (unsigned i = 0; i < CLIP_ATTRIBUTES; i++) {
		v.a[i] = (float)i;
	}
	struct vert o;
	ck_assert(project(&g, &v, &o));
	for (unsigned p = PLANE_COLOR; p < PLANE_COUNT; p++) {
		ck_assert_float_eq(o.a[p], 0.5f * (float)(p - PLANE_COLOR));
	}
	/* Flat shading: the colour as it is. */
	g.flat = true;
	ck_assert(project(&g, &v, &o));
	ck_assert_float_eq(o.a[PLANE_COLOR + 3], 3.0f);
	ck_assert_float_eq(o.a[PLANE_TC0], 2.0f);
}
END_TEST

START_TEST(points_out_of_range_are_refused) {
	struct geom_state g = state();
	struct vert o;
	struct clip_vertex v = at(0, 0, 0, 0);
	ck_assert(!project(&g, &v, &o));
	v = at(0, 0, 0, -1);
	ck_assert(!project(&g, &v, &o));
	v = at(0, 0, 0, NAN);
	ck_assert(!project(&g, &v, &o));
	v = at(1, 1, 0, 1);
	g.half_w = 1024.0f; /* sx = 2048: X = 32768 */
	ck_assert(!project(&g, &v, &o));
	g.half_w = 1023.9375f; /* X = 32766 */
	ck_assert(project(&g, &v, &o));
	ck_assert_int_eq(o.x_fx4, 32766);
	g.half_w = 1023.984375f; /* 32767.5 rounds to 32768 */
	ck_assert(!project(&g, &v, &o));
	g.half_w = NAN;
	ck_assert(!project(&g, &v, &o));
	g.half_w = INFINITY;
	ck_assert(!project(&g, &v, &o));
	/* Infinite w: the middle of the screen. */
	g = state();
	v = at(5, 0, 0, INFINITY);
	ck_assert(project(&g, &v, &o));
	ck_assert_int_eq(o.x_fx4, 1920);
	/* 1/w overflows. */
	v = at(1e-42f, 0, 0, 1e-42f);
	ck_assert(!project(&g, &v, &o));
}
END_TEST

/* ---- Culling ---- */

START_TEST(culling_goes_by_the_window) {
	struct geom_state g = state();
	struct vert v[3];
	memset(v, 0, sizeof(v));
	v[1].x_fx4 = 160;
	v[2].y_fx4 = 160;
	ck_assert_int_eq(window_area2(&g, &v[0], &v[1], &v[2]), 25600);
	ck_assert_int_eq(window_area2(&g, &v[0], &v[2], &v[1]), -25600);
	/* In flipped rows the same records turn the other way round in the window. */
	g.flip = true;
	ck_assert_int_eq(window_area2(&g, &v[0], &v[1], &v[2]), -25600);
	static const bool keeps[4][3] = {
		/* area < 0, 0, > 0 */
		{ true, false, true },
		{ true, false, false },
		{ false, false, true },
		{ true, false, true },
	};
	for (unsigned mode = 0; mode < 4; mode++) {
		g.cull = (uint8_t)mode;
		for (int s = -1; s <= 1; s++) {
			ck_assert_int_eq(cull_keeps(&g, s * 25600), keeps[mode][s + 1]);
		}
	}
	/* The largest coordinates do not overflow. */
	v[0].x_fx4 = v[0].y_fx4 = -32767;
	v[1].x_fx4 = 32767;
	v[1].y_fx4 = -32767;
	v[2].x_fx4 = -32767;
	v[2].y_fx4 = 32767;
	g.flip = false;
	ck_assert_int_eq(window_area2(&g, &v[0], &v[1], &v[2]), INT64_C(65534) * 65534);
}
END_TEST

START_TEST(flip_does_not_change_what_is_culled) {
	for (int flip = 0; flip < 2; flip++) {
		struct geom_state g = state();
		g.flip = flip;
		struct clip_vertex c[3] = { at(0, 0, -0.5f, 1), at(0.5f, 0, -0.5f, 1),
			at(0, 0.5f, -0.5f, 1) };
		struct vert v[3];
		for (unsigned i = 0; i < 3; i++) {
			ck_assert(project(&g, &c[i], &v[i]));
		}
		/* Counter-clockwise with y up: 60 px by 80 px. */
		ck_assert_int_eq(window_area2(&g, &v[0], &v[1], &v[2]), 960 * 1280);
	}
}
END_TEST

START_TEST(batch_is_what_single_vertices_are) {
	struct geom_state g = state();
	regs[REG_SH_OUTMAP_TOTAL] = 2;
	regs[REG_SH_OUTMAP_O0] = 0x03020100;
	regs[REG_SH_OUTMAP_O1] = 0x0B0A0908;
	struct out_map m;
	out_map_from_regs(&m, regs, 3);
	struct shader_batch *b = aligned_alloc(64, sizeof(*b));
	memset(b, 0, sizeof(*b));
	for (unsigned i = 0; i < 5; i++) {
		b->o[0][0][i] = (float)i - 2.0f;
		b->o[0][2][i] = -0.5f;
		b->o[0][3][i] = i == 4 ? 0.0f : 1.0f;
		b->o[1][1][i] = -0.25f;
	}
	for (int isa = 0; isa < ISA_COUNT; isa++) {
		if (!isa_available((enum isa)isa)) {
			continue;
		}
		struct geom_kernels k;
		geom_kernels_init(&k, (enum isa)isa);
		struct clip_vertex cv[5];
		struct vert out[5];
		uint8_t codes[5], ok[5];
		k.project_batch(&g, &m, b, 5, 1u << PLANE_COLOR | 1u << (PLANE_COLOR + 1), cv, out,
			codes, ok);
		static const uint8_t want[5] = { 2, 0, 0, 0, 1 };
		for (unsigned i = 0; i < 5; i++) {
			ck_assert_uint_eq(codes[i], i == 4 ? 33 : want[i]);
			ck_assert_uint_eq(ok[i], i < 4);
			ck_assert_float_eq(cv[i].a[1], 0.25f);
			ck_assert_float_eq(cv[i].a[5], 1.0f);
		}
		ck_assert_int_eq(out[1].x_fx4, 0);
		ck_assert_int_eq(out[3].x_fx4, 3840);
		ck_assert_float_eq(out[3].a[PLANE_COLOR + 1], 0.25f);
		ck_assert_float_eq(out[3].a[PLANE_COLOR + 2], 0.0f);
		ck_assert_float_eq(out[3].a[PLANE_TC0], 0.0f);
	}
	free(b);
}
END_TEST

int main(void) {
	Suite *s = suite_create("geom");
	TCase *t = tcase_create("geom");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, records_are_laid_out_as_the_console_does);
	tcase_add_test(t, addresses_add_base_offset_stride_and_cursor);
	tcase_add_test(t, attribute_order_of_loader_is_free);
	tcase_add_test(t, array_wins_over_fixed_mask);
	tcase_add_test(t, attribute_without_a_source_reads_what_was_written);
	tcase_add_test(t, twelve_arrays_and_no_more);
	tcase_add_test(t, attribute_behind_the_count_is_loaded_nowhere);
	tcase_add_test(t, component_count_is_cut_to_twelve);
	tcase_add_test(t, loader_with_no_components_is_ignored);
	tcase_add_test(t, higher_attribute_wins_the_register);
	tcase_add_test(t, base_outside_memory_is_seen);
	tcase_add_test(t, values_convert_as_integers);
	tcase_add_test(t, f24_mode_truncates_arrays);
	tcase_add_test(t, window_end_is_respected);
	tcase_add_test(t, addresses_wrap_at_four_gigabytes);
	tcase_add_test(t, element_across_the_end_of_the_address_space_is_outside);
	tcase_add_test(t, interleaved_attributes_share_a_range);
	tcase_add_test(t, indices_are_read_at_any_alignment);
	tcase_add_test(t, inline_vertices_are_permuted);
	tcase_add_test(t, outputs_map_to_semantics);
	tcase_add_test(t, every_semantic_reaches_its_plane);
	tcase_add_test(t, later_slots_win_and_missing_registers_read_zero);
	tcase_add_test(t, state_comes_from_registers);
	tcase_add_test(t, codes_name_the_planes);
	tcase_add_test(t, edge_crosses_far_plane_at_half);
	tcase_add_test(t, edge_crosses_right_plane_at_half);
	tcase_add_test(t, clipping_handles_the_special_cases);
	tcase_add_test(t, user_plane_keeps_the_positive_side);
	tcase_add_test(t, corner_outside_two_planes_gives_five_corners);
	tcase_add_test(t, triangle_around_the_volume_gives_the_volume);
	tcase_add_test(t, viewport_transforms_and_snaps);
	tcase_add_test(t, ties_snap_away_from_zero);
	tcase_add_test(t, attributes_are_divided_by_w);
	tcase_add_test(t, points_out_of_range_are_refused);
	tcase_add_test(t, culling_goes_by_the_window);
	tcase_add_test(t, flip_does_not_change_what_is_culled);
	tcase_add_test(t, batch_is_what_single_vertices_are);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_set_fork_status(sr, CK_NOFORK);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
