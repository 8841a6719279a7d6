/*
 * From words to values. Each value gets a number; registers are names of values, so moves and
 * unused values are eliminated. Side effects stay in their order.
 */
#include "vc4/run/wide_build.h"

#include <string.h>

#include "vc4/run/alu.h"

/* ---- Values ---- */

static bool makes_numbers(unsigned code) {
	return (code >= WIDE_SEE && code <= WIDE_FMAXABS) || code == WIDE_ITOF ||
			code == WIDE_BYTE_FLOAT || code == WIDE_VARYING;
}

static bool is_special(unsigned code) {
	return code >= WIDE_RECIP && code <= WIDE_LOG2;
}

/* Returns a recent value that is the same, or NO_VALUE. */
static uint16_t find_same(const struct wide_builder *b, unsigned code, unsigned imm, uint32_t value,
		const uint16_t in[WIDE_OPERANDS]) {
	for (unsigned i = b->n; i > 0 && b->n - i < SEARCHED; i--) {
		const struct wide_value *v = &b->v[i - 1];
		if (v->code == code && v->imm == imm && v->value == value &&
				(!wide_operands[code] ||
						memcmp(v->in, in,
								wide_operands[code] *
										sizeof(*in)) ==
								0)) {
			return (uint16_t)(i - 1);
		}
	}
	return NO_VALUE;
}

static uint16_t add(struct wide_builder *b, unsigned code, unsigned imm, uint32_t value,
		const uint16_t in[WIDE_OPERANDS]) {
	const bool is_pure = code < WIDE_TEXTURE;
	const uint16_t same = is_pure ? find_same(b, code, imm, value, in) : NO_VALUE;
	if (same != NO_VALUE) {
		return same;
	}
	if (b->n == MOST_VALUES) {
		return wide_fail(b);
	}
	struct wide_value *v = &b->v[b->n];
	*v = (struct wide_value){
		.code = (uint8_t)code, .imm = (uint8_t)imm, .value = value, .seen = NO_VALUE
	};
	for (unsigned i = 0; i < wide_operands[code]; i++) {
		v->in[i] = in[i];
	}
	v->is_clean = makes_numbers(code);
	v->is_number = v->is_clean || is_special(code);
	return (uint16_t)b->n++;
}

static uint16_t leaf(struct wide_builder *b, unsigned code, uint32_t value) {
	return add(b, code, 0, value, NULL);
}

static uint16_t one(struct wide_builder *b, unsigned code, unsigned imm, uint16_t x) {
	return add(b, code, imm, 0, (const uint16_t[4]){ x });
}

static uint16_t two(struct wide_builder *b, unsigned code, unsigned imm, uint16_t x, uint16_t y) {
	return add(b, code, imm, 0, (const uint16_t[4]){ x, y });
}

static uint16_t constant(struct wide_builder *b, uint32_t word) {
	for (unsigned i = 0; i < b->n_constants; i++) {
		if (b->v[b->constant[i]].value == word) {
			return b->constant[i];
		}
	}
	if (b->n_constants == WIDE_ROWS) {
		return wide_fail(b);
	}
	const uint16_t x = leaf(b, WIDE_CONSTANT, word);
	b->constant[b->n_constants++] = x;
	b->v[x].is_clean = b->v[x].is_number = f32_bits(alu_float(word)) == word;
	return x;
}

static bool is_constant(const struct wide_builder *b, uint16_t x, uint32_t word) {
	return b->v[x].code == WIDE_CONSTANT && b->v[x].value == word;
}

