/* After the combiner: scissor, tests, blending, logic operations, masks, formats of targets. */
#include "kit.h"

static const char *const compare_names[8] = { "never", "always", "equal", "notequal", "less",
	"lequal", "greater", "gequal" };

static bool passes(unsigned func, int a, int b) {
	const bool is_true[8] = { false, true, a == b, a != b, a<b, a <= b, a> b, a >= b };
	return is_true[func];
}

/* Draws a pattern of edge_color() over all. */
static void draw_pattern(struct maker *m, unsigned variant) {
	EACH_PIXEL(m, x, y) {
		m->texels[y][x] = edge_color(x, y, variant);
	}
	case_texture(m, 0, 1);
	tev_texture(&m->r);
	BOX(m, .rgba = 0xFFFFFFFF);
}

/* ---- Blending ---- */

static const uint32_t constant = 0xC0604080; /* R lowest */

/* [fidelity: blending] */
static int factor(unsigned id, uint32_t s, uint32_t d, unsigned k) {
	const uint32_t c = 0x804060C0;
	const int sa = (int)channel(s, 3), da = (int)channel(d, 3);
	const int values[7] = { 0, (int)channel(s, k), (int)channel(d, k), sa, da,
		(int)channel(c, k), (int)channel(c, 3) };
	if (id == 14) {
		return k == 3 ? 255 : sa < 255 - da ? sa : 255 - da;
	}
	if (id == 15) {
		return (int)channel(s, k);
	}
	return id & 1 ? 255 - values[id / 2] : values[id / 2];
}

static unsigned blend(unsigned equation, int s, int sf, int d, int df) {
	const int a = s * sf, b = d * df;
	const int sum = equation == 1 ? a - b :
			equation == 2 ? b - a :
			equation == 3 ? (a < b ? a : b) :
			equation == 4 ? (a > b ? a : b) :
					a + b;
	return sum < 0 ? 0 : sum / 255 > 255 ? 255 : (unsigned)(sum / 255);
}

/* Draws pattern 0 over pattern 1. */
static void blended(struct maker *m, const struct pica_blend *b, bool is_alpha) {
	draw_pattern(m, 1);
	pica_emit_blend(m->list, b);
	draw_pattern(m, 0);
	if (is_alpha) {
		case_reveal_alpha(m);
	}
	EACH_PIXEL(m, x, y) {
		const uint32_t s = edge_color(x, y, 0), d = edge_color(x, y, 1);
		for (unsigned k = 0; k < 4; k++) {
			const unsigned eq = k < 3 ? b->rgb_equation : b->alpha_equation;
			const unsigned sf = k < 3 ? b->rgb_src : b->alpha_src;
			const unsigned df = k < 3 ? b->rgb_dst : b->alpha_dst;
			set_channel(&m->want[y][x], k,
					blend(eq, (int)channel(s, k), factor(sf, s, d, k),
							(int)channel(d, k), factor(df, s, d, k)));
		}
		m->want[y][x] = is_alpha ? gray(channel(m->want[y][x], 3)) : m->want[y][x];
	}
}

static void make_blending(struct maker *m) {
	static const char *const equations[8] = { "add", "subtract", "reverse", "min", "max", "5",
		"6", "7" };
	static const char *const factors[16] = { "zero", "one", "src", "1-src", "dst", "1-dst",
		"src-alpha", "1-src-alpha", "dst-alpha", "1-dst-alpha", "constant", "1-constant",
		"constant-alpha", "1-constant-alpha", "src-alpha-saturate", "15" };
	for (unsigned i = 0; i < 16; i++) {
		const bool is_alpha = i & 1;
		struct pica_blend b = { .rgb_src = 6,
			.rgb_dst = 7,
			.alpha_src = 8,
			.alpha_dst = 7,
			.color = constant };
		b.rgb_equation = is_alpha ? 0 : i / 2;
		b.alpha_equation = is_alpha ? i / 2 : 0;
		if (case_begin(m, ORIGIN_RULE, "blending", 16, 16, "blend-equation-%s-%s",
				    equations[i / 2], is_alpha ? "alpha" : "rgb")) {
			blended(m, &b, is_alpha);
			case_end(m);
		}
	}
	/* Positions of a factor: RGB source and destination, alpha source and destination. */
	for (unsigned i = 0; i < 64; i++) {
		static const char *const places[4] = { "rgb-src", "rgb-dst", "alpha-src",
			"alpha-dst" };
		const unsigned id = i / 4, place = i % 4;
		const struct pica_blend b = { .rgb_src = place == 0 ? id : 0,
			.rgb_dst = place == 1 ? id : 0,
			.alpha_src = place == 2 ? id : 0,
			.alpha_dst = place == 3 ? id : 0,
			.color = constant };
		if (case_begin(m, id == 15 ? ORIGIN_GUESS : ORIGIN_RULE, "blending", 16, 16,
				    "blend-factor-%s-%s", places[place], factors[id])) {
			blended(m, &b, place > 1);
			case_end(m);
		}
	}
	/* Unlike OpenGL's, min and max are of products. */
	for (unsigned i = 0; i < 4; i++) {
		const struct pica_blend b = { .rgb_equation = 3 + i / 2,
			.rgb_src = i & 1 ? 0 : 12,
			.rgb_dst = i & 1 ? 0 : 13,
			.color = constant };
		if (case_begin(m, ORIGIN_RULE, "blending", 16, 16, "blend-%s-of-%s",
				    equations[3 + i / 2], i & 1 ? "zeros" : "products")) {
			blended(m, &b, false);
			case_end(m);
		}
	}
}

