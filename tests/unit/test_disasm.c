/* Disassembler: its output assembles to the same words; damaged sources. */
#include "asm_program.h"
#include "random.h"
#include "tests/suite.h"

/* ---- Disassembler ---- */

static void check_same_file(
		const struct pica_shader *a, const struct pica_shader *b, const char *text) {
	void *data[2];
	size_t size[2];
	ck_assert_int_eq(pica_shader_write(a, &data[0], &size[0]), 0);
	ck_assert_int_eq(pica_shader_write(b, &data[1], &size[1]), 0);
	if (size[0] != size[1] || memcmp(data[0], data[1], size[0])) {
		ck_abort_msg("the files differ\n%s", text);
	}
	free(data[0]);
	free(data[1]);
}

static void check_round_trip(const struct pica_shader *s, int entry) {
	char *text = NULL;
	ck_assert_int_eq(pica_shader_disassemble(s, entry, &text), 0);
	struct pica_shader *again = NULL;
	const char *t = text;
	if (assemble_n(&again, &t, 1, 0) != 0) {
		ck_abort_msg("line %u: %s\n%s", error.line, error.message, text);
	}
	if (again->n_code != s->n_code || again->n_descriptors != s->n_descriptors ||
			memcmp(again->code, s->code, s->n_code * 4) ||
			memcmp(again->descriptors, s->descriptors, s->n_descriptors * 4)) {
		ck_abort_msg("differs\n%s", text);
	}
	if (entry >= 0) {
		const struct pica_shader_entry *a = &s->entries[entry], *b = &again->entries[0];
		ck_assert_uint_eq(a->type, b->type);
		ck_assert_uint_eq(a->start, b->start);
		ck_assert_uint_eq(a->end, b->end);
		ck_assert_uint_eq(a->inputs, b->inputs);
		ck_assert_uint_eq(a->outputs, b->outputs);
		ck_assert_uint_eq(a->gs_mode, b->gs_mode);
		ck_assert_uint_eq(a->gs_first, b->gs_first);
		ck_assert_uint_eq(a->gs_full, b->gs_full);
		ck_assert_uint_eq(a->gs_vertices, b->gs_vertices);
		ck_assert_uint_eq(a->n_constants, b->n_constants);
		ck_assert(a->n_constants == 0 ||
				memcmp(a->constants, b->constants,
				a->n_constants * sizeof(*a->constants)) == 0);
		ck_assert_uint_eq(a->n_outputs, b->n_outputs);
		ck_assert(a->n_outputs == 0 ||
				memcmp(a->output, b->output, a->n_outputs * sizeof(*a->output)) ==
						0);
	}
	if (entry >= 0 && s->n_entries == 1) {
		check_same_file(s, again, text);
	}
	pica_shader_destroy(again);
	free(text);
}

TEST(disassembly_of_the_whole_program) {
	struct pica_shader *s = assemble(whole_program);
	char *text;
	ck_assert_int_eq(pica_shader_disassemble(s, 0, &text), 0);
	ck_assert_ptr_null(strstr(text, ".word"));
	ck_assert_ptr_null(strstr(text, "@"));
	ck_assert_ptr_nonnull(strstr(text, "\tdp4 o0.x, c0, v0\n"));
	ck_assert_ptr_nonnull(strstr(text, "\tfor i3, L006\n"));
	ck_assert_ptr_nonnull(strstr(text, "\tifu b0, L009, 1\n"));
	ck_assert_ptr_nonnull(strstr(text, "\tifc cmp.x && !cmp.y, L00E, 0\n"));
	ck_assert_ptr_nonnull(strstr(text, "\tcall L010, 1\n"));
	ck_assert_ptr_nonnull(strstr(text, ".setf c95(0, 1, -1, 0.5)\n"));
	ck_assert_ptr_nonnull(strstr(text, ".uniform c0-c3 \"mtx\"\n"));
	ck_assert_ptr_nonnull(strstr(text, ".out - color o1.xyzw\n"));
	free(text);
	check_round_trip(s, 0);
	check_round_trip(s, PICA_SHADER_NO_ENTRY);
	ck_assert_int_eq(pica_shader_disassemble(s, 1, &text), -EINVAL);
	ck_assert_int_eq(pica_shader_disassemble(s, -2, &text), -EINVAL);
	pica_shader_destroy(s);
	s = assemble(".gsh fixed c48 c10 4\n.out - position\n.setb b2 1\n.proc p\nnop\n.end\n"
		     ".proc main\n"
		     "setemit 2, prim inv\nmova a0.xy, c3\nmad r0, r1, c3[a0.y], r2\nemit\nend\n.end\n"
		     ".proc q\nnop\n.end");
	check_round_trip(s, 0);
	pica_shader_destroy(s);
}

