/* Assembler and disassembler against [fidelity: assembler, shader-numbers]. */
#include "asm_program.h"
#include "tests/suite.h"

#define EXPECT_CODE(s, ...) do { \
		const uint32_t words[] = { __VA_ARGS__ }; \
		expect_code(s, words, sizeof(words) / 4); \
	} while (0)

/* ---- 17.2 ---- */

#define NO_DESC 0xFFFFFFFFu

static const struct {
	const char *source;
	uint32_t word, desc;
} encodings[] = {
	{ "mov o0, v0", 0x4C000000, 0x36F },
	{ "mov r15, r0", 0x4FE10000, 0x36F },
	{ "mov r0.w, -r1.x", 0x4E011000, 0x11 },
	{ "mov r0.xyz, -c95.zw", 0x4E07F000, 0x17FE },
	{ "mov r0, c8[a0.x]", 0x4E0A8000, 0x36F },
	{ "mov r0, c2[a0.y]", 0x4E122000, 0x36F },
	{ "mov r0, c8[aL+3]", 0x4E1AB000, 0x36F },
	{ "add r0, c0, v0", 0x02020000, 0x6C36F },
	{ "add r0.xy, c95.wzyx, -v1.yx", 0x0207F080, 0x103C8C },
	{ "dp3 r1.x, c4, v2", 0x06224100, 0x6C368 },
	{ "dp4 o0.x, c0, v0", 0x08020000, 0x6C368 },
	{ "dp4 o0.w, c3, v0", 0x08023000, 0x6C361 },
	{ "dph r0.y, c3, v0", 0x0E023000, 0x6C364 },
	{ "dph r0.y, v0, c3", 0x62001180, 0x6C364 },
	{ "dst r0, v0, c2", 0x66001100, 0x6C36F },
	{ "ex2 r0.x, r1.x", 0x16011000, 0x8 },
	{ "lg2 r0.x, r1.y", 0x1A011000, 0xAA8 },
	{ "litp r0, r1", 0x1E011000, 0x36F },
	{ "mul r0, c7.xxxx, r1", 0x22027880, 0x6C00F },
	{ "sge r0, c5, r1", 0x26025880, 0x6C36F },
	{ "sge r0, r1, c5", 0x6A045280, 0x6C36F },
	{ "slt r0, r1, c5", 0x6E045280, 0x6C36F },
	{ "flr r0.xyz, r1", 0x2E011000, 0x36E },
	{ "max r0, r1, r2", 0x32011900, 0x6C36F },
	{ "min r0, r1, r2", 0x36011900, 0x6C36F },
	{ "rcp r0, r1.w", 0x3A011000, 0x1FEF },
	{ "rsq r0.x, r1.x", 0x3E011000, 0x8 },
	{ "mova a0.x, v0.x", 0x48000000, 0x8 },
	{ "mova a0.y, r1.y", 0x48011000, 0xAA4 },
	{ "mova a0.xy, r1", 0x48011000, 0x36C },
	{ "mad r0, v0, c1, r1", 0xF0008620, 0xD86C36F },
	{ "mad r0, v0, r1, c1", 0xD0011420, 0xD86C36F },
	{ "mad r0, r1, c34[a0.x], r3", 0xF0630A60, 0xD86C36F },
	{ "mad r0, r1, r3, c34[a0.y]", 0xD0A33840, 0xD86C36F },
	{ "mad r0.xyz, -r2.zyx, c4.w, -r3.y", 0xF0249260, 0x2AFFD21E },
	{ "cmp c0.x, eq, ne, r0.x", 0xB8220800, 0 },
	{ "cmp r0.xy, lt, ge, r1.xy", 0xBAA10880, 0x542A0 },
	{ "nop", 0x84000000, NO_DESC },
	{ "end", 0x88000000, NO_DESC },
	{ "emit", 0xA8000000, NO_DESC },
	{ "setemit 1, prim", 0xAD800000, NO_DESC },
	{ "setemit 2, inv", 0xAE400000, NO_DESC },
	{ "setemit 2, prim inv", 0xAEC00000, NO_DESC },
	{ "breakc cmp.x", 0x8F800000, NO_DESC },
	{ "breakc !cmp.y", 0x8EC00000, NO_DESC },
	{ "breakc cmp.x && !cmp.y", 0x8E400000, NO_DESC },
	/* Other names of the same. */
	{ "MOV r0.aaa, -c95.ba", 0x4E07F000, 0x17F1 },
	{ "mov r0.rgb, -c95.pq", 0x4E07F000, 0x17FE },
	{ "mov r0, c8[a0]", 0x4E0A8000, 0x36F },
	{ "mov r0, c2[ a1 ]", 0x4E122000, 0x36F },
	{ "mov r0, c8 [ lcnt + 3 ]", 0x4E1AB000, 0x36F },
	{ "mov r0, c4[4]", 0x4E028000, 0x36F },
	{ "sgei r0, c5, r1", 0x26025880, 0x6C36F },
	{ "sge r0, r1, c5", 0x6A045280, 0x6C36F },
	{ "madi r0, v0, c1, r1", 0xF0008620, 0xD86C36F },
	{ "mad r0, v0, v0, v0", 0xF0000000, 0xD86C36F },
	{ "setemit 0, primitive invert", 0xACC00000, NO_DESC },
	{ "breakc !!cmp.x | cmp.y", 0x8F000000, NO_DESC },
	{ "break", 0x80000000, NO_DESC },
};

