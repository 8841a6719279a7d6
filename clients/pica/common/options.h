/* Options that several verbs have: the engine's, and lists of frames. */
#ifndef PICA_OPTIONS_H
#define PICA_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	unsigned given; /* ENGINE_... */
};

enum { ENGINE_KERNEL_ROWS = 4 };

/* --isa, --float, --combiner, --verbose, hidden from --help, so that it fits a screen. */
extern const struct option_row engine_kernel_rows[ENGINE_KERNEL_ROWS];
/* --threads; serial: for verbs whose default is no workers (which they set), hidden, too. */
extern const struct option_row engine_threads_row, engine_serial_row;

/* Two tables of an option_spec, for a member of the input that is a struct engine_options. */
#define ENGINE_TABLES_OF(row, at) \
	{ &(row), 1, at, offsetof(struct engine_options, given) }, \
	{ engine_kernel_rows, ENGINE_KERNEL_ROWS, at, offsetof(struct engine_options, given) }
#define ENGINE_TABLES(at) ENGINE_TABLES_OF(engine_threads_row, at)
#define ENGINE_SERIAL_TABLES(at) ENGINE_TABLES_OF(engine_serial_row, at)

/* Rows of which each verb has its own, since the member has another offset. */
#define JSON_ROW(at_) { "json", 0, NULL, "Report on stdout as JSON", OPTION_FLAG, .at = at_ }
#define PROGRESS_ROW(at_, hidden) \
	{ "progress", 0, "WHEN", "auto (on a terminal), always or never", OPTION_CHOICE, .at = at_, \
			.words = progress_words, .is_hidden = hidden }
#define FRAMES_ROW(at_, default_) \
	{ "frames", 0, "LIST", "0,3-7,last or all, counted from 0 (default: " default_ ")", \
			OPTION_CALL, .at = at_, .words = frames_words, .parse = frames_option }

extern const char *const progress_words[], *const frames_words[], *const isa_words[];
extern const char *const float_words[], *const combiner_words[];
/* parse() of a row whose member is a struct frame_list. */
const char *frames_option(void *list, char *text);

/* Defaults: a worker for each CPU that we may use, none where there is only one. */
void engine_options_init(struct engine_options *o);
/* How many CPUs we may use, at least 1. */
unsigned engine_cpus(void);
/* Creates the device. Logs errors and returns an exit code; EXIT_FINE: *out is set. */
int engine_create(struct pica_device **out, const struct engine_options *o);

/*
 * Opens a capture; logs errors and returns an exit code: EXIT_BAD_CAPTURE, or EXIT_TROUBLE if the
 * system refused.
 */
int capture_open(struct pica_capture **out, const char *path);
/* The exit code of a failure to open one: EXIT_BAD_CAPTURE, or EXIT_TROUBLE. */
int capture_open_exit(int ret);
/* Whether a failure of a replay is damage of the capture, which pica_capture_error() describes. */
bool capture_is_damaged(const struct pica_capture *capture, int ret);
/* Says what stopped a replay; EXIT_BAD_CAPTURE where it is the capture, or EXIT_TROUBLE. */
int capture_failed(const struct pica_capture *capture, const char *path, int ret);
/* Says which job of a replay failed, and why. Returns an exit code; EXIT_FINE: none did. */
int replay_job_failed(const struct replay *replay, const char *path);
/* Frames that it has, at least 1: without any marker the end of the file is the one frame. */
uint32_t capture_frames(const struct pica_capture *capture);
/* Whether it has a frame; logs that it does not. n_frames: as above. */
bool capture_has_frame(const char *path, uint32_t n_frames, uint32_t frame);
/* Where replay.skipped_key is true: notes which key it was. */
void capture_note_skipped(const struct pica_capture *capture, const char *path, bool skipped);
/* "a/b.ctf" and "a/b.ctf.zst" -> "b", to be freed; NULL: no memory. */
char *capture_name(const char *path);

/* A capture, and a context of this process that is made for it. */
struct capture_here {
	const char *path; /* borrowed */
	char *name;
	struct pica_capture *capture;
	struct pica_capture_info info;
	struct pica_device *device;
	struct pica_ctx *ctx;
};
/*
 * engine: NULL: the defaults, without workers. Logs errors and returns an exit code;
 * capture_here_close() follows in any case.
 */
int capture_here_open(struct capture_here *c, const char *path,
		const struct engine_options *engine);
void capture_here_close(struct capture_here *c);

/* ---- Frames ---- */

enum { FRAME_RANGES = 64 };

/* Of a range: the last frame of the capture. */
#define FRAME_LAST UINT32_MAX

struct frame_list {
	struct {
		uint32_t first, last; /* inclusive */
	} range[FRAME_RANGES];
	unsigned n;
};

/* "0,3-7,last,all", also "5-last". Returns the error, or NULL. */
const char *frame_list_parse(struct frame_list *list, const char *text);
/* Whether it is one frame at most, whatever the capture. */
bool frame_list_is_one(const struct frame_list *list);
/* Whether it is the last frame and nothing else. */
bool frame_list_is_last(const struct frame_list *list);
/* n_frames: of the capture, at least 1. */
bool frame_list_has(const struct frame_list *list, uint32_t n_frames, uint32_t frame);
/* The smallest frame in the list. */
uint32_t frame_list_first(const struct frame_list *list, uint32_t n_frames);
/* The largest frame in the list; n_frames or more: it is not in the capture. */
uint32_t frame_list_end(const struct frame_list *list, uint32_t n_frames);

#endif
