/*
 * Destinations of the pictures of the headless display:
 *
 *   none         nowhere
 *   hash:FILE    for each flip a line "N OUTPUT HASH TIME": number from 0, index of the output,
 *                picture hash (as `pica render --format hash`), time of the refresh in ns.
 *                FILE "-": standard output
 *   png:PATTERN  a file for each flip; {frame} is its number (six digits, from 0 for each output),
 *                {output} the output's name, required if there are several
 *   y4m:FILE     a video of 4:4:4 pictures, one for each refresh of the first output; FILE may be
 *                a pipe or "-"
 *
 * Display thread only. A slow reader of a pipe delays the display, not the clients' work. If the
 * reader closes the pipe, frames are no longer written, but the display continues. A named pipe
 * waits for a reader, and after that for the next one, which gets a video with a header.
 */
#ifndef SERVICE_FRAME_SINK_H
#define SERVICE_FRAME_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "service/display.h"

struct frame_sink;

struct frame {
	const uint8_t *host;
	uint32_t stride_bytes, width, height;
	enum display_format format;
	uint64_t time_ns;
};

/* Returns NULL if where is valid, otherwise a text of what was expected. */
const char *frame_sink_expected(const char *where, unsigned n_outputs);
/*
 * Creates a sink; *out becomes NULL for "none". outputs are copied. A blocked write is abandoned
 * when stop_fd (-1: none) becomes readable. Returns 0, -EINVAL if there is no such sink, or the
 * error of opening the file or the folder of pictures. A failed write, even of the header, is
 * reported by frame_sink_error().
 */
int frame_sink_create(struct frame_sink **out, const char *where,
		const struct display_output *outputs, unsigned n, int stop_fd);
/*
 * Renames the files to their final names; they contain complete pictures only. NULL is allowed.
 * Returns 0, or the error that left a file missing, unless it was reported before.
 */
int frame_sink_destroy(struct frame_sink *sink);
/* Writes a picture that an output shows now. An error ends the sink: frame_sink_error(). */
void frame_sink_put(struct frame_sink *sink, unsigned output, const struct frame *frame);
/* Call when the output shows the same picture for another refresh. */
void frame_sink_repeat(struct frame_sink *sink, unsigned output);
/* Returns whether it uses repeats. */
bool frame_sink_repeats(const struct frame_sink *sink);
/* Returns whether it waits for a reader of the pipe. */
bool frame_sink_waits(const struct frame_sink *sink);
/* Returns 0, or the first error. */
int frame_sink_error(const struct frame_sink *sink);
/* Returns the path of the file that is written or was written last, for messages. */
const char *frame_sink_path(const struct frame_sink *sink);

#endif
