/* Shared by the files of `pica render`: a run of the verb, and one capture of it. */
#ifndef PICA_RENDER_H
#define PICA_RENDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "common/outname.h"
#include "common/remote.h"
#include "core/base/attributes.h"
#include "options.h"
#include "pictures/picture.h"
#include "step.h"

struct render_video;

/* One run of the verb. */
struct render {
	const struct render_options *o;
	struct pica_device *device; /* NULL: a service draws */
	struct pica_client *client; /* NULL: the device draws */
	struct outname names;
	FILE *lines;     /* of hashes: a buffer */
	json_t *reports; /* of captures; NULL: no --json */
	void *written;   /* paths, for tfind() */
	struct render_video *video; /* NULL: pictures of their own */
	bool one_screen; /* the name has no {screen}: the first screen that shows something */
};

/* One capture of it. */
struct shot {
	struct render *r;
	const char *path;
	char *name;
	struct gpu gpu;
	json_t *report, *pictures, *errors;
	uint32_t n_pictures, n_frames_shown;
	uint32_t n_verified; /* pictures that were as expected */
	uint32_t unset[2]; /* chosen frames in which the screen was not set */
	bool left_out;     /* one_screen, and both show something */
	int exit;
};

/* Says so, and notes it in the report. */
PICA_PRINTF(3, 4)
void render_fail(struct shot *s, int exit, const char *fmt, ...);
/*
 * Writes a picture as the options say, or its hash. draw: UINT32_MAX where it is none. more:
 * members for its row of the report, or NULL; taken over.
 */
void render_put(struct shot *s, const struct outname_values *v, const struct picture *p,
		json_t *more);

/* ---- names.c ---- */

/* Whether every picture gets a name of its own, in a writable place; logs errors. */
int render_check_names(struct render *r);

/* ---- video.c ---- */

/* Opens the file of --format y4m; logs errors and returns an exit code. */
int render_video_begin(struct render *r);
/* Adds the screens as they are. */
void render_video_frame(struct shot *s, uint32_t frame);
/* Closes the file, if there is one; the exit code, which may become EXIT_TROUBLE. */
int render_video_end(struct render *r, int exit);

/* ---- draws.c ---- */

struct render_draws;

/* A visitor for step_start(), and its data; NULL: no memory, or no draws are requested. */
struct render_draws *render_draws_create(struct shot *s, const struct step_visitor **visitor);
void render_draws_destroy(struct render_draws *d);
/* A chosen frame begins, and has ended. */
void render_draws_begin(struct render_draws *d, uint32_t frame);
void render_draws_end(struct render_draws *d);

#endif
