/*
 * Whose turn it is: deficit round robin over shares, which are contexts of one owner, weighted by
 * priority.
 *
 * A job is paid for by an estimate when it begins, and by what it drew when its units are reaped,
 * so a share that turns out to be expensive has debts that others' turns come before. Nobody saves
 * credit while idle, and a share that is alone has no debts.
 */
#include <stdlib.h>

#include "pica/front/ctx.h"

enum {
	QUANTUM = 16384, /* that a round adds: list words, fragments */
	VERTEX_COST = 32,
	HEAVY = 4 * QUANTUM, /* drawn without a pause: workers look at others' units first */
	UNIT = 1024,
};

/* Ten steps are a factor of ten. */
static const int32_t weights[21] = { 102, 129, 162, 204, 257, 324, 408, 513, 646, 813, UNIT, 1289,
	1623, 2043, 2572, 3238, 4077, 5132, 6461, 8134, 10240 };

struct share {
	struct share *next; /* device.shares */
	uint64_t owner;     /* 0: of one context */
	unsigned n_contexts;
	int64_t credit, quantum;
	uint64_t drawn; /* cost since it was idle last */
	const struct pica_ctx *last; /* served last; compared only */
	/* While turns_choose() looks: the first that waits, and the first behind `last`. */
	struct pica_ctx *first, *after;
	bool seen_last, in_flight;
};

/* ---- Shares ---- */

int turns_join(struct pica_ctx *ctx) {
	struct pica_device *dev = ctx->device;
	const struct pica_ctx_settings *settings = &ctx->settings;
	for (struct share *s = dev->shares; s; s = s->next) {
		if (settings->owner && s->owner == settings->owner) {
			s->n_contexts++;
			ctx->share = s;
			return 0;
		}
	}
	struct share *s = calloc(1, sizeof(*s));
	if (!s) {
		return -1;
	}
	s->owner = settings->owner;
	s->n_contexts = 1;
	s->quantum = (int64_t)QUANTUM * weights[settings->priority + 10] / UNIT;
	s->next = dev->shares;
	dev->shares = s;
	ctx->share = s;
	return 0;
}

void turns_leave(struct pica_ctx *ctx) {
	struct pica_device *dev = ctx->device;
	struct share *s = ctx->share, **link = &dev->shares;
	s->last = s->last == ctx ? NULL : s->last;
	if (--s->n_contexts) {
		return;
	}
	while (*link != s) {
		link = &(*link)->next;
	}
	*link = s->next;
	dev->turn = dev->turn == s ? s->next : dev->turn;
	free(s);
}

/* ---- Costs ---- */

static int64_t estimate(const struct pica_job *job) {
	switch (job->op) {
	case PICA_OP_LIST:
		return 64 + job->u.list.size_bytes / 4;
	case PICA_OP_WRITE:
		return 64 + job->u.write.size_bytes / 64;
	case PICA_OP_FILL:
		return 256 + (job->u.fill.end - job->u.fill.start) / 64;
	case PICA_OP_COPY:
		return 256 + job->u.copy.size_bytes / 16;
	case PICA_OP_TRANSFER:
		return 256 +
				(int64_t)(job->u.transfer.out_dim & 0xFFFF) *
				(job->u.transfer.out_dim >> 16);
	case PICA_OP_REG_WRITE:
		return 1;
	default:
		return 256;
	}
}

void turns_charge(struct pica_ctx *ctx) {
	const struct exec_stats *e = &ctx->exec.stats;
	uint64_t cost = e->fragments + VERTEX_COST * (e->shaded + ctx->stats.shaded_vertices);
	ctx->share->credit -= (int64_t)(cost - ctx->charged);
	ctx->share->drawn += cost - ctx->charged;
	ctx->charged = cost;
}

/* ---- Choosing ---- */

/*
 * For its turn; not for a unit, which would keep the command thread from all others. Retired units
 * wake it.
 */
static bool is_waiting(const struct pica_ctx *c) {
	return c->parsed < c->submitted && c->in_flight < EXEC_UNITS;
}

/* The share's next one: of the highest rank, else in turn. */
static bool is_before(const struct pica_ctx *a, const struct pica_ctx *b) {
	return !b || a->settings.rank > b->settings.rank;
}

/* Looks who waits in each share; how many shares do. */
static unsigned look(struct pica_device *dev) {
	unsigned n = 0;
	for (struct share *s = dev->shares; s; s = s->next) {
		s->first = s->after = NULL;
		s->seen_last = s->in_flight = false;
	}
	for (struct pica_ctx *c = dev->contexts; c; c = c->next) {
		struct share *s = c->share;
		if (is_waiting(c)) {
			n += !s->first;
			s->first = is_before(c, s->first) ? c : s->first;
			if (s->seen_last) {
				s->after = is_before(c, s->after) ? c : s->after;
			}
		}
		s->seen_last |= c == s->last;
		s->in_flight |= c->in_flight != 0;
	}
	for (struct share *s = dev->shares; s; s = s->next) {
		s->drawn = s->first || s->in_flight ? s->drawn : 0;
	}
	return n;
}

static struct pica_ctx *head_of(const struct share *s) {
	return s->after && s->after->settings.rank == s->first->settings.rank ? s->after : s->first;
}

static int64_t head_cost(const struct share *s) {
	const struct pica_ctx *c = head_of(s);
	return estimate(&c->slots[(c->parsed + 1) & (c->cap_slots - 1)].job);
}

/* Rounds until it can pay for its next job. */
static int64_t rounds_of(const struct share *s) {
	int64_t lacks = head_cost(s) - s->credit;
	return lacks > 0 ? (lacks + s->quantum - 1) / s->quantum : 0;
}

static struct pica_ctx *serve(struct pica_device *dev, struct share *s) {
	struct pica_ctx *c = head_of(s);
	s->credit -= head_cost(s);
	s->last = c;
	/*
	 * Turns decide what begins. What has begun waits for workers, too: who draws on and on does
	 * so longer.
	 */
	c->exec.is_behind = s->drawn > HEAVY;
	/* It keeps the turn while it can pay; else the next one is asked first. */
	dev->turn = s->credit > 0 ? s : s->next;
	return c;
}

struct pica_ctx *turns_choose(struct pica_device *dev) {
	const unsigned n = look(dev);
	struct share *best = NULL;
	int64_t rounds = 0;
	if (n == 0) {
		return NULL;
	}
	/* All shares once, from the one whose turn it is. */
	struct share *s = dev->turn ? dev->turn : dev->shares;
	const struct share *start = s;
	do {
		if (!s->first) {
			s->credit = s->credit < 0 ? s->credit : 0;
		} else if (!best || rounds_of(s) < rounds) {
			best = s;
			rounds = rounds_of(s);
		}
		s = s->next ? s->next : dev->shares;
	} while (s != start);
	if (n == 1) {
		best->credit = 0;
		return serve(dev, best);
	}
	/* The rounds that nobody could have paid in go by at once. */
	for (s = dev->shares; s && rounds; s = s->next) {
		s->credit += s->first ? rounds * s->quantum : 0;
	}
	return serve(dev, best);
}

bool turns_take(struct pica_ctx *ctx) {
	struct share *s = ctx->share;
	if (look(ctx->device) != 1 || !s->first || head_of(s) != ctx) {
		return false;
	}
	s->credit = 0;
	serve(ctx->device, s);
	return true;
}