TEST(encodings_of_the_table) {
	char text[128];
	for (size_t i = 0; i < ARRAY_LEN(encodings); i++) {
		snprintf(text, sizeof(text), ".proc main\n%s\n.end\n", encodings[i].source);
		struct pica_shader *s = assemble(text);
		if (s->n_code != 1 || s->code[0] != encodings[i].word) {
			ck_abort_msg("%s: %08X, expected %08X", encodings[i].source, s->code[0],
					encodings[i].word);
		}
		ck_assert_uint_eq(s->n_descriptors, encodings[i].desc != NO_DESC);
		if (encodings[i].desc != NO_DESC && s->descriptors[0] != encodings[i].desc) {
			ck_abort_msg("%s: descriptor %X, expected %X", encodings[i].source,
					s->descriptors[0], encodings[i].desc);
		}
		pica_shader_destroy(s);
	}
}

TEST(jumps_of_the_table) {
	struct pica_shader *s = assemble(".proc main\nnop\nL: nop\n"
			"jmpc !cmp.x || cmp.y, L\njmpu b1, L\njmpu !b1, L\nnop\n.end");
	EXPECT_CODE(s, 0x84000000, 0x84000000, 0xB1000400, 0xB4400400, 0xB4400401, 0x84000000);
	pica_shader_destroy(s);
}

/* ---- 17.4 ---- */

TEST(whole_program_words) {
	struct pica_shader *s = assemble(whole_program);
	check_whole(s);
	pica_shader_destroy(s);
}

/* ---- 15: syntax and code generation ---- */

TEST(flow_control_of_section_17_5) {
	struct pica_shader *s = assemble(".proc main\nmov r0, v0\nfor i3\nfor i2\nadd r0, c0, r0\n"
			".end\n.end\n"
			"mov o0, r0\nend\n.end");
	/* Outer ends at the NOP after the inner end. */
	ck_assert_uint_eq(s->code[1], 0xA4C01000);
	ck_assert_uint_eq(s->code[2], 0xA4800C00);
	ck_assert_uint_eq(s->code[4], 0x84000000);
	ck_assert_uint_eq(s->n_code, 7);
	pica_shader_destroy(s);
}

