/*
 * Writing PICA200 command lists.
 *
 * A struct pica_emit is a buffer of words that grows as needed, or one that the caller supplies.
 * The functions append to it and keep no shadow of the registers, so each call writes what it says
 * and nothing more. The list is run by a PICA_OP_LIST job
 * (pica_job.h) after its words have been copied to memory that the GPU sees.
 *
 *	struct pica_emit e;
 *	pica_emit_init(&e);
 *	pica_emit_defaults(&e);
 *	pica_emit_viewport(&e, 0, 0, 240, 400);
 *	pica_emit_reg(&e, PICA_REG_BLEND_COLOR, 0x80FFFFFF);
 *	pica_emit_named(&e, "TEXENV0_SOURCE", "RGB0=texture0 ALPHA0=primary");
 *	pica_emit_draw_arrays(&e, PICA_PRIMITIVE_LIST, 0, 3);
 *	if (pica_emit_finalize(&e) == 0) {
 *		use(e.words, e.count);
 *	}
 *	pica_emit_finish(&e);
 *
 * Errors are sticky: the first one is kept in e.error, later calls append nothing, and what was
 * written before is whole entries. So a list can be written without checks in between;
 * pica_emit_finalize() or pica_emit_error() returns the error:
 *   -ENOMEM  out of memory                      -ENOSPC  the caller's buffer is full
 *   -EINVAL  an argument outside its range
 * and from pica_emit_named():
 *   -ENOENT  a name that does not exist         -ERANGE  a value that does not fit
 *
 * Values: pica_regs.h. Colours are words with R in bits 0-7, G, B, A in bits 24-31. Addresses are
 * physical. Window coordinates have their origin at the bottom left of the picture as the PICA sees
 * it; the top screen of a 3DS is a picture of 240 x 400, turned on its side.
 *
 * Threads: an emitter belongs to one thread at a time. C11 and C++17.
 */
#ifndef PICA_EMIT_H
#define PICA_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pica_regs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The list ---- */

struct pica_emit {
	uint32_t *words; /* the list so far; moves when it grows */
	size_t count;    /* words in it */
	size_t capacity; /* words that fit */
	int error;       /* 0, or the first error */
	bool is_fixed;   /* words belongs to the caller */
};

/* Initializes an empty list that grows. */
void pica_emit_init(struct pica_emit *e);
/*
 * Initializes an empty list in the caller's buffer, which holds capacity words and stays the
 * caller's.
 */
void pica_emit_init_fixed(struct pica_emit *e, uint32_t *words, size_t capacity);
/* Frees what the list owns. NULL, and a list that was finished before, are allowed. */
void pica_emit_finish(struct pica_emit *e);
/* Empties the list and forgets the error; keeps the memory. */
void pica_emit_reset(struct pica_emit *e);
/* Returns 0 or the first error. */
int pica_emit_error(const struct pica_emit *e);

/*
 * Ends the list with FINALIZE, which raises the P3D interrupt and stops, and a second FINALIZE if
 * the list would not be a multiple of 16 bytes otherwise (hardware ignores an odd 8 bytes at the
 * end, and would lose a FINALIZE in them). Returns 0 or the first error. Then e->words and e->count
 * are the list.
 */
int pica_emit_finalize(struct pica_emit *e);
/*
 * Ends the list with a jump to another one through channel 0 or 1; addr and size_bytes: multiples
 * of 16. Padded like pica_emit_finalize(). There is no return.
 */
int pica_emit_jump(struct pica_emit *e, unsigned channel, uint32_t addr, uint32_t size_bytes);

/* ---- Registers ---- */

/* Writes a whole register. id 0..0xFFFF. */
void pica_emit_reg(struct pica_emit *e, uint32_t id, uint32_t value);
/* Writes the bytes whose bit is set in mask (bit 0: bits 0-7). */
void pica_emit_reg_masked(struct pica_emit *e, uint32_t id, uint32_t value, uint32_t mask);
/*
 * Writes n words to n consecutive registers from id on. Longer bursts than an entry holds (256
 * words) are split; the padding of entries is taken care of. n may be 0.
 */
