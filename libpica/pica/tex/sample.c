/*
 * Choice of filter and levels for a quad, and the kernel calls for it.
 * [docs/fidelity.md 1 "Textures", fidelity: coordinates]
 */
#include "pica/tex/private.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "core/base/mathfn.h"

static float max_of(float a, float b) {
	return a > b ? a : b;
}

static float min_of(float a, float b) {
	return a < b ? a : b;
}

static struct tex_choice magnify(const struct tex_desc *d) {
	uint8_t level = d->min_level < d->max_level ? d->min_level : d->max_level;
	return (struct tex_choice){ .linear = d->mag_linear, .level = level, .next = level };
}

/* Texels that the quad at u, v steps over, the larger of both axes; NaN where undefined. */
static float quad_step(const struct tex_desc *d, const float *u, const float *v) {
	const float w = (float)d->width, h = (float)d->height;
	float u0 = u[0] * w, u1 = u[1] * w, u2 = u[2] * w;
	float v0 = v[0] * h, v1 = v[1] * h, v2 = v[2] * h;
	float du = max_of(fabsf(u1 - u0), fabsf(u2 - u0));
	float dv = max_of(fabsf(v1 - v0), fabsf(v2 - v0));
	return max_of(du, dv);
}

static inline struct tex_choice choose(const struct tex_desc *d, const float *u, const float *v) {
	float step = quad_step(d, u, v);
	if (!(step > 0.0f && step <= FLT_MAX)) {
		return magnify(d); /* lod is -infinity */
	}

	/*
	 * e <= log2(step) <= e + 1 often decides without a logarithm, in units of 1/256. Rounding
	 * of the logarithm and of the sum cannot pass these bounds, which binary32 holds exactly.
	 * (For a subnormal step e is too large, but still far below any bias.)
	 */
	int lowest = (((int)(f32_bits(step) >> 23) - 127) * 256) + d->lod_bias;
	if (lowest + 256 <= 0) {
		return magnify(d);
	}
	struct tex_choice c = {
		.linear = d->min_linear, .level = d->max_level, .next = d->max_level
	};
	if (lowest > 0 && lowest >= d->max_level * 256) {
		return c;
	}

	float lod = (float)math_log2((double)step) + (float)d->lod_bias / 256.0f;
	if (lod <= 0.0f) {
		return magnify(d);
	}
	float level = min_of(max_of(lod, (float)d->min_level), (float)d->max_level);
	if (!d->mip_linear) {
		c.level = c.next = (uint8_t)floorf(level + 0.5f);
		return c;
	}
	float whole = floorf(level);
	c.level = (uint8_t)whole;
	c.next = c.level < d->max_level ? (uint8_t)(c.level + 1) : d->max_level;
	c.fraction = (uint16_t)((level - whole) * 256.0f);
	return c;
}

struct tex_choice tex_choose(const struct tex_desc *d, const float *u, const float *v) {
	return choose(d, u, v);
}

struct sampler {
	const struct tex_kernels *k;
	const struct tex_desc *d;
	struct tex_image *image;
};

void tex_clear(uint16_t (*out)[BATCH], unsigned n, uint16_t alpha) {
	for (unsigned c = 0; c < 4; c++) {
		for (unsigned lane = 0; lane < n; lane++) {
			out[c][lane] = c == 3 ? alpha : 0;
		}
	}
}

static bool has_texels(const struct tex_desc *d, uint32_t addr, const struct tex_image *image) {
	return d->enabled && d->valid && addr != 0 && image;
}

bool tex_has_texels(const struct tex_desc *d, uint32_t addr, const struct tex_image *image,
		unsigned n, uint16_t (*out)[BATCH]) {
	if (has_texels(d, addr, image)) {
		return true;
	}
	/* [fidelity: texture-fields] */
	tex_clear(out, n, d->enabled && addr == 0 ? 255 : 0);
	return false;
}

static tex_filter_fn *filter_of(const struct tex_kernels *k, bool linear) {
	return linear ? k->bilinear : k->nearest;
}

void tex_sample_level(const struct tex_kernels *k, const struct tex_desc *d,
		struct tex_image *image, unsigned number, bool linear, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]) {
	filter_of(k, linear)(tex_image_level(image, number, k), d, u, v, n, out);
}

