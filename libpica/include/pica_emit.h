/*
 * Writing PICA200 command lists.
 *
 * A struct pica_emit is a buffer of words that grows as needed, or one that the caller supplies.
 * The functions append to it and keep no shadow of the registers, so each call writes exactly what
 * it says. To run the list, copy its words to memory that the GPU can address and submit a
 * PICA_OP_LIST job (pica_job.h).
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
 * Errors are sticky: the first one is kept in e.error, later calls append nothing, and the list
 * still consists of whole entries. So a list can be written without checks in between;
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
 * Initializes an empty list in a buffer of capacity words, which the caller supplies and owns.
 */
void pica_emit_init_fixed(struct pica_emit *e, uint32_t *words, size_t capacity);
/* Frees the memory that the list owns. e may be NULL or already finished. */
void pica_emit_finish(struct pica_emit *e);
/* Empties the list and forgets the error; keeps the memory. */
void pica_emit_reset(struct pica_emit *e);
/* Returns 0 or the first error. */
int pica_emit_error(const struct pica_emit *e);

/*
 * Ends the list with FINALIZE, which raises the P3D interrupt and stops. Adds a second FINALIZE if
 * the size would otherwise not be a multiple of 16 bytes, because hardware ignores an odd 8 bytes
 * at the end and would lose a FINALIZE in them. Returns 0 or the first error. On success e->words
 * and e->count are the list.
 */
int pica_emit_finalize(struct pica_emit *e);
/*
 * Ends the list with a jump to another one through channel 0 or 1; addr and size_bytes are
 * multiples of 16. Pads as pica_emit_finalize() does. The other list cannot return to this one.
 */
int pica_emit_jump(struct pica_emit *e, unsigned channel, uint32_t addr, uint32_t size_bytes);

/* ---- Registers ---- */

/* Writes a whole register. id 0..0xFFFF. */
void pica_emit_reg(struct pica_emit *e, uint32_t id, uint32_t value);
/* Writes only the bytes selected by mask: bit 0 selects bits 0-7, and so on. */
void pica_emit_reg_masked(struct pica_emit *e, uint32_t id, uint32_t value, uint32_t mask);
/*
 * Writes n words to n consecutive registers, the first of which is id. Splits a burst that is
 * longer than an entry (256 words) and pads entries as needed. n may be 0.
 */
void pica_emit_burst(struct pica_emit *e, uint32_t id, const uint32_t *values, size_t n);
/* Writes n words in sequence to one register, such as a data port. Splits them as bursts. */
void pica_emit_fifo(struct pica_emit *e, uint32_t id, const uint32_t *values, size_t n);
/* Appends n words that are already whole entries, for example another list. n must be even. */
void pica_emit_words(struct pica_emit *e, const uint32_t *words, size_t n);

/*
 * Writes a whole register by name. reg is a name of pica_regs.def; a prefix GPUREG_ is ignored.
 * fields is like "RGB0=texture0 RGB1=3, ALPHA0=0xF": values are texts of pica_enums.def, integers,
 * or, for the PICA's floats, decimals with a point ("VALUE=120.0"). Unnamed fields become 0.
 */
void pica_emit_named(struct pica_emit *e, const char *reg, const char *fields);
/* Returns the id of a register, or -ENOENT. */
int pica_reg_id(const char *reg);
/* Returns the name of a register, or NULL if there is none. Static storage. */
const char *pica_reg_name(uint32_t id);
/* Replaces the named fields of *word. Syntax and errors are those of pica_emit_named(). */
int pica_reg_set_fields(uint32_t id, const char *fields, uint32_t *word);
/*
 * Writes the fields of a word as text, "RGB0=texture0(3) RGB1=primary(0) ...": at most size bytes,
 * including the final zero. Returns the full length, as snprintf does.
 */
size_t pica_reg_describe(uint32_t id, uint32_t word, char *buf, size_t size);

/*
 * Return a binary32 truncated to a float of the PICA: 1.5.10, 1.7.12, 1.7.16, and 1.7.23 (registers
 * 042 and 044).
 */
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
 * Uploads n code words, starting at word first, and ends the upload. The vertex unit holds 512
 * words, the geometry unit 4096; -EINVAL past that.
 */
