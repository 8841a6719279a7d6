/* From values to operations on rows, and bindings. */
#include "vc4/run/wide_build.h"

#include <stdlib.h>
#include <string.h>

#include "vc4/run/alu.h"

/* ---- Used values ---- */

/* Returns the number of the first operation that writes the tile buffer, or of all values. */
static unsigned first_store(const struct wide_builder *b) {
	unsigned i = 0;
	while (i < b->n && !(b->v[i].is_live && wide_is_store(b->v[i].code))) {
		i++;
	}
	return i;
}

static void mark(struct wide_builder *b) {
	for (unsigned i = 0; i < b->n; i++) {
		b->v[i].is_live = wide_is_store(b->v[i].code);
		b->v[i].uses = 0;
		b->v[i].last = (uint16_t)i;
	}
	for (uint64_t rows = b->written; rows; rows &= rows - 1) {
		struct wide_value *v = &b->v[b->out[ctz64(rows)]];
		v->is_live = true;
		v->uses++;
		v->last = NO_VALUE;
	}
	for (unsigned i = b->n; i-- > 0;) {
		const struct wide_value *v = &b->v[i];
		for (unsigned k = 0; v->is_live && k < wide_operands[v->code]; k++) {
			struct wide_value *in = &b->v[v->in[k]];
			in->is_live = true;
			in->uses++;
			in->last = in->last < i ? (uint16_t)i : in->last;
		}
	}
}

/* A look-up may fail although nothing uses its result: then only the interpreter sees it. */
static void fail_unused_look_ups(struct wide_builder *b) {
	for (unsigned i = 0; i < b->n; i++) {
		const struct wide_value *v = &b->v[i];
		b->fails |= !v->is_live && (v->code == WIDE_TEXTURE || v->code == WIDE_WORD);
	}
}

/* Whether x is made like that, for one value alone. */
static bool is_only(const struct wide_builder *b, uint16_t x, unsigned code) {
	return b->v[x].code == code && b->v[x].uses == 1;
}

static bool is_seen_plane(const struct wide_builder *b, uint16_t x, unsigned code) {
	return is_only(b, x, code) && b->v[x].imm;
}

/* A sum with a product, and a whole varying. */
static void join_product(struct wide_builder *b, struct wide_value *v) {
	for (unsigned k = 0; k < 2; k++) {
		const uint16_t product = v->in[k], other = v->in[1 - k];
		if (!is_only(b, product, WIDE_FMUL)) {
			continue;
		}
		const struct wide_value *m = &b->v[product];
		for (unsigned side = 0; side < 2; side++) {
			const uint16_t plane = m->in[side], w = m->in[1 - side];
			if (is_seen_plane(b, plane, WIDE_PLANE) && b->v[w].code == WIDE_W &&
					b->v[other].code == WIDE_PLANE_CONSTANT &&
					b->v[other].imm && b->v[other].value == b->v[plane].value) {
				v->code = WIDE_VARYING;
				v->value = b->v[plane].value;
				v->in[0] = w;
				return;
			}
		}
		v->code = WIDE_MULTIPLY_ADD;
		v->in[0] = m->in[0];
		v->in[1] = m->in[1];
		v->in[2] = other;
		return;
	}
}

/* Four bytes of a word, one after the other. */
static void join_colors(struct wide_builder *b, struct wide_value *v) {
	uint16_t byte[4] = { NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE };
	struct wide_value *at = v;
	for (unsigned n = 0; n < 4; n++) {
		if (at->code != WIDE_PACK_COLOR || at->imm == 0xFF || byte[at->imm] != NO_VALUE ||
				(n && at->uses != 1)) {
			return;
		}
		byte[at->imm] = at->in[0];
		at = &b->v[at->in[1]];
	}
	at = v;
	for (unsigned n = 0; n < 3; n++) {
		at = &b->v[at->in[1]];
		at->is_live = false;
	}
	v->code = WIDE_PACK_COLORS;
	memcpy(v->in, byte, sizeof(v->in));
}

/* A word that arithmetic sees. Not past a store: a look-up must fail before it. */
static void join_seen(struct wide_builder *b, struct wide_value *v) {
	if (is_only(b, v->in[0], WIDE_WORD) && v < b->v + first_store(b)) {
		struct wide_value *word = &b->v[v->in[0]];
		v->code = WIDE_WORD;
		v->imm = 1;
		v->in[0] = word->in[0];
		word->code = WIDE_CONSTANT;
	}
}

static bool is_for_all(const struct wide_builder *b, uint16_t x) {
	return b->v[x].code == WIDE_UNIFORM || b->v[x].code == WIDE_CONSTANT;
}

