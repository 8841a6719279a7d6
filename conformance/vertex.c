/* Vertices: formats, layouts and sources of attributes, draws, and semantics of outputs. */
#include <errno.h>

#include "kit.h"

/* Position, and as grey the sum of the components in `select`, times scale, plus 1/2. */
static const char value_program[] =
		".fvec scale\n" OUT_COLOR ".in in_pos v0\n.in in_value v1\n.in in_select v2\n"
		".constf k(0.5, 0.0, 0.0, 1.0)\n.proc main\n	mov out_pos, in_pos\n"
		"	mov r1, in_value\n	dp4 r0.x, r1, in_select\n"
		"	mul r0.x, scale.x, r0.x\n	add r0.x, k.x, r0.x\n"
		"	mov out_color, r0.xxxx\n" END;

/* Position and colour. */
static const char color_of_v1[] =
		OUT_COLOR ".in in_pos v0\n.in in_color v1\n.proc main\n"
			  "	mov out_pos, in_pos\n	mov out_color, in_color\n" END;

static uint32_t to_byte(double x) {
	return x <= 0 ? 0 : x >= 1 ? 255 : (uint32_t)(x * 255 + 0.5);
}

static uint32_t offset_of(struct maker *m, const void *data, uint32_t size) {
	return recorder_store(&m->r, data, size) - ARRAY_BASE;
}

/* ---- Formats ---- */

enum { COLUMNS = 8, ROWS = 4, CORNERS = 6 };

static void make_formats(struct maker *m) {
	static const struct {
		const char *name;
		unsigned bytes;
		double scale, values[COLUMNS];
	} types[4] = {
		{ "s8", 1, 1.0 / 256, { -128, -127, -64, -1, 0, 1, 64, 127 } },
		{ "u8", 1, 1.0 / 512, { 0, 1, 64, 127, 128, 200, 254, 255 } },
		{ "s16", 2, 1.0 / 65536, { -32768, -16384, -256, -1, 0, 1, 256, 32767 } },
		{ "f32", 4, 1.0 / 4, { -2, -1, -0.5, -0.25, 0, 0.25, 1.5, 1.75 } },
	};
	for (unsigned i = 0; i < 16; i++) {
		const unsigned type = i / 4, n = i % 4 + 1, size = types[type].bytes;
		struct {
			float x, y;
			uint8_t select[4];
		} place[COLUMNS * ROWS * CORNERS];
		uint8_t value[COLUMNS * ROWS * CORNERS * 16] = { 0 };
		const unsigned stride = (n * size + 3) & ~3u;
		if (!case_begin(m, ORIGIN_RULE, "vertex-values", 16, 16, "attribute-%sx%u",
				    types[type].name, n)) {
			return;
		}
		for (unsigned v = 0; v < COLUMNS * ROWS * CORNERS; v++) {
			static const uint8_t corner[CORNERS] = { 0, 1, 2, 2, 1, 3 };
			const unsigned cell = v / CORNERS, col = cell % COLUMNS,
				       row = cell / COLUMNS;
			const unsigned k = corner[v % CORNERS];
			place[v].x = case_x(m, 2 * (float)(col + (k & 1)));
			place[v].y = case_y(m, 4 * (float)(row + (k >> 1)));
			memset(place[v].select, 0, 4);
			place[v].select[row] = 1;
			for (unsigned c = 0; c < n; c++) {
				const double x = types[type].values[(col + 3 * c) % COLUMNS];
				const float f = (float)x;
				const int whole = (int)x;
				memcpy(value + v * stride + c * size,
						type == 3 ? (const void *)&f : &whole, size);
			}
		}
		const struct pica_attributes a = { .base = ARRAY_BASE,
			.n = 3,
			.format = { { PICA_ATTRIB_TYPE_F32, 2 }, { (uint8_t)type, (uint8_t)n },
					{ PICA_ATTRIB_TYPE_U8, 4 } },
			.n_loaders = 2,
			.loader = { { offset_of(m, place, sizeof(place)), sizeof(place[0]), 2,
						    { 0, 2 } },
					{ offset_of(m, value, sizeof(value)), (uint8_t)stride, 1,
							{ 1 } } } };
		use_program(&m->r, value_program);
		set_uniform(&m->r, "scale", (const float[4]){ (float)types[type].scale }, 1);
		pica_emit_attributes(m->list, &a);
		pica_emit_draw_arrays(m->list, PICA_PRIMITIVE_LIST, 0, COLUMNS * ROWS * CORNERS);
		EACH_PIXEL(m, x, y) {
			const unsigned c = y / 4;
			const double v = c < n ? types[type].values[(x / 2 + 3 * c) % COLUMNS] :
						 c == 3;
			m->want[y][x] = gray(to_byte(v * types[type].scale + 0.5));
		}
		case_end(m);
	}
}