/* Returns the value as an input of arithmetic. */
static uint16_t see(struct wide_builder *b, uint16_t x) {
	const struct wide_value *v = &b->v[x];
	if (v->is_clean) {
		return x;
	}
	if (v->seen == NO_VALUE) {
		uint16_t seen;
		if (v->code == WIDE_CONSTANT) {
			seen = constant(b, f32_bits(alu_float(v->value)));
		} else if (v->code < WIDE_VPM || (v->code >= WIDE_W && v->code <= WIDE_W) ||
				v->code == WIDE_PLANE || v->code == WIDE_PLANE_CONSTANT) {
			seen = add(b, v->code, 1, v->value, NULL);
			b->v[seen].is_clean = b->v[seen].is_number = true;
		} else {
			seen = one(b, WIDE_SEE, 0, x);
		}
		b->v[x].seen = seen;
	}
	return b->v[x].seen;
}

/* For sums and products, which treat -0 like +0. */
static uint16_t number(struct wide_builder *b, uint16_t x) {
	return b->v[x].is_number ? x : see(b, x);
}

static uint16_t choose(struct wide_builder *b, uint16_t mask, uint16_t x, uint16_t y) {
	if (x == y || is_constant(b, mask, 0xFFFFFFFF)) {
		return x;
	}
	if (is_constant(b, mask, 0)) {
		return y;
	}
	const uint16_t v = add(b, WIDE_SELECT, 0, 0, (const uint16_t[4]){ mask, x, y });
	b->v[v].is_number = b->v[x].is_number && b->v[y].is_number;
	b->v[v].is_clean = b->v[x].is_clean && b->v[y].is_clean;
	return v;
}

/* ---- Units ---- */

static uint16_t shift(struct wide_builder *b, unsigned code, uint16_t x, uint16_t by) {
	const unsigned from = b->v[by].code; /* all lanes must be alike */
	return from == WIDE_CONSTANT || from == WIDE_UNIFORM ? two(b, code, 0, x, by) :
							       wide_fail(b);
}

static uint16_t add_unit(struct wide_builder *b, unsigned op, uint16_t x, uint16_t y) {
	static const uint8_t codes[32] = { [ADD_FADD] = WIDE_FADD,
		[ADD_FSUB] = WIDE_FSUB,
		[ADD_FMIN] = WIDE_FMIN,
		[ADD_FMAX] = WIDE_FMAX,
		[ADD_FMINABS] = WIDE_FMINABS,
		[ADD_FMAXABS] = WIDE_FMAXABS,
		[ADD_ADD] = WIDE_ADD,
		[ADD_SUB] = WIDE_SUB,
		[ADD_MIN] = WIDE_MIN,
		[ADD_MAX] = WIDE_MAX,
		[ADD_AND] = WIDE_AND,
		[ADD_OR] = WIDE_OR,
		[ADD_XOR] = WIDE_XOR,
		[ADD_V8ADDS] = WIDE_V8ADDS,
		[ADD_V8SUBS] = WIDE_V8SUBS };
	switch (op) {
	case ADD_FADD:
	case ADD_FSUB:
		return two(b, codes[op], 0, number(b, x), number(b, y));
	case ADD_FMIN:
	case ADD_FMAX:
		if (x == y) {
			return see(b, x);
		}
		return two(b, codes[op], 0, see(b, x), see(b, y));
	case ADD_FMINABS:
	case ADD_FMAXABS:
		return two(b, codes[op], 0, see(b, x), see(b, y));
	case ADD_FTOI:
		return one(b, WIDE_FTOI, 0, x);
	case ADD_ITOF:
		return one(b, WIDE_ITOF, 0, x);
	case ADD_SHR:
		return shift(b, WIDE_SHR, x, y);
	case ADD_ASR:
		return shift(b, WIDE_ASR, x, y);
	case ADD_SHL:
		return shift(b, WIDE_SHL, x, y);
	case ADD_MIN:
	case ADD_MAX:
	case ADD_AND:
	case ADD_OR:
		if (x == y) {
			return x;
		}
		break;
	case ADD_XOR:
		if (x == y) {
			return constant(b, 0);
		}
		break;
	case ADD_NOT:
		return two(b, WIDE_XOR, 0, x, constant(b, 0xFFFFFFFF));
	default:
		break;
	}
	return codes[op] ? two(b, codes[op], 0, x, y) : wide_fail(b);
}