void pica_emit_burst(struct pica_emit *e, uint32_t id, const uint32_t *values, size_t n);
/* Writes n words to one register, one after the other: for the data ports. Split like bursts. */
void pica_emit_fifo(struct pica_emit *e, uint32_t id, const uint32_t *values, size_t n);
/* Appends n words that already are whole entries, for example another list. n must be even. */
void pica_emit_words(struct pica_emit *e, const uint32_t *words, size_t n);

/*
 * Writes a whole register by names: reg as in pica_regs.def (a GPUREG_ in front is skipped), fields
 * as "RGB0=texture0 RGB1=3, ALPHA0=0xF": texts of pica_enums.def, integers, or decimals with a
 * point for the PICA's floats ("VALUE=120.0"). Fields that are not named become 0.
 */
void pica_emit_named(struct pica_emit *e, const char *reg, const char *fields);
/* Returns the id of a register, or -ENOENT. */
int pica_reg_id(const char *reg);
/* Returns the name of a register, or NULL if there is none. Static storage. */
const char *pica_reg_name(uint32_t id);
/* Replaces the fields named in *word; the syntax and the errors of pica_emit_named(). */
int pica_reg_set_fields(uint32_t id, const char *fields, uint32_t *word);
/*
 * The fields of a word as text, "RGB0=texture0(3) RGB1=primary(0) ...". At most size bytes with the
 * final zero are written; returns the full length, as snprintf does.
 */
size_t pica_reg_describe(uint32_t id, uint32_t word, char *buf, size_t size);

/* The PICA's floats from binary32, by truncation: 1.5.10, 1.7.12, 1.7.16; 1.7.23 as in 042, 044. */
uint32_t pica_f16(float value);
uint32_t pica_f20(float value);
uint32_t pica_f24(float value);
uint32_t pica_f31(float value);

/* ---- Shaders ---- */

enum pica_unit {
	PICA_UNIT_GS, /* the unit that can run geometry shaders: registers 280-2AF */
	PICA_UNIT_VS, /* the vertex shader units: registers 2B0-2DF */
};

/*
 * Uploads n code words from word index first on (the vertex unit holds 512, the geometry unit 4096;
 * -EINVAL past that) and ends the upload.
 */
void pica_emit_code(struct pica_emit *e, enum pica_unit unit, uint32_t first, const uint32_t *code,
		size_t n);
/* Uploads n operand descriptors from index first on (128 exist). */
void pica_emit_operand_descriptors(struct pica_emit *e, enum pica_unit unit, uint32_t first,
		const uint32_t *descriptors, size_t n);
/* Sets the first instruction. */
void pica_emit_entry_point(struct pica_emit *e, enum pica_unit unit, uint32_t pc);
/* Sets b0..b15 from bits 0..15. */
void pica_emit_bool_uniforms(struct pica_emit *e, enum pica_unit unit, uint32_t bits);
/* Sets i0..i3: x, y, z, w of 0..255. */
void pica_emit_int_uniform(struct pica_emit *e, enum pica_unit unit, unsigned index, uint32_t x,
		uint32_t y, uint32_t z, uint32_t w);
/*
 * n float uniforms from c<first> on (96 exist), four floats x, y, z, w each. The first form packs
 * them to f24 (truncated), 3 words each; the second sends binary32, 4 words each, and the GPU
 * truncates.
 */
void pica_emit_float_uniforms(struct pica_emit *e, enum pica_unit unit, uint32_t first,
		const float *xyzw, size_t n);
void pica_emit_float_uniforms_f32(struct pica_emit *e, enum pica_unit unit, uint32_t first,
		const float *xyzw, size_t n);

/* The use of a shader output; the numbers of the .shbin output table. */
enum pica_output_type {
	PICA_OUTPUT_POSITION = 0,
	PICA_OUTPUT_QUATERNION = 1,
	PICA_OUTPUT_COLOR = 2,
	PICA_OUTPUT_TEXCOORD0 = 3,
	PICA_OUTPUT_TEXCOORD0_W = 4,
	PICA_OUTPUT_TEXCOORD1 = 5,
	PICA_OUTPUT_TEXCOORD2 = 6,
	PICA_OUTPUT_VIEW = 8,
	PICA_OUTPUT_DUMMY = 9,
};