/* ---- Layouts ---- */

/*
 * Records as a console reads them: attribute 0 is f32 x 2 at 0; padding and alignment place 1 and
 * 2. [fidelity: vertex-layout]
 */
static void make_layouts(struct maker *m) {
	static const struct {
		const char *name;
		unsigned n;
		uint8_t component[5];
		uint8_t n1; /* components of attribute 1, u8 */
		bool is_s16;
		unsigned stride, at1, at2;
	} rows[] = {
		{ "packed", 3, { 0, 1, 2 }, 4, false, 0x18, 0x08, 0x0C },
		{ "aligned", 3, { 0, 1, 2 }, 3, false, 0x18, 0x08, 0x0C },
		{ "padding-before", 4, { 0, 12, 1, 2 }, 4, false, 0x1C, 0x0C, 0x10 },
		{ "padding-aligned", 4, { 0, 1, 12, 2 }, 3, false, 0x1C, 0x08, 0x10 },
		{ "twice-with-padding", 5, { 0, 1, 12, 1, 2 }, 3, true, 0x1C, 0x10, 0x14 },
		{ "padding-of-8", 4, { 0, 1, 13, 2 }, 3, false, 0x20, 0x08, 0x14 },
		{ "twice", 5, { 0, 1, 1, 12, 2 }, 3, true, 0x1C, 0x0B, 0x14 },
	};
	static const char program[] = OUT_COLOR
			".fvec scale\n.in in_pos v0\n.in in_a v1\n.in in_b v2\n"
			".constf k(0.5, 0.0, 0.0, 1.0)\n.proc main\n	mov out_pos, in_pos\n"
			"	mov r0, k.xxxw\n"
			"	mul r0.x, scale.x, in_a.x\n	mul r0.y, scale.y, in_b.x\n"
			"	mov out_color, r0\n" END;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		uint8_t bytes[4 * 0x20];
		if (!case_begin(m, ORIGIN_CONSOLE, "vertex-layout", 16, 16, "record-%s",
				    rows[i].name)) {
			return;
		}
		for (unsigned v = 0; v < 4; v++) {
			uint8_t *record = bytes + v * rows[i].stride;
			const float pos[2] = { v & 1 ? 1 : -1, v & 2 ? 1 : -1 }, quarter = 0.25f;
			const int16_t whole = 0x4000;
			for (unsigned k = 0; k < rows[i].stride; k++) {
				record[k] = (uint8_t)(7 * k + 5);
			}
			memcpy(record, pos, sizeof(pos));
			memcpy(record + rows[i].at2,
					rows[i].is_s16 ? (const void *)&whole : &quarter,
					rows[i].is_s16 ? 2 : 4);
		}
		struct pica_attributes a = { .base = ARRAY_BASE,
			.n = 3,
			.format = { { PICA_ATTRIB_TYPE_F32, 2 },
					{ PICA_ATTRIB_TYPE_U8, rows[i].n1 },
					{ rows[i].is_s16 ? PICA_ATTRIB_TYPE_S16 :
							   PICA_ATTRIB_TYPE_F32,
							3 } },
			.n_loaders = 1,
			.loader = { { offset_of(m, bytes, 4 * rows[i].stride),
					(uint8_t)rows[i].stride, (uint8_t)rows[i].n, { 0 } } } };
		memcpy(a.loader[0].component, rows[i].component, rows[i].n);
		use_program(&m->r, program);
		set_uniform(&m->r, "scale",
				(const float[4]){ 1.0f / 256, rows[i].is_s16 ? 1.0f / 65536 : 1 },
				1);
		pica_emit_attributes(m->list, &a);
		pica_emit_draw_arrays(m->list, PICA_PRIMITIVE_STRIP, 0, 4);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = to_byte((7 * rows[i].at1 + 5) / 256.0) << 24 | 0x4080FF;
		}
		case_end(m);
	}
}