/* An element of an array of uniforms, as Mesa's driver reads it. */
static void join_element(struct wide_builder *b, struct wide_value *v) {
	if (!is_only(b, v->in[0], WIDE_ADD)) {
		return;
	}
	const struct wide_value *sum = &b->v[v->in[0]];
	const unsigned k = is_only(b, sum->in[0], WIDE_MIN) ? 0 : 1;
	const uint16_t least = sum->in[k], base = sum->in[1 - k];
	if (!is_only(b, least, WIDE_MIN) || !is_for_all(b, base)) {
		return;
	}
	const uint16_t *in = b->v[least].in;
	const unsigned limit = is_for_all(b, in[1]) ? 1 : 0;
	if (is_for_all(b, in[limit])) {
		v->code = WIDE_ELEMENT;
		v->in[0] = in[1 - limit];
		v->in[1] = in[limit];
		v->in[2] = base;
	}
}

static void join(struct wide_builder *b) {
	for (unsigned i = b->n; i-- > 0;) {
		struct wide_value *v = &b->v[i];
		if (v->is_live && v->code == WIDE_FADD) {
			join_product(b, v);
		} else if (v->is_live && v->code == WIDE_PACK_COLOR) {
			join_colors(b, v);
		} else if (v->is_live && v->code == WIDE_SEE) {
			join_seen(b, v);
		}
		if (v->is_live && v->code == WIDE_WORD) {
			join_element(b, v);
		}
	}
}

/*
 * Groups of four elements with one index, before any store: their words are mostly those of a
 * vector, and then loaded together.
 */
static void find_groups(struct wide_builder *b) {
	const unsigned end = first_store(b);
	for (unsigned i = 0; i < end; i++) {
		uint16_t member[WIDE_GROUP] = { (uint16_t)i };
		unsigned n = 0;
		for (unsigned j = i; j < end && n < WIDE_GROUP; j++) {
			const struct wide_value *v = &b->v[j];
			if (v->is_live && v->code == WIDE_ELEMENT && !v->value &&
					v->in[0] == b->v[i].in[0]) {
				member[n++] = (uint16_t)j;
			}
		}
		for (unsigned k = 0; n == WIDE_GROUP && member[0] == i && k < n; k++) {
			struct wide_value *v = &b->v[member[k]];
			v->value = k ? WIDE_MEMBER : WIDE_LEADER;
			v->next = k + 1 < n ? member[k + 1] : NO_VALUE;
		}
	}
}

static void find_uniform(struct wide_builder *b) {
	for (unsigned i = 0; i < b->n; i++) {
		struct wide_value *v = &b->v[i];
		v->is_uniform = v->code == WIDE_CONSTANT || v->code == WIDE_UNIFORM ||
				(wide_operands[v->code] && v->code < WIDE_TEXTURE &&
						v->code != WIDE_VARYING);
		for (unsigned k = 0; k < wide_operands[v->code]; k++) {
			v->is_uniform &= b->v[v->in[k]].is_uniform;
		}
	}
}

/* ---- Zeros ---- */

/* Whether -0 and +0 as operand k make no difference. */
static bool takes_any_zero(const struct wide_value *v, unsigned k) {
	switch (v->code) {
	case WIDE_FADD:
	case WIDE_FSUB:
	case WIDE_FMUL:
	case WIDE_MULTIPLY_ADD:
	case WIDE_FMINABS:
	case WIDE_FMAXABS:
	case WIDE_FTOI:
	case WIDE_PACK_COLORS:
		return true;
	case WIDE_PACK_COLOR:
		return k == 0;
	case WIDE_TEXTURE:
		return k < 2;
	case WIDE_FMIN:
	case WIDE_FMAX:
		return !v->is_sensitive;
	case WIDE_SELECT:
		return k > 0 && !v->is_sensitive;
	default:
		return false;
	}
}

/*
 * Tiny operands are noticed only before the first store. Exact sums may be tiny without notice, so
 * operations after it take flushed ones.
 */
static void find_sensitive(struct wide_builder *b) {
	const unsigned store = first_store(b);
	for (uint64_t rows = b->written; rows; rows &= rows - 1) {
		b->v[b->out[ctz64(rows)]].is_sensitive = true;
	}
	for (unsigned i = b->n; i-- > 0;) {
		const struct wide_value *v = &b->v[i];
		for (unsigned k = 0; v->is_live && k < wide_operands[v->code]; k++) {
			b->v[v->in[k]].is_sensitive |= i > store || !takes_any_zero(v, k);
		}
	}
}

