/* Command lists: headers, masks, bursts, jumps, FINALIZE (fidelity: command-list). */
#include <errno.h>
#include <string.h>

#include "pica/front/ctx.h"
#include "pica/front/passes.h"

/* Compares the written bytes of IRQ_REQ with IRQ_CMP [fidelity: finalize]. */
static enum act interrupt_request(struct pica200 *ctx, uint32_t id, uint32_t mask) {
	const uint32_t *w = ctx->regs.w;
	uint32_t first = (id - REG_FINALIZE) * 4;
	uint32_t request = w[id], compare = w[id - REG_FINALIZE + REG_IRQ_CMP0];
	for (uint32_t k = 0; k < 4; k++) {
		uint32_t byte = first + k;
		uint32_t off = w[REG_IRQ_MASK_LOW + byte / 32] >> (byte % 32) & 1;
		if ((mask >> k & 1) && !off && ((request ^ compare) >> (8 * k) & 0xFF) == 0) {
			ctx->base.run.interrupts |= 1u << PICA_INTERRUPT_P3D;
			return w[REG_IRQ_AUTOSTOP] & 1 ? ACT_STOP : ACT_NONE;
		}
	}
	return ACT_NONE;
}

static enum act trigger(struct pica200 *ctx, uint32_t id, uint32_t mask, uint32_t value) {
	switch (id) {
	case REG_DRAWARRAYS:
		draw_arrays(ctx);
		break;
	case REG_DRAWELEMENTS:
		draw_elements(ctx);
		break;
	case REG_CMDBUF_JUMP0:
		return ACT_JUMP0;
	case REG_CMDBUF_JUMP1:
		return ACT_JUMP1;
	case REG_RESTART_PRIMITIVE:
		assembler_reset(ctx);
		break;
	case REG_FIXEDATTRIB_INDEX:
		ports_write(ctx, id, value);
		break;
	default:
		if (id >= REG_FINALIZE && id < REG_FINALIZE + 16) {
			return interrupt_request(ctx, id, mask);
		}
		break; /* cache controls: nothing to do, memory is coherent */
	}
	return ctx->base.run.result < 0 ? ACT_ABORT : ACT_NONE;
}

/* CONFIG registers that reg_write() does not only store. */
#define HAS_EFFECT(id) ((id) == REG_PRIMITIVE_CONFIG || (id) == REG_GEOSTAGE_CONFIG || \
		(id) == REG_GSH_MISC0 || (id) == REG_TEXUNIT_CONFIG || \
		(id) == REG_GAS_ACCMAX_FEEDBACK || \
		((id) >= REG_GSH_BOOLUNIFORM && (id) < REG_UNIT2_BOOLUNIFORM))

/* Parts of all other registers, or IS_PLAIN: most words of a list write plain ones. */
enum { IS_PLAIN = PART_ALL + 1 };
static const uint8_t plain[REG_COUNT] = {
#define REG(id, name, layout, kind, part) \
	[id] = REG_KIND_##kind == REG_KIND_CONFIG && !HAS_EFFECT(id) ? IS_PLAIN | (part) : 0,
#include "regs/pica_regs.def"
};

static void add_dirty(struct pica200 *ctx, uint32_t parts) {
	ctx->parts.dirty |= parts;
	if (parts & PART_VERTEX) {
		ctx->parts.layout_valid = false;
	}
}

/* Writes a plain register. Returns false if it is not one, or waiting vertices need its old
 * value. */
static inline bool write_plain(struct pica200 *ctx, uint32_t id, uint32_t value, uint32_t bits) {
	if (id >= REG_COUNT || !plain[id] || immediate_is_open(&ctx->immediate)) {
		return false;
	}
	const uint32_t old = ctx->regs.w[id], word = (old & ~bits) | (value & bits);
	if (word != old) {
		ctx->regs.w[id] = word;
		add_dirty(ctx, plain[id] & (uint32_t)PART_ALL);
	}
	return true;
}

