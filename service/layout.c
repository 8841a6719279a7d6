#include "service/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TOP_WIDTH = 400, BOTTOM_WIDTH = 320, SCREEN_HEIGHT = 240 };

void layout_init(struct layout *l) {
	*l = (struct layout){ .kind = LAYOUT_STACKED,
		.scale = LAYOUT_INTEGER,
		.times = 1,
		.filter = PICA_SHOW_NEAREST };
}

/* ---- Names ---- */

static int find_name(const char *const *names, unsigned n, const char *name) {
	for (unsigned i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0) {
			return (int)i;
		}
	}
	return -EINVAL;
}

#define FIND(names, name) find_name(names, sizeof(names) / sizeof((names)[0]), name)

int layout_set_kind(struct layout *l, const char *name) {
	static const char *const names[] = { [LAYOUT_STACKED] = "stacked",
		[LAYOUT_SIDE_BY_SIDE] = "side-by-side",
		[LAYOUT_TOP] = "top",
		[LAYOUT_BOTTOM] = "bottom",
		[LAYOUT_SPLIT] = "split-outputs" };
	int i = FIND(names, name);
	if (i >= 0) {
		l->kind = (enum layout_kind)i;
	}
	return i < 0 ? i : 0;
}

int layout_set_scale(struct layout *l, const char *name) {
	static const char *const names[] = {
		[LAYOUT_INTEGER] = "integer", [LAYOUT_FIT] = "fit", [LAYOUT_STRETCH] = "stretch"
	};
	int i = FIND(names, name);
	if (i < 0) {
		char *end;
		unsigned long times =
				name[0] >= '1' && name[0] <= '9' ? strtoul(name, &end, 10) : 0;
		if (times < 1 || times > LAYOUT_MAX_TIMES || *end) {
			return -EINVAL;
		}
		l->times = (uint32_t)times;
		i = LAYOUT_TIMES;
	}
	l->scale = (enum layout_scale)i;
	return 0;
}

int layout_set_filter(struct layout *l, const char *name) {
	static const char *const names[] = {
		[PICA_SHOW_NEAREST] = "nearest", [PICA_SHOW_BILINEAR] = "bilinear"
	};
	int i = FIND(names, name);
	if (i >= 0) {
		l->filter = (enum pica_show_filter)i;
	}
	return i < 0 ? i : 0;
}

int layout_set_rotation(struct layout *l, const char *degrees) {
	static const char *const names[] = { "0", "90", "180", "270" };
	int i = FIND(names, degrees);
	if (i >= 0) {
		l->turns = (uint32_t)i;
	}
	return i < 0 ? i : 0;
}

int layout_set_background(struct layout *l, const char *rrggbb) {
	rrggbb += rrggbb[0] == '#';
	const size_t n = strspn(rrggbb, "0123456789abcdefABCDEF");
	if (n != 6 || rrggbb[n]) {
		return -EINVAL;
	}
	l->background = (uint32_t)strtoul(rrggbb, NULL, 16);
	return 0;
}

int layout_set_stereo(struct layout *l, const char *name) {
	static const char *const names[] = { [LAYOUT_MONO] = "left",
		[LAYOUT_EYES_BESIDE] = "side-by-side",
		[LAYOUT_EYES_ANAGLYPH] = "anaglyph" };
	int i = FIND(names, name);
	if (i >= 0) {
		l->stereo = (enum layout_stereo)i;
	}
	return i < 0 ? i : 0;
}

/* ---- The canvas ---- */

struct canvas {
	struct layout_place place[LAYOUT_PLACES]; /* x, y >= 0, in console pixels */
	unsigned n;
	uint32_t width, height;
};

static void add(struct canvas *c, enum pica_screen_id screen, enum pica_show_eyes eyes, uint32_t x,
		uint32_t y) {
	const uint32_t width = screen == PICA_SCREEN_TOP ? TOP_WIDTH : BOTTOM_WIDTH;
	c->place[c->n++] = (struct layout_place){ screen, eyes, (int32_t)x, (int32_t)y, width,
		SCREEN_HEIGHT };
	c->width = x + width > c->width ? x + width : c->width;
	c->height = y + SCREEN_HEIGHT > c->height ? y + SCREEN_HEIGHT : c->height;
}

