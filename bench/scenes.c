/* bench-scenes WIDTH HEIGHT FOLDER [NAME...]: records the benchmark scenes as FOLDER/NAME.ctf. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry.h"
#include "kit.h"
#include "pictures/file.h"

/* Targets in VRAM; a list of draws is stored once and runs in each frame. */
enum { FRAMES = 8, COLOR = 0x18000000, DEPTH = 0x18200000 };

/* Attributes of struct vertex. */
enum {
	POSITION = 1 << 0,
	TINT = 1 << 1,
	UV0 = 1 << 2,
	UV1 = 1 << 3,
	QUATERNION = 1 << 4,
	VIEW = 1 << 5,
	BONE = 1 << 6,
	WEIGHT = 1 << 7,
	ATTRIBUTES = 8,
};

static const struct {
	uint8_t type, components, bytes;
} attributes[ATTRIBUTES] = {
	{ PICA_ATTRIB_TYPE_F32, 4, 16 }, { PICA_ATTRIB_TYPE_U8, 4, 4 },
	{ PICA_ATTRIB_TYPE_F32, 2, 8 }, { PICA_ATTRIB_TYPE_F32, 2, 8 },
	{ PICA_ATTRIB_TYPE_F32, 4, 16 }, { PICA_ATTRIB_TYPE_F32, 3, 12 },
	{ PICA_ATTRIB_TYPE_U8, 4, 4 }, { PICA_ATTRIB_TYPE_F32, 4, 16 },
};

#define UNIFORMS ".fvec projection[4], bones[48]\n.constf k(3.0, 0.003921569, 0.0, 0.0)\n.out out_pos position\n"
#define TINTED ".out out_color color\n"
#define TEXTURED_XY OUT_COLOR ".out out_uv texcoord0.xy\n"
#define TEXTURED TINTED ".out out_uv texcoord0\n"
#define TINT_CODE "	mul out_color, k.yyyy, v1\n"
#define UV_CODE "	mov out_uv, v2\n"
#define BONE_ROWS(letter) \
	"	mova a0.x, r0." letter "\n" \
	"	dp4 r1.x, bones[a0.x], v0\n	dp4 r1.y, bones[a0.x+1], v0\n	dp4 r1.z, bones[a0.x+2], v0\n"

static const char flat_program[] = UNIFORMS ".proc main\n" PROJECT("v0") END;
static const char tint_program[] = UNIFORMS TINTED ".proc main\n" PROJECT("v0") TINT_CODE END;
static const char texture1_program[] =
		UNIFORMS TEXTURED ".proc main\n" PROJECT("v0") TINT_CODE UV_CODE END;
static const char texture2_program[] = UNIFORMS TEXTURED
		".out out_uv1 texcoord1\n.proc main\n" PROJECT("v0") TINT_CODE UV_CODE
		"	mov out_uv1, v3\n" END;
static const char light_program[] = UNIFORMS
		".out out_uv texcoord0\n.out out_quat normalquat\n.out out_view view\n.proc main\n"
		PROJECT("v0") "	mov out_uv, v1\n	mov out_quat, v2\n	mov out_view, v3\n" END;
/* r2: the sum over four bones; w stays. */
static const char skin_program[] = UNIFORMS TEXTURED
		".proc main\n	mul r0, k.xxxx, v3\n"
		BONE_ROWS("x") "	mul r2.xyz, r1.xyz, v4.xxx\n"
		BONE_ROWS("y") "	mad r2.xyz, r1.xyz, v4.yyy, r2.xyz\n"
		BONE_ROWS("z") "	mad r2.xyz, r1.xyz, v4.zzz, r2.xyz\n"
		BONE_ROWS("w") "	mad r2.xyz, r1.xyz, v4.www, r2.xyz\n"
		"	mov r2.w, v0.w\n" PROJECT("r2") TINT_CODE UV_CODE END;

/* For points: o0 is the place and half the size, o1 the colour. */
static const char point_program[] =
		".constf k(1.0, 0.003921569, 0.0, 0.0)\n.out out_place dummy o0\n.out out_color dummy o1\n"
		".proc main\n	mov out_place, v0\n" TINT_CODE END;
#define CORNER(slot, at) "	setemit " slot "\n	mov r2.xy, k." at "\n	call corner\n"
/* A point becomes a textured square. */
static const char square_program[] =
		".gsh point c0\n.fvec projection[4]\n.constf k(-1.0, 1.0, 0.0, 0.5)\n" TEXTURED_XY
		".entry emit_all\n.proc emit_all\n"
		"	mov r0.xyz, v0\n	mov r0.w, k.y\n	mov r1, v0.wwww\n"
		CORNER("0", "xx") CORNER("1", "yx") CORNER("2, prim", "yy")
		CORNER("1, prim inv", "xy") END
		".proc corner\n	mad r3.xy, r2.xy, r1.xy, r0.xy\n	mov r3.zw, r0\n" PROJECT("r3")
		"	mov r4, k\n	mad out_uv.xy, r2.xy, r4.ww, r4.ww\n	mov out_color, v1\n"
		"	emit\n.end\n";

