/*
 * The command list, register writes and their effects, upload ports, and the object itself
 * (fidelity: command-list, ports, shader-upload, fixed-attributes).
 */
#include "naive_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/attributes.h"
#include "core/base/f24.h"
#include "pica/regs/regs.h"

/* The effect of a register write on the list that contains it. */
enum action {
	ACTION_NONE,
	ACTION_STOP,
	ACTION_JUMP0,
	ACTION_JUMP1,
};

static bool within(uint32_t id, uint32_t first, uint32_t last) {
	return id >= first && id <= last;
}

/* VS uploads also reach the other unit while it runs vertices too [fidelity: shader-units]. */
static bool is_mirrored(const struct naive *n) {
	return !VSH_COM_MODE_SEPARATE(n->regs[REG_VSH_COM_MODE]) &&
			GEOSTAGE_CONFIG_GS(n->regs[REG_GEOSTAGE_CONFIG]) == 0;
}

/* ---- Upload ports of a shader unit: [fidelity: shader-upload] ---- */

static void push_code(struct naive *n, struct naive_unit *u, uint32_t word) {
	const uint32_t i = u->code_index++;
	if (i >= u->code_words) {
		n->stats.faults[PICA_FAULT_BAD_INDEX]++;
		return;
	}
	u->code[i] = word;
	if (u == &n->vs && is_mirrored(n)) {
		n->gs.code[i] = word;
	}
}

static void push_desc(struct naive *n, struct naive_unit *u, uint32_t word) {
	const uint32_t i = u->desc_index++;
	if (i >= ARRAY_LEN(u->desc)) {
		n->stats.faults[PICA_FAULT_BAD_INDEX]++;
		return;
	}
	u->desc[i] = word;
	if (u == &n->vs && is_mirrored(n)) {
		n->gs.desc[i] = word;
	}
}

static void push_float(struct naive *n, struct naive_unit *u, uint32_t word) {
	u->c_words[u->c_count++] = word;
	if (u->c_count < (u->c_is_f32 ? 4u : 3u)) {
		return;
	}
	u->c_count = 0;
	float value[4];
	if (u->c_is_f32) {
		for (unsigned k = 0; k < 4; k++) { /* order w, z, y, x */
			value[3 - k] = naive_store_f32(n, f32_from_bits(u->c_words[k]));
		}
	} else {
		f24_unpack_vec4(u->c_words, value);
	}
	const uint32_t i = u->c_index++;
	if (i >= ARRAY_LEN(u->c)) {
		n->stats.faults[PICA_FAULT_BAD_INDEX]++;
		return;
	}
	memcpy(u->c[i], value, sizeof(value));
	if (u == &n->vs && is_mirrored(n)) {
		memcpy(n->gs.c[i], value, sizeof(value));
	}
}

/* ---- Fixed attributes and immediate vertices: [fidelity: fixed-attributes] ---- */

static void set_fixed_index(struct naive *n, uint32_t index) {
	n->fixed_index = index;
	n->fixed_count = 0;
	n->n_immediate = 0;
}

static void push_fixed(struct naive *n, uint32_t word) {
	n->fixed_words[n->fixed_count++] = word;
	if (n->fixed_count < 3) {
		return;
	}
	n->fixed_count = 0;
	float value[4];
	f24_unpack_vec4(n->fixed_words, value);
	if (n->fixed_index == 15) {
		memcpy(n->immediate[n->n_immediate], value, sizeof(value));
		if (n->n_immediate++ == VSH_NUM_ATTR_NUM_ATTR_M1(n->regs[REG_VSH_NUM_ATTR])) {
			n->n_immediate = 0;
			naive_watch_vertex(n);
			naive_immediate_vertex(n);
		} else if (n->n_immediate == ARRAY_LEN(n->immediate)) {
			n->n_immediate = 0; /* the count was lowered below what has come already */
		}
		return;
	}
	if (n->fixed_index < 12) {
		memcpy(n->fixed[n->fixed_index], value, sizeof(value));
		n->fixed_written[n->fixed_index] = true;
	}
	if (n->fixed_index < 14) { /* never from 14 into immediate mode */
		n->fixed_index++;
	}
}

/* ---- Look-up tables: [fidelity: lighting-fields] ---- */