static void make_logic(struct maker *m) {
	/* Bit 2*s + d of each. */
	static const uint8_t truth[16] = { 0, 8, 4, 12, 15, 3, 10, 5, 7, 14, 1, 6, 9, 2, 13, 11 };
	static const char *const names[16] = { "clear", "and", "and-reverse", "copy", "set",
		"copy-inverted", "noop", "invert", "nand", "or", "nor", "xor", "equiv",
		"and-inverted", "or-reverse", "or-inverted" };
	for (unsigned i = 0; i < 32; i++) {
		const unsigned op = i / 2;
		const bool is_alpha = i & 1;
		if (!case_begin(m, ORIGIN_RULE, "blending", 16, 16, "logic-%s-%s", names[op],
				    is_alpha ? "alpha" : "rgb")) {
			return;
		}
		draw_pattern(m, 1);
		pica_emit_logic_op(m->list, op);
		draw_pattern(m, 0);
		if (is_alpha) {
			case_reveal_alpha(m);
		}
		EACH_PIXEL(m, x, y) {
			const uint32_t s = edge_color(x, y, 0), d = edge_color(x, y, 1);
			uint32_t out = 0;
			for (unsigned bit = 0; bit < 32; bit++) {
				const unsigned index = 2 * (s >> bit & 1) + (d >> bit & 1);
				out |= (uint32_t)(truth[op] >> index & 1) << bit;
			}
			m->want[y][x] = is_alpha ? gray(out & 255) : out;
		}
		case_end(m);
	}
}

/* ---- Masks and formats ---- */

static void make_masks(struct maker *m) {
	for (unsigned mask = 0; mask < 16; mask++) {
		if (!case_begin(m, ORIGIN_RULE, "blending", 16, 16, "mask-%c%c%c%c",
				    mask & 1 ? 'r' : '0', mask & 2 ? 'g' : '0',
				    mask & 4 ? 'b' : '0', mask & 8 ? 'a' : '0')) {
			return;
		}
		draw_pattern(m, 1);
		pica_emit_depth_test(m->list, false, PICA_COMPARE_ALWAYS, false, mask);
		draw_pattern(m, 0);
		if (mask & 8) {
			case_reveal_alpha(m);
		}
		EACH_PIXEL(m, x, y) {
			for (unsigned k = 0; k < 4; k++) {
				set_channel(&m->want[y][x], k,
						channel(edge_color(x, y, mask >> k & 1 ? 0 : 1),
								k));
			}
			m->want[y][x] = mask & 8 ? gray(m->want[y][x] & 255) : m->want[y][x];
		}
		case_end(m);
	}
	if (case_begin(m, ORIGIN_RULE, "blending", 16, 16, "color-write-off")) {
		draw_pattern(m, 1);
		pica_emit_reg(m->list, PICA_REG_COLORBUFFER_WRITE, 0);
		draw_pattern(m, 0);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = edge_color(x, y, 1);
		}
		case_end(m);
	}
	if (case_begin(m, ORIGIN_RULE, "blending", 16, 16, "color-read-off")) {
		draw_pattern(m, 1);
		pica_emit_reg(m->list, PICA_REG_COLORBUFFER_READ, 0);
		pica_emit_blend(m->list, &(const struct pica_blend){ .rgb_src = 1, .rgb_dst = 1 });
		draw_pattern(m, 0);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = edge_color(x, y, 0);
		}
		case_end(m);
	}
	if (case_begin(m, ORIGIN_RULE, "output-fields", 16, 16, "fragment-mode-nothing")) {
		pica_emit_fragment_mode(m->list, PICA_FRAGMENT_MODE_NOTHING);
		BOX(m, .rgba = 0xFFFFFFFF);
		case_end(m);
	}
}

