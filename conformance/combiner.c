/* The texture combiner: operations, sources, operands, scales, the buffer, order of the stages. */
#include "kit.h"

#include <errno.h>
#include <stdlib.h>

#define SRC(name) PICA_TEV_SOURCE_##name

static const char *const op_names[10] = { "replace", "modulate", "add", "add-signed", "interpolate",
	"subtract", "dot3-rgb", "dot3-rgba", "multiply-add", "add-multiply" };

static unsigned clamp(int x) {
	return x < 0 ? 0 : x > 255 ? 255 : (unsigned)x;
}

/* A quotient by 255, to the nearest. */
static unsigned divide(unsigned x) {
	return (2 * x + 255) / 510;
}

/* Operations 0 to 5, 8, 9 on bytes. [fidelity: combiner-ops, combiner-rounding] */
static unsigned combine(unsigned op, unsigned a, unsigned b, unsigned c) {
	switch (op) {
	case PICA_TEV_OP_REPLACE:
		return a;
	case PICA_TEV_OP_MODULATE:
		return divide(a * b);
	case PICA_TEV_OP_ADD:
		return clamp((int)(a + b));
	case PICA_TEV_OP_ADD_SIGNED:
		return clamp((int)(a + b) - 128);
	case PICA_TEV_OP_INTERPOLATE:
		return divide(a * c + b * (255 - c));
	case PICA_TEV_OP_SUBTRACT:
		return clamp((int)a - (int)b);
	case PICA_TEV_OP_MULTIPLY_ADD:
		return clamp((int)divide(a * b + 255 * c));
	case PICA_TEV_OP_ADD_MULTIPLY:
		return divide(clamp((int)(a + b)) * c);
	default:
		return 0;
	}
}

/* [fidelity: dot3] */
static unsigned dot3(uint32_t a, uint32_t b) {
	int sum = 0;
	for (unsigned k = 0; k < 3; k++) {
		const int x = 2 * (int)channel(a, k) - 255, y = 2 * (int)channel(b, k) - 255;
		const int m = x > 0 ? x : -x - 1, n = y > 0 ? y : -y - 1;
		const int product = (2 * m * n + 255) / 510;
		sum += (x > 0) == (y > 0) ? product : -product - 1;
	}
	return clamp(sum);
}

/* Textures 0, 1, 2 are three patterns of bytes. */
static void three_textures(struct maker *m) {
	for (unsigned unit = 0; unit < 3; unit++) {
		EACH_PIXEL(m, x, y) {
			m->texels[y][x] = edge_color(x, y, unit);
		}
		case_texture(m, unit, 7);
	}
}

/* Shows the alpha of the previous stage. */
static void stage_alpha(struct maker *m, unsigned stage) {
	TEV(&m->r, stage, RGB1(PREVIOUS), ALPHA1(PREVIOUS),
			.rgb_operand = { PICA_TEV_OPERAND_RGB_ALPHA });
}

static void make_operations(struct maker *m) {
	static const char ops[] = "combiner-ops", rounded[] = "combiner-rounding", dot[] = "dot3";
	static const char *const rules[16] = { ops, rounded, ops, rounded, rounded, ops, dot, dot,
		rounded, rounded, ops, ops, ops, ops, ops, ops };
	for (unsigned op = 0; op < 16; op++) {
		const char *name = op < 10 ? op_names[op] : op == 10 ? "10" : "15";
		if ((op > 10 && op < 15) ||
				!case_begin(m, ORIGIN_RULE, rules[op], 16, 16, "combiner-rgb-%s",
						name)) {
			continue;
		}
		three_textures(m);
		TEV(&m->r, 0, .rgb_op = op,
				.rgb_source = { SRC(TEXTURE0), SRC(TEXTURE1), SRC(TEXTURE2) },
				ALPHA1(CONSTANT));
		BOX(m, .rgba = 0);
		EACH_PIXEL(m, x, y) {
			const uint32_t a = edge_color(x, y, 0), b = edge_color(x, y, 1),
				       c = edge_color(x, y, 2);
			for (unsigned k = 0; k < 3; k++) {
				set_channel(&m->want[y][x], k,
						op == 6 || op == 7 ?
								dot3(a, b) :
								combine(op, channel(a, k),
										channel(b, k),
										channel(c, k)));
			}
		}
		case_end(m);
	}
	for (unsigned op = 0; op < 10; op++) {
		/* Operation 7 of RGB also writes alpha, with any operation of alpha. */
		const bool is_dot = op == 7;
		if (op == 6 ||
				!case_begin(m, ORIGIN_RULE, is_dot ? "dot3" : "combiner-ops", 16,
						16, "combiner-alpha-%s", op_names[op])) {
			continue;
		}
		three_textures(m);
		TEV(&m->r, 0, .alpha_op = is_dot ? PICA_TEV_OP_ADD : op,
				.alpha_source = { SRC(TEXTURE0), SRC(TEXTURE1), SRC(TEXTURE2) },
				.rgb_op = is_dot ? op : 0,
				.rgb_source = { is_dot ? SRC(TEXTURE0) : SRC(CONSTANT),
						SRC(TEXTURE1) });
		stage_alpha(m, 1);
		BOX(m, .rgba = 0);
		EACH_PIXEL(m, x, y) {
			const uint32_t a = edge_color(x, y, 0), b = edge_color(x, y, 1),
				       c = edge_color(x, y, 2);
			m->want[y][x] = gray(is_dot ? dot3(a, b) :
						      combine(op, channel(a, 3), channel(b, 3),
								      channel(c, 3)));
		}
		case_end(m);
	}
}

