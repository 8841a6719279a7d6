/* Lists, loads and stores. */
#include "naive_vc4.h"

#include <stdlib.h>

enum { BUS = 0x3FFFFFFF, MOST_RECORDS = 1 << 20, FULL_BYTES = 16384 };

uint8_t *naive_vc4_at(struct naive_vc4 *v, uint32_t address, uint64_t bytes) {
	return address >= v->base && address - v->base + bytes <= v->size ?
			v->memory + (address - v->base) : NULL;
}

static unsigned size_of(uint8_t op) {
	switch (op) {
#define VC4_RECORD(op, name, size, lists, state) case op: return size;
#include "vc4/pica_vc4_records.def"
	default:
		return 0;
	}
}

/* ---- Binning ---- */

static int shader_record(struct naive_vc4 *v, uint32_t address, unsigned n_arrays) {
	const unsigned bytes = n_arrays ? SIZE_GL_SHADER_RECORD + SIZE_ATTRIBUTE_ARRAY * n_arrays :
			SIZE_NV_SHADER_RECORD;
	const uint8_t *m = naive_vc4_at(v, address & BUS, bytes);
	if (!m) {
		return -1;
	}
	memset(v->state.shader, 0, sizeof(v->state.shader));
	memcpy(v->state.shader, m, bytes);
	v->state.is_nv = n_arrays == 0;
	v->state.n_arrays = n_arrays;
	return 0;
}

static int indexed(struct naive_vc4 *v, const uint8_t *c) {
	const uint32_t count = GET_INDEXED_PRIMITIVES_COUNT(c);
	const unsigned bytes = GET_INDEXED_PRIMITIVES_INDEX(c) + 1;
	const uint8_t *m = naive_vc4_at(v, GET_INDEXED_PRIMITIVES_ADDRESS(c) & BUS,
			(uint64_t)count * bytes);
	uint32_t *index = m ? calloc(count + 1, sizeof(*index)) : NULL;
	int ret = -1;
	if (index) {
		for (uint32_t i = 0; i < count; i++) {
			index[i] = naive_bits(m + i * bytes, 0, 8 * bytes, false);
		}
		ret = naive_vc4_draw(v, GET_INDEXED_PRIMITIVES_MODE(c), index, count,
				GET_INDEXED_PRIMITIVES_MAX_INDEX(c));
	}
	free(index);
	return ret;
}

static int arrays(struct naive_vc4 *v, const uint8_t *c) {
	const uint32_t count = GET_ARRAY_PRIMITIVES_COUNT(c);
	uint32_t *index = count < 65536 ? calloc(count + 1, sizeof(*index)) : NULL;
	if (!index) {
		return -1;
	}
	for (uint32_t i = 0; i < count; i++) {
		index[i] = GET_ARRAY_PRIMITIVES_FIRST(c) + i;
	}
	const int ret = naive_vc4_draw(v, GET_ARRAY_PRIMITIVES_MODE(c), index, count, UINT32_MAX);
	free(index);
	return ret;
}

static int binning_record(struct naive_vc4 *v, const uint8_t *c, unsigned size) {
	switch (c[0]) {
	case OP_TILE_BINNING_MODE:
		memcpy(v->binning, c, size);
		v->n_primitives = 0;
		return 0;
	case OP_START_TILE_BINNING:
		v->n_primitives = 0;
		return 0;
	case OP_CONFIGURATION_BITS:
		memcpy(v->state.config, c, size);
		return 0;
	case OP_FLAT_SHADE_FLAGS:
		memcpy(v->state.flat, c, size);
		return 0;
	case OP_CLIP_WINDOW:
		memcpy(v->state.window, c, size);
		return 0;
	case OP_VIEWPORT_OFFSET:
		memcpy(v->state.viewport, c, size);
		return 0;
	case OP_GL_SHADER_STATE:
		return shader_record(v, GET_GL_SHADER_STATE_ADDRESS(c),
				GET_GL_SHADER_STATE_ARRAYS(c) ? GET_GL_SHADER_STATE_ARRAYS(c) : 8);
	case OP_NV_SHADER_STATE:
		return shader_record(v, GET_NV_SHADER_STATE_ADDRESS(c), 0);
	case OP_INDEXED_PRIMITIVES:
		return indexed(v, c);
	case OP_ARRAY_PRIMITIVES:
		return arrays(v, c);
	default:
		return 0;
	}
}

