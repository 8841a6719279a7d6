/* Draw triggers: the register file becomes a frozen state and a struct draw in the open pass. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pica/front/ctx.h"
#include "pica/front/passes.h"

enum {
	IMMEDIATE_MAX = 1536,       /* vertices that wait at most */
	STEPS_A_WORD = 16,          /* what decoding a program costs, in executed instructions */
	PROGRAM_BYTES = 20 << 10,   /* about the time of a vertex program */
	/* longer draws are drawn in pieces: whole triangles, even for strips */
	PIECE_VERTICES = 3 << 16,
	/* and smaller pieces if a unit's limit is below that */
	SMALL_LIMIT = 128 << 20, SMALL_PIECE = 3 << 9,
	DRAW_TICKS = 4096,          /* of front_tick(), beside one for each vertex */
	KEEP_INDICES = 1 << 20,     /* a larger buffer is freed after its draw */
};

static const char *const feature_names[PICA_FEATURE_COUNT] = {
	[PICA_FEATURE_GAS] = "gas",
};

PICA_EXPORT const char *pica_feature_name(enum pica_feature feature) {
	return (unsigned)feature < PICA_FEATURE_COUNT ? feature_names[feature] : "?";
}

/* Counts the features of a draw that are guesses, and names each once. */
static void report_guesses(struct pica200 *ctx, uint32_t features) {
	for (unsigned f = 0; f < PICA_FEATURE_COUNT; f++) {
		if (!(features >> f & 1)) {
			continue;
		}
		ctx->base.stats.guessed[f]++;
		if (!(ctx->reported >> f & 1)) {
			ctx->reported |= 1u << f;
			log_write(&ctx->base.device->engine.log, ctx->base.settings.owner,
					PICA_LOG_WARNING, "drawn by a guess: %s (job %llu)",
					feature_names[f], (unsigned long long)ctx->base.run.seq);
		}
	}
}

void parts_forget(struct pica200 *ctx) {
	struct parts *p = &ctx->parts;
	p->dirty = PART_ALL;
	p->vertex = NULL;
	p->uniforms = NULL;
	p->geom = NULL;
	p->frag = NULL;
	memset(&p->tables, 0, sizeof(p->tables));
	p->touched_color = p->touched_depth = false;
}

/* ---- Parts ---- */

static const struct fetch_layout *current_layout(struct pica200 *ctx) {
	struct parts *p = &ctx->parts;
	if (!p->layout_valid) {
		fetch_layout_from_regs(&p->layout, ctx->regs.w, (const float (*)[4])ctx->fixed,
				ctx->fixed_unwritten, &ctx->base.space);
		p->layout_valid = true;
	}
	return &p->layout;
}

uint64_t front_step_budget(const struct pica200 *ctx) {
	/* One more than the remaining steps: an invocation that takes it exceeds the budget. */
	uint64_t each = ctx->base.settings.budgets.shader_steps, left = ctx->run.steps_left;
	return each <= left ? each : left + 1;
}

bool shader_unit_prepare(struct pica200 *ctx, struct shader_unit *unit, unsigned n_words) {
	/*
	 * Charges uploads of the job itself, even of unchanged words, so that costs do not depend
	 * on earlier jobs; one program of an earlier job is decoded free of charge.
	 */
	bool *uploads = &ctx->run.uploads_program[unit == &ctx->gs];
	if (*uploads &&
			!ctx_charge(&ctx->base, &ctx->run.steps_left,
					(uint64_t)n_words * STEPS_A_WORD,
					PICA_BUDGET_SHADER_STEPS)) {
		return false;
	}
	*uploads = false;
	if (unit->prog) {
		return true;
	}
	unit->prog = prog_create(unit->code, n_words, unit->descriptors, &ctx->base.exec.memory);
	if (!unit->prog) {
		ctx->base.run.result = -ENOMEM;
		return false;
	}
	return true;
}