static uint16_t mul_unit(struct wide_builder *b, unsigned op, uint16_t x, uint16_t y) {
	static const uint8_t codes[8] = { 0, WIDE_FMUL, WIDE_MUL24, WIDE_V8MULD, WIDE_V8MIN,
		WIDE_V8MAX, WIDE_V8ADDS, WIDE_V8SUBS };
	if (x == y && (op == MUL_V8MIN || op == MUL_V8MAX)) {
		return x;
	}
	if (op != MUL_FMUL) {
		return two(b, codes[op], 0, x, y);
	}
	x = number(b, x);
	y = number(b, y);
	const uint32_t unit = 0x3F800000;
	if (is_constant(b, x, unit) && b->v[y].is_clean) {
		return y;
	}
	return is_constant(b, y, unit) && b->v[x].is_clean ? x : two(b, WIDE_FMUL, 0, x, y);
}

/* ---- Packing ---- */

static uint16_t unpack(struct wide_builder *b, unsigned code, uint16_t x, bool to_float) {
	switch (code) {
	case 0:
		return x;
	case 1:
	case 2:
		return to_float ? wide_fail(b) : one(b, WIDE_HALF, code - 1, x);
	case 3:
		return one(b, WIDE_BYTE_3, 0, x);
	default:
		return one(b, to_float ? WIDE_BYTE_FLOAT : WIDE_BYTE, code - 4, x);
	}
}

static uint16_t pack(struct wide_builder *b, const struct qpu_word *w, unsigned unit, uint16_t x,
		uint16_t old) {
	const struct qpu_instruction *q = &w->q;
	const bool is_float = q->sig != QPU_SIG_LOAD &&
			(unit ? q->op_mul == MUL_FMUL : alu_makes_floats(q->op_add));
	if (q->pm) {
		return q->pack & 7 ?
				two(b, WIDE_PACK_COLOR, (q->pack & 7) - 4u, number(b, x), old) :
				x;
	}
	if (q->pack >= 8 || (is_float && q->pack <= 2)) {
		return wide_fail(b);
	}
	if (q->pack == 3) {
		return one(b, WIDE_SPREAD, 0, x);
	}
	return q->pack <= 2 ? two(b, WIDE_PUT_HALF, q->pack - 1u, x, old) :
			      two(b, WIDE_PUT_BYTE, q->pack - 4u, x, old);
}

/* ---- Inputs ---- */

static uint16_t read_vpm(struct wide_builder *b) {
	struct vpm_setup *s = &b->vpm_in;
	if (!s->left) {
		return wide_fail(b);
	}
	const unsigned row = s->address & 63;
	s->left--;
	s->address = (uint8_t)(s->address + s->stride);
	b->n_vpm_in = row + 1 > b->n_vpm_in ? row + 1 : b->n_vpm_in;
	b->in[row] = b->in[row] ? b->in[row] : leaf(b, WIDE_VPM, row);
	return b->in[row];
}

static uint16_t read(struct wide_builder *b, unsigned file, unsigned address) {
	switch (address) {
	case READ_UNIFORM:
		return leaf(b, WIDE_UNIFORM, b->uniform++);
	case READ_VARYING:
		return leaf(b, WIDE_PLANE, b->varying);
	case READ_VPM:
		return read_vpm(b);
	case READ_NUMBER:
		return file ? constant(b, 0) : leaf(b, WIDE_NUMBER, 0);
	case READ_PIXEL:
		return leaf(b, file ? WIDE_PIXEL_Y : WIDE_PIXEL_X, 0);
	case READ_MASK:
		return wide_fail(b);
	default:
		return address < 32 ? b->reg[file * QPU_ROW_B + address] : constant(b, 0);
	}
}

struct inputs {
	const struct qpu_instruction *q;
	uint16_t a, b;
};