/* Value of a component selector: r, g, b, a, or each component of the pixel itself (4: RGB). */
struct operand {
	const char *name;
	unsigned id, channel;
	bool is_inverted;
};

static void make_operands(struct maker *m) {
	static const struct operand rgb[] = { { "rgb", 0, 4, false }, { "1-rgb", 1, 4, true },
		{ "a", 2, 3, false }, { "1-a", 3, 3, true }, { "r", 4, 0, false },
		{ "1-r", 5, 0, true }, { "g", 8, 1, false }, { "1-g", 9, 1, true },
		{ "b", 12, 2, false }, { "1-b", 13, 2, true } };
	static const struct operand alpha[] = { { "a", 0, 3, false }, { "1-a", 1, 3, true },
		{ "r", 2, 0, false }, { "1-r", 3, 0, true }, { "g", 4, 1, false },
		{ "1-g", 5, 1, true }, { "b", 6, 2, false }, { "1-b", 7, 2, true } };
	/* For each of the three operands: a*c + b*(1-c), with the others 0, 0 and 1 or 0. */
	static const struct pica_tev places[3] = {
		{ .rgb_op = PICA_TEV_OP_INTERPOLATE,
				.rgb_source = { SRC(TEXTURE0), SRC(CONSTANT), SRC(CONSTANT) },
				.color = 0xFFFFFFFF },
		{ .rgb_op = PICA_TEV_OP_INTERPOLATE,
				.rgb_source = { SRC(CONSTANT), SRC(TEXTURE0), SRC(CONSTANT) },
				.color = 0 },
		{ .rgb_op = PICA_TEV_OP_MULTIPLY_ADD,
				.rgb_source = { SRC(CONSTANT), SRC(CONSTANT), SRC(TEXTURE0) },
				.color = 0 },
	};
	for (unsigned i = 0; i < 3 * ARRAY_LEN(rgb); i++) {
		const struct operand *o = &rgb[i / 3];
		struct pica_tev tev = places[i % 3];
		if (!case_begin(m, ORIGIN_RULE, "combiner", 16, 16, "combiner-operand-rgb%u-%s",
				    i % 3, o->name)) {
			return;
		}
		three_textures(m);
		tev.rgb_operand[i % 3] = o->id;
		pica_emit_tev(m->list, 0, &tev);
		BOX(m, .rgba = 0);
		EACH_PIXEL(m, x, y) {
			for (unsigned k = 0; k < 3; k++) {
				const unsigned v = channel(edge_color(x, y, 0),
						o->channel < 4 ? o->channel : k);
				set_channel(&m->want[y][x], k, o->is_inverted ? 255 - v : v);
			}
		}
		case_end(m);
	}
	for (unsigned i = 0; i < 3 * ARRAY_LEN(alpha); i++) {
		const struct operand *o = &alpha[i / 3];
		const struct pica_tev *place = &places[i % 3];
		struct pica_tev tev = { .alpha_op = place->rgb_op, .color = place->color };
		if (!case_begin(m, ORIGIN_RULE, "combiner", 16, 16, "combiner-operand-alpha%u-%s",
				    i % 3, o->name)) {
			return;
		}
		three_textures(m);
		memcpy(tev.alpha_source, place->rgb_source, sizeof(tev.alpha_source));
		tev.alpha_operand[i % 3] = o->id;
		pica_emit_tev(m->list, 0, &tev);
		stage_alpha(m, 1);
		BOX(m, .rgba = 0);
		EACH_PIXEL(m, x, y) {
			const unsigned v = channel(edge_color(x, y, 0), o->channel);
			m->want[y][x] = gray(o->is_inverted ? 255 - v : v);
		}
		case_end(m);
	}
}

