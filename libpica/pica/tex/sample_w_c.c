/*
 * Coordinates that use w, and the filter of shadow maps, one lane at a time, straight from
 * [fidelity: coordinates, cube, shadow-texture] with the rounding of docs/fidelity.md 1.
 */
#include "pica/tex/private.h"

void tex_project_c(float *s, float *t, const float *u, const float *v, const float *w, unsigned n) {
	for (unsigned lane = 0; lane < n; lane++) {
		s[lane] = u[lane] / w[lane];
		t[lane] = v[lane] / w[lane];
	}
}

enum face { FACE_X, FACE_MINUS_X, FACE_Y, FACE_MINUS_Y, FACE_Z, FACE_MINUS_Z };

/* The table of faces [fidelity: cube]; ties go down the list.  [1] */
uint32_t tex_cube_c(struct tex_direction *to, const float *u, const float *v, const float *w,
		unsigned n) {
	uint32_t faces = 0;
	for (unsigned lane = 0; lane < n; lane++) {
		const float x = u[lane], y = v[lane], z = w[lane];
		const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
		enum face face;
		float s, t, major;
		if (ax > ay && ax > az) {
			face = x > 0.0f ? FACE_X : FACE_MINUS_X;
			s = x > 0.0f ? -z : z;
			t = -y;
			major = ax;
		} else if (ay > az) {
			face = y > 0.0f ? FACE_Y : FACE_MINUS_Y;
			s = x;
			t = y > 0.0f ? z : -z;
			major = ay;
		} else {
			face = z > 0.0f ? FACE_Z : FACE_MINUS_Z;
			s = z > 0.0f ? x : -x;
			t = -y;
			major = az;
		}
		/*
		 * No direction at all: the middle of the last face.  [REC, fidelity:
		 * cube]
		 */
		to->s[lane] = major == 0.0f ? 0.5f : s / major * 0.5f + 0.5f;
		to->t[lane] = major == 0.0f ? 0.5f : t / major * 0.5f + 0.5f;
		to->major[lane] = major;
		to->face[lane] = 1u << face;
		faces |= to->face[lane];
	}
	return faces;
}

/*
 * The depth that is compared with a map: a 24-bit fraction by exact truncation, as the depth
 * written into one (fidelity: depth-integer), less the bias, not below 0.  [1, fidelity:
 * shadow-texture; NaN gives 0]
 */
static uint32_t depth_at(float z, uint32_t bias) {
	float d = fabsf(z);
	d = d > 0.0f ? d : 0.0f;
	d = d < 1.0f ? d : 1.0f;
	const float m = d * 16777216.0f, whole = floorf(m);
	const uint32_t depth = (uint32_t)whole - (m - whole < d ? 1 : 0);
	return depth > bias ? depth - bias : 0;
}

/*
 * Light through texel (i, j): its density if it is farther than the depth.  [DISP, REC: strictly]
 */
static uint32_t tap(const struct tex_level *level, enum tex_type type, const uint32_t *texels,
		int32_t i, int32_t j, uint32_t depth) {
	const int32_t s = tex_wrap_index(i, (int32_t)level->width, TEX_WRAP_EDGE);
	const int32_t t = tex_wrap_index(j, (int32_t)level->height, TEX_WRAP_EDGE);
	if (type == TEX_SHADOW_2D && (s != i || t != j)) {
		return 255; /* outside of a map all is lit; faces of a cube are clamped [1] */
	}
	const uint32_t texel = texels[(size_t)(t + 1) * level->stride_px + (size_t)(s + 1)];
	return texel >> 8 > depth ? texel & 255 : 0;
}

void tex_shadow_c(const struct tex_level *level, const struct tex_desc *d, const float *s,
		const float *t, const float *z, unsigned n, uint16_t (*out)[BATCH]) {
	const uint32_t *texels = atomic_load_explicit(&level->texels, memory_order_relaxed);
	const enum tex_type type = (enum tex_type)d->type;
	for (unsigned lane = 0; lane < n; lane++) {
		const struct tex_footprint x = tex_footprint(s[lane], level->width);
		const struct tex_footprint y = tex_footprint(t[lane], level->height);
		const uint32_t depth = depth_at(z[lane], d->shadow_bias);
		const uint32_t sum = tap(level, type, texels, x.i, y.i, depth) * (256 - x.w) *
						(256 - y.w) +
				tap(level, type, texels, x.i + 1, y.i, depth) * x.w * (256 - y.w) +
				tap(level, type, texels, x.i, y.i + 1, depth) * (256 - x.w) * y.w +
				tap(level, type, texels, x.i + 1, y.i + 1, depth) * x.w * y.w;
		for (unsigned c = 0; c < 4; c++) {
			out[c][lane] = (uint16_t)((sum + 0x8000) >> 16);
		}
	}
}
