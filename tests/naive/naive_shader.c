/*
 * Vertex and geometry programs, one instruction at a time (fidelity: shader-isa, flow-control,
 * f24-model).
 */
#include "naive_state.h"

#include <math.h>
#include <string.h>

#include "core/base/f24.h"
#include "core/base/mathfn.h"
#include "pica/regs/regs.h"

/* ---- Arithmetic: [fidelity: f24-model] ---- */

/* F(): what an arithmetic instruction reads. */
static float in(const struct naive *n, float x) {
	return n->mode == PICA_FLOAT_F24 ? f24_flush(x) : x;
}

/* T(): what an arithmetic instruction stores. */
static float out(const struct naive *n, float x) {
	return n->mode == PICA_FLOAT_F24 ? f24_truncate(x) : x;
}

float naive_store_f32(const struct naive *n, float f) {
	return out(n, f);
}

static float mul(const struct naive *n, float a, float b) {
	const float r = in(n, a) * in(n, b);
	if (isnan(r) && !isnan(a) && !isnan(b)) {
		return 0.0f; /* inf * 0 [HW] */
	}
	return out(n, r);
}

static float add(const struct naive *n, float a, float b) {
	return out(n, in(n, a) + in(n, b));
}

static float rcp(const struct naive *n, float s) {
	const float x = in(n, s);
	if (x == 0.0f) {
		return INFINITY; /* -0 too [HW] */
	}
	return out(n, 1.0f / x);
}

static float rsq(const struct naive *n, float s) {
	const float x = in(n, s);
	if (x == 0.0f) {
		return INFINITY;
	}
	if (x < 0.0f) {
		return NAN;
	}
	return out(n, 1.0f / sqrtf(x));
}

/*
 * [fidelity: functions]: truncates the binary64 result to f24, or rounds it to binary32 in f32
 * mode. Rounding before truncating would raise a value just below an f24 step.
 */
static float store_double(const struct naive *n, double x) {
	if (n->mode == PICA_FLOAT_F32) {
		return (float)x;
	}
	if (isnan(x)) {
		return NAN;
	}
	if (fabs(x) >= 0x1p64) {
		return x < 0 ? -INFINITY : INFINITY;
	}
	if (fabs(x) < 0x1p-62) {
		return 0.0f;
	}
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	bits &= ~((UINT64_C(1) << (52 - 16)) - 1);
	memcpy(&x, &bits, sizeof(x));
	return (float)x; /* exact */
}

static float ex2(const struct naive *n, float s) {
	const float x = in(n, s);
	if (isnan(x)) {
		return x;
	}
	if (isinf(x)) {
		return x < 0 ? 0.0f : x;
	}
	return store_double(n, math_exp2((double)x));
}

static float lg2(const struct naive *n, float s) {
	const float x = in(n, s);
	if (x == 0.0f) {
		return -INFINITY;
	}
	if (isnan(x)) {
		return x;
	}
	if (x < 0.0f) {
		return NAN;
	}
	if (isinf(x)) {
		return x;
	}
	return store_double(n, math_log2((double)x));
}

static float flr(const struct naive *n, float s) {
	return out(n, floorf(in(n, s)));
}

static bool compare(uint32_t op, float a, float b) {
	switch (op) {
	case 0:
		return a == b;
	case 1:
		return a != b;
	case 2:
		return a < b;
	case 3:
		return a <= b;
	case 4:
		return a > b;
	case 5:
		return a >= b;
	default:
		return true; /* [HW: 3dbrew, "seem to"] */
	}
}

/* ---- Operands ---- */

static uint32_t bits(uint32_t word, unsigned low, unsigned count) {
	return word >> low & ((1u << count) - 1);
}

/*
 * [fidelity: relative-addressing]: the relative index wraps in 7 bits; beyond c95 everything is 1.
 */
static const float *uniform(const struct naive_unit *u, uint32_t raw, uint32_t idx) {
	static const float ones[4] = {1.0f, 1.0f, 1.0f, 1.0f};
	int32_t off = 0;
	switch (idx) {
	case 1:
		off = u->a0[0];
		break;
	case 2:
		off = u->a0[1];
		break;
	case 3:
		off = u->al;
		break;
	default:
		break;
	}
	if (off < -128 || off > 127) {
		off = 0;
	}
	const int32_t k = ((int32_t)raw - 0x20 + off) & 0x7F;
	return k <= 95 ? u->c[k] : ones;
}

