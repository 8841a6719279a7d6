/* The procedural texture, texture 3. */
#include <math.h>

#include "kit.h"

static float identity(float x) {
	return x;
}

static float zigzag(float x) {
	const float y = x * 4 - floorf(x * 4);
	return y < 0.5f ? 2 * y : 2 - 2 * y;
}

static float bell(float x) {
	return 4 * x * (1 - x);
}

enum { ALPHA = 1, FINE = 2, RAMP = 4 };

/* Each row changes the plain unit: edges clamped, RGB by u, 128 colours, nearest. */
static const struct {
	const char *name, *rule;
	unsigned flags;
	struct pica_proctex p;
} rows[] = {
#define CLAMP(mode) PICA_PROCTEX_CLAMP_##mode
#define SHIFT(mode) PICA_PROCTEX_SHIFT_##mode
#define MAP(f) PICA_PROCTEX_MAP_##f
#define FILTER(f) PICA_PROCTEX_FILTER_##f
	{ "clamp-u-zero", "proctex-order", 0, { .u_clamp = CLAMP(ZERO), .rgb_map = MAP(ADD) } },
	{ "clamp-u-edge", "proctex-order", 0, { .u_clamp = CLAMP(EDGE), .rgb_map = MAP(ADD) } },
	{ "clamp-u-repeat", "proctex-order", 0,
			{ .u_clamp = CLAMP(SYMMETRIC_REPEAT), .rgb_map = MAP(ADD) } },
	{ "clamp-u-mirror", "proctex-order", 0,
			{ .u_clamp = CLAMP(MIRRORED_REPEAT), .rgb_map = MAP(ADD) } },
	{ "clamp-u-pulse", "proctex-order", 0, { .u_clamp = CLAMP(PULSE), .rgb_map = MAP(ADD) } },
	{ "clamp-v-zero", "proctex-order", 0, { .v_clamp = CLAMP(ZERO), .rgb_map = MAP(ADD) } },
	{ "clamp-v-edge", "proctex-order", 0, { .v_clamp = CLAMP(EDGE), .rgb_map = MAP(ADD) } },
	{ "clamp-v-repeat", "proctex-order", 0,
			{ .v_clamp = CLAMP(SYMMETRIC_REPEAT), .rgb_map = MAP(ADD) } },
	{ "clamp-v-mirror", "proctex-order", 0,
			{ .v_clamp = CLAMP(MIRRORED_REPEAT), .rgb_map = MAP(ADD) } },
	{ "clamp-v-pulse", "proctex-order", 0, { .v_clamp = CLAMP(PULSE), .rgb_map = MAP(ADD) } },
	{ "shift-u-odd", "proctex-order", 0,
			{ .u_clamp = 2, .v_clamp = 2, .u_shift = SHIFT(ODD) } },
	{ "shift-u-even", "proctex-order", 0,
			{ .u_clamp = 2, .v_clamp = 2, .u_shift = SHIFT(EVEN) } },
	{ "shift-v-odd", "proctex-order", 0,
			{ .u_clamp = 2, .v_clamp = 2, .v_shift = SHIFT(ODD), .rgb_map = MAP(V) } },
	{ "shift-v-even", "proctex-order", 0,
			{ .u_clamp = 2, .v_clamp = 2, .v_shift = SHIFT(EVEN), .rgb_map = MAP(V) } },
	{ "shift-u-odd-mirrored", "proctex-order", 0,
			{ .u_clamp = 3, .v_clamp = 3, .u_shift = SHIFT(ODD) } },
	{ "shift-v-even-mirrored", "proctex-order", 0,
			{ .u_clamp = 3, .v_clamp = 3, .v_shift = SHIFT(EVEN), .rgb_map = MAP(V) } },
	{ "map-u", "proctex-functions", 0, { .rgb_map = MAP(U) } },
	{ "map-u2", "proctex-functions", 0, { .rgb_map = MAP(U2) } },
	{ "map-v", "proctex-functions", 0, { .rgb_map = MAP(V) } },
	{ "map-v2", "proctex-functions", 0, { .rgb_map = MAP(V2) } },
	{ "map-add", "proctex-functions", 0, { .rgb_map = MAP(ADD) } },
	{ "map-add2", "proctex-functions", 0, { .rgb_map = MAP(ADD2) } },
	{ "map-sqrt2", "proctex-functions", 0, { .rgb_map = MAP(SQRT2) } },
	{ "map-min", "proctex-functions", 0, { .rgb_map = MAP(MIN) } },
	{ "map-max", "proctex-functions", 0, { .rgb_map = MAP(MAX) } },
	{ "map-rmax", "proctex-functions", 0, { .rgb_map = MAP(RMAX) } },
	{ "alpha-of-the-colours", "proctex-order", ALPHA,
			{ .rgb_map = MAP(ADD), .alpha_map = MAP(V) } },
	{ "alpha-apart", "proctex-order", ALPHA,
			{ .rgb_map = MAP(ADD), .alpha_map = MAP(V), .separate_alpha = true } },
	{ "alpha-apart-keeps-colours", "proctex-order", 0,
			{ .rgb_map = MAP(ADD), .alpha_map = MAP(V), .separate_alpha = true } },
	{ "rgb-map-curve", "proctex-tables", RAMP, { .rgb_map = MAP(MAX) } },
	{ "noise-u", "noise", 0,
			{ .u_clamp = 3,
					.v_clamp = 3,
					.noise = true,
					.u_amplitude = 1,
					.rgb_map = MAP(U) } },
	{ "noise-v", "noise", 0,
			{ .u_clamp = 3,
					.v_clamp = 3,
					.noise = true,
					.v_amplitude = 1,
					.rgb_map = MAP(V) } },
	{ "noise-frequency-and-phase", "noise", 0,
			{ .u_clamp = 3,
					.v_clamp = 3,
					.noise = true,
					.u_amplitude = 0.5f,
					.v_amplitude = -0.25f,
					.u_frequency = 0.5f,
					.v_frequency = 0.25f,
					.u_phase = 0.75f,
					.v_phase = -2,
					.rgb_map = MAP(ADD) } },
	{ "filter-linear", "proctex-colour", 0, { .filter = FILTER(LINEAR), .width = 8 } },
	{ "filter-nearest", "proctex-colour", 0, { .filter = FILTER(NEAREST), .width = 8 } },
	{ "filter-nearest-mip-nearest", "proctex-colour", FINE,
			{ .filter = FILTER(NEAREST_MIP_NEAREST), .max_lod = 7, .lod_bias = 1 } },
	{ "filter-linear-mip-nearest", "proctex-colour", FINE,
			{ .filter = FILTER(LINEAR_MIP_NEAREST), .max_lod = 7, .lod_bias = 1 } },
	{ "filter-nearest-mip-linear", "proctex-colour", FINE,
			{ .filter = FILTER(NEAREST_MIP_LINEAR), .max_lod = 7, .lod_bias = 1 } },
	{ "filter-linear-mip-linear", "proctex-colour", FINE,
			{ .filter = FILTER(LINEAR_MIP_LINEAR), .max_lod = 7, .lod_bias = 1 } },
	{ "lod-bias", "proctex-colour", FINE,
			{ .filter = FILTER(LINEAR_MIP_LINEAR), .max_lod = 7, .lod_bias = 0.375f } },
	{ "lod-bias-0", "proctex-colour", FINE,
			{ .filter = FILTER(LINEAR_MIP_LINEAR), .max_lod = 7, .lod_bias = 0 } },
	{ "lod-min", "proctex-colour", FINE,
			{ .filter = FILTER(NEAREST_MIP_NEAREST),
					.min_lod = 3,
					.max_lod = 7,
					.lod_bias = 0.0625f } },
	{ "lod-max", "proctex-colour", FINE,
			{ .filter = FILTER(NEAREST_MIP_NEAREST), .max_lod = 1, .lod_bias = 4 } },
	{ "offset", "proctex-colour", 0, { .offset = { 64 }, .width = 64 } },
};