/* ---- Pixels of images ---- */

struct image {
	uint32_t address, width, height;
	unsigned layout, bytes; /* a pixel's */
};

static uint32_t up(uint32_t n, uint32_t to) {
	return (n + to - 1) / to * to;
}

/* Utiles are 64 bytes, sub-tiles 4x4 of them, tiles 2x2 sub-tiles. [fidelity: vc4-layouts] */
static uint32_t offset(const struct image *i, uint32_t x, uint32_t y) {
	const uint32_t uw = i->bytes == 2 ? 8 : 4, uh = 4;
	const uint32_t inside = (y % uh * uw + x % uw) * i->bytes, ux = x / uw, uy = y / uh;
	if (i->layout == 0) {
		return (y * up(i->width, uw) + x) * i->bytes;
	}
	if (i->layout == 2) {
		return (uy * (up(i->width, uw) / uw) + ux) * 64 + inside;
	}
	const uint32_t tiles = up(i->width, 8 * uw) / (8 * uw);
	const uint32_t row = uy / 8, is_odd = row % 2;
	const uint32_t column = is_odd ? tiles - 1 - ux / 8 : ux / 8;
	static const uint32_t sub[2][2][2] = { /* odd row, upper, right */
		{ { 0, 3 }, { 1, 2 } }, { { 2, 1 }, { 3, 0 } } };
	return (row * tiles + column) * 4096 + sub[is_odd][uy % 8 / 4][ux % 8 / 4] * 1024 +
			(uy % 4 * 4 + ux % 4) * 64 + inside;
}

static uint32_t to_565(uint32_t c) {
	return (c & 255) / 8 * 2048 + (c / 256 & 255) / 4 * 32 + (c / 65536 & 255) / 8;
}

static uint32_t from_565(uint32_t c) {
	const uint32_t r = c / 2048, g = c / 32 % 64, b = c % 32;
	return (r * 8 + r / 4) | (g * 4 + g / 16) << 8 | (b * 8 + b / 4) << 16 | 0xFF000000;
}

static uint32_t averaged(struct naive_vc4 *v, unsigned x, unsigned y) {
	uint32_t all = 0;
	for (unsigned byte = 0; byte < 4; byte++) {
		uint32_t sum = 0;
		for (unsigned s = 0; s < 4; s++) {
			sum += v->color[s][y][x] >> 8 * byte & 255;
		}
		all |= sum / 4 << 8 * byte;
	}
	return all;
}

uint32_t naive_vc4_stored(struct naive_vc4 *v, unsigned x, unsigned y, unsigned bytes,
		bool is_averaged) {
	const uint32_t word = is_averaged ? averaged(v, x, y) : v->color[0][y][x];
	return bytes == 2 ? to_565(word) : word;
}

/* ---- The watched pixel ---- */

static bool is_watched_tile(const struct naive_vc4 *v) {
	const struct naive_vc4_watch *w = v->watch;
	return w && w->is_found && w->column == v->column && w->row == v->row;
}

struct naive_vc4_seen *naive_vc4_see(struct naive_vc4 *v, enum pica_history_kind kind) {
	static struct naive_vc4_seen dropped;
	struct naive_vc4_watch *w = v->watch;
	const bool has_room = w->n < sizeof(w->seen) / sizeof(w->seen[0]);
	struct naive_vc4_seen *s = has_room ? &w->seen[w->n++] : &dropped;
	const uint32_t color = naive_vc4_stored(v, w->x, w->y, w->bytes, w->is_averaged);
	const uint32_t zs = v->zs[0][w->y][w->x];
	*s = (struct naive_vc4_seen){ .kind = kind, .verdict = PICA_VERDICT_KEPT, .before = color,
		.after = color, .zs_before = zs, .zs_after = zs };
	return s;
}

