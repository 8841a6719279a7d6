/*
 * The rendering list, which the kernel writes from a submission's surfaces. [kernel:
 * vc4_render_cl.c]
 */
#include "impl.h"

#include "vc4/list/record.h"

/* Flags of the full-resolution records */
enum { FULL_NO_COLOUR = 1, FULL_NO_ZS = 2, FULL_NO_CLEAR = 4, FULL_LAST = 8 };
/* Flags of the general store: in its first word, in its address */
enum { GENERAL_NO_COLOUR_CLEAR = 1 << 13, GENERAL_NO_CLEARS = 7 << 13, GENERAL_LAST = 8 };
/* Records before the tiles, and those of one tile at most */
enum { HEAD_BYTES = 64, TILE_BYTES = 64, FULL_TILE_BYTES = 64 * 64 * 4 };

struct surface {
	const struct drm_vc4_submit_rcl_surface *s;
	bool is_there, is_full;
	uint32_t address;
};

struct surfaces {
	struct surface colour_read, colour_write, zs_read, zs_write, full_colour_write,
			full_zs_write;
};

struct writer {
	uint8_t *at;
};

static void put(struct writer *w, uint32_t word, unsigned n_bytes) {
	for (unsigned i = 0; i < n_bytes; i++) {
		*w->at++ = (uint8_t)(word >> (8 * i));
	}
}

static void put_tile(struct writer *w, uint32_t x, uint32_t y) {
	put(w, VC4_OP_TILE_COORDINATES, 1);
	put(w, x, 1);
	put(w, y, 1);
}

static void put_general(struct writer *w, unsigned op, uint32_t bits, uint32_t address) {
	put(w, op, 1);
	put(w, bits, 2);
	put(w, address, 4);
}

/* These records take the address of the tile, not of the picture. */
static void put_full(struct writer *w, const struct submission *s, unsigned op,
		const struct surface *f, uint32_t x, uint32_t y, uint32_t flags) {
	const uint32_t stride = (s->args->width + 31u) / 32u;
	put(w, op, 1);
	put(w, (f->address + FULL_TILE_BYTES * (stride * y + x)) | flags, 4);
}

/* A load waits for the next tile record, and only one load may wait. */
static void put_loads(struct writer *w, const struct submission *s, const struct surfaces *f,
		uint32_t x, uint32_t y) {
	if (f->colour_read.is_there && f->colour_read.is_full) {
		put_full(w, s, VC4_OP_LOAD_FULL, &f->colour_read, x, y, FULL_NO_ZS);
	} else if (f->colour_read.is_there) {
		put_general(w, VC4_OP_LOAD_GENERAL, f->colour_read.s->bits, f->colour_read.address);
	}
	if (f->zs_read.is_there && f->zs_read.is_full) {
		put_full(w, s, VC4_OP_LOAD_FULL, &f->zs_read, x, y, FULL_NO_COLOUR);
	} else if (f->zs_read.is_there) {
		if (f->colour_read.is_there) {
			put_tile(w, x, y);
			put_general(w, VC4_OP_STORE_GENERAL, GENERAL_NO_CLEARS, 0);
		}
		put_general(w, VC4_OP_LOAD_GENERAL, f->zs_read.s->bits, f->zs_read.address);
	}
}

/* Only the last store of a tile clears it; a tile record separates two stores. */
static void put_stores(struct writer *w, const struct submission *s, const struct surfaces *f,
		uint32_t x, uint32_t y, bool is_last) {
	const bool any_plain = f->zs_write.is_there || f->colour_write.is_there;
	const bool any_full = f->full_colour_write.is_there || f->full_zs_write.is_there;
	const uint32_t end = is_last ? FULL_LAST : 0;
	if (f->full_colour_write.is_there) {
		const bool more = f->full_zs_write.is_there || any_plain;
		put_full(w, s, VC4_OP_STORE_FULL, &f->full_colour_write, x, y,
				FULL_NO_ZS | (more ? FULL_NO_CLEAR : end));
	}
	if (f->full_zs_write.is_there) {
		if (f->full_colour_write.is_there) {
			put_tile(w, x, y);
		}
		put_full(w, s, VC4_OP_STORE_FULL, &f->full_zs_write, x, y,
				FULL_NO_COLOUR | (any_plain ? FULL_NO_CLEAR : end));
	}
	if (f->zs_write.is_there) {
		const bool more = f->colour_write.is_there;
		if (any_full) {
			put_tile(w, x, y);
		}
		put_general(w, VC4_OP_STORE_GENERAL,
				f->zs_write.s->bits | (more ? GENERAL_NO_COLOUR_CLEAR : 0u),
				f->zs_write.address | (is_last && !more ? GENERAL_LAST : 0u));
	}
	if (f->colour_write.is_there) {
		if (any_full || f->zs_write.is_there) {
			put_tile(w, x, y);
		}
		put(w, is_last ? VC4_OP_STORE_RESOLVED_LAST : VC4_OP_STORE_RESOLVED, 1);
	}
}

