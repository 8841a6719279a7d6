/* Records of the rendering list: runs of tile operations. */
#include "vc4/list/reader.h"

#include <errno.h>

enum { REMEMBERED = 4 }; /* loads and stores of a tile, mostly */

/* ---- Operations ---- */

/* Returns the index of the state in force in frame.renderings, or -ENOMEM. */
static int64_t rendering_in_force(struct vc4_reader *r) {
	struct vc4_frame *f = r->frame;
	if (f->n_renderings && memcmp(&f->renderings[f->n_renderings - 1], &r->rendering,
			sizeof(r->rendering)) == 0) {
		return f->n_renderings - 1;
	}
	struct vc4_rendering *all = vc4_room(r, f->renderings, f->n_renderings,
			&r->rendering_capacity, sizeof(*all));
	if (!all) {
		return vc4_fail(r, -ENOMEM, "out of memory");
	}
	f->renderings = all;
	memcpy(&all[f->n_renderings], &r->rendering, sizeof(*all));
	return f->n_renderings++;
}

int vc4_rendering_begin(struct vc4_reader *r) {
	memset(&r->rendering, 0, sizeof(r->rendering));
	r->run = (struct vc4_run){ 0 };
	const int64_t index = rendering_in_force(r);
	return index < 0 ? (int)index : 0;
}

/* Appends an operation at the current tile. */
static int operation(struct vc4_reader *r, enum vc4_tile_op_kind kind, uint32_t value,
		uint32_t address) {
	struct vc4_frame *f = r->frame;
	const int64_t rendering = rendering_in_force(r);
	if (rendering < 0) {
		return (int)rendering;
	}
	struct vc4_tile_op *ops = vc4_room(r, f->ops, f->n_ops, &r->op_capacity, sizeof(*ops));
	if (!ops) {
		return vc4_fail(r, -ENOMEM, "out of memory");
	}
	f->ops = ops;
	f->ops[f->n_ops++] = (struct vc4_tile_op){ .kind = (uint8_t)kind, .column = r->column,
		.row = r->row, .value = value, .rendering = (uint32_t)rendering,
		.address = address };
	if (kind != VC4_TILE_STORE) {
		r->color_by = 0;
		r->zs_by = 0;
	}
	return 0;
}

/* Appends a load or a store; shares an equal one among the last transfers. */
static int transfer(struct vc4_reader *r, enum vc4_tile_op_kind kind,
		const struct vc4_transfer *t, uint32_t address) {
	struct vc4_frame *f = r->frame;
	const uint32_t oldest = f->n_transfers > REMEMBERED ? f->n_transfers - REMEMBERED : 0;
	for (uint32_t i = f->n_transfers; i-- > oldest;) {
		if (memcmp(&f->transfers[i], t, sizeof(*t)) == 0) {
			return operation(r, kind, i, address);
		}
	}
	struct vc4_transfer *all = vc4_room(r, f->transfers, f->n_transfers,
			&r->transfer_capacity, sizeof(*all));
	if (!all) {
		return vc4_fail(r, -ENOMEM, "out of memory");
	}
	f->transfers = all;
	memcpy(&all[f->n_transfers++], t, sizeof(*t));
	return operation(r, kind, f->n_transfers - 1, address);
}

static bool moves(const struct vc4_transfer *t) {
	return t->color || t->z || t->stencil;
}

/* Ends the run, with the buffer cleared to the values of renderings[clear]. */
static int end_run(struct vc4_reader *r, uint32_t clear) {
	struct vc4_frame *f = r->frame;
	r->run.n = f->n_ops - r->run.first;
	if (r->run_stores) {
		struct vc4_run *runs = vc4_room(r, f->runs, f->n_runs, &r->run_capacity,
				sizeof(*runs));
		if (!runs) {
			return vc4_fail(r, -ENOMEM, "out of memory");
		}
		f->runs = runs;
		f->runs[f->n_runs++] = r->run;
	} else {
		f->n_ops = r->run.first;
	}
	r->run = (struct vc4_run){ .first = f->n_ops, .clear = clear };
	r->run_stores = false;
	r->color_by = 0;
	r->zs_by = 0;
	return 0;
}

