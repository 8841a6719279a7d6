/*
 * Inspection of GPU work, for tools: names and fields of registers, the writes of a command list,
 * and the surfaces that draws write to.
 *
 * Names are those of regs/pica_regs.def and regs/pica_enums.def (pica_regs.h). They do not change
 * between versions; new ones may be added. Functions that take a context follow the thread rules of
 * pica.h; all others may be called from any thread.
 */
#ifndef PICA_INSPECT_H
#define PICA_INSPECT_H

#include <stddef.h>
#include <stdint.h>

#include "pica.h"
#include "pica_emit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Registers: pica_reg_id(), pica_reg_name() and pica_reg_describe() are in pica_emit.h ---- */

enum pica_reg_kind {
	PICA_KIND_HOLE,    /* no such register */
	PICA_KIND_CONFIG,  /* stored, read by later draws */
	PICA_KIND_PORT,    /* each write is consumed: code, uniforms, tables, attributes */
	PICA_KIND_TRIGGER, /* each write starts something */
	PICA_KIND_STATUS,  /* read only */
	PICA_KIND_CPU,     /* command lists cannot write it */
	PICA_KIND_UNKNOWN, /* stored, no known function */
};

/* Blocks of registers [fidelity: register-map], in the order of their ids. */
enum pica_reg_group {
	PICA_GROUP_INTERRUPT,
	PICA_GROUP_RASTER,
	PICA_GROUP_TEXTURE,
	PICA_GROUP_COMBINER,
	PICA_GROUP_FRAMEBUFFER,
	PICA_GROUP_LIGHTING,
	PICA_GROUP_GEOMETRY,  /* vertex fetch, draw triggers, command buffers, primitives */
	PICA_GROUP_GSH,       /* the geometry-capable shader unit */
	PICA_GROUP_VSH,       /* the vertex shader units */
	PICA_GROUP_UNIT2,     /* copies for the third unit, without function */
	PICA_GROUP_COUNT,
};

/* Returns the kind of a register; PICA_KIND_HOLE for an id without a register. */
enum pica_reg_kind pica_reg_kind(uint32_t id);
/* Returns "config", "port", ... Static storage. */
const char *pica_reg_kind_name(enum pica_reg_kind kind);
/* Returns the group of a register id below PICA_REG_COUNT; larger ids belong to the last group. */
enum pica_reg_group pica_reg_group(uint32_t id);
/*
 * Returns "interrupt", "raster", "texture", "combiner", "framebuffer", "lighting", "geometry",
 * "gsh", "vsh" or "unit2". Static storage.
 */
const char *pica_reg_group_name(enum pica_reg_group group);

/* How to print the number of a field. */
enum pica_field_form {
	PICA_FIELD_INTEGER,
	PICA_FIELD_ENUM,    /* text names the value, if it has a name */
	PICA_FIELD_BITS,    /* best read in hexadecimal */
	PICA_FIELD_FLOAT,
	PICA_FIELD_ADDRESS, /* in bytes */
};

struct pica_field {
	const char *name; /* "RGB0"; static storage */
	const char *text; /* "texture0", or NULL; static storage */
	uint8_t low, bits;
	uint8_t form;     /* enum pica_field_form */
	uint32_t raw;     /* the bits */
	double number;    /* their value, with sign and format decoded */
};

/*
 * Describes field `index` (from 0) of a register that contains `word`. Returns 1, or 0 if there are
 * no more fields.
 */
int pica_reg_field(uint32_t id, uint32_t word, unsigned index, struct pica_field *out);
/*
 * Returns the exact value of a 24-bit float word (uniforms and fixed attributes of struct
 * pica_state).
 */
double pica_f24_value(uint32_t word);
/*
 * Returns the name of the external register (copy engines, display controllers, LCD) at a physical
 * address, such as "PSC0_START", "PPF_CONTROL" or "PDC1_FORMAT"; NULL if unknown. Static storage.
 * [fidelity: external-registers]
 */
const char *pica_external_name(uint32_t addr);

/* ---- Command lists ---- */

