/*
 * From clip coordinates to pixels: clipping, viewport, culling, coverage, primitives,
 * interpolation.
 */
#include <errno.h>
#include <math.h>

#include "kit.h"

/* A window position in 1/16 pixel. */
struct place {
	int x, y;
};

static const uint32_t colors[6] = { 0xE04030FF, 0x30C050FF, 0x4060F0FF, 0xE0C030FF, 0xC040D0FF,
	0x30C0D0FF };

/*
 * Returns whether the centre of a pixel is inside a triangle of positive area: 1, 0, or -1 on an
 * edge. [fidelity: sample]
 */
static int inside(const struct place p[3], unsigned x, unsigned y) {
	int result = 1;
	for (unsigned i = 0; i < 3; i++) {
		const struct place a = p[i], b = p[(i + 1) % 3];
		const int e = (b.x - a.x) * (16 * (int)y + 8 - a.y) -
				(b.y - a.y) * (16 * (int)x + 8 - a.x);
		if (e < 0) {
			return 0;
		}
		/* Left edges and those of lowest y belong to the triangle. [fidelity: fill-rule] */
		if (e == 0) {
			const bool is_ours = b.y < a.y || (b.y == a.y && b.x > a.x);
			result = is_ours ? -1 : -2;
		}
	}
	return result;
}

static bool covers(struct maker *m, const struct place *p, unsigned x, unsigned y, bool *is_tie) {
	const int area = (p[1].x - p[0].x) * (p[2].y - p[0].y) -
			(p[1].y - p[0].y) * (p[2].x - p[0].x);
	const struct place turned[3] = { p[0], p[area < 0 ? 2 : 1], p[area < 0 ? 1 : 2] };
	const int result = area ? inside(turned, x, y) : 0;
	*is_tie |= result < 0;
	if (result < 0 && m->origin != ORIGIN_GUESS) {
		fprintf(stderr, "conformance: %s: pixel %u,%u lies on an edge\n", m->name, x, y);
		m->error = -EINVAL;
	}
	return result == 1 || result == -1;
}

static struct vertex at(const struct maker *m, struct place p, uint32_t color) {
	float c[4];
	put_color_float(c, color);
	return (struct vertex){ case_x(m, (float)p.x / 16), case_y(m, (float)p.y / 16), 0, 1, c[0],
		c[1], c[2], c[3], 0, 0, 1 };
}

static void draw_places(struct maker *m, uint32_t primitive, const struct place *p, unsigned n) {
	struct vertex v[16];
	for (unsigned i = 0; i < n; i++) {
		v[i] = at(m, p[i], colors[i % 6]);
	}
	case_vertices(m, primitive, v, n);
}

static void want_triangle(struct maker *m, const struct place *p, uint32_t color) {
	bool is_tie = false;
	EACH_PIXEL(m, x, y) {
		if (covers(m, p, x, y, &is_tie)) {
			m->want[y][x] = color;
		}
	}
}

/* ---- Coverage and culling ---- */

#define PX(x, y)                                                                                   \
	{ (int)(16 * (x)), (int)(16 * (y)) }

static void make_coverage(struct maker *m) {
	static const struct {
		const char *name;
		struct place p[3];
		bool is_tie;
	} rows[] = {
		{ "large", { PX(0.25, 0.25), PX(15.125, 0.375), PX(0.375, 15.25) }, false },
		{ "thin", { PX(1.0625, 1.1875), PX(14.8125, 13.3125), PX(14.1875, 14.4375) },
				false },
		{ "sliver-between-samples", { PX(1, 1), PX(1.4375, 1), PX(1, 6) }, false },
		{ "one-pixel", { PX(5.25, 7.25), PX(5.9375, 7.3125), PX(5.375, 7.9375) }, false },
		{ "sixteenths", { PX(2.0625, 3.4375), PX(13.9375, 2.625), PX(7.3125, 12.25) },
				false },
		{ "tie-lower-left", { PX(0, 0), PX(8, 0), PX(0, 8) }, true },
		{ "tie-upper-right", { PX(8, 0), PX(8, 8), PX(0, 8) }, true },
		{ "tie-on-samples-lower", { PX(0.5, 0.5), PX(4.5, 0.5), PX(0.5, 4.5) }, true },
		{ "tie-on-samples-upper", { PX(4.5, 0.5), PX(4.5, 4.5), PX(0.5, 4.5) }, true },
		{ "tie-peak", { PX(2, 2), PX(6, 2), PX(4, 6) }, true },
		{ "tie-slope", { PX(0, 0), PX(8, 4), PX(0, 4) }, true },
	};
	for (unsigned i = 0; i < 2 * ARRAY_LEN(rows); i++) {
		const struct place *p = rows[i / 2].p, turned[3] = { p[0], p[2], p[1] };
		const bool is_tie = rows[i / 2].is_tie;
		if (!case_begin(m, is_tie ? ORIGIN_GUESS : ORIGIN_RULE,
				    is_tie ? "fill-rule" : "sample", 16, 16, "cover-%s%s",
				    rows[i / 2].name, i & 1 ? "-clockwise" : "")) {
			return;
		}
		pica_emit_reg_masked(m->list, PICA_REG_RASTER_FLAT, 1, 1);
		draw_places(m, PICA_PRIMITIVE_LIST, i & 1 ? turned : p, 3);
		want_triangle(m, p, colors[2]);
		case_end(m);
	}
	/* Six triangles that tile squares, added: with any tie rule, each pixel is covered once. */
	if (case_begin(m, ORIGIN_RULE, "fill-rule", 16, 16, "cover-shared-edges-once")) {
		static const struct place fan[8] = { PX(8, 8), PX(0, 0), PX(16, 0), PX(16, 5),
			PX(16, 16), PX(3, 16), PX(0, 16), PX(0, 0) };
		struct vertex v[8];
		pica_emit_blend(m->list, &(const struct pica_blend){ .rgb_src = 1, .rgb_dst = 1 });
		for (unsigned i = 0; i < 8; i++) {
			v[i] = at(m, fan[i], 0x402010FF);
		}
		case_vertices(m, PICA_PRIMITIVE_FAN, v, 8);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = 0x907060FF;
		}
		case_end(m);
	}
}

