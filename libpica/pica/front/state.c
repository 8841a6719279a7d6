/*
 * A context's whole state as words, and back (struct pica_state). Words come from files: any value
 * is accepted.
 */
#include <string.h>

#include "core/base/f24.h"
#include "pica/front/ctx.h"

enum { MAX_LOOP = 1 << 20 }; /* |aL| stays far below: at most 255 + 256 * 255 per loop */

static uint32_t at_most(uint32_t x, uint32_t max) {
	return x < max ? x : max;
}

/* Most fields go both ways in one function; LOAD only reads the state. */
enum way { LOAD, SAVE };

/* Floats, too. */
static void words(enum way way, void *ours, uint32_t *state, size_t n) {
	if (way == LOAD) {
		memcpy(ours, state, n * sizeof(*state));
	} else {
		memcpy(state, ours, n * sizeof(*state));
	}
}

/* Returns our new value. */
static uint32_t number(enum way way, uint32_t ours, uint32_t *state, uint32_t max) {
	if (way == SAVE) {
		*state = ours;
	}
	return at_most(*state, max);
}

static bool flag(enum way way, bool ours, uint32_t *state) {
	return number(way, ours, state, UINT32_MAX) != 0;
}

/* ---- Shader units ---- */

static void unit_load(struct shader_unit *unit, const struct pica_shader_state *s) {
	memcpy(unit->code, s->code, sizeof(unit->code));
	memcpy(unit->descriptors, s->operand_descriptors, sizeof(unit->descriptors));
	for (unsigned i = 0; i < SHADER_UNIFORMS; i++) {
		for (unsigned k = 0; k < 4; k++) {
			float exact = f32_from_bits(s->uniforms_f32[i][k]);
			bool counts = f32_to_f24(exact) == (s->uniforms[i][k] & 0xFFFFFF);
			unit->u.c[i][k] = counts ? exact : f24_to_f32(s->uniforms[i][k]);
		}
	}
	unit->uniforms_dirty = true;
}

static void unit_save(const struct shader_unit *unit, struct pica_shader_state *s) {
	memcpy(s->code, unit->code, sizeof(s->code));
	memcpy(s->operand_descriptors, unit->descriptors, sizeof(s->operand_descriptors));
	for (unsigned i = 0; i < SHADER_UNIFORMS; i++) {
		for (unsigned k = 0; k < 4; k++) {
			s->uniforms[i][k] = f32_to_f24(unit->u.c[i][k]);
			s->uniforms_f32[i][k] = f32_bits(unit->u.c[i][k]);
		}
	}
}

/* ---- Ports ---- */

/* Words of an unfinished vector: those after n_words are saved as 0. */
static void upload(enum way way, struct shader_unit *unit, struct pica_upload_state *s) {
	unit->code_index = number(way, unit->code_index, &s->code_index, UINT32_MAX) & 0xFFF;
	unit->descriptor_index = number(way, unit->descriptor_index, &s->descriptor_index,
						 UINT32_MAX) & 0xFFF;
	unit->uniform_index =
			number(way, unit->uniform_index, &s->uniform_index, UINT32_MAX) & 0xFF;
	unit->n_fifo = number(way, unit->n_fifo, &s->n_words, ARRAY_LEN(unit->fifo) - 1);
	words(way, unit->fifo, s->words, unit->n_fifo);
}

static void attribute_port(enum way way, struct pica200 *ctx, struct pica_attribute_port *s) {
	struct immediate *im = &ctx->immediate;
	ctx->attr_index = number(way, ctx->attr_index, &s->index, 15);
	ctx->n_attr_fifo =
			number(way, ctx->n_attr_fifo, &s->n_words, ARRAY_LEN(ctx->attr_fifo) - 1);
	words(way, ctx->attr_fifo, s->words, ctx->n_attr_fifo);
	im->attribute = number(way, im->attribute, &s->attribute, 15);
	words(way, im->current, &s->vertex[0][0], 16 * 4);
}

/* ---- Geometry unit and assembler ---- */

static void geometry(enum way way, struct geometry *g, struct pica_geometry_state *s) {
	struct shader_gs *u = &g->unit;
	words(way, u->v, &s->v[0][0], 16 * 4);
	words(way, u->r, &s->r[0][0], 16 * 4);
	words(way, u->o, &s->o[0][0][0], 2 * 16 * 4);
	u->bank = number(way, u->bank, &s->bank, UINT32_MAX) & 1;
	for (unsigned i = 0; i < 2; i++) {
		u->a[i] = (int32_t)number(way, (uint32_t)u->a[i], &s->a[i], UINT32_MAX);
		u->cmp[i] = flag(way, u->cmp[i], &s->cmp[i]);
	}
	const int32_t al = (int32_t)number(way, (uint32_t)u->al, &s->al, UINT32_MAX);
	u->al = al > -MAX_LOOP && al < MAX_LOOP ? al : 0;
	u->emit_id = (uint8_t)number(way, u->emit_id, &s->emit_id, 3);
	u->emit_prim = flag(way, u->emit_prim, &s->emit_prim);
	u->emit_invert = flag(way, u->emit_invert, &s->emit_invert);

	words(way, g->gathered, &s->gathered[0][0], 16 * 4);
	g->n_gathered = number(way, g->n_gathered, &s->n_gathered, 15);
	g->remaining = number(way, g->remaining, &s->remaining, UINT32_MAX);
	g->main_left = number(way, g->main_left, &s->main_left, UINT32_MAX);
	g->cursor = number(way, g->cursor, &s->cursor, UINT32_MAX);
	g->n_vertices = number(way, g->n_vertices, &s->n_vertices, UINT32_MAX);
	words(way, g->emitted, &s->emitted[0][0][0], 3 * 16 * 4);
}

