/* From memory to clip space: attribute fetch, output map, clipping and viewport. */
#ifndef GEOM_GEOM_H
#define GEOM_GEOM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/chunk/stage.h"
#include "core/raster/raster.h"
#include "core/space/space.h"
#include "pica.h"
#include "pica/regs/planes.h"
#include "pica/shader/shader.h"

/* ---- Fetch ---- */

enum fetch_source { FETCH_ARRAY, FETCH_FIXED, FETCH_NONE };

struct fetch_attribute {
	uint8_t source; /* enum fetch_source */
	uint8_t type;   /* 0 s8, 1 u8, 2 s16, 3 f32 */
	uint8_t count;  /* components 1..4 */
	uint8_t input;  /* input register that receives it */
	uint32_t addr;  /* of vertex 0 (physical) */
	uint32_t stride_bytes;
};

/* Vertex fetch of a draw (fidelity: vertex-fetch): part of its snapshot. */
struct fetch_layout {
	uint8_t n_attributes;   /* loaded into input registers, 0..16 */
	uint8_t n_unloaded;     /* attributes with source FETCH_NONE */
	bool base_in_memory;    /* false: skip the whole draw */
	struct fetch_attribute attr[16];
	float fixed[16][4];     /* value of FETCH_FIXED and FETCH_NONE attributes */
};

/*
 * fixed: the current fixed attributes as floats. unwritten: bit i: fixed attribute i was never
 * written. base_in_memory depends on space.
 */
void fetch_layout_from_regs(struct fetch_layout *l, const uint32_t *regs, const float fixed[16][4],
		uint32_t unwritten, const struct space *space);
/*
 * Stores the ranges of memory that vertices first..last read, and returns their number (<= 16).
 * Attributes that share records share a range. If addresses wrap at 2^32 (or first > last), the
 * range is all of memory, [0, 2^32 - 1].
 */
unsigned fetch_ranges(const struct fetch_layout *l, uint32_t first, uint32_t last,
		struct range out[16]);

struct out_map; /* below */

struct geom_kernels {
	/*
	 * Fetches the attributes of n <= 32 vertices into b->v; lanes n..31 copy lane 0. Registers
	 * that no array reaches are unchanged: fetch_constants() fills them. f24 mode truncates f32
	 * arrays to f24. Bytes outside windows read 0; *outside grows by the number of elements
	 * (one attribute of one vertex) that had such bytes. b->tame is correct afterwards if
	 * fetch_constants() initialized it.
	 */
	void (*fetch)(const struct fetch_layout *l, const struct space *space,
			const uint32_t *index, unsigned n, enum pica_float mode,
			struct shader_batch *b, uint64_t *outside);
	/*
	 * Does the steps after the shader for lanes 0..n-1 (n <= 32) of a batch: output map, clip
	 * code, viewport. For each lane i, cv[i] is the result of out_map_vertex(), codes[i] that
	 * of clip_code(), ok[i] (0 or 1) and out[i] those of project(). Of the planes from
	 * PLANE_COLOR on, writes only those of project_planes(planes_mask) to cv[i] and out[i].
	 */
	void (*project_batch)(const struct geom_state *g, const struct out_map *m,
			const struct shader_batch *b, unsigned n, uint32_t planes_mask,
			struct clip_vertex *cv, struct vert *out, uint8_t *codes, uint8_t *ok);
	/*
	 * Projects only the positions of such a batch, in whole vectors; out is 64-byte aligned.
	 * NULL in plain C.
	 */
	void (*project_positions)(const struct geom_state *g, const struct out_map *m,
			const struct shader_batch *b, unsigned n, const struct position_out *out);
};

/*
 * Returns the planes that project_batch() writes for a mask: groups of four, of which the last
 * overlaps the one before.
 */
static inline uint32_t project_planes(uint32_t planes) {
	uint32_t out = 0;
	for (unsigned p = PLANE_COLOR; p < PLANE_MAX; p += 4) {
		const uint32_t four = UINT32_C(15) << (p < PLANE_MAX - 4 ? p : PLANE_MAX - 4);
		out |= planes & four ? four : 0;
	}
	return out;
}

