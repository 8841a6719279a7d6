/*
 * From a key to the steps of a plan.
 *
 * The combiner is resolved by names instead of being run: "previous", "previous buffer" and operands
 * become references to planes, a stage that only passes a value on leaves nothing behind, and each
 * real operation becomes a step that writes planes of its own:
 *
 *     stage 0  modulate texture0, primary         modulate out0.rgba <- tex0.rgba, primary.rgba
 *     stage 1  add previous, constant.aaa   =>    add out1.rgb <- out0.rgb, const1.a
 *     stage 2-5  replace previous                 store out1.rgb out0.a
 *
 * Since no plane is written twice, the rest is bookkeeping on the list of steps: equal steps are shared
 * when they are made (emit), steps that nobody reads are dropped (sweep, backwards from the
 * store), those that read only constants are run once a draw instead of once a batch, and the RGB
 * and alpha halves of one operation are merged into one call where their operands lie in line.
 */
#include "frag/plan.h"

#include <assert.h>
#include <string.h>

#include "pica.h"
#include "regs/regs.h"

static const struct frag_ref ref_zero = { FRAG_PLANE_ZERO, 0 };
static const struct frag_ref ref_full = { FRAG_PLANE_FULL, 0 };

/* A colour: RGB and alpha may come from different places. */
struct value {
	struct frag_ref rgb, alpha;
};

/* An operand before it is materialised. */
struct operand {
	struct frag_ref ref;
	bool inverted; /* 255 - ref */
};

struct builder {
	const struct frag_key *key;
	struct frag_step op[FRAG_MAX_OPS];
	unsigned n_ops;
	unsigned n_combiner; /* ops before the blender's */
	bool live[FRAG_PLANES];
};

static bool same(struct frag_ref a, struct frag_ref b) {
	return a.plane == b.plane && a.stride == b.stride;
}

static struct frag_ref plane(unsigned slot, unsigned channel) {
	return (struct frag_ref){ (uint8_t)(slot * 4 + channel), 0 };
}

static struct value slot_value(unsigned slot) {
	return (struct value){ { (uint8_t)(slot * 4), 1 }, plane(slot, 3) };
}

static struct value zero_value(void) {
	return (struct value){ ref_zero, ref_zero };
}

/* R, G, B or A of a colour as one plane. */
static struct frag_ref channel(struct value v, unsigned c) {
	if (c == 3) {
		return v.alpha;
	}
	return (struct frag_ref){ (uint8_t)(v.rgb.plane + c * v.rgb.stride), 0 };
}

/*
 * Appends dst = op(in) for as many planes as the operands have, or finds the step that already does
 * it. Returns where the result lies.
 */
static struct frag_ref emit(struct builder *b, enum frag_op op, unsigned dst,
		const struct frag_ref in[FRAG_OP_INPUTS]) {
	struct frag_step st = { .kind = STEP_OP, .op = (uint8_t)op, .n_planes = 1, .dst = (uint8_t)dst };
	for (unsigned k = 0; k < frag_op_inputs(op); k++) {
		st.in[k] = in[k];
		if (in[k].stride && op != FRAG_OP_DOT3) {
			st.n_planes = 3;
		}
	}
	for (unsigned i = 0; i < b->n_ops; i++) {
		const struct frag_step *o = &b->op[i];
		if (o->op == st.op && o->n_planes == st.n_planes &&
				memcmp(o->in, st.in, sizeof(st.in)) == 0) {
			return (struct frag_ref){ o->dst, o->n_planes > 1 };
		}
	}
	assert(b->n_ops < FRAG_MAX_OPS);
	b->op[b->n_ops++] = st;
	return (struct frag_ref){ st.dst, st.n_planes > 1 };
}

static struct frag_ref emit2(struct builder *b, enum frag_op op, unsigned dst, struct frag_ref x,
		struct frag_ref y) {
	return emit(b, op, dst, (const struct frag_ref[FRAG_OP_INPUTS]){ x, y });
}

/* The operand as planes; a complement goes to dst. */
static struct frag_ref materialise(struct builder *b, struct operand o, unsigned dst) {
	if (!o.inverted) {
		return o.ref;
	}
	if (same(o.ref, ref_zero)) {
		return ref_full;
	}
	if (same(o.ref, ref_full)) {
		return ref_zero;
	}
	return emit2(b, FRAG_OP_COMPLEMENT, dst, o.ref, (struct frag_ref){ 0, 0 });
}