struct pica_output {
	uint8_t type; /* enum pica_output_type */
	uint8_t reg;  /* output register 0..15 */
	uint8_t mask; /* components that carry it: bit 0 = x .. bit 3 = w */
};

/*
 * Sets the output map of the program that feeds the rasteriser: unit VS without a geometry shader,
 * otherwise GS. Several entries may share a register. At most 7 registers (-EINVAL). Writes the
 * unit's OUTMAP_MASK, for the vertex unit also VSH_OUTMAP_TOTAL1/2, and the output slots, their
 * number and attribute clocks.
 */
void pica_emit_outputs(struct pica_emit *e, enum pica_unit unit, const struct pica_output *outputs,
		unsigned n);
/* Output registers of a vertex shader that feeds a geometry shader: bit i = o<i>; at least one. */
void pica_emit_vs_output_mask(struct pica_emit *e, uint32_t mask);

struct pica_geometry {
	uint32_t mode;                /* PICA_GS_MODE_* */
	unsigned inputs;              /* input registers, 1..16, that point mode gathers */
	unsigned vs_outputs;          /* registers that the vertex shader puts out, 1..16 */
	unsigned fixed_first_uniform; /* fixed mode: c<n> where vertices are stored */
	unsigned fixed_vertices;      /* fixed mode: vertices of a run, 1..16 */
	unsigned variable_main;       /* variable mode: vertices that are stored whole, 1..32 */
};

/*
 * Switches the geometry shader on or off (g = NULL). Call it before any upload to either unit:
 * while it is off, uploads to the vertex unit are copied to the geometry unit.
 */
void pica_emit_geometry(struct pica_emit *e, const struct pica_geometry *g);

/* ---- Vertices and draws ---- */

enum { PICA_MAX_ATTRIBUTES = 12, PICA_MAX_LOADERS = 12 };

struct pica_attribute_format {
	uint8_t type;       /* PICA_ATTRIB_TYPE_* */
	uint8_t components; /* 1..4 */
};

/* One array of interleaved vertex records. */
struct pica_attribute_loader {
	uint32_t offset; /* bytes from base */
	uint8_t stride;  /* bytes */
	uint8_t n;       /* components, 0..12 */
	uint8_t component[12]; /* 0..11: attribute; 12..15: padding of 4, 8, 12, 16 bytes */
};

struct pica_attributes {
	uint32_t base;       /* of the arrays and of the index buffer; a multiple of 16 */
	unsigned n;          /* attributes, 1..12 */
	struct pica_attribute_format format[PICA_MAX_ATTRIBUTES];
	uint32_t fixed_mask; /* bit i: attribute i is a fixed one */
	unsigned n_loaders;
	struct pica_attribute_loader loader[PICA_MAX_LOADERS];
};

/* Vertex arrays: registers 200-226, and pica_emit_inputs() with the identity. */
void pica_emit_attributes(struct pica_emit *e, const struct pica_attributes *a);
/*
 * n (1..16) attributes of a vertex go to the input registers of permutation: nibble i = register of
 * attribute i. Enough for immediate mode; PICA_IDENTITY_INPUTS puts attribute i into v<i>.
 */
void pica_emit_inputs(struct pica_emit *e, unsigned n, uint64_t permutation);
#define PICA_IDENTITY_INPUTS UINT64_C(0xFEDCBA9876543210)

/* Value of fixed attribute index (0..11). */
void pica_emit_fixed_attribute(struct pica_emit *e, unsigned index, float x, float y, float z,
		float w);

/* Draws count vertices from first on. primitive: PICA_PRIMITIVE_*. */
void pica_emit_draw_arrays(struct pica_emit *e, uint32_t primitive, uint32_t first, uint32_t count);
/*
 * Draws count indices, 8-bit, or 16-bit with is_u16, of the buffer index_offset bytes after the
 * base of the attributes.
 */
void pica_emit_draw_elements(struct pica_emit *e, uint32_t primitive, uint32_t index_offset,
		bool is_u16, uint32_t count);
