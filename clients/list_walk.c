#include "list_walk.h"

#include <stddef.h>
#include <string.h>

#include "fields.h"

enum {
	INTERNAL_BASE = 0x10401000,
	INTERNAL_END = INTERNAL_BASE + 4 * PICA_REG_COUNT,
	MAX_WORDS = 16 << 20, /* for one started list, as the engine's budget */
	MAX_JUMPS = 65536,
	INDEX_IMMEDIATE = 15,
};

/* The reader's action after a write. */
enum act { ACT_NONE, ACT_JUMP0, ACT_JUMP1, ACT_STOP };

const char *draw_kind_name(enum draw_kind kind) {
	static const char *const names[DRAW_KIND_COUNT] = {
		[DRAW_ARRAYS] = "arrays",
		[DRAW_ELEMENTS] = "elements",
		[DRAW_IMMEDIATE] = "immediate",
	};
	return (unsigned)kind < DRAW_KIND_COUNT ? names[kind] : "?";
}

void list_walk_init(struct list_walk *w, struct pica_ctx *ctx, const struct list_visitor *visitor,
		void *user) {
	memset(w, 0, sizeof(*w));
	w->ctx = ctx;
	w->visitor = visitor;
	w->user = user;
	pica_ctx_read_regs(ctx, 0, PICA_REG_COUNT, w->regs);
}

/* ---- Calls of the visitor ---- */

static void show_write(
		const struct list_walk *w, const struct pica_list_write *write, bool from_list) {
	if (w->visitor->write) {
		w->visitor->write(w->user, write, from_list);
	}
}

static void begin_draw(const struct list_walk *w, enum draw_kind kind) {
	if (w->visitor->draw) {
		w->visitor->draw(w->user, w->regs, kind);
	}
}

static void end_draw(const struct list_walk *w) {
	if (w->visitor->drawn) {
		w->visitor->drawn(w->user);
	}
}

/* The run of vertices in the list is over. */
static void end_run(struct list_walk *w) {
	if (w->open) {
		w->open = false;
		end_draw(w);
	}
}

/* ---- Writes ---- */

/*
 * Whether an interrupt request of these bytes matches, and the list stops at it.
 * [fidelity: finalize]
 */
static bool interrupt_stops(const struct list_walk *w, uint32_t id, uint32_t mask) {
	const uint32_t *r = w->regs;
	uint32_t difference = r[id] ^ r[id - PICA_REG_FINALIZE + PICA_REG_IRQ_CMP0];
	for (uint32_t k = 0; k < 4; k++) {
		uint32_t byte = (id - PICA_REG_FINALIZE) * 4 + k;
		bool off = r[PICA_REG_IRQ_MASK_LOW + byte / 32] >> byte % 32 & 1;
		if ((mask >> k & 1) && !off && (difference >> 8 * k & 0xFF) == 0) {
			return get_IRQ_AUTOSTOP_ENABLE(r[PICA_REG_IRQ_AUTOSTOP]);
		}
	}
	return false;
}

/* [fidelity: packed-f24] */
void list_unpack_f24(const uint32_t word[3], uint32_t v[4]) {
	v[0] = word[2] & 0xFFFFFF;
	v[1] = (word[1] & 0xFFFF) << 8 | word[2] >> 24;
	v[2] = (word[0] & 0xFF) << 16 | word[1] >> 16;
	v[3] = word[0] >> 8;
}

/*
 * Takes a word of a fixed attribute. Three words make a vector, and the vectors of all attributes
 * make a vertex.
 */
static void attribute_word(struct list_walk *w, uint32_t word) {
	w->word[w->n_words++] = word;
	if (w->n_words < 3) {
		return;
	}
	w->n_words = 0;
	if (get_FIXEDATTRIB_INDEX_INDEX(w->regs[PICA_REG_FIXEDATTRIB_INDEX]) != INDEX_IMMEDIATE) {
		return;
	}
	list_unpack_f24(w->word, w->vertex[w->attribute]);
	if (w->attribute++ < get_VSH_NUM_ATTR_NUM_ATTR_M1(w->regs[PICA_REG_VSH_NUM_ATTR])) {
		return;
	}
	const unsigned n = w->attribute;
	w->attribute = 0;
	if (!w->open) {
		w->open = true;
		begin_draw(w, DRAW_IMMEDIATE);
	}
	if (w->visitor->vertex) {
		w->visitor->vertex(w->user, (const uint32_t (*)[4])w->vertex, n);
	}
}

/* Applies the write to the registers; false: no effect. */
static bool store(struct list_walk *w, const struct pica_list_write *write, bool from_list) {
	enum field_kind kind = field_kind(write->id);
	bool stored = kind == FIELD_KIND_CONFIG || kind == FIELD_KIND_PORT ||
		      kind == FIELD_KIND_TRIGGER || kind == FIELD_KIND_UNKNOWN ||
		      (kind == FIELD_KIND_CPU && !from_list);
	if (!stored || !write->mask) {
		return false;
	}
	uint32_t bits = 0;
	for (unsigned k = 0; k < 4; k++) {
		bits |= (write->mask >> k & 1) * (0xFFu << 8 * k);
	}
	w->regs[write->id] = (w->regs[write->id] & ~bits) | (write->value & bits);
	return true;
}