/* ---- Sources of attributes ---- */

/* Corners of the picture as f32 x 2, and colours as f32 x 4, all alike. */
struct corner {
	float x, y, color[4];
};

static void put_corners(struct corner c[4], const float color[4]) {
	for (unsigned v = 0; v < 4; v++) {
		c[v] = (struct corner){ v & 1 ? 1 : -1, v & 2 ? 1 : -1,
			{ color[0], color[1], color[2], color[3] } };
	}
}

static struct pica_attributes corner_attributes(
		struct maker *m, const struct corner c[4], unsigned n) {
	return (struct pica_attributes){
		.base = ARRAY_BASE,
		.n = 2,
		.format = { { PICA_ATTRIB_TYPE_F32, 2 }, { PICA_ATTRIB_TYPE_F32, 4 } },
		.n_loaders = 1,
		.loader = { { offset_of(m, c, n * (uint32_t)sizeof(*c)), sizeof(*c), 2, { 0, 1 } } }
	};
}

static void want_all(struct maker *m, uint32_t color) {
	EACH_PIXEL(m, x, y) {
		m->want[y][x] = color;
	}
}

static void make_sources(struct maker *m) {
	static const float color[4] = { 0.25f, 0.75f, 0.5f, 1 },
			   other[4] = { 1, 0.25f, 0.75f, 0.5f };
	struct corner c[4];
	put_corners(c, color);
	if (case_begin(m, ORIGIN_RULE, "vertex-values", 16, 16, "attributes-interleaved")) {
		const struct pica_attributes a = corner_attributes(m, c, 4);
		use_program(&m->r, color_of_v1);
		pica_emit_attributes(m->list, &a);
		pica_emit_draw_arrays(m->list, PICA_PRIMITIVE_STRIP, 0, 4);
		want_all(m, 0x40BF80FF);
		case_end(m);
	}
	if (case_begin(m, ORIGIN_CONSOLE, "attribute-source", 16, 16,
			    "array-wins-over-fixed-attribute")) {
		struct pica_attributes a = corner_attributes(m, c, 4);
		a.format[1].components = 2;
		a.fixed_mask = 2;
		use_program(&m->r, color_of_v1);
		pica_emit_attributes(m->list, &a);
		pica_emit_fixed_attribute(m->list, 1, 0.5f, 0.5f, 0.5f, 0.5f);
		pica_emit_draw_arrays(m->list, PICA_PRIMITIVE_STRIP, 0, 4);
		want_all(m, 0x40BF00FF); /* z is 0, w 1 */
		case_end(m);
	}
	for (unsigned i = 0; i < 2; i++) {
		/*
		 * Attribute 1 is fixed: written alone, or after attribute 0 by the incremented
		 * index.
		 */
		if (!case_begin(m, ORIGIN_RULE, "fixed-attributes", 16, 16, "fixed-attribute%s",
				    i ? "-index-counts-up" : "")) {
			return;
		}
		struct pica_attributes a = corner_attributes(m, c, 4);
		a.loader[0].n = 1;
		a.fixed_mask = 2;
		use_program(&m->r, color_of_v1);
		pica_emit_attributes(m->list, &a);
		pica_emit_fixed_attribute(
				m->list, i ? 0 : 1, other[0], other[1], other[2], other[3]);
		if (i) {
			pica_emit_immediate(m->list, color, 1);
		}
		pica_emit_draw_arrays(m->list, PICA_PRIMITIVE_STRIP, 0, 4);
		want_all(m, i ? 0x40BF80FF : 0xFF40BFFF);
		case_end(m);
	}
	/* Attributes 1 and 2; the one that reaches v1. */
	static const struct {
		const char *name, *rule;
		uint64_t permutation;
		uint32_t color;
	} maps[] = { { "identity", "input-map", 0x210, 0x40BF80FF },
		{ "swapped", "input-map", 0x120, 0xFF40BFFF },
		{ "higher-attribute-wins", "input-map", 0x110, 0xFF40BFFF } };
	for (unsigned i = 0; i < 2 * ARRAY_LEN(maps); i++) {
		const bool is_immediate = i & 1;
		if (!case_begin(m, ORIGIN_RULE, is_immediate ? "immediate" : maps[i / 2].rule, 16,
				    16, "input-map-%s%s", maps[i / 2].name,
				    is_immediate ? "-immediate" : "")) {
			return;
		}
		use_program(&m->r, color_of_v1);
		if (is_immediate) {
			pica_emit_inputs(m->list, 3, maps[i / 2].permutation);
			pica_emit_immediate_begin(m->list, PICA_PRIMITIVE_STRIP);
			for (unsigned v = 0; v < 4; v++) {
				pica_emit_immediate(m->list,
						(const float[4]){ c[v].x, c[v].y, 0, 1 }, 1);
				pica_emit_immediate(m->list, color, 1);
				pica_emit_immediate(m->list, other, 1);
			}
			pica_emit_immediate_end(m->list);
		} else {
			struct pica_attributes a = corner_attributes(m, c, 4);
			a.n = 3;
			a.fixed_mask = 4;
			a.format[2] = a.format[1];
			pica_emit_attributes(m->list, &a);
			pica_emit_fixed_attribute(
					m->list, 2, other[0], other[1], other[2], other[3]);
			pica_emit_inputs(m->list, 3, maps[i / 2].permutation);
			pica_emit_draw_arrays(m->list, PICA_PRIMITIVE_STRIP, 0, 4);
		}
		want_all(m, maps[i / 2].color);
		case_end(m);
	}
	if (case_begin(m, ORIGIN_RULE, "vertex-layout", 16, 16, "components-in-another-order")) {
		/* The record has the colour first; the nibbles are numbers of attributes. */
		struct {
			float color[4], x, y;
		} turned[4];
		for (unsigned v = 0; v < 4; v++) {
			memcpy(turned[v].color, color, sizeof(color));
			turned[v].x = c[v].x;
			turned[v].y = c[v].y;
		}
		struct pica_attributes a = corner_attributes(m, c, 4);
		a.loader[0].offset = offset_of(m, turned, sizeof(turned));
		memcpy(a.loader[0].component, (const uint8_t[2]){ 1, 0 }, 2);
		use_program(&m->r, color_of_v1);
		pica_emit_attributes(m->list, &a);
		pica_emit_draw_arrays(m->list, PICA_PRIMITIVE_STRIP, 0, 4);
		want_all(m, 0x40BF80FF);
		case_end(m);
	}
	if (case_begin(m, ORIGIN_RULE, "vertex-layout", 16, 16, "stride-0-repeats-a-record")) {
		struct pica_attributes a = corner_attributes(m, c, 4);
		a.loader[0].n = 1;
		a.n_loaders = 2;
		a.loader[1] = (struct pica_attribute_loader){ offset_of(m, color, sizeof(color)), 0,
			1, { 1 } };
		use_program(&m->r, color_of_v1);
		pica_emit_attributes(m->list, &a);
		pica_emit_draw_arrays(m->list, PICA_PRIMITIVE_STRIP, 0, 4);
		want_all(m, 0x40BF80FF);
		case_end(m);
	}
}

