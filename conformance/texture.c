/* Texture units 0 to 2: formats, wrapping, filters, levels, types of unit 0. */

#include "kit.h"

/* ---- Formats ---- */

/* Bytes of a texel, all the values of the first byte or word that fit 256 texels. */
static unsigned expand(unsigned v, unsigned bits) {
	return bits == 1          ? v * 255 :
			bits == 4 ? v * 17 :
			bits == 5 ? v << 3 | v >> 2 :
				    v << 2 | v >> 4;
}

/* Colour of texel i: its raw value is pattern(i). [fidelity: texel-formats] */
static uint32_t raw_texel(unsigned i) {
	return edge_byte(i) | (uint32_t)edge_byte(i >> 4) << 8 |
			(uint32_t)edge_byte(i * 7 + 3) << 16 |
			(uint32_t)edge_byte(i * 5 + (i >> 4)) << 24;
}

static uint32_t rgba(unsigned r, unsigned g, unsigned b, unsigned a) {
	return (uint32_t)r << 24 | (uint32_t)g << 16 | (uint32_t)b << 8 | a;
}

static uint32_t texel_color(unsigned format, uint32_t v) {
	const unsigned b0 = v & 255, b1 = v >> 8 & 255, b2 = v >> 16 & 255, w = v & 0xFFFF,
		       n = v & 15;
	const uint32_t colors[14] = {
		v,
		rgba(b2, b1, b0, 255),
		rgba(expand(w >> 11, 5), expand(w >> 6 & 31, 5), expand(w >> 1 & 31, 5),
				expand(w & 1, 1)),
		rgba(expand(w >> 11, 5), expand(w >> 5 & 63, 6), expand(w & 31, 5), 255),
		rgba(expand(w >> 12, 4), expand(w >> 8 & 15, 4), expand(w >> 4 & 15, 4),
				expand(w & 15, 4)),
		rgba(b1, b1, b1, b0),
		rgba(b1, b0, 0, 255),
		rgba(b0, b0, b0, 255),
		rgba(0, 0, 0, b0),
		rgba(b0 >> 4 & 15, b0 >> 4 & 15, b0 >> 4 & 15, b0 & 15) * 17,
		rgba(n * 17, n * 17, n * 17, 255),
		rgba(0, 0, 0, n * 17),
		0,
		0,
	};
	return colors[format];
}

static const struct {
	const char *name;
	unsigned bits;
} formats[16] = { { "rgba8", 32 }, { "rgb8", 24 }, { "rgb5a1", 16 }, { "rgb565", 16 },
	{ "rgba4", 16 }, { "ia8", 16 }, { "hilo8", 16 }, { "i8", 8 }, { "a8", 8 }, { "ia4", 8 },
	{ "i4", 4 }, { "a4", 4 }, { "etc1", 4 }, { "etc1a4", 8 }, { "14", 32 }, { "15", 32 } };

/* Shows RGB, or alpha as grey. */
static void show_texture(struct maker *m, bool is_alpha) {
	tev_texture(&m->r);
	if (is_alpha) {
		TEV(&m->r, 0, RGB1(TEXTURE0), ALPHA1(TEXTURE0),
				.rgb_operand = { PICA_TEV_OPERAND_RGB_ALPHA });
	}
	BOX(m, .rgba = 0xFFFFFFFF);
}

/*
 * The two blocks of [fidelity: texture-numbers]: individual colours without flip; differential ones
 * with it. An alpha of ETC1A4 counts its nibbles.
 */
static const uint8_t blocks[2][8] = { { 0x0F, 0x0F, 0xF0, 0x00, 0x34, 0x2A, 0x4C, 0xF8 },
	{ 0x21, 0x84, 0x01, 0x80, 0x77, 0xFC, 0x47, 0x81 } };

static uint64_t word_of(const uint8_t *bytes) {
	uint64_t word = 0;
	for (unsigned i = 0; i < 8; i++) {
		word |= (uint64_t)bytes[i] << 8 * i;
	}
	return word;
}

