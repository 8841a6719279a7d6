/*
 * Attribute fetch: layout of records, values, indices, against [fidelity: vertex-fetch,
 * geometry-numbers].
 */
#include "geom_rig.h"
#include "tests/suite.h"

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

/* Fetches n vertices into `batch`. Returns the number of those outside memory. */
static uint64_t fetch(const struct fetch_layout *l, const uint32_t *indices, unsigned n,
	enum pica_float mode) {
	uint64_t outside = 0;
	fetch_constants(l, &batch);
	kernels.fetch(l, &space, indices, n, mode, &batch, &outside);
	return outside;
}

FIXTURE(setup, teardown)

TEST(records_are_laid_out_as_the_console_does) {
	/* Attribute 0 is f32 x 2 at byte 0. (fidelity: geometry-numbers) */
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

TEST(addresses_add_base_offset_stride_and_cursor) {
	/* 18000000 + 20 + 3 * 18 + 0C = 18000074 (fidelity: geometry-numbers) */
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

TEST(attribute_order_of_loader_is_free) {
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

TEST(array_wins_over_fixed_mask) {
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
	ck_assert_uint_eq(fetch(&l, (const uint32_t[]){ 0 }, 1, PICA_FLOAT_F24), 0);
	/* z and w are 0 and 1, not the fixed attribute's. [HW] */
	for (unsigned i = 0; i < SHADER_LANES; i++) {
		ck_assert_float_eq(batch.v[0][0][i], 3.0f);
		ck_assert_float_eq(batch.v[0][1][i], 4.0f);
		ck_assert_float_eq(batch.v[0][2][i], 0.0f);
		ck_assert_float_eq(batch.v[0][3][i], 1.0f);
		ck_assert_float_eq(batch.v[1][3][i], 0.25f);
		ck_assert_float_eq(batch.v[2][0][i], 0.125f);
		ck_assert_float_eq(batch.v[3][0][i], 0.0f);
		ck_assert_float_eq(batch.v[15][3][i], 0.0f);
	}
}

TEST(attribute_without_a_source_reads_what_was_written) {
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

TEST(twelve_arrays_and_no_more) {
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

TEST(attribute_beyond_the_count_is_loaded_nowhere) {
	set_counts(2);
	set_format(0, U8, 1);
	set_format(1, F32, 1);
	set_format(2, U8, 1);
	set_loader(0, 0, 8, 3, (const uint8_t[]){ 2, 1, 0 });
	regs[REG_VSH_INPUTBUFFER_CONFIG] = 2; /* three inputs */
	struct fetch_layout l = layout();
	ck_assert_uint_eq(l.attr[2].source, FETCH_NONE);
	/* It still takes its place in the record. */
	ck_assert_uint_eq(l.attr[1].addr, vram + 4);
	ck_assert_uint_eq(l.attr[0].addr, vram + 8);
}

TEST(component_count_is_cut_to_twelve) {
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

TEST(loader_with_no_components_is_ignored) {
	set_counts(1);
	set_format(0, U8, 1);
	set_loader(0, 0x10, 4, 1, (const uint8_t[]){ 0 });
	set_loader(1, 0x20, 4, 0, NULL);
	struct fetch_layout l = layout();
	ck_assert_uint_eq(l.attr[0].addr, vram + 0x10);
}

ISA_TEST(higher_attribute_wins_the_register) {
	set_counts(2);
	set_format(0, U8, 1);
	set_format(1, U8, 1);
	set_loader(0, 0, 2, 2, (const uint8_t[]){ 0, 1 });
	regs[REG_VSH_ATTRIBUTES_PERMUTATION_LOW] = 0x55;
	put(vram, (const uint8_t[]){ 1, 2 }, 2);
	struct fetch_layout l = layout();
	geom_kernels_init(&kernels, (enum isa)_i);
	ck_assert_uint_eq(fetch(&l, (const uint32_t[]){ 0 }, 1, PICA_FLOAT_F24), 0);
	ck_assert_float_eq(batch.v[5][0][0], 2.0f);
	ck_assert_float_eq(batch.v[0][0][0], 0.0f);
}

TEST(base_outside_memory_is_seen) {
	set_counts(1);
	regs[REG_ATTRIBBUFFERS_LOC] = 0x02000000; /* 10000000 */
	ck_assert(!layout().base_in_memory);
	regs[REG_ATTRIBBUFFERS_LOC] = 0x03000000;
	ck_assert(layout().base_in_memory);
	/* Bit 0 and the top bits do not exist. */
	regs[REG_ATTRIBBUFFERS_LOC] = 0xE3000001;
	ck_assert(layout().base_in_memory);
}

/* ---- Values ---- */

static void fetch_one(unsigned type, unsigned count, const void *bytes, unsigned n,
	enum pica_float mode, float out[4]) {
	memset(regs, 0, sizeof(regs));
	set_counts(1);
	set_format(0, type, count);
	set_loader(0, 3, 0, 1, (const uint8_t[]){ 0 }); /* odd address */
	put(vram + 3, bytes, n);
	struct fetch_layout l = layout();
	ck_assert_uint_eq(fetch(&l, (const uint32_t[]){ 7 }, 1, mode), 0);
	for (unsigned c = 0; c < 4; c++) {
		out[c] = batch.v[0][c][0];
	}
}

TEST(values_convert_as_integers) {
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

TEST(f24_mode_truncates_arrays) {
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

ISA_TEST(window_end_is_respected) {
	/* Records of f32 x 3, stride 12, the third one half outside: its bytes there read 0. */
	set_counts(1);
	set_format(0, F32, 3);
	set_loader(0, vram_size - 2 * 12 - 6, 12, 1, (const uint8_t[]){ 0 });
	const float data[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	put(vram + vram_size - 2 * 12 - 6, data, 2 * 12 + 6);
	struct fetch_layout l = layout();
	geom_kernels_init(&kernels, (enum isa)_i);
	ck_assert_uint_eq(fetch(&l, (const uint32_t[]){ 0, 1 }, 2, PICA_FLOAT_F32), 0);
	ck_assert_float_eq(batch.v[0][2][1], 6.0f);
	ck_assert_float_eq(batch.v[0][2][31], 3.0f);
	ck_assert_uint_eq(fetch(&l, (const uint32_t[]){ 0, 1, 2, 3 }, 4, PICA_FLOAT_F32), 2);
	ck_assert_float_eq(batch.v[0][0][0], 1.0f);
	ck_assert_float_eq(batch.v[0][0][2], 7.0f);
	/* 8.0f is 41000000: its two low bytes are 0, the high ones outside. */
	ck_assert_float_eq(batch.v[0][1][2], 0.0f);
	ck_assert_float_eq(batch.v[0][2][2], 0.0f);
	ck_assert_float_eq(batch.v[0][0][3], 0.0f);
	ck_assert_float_eq(batch.v[0][3][3], 1.0f);
}

ISA_TEST(addresses_wrap_at_four_gigabytes) {
	/* 255 has an inverse modulo 2^32: an index far away wraps to one byte after index 0. */
	set_counts(1);
	set_format(0, U8, 1);
	set_loader(0, 0x100, 255, 1, (const uint8_t[]){ 0 });
	struct fetch_layout l = layout();
	uint32_t index = 0xFEFEFEFFu; /* 255 * index = 1 mod 2^32 */
	ck_assert_uint_eq((uint32_t)(255 * index), 1);
	put(vram + 0x100, (const uint8_t[]){ 10, 11 }, 2);
	geom_kernels_init(&kernels, (enum isa)_i);
	const uint32_t indices[3] = { index, 0, 2 * index };
	ck_assert_uint_eq(fetch(&l, indices, 3, PICA_FLOAT_F24), 0);
	ck_assert_float_eq(batch.v[0][0][0], 11.0f);
	ck_assert_float_eq(batch.v[0][0][1], 10.0f);
	/* Alone it is one window again. */
	fetch(&l, &index, 1, PICA_FLOAT_F24);
	ck_assert_float_eq(batch.v[0][0][31], 11.0f);

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

TEST(element_across_the_end_of_the_address_space_is_outside) {
	set_counts(1);
	set_format(0, F32, 4);
	regs[REG_ATTRIBBUFFERS_LOC] = 0x1FFFFFFE; /* FFFFFFF0 */
	set_loader(0, 8, 0, 1, (const uint8_t[]){ 0 });
	struct fetch_layout l = layout();
	ck_assert(!l.base_in_memory);
	ck_assert_uint_eq(fetch(&l, (const uint32_t[]){ 0 }, 1, PICA_FLOAT_F24), 1);
	ck_assert_float_eq(batch.v[0][3][0], 0.0f);
	struct range r[16];
	ck_assert_uint_eq(fetch_ranges(&l, 0, 0, r), 1);
	ck_assert_uint_eq(r[0].addr, 0);
	ck_assert_uint_eq(r[0].size, 0xFFFFFFFF);
}

TEST(interleaved_attributes_share_a_range) {
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

TEST(indices_are_read_at_any_alignment) {
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

TEST(inline_vertices_are_permuted) {
	set_counts(3);
	regs[REG_VSH_ATTRIBUTES_PERMUTATION_LOW] = 0x117;
	struct fetch_layout l = layout();
	const float in[3][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } };
	memset(&batch, 0x7F, sizeof(batch));
	fetch_inline(&l, in, 4, &batch);
	ck_assert_float_eq(batch.v[7][2][4], 3.0f);
	ck_assert_float_eq(batch.v[1][3][4], 12.0f);
	ck_assert_float_eq(batch.v[0][0][4], 0.0f);
	ck_assert_uint_eq(f32_bits(batch.v[0][0][5]), 0x7F7F7F7F);
}