/* Bits of R, G, B, A. */
static const struct {
	const char *name;
	uint8_t bits[4];
} formats[5] = { { "rgba8", { 8, 8, 8, 8 } }, { "rgb8", { 8, 8, 8, 0 } },
	{ "rgb5a1", { 5, 5, 5, 1 } }, { "rgb565", { 5, 6, 5, 0 } }, { "rgba4", { 4, 4, 4, 4 } } };

/* A byte after storing it in n bits. [fidelity: texel-formats] */
static unsigned stored(unsigned byte, unsigned n) {
	const unsigned v = byte >> (8 - n);
	return n == 0 ? 255 : n == 8 ? v : n == 1 ? v * 255 : v << (8 - n) | v >> (2 * n - 8);
}

static void make_formats(struct maker *m) {
	static const char *const what[4] = { "write", "blend", "alpha", "masked" };
	for (unsigned i = 0; i < 20; i++) {
		const unsigned format = i / 4, how = i % 4;
		if (!case_begin(m, ORIGIN_RULE, "framebuffer", 16, 16, "target-%s-%s",
				    formats[format].name, what[how])) {
			return;
		}
		case_target(m, format, PICA_DEPTH_FORMAT_D24S8);
		draw_pattern(m, how ? 1 : 0);
		if (how == 1) {
			const struct pica_blend b = { .rgb_src = 6, .rgb_dst = 7, .alpha_src = 1 };
			pica_emit_blend(m->list, &b);
			draw_pattern(m, 0);
		} else if (how == 2) {
			case_reveal_alpha(m);
		} else if (how == 3) {
			pica_emit_depth_test(m->list, false, PICA_COMPARE_ALWAYS, false, 2);
			draw_pattern(m, 0);
		}
		EACH_PIXEL(m, x, y) {
			const uint32_t s = edge_color(x, y, 0), d = edge_color(x, y, 1);
			for (unsigned k = 0; k < 3; k++) {
				const unsigned n = formats[format].bits[k];
				const unsigned old = stored(channel(d, k), n), sa = channel(s, 3);
				const unsigned value = how == 0 ?
						channel(s, k) :
						how == 1 ?
						blend(0, (int)channel(s, k), (int)sa, (int)old,
								255 - (int)sa) :
						how == 2 ?
						stored(channel(d, 3), formats[format].bits[3]) :
						k == 1 ? channel(s, k) :
							 old;
				set_channel(&m->want[y][x], k, stored(value, n));
			}
		}
		case_end(m);
	}
	if (case_begin(m, ORIGIN_RULE, "row-order", 16, 16, "target-bottom-row-first")) {
		case_framebuffer(m, &(struct pica_framebuffer){ .bottom_row_first = true });
		draw_pattern(m, 2);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = edge_color(x, m->height - 1 - y, 2);
		}
		case_end(m);
	}
	if (case_begin(m, ORIGIN_GUESS, "framebuffer", 32, 32, "target-blocks-of-32")) {
		case_framebuffer(m, &(struct pica_framebuffer){ .block32 = true });
		m->shown_flags = TRANSFER_BLOCKS;
		draw_pattern(m, 2);
		case_end(m);
	}
}

/* ---- Tests ---- */

static void make_alpha_test(struct maker *m) {
	static const uint8_t refs[3] = { 128, 0, 255 };
	for (unsigned i = 0; i < 24; i++) {
		const unsigned func = i % 8, ref = refs[i / 8];
		if (!case_begin(m, ORIGIN_RULE, "alpha-test", 16, 16, "alpha-test-%s-%u",
				    compare_names[func], ref)) {
			return;
		}
		pica_emit_alpha_test(m->list, true, func, ref);
		draw_pattern(m, 2);
		EACH_PIXEL(m, x, y) {
			const uint32_t c = edge_color(x, y, 2);
			m->want[y][x] = passes(func, (int)channel(c, 3), (int)ref) ? c : GROUND;
		}
		case_end(m);
	}
	if (case_begin(m, ORIGIN_RULE, "alpha-test", 16, 16, "alpha-test-off")) {
		pica_emit_alpha_test(m->list, false, PICA_COMPARE_NEVER, 128);
		draw_pattern(m, 2);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = edge_color(x, y, 2);
		}
		case_end(m);
	}
}