static uint32_t watched_in_memory(struct naive_vc4 *v) {
	const struct naive_vc4_watch *w = v->watch;
	return naive_bits(naive_vc4_at(v, w->pixel, w->bytes), 0, 8 * w->bytes, false);
}

/* Before each operation: the first one of a run finds the buffer cleared. */
static void begin_run(struct naive_vc4 *v) {
	if (is_watched_tile(v) && !v->watch->in_run) {
		naive_vc4_see(v, PICA_HISTORY_CLEAR)->before = watched_in_memory(v);
	}
	if (v->watch) {
		v->watch->in_run = true;
	}
}

/* ---- Loads and stores ---- */

enum what { COLOR, AVERAGE, ZS, Z };

/* One pixel of the buffer to or from an image. */
static void move_pixel(struct naive_vc4 *v, uint8_t *m, unsigned bytes, enum what what, unsigned x,
		unsigned y, bool is_store) {
	uint32_t old = naive_bits(m, 0, 8 * bytes, false);
	if (!is_store) {
		for (unsigned s = 0; s < v->n_samples; s++) {
			if (what == COLOR) {
				v->color[s][y][x] = bytes == 2 ? from_565(old) : old;
			} else {
				v->zs[s][y][x] = old;
			}
		}
		return;
	}
	uint32_t word = v->zs[0][y][x];
	if (what == COLOR || what == AVERAGE) {
		word = naive_vc4_stored(v, x, y, bytes, what == AVERAGE);
	} else if (what == Z) {
		word = (word & 0xFFFFFF00) | (old & 255);
	}
	memcpy(m, &word, bytes);
}

/* A colour store is about to write a pixel. */
static void find_watched(struct naive_vc4 *v, const uint8_t *m, unsigned bytes, bool is_averaged,
		unsigned x, unsigned y) {
	struct naive_vc4_watch *w = v->watch;
	const uint32_t address = v->base + (uint32_t)(m - v->memory);
	if (w && !w->is_found && w->address >= address && w->address < address + bytes) {
		w->is_found = true;
		w->column = v->column;
		w->row = v->row;
		w->x = x;
		w->y = y;
		w->pixel = address;
		w->bytes = bytes;
		w->is_averaged = is_averaged;
	}
}

/* A colour store has written a pixel. */
static void see_store(struct naive_vc4 *v, const uint8_t *m, unsigned bytes, unsigned x,
		unsigned y) {
	const struct naive_vc4_watch *w = v->watch;
	if (is_watched_tile(v) && w->x == x && w->y == y && w->bytes == bytes &&
			w->pixel == v->base + (uint32_t)(m - v->memory)) {
		naive_vc4_see(v, PICA_HISTORY_STORE)->after = watched_in_memory(v);
	}
}

static int move_image(struct naive_vc4 *v, const struct image *i, enum what what, bool is_store) {
	for (unsigned y = 0; y < v->tile_px; y++) {
		for (unsigned x = 0; x < v->tile_px; x++) {
			const uint32_t px = v->column * v->tile_px + x;
			const uint32_t py = v->row * v->tile_px + y;
			if (px >= i->width || py >= i->height) {
				continue;
			}
			uint8_t *m = naive_vc4_at(v, (i->address & BUS) + offset(i, px, py),
					i->bytes);
			if (!m) {
				return -1;
			}
			if (is_store && (what == COLOR || what == AVERAGE)) {
				find_watched(v, m, i->bytes, what == AVERAGE, x, y);
			}
			move_pixel(v, m, i->bytes, what, x, y, is_store);
			if (is_store && (what == COLOR || what == AVERAGE)) {
				see_store(v, m, i->bytes, x, y);
			}
		}
	}
	return 0;
}

