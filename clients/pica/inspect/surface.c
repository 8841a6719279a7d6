/* Pictures of colour buffers and screens, and their changes by steps. */
#include "inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "core/base/morton.h"
#include "fields.h"
#include "pica_history.h"
#include "pica_regs.h"
#include "vc4/list/record.h"
#include "videocore/videocore.h"

enum { COUNT_PLANES = 2 /* entered, passed */, PLANES = 6 /* and R, G, B, A */ };

int64_t inspect_blob_room(struct inspect_blob *b, size_t n) {
	if (n > INSPECT_BLOB_BYTES - b->n) {
		return -EFBIG;
	}
	if (b->cap - b->n < n) {
		const size_t cap = b->cap + b->cap / 2 + n + (1 << 20);
		uint8_t *grown = realloc(b->bytes, cap);
		if (!grown) {
			return -ENOMEM;
		}
		b->bytes = grown;
		b->cap = cap;
	}
	b->n += n;
	return (int64_t)(b->n - n);
}

static void *take(struct inspect *g, size_t n, int64_t *at) {
	*at = inspect_blob_room(&g->blob, n);
	g->error = *at < 0 ? (int)*at : g->error;
	return *at < 0 ? NULL : g->blob.bytes + *at;
}

/* ---- Surfaces ---- */

static bool is_same(const struct pica_target *a, const struct pica_target *b) {
	return a->color_addr == b->color_addr && a->width == b->width && a->height == b->height &&
			a->color_format == b->color_format && a->block32 == b->block32;
}

/* As picture_turn_screen() shows it. */
static bool is_turned(const struct pica_target *t) {
	return t->width == 240 || t->width == 480;
}

static int read_surface(struct inspect *g, struct inspect_surface *s, uint8_t *rgba) {
	const struct pica_target *t = &s->target;
	if (s->picture.width) {
		return videocore_read_picture(g->ctx, &s->picture, rgba);
	}
	uint8_t *rows = malloc((size_t)4 * t->width * t->height);
	int ret = rows ? pica_ctx_read_color(g->ctx, t, rows, (size_t)4 * t->width) : -ENOMEM;
	for (uint32_t y = 0; ret == 0 && y < t->height; y++) {
		for (uint32_t x = 0; x < t->width; x++) {
			const uint32_t to = s->place[tiled_index(x, y, t->width, t->block32)];
			memcpy(rgba + 4 * (size_t)to, rows + 4 * ((size_t)y * t->width + x), 4);
		}
	}
	free(rows);
	return ret;
}

static int fill_places(struct inspect_surface *s) {
	const struct pica_target *t = &s->target;
	const uint32_t block = t->block32 ? 32 : 8;
	s->n = (t->width + block - 1) / block * block * ((t->height + block - 1) / block * block);
	s->place = malloc(s->n * sizeof(*s->place));
	s->rgba = calloc(s->n, 4);
	s->last = calloc(s->n, 4);
	if (!s->place || !s->rgba || !s->last) {
		return -ENOMEM;
	}
	memset(s->place, 0xFF, s->n * sizeof(*s->place)); /* beyond the picture */
	for (uint32_t y = 0; y < t->height; y++) {
		for (uint32_t x = 0; x < t->width; x++) {
			s->place[tiled_index(x, y, t->width, t->block32)] = is_turned(t) ?
					(t->width - 1 - x) * s->width + y : y * s->width + x;
		}
	}
	return 0;
}

int inspect_surface_add(struct inspect *g, const struct pica_target *t) {
	for (unsigned i = 0; i < g->n_surfaces; i++) {
		if (is_same(&g->surface[i].target, t)) {
			return (int)i;
		}
	}
	if (g->is_looking || g->n_surfaces == INSPECT_SURFACES ||
			!t->width || !t->height) {
		return -1;
	}
	struct inspect_surface *s = &g->surface[g->n_surfaces];
	*s = (struct inspect_surface){ .target = *t };
	s->px_bytes = facts_color_bytes(t->color_format);
	s->width = is_turned(t) ? t->height : t->width;
	s->height = is_turned(t) ? t->width : t->height;
	int ret = fill_places(s);
	ret = ret < 0 ? ret : read_surface(g, s, s->rgba);
	if (ret < 0) {
		free(s->place);
		free(s->rgba);
		free(s->last);
		g->error = ret == -ENOMEM ? ret : g->error;
		return -1;
	}
	return (int)g->n_surfaces++;
}

