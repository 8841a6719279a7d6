/* Fog, drawing of shadow maps, gas. */
#include "kit.h"

/* ---- Fog ---- */

/* Entry i of the table: 2047 - 15*i, with difference -15, but 0 in every fourth one. */
static unsigned fog_value(unsigned i) {
	return 2047 - 15 * i;
}

static int fog_difference(unsigned i) {
	return i % 4 == 3 ? 0 : -15;
}

/* [fidelity: fog] */
static uint32_t fogged(uint32_t c, uint32_t fog, double d) {
	const double x = d * 128;
	const unsigned i = x < 127 ? (unsigned)x : 127;
	const double v = (double)fog_value(i) + fog_difference(i) * (x - i);
	const unsigned factor = (unsigned)((v < 0 ? 0 : v > 2047 ? 2047 : v) + 0.5);
	uint32_t out = c & 255;
	for (unsigned k = 0; k < 3; k++) {
		set_channel(&out, k,
				(factor * channel(c, k) + (2047 - factor) * channel(fog, k) +
						1023) /
						2047);
	}
	return out;
}

static void make_fog(struct maker *m) {
	static const char *const names[9] = { "on", "flipped", "w-buffer", "off", "keeps-alpha",
		"after-the-alpha-test", "before-blending", "table-index-counts-up",
		"without-a-depth-test" };
	for (unsigned i = 0; i < 9; i++) {
		const uint32_t fog = 0x30A0F0FF, source = 0xE08020C0;
		if (!case_begin(m, ORIGIN_RULE, "fog", 32, 16, "fog-%s", names[i])) {
			return;
		}
		uint32_t entries[128];
		for (unsigned k = 0; k < 128; k++) {
			entries[k] = fog_value(k) << 13 | ((uint32_t)fog_difference(k) & 0x1FFF);
		}
		const unsigned first = i == 7 ? 100 : 0;
		pica_emit_fog_lut(m->list, first, entries + first, 128 - first);
		pica_emit_fifo(m->list, PICA_REG_FOG_LUT_DATA0, entries, first); /* goes on at 0 */
		pica_emit_fog(m->list, i == 3 ? PICA_FOG_MODE_OFF : PICA_FOG_MODE_FOG, i == 1,
				0xF0A030);
		if (i == 2) {
			pica_emit_depth_map(m->list, PICA_DEPTHMAP_W, -1, 0);
		} else if (i == 5) {
			/* Only pixels with the combiner's alpha pass, which fog does not change. */
			pica_emit_alpha_test(m->list, true, PICA_COMPARE_EQUAL, 0xC0);
		} else if (i == 6) {
			pica_emit_blend(m->list,
					&(const struct pica_blend){ .rgb_src = 1, .rgb_dst = 1 });
		}
		pica_emit_depth_test(m->list, i != 8, PICA_COMPARE_ALWAYS, true, 0xF);
		for (unsigned x = 0; x < 32; x++) {
			/* Depths (2x + 1)/64; with the W buffer of w 2, twice z/w. */
			const float z = -(float)(2 * x + 1) / 64, w = i == 2 ? 2 : 1;
			struct vertex v[4];
			float c[4];
			put_color_float(c, source);
			for (unsigned k = 0; k < 4; k++) {
				v[k] = (struct vertex){ w * case_x(m, (float)(x + (k & 1))),
					k & 2 ? w : -w, z, w, c[0], c[1], c[2], c[3], 0, 0, 1 };
			}
			case_vertices(m, PICA_PRIMITIVE_STRIP, v, 4);
		}
		if (i == 4) {
			case_reveal_alpha(m);
		}
		EACH_PIXEL(m, x, y) {
			const double d = (2 * x + 1) / 64.0;
			uint32_t c = i == 3 ? source : fogged(source, fog, i == 1 ? 1 - d : d);
			for (unsigned k = 0; i == 6 && k < 3; k++) {
				const unsigned sum = channel(c, k) + channel(GROUND, k);
				set_channel(&c, k, sum < 255 ? sum : 255);
			}
			m->want[y][x] = i == 4 ? gray(channel(source, 3)) : c;
		}
		case_end(m);
	}
}

/* ---- Shadow maps ---- */

