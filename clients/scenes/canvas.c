#include "canvas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/font.h"
#include "texture.h"

enum { CORNERS = 4, QUAD_INDICES = 6 };

/* scale.xy: what a texel is of the texture's size; rows of texels run down, v runs up. */
static const char program_source[] =
		".fvec projection[4], scale\n"
		".constf k(0.0, 1.0, 0.003921569, 0.0)\n"
		".out out_pos position\n"
		".out out_color color\n"
		".out out_tex texcoord0\n"
		".in in_pos v0\n"
		".in in_texel v1\n"
		".in in_color v2\n"
		".proc main\n"
		"	mov r0.xy, in_pos\n"
		"	mov r0.zw, k.xxxy\n"
		"	dp4 out_pos.x, projection[0], r0\n"
		"	dp4 out_pos.y, projection[1], r0\n"
		"	dp4 out_pos.z, projection[2], r0\n"
		"	dp4 out_pos.w, projection[3], r0\n"
		"	mul r1.xy, scale.xy, in_texel.xy\n"
		"	mov out_tex.x, r1.x\n"
		"	add out_tex.y, k.y, -r1.y\n"
		"	mul out_color, k.zzzz, in_color\n"
		"	end\n"
		".end\n";

static void store_indices(struct canvas *c, struct recorder *r, uint16_t *index) {
	for (unsigned i = 0; i < CANVAS_QUADS; i++) {
		static const uint16_t corner[QUAD_INDICES] = { 0, 1, 2, 2, 1, 3 };
		for (unsigned k = 0; k < QUAD_INDICES; k++) {
			index[i * QUAD_INDICES + k] = (uint16_t)(i * CORNERS + corner[k]);
		}
	}
	c->indices = recorder_store(r, index, CANVAS_QUADS * QUAD_INDICES * sizeof(*index));
}

int canvas_init(struct canvas *c, struct recorder *r) {
	memset(c, 0, sizeof(*c));
	uint16_t *index = malloc(CANVAS_QUADS * QUAD_INDICES * sizeof(*index));
	c->v = malloc(CANVAS_QUADS * CORNERS * sizeof(*c->v));
	int ret = index && c->v ? program_create(&c->program, "canvas", program_source, NULL) :
				  -ENOMEM;
	if (ret == 0) {
		store_indices(c, r, index);
		recorder_store_texture(
				r, &c->font, PICA_TEXTURE_FORMAT_A4, FONT_SIZE, 1, picture_font);
		c->font.mag = PICA_FILTER_NEAREST;
		c->font.min = PICA_FILTER_NEAREST;
	}
	free(index);
	return ret;
}

void canvas_finish(struct canvas *c) {
	program_destroy(&c->program);
	free(c->v);
	c->v = NULL;
}

/* Room for a quad; n_quads counts on when there is none. */
static struct canvas_vertex *next_quad(struct canvas *c) {
	unsigned i = c->n_quads++;
	return i < CANVAS_QUADS ? &c->v[i * CORNERS] : NULL;
}

static void set_color(struct canvas_vertex *v, uint32_t rgba) {
	for (unsigned k = 0; k < 4; k++) {
		v->rgba[k] = (uint8_t)(rgba >> (24 - 8 * k));
	}
}

void canvas_sprite(struct canvas *c, int x, int y, int w, int h, int u, int v, int tw, int th,
		uint32_t rgba) {
	struct canvas_vertex *q = next_quad(c);
	for (unsigned k = 0; q && k < CORNERS; k++) {
		int right = k & 1, down = k >> 1;
		q[k] = (struct canvas_vertex){ .x = (int16_t)(x + right * w),
			.y = (int16_t)(y + down * h),
			.u = (int16_t)(u + right * tw),
			.v = (int16_t)(v + down * th) };
		set_color(&q[k], rgba);
	}
}

void canvas_corners(struct canvas *c, const uint32_t rgba[4]) {
	for (unsigned k = 0; k < CORNERS && c->n_quads > 0 && c->n_quads <= CANVAS_QUADS; k++) {
		set_color(&c->v[(c->n_quads - 1) * CORNERS + k], rgba[k]);
	}
}

void canvas_gradient(struct canvas *c, int x, int y, int w, int h, const uint32_t rgba[4]) {
	const int u = FONT_SOLID % 16 * FONT_CELL, v = FONT_SOLID / 16 * FONT_CELL;
	canvas_sprite(c, x, y, w, h, u, v, FONT_CELL, FONT_CELL, 0);
	canvas_corners(c, rgba);
}

