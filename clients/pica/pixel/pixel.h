/* The history of a pixel of a capture, for pica pixel and pica assert-pixel. */
#ifndef PICA_PIXEL_H
#define PICA_PIXEL_H

#include "common/json.h"
#include "common/options.h"
#include "pica_history.h"
#include "render/render.h"

struct pixel_options {
	struct engine_options engine;
	const char *capture; /* of several: this one */
	struct option_args captures;
	uint32_t x, y;
	uint32_t frame; /* FRAME_LAST: the last one */
	unsigned screen, eye; /* enum pica_screen_id, enum pica_eye */
	bool has_surface;
	struct render_surface surface;
	bool json, steps;
	/* assert-pixel: */
	unsigned given; /* PIXEL_... */
	uint8_t color[4];
	unsigned n_channels; /* of color: 3 or 4 */
	uint32_t tolerance, draw;
};

enum { PIXEL_SCREEN = 1, PIXEL_SURFACE = 2, PIXEL_COLOR = 4, PIXEL_DRAW = 8 };

/* A place in memory; its bytes come from the next place, or from draws. */
struct pixel_place {
	struct pica_watch at;
	uint32_t frame, event; /* later entries have no effect on the pixel */
};

/* A fragment of the VideoCore IV, with the steps of its program that were kept. */
struct pixel_qpu {
	struct pica_qpu_fragment fragment;
	struct pica_qpu_step *steps; /* with --steps; or NULL */
};

struct pixel_answer {
	const char *path;
	uint32_t frame;   /* that was asked for */
	uint32_t first;   /* first frame of the history */
	uint32_t format;  /* PICA_COLOR_FORMAT_* of the requested pixel */
	uint8_t color[4]; /* RGBA; without alpha 255 */
	uint32_t bytes;   /* the same in memory */
	struct pica_watch shown; /* the pixel that was asked for */
	/* In stream order, settled; frames are the capture's. */
	struct pica_history_entry *entries;
	size_t n;
	struct pica_fragment_steps *steps; /* with --steps: entry i's, if it has any */
	bool is_vc4;               /* format: PICA_VC4_FORMAT_* */
	struct pixel_qpu *qpu;     /* of the VideoCore IV: entry i's, if it has any */
	int64_t last;     /* the entry that made the pixel: through transfers, if any; or -1 */
};

/* parse() of --surface; options: a struct pixel_options. */
const char *pixel_parse_surface(void *options, char *text);
/* Words of --screen and --eye. */
extern const char *const pixel_screen_words[], *const pixel_eye_words[];
/* Colour of a pixel of memory. */
void pixel_color(uint32_t format, uint32_t bytes, uint8_t rgba[4]);

/* Replays the capture. Returns an exit code, after logging. Call pixel_finish() in any case. */
int pixel_find(struct pixel_answer *a, const struct pixel_options *o);
/* The same for an open capture; o->capture names it in messages. */
int pixel_find_in(struct pixel_answer *a, const struct pixel_options *o, struct capture_here *c);
void pixel_finish(struct pixel_answer *a);

/* ---- steps.c ---- */

/* "#RRGGBBAA" */
void pixel_color_text(const uint8_t c[4], char out[16]);
json_t *pixel_color_json(const uint8_t c[4]);
/* Adds to the fragment of an entry; s: its steps, or NULL. */
void pixel_steps_json(json_t *fragment, const struct pica_fragment *f,
		const struct pica_fragment_steps *s);
void pixel_steps_print(const struct pica_fragment *f, const struct pica_fragment_steps *s);

/* ---- qpu.c ---- */

/* Reads the steps named by the entry's `steps`. Returns 0, or -ENOMEM. */
int pixel_qpu_read(struct pica_ctx *ctx, uint32_t steps, bool has_steps, struct pixel_qpu *out);
void pixel_qpu_finish(struct pixel_qpu *q, size_t n);
json_t *pixel_qpu_json(const struct pixel_qpu *q);
void pixel_qpu_print(const struct pixel_qpu *q);
/* Finds a pixel of the picture. Returns false if the picture reaches outside memory. */
bool pixel_in_picture(struct pica_ctx *ctx, const struct pica_picture *p, uint32_t x, uint32_t y,
		struct pica_watch *out);
/* Name of a format of targets. */
const char *pixel_vc4_format(uint32_t format);

/* ---- print.c ---- */

json_t *pixel_json(const struct pixel_answer *a, const struct pixel_options *o);
void pixel_print(const struct pixel_answer *a, const struct pixel_options *o);

#endif
