/* The benchmark scenes (docs/performance.md), at the size of the console's top screen. */
#include "gles.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "bench/geometry.h"

enum { WIDTH = 400, HEIGHT = 240, BONE_ROWS = 48 };
enum { TEXTURE = 256, SMALL_TEXTURE = 32, HIGHLIGHTS = 256 }; /* texels a side */

static const char scene_vertex[] =
		"attribute vec4 position, colour, quaternion, bone, weight;"
		"attribute vec2 coordinate, coordinate1; attribute vec3 direction;"
		"uniform mat4 projection; uniform vec4 bones[48];"
		"varying vec4 tint, turn; varying vec2 at, at1; varying vec3 eye;\n"
		"#ifdef SKIN\n"
		"vec3 bent(float k, vec4 p) { int i = int(k) * 3;"
		"return vec3(dot(bones[i], p), dot(bones[i + 1], p), dot(bones[i + 2], p)); }\n"
		"#endif\n"
		"void main() { vec4 p = vec4(position.xy, -2.0 * position.z - position.w, position.w);\n"
		"#ifdef SKIN\n"
		"p.xyz = bent(bone.x, p) * weight.x + bent(bone.y, p) * weight.y +"
		"bent(bone.z, p) * weight.z + bent(bone.w, p) * weight.w;\n"
		"#endif\n"
		"gl_Position = projection * p; tint = colour; at = coordinate; at1 = coordinate1;"
		"turn = quaternion; eye = direction; }";

/* By macro: how a fragment is coloured. */
static const char scene_fragment[] =
		"precision highp float;"
		"varying vec4 tint, turn; varying vec2 at, at1; varying vec3 eye;"
		"uniform sampler2D unit0, unit1, table; uniform vec4 constant;\n"
		"void main() {\n"
		"#if defined FLAT\n"
		"gl_FragColor = constant;\n"
		"#elif defined TINT\n"
		"gl_FragColor = tint;\n"
		"#elif defined ONE\n"
		"gl_FragColor = texture2D(unit0, at) * tint;\n"
		"#elif defined THREE\n"
		"vec4 a = texture2D(unit0, at) * tint, b = texture2D(unit1, at1);"
		"vec3 sum = clamp(a.rgb + b.rgb - 0.5, 0.0, 1.0);"
		"gl_FragColor = vec4(mix(constant.rgb, sum, tint.a), a.a * b.a);\n"
		"#else\n"
		"vec4 q = normalize(turn);"
		"vec3 n = vec3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x),"
		"1.0 - 2.0 * (q.x * q.x + q.y * q.y));"
		"vec3 light = vec3(0.267, 0.535, 0.802), half_way = normalize(light + normalize(eye));"
		"float diffuse = max(dot(n, light), 0.0), angle = clamp(dot(n, half_way), 0.0, 1.0);"
		"float shine = texture2D(table, vec2((angle * 255.0 + 0.5) / 256.0, 0.5)).r;"
		"vec3 first = clamp(vec3(0.1, 0.1, 0.15) + diffuse * vec3(0.8, 0.75, 0.7), 0.0, 1.0);"
		"vec4 texel = texture2D(unit0, at);"
		"gl_FragColor = vec4(clamp(texel.rgb * first + shine * constant.rgb, 0.0, 1.0), texel.a);\n"
		"#endif\n"
		"}";

enum { DEPTH_TEST = 1, BLEND = 2, CULL = 4, CHANGES = 8 };

static const struct {
	geometry_fn *geometry;
	const char *macros;
	unsigned flags;
} scenes[] = {
	{ geometry_fan, "#define FLAT\n", DEPTH_TEST },
	{ geometry_fan, "#define TINT\n", DEPTH_TEST },
	{ geometry_fan, "#define ONE\n", DEPTH_TEST },
	{ geometry_fan, "#define THREE\n", DEPTH_TEST | BLEND },
	{ geometry_fan, "#define LIGHT\n", DEPTH_TEST },
	{ geometry_small, "#define TINT\n", DEPTH_TEST },
	{ geometry_small, "#define ONE\n", DEPTH_TEST },
	{ geometry_quads, "#define ONE\n", 0 },
	{ geometry_quads, "#define ONE\n", BLEND },
	{ geometry_verts, "#define TINT\n", DEPTH_TEST | CULL },
	{ geometry_verts, "#define TINT\n#define SKIN\n", DEPTH_TEST | CULL },
	{ geometry_mixed, "#define ONE\n", DEPTH_TEST | CHANGES },
	{ geometry_draws, "#define ONE\n", DEPTH_TEST | CHANGES },
};

