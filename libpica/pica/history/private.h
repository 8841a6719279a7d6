/* The inside of a history. */
#ifndef HISTORY_PRIVATE_H
#define HISTORY_PRIVATE_H

#include "core/chunk/watch.h"
#include "pica/history/history.h"

/* Where and when: of jobs. */
struct moment {
	uint32_t frame, event;
	uint64_t user_data;
};

/* A draw of the open pass, or a piece of one. */
struct noted {
	const struct draw *draw; /* in the pass's arena */
	struct moment at;
	uint32_t number;          /* of the frame */
	uint32_t first_primitive; /* of the whole draw */
	uint32_t first_vertex;    /* of immediate ones */
	bool are_emitted;
	bool has_own_fan;         /* the first vertex of a fan is the first of the whole draw */
};

/* A transfer or a copy that was done. */
struct moved {
	struct moment at;
	bool is_copy;
	union {
		struct transfer transfer;
		struct copy copy;
	};
};

/* Memory of a pass's pixel, as its draws leave it. */
struct history_look;

struct history {
	struct pica_watch pixel[PICA_WATCH_MAX];
	unsigned n_pixels;
	struct moment at;     /* the running job */
	uint32_t next_event;
	bool ends_frame;      /* the running job is a PRESENT */
	uint32_t n_draws;     /* of the frame */
	uint32_t n_primitives, n_vertices; /* of the draw so far */
	bool has_own_fan;

	struct pica_history_entry *entries;
	size_t n_entries, cap_entries;
	struct pica_fragment_steps *steps;
	size_t n_steps, cap_steps;
	bool has_steps; /* they are kept */
	struct moved *moved;
	size_t n_moved, cap_moved;
	int error; /* -ENOMEM: something is missing */

	/* The write that has begun: its entries. */
	size_t first_pending;
	/* The open pass. */
	struct noted *noted;
	size_t n_noted, cap_noted;
	/* The closed pass: its first entry, and the expected value of each pixel. */
	size_t first_of_pass;
	uint32_t expected_pixels; /* bit i: pixel i was looked at */
	uint32_t expected[PICA_WATCH_MAX];

	/* probe.c */
	struct watch watch;
	struct batch *batch;
	void *frag; /* FRAG_SCRATCH_BYTES */
};

/* Appends an entry for the current job. Returns NULL when out of memory. */
struct pica_history_entry *history_add(struct history *h, enum pica_history_kind kind,
		unsigned pixel, const struct moment *at);
/* Room for the steps of an entry, all 0. NULL: they are not kept, or out of memory. */
struct pica_fragment_steps *history_steps_add(struct history *h, struct pica_history_entry *e);
/* The pixel's bytes in memory. */
uint32_t history_bytes(const struct history *h, unsigned pixel, const struct space *space);

#endif