/* Both whole buffers, colour first. [fidelity: vc4-full-buffers] */
static int move_full(struct naive_vc4 *v, uint32_t address, bool color, bool zs, bool is_store) {
	uint8_t *m = naive_vc4_at(v, address & BUS, ((uint64_t)color + zs) * FULL_BYTES);
	for (unsigned k = 0; k < 2 && m; k++) {
		if (k ? !zs : !color) {
			continue;
		}
		for (unsigned i = 0; i < v->tile_px * v->tile_px * v->n_samples; i++) {
			const unsigned s = i % v->n_samples, px = i / v->n_samples;
			const unsigned x = px % v->tile_px, y = px / v->tile_px;
			const unsigned at = v->n_samples == 1 ? 4 * px :
					y / 2 * 1024 + x / 2 * 64 + s * 16 + y % 2 * 8 + x % 2 * 4;
			uint32_t *word = k ? &v->zs[s][y][x] : &v->color[s][y][x];
			memcpy(is_store ? (void *)(m + at) : word,
					is_store ? (void *)word : m + at, 4);
		}
		m += FULL_BYTES;
	}
	return m || (!color && !zs) ? 0 : -1;
}

static void clear_tile(struct naive_vc4 *v, bool color, bool zs) {
	for (unsigned i = 0; i < 4 * NAIVE_TILE_PX * NAIVE_TILE_PX; i++) {
		const unsigned s = i % 4, x = i / 4 % NAIVE_TILE_PX, y = i / 4 / NAIVE_TILE_PX;
		if (color) {
			v->color[s][y][x] = GET_CLEAR_VALUES_COLOR(v->clear);
		}
		if (zs) {
			v->zs[s][y][x] = GET_CLEAR_VALUES_Z(v->clear) << 8 |
					GET_CLEAR_VALUES_STENCIL(v->clear);
		}
	}
}

static struct image target(const struct naive_vc4 *v) {
	return (struct image){ .address = GET_TILE_RENDERING_MODE_ADDRESS(v->rendering),
		.width = GET_TILE_RENDERING_MODE_WIDTH(v->rendering),
		.height = GET_TILE_RENDERING_MODE_HEIGHT(v->rendering),
		.layout = GET_TILE_RENDERING_MODE_LAYOUT(v->rendering),
		.bytes = GET_TILE_RENDERING_MODE_FORMAT(v->rendering) == 1 ? 4 : 2 };
}

static int load_buffers(struct naive_vc4 *v, const uint8_t *c) {
	if (c[0] == OP_LOAD_FULL) {
		return move_full(v, GET_LOAD_FULL_ADDRESS(c), !GET_LOAD_FULL_NO_COLOR(c),
				!GET_LOAD_FULL_NO_ZS(c), false);
	}
	const uint32_t buffer = GET_LOAD_GENERAL_BUFFER(c);
	if (buffer == 5) {
		return move_full(v, GET_LOAD_GENERAL_ADDRESS(c), !GET_LOAD_GENERAL_NO_COLOR(c),
				!GET_LOAD_GENERAL_NO_ZS(c), false);
	}
	struct image i = target(v);
	i.address = GET_LOAD_GENERAL_ADDRESS(c);
	i.layout = GET_LOAD_GENERAL_LAYOUT(c);
	i.bytes = buffer == 1 && GET_LOAD_GENERAL_FORMAT(c) ? 2 : 4;
	return buffer ? move_image(v, &i, buffer == 1 ? COLOR : ZS, false) : 0;
}

/* A load or a draw. */
static void begin_operation(struct naive_vc4 *v) {
	begin_run(v);
	if (v->watch) {
		v->watch->color_is_clear = v->watch->zs_is_clear = false;
	}
}

/* A load happens with the coordinates of the tile. */
static int load(struct naive_vc4 *v, const uint8_t *c) {
	const uint32_t buffer = c[0] == OP_LOAD_FULL ? 5 : GET_LOAD_GENERAL_BUFFER(c);
	const bool is_full = buffer == 5;
	const bool no_color = is_full && (c[0] == OP_LOAD_FULL ? GET_LOAD_FULL_NO_COLOR(c) :
								 GET_LOAD_GENERAL_NO_COLOR(c));
	const bool no_zs = is_full && (c[0] == OP_LOAD_FULL ? GET_LOAD_FULL_NO_ZS(c) :
							      GET_LOAD_GENERAL_NO_ZS(c));
	if (!buffer || (no_color && no_zs)) {
		return 0;
	}
	begin_operation(v);
	struct naive_vc4_seen *s = is_watched_tile(v) && (buffer == 1 || (is_full && !no_color)) ?
			naive_vc4_see(v, PICA_HISTORY_TILE_LOAD) : NULL;
	const int ret = load_buffers(v, c);
	if (s) {
		const struct naive_vc4_watch *w = v->watch;
		s->after = naive_vc4_stored(v, w->x, w->y, w->bytes, w->is_averaged);
		s->zs_after = v->zs[0][w->y][w->x];
	}
	return ret;
}

