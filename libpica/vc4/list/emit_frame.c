/* Writing lists: draws, shader records, whole frames. */
#include <errno.h>
#include <string.h>

#include "core/base/attributes.h"
#include "vc4/list/emit.h"
#include "vc4/list/record.h"

enum { MAX_TILES = 255, BLOCK_BYTES = 32, ROW_BYTES = 4, SIXTEENTHS = 16 };

#define RECORD(e, op, ...) \
	pica_vc4_emit_record(e, op, (const uint32_t[]){ __VA_ARGS__ }, \
			sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

PICA_EXPORT void pica_vc4_emit_gl_shader_state(struct pica_vc4_emit *e, uint32_t address,
		unsigned n_arrays) {
	if (n_arrays == 0 || n_arrays > 8) {
		vc4_emit_fail(e, -EINVAL);
	}
	RECORD(e, VC4_OP_GL_SHADER_STATE, n_arrays & 7, 0, address);
}

PICA_EXPORT void pica_vc4_emit_nv_shader_state(struct pica_vc4_emit *e, uint32_t address) {
	RECORD(e, VC4_OP_NV_SHADER_STATE, address);
}

PICA_EXPORT void pica_vc4_emit_draw_arrays(struct pica_vc4_emit *e, uint32_t mode, uint32_t first,
		uint32_t count) {
	if (mode > VC4_MODE_TRIANGLE_FAN) {
		vc4_emit_fail(e, -EINVAL);
	}
	RECORD(e, VC4_OP_ARRAY_PRIMITIVES, mode, count, first);
}

PICA_EXPORT void pica_vc4_emit_draw_indexed(struct pica_vc4_emit *e, uint32_t mode,
		unsigned index_bytes, uint32_t address, uint32_t count, uint32_t max_index) {
	if (mode > VC4_MODE_TRIANGLE_FAN || index_bytes == 0 || index_bytes > 2) {
		vc4_emit_fail(e, -EINVAL);
	}
	RECORD(e, VC4_OP_INDEXED_PRIMITIVES, mode, index_bytes == 2 ? VC4_INDEX_16 : VC4_INDEX_8,
			count, address, max_index);
}

PICA_EXPORT void pica_vc4_emit_viewport(struct pica_vc4_emit *e, uint32_t left, uint32_t bottom,
		uint32_t width, uint32_t height) {
	if (left > UINT16_MAX || bottom > UINT16_MAX || width > UINT16_MAX || height > UINT16_MAX) {
		vc4_emit_fail(e, -ERANGE);
	}
	RECORD(e, VC4_OP_CLIP_WINDOW, left, bottom, width, height);
	RECORD(e, VC4_OP_CLIPPER_XY_SCALING, pica_vc4_f32((float)width * (SIXTEENTHS / 2)),
			pica_vc4_f32((float)height * (SIXTEENTHS / 2)));
	RECORD(e, VC4_OP_VIEWPORT_OFFSET, left * SIXTEENTHS + width * (SIXTEENTHS / 2),
			bottom * SIXTEENTHS + height * (SIXTEENTHS / 2));
}

PICA_EXPORT void pica_vc4_emit_depth_range(struct pica_vc4_emit *e, float near, float far) {
	const bool is_reversed = near > far;
	RECORD(e, VC4_OP_Z_CLIPPING_PLANES, pica_vc4_f32(is_reversed ? far : near),
			pica_vc4_f32(is_reversed ? near : far));
	RECORD(e, VC4_OP_CLIPPER_Z_SCALE_OFFSET, pica_vc4_f32((far - near) / 2),
			pica_vc4_f32((far + near) / 2));
}

/* ---- Records in memory ---- */

/* Sets a field of the record at r, by its name; NULL, after an error, is allowed. */
static void set(struct pica_vc4_emit *e, const char *record, uint8_t *r, const char *name,
		uint32_t value) {
	const struct vc4_field *f = vc4_record_named(record)->fields;
	while (strcmp(f->name, name) != 0) {
		f++;
	}
	if (r && vc4_field_set(f, r, value) < 0) {
		vc4_emit_fail(e, -ERANGE);
	}
}

#define SET(e, record, r, field, value) \
	((void)VC4_##record##_##field, set(e, #record, r, #field, value))

/* Returns the bytes, in whole rows, of a program's arrays before array n. */
static uint32_t input_bytes(const struct pica_vc4_gl_shader *s, const struct pica_vc4_program *p,
		unsigned n) {
	uint32_t bytes = 0;
	for (unsigned i = 0; i < n; i++) {
		if (p->arrays >> i & 1) {
			bytes += (s->array[i].size + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES;
		}
	}
	return bytes;
}

static bool is_valid(const struct pica_vc4_gl_shader *s) {
	if (s->n_arrays == 0 || s->n_arrays > 8 ||
			(s->vertex.arrays | s->coordinate.arrays) >> s->n_arrays) {
		return false;
	}
	for (unsigned i = 0; i < s->n_arrays; i++) {
		if (s->array[i].size == 0 || s->array[i].size > 256) {
			return false;
		}
	}
	return true;
}

PICA_EXPORT void pica_vc4_emit_gl_record(struct pica_vc4_emit *e,
		const struct pica_vc4_gl_shader *s) {
	if (!is_valid(s)) {
		vc4_emit_fail(e, -EINVAL);
		return;
	}
	const size_t size = e->size;
	uint8_t *r = vc4_emit_room(e, VC4_SIZE_GL_SHADER_RECORD +
			s->n_arrays * (size_t)VC4_SIZE_ATTRIBUTE_ARRAY);
	SET(e, GL_SHADER_RECORD, r, POINT_SIZE, s->point_size);
	SET(e, GL_SHADER_RECORD, r, CLIP, s->clip);
	SET(e, GL_SHADER_RECORD, r, VARYINGS, s->n_varyings);
	SET(e, GL_SHADER_RECORD, r, CODE, s->fragment.code);
	SET(e, GL_SHADER_RECORD, r, UNIFORMS, s->fragment.uniforms);
	SET(e, GL_SHADER_RECORD, r, VS_ARRAYS, s->vertex.arrays);
	SET(e, GL_SHADER_RECORD, r, VS_SIZE, input_bytes(s, &s->vertex, s->n_arrays));
	SET(e, GL_SHADER_RECORD, r, VS_CODE, s->vertex.code);
	SET(e, GL_SHADER_RECORD, r, VS_UNIFORMS, s->vertex.uniforms);
	SET(e, GL_SHADER_RECORD, r, CS_ARRAYS, s->coordinate.arrays);
	SET(e, GL_SHADER_RECORD, r, CS_SIZE, input_bytes(s, &s->coordinate, s->n_arrays));
	SET(e, GL_SHADER_RECORD, r, CS_CODE, s->coordinate.code);
	SET(e, GL_SHADER_RECORD, r, CS_UNIFORMS, s->coordinate.uniforms);
	for (unsigned i = 0; i < s->n_arrays; i++) {
		uint8_t *a = r ? r + VC4_SIZE_GL_SHADER_RECORD + i * VC4_SIZE_ATTRIBUTE_ARRAY :
				NULL;
		const bool is_vertex = s->vertex.arrays >> i & 1;
		const bool is_coordinate = s->coordinate.arrays >> i & 1;
		SET(e, ATTRIBUTE_ARRAY, a, ADDRESS, s->array[i].address);
		SET(e, ATTRIBUTE_ARRAY, a, SIZE_M1, s->array[i].size - 1);
		SET(e, ATTRIBUTE_ARRAY, a, STRIDE, s->array[i].stride);
		SET(e, ATTRIBUTE_ARRAY, a, VS_OFFSET,
				is_vertex ? input_bytes(s, &s->vertex, i) : 0);
		SET(e, ATTRIBUTE_ARRAY, a, CS_OFFSET,
				is_coordinate ? input_bytes(s, &s->coordinate, i) : 0);
	}
	if (e->error && r) {
		e->size = size;
	}
}

PICA_EXPORT void pica_vc4_emit_nv_record(struct pica_vc4_emit *e,
		const struct pica_vc4_nv_shader *s) {
	const size_t size = e->size;
	uint8_t *r = vc4_emit_room(e, VC4_SIZE_NV_SHADER_RECORD);
	SET(e, NV_SHADER_RECORD, r, POINT_SIZE, s->point_size);
	SET(e, NV_SHADER_RECORD, r, CLIP, s->clip);
	SET(e, NV_SHADER_RECORD, r, CLIP_HEADER, s->clip_header);
	SET(e, NV_SHADER_RECORD, r, STRIDE, s->stride);
	SET(e, NV_SHADER_RECORD, r, VARYINGS, s->n_varyings);
	SET(e, NV_SHADER_RECORD, r, CODE, s->fragment.code);
	SET(e, NV_SHADER_RECORD, r, UNIFORMS, s->fragment.uniforms);
	SET(e, NV_SHADER_RECORD, r, VERTICES, s->vertices);
	if (e->error && r) {
		e->size = size;
	}
}

/* ---- Frames ---- */

PICA_EXPORT void pica_vc4_frame_init(struct pica_vc4_frame *f, uint32_t target, uint32_t width,
		uint32_t height) {
	*f = (struct pica_vc4_frame){
		.target = target,
		.width = width,
		.height = height,
		.format = VC4_TARGET_RGBA8888,
		.clear_z = 0xFFFFFF,
	};
}

PICA_EXPORT int pica_vc4_frame_tiles(const struct pica_vc4_frame *f, unsigned *columns,
		unsigned *rows) {
	const uint32_t px = f->multisample ? 32 : 64;
	if (f->width == 0 || f->width > MAX_TILES * px || f->height == 0 ||
			f->height > MAX_TILES * px) {
		return -EINVAL;
	}
	*columns = (f->width + px - 1) / px;
	*rows = (f->height + px - 1) / px;
	return 0;
}

PICA_EXPORT uint32_t pica_vc4_frame_bytes(const struct pica_vc4_frame *f) {
	unsigned columns, rows;
	return pica_vc4_frame_tiles(f, &columns, &rows) < 0 ? 0 : columns * rows * BLOCK_BYTES;
}

PICA_EXPORT void pica_vc4_emit_binning_begin(struct pica_vc4_emit *e,
		const struct pica_vc4_frame *f) {
	unsigned columns, rows;
	if (pica_vc4_frame_tiles(f, &columns, &rows) < 0) {
		vc4_emit_fail(e, -EINVAL);
		return;
	}
	RECORD(e, VC4_OP_TILE_BINNING_MODE, f->tile_lists, pica_vc4_frame_bytes(f), f->tile_state,
			columns, rows, f->multisample, 0, 1, VC4_BLOCK_32, VC4_BLOCK_32, 0);
	pica_vc4_emit_record(e, VC4_OP_START_TILE_BINNING, NULL, 0);
	RECORD(e, VC4_OP_CLIP_WINDOW, 0, 0, f->width, f->height);
}

PICA_EXPORT void pica_vc4_emit_binning_end(struct pica_vc4_emit *e) {
	pica_vc4_emit_record(e, VC4_OP_INCREMENT_SEMAPHORE, NULL, 0);
	pica_vc4_emit_record(e, VC4_OP_FLUSH, NULL, 0);
}

/* Loads the contents of the target into a tile. */
static void load(struct pica_vc4_emit *e, const struct pica_vc4_frame *f) {
	static const uint8_t formats[] = {
		[VC4_TARGET_BGR565_DITHERED] = VC4_FORMAT_BGR565_DITHERED,
		[VC4_TARGET_RGBA8888] = VC4_FORMAT_RGBA8888,
		[VC4_TARGET_BGR565] = VC4_FORMAT_BGR565,
	};
	RECORD(e, VC4_OP_LOAD_GENERAL, VC4_BUFFER_COLOR, f->layout, formats[f->format], f->target,
			0, 0, 0);
}

PICA_EXPORT void pica_vc4_emit_rendering(struct pica_vc4_emit *e, const struct pica_vc4_frame *f) {
	unsigned columns, rows;
	if (pica_vc4_frame_tiles(f, &columns, &rows) < 0 || f->format > VC4_TARGET_BGR565 ||
			f->layout > VC4_LAYOUT_LT || f->target % 16) {
		vc4_emit_fail(e, -EINVAL);
		return;
	}
	RECORD(e, VC4_OP_CLEAR_VALUES, f->clear_color, f->clear_color, f->clear_z, 0,
			f->clear_stencil);
	RECORD(e, VC4_OP_TILE_RENDERING_MODE, f->target, f->width, f->height, f->multisample, 0,
			f->format, 0, f->layout, 0, 0, 0, 0, 0);
	/* Clears the tile buffer by an empty store before the first tile. */
	RECORD(e, VC4_OP_TILE_COORDINATES, 0, 0);
	pica_vc4_emit_named(e, "STORE_GENERAL", "BUFFER=none");
	for (unsigned tile = 0; tile < columns * rows; tile++) {
		if (f->load) {
			load(e, f);
		}
		RECORD(e, VC4_OP_TILE_COORDINATES, tile % columns, tile / columns);
		if (tile == 0) {
			pica_vc4_emit_record(e, VC4_OP_WAIT_ON_SEMAPHORE, NULL, 0);
		}
		RECORD(e, VC4_OP_BRANCH_TO_SUB_LIST, f->tile_lists + tile * BLOCK_BYTES);
		pica_vc4_emit_record(e, tile + 1 < columns * rows ? VC4_OP_STORE_RESOLVED :
				VC4_OP_STORE_RESOLVED_LAST, NULL, 0);
	}
}
