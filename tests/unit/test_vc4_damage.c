/* Invalid control lists, and lack of memory: each gives an error with its place. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/space/space.h"
#include "random.h"
#include "tests/suite.h"
#include "vc4/list/list.h"
#include "vc4_seed.h"

static struct space space;
static struct arena arena;
static uint8_t *memory;
static struct vc4_frame frame;
static struct vc4_error error;
static struct vc4_lists lists;

/* The linker redirects allocations of arenas here: only this many succeed. */
static unsigned allocations_left = UINT32_MAX;
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
	if (allocations_left == 0) {
		return NULL;
	}
	allocations_left--;
	return __real_aligned_alloc(alignment, size);
}

static void setup(void) {
	space_init(&space);
	arena_init(&arena, NULL);
	ck_assert_int_eq(space_map(&space, SEED_BASE, SEED_BYTES, NULL, 0), 0);
	memory = space_host(&space, SEED_BASE, SEED_BYTES);
	ck_assert_ptr_nonnull(memory);
	lists = (struct vc4_lists){ .space = &space };
}

static void teardown(void) {
	arena_finish(&arena);
	space_finish(&space);
}

static int run(void) {
	arena_reset(&arena);
	return vc4_frame_read(&frame, &lists, &arena, &error);
}

FIXTURE(setup, teardown)

#define MODE_70 "70 00201000 00200000 00101000 0A 08 04 "
#define GL "40 02081000 "
#define DRAW "21 04 03000000 00000000 "
#define MODE_71 "71 00001100 8002 E001 0400 "