struct tex_direct tex_find_direct(
		const struct tex_kernels *k, const struct tex_desc *d, struct tex_image *image) {
	if (!has_texels(d, d->addr, image) || !tex_is_one_level(d)) {
		return (struct tex_direct){ NULL, NULL };
	}
	return (struct tex_direct){ filter_of(k, d->mag_linear), tex_image_level(image, 0, k) };
}

/*
 * Samples the quads of the set (bit q: quad q), each at its own level: one kernel call for all with
 * the same level and filter, gathered side by side unless they are the whole batch.
 */
static void sample_quads(const struct sampler *s, uint32_t quads, const struct tex_choice *choice,
		bool next, const float *u, const float *v, unsigned n_quads,
		uint16_t (*out)[BATCH]) {
	while (quads) {
		const struct tex_choice *first = &choice[ctz32(quads)];
		unsigned number = next ? first->next : first->level;
		uint8_t member[BATCH_QUADS];
		unsigned count = 0;
		for (uint32_t rest = quads; rest; rest &= rest - 1) {
			unsigned q = ctz32(rest);
			if ((next ? choice[q].next : choice[q].level) == number &&
					choice[q].linear == first->linear) {
				member[count++] = (uint8_t)q;
				quads &= ~(1u << q);
			}
		}
		if (count == n_quads) {
			tex_sample_level(s->k, s->d, s->image, number, first->linear, u, v,
					n_quads * 4, out);
			return;
		}
		PICA_ALIGNED(64) float gu[BATCH], gv[BATCH];
		PICA_ALIGNED(64) uint16_t got[4][BATCH];
		for (unsigned i = 0; i < count; i++) {
			memcpy(gu + 4 * i, u + 4 * member[i], 4 * sizeof(*gu));
			memcpy(gv + 4 * i, v + 4 * member[i], 4 * sizeof(*gv));
		}
		tex_sample_level(s->k, s->d, s->image, number, first->linear, gu, gv, count * 4,
				got);
		for (unsigned c = 0; c < 4; c++) {
			for (unsigned i = 0; i < count; i++) {
				memcpy(out[c] + 4 * member[i], got[c] + 4 * i, 4 * sizeof(*got[c]));
			}
		}
	}
}

void tex_sample_image(const struct tex_kernels *k, const struct tex_desc *d,
		struct tex_image *image, const float *u, const float *v, unsigned n,
		uint16_t (*out)[BATCH]) {
	if (tex_is_one_level(d)) {
		tex_sample_level(k, d, image, 0, d->mag_linear, u, v, n, out);
		return;
	}
	const struct sampler s = { k, d, image };
	const unsigned n_quads = n / 4;
	struct tex_choice choice[BATCH_QUADS];
	uint32_t blended = 0;
	for (unsigned q = 0; q < n_quads; q++) {
		choice[q] = choose(d, u + 4 * q, v + 4 * q);
		blended |= (uint32_t)(choice[q].fraction > 0) << q;
	}
	const uint32_t all = (1u << n_quads) - 1; /* n_quads <= BATCH_QUADS */
	if (!blended) {
		sample_quads(&s, all, choice, false, u, v, n_quads, out);
		return;
	}

	PICA_ALIGNED(64) uint16_t near[4][BATCH], far[4][BATCH];
	PICA_ALIGNED(64) uint16_t f[BATCH];
	memset(far, 0, sizeof(far)); /* lanes with fraction 0 do not get a second level */
	for (unsigned lane = 0; lane < n; lane++) {
		f[lane] = choice[lane / 4].fraction;
	}
	sample_quads(&s, all, choice, false, u, v, n_quads, near);
	sample_quads(&s, blended, choice, true, u, v, n_quads, far);
	k->mip_blend(out, (const uint16_t(*)[BATCH])near, (const uint16_t(*)[BATCH])far, f, n);
}

void tex_sample(const struct tex_kernels *k, const struct tex_desc *d, struct tex_image *image,
		const float *u, const float *v, unsigned n, uint16_t (*out)[BATCH]) {
	if (!tex_has_texels(d, d->addr, image, n, out)) {
		return;
	}
	/* Tested here, too, since the rest needs a lot of stack. */
	if (tex_is_one_level(d)) {
		tex_sample_level(k, d, image, 0, d->mag_linear, u, v, n, out);
	} else {
		tex_sample_image(k, d, image, u, v, n, out);
	}
}
