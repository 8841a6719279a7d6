/* Changes of state and memory that a replay makes just before draws. */
#ifndef CLIENTS_EDIT_H
#define CLIENTS_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pica.h"

/* Replaces bytes before a draw. They stay until the capture itself replaces them. */
struct edit {
	uint32_t frame, draw;
	uint32_t number; /* the user's, ascending */
	bool is_memory;
	uint32_t at; /* physical address, or offset in struct pica_state */
	uint32_t size_bytes;
	uint8_t *bytes; /* owned */
};

struct edits {
	struct edit *edit; /* owned; later ones are made after earlier ones */
	size_t n, cap;
	uint64_t size_bytes; /* of all */
};

enum { EDITS_BYTES = 64 << 20 };

/*
 * Appends a copy of *edit and its bytes. Returns 0. On failure returns -ENOMEM, -EDQUOT (more than
 * EDITS_BYTES in all) or -EINVAL (outside struct pica_state), and leaves *edits unchanged.
 */
int edits_add(struct edits *edits, const struct edit *edit);
/* Removes those with this number or a greater one. */
void edits_cut(struct edits *edits, uint32_t number);

/* ---- edits: NULL is allowed, and means none ---- */

bool edits_in_frame(const struct edits *edits, uint32_t frame);
bool edits_at(const struct edits *edits, uint32_t frame, uint32_t draw);
/* Returns `frame` or an earlier frame with an edit: keys after that have unedited pixels. */
uint32_t edits_first(const struct edits *edits, uint32_t frame);
/* Makes the edits of a draw in an idle context. Returns 0, -ENOMEM, or -ERANGE: no such memory. */
int edits_make(const struct edits *edits, struct pica_ctx *ctx, uint32_t frame, uint32_t draw);

#endif
