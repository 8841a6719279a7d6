/*
 * Writing control lists of the VideoCore IV, and the records in memory to which they refer.
 *
 * A struct pica_vc4_emit is a buffer of bytes that grows as needed, or one that the caller
 * supplies. The functions append to it. A job has two lists, one for binning and one for
 * rendering. To run them, copy both, with the shader records, vertices and programs, to memory that
 * the GPU can address, and submit a PICA_OP_CONTROL_LISTS job (pica_job.h).
 *
 *	struct pica_vc4_frame f;
 *	pica_vc4_frame_init(&f, 0x00110000, 640, 480);
 *	f.tile_lists = 0x00102000;
 *	f.tile_state = 0x00101000;
 *	f.clear_color = 0xFF000000;
 *	pica_vc4_emit_binning_begin(&binning, &f);
 *	pica_vc4_emit_named(&binning, "CONFIGURATION_BITS", "DRAW_FRONT=1 DRAW_BACK=1");
 *	pica_vc4_emit_gl_shader_state(&binning, 0x00100800, 2);
 *	pica_vc4_emit_draw_arrays(&binning, PICA_VC4_MODE_TRIANGLES, 0, 3);
 *	pica_vc4_emit_binning_end(&binning);
 *	pica_vc4_emit_rendering(&rendering, &f);
 *	if (pica_vc4_emit_error(&binning) == 0 && pica_vc4_emit_error(&rendering) == 0) {
 *		use(binning.bytes, binning.size, rendering.bytes, rendering.size);
 *	}
 *
 * The reference for records, fields and named values is vc4/pica_vc4_records.def, which is
 * installed beside this header. PICA_VC4_<RECORD> is the first byte of a record,
 * PICA_VC4_<ENUM>_<VALUE> a value.
 *
 * Errors are sticky: the first one is kept in e.error, later calls append nothing, and the list
 * still consists of whole records:
 *   -ENOMEM  out of memory                      -ENOSPC  the caller's buffer is full
 *   -EINVAL  an argument outside its range; malformed text
 *   -ENOENT  a name that does not exist         -ERANGE  a value that does not fit its field
 *
 * Addresses are bus addresses. Row 0 of a target is its first row in memory.
 *
 * Threads: an emitter belongs to one thread at a time. C11 and C++17.
 */
#ifndef PICA_VC4_EMIT_H
#define PICA_VC4_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VC4_RECORD(op, name, size, lists, state) PICA_VC4_##name = (op),
enum {
#include "vc4/pica_vc4_records.def"
};

#define VC4_VALUE(values, name, value, text) PICA_VC4_##values##_##name = (value),
enum {
#include "vc4/pica_vc4_records.def"
};

/* ---- The list ---- */

struct pica_vc4_emit {
	uint8_t *bytes;  /* the list so far; moves when it grows */
	size_t size;     /* bytes in it */
	size_t capacity; /* bytes that fit */
	int error;       /* 0, or the first error */
	bool is_fixed;   /* bytes belongs to the caller */
};

/* Initializes an empty list that grows. */
void pica_vc4_emit_init(struct pica_vc4_emit *e);
/* Initializes an empty list in a buffer that the caller owns. */
void pica_vc4_emit_init_fixed(struct pica_vc4_emit *e, void *bytes, size_t capacity);
/* Frees the memory that the list owns. e may be NULL or already finished. */
void pica_vc4_emit_finish(struct pica_vc4_emit *e);
/* Empties the list and forgets the error; keeps the memory. */
void pica_vc4_emit_reset(struct pica_vc4_emit *e);
/* Returns 0 or the first error. */
int pica_vc4_emit_error(const struct pica_vc4_emit *e);

/* Appends bytes unchanged: records, code, vertices. */
void pica_vc4_emit_bytes(struct pica_vc4_emit *e, const void *bytes, size_t size);
/* Appends zeros up to a multiple of alignment: 1, 2, 4 .. 4096. Shader records need 16. */
void pica_vc4_emit_align(struct pica_vc4_emit *e, size_t alignment);

/* ---- Records ---- */

/*
 * Appends a record with the n values of its fields, in the order of the table. Signed values are
 * 32-bit two's complement, FX4 counts sixteenths, F32 is the bits of a float and F16 their upper
 * half. -EINVAL if op is not a record or its size varies, or n is not the number of its fields.
 */
void pica_vc4_emit_record(struct pica_vc4_emit *e, uint32_t op, const uint32_t *values, size_t n);
/*
 * Appends a record, or a record in memory, by name. fields is like "LEFT=0 BOTTOM=0, WIDTH=640
 * HEIGHT=480": values are texts of the table, integers, and for FX4, F32 and F16 decimals. An F32
 * or F16 that begins with "0x" is the bits of the field. Unnamed fields become 0.
 */
void pica_vc4_emit_named(struct pica_vc4_emit *e, const char *record, const char *fields);
/* Returns the bits of a float, for F32 fields. */
uint32_t pica_vc4_f32(float value);