/* The error is at the last record of the list that is not empty. */
static const struct {
	const char *binning, *rendering;
	int error;
	uint32_t offset;
	const char *record;
} cases[] = {
	/* not records */
	{ "01 09", "", -EINVAL, 1, NULL },
	{ "15", "", -EINVAL, 0, NULL },
	{ "", "74", -EINVAL, 0, NULL },
	{ "FE 00000000 00000000", "", -EINVAL, 0, NULL },
	{ "", "FF", -EINVAL, 0, NULL },
	/* known, but not supported */
	{ "13", "", -EOPNOTSUPP, 0, "REPEAT_START_MARKER" },
	{ "01 14", "", -EOPNOTSUPP, 1, "REPEAT_FROM_START_MARKER" },
	{ "29 00 00000000 00000000", "", -EOPNOTSUPP, 0, "VG_COORDINATE_ARRAY" },
	{ "2A 00", "", -EOPNOTSUPP, 0, "VG_INLINE_PRIMITIVES" },
	{ "", "30 80", -EOPNOTSUPP, 0, "COMPRESSED_PRIMITIVES" },
	{ "", "31 00000000 80", -EOPNOTSUPP, 0, "CLIPPED_PRIMITIVES" },
	{ "42 00000000", "", -EOPNOTSUPP, 0, "VG_SHADER_STATE" },
	{ "43 00000000 00000000", "", -EOPNOTSUPP, 0, "VG_INLINE_SHADER_RECORD" },
	{ "", DRAW, -EOPNOTSUPP, 0, "ARRAY_PRIMITIVES" },
	{ "", "20 04 03000000 00000000 03000000", -EOPNOTSUPP, 0, "INDEXED_PRIMITIVES" },
	{ "60 80 00 00", "", -EOPNOTSUPP, 0, "CONFIGURATION_BITS" },
	{ "60 00 01 00", "", -EOPNOTSUPP, 0, "CONFIGURATION_BITS" },
	{ "70 00201000 00200000 00101000 0A 08 02", "", -EOPNOTSUPP, 0, "TILE_BINNING_MODE" },
	{ "70 00201000 00200000 00101000 0A 08 80", "", -EOPNOTSUPP, 0, "TILE_BINNING_MODE" },
	{ "", "71 00001100 8002 E001 0600", -EOPNOTSUPP, 0, "TILE_RENDERING_MODE" },
	{ "", "71 00001100 8002 E001 0410", -EOPNOTSUPP, 0, "TILE_RENDERING_MODE" },
	{ "", "71 00001100 8002 E001 0401", -EOPNOTSUPP, 0, "TILE_RENDERING_MODE" },
	{ "", "71 00001100 8002 E001 0402", -EOPNOTSUPP, 0, "TILE_RENDERING_MODE" },
	{ "", "71 00001100 8002 E001 1400", -EOPNOTSUPP, 0, "TILE_RENDERING_MODE" },
	{ "", "71 00001100 8002 E001 2500", -EOPNOTSUPP, 0, "TILE_RENDERING_MODE" },
	{ "", MODE_71 "1C 0400 00001100", -EOPNOTSUPP, 11, "STORE_GENERAL" },
	{ "", MODE_71 "1C 4100 00001100", -EOPNOTSUPP, 11, "STORE_GENERAL" },
	{ "", MODE_71 "1C 8100 00001100", -EOPNOTSUPP, 11, "STORE_GENERAL" },
	{ "", MODE_71 "1C 4200 00001100", -EOPNOTSUPP, 11, "STORE_GENERAL" },
	{ "", MODE_71 "1D 0400 00001100", -EOPNOTSUPP, 11, "LOAD_GENERAL" },
	/* of the other list */
	{ "", "04", -EINVAL, 0, "FLUSH" },
	{ "", "06", -EINVAL, 0, "START_TILE_BINNING" },
	{ "", MODE_70, -EINVAL, 0, "TILE_BINNING_MODE" },
	{ "", "69 00000000 00000000", -EINVAL, 0, "CLIPPER_XY_SCALING" },
	{ "18", "", -EINVAL, 0, "STORE_RESOLVED" },
	{ MODE_71, "", -EINVAL, 0, "TILE_RENDERING_MODE" },
	{ "73 00 00", "", -EINVAL, 0, "TILE_COORDINATES" },
	/* values */
	{ "60 C0 00 00", "", -EINVAL, 0, "CONFIGURATION_BITS" },
	{ MODE_70 GL "21 07 03000000 00000000", "", -EINVAL, 21, "ARRAY_PRIMITIVES" },
	{ MODE_70 GL "21 14 03000000 00000000", "", -EINVAL, 21, "ARRAY_PRIMITIVES" },
	{ MODE_70 GL "20 0F 03000000 00000000 00000000", "", -EINVAL, 21, "INDEXED_PRIMITIVES" },
	{ MODE_70 GL "20 24 03000000 00091000 00000000", "", -EINVAL, 21, "INDEXED_PRIMITIVES" },
	{ "70 00201000 00200000 00101000 00 08 04", "", -EINVAL, 0, "TILE_BINNING_MODE" },
	{ "70 00201000 00200000 00101000 0A 00 04", "", -EINVAL, 0, "TILE_BINNING_MODE" },
	{ "", "71 00001100 8002 E001 0C00", -EINVAL, 0, "TILE_RENDERING_MODE" },
	{ "", "71 00001100 8002 E001 C400", -EINVAL, 0, "TILE_RENDERING_MODE" },
	{ "", "71 00001100 8002 E001 3500", -EINVAL, 0, "TILE_RENDERING_MODE" },
	{ "", MODE_71 "1C 0600 00001100", -EINVAL, 11, "STORE_GENERAL" },
	{ "", MODE_71 "1C 3100 00001100", -EINVAL, 11, "STORE_GENERAL" },
	{ "", MODE_71 "1C 0103 00001100", -EINVAL, 11, "STORE_GENERAL" },
	{ "", MODE_71 "1C C100 00001100", -EINVAL, 11, "STORE_GENERAL" },
	{ "", MODE_71 "1D 0300 00001100", -EINVAL, 11, "LOAD_GENERAL" },
	{ "", MODE_71 "1D 0700 00001100", -EINVAL, 11, "LOAD_GENERAL" },
	/* order */
	{ DRAW, "", -EINVAL, 0, "ARRAY_PRIMITIVES" },
	{ MODE_70 DRAW, "", -EINVAL, 16, "ARRAY_PRIMITIVES" },
	{ GL DRAW, "", -EINVAL, 5, "ARRAY_PRIMITIVES" },
	{ "", "18", -EINVAL, 0, "STORE_RESOLVED" },
	{ "", "1C 0100 00001100", -EINVAL, 0, "STORE_GENERAL" },
	{ "", "1B 00001100", -EINVAL, 0, "LOAD_FULL" },
	{ MODE_70, "11 00201000", -EINVAL, 0, "BRANCH_TO_SUB_LIST" },
	{ MODE_70, "71 00001100 8002 E001 0500 11 00201000", -EINVAL, 11, "BRANCH_TO_SUB_LIST" },
	{ MODE_70, MODE_71 "10 20201000", -EINVAL, 11, "BRANCH" },
	/* memory */
	{ "40 02003000", "", -ERANGE, 0, "GL_SHADER_STATE" },
	{ "40 F2FF2F00", "", -ERANGE, 0, "GL_SHADER_STATE" },
	{ "41 F0FF0F00", "", -ERANGE, 0, "NV_SHADER_STATE" },
	{ MODE_70 GL "20 04 03000000 FEFF2F00 00000000", "", -ERANGE, 21, "INDEXED_PRIMITIVES" },
	{ MODE_70 GL "20 14 FFFFFFFF 00001000 00000000", "", -ERANGE, 21, "INDEXED_PRIMITIVES" },
	{ MODE_70 GL "20 14 01000080 00001000 00000000", "", -ERANGE, 21, "INDEXED_PRIMITIVES" },
};

