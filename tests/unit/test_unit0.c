/*
 * Cube and shadow textures through the whole engine: passes that draw what others sample, budgets,
 * faults.
 */
#include "engine_rig.h"
#include "tests/suite.h"

enum { FACES = 6, FACE_BYTES = 4 * PIXELS, MAPS = OTHER, BAND = 8 };

/* A quad over memory rows [y0, y1), the same attribute at all corners. */
static void put_quad(unsigned i, float y0, float y1, const float a[4]) {
	for (unsigned k = 0; k < 4; k++) {
		put_vertex(i + k, k & 1 ? SIDE : 0, k & 2 ? y1 : y0, a);
	}
}

static void draw_quad(struct pica_emit *e, unsigned i) {
	pica_emit_draw_arrays(e, PICA_PRIMITIVE_STRIP, i, 4);
}

/* A texture of the target's size at MAPS, for u, v, w from the second attribute. */
static struct pica_texture texture(uint32_t type) {
	struct pica_texture t = { .addr = MAPS, .width = SIDE, .height = SIDE,
		.format = PICA_TEXTURE_FORMAT_RGBA8, .type = type };
	for (unsigned i = 1; i < FACES; i++) {
		t.faces[i - 1] = MAPS + i * FACE_BYTES;
	}
	return t;
}

static void emit_sampling(struct pica_emit *e, const struct pica_texture *t) {
	static const struct pica_output outputs[] = {
		{ PICA_OUTPUT_POSITION, 0, 15 },
		{ PICA_OUTPUT_TEXCOORD0, 1, 3 },
		{ PICA_OUTPUT_TEXCOORD0_W, 1, 4 },
	};
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	pica_emit_outputs(e, PICA_UNIT_VS, outputs, 3);
	pica_emit_texture(e, 0, t);
	pica_emit_texture_units(e, 1, 0, false);
	pica_emit_tev(e, 0, &tev);
	pica_emit_reg(e, PICA_REG_TEXUNIT0_SHADOW, 1); /* no bias, not divided */
}

/* Back to plain colours. */
static void emit_colors(struct pica_emit *e) {
	pica_emit_outputs(e, PICA_UNIT_VS, pass_outputs, 2);
	pica_emit_texture_units(e, 0, 0, false);
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_PRIMARY;
	pica_emit_tev(e, 0, &tev);
}

static const float axis[FACES][4] = { { 1, 0, 0, 0 }, { -1, 0, 0, 0 }, { 0, 1, 0, 0 },
	{ 0, -1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, -1, 0 } };

ENGINE_TEST(cube_of_drawn_faces_is_ordered) {
	const struct pica_texture cube = texture(PICA_TEXTURE_TYPE_CUBE);
	for (unsigned round = 0; round < 12; round++) {
		emit_state(&e, COLOR);
		for (unsigned i = 0; i < FACES; i++) {
			const float color[4] = { (float)(i + 1) / 255, (float)round / 255, 0, 1 };
			put_quad(4 * i, 0, SIDE, color);
			put_quad(4 * (FACES + i), (float)(i * BAND), (float)((i + 1) * BAND),
					axis[i]);
			emit_target(&e, MAPS + i * FACE_BYTES);
			draw_quad(&e, 4 * i);
		}
		emit_target(&e, COLOR);
		emit_sampling(&e, &cube);
		for (unsigned i = 0; i < FACES; i++) {
			draw_quad(&e, 4 * (FACES + i));
		}
		ck_assert_int_eq(run_list(&e).result, 0);
		for (unsigned i = 0; i < FACES; i++) {
			ck_assert_uint_eq(count_color(COLOR, (i + 1) << 24 | round << 16 | 0xFF),
					BAND * SIDE);
		}
	}
}

ENGINE_TEST(shadow_map_of_an_earlier_pass_is_seen) {
	const struct pica_texture map = texture(PICA_TEXTURE_TYPE_SHADOW_2D);
	/*
	 * As a map: depth 7F0000 and 800000, density 200. From w = 0.5 the first one is in front.
	 */
	const float before[4] = { 200.0f / 255, 0, 0, 127.0f / 255 };
	const float behind[4] = { 200.0f / 255, 0, 0, 128.0f / 255 };
	const float place[4] = { 0.5f, 0.5f, 0.5f, 0 };
	put_quad(0, 0, SIDE, before);
	put_quad(4, 0, SIDE, behind);
	put_quad(8, 0, SIDE / 2, place);
	put_quad(12, SIDE / 2, SIDE, place);
	for (unsigned round = 0; round < 12; round++) {
		emit_state(&e, MAPS);
		draw_quad(&e, round & 1 ? 0 : 4);
		emit_target(&e, COLOR);
		emit_sampling(&e, &map);
		draw_quad(&e, 8);
		/* The map changes again after the pass that has read it. */
		emit_target(&e, MAPS);
		emit_colors(&e);
		draw_quad(&e, round & 1 ? 4 : 0);
		emit_target(&e, COLOR);
		emit_sampling(&e, &map);
		draw_quad(&e, 12);
		ck_assert_int_eq(run_list(&e).result, 0);
		ck_assert_uint_eq(count_color(COLOR, 0xC8C8C8C8), PIXELS / 2);
		ck_assert_uint_eq(count_color(COLOR, 0), PIXELS / 2);
		uint32_t first;
		ck_assert_int_eq(pica_ctx_read_memory(ctx, COLOR, &first, 4), 0);
		ck_assert_uint_eq(first, round & 1 ? 0 : 0xC8C8C8C8);
	}
}