/* Set the shader record of subsequent draws. address: a multiple of 16; n_arrays: 1 to 8. */
void pica_vc4_emit_gl_shader_state(struct pica_vc4_emit *e, uint32_t address, unsigned n_arrays);
void pica_vc4_emit_nv_shader_state(struct pica_vc4_emit *e, uint32_t address);

/* Draws. mode: PICA_VC4_MODE_*. index_bytes: 1 or 2. A draw may use vertices 0 to 65534. */
void pica_vc4_emit_draw_arrays(struct pica_vc4_emit *e, uint32_t mode, uint32_t first,
		uint32_t count);
void pica_vc4_emit_draw_indexed(struct pica_vc4_emit *e, uint32_t mode, unsigned index_bytes,
		uint32_t address, uint32_t count, uint32_t max_index);

/*
 * Set OpenGL's viewport and depth range, for clipped primitives; programs do their own scaling and
 * offset. pica_vc4_emit_viewport() sets, in pixels and rows of memory, the clip window, the offset
 * of its centre and the clipper's scale. pica_vc4_emit_depth_range() sets the clipping planes of Z
 * and its mapping from clip to screen space.
 */
void pica_vc4_emit_viewport(struct pica_vc4_emit *e, uint32_t left, uint32_t bottom,
		uint32_t width, uint32_t height);
void pica_vc4_emit_depth_range(struct pica_vc4_emit *e, float near, float far);

/* ---- Records in memory ---- */

struct pica_vc4_program {
	uint32_t code, uniforms; /* addresses; code: a multiple of 8 */
	uint32_t arrays;         /* bit i: array i is an input; ignored for fragment programs */
};

struct pica_vc4_array {
	uint32_t address;       /* of vertex 0 */
	uint32_t stride;        /* bytes, 0 to 255 */
	uint32_t size;          /* bytes per vertex, 1 to 256 */
};

struct pica_vc4_gl_shader {
	struct pica_vc4_program fragment, vertex, coordinate;
	uint32_t n_varyings;
	bool point_size;        /* shaded vertices include a point size */
	bool clip;
	unsigned n_arrays;      /* 1 to 8 */
	struct pica_vc4_array array[8];
};

struct pica_vc4_nv_shader {
	struct pica_vc4_program fragment;
	uint32_t vertices;      /* address */
	uint32_t stride;        /* bytes, 0 to 255 */
	uint32_t n_varyings;
	bool point_size, clip;
	bool clip_header;       /* clip coordinates come first; then vertices is a multiple of 16 */
};

/*
 * Append the record of a shader, whose address must be a multiple of 16. The arrays of a program
 * are consecutive in its rows of the VPM; each starts a new row.
 */
void pica_vc4_emit_gl_record(struct pica_vc4_emit *e, const struct pica_vc4_gl_shader *s);
void pica_vc4_emit_nv_record(struct pica_vc4_emit *e, const struct pica_vc4_nv_shader *s);

/* ---- Frames ---- */

struct pica_vc4_frame {
	uint32_t target;         /* a multiple of 16 */
	uint32_t width, height;  /* pixels */
	uint32_t format;         /* PICA_VC4_TARGET_* */
	uint32_t layout;         /* PICA_VC4_LAYOUT_* */
	bool multisample;        /* four samples, tiles of 32x32 instead of 64x64 pixels */
	uint32_t tile_lists;     /* address of pica_vc4_frame_bytes() bytes for the chip */
	uint32_t tile_state;     /* address of 48 bytes per tile for the chip */
	bool load;               /* start from the contents of the target, not from clear_color */
	uint32_t clear_color;    /* a word as in memory: R lowest in RGBA8888 */
	uint32_t clear_z;        /* 24 bits */
	uint32_t clear_stencil;
};

/* Fills *f with a raster target of RGBA8888, clear colour 0, Z 0xFFFFFF, and no tile memory (0). */
void pica_vc4_frame_init(struct pica_vc4_frame *f, uint32_t target, uint32_t width,
		uint32_t height);
/* Returns the number of tiles of the target; -EINVAL if it has none, or more than 255 per side. */
int pica_vc4_frame_tiles(const struct pica_vc4_frame *f, unsigned *columns, unsigned *rows);
/* Returns the size of tile_lists in bytes, or 0 if pica_vc4_frame_tiles() fails. */
uint32_t pica_vc4_frame_bytes(const struct pica_vc4_frame *f);

/* Begins a binning list: sets the mode, starts binning and sets the clip window to the target. */
void pica_vc4_emit_binning_begin(struct pica_vc4_emit *e, const struct pica_vc4_frame *f);
/* Ends the binning list, so that the rendering list, which waits for it, continues. */
void pica_vc4_emit_binning_end(struct pica_vc4_emit *e);
/* Writes a whole rendering list, which clears or loads, draws and stores each tile, row by row. */
void pica_vc4_emit_rendering(struct pica_vc4_emit *e, const struct pica_vc4_frame *f);

#ifdef __cplusplus
}
#endif

#endif
