/* pica conform: cases with known pictures, drawn by libpica or by another renderer. */
#ifndef PICA_CONFORM_H
#define PICA_CONFORM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "pictures/picture.h"

/* The origin of an expected picture; those from CONFORM_GUESS on are not counted. */
enum conform_origin {
	CONFORM_CONSOLE,
	CONFORM_ARITHMETIC,
	CONFORM_RENDERERS,
	CONFORM_GUESS,
	CONFORM_ORIGINS
};

extern const char *const conform_origins[CONFORM_ORIGINS + 1];

/* A row of the manifest, and its result. */
struct conform_case {
	char *name, *rule; /* owned */
	enum conform_origin origin;
	uint32_t width, height; /* of the window: the corner of the screen is height x width */
	char hash[PICTURE_HASH_TEXT]; /* of the whole screen */
	bool is_chosen, has_passed;
	char *message; /* owned: why not */
	/* If known, the first differing pixel, and the corners of both pictures. */
	bool has_pixel;
	struct picture_pixel pixel; /* a: expected */
	struct picture expected, drawn;
};

struct conform {
	char *folder; /* owned */
	struct conform_case *cases;
	unsigned n;
	unsigned by_origin[CONFORM_ORIGINS], passed[CONFORM_ORIGINS]; /* of the chosen ones */
};

/* Runs a program on a capture and reads the picture of the top screen. A signal that ends this
 * process ends the program first. Stores NULL, or a message (caller frees): *out is unchanged.
 * Returns EXIT_FINE, or after logging EXIT_TROUBLE: the program cannot be run. */
int conform_replay(struct picture *out, char **message, const char *command, const char *capture);
/* Returns the sum of the numbers by origin, without guesses. */
unsigned conform_counted(const unsigned by_origin[CONFORM_ORIGINS]);
/* Writes a self-contained page, with failures first; command: the command line. */
void conform_html(FILE *f, const struct conform *c, const char *command);

#endif
