/* Dependencies between the rows of `pica draws`: which row wrote the memory that a row reads. */
#ifndef PICA_DEPENDS_H
#define PICA_DEPENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "pica.h"

/* Rows are numbered from 0. Instead of a row: */
enum {
	DEPENDS_START = -1,   /* the memory at the start of the capture */
	DEPENDS_NOTHING = -2, /* nothing wrote it: it is 0 */
};

/* Memory that one row wrote last. */
struct depends_piece {
	uint64_t begin, end;
	int64_t row;
};

/* Zero at first. */
struct depends {
	struct depends_piece *piece; /* ascending, without overlaps */
	bool *is_read;               /* of each row: a later row or a screen read what it wrote */
	size_t n, room, n_rows, row_room;
};

/* Notes the memory that exists before the first row. Returns 0 or -ENOMEM. */
int depends_begin(struct depends *d, struct pica_ctx *ctx);
void depends_finish(struct depends *d);
/* Adds a row. Returns 0 or -ENOMEM. */
int depends_add_row(struct depends *d);
/* Notes that the row wrote [begin, end). Returns 0 or -ENOMEM. */
int depends_write(struct depends *d, uint64_t begin, uint64_t end, int64_t row);
/*
 * Notes a read of [begin, end): appends {"what", "addr", "size_bytes", "from": [rows]} to reads;
 * NULL: marks the rows alone. Row numbers ascend; DEPENDS_NOTHING becomes null.
 */
void depends_read(struct depends *d, json_t *reads, const char *what, uint64_t begin, uint64_t end);

#endif