/* Column x has the depth (x + 1)/32: 16 draws. */
static void draw_depths(struct maker *m) {
	pica_emit_depth_test(m->list, false, PICA_COMPARE_ALWAYS, true, 0xF);
	for (unsigned x = 0; x < 16; x++) {
		BOX(m, .x0 = (float)x, .x1 = (float)(x + 1), .y1 = (float)m->height,
				.z = -(float)(x + 1) / 32, .rgba = GROUND);
	}
}

/* The shown colour of a depth: see case_show_depth(). numerator/denominator is 0..1. */
static uint32_t depth_color(
		unsigned format, uint64_t numerator, uint64_t denominator, unsigned stencil) {
	const uint64_t max = format == PICA_DEPTH_FORMAT_D16 ? 0xFFFF : 0xFFFFFF;
	const uint32_t z = (uint32_t)(numerator * max / denominator);
	if (format == PICA_DEPTH_FORMAT_D16) {
		return stored(z >> 8, 5) << 24 | stored(z >> 3 & 0xFF, 6) << 16 |
				stored(z << 3 & 0xFF, 5) << 8;
	}
	return format == PICA_DEPTH_FORMAT_D24 ? z << 8 :
						 stencil << 24 | (z >> 16) << 16 | (z & 0xFF00);
}

static void make_depth(struct maker *m) {
	static const char *const names[4] = { "d16", NULL, "d24", "d24s8" };
	for (unsigned format = 0; format < 4; format++) {
		for (unsigned func = 0; names[format] && func < 8; func++) {
			if (!case_begin(m, ORIGIN_RULE, "depth-test", 16, 16, "depth-%s-%s",
					    names[format], compare_names[func])) {
				return;
			}
			case_target(m, PICA_COLOR_FORMAT_RGBA8, format);
			draw_depths(m);
			pica_emit_depth_test(m->list, true, func, true, 0xF);
			BOX(m, .y1 = 0, .z = -8 / 32.0f, .rgba = 0x40C0F0FF);
			EACH_PIXEL(m, x, y) {
				m->want[y][x] = passes(func, 8, (int)x + 1) ? 0x40C0F0FF : GROUND;
			}
			case_end(m);
		}
		/* The stored depths, with the test on and off, and without writing. */
		for (unsigned how = 0; names[format] && how < 4; how++) {
			static const char *const hows[4] = { "values", "write-when-passed",
				"write-off", "buffer-write-off" };
			if (!case_begin(m, ORIGIN_RULE, "depth-integer", 16, 16, "depth-%s-%s",
					    names[format], hows[how])) {
				return;
			}
			case_target(m, PICA_COLOR_FORMAT_RGBA8, format);
			draw_depths(m);
			if (how == 3) {
				pica_emit_reg(m->list, PICA_REG_DEPTHBUFFER_WRITE, 0);
			}
			pica_emit_depth_test(m->list, true, PICA_COMPARE_GREATER, how != 2, 0xF);
			if (how) {
				BOX(m, .z = -13 / 64.0f, .rgba = 0xFFFFFFFF);
			}
			case_show_depth(m, format);
			EACH_PIXEL(m, x, y) {
				const bool is_new = how == 1 && 13 > 2 * (x + 1);
				m->want[y][x] = depth_color(
						format, is_new ? 13 : 2 * (x + 1), 64, 0);
			}
			case_end(m);
		}
	}
	if (case_begin(m, ORIGIN_RULE, "depth-test", 16, 16, "depth-write-with-test-off")) {
		pica_emit_depth_test(m->list, false, PICA_COMPARE_NEVER, true, 0xF);
		BOX(m, .z = -0.625f, .rgba = 0xFFFFFFFF);
		case_show_depth(m, PICA_DEPTH_FORMAT_D24S8);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = depth_color(PICA_DEPTH_FORMAT_D24S8, 5, 8, 0);
		}
		case_end(m);
	}
}

/*
 * The coarse second depth store: its registers have no effect while both of its bits are 0; its
 * effect otherwise is not known.
 */
