#include "dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/reads.h"
#include "fields.h"
#include "pica_inspect.h"

enum {
	REGISTERS = 16,
	PIECE = 1024, /* vertices at a time */
};

void dump_immediate_add(struct dump_immediate *im, const uint32_t (*attributes)[4], unsigned n) {
	void *words = array_room(im->words, im->n, &im->cap, sizeof(*im->words));
	if (!words) {
		im->error = -ENOMEM;
		return;
	}
	im->words = words;
	memset(im->words[im->n], 0, sizeof(im->words[0]));
	memcpy(im->words[im->n++], attributes, n * sizeof(*attributes));
}

void dump_immediate_finish(struct dump_immediate *im) {
	free(im->words);
	*im = (struct dump_immediate){ 0 };
}

/* The shown parts of a vertex. */
struct columns {
	uint16_t inputs, outputs; /* bit i: v<i>, o<i> */
	uint32_t semantics;       /* bit i: PICA_SEMANTIC_* i comes from the program */
	unsigned position;        /* input register of attribute 0 */
	bool has_semantics;
};

static unsigned permuted(const uint32_t *regs, unsigned attribute) {
	const uint32_t word = regs[attribute < 8 ? PICA_REG_VSH_ATTRIBUTES_PERMUTATION_LOW :
			PICA_REG_VSH_ATTRIBUTES_PERMUTATION_HIGH];
	return word >> 4 * (attribute & 7) & 15;
}

unsigned dump_position_input(const uint32_t *regs) {
	return permuted(regs, 0);
}

static void find_columns(struct columns *c, const uint32_t *regs) {
	const unsigned n_in =
			get_SH_INPUTBUFFER_CONFIG_COUNT_M1(regs[PICA_REG_VSH_INPUTBUFFER_CONFIG]) +
			1;
	*c = (struct columns){
		.outputs = (uint16_t)get_SH_OUTMAP_MASK_MASK(regs[PICA_REG_VSH_OUTMAP_MASK]),
		.position = permuted(regs, 0),
		.has_semantics = !facts_has_geometry(regs),
	};
	for (unsigned k = 0; k < n_in; k++) {
		c->inputs |= (uint16_t)(1u << permuted(regs, k));
	}
	if (c->has_semantics) {
		c->semantics = facts_mapped_outputs(regs);
	}
}

/* ---- CSV ---- */
static void csv_head(FILE *f, const struct columns *c, const char *first) {
	fputs(first, f);
	for (unsigned i = 0; i < REGISTERS; i++) {
		if (c->inputs >> i & 1) {
			fprintf(f, ",v%u.x,v%u.y,v%u.z,v%u.w", i, i, i, i);
		}
	}
	for (unsigned i = 0; i < REGISTERS; i++) {
		if (c->outputs >> i & 1) {
			fprintf(f, ",o%u.x,o%u.y,o%u.z,o%u.w", i, i, i, i);
		}
	}
	for (unsigned i = 0; i < PICA_VERTEX_SEMANTICS; i++) {
		if (c->semantics >> i & 1) {
			fprintf(f, ",%s", field_text("SEMANTIC", i));
		}
	}
	fputs(c->has_semantics ? ",window.x,window.row,window.z\n" : "\n", f);
}

static void csv_registers(FILE *f, uint16_t mask, const float r[REGISTERS][4]) {
	for (unsigned i = 0; i < REGISTERS; i++) {
		for (unsigned k = 0; (mask >> i & 1) && k < 4; k++) {
			fprintf(f, ",%.9g", (double)r[i][k]);
		}
	}
}

static void csv_vertex(FILE *f, const struct columns *c, uint32_t at, uint32_t number,
		const struct pica_vertex *v) {
	fprintf(f, "%" PRIu32 ",%" PRIu32, at, number);
	csv_registers(f, c->inputs, v->input);
	csv_registers(f, c->outputs, v->output);
	for (unsigned i = 0; i < PICA_VERTEX_SEMANTICS; i++) {
		if (c->semantics >> i & 1) {
			fprintf(f, ",%.9g", (double)v->semantic[i]);
		}
	}
	if (c->has_semantics && v->is_projected) {
		fprintf(f, ",%.9g,%.9g,%.9g\n", (double)v->window[0], (double)v->window[1],
				(double)v->window[2]);
	} else {
		fputs(c->has_semantics ? ",,,\n" : "\n", f);
	}
}

/* ---- OBJ ---- */