static void push_light(struct naive *n, uint32_t word) {
	uint32_t *where = &n->regs[REG_LIGHTING_LUT_INDEX];
	n->tables.light[LIGHTING_LUT_INDEX_TABLE(*where)][LIGHTING_LUT_INDEX_INDEX(*where)] = word;
	*where = (*where & ~255u) | ((*where + 1) & 255); /* no carry into the table [HW] */
}

/* ---- Register writes ---- */

static bool unit_port(struct naive *n, struct naive_unit *u, uint32_t id, uint32_t word) {
	const bool is_vs = u == &n->vs;
	if (within(id, is_vs ? REG_VSH_FLOATUNIFORM_DATA0 : REG_GSH_FLOATUNIFORM_DATA0,
				is_vs ? REG_VSH_FLOATUNIFORM_DATA7 : REG_GSH_FLOATUNIFORM_DATA7)) {
		push_float(n, u, word);
		return true;
	}
	if (within(id, is_vs ? REG_VSH_CODETRANSFER_DATA0 : REG_GSH_CODETRANSFER_DATA0,
				is_vs ? REG_VSH_CODETRANSFER_DATA7 : REG_GSH_CODETRANSFER_DATA7)) {
		push_code(n, u, word);
		return true;
	}
	if (within(id, is_vs ? REG_VSH_OPDESCS_DATA0 : REG_GSH_OPDESCS_DATA0,
				is_vs ? REG_VSH_OPDESCS_DATA7 : REG_GSH_OPDESCS_DATA7)) {
		push_desc(n, u, word);
		return true;
	}
	return false;
}

static void unit_index(struct naive *n, struct naive_unit *u, uint32_t id) {
	const bool is_vs = u == &n->vs;
	const uint32_t word = n->regs[id];
	if (id == (is_vs ? REG_VSH_FLOATUNIFORM_INDEX : REG_GSH_FLOATUNIFORM_INDEX)) {
		u->c_index = SH_FLOATUNIFORM_INDEX_INDEX(word);
		u->c_is_f32 = SH_FLOATUNIFORM_INDEX_IS_F32(word);
		u->c_count = 0;
	} else if (id == (is_vs ? REG_VSH_CODETRANSFER_INDEX : REG_GSH_CODETRANSFER_INDEX)) {
		u->code_index = SH_CODETRANSFER_INDEX_INDEX(word);
	} else if (id == (is_vs ? REG_VSH_OPDESCS_INDEX : REG_GSH_OPDESCS_INDEX)) {
		u->desc_index = SH_OPDESCS_INDEX_INDEX(word);
	}
}

/* Plain VS registers that the other unit receives as well: the merged value. */
static void mirror_register(struct naive *n, uint32_t id) {
	if (!is_mirrored(n)) {
		return;
	}
	if (id == REG_VSH_BOOLUNIFORM) {
		n->regs[REG_GSH_BOOLUNIFORM] = n->regs[id];
	} else if (within(id, REG_VSH_INTUNIFORM_I0, REG_VSH_INTUNIFORM_I3)) {
		n->regs[REG_GSH_INTUNIFORM_I0 + (id - REG_VSH_INTUNIFORM_I0)] = n->regs[id];
	} else if (id == REG_VSH_OUTMAP_MASK) {
		n->regs[REG_GSH_OUTMAP_MASK] = n->regs[id];
	}
}

/* A write to an interrupt request word stops the list when an enabled byte matches. */
static enum action request(const struct naive *n, uint32_t id, uint32_t mask) {
	const uint32_t word = id - REG_FINALIZE;
	for (unsigned k = 0; k < 4; k++) {
		const uint32_t i = word * 4 + k;
		const uint32_t disabled = n->regs[i < 32 ? REG_IRQ_MASK_LOW : REG_IRQ_MASK_HIGH];
		if (!(mask >> k & 1) || (disabled >> (i & 31) & 1)) {
			continue;
		}
		const uint32_t got = n->regs[id] >> (8 * k) & 0xFF;
		const uint32_t want = n->regs[REG_IRQ_CMP0 + word] >> (8 * k) & 0xFF;
		if (got == want && IRQ_AUTOSTOP_ENABLE(n->regs[REG_IRQ_AUTOSTOP])) {
			return ACTION_STOP;
		}
	}
	return ACTION_NONE;
}