static void make_early_depth(struct maker *m) {
	for (unsigned on = 0; on < 2; on++) {
		if (!case_begin(m, on ? ORIGIN_GUESS : ORIGIN_RULE, "early-depth", 16, 16,
				    "early-depth-%s", on ? "on" : "off")) {
			return;
		}
		draw_depths(m);
		pica_emit_reg(m->list, PICA_REG_EARLYDEPTH_FUNC, 3);
		pica_emit_reg(m->list, PICA_REG_EARLYDEPTH_TEST1, on);
		pica_emit_reg(m->list, PICA_REG_EARLYDEPTH_TEST2, on);
		pica_emit_reg(m->list, PICA_REG_EARLYDEPTH_DATA, 0x123456);
		pica_emit_reg(m->list, PICA_REG_EARLYDEPTH_CLEAR, 1);
		pica_emit_depth_test(m->list, true, PICA_COMPARE_GREATER, true, 0xF);
		BOX(m, .y1 = 0, .z = -8 / 32.0f, .rgba = 0x40C0F0FF);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = 8 > x + 1 ? 0x40C0F0FF : GROUND;
		}
		case_end(m);
	}
}

/* z/w times scale plus offset, or that times w; clamped. Numbers in 1/64. */
static void make_depth_map(struct maker *m) {
	static const struct {
		const char *name;
		uint32_t mode;
		float scale, offset, z, w;
		unsigned numerator;
	} rows[] = {
		{ "z-usual", PICA_DEPTHMAP_Z, -1, 0, -0.75f, 1, 48 },
		{ "z-of-w", PICA_DEPTHMAP_Z, -1, 0, -0.75f, 2, 24 },
		{ "z-scale", PICA_DEPTHMAP_Z, -0.5f, 0.25f, -0.5f, 1, 32 },
		{ "z-clamp-at-1", PICA_DEPTHMAP_Z, -1, 0.5f, -0.75f, 1, 64 },
		{ "z-clamp-at-0", PICA_DEPTHMAP_Z, -1, -0.5f, -0.25f, 1, 0 },
		{ "z-positive-scale", PICA_DEPTHMAP_Z, 1, 1, -0.25f, 1, 48 },
		{ "w-usual", PICA_DEPTHMAP_W, -1, 0, -0.25f, 2, 16 },
		{ "w-offset", PICA_DEPTHMAP_W, -1, 0.125f, -0.25f, 2, 32 },
		{ "w-small", PICA_DEPTHMAP_W, -1, 0.5f, -0.125f, 0.25f, 16 },
		{ "w-clamp-at-1", PICA_DEPTHMAP_W, -1, 1, -1, 2, 64 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		const float w = rows[i].w, z = rows[i].z;
		const struct vertex v[3] = { { -w, -w, z, w, 1, 1, 1, 1, 0, 0, 1 },
			{ 3 * w, -w, z, w, 1, 1, 1, 1, 0, 0, 1 },
			{ -w, 3 * w, z, w, 1, 1, 1, 1, 0, 0, 1 } };
		if (!case_begin(m, ORIGIN_RULE, "depth", 16, 16, "depth-map-%s", rows[i].name)) {
			return;
		}
		pica_emit_depth_map(m->list, rows[i].mode, rows[i].scale, rows[i].offset);
		case_vertices(m, PICA_PRIMITIVE_LIST, v, 3);
		case_show_depth(m, PICA_DEPTH_FORMAT_D24S8);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = depth_color(
					PICA_DEPTH_FORMAT_D24S8, rows[i].numerator, 64, 0);
		}
		case_end(m);
	}
}

/* Column x has the stencil edge_byte(x). */
static void draw_stencils(struct maker *m) {
	for (unsigned x = 0; x < 16; x++) {
		stencil_write(&m->r, edge_byte(x));
		BOX(m, .x0 = (float)x, .x1 = (float)(x + 1), .y1 = (float)m->height,
				.rgba = GROUND);
	}
}

static uint8_t stencil_result(unsigned op, uint8_t old, uint8_t ref) {
	const unsigned results[8] = { old, 0, ref, old < 255 ? old + 1u : 255, old ? old - 1u : 0,
		~(unsigned)old, old + 1u, old - 1u };
	return (uint8_t)results[op];
}

