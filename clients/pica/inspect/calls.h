/* The calls of pica inspect; see docs/inspect.md. */
#ifndef PICA_INSPECT_CALLS_H
#define PICA_INSPECT_CALLS_H

#include "inspect/engine.h"
#include "options/options.h"
#include "pixel/pixel.h"
#include "shader/shader.h"

enum inspect_kind {
	INSPECT_COLOR,
	INSPECT_ALPHA,
	INSPECT_DEPTH,
	INSPECT_STENCIL,
	INSPECT_OVERDRAW,
	INSPECT_FRAGMENTS,
	INSPECT_COST,
	INSPECT_BEFORE,
	INSPECT_AFTER,
	INSPECT_DIFFERENCE,
};

/* Bits of given. */
enum {
	INSPECT_ADDRESS = 1,
	INSPECT_SIZE = 2,
	INSPECT_FORMAT = 4,
	INSPECT_XY = 8,
	INSPECT_DRAW = 16,
	INSPECT_WIDTH = 32,
	INSPECT_HEIGHT = 64,
	INSPECT_Y = 128,
	/* In the order of enum shader_trace_of: */
	INSPECT_VERTEX = 256,
	INSPECT_PRIMITIVE = 512,
	INSPECT_RUN = 1024,
	/* Objects of an edit: one of them. */
	INSPECT_REGISTER = 2048,
	INSPECT_PROGRAM = 4096,
	INSPECT_UNIT = 8192,
	INSPECT_EDITED = INSPECT_ADDRESS | INSPECT_REGISTER | INSPECT_PROGRAM | INSPECT_UNIT,
	INSPECT_VALUE = 16384,
};

/* Parameters of calls; each takes some of them. */
struct inspect_params {
	struct inspect_place place;
	uint32_t first, count;
	uint32_t address, bytes, width, height;
	uint32_t trace[SHADER_OF_COUNT];
	const char *format;
	unsigned kind; /* enum inspect_kind */
	bool is_stored, block32;
	struct pixel_options pixel; /* x, y, screen, eye, surface, steps */
	const char *fields, *text, *png, *data; /* of edits */
	uint32_t reg, value, unit, face, level;
	unsigned program;
	bool all;
	unsigned given;
};

struct inspect_call {
	const char *name;
	const struct option_row *rows; /* of struct inspect_params; up to a name of NULL */
	unsigned needed; /* required ones: INSPECT_... */
	bool is_for_vc4; /* it also answers for captures of a VideoCore IV */
	/* Stores the result in *out (caller frees). Returns an exit code, after logging errors. */
	int (*run)(struct inspect_engine *e, struct inspect_params *p, json_t **out);
};

/* Up to a name of NULL. */
extern const struct inspect_call inspect_calls[];

/* ---- views.c ---- */

extern const struct option_row inspect_surface_rows[], inspect_screen_rows[],
		inspect_thumbnails_rows[];
int inspect_surface(struct inspect_engine *e, struct inspect_params *p, json_t **out);
int inspect_screen(struct inspect_engine *e, struct inspect_params *p, json_t **out);
int inspect_thumbnails(struct inspect_engine *e, struct inspect_params *p, json_t **out);

/* ---- edit.c ---- */

extern const struct option_row inspect_edit_rows[], inspect_undo_rows[];
int inspect_edit(struct inspect_engine *e, struct inspect_params *p, json_t **out);
int inspect_undo(struct inspect_engine *e, struct inspect_params *p, json_t **out);
int inspect_edits(struct inspect_engine *e, struct inspect_params *p, json_t **out);

/* ---- compare.c ---- */

extern const struct option_row inspect_difference_rows[];
int inspect_difference(struct inspect_engine *e, struct inspect_params *p, json_t **out);

/* ---- mesh.c ---- */

extern const struct option_row inspect_mesh_rows[];
int inspect_mesh(struct inspect_engine *e, struct inspect_params *p, json_t **out);

#define INSPECT_AT(member) offsetof(struct inspect_params, member)
#define INSPECT_FRAME_ROW                                                                          \
	{                                                                                          \
		.name = "frame", .kind = OPTION_CALL, .at = INSPECT_AT(place.frame),               \
		.parse = frame_option                                                              \
	}
#define INSPECT_NUMBER_ROW(name_, member, max_, given_)                                            \
	{                                                                                          \
		.name = name_, .kind = OPTION_U32, .at = INSPECT_AT(member), .max = max_,          \
		.given = given_                                                                    \
	}
#define INSPECT_CHOICE_ROW(name_, member, words_) \
	{ .name = name_, .kind = OPTION_CHOICE, .at = INSPECT_AT(member), .words = words_ }
#define INSPECT_SCREEN_ROWS \
	INSPECT_CHOICE_ROW("screen", pixel.screen, pixel_screen_words), \
			INSPECT_CHOICE_ROW("eye", pixel.eye, pixel_eye_words)
#define INSPECT_PLACE_ROWS                                                                         \
	INSPECT_FRAME_ROW, INSPECT_NUMBER_ROW("step", place.step, UINT32_MAX - 1, 0),              \
			INSPECT_NUMBER_ROW("draw", place.draw, UINT32_MAX - 1, INSPECT_DRAW)

#endif
