/* The steps of a fragment as text and as JSON (docs/inspect.md). */
#include <math.h>

#include "core/base/attributes.h"
#include "fields.h"
#include "pica_regs.h"
#include "pixel/pixel.h"

/* Factors of a light by name, in the order of the text. */
static const struct factor_row {
	const char *name;
	size_t at;
} factors[] = {
	{ "spot", offsetof(struct pica_light_steps, spot) },
	{ "distance", offsetof(struct pica_light_steps, distance) },
	{ "d0", offsetof(struct pica_light_steps, d0) },
	{ "d1", offsetof(struct pica_light_steps, d1) },
	{ "reflection_r", offsetof(struct pica_light_steps, reflection[0]) },
	{ "reflection_g", offsetof(struct pica_light_steps, reflection[1]) },
	{ "reflection_b", offsetof(struct pica_light_steps, reflection[2]) },
};

static const struct pica_light_factor *factor_of(
		const struct pica_light_steps *l, const struct factor_row *row) {
	return (const void *)((const char *)l + row->at);
}

static const char *input_name(const struct pica_light_factor *f) {
	return f->input == PICA_LIGHT_DISTANCE ? "distance" : field_text("LIGHT_INPUT", f->input);
}

void pixel_color_text(const uint8_t c[4], char out[16]) {
	snprintf(out, 16, "#%02X%02X%02X%02X", c[0], c[1], c[2], c[3]);
}

json_t *pixel_color_json(const uint8_t c[4]) {
	char text[16];
	pixel_color_text(c, text);
	return json_string(text);
}

static void stage_operand(const struct pica_fragment *f, unsigned i, unsigned k, uint8_t out[4]) {
	for (unsigned c = 0; c < 3; c++) {
		out[c] = f->stage[i].rgb[k][c];
	}
	out[3] = f->stage[i].alpha[k];
}

/* ---- JSON ---- */

/* null: not finite. */
static json_t *number(float v) {
	return isfinite(v) ? json_real((double)v) : json_null();
}

static json_t *numbers(const float *v, unsigned n) {
	json_t *j = json_array();
	for (unsigned i = 0; i < n; i++) {
		json_array_append_new(j, number(v[i]));
	}
	return j;
}

static json_t *stages_json(const struct pica_fragment *f) {
	json_t *stages = json_array();
	for (unsigned i = 0; i < PICA_HISTORY_STAGES; i++) {
		json_t *operands = json_array();
		for (unsigned k = 0; k < 3; k++) {
			uint8_t c[4];
			stage_operand(f, i, k, c);
			json_array_append_new(operands, pixel_color_json(c));
		}
		json_array_append_new(stages, json_pack("{so so}", "operands", operands, "result",
						      pixel_color_json(f->stage[i].out)));
	}
	return stages;
}

static json_t *texels_json(const struct pica_texture_steps *t) {
	json_t *texels = json_array();
	for (uint32_t i = 0; i < t->n; i++) {
		const struct pica_texel *x = &t->texel[i];
		json_array_append_new(texels,
				json_pack("{si si si si sb so so}", "face", (int)x->face, "level",
						(int)x->level, "s", (int)x->s, "t", (int)x->t,
						"border", (int)x->is_border, "color",
						pixel_color_json(x->color), "weight",
						number(x->weight)));
	}
	return texels;
}

/* null: the factor is 1. */
static json_t *factor_json(const struct pica_light_factor *f) {
	return f->table == PICA_NO_TABLE ? json_null() :
			json_pack("{ss ss so si so}", "table", field_text("LIGHT_TABLE", f->table),
					"input", input_name(f), "from", number(f->from), "entry",
					(int)f->entry, "value", number(f->value));
}

static json_t *light_json(const struct pica_light_steps *l) {
	json_t *j = json_pack("{si so so so so}", "number", (int)l->number, "diffuse",
			number(l->diffuse), "geometric", number(l->geometric), "primary",
			numbers(l->primary, 3), "secondary", numbers(l->secondary, 3));
	for (unsigned i = 0; i < ARRAY_LEN(factors); i++) {
		json_object_set_new(j, factors[i].name, factor_json(factor_of(l, &factors[i])));
	}
	return j;
}

static json_t *lighting_json(const struct pica_fragment_steps *s) {
	json_t *lights = json_array();
	for (unsigned i = 0; i < s->n_lights; i++) {
		json_array_append_new(lights, light_json(&s->light[i]));
	}
	return json_pack("{so so so so so so so}", "normal", numbers(s->normal, 3), "tangent",
			numbers(s->tangent, 3), "view", numbers(s->view, 3), "ambient",
			numbers(s->ambient, 3), "shadow", numbers(s->shadow, 4), "lights", lights,
			"fresnel", factor_json(&s->fresnel));
}

static json_t *fog_json(const struct pica_fragment_steps *s) {
	const uint8_t c[4] = { s->fog_color[0], s->fog_color[1], s->fog_color[2], 255 };
	return json_pack("{si si so}", "entry", (int)s->fog_entry, "factor", (int)s->fog_factor,
			"color", pixel_color_json(c));
}