/* Source register after swizzle and negation. which: 1..3. idx is 0 for narrow sources. */
static void source(struct naive_unit *u, uint32_t raw, uint32_t idx, uint32_t desc,
		unsigned which, float s[4]) {
	const float *reg;
	if (raw < 0x10) {
		reg = u->v[raw];
	} else if (raw < 0x20) {
		reg = u->r[raw - 0x10];
	} else {
		reg = uniform(u, raw, idx);
	}
	const unsigned low = 4 + 9 * (which - 1);
	const bool negate = bits(desc, low, 1);
	const uint32_t selector = bits(desc, low + 1, 8);
	for (unsigned k = 0; k < 4; k++) {
		const float f = reg[selector >> (6 - 2 * k) & 3];
		s[k] = negate ? -f : f;
	}
	memcpy(u->read[which - 1], s, sizeof(u->read[0]));
}

/* Destination mask: bit 3 is x (fidelity: shader-isa). */
static bool writes(uint32_t desc, unsigned component) {
	return desc >> (3 - component) & 1;
}

static void store(struct naive_unit *u, uint32_t dst, uint32_t desc, const float f[4]) {
	float *reg = dst < 0x10 ? u->o[u->bank][dst] : u->r[dst - 0x10];
	for (unsigned k = 0; k < 4; k++) {
		if (writes(desc, k)) {
			reg[k] = f[k];
		}
	}
}

static int32_t address(float f) {
	if (!(fabsf(f) < 0x1p31f)) {
		return INT32_MAX;
	}
	return (int32_t)f; /* toward zero [HW: MOVA test] */
}

/* ---- Instructions that only compute ---- */

static void splat(float d[4], float f) {
	d[0] = d[1] = d[2] = d[3] = f;
}

static float dot(const struct naive *n, const float a[4], const float b[4], unsigned count) {
	float sum = mul(n, a[0], b[0]);
	for (unsigned k = 1; k < count; k++) {
		sum = add(n, sum, mul(n, a[k], b[k]));
	}
	return sum;
}

static void dph(const struct naive *n, const float a[4], const float b[4], float d[4]) {
	const float one[4] = {a[0], a[1], a[2], 1.0f};
	splat(d, dot(n, one, b, 4));
}

static void dst(const struct naive *n, const float a[4], const float b[4], float d[4]) {
	d[0] = 1.0f;
	d[1] = mul(n, a[1], b[1]);
	d[2] = a[2];
	d[3] = b[3];
}

static void litp(struct naive_unit *u, const float a[4], float d[4]) {
	const float limit = 127.99609375f; /* 7FFF/256 */
	d[0] = a[0] > 0.0f ? a[0] : 0.0f;
	d[1] = a[1] > limit ? limit : a[1] < -limit ? -limit : a[1];
	d[2] = 0.0f;
	d[3] = a[3] > 0.0f ? a[3] : 0.0f;
	u->cmp[0] = a[0] >= 0.0f;
	u->cmp[1] = a[3] >= 0.0f;
}

static void mova(struct naive_unit *u, uint32_t desc, const float a[4]) {
	for (unsigned k = 0; k < 2; k++) {
		if (writes(desc, k)) {
			u->a0[k] = address(a[k]);
		}
	}
}