/*
 * A store of colour, of Z and stencil, or of nothing, which clears parts of the buffer. If both are
 * clear, a run of operations ends; it counts if it has stored something. [fidelity: vc4-lists]
 */
static void end_operation(struct naive_vc4 *v, bool stores, bool clears_color, bool clears_zs) {
	struct naive_vc4_watch *w = v->watch;
	if (!w) {
		return;
	}
	w->run_stores |= stores;
	w->color_is_clear |= clears_color;
	w->zs_is_clear |= clears_zs;
	if (w->color_is_clear && w->zs_is_clear) {
		w->n = w->run_stores ? w->n : w->first_of_run;
		w->first_of_run = w->n;
		w->in_run = w->run_stores = w->color_is_clear = w->zs_is_clear = false;
	}
}

static int store_general(struct naive_vc4 *v, const uint8_t *c) {
	const uint32_t buffer = GET_STORE_GENERAL_BUFFER(c);
	struct image i = target(v);
	int ret = 0;
	begin_run(v);
	i.address = GET_STORE_GENERAL_ADDRESS(c);
	i.layout = GET_STORE_GENERAL_LAYOUT(c);
	i.bytes = buffer == 1 && GET_STORE_GENERAL_FORMAT(c) ? 2 : 4;
	if (buffer == 5) {
		ret = move_full(v, i.address, !GET_STORE_GENERAL_NO_COLOR(c),
				!GET_STORE_GENERAL_NO_ZS(c), true);
	} else if (buffer) {
		ret = move_image(v, &i, buffer == 2 ? ZS : buffer == 3 ? Z :
				GET_STORE_GENERAL_DECIMATE(c) ? AVERAGE : COLOR, true);
	}
	clear_tile(v, !GET_STORE_GENERAL_NO_CLEAR_COLOR(c), !GET_STORE_GENERAL_NO_CLEAR_ZS(c));
	const bool is_empty = GET_STORE_GENERAL_NO_COLOR(c) && GET_STORE_GENERAL_NO_ZS(c);
	end_operation(v, buffer == 5 ? !is_empty : buffer != 0,
			!GET_STORE_GENERAL_NO_CLEAR_COLOR(c), !GET_STORE_GENERAL_NO_CLEAR_ZS(c));
	return ret;
}

static int rendering_record(struct naive_vc4 *v, const uint8_t *c, unsigned size,
		uint8_t *pending) {
	int ret = 0;
	switch (c[0]) {
	case OP_TILE_RENDERING_MODE:
		memcpy(v->rendering, c, size);
		v->n_samples = GET_TILE_RENDERING_MODE_MULTISAMPLE(c) ? 4 : 1;
		v->tile_px = NAIVE_TILE_PX / (v->n_samples == 4 ? 2 : 1);
		return 0;
	case OP_CLEAR_VALUES:
		memcpy(v->clear, c, size);
		return 0;
	case OP_TILE_COORDINATES:
		v->column = GET_TILE_COORDINATES_COLUMN(c);
		v->row = GET_TILE_COORDINATES_ROW(c);
		ret = pending[0] ? load(v, pending) : 0;
		pending[0] = 0;
		return ret;
	case OP_LOAD_FULL:
	case OP_LOAD_GENERAL:
		memcpy(pending, c, size);
		return 0;
	case OP_STORE_RESOLVED:
	case OP_STORE_RESOLVED_LAST: {
		const struct image i = target(v);
		begin_run(v);
		ret = move_image(v, &i, v->n_samples == 4 ? AVERAGE : COLOR, true);
		clear_tile(v, true, true);
		end_operation(v, true, true, true);
		return ret;
	}
	case OP_STORE_FULL:
		begin_run(v);
		ret = move_full(v, GET_STORE_FULL_ADDRESS(c), !GET_STORE_FULL_NO_COLOR(c),
				!GET_STORE_FULL_NO_ZS(c), true);
		clear_tile(v, !GET_STORE_FULL_NO_CLEAR(c), !GET_STORE_FULL_NO_CLEAR(c));
		end_operation(v, !GET_STORE_FULL_NO_COLOR(c) || !GET_STORE_FULL_NO_ZS(c),
				!GET_STORE_FULL_NO_CLEAR(c), !GET_STORE_FULL_NO_CLEAR(c));
		return ret;
	case OP_STORE_GENERAL:
		return store_general(v, c);
	default:
		return 0;
	}
}

