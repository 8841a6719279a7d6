/* pica minimise: the smallest capture for which a condition still holds. */
#ifndef PICA_MINIMISE_H
#define PICA_MINIMISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "list_walk.h"
#include "pica_capture.h"
#include "shown.h"

/* ---- condition.c ---- */

enum condition_kind {
	CONDITION_NONE,
	CONDITION_PIXEL,   /* a pixel has a colour, after the last frame */
	CONDITION_HASH,    /* a picture has a hash, after the last frame */
	CONDITION_FINDING, /* pica lint finds a rule broken */
	CONDITION_CRASH,   /* drawing it ends by a signal */
	CONDITION_COMMAND, /* a shell command ends with 0 */
};

struct condition {
	enum condition_kind kind;
	const char *text;     /* what follows the colon; borrowed */
	bool is_negated;      /* !: of pixel and hash */
	uint32_t x, y;
	uint8_t rgb[3];
	uint32_t screen, eye; /* enum pica_screen_id, enum pica_eye */
	enum shown_view view; /* of the condition's picture */
	uint32_t timeout_s;   /* of one test */
};

/* Reads "pixel:X,Y:RRGGBB", ...: as parse() of an option. Returns the error, or NULL. */
const char *condition_parse(void *condition, char *text);
/*
 * Chooses the picture for the condition: the screen that the options name, else the picture of a
 * VideoCore IV, else the last colour buffer. Returns an exit code, after logging errors.
 */
int condition_choose_view(struct condition *c, const char *path);
/* Tests a capture in a process of its own. */
bool condition_holds(const struct condition *c, const char *path);

/* ---- parts.c ---- */

/* Kinds of parts that a capture can do without, from large to small. */
enum part_kind {
	PART_JOB,   /* a job, or the end of a frame other than the last */
	PART_DRAW,  /* the list entry that starts a draw */
	PART_PIECE, /* 1 KiB of data that a job or the start puts into memory; it becomes 0 */
	PART_ENTRY, /* another list entry: register writes */
	PART_COUNT,
};

struct part {
	enum part_kind kind;
	bool is_gone;
	uint32_t index; /* PART_JOB: of the event; else of the blob */
	uint8_t *at;    /* in the blob: the piece, or the header of the entry */
	uint32_t word;  /* the header as it was */
};

/* Bytes that the capture puts into memory, at the start or by a job. */
struct blob {
	uint32_t addr, size_bytes;
	uint8_t *bytes;    /* owned */
	uint8_t *original; /* the same, before anything was removed */
	uint8_t *has_list; /* of each piece: it contains entries of a list */
	int64_t event;     /* of the job; -1: the start */
};

struct part_event {
	enum pica_capture_kind kind;
	struct pica_job job; /* data of a WRITE: of its blob */
	bool is_gone;
};

/* A list without jumps that a job starts: it can be shortened. */
struct part_list {
	uint32_t event;
	int64_t blob; /* -1: it cannot */
};

struct parts {
	struct pica_capture *capture;
	struct pica_capture_info info;
	struct part_event *event;
	struct blob *blob;
	struct part *part;
	struct part_list *list;
	size_t n_events, n_blobs, n_parts, n_lists;
	size_t event_room, blob_room, part_room, list_room;
	/* While the capture is read: */
	struct pica_ctx *ctx;
	struct list_walk walk;
	bool is_list; /* a job's own list is being read */
	int error;
};

/* Reads a .pica with one key, at its start. Returns an exit code, after logging errors. */
int parts_read(struct parts *p, const char *path);
void parts_finish(struct parts *p);
/* Leaves a part out, or takes it in again. */
void part_set_omitted(struct parts *p, struct part *part, bool is_gone);
/* Returns whether the part, and the part that contains it, are still in the capture. */
bool part_is_there(const struct parts *p, const struct part *part);
/* Shortens lists by removing the entries that were left out. */
void parts_shorten_lists(struct parts *p);
/* Writes what is left as a capture. Returns 0 or a negative errno. */
int parts_write(const struct parts *p, const char *path, uint32_t level);

#endif