void pica_emit_code(struct pica_emit *e, enum pica_unit unit, uint32_t first, const uint32_t *code,
		size_t n);
/* Uploads n operand descriptors, starting at index first; there are 128. */
void pica_emit_operand_descriptors(struct pica_emit *e, enum pica_unit unit, uint32_t first,
		const uint32_t *descriptors, size_t n);
/* Sets the word index of the first instruction. */
void pica_emit_entry_point(struct pica_emit *e, enum pica_unit unit, uint32_t pc);
/* Sets b0..b15 from bits 0..15. */
void pica_emit_bool_uniforms(struct pica_emit *e, enum pica_unit unit, uint32_t bits);
/* Sets i<index> (0..3); x, y, z and w are 0..255. */
void pica_emit_int_uniform(struct pica_emit *e, enum pica_unit unit, unsigned index, uint32_t x,
		uint32_t y, uint32_t z, uint32_t w);
/*
 * Set n float uniforms, starting at c<first>; there are 96. Each is four floats: x, y, z, w. The
 * first function truncates them to f24 and sends 3 words each; the second sends binary32, 4 words
 * each, which the GPU truncates.
 */
void pica_emit_float_uniforms(struct pica_emit *e, enum pica_unit unit, uint32_t first,
		const float *xyzw, size_t n);
void pica_emit_float_uniforms_f32(struct pica_emit *e, enum pica_unit unit, uint32_t first,
		const float *xyzw, size_t n);

/* The use of a shader output, numbered as in the output table of a .shbin. */
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
 * Sets the output map of the program that feeds the rasteriser; unit is VS without a geometry
 * shader, else GS. Several entries may share a register; they may use 1 to 7 registers (-EINVAL).
 * Writes the unit's OUTMAP_MASK, the output slots, their number and the attribute clocks; for the
 * vertex unit also VSH_OUTMAP_TOTAL1/2.
 */
void pica_emit_outputs(struct pica_emit *e, enum pica_unit unit, const struct pica_output *outputs,
		unsigned n);
/* Sets the outputs of a vertex shader that feeds a geometry shader: bit i is o<i>; at least one. */
void pica_emit_vs_output_mask(struct pica_emit *e, uint32_t mask);

struct pica_geometry {
	uint32_t mode;                /* PICA_GS_MODE_* */
	unsigned inputs;              /* input registers that point mode gathers, 1..16 */
	unsigned vs_outputs;          /* output registers of the vertex shader, 1..16 */
	unsigned fixed_first_uniform; /* fixed mode: vertices are stored from c<n> on */
	unsigned fixed_vertices;      /* fixed mode: vertices per run, 1..16 */
	unsigned variable_main;       /* variable mode: vertices stored whole, 1..32 */
};

/*
 * Enables the geometry shader, or disables it (g is NULL). Call this before any upload to either
 * unit: while it is disabled, uploads to the vertex unit are copied to the geometry unit.
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
	uint32_t fixed_mask; /* bit i: attribute i is fixed */
	unsigned n_loaders;
	struct pica_attribute_loader loader[PICA_MAX_LOADERS];
};

/* Sets the vertex arrays (registers 200-226); calls pica_emit_inputs() with the identity. */
void pica_emit_attributes(struct pica_emit *e, const struct pica_attributes *a);
/*
 * Maps the n (1..16) attributes of a vertex to input registers: nibble i of permutation is the
 * register of attribute i; PICA_IDENTITY_INPUTS maps attribute i to v<i>. Immediate mode needs only
 * this, not pica_emit_attributes().
 */
void pica_emit_inputs(struct pica_emit *e, unsigned n, uint64_t permutation);
#define PICA_IDENTITY_INPUTS UINT64_C(0xFEDCBA9876543210)

/* Sets the value of fixed attribute index (0..11). */
void pica_emit_fixed_attribute(struct pica_emit *e, unsigned index, float x, float y, float z,
		float w);

