/* What `pica render` is asked for. */
#ifndef PICA_RENDER_OPTIONS_H
#define PICA_RENDER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/options.h"
#include "pictures/writer.h"

/* Pictures that take a look at draws, instead of the screens. */
enum {
	DRAWS_EACH = 1,
	DRAWS_SHEET = 2,
	DRAWS_OVERDRAW = 4,
	DRAWS_COST = 8,
	DRAWS_STEP = DRAWS_EACH | DRAWS_SHEET,
	DRAWS_HEAT = DRAWS_OVERDRAW | DRAWS_COST,
};

/* Options that were given. */
enum {
	RENDER_FRAMES = 1,
	RENDER_SCREENS = 2,
	RENDER_EYES = 4,
	RENDER_FORMAT = 8,
	RENDER_CONNECT = 16,
};

enum {
	MAX_SURFACES = 16,
	SCREEN_TOP = 1,
	SCREEN_BOTTOM = 2,
	EYE_LEFT = 1,
	EYE_RIGHT = 2,
};

struct render_surface {
	uint32_t addr, format, width, height;
	char name[32];
};

struct render_options {
	struct engine_options engine;
	const char *output; /* NULL: default names here */
	struct frame_list frames;
	unsigned screens, eyes; /* SCREEN_..., EYE_... */
	unsigned given; /* RENDER_... */
	const struct writer *writer; /* of --format */
	struct render_surface surface[MAX_SURFACES];
	unsigned n_surfaces;
	unsigned draws; /* DRAWS_... */
	const char *name; /* of the session; NULL: the program's */
	const char *trace; /* file, or NULL */
	const char *where; /* of a service, NULL: the usual place */
	bool trust_loads, json, verify;
	enum progress_mode progress;
	char **captures;
	unsigned n_captures;
};

/* ADDR,FORMAT,WxH; returns the error, or NULL. */
const char *render_surface_parse(struct render_surface *s, const char *arg);
/* Fills *o from a command line; help and usage errors end the process. */
void render_options_parse(struct render_options *o, int argc, char **argv);

#endif
