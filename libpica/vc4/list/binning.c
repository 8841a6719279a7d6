/* Records of the binning list: state and draws. */
#include "vc4/list/reader.h"

#include <errno.h>

#include "core/base/arena.h"
#include "core/base/fixed.h"
#include "core/space/space.h"

enum { POOL_STATES = 32 };

uint32_t vc4_primitives(unsigned mode, uint32_t count) {
	switch (mode) {
	case VC4_MODE_POINTS:
		return count;
	case VC4_MODE_LINES:
		return count / 2;
	case VC4_MODE_LINE_LOOP:
		return count >= 2 ? count : 0;
	case VC4_MODE_LINE_STRIP:
		return count >= 2 ? count - 1 : 0;
	case VC4_MODE_TRIANGLES:
		return count / 3;
	default:
		return count >= 3 ? count - 2 : 0;
	}
}

/* [fidelity: vc4-lists] */
void vc4_binning_begin(struct vc4_reader *r) {
	memset(&r->state, 0, sizeof(r->state));
	r->state.point_size = 1;
	r->state.line_width = 1;
	r->state.clip_width = UINT16_MAX;
	r->state.clip_height = UINT16_MAX;
	r->state.z_max = 1;
	r->state.half_width_fx4 = 1;
	r->state.half_height_fx4 = 1;
	r->state.z_scale = 1;
}

/* ---- Shader records ---- */

static void nv_record(struct vc4_shader *s, const uint8_t *m) {
	s->is_nv = true;
	s->is_single_threaded = VC4_NV_SHADER_RECORD_SINGLE(m);
	s->has_point_size = VC4_NV_SHADER_RECORD_POINT_SIZE(m);
	s->clips = VC4_NV_SHADER_RECORD_CLIP(m);
	s->has_clip_header = VC4_NV_SHADER_RECORD_CLIP_HEADER(m);
	s->stride_bytes = (uint8_t)VC4_NV_SHADER_RECORD_STRIDE(m);
	s->n_varyings = (uint8_t)VC4_NV_SHADER_RECORD_VARYINGS(m);
	s->fragment.code = VC4_NV_SHADER_RECORD_CODE(m) & VC4_ADDRESS_BITS;
	s->fragment.uniforms = VC4_NV_SHADER_RECORD_UNIFORMS(m) & VC4_ADDRESS_BITS;
	s->vertices = VC4_NV_SHADER_RECORD_VERTICES(m) & VC4_ADDRESS_BITS;
}

static void gl_record(struct vc4_shader *s, const uint8_t *m, bool is_extended) {
	s->is_single_threaded = VC4_GL_SHADER_RECORD_SINGLE(m);
	s->has_point_size = VC4_GL_SHADER_RECORD_POINT_SIZE(m);
	s->clips = VC4_GL_SHADER_RECORD_CLIP(m);
	s->n_varyings = (uint8_t)VC4_GL_SHADER_RECORD_VARYINGS(m);
	s->fragment.code = VC4_GL_SHADER_RECORD_CODE(m) & VC4_ADDRESS_BITS;
	s->fragment.uniforms = VC4_GL_SHADER_RECORD_UNIFORMS(m) & VC4_ADDRESS_BITS;
	s->vertex.code = VC4_GL_SHADER_RECORD_VS_CODE(m) & VC4_ADDRESS_BITS;
	s->vertex.uniforms = VC4_GL_SHADER_RECORD_VS_UNIFORMS(m) & VC4_ADDRESS_BITS;
	s->vertex.arrays = (uint8_t)VC4_GL_SHADER_RECORD_VS_ARRAYS(m);
	s->vertex.size_bytes = (uint8_t)VC4_GL_SHADER_RECORD_VS_SIZE(m);
	s->coordinate.code = VC4_GL_SHADER_RECORD_CS_CODE(m) & VC4_ADDRESS_BITS;
	s->coordinate.uniforms = VC4_GL_SHADER_RECORD_CS_UNIFORMS(m) & VC4_ADDRESS_BITS;
	s->coordinate.arrays = (uint8_t)VC4_GL_SHADER_RECORD_CS_ARRAYS(m);
	s->coordinate.size_bytes = (uint8_t)VC4_GL_SHADER_RECORD_CS_SIZE(m);
	for (unsigned i = 0; i < s->n_arrays; i++) {
		const uint8_t *a = m + VC4_SIZE_GL_SHADER_RECORD + i * VC4_SIZE_ATTRIBUTE_ARRAY;
		const uint8_t *more = m + VC4_EXTENSIONS_AT + i * VC4_SIZE_STRIDE_EXTENSION;
		s->array[i] = (struct vc4_array){
			.address = VC4_ATTRIBUTE_ARRAY_ADDRESS(a) & VC4_ADDRESS_BITS,
			.size_bytes = (uint16_t)(VC4_ATTRIBUTE_ARRAY_SIZE_M1(a) + 1),
			.stride_bytes = VC4_ATTRIBUTE_ARRAY_STRIDE(a) |
					(is_extended ? VC4_STRIDE_EXTENSION_STRIDE(more) : 0),
			.vertex_offset = (uint8_t)VC4_ATTRIBUTE_ARRAY_VS_OFFSET(a),
			.coordinate_offset = (uint8_t)VC4_ATTRIBUTE_ARRAY_CS_OFFSET(a),
		};
	}
}

