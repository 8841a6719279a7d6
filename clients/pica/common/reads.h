/* The memory that a draw reads: textures, indices, vertex arrays. */
#ifndef PICA_READS_H
#define PICA_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <xxhash.h>

#include "pica.h"
#include "step.h"

enum { READS_MAX = 32 };

struct read_range {
	char what[24]; /* "texture 0", "texture 0 face -x", "indices", "vertex array 3" */
	uint32_t addr, size_bytes;
	uint8_t *bytes; /* ours; NULL: reads_copy() was not called, or it is not in memory */
};

struct reads {
	struct read_range r[READS_MAX];
	unsigned n;
};

/* A number in an index buffer. */
static inline uint32_t reads_index(const uint8_t *buffer, bool is_u16, size_t i) {
	return is_u16 ? buffer[2 * i] | (uint32_t)buffer[2 * i + 1] << 8 : buffer[i];
}

/* Finds the reads of the draw that the context is about to run. */
void reads_find(struct reads *out, struct pica_ctx *ctx, enum draw_kind kind);
/* Copies the present contents. Returns 0 or -ENOMEM; call reads_finish() in any case. */
int reads_copy(struct reads *r, struct pica_ctx *ctx);
void reads_finish(struct reads *r);
/* Returns a hash of the bytes and their addresses. */
XXH128_hash_t reads_hash(const struct reads *r, struct pica_ctx *ctx);

/* Differences between two copies; for ranges of the same size in both, at any addresses. */
json_t *reads_diff_json(const struct reads *a, const struct reads *b);
/* Prints them. */
void reads_diff_text(const json_t *rows);

#endif
