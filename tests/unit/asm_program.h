/* What the tests of assembler, container and binding share. */
#ifndef TESTS_ASM_PROGRAM_H
#define TESTS_ASM_PROGRAM_H

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "pica_shader.h"

static struct pica_shader_error error;

static PICA_UNUSED int assemble_n(struct pica_shader **out, const char *const *texts, size_t n,
		uint32_t flags) {
	struct pica_shader_source sources[8];
	for (size_t i = 0; i < n; i++) {
		sources[i] = (struct pica_shader_source){ "test.pica", texts[i], strlen(texts[i]) };
	}
	return pica_shader_assemble(out, sources, n, flags, &error);
}

/* Must succeed. */
static struct pica_shader *assemble(const char *text) {
	struct pica_shader *s = NULL;
	int ret = assemble_n(&s, &text, 1, 0);
	if (ret != 0) {
		ck_abort_msg("%s:%u: %s", error.file, error.line, error.message);
	}
	return s;
}

static void expect_code(const struct pica_shader *s, const uint32_t *code, uint32_t n) {
	ck_assert_uint_eq(s->n_code, n);
	for (uint32_t i = 0; i < n; i++) {
		if (s->code[i] != code[i]) {
			ck_abort_msg("word %u: %08X, expected %08X", i, s->code[i], code[i]);
		}
	}
}

/* ---- The program of [fidelity: shader-numbers] ---- */

static const char whole_program[] =
		".fvec  mtx[4]\n"
		".bool  flag\n"
		".constf k(0.0, 1.0, -1.0, 0.5)\n"
		".consti cnt(3, 0, 1, 0)\n"
		".out op position\n"
		".out oc color\n"
		".in  pos\n"
		".in  col\n"
		".proc main\n"
		"    dp4 op.x, mtx[0], pos\n"
		"    dp4 op.y, mtx[1], pos\n"
		"    dp4 op.z, mtx[2], pos\n"
		"    dp4 op.w, mtx[3], pos\n"
		"    mov r0, k.xxxx\n"
		"    for cnt\n"
		"        add r0, k.wwww, r0\n"
		"    .end\n"
		"    ifu flag\n"
		"        mov r1, col\n"
		"    .else\n"
		"        mov r1, r0\n"
		"    .end\n"
		"    cmp k.yy, le, gt, r0.xy\n"
		"    ifc cmp.x && !cmp.y\n"
		"        call square\n"
		"    .end\n"
		"    mov oc, r1\n"
		"    end\n"
		".end\n"
		".proc square\n"
		"    mul r1, r0, r1\n"
		".end\n";

static const uint32_t whole_code[] = { 0x08020000, 0x08021001, 0x08022002, 0x08023003, 0x4E07F004,
	0xA4C01800, 0x0207F805, 0x9C002401, 0x4E201006, 0x4E210006, 0xBB87F807, 0xA2403800,
	0x90004001, 0x84000000, 0x4C211006, 0x88000000, 0x22210886 };
static const uint32_t whole_descriptors[] = { 0x0006C368, 0x0006C364, 0x0006C362, 0x0006C361,
	0x0000000F, 0x0006DFEF, 0x0006C36F, 0x00054AA0 };

static inline void check_whole(const struct pica_shader *s) {
	expect_code(s, whole_code, ARRAY_LEN(whole_code));
	ck_assert_uint_eq(s->n_descriptors, 8);
	ck_assert(memcmp(s->descriptors, whole_descriptors, sizeof(whole_descriptors)) == 0);
	ck_assert_uint_eq(s->n_entries, 1);
	const struct pica_shader_entry *e = &s->entries[0];
	ck_assert_uint_eq(e->type, PICA_SHADER_VERTEX);
	ck_assert_uint_eq(e->start, 0);
	ck_assert_uint_eq(e->end, 16);
	ck_assert_uint_eq(e->inputs, 3);
	ck_assert_uint_eq(e->outputs, 3);
	ck_assert_uint_eq(e->n_constants, 2);
	ck_assert_uint_eq(e->constants[0].type, 2);
	ck_assert_uint_eq(e->constants[0].reg, 0x5F);
	ck_assert_uint_eq(e->constants[0].value[0], 0);
	ck_assert_uint_eq(e->constants[0].value[1], 0x3F0000);
	ck_assert_uint_eq(e->constants[0].value[2], 0xBF0000);
	ck_assert_uint_eq(e->constants[0].value[3], 0x3E0000);
	ck_assert_uint_eq(e->constants[1].type, 1);
	ck_assert_uint_eq(e->constants[1].reg, 3);
	ck_assert_uint_eq(e->constants[1].value[0], 3);
	ck_assert_uint_eq(e->constants[1].value[1], 0);
	ck_assert_uint_eq(e->constants[1].value[2], 1);
	ck_assert_uint_eq(e->constants[1].value[3], 0);
	ck_assert_uint_eq(e->n_outputs, 2);
	ck_assert_uint_eq(e->output[0].type, 0);
	ck_assert_uint_eq(e->output[0].reg, 0);
	ck_assert_uint_eq(e->output[0].mask, 15);
	ck_assert_uint_eq(e->output[1].type, 2);
	ck_assert_uint_eq(e->output[1].reg, 1);
	ck_assert_uint_eq(e->output[1].mask, 15);
	static const struct {
		const char *name;
		uint16_t first, last;
	} uniforms[] = { { "pos", 0, 0 }, { "col", 1, 1 }, { "mtx", 0x10, 0x13 },
			{ "flag", 0x78, 0x78 } };
	ck_assert_uint_eq(e->n_uniforms, 4);
	for (int i = 0; i < 4; i++) {
		ck_assert_str_eq(e->uniforms[i].name, uniforms[i].name);
		ck_assert_uint_eq(e->uniforms[i].first, uniforms[i].first);
		ck_assert_uint_eq(e->uniforms[i].last, uniforms[i].last);
	}
	ck_assert_int_eq(pica_shader_find_uniform(e, "mtx"), 2);
	ck_assert_int_eq(pica_shader_find_uniform(e, "mt"), -ENOENT);
}

/* Must fail at that line, with that in the message. */
static inline void refuse(const char *text, unsigned line, const char *part) {
	struct pica_shader *s = NULL;
	int ret = assemble_n(&s, &text, 1, 0);
	if (ret != -EINVAL || s || error.line != line || !strstr(error.message, part)) {
		ck_abort_msg("\"%s\": %d, line %u, \"%s\"", text, ret, error.line, error.message);
	}
	ck_assert_str_eq(error.file, "test.pica");
}

#endif