void vertex_part_from_regs(struct pica200 *ctx, struct vertex_part *part, const struct prog *prog,
		const struct shader_uniforms *uniforms) {
	const uint32_t *w = ctx->regs.w;
	const uint32_t outputs = SH_OUTMAP_MASK_MASK(w[REG_VSH_OUTMAP_MASK]);
	part->layout = *current_layout(ctx);
	out_map_from_regs(&part->map, w, outputs);
	part->prog = prog;
	part->uniforms = uniforms;
	part->entry = SH_ENTRYPOINT_PC(w[REG_VSH_ENTRYPOINT]);
	part->unread_outputs = (uint16_t)~outputs;
	part->step_budget = ctx->base.settings.budgets.shader_steps;
	part->float_mode = ctx->base.settings.float_mode;
}

bool vertex_part_make(struct pica200 *ctx, struct vertex_part *part,
		const struct shader_uniforms *uniforms) {
	if (!shader_unit_prepare(ctx, &ctx->vs, SHADER_VS_WORDS)) {
		return false;
	}
	vertex_part_from_regs(ctx, part, ctx->vs.prog, uniforms);
	return true;
}

static void put_prog(void *prog) {
	prog_put(prog);
}

static bool make_vertex(struct pica200 *ctx) {
	struct parts *p = &ctx->parts;
	struct shader_unit *vs = &ctx->vs;
	if (!p->uniforms || vs->uniforms_dirty) {
		p->uniforms = front_pass_copy(ctx, &vs->u, sizeof(vs->u));
		if (!p->uniforms) {
			return false;
		}
		vs->uniforms_dirty = false;
	}
	struct vertex_part *v = front_pass_alloc(ctx, sizeof(*v));
	const bool is_new = !vs->prog;
	p->vertex = NULL;
	if (!v || !vertex_part_make(ctx, v, p->uniforms)) {
		return false;
	}
	int ret = exec_hold(&ctx->base.exec, put_prog, prog_get(vs->prog));
	if (ret < 0) {
		ctx->base.run.result = ret;
		return false;
	}
	exec_add_held(&ctx->base.exec, is_new ? PROGRAM_BYTES : 0);
	p->vertex = v;
	return true;
}

static bool make_geom(struct pica200 *ctx) {
	struct geom_state *g = front_pass_alloc(ctx, sizeof(*g));
	if (g) {
		geom_state_from_regs(g, ctx->regs.w);
		ctx->parts.geom = g;
	}
	return g != NULL;
}

static void report_target(struct pica200 *ctx, const struct target *t) {
	const struct frag_info *i = &ctx->parts.info;
	ctx_access(&ctx->base, color_range(t),
			!i->writes_color ? ACCESS_KEPT :
			i->opaque        ? ACCESS_WRITTEN :
					   ACCESS_BLENDED);
	ctx_access(&ctx->base, depth_range(t),
			!i->writes_depth ? (i->reads_depth ? ACCESS_TESTED : ACCESS_KEPT) :
			i->reads_depth   ? ACCESS_BLENDED :
					   ACCESS_WRITTEN);
}

/* Notes that the open pass writes the range; touched: it has already been noted. */
static void add_write(struct pica200 *ctx, struct range r, bool *touched) {
	if (!*touched) {
		space_touch(&ctx->base.space, r, ctx->base.frame + 1);
	}
	footprint_add(&ctx->base.exec.open->writes, r);
	*touched = true;
}

/* Adds the memory that draws with the current fragment part read and write. */
static void add_frag_footprint(struct pica200 *ctx) {
	struct unit *u = ctx->base.exec.open;
	struct parts *p = &ctx->parts;
	for (unsigned i = 0; i < p->n_tex; i++) {
		footprint_add(&u->tile_reads, p->tex[i]);
		footprint_add(&u->sampled, p->tex[i]);
	}
	footprint_add(&u->tile_reads, color_range(&u->target));
	footprint_add(&u->tile_reads, depth_range(&u->target));
	if (u->work.is_counted) { /* the counters belong to one pass at a time */
		footprint_add(&u->writes, color_range(&u->target));
	}
	if (p->info.writes_color) {
		add_write(ctx, color_range(&u->target), &p->touched_color);
	}
	if (p->info.writes_depth) {
		add_write(ctx, depth_range(&u->target), &p->touched_depth);
	}
	p->is_noted = true;
}

/* Memory that the vertices of a draw read. */
struct reads {
	struct range r[16];
	unsigned n;
};