TEST(nops_are_inserted_where_hardware_needs_them) {
	static const struct {
		const char *body;
		uint32_t n_code; /* of main */
		uint32_t nop_at;
	} cases[] = {
		{ "ifu b0\n.end\nend", 3, 1 },                            /* empty block */
		{ "ifu b0\n.else\nend\n.end\nend", 4, 1 },                /* empty true block */
		{ "ifu b0\ncall p\n.end\nend", 4, 2 },
		{ "ifu b0\ncallc cmp.x, p\n.else\nend\n.end\nend", 5, 2 },
		{ "ifu b0\ncallu b1, p\n.end\nend", 4, 2 },
		{ "l: ifu b0\njmpu b0, l\n.end\nend", 4, 2 },
		{ "l: ifu b0\njmpc cmp.y, l\n.end\nend", 4, 2 },
		{ "for i0\nbreakc cmp.x\n.end\nend", 4, 2 },
		{ "for i0\nbreak\n.end\nend", 4, 2 },
		{ "ifu b0\nifu b1\nend\n.end\n.end\nend", 5, 3 },
		{ "ifu b0\nfor i0\nend\n.end\n.else\nend\n.end\nend", 6, 3 },
		{ "call p", 2, 1 },
		{ "", 1, 0 },
		{ "ifu b0\nend\n.end", 3, 2 },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[256];
		snprintf(text, sizeof(text), ".proc main\n%s\n.end\n.proc p\nend\n.end",
				cases[i].body);
		struct pica_shader *s = assemble(text);
		if (s->entries[0].end != cases[i].n_code ||
				s->code[cases[i].nop_at] != 0x84000000) {
			ck_abort_msg("%s: %u words, word %u is %08X", cases[i].body,
					s->entries[0].end, cases[i].nop_at,
					s->code[cases[i].nop_at]);
		}
		pica_shader_destroy(s);
		const char *t = text;
		ck_assert_int_eq(assemble_n(&s, &t, 1, PICA_SHADER_NO_NOP), 0);
		ck_assert_uint_eq(s->entries[0].end, cases[i].n_code - 1);
		pica_shader_destroy(s);
	}
}

TEST(ifs_and_calls_have_their_targets) {
	struct pica_shader *s = assemble(
			".proc p\nnop\nnop\n.end\n.proc main\n"
			"ifc cmp.x\nnop\n.else\nnop\nnop\n.end\ncallc !cmp.y, p\ncallu b3, p\nend\n.end");
	/* IFC at 2: else at 4, two words; procedure at 0, two words. */
	EXPECT_CODE(s, 0x84000000, 0x84000000, 0xA3801002, 0x84000000, 0x84000000, 0x84000000,
			0x96C00002,
			0x98C00002, 0x88000000);
	ck_assert_uint_eq(s->entries[0].start, 2);
	ck_assert_uint_eq(s->entries[0].end, 9);
	pica_shader_destroy(s);
}

TEST(aliases_compose_swizzles_and_signs) {
	struct pica_shader *s = assemble(
			".alias a c0.wyxz\n.alias b -r1\n.alias c c3[2]\n.proc main\n"
			"mov r0, a.xxww\nmov r0, -b.y\nmov r0, b\nmov r0, c\nmov r0, a[3].y\n.end");
	/* c0.wwzz: letters w w z z = FA; -b.y is y again positive; a[3].y is c3.y */
	EXPECT_CODE(s, 0x4E020000, 0x4E011001, 0x4E011002, 0x4E025003, 0x4E023001);
	static const uint32_t want[] = { 0xFAu << 5 | 0xF, 0x55u << 5 | 0xF, 0x1Bu << 5 | 0x1F,
		0x36F };
	ck_assert_uint_eq(s->n_descriptors, 4);
	ck_assert(memcmp(s->descriptors, want, sizeof(want)) == 0);
	pica_shader_destroy(s);
}

TEST(descriptors_are_shared_where_unused_bits_differ) {
	/* Masked-out components, unused sources, yzw of rcp, the mask of cmp do not matter. */
	struct pica_shader *s = assemble(
			".proc main\nadd r0.x, c0.xyzw, r1\n"
			"add r0.x, c0.xxxx, r1.xwww\n"
			"mov r0.x, r1\nrcp r0.x, r1.x\ncmp c0.yyyy, eq, eq, r1.xyzw\ndp3 r0.x, c0.xyzx, r1\n"
			".end");
	ck_assert_uint_eq(s->n_descriptors, 2);
	ck_assert_uint_eq(s->code[0] & 0x7F, 0);
	ck_assert_uint_eq(s->code[1] & 0x7F, 0);
	ck_assert_uint_eq(s->code[2] & 0x7F, 0);
	ck_assert_uint_eq(s->code[3] & 0x7F, 0);
	ck_assert_uint_eq(s->code[4] & 0x7F, 1);
	pica_shader_destroy(s);
}

/* Appends n lines; each '*' of the line becomes one of xyzw, another one in each line. */
static char *repeat(char *p, const char *line, unsigned n) {
	for (unsigned i = 0; i < n; i++) {
		unsigned digits = i;
		for (const char *c = line; *c; c++) {
			*p++ = *c == '*' ? "xyzw"[digits & 3] : *c;
			digits >>= *c == '*' ? 2 : 0;
		}
	}
	*p = '\0';
	return p;
}

