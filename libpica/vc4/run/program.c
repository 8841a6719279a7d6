#include "vc4/run/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vc4/qpu/names.h"
#include "vc4/run/machine.h"
#include "vc4/run/wide.h"

enum {
	WORD_BYTES = 8,
	PAGE_WORDS = 2048,
	PAGES = QPU_PROGRAM_SPAN / WORD_BYTES / PAGE_WORDS,
	WRITE_ALPHA_MASK = 47,
	WRITE_DMA_ADDRESS = 50,
	NO_END = 0xFF,
};

/* The error of a word: 0 or an errno. */
struct verdict {
	int ret;
	const char *why;
};
#define FINE ((struct verdict){ 0, NULL })
#define RESERVED(why) ((struct verdict){ -EINVAL, why })
#define NOT_BUILT(why) ((struct verdict){ -EOPNOTSUPP, why })

static struct verdict check_write(unsigned address) {
	if (address == WRITE_ALPHA_MASK) {
		return NOT_BUILT("alpha mask");
	}
	if (address == WRITE_DMA_ADDRESS) {
		return NOT_BUILT("VPM DMA");
	}
	return FINE;
}

/* Both destinations, where something is written. */
static struct verdict check_writes(const struct qpu_instruction *q, bool add, bool mul) {
	struct verdict v = add ? check_write(q->waddr_add) : FINE;
	return v.ret || !mul ? v : check_write(q->waddr_mul);
}

static bool can_read(unsigned file, unsigned address) {
	return address < 32 || qpu_reads[file][address];
}

static struct verdict check_alu(const struct qpu_instruction *q) {
	const bool add = q->op_add && q->cond_add, mul = q->op_mul && q->cond_mul;
	switch (q->sig) {
	case SIG_BREAKPOINT:
		return RESERVED("breakpoint");
	case SIG_COVERAGE_LOAD:
		return NOT_BUILT("coverage load");
	case SIG_ALPHA_MASK_LOAD:
		return NOT_BUILT("alpha mask load");
	default:
		break;
	}
	if (!qpu_add_ops[q->op_add].name) {
		return RESERVED("reserved operation");
	}
	if (!can_read(0, q->raddr_a) ||
			(q->sig != QPU_SIG_SMALL_IMMEDIATE && !can_read(1, q->raddr_b))) {
		return RESERVED("reserved read address");
	}
	if (q->pm && mul && ((q->pack & 7) == 1 || (q->pack & 7) == 2)) {
		return RESERVED("reserved pack");
	}
	return check_writes(q, add, mul);
}

static struct verdict check_load(const struct qpu_instruction *q) {
	if (q->unpack == QPU_LOAD_SEMAPHORE) {
		return NOT_BUILT("semaphore");
	}
	if (q->unpack != QPU_LOAD_WORD && q->unpack != QPU_LOAD_SIGNED &&
			q->unpack != QPU_LOAD_UNSIGNED) {
		return RESERVED("reserved form of load immediate");
	}
	if (q->pm && q->cond_mul && ((q->pack & 7) == 1 || (q->pack & 7) == 2)) {
		return RESERVED("reserved pack");
	}
	return check_writes(q, q->cond_add, q->cond_mul);
}

static struct verdict check(const struct qpu_instruction *q) {
	if (q->sig == QPU_SIG_BRANCH) {
		return qpu_branch_conds[q->branch_cond] ? check_writes(q, true, true) :
							  RESERVED("reserved branch condition");
	}
	return q->sig == QPU_SIG_LOAD ? check_load(q) : check_alu(q);
}

/* ---- Following the flow ---- */

struct decoder {
	const struct space *space;
	uint32_t alias, first; /* first: the lowest address of the span */
	struct qpu_word *word;
	uint8_t *reach;    /* for each word: how far the flow was followed from there */
	uint32_t n;
	uint16_t *page[PAGES]; /* by address: index + 1, or 0; pages are allocated on demand */
	uint32_t *pending; /* addresses from which the flow continues, at most two a word */
	uint32_t n_pending;
	struct qpu_fault *fault;
};

static int fail(struct decoder *d, uint32_t address, int ret, const char *why) {
	*d->fault = (struct qpu_fault){ address, why };
	return ret;
}

/* Returns the entry of an offset in the span, or NULL when out of memory. */
static uint16_t *slot_of(struct decoder *d, uint32_t offset) {
	const uint32_t word = offset / WORD_BYTES;
	uint16_t **page = &d->page[word / PAGE_WORDS];
	if (!*page) {
		*page = calloc(PAGE_WORDS, sizeof(**page));
	}
	return *page ? &(*page)[word % PAGE_WORDS] : NULL;
}

/* Sets *index to that of the word at the address, which it reads at the first visit. */
static int visit(struct decoder *d, uint32_t address, uint32_t *index) {
	const uint32_t offset = (address - d->first) & QPU_ADDRESS_MASK;
	if (offset >= QPU_PROGRAM_SPAN) {
		return fail(d, address, -EOPNOTSUPP, "branch too far");
	}
	if (address % WORD_BYTES) {
		return fail(d, address, -EINVAL, "not a multiple of 8");
	}
	uint16_t *slot = slot_of(d, offset);
	if (!slot) {
		return -ENOMEM;
	}
	if (*slot) {
		*index = *slot - 1u;
		return 0;
	}
	uint64_t bits;
	const uint8_t *host = space_host(d->space, address, sizeof(bits));
	if (!host) {
		return fail(d, address, -ERANGE, "program outside of memory");
	}
	memcpy(&bits, host, sizeof(bits));
	if (d->n == QPU_PROGRAM_WORDS) {
		return fail(d, address, -EOPNOTSUPP, "program too long");
	}
	struct qpu_word *w = &d->word[d->n];
	*w = (struct qpu_word){
		.q = qpu_decode(bits), .address = address, .target = QPU_NOWHERE,
	};
	d->reach[d->n] = 0;
	struct verdict v = check(&w->q);
	if (v.ret) {
		return fail(d, address, v.ret, v.why);
	}
	*index = d->n;
	*slot = (uint16_t)++d->n;
	return 0;
}

