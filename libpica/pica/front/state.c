/*
 * A context's whole state as words, and back (struct pica_state). Words come from files: all are
 * taken.
 */
#include <string.h>

#include "core/base/f24.h"
#include "pica/front/ctx.h"

enum { MAX_LOOP = 1 << 20 }; /* |aL| stays far below: at most 255 + 256 * 255 a loop */

static uint32_t at_most(uint32_t x, uint32_t max) {
	return x < max ? x : max;
}

static void floats_save(uint32_t *to, const float *from, size_t n) {
	memcpy(to, from, n * sizeof(*to));
}

static void floats_load(float *to, const uint32_t *from, size_t n) {
	memcpy(to, from, n * sizeof(*to));
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

static void upload_load(struct shader_unit *unit, const struct pica_upload_state *s) {
	unit->code_index = s->code_index & 0xFFF;
	unit->descriptor_index = s->descriptor_index & 0xFFF;
	unit->uniform_index = s->uniform_index & 0xFF;
	unit->n_fifo = at_most(s->n_words, ARRAY_LEN(unit->fifo) - 1);
	memcpy(unit->fifo, s->words, sizeof(unit->fifo));
}

static void upload_save(const struct shader_unit *unit, struct pica_upload_state *s) {
	s->code_index = unit->code_index;
	s->descriptor_index = unit->descriptor_index;
	s->uniform_index = unit->uniform_index;
	s->n_words = unit->n_fifo;
	/* Words behind are of former vectors: nobody reads them. */
	memset(s->words, 0, sizeof(s->words));
	memcpy(s->words, unit->fifo, unit->n_fifo * sizeof(s->words[0]));
}

static void attribute_port_load(struct pica_ctx *ctx, const struct pica_attribute_port *s) {
	ctx->attr_index = at_most(s->index, 15);
	ctx->n_attr_fifo = at_most(s->n_words, ARRAY_LEN(ctx->attr_fifo) - 1);
	memcpy(ctx->attr_fifo, s->words, sizeof(ctx->attr_fifo));
	ctx->immediate.attribute = at_most(s->attribute, 15);
	floats_load(&ctx->immediate.current[0][0], &s->vertex[0][0], 16 * 4);
}

static void attribute_port_save(const struct pica_ctx *ctx, struct pica_attribute_port *s) {
	s->index = ctx->attr_index;
	s->n_words = ctx->n_attr_fifo;
	memset(s->words, 0, sizeof(s->words));
	memcpy(s->words, ctx->attr_fifo, ctx->n_attr_fifo * sizeof(s->words[0]));
	s->attribute = ctx->immediate.attribute;
	floats_save(&s->vertex[0][0], &ctx->immediate.current[0][0], 16 * 4);
}

/* ---- Geometry unit and assembler ---- */

static void geometry_load(struct geometry *g, const struct pica_geometry_state *s) {
	struct shader_gs *u = &g->unit;
	floats_load(&u->v[0][0], &s->v[0][0], 16 * 4);
	floats_load(&u->r[0][0], &s->r[0][0], 16 * 4);
	floats_load(&u->o[0][0][0], &s->o[0][0][0], 2 * 16 * 4);
	u->bank = s->bank & 1;
	for (unsigned i = 0; i < 2; i++) {
		u->a[i] = (int32_t)s->a[i];
		u->cmp[i] = s->cmp[i] != 0;
	}
	int32_t al = (int32_t)s->al;
	u->al = al > -MAX_LOOP && al < MAX_LOOP ? al : 0;
	u->emit_id = (uint8_t)at_most(s->emit_id, 3);
	u->emit_prim = s->emit_prim != 0;
	u->emit_invert = s->emit_invert != 0;

	floats_load(&g->gathered[0][0], &s->gathered[0][0], 16 * 4);
	g->n_gathered = at_most(s->n_gathered, 15);
	g->remaining = s->remaining;
	g->main_left = s->main_left;
	g->cursor = s->cursor;
	g->n_vertices = s->n_vertices;
	floats_load(&g->emitted[0][0][0], &s->emitted[0][0][0], 3 * 16 * 4);
}

static void geometry_save(const struct geometry *g, struct pica_geometry_state *s) {
	const struct shader_gs *u = &g->unit;
	floats_save(&s->v[0][0], &u->v[0][0], 16 * 4);
	floats_save(&s->r[0][0], &u->r[0][0], 16 * 4);
	floats_save(&s->o[0][0][0], &u->o[0][0][0], 2 * 16 * 4);
	s->bank = u->bank;
	for (unsigned i = 0; i < 2; i++) {
		s->a[i] = (uint32_t)u->a[i];
		s->cmp[i] = u->cmp[i];
	}
	s->al = (uint32_t)u->al;
	s->emit_id = u->emit_id;
	s->emit_prim = u->emit_prim;
	s->emit_invert = u->emit_invert;

	floats_save(&s->gathered[0][0], &g->gathered[0][0], 16 * 4);
	s->n_gathered = g->n_gathered;
	s->remaining = g->remaining;
	s->main_left = g->main_left;
	s->cursor = g->cursor;
	s->n_vertices = g->n_vertices;
	floats_save(&s->emitted[0][0][0], &g->emitted[0][0][0], 3 * 16 * 4);
}

static void assembler_load(struct pica_ctx *ctx, const struct pica_assembler_state *s) {
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

/*
 * No slot is lazy: an idle context has shaded what it holds. What nobody will read is saved as 0.
 */
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

void state_load(struct pica_ctx *ctx, const struct pica_state *state) {
	status_settle(ctx); /* what was drawn before does not count any more */
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
	ctx->light_written = UINT32_MAX; /* as far as one can tell */
	geometry_load(&ctx->geometry, &state->geometry);
	assembler_load(ctx, &state->assembler);
	ctx->immediate.n = 0;
	ports_reload(ctx);
	if (state->flags & PICA_STATE_PORTS) {
		upload_load(&ctx->vs, &state->vs_upload);
		upload_load(&ctx->gs, &state->gs_upload);
		attribute_port_load(ctx, &state->attribute_port);
	} else {
		ctx->immediate.attribute = 0;
	}
	parts_forget(ctx);
	ctx->parts.layout_valid = false;
}

void state_save(struct pica_ctx *ctx, struct pica_state *state) {
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
	upload_save(&ctx->vs, &state->vs_upload);
	upload_save(&ctx->gs, &state->gs_upload);
	attribute_port_save(ctx, &state->attribute_port);
	geometry_save(&ctx->geometry, &state->geometry);
	assembler_save(&ctx->assembler, &state->assembler);
}
