/* Pictures that vc4-gles draws with OpenGL ES 2, and what they share. */
#ifndef TESTS_VC4_GLES_H
#define TESTS_VC4_GLES_H

#include <GLES2/gl2.h>

enum {
	POSITION,
	COLOUR,
	COORDINATE,
	COORDINATE_1,
	DIRECTION,
	QUATERNION,
	BONE,
	WEIGHT,
	ATTRIBUTES
};
extern const char *const attribute_names[ATTRIBUTES];

struct picture {
	const char *name;
	int width, height;
	void (*prepare)(const struct picture *p); /* once; NULL: nothing */
	void (*draw)(const struct picture *p);    /* a frame, after the clear */
	/* Scenes only. */
	unsigned scene;
	int texture; /* texels a side */
};

/* Each ends with a picture without a name. */
extern const struct picture small_pictures[], scene_pictures[];

_Noreturn void fail(const char *what);
/* Links and uses a program; defines, which may be NULL, come first in both shaders. */
GLuint program(const char *defines, const char *vertex, const char *fragment);
/* A texture with these RGBA bytes, which may be NULL, is bound. */
GLuint texture(int width, int height, const void *pixels);

#endif