void pixel_steps_json(json_t *j, const struct pica_fragment *f,
		const struct pica_fragment_steps *s) {
	json_t *coords = json_array(), *colors = json_array();
	for (unsigned u = 0; u < 3; u++) {
		json_array_append_new(coords, json_pack("[oo]", number(f->coord[u][0]),
						      number(f->coord[u][1])));
		json_array_append_new(colors, pixel_color_json(f->texture[u]));
	}
	json_array_append_new(colors, pixel_color_json(f->proctex));
	json_object_set_new(j, "primary", pixel_color_json(f->primary));
	json_object_set_new(j, "coordinates", coords);
	json_object_set_new(j, "coordinate_w", number(f->coord0_w));
	json_object_set_new(j, "textures", colors);
	json_object_set_new(j, "light", json_pack("[oo]", pixel_color_json(f->light[0]),
						pixel_color_json(f->light[1])));
	json_object_set_new(j, "stages", stages_json(f));
	json_object_set_new(j, "combined", pixel_color_json(f->combined));
	if (!s) {
		return;
	}
	json_object_set_new(j, "texels",
			json_pack("[ooo]", texels_json(&s->unit[0]), texels_json(&s->unit[1]),
					texels_json(&s->unit[2])));
	json_object_set_new(j, "lighting", s->is_lit ? lighting_json(s) : json_null());
	json_object_set_new(j, "fog", s->has_fog ? fog_json(s) : json_null());
	json_object_set_new(j, "destination",
			s->reads_target ? pixel_color_json(s->target) : json_null());
}

/* ---- Text ---- */

static void print_texels(const struct pica_texture_steps *t) {
	static const char *const faces[6] = { "+X ", "-X ", "+Y ", "-Y ", "+Z ", "-Z " };
	for (uint32_t i = 0; i < t->n; i++) {
		const struct pica_texel *x = &t->texel[i];
		char text[16];
		pixel_color_text(x->color, text);
		if (x->is_border) {
			printf("      level %u border", x->level);
		} else {
			printf("      level %u texel %s%u,%u", x->level,
					x->face ? faces[x->face] : "", x->s, x->t);
		}
		printf(": %s x %.7g\n", text, (double)x->weight);
	}
}

static void print_factor(const char *name, const struct pica_light_factor *f) {
	if (f->table != PICA_NO_TABLE) {
		printf("      %s: table %s of %s %.7g, entry %u: %.7g\n", name,
				field_text("LIGHT_TABLE", f->table), input_name(f), (double)f->from,
				f->entry, (double)f->value);
	}
}

static void print_vector(const char *name, const float *v) {
	printf("%s (%.7g %.7g %.7g)", name, (double)v[0], (double)v[1], (double)v[2]);
}

static void print_lighting(const struct pica_fragment_steps *s) {
	print_vector("    lighting: normal", s->normal);
	print_vector(", view", s->view);
	print_vector(", ambient", s->ambient);
	printf("\n");
	for (unsigned i = 0; i < s->n_lights; i++) {
		const struct pica_light_steps *l = &s->light[i];
		printf("    light %u: diffuse %.7g, geometric %.7g", l->number, (double)l->diffuse,
				(double)l->geometric);
		print_vector("; adds", l->primary);
		print_vector(" and", l->secondary);
		printf("\n");
		for (unsigned k = 0; k < ARRAY_LEN(factors); k++) {
			print_factor(factors[k].name, factor_of(l, &factors[k]));
		}
	}
	print_factor("fresnel", &s->fresnel);
}

static void print_output(const struct pica_fragment *f, const struct pica_fragment_steps *s) {
	char text[3][16];
	pixel_color_text(f->combined, text[0]);
	pixel_color_text(f->color, text[1]);
	if (s->has_fog) {
		printf("    fog: entry %u, %u of 2047 of %s, rest #%02X%02X%02X -> %s\n",
				s->fog_entry, s->fog_factor, text[0], s->fog_color[0],
				s->fog_color[1], s->fog_color[2], text[1]);
	}
	if (s->reads_target) {
		pixel_color_text(s->target, text[2]);
		printf("    blend: source %s, destination %s\n", text[1], text[2]);
	}
}

void pixel_steps_print(const struct pica_fragment *f, const struct pica_fragment_steps *s) {
	char text[4][16];
	pixel_color_text(f->primary, text[0]);
	pixel_color_text(f->light[0], text[1]);
	pixel_color_text(f->light[1], text[2]);
	printf("    primary %s, light %s %s\n", text[0], text[1], text[2]);
	for (unsigned u = 0; u < 3; u++) {
		pixel_color_text(f->texture[u], text[u]);
		printf("    texture %u at %g %g: %s\n", u, (double)f->coord[u][0],
				(double)f->coord[u][1], text[u]);
		if (s) {
			print_texels(&s->unit[u]);
		}
	}
	pixel_color_text(f->proctex, text[0]);
	printf("    procedural texture %s\n", text[0]);
	if (s && s->is_lit) {
		print_lighting(s);
	}
	for (unsigned i = 0; i < PICA_HISTORY_STAGES; i++) {
		for (unsigned k = 0; k < 3; k++) {
			uint8_t c[4];
			stage_operand(f, i, k, c);
			pixel_color_text(c, text[k]);
		}
		pixel_color_text(f->stage[i].out, text[3]);
		printf("    stage %u: %s %s %s -> %s\n", i, text[0], text[1], text[2], text[3]);
	}
	if (s) {
		print_output(f, s);
	}
}
