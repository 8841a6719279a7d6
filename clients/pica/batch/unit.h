/* One unit of a batch: draws it, compares, and writes its result. Runs in a process of its own. */
#ifndef PICA_BATCH_UNIT_H
#define PICA_BATCH_UNIT_H

#include "batch.h"
#include "shown.h"

/* How a worker ends. Whatever else, as what sanitizers exit with: it crashed. */
enum {
	UNIT_DONE = 0,    /* there is a result, good or bad */
	UNIT_ERROR = 100, /* and an errno, below 150: the result could not be written */
	UNIT_ERRORS_END = 250,
};

/* Draws a unit and writes its files into a folder. UNIT_... */
int batch_unit_draw(const struct batch_plan *plan, const struct batch_unit *unit,
	const struct engine_options *engine, const char *folder);
/*
 * The result of a unit whose worker left none, as the worker would have written it; takes nothing
 * over. Negative errno.
 */
int batch_unit_fail(const struct batch_unit *unit, enum batch_state state, const char *message,
		const char *folder);

/* That memory is out, and under which limit; 0: none. */
void batch_memory_text(char *text, size_t size, uint64_t limit_bytes);

/* A unit at work. */
struct drawing {
	const struct batch_settings *settings;
	const struct batch_unit *unit;
	const char *folder;
	json_t *messages, *pictures, *golden;
	enum batch_state state;
	uint32_t n_frames;   /* of the capture, 0: not opened */
	uint32_t n_compared; /* pictures that were held against expected ones */
	unsigned n_messages, n_kept;
	int store_error; /* of the first file that could not be written */
};

/* Records an error; of several states the worst counts. */
PICA_PRINTF(3, 4)
void drawing_fail(struct drawing *d, enum batch_state state, const char *fmt, ...);
/* Writes a picture into the unit's folder, and its name into the row. */
void drawing_keep(struct drawing *d, json_t *row, const char *member, const char *name,
		const struct picture *p);

/* ---- golden.c ---- */

/*
 * Holds a picture against the golden one. Returns whether they differ more than is allowed, or
 * there is none; row: of the picture, which gets the findings.
 */
bool batch_golden_compare(struct drawing *d, uint32_t frame, enum shown_view view,
		const struct picture *p, json_t *row);
/* Golden pictures that were not drawn; and all that --bless asks for. */
void batch_golden_finish(struct drawing *d);
/* Whether the golden pictures are still those that a result was compared with. */
bool batch_golden_is_current(
	const struct batch_settings *settings, const struct batch_unit *unit, const json_t *result);

#endif