/* Draws count vertices, starting at first. primitive: PICA_PRIMITIVE_*. */
void pica_emit_draw_arrays(struct pica_emit *e, uint32_t primitive, uint32_t first, uint32_t count);
/*
 * Draws count indices, 16-bit if is_u16, else 8-bit. The index buffer begins index_offset bytes
 * after the base of the attributes.
 */
void pica_emit_draw_elements(struct pica_emit *e, uint32_t primitive, uint32_t index_offset,
		bool is_u16, uint32_t count);
/*
 * Draw vertices that are stored in the list itself. Call begin, then pass the attributes of each
 * vertex in order, four floats x, y, z, w each, then call end. The n attributes of a call may be
 * part of a vertex or span several.
 */
void pica_emit_immediate_begin(struct pica_emit *e, uint32_t primitive);
void pica_emit_immediate(struct pica_emit *e, const float *xyzw, size_t n);
void pica_emit_immediate_end(struct pica_emit *e);

/* ---- Target, viewport, rasteriser ---- */

/*
 * Sets a plain state: no culling, scissor, clip plane, depth, stencil or alpha test; depth is -z/w;
 * all channels and depth are written and the source replaces the destination; no texture, lighting
 * or fog; the combiner outputs the primary colour. Does not change shaders, attributes, target or
 * viewport.
 */
void pica_emit_defaults(struct pica_emit *e);

struct pica_framebuffer {
	uint32_t color_addr;   /* a multiple of 64; 0: colour is neither read nor written */
	uint32_t depth_addr;   /* a multiple of 64; 0: depth and stencil likewise */
	uint32_t color_format; /* PICA_COLOR_FORMAT_* */
	uint32_t depth_format; /* PICA_DEPTH_FORMAT_* */
	uint32_t width;        /* 8..1024, a multiple of 8 */
	uint32_t height;       /* 1..1024 */
	bool bottom_row_first; /* the first row in memory is the bottom one, not the top one */
	bool block32;          /* 32x32 blocks instead of 8x8 tiles */
};

/* Sets the target of subsequent draws and enables reading and writing of its buffers. */
void pica_emit_framebuffer(struct pica_emit *e, const struct pica_framebuffer *fb);
/* Writes the GPU's caches back. Call this after the last draw to a target. */
void pica_emit_flush(struct pica_emit *e);
/* Sets the viewport. x and y: -512..511; width and height: 1..1024. */
void pica_emit_viewport(struct pica_emit *e, int x, int y, unsigned width, unsigned height);
/* Sets the scissor. mode: PICA_SCISSOR_*; the corners are inclusive, 0..1023. */
void pica_emit_scissor(struct pica_emit *e, uint32_t mode, unsigned x1, unsigned y1, unsigned x2,
		unsigned y2);
/* Sets depth = z/w * scale + offset (PICA_DEPTHMAP_Z), or that times w (_W). Usually -1 and 0. */
void pica_emit_depth_map(struct pica_emit *e, uint32_t mode, float scale, float offset);
/* Sets the culling. mode: PICA_CULL_*. */
void pica_emit_cull(struct pica_emit *e, uint32_t mode);
/* Clips to a*x + b*y + c*z + d*w >= 0 in clip space; with abcd NULL, disables the plane. */
void pica_emit_clip_plane(struct pica_emit *e, const float *abcd);

/* ---- Textures ---- */

struct pica_texture {
	uint32_t addr;     /* a multiple of 8; of a cube, face +X */
	uint32_t faces[5]; /* cubes: -X, +Y, -Y, +Z, -Z, in the same 32 MiB as addr */
	uint32_t width;    /* 8..1024, a power of two */
	uint32_t height;
	uint32_t format;   /* PICA_TEXTURE_FORMAT_* */
	uint32_t type;     /* PICA_TEXTURE_TYPE_* for unit 0; 0 for the others */
	uint32_t mag, min, mip;  /* PICA_FILTER_* */
	uint32_t wrap_s, wrap_t; /* PICA_WRAP_* */
	uint32_t border;
	float lod_bias;    /* -16..15.99 */
	unsigned min_level, max_level; /* 0..15; max_level 0: no mipmaps */
};