static void make_stencil(struct maker *m) {
	static const char *const ops[8] = { "keep", "zero", "replace", "increment", "decrement",
		"invert", "increment-wrap", "decrement-wrap" };
	static const char *const places[3] = { "fail", "depth-fail", "pass" };
	for (unsigned i = 0; i < 16; i++) {
		const unsigned func = i % 8, mask = i < 8 ? 0xFF : 0x0F;
		if (!case_begin(m, ORIGIN_RULE, "stencil", 16, 16, "stencil-%s-mask-%02x",
				    compare_names[func], mask)) {
			return;
		}
		draw_stencils(m);
		stencil_keep(&m->r);
		pica_emit_stencil_test(m->list, true, func, 0x81, mask, 0xFF);
		BOX(m, .rgba = 0xF0C040FF);
		EACH_PIXEL(m, x, y) {
			const bool is_in = passes(func, 0x81 & (int)mask, edge_byte(x) & (int)mask);
			m->want[y][x] = is_in ? 0xF0C040FF : GROUND;
		}
		case_end(m);
	}
	for (unsigned i = 0; i < 24 + 8; i++) {
		const unsigned op = i % 8, place = i < 24 ? i / 8 : 2, mask = i < 24 ? 0xFF : 0x5A;
		if (!case_begin(m, ORIGIN_RULE, "stencil", 16, 16,
				    i < 24 ? "stencil-%s-%s" : "stencil-%s-%s-write-mask",
				    places[place], ops[op])) {
			return;
		}
		draw_stencils(m);
		pica_emit_stencil_test(m->list, true,
				place == 0 ? PICA_COMPARE_NEVER : PICA_COMPARE_ALWAYS, 0x6C, 0xFF,
				mask);
		pica_emit_stencil_op(m->list, place == 0 ? op : 0, place == 1 ? op : 0,
				place == 2 ? op : 0);
		pica_emit_depth_test(m->list, place == 1, PICA_COMPARE_NEVER, false, 0xF);
		BOX(m, .rgba = 0xFFFFFFFF);
		case_show_depth(m, PICA_DEPTH_FORMAT_D24S8);
		EACH_PIXEL(m, x, y) {
			const uint8_t old = edge_byte(x);
			m->want[y][x] = (uint32_t)((stencil_result(op, old, 0x6C) & mask) |
							(old & ~mask & 0xFF))
					<< 24;
		}
		case_end(m);
	}
	if (case_begin(m, ORIGIN_RULE, "stencil", 16, 16, "stencil-needs-d24s8")) {
		case_target(m, PICA_COLOR_FORMAT_RGBA8, PICA_DEPTH_FORMAT_D24);
		pica_emit_stencil_test(m->list, true, PICA_COMPARE_NEVER, 0, 0xFF, 0xFF);
		BOX(m, .rgba = 0xF0C040FF);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = 0xF0C040FF;
		}
		case_end(m);
	}
}

static void make_scissor(struct maker *m) {
	static const struct {
		const char *name;
		uint32_t mode;
		unsigned x1, y1, x2, y2;
	} rows[] = {
		{ "off", 0, 3, 4, 9, 12 },
		{ "mode-2", 2, 3, 4, 9, 12 },
		{ "inside", 3, 3, 4, 9, 12 },
		{ "outside", 1, 3, 4, 9, 12 },
		{ "one-pixel", 3, 10, 5, 10, 5 },
		{ "empty", 3, 9, 4, 3, 12 },
		{ "outside-nothing", 1, 9, 4, 3, 12 },
		{ "all-but-a-pixel", 1, 7, 7, 7, 7 },
		{ "beyond", 3, 8, 8, 1023, 1023 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		if (!case_begin(m, ORIGIN_RULE, "scissor", 16, 16, "scissor-%s", rows[i].name)) {
			return;
		}
		pica_emit_scissor(m->list, rows[i].mode, rows[i].x1, rows[i].y1, rows[i].x2,
				rows[i].y2);
		draw_pattern(m, 2);
		EACH_PIXEL(m, x, y) {
			const bool is_in = x >= rows[i].x1 && x <= rows[i].x2 && y >= rows[i].y1 &&
					y <= rows[i].y2;
			const bool is_kept = !(rows[i].mode & 1) || is_in == (rows[i].mode == 3);
			m->want[y][x] = is_kept ? edge_color(x, y, 2) : GROUND;
		}
		case_end(m);
	}
}

void make_output(struct maker *m) {
	make_blending(m);
	make_logic(m);
	make_masks(m);
	make_formats(m);
	make_alpha_test(m);
	make_depth(m);
	make_early_depth(m);
	make_depth_map(m);
	make_stencil(m);
	make_scissor(m);
}
