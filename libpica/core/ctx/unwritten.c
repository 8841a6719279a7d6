/*
 * Reads of memory that was never written, for tools (pica_inspect.h). A bit for each 16 bytes says
 * whether they were written since the search was switched on; bits for each page say whether
 * anything in it was, and, for each reader, whether it was already found.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/ctx/ctx.h"

enum {
	GRAIN_BITS = 4,
	WORDS_A_PAGE = 1 << (SPACE_PAGE_BITS - GRAIN_BITS - 6),
	PAGES = 1 << (32 - SPACE_PAGE_BITS),
};

struct unwritten {
	uint64_t grain[PAGES * WORDS_A_PAGE];
	uint64_t page[PAGES / 64];
	uint64_t found[PICA_READ_COUNT][PAGES / 64];
	struct pica_unwritten sum[PICA_READ_COUNT];
};

int unwritten_switch(struct pica_ctx *ctx, bool on) {
	free(ctx->unwritten);
	ctx->unwritten = NULL;
	if (on) {
		ctx->unwritten = calloc(1, sizeof(*ctx->unwritten));
	}
	return on && !ctx->unwritten ? -ENOMEM : 0;
}

const struct pica_unwritten *unwritten_sum(const struct pica_ctx *ctx, enum pica_read reader) {
	return ctx->unwritten ? &ctx->unwritten->sum[reader] : NULL;
}

/* The bits of word w of a bitmap that stand for [first, last]. */
static uint64_t bits(uint64_t w, uint64_t first, uint64_t last) {
	const uint64_t begin = 64 * w;
	if (last < begin || first > begin + 63) {
		return 0;
	}
	return (UINT64_MAX << (first > begin ? first - begin : 0)) &
			(UINT64_MAX >> (last < begin + 63 ? begin + 63 - last : 0));
}

static void set_bits(uint64_t *words, uint64_t first, uint64_t last) {
	for (uint64_t w = first / 64; w <= last / 64; w++) {
		words[w] |= bits(w, first, last);
	}
}

/* The part of a range that lies in window i. False: none. */
static bool part_of(const struct pica_ctx *ctx, struct range r, unsigned i, uint64_t *begin,
		uint64_t *end) {
	const struct window *w = &ctx->space.win[i];
	const uint64_t r_end = (uint64_t)r.addr + r.size, w_end = (uint64_t)w->phys + w->size_bytes;
	*begin = r.addr > w->phys ? r.addr : w->phys;
	*end = r_end < w_end ? r_end : w_end;
	return *begin < *end;
}

void unwritten_mark(struct pica_ctx *ctx, struct range r) {
	struct unwritten *u = ctx->unwritten;
	uint64_t begin, end;
	for (unsigned i = 0; u && i < ctx->space.n; i++) {
		if (part_of(ctx, r, i, &begin, &end)) {
			set_bits(u->grain, begin >> GRAIN_BITS, (end - 1) >> GRAIN_BITS);
			set_bits(u->page, begin >> SPACE_PAGE_BITS, (end - 1) >> SPACE_PAGE_BITS);
		}
	}
}

/* Returns whether no part of [begin, end) within the page was written. */
static bool is_untouched(const struct unwritten *u, uint64_t page, uint64_t begin, uint64_t end) {
	uint64_t written = 0;
	for (uint64_t w = page * WORDS_A_PAGE; w < (page + 1) * WORDS_A_PAGE; w++) {
		written |= u->grain[w] & bits(w, begin >> GRAIN_BITS, (end - 1) >> GRAIN_BITS);
	}
	return !written;
}

/*
 * A texture or a list is read whole, so its own bytes decide. Arrays of vertices are read only at
 * indices, and copies and screens have gaps between lines: for these a page counts as written if
 * anything in it was.
 */
static bool is_read_whole(enum pica_read reader) {
	return reader == PICA_READ_TEXTURE || reader == PICA_READ_LEVELS ||
			reader == PICA_READ_FACES || reader == PICA_READ_LIST;
}

static void look(struct unwritten *u, enum pica_read reader, uint64_t begin, uint64_t end) {
	struct pica_unwritten *sum = &u->sum[reader];
	const uint64_t first = begin >> SPACE_PAGE_BITS, last = (end - 1) >> SPACE_PAGE_BITS;
	for (uint64_t word = first / 64; word <= last / 64; word++) {
		uint64_t open = ~u->found[reader][word] & bits(word, first, last);
		open &= is_read_whole(reader) ? UINT64_MAX : ~u->page[word];
		for (; open; open &= open - 1) {
			const uint64_t page = 64 * word + ctz64(open);
			const uint64_t at = page << SPACE_PAGE_BITS;
			if (!is_untouched(u, page, begin, end)) {
				continue;
			}
			u->found[reader][word] |= UINT64_C(1) << page % 64;
			if (sum->pages++ == 0) {
				sum->first = (uint32_t)(at > begin ? at : begin);
			}
		}
	}
}

void unwritten_read(struct pica_ctx *ctx, struct range r, enum pica_read reader) {
	uint64_t begin, end;
	for (unsigned i = 0; ctx->unwritten && i < ctx->space.n; i++) {
		if (part_of(ctx, r, i, &begin, &end)) {
			look(ctx->unwritten, reader, begin, end);
		}
	}
}