ENGINE_TEST(cube_over_its_own_target_reads_the_pixels_before_the_draw) {
	/* Left half red, right half green; then all of it from face -Z in mirror image. */
	struct pica_texture cube = texture(PICA_TEXTURE_TYPE_CUBE);
	cube.faces[4] = COLOR;
	put_quad(0, 0, SIDE, green);
	for (unsigned k = 0; k < 4; k++) {
		put_vertex(4 + k, k & 1 ? SIDE / 2 : 0, k & 2 ? SIDE : 0, red);
		/* s = 1/2 - u/2 is 1 on the left, t = 1/2 + v/2 with v = -1 at row 0. */
		const float u = k & 1 ? 0.999f : -0.999f, v = k & 2 ? -0.999f : 0.999f;
		const float direction[4] = { u, v, -1, 0 };
		put_vertex(8 + k, k & 1 ? SIDE : 0, k & 2 ? SIDE : 0, direction);
	}
	emit_state(&e, COLOR);
	draw_quad(&e, 0);
	draw_quad(&e, 4);
	emit_sampling(&e, &cube);
	draw_quad(&e, 8);
	ck_assert_int_eq(run_list(&e).result, 0);
	expect_halves();
}

ENGINE_TEST(face_over_the_target_is_copied_though_another_one_is_sampled_first) {
	/*
	 * The lower rows become red by face +X; then the upper ones see row 3 of the target by face
	 * -X.
	 */
	struct pica_texture cube = texture(PICA_TEXTURE_TYPE_CUBE);
	cube.faces[0] = COLOR;
	const float up[4] = { -1, -0.9f, 0, 0 };
	put_quad(0, 0, SIDE, red);
	put_quad(4, 0, SIDE, green);
	put_vertex(8, 0, 0, axis[0]);
	put_vertex(9, SIDE, 0, axis[0]);
	put_vertex(10, 0, SIDE / 2, axis[0]);
	put_vertex(11, SIDE, 0, axis[0]);
	put_vertex(12, SIDE, SIDE / 2, axis[0]);
	put_vertex(13, 0, SIDE / 2, axis[0]);
	put_vertex(14, 0, SIDE / 2, up);
	put_vertex(15, SIDE, SIDE / 2, up);
	put_vertex(16, 0, SIDE, up);
	put_vertex(17, SIDE, SIDE / 2, up);
	put_vertex(18, SIDE, SIDE, up);
	put_vertex(19, 0, SIDE, up);
	emit_state(&e, MAPS);
	draw_quad(&e, 0);
	emit_target(&e, COLOR);
	draw_quad(&e, 4);
	emit_sampling(&e, &cube);
	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 8, 12);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, (uint32_t)RED), PIXELS / 2);
	ck_assert_uint_eq(count_color(COLOR, GREEN), PIXELS / 2);
}

ENGINE_TEST(shadow_map_over_its_own_target_reads_the_pixels_before_the_draw) {
	/* Lit pixels become 10101010, which would be in shadow if it were read again. */
	struct pica_texture map = texture(PICA_TEXTURE_TYPE_SHADOW_2D);
	map.addr = COLOR;
	const float far[4] = { 16.0f / 255, 1, 1, 1 }, place[4] = { 0.5f, 0.5f, 0.5f, 0 };
	put_quad(0, 0, SIDE, far);
	put_quad(4, 0, SIDE, place);
	emit_state(&e, COLOR);
	draw_quad(&e, 0);
	emit_sampling(&e, &map);
	draw_quad(&e, 4);
	ck_assert_int_eq(run_list(&e).result, 0);
	ck_assert_uint_eq(count_color(COLOR, 0x10101010), PIXELS);
}

