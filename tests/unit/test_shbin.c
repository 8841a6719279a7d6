/* The DVLB container and binding, against [fidelity: dvlb, dvle-binding, shader-numbers]. */
#include "asm_program.h"
#include "random.h"
#include "tests/suite.h"

/* ---- 13: the file ---- */

static uint32_t word_at(const void *data, size_t at) {
	uint32_t v;
	memcpy(&v, (const char *)data + at, sizeof(v));
	return v;
}

TEST(file_of_the_whole_program) {
	struct pica_shader *s = assemble(whole_program), *again;
	check_whole(s);
	void *data;
	size_t size;
	ck_assert_int_eq(pica_shader_write(s, &data, &size), 0);
	ck_assert_uint_eq(size, 356);
	ck_assert_uint_eq(word_at(data, 0), 0x424C5644);
	ck_assert_uint_eq(word_at(data, 4), 1);
	ck_assert_uint_eq(word_at(data, 8), 0xB8);
	static const uint32_t dvlp[10] = { 0x504C5644, 0, 0x28, 0x11, 0x6C, 8, 0xAC };
	ck_assert(memcmp((char *)data + 12, dvlp, sizeof(dvlp)) == 0);
	ck_assert(memcmp((char *)data + 12 + 0x28, whole_code, sizeof(whole_code)) == 0);
	for (size_t i = 0; i < 8; i++) {
		ck_assert_uint_eq(word_at(data, 12 + 0x6C + 8 * i), whole_descriptors[i]);
		ck_assert_uint_eq(word_at(data, 12 + 0x6C + 8 * i + 4), 0);
	}
	static const uint32_t dvle[16] = { 0x454C5644, 0x00001002, 0, 16, 0x00030003, 0, 0x40, 2,
		0x68, 0, 0x68, 2, 0x78, 4, 0x98, 17 };
	ck_assert(memcmp((char *)data + 0xB8, dvle, sizeof(dvle)) == 0);
	static const uint32_t constants[10] = { 0x005F0002, 0, 0x3F0000, 0xBF0000, 0x3E0000,
		0x00030001, 0x00010003 };
	ck_assert(memcmp((char *)data + 0xB8 + 0x40, constants, sizeof(constants)) == 0);
	static const uint32_t outputs[4] = { 0x00000000, 0x0F, 0x00010002, 0x0F };
	ck_assert(memcmp((char *)data + 0xB8 + 0x68, outputs, sizeof(outputs)) == 0);
	static const uint32_t uniforms[8] = { 0, 0, 4, 0x00010001, 8, 0x00130010, 12, 0x00780078 };
	ck_assert(memcmp((char *)data + 0xB8 + 0x78, uniforms, sizeof(uniforms)) == 0);
	ck_assert(memcmp((char *)data + 0xB8 + 0x98, "pos\0col\0mtx\0flag\0\0\0\0", 20) == 0);

	strcpy(error.message, "x");
	ck_assert_int_eq(pica_shader_read(&again, data, size, &error), 0);
	ck_assert_str_eq(error.message, "");
	check_whole(again);
	pica_shader_destroy(again);
	pica_shader_destroy(s);
	free(data);
}

TEST(mutated_files_never_harm) {
	struct pica_shader *s = assemble(whole_program), *again;
	void *data;
	size_t size;
	ck_assert_int_eq(pica_shader_write(s, &data, &size), 0);
	pica_shader_destroy(s);
	for (size_t n = 0; n < size; n++) { /* every truncation */
		void *copy = malloc(n ? n : 1);
		ck_assert_ptr_nonnull(copy);
		memcpy(copy, data, n);
		int ret = pica_shader_read(&again, copy, n, &error);
		if (n < 356 - 3 ? ret != -EINVAL || !error.message[0] : ret != 0) {
			ck_abort_msg("%zu bytes: %d", n, ret);
		}
		if (ret == 0) {
			pica_shader_destroy(again);
		}
		free(copy);
	}
	unsigned ok = 0;
	for (int round = 0; round < 20000; round++) {
		uint8_t *copy = malloc(size);
		ck_assert_ptr_nonnull(copy);
		memcpy(copy, data, size);
		for (unsigned k = 1 + random32() % 3; k > 0; k--) {
			uint32_t r = random32();
			size_t at = r % 4 ? random32() % size : 4 * (random32() % (size / 4));
			copy[at] = (uint8_t)(random32() & 1 ? random32() :
							      copy[at] ^ 1u << random32() % 8);
		}
		if (pica_shader_read(&again, copy, size, &error) == 0) {
			ok++;
			char *text;
			ck_assert_int_eq(pica_shader_disassemble(again, 0, &text), 0);
			free(text);
			void *rewritten;
			size_t rewritten_size;
			ck_assert_int_eq(pica_shader_write(again, &rewritten, &rewritten_size), 0);
			free(rewritten);
			pica_shader_destroy(again);
		}
		free(copy);
	}
	ck_assert_uint_gt(ok, 100);
	free(data);
}