void geom_kernels_init(struct geom_kernels *k, enum isa isa);
ISA_KERNELS(geom)

/*
 * Reads n indices (u8 or u16, any alignment) at addr into out, and sets *min and *max to their
 * smallest and largest value (0 and 0 if n is 0). Returns false if the range is not inside one
 * window: the draw is skipped.
 */
bool fetch_indices(const struct space *space, uint32_t addr, bool is_u16, uint32_t n, uint32_t *out,
		uint32_t *min, uint32_t *max);

/*
 * Fills all lanes of the registers of fixed attributes, and zeroes the registers that receive
 * nothing. Call once before the first batch of a draw: shaders do not write b->v. Sets b->tame for
 * these registers alone.
 */
void fetch_constants(const struct fetch_layout *l, struct shader_batch *b);

/* Prefetches the memory of vertices first..last, which will be fetched soon. */
void fetch_expect(const struct fetch_layout *l, const struct space *space, uint32_t first,
		uint32_t last);

/*
 * Drops the array attributes whose input register is not in inputs (bits). Returns false if
 * vertices first..last of an array attribute are not inside one window: a fetch of all attributes
 * might count elements outside.
 */
bool fetch_leave_out(struct fetch_layout *l, const struct space *space, unsigned inputs,
		uint32_t first, uint32_t last);

/*
 * Loads an inline vertex (immediate mode): n_attributes attributes, by number, go to the input
 * registers of one lane. Registers that receive nothing become 0.
 */
void fetch_inline(const struct fetch_layout *l, const float (*attributes)[4], unsigned lane,
		struct shader_batch *b);

/* ---- Output map ---- */

/*
 * Special values of out_map.from. A slot that the map names but the mask does not fill reads 0,
 * like an output that the program never writes. [guess]
 */
enum { OUT_MAP_ZERO = 0xFE, OUT_MAP_ONE = 0xFF };

/* Where each component of a clip vertex comes from: slot * 4 + component, or 0xFF for 1.0. */
enum { OUT_SEMANTICS = 24 };

struct out_map {
	uint8_t n_registers;     /* enabled output registers, ascending */
	uint8_t reg[16];         /* slot k = output register reg[k] */
	uint8_t from[4 + CLIP_ATTRIBUTES];
};

/* mask: 2BD (vertex shader) or 28D (geometry shader). (fidelity: output-slots, semantics) */
void out_map_from_regs(struct out_map *m, const uint32_t *regs, uint32_t mask);
/* Maps a lane of a shaded batch to a clip vertex; colours |c| are clamped to 1. */
void out_map_vertex(const struct out_map *m, const struct shader_batch *b, unsigned lane,
		struct clip_vertex *out);
/* The same from packed output slots (geometry shader): slot[k] = k-th enabled register. */
void out_map_slots(const struct out_map *m, const float (*slot)[4], struct clip_vertex *out);
/*
 * A clip vertex by semantic number, for files. Semantics without a component are saved as 0, and
 * ignored by the load.
 */
void clip_vertex_save(const struct clip_vertex *v, uint32_t by_semantic[OUT_SEMANTICS]);
void clip_vertex_load(struct clip_vertex *v, const uint32_t by_semantic[OUT_SEMANTICS]);

/* ---- Clip, viewport, cull ---- */

/* Indexed by register 11E bit 24: memory rows run along window y, or against it. */
extern const struct raster_rule pica_rule[2];

void geom_state_from_regs(struct geom_state *g, const uint32_t *regs);

/*
 * Returns which quaternions of an assembled triangle point away from that of vertex 0 and must be
 * negated before clipping: bit i for vertex i. q and -q are the same rotation, but values
 * interpolated between q and -q are not. [HW: Citra PR 2767; fidelity: quaternion-sign]
 */
unsigned quaternion_flips(const struct clip_vertex *v0, const struct clip_vertex *v1,
		const struct clip_vertex *v2);

#endif