static void add_footprint(struct pica200 *ctx, const struct reads *reads) {
	struct unit *u = ctx->base.exec.open;
	ctx->gas_pending |= ctx->parts.info.adds_gas;
	if (!ctx->parts.is_noted) {
		add_frag_footprint(ctx);
	}
	report_target(ctx, &u->target);
	for (unsigned i = 0; i < reads->n; i++) {
		footprint_add(&u->vertex_reads, reads->r[i]);
	}
}

/* Derives the stale parts. Returns whether the open pass can take the draw, whose vertices read
 * *reads. */
static bool prepare(struct pica200 *ctx, const struct stream *s, struct reads *reads,
		bool *own_target) {
	struct parts *p = &ctx->parts;
	const uint32_t frag_parts =
			PART_FRAG | PART_TEXTURE | PART_TARGET | PART_LIGHT | PART_RASTER;
	*own_target = false;
	for (unsigned i = 0; ctx->base.observer && p->frag && i < p->n_tex; i++) {
		if (ctx_access(&ctx->base, p->tex[i], ACCESS_TEXTURE)) {
			p->dirty |= PART_TEXTURE;
		}
	}
	const bool is_fetched = s && !s->inline_attributes && s->n;
	reads->n = is_fetched ?
			fetch_ranges(current_layout(ctx), s->min, s->max, reads->r) : 0;
	passes_before_draw(ctx, reads->r, reads->n);
	if ((!ctx->base.exec.open || (p->dirty & frag_parts) || !p->frag) &&
			!frag_part_make(ctx, own_target)) {
		return false;
	}
	if ((!p->geom || (p->dirty & (PART_RASTER | PART_TARGET))) && !make_geom(ctx)) {
		return false;
	}
	if ((!p->vertex || (p->dirty & (PART_VERTEX | PART_RASTER)) || ctx->vs.uniforms_dirty ||
			    !ctx->vs.prog) && !make_vertex(ctx)) {
		return false;
	}
	p->dirty = 0;
	return true;
}

/* ---- Draws ---- */

/* After a draw of a stream. */
static void make_room(struct pica200 *ctx, const struct stream *s) {
	if (ctx->base.exec.open) { /* else it would be exempt, with no unit whose end ends that */
		exec_make_room(&ctx->base.exec);
	}
	ctx_tick(&ctx->base, DRAW_TICKS + (uint64_t)s->n);
}

static struct draw_state current_state(const struct pica200 *ctx) {
	const struct parts *p = &ctx->parts;
	return (struct draw_state){ .vertex_stage = &pica_vertex_stage,
		.frag_stage = &pica_frag_stage,
		.vertex = p->vertex,
		.frag = p->frag,
		.geom = p->geom,
		.raster = p->raster,
		.planes = p->info.planes };
}

/* Adds a draw that lies in the arena of the open pass, with all it points to. */
static bool join_pass(struct pica200 *ctx, const struct draw *d, const struct reads *reads,
		bool is_emitted) {
	if (!exec_has_room(&ctx->base.exec, d->n)) {
		ctx_used_up(&ctx->base, PICA_BUDGET_MEMORY);
		return false;
	}
	add_footprint(ctx, reads);
	int ret = exec_add_draw(&ctx->base.exec, d);
	if (ret < 0) {
		ctx->base.run.result = ret;
	}
	if (ctx->history) {
		history_drawn(ctx->history, d, is_emitted);
	}
	return true;
}

/*
 * Adds a draw to the open pass, which gets a copy of all it points to. is_emitted: by a geometry
 * shader. False: out of memory.
 */
static bool add_draw(struct pica200 *ctx, struct draw *d, const struct reads *reads,
		bool is_emitted) {
	d->state = current_state(ctx);
	struct draw *c = front_pass_copy(ctx, d, sizeof(*d));
	if (!c) {
		return false;
	}
	c->prefix = front_pass_copy(ctx, d->prefix, d->n_prefix * sizeof(*d->prefix));
	c->index = front_pass_copy(ctx, d->index, d->n * sizeof(*d->index));
	c->inline_vertices =
			front_pass_copy(ctx, d->inline_vertices, d->n * sizeof(float[16][4]));
	if ((d->prefix && !c->prefix) || (d->index && !c->index) ||
			(d->inline_vertices && !c->inline_vertices)) {
		return false;
	}
	return join_pass(ctx, c, reads, is_emitted);
}

