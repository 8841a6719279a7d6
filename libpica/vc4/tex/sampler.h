/* Shared by the look-ups for all instruction sets; private to the room. */
#ifndef VC4_SAMPLER_H
#define VC4_SAMPLER_H

#include "core/base/f24.h"
#include "vc4/tex/texture.h"

enum wrap { WRAP_REPEAT, WRAP_CLAMP, WRAP_MIRROR, WRAP_BORDER };
enum { MAX_SIZE = 2048, ADDRESS_MASK = 0x3FFFFFFF };

struct tex_level {
	struct vc4_image image;
	int32_t width, height; /* range of the coordinates */
	const uint8_t *host;   /* NULL: not looked up yet */
	uint32_t avail;        /* bytes from host on */
	bool is_whole;         /* avail covers the image */
};

struct tex_setup {
	uint32_t base, cube_stride;
	uint8_t type, n_levels;
	bool is_cube, flips_y, b_is_level;
	bool mirrors_blocks; /* ETC1: the rows of a block are in reverse order */
	bool mag_is_linear, min_is_linear, has_mips, mips_are_linear;
	uint8_t wrap_s, wrap_t;
	uint32_t width, height;
};

/* The levels that one look-up has used, by face. */
struct tex_levels {
	const struct vc4_lookup *l;
	const struct tex_setup *x;
	struct tex_level level[6][VC4_TEX_LEVELS];
	uint16_t open[6];
	const char **why;
};

/* Reads the configuration. Returns 0, -EINVAL or -EOPNOTSUPP. */
int vc4_tex_set_up(struct tex_setup *x, const struct vc4_lookup *l, const char **why);
/* Opens a level at its first use. Returns 0 or -ERANGE. */
int vc4_tex_use(struct tex_levels *m, unsigned face, unsigned level, const struct tex_level **v);
/* Returns the level of detail of a quad's coordinates; -infinity if they are all equal. */
float vc4_tex_detail(const struct tex_setup *x, const float s[4], const float t[4]);
/* Samples the quad of lanes that begins at first, lane by lane. Returns 0 or -ERANGE. */
int vc4_tex_sample_quad(struct tex_levels *m, unsigned first, uint32_t out[4]);

/* Returns a float as the shaders' arithmetic sees it, except for NaN. */
static inline float tex_number(uint32_t bits) {
	return bits & 0x7F800000 ? f32_from_bits(bits) : 0.0f;
}

#endif