static void add_top(struct canvas *c, const struct layout *l) {
	if (l->stereo == LAYOUT_EYES_BESIDE) {
		add(c, PICA_SCREEN_TOP, PICA_SHOW_LEFT, 0, 0);
		add(c, PICA_SCREEN_TOP, PICA_SHOW_RIGHT, TOP_WIDTH, 0);
	} else {
		add(c, PICA_SCREEN_TOP,
				l->stereo == LAYOUT_EYES_ANAGLYPH ? PICA_SHOW_ANAGLYPH :
								    PICA_SHOW_LEFT,
				0, 0);
	}
}

static void add_bottom(struct canvas *c, uint32_t x, uint32_t y) {
	add(c, PICA_SCREEN_BOTTOM, PICA_SHOW_LEFT, x, y);
}

static enum layout_kind kind_on(const struct layout *l, unsigned output, unsigned n_outputs) {
	if (l->kind != LAYOUT_SPLIT) {
		return l->kind;
	}
	return n_outputs < 2 ? LAYOUT_STACKED
	       : output == 0 ? LAYOUT_TOP
	       : output == 1 ? LAYOUT_BOTTOM
			     : LAYOUT_SPLIT;
}

static void make_canvas(struct canvas *c, const struct layout *l, enum layout_kind kind) {
	*c = (struct canvas){ .n = 0 };
	switch (kind) {
	case LAYOUT_STACKED:
		add_top(c, l);
		add_bottom(c, (c->width - BOTTOM_WIDTH) / 2, SCREEN_HEIGHT);
		break;
	case LAYOUT_SIDE_BY_SIDE:
		add_top(c, l);
		add_bottom(c, c->width, 0);
		break;
	case LAYOUT_TOP:
		add_top(c, l);
		break;
	case LAYOUT_BOTTOM:
		add_bottom(c, 0, 0);
		break;
	case LAYOUT_SPLIT: /* a third output: nothing */
		break;
	}
}

/* ---- On the output ---- */

/* A fraction for each direction: pixels per console pixel. */
struct ratio {
	uint64_t num[2], den[2];
};

static struct ratio ratio_of(
		const struct layout *l, const uint32_t canvas[2], const uint32_t view[2]) {
	const struct ratio stretch = { { view[0], view[1] }, { canvas[0], canvas[1] } };
	const unsigned tight =
			(uint64_t)view[0] * canvas[1] <= (uint64_t)view[1] * canvas[0] ? 0 : 1;
	const struct ratio fit = { { view[tight], view[tight] }, { canvas[tight], canvas[tight] } };
	const uint64_t times = view[tight] / canvas[tight];
	switch (l->scale) {
	case LAYOUT_INTEGER:
		return times ? (struct ratio){ { times, times }, { 1, 1 } } : fit;
	case LAYOUT_FIT:
		return fit;
	case LAYOUT_STRETCH:
		return stretch;
	case LAYOUT_TIMES:
		break;
	}
	return (struct ratio){ { l->times, l->times }, { 1, 1 } };
}

static int32_t scaled(const struct ratio *r, unsigned axis, uint32_t at) {
	return (int32_t)(at * r->num[axis] / r->den[axis]);
}

/* Rotates a place of the view, that is, of the output before rotation. */
static void turn(struct layout_place *p, uint32_t turns, uint32_t width, uint32_t height) {
	const int32_t x = p->x, y = p->y;
	const uint32_t w = p->width, h = p->height;
	switch (turns) {
	case 0:
		return;
	case 1:
		p->x = (int32_t)width - (y + (int32_t)h);
		p->y = x;
		break;
	case 2:
		p->x = (int32_t)width - (x + (int32_t)w);
		p->y = (int32_t)height - (y + (int32_t)h);
		return;
	default:
		p->x = y;
		p->y = (int32_t)height - (x + (int32_t)w);
		break;
	}
	p->width = h;
	p->height = w;
}

/* Edges are scaled, not sizes: screens that touch on the canvas touch on the output. */
static void put(const struct layout *l, uint32_t width, uint32_t height, const uint32_t canvas[2],
	struct layout_place *places, unsigned n) {
	const uint32_t view[2] = { l->turns & 1 ? height : width, l->turns & 1 ? width : height };
	const struct ratio r = ratio_of(l, canvas, view);
	const int32_t left = ((int32_t)view[0] - scaled(&r, 0, canvas[0])) / 2;
	const int32_t top = ((int32_t)view[1] - scaled(&r, 1, canvas[1])) / 2;
	for (unsigned i = 0; i < n; i++) {
		struct layout_place *p = &places[i];
		const uint32_t x = (uint32_t)p->x, y = (uint32_t)p->y;
		const int32_t x0 = scaled(&r, 0, x), y0 = scaled(&r, 1, y);
		p->width = (uint32_t)(scaled(&r, 0, x + p->width) - x0);
		p->height = (uint32_t)(scaled(&r, 1, y + p->height) - y0);
		p->x = left + x0;
		p->y = top + y0;
		turn(p, l->turns, width, height);
	}
}