static enum action write_reg(struct naive *n, uint32_t id, uint32_t value, uint32_t mask) {
	if (id >= PICA_REG_COUNT || id < REG_FINALIZE ||
		within(id, REG_IRQ_CMP0, REG_IRQ_CMP0 + 31)) {
		n->stats.faults[PICA_FAULT_UNKNOWN_REGISTER]++;
		return ACTION_NONE;
	}
	if ((mask & 15) == 0) {
		return ACTION_NONE; /* no store and no trigger */
	}
	if (!within(id, REG_FIXEDATTRIB_INDEX, REG_FIXEDATTRIB_DATA2)) {
		n->watches.in_run = false;
	}
	if (unit_port(n, &n->vs, id, value) || unit_port(n, &n->gs, id, value)) {
		return ACTION_NONE;
	}
	if (within(id, REG_FIXEDATTRIB_DATA0, REG_FIXEDATTRIB_DATA2)) {
		push_fixed(n, value);
		return ACTION_NONE;
	}
	if (within(id, REG_FOG_LUT_DATA0, REG_FOG_LUT_DATA7)) {
		naive_draw_end(n);
		naive_fog_write(n, value);
		return ACTION_NONE;
	}
	if (id == REG_GAS_LUT_DATA) {
		naive_draw_end(n);
		naive_gas_write(n, value);
		return ACTION_NONE;
	}
	naive_draw_end(n); /* an immediate draw ends where the state changes */
	if (within(id, REG_PROCTEX_LUT_DATA0, REG_PROCTEX_LUT_DATA7)) {
		naive_proctex_word(n, value);
		return ACTION_NONE;
	}

	uint32_t m = 0;
	for (unsigned k = 0; k < 4; k++) {
		m |= mask >> k & 1 ? 0xFFu << (8 * k) : 0;
	}
	n->regs[id] = (n->regs[id] & ~m) | (value & m);
	if (within(id, REG_LIGHTING_LUT_DATA0, REG_LIGHTING_LUT_DATA7)) {
		push_light(n, value);
	}
	mirror_register(n, id);
	unit_index(n, &n->vs, id);
	unit_index(n, &n->gs, id);

	if (within(id, REG_FINALIZE, REG_IRQ_REQ15)) {
		return request(n, id, mask);
	}
	switch (id) {
	case REG_CMDBUF_JUMP0:
		return ACTION_JUMP0;
	case REG_CMDBUF_JUMP1:
		return ACTION_JUMP1;
	case REG_DRAWARRAYS:
		naive_watch_draw(n);
		naive_draw_arrays(n);
		break;
	case REG_DRAWELEMENTS:
		naive_watch_draw(n);
		naive_draw_elements(n);
		break;
	case REG_FIXEDATTRIB_INDEX:
		set_fixed_index(n, FIXEDATTRIB_INDEX_INDEX(n->regs[id]));
		break;
	case REG_PRIMITIVE_CONFIG:
		n->assembler.topology = PRIMITIVE_CONFIG_MODE(n->regs[id]);
		naive_assembler_reset(n);
		break;
	case REG_RESTART_PRIMITIVE:
		naive_assembler_reset(n);
		break;
	case REG_GEOSTAGE_CONFIG:
	case REG_GSH_MISC0:
	case REG_GSH_INPUTBUFFER_CONFIG:
		/* At any write, as 25E does. [guess, fidelity: gs-point] */
		naive_gather_reset(n);
		break;
	default:
		break;
	}
	return ACTION_NONE;
}

void naive_write_reg(struct naive *n, uint32_t id, uint32_t value, uint32_t mask) {
	(void)write_reg(n, id, value, mask);
}

uint32_t naive_read_reg(const struct naive *n, uint32_t id) {
	return id < PICA_REG_COUNT ? n->regs[id] : 0;
}

/* ---- The list: [fidelity: command-list] ---- */