/* GL: n_arrays 1 to 8; NV: 0. A record that repeats the last one gets the same address. */
static int shader_state(struct vc4_reader *r, uint32_t address, unsigned n_arrays,
		bool is_extended) {
	uint8_t m[VC4_EXTENSIONS_AT + VC4_MAX_ARRAYS * VC4_SIZE_STRIDE_EXTENSION] = { 0 };
	uint32_t size = VC4_SIZE_NV_SHADER_RECORD;
	if (is_extended) {
		size = VC4_EXTENSIONS_AT + n_arrays * VC4_SIZE_STRIDE_EXTENSION;
	} else if (n_arrays) {
		size = VC4_SIZE_GL_SHADER_RECORD + n_arrays * VC4_SIZE_ATTRIBUTE_ARRAY;
	}
	address &= VC4_ADDRESS_BITS;
	if (space_read(r->lists->space, address, m, size)) {
		return vc4_fail(r, -ERANGE, "the shader record is outside memory");
	}
	struct vc4_shader s;
	memset(&s, 0, sizeof(s));
	s.address = address;
	s.n_arrays = (uint8_t)n_arrays;
	if (n_arrays) {
		gl_record(&s, m, is_extended);
	} else {
		nv_record(&s, m);
	}
	if (r->state.shader && memcmp(r->state.shader, &s, sizeof(s)) == 0) {
		return 0;
	}
	struct vc4_shader *kept = arena_alloc(r->arena, sizeof(*kept));
	if (!kept) {
		return vc4_fail(r, -ENOMEM, "out of memory");
	}
	memcpy(kept, &s, sizeof(s));
	r->state.shader = kept;
	return 0;
}

/* ---- Draws ---- */

/* Returns whether a whole range is in memory; it may span windows. */
static bool is_mapped(const struct space *s, uint32_t address, uint64_t bytes) {
	uint64_t at = address;
	const uint64_t end = at + bytes;
	while (at < end) {
		uint32_t avail = 0;
		if (at > UINT32_MAX || !space_host_from(s, (uint32_t)at, &avail)) {
			return false;
		}
		at += avail;
	}
	return true;
}

/* Returns the state in force in the arena, or NULL when out of memory. */
static const struct vc4_state *snapshot(struct vc4_reader *r) {
	if (r->last && memcmp(r->last, &r->state, sizeof(r->state)) == 0) {
		return r->last;
	}
	if (r->n_pool == 0) {
		r->pool = arena_alloc(r->arena, POOL_STATES * sizeof(*r->pool));
		if (!r->pool) {
			return NULL;
		}
		r->n_pool = POOL_STATES;
	}
	memcpy(r->pool, &r->state, sizeof(*r->pool));
	r->n_pool--;
	r->last = r->pool++;
	return r->last;
}

static int draw(struct vc4_reader *r, struct vc4_draw d) {
	struct vc4_frame *f = r->frame;
	if (d.mode > VC4_MODE_TRIANGLE_FAN) {
		return vc4_fail(r, -EINVAL, "there is no such primitive mode");
	}
	if (!f->binning.exists) {
		return vc4_fail(r, -EINVAL, "a draw before the binning mode");
	}
	if (!r->state.shader) {
		return vc4_fail(r, -EINVAL, "a draw before a shader record");
	}
	if (d.index_bytes) {
		if (!is_mapped(r->lists->space, d.indices, (uint64_t)d.count * d.index_bytes)) {
			return vc4_fail(r, -ERANGE, "indices outside memory");
		}
	} else if ((uint64_t)d.first + d.count > VC4_MAX_VERTICES) {
		return vc4_fail(r, -EINVAL, "first and count name a vertex above 65534");
	}
	const uint32_t primitives = vc4_primitives(d.mode, d.count);
	f->stats.draws++;
	f->stats.vertices += d.count;
	f->stats.primitives += primitives;
	if (r->lists->limits.primitives && f->stats.primitives > r->lists->limits.primitives) {
		return vc4_fail_limit(r, PICA_BUDGET_VERTICES, "too many primitives");
	}
	if (primitives == 0) {
		return 0;
	}
	d.state = snapshot(r);
	struct vc4_draw *draws = vc4_room(r, f->draws, f->n_draws, &r->draw_capacity,
			sizeof(*draws));
	if (!d.state || !draws) {
		return vc4_fail(r, -ENOMEM, "out of memory");
	}
	d.address = r->at;
	f->draws = draws;
	f->draws[f->n_draws++] = d;
	return 0;
}

