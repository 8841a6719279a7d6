#include "edit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int edits_add(struct edits *edits, const struct edit *edit) {
	const size_t state = sizeof(struct pica_state);
	if (!edit->is_memory && (edit->at > state || edit->size_bytes > state - edit->at)) {
		return -EINVAL;
	}
	if (edit->size_bytes > EDITS_BYTES - edits->size_bytes) {
		return -EDQUOT;
	}
	if (edits->n == edits->cap) {
		const size_t cap = edits->cap ? 2 * edits->cap : 16;
		struct edit *more = realloc(edits->edit, cap * sizeof(*more));
		if (!more) {
			return -ENOMEM;
		}
		edits->edit = more;
		edits->cap = cap;
	}
	uint8_t *bytes = malloc((size_t)edit->size_bytes + 1);
	if (!bytes) {
		return -ENOMEM;
	}
	memcpy(bytes, edit->bytes, edit->size_bytes);
	struct edit *e = &edits->edit[edits->n++];
	*e = *edit;
	e->bytes = bytes;
	edits->size_bytes += e->size_bytes;
	return 0;
}

void edits_cut(struct edits *edits, uint32_t number) {
	while (edits->n && edits->edit[edits->n - 1].number >= number) {
		const struct edit *e = &edits->edit[--edits->n];
		edits->size_bytes -= e->size_bytes;
		free(e->bytes);
	}
	if (edits->n == 0) {
		free(edits->edit);
		*edits = (struct edits){ 0 };
	}
}

bool edits_in_frame(const struct edits *edits, uint32_t frame) {
	for (size_t i = 0; edits && i < edits->n; i++) {
		if (edits->edit[i].frame == frame) {
			return true;
		}
	}
	return false;
}

bool edits_at(const struct edits *edits, uint32_t frame, uint32_t draw) {
	for (size_t i = 0; edits && i < edits->n; i++) {
		if (edits->edit[i].frame == frame && edits->edit[i].draw == draw) {
			return true;
		}
	}
	return false;
}

uint32_t edits_first(const struct edits *edits, uint32_t frame) {
	for (size_t i = 0; edits && i < edits->n; i++) {
		frame = edits->edit[i].frame < frame ? edits->edit[i].frame : frame;
	}
	return frame;
}

int edits_make(const struct edits *edits, struct pica_ctx *ctx, uint32_t frame, uint32_t draw) {
	struct pica_state *state = malloc(sizeof(*state));
	int ret = state ? pica_ctx_save_state(ctx, state) : -ENOMEM;
	for (size_t i = 0; ret == 0 && i < edits->n; i++) {
		const struct edit *e = &edits->edit[i];
		if (e->frame != frame || e->draw != draw) {
			continue;
		}
		if (e->is_memory) {
			ret = pica_ctx_write_memory(ctx, e->at, e->bytes, e->size_bytes);
		} else {
			memcpy((uint8_t *)state + e->at, e->bytes, e->size_bytes);
		}
	}
	ret = ret < 0 ? ret : pica_ctx_load_state(ctx, state);
	free(state);
	return ret;
}