int inspect_picture_add(struct inspect *g, const struct pica_picture *p) {
	for (unsigned i = 0; i < g->n_surfaces; i++) {
		if (memcmp(&g->surface[i].picture, p, sizeof(*p)) == 0) {
			return (int)i;
		}
	}
	if (g->n_surfaces == INSPECT_SURFACES || !videocore_has_picture(g->ctx, p)) {
		return -1;
	}
	struct inspect_surface *s = &g->surface[g->n_surfaces];
	const size_t n = (size_t)p->width * p->height;
	*s = (struct inspect_surface){ .picture = *p,
		.width = p->width,
		.height = p->height,
		.n = (uint32_t)n,
		.rgba = calloc(n, 4),
		.last = calloc(n, 4) };
	g->n_surfaces++;
	g->error = s->rgba && s->last ? g->error : -ENOMEM;
	return (int)g->n_surfaces - 1;
}

static json_t *picture_json(const struct pica_picture *p, int64_t at) {
	const struct vc4_record *store = vc4_record(VC4_OP_STORE_GENERAL);
	return json_pack("{so ss ss sI sI sI sI sb sI}", "addr", json_addr(p->addr), "format",
			vc4_value_text(store, "FORMAT", p->format), "layout",
			vc4_value_text(store, "LAYOUT", p->layout), "width", (json_int_t)p->width,
			"height", (json_int_t)p->height, "memory_width", (json_int_t)p->width,
			"memory_height", (json_int_t)p->height, "turned", 0, "at", (json_int_t)at);
}

int inspect_surfaces_begin(struct inspect *g) {
	for (unsigned i = 0; i < g->n_surfaces; i++) {
		struct inspect_surface *s = &g->surface[i];
		const struct pica_target *t = &s->target;
		const size_t n = (size_t)s->width * s->height;
		int64_t at = 0;
		uint8_t *out = !g->has_planes ? NULL : take(g, 4 * n, &at);
		const int ret = !g->has_planes ? 0 : out ? read_surface(g, s, s->rgba) : g->error;
		if (ret < 0) {
			return ret;
		}
		for (size_t k = 0; out && k < 4 * n; k++) {
			out[k] = s->rgba[k % n * 4 + k / n];
		}
		if (s->picture.width) {
			json_array_append_new(g->surfaces, picture_json(&s->picture, at));
			continue;
		}
		json_array_append_new(g->surfaces,
				json_pack("{so ss so ss sb sI sI sI sI sb sI}", "addr",
						json_addr(t->color_addr), "format",
						field_text("COLOR_FORMAT", t->color_format),
						"depth_addr", json_addr(t->depth_addr),
						"depth_format",
						field_text("DEPTH_FORMAT", t->depth_format),
						"block32", t->block32 != 0,
						"width", (json_int_t)s->width, "height",
						(json_int_t)s->height, "memory_width",
						(json_int_t)t->width, "memory_height",
						(json_int_t)t->height, "turned", is_turned(t), "at",
						(json_int_t)at));
	}
	return 0;
}

void inspect_surfaces_finish(struct inspect *g) {
	for (unsigned i = 0; i < g->n_surfaces; i++) {
		free(g->surface[i].place);
		free(g->surface[i].rgba);
		free(g->surface[i].last);
	}
	g->n_surfaces = 0;
}

/* ---- Changes ---- */

static bool is_written(const struct inspect_range *r, uint64_t addr) {
	return addr >= r->addr && addr - r->addr < r->size &&
			(addr - r->addr) % r->stride < r->line;
}

struct box {
	uint32_t x0, y0, x1, y1; /* exclusive ends */
};

static void box_add(struct box *b, const struct inspect_surface *s, uint32_t place) {
	const uint32_t x = place % s->width, y = place / s->width;
	b->x0 = x < b->x0 ? x : b->x0;
	b->y0 = y < b->y0 ? y : b->y0;
	b->x1 = x >= b->x1 ? x + 1 : b->x1;
	b->y1 = y >= b->y1 ? y + 1 : b->y1;
}

