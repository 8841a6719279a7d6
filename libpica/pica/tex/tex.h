/*
 * Texels: registers -> descriptor, decoded images, sampling (units 0-2).
 *
 * Each face of a cube map is a separate image. A texel of a shadow map is decoded like any other;
 * in its word, depth is bits 8-31 and density bits 0-7. [fidelity: shadow-texture]
 *
 * A decoded level is linear RGBA8 (R in the lowest byte), row 0 = texture t index 0 (v = 0), with a
 * border of one texel on each side that the wrap modes fill.
 */
#ifndef TEX_TEX_H
#define TEX_TEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attributes.h"
#include "core/base/memory.h"
#include "core/sched/slice.h"
#include "core/space/space.h"
#include "core/vec/batch.h"
#include "core/vec/cpu.h"

enum { TEX_UNITS = 3, TEX_FACES = 6, TEX_MAX_LEVELS = 8, TEX_FORMATS = 14,
	TEX_CACHE_BUCKETS = 4096 };

enum tex_type { TEX_2D, TEX_CUBE, TEX_SHADOW_2D, TEX_PROJECTION, TEX_SHADOW_CUBE, TEX_DISABLED };

static inline bool tex_type_is_cube(enum tex_type type) {
	return type == TEX_CUBE || type == TEX_SHADOW_CUBE;
}

static inline bool tex_type_is_shadow(enum tex_type type) {
	return type == TEX_SHADOW_2D || type == TEX_SHADOW_CUBE;
}

/* One texture unit as the registers describe it. Zero-padded: compared with memcmp. */
struct tex_desc {
	uint32_t addr;        /* of the first face if the type is a cube */
	uint32_t border;      /* RGBA8, R lowest */
	uint32_t shadow_bias; /* shadow types: 24-bit fraction, even */
	uint16_t width, height;
	uint8_t enabled;  /* unit on and not type 5 */
	uint8_t valid;    /* sizes and format can be sampled; else samples are (0,0,0,0) */
	uint8_t type;     /* enum tex_type */
	uint8_t format;
	uint8_t wrap_s, wrap_t;
	uint8_t mag_linear, min_linear, mip_linear;
	uint8_t min_level, max_level; /* max clamped to existing levels */
	uint8_t coord_set;            /* 0, 1, 2 */
	int16_t lod_bias;             /* s1.4.8 */
	uint8_t ortho;                /* shadow 2D: u and v are not divided by w */
	uint8_t pad;
};

/* Reads unit 0..2 from the register file (0x300 words). */
void tex_desc_from_regs(struct tex_desc *d, const uint32_t *regs, unsigned unit);
/*
 * Returns the address of face 0..5 (+X, -X, +Y, -Y, +Z, -Z) of unit 0, for any type; face 0 is
 * d->addr.
 */
uint32_t tex_face_addr(const uint32_t *regs, unsigned face);
/*
 * Returns the size in bytes of levels 0..max_level in memory, from d->addr on. Each face of a cube
 * has this size.
 */
uint32_t tex_size_bytes(const struct tex_desc *d);
/* Returns the bits per texel of format 0..13. */
unsigned tex_format_bits(unsigned format);
/* Returns the short name, "rgba8" ... "etc1a4"; "?" for 14, 15. */
const char *tex_format_name(unsigned format);

struct tex_level {
	uint32_t width, height, stride_px; /* stride of the padded copy */
	/* Padded copy incl. border, NULL until decoded; texel (0,0) is texels[stride_px + 1]. */
	_Atomic(uint32_t *) texels;
	/* Number of bands of rows (private.h) whose decoding has begun; has finished. */
	atomic_uint begun, done;
	atomic_uint_fast64_t hash; /* sum over the bands; valid with texels */
};