/*
 * Each source as the colour and the alpha of a stage. Texture 3 is a procedural texture whose
 * colours are all alike; "off" are the lighting's colours with the lighting off.
 */
static void make_sources(struct maker *m) {
	static const struct {
		const char *name;
		unsigned id, stage;
	} sources[] = { { "primary", 0, 0 }, { "lighting-off-primary", 1, 0 },
		{ "lighting-off-secondary", 2, 0 }, { "texture0", 3, 0 }, { "texture1", 4, 0 },
		{ "texture2", 5, 0 }, { "texture3", 6, 0 }, { "undefined-7", 7, 0 },
		{ "undefined-12", 12, 0 }, { "buffer", 13, 1 }, { "constant", 14, 0 },
		{ "previous", 15, 1 } };
	for (unsigned i = 0; i < 2 * ARRAY_LEN(sources); i++) {
		const unsigned id = sources[i / 2].id, stage = sources[i / 2].stage;
		const bool is_alpha = i & 1;
		if (!case_begin(m, ORIGIN_RULE, id == 13 ? "combiner-buffer" : "combiner", 16, 16,
				    "combiner-source-%s-%s", sources[i / 2].name,
				    is_alpha ? "alpha" : "rgb")) {
			return;
		}
		three_textures(m);
		if (id == 6) {
			struct pica_proctex p;
			uint32_t colors[128];
			pica_proctex_init(&p);
			for (unsigned k = 0; k < 128; k++) {
				colors[k] = 0x4433BB77;
			}
			pica_emit_proctex(m->list, &p);
			pica_emit_proctex_colors(m->list, 0, colors, 128);
			use_units(&m->r, 15);
		}
		pica_emit_tev_buffer(m->list, 0, 0, 0x80C04020);
		TEV(&m->r, 0, RGB1(PRIMARY), ALPHA1(PRIMARY));
		TEV(&m->r, stage, .rgb_source = { id }, .alpha_source = { id },
				.color = 0x7F206090);
		if (is_alpha) {
			stage_alpha(m, stage + 1);
		}
		BOX(m, .rgba = 0x336699CC);
		EACH_PIXEL(m, x, y) {
			const uint32_t value = id == 0 || id == 15 ? 0x336699CC :
					id >= 3 && id <= 5         ? edge_color(x, y, id - 3) :
					id == 6                    ? 0x77BB3344 :
					id == 13                   ? 0x2040C080 :
					id == 14                   ? 0x9060207F :
								     0;
			m->want[y][x] = is_alpha ? gray(channel(value, 3)) : value;
		}
		case_end(m);
	}
}

static void make_scales(struct maker *m) {
	for (unsigned i = 0; i < 8; i++) {
		const unsigned scale = i / 2, by = scale == 1 ? 2 : scale == 2 ? 4 : 1;
		const bool is_alpha = i & 1;
		if (!case_begin(m, ORIGIN_RULE, "combiner", 16, 16, "combiner-scale-%u-%s", scale,
				    is_alpha ? "alpha" : "rgb")) {
			return;
		}
		three_textures(m);
		TEV(&m->r, 0, RGB2(ADD, TEXTURE0, TEXTURE1), ALPHA2(ADD, TEXTURE0, TEXTURE1),
				.rgb_scale = is_alpha ? 0 : scale,
				.alpha_scale = is_alpha ? scale : 0);
		if (is_alpha) {
			stage_alpha(m, 1);
		}
		BOX(m, .rgba = 0);
		EACH_PIXEL(m, x, y) {
			for (unsigned k = 0; k < 3; k++) {
				const unsigned from = is_alpha ? 3 : k;
				const unsigned sum = channel(edge_color(x, y, 0), from) +
						channel(edge_color(x, y, 1), from);
				set_channel(&m->want[y][x], k, clamp((int)(clamp((int)sum) * by)));
			}
		}
		case_end(m);
	}
}