/* [fidelity: etc1] */
static uint32_t etc1_color(uint64_t w, uint64_t alpha, unsigned x, unsigned y) {
	static const int table[8][2] = { { 2, 8 }, { 5, 17 }, { 9, 29 }, { 13, 42 }, { 18, 60 },
		{ 24, 80 }, { 33, 106 }, { 47, 183 } };
	const unsigned k = x * 4 + y;
	const bool second = (w >> 32 & 1 ? y : x) >= 2;
	int mod = table[w >> (second ? 34 : 37) & 7][w >> k & 1];
	uint32_t color = (uint32_t)(alpha >> 4 * k & 15) * 17;
	mod = w >> (16 + k) & 1 ? -mod : mod;
	for (unsigned c = 0; c < 3; c++) {
		const unsigned top = 60 - 8 * c; /* of the first half's nibble */
		int base;
		if (w >> 33 & 1) {
			int delta = (int)(w >> (top - 4) & 7);
			delta -= delta & 4 ? 8 : 0;
			base = (int)expand(((unsigned)(w >> (top - 1) & 31) +
							   (unsigned)(second ? delta : 0)) &
							31,
					5);
		} else {
			base = (int)(w >> (second ? top - 4 : top) & 15) * 17;
		}
		base += mod;
		color |= (uint32_t)(base < 0 ? 0 : base > 255 ? 255 : base) << (24 - 8 * c);
	}
	return color;
}

static void make_formats(struct maker *m) {
	static uint8_t bytes[16 * 16 * 4];
	for (unsigned i = 0; i < 32; i++) {
		const unsigned format = i / 2, bits = formats[format].bits;
		const bool is_alpha = i & 1, is_etc = format == 12 || format == 13;
		if (!case_begin(m, ORIGIN_RULE, is_etc ? "etc1" : "texel-formats", 16, 16,
				    "texture-%s-%s", formats[format].name,
				    is_alpha ? "alpha" : "rgb")) {
			return;
		}
		memset(bytes, 0, sizeof(bytes));
		EACH_PIXEL(m, x, y) {
			const unsigned row = 15 - y, index = texel_index(x, row, 16);
			uint32_t color = format < 14 ?
					texel_color(format, raw_texel(16 * row + x)) :
					0;
			if (is_etc) {
				/*
				 * 4x4 texels, also in the order of tiles; odd blocks are of the
				 * second kind.
				 */
				const unsigned block = index / 16, size = bits * 2;
				uint8_t *at = bytes + block * size;
				for (unsigned k = 0; format == 13 && k < 8; k++) {
					at[k] = (uint8_t)(0x10 + 0x22 * k + block);
				}
				memcpy(at + size - 8, blocks[block & 1], 8);
				color = etc1_color(word_of(at + size - 8),
						format == 13 ? word_of(at) : UINT64_MAX, x & 3,
						row & 3);
			}
			for (unsigned k = 0; !is_etc && k < bits / 8; k++) {
				bytes[index * bits / 8 + k] =
						(uint8_t)(raw_texel(16 * row + x) >> 8 * k);
			}
			if (bits == 4 && !is_etc) {
				bytes[index / 2] |= (uint8_t)((raw_texel(16 * row + x) & 15)
						<< 4 * (index & 1));
			}
			m->want[y][x] = is_alpha ? gray(color & 255) : color;
		}
		const uint32_t addr = recorder_store(&m->r, bytes, sizeof(bytes));
		pica_emit_texture(m->list, 0,
				&(const struct pica_texture){ .addr = addr,
						.width = 16,
						.height = 16,
						.format = format < 14 ? format : 0 });
		if (format >= 14) {
			pica_emit_reg(m->list, PICA_REG_TEXUNIT0_TYPE, format);
		}
		use_units(&m->r, 1);
		show_texture(m, is_alpha);
		case_end(m);
	}
}

/* ---- Wrapping ---- */

static int floor_mod(int a, int b) {
	return (a % b + b) % b;
}

/* The texel of index i of 8, or -1: the border. [fidelity: wrap] */
static int wrapped(unsigned mode, int i) {
	const int c = floor_mod(i, 16);
	switch (mode) {
	case 0:
		return i < 0 ? 0 : i > 7 ? 7 : i;
	case 1:
		return i < 0 || i > 7 ? -1 : i;
	case 3:
		return c < 8 ? c : 15 - c;
	case 4:
		return i > 7 ? 7 : floor_mod(i, 8);
	case 5:
		return i > 7 ? -1 : floor_mod(i, 8);
	default:
		return floor_mod(i, 8);
	}
}

