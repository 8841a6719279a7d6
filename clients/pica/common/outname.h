/* Names of the pictures that `pica render` writes. */
#ifndef PICA_OUTNAME_H
#define PICA_OUTNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum outname_place {
	OUTNAME_NAME,
	OUTNAME_FRAME,
	OUTNAME_DRAW,
	OUTNAME_SCREEN,
	OUTNAME_EYE,
	OUTNAME_EYE_SUFFIX,
	OUTNAME_PLACES
};

/*
 * A folder, taken literally, and a pattern after it:
 *   {name}     of the capture, without folder and extension
 *   {frame}    number of the frame; {frame:4} with at least four digits
 *   {draw}     number of the draw; {draw:4} with at least four digits
 *   {screen}   top, bottom, buffer, surface-ADDRESS, dNUMBER (of a draw), sheet, overdraw-ADDRESS,
 *              cost-ADDRESS
 *   {eye}      left, right
 *   {-eye}     nothing for the left eye, "-right" for the right one
 */
struct outname {
	char *folder;  /* ours; "" or with a slash at its end */
	char *pattern; /* ours */
	bool is_stdout;
	bool has[OUTNAME_PLACES]; /* placeholders; {-eye} counts as {eye} */
};

struct outname_values {
	const char *name;
	uint32_t frame, draw;
	const char *screen;
	const char *eye;
};

/*
 * arg: the user's argument (-o); NULL: default names in this folder. extension and with_frame
 * (names contain the frame) are for default names. Returns 0. On failure returns a negative errno,
 * and *error (static storage) is the reason.
 */
int outname_init(struct outname *o, const char *arg, const char *extension, bool with_frame,
		const char **error);
void outname_finish(struct outname *o);
/*
 * Checks that files can be made: the folder before the first placeholder, or its part that exists,
 * must be writable; the folder of a plain file must exist. Returns 0. On failure returns a negative
 * errno, and *at is the folder (caller frees).
 */
int outname_check(const struct outname *o, char **at);
/* Returns the path of a picture (caller frees), or NULL: out of memory. */
char *outname_make(const struct outname *o, const struct outname_values *v);
/* Creates the folders of a path of outname_make(). Returns 0 or a negative errno. */
int outname_make_folders(const struct outname *o, const char *path);

#endif