TEST(mad_gets_a_descriptor_within_its_reach) {
	char text[8192] = ".proc main\n";
	repeat(text + strlen(text), "mov r0, r1.***\n", 40);
	strcat(text, "mad r0, r1, c5, -r2\nmov r0, r1.xxx\n.end");
	struct pica_shader *s = assemble(text);
	ck_assert_uint_eq(s->n_descriptors, 41);
	unsigned mad = s->code[40] & 31;
	ck_assert_uint_eq(s->descriptors[mad] >> 22 & 1, 1);
	/* Others still name theirs. */
	for (int i = 0; i < 40; i++) {
		unsigned sel = (unsigned)((i & 3) << 6 | (i >> 2 & 3) << 4 | (i >> 4 & 3) << 2 |
				(i >> 4 & 3));
		ck_assert_uint_eq(s->descriptors[s->code[i] & 0x7F] >> 5 & 0xFF, sel);
	}
	ck_assert_uint_eq(s->code[41] & 0x7F, s->code[0] & 0x7F);
	pica_shader_destroy(s);
}

TEST(constants_and_arrays_grow_downward) {
	struct pica_shader *s = assemble(
			".constf a(1, 2, 3, 4)\n.constfa arr[3]\n"
			".constfa (1, 0, 0, 0)\n"
			".constfa (2, 0, 0, 0)\n.end\n.constfa open[]\n.constfa (-1.5, 1.0/128.0, inf, 1e30)\n"
			".end\n"
			".setf c7(0.1, 0, 0, 0)\n.seti i1(255, -1, 0x10, 0)\n.setb b3 on\n.consti n(1,2,3,4)\n"
			".fvec u, _hidden, light$dir[2]\n.ivec iv\n.bool flag[2]\n"
			".proc main\nmov r0, arr[1]\nmov r1, open\nmov r2, u\nmov r3, light$dir[1]\n.end");
	const struct pica_shader_entry *e = &s->entries[0];
	static const struct pica_shader_constant want[] = {
		{ 2, 95, { 0x3F0000, 0x400000, 0x408000, 0x410000 } },
		{ 2, 92, { 0x3F0000, 0, 0, 0 } },
		{ 2, 93, { 0x400000, 0, 0, 0 } },
		{ 2, 94, { 0, 0, 0, 0 } },
		{ 2, 91, { 0xBF8000, 0x3F0000, 0x7F0000, 0x7F0000 } },
		{ 2, 7, { 0x3B9999, 0, 0, 0 } },
		{ 1, 1, { 255, 255, 16, 0 } },
		{ 0, 3, { 1, 0, 0, 0 } },
		{ 1, 3, { 1, 2, 3, 4 } },
	};
	ck_assert_uint_eq(e->n_constants, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		if (memcmp(&e->constants[i], &want[i], sizeof(want[i]))) {
			ck_abort_msg("constant %zu: %u %u %X %X %X %X", i, e->constants[i].type,
					e->constants[i].reg,
					e->constants[i].value[0], e->constants[i].value[1],
					e->constants[i].value[2], e->constants[i].value[3]);
		}
	}
	ck_assert_uint_eq(s->code[0] >> 12 & 0x7F, 0x20 + 93);
	ck_assert_uint_eq(s->code[1] >> 12 & 0x7F, 0x20 + 91);
	ck_assert_uint_eq(s->code[2] >> 12 & 0x7F, 0x20);
	ck_assert_uint_eq(s->code[3] >> 12 & 0x7F, 0x20 + 3);
	ck_assert_uint_eq(e->n_uniforms, 4);
	ck_assert_int_eq(pica_shader_find_uniform(e, "light.dir"), 1);
	ck_assert_uint_eq(e->uniforms[1].first, 0x12);
	ck_assert_uint_eq(e->uniforms[1].last, 0x13);
	ck_assert_int_eq(pica_shader_find_uniform(e, "_hidden"), -ENOENT);
	ck_assert_uint_eq(e->uniforms[2].first, 0x70);
	ck_assert_uint_eq(e->uniforms[3].first, 0x78);
	ck_assert_uint_eq(e->uniforms[3].last, 0x79);
	pica_shader_destroy(s);
}