#define FIELD(name) ((const void *)offsetof(struct vertex, name))
static const struct {
	GLint n;
	GLenum type;
	GLboolean is_normalised;
	const void *offset;
} attributes[ATTRIBUTES] = {
	[POSITION] = { 4, GL_FLOAT, GL_FALSE, FIELD(position) },
	[COLOUR] = { 4, GL_UNSIGNED_BYTE, GL_TRUE, FIELD(color) },
	[COORDINATE] = { 2, GL_FLOAT, GL_FALSE, FIELD(uv0) },
	[COORDINATE_1] = { 2, GL_FLOAT, GL_FALSE, FIELD(uv1) },
	[QUATERNION] = { 4, GL_FLOAT, GL_FALSE, FIELD(quaternion) },
	[DIRECTION] = { 3, GL_FLOAT, GL_FALSE, FIELD(view) },
	[BONE] = { 4, GL_UNSIGNED_BYTE, GL_FALSE, FIELD(bone) },
	[WEIGHT] = { 4, GL_FLOAT, GL_FALSE, FIELD(weight) },
};

/* The scene that was prepared */
static struct {
	struct geometry geometry;
	GLuint textures[4], own, three; /* programs: the scene's, that of some of many draws */
	unsigned own_uses, three_uses;  /* bits of attributes */
} made;

/* ---- Preparing ---- */

static GLuint noise(int size, uint32_t seed) {
	uint8_t(*const pixels)[4] = malloc(4 * (size_t)size * (size_t)size);
	if (!pixels) {
		fail("malloc");
	}
	for (int i = 0; i < size * size; i++) {
		const uint32_t h = geometry_hash(seed * 7919 + (uint32_t)i);
		pixels[i][0] = (uint8_t)((uint32_t)(i % size * 255 / size) + (h & 63));
		pixels[i][1] = (uint8_t)((uint32_t)(i / size * 255 / size) + (h >> 8 & 63));
		pixels[i][2] = (uint8_t)(h >> 16);
		pixels[i][3] = (uint8_t)(64 + (h >> 24) * 191 / 255);
	}
	const GLuint name = texture(size, size, pixels);
	free(pixels);
	return name;
}

