/*
 * Flow control of the shader units: stacks of 4 calls, 8 ifs and 4 loops.
 * [HW, 3dbrew; fidelity: flow-control]
 *
 * Addresses are kept as given in the instruction words; only the address of the next fetch is
 * wrapped to the code memory. Block ends are compared unwrapped, with the address of the executed
 * instruction plus one.
 */
#ifndef SHADER_FLOW_H
#define SHADER_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "pica/shader/prog.h"

struct shader_uniforms;

enum {
	FLOW_CALLS = 4,
	FLOW_IFS = 8,
	FLOW_LOOPS = 4,
};

struct flow_call {
	uint16_t end, ret;
};

struct flow_if {
	uint16_t at, to;
};

struct flow_loop {
	uint16_t start, end;
	uint8_t left, inc;
	int32_t saved; /* aL before the LOOP */
};

struct flow {
	uint16_t pc, pc_mask;
	uint8_t n_call, n_if, n_loop;
	int32_t al;
	struct flow_call call[FLOW_CALLS]; /* the top is the last in use */
	struct flow_if cond[FLOW_IFS];
	struct flow_loop loop[FLOW_LOOPS];
};

/* Starts at the entry with empty stacks; al is the initial aL. */
static inline void flow_start(struct flow *f, unsigned entry, unsigned pc_mask, int32_t al) {
	f->pc = (uint16_t)(entry & pc_mask);
	f->pc_mask = (uint16_t)pc_mask;
	f->n_call = f->n_if = f->n_loop = 0;
	f->al = al;
}

/* Ends an instruction: pops the blocks that end after it, and sets pc. */
void flow_advance_stacked(struct flow *f, unsigned next, bool brk);

static inline void flow_advance(struct flow *f) {
	unsigned next = f->pc + 1u;
	if (f->n_call | f->n_if | f->n_loop) {
		flow_advance_stacked(f, next, false);
	} else {
		f->pc = (uint16_t)(next & f->pc_mask);
	}
}

/* Returns whether the condition of op (format 2 only) holds for flags x and y. */
static inline bool flow_condition(const struct prog_op *op, bool x, bool y) {
	bool is_x = x == op->ref[0], is_y = y == op->ref[1];
	switch ((enum prog_condition)op->condition) {
	case CONDITION_OR:
		return is_x || is_y;
	case CONDITION_AND:
		return is_x && is_y;
	case CONDITION_X:
		return is_x;
	case CONDITION_Y:
		return is_y;
	}
	return false;
}

/*
 * Executes a flow instruction (BREAK to LOOP, JMPC, JMPU). taken: whether the condition holds
 * (format 2; otherwise ignored). Returns false for a BREAK outside a loop, which does nothing (the
 * hardware hangs).
 */
bool flow_execute(struct flow *f, const struct prog_op *op, bool taken,
		const struct shader_uniforms *u);

#endif