TEST(inputs_and_outputs) {
	struct pica_shader *s = assemble(
			".in a\n.in b v3\n.in c\n.out p position\n"
			".out - texcoord0.xy\n"
			".out - texcoord1 o3.xy\n.out z tcoord0w o3.z\n.out d dummy o9\n.out v view.xyz\n"
			".proc main\nmov p, b\nmov z.z, c\nmov d, a\nmov v, a\n.end");
	const struct pica_shader_entry *e = &s->entries[0];
	ck_assert_uint_eq(e->inputs, 0xB);
	ck_assert_uint_eq(e->outputs, 0x20F);
	static const struct pica_shader_output want[] = { { 0, 0, 15 }, { 3, 1, 3 }, { 5, 3, 3 },
			{ 4, 3, 4 },
		{ 9, 9, 15 }, { 8, 2, 7 } };
	ck_assert_uint_eq(e->n_outputs, ARRAY_LEN(want));
	ck_assert(memcmp(e->output, want, sizeof(want)) == 0);
	ck_assert_uint_eq(s->code[0] >> 12 & 0x7F, 3);
	ck_assert_uint_eq(s->code[1] >> 12 & 0x7F, 1);
	ck_assert_uint_eq(s->code[1] >> 21 & 31, 3);
	ck_assert_uint_eq(s->code[2] >> 21 & 31, 9);
	pica_shader_destroy(s);
}

TEST(geometry_modes) {
	struct pica_shader *s = assemble(".gsh point c4\n.fvec u\n.bool f[15]\n.out - position\n"
			".out - dummy\n.proc main\nsetemit 0\nmov o0, u\nemit\nend\n.end");
	const struct pica_shader_entry *e = &s->entries[0];
	ck_assert_uint_eq(e->type, PICA_SHADER_GEOMETRY);
	ck_assert_uint_eq(e->gs_mode, PICA_SHADER_GS_POINT);
	ck_assert_uint_eq(e->merge_outputs, 1);
	ck_assert_uint_eq(e->uniforms[0].first, 0x14);
	ck_assert_uint_eq(s->code[1] >> 12 & 0x7F, 0x24);
	pica_shader_destroy(s);
	s = assemble(".gsh subdivision c40 3\n.proc main\nend\n.end");
	ck_assert_uint_eq(s->entries[0].gs_mode, PICA_SHADER_GS_VARIABLE);
	ck_assert_uint_eq(s->entries[0].gs_full, 3);
	pica_shader_destroy(s);
	s = assemble(".gsh fixed c48 c10 4\n.proc main\nend\n.end");
	ck_assert_uint_eq(s->entries[0].gs_mode, PICA_SHADER_GS_FIXED);
	ck_assert_uint_eq(s->entries[0].gs_first, 10);
	ck_assert_uint_eq(s->entries[0].gs_vertices, 4);
	pica_shader_destroy(s);
	s = assemble(".gsh\n.bool f[16]\n.proc main\nend\n.end");
	ck_assert_uint_eq(s->entries[0].type, PICA_SHADER_GEOMETRY);
	pica_shader_destroy(s);
	s = assemble(".proc main\nsetemit 1\nend\n.end");
	ck_assert_uint_eq(s->entries[0].type, PICA_SHADER_GEOMETRY);
	pica_shader_destroy(s);
	refuse(".gsh point c4\n.bool f[16]", 2, "are free");
	refuse(".fvec a\n.gsh point c4", 2, "before");
	refuse(".gsh fixed c4 c4 2", 1, "before the free");
	refuse(".gsh point c0\n.proc main\nmov o7, v0\n.end", 3, "o0 to o6");
	refuse(".gsh line c0", 1, "point, variable or fixed");
}

