/*
 * Shared by the forms of captures (.pica, CiTrace): the reading interface, errors, small helpers.
 */
#ifndef CAPTURE_FORM_H
#define CAPTURE_FORM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/attributes.h"
#include "pica_capture.h"

/* What a message is about. */
struct capture_source {
	const char *name;
	bool is_decompressed; /* offsets count decompressed bytes */
};

/* The reading interface of a form, for pica_capture_next() and related functions. */
struct capture_form {
	int (*next)(struct pica_capture *c, struct pica_capture_event *event);
	/* To the last place at or before the frame where a state is known; *at is its frame. */
	int (*seek)(struct pica_capture *c, uint32_t frame, uint32_t *at);
	/* All of it; NULL: was checked when it was opened. */
	int (*verify)(struct pica_capture *c, pica_capture_found_fn *found, void *user);
	/* Frees what the form itself holds. The rest is freed after it. */
	void (*finish)(struct pica_capture *c);
};

enum { CAPTURE_MAX_LACKS = 32 }; /* one for each bit */

/* First member of each form's own struct. */
struct pica_capture {
	const struct capture_form *form;
	char *name; /* ours */
	struct capture_source source;
	struct pica_capture_info info;
	struct pica_state state; /* the state at the start or at the last seek */
	bool trust_loads;
	struct pica_capture_error error; /* the last failure to read */

	/* Ascending by what; info.missing has their bits, too. */
	struct pica_capture_lack lack[CAPTURE_MAX_LACKS];
	unsigned n_lacks;

	/* Recoverable parts of a damaged capture; owned. */
	struct pica_capture_part *part;
	unsigned n_parts;

	/* Pictures expected by the recorder; owned, sorted by frame. */
	struct pica_expected *expected;
	uint32_t n_expected;
	/* Memory that the capture needs (host NULL), owned; 0: the default windows. */
	struct pica_window *windows;
	uint32_t n_windows;
	struct pica_budgets budgets; /* 0: the default */
};

static inline uint32_t capture_u32(const uint8_t *p) {
	uint32_t w;
	memcpy(&w, p, sizeof(w));
	return w;
}

/*
 * Fills *err (may be NULL) with "name: byte 0x..: text" or "name: decompressed byte 0x..: text" and
 * returns code. offset UINT64_MAX: none.
 */
int capture_fail(const struct capture_source *source, struct pica_capture_error *err, int code,
		uint64_t offset, const char *fmt, ...) PICA_PRINTF(5, 6);

static inline int capture_no_memory(
		const struct capture_source *source, struct pica_capture_error *err) {
	return capture_fail(source, err, -ENOMEM, UINT64_MAX, "out of memory");
}

/* Sets the members common to all forms. Returns 0 or -ENOMEM. */
int capture_init(struct pica_capture *c, const struct capture_form *form,
		const struct capture_source *source);

/* Adds a missing part. Returns false unless it is one new bit with a count of at least 1. */
bool capture_add_missing(struct pica_capture *c, const struct pica_capture_lack *lack);

#endif
