/*
 * Unit 0 in types that use w: projection, cube maps, shadow maps.
 * [docs/fidelity.md 1 "Types of unit 0", fidelity: cube, shadow-texture]
 */
#include "pica/tex/private.h"

#include <string.h>

#include "core/base/attributes.h"

/* Lanes on different faces of a cube. */
struct cube_sampler {
	const struct tex_kernels *k;
	const struct tex_desc *d;
	const struct tex_cube *cube;
	struct tex_direction to;
	struct tex_choice choice[BATCH_QUADS];
};

static void sample_shadow(const struct tex_kernels *k, const struct tex_desc *d,
		struct tex_image *image, const float *s, const float *t, const float *z, unsigned n,
		uint16_t (*out)[BATCH]) {
	k->shadow(tex_image_level(image, 0, k), d, s, t, z, n, out);
}

/* Samples n lanes on one face. choice: level and filter; NULL: chosen by quads. */
static void sample_face(const struct cube_sampler *x, unsigned face,
		const struct tex_choice *choice, bool next, const float *s, const float *t,
		const float *major, unsigned n, uint16_t (*out)[BATCH]) {
	struct tex_image *image = x->cube->image[face];
	if (!tex_has_texels(x->d, x->cube->addr[face], image, n, out)) {
		return;
	}
	if (x->d->type == TEX_SHADOW_CUBE) {
		sample_shadow(x->k, x->d, image, s, t, major, n, out);
	} else if (!choice) {
		tex_sample_image(x->k, x->d, image, s, t, n, out);
	} else {
		tex_sample_level(x->k, x->d, image, next ? choice->next : choice->level,
				choice->linear, s, t, n, out);
	}
}

/*
 * The lanes of the set (bit i: lane i), those of one face, level and filter gathered side by side.
 * next: the level that is blended in.
 */
static void sample_lanes(const struct cube_sampler *x, uint64_t lanes, bool next,
		uint16_t (*out)[BATCH]) {
	PICA_ALIGNED(64) float s[BATCH], t[BATCH], major[BATCH];
	PICA_ALIGNED(64) uint16_t got[4][BATCH];
	uint8_t member[BATCH];
	while (lanes) {
		const unsigned first = ctz64(lanes);
		const struct tex_choice *choice = &x->choice[first / 4];
		const unsigned number = next ? choice->next : choice->level;
		unsigned count = 0;
		for (uint64_t rest = lanes; rest; rest &= rest - 1) {
			const unsigned lane = ctz64(rest);
			const struct tex_choice *c = &x->choice[lane / 4];
			if (x->to.face[lane] == x->to.face[first] && c->linear == choice->linear &&
					(next ? c->next : c->level) == number) {
				s[count] = x->to.s[lane];
				t[count] = x->to.t[lane];
				major[count] = x->to.major[lane];
				member[count++] = (uint8_t)lane;
				lanes &= ~((uint64_t)1 << lane);
			}
		}
		unsigned n = count;
		for (; n % 4 != 0; n++) { /* kernels take whole fours */
			s[n] = s[0];
			t[n] = t[0];
			major[n] = major[0];
		}
		sample_face(x, ctz32(x->to.face[first]), choice, next, s, t, major, n, got);
		for (unsigned c = 0; c < 4; c++) {
			for (unsigned i = 0; i < count; i++) {
				out[c][member[i]] = got[c][i];
			}
		}
	}
}

/* Samples lanes on more than one face. A quad's level comes from its coordinates, even on different
 * faces. */
static void sample_faces(struct cube_sampler *x, unsigned n, uint16_t (*out)[BATCH]) {
	const struct tex_desc *d = x->d;
	uint64_t all = 0, blended = 0;
	for (unsigned q = 0; q < n / 4; q++) {
		const struct tex_choice plain = { .linear = d->mag_linear };
		x->choice[q] = tex_is_one_level(d) ? plain :
				tex_choose(d, x->to.s + 4 * q, x->to.t + 4 * q);
		all |= (uint64_t)15 << 4 * q;
		blended |= (uint64_t)(x->choice[q].fraction > 0 ? 15 : 0) << 4 * q;
	}
	if (!blended) {
		sample_lanes(x, all, false, out);
		return;
	}
	PICA_ALIGNED(64) uint16_t near[4][BATCH], far[4][BATCH];
	PICA_ALIGNED(64) uint16_t f[BATCH];
	memset(far, 0, sizeof(far)); /* lanes with fraction 0 do not get a second level */
	for (unsigned lane = 0; lane < n; lane++) {
		f[lane] = x->choice[lane / 4].fraction;
	}
	sample_lanes(x, all, false, near);
	sample_lanes(x, blended, true, far);
	x->k->mip_blend(out, (const uint16_t(*)[BATCH])near, (const uint16_t(*)[BATCH])far, f, n);
}

static void sample_cube(const struct tex_kernels *k, const struct tex_desc *d,
		const struct tex_cube *cube, const float *u, const float *v, const float *w,
		unsigned n, uint16_t (*out)[BATCH]) {
	struct cube_sampler x;
	x.k = k;
	x.d = d;
	x.cube = cube;
	const uint32_t faces = k->cube(&x.to, u, v, w, n);
	if ((faces & (faces - 1)) == 0) {
		sample_face(&x, ctz32(faces), NULL, false, x.to.s, x.to.t, x.to.major, n, out);
	} else {
		sample_faces(&x, n, out);
	}
}

void tex_sample_w(const struct tex_kernels *k, const struct tex_desc *d, struct tex_image *image,
		const struct tex_cube *cube, const float *u, const float *v, const float *w,
		unsigned n, uint16_t (*out)[BATCH]) {
	if (!d->enabled) {
		tex_clear(out, n, 0);
		return;
	}
	if (tex_type_is_cube((enum tex_type)d->type)) {
		sample_cube(k, d, cube, u, v, w, n, out);
		return;
	}
	if (!tex_has_texels(d, d->addr, image, n, out)) {
		return;
	}
	PICA_ALIGNED(64) float s[BATCH], t[BATCH];
	if (!d->ortho) {
		k->project(s, t, u, v, w, n);
		u = s;
		v = t;
	}
	if (d->type == TEX_SHADOW_2D) {
		sample_shadow(k, d, image, u, v, w, n, out);
	} else {
		tex_sample_image(k, d, image, u, v, n, out);
	}
}