static uint16_t input(
		struct wide_builder *b, const struct inputs *in, unsigned mux, bool is_float) {
	const struct qpu_instruction *q = in->q;
	switch (mux) {
	case QPU_INPUT_A:
		return unpack(b, q->pm ? 0 : q->unpack, in->a, is_float);
	case QPU_INPUT_B:
		return in->b;
	default:
		return unpack(b, q->pm && mux == 4 ? q->unpack : 0, b->reg[QPU_ROW_R + mux], true);
	}
}

/* ---- Texture units ---- */

static void submit(struct wide_builder *b, struct wide_unit *u) {
	uint16_t result;
	if (u->n == TMU_RESULTS || b->stores || b->n_textures == WIDE_TEXTURES ||
			(u->next.n_words && u->parameter[1] == NO_VALUE)) {
		wide_fail(b);
		return;
	}
	if (u->next.n_words) {
		result = add(b, WIDE_TEXTURE, 0, b->n_textures, u->parameter);
		b->texture[b->n_textures++] = u->next;
	} else {
		result = one(b, WIDE_WORD, 0, u->parameter[0]);
	}
	u->result[(u->first + u->n++) % TMU_RESULTS] = result;
	u->next.n_words = 0;
	u->parameter[1] = NO_VALUE;
}

static void write_texture(struct wide_builder *b, unsigned address, uint16_t x) {
	struct wide_unit *u = &b->unit[address >> 2 & 1];
	const unsigned parameter = address & 3;
	if (parameter || u->next.n_words) {
		if (u->next.n_words == ARRAY_LEN(u->next.uniform)) {
			wide_fail(b);
			return;
		}
		if (!u->next.n_words) {
			u->parameter[2] = u->parameter[3] = constant(b, 0);
		}
		u->next.uniform[u->next.n_words++] = (uint16_t)b->uniform++;
	}
	u->parameter[parameter] = x;
	if (parameter == 0) {
		submit(b, u);
	}
}

static uint16_t read_texture(struct wide_builder *b, unsigned unit) {
	struct wide_unit *u = &b->unit[unit];
	if (!u->n) {
		return wide_fail(b);
	}
	const uint16_t x = u->result[u->first];
	u->first = (u->first + 1) % TMU_RESULTS;
	u->n--;
	return x;
}

/* ---- Results ---- */

/* A condition, as it was before the flags changed. */
struct condition {
	uint16_t mask;
	bool is_all, is_inverted;
};

static struct condition condition(struct wide_builder *b, unsigned cond) {
	if (cond >= 6) {
		wide_fail(b);
	}
	return (struct condition){ .mask = cond >> 1 == 2 ? b->negative : b->is_zero,
		.is_all = cond < 2,
		.is_inverted = cond & 1 };
}

static uint16_t choose_if(struct wide_builder *b, struct condition c, uint16_t x, uint16_t old) {
	return c.is_all ? x : c.is_inverted ? choose(b, c.mask, old, x) : choose(b, c.mask, x, old);
}

/* Stores become the last operations, unless colours are loaded after one of colours. */
static void emit_stores(struct wide_builder *b) {
	for (unsigned i = 0; i < b->n_stores; i++) {
		const struct wide_store *s = &b->store[i];
		add(b, s->code, s->imm, s->value, (const uint16_t[4]){ s->in[0], s->in[1] });
	}
	b->n_stores = 0;
}

static void store(struct wide_builder *b, unsigned code, uint16_t x, struct condition c) {
	if (b->n_stores == MOST_STORES) {
		emit_stores(b);
	}
	b->store[b->n_stores++] = (struct wide_store){
		.code = (uint8_t)code,
		.imm = c.is_all ? WIDE_ALL_LANES : !c.is_inverted,
		.in = { x, c.is_all ? x : c.mask },
		.value = code == WIDE_STORE_SAMPLE ? b->n_samples++ : 0,
	};
	b->stores = true;
	b->stores_color |= code != WIDE_STORE_Z;
}

