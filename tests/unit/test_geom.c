/*
 * The geometry room: fetch, output map, clipping, viewport, culling. [fidelity: geometry-numbers]
 */
#include "geom_rig.h"
#include "tests/suite.h"

/* ---- Output map ---- */

FIXTURE(setup, teardown)

TEST(outputs_map_to_semantics) {
	regs[REG_SH_OUTMAP_TOTAL] = 2;
	regs[REG_SH_OUTMAP_O0] = 0x03020100;
	regs[REG_SH_OUTMAP_O1] = 0x0B0A0908;
	struct out_map m;
	out_map_from_regs(&m, regs, 0x0011);
	ck_assert_uint_eq(m.n_registers, 2);
	ck_assert_uint_eq(m.reg[1], 4);
	memset(&batch, 0, sizeof(batch));
	const float o0[4] = { 1, 2, -0.5f, 4 }, o4[4] = { -1.5f, 0.5f, 2, NAN };
	for (unsigned c = 0; c < 4; c++) {
		batch.o[0][c][9] = o0[c];
		batch.o[4][c][9] = o4[c];
	}
	struct clip_vertex v;
	out_map_vertex(&m, &batch, 9, &v);
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
}

TEST(every_semantic_reaches_its_plane) {
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

TEST(later_slots_win_and_missing_registers_read_zero) {
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
	return (struct clip_vertex){ .pos = { x, y, z, w } };
}

static unsigned clip(const struct geom_state *g, const struct clip_vertex v[3],
	struct clip_vertex out[CLIP_MAX_VERTICES]) {
	const struct clip_vertex *const p[3] = { &v[0], &v[1], &v[2] };
	return clip_polygon(
		g, p, clip_code(g, p[0]) | clip_code(g, p[1]) | clip_code(g, p[2]), out);
}

TEST(state_comes_from_registers) {
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
	ck_assert(g.clip_enabled && g.flat && !g.rule->flip);
	ck_assert_float_eq(g.clip_plane[3], 0.5f);
	ck_assert_uint_eq(g.height, 320);
	regs[REG_FRAMEBUFFER_DIM] |= 1 << 24;
	geom_state_from_regs(&g, regs);
	ck_assert(g.rule->flip);
}

TEST(codes_name_the_planes) {
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

TEST(edge_crosses_far_plane_at_half) {
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

TEST(edge_crosses_right_plane_at_half) {
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

TEST(clipping_handles_the_special_cases) {
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

TEST(user_plane_keeps_the_positive_side) {
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

TEST(corner_outside_two_planes_gives_five_corners) {
	struct geom_state g = state();
	/*
	 * Cut by x = w and y = w; the top right corner of the volume stays outside of the triangle.
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

TEST(triangle_around_the_volume_gives_the_volume) {
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

/* ---- Viewport ---- */

TEST(viewport_transforms_and_snaps) {
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
		ck_assert_int_eq(o.x_fx, rows[i].x);
		ck_assert_int_eq(o.y_fx, rows[i].y);
		ck_assert_float_eq(o.a[PLANE_Z], rows[i].z);
		ck_assert_float_eq(o.a[PLANE_IW], 1.0f / rows[i].p[3]);
	}
	regs[REG_VIEWPORT_XY] = 0x03FF0002;
	g = state();
	struct clip_vertex v = at(-1, -1, -1, 1);
	struct vert o;
	ck_assert(project(&g, &v, &o));
	ck_assert_int_eq(o.x_fx, 32);
	ck_assert_int_eq(o.y_fx, -16);
	/* Rows that run against y. */
	g.rule = &pica_rule[1];
	ck_assert(project(&g, &v, &o));
	ck_assert_int_eq(o.y_fx, 16 * 320 + 16);
}

TEST(ties_snap_away_from_zero) {
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
		ck_assert_int_eq(o.x_fx, rows[i].want);
	}
}

TEST(attributes_are_divided_by_w) {
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
	g.flat = PLANES_COLOR;
	ck_assert(project(&g, &v, &o));
	ck_assert_float_eq(o.a[PLANE_COLOR + 3], 3.0f);
	ck_assert_float_eq(o.a[PLANE_TC0], 2.0f);
}

TEST(points_out_of_range_are_refused) {
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
	ck_assert_int_eq(o.x_fx, 32766);
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
	ck_assert_int_eq(o.x_fx, 1920);
	/* 1/w overflows. */
	v = at(1e-42f, 0, 0, 1e-42f);
	ck_assert(!project(&g, &v, &o));
}

/* ---- Culling ---- */

TEST(culling_uses_window_space) {
	struct geom_state g = state();
	struct vert v[3];
	memset(v, 0, sizeof(v));
	v[1].x_fx = 160;
	v[2].y_fx = 160;
	ck_assert_int_eq(window_area2(&g, &v[0], &v[1], &v[2]), 25600);
	ck_assert_int_eq(window_area2(&g, &v[0], &v[2], &v[1]), -25600);
	/* In flipped rows the same records turn the other way round in the window. */
	g.rule = &pica_rule[1];
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
	v[0].x_fx = v[0].y_fx = -32767;
	v[1].x_fx = 32767;
	v[1].y_fx = -32767;
	v[2].x_fx = -32767;
	v[2].y_fx = 32767;
	g.rule = &pica_rule[0];
	ck_assert_int_eq(window_area2(&g, &v[0], &v[1], &v[2]), INT64_C(65534) * 65534);
}

TEST(flip_does_not_change_culling) {
	for (int flip = 0; flip < 2; flip++) {
		struct geom_state g = state();
		g.rule = &pica_rule[flip];
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

ISA_TEST(a_batch_equals_single_vertices) {
	struct geom_state g = state();
	regs[REG_SH_OUTMAP_TOTAL] = 2;
	regs[REG_SH_OUTMAP_O0] = 0x03020100;
	regs[REG_SH_OUTMAP_O1] = 0x0B0A0908;
	struct out_map m;
	out_map_from_regs(&m, regs, 3);
	memset(&batch, 0, sizeof(batch));
	for (unsigned i = 0; i < 5; i++) {
		batch.o[0][0][i] = (float)i - 2.0f;
		batch.o[0][2][i] = -0.5f;
		batch.o[0][3][i] = i == 4 ? 0.0f : 1.0f;
		batch.o[1][1][i] = -0.25f;
	}
	geom_kernels_init(&kernels, (enum isa)_i);
	struct clip_vertex cv[5] = { [3].a[PLANE_TC0 - PLANE_USER] = 8.0f };
	struct vert out[5] = { [3].a[PLANE_TC0] = 9.0f }; /* not read, so it stays */
	uint8_t codes[5], ok[5];
	const uint32_t planes = 1u << PLANE_COLOR | 1u << (PLANE_COLOR + 1);
	kernels.project_batch(&g, &m, &batch, 5, planes, cv, out, codes, ok);
	static const uint8_t want[5] = { 2, 0, 0, 0, 1 };
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_uint_eq(codes[i], i == 4 ? 33 : want[i]);
		ck_assert_uint_eq(ok[i], i < 4);
		ck_assert_float_eq(cv[i].a[1], 0.25f);
	}
	ck_assert_int_eq(out[1].x_fx, 0);
	ck_assert_int_eq(out[3].x_fx, 3840);
	ck_assert_float_eq(out[3].a[PLANE_COLOR + 1], 0.25f);
	ck_assert_float_eq(out[3].a[PLANE_TC0], 9.0f);
	ck_assert_float_eq(cv[3].a[PLANE_TC0 - PLANE_USER], 8.0f);
}