/* A surface with an empty index does not exist. */
static int find(struct surface *out, const struct submission *s,
		const struct drm_vc4_submit_rcl_surface *surface, const char *name) {
	*out = (struct surface){ .s = surface, .is_there = surface->hindex != UINT32_MAX };
	if (!out->is_there) {
		return 0;
	}
	const struct buffer *b = submission_buffer(s, surface->hindex);
	if (!b || b->shader) {
		return submission_refuse(s, "surface %s: buffer %u of %u is not a picture", name,
				surface->hindex, s->args->bo_handle_count);
	}
	if (surface->offset >= b->size_bytes || surface->offset % 16) {
		return submission_refuse(s,
				"surface %s: offset %u: expected a multiple of 16 below %u", name,
				surface->offset, b->size_bytes);
	}
	out->is_full = (surface->flags & VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES) != 0;
	out->address = s->k->base + b->offset + surface->offset;
	return 0;
}

static int find_all(struct surfaces *f, const struct submission *s) {
	const struct drm_vc4_submit_cl *a = s->args;
	int ret = find(&f->colour_read, s, &a->color_read, "color_read");
	ret = ret < 0 ? ret : find(&f->colour_write, s, &a->color_write, "color_write");
	ret = ret < 0 ? ret : find(&f->zs_read, s, &a->zs_read, "zs_read");
	ret = ret < 0 ? ret : find(&f->zs_write, s, &a->zs_write, "zs_write");
	ret = ret < 0 ? ret :
			find(&f->full_colour_write, s, &a->msaa_color_write, "msaa_color_write");
	return ret < 0 ? ret : find(&f->full_zs_write, s, &a->msaa_zs_write, "msaa_zs_write");
}

uint32_t render_list_bytes(const struct drm_vc4_submit_cl *a) {
	const uint32_t columns =
			a->max_x_tile >= a->min_x_tile ? a->max_x_tile - a->min_x_tile + 1u : 0;
	const uint32_t rows =
			a->max_y_tile >= a->min_y_tile ? a->max_y_tile - a->min_y_tile + 1u : 0;
	return HEAD_BYTES + columns * rows * TILE_BYTES;
}

int render_list_write(const struct submission *s, uint32_t *n_bytes) {
	const struct drm_vc4_submit_cl *a = s->args;
	uint8_t *const start = s->k->memory + s->render;
	struct writer w = { start };
	struct surfaces f;
	int ret = find_all(&f, s);
	if (ret < 0) {
		return ret;
	}
	if (a->max_x_tile < a->min_x_tile || a->max_y_tile < a->min_y_tile) {
		return submission_refuse(s,
				"tiles %u to %u, rows %u to %u: the last is before the first",
				a->min_x_tile, a->max_x_tile, a->min_y_tile, a->max_y_tile);
	}
	if (s->n_bin_bytes && (a->max_x_tile >= s->tiles_x || a->max_y_tile >= s->tiles_y)) {
		return submission_refuse(s,
				"tile %u, %u is outside of the %ux%u tiles of the binning list",
				a->max_x_tile, a->max_y_tile, s->tiles_x, s->tiles_y);
	}
	if (a->flags & VC4_SUBMIT_CL_USE_CLEAR_COLOR) {
		put(&w, VC4_OP_CLEAR_VALUES, 1);
		put(&w, a->clear_color[0], 4);
		put(&w, a->clear_color[1], 4);
		put(&w, a->clear_z, 4);
		put(&w, a->clear_s, 1);
		/* An empty store clears the tile buffer with these colours. */
		put_tile(&w, 0, 0);
		put_general(&w, VC4_OP_STORE_GENERAL, 0, 0);
	}
	put(&w, VC4_OP_TILE_RENDERING_MODE, 1);
	put(&w, f.colour_write.address, 4);
	put(&w, a->width, 2);
	put(&w, a->height, 2);
	put(&w, a->color_write.bits, 2);

	/* Without FIXED_RCL_ORDER any order is allowed; ascending is used here. */
	const bool is_fixed = (a->flags & VC4_SUBMIT_CL_FIXED_RCL_ORDER) != 0;
	const bool is_right = !is_fixed || (a->flags & VC4_SUBMIT_CL_RCL_ORDER_INCREASING_X);
	const bool is_down = !is_fixed || (a->flags & VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y);
	const uint32_t columns = a->max_x_tile - a->min_x_tile + 1u;
	const uint32_t n_tiles = columns * (a->max_y_tile - a->min_y_tile + 1u);
	for (uint32_t i = 0; i < n_tiles; i++) {
		const uint32_t x = is_right ? a->min_x_tile + i % columns :
					      a->max_x_tile - i % columns;
		const uint32_t y =
				is_down ? a->min_y_tile + i / columns : a->max_y_tile - i / columns;
		put_loads(&w, s, &f, x, y);
		put_tile(&w, x, y);
		if (s->n_bin_bytes) {
			if (i == 0) {
				put(&w, VC4_OP_WAIT_ON_SEMAPHORE, 1);
			}
			put(&w, VC4_OP_BRANCH_TO_SUB_LIST, 1);
			put(&w, s->k->base + s->tile_lists + 32 * (y * s->tiles_x + x), 4);
		}
		put_stores(&w, s, &f, x, y, i + 1 == n_tiles);
	}
	*n_bytes = (uint32_t)(w.at - start);
	return 0;
}