void draw_clip_list(struct pica200 *ctx, const struct clip_vertex *v, uint32_t n) {
	bool own_target;
	struct reads reads;
	struct draw d = { .topology = TOPOLOGY_LIST, .prefix = v, .n_prefix = n };
	if (prepare(ctx, NULL, &reads, &own_target) && add_draw(ctx, &d, &reads, true)) {
		passes_after_draw(ctx, own_target);
	}
}

/* The corners of all triangles, as numbers of emitted vertices. */
static uint32_t *emitted_index(struct pica200 *ctx, const struct emit_part *e) {
	const struct shader_straight *p = e->program;
	const size_t n = (size_t)3 * p->n_triangles * e->n_primitives;
	uint32_t *const index = front_pass_alloc(ctx, n * sizeof(*index)), *to = index;
	for (uint32_t i = 0; index && i < e->n_primitives; i++) {
		for (unsigned t = 0; t < p->n_triangles; t++, to += 3) {
			for (unsigned k = 0; k < 3; k++) {
				to[k] = i * p->n_emits + p->corner[t][k];
			}
		}
	}
	return index;
}

static bool add_emitted(struct pica200 *ctx, const struct stream *s, const struct emit_part *from,
		const struct reads *reads) {
	struct draw *d = front_pass_alloc(ctx, sizeof(*d));
	struct emit_part *e = front_pass_copy(ctx, from, sizeof(*from));
	if (!d || !e) {
		return false;
	}
	e->vertex = ctx->parts.vertex;
	e->first = s->first;
	e->index = front_pass_copy(ctx, s->index, s->n * sizeof(*s->index));
	e->program = front_pass_copy(ctx, from->program, shader_straight_bytes(from->program));
	e->uniforms = front_pass_copy(ctx, from->uniforms, sizeof(*from->uniforms));
	const uint32_t *index = e->program ? emitted_index(ctx, e) : NULL;
	if ((s->index && !e->index) || !e->uniforms || !index) {
		return false;
	}
	*d = (struct draw){ .state = current_state(ctx), .topology = TOPOLOGY_LIST,
		.n = 3 * e->program->n_triangles * e->n_primitives, .index = index };
	d->state.vertex_stage = &pica_emit_stage;
	d->state.vertex = e;
	return join_pass(ctx, d, reads, true);
}

void draw_emitted(struct pica200 *ctx, const struct stream *s, const struct emit_part *from) {
	bool own_target;
	struct reads reads;
	if (prepare(ctx, s, &reads, &own_target) && add_emitted(ctx, s, from, &reads)) {
		passes_after_draw(ctx, own_target);
	}
	make_room(ctx, s);
}

/* An invisible draw still advances the assembler. */
static void skip_draw(struct pica200 *ctx, struct draw *d) {
	struct shader_uniforms uniforms = ctx->vs.u;
	struct vertex_part part;
	if (vertex_part_make(ctx, &part, &uniforms)) {
		d->state.vertex = &part;
		assembler_after(ctx, d);
		ctx->left.never_shaded = false; /* invisible draws are not counted */
	}
}

static void draw_plain(struct pica200 *ctx, const struct stream *s) {
	bool own_target;
	struct reads reads;
	const bool is_visible = prepare(ctx, s, &reads, &own_target);
	if (!is_visible && ctx->base.run.result < 0) {
		return;
	}
	struct clip_vertex held[2];
	unsigned parity;
	const unsigned mode = PRIMITIVE_CONFIG_MODE(ctx->regs.w[REG_PRIMITIVE_CONFIG]);
	struct draw d = { .n = s->n, .first = s->first, .index = s->index,
		.inline_vertices = s->inline_attributes };
	d.topology = mode == PRIMITIVE_GEOMETRY ? TOPOLOGY_LIST : (uint8_t)mode;
	d.n_prefix = assembler_prefix(ctx, held, &parity);
	d.prefix = d.n_prefix ? held : NULL;
	d.parity = (uint8_t)parity;
	if (!is_visible) {
		skip_draw(ctx, &d);
	} else if (add_draw(ctx, &d, &reads, false)) {
		assembler_after(ctx, &d);
		ctx->left.never_shaded = d.n_prefix + d.n < 3;
		passes_after_draw(ctx, own_target);
	}
	make_room(ctx, s);
}

