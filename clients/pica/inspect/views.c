/* Pictures of memory at a step, as PNG in base64. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/markup.h"
#include "fields.h"
#include "inspect/calls.h"
#include "pictures/writer.h"

enum { SIDE = 2048, THUMBNAIL = 120, THUMBNAILS_MOST = 32 };

static const char *const kind_words[] = {
	[INSPECT_COLOR] = "color",
	[INSPECT_ALPHA] = "alpha",
	[INSPECT_DEPTH] = "depth",
	[INSPECT_STENCIL] = "stencil",
	[INSPECT_OVERDRAW] = "overdraw",
	[INSPECT_FRAGMENTS] = "fragments",
	[INSPECT_COST] = "cost",
	[INSPECT_BEFORE] = "before",
	[INSPECT_AFTER] = "after",
	[INSPECT_DIFFERENCE] = "difference",
	NULL,
};

const struct option_row inspect_surface_rows[] = {
	INSPECT_PLACE_ROWS,
	INSPECT_NUMBER_ROW("address", address, UINT32_MAX, INSPECT_ADDRESS),
	{ .name = "format",
			.kind = OPTION_TEXT,
			.at = INSPECT_AT(format),
			.given = INSPECT_FORMAT },
	INSPECT_NUMBER_ROW("width", width, SIDE, INSPECT_WIDTH),
	INSPECT_NUMBER_ROW("height", height, SIDE, INSPECT_HEIGHT),
	{ .name = "block32", .kind = OPTION_FLAG, .at = INSPECT_AT(block32) },
	{ .name = "kind", .kind = OPTION_CHOICE, .at = INSPECT_AT(kind), .words = kind_words },
	{ .name = "stored", .kind = OPTION_FLAG, .at = INSPECT_AT(is_stored) },
	{ .name = NULL },
};

const struct option_row inspect_screen_rows[] = {
	INSPECT_FRAME_ROW,
	INSPECT_SCREEN_ROWS,
	{ .name = NULL },
};

const struct option_row inspect_thumbnails_rows[] = {
	INSPECT_FRAME_ROW,
	INSPECT_NUMBER_ROW("first", first, UINT32_MAX - 1, 0),
	INSPECT_NUMBER_ROW("count", count, UINT32_MAX, 0),
	{ .name = NULL },
};

/* {"width", "height", "png"} */
static json_t *picture_json(const struct picture *p) {
	char *png = NULL, *text = NULL;
	size_t n = 0, len = 0;
	FILE *f = open_memstream(&png, &n);
	int ret = f ? writer_png.write(f, p, "") : -ENOMEM;
	if (f && fclose(f) && ret == 0) {
		ret = -ENOMEM;
	}
	f = ret == 0 ? open_memstream(&text, &len) : NULL;
	if (f) {
		markup_base64(f, (const uint8_t *)png, n);
		ret = fclose(f) ? -ENOMEM : 0;
	}
	json_t *out = f && ret == 0 ?
			json_pack("{sI sI ss}", "width", (json_int_t)p->width, "height",
					(json_int_t)p->height, "png", text) :
			NULL;
	free(png);
	free(text);
	return out;
}

/* ---- Kinds ---- */

static int fill_target(const struct inspect_params *p, bool is_depth, struct pica_target *t) {
	const int format = field_value(is_depth ? "DEPTH_FORMAT" : "TEXTURE_FORMAT", p->format);
	if (format < 0 || !p->width || !p->height || p->width % 8 || p->height % 8) {
		return log_fail(format >= 0 ? "expected sides from 8 to 2048, multiples of 8" :
						is_depth ?
					      "format: expected D16, D24 or D24S8" :
					      "format: expected one of a colour buffer or a texture, as in RGBA8");
	}
	*t = (struct pica_target){ .width = p->width, .height = p->height, .block32 = p->block32 };
	*(is_depth ? &t->depth_addr : &t->color_addr) = p->address;
	*(is_depth ? &t->depth_format : &t->color_format) = (uint32_t)format;
	return EXIT_FINE;
}

static int failed(const struct inspect_params *p, int ret) {
	return ret == 0 ? EXIT_FINE :
			  log_fail("0x%08" PRIx32 ": %s", p->address,
					  ret == -ERANGE ? "it does not lie in memory" :
							   strerror(-ret));
}

static int read_color(struct inspect_engine *e, const struct pica_target *t, struct picture *out) {
	const struct gpu gpu = gpu_here(e->here.ctx);
	return t->block32 ? gpu_read_target(out, gpu, t) :
			    gpu_read_surface(out, gpu, t->color_addr, t->color_format, t->width,
					    t->height);
}

/* Reads the colour before or after the step. */
static int read_at(struct inspect_engine *e, const struct inspect_params *p,
		const struct pica_target *t, bool is_before, struct picture *out) {
	struct inspect_place place = p->place;
	place.is_before = is_before;
	const int exit = inspect_engine_go(e, &place);
	return exit == EXIT_FINE ? failed(p, read_color(e, t, out)) : exit;
}