TEST(bad_files_are_named) {
	struct pica_shader *s = assemble(whole_program), *again;
	void *data;
	size_t size;
	ck_assert_int_eq(pica_shader_write(s, &data, &size), 0);
	pica_shader_destroy(s);
	static const struct {
		size_t at;
		uint32_t value;
		const char *reason;
	} cases[] = {
		{ 0, 0, "byte 0x0: not a .shbin file: expected the bytes \"DVLB\"" },
		{ 4, 0, "byte 0x4: expected 1 to 256 entries, got 0" },
		{ 4, 0xFFFFFFFF, "byte 0x4: expected 1 to 256 entries" },
		{ 4, 256, "byte 0x8: expected the offsets of 256 entries, the file ends at 0x164" },
		{ 8, 0xFFFFFFF0,
				"byte 0x8: expected entry 0 within the file's 0x164 bytes, got 0xFFFFFFF0" },
		{ 8, 12, "byte 0xC: expected \"DVLE\"" },
		{ 8, 0x160, "byte 0x160: expected the 64 bytes of a DVLE header" },
		{ 12, 0, "byte 0xC: expected \"DVLP\"" },
		{ 12 + 0x08, 0xFFFFFFFC,
				"byte 0x14: 17 code words from byte 0x100000008 on: the file ends at 0x164" },
		{ 12 + 0x0C, 4097, "byte 0x18: expected at most 4096 code words, got 4097" },
		{ 12 + 0x0C, 0, "byte 0x18: expected 1 to 4096 code words" },
		{ 12 + 0x14, 129, "byte 0x20: expected at most 128 operand descriptors, got 129" },
		{ 0xB8 + 0x08, 17,
				"byte 0xC0: expected an entry point within the 17 code words, got 17" },
		{ 0xB8 + 0x18, 0xFFFFFFFF, "byte 0xD0: 2 constants from" },
		{ 0xB8 + 0x1C, 0x40000000, "byte 0xD4: expected at most 256 constants" },
		{ 0xB8 + 0x2C, 0x20000001, "byte 0xE4: expected at most 64 outputs" },
		{ 0xB8 + 0x34, 513, "byte 0xEC: expected at most 512 uniforms" },
		{ 0xB8 + 0x3C, 0xFFFFFFFF,
				"byte 0xF0: 4294967295 bytes of names from byte 0x150 on" },
		{ 0xB8 + 0x3C, 16, "byte 0x15C: expected a name that ends" },
		{ 0xB8 + 0x40, 0x00600002,
				"byte 0xFA: expected a constant in c0 to c95, got number 96" },
		{ 0xB8 + 0x40, 0x00000003, "byte 0xF8: expected a type of constant" },
		{ 0xB8 + 0x68, 0x00100000,
				"byte 0x122: expected an output in o0 to o15, got number 16" },
		{ 0xB8 + 0x78 + 4, 0x00880000,
				"byte 0x134: expected a uniform in ascending registers" },
		{ 0xB8 + 0x78, 17,
				"byte 0x130: expected a name within the 17 bytes of names, got one at 17" },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint32_t before = word_at(data, cases[i].at);
		memcpy((char *)data + cases[i].at, &cases[i].value, 4);
		int ret = pica_shader_read(&again, data, size, &error);
		if (ret != -EINVAL || !strstr(error.message, cases[i].reason)) {
			ck_abort_msg("%zu: %d %s", i, ret, error.message);
		}
		memcpy((char *)data + cases[i].at, &before, 4);
	}
	free(data);
}