/* Tables of other tools: in any order, with any name and any register. */
TEST(tables_of_uniforms_survive_a_round_trip) {
	static const struct {
		const char *name;
		uint16_t first, last;
	} rows[] = {
		{ "light.color", PICA_SHADER_REG_C + 4, PICA_SHADER_REG_C + 7 },
		{ "a$b", PICA_SHADER_REG_B + 15, PICA_SHADER_REG_B + 15 },
		{ "in.pos", PICA_SHADER_REG_V + 3, PICA_SHADER_REG_V + 3 },
		{ "in.pos", PICA_SHADER_REG_V + 4, PICA_SHADER_REG_V + 4 }, /* the name again */
		{ "again", PICA_SHADER_REG_V + 3, PICA_SHADER_REG_V + 3 },  /* the register again */
		/* no name of a source */
		{ "r3", PICA_SHADER_REG_V + 5, PICA_SHADER_REG_V + 5 },
		{ "wide", PICA_SHADER_REG_V + 6, PICA_SHADER_REG_V + 7 },
		{ "", PICA_SHADER_REG_I, PICA_SHADER_REG_I + 3 },
		{ "a b\"c\\d:e;f#\n\xFF", PICA_SHADER_REG_C + 95, PICA_SHADER_REG_I + 2 },
		{ "between", PICA_SHADER_REG_I + 5, PICA_SHADER_REG_B - 1 },
		{ "_hidden", PICA_SHADER_REG_C, PICA_SHADER_REG_C },
	};
	struct pica_shader *s = assemble(".setf c9(1, 2, 3, 4)\n.proc main\nend\n.end\n");
	struct pica_shader_entry *e = &s->entries[0];
	ck_assert_uint_eq(e->n_uniforms, 0);
	free(e->uniforms);
	e->uniforms = calloc(ARRAY_LEN(rows), sizeof(*e->uniforms));
	ck_assert_ptr_nonnull(e->uniforms);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		e->uniforms[i] = (struct pica_shader_uniform){ strdup(rows[i].name), rows[i].first,
				rows[i].last };
	}
	e->n_uniforms = ARRAY_LEN(rows);
	e->inputs = 0x801C; /* v2, v15: inputs without a row */
	e->constants[0].value[1] = 0x000001; /* a subnormal */
	e->constants[0].value[2] = 0x7F0123; /* a NaN with a payload */
	check_round_trip(s, 0);
	char *text;
	ck_assert_int_eq(pica_shader_disassemble(s, 0, &text), 0);
	ck_assert_ptr_nonnull(strstr(text, ".uniform c4-c7 \"light.color\"\n"));
	ck_assert_ptr_nonnull(strstr(text, ".in in$pos v3\n"));
	ck_assert_ptr_nonnull(strstr(text, ".uniform v4 \"in.pos\"\n"));
	ck_assert_ptr_nonnull(strstr(
			text, ".uniform c95-i2 \"a\\x20b\\x22c\\x5Cd\\x3Ae\\x3Bf#\\x0A\\xFF\"\n"));
	ck_assert_ptr_nonnull(strstr(text, ".uniform 117-119 \"between\"\n"));
	ck_assert_ptr_nonnull(strstr(text, ".in - v15\n"));
	ck_assert_ptr_nonnull(strstr(text, "(1, #000001, #7F0123, 4)"));
	free(text);
	pica_shader_destroy(s);
	refuse(".uniform c96 \"a\"\n", 1, "c0-c95");
	refuse(".uniform 136 \"a\"\n", 1, "register");
	refuse(".uniform c3-c2 \"a\"\n", 1, "before the last");
	refuse(".uniform c3 a\n", 1, "in quotes");
	refuse(".uniform c3 \"\\x0\"\n", 1, "backslash");
	refuse(".uniform c3 \"\\x00\"\n", 1, "backslash");
	refuse(".setf c0(#12345, 0, 0, 0)\n", 1, "six hexadecimal digits");
	refuse(".setf c0(#-12345, 0, 0, 0)\n", 1, "six hexadecimal digits");
}