static void alpha_as_grey(struct picture *p) {
	for (size_t i = 0; i < (size_t)p->width * p->height; i++) {
		memset(p->rgb + 3 * i, p->alpha ? p->alpha[i] : 255, 3);
	}
}

static int read_difference(struct inspect_engine *e, const struct inspect_params *p,
		const struct pica_target *t, struct picture *out) {
	struct picture a = { 0 }, b = { 0 };
	int exit = read_at(e, p, t, true, &a);
	exit = exit == EXIT_FINE ? read_at(e, p, t, false, &b) : exit;
	exit = exit == EXIT_FINE ? failed(p, picture_show_difference(out, &a, &b)) : exit;
	picture_finish(&a);
	picture_finish(&b);
	return exit;
}

/* Reads depth or stencil. The smallest value is black, the largest white: range. */
static int read_depth(struct inspect_engine *e, const struct inspect_params *p,
		const struct pica_target *t, uint32_t range[2], struct picture *out) {
	const size_t n = (size_t)t->width * t->height;
	uint32_t *words = malloc(n * sizeof(*words));
	int ret = words ? picture_alloc(out, t->width, t->height) : -ENOMEM;
	ret = ret < 0 ? ret : pica_ctx_read_depth(e->here.ctx, t, words, t->width);
	if (ret == 0) {
		dump_grey(words, n, p->kind == INSPECT_STENCIL ? 24 : 0,
				p->kind == INSPECT_STENCIL                               ? 0xFF :
						t->depth_format == PICA_DEPTH_FORMAT_D16 ? 0xFFFF :
											   0xFFFFFF,
				range, out->rgb);
	}
	free(words);
	return failed(p, ret);
}

static bool is_same(const struct pica_target *a, const struct pica_target *b) {
	return a->color_addr == b->color_addr && a->width == b->width && a->height == b->height &&
			!a->block32 == !b->block32;
}

/* Red: number of fragments of the pixel, green: kept ones; at most 255. */
static void put_fragments(const struct pica_count *count, uint8_t *rgb) {
	rgb[0] = (uint8_t)(count->entered < 255 ? count->entered : 255);
	rgb[1] = (uint8_t)(count->passed < 255 ? count->passed : 255);
}

/* The low byte is red. */
static void put_cost(const struct pica_count *count, uint8_t *rgb) {
	const uint32_t cost = count->cost < 0xFFFFFF ? count->cost : 0xFFFFFF;
	rgb[0] = (uint8_t)cost;
	rgb[1] = (uint8_t)(cost >> 8);
	rgb[2] = (uint8_t)(cost >> 16);
}

/* Makes a picture of the counts, one for each pixel of the target. */
static int read_counts(struct inspect_engine *e, const struct inspect_params *p,
		const struct pica_target *t, struct picture *out) {
	const size_t n = (size_t)t->width * t->height;
	struct pica_count *counts = NULL;
	struct pica_target found;
	int ret = picture_alloc(out, t->width, t->height);
	if (ret == 0) {
		memset(out->rgb, 0, 3 * n);
	}
	for (int i = 0; ret == 0 && !counts && i < pica_ctx_counted(e->here.ctx); i++) {
		ret = pica_ctx_read_counts(e->here.ctx, (unsigned)i, &found, NULL);
		if (ret < 0 || !is_same(&found, t)) {
			continue;
		}
		counts = calloc(n, sizeof(*counts));
		ret = counts ? pica_ctx_read_counts(e->here.ctx, (unsigned)i, &found, counts) :
			       -ENOMEM;
	}
	for (size_t i = 0; ret == 0 && counts && i < n; i++) {
		(p->kind == INSPECT_COST ? put_cost : put_fragments)(&counts[i], out->rgb + 3 * i);
	}
	free(counts);
	return failed(p, ret);
}

static int read_kind(struct inspect_engine *e, struct inspect_params *p,
		const struct pica_target *t, uint32_t range[2], struct picture *out) {
	const enum inspect_kind kind = (enum inspect_kind)p->kind;
	if (kind == INSPECT_DIFFERENCE) {
		return read_difference(e, p, t, out);
	}
	p->place.is_before = kind == INSPECT_BEFORE;
	p->place.counts = kind == INSPECT_OVERDRAW ? INSPECT_COUNT_FRAME :
			kind == INSPECT_COST       ? INSPECT_COUNT_COST :
			kind == INSPECT_FRAGMENTS  ? INSPECT_COUNT_STEP :
						     INSPECT_COUNT_NOTHING;
	const int exit = inspect_engine_go(e, &p->place);
	if (exit != EXIT_FINE) {
		return exit;
	}
	switch (kind) {
	case INSPECT_DEPTH:
	case INSPECT_STENCIL:
		return read_depth(e, p, t, range, out);
	case INSPECT_OVERDRAW:
	case INSPECT_FRAGMENTS:
	case INSPECT_COST:
		return read_counts(e, p, t, out);
	case INSPECT_COLOR:
	case INSPECT_ALPHA:
	case INSPECT_BEFORE:
	case INSPECT_AFTER:
	case INSPECT_DIFFERENCE:
		break;
	}
	const int ret = read_color(e, t, out);
	if (ret == 0 && kind == INSPECT_ALPHA) {
		alpha_as_grey(out);
	}
	return failed(p, ret);
}