static void make_culling(struct maker *m) {
	static const struct place left[3] = { PX(0.25, 1), PX(7, 2.125), PX(1, 14.25) };
	static const struct place right[3] = { PX(8.25, 1), PX(9, 14.125), PX(15.25, 2.25) };
	for (unsigned mode = 0; mode < 4; mode++) {
		if (!case_begin(m, ORIGIN_RULE, "culling", 16, 16, "cull-mode-%u", mode)) {
			return;
		}
		pica_emit_reg(m->list, PICA_REG_FACECULLING_CONFIG, mode);
		pica_emit_reg_masked(m->list, PICA_REG_RASTER_FLAT, 1, 1);
		draw_places(m, PICA_PRIMITIVE_LIST, left, 3);
		draw_places(m, PICA_PRIMITIVE_LIST, right, 3);
		/* The left one is counter-clockwise, a front face. */
		if (mode != PICA_CULL_FRONT) {
			want_triangle(m, left, colors[2]);
		}
		if (mode != PICA_CULL_BACK) {
			want_triangle(m, right, colors[2]);
		}
		case_end(m);
	}
}

/* ---- Viewport and clipping ---- */

static void make_viewport(struct maker *m) {
	static const struct {
		const char *name;
		int x, y;
		unsigned width, height;
	} rows[] = { { "offset", 3, 5, 8, 8 }, { "odd-size", 2, 1, 11, 13 },
		{ "negative-offset", -4, -2, 16, 8 }, { "beyond-the-target", 4, 8, 240, 64 },
		{ "one-pixel", 9, 6, 1, 1 } };
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		if (!case_begin(m, ORIGIN_RULE, "viewport", 16, 16, "viewport-%s", rows[i].name)) {
			return;
		}
		pica_emit_scissor(m->list, PICA_SCISSOR_INSIDE, 0, 0, m->width - 1, 1023);
		pica_emit_viewport(m->list, rows[i].x, rows[i].y, rows[i].width, rows[i].height);
		/* The whole clip space, and a border of the same size. */
		BOX(m, .x0 = -16, .y0 = -16, .x1 = 32, .y1 = 32, .rgba = 0xF0A030FF);
		EACH_PIXEL(m, x, y) {
			const int a = (int)x - rows[i].x, b = (int)y - rows[i].y;
			const bool is_in = a >= 0 && b >= 0 && a < (int)rows[i].width &&
					b < (int)rows[i].height;
			m->want[y][x] = is_in ? 0xF0A030FF : GROUND;
		}
		case_end(m);
	}
}

/* A box whose right corners have a different z and w. */
static void draw_slope(struct maker *m, float z0, float z1, float w) {
	struct vertex v[4];
	for (unsigned k = 0; k < 4; k++) {
		v[k] = (struct vertex){ k & 1 ? w : -w, k & 2 ? w : -w, k & 1 ? z1 : z0, w, 0.25f,
			0.75f, 1, 1, 0, 0, 1 };
	}
	case_vertices(m, PICA_PRIMITIVE_STRIP, v, 4);
}