/* Of the others. */
static enum act write_special(
		struct pica200 *ctx, uint32_t id, uint32_t value, uint32_t mask, bool from_cpu) {
	if (mask == 0) {
		return ACT_NONE;
	}
	bool attribute = id >= REG_FIXEDATTRIB_INDEX && id <= REG_FIXEDATTRIB_DATA2;
	if (immediate_is_open(&ctx->immediate) && !attribute) {
		draw_immediate_flush(ctx); /* with the state in which its vertices were issued */
	}
	if (id == REG_GAS_ACCMAX_FEEDBACK) {
		gas_settle(ctx);
	}
	if (!regfile_write(&ctx->regs, id, value, mask)) {
		if (from_cpu && id < REG_COUNT && reg_kind(id) == REG_KIND_CPU) {
			uint32_t bytes = reg_byte_mask(mask);
			/* IRQ_ACK is IRQ_REQ without effects */
			const uint32_t at = id < 16 ? REG_FINALIZE + id : id;
			ctx->regs.w[at] = (ctx->regs.w[at] & ~bytes) | (value & bytes);
			return ACT_NONE;
		}
		/* Holes in a burst are normal; ids that no list may write are not. */
		if (id >= REG_COUNT || reg_kind(id) == REG_KIND_CPU) {
			ctx_fault(&ctx->base, PICA_FAULT_UNKNOWN_REGISTER);
		}
		return ACT_NONE;
	}
	add_dirty(ctx, ctx->regs.dirty);
	ctx->regs.dirty = 0;
	switch (reg_kind(id)) {
	case REG_KIND_TRIGGER:
		return trigger(ctx, id, mask, value);
	case REG_KIND_PORT:
		if (mask != 0xF) {
			ctx_fault(&ctx->base, PICA_FAULT_PARTIAL_PORT_WRITE);
		}
		ports_write(ctx, id, value);
		return ctx->base.run.result < 0 ? ACT_ABORT : ACT_NONE;
	case REG_KIND_CONFIG:
		if (id == REG_PRIMITIVE_CONFIG) {
			assembler_reset(ctx);
		} else if (id == REG_GEOSTAGE_CONFIG || id == REG_GSH_MISC0) {
			geometry_config_changed(ctx);
		} else if (id == REG_TEXUNIT_CONFIG && TEXUNIT_CONFIG_CLEAR_CACHE(value) &&
				(mask & 4)) {
			ctx->regs.w[id] &= ~TEXUNIT_CONFIG_CLEAR_CACHE_SET(1);
			tex_cache_suspect(&ctx->textures, ctx->base.run.seq);
			ctx->parts.dirty |= PART_TEXTURE;
		} else if (id >= REG_GSH_BOOLUNIFORM && id < REG_UNIT2_BOOLUNIFORM) {
			ports_write(ctx, id, value);
		}
		break;
	case REG_KIND_HOLE:
	case REG_KIND_STATUS:
	case REG_KIND_CPU:
	case REG_KIND_UNKNOWN:
		break;
	}
	return ctx->base.run.result < 0 ? ACT_ABORT : ACT_NONE;
}

enum act reg_write(
		struct pica200 *ctx, uint32_t id, uint32_t value, uint32_t mask, bool from_cpu) {
	if (write_plain(ctx, id, value, reg_byte_mask(mask))) {
		return ctx->base.run.result < 0 ? ACT_ABORT : ACT_NONE;
	}
	return write_special(ctx, id, value, mask, from_cpu);
}

enum { WORD_TICKS = 16, JUMP_TICKS = 1024 };

struct reader {
	const uint8_t *words; /* each word is read once: the client may still write */
	uint32_t n;
};

static bool reader_open(
		struct pica200 *ctx, struct reader *r, uint32_t addr, uint32_t size_bytes) {
	ctx->run.list = (struct range){ addr, size_bytes };
	r->words = space_host(&ctx->base.space, addr, size_bytes);
	r->n = size_bytes / 4;
	if (!r->words) {
		ctx_fault(&ctx->base, PICA_FAULT_BAD_ADDRESS);
		return false;
	}
	passes_before_list(ctx, ctx->run.list);
	ctx_access(&ctx->base, ctx->run.list, ACCESS_LIST);
	return true;
}