/* Fragments of each pixel of the picture: bytes, at most 255; entered, then passed. */
static void put_counts(const struct inspect_surface *s, const struct pica_count *counts,
		uint8_t *entered, uint8_t *passed) {
	const struct pica_target *t = &s->target;
	for (uint32_t y = 0; y < t->height; y++) {
		for (uint32_t x = 0; x < t->width; x++) {
			const struct pica_count *c = &counts[y * t->width + x];
			const uint32_t to = s->place[tiled_index(x, y, t->width, t->block32)];
			entered[to] = (uint8_t)(c->entered < 255 ? c->entered : 255);
			passed[to] = (uint8_t)(c->passed < 255 ? c->passed : 255);
		}
	}
}

static void put_range(const struct inspect_surface *s, const struct inspect_range *r,
		uint8_t *entered, uint8_t *passed) {
	for (uint32_t i = 0; i < s->n; i++) {
		const uint64_t addr = s->target.color_addr + (uint64_t)s->px_bytes * i;
		if (s->place[i] != UINT32_MAX && is_written(r, addr)) {
			entered[s->place[i]] = passed[s->place[i]] = 1;
		}
	}
}

/* Returns whether put_range() marks any pixel. */
static bool is_touched(const struct inspect_surface *s, const struct inspect_range *r) {
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->place[i] != UINT32_MAX &&
				is_written(r, s->target.color_addr + (uint64_t)s->px_bytes * i)) {
			return true;
		}
	}
	return false;
}

/* Returns whether the step is the first to change the surface, and leaves one colour. */
static bool is_cleared(const struct inspect_surface *s, const struct box *b) {
	const uint8_t *first = s->rgba + 4 * ((size_t)b->y0 * s->width + b->x0);
	for (uint32_t y = b->y0; y < b->y1; y++) {
		for (uint32_t x = b->x0; x < b->x1; x++) {
			if (memcmp(first, s->rgba + 4 * ((size_t)y * s->width + x), 4) != 0) {
				return false;
			}
		}
	}
	return !s->is_changed;
}

/*
 * Adds the rectangle of the touched pixels and its planes. If the surface is cleared, planes of
 * colours, which would repeat the initial picture, are left out.
 */
static void add_change(struct inspect *g, unsigned index, const uint8_t *entered,
		const uint8_t *passed, json_t *out) {
	struct inspect_surface *s = &g->surface[index];
	struct box b = { UINT32_MAX, UINT32_MAX, 0, 0 };
	for (uint32_t i = 0; i < s->width * s->height; i++) {
		if (entered[i] || memcmp(s->rgba + 4 * i, s->last + 4 * i, 4) != 0) {
			box_add(&b, s, i);
		}
	}
	if (b.x0 >= b.x1) {
		return;
	}
	const size_t width = b.x1 - b.x0, n = width * (b.y1 - b.y0);
	const bool cleared = is_cleared(s, &b);
	int64_t at;
	uint8_t *planes = take(g, (cleared ? COUNT_PLANES : PLANES) * n, &at);
	for (size_t k = 0; planes && k < n; k++) {
		const size_t i = (b.y0 + k / width) * s->width + b.x0 + k % width;
		planes[k] = entered[i];
		planes[n + k] = passed[i];
		for (unsigned c = 0; c < 4 && !cleared; c++) {
			planes[(COUNT_PLANES + c) * n + k] =
					s->rgba[4 * i + c] ^ s->last[4 * i + c];
		}
	}
	const uint8_t *color = s->rgba + 4 * ((size_t)b.y0 * s->width + b.x0);
	json_t *change = json_pack("{sI s[IIII] sI}", "surface", (json_int_t)index, "rect",
			(json_int_t)b.x0, (json_int_t)b.y0, (json_int_t)width,
			(json_int_t)(b.y1 - b.y0), "at", (json_int_t)at);
	if (cleared) {
		json_object_set_new(change, "color",
				json_pack("[iiii]", color[0], color[1], color[2], color[3]));
	}
	json_array_append_new(out, change);
	s->is_changed = true;
}

