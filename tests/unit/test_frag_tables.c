/*
 * Tables between draws of a pass: shared until they are written.
 */
#include <string.h>

#include "core/base/arena.h"
#include "pica/frag/proctex.h"
#include "pica/frag/step.h"
#include "pica/regs/regs.h"
#include "tests/suite.h"

static uint32_t regs[0x300];
static struct frag_luts luts;
static struct frag_tables tables;
static struct arena arena;

static void setup(void) {
	memset(regs, 0, sizeof(regs));
	memset(&luts, 0, sizeof(luts));
	memset(&tables, 0, sizeof(tables));
	arena_init(&arena, NULL);
	regs[REG_TEXUNIT3_PROCTEX0] = PROCTEX0_NOISE_SET(1) | PROCTEX0_SEPARATE_ALPHA_SET(1);
}

static void teardown(void) {
	arena_finish(&arena);
}

static const struct frag_proctex *make(void) {
	const struct frag_source from = { regs, &luts, &tables, &arena };
	struct frag_draw d = { 0 };
	struct frag_consts c;
	ck_assert(frag_step_proctex.bind(&d, &c, &from));
	ck_assert_ptr_nonnull(d.proctex);
	return d.proctex;
}

static void write_table(unsigned table, unsigned index, uint32_t word) {
	luts.proctex[table][index] = word;
	proctex_table_changed(&tables, table);
}

static unsigned shared_tables(const struct frag_proctex *a, const struct frag_proctex *b) {
	return (a->noise.map == b->noise.map) | (a->map[0] == b->map[0]) << 1 |
			(a->map[1] == b->map[1]) << 2 | (a->colors == b->colors) << 3;
}

FIXTURE(setup, teardown)

TEST(draws_share_tables_that_did_not_change) {
	const struct frag_proctex *a = make(), *b = make();
	ck_assert_ptr_ne(a, b);
	ck_assert_uint_eq(shared_tables(a, b), 15);
	/* Tables that do not exist. */
	write_table(1, 5, 7);
	write_table(15, 255, 7);
	ck_assert_uint_eq(shared_tables(a, make()), 15);
}

TEST(written_table_is_copied_and_old_draws_keep_theirs) {
	static const struct {
		unsigned table, index, shared;
	} cases[] = { { PROCTEX_TABLE_NOISE, 0, 14 }, { PROCTEX_TABLE_RGB_MAP, 127, 13 },
		{ PROCTEX_TABLE_ALPHA_MAP, 1, 11 }, { PROCTEX_TABLE_COLOR, 255, 7 },
		{ PROCTEX_TABLE_COLOR_DIFF, 254, 7 } };
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frag_proctex *a = make();
		write_table(cases[i].table, cases[i].index, 0xFFF);
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

TEST(registers_are_each_draw_s_own) {
	const struct frag_proctex *a = make();
	regs[REG_TEXUNIT3_PROCTEX0] = PROCTEX0_RGB_MAP_SET(PROCTEX_MAP_MAX);
	const struct frag_proctex *b = make();
	ck_assert(a->function[0] == PROCTEX_MAP_U && b->function[0] == PROCTEX_MAP_MAX);
	/* Unused settings are not passed on. */
	ck_assert_ptr_null(b->noise.map);
	ck_assert_ptr_null(b->map[1]);
	ck_assert_ptr_eq(b->map[0], a->map[0]);
	ck_assert_ptr_eq(b->colors, a->colors);
}

TEST(another_pass_has_tables_of_its_own) {
	const struct frag_proctex *a = make();
	memset(&tables, 0, sizeof(tables));
	const struct frag_proctex *b = make();
	ck_assert_uint_eq(shared_tables(a, b), 0);
}
