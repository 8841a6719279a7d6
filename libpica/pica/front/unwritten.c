/*
 * Memory that is read although nobody wrote it, for tools (pica_inspect.h). Of each 16 bytes a bit
 * says whether they were written since it was switched on, of each page whether anything in it was,
 * and, for each reader, whether it was found already.
 */
#include <errno.h>
#include <stdlib.h>

#include "pica/front/ctx.h"

enum {
	GRAIN_BITS = 4,
	WORDS_A_PAGE = 1 << (SPACE_PAGE_BITS - GRAIN_BITS - 6),
	PAGES = 1 << (32 - SPACE_PAGE_BITS),
};

struct unwritten {
	uint64_t grain[PAGES][WORDS_A_PAGE];
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

/* Bits [first, last] of a word. */
static uint64_t bits(unsigned first, unsigned last) {
	return (UINT64_MAX >> (63 - last)) & (UINT64_MAX << first);
}

/* The part of [begin, end) that word w of a page has, a bit for each grain; 0: none. */
static uint64_t grains(uint64_t page, unsigned w, uint64_t begin, uint64_t end) {
	const uint64_t first = (page << SPACE_PAGE_BITS >> GRAIN_BITS) + 64 * (uint64_t)w;
	const uint64_t from = begin >> GRAIN_BITS, to = (end - 1) >> GRAIN_BITS;
	if (to < first || from > first + 63) {
		return 0;
	}
	return bits(from > first ? (unsigned)(from - first) : 0,
			to < first + 63 ? (unsigned)(to - first) : 63);
}

/* What the context has of a range: part i, one for each window. False: nothing. */
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
		if (!part_of(ctx, r, i, &begin, &end)) {
			continue;
		}
		for (uint64_t p = begin >> SPACE_PAGE_BITS; p <= (end - 1) >> SPACE_PAGE_BITS;
				p++) {
			for (unsigned w = 0; w < WORDS_A_PAGE; w++) {
				u->grain[p][w] |= grains(p, w, begin, end);
			}
			u->page[p / 64] |= UINT64_C(1) << p % 64;
		}
	}
}

/* Whether nothing that a page has of [begin, end) was written. */
static bool is_untouched(const struct unwritten *u, uint64_t page, uint64_t begin, uint64_t end) {
	for (unsigned w = 0; w < WORDS_A_PAGE; w++) {
		if (u->grain[page][w] & grains(page, w, begin, end)) {
			return false;
		}
	}
	return true;
}

/*
 * Textures and lists are recorded by themselves: what else lies in their pages says nothing of
 * them. Of arrays of vertices those are that an index names, and between the lines of a copy or of
 * a screen lies what nobody reads: there a page counts as written where anything in it was.
 */
static bool is_by_itself(enum pica_read reader) {
	return reader == PICA_READ_TEXTURE || reader == PICA_READ_LEVELS ||
			reader == PICA_READ_FACES || reader == PICA_READ_LIST;
}

static void look(struct unwritten *u, enum pica_read reader, uint64_t begin, uint64_t end) {
	struct pica_unwritten *sum = &u->sum[reader];
	const uint64_t last = (end - 1) >> SPACE_PAGE_BITS;
	for (uint64_t p = begin >> SPACE_PAGE_BITS; p <= last; p = (p / 64 + 1) * 64) {
		const uint64_t word = p / 64;
		uint64_t open = ~u->found[reader][word] &
				bits(p % 64, last / 64 == word ? (unsigned)(last % 64) : 63);
		open &= is_by_itself(reader) ? UINT64_MAX : ~u->page[word];
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
