/*
 * Tables of the procedural texture unit between draws of a pass: shared while nobody writes them.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "pica/frag/proctex.h"
#include "pica/front/ctx.h"

/* Of a context what the part looks at: registers, tables, and the arena of an open pass. */
static struct pica_ctx *ctx;
static struct unit *pass;

static void setup(void) {
	ctx = calloc(1, sizeof(*ctx));
	pass = calloc(1, sizeof(*pass));
	ck_assert(ctx && pass);
	arena_init(&pass->arena);
	ctx->exec.open = pass;
	ctx->regs.w[REG_TEXUNIT3_PROCTEX0] = PROCTEX0_NOISE_SET(1) | PROCTEX0_SEPARATE_ALPHA_SET(1);
}

static void teardown(void) {
	arena_finish(&pass->arena);
	free(pass);
	free(ctx);
}

static const struct frag_proctex *make(void) {
	const struct frag_proctex *p = proctex_part_make(ctx);
	ck_assert_ptr_nonnull(p);
	return p;
}

static unsigned shared_tables(const struct frag_proctex *a, const struct frag_proctex *b) {
	return (a->noise.map == b->noise.map) | (a->map[0] == b->map[0]) << 1 |
			(a->map[1] == b->map[1]) << 2 | (a->colors == b->colors) << 3;
}

START_TEST(draws_share_tables_that_did_not_change) {
	const struct frag_proctex *a = make(), *b = make();
	ck_assert_ptr_ne(a, b);
	ck_assert_uint_eq(shared_tables(a, b), 15);
	/* A word that is there already, and tables that do not exist. */
	proctex_table_write(ctx, PROCTEX_TABLE_RGB_MAP, 5, 0);
	proctex_table_write(ctx, 1, 5, 7);
	proctex_table_write(ctx, 15, 255, 7);
	ck_assert_uint_eq(shared_tables(a, make()), 15);
}
END_TEST

START_TEST(written_table_is_copied_and_old_draws_keep_theirs) {
	static const struct {
		unsigned table, index, shared;
	} cases[] = { { PROCTEX_TABLE_NOISE, 0, 14 }, { PROCTEX_TABLE_RGB_MAP, 127, 13 },
		{ PROCTEX_TABLE_ALPHA_MAP, 1, 11 }, { PROCTEX_TABLE_COLOR, 255, 7 },
		{ PROCTEX_TABLE_COLOR_DIFF, 254, 7 } };
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frag_proctex *a = make();
		proctex_table_write(ctx, cases[i].table, cases[i].index, 0xFFF);
		ck_assert_uint_eq(ctx->luts.proctex[cases[i].table][cases[i].index], 0xFFF);
		const struct frag_proctex *b = make();
		ck_assert_uint_eq(shared_tables(a, b), cases[i].shared);
		ck_assert_uint_eq(shared_tables(b, make()), 15);
		switch (cases[i].table) {
		case PROCTEX_TABLE_NOISE:
			ck_assert(a->noise.map->row[0][0] == 0.0f &&
					b->noise.map->row[0][0] == 1.0f);
			break;
		case PROCTEX_TABLE_RGB_MAP:
			ck_assert(a->map[0]->row[127][0] == 0.0f && b->map[0]->row[127][0] == 1.0f);
			break;
		case PROCTEX_TABLE_ALPHA_MAP:
			ck_assert(a->map[1]->row[1][0] == 0.0f && b->map[1]->row[1][0] == 1.0f);
			break;
		case PROCTEX_TABLE_COLOR:
			ck_assert(a->colors->color[255] == 0 && b->colors->color[255] == 0xFFF);
			break;
		default:
			ck_assert(a->colors->difference[254] == 0 &&
					b->colors->difference[254] == 0xFFF);
			break;
		}
	}
}
END_TEST

START_TEST(registers_are_each_draw_s_own) {
	const struct frag_proctex *a = make();
	ctx->regs.w[REG_TEXUNIT3_PROCTEX0] = PROCTEX0_RGB_MAP_SET(PROCTEX_MAP_MAX);
	const struct frag_proctex *b = make();
	ck_assert(a->function[0] == PROCTEX_MAP_U && b->function[0] == PROCTEX_MAP_MAX);
	/* What the state does not look at is not handed on. */
	ck_assert_ptr_null(b->noise.map);
	ck_assert_ptr_null(b->map[1]);
	ck_assert_ptr_eq(b->map[0], a->map[0]);
	ck_assert_ptr_eq(b->colors, a->colors);
}
END_TEST

START_TEST(another_pass_has_tables_of_its_own) {
	const struct frag_proctex *a = make();
	parts_forget(ctx);
	const struct frag_proctex *b = make();
	ck_assert_uint_eq(shared_tables(a, b), 0);
}
END_TEST

int main(void) {
	Suite *s = suite_create("proctex_part");
	TCase *tc = tcase_create("proctex_part");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, draws_share_tables_that_did_not_change);
	tcase_add_test(tc, written_table_is_copied_and_old_draws_keep_theirs);
	tcase_add_test(tc, registers_are_each_draw_s_own);
	tcase_add_test(tc, another_pass_has_tables_of_its_own);
	suite_add_tcase(s, tc);
	SRunner *sr = srunner_create(s);
	srunner_set_fork_status(sr, CK_NOFORK);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}