uint32_t naive_run_list(struct naive *n, uint32_t addr, uint32_t size_bytes) {
	n->watches.in_run = false;
	/* Budgets of pica.h, so that a list that jumps to itself ends. */
	uint64_t words_left = UINT64_C(16) << 20;
	uint64_t jumps_left = UINT64_C(64) << 10;
	uint32_t n_words = size_bytes / 4;
	uint32_t pos = 0;
	n->regs[REG_FINALIZE] = 0;
	n->stats.lists++;
	while ((uint64_t)pos + 2 <= n_words && words_left >= 2) {
		const uint32_t first = naive_read(n, addr + 4 * pos, 4);
		const uint32_t header = naive_read(n, addr + 4 * pos + 4, 4);
		uint32_t id = header & 0xFFFF;
		const uint32_t mask = header >> 16 & 15;
		const uint32_t extra = header >> 20 & 0xFF;
		const bool consecutive = header >> 31;
		pos += 2;
		words_left -= 2;
		enum action act = write_reg(n, id, first, mask);
		for (uint32_t k = 0; act == ACTION_NONE && k < extra; k++) {
			if (pos >= n_words || words_left == 0) {
				n->stats.faults[PICA_FAULT_TRUNCATED_LIST]++;
				naive_draw_end(n);
				return PICA_DONE_TRUNCATED;
			}
			if (consecutive) {
				id++;
			}
			act = write_reg(n, id, naive_read(n, addr + 4 * pos, 4), mask);
			pos++;
			words_left--;
		}
		if (act == ACTION_STOP) {
			naive_draw_end(n);
			return 0;
		}
		if (act != ACTION_NONE) {
			if (jumps_left-- == 0) {
				break;
			}
			const unsigned channel = act == ACTION_JUMP1;
			addr = CMDBUF_ADDR_ADDR16(n->regs[REG_CMDBUF_ADDR0 + channel]) * 16;
			n_words = CMDBUF_SIZE_SIZE16(n->regs[REG_CMDBUF_SIZE0 + channel]) * 16 / 4;
			pos = 0;
			continue;
		}
		pos = (pos + 1) & ~1u; /* the padding word */
	}
	naive_draw_end(n);
	n->stats.faults[PICA_FAULT_NO_FINALIZE]++;
	return PICA_DONE_NO_FINALIZE;
}

