/*
 * vc4-gles NAME FILE [FRAMES]: draws a picture with OpenGL ES 2, without a window, and writes it as
 * PPM, the bottom row first, as it lies in memory. Prints the name of the renderer; with FRAMES,
 * draws it so often and prints the shortest frame's milliseconds.
 */
#include "gles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2ext.h>

const char *const attribute_names[ATTRIBUTES] = { [POSITION] = "position", [COLOUR] = "colour",
	[COORDINATE] = "coordinate", [DIRECTION] = "direction", [COORDINATE_1] = "coordinate1",
	[QUATERNION] = "quaternion", [BONE] = "bone", [WEIGHT] = "weight" };

static _Noreturn void usage(void) {
	fprintf(stderr, "usage: vc4-gles NAME FILE [FRAMES]\n");
	exit(2);
}

_Noreturn void fail(const char *what) {
	fprintf(stderr, "vc4-gles: %s: failed\n", what);
	exit(1);
}

static void attach(GLuint program, GLenum type, const char *defines, const char *text) {
	const char *const texts[] = { defines ? defines : "", text };
	const GLuint shader = glCreateShader(type);
	GLint ok;
	glShaderSource(shader, 2, texts, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
	if (!ok) {
		fail(text);
	}
	glAttachShader(program, shader);
}

GLuint program(const char *defines, const char *vertex, const char *fragment) {
	const GLuint p = glCreateProgram();
	GLint ok;
	attach(p, GL_VERTEX_SHADER, defines, vertex);
	attach(p, GL_FRAGMENT_SHADER, defines, fragment);
	for (GLuint i = 0; i < ATTRIBUTES; i++) {
		glBindAttribLocation(p, i, attribute_names[i]);
	}
	glLinkProgram(p);
	glGetProgramiv(p, GL_LINK_STATUS, &ok);
	if (!ok) {
		fail("glLinkProgram");
	}
	glUseProgram(p);
	return p;
}

GLuint texture(int width, int height, const void *pixels) {
	GLuint name;
	glGenTextures(1, &name);
	glBindTexture(GL_TEXTURE_2D, name);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
			pixels);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
	return name;
}

static void open_gl(void) {
	static const EGLint wanted[] = { EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE,
		EGL_PBUFFER_BIT, EGL_NONE };
	static const EGLint version[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
	const PFNEGLGETPLATFORMDISPLAYEXTPROC get =
			(PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress(
					"eglGetPlatformDisplayEXT");
	const EGLDisplay d = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) :
				   EGL_NO_DISPLAY;
	EGLConfig config;
	EGLint n;
	if (!eglInitialize(d, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API) ||
			!eglChooseConfig(d, wanted, &config, 1, &n) || n < 1) {
		fail("EGL");
	}
	const EGLContext context = eglCreateContext(d, config, EGL_NO_CONTEXT, version);
	if (!eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
		fail("eglMakeCurrent");
	}
	printf("%s\n", (const char *)glGetString(GL_RENDERER));
}

static void open_target(const struct picture *p) {
	GLuint f, colour, zs;
	glGenFramebuffers(1, &f);
	glBindFramebuffer(GL_FRAMEBUFFER, f);
	glGenTextures(1, &colour);
	glBindTexture(GL_TEXTURE_2D, colour);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, p->width, p->height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
			NULL);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
	glGenRenderbuffers(1, &zs);
	glBindRenderbuffer(GL_RENDERBUFFER, zs);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8_OES, p->width, p->height);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, zs);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, zs);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
		fail("glCheckFramebufferStatus");
	}
	glDisable(GL_DITHER);
	glClearColor(.1f, .2f, .3f, 1);
}

/* Returns milliseconds. */
static double draw(const struct picture *p) {
	struct timespec start, end;
	clock_gettime(CLOCK_MONOTONIC, &start);
	glViewport(0, 0, p->width, p->height);
	glDepthMask(GL_TRUE);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
	p->draw(p);
	glFinish();
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (double)(end.tv_sec - start.tv_sec) * 1e3 +
			(double)(end.tv_nsec - start.tv_nsec) / 1e6;
}

static void save(const struct picture *p, const char *path) {
	const size_t n = (size_t)p->width * (size_t)p->height;
	GLubyte *const pixels = malloc(n * 4);
	FILE *const file = fopen(path, "wb");
	if (!pixels || !file) {
		fail(path);
	}
	glReadPixels(0, 0, p->width, p->height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	if (glGetError() != GL_NO_ERROR) {
		fail("glReadPixels");
	}
	fprintf(file, "P6\n%d %d\n255\n", p->width, p->height);
	for (size_t i = 0; i < n; i++) {
		fwrite(pixels + 4 * i, 3, 1, file);
	}
	free(pixels);
	if (fclose(file) != 0) {
		fail(path);
	}
}

static const struct picture *find(const struct picture *p, const char *name) {
	while (p->name && strcmp(p->name, name) != 0) {
		p++;
	}
	return p->name ? p : NULL;
}

int main(int argc, char **argv) {
	if (argc != 3 && argc != 4) {
		usage();
	}
	const struct picture *p = find(small_pictures, argv[1]);
	p = p ? p : find(scene_pictures, argv[1]);
	const int frames = argc == 4 ? atoi(argv[3]) : 1;
	if (!p || frames < 1) {
		usage();
	}
	open_gl();
	open_target(p);
	if (p->prepare) {
		p->prepare(p);
	}
	double best = draw(p);
	for (int i = 1; i < frames; i++) {
		const double ms = draw(p);
		best = ms < best ? ms : best;
	}
	save(p, argv[2]);
	if (argc == 4) {
		printf("%s: %.3f ms\n", p->name, best);
	}
	return 0;
}
