/* A segment in a vertex task: shared by the files of this room. */
#ifndef CHUNK_SEGMENT_H
#define CHUNK_SEGMENT_H

#include "core/chunk/chunk.h"

enum {
	CACHE_ENTRIES = 512,  /* direct-mapped, by index */
	MAX_POSITIONS = 3072, /* a segment's share of a chunk; see pass.c */
	FILTERED = VERTEX_BATCH, /* triangles filtered at a time */
};

enum progress { GOES_ON, OVER, SLICE_OVER };

struct segment_run {
	struct chunk *c;
	const struct draw *d;
	const struct geom_state *g;
	const struct raster_state *rs;
	const struct pass_work *work;
	struct vertex_scratch *s;
	uint32_t base; /* index in chunk.verts of the segment's vertex 0 */
	uint32_t draw;
	bool has_assembly; /* the stage has an assemble() that this draw needs */
	bool completes;    /* the stage completes vertices after assembly */
	/*
	 * The n slots of the segment: n_ready from the prefix, then the slots to shade. `at` is the
	 * next to shade.
	 */
	uint32_t n_ready, at, n;
	uint32_t first_position;
	bool is_paused;  /* within a batch */
	uint64_t before; /* chunk's shader steps before the batch */

	/* filter.c. Steps per vertex; 0: the segment is not filtered. */
	unsigned filter_steps;
	bool is_filtered; /* done: n_kept triangles remain, their corners in scratch */
	uint32_t n_kept, n_seen;

	bool is_shaded;       /* the vertices are in the chunk */
	uint32_t n_assembled; /* primitives; if filtered, of the kept ones */

	/* complete.c */
	bool is_assembled;
	uint32_t first_tri; /* index in chunk.tris of the segment's first triangle */
	uint32_t n_used;    /* vertices to complete; slot[] has their numbers in the segment */
};

/*
 * A corner made by clipping, or of a point or line: a weighted sum of three vertices. It is stored
 * in the corner's record, in planes that completed draws do not use.
 */
struct made_corner {
	uint32_t from[3]; /* indices in chunk.verts */
	float weight[3];
	uint32_t n_own;
	float own[2]; /* floats that precede the sum's */
};

enum { PLANE_MADE = 4, NO_EXTRA = -1 };

/* The positions of triangles' corners, one row per corner. */
struct corner_rows {
	PICA_ALIGNED(64) float x[3][FILTERED];
	PICA_ALIGNED(64) float y[3][FILTERED];
	PICA_ALIGNED(64) int32_t code[3][FILTERED];
};

/* Progress in building a chunk's lists (bin.c). */
struct binning {
	enum { BIN_BEGINS, BIN_COUNTS, BIN_FILLS } step;
	uint32_t at;    /* triangle */
	uint32_t total; /* entries */
};

struct vertex_scratch {
	unsigned segment;       /* current */
	bool is_inside;         /* the current segment was begun */
	struct binning binning; /* after the last segment */
	struct segment_run run;
	struct clip_vertex cv[MAX_POSITIONS + 4];
	uint8_t code[MAX_POSITIONS + 4];
	uint8_t ok[MAX_POSITIONS + 4];
	uint32_t slot[MAX_POSITIONS + 4];   /* stream position - base -> vertex of the segment */
	uint32_t unique[MAX_POSITIONS + 4]; /* vertex of the segment -> index or stream number */
	uint32_t cache[CACHE_ENTRIES];      /* last slot of an index, in any segment */

	unsigned unfiltered;    /* number of next segments that will not be filtered */
	struct corner_rows rows;
	/* of slots */
	PICA_ALIGNED(64) float x[MAX_POSITIONS + VERTEX_BATCH];
	PICA_ALIGNED(64) float y[MAX_POSITIONS + VERTEX_BATCH];
	PICA_ALIGNED(64) int32_t position_code[MAX_POSITIONS + VERTEX_BATCH];
	uint32_t corner[MAX_POSITIONS][3]; /* slots of the kept triangles */
	const struct vertex_stage *owner;  /* the stage whose state stage[] holds */
	PICA_ALIGNED(64) unsigned char stage[];
};

