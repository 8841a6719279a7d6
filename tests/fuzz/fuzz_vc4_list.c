/*
 * Control lists of the VideoCore IV: memory with two lists. All reads lie in bounds, and a
 * record's text assembles to the record.
 *
 * Input: start and length of the binning list, then of the rendering list, 16 bits each, counted
 * from the first byte of memory, which is the rest.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/space/space.h"
#include "pica_vc4_emit.h"
#include "vc4/list/list.h"

enum { BASE = 0x00100000, WINDOW_BYTES = 65536, HEAD_BYTES = 8, MAX_TEXT = 512 };

static _Alignas(4096) uint8_t memory[WINDOW_BYTES];

static void check_text(const uint8_t *list, size_t size) {
	uint8_t buffer[VC4_MAX_RECORD];
	for (size_t at = 0, taken; at < size; at += taken) {
		char text[MAX_TEXT];
		const size_t len = vc4_list_text(list + at, size - at, &taken, text, MAX_TEXT);
		FUZZ_CHECK(len == strlen(text));
		FUZZ_CHECK(taken >= 1 && taken <= size - at);
		if (text[0] == '.') {
			continue;
		}
		char *fields = strchr(text, ' ');
		if (fields) {
			*fields++ = '\0';
		}
		struct pica_vc4_emit e;
		pica_vc4_emit_init_fixed(&e, buffer, sizeof(buffer));
		pica_vc4_emit_named(&e, text, fields ? fields : "");
		FUZZ_CHECK(pica_vc4_emit_error(&e) == 0 && e.size == taken);
		const struct vc4_record *r = vc4_record(list[at]);
		for (const struct vc4_field *f = r->fields; f->name; f++) {
			FUZZ_CHECK(vc4_field_get(f, list + at) == vc4_field_get(f, buffer));
		}
	}
}

static void check_draws(const struct vc4_frame *f) {
	FUZZ_CHECK(f->n_draws == 0 || f->binning.exists);
	for (uint32_t i = 0; i < f->n_draws; i++) {
		const struct vc4_draw *d = &f->draws[i];
		const struct vc4_shader *s = d->state->shader;
		FUZZ_CHECK(d->mode <= VC4_MODE_TRIANGLE_FAN && vc4_primitives(d->mode, d->count));
		FUZZ_CHECK(d->index_bytes || (uint64_t)d->first + d->count <= VC4_MAX_VERTICES);
		FUZZ_CHECK(d->index_bytes <= 2);
		FUZZ_CHECK((uint64_t)d->count * d->index_bytes <= WINDOW_BYTES);
		FUZZ_CHECK(s->n_arrays <= VC4_MAX_ARRAYS && s->is_nv == (s->n_arrays == 0));
	}
}

static void check_runs(const struct vc4_frame *f) {
	uint32_t next = 0;
	for (uint32_t i = 0; i < f->n_runs; i++) {
		const struct vc4_run *run = &f->runs[i];
		FUZZ_CHECK(run->first == next && run->n > 0 && run->clear < f->n_renderings);
		next += run->n;
		FUZZ_CHECK(next <= f->n_ops);
		uint32_t stores = 0;
		for (uint32_t k = run->first; k < next; k++) {
			const struct vc4_tile_op *op = &f->ops[k];
			FUZZ_CHECK(op->rendering < f->n_renderings);
			if (op->kind == VC4_TILE_DRAW) {
				const uint32_t columns = f->binning.columns;
				FUZZ_CHECK(op->value < columns * f->binning.rows);
				continue;
			}
			FUZZ_CHECK(op->value < f->n_transfers);
			const struct vc4_transfer *t = &f->transfers[op->value];
			stores += op->kind == VC4_TILE_STORE && (t->color || t->z || t->stencil);
			FUZZ_CHECK(t->format <= VC4_FORMAT_BGR565 && t->layout <= VC4_LAYOUT_LT);
		}
		FUZZ_CHECK(stores > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	if (size < HEAD_BYTES) {
		return 0;
	}
	uint16_t head[4];
	memcpy(head, data, sizeof(head));
	size -= HEAD_BYTES;
	size = size < WINDOW_BYTES ? size : WINDOW_BYTES;
	memset(memory, 0, sizeof(memory));
	memcpy(memory, data + HEAD_BYTES, size);

	struct space space;
	struct arena arena;
	space_init(&space);
	arena_init(&arena, NULL);
	FUZZ_CHECK(space_map(&space, BASE, WINDOW_BYTES, memory, 0) == 0);
	const struct vc4_lists lists = {
		.space = &space,
		.start = { BASE + head[0], BASE + head[2] },
		.end = { BASE + head[0] + head[1], BASE + head[2] + head[3] },
		.limits = { 4000, 40000, 1000000 },
	};
	struct vc4_frame frame;
	struct vc4_error error;
	const int ret = vc4_frame_read(&frame, &lists, &arena, &error);
	if (ret == 0) {
		check_draws(&frame);
		check_runs(&frame);
	} else {
		char text[MAX_TEXT];
		FUZZ_CHECK(ret == -EINVAL || ret == -EOPNOTSUPP || ret == -ERANGE ||
				ret == -EDQUOT || ret == -ENOMEM);
		FUZZ_CHECK(error.error == ret && error.why && error.list <= 1);
		FUZZ_CHECK(vc4_error_text(&error, text, sizeof(text)) < sizeof(text));
	}
	check_text(memory, size);
	arena_finish(&arena);
	space_finish(&space);
	return 0;
}