/* Sets the texture of a unit, 0..2. Does not enable the unit. */
void pica_emit_texture(struct pica_emit *e, unsigned unit, const struct pica_texture *t);
/*
 * Enables the units in mask (bit 3 is the procedural one), disables the others and clears the
 * texture cache, so that changed texels are seen. coord3: the coordinates that unit 3 uses, 0..2;
 * unit2_coord1: unit 2 uses coordinates 1 instead of 2.
 */
void pica_emit_texture_units(struct pica_emit *e, uint32_t mask, unsigned coord3,
		bool unit2_coord1);

/* ---- The procedural texture ---- */

enum { PICA_PROCTEX_LEVELS = 8 };

/*
 * Unit 3 computes its colour from two texture coordinates and tables, in these steps:
 *
 *   |u|, |v|  ->  noise is added  ->  shift  ->  clamp to 0..1  ->  a function of both
 *             ->  RGB map  ->  colour table
 *             ->  (another function  ->  alpha map  ->  alpha, with separate_alpha)
 *
 * pica_emit_texture_units() enables the unit and selects its coordinates. Its colour is the
 * combiner's source PICA_TEV_SOURCE_TEXTURE3. The tables are uploaded separately, see below.
 */
struct pica_proctex {
	uint32_t u_clamp, v_clamp;       /* PICA_PROCTEX_CLAMP_* */
	/*
	 * PICA_PROCTEX_SHIFT_*: adds 1/2 to u (1 with PICA_PROCTEX_CLAMP_MIRRORED_REPEAT) where
	 * v, before noise, is in 2..4 (odd) or 1..3 (even) modulo 4; likewise to v, by u.
	 */
	uint32_t u_shift, v_shift;
	uint32_t rgb_map, alpha_map;     /* PICA_PROCTEX_MAP_*: the functions */
	bool separate_alpha;             /* alpha is from alpha_map, not the colour table */
	bool noise;
	float u_amplitude, v_amplitude;  /* of the noise: at least -8, less than 8 */
	float u_phase, v_phase;          /* 16-bit floats, as those below: +-65504, truncated */
	float u_frequency, v_frequency;  /* 1: nine noise cells per unit */
	uint32_t filter;                 /* of the colour table: PICA_PROCTEX_FILTER_* */
	/* 0..15, levels above 7 act as 7; for filters with mipmapping */
	unsigned min_lod, max_lod;
	/*
	 * Level = log2(|width * lod_bias| * (du + dv)); du is the larger of the two steps of u per
	 * pixel, in x and in y; dv likewise. 1: one entry per pixel; 0: always level 0.
	 */
	float lod_bias;
	/* entries of level 0 in the colour table, 0..255; each level has half of the previous */
	unsigned width;
	uint8_t offset[PICA_PROCTEX_LEVELS]; /* first entry of each level */
};

/*
 * Fills *p with clamp to edge, no shift, no noise (frequencies 1), RGB by u, no separate alpha, a
 * linear filter without mipmaps, and the usual colour table: 128 entries, then levels 1 to 7.
 */
void pica_proctex_init(struct pica_proctex *p);
/* Sets unit 3 (registers 0A8-0AE). -EINVAL if a value is outside the ranges above. */
void pica_emit_proctex(struct pica_emit *e, const struct pica_proctex *p);
/*
 * Computes the entries of a whole map (noise, RGB, alpha) from its values at 0, 1/128 .. 1. Values
 * are clamped to 0..1, and steps between them to +-0.5, the range of the table.
 */
void pica_proctex_map(uint32_t entries[128], const float values[129]);
/*
 * Computes the entries of the colour difference table for n consecutive colours of one level, with
 * which a linear filter leads from each to the next, within 1/255 because the table holds halved
 * differences. The last difference is 0. differences and colors must not overlap.
 */