/* ---- Combiner [spec/frag-combiner.md 1-4] ---- */

/* What stages see of earlier ones. */
struct latch {
	struct value previous, buffer, next_buffer;
};

static struct value source_value(const struct frag_key *key, unsigned s, unsigned source,
		const struct latch *l) {
	switch (source) {
	case TEV_SOURCE_PRIMARY:
		return slot_value(SLOT_PRIMARY);
	case TEV_SOURCE_FRAGMENT_PRIMARY:
	case TEV_SOURCE_FRAGMENT_SECONDARY:
		return key->lighting ? slot_value(SLOT_LIGHT + source - TEV_SOURCE_FRAGMENT_PRIMARY) :
				zero_value();
	case TEV_SOURCE_TEXTURE0:
	case TEV_SOURCE_TEXTURE1:
	case TEV_SOURCE_TEXTURE2:
		return key->textures >> (source - TEV_SOURCE_TEXTURE0) & 1 ?
				slot_value(SLOT_TEXTURE + source - TEV_SOURCE_TEXTURE0) : zero_value();
	case TEV_SOURCE_TEXTURE3:
		return key->proctex ? slot_value(SLOT_PROCTEX) : zero_value();
	case TEV_SOURCE_PREVIOUS_BUFFER:
		return l->buffer;
	case TEV_SOURCE_CONSTANT:
		return slot_value(SLOT_CONST + s);
	case TEV_SOURCE_PREVIOUS:
		return l->previous;
	default: /* 7 to 12 [REC, frag-combiner.md 1] */
		return zero_value();
	}
}

/*
 * Slot k of a stage: in stage 0, "previous" in slots 0 and 1 stands for the source of slot 2, and is
 * 0 there. [DOC from console tests, frag-combiner.md 4; for alpha REC]
 */
static struct value slot_source(const struct frag_key *key, unsigned s, const uint8_t source[3],
		unsigned k, const struct latch *l) {
	unsigned from = source[k];
	if (s == 0 && from == TEV_SOURCE_PREVIOUS) {
		from = source[2];
	}
	return source_value(key, s, from, l);
}

static struct operand rgb_operand(struct value v, unsigned code) {
	switch (code) {
	case TEV_OPERAND_RGB_COLOR:
	case TEV_OPERAND_RGB_ONE_MINUS_COLOR:
		return (struct operand){ v.rgb, code & 1 };
	case TEV_OPERAND_RGB_ALPHA:
	case TEV_OPERAND_RGB_ONE_MINUS_ALPHA:
		return (struct operand){ v.alpha, code & 1 };
	case TEV_OPERAND_RGB_RED:
	case TEV_OPERAND_RGB_ONE_MINUS_RED:
		return (struct operand){ channel(v, 0), code & 1 };
	case TEV_OPERAND_RGB_GREEN:
	case TEV_OPERAND_RGB_ONE_MINUS_GREEN:
		return (struct operand){ channel(v, 1), code & 1 };
	case TEV_OPERAND_RGB_BLUE:
	case TEV_OPERAND_RGB_ONE_MINUS_BLUE:
		return (struct operand){ channel(v, 2), code & 1 };
	default: /* 6, 7, 10, 11, 14, 15 [1, frag-combiner.md 1] */
		return (struct operand){ ref_zero, false };
	}
}

static struct operand alpha_operand(struct value v, unsigned code) {
	static const uint8_t channels[4] = {
		[TEV_OPERAND_ALPHA_ALPHA / 2] = 3,
		[TEV_OPERAND_ALPHA_RED / 2] = 0,
		[TEV_OPERAND_ALPHA_GREEN / 2] = 1,
		[TEV_OPERAND_ALPHA_BLUE / 2] = 2,
	};
	return (struct operand){ channel(v, channels[code / 2 & 3]), code & 1 };
}