/* Six stages, a picture for each: each adds its constant to the previous. */
static void make_stages(struct maker *m) {
	for (unsigned n = 1; n <= 6; n++) {
		if (!case_begin(m, ORIGIN_RULE, "combiner", 16, 16, "combiner-stage-%u", n - 1)) {
			return;
		}
		for (unsigned s = 0; s < n; s++) {
			TEV(&m->r, s, .rgb_op = s ? PICA_TEV_OP_ADD : 0,
					.rgb_source = { s ? SRC(PREVIOUS) : SRC(PRIMARY),
							SRC(CONSTANT) },
					ALPHA1(CONSTANT), .color = 1u << s);
		}
		BOX(m, .rgba = 0x805510FF);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = 0x805510FF + (((1u << n) - 2) << 24);
		}
		case_end(m);
	}
}

/* The buffer: the value that each stage reads. [fidelity: combiner-buffer] */
static void make_buffer(struct maker *m) {
	static const uint32_t start = 0xFF332211; /* R lowest */
	for (unsigned i = 0; i < 12; i++) {
		const unsigned reader = i / 2;
		const bool updates = i & 1;
		if (!case_begin(m, ORIGIN_RULE, "combiner-buffer", 16, 16,
				    "combiner-buffer-%s-stage-%u", updates ? "updated" : "kept",
				    reader)) {
			return;
		}
		pica_emit_tev_buffer(m->list, updates ? 0xF : 0, updates ? 0xF : 0, start);
		for (unsigned s = 0; s <= reader; s++) {
			TEV(&m->r, s,
					.rgb_source = { s == reader ? SRC(PREVIOUS_BUFFER) :
								      SRC(CONSTANT) },
					ALPHA1(CONSTANT), .color = 0x0A0B0C10u * (s + 1));
		}
		BOX(m, .rgba = 0xFFFFFFFF);
		EACH_PIXEL(m, x, y) {
			const uint32_t seen = reader == 0       ? 0 :
					!updates || reader == 1 ? start :
								  0x0A0B0C10u * (reader - 1);
			m->want[y][x] = (seen & 255) << 24 | (seen >> 8 & 255) << 16 |
					(seen >> 16 & 255) << 8;
		}
		case_end(m);
	}
	/* Colour and alpha are separate. */
	for (unsigned i = 0; i < 2; i++) {
		if (!case_begin(m, ORIGIN_RULE, "combiner-buffer", 16, 16,
				    "combiner-buffer-only-%s", i ? "alpha" : "rgb")) {
			return;
		}
		pica_emit_tev_buffer(m->list, i ? 0 : 1, i ? 1 : 0, 0x40302010);
		TEV(&m->r, 0, RGB1(PRIMARY), ALPHA1(PRIMARY));
		TEV(&m->r, 1, RGB1(CONSTANT), ALPHA1(CONSTANT));
		/* Colour of the buffer, and its alpha added. */
		TEV(&m->r, 2, .rgb_op = PICA_TEV_OP_ADD,
				.rgb_source = { SRC(PREVIOUS_BUFFER), SRC(PREVIOUS_BUFFER) },
				.rgb_operand = { 0, PICA_TEV_OPERAND_RGB_ALPHA });
		BOX(m, .rgba = 0x11223305);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = i ? 0x15253500 : 0x51627300;
		}
		case_end(m);
	}
}

/*
 * PREVIOUS in stage 0 is the source of operand 2 with its own operand modifier; in operand 2 it is
 * 0.
 */