/* ---- 14: binding ---- */

enum {
	MAX_WRITES = 4096,
};

static struct {
	uint32_t reg, mask, value;
} writes[MAX_WRITES];
static unsigned n_writes, n_calls;

static int record(void *user, uint32_t reg, uint32_t mask, const uint32_t *values, uint32_t n,
		int consecutive) {
	if (n > 128 || n_writes + n > MAX_WRITES) {
		return -ENOSPC;
	}
	n_calls++;
	for (uint32_t i = 0; i < n; i++) {
		writes[n_writes].reg = reg + (consecutive ? i : 0);
		writes[n_writes].mask = mask;
		writes[n_writes++].value = values[i];
	}
	return user ? *(int *)user : 0;
}

/* Index of the first write to reg from there on. */
static unsigned find_write(unsigned from, uint32_t reg) {
	while (from < n_writes && writes[from].reg != reg) {
		from++;
	}
	if (from == n_writes) {
		ck_abort_msg("no write to %03X", reg);
	}
	return from;
}

static void expect_write(uint32_t reg, uint32_t mask, uint32_t value) {
	unsigned i = find_write(0, reg);
	if (writes[i].mask != mask || writes[i].value != value) {
		ck_abort_msg("%03X: %08X mask %X, expected %08X mask %X", reg, writes[i].value,
				writes[i].mask,
				value, mask);
	}
}

TEST(binding_a_vertex_shader) {
	struct pica_shader *s = assemble(whole_program);
	struct pica_shader_binding b = { .vs = s, .vs_bools = 0x8001 };
	n_writes = n_calls = 0;
	ck_assert_int_eq(pica_shader_bind(&b, record, NULL), 0);
	ck_assert_uint_eq(writes[0].reg, 0x229);
	expect_write(0x229, 3, 0);
	expect_write(0x253, 3, 0);
	expect_write(0x244, 1, 0);
	expect_write(0x2CB, 15, 0);
	unsigned code = find_write(0, 0x2CC);
	for (unsigned i = 0; i < 17; i++) {
		ck_assert_uint_eq(writes[code + i].reg, 0x2CC);
		ck_assert_uint_eq(writes[code + i].value, whole_code[i]);
	}
	expect_write(0x2BF, 15, 1);
	expect_write(0x2D5, 15, 0);
	expect_write(0x2D6, 15, 0x6C368);
	expect_write(0x2BA, 15, 0x7FFF0000);
	expect_write(0x2BD, 15, 3);
	expect_write(0x24A, 15, 1);
	expect_write(0x251, 15, 1);
	expect_write(0x25E, 1, 1);
	expect_write(0x04F, 15, 2);
	expect_write(0x050, 15, 0x03020100);
	expect_write(0x051, 15, 0x0B0A0908);
	expect_write(0x052, 15, 0x1F1F1F1F);
	expect_write(0x056, 15, 0x1F1F1F1F);
	expect_write(0x064, 15, 0);
	expect_write(0x06F, 15, 3);
	ck_assert_uint_eq(writes[find_write(1, 0x229)].mask, 10);
	ck_assert_uint_eq(writes[find_write(1, 0x229)].value, 0);
	expect_write(0x252, 15, 0);
	expect_write(0x254, 15, 0);
	expect_write(0x289, 15, 0xA0000000);
	expect_write(0x2B0, 15, 0x7FFF8001);
	expect_write(0x2B4, 15, 0x00010003);
	expect_write(0x2C0, 15, 0x5F);
	unsigned data = find_write(0, 0x2C1);
	/* W Z | Z Y | Y X of (0, 1, -1, 0.5) */
	ck_assert_uint_eq(writes[data].value, 0x3E0000BF);
	ck_assert_uint_eq(writes[data + 1].value, 0x00003F00);
	ck_assert_uint_eq(writes[data + 2].value, 0);
	for (unsigned i = 0; i < n_writes; i++) {
		/* no geometry unit but 289 */
		ck_assert(writes[i].reg < 0x28A || writes[i].reg > 0x2AD);
	}
	int stop = -EIO;
	ck_assert_int_eq(pica_shader_bind(&b, record, &stop), -EIO);
	b.vs_entry = 1;
	ck_assert_int_eq(pica_shader_bind(&b, record, NULL), -EINVAL);
	b = (struct pica_shader_binding){ .vs = s, .gs = s };
	ck_assert_int_eq(pica_shader_bind(&b, record, NULL), -EINVAL);
	pica_shader_destroy(s);
}