/* How an operation of the register is done. */
enum { HOW_ZERO, HOW_COPY, HOW_OP };
static const struct how {
	uint8_t how, op, n_in;
} hows[16] = { /* 10 to 15: 0 [1, frag-combiner.md 2] */
	[TEV_OP_REPLACE] = { HOW_COPY, 0, 1 },
	[TEV_OP_MODULATE] = { HOW_OP, FRAG_OP_MODULATE, 2 },
	[TEV_OP_ADD] = { HOW_OP, FRAG_OP_ADD, 2 },
	[TEV_OP_ADD_SIGNED] = { HOW_OP, FRAG_OP_ADD_SIGNED, 2 },
	[TEV_OP_INTERPOLATE] = { HOW_OP, FRAG_OP_LERP, 3 },
	[TEV_OP_SUBTRACT] = { HOW_OP, FRAG_OP_SUBTRACT, 2 },
	[TEV_OP_DOT3_RGB] = { HOW_OP, FRAG_OP_DOT3, 2 },
	[TEV_OP_DOT3_RGBA] = { HOW_OP, FRAG_OP_DOT3, 2 },
	[TEV_OP_MULTIPLY_ADD] = { HOW_OP, FRAG_OP_MUL_ADD, 3 },
	[TEV_OP_ADD_MULTIPLY] = { HOW_OP, FRAG_OP_ADD_MUL, 3 },
};

/* a*(1-c') + b*c' with c = 1-c' is the same sum with a and b exchanged: saves the complement. */
static void turn_lerp(const struct how *h, struct operand in[3]) {
	if (h->op == FRAG_OP_LERP && in[2].inverted) {
		const struct operand a = in[0];
		in[0] = in[1];
		in[1] = a;
		in[2].inverted = false;
	}
}

static struct frag_ref operate(struct builder *b, const struct how *h, unsigned dst,
		const struct frag_ref in[FRAG_OP_INPUTS]) {
	return h->how == HOW_ZERO ? ref_zero : h->how == HOW_COPY ? in[0] :
			emit(b, (enum frag_op)h->op, dst, in);
}

/* Scale 3 is x1. [REC, frag-combiner.md 2] */
static struct frag_ref rescale(struct builder *b, struct frag_ref x, unsigned scale, unsigned dst) {
	if (scale != TEV_SCALE_X2 && scale != TEV_SCALE_X4) {
		return x;
	}
	if (same(x, ref_zero) || same(x, ref_full)) {
		return x;
	}
	return emit2(b, scale == TEV_SCALE_X2 ? FRAG_OP_SCALE2 : FRAG_OP_SCALE4, dst, x,
			(struct frag_ref){ 0, 0 });
}

static struct value build_stage(struct builder *b, unsigned s, const struct latch *l) {
	static const struct how zero = { HOW_ZERO, 0, 0 };
	const struct frag_stage *st = &b->key->stage[s];
	const struct how *h_rgb = &hows[st->rgb_op & 15], *h_alpha = &hows[st->alpha_op & 15];
	struct operand rgb[3], alpha[3];
	struct frag_ref in_rgb[FRAG_OP_INPUTS] = { { 0, 0 } }, in_alpha[FRAG_OP_INPUTS] = { { 0, 0 } };

	/* dot3 needs three channels: no operation of the alpha half. [1, frag-combiner.md 2] */
	if (h_alpha->op == FRAG_OP_DOT3) {
		h_alpha = &zero;
	}
	for (unsigned k = 0; k < 3; k++) {
		rgb[k] = rgb_operand(slot_source(b->key, s, st->rgb_source, k, l), st->rgb_operand[k]);
		alpha[k] = alpha_operand(slot_source(b->key, s, st->alpha_source, k, l),
				st->alpha_operand[k]);
	}
	turn_lerp(h_rgb, rgb);
	turn_lerp(h_alpha, alpha);
	for (unsigned k = 0; k < 3; k++) {
		const unsigned slot = SLOT_INPUT + 3 * s + k;
		if (k < h_rgb->n_in) {
			in_rgb[k] = materialise(b, rgb[k], slot * 4);
		}
		if (k < h_alpha->n_in) {
			in_alpha[k] = materialise(b, alpha[k], slot * 4 + 3);
		}
	}
	struct value out;
	out.rgb = operate(b, h_rgb, (SLOT_OUT + s) * 4, in_rgb);
	if (st->rgb_op == TEV_OP_DOT3_RGBA) {
		out.alpha = out.rgb; /* the alpha operation is ignored [HW, frag-combiner.md 2] */
	} else {
		out.alpha = operate(b, h_alpha, (SLOT_OUT + s) * 4 + 3, in_alpha);
	}
	out.rgb = rescale(b, out.rgb, st->rgb_scale, (SLOT_SCALED + s) * 4);
	out.alpha = rescale(b, out.alpha, st->alpha_scale, (SLOT_SCALED + s) * 4 + 3);
	return out;
}