void pica_proctex_color_differences(uint32_t *differences, const uint32_t *colors, size_t n);
/* Uploads n colours and their differences, starting at entry first; there are 256. */
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
/* Sets stage 0..5. tev NULL: the stage passes the previous one through. */
void pica_emit_tev(struct pica_emit *e, unsigned stage, const struct pica_tev *tev);
/* Bit s: stage s (0..3) writes its RGB or alpha to the combiner buffer, initially color. */
void pica_emit_tev_buffer(struct pica_emit *e, uint32_t rgb_stages, uint32_t alpha_stages,
		uint32_t color);
/*
 * mode: PICA_FOG_MODE_*. color: R in bits 0-7, G, B; the fourth byte is ignored. flip_depth: the
 * table is read at 1 - depth. Depth is the value that the depth buffer receives (0 to 1, 1 is near
 * as pica_emit_defaults() maps it), even if the depth test is off.
 */
void pica_emit_fog(struct pica_emit *e, uint32_t mode, bool flip_depth, uint32_t color);

/* ---- Lighting ---- */

/*
 * Up to eight lights produce two colours per fragment: the combiner's sources
 * PICA_TEV_SOURCE_FRAGMENT_PRIMARY and _SECONDARY. Their alpha is 1 unless Fresnel or a shadow sets
 * it.
 *
 *   primary   = ambient +
 *               sum of (diffuse * max(N.L, 0) * shadow + the light's ambient) * spot * distance
 *   secondary = sum of (specular0 * D0 * g + specular1 * D1 * (RR, RG, RB) * g) *
 *               spot * distance * shadow
 *
 * The client uploads the tables D0, D1, RR, RG, RB and FR, and one SP and one DA per light; a table
 * that is not in use is 1. Two outputs of the vertex program describe the surface: a quaternion
 * that turns (0, 0, 1) into the normal and (1, 0, 0) into the tangent (PICA_OUTPUT_QUATERNION), and
 * the view vector from the surface to the eye (PICA_OUTPUT_VIEW). Both are in the space of the
 * lights, which is eye space. They need not have length 1.
 */

/* How a table is looked up. */
struct pica_light_lookup {
	bool enable;
	/* PICA_LIGHT_INPUT_*, of N, V, L, half vector H and spot; cos-phi only with layers 8 */
	uint32_t input;
	uint32_t scale;  /* PICA_LIGHT_SCALE_*, of the result */
	/*
	 * The table covers inputs -1..1. If false, it covers 0..1 and is read at max(input, 0), or
	 * |input| for a two-sided light.
	 */
	bool is_signed;
};

struct pica_lighting {
	unsigned count;   /* lights in use, 1..8 */
	uint8_t order[8]; /* their numbers; Fresnel uses the last one in use */
	uint32_t ambient; /* added once */
	/*
	 * The tables that exist: 0 D0 RR SP, 1 FR RR SP, 2 D0 D1 RR, 3 D0 D1 FR, 4 all but FR, 5
	 * all but D1, 6 all but RG RB, 8 all. DA always exists. RG and RB default to RR if they do
	 * not exist or are not enabled.
	 */
	uint32_t layers;
	struct pica_light_lookup d0, d1, fr, rr, rg, rb;
	struct pica_light_lookup sp; /* shared by all lights; enable is ignored */
	/* Bit i: light i. */
	uint8_t spot_lights;         /* dimmed by SP */
	uint8_t distance_lights;     /* dimmed by DA */
	uint8_t shadow_lights;       /* dimmed by the shadow factor */
	bool fresnel_primary, fresnel_secondary; /* FR (and shadow_alpha) set that alpha */
	bool clamp_highlights;       /* no highlight where N.L is not positive */
	/* PICA_BUMP_*: the texel is the normal or tangent; 0..255 stands for -1..1 */
	uint32_t bump;
	unsigned bump_unit;          /* 0..3 */
	bool bump_keep_z;            /* false: z is computed from x and y (normals only) */
	/*
	 * Shadow: the texel of a unit is the shadow factor for R, G, B and alpha. Unit 0 can
	 * compare with a shadow map.
	 */
	bool shadow, shadow_invert;
	unsigned shadow_unit;
	bool shadow_primary, shadow_secondary, shadow_alpha; /* what the factor multiplies */
};