static bool has_link(const struct qpu_instruction *q) {
	return q->waddr_add != QPU_ADDRESS_NOP || q->waddr_mul != QPU_ADDRESS_NOP;
}

/* Decodes from one address to the end of the flow, or to a word decoded before. */
static int follow(struct decoder *d, uint32_t address) {
	unsigned left = NO_END; /* words until the flow ends here */
	bool is_ending = false;
	for (; left; address = (address + WORD_BYTES) & QPU_ADDRESS_MASK) {
		uint32_t i;
		int ret = visit(d, address, &i);
		if (ret || d->reach[i] >= left) {
			return ret;
		}
		const struct qpu_instruction *q = &d->word[i].q;
		const bool is_new = !d->reach[i];
		d->reach[i] = (uint8_t)left;
		left -= left != NO_END;
		if (q->sig == QPU_SIG_BRANCH) {
			/* A register counts from there: a table of jumps. */
			if (is_new && (!q->has_register || q->is_relative)) {
				d->pending[d->n_pending++] =
						qpu_branch_base(&d->word[i]) & QPU_ADDRESS_MASK;
			}
			if (is_new && has_link(q)) {
				d->pending[d->n_pending++] = qpu_after_slots(address);
			}
			if (!is_ending && (q->branch_cond == BRANCH_ALWAYS || left != NO_END)) {
				left = DELAY_SLOTS;
			}
		} else if (q->sig == QPU_SIG_PROGRAM_END || q->sig == QPU_SIG_COLOR_LOAD_END) {
			left = left < END_SLOTS ? left : END_SLOTS;
			is_ending = true;
		}
	}
	return 0;
}

static int by_address(const void *a, const void *b) {
	uint32_t x = ((const struct qpu_word *)a)->address;
	uint32_t y = ((const struct qpu_word *)b)->address;
	return (x > y) - (x < y);
}

uint32_t qpu_program_find(const struct qpu_program *p, uint32_t address) {
	uint32_t lo = 0, hi = p->n;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (p->word[mid].address < address) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return lo < p->n && p->word[lo].address == address ? lo : QPU_NOWHERE;
}

static int finish(struct decoder *d, uint32_t entry, struct qpu_program **out) {
	struct qpu_program *p = malloc(sizeof(*p) + 2 * d->n * sizeof(p->word[0]));
	if (!p) {
		return -ENOMEM;
	}
	p->alias = d->alias;
	p->n = 0;
	qsort(d->word, d->n, sizeof(d->word[0]), by_address);
	for (uint32_t i = 0; i < d->n; i++) {
		const uint32_t next = d->word[i].address + WORD_BYTES;
		p->word[p->n++] = d->word[i];
		if (i + 1 == d->n || d->word[i + 1].address != next) {
			/* All zero: a breakpoint. */
			p->word[p->n++] = (struct qpu_word){
				.address = next, .target = QPU_NOWHERE,
			};
		}
	}
	p->entry = qpu_program_find(p, entry);
	for (uint32_t i = 0; i < p->n; i++) {
		struct qpu_word *w = &p->word[i];
		if (w->q.sig == QPU_SIG_BRANCH && !w->q.has_register) {
			w->target = qpu_program_find(p, qpu_branch_base(w) & QPU_ADDRESS_MASK);
		}
	}
	qpu_plan(p);
	p->wide = qpu_wide_create(p);
	*out = p;
	return 0;
}

int qpu_program_create(struct qpu_program **out, const struct space *space, uint32_t addr,
		struct qpu_fault *fault) {
	const uint32_t entry = addr & QPU_ADDRESS_MASK;
	struct decoder d = {
		.space = space,
		.alias = addr & ~QPU_ADDRESS_MASK,
		.first = entry - QPU_PROGRAM_SPAN / 2,
		.word = malloc(QPU_PROGRAM_WORDS * sizeof(*d.word)),
		.reach = malloc(QPU_PROGRAM_WORDS),
		.pending = malloc((2 * QPU_PROGRAM_WORDS + 1) * sizeof(*d.pending)),
		.fault = fault,
	};
	int ret = d.word && d.reach && d.pending ? 0 : -ENOMEM;
	if (!ret) {
		d.pending[d.n_pending++] = entry;
	}
	while (!ret && d.n_pending) {
		ret = follow(&d, d.pending[--d.n_pending]);
	}
	if (!ret) {
		ret = finish(&d, entry, out);
	}
	free(d.pending);
	for (unsigned i = 0; i < PAGES; i++) {
		free(d.page[i]);
	}
	free(d.reach);
	free(d.word);
	return ret;
}

void qpu_program_destroy(struct qpu_program *p) {
	if (p) {
		free(p->wide);
	}
	free(p);
}