static uint32_t texel8(int s, int t) {
	return s < 0 || t < 0 ? 0x3060C0F0 :
				edge_color((unsigned)(2 * s + 1), (unsigned)(2 * t), 2);
}

/* An 8x8 texture in texels. */
static struct pica_texture texture8(struct maker *m) {
	uint8_t bytes[8 * 8 * 4];
	for (unsigned i = 0; i < 64; i++) {
		const unsigned index = texel_index(i % 8, 7 - i / 8, 8);
		for (unsigned k = 0; k < 4; k++) {
			bytes[4 * index + k] =
					(uint8_t)(texel8((int)(i % 8), (int)(i / 8)) >> 8 * k);
		}
	}
	return (struct pica_texture){ .addr = recorder_store(&m->r, bytes, sizeof(bytes)),
		.width = 8,
		.height = 8,
		.border = 0xF0C06030 };
}

/*
 * Mean of four texels around a place, in 1/256; weights of 8 bits, rounded once. [fidelity:
 * filters]
 */
static uint32_t bilinear(const uint32_t c[4], unsigned wx, unsigned wy) {
	uint32_t out = 0;
	for (unsigned k = 0; k < 4; k++) {
		const unsigned sum = channel(c[0], k) * (256 - wx) * (256 - wy) +
				channel(c[1], k) * wx * (256 - wy) +
				channel(c[2], k) * (256 - wx) * wy + channel(c[3], k) * wx * wy;
		set_channel(&out, k, (sum + 0x8000) >> 16);
	}
	return out;
}

static void make_wrapping(struct maker *m) {
	static const char *const modes[8] = { "edge", "border", "repeat", "mirror", "4", "5", "6",
		"7" };
	/*
	 * 32 pixels show 32 texels from -12 on; with the linear filter 16 texels from -4 on, offset
	 * by quarters.
	 */
	for (unsigned i = 0; i < 32; i++) {
		const unsigned mode = i / 4;
		const bool is_t = i & 1, is_linear = i & 2;
		if (!case_begin(m, ORIGIN_RULE, is_linear ? "filters" : "wrap", 32, 32,
				    "wrap-%c-%s-%s", is_t ? 't' : 's', modes[mode],
				    is_linear ? "linear" : "nearest")) {
			return;
		}
		struct pica_texture t = texture8(m);
		t.wrap_s = is_t ? PICA_WRAP_REPEAT : mode;
		t.wrap_t = is_t ? mode : PICA_WRAP_REPEAT;
		set_filter(&t, is_linear ? PICA_FILTER_LINEAR : PICA_FILTER_NEAREST);
		use_texture(&m->r, &t);
		tev_texture(&m->r);
		const float from = is_linear ? -0.5f : -1.5f, to = is_linear ? 1.5f : 2.5f;
		BOX(m, .rgba = 0xFFFFFFFF, .u0 = from, .v0 = from, .u1 = to, .v1 = to);
		EACH_PIXEL(m, x, y) {
			const unsigned modes_of[2] = { t.wrap_s, t.wrap_t }, at[2] = { x, y };
			int index[2][2];
			unsigned weight[2];
			for (unsigned k = 0; k < 2; k++) {
				/*
				 * In 1/4 texels: pixel centres are at 2*at + 1 - 16, less half a
				 * texel.
				 */
				const int place = is_linear ? 2 * (int)at[k] + 1 - 16 - 2 :
							      4 * ((int)at[k] - 12);
				const int first = (place - floor_mod(place, 4)) / 4;
				weight[k] = 64 * (unsigned)floor_mod(place, 4);
				index[k][0] = wrapped(modes_of[k], first);
				index[k][1] = wrapped(modes_of[k], first + 1);
			}
			const uint32_t c[4] = { texel8(index[0][0], index[1][0]),
				texel8(index[0][1], index[1][0]), texel8(index[0][0], index[1][1]),
				texel8(index[0][1], index[1][1]) };
			m->want[y][x] = is_linear ? bilinear(c, weight[0], weight[1]) : c[0];
		}
		case_end(m);
	}
}

/* ---- Units and levels ---- */