static void make_previous(struct maker *m) {
	for (unsigned i = 0; i < 6; i++) {
		const unsigned slot = i / 2;
		const bool is_alpha = i & 1;
		if (!case_begin(m, ORIGIN_RULE, "combiner-buffer", 16, 16,
				    "combiner-previous-in-stage-0-%s%u", is_alpha ? "alpha" : "rgb",
				    slot)) {
			return;
		}
		/* The first two operands are added; or a*b, both zero, is added to c. */
		struct pica_tev tev = { .rgb_op = PICA_TEV_OP_ADD,
			.color = 0x70605040,
			.rgb_source = { SRC(PRIMARY), SRC(PRIMARY), SRC(CONSTANT) } };
		tev.rgb_source[slot] = SRC(PREVIOUS);
		if (slot == 2) {
			tev.rgb_op = PICA_TEV_OP_MULTIPLY_ADD;
		}
		memcpy(tev.alpha_source, tev.rgb_source, sizeof(tev.alpha_source));
		tev.alpha_op = tev.rgb_op;
		pica_emit_tev(m->list, 0, &tev);
		if (is_alpha) {
			stage_alpha(m, 1);
		}
		BOX(m, .rgba = 0x20304050);
		EACH_PIXEL(m, x, y) {
			for (unsigned k = 0; k < 3; k++) {
				const unsigned from = is_alpha ? 3 : k;
				const unsigned a = channel(0x20304050, from),
					       c = channel(0x40506070, from);
				set_channel(&m->want[y][x], k,
						slot == 2 ? divide(a * a) : clamp((int)(a + c)));
			}
		}
		case_end(m);
	}
}

/*
 * One column of tests/data/pica/dot3_rgb_console.tsv: red, the only one with known values of the
 * console.
 */
static void make_console(struct maker *m, FILE *table) {
	/* Operands of the columns, for an input i; X is i. */
#define X 256
	static const uint16_t columns[11][2][3] = {
		{ { X, X, X }, { X, X, X } },
		{ { 0x80, 0x80, 0x80 }, { X, X, X } },
		{ { 0x80, 0x80, 0x80 }, { X, 0x80, 0x80 } },
		{ { 0x83, 0x80, 0x80 }, { X, 0x7F, 0x80 } },
		{ { 0x83, 0x80, 0x80 }, { X, 0x80, 0x80 } },
		{ { 0x80, 0x80, 0x80 }, { X, 0x7F, 0x80 } },
		{ { 0x80, 0x80, 0x80 }, { X, 0x80, 0x80 } },
		{ { 0x80, 0x80, 0x80 }, { X, X, 0x80 } },
		{ { 0x80, 0x7F, 0x80 }, { X, X, 0x80 } },
		{ { 0x80, 0x80, 0x80 }, { X, X, X } },
		{ { 0x80, 0x7F, 0x80 }, { X, X, X } },
	};
#undef X
	static unsigned red[11][256];
	char line[2048];
	int n = 0;
	while (table && fgets(line, sizeof(line), table)) {
		char *at = line;
		if (line[0] < '0' || line[0] > '9') {
			continue;
		}
		const unsigned input = (unsigned)strtoul(at, &at, 10) & 255;
		for (unsigned c = 0; c < 11; c++) {
			red[c][input] = (unsigned)strtoul(at, &at, 10);
		}
		n++;
	}
	if (n != 256) {
		fprintf(stderr, "conformance: dot3_rgb_console.tsv: %d rows: expected 256\n", n);
		m->error = -EINVAL;
	}
	for (unsigned c = 0; c < 11; c++) {
		if (!case_begin(m, ORIGIN_CONSOLE, "dot3", 16, 16, "combiner-dot3-console-%u", c)) {
			return;
		}
		for (unsigned unit = 0; unit < 2; unit++) {
			EACH_PIXEL(m, x, y) {
				m->texels[y][x] = 255;
				for (unsigned k = 0; k < 3; k++) {
					const unsigned v = columns[c][unit][k];
					m->texels[y][x] |= (v == 256 ? 16 * y + x : v)
							<< (24 - 8 * k);
				}
			}
			case_texture(m, unit, 3);
		}
		TEV(&m->r, 0, RGB2(DOT3_RGB, TEXTURE0, TEXTURE1), ALPHA1(CONSTANT));
		pica_emit_depth_test(m->list, false, PICA_COMPARE_ALWAYS, false, 1);
		BOX(m, .rgba = 0);
		EACH_PIXEL(m, x, y) {
			set_channel(&m->want[y][x], 0, red[c][16 * y + x]);
		}
		case_end(m);
	}
}

void make_combiner(struct maker *m) {
	make_operations(m);
	make_operands(m);
	make_sources(m);
	make_scales(m);
	make_stages(m);
	make_buffer(m);
	make_previous(m);
	FILE *table = fopen(SOURCE_ROOT "/tests/data/pica/dot3_rgb_console.tsv", "r");
	make_console(m, table);
	if (table) {
		fclose(table);
	}
}