static void highlights(void) {
	static uint8_t pixels[HIGHLIGHTS][4];
	for (int i = 0; i < HIGHLIGHTS; i++) {
		const float power = powf((float)i / 255, 20);
		pixels[i][0] = (uint8_t)(255 * power + .5f);
	}
	texture(HIGHLIGHTS, 1, pixels);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

static GLuint scene_program(const char *macros, unsigned *uses) {
	static const GLfloat identity[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
	GLfloat bones[BONE_ROWS][4];
	const GLuint p = program(macros, scene_vertex, scene_fragment);
	for (unsigned i = 0; i < BONE_ROWS; i++) {
		for (unsigned c = 0; c < 4; c++) {
			bones[i][c] = (i % 3 == c ? 1.0f : 0.0f) +
					0.02f * (geometry_random(4 * i + c + 555) - 0.5f);
		}
	}
	glUniformMatrix4fv(glGetUniformLocation(p, "projection"), 1, GL_FALSE, identity);
	glUniform4fv(glGetUniformLocation(p, "bones"), BONE_ROWS, bones[0]);
	glUniform4f(glGetUniformLocation(p, "constant"), .9f, .6f, .3f, 1);
	glUniform1i(glGetUniformLocation(p, "unit1"), 1);
	glUniform1i(glGetUniformLocation(p, "table"), 2);
	for (unsigned i = 0; i < ATTRIBUTES; i++) {
		if (glGetAttribLocation(p, attribute_names[i]) >= 0) {
			*uses |= 1u << i;
		}
	}
	return p;
}

/*
 * The chip places corners at sixteenths of a pixel, which its driver truncates toward the middle;
 * others at finer steps. On this grid, and a little further out, all drivers draw the same
 * triangles.
 */
static float on_grid(float x, float w, int size) {
	const float scale = 8 * (float)size, at = roundf(x / w * scale);
	return (at + copysignf(0.03f, at)) / scale * w;
}

static void prepare(const struct picture *self) {
	struct geometry *const g = &made.geometry;
	GLuint buffers[2];
	g->width = (unsigned)self->width;
	g->height = (unsigned)self->height;
	scenes[self->scene].geometry(g);
	for (uint32_t i = 0; i < g->n; i++) {
		float *const p = g->v[i].position;
		p[0] = on_grid(p[0], p[3], self->width);
		p[1] = on_grid(p[1], p[3], self->height);
	}
	glGenBuffers(2, buffers);
	glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
	glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(g->n * sizeof(*g->v)), g->v, GL_STATIC_DRAW);
	glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
	glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(g->n_index * sizeof(*g->index)),
			g->index, GL_STATIC_DRAW);
	glActiveTexture(GL_TEXTURE1);
	noise(self->texture / 2, 9);
	glActiveTexture(GL_TEXTURE2);
	highlights();
	glActiveTexture(GL_TEXTURE0);
	for (uint32_t i = 4; i-- > 0;) {
		made.textures[i] = noise(self->texture, i + 1);
	}
	made.own = scene_program(scenes[self->scene].macros, &made.own_uses);
	if (scenes[self->scene].flags & CHANGES) {
		made.three = scene_program("#define THREE\n", &made.three_uses);
	}
	glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

/* ---- Drawing ---- */

static void enable(GLenum what, unsigned is_on) {
	if (is_on) {
		glEnable(what);
	} else {
		glDisable(what);
	}
}

/* Arrays from that vertex on */
static void use(GLuint name, unsigned uses, uint32_t first) {
	glUseProgram(name);
	for (GLuint i = 0; i < ATTRIBUTES; i++) {
		if (uses >> i & 1) {
			glEnableVertexAttribArray(i);
			glVertexAttribPointer(i, attributes[i].n, attributes[i].type,
					attributes[i].is_normalised, sizeof(struct vertex),
					(const char *)attributes[i].offset +
							first * sizeof(struct vertex));
		} else {
			glDisableVertexAttribArray(i);
		}
	}
}

/* What one draw of many changes */
static void change(uint32_t draw, uint32_t first) {
	glBindTexture(GL_TEXTURE_2D, made.textures[draw >> 2 & 3]);
	if ((draw & 3) == 2) {
		use(made.three, made.three_uses, first);
	} else {
		use(made.own, made.own_uses, first);
	}
	enable(GL_BLEND, (draw & 3) == 3);
	glDepthMask((draw & 3) != 3);
}

static void draw(const struct picture *self) {
	const struct geometry *const g = &made.geometry;
	const unsigned flags = scenes[self->scene].flags;
	enable(GL_DEPTH_TEST, flags & DEPTH_TEST);
	enable(GL_BLEND, flags & BLEND);
	enable(GL_CULL_FACE, flags & CULL);
	for (uint32_t k = 0; k < g->n_draws; k++) {
		if (flags & CHANGES) {
			change(k, g->first[k]);
		} else {
			use(made.own, made.own_uses, g->first[k]);
		}
		if (g->n_index) {
			const uintptr_t offset = g->first_index[k] * sizeof(*g->index);
			const unsigned n = g->first_index[k + 1] - g->first_index[k];
			glDrawElements(GL_TRIANGLES, (GLsizei)n, GL_UNSIGNED_SHORT,
					(const void *)offset);
		} else {
			glDrawArrays(GL_TRIANGLES, 0, (GLsizei)g->n);
		}
	}
}

#define SCENE(name, scene) { name, WIDTH, HEIGHT, prepare, draw, scene, TEXTURE }
/* For recordings: noise is as large in a file as in memory. */
#define SMALL(name, scene) { name, WIDTH, HEIGHT, prepare, draw, scene, SMALL_TEXTURE }
const struct picture scene_pictures[] = {
	SCENE("a_flat", 0),
	SCENE("b_gouraud", 1),
	SCENE("c_tex1", 2),
	SCENE("d_tev3", 3),
	SCENE("e_light", 4),
	SCENE("f_small", 5),
	SCENE("f2_smalltex", 6),
	SCENE("g_overdraw", 7),
	SCENE("g2_overblend", 8),
	SCENE("h_vert4x4", 9),
	SCENE("h2_vertskin", 10),
	SCENE("i_mixed", 11),
	SCENE("j_draws", 12),
	SMALL("d_tev3-small", 3),
	SMALL("e_light-small", 4),
	SMALL("g2_overblend-small", 8),
	SMALL("j_draws-small", 12),
	{ .name = NULL },
};