static void assembler_load(struct pica200 *ctx, const struct pica_assembler_state *s) {
	struct assembler *a = &ctx->assembler;
	unsigned t = PRIMITIVE_CONFIG_MODE(ctx->regs.w[REG_PRIMITIVE_CONFIG]);
	assembler_reset(ctx);
	/* Strips and fans have two slots, lists can hold both. */
	a->n = at_most(s->n, t == PRIMITIVE_LIST || t == PRIMITIVE_GEOMETRY ? 2 : 1);
	a->ready = s->is_ready != 0;
	a->invert = s->is_invert != 0;
	clip_vertex_load(&a->slot[0], s->slot[0]);
	clip_vertex_load(&a->slot[1], s->slot[1]);
}

/* No slot is lazy in an idle context. Slots that are never read are saved as 0. */
static void assembler_save(const struct assembler *a, struct pica_assembler_state *s) {
	s->n = a->n;
	s->is_ready = a->ready;
	s->is_invert = a->invert;
	for (unsigned i = 0; i < 2; i++) {
		if (a->ready || i < a->n) {
			clip_vertex_save(&a->slot[i], s->slot[i]);
		}
	}
}

/* ---- All of it ---- */

_Static_assert(sizeof(struct frag_luts) == sizeof(struct pica_tables), "tables are copied as one");
_Static_assert(ARRAY_LEN(((struct pica_assembler_state *)0)->slot[0]) == OUT_SEMANTICS,
		"a word each");

void state_load(struct pica200 *ctx, const struct pica_state *state) {
	struct pica_state *loaded = (struct pica_state *)(uintptr_t)state; /* only read */
	status_settle(ctx); /* earlier draws no longer count */
	memcpy(ctx->regs.w, state->regs, sizeof(ctx->regs.w));
	memcpy(ctx->external, state->external, sizeof(ctx->external));
	memcpy(ctx->lcd, state->lcd, sizeof(ctx->lcd));
	for (unsigned i = 0; i < 16; i++) {
		for (unsigned k = 0; k < 4; k++) {
			ctx->fixed_raw[i][k] = state->fixed_attributes[i][k] & 0xFFFFFF;
			ctx->fixed[i][k] = f24_to_f32(state->fixed_attributes[i][k]);
		}
	}
	ctx->fixed_unwritten = state->flags / PICA_STATE_UNWRITTEN_ATTRIBUTE;
	unit_load(&ctx->vs, &state->vs);
	unit_load(&ctx->gs, &state->gs);
	memcpy(&ctx->luts, &state->tables, sizeof(ctx->luts));
	ctx->light_written = UINT32_MAX; /* a guess: the state does not say */
	geometry(LOAD, &ctx->geometry, &loaded->geometry);
	assembler_load(ctx, &state->assembler);
	ctx->immediate.n = 0;
	ctx->immediate.goes_on = false;
	ports_reload(ctx);
	if (state->flags & PICA_STATE_PORTS) {
		upload(LOAD, &ctx->vs, &loaded->vs_upload);
		upload(LOAD, &ctx->gs, &loaded->gs_upload);
		attribute_port(LOAD, ctx, &loaded->attribute_port);
	} else {
		ctx->immediate.attribute = 0;
	}
	parts_forget(ctx);
	ctx->parts.layout_valid = false;
}

void state_save(struct pica200 *ctx, struct pica_state *state) {
	status_settle(ctx);
	memset(state, 0, sizeof(*state));
	memcpy(state->regs, ctx->regs.w, sizeof(state->regs));
	memcpy(state->external, ctx->external, sizeof(state->external));
	memcpy(state->lcd, ctx->lcd, sizeof(state->lcd));
	memcpy(state->fixed_attributes, ctx->fixed_raw, sizeof(state->fixed_attributes));
	unit_save(&ctx->vs, &state->vs);
	unit_save(&ctx->gs, &state->gs);
	memcpy(&state->tables, &ctx->luts, sizeof(state->tables));
	state->flags = PICA_STATE_PORTS | ctx->fixed_unwritten * PICA_STATE_UNWRITTEN_ATTRIBUTE;
	upload(SAVE, &ctx->vs, &state->vs_upload);
	upload(SAVE, &ctx->gs, &state->gs_upload);
	attribute_port(SAVE, ctx, &state->attribute_port);
	geometry(SAVE, &ctx->geometry, &state->geometry);
	assembler_save(&ctx->assembler, &state->assembler);
}