static int indexed_primitives(struct vc4_reader *r, const uint8_t *c) {
	const uint32_t type = VC4_INDEXED_PRIMITIVES_INDEX(c);
	if (type > VC4_INDEX_16) {
		return vc4_fail(r, -EINVAL, "there is no such index type");
	}
	return draw(r, (struct vc4_draw){
		.mode = (uint8_t)VC4_INDEXED_PRIMITIVES_MODE(c),
		.index_bytes = type == VC4_INDEX_16 ? 2 : 1,
		.count = VC4_INDEXED_PRIMITIVES_COUNT(c),
		.indices = VC4_INDEXED_PRIMITIVES_ADDRESS(c) & VC4_ADDRESS_BITS,
		.max_index = VC4_INDEXED_PRIMITIVES_MAX_INDEX(c),
	});
}

static int array_primitives(struct vc4_reader *r, const uint8_t *c) {
	return draw(r, (struct vc4_draw){
		.mode = (uint8_t)VC4_ARRAY_PRIMITIVES_MODE(c),
		.count = VC4_ARRAY_PRIMITIVES_COUNT(c),
		.first = VC4_ARRAY_PRIMITIVES_FIRST(c),
		.max_index = VC4_MAX_VERTICES - 1,
	});
}

/* ---- Configuration ---- */

static int configuration_bits(struct vc4_reader *r, const uint8_t *c) {
	struct vc4_state *s = &r->state;
	const uint32_t oversample = VC4_CONFIGURATION_BITS_OVERSAMPLE(c);
	if (oversample > VC4_SAMPLES_16) {
		return vc4_fail(r, -EINVAL, "there is no such oversampling");
	}
	if (oversample == VC4_SAMPLES_16 || VC4_CONFIGURATION_BITS_COVERAGE_PIPE(c)) {
		return vc4_fail(r, -EOPNOTSUPP, "the coverage pipe is not supported");
	}
	s->draws_front = VC4_CONFIGURATION_BITS_DRAW_FRONT(c);
	s->draws_back = VC4_CONFIGURATION_BITS_DRAW_BACK(c);
	s->is_clockwise_front = VC4_CONFIGURATION_BITS_CLOCKWISE_FRONT(c);
	s->offsets_depth = VC4_CONFIGURATION_BITS_DEPTH_OFFSET(c);
	s->oversample = (uint8_t)oversample;
	s->depth_function = (uint8_t)VC4_CONFIGURATION_BITS_DEPTH_FUNCTION(c);
	s->updates_z = VC4_CONFIGURATION_BITS_UPDATE_Z(c);
	s->early_z = VC4_CONFIGURATION_BITS_EARLY_Z(c);
	s->early_z_updates = VC4_CONFIGURATION_BITS_EARLY_Z_UPDATES(c);
	return 0;
}

/* Starts over: forgets earlier draws, but keeps the state. */
static int tile_binning_mode(struct vc4_reader *r, const uint8_t *c) {
	if (VC4_TILE_BINNING_MODE_COLOR_64(c) || VC4_TILE_BINNING_MODE_DOUBLE_BUFFER(c)) {
		return vc4_fail(r, -EOPNOTSUPP, "64-bit colour and double buffers are not supported");
	}
	const bool is_multisample = VC4_TILE_BINNING_MODE_MULTISAMPLE(c);
	const struct vc4_binning b = {
		.exists = true,
		.is_multisample = is_multisample,
		.columns = (uint8_t)VC4_TILE_BINNING_MODE_COLUMNS(c),
		.rows = (uint8_t)VC4_TILE_BINNING_MODE_ROWS(c),
		.tile_px = is_multisample ? VC4_TILE_PX_MULTISAMPLE : VC4_TILE_PX,
		.allocation = VC4_TILE_BINNING_MODE_ADDRESS(c) & VC4_ADDRESS_BITS,
		.allocation_bytes = VC4_TILE_BINNING_MODE_SIZE(c),
		.block_bytes = 32u << VC4_TILE_BINNING_MODE_FIRST_BLOCK(c),
	};
	if (b.columns == 0 || b.rows == 0) {
		return vc4_fail(r, -EINVAL, "a binning mode without tiles");
	}
	r->frame->binning = b;
	r->frame->n_draws = 0;
	return 0;
}

