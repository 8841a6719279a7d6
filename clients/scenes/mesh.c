/* Vertices, colours and small state blocks of recorder.h. */
#include "recorder.h"

const struct vertex_format color_format = { sizeof(struct color_vertex), 2,
	{ { PICA_ATTRIB_TYPE_F32, 3 }, { PICA_ATTRIB_TYPE_U8, 4 } } };
const struct vertex_format texture_format = { sizeof(struct texture_vertex), 2,
	{ { PICA_ATTRIB_TYPE_F32, 3 }, { PICA_ATTRIB_TYPE_F32, 2 } } };

/* ---- Meshes ---- */

struct mesh mesh_store(struct recorder *r, const struct vertex_format *format, uint32_t primitive,
		const void *vertices, uint32_t n) {
	return (struct mesh){ .format = format, .primitive = primitive, .count = n,
		.vertices = recorder_store(r, vertices, n * format->stride) };
}

struct mesh mesh_store_indexed(struct recorder *r, const struct vertex_format *format,
		uint32_t primitive, const void *vertices, uint32_t n, const uint16_t *index,
		uint32_t n_indices) {
	struct mesh m = mesh_store(r, format, primitive, vertices, n);
	m.indices = recorder_store(r, index, n_indices * (uint32_t)sizeof(*index));
	m.count = n_indices;
	return m;
}

void mesh_use(struct recorder *r, const struct mesh *m) {
	const struct vertex_format *f = m->format;
	struct pica_attributes a = { .base = ARRAY_BASE, .n = f->n, .n_loaders = 1 };
	a.loader[0].offset = m->vertices - ARRAY_BASE;
	a.loader[0].stride = f->stride;
	a.loader[0].n = (uint8_t)f->n;
	for (unsigned i = 0; i < f->n; i++) {
		a.format[i] = f->attribute[i];
		a.loader[0].component[i] = (uint8_t)i;
	}
	pica_emit_attributes(&r->list, &a);
}

void mesh_draw_part(struct recorder *r, const struct mesh *m, uint32_t first, uint32_t n) {
	if (m->indices) {
		pica_emit_draw_elements(&r->list, m->primitive,
				m->indices - ARRAY_BASE + first * (uint32_t)sizeof(uint16_t), true,
						n);
	} else {
		pica_emit_draw_arrays(&r->list, m->primitive, first, n);
	}
}

void mesh_draw(struct recorder *r, const struct mesh *m) {
	mesh_use(r, m);
	mesh_draw_part(r, m, 0, m->count);
}

uint16_t *put_quad(uint16_t *index, unsigned a, unsigned b, unsigned c, unsigned d) {
	const unsigned quad[6] = { a, b, c, c, b, d };
	for (unsigned k = 0; k < 6; k++) {
		*index++ = (uint16_t)quad[k];
	}
	return index;
}

uint16_t *put_ring(uint16_t *index, unsigned a, unsigned c, unsigned sides) {
	for (unsigned k = 0; k < sides; k++) {
		const unsigned next = (k + 1) % sides;
		index = put_quad(index, a + k, c + k, a + next, c + next);
	}
	return index;
}

uint16_t *put_row(uint16_t *index, unsigned a, unsigned c, unsigned n) {
	*index++ = (uint16_t)a;
	for (unsigned k = 0; k < n; k++) {
		*index++ = (uint16_t)(a + k);
		*index++ = (uint16_t)(c + k);
	}
	*index++ = (uint16_t)(c + n - 1);
	return index;
}

struct color_vertex color_vertex(float x, float y, float z, uint32_t rgba) {
	struct color_vertex v = { .x = x, .y = y, .z = z };
	put_color(v.rgba, 4, rgba);
	return v;
}

struct mesh store_colors(struct recorder *r, uint32_t primitive, const struct color_vertex *v,
		uint32_t n) {
	return mesh_store(r, &color_format, primitive, v, n);
}