/* A map of depth 3/4 and density 0xF0 gets columns of depths x/16. [fidelity: shadow-render] */
static void make_shadow(struct maker *m) {
	static const struct {
		const char *name;
		unsigned green;
		float constant, linear;
		bool write_off;
	} rows[] = {
		{ "hard", 0, 0, 0, false },
		{ "soft", 128, 1.5f, -1, false },
		{ "soft-constant", 96, 2, 0, false },
		{ "soft-divisor-0", 128, 0, 0, false },
		{ "soft-divisor-negative", 128, -1, 0, false },
		{ "soft-keeps-darker", 255, 1, 0, false },
		{ "write-off", 0, 0, 0, true },
	};
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		/* A word of the map, byte 0 in its lowest bits: depth 0xBFFFFF, density 0xF0. */
		const uint32_t start = 0xF0FFFFBF;
		if (!case_begin(m, ORIGIN_RULE, "shadow-render", 16, 16, "shadow-map-%s",
				    rows[i].name)) {
			return;
		}
		BOX(m, .rgba = start);
		pica_emit_fragment_mode(m->list, PICA_FRAGMENT_MODE_SHADOW);
		pica_emit_shadow(m->list, rows[i].constant, rows[i].linear);
		if (rows[i].write_off) {
			pica_emit_reg(m->list, PICA_REG_COLORBUFFER_WRITE, 0);
		}
		for (unsigned x = 0; x < 16; x++) {
			BOX(m, .x0 = (float)x, .x1 = (float)(x + 1), .y1 = (float)m->height,
					.z = -(float)x / 16,
					.rgba = 0xFF0000FF | rows[i].green << 16);
		}
		EACH_PIXEL(m, x, y) {
			const uint32_t stored = 0xBFFFFF,
				       z = (uint32_t)((uint64_t)x * 0xFFFFFF / 16);
			uint32_t c = start;
			if (z < stored && !rows[i].write_off && rows[i].green == 0) {
				c = 0xF0000000 | (z & 255) << 16 | (z & 0xFF00) | z >> 16;
			} else if (z < stored && !rows[i].write_off) {
				const float q = (float)z / (float)stored;
				float v = (float)rows[i].green /
						(rows[i].constant + rows[i].linear * q);
				v = v > 0 ? v : 0;
				v = v < 255 ? v : 255;
				c = v < 0xF0 ? (uint32_t)v << 24 | (start & 0xFFFFFF) : start;
			}
			m->want[y][x] = c;
		}
		case_end(m);
	}
}

/* ---- Gas, a guess ---- */

static void make_gas(struct maker *m) {
	static const char *const names[7] = { "never", "always", "greater", "less", "shading",
		"shading-by-light", "shading-of-depth" };
	for (unsigned i = 0; i < 7; i++) {
		uint32_t colors[9], fog[128], entries[16];
		if (!case_begin(m, ORIGIN_GUESS, "gas", 16, 16, "gas-%s", names[i])) {
			return;
		}
		for (unsigned x = 0; x < 16; x++) {
			BOX(m, .x0 = (float)x, .x1 = (float)(x + 1), .y1 = 16, .z = -(float)x / 16,
					.rgba = 0);
		}
		pica_emit_gas_accumulation(
				m->list, i < 4 ? i : (uint32_t)PICA_GAS_DEPTH_ALWAYS, 64);
		for (unsigned y = 0; y < 16; y++) {
			BOX(m, .y0 = (float)y, .x1 = 16, .y1 = (float)(y + 1), .z = -0.5f,
					.rgba = 0x10000000 * y);
		}
		if (i > 3) {
			/* The densities are a texture of 256x16; the target covers 240 columns. */
			for (unsigned k = 0; k < 128; k++) {
				fog[k] = pica_fog_lut_entry((float)k / 128, 1 / 128.0f);
			}
			for (unsigned k = 0; k < 9; k++) {
				colors[k] = (31 * k) | (255 - 31 * k) << 8 | 0x800000;
			}
			pica_gas_lut_from(entries, colors);
			const struct pica_gas gas = { .planar = { 0.25f, 0.75f, 0.5f },
				.view = { 0, 0.5f, 0.25f },
				.effect = 0.5f,
				.by_light = i == 5,
				.depth_density = i == 6,
				.density_max = 1,
				.attenuation = 1 };
			EACH_PIXEL(m, x, y) {
				m->texels[y][x] = 0x00003C00 * (x / 4) / 4 +
						(0x3C000000 * (uint64_t)(y / 4) / 4 & 0xFFFF0000);
			}
			pica_emit_fragment_mode(m->list, PICA_FRAGMENT_MODE_NORMAL);
			pica_emit_blend(m->list, NULL);
			case_texture(m, 0, 1);
			tev_primary(&m->r);
			pica_emit_fog_lut(m->list, 0, fog, 128);
			pica_emit_gas_lut(m->list, 0, entries, 16);
			pica_emit_gas_shading(m->list, &gas);
			BOX(m, .rgba = 0x80FFFFFF);
		} else if (i == 0) {
			case_edge(m); /* nothing is drawn */
		}
		case_end(m);
	}
}

void make_effects(struct maker *m) {
	make_fog(m);
	make_shadow(m);
	make_gas(m);
}