/* ---- Textures and tables ---- */

static uint32_t texture_seed;

/* Row 0 is the top one; t grows upwards. */
static void picture_noise(unsigned x, unsigned y, unsigned n, uint8_t rgba[4]) {
	y = n - 1 - y;
	const uint32_t h = geometry_hash(texture_seed * 7919 + y * n + x);
	rgba[0] = (uint8_t)(255 * x / n + (h & 63));
	rgba[1] = (uint8_t)(255 * y / n + (h >> 8 & 63));
	rgba[2] = (uint8_t)(h >> 16);
	rgba[3] = (uint8_t)(64 + 191 * (h >> 24) / 255);
}

static struct pica_texture store_noise(struct recorder *r, unsigned n, uint32_t seed) {
	texture_seed = seed;
	struct pica_texture t = store_texture(r, PICA_TEXTURE_FORMAT_RGBA8, n, 1, picture_noise);
	t.mip = PICA_FILTER_NEAREST;
	set_wrap(&t, PICA_WRAP_REPEAT);
	return t;
}

static float highlight(float x, void *arg) {
	return roundf(255 * powf(x, 20)) / 255;
}

/* Three rows of each bone: nearly the identity. */
static void set_bones(struct recorder *r) {
	float rows[48][4];
	for (unsigned i = 0; i < 48; i++) {
		for (unsigned c = 0; c < 4; c++) {
			rows[i][c] = (i % 3 == c ? 1.0f : 0.0f) +
					0.02f * (geometry_random(4 * i + c + 555) - 0.5f);
		}
	}
	set_uniform(r, "bones", rows[0], 48);
}

/* ---- Fragments ---- */

static void combine_constant(struct recorder *r) {
	TEV(r, 0, RGB1(CONSTANT), ALPHA1(CONSTANT), .color = 0xFF4C99E6);
}

static void combine_three(struct recorder *r) {
	tev_modulate(r);
	TEV(r, 1, RGB2(ADD_SIGNED, PREVIOUS, TEXTURE1), ALPHA1(PREVIOUS));
	TEV(r, 2, RGB3(INTERPOLATE, PREVIOUS, CONSTANT, PRIMARY),
			.rgb_operand = { 0, 0, PICA_TEV_OPERAND_RGB_ALPHA },
			ALPHA2(MODULATE, PREVIOUS, TEXTURE1), .color = 0xFF4C99E6);
}

static void combine_light(struct recorder *r) {
	uint32_t entries[256];
	struct pica_lighting lighting;
	struct pica_light light;
	pica_lighting_init(&lighting);
	lighting.ambient = 0x261A1A;
	lighting.d0.enable = true;
	lighting.d0.is_signed = false;
	pica_emit_lighting(&r->list, &lighting);
	pica_light_init(&light);
	light.is_directional = true;
	vec3_set(light.position, 0.267f, 0.535f, 0.802f);
	light.diffuse = 0xB3BFCC;
	light.specular0 = 0x4C99E6;
	pica_emit_light(&r->list, 0, &light);
	pica_light_lut_from(entries, false, highlight, NULL);
	pica_emit_light_lut(&r->list, PICA_LIGHT_TABLE_D0, 0, entries, 256);
	TEV(r, 0, RGB2(MODULATE, TEXTURE0, FRAGMENT_PRIMARY), ALPHA1(TEXTURE0));
	TEV(r, 1, RGB2(ADD, PREVIOUS, FRAGMENT_SECONDARY), ALPHA1(PREVIOUS));
}

static void blend(struct recorder *r) {
	const struct pica_blend over = { .rgb_src = PICA_BLEND_FACTOR_SRC_ALPHA,
		.rgb_dst = PICA_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
		.alpha_src = PICA_BLEND_FACTOR_SRC_ALPHA,
		.alpha_dst = PICA_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA };
	pica_emit_blend(&r->list, &over);
}

static void depth_less(struct recorder *r, bool write) {
	pica_emit_depth_test(&r->list, true, PICA_COMPARE_LESS, write, 0xF);
}

/* ---- Scenes ---- */

enum { DEPTH_TEST = 1, BLEND = 2, CULL = 4, CHANGES = 8, DROPS = 16 };