TEST(any_words_survive_a_round_trip) {
	uint32_t code[600], descriptors[128];
	unsigned long lines = 0, raw = 0;
	for (int round = 0; round < 60; round++) {
		struct pica_shader s = { .code = code, .descriptors = descriptors };
		s.n_code = 1 + random32() % 600;
		s.n_descriptors = round % 3 == 0 ? random32() % 129 : 128;
		for (uint32_t i = 0; i < s.n_code; i++) {
			code[i] = random32();
			if (round & 1) { /* mostly sensible words */
				uint32_t op = random32() % 40;
				code[i] = op < 34 ? op << 26 | (random32() & 0x03FFFFFF) :
						    (uint32_t)(0x22 + op - 34) << 26 |
								(random32() & 0x03FFFCFF);
			}
		}
		for (uint32_t i = 0; i < s.n_descriptors; i++) {
			descriptors[i] = random32() & (round & 2 ? 0xFFFFFFFF : 0x7FFFFFFF);
		}
		check_round_trip(&s, PICA_SHADER_NO_ENTRY);
		char *text;
		ck_assert_int_eq(pica_shader_disassemble(&s, PICA_SHADER_NO_ENTRY, &text), 0);
		lines += s.n_code;
		for (const char *p = text; (p = strstr(p, ".word")); p++) {
			raw++;
		}
		free(text);
	}
	ck_assert_uint_lt(raw, lines); /* not all of it is escape */
}

/* ---- Malformed input ---- */

TEST(mutated_sources_never_harm) {
	char text[sizeof(whole_program) + 64];
	static const char spice[] = ".,;:[]()-!&|@#\" \t\nxyzw0129aLcvroib_$\x80";
	unsigned ok = 0;
	for (int round = 0; round < 4000; round++) {
		size_t n = sizeof(whole_program) - 1;
		memcpy(text, whole_program, n + 1);
		for (unsigned k = 1 + random32() % 4; k > 0; k--) {
			size_t at = random32() % n;
			switch (random32() % 5) {
			case 0:
				text[at] = spice[random32() % (sizeof(spice) - 1)];
				break;
			case 1:
				text[at] = (char)random32();
				break;
			case 2: /* cut a piece out */
			{
				size_t len = random32() % 20;
				len = at + len > n ? n - at : len;
				memmove(text + at, text + at + len, n - at - len);
				n -= len;
				n = n ? n : 1;
				break;
			}
			case 3: /* a piece twice */
				if (n + 16 < sizeof(text) && at + 16 < n) {
					memmove(text + at + 16, text + at, n - at);
					n += 16;
				}
				break;
			default:
				n = n > 1 ? 1 + random32() % (n - 1) : n;
				break;
			}
		}
		/* Exactly n bytes on the heap: ASan sees reads past the end. */
		char *copy = malloc(n);
		ck_assert_ptr_nonnull(copy);
		memcpy(copy, text, n);
		struct pica_shader_source source = { "mutant", copy, n };
		struct pica_shader *s = NULL;
		int ret = pica_shader_assemble(&s, &source, 1, 0, &error);
		if (ret == 0) {
			ok++;
			check_round_trip(s, 0);
		} else if (ret != -EINVAL || s || !error.message[0]) {
			ck_abort_msg("round %d: %d", round, ret);
		}
		pica_shader_destroy(s);
		free(copy);
	}
	ck_assert_uint_gt(ok, 10);
}