void draw_colors(struct recorder *r, uint32_t primitive, const struct color_vertex *v, uint32_t n) {
	const struct mesh m = store_colors(r, primitive, v, n);
	mesh_draw(r, &m);
}

struct mesh store_color_quad(struct recorder *r, float x0, float y0, float x1, float y1,
		const uint32_t colors[4]) {
	struct color_vertex v[4];
	for (unsigned k = 0; k < 4; k++) {
		v[k] = color_vertex(k & 1 ? x1 : x0, k & 2 ? y1 : y0, 0, colors[k]);
	}
	return store_colors(r, PICA_PRIMITIVE_STRIP, v, 4);
}

struct mesh store_textured(struct recorder *r, uint32_t primitive, const struct texture_vertex *v,
		uint32_t n) {
	return mesh_store(r, &texture_format, primitive, v, n);
}

void put_texture_quad(struct texture_vertex v[4], const struct quad *q) {
	for (unsigned k = 0; k < 4; k++) {
		v[k] = (struct texture_vertex){ .x = k & 1 ? q->x1 : q->x0, .y = k & 2 ? q->y1 :
		q->y0,
			.u = k & 1 ? q->u1 : q->u0, .v = k & 2 ? q->v1 : q->v0 };
	}
}

struct mesh store_texture_quad(struct recorder *r, const struct quad *q) {
	struct texture_vertex v[4];
	put_texture_quad(v, q);
	return store_textured(r, PICA_PRIMITIVE_STRIP, v, 4);
}

/* ---- Colours ---- */

void put_color(uint8_t *bytes, unsigned n, uint32_t rgba) {
	for (unsigned k = 0; k < n; k++) {
		bytes[k] = (uint8_t)(rgba >> (24 - 8 * k));
	}
}

void put_color_float(float out[4], uint32_t rgba) {
	for (unsigned k = 0; k < 4; k++) {
		out[k] = (float)(rgba >> (24 - 8 * k) & 255) / 255.0f;
	}
}

static uint32_t to_byte(double x) {
	return x <= 0 ? 0 : x >= 1 ? 255 : (uint32_t)(x * 255.0 + 0.5);
}

uint32_t hsv(double hue, double saturation, double value) {
	double h = hue - (double)(long)hue;
	h = (h < 0 ? h + 1 : h) * 6;
	int sector = (int)h;
	double f = h - sector, p = value * (1 - saturation);
	double q = value * (1 - saturation * f), t = value * (1 - saturation * (1 - f));
	const double rgb[6][3] = { { value, t, p }, { q, value, p }, { p, value, t },
		{ p, q, value }, { t, p, value }, { value, p, q } };
	const double *c = rgb[sector < 6 ? sector : 0];
	return to_byte(c[0]) << 24 | to_byte(c[1]) << 16 | to_byte(c[2]) << 8 | 255;
}

uint32_t mix_color(uint32_t a, uint32_t b, double t) {
	uint32_t r = 0;
	for (unsigned shift = 0; shift < 32; shift += 8) {
		double x = a >> shift & 255, y = b >> shift & 255;
		r |= to_byte((x + (y - x) * t) / 255.0) << shift;
	}
	return r;
}

/* ---- State ---- */

void tev_modulate(struct recorder *r) {
	TEV(r, 0, RGB2(MODULATE, TEXTURE0, PRIMARY), ALPHA2(MODULATE, TEXTURE0, PRIMARY));
}

void tev_primary(struct recorder *r) {
	TEV(r, 0, RGB1(PRIMARY), ALPHA1(PRIMARY));
}

void tev_texture(struct recorder *r) {
	TEV(r, 0, RGB1(TEXTURE0), ALPHA1(TEXTURE0));
}

void tev_shape(struct recorder *r) {
	TEV(r, 0, RGB1(PRIMARY), ALPHA2(MODULATE, TEXTURE0, PRIMARY));
}