static uint8_t plain_code(const struct wide_value *v) {
	if (v->is_sensitive) {
		return v->code;
	}
	switch (v->code) {
	case WIDE_FADD:
		return WIDE_PLAIN_FADD;
	case WIDE_FSUB:
		return WIDE_PLAIN_FSUB;
	case WIDE_FMUL:
		return WIDE_PLAIN_FMUL;
	case WIDE_MULTIPLY_ADD:
		return WIDE_PLAIN_MULTIPLY_ADD;
	default:
		return v->code;
	}
}

/* ---- Rows ---- */

struct rows {
	bool taken[WIDE_ROWS];
};

static uint8_t take(struct wide_builder *b, struct rows *r) {
	for (unsigned i = 0; i < WIDE_ROWS; i++) {
		if (!r->taken[i]) {
			r->taken[i] = true;
			return (uint8_t)i;
		}
	}
	wide_fail(b);
	return 0;
}

static bool is_filled(unsigned code) {
	return code < WIDE_FIRST;
}

static void release(struct wide_builder *b, struct rows *r, unsigned i) {
	const struct wide_value *v = &b->v[i];
	for (unsigned k = 0; k < wide_operands[v->code]; k++) {
		const struct wide_value *in = &b->v[v->in[k]];
		if (in->last == i && !is_filled(in->code) && !in->is_uniform) {
			r->taken[in->row] = false;
		}
	}
}

static bool is_leader(const struct wide_value *v) {
	return v->code == WIDE_ELEMENT && v->value == WIDE_LEADER;
}

static bool is_member(const struct wide_value *v) {
	return v->code == WIDE_ELEMENT && v->value == WIDE_MEMBER;
}

/* Returns how many rows are filled, and operations; sets rows: those of a group together. */
static void give_rows(struct wide_builder *b, unsigned *n_fills, unsigned *n_ops) {
	struct rows r = { .taken = { false } };
	*n_fills = *n_ops = 0;
	for (unsigned i = 0; i < b->n_vpm_in && i < WIDE_ROWS; i++) {
		r.taken[i] = true;
	}
	for (unsigned i = 0; i < b->n; i++) {
		struct wide_value *v = &b->v[i];
		if (v->is_live && is_filled(v->code)) {
			v->row = v->code == WIDE_VPM ? (uint8_t)v->value : take(b, &r);
			*n_fills += v->code != WIDE_VPM;
		}
	}
	for (unsigned i = 0; i < b->n; i++) {
		struct wide_value *v = &b->v[i];
		if (v->is_live && v->is_uniform && !is_filled(v->code)) {
			v->row = take(b, &r);
			++*n_ops;
		}
	}
	for (unsigned i = 0; i < b->n; i++) {
		struct wide_value *v = &b->v[i];
		if (!v->is_live || is_filled(v->code) || v->is_uniform) {
			continue;
		}
		++*n_ops;
		const bool in_place = v->code < WIDE_TEXTURE && !v->is_uniform;
		if (in_place) {
			release(b, &r, i);
		}
		if (!is_member(v)) {
			v->row = wide_is_store(v->code) ? 0 : take(b, &r);
		}
		for (const struct wide_value *m = v; is_leader(v) && m->next != NO_VALUE;) {
			b->v[m->next].row = take(b, &r);
			m = &b->v[m->next];
		}
		if (!in_place) {
			release(b, &r, i);
		}
	}
}

static void emit_fills(const struct wide_builder *b, struct qpu_wide *w) {
	unsigned n = 0;
	for (unsigned i = 0; i < b->n; i++) {
		const struct wide_value *v = &b->v[i];
		if (v->is_live && is_filled(v->code) && v->code != WIDE_VPM) {
			w->fill[n++] = (struct wide_fill){ v->row, v->code == WIDE_UNIFORM, v->imm,
				v->value };
		}
	}
}

static struct wide_op op_of(const struct wide_builder *b, const struct wide_value *v) {
	struct wide_op op = {
		.code = v->code,
		.plain = plain_code(v),
		.imm = v->imm,
		.to = v->row,
		.value = (uint8_t)v->value
	};
	for (unsigned k = 0; k < wide_operands[v->code]; k++) {
		op.in[k] = b->v[v->in[k]].row;
	}
	return op;
}

/* Returns the number of operations after the first n ones and these. */
static unsigned emit(
		const struct wide_builder *b, struct qpu_wide *w, unsigned n, bool is_uniform) {
	for (unsigned i = 0; i < b->n; i++) {
		const struct wide_value *v = &b->v[i];
		if (!v->is_live || is_filled(v->code) || v->is_uniform != is_uniform ||
				is_member(v)) {
			continue;
		}
		w->op[n++] = op_of(b, v);
		for (; is_leader(&b->v[i]) && v->next != NO_VALUE; n++) {
			v = &b->v[v->next];
			w->op[n] = op_of(b, v);
		}
	}
	return n;
}

