/* Shader programs of recorder.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "recorder.h"

const char color_program[] =
		".fvec projection[4]\n"
		".constf k(0.0, 1.0, 0.003921569, 0.0)\n"
		OUT_COLOR
		".in in_pos v0\n"
		".in in_color v1\n"
		".proc main\n"
		PROJECT("in_pos")
		"	mul out_color, k.zzzz, in_color\n"
		END;

const char texture_program[] =
		".fvec projection[4], tint\n"
		OUT_COLOR
		".out out_tex texcoord0\n"
		".in in_pos v0\n"
		".in in_tex v1\n"
		".proc main\n"
		PROJECT("in_pos")
		"	mov out_color, tint\n"
		"	mov out_tex, in_tex\n"
		END;

static int assemble(struct program *p) {
	const struct pica_shader_source sources[2] = {
		{ .name = "vertex program", .text = p->vertex, .len = strlen(p->vertex) },
		{ .name = "geometry program", .text = p->geometry,
				.len = p->geometry ? strlen(p->geometry) : 0 },
	};
	struct pica_shader_error error;
	int ret = pica_shader_assemble(&p->shader, sources, p->geometry ? 2 : 1, 0, &error);
	if (ret < 0) {
		fprintf(stderr, "%s:%u: %s\n", error.file, error.line, error.message);
	}
	return ret;
}

/* Returns the program of these sources, or NULL after a failure. */
static const struct program *find_program(
		struct recorder *r, const char *vertex, const char *geometry) {
	for (unsigned i = 0; i < MAX_PROGRAMS; i++) {
		struct program *p = &r->programs[i];
		if (!p->shader) {
			p->vertex = vertex;
			p->geometry = geometry;
			recorder_fail(r, assemble(p));
			return p->shader ? p : NULL;
		}
		if (p->vertex == vertex && p->geometry == geometry) {
			return p;
		}
	}
	recorder_fail(r, -ENOSPC);
	return NULL;
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

void use_geometry_program(struct recorder *r, const char *vertex, const char *geometry) {
	r->program = find_program(r, vertex, geometry);
	if (r->program) {
		const struct pica_shader_binding binding = {
			.vs = r->program->shader,
			.gs = geometry ? r->program->shader : NULL,
			.gs_entry = 1,
		};
		recorder_fail(r, pica_shader_bind(&binding, write_regs, &r->list));
	}
}

void use_program(struct recorder *r, const char *vertex) {
	use_geometry_program(r, vertex, NULL);
}

void set_uniform(struct recorder *r, const char *name, const float *xyzw, unsigned n) {
	for (unsigned i = 0; r->program && i <= (r->program->geometry != NULL); i++) {
		const struct pica_shader_entry *e = &r->program->shader->entries[i];
		const int index = pica_shader_find_uniform(e, name);
		if (index >= 0) {
			pica_emit_float_uniforms(&r->list, i ? PICA_UNIT_GS : PICA_UNIT_VS,
					e->uniforms[index].first - (uint32_t)PICA_SHADER_REG_C,
					xyzw, n);
			return;
		}
	}
	fprintf(stderr, "uniform %s: not in the current program\n", name);
	recorder_fail(r, -ENOENT);
}

void set_matrix(struct recorder *r, const char *name, struct mat4 m) {
	set_uniform(r, name, &m.m[0][0], 4);
}

void use_projected(struct recorder *r, const char *vertex, struct mat4 projection) {
	use_program(r, vertex);
	set_matrix(r, "projection", projection);
}

void use_color_program(struct recorder *r, struct mat4 projection) {
	use_projected(r, color_program, projection);
}

void use_texture_program(struct recorder *r, struct mat4 projection) {
	static const float white[4] = { 1, 1, 1, 1 };
	use_projected(r, texture_program, projection);
	set_uniform(r, "tint", white, 1);
}
