/*
 * Texture unit 0 with a third coordinate: projection, cube maps, shadow maps
 * (fidelity: coordinates, cube, shadow-texture; docs/fidelity.md 1 "Types of unit 0").
 */
#include "naive_state.h"

#include <math.h>
#include <string.h>

#include "pica/regs/regs.h"

enum { PLUS_X, MINUS_X, PLUS_Y, MINUS_Y, PLUS_Z, MINUS_Z };

struct place {
	unsigned face;
	float st[2];
	float major;
};

static struct place place_on_cube(const float c[3]) {
	const float u = c[0], v = c[1], w = c[2];
	const float ax = fabsf(u), ay = fabsf(v), az = fabsf(w);
	struct place p;
	float num[2];
	if (ax > ay && ax > az && u > 0.0f) {
		p = (struct place){.face = PLUS_X, .major = ax};
		num[0] = -w;
		num[1] = -v;
	} else if (ax > ay && ax > az) {
		p = (struct place){.face = MINUS_X, .major = ax};
		num[0] = w;
		num[1] = -v;
	} else if (ay > az && v > 0.0f) {
		p = (struct place){.face = PLUS_Y, .major = ay};
		num[0] = u;
		num[1] = w;
	} else if (ay > az) {
		p = (struct place){.face = MINUS_Y, .major = ay};
		num[0] = u;
		num[1] = -w;
	} else if (w > 0.0f) {
		p = (struct place){.face = PLUS_Z, .major = az};
		num[0] = u;
		num[1] = -v;
	} else {
		p = (struct place){.face = MINUS_Z, .major = az};
		num[0] = -u;
		num[1] = -v;
	}
	for (unsigned k = 0; k < 2; k++) {
		p.st[k] = 0.5f;
		if (p.major != 0.0f) {
			const float ratio = num[k] / p.major;
			p.st[k] = ratio * 0.5f + 0.5f;
		}
	}
	return p;
}

/* ---- Shadow ---- */

/* Compares a texel with the depth z. is_cube: clamps to the face; else outside is lit. */
static uint32_t lit(const struct naive_texture *t, int64_t i, int64_t j, uint32_t z, bool is_cube) {
	const int64_t w = t->width, h = t->height;
	uint8_t c[4];
	if (!is_cube && (i < 0 || i >= w || j < 0 || j >= h)) {
		return 255;
	}
	i = i < 0 ? 0 : i >= w ? w - 1 : i;
	j = j < 0 ? 0 : j >= h ? h - 1 : j;
	naive_texel(t, 0, i, j, c);
	const uint32_t depth = (uint32_t)c[3] << 16 | (uint32_t)c[2] << 8 | c[1];
	return depth > z ? c[0] : 0;
}

static void shadow(const struct naive_texture *t, const float st[2], float source, bool is_cube,
		uint8_t out[4]) {
	if (naive_sample_nothing(t, out)) {
		return;
	}
	float d = fabsf(source);
	d = d > 0.0f ? d : 0.0f;
	d = d < 1.0f ? d : 1.0f;
	const uint32_t exact = naive_depth_to_int(d, 24);
	const uint32_t z = exact > t->shadow_bias ? exact - t->shadow_bias : 0;
	int64_t i[2];
	uint32_t f[2];
	for (unsigned k = 0; k < 2; k++) {
		naive_linear_taps(st[k], k == 0 ? t->width : t->height, &i[k], &f[k]);
	}
	uint32_t sum = 0;
	for (unsigned tap = 0; tap < 4; tap++) {
		const unsigned right = tap & 1, up = tap >> 1;
		sum += lit(t, i[0] + right, i[1] + up, z, is_cube) * (right ? f[0] : 256 - f[0]) *
				(up ? f[1] : 256 - f[1]);
	}
	memset(out, (int)((sum + 0x8000) >> 16), 4);
}

/* ---- The unit ---- */

void naive_sample_unit0(const struct naive_draw *d, const float at[4][3], uint8_t out[4]) {
	const struct naive_texture *t = &d->tex[0];
	float st[4][2];
	unsigned face = PLUS_X;
	float major = 0.0f;
	if (!t->enabled) { /* the faces are those of an earlier draw */
		memset(out, 0, 4);
		return;
	}
	for (unsigned i = 0; i < 4; i++) {
		st[i][0] = at[i][0];
		st[i][1] = at[i][1];
		switch (t->type) {
		case TEXTURE_TYPE_SHADOW_2D:
		case TEXTURE_TYPE_PROJECTION:
			if (t->type == TEXTURE_TYPE_PROJECTION || !t->is_ortho) {
				st[i][0] = at[i][0] / at[i][2];
				st[i][1] = at[i][1] / at[i][2];
			}
			break;
		case TEXTURE_TYPE_CUBE:
		case TEXTURE_TYPE_SHADOW_CUBE: {
			const struct place p = place_on_cube(at[i]);
			memcpy(st[i], p.st, sizeof(p.st));
			if (i == 0) {
				face = p.face;
				major = p.major;
			}
			break;
		}
		default:
			break;
		}
	}
	if (face != PLUS_X) {
		t = &d->face[face - 1];
	}
	switch (d->tex[0].type) {
	case TEXTURE_TYPE_SHADOW_2D:
		shadow(t, st[0], at[0][2], false, out);
		break;
	case TEXTURE_TYPE_SHADOW_CUBE:
		shadow(t, st[0], major, true, out);
		break;
	default:
		naive_sample(t, (const float(*)[2])st, out);
		break;
	}
}