/* ---- Both ---- */

/* Whether an address is a tile list: its tile must be the current one. */
static bool is_tile_list(const struct naive_vc4 *v, uint32_t address) {
	const uint32_t base = GET_TILE_BINNING_MODE_ADDRESS(v->binning) & BUS;
	const uint32_t columns = GET_TILE_BINNING_MODE_COLUMNS(v->binning);
	const uint32_t block = 32u << GET_TILE_BINNING_MODE_FIRST_BLOCK(v->binning);
	return address == base + (v->row * columns + v->column) * block;
}

static int run(struct naive_vc4 *v, bool is_rendering, uint32_t at, uint32_t end) {
	uint8_t pending[16] = { 0 };
	uint32_t stack[2];
	unsigned depth = 0;
	for (unsigned n = 0; n < MOST_RECORDS && (depth || at != end); n++) {
		const uint8_t *m = naive_vc4_at(v, at, 1);
		const unsigned size = m ? size_of(m[0]) : 0;
		if (!size || !naive_vc4_at(v, at, size)) {
			return -1;
		}
		uint8_t c[16];
		memcpy(c, m, size);
		at += size;
		if (c[0] == OP_HALT) {
			return 0;
		}
		if (c[0] == OP_BRANCH) {
			at = GET_BRANCH_ADDRESS(c) & BUS;
		} else if (c[0] == OP_RETURN_FROM_SUB_LIST) {
			at = depth ? stack[--depth] : at;
		} else if (c[0] == OP_BRANCH_TO_SUB_LIST) {
			const uint32_t to = GET_BRANCH_TO_SUB_LIST_ADDRESS(c) & BUS;
			if (is_rendering && is_tile_list(v, to)) {
				begin_operation(v);
				if (naive_vc4_draw_tile(v)) {
					return -1;
				}
			} else if (depth == 2) {
				return -1;
			} else {
				stack[depth++] = at;
				at = to;
			}
		} else if (is_rendering ? rendering_record(v, c, size, pending) :
				binning_record(v, c, size)) {
			return -1;
		}
	}
	return 0;
}

int naive_vc4_watched(uint8_t *memory, uint32_t base, uint32_t size, uint32_t ct0ca, uint32_t ct0ea,
		uint32_t ct1ca, uint32_t ct1ea, struct naive_vc4_watch *watch) {
	struct naive_vc4 *v = calloc(1, sizeof(*v));
	if (!v) {
		return -1;
	}
	v->memory = memory;
	v->base = base;
	v->size = size;
	v->watch = watch;
	memset(v->state.window + 5, 0xFF, 4);
	int ret = run(v, false, ct0ca & BUS, ct0ea & BUS);
	if (!ret) {
		ret = run(v, true, ct1ca & BUS, ct1ea & BUS);
	}
	end_operation(v, false, true, true);
	for (unsigned i = 0; i < v->n_states; i++) {
		free(v->states[i]);
	}
	free(v->primitives);
	free(v);
	return ret;
}

int naive_vc4(uint8_t *memory, uint32_t base, uint32_t size, uint32_t ct0ca, uint32_t ct0ea,
		uint32_t ct1ca, uint32_t ct1ea) {
	return naive_vc4_watched(memory, base, size, ct0ca, ct0ea, ct1ca, ct1ea, NULL);
}