/* Decoded texture; reference-counted. Shared by the cache and by each pass that samples it. */
struct tex_image {
	atomic_int refs;
	struct tex_desc desc; /* only what matters for the texels: see tex_image_create() */
	uint64_t stamp;       /* space clock when the image was first referenced */
	uint64_t checked;     /* space clock when the cache last found it current */
	uint64_t epoch;       /* cache.epoch when its source was last decoded or compared */
	const struct space *space; /* the context's */
	const uint8_t *src;   /* levels in one window, or our own copy; NULL: read through space */
	struct tex_cache *cache; /* to which the memory is returned; NULL: none */
	uint32_t *block;      /* all levels and the copy; NULL: evicted, must be decoded again */
	size_t bytes;         /* of this struct and the block */
	struct tex_level level[TEX_MAX_LEVELS];
	/* Command thread only, while the cache holds a reference: */
	struct tex_image *next;          /* cache.bucket, or cache.spare */
	struct tex_image *newer, *older; /* by last use, from cache.newest to cache.oldest */
	uint64_t last_use;               /* cache.use_clock */
	uint64_t counted;                /* order of the unit that counts its bytes; 0: none */
};

/* The faces of unit 0 when it is a cube. */
struct tex_cube {
	uint32_t addr[TEX_FACES];
	struct tex_image *image[TEX_FACES]; /* as in tex_sample(), each for its own address */
};

/* Directions converted to positions on the faces of a cube. */
struct tex_direction {
	PICA_ALIGNED(64) float s[BATCH], t[BATCH]; /* 0..1 on the face */
	PICA_ALIGNED(64) float major[BATCH];       /* magnitude of the largest component */
	PICA_ALIGNED(64) uint32_t face[BATCH];     /* 1 << face */
};

/*
 * Samples one decoded level for lanes 0..n-1 (n a multiple of 4, at most BATCH). u, v are texture
 * coordinates; out[channel][lane] gets 0..255. Lanes from n on are neither read nor written.
 */
typedef void tex_filter_fn(const struct tex_level *level, const struct tex_desc *d, const float *u,
		const float *v, unsigned n, uint16_t (*out)[BATCH]);

struct tex_kernels {
	/*
	 * Decodes one 8x8 tile from memory to RGBA8: dst[row * stride_px + col], in memory rows.
	 * stride_px may be negative. src needs no alignment.
	 */
	void (*decode[TEX_FORMATS])(uint32_t *dst, ptrdiff_t stride_px, const uint8_t *src);
	tex_filter_fn *nearest, *bilinear;
	/* out = (a*(256-f) + b*f + 128) >> 8 with f[lane] 0..256, lanes 0..n-1, four channels. */
	void (*mip_blend)(uint16_t (*out)[BATCH], const uint16_t (*a)[BATCH],
			const uint16_t (*b)[BATCH], const uint16_t *f, unsigned n);
	/* For types that use w: s = u/w, t = v/w; n as above. */
	void (*project)(float *s, float *t, const float *u, const float *v, const float *w,
			unsigned n);
	/*
	 * Converts directions (u, v, w) to faces and positions. Later lanes of *to are unspecified
	 * afterwards. Returns the bitwise OR of to->face[0..n-1].
	 */
	uint32_t (*cube)(struct tex_direction *to, const float *u, const float *v, const float *w,
			unsigned n);
	/*
	 * Computes the fraction of light, 0..255 on all four channels, that reaches depth |z|
	 * through the four texels of a shadow map that the bilinear filter uses. Each texel is
	 * compared before weighting. Of d, uses type and shadow_bias. [docs/fidelity.md 1, "Types
	 * of unit 0"]
	 */
	void (*shadow)(const struct tex_level *level, const struct tex_desc *d, const float *s,
			const float *t, const float *z, unsigned n, uint16_t (*out)[BATCH]);
};

void tex_kernels_init(struct tex_kernels *k, enum isa isa);
ISA_KERNELS(tex)

/*
 * Returns an image with one reference and no decoded level, or NULL when out of memory or if d is
 * not valid. If copy is set, reads all levels now. Otherwise levels are read when they are decoded,
 * and space and its windows must not change while the image exists. Memory outside windows reads as
 * 0.
 */
struct tex_image *tex_image_create(const struct tex_desc *d, const struct space *space, bool copy);
struct tex_image *tex_image_get(struct tex_image *image);
/* The last reference to an image of a cache must be put on the command thread. */
void tex_image_put(struct tex_image *image);
/* Returns a decoded level. Threads that need it at the same time share the work, band by band. */
const struct tex_level *tex_image_level(struct tex_image *image, unsigned level,
		const struct tex_kernels *k);