int naive_job(struct naive *n, const struct pica_job *job) {
	switch (job->op) {
	case PICA_OP_LIST:
		naive_run_list(n, job->u.list.addr, job->u.list.size_bytes);
		return 0;
	case PICA_OP_FILL:
	case PICA_OP_TRANSFER:
	case PICA_OP_COPY:
	case PICA_OP_WRITE:
		return naive_xfer_job(n, job);
	case PICA_OP_INVALIDATE:
	case PICA_OP_PRESENT:
	case PICA_OP_BARRIER:
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* ---- The object ---- */

struct naive *naive_create(enum pica_float mode) {
	struct naive *n = calloc(1, sizeof(*n));
	if (!n) {
		return NULL;
	}
	n->mode = mode;
	n->vs.code_words = 512;
	n->vs.reg = (struct naive_unit_regs){
		.bools = REG_VSH_BOOLUNIFORM,
		.ints = REG_VSH_INTUNIFORM_I0,
		.input = REG_VSH_INPUTBUFFER_CONFIG,
		.entry = REG_VSH_ENTRYPOINT,
		.perm_low = REG_VSH_ATTRIBUTES_PERMUTATION_LOW,
		.perm_high = REG_VSH_ATTRIBUTES_PERMUTATION_HIGH,
		.outmap = REG_VSH_OUTMAP_MASK,
	};
	n->gs.code_words = ARRAY_LEN(n->gs.code);
	n->gs.reg = (struct naive_unit_regs){
		.bools = REG_GSH_BOOLUNIFORM,
		.ints = REG_GSH_INTUNIFORM_I0,
		.input = REG_GSH_INPUTBUFFER_CONFIG,
		.entry = REG_GSH_ENTRYPOINT,
		.perm_low = REG_GSH_ATTRIBUTES_PERMUTATION_LOW,
		.perm_high = REG_GSH_ATTRIBUTES_PERMUTATION_HIGH,
		.outmap = REG_GSH_OUTMAP_MASK,
	};
	/* [fidelity: reset-state] */
	n->regs[REG_IRQ_CMP0] = 0x12345678;
	n->regs[REG_IRQ_MASK_LOW] = 0xFFFFFFF0;
	n->regs[REG_IRQ_MASK_HIGH] = 0xFFFFFFFF;
	n->regs[REG_IRQ_AUTOSTOP] = 1;
	n->regs[REG_GSH_INPUTBUFFER_CONFIG] = 0xA0000001;
	return n;
}

void naive_destroy(struct naive *n) {
	if (!n) {
		return;
	}
	for (unsigned i = 0; i < ARRAY_LEN(n->draw.tex); i++) {
		free(n->draw.tex[i].bytes);
	}
	for (unsigned i = 0; i < ARRAY_LEN(n->draw.face); i++) {
		free(n->draw.face[i].bytes);
	}
	free(n->watches.of);
	free(n);
}

void naive_set_combiner(struct naive *n, enum pica_combiner combiner) {
	n->combiner = combiner;
}

int naive_map(struct naive *n, uint32_t phys, uint32_t size_bytes, void *host) {
	if (n->n_windows == NAIVE_MAX_WINDOWS) {
		return -ENOMEM;
	}
	n->window[n->n_windows++] = (struct naive_window){
		.phys = phys,
		.size_bytes = size_bytes,
		.host = host,
	};
	return 0;
}

static void load_unit(struct naive_unit *u, const struct pica_shader_state *s) {
	memcpy(u->code, s->code, u->code_words * sizeof(u->code[0]));
	memcpy(u->desc, s->operand_descriptors, sizeof(u->desc));
	for (unsigned i = 0; i < ARRAY_LEN(u->c); i++) {
		for (unsigned k = 0; k < 4; k++) {
			u->c[i][k] = f24_to_f32(s->uniforms[i][k]);
		}
	}
}

void naive_load_state(struct naive *n, const struct pica_state *state) {
	memcpy(n->regs, state->regs, sizeof(n->regs));
	load_unit(&n->vs, &state->vs);
	load_unit(&n->gs, &state->gs);
	for (unsigned i = 0; i < ARRAY_LEN(n->fixed); i++) {
		for (unsigned k = 0; k < 4; k++) {
			n->fixed[i][k] = f24_to_f32(state->fixed_attributes[i][k]);
		}
		n->fixed_written[i] = !(state->flags >> 16 >> i & 1);
	}
	const uint32_t index_regs[] = {
		REG_VSH_FLOATUNIFORM_INDEX, REG_VSH_CODETRANSFER_INDEX, REG_VSH_OPDESCS_INDEX,
		REG_GSH_FLOATUNIFORM_INDEX, REG_GSH_CODETRANSFER_INDEX, REG_GSH_OPDESCS_INDEX,
	};
	for (unsigned i = 0; i < ARRAY_LEN(index_regs); i++) {
		unit_index(n, i < 3 ? &n->vs : &n->gs, index_regs[i]);
	}
	set_fixed_index(n, FIXEDATTRIB_INDEX_INDEX(n->regs[REG_FIXEDATTRIB_INDEX]));
	n->assembler.topology = PRIMITIVE_CONFIG_MODE(n->regs[REG_PRIMITIVE_CONFIG]);
	naive_assembler_reset(n);
	naive_gather_reset(n);
	n->tables = state->tables;
	naive_draw_end(n);
}

static void save_unit(const struct naive_unit *u, struct pica_shader_state *s) {
	memcpy(s->code, u->code, u->code_words * sizeof(u->code[0]));
	memcpy(s->operand_descriptors, u->desc, sizeof(u->desc));
	for (unsigned i = 0; i < ARRAY_LEN(u->c); i++) {
		for (unsigned k = 0; k < 4; k++) {
			s->uniforms[i][k] = f32_to_f24(u->c[i][k]);
		}
	}
}

void naive_save_state(const struct naive *n, struct pica_state *state) {
	memset(state, 0, sizeof(*state));
	memcpy(state->regs, n->regs, sizeof(n->regs));
	save_unit(&n->vs, &state->vs);
	save_unit(&n->gs, &state->gs);
	for (unsigned i = 0; i < ARRAY_LEN(n->fixed); i++) {
		for (unsigned k = 0; k < 4; k++) {
			state->fixed_attributes[i][k] = f32_to_f24(n->fixed[i][k]);
		}
	}
	state->tables = n->tables;
}

void naive_get_stats(const struct naive *n, struct naive_stats *out) {
	*out = n->stats;
}