TEST(every_face_is_charged) {
	/* 66 * 66 words each, and a little. */
	static const struct {
		uint64_t budget;
		bool same;
		int result;
	} cases[] = { { 28000, false, 0 }, { 26000, false, -EDQUOT }, { 9000, true, 0 },
			{ 4000, true, -EDQUOT } };
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pica_budgets b = { .pixels = cases[i].budget };
		struct pica_texture cube = texture(PICA_TEXTURE_TYPE_CUBE);
		struct pica_emit e;
		open_engine(0, &b);
		for (unsigned k = 0; cases[i].same && k < FACES - 1; k++) {
			cube.faces[k] = cube.addr;
		}
		put_triangle(axis[0]);
		emit_state(&e, COLOR);
		emit_sampling(&e, &cube);
		pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
		ck_assert_msg(run_list(&e).result == cases[i].result, "case %u", i);
		close_engine();
	}
}

ENGINE_TEST(cache_bit_drops_decoded_faces) {
	const struct pica_texture cube = texture(PICA_TEXTURE_TYPE_CUBE);
	uint32_t *face = pica_ctx_host(ctx, cube.faces[2], FACE_BYTES); /* -Y */
	ck_assert_ptr_nonnull(face);
	for (unsigned round = 0; round < 4; round++) {
		/*
		 * This write is not announced: only the bit makes sure that the new texels are
		 * seen.
		 */
		for (unsigned i = 0; i < PIXELS; i++) {
			face[i] = 0x01020300 + round;
		}
		put_quad(0, 0, SIDE, axis[3]);
		if (round == 0) {
			emit_state(&e, COLOR);
			emit_sampling(&e, &cube);
		} else {
			pica_emit_init(&e);
			pica_emit_reg_masked(&e, PICA_REG_TEXUNIT_CONFIG, 1u << 16, 4);
		}
		draw_quad(&e, 0);
		ck_assert_int_eq(run_list(&e).result, 0);
		ck_assert_uint_eq(count_color(COLOR, 0x01020300 + round), PIXELS);
	}
}

/* Pixel (0, 0) when a quad looks at a face of a cube with this register changed. */
static uint32_t look(unsigned face, uint32_t id, uint32_t word, uint64_t faults[PICA_FAULT_COUNT]) {
	const struct pica_texture cube = texture(PICA_TEXTURE_TYPE_CUBE);
	struct pica_emit e;
	uint32_t corner;
	open_engine(0, NULL);
	put_quad(0, 0, SIDE, axis[face]);
	emit_state(&e, COLOR);
	emit_sampling(&e, &cube);
	pica_emit_reg(&e, id, word);
	draw_quad(&e, 0);
	ck_assert_int_eq(run_list(&e).result, 0);
	struct pica_stats stats = { .size = sizeof(stats) };
	ck_assert_int_eq(pica_stats(ctx, &stats), 0);
	memcpy(faults, stats.faults, sizeof(stats.faults));
	ck_assert_int_eq(pica_ctx_read_memory(ctx, COLOR, &corner, 4), 0);
	close_engine();
	return corner;
}

TEST(cubes_that_cannot_be_sampled) {
	uint64_t faults[PICA_FAULT_COUNT];
	/* Sides that are not whole tiles, undefined formats: counted once. */
	ck_assert_uint_eq(look(1, PICA_REG_TEXUNIT0_DIM, 64u << 16 | 12, faults), 0);
	ck_assert_uint_eq(faults[PICA_FAULT_BAD_TEXTURE], 1);
	ck_assert_uint_eq(look(1, PICA_REG_TEXUNIT0_DIM, 0, faults), 0);
	ck_assert_uint_eq(faults[PICA_FAULT_BAD_TEXTURE], 1);
	ck_assert_uint_eq(look(1, PICA_REG_TEXUNIT0_TYPE, 15, faults), 0);
	ck_assert_uint_eq(faults[PICA_FAULT_BAD_TEXTURE], 1);
	/*
	 * Faces outside memory read 0: the last one that 28 bits can name, and one that leaves its
	 * window.
	 */
	ck_assert_uint_eq(look(1, PICA_REG_TEXUNIT0_ADDR2, 0x003FFFFF, faults), 0);
	ck_assert_uint_eq(look(1, PICA_REG_TEXUNIT0_ADDR2, (0x600000 - 64) >> 3, faults), 0);
	ck_assert_uint_eq(faults[PICA_FAULT_BAD_TEXTURE], 0);
	/* In the lowest 32 MiB: the first face at address 0, the second one where no memory is. */
	ck_assert_uint_eq(look(0, PICA_REG_TEXUNIT0_ADDR1, 0, faults), 0x000000FF);
	ck_assert_uint_eq(look(1, PICA_REG_TEXUNIT0_ADDR1, 0, faults), 0);
	ck_assert_uint_eq(faults[PICA_FAULT_BAD_TEXTURE], 0);
}
