/*
 * Look-ups of the texture unit: configuration words, formats, wrapping, filters, levels, cubes, and
 * words of memory. [fidelity: vc4-textures]
 */
#ifndef VC4_TEXTURE_H
#define VC4_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/space/space.h"
#include "core/vec/cpu.h"
#include "vc4/tex/layout.h"

enum { VC4_TEX_LANES = 16, VC4_TEX_LEVELS = 12 };

/* Lanes 4q to 4q + 3 are a quad of pixels, whose differences choose the level. */
struct vc4_lookup {
	const struct space *space;
	unsigned n_words;  /* configuration words, 1 to 4; 0: s is a memory address */
	uint32_t word[4];
	unsigned lanes;    /* bit: lane that takes part; the others get 0 */
	/* One per lane: floats, except a border colour in r and an address in s. */
	uint32_t s[VC4_TEX_LANES], t[VC4_TEX_LANES], r[VC4_TEX_LANES], b[VC4_TEX_LANES];
};

/*
 * Returns 0. On failure sets *why and returns -EINVAL (reserved configuration), -EOPNOTSUPP (known,
 * not built) or -ERANGE (texels outside memory; or a word outside memory in a lane of strict: in
 * other lanes such a word reads as 0).
 */
typedef int vc4_look_up_fn(const struct vc4_lookup *l, unsigned strict,
		uint32_t out[VC4_TEX_LANES], const char **why);

/* A texture with 32-bit pixels, of which one image is sampled in one way. */
struct vc4_tex_one {
	const uint8_t *host;
	int32_t width, height;
	int32_t across; /* LT and raster: bytes of a row (of micro-tiles); T: tiles */
	uint8_t layout, wrap_s, wrap_t; /* as in P1, or VC4_WRAP_MASK: repeats a power of two */
	bool is_linear, flips_y, is_opaque;
};
enum { VC4_WRAP_MASK = 4 };
/* Returns whether the configuration is such a texture and the whole image lies in memory. */
bool vc4_tex_one_image(struct vc4_tex_one *x, const struct space *space, unsigned n_words,
		const uint32_t word[4]);

struct vc4_tex_kernels {
	vc4_look_up_fn *look_up;
	/*
	 * Looks up lanes 0 to n - 1; rows have room for whole vectors and are 64-byte aligned. NULL
	 * in plain C.
	 */
	void (*sample)(const struct vc4_tex_one *x, const uint32_t *s, const uint32_t *t,
			const uint32_t *border, unsigned n, uint32_t *out);
};
void vc4_tex_kernels_init(struct vc4_tex_kernels *k, enum isa isa);
ISA_KERNELS(vc4_tex)

/* The plain one; for the room. */
vc4_look_up_fn vc4_texture_look_up;

/* ---- Formats; for the room ---- */

/* Returns the bytes of a pixel, or of a block of ETC1; 0: not built. */
unsigned vc4_texel_bytes(unsigned type);
enum { VC4_TYPE_ETC1 = 8, VC4_TYPE_RASTER = 16 };
/* Returns R, G, B, A in bytes 0 to 3. p: bytes of the pixel or block; x, y: pixel of the block. */
uint32_t vc4_texel(unsigned type, const uint8_t *p, unsigned x, unsigned y);

#endif