TEST(files_share_uniforms_procedures_and_code) {
	const char *const texts[] = {
		".fvec mtx[4], own\n.constf k(1,1,1,1)\n.proc main\ncall lib\nmov o0, k\nend\n.end",
		".nodvle\n.fvec mtx[4]\n.constf k(2,2,2,2)\n.proc lib\nmov r0, mtx[3]\nadd r0, k, r0\n.end",
		"; nothing\n\n",
		".fvec late\n.entry second\n.in x v5\n.proc second\nmov o0, late\nend\n.end",
		".gsh point c0\n.entry geo\n.fvec mtx[2]\n.proc geo\nmov o0, mtx[1]\nend\n.end",
	};
	struct pica_shader *s;
	ck_assert_int_eq(assemble_n(&s, texts, 5, 0), 0);
	ck_assert_uint_eq(s->n_entries, 3);
	ck_assert_uint_eq(s->entries[0].start, 0);
	ck_assert_uint_eq(s->entries[1].start, 5);
	ck_assert_uint_eq(s->entries[1].inputs, 0x20);
	ck_assert_uint_eq(s->entries[2].start, 7);
	ck_assert_uint_eq(s->entries[2].type, PICA_SHADER_GEOMETRY);
	EXPECT_CODE(s, 0x90000C02, 0x4C07F000, 0x88000000, 0x4E023000, 0x0207F800, 0x4C025000,
			0x88000000,
			0x4C021000, 0x88000000);
	pica_shader_destroy(s);

	const char *const clash[] = { ".fvec a[2]\n.proc main\nend\n.end", ".fvec a[3]" };
	ck_assert_int_eq(assemble_n(&s, clash, 2, 0), -EINVAL);
	const char *const only_library[] = { ".nodvle\n.proc a\nend\n.end" };
	ck_assert_int_eq(assemble_n(&s, only_library, 1, 0), -EINVAL);
	const char *const twice[] = { ".proc main\nend\n.end", ".proc main\nend\n.end" };
	ck_assert_int_eq(assemble_n(&s, twice, 2, 0), -EINVAL);
	ck_assert_uint_eq(error.line, 1);
}

TEST(errors_name_place_and_reason) {
	refuse("mov r0, r1", 1, "within .proc");
	refuse(".proc main\nmov r0\n.end", 2, "expected 2 operands of mov, got 1");
	refuse(".proc main\n\nmov r0, r1, r2\n.end", 3, "expected 2 operands");
	refuse(".proc main\nfoo r0\n.end", 2, "got \"foo\"");
	refuse(".proc main\nmov v0, r1\n.end", 2, "output or temporary");
	refuse(".proc main\nmov r0, o1\n.end", 2, "input, temporary or float");
	refuse(".proc main\nmov r16, r0\n.end", 2, "r0 to r15");
	refuse(".proc main\nmov r0, c96\n.end", 2, "c0 to c95");
	refuse(".proc main\nmov r0, c95[1]\n.end", 2, "c0 to c95");
	refuse(".proc main\nmov r0, R1\n.end", 2, "expected a register");
	refuse(".proc main\nmov r0, r1[a0.x]\n.end", 2, "float uniform before");
	refuse(".proc main\nmov r0, c1[-1]\n.end", 2, "offset");
	refuse(".proc main\nmov r0, c1[2\n.end", 2, "\"]\"");
	refuse(".proc main\nmov r0, c1.xyzwx\n.end", 2, "one to four");
	refuse(".proc main\nmov r0, c1.\n.end", 2, "one to four");
	refuse(".proc main\nadd r0, r1, c1\n.end", 2, "second source");
	refuse(".proc main\nadd r0, c0, c1\n.end", 2, "second source");
	refuse(".proc main\nadd r0, v0, v1\n.end", 2, "one input register");
	refuse(".proc main\nmad r0, c0, r1, r2\n.end", 2, "first source");
	refuse(".proc main\nmad r0, r0, c1, c2\n.end", 2, "third source");
	refuse(".proc main\ncmp r0, eq, xx, r1\n.end", 2, "eq, ne");
	refuse(".proc main\nbreakc cmp.x && cmp.x\n.end", 2, "different flags");
	refuse(".proc main\nbreakc cmp.z\n.end", 2, "cmp.x or cmp.y");
	refuse(".proc main\nifu !b0\n.end\n.end", 2, "without");
	refuse(".proc main\nfor b0\n.end\n.end", 2, "int uniform");
	refuse(".proc main\njmpu b0, nowhere\nend\n.end", 2, "no label \"nowhere\"");
	refuse(".proc main\nend\n.end\n.proc x\ncall nowhere\n.end", 5, "no procedure \"nowhere\"");
	refuse(".proc main\nend\n", 1, "expected .end");
	refuse(".proc main\nifu b0\nend\n.end", 1, "expected .end");
	refuse(".end", 1, "block before .end");
	refuse(".proc main\n.else\n.end", 2, ".else");
	refuse(".proc main\nifu b0\n.else\n.else\n.end\n.end", 4, ".else");
	refuse(".proc main\n.proc x\n", 2, "before the next");
	refuse(".proc main\nend\n.end\n.proc main\n", 4, "exists already");
	refuse("a: a:", 1, "exists already");
	refuse("1x: nop", 1, "a name before");
	refuse(".fvec r1", 1, "does not look like a register");
	refuse(".fvec a, a", 1, "in use");
	refuse(".fvec a[97]", 1, "1 to 96");
	refuse(".fvec a[90]\n.fvec b[7]", 2, "6 uniforms");
	refuse(".fvec a[90]\n.constf b(1,2,3)", 2, "four numbers");
	refuse(".fvec a[96]\n.constf b(1,2,3,4)", 2, "no uniform is free");
	refuse(".constf k(1, x, 2, 3)", 1, "a number");
	refuse(".consti k(1, 256, 2, 3)", 1, "-128 to 255");
	refuse(".constfa k[1]\n.constfa (1,2,3,4)\n.constfa (1,2,3,4)", 3, "at most 1");
	refuse(".constfa k[]\n.end", 2, "one element");
	refuse(".constfa k[]\nmov r0, r1", 2, "within .proc");
	refuse(".setb b0 maybe", 1, "true, false");
	refuse(".setf i0(1,2,3,4)", 1, "float uniform");
	refuse(".out x position o7", 1, "dummy");
	refuse(".out x position o0.xy\n.out y color o0.y", 2, "another output");
	refuse(".out x colour", 1, "type of output");
	refuse(".foo", 1, "a directive");
	refuse(".proc start\nend\n.end", 0, "a procedure \"main\"");
	refuse("", 0, "with an entry");
	refuse(".proc main\nsetemit 3\n.end", 2, "0 to 2");
	refuse(".proc main\nmov r0, r1 @0\n.end", 2, "does not fit");
	struct pica_shader *s = NULL;
	const char *marked = "# 77 \"other.vsh\"\nbad\n";
	ck_assert_int_eq(assemble_n(&s, &marked, 1, 0), -EINVAL);
	ck_assert_str_eq(error.file, "other.vsh");
	ck_assert_uint_eq(error.line, 77);
}