void canvas_rect(struct canvas *c, int x, int y, int w, int h, uint32_t rgba) {
	const uint32_t corners[4] = { rgba, rgba, rgba, rgba };
	canvas_gradient(c, x, y, w, h, corners);
}

void canvas_frame(struct canvas *c, int x, int y, int w, int h, uint32_t rgba) {
	canvas_rect(c, x, y, w, 1, rgba);
	canvas_rect(c, x, y + h - 1, w, 1, rgba);
	canvas_rect(c, x, y + 1, 1, h - 2, rgba);
	canvas_rect(c, x + w - 1, y + 1, 1, h - 2, rgba);
}

static int smaller(int a, int b) {
	return a < b ? a : b;
}

void canvas_checkers(struct canvas *c, int x, int y, int w, int h, int size) {
	canvas_rect(c, x, y, w, h, 0x9A9AA0FF);
	for (int j = 0; j * size < h; j++) {
		for (int i = j & 1; i * size < w; i += 2) {
			canvas_rect(c, x + i * size, y + j * size, smaller(size, w - i * size),
					smaller(size, h - j * size), 0x6A6A72FF);
		}
	}
}

void canvas_text(struct canvas *c, int x, int y, uint32_t rgba, const char *text) {
	for (; *text; text++) {
		const unsigned code = (unsigned char)*text;
		if (code != ' ') {
			canvas_sprite(c, x, y, FONT_CELL, FONT_CELL, (int)(code % 16 * FONT_CELL),
					(int)(code / 16 * FONT_CELL), FONT_CELL, FONT_CELL, rgba);
		}
		x += (int)font_advance(*text);
	}
}

void canvas_text_centered(struct canvas *c, int x, int y, uint32_t rgba, const char *text) {
	canvas_text(c, x - (int)font_width(text) / 2, y, rgba, text);
}

struct mat4 canvas_projection(unsigned width) {
	/* From the top down. */
	struct mat4 m = mat4_mul(mat4_pixels((float)width, SCREEN_HEIGHT),
			mat4_mul(mat4_translate(0, SCREEN_HEIGHT, 0), mat4_scale(1, -1, 1)));
	return mat4_tilt(m);
}

void canvas_use(struct canvas *c, struct recorder *r, unsigned width,
		const struct pica_texture *t) {
	static const struct pica_attribute_format format[3] = { { PICA_ATTRIB_TYPE_S16, 2 },
		{ PICA_ATTRIB_TYPE_S16, 2 }, { PICA_ATTRIB_TYPE_U8, 4 } };
	const float scale[4] = { 1.0f / (float)t->width, 1.0f / (float)t->height, 0, 0 };
	if (c->n_quads > CANVAS_QUADS) {
		r->error = r->error ? r->error : -ENOSPC;
		c->n_quads = CANVAS_QUADS;
	}
	const struct mat4 m = canvas_projection(width);
	program_use(r, &c->program);
	program_matrix(r, &c->program, 0, "projection", &m);
	program_uniform(r, &c->program, 0, "scale", scale, 1);
	pica_emit_texture(&r->list, 0, t);
	pica_emit_texture_units(&r->list, 1, 0, false);
	if (c->n_quads > 0) {
		uint32_t array = recorder_store(r, c->v,
				(uint32_t)(c->n_quads * CORNERS * sizeof(*c->v)));
		use_array(r, array, sizeof(*c->v), 3, format);
	}
	c->n_quads = 0;
}

void canvas_draw_quads(struct canvas *c, struct recorder *r, unsigned first, unsigned n) {
	if (n > 0) {
		pica_emit_draw_elements(&r->list, PICA_PRIMITIVE_LIST,
				c->indices - ARRAY_BASE +
						first * QUAD_INDICES * (uint32_t)sizeof(uint16_t),
				true, n * QUAD_INDICES);
	}
}

void canvas_draw_textured(struct canvas *c, struct recorder *r, unsigned width,
		const struct pica_texture *t) {
	const unsigned n = c->n_quads < CANVAS_QUADS ? c->n_quads : CANVAS_QUADS;
	canvas_use(c, r, width, t);
	canvas_draw_quads(c, r, 0, n);
}

void canvas_draw(struct canvas *c, struct recorder *r, unsigned width) {
	/* The vertices' colour, where the font has ink. */
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = PICA_TEV_SOURCE_PRIMARY;
	tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	tev.alpha_source[1] = PICA_TEV_SOURCE_PRIMARY;
	tev.alpha_op = PICA_TEV_OP_MODULATE;
	pica_emit_tev(&r->list, 0, &tev);
	blend_over(r);
	canvas_draw_textured(c, r, width, &c->font);
}