/* The buffer lags by one stage. [HW, frag-combiner.md 4] */
static struct value build_combiner(struct builder *b) {
	struct latch l = { zero_value(), zero_value(), slot_value(SLOT_BUFFER) };
	for (unsigned s = 0; s < FRAG_STAGES; s++) {
		const struct value out = build_stage(b, s, &l);
		l.previous = out;
		l.buffer = l.next_buffer;
		if (s < 4 && b->key->buffer_rgb >> s & 1) {
			l.next_buffer.rgb = out.rgb;
		}
		if (s < 4 && b->key->buffer_alpha >> s & 1) {
			l.next_buffer.alpha = out.alpha;
		}
	}
	return l.previous;
}

/* ---- Blender and logic unit [spec/frag-output.md 7] ---- */

enum half { HALF_RGB, HALF_ALPHA };

static struct frag_ref half_of(struct value v, enum half half) {
	return half == HALF_RGB ? v.rgb : v.alpha;
}

static struct frag_ref build_factor(struct builder *b, unsigned code, enum half half,
		struct value s, struct value d, unsigned dst) {
	const struct value k = slot_value(SLOT_BLEND);
	struct operand o = { ref_zero, code & 1 };
	switch (code) {
	case BLEND_FACTOR_ZERO:
	case BLEND_FACTOR_ONE:
		break;
	case BLEND_FACTOR_SRC_COLOR:
	case BLEND_FACTOR_ONE_MINUS_SRC_COLOR:
		o.ref = half_of(s, half);
		break;
	case BLEND_FACTOR_DST_COLOR:
	case BLEND_FACTOR_ONE_MINUS_DST_COLOR:
		o.ref = half_of(d, half);
		break;
	case BLEND_FACTOR_SRC_ALPHA:
	case BLEND_FACTOR_ONE_MINUS_SRC_ALPHA:
		o.ref = s.alpha;
		break;
	case BLEND_FACTOR_DST_ALPHA:
	case BLEND_FACTOR_ONE_MINUS_DST_ALPHA:
		o.ref = d.alpha;
		break;
	case BLEND_FACTOR_CONSTANT_COLOR:
	case BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR:
		o.ref = half_of(k, half);
		break;
	case BLEND_FACTOR_CONSTANT_ALPHA:
	case BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA:
		o.ref = k.alpha;
		break;
	case BLEND_FACTOR_SRC_ALPHA_SATURATE:
		if (half == HALF_ALPHA) {
			return ref_full;
		}
		if (same(d.alpha, ref_zero)) {
			return s.alpha;
		}
		if (same(d.alpha, ref_full)) {
			return ref_zero;
		}
		return emit2(b, FRAG_OP_SATURATE, dst, s.alpha, d.alpha);
	default: /* 15: the source itself [guess; 1 Citra, frag-output.md 7] */
		return half_of(s, half);
	}
	return materialise(b, o, dst);
}