static void make_units(struct maker *m) {
	static const struct {
		const char *name;
		unsigned shown, enabled;
	} rows[] = { { "0", 0, 1 }, { "1", 1, 2 }, { "2", 2, 4 }, { "0-off", 0, 6 },
		{ "1-off", 1, 5 }, { "2-off", 2, 3 } };
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		const unsigned unit = rows[i].shown;
		if (!case_begin(m, ORIGIN_RULE, "texture-fields", 16, 16, "texture-unit-%s",
				    rows[i].name)) {
			return;
		}
		for (unsigned k = 0; k < 3; k++) {
			EACH_PIXEL(m, x, y) {
				m->texels[y][x] = edge_color(x, y, k);
			}
			case_texture(m, k, rows[i].enabled);
		}
		TEV(&m->r, 0, .rgb_source = { PICA_TEV_SOURCE_TEXTURE0 + unit }, ALPHA1(PRIMARY));
		BOX(m, .rgba = 0xFFFFFFFF);
		EACH_PIXEL(m, x, y) {
			m->want[y][x] = rows[i].enabled >> unit & 1 ? edge_color(x, y, unit) : 0;
		}
		case_end(m);
	}
	static const char *const oddities[4] = { "type-disabled", "address-0", "width-0",
		"type-6-is-2d" };
	static const char *const rules[4] = { "texture-fields", "texture-fields", "bad-texture",
		"texture-fields" };
	for (unsigned i = 0; i < 8; i++) {
		if (!case_begin(m, ORIGIN_RULE, rules[i / 2], 16, 16, "texture-%s-%s",
				    oddities[i / 2], i & 1 ? "alpha" : "rgb")) {
			return;
		}
		EACH_PIXEL(m, x, y) {
			m->texels[y][x] = edge_color(x, y, 2);
		}
		case_texture(m, 0, 1);
		if (i / 2 == 0 || i / 2 == 3) {
			pica_emit_reg_masked(m->list, PICA_REG_TEXUNIT0_PARAM,
					(i / 2 == 0 ? 5u : 6u) << 28, 8);
		} else {
			pica_emit_reg(m->list,
					i / 2 == 1 ? PICA_REG_TEXUNIT0_ADDR1 :
						     PICA_REG_TEXUNIT0_DIM,
					0);
		}
		show_texture(m, i & 1);
		EACH_PIXEL(m, x, y) {
			const uint32_t c = i / 2 == 3 ? edge_color(x, y, 2) : i / 2 == 1 ? 255 : 0;
			m->want[y][x] = i & 1 ? gray(c & 255) : c;
		}
		case_end(m);
	}
}

/* A 64x64 texture with a different colour in each of 4 levels. */
static struct pica_texture levels(struct maker *m) {
	static const uint32_t colors[4] = { 0xE02020FF, 0x20C040FF, 0x2050F0FF, 0xF0E040FF };
	static uint32_t words[64 * 64 + 32 * 32 + 16 * 16 + 8 * 8];
	unsigned n = 0;
	for (unsigned level = 0; level < 4; level++) {
		for (unsigned i = 0; i < (64u >> level) * (64u >> level); i++) {
			words[n++] = colors[level];
		}
	}
	return (struct pica_texture){ .addr = recorder_store(&m->r, words, sizeof(words)),
		.width = 64,
		.height = 64,
		.mag = PICA_FILTER_NEAREST,
		.min = PICA_FILTER_NEAREST,
		.wrap_s = PICA_WRAP_REPEAT,
		.wrap_t = PICA_WRAP_REPEAT,
		.max_level = 3 };
}

static uint32_t mix_levels(uint32_t a, uint32_t b, unsigned f) {
	uint32_t out = 0;
	for (unsigned k = 0; k < 3; k++) {
		set_channel(&out, k, (channel(a, k) * (256 - f) + channel(b, k) * f + 128) >> 8);
	}
	return out;
}