static int store(struct vc4_reader *r, const struct vc4_transfer *t) {
	if (moves(t) && !r->rendering.exists) {
		return vc4_fail(r, -EINVAL, "a store before the rendering mode");
	}
	const int ret = transfer(r, VC4_TILE_STORE, t, r->at);
	if (ret < 0) {
		return ret;
	}
	r->run_stores |= moves(t);
	const uint32_t by = r->frame->ops[r->frame->n_ops - 1].rendering + 1;
	r->color_by = t->clears_color ? by : r->color_by;
	r->zs_by = t->clears_zs ? by : r->zs_by;
	return r->color_by && r->color_by == r->zs_by ? end_run(r, by - 1) : 0;
}

static int load(struct vc4_reader *r, const struct vc4_transfer *t) {
	if (!moves(t)) {
		return 0;
	}
	if (!r->rendering.exists) {
		return vc4_fail(r, -EINVAL, "a load before the rendering mode");
	}
	if (r->is_pending) {
		return vc4_fail(r, -EINVAL, "a load waits for tile coordinates already");
	}
	memcpy(&r->pending, t, sizeof(*t));
	r->pending_at = r->at;
	r->is_pending = true;
	return 0;
}

/* ---- Tile lists ---- */

/* The whole allocation belongs to the chip, also beyond the first blocks. */
bool vc4_is_tile_list(const struct vc4_reader *r, uint32_t address) {
	const struct vc4_binning *b = &r->frame->binning;
	const uint64_t blocks = (uint64_t)b->columns * b->rows * b->block_bytes;
	const uint64_t bytes = b->allocation_bytes > blocks ? b->allocation_bytes : blocks;
	return b->exists && address >= b->allocation && address - b->allocation < bytes;
}

int vc4_draw_bin(struct vc4_reader *r, uint32_t address) {
	const struct vc4_binning *b = &r->frame->binning;
	if (!r->rendering.exists) {
		return vc4_fail(r, -EINVAL, "a tile list before the rendering mode");
	}
	if (r->rendering.is_multisample != b->is_multisample) {
		return vc4_fail(r, -EINVAL, "binning and rendering mode have other tile sizes");
	}
	const uint32_t bin = (address - b->allocation) / b->block_bytes;
	if (bin >= (uint32_t)b->columns * b->rows) {
		return 0; /* empty */
	}
	return operation(r, VC4_TILE_DRAW, bin, r->at);
}

/* ---- Records ---- */

/* [fidelity: vc4-lists] */
static int store_resolved(struct vc4_reader *r) {
	struct vc4_transfer t;
	memset(&t, 0, sizeof(t));
	t.address = r->rendering.address;
	t.color = true;
	t.averages = r->rendering.is_multisample;
	t.clears_color = true;
	t.clears_zs = true;
	t.format = r->rendering.format;
	t.layout = r->rendering.layout;
	return store(r, &t);
}

/* A full transfer, as by 0x1A, 0x1B and the buffer FULL of general ones. */
static void full_transfer(struct vc4_transfer *t, uint32_t address, bool no_color, bool no_zs) {
	memset(t, 0, sizeof(*t));
	t->address = address & VC4_ADDRESS_BITS;
	t->is_full = true;
	t->color = !no_color;
	t->z = !no_zs;
	t->stencil = !no_zs;
}

static int store_full(struct vc4_reader *r, const uint8_t *c) {
	struct vc4_transfer t;
	full_transfer(&t, VC4_STORE_FULL_ADDRESS(c), VC4_STORE_FULL_NO_COLOR(c),
			VC4_STORE_FULL_NO_ZS(c));
	t.clears_color = !VC4_STORE_FULL_NO_CLEAR(c);
	t.clears_zs = t.clears_color;
	return store(r, &t);
}

static int load_full(struct vc4_reader *r, const uint8_t *c) {
	struct vc4_transfer t;
	full_transfer(&t, VC4_LOAD_FULL_ADDRESS(c), VC4_LOAD_FULL_NO_COLOR(c),
			VC4_LOAD_FULL_NO_ZS(c));
	return load(r, &t);
}

