/*
 * Shadow maps, in plain C: the truth. [1, fidelity: shadow-render]
 *
 * A pixel is 24 bits of depth, high byte first, and a byte of density. A fragment nearer than the
 * stored depth replaces it if green is 0 (an occluder); otherwise it darkens the density (a soft
 * edge), the more the nearer it lies to the stored depth.
 */
#include "pica/frag/kernels.h"

static void shadow_pixel(uint8_t *p, uint32_t z, uint32_t green,
		const struct frag_shadow_consts *c) {
	const uint32_t stored = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
	if (z >= stored) {
		return;
	}
	if (green == 0) {
		p[0] = (uint8_t)(z >> 16);
		p[1] = (uint8_t)(z >> 8);
		p[2] = (uint8_t)z;
		return;
	}
	const float x = (float)z / (float)stored;
	float v = (float)green / (c->constant + c->linear * x);
	v = v > 0.0f ? v : 0.0f; /* NaN, of infinite factors, gives 0 [guess] */
	v = v < 255.0f ? v : 255.0f;
	const uint8_t density = (uint8_t)(int32_t)v;
	if (density < p[3]) {
		p[3] = density;
	}
}

void frag_shadow_c(uint8_t *base, const uint32_t *quad_px, const uint32_t *z,
		const uint16_t *green, const struct frag_shadow_consts *c, uint64_t live,
		unsigned n_quads) {
	for (unsigned i = 0; i < 4 * n_quads; i++) {
		if (live >> i & 1) {
			shadow_pixel(base + ((size_t)quad_px[i / 4] + i % 4) * 4, z[i], green[i],
					c);
		}
	}
}