void tev_pass(struct recorder *r, unsigned first, unsigned last) {
	for (unsigned i = first; i <= last; i++) {
		pica_emit_tev(&r->list, i, NULL);
	}
}

void blend_over(struct recorder *r) {
	static const struct pica_blend over = { .rgb_src = PICA_BLEND_FACTOR_SRC_ALPHA,
		.rgb_dst = PICA_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
		.alpha_src = PICA_BLEND_FACTOR_ONE,
		.alpha_dst = PICA_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA };
	pica_emit_blend(&r->list, &over);
}

void blend_add(struct recorder *r) {
	static const struct pica_blend add = { .rgb_src = PICA_BLEND_FACTOR_SRC_ALPHA,
		.rgb_dst = PICA_BLEND_FACTOR_ONE, .alpha_src = PICA_BLEND_FACTOR_ONE,
		.alpha_dst = PICA_BLEND_FACTOR_ONE };
	pica_emit_blend(&r->list, &add);
}

void blend_off(struct recorder *r) {
	pica_emit_blend(&r->list, NULL);
}

void depth_on(struct recorder *r) {
	pica_emit_depth_test(&r->list, true, PICA_COMPARE_GREATER, true, 0xF);
}

void depth_off(struct recorder *r) {
	pica_emit_depth_test(&r->list, false, PICA_COMPARE_ALWAYS, false, 0xF);
}

void bodies_begin(struct recorder *r) {
	depth_on(r);
	pica_emit_cull(&r->list, PICA_CULL_BACK);
}

void bodies_end(struct recorder *r) {
	pica_emit_cull(&r->list, PICA_CULL_NONE);
	depth_off(r);
}

void stencil_write(struct recorder *r, uint32_t value) {
	pica_emit_stencil_test(&r->list, true, PICA_COMPARE_ALWAYS, value, 0xFF, 0xFF);
	pica_emit_stencil_op(&r->list, PICA_STENCIL_OP_KEEP, PICA_STENCIL_OP_KEEP,
			PICA_STENCIL_OP_REPLACE);
}

void stencil_keep(struct recorder *r) {
	pica_emit_stencil_op(&r->list, PICA_STENCIL_OP_KEEP, PICA_STENCIL_OP_KEEP,
			PICA_STENCIL_OP_KEEP);
}

void stencil_off(struct recorder *r) {
	pica_emit_stencil_test(&r->list, false, PICA_COMPARE_ALWAYS, 0, 0, 0);
}

void emit_proctex_map(struct recorder *r, uint32_t table, float (*f)(float)) {
	float values[129];
	uint32_t entries[128];
	for (unsigned i = 0; i < 129; i++) {
		values[i] = f((float)i / 128);
	}
	pica_proctex_map(entries, values);
	pica_emit_proctex_lut(&r->list, table, 0, entries, 128);
}

void use_units(struct recorder *r, uint32_t mask) {
	pica_emit_texture_units(&r->list, mask, 0, false);
}

void use_texture(struct recorder *r, const struct pica_texture *t) {
	pica_emit_texture(&r->list, 0, t);
	use_units(r, 1);
}

struct pica_texture texture_at(uint32_t addr, uint32_t width, uint32_t height, uint32_t format,
		uint32_t filter) {
	return (struct pica_texture){ .addr = addr, .width = width,
		.height = height, .format = format, .mag = filter, .min = filter };
}

void set_filter(struct pica_texture *t, uint32_t filter) {
	t->mag = t->min = filter;
}

void set_wrap(struct pica_texture *t, uint32_t wrap) {
	t->wrap_s = t->wrap_t = wrap;
}

struct mat4 screen_lens(unsigned width, double degrees, double near, double far) {
	return mat4_perspective(degrees / 360.0, (double)width / SCREEN_HEIGHT, near, far);
}

struct mat4 screen_pixels(unsigned width) {
	return mat4_tilt(mat4_pixels((float)width, SCREEN_HEIGHT));
}