static void make_clipping(struct maker *m) {
	static const struct {
		const char *name, *rule;
		float z0, z1, w;
		float plane[4];
		bool has_plane, is_off;
		unsigned from, to; /* columns that remain */
	} rows[] = {
		{ "near-z-0", "clipping", 0.5f, -0.5f, 1, { 0 }, false, false, 8, 16 },
		{ "far-z-minus-w", "clipping", -0.5f, -1.5f, 1, { 0 }, false, false, 0, 8 },
		{ "far-of-w-2", "clipping", -1, -3, 2, { 0 }, false, false, 0, 8 },
		{ "z-minus-w-is-inside", "clipping", -1, -1, 1, { 0 }, false, false, 0, 16 },
		{ "z-0-is-inside", "clipping", 0, 0, 1, { 0 }, false, false, 0, 16 },
		{ "z-small-is-inside", "clipping", 1e-9f, 1e-9f, 1, { 0 }, false, false, 0, 16 },
		{ "z-positive-is-outside", "clipping", 1e-3f, 1e-3f, 1, { 0 }, false, false, 0, 0 },
		{ "w-negative-is-outside", "clipping", -0.5f, -0.5f, -1, { 0 }, false, false, 0,
				0 },
		{ "plane-x", "clipping", -0.5f, -0.5f, 1, { 1, 0, 0, 0 }, true, false, 8, 16 },
		{ "plane-minus-x-and-w", "clipping", -0.5f, -0.5f, 1, { -1, 0, 0, 0.5f }, true,
				false, 0, 12 },
		{ "plane-z", "clipping", 0, -1, 1, { 0, 0, 1, 0.25f }, true, false, 0, 4 },
		{ "plane-all-out", "clipping", -0.5f, -0.5f, 1, { 0, 0, 0, -1 }, true, false, 0,
				0 },
		{ "plane-is-off", "clipping", -0.5f, -0.5f, 1, { 0, 0, 0, -1 }, true, true, 0, 16 },
		{ "nan-z", "clipping", NAN, NAN, 1, { 0 }, false, false, 0, 0 },
		{ "infinite-z", "clipping", -INFINITY, -INFINITY, 1, { 0 }, false, false, 0, 0 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		if (!case_begin(m, ORIGIN_RULE, rows[i].rule, 16, 16, "clip-%s", rows[i].name)) {
			return;
		}
		if (rows[i].has_plane) {
			pica_emit_clip_plane(m->list, rows[i].plane);
		}
		if (rows[i].is_off) {
			pica_emit_reg(m->list, PICA_REG_FRAGOP_CLIP, 0);
		}
		draw_slope(m, rows[i].z0, rows[i].z1, rows[i].w);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = x >= rows[i].from && x < rows[i].to ? 0x40BFFFFF : GROUND;
		}
		case_end(m);
	}
}

/* ---- Primitives and colours ---- */

static void make_primitives(struct maker *m) {
	/* In the order of a strip: below, above, to the right; and around a middle. */
	static const struct place strip[6] = { PX(0.25, 0.5), PX(0.375, 15.25), PX(5.25, 1.125),
		PX(6.375, 14.5), PX(11.25, 0.625), PX(15.25, 15.375) };
	static const struct place fan[6] = { PX(8.3125, 7.1875), PX(0.25, 0.75), PX(15.25, 1.25),
		PX(14.25, 14.75), PX(7.75, 15.25), PX(1.25, 12.25) };
	static const uint8_t strips[4][3] = { { 0, 1, 2 }, { 2, 1, 3 }, { 2, 3, 4 }, { 4, 3, 5 } };
	static const uint8_t fans[4][3] = { { 0, 1, 2 }, { 0, 2, 3 }, { 0, 3, 4 }, { 0, 4, 5 } };
	static const uint8_t lists[2][3] = { { 0, 1, 2 }, { 3, 4, 5 } };
	static const char *const names[8] = { "list", "strip", "fan", "geometry", "list-of-5",
		"strip-of-4", "fan-of-3", "strip-culled" };
	for (unsigned i = 0; i < 8; i++) {
		const unsigned primitive = i == 7 ? PICA_PRIMITIVE_STRIP : i % 4;
		const unsigned n = i < 4 || i == 7 ? 6 : i == 4 ? 5 : i == 5 ? 4 : 3;
		const struct place *p = primitive == PICA_PRIMITIVE_FAN ? fan : strip;
		const bool is_list = primitive == PICA_PRIMITIVE_LIST ||
				primitive == PICA_PRIMITIVE_GEOMETRY;
		if (!case_begin(m, ORIGIN_RULE, "assembly", 16, 16, "primitive-%s", names[i])) {
			return;
		}
		/* With flat colours each triangle has that of its third vertex. */
		pica_emit_reg_masked(m->list, PICA_REG_RASTER_FLAT, 1, 1);
		pica_emit_cull(m->list, i == 7 ? PICA_CULL_FRONT : PICA_CULL_NONE);
		draw_places(m, i == 4 ? (unsigned)PICA_PRIMITIVE_LIST : primitive, p, n);
		const unsigned count = is_list ? n / 3 : n - 2;
		for (unsigned k = 0; k < count; k++) {
			const uint8_t *v = is_list                      ? lists[k] :
					primitive == PICA_PRIMITIVE_FAN ? fans[k] :
									  strips[k];
			const struct place triangle[3] = { p[v[0]], p[v[1]], p[v[2]] };
			want_triangle(m, triangle, colors[v[2]]);
		}
		case_end(m);
	}
}