void layout_size(const struct layout *l, uint32_t *width, uint32_t *height) {
	const uint32_t times = l->scale == LAYOUT_TIMES ? l->times : 1;
	struct canvas c;
	make_canvas(&c, l, kind_on(l, 0, 1));
	*width = times * (l->turns & 1 ? c.height : c.width);
	*height = times * (l->turns & 1 ? c.width : c.height);
}

unsigned layout_places(const struct layout *l, unsigned output, unsigned n_outputs, uint32_t width,
	uint32_t height, struct layout_place out[LAYOUT_PLACES]) {
	struct canvas c;
	make_canvas(&c, l, kind_on(l, output, n_outputs));
	if (c.n) {
		const uint32_t size[2] = { c.width, c.height };
		put(l, width, height, size, c.place, c.n);
		memcpy(out, c.place, c.n * sizeof(*out));
	}
	return c.n;
}

void layout_picture(const struct layout *l, uint32_t width, uint32_t height, uint32_t picture_width,
	uint32_t picture_height, struct layout_place *out) {
	const uint32_t size[2] = { picture_width, picture_height };
	*out = (struct layout_place){ .width = picture_width, .height = picture_height };
	put(l, width, height, size, out, 1);
}

/* ---- Background ---- */

bool layout_visible(const struct layout_place *p, uint32_t width, uint32_t height,
		struct display_rect *out) {
	const int64_t x0 = p->x < 0 ? 0 : p->x, y0 = p->y < 0 ? 0 : p->y;
	int64_t x1 = (int64_t)p->x + p->width, y1 = (int64_t)p->y + p->height;
	x1 = x1 < width ? x1 : width;
	y1 = y1 < height ? y1 : height;
	if (x0 >= x1 || y0 >= y1) {
		return false;
	}
	*out = (struct display_rect){ (uint32_t)x0, (uint32_t)y0, (uint32_t)(x1 - x0),
		(uint32_t)(y1 - y0) };
	return true;
}

static unsigned add_rect(
	struct display_rect *out, unsigned n, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) {
	if (x0 < x1 && y0 < y1) {
		out[n++] = (struct display_rect){ x0, y0, x1 - x0, y1 - y0 };
	}
	return n;
}

/*
 * Cuts a hole out of a rectangle: stores the parts above, below and on its sides. Returns their
 * number.
 */
static unsigned cut(const struct display_rect *r, const struct display_rect *hole,
		struct display_rect *out, unsigned n) {
	const uint32_t rx1 = r->x + r->width, ry1 = r->y + r->height;
	const uint32_t hx1 = hole->x + hole->width, hy1 = hole->y + hole->height;
	if (hole->x >= rx1 || hx1 <= r->x || hole->y >= ry1 || hy1 <= r->y) {
		out[n] = *r;
		return n + 1;
	}
	const uint32_t y0 = hole->y > r->y ? hole->y : r->y, y1 = hy1 < ry1 ? hy1 : ry1;
	n = add_rect(out, n, r->x, r->y, rx1, y0);
	n = add_rect(out, n, r->x, y0, hole->x, y1);
	n = add_rect(out, n, hx1, y0, rx1, y1);
	return add_rect(out, n, r->x, y1, rx1, ry1);
}

unsigned layout_rest(const struct layout_place *places, unsigned n, uint32_t width, uint32_t height,
	struct display_rect out[LAYOUT_REST]) {
	/*
	 * Screens lie in one row, or in two: a hole meets one of the remaining rectangles, and cuts
	 * it into at most four.
	 */
	struct display_rect now[4 * LAYOUT_REST];
	unsigned n_out = 1;
	out[0] = (struct display_rect){ 0, 0, width, height };
	for (unsigned i = 0; i < n; i++) {
		struct display_rect hole;
		unsigned n_now = 0;
		if (!layout_visible(&places[i], width, height, &hole)) {
			continue;
		}
		for (unsigned k = 0; k < n_out; k++) {
			n_now = cut(&out[k], &hole, now, n_now);
		}
		n_out = n_now < LAYOUT_REST ? n_now : LAYOUT_REST;
		memcpy(out, now, n_out * sizeof(*out));
	}
	return n_out;
}