/*
 * Fills *l with light 0 alone, layers 0, no table, no map and no shadow. The lookups are set to
 * signed, scale 1, and input N.H (SP: spot, FR: N.V).
 */
void pica_lighting_init(struct pica_lighting *l);
/*
 * Sets lighting (registers 08F, 1C0-1C6, 1D0-1D9). l NULL: disables it. -EINVAL if a value is
 * outside the ranges above.
 */
void pica_emit_lighting(struct pica_emit *e, const struct pica_lighting *l);

struct pica_light {
	uint32_t specular0, specular1, diffuse, ambient; /* colours; alpha is ignored */
	/*
	 * The light's position; if directional, the direction to the light, of any length. Within
	 * +-65504; 11 bits are kept.
	 */
	float position[3];
	float spot[3];       /* its direction, components -1..1; the input is dot(-L, spot) */
	bool is_directional;
	bool is_two_sided;   /* also lights back sides: |N.L| */
	/* specular 0 and 1 are dimmed by min(N.L / H.H, 1), H = L + V */
	bool geometric0, geometric1;
	float distance_scale, distance_bias; /* DA is looked up by distance * scale + bias, 0..1 */
};

/*
 * Fills *l with a directional light of white diffuse colour from the eye: position (0, 0, 1), spot
 * (0, 0, -1), distance_scale 1.
 */
void pica_light_init(struct pica_light *l);
/* Sets distance_scale and distance_bias so that DA's input is 0 at distance near and 1 at far. */
void pica_light_distance(struct pica_light *l, float near, float far);
/* Sets light 0..7. -EINVAL if id or a value is outside its range. */
void pica_emit_light(struct pica_emit *e, unsigned id, const struct pica_light *l);

/*
 * Computes all 256 words of a lighting table from its values at 0, 1/256 .. 1 or, if signed, at
 * -1, -127/128 .. 1. Values are clamped to 0..1; NaN is 0. They are rounded to the table's 1/4095
 * first and the differences are those of the rounded values, so that an entry ends exactly where
 * the next one starts.
 */
void pica_light_lut(uint32_t entries[256], bool is_signed, const float values[257]);
/* Does the same from a function of the input. */
void pica_light_lut_from(uint32_t entries[256], bool is_signed, float (*f)(float input, void *arg),
		void *arg);

/* ---- Tables ---- */

/* Uploads n entries from first on. table: PICA_LIGHT_TABLE_*, SP and DA plus the light's number. */
void pica_emit_light_lut(struct pica_emit *e, uint32_t table, uint32_t first,
		const uint32_t *entries, size_t n);
/* Uploads n entries of 128. */
void pica_emit_fog_lut(struct pica_emit *e, uint32_t first, const uint32_t *entries, size_t n);
/* Uploads n entries of 128 (colour tables: 256). table: PICA_PROCTEX_TABLE_*. */
void pica_emit_proctex_lut(struct pica_emit *e, uint32_t table, uint32_t first,
		const uint32_t *entries, size_t n);
/* Uploads n entries of 16: 8 differences, then 8 colours. */
void pica_emit_gas_lut(struct pica_emit *e, uint32_t first, const uint32_t *entries, size_t n);

/*
 * Return an entry of these tables: a value, 0..1, and the difference to the next one, -1..1 (fog:
 * -2..2; maps of the procedural texture: -0.5..0.5). Both are clamped, and scaled as the console's
 * libraries do.
 */
uint32_t pica_light_lut_entry(float value, float difference);
uint32_t pica_fog_lut_entry(float value, float difference);
uint32_t pica_proctex_map_entry(float value, float difference);

/*
 * Computes all 128 words of a fog table. keep(depth, arg) returns the fraction of the fragment's
 * colour that remains, 0..1 (clamped; NaN is 0). It is called for depth i/128, i = 0..128; the fog
 * is linear in between. Values are rounded to the table's 1/2047 first and the differences are
 * those of the rounded values, so that an entry ends exactly where the next one starts.
 */