/* Result of one half: where it lies, which may be the destination itself. */
static struct frag_ref build_blend(struct builder *b, enum half half, struct value s,
		struct value d, struct frag_ref sf, struct frag_ref df) {
	static const uint8_t ops[] = {
		[BLEND_EQ_ADD] = FRAG_OP_BLEND_ADD,
		[BLEND_EQ_SUBTRACT] = FRAG_OP_BLEND_SUB,
		[BLEND_EQ_REVERSE_SUBTRACT] = FRAG_OP_BLEND_RSUB,
		[BLEND_EQ_MIN] = FRAG_OP_BLEND_MIN,
		[BLEND_EQ_MAX] = FRAG_OP_BLEND_MAX,
	};
	const unsigned eq = b->key->equation[half];
	const unsigned dst = SLOT_RESULT * 4 + (half == HALF_ALPHA ? 3 : 0);
	struct frag_ref src = half_of(s, half), old = half_of(d, half);
	const bool no_src = same(sf, ref_zero) || same(src, ref_zero);
	const bool no_old = same(df, ref_zero) || same(old, ref_zero);

	if (no_src) { /* a zero product: what it is made of is not read */
		src = sf = ref_zero;
	}
	if (no_old) {
		old = df = ref_zero;
	}
	if (no_src && no_old) {
		return ref_zero;
	}
	if (no_old && (eq == BLEND_EQ_REVERSE_SUBTRACT || eq == BLEND_EQ_MIN)) {
		return ref_zero;
	}
	if (no_src && (eq == BLEND_EQ_SUBTRACT || eq == BLEND_EQ_MIN)) {
		return ref_zero;
	}
	if (no_old && same(sf, ref_full)) { /* x*255/255 */
		return src;
	}
	if (no_src && same(df, ref_full)) {
		return old;
	}
	if (same(sf, ref_full) && same(df, ref_full)) {
		switch (eq) {
		case BLEND_EQ_ADD:
			return emit2(b, FRAG_OP_ADD, dst, src, old);
		case BLEND_EQ_SUBTRACT:
			return emit2(b, FRAG_OP_SUBTRACT, dst, src, old);
		case BLEND_EQ_REVERSE_SUBTRACT:
			return emit2(b, FRAG_OP_SUBTRACT, dst, old, src);
		}
	}
	return emit(b, (enum frag_op)ops[eq], dst,
			(const struct frag_ref[FRAG_OP_INPUTS]){ src, sf, old, df });
}

static struct frag_ref build_logic(struct builder *b, struct frag_ref s, struct frag_ref d,
		unsigned dst) {
	switch (b->key->logic_op) {
	case LOGIC_OP_CLEAR:
		return ref_zero;
	case LOGIC_OP_AND:
		return emit2(b, FRAG_OP_AND, dst, s, d);
	case LOGIC_OP_AND_REVERSE:
		return emit2(b, FRAG_OP_AND_REVERSE, dst, s, d);
	case LOGIC_OP_COPY:
		return s;
	case LOGIC_OP_SET:
		return ref_full;
	case LOGIC_OP_COPY_INVERTED:
		return materialise(b, (struct operand){ s, true }, dst);
	case LOGIC_OP_NOOP:
		return d;
	case LOGIC_OP_INVERT:
		return materialise(b, (struct operand){ d, true }, dst);
	case LOGIC_OP_NAND:
		return emit2(b, FRAG_OP_NAND, dst, s, d);
	case LOGIC_OP_OR:
		return emit2(b, FRAG_OP_OR, dst, s, d);
	case LOGIC_OP_NOR:
		return emit2(b, FRAG_OP_NOR, dst, s, d);
	case LOGIC_OP_XOR:
		return emit2(b, FRAG_OP_XOR, dst, s, d);
	case LOGIC_OP_EQUIV:
		return emit2(b, FRAG_OP_EQUIV, dst, s, d);
	case LOGIC_OP_AND_INVERTED: /* ~S & D */
		return emit2(b, FRAG_OP_AND_REVERSE, dst, d, s);
	case LOGIC_OP_OR_REVERSE:
		return emit2(b, FRAG_OP_OR_REVERSE, dst, s, d);
	default: /* LOGIC_OP_OR_INVERTED: ~S | D */
		return emit2(b, FRAG_OP_OR_REVERSE, dst, d, s);
	}
}

/* The colour to store, before channel masks. */
static struct value build_output(struct builder *b, struct value s, struct value d) {
	const struct frag_key *key = b->key;
	struct value out;
	if (!key->blend) {
		out.rgb = build_logic(b, s.rgb, d.rgb, SLOT_RESULT * 4);
		out.alpha = build_logic(b, s.alpha, d.alpha, SLOT_RESULT * 4 + 3);
		return out;
	}
	struct frag_ref f[2][2]; /* source and destination factor, RGB and alpha: in merging order */
	for (unsigned half = HALF_RGB; half <= HALF_ALPHA; half++) {
		f[0][half] = build_factor(b, key->src[half], (enum half)half, s, d,
				SLOT_FACTOR * 4 + 3 * half);
	}
	for (unsigned half = HALF_RGB; half <= HALF_ALPHA; half++) {
		f[1][half] = build_factor(b, key->dst[half], (enum half)half, s, d,
				(SLOT_FACTOR + 1) * 4 + 3 * half);
	}
	out.rgb = build_blend(b, HALF_RGB, s, d, f[0][HALF_RGB], f[1][HALF_RGB]);
	out.alpha = build_blend(b, HALF_ALPHA, s, d, f[0][HALF_ALPHA], f[1][HALF_ALPHA]);
	return out;
}

