#include "list_walk.h"

#include <stddef.h>
#include <string.h>

#include "fields.h"

enum {
	INTERNAL_BASE = 0x10401000,
	INTERNAL_END = INTERNAL_BASE + 4 * PICA_REG_COUNT,
	MAX_WORDS = 16 << 20, /* of one start, as the engine's budget */
	MAX_JUMPS = 65536,
	INDEX_IMMEDIATE = 15,
};

/* What a write makes the reader do. */
enum act { ACT_NONE, ACT_JUMP0, ACT_JUMP1, ACT_STOP };

void list_walk_init(
	struct list_walk *w, struct pica_ctx *ctx, list_walk_draw_fn *draw, void *user) {
	memset(w, 0, sizeof(*w));
	w->ctx = ctx;
	w->draw = draw;
	w->user = user;
	pica_ctx_read_regs(ctx, 0, PICA_REG_COUNT, w->regs);
}

/* Whether an interrupt request of these bytes matches, and the list stops at it.
 * [spec/registers.md 1.5] */
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

/* A word of a fixed attribute: three make one vector, and enough vectors a vertex. */
static void attribute_word(struct list_walk *w) {
	if (++w->n_words < 3) {
		return;
	}
	w->n_words = 0;
	if (get_FIXEDATTRIB_INDEX_INDEX(w->regs[PICA_REG_FIXEDATTRIB_INDEX]) != INDEX_IMMEDIATE) {
		return;
	}
	if (w->attribute++ < get_VSH_NUM_ATTR_NUM_ATTR_M1(w->regs[PICA_REG_VSH_NUM_ATTR])) {
		return;
	}
	w->attribute = 0;
	if (!w->open) {
		w->open = true;
		w->draw(w->user, w->regs, DRAW_IMMEDIATE);
	}
}

static enum act write_reg(
	struct list_walk *w, uint32_t id, uint32_t value, uint32_t mask, bool from_cpu) {
	enum field_kind kind = field_kind(id);
	bool stored = kind == FIELD_KIND_CONFIG || kind == FIELD_KIND_PORT ||
		      kind == FIELD_KIND_TRIGGER || kind == FIELD_KIND_UNKNOWN ||
		      (kind == FIELD_KIND_CPU && from_cpu);
	if (!mask) {
		return ACT_NONE;
	}
	if (id < PICA_REG_FIXEDATTRIB_INDEX || id > PICA_REG_FIXEDATTRIB_DATA2) {
		w->open = false;
	}
	if (!stored) {
		return ACT_NONE;
	}
	uint32_t bits = 0;
	for (unsigned k = 0; k < 4; k++) {
		bits |= (mask >> k & 1) * (0xFFu << 8 * k);
	}
	w->regs[id] = (w->regs[id] & ~bits) | (value & bits);
	switch (id) {
	case PICA_REG_DRAWARRAYS:
		w->draw(w->user, w->regs, DRAW_ARRAYS);
		return ACT_NONE;
	case PICA_REG_DRAWELEMENTS:
		w->draw(w->user, w->regs, DRAW_ELEMENTS);
		return ACT_NONE;
	case PICA_REG_FIXEDATTRIB_INDEX:
		w->n_words = 0;
		w->attribute = 0;
		return ACT_NONE;
	case PICA_REG_FIXEDATTRIB_DATA0:
	case PICA_REG_FIXEDATTRIB_DATA1:
	case PICA_REG_FIXEDATTRIB_DATA2:
		attribute_word(w);
		return ACT_NONE;
	case PICA_REG_CMDBUF_JUMP0:
		return ACT_JUMP0;
	case PICA_REG_CMDBUF_JUMP1:
		return ACT_JUMP1;
	default:
		if (id < PICA_REG_FINALIZE || id > PICA_REG_IRQ_REQ15) {
			return ACT_NONE;
		}
		return interrupt_stops(w, id, mask) ? ACT_STOP : ACT_NONE;
	}
}

struct reader {
	const uint8_t *bytes;
	uint32_t n, pos; /* words */
};

static uint32_t next_word(struct reader *r) {
	uint32_t word;
	memcpy(&word, r->bytes + 4 * (size_t)r->pos++, sizeof(word));
	return word;
}

static enum act walk_entry(struct list_walk *w, struct reader *r) {
	uint32_t value = next_word(r), header = next_word(r);
	uint32_t id = header & 0xFFFF, mask = header >> 16 & 0xF, extra = header >> 20 & 0xFF;
	bool consecutive = header >> 31;
	enum act act = write_reg(w, id, value, mask, false);
	for (uint32_t k = 0; act == ACT_NONE && k < extra; k++) {
		if (r->pos >= r->n) {
			return ACT_STOP;
		}
		id += consecutive;
		act = write_reg(w, id, next_word(r), mask, false);
	}
	r->pos = (r->pos + 1) & ~1u; /* padding word */
	return act;
}

static bool open_list(struct list_walk *w, struct reader *r, uint32_t addr, uint32_t size_bytes) {
	r->bytes = size_bytes ? pica_ctx_host(w->ctx, addr, size_bytes) : NULL;
	r->n = size_bytes / 4;
	r->pos = 0;
	w->unreadable += size_bytes && !r->bytes;
	return r->bytes != NULL;
}

static bool open_jump(struct list_walk *w, struct reader *r, enum act act) {
	unsigned channel = act == ACT_JUMP1;
	return open_list(w, r,
		get_CMDBUF_ADDR_ADDR16(w->regs[PICA_REG_CMDBUF_ADDR0 + channel]) << 4,
		get_CMDBUF_SIZE_SIZE16(w->regs[PICA_REG_CMDBUF_SIZE0 + channel]) << 4);
}

static void walk_list(struct list_walk *w, struct reader *r) {
	uint64_t words = 0, jumps = 0;
	w->lists++;
	while ((uint64_t)r->pos + 2 <= r->n && words < MAX_WORDS) {
		uint32_t start = r->pos;
		enum act act = walk_entry(w, r);
		words += r->pos - start;
		if (act == ACT_STOP) {
			break;
		}
		if (act != ACT_NONE && (++jumps > MAX_JUMPS || !open_jump(w, r, act))) {
			break;
		}
	}
	w->words += words;
	w->jumps += jumps;
	w->open = false;
}

void list_walk_job(struct list_walk *w, const struct pica_job *job) {
	struct reader r;
	if (job->op == PICA_OP_LIST) {
		pica_ctx_read_regs(w->ctx, 0, PICA_REG_COUNT, w->regs);
		if (open_list(w, &r, job->u.list.addr, job->u.list.size_bytes)) {
			walk_list(w, &r);
		}
		return;
	}
	const struct pica_job_reg_write *a = &job->u.reg_write;
	if (job->op != PICA_OP_REG_WRITE || a->addr < INTERNAL_BASE || a->addr >= INTERNAL_END) {
		w->open = false;
		return;
	}
	uint32_t id = (a->addr - INTERNAL_BASE) / 4;
	if (id == PICA_REG_CMDBUF_JUMP0 || id == PICA_REG_CMDBUF_JUMP1) {
		pica_ctx_read_regs(w->ctx, 0, PICA_REG_COUNT, w->regs);
	}
	enum act act = write_reg(w, id, a->value, a->mask ? a->mask : 0xF, true);
	if ((act == ACT_JUMP0 || act == ACT_JUMP1) && open_jump(w, &r, act)) {
		walk_list(w, &r);
	}
}
