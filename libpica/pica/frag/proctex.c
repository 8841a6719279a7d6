/* Registers and tables of the procedural texture unit as values; the order of its kernels. */
#include "pica/frag/proctex.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/f24.h"
#include "core/base/fixed.h"
#include "core/base/mathfn.h"
#include "pica/frag/step.h"
#include "pica/regs/regs.h"

/* ---- Values ---- */

/*
 * Offsets of levels 4 to 7 while 0AE is 0, which counts as never written. [REC, fidelity:
 * proctex-fields]
 */
static const uint32_t usual_high_offsets = 0xFEFCF8F0;

static void levels_from_regs(struct frag_proctex *p, const uint32_t *regs) {
	const uint32_t config = regs[REG_TEXUNIT3_PROCTEX4];
	const uint32_t width = PROCTEX4_WIDTH(config);
	const uint32_t high = regs[REG_PROCTEX5_HIGH];
	const uint32_t offsets[2] = { regs[REG_TEXUNIT3_PROCTEX5],
		high ? high : usual_high_offsets };
	for (unsigned l = 0; l < PROCTEX_LEVELS; l++) {
		p->level[l].offset = (float)(offsets[l / 4] >> 8 * (l % 4) & 0xFF);
		p->level[l].scale = (float)((int)(width >> l) - 1);
	}
	const uint32_t max = PROCTEX4_MAX_LOD(config);
	p->min_level = (uint8_t)PROCTEX4_MIN_LOD(config);
	p->max_level = (uint8_t)(max < PROCTEX_LEVELS - 1 ? max : PROCTEX_LEVELS - 1);
	const uint32_t bias = PROCTEX0_BIAS_LOW(regs[REG_TEXUNIT3_PROCTEX0]) |
			PROCTEX4_BIAS_HIGH(config) << 8;
	p->lod_scale = fabsf((float)width * f16_to_f32(bias));
}

static void noise_from_regs(struct proctex_noise *noise, const uint32_t *regs) {
	const uint32_t words[2] = { regs[REG_TEXUNIT3_PROCTEX1], regs[REG_TEXUNIT3_PROCTEX2] };
	const uint32_t frequency = regs[REG_TEXUNIT3_PROCTEX3];
	for (unsigned axis = 0; axis < 2; axis++) {
		/* By the format; others divide by 4095. [DISP, fidelity: fixed-point] */
		const int32_t amplitude = sign_extend(PROCTEX_NOISE_AMPLITUDE(words[axis]), 16);
		noise->amplitude[axis] = (float)amplitude / 4096.0f;
		noise->phase[axis] = f16_to_f32(PROCTEX_NOISE_PHASE(words[axis]));
	}
	noise->frequency[0] = 9.0f * f16_to_f32(PROCTEX_FREQUENCY_U(frequency));
	noise->frequency[1] = 9.0f * f16_to_f32(PROCTEX_FREQUENCY_V(frequency));
}

void proctex_from_regs(struct frag_proctex *p, const uint32_t *regs) {
	const uint32_t config = regs[REG_TEXUNIT3_PROCTEX0];
	const uint32_t filter = PROCTEX4_FILTER(regs[REG_TEXUNIT3_PROCTEX4]);
	memset(p, 0, sizeof(*p));
	p->clamp[0] = (uint8_t)PROCTEX0_U_CLAMP(config);
	p->clamp[1] = (uint8_t)PROCTEX0_V_CLAMP(config);
	p->shift[0] = (uint8_t)PROCTEX0_U_SHIFT(config);
	p->shift[1] = (uint8_t)PROCTEX0_V_SHIFT(config);
	p->function[0] = (uint8_t)PROCTEX0_RGB_MAP(config);
	p->function[1] = (uint8_t)PROCTEX0_ALPHA_MAP(config);
	p->separate_alpha = PROCTEX0_SEPARATE_ALPHA(config);
	p->has_noise = PROCTEX0_NOISE(config);
	/* 6 and 7 act as 4 and 5. [guess: the bits read as linear, mip nearest, mip linear] */
	p->linear = filter & 1;
	p->mip = (uint8_t)(filter < 2              ? PROCTEX_MIP_NONE :
					filter < 4 ? PROCTEX_MIP_NEAREST :
						     PROCTEX_MIP_LINEAR);
	levels_from_regs(p, regs);
	noise_from_regs(&p->noise, regs);
}