TEST_LOOP(damaged_list_names_its_record, ARRAY_LEN(cases)) {
	seed_fill(memory, false);
	memset(memory, 0, 0x800);
	lists.start[0] = SEED_BINNING;
	lists.end[0] = SEED_BINNING + (uint32_t)put_hex(memory, cases[_i].binning);
	lists.start[1] = SEED_RENDERING;
	lists.end[1] = SEED_RENDERING + (uint32_t)put_hex(memory + 0x100, cases[_i].rendering);
	ck_assert_msg(run() == cases[_i].error, "%s / %s: %d", cases[_i].binning,
			cases[_i].rendering, error.error);
	const unsigned list = cases[_i].rendering[0] != '\0';
	ck_assert_int_eq(error.error, cases[_i].error);
	ck_assert_uint_eq(error.list, list);
	ck_assert_uint_eq(error.offset, cases[_i].offset);
	ck_assert_uint_eq(error.address, lists.start[list] + cases[_i].offset);
	if (cases[_i].record) {
		ck_assert_str_eq(error.record, cases[_i].record);
	} else {
		ck_assert_ptr_null(error.record);
	}
	char want[200];
	snprintf(want, sizeof(want), "%s list: offset 0x%x (%s): %s",
			list ? "rendering" : "binning", (unsigned)cases[_i].offset,
			cases[_i].record ? cases[_i].record : "no record", error.why);
	char text[200];
	ck_assert_uint_eq(vc4_error_text(&error, text, sizeof(text)), strlen(want));
	ck_assert_str_eq(text, want);
	ck_assert_uint_gt(strlen(error.why), 5);
}

TEST(lists_outside_of_memory_are_reported) {
	lists.start[0] = 0x00300000;
	ck_assert_int_eq(run(), -ERANGE);
	ck_assert_ptr_null(error.record);
	ck_assert_uint_eq(error.address, 0x00300000);
	lists.start[0] = 0xFFFFFFFF; /* wraps to the last byte that the chip addresses */
	ck_assert_int_eq(run(), -ERANGE);
	ck_assert_uint_eq(error.address, 0x3FFFFFFF);
	lists.start[0] = SEED_BASE + SEED_BYTES - 5;
	memory[SEED_BYTES - 5] = 0x66;
	ck_assert_int_eq(run(), -ERANGE);
	ck_assert_str_eq(error.record, "CLIP_WINDOW");
	/* A list that runs out of its window. */
	memset(memory, 0x01, SEED_BYTES);
	lists.start[0] = SEED_BASE + SEED_BYTES - 100;
	ck_assert_int_eq(run(), -ERANGE);
	ck_assert_uint_eq(error.offset, 100);
}

/* Everything of a frame that lies in arrays is in their bounds. */
static void check_frame(void) {
	for (uint32_t i = 0; i < frame.n_draws; i++) {
		const struct vc4_draw *d = &frame.draws[i];
		HOLDS(d->state && d->state->shader && d->mode <= VC4_MODE_TRIANGLE_FAN);
		HOLDS(d->count && vc4_primitives(d->mode, d->count));
		HOLDS(d->index_bytes || (uint64_t)d->first + d->count <= VC4_MAX_VERTICES);
	}
	uint32_t next = 0;
	for (uint32_t i = 0; i < frame.n_runs; i++) {
		HOLDS(frame.runs[i].first == next && frame.runs[i].n > 0);
		HOLDS(frame.runs[i].clear < frame.n_renderings);
		next += frame.runs[i].n;
	}
	HOLDS(next <= frame.n_ops);
	for (uint32_t i = 0; i < next; i++) {
		const struct vc4_tile_op *op = &frame.ops[i];
		HOLDS(op->rendering < frame.n_renderings);
		HOLDS(op->value < (op->kind == VC4_TILE_DRAW ?
				frame.binning.columns * frame.binning.rows : frame.n_transfers));
	}
}