/*
 * Vertices in the list itself: begin, then for each vertex its attributes in order, x, y, z, w
 * each, n attributes a call (of one or more vertices, or of a part of one), then end.
 */
void pica_emit_immediate_begin(struct pica_emit *e, uint32_t primitive);
void pica_emit_immediate(struct pica_emit *e, const float *xyzw, size_t n);
void pica_emit_immediate_end(struct pica_emit *e);

/* ---- Target, viewport, rasteriser ---- */

/*
 * Sets a plain state: no culling, scissor, clip plane, depth, stencil or alpha test; depth -z/w;
 * all channels and depth are written, the source replaces the destination; no texture, lighting,
 * fog; the combiner passes the primary colour. Does not touch shaders, attributes, target and
 * viewport.
 */
void pica_emit_defaults(struct pica_emit *e);

struct pica_framebuffer {
	uint32_t color_addr;   /* multiple of 64; 0: no colour is read or written */
	uint32_t depth_addr;   /* multiple of 64; 0: no depth or stencil is read or written */
	uint32_t color_format; /* PICA_COLOR_FORMAT_* */
	uint32_t depth_format; /* PICA_DEPTH_FORMAT_* */
	uint32_t width;        /* 8..1024, a multiple of 8 */
	uint32_t height;       /* 1..1024 */
	bool bottom_row_first; /* memory starts with the bottom row (usual: the top row) */
	bool block32;          /* 32x32 blocks instead of 8x8 tiles */
};

/* Sets the target of the following draws and enables reading and writing of its buffers. */
void pica_emit_framebuffer(struct pica_emit *e, const struct pica_framebuffer *fb);
/* Writes the GPU's caches back: at the end of the draws to a target. */
void pica_emit_flush(struct pica_emit *e);
/* x and y: -512..511; width and height: 1..1024. */
void pica_emit_viewport(struct pica_emit *e, int x, int y, unsigned width, unsigned height);
/* mode: PICA_SCISSOR_*; corners inclusive, 0..1023. */
void pica_emit_scissor(struct pica_emit *e, uint32_t mode, unsigned x1, unsigned y1, unsigned x2,
		unsigned y2);
/* depth = z/w * scale + offset (PICA_DEPTHMAP_Z), or that times w (_W). Usual: -1, 0. */
void pica_emit_depth_map(struct pica_emit *e, uint32_t mode, float scale, float offset);
/* PICA_CULL_*. */
void pica_emit_cull(struct pica_emit *e, uint32_t mode);
/* Keeps a*x + b*y + c*z + d*w >= 0 in clip space; abcd NULL: no plane. */
void pica_emit_clip_plane(struct pica_emit *e, const float *abcd);

/* ---- Textures ---- */

struct pica_texture {
	uint32_t addr;     /* multiple of 8; the face +X of a cube */
	uint32_t faces[5]; /* cubes: -X, +Y, -Y, +Z, -Z, in the same 32 MiB as addr */
	uint32_t width;    /* 8..1024, a power of two */
	uint32_t height;
	uint32_t format;   /* PICA_TEXTURE_FORMAT_* */
	uint32_t type;     /* PICA_TEXTURE_TYPE_*; unit 0 only, else 0 */
	uint32_t mag, min, mip;  /* PICA_FILTER_* */
	uint32_t wrap_s, wrap_t; /* PICA_WRAP_* */
	uint32_t border;
	float lod_bias;    /* -16..15.99 */
	unsigned min_level, max_level; /* 0..15; max_level 0: no mipmaps */
};

/* Texture of unit 0..2; does not enable it. */
void pica_emit_texture(struct pica_emit *e, unsigned unit, const struct pica_texture *t);
/*
 * Enables the units of mask (bit 3: the procedural one) and disables the others, and says that
 * texels may have changed. coord3: coordinates of unit 3 (0..2); unit2_coord1: unit 2 uses
 * coordinates 1 instead of 2.
 */
void pica_emit_texture_units(struct pica_emit *e, uint32_t mask, unsigned coord3,
		bool unit2_coord1);

/* ---- The procedural texture ---- */

enum { PICA_PROCTEX_LEVELS = 8 };