/*
 * Reads a command list write by write, as hardware does [fidelity: command-list]. It executes
 * nothing: the caller must follow jumps and stop at FINALIZE.
 *
 *	struct pica_list_reader reader;
 *	struct pica_list_write write;
 *	char text[256];
 *	pica_list_open(&reader, 0x20000000, words, size_bytes);
 *	while (pica_list_next(&reader, &write) > 0) {
 *		pica_reg_describe(write.id, write.value, text, sizeof(text));
 *		printf("%08x %03x %s\n", write.addr, write.id, text);
 *	}
 */
struct pica_list_reader {
	const unsigned char *bytes; /* borrowed; each word is read once */
	uint32_t addr;
	uint32_t n, pos;            /* words */
	/* The entry being read: */
	uint32_t entry, id, mask, index, count;
	int consecutive;
};

struct pica_list_write {
	uint32_t addr;   /* address of the word with the value */
	uint32_t entry;  /* address of the entry (its first value; the header follows) */
	uint32_t id;     /* any 16-bit number; larger ones occur in bursts */
	uint32_t value;
	uint32_t mask;   /* bytes written, 0..15 */
	uint32_t index;  /* of this write in its entry, from 0 */
	uint32_t count;  /* writes of the entry, 1..256 */
	int consecutive; /* the entry's ids ascend */
};

/*
 * Starts reading a list. addr is the address of the first word, used for pica_list_write.addr.
 * Bytes after the last whole word are ignored.
 */
void pica_list_open(struct pica_list_reader *reader, uint32_t addr, const void *words,
		uint32_t size_bytes);
/*
 * Reads one write. Returns 1; 0 at the end of the list; -EILSEQ if the last entry runs past the
 * end.
 */
int pica_list_next(struct pica_list_reader *reader, struct pica_list_write *out);

/* ---- Surfaces ---- */

/* The target of draws: registers 0x116, 0x117 and 0x11B-0x11E. */
struct pica_target {
	uint32_t width, height;              /* pixels; width is a multiple of 8 */
	uint32_t color_addr, depth_addr;     /* physical */
	/* PICA_COLOR_FORMAT_*, PICA_DEPTH_FORMAT_* of pica_regs.h */
	uint32_t color_format, depth_format;
	int block32;                         /* blocks of 32x32 pixels */
	int flip;                            /* window y = 0 is the last row in memory */
};

/*
 * Fills *out from PICA_REG_COUNT words of registers. Returns 0, or -EINVAL if nothing can be drawn
 * there (width 0 or not a multiple of 8, unknown colour format); *out is filled in either case.
 */
int pica_target_from_regs(struct pica_target *out, const uint32_t *regs);
/*
 * Copies the colour buffer as RGBA8 rows, memory row 0 first, stride_bytes >= 4 * width apart.
 * Waits for idle. Returns 0; -EINVAL as above; -ERANGE if it does not lie inside one window.
 */
int pica_ctx_read_color(struct pica_ctx *ctx, const struct pica_target *target, uint8_t *rgba,
		size_t stride_bytes);
/*
 * Copies the depth buffer, one word per pixel, rows as above, stride_px >= width words apart. Depth
 * is in bits 0-15 (D16) or 0-23, stencil in bits 24-31 (D24S8). Waits for idle. Errors as above.
 */
int pica_ctx_read_depth(struct pica_ctx *ctx, const struct pica_target *target, uint32_t *words,
		size_t stride_px);

/* ---- Work per pixel ---- */

struct pica_count {
	uint32_t entered; /* fragments that triangles produce here */
	uint32_t passed;  /* those that passed all tests and were written */
	/*
	 * Steps of the fragment pipe spent on them: 1 for a fragment that a test before shading
	 * drops, otherwise all steps of its draw.
	 */
	uint32_t cost;
};

/*
 * Switches counting on (all counts become 0) or off (they are discarded). While it is on, each draw
 * adds to the counts of its target. Pictures stay bit-identical, and the counts do not depend on
 * the number of threads or the instruction set. Off by default, at no cost. Waits for idle.
 * Returns 0, or -ENOMEM.
 */
int pica_ctx_count(struct pica_ctx *ctx, int on);
/*
 * Returns the number of targets drawn to since counting began. A target is a surface of one
 * address, size and block order. Waits for idle.
 */
int pica_ctx_counted(struct pica_ctx *ctx);
/*
 * Copies target `index`; targets are in the order of their first draws. *target is the target as in
 * that draw. Unless counts is NULL, also copies width * height counts, memory row 0 first. Returns
 * 0; -EINVAL if there is no such target.
 */