static struct qpu_wide *finish(struct wide_builder *b) {
	unsigned n_fills, n_ops;
	mark(b);
	join(b);
	mark(b);
	fail_unused_look_ups(b);
	find_groups(b);
	find_uniform(b);
	find_sensitive(b);
	give_rows(b, &n_fills, &n_ops);
	if (b->fails || b->varying > 255) {
		return NULL;
	}
	struct qpu_wide *w = malloc(sizeof(*w) + n_ops * sizeof(w->op[0]) +
			n_fills * sizeof(w->fill[0]) + sizeof(void *));
	if (!w) {
		return NULL;
	}
	*w = (struct qpu_wide){ .n_steps = b->n_steps,
		.n_uniforms = b->uniform,
		.n_varyings = b->varying,
		.n_vpm_in = b->n_vpm_in,
		.written = b->written,
		.n_textures = b->n_textures,
		.n_fills = n_fills,
		.n_ops = n_ops };
	const uintptr_t end = (uintptr_t)(w->op + n_ops) + (sizeof(void *) - 1);
	w->fill = (struct wide_fill *)(end & ~(uintptr_t)(sizeof(void *) - 1));
	memcpy(w->texture, b->texture, sizeof(w->texture));
	for (uint64_t rows = b->written; rows; rows &= rows - 1) {
		w->out[ctz64(rows)] = b->v[b->out[ctz64(rows)]].row;
	}
	emit_fills(b, w);
	w->n_first = emit(b, w, 0, true);
	emit(b, w, w->n_first, false);
	w->n_pure = w->n_first;
	while (w->n_pure < n_ops && !wide_is_store(w->op[w->n_pure].code)) {
		w->n_pure++;
	}
	return w;
}

struct qpu_wide *qpu_wide_create(const struct qpu_program *p) {
	struct wide_builder *b = calloc(1, sizeof(*b));
	if (!b) {
		return NULL;
	}
	wide_build(b, p);
	struct qpu_wide *w = b->fails ? NULL : finish(b);
	free(b);
	return w;
}

/* ---- Bindings ---- */

bool qpu_wide_bind(void *scratch, const struct qpu_program *program, const struct space *space,
		uint32_t uniforms, unsigned n_varyings, unsigned n_in) {
	const struct qpu_wide *w = program->wide;
	struct wide_scratch *s = scratch;
	if (!w || n_varyings < w->n_varyings || n_in < w->n_vpm_in) {
		return false;
	}
	const uint32_t address = uniforms & QPU_ADDRESS_MASK & ~3u;
	const uint8_t *host = NULL;
	if (w->n_uniforms) {
		host = address + 4 * w->n_uniforms > QPU_ADDRESS_MASK ?
				NULL :
				space_host(space, address, 4 * w->n_uniforms);
		if (!host) {
			return false;
		}
	}
	for (unsigned i = 0; i < w->n_fills; i++) {
		const struct wide_fill *f = &w->fill[i];
		uint32_t word = f->value, *row = s->row[f->row];
		if (f->is_uniform) {
			memcpy(&word, host + 4 * (size_t)f->value, sizeof(word));
			word = f->is_seen ? f32_bits(alu_float(word)) : word;
		}
		for (unsigned k = 0; k < QPU_WIDE_LANES; k++) {
			row[k] = word;
		}
	}
	for (unsigned i = 0; i < w->n_textures; i++) {
		for (unsigned k = 0; k < w->texture[i].n_words; k++) {
			memcpy(&s->word[i][k], host + 4 * (size_t)w->texture[i].uniform[k], 4);
		}
		s->has_one_image[i] = vc4_tex_one_image(
				&s->image[i], space, w->texture[i].n_words, s->word[i]);
	}
	s->is_begun = false;
	return true;
}

unsigned qpu_wide_steps(const struct qpu_program *program) {
	return program->wide->n_steps;
}

uint32_t *qpu_wide_in(void *scratch, const struct qpu_program *program, unsigned r) {
	return r < program->wide->n_vpm_in ? ((struct wide_scratch *)scratch)->row[r] : NULL;
}

const uint32_t *qpu_wide_out(const void *scratch, const struct qpu_program *program, unsigned r) {
	const struct qpu_wide *w = program->wide;
	return w->written >> r & 1 ? ((const struct wide_scratch *)scratch)->row[w->out[r]] : NULL;
}