static void obj_input(FILE *f, const struct columns *c, const struct pica_vertex *v) {
	const float *p = v->input[c->position];
	fprintf(f, "v %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
}

/*
 * Position after the division, with colour and the first texture coordinates if they are drawn.
 */
static void obj_output(FILE *f, const struct columns *c, const struct pica_vertex *v) {
	const float *s = v->semantic;
	const float w = s[PICA_SEMANTIC_POSITION_W], iw = v->is_projected ? 1 / w : 0;
	fprintf(f, "v %.9g %.9g %.9g", (double)(s[0] * iw), (double)(s[1] * iw),
			(double)(s[2] * iw));
	if (c->semantics >> PICA_SEMANTIC_COLOR_R & 1) {
		fprintf(f, " %.9g %.9g %.9g", (double)s[PICA_SEMANTIC_COLOR_R],
				(double)s[PICA_SEMANTIC_COLOR_G], (double)s[PICA_SEMANTIC_COLOR_B]);
	}
	fputc('\n', f);
	if (c->semantics >> PICA_SEMANTIC_TEXCOORD0_U & 1) {
		fprintf(f, "vt %.9g %.9g\n", (double)s[PICA_SEMANTIC_TEXCOORD0_U],
				(double)s[PICA_SEMANTIC_TEXCOORD0_V]);
	}
}

/* Triangle of stream positions (from 1, as OBJ counts). */
static void obj_face(FILE *f, bool has_tc, uint32_t a, uint32_t b, uint32_t c) {
	if (has_tc) {
		fprintf(f,
				"f %" PRIu32 "/%" PRIu32 " %" PRIu32 "/%" PRIu32 " %" PRIu32
				"/%" PRIu32 "\n",
				a, a, b, b, c, c);
	} else {
		fprintf(f, "f %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", a, b, c);
	}
}

/* [fidelity: assembly]; with a geometry shader, its own triangles. */
static void obj_faces(FILE *f, const uint32_t *regs, bool has_tc, uint32_t n) {
	switch (get_PRIMITIVE_CONFIG_MODE(regs[PICA_REG_PRIMITIVE_CONFIG])) {
	case PICA_PRIMITIVE_STRIP:
		for (uint32_t i = 0; i + 2 < n; i++) {
			obj_face(f, has_tc, i + 1 + (i & 1), i + 2 - (i & 1), i + 3);
		}
		break;
	case PICA_PRIMITIVE_FAN:
		for (uint32_t i = 0; i + 2 < n; i++) {
			obj_face(f, has_tc, 1, i + 2, i + 3);
		}
		break;
	default:
		for (uint32_t i = 0; i + 2 < n; i += 3) {
			obj_face(f, has_tc, i + 1, i + 2, i + 3);
		}
		break;
	}
}

/* ---- Streams ---- */

struct stream {
	const struct snapshot *s;
	const struct dump_immediate *im;
	uint8_t *index; /* owned: bytes of the index buffer, or NULL */
	bool is_u16;
	uint32_t n, first;
};

static uint32_t number_at(const struct stream *st, uint32_t at) {
	return st->index ? reads_index(st->index, st->is_u16, at) : st->first + at;
}

static int open_stream(struct stream *st, struct pica_ctx *ctx) {
	const uint32_t *regs = st->s->state.regs;
	if (st->s->draw.kind == DRAW_IMMEDIATE) {
		st->n = st->im->n;
		return st->im->error;
	}
	st->n = regs[PICA_REG_NUMVERTICES];
	if (st->s->draw.kind == DRAW_ARRAYS) {
		st->first = regs[PICA_REG_VERTEX_OFFSET];
		return 0;
	}
	const uint32_t config = regs[PICA_REG_INDEXBUFFER_CONFIG];
	const uint32_t addr =
			(get_ATTRIBBUFFERS_LOC_ADDR16(regs[PICA_REG_ATTRIBBUFFERS_LOC]) << 4) +
			get_INDEXBUFFER_CONFIG_OFFSET(config);
	st->is_u16 = get_INDEXBUFFER_CONFIG_IS_U16(config);
	const uint64_t bytes = (uint64_t)st->n << st->is_u16;
	if (bytes > UINT32_MAX || (bytes && !pica_ctx_host(ctx, addr, (uint32_t)bytes))) {
		return -ERANGE;
	}
	st->index = malloc(bytes + 1);
	return st->index ? pica_ctx_read_memory(ctx, addr, st->index, (uint32_t)bytes) : -ENOMEM;
}

/* The attributes of a vertex in a list. */
static void immediate_vertex(const struct dump_immediate *im, uint32_t at, float out[16][4]) {
	for (unsigned k = 0; k < 16 * 4; k++) {
		out[k / 4][k % 4] = (float)pica_f24_value(im->words[at][k / 4][k % 4]);
	}
}

static int shade(const struct stream *st, struct pica_ctx *ctx, uint32_t at, uint32_t n,
		struct pica_vertex *out) {
	static float attributes[PIECE][16][4];
	uint32_t number[PIECE];
	if (st->s->draw.kind != DRAW_IMMEDIATE) {
		for (uint32_t i = 0; i < n; i++) {
			number[i] = number_at(st, at + i);
		}
		return pica_ctx_shade(ctx, number, NULL, n, out);
	}
	for (uint32_t i = 0; i < n; i++) {
		immediate_vertex(st->im, at + i, attributes[i]);
	}
	return pica_ctx_shade(ctx, NULL, (const float (*)[16][4])attributes, n, out);
}

int dump_vertices(struct pica_ctx *ctx, const struct snapshot *s, const struct dump_immediate *im,
		uint32_t most, FILE *const files[DUMP_VERTEX_FILES]) {
	struct stream st = { .s = s, .im = im };
	struct columns c;
	struct pica_vertex *v = malloc(PIECE * sizeof(*v));
	find_columns(&c, s->state.regs);
	int ret = v ? open_stream(&st, ctx) : -ENOMEM;
	st.n = st.n < most ? st.n : most;
	if (ret == 0 && files[DUMP_CSV]) {
		csv_head(files[DUMP_CSV], &c, "position,number");
	}
	for (uint32_t at = 0; ret == 0 && at < st.n; at += PIECE) {
		const uint32_t n = st.n - at < PIECE ? st.n - at : PIECE;
		ret = shade(&st, ctx, at, n, v);
		for (uint32_t i = 0; ret == 0 && i < n; i++) {
			if (files[DUMP_CSV]) {
				csv_vertex(files[DUMP_CSV], &c, at + i, number_at(&st, at + i),
						&v[i]);
			}
			if (files[DUMP_INPUT_OBJ]) {
				obj_input(files[DUMP_INPUT_OBJ], &c, &v[i]);
			}
			if (files[DUMP_OUTPUT_OBJ] && c.has_semantics) {
				obj_output(files[DUMP_OUTPUT_OBJ], &c, &v[i]);
			}
		}
	}
	if (ret == 0 && c.has_semantics && files[DUMP_INPUT_OBJ]) {
		obj_faces(files[DUMP_INPUT_OBJ], s->state.regs, false, st.n);
	}
	if (ret == 0 && c.has_semantics && files[DUMP_OUTPUT_OBJ]) {
		obj_faces(files[DUMP_OUTPUT_OBJ], s->state.regs,
				c.semantics >> PICA_SEMANTIC_TEXCOORD0_U & 1, st.n);
	}
	free(st.index);
	free(v);
	return ret;
}

int64_t dump_trace(struct pica_ctx *ctx, const struct snapshot *s, const struct dump_immediate *im,
		uint32_t at, struct pica_shader_step *steps, uint64_t n, struct pica_vertex *out) {
	struct stream st = { .s = s, .im = im };
	int64_t ret = open_stream(&st, ctx);
	if (ret == 0 && at >= st.n) {
		ret = -EINVAL;
	} else if (ret == 0 && s->draw.kind == DRAW_IMMEDIATE) {
		float attributes[16][4];
		immediate_vertex(im, at, attributes);
		ret = pica_ctx_trace_vertex(
				ctx, NULL, (const float (*)[4])attributes, steps, n, out);
	} else if (ret == 0) {
		const uint32_t number = number_at(&st, at);
		ret = pica_ctx_trace_vertex(ctx, &number, NULL, steps, n, out);
	}
	free(st.index);
	return ret;
}

int dump_geometry(struct pica_ctx *ctx, const struct snapshot *s, uint32_t most,
		FILE *const files[DUMP_GEOMETRY_FILES]) {
	const struct columns c = { .semantics = facts_mapped_outputs(s->state.regs),
		.has_semantics = true };
	const int64_t kept = pica_ctx_kept_geometry(ctx), total = kept < most ? kept : most;
	struct pica_vertex *v = malloc(PIECE * sizeof(*v));
	FILE *csv = files[DUMP_GEOMETRY_CSV], *obj = files[DUMP_GEOMETRY_OBJ];
	int ret = !v ? -ENOMEM : total < 0 ? (int)total : 0;
	if (ret == 0 && csv) {
		csv_head(csv, &c, "position,triangle");
	}
	for (uint32_t at = 0; ret == 0 && at < total; at += PIECE) {
		const uint32_t left = (uint32_t)total - at, n = left < PIECE ? left : PIECE;
		ret = pica_ctx_read_geometry(ctx, at, n, v);
		for (uint32_t i = 0; ret == 0 && i < n; i++) {
			if (csv) {
				csv_vertex(csv, &c, at + i, (at + i) / 3, &v[i]);
			}
			if (obj) {
				obj_output(obj, &c, &v[i]);
			}
		}
	}
	for (uint32_t i = 0; ret == 0 && obj && i + 2 < total; i += 3) {
		obj_face(obj, c.semantics >> PICA_SEMANTIC_TEXCOORD0_U & 1, i + 1, i + 2, i + 3);
	}
	free(v);
	return ret;
}