/*
 * Unit 3 makes its colour of two texture coordinates and tables, in these steps:
 *
 *   |u|, |v|  ->  noise is added  ->  shift  ->  clamp to 0..1  ->  a function of both
 *             ->  RGB map  ->  colour table
 *             ->  (another function  ->  alpha map  ->  alpha, with separate_alpha)
 *
 * The unit is enabled and gets its coordinates by pica_emit_texture_units(); its colour is the
 * combiner's source PICA_TEV_SOURCE_TEXTURE3. Tables are uploaded apart, below.
 */
struct pica_proctex {
	uint32_t u_clamp, v_clamp;       /* PICA_PROCTEX_CLAMP_* */
	/*
	 * PICA_PROCTEX_SHIFT_*: moves u by 1/2 (by 1 with PICA_PROCTEX_CLAMP_MIRRORED_REPEAT) where
	 * v is in an odd or even pair of units, and v by u likewise.
	 */
	uint32_t u_shift, v_shift;
	uint32_t rgb_map, alpha_map;     /* PICA_PROCTEX_MAP_*: the functions */
	bool separate_alpha;             /* alpha by alpha_map; else the colour table's */
	bool noise;
	float u_amplitude, v_amplitude;  /* of the noise: -8 up to, but not, 8 */
	float u_phase, v_phase;          /* 16-bit floats from here: within +-65504, truncated */
	float u_frequency, v_frequency;  /* 1: nine cells of noise a unit */
	uint32_t filter;                 /* PICA_PROCTEX_FILTER_*, of the colour table */
	/* 0..15, levels above 7 act as 7; mipmapping filters only */
	unsigned min_lod, max_lod;
	/*
	 * Level = log2(|width * lod_bias| * the larger steps of u and of v a pixel, added): 1 takes
	 * one entry a pixel. 0: always level 0.
	 */
	float lod_bias;
	/* entries of level 0 in the colour table, 0..255; halved a level */
	unsigned width;
	uint8_t offset[PICA_PROCTEX_LEVELS]; /* first entry of each level */
};

/*
 * Fills *p with: clamp to edge, no shift, no noise (frequencies 1), RGB by u, one alpha, linear
 * filter without mipmaps, and the usual colour table: 128 entries, followed by levels 1 to 7.
 */
void pica_proctex_init(struct pica_proctex *p);
/* Registers 0A8-0AE. -EINVAL: a value outside the ranges above. */
void pica_emit_proctex(struct pica_emit *e, const struct pica_proctex *p);
/*
 * Entries of a whole map (noise, RGB, alpha) from its values (0..1, others are clamped) at
 * 0, 1/128 .. 1. The table cannot hold steps beyond +-0.5; they become +-0.5.
 */
void pica_proctex_map(uint32_t entries[128], const float values[129]);
/*
 * Entries of the table of colour differences for n colours that follow each other in one level, so
 * that a linear filter leads from each to the next (within 1/255: the table holds half
 * differences). The last one's is 0. differences and colors may not overlap.
 */
void pica_proctex_color_differences(uint32_t *differences, const uint32_t *colors, size_t n);
/* Uploads n colours from entry first on, and their differences. 256 entries exist. */
void pica_emit_proctex_colors(
		struct pica_emit *e, uint32_t first, const uint32_t *colors, size_t n);

/* ---- Combiner, fog ---- */

struct pica_tev {
	uint32_t rgb_source[3], alpha_source[3];   /* PICA_TEV_SOURCE_* */
	uint32_t rgb_operand[3], alpha_operand[3]; /* PICA_TEV_OPERAND_RGB_*, _ALPHA_* */
	uint32_t rgb_op, alpha_op;                 /* PICA_TEV_OP_* */
	uint32_t rgb_scale, alpha_scale;           /* PICA_TEV_SCALE_* */
	uint32_t color;                            /* the stage's constant */
};

/* Fills *tev with a stage that passes the previous one through. */
void pica_tev_init(struct pica_tev *tev);
/* Stage 0..5. tev NULL: pass-through. */
void pica_emit_tev(struct pica_emit *e, unsigned stage, const struct pica_tev *tev);
/* Bit s: stage s (0..3) writes its RGB, alpha to the combiner buffer, which starts as color. */
void pica_emit_tev_buffer(struct pica_emit *e, uint32_t rgb_stages, uint32_t alpha_stages,
		uint32_t color);