void pica_fog_lut_from(uint32_t entries[128], float (*keep)(float depth, void *arg), void *arg);
/*
 * Computes all 16 words of a gas table from its colours (R lowest) at 0, 1/8 .. 1. Differences have
 * steps of 2/255.
 */
void pica_gas_lut_from(uint32_t entries[16], const uint32_t colors[9]);

/* ---- Fragment tests and output ---- */

/* Keeps fragments with alpha FUNC ref. func: PICA_COMPARE_*; ref: 0..255. */
void pica_emit_alpha_test(struct pica_emit *e, bool enable, uint32_t func, uint32_t ref);
/* Passes where (ref & compare_mask) FUNC (stored & compare_mask). */
void pica_emit_stencil_test(struct pica_emit *e, bool enable, uint32_t func, uint32_t ref,
		uint32_t compare_mask, uint32_t write_mask);
/* Sets the three operations, PICA_STENCIL_OP_*. */
void pica_emit_stencil_op(struct pica_emit *e, uint32_t fail, uint32_t depth_fail, uint32_t pass);
/* Passes where fragment depth FUNC stored depth. color_mask: channels written, bit 0 is R. */
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
 * SHADOW draws into a shadow map: a colour buffer of 4 bytes per pixel (PICA_COLOR_FORMAT_RGBA8),
 * 24 bits of depth, high byte first, then density. Clear it with 0xFFFFFFFF (far, lit). The depth
 * buffer, tests, blending and masks are not used. A fragment nearer than the map stores its depth
 * if the combiner's green is 0; else it lowers the density to green / (constant + linear * x),
 * where x is its depth divided by the stored depth. pica_emit_shadow() sets constant and linear;
 * for a penumbra, constant is its scale plus bias, and linear is -scale.
 */
void pica_emit_fragment_mode(struct pica_emit *e, uint32_t mode);
void pica_emit_shadow(struct pica_emit *e, float constant, float linear);
/*
 * Sets how unit 0 reads a shadow map (PICA_TEXTURE_TYPE_SHADOW_2D, _CUBE). The compared depth is w
 * of coordinates 0 (CUBE: the largest magnitude of the direction's components) minus bias, which is
 * 0..1 in steps of 2^-23. divide: the coordinates are divided by w, for a light nearby.
 */
void pica_emit_shadow_texture(struct pica_emit *e, bool divide, float bias);

/*
 * Gas. The effect of these registers on hardware is not known; docs/fidelity.md, section 1, "Gas",
 * describes what libpica does.
 *
 * Starts accumulation: sets fragment mode GAS and resets the maximum in register 0x125. The mode
 * adds the combiner's red to the densities in a colour buffer of 4 bytes per pixel, cleared with 0.
 * func: PICA_GAS_DEPTH_*, against the depth buffer, which is not written. The depth density gets
 * red * min(depth difference * delta_z, 1); delta_z is 0..65535, in steps of 1/256.
 */
void pica_emit_gas_accumulation(struct pica_emit *e, uint32_t func, float delta_z);

/* A light: its input * (1 - attenuation * density) blends from min to max; all 0..1. */
struct pica_gas_light {
	float min, max, attenuation;
};

struct pica_gas {
	struct pica_gas_light planar; /* its input is the combiner's red */
	struct pica_gas_light view;   /* its input is effect */
	float effect;                 /* of the light in the line of sight, 0..1 */
	bool by_light;                /* the table is indexed by light, not by density */
	bool depth_density;           /* uses the density that depth attenuates */
	float density_max;            /* the density that counts as 1; above 0 */
	/* alpha is the fog table's value at density * attenuation */
	float attenuation;
};

/*
 * Starts shading: sets fog mode GAS, in which unit 0 samples the densities with nearest filters and
 * the fragment takes the colour of the gas. pica_emit_fog() ends it. Colours come from the table of
 * pica_emit_gas_lut(), alpha from that of pica_emit_fog_lut().
 */
void pica_emit_gas_shading(struct pica_emit *e, const struct pica_gas *gas);

#ifdef __cplusplus
}
#endif

#endif