/*
 * Decodes the large levels that sampling by d may choose, so that tex_sample() never takes long.
 * Returns false if the slice is over; then call it again, on any thread. image may be NULL.
 */
bool tex_prepare(const struct tex_kernels *k, const struct tex_desc *d, struct tex_image *image,
		struct slice *slice);

/* Decoded images by (addr, format, size, wrap, border, levels) and memory stamp. Command thread. */
struct tex_cache {
	struct tex_image *bucket[TEX_CACHE_BUCKETS];
	struct tex_image *newest, *oldest;
	struct tex_image *spare; /* memory for the next images, most recent first */
	unsigned n_spare;
	size_t bytes, spare_bytes; /* of images in the buckets; of the spare ones */
	size_t budget_bytes;       /* of both */
	struct pica_memory *memory; /* charged with both */
	uint64_t use_clock;
	uint64_t epoch, epoch_job; /* raised by tex_cache_suspect(), last for this job */
	uint64_t decoded; /* images created */
	uint64_t read;    /* images created or compared with their source */
	/* Called while bytes are compared, and may pause; NULL: none. */
	void (*tick)(void *owner, uint64_t ticks);
	void *owner;
};

/* memory: charged with the images, or NULL. */
void tex_cache_init(struct tex_cache *c, size_t budget_bytes, struct pica_memory *memory);
void tex_cache_finish(struct tex_cache *c);
/*
 * Returns a counted reference to an image that is valid for the current write stamps, and creates
 * the image if needed. Returns NULL when out of memory. Evicts least recently used images; holders
 * of a reference keep theirs.
 */
struct tex_image *tex_cache_get(struct tex_cache *c, const struct tex_desc *d,
		const struct space *space);
/*
 * Returns an image for one draw only, with a copy of its source; otherwise as tex_image_create().
 */
struct tex_image *tex_cache_copy(struct tex_cache *c, const struct tex_desc *d,
		const struct space *space);
/*
 * Call if memory may have changed unannounced before this job (never 0). Each image is compared
 * with its source at its next use, once in the job.
 */
void tex_cache_suspect(struct tex_cache *c, uint64_t job);
/*
 * While `full` is full, evicts texels that only the cache holds, oldest first. The images stay, and
 * are decoded again at their next use, with the same result.
 */
void tex_cache_evict(struct tex_cache *c, const struct pica_memory *full);
void tex_cache_clear(struct tex_cache *c);

/*
 * Samples lanes 0..n-1 (n a multiple of 4, whole 2x2 quads) with LOD per quad, filters and mip
 * levels (docs/fidelity.md, "Textures"). d: as given to the tex_cache_get() or tex_image_create()
 * that returned image. image may be NULL if the unit is disabled, invalid or at address 0. A valid
 * unit without an image samples (0,0,0,0).
 */
void tex_sample(const struct tex_kernels *k, const struct tex_desc *d, struct tex_image *image,
		const float *u, const float *v, unsigned n, uint16_t (*out)[BATCH]);
/* The kernel and the level of each tex_sample() with these d and image; filter NULL: they vary. */
struct tex_direct {
	tex_filter_fn *filter;
	const struct tex_level *level;
};
/* May decode the level. */
struct tex_direct tex_find_direct(
		const struct tex_kernels *k, const struct tex_desc *d, struct tex_image *image);
/*
 * The same for the types that use w: projection and shadow 2D (which use image), and the cubes
 * (which use cube). The rules for d and image apply to each face, with its own address.
 */
void tex_sample_w(const struct tex_kernels *k, const struct tex_desc *d, struct tex_image *image,
		const struct tex_cube *cube, const float *u, const float *v, const float *w,
		unsigned n, uint16_t (*out)[BATCH]);
/*
 * Finds the texels that a lane of the first quad reads in tex_sample(), or in tex_sample_w() if the
 * type is not 2D. u, v, w: whole planes.
 */
struct pica_texture_steps;
void tex_watch(const struct tex_kernels *k, const struct tex_desc *d, struct tex_image *image,
		const struct tex_cube *cube, const float *u, const float *v, const float *w,
		unsigned lane, struct pica_texture_steps *out);

#endif