static uint32_t reader_word(const struct reader *r, uint32_t i) {
	uint32_t word;
	memcpy(&word, r->words + 4 * (size_t)i, sizeof(word));
	return word;
}

/* Opens the list that a jump names. */
static bool jump(struct pica200 *ctx, struct reader *r, enum act act) {
	unsigned channel = act == ACT_JUMP1;
	if (!ctx_charge(&ctx->base, &ctx->run.jumps_left, 1, PICA_BUDGET_JUMPS)) {
		return false;
	}
	ctx_tick(&ctx->base, JUMP_TICKS);
	return reader_open(ctx, r, reg_addr16(ctx->regs.w[REG_CMDBUF_ADDR0 + channel]),
			reg_cmdbuf_bytes(ctx->regs.w[REG_CMDBUF_SIZE0 + channel]));
}

static enum act run_entry(struct pica200 *ctx, const struct reader *r, uint32_t *pos) {
	uint32_t at = *pos, value = reader_word(r, at);
	const uint32_t header = reader_word(r, at + 1);
	const uint32_t mask = header >> 16 & 0xF, bits = reg_byte_mask(mask);
	const uint32_t extra = header >> 20 & 0xFF, step = header >> 31;
	const uint32_t end = at + 2 + extra;
	uint32_t id = header & 0xFFFF;
	enum act act = ACT_NONE;
	for (at += 2;; id += step) {
		if (!write_plain(ctx, id, value, bits)) {
			act = write_special(ctx, id, value, mask, false);
		}
		if (act != ACT_NONE || at == end) {
			break;
		}
		if (at >= r->n) {
			ctx->base.run.flags |= PICA_DONE_TRUNCATED;
			ctx_fault(&ctx->base, PICA_FAULT_TRUNCATED_LIST);
			*pos = at;
			return ACT_ABORT;
		}
		value = reader_word(r, at++);
	}
	*pos = (at + 1) & ~1u; /* padding word */
	return act == ACT_NONE && ctx->base.run.result < 0 ? ACT_ABORT : act;
}

static void run_list(struct pica200 *ctx, uint32_t addr, uint32_t size_bytes) {
	struct reader r;
	ctx->base.stats.lists++;
	if (size_bytes == 0) {
		ctx->base.run.flags |= PICA_DONE_NO_FINALIZE;
		return;
	}
	if (!reader_open(ctx, &r, addr, size_bytes)) {
		ctx->base.run.result = -ERANGE;
		return;
	}
	enum act act = ACT_NONE;
	uint32_t pos = 0;
	while (act == ACT_NONE && (uint64_t)pos + 2 <= r.n) {
		uint32_t start = pos;
		act = run_entry(ctx, &r, &pos);
		if (!ctx_charge(&ctx->base, &ctx->run.words_left, pos - start,
				    PICA_BUDGET_LIST_WORDS)) {
			break;
		}
		ctx->base.stats.list_words += pos - start;
		ctx_tick(&ctx->base, (uint64_t)(pos - start) * WORD_TICKS);
		if (act == ACT_JUMP0 || act == ACT_JUMP1) {
			if (!jump(ctx, &r, act)) {
				act = ACT_ABORT;
				break;
			}
			pos = 0;
			act = ACT_NONE;
		}
	}
	draw_immediate_flush(ctx);
	if (act == ACT_NONE && ctx->base.run.result == 0) {
		ctx->base.run.flags |= PICA_DONE_NO_FINALIZE;
		ctx->base.stats.faults[PICA_FAULT_NO_FINALIZE]++;
	}
}

void cmdlist_run(struct pica200 *ctx, uint32_t addr, uint32_t size_bytes) {
	run_list(ctx, addr, size_bytes);
	ctx->run.list.size = 0;
	passes_end(ctx);
}
