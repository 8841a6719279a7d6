/* Shared by the files of `pica render`: a run of the verb, and one capture of it. */
#ifndef PICA_RENDER_H
#define PICA_RENDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "common/options.h"
#include "common/outname.h"
#include "common/remote.h"
#include "core/base/attributes.h"
#include "pica_inspect.h"
#include "pictures/file.h"
#include "pictures/picture.h"
#include "pictures/writer.h"
#include "step.h"
#include "videocore/videocore.h"

/* ---- options.c ---- */

/* Words of --screen and --eye, whose numbers plus one are SCREEN_... and EYE_... */
extern const char *const render_screen_words[], *const render_eye_words[];
/* parse() of --format. */
const char *render_format_option(void *writer, char *text);

/* Pictures of draws, instead of the screens. */
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
	const char *inputs[3]; /* of host-run: the program and its files, or NULL */
};

/* ADDR,FORMAT,WxH; returns the error, or NULL. */
const char *render_surface_parse(struct render_surface *s, const char *arg);
/* Fills *o from a command line; help and usage errors end the process. */
void render_options_parse(struct render_options *o, int argc, char **argv);
/* Returns what the file at the path is, if no output may replace it; else NULL. */
const char *render_kept(const struct render_options *o, const char *path);

struct render_video;

/* One run of the verb. */
struct render {
	const struct render_options *o;
	struct pica_device *device; /* NULL: a service draws */
	struct pica_client *client; /* NULL: the device draws */
	struct outname names;
	FILE *lines;     /* of hashes: a buffer */
	struct file_out hashes; /* their file; f NULL: none */
	json_t *reports; /* of captures; NULL: no --json */
	void *written;   /* paths, for tfind() */
	struct render_video *video; /* NULL: pictures of their own */
	bool one_screen; /* the name has no {screen}: take the first screen that shows something */
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

/* Returns EXIT_FINE. If ret is a negative errno of a path of -o or its default, logs it. */
int render_output_result(const struct render_options *o, const char *path, int ret);
/*
 * Begins the output for -o and --format; logs errors and returns an exit code. *lines: buffer for
 * hashes, for render_end_output().
 */
int render_begin_output(struct render *r, char **lines, size_t *lines_size);
/* Writes the hashes and frees the output. Returns exit, or EXIT_TROUBLE on failure. */
int render_end_output(struct render *r, char **lines, const size_t *lines_size, int exit);
/* Logs a message, and adds it to the report. */
PICA_PRINTF(3, 4)
void render_fail(struct shot *s, int exit, const char *fmt, ...);
/*
 * Writes a picture, or its hash, according to the options. draw: UINT32_MAX: not of a draw. more:
 * further members of its row in the report, or NULL; takes ownership.
 */
void render_put(struct shot *s, const struct outname_values *v, const struct picture *p,
		json_t *more);

/* ---- names.c ---- */

/* Checks that every picture gets a distinct name in a writable folder; logs errors. */
int render_check_names(struct render *r);

/* ---- video.c ---- */

/* Opens the file of --format y4m; logs errors and returns an exit code. */
int render_video_begin(struct render *r);
/* Adds the screens as they are. */
void render_video_frame(struct shot *s, uint32_t frame);
/* Closes the file, if any. Returns exit, or EXIT_TROUBLE on failure. */
int render_video_end(struct render *r, int exit);

/* ---- heat.c ---- */

/* Heat maps: one number for each pixel of a target, as a picture with a legend and as JSON. */

enum heat_kind {
	HEAT_OVERDRAW, /* fragments that were written */
	HEAT_COST,     /* steps of the fragment pipe */
	HEAT_KINDS,
};

/* "overdraw", "cost". */
const char *heat_name(enum heat_kind kind);

struct heat {
	enum heat_kind kind;
	struct pica_target target;
	uint32_t *values;  /* of each pixel, rows as in memory; ours */
	uint64_t entered;  /* fragments that triangles covered */
	uint64_t sum, pixels; /* over pixels, and those that are not 0 */
	uint32_t max;
	uint32_t *sorted;  /* those that are not 0, ascending; ours */
};

/* -ENOMEM. */
int heat_from_counts(struct heat *h, enum heat_kind kind, const struct pica_target *target,
		const struct pica_count *counts);
void heat_finish(struct heat *h);
/* Draws the map, upright if the target is a screen's; title: the first line. Returns 0 or
 * -ENOMEM. */
int heat_picture(const struct heat *h, const char *title, struct picture *out);
/*
 * {"kind", "target": {...}, "entered", "sum", "pixels", "mean", "median", "p90", "p99", "max",
 * "histogram": [[value, pixels], ...] (overdraw only)}; mean and so on over pixels that are not 0.
 */
json_t *heat_json(const struct heat *h);

/* ---- sheet.c ---- */

/* A contact sheet: small pictures in rows, each with a line of text. */

struct sheet {
	struct sheet_item {
		struct picture picture; /* shrunk */
		char text[40];
	} *items; /* owned */
	unsigned n;
	size_t cap;
	bool is_full; /* more were added than it takes */
};

/* Copies. -ENOMEM. */
int sheet_add(struct sheet *s, const struct picture *p, const char *text);
/* Draws the sheet; replaces *out. Returns 0, -ENOMEM, or -ENODATA if nothing was added. */
int sheet_compose(const struct sheet *s, const char *title, struct picture *out);
void sheet_finish(struct sheet *s);

/* ---- draws.c ---- */

struct render_draws {
	struct shot *s;
	uint32_t frame, n;  /* n: draws so far, of a VideoCore IV */
	struct sheet sheet; /* of the frame */
};

/* For step_start(), with a struct render_draws. */
extern const struct step_visitor render_draws_visitor;
/* Called before and after a chosen frame. */
void render_draws_begin(struct render_draws *d, uint32_t frame);
void render_draws_end(struct render_draws *d);
/*
 * Writes the picture after a draw, or adds it to the sheet with that text, as the options say. row:
 * further members of its row in the report, or NULL; takes ownership.
 */
void render_draws_put(struct render_draws *d, uint32_t draw, const char *text,
		const struct picture *p, json_t *row);

/* ---- videocore.c ---- */

/* A replay that shows draws, of either chip. */
struct render_walk {
	bool is_vc4;
	struct step step;
	struct videocore_walk vc4;
	struct replay *replay; /* in one of them */
};

/* Like replay_start() and replay_frame(). d is borrowed; looks: its draws are shown. */
int render_walk_start(struct render_walk *w, struct render_draws *d, struct pica_capture *capture,
		uint32_t first, bool is_vc4);
int render_walk_frame(struct render_walk *w, bool looks);
void render_walk_finish(struct render_walk *w);

#endif
