#include "gles.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <GLES2/gl2ext.h>

enum { WIDTH = 320, HEIGHT = 240, TEXTURE = 64 };

static void array(GLuint index, GLint n, const float *data) {
	glEnableVertexAttribArray(index);
	glVertexAttribPointer(index, n, GL_FLOAT, GL_FALSE, 0, data);
}

static void coloured(const float *positions, const float *colours, int n, GLenum mode) {
	program(NULL, "attribute vec4 position, colour; varying vec4 c;"
		"void main() { gl_Position = position; c = colour; }",
			"precision mediump float; varying vec4 c; void main() { gl_FragColor = c; }");
	array(POSITION, 4, positions);
	array(COLOUR, 4, colours);
	glDrawArrays(mode, 0, n);
}

static const char *const textured_vertex =
		"attribute vec4 position; attribute vec2 coordinate; varying vec2 c;"
		"void main() { gl_Position = position; c = coordinate; }";
static const float quad[] = { -.75f, -.75f, 0, 1, .75f, -.75f, 0, 1, -.75f, .75f, 0, 1, .75f, .75f,
	0, 1 };
static const float corners[] = { 0, 0, 1, 0, 0, 1, 1, 1 };

static void draw_quad(void) {
	array(POSITION, 4, quad);
	array(COORDINATE, 2, corners);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void checker(void) {
	static GLubyte pixels[TEXTURE * TEXTURE][4];
	for (int i = 0; i < TEXTURE * TEXTURE; i++) {
		const int x = i % TEXTURE, y = i / TEXTURE;
		const bool light = ((x / 8) ^ (y / 8)) & 1;
		pixels[i][0] = light ? 255 : (GLubyte)(4 * x);
		pixels[i][1] = light ? 255 : (GLubyte)(4 * y);
		pixels[i][2] = light ? 64 : 200;
		pixels[i][3] = 255;
	}
	texture(TEXTURE, TEXTURE, pixels);
}

static void sampled(void) {
	program(NULL, textured_vertex,
			"precision mediump float; varying vec2 c; uniform sampler2D t;"
			"void main() { gl_FragColor = texture2D(t, c); }");
	draw_quad();
}

static void clear(const struct picture *self) {
}

static void triangle(const struct picture *self) {
	static const float p[] = { 0, .8f, 0, 1, -.8f, -.8f, 0, 1, .8f, -.8f, 0, 1 };
	static const float c[] = { 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1 };
	coloured(p, c, 3, GL_TRIANGLES);
}

static void textured(const struct picture *self) {
	checker();
	sampled();
}

/* Two triangles that pass through each other */
static void depth(const struct picture *self) {
	static const float p[] = { -.8f, -.6f, -.5f, 1, .8f, -.6f, .5f, 1, 0, .9f, 0, 1, -.8f, .6f,
		.5f, 1, .8f, .6f, -.5f, 1, 0, -.9f, 0, 1 };
	static const float c[] = { 1, .2f, 0, 1, 1, .2f, 0, 1, 1, .8f, 0, 1, 0, .2f, 1, 1, 0, .2f,
		1, 1, 0, .9f, 1, 1 };
	glEnable(GL_DEPTH_TEST);
	coloured(p, c, 6, GL_TRIANGLES);
}

static void blend(const struct picture *self) {
	static const float p[] = { 0, .8f, 0, 1, -.8f, -.5f, 0, 1, .8f, -.5f, 0, 1, 0, -.8f, 0, 1,
		-.8f, .5f, 0, 1, .8f, .5f, 0, 1 };
	static const float c[] = { 1, 0, 0, .5f, 1, 0, 0, .5f, 1, 0, 0, .5f, 0, 0, 1, .25f, 0, 0, 1,
		.75f, 0, 1, 0, 1 };
	glEnable(GL_BLEND);
	glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
	coloured(p, c, 6, GL_TRIANGLES);
}

/* The checker where the triangle is not */
static void stencil(const struct picture *self) {
	glEnable(GL_STENCIL_TEST);
	glStencilFunc(GL_ALWAYS, 1, 255);
	glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
	triangle(self);
	glStencilFunc(GL_NOTEQUAL, 1, 255);
	glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
	textured(self);
}

static void cube(const struct picture *self) {
	static const int corner[6][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, -1 }, { 1, 1 },
		{ -1, 1 } };
	static float positions[36][3], normals[36][3];
	GLushort indices[36];
	int n = 0;
	for (int face = 0; face < 6; face++) {
		const int axis = face / 2, sign = face % 2 ? 1 : -1;
		for (int i = 0; i < 6; i++, n++) {
			const int *const at = corner[sign > 0 ? i : 5 - i];
			positions[n][axis] = normals[n][axis] = (float)sign;
			positions[n][(axis + 1) % 3] = (float)at[0];
			positions[n][(axis + 2) % 3] = (float)at[1];
			indices[n] = (GLushort)n;
		}
	}
	const float c = cosf(.6f), s = sinf(.6f), d = cosf(.5f), e = sinf(.5f);
	const GLfloat model[16] = { c, e * s, -d * s, 0, 0, d, e, 0, s, -e * c, d * c, 0, 0, 0, -5,
		1 };
	const GLfloat project[16] = { 1.35f, 0, 0, 0, 0, 1.8f, 0, 0, 0, 0, -21.f / 19, -1, 0, 0,
		-40.f / 19, 0 };
	const GLuint p = program(NULL,
			"attribute vec4 position; attribute vec3 direction;"
			"uniform mat4 project, model; varying vec3 n, eye;"
			"void main() { vec4 v = model * position; gl_Position = project * v;"
			"eye = v.xyz; n = (model * vec4(direction, 0.0)).xyz; }",
			"precision mediump float; varying vec3 n, eye;"
			"void main() { vec3 m = normalize(n), light = normalize(vec3(0.5, 0.7, 1.0));"
			"vec3 h = normalize(light - normalize(eye)); float a = max(dot(m, light), 0.0);"
			"float b = pow(max(dot(m, h), 0.0), 16.0);"
			"gl_FragColor = vec4(vec3(0.1, 0.1, 0.15) + a * vec3(0.8, 0.5, 0.2) + 0.5 * b, 1.0); }");
	glUniformMatrix4fv(glGetUniformLocation(p, "project"), 1, GL_FALSE, project);
	glUniformMatrix4fv(glGetUniformLocation(p, "model"), 1, GL_FALSE, model);
	glEnable(GL_DEPTH_TEST);
	glEnable(GL_CULL_FACE);
	array(POSITION, 3, positions[0]);
	array(DIRECTION, 3, normals[0]);
	glDrawElements(GL_TRIANGLES, 36, GL_UNSIGNED_SHORT, indices);
}

