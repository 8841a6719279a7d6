/* Shader programs, vertex arrays and small state blocks of recorder.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "recorder.h"

const char color_program_source[] =
		".fvec projection[4]\n"
		".constf k(0.0, 1.0, 0.003921569, 0.0)\n"
		".out out_pos position\n"
		".out out_color color\n"
		".in in_pos v0\n"
		".in in_color v1\n"
		".proc main\n"
		"	dp4 out_pos.x, projection[0], in_pos\n"
		"	dp4 out_pos.y, projection[1], in_pos\n"
		"	dp4 out_pos.z, projection[2], in_pos\n"
		"	dp4 out_pos.w, projection[3], in_pos\n"
		"	mul out_color, k.zzzz, in_color\n"
		"	end\n"
		".end\n";

const char texture_program_source[] =
		".fvec projection[4], tint\n"
		".out out_pos position\n"
		".out out_color color\n"
		".out out_tex texcoord0\n"
		".in in_pos v0\n"
		".in in_tex v1\n"
		".proc main\n"
		"	dp4 out_pos.x, projection[0], in_pos\n"
		"	dp4 out_pos.y, projection[1], in_pos\n"
		"	dp4 out_pos.z, projection[2], in_pos\n"
		"	dp4 out_pos.w, projection[3], in_pos\n"
		"	mov out_color, tint\n"
		"	mov out_tex, in_tex\n"
		"	end\n"
		".end\n";

int program_create(struct program *p, const char *name, const char *vertex, const char *geometry) {
	struct pica_shader_source sources[2] = {
		{ .name = name, .text = vertex, .len = strlen(vertex) },
		{ .name = name, .text = geometry, .len = geometry ? strlen(geometry) : 0 },
	};
	struct pica_shader_error error;
	p->has_geometry = geometry != NULL;
	p->shader = NULL;
	int ret = pica_shader_assemble(&p->shader, sources, geometry ? 2 : 1, 0, &error);
	if (ret < 0) {
		fprintf(stderr, "%s:%u: %s\n", error.file, error.line, error.message);
	}
	return ret;
}

void program_destroy(struct program *p) {
	pica_shader_destroy(p->shader);
	p->shader = NULL;
}

static int write_regs(void *user, uint32_t reg, uint32_t mask, const uint32_t *values, uint32_t n,
		int consecutive) {
	struct pica_emit *e = user;
	if (mask != 0xF) {
		for (uint32_t k = 0; k < n; k++) {
			pica_emit_reg_masked(e, consecutive ? reg + k : reg, values[k], mask);
		}
	} else if (consecutive) {
		pica_emit_burst(e, reg, values, n);
	} else {
		pica_emit_fifo(e, reg, values, n);
	}
	return pica_emit_error(e);
}

void program_use(struct recorder *r, const struct program *p) {
	const struct pica_shader_binding binding = {
		.vs = p->shader,
		.vs_entry = 0,
		.gs = p->has_geometry ? p->shader : NULL,
		.gs_entry = 1,
	};
	int ret = pica_shader_bind(&binding, write_regs, &r->list);
	if (ret < 0 && r->error == 0) {
		r->error = ret;
	}
}

void program_uniform(struct recorder *r, const struct program *p, unsigned entry, const char *name,
		const float *xyzw, unsigned n) {
	const struct pica_shader_entry *e = &p->shader->entries[entry];
	int index = pica_shader_find_uniform(e, name);
	if (index < 0) {
		fprintf(stderr, "no uniform %s\n", name);
		r->error = r->error ? r->error : index;
		return;
	}
	enum pica_unit unit = e->type == PICA_SHADER_GEOMETRY ? PICA_UNIT_GS : PICA_UNIT_VS;
	uint32_t first = e->uniforms[index].first - (uint32_t)PICA_SHADER_REG_C;
	pica_emit_float_uniforms(&r->list, unit, first, xyzw, n);
}

void program_matrix(struct recorder *r, const struct program *p, unsigned entry, const char *name,
		const struct mat4 *m) {
	program_uniform(r, p, entry, name, &m->m[0][0], 4);
}

void use_array(struct recorder *r, uint32_t array, uint8_t stride, unsigned n,
		const struct pica_attribute_format *format) {
	struct pica_attributes a = { .base = ARRAY_BASE, .n = n, .n_loaders = 1 };
	a.loader[0].offset = array - ARRAY_BASE;
	a.loader[0].stride = stride;
	a.loader[0].n = (uint8_t)n;
	for (unsigned i = 0; i < n; i++) {
		a.format[i] = format[i];
		a.loader[0].component[i] = (uint8_t)i;
	}
	pica_emit_attributes(&r->list, &a);
}

void use_color_vertices(struct recorder *r, uint32_t array) {
	static const struct pica_attribute_format format[2] = { { PICA_ATTRIB_TYPE_F32, 3 },
		{ PICA_ATTRIB_TYPE_U8, 4 } };
	use_array(r, array, sizeof(struct color_vertex), 2, format);
}

void use_texture_vertices(struct recorder *r, uint32_t array) {
	static const struct pica_attribute_format format[2] = { { PICA_ATTRIB_TYPE_F32, 3 },
		{ PICA_ATTRIB_TYPE_F32, 2 } };
	use_array(r, array, sizeof(struct texture_vertex), 2, format);
}

struct color_vertex color_vertex(float x, float y, float z, uint32_t rgba) {
	struct color_vertex v = { .x = x, .y = y, .z = z };
	for (unsigned k = 0; k < 4; k++) {
		v.rgba[k] = (uint8_t)(rgba >> (24 - 8 * k));
	}
	return v;
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

void tev_modulate(struct recorder *r) {
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_TEXTURE0;
	tev.rgb_source[1] = tev.alpha_source[1] = PICA_TEV_SOURCE_PRIMARY;
	tev.rgb_op = tev.alpha_op = PICA_TEV_OP_MODULATE;
	pica_emit_tev(&r->list, 0, &tev);
}

void tev_primary(struct recorder *r) {
	struct pica_tev tev;
	pica_tev_init(&tev);
	tev.rgb_source[0] = tev.alpha_source[0] = PICA_TEV_SOURCE_PRIMARY;
	pica_emit_tev(&r->list, 0, &tev);
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
