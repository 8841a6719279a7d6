#include "canvas.h"

#include <errno.h>

#include "pictures/font.h"

enum { CORNERS = 4, QUAD_INDICES = 6 };

/* scale.xy: the size of a texel in texture coordinates; rows of texels run down, v runs up. */
static const char program_source[] =
		".fvec projection[4], scale\n"
		".constf k(0.0, 1.0, 0.003921569, 0.0)\n"
		OUT_COLOR
		".out out_tex texcoord0\n"
		".in in_pos v0\n"
		".in in_texel v1\n"
		".in in_color v2\n"
		".proc main\n"
		"	mov r0.xy, in_pos\n"
		"	mov r0.zw, k.xxxy\n"
		PROJECT("r0")
		"	mul r1.xy, scale.xy, in_texel.xy\n"
		"	mov out_tex.x, r1.x\n"
		"	add out_tex.y, k.y, -r1.y\n"
		"	mul out_color, k.zzzz, in_color\n"
		END;

static const struct vertex_format format = { sizeof(struct canvas_vertex), 3,
	{ { PICA_ATTRIB_TYPE_S16, 2 }, { PICA_ATTRIB_TYPE_S16, 2 }, { PICA_ATTRIB_TYPE_U8, 4 } } };

void canvas_store(struct recorder *r) {
	static uint16_t index[CANVAS_QUADS * QUAD_INDICES];
	uint16_t *next = index;
	for (unsigned i = 0; i < CANVAS_QUADS * CORNERS; i += CORNERS) {
		next = put_quad(next, i, i + 1, i + 2, i + 3);
	}
	r->canvas.indices = recorder_store(r, index, sizeof(index));
	r->canvas.font = store_texture(r, PICA_TEXTURE_FORMAT_A4, FONT_SIZE, 1, picture_font);
	set_filter(&r->canvas.font, PICA_FILTER_NEAREST);
}

/* Returns space for a quad, or NULL if there is none; n_quads counts it either way. */
static struct canvas_vertex *next_quad(struct recorder *r) {
	struct canvas *c = &r->canvas;
	unsigned i = c->n_quads++;
	return i < CANVAS_QUADS ? &c->v[i * CORNERS] : NULL;
}

void canvas_sprite(struct recorder *r, int x, int y, int w, int h, int u, int v, int tw, int th,
		uint32_t rgba) {
	struct canvas_vertex *q = next_quad(r);
	for (unsigned k = 0; q && k < CORNERS; k++) {
		int right = k & 1, down = k >> 1;
		q[k] = (struct canvas_vertex){ .x = (int16_t)(x + right * w),
			.y = (int16_t)(y + down * h),
			.u = (int16_t)(u + right * tw),
			.v = (int16_t)(v + down * th) };
		put_color(q[k].rgba, 4, rgba);
	}
}

void canvas_corners(struct recorder *r, const uint32_t rgba[4]) {
	struct canvas *c = &r->canvas;
	for (unsigned k = 0; k < CORNERS && c->n_quads > 0 && c->n_quads <= CANVAS_QUADS; k++) {
		put_color(c->v[(c->n_quads - 1) * CORNERS + k].rgba, 4, rgba[k]);
	}
}

void canvas_gradient(struct recorder *r, int x, int y, int w, int h, const uint32_t rgba[4]) {
	const int u = FONT_SOLID % 16 * FONT_CELL, v = FONT_SOLID / 16 * FONT_CELL;
	canvas_sprite(r, x, y, w, h, u, v, FONT_CELL, FONT_CELL, 0);
	canvas_corners(r, rgba);
}

void canvas_rect(struct recorder *r, int x, int y, int w, int h, uint32_t rgba) {
	const uint32_t corners[4] = { rgba, rgba, rgba, rgba };
	canvas_gradient(r, x, y, w, h, corners);
}