/*
 * Draws a long stream in pieces, as if the client had split it: the assembler continues. So no pass
 * needs to hold all of it.
 */
static void draw_pieces(struct pica200 *ctx, const struct stream *s, uint32_t most) {
	for (uint32_t at = 0; at < s->n && ctx->base.run.result == 0;) {
		struct stream piece = *s;
		piece.n = s->n - at < most ? s->n - at : most;
		piece.first = s->first + at; /* wraps, as vertex numbers do */
		piece.index = s->index ? s->index + at : NULL;
		uint64_t last = (uint64_t)piece.first + piece.n - 1;
		if (!s->index && last <= UINT32_MAX) {
			piece.min = piece.first;
			piece.max = (uint32_t)last;
		}
		draw_plain(ctx, &piece);
		at += piece.n;
	}
}

uint32_t draw_most(const struct pica200 *ctx) {
	const bool is_small = memory_unit_limit(&ctx->base.exec.memory) < SMALL_LIMIT;
	return is_small ? SMALL_PIECE : PIECE_VERTICES;
}

static void report_vertices(struct pica200 *ctx, const struct stream *s) {
	struct range r[16];
	const bool is_observed = ctx->base.observer || ctx->base.unwritten;
	unsigned n = is_observed ? fetch_ranges(current_layout(ctx), s->min, s->max, r) : 0;
	for (unsigned i = 0; i < n; i++) {
		ctx_access(&ctx->base, r[i], ACCESS_VERTICES);
	}
}

static void run_stream(struct pica200 *ctx, const struct stream *s, bool indexed) {
	if (s->n == 0) {
		return;
	}
	if (!ctx_charge(&ctx->base, &ctx->run.vertices_left, s->n, PICA_BUDGET_VERTICES)) {
		return;
	}
	ctx->base.stats.draws++;
	ctx->base.stats.vertices += s->n;
	if (!s->inline_attributes) {
		const struct fetch_layout *layout = current_layout(ctx);
		if (!layout->base_in_memory) {
			ctx_fault(&ctx->base, PICA_FAULT_BAD_ADDRESS);
			return;
		}
		if (layout->n_unloaded) {
			ctx_fault(&ctx->base, PICA_FAULT_UNLOADED_ATTRIBUTE);
		}
		report_vertices(ctx, s);
	}
	const uint32_t most = draw_most(ctx);
	if (GEOSTAGE_CONFIG_GS(ctx->regs.w[REG_GEOSTAGE_CONFIG]) == GEOSTAGE_ON) {
		geometry_draw(ctx, s, indexed);
	} else if (s->n <= most) {
		draw_plain(ctx, s);
	} else {
		draw_pieces(ctx, s, most);
	}
	report_guesses(ctx, ctx->parts.info.guessed);
}

void draw_arrays(struct pica200 *ctx) {
	if (ctx->history) {
		history_draw(ctx->history);
	}
	uint32_t n = ctx->regs.w[REG_NUMVERTICES], first = ctx->regs.w[REG_VERTEX_OFFSET];
	uint64_t last = (uint64_t)first + n - 1;
	struct stream s = { .n = n, .first = first, .min = first, .max = (uint32_t)last };
	if (n && last > UINT32_MAX) {
		s.min = 0; /* numbers wrap */
		s.max = UINT32_MAX;
	}
	run_stream(ctx, &s, false);
}

static uint32_t *index_buffer(struct pica200 *ctx, uint32_t n) {
	if (ctx->cap_indices < n) {
		uint32_t *grown = memory_grow(&ctx->base.exec.memory, ctx->indices,
				ctx->cap_indices * sizeof(*grown), n * sizeof(*grown));
		if (!grown) {
			return NULL;
		}
		ctx->indices = grown;
		ctx->cap_indices = n;
	}
	return ctx->indices;
}