/* Formats 1, 1i, 1u and 1c, and MAD. Unknown opcodes do nothing and are counted. */
static void compute(struct naive *n, struct naive_unit *u, uint32_t w) {
	const uint32_t op = w >> 26;
	float a[4], b[4], c[4], d[4];
	if (op >= 0x30) {
		const uint32_t desc = u->desc[bits(w, 0, 5)];
		const uint32_t idx = bits(w, 22, 2);
		source(u, bits(w, 17, 5), 0, desc, 1, a);
		if (op >= 0x38) { /* MAD: wide src2 */
			source(u, bits(w, 10, 7), idx, desc, 2, b);
			source(u, bits(w, 5, 5), 0, desc, 3, c);
		} else { /* MADI: wide src3 */
			source(u, bits(w, 12, 5), 0, desc, 2, b);
			source(u, bits(w, 5, 7), idx, desc, 3, c);
		}
		for (unsigned k = 0; k < 4; k++) {
			d[k] = add(n, mul(n, a[k], b[k]), c[k]);
		}
		store(u, bits(w, 24, 5), desc, d);
		return;
	}
	const uint32_t desc = u->desc[bits(w, 0, 7)];
	const uint32_t idx = bits(w, 19, 2);
	if (op >= 0x18 && op <= 0x1B) { /* wide src2 */
		source(u, bits(w, 14, 5), 0, desc, 1, a);
		source(u, bits(w, 7, 7), idx, desc, 2, b);
	} else {
		source(u, bits(w, 12, 7), idx, desc, 1, a);
		source(u, bits(w, 7, 5), 0, desc, 2, b);
	}
	switch (op) {
	case 0x00:
		for (unsigned k = 0; k < 4; k++) {
			d[k] = add(n, a[k], b[k]);
		}
		break;
	case 0x01:
		splat(d, dot(n, a, b, 3));
		break;
	case 0x02:
		splat(d, dot(n, a, b, 4));
		break;
	case 0x03:
	case 0x18:
		dph(n, a, b, d);
		break;
	case 0x04:
	case 0x19:
		dst(n, a, b, d);
		break;
	case 0x05:
		splat(d, ex2(n, a[0]));
		break;
	case 0x06:
		splat(d, lg2(n, a[0]));
		break;
	case 0x07:
		litp(u, a, d);
		break;
	case 0x08:
		for (unsigned k = 0; k < 4; k++) {
			d[k] = mul(n, a[k], b[k]);
		}
		break;
	case 0x09:
	case 0x1A:
		for (unsigned k = 0; k < 4; k++) {
			d[k] = a[k] >= b[k] ? 1.0f : 0.0f;
		}
		break;
	case 0x0A:
	case 0x1B:
		for (unsigned k = 0; k < 4; k++) {
			d[k] = a[k] < b[k] ? 1.0f : 0.0f;
		}
		break;
	case 0x0B:
		for (unsigned k = 0; k < 4; k++) {
			d[k] = flr(n, a[k]);
		}
		break;
	case 0x0C:
		for (unsigned k = 0; k < 4; k++) {
			d[k] = a[k] > b[k] ? a[k] : b[k];
		}
		break;
	case 0x0D:
		for (unsigned k = 0; k < 4; k++) {
			d[k] = a[k] < b[k] ? a[k] : b[k];
		}
		break;
	case 0x0E:
		splat(d, rcp(n, a[0]));
		break;
	case 0x0F:
		splat(d, rsq(n, a[0]));
		break;
	case 0x12:
		mova(u, desc, a);
		return;
	case 0x13:
		memcpy(d, a, sizeof(d));
		break;
	case 0x2E:
	case 0x2F:
		u->cmp[0] = compare(bits(w, 24, 3), a[0], b[0]);
		u->cmp[1] = compare(bits(w, 21, 3), a[1], b[1]);
		return;
	default:
		n->stats.faults[PICA_FAULT_SHADER_OPCODE]++;
		return;
	}
	store(u, bits(w, 21, 5), desc, d);
}

/*
 * ---- Flow control: [fidelity: flow-control], with three stacks that forget their oldest entry
 * ----
 */

struct call_entry {
	uint32_t end, ret;
};

struct if_entry {
	uint32_t at, to;
};

struct loop_entry {
	uint32_t start, end, left;
	int32_t inc, saved;
};

struct flow {
	struct call_entry call[NAIVE_CALL_DEPTH];
	struct if_entry ifs[NAIVE_IF_DEPTH];
	struct loop_entry loop[NAIVE_LOOP_DEPTH];
	unsigned n_call, n_if, n_loop;
};

static void push_call(struct flow *f, struct call_entry e) {
	if (f->n_call == NAIVE_CALL_DEPTH) {
		memmove(&f->call[0], &f->call[1], sizeof(f->call) - sizeof(f->call[0]));
		f->n_call--;
	}
	f->call[f->n_call++] = e;
}

static void push_if(struct flow *f, struct if_entry e) {
	if (f->n_if == NAIVE_IF_DEPTH) {
		memmove(&f->ifs[0], &f->ifs[1], sizeof(f->ifs) - sizeof(f->ifs[0]));
		f->n_if--;
	}
	f->ifs[f->n_if++] = e;
}

static void push_loop(struct flow *f, struct loop_entry e) {
	if (f->n_loop == NAIVE_LOOP_DEPTH) {
		memmove(&f->loop[0], &f->loop[1], sizeof(f->loop) - sizeof(f->loop[0]));
		f->n_loop--;
	}
	f->loop[f->n_loop++] = e;
}

static bool condition(const struct naive_unit *u, uint32_t w) {
	const bool x = u->cmp[0] == (bool)bits(w, 25, 1);
	const bool y = u->cmp[1] == (bool)bits(w, 24, 1);
	switch (bits(w, 22, 2)) {
	case 0:
		return x || y;
	case 1:
		return x && y;
	case 2:
		return x;
	default:
		return y;
	}
}

