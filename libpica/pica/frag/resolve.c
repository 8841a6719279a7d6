/*
 * Resolves combiner, blender and logic unit of a key by names, to operations on planes. The essay
 * is at the top of build.c.
 */
#include "pica/frag/build.h"

#include <assert.h>
#include <string.h>

#include "pica/regs/regs.h"

static const struct frag_ref ref_zero = { FRAG_PLANE_ZERO, 0 };
static const struct frag_ref ref_full = { FRAG_PLANE_FULL, 0 };

/*
 * Appends dst = op(in) for as many planes as the operands have, or finds an existing equal step.
 * Returns the location of the result.
 */
static struct frag_ref emit(struct frag_builder *b, enum frag_op op, unsigned dst,
		const struct frag_ref in[FRAG_OP_INPUTS]) {
	struct frag_step st = { .kind = STEP_OP, .op = (uint8_t)op, .dst = (uint8_t)dst };
	st.n_planes = 1;
	st.n_in = (uint8_t)frag_op_inputs(op);
	for (unsigned k = 0; k < st.n_in; k++) {
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

static struct frag_ref emit2(struct frag_builder *b, enum frag_op op, unsigned dst,
		struct frag_ref x, struct frag_ref y) {
	return emit(b, op, dst, (const struct frag_ref[FRAG_OP_INPUTS]){ x, y });
}

/* The operand as planes; a complement goes to dst. */
static struct frag_ref materialise(struct frag_builder *b, struct frag_operand o, unsigned dst) {
	if (!o.inverted) {
		return o.ref;
	}
	if (frag_ref_same(o.ref, ref_zero)) {
		return ref_full;
	}
	if (frag_ref_same(o.ref, ref_full)) {
		return ref_zero;
	}
	return emit2(b, FRAG_OP_COMPLEMENT, dst, o.ref, (struct frag_ref){ 0, 0 });
}

/* ---- Combiner [fidelity: combiner, combiner-ops] ---- */

/* The values of earlier stages that a stage can read. */
struct latch {
	struct frag_value previous, buffer, next_buffer;
};

/* The lit colours: an alpha that does not vary is 1. */
static struct frag_value light_value(const struct frag_key *key, unsigned secondary) {
	struct frag_value v = frag_slot_value(SLOT_LIGHT + secondary);
	if (!(key->light.alpha & (secondary ? LIGHT_SECONDARY_ALPHA : LIGHT_PRIMARY_ALPHA))) {
		v.alpha = ref_full;
	}
	return key->light.on ? v : frag_zero_value();
}

static struct frag_value source_value(const struct frag_key *key, unsigned s, unsigned source,
		const struct latch *l) {
	switch (source) {
	case TEV_SOURCE_PRIMARY:
		return frag_slot_value(SLOT_PRIMARY);
	case TEV_SOURCE_FRAGMENT_PRIMARY:
	case TEV_SOURCE_FRAGMENT_SECONDARY:
		return light_value(key, source == TEV_SOURCE_FRAGMENT_SECONDARY);
	case TEV_SOURCE_TEXTURE0:
	case TEV_SOURCE_TEXTURE1:
	case TEV_SOURCE_TEXTURE2:
		return key->textures >> (source - TEV_SOURCE_TEXTURE0) & 1 ?
				frag_slot_value(SLOT_TEXTURE + source - TEV_SOURCE_TEXTURE0) :
				frag_zero_value();
	case TEV_SOURCE_TEXTURE3:
		return key->proctex ? frag_slot_value(SLOT_PROCTEX) : frag_zero_value();
	case TEV_SOURCE_PREVIOUS_BUFFER:
		return l->buffer;
	case TEV_SOURCE_CONSTANT:
		return frag_slot_value(SLOT_CONST + s);
	case TEV_SOURCE_PREVIOUS:
		return l->previous;
	default: /* 7 to 12 [REC, fidelity: combiner] */
		return frag_zero_value();
	}
}

/*
 * Slot k of a stage: in stage 0, "previous" in slots 0 and 1 stands for the source of slot 2, and
 * is 0 there. [DOC from console tests, fidelity: combiner-buffer; for alpha REC]
 */
static struct frag_value slot_source(const struct frag_key *key, unsigned s,
		const uint8_t source[3], unsigned k, const struct latch *l) {
	unsigned from = source[k];
	if (s == 0 && from == TEV_SOURCE_PREVIOUS) {
		from = source[2];
	}
	return source_value(key, s, from, l);
}

static struct frag_operand rgb_operand(struct frag_value v, unsigned code) {
	switch (code) {
	case TEV_OPERAND_RGB_COLOR:
	case TEV_OPERAND_RGB_ONE_MINUS_COLOR:
		return (struct frag_operand){ v.rgb, code & 1 };
	case TEV_OPERAND_RGB_ALPHA:
	case TEV_OPERAND_RGB_ONE_MINUS_ALPHA:
		return (struct frag_operand){ v.alpha, code & 1 };
	case TEV_OPERAND_RGB_RED:
	case TEV_OPERAND_RGB_ONE_MINUS_RED:
		return (struct frag_operand){ frag_channel(v, 0), code & 1 };
	case TEV_OPERAND_RGB_GREEN:
	case TEV_OPERAND_RGB_ONE_MINUS_GREEN:
		return (struct frag_operand){ frag_channel(v, 1), code & 1 };
	case TEV_OPERAND_RGB_BLUE:
	case TEV_OPERAND_RGB_ONE_MINUS_BLUE:
		return (struct frag_operand){ frag_channel(v, 2), code & 1 };
	default: /* 6, 7, 10, 11, 14, 15 [1, fidelity: combiner] */
		return (struct frag_operand){ ref_zero, false };
	}
}

static struct frag_operand alpha_operand(struct frag_value v, unsigned code) {
	static const uint8_t channels[4] = {
		[TEV_OPERAND_ALPHA_ALPHA / 2] = 3,
		[TEV_OPERAND_ALPHA_RED / 2] = 0,
		[TEV_OPERAND_ALPHA_GREEN / 2] = 1,
		[TEV_OPERAND_ALPHA_BLUE / 2] = 2,
	};
	return (struct frag_operand){ frag_channel(v, channels[code / 2 & 3]), code & 1 };
}

/* The kinds of operations. */
enum { HOW_ZERO, HOW_COPY, HOW_OP };
static const struct how {
	uint8_t how, op, n_in;
} hows[16] = { /* 10 to 15: 0 [1, fidelity: combiner-ops] */
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
static void turn_lerp(const struct how *h, struct frag_operand in[3]) {
	if (h->op == FRAG_OP_LERP && in[2].inverted) {
		const struct frag_operand a = in[0];
		in[0] = in[1];
		in[1] = a;
		in[2].inverted = false;
	}
}

static struct frag_ref operate(struct frag_builder *b, const struct how *h, unsigned dst,
		const struct frag_ref in[FRAG_OP_INPUTS]) {
	return h->how == HOW_ZERO ? ref_zero : h->how == HOW_COPY ? in[0] :
			emit(b, (enum frag_op)h->op, dst, in);
}

/* Scale 3 is x1. [REC, fidelity: combiner-ops] */
static struct frag_ref rescale(struct frag_builder *b, struct frag_ref x, unsigned scale,
		unsigned dst) {
	if (scale != TEV_SCALE_X2 && scale != TEV_SCALE_X4) {
		return x;
	}
	if (frag_ref_same(x, ref_zero) || frag_ref_same(x, ref_full)) {
		return x;
	}
	return emit2(b, scale == TEV_SCALE_X2 ? FRAG_OP_SCALE2 : FRAG_OP_SCALE4, dst, x,
			(struct frag_ref){ 0, 0 });
}

static struct frag_value build_stage(struct frag_builder *b, unsigned s, const struct latch *l) {
	static const struct how zero = { HOW_ZERO, 0, 0 };
	const struct frag_stage *st = &b->key->stage[s];
	const struct how *h_rgb = &hows[st->rgb_op & 15], *h_alpha = &hows[st->alpha_op & 15];
	struct frag_operand rgb[3], alpha[3];
	struct frag_ref in_rgb[FRAG_OP_INPUTS] = { { 0, 0 } },
			in_alpha[FRAG_OP_INPUTS] = { { 0, 0 } };

	/* dot3 needs three channels: no operation of the alpha half. [1, fidelity: combiner-ops] */
	if (h_alpha->op == FRAG_OP_DOT3) {
		h_alpha = &zero;
	}
	for (unsigned k = 0; k < 3; k++) {
		rgb[k] = rgb_operand(
				slot_source(b->key, s, st->rgb_source, k, l), st->rgb_operand[k]);
		alpha[k] = alpha_operand(slot_source(b->key, s, st->alpha_source, k, l),
				st->alpha_operand[k]);
	}
	memcpy(b->stage[s].rgb, rgb, sizeof(rgb));
	memcpy(b->stage[s].alpha, alpha, sizeof(alpha));
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
	struct frag_value out;
	out.rgb = operate(b, h_rgb, (SLOT_OUT + s) * 4, in_rgb);
	if (st->rgb_op == TEV_OP_DOT3_RGBA) {
		out.alpha = out.rgb; /* [HW, fidelity: combiner-ops] */
	} else {
		out.alpha = operate(b, h_alpha, (SLOT_OUT + s) * 4 + 3, in_alpha);
	}
	out.rgb = rescale(b, out.rgb, st->rgb_scale, (SLOT_SCALED + s) * 4);
	out.alpha = rescale(b, out.alpha, st->alpha_scale, (SLOT_SCALED + s) * 4 + 3);
	b->stage[s].out = out;
	return out;
}

/* The buffer lags by one stage. [HW, fidelity: combiner-buffer] */
struct frag_value frag_resolve_combiner(struct frag_builder *b) {
	struct latch l = { frag_zero_value(), frag_zero_value(), frag_slot_value(SLOT_BUFFER) };
	for (unsigned s = 0; s < FRAG_STAGES; s++) {
		const struct frag_value out = build_stage(b, s, &l);
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

/* ---- Blender and logic unit [fidelity: blending] ---- */

enum half { HALF_RGB, HALF_ALPHA };

static struct frag_ref half_of(struct frag_value v, enum half half) {
	return half == HALF_RGB ? v.rgb : v.alpha;
}

static struct frag_ref build_factor(struct frag_builder *b, unsigned code, enum half half,
		struct frag_value s, struct frag_value d, unsigned dst) {
	const struct frag_value k = frag_slot_value(SLOT_BLEND);
	struct frag_operand o = { ref_zero, code & 1 };
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
		if (frag_ref_same(d.alpha, ref_zero)) {
			return s.alpha;
		}
		if (frag_ref_same(d.alpha, ref_full)) {
			return ref_zero;
		}
		return emit2(b, FRAG_OP_SATURATE, dst, s.alpha, d.alpha);
	default: /* 15: the source itself [guess; 1 Citra, fidelity: blending] */
		return half_of(s, half);
	}
	return materialise(b, o, dst);
}

/* Returns the location of the result of one half, which may be the destination itself. */
static struct frag_ref build_blend(struct frag_builder *b, enum half half, struct frag_value s,
		struct frag_value d, struct frag_ref sf, struct frag_ref df) {
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
	const bool no_src = frag_ref_same(sf, ref_zero) || frag_ref_same(src, ref_zero);
	const bool no_old = frag_ref_same(df, ref_zero) || frag_ref_same(old, ref_zero);

	if (no_src) { /* a zero product: its operands are not read */
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
	if (no_old && frag_ref_same(sf, ref_full)) { /* x*255/255 */
		return src;
	}
	if (no_src && frag_ref_same(df, ref_full)) {
		return old;
	}
	if (frag_ref_same(sf, ref_full) && frag_ref_same(df, ref_full)) {
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

static struct frag_ref build_logic(struct frag_builder *b, struct frag_ref s, struct frag_ref d,
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
		return materialise(b, (struct frag_operand){ s, true }, dst);
	case LOGIC_OP_NOOP:
		return d;
	case LOGIC_OP_INVERT:
		return materialise(b, (struct frag_operand){ d, true }, dst);
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
struct frag_value frag_resolve_output(struct frag_builder *b, struct frag_value s,
		struct frag_value d) {
	const struct frag_key *key = b->key;
	struct frag_value out;
	if (!key->blend) {
		out.rgb = build_logic(b, s.rgb, d.rgb, SLOT_RESULT * 4);
		out.alpha = build_logic(b, s.alpha, d.alpha, SLOT_RESULT * 4 + 3);
		return out;
	}
	/* source and destination factor, RGB and alpha: in merging order */
	struct frag_ref f[2][2];
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