static void make_row(struct maker *m, unsigned i) {
	struct pica_proctex p = rows[i].p, usual;
	uint32_t words[256];
	pica_proctex_init(&usual);
	const bool has_offset = p.offset[0] != 0;
	p.width = p.width ? p.width : usual.width;
	p.u_frequency = p.u_frequency > 0 ? p.u_frequency : 1;
	p.v_frequency = p.v_frequency > 0 ? p.v_frequency : 1;
	/* Zero means the mode "zero": unnamed modes of a row are the plain unit's. */
	if (strncmp(rows[i].name, "clamp-u", 7) != 0 && !p.u_clamp) {
		p.u_clamp = CLAMP(EDGE);
	}
	if (strncmp(rows[i].name, "clamp-v", 7) != 0 && !p.v_clamp) {
		p.v_clamp = CLAMP(EDGE);
	}
	if (!has_offset) {
		memcpy(p.offset, usual.offset, sizeof(p.offset));
	}
	for (unsigned k = 0; k < 256; k++) {
		/* Levels differ in blue; alpha falls. */
		const unsigned level = k < 128 ? 0 : k < 192 ? 1 : k < 224 ? 2 : k < 240 ? 3 : 4;
		words[k] = (k * 37 & 255) | (2 * k & 255) << 8 | 60 * level << 16 | (255 - k) << 24;
	}
	pica_emit_proctex(m->list, &p);
	pica_emit_proctex_colors(m->list, 0, words, 256);
	emit_proctex_map(&m->r, PICA_PROCTEX_TABLE_RGB_MAP,
			rows[i].flags & RAMP ? zigzag : identity);
	emit_proctex_map(&m->r, PICA_PROCTEX_TABLE_ALPHA_MAP, bell);
	if (p.noise) {
		emit_proctex_map(&m->r, PICA_PROCTEX_TABLE_NOISE, identity);
	}
	use_units(&m->r, 8);
	TEV(&m->r, 0, RGB1(TEXTURE3), ALPHA1(TEXTURE3),
			.rgb_operand = { rows[i].flags & ALPHA ? PICA_TEV_OPERAND_RGB_ALPHA :
								 PICA_TEV_OPERAND_RGB_COLOR });
	/* Over several units; or rows of growing steps. */
	for (unsigned band = 0; band < 4 && rows[i].flags & FINE; band++) {
		const float step = (float)(1u << 2 * band) / 128;
		BOX(m, .y0 = 8 * (float)band, .x1 = 32, .y1 = 8 * (float)(band + 1), .rgba = 0,
				.u1 = 32 * step, .v1 = 0.001f);
	}
	if (!(rows[i].flags & FINE)) {
		const bool is_wide = p.u_clamp != CLAMP(EDGE) || p.v_clamp != CLAMP(EDGE) ||
				strstr(rows[i].name, "clamp");
		BOX(m, .rgba = 0, .u0 = is_wide ? -1.5f : 0, .v0 = is_wide ? -1.5f : 0,
				.u1 = is_wide ? 4.5f : 1.0625f, .v1 = is_wide ? 4.5f : 1.0625f);
	}
}

void make_proctex(struct maker *m) {
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		if (!case_begin(m, ORIGIN_RENDERERS, rows[i].rule, 32, 32, "procedural-%s",
				    rows[i].name)) {
			return;
		}
		make_row(m, i);
		case_end(m);
	}
}
