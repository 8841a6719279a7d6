/* From memory to clip space: attribute fetch, output map, and what the view of a draw is. */
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
 * fixed: current fixed attributes as floats; unwritten: bit i: attribute i's was never written.
 * space decides base_in_memory.
 */
void fetch_layout_from_regs(struct fetch_layout *l, const uint32_t *regs, const float fixed[16][4],
		uint32_t unwritten, const struct space *space);
/*
 * Memory that vertices first..last read; returns the number of ranges written (<= 16). Attributes
 * that share records share a range. Where addresses wrap at 2^32 (or first > last), the range is
 * all of memory, [0, 2^32 - 1].
 */
unsigned fetch_ranges(const struct fetch_layout *l, uint32_t first, uint32_t last,
		struct range out[16]);

struct out_map; /* below */

struct geom_kernels {
	/*
	 * Attributes of n <= 32 vertices into b->v; lanes n..31 copy lane 0. Registers that no
	 * array reaches are left as they are: fetch_constants() fills them. f24 mode truncates f32
	 * arrays to f24. Bytes outside windows read 0; *outside grows by the number of elements
	 * (one attribute of one vertex) that had such bytes. b->tame is right afterwards
	 * if fetch_constants() made it.
	 */
	void (*fetch)(const struct fetch_layout *l, const struct space *space,
			const uint32_t *index, unsigned n, enum pica_float mode,
			struct shader_batch *b, uint64_t *outside);
	/*
	 * The steps after the shader for lanes 0..n-1 (n <= 32) of a batch: output map, clip code,
	 * viewport. For each lane i: cv[i] as out_map_vertex() makes it, codes[i] as
	 * clip_code(), ok[i] (0 or 1) and out[i] as project(). Of the planes from PLANE_COLOR on
	 * only those of project_planes(planes_mask) are in cv[i] and out[i], the others stay.
	 */
	void (*project_batch)(const struct geom_state *g, const struct out_map *m,
			const struct shader_batch *b, unsigned n, uint32_t planes_mask,
			struct clip_vertex *cv, struct vert *out, uint8_t *codes, uint8_t *ok);
	/*
	 * NULL (plain C), or the positions of such a batch alone, whole vectors; out is 64-byte
	 * aligned.
	 */
	void (*project_positions)(const struct geom_state *g, const struct out_map *m,
			const struct shader_batch *b, unsigned n, const struct position_out *out);
};

/* Planes that project_batch() writes for those of a mask: in fours, the last four overlap. */
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
 * Reads n indices (u8 or u16, any alignment) at addr into out and their smallest and largest value
 * (0 and 0 if n is 0). Returns false if the range is not inside one window: the draw is skipped.
 */
bool fetch_indices(const struct space *space, uint32_t addr, bool is_u16, uint32_t n, uint32_t *out,
		uint32_t *min, uint32_t *max);

/*
 * All lanes of fixed attributes' registers get their value, those that receive nothing become 0:
 * before the first batch of a draw. Shaders do not write b->v. b->tame names these alone.
 */
void fetch_constants(const struct fetch_layout *l, struct shader_batch *b);

/* Has the memory of vertices first..last fetched, which come soon. */
void fetch_expect(const struct fetch_layout *l, const struct space *space, uint32_t first,
		uint32_t last);

/*
 * Leaves out array attributes that reach none of the input registers (bits). Returns false if an
 * element of vertices first..last lies in no window: a fetch of all attributes would count it.
 */
bool fetch_leave_out(struct fetch_layout *l, const struct space *space, unsigned inputs,
		uint32_t first, uint32_t last);

/*
 * Inline vertex (immediate mode): attributes by number, n_attributes of them -> input registers of
 * one lane. Registers that receive nothing become 0.
 */
void fetch_inline(const struct fetch_layout *l, const float (*attributes)[4], unsigned lane,
		struct shader_batch *b);

/* ---- Output map ---- */

/*
 * Special values of out_map.from. A slot that the map names but the mask does not fill reads 0, as
 * an output that the program never writes. [guess]
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
/* Lane of a shaded batch -> clip vertex, colours |c| clamped to 1. */
void out_map_vertex(const struct out_map *m, const struct shader_batch *b, unsigned lane,
		struct clip_vertex *out);
/* The same from output slots already packed (geometry shader): slot[k] = k-th enabled register. */
void out_map_slots(const struct out_map *m, const float (*slot)[4], struct clip_vertex *out);
/* A clip vertex by semantic number, for files: semantics without a component are 0 and ignored. */
void clip_vertex_save(const struct clip_vertex *v, uint32_t by_semantic[OUT_SEMANTICS]);
void clip_vertex_load(struct clip_vertex *v, const uint32_t by_semantic[OUT_SEMANTICS]);

/* ---- Clip, viewport, cull ---- */

/* By register 11E bit 24: memory rows run along window y, or against it. */
extern const struct raster_rule pica_rule[2];

void geom_state_from_regs(struct geom_state *g, const uint32_t *regs);

/*
 * Returns which quaternions of an assembled triangle point away from vertex 0's and have to be
 * negated before clipping: bit i for vertex i. q and -q are the same rotation, but values
 * interpolated between q and -q are not. [HW: Citra PR 2767; fidelity: quaternion-sign]
 */
unsigned quaternion_flips(const struct clip_vertex *v0, const struct clip_vertex *v1,
		const struct clip_vertex *v2);

#endif