/* A loop that uniforms end, a branch, and an array of uniforms that is indexed: a memory access */
static void loop(const struct picture *self) {
	GLfloat colours[32];
	const GLuint p = program(NULL, textured_vertex,
			"precision highp float; varying vec2 c; uniform int n; uniform vec4 k[8];"
			"void main() { vec4 sum = vec4(0.0); int at = int(c.x * 7.99);"
			"for (int i = 0; i < 64; i++) { if (i >= n) break; sum += k[at] * 0.125;"
			"if (c.y > 0.5) sum.b += 0.05; } gl_FragColor = vec4(sum.rgb, 1.0); }");
	for (int i = 0; i < 32; i++) {
		colours[i] = (float)(i * 37 % 32) / 32;
	}
	glUniform1i(glGetUniformLocation(p, "n"), 8);
	glUniform4fv(glGetUniformLocation(p, "k"), 8, colours);
	draw_quad();
}

static void clip(const struct picture *self) {
	static const float p[] = { -3, -.9f, 0, 1, 3, -.9f, 0, 1, 0, .9f, -3, 1, -.5f, .9f, .2f,
		.3f, .5f, .9f, .2f, -.4f, 0, -2, .1f, 1 };
	static const float c[] = { 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0,
		1, 1 };
	coloured(p, c, 6, GL_TRIANGLES);
}

static void mipmaps(const struct picture *self) {
	static const float p[] = { -.95f, -.95f, 0, 1, .95f, -.95f, 0, 1, -3, 3, 0, 4, 3, 3, 0, 4 };
	static const float t[] = { 0, 0, 4, 0, 0, 16, 4, 16 };
	checker();
	glGenerateMipmap(GL_TEXTURE_2D);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
	program(NULL, textured_vertex,
			"precision mediump float; varying vec2 c; uniform sampler2D t;"
			"void main() { gl_FragColor = texture2D(t, c); }");
	array(POSITION, 4, p);
	array(COORDINATE, 2, t);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* A triangle in a texture, which is drawn */
static void to_texture(const struct picture *self) {
	GLuint f;
	GLint before;
	glGetIntegerv(GL_FRAMEBUFFER_BINDING, &before);
	const GLuint t = texture(128, 128, NULL);
	glGenFramebuffers(1, &f);
	glBindFramebuffer(GL_FRAMEBUFFER, f);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
	glViewport(0, 0, 128, 128);
	glClearColor(.5f, .5f, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	triangle(self);
	glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)before);
	glViewport(0, 0, WIDTH, HEIGHT);
	glDisableVertexAttribArray(COLOUR);
	sampled();
}