/* ---- From operations to steps ---- */

static void mark(struct builder *b, struct frag_ref r, unsigned n_planes) {
	for (unsigned k = 0; k < n_planes; k++) {
		b->live[r.plane + k * r.stride] = true;
	}
}

static bool any_live(const struct builder *b, unsigned first, unsigned n) {
	for (unsigned k = 0; k < n; k++) {
		if (b->live[first + k]) {
			return true;
		}
	}
	return false;
}

/* Drops ops [first, n_ops) that nobody reads, and marks what the others read. */
static void sweep(struct builder *b, unsigned first) {
	unsigned keep = b->n_ops;
	for (unsigned i = b->n_ops; i-- > first;) {
		const struct frag_step *st = &b->op[i];
		if (!any_live(b, st->dst, st->n_planes)) {
			continue;
		}
		for (unsigned k = 0; k < frag_op_inputs((enum frag_op)st->op); k++) {
			mark(b, st->in[k], st->op == FRAG_OP_DOT3 ? 3 : st->n_planes);
		}
		b->op[--keep] = *st;
	}
	memmove(&b->op[first], &b->op[keep], (b->n_ops - keep) * sizeof(b->op[0]));
	b->n_ops = first + b->n_ops - keep;
}

/* Whether y is the alpha half of x, in planes that continue those of x. */
static bool is_alpha_half(const struct frag_step *x, const struct frag_step *y) {
	if (x->op != y->op || x->n_planes != 3 || y->n_planes != 1 || y->dst != x->dst + 3) {
		return false;
	}
	for (unsigned k = 0; k < frag_op_inputs((enum frag_op)x->op); k++) {
		if (y->in[k].plane != x->in[k].plane + 3 * x->in[k].stride) {
			return false;
		}
	}
	return true;
}

static void append(struct frag_plan *p, struct frag_step st) {
	const unsigned n = p->n_bind + p->n_steps;
	assert(n < FRAG_MAX_STEPS);
	if (st.kind == STEP_OP && n > 0 && p->n_steps != 0) {
		struct frag_step *last = &p->step[n - 1];
		if (last->kind == STEP_OP && is_alpha_half(last, &st)) {
			last->n_planes = 4;
			return;
		}
	}
	p->step[n] = st;
	p->n_steps++;
}

/* Appends ops [first, end) whose operands are all constant, or those that are not. */
static void append_ops(struct frag_plan *p, const struct builder *b, unsigned first, unsigned end,
		const bool *constant, bool want) {
	for (unsigned i = first; i < end; i++) {
		if (constant[b->op[i].dst] == want) {
			append(p, b->op[i]);
		}
	}
}

/* Marks planes whose values do not change between batches of a draw. */
static void find_constants(const struct builder *b, bool constant[FRAG_PLANES]) {
	memset(constant, 0, FRAG_PLANES);
	memset(constant, 1, SLOT_CONST_END * 4);
	for (unsigned i = 0; i < b->n_ops; i++) {
		const struct frag_step *st = &b->op[i];
		bool all = true;
		for (unsigned k = 0; k < frag_op_inputs((enum frag_op)st->op); k++) {
			const unsigned n = st->op == FRAG_OP_DOT3 ? 3 : st->n_planes;
			for (unsigned j = 0; j < n; j++) {
				all &= constant[st->in[k].plane + j * st->in[k].stride];
			}
		}
		for (unsigned j = 0; all && j < st->n_planes; j++) {
			constant[st->dst + j] = true;
		}
	}
}