static void write_periphery(struct wide_builder *b, unsigned file, unsigned address, uint16_t x,
		struct condition c) {
	switch (address) {
	case WRITE_Z:
		store(b, WIDE_STORE_Z, x, c);
		return;
	case WRITE_COLOR:
		store(b, WIDE_STORE_COLOR, x, c);
		return;
	case WRITE_COLOR_SAMPLE:
		store(b, WIDE_STORE_SAMPLE, x, c);
		return;
	case WRITE_SFU + SFU_RECIP:
	case WRITE_SFU + SFU_RSQRT:
	case WRITE_SFU + SFU_EXP2:
	case WRITE_SFU + SFU_LOG2: {
		uint16_t *r4 = &b->reg[QPU_ROW_R + 4];
		*r4 = choose_if(b, c, one(b, WIDE_RECIP + address - WRITE_SFU, 0, x), *r4);
		return;
	}
	case 36:
	case 38:
	case 39:
	case 41:
	case 51:
		return;
	default:
		break;
	}
	if (!c.is_all) {
		wide_fail(b);
	} else if (address == WRITE_VPM) {
		struct vpm_setup *s = &b->vpm_out;
		b->out[s->address & 63] = x;
		b->written |= UINT64_C(1) << (s->address & 63);
		s->address = (uint8_t)(s->address + s->stride);
	} else if (address == WRITE_VPM_SETUP && b->v[x].code == WIDE_CONSTANT) {
		struct vpm_setup *s = file ? &b->vpm_out : &b->vpm_in;
		b->fails |= b->v[x].value >> 30 || !vpm_set_up(s, b->v[x].value) || s->size != 2 ||
				!s->is_horizontal;
	} else if (address >= WRITE_TMU) {
		write_texture(b, address, x);
	} else {
		wide_fail(b);
	}
}

static void put(struct wide_builder *b, const struct qpu_word *w, unsigned unit, uint16_t x,
		struct condition c) {
	const struct qpu_plan *e = &w->plan;
	const struct qpu_instruction *q = &w->q;
	uint16_t *reg = e->to[unit] == QPU_ROW_NONE ? NULL : &b->reg[e->to[unit]];
	if (e->put[unit] == QPU_PUT_NONE) {
		return;
	}
	if (e->put[unit] == QPU_PUT_PACKED) {
		x = pack(b, w, unit, x, reg ? *reg : constant(b, 0));
	}
	if (reg) {
		*reg = choose_if(b, c, x, *reg);
	} else {
		write_periphery(b, unit ? !q->ws : q->ws, unit ? q->waddr_mul : q->waddr_add, x, c);
	}
}

static void set_flags(struct wide_builder *b, uint16_t x, struct condition c) {
	b->is_zero = choose_if(b, c, one(b, WIDE_IS_ZERO, 0, x), b->is_zero);
	b->negative = choose_if(b, c, two(b, WIDE_ASR, 0, x, constant(b, 31)), b->negative);
}

/* ---- Words ---- */

static void finish_word(struct wide_builder *b, const struct qpu_word *w, const uint16_t x[2]) {
	const struct qpu_plan *e = &w->plan;
	struct condition c[2];
	for (unsigned unit = 0; unit < 2; unit++) {
		const bool matters = e->put[unit] != QPU_PUT_NONE ||
				e->flags & (unit ? QPU_FLAGS_OF_MUL : QPU_FLAGS_OF_ADD);
		c[unit] = condition(b, matters ? e->cond[unit] : 1);
	}
	if (e->flags & QPU_FLAGS_OF_ADD) {
		set_flags(b, x[0], c[0]);
	} else if (e->flags & QPU_FLAGS_OF_MUL) {
		set_flags(b, x[1], c[1]);
	}
	put(b, w, 0, x[0], c[0]);
	put(b, w, 1, x[1], c[1]);
}

static void load_word(struct wide_builder *b, const struct qpu_word *w) {
	if (w->q.unpack != QPU_LOAD_WORD) {
		wide_fail(b);
		return;
	}
	const uint16_t x = constant(b, w->q.immediate);
	finish_word(b, w, (const uint16_t[2]){ x, x });
}

