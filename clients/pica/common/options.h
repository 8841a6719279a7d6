/* Options that several verbs have: the engine's, and lists of frames. */
#ifndef PICA_OPTIONS_H
#define PICA_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "pica.h"
#include "pica_capture.h"
#include "talk.h"

/* Keys of options without a letter; verbs take theirs from OPTION_VERB on. */
enum {
	OPTION_THREADS = 0x100,
	OPTION_ISA,
	OPTION_FLOAT,
	OPTION_COMBINER,
	OPTION_HELP_ALL,
	OPTION_VERB,
};

enum { ENGINE_MAX_THREADS = 64 };

struct engine_options {
	uint32_t threads;
	const char *isa; /* borrowed, NULL: the best */
	const char *isa_option; /* how it was given, NULL: "--isa " */
	enum pica_float float_mode;
	enum pica_combiner combiner;
	bool verbose;
	pica_trace_fn *trace; /* NULL: none */
	void *trace_user;
	const char *given; /* the last option of the engine that was given, or NULL */
	const char *machine_given; /* of those, --threads or --isa */
	bool arithmetic_given; /* --float or --combiner */
	bool running_given;    /* --threads, --isa or --verbose */
};

/*
 * --threads, --isa, --float, --combiner, --verbose: an argp child whose input is a struct
 * engine_options. All but --threads are hidden from --help, so that it fits a screen; with them
 * comes
 * --help-all, which shows what --help hides, of the verb's own options too.
 */
extern const struct argp engine_argp;
/* The same for verbs whose default is no workers (which they set); --threads is hidden, too. */
extern const struct argp engine_serial_argp;

/* Defaults: a worker for each CPU that we may use, none where there is only one. */
void engine_options_init(struct engine_options *o);
/* How many CPUs we may use, at least 1. */
unsigned engine_cpus(void);
/* Creates the device. Says what is wrong and returns an exit code; EXIT_FINE: *out is set. */
int engine_create(struct pica_device **out, const struct engine_options *o);

/* Parses a verb's command line with argp; help and usage errors end the process (exit 0 and 2). */
void options_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

/* Ends the process as a usage error: "--NAME ARG: what is wrong", for the option with that key. */
error_t option_error(const struct argp_state *state, int key, const char *arg, const char *error);

/* A whole decimal or 0x number up to max. */
bool parse_number(const char *text, uint64_t max, uint64_t *out);
/* "auto", "always" or "never". What is wrong, or NULL. */
const char *parse_progress(const char *text, enum progress_mode *out);

/*
 * Opens a capture; says what is wrong and returns an exit code: EXIT_BAD_CAPTURE, or EXIT_TROUBLE
 * where the system refused.
 */
int capture_open(struct pica_capture **out, const char *path, struct pica_capture_error *err);
/* What a failure to open one is: EXIT_BAD_CAPTURE, or EXIT_TROUBLE. */
int capture_open_exit(int ret);
/* Whether a failure of a replay is damage of the capture, which pica_capture_error() describes. */
bool capture_is_damaged(const struct pica_capture *capture, int ret);
/* Says what stopped a replay; EXIT_BAD_CAPTURE where it is the capture, or EXIT_TROUBLE. */
int capture_failed(const struct pica_capture *capture, const char *path, int ret);
/* Where replay.skipped_key is true: notes which key it was. */
void capture_note_skipped(const struct pica_capture *capture, const char *path, bool skipped);
/* "a/b.ctf" and "a/b.ctf.zst" -> "b", to be freed; NULL: no memory. */
char *capture_name(const char *path);

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

/* "0,3-7,last,all", also "5-last". What is wrong with it, or NULL. */
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