static float depth_float(uint32_t upper_half) {
	return vc4_float(upper_half << 16);
}

static int16_t fx4(uint32_t bits) {
	return (int16_t)sign_extend(bits, 16);
}

int vc4_binning_record(struct vc4_reader *r, const uint8_t *c) {
	struct vc4_state *s = &r->state;
	switch (c[0]) {
	case VC4_OP_FLUSH:
	case VC4_OP_FLUSH_ALL_STATE:
		r->is_flushed = true;
		return 0;
	case VC4_OP_START_TILE_BINNING:
		r->frame->n_draws = 0;
		return 0;
	case VC4_OP_INDEXED_PRIMITIVES:
		return indexed_primitives(r, c);
	case VC4_OP_ARRAY_PRIMITIVES:
		return array_primitives(r, c);
	case VC4_OP_GL_SHADER_STATE: {
		const uint32_t n = VC4_GL_SHADER_STATE_ARRAYS(c);
		return shader_state(r, VC4_GL_SHADER_STATE_ADDRESS(c), n ? n : VC4_MAX_ARRAYS,
				VC4_GL_SHADER_STATE_EXTENDED(c));
	}
	case VC4_OP_NV_SHADER_STATE:
		return shader_state(r, VC4_NV_SHADER_STATE_ADDRESS(c), 0, false);
	case VC4_OP_CONFIGURATION_BITS:
		return configuration_bits(r, c);
	case VC4_OP_FLAT_SHADE_FLAGS:
		s->flat = VC4_FLAT_SHADE_FLAGS_FLAT(c);
		return 0;
	case VC4_OP_POINT_SIZE:
		s->point_size = vc4_float(VC4_POINT_SIZE_SIZE(c));
		return 0;
	case VC4_OP_LINE_WIDTH:
		s->line_width = vc4_float(VC4_LINE_WIDTH_WIDTH(c));
		return 0;
	case VC4_OP_DEPTH_OFFSET:
		s->depth_factor = depth_float(VC4_DEPTH_OFFSET_FACTOR(c));
		s->depth_units = depth_float(VC4_DEPTH_OFFSET_UNITS(c));
		return 0;
	case VC4_OP_CLIP_WINDOW:
		s->clip_left = (uint16_t)VC4_CLIP_WINDOW_LEFT(c);
		s->clip_bottom = (uint16_t)VC4_CLIP_WINDOW_BOTTOM(c);
		s->clip_width = (uint16_t)VC4_CLIP_WINDOW_WIDTH(c);
		s->clip_height = (uint16_t)VC4_CLIP_WINDOW_HEIGHT(c);
		return 0;
	case VC4_OP_VIEWPORT_OFFSET:
		s->viewport_x_fx4 = fx4(VC4_VIEWPORT_OFFSET_X(c));
		s->viewport_y_fx4 = fx4(VC4_VIEWPORT_OFFSET_Y(c));
		return 0;
	case VC4_OP_Z_CLIPPING_PLANES:
		s->z_min = vc4_float(VC4_Z_CLIPPING_PLANES_MIN(c));
		s->z_max = vc4_float(VC4_Z_CLIPPING_PLANES_MAX(c));
		return 0;
	case VC4_OP_CLIPPER_XY_SCALING:
		s->half_width_fx4 = vc4_float(VC4_CLIPPER_XY_SCALING_HALF_WIDTH(c));
		s->half_height_fx4 = vc4_float(VC4_CLIPPER_XY_SCALING_HALF_HEIGHT(c));
		return 0;
	case VC4_OP_CLIPPER_Z_SCALE_OFFSET:
		s->z_scale = vc4_float(VC4_CLIPPER_Z_SCALE_OFFSET_SCALE(c));
		s->z_offset = vc4_float(VC4_CLIPPER_Z_SCALE_OFFSET_OFFSET(c));
		return 0;
	case VC4_OP_TILE_BINNING_MODE:
		return tile_binning_mode(r, c);
	default: /* PRIMITIVE_LIST_FORMAT, RHT_X_BOUNDARY */
		return 0;
	}
}