static bool overlaps(const struct inspect_surface *s, uint64_t begin, uint64_t end) {
	return begin < s->target.color_addr + (uint64_t)s->px_bytes * s->n &&
			s->target.color_addr < end;
}

/* Marks changed pixels of a surface other than the draw's. */
static void put_changed(const struct inspect_surface *s, uint8_t *entered, uint8_t *passed) {
	for (uint32_t i = 0; i < s->width * s->height; i++) {
		if (memcmp(s->rgba + 4 * i, s->last + 4 * i, 4) != 0) {
			entered[i] = passed[i] = 1;
		}
	}
}

json_t *inspect_changes(struct inspect *g, int drawn, const struct pica_count *counts,
		const struct inspect_range *range) {
	json_t *out = json_array();
	uint64_t begin = 0, end = UINT64_MAX;
	if (range) {
		begin = range->addr;
		end = begin + range->size;
	} else if (drawn >= 0) {
		begin = g->surface[drawn].target.color_addr;
		end = begin + (uint64_t)g->surface[drawn].px_bytes * g->surface[drawn].n;
	}
	for (unsigned i = 0; i < g->n_surfaces && g->error == 0; i++) {
		struct inspect_surface *s = &g->surface[i];
		/* A draw's depth buffer may also overlap colours. */
		if (range && !overlaps(s, begin, end)) {
			continue;
		}
		if (!g->has_planes) {
			if (range ? is_touched(s, range) : (int)i == drawn) {
				json_array_append_new(out, json_pack("{si}", "surface", (int)i));
			}
			continue;
		}
		uint8_t *marks = calloc(s->n, 2);
		memcpy(s->last, s->rgba, (size_t)4 * s->width * s->height);
		const int ret = marks ? read_surface(g, s, s->rgba) : -ENOMEM;
		g->error = ret < 0 ? ret : g->error;
		if (ret == 0) {
			if (range) {
				put_range(s, range, marks, marks + s->n);
			} else if ((int)i == drawn && counts) {
				put_counts(s, counts, marks, marks + s->n);
			} else {
				put_changed(s, marks, marks + s->n);
			}
			add_change(g, i, marks, marks + s->n, out);
		}
		free(marks);
	}
	return out;
}

/* ---- Screens ---- */

/* The origin of a pixel: the surface, its pixel, and the job that read it. */
struct origin {
	uint32_t surface, place;
	uint64_t offset;
};

/* Follows the byte at addr back through transfers and copies. */
static bool find_origin(struct inspect *g, uint32_t addr, struct origin *out) {
	struct pica_history_entry e = { .frame = UINT32_MAX, .event = UINT32_MAX };
	bool is_moved = false;
	for (unsigned hops = 0; hops < 8; hops++) {
		if (!pica_ctx_trace(g->ctx, addr, e.frame, e.event, &e) || !e.n_sources) {
			break;
		}
		addr = e.source[0].addr;
		out->offset = e.user_data;
		is_moved = true;
	}
	for (unsigned i = 0; i < g->n_surfaces; i++) {
		const struct inspect_surface *s = &g->surface[i];
		const uint64_t pixel = addr < s->target.color_addr ? UINT64_MAX :
				(addr - s->target.color_addr) / s->px_bytes;
		if (pixel < s->n && s->place[pixel] != UINT32_MAX) {
			out->surface = i;
			out->place = s->place[pixel];
			out->offset = is_moved ? out->offset : UINT64_MAX;
			return true;
		}
	}
	return false;
}

/* Returns the step of a job, by its position in the capture. */
static uint32_t find_step(const struct inspect *g, uint64_t offset) {
	size_t i = json_array_size(g->steps);
	while (i-- > 0) {
		const json_t *step = json_array_get(g->steps, i);
		if (offset == UINT64_MAX ||
				(uint64_t)json_number_of(step, "offset") == offset) {
			return (uint32_t)i + (offset == UINT64_MAX);
		}
	}
	return 0;
}

