/*
 * The fragment pipe: state -> plan, and running a plan on a batch of covered fragments.
 *
 * A plan is a short array of batch kernels, chosen once for a key (the state that selects kernels).
 * Values such as colours and references are in struct frag_consts. Kernels never see a register.
 */
#ifndef FRAG_FRAG_H
#define FRAG_FRAG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/raster/raster.h"
#include "core/vec/batch.h"
#include "core/vec/cpu.h"
#include "pica/frag/effects.h"
#include "pica/frag/light.h"
#include "pica/frag/target.h"
#include "pica/regs/planes.h"
#include "pica/tex/tex.h"

/* Selects kernels. Zero-padded, compared with memcmp. */
struct frag_key;
/* Values only. */
struct frag_consts {
	uint8_t tev_color[6][4];   /* constants of the stages, RGBA */
	uint8_t buffer_color[4];   /* register 0FD */
	uint8_t blend_color[4];
	uint8_t alpha_ref;
	uint8_t stencil_ref, stencil_compare_mask, stencil_write_mask;
	float depth_scale, depth_offset; /* 04D, 04E */
	struct frag_fog_consts fog;
	struct frag_shadow_consts shadow;
	struct frag_gas_consts gas;
};

struct frag_kernels; /* pica/frag/kernels.h, private: tables of tev, test, blend, target kernels */

/* Immutable, reference-counted; shared by draws with the same key. */
struct frag_plan;

/* Facts of a plan that the tile walker and the draw need. */
struct frag_info {
	uint32_t planes;       /* bit p: enum plane p is read (PLANE_IW always) */
	uint8_t textures;      /* bit u: unit u is sampled */
	bool proctex;          /* unit 3 is */
	uint8_t light;         /* LIGHT_PRIMARY..: the parts of the lit colours that are read */
	bool early;            /* depth and stencil tests may run, and write, before shading */
	bool opaque;           /* writes whole pixels, reads no destination */
	/* memory accesses (stencil counts as depth) */
	bool writes_color, reads_depth, writes_depth;
	bool fog;              /* the fog table is read */
	bool gas;              /* the gas table is read */
	bool adds_gas;         /* densities are added: frag_gas_max() should be called */
	bool nothing;          /* no fragment can have any effect: the draw can be dropped */
	/* bit f: enum pica_feature f is used by this state, and is a guess */
	uint32_t guessed;
};

/*
 * frag_plan_from_regs() derives key and constants from the register file (0x300 words) and finds or
 * builds the plan. It returns one reference, or NULL when out of memory. Command thread only. It
 * reads registers of the parts PART_FRAG, PART_TARGET (formats), PART_TEXTURE (which units are on)
 * and PART_LIGHT (whether lighting is on).
 */
struct frag_cache;
/* memory: charged with the plans, or NULL. */
struct frag_cache *frag_cache_create(struct pica_memory *memory);
void frag_cache_destroy(struct frag_cache *c);
/*
 * For tools: plans obtained from now on compute every value that frag_watch() reads, and none is
 * dropped because it has no effect. Pictures stay the same.
 */
void frag_cache_watch(struct frag_cache *c, bool on);
/* While `full` is full, drops plans that no draw holds. */
void frag_cache_evict(struct frag_cache *c, const struct pica_memory *full);
struct frag_plan *frag_plan_from_regs(struct frag_cache *c, const uint32_t *regs,
		struct frag_consts *consts);
struct frag_plan *frag_plan_get(struct frag_plan *p);
void frag_plan_put(struct frag_plan *p);
const struct frag_info *frag_plan_info(const struct frag_plan *p);
/* Returns the number of steps of a batch, not counting tests before shading. */
unsigned frag_plan_steps(const struct frag_plan *p);
/* Prints the plan for people, one line per step. Returns the length as snprintf does. */
int frag_plan_dump(const struct frag_plan *p, char *text, unsigned size_bytes);

struct frag_proctex;
struct proctex_map;
struct proctex_colors;

/* Words of the look-up tables, as uploaded through the ports. */
struct frag_luts {
	uint32_t light[32][256]; /* by table number of 1C5 bits 8-12 */
	uint32_t fog[128];
	uint32_t proctex[16][256];
	uint32_t gas[16];
};

/*
 * Tables as draws read them: decoded copies in the arena of the open pass, shared by its draws.
 * NULL if a table is not copied yet or was written since the copy. All zero when a pass opens.
 */
struct frag_tables {
	const uint32_t *fog;
	struct {
		const struct proctex_map *noise, *map[2]; /* map: RGB, alpha */
		const struct proctex_colors *colors;
	} proctex;
	struct {
		const struct light_draw *draw; /* NULL: lighting registers were written since */
		const struct light_entry *table[LIGHT_TABLES];
	} light;
};

/* Call after a word of table `table` of the procedural unit was written. */
void proctex_table_changed(struct frag_tables *t, unsigned table);