TEST(random_lists_end_in_bounds) {
	lists.start[0] = SEED_BINNING;
	lists.start[1] = SEED_RENDERING;
	lists.end[1] = SEED_RENDERING_END;
	lists.limits = (struct vc4_limits){ 2000, 20000, 100000 };
	for (unsigned turn = 0; turn < 20000; turn++) {
		lists.end[0] = SEED_BINNING_END;
		seed_fill(memory, turn & 1);
		const unsigned n = 1 + random32() % 16;
		for (unsigned i = 0; i < n; i++) {
			/* bytes of both lists and the shader records */
			memory[random32() % (turn & 2 ? 0x140 : 0x880)] = (uint8_t)random32();
		}
		const int ret = run();
		HOLDS(ret == 0 || ret == -EINVAL || ret == -EOPNOTSUPP || ret == -ERANGE ||
				ret == -EDQUOT);
		if (ret == 0) {
			check_frame();
		} else {
			HOLDS(error.error == ret && error.why);
		}
	}
}

/* Records that are whole, with random fields, in random order. */
TEST(random_records_end_in_bounds) {
	lists.start[0] = SEED_BINNING;
	lists.start[1] = SEED_RENDERING;
	lists.limits = (struct vc4_limits){ 500, 20000, 1000000 };
	unsigned good = 0;
	for (unsigned turn = 0; turn < 20000; turn++) {
		seed_fill(memory, false);
		uint8_t *c[2] = { memory, memory + 0x100 };
		c[0] += put_hex(c[0], MODE_70 GL);
		c[1] += put_hex(c[1], MODE_71);
		for (unsigned list = 0; list < 2; list++) {
			for (unsigned k = 0; k < 8; k++) {
				const struct vc4_record *r = NULL;
				while (!r || r->state == VC4_UNBUILT || !(r->lists & 1u << list)) {
					r = vc4_record((uint8_t)random32());
				}
				for (unsigned b = 1; b < r->size_bytes; b++) {
					/* small numbers, and pages of memory */
					c[list][b] = (uint8_t)(random32() & random32() & 0x17);
				}
				c[list][0] = r->op;
				c[list] += r->size_bytes;
			}
		}
		lists.end[0] = SEED_BASE + (uint32_t)(c[0] - memory);
		lists.end[1] = SEED_BASE + (uint32_t)(c[1] - memory);
		const int ret = run();
		if (ret == 0) {
			good++;
			check_frame();
		}
	}
	ck_assert_uint_gt(good, 500);
}

TEST(too_little_memory_is_an_error) {
	seed_fill(memory, false);
	uint8_t *c = memory + 0x10000;
	c += put_hex(c, MODE_70 GL);
	for (unsigned i = 0; i < 2000; i++) {
		c += put_hex(c, "62 00000040 " DRAW);
		put_word(c - 14, i);
	}
	lists.start[0] = SEED_BASE + 0x10000;
	lists.end[0] = SEED_BASE + (uint32_t)(c - memory);
	c = memory + 0x40000;
	for (unsigned i = 0; i < 2000; i++) {
		c += put_hex(c, MODE_71 "18 1C 0100 00001100");
		put_word(c - 18, 16 * i);
		put_word(c - 4, 16 * i);
	}
	lists.start[1] = SEED_BASE + 0x40000;
	lists.end[1] = SEED_BASE + (uint32_t)(c - memory);
	unsigned n = 0;
	for (; n < 1000; n++) {
		arena_finish(&arena);
		allocations_left = n;
		const int ret = run();
		allocations_left = UINT32_MAX;
		if (ret == 0) {
			break;
		}
		ck_assert_int_eq(ret, -ENOMEM);
		ck_assert_str_eq(error.why, "out of memory");
	}
	ck_assert_uint_gt(n, 10);
	ck_assert_uint_lt(n, 1000);
	check_frame();
}