void canvas_frame(struct recorder *r, int x, int y, int w, int h, uint32_t rgba) {
	canvas_rect(r, x, y, w, 1, rgba);
	canvas_rect(r, x, y + h - 1, w, 1, rgba);
	canvas_rect(r, x, y + 1, 1, h - 2, rgba);
	canvas_rect(r, x + w - 1, y + 1, 1, h - 2, rgba);
}

void canvas_sky(struct recorder *r, int x, int y, int w, int h, uint32_t high, uint32_t low) {
	const uint32_t corners[4] = { high, high, low, low };
	canvas_gradient(r, x, y, w, h, corners);
}

static int smaller(int a, int b) {
	return a < b ? a : b;
}

void canvas_checkers(struct recorder *r, int x, int y, int w, int h, int size) {
	canvas_rect(r, x, y, w, h, 0x9A9AA0FF);
	for (int j = 0; j * size < h; j++) {
		for (int i = j & 1; i * size < w; i += 2) {
			canvas_rect(r, x + i * size, y + j * size, smaller(size, w - i * size),
					smaller(size, h - j * size), 0x6A6A72FF);
		}
	}
}

void canvas_text(struct recorder *r, int x, int y, uint32_t rgba, const char *text) {
	for (; *text; text++) {
		const unsigned code = (unsigned char)*text;
		if (code != ' ') {
			canvas_sprite(r, x, y, FONT_CELL, FONT_CELL, (int)(code % 16 * FONT_CELL),
					(int)(code / 16 * FONT_CELL), FONT_CELL, FONT_CELL, rgba);
		}
		x += (int)font_advance(*text);
	}
}

void canvas_text_centered(struct recorder *r, int x, int y, uint32_t rgba, const char *text) {
	canvas_text(r, x - (int)font_width(text) / 2, y, rgba, text);
}

void canvas_label(struct recorder *r, int x, int y, const char *text) {
	canvas_text_centered(r, x, y, 0xD8DCE8FF, text);
}

void canvas_title(struct recorder *r, const char *text) {
	canvas_text_centered(r, (int)r->width / 2, 3, 0xFFC080FF, text);
}

struct mat4 canvas_projection(const struct recorder *r) {
	/* From the top down. */
	return mat4_tilt(mat4_mul3(mat4_pixels((float)r->width, SCREEN_HEIGHT),
			mat4_translate(0, SCREEN_HEIGHT, 0), mat4_scale(1, -1, 1)));
}

void canvas_use(struct recorder *r, const struct pica_texture *t) {
	struct canvas *c = &r->canvas;
	const float scale[4] = { 1.0f / (float)t->width, 1.0f / (float)t->height, 0, 0 };
	if (c->n_quads > CANVAS_QUADS) {
		recorder_fail(r, -ENOSPC);
		c->n_quads = CANVAS_QUADS;
	}
	use_projected(r, program_source, canvas_projection(r));
	set_uniform(r, "scale", scale, 1);
	use_texture(r, t);
	if (c->n_quads > 0) {
		const struct mesh m = mesh_store(
				r, &format, PICA_PRIMITIVE_LIST, c->v, c->n_quads * CORNERS);
		mesh_use(r, &m);
	}
	c->n_quads = 0;
}

void canvas_draw_quads(struct recorder *r, unsigned first, unsigned n) {
	const struct mesh quads = { .indices = r->canvas.indices, .primitive = PICA_PRIMITIVE_LIST
			};
	if (n > 0) {
		mesh_draw_part(r, &quads, first * QUAD_INDICES, n * QUAD_INDICES);
	}
}

void canvas_draw_textured(struct recorder *r, const struct pica_texture *t) {
	const unsigned n = r->canvas.n_quads < CANVAS_QUADS ? r->canvas.n_quads : CANVAS_QUADS;
	canvas_use(r, t);
	canvas_draw_quads(r, 0, n);
}

void canvas_draw(struct recorder *r) {
	/* The vertex colour, with the font's alpha. */
	tev_shape(r);
	blend_over(r);
	canvas_draw_textured(r, &r->canvas.font);
}