int inspect_surface(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	struct pica_target t;
	struct picture picture = { 0 };
	uint32_t range[2] = { 0 };
	const bool is_depth = p->kind == INSPECT_DEPTH || p->kind == INSPECT_STENCIL;
	int exit = fill_target(p, is_depth, &t);
	exit = exit == EXIT_FINE ? read_kind(e, p, &t, range, &picture) : exit;
	if (exit == EXIT_FINE && !p->is_stored) {
		exit = failed(p, picture_turn_screen(&picture));
	}
	if (exit == EXIT_FINE) {
		*out = picture_json(&picture);
	}
	if (*out && is_depth) {
		json_object_set_new(*out, "min", json_integer(range[0]));
		json_object_set_new(*out, "max", json_integer(range[1]));
	}
	picture_finish(&picture);
	return exit;
}

int inspect_screen(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	struct picture picture = { 0 };
	int exit = inspect_engine_go(e, &p->place);
	if (exit != EXIT_FINE) {
		return exit;
	}
	const int ret = gpu_read_screen(&picture, gpu_here(e->here.ctx),
			(enum pica_screen_id)p->pixel.screen, (enum pica_eye)p->pixel.eye);
	if (ret < 0) {
		return log_fail("the %s screen: %s", pixel_screen_words[p->pixel.screen],
				ret == -ENODATA ? "it was never set" : strerror(-ret));
	}
	*out = picture_json(&picture);
	picture_finish(&picture);
	return EXIT_FINE;
}

/* ---- Thumbnails ---- */

/* Reduces the picture to a width of THUMBNAIL by leaving out pixels. */
static int shrink(struct picture *p) {
	const uint32_t by = (p->width + THUMBNAIL - 1) / THUMBNAIL;
	struct picture small = { 0 };
	const int ret = picture_alloc(&small, (p->width + by - 1) / by, (p->height + by - 1) / by);
	for (size_t i = 0; ret == 0 && i < (size_t)small.width * small.height; i++) {
		const size_t x = i % small.width * by, y = i / small.width * by;
		memcpy(small.rgb + 3 * i, p->rgb + 3 * (y * p->width + x), 3);
	}
	picture_finish(p);
	*p = small;
	return ret;
}

/* Returns the surface changed by a step, after it; null: none. */
static json_t *thumbnail(struct inspect_engine *e, const json_t *step) {
	const json_t *change = json_array_get(json_object_get(step, "changes"), 0);
	const json_int_t surface = change ? json_number_of(change, "surface") : -1;
	if (surface < 0 || surface >= (json_int_t)e->steps.n_surfaces) {
		return json_null();
	}
	struct picture picture = { 0 };
	const struct pica_target *t = &e->steps.surface[surface].target;
	int ret = gpu_read_target(&picture, gpu_here(e->here.ctx), t);
	ret = ret < 0 ? ret : picture_turn_screen(&picture);
	ret = ret < 0 ? ret : shrink(&picture);
	json_t *out = ret < 0 ? json_null() : picture_json(&picture);
	picture_finish(&picture);
	return out;
}

struct thumbnails {
	struct inspect_engine *e;
	const json_t *steps; /* borrowed */
	size_t at, end; /* the next one that is wanted */
	json_t *rows;
};

static int on_step(void *user, uint32_t number) {
	struct thumbnails *t = user;
	const json_t *step = json_array_get(t->steps, t->at);
	/* Loads outside all surfaces have no row. */
	if (step && number == (uint32_t)json_number_of(step, "step")) {
		json_array_append_new(t->rows, thumbnail(t->e, step));
		t->at++;
	}
	return t->at >= t->end;
}

int inspect_thumbnails(struct inspect_engine *e, struct inspect_params *p, json_t **out) {
	int exit = inspect_engine_steps(e, p->place.frame);
	if (exit != EXIT_FINE) {
		return exit;
	}
	const json_t *steps = e->steps.steps;
	const size_t n = json_array_size(steps), first = p->first < n ? p->first : n;
	const size_t count = p->count < THUMBNAILS_MOST ? p->count : THUMBNAILS_MOST;
	struct thumbnails t = { .e = e, .steps = steps, .at = first, .rows = json_array() };
	t.end = n - first < count ? n : first + count;
	*out = json_pack("{sI sI so}", "frame", (json_int_t)e->steps_frame, "first",
			(json_int_t)first, "thumbnails", t.rows);
	return t.at < t.end ? inspect_engine_each(e, e->steps_frame, on_step, &t) : EXIT_FINE;
}