/* It could be written to a file, but no reader would take it. */
TEST(an_entry_has_an_instruction) {
	static const char *const bad[] = { ".proc main\n.end",
		".proc x\nend\n.end\n.proc main\n.end" };
	struct pica_shader *s = NULL;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		ck_assert_int_eq(assemble_n(&s, &bad[i], 1, PICA_SHADER_NO_NOP), -EINVAL);
		ck_assert_ptr_null(s);
		ck_assert_str_eq(error.message,
				"expected an instruction in \"main\", where the entry begins");
	}
	/*
	 * An empty procedure gets a NOP where NOPs are inserted; without, main begins where x does.
	 */
	s = assemble(bad[0]);
	ck_assert_uint_eq(s->n_code, 1);
	pica_shader_destroy(s);
	const char *falls = ".proc main\n.end\n.proc x\nend\n.end";
	ck_assert_int_eq(assemble_n(&s, &falls, 1, PICA_SHADER_NO_NOP), 0);
	ck_assert_uint_eq(s->n_code, 1);
	ck_assert_uint_eq(s->entries[0].start, 0);
	pica_shader_destroy(s);
}

TEST(limits_hold) {
	static const struct {
		const char *head, *line;
		unsigned n;
		const char *tail;
		unsigned at;
		const char *part;
	} cases[] = {
		{ ".proc main\n", "nop\n", 513, ".end", 514, "first 512" },
		{ ".gsh point c0\n.proc main\n", "nop\n", 4097, ".end", 4099, "at most 4096" },
		{ ".gsh point c0\n.proc long\n", "nop\n", 256,
				".end\n.proc main\ncall long\nend\n.end", 261, "at most 255" },
		{ ".proc main\nifu b0\nnop\n.else\n", "nop\n", 256, ".end\n.end", 261,
				"after .else" },
		{ ".proc main\n", "ifu b0\n", 40, "", 33, "nested" },
		{ ".proc main\n", "mov r0, r1.****\n", 129, ".end", 130, "128 different" },
		{ ".proc main\n", "mad r0, r1.***, r2, r3\n", 33, ".end", 34, "32 different" },
	};
	char *text = malloc(200000);
	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		strcpy(repeat(stpcpy(text, cases[i].head), cases[i].line, cases[i].n),
				cases[i].tail);
		refuse(text, cases[i].at, cases[i].part);
	}
	free(text);
}