TEST(binding_output_maps) {
	struct pica_shader *s = assemble(
			".out - position o1\n.out - texcoord0 o3.xy\n.out - texcoord0w o3.w\n"
			".out - texcoord2 o5.zw\n"
			".out - view o2\n.out - normalquat o6\n.out - dummy o9\n.proc main\nend\n.end");
	struct pica_shader_binding b = { .vs = s };
	n_writes = 0;
	ck_assert_int_eq(pica_shader_bind(&b, record, NULL), 0);
	expect_write(0x2BD, 15, 0x26E);
	expect_write(0x24A, 15, 5);
	expect_write(0x25E, 1, 5);
	expect_write(0x04F, 15, 6);
	expect_write(0x050, 15, 0x03020100); /* o1 */
	expect_write(0x051, 15, 0x1F141312); /* o2 view: three */
	expect_write(0x052, 15, 0x101F0D0C); /* o3: u v - w */
	expect_write(0x053, 15, 0x17161F1F); /* o5: in z, w */
	expect_write(0x054, 15, 0x07060504);
	expect_write(0x055, 15, 0x1F1F1F1F); /* dummy */
	expect_write(0x064, 15, 1);
	expect_write(0x06F, 15, 0x01010501);
	pica_shader_destroy(s);
}

TEST(binding_a_geometry_shader) {
	const char *const texts[] = {
		".out - position\n.out - color\n.proc main\nmov o0, v0\nend\n.end",
		".gsh fixed c20 c0 4\n.entry geo\n.out - position\n.out - texcoord1\n.constf k(1,1,1,1)\n"
		".setb b2 1\n"
		".proc geo\nmov o0, k\nend\n.end",
		".gsh variable c20 3\n.entry geo2\n.out - color\n.out - dummy\n.proc geo2\nend\n.end",
	};
	struct pica_shader *s;
	ck_assert_int_eq(assemble_n(&s, texts, 3, 0), 0);
	struct pica_shader_binding b = { .vs = s, .gs = s, .gs_entry = 1, .gs_inputs = 4,
			.gs_bools = 1 };
	n_writes = 0;
	ck_assert_int_eq(pica_shader_bind(&b, record, NULL), 0);
	expect_write(0x229, 3, 2);
	expect_write(0x244, 1, 1);
	expect_write(0x29B, 15, 0);
	expect_write(0x28F, 15, 1);
	expect_write(0x28A, 15, 0x7FFF0002);
	expect_write(0x28D, 15, 3);
	expect_write(0x25E, 1, 1);
	expect_write(0x050, 15, 0x03020100);
	expect_write(0x051, 15, 0x1F1F0F0E);
	expect_write(0x252, 15, 0x01001302); /* first 0, stride 2, 4 vertices, fixed */
	expect_write(0x289, 15, 0x08000103);
	expect_write(0x28B, 15, 0x76543210);
	expect_write(0x28C, 15, 0xFEDCBA98);
	expect_write(0x280, 15, 0x7FFF0005);
	expect_write(0x290, 15, 0x5F);
	b.gs_entry = 2;
	b.gs_inputs = 0;
	b.gs_permutation = 0x1;
	n_writes = 0;
	ck_assert_int_eq(pica_shader_bind(&b, record, NULL), 0);
	ck_assert_uint_eq(writes[find_write(1, 0x229)].value, 0x80000000);
	expect_write(0x252, 15, 1);
	expect_write(0x254, 15, 2);
	expect_write(0x289, 15, 0x08000101);
	expect_write(0x28B, 15, 1);
	/* Merged: colour is common, position the vertex shader's own. */
	expect_write(0x04F, 15, 2);
	expect_write(0x050, 15, 0x0B0A0908);
	expect_write(0x051, 15, 0x03020100);
	expect_write(0x06F, 15, 3);
	pica_shader_destroy(s);
}
