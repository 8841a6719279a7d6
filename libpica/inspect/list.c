/* The writes of a command list, one by one (fidelity: command-list). */
#include "pica_inspect.h"

#include <errno.h>
#include <string.h>

#include "core/base/attributes.h"

PICA_EXPORT void pica_list_open(struct pica_list_reader *r, uint32_t addr, const void *words,
		uint32_t size_bytes) {
	*r = (struct pica_list_reader){ .bytes = words, .addr = addr, .n = size_bytes / 4 };
}

static uint32_t next_word(struct pica_list_reader *r) {
	uint32_t word;
	memcpy(&word, r->bytes + 4 * (size_t)r->pos++, sizeof(word));
	return word;
}

static uint32_t word_addr(const struct pica_list_reader *r, uint32_t pos) {
	return r->addr + 4 * pos;
}

PICA_EXPORT int pica_list_next(struct pica_list_reader *r, struct pica_list_write *out) {
	uint32_t at = r->pos, value;
	if (r->index == r->count) {
		at = r->pos = (r->pos + 1) & ~1u; /* padding word */
		if ((uint64_t)r->pos + 2 > r->n) {
			return 0;
		}
		value = next_word(r);
		uint32_t header = next_word(r);
		r->entry = word_addr(r, at);
		r->id = header & 0xFFFF;
		r->mask = header >> 16 & 0xF;
		r->count = (header >> 20 & 0xFF) + 1;
		r->consecutive = header >> 31 != 0;
		r->index = 0;
	} else {
		if (r->pos >= r->n) {
			return -EILSEQ;
		}
		value = next_word(r);
		r->id += (uint32_t)r->consecutive;
	}
	*out = (struct pica_list_write){ .addr = word_addr(r, at), .entry = r->entry, .id = r->id,
		.value = value, .mask = r->mask, .index = r->index++, .count = r->count,
		.consecutive = r->consecutive };
	return 1;
}