int pica_ctx_read_counts(struct pica_ctx *ctx, unsigned index, struct pica_target *target,
		struct pica_count *counts);

/* ---- Reads of memory that was never written ---- */

/* Kinds of reads. */
enum pica_read {
	PICA_READ_TEXTURE,  /* draws: the first level of a texture; for a cube, of face +X */
	PICA_READ_LEVELS,   /* draws: the smaller levels */
	PICA_READ_FACES,    /* draws: the other faces of a cube */
	PICA_READ_VERTICES, /* draws: indices and vertex arrays */
	PICA_READ_TARGET,   /* draws: pixels to blend with, depth and stencil to test */
	PICA_READ_LIST,     /* command lists, whether started or entered by a jump */
	PICA_READ_SOURCE,   /* transfers and copies */
	PICA_READ_SCREEN,   /* PRESENTs: memory that the screens show */
	PICA_READ_COUNT,
};

struct pica_unwritten {
	uint64_t pages; /* 4 KiB pages of which some part was read, none of it written */
	uint32_t first; /* physical address in the first such page, in execution order */
	uint32_t reserved;
};

/*
 * Switches the search for reads of unwritten memory on (with nothing found yet) or off. Memory
 * counts as written once a job, draw, fill, transfer, copy, INVALIDATE or pica_ctx_write_memory()
 * wrote it. For texels and lists, only the bytes read are considered (in steps of 16); for anything
 * else, the whole page. The first draw to a target marks all of it as written; a copy marks its
 * destination including the gaps between lines. The numbers do not depend on the number of threads,
 * and pictures stay the same. Takes 33 MiB of address space, and memory for the bits in use. Waits
 * for idle. Returns 0, or -ENOMEM.
 */
int pica_ctx_find_unwritten(struct pica_ctx *ctx, int on);
/*
 * Copies the results so far. Waits for idle. Returns 0; -EINVAL if there is no such kind, or the
 * search is off.
 */
int pica_ctx_unwritten(struct pica_ctx *ctx, enum pica_read reader, struct pica_unwritten *out);

/* ---- Vertices ---- */

enum { PICA_VERTEX_SEMANTICS = 24 };

struct pica_vertex {
	float input[16][4];  /* v0-v15, as the vertex program reads them */
	float output[16][4]; /* o0-o15; 0 outside the output mask */
	/*
	 * The inputs of the rasteriser, indexed by PICA_SEMANTIC_* (pica_regs.h); the position is
	 * in clip space. With a geometry shader, this and all later members are 0.
	 */
	float semantic[PICA_VERTEX_SEMANTICS];
	float window[3];     /* pixels from the left, memory rows from row 0, z/w */
	int is_projected;    /* 0: w <= 0 or out of range, window is 0 */
};

/*
 * Runs the vertex program on n vertices, with all registers as they are now. The vertices are given
 * by their numbers in the arrays or as attributes (immediate mode); the other argument is NULL.
 * Draws nothing and changes nothing. Waits for idle. Returns 0; -EINVAL if both or neither are
 * given; -ERANGE if the base of the arrays lies outside memory; -ENOMEM.
 */
int pica_ctx_shade(struct pica_ctx *ctx, const uint32_t *numbers, const float (*attributes)[16][4],
		uint32_t n, struct pica_vertex *out);

/*
 * Switches the keeping of geometry shader output on or off: its triangles as the rasteriser takes
 * them, three vertices each, in order, before clipping and culling. Each call discards all kept
 * vertices. Pictures stay the same. Waits for idle. Returns 0.
 */
int pica_ctx_keep_geometry(struct pica_ctx *ctx, int on);
/* Waits for idle. Returns the number of kept vertices, or -ENOMEM if some could not be kept. */
int64_t pica_ctx_kept_geometry(struct pica_ctx *ctx);
/*
 * Copies kept vertices [first, first + n). Their window uses the current viewport; input and output
 * are 0. Waits for idle. Returns 0; -EINVAL beyond the last one.
 */
int pica_ctx_read_geometry(
		struct pica_ctx *ctx, uint32_t first, uint32_t n, struct pica_vertex *out);

#ifdef __cplusplus
}
#endif

#endif