/* Steps that make the inputs of the combiner: perspective, textures, primary colour. */
static void append_inputs(struct frag_plan *p, const struct builder *b) {
	static const uint8_t coord_plane[3] = { PLANE_TC0, PLANE_TC1, PLANE_TC2 };
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		if (any_live(b, (SLOT_TEXTURE + u) * 4, 4)) {
			p->info.textures |= (uint8_t)(1 << u);
			p->info.planes |= 3u << coord_plane[p->key.coord_set[u]];
		}
	}
	for (unsigned c = 0; c < 4; c++) {
		if (b->live[SLOT_PRIMARY * 4 + c]) {
			p->info.planes |= 1u << (PLANE_COLOR + c);
		}
	}
	const bool late_w = p->tests && !p->info.early && p->key.w_buffer;
	if (p->info.planes >> PLANE_COLOR || late_w) {
		append(p, (struct frag_step){ .kind = STEP_PERSPECTIVE });
	}
	for (unsigned u = 0; u < TEX_UNITS; u++) {
		if (p->info.textures >> u & 1) {
			append(p, (struct frag_step){ .kind = STEP_TEXTURE, .op = (uint8_t)u, .n_planes = 4,
					.dst = (uint8_t)((SLOT_TEXTURE + u) * 4) });
		}
	}
	/* Runs of channels. */
	for (unsigned c = 0; c < 4;) {
		unsigned n = 0;
		while (c + n < 4 && b->live[SLOT_PRIMARY * 4 + c + n]) {
			n++;
		}
		if (n) {
			append(p, (struct frag_step){ .kind = STEP_COLOR, .op = (uint8_t)c, .n_planes = (uint8_t)n,
					.dst = (uint8_t)(SLOT_PRIMARY * 4 + c) });
		}
		c += n ? n : 1;
	}
}

static uint32_t feature(enum pica_feature f) {
	return 1u << f;
}

static uint32_t find_unimplemented(const struct frag_plan *p, const struct builder *b) {
	const struct frag_key *key = &p->key;
	uint32_t bits = 0;
	if (p->info.textures & 1) {
		switch ((enum tex_type)key->texture0_type) {
		case TEX_CUBE:
			bits |= feature(PICA_FEATURE_CUBE_TEXTURE);
			break;
		case TEX_SHADOW_2D:
		case TEX_SHADOW_CUBE:
			bits |= feature(PICA_FEATURE_SHADOW_TEXTURE);
			break;
		case TEX_PROJECTION:
			bits |= feature(PICA_FEATURE_PROJECTED_TEXTURE);
			break;
		case TEX_2D:
		case TEX_DISABLED:
			break;
		}
	}
	if (any_live(b, SLOT_PROCTEX * 4, 4)) {
		bits |= feature(PICA_FEATURE_PROCEDURAL_TEXTURE);
	}
	if (any_live(b, SLOT_LIGHT * 4, 8)) {
		bits |= feature(PICA_FEATURE_LIGHTING);
	}
	if (key->fog == FRAG_FOG_ON) {
		bits |= feature(PICA_FEATURE_FOG);
	} else if (key->fog == FRAG_FOG_GAS) {
		bits |= feature(PICA_FEATURE_GAS);
	}
	return bits;
}

/* Which memory the tests touch, and when they run. False: no fragment can have any effect. */
static bool derive_info(struct frag_plan *p) {
	const struct frag_key *key = &p->key;
	struct frag_info *info = &p->info;

	info->planes = 1u << PLANE_IW;
	if (key->mode == FRAGMENT_MODE_GAS) {
		info->unimplemented = feature(PICA_FEATURE_GAS);
	} else if (key->mode == FRAGMENT_MODE_SHADOW) {
		info->unimplemented = feature(PICA_FEATURE_SHADOW_RENDERING);
	}
	if (key->mode != FRAGMENT_MODE_NORMAL || key->alpha_relation == RELATION_NEVER) {
		return false;
	}
	const bool depth = key->depth_relation != RELATION_ALWAYS || key->depth_write;
	p->tests = key->depth_format != DEPTH_INVALID && (depth || key->stencil);
	if (!key->color_write && !(p->tests && (key->depth_write || key->stencil_write))) {
		return false;
	}
	if (p->tests) {
		p->test = key->stencil ? FRAG_TEST_STENCIL : key->depth_format == DEPTH_D16 ? FRAG_TEST_D16 :
				key->depth_format == DEPTH_D24 ? FRAG_TEST_D24 : FRAG_TEST_D24S8;
		info->reads_depth = key->depth_relation != RELATION_ALWAYS || key->stencil;
		info->writes_depth = key->depth_write || key->stencil_write;
		if (depth) {
			info->planes |= 1u << PLANE_Z;
		}
	}
	info->early = key->alpha_relation == RELATION_ALWAYS;
	return true;
}