/* Six faces of one colour each with a checker, around a quarter of the sphere above and below */
static void cube_map(const struct picture *self) {
	enum { SIDE = 16 };
	GLubyte pixels[SIDE * SIDE][4];
	GLuint name;
	glGenTextures(1, &name);
	glBindTexture(GL_TEXTURE_CUBE_MAP, name);
	for (GLenum face = 0; face < 6; face++) {
		for (int i = 0; i < SIDE * SIDE; i++) {
			const bool light = ((i % SIDE / 4) ^ (i / SIDE / 4)) & 1;
			pixels[i][0] = (GLubyte)(face & 1 ? 255 : 16 * (i % SIDE));
			pixels[i][1] = (GLubyte)(face & 2 ? 255 : 16 * (i / SIDE));
			pixels[i][2] = (GLubyte)(light ? 48 * face : 255);
			pixels[i][3] = 255;
		}
		glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA, SIDE, SIDE, 0,
				GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	}
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	program(NULL, textured_vertex,
			"precision highp float; varying vec2 c; uniform samplerCube t;"
			"void main() { float a = 6.28 * c.x; vec3 d = vec3(cos(a), 3.0 * c.y - 1.5, sin(a));"
			"gl_FragColor = textureCube(t, d); }");
	draw_quad();
}

/* Sixteen texels a side of each format that OpenGL ES 2 has, and ETC1 */
static void formats(const struct picture *self) {
	enum { SIDE = 16, COUNT = 8 };
	static const struct {
		GLenum format, type;
	} of[COUNT] = { { GL_RGBA, GL_UNSIGNED_BYTE }, { GL_RGB, GL_UNSIGNED_BYTE },
		{ GL_RGB, GL_UNSIGNED_SHORT_5_6_5 }, { GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4 },
		{ GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1 }, { GL_LUMINANCE, GL_UNSIGNED_BYTE },
		{ GL_ALPHA, GL_UNSIGNED_BYTE }, { GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE } };
	GLubyte bytes[4 * SIDE * SIDE];
	for (unsigned i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (GLubyte)(i * 37 ^ i >> 4 ^ i >> 7);
	}
	program(NULL, textured_vertex,
			"precision mediump float; varying vec2 c; uniform sampler2D t;"
			"void main() { gl_FragColor = texture2D(t, c); }");
	glEnable(GL_BLEND);
	glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
	array(COORDINATE, 2, corners);
	for (unsigned i = 0; i <= COUNT; i++) { /* at whole pixels */
		const float x = (float)(i % 3) * .625f - .9375f, y = (float)(i / 3) * .5f - .75f;
		const float p[] = { x, y, x + .5f, y, x, y + .375f, x + .5f, y + .375f };
		texture(SIDE, SIDE, bytes);
		if (i < COUNT) {
			glTexImage2D(GL_TEXTURE_2D, 0, (GLint)of[i].format, SIDE, SIDE, 0,
					of[i].format, of[i].type, bytes);
		} else {
			GLubyte blocks[SIDE * SIDE / 2];
			for (unsigned k = 0; k < sizeof(blocks); k++) { /* without differences */
				blocks[k] = k % 8 == 3 ? bytes[k] & 0xFD : bytes[k];
			}
			glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_ETC1_RGB8_OES, SIDE, SIDE, 0,
					sizeof(blocks), blocks);
		}
		array(POSITION, 2, p);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	}
}

/* Points with their coordinates, and lines, in a part of the target */
static void points(const struct picture *self) {
	static const float p[] = { -.6f, -.5f, 0, 1, -.2f, .5f, 0, 1, .2f, -.5f, 0, 1, .6f, .5f, 0,
		1 };
	static const float c[] = { 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, .5f, 1, 1 };
	glEnable(GL_SCISSOR_TEST);
	glScissor(16, 12, WIDTH - 32, HEIGHT - 60);
	glLineWidth(3);
	coloured(p, c, 4, GL_LINE_LOOP);
	program(NULL, "attribute vec4 position, colour; varying vec4 c;"
		"void main() { gl_Position = position; gl_PointSize = 24.0 + 16.0 * position.x; c = colour; }",
			"precision mediump float; varying vec4 c; void main() {"
			"if (distance(gl_PointCoord, vec2(0.5)) > 0.5) discard;"
			"gl_FragColor = vec4(gl_PointCoord, 1.0, 1.0) * c; }");
	glDrawArrays(GL_POINTS, 0, 4);
}

#define PICTURE(name, draw) { name, WIDTH, HEIGHT, NULL, draw, 0, 0 }
const struct picture small_pictures[] = {
	PICTURE("clear", clear),
	PICTURE("triangle", triangle),
	PICTURE("textured", textured),
	PICTURE("depth", depth),
	PICTURE("blend", blend),
	PICTURE("stencil", stencil),
	PICTURE("cube", cube),
	PICTURE("loop", loop),
	PICTURE("clip", clip),
	PICTURE("mipmaps", mipmaps),
	PICTURE("to-texture", to_texture),
	PICTURE("cube-map", cube_map),
	PICTURE("formats", formats),
	PICTURE("points", points),
	{ .name = NULL },
};