void proctex_map_decode(struct proctex_map *map, const uint32_t words[PROCTEX_MAP_ENTRIES]) {
	for (unsigned i = 0; i < PROCTEX_MAP_ENTRIES; i++) {
		map->row[i][0] = (float)PROCTEX_MAP_VALUE(words[i]) / 4095.0f;
		map->row[i][1] = (float)sign_extend(PROCTEX_MAP_DIFF(words[i]), 12) / 4095.0f;
	}
}

/* ---- Level of detail ---- */

static float max_of(float a, float b) {
	return a > b ? a : b;
}

/*
 * LOD within the limits, for the quad at |u|, |v|. Sum of both axes, bias inside the logarithm [1].
 */
static float quad_lod(const struct frag_proctex *p, const float *u, const float *v) {
	const float du = max_of(fabsf(u[1] - u[0]), fabsf(u[2] - u[0]));
	const float dv = max_of(fabsf(v[1] - v[0]), fabsf(v[2] - v[0]));
	const float step = p->lod_scale * (du + dv);
	const float max = (float)p->max_level;
	const float min = (float)p->min_level < max ? (float)p->min_level : max;
	if (!(step > 0.0f && step <= FLT_MAX)) {
		return min; /* bias 0 too: its LOD is 0 */
	}
	/* e <= log2(step) < e + 1 often decides without a logarithm, also for subnormal steps. */
	const int e = (int)(f32_bits(step) >> 23) - 127;
	if (e + 1 <= (int)min) {
		return min;
	}
	if (e >= (int)max) {
		return max;
	}
	const float lod = (float)math_log2((double)step);
	return lod > min ? (lod < max ? lod : max) : min;
}

/*
 * Chooses the levels of all quads: near, blended with far if fraction[lane] > 0. Returns false if
 * none is blended.
 */
static bool choose_levels(const struct frag_proctex *p, const float *u, const float *v, unsigned n,
		struct proctex_level *near, struct proctex_level *far, uint16_t *fraction) {
	bool blends = false;
	for (unsigned q = 0; q < n / 4; q++) {
		uint16_t f = 0;
		unsigned level = 0, next = 0;
		if (p->mip != PROCTEX_MIP_NONE) {
			const float lod = quad_lod(p, u + 4 * q, v + 4 * q);
			if (p->mip == PROCTEX_MIP_NEAREST) {
				level = next = (unsigned)(lod + 0.5f);
			} else {
				level = (unsigned)lod;
				f = (uint16_t)((lod - (float)level) * 256.0f);
				next = f ? level + 1 : level; /* a fraction is below max_level */
			}
		}
		near[q] = p->level[level];
		far[q] = p->level[next];
		blends |= f != 0;
		for (unsigned i = 0; i < 4; i++) {
			fraction[4 * q + i] = f;
		}
	}
	return blends;
}

/* ---- The unit ---- */

void proctex_run(const struct proctex_kernels *k, const struct tex_kernels *tk,
		const struct frag_proctex *p, unsigned channels, const float *u, const float *v,
		unsigned n, uint16_t (*out)[BATCH]) {
	PICA_ALIGNED(64) float c[2][BATCH], off[2][BATCH];
	struct proctex_level near[BATCH_QUADS], far[BATCH_QUADS];
	PICA_ALIGNED(64) uint16_t fraction[BATCH];
	const bool own_alpha = p->separate_alpha && (channels & PROCTEX_ALPHA);
	const bool colors = (channels & PROCTEX_RGB) || !p->separate_alpha;

	k->coord(c[0], u, n);
	k->coord(c[1], v, n);
	const bool blends = colors && choose_levels(p, c[0], c[1], n, near, far, fraction);
	bool shifts[2];
	for (unsigned axis = 0; axis < 2; axis++) { /* by the coordinates before the noise */
		const unsigned mode = p->shift[axis];
		shifts[axis] = mode == PROCTEX_SHIFT_ODD || mode == PROCTEX_SHIFT_EVEN;
		if (shifts[axis]) {
			const bool mirrored = p->clamp[axis] == PROCTEX_CLAMP_MIRRORED_REPEAT;
			k->shift(off[axis], c[!axis], mode == PROCTEX_SHIFT_EVEN,
					mirrored ? 1.0f : 0.5f, n);
		}
	}
	if (p->has_noise) {
		k->noise(c[0], c[1], &p->noise, n);
	}
	for (unsigned axis = 0; axis < 2; axis++) {
		k->clamp(c[axis], shifts[axis] ? off[axis] : NULL, p->clamp[axis], n);
	}
	if (colors) {
		float *at = off[0]; /* done with */
		k->map(at, c[0], c[1], p->function[0], p->map[0], n);
		void (*sample)(uint16_t(*)[BATCH], const float *, const struct proctex_level *,
				const struct proctex_colors *, unsigned) =
				p->linear ? k->linear : k->nearest;
		if (blends) {
			PICA_ALIGNED(64) uint16_t a[4][BATCH], b[4][BATCH];
			sample(a, at, near, p->colors, n);
			sample(b, at, far, p->colors, n);
			tk->mip_blend(out, (const uint16_t(*)[BATCH])a, (const uint16_t(*)[BATCH])b,
					fraction, n);
		} else {
			sample(out, at, near, p->colors, n);
		}
	}
	if (own_alpha) {
		k->map(off[1], c[0], c[1], p->function[1], p->map[1], n);
		k->alpha(out[3], off[1], n);
	}
}