/* Decodes the common part of general loads and stores. */
static int general(struct vc4_reader *r, struct vc4_transfer *t, uint32_t buffer, uint32_t layout,
		uint32_t format, uint32_t address) {
	memset(t, 0, sizeof(*t));
	if (buffer == VC4_BUFFER_NONE) {
		return 0;
	}
	if (buffer == VC4_BUFFER_MASK) {
		return vc4_fail(r, -EOPNOTSUPP, "the VG mask buffer is not supported");
	}
	if (buffer > VC4_BUFFER_FULL) {
		return vc4_fail(r, -EINVAL, "there is no such buffer");
	}
	if (layout > VC4_LAYOUT_LT || format > VC4_FORMAT_BGR565) {
		return vc4_fail(r, -EINVAL, "there is no such layout or format");
	}
	t->address = address & VC4_ADDRESS_BITS;
	t->color = buffer == VC4_BUFFER_COLOR;
	t->z = buffer == VC4_BUFFER_ZS || buffer == VC4_BUFFER_Z;
	t->stencil = buffer == VC4_BUFFER_ZS;
	t->format = (uint8_t)format;
	t->layout = (uint8_t)layout;
	return 0;
}

static int store_general(struct vc4_reader *r, const uint8_t *c) {
	const uint32_t buffer = VC4_STORE_GENERAL_BUFFER(c);
	const uint32_t decimate = VC4_STORE_GENERAL_DECIMATE(c);
	struct vc4_transfer t;
	const int ret = general(r, &t, buffer, VC4_STORE_GENERAL_LAYOUT(c),
			VC4_STORE_GENERAL_FORMAT(c), VC4_STORE_GENERAL_ADDRESS(c));
	if (ret < 0) {
		return ret;
	}
	if (buffer == VC4_BUFFER_FULL) {
		full_transfer(&t, VC4_STORE_GENERAL_ADDRESS(c), VC4_STORE_GENERAL_NO_COLOR(c),
				VC4_STORE_GENERAL_NO_ZS(c));
	} else if (buffer != VC4_BUFFER_NONE && decimate > VC4_SAMPLES_16) {
		return vc4_fail(r, -EINVAL, "there is no such decimation");
	} else if (buffer != VC4_BUFFER_NONE && decimate != VC4_SAMPLES_1) {
		if (decimate != VC4_SAMPLES_4 || !t.color || !r->rendering.is_multisample) {
			return vc4_fail(r, -EOPNOTSUPP, "only four samples' colour is averaged");
		}
		t.averages = true;
	}
	t.clears_color = !VC4_STORE_GENERAL_NO_CLEAR_COLOR(c);
	t.clears_zs = !VC4_STORE_GENERAL_NO_CLEAR_ZS(c);
	return store(r, &t);
}

static int load_general(struct vc4_reader *r, const uint8_t *c) {
	const uint32_t buffer = VC4_LOAD_GENERAL_BUFFER(c);
	struct vc4_transfer t;
	const int ret = general(r, &t, buffer, VC4_LOAD_GENERAL_LAYOUT(c),
			VC4_LOAD_GENERAL_FORMAT(c), VC4_LOAD_GENERAL_ADDRESS(c));
	if (ret < 0) {
		return ret;
	}
	if (buffer == VC4_BUFFER_Z) {
		return vc4_fail(r, -EINVAL, "Z is not loaded without stencil");
	}
	if (buffer == VC4_BUFFER_FULL) {
		full_transfer(&t, VC4_LOAD_GENERAL_ADDRESS(c), VC4_LOAD_GENERAL_NO_COLOR(c),
				VC4_LOAD_GENERAL_NO_ZS(c));
	}
	return load(r, &t);
}