void frag_plan_build(struct frag_plan *p) {
	const struct frag_key *key = &p->key;
	struct builder b = { .key = key };
	bool constant[FRAG_PLANES];
	struct frag_step store = { .kind = STEP_STORE };

	memset(&p->info, 0, sizeof(p->info));
	p->tests = false;
	p->test = 0;
	p->n_fills = p->n_bind = p->n_steps = 0;
	if (!derive_info(p)) {
		p->info.nothing = true;
		p->info.early = true;
		return;
	}

	const struct value combined = build_combiner(&b);
	b.n_combiner = b.n_ops;

	/* Gas shading is not drawn yet: black and transparent. [REC, spec/frag-combiner.md 6] */
	const struct value s = key->fog == FRAG_FOG_GAS ? zero_value() : combined;
	const struct value target = slot_value(SLOT_TARGET);
	struct value d = key->color_read ? target : zero_value();
	unsigned stored = 15;
	if (key->color_format == COLOR_RGB8 || key->color_format == COLOR_RGB565) {
		stored = 7;
		if (key->color_read) {
			d.alpha = ref_full; /* [spec/frag-output.md 7] */
		}
	}
	const struct value out = key->color_write ? build_output(&b, s, d) : target;
	unsigned written = 0;
	for (unsigned c = 0; c < 4; c++) {
		const struct frag_ref old = channel(target, c);
		const struct frag_ref new = channel(out, c);
		store.in[c] = old;
		if (key->color_write >> c & 1 && !same(new, old)) {
			written |= 1u << c;
			store.in[c] = new;
		} else if (!(stored >> c & 1)) {
			store.in[c] = ref_full; /* the format drops it */
		}
	}
	if (written) {
		p->info.writes_color = true;
		for (unsigned c = 0; c < 4; c++) {
			mark(&b, store.in[c], 1);
		}
	}
	sweep(&b, b.n_combiner);
	if (key->alpha_relation != RELATION_ALWAYS) {
		mark(&b, combined.alpha, 1);
	}
	const unsigned n_blend = b.n_ops - b.n_combiner;
	/* The blender's ops keep their place behind those of the combiner that stay. */
	struct frag_step blend[FRAG_MAX_OPS];
	memcpy(blend, &b.op[b.n_combiner], n_blend * sizeof(blend[0]));
	b.n_ops = b.n_combiner;
	sweep(&b, 0);
	b.n_combiner = b.n_ops;
	memcpy(&b.op[b.n_ops], blend, n_blend * sizeof(blend[0]));
	b.n_ops += n_blend;

	if (!written && !p->info.writes_depth) {
		p->info.nothing = true;
		p->info.early = true;
		p->tests = false;
		p->info.reads_depth = false;
		return;
	}

	const bool reads_target = any_live(&b, SLOT_TARGET * 4, 4);
	p->info.opaque = written && !reads_target;

	find_constants(&b, constant);
	append_ops(p, &b, 0, b.n_ops, constant, true);
	p->n_bind = p->n_steps;
	p->n_steps = 0;
	for (unsigned i = 0; i < SLOT_CONST_END * 4; i++) {
		if (b.live[i]) {
			p->fill[p->n_fills++] = (uint8_t)i;
		}
	}

	append_inputs(p, &b);
	append_ops(p, &b, 0, b.n_combiner, constant, false);
	if (key->alpha_relation != RELATION_ALWAYS) {
		append(p, (struct frag_step){ .kind = STEP_ALPHA, .in = { combined.alpha } });
	}
	if (p->tests && !p->info.early) {
		append(p, (struct frag_step){ .kind = STEP_TEST });
	}
	if (written) {
		if (reads_target) {
			append(p, (struct frag_step){ .kind = STEP_LOAD, .n_planes = 4, .dst = SLOT_TARGET * 4 });
		}
		append_ops(p, &b, b.n_combiner, b.n_ops, constant, false);
		append(p, store);
	}
	p->info.unimplemented |= find_unimplemented(p, &b);
}
