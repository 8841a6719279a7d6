/* Options that several verbs have: the engine's, and lists of frames. */
#ifndef PICA_OPTIONS_H
#define PICA_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "edit.h"
#include "log.h"
#include "options/options.h"
#include "pica.h"
#include "pica_capture.h"
#include "replay.h"

enum { ENGINE_MAX_THREADS = 64 };

/* Bits of engine_options.given. */
enum {
	ENGINE_THREADS = 1,
	ENGINE_ISA = 2,
	ENGINE_FLOAT = 4,
	ENGINE_COMBINER = 8,
	ENGINE_VERBOSE = 16,
	ENGINE_MACHINE = ENGINE_THREADS | ENGINE_ISA,
	ENGINE_ARITHMETIC = ENGINE_FLOAT | ENGINE_COMBINER,
	ENGINE_RUNNING = ENGINE_MACHINE | ENGINE_VERBOSE,
};

struct engine_options {
	uint32_t threads;
	const char *isa; /* borrowed, NULL: the best */
	const char *isa_option; /* how it was given, NULL: "--isa " */
	enum pica_float float_mode;
	enum pica_combiner combiner;
	bool verbose;
	pica_trace_fn *trace; /* NULL: none */
	void *trace_user;
	const struct edits *edits; /* of pica inspect; borrowed, or NULL */
	unsigned given; /* ENGINE_... */
};

enum { ENGINE_KERNEL_ROWS = 4 };

/* --isa, --float, --combiner, --verbose, hidden from --help, which must fit a screen. */
extern const struct option_row engine_kernel_rows[ENGINE_KERNEL_ROWS];
/* --threads; serial: for verbs whose default is no workers (which they set), hidden, too. */
extern const struct option_row engine_threads_row, engine_serial_row;

/* Two tables of an option_spec, for a member of the input that is a struct engine_options. */
#define ENGINE_TABLES_OF(row, at) \
	{ &(row), 1, at, offsetof(struct engine_options, given) }, \
	{ engine_kernel_rows, ENGINE_KERNEL_ROWS, at, offsetof(struct engine_options, given) }
#define ENGINE_TABLES(at) ENGINE_TABLES_OF(engine_threads_row, at)
#define ENGINE_SERIAL_TABLES(at) ENGINE_TABLES_OF(engine_serial_row, at)

/* Each verb has its own copy of these rows, since the member's offset differs. */
#define JSON_ROW(at_) { "json", 0, NULL, "Report on stdout as JSON", OPTION_FLAG, .at = at_ }
#define PROGRESS_ROW(at_, hidden) \
	{ "progress", 0, "WHEN", "auto (on a terminal), always or never", OPTION_CHOICE, .at = at_, \
			.words = progress_words, .is_hidden = hidden }
#define FRAMES_ROW(at_, default_) \
	{ "frames", 0, "LIST", "0,3-7,last or all, counted from 0 (default: " default_ ")", \
			OPTION_CALL, .at = at_, .words = frames_words, .parse = frames_option }

/* Of an option_spec: one or more captures. */
#define SPEC_CAPTURES \
	.forms = "CAPTURE...", .min_args = 1, .max_args = OPTION_ANY, .expected = "a capture"

extern const char *const progress_words[], *const frames_words[];
extern const char *const float_words[], *const combiner_words[];
/* parse() of a row whose member is a struct frame_list. */
const char *frames_option(void *list, char *text);

/* The same for a uint32_t member: "12", or "last", FRAME_LAST. */
const char *frame_option(void *frame, char *text);

/* Sets defaults: a worker for each CPU that this process may use, none if there is one CPU. */
void engine_options_init(struct engine_options *o);
/* Returns how many CPUs this process may use, at least 1. */
unsigned engine_cpus(void);
/* Creates the device. Returns EXIT_FINE. On failure logs it and returns another exit code. */
int engine_create(struct pica_device **out, const struct engine_options *o);

/*
 * Opens a capture. Returns EXIT_FINE. On failure logs it and returns EXIT_BAD_CAPTURE, or
 * EXIT_TROUBLE if the system refused.
 */
int capture_open(struct pica_capture **out, const char *path);
/* Returns EXIT_FINE. If it is of another chip, logs that and returns EXIT_TROUBLE. */
int capture_is_pica200(const struct pica_capture *capture, const char *path);
/* Returns the exit code of a failure to open one: EXIT_BAD_CAPTURE or EXIT_TROUBLE. */
int capture_open_exit(int ret);
/* Returns whether a replay failed by damage that pica_capture_error() describes. */
bool capture_is_damaged(const struct pica_capture *capture, int ret);
/* Logs why a replay failed. Returns EXIT_BAD_CAPTURE if the capture is damaged, or EXIT_TROUBLE. */
int capture_failed(const struct pica_capture *capture, const char *path, int ret);
/* Logs which job of a replay failed, and why. Returns its exit code, or EXIT_FINE if none did. */
int replay_job_failed(const struct replay *replay, const char *path);
/* Returns its number of frames, at least 1: without markers the whole file is one frame. */
uint32_t capture_frames(const struct pica_capture *capture);
/* Returns whether it has a frame; logs if not. n_frames: as above. */
bool capture_has_frame(const char *path, uint32_t n_frames, uint32_t frame);
/* If skipped (replay.skipped_key), logs which key was skipped. */
void capture_note_skipped(const struct pica_capture *capture, const char *path, bool skipped);
/* Returns "b" for "a/b.ctf" and "a/b.ctf.zst" (caller frees), or NULL: out of memory. */
char *capture_name(const char *path);

/* A capture, and a context of this process for it. */
struct capture_here {
	const char *path; /* borrowed */
	char *name;
	struct pica_capture *capture;
	struct pica_capture_info info;
	struct pica_device *device;
	struct pica_ctx *ctx;
};
/*
 * engine NULL: the defaults, without workers. Returns an exit code, after logging errors. Call
 * capture_here_close() in any case.
 */
int capture_here_open(struct capture_here *c, const char *path,
		const struct engine_options *engine);
void capture_here_close(struct capture_here *c);

/* ---- Frames ---- */

enum { FRAME_RANGES = 64 };

/* The end of a range: the last frame of the capture. */
#define FRAME_LAST UINT32_MAX

struct frame_list {
	struct {
		uint32_t first, last; /* inclusive */
	} range[FRAME_RANGES];
	unsigned n;
};

/* "0,3-7,last,all", also "5-last". Returns the error, or NULL. */
const char *frame_list_parse(struct frame_list *list, const char *text);
/* Returns whether it is at most one frame of any capture. */
bool frame_list_is_one(const struct frame_list *list);
/* Returns whether it is the last frame and nothing else. */
bool frame_list_is_last(const struct frame_list *list);
/* n_frames: of the capture, at least 1. */
bool frame_list_has(const struct frame_list *list, uint32_t n_frames, uint32_t frame);
/* Returns the smallest frame in the list. */
uint32_t frame_list_first(const struct frame_list *list, uint32_t n_frames);
/* Returns the largest frame in the list: beyond the capture if it is n_frames or more. */
uint32_t frame_list_end(const struct frame_list *list, uint32_t n_frames);

#endif