/* Finds the slots of primitive `prim` of the draw, a triangle. */
static inline void find_corners(const struct segment_run *r, uint32_t prim, uint32_t corner[3]) {
	const uint32_t *slot = r->s->slot;
	uint32_t at = prim - r->first_position;
	switch ((enum topology)r->d->topology) {
	case TOPOLOGY_STRIP:
		/* The first two corners of every other triangle are swapped. */
		corner[(prim ^ r->d->parity) & 1] = slot[at];
		corner[~(prim ^ r->d->parity) & 1] = slot[at + 1];
		corner[2] = slot[at + 2];
		return;
	case TOPOLOGY_FAN:
		/* Slot 0 is the hub; positions prim + 1, prim + 2 follow it. */
		corner[0] = slot[0];
		corner[1] = slot[at + 2];
		corner[2] = slot[at + 3];
		return;
	default:
		break;
	}
	at += 2 * prim;
	corner[0] = slot[at];
	corner[1] = slot[at + 1];
	corner[2] = slot[at + 2];
}

/* A list without indices: no vertex repeats, and filtering needs no slots. */
static inline bool is_plain_list(const struct draw *d) {
	return d->topology == TOPOLOGY_LIST && !d->index && !d->n_prefix && !d->inline_vertices;
}

/*
 * Sets filter_steps if the segment is to be filtered: its triangles are tested by their positions
 * alone, and only the vertices of triangles that are not culled are shaded. Counts and pictures do
 * not depend on this. Unless is_plain_list(), the slots must be filled first.
 */
void filter_begin(struct segment_run *r, const struct segment *seg);
/* Filters. At its end, slots, corners and the vertices to shade are those of kept triangles. */
enum progress filter_go_on(struct segment_run *r, const struct segment *seg, struct slice *slice);

/* Reserve room for `more` vertices or floats. Return false if the chunk draws nothing. */
bool chunk_reserve_verts(struct chunk *c, uint32_t more);
bool chunk_reserve_extra(struct chunk *c, uint64_t more);

/* Collects the vertices to shade. Returns false if the chunk draws nothing. */
bool segment_begin(struct chunk *c, const struct segment *seg, const struct draw *d,
		const struct pass_work *work, struct vertex_scratch *s);
enum progress segment_shade(struct chunk *c, const struct pass_work *work,
		struct vertex_scratch *s, struct slice *slice);
/* Clips, culls and lists an assembled triangle. Returns false if the chunk draws nothing. */
bool segment_triangle(struct segment_run *r, const uint32_t corner[3], unsigned negated);
/* Lists a triangle by its bounds. Returns false if the chunk draws nothing. */
bool segment_emit(struct segment_run *r, uint32_t a, uint32_t b, uint32_t c);
bool segment_project(const struct segment_run *r, const struct clip_vertex *v, struct vert *out);

/* ---- assemble.c ---- */

/* Assembles the remaining primitives of the segment. Returns OVER if the chunk draws nothing. */
enum progress segment_assemble(
		struct segment_run *r, const struct segment *seg, struct slice *slice);

/* ---- wide.c ---- */

/* Assembles n points or lines, from `first` on. Returns false if the chunk draws nothing. */
bool wide_assemble(struct segment_run *r, uint32_t first, uint32_t n);

/* ---- bin.c ---- */

/* Lists the triangles by tile. Returns OVER if out of memory. */
enum progress chunk_bin(struct chunk *c, const struct pass_work *work, struct binning *binning,
		struct slice *slice);

/* ---- complete.c ---- */

/* Makes the record that of a made corner. */
void corner_set_made(struct vert *v, const struct made_corner *made);
/* After assembly: finds the vertices that corners depend on. Slots are invalid afterwards. */
void completion_begin(struct segment_run *r);
/* Completes these vertices, then made corners, then charges the triangles' pixels. */
enum progress completion_go_on(struct segment_run *r, struct slice *slice);

#endif
