#include "depends.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json.h"
#include "gpu.h"

int depends_begin(struct depends *d, struct pica_ctx *ctx) {
	struct pica_window *touched;
	int n = gpu_touched(&touched, ctx), ret = n < 0 ? n : 0;
	for (int i = 0; i < n && ret == 0; i++) {
		ret = depends_write(d, touched[i].phys,
				(uint64_t)touched[i].phys + touched[i].size_bytes, DEPENDS_START);
	}
	free(touched);
	return ret;
}

void depends_finish(struct depends *d) {
	free(d->piece);
	free(d->is_read);
}

int depends_add_row(struct depends *d) {
	bool *room = array_room(d->is_read, d->n_rows, &d->row_room, sizeof(*room));
	if (!room) {
		return -ENOMEM;
	}
	d->is_read = room;
	d->is_read[d->n_rows++] = false;
	return 0;
}

/* Returns the first piece that ends after an address. */
static size_t find(const struct depends *d, uint64_t addr) {
	size_t low = 0, high = d->n;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (d->piece[middle].end > addr) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return low;
}

/* Replaces n pieces from number at on by others. */
static int splice(struct depends *d, size_t at, size_t n, const struct depends_piece *by,
		size_t n_by) {
	for (size_t more = 0; more < 2; more++) { /* two more than before, at most */
		struct depends_piece *room =
				array_room(d->piece, d->n + more, &d->room, sizeof(*room));
		if (!room) {
			return -ENOMEM;
		}
		d->piece = room;
	}
	memmove(d->piece + at + n_by, d->piece + at + n, (d->n - at - n) * sizeof(*d->piece));
	memcpy(d->piece + at, by, n_by * sizeof(*by));
	d->n += n_by - n;
	return 0;
}

int depends_write(struct depends *d, uint64_t begin, uint64_t end, int64_t row) {
	struct depends_piece by[3];
	const size_t at = find(d, begin);
	size_t n = 0, n_by = 0;
	if (begin >= end) {
		return 0;
	}
	while (at + n < d->n && d->piece[at + n].begin < end) {
		n++;
	}
	if (n && d->piece[at].begin < begin) {
		by[n_by++] = (struct depends_piece){ d->piece[at].begin, begin, d->piece[at].row };
	}
	by[n_by++] = (struct depends_piece){ begin, end, row };
	if (n && d->piece[at + n - 1].end > end) {
		by[n_by++] = (struct depends_piece){ end, d->piece[at + n - 1].end,
			d->piece[at + n - 1].row };
	}
	return splice(d, at, n, by, n_by);
}

/* Inserts a row in order, once. */
static void insert(json_t *from, int64_t row) {
	size_t i = json_array_size(from);
	while (i > 0 && json_integer_value(json_array_get(from, i - 1)) > row) {
		i--;
	}
	const json_t *before = i ? json_array_get(from, i - 1) : NULL;
	if (!before || json_integer_value(before) != row) {
		json_array_insert_new(from, i, json_integer(row));
	}
}

void depends_read(
		struct depends *d, json_t *reads, const char *what, uint64_t begin, uint64_t end) {
	json_t *from = reads ? json_array() : NULL;
	uint64_t at = begin;
	for (size_t i = find(d, begin); at < end; i++) {
		const bool is_there = i < d->n && d->piece[i].begin < end;
		const struct depends_piece *p = is_there ? &d->piece[i] : NULL;
		if (from && (!p || p->begin > at)) {
			insert(from, DEPENDS_NOTHING);
		}
		if (!p) {
			break;
		}
		if (from) {
			insert(from, p->row);
		}
		if (p->row >= 0) {
			d->is_read[p->row] = true;
		}
		at = p->end;
	}
	if (from) {
		json_array_append_new(reads,
				json_pack("{ss so sI so}", "what", what, "addr",
						json_addr((uint32_t)begin), "size_bytes",
						(json_int_t)(end - begin), "from", from));
	}
}