/* ---- Draws ---- */

/*
 * Only the trigger, with the writes that must surround it; nothing is reset. [fidelity:
 * draw-sequence]
 */
static void trigger(struct maker *m, uint32_t first, uint32_t count, bool is_indexed) {
	pica_emit_reg(m->list, PICA_REG_NUMVERTICES, count);
	pica_emit_reg(m->list, PICA_REG_VERTEX_OFFSET, first);
	if (!is_indexed) {
		pica_emit_reg_masked(m->list, PICA_REG_GEOSTAGE_CONFIG2, 1, 1);
	}
	pica_emit_reg_masked(m->list, PICA_REG_START_DRAW_FUNC0, 0, 1);
	pica_emit_reg(m->list, is_indexed ? PICA_REG_DRAWELEMENTS : PICA_REG_DRAWARRAYS, 1);
	pica_emit_reg_masked(m->list, PICA_REG_START_DRAW_FUNC0, 1, 1);
	pica_emit_reg_masked(m->list, PICA_REG_GEOSTAGE_CONFIG2, 0, 1);
	pica_emit_reg(m->list, PICA_REG_VTX_FUNC, 1);
}

/* 256 vertices: the four corners repeated, each four in a different colour. */
static void make_draws(struct maker *m) {
	static struct corner c[256];
	static const char *const names[8] = { "arrays-first", "elements-u8", "elements-u16",
		"elements-u8-ff-is-an-index", "elements-u16-odd-offset",
		"elements-ignore-vertex-offset", "list-continues-over-draws", "no-vertices" };
	for (unsigned i = 0; i < 64; i++) {
		const float part = (float)i / 64;
		put_corners(c + 4 * i, (const float[4]){ part, 0.5f, 1 - part, 1 });
	}
	for (unsigned i = 0; i < 8; i++) {
		/* Colour 17, of corners 68 to 71; colour 63 is that of the last four. */
		static const uint8_t small[4] = { 68, 69, 70, 71 },
				     last[4] = { 252, 253, 254, 255 };
		static const uint16_t wide[4] = { 68, 69, 70, 71 };
		uint8_t odd[12] = { 0, 68, 0, 69, 0, 70, 0, 71, 0 };
		if (!case_begin(m, ORIGIN_RULE, i == 6 ? "assembly" : "draws", 16, 16, "draw-%s",
				    names[i])) {
			return;
		}
		static const uint8_t six[6] = { 68, 69, 70, 70, 69, 71 };
		struct corner triangles[6];
		for (unsigned k = 0; k < 6; k++) {
			triangles[k] = c[six[k]];
		}
		const struct pica_attributes a = i == 6 ?
				corner_attributes(m, triangles, 6) :
				corner_attributes(m, c, i == 3 ? 256 : 72);
		const uint32_t index = i == 3 ? offset_of(m, last, sizeof(last)) :
				i == 2        ? offset_of(m, wide, sizeof(wide)) :
				i == 4        ? offset_of(m, odd, sizeof(odd)) + 1 :
						offset_of(m, small, sizeof(small));
		use_program(&m->r, color_of_v1);
		pica_emit_attributes(m->list, &a);
		if (i == 0) {
			pica_emit_draw_arrays(m->list, PICA_PRIMITIVE_STRIP, 68, 4);
		} else if (i < 5) {
			pica_emit_draw_elements(
					m->list, PICA_PRIMITIVE_STRIP, index, i == 2 || i == 4, 4);
		} else if (i == 5) {
			pica_emit_draw_elements(m->list, PICA_PRIMITIVE_STRIP, index, false, 0);
			trigger(m, 12, 4, true);
		} else if (i == 6) {
			/* The sixth vertex comes with the second draw. */
			pica_emit_draw_arrays(m->list, PICA_PRIMITIVE_LIST, 0, 5);
			trigger(m, 5, 1, false);
		} else {
			pica_emit_draw_arrays(m->list, PICA_PRIMITIVE_STRIP, 68, 0);
		}
		EACH_PIXEL(m, x, y) {
			const double part = i == 3 ? 63 / 64.0 : 17 / 64.0;
			m->want[y][x] = i == 7 ?
					GROUND :
					to_byte(part) << 24 | 0x800000 | to_byte(1 - part) << 8;
		}
		case_end(m);
	}
}