static const struct bench_scene {
	const char *name;
	geometry_fn *geometry;
	const char *program;
	void (*combine)(struct recorder *r);
	unsigned attributes, flags;
} bench_scenes[] = {
	{ "a_flat", geometry_fan, flat_program, combine_constant, POSITION, DEPTH_TEST },
	{ "b_gouraud", geometry_fan, tint_program, tev_primary, POSITION | TINT, DEPTH_TEST },
	{ "c_tex1", geometry_fan, texture1_program, tev_modulate, POSITION | TINT | UV0,
			DEPTH_TEST },
	{ "d_tev3", geometry_fan, texture2_program, combine_three, POSITION | TINT | UV0 | UV1,
			DEPTH_TEST | BLEND },
	{ "e_light", geometry_fan, light_program, combine_light,
			POSITION | UV0 | QUATERNION | VIEW, DEPTH_TEST },
	{ "f_small", geometry_small, tint_program, tev_primary, POSITION | TINT, DEPTH_TEST },
	{ "f2_smalltex", geometry_small, texture1_program, tev_modulate, POSITION | TINT | UV0,
			DEPTH_TEST },
	{ "g_overdraw", geometry_quads, texture1_program, tev_modulate, POSITION | TINT | UV0, 0 },
	{ "g2_overblend", geometry_quads, texture1_program, tev_modulate, POSITION | TINT | UV0,
			BLEND },
	{ "h_vert4x4", geometry_verts, texture1_program, tev_modulate, POSITION | TINT | UV0,
			DEPTH_TEST | CULL },
	{ "h2_vertskin", geometry_verts, skin_program, tev_modulate,
			POSITION | TINT | UV0 | BONE | WEIGHT, DEPTH_TEST | CULL },
	{ "i_mixed", geometry_mixed, texture2_program, tev_modulate, POSITION | TINT | UV0 | UV1,
			DEPTH_TEST | CHANGES },
	{ "j_draws", geometry_draws, texture2_program, tev_modulate, POSITION | TINT | UV0 | UV1,
			DEPTH_TEST | CHANGES },
	/*
	 * Like j; each draw drops the texture cache, as console libraries do when binding a
	 * texture.
	 */
	{ "j2_binds", geometry_draws, texture2_program, tev_modulate, POSITION | TINT | UV0 | UV1,
			DEPTH_TEST | CHANGES | DROPS },
	{ "k_geometry", geometry_points, point_program, tev_modulate, POSITION | TINT,
			DEPTH_TEST },
};

/* State that one of many draws changes. */
static void change(struct recorder *r, unsigned flags, uint32_t draw,
		const struct pica_texture textures[4]) {
	pica_emit_texture(&r->list, 0, &textures[draw >> 2 & 3]);
	if (flags & DROPS) {
		use_units(r, 3);
	}
	if ((draw & 3) == 2) {
		combine_three(r);
	} else {
		tev_modulate(r);
		tev_pass(r, 1, 2);
	}
	if ((draw & 3) == 3) {
		blend(r);
	} else {
		blend_off(r);
	}
	depth_less(r, (draw & 3) != 3);
}

static bool has_geometry_program(const struct bench_scene *scene) {
	return scene->program == point_program;
}

static void emit_state(struct recorder *r, const struct bench_scene *scene) {
	pica_emit_defaults(&r->list);
	use_geometry_program(r, scene->program,
			has_geometry_program(scene) ? square_program : NULL);
	set_matrix(r, "projection", mat4_identity());
	if (scene->program == skin_program) {
		set_bones(r);
	}
	scene->combine(r);
	if (scene->flags & DEPTH_TEST) {
		depth_less(r, true);
	} else {
		depth_off(r);
	}
	if (scene->flags & BLEND) {
		blend(r);
	}
	if (scene->flags & CULL) {
		pica_emit_cull(&r->list, PICA_CULL_BACK);
	}
}

/* Arrays of the vertices from address on, without attributes that the scene does not use. */
static void emit_arrays(struct recorder *r, unsigned mask, uint32_t address) {
	struct pica_attributes a = { .base = ARRAY_BASE, .n_loaders = 1 };
	struct pica_attribute_loader *loader = &a.loader[0];
	loader->offset = address - ARRAY_BASE;
	loader->stride = sizeof(struct vertex);
	for (unsigned i = 0; i < ATTRIBUTES; i++) {
		if (mask & 1u << i) {
			a.format[a.n] = (struct pica_attribute_format){ attributes[i].type,
				attributes[i].components };
			loader->component[loader->n++] = (uint8_t)a.n++;
		} else {
			loader->component[loader->n++] = (uint8_t)(11 + attributes[i].bytes / 4);
		}
	}
	pica_emit_attributes(&r->list, &a);
}