static int tile_rendering_mode(struct vc4_reader *r, const uint8_t *c) {
	static const uint8_t formats[] = {
		[VC4_TARGET_BGR565_DITHERED] = VC4_FORMAT_BGR565_DITHERED,
		[VC4_TARGET_RGBA8888] = VC4_FORMAT_RGBA8888,
		[VC4_TARGET_BGR565] = VC4_FORMAT_BGR565,
	};
	const bool is_multisample = VC4_TILE_RENDERING_MODE_MULTISAMPLE(c);
	const uint32_t format = VC4_TILE_RENDERING_MODE_FORMAT(c);
	const uint32_t layout = VC4_TILE_RENDERING_MODE_LAYOUT(c);
	const uint32_t decimate = VC4_TILE_RENDERING_MODE_DECIMATE(c);
	if (VC4_TILE_RENDERING_MODE_COLOR_64(c) || VC4_TILE_RENDERING_MODE_DOUBLE_BUFFER(c)) {
		return vc4_fail(r, -EOPNOTSUPP, "64-bit colour and double buffers are not supported");
	}
	if (VC4_TILE_RENDERING_MODE_MASK_BUFFER(c) || VC4_TILE_RENDERING_MODE_COVERAGE(c)) {
		return vc4_fail(r, -EOPNOTSUPP, "mask and coverage buffers are not supported");
	}
	if (format > VC4_TARGET_BGR565 || layout > VC4_LAYOUT_LT || decimate > VC4_SAMPLES_16) {
		return vc4_fail(r, -EINVAL, "there is no such format, layout or decimation");
	}
	if (decimate != VC4_SAMPLES_1 && (decimate != VC4_SAMPLES_4 || !is_multisample)) {
		return vc4_fail(r, -EOPNOTSUPP, "only four samples' colour is averaged");
	}
	struct vc4_rendering *m = &r->rendering;
	m->exists = true;
	m->is_multisample = is_multisample;
	m->tile_px = is_multisample ? VC4_TILE_PX_MULTISAMPLE : VC4_TILE_PX;
	m->address = VC4_TILE_RENDERING_MODE_ADDRESS(c) & VC4_ADDRESS_BITS;
	m->width = (uint16_t)VC4_TILE_RENDERING_MODE_WIDTH(c);
	m->height = (uint16_t)VC4_TILE_RENDERING_MODE_HEIGHT(c);
	m->format = formats[format];
	m->layout = (uint8_t)layout;
	m->early_z_greater = VC4_TILE_RENDERING_MODE_EARLY_Z_GREATER(c);
	m->no_early_z = VC4_TILE_RENDERING_MODE_NO_EARLY_Z(c);
	return 0;
}

int vc4_rendering_record(struct vc4_reader *r, const uint8_t *c) {
	switch (c[0]) {
	case VC4_OP_STORE_RESOLVED:
	case VC4_OP_STORE_RESOLVED_LAST:
		return store_resolved(r);
	case VC4_OP_STORE_FULL:
		return store_full(r, c);
	case VC4_OP_LOAD_FULL:
		return load_full(r, c);
	case VC4_OP_STORE_GENERAL:
		return store_general(r, c);
	case VC4_OP_LOAD_GENERAL:
		return load_general(r, c);
	case VC4_OP_INDEXED_PRIMITIVES:
	case VC4_OP_ARRAY_PRIMITIVES:
		return vc4_fail(r, -EOPNOTSUPP, "draws of rendering lists are not supported");
	case VC4_OP_TILE_RENDERING_MODE:
		return tile_rendering_mode(r, c);
	case VC4_OP_CLEAR_VALUES:
		r->rendering.clear_color = VC4_CLEAR_VALUES_COLOR(c);
		r->rendering.clear_z = VC4_CLEAR_VALUES_Z(c);
		r->rendering.clear_stencil = (uint8_t)VC4_CLEAR_VALUES_STENCIL(c);
		return 0;
	case VC4_OP_TILE_COORDINATES:
		r->column = (uint8_t)VC4_TILE_COORDINATES_COLUMN(c);
		r->row = (uint8_t)VC4_TILE_COORDINATES_ROW(c);
		if (r->is_pending) {
			r->is_pending = false;
			return transfer(r, VC4_TILE_LOAD, &r->pending, r->pending_at);
		}
		return 0;
	default: /* state of draws, which a rendering list does not contain */
		return 0;
	}
}
