/* Shared by the files of `pica diff`. */
#ifndef PICA_DIFF_H
#define PICA_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "common/options.h"
#include "pictures/picture.h"

enum diff_kind {
	DIFF_CAPTURE,
	DIFF_IMAGE,  /* PNG */
	DIFF_HASHES, /* lines of `pica render --format hash` */
};

struct diff_options {
	struct engine_options engine[2]; /* of A and B */
	const char *path[2];
	unsigned n_paths;                /* 1: one capture, drawn in two ways */
	struct frame_list frames;
	uint32_t tolerance;              /* of a channel */
	uint32_t allowed;                /* pixels of a picture that may be beyond it */
	unsigned given;                  /* bit 0: --a, bit 1: --b */
	bool every_draw, brief, json;
	const char *output;              /* folder, or NULL */
	enum progress_mode progress;
};

/* Fills *o from a command line; help and usage errors end the process. */
void diff_options_parse(struct diff_options *o, int argc, char **argv);

/* One run of the verb. */
struct diff {
	const struct diff_options *o;
	json_t *report; /* or NULL: text on the standard output */
	bool differs;
};

/* Each returns an exit code, EXIT_FINE or what went wrong (which was said), and sets differs. */
int diff_images(struct diff *d);
int diff_captures(struct diff *d);
/* A capture's rendering and a file of hashes, or two such files. */
int diff_hashes(struct diff *d, const enum diff_kind kind[2]);

/* Two pictures; differs: beyond tolerance and allowance. */
struct diff_result {
	bool differs, other_size;
	struct picture_difference d;
	uint8_t a[3], b[3]; /* at the first pixel that differs */
};

void diff_compare(const struct diff_options *o, const struct picture *a, const struct picture *b,
		struct diff_result *out);
/*
 * "12 pixels differ (2 beyond the tolerance), by 17 at most, first at column 3, row 4: #102030,
 * #102131"
 */
void diff_print(const struct diff_result *r, const struct picture *a, const struct picture *b);
json_t *diff_json(const struct diff_result *r);
/*
 * Writes FOLDER/name-a.png, -b.png and -diff.png (grey where both are the same, red to white by how
 * much they differ). Logs errors and returns false. Does nothing without -o.
 */
bool diff_write(struct diff *d, const char *name, const struct picture *a, const struct picture *b);

#endif