static void put_u32(uint8_t *planes, size_t n, size_t i, uint32_t v) {
	for (unsigned k = 0; k < 4; k++) {
		planes[k * n + i] = (uint8_t)(v >> 8 * k);
	}
}

/* Planes of a screen, as in docs/inspect.md. */
static json_t *screen_json(struct inspect *g, enum pica_screen_id id) {
	static const uint8_t black[4];
	struct pica_screen screen;
	if (pica_ctx_screen(g->ctx, id, &screen) < 0 || !screen.is_set) {
		return NULL;
	}
	const char *name = id == PICA_SCREEN_TOP ? "top" : "bottom";
	if (!g->has_planes) {
		return json_pack("{ss sI sI}", "screen", name, "width", (json_int_t)screen.width,
				"height", (json_int_t)screen.height);
	}
	const size_t n = (size_t)screen.width * screen.height;
	uint8_t *rgb = malloc(3 * n);
	int64_t at = 0;
	uint8_t *planes = rgb ? take(g, 12 * n, &at) : NULL;
	const int ret = planes ? pica_ctx_read_screen(g->ctx, id, PICA_EYE_LEFT, rgb,
			(size_t)3 * screen.width) : -ENOMEM;
	g->error = ret < 0 && g->error == 0 ? ret : g->error;
	uint32_t last = 0, step = 0;
	uint64_t offset = UINT64_MAX - 1;
	for (size_t i = 0; ret == 0 && i < n; i++) {
		struct pica_watch pixel;
		uint32_t format;
		struct origin o = { 0 };
		const uint32_t x = (uint32_t)i % screen.width, y = (uint32_t)i / screen.width;
		const bool found = pica_ctx_screen_pixel(g->ctx, id, PICA_EYE_LEFT, x, y, &pixel,
						   &format) == 0 &&
				find_origin(g, pixel.addr, &o);
		const uint8_t *under = found ? g->surface[o.surface].rgba + 4 * (size_t)o.place :
					       black;
		if (found && o.offset != offset) {
			offset = o.offset;
			step = find_step(g, offset);
		}
		for (unsigned c = 0; c < 3; c++) {
			planes[c * n + i] = rgb[3 * i + c] ^ under[c];
		}
		planes[3 * n + i] = (uint8_t)(found ? o.surface + 1 : 0);
		put_u32(planes + 4 * n, n, i, found ? step : 0);
		put_u32(planes + 8 * n, n, i, found ? o.place - last : 0);
		last = found ? o.place : last;
	}
	free(rgb);
	return json_pack("{ss sI sI sI}", "screen", name, "width", (json_int_t)screen.width,
			"height", (json_int_t)screen.height, "at", (json_int_t)at);
}

json_t *inspect_screens(struct inspect *g) {
	json_t *rows = json_array();
	for (unsigned id = PICA_SCREEN_TOP; id <= PICA_SCREEN_BOTTOM && g->error == 0; id++) {
		json_t *row = screen_json(g, (enum pica_screen_id)id);
		if (row) {
			json_array_append_new(rows, row);
		}
	}
	return rows;
}

json_t *inspect_pictures(struct inspect *g) {
	json_t *rows = json_array();
	struct pica_picture p;
	unsigned i = 0;
	const int ret = pica_ctx_picture(g->ctx, &p);
	while (i < g->n_surfaces && memcmp(&g->surface[i].picture, &p, sizeof(p)) != 0) {
		i++;
	}
	if (ret < 0 || i == g->n_surfaces) {
		return rows;
	}
	int64_t at = 0;
	const size_t n = g->surface[i].n;
	uint8_t *planes = take(g, 12 * n, &at);
	for (size_t k = 0; planes && k < n; k++) {
		for (unsigned c = 0; c < 3; c++) {
			planes[c * n + k] = 0;
		}
		planes[3 * n + k] = (uint8_t)(i + 1);
		put_u32(planes + 4 * n, n, k, (uint32_t)json_array_size(g->steps));
		put_u32(planes + 8 * n, n, k, k > 0);
	}
	json_array_append_new(rows, json_pack("{ss sI sI sI}", "screen", "picture", "width",
			(json_int_t)p.width, "height", (json_int_t)p.height, "at", (json_int_t)at));
	return rows;
}
