/*
 * Where the pictures of the headless display go:
 *
 * none nowhere hash:FILE a line "N OUTPUT HASH TIME" a flip: number from 0, index of the output,
 * picture hash (as "pica render --format hash"), time of the refresh in ns. FILE "-": standard
 * output png:PATTERN a file a flip; {frame} is its number (six digits, from 0 for each output),
 * {output} the output's name, required if there are several y4m:FILE a video of 4:4:4 pictures, one
 * a refresh of the first output: also to a pipe or "-"
 *
 * Display thread. A slow reader of a pipe delays the display, not the clients' work. If the reader
 * has gone, frames end, but the display continues. A named pipe waits for a reader, and then for
 * the next one, which gets a video with a header.
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

/* Returns what was expected instead of these words, or NULL if they are valid. */
const char *frame_sink_expected(const char *where, unsigned n_outputs);
/*
 * Creates a sink; *out becomes NULL for "none". Outputs are copied. A write that blocks gives up
 * when stop_fd (-1: none) is readable. Returns 0, -EINVAL if there is no such sink, or the error of
 * opening the file or the folder of pictures. A failed write, also of the header, is an error of
 * the sink.
 */
int frame_sink_create(struct frame_sink **out, const char *where,
		const struct display_output *outputs, unsigned n, int stop_fd);
/*
 * Renames the files to their final names; they hold whole pictures only. NULL is allowed. Returns
 * 0, or the reason for a missing file, unless it was reported before.
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