/* Source of the tables of a draw, and the arena of its pass, which receives the copies. */
struct frag_source {
	const uint32_t *regs;
	const struct frag_luts *luts;
	struct frag_tables *tables;
	struct arena *arena;
};

/* Counts of fragments, for tools; workers add to them with relaxed order. */
struct frag_costs {
	/* fragments that each test dropped; fragments stored */
	atomic_uint_fast64_t alpha, stencil, depth, stored;
	atomic_uint_fast64_t samples; /* of units 0 to 2: fragments times units sampled */
};

/* Everything that shading a batch of one draw needs. */
struct frag_draw {
	const struct frag_plan *plan;
	const struct frag_consts *consts;
	struct frag_costs *costs; /* NULL: counting is off */
	struct tex_desc tex[TEX_UNITS];
	struct tex_image *image[TEX_UNITS]; /* holds no reference; NULL if not sampled */
	/* faces of unit 0, in the pass's arena; NULL unless its type is a cube */
	const struct tex_cube *cube;
	const struct frag_proctex *proctex; /* pica/frag/proctex.h; NULL if not sampled */
	const struct light_draw *light;     /* in the pass's arena; NULL if info.light is 0 */
};

/*
 * Sets the tables that the plan of d reads: d->proctex, d->light, c->fog.table, c->gas.lut. Command
 * thread only. Returns false if the arena is out of memory.
 */
bool frag_bind_tables(
		struct frag_draw *d, struct frag_consts *c, const struct frag_source *from);

/* One worker's memory for colour planes and constants; about 45 KiB, 64-byte aligned. */
struct frag_scratch;
enum { FRAG_SCRATCH_BYTES = 48 * 1024 };

/* Makes d the current draw of the scratch: resolves pointers, fills constant planes. */
void frag_bind(struct frag_scratch *s, const struct frag_kernels *k, const struct tex_kernels *tk,
		const struct raster_kernels *rk, const struct frag_draw *d,
		const struct raster_state *rs, const struct target *target);
/*
 * Runs depth and stencil tests of quads first..first+n-1 of the batch before shading (info.early).
 * Planes hold q values as interpolated. Clears the bits of b->live that fail; writes depth and
 * stencil.
 */
void frag_early(struct frag_scratch *s, struct batch *b, unsigned first, unsigned n);
/*
 * Does the rest for quads 0..b->n_quads-1: perspective, textures, combiner, alpha test, depth and
 * stencil tests unless early, blending, stores in quad order. b->live selects the fragments;
 * quad_px gives the pixels of each quad.
 */
void frag_shade(struct frag_scratch *s, struct batch *b);
/* Both for a whole block, as struct frag_stage of the core specifies. */
uint64_t frag_shade_block(struct frag_scratch *s, struct batch *b, const struct raster_block *at);

/* ---- One fragment, for tools: watch.c ---- */

enum { FRAG_WATCH_STAGES = 6 };

/* The outcome of a fragment. */
enum frag_end {
	FRAG_STORED,
	FRAG_FAILS_ALPHA,
	FRAG_FAILS_STENCIL,
	FRAG_FAILS_DEPTH,
	FRAG_MASKED, /* it passed, but no channel of the colour may be written */
};

/* Values of one fragment. Colours are RGBA. Values that the state does not compute are 0. */
struct frag_seen {
	enum frag_end end;
	bool replaces;  /* it stored a whole pixel without reading the destination */
	bool has_depth; /* depth was computed */
	float depth;
	uint32_t z;     /* depth as an integer as wide as the buffer's */
	float coord[TEX_UNITS][2], coord0_w; /* of each unit that is on */
	uint8_t primary[4], texture[TEX_UNITS][4], proctex[4], light[2][4];
	struct {
		uint8_t rgb[3][3], alpha[3]; /* operands, complemented if the state says so */
		uint8_t out[4];
	} stage[FRAG_WATCH_STAGES];
	uint8_t combined[4]; /* output of the last stage */
	uint8_t color[4];    /* after the fog: the source of the blender */
};

/*
 * Shades lane `lane` of the first quad of the batch as frag_early() and frag_shade() would. The
 * planes of the batch must be interpolated, and the draw must be bound, with a plan from a watching
 * cache (frag_cache_watch()). steps may be NULL.
 */
struct pica_fragment_steps;
void frag_watch(struct frag_scratch *s, struct batch *b, unsigned lane, struct frag_seen *out,
		struct pica_fragment_steps *steps);

/* Returns the greatest plain density stored since the last call, as f16, or 0 if none was. */
uint32_t frag_gas_max(struct frag_scratch *s);

const struct frag_kernels *frag_kernels_for(enum isa isa);
/* The same, with truncated products in the combiner (PICA_COMBINER_TRUNCATE). */
const struct frag_kernels *frag_kernels_truncating(enum isa isa);

#endif