/* ---- Outputs ---- */

static void make_outputs(struct maker *m) {
	static const struct {
		const char *name, *program;
		uint32_t color;
	} rows[] = {
		{ "color-unmapped-is-1",
				".out out_pos position\n.in in_pos v0\n.proc main\n"
				"	mov out_pos, in_pos\n" END,
				0xFFFFFFFF },
		{ "color-half-mapped",
				".out out_pos position\n.out out_color color.xy\n.in in_pos v0\n"
				".in in_color v1\n"
				".proc main\n	mov out_pos, in_pos\n"
				"	mov out_color, in_color\n" END,
				0x4080FFFF },
		{ "position-w-unmapped",
				".out out_pos position.xyz\n.out out_color color\n"
				".in in_pos v0\n.in in_color v1\n"
				".proc main\n	mov out_pos, in_pos\n"
				"	mov out_color, in_color\n" END,
				0x408020FF },
	};
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct vertex v[4];
		if (case_begin(m, ORIGIN_CONSOLE, "semantics", 16, 16, "output-%s", rows[i].name)) {
			use_program(&m->r, rows[i].program);
			for (unsigned k = 0; k < 4; k++) {
				v[k] = (struct vertex){ k & 1 ? 1 : -1, k & 2 ? 1 : -1, 0,
					i == 2 ? 4 : 1, 0.25f, 0.5f, 0.125f, 1, 0, 0, 1 };
			}
			case_vertices(m, PICA_PRIMITIVE_STRIP, v, 4);
			want_all(m, rows[i].color);
			case_end(m);
		}
	}
	/* A mapped output that is never written: a console may hang. */
	if (case_begin(m, ORIGIN_GUESS, "shader-hazards", 16, 16, "output-never-written")) {
		use_program(&m->r,
				OUT_COLOR ".in in_pos v0\n.proc main\n	mov out_pos, in_pos\n"
					  "	mov out_color.xy, in_pos.ww\n" END);
		BOX(m, .rgba = 0xFFFFFFFF);
		case_edge(m);
		case_end(m);
	}
	/* Unmapped coordinates are (1, 1): the last texel, except with repetition. */
	for (unsigned unit = 0; unit < 3; unit++) {
		if (!case_begin(m, ORIGIN_CONSOLE, "semantics", 16, 16,
				    "output-texcoord%u-unmapped-is-1", unit)) {
			return;
		}
		EACH_PIXEL(m, x, y) {
			m->texels[y][x] = edge_color(x, y, 2);
		}
		case_texture(m, unit, 1u << unit);
		TEV(&m->r, 0, .rgb_source = { PICA_TEV_SOURCE_TEXTURE0 + unit }, ALPHA1(PRIMARY));
		use_program(&m->r, color_of_v1);
		BOX(m, .rgba = 0xFFFFFFFF);
		want_all(m, edge_color(15, 15, 2));
		case_end(m);
	}
	/* Unit 2 may use coordinates 1. */
	static const char program[] = OUT_COLOR
			".out out_tex1 texcoord1\n.out out_tex2 texcoord2\n"
			".constf k(0.03125, 0.96875, 1.0, 1.0)\n.in in_pos v0\n.proc main\n"
			"	mov out_pos, in_pos\n"
			"	mov out_color, k.zzzz\n	mov out_tex1, k.xyxy\n"
			"	mov out_tex2, k.yxyx\n" END;
	for (unsigned i = 0; i < 2; i++) {
		if (!case_begin(m, ORIGIN_RULE, "coordinates", 16, 16, "unit-2-uses-texcoord%u",
				    2 - i)) {
			return;
		}
		EACH_PIXEL(m, x, y) {
			m->texels[y][x] = edge_color(x, y, 2);
		}
		case_texture(m, 2, 4);
		pica_emit_texture_units(m->list, 4, 0, i);
		TEV(&m->r, 0, RGB1(TEXTURE2), ALPHA1(PRIMARY));
		use_program(&m->r, program);
		BOX(m, .rgba = 0xFFFFFFFF);
		want_all(m, i ? edge_color(0, 15, 2) : edge_color(15, 0, 2));
		case_end(m);
	}
}

void make_vertex(struct maker *m) {
	make_formats(m);
	make_layouts(m);
	make_sources(m);
	make_draws(m);
	make_outputs(m);
}