/* ---- Step ---- */

void proctex_table_changed(struct frag_tables *t, unsigned table) {
	switch (table) {
	case PROCTEX_TABLE_NOISE:
		t->proctex.noise = NULL;
		break;
	case PROCTEX_TABLE_RGB_MAP:
		t->proctex.map[0] = NULL;
		break;
	case PROCTEX_TABLE_ALPHA_MAP:
		t->proctex.map[1] = NULL;
		break;
	case PROCTEX_TABLE_COLOR:
	case PROCTEX_TABLE_COLOR_DIFF:
		t->proctex.colors = NULL;
		break;
	default: /* tables that do not exist */
		break;
	}
}

/* False: out of memory. */
static bool make_map(
		const struct frag_source *from, unsigned table, const struct proctex_map **slot) {
	if (!*slot) {
		struct proctex_map *map = arena_alloc(from->arena, sizeof(*map));
		if (map) {
			proctex_map_decode(map, from->luts->proctex[table]);
		}
		*slot = map;
	}
	return *slot != NULL;
}

static bool make_colors(const struct frag_source *from, const struct proctex_colors **slot) {
	if (!*slot) {
		struct proctex_colors *t = arena_alloc(from->arena, sizeof(*t));
		if (t) {
			memcpy(t->color, from->luts->proctex[PROCTEX_TABLE_COLOR],
					sizeof(t->color));
			memcpy(t->difference, from->luts->proctex[PROCTEX_TABLE_COLOR_DIFF],
					sizeof(t->difference));
		}
		*slot = t;
	}
	return *slot != NULL;
}

static bool proctex_bind(
		struct frag_draw *d, struct frag_consts *c, const struct frag_source *from) {
	struct frag_tables *t = from->tables;
	struct frag_proctex *p = arena_alloc(from->arena, sizeof(*p));
	if (!p) {
		return false;
	}
	proctex_from_regs(p, from->regs);
	if ((p->has_noise && !make_map(from, PROCTEX_TABLE_NOISE, &t->proctex.noise)) ||
			!make_map(from, PROCTEX_TABLE_RGB_MAP, &t->proctex.map[0]) ||
			(p->separate_alpha &&
					!make_map(from, PROCTEX_TABLE_ALPHA_MAP,
							&t->proctex.map[1])) ||
			!make_colors(from, &t->proctex.colors)) {
		return false;
	}
	p->noise.map = p->has_noise ? t->proctex.noise : NULL;
	p->map[0] = t->proctex.map[0];
	p->map[1] = p->separate_alpha ? t->proctex.map[1] : NULL;
	p->colors = t->proctex.colors;
	d->proctex = p;
	return true;
}

static void proctex_step_run(struct frag_scratch *s, const struct frag_step *st, struct batch *b,
		unsigned n_lanes) {
	const unsigned plane = frag_coord_plane[s->draw.plan->key.proctex_coord];
	proctex_run(s->k->proctex, s->tk, s->draw.proctex, st->op, b->f[plane], b->f[plane + 1],
			n_lanes, &s->plane[st->dst]);
}

static void proctex_print(
		struct frag_text *t, const struct frag_plan *p, const struct frag_step *st) {
	const unsigned first = st->op & PROCTEX_RGB ? st->dst : st->dst + 3u;
	frag_print(t, "procedural ");
	frag_print_planes(t, (struct frag_ref){ (uint8_t)first, 1 },
			(st->op & PROCTEX_RGB ? 3 : 0) + (st->op & PROCTEX_ALPHA ? 1 : 0));
	frag_print(t, " <- coordinates %u", p->key.proctex_coord);
}

const struct frag_step_impl frag_step_proctex = {
	.bind = proctex_bind,
	.run = proctex_step_run,
	.print = proctex_print,
};