/*
 * mode: PICA_FOG_MODE_*. color: R in bits 0-7, G, B; the fourth byte is ignored. flip_depth: the
 * table is read at 1 - depth. Depth is the one that goes to the depth buffer (0 to 1, 1 near, as
 * pica_emit_defaults() maps it), with the depth test off too.
 */
void pica_emit_fog(struct pica_emit *e, uint32_t mode, bool flip_depth, uint32_t color);

/* ---- Lighting ---- */

/*
 * Up to eight lights make two colours of a fragment: the combiner's sources
 * PICA_TEV_SOURCE_FRAGMENT_PRIMARY and _SECONDARY (alpha 1 unless Fresnel or a shadow says
 * otherwise).
 *
 *   primary   = ambient +
 *               sum of (diffuse * max(N.L, 0) * shadow + the light's ambient) * spot * distance
 *   secondary = sum of (specular0 * D0 * g + specular1 * D1 * (RR, RG, RB) * g) *
 *               spot * distance * shadow
 *
 * D0, D1, RR, RG, RB, FR and one SP and one DA a light are tables that the client uploads; those
 * that are not in use are 1. The surface is told by two outputs of the vertex program: a quaternion
 * that turns (0, 0, 1) into the normal and (1, 0, 0) into the tangent (PICA_OUTPUT_QUATERNION), and
 * the view vector from the surface to the eye (PICA_OUTPUT_VIEW), both in the space in which the
 * lights stand: the eye's. Neither need be of length 1.
 */

/* How a table is looked up. */
struct pica_light_lookup {
	bool enable;
	/* PICA_LIGHT_INPUT_*: of N, V, L, half vector H, spot; cos-phi with layers 8 only */
	uint32_t input;
	uint32_t scale;  /* PICA_LIGHT_SCALE_*, of the result */
	/*
	 * The table holds inputs -1..1; else 0..1, of what is positive (a two-sided light: of the
	 * size).
	 */
	bool is_signed;
};

struct pica_lighting {
	unsigned count;   /* lights in use, 1..8 */
	uint8_t order[8]; /* their numbers; the last one in use makes Fresnel */
	uint32_t ambient; /* added once */
	/*
	 * Which tables there are: 0 D0 RR SP, 1 FR RR SP, 2 D0 D1 RR, 3 D0 D1 FR, 4 all but FR, 5
	 * all but D1, 6 all but RG RB, 8 all. DA always. RG and RB that are missing or not enabled
	 * are RR.
	 */
	uint32_t layers;
	struct pica_light_lookup d0, d1, fr, rr, rg, rb;
	struct pica_light_lookup sp; /* of all lights alike; enable is ignored */
	/* Bit i: light i. */
	uint8_t spot_lights;         /* dimmed by SP */
	uint8_t distance_lights;     /* dimmed by DA */
	uint8_t shadow_lights;       /* dimmed by the shadow factor */
	bool fresnel_primary, fresnel_secondary; /* FR (and shadow_alpha) go into that alpha */
	bool clamp_highlights;       /* no highlight where N.L is not positive */
	/* PICA_BUMP_*: the texel's 0..255 is -1..1 of normal or tangent */
	uint32_t bump;
	unsigned bump_unit;          /* 0..3 */
	bool bump_keep_z;            /* false: z is computed from x and y (normals only) */
	/*
	 * The texel of a unit as factors of R, G, B and alpha. Unit 0 can compare with a shadow
	 * map.
	 */
	bool shadow, shadow_invert;
	unsigned shadow_unit;
	bool shadow_primary, shadow_secondary, shadow_alpha; /* what it multiplies */
};

/*
 * Fills *l with: light 0 alone, layers 0, no table, no map, no shadow. Lookups are prepared as
 * signed, by N.H (SP: spot, FR: N.V), scale 1.
 */
void pica_lighting_init(struct pica_lighting *l);
/*
 * Registers 08F, 1C0-1C6, 1D0-1D9. NULL: lighting is off. -EINVAL: a value outside the ranges
 * above.
 */