static void emit_draws(struct recorder *r, const struct bench_scene *scene, struct geometry *g,
		const struct pica_texture textures[4]) {
	const uint32_t vertices = recorder_store(r, g->v, g->n * (uint32_t)sizeof(*g->v));
	const uint32_t indices = g->n_index ?
			recorder_store(r, g->index, g->n_index * (uint32_t)sizeof(*g->index)) : 0;
	for (uint32_t k = 0; k < g->n_draws; k++) {
		if (scene->flags & CHANGES) {
			change(r, scene->flags, k, textures);
		}
		emit_arrays(r, scene->attributes,
				vertices + g->first[k] * (uint32_t)sizeof(*g->v));
		if (g->n_index) {
			pica_emit_draw_elements(&r->list, PICA_PRIMITIVE_LIST,
					indices - ARRAY_BASE + g->first_index[k] * 2, true,
					g->first_index[k + 1] - g->first_index[k]);
		} else {
			pica_emit_draw_arrays(&r->list, has_geometry_program(scene) ?
					PICA_PRIMITIVE_GEOMETRY : PICA_PRIMITIVE_LIST, 0, g->n);
		}
	}
}

static void put(struct recorder *r, const struct pica_job *job) {
	recorder_fail(r, sink_job(r->sink, job));
}

static int record(const struct bench_scene *scene, unsigned width, unsigned height,
		const char *path) {
	struct geometry g = { .width = width, .height = height };
	struct pica_texture textures[5];
	struct recorder r;
	int ret = recorder_init(&r, path, scene->name, false);
	if (ret < 0) {
		return ret;
	}
	for (unsigned i = 0; i < 5; i++) {
		textures[i] = store_noise(&r, i < 4 ? 256 : 128, i < 4 ? i + 1 : 9);
	}
	const struct pica_framebuffer target = { .color_addr = COLOR, .depth_addr = DEPTH,
		.color_format = PICA_COLOR_FORMAT_RGBA8, .depth_format = PICA_DEPTH_FORMAT_D24S8,
		.width = width, .height = height };
	emit_state(&r, scene);
	recorder_draw_target(&r, &target);
	pica_emit_texture(&r.list, 0, &textures[0]);
	pica_emit_texture(&r.list, 1, &textures[4]);
	use_units(&r, 3);
	scene->geometry(&g);
	emit_draws(&r, scene, &g, textures);
	geometry_finish(&g);
	pica_emit_flush(&r.list);
	recorder_fail(&r, pica_emit_finalize(&r.list));
	const uint32_t size = (uint32_t)(r.list.count * sizeof(*r.list.words));
	const struct pica_job list = { .op = PICA_OP_LIST,
		.u.list = { .addr = recorder_store(&r, r.list.words, size), .size_bytes = size } };
	const struct pica_job present = { .op = PICA_OP_PRESENT, .u.present = { .screens = 3 } };
	for (unsigned i = 0; r.error == 0 && i < FRAMES; i++) {
		recorder_fill(&r, 0, COLOR, width * height * 4, 0x1A334CFF);
		recorder_fill(&r, 1, DEPTH, width * height * 4, 0x00FFFFFF);
		put(&r, &list);
		put(&r, &present);
	}
	return recorder_finish(&r);
}

int main(int argc, char **argv) {
	const unsigned width = argc > 3 ? (unsigned)atoi(argv[1]) : 0;
	const unsigned height = argc > 3 ? (unsigned)atoi(argv[2]) : 0;
	if (!width || width % 8 || width > 1024 || !height || height > 1024) {
		fprintf(stderr, "bench-scenes: expected WIDTH HEIGHT FOLDER [NAME...]: up to 1024 x 1024, "
				"the width a multiple of 8\n");
		return 2;
	}
	int worst = 0;
	for (unsigned i = 0; i < COUNT(bench_scenes); i++) {
		const struct bench_scene *scene = &bench_scenes[i];
		char path[4096];
		bool is_chosen = argc == 4;
		for (int k = 4; k < argc; k++) {
			is_chosen = is_chosen || strcmp(argv[k], scene->name) == 0;
		}
		snprintf(path, sizeof(path), "%s/%s.ctf", argv[3], scene->name);
		int ret = is_chosen ? file_make_folders(path) : 0;
		ret = ret == 0 && is_chosen ? record(scene, width, height, path) : ret;
		if (ret < 0) {
			fprintf(stderr, "bench-scenes: %s: %s\n", path, strerror(-ret));
			worst = 2;
		}
	}
	return worst;
}