/* Returns the next instruction after the one at old, whose own successor is pc. */
static uint32_t flow_end(
	struct naive_unit *u, struct flow *f, uint32_t old, uint32_t pc, bool brk) {
	uint32_t k = old + 1;
	for (unsigned i = 1; i <= 4; i++) {
		if (f->n_call == 0 || f->call[f->n_call - 1].end != k) {
			break;
		}
		if (i < 4) {
			pc = k = f->call[f->n_call - 1].ret;
		}
		f->n_call--;
	}
	if (f->n_if > 0 && f->ifs[f->n_if - 1].at == old + 1) {
		pc = f->ifs[--f->n_if].to;
	}
	if (f->n_loop > 0 && (brk || f->loop[f->n_loop - 1].end == old + 1)) {
		struct loop_entry *top = &f->loop[f->n_loop - 1];
		u->al += top->inc;
		if (!brk && top->left > 0) {
			top->left--;
			pc = top->start;
		} else {
			pc = top->end;
			if (f->n_loop > 1) {
				u->al = top->saved;
			}
			f->n_loop--;
		}
	}
	return pc;
}

static void report(const struct naive *n, const struct naive_unit *u, uint32_t address) {
	if (n->step) {
		n->step(n->step_user, &(struct naive_step){ .is_geometry = u == &n->gs,
				.address = address,
				.cmp = { u->cmp[0], u->cmp[1] },
				.a0 = { u->a0[0], u->a0[1] },
				.al = u->al,
				.r = (const float (*)[4])u->r,
				.o = (const float (*)[4])u->o[u->bank],
				.read = (const float (*)[4])u->read });
	}
}

static void run(struct naive *n, struct naive_unit *u, naive_emit_fn *emit) {
	const uint32_t pc_mask = u->code_words - 1;
	const uint32_t budget = 1u << 20;
	struct flow f = {0};
	uint32_t pc = SH_ENTRYPOINT_PC(n->regs[u->reg.entry]) & pc_mask;
	for (uint32_t step = 0; step < budget; step++) {
		report(n, u, pc);
		if (emit && pc == u->code_words - 1) {
			return; /* word 4095 ends a geometry program (two games have no END) */
		}
		const uint32_t old = pc;
		const uint32_t w = u->code[old];
		const uint32_t op = w >> 26;
		const uint32_t num = bits(w, 0, 8);
		const uint32_t dest = bits(w, 10, 12);
		const bool flag = n->regs[u->reg.bools] >> bits(w, 22, 4) & 1;
		uint32_t next = old + 1;
		bool brk = false;
		switch (op) {
		case 0x20: /* BREAK */
			brk = true;
			break;
		case 0x21: /* NOP */
			break;
		case 0x22: /* END */
			return;
		case 0x23: /* BREAKC */
			brk = condition(u, w);
			break;
		case 0x24: /* CALL, CALLC, CALLU */
		case 0x25:
		case 0x26:
			if (op == 0x24 || (op == 0x25 ? condition(u, w) : flag)) {
				push_call(&f,
					(struct call_entry){ .end = dest + num, .ret = old + 1 });
				next = dest;
			}
			break;
		case 0x27: /* IFU, IFC */
		case 0x28:
			if (op == 0x27 ? flag : condition(u, w)) {
				push_if(&f, (struct if_entry){.at = dest, .to = dest + num});
			} else {
				next = dest;
			}
			break;
		case 0x29: { /* LOOP */
			const uint32_t i = n->regs[u->reg.ints + bits(w, 22, 2)];
			push_loop(&f, (struct loop_entry){
				.start = old + 1,
				.end = dest + 1,
				.left = SH_INTUNIFORM_X(i),
				.inc = (int32_t)SH_INTUNIFORM_Z(i),
				.saved = u->al,
			});
			u->al = (int32_t)SH_INTUNIFORM_Y(i);
			break;
		}
		case 0x2A: /* EMIT */
			if (emit) {
				emit(n);
			}
			break;
		case 0x2B: /* SETEMIT */
			if (emit) {
				n->geo.emit_id = bits(w, 24, 2);
				n->geo.emit_prim = bits(w, 23, 1);
				n->geo.emit_winding = bits(w, 22, 1);
			}
			break;
		case 0x2C: /* JMPC */
			if (condition(u, w)) {
				next = dest;
			}
			break;
		case 0x2D: /* JMPU */
			if (flag == !(num & 1)) {
				next = dest;
			}
			break;
		default:
			compute(n, u, w);
			break;
		}
		if (brk && f.n_loop == 0) {
			n->stats.faults[PICA_FAULT_SHADER_OPCODE]++;
			brk = false; /* hangs hardware; a NOP here */
		}
		pc = flow_end(u, &f, old, next, brk) & pc_mask;
	}
	n->stats.faults[PICA_FAULT_SHADER_BUDGET]++;
}

void naive_shader_run(struct naive *n, struct naive_unit *u, naive_emit_fn *emit) {
	run(n, u, emit);
	report(n, u, UINT32_MAX);
}

void naive_set_step(struct naive *n, naive_step_fn *step, void *user) {
	n->step = step;
	n->step_user = user;
}