static void alu_word(struct wide_builder *b, const struct qpu_word *w) {
	const struct qpu_instruction *q = &w->q;
	const struct qpu_plan *e = &w->plan;
	const bool is_small = q->sig == QPU_SIG_SMALL_IMMEDIATE;
	struct inputs in = { .q = q };
	if (e->flags & (QPU_CARRY | QPU_ROTATES | QPU_SATURATES)) {
		wide_fail(b);
		return;
	}
	in.a = q->raddr_a < 32 || e->flags & QPU_READ_A ? read(b, 0, q->raddr_a) : constant(b, 0);
	if (is_small) {
		in.b = constant(b, alu_small_immediate(q->raddr_b));
	} else if (q->raddr_a == q->raddr_b && q->raddr_a >= 32 && e->flags & QPU_READ_A &&
			!(e->flags & QPU_READ_B)) {
		in.b = in.a;
	} else {
		in.b = q->raddr_b < 32 || e->flags & QPU_READ_B ? read(b, 1, q->raddr_b) :
								  constant(b, 0);
	}
	uint16_t x[2] = { 0, 0 };
	if (e->op[0]) {
		const bool is_float = alu_takes_floats(e->op[0]);
		const uint16_t i = input(b, &in, q->add_a, is_float);
		x[0] = add_unit(b, e->op[0], i, input(b, &in, q->add_b, is_float));
	}
	if (e->op[1]) {
		const bool is_float = e->op[1] == MUL_FMUL;
		const uint16_t i = input(b, &in, q->mul_a, is_float);
		x[1] = mul_unit(b, e->op[1], i, input(b, &in, q->mul_b, is_float));
	}
	if (e->flags & QPU_VARYING) {
		b->reg[QPU_ROW_R + 5] = leaf(b, WIDE_PLANE_CONSTANT, b->varying++);
	}
	if (q->sig == SIG_TMU0 || q->sig == SIG_TMU1) {
		b->reg[QPU_ROW_R + 4] = read_texture(b, q->sig - SIG_TMU0);
	} else if (q->sig == SIG_COLOR_LOAD || q->sig == QPU_SIG_COLOR_LOAD_END) {
		if (b->stores_color) {
			emit_stores(b);
		}
		b->reg[QPU_ROW_R + 4] = leaf(b, WIDE_LOAD_COLOR, b->n_loads++);
	}
	finish_word(b, w, x);
}

static void begin(struct wide_builder *b) {
	const uint16_t zero = constant(b, 0);
	for (unsigned i = 0; i < REGISTERS; i++) {
		b->reg[i] = zero;
	}
	b->is_zero = b->negative = zero;
	b->reg[15] = leaf(b, WIDE_W, 0);
	b->reg[QPU_ROW_B + 15] = leaf(b, WIDE_Z, 0);
	b->vpm_out = (struct vpm_setup){ .stride = 1 };
	b->unit[0].parameter[1] = b->unit[1].parameter[1] = NO_VALUE;
}

void wide_build(struct wide_builder *b, const struct qpu_program *p) {
	begin(b);
	unsigned left = MOST_WORDS;
	bool is_ending = false;
	for (uint32_t i = p->entry; !b->fails && left; i++, left--) {
		const struct qpu_word *w = i < p->n ? &p->word[i] : NULL;
		if (!w || w->q.sig == QPU_SIG_BRANCH || w->q.sig == SIG_BREAKPOINT) {
			wide_fail(b);
			return;
		}
		b->n_steps++;
		if (w->q.sig == QPU_SIG_LOAD) {
			load_word(b, w);
		} else {
			alu_word(b, w);
		}
		if ((w->q.sig == QPU_SIG_PROGRAM_END || w->q.sig == QPU_SIG_COLOR_LOAD_END) &&
				!is_ending) {
			is_ending = true;
			left = END_SLOTS + 1;
		}
	}
	emit_stores(b);
	b->fails |= !is_ending;
}