/* Reads the indices of the stream; false: memory is missing. */
static bool read_indices(struct pica200 *ctx, struct stream *s, uint32_t *index, uint32_t addr,
		bool is_u16) {
	s->min = UINT32_MAX;
	for (uint32_t at = 0; at < s->n; at += PIECE_VERTICES) {
		const uint32_t n = s->n - at < PIECE_VERTICES ? s->n - at : PIECE_VERTICES;
		uint32_t min, max;
		if (!fetch_indices(&ctx->base.space, addr + (at << is_u16), is_u16, n, index + at,
				    &min, &max)) {
			return false;
		}
		s->min = min < s->min ? min : s->min;
		s->max = max > s->max ? max : s->max;
		ctx_tick(&ctx->base, n);
	}
	return true;
}

void draw_elements(struct pica200 *ctx) {
	uint32_t n = ctx->regs.w[REG_NUMVERTICES], config = ctx->regs.w[REG_INDEXBUFFER_CONFIG];
	uint32_t addr = reg_addr16(ctx->regs.w[REG_ATTRIBBUFFERS_LOC]) +
			INDEXBUFFER_CONFIG_OFFSET(config);
	bool is_u16 = INDEXBUFFER_CONFIG_IS_U16(config);
	if (ctx->history) {
		history_draw(ctx->history);
	}
	if (n == 0) {
		return;
	}
	if (n > ctx->run.vertices_left || n > UINT32_MAX / 4) {
		ctx_charge(&ctx->base, &ctx->run.vertices_left, UINT64_MAX, PICA_BUDGET_VERTICES);
		return;
	}
	struct range r = { addr, n * (is_u16 ? 2u : 1u) };
	if (!space_host(&ctx->base.space, r.addr, r.size)) {
		ctx_fault(&ctx->base, PICA_FAULT_BAD_ADDRESS);
		return;
	}
	passes_before_read(ctx, &r, 1);
	ctx_access(&ctx->base, r, ACCESS_VERTICES);
	if (n > memory_unit_limit(&ctx->base.exec.memory) / sizeof(uint32_t)) {
		ctx_used_up(&ctx->base, PICA_BUDGET_MEMORY);
		return;
	}
	uint32_t *index = index_buffer(ctx, n);
	if (!index) {
		ctx->base.run.result = -ENOMEM;
		return;
	}
	struct stream s = { .n = n, .index = index };
	if (read_indices(ctx, &s, index, addr, is_u16)) {
		run_stream(ctx, &s, true);
	}
	if (ctx->cap_indices > KEEP_INDICES) {
		memory_free(&ctx->base.exec.memory, ctx->indices,
				ctx->cap_indices * sizeof(*ctx->indices));
		ctx->indices = NULL;
		ctx->cap_indices = 0;
	}
}

/* ---- Immediate mode ---- */

void draw_immediate_pause(struct pica200 *ctx) {
	struct immediate *im = &ctx->immediate;
	if (!im->n) {
		return;
	}
	if (ctx->history && !im->goes_on) {
		history_draw(ctx->history);
	}
	struct stream s = { .n = im->n, .inline_attributes = (const float (*)[4])im->vertices };
	im->n = 0;
	im->goes_on = true;
	run_stream(ctx, &s, false);
}

void draw_immediate_flush(struct pica200 *ctx) {
	draw_immediate_pause(ctx);
	ctx->immediate.goes_on = false;
}

size_t front_immediate_bytes(const struct pica200 *ctx) {
	return IMMEDIATE_MAX * sizeof(*ctx->immediate.vertices);
}

void draw_immediate_vertex(struct pica200 *ctx) {
	struct immediate *im = &ctx->immediate;
	if (!im->vertices) {
		im->vertices = memory_alloc(&ctx->base.exec.memory,
				IMMEDIATE_MAX * sizeof(*im->vertices));
		if (!im->vertices) {
			ctx->base.run.result = -ENOMEM;
			return;
		}
	}
	unsigned used = VSH_NUM_ATTR_NUM_ATTR_M1(ctx->regs.w[REG_VSH_NUM_ATTR]) + 1;
	memset(im->vertices[im->n], 0, sizeof(im->vertices[0]));
	memcpy(im->vertices[im->n], im->current, used * sizeof(im->current[0]));
	if (++im->n == IMMEDIATE_MAX) {
		draw_immediate_pause(ctx);
	}
}