static void make_colors(struct maker *m) {
	static const struct place p[3] = { PX(0.25, 0.25), PX(15.75, 0.375), PX(0.375, 15.75) };
	if (case_begin(m, ORIGIN_RULE, "interpolation", 16, 16, "flat-third-vertex")) {
		pica_emit_reg_masked(m->list, PICA_REG_RASTER_FLAT, 1, 1);
		draw_places(m, PICA_PRIMITIVE_LIST, p, 3);
		want_triangle(m, p, colors[2]);
		case_end(m);
	}
	static const char *const names[3] = { "linear", "perspective", "perspective-texture" };
	for (unsigned i = 0; i < 3; i++) {
		if (!case_begin(m, ORIGIN_GUESS, "planes", 32, 32, "interpolation-%s", names[i])) {
			return;
		}
		struct vertex v[4];
		for (unsigned k = 0; k < 4; k++) {
			const float w = i && k & 1 ? 4 : 1;
			v[k] = (struct vertex){ k & 1 ? w : -w, k & 2 ? w : -w, -w / 8, w, k & 1,
				k >> 1, k == 0, 1, k & 1, k >> 1, 1 };
		}
		if (i == 2) {
			EACH_PIXEL(m, x, y) {
				m->texels[y][x] = (x ^ y) & 4 ? 0xF0F0F0FF :
								edge_color(x / 2, y / 2, 2) | 255;
			}
			case_texture(m, 0, 1);
			tev_texture(&m->r);
		}
		case_vertices(m, PICA_PRIMITIVE_STRIP, v, 4);
		case_end(m);
	}
	/* Vertex colours: absolute values, at most 1; bytes to the nearest. */
	static const float values[16] = { -2, -1, -0.5f, -0.25f, -0.0f, 0, 0.25f, 0.5f, 0.75f,
		0.99609375f, 1, 1.5f, 64, INFINITY, -INFINITY, NAN };
	if (case_begin(m, ORIGIN_CONSOLE, "semantics", 16, 16, "vertex-colors-absolute")) {
		for (unsigned x = 0; x < 16; x++) {
			struct vertex v[4];
			for (unsigned k = 0; k < 4; k++) {
				v[k] = at(m,
						(struct place){ 16 * (int)(x + (k & 1)),
								k & 2 ? 256 : 0 },
						255);
				v[k].r = values[x];
				v[k].g = 0.5f;
			}
			case_vertices(m, PICA_PRIMITIVE_STRIP, v, 4);
		}
		EACH_PIXEL(m, x, y) {
			const float a = fabsf(values[x]), c = a < 1 ? a : 1;
			m->want[y][x] = (uint32_t)(c * 255 + 0.5f) << 24 | 0x8000FF;
		}
		case_end(m);
	}
	/* rcp(10) and rsq(100) are 25 on a console. [fidelity: interpolation] */
	static const char programs[2][256] = {
		OUT_COLOR
		".constf k(10.0, 100.0, 1.0, 0.75)\n.in in_pos v0\n.proc main\n	mov out_pos, in_pos\n"
		"	rcp r0.x, k.x\n	mov out_color, r0.xxxx\n" END,
		OUT_COLOR
		".constf k(10.0, 100.0, 1.0, 0.75)\n.in in_pos v0\n.proc main\n	mov out_pos, in_pos\n"
		"	rsq r0.x, k.y\n	mov out_color, r0.xxxx\n" END,
	};
	for (unsigned i = 0; i < 2; i++) {
		if (case_begin(m, ORIGIN_CONSOLE, "interpolation", 16, 16,
				    i ? "color-of-rsq-100" : "color-of-rcp-10")) {
			use_program(&m->r, programs[i]);
			BOX(m, .rgba = 0);
			EACH_PIXEL(m, x, y) {
				m->want[y][x] = gray(25);
			}
			case_end(m);
		}
	}
}

void make_geometry(struct maker *m) {
	make_coverage(m);
	make_culling(m);
	make_viewport(m);
	make_clipping(m);
	make_primitives(m);
	make_colors(m);
}
