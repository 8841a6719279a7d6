/* Shared by the files of `pica host-run': a run of a program. */
#ifndef PICA_HOST_RUN_H
#define PICA_HOST_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <signal.h>
#include <sys/types.h>

#include "host/pictures.h"
#include "lint/lint.h"
#include "render/render.h"

enum { WATCH_SIGNALLED = 128, RUN_MAX_WINDOWS = 8 };

struct run_options {
	struct render_options render; /* its output, frames, screens, format and engine */
	uint32_t frames, timeout_s;
	const char *record, *input, *romfs, *sdmc, *font, *where;
	bool lint;
	char **program; /* up to NULL */
};

struct run {
	const struct run_options *o;
	struct render render;
	struct shot shot;
	/* the last frame */
	struct host_frame frame;
	struct host_picture head[HOST_FRAME_PICTURES];
	struct picture picture[HOST_FRAME_PICTURES];
	bool has_begun; /* has initialised its GPU */
	bool has_frame, is_written;
	bool is_whole; /* its stream came to its end */
	bool is_empty; /* it ended well, without a frame */
	/* the program's stream, and for --lint its memory and jobs */
	FILE *pipe;
	pid_t pid;
	int checked; /* socket: an answer for each job; -1: no --lint */
	struct host_memory memory[RUN_MAX_WINDOWS];
	uint8_t *base[RUN_MAX_WINDOWS];
	uint32_t n_windows; /* 0: not known yet */
	bool is_waiting; /* for that answer */
	struct lint lint;
	char until[128]; /* of lint */
	bool has_run, is_linted;
};

/* ---- stream.c ---- */

/* Takes what the program sends until it ends: writes pictures, gathers findings. Closes fd. */
void run_take_stream(struct run *r, int fd);

/* ---- watch.c ---- */

/* This process becomes the parent of what its children leave. Call before they start. */
void watch_adopt(void);
/* Signals that end this process or tell of the program's end wait. Returns the mask before. */
sigset_t watch_block(void);
/*
 * Ends the program after the timeout, from now on, or when this process is to end. fd: its stream,
 * which ends with the program itself.
 */
void watch_begin(pid_t pid, int fd, uint32_t timeout_s);
/* The program has sent a frame: starts the time anew. */
void watch_frame(uint32_t timeout_s);
/* The time does not count while the program waits for this process. */
void watch_hold(void);
void watch_continue(void);
/* Nor while it finishes its recording. */
void watch_finishing(void);
/* It has nothing more to send: its stream is closed. */
void watch_last(uint32_t timeout_s);
/* It has ended. Ends the processes that it leaves. Returns whether its time was over. */
bool watch_end(void);

#endif