static enum act walk_write(
		struct list_walk *w, const struct pica_list_write *write, bool from_list) {
	const uint32_t id = write->id;
	w->current = write;
	if (write->mask && (id < PICA_REG_FIXEDATTRIB_INDEX || id > PICA_REG_FIXEDATTRIB_DATA2)) {
		end_run(w);
	}
	if (!store(w, write, from_list)) {
		show_write(w, write, from_list);
		return ACT_NONE;
	}
	switch (id) {
	case PICA_REG_DRAWARRAYS:
	case PICA_REG_DRAWELEMENTS:
		begin_draw(w, id == PICA_REG_DRAWARRAYS ? DRAW_ARRAYS : DRAW_ELEMENTS);
		show_write(w, write, from_list);
		end_draw(w);
		return ACT_NONE;
	case PICA_REG_FIXEDATTRIB_INDEX:
		w->n_words = 0;
		w->attribute = 0;
		break;
	case PICA_REG_FIXEDATTRIB_DATA0:
	case PICA_REG_FIXEDATTRIB_DATA1:
	case PICA_REG_FIXEDATTRIB_DATA2:
		attribute_word(w, write->value);
		break;
	default:
		break;
	}
	show_write(w, write, from_list);
	if (id == PICA_REG_CMDBUF_JUMP0 || id == PICA_REG_CMDBUF_JUMP1) {
		return id == PICA_REG_CMDBUF_JUMP0 ? ACT_JUMP0 : ACT_JUMP1;
	}
	bool is_request = id >= PICA_REG_FINALIZE && id <= PICA_REG_IRQ_REQ15;
	return is_request && interrupt_stops(w, id, write->mask) ? ACT_STOP : ACT_NONE;
}

/* ---- Lists ---- */

/* Reads one entry, up to a jump or a stop. */
static enum act walk_entry(struct list_walk *w, struct pica_list_reader *r) {
	struct pica_list_write write = { 0 };
	enum act act = ACT_NONE;
	do {
		if (pica_list_next(r, &write) <= 0) {
			return ACT_STOP;
		}
		act = walk_write(w, &write, true);
	} while (act == ACT_NONE && !w->ends && write.index + 1 < write.count);
	return w->ends ? ACT_STOP : act;
}

static bool open_list(struct list_walk *w, struct pica_list_reader *r, uint32_t addr,
		uint32_t size_bytes, bool is_jump) {
	const void *words = size_bytes ? pica_ctx_host(w->ctx, addr, size_bytes) : NULL;
	w->unreadable += size_bytes && !words;
	if (words) {
		pica_list_open(r, addr, words, size_bytes);
	}
	if (words && w->visitor->list) {
		w->visitor->list(w->user, addr, size_bytes, is_jump);
	}
	return words != NULL;
}

static bool open_jump(struct list_walk *w, struct pica_list_reader *r, enum act act, bool is_jump) {
	unsigned channel = act == ACT_JUMP1;
	return open_list(w, r,
		get_CMDBUF_ADDR_ADDR16(w->regs[PICA_REG_CMDBUF_ADDR0 + channel]) << 4,
		get_CMDBUF_SIZE_SIZE16(w->regs[PICA_REG_CMDBUF_SIZE0 + channel]) << 4, is_jump);
}

static void walk_list(struct list_walk *w, struct pica_list_reader *r) {
	uint64_t words = 0, jumps = 0;
	w->lists++;
	for (;;) {
		uint32_t start = r->pos;
		enum act act = walk_entry(w, r);
		words += r->pos - start;
		if (act == ACT_STOP) {
			break;
		}
		jumps += act != ACT_NONE;
		if (words > MAX_WORDS || jumps > MAX_JUMPS) {
			w->cut++;
			break;
		}
		if (act != ACT_NONE && !open_jump(w, r, act, true)) {
			break;
		}
	}
	w->words += words;
	w->jumps += jumps;
	end_run(w);
	if (w->visitor->list_end) {
		w->visitor->list_end(w->user);
	}
}

static bool is_internal(const struct pica_job *job) {
	return job->op == PICA_OP_REG_WRITE && job->u.reg_write.addr >= INTERNAL_BASE &&
			job->u.reg_write.addr < INTERNAL_END;
}

bool list_walk_reads(const struct pica_job *job) {
	return job->op == PICA_OP_LIST || is_internal(job);
}

void list_walk_job(struct list_walk *w, const struct pica_job *job) {
	struct pica_list_reader r;
	w->ends = false;
	if (job->op == PICA_OP_LIST) {
		end_run(w);
		pica_ctx_read_regs(w->ctx, 0, PICA_REG_COUNT, w->regs);
		if (open_list(w, &r, job->u.list.addr, job->u.list.size_bytes, false)) {
			walk_list(w, &r);
		}
		return;
	}
	if (!is_internal(job)) {
		end_run(w);
		return;
	}
	const struct pica_job_reg_write *a = &job->u.reg_write;
	struct pica_list_write write = { .addr = a->addr, .id = (a->addr - INTERNAL_BASE) / 4,
		.value = a->value, .mask = a->mask ? a->mask : 0xF, .count = 1 };
	if (write.id == PICA_REG_CMDBUF_JUMP0 || write.id == PICA_REG_CMDBUF_JUMP1) {
		pica_ctx_read_regs(w->ctx, 0, PICA_REG_COUNT, w->regs);
	}
	enum act act = walk_write(w, &write, false);
	if ((act == ACT_JUMP0 || act == ACT_JUMP1) && open_jump(w, &r, act, false)) {
		walk_list(w, &r);
	}
}