/* Four bands, of 1/2, 1, 2, 4, ... texels a pixel: LOD -1, 0, 1, 2, ... */
static void make_levels(struct maker *m) {
	static const uint32_t colors[4] = { 0xE02020FF, 0x20C040FF, 0x2050F0FF, 0xF0E040FF };
	static const struct {
		const char *name;
		uint32_t mip;
		float bias; /* in halves */
		unsigned min, max;
		uint32_t axis; /* 0: both, 1: s only, 2: t only */
	} rows[] = {
		{ "nearest", PICA_FILTER_NEAREST, 0, 0, 3, 0 },
		{ "linear", PICA_FILTER_LINEAR, 0, 0, 3, 0 },
		{ "nearest-bias-1", PICA_FILTER_NEAREST, 1, 0, 3, 0 },
		{ "nearest-bias-minus-1", PICA_FILTER_NEAREST, -1, 0, 3, 0 },
		{ "linear-bias-half", PICA_FILTER_LINEAR, 0.5f, 0, 3, 0 },
		{ "linear-bias-minus-quarter", PICA_FILTER_LINEAR, -0.25f, 0, 3, 0 },
		{ "min-2", PICA_FILTER_NEAREST, 0, 2, 3, 0 },
		{ "max-1", PICA_FILTER_NEAREST, 0, 0, 1, 0 },
		{ "linear-max-1", PICA_FILTER_LINEAR, 0.5f, 0, 1, 0 },
		{ "none", PICA_FILTER_LINEAR, 0, 0, 0, 0 },
		{ "beyond-the-smallest", PICA_FILTER_NEAREST, 0, 0, 15, 0 },
		{ "larger-axis-s", PICA_FILTER_NEAREST, 0, 0, 3, 1 },
		{ "larger-axis-t", PICA_FILTER_NEAREST, 0, 0, 3, 2 },
	};
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		if (!case_begin(m, ORIGIN_RULE, "lod", 16, 16, "levels-%s", rows[i].name)) {
			return;
		}
		struct pica_texture t = levels(m);
		t.mip = rows[i].mip;
		t.lod_bias = rows[i].bias;
		t.min_level = rows[i].min;
		t.max_level = rows[i].max;
		use_texture(&m->r, &t);
		tev_texture(&m->r);
		for (unsigned band = 0; band < 4; band++) {
			/*
			 * 16 pixels of a row cover 16 * step texels of 64, 4 of a column as many a
			 * pixel.
			 */
			const float step = (float)(1u << band) / 2, small = 0.125f;
			BOX(m, .y0 = 4 * (float)band, .x1 = 16, .y1 = 4 * (float)(band + 1),
					.rgba = 0xFFFFFFFF,
					.u1 = 16 * (rows[i].axis == 2 ? small : step) / 64,
					.v1 = 4 * (rows[i].axis == 1 ? small : step) / 64);
		}
		EACH_PIXEL(m, x, y) {
			const float lod = (float)(int)(y / 4) - 1 + rows[i].bias;
			const float top = rows[i].max < 3 ? (float)rows[i].max : 3;
			float c = lod > (float)rows[i].min ? lod : (float)rows[i].min;
			c = c < top ? c : top;
			const unsigned level = (unsigned)c, next = level + 1 < 4 ? level + 1 : 3;
			const bool is_linear = rows[i].mip == PICA_FILTER_LINEAR && lod > 0;
			m->want[y][x] = is_linear ?
					mix_levels(colors[level],
							colors[next <= top ? next : level],
							(unsigned)((c - (float)level) * 256)) :
					colors[lod > 0 ? (unsigned)(c + 0.5f) : level];
		}
		case_end(m);
	}
	/* The filter above LOD 0 and the one below. */
	for (unsigned i = 0; i < 4; i++) {
		static const char *const names[4] = { "magnified-nearest", "magnified-linear",
			"minified-nearest", "minified-linear" };
		if (!case_begin(m, ORIGIN_RENDERERS, "filters", 16, 16, "filter-%s", names[i])) {
			return;
		}
		struct pica_texture t = texture8(m);
		t.mag = i == 1;
		t.min = i == 3;
		t.wrap_s = t.wrap_t = PICA_WRAP_REPEAT;
		use_texture(&m->r, &t);
		tev_texture(&m->r);
		BOX(m, .rgba = 0xFFFFFFFF, .u1 = i < 2 ? 1 : 3, .v1 = i < 2 ? 1 : 3);
		case_end(m);
	}
}

void make_texture(struct maker *m) {
	make_formats(m);
	make_wrapping(m);
	make_units(m);
	make_levels(m);
}