void pica_emit_lighting(struct pica_emit *e, const struct pica_lighting *l);

struct pica_light {
	uint32_t specular0, specular1, diffuse, ambient; /* colours; alpha is ignored */
	/*
	 * Where it is; directional: the way to it, of any length. Within +-65504; 11 bits are kept.
	 */
	float position[3];
	float spot[3];       /* the way it looks, components -1..1; the input is dot(-L, spot) */
	bool is_directional;
	bool is_two_sided;   /* shines on backs too: |N.L| */
	/* specular 0 and 1 are dimmed by min(N.L / H.H, 1), H = L + V */
	bool geometric0, geometric1;
	float distance_scale, distance_bias; /* DA is looked up by distance * scale + bias, 0..1 */
};

/* Fills *l with white diffuse light from the eye, (0, 0, 1), looking down; distance_scale is 1. */
void pica_light_init(struct pica_light *l);
/* DA's input is 0 at distance near and 1 at far. */
void pica_light_distance(struct pica_light *l, float near, float far);
/* Light 0..7. -EINVAL: another number, or a value outside the ranges above. */
void pica_emit_light(struct pica_emit *e, unsigned id, const struct pica_light *l);

/*
 * All 256 words of a lighting table from its values (0..1, others are clamped, NaN is 0) at
 * 0, 1/256 .. 1 or, signed, at -1, -127/128 .. 1. Values are rounded to the table's 1/4095 first,
 * and the differences are those of the rounded ones: no step where an entry ends and the next
 * begins.
 */
void pica_light_lut(uint32_t entries[256], bool is_signed, const float values[257]);
/* The same from a function of the input. */
void pica_light_lut_from(uint32_t entries[256], bool is_signed, float (*f)(float input, void *arg),
		void *arg);

/* ---- Tables ---- */

/* Entries from first on. Tables: PICA_LIGHT_TABLE_* (add the light's number to SP and DA). */
void pica_emit_light_lut(struct pica_emit *e, uint32_t table, uint32_t first,
		const uint32_t *entries, size_t n);
/* 128 entries exist. */
void pica_emit_fog_lut(struct pica_emit *e, uint32_t first, const uint32_t *entries, size_t n);
/* Tables: PICA_PROCTEX_TABLE_*; 128 entries, 256 for the colour tables. */
void pica_emit_proctex_lut(struct pica_emit *e, uint32_t table, uint32_t first,
		const uint32_t *entries, size_t n);
/* 16 entries: 8 differences, 8 colours. */
void pica_emit_gas_lut(struct pica_emit *e, uint32_t first, const uint32_t *entries, size_t n);

/*
 * Entries of these tables: a value of 0..1 and the difference to the next one, -1..1 (fog: -2..2;
 * the maps of the procedural texture: -0.5..0.5). Scaled as the console's libraries do, clamped.
 */
uint32_t pica_light_lut_entry(float value, float difference);
uint32_t pica_fog_lut_entry(float value, float difference);
uint32_t pica_proctex_map_entry(float value, float difference);

/*
 * All 128 words of a fog table from a function of depth: keep(depth, arg) is how much of the
 * fragment stays, 0..1 (clamped; NaN: 0). It is asked for depth i/128, i = 0..128; between two
 * places the fog is linear. The values are rounded to the table's 1/2047 first and the differences
 * are those of the rounded values, so that an entry ends exactly where the next one starts.
 */
void pica_fog_lut_from(uint32_t entries[128], float (*keep)(float depth, void *arg), void *arg);
/*
 * All 16 words of a gas table: colours (R lowest) at 0, 1/8, ... 1; differences in steps of 2/255.
 */
void pica_gas_lut_from(uint32_t entries[16], const uint32_t colors[9]);

/* ---- Fragment tests and output ---- */

/* func: PICA_COMPARE_*; ref 0..255. Keeps fragments with alpha FUNC ref. */
void pica_emit_alpha_test(struct pica_emit *e, bool enable, uint32_t func, uint32_t ref);
/* Passes where (ref & compare_mask) FUNC (stored & compare_mask). */
void pica_emit_stencil_test(struct pica_emit *e, bool enable, uint32_t func, uint32_t ref,
		uint32_t compare_mask, uint32_t write_mask);
/* PICA_STENCIL_OP_*. */
void pica_emit_stencil_op(struct pica_emit *e, uint32_t fail, uint32_t depth_fail, uint32_t pass);
/* Passes where the fragment's depth FUNC the stored one. color_mask: channels written, bit 0 R. */
void pica_emit_depth_test(struct pica_emit *e, bool enable, uint32_t func, bool depth_write,
		uint32_t color_mask);

struct pica_blend {
	uint32_t rgb_equation, alpha_equation; /* PICA_BLEND_EQ_* */
	uint32_t rgb_src, rgb_dst, alpha_src, alpha_dst; /* PICA_BLEND_FACTOR_* */
	uint32_t color;                        /* for the CONSTANT factors */
};

/* Blends. NULL: the source replaces the destination. */
void pica_emit_blend(struct pica_emit *e, const struct pica_blend *b);
/* Uses a logic operation (PICA_LOGIC_OP_*) instead of blending. */
void pica_emit_logic_op(struct pica_emit *e, uint32_t op);

/*
 * Sets the fragment mode, PICA_FRAGMENT_MODE_*. pica_emit_blend() and pica_emit_logic_op() reset it
 * to NORMAL, so call this after them.
 *
 * SHADOW draws into a shadow map: a colour buffer of 4 bytes a pixel (PICA_COLOR_FORMAT_RGBA8),
 * depth in 24 bits, high byte first, then density; cleared with 0xFFFFFFFF (far, lit). Depth
 * buffer, tests, blending and masks have no part in it. A fragment nearer than the map stores its
 * depth if the combiner's green is 0, else it lowers the density to green / (constant + linear *
 * x), where x is its depth divided by the stored one. pica_emit_shadow() sets the two factors; for
 * a penumbra, constant is its scale plus bias and linear is -scale.
 */
void pica_emit_fragment_mode(struct pica_emit *e, uint32_t mode);
void pica_emit_shadow(struct pica_emit *e, float constant, float linear);
/*
 * Unit 0 as a shadow map (PICA_TEXTURE_TYPE_SHADOW_2D, _CUBE): bias, 0..1 in steps of 2^-23, is
 * taken off the depth that is compared, w of coordinates 0 (or the largest of a direction). divide:
 * the coordinates are divided by w, for a lamp near by.
 */
void pica_emit_shadow_texture(struct pica_emit *e, bool divide, float bias);

/*
 * Gas. The effect of these registers on hardware is not known; docs/fidelity.md, section 1, "Gas",
 * has what libpica does.
 *
 * Accumulation: fragment mode GAS adds the combiner's red to the densities in a colour buffer of 4
 * bytes a pixel, cleared with 0. func: PICA_GAS_DEPTH_*, against the depth buffer, which is not
 * written. A depth difference times delta_z (0..65535, in steps of 1/256) is how much of it the
 * depth density gets, up to 1. Begins a new maximum in register 0x125 and sets the mode.
 */
void pica_emit_gas_accumulation(struct pica_emit *e, uint32_t func, float delta_z);

/* A light: intensity between min and max, of which density takes a part; all 0..1. */
struct pica_gas_light {
	float min, max, attenuation;
};

struct pica_gas {
	struct pica_gas_light planar; /* lights by the combiner's red */
	struct pica_gas_light view;   /* lights by `effect` */
	float effect;                 /* of the light in line of sight, 0..1 */
	bool by_light;                /* the table is read at the light instead of the density */
	bool depth_density;           /* the density is the one that depth attenuates */
	float density_max;            /* density that counts as 1; above 0 */
	/* alpha is the fog table's value at density * attenuation */
	float attenuation;
};

/*
 * Shading: fog mode GAS, in which unit 0 samples the densities with nearest filters and the
 * fragment's colour is that of the gas. pica_emit_fog() ends it. Colours are those of
 * pica_emit_gas_lut(), alpha is that of pica_emit_fog_lut().
 */
void pica_emit_gas_shading(struct pica_emit *e, const struct pica_gas *gas);

#ifdef __cplusplus
}
#endif

#endif
